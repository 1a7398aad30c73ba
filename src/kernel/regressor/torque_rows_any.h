/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of the torque regressor Y for the ten parameters of a link (regressor.c), for every number type.
 *
 * The ten wrenches of the link are in the world's axes, component by component, so that the ten lie side by side. From
 * body to body inwards only the point that moments are about changes, m += d x f. Moments of inertia need no force, so
 * that six of the ten never change. */
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

/* phi(A) + V x* phi(V_r) of a link with axes R, in the world's axes, without the zeros. For the first moment along axis
 * e, with u = w_r x e:   f = dw x e + w x u,   m = v x u - dv x e - w x (v_r x e). For moments of inertia J_c, in the
 * axes of the link:   m = J_c dw + w x J_c w_r,   f = 0. */
static inline void link_wrenches(twist V, twist V_r, twist A, mat3 R, ten_wrenches *o) {
  const vec3 axis[3] = {R.x, R.y, R.z};
  vec3 w = m3_tmul(R, V.w), r = m3_tmul(R, V_r.w), a = m3_tmul(R, A.w);
  put_wrench(o, 0, cross(V.v, V_r.v), v3_add(A.v, cross(V.w, V_r.v)));
  for (int k = 0; k < 3; k++) {
    vec3 e = axis[k], u = cross(V_r.w, e);
    vec3 m = v3_sub(cross(V.v, u), v3_add(cross(A.v, e), cross(V.w, cross(V_r.v, e))));
    put_wrench(o, 1 + k, m, v3_add(cross(A.w, e), cross(V.w, u)));
  }

  /* The six moments of inertia. */
  put_moment(o, 4, m3_mul(R, v3(a.x, w.z * r.x, -w.y * r.x)));
  put_moment(o, 5, m3_mul(R, v3(-w.z * r.y, a.y, w.x * r.y)));
  put_moment(o, 6, m3_mul(R, v3(w.y * r.z, -w.x * r.z, a.z)));
  put_moment(o, 7, m3_mul(R, v3(a.y - w.z * r.x, a.x + w.z * r.y, w.x * r.x - w.y * r.y)));
  put_moment(o, 8, m3_mul(R, v3(a.z + w.y * r.x, w.z * r.z - w.x * r.x, a.x - w.y * r.z)));
  put_moment(o, 9, m3_mul(R, v3(w.y * r.y - w.z * r.z, a.z - w.x * r.y, a.y + w.x * r.z)));
}

/* The row of a coordinate with screw S. rotates, translates: S has an angular part, a linear part. */
FLAT void coordinate_row(const ten_wrenches *x, screw S, int rotates, int translates, real to[10]) {
  for (int k = 0; k < 10; k++) to[k] = rotates ? S.w.x * x->m[0][k] + S.w.y * x->m[1][k] + S.w.z * x->m[2][k] : ZERO;
  for (int k = 0; k < 4 && translates; k++) to[k] += S.v.x * x->f[0][k] + S.v.y * x->f[1][k] + S.v.z * x->f[2][k];
}

/* Rows of link l, to Y, or to the caller's memory if Y is NULL. add: coupled joints share rows. */
FLAT void torque_rows_to(const regression *r, int l, int add, real *Y, const jn_direct *direct) {
  const JN_S(tree) *tree = r->tree;
  int first_body = tree->frame[l].body, wide = 10 * tree->nlink;

  /* The ten wrenches about the origin of the link. */
  pose T = se3_mul((pose){axes_rotation(&r->B[first_body].at), v3_zero()}, link_in_body(tree, l));
  ten_wrenches x;
  link_wrenches(t_shift(r->V[first_body], T.p), t_shift(r->V_r[first_body], T.p), t_shift(r->A[first_body], T.p), T.R,
                &x);
  real(*m)[10] = x.m, (*f)[4] = x.f;

  /* Inwards: moments about the origin of each body, projected on its screws. */
  vec3 arm = T.p; /* of the present point, from the origin of body i */
  for (int i = first_body; i >= 0; i = tree->body[i].parent) {
    const JN_S(body) *body = &tree->body[i];
    for (int k = 0; k < 4; k++) {
      m[0][k] += arm.y * f[2][k] - arm.z * f[1][k];
      m[1][k] += arm.z * f[0][k] - arm.x * f[2][k];
      m[2][k] += arm.x * f[1][k] - arm.y * f[0][k];
    }
    arm = r->B[i].at.d;
    for (int e = 0; e < body->nv; e++) {
      size_t first = (size_t)(body->iv + e) * (size_t)wide + 10 * (size_t)l;
      real own[10];
      if (is_revolute(body))
        coordinate_row(&x, r->S[body->id + e], 1, 0, own);
      else if (is_group(body)) /* three rotations, then three translations */
        coordinate_row(&x, r->S[body->id + e], e < 3, e >= 3, own);
      else
        coordinate_row(&x, r->S[body->id + e], 1, 1, own);
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

/* Y of LANES states, to the caller's memory: first the zeros, where a joint does not move a link, then the rows of each
 * link. */
static inline void regressor_send(const regression *r, const jn_direct *to) {
  const JN_S(tree) *tree = r->tree;
  for (int i = 0; i < tree->nb; i++) {
    const JN_S(body) *body = &tree->body[i];
    for (int l = 0, end; l < tree->nlink; l = end + 1) {
      for (end = l; end < tree->nlink && !(tree->frame[end].body >= i && tree->frame[end].body < body->end);) end++;
      for (int k = body->iv; k < body->iv + body->nv && end > l; k++)
        direct_clear(to, 0, 10 * ((size_t)k * (size_t)tree->nlink + (size_t)l), 10 * (size_t)(end - l));
    }
  }
  for (int l = 0; l < tree->nlink; l++)
    if (tree->frame[l].body >= 0) torque_rows_to(r, l, 0, NULL, to);
}

#endif

#endif

#endif
