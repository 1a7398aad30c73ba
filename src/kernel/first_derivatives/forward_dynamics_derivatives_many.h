/* SPDX-License-Identifier: BSD-2-Clause */
/* First derivatives of forward dynamics at LANES states (inverse_dynamics_derivatives_many.h): the linearization
 * without accelerations gives the bias and, from the inertias of subtrees, M; its factors, or articulated bodies where
 * branches are long, give M^-1 and the accelerations, with which the linearization, linear in them, is moved on; then
 * -M^-1 T row by row to the caller. In lanes of four doubles d ddq of 7 joints takes 0.53 us a state; matrices in
 * lanes, cleared, added to, solved for and moved out afterwards took 0.77. */
#ifndef JN_KERNEL_FIRST_DERIVATIVES_FORWARD_DYNAMICS_DERIVATIVES_MANY_H
#define JN_KERNEL_FIRST_DERIVATIVES_FORWARD_DYNAMICS_DERIVATIVES_MANY_H

#include "../forward_dynamics/inverse_product.h"
#include "../mass_matrix/mass_factor_compact.h"
#include "forward_dynamics_derivatives_one.h"
#include "inverse_dynamics_derivatives_many.h"

#if JN_MANY

/* ---- M, bias and accelerations ---- */

FLAT wrench many_momentum(const linearization_many *o, int i, int c, int turn) {
  inertia I = o->sum[i].I;
  twist S = o->s[c].S;
  return turn ? (wrench){s3_mul(I.J, S.w), cross(S.w, I.h)} : i_mul(I, S);
}

/* tau - bias of coordinate k of body i. */
FLAT real many_force(const linearization_many *o, int i, int k, const real *tau) {
  const JN_S(body) *b = &o->t->body[i];
  real force = (tau ? tau[b->iv + k] : ZERO) - screw_power(b, o->sum[i].F, o->s[b->id + k].S);
  return o->t->carries_springs && carries_springs(b) ? force - spring_force(o->t, b, k, o->q) : force;
}

/* The power of a wrench on a screw; turn: of a revolute joint, whose linear part is zero. */
FLAT real on_screw(wrench F, twist S, int turn) { return turn ? dot(F.m, S.w) : power(F, S); }

/* The row of M of coordinate c of body i, along its branch (mass_factor_compact.h). */
FLAT void compact_row(const linearization_many *o, int i, int c, int turn, int at, real *row) {
  const JN_S(tree) *t = o->t;
  const JN_S(body) *b = &t->body[i];
  wrench Z = many_momentum(o, i, c, turn);
  o->x[c].Z = Z;
  row[at] = on_screw(Z, o->s[c].S, turn) + armature_of(t, b, c - b->id);
  for (int l = c - 1; l >= b->id; l--) row[--at] = power(Z, o->s[l].S);
  for (int j = i, k = b->parent; k >= 0; j = k, k = t->body[k].parent) {
    const JN_S(body) *a = &t->body[k];
    Z = w_shift(Z, o->at[j].d);
    if (is_revolute(a)) {
      row[--at] = dot(Z.m, o->s[a->id].S.w);
    } else if (is_free_root(a)) {
      v3_store(m3_tmul(o->at[k].R, Z.m), row);
      v3_store(m3_tmul(o->at[k].R, Z.f), row + 3);
    } else {
      for (int l = a->id + a->nv - 1; l >= a->id; l--) row[--at] = power(Z, o->s[l].S);
    }
  }
}

/* Sums over subtrees, M, and y [nv] = tau - bias, in the order of elimination. */
static __attribute__((noinline)) void many_equations(const linearization_many *o, const real *tau, const compact *M,
                                                     real *y) {
  const JN_S(tree) *t = o->t;
  for (int i = t->nb - 1; i >= 0; i--) {
    const JN_S(body) *b = &t->body[i];
    many_hand(o, i);
    for (int k = b->nv - 1; k >= 0; k--) {
      int c = b->id + k;
      y[c] = many_force(o, i, k, tau);
      if (is_revolute(b))
        compact_row(o, i, c, 1, M->depth[c], M->H + c * t->nv);
      else
        compact_row(o, i, c, 0, M->depth[c], M->H + c * t->nv);
    }
  }
}

