#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Motors of elastic joints along sinusoids to 25 digits, for tests/test_elastic.c: prints tests/reference_elastic.h.

Nothing of the library is used. q = q0 + amplitude sin(omega t + phase); tau_J by Newton and Euler's equations of
reference_motion.py, differentiated in time by mpmath with 60 digits; of the planar arm also by its closed form (Lagrange), which
must agree. With damping, delta is the integral of the first-order equation, by quadrature, from the six terms of the slow
solution at t = 0.
  tests/reference_elastic.py > tests/reference_elastic.h
"""
from mpmath import cos, diff, exp, mp, mpf, quad, sin

from reference_motion import Chain

mp.dps = 60
TIMES = ["0", "0.37", "1.25"]

CASES = [
    # robot, q0, amplitude, omega, phase, stiffness, rotor inertia, damping, times
    ("planar_2r", ["0", "-0.6"], ["0.25", "0.3"], ["2.5", "3.1"], ["0.1", "0.4"], ["900", "600"], ["0.8", "0.5"],
     ["0", "0"]),
    ("planar_2r", ["0", "-0.6"], ["0.25", "0.3"], ["2.5", "3.1"], ["0.1", "0.4"], ["900", "600"], ["0.8", "0.5"],
     ["4.5", "30"]),
    ("kuka_iiwa", ["0.1", "-0.4", "0.2", "1.1", "0", "-0.7", "0.3"], ["0.4", "0.35", "0.3", "0.4", "0.5", "0.45", "0.6"],
     ["2", "2.3", "2.7", "3", "3.3", "3.7", "4.1"], ["0", "0.3", "0.6", "0.9", "1.2", "1.5", "1.8"],
     ["10000", "10000", "8000", "8000", "6000", "3000", "2000"], ["3", "3", "2.5", "2", "1.5", "0.8", "0.4"],
     ["0"] * 7),
]


def numbers(x):
    return [mpf(float(i)) for i in x]  # of doubles, as the library gets them


class Motion:
    def __init__(self, robot, q0, amplitude, omega, phase):
        self.chain = Chain(robot, [0] * len(q0))
        self.parts = list(zip(numbers(q0), numbers(amplitude), numbers(omega), numbers(phase)))

    def q(self, t, order):
        return [
            (a if order == 0 else 0) + b * w**order * sin(w * t + p + order * mp.pi / 2) for a, b, w, p in self.parts
        ]

    def tau(self, t):
        q, v, a = self.q(t, 0), self.q(t, 1), self.q(t, 2)
        return self.chain.inverse(self.chain.rotations(q), v, a, 1)


def planar(bodies, g, q, v, a):
    """Lagrange's equations of two links in a plane, from masses, centres (x, y) and moments about the centres."""
    one, two = bodies
    L = two.p[0]
    r = two.c
    J1 = one.I[2][2] + one.m * (one.c[0] ** 2 + one.c[1] ** 2)
    J2 = two.I[2][2] + two.m * (r[0] ** 2 + r[1] ** 2)
    c, s = cos(q[1]), sin(q[1])
    h = two.m * L * (r[0] * c - r[1] * s)
    k = -two.m * L * (r[0] * s + r[1] * c)
    m11, m12 = J1 + J2 + two.m * L * L + 2 * h, J2 + h

    def pull(m, centre, angle):  # moment of the weight about the joint, against it
        x, y = centre[0] * cos(angle) - centre[1] * sin(angle), centre[0] * sin(angle) + centre[1] * cos(angle)
        return -m * (x * g[1] - y * g[0])

    g2 = pull(two.m, r, q[0] + q[1])
    g1 = pull(one.m, one.c, q[0]) + pull(two.m, [L, mpf(0)], q[0]) + g2
    return [
        m11 * a[0] + m12 * a[1] + k * (2 * v[0] * v[1] + v[1] ** 2) + g1,
        m12 * a[0] + J2 * a[1] - k * v[0] ** 2 + g2,
    ]


def deflection(motion, i, t, K, D):
    """delta to order 3 at t."""
    tau = lambda s, n=0: diff(lambda x: motion.tau(x)[i], s, n) if n else motion.tau(s)[i]
    if D == 0:
        return [tau(t, n) / K for n in range(4)]
    T = D / K
    start = sum((-T) ** n * tau(mpf(0), n) for n in range(6)) / K
    pieces = [t * k / 40 for k in range(41)] if t > 0 else [mpf(0), mpf(0)]
    delta = [exp(-t / T) * start + quad(lambda s: exp(-(t - s) / T) * tau(s), pieces) / D]
    for n in range(3):
        delta.append((tau(t, n) - K * delta[n]) / D)
    return delta


def main():
    print("/* SPDX-License-Identifier: BSD-2-Clause */")
    print("/* Made by tests/reference_elastic.py: motors of elastic joints along sinusoids. */")
    print("static const struct reference_elastic {\n  const char *robot;\n  int n;")
    print("  double q0[7], amplitude[7], omega[7], phase[7], stiffness[7], rotor_inertia[7], damping[7];")
    print("  struct {\n    double t, theta[4][7], spring[7], motor[2][7];\n  } at[3];\n} reference_elastics[] = {")
    for case in CASES:
        robot, q0, amplitude, omega, phase, K, B, D = case
        motion = Motion(robot, q0, amplitude, omega, phase)
        if robot == "planar_2r":
            t = mpf("0.7")
            other = planar(motion.chain.bodies, motion.chain.g, motion.q(t, 0), motion.q(t, 1), motion.q(t, 2))
            assert max(abs(x - y) for x, y in zip(other, motion.tau(t))) < mpf(10) ** -50
        text = lambda x: "{" + ", ".join(mp.nstr(i, 25) for i in x) + "}"
        plain = ", ".join("{" + ", ".join(x) + "}" for x in case[1:])
        print(f'    {{"builtin:{robot}", {len(q0)}, {plain}, {{')
        for when in TIMES:
            t, n = mpf(float(when)), len(q0)
            deltas = [deflection(motion, i, t, numbers(K)[i], numbers(D)[i]) for i in range(n)]
            theta = [[x + deltas[i][k] for i, x in enumerate(motion.q(t, k))] for k in range(4)]
            torque = [[diff(lambda x, i=i: motion.tau(x)[i], t, k) for i in range(n)] for k in range(2)]
            motor = [[numbers(B)[i] * theta[k + 2][i] + torque[k][i] for i in range(n)] for k in range(2)]
            rows = ", ".join(text(x) for x in theta)
            print(f"        {{{when}, {{{rows}}}, {text(torque[0])}, {{{text(motor[0])}, {text(motor[1])}}}}},")
        print("    }},", flush=True)
    print("};")


main()
