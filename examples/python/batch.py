# SPDX-License-Identifier: BSD-2-Clause
"""Many states at once: a Panda starts with a thousand velocities and moves for a tenth of a second without torques."""

import numpy as np

import jounce

panda = jounce.load("builtin:panda")
rng = np.random.default_rng(1)
q = np.tile(panda.configuration(panda_joint2=-0.6, panda_joint4=-2.2, panda_joint6=1.6), (1000, 1))
v = rng.uniform(-1, 1, q.shape)
before = panda.energy(q, v).sum(axis=-1)
h = 1e-3
for _ in range(100):  # midpoint method
    a = panda.forward_dynamics(q, v)
    q_mid, v_mid = q + h / 2 * v, v + h / 2 * a
    a = panda.forward_dynamics(q_mid, v_mid)
    q, v = q + h * v_mid, v + h * a
after = panda.energy(q, v).sum(axis=-1)
print(f"mean energy {before.mean():.6f} J before, {after.mean():.6f} J after")
assert np.abs(after - before).max() < 1e-2
