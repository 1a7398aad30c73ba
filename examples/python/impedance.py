# SPDX-License-Identifier: BSD-2-Clause
"""Impedance in task space: the flange of a Panda behaves like a unit mass on a spring and a damper.

The forces are F = Lambda y'' + bias with y'' = k (target - p) - d p', as torques J^T F; what the arm does besides is
damped in the null space. So the distance to the target follows (1 + w t) exp(-w t), w^2 = k, d = 2 w.
"""

import numpy as np

import jounce

FREQUENCY = 4.0  # w [1/s]
panda = jounce.load("builtin:panda")
tasks = panda.tasks([{"type": "position", "frame": "panda_flange"}])
q = np.array([0, -0.4, 0, -2.2, 0, 1.8, 0.8])
pull = np.array([0.12, -0.1, 0.15])
target = tasks.values(q) + pull


def control(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    J = tasks.jacobian_jet(q)[0]
    task = tasks.operational_jet(q, np.stack([v, np.zeros(7)]), want=("Lambda", "bias", "Jbar"))
    wanted = FREQUENCY**2 * (target - tasks.values(q)) - 2 * FREQUENCY * J @ v
    force = task.Lambda[0] @ wanted + task.bias[0]
    damping = -2 * v
    return damping + J.T @ (force - task.Jbar[0].T @ damping)


simulator = panda.simulator(integrator="dopri5", force=control)
simulator.set(0.0, q)
worst = 0.0
print("t [s]  distance to the target [m]  of the oscillator [m]")
for t in np.linspace(0, 1.2, 7):
    if t > 0:
        simulator.run(t)
    left = np.linalg.norm(target - tasks.values(simulator.get().q))
    expected = np.linalg.norm(pull) * (1 + FREQUENCY * t) * np.exp(-FREQUENCY * t)
    print(f"{t:5.1f}  {left:26.9f}  {expected:21.9f}")
    worst = max(worst, abs(left - expected))
print(f"apart by at most {worst:.0e} m")
assert worst < 1e-7
