# SPDX-License-Identifier: BSD-2-Clause
"""A map of the workspace: which points of the plane y = 0 the flange of a Panda reaches while it points straight down.

All targets are solved in one call; `#` where it moves well, `-` where it hardly moves.
"""

import numpy as np

import jounce

panda = jounce.load("builtin:panda")
tasks = panda.tasks([{"type": "pose", "frame": "panda_flange"}], starts=10)
x, z = np.meshgrid(np.linspace(0, 1, 26), np.linspace(1.1, -0.3, 15))
T = np.broadcast_to(np.diag([1.0, -1.0, -1.0, 1.0]), (*x.shape, 4, 4)).copy()
T[..., 0, 3], T[..., 2, 3] = x, z
found = tasks.solve(T.reshape(*x.shape, 16), np.array([0, 0, 0, -1.5, 0, 1.9, 0]))

good = found.reach.outcome == "reached"
marks = np.where(found.reach.manipulability < 0.03, "-", np.where(found.reach.manipulability < 0.07, "+", "#"))
for row in np.where(good, marks, "."):
    print("".join(row))
error = np.abs(tasks.error(found.q, T.reshape(*x.shape, 16)))[good].max()
print(f"{good.sum()} of {good.size} poses are reached, all to {error:.0e}")
assert error < 1e-11 and 100 < good.sum() < good.size
