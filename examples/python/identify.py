# SPDX-License-Identifier: BSD-2-Clause
"""Inertias and frictions of a Panda from positions and noisy torques; its file is wrong by 30 %."""

import numpy as np

import jounce

robot = jounce.load("builtin:panda")  # stands for the real one
masses = np.where(np.arange(robot.link_count) % 2, 1.3, 0.7)
start = robot.with_parameters(robot.parameters() * np.repeat(masses, 10))
rng = np.random.default_rng(1)

# a motion that excites all joints: 12 s at 200 Hz; yours comes from `jounce excite`, and the torques from the robot
t = np.arange(2400) * 0.005
middle = np.array([0, 0, 0, -1.6, 0, 1.8, 0])


def measure(phase, noise):
    k = np.arange(1, 6)[:, None, None]  # harmonics
    angle = 0.6 * k * t[:, None] + k * (phase + 1.7 * np.arange(7))
    q = middle + (0.5 / k * np.sin(angle)).sum(axis=0)
    v = (0.3 * np.cos(angle)).sum(axis=0)
    a = -(0.18 * k * np.sin(angle)).sum(axis=0)
    tau = robot.inverse_dynamics(q, v, a) + 0.8 * v + 0.5 * np.sign(v)
    return q, tau + noise * rng.standard_normal(tau.shape)


INERTIA, ROTOR, VISCOUS, COULOMB, OFFSET = 1, 2, 4, 8, 16
found = start.identification(columns=INERTIA | VISCOUS | COULOMB | OFFSET)
held = start.identification(columns=INERTIA | VISCOUS | COULOMB | OFFSET)
for identification, phase in ((found, 0.3), (held, 1.1)):
    q, tau = measure(phase, noise=0.2)
    motion = start.trajectory_from_samples(t, q)
    motion.set_forces(t, tau)
    identification.add_trajectory(motion, cutoff=found.cutoff(motion))

estimate = found.solve(-1, 1)  # weight of the prior by cross-validation; physically consistent
print(f"{estimate.told} of {estimate.base_count} base parameters, condition number {estimate.condition:.3g}")
names = [found.name(i) for i in range(found.count)]
for i in range(7):
    print(f"  {names[-21 + i]:24} {estimate.x[-21 + i]:.3f} N m s/rad (0.8)")


def percent(identification, x):
    error, force, rows = identification.residuals(x)
    return 100 * np.sqrt((error**2 * rows).sum() / (force**2 * rows).sum())


for what, identification in (("data", found), ("motion held back", held)):
    before, after = percent(identification, found.prior), percent(identification, estimate.x)
    print(f"residual / torque on the {what}: {after:.2f} % (before {before:.1f} %)")
    assert after < 1 < before

better = found.identified_model(estimate.x)  # better.save("panda.urdf") writes it
for link in range(better.link_count):
    inertia = better.link_inertia(link)
    assert inertia[0] == 0 or jounce.inertia_is_physical(inertia)
