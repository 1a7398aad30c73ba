# SPDX-License-Identifier: BSD-2-Clause
"""Arrays in and out: shapes, broadcasting, number types, memory; and exceptions that name the argument."""

from __future__ import annotations

import unittest

import numpy as np
from support import SEED, random_model, random_state

import jounce


class Arrays(unittest.TestCase):
    def setUp(self) -> None:
        self.model = jounce.load("builtin:panda")
        self.rng = np.random.default_rng(SEED)
        self.state = random_state(self.model, self.rng)

    def test_lists_integers_and_strides_are_converted(self) -> None:
        m, q, v = self.model, self.state["q"], self.state["v"]
        expected = m.inverse_dynamics(q, v)
        np.testing.assert_array_equal(m.inverse_dynamics(q.tolist(), tuple(v)), expected)
        spread = np.zeros(2 * m.nq)
        spread[::2] = q
        np.testing.assert_array_equal(m.inverse_dynamics(spread[::2], v), expected)
        np.testing.assert_array_equal(m.inverse_dynamics(q.astype(">f8"), v), expected)
        whole = np.ones(m.nq, int)
        np.testing.assert_array_equal(m.mass_matrix(whole), m.mass_matrix(whole.astype(float)))
        columns = np.asfortranarray(np.array([q, q]))
        np.testing.assert_array_equal(m.inverse_dynamics(columns, v), np.array([expected, expected]))
        memory = memoryview(q)
        np.testing.assert_array_equal(m.inverse_dynamics(memory, v), expected)
        q.flags.writeable = False
        np.testing.assert_array_equal(m.inverse_dynamics(q, v), expected)

    def test_functions_without_float32_say_so(self) -> None:
        """float32 gives float64 exactly where the docstring announces it."""
        m, said = self.model, "returns float64, even if all arrays are float32"
        q, jet = self.state["q"].astype(np.float32), np.zeros((2, m.nv), np.float32)
        tasks = m.tasks([{"type": "position", "frame": m.link_count - 1}])
        for function, arguments, result in (
            (m.momentum_jet_derivatives, (q, jet), None), (m.frame_twist_jet_derivatives, (0, q, jet), None),
            (m.momentum_jet, (q, jet), None), (m.mass_matrix, (q,), None), (tasks.values, (q,), None),
            (tasks.solve, (tasks.values(q).astype(np.float32), q), "q"),
        ):  # fmt: skip
            found = function(*arguments)
            found = getattr(found, result) if result else found
            with self.subTest(function.__name__):
                self.assertEqual(found.dtype, np.float64 if said in function.__doc__ else np.float32)

    def test_float32(self) -> None:
        """All arrays float32: single precision; mixed: double, as in NumPy."""
        m = self.model
        q, v = self.state["q"].astype(np.float32), self.state["v"].astype(np.float32)
        single = m.inverse_dynamics(q, v)
        self.assertEqual(single.dtype, np.float32)
        double = m.inverse_dynamics(q.astype(float), v.astype(float))
        np.testing.assert_allclose(single, double, atol=1e-3)
        self.assertEqual(m.inverse_dynamics(q, v.astype(float)).dtype, np.float64)
        np.testing.assert_array_equal(m.inverse_dynamics(q, v.astype(float)), double)
        self.assertEqual(m.inverse_dynamics(np.array([q, q]), v).dtype, np.float32)
        self.assertEqual(m.inverse_dynamics(q, v.astype(np.float16)).dtype, np.float64)

    def test_broadcasting(self) -> None:
        m = self.model
        q = m.random((4, 1, 3), seed=2)
        v = self.rng.normal(size=(5, 1, m.nv))
        tau = m.inverse_dynamics(q, v, self.state["a"])
        self.assertEqual(tau.shape, (4, 5, 3, m.nv))
        expected = m.inverse_dynamics(q[2, 0, 1], v[3, 0], self.state["a"])
        np.testing.assert_allclose(tau[2, 3, 1], expected, rtol=1e-12)
        self.assertEqual(m.mass_matrix(np.zeros((0, m.nq))).shape, (0, m.nv, m.nv))
        self.assertEqual(m.mass_matrix(np.zeros((1, m.nq))).shape, (1, m.nv, m.nv))
        self.assertEqual(m.inverse_dynamics(np.zeros((3, 0, m.nq)), v[0]).shape, (3, 0, m.nv))

    def test_scalars_vary_with_the_batch(self) -> None:
        m = self.model
        q0, q1 = m.random(2, seed=4)
        s = np.linspace(0, 1, 5)
        path = m.interpolate(q0, q1, s)
        self.assertEqual(path.shape, (5, m.nq))
        np.testing.assert_allclose(path[1], m.interpolate(q0, q1, 0.25))

    def test_out(self) -> None:
        m, q = self.model, self.state["q"]
        M = np.full((m.nv, m.nv), np.nan)
        self.assertIs(m.mass_matrix(q, out=M), M)
        np.testing.assert_array_equal(M, m.mass_matrix(q))
        gaps = np.full((2 * m.nv, m.nv), np.nan)[::2]
        self.assertIs(m.mass_matrix(q, out=gaps), gaps)
        np.testing.assert_array_equal(gaps, M)
        same = q.copy()
        m.integrate(same, self.state["v"], out=same)  # the result is where an input was
        np.testing.assert_array_equal(same, m.integrate(q, self.state["v"]))
        dq = np.empty((m.nv, m.nv))
        result = m.inverse_dynamics_derivatives(q, out=(dq, None, None, None))
        self.assertIs(result.dtau_dq, dq)
        self.assertIsNone(result.dtau_dwrench)

    def test_want(self) -> None:
        m, q = self.model, self.state["q"]
        terms = m.compute(q, self.state["v"], want=("M", "energy"))
        np.testing.assert_allclose(terms.M, m.mass_matrix(q), rtol=1e-12)
        self.assertIsNone(terms.C)
        self.assertEqual(m.inverse_dynamics_derivatives(q, want="dtau_dwrench").dtau_dwrench.shape, (7, 7, 6))

    def test_nan_goes_through(self) -> None:
        """As in NumPy, NaN in gives NaN out; it is not an error."""
        q = self.state["q"].copy()
        q[0] = np.nan
        self.assertTrue(np.isnan(self.model.inverse_dynamics(q)).any())

    def test_states_by_name(self) -> None:
        m = self.model
        q = m.neutral()
        q[2] = 0.5
        np.testing.assert_array_equal(m.inverse_dynamics({"panda_joint3": 0.5}), m.inverse_dynamics(q))
        with self.assertRaisesRegex(jounce.NotFoundError, "panda_joint3"):
            m.inverse_dynamics({"panda_joint33": 0.5})
        self.assertEqual(m.q_dict(q)["panda_joint3"], 0.5)
        np.testing.assert_array_equal(m.configuration(m.q_dict(q)), q)

    def test_indices_or_names(self) -> None:
        m, q = self.model, self.state["q"]
        np.testing.assert_array_equal(m.frame_pose("panda_link7", q), m.frame_pose(m.frame_index("panda_link7"), q))
        chosen = np.zeros(m.nv, bool)
        chosen[[0, 3]] = True
        a = m.hybrid_dynamics(chosen, q).a_out
        np.testing.assert_array_equal(m.hybrid_dynamics(["panda_joint1", "panda_joint4"], q).a_out, a)


