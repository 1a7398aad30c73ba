#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Motions of two built-in robots to 20 digits, for tests/test_simulation.c: prints tests/reference_motion.h.

Nothing of the library is used. Newton and Euler's equations are written out in the world's axes; the mass matrix is made
of their columns; the state is moved by the modified midpoint rule with Richardson extrapolation (Gragg), in 34 digits of
mpmath, once with steps H and once with H/2, whose difference is printed. Takes a few minutes:
  tests/reference_motion.py > tests/reference_motion.h
"""
import json
import os
import sys

from mpmath import mp, mpf, matrix, lu_solve, cos, sin

mp.dps = 34
ROBOTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "src", "io", "robots")


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def add(a, b):
    return [x + y for x, y in zip(a, b)]


def sub(a, b):
    return [x - y for x, y in zip(a, b)]


def scale(s, a):
    return [s * x for x in a]


def times(R, a):
    return [R[i][0] * a[0] + R[i][1] * a[1] + R[i][2] * a[2] for i in range(3)]


def back(R, a):
    return [R[0][i] * a[0] + R[1][i] * a[1] + R[2][i] * a[2] for i in range(3)]


def product(A, B):
    return [[sum(A[i][k] * B[k][j] for k in range(3)) for j in range(3)] for i in range(3)]


class Body:
    def __init__(self, data):
        place = data.get("placement", {})
        number = mpf  # of doubles, as the library reads them
        self.p = [number(float(x)) for x in place.get("position", [0, 0, 0])]
        self.R = [[number(float(x)) for x in row] for row in place.get("rotation", [[1, 0, 0], [0, 1, 0], [0, 0, 1]])]
        self.axis = [number(float(x)) for x in data["joint"].get("axis", [0, 0, 1])]
        inertia = data["inertia"]
        if "parameters" in inertia:
            m, hx, hy, hz, xx, yy, zz, xy, xz, yz = [number(float(x)) for x in inertia["parameters"]]
            self.m, self.c = m, [hx / m, hy / m, hz / m]
            J = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
            c, square = self.c, sum(x * x for x in self.c)
            self.I = [[J[i][j] - m * ((square if i == j else 0) - c[i] * c[j]) for j in range(3)] for i in range(3)]
        else:
            self.m = number(float(inertia["mass"]))
            self.c = [number(float(x)) for x in inertia["com"]]
            tensor = inertia.get("tensor", [0] * 6)
            if len(tensor) == 6:
                xx, yy, zz, xy, xz, yz = tensor
                tensor = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
            self.I = [[number(float(x)) for x in row] for row in tensor]


def turn(axis, q):
    c, s = cos(q), sin(q)
    k = 1 - c
    x, y, z = axis
    return [
        [c + k * x * x, k * x * y - s * z, k * x * z + s * y],
        [k * x * y + s * z, c + k * y * y, k * y * z - s * x],
        [k * x * z - s * y, k * y * z + s * x, c + k * z * z],
    ]


class Chain:
    """Revolute joints one after another."""

    def __init__(self, name, damping):
        with open(os.path.join(ROBOTS, name + ".json"), encoding="utf-8") as file:
            data = json.load(file)
        self.bodies = [Body(b) for b in data["bodies"] if b["joint"]["type"] != "fixed"]
        self.g = [mpf(float(x)) for x in data.get("gravity", [0, 0, -9.81])]
        self.n = len(self.bodies)
        self.damping = damping

    def rotations(self, q):
        return [product(b.R, turn(b.axis, q[i])) for i, b in enumerate(self.bodies)]

    def inverse(self, R, v, a, weight):
        w, dw, acc = [mpf(0)] * 3, [mpf(0)] * 3, scale(-weight, self.g)
        forces = []
        for i, b in enumerate(self.bodies):
            acc = back(R[i], add(acc, add(cross(dw, b.p), cross(w, cross(w, b.p)))))
            w, dw = back(R[i], w), back(R[i], dw)
            dw = add(add(dw, scale(a[i], b.axis)), scale(v[i], cross(w, b.axis)))
            w = add(w, scale(v[i], b.axis))
            centre = add(acc, add(cross(dw, b.c), cross(w, cross(w, b.c))))
            f = scale(b.m, centre)
            m = add(add(times(b.I, dw), cross(w, times(b.I, w))), cross(b.c, f))
            forces.append((f, m))
        f, m, tau = [mpf(0)] * 3, [mpf(0)] * 3, [mpf(0)] * self.n
        for i in reversed(range(self.n)):
            own, moment = forces[i]
            f, m = add(f, own), add(m, moment)
            tau[i] = sum(x * y for x, y in zip(self.bodies[i].axis, m))
            f = times(R[i], f)
            m = add(times(R[i], m), cross(self.bodies[i].p, f))
        return tau

    def rate(self, y):
        q, v = y[: self.n], y[self.n :]
        R, zero = self.rotations(q), [mpf(0)] * self.n
        bias = self.inverse(R, v, zero, 1)
        M = matrix(self.n, self.n)
        for j in range(self.n):
            column = self.inverse(R, zero, [mpf(i == j) for i in range(self.n)], 0)
            for i in range(self.n):
                M[i, j] = column[i]
        rest = matrix([-bias[i] - self.damping[i] * v[i] for i in range(self.n)])
        return v + list(lu_solve(M, rest))


def macro_step(rate, y, h, levels):
    """Gragg's rule with 2, 4, ... 2 levels substeps, extrapolated in h^2."""
    table, first = [], rate(y)
    for k in range(levels):
        n = 2 * (k + 1)
        s = h / n
        before, now = y, add(y, scale(s, first))
        for _ in range(n - 1):
            before, now = now, add(before, scale(2 * s, rate(now)))
        value = scale(mpf(1) / 2, add(add(before, now), scale(s, rate(now))))
        row = [value]
        for j in range(k):
            ratio = (mpf(n) / (2 * (k - j))) ** 2
            row.append(add(row[j], scale(1 / (ratio - 1), sub(row[j], table[k - 1][j]))))
        table.append(row)
    return table[-1][-1]


