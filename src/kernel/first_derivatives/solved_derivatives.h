/* SPDX-License-Identifier: BSD-2-Clause */
/* From derivatives of inverse dynamics to those of forward and hybrid dynamics: M_ff da_f = -T_f where the forces are
 * given, dtau_p = T_p + M_pf da_f where the accelerations are. */
#ifndef JN_KERNEL_FIRST_DERIVATIVES_SOLVED_DERIVATIVES_H
#define JN_KERNEL_FIRST_DERIVATIVES_SOLVED_DERIVATIVES_H

#include "../inverse_dynamics/rnea.h"
#include "linearization.h"

/* The linearization of one state. Once each: they are long when unrolled. */
static __attribute__((noinline)) void sweep(const linearization *w) { linearize(w, 1); }
static __attribute__((noinline)) void matrices(const linearization *w, const derived *to) {
  column x[1];
  if (w->H || w->C || to->C)
    linearization_matrices(w, 1, x, to);
  else
    first_matrices(w, to);
}

typedef struct split {
  const JN_S(tree) * t;
  const unsigned char *prescribed; /* NULL: none */
  const real *H;                   /* factors of the inertia, rows of prescribed coordinates those of the identity */
  const real *M;                   /* [nv x nv]; NULL when nothing is prescribed */
  real *y;                         /* [nv] */
} split;

static inline int is_given(const split *s, int i) { return s->prescribed && s->prescribed[i]; }

/* With T the derivative of inverse dynamics [nv x columns] at fixed accelerations: of the free accelerations, -M_ff^-1
 * T_f, and of the prescribed forces, T_p + M_pf da_f. T is in dtau, or in da when dtau is NULL. */
static inline void solve_columns(const split *s, int columns, real *da, real *dtau) {
  const JN_S(tree) *t = s->t;
  int n = t->nv;
  const real *T = dtau ? dtau : da;
  for (int i = 0; i < n; i++)
    for (int c = 0; c < columns; c++) da[i * columns + c] = is_given(s, i) ? ZERO : -T[i * columns + c];
  for (int k = n - 1; k >= 0; k--) /* L^T D L da = -T, whole rows at a time */
    for (int j = t->lambda[k]; j >= 0; j = t->lambda[j])
      add_row(columns, -s->H[k * n + j], da + t->order[k] * columns, da + t->order[j] * columns);
  for (int k = 0; k < n; k++) {
    real inverse = K(1) / s->H[k * n + k], *row = da + t->order[k] * columns;
    for (int c = 0; c < columns; c++) row[c] *= inverse;
    for (int j = t->lambda[k]; j >= 0; j = t->lambda[j])
      add_row(columns, -s->H[k * n + j], da + t->order[j] * columns, row);
  }
  for (int i = 0; i < n && dtau; i++)
    for (int c = 0; c < columns; c++) {
      if (!is_given(s, i)) {
        dtau[i * columns + c] = ZERO;
        continue;
      }
      for (int k = 0; k < n; k++)
        if (!is_given(s, k)) dtau[i * columns + c] += s->M[i * n + k] * da[k * columns + c];
    }
}

/* Derivatives with respect to what is given, from the inverse of the masked M in da, and M in dtau (may be NULL when
 * nothing is prescribed). */
static inline void given_columns(const split *s, real *da, real *dtau) {
  int n = s->t->nv;
  if (!s->prescribed) return;
  for (int f = 0; f < n; f++)
    for (int p = 0; p < n; p++) {
      if (is_given(s, f) || !is_given(s, p)) continue;
      real x = ZERO;
      for (int k = 0; k < n; k++)
        if (!is_given(s, k)) x -= da[f * n + k] * dtau[k * n + p];
      da[f * n + p] = x;
    }
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < n; k++) s->y[k] = dtau[i * n + k];
    for (int c = 0; c < n; c++) {
      if (!is_given(s, i)) {
        dtau[i * n + c] = i == c ? K(1) : ZERO;
        continue;
      }
      real x = is_given(s, c) ? s->y[c] : ZERO;
      for (int k = 0; k < n; k++)
        if (!is_given(s, k)) x += s->y[k] * da[k * n + c];
      dtau[i * n + c] = x;
    }
  }
}

/* Accelerations of the free coordinates, a_out [nv], and the factors they come from, H [nv x nv]. y, bias: scratch. */
static inline void accelerations(linearization *w, const split *s, const real *a, const real *tau, real *at, real *H,
                                 real *pivots, real *a_out) {
  const JN_S(tree) *t = w->t;
  int n = t->nv;
  real *bias = s->y + n;
  for (int i = 0; i < n; i++) a_out[i] = is_given(s, i) && a ? a[i] : ZERO;
  w->a = a_out;
  JN_(newton_forces)(t, w->q, w->v, a_out, w->W, FORCES_ALL, &w->turn, at, bias);
  JN_(mass_matrix)(t, w->q, &w->turn, 1, at, H);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (is_given(s, t->order[i]) || is_given(s, t->order[j])) H[i * n + j] = i == j ? K(1) : ZERO;
  factorize(t, H, pivots);
  for (int k = 0; k < n; k++) {
    int i = t->order[k];
    s->y[k] = is_given(s, i) ? ZERO : (tau ? tau[i] : ZERO) - bias[i];
  }
  substitute(t, H, s->y);
  for (int k = 0; k < n; k++) a_out[t->order[k]] += s->y[k];
}

#endif
