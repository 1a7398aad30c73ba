# SPDX-License-Identifier: BSD-2-Clause
"""Sweeps by Dask distributed: a scheduler and worker processes over TCP, from a memory-mapped file to another. The result
has the same bits for any number of workers and blocks, and when a worker is killed in the middle; a function that fails
leaves no file. Skipped if dask is not installed."""

from __future__ import annotations

import functools
import os
import signal
import sys
import tempfile
import time
import unittest
from pathlib import Path

import numpy as np

import jounce

try:
    from dask.distributed import Client, LocalCluster
except ImportError:
    print("dask[distributed] is not installed: skipped")
    sys.exit(77)

from jounce.dask import sweep

ROWS = 3000


def torques(model: jounce.Model, rows: np.ndarray) -> np.ndarray:
    return np.asarray(model.inverse_dynamics(rows[:, :7], rows[:, 7:14], rows[:, 14:]))


def slow_torques(model: jounce.Model, rows: np.ndarray) -> np.ndarray:
    time.sleep(0.02)
    return torques(model, rows)


def broken(rows: np.ndarray) -> np.ndarray:
    if len(rows) > 1:
        raise RuntimeError("broken")
    return rows


def cluster(workers: int) -> LocalCluster:
    return LocalCluster(
        n_workers=workers, threads_per_worker=1, protocol="tcp://", dashboard_address=None, silence_logs=50
    )


class Sweeps(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.source = Path(self.folder.name) / "states.npy"
        self.target = Path(self.folder.name) / "torques.npy"
        states = np.random.default_rng(1).normal(size=(ROWS, 21))
        np.save(self.source, states)
        self.model = jounce.load("builtin:panda")
        self.expected = torques(self.model, states)

    def check(self) -> None:
        np.testing.assert_array_equal(np.load(self.target), self.expected)
        self.assertEqual(sorted(os.listdir(self.folder.name)), ["states.npy", "torques.npy"])

    def test_any_number_of_workers_and_a_killed_one(self) -> None:
        for workers, block in ((1, 700), (3, 100)):
            with cluster(workers) as local, Client(local) as client:
                self.assertTrue(all(address.startswith("tcp://") for address in client.scheduler_info()["workers"]))
                self.assertEqual(len(set(client.run(os.getpid).values())), workers)
                sweep(client, functools.partial(torques, self.model), self.source, self.target, block=block)
                self.check()
                self.target.unlink()
                if workers == 1:
                    continue
                victims = list(client.run(os.getpid).values())
                killed = []

                def kill(done: int, count: int, victims: list[int] = victims, killed: list[int] = killed) -> None:
                    if done > 300 and not killed:
                        os.kill(victims[0], signal.SIGKILL)
                        killed.append(done)

                sweep(
                    client,
                    functools.partial(slow_torques, self.model),
                    self.source,
                    self.target,
                    block=50,
                    progress=kill,
                )
                self.assertTrue(killed and killed[0] < ROWS)
                self.check()

                with self.assertRaisesRegex(RuntimeError, "broken"):
                    sweep(client, broken, self.source, Path(self.folder.name) / "other.npy")
                self.check()


if __name__ == "__main__":
    unittest.main()
