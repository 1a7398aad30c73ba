# SPDX-License-Identifier: BSD-2-Clause
"""simulate(): motions as arrays."""

from __future__ import annotations

import unittest

import numpy as np
from support import SEED, four_bar

import jounce


def slider() -> jounce.Model:
    return jounce.Builder("slider").add_link("block", joint="prismatic", axis=[1, 0, 0], mass=2).build()


def pendulum() -> jounce.Model:
    return jounce.Builder("p").add_link("bob", joint="revolute", axis=[0, 1, 0], mass=1, com=[0, 0, -1]).build()


class Simulate(unittest.TestCase):
    def test_rows(self) -> None:
        """Times are those asked for, the first row is the start, and every row satisfies M a + h = tau."""
        print("seed", SEED)
        panda = jounce.load("builtin:panda")
        q, v = panda.random(seed=SEED), np.full(7, 0.2)
        tau = np.linspace(-1, 1, 7)
        motion = jounce.simulate(panda, q, v, duration=0.25, step=0.1, tau=tau)
        np.testing.assert_allclose(motion.t, [0, 0.1, 0.2, 0.25], atol=1e-15)
        np.testing.assert_array_equal(motion.q[0], q)
        np.testing.assert_array_equal(motion.v[0], v)
        np.testing.assert_allclose(panda.inverse_dynamics(motion.q, motion.v, motion.a), motion.tau, atol=1e-10)
        np.testing.assert_allclose(motion.tau, np.tile(tau, (4, 1)))
        self.assertIsNone(motion.event)
        self.assertLess(abs(motion.report.drift), 1e-8)
        whole = jounce.simulate(panda, q, v, times=[1.0, 1.25], tau=tau)
        np.testing.assert_allclose(whole.q[-1], motion.q[-1], atol=1e-9)
        self.assertEqual(whole.t[0], 1.0)
        self.assertEqual(len(jounce.simulate("builtin:panda", duration=0.1).t), 101)

    def test_forces_are_held(self) -> None:
        """A block under forces that change at every row: exact, with each method, for a row each time or interval."""
        rng = np.random.default_rng(SEED)
        times = np.cumsum(rng.uniform(0.1, 0.3, 6))
        tau = rng.uniform(-5, 5, (6, 1))
        x, speed = [0.3], [0.1]
        for dt, force in zip(np.diff(times), tau[:, 0]):
            x.append(x[-1] + speed[-1] * dt + force / 4 * dt**2)
            speed.append(speed[-1] + force / 2 * dt)
        for options in ({}, {"integrator": "dopri5"}, {"integrator": "rodas"}, {"integrator": "rk4", "step": 0.01}):
            for rows in (tau, tau[:-1]):
                motion = jounce.simulate(slider(), [0.3], [0.1], times=times, tau=rows, **options)  # type: ignore[arg-type]
                np.testing.assert_allclose(motion.q[:, 0], x, atol=1e-12, err_msg=str(options))
                np.testing.assert_allclose(motion.v[:, 0], speed, atol=1e-12, err_msg=str(options))
                np.testing.assert_array_equal(motion.tau[:5], tau[:5])

    def test_functions(self) -> None:
        """A spring as a function of three or four arguments gives a sine."""
        model = slider()

        def series(t: float, q: np.ndarray, v_jet: np.ndarray, order: int) -> np.ndarray:
            return -8.0 * np.concatenate([[q], v_jet])[: order + 1]

        for tau in (lambda t, q, v: -8.0 * q, series):
            motion = jounce.simulate(model, [0.5], duration=2, step=0.25, tau=tau)
            np.testing.assert_allclose(motion.q[:, 0], 0.5 * np.cos(2 * motion.t), atol=1e-8)
            np.testing.assert_allclose(motion.tau[:, 0], -8 * motion.q[:, 0], atol=1e-12)

    def test_a_watch_ends_the_motion(self) -> None:
        motion = jounce.simulate(pendulum(), [1.0], duration=10, step=0.1, watch=lambda t, q, v: q[0])
        self.assertEqual(motion.event, 0)
        self.assertLess(abs(motion.q[-1, 0]), 1e-9)
        self.assertEqual(len(motion.t), 7)
        self.assertLess(motion.t[-1], 0.6)

    def test_limits_do_not_end_it(self) -> None:
        block = jounce.Builder("b").add_link("block", joint="prismatic", axis=[1, 0, 0], mass=1,
                                             limits={"lower": -1, "upper": 1}).build()  # fmt: skip
        motion = jounce.simulate(block, [0.0], [2.0], duration=2, step=0.5, limits="bounce", restitution=1.0)
        np.testing.assert_allclose(motion.q[:, 0], [0, 1, 0, -1, 0], atol=1e-9)

    def test_loops(self) -> None:
        loops = four_bar().loops
        q, _ = loops.assemble(0.0, np.array([0.4, 0.1, 0.3]), held=[1, 0, 0])
        motion = jounce.simulate(loops, q, duration=0.2, step=0.05)
        self.assertEqual(motion.q.shape, (5, 3))
        self.assertGreater(np.abs(motion.q[-1] - motion.q[0]).max(), 0.01)
        self.assertLess(loops.gaps(motion.q).max(), 1e-8)

    def test_refusals(self) -> None:
        model = slider()
        for given, message in (
            ({}, "give either duration, or times"),
            ({"duration": 1, "times": [0, 1]}, "give either duration, or times"),
            ({"duration": -1}, "duration is -1, expected a positive"),
            ({"duration": 1, "step": float("nan")}, "step is nan, expected a positive"),
            ({"times": [0, 1, 1]}, "each larger than the one before"),
            ({"times": [0, 1, 2], "tau": np.zeros((5, 1))}, r"tau has shape \(5, 1\), expected \(1,\), \(3, 1\) .* \(2, 1\)"),
            ({"duration": 1, "q": [[0.0], [1.0]]}, r"q has shape \(2, 1\), expected \(1,\); many motions"),
            ({"duration": 1, "tau": [1.0], "force": lambda t, q, v: v}, "tau takes the place of force"),
        ):  # fmt: skip
            with self.assertRaisesRegex((TypeError, ValueError), message):
                jounce.simulate(model, **given)  # type: ignore[arg-type]


if __name__ == "__main__":
    unittest.main()
