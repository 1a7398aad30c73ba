# SPDX-License-Identifier: BSD-2-Clause
"""The Panda from one posture to another in a given time, with limits on torques and on their rates, by Ipopt.

Direct collocation with the robot's own discrete step: the unknowns are q, v and tau at the knots, the constraints say
that x[k+1] = step(x[k], tau[k]). Ipopt gets exact Jacobians and the exact Hessian of the Lagrangian, sparse.
    python point_to_point.py [seconds] [knots]
"""

import sys
import time

import casadi as ca
import numpy as np

import jounce
from jounce.casadi import Function

START = np.array([0.0, -0.6, 0.0, -2.2, 0.0, 1.6, 0.8])
GOAL = np.array([1.2, 0.3, -0.4, -1.2, 0.5, 1.9, -0.4])


def transcribe(step, limits, seconds, knots, hold_start, hold_goal):
    """The problem as {x, f, g}, with bounds and a first guess. Torques are constant within a step; their rate is the
    difference of neighbours. The motion begins and ends at rest, with the torques that hold the robot there."""
    n, dt = len(START), seconds / knots
    X, T, g, low, high = ca.MX.sym("x", 2 * n, knots + 1), ca.MX.sym("tau", n, knots), [], [], []

    def constrain(expression, lower, upper):
        g.append(expression)
        low.append(np.broadcast_to(lower, expression.shape[0]))
        high.append(np.broadcast_to(upper, expression.shape[0]))

    torques = [hold_start, *ca.horzsplit(T), hold_goal]
    for k in range(knots):
        q, v = step(X[:n, k], X[n:, k], T[:, k])
        constrain(ca.vertcat(q, v) - X[:, k + 1], 0, 0)
    for before, after in zip(torques[:-1], torques[1:]):
        constrain(after - before, -limits.effort_rate * dt, limits.effort_rate * dt)
    cost = dt * ca.sumsqr(T / limits.effort)
    at_rest = np.zeros(n)
    lower = np.tile(np.concatenate([limits.lower, -limits.velocity]), (knots + 1, 1))
    upper = -np.tile(np.concatenate([-limits.upper, -limits.velocity]), (knots + 1, 1))
    lower[0] = upper[0] = np.concatenate([START, at_rest])
    lower[-1] = upper[-1] = np.concatenate([GOAL, at_rest])
    effort = np.tile(limits.effort, knots)
    s = np.linspace(0, 1, knots + 1)[:, None]
    guess = np.hstack([START + s**2 * (3 - 2 * s) * (GOAL - START), 6 * s * (1 - s) * (GOAL - START) / seconds])
    problem = {"x": ca.vertcat(ca.vec(X), ca.vec(T)), "f": cost, "g": ca.vertcat(*g)}
    bounds = {
        "x0": np.concatenate([guess.ravel(), np.tile(hold_start, knots)]),
        "lbx": np.concatenate([lower.ravel(), -effort]),
        "ubx": np.concatenate([upper.ravel(), effort]),
        "lbg": np.concatenate(low),
        "ubg": np.concatenate(high),
    }
    return problem, bounds


def solve(step, limits, seconds, knots, hold_start, hold_goal, options=None):
    """Set-up time, solution time, iterations, cost, solution."""
    begin = time.perf_counter()
    problem, bounds = transcribe(step, limits, seconds, knots, hold_start, hold_goal)
    quiet = {"ipopt.print_level": 0, "print_time": False, "ipopt.sb": "yes", **(options or {})}
    solver = ca.nlpsol("solver", "ipopt", problem, quiet)
    ready = time.perf_counter()
    result = solver(**bounds)
    end = time.perf_counter()
    stats = solver.stats()
    if not stats["success"]:
        raise SystemExit(f"Ipopt did not converge: {stats['return_status']}")
    return ready - begin, end - ready, stats["iter_count"], float(result["f"]), np.array(result["x"]).ravel()


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 0.6
    knots = int(sys.argv[2]) if len(sys.argv) > 2 else 40
    panda = jounce.load("builtin:panda")
    n, limits = panda.nv, panda.limits
    step = Function(panda, "step", step=seconds / knots, integrator="rk4")
    hold = panda.gravity_forces(START), panda.gravity_forces(GOAL)
    set_up, run, iterations, cost, x = solve(step, limits, seconds, knots, *hold)
    states, tau = x[: 2 * n * (knots + 1)].reshape(-1, 2 * n), x[2 * n * (knots + 1) :].reshape(-1, n)
    rates = np.diff(tau, axis=0) * knots / seconds
    print(f"{knots} steps of {seconds / knots:.4g} s: {iterations} iterations, cost {cost:.6f}")
    print(f"set-up {set_up:.3f} s, solution {run:.3f} s")
    print(f"largest share of the torque limits {np.abs(tau / limits.effort).max():.3f}, "
          f"of the rate limits {np.abs(rates / limits.effort_rate).max():.3f}")  # fmt: skip
    # What the solver found is what the simulator does with these torques.
    q, v = START, np.zeros(n)
    for k in range(knots):
        simulator = panda.simulator(integrator="dopri5", tolerance=1e-11, tau=tau[k])
        simulator.set(0.0, q, v)
        simulator.run(seconds / knots)
        q, v = simulator.get().q, simulator.get().v
    error = np.abs(q - GOAL).max()
    print(f"an accurate simulation with these torques ends {error:.1e} rad from the goal")
    assert error < 1e-3 and np.abs(states[-1, :n] - GOAL).max() < 1e-6
    assert np.abs(tau / limits.effort).max() <= 1 + 1e-6 and np.abs(rates / limits.effort_rate).max() <= 1 + 1e-6


if __name__ == "__main__":
    main()
