# SPDX-License-Identifier: BSD-2-Clause
"""The gradient of a cost after 40 steps with respect to all torques, in one pass back through the steps (the adjoint)."""

import numpy as np

import jounce

STEPS, H, EFFORT = 40, 0.025, 1e-3
model = jounce.load("builtin:double_pendulum")
target = np.array([np.pi, 0, 0, 0])
push = np.zeros(model.nv)


def motors_of_time(t, q, v_jet, order):
    jet = np.zeros((order + 1, model.nv))
    jet[0] = push
    return jet


simulator = model.simulator(order=8, step=H, derivatives=1, force=motors_of_time, force_order=1000, force_of_time=1)


def step(x, u):
    push[:] = u
    simulator.set(0.0, x[:2], x[2:])
    simulator.step(H)
    _, q, v = simulator.get()
    return np.concatenate([q, v])


def cost(u, gradient=False):
    states = [np.zeros(4)]
    for k in range(STEPS):
        states.append(step(states[-1], u[k]))
    off = states[-1] - target
    value = off @ off / 2 + EFFORT * H / 2 * (u * u).sum()
    if not gradient:
        return value
    slope, adjoint = np.empty_like(u), off
    for k in reversed(range(STEPS)):
        step(states[k], u[k])
        A, B = simulator.derivatives()
        slope[k] = B.T @ adjoint + EFFORT * H * u[k]
        adjoint = A.T @ adjoint
    return value, slope


u = np.tile([6.0, 1.0], (STEPS, 1))
value, slope = cost(u, gradient=True)
along = np.sin(1.0 + np.arange(u.size)).reshape(u.shape)
numerical = (cost(u + 1e-4 * along) - cost(u - 1e-4 * along)) / 2e-4
print(f"gradient along one direction: {(slope * along).sum():.9f}, by differences {numerical:.9f}")
assert np.isclose((slope * along).sum(), numerical, rtol=1e-5)
for _ in range(30):  # steepest descent with halved steps
    length = 1 / np.linalg.norm(slope)
    while cost(u - length * slope) > value:
        length /= 2
    u = u - length * slope
    value, slope = cost(u, gradient=True)
print(f"cost {value:.4f} after 30 rounds")
