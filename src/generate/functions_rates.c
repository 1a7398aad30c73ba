/* SPDX-License-Identifier: BSD-2-Clause */
/* Time derivatives and partial derivatives of inverse and forward dynamics: Taylor coefficients (taylor.h) of the graph
 * of inverse dynamics, in which the accelerations are inputs that are given as series. */
#include <string.h>

#include "functions.h"

/* Inverse dynamics with symbols for v and a, and its series. */
typedef struct rate_work {
  jn_taylor taylor;
  jn_expr *tau, *v, *a; /* [nv] results and inputs of inverse dynamics */
  jn_expr *series;      /* [(order + 2) x nv] coefficients of the velocities */
  int nv;
} rate_work;

static void close_rates(jn_writing *w, rate_work *r) {
  if (r->taylor.g) jn__taylor_free(&r->taylor);
  jn__release(&w->allocator, r->tau);
  jn__release(&w->allocator, r->v);
  jn__release(&w->allocator, r->a);
  jn__release(&w->allocator, r->series);
}

static int open_rates(jn_writing *w, rate_work *r, int order) {
  *r = (rate_work){.nv = jn_model_nv(w->model)};
  size_t n = (size_t)r->nv;
  r->tau = jn__allocate(&w->allocator, (n + 1) * sizeof *r->tau);
  r->series = jn__allocate(&w->allocator, (n + 1) * (size_t)(order + 2) * sizeof *r->series);
  r->v = jn__take_inputs(w, JN_ARRAY_V, 0);
  r->a = jn__take_inputs(w, JN_ARRAY_A, 0);
  int good = r->tau && r->series && r->v && r->a;

  good = good && jn__write_inverse_dynamics(&w->symbols, r->v, r->a, 1, 1, r->tau);
  good = good && jn__taylor_create(&r->taylor, &w->graph, r->tau, r->nv, order);
  if (!good) close_rates(w, r);
  return good;
}

static double factorial(int k) { return k < 2 ? 1 : k * factorial(k - 1); }

/* Coefficient k of configuration, velocities (series row k) and accelerations: (k + 1) v_{k+1}, or zero. */
static void give_motion(jn_writing *w, rate_work *r, int k, int with_acceleration) {
  int n = r->nv;
  jn__taylor_move(&r->taylor, &w->symbols, r->series, k);
  for (int i = 0; i < n; i++) {
    jn__taylor_give(&r->taylor, r->v[i], k, r->series[k * n + i]);
    jn_expr a = with_acceleration ? jn__scale(&w->graph, k + 1, r->series[(k + 1) * n + i]) : JN_ZERO;
    jn__taylor_give(&r->taylor, r->a[i], k, a);
  }
  jn__taylor_step(&r->taylor, k);
}

int jn__write_force_rates(jn_writing *w, int order, jn_expr *tau) {
  int n = jn_model_nv(w->model);
  rate_work r;
  if (!open_rates(w, &r, order)) return 0;
  for (int k = 0; k < n * (order + 2); k++)
    r.series[k] = jn__scale(&w->graph, 1 / factorial(k / n), jn__input(&w->graph, JN_ARRAY_V, k));
  for (int k = 0; k <= order; k++) {
    give_motion(w, &r, k, 1);
    for (int i = 0; i < n; i++)
      tau[k * n + i] = jn__scale(&w->graph, factorial(k), jn__taylor_at(&r.taylor, r.tau[i], k));
  }
  close_rates(w, &r);
  return 1;
}

int jn__write_inverse_dynamics_jet_function(jn_writing *w, jn_written_function *f) {
  f->about =
      "Inverse dynamics with time derivatives: tau_jet row k = d^k tau/dt^k; v_jet rows: v, dv/dt = a, da/dt, ...";
  int n = jn_model_nv(w->model), order = w->options.order;
  jn__add_argument(f, "q", JN_ARRAY_Q, jn_model_nq(w->model));
  jn__add_argument(f, "v_jet", JN_ARRAY_V, n * (order + 2));
  jn_expr *tau = jn__add_result(w, f, "tau_jet", n * (order + 1), n);
  return tau && jn__write_force_rates(w, order, tau);
}

/* M as factors, of coordinates that are not prescribed (NULL: none is); for the caller to release both. */
static int make_factors(jn_writing *w, const unsigned char *prescribed, jn_expr **L, jn_expr **inverse) {
  *L = jn__make_mass_matrix(w);
  *inverse = jn__allocate(&w->allocator, ((size_t)jn_model_nv(w->model) + 1) * sizeof **inverse);
  if (*L && *inverse) jn__write_factors(&w->symbols, prescribed, *L, *inverse);
  return *L && *inverse;
}

