/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of the torque regressor Y for the ten parameters of a link, for every variant of the kernels: wrenches by
 * parameters in the world's axes, component by component, so that the ten lie side by side; from body to body inwards
 * only the point that moments are about changes. Moments of inertia need no force, so that six of the ten never change.
 */
#ifndef JN_KERNEL_REGRESSOR_TORQUE_ROWS_ANY_H
#define JN_KERNEL_REGRESSOR_TORQUE_ROWS_ANY_H

#include "../base/direct.h"
#include "regression.h"

#if !JN_REGISTERS

/* The ten wrenches of a link side by side: moments by m, h, then by the tensor; the tensor makes no force. */
typedef struct ten_wrenches {
  real m[3][10], f[3][4];
} ten_wrenches;

static inline void put_wrench(ten_wrenches *o, int k, vec3 m, vec3 f) {
  o->m[0][k] = m.x, o->m[1][k] = m.y, o->m[2][k] = m.z;
  o->f[0][k] = f.x, o->f[1][k] = f.y, o->f[2][k] = f.z;
}
static inline void put_moment(ten_wrenches *o, int k, vec3 m) { o->m[0][k] = m.x, o->m[1][k] = m.y, o->m[2][k] = m.z; }

/* phi(A) + V x* phi(V_r) (parameter_columns.h) in the world's axes, of a link with axes R, without the zeros: with its
 * axes e, u = w_r x e,   f = dw x e + w x u,   m = v x u - dv x e - w x (v_r x e);   and J_c dw + w x J_c w_r. */
static inline void link_wrenches(twist V, twist V_r, twist A, mat3 R, ten_wrenches *o) {
  const vec3 axis[3] = {R.x, R.y, R.z};
  vec3 w = m3_tmul(R, V.w), r = m3_tmul(R, V_r.w), a = m3_tmul(R, A.w);
  put_wrench(o, 0, cross(V.v, V_r.v), v3_add(A.v, cross(V.w, V_r.v)));
  for (int k = 0; k < 3; k++) {
    vec3 e = axis[k], u = cross(V_r.w, e);
    vec3 m = v3_sub(cross(V.v, u), v3_add(cross(A.v, e), cross(V.w, cross(V_r.v, e))));
    put_wrench(o, 1 + k, m, v3_add(cross(A.w, e), cross(V.w, u)));
  }
  put_moment(o, 4, m3_mul(R, v3(a.x, w.z * r.x, -w.y * r.x)));
  put_moment(o, 5, m3_mul(R, v3(-w.z * r.y, a.y, w.x * r.y)));
  put_moment(o, 6, m3_mul(R, v3(w.y * r.z, -w.x * r.z, a.z)));
  put_moment(o, 7, m3_mul(R, v3(a.y - w.z * r.x, a.x + w.z * r.y, w.x * r.x - w.y * r.y)));
  put_moment(o, 8, m3_mul(R, v3(a.z + w.y * r.x, w.z * r.z - w.x * r.x, a.x - w.y * r.z)));
  put_moment(o, 9, m3_mul(R, v3(w.y * r.y - w.z * r.z, a.z - w.x * r.y, a.y + w.x * r.z)));
}

/* The row of a coordinate with screw S, which turns or shifts, or both. */
FLAT void coordinate_row(const ten_wrenches *x, screw S, int turns, int shifts, real to[10]) {
  for (int k = 0; k < 10; k++) to[k] = turns ? S.w.x * x->m[0][k] + S.w.y * x->m[1][k] + S.w.z * x->m[2][k] : ZERO;
  for (int k = 0; k < 4 && shifts; k++) to[k] += S.v.x * x->f[0][k] + S.v.y * x->f[1][k] + S.v.z * x->f[2][k];
}

/* To Y, or, where that is NULL, to the caller. */
FLAT void torque_rows_to(const regression *r, int l, int add, real *Y, const jn_direct *direct) {
  const JN_S(tree) *t = r->t;
  int body = t->frame[l].body, wide = 10 * t->nlink;
  pose T = se3_mul((pose){axes_rotation(&r->B[body].at), v3_zero()}, link_in_body(t, l));
  ten_wrenches x;
  link_wrenches(t_shift(r->V[body], T.p), t_shift(r->V_r[body], T.p), t_shift(r->A[body], T.p), T.R, &x);
  real(*m)[10] = x.m, (*f)[4] = x.f;
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
      size_t first = (size_t)(b->iv + e) * (size_t)wide + 10 * (size_t)l;
      real own[10];
      if (is_revolute(b))
        coordinate_row(&x, r->S[b->id + e], 1, 0, own);
      else if (is_group(b)) /* three turns, then three shifts */
        coordinate_row(&x, r->S[b->id + e], e < 3, e >= 3, own);
      else
        coordinate_row(&x, r->S[b->id + e], 1, 1, own);
      for (int k = 0; k < 10 && Y; k++) Y[first + (size_t)k] = add ? Y[first + (size_t)k] + own[k] : own[k];
#if JN_MANY
      if (!Y) direct_send(direct, 0, first, own, 10);
#endif
    }
  }
  (void)direct;
}

FLAT void torque_rows(const regression *r, int l, int add, real *Y) { torque_rows_to(r, l, add, Y, NULL); }

#if JN_MANY

/* Y of LANES states, straight to the caller: with zeros, link by link, where a joint does not move a link. */
static inline void regressor_send(const regression *r, const jn_direct *to) {
  const JN_S(tree) *t = r->t;
  for (int i = 0; i < t->nb; i++) {
    const JN_S(body) *b = &t->body[i];
    for (int l = 0, end; l < t->nlink; l = end + 1) {
      for (end = l; end < t->nlink && !(t->frame[end].body >= i && t->frame[end].body < b->end);) end++;
      for (int k = b->iv; k < b->iv + b->nv && end > l; k++)
        direct_clear(to, 0, 10 * ((size_t)k * (size_t)t->nlink + (size_t)l), 10 * (size_t)(end - l));
    }
  }
  for (int l = 0; l < t->nlink; l++)
    if (t->frame[l].body >= 0) torque_rows_to(r, l, 0, NULL, to);
}

#endif

#endif

#endif
