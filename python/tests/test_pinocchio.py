# SPDX-License-Identifier: BSD-2-Clause
"""The same numbers as Pinocchio (package pin), to 1e-12, on URDF files, with fixed and with floating base.

JOUNCE_ROBOTS: a folder with URDF files; without it the built-in Panda. Skipped if pin is not installed. Pinocchio has the
linear part of twists and wrenches first, orders joints by name, and has cos and sin of continuous joints as coordinates:
rows and columns are exchanged here.
"""

from __future__ import annotations

import os
import sys
import unittest
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import jounce

try:
    import pinocchio as pin
except ImportError:
    print("pin is not installed: skipped")
    sys.exit(77)


TOLERANCE = 1e-12  # relative to the largest number
INVERTED = 1e-10  # of what has the inverse of the mass matrix, whose condition is up to 1e7 here
SWAP = [3, 4, 5, 0, 1, 2]


def robots() -> list[tuple[str, str]]:
    folder = os.environ.get("JOUNCE_ROBOTS")
    if not folder:
        warnings.simplefilter("ignore", jounce.ModelWarning)  # URDF has no gravity
        return [("panda", jounce.load("builtin:panda").to_urdf()), ("iiwa", jounce.load("builtin:kuka_iiwa").to_urdf())]
    return [(str(path), path.read_text()) for path in sorted(Path(folder).rglob("*.urdf"))]


class Both:
    """A robot in both libraries. order: their velocity coordinate i is our order[i]."""

    def __init__(self, text: str, floating: bool) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.ours = jounce.loads(text, mimic=False, gravity=[0, 0, -9.81], ignore_loops=True, floating=floating)
        self.theirs = (
            pin.buildModelFromXML(text, pin.JointModelFreeFlyer()) if floating else pin.buildModelFromXML(text)
        )
        self.data = self.theirs.createData()
        self.joints = [self.ours.joint(0 if name == "root_joint" else name) for name in self.theirs.names[1:]]
        self.order: list[int] = []
        for joint in self.joints:
            places = list(range(joint.v.start, joint.v.stop))
            self.order += [places[k] for k in SWAP] if joint.type == "free" else places

    def q(self, q: np.ndarray) -> np.ndarray:
        """A configuration in the coordinates of Pinocchio."""
        theirs = pin.neutral(self.theirs)
        for joint, other in zip(self.joints, list(self.theirs.joints)[1:]):
            values = q[joint.q]
            if other.nq == 2 and joint.type != "free":
                values = [np.cos(values[0]), np.sin(values[0])]
            theirs[other.idx_q : other.idx_q + other.nq] = values
        return theirs


