# SPDX-License-Identifier: BSD-2-Clause
"""simulate(): a motion as arrays, in one call."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core, _results
from ._model import Model, model_of

FIXED_STEPS = ("rk4", "euler")
DEFAULT_ROWS = 101
ANY_ORDER = 1000  # derivatives of a force that is known to all orders


class Simulation(NamedTuple):
    """A simulated motion: one row for each time. event: the watch that ended it, or None."""

    t: NDArray[np.float64]
    q: NDArray[np.float64]
    v: NDArray[np.float64]
    a: NDArray[np.float64]
    tau: NDArray[np.float64]
    event: int | None
    report: _results.SimulationReport


class _Held:
    """Forces that are constant between two times; `row` is the present one."""

    def __init__(self, rows: NDArray[np.float64]) -> None:
        self.rows, self.row = rows, rows[0]

    def use(self, k: int) -> None:
        self.row = self.rows[min(k, len(self.rows) - 1)]

    def __call__(self, t: float, q: Any, v_jet: Any, order: int) -> NDArray[np.float64]:
        jet = np.zeros((order + 1, len(self.row)))
        jet[0] = self.row
        return jet


def _times(duration: float | None, step: float | None, times: ArrayLike | None) -> NDArray[np.float64]:
    """The times of the rows; the motion starts at the first one."""
    if (duration is None) == (times is None):
        raise TypeError("simulate(): give either duration, or times")

    if times is not None:
        chosen = np.array(times, np.float64)
        if chosen.ndim != 1 or len(chosen) < 2 or not np.isfinite(chosen).all() or not (np.diff(chosen) > 0).all():
            raise ValueError("simulate(): times must be at least two finite numbers, each larger than the one before")
        return chosen

    end = float(duration)  # type: ignore[arg-type]
    if not (np.isfinite(end) and end > 0):
        raise ValueError(f"simulate(): duration is {duration!r}, expected a positive number of seconds")
    if step is None:
        return np.linspace(0, end, DEFAULT_ROWS)
    if not (np.isfinite(step) and step > 0):
        raise ValueError(f"simulate(): step is {step!r}, expected a positive number of seconds")

    # whole steps, and a shorter one at the end if the duration is not a multiple
    count = max(1, int(np.ceil(end / step - 1e-9)))
    return np.append(step * np.arange(count), end)


def _break_after(times: NDArray[np.float64], given: Callable[[float], float] | None) -> Callable[[float], float]:
    """Forces jump at each of the times, besides those that the caller knows of."""

    def next_break(t: float) -> float:
        k = int(np.searchsorted(times, t, side="right"))
        jump = float(times[k]) if k < len(times) else float("inf")
        return jump if given is None else min(jump, given(t))

    return next_break


def _forces(tau: Any, model: Model, times: NDArray[np.float64], options: dict[str, Any]) -> _Held | None:
    """Puts forces into the options of the simulator: a function, one row, or a row for each time."""
    if tau is None:
        return None
    for name in ("force", "force_order"):
        if name in options:
            raise TypeError(f"simulate(): tau takes the place of {name}; give only one of them")

    if callable(tau):
        with_order = len(inspect.signature(tau).parameters) > 3
        options["force"] = tau
        if with_order:
            options["force_order"] = ANY_ORDER
        else:  # without derivatives of the force there is no Taylor series
            options.setdefault("integrator", "dopri5")
        return None

    rows, count = np.asarray(model.velocity(tau), np.float64), len(times)
    if rows.shape == (model.nv,):
        options["tau"] = rows
        return None
    if rows.shape not in ((count, model.nv), (count - 1, model.nv)):
        raise ValueError(
            f"simulate(): tau has shape {rows.shape}, expected ({model.nv},), ({count}, {model.nv}) with a row for each "
            f"time, or ({count - 1}, {model.nv}) with one for each interval"
        )
    held = _Held(rows)
    options.update(force=held, force_order=ANY_ORDER, next_break=_break_after(times, options.get("next_break")))
    return held


def simulate(
    model: Model | _core.Loops | str | os.PathLike[str],
    q: Any = None,
    v: Any = None,
    *,
    duration: float | None = None,
    step: float | None = None,
    times: ArrayLike | None = None,
    tau: ArrayLike | Callable[..., Any] | None = None,
    **options: Any,
) -> Simulation:
    """Moves a robot from q, v (neutral, at rest) and returns t, q, v, a and tau with one row for each time.

    duration with step: rows at 0, step, 2 step, ..., duration; without step: 101 rows. times: the rows' own times; the
    state is that of the first. step is also the step of the integrators rk4 and euler; the others choose theirs.
    tau: constant forces [nv]; rows [times, nv] or [times - 1, nv], each held until the next time; or a function
    tau(t, q, v) -> [nv], or tau(t, q, v_jet, order) -> [order + 1, nv]. Other options are those of Model.simulator():
    tolerance, losses, limits, wrench, ... A watch that passes zero ends the motion; the last row is then that moment.
    With loops: simulate(model.loops, ...). Many motions at once: Model.motions_run().
    """
    system = model if isinstance(model, _core.Loops) else model_of(model, "simulate")
    robot: Any = system.model if isinstance(system, _core.Loops) else system
    chosen = _times(duration, step, times)
    start = robot.neutral() if q is None else np.asarray(robot.configuration(q), np.float64)
    speed = np.zeros(robot.nv) if v is None else np.asarray(robot.velocity(v), np.float64)
    for name, value, size in (("q", start, robot.nq), ("v", speed, robot.nv)):
        if value.shape != (size,):
            raise ValueError(f"simulate(): {name} has shape {value.shape}, expected ({size},); "
                             "many motions at once: Model.motions_run()")  # fmt: skip

    held = _forces(tau, robot, chosen, options)
    if isinstance(system, _core.Loops):  # whose jets may be too short for Taylor series
        options.setdefault("integrator", "dopri5")
    if step is not None and options.get("integrator") in FIXED_STEPS:
        options["step"] = step
    simulator = system.simulator(**options)
    simulator.set(chosen[0], start, speed)
    return _run(simulator, chosen, held)


def _run(simulator: _core.Simulator, times: NDArray[np.float64], held: _Held | None) -> Simulation:
    """Stops at every time and notes the state; events of limits are passed, a watch is the end."""
    rows: list[tuple[Any, ...]] = []
    event = None

    def note(k: int) -> None:
        if held is not None:
            held.use(k)
        t, q, v = simulator.get()
        tau, a = simulator.forces(t, q, v)
        rows.append((t, q, v, a, tau))

    note(0)
    for k, until in enumerate(times[1:], 1):
        while event is None and simulator.get(want="t").t < until:
            simulator.run(until)
            happened = simulator.happened()
            if happened.result == "watch":
                event = happened.index
        note(k if event is None else k - 1)
        if event is not None:
            break

    t, q, v, a, tau = (np.array(column) for column in zip(*rows))
    return Simulation(t, q, v, a, tau, event, simulator.report())
