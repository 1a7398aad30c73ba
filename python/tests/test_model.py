# SPDX-License-Identifier: BSD-2-Clause
"""Models: reading, building, editing, copying, showing."""

from __future__ import annotations

import copy
import pickle
import tempfile
import unittest
import warnings
from pathlib import Path

import numpy as np
from support import SEED, four_bar, random_model, random_state

import jounce

URDF = """<robot name="two">
  <link name="base"/>
  <link name="arm"><inertial><mass value="2"/><origin xyz="0 0 0.3"/><inertia ixx="0.1" iyy="0.1" izz="0.02" ixy="0" ixz="0"
    iyz="0"/></inertial></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" effort="50" velocity="3"/></joint>
  <link name="finger"><inertial><mass value="0.1"/><inertia ixx="0.001" iyy="0.001" izz="0.001" ixy="0" ixz="0" iyz="0"/>
    </inertial></link>
  <joint name="grip" type="prismatic"><parent link="arm"/><child link="finger"/><origin xyz="0 0 0.6"/>
    <limit lower="0" upper="0.1" effort="5" velocity="1"/><mimic joint="shoulder" multiplier="0.01"/></joint>
</robot>"""
MJCF = """<mujoco model="pendulum"><compiler angle="radian"/><worldbody><body name="bob"><joint name="hinge" axis="0 1 0"/>
  <inertial pos="0 0 -1" mass="1" diaginertia="0.1 0.1 0.1"/></body></worldbody></mujoco>"""


class Loading(unittest.TestCase):
    def test_formats_and_options(self) -> None:
        two = jounce.loads(URDF)
        self.assertEqual((two.name, two.nq, two.moving_joints), ("two", 1, ("shoulder",)))
        self.assertEqual(jounce.loads(URDF, mimic=False).nq, 2)
        self.assertEqual(jounce.loads(URDF, floating=True).nq, 8)
        self.assertEqual(jounce.loads(URDF, gravity=[0, 0, -1]).gravity.tolist(), [0, 0, -1])
        self.assertEqual(jounce.loads(URDF, lock={"shoulder": 0.5}).nq, 0)
        self.assertEqual(jounce.loads(URDF.encode()).nq, 1)
        self.assertEqual(jounce.loads(MJCF).moving_joints, ("hinge",))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "two.urdf"
            path.write_text(URDF)
            self.assertEqual(jounce.load(path), jounce.load(str(path)))
            jounce.load(path).save(Path(folder) / "two.json")
            self.assertEqual(jounce.load(Path(folder) / "two.json").nq, 1)
            self.assertIn("<robot", jounce.load(path).to_urdf(original=path))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # published data are not always those of rigid bodies
            for name in jounce.builtins():
                self.assertGreater(jounce.load(f"builtin:{name}").nv, 0)

    def test_errors_have_a_place(self) -> None:
        with self.assertRaises(jounce.FileError) as caught:
            jounce.load("does-not-exist.urdf")
        self.assertIsInstance(caught.exception, OSError)
        self.assertIn("does-not-exist.urdf", str(caught.exception))
        with self.assertRaises(jounce.ModelError) as broken:
            jounce.loads("<robot name='x'>\n<link/></robot>", file="x.urdf")
        self.assertEqual((broken.exception.file, broken.exception.line), ("x.urdf", 2))
        self.assertIn("x.urdf:2:", str(broken.exception))
        with self.assertRaises(jounce.NotFoundError):
            jounce.load("builtin:pandas")
        with self.assertRaises(TypeError):
            jounce.load("builtin:panda", unheard_of=1)

    def test_warnings(self) -> None:
        text = URDF.replace('ixx="0.1" iyy="0.1" izz="0.02"', 'ixx="0.1" iyy="0.1" izz="0.5"')
        with self.assertWarnsRegex(jounce.ModelWarning, "arm") as caught:
            jounce.loads(text)
        self.assertEqual(caught.filename, __file__)  # the line of the user
        with self.assertRaises(jounce.ModelError):
            jounce.loads(text, strict=True)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with self.assertRaises(jounce.ModelWarning):
                jounce.loads(text)


