# SPDX-License-Identifier: BSD-2-Clause
"""The Panda with elastic joints (harmonic drives), in closed loop on its motors.

Computed torque that takes the joints for rigid leaves the links behind by the deflection of the springs; the exact
feed-forward of elastic.inverse() with the same feedback follows.
"""

from pathlib import Path

import numpy as np

import jounce

panda = jounce.load("builtin:panda")
elastic = panda.elastic(Path(__file__).parents[1] / "panda_actuators.json")
motion = panda.trajectory("builtin:demo")
rotors = np.array([elastic.actuator(i).rotor_inertia for i in range(7)])
links = [elastic.link_coordinate(i) for i in range(7)]
DURATION, STEP = 0.3, 0.1


def wanted(t):
    """The motion, and the motors that it needs: angles, speeds and torques."""
    q, v_jet = motion.evaluate(t, order=elastic.order(1))
    return q, v_jet, elastic.inverse(t, q, v_jet, panda.inverse_dynamics_jet(q, v_jet))


def rigid(t, theta, rate):
    """As if the motors were the links, with their rotors."""
    q, v_jet, _ = wanted(t)
    a = v_jet[1] + 100 * (v_jet[0] - rate) + 2500 * (q - theta)
    return panda.inverse_dynamics(theta, rate, a) + rotors * a


def exact(t, theta, rate):
    _, _, motors = wanted(t)
    return elastic.motor_pd(motors.motor_jet[0], motors.theta_jet, theta, rate, 2500 * rotors, 100 * rotors)


def largest_error(controller):
    """Of the links, along the motion. Controllers see the motors only, as most robots do."""

    def force(t, q_all, v_all):
        state = elastic.split(q_all, v_all)
        return elastic.forces(t, q_all, v_all[None], controller(t, state.theta, state.dtheta)[None])[0]

    simulator = elastic.full_model.simulator(integrator="dopri5", tolerance=1e-9, force=force)
    q, v_jet, motors = wanted(0.0)
    simulator.set(0.0, *elastic.join(q, v_jet[0], motors.theta_jet[0], motors.theta_jet[1]))
    error = 0.0
    for t in np.arange(STEP, DURATION + STEP / 2, STEP):
        simulator.run(t)
        error = max(error, np.abs(simulator.get().q[links] - motion.evaluate(t).q).max())
    return error


errors = [largest_error(controller) for controller in (rigid, exact)]
print(
    f"largest error of the links: {errors[0]:.2g} rad by rigid computed torque, {errors[1]:.1g} rad by elastic feed-forward"
)
assert errors[0] > 1e-4 and errors[1] < 1e-6