def motion(chain, q, v, times_, h, levels):
    y, t, out = q + v, mpf(0), []
    for end in times_:
        count = int(mp.ceil((end - t) / h))
        for _ in range(count):
            y = macro_step(chain.rate, y, (end - t) / count, levels)
        t = end
        out.append(y)
    return out


CASES = [
    ("double_pendulum", ["0", "0"], ["2.1", "-0.5"], ["0", "0.25"], ["1", "2", "5"], "0.0125", 14),
    ("panda", ["0.5", "0.5", "0.375", "0.375", "0.25", "0.25", "0.125"],
     ["0.25", "-0.75", "0.5", "-2", "0.125", "1.5", "0.75"], ["0", "0.5", "0", "-0.25", "0", "0", "1"],
     ["0.25", "1"], "0.02", 12),
]


def main():
    print("/* SPDX-License-Identifier: BSD-2-Clause */")
    print("/* Made by tests/reference_motion.py: motions of built-in robots under gravity, with damping. */")
    print("static const struct reference_motion {\n  const char *robot;\n  int n, times;")
    print("  double damping[7], q[7], v[7];\n  struct {\n    double t, q[7], v[7];\n  } at[3];\n} reference_motions[] = {")
    for name, damping, q, v, when, h, levels in CASES:
        if len(sys.argv) > 1 and name not in sys.argv[1:]:
            continue
        numbers = lambda x: [mpf(i) for i in x]
        chain = Chain(name, numbers(damping))
        coarse = motion(chain, numbers(q), numbers(v), numbers(when), mpf(h), levels)
        fine = motion(chain, numbers(q), numbers(v), numbers(when), mpf(h) / 2, levels)
        gap = max(abs(a - b) for x, y in zip(coarse, fine) for a, b in zip(x, y))
        text = lambda x: "{" + ", ".join(mp.nstr(i, 20, strip_zeros=False) for i in x) + "}"
        plain = lambda x: "{" + ", ".join(x) + "}"
        print(f'    /* steps {h} and half of that differ by {mp.nstr(gap, 2)} */')
        print(f'    {{"builtin:{name}", {chain.n}, {len(when)}, {plain(damping)}, {plain(q)}, {plain(v)}, {{')
        for t, y in zip(when, fine):
            print(f"        {{{t}, {text(y[: chain.n])}, {text(y[chain.n :])}}},")
        print("    }},", flush=True)
    print("};")


if __name__ == "__main__":
    main()
