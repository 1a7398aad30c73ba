# SPDX-License-Identifier: BSD-2-Clause
"""A four-bar linkage: assembly, motion, the motor's torque and its rates."""

import numpy as np

import jounce

bar = {"joint": "revolute", "axis": [0, 1, 0], "mass": 1.0, "tensor": [0.01, 0.01, 0.01, 0, 0, 0]}
builder = jounce.Builder("four_bar")
builder.add_link("crank", com=[0, 0, 0.1], **bar)
builder.add_link("coupler", "crank", [0, 0, 0.2], com=[0.25, 0, 0], **bar)
builder.add_link("rocker", "world", [0.5, 0, 0], com=[0, 0, 0.15], **bar)
builder.add_loop(
    "pin", "revolute", "coupler", "rocker", placement_a=[0.5, 0, 0], placement_b=[0, 0, 0.3], axis=[0, 1, 0]
)
model = builder.build()
loops = model.loops

motor = np.array([True, False, False])
q, gap = loops.assemble(0.0, np.array([0.3, 0.0, 0.2]), held=motor)
print(f"assembled to {gap:.1e} m at {np.round(q, 4)}; {loops.rows} conditions of rank {loops.rank(q)}")

v_jet = np.zeros((4, 3))
v_jet[0, 0] = 5.0  # the crank turns at 5 rad/s; all else follows
v_jet = loops.complete_motion(motor, q, v_jet)
tau = loops.inverse_dynamics_jet(motor, q, v_jet).tau_jet
for k in range(3):
    print(f"torque of the motor, derivative {k}: {tau[k, 0]:+.4f} N m/s^{k}")
again = loops.forward_dynamics_jet(q, v_jet[0], tau).v_jet
assert np.allclose(again, v_jet)
