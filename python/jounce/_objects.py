# SPDX-License-Identifier: BSD-2-Clause
"""What Python adds to the objects that a model makes: short descriptions, pickles, and targets that are matrices."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from . import _core, _results

# Why objects of these classes cannot be pickled, and what to pickle in their place.
NO_PICKLE = {
    "Simulator": "it holds functions and a state within a step; pickle its model and get(), and make a new one",
    "Identification": "it holds sums over all states that were added; pickle the model and the states, and add them again",
    "Retimed": "it holds its search; pickle samples of evaluate(), for trajectory_from_samples()",
}


class Remembered:
    """An object that pickles as its model and the call that made it."""

    model: Any
    _call: tuple[str, tuple[Any, ...], dict[str, Any]] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        if self._call is None:
            raise TypeError(f"this {type(self).__name__} cannot be pickled: it was not made by a method of a model")
        return make_again, (self.model, *self._call)


def remember(made: Any, method: str, arguments: tuple[Any, ...], options: Mapping[str, Any]) -> Any:
    """Notes how an object was made; arrays are copied, because they may change later."""
    made._call = method, copy.deepcopy(arguments), copy.deepcopy(dict(options))
    return made


def remembering(method: str) -> Any:
    """The compiled method of a model of that name, whose result remembers the call."""
    original = getattr(_core.Model, method)

    @functools.wraps(original)
    def call(self: Any, *arguments: Any, **options: Any) -> Any:
        return remember(original(self, *arguments, **options), method, arguments, options)

    return call


def make_again(model: Any, method: str, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
    return getattr(model, method)(*arguments, **options)


class Loops(Remembered, _core.Loops):
    """Functions of a model with its kinematic loops; see Model.loops."""


class Function(Remembered, _core.Function):
    """A function of a model with its derivatives, for solvers; see Model.function()."""


class BaseParameters(Remembered, _core.BaseParameters):
    """The combinations of inertial parameters that motions can determine; see Model.base_parameters()."""


class Tasks(Remembered, _core.Tasks):
    """Task space of a list of tasks; see Model.tasks()."""

    def _target(self, target: Any) -> Any:
        """A target as numbers [..., targets]: of n poses it may also be [..., 4, 4] (n = 1) or [..., n, 4, 4]."""
        listed = self._call[1][0] if self._call else []
        if not listed or any(task.get("type", "pose") not in ("pose", 0) for task in listed):
            return target
        shape = np.shape(target)

        # one pose: its matrix alone; several: one matrix after the other
        core = (4, 4) if len(listed) == 1 and shape[-3:] != (1, 4, 4) else (len(listed), 4, 4)
        if isinstance(target, Mapping) or shape[-len(core) :] != core:
            return target
        return np.reshape(target, (*shape[: -len(core)], 16 * len(listed)))

    def solve(
        self, target: Any, q: Any, *, want: str | Sequence[str] | None = None, out: Any = None
    ) -> _results.TasksSolve:
        return super().solve(self._target(target), q, want=want, out=out)

    def error(self, q: Any, target: Any, *, out: Any = None) -> NDArray[Any]:
        return super().error(q, self._target(target), out=out)

    def motion_jet(
        self, q: Any, rate_jet: Any, *, target: Any = None, held: Any = None, out: Any = None
    ) -> _results.TasksMotionJet:
        return super().motion_jet(q, rate_jet, target=self._target(target), held=held, out=out)


for _method in (Tasks.solve, Tasks.error, Tasks.motion_jet):
    _method.__doc__ = (
        getattr(_core.Tasks, _method.__name__).__doc__ or ""
    ) + "\nA target of one pose may be a matrix [..., 4, 4]; of n poses, [..., n, 4, 4]."


# ---- short descriptions ----


def _function_sizes(function: Any) -> str:
    inputs = [f"{function.input_name(i)}[{function.input_size(i)}]" for i in range(function.inputs)]
    outputs = [f"{function.output_name(i)}[{function.output_size(i)}]" for i in range(function.outputs)]
    return f"{', '.join(inputs)} -> {', '.join(outputs)}"


def _simulator_state(simulator: Any) -> str:
    return f"nq {simulator.model.nq}, nv {simulator.model.nv}, t = {float(simulator.get().t):g} s"


SIZES: dict[str, Callable[[Any], str]] = {
    "Loops": lambda o: f"{o.model.loop_count} loops, {o.rows} rows, nv {o.model.nv}",
    "Trajectory": lambda o: f"{o.start:g} ... {o.end:g} s, {o.samples} samples, nq {o.model.nq}",
    "Simulator": _simulator_state,
    "BaseParameters": lambda o: f"{o.count} of {o.parameter_count} parameters, by {o.method_used}",
    "Tasks": lambda o: f"{o.rows} rows, targets of {o.targets} numbers, nv {o.model.nv}",
    "Retimed": lambda o: f"{o.duration:g} s, {o.event_count} events",
    "Function": _function_sizes,
    "Identification": lambda o: f"{o.count} parameters, {o.channels} channels",
    "Elastic": lambda o: f"{sum(map(o.is_elastic, range(o.model.nv)))} springs, nv {o.model.nv}",
}


def represent(value: Any) -> str:
    """<jounce.Tasks of 'panda': 6 rows, ...>; an object that is at work now says only that."""
    name = next(base.__name__ for base in type(value).__mro__ if base.__module__ == "jounce._core")
    try:
        sizes = SIZES[name](value)
    except RuntimeError:
        sizes = "in use"
    return f"<jounce.{name} of {value.model.name!r}: {sizes}>"


def refuse_pickle(value: Any) -> NoReturn:
    name = type(value).__name__
    raise TypeError(f"{name}: this object cannot be pickled: {NO_PICKLE[name]}")


for _name in SIZES:
    setattr(getattr(_core, _name), "__repr__", represent)  # noqa: B010 - mypy knows no method of that name to replace
for _name in NO_PICKLE:
    setattr(getattr(_core, _name), "__reduce__", refuse_pickle)  # noqa: B010
