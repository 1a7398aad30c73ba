# SPDX-License-Identifier: BSD-2-Clause
"""Whole motions: rollouts and their derivatives, many motions at once, springs, retiming, paths of tasks."""

from __future__ import annotations

import gc
import unittest

import numpy as np
from support import SEED

import jounce

STEP = 0.01


def panda() -> jounce.Model:
    return jounce.load("builtin:panda")


class Rollouts(unittest.TestCase):
    def setUp(self) -> None:
        rng = np.random.default_rng(SEED)
        self.model = panda()
        self.q = self.model.random(seed=SEED)
        self.v = rng.normal(size=self.model.nv)
        self.tau = rng.normal(size=(6, self.model.nv))
        self.rng = rng

    def cost(self, k: int, q: np.ndarray, v: np.ndarray) -> tuple[float, np.ndarray]:
        """A joint space without spheres: coordinates are their own tangents."""
        return 0.5 * float(q @ q + k * v @ v), np.concatenate([q, k * v])

    def test_states_are_those_of_steps(self) -> None:
        simulator = self.model.simulator(integrator="rk4", step=STEP)
        rollout = simulator.rollout_forward(self.q, self.v, self.tau, step=STEP, t=1.0)
        self.assertIsNone(rollout.dx_ds)
        self.assertEqual(rollout.states.shape, (7, 14))
        for k, tau in enumerate(self.tau):
            one = self.model.simulator(integrator="rk4", step=STEP, tau=tau)
            one.set(0.0, rollout.states[k, :7], rollout.states[k, 7:])
            one.step(STEP)
            np.testing.assert_allclose(np.concatenate(one.get()[1:]), rollout.states[k + 1], atol=1e-13)
        self.assertAlmostEqual(simulator.get().t, 1.0 + 6 * STEP, places=12)

    def test_adjoint_is_the_transpose_of_forward(self) -> None:
        """df/ds along random directions of the start, the forces and the parameters."""
        simulator = self.model.simulator(integrator="rk4", step=STEP, derivatives=2)
        pi_count = 10 * self.model.link_count
        dx = self.rng.normal(size=(14, 2))
        dtau = self.rng.normal(size=(6, 7, 2))
        dpi = 1e-2 * self.rng.normal(size=(pi_count, 2))

        def last(k: int, q: np.ndarray, v: np.ndarray) -> tuple[float, np.ndarray]:
            return self.cost(k, q, v) if k == 6 else (0.0, np.zeros(14))

        want = ("cost", "df_dx", "df_dtau", "df_dpi")
        gradient = simulator.rollout_adjoint(last, self.q, self.v, self.tau, step=STEP, want=want)
        forward = simulator.rollout_forward(self.q, self.v, self.tau, step=STEP, dx_ds=dx, dtau_ds=dtau, dpi_ds=dpi)
        end = forward.states[-1]
        df = np.concatenate([end[:7], 6 * end[7:]]) @ forward.dx_ds
        expected = gradient.df_dx @ dx + np.einsum("kj,kjs->s", gradient.df_dtau, dtau) + gradient.df_dpi @ dpi
        np.testing.assert_allclose(df, expected, rtol=1e-9)
        self.assertAlmostEqual(gradient.cost, self.cost(6, end[:7], end[7:])[0], places=12)

    def test_checkpoints_change_nothing(self) -> None:
        simulator = self.model.simulator(integrator="rk4", step=STEP, derivatives=1)
        results = [
            simulator.rollout_adjoint(self.cost, self.q, self.v, self.tau, step=STEP, checkpoints=n) for n in (0, 2, 6)
        ]
        for result in results[1:]:
            np.testing.assert_array_equal(result.df_dtau, results[0].df_dtau)
            self.assertEqual(result.cost, results[0].cost)

    def test_what_is_wrong_is_named(self) -> None:
        simulator = self.model.simulator(integrator="rk4", step=STEP, derivatives=1)
        with self.assertRaisesRegex(TypeError, "needs the argument 'steps', or an array"):
            simulator.rollout_forward(self.q, step=STEP)
        with self.assertRaisesRegex(ValueError, r"tau has shape \(6, 7\), expected \(..., 5, 7\)"):
            simulator.rollout_forward(self.q, self.v, self.tau, steps=5, step=STEP)
        with self.assertRaisesRegex(ValueError, "steps is -3"):
            simulator.rollout_forward(self.q, steps=-3, step=STEP)
        with self.assertRaisesRegex(TypeError, "cost must be a function"):
            simulator.rollout_adjoint(3, self.q, self.v, self.tau, step=STEP)
        with self.assertRaisesRegex(TypeError, "two things"):
            simulator.rollout_adjoint(lambda k, q, v: 0.0, self.q, self.v, self.tau, step=STEP)
        with self.assertRaisesRegex(ValueError, r"a gradient of shape \(3,\), expected \(14,\)"):
            simulator.rollout_adjoint(lambda k, q, v: (0.0, np.zeros(3)), self.q, self.v, self.tau, step=STEP)
        with self.assertRaises(ZeroDivisionError):
            simulator.rollout_adjoint(lambda k, q, v: 1 / 0, self.q, self.v, self.tau, step=STEP)

    def test_many_motions(self) -> None:
        """The same bits whatever the number of threads, and what a simulator does one by one."""
        q = self.model.random((2, 3), seed=SEED)
        v = self.rng.normal(size=(3, 7))
        many = self.model.motions_run(q, v, self.tau, step=STEP, every=2, want="states")
        self.assertEqual((many.q.shape, many.v.shape, many.states.shape), ((2, 3, 7), (2, 3, 7), (2, 3, 4, 14)))
        np.testing.assert_array_equal(many.states[..., -1, :7], many.q)
        simulator = self.model.simulator(integrator="rk4", step=STEP)
        for i in range(2):
            for k in range(3):
                one = simulator.rollout_forward(q[i, k], v[k], self.tau, step=STEP).states
                np.testing.assert_allclose(many.states[i, k], one[::2], atol=1e-11)
        before = jounce.set_threads(2)
        again = self.model.motions_run(q, v, self.tau, step=STEP)
        jounce.set_threads(before)
        np.testing.assert_array_equal(again.q, many.q)
        self.assertIsNone(again.states)
        alone = self.model.motions_run(q[0, 0], v[0], np.zeros((1, 7)), step=STEP, steps=3)
        self.assertEqual(alone.q.shape, (7,))
        with self.assertRaisesRegex(TypeError, "needs the argument 'steps'"):
            self.model.motions_run(q, v, step=STEP)


