# SPDX-License-Identifier: BSD-2-Clause
"""Sweeps over more states than memory holds, on many processes or machines, by Dask distributed.

    from dask.distributed import Client
    from jounce.dask import sweep
    sweep(Client("tcp://scheduler:8786"), torques, "states.npy", "torques.npy")

Workers read rows of one NPY file and write rows of another, block by block, without loading them whole; through the scheduler go
only numbers of blocks. Every machine must see both files. Models pickle, so `torques` may be a function with a model in it
(functools.partial). A block whose worker dies is computed again elsewhere; as blocks do not depend on the number of
workers, neither does any bit of the result.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ._errors import ArgumentError

BLOCK = 16384


def _compute(function: Callable[[Any], Any], source: str, target: str, first: int, last: int) -> int:
    """Rows first ... last of the source become those of the target, on a worker."""
    from . import set_threads

    set_threads(1)  # Dask has as many workers as it wants
    rows = np.load(source, mmap_mode="r")[first:last]
    out = np.load(target, mmap_mode="r")
    result = np.ascontiguousarray(function(np.ascontiguousarray(rows)), out.dtype)
    if result.shape != (last - first, *out.shape[1:]):
        raise ArgumentError(
            f"the function made {result.shape} of {rows.shape}, expected {(last - first, *out.shape[1:])}"
        )
    with open(target, "r+b") as f:  # not through the map: pages of it would be written one by one
        f.seek(int(out.offset) + first * result[:1].nbytes)
        f.write(result.data)
    return last - first


def sweep(client: Any, function: Callable[[Any], Any], source: str | os.PathLike[str], target: str | os.PathLike[str],
          *, block: int = BLOCK, progress: Callable[[int, int], None] | None = None) -> None:  # fmt: skip
    """target[i] = function(source)[i] for all rows, `block` at a time, on the workers of a dask.distributed.Client.

    function takes an array [rows, ...] and gives one [rows, ...]; its first block says what a row of the target is.
    The target appears whole, at the end, or not at all. progress(rows done, rows in all) is called after every block.
    """
    from dask.distributed import as_completed

    if block < 1:
        raise ArgumentError(f"block is {block}, expected at least 1")
    source, target = Path(source).resolve(), Path(target).resolve()
    rows = np.load(source, mmap_mode="r")
    count = len(rows)
    row = np.asarray(function(np.ascontiguousarray(rows[: min(count, 1)])))
    partial = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        np.lib.format.open_memmap(partial, mode="w+", dtype=row.dtype, shape=(count, *row.shape[1:])).flush()
        work = client.scatter(function, broadcast=False)
        futures = [client.submit(_compute, work, str(source), str(partial), k, min(k + block, count), pure=False, retries=3)
                   for k in range(0, count, block)]  # fmt: skip
        done = 0
        for future in as_completed(futures):
            done += future.result()
            if progress:
                progress(done, count)
        with open(partial, "rb") as f:
            os.fsync(f.fileno())
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)
