#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Generates the Python package's functions from the public headers.

    generate.py INCLUDE FOLDER     writes functions.inc (C), _results.py, _results.pyi and _core.pyi to FOLDER
    generate.py INCLUDE --missing  lists public functions that the package does not offer, with the reason

Every function becomes a descriptor (arguments with kinds and sizes) and a few lines of C that call it; src/call.c does
the rest for all of them. What arrays are comes from src/api/functions.def; it fails, with the place, if that does not
fit the headers, or if no rule of methods.py understands a function.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src" / "api"))

import emit
from description import Mistake
from headers import read_headers
from methods import read_methods


def main() -> int:
    try:
        headers = read_headers(Path(sys.argv[1]) / "jounce")
    except Mistake as mistake:
        print(f"{mistake}", file=sys.stderr)
        return 1
    methods, missing = read_methods(headers)
    for name, reason in missing.items():
        print(f"{name}: {reason}", file=sys.stdout if sys.argv[2] == "--missing" else sys.stderr)
    if missing or sys.argv[2] == "--missing":
        return 1 if missing else 0
    try:
        emit.write(headers, methods, Path(sys.argv[2]))
    except Mistake as mistake:
        print(f"{mistake}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
