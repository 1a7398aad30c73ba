# SPDX-License-Identifier: BSD-2-Clause
"""Inverse and forward dynamics, and the torques that hold 2 kg at the flange."""

import numpy as np

import jounce

panda = jounce.load("builtin:panda")
q = panda.configuration(panda_joint2=-0.6, panda_joint4=-2.2, panda_joint6=1.6, panda_joint7=0.8)
v, a = np.full(7, 0.3), np.full(7, 1.0)

tau = panda.inverse_dynamics(q, v, a)
assert np.allclose(panda.forward_dynamics(q, v, tau), a)
M, h = panda.mass_matrix(q), panda.bias_forces(q, v)
assert np.allclose(M @ a + h, tau)

# 2 kg at the flange pull down: a wrench on the link, in the link's frame (moment, force)
R = panda.frame_pose("panda_link7", q)[:3, :3]
wrench = np.zeros((panda.link_count, 6))
wrench[panda.link_index("panda_link7"), 3:] = R.T @ (2 * panda.gravity)
hold = panda.inverse_dynamics(q, wrench=wrench)
for name, alone, loaded in zip(panda.v_names, panda.gravity_forces(q), hold):
    print(f"{name}: {alone:+8.3f} N m alone, {loaded:+8.3f} N m with 2 kg")
payload = panda.with_payload("panda_link7", jounce.inertia_pack(2.0, np.zeros(3), np.zeros(6)))
assert np.allclose(payload.gravity_forces(q), hold)
