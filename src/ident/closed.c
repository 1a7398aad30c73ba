/* SPDX-License-Identifier: BSD-2-Clause */
/* Models with loops. The forces of the loops are unknown, but they do no work along motions that keep the loops closed:
 * with N [dof x nv], the velocities that one independent coordinate after the other makes, N tau = N (Y x) has none of
 * them. Row k is that of independent coordinate k, whose own factor in N is 1. */
#include <math.h>
#include <string.h>

#include "base.h"
#include "identify.h"

/* ---- Which coordinates are independent ---- */

/* Adds row v of P (a coordinate's part of all closed motions) to the basis unless it depends on it. */
static int is_new(const double *row, int n, double *basis, int count) {
  double *x = basis + (size_t)count * (size_t)n, length = 0, whole = 0;
  memcpy(x, row, (size_t)n * sizeof *x);
  for (int i = 0; i < n; i++) whole += row[i] * row[i];
  for (int twice = 0; twice < 2; twice++)
    for (int k = 0; k < count; k++) {
      const double *b = basis + (size_t)k * (size_t)n;
      double along = 0;
      for (int i = 0; i < n; i++) along += b[i] * x[i];
      for (int i = 0; i < n; i++) x[i] -= along * b[i];
    }
  for (int i = 0; i < n; i++) length += x[i] * x[i];
  if (!(length > 1e-10) || !(whole > 1e-10)) return 0;
  for (int i = 0; i < n; i++) x[i] /= sqrt(length);
  return 1;
}

/* Actuated coordinates first, each unless those before it determine it. P [nv x nv]: row v has the part that coordinate
 * v has in the projections of all unit velocities to closed motions. */
static void choose_independent(jn_identification *d, const double *P, double *basis) {
  jn_closure *c = d->closure;
  for (int pass = 0; pass < 2; pass++)
    for (int v = 0; v < d->nv; v++) {
      if (c->held[v] || c->actuated[v] == pass) continue;
      if (!is_new(P + (size_t)v * (size_t)d->nv, d->nv, basis, c->count)) continue;
      c->independent[c->count++] = v;
      c->held[v] = 1;
    }
}

/* A configuration that closes the loops, about `radius` [rad, m] from the neutral one; v and a are random. */
static jn_status random_closed(jn_identification *d, uint64_t *seed, double radius, double *q, double *v, double *a) {
  const jn_closure *c = d->closure;
  jn_status status = jn_neutral(d->model, c->neutral);
  for (int i = 0; i < d->nv; i++) c->jet[i] = radius * jn__base_uniform(seed);
  if (status == JN_OK) status = jn_integrate(d->model, d->work, c->neutral, c->jet, q);
  if (status == JN_OK) status = jn_loops_assemble(c->loops, NULL, 0, q, NULL);
  for (int i = 0; i < d->nv; i++) {
    v[i] = 3 * jn__base_uniform(seed);
    a[i] = 9 * jn__base_uniform(seed);
  }
  return status;
}

static jn_status find_independent(jn_identification *d) {
  jn_closure *c = d->closure;
  size_t nv = (size_t)d->nv;
  double *memory = jn__allocate(&d->allocator, (2 * nv * nv + (size_t)d->nq + 3 * nv) * sizeof *memory);
  if (!memory) return JN_ERR_MEMORY;
  double *P = memory, *basis = P + nv * nv, *q = basis + nv * nv, *v = q + d->nq, *a = v + nv, *unit = a + nv;
  uint64_t seed = d->options.seed;
  jn_status status = JN_ERR_LOOP;
  for (double radius = 0.5; radius > 1e-3 && status == JN_ERR_LOOP; radius *= 0.8)
    status = random_closed(d, &seed, radius, q, v, a);
  for (size_t k = 0; k < nv && status == JN_OK; k++) {
    memset(unit, 0, nv * sizeof *unit);
    unit[k] = 1;
    status = jn_loops_project(c->loops, NULL, q, unit);
    for (size_t i = 0; i < nv; i++) P[i * nv + k] = unit[i];
  }
  if (status == JN_OK) choose_independent(d, P, basis);
  if (status == JN_OK && c->count == 0) status = JN_ERR_LOOP; /* nothing moves */
  jn__release(&d->allocator, memory);
  if (status == JN_OK && !d->options.actuated) memcpy(c->actuated, c->held, nv);
  return status;
}