class Mistakes(unittest.TestCase):
    def setUp(self) -> None:
        self.model = jounce.load("builtin:panda")
        self.q = self.model.neutral()

    def refuse(self, kind: type[Exception], words: str, function: str, *args: object, **keywords: object) -> None:
        with self.assertRaisesRegex(kind, words):
            getattr(self.model, function)(*args, **keywords)

    def test_messages_name_argument_and_shapes(self) -> None:
        q = self.q
        self.refuse(ValueError, r"mass_matrix\(\): q has shape \(3,\), expected \(\.\.\., 7\)", "mass_matrix", q[:3])
        self.refuse(
            ValueError, r"v has shape \(2, 8\), expected \(\.\.\., 7\)", "inverse_dynamics", q, np.zeros((2, 8))
        )
        self.refuse(ValueError, r"leading axes of v \(3, 7\)", "inverse_dynamics", np.zeros((2, 7)), np.zeros((3, 7)))
        self.refuse(
            ValueError, r"wrench has shape \(6,\), expected \(\.\.\., 7, 6\)", "inverse_dynamics", q, wrench=np.zeros(6)
        )
        self.refuse(ValueError, r"v_jet has 1 rows", "inverse_dynamics_jet", q, np.zeros((1, 7)))
        self.refuse(ValueError, r"wrench_jet has shape \(2, 7, 6\), expected \(\.\.\., 3, 7, 6\)", "inverse_dynamics_jet", q,
                    np.zeros((4, 7)), np.zeros((2, 7, 6)))  # fmt: skip
        self.refuse(TypeError, r"q has dtype complex128", "mass_matrix", q + 1j)
        self.refuse(TypeError, r"q has dtype <U1", "mass_matrix", ["a"] * 7)
        self.refuse(TypeError, r"needs the argument 'q'", "mass_matrix")
        self.refuse(TypeError, r"has no argument 'qq'", "mass_matrix", qq=q)
        self.refuse(TypeError, r"two values for 'q'", "mass_matrix", q, q=q)
        self.refuse(TypeError, r"at most 1 arguments", "mass_matrix", q, q)
        self.refuse(
            ValueError, r"in_ is 'up', expected one of 'body', 'world', 'aligned'", "frame_jacobian", 0, q, in_="up"
        )
        self.refuse(jounce.NotFoundError, r"no frame named 'panda_hend'", "frame_pose", "panda_hend", q)
        self.refuse(jounce.NotFoundError, "outside the model", "frame_pose", 99, q)
        self.refuse(ValueError, r"'N' in want", "compute", q, want=["N"])
        self.refuse(
            ValueError, r"out for M has shape \(2, 2\), expected \(7, 7\)", "mass_matrix", q, out=np.zeros((2, 2))
        )
        self.refuse(
            TypeError, r"out for M has the format 'f', expected float64", "mass_matrix", q, out=np.zeros((7, 7), "f")
        )
        read_only = np.zeros((7, 7))
        read_only.flags.writeable = False
        self.refuse(TypeError, r"out for M must be an array that can be written", "mass_matrix", q, out=read_only)

    def test_numbers_where_they_do_not_belong(self) -> None:
        q = self.q
        self.refuse(TypeError, r"frame_pose\(\): frame is 1.5, expected a name or an index", "frame_pose", 1.5, q)
        self.refuse(TypeError, r"frame is None, expected a name or an index|needs the argument", "frame_pose", None, q)
        self.refuse(OverflowError, r"frame is 1000000000000000000000, which is too large", "frame_pose", 10**21, q)
        self.refuse(ValueError, r"in_ is 7, expected one of 'body'", "frame_jacobian", 0, q, in_=7)
        self.refuse(TypeError, r"in_ is 1.5, expected a name", "frame_jacobian", 0, q, in_=1.5)
        self.refuse(TypeError, r"simulator\(\): order is 1.5, expected an integer", "simulator", order=1.5)
        self.refuse(TypeError, r"tolerance is 'x', expected a number", "simulator", tolerance="x")
        self.refuse(TypeError, r"joint is 1.5", "joint", 1.5)
        self.refuse(TypeError, r"shape is 1.5, expected an integer", "random", 1.5)
        self.refuse(ValueError, r"sizes cannot be negative", "random", (2, -1))
        self.refuse(MemoryError, "", "random", 10**13)
        self.refuse(ValueError, "", "random", 10**30)
        self.refuse(TypeError, r"expected a list of dictionaries", "tasks", {"type": "pose"})
        self.refuse(TypeError, r"frame is 1.5, expected an integer", "tasks", [{"type": "pose", "frame": 1.5}])
        self.refuse(ValueError, r"weight is 'x', expected 6 numbers", "tasks", [{"type": "pose", "weight": "x"}])
        np.testing.assert_array_equal(self.model.frame_pose(np.int64(3), q), self.model.frame_pose(3, q))

    def test_masked_arrays_are_refused(self) -> None:
        """What a mask hides would be used as it is."""
        masked = np.ma.masked_array(self.q, mask=[1, 0, 0, 0, 0, 0, 0])
        self.refuse(TypeError, r"mass_matrix\(\): q is a masked array", "mass_matrix", masked)
        out = np.ma.zeros((7, 7))
        self.refuse(TypeError, r"out for M .*not a masked array", "mass_matrix", self.q, out=out)

    def test_out_may_overlap_the_inputs(self) -> None:
        """Results are what they are without an overlap: wholly, shifted, and in batches."""
        m = self.model
        room = np.full(20, 0.1)
        for start in (0, 3, 7):
            v = room[:7]
            v[:] = np.linspace(-1, 1, 7)
            expected = m.inverse_dynamics(self.q, v.copy(), v.copy())
            given = room[start : start + 7]
            result = m.inverse_dynamics(self.q, v, v, out=given)
            self.assertIs(result, given)
            np.testing.assert_array_equal(result, expected)
        many = m.random(6, seed=3)
        expected = m.inverse_dynamics(many.copy())
        np.testing.assert_array_equal(m.inverse_dynamics(many, out=many), expected)

    def test_singular_names_joint_and_state(self) -> None:
        builder = jounce.Builder("weightless")
        builder.add_link("arm", joint="revolute", mass=1, tensor=[1, 1, 1, 0, 0, 0])
        builder.add_link("nothing", "arm", joint="revolute", joint_name="loose", axis=[1, 0, 0])
        with self.assertWarnsRegex(jounce.ModelWarning, "loose|nothing"):
            model = builder.build()
        with self.assertRaisesRegex(jounce.SingularError, "joint 'loose' has no effective inertia") as caught:
            model.forward_dynamics(model.neutral())
        self.assertEqual((caught.exception.joint, caught.exception.status), ("loose", "singular"))
        with self.assertRaises(jounce.SingularError) as caught:
            model.forward_dynamics(np.zeros((3, 2)))
        self.assertEqual(caught.exception.state, 0)

    def test_objects_cannot_be_made_directly(self) -> None:
        with self.assertRaises(TypeError):
            jounce.Model()
        with self.assertRaises(TypeError):
            jounce.Model.mass_matrix(3, self.q)


class ManyShapes(unittest.TestCase):
    def test_jets_and_frames(self) -> None:
        model = random_model(SEED + 11)
        rng = np.random.default_rng(SEED)
        q = model.random((2, 3), seed=5)
        v_jet = rng.normal(size=(2, 3, 5, model.nv))
        self.assertEqual(model.inverse_dynamics_jet(q, v_jet).shape, (2, 3, 4, model.nv))
        self.assertEqual(model.frame_poses(q).shape, (2, 3, model.frame_count, 4, 4))
        self.assertEqual(model.joint_jacobian("j0", q).shape, (2, 3, 6, 1))


if __name__ == "__main__":
    unittest.main()