class SameNumbers(unittest.TestCase):
    def compare(self, text: str, floating: bool) -> None:
        both = Both(text, floating)
        ours, theirs, data, order = both.ours, both.theirs, both.data, both.order
        self.assertEqual(theirs.nv, ours.nv)
        square = np.ix_(order, order)
        rng = np.random.default_rng(1)
        for k in range(3):
            q = ours.random(seed=k + 1)
            q[:3] = rng.uniform(-1, 1, 3) if floating else q[:3]
            v, a, tau = rng.uniform(-1, 1, (3, ours.nv))
            q_, v_, a_, tau_ = both.q(q), v[order], a[order], tau[order]
            self.close("tau", ours.inverse_dynamics(q, v, a)[order], pin.rnea(theirs, data, q_, v_, a_))
            M = np.array(pin.crba(theirs, data, q_))
            self.close("M", ours.mass_matrix(q)[square], np.triu(M) + np.triu(M, 1).T)
            self.close("g", ours.gravity_forces(q)[order], pin.computeGeneralizedGravity(theirs, data, q_))
            self.close("C v", ours.coriolis_forces(q, v)[order], pin.computeCoriolisMatrix(theirs, data, q_, v_) @ v_)
            pin.computeRNEADerivatives(theirs, data, q_, v_, a_)
            mine = ours.inverse_dynamics_derivatives(q, v, a)
            self.close("dtau/dq", mine.dtau_dq[square], data.dtau_dq)
            self.close("dtau/dv", mine.dtau_dv[square], data.dtau_dv)
            self.close("a", ours.forward_dynamics(q, v, tau)[order], pin.aba(theirs, data, q_, v_, tau_), INVERTED)
            pin.computeABADerivatives(theirs, data, q_, v_, tau_)
            fd = ours.forward_dynamics_derivatives(q, v, tau)
            inverse = np.triu(data.Minv) + np.triu(data.Minv, 1).T
            self.close("da/dq", fd.da_dq[square], data.ddq_dq, INVERTED)
            self.close("da/dv", fd.da_dv[square], data.ddq_dv, INVERTED)
            self.close("M^-1", fd.da_dtau[square], inverse, INVERTED)
            self.compare_whole(both, q, v, q_, v_)
            self.compare_frames(both, q, v, q_, v_)

    def compare_whole(self, both: Both, q: np.ndarray, v: np.ndarray, q_: np.ndarray, v_: np.ndarray) -> None:
        """Centroidal quantities and energies, if no link of weight is fixed to the world: Pinocchio forgets these."""
        ours, theirs, data, order = both.ours, both.theirs, both.data, both.order
        pin.computeCentroidalMomentumTimeVariation(theirs, data, q_, v_, np.zeros(theirs.nv))
        pin.ccrba(theirs, data, q_, v_)
        matrix = np.array(data.Ag)[SWAP]
        kinetic = pin.computeKineticEnergy(theirs, data, q_, v_)
        self.close("kinetic energy", ours.energy(q, v)[0], kinetic)
        if ours.fixed_mass:
            return
        self.close("momentum", ours.momentum(q, v, about="com"), np.concatenate([data.hg.angular, data.hg.linear]))
        self.close("momentum matrix", ours.momentum_matrix(q, about="com")[:, order], matrix)
        self.close("potential energy", ours.energy(q, v)[1], pin.computePotentialEnergy(theirs, data, q_))
        self.close("centre of mass", ours.center_of_mass(q).c, pin.centerOfMass(theirs, data, q_))
        J = pin.jacobianCenterOfMass(theirs, data, q_)
        self.close("its Jacobian", ours.com_jacobian("world", q)[:, order], J)

    def compare_frames(self, both: Both, q: np.ndarray, v: np.ndarray, q_: np.ndarray, v_: np.ndarray) -> None:
        ours, theirs, data, order = both.ours, both.theirs, both.data, both.order
        axes = {"body": pin.LOCAL, "aligned": pin.LOCAL_WORLD_ALIGNED}
        pin.computeJointJacobiansTimeVariation(theirs, data, q_, v_)
        pin.framesForwardKinematics(theirs, data, q_)
        for i in range(theirs.nframes):
            name = theirs.frames[i].name
            if name not in ours.frames or theirs.frames[i].type not in (pin.FrameType.BODY, pin.FrameType.FIXED_JOINT):
                continue
            self.close("pose of " + name, ours.frame_pose(name, q), data.oMf[i].homogeneous)
            for in_, theirs_in in axes.items():
                J = pin.computeFrameJacobian(theirs, data, q_, i, theirs_in)
                self.close("Jacobian of " + name, ours.frame_jacobian(name, q, in_=in_)[:, order], J[SWAP])
            rate = pin.getFrameJacobianTimeVariation(theirs, data, i, pin.LOCAL)
            self.close("rate of the Jacobian of " + name, ours.frame_jacobian_rate(name, q, v)[:, order], rate[SWAP])

    def close(self, what: str, ours: Any, theirs: Any, tolerance: float = TOLERANCE) -> None:
        scale = max(1.0, float(np.abs(theirs).max(initial=0)))
        np.testing.assert_allclose(ours, theirs, atol=tolerance * scale, rtol=0, err_msg=what)

    def test_all(self) -> None:
        for name, text in robots():
            for floating in (False, True):
                with self.subTest(name, floating=floating):
                    if not floating or "fixed" in {self.root_type(text)}:
                        self.compare(text, floating)

    def root_type(self, text: str) -> str:
        """A base can float if it is a link that is fixed to the world."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return jounce.loads(text, mimic=False, ignore_loops=True).joint_type_of(0)


if __name__ == "__main__":
    unittest.main()
