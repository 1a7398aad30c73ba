#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Makes what is made from functions.def and the public headers: script/generate says which files."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import kernels
from description import Description, Mistake
from headers import Headers, read_headers

ROOT = Path(__file__).resolve().parents[2]
FILES: dict[str, Callable[[Headers, Description], str]] = {
    "src/kernel/base/arguments.h": lambda headers, given: kernels.arguments_header(given),
    "src/dispatch/argument_sizes.c": lambda headers, given: kernels.sizes_source(given),
}


def formatted(text: str, name: str) -> str:
    """As script/format would have it."""
    for command in ("clang-format-14", "clang-format"):
        try:
            run = subprocess.run([command, f"--assume-filename={name}"], input=text, cwd=ROOT, capture_output=True,
                                 text=True, check=True)  # fmt: skip
        except FileNotFoundError:
            continue
        return run.stdout
    raise Mistake("clang-format is missing: generated files could not be formatted")


def main() -> int:
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not check:
        print("usage: script/generate [--check]", file=sys.stderr)
        return 2
    failed = 0
    try:
        headers = read_headers(ROOT / "include" / "jounce")
        for name, make in FILES.items():
            path, text = ROOT / name, formatted(make(headers, headers.given), name)
            if path.exists() and path.read_text() == text:
                continue
            failed = 1
            if check:
                print(f"{name} is out of date: run script/generate", file=sys.stderr)
            else:
                path.write_text(text)
                print(f"Written: {name}")
    except Mistake as mistake:
        print(f"{mistake}", file=sys.stderr)
        return 1
    return failed if check else 0


if __name__ == "__main__":
    sys.exit(main())