class Springs(unittest.TestCase):
    def elastic(self, model: jounce.Model, **options: int) -> jounce.Elastic:
        return model.elastic(
            {name: {"stiffness": 9000, "rotor_inertia": 0.3} for name in model.moving_joints}, **options
        )

    def test_motor_torques_give_the_motion(self) -> None:
        """The elastic robot under the torques of inverse() accelerates as the motion says."""
        model = panda()
        elastic = self.elastic(model, order=1)
        rng = np.random.default_rng(SEED)
        q = model.random(seed=SEED)
        v_jet = rng.normal(size=(elastic.order(1) + 2, 7))
        motors = elastic.inverse(0.0, q, v_jet, model.inverse_dynamics_jet(q, v_jet))
        self.assertEqual(motors.motor_jet.shape, (2, 7))
        q_all, v_all = elastic.join(q, v_jet[0], motors.theta_jet[0], motors.theta_jet[1])
        a = elastic.dynamics(0.0, q_all, v_all, motors.motor_jet[0]).a
        links = [elastic.link_coordinate(i) for i in range(7)]
        rotors = [elastic.motor_coordinate(i) for i in range(7)]
        np.testing.assert_allclose(a[links], v_jet[1], atol=1e-8)
        np.testing.assert_allclose(a[rotors], motors.theta_jet[2], atol=1e-8)
        # the same through the dynamics of the full model, with the forces of the springs
        full = elastic.full_model
        tau = elastic.forces(0.0, q_all, v_all[None], motors.motor_jet[:1])[0]
        np.testing.assert_allclose(full.forward_dynamics(q_all, v_all, tau), a, atol=1e-8)
        back = elastic.split(q_all, v_all)
        np.testing.assert_array_equal(back.theta, motors.theta_jet[0])

    def test_one_object_keeps_the_other(self) -> None:
        full = self.elastic(panda()).full_model
        gc.collect()
        self.assertEqual(full.nv, 14)
        self.assertEqual(full.mass_matrix(full.neutral()).shape, (14, 14))

    def test_actuators(self) -> None:
        model = panda()
        table = {"deflection": [-0.1, 0, 0.1], "torque": np.array([-900, 0, 1000.0])}
        elastic = model.elastic({"panda_joint2": {"stiffness": table, "rotor_inertia": 0.2}})
        self.assertEqual([elastic.is_elastic(i) for i in range(3)], [0, 1, 0])
        np.testing.assert_array_equal(elastic.actuator(1).table_torque, [-900, 0, 1000])
        self.assertIsNone(elastic.actuator(1).polynomial)
        self.assertIsNone(elastic.actuator(99))
        self.assertIsNone(model.coordinate_dof(99))
        with self.assertRaisesRegex(jounce.Error, "panda_joint99"):
            model.elastic({"panda_joint99": {"stiffness": 1}})
        with self.assertRaisesRegex(ValueError, "v_jet has 2 rows"):
            elastic.inverse(0.0, model.neutral(), np.zeros((2, 7)), np.zeros((1, 7)))


