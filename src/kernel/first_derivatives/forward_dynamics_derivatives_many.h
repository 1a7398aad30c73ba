/* SPDX-License-Identifier: BSD-2-Clause */
/* First derivatives of forward dynamics at LANES states. [kim2012 Table 6 for all coordinates at once]
 * Symbols as in linearization.h and inverse_dynamics_derivatives_many.h.
 *
 *   1 outwards   the linearization at a = 0; its F, summed over subtrees, are the bias wrenches
 *   2            M from the inertias of subtrees and its factors, or articulated bodies where branches are long:
 *                M a = tau - bias, and M^-1
 *   3            the linearization, which is linear in a, moved to these accelerations: with the change
 *                A_i = sum of S a of the coordinates up to body i, and I summed over subtrees,
 *                  ppsi_k += [A_p, S_k],    F_i += I_i A_i + sum of R over its children,    R_i = I_i S_i a_i + the
 * same sum 4            da/dq = -M^-1 dtau/dq, da/dv = -M^-1 dtau/dv, row by row to the caller
 *
 * In lanes of four doubles da of 7 joints takes 0.53 us a state; with matrices in lanes that were cleared, added to,
 * solved for and moved out afterwards it took 0.77. */
#ifndef JN_KERNEL_FIRST_DERIVATIVES_FORWARD_DYNAMICS_DERIVATIVES_MANY_H
#define JN_KERNEL_FIRST_DERIVATIVES_FORWARD_DYNAMICS_DERIVATIVES_MANY_H

#include "../forward_dynamics/inverse_product.h"
#include "../mass_matrix/mass_factor_compact.h"
#include "forward_dynamics_derivatives_one.h"
#include "inverse_dynamics_derivatives_many.h"

#if JN_MANY

/* I S of coordinate c of body i; revolute: S has no linear part. */
FLAT wrench screw_momentum_many(const linearization_many *lin, int i, int c, int revolute) {
  inertia I = lin->sums[i].I;
  twist S = lin->screws[c].S;
  return revolute ? (wrench){s3_mul(I.J, S.w), cross(S.w, I.h)} : i_mul(I, S);
}

/* tau - bias - springs of coordinate k of body i. */
FLAT real free_force(const linearization_many *lin, int i, int k, const real *tau) {
  const JN_S(body) *body = &lin->tree->body[i];
  real force = (tau ? tau[body->iv + k] : ZERO) - screw_power(body, lin->sums[i].F, lin->screws[body->id + k].S);
  return lin->tree->has_springs && carries_springs(body) ? force - spring_force(lin->tree, body, k, lin->q) : force;
}

/* S . F; revolute: S has no linear part. */
FLAT real project_on_screw(wrench F, twist S, int revolute) { return revolute ? dot(F.m, S.w) : power(F, S); }

/* The row of M of coordinate c of body i, along its branch (mass_factor_compact.h): Z = I S is moved inwards and
 * projected on the screws of the ancestors. */
FLAT void fill_compact_row(const linearization_many *lin, int i, int c, int revolute, int at, real *row) {
  const JN_S(tree) *tree = lin->tree;
  const JN_S(body) *body = &tree->body[i];
  wrench Z = screw_momentum_many(lin, i, c, revolute);
  lin->wrenches[c].Z = Z;
  row[at] = project_on_screw(Z, lin->screws[c].S, revolute) + armature_of(tree, body, c - body->id);
  for (int l = c - 1; l >= body->id; l--) row[--at] = power(Z, lin->screws[l].S);
  for (int j = i, k = body->parent; k >= 0; j = k, k = tree->body[k].parent) {
    const JN_S(body) *other = &tree->body[k];
    Z = w_shift(Z, lin->motion[j].d);
    if (is_revolute(other)) {
      row[--at] = dot(Z.m, lin->screws[other->id].S.w);
    } else if (is_free_base(other)) {
      v3_store(m3_tmul(lin->motion[k].R, Z.m), row);
      v3_store(m3_tmul(lin->motion[k].R, Z.f), row + 3);
    } else {
      for (int l = other->id + other->nv - 1; l >= other->id; l--) row[--at] = power(Z, lin->screws[l].S);
    }
  }
}

/* Steps 1 and 2 by factors: sums over subtrees, M, and y [nv] = tau - bias, in the order of elimination. */
static __attribute__((noinline)) void equations_of_motion_many(const linearization_many *lin, const real *tau,
                                                               const compact *M, real *y) {
  const JN_S(tree) *tree = lin->tree;
  for (int i = tree->nb - 1; i >= 0; i--) {
    const JN_S(body) *body = &tree->body[i];
    add_sums_to_parent(lin, i);
    for (int k = body->nv - 1; k >= 0; k--) {
      int c = body->id + k;
      y[c] = free_force(lin, i, k, tau);
      if (is_revolute(body))
        fill_compact_row(lin, i, c, 1, M->depth[c], M->H + c * tree->nv);
      else
        fill_compact_row(lin, i, c, 0, M->depth[c], M->H + c * tree->nv);
    }
  }
}

