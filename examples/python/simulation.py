# SPDX-License-Identifier: BSD-2-Clause
"""A double pendulum by Taylor series of high order, and with friction: the energy balance says what it lost."""

import numpy as np

import jounce

model = jounce.load("builtin:double_pendulum")
simulator = model.simulator(tolerance=1e-12)
simulator.set(0.0, np.array([2.0, -1.0]), np.zeros(2))
simulator.run(10.0)
report = simulator.report()
print(f"{report.steps} steps of order {report.order}, energy off by {report.drift:.1e} J")
assert abs(report.drift) < 1e-9

damped = model.simulator(integrator="dopri5", tolerance=1e-9, force=lambda t, q, v: -0.5 * v)
damped.set(0.0, np.array([2.0, -1.0]), np.zeros(2))
damped.run(10.0)
report = damped.report()
print(
    f"damped: {report.start - report.kinetic - report.potential:.3f} J taken by the motors, balance {report.drift:.1e} J"
)
assert report.work < 0
