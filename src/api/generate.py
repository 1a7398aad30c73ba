#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Makes what is made from functions.def and the public headers: script/generate says which files."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import agreements
import kernels
import versions
from description import Description, Mistake
from headers import read_headers

ROOT = Path(__file__).resolve().parents[2]
PUBLIC = ROOT / "include" / "jounce"


def head_of(name: str) -> str:
    """What stands at the beginning of a generated header."""
    return (Path(__file__).parent / f"{name}.head").read_text()


def batch_header() -> str:
    return versions.batch_header(PUBLIC, head_of("batch"))


def float_header() -> str:
    texts = [(PUBLIC / header).read_text() for header in versions.COMPUTING]
    return versions.float_header(PUBLIC, head_of("float"), texts)


FILES: dict[str, Callable[[Description], str]] = {
    "include/jounce/batch.h": lambda given: batch_header(),
    "include/jounce/float.h": lambda given: float_header(),
    "include/jounce/float_batch.h": lambda given: versions.float_header(PUBLIC, head_of("float_batch"), [batch_header()]),
    "src/dispatch/batch_functions.c": lambda given: versions.batch_source(PUBLIC, given),
    "src/kernel/base/arguments.h": kernels.arguments_header,
    "src/dispatch/argument_sizes.c": kernels.sizes_source,
}


def formatted(text: str, name: str) -> str | None:
    """As script/format would have it; None without clang-format."""
    for command in ("clang-format-14", "clang-format"):
        try:
            run = subprocess.run([command, f"--assume-filename={name}"], input=text, cwd=ROOT, capture_output=True,
                                 text=True, check=True)  # fmt: skip
        except FileNotFoundError:
            continue
        return run.stdout
    return None


def is_made(path: Path, text: str, name: str) -> bool:
    """Whether the file is up to date; without clang-format up to blanks and lines."""
    if not path.exists():
        return False
    new, old = formatted(text, name), path.read_text()
    return new == old if new is not None else "".join(text.split()) == "".join(old.split())


def write(path: Path, text: str, name: str) -> None:
    new = formatted(text, name)
    if new is None:
        raise Mistake("script/generate needs clang-format")
    path.write_text(new)
    print(f"Written: {name}")


def main() -> int:
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not check:
        print("usage: script/generate [--check]", file=sys.stderr)
        return 2
    failed = 0
    try:
        headers = read_headers(PUBLIC)
        for name, make in FILES.items():
            path, text = ROOT / name, make(headers.given)
            if is_made(path, text, name):
                continue
            if check:
                print(f"{name} is out of date: run script/generate", file=sys.stderr)
                failed = 1
            else:
                write(path, text, name)
        for text in agreements.disagreements(ROOT, headers.given):
            print(text, file=sys.stderr)
            failed = 1
    except Mistake as mistake:
        print(f"{mistake}", file=sys.stderr)
        return 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