class Copies(unittest.TestCase):
    def test_pickle_copy_compare(self) -> None:
        for model in (random_model(SEED), four_bar(), jounce.loads(URDF, floating=True)):
            again = pickle.loads(pickle.dumps(model))
            self.assertEqual(again, model)
            self.assertEqual(hash(again), hash(model))
            state = random_state(model, np.random.default_rng(SEED))
            np.testing.assert_array_equal(again.inverse_dynamics(**{k: state[k] for k in ("q", "v", "a")}),
                                          model.inverse_dynamics(state["q"], state["v"], state["a"]))  # fmt: skip
            self.assertIs(copy.copy(model), model)
            self.assertIs(copy.deepcopy(model), model)
        self.assertNotEqual(random_model(1), random_model(2))
        self.assertNotEqual(random_model(1), "random1")

    def test_results_pickle(self) -> None:
        model = jounce.load("builtin:panda")
        result = model.inverse_dynamics_derivatives(model.neutral())
        again = pickle.loads(pickle.dumps(result))
        np.testing.assert_array_equal(again.dtau_dq, result.dtau_dq)
        self.assertEqual(result._asdict().keys(), {"dtau_dq", "dtau_dv", "dtau_da", "dtau_dwrench"})


class Editing(unittest.TestCase):
    def test_edits(self) -> None:
        panda = jounce.load("builtin:panda")
        q = panda.random(seed=SEED)
        locked = panda.lock(["panda_joint7"], q)
        self.assertEqual(locked.nv, 6)
        np.testing.assert_allclose(locked.gravity_forces(q[:6]), panda.gravity_forces(q)[:6], atol=1e-12)
        self.assertEqual(panda.subtree("panda_link5").nv, 3)
        both = panda.attach("panda_link7", panda, prefix="second_")
        self.assertEqual(both.nv, 14)
        self.assertIn("second_panda_joint1", both.joints)
        self.assertEqual(panda.with_gravity([0, 0, 0]).gravity_forces(q).tolist(), [0] * 7)
        np.testing.assert_allclose(panda.with_parameters(2 * panda.parameters()).mass, 2 * panda.mass)
        payload = jounce.inertia_pack(1.0, [0, 0, 0], [0] * 6)
        self.assertAlmostEqual(panda.with_payload("panda_link7", payload).mass, panda.mass + 1)
        with self.assertRaises(jounce.NotFoundError):
            panda.lock(["no_such_joint"])

    def test_builder_starts_from_a_model(self) -> None:
        builder = jounce.Builder(jounce.load("builtin:panda"))
        builder.add_link("tool", "panda_link7", [0, 0, 0.1], mass=0.5)
        model = builder.build()
        self.assertEqual(model.link_count, 8)
        self.assertAlmostEqual(model.mass, jounce.load("builtin:panda").mass + 0.5)

    def test_builder_reports_all_it_finds(self) -> None:
        with self.assertRaisesRegex(jounce.ModelError, "mass"):
            jounce.Builder().add_link("a", joint="revolute", mass=-1).build()
        with self.assertRaises(jounce.ModelError):
            jounce.Builder().build()


class Showing(unittest.TestCase):
    def test_repr_and_html(self) -> None:
        panda = jounce.load("builtin:panda")
        text = repr(panda)
        self.assertIn("panda_joint4", text)
        self.assertIn("-3.0718 ... -0.0698", text)
        hostile = (
            jounce.Builder("<b>x</b>")
            .add_link("<script>", joint="revolute", mass=1, tensor=[0.1, 0.1, 0.1, 0, 0, 0])
            .build()
        )
        self.assertNotIn("<script>", hostile._repr_html_())
        self.assertNotIn("<b>x", hostile._repr_html_())

    def test_names(self) -> None:
        two = jounce.loads(URDF, floating=True)
        joint = two.joint("shoulder")
        self.assertEqual((joint.type, joint.link), ("revolute", "arm"))
        self.assertEqual(two.v_names[joint.v.start], "shoulder")
        self.assertEqual(two.q_names[:7], tuple(f"base_{x}" for x in ("x", "y", "z", "qx", "qy", "qz", "qw")))
        self.assertEqual(two.limits.upper[joint.v.start], 2)


if __name__ == "__main__":
    unittest.main()
