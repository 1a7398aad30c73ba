# SPDX-License-Identifier: BSD-2-Clause
"""The same numbers as Pinocchio (package pin), to 1e-10, on URDF files.

JOUNCE_ROBOTS: a folder with URDF files; without it the built-in Panda. Skipped if pin is not installed. Pinocchio has the
linear part of twists and wrenches first and orders joints by name, so rows and columns are exchanged here.
"""

from __future__ import annotations

import os
import sys
import unittest
import warnings
from pathlib import Path

import numpy as np

import jounce

try:
    import pinocchio as pin
except ImportError:
    print("pin is not installed: skipped")
    sys.exit(77)


def robots() -> list[tuple[str, str]]:
    folder = os.environ.get("JOUNCE_ROBOTS")
    if not folder:
        warnings.simplefilter("ignore", jounce.ModelWarning)  # URDF has no gravity
        return [("panda", jounce.load("builtin:panda").to_urdf())]
    return [(str(path), path.read_text()) for path in sorted(Path(folder).rglob("*.urdf"))]


class SameNumbers(unittest.TestCase):
    def compare(self, text: str) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ours = jounce.loads(text, mimic=False, gravity=[0, 0, -9.81], ignore_loops=True)
        theirs = pin.buildModelFromXML(text)
        data = theirs.createData()
        if theirs.nq != ours.nq or theirs.nv != ours.nv or ours.nq != ours.nv:
            self.skipTest("joints that the two describe differently")
        order = [ours.joint(theirs.names[i]).v.start for i in range(1, theirs.njoints)]  # theirs[i] is ours[order[i]]
        rng = np.random.default_rng(1)
        for _ in range(3):
            q, v, a, tau = rng.uniform(-1, 1, (4, ours.nv))
            q_, v_, a_, tau_ = (x[order] for x in (q, v, a, tau))
            both = np.ix_(order, order)
            self.close(ours.inverse_dynamics(q, v, a)[order], pin.rnea(theirs, data, q_, v_, a_))
            M = np.array(pin.crba(theirs, data, q_))
            self.close(ours.mass_matrix(q)[both], np.triu(M) + np.triu(M, 1).T)
            self.close(ours.forward_dynamics(q, v, tau)[order], pin.aba(theirs, data, q_, v_, tau_), 1e-7)
            pin.computeRNEADerivatives(theirs, data, q_, v_, a_)
            mine = ours.inverse_dynamics_derivatives(q, v, a)
            self.close(mine.dtau_dq[both], data.dtau_dq)
            self.close(mine.dtau_dv[both], data.dtau_dv)
            h = pin.computeCentroidalMomentum(theirs, data, q_, v_)
            if ours.fixed_mass == 0:
                self.close(ours.momentum(q, v, about="com"), np.concatenate([h.angular, h.linear]))
            frame = theirs.nframes - 1
            J = pin.computeFrameJacobian(theirs, data, q_, frame, pin.LOCAL)
            name = theirs.frames[frame].name
            if name in ours.frames:
                self.close(ours.frame_jacobian(name, q)[:, order], np.vstack([J[3:], J[:3]]))

    def close(self, ours: np.ndarray, theirs: np.ndarray, tolerance: float = 1e-10) -> None:
        scale = max(1.0, float(np.abs(theirs).max(initial=0)))
        np.testing.assert_allclose(ours, theirs, atol=tolerance * scale, rtol=0)

    def test_all(self) -> None:
        for name, text in robots():
            with self.subTest(name):
                self.compare(text)


if __name__ == "__main__":
    unittest.main()
