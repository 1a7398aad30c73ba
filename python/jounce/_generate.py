# SPDX-License-Identifier: BSD-2-Clause
"""Model.generate(): a robot's dynamics as source code."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ._errors import ArgumentError

if TYPE_CHECKING:
    from ._model import Model

# Words of an argument, in the order of the numbers in C (include/jounce/generate.h).
TYPES = ("double", "float")
LANGUAGES = ("c", "matlab")
SINES = ("own", "libm", "given")
REPRESENTATIONS = ("body", "world", "aligned")
RUNTIME = ("gravity", "payload", "parameters")


def _number_of(word: Any, words: Sequence[str], name: str) -> int:
    if word not in words:
        raise ArgumentError(f"generate(): {name} is {word!r}, expected one of {', '.join(words)}")
    return words.index(word)


def _words(value: Any, name: str) -> list[str]:
    """A list of words, or words separated by commas."""
    words = value.split(",") if isinstance(value, str) else list(value)
    for word in words:
        if not isinstance(word, str):
            raise TypeError(f"generate(): {name} has {word!r}, expected names")
    return [word.strip() for word in words if word.strip()]


def _frame_name(model: Model, name: str) -> str:
    model._frame_index(name)  # raises, with the name that is nearest
    return name


def _mask(model: Model, joints: Any, name: str) -> bytes:
    """One byte for each coordinate: 1 for those of the joints."""
    from ._glue import mask

    if isinstance(joints, Sequence) and len(joints) == 0:
        return bytes(model.nv)
    return np.ascontiguousarray(mask(model, joints, "generate", name)).tobytes()


def _elastic(elastic: Any) -> Any:
    from ._model import Elastic

    if elastic is not None and not isinstance(elastic, Elastic):
        raise TypeError(f"generate(): elastic is a {type(elastic).__name__}, expected what Model.elastic() gives")
    return elastic


def generate(
    model: Model, want: Any, prefix: str, type: str, language: str, order: int, sincos: str, regroup: bool, frames: Any,
    in_: str, prescribed: Any, actuated: Any, elastic: Any, runtime: Any, payload_frame: str | None, snap: float,
    lanes: int, split: bool,
) -> dict[str, str]:  # fmt: skip
    """Checks the arguments and turns words into numbers of C."""
    functions = _words(want, "want")
    flags = sum(1 << _number_of(word, RUNTIME, "runtime") for word in set(_words(runtime, "runtime")))
    # a name of a frame may have a comma in it
    names = tuple(_frame_name(model, name) for name in ([frames] if isinstance(frames, str) else frames))
    if payload_frame is not None:
        _frame_name(model, payload_frame)

    return model._generate(
        ",".join(functions),
        prefix,
        _number_of(language, LANGUAGES, "language"),
        _number_of(type, TYPES, "type"),
        _number_of(sincos, SINES, "sincos"),
        int(bool(regroup)),
        operator.index(order),
        operator.index(lanes),
        int(bool(split)),
        float(snap),
        flags,
        payload_frame,
        names,
        _number_of(in_, REPRESENTATIONS, "in_"),
        _mask(model, prescribed, "prescribed"),
        _mask(model, actuated, "actuated") if len(actuated) else b"",
        _elastic(elastic),
    )
