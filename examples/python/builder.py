# SPDX-License-Identifier: BSD-2-Clause
"""Describe a robot in Python, a cart with a pendulum, and a copy of it with a payload."""

import numpy as np

import jounce

builder = jounce.Builder("cart_pendulum")
builder.add_link("cart", joint="prismatic", joint_name="rail", axis=[1, 0, 0], mass=2.0, damping=0.1)
builder.add_link("pole", "cart", joint="continuous", joint_name="pivot", axis=[0, 1, 0], mass=0.5, com=[0, 0, 0.4],
                 tensor=[0.02, 0.02, 0.001, 0, 0, 0])  # fmt: skip
builder.add_frame("tip", "pole", [0, 0, 0.8])
model = builder.build()
print(model)

loaded = model.with_payload("pole", jounce.inertia_pack(0.3, [0, 0, 0.8], np.zeros(6)))
q = np.array([0.0, 0.1])
print("M without payload", model.mass_matrix(q).tolist())
print("M with payload   ", loaded.mass_matrix(q).tolist())
assert np.isclose(loaded.mass, model.mass + 0.3)
# the weight turns the pole: g = -(m c) g sin(angle)
assert np.isclose(model.gravity_forces(q)[1], -0.5 * 0.4 * 9.81 * np.sin(0.1))
