# SPDX-License-Identifier: BSD-2-Clause
"""Every class has a short description, and pickles or says why it cannot; random configurations, and poses as targets."""

from __future__ import annotations

import copy
import functools
import inspect
import pickle
import tempfile
import unittest
from pathlib import Path
from typing import Any

import numpy as np
from support import SEED, four_bar

import jounce
from jounce import _core

REFUSED = {"Simulator", "Identification", "Retimed"}


@functools.cache
def objects() -> dict[str, Any]:
    """One object of every class that has state, by the name of the class."""
    panda = jounce.load("builtin:panda")
    springs = {name: {"stiffness": 9000, "rotor_inertia": 0.3} for name in panda.moving_joints}
    demo = panda.trajectory("builtin:demo")
    made: dict[str, Any] = {
        "Model": panda,
        "Loops": four_bar().loops,
        "Trajectory": demo,
        "Simulator": panda.simulator(),
        "Tasks": panda.tasks([{"type": "pose", "frame": "panda_flange"}]),
        "Retimed": panda.retime(demo).retimed,
        "Function": panda.function("momentum"),
        "Identification": panda.identification(),
        "Elastic": panda.elastic(springs),
        "Builder": jounce.Builder(panda),
        "Joint": panda.joint(0),
        "Limits": panda.limits,
        "Simulation": jounce.simulate(panda, duration=0.1, step=0.05),
    }
    try:
        made["BaseParameters"] = panda.base_parameters()
    except jounce.UnsupportedError:  # a build without LAPACK
        pass
    return made


def numbers(name: str, made: Any) -> Any:
    """Results that show whether a copy is the same."""
    q = np.linspace(-0.4, 0.5, 7)
    if name == "Model":
        return made.mass_matrix(q)
    if name == "Loops":
        return made.gaps(np.array([0.4, 0.1, 0.3]))
    if name == "Trajectory":
        return made.evaluate(0.7, order=2).v_jet
    if name == "Tasks":
        return made.solve(made.values(q), q + 0.1).q
    if name == "Function":
        return made.value(np.linspace(-1, 1, made.n))
    if name == "Elastic":
        return made.full_model.mass_matrix(np.zeros(made.full_model.nq))
    if name == "BaseParameters":
        return made.matrix
    if name == "Builder":
        return made.build().parameters()
    return np.concatenate([np.ravel(part) for part in made if isinstance(part, np.ndarray)] or [[made.number]])


