# SPDX-License-Identifier: BSD-2-Clause
"""Torques of the Panda and their time derivatives to third order, exact and by numerical differentiation."""

import numpy as np

import jounce

ORDER, STEP = 3, 1e-5
panda = jounce.load("builtin:panda")
A = np.array([-1.294, 0.7175, -0.5691, 0.5849, 1.6216, -0.9188, 0.4218])
w = np.array([1.7074, 3.08, 2.1085, 3.5904, 1.4183, 2.2856, 5.9275])


def motion(t):
    """q [n x 7] and v_jet [n x (ORDER + 2) x 7] of q = A cos(w t)."""
    rows = [A * w**k * np.cos(np.multiply.outer(t, w) + k * np.pi / 2) for k in range(ORDER + 3)]
    return rows[0], np.stack(rows[1:], axis=-2)


t = np.linspace(0, 5, 501)
rates = panda.inverse_dynamics_jet(*motion(t))  # all 501 states in one call
after, before = (panda.inverse_dynamics_jet(*motion(t + h)) for h in (STEP, -STEP))
for k in range(1, ORDER + 1):
    numerical = (after[:, k - 1] - before[:, k - 1]) / (2 * STEP)
    off = np.abs(numerical - rates[:, k]).max() / np.abs(rates[:, k]).max()
    print(f"order {k}: up to {np.abs(rates[:, k]).max():9.1f} N m/s^{k}, differences are off by {off:.1e}")
    assert off < 1e-7
