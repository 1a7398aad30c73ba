# SPDX-License-Identifier: BSD-2-Clause
"""A double pendulum with a motor at its elbow only swings up: an optimal-control problem solved by Ipopt with the exact
Hessian of the Lagrangian.
"""

import time

import casadi as ca
import numpy as np

import jounce
from jounce.casadi import Function

SECONDS, KNOTS, EFFORT = 3.0, 60, 15.0


def main():
    robot = jounce.load("builtin:double_pendulum")
    step = Function(robot, "step", step=SECONDS / KNOTS, integrator="rk4")
    begin = time.perf_counter()
    x, u = ca.MX.sym("x", 4, KNOTS + 1), ca.MX.sym("u", 1, KNOTS)
    gaps = []
    for k in range(KNOTS):
        q, v = step(x[:2, k], x[2:, k], ca.vertcat(0, u[k]))
        gaps.append(ca.vertcat(q, v) - x[:, k + 1])
    problem = {"x": ca.vertcat(ca.vec(x), ca.vec(u)), "f": SECONDS / KNOTS * ca.sumsqr(u), "g": ca.vertcat(*gaps)}
    free = np.full((KNOTS + 1, 4), np.inf)
    lower, upper = -free, free.copy()
    lower[0] = upper[0] = 0  # hanging
    lower[-1] = upper[-1] = [np.pi, 0, 0, 0]  # upright
    guess = np.zeros((KNOTS + 1, 4))
    guess[:, 0] = np.linspace(0, np.pi, KNOTS + 1)
    solver = ca.nlpsol("solver", "ipopt", problem, {"ipopt.print_level": 0, "print_time": False, "ipopt.sb": "yes"})
    ready = time.perf_counter()
    result = solver(
        x0=np.concatenate([guess.ravel(), np.zeros(KNOTS)]),
        lbx=np.concatenate([lower.ravel(), np.full(KNOTS, -EFFORT)]),
        ubx=np.concatenate([upper.ravel(), np.full(KNOTS, EFFORT)]),
        lbg=0,
        ubg=0,
    )
    stats = solver.stats()
    z = np.array(result["x"]).ravel()
    print(f"{stats['return_status']}: {stats['iter_count']} iterations, cost {float(result['f']):.3f}; "
          f"set-up {ready - begin:.3f} s, solution {time.perf_counter() - ready:.3f} s")  # fmt: skip
    assert stats["success"], stats["return_status"]
    assert np.abs(z[4 * (KNOTS + 1) :]).max() <= EFFORT * (1 + 1e-6)
    # The energy at the end is that of standing upright: the motor did this much work.
    end = z[4 * KNOTS : 4 * (KNOTS + 1)]
    gained = robot.energy(end[:2], end[2:]).sum() - robot.energy(np.zeros(2), np.zeros(2)).sum()
    print(f"energy gained: {gained:.4f} J")
    assert abs(gained - 9.81 * (0.5 + 1.5)) < 1e-3  # two rods of 1 kg, whose centres rise by 0.5 m and 1.5 m


if __name__ == "__main__":
    main()
