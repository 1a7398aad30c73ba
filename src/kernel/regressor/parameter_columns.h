/* SPDX-License-Identifier: BSD-2-Clause */
/* How momentum and wrench of a link depend on its ten parameters pi = (m, h, Jxx, Jyy, Jzz, Jxy, Jxz, Jyz): they are
 * linear, I Z = sum_c phi_c(Z) pi_c. All in the frame of the link. [garofalo2013 eqs. 8-12] */
#ifndef JN_KERNEL_REGRESSOR_PARAMETER_COLUMNS_H
#define JN_KERNEL_REGRESSOR_PARAMETER_COLUMNS_H

#include "../base/sweep.h"

/* phi_c(Z), c = 0 ... 9: the momentum I Z of a link with unit parameter c. */
static inline void momentum_columns(twist Z, wrench out[10]) {
  const mat3 E = m3_identity();
  const vec3 axis[3] = {E.x, E.y, E.z}, w = Z.w, o = v3_zero();

  /* m: (0, v).  h: (e x v, -e x w).  J: (J_c w, 0). */
  out[0] = (wrench){o, Z.v};
  for (int k = 0; k < 3; k++) out[1 + k] = (wrench){cross(axis[k], Z.v), v3_neg(cross(axis[k], w))};
  out[4] = (wrench){v3(w.x, ZERO, ZERO), o};
  out[5] = (wrench){v3(ZERO, w.y, ZERO), o};
  out[6] = (wrench){v3(ZERO, ZERO, w.z), o};
  out[7] = (wrench){v3(w.y, w.x, ZERO), o};
  out[8] = (wrench){v3(w.z, ZERO, w.x), o};
  out[9] = (wrench){v3(ZERO, w.z, w.y), o};
}

/* gradient[c] += sign * d(X . I Z)/d pi_c; the ten numbers are `step` apart. */
static inline void add_inertia_gradient(real sign, twist X, twist Z, int step, real *gradient) {
  wrench phi[10];
  momentum_columns(Z, phi);
  for (int c = 0; c < 10; c++) gradient[c * step] += sign * power(phi[c], X);
}

/* phi_c(A) + V x* phi_c(V_r): the wrench that moves the link, for unit parameter c. */
static inline void wrench_columns(twist V, twist V_r, twist A, wrench out[10]) {
  wrench phi[10];
  momentum_columns(A, out);
  momentum_columns(V_r, phi);
  for (int c = 0; c < 10; c++) out[c] = w_sub(out[c], w_ad(V, phi[c]));
}

#endif