/* Steps 1 and 2 by articulated bodies: sums over subtrees, U and D of all coordinates, pivots, and the accelerations
 * x [nd]. */
static __attribute__((noinline)) void articulated_many(const linearization_many *lin, const articulation *articulated,
                                                       const real *tau, real *at, real *pivots, real *x) {
  const JN_S(tree) *tree = lin->tree;
  forward_scratch scratch = forward_scratch_place(tree, &at);
  body_inertia *I = scratch.I;
  twist *A = scratch.A;
  wrench *R = scratch.R;

  /* Poses, screws and inertias. */
  for (int i = 0; i < tree->nb; i++) {
    scratch.own[i] = lin->sums[i].I;
    articulated->d[i] = lin->motion[i].d;
    R[i] = w_zero();
  }
  for (int c = 0; c < tree->nd; c++) articulated->x[c].w = lin->screws[c].S.w, articulated->x[c].v = lin->screws[c].S.v;

  /* Inwards: U, D and u = tau - bias. */
  for (int i = tree->nb - 1; i >= 0; i--) {
    const JN_S(body) *body = &tree->body[i];
    add_sums_to_parent(lin, i);
    articulate(articulated, i, NULL, &scratch.own[i], I, pivots);
    for (int k = 0; k < body->nv; k++) {
      x[body->id + k] = free_force(lin, i, k, tau);
      lin->wrenches[body->id + k].Z = screw_momentum_many(lin, i, body->id + k, is_revolute(body));
    }
    solve_inward(articulated, i, R, x);
  }

  /* Outwards: accelerations. */
  for (int i = 0; i < tree->nb; i++) solve_outward(articulated, i, A, x);
}

/* Step 3: the linearization at a = 0 becomes that at the accelerations x [nv], in the order of elimination. */
static __attribute__((noinline)) void add_accelerations_many(const linearization_many *lin, const real *x) {
  const JN_S(tree) *tree = lin->tree;

  /* Outwards: A of the bodies, ppsi_k += [A_p, S_k]. */
  for (int i = 0; i < tree->nb; i++) {
    const JN_S(body) *body = &tree->body[i];
    twist A = body->parent < 0 ? t_zero() : t_shift(lin->motion[body->parent].A, lin->motion[i].d), before = A;
    for (int c = body->id; c < body->id + body->nv; c++) {
      coordinate_screws *s = &lin->screws[c];
      if (is_revolute(body)) {
        vec3 e = s->S.w;
        s->ppsi = t_add(s->ppsi, (twist){cross(A.w, e), cross(A.v, e)});
        A.w = v3_axpy(x[c], e, A.w);
      } else {
        if (body->parent >= 0 || !is_group(body)) s->ppsi = t_add(s->ppsi, t_ad(is_group(body) ? before : A, s->S));
        A = t_axpy(x[c], s->S, A);
      }
    }
    lin->motion[i].A = A;
    lin->wrenches[body->id].Y = w_zero(); /* sum of R over its children */
  }

  /* Inwards: F += I A + R of the children, R += I S x. */
  for (int i = tree->nb - 1; i >= 0; i--) {
    const JN_S(body) *body = &tree->body[i];
    wrench R = lin->wrenches[body->id].Y;
    lin->sums[i].F = w_add(lin->sums[i].F, w_add(i_mul(lin->sums[i].I, lin->motion[i].A), R));
    for (int c = body->id; c < body->id + body->nv; c++) {
      R.m = v3_axpy(x[c], lin->wrenches[c].Z.m, R.m);
      R.f = v3_axpy(x[c], lin->wrenches[c].Z.f, R.f);
    }
    if (body->parent < 0) continue;
    wrench *to = &lin->wrenches[tree->body[body->parent].id].Y;
    *to = w_add(*to, w_shift(R, lin->motion[i].d));
  }
}

/* ---- step 4: the product -M^-1 T ---- */

enum {
  LANES_MOST = 512, /* coordinates that scratch memory is provided for */
  STRIP = JN_LANES < 4 ? JN_LANES : 4,
  ROWS = 3, /* with STRIP columns sixteen registers: sums, factors of the rows, and one of a column */
  PANEL = 6 /* rows of the result that are made before they go to the caller */
};

/* Keeps a number in a register; otherwise the compiler reads it from memory for every row. */
#if defined(__x86_64__) && JN_LANES > 1
#define IN_REGISTER(x) __asm__ volatile("" : "+x"(x))
#else
#define IN_REGISTER(x) (void)(x)
#endif

