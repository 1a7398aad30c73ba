# SPDX-License-Identifier: BSD-2-Clause
"""Adaptive control of a Panda whose masses are not known (Slotine and Li 1987), by its regressor."""

import numpy as np

import jounce

panda = jounce.load("builtin:panda")
rng = np.random.default_rng(1)
truth = panda.parameters()
LAMBDA, K = 5.0, np.array([10, 10, 8, 8, 2, 1.5, 0.5])
GAMMA = np.tile([50, 2, 2, 2, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5], panda.link_count)
START = np.array([-0.6, -0.8, -0.3, -2.2, -0.5, 1.2, -0.5])
SWING = np.array([0.6, 0.4, 0.3, 0.5, 0.4, 0.4, 0.6])
W = 2 * np.pi / 4 * np.array([1, 2, 3, 1, 2, 3, 1])


def desired(t):
    return START + SWING * (1 - np.cos(W * t)), SWING * W * np.sin(W * t), SWING * W**2 * np.cos(W * t)


def rates(t, q, v, believed, adapts):
    q_d, v_d, a_d = desired(t)
    v_r, a_r = v_d - LAMBDA * (q - q_d), a_d - LAMBDA * (v - v_d)
    s = v - v_r
    Y = panda.slotine_li_regressor(q, v, v_r, a_r)
    a = panda.forward_dynamics(q, v, Y @ believed - K * s)
    return v, a, -GAMMA * (Y.T @ s) if adapts else np.zeros_like(believed)


def largest_error(adapts, h=2e-3, duration=8.0):
    """Of the last four seconds, by steps of Heun's method."""
    q, v, believed = START + 0.05, np.zeros(7), truth * rng.uniform(0.7, 1.3, truth.size)
    worst = 0.0
    for i in range(int(duration / h)):
        one = rates(i * h, q, v, believed, adapts)
        two = rates((i + 1) * h, q + h * one[0], v + h * one[1], believed + h * one[2], adapts)
        q, v, believed = (x + h / 2 * (a + b) for x, a, b in zip((q, v, believed), one, two))
        if i * h > duration - 4:
            worst = max(worst, float(np.linalg.norm(q - desired((i + 1) * h)[0])))
    return worst


fixed, adapted = largest_error(False), largest_error(True)
print(f"largest error: {fixed:.2e} rad without, {adapted:.2e} rad with adaptation")
assert adapted < 0.5 * fixed
