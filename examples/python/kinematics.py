# SPDX-License-Identifier: BSD-2-Clause
"""Inverse kinematics by Newton's method on the group: the pose of the Panda's flange, reached in a few steps."""

import numpy as np

import jounce

panda = jounce.load("builtin:panda")
goal = panda.frame_pose("panda_link7", panda.configuration(panda_joint1=0.4, panda_joint2=-0.3, panda_joint4=-1.9,
                                                           panda_joint6=1.8, panda_joint7=0.2))  # fmt: skip
q = panda.configuration(panda_joint2=-0.6, panda_joint4=-2.2, panda_joint6=1.6)
for step in range(20):
    pose = panda.frame_pose("panda_link7", q)
    error = jounce.se3_log(jounce.se3_multiply(jounce.se3_inverse(pose), goal))  # twist in the flange's own axes
    print(f"step {step}: {np.linalg.norm(error):.3e}")
    if np.linalg.norm(error) < 1e-12:
        break
    J = panda.frame_jacobian("panda_link7", q, in_="body")
    q = panda.integrate(q, np.linalg.pinv(J) @ error)
assert np.allclose(panda.frame_pose("panda_link7", q), goal, atol=1e-10)