/* Order by order: what the forces would be with a_k = 0, then M a_k = tau_k - rest, then all coefficients k again. */
static void solve_series(jn_writing *w, rate_work *r, const jn_expr *L, const jn_expr *inverse, int order) {
  int n = r->nv;
  for (int k = 0; k <= order; k++) {
    jn_expr *next = r->series + (k + 1) * n;
    give_motion(w, r, k, 0);
    for (int i = 0; i < n; i++) {
      jn_expr given = jn__scale(&w->graph, 1 / factorial(k), jn__input(&w->graph, JN_ARRAY_TAU, k * n + i));
      next[i] = jn__subtract(&w->graph, given, jn__taylor_at(&r->taylor, r->tau[i], k));
    }
    jn__write_solution(&w->symbols, NULL, L, inverse, next);
    for (int i = 0; i < n; i++) next[i] = jn__scale(&w->graph, 1.0 / (k + 1), next[i]);
    if (k < order) give_motion(w, r, k, 1);
  }
}

int jn__write_forward_dynamics_jet_function(jn_writing *w, jn_written_function *f) {
  f->about =
      "Forward dynamics with time derivatives: v_jet rows v, a, da/dt, ... that tau_jet (tau, dtau/dt, ...) causes.";
  int n = jn_model_nv(w->model), order = w->options.order;
  jn__take_state(w, f, 1);
  jn__add_argument(f, "tau_jet", JN_ARRAY_TAU, n * (order + 1));
  jn_expr *out = jn__add_result(w, f, "v_jet", n * (order + 2), n), *L = NULL, *inverse = NULL;
  rate_work r;
  if (!out || !open_rates(w, &r, order)) return 0;

  int good = make_factors(w, NULL, &L, &inverse);
  if (good) {
    memcpy(r.series, r.v, (size_t)n * sizeof *r.series);
    solve_series(w, &r, L, inverse, order);
    for (int k = 0; k < n * (order + 2); k++) out[k] = jn__scale(&w->graph, factorial(k / n), r.series[k]);
  }
  jn__release(&w->allocator, L);
  jn__release(&w->allocator, inverse);
  close_rates(w, &r);
  return good;
}

/* The same where rows 1, 2, ... of v_jet are given for prescribed coordinates: their accelerations are part of the
 * rest, and their forces are results, tau_out [(order + 1) x nv]. */
static void solve_hybrid_series(jn_writing *w, rate_work *r, const jn_expr *L, const jn_expr *inverse,
                                jn_expr *tau_out) {
  const unsigned char *prescribed = w->options.prescribed;
  jn_graph *g = &w->graph;
  int n = r->nv;
  for (int k = 0; k <= w->options.order; k++) {
    jn_expr *next = r->series + (k + 1) * n, *tau = tau_out + k * n;
    for (int i = 0; i < n; i++) {
      jn_expr given = jn__scale(g, 1 / factorial(k + 1), jn__input(g, JN_ARRAY_V, (k + 1) * n + i));
      next[i] = prescribed && prescribed[i] ? given : JN_ZERO;
    }
    give_motion(w, r, k, 1);

    /* Forces that are given, and the accelerations that they leave open. */
    for (int i = 0; i < n; i++) {
      tau[i] = jn__input(g, JN_ARRAY_TAU, k * n + i);
      if (prescribed && prescribed[i]) continue;
      next[i] = jn__subtract(g, jn__scale(g, 1 / factorial(k), tau[i]), jn__taylor_at(&r->taylor, r->tau[i], k));
    }
    jn__write_solution(&w->symbols, prescribed, L, inverse, next);
    for (int i = 0; i < n; i++)
      if (!prescribed || !prescribed[i]) next[i] = jn__scale(g, 1.0 / (k + 1), next[i]);

    /* All coefficients k again, now with these. */
    give_motion(w, r, k, 1);
    for (int i = 0; i < n; i++)
      if (prescribed && prescribed[i]) tau[i] = jn__scale(g, factorial(k), jn__taylor_at(&r->taylor, r->tau[i], k));
  }
}

