/* SPDX-License-Identifier: BSD-2-Clause */
/* The torque regressor of one state with AVX2: sweeps in the registers of world_one.h; then the ten parameters of a
 * link lie side by side in three registers for each component of moment and force, in the world's axes, so that a
 * coordinate further inward only moves the point that moments are about. 7 revolute joints: 454 ns; link_columns() in
 * regressor.c, the twin that every other row uses, took 1330. */
#ifndef JN_KERNEL_REGRESSOR_REGRESSOR_ONE_H
#define JN_KERNEL_REGRESSOR_REGRESSOR_ONE_H

#include "../base/world_one.h"

#if JN_REGISTERS

/* Bodies, screws, twists, reference twists and accelerations. */
typedef struct motions {
  solid *B;
  screw *S, *Psi, *V, *V_r, *A;
} motions;

/* Moments by (m, h), by (Jxx, Jyy, Jzz, Jxy) and by (Jxz, Jyz, -, -), and forces by (m, h). */
typedef struct ten {
  r4x3 h, J, K, f;
} ten;

static inline void motions_sweep(const JN_S(tree) * t, const motions *x, const real *v, const real *a, int weightless) {
  const screw none = {r4_zero(), r4_zero()}, base = weightless ? none : (screw){none.w, -v4_load(t->gravity)};
  for (int i = 0; i < t->nb; i++) {
    const JN_S(body) *b = &t->body[i];
    screw V = b->parent < 0 ? none : v4_shift(x->V_r[b->parent], x->B[i].d);
    screw A = b->parent < 0 ? base : v4_shift(x->A[b->parent], x->B[i].d);
    for (int k = 0; k < b->nv; k++) {
      screw S = x->S[b->id + k];
      if (v) V = v4_axpy(v[b->iv + k], S, V);
      if (v) A = v4_axpy(v[b->iv + k], x->Psi[b->id + k], A);
      if (a) A = v4_axpy(a[b->iv + k], S, A);
    }
    x->V_r[i] = V;
    x->A[i] = A;
  }
}

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
static inline ten link_wrenches(const screw *V, const screw *V_r, const screw *A, const solid *o) {
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

/* Rows of Y for the ten parameters of link l. */
static inline void link_rows(const JN_S(tree) * t, const motions *s, int l, real *Y) {
  const JN_S(frame) *f = &t->frame[l];
  const solid *B = &s->B[f->body];
  solid o;
  o.x = v4_sum(B->x, B->y, B->z, f->R, 3);
  o.y = v4_sum(B->x, B->y, B->z, f->R + 1, 3);
  o.z = v4_sum(B->x, B->y, B->z, f->R + 2, 3);
  r4 arm = v4_sum(B->x, B->y, B->z, f->p, 1);
  screw V = v4_shift(s->V[f->body], arm), V_r = v4_shift(s->V_r[f->body], arm), A = v4_shift(s->A[f->body], arm);
  ten e = link_wrenches(&V, &V_r, &A, &o);
  const scalar *d = (const scalar *)&arm;
  int wide = 10 * t->nlink;
  for (int i = f->body; i >= 0; i = t->body[i].parent) {
    const JN_S(body) *b = &t->body[i];
    e.h = r4x3_add(e.h, r4x3_cross(d, e.f));
    d = (const scalar *)&s->B[i].d;
    for (int k = 0; k < b->nv; k++) {
      const scalar *w = (const scalar *)&s->S[b->id + k].w, *v = (const scalar *)&s->S[b->id + k].v;
      scalar *to = Y + (b->iv + k) * wide + 10 * l;
      r4 h = w[0] * e.h.x + (w[1] * e.h.y + w[2] * e.h.z), J = w[0] * e.J.x + (w[1] * e.J.y + w[2] * e.J.z);
      r4 K = w[0] * e.K.x + (w[1] * e.K.y + w[2] * e.K.z);
      if (!is_turn(b)) h += v[0] * e.f.x + (v[1] * e.f.y + v[2] * e.f.z);
      r4_store(r4_load(to) + h, to);
      r4_store(r4_load(to + 4) + J, to + 4);
      to[8] += K[0];
      to[9] += K[1];
    }
  }
}

/* Y [nv x 10L] alone. */
static inline void regressor_one(const JN_S(tree) * t, const jn_call *c, angles turn, real *at) {
  real *Y = c->out[0];
  const real *v = c->in[1];
  motions s = {.B = TAKE_ALIGNED(&at, t->nb, solid)};
  s.V = TAKE(&at, t->nb, screw);
  s.V_r = TAKE(&at, t->nb, screw);
  s.A = TAKE(&at, t->nb, screw);
  s.S = TAKE(&at, t->nd, screw);
  s.Psi = TAKE(&at, t->nd, screw);
  JN_(solids_outward)(t, c->in[0], v, &turn, 0, s.B, s.S, s.V, s.Psi);
  for (int i = 0; i < t->nb && !v; i++) s.V[i] = (screw){r4_zero(), r4_zero()};
  for (int i = 0; i < t->nd && !v; i++) s.Psi[i] = (screw){r4_zero(), r4_zero()};
  motions_sweep(t, &s, c->in[2], c->in[3], c->arg[0]);
  memset(Y, 0, (size_t)t->nv * 10 * (size_t)t->nlink * sizeof *Y);
  for (int l = 0; l < t->nlink; l++)
    if (t->frame[l].body >= 0) link_rows(t, &s, l, Y);
}

#endif

#endif