class Retiming(unittest.TestCase):
    def test_limits_are_kept_and_reached(self) -> None:
        model = panda()
        retimed, event = model.retime(model.trajectory("builtin:demo"), intervals=60, samples=300)
        gc.collect()  # the trajectory lives on
        self.assertGreater(retimed.event_count, 0)
        t = np.linspace(0, retimed.duration, 400)
        q, v_jet = retimed.evaluate(t)
        ranges = model.limit_ranges()
        self.assertEqual(ranges.shape, (7, 10, 2))
        np.testing.assert_array_equal(ranges[:, 1, 1], model.limits.velocity)
        self.assertLess((np.abs(v_jet[:, 0]) / model.limits.velocity).max(), 1.001)
        tau = model.inverse_dynamics(q, v_jet[:, 0], v_jet[:, 1])
        self.assertLess((np.abs(tau) / model.limits.effort).max(), 1.001)
        self.assertIsInstance(event.which, str)

    def test_what_is_not_possible(self) -> None:
        model = panda()
        ranges = model.limit_ranges()
        ranges[1, 4] = [-0.1, 0.1]  # joint 2 cannot carry its weight
        retimed, event = model.retime(model.trajectory("builtin:demo"), ranges, samples=100)
        self.assertIsNone(retimed)
        self.assertEqual((event.v, event.which), (1, "effort"))

    def test_motors(self) -> None:
        model = panda()
        springs = {name: {"stiffness": 9000, "rotor_inertia": 0.3, "velocity": 1.0} for name in model.moving_joints}
        elastic = model.elastic(springs)
        self.assertEqual(model.limit_ranges(elastic)[0, 8].tolist(), [-1, 1])
        retimed, event = model.retime(model.trajectory("builtin:demo"), elastic=elastic, uniform=True, samples=100)
        self.assertEqual(event.which, "motor_velocity")
        self.assertGreater(retimed.duration, 0)


class Paths(unittest.TestCase):
    def test_follow(self) -> None:
        """The flange goes along a line, and the configuration with it, without a jump."""
        model = panda()
        tasks = model.tasks([{"type": "position", "frame": "panda_link7"}], order=4)
        q = model.configuration(panda_joint2=-0.3, panda_joint4=-1.9, panda_joint6=1.8)
        start, rate = tasks.values(q), np.array([0.05, 0.0, 0.02])

        def line(t: float, order: int) -> tuple[np.ndarray, np.ndarray]:
            return start + rate * t, np.vstack([rate, np.zeros((order, 3))])

        found = tasks.follow(line, 0.0, 1.0, q)
        self.assertEqual((found.time, found.reach.outcome), (1.0, "reached"))
        np.testing.assert_allclose(tasks.values(found.q), start + rate, atol=1e-10)
        back = tasks.follow(line, 1.0, 0.0, found.q)
        np.testing.assert_allclose(back.q, q, atol=1e-7)
        far = tasks.follow(lambda t, order: (start + 100 * rate * t, line(t, order)[1] * 100), 0.0, 1.0, q)
        self.assertLess(far.time, 1.0)
        self.assertIn(far.reach.outcome, ("short", "singular", "limits"))
        with self.assertRaisesRegex(ValueError, r"path\(\) gave rates of shape \(3,\)"):
            tasks.follow(lambda t, order: (start, rate), 0.0, 1.0, q)


if __name__ == "__main__":
    unittest.main()
