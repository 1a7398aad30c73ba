/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of the torque regressor Y for the ten parameters of a link, of one state in registers: the ten lie side by side
 * in three registers for each component of moment and force, in the world's axes. 7 revolute joints: 454 ns. */
#ifndef JN_KERNEL_REGRESSOR_TORQUE_ROWS_ONE_H
#define JN_KERNEL_REGRESSOR_TORQUE_ROWS_ONE_H

#include "regression.h"

#if JN_REGISTERS

/* Moments by (m, h), by (Jxx, Jyy, Jzz, Jxy) and by (Jxz, Jyz, -, -), and forces by (m, h). */
typedef struct ten {
  r4x3 h, J, K, f;
} ten;

/* Four vectors, each turned by the same matrix: rows in memory, columns in lanes 1 to 3 of R. */
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
static inline ten link_wrenches(const screw *V, const screw *V_r, const screw *A, const axes *o) {
  const r4 first = r4_set(1, 0, 0, 0);
  const scalar *x = (const scalar *)&o->x, *y = (const scalar *)&o->y, *z = (const scalar *)&o->z;
  const scalar *w = (const scalar *)&V->w, *v = (const scalar *)&V->v, *w_r = (const scalar *)&V_r->w;
  const scalar *v_r = (const scalar *)&V_r->v, *dw = (const scalar *)&A->w, *dv = (const scalar *)&A->v;
  r4 lane = r4_zero(), X = o->x, Y = o->y, Z = o->z;
  r4_transpose(&lane, &X, &Y, &Z);
  r4x3 R = {lane, X, Y}; /* row k: 0, x_k, y_k, z_k */
  r4x3 U = r4x3_cross(w_r, R), N = r4x3_cross(v_r, R);
  U = (r4x3){U.x + v_r[0] * first, U.y + v_r[1] * first, U.z + v_r[2] * first}; /* forces of phi(V_r) */
  ten e;
  e.h = r4x3_sub(r4x3_cross(v, U), r4x3_add(r4x3_cross(dv, R), r4x3_cross(w, N)));
  e.f = r4x3_add(r4x3_cross(dw, R), r4x3_cross(w, U));
  e.f = (r4x3){e.f.x + dv[0] * first, e.f.y + dv[1] * first, e.f.z + dv[2] * first};
  r4x3 P, Q, J, K;
  six_momenta(dw[0] * R.x + (dw[1] * R.y + dw[2] * R.z), &J, &K);
  six_momenta(w_r[0] * R.x + (w_r[1] * R.y + w_r[2] * R.z), &P, &Q);
  r4 own = w[0] * R.x + (w[1] * R.y + w[2] * R.z);
  const scalar turn[3] = {own[1], own[2], own[3]};
  e.J = rows_mul(x, y, z, r4x3_add(J, r4x3_cross(turn, P)));
  e.K = rows_mul(x, y, z, r4x3_add(K, r4x3_cross(turn, Q)));
  return e;
}

/* The row of a coordinate: by (m, h), and by the six moments of inertia. add: coupled joints share rows. */
FLAT void row_put(int add, r4 h, r4 J, r4 K, scalar *to) {
  r4_store(add ? r4_load(to) + h : h, to);
  r4_store(add ? r4_load(to + 4) + J : J, to + 4);
  to[8] = add ? to[8] + K[0] : K[0];
  to[9] = add ? to[9] + K[1] : K[1];
}
FLAT r4 r4x3_times(const r4 *axis, r4x3 a) {
  const scalar *w = (const scalar *)axis;
  return w[0] * a.x + (w[1] * a.y + w[2] * a.z);
}

/* Rows of the coordinates of body i, which are `wide` apart. Screws of a free or spherical body are three turns, then
 * three shifts, which moments of inertia have nothing to do with. */
FLAT void body_rows(const JN_S(body) * b, const screw *S, const ten *e, int add, int wide, scalar *to) {
  int group = is_group(b), turns = group ? 3 : b->nv, k = 0;
  for (; k < turns; k++, to += wide) {
    r4 h = r4x3_times(&S[k].w, e->h);
    if (!group && !is_revolute(b)) h += r4x3_times(&S[k].v, e->f);
    row_put(add, h, r4x3_times(&S[k].w, e->J), r4x3_times(&S[k].w, e->K), to);
  }
  for (; k < b->nv; k++, to += wide) r4_store(r4x3_times(&S[k].v, e->f), to);
}

/* Y is zero where nothing has been added. */
FLAT void torque_rows(const regression *s, int l, int add, real *Y) {
  const JN_S(tree) *t = s->t;
  const JN_S(frame) *f = &t->frame[l];
  const axes *B = &s->B[f->body].at;
  axes o = {.x = v4_sum(B->x, B->y, B->z, f->R, 3),
            .y = v4_sum(B->x, B->y, B->z, f->R + 1, 3),
            .z = v4_sum(B->x, B->y, B->z, f->R + 2, 3)};
  r4 arm = v4_sum(B->x, B->y, B->z, f->p, 1);
  screw V = screw_shift(s->V[f->body], arm), V_r = screw_shift(s->V_r[f->body], arm),
        A = screw_shift(s->A[f->body], arm);
  ten e = link_wrenches(&V, &V_r, &A, &o);
  const scalar *d = (const scalar *)&arm;
  int wide = 10 * t->nlink;
  for (int i = f->body; i >= 0; i = t->body[i].parent) {
    const JN_S(body) *b = &t->body[i];
    e.h = r4x3_add(e.h, r4x3_cross(d, e.f));
    d = (const scalar *)&s->B[i].at.d;
    body_rows(b, s->S + b->id, &e, add, wide, Y + b->iv * wide + 10 * l);
  }
}

#endif

#endif
