# SPDX-License-Identifier: BSD-2-Clause
"""What the compiled module asks Python to do: conversions of unusual arguments, and exceptions."""

from __future__ import annotations

import difflib
import inspect
import os
import sys
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from . import _results
from ._errors import KINDS, Error, ModelWarning, NotFoundError, SingularError
from ._reasons import TEXTS, in_python, reason

STATUS = {number: name.removeprefix("err_") for name, number in _results.STATUS.items()}
NQ, NV = 0, 1  # codes of sizes in src/core.h


def convert(owner: Any, value: Any, function: str, name: str, code: int) -> NDArray[Any]:
    """An array of double without gaps; float32 stays float32 unless code is -2. Dictionaries are states by name."""
    if value is None:
        raise TypeError(f"{function}() needs the argument '{name}', which is None")
    if isinstance(value, Mapping):
        if code not in (NQ, NV) or owner is None:
            raise TypeError(f"{function}(): {name} cannot be given by names of joints")
        model = getattr(owner, "model", owner)
        return model.configuration(value) if code == NQ else model.velocity(value)  # type: ignore[no-any-return]
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(
            f"{function}(): {name} is a masked array; masks have no meaning here: use {name}.filled() or .data"
        )
    try:
        array = np.asarray(value)
    except ValueError as problem:
        raise ValueError(f"{function}(): {name} is not an array: {problem}") from None
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{function}(): {name} has dtype {array.dtype}, expected numbers (float64 or float32)")
    dtype = np.float32 if array.dtype == np.float32 and code != -2 else np.float64
    return np.array(
        array, dtype=dtype, order="C", copy=None if np.lib.NumpyVersion(np.__version__) >= "2.0.0" else False
    )


def expand(array: Any, shape: tuple[int, ...]) -> NDArray[Any]:
    return np.array(np.broadcast_to(np.asarray(array), shape), order="C")


