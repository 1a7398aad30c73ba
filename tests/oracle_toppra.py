#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""jounce retime against toppra (PyPI), on the limits that both know: velocity and acceleration of the Panda along its demo and a weave.

toppra lets accelerations jump, also at the ends, so its motion is the shorter one; jounce's must not be shorter, and not longer
than 3 %; than 10 % along the weave, where accelerations change sign every 55 ms.   oracle_toppra.py COMMAND; exit status 77 without toppra"""
import importlib.metadata
import json
import os
import re
import subprocess
import sys
import tempfile
import time

try:
    import numpy
    import toppra
    from toppra import algorithm, constraint
except ImportError:
    print("no toppra: pip install toppra")
    sys.exit(77)

VELOCITY = [2.175] * 4 + [2.61] * 3
ACCELERATION = [15, 7.5, 10, 12.5, 15, 20, 20]


def positions(command, motion, folder):
    """The path, as jounce reads it: times and angles."""
    out = folder + "/path.csv"
    subprocess.run([command, "torque", "builtin:panda", motion, "--order", "0", "--rate", "2000", "--out", out],
                   capture_output=True, check=True)
    rows = numpy.loadtxt(out, delimiter=",", skiprows=1)
    return rows[:, 0], rows[:, 1:8]


def by_toppra(s, q, points):
    toppra.setup_logging("ERROR")
    path = toppra.SplineInterpolator(s, q)
    limits = [constraint.JointVelocityConstraint(numpy.array([[-v, v] for v in VELOCITY])),
              constraint.JointAccelerationConstraint(numpy.array([[-a, a] for a in ACCELERATION]))]
    grid = numpy.linspace(s[0], s[-1], points + 1)
    return algorithm.TOPPRA(limits, path, gridpoints=grid, solver_wrapper="seidel").compute_trajectory(0, 0).duration


def by_jounce(command, motion, folder):
    limits = folder + "/limits.json"
    with open(limits, "w") as file:
        json.dump({f"panda_joint{i}": {"effort": None, "effort_rate": None, "jerk": None} for i in range(1, 8)}, file)
    text = subprocess.run([command, "retime", "builtin:panda", motion, "--limits", limits],
                          capture_output=True, text=True, check=True).stdout
    return float(re.search(r"before, ([0-9.]+) s now", text).group(1))


good = True
weave = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "examples", "panda_weave.json")
with tempfile.TemporaryDirectory() as folder:
    for motion in ["builtin:demo", weave]:
        s, q = positions(sys.argv[1], motion, folder)
        begin = time.time()
        other = by_toppra(s, q, 4000)
        middle = time.time()
        own = by_jounce(sys.argv[1], motion, folder)
        print(f"{os.path.basename(motion)}: toppra {importlib.metadata.version('toppra')} {other:.4f} s ({middle - begin:.2f} s), jounce {own:.4f} s "
              f"({time.time() - middle:.2f} s): {100 * (own / other - 1):.2f} % longer")
        good = good and 0.999 < own / other < (1.03 if motion == "builtin:demo" else 1.10)
sys.exit(0 if good else 1)
