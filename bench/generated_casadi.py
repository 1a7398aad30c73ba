# SPDX-License-Identifier: BSD-2-Clause
"""Inverse dynamics of a robot as C, by CasADi from Pinocchio's templates, to be counted beside ours.

    generated_casadi.py TRACER URDF FOLDER

TRACER is bench/pinocchio_casadi.cpp, built. Writes FOLDER/peer.c, in float, with peer_inverse_dynamics(q, v, a, tau).
"""

import pathlib
import subprocess
import sys

import casadi
import pinocchio

tracer, urdf, folder = sys.argv[1:]
out = pathlib.Path(folder)
model = pinocchio.buildModelFromUrdf(urdf)
model.saveToText(str(out / "peer.model"))
subprocess.run([tracer, out / "peer.model", out / "peer.casadi", "inverse_dynamics"], check=True)

function = casadi.Function.load(str(out / "peer.casadi"))
code = casadi.CodeGenerator("peer_code.c", {"casadi_real": "float", "with_header": False})
code.add(function)
code.generate(f"{out}/")

# CasADi calls sin() and cos(), in double, also where its numbers are float: here it calls those of float. It takes arrays of
# pointers and a work array.
(out / "peer.c").write_text(
    f"""#include <math.h>
#define sin sinf
#define cos cosf
#include "peer_code.c"
void peer_inverse_dynamics(const float *q, const float *v, const float *a, float *tau);
void peer_inverse_dynamics(const float *q, const float *v, const float *a, float *tau) {{
  const float *arg[{function.sz_arg() + 1}] = {{q, v, a}};
  float *res[{function.sz_res() + 1}] = {{tau}};
  static casadi_int iw[{function.sz_iw() + 1}];
  static float w[{function.sz_w() + 1}];
  inverse_dynamics(arg, res, iw, w, 0);
}}
"""
)
print(f"instructions of CasADi's graph: {function.n_instructions()}, work array: {function.sz_w()} numbers")
