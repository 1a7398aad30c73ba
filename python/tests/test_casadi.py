# SPDX-License-Identifier: BSD-2-Clause
"""The plugin for CasADi: values are the library's own, Jacobians and Hessians agree with differences and with CasADi's
own derivatives of the same dynamics written in its symbols, patterns, threads, and what is refused.

Skipped if casadi is not installed. The derivatives of every function on trees with quaternions: tests/test_solvers.c.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

import jounce

try:
    import casadi as ca
except ImportError:
    print("casadi is not installed: skipped")
    sys.exit(77)

from jounce import casadi as jc

if not (Path(jc.__file__).parent / "jounce_casadi.so").exists():
    print("this build has no plugin for CasADi: skipped")
    sys.exit(77)

SEED = 7
panda = jounce.load("builtin:panda")
quadruped = jounce.load("builtin:quadruped")
four_bar = jounce.load("builtin:four_bar")


def numbers(x: object) -> np.ndarray:
    return np.array(x)


def state(model: jounce.Model, f: ca.Function, rng: np.random.Generator) -> list[np.ndarray]:
    q = model.random((), seed=int(rng.integers(1000)))
    return [q] + [rng.normal(size=f.size1_in(i)) for i in range(1, f.n_in())]


class Values(unittest.TestCase):
    def test_models_by_name(self) -> None:
        """A file instead of a model; anything else is named."""
        panda = jounce.load("builtin:panda")
        q = panda.configuration(panda_joint4=-1.9)
        by_name = jc.Function("builtin:panda", "inverse_dynamics")
        np.testing.assert_array_equal(np.ravel(by_name(q, 0 * q, 0 * q)), panda.gravity_forces(q))
        with self.assertRaisesRegex(TypeError, "model is 7, expected a jounce.Model"):
            jc.Function(7, "inverse_dynamics")
        with self.assertRaisesRegex(jounce.FileError, "no_such.urdf"):
            jc.save("no_such.urdf", "robot.so")

    def test_values_are_the_library_s(self) -> None:
        rng = np.random.default_rng(SEED)
        for model in (panda, quadruped):
            q, v, u = state(model, jc.Function(model, "forward_dynamics"), rng)
            a = numbers(jc.Function(model, "forward_dynamics")(q, v, u)).ravel()
            np.testing.assert_array_equal(a, model.forward_dynamics(q, v, u))
            tau = numbers(jc.Function(model, "inverse_dynamics")(q, v, u)).ravel()
            np.testing.assert_array_equal(tau, model.inverse_dynamics(q, v, u))
            names = [model.frames[-1], model.frames[1]]
            p, R, V = (numbers(x) for x in jc.Function(model, "frames", frames=names)(q, v))
            for i, name in enumerate(names):
                T = model.frame_pose(name, q)
                np.testing.assert_array_equal(p[:, i], T[:3, 3])
                np.testing.assert_array_equal(R[:, i], T[:3, :3].T.ravel())
                np.testing.assert_array_equal(V[:, i], model.frame_twist(name, q, v, in_="aligned"))
            h, c = (numbers(x).ravel() for x in jc.Function(model, "momentum")(q, v))
            np.testing.assert_array_equal(h, model.momentum(q, v, about="origin"))
            np.testing.assert_array_equal(c, model.center_of_mass(q).c)

    def test_a_step_is_the_simulator_s(self) -> None:
        rng = np.random.default_rng(SEED)
        step = jc.Function(panda, "step", step=0.02, integrator="rk4")
        q, v, u = state(panda, step, rng)
        simulator = panda.simulator(integrator="rk4", step=0.02, tau=u)
        simulator.set(0.0, q, v)
        simulator.run(0.02)
        got = [numbers(x).ravel() for x in step(q, v, u)]
        np.testing.assert_allclose(got[0], simulator.get().q, rtol=0, atol=1e-15)
        np.testing.assert_allclose(got[1], simulator.get().v, rtol=0, atol=1e-13)


class Derivatives(unittest.TestCase):
    def compare(self, model: jounce.Model, name: str, q: np.ndarray | None = None, **options: object) -> None:
        """Jacobian and Hessian through CasADi's own expressions, beside differences of what they come from."""
        rng = np.random.default_rng(SEED)
        f = jc.Function(model, name, **options)
        x = [ca.MX.sym(f.name_in(i), f.size1_in(i)) for i in range(f.n_in())]
        y = ca.vertcat(*[ca.vec(o) for o in f.call(x)])
        weight = ca.MX.sym("weight", y.shape[0])
        all_x = ca.vertcat(*x)
        J = ca.Function("J", x, [ca.jacobian(y, all_x)])
        H, g = ca.hessian(ca.dot(weight, y), all_x)
        second = ca.Function("second", [*x, weight], [H, g])
        at = state(model, f, rng)
        if q is not None:
            at[0] = q
        at.append(rng.normal(size=y.shape[0]))
        parts = np.cumsum([len(a) for a in at[:-1]])[:-1]

        def differences(of: object) -> np.ndarray:
            e, z = 1e-4, np.concatenate(at[:-1])
            columns = []
            for k in range(len(z)):
                d = np.zeros(len(z))
                d[k] = e
                values = [of(np.split(z + i * d, parts)) for i in (-2, -1, 1, 2)]  # type: ignore[operator]
                columns.append((values[0] - 8 * values[1] + 8 * values[2] - values[3]) / (12 * e))
            return np.array(columns).T

        exact = numbers(J(*at[:-1]))
        other = differences(lambda z: np.concatenate([numbers(o).ravel(order="F") for o in f.call(z)]))
        np.testing.assert_allclose(exact, other, rtol=0, atol=1e-8 * max(1, np.abs(exact).max()), err_msg=name)
        exact, gradient = (numbers(a) for a in second(*at))
        np.testing.assert_allclose(gradient.ravel(), numbers(J(*at[:-1])).T @ at[-1], rtol=1e-9, atol=1e-9)
        other = differences(lambda z: numbers(second(*z, at[-1])[1]).ravel())
        size = max(1, np.abs(exact).max())
        np.testing.assert_allclose(exact, other, rtol=0, atol=1e-7 * size, err_msg=name)
        np.testing.assert_allclose(exact, exact.T, rtol=0, atol=1e-12 * size, err_msg=name)

    def test_panda(self) -> None:
        for name in ("inverse_dynamics", "forward_dynamics", "step", "frames", "momentum"):
            self.compare(panda, name)

    def test_free_base(self) -> None:
        for name in ("inverse_dynamics", "forward_dynamics"):
            self.compare(quadruped, name)
        self.compare(quadruped, "step", integrator="euler")
        self.compare(quadruped, "frames", frames=[quadruped.frames[3], quadruped.frames[-1]])

    def test_loops(self) -> None:
        f = jc.Function(four_bar, "loops_conditions")
        phi, _ = f(four_bar.neutral(), np.zeros(four_bar.nv))
        self.assertLess(np.abs(numbers(phi)).max(), 1e-9)
        self.compare(four_bar, "loops_conditions", q=four_bar.neutral())

    def test_beside_symbols_of_casadi(self) -> None:
        """Two hinges about y with uniform rods, from their Lagrangian in CasADi's own symbols."""
        q, v, tau = (ca.SX.sym(name, 2) for name in ("q", "v", "tau"))
        model = jounce.load("builtin:double_pendulum")
        L, m = 0.5, 1.0
        inertia = model.link_inertia(0)[5] - m * L**2 / 4  # about the middle
        a = [q[0], q[0] + q[1]]
        w = [v[0], v[0] + v[1]]
        # rods hang along -z and turn about y: a point at depth d is at (-d sin a, -d cos a)
        p1 = ca.vertcat(-L / 2 * ca.sin(a[0]), -L / 2 * ca.cos(a[0]))
        p2 = 2 * p1 + ca.vertcat(-L / 2 * ca.sin(a[1]), -L / 2 * ca.cos(a[1]))
        v1, v2 = ca.jtimes(p1, q, v), ca.jtimes(p2, q, v)
        kinetic = m / 2 * (ca.sumsqr(v1) + ca.sumsqr(v2)) + inertia / 2 * (w[0] ** 2 + w[1] ** 2)
        potential = 9.81 * m * (p1[1] + p2[1])
        p = ca.gradient(kinetic, v)
        M = ca.jacobian(p, v)
        force = tau - ca.jtimes(p, q, v) + ca.gradient(kinetic - potential, q)
        theirs = ca.Function("a", [q, v, tau], [ca.solve(M, force)])
        ours = jc.Function(model, "forward_dynamics")
        weight = ca.MX.sym("weight", 2)
        x = [ca.MX.sym(name, 2) for name in ("q", "v", "tau")]
        rng = np.random.default_rng(SEED)
        at = [rng.normal(size=2) for _ in range(4)]
        found = []
        for f in (theirs, ours):
            H, g = ca.hessian(ca.dot(weight, f(*x)), ca.vertcat(*x))
            found.append(ca.Function("all", [*x, weight], [f(*x), g, H, ca.jacobian(f(*x), ca.vertcat(*x))])(*at))
        for mine, other in zip(found[1], found[0]):
            np.testing.assert_allclose(numbers(mine), numbers(other), rtol=1e-9, atol=1e-9)


