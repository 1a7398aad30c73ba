# SPDX-License-Identifier: BSD-2-Clause
"""The Panda from posture to posture by Ipopt (examples/solvers/point_to_point.py): with jounce's plugin, and with forward
dynamics traced through CasADi's symbols by Pinocchio, in one run: time to set up, to solve, and the same solution.

    python bench/solvers.py [TRACER]     TRACER: bench/pinocchio_casadi.cpp, compiled; script/bench --solvers does that
"""

import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import casadi as ca
import numpy as np

import jounce
from jounce.casadi import Function

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "examples" / "solvers"))
import point_to_point as task

SECONDS, KNOTS, TIMES = 0.6, 40, 3


def traced(tracer, model):
    """Pinocchio's forward dynamics as a casadi.Function, and the time to read the robot and to trace it."""
    import pinocchio

    warnings.simplefilter("ignore")
    begin = time.perf_counter()
    theirs = pinocchio.buildModelFromXML(model.to_urdf())
    with tempfile.TemporaryDirectory() as folder:
        theirs.saveToText(f"{folder}/model")
        subprocess.run([tracer, f"{folder}/model", f"{folder}/function"], check=True)
        function = ca.Function.load(f"{folder}/function")
    return function, time.perf_counter() - begin


def runge_kutta(f, n, h, kind):
    """The same method as jounce's rk4, out of calls of f: kind SX makes one expression of them, MX calls f."""
    q, v, tau = (kind.sym(name, n) for name in ("q", "v", "tau"))
    k1 = f(q, v, tau)
    k2 = f(q + h / 2 * v, v + h / 2 * k1, tau)
    k3 = f(q + h / 2 * v + h * h / 4 * k1, v + h / 2 * k2, tau)
    k4 = f(q + h * v + h * h / 2 * k2, v + h * k3, tau)
    return ca.Function("step", [q, v, tau],
                       [q + h * v + h * h / 6 * (k1 + k2 + k3), v + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)])  # fmt: skip


def main():
    panda = jounce.load("builtin:panda").with_gravity([0, 0, -9.81])
    limits, h = panda.limits, SECONDS / KNOTS
    hold = panda.gravity_forces(task.START), panda.gravity_forces(task.GOAL)
    rows = []

    def measure(name, make):
        best, prepared = None, []
        for _ in range(TIMES):
            begin = time.perf_counter()
            step = make()
            prepared.append(time.perf_counter() - begin)
            result = task.solve(step, limits, SECONDS, KNOTS, *hold)
            if best is None or result[1] < best[1]:
                best = result
        rows.append((name, min(prepared), *best))

    measure("jounce, plugin", lambda: Function(panda, "step", step=h))
    if len(sys.argv) > 1:
        measure("Pinocchio, SX step", lambda: runge_kutta(traced(sys.argv[1], panda)[0], panda.nv, h, ca.SX))
        measure("Pinocchio, MX step", lambda: runge_kutta(traced(sys.argv[1], panda)[0], panda.nv, h, ca.MX))
    else:
        print("without a tracer, Pinocchio is left out: see script/bench --solvers")
    print(f"Panda, {KNOTS} steps of {h:.4g} s, Ipopt with exact Hessians; best of {TIMES}, in one run")
    print(f"{'':20s}{'function [s]':>14s}{'nlpsol [s]':>12s}{'solve [s]':>12s}{'iterations':>12s}{'cost':>12s}")
    for name, prepared, ready, run, count, cost, _ in rows:
        print(f"{name:20s}{prepared:14.3f}{ready:12.3f}{run:12.3f}{count:12d}{cost:12.6f}")
    for row in rows[1:]:
        print(f"{row[0]}: largest difference of the solutions {np.abs(row[-1] - rows[0][-1]).max():.1e}; set-up "
              f"{(row[1] + row[2]) / (rows[0][1] + rows[0][2]):.1f} times, solution {row[3] / rows[0][3]:.1f} times "
              "that of the plugin")  # fmt: skip


if __name__ == "__main__":
    main()
