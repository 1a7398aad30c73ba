/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of the torque regressor Y for the ten parameters of a link (regressor.c), of one state in AVX2 registers.
 *
 * For each component of moment and force, the ten parameters lie side by side in three registers, in the world's axes.
 * From body to body inwards only moments by m and h change, m += d x f. 7 revolute joints take 454 ns. */
#ifndef JN_KERNEL_REGRESSOR_TORQUE_ROWS_ONE_H
#define JN_KERNEL_REGRESSOR_TORQUE_ROWS_ONE_H

#include "regression.h"

#if JN_REGISTERS

/* Moments by (m, h), by (Jxx, Jyy, Jzz, Jxy) and by (Jxz, Jyz, -, -), and forces by (m, h). */
typedef struct ten_wrenches4 {
  r4x3 h, J, K, f;
} ten_wrenches4;

/* R a for four vectors a: columns x, y, z of R in memory. */
static inline r4x3 rows_mul(const scalar *x, const scalar *y, const scalar *z, r4x3 a) {
  return (r4x3){x[0] * a.x + (y[0] * a.y + z[0] * a.z), x[1] * a.x + (y[1] * a.y + z[1] * a.z),
                x[2] * a.x + (y[2] * a.y + z[2] * a.z)};
}

/* J_c u of the six moments of inertia c; u in lanes 1 to 3. */
static inline void six_momenta(r4 u, r4x3 *J, r4x3 *K) {
  *J = (r4x3){LANES(u, u, 1, 0, 0, 2), LANES(u, u, 0, 2, 0, 1), LANES(u, u, 0, 0, 3, 0)};
  *K = (r4x3){LANES(u, u, 3, 0, 0, 0), LANES(u, u, 0, 3, 0, 0), LANES(u, u, 1, 2, 0, 0)};
}

/* phi(A) + V x* phi(V_r) of a link with axes R (lanes 1 to 3; lane 0 is zero), all about its origin: see
 * parameter_columns.h.
 */
static inline ten_wrenches4 link_wrenches(const screw *V, const screw *V_r, const screw *A, const axes *o) {
  const r4 first = r4_set(1, 0, 0, 0);
  const scalar *x = (const scalar *)&o->x, *y = (const scalar *)&o->y, *z = (const scalar *)&o->z;
  const scalar *w = (const scalar *)&V->w, *v = (const scalar *)&V->v, *w_r = (const scalar *)&V_r->w;
  const scalar *v_r = (const scalar *)&V_r->v, *dw = (const scalar *)&A->w, *dv = (const scalar *)&A->v;

  /* The axes of the link by rows, in lanes 1 to 3. */
  r4 lane = r4_zero(), X = o->x, Y = o->y, Z = o->z;
  r4_transpose(&lane, &X, &Y, &Z);
  r4x3 R = {lane, X, Y}; /* row k: 0, x_k, y_k, z_k */

  /* phi(V_r) by m and h: forces U, moments N. */
  r4x3 U = r4x3_cross(w_r, R), N = r4x3_cross(v_r, R);
  U = (r4x3){U.x + v_r[0] * first, U.y + v_r[1] * first, U.z + v_r[2] * first}; /* forces of phi(V_r) */

  /* By m and h: m = v x U - dv x R - w x N,  f = dw x R + w x U, and dv by m. */
  ten_wrenches4 e;
  e.h = r4x3_sub(r4x3_cross(v, U), r4x3_add(r4x3_cross(dv, R), r4x3_cross(w, N)));
  e.f = r4x3_add(r4x3_cross(dw, R), r4x3_cross(w, U));
  e.f = (r4x3){e.f.x + dv[0] * first, e.f.y + dv[1] * first, e.f.z + dv[2] * first};

  /* By J_c, in the axes of the link: J_c dw + w x J_c w_r; then turned into the world's. */
  r4x3 P, Q, J, K;
  six_momenta(dw[0] * R.x + (dw[1] * R.y + dw[2] * R.z), &J, &K);
  six_momenta(w_r[0] * R.x + (w_r[1] * R.y + w_r[2] * R.z), &P, &Q);
  r4 own = w[0] * R.x + (w[1] * R.y + w[2] * R.z);
  const scalar w_link[3] = {own[1], own[2], own[3]};
  e.J = rows_mul(x, y, z, r4x3_add(J, r4x3_cross(w_link, P)));
  e.K = rows_mul(x, y, z, r4x3_add(K, r4x3_cross(w_link, Q)));
  return e;
}

/* The row of a coordinate: by (m, h), and by the six moments of inertia. add: coupled joints share rows. */
FLAT void row_put(int add, r4 h, r4 J, r4 K, scalar *to) {
  r4_store(add ? r4_load(to) + h : h, to);
  r4_store(add ? r4_load(to + 4) + J : J, to + 4);
  to[8] = add ? to[8] + K[0] : K[0];
  to[9] = add ? to[9] + K[1] : K[1];
}
/* axis . a for four vectors a. */
FLAT r4 r4x3_times(const r4 *axis, r4x3 a) {
  const scalar *w = (const scalar *)axis;
  return w[0] * a.x + (w[1] * a.y + w[2] * a.z);
}

/* Rows of the coordinates of a body, which are `wide` apart. Screws of a free or spherical body are three rotations,
 * then three translations, which moments of inertia do not act on. */
FLAT void body_rows(const JN_S(body) * body, const screw *S, const ten_wrenches4 *e, int add, int wide, scalar *to) {
  int group = is_group(body), rotations = group ? 3 : body->nv, k = 0;
  for (; k < rotations; k++, to += wide) {
    r4 h = r4x3_times(&S[k].w, e->h);
    if (!group && !is_revolute(body)) h += r4x3_times(&S[k].v, e->f);
    row_put(add, h, r4x3_times(&S[k].w, e->J), r4x3_times(&S[k].w, e->K), to);
  }
  for (; k < body->nv; k++, to += wide) r4_store(r4x3_times(&S[k].v, e->f), to);
}

/* Rows of link l in Y, which is zero where nothing has been added. add: coupled joints share rows. */
FLAT void torque_rows(const regression *s, int l, int add, real *Y) {
  const JN_S(tree) *tree = s->tree;
  const JN_S(frame) *frame = &tree->frame[l];
  const axes *B = &s->B[frame->body].at;

  /* Axes of the link, its origin from that of its body, its motion and its wrenches. */
  axes o = {.x = v4_sum(B->x, B->y, B->z, frame->R, 3),
            .y = v4_sum(B->x, B->y, B->z, frame->R + 1, 3),
            .z = v4_sum(B->x, B->y, B->z, frame->R + 2, 3)};
  r4 arm = v4_sum(B->x, B->y, B->z, frame->p, 1);
  screw V = screw_shift(s->V[frame->body], arm), V_r = screw_shift(s->V_r[frame->body], arm),
        A = screw_shift(s->A[frame->body], arm);
  ten_wrenches4 e = link_wrenches(&V, &V_r, &A, &o);

  /* Inwards: moments about the origin of each body, projected on its screws. */
  const scalar *d = (const scalar *)&arm;
  int wide = 10 * tree->nlink;
  for (int i = frame->body; i >= 0; i = tree->body[i].parent) {
    const JN_S(body) *body = &tree->body[i];
    e.h = r4x3_add(e.h, r4x3_cross(d, e.f));
    d = (const scalar *)&s->B[i].at.d;
    body_rows(body, s->S + body->id, &e, add, wide, Y + body->iv * wide + 10 * l);
  }
}

#endif

#endif