jn_status jn__ident_make_closure(jn_identification *d) {
  if (jn_loop_count(d->model) == 0) return JN_OK;
  size_t nv = (size_t)d->nv, nq = (size_t)d->nq;
  jn_closure *c = d->closure = jn__allocate(&d->allocator, sizeof *c);
  if (!c) return JN_ERR_MEMORY;
  c->independent = jn__allocate(&d->allocator, nv * sizeof *c->independent);
  c->held = jn__allocate(&d->allocator, 2 * nv + 1);
  c->guess = jn__allocate(&d->allocator, (4 * nq + 4 * nv + nv * nv + nv * ((size_t)d->n + 1)) * sizeof *c->guess);
  if (!c->independent || !c->held || !c->guess) return JN_ERR_MEMORY;
  c->actuated = c->held + nv;
  c->q = c->guess + nq;
  c->neutral = c->q + nq;
  c->first = c->neutral + nq;
  c->v = c->first + nq;
  c->a = c->v + nv;
  c->jet = c->a + nv;
  c->N = c->jet + 2 * nv;
  c->rows = c->N + nv * nv;
  c->time = NAN;
  for (size_t i = 0; i < nv; i++) c->actuated[i] = (unsigned char)(!d->options.actuated || d->options.actuated[i] != 0);
  jn_status status = jn_loops_create(d->model, NULL, &c->loops);
  return status == JN_OK ? find_independent(d) : status;
}

void jn__ident_free_closure(jn_identification *d) {
  if (!d->closure) return;
  jn_loops_destroy(d->closure->loops);
  jn__release(&d->allocator, d->closure->independent);
  jn__release(&d->allocator, d->closure->held);
  jn__release(&d->allocator, d->closure->guess);
  jn__release(&d->allocator, d->closure);
}

/* ---- States ---- */

jn_status jn__ident_close(const jn_identification *d, double *q, double *v, double *a, double *N) {
  const jn_closure *c = d->closure;
  size_t nv = (size_t)d->nv;
  jn_status status = jn_loops_assemble(c->loops, c->held, 0, q, NULL);
  memcpy(c->jet, v, nv * sizeof *v);
  memcpy(c->jet + nv, a, nv * sizeof *a);
  if (status == JN_OK) status = jn_loops_complete_motion(c->loops, 0, c->held, q, c->jet);
  if (status != JN_OK) return status;
  memcpy(v, c->jet, nv * sizeof *v);
  memcpy(a, c->jet + nv, nv * sizeof *a);
  for (int k = 0; k < c->count && status == JN_OK; k++) {
    memset(c->jet, 0, 2 * nv * sizeof *c->jet);
    c->jet[c->independent[k]] = 1;
    status = jn_loops_complete_motion(c->loops, 0, c->held, q, c->jet);
    memcpy(N + (size_t)k * nv, c->jet, nv * sizeof *N);
  }
  return status;
}

/* Next to singular configurations small motions make large ones, which would hide all else. */
static int is_tame(const jn_identification *d) {
  const double most = 30;
  for (int k = 0; k < d->closure->count * d->nv; k++)
    if (!(fabs(d->closure->N[k]) < most)) return 0;
  return 1;
}

jn_status jn__ident_random_state(jn_identification *d, uint64_t *seed, double *q, double *v, double *a) {
  if (!d->closure) return jn__base_random_state(d->model, seed, q, v, a);
  jn_status status = JN_ERR_LOOP;
  double radius = 1;
  for (int tries = 0; tries < 60 && status == JN_ERR_LOOP; tries++, radius *= 0.93) {
    status = random_closed(d, seed, radius, q, v, a);
    if (status == JN_OK) status = jn__ident_close(d, q, v, a, d->closure->N);
    if (status == JN_OK && !is_tame(d)) status = JN_ERR_LOOP;
  }
  return status;
}

/* Joints that are not held, from the last closed configuration. */
static jn_status close_from_guess(const jn_identification *d, double *q) {
  jn_closure *c = d->closure;
  for (int v = 0; v < d->nv; v++) {
    int number, joint = jn_coordinate_joint(d->model, v, &number), at = jn_joint_q(d->model, joint);
    if (c->held[v] || number > 0) continue;
    memcpy(q + at, c->guess + at, (size_t)jn_joint_nq(d->model, joint) * sizeof *q);
  }
  jn_status status = jn_loops_assemble(c->loops, c->held, 0, q, NULL);
  if (status == JN_OK) memcpy(c->guess, q, (size_t)d->nq * sizeof *q);
  return status;
}