/* Sums over subtrees, units of u, pivots and accelerations x [nd], by articulated bodies. */
static __attribute__((noinline)) void many_articulated(const linearization_many *o, const articulation *u,
                                                       const real *tau, real *at, real *pivots, real *x) {
  const JN_S(tree) *t = o->t;
  forward_room r = forward_room_place(t, &at);
  body_inertia *I = r.I;
  twist *A = r.A;
  wrench *R = r.R;
  for (int i = 0; i < t->nb; i++) {
    r.own[i] = o->sum[i].I;
    u->d[i] = o->at[i].d;
    R[i] = w_zero();
  }
  for (int c = 0; c < t->nd; c++) u->x[c].w = o->s[c].S.w, u->x[c].v = o->s[c].S.v;
  for (int i = t->nb - 1; i >= 0; i--) {
    const JN_S(body) *b = &t->body[i];
    many_hand(o, i);
    articulate(u, i, NULL, &r.own[i], I, pivots);
    for (int k = 0; k < b->nv; k++) {
      x[b->id + k] = many_force(o, i, k, tau);
      o->x[b->id + k].Z = many_momentum(o, i, b->id + k, is_revolute(b));
    }
    solve_inward(u, i, R, x);
  }
  for (int i = 0; i < t->nb; i++) solve_outward(u, i, A, x);
}

/* The linearization of a = 0 becomes that of accelerations x [nv], in the order of elimination: with A = sum S x of the
 * bodies and sums over subtrees in I ppsi_k += [A_p, S_k],   F_i += I_i A_i + sum of R of its children,   R_i = I_i S x
 * + these. */
static __attribute__((noinline)) void many_accelerate(const linearization_many *o, const real *x) {
  const JN_S(tree) *t = o->t;
  for (int i = 0; i < t->nb; i++) {
    const JN_S(body) *b = &t->body[i];
    twist A = b->parent < 0 ? t_zero() : t_shift(o->at[b->parent].A, o->at[i].d), before = A;
    for (int c = b->id; c < b->id + b->nv; c++) {
      screws *s = &o->s[c];
      if (is_revolute(b)) {
        vec3 e = s->S.w;
        s->ppsi = t_add(s->ppsi, (twist){cross(A.w, e), cross(A.v, e)});
        A.w = v3_axpy(x[c], e, A.w);
      } else {
        if (b->parent >= 0 || !is_group(b)) s->ppsi = t_add(s->ppsi, t_ad(is_group(b) ? before : A, s->S));
        A = t_axpy(x[c], s->S, A);
      }
    }
    o->at[i].A = A;
    o->x[b->id].Y = w_zero(); /* R of its children */
  }
  for (int i = t->nb - 1; i >= 0; i--) {
    const JN_S(body) *b = &t->body[i];
    wrench R = o->x[b->id].Y;
    o->sum[i].F = w_add(o->sum[i].F, w_add(i_mul(o->sum[i].I, o->at[i].A), R));
    for (int c = b->id; c < b->id + b->nv; c++) {
      R.m = v3_axpy(x[c], o->x[c].Z.m, R.m);
      R.f = v3_axpy(x[c], o->x[c].Z.f, R.f);
    }
    if (b->parent < 0) continue;
    wrench *to = &o->x[t->body[b->parent].id].Y;
    *to = w_add(*to, w_shift(R, o->at[i].d));
  }
}

/* ---- the product ---- */

enum {
  LANES_MOST = 512, /* coordinates that there is room for */
  STRIP = JN_LANES < 4 ? JN_LANES : 4,
  ROWS = 3, /* with STRIP columns sixteen registers: sums, factors of the rows, and one of a column */
  PANEL = 6 /* rows of the result that are made before they go to the caller */
};

/* Else the compiler reads it from memory for every row. */
#if defined(__x86_64__) && JN_LANES > 1
#define IN_REGISTER(x) __asm__ volatile("" : "+x"(x))
#else
#define IN_REGISTER(x) (void)(x)
#endif

/* Rows of T that are not zero in STRIP columns from c on. */
typedef struct column_strip {
  int c, count;
  int32_t *row;
} column_strip;