class Patterns(unittest.TestCase):
    def test_inverse_dynamics_follows_the_tree(self) -> None:
        """Legs of the quadruped know of the base, and not of each other."""
        J = jc.Function(quadruped, "inverse_dynamics").jacobian()
        block = numbers(ca.DM(J.sparsity_out("jac_tau_a"), 1))
        M = quadruped.mass_matrix(quadruped.random((), seed=3))
        self.assertTrue(((np.abs(M) > 1e-14) <= (block != 0)).all())
        self.assertEqual(np.count_nonzero(block), 18 * 18 - 4 * 3 * 9)
        H = jc.Function(quadruped, "inverse_dynamics").reverse(1).jacobian()
        self.assertEqual(H.sparsity_out("jac_adj_a_a").nnz(), 0)
        self.assertEqual(H.sparsity_out("jac_adj_v_a").nnz(), 0)
        self.assertEqual(H.sparsity_out("jac_adj_v_v").nnz(), 18 * 18 - 4 * 3 * 9)


class Threads(unittest.TestCase):
    def test_threads_have_slots_of_their_own(self) -> None:
        rng = np.random.default_rng(SEED)
        for name in ("forward_dynamics", "step"):
            f = jc.Function(panda, name)
            x = [rng.normal(size=(f.size1_in(i), 200)) for i in range(f.n_in())]
            for g in (f, f.jacobian()):
                more = [np.zeros((g.size1_in(i), 200 * g.size2_in(i))) for i in range(f.n_in(), g.n_in())]
                one = g.map(200).call([*x, *more])
                many = g.map(200, "thread", 4).call([*x, *more])
                for a, b in zip(one, many):
                    np.testing.assert_array_equal(numbers(a), numbers(b))


