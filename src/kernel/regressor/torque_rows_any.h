/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of the torque regressor Y for the ten parameters of a link, for every row of kernels: wrenches by parameters in
 * the world's axes, component by component, so that the ten lie side by side; from body to body inwards only the point
 * that moments are about changes. Moments of inertia need no force, so that six of the ten never change. */
#ifndef JN_KERNEL_REGRESSOR_TORQUE_ROWS_ANY_H
#define JN_KERNEL_REGRESSOR_TORQUE_ROWS_ANY_H

#include "regression.h"

#if !JN_REGISTERS

static inline void torque_rows(const regression *r, int l, real *Y) {
  const JN_S(tree) *t = r->t;
  int body = t->frame[l].body, wide = 10 * t->nlink;
  pose T = se3_mul((pose){axes_rotation(&r->B[body].at), v3_zero()}, link_in_body(t, l));
  real m[3][10], f[3][4];
  wrench x[10];
  wrench_columns(t_Ad_inverse(T, r->V[body]), t_Ad_inverse(T, r->V_r[body]), t_Ad_inverse(T, r->A[body]), x);
  for (int k = 0; k < 10; k++) {
    vec3 a = m3_mul(T.R, x[k].m);
    m[0][k] = a.x, m[1][k] = a.y, m[2][k] = a.z;
  }
  for (int k = 0; k < 4; k++) {
    vec3 a = m3_mul(T.R, x[k].f);
    f[0][k] = a.x, f[1][k] = a.y, f[2][k] = a.z;
  }
  vec3 arm = T.p; /* of what moments are about, from the origin of the body at hand */
  for (int i = body; i >= 0; i = t->body[i].parent) {
    const JN_S(body) *b = &t->body[i];
    for (int k = 0; k < 4; k++) {
      m[0][k] += arm.y * f[2][k] - arm.z * f[1][k];
      m[1][k] += arm.z * f[0][k] - arm.x * f[2][k];
      m[2][k] += arm.x * f[1][k] - arm.y * f[0][k];
    }
    arm = r->B[i].at.d;
    for (int e = 0; e < b->nv; e++) {
      twist S = r->S[b->id + e];
      real *to = Y + (b->iv + e) * wide + 10 * l;
      for (int k = 0; k < 10; k++) to[k] += S.w.x * m[0][k] + S.w.y * m[1][k] + S.w.z * m[2][k];
      if (is_turn(b)) continue;
      for (int k = 0; k < 4; k++) to[k] += S.v.x * f[0][k] + S.v.y * f[1][k] + S.v.z * f[2][k];
    }
  }
}

#endif

#endif