int jn__write_hybrid_dynamics_jet_function(jn_writing *w, jn_written_function *f) {
  f->about =
      "Hybrid dynamics with time derivatives: rows 1, 2, ... of v_jet are given where the table of coordinates says "
      "so, "
      "tau_jet for the others.";
  int n = jn_model_nv(w->model), order = w->options.order;
  jn__add_argument(f, "q", JN_ARRAY_Q, jn_model_nq(w->model));
  jn__add_argument(f, "v_jet", JN_ARRAY_V, n * (order + 2));
  jn__add_argument(f, "tau_jet", JN_ARRAY_TAU, n * (order + 1));
  jn_expr *out = jn__add_result(w, f, "v_out", n * (order + 2), n),
          *tau = jn__add_result(w, f, "tau_out", n * (order + 1), n), *L = NULL, *inverse = NULL;
  rate_work r;
  if (!out || !tau || !open_rates(w, &r, order)) return 0;

  int good = make_factors(w, w->options.prescribed, &L, &inverse);
  if (good) {
    memcpy(r.series, r.v, (size_t)n * sizeof *r.series);
    solve_hybrid_series(w, &r, L, inverse, tau);
    for (int k = 0; k < n * (order + 2); k++) out[k] = jn__scale(&w->graph, factorial(k / n), r.series[k]);
  }
  jn__release(&w->allocator, L);
  jn__release(&w->allocator, inverse);
  close_rates(w, &r);
  return good;
}

/* ---- partial derivatives ---- */

/* Column `column` of dtau_dq (by = 0) or dtau_dv (by = 1), into to[i * nv + column]. */
static void write_direction(jn_writing *w, rate_work *r, int by, int column, jn_expr *to) {
  int n = r->nv;
  for (int i = 0; i < n; i++) r->series[i] = by == 0 && i == column ? JN_ONE : JN_ZERO;
  jn__taylor_move(&r->taylor, &w->symbols, r->series, 1);
  for (int i = 0; i < n; i++) {
    jn__taylor_give(&r->taylor, r->v[i], 1, by == 1 && i == column ? JN_ONE : JN_ZERO);
    jn__taylor_give(&r->taylor, r->a[i], 1, JN_ZERO);
  }
  jn__taylor_step(&r->taylor, 1);
  for (int i = 0; i < n; i++) to[i * n + column] = jn__taylor_at(&r->taylor, r->tau[i], 1);
}

/* dtau_dq and dtau_dv at the accelerations a [nv]. */
static int write_inverse_derivatives(jn_writing *w, const jn_expr *a, jn_expr *dtau_dq, jn_expr *dtau_dv) {
  rate_work r;
  if (!open_rates(w, &r, 1)) return 0;
  for (int i = 0; i < r.nv; i++) {
    jn__taylor_give(&r.taylor, r.v[i], 0, r.v[i]);
    jn__taylor_give(&r.taylor, r.a[i], 0, a[i]);
  }
  jn__taylor_step(&r.taylor, 0);
  for (int column = 0; column < r.nv; column++) {
    if (dtau_dq) write_direction(w, &r, 0, column, dtau_dq);
    if (dtau_dv) write_direction(w, &r, 1, column, dtau_dv);
  }
  close_rates(w, &r);
  return 1;
}

int jn__write_inverse_dynamics_derivatives_function(jn_writing *w, jn_written_function *f) {
  f->about = "Derivatives of inverse dynamics by q (in the tangent space), v and a; dtau_da = M.";
  int n = jn_model_nv(w->model);
  jn__take_state(w, f, 1);
  jn__add_argument(f, "a", JN_ARRAY_A, n);
  jn_expr *dq = jn__add_result(w, f, "dtau_dq", n * n, n), *dv = jn__add_result(w, f, "dtau_dv", n * n, n),
          *da = jn__add_result(w, f, "dtau_da", n * n, n), *a = jn__take_inputs(w, JN_ARRAY_A, 0);
  int good = dq && dv && da && a && write_inverse_derivatives(w, a, dq, dv) && jn__write_mass_matrix(&w->symbols, da);
  jn__release(&w->allocator, a);
  return good;
}

/* Every column of X [nv x nv] becomes factor M^-1 times it. */
static int solve_columns(jn_writing *w, const jn_expr *L, const jn_expr *inverse, jn_expr *X) {
  int n = jn_model_nv(w->model);
  jn_expr *b = jn__allocate(&w->allocator, (size_t)(n + 1) * sizeof *b);
  for (int column = 0; b && column < n; column++) {
    for (int i = 0; i < n; i++) b[i] = X[i * n + column];
    jn__write_solution(&w->symbols, NULL, L, inverse, b);
    for (int i = 0; i < n; i++) X[i * n + column] = b[i];
  }
  jn__release(&w->allocator, b);
  return b != NULL;
}