/* From the neutral configuration to that of the motion at t in small steps, so that the loops stay in the branch in
 * which they are closed there. */
static jn_status walk_to_start(const jn_identification *d, const jn_trajectory *motion, double t) {
  enum { STEPS = 50 };
  jn_closure *c = d->closure;
  jn_status status = jn_neutral(d->model, c->neutral);
  memcpy(c->guess, c->neutral, (size_t)d->nq * sizeof *c->guess);
  if (status == JN_OK) status = jn_trajectory_evaluate(motion, t, 0, c->first, NULL);
  for (int i = 1; i <= STEPS && status == JN_OK; i++) {
    status = jn_interpolate(d->model, d->work, c->neutral, c->first, (double)i / STEPS, c->q);
    if (status == JN_OK) status = close_from_guess(d, c->q);
  }
  c->motion = motion;
  c->time = t;
  return status;
}

jn_status jn__ident_state(const jn_identification *d, const jn_trajectory *motion, double t, double *q, double *v,
                          double *a, double *jet, double *N) {
  jn_closure *c = d->closure;
  size_t nv = (size_t)d->nv;
  jn_status status = JN_OK;
  if (c) {
    double step = (jn_trajectory_end(motion) - jn_trajectory_start(motion)) / 200;
    if (c->motion != motion || isnan(c->time)) status = walk_to_start(d, motion, t);
    int steps = (int)fmin(ceil(fabs(t - c->time) / step), 1e6);
    for (int i = 1; i < steps && status == JN_OK; i++) {
      jn_trajectory_evaluate(motion, c->time + (t - c->time) * i / steps, 0, c->q, NULL);
      status = close_from_guess(d, c->q);
    }
  }
  if (status == JN_OK) status = jn_trajectory_evaluate(motion, t, 0, q, jet);
  memcpy(v, jet, nv * sizeof *v);
  memcpy(a, jet + nv, nv * sizeof *a);
  if (!c) return status;
  if (status == JN_OK) status = close_from_guess(d, q);
  if (status == JN_OK) status = jn__ident_close(d, q, v, a, N);
  c->time = status == JN_OK ? t : NAN;
  return status;
}

jn_status jn_identification_state(const jn_identification *d, const jn_trajectory *motion, double t, double *q,
                                  double *v, double *a) {
  if (!d || !motion || !q || !v || !a) return JN_ERR_NULL;
  double *jet = jn__allocate(&d->allocator, 2 * (size_t)d->nv * sizeof *jet);
  if (!jet) return JN_ERR_MEMORY;
  jn_status status = jn__ident_state(d, motion, t, q, v, a, jet, d->closure ? d->closure->N : NULL);
  jn__release(&d->allocator, jet);
  return status;
}

/* ---- Rows ---- */

void jn__ident_close_rows(const jn_identification *d, const double *N, int width, double *Y) {
  const jn_closure *c = d->closure;
  size_t n = (size_t)width, nv = (size_t)d->nv;
  memset(c->rows, 0, (size_t)c->count * n * sizeof *c->rows);
  for (size_t k = 0; k < (size_t)c->count; k++)
    for (size_t i = 0; i < nv; i++) {
      double by = N[k * nv + i];
      for (size_t j = 0; j < n && by != 0; j++) c->rows[k * n + j] += by * Y[i * n + j];
    }
  memset(Y, 0, nv * n * sizeof *Y);
  for (size_t k = 0; k < (size_t)c->count; k++)
    memcpy(Y + (size_t)c->independent[k] * n, c->rows + k * n, n * sizeof *Y);
}

void jn__ident_close_forces(const jn_identification *d, const double *N, double *forces) {
  const jn_closure *c = d->closure;
  size_t nv = (size_t)d->nv;
  for (size_t k = 0; k < (size_t)c->count; k++) {
    c->rows[k] = 0;
    for (size_t i = 0; i < nv; i++)
      if (fabs(N[k * nv + i]) > 1e-12) c->rows[k] += N[k * nv + i] * forces[i];
  }
  for (size_t i = 0; i < nv; i++) forces[i] = NAN;
  for (int k = 0; k < c->count; k++) forces[c->independent[k]] = c->rows[k];
}
