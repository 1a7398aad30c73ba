# SPDX-License-Identifier: BSD-2-Clause
"""Numbers and options that make no sense are refused, and the exception names the argument."""

from __future__ import annotations

import inspect
import unittest
from collections.abc import Callable
from typing import Any

import numpy as np
from support import jounce  # type: ignore[attr-defined]

BAD: list[Any] = [float("nan"), float("-inf"), -1, -1.5, "nonsense", [], {}, object()]

# Options of which only zero or not matters, so that any integer will do.
FLAGS = set(
    "coupled degrees force_of_time gravity_compensation ignore_limits ignore_loops ignore_mimic lenient losses moving_ends "
    "nearest skip_bad smooth_ends strict transmissions uniform unwrap".split()
)
# Bad values that are fine all the same.
ALLOWED: dict[tuple[str, str], list[Any]] = {
    ("rollout_forward", "t"): [-1, -1.5],  # a time, which may be negative
    ("rollout_adjoint", "t"): [-1, -1.5],
    ("simulator", "tau"): [{}],  # a dictionary of forces by joint; the others are zero
    ("tasks", "posture"): [{}],
    ("simulator", "watch"): [[]],  # nothing to watch
    ("identification", "links"): [[], {}],  # all of them
    ("load", "joint_order"): [[], {}],  # as in the file
}


MODEL = jounce.load("builtin:panda")
Q = MODEL.configuration(panda_joint4=-1.9)
TASK: list[dict[str, Any]] = [{"type": "pose", "frame": "panda_flange"}]


class Case:
    """A function, and how to call it with one more keyword."""

    def __init__(self, name: str, call: Callable[..., Any], signature: Any) -> None:
        self.name, self.call = name, call
        self.keywords = [p.name for p in inspect.signature(signature).parameters.values()
                         if p.kind == p.KEYWORD_ONLY and p.name not in ("out", "want")]  # fmt: skip


def cases() -> list[Case]:
    model, q, zero, tau = MODEL, Q, np.zeros(7), np.zeros((2, 7))
    t, samples = np.linspace(0, 1, 20), np.tile(q, (20, 1))
    motion = model.trajectory("builtin:demo")
    core = jounce._core
    rk4 = model.simulator(integrator="rk4", step=0.01, derivatives=1)
    springs = {name: {"stiffness": 9000, "rotor_inertia": 0.3} for name in model.moving_joints}

    def cost(k: int, q: Any, v: Any) -> tuple[float, np.ndarray]:
        return 0.0, np.zeros(14)

    return [
        Case("simulator", model.simulator, core.Model.simulator),
        Case("motions_run", lambda **x: model.motions_run(q, zero, tau, **{"step": 0.01, **x}), core.Model.motions_run),
        Case("rollout_forward", lambda **x: rk4.rollout_forward(q, None, tau, **{"step": 0.01, **x}),
             core.Simulator.rollout_forward),
        Case("rollout_adjoint", lambda **x: rk4.rollout_adjoint(cost, q, None, tau, **{"step": 0.01, **x}),
             core.Simulator.rollout_adjoint),
        Case("trajectory_from_samples", lambda **x: model.trajectory_from_samples(t, samples, **{"smoothing": "tolerance", **x}),
             core.Model.trajectory_from_samples),
        Case("tasks", lambda **x: model.tasks(TASK, **x), core.Model._tasks),
        Case("retime", lambda **x: model.retime(motion, **x), core.Model._retime),
        Case("base_parameters", model.base_parameters, core.Model.base_parameters),
        Case("identification", model.identification, core.Model.identification),
        Case("loops_with", model.loops_with, core.Model._loops),
        Case("elastic", lambda **x: model.elastic(springs, **x), core.Model._elastic_load_text),
        Case("function", model.function, core.Model.function),
        Case("load", lambda **x: jounce.load("builtin:panda", **x), core._load),
    ]  # fmt: skip


