#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""jounce retime against toppra (PyPI), on the limits that both know: velocity and acceleration of the Panda along its demo.

toppra lets accelerations jump, also at the ends, so its motion is the shorter one; jounce's must not be shorter, and not longer
than 3 %.   oracle_toppra.py COMMAND; exit status 77 without toppra"""
import json
import math
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

A = [-1.2943753211777664, 0.71753414543550109, -0.56913807649661763, 0.58489441586271551, 1.6216297151633214,
     -0.91878557097520275, 0.42176059919352271]
W = [1.7073873117335832, 3.0799927976370518, 2.1084514453622774, 3.5903916041026207, 1.4183262544423447,
     2.2856257938085069, 5.927533308659986]
OFFSET = [0, 0, 0, -1.6, 0, 1.8, 0]
VELOCITY = [2.175] * 4 + [2.61] * 3
ACCELERATION = [15, 7.5, 10, 12.5, 15, 20, 20]


def by_toppra(points):
    toppra.setup_logging("ERROR")
    s = numpy.linspace(0, 5, 2001)
    path = toppra.SplineInterpolator(
        s, numpy.array([[o + a * math.cos(w * x) for a, w, o in zip(A, W, OFFSET)] for x in s]))
    limits = [constraint.JointVelocityConstraint(numpy.array([[-v, v] for v in VELOCITY])),
              constraint.JointAccelerationConstraint(numpy.array([[-a, a] for a in ACCELERATION]))]
    grid = numpy.linspace(0, 5, points + 1)
    return algorithm.TOPPRA(limits, path, gridpoints=grid, solver_wrapper="seidel").compute_trajectory(0, 0).duration


def by_jounce(command):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump({f"panda_joint{i}": {"effort": None, "effort_rate": None, "jerk": None} for i in range(1, 8)}, file)
        file.flush()
        text = subprocess.run([command, "retime", "builtin:panda", "builtin:demo", "--limits", file.name],
                              capture_output=True, text=True, check=True).stdout
    return float(re.search(r"before, ([0-9.]+) s now", text).group(1))


begin = time.time()
other = by_toppra(4000)
middle = time.time()
own = by_jounce(sys.argv[1])
print(f"toppra {other:.4f} s ({middle - begin:.2f} s), jounce {own:.4f} s ({time.time() - middle:.2f} s): {100 * (own / other - 1):.2f} % longer")
sys.exit(0 if 0.999 < own / other < 1.03 else 1)