class Copies(unittest.TestCase):
    def test_the_list_is_complete(self) -> None:
        """Every class of the package that is not an exception is tried below."""
        classes = {name for name, value in {**vars(_core), **vars(jounce)}.items()
                   if inspect.isclass(value) and not issubclass(value, BaseException)}  # fmt: skip
        self.assertEqual(classes - {"BaseParameters"}, set(objects()) - {"BaseParameters"})

    def test_descriptions(self) -> None:
        """A description names the class and, for objects of a model, the model; it holds no address."""
        for name, made in objects().items():
            text = repr(made)
            self.assertRegex(text, rf"^(<jounce\.)?{name}\b", name)
            self.assertNotIn(" at 0x", text)
            if text.startswith("<"):
                self.assertIn(
                    f"'{getattr(made, 'model', four_bar() if name == 'Loops' else objects()['Model']).name}'", text
                )

    def test_descriptions_of_busy_objects(self) -> None:
        """repr() in a function of a simulator does not wait for itself."""
        panda, seen, held = jounce.load("builtin:panda"), [], []

        def force(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
            seen.append(repr(held[0]))
            return np.zeros(7)

        held.append(panda.simulator(integrator="rk4", step=0.01, force=force))
        held[0].run(0.01)
        self.assertEqual(set(seen), {"<jounce.Simulator of 'panda': in use>"})

    def test_pickles(self) -> None:
        """A copy computes the same bits; what cannot be copied says why and what to do."""
        for name, made in objects().items():
            if name in REFUSED:
                for action in (pickle.dumps, copy.copy, copy.deepcopy):
                    with self.assertRaisesRegex(
                        TypeError, rf"{name}: this object cannot be pickled: it holds .*; pickle"
                    ):
                        action(made)
                continue
            again = pickle.loads(pickle.dumps(made))
            self.assertIs(type(again), type(made))
            self.assertEqual(repr(again), repr(made))
            np.testing.assert_array_equal(numbers(name, again), numbers(name, made), name)

    def test_options_are_kept(self) -> None:
        """Options come along; an array that changes later, or a file that is gone, changes nothing."""
        panda = jounce.load("builtin:panda")
        posture = np.full(7, 0.2)
        tasks = panda.tasks([{"type": "position", "frame": "panda_flange"}], posture=posture, seed=3)
        target, start = tasks.values(np.full(7, -0.3)), np.zeros(7)
        expected = tasks.solve(target, start).q
        posture[:] = 9
        again = pickle.loads(pickle.dumps(tasks))
        np.testing.assert_array_equal(again.solve(target, start).q, expected)
        self.assertEqual(
            panda.function("step", step=0.01).n, pickle.loads(pickle.dumps(panda.function("step", step=0.01))).n
        )
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "motors.json"
            path.write_text('{"joints": {"panda_joint1": {"stiffness": 9000, "rotor_inertia": 0.3}}}')
            elastic = panda.elastic(path)
        self.assertEqual(pickle.loads(pickle.dumps(elastic)).is_elastic(0), 1)
        self.assertEqual(repr(elastic), "<jounce.Elastic of 'panda': 1 springs, nv 7>")


class Random(unittest.TestCase):
    def test_seeds(self) -> None:
        """Equal seeds agree; without one every call, and every state of a call, differs."""
        panda = jounce.load("builtin:panda")
        np.testing.assert_array_equal(panda.random(4, seed=SEED), panda.random(4, seed=SEED))
        first, second = panda.random(4), panda.random(4, seed=None)
        self.assertEqual(len(np.unique(np.concatenate([first, second]), axis=0)), 8)
        self.assertTrue(np.all((first >= panda.limits.lower) & (first <= panda.limits.upper)))
        with self.assertRaisesRegex(TypeError, "seed is 'x', expected an integer or None"):
            panda.random(seed="x")  # type: ignore[arg-type]


class Poses(unittest.TestCase):
    def test_matrices_as_targets(self) -> None:
        """Matrices give what their numbers give, alone, in batches and for several poses."""
        panda = jounce.load("builtin:panda")
        start = panda.configuration(panda_joint2=-0.6, panda_joint4=-2.2, panda_joint6=1.6)
        near = start + np.linspace(-0.1, 0.1, 6).reshape(2, 3, 1)
        one = panda.tasks([{"type": "pose", "frame": "panda_flange"}])
        pose = panda.frame_pose("panda_flange", near)
        self.assertEqual(pose.shape, (2, 3, 4, 4))
        flat = pose.reshape(2, 3, 16)
        np.testing.assert_array_equal(one.solve(pose, start).q, one.solve(flat, start).q)
        np.testing.assert_array_equal(one.solve(pose[0, 0].tolist(), start).q, one.solve(flat[0, 0], start).q)
        np.testing.assert_array_equal(one.error(start, pose), one.error(start, flat))
        rates = np.ones((1, 6))
        np.testing.assert_array_equal(one.motion_jet(start, rates, target=pose[0, 0]).v_jet,
                                      one.motion_jet(start, rates, target=flat[0, 0]).v_jet)  # fmt: skip

        two = panda.tasks([{"frame": "panda_flange"}, {"type": "pose", "frame": "panda_link4"}])
        poses = np.stack([pose, panda.frame_pose("panda_link4", near)], axis=-3)
        np.testing.assert_array_equal(two.error(start, poses), two.error(start, poses.reshape(2, 3, 32)))
        self.assertLess(np.abs(two.error(near, poses)).max(), 1e-12)

    def test_other_targets_stay_as_they_are(self) -> None:
        """Only poses are matrices; a wrong shape is refused as before."""
        panda = jounce.load("builtin:panda")
        start = panda.neutral()
        point = panda.tasks([{"type": "position", "frame": "panda_flange"}])
        for tasks, size in ((point, 3), (panda.tasks([{"frame": "panda_flange"}]), 16)):
            with self.assertRaisesRegex(ValueError, rf"solve\(\): target has shape .*, expected \(\.\.\., {size}\)"):
                tasks.solve(np.eye(4) if size == 3 else np.eye(3), start)


if __name__ == "__main__":
    unittest.main()