/* da/dq = -M^-1 dtau/dq at the solution, likewise by v; da/dtau = M^-1. */
int jn__write_forward_dynamics_derivatives_function(jn_writing *w, jn_written_function *f) {
  f->about = "Forward dynamics a and its derivatives by q (in the tangent space), v and tau.";
  int n = jn_model_nv(w->model);
  jn__take_state(w, f, 1);
  jn__add_argument(f, "tau", JN_ARRAY_TAU, n);
  jn_expr *a = jn__add_result(w, f, "a", n, 0), *dq = jn__add_result(w, f, "da_dq", n * n, n),
          *dv = jn__add_result(w, f, "da_dv", n * n, n), *dtau = jn__add_result(w, f, "da_dtau", n * n, n);
  jn_expr *M = jn__make_mass_matrix(w), *v = jn__take_inputs(w, JN_ARRAY_V, 0),
          *tau = jn__take_inputs(w, JN_ARRAY_TAU, 0), *L = NULL, *inverse = NULL;
  int good = a && dq && dv && dtau && M && v && tau && make_factors(w, NULL, &L, &inverse);

  good = good && jn__solve_accelerations(w, NULL, v, tau, M, a) && write_inverse_derivatives(w, a, dq, dv);
  for (int k = 0; good && k < n * n; k++) {
    dq[k] = jn__negate(dq[k]);
    dv[k] = jn__negate(dv[k]);
    dtau[k] = k % (n + 1) == 0 ? JN_ONE : JN_ZERO;
  }
  good = good && solve_columns(w, L, inverse, dq) && solve_columns(w, L, inverse, dv) &&
         solve_columns(w, L, inverse, dtau);
  jn__release(&w->allocator, M);
  jn__release(&w->allocator, v);
  jn__release(&w->allocator, tau);
  jn__release(&w->allocator, L);
  jn__release(&w->allocator, inverse);
  return good;
}

/* C by Christoffel symbols: half of d(C v)/dv, plus M' ad of the group joints' own velocities (dynamics.h). */
int jn__write_coriolis_matrix_christoffel_function(jn_writing *w, jn_written_function *f) {
  f->about = "The Coriolis matrix C(q, v) by Christoffel symbols: dM/dt - 2 C is skew-symmetric.";
  int n = jn_model_nv(w->model);
  jn_graph *g = &w->graph;
  jn__take_state(w, f, 1);
  jn_expr *C = jn__add_result(w, f, "C", n * n, n), *M = jn__make_mass_matrix(w);
  jn_expr *zero = jn__allocate(&w->allocator, (size_t)(n + 1) * sizeof *zero);
  int good = C && M && zero && write_inverse_derivatives(w, zero, NULL, C);

  for (int p = 0; good && p < w->mechanism.count; p++) {
    const jn_part *part = &w->mechanism.part[p];
    if (part->nv == 1) continue;
    for (int k = 0; k < part->nv; k++) /* without armature */
      M[(part->iv + k) * (n + 1)] = jn__subtract(g, M[(part->iv + k) * (n + 1)], jn__constant(g, part->armature[k]));

    /* ad = [[w] 0; [v] [w]]: column c of M' ad */
    jn_expr v[6] = {0};
    for (int k = 0; k < part->nv; k++) v[k] = jn__input(g, JN_ARRAY_V, part->iv + k);
    for (int row = 0; row < n; row++) {
      const jn_expr *m = &M[row * n + part->iv];
      jn_expr3 angular = {m[0], m[1], m[2]}, turn = jn__cross(g, angular, (jn_expr3){v[0], v[1], v[2]});
      jn_expr3 slide = jn__zero3();
      if (part->kind == JN_BODY_FREE) {
        jn_expr3 linear = {m[3], m[4], m[5]};
        turn = jn__add3(g, turn, jn__cross(g, linear, (jn_expr3){v[3], v[4], v[5]}));
        slide = jn__cross(g, linear, (jn_expr3){v[0], v[1], v[2]});
      }
      jn_expr more[6] = {turn.x, turn.y, turn.z, slide.x, slide.y, slide.z};
      for (int k = 0; k < part->nv; k++) C[row * n + part->iv + k] = jn__add(g, C[row * n + part->iv + k], more[k]);
    }
  }
  for (int k = 0; good && k < n * n; k++) C[k] = jn__scale(g, 0.5, C[k]);
  jn__release(&w->allocator, M);
  jn__release(&w->allocator, zero);
  return good;
}
