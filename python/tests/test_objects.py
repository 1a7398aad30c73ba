# SPDX-License-Identifier: BSD-2-Clause
"""Loops, trajectories, simulation, base parameters and sensitivities."""

from __future__ import annotations

import gc
import pickle
import tempfile
import unittest
from pathlib import Path

import numpy as np
from support import SEED, four_bar, random_model, random_state

import jounce


class Loops(unittest.TestCase):
    def test_four_bar(self) -> None:
        """A planar loop has one degree of freedom; torques of inverse dynamics give back the motion."""
        model = four_bar()
        loops = model.loops
        q, residual = loops.assemble(0.0, np.array([0.4, 0.1, 0.3]), held=[1, 0, 0])
        self.assertLess(residual, 1e-11)
        self.assertLess(loops.gaps(q).max(), 1e-11)
        self.assertEqual(model.nv - loops.rank(q), 1)
        v = loops.project(q, np.array([1.0, 0, 0]), held=[1, 0, 0])
        a = loops.forward_dynamics_jet(q, v, np.zeros((1, 3))).v_jet
        self.assertEqual(a.shape, (2, 3))
        tau = loops.inverse_dynamics_jet(np.array([1, 0, 0]), q, a).tau_jet
        np.testing.assert_allclose(tau, 0, atol=1e-9)
        health = loops.health_at(q).health
        self.assertEqual(health.rank, 2)
        self.assertGreater(health.rounding(), 0)
        self.assertIs(loops.model, model)

    def test_loops_refuse_open_motions(self) -> None:
        model = four_bar()
        with self.assertRaises(jounce.LoopError):
            model.loops.inverse_dynamics_jet([1, 0, 0], np.array([0.4, 2.0, 0.3]), np.zeros((2, 3)))

    def test_objects_outlive_their_model(self) -> None:
        loops = four_bar().loops
        gc.collect()
        self.assertEqual(loops.gaps(np.zeros(3)).shape, (1,))


class Trajectories(unittest.TestCase):
    def test_samples(self) -> None:
        """A spline through samples of a sine has its derivatives."""
        model = jounce.load("builtin:panda")
        t = np.linspace(0, 2, 201)
        q = 0.3 * np.sin(t)[:, None] * np.ones(model.nq)
        path = model.trajectory_from_samples(t, q)
        self.assertEqual((path.start, path.end, path.samples), (0, 2, 201))
        at = np.array([0.5, 1.0, 1.5])
        q_at, v_jet = path.evaluate(at, order=1)
        self.assertEqual((q_at.shape, v_jet.shape), ((3, 7), (3, 3, 7)))
        np.testing.assert_allclose(q_at[:, 0], 0.3 * np.sin(at), atol=1e-6)
        np.testing.assert_allclose(v_jet[:, 0, 0], 0.3 * np.cos(at), atol=1e-4)
        tau = model.inverse_dynamics_jet(q_at, v_jet)
        self.assertEqual(tau.shape, (3, 2, 7))
        self.assertEqual(path.fit_of(0).sampled, 1)

    def test_text_and_demo(self) -> None:
        model = jounce.load("builtin:panda")
        rows = "\n".join(",".join([f"{k / 10}", *["0.1"] * 3, "-1", *["0.1"] * 3]) for k in range(20))
        head = "t," + ",".join(model.q_names)
        path = model.trajectory_from_text(f"{head}\n{rows}\n", "rows.csv")
        self.assertEqual(path.samples, 20)
        demo = model.trajectory("builtin:demo")
        self.assertGreater(demo.end, demo.start)
        with self.assertRaises(jounce.Error) as caught:
            model.trajectory_from_text("t,wrong\n0,1\n", "rows.csv")
        self.assertIn("rows.csv", str(caught.exception))

    def test_pickles(self) -> None:
        """A copy evaluates to the same bits, also when the file is gone; what cannot be kept is refused."""
        model = jounce.load("builtin:panda")
        t = np.linspace(0, 2, 51)
        q = 0.3 * np.sin(t)[:, None] * np.ones(model.nq)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "motion.csv"
            np.savetxt(path, np.column_stack([t, q]), delimiter=",", header="t," + ",".join(model.q_names), comments="")
            motions = [
                model.trajectory("builtin:demo"),
                model.trajectory(path, order=3),
                model.trajectory_from_text(path.read_bytes(), "text.csv"),
                model.trajectory_from_samples(t, q, smoothing="none"),
            ]
            stored = [pickle.dumps(motion) for motion in motions]
            path.write_text("t\n0\n")
            with self.assertRaisesRegex(pickle.PicklingError, "motion.csv has changed"):
                pickle.dumps(motions[1])
        for motion, text in zip(motions, stored):
            again = pickle.loads(text)
            self.assertEqual(again.model, model)
            for a, b in zip(again.evaluate(0.7, order=2), motion.evaluate(0.7, order=2)):
                np.testing.assert_array_equal(a, b)
        motions[3].set_forces(t, np.zeros((51, 7)))
        with self.assertRaisesRegex(pickle.PicklingError, "with forces"):
            pickle.dumps(motions[3])