class Files(unittest.TestCase):
    def in_new_process(self, code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False)

    def test_a_saved_library_needs_no_jounce(self) -> None:
        code = ("import sys, casadi\nf = casadi.external('step', sys.argv[1])\n"
                "print([float(x) for x in casadi.vertcat(*f([.1]*7, [.2]*7, [1]*7)).full().ravel()])")  # fmt: skip
        here = numbers(ca.vertcat(*jc.Function(panda, "step", step=0.03125)([0.1] * 7, [0.2] * 7, [1] * 7))).ravel()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "panda.so")
            jc.save(panda, path, step=0.03125)
            self.assertEqual(os.listdir(folder), ["panda.so"])
            done = self.in_new_process(code, path)
            self.assertEqual(done.stdout.strip(), str([float(x) for x in here]), done.stderr)
            command = os.environ.get("JOUNCE_COMMAND")
            if command:  # the same file from the command, and robots in it are replaced
                other = os.path.join(folder, "other.so")
                subprocess.run([command, "casadi", "builtin:panda", "-o", other, "--step", "0.03125", "--plugin", path],
                               check=True, capture_output=True)  # fmt: skip
                self.assertEqual(Path(path).read_bytes(), Path(other).read_bytes())

    def test_a_model_beside_the_library(self) -> None:
        code = "import sys, casadi\nprint(casadi.external('forward_dynamics', sys.argv[1]))"
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "robot.so")
            Path(path).write_bytes(jc._plugin().read_bytes())
            missing = self.in_new_process(code, path)
            self.assertNotEqual(missing.returncode, 0)
            self.assertIn("has no robot", missing.stderr)
            panda.save(os.path.join(folder, "robot.json"))
            self.assertIn("(q[7],v[7],tau[7])->(a[7])", self.in_new_process(code, path).stdout)

    def test_configured_by_arguments(self) -> None:
        code = ("import sys, casadi\n"
                "f = casadi.external('frames', sys.argv[1], dict(config_args=sys.argv[2:]))\nprint(f)\n"
                "g = casadi.external('step', sys.argv[1])\nprint(g)\n"
                "casadi.external('frames', sys.argv[1], dict(config_args=['builtin:kuka_iiwa']))")  # fmt: skip
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "robot.so")
            Path(path).write_bytes(jc._plugin().read_bytes())
            done = self.in_new_process(code, path, "builtin:panda", "--frame=panda_link4", "--frame=panda_flange")
            self.assertIn("position[3x2]", done.stdout)
            self.assertIn("step:(q[7]", done.stdout)
            self.assertIn("has the robot panda already", done.stderr)
            for wrong, message in ((["builtin:nobody"], "nobody"), (["--step=1"], "no model"),
                                   (["builtin:panda", "--step=-1"], "positive"),
                                   (["builtin:panda", "--frame=hand"], "no frame"),
                                   (["builtin:panda", "--speed=1"], "no such option"),
                                   (["builtin:panda", "builtin:panda"], "two models")):  # fmt: skip
                self.assertIn(message, self.in_new_process(code, path, *wrong).stderr)

    def test_damaged_ends_are_refused(self) -> None:
        code = "import sys, casadi\nprint(casadi.external('step', sys.argv[1]))"
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "robot.so"
            jc.save(panda, path)
            data = path.read_bytes()
            for damaged in (data[:-16] + (10**15).to_bytes(8, "little") + b"jounceCD",
                            data[:-16] + (5).to_bytes(8, "little") + b"jounceCD"):  # fmt: skip
                path.write_bytes(damaged)
                done = self.in_new_process(code, str(path))
                self.assertNotEqual(done.returncode, 0)
                self.assertIn("jounce: ", done.stderr)

    def test_mistakes(self) -> None:
        with self.assertRaisesRegex(jounce.ArgumentError, "no function 'dynamics'"):
            jc.Function(panda, "dynamics")
        with self.assertRaisesRegex(jounce.ArgumentError, "has no loops"):
            jc.Function(panda, "loops_conditions")
        with self.assertRaisesRegex(jounce.NotFoundError, "panda_flange"):
            jc.Function(panda, "frames", frames="panda_hand")
        with self.assertRaisesRegex(jounce.ArgumentError, "positive"):
            jc.Function(panda, "step", step=0)
        with self.assertRaisesRegex(jounce.ArgumentError, "rk4"):
            jc.Function(panda, "step", integrator="heun")


if __name__ == "__main__":
    print(f"seed {SEED}")
    unittest.main()