/* STRIP columns from c on, and the rows of T that are not zero there. */
typedef struct column_strip {
  int c, count;
  int32_t *row;
} column_strip;

/* Rows [r, r + rows) of a strip of columns of -M^-1 T, to X [rows x nv]. */
FLAT void multiply_strip_rows(const column_strip *s, int n, const real *inverse, const real *T, int r, int rows,
                              int columns, real *X) {
  const real *A = inverse + r * n;
  real x[ROWS][STRIP];
  for (int e = 0; e < rows; e++)
    for (int k = 0; k < columns; k++) x[e][k] = ZERO;
  for (int m = 0; m < s->count; m++) {
    int at = s->row[m];
    const real *a = A + at, *body = T + at * n + s->c;
    real own[ROWS];
    for (int e = 0; e < rows; e++) own[e] = a[e * n];
    for (int k = 0; k < columns; k++) {
      real with = body[k];
      IN_REGISTER(with);
      for (int e = 0; e < rows; e++) x[e][k] -= own[e] * with;
    }
  }
  for (int e = 0; e < rows; e++)
    for (int k = 0; k < columns; k++) X[e * n + s->c + k] = x[e][k];
}

/* All rows of a panel: three, two or one at a time. */
static __attribute__((noinline)) void multiply_strip_panel(const column_strip *s, int n, const real *inverse,
                                                           const real *T, int r, int rows, real *X) {
  int e = 0, columns = n - s->c < STRIP ? n - s->c : STRIP;
  if (columns == STRIP) {
    for (; rows - e == 3 || rows - e > 4; e += 3) multiply_strip_rows(s, n, inverse, T, r + e, 3, STRIP, X + e * n);
    for (; rows - e > 1; e += 2) multiply_strip_rows(s, n, inverse, T, r + e, 2, STRIP, X + e * n);
    for (; e < rows; e++) multiply_strip_rows(s, n, inverse, T, r + e, 1, STRIP, X + e * n);
  }
  for (; e < rows; e++) multiply_strip_rows(s, n, inverse, T, r + e, 1, columns, X + e * n);
}

typedef struct strips_scratch {
  sparsity pattern;
  column_strip *s; /* [strips] */
  int32_t *row;    /* rows of all strips */
  real *dq, *dv;   /* [PANEL x nv] */
} strips_scratch;

static inline strips_scratch strips_place(const JN_S(tree) * tree, real **at) {
  int n = tree->nv <= LANES_MOST ? tree->nv : 0,
      strips = (n + STRIP - 1) / STRIP; /* with more coordinates it is not used */
  strips_scratch r = {.pattern = sparsity_place(tree, 0, at)};
  r.s = TAKE(at, strips, column_strip);
  r.row = TAKE(at, (size_t)(tree->chain ? 1 : strips) * (size_t)n, int32_t);
  r.dq = take(at, (size_t)(PANEL * n));
  r.dv = take(at, (size_t)(PANEL * n));
  return r;
}

/* All strips; the last may share columns with the one before. */
static inline column_strip *fill_strips(const strips_scratch *r, int *count) {
  const JN_S(tree) *tree = r->pattern.tree;
  int n = tree->nv;
  int32_t *row = r->row;
  sparsity_fill(&r->pattern);
  *count = 0;
  for (int c = 0; c < n; c += STRIP) {
    column_strip *to = &r->s[(*count)++];
    *to = (column_strip){.c = n - c < STRIP && n >= STRIP ? n - STRIP : c, .row = row};
    to->count = branch_rows(&r->pattern, to->c, n < STRIP ? n : STRIP, row);
    if (!tree->chain) row += to->count; /* else all have the same rows */
  }
  return r->s;
}

/* -M^-1 T of the matrices T of `target`, to outputs 2 and 3 of the caller. */
static inline void multiply_inverse_many(const JN_S(tree) * tree, const real *inverse, const matrix_target *target,
                                         real *at) {
  strips_scratch scratch = strips_place(tree, &at);
  int n = tree->nv, count;
  column_strip *s = fill_strips(&scratch, &count);
  real *dq = target->dq ? scratch.dq : NULL, *dv = target->dv ? scratch.dv : NULL;
  for (int r = 0; r < n; r += PANEL) {
    int rows = n - r < PANEL ? n - r : PANEL;
    for (int k = 0; k < count; k++) {
      if (dq) multiply_strip_panel(&s[k], n, inverse, target->dq, r, rows, dq);
      if (dv) multiply_strip_panel(&s[k], n, inverse, target->dv, r, rows, dv);
    }
    for (int e = 0; e < rows; e++) {
      if (dq) send_row(target->to, 2, dq + e * n, n, r + e);
      if (dv) send_row(target->to, 3, dv + e * n, n, r + e);
    }
  }
}

#endif

#endif