class Simulations(unittest.TestCase):
    def pendulum(self) -> jounce.Model:
        return jounce.Builder("p").add_link("bob", joint="revolute", axis=[0, 1, 0], mass=1, com=[0, 0, -1]).build()

    def test_energy_is_kept(self) -> None:
        model = self.pendulum()
        simulator = model.simulator(tolerance=1e-12)
        simulator.set(0.0, np.array([1.0]), np.array([0.0]))
        simulator.run(3.0)
        t, q, v = simulator.get()
        self.assertEqual(t, 3.0)
        self.assertLess(abs(simulator.report().drift), 1e-10)
        kinetic, potential = model.energy(q, v)
        self.assertAlmostEqual(kinetic + potential, -9.81 * np.cos(1.0), places=9)

    def test_python_forces(self) -> None:
        """A spring in Python does what a spring of the model does."""
        model = self.pendulum().with_gravity([0, 0, 0])
        spring = model.simulator(integrator="dopri5", tolerance=1e-11, force=lambda t, q, v: -4.0 * q)
        spring.set(0.0, np.array([0.5]), np.array([0.0]))
        spring.run(1.0)
        np.testing.assert_allclose(spring.get().q, 0.5 * np.cos(2.0), atol=1e-8)

    def test_errors_of_python_forces_come_through(self) -> None:
        def fails(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
            raise KeyError("mine")

        simulator = self.pendulum().simulator(integrator="dopri5", force=fails)
        with self.assertRaisesRegex(KeyError, "mine"):
            simulator.run(1.0)
        wrong = self.pendulum().simulator(integrator="dopri5", force=lambda t, q, v: np.zeros(3))
        with self.assertRaisesRegex(ValueError, r"force\(\) .*shape \(3,\), expected \(1,\)"):
            wrong.run(1.0)

    def test_watches_end_a_step(self) -> None:
        """A pendulum that falls from the side passes its lowest point where the energy says, and again on its way back."""
        model = (
            jounce.Builder("pendulum").add_link("bob", joint="revolute", axis=[0, 1, 0], mass=1, com=[0, 0, -1]).build()
        )
        found = {}
        for direction in ("both", "rising", "falling"):
            simulator = model.simulator(tolerance=1e-12, watch=[lambda t, q, v: 1.0, (lambda t, q, v: q[0], direction)])
            simulator.set(0.0, [1.0], [0.0])
            simulator.run(10.0)
            state = simulator.get()
            self.assertEqual(tuple(simulator.happened()), ("watch", 1))
            self.assertLess(abs(state.q[0]), 1e-9)
            self.assertAlmostEqual(abs(state.v[0]), np.sqrt(2 * 9.81 * (1 - np.cos(1.0))), places=8)
            found[direction] = float(state.t)
        self.assertEqual(found["both"], found["falling"])
        self.assertAlmostEqual(found["rising"], 3 * found["falling"], places=8)

    def test_steps_end_at_breaks(self) -> None:
        """A push that begins at 0.7 s: a step ends there, so that the tolerance is kept without rejected steps."""
        slider = jounce.Builder("slider").add_link("block", joint="prismatic", axis=[1, 0, 0], mass=2).build()
        simulator = slider.simulator(integrator="dopri5", force=lambda t, q, v: [4.0 if t > 0.7 else 0.0],
                                     next_break=lambda t: 0.7 if t < 0.7 else float("inf"))  # fmt: skip
        times = []
        while simulator.get().t < 2.0:
            simulator.step(2.0)
            times.append(float(simulator.get().t))
        self.assertIn(0.7, times)
        self.assertAlmostEqual(simulator.get().v[0], 2 * 1.3, places=7)

    def test_errors_of_watches_come_through(self) -> None:
        model = jounce.load("builtin:panda")

        def failing(*given: object) -> float:
            raise KeyError("mine")

        for option in ("watch", "next_break"):
            with self.assertRaisesRegex(KeyError, "mine"):
                model.simulator(integrator="rk4", step=0.01, **{option: failing}).run(0.02)
            with self.assertRaisesRegex(TypeError, rf"{option}.* gave 'far', expected a number"):
                model.simulator(integrator="rk4", step=0.01, **{option: lambda *given: "far"}).run(0.02)
        for wrong in (3, [3], (failing, "up"), [(failing, 7)]):
            with self.assertRaisesRegex((TypeError, ValueError), r"watch\[0\]"):
                model.simulator(watch=wrong)

    def test_a_force_must_not_use_its_simulator(self) -> None:
        model = self.pendulum()
        held: list[jounce.Simulator] = []
        simulator = model.simulator(integrator="dopri5", force=lambda t, q, v: held[0].get().v)
        held.append(simulator)
        with self.assertRaisesRegex(RuntimeError, "in use"):
            simulator.run(1.0)

    def test_loops_swing(self) -> None:
        loops = four_bar().loops_with(order=30)
        simulator = loops.simulator(tolerance=1e-8)
        q, _ = loops.assemble(0.0, np.array([0.4, 0.1, 0.3]), held=[1, 0, 0])
        simulator.set(0.0, q)
        simulator.run(0.2)
        self.assertLess(loops.gaps(simulator.get().q).max(), 1e-9)


class TaskSpace(unittest.TestCase):
    def test_inverse_kinematics(self) -> None:
        """The flange reaches a pose that it has at another configuration; rates come from J v."""
        model = jounce.load("builtin:panda")
        goal = model.configuration(panda_joint2=-0.3, panda_joint4=-1.9, panda_joint6=1.8)
        tasks = model.tasks([{"type": "pose", "frame": "panda_link7"}], order=1)
        self.assertEqual((tasks.targets, tasks.rows), (16, 6))
        target = tasks.values(goal)
        np.testing.assert_array_equal(target.reshape(4, 4), model.frame_pose("panda_link7", goal))
        start = model.configuration(panda_joint2=-0.6, panda_joint4=-2.2, panda_joint6=1.6)
        found = tasks.solve(target, start, want=("q", "active", "reach"))
        self.assertEqual(found.reach.outcome, "reached")
        np.testing.assert_allclose(model.frame_pose("panda_link7", found.q), target.reshape(4, 4), atol=1e-10)
        self.assertEqual(found.active.dtype, np.int8)
        self.assertIsNone(tasks.solve(target, start).active)
        J = tasks.jacobian_jet(found.q)
        np.testing.assert_allclose(J[0], model.frame_jacobian("panda_link7", found.q), atol=1e-12)
        v = tasks.motion_jet(found.q, rate_jet=np.ones((1, 6))).v_jet
        np.testing.assert_allclose(J[0] @ v[0], 1, atol=1e-9)

    def test_many_targets(self) -> None:
        """What is found one by one; outcomes are arrays with the leading axes."""
        model = jounce.load("builtin:panda")
        tasks = model.tasks([{"type": "position", "frame": "panda_link7"}])
        q = model.configuration(panda_joint2=-0.3, panda_joint4=-1.9, panda_joint6=1.8)
        targets = tasks.values(q) + 0.05 * np.arange(6).reshape(2, 3, 1) * np.array([1.0, 0, 0])
        targets[1, 2] = [5, 0, 0]
        found = tasks.solve(targets, q)  # all at once, in lanes
        alone = tasks.solve(targets, q, want=("q", "active", "reach"))  # one after the other
        threads = model.tasks([{"type": "position", "frame": "panda_link7"}], threads=2).solve(targets, q)
        self.assertEqual((found.q.shape, found.active, alone.active.shape), ((2, 3, 7), None, (2, 3, 7)))
        self.assertEqual(found.reach.distance.shape, (2, 3))
        for other in (alone, threads):
            np.testing.assert_allclose(
                other.q, found.q, atol=1e-6
            )  # nearest to a target out of reach: as near as it shows
            np.testing.assert_array_equal(other.reach.outcome, found.reach.outcome)
            np.testing.assert_allclose(other.reach.distance, found.reach.distance, atol=1e-9)
        self.assertEqual((found.reach.outcome == "reached").tolist(), [[True] * 3, [True, True, False]])

    def test_out_of_reach_is_a_result(self) -> None:
        model = jounce.load("builtin:panda")
        tasks = model.tasks([{"type": "position", "frame": "panda_link7"}])
        found = tasks.solve([5.0, 0, 0], model.neutral())
        self.assertIn(found.reach.outcome, ("short", "limits"))
        self.assertGreater(found.reach.distance, 1)
        with self.assertRaisesRegex(ValueError, "no key 'weigth'"):
            model.tasks([{"type": "pose", "frame": 0, "weigth": 1.0}])
        with self.assertRaises(jounce.NotFoundError):
            model.tasks([{"type": "pose", "frame": "hand"}])


class Identifying(unittest.TestCase):
    def test_masses_from_torques(self) -> None:
        """Torques without noise give back the base parameters of the model."""
        model = jounce.load("builtin:panda")
        rng = np.random.default_rng(SEED)
        try:
            unknown = model.identification(columns=1)  # inertias only
        except jounce.UnsupportedError as missing:
            self.skipTest(str(missing))
        q = model.random(200, seed=SEED)
        v, a = rng.normal(size=(2, 200, model.nv))
        unknown.add(q, v, a, model.inverse_dynamics(q, v, a))
        estimate = unknown.solve(0.01, 1)
        self.assertEqual(estimate.x.shape, (unknown.count,))
        x = estimate.x
        again = unknown.identified_model(x)
        np.testing.assert_allclose(again.inverse_dynamics(q, v, a), model.inverse_dynamics(q, v, a), atol=1e-3)

    def test_motions_with_forces(self) -> None:
        """Rows of a motion are those of its states: the model that made the torques leaves nothing over."""
        model = jounce.load("builtin:panda")
        try:
            unknown = model.identification(columns=1)
        except jounce.UnsupportedError as missing:
            self.skipTest(str(missing))
        t = np.linspace(0, 4, 401)
        q = 0.5 * np.sin(np.outer(t, 1 + 0.3 * np.arange(model.nv))) + model.neutral()
        motion = model.trajectory_from_samples(t, q, smoothing="none")
        self.assertIsNone(motion.forces(0))
        states = [unknown.state(motion, time) for time in t]
        np.testing.assert_allclose([s.q for s in states], q, atol=1e-9)
        tau = np.array([model.inverse_dynamics(s.q, s.v, s.a) for s in states])
        tau[:, 6] = np.nan  # not measured
        motion.set_forces(t, tau)
        np.testing.assert_array_equal(motion.forces(2), tau[:, 2])
        self.assertIsNone(motion.forces(6))
        unknown.add_trajectory(motion, fold=2)
        left = unknown.residuals(unknown.prior)
        np.testing.assert_array_equal(left.rows, [401] * 6 + [0])
        np.testing.assert_allclose(left.error, 0, atol=1e-8)
        self.assertEqual(unknown.base_matrix.shape, (unknown.base_count, unknown.count))
        self.assertGreater(unknown.cutoff(motion), 0.5)
        with self.assertRaises(ValueError):
            unknown.add_trajectory(motion, fold=9)


class Parameters(unittest.TestCase):
    def test_base_parameters(self) -> None:
        """Y pi = Yb (B pi) at a new state."""
        model = jounce.load("builtin:panda")
        try:
            base = model.base_parameters(seed=3)
        except jounce.UnsupportedError as missing:
            self.skipTest(str(missing))
        self.assertEqual(base.matrix.shape, (base.count, base.parameter_count))
        state = random_state(model, np.random.default_rng(SEED))
        Y = model.regressor(state["q"], state["v"], state["a"])
        pi = model.parameters()
        np.testing.assert_allclose(base.regressor(Y) @ base.parameters(pi), Y @ pi, atol=1e-9)
        self.assertIn(base.class_of(0), ("no_effect", "alone", "combined"))

    def test_sensitivity(self) -> None:
        """By the mass of a link: the column of the regressor."""
        model = random_model(SEED + 3)
        state = random_state(model, np.random.default_rng(SEED))
        q, v, a = state["q"], state["v"], state["a"]
        link = model.links[2]
        chosen = [model.perturbation("inertia", link, 0, q, v), model.perturbation("acceleration", 1, 0, q, v)]
        dtau = model.inverse_dynamics_sensitivity(q, v, a, chosen)
        self.assertEqual(dtau.shape, (2, model.nv))
        np.testing.assert_allclose(dtau[0], model.regressor(q, v, a)[:, 20], atol=1e-10)
        np.testing.assert_allclose(dtau[1], model.mass_matrix(q)[1], atol=1e-10)
        with self.assertRaises(ValueError):
            model.perturbation("weight", 0, 0, q)
        with self.assertRaisesRegex(ValueError, "dq_dp has shape"):
            model.inverse_dynamics_sensitivity(q, v, a, [{"dq_dp": np.zeros(99)}])


if __name__ == "__main__":
    unittest.main()
