#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""DOP853 of SciPy beside bench_simulation: the same motions, with forward dynamics by libjounce.

dop853.py LIBRARY WORK.csv adds rows system,dop853,tolerance,evaluations,error,milliseconds to the file. The time of an
evaluation is that of dopri5 in the same file, so that Python's own time does not count.
"""
import csv
import ctypes
import sys

try:
    import numpy as np
    from scipy.integrate import solve_ivp
except ImportError:
    sys.exit("dop853.py: NumPy and SciPy are needed")

SYSTEMS = {
    "panda": (b"builtin:panda", 1.0, 0.5, [0.25, -0.75, 0.5, -2, 0.125, 1.5, 0.75], [0, 0.5, 0, -0.25, 0, 0, 1]),
    "double_pendulum": (b"builtin:double_pendulum", 2.0, 0.0, [2.1, -0.5], [0, 0]),
}


def main(library, path):
    lib = ctypes.CDLL(library)
    with open(path, newline="") as file:
        rows = list(csv.reader(file))
    for name, (source, duration, damping, q, v) in SYSTEMS.items():
        n = len(q)
        model, work = ctypes.c_void_p(), ctypes.c_void_p()
        if lib.jn_load(source, None, ctypes.byref(model), None) or lib.jn_work_create(model, ctypes.byref(work)):
            sys.exit(f"dop853.py: {source.decode()} is not there")

        def rate(t, y, model=model, work=work, n=n, damping=damping):
            a, tau = np.empty(n), -damping * y[n:]
            q, v = np.ascontiguousarray(y[:n]), np.ascontiguousarray(y[n:])
            at = [x.ctypes.data_as(ctypes.c_void_p) for x in (q, v, tau, a)]
            lib.jn_forward_dynamics(model, work, at[0], at[1], at[2], None, at[3])
            return np.concatenate((v, a))

        def run(tolerance):
            return solve_ivp(rate, (0, duration), np.array(q + v, float), method="DOP853", rtol=tolerance, atol=tolerance)

        own = [r for r in rows if r[0] == name and r[1] == "dopri5"]
        each = min(float(r[5]) / (6 * int(r[3])) for r in own)  # ms
        end = run(2.3e-14).y[:, -1]
        for e in range(4, 14, 2):
            found = run(10.0**-e)
            error = np.max(np.abs(found.y[:, -1] - end))
            rows.append([name, "dop853", f"{10.0 ** -e:g}", found.nfev, f"{error:.3e}", f"{found.nfev * each:.4f}"])
            print(",".join(map(str, rows[-1])))
    with open(path, "w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])