/* Rows [r, r + rows) of columns of a strip of -M^-1 T, to X [rows x nv]. */
FLAT void strip_rows(const column_strip *s, int n, const real *inverse, const real *T, int r, int rows, int columns,
                     real *X) {
  const real *A = inverse + r * n;
  real x[ROWS][STRIP];
  for (int e = 0; e < rows; e++)
    for (int k = 0; k < columns; k++) x[e][k] = ZERO;
  for (int m = 0; m < s->count; m++) {
    int at = s->row[m];
    const real *a = A + at, *b = T + at * n + s->c;
    real own[ROWS];
    for (int e = 0; e < rows; e++) own[e] = a[e * n];
    for (int k = 0; k < columns; k++) {
      real with = b[k];
      IN_REGISTER(with);
      for (int e = 0; e < rows; e++) x[e][k] -= own[e] * with;
    }
  }
  for (int e = 0; e < rows; e++)
    for (int k = 0; k < columns; k++) X[e * n + s->c + k] = x[e][k];
}

static __attribute__((noinline)) void strip_panel(const column_strip *s, int n, const real *inverse, const real *T,
                                                  int r, int rows, real *X) {
  int e = 0, columns = n - s->c < STRIP ? n - s->c : STRIP;
  if (columns == STRIP) {
    for (; rows - e == 3 || rows - e > 4; e += 3) strip_rows(s, n, inverse, T, r + e, 3, STRIP, X + e * n);
    for (; rows - e > 1; e += 2) strip_rows(s, n, inverse, T, r + e, 2, STRIP, X + e * n);
    for (; e < rows; e++) strip_rows(s, n, inverse, T, r + e, 1, STRIP, X + e * n);
  }
  for (; e < rows; e++) strip_rows(s, n, inverse, T, r + e, 1, columns, X + e * n);
}

typedef struct strips_room {
  sparsity b;
  column_strip *s; /* [strips] */
  int32_t *row;    /* rows of all strips */
  real *dq, *dv;   /* [PANEL x nv] */
} strips_room;

static inline strips_room strips_place(const JN_S(tree) * t, real **at) {
  int n = t->nv <= LANES_MOST ? t->nv : 0, strips = (n + STRIP - 1) / STRIP; /* with more coordinates it is not used */
  strips_room r = {.b = sparsity_place(t, 0, at)};
  r.s = TAKE(at, strips, column_strip);
  r.row = TAKE(at, (size_t)(t->chain ? 1 : strips) * (size_t)n, int32_t);
  r.dq = take(at, (size_t)(PANEL * n));
  r.dv = take(at, (size_t)(PANEL * n));
  return r;
}

/* The strips of all columns; the last may share columns with the one before. */
static inline column_strip *strips_fill(const strips_room *r, int *count) {
  const JN_S(tree) *t = r->b.t;
  int n = t->nv;
  int32_t *row = r->row;
  sparsity_fill(&r->b);
  *count = 0;
  for (int c = 0; c < n; c += STRIP) {
    column_strip *to = &r->s[(*count)++];
    *to = (column_strip){.c = n - c < STRIP && n >= STRIP ? n - STRIP : c, .row = row};
    to->count = branch_rows(&r->b, to->c, n < STRIP ? n : STRIP, row);
    if (!t->chain) row += to->count; /* else all have the same rows */
  }
  return r->s;
}

/* -M^-1 T of the matrices T that are given, to outputs 2 and 3 of the caller. */
static inline void many_product(const JN_S(tree) * t, const real *inverse, const target *g, real *at) {
  strips_room room = strips_place(t, &at);
  int n = t->nv, count;
  column_strip *s = strips_fill(&room, &count);
  real *dq = g->dq ? room.dq : NULL, *dv = g->dv ? room.dv : NULL;
  for (int r = 0; r < n; r += PANEL) {
    int rows = n - r < PANEL ? n - r : PANEL;
    for (int k = 0; k < count; k++) {
      if (dq) strip_panel(&s[k], n, inverse, g->dq, r, rows, dq);
      if (dv) strip_panel(&s[k], n, inverse, g->dv, r, rows, dv);
    }
    for (int e = 0; e < rows; e++) {
      if (dq) row_send(g->to, 2, dq + e * n, n, r + e);
      if (dv) row_send(g->to, 3, dv + e * n, n, r + e);
    }
  }
}

#endif

#endif