class Refusals(unittest.TestCase):
    def test_options_that_make_no_sense_are_named(self) -> None:
        """Every keyword of every function with options, with every bad value: an exception that names it."""
        silent, nameless = [], []
        for case in cases():
            self.assertTrue(case.keywords, case.name)
            for keyword in case.keywords:
                fine = [-1] if keyword in FLAGS else ALLOWED.get((case.name, keyword), [])
                for bad in BAD:
                    if bad in fine:
                        continue
                    label = f"{case.name}({keyword}={bad!r})"
                    try:
                        case.call(**{keyword: bad})
                    except (ValueError, TypeError, jounce.Error) as error:
                        if isinstance(error, jounce.UnsupportedError):  # a build without LAPACK
                            continue
                        words = [keyword, *(part.removesuffix("s") for part in keyword.split("_"))]
                        if not any(word in str(error) for word in [*words, bad if isinstance(bad, str) else keyword]):
                            nameless.append(f"{label}: {type(error).__name__}: {error}")
                    else:
                        silent.append(label)
        self.assertEqual(silent, [], "accepted without a word")
        self.assertEqual(nameless, [], "the message does not name the argument")

    def test_whole_numbers_that_are_too_large(self) -> None:
        for call in (lambda: MODEL.simulator(order=2**70), lambda: MODEL.tasks(TASK, iterations=2**40),
                     lambda: MODEL.tasks([{**TASK[0], "priority": 2**40}]),
                     lambda: MODEL.base_parameters(states=2**70)):  # fmt: skip
            with self.assertRaisesRegex((OverflowError, TypeError, ValueError), "order|iterations|priority|states"):
                call()

    def test_times_of_a_simulation(self) -> None:
        """A simulation does not go back, and its state is finite."""
        simulator = MODEL.simulator(integrator="rk4", step=0.01)
        for until in (float("nan"), float("inf"), -0.5):
            for call in (simulator.run, simulator.step):
                with self.assertRaisesRegex(jounce.ArgumentError, "until is (nan|inf|-0.5)"):
                    call(until)
        with self.assertRaisesRegex(jounce.ArgumentError, "t is nan"):
            simulator.set(float("nan"), Q)
        with self.assertRaisesRegex(jounce.ArgumentError, "q contains NaN"):
            simulator.set(0.0, Q * float("nan"))
        with self.assertRaisesRegex(jounce.ArgumentError, "v has numbers that are not finite|v is inf"):
            simulator.set(0.0, Q, np.full(7, float("inf")))
        simulator.run(0.0)  # it is there already
        self.assertEqual(simulator.get().t, 0.0)

    def test_nan_of_watches(self) -> None:
        """A watch without a sign, at the start or later, ends the step: the state is that before it."""
        for watch in (lambda t, q, v: float("nan"), lambda t, q, v: 1.0 if t < 0.025 else np.float64("nan")):
            simulator = MODEL.simulator(integrator="rk4", step=0.01, watch=[lambda t, q, v: 1.0, watch])
            with self.assertRaisesRegex(ValueError, r"watch\[1\] gave nan at t = 0\.0"):
                simulator.run(0.1)
            self.assertLess(simulator.get().t, 0.025)
            self.assertEqual(simulator.happened()[0], "nothing")

    def test_breaks_that_are_no_times_to_come(self) -> None:
        inf = float("inf")
        for given in (float("nan"), -inf, -1.0, 0.0):
            simulator = MODEL.simulator(integrator="rk4", step=0.01, next_break=lambda t, given=given: given)
            for call in (simulator.run, simulator.step):
                with self.assertRaisesRegex(
                    ValueError, rf"next_break\(0\.0\) gave {given}, expected a time after 0\.0"
                ):
                    call(0.1)
            self.assertEqual(simulator.get().t, 0.0)
        simulator = MODEL.simulator(integrator="rk4", step=0.01, next_break=lambda t: 0.055)
        with self.assertRaisesRegex(ValueError, r"next_break\(0\.055\) gave 0\.055"):  # it has been there
            simulator.run(0.1)
        self.assertEqual(simulator.get().t, 0.055)
        MODEL.simulator(integrator="rk4", step=0.01, next_break=lambda t: inf).run(0.1)

    def test_masks_are_zeros_and_ones(self) -> None:
        """Numbers of coordinates are no mask."""
        one = jounce.Builder("slider").add_link("block", joint="prismatic", axis=[1, 0, 0], mass=2).build()
        for bad, text in (([2], r"prescribed\[0\] is 2"), ([-1], r"prescribed\[0\] is -1"), (2, "prescribed is 2")):
            with self.assertRaisesRegex(ValueError, text + ", expected one 0 or 1"):
                one.simulator(prescribed=bad)
        with self.assertRaisesRegex(ValueError, r"hybrid_dynamics\(\): prescribed\[1\] is 3"):
            MODEL.hybrid_dynamics([1, 3, 0, 0, 0, 0, 0], Q)
        for good in ([1], [True], np.array([0], np.uint8), [one.moving_joints[0]]):
            one.simulator(prescribed=good)

    def test_force_order(self) -> None:
        for force in ({}, {"force": lambda t, q, v: 0 * v}):
            with self.assertRaisesRegex(jounce.ArgumentError, "force_order is -1"):
                MODEL.simulator(integrator="rk4", step=0.01, force_order=-1, **force)

    def test_samples(self) -> None:
        t, q = np.linspace(0, 1, 20), np.tile(Q, (20, 1))
        hole = q.copy()
        hole[3, 2] = float("nan")
        for samples, text in (((t, hole), "panda_joint3: row 4 is nan"), ((t * float("nan"), q), "t: row 1 is nan"),
                              ((t[:0], q[:0]), "no samples"), ((-t, q), "row 2")):  # fmt: skip
            with self.assertRaisesRegex(jounce.Error, text):
                MODEL.trajectory_from_samples(*samples)
        for name in ("tolerance", "bandwidth"):
            with self.assertRaisesRegex(jounce.ArgumentError, f"{name} is -1"):
                MODEL.trajectory_from_samples(t, q, smoothing="tolerance", **{name: -1})

    def test_numbers_in_dictionaries(self) -> None:
        """Where in a dictionary the number is."""
        nan = float("nan")
        with self.assertRaisesRegex(jounce.ModelError, r"\['panda_joint1'\]\['stiffness'\] is nan"):
            MODEL.elastic({"panda_joint1": {"stiffness": nan}})
        with self.assertRaisesRegex(jounce.ModelError, r"\['arm'\]\['inertia'\]\['com'\]\[2\] is inf"):
            jounce.Builder().add_link("arm", mass=1, com=np.array([0, 0, float("inf")])).build()
        with self.assertRaisesRegex(jounce.ArgumentError, r"task\[0\]\['weight'\] is -1"):
            MODEL.tasks([{**TASK[0], "weight": -1.0}])

    def test_nan_is_not_the_start(self) -> None:
        """A motion at the time NaN is NaN, with any timing."""
        motion = MODEL.trajectory("builtin:demo")
        for path in (motion, MODEL.retime(motion, uniform=True).retimed):
            self.assertTrue(np.isnan(path.evaluate(float("nan"))[0]).all())


if __name__ == "__main__":
    unittest.main()
