# SPDX-License-Identifier: BSD-2-Clause
"""Load a robot, look at it, place its links."""

import numpy as np

import jounce

panda = jounce.load("builtin:panda")
print(panda)
q = panda.configuration(panda_joint2=-0.6, panda_joint4=-2.2, panda_joint6=1.6)
for name, pose in zip(panda.frames, panda.frame_poses(q)):
    print(f"{name:12} at {np.round(pose[:3, 3], 4)}")
assert np.allclose(panda.frame_pose("panda_link7", q), panda.frame_poses(q)[panda.frame_index("panda_link7")])
