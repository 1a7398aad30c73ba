# SPDX-License-Identifier: BSD-2-Clause
"""Exceptions and warnings. Each error carries the library's text; `status` is its code, as "singular"."""

from __future__ import annotations


class Error(Exception):
    """A call of the library failed. status: which error; file, line, column: where, for errors in files."""

    status: str = ""
    file: str | None = None
    line: int = 0
    column: int = 0


class ModelError(Error, ValueError):
    """A description breaks a rule, or a file is not in the format it should have."""


class FileError(Error, OSError):
    """A file cannot be read or written."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class NotFoundError(Error, LookupError):
    """There is no link, joint, frame, loop or coordinate of this name or index."""


class SingularError(Error, ArithmeticError):
    """A joint has no effective inertia. joint: its name; state: which state of a batch (counted through all axes)."""

    joint: str | None = None
    state: int | None = None


class LoopError(Error, ValueError):
    """The kinematic loops are not closed or cannot be, or too few coordinates are actuated."""


class UnsupportedError(Error, NotImplementedError):
    """This build or this file format cannot do that."""


class StepError(Error, ArithmeticError):
    """A simulation cannot go on: no step is small enough for the tolerance."""


class ArgumentError(Error, ValueError):
    """An argument is missing, too small or too large."""


class ModelWarning(UserWarning):
    """Something suspicious in a model or a file; it is used as written."""


KINDS: dict[str, type[Error]] = {
    "null": ArgumentError,
    "size": ArgumentError,
    "index": NotFoundError,
    "name": NotFoundError,
    "model": ModelError,
    "file": FileError,
    "syntax": ModelError,
    "singular": SingularError,
    "unsupported": UnsupportedError,
    "loop": LoopError,
    "actuation": LoopError,
    "step": StepError,
}
