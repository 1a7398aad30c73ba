# SPDX-License-Identifier: BSD-2-Clause
"""From the path of a tool to torques and their rates: the flange of a Panda goes round a circle in 2 s.

Joint velocities, accelerations, jerks and snaps follow from those of the circle, and torques with two derivatives from
these; differences of the torques confirm them.
"""

import numpy as np

import jounce

RADIUS, DURATION, ORDER = 0.1, 2.0, 2
panda = jounce.load("builtin:panda")
tasks = panda.tasks([{"type": "pose", "frame": "panda_flange"}], order=4)
q = np.array([0, -0.4, 0, -2.2, 0, 1.8, 0.8])
T0 = tasks.values(q).reshape(4, 4)
w = 2 * np.pi / DURATION


def circle(t: float, order: int) -> tuple[np.ndarray, np.ndarray]:
    """The pose on a circle in the plane y-z; its twist in the axes of the flange, and the derivatives of that."""
    T = T0.copy()
    T[:3, 3] += RADIUS * np.array([0, np.sin(w * t), 1 - np.cos(w * t)])
    rates = np.zeros((order + 1, 6))
    for k in range(order + 1):
        phase = w * t + k * np.pi / 2
        rates[k, 3:] = T0[:3, :3].T @ (RADIUS * w ** (k + 1) * np.array([0, np.cos(phase), np.sin(phase)]))
    return T, rates


now = 0.0


def torques_at(t: float) -> np.ndarray:
    """Torques and their derivatives [order + 1, nv] where the arm is at time t."""
    global q, now
    q, now, _, reach = tasks.follow(circle, now, t, q)
    assert reach.outcome == "reached"
    v_jet = tasks.motion_jet(q, circle(t, ORDER + 1)[1]).v_jet
    return panda.inverse_dynamics_jet(q, v_jet)


h, worst, most = 1e-4, 0.0, 0.0
print("t [s]  torque of joint 2 [N m]  its rate [N m/s]  by differences")
for t in np.linspace(0, DURATION, 9):
    before, tau, after = (torques_at(s) for s in (t - h, t, t + h))
    rates = (after - before) / (2 * h)
    worst = max(worst, np.abs(tau[1:] - rates[:-1]).max())
    most = max(most, np.abs(tau[1:]).max())
    print(f"{t:5.2f}  {tau[0, 1]:24.6f}  {tau[1, 1]:16.6f}  {rates[0, 1]:14.6f}")
print(f"off by at most {worst:.0e} of {most:.0f}")
assert worst < 1e-5 * most