def stack(values: list[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    """One value for each state, in the leading axes of a call."""
    return np.array(values).reshape(shape)


def mask(owner: Any, value: Any, function: str, name: str) -> NDArray[np.uint8]:
    """One byte per velocity coordinate; names of joints stand for all their coordinates."""
    if isinstance(value, str):
        value = [value]
    if isinstance(value, (list, tuple, set, frozenset)) and any(isinstance(item, str) for item in value):
        model = getattr(owner, "model", owner)
        chosen = np.zeros(model.nv, np.uint8)
        for item in value:
            joint = model.joint(item)
            chosen[joint.v] = 1
        return chosen
    array = np.asarray(value)
    if array.dtype.kind not in "biu":
        raise TypeError(f"{function}(): {name} has dtype {array.dtype}, expected bool, or names of joints")
    wrong = np.argwhere((array != 0) & (array != 1))
    if len(wrong):
        at = tuple(int(i) for i in wrong[0])
        raise ValueError(f"{function}(): {name}{list(at) if at else ''} is {array[at]}, expected one 0 or 1 for each of "
                         "the nv coordinates (not their numbers), or names of joints")  # fmt: skip
    return np.ascontiguousarray(array != 0, dtype=np.uint8)


def perturbations(model: Any, values: Any) -> tuple[NDArray[np.uintp], list[Any]]:
    """Pointers to the members of each perturbation, and the arrays they point to."""
    if isinstance(values, Mapping):
        values = [values]
    if not isinstance(values, Sequence) or not all(isinstance(value, Mapping) for value in values):
        raise TypeError(
            f"perturbations is {values!r:.60}, expected a list of dictionaries, as Model.perturbation() makes them"
        )
    sizes = {"nv": model.nv, "nlink": model.link_count}
    pointers = np.zeros((len(values), len(_results.PERTURBATION)), np.uintp)
    kept = []
    for row, value in zip(pointers, values):
        unknown = set(value) - set(_results.PERTURBATION)
        if unknown:
            raise ValueError(f"a perturbation has no member {sorted(unknown)[0]!r}: {', '.join(_results.PERTURBATION)}")
        for k, (name, shape) in enumerate(_results.PERTURBATION.items()):
            if value.get(name) is None:
                continue
            expected = tuple(sizes.get(size) or int(size) for size in shape)
            array = np.ascontiguousarray(value[name], dtype=np.float64)
            if array.shape != expected:
                raise ValueError(f"perturbation: {name} has shape {array.shape}, expected {expected}")
            kept.append(array)
            row[k] = array.ctypes.data
    return pointers, kept


def callback(name: str, function: Any) -> Any:
    """Wraps a function of the user: C gives memory and, for simulations, asks for `rows` rows of `columns` numbers.

    force(t, q, v) -> [nv], or force(t, q, v_jet, order) -> [order + 1, nv]; wrench(t) -> [nlink, 6], or wrench(t, order)
    -> [order + 1, nlink, 6]; motion(t) -> [nv] accelerations, or motion(t, order) -> [order + 1, nv].
    """
    if name == "watch":
        return watch_callbacks(function)
    if not callable(function):
        raise TypeError(f"{name} must be a function, not {type(function).__name__}")
    if name == "next_break":
        return next_break_callback(function)
    if name == "cost":
        return cost_callback(function)
    if name == "path":
        return path_callback(function)
    simple = 3 if name == "force" else 1
    try:
        count = sum(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) and p.default is p.empty
                    for p in inspect.signature(function).parameters.values())  # fmt: skip
    except (TypeError, ValueError):  # built in: no signature
        count = simple
    with_order = count > simple

    def call(t: float, q: Any, v_jet: Any, order: int, rows: int, columns: int) -> NDArray[np.float64]:
        arguments: list[Any] = [t]
        if name == "force":
            velocities = None if v_jet is None else np.frombuffer(v_jet, np.float64).reshape(rows, columns).copy()
            arguments.append(None if q is None else np.frombuffer(q, np.float64).copy())
            arguments.append(velocities if with_order or velocities is None else velocities[0])
        if with_order:
            arguments.append(order)
        result = np.asarray(function(*arguments), np.float64)
        core = (columns // 6, 6) if name == "wrench" else (columns,)
        expected = (rows, *core) if with_order else core
        if result.shape != expected:
            raise ValueError(f"{name}() gave an array of shape {result.shape}, expected {expected}")
        full = np.zeros((rows, columns))
        full[: rows if with_order else 1] = result.reshape(-1, columns)
        return full

    return call


def checked(name: str, what: str, value: Any, shape: tuple[int, ...]) -> NDArray[np.float64]:
    array = np.ascontiguousarray(value, np.float64)
    if array.shape != shape:
        raise ValueError(f"{name}() gave {what} of shape {array.shape}, expected {shape}")
    return array


def number_from(name: str, value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} gave {value!r}, expected a number") from None


def next_break_callback(function: Any) -> Any:
    """next_break(t) -> the first time after t at which something is not smooth, or infinity."""

    def call(t: float) -> float:
        value = number_from("next_break", function(t))
        if not value > t:
            raise ValueError(
                f"next_break({t!r}) gave {value!r}, expected a time after {t!r}, or infinity if there is none"
            )
        return value

    return call


DIRECTIONS = {"both": 0, "rising": 1, "falling": -1, 0: 0, 1: 1, -1: -1}


def watch_callbacks(given: Any) -> tuple[tuple[Any, int], ...]:
    """watch(t, q, v) -> number, or (watch, "rising" | "falling" | "both"), or a list of these."""

    def one(item: Any, k: int) -> tuple[Any, int]:
        function, direction = item if isinstance(item, tuple) and len(item) == 2 else (item, "both")
        if not callable(function):
            raise TypeError(f"watch[{k}] must be a function, not {type(function).__name__}")
        if not isinstance(direction, (str, int)) or direction not in DIRECTIONS:
            raise ValueError(f"watch[{k}] has the direction {direction!r}, expected 'rising', 'falling' or 'both'")

        def call(t: float, q: Any, v: Any) -> float:
            value = number_from(
                f"watch[{k}]", function(t, np.frombuffer(q, np.float64).copy(), np.frombuffer(v, np.float64).copy())
            )
            if value != value:
                raise ValueError(f"watch[{k}] gave nan at t = {t!r}, expected a number whose sign can be watched")
            return value

        return call, DIRECTIONS[direction]

    if not isinstance(given, (list, tuple)) or (
        len(given) == 2 and isinstance(given, tuple) and not callable(given[1])
    ):
        given = [given]
    return tuple(one(item, k) for k, item in enumerate(given))


def cost_callback(function: Any) -> Any:
    """A term of the cost of a rollout: cost(k, q, v) -> value, gradient [2nv]."""

    def call(k: int, q: Any, v: Any, size: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        result = function(k, np.frombuffer(q, np.float64).copy(), np.frombuffer(v, np.float64).copy())
        if not isinstance(result, (tuple, list)) or len(result) != 2:
            raise TypeError("cost() must return two things: the value, and the gradient by the state (q, v)")
        value = checked("cost", "a value", np.reshape(result[0], (1,)) if np.size(result[0]) == 1 else result[0], (1,))
        return value, checked("cost", "a gradient", result[1], (size,))

    return call


def path_callback(function: Any) -> Any:
    """A path of tasks: path(t, order) -> target [targets], rate_jet [order + 1, rows]."""

    def call(t: float, order: int, wanted: bool, targets: int, rows: int) -> tuple[NDArray[np.float64], ...]:
        result = function(t, order)
        if not isinstance(result, (tuple, list)) or len(result) != 2:
            raise TypeError("path() must return two things: the target, and its rates [order + 1, rows]")
        target = checked("path", "a target", np.ravel(result[0]), (targets,))
        return (target, checked("path", "rates", result[1], (order + 1, rows))) if wanted else (target,)

    return call


def numbers_in(name: str, value: Any) -> list[tuple[str, Any]]:
    """The numbers in an argument, with their places: tolerance, task[0]['weight']; arrays as they are."""
    if isinstance(value, Mapping):
        return [found for key in value for found in numbers_in(f"{name}[{key!r}]", value[key])]
    if isinstance(value, (list, tuple)) and any(isinstance(item, Mapping) for item in value):
        return [found for k, item in enumerate(value) for found in numbers_in(f"{name}[{k}]", item)]
    if isinstance(value, (str, bytes, bool)) or callable(value):
        return []
    try:
        array = np.asarray(float(value) if isinstance(value, int) and abs(value) >> 63 else value)
    except (ValueError, OverflowError):
        return []
    return [(name, array)] if array.dtype.kind in "iuf" else []


def suspects(given: list[tuple[str, Any]]) -> str:
    """Which argument is out of range: a number or array that no range allows, otherwise any of those given."""
    found = [item for name, value in given for item in numbers_in(name, value)]
    numbers = [(name, array) for name, array in found if array.ndim == 0]
    bad = [f"{name} is {array}" for name, array in numbers if not np.isfinite(array) or array < 0]
    bad = bad or [f"{name} is empty" for name, array in found if array.size == 0]
    bad = bad or [f"{name} contains NaN" for name, array in found if np.isnan(array).any()]
    if not bad:
        infinite = [name for name, array in found if name != "limits" and not np.isfinite(array).all()]
        bad = [f"{name} has numbers that are not finite" for name in infinite]
    if bad:
        return ", ".join(bad[:5])
    simple = {name: f"{name} = {array}" for name, array in numbers}
    names = [simple.get(name, name) for name, _ in given]
    return (
        ""
        if not names
        else f"{given[0][0]} is {given[0][1]!r:.60}"
        if len(names) == 1
        else "one of " + ", ".join(names)
    )


def failed(
    status: int, what: str, function: str, text: str, detail: str, file: str | None, line: int, column: int,
    joint: str | None, state: int, given: list[tuple[str, Any]],
) -> NoReturn:  # fmt: skip
    """Raises the exception of a status. given: the arguments, which are named if the library does not say what is wrong;
    arrays that were left out are None."""
    code = STATUS.get(status, "unknown")
    missing = [name for name, value in given if value is None]
    given = [(name, value) for name, value in given if value is not None]
    is_silent = not detail or detail == what
    known = reason(function, code, dict(given), missing) if is_silent else ""
    message = known or (TEXTS.get(code, what) if is_silent else in_python(detail))

    # the library says no more than the status: which arguments may be meant
    if is_silent and not known and code in ("size", "index", "model", "null"):
        named = suspects(given)
        if named:
            message = f"{named}: {'out of range' if code == 'size' else message}"
            if detail:
                message = f"{function}(): {message}"
    if joint:
        message += f": joint '{joint}' has no effective inertia"
    if state >= 0:
        message += f" (state {state})"
    if text:
        message += f": {text}"
    if file and line:
        message = f"{file}:{line}: {message}"
    elif file and file not in message:
        message = f"{file}: {message}"
    elif function and not detail:
        message = f"{function}(): {message}"
    error = KINDS.get(code, Error)(message)
    error.status, error.file, error.line, error.column = code, file, line, column
    if isinstance(error, SingularError):
        error.joint, error.state = joint, state if state >= 0 else None
    raise error


def warn(text: str) -> None:
    """A warning at the line of the user's code, not of this package."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "jounce":
        frame, level = frame.f_back, level + 1
    warnings.warn(in_python(text), ModelWarning, stacklevel=level)


def path_from(value: Any, function: str, name: str) -> str:
    """The name of a file, which may be a pathlib.Path."""
    try:
        return os.fsdecode(value)
    except TypeError:
        raise TypeError(f"{function}(): {name} is {value!r:.60}, expected the name of a file") from None


def names_of(model: Any, what: str) -> Sequence[str]:
    model = getattr(model, "model", model)
    return {"frame": model.frames, "link": model.links, "joint": model.joints, "loop": model.loop_names}[what]  # type: ignore[no-any-return]


def unknown(what: str, name: str, model: Any) -> NoReturn:
    near = difflib.get_close_matches(name, names_of(model, what), 1)
    hint = f"; did you mean '{near[0]}'?" if near else ""
    error = NotFoundError(f"there is no {what} named '{name}'{hint}")
    error.status = "name"
    raise error
