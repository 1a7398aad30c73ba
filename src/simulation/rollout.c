/* SPDX-License-Identifier: BSD-2-Clause */
/* Derivatives of whole motions x_0, x_1, ..., x_N, from those of their steps, x_(k+1) = step(x_k, tau_k, pi):
 *   forwards    X_(k+1) = A_k X_k + B_k dtau_k + P_k dpi
 *   backwards   lambda_k = A_k^T lambda_(k+1) + d cost_k / dx_k,   from the last step to the first
 * Backwards, A_k is needed at states x_k that were visited before. A few of them are kept (checkpoints); the others are
 * computed again from the last one kept before them. Griewank and Walther's binomial schedule (2000) chooses which:
 * with c states kept and every step repeated at most t times it reaches binomial(c + t, c) steps, as many as any
 * schedule can.
 *
 *   symbol    meaning                                                     size
 *   x         state (q, v)                                                nq + nv
 *   X         derivatives of x_k along directions                         2 nv x directions
 *   A, B, P   derivatives of a step by state, forces and parameters       2 nv x 2 nv, nv, 10 links
 *   lambda    gradient of the cost by x_k                                 2 nv */
#include <math.h>
#include <string.h>

#include "../model/stop.h"
#include "variation.h"

/* ---- the schedule ---- */

/* binomial(n + t, t), as far as `most`. */
static long reach(long n, long t, long most) {
  double x = 1;
  for (long k = 1; k <= t && x < (double)most; k++) x = x * (double)(n + k) / (double)k;
  return x >= (double)most ? most : (long)(x + 0.5);
}

/* From a state that is kept at `from`, with memory for `free_slots` others: how far to go before the next one is kept,
 * if the backward sweep begins at `last`. */
static long stride(long from, long last, long free_slots) {
  long length = last - from + 1, t = 1;
  if (free_slots == 0) return last - from;
  while (reach(free_slots + 1, t, length) < length) t++;
  long go = length - reach(free_slots, t, length);
  return go < 1 ? 1 : go > last - from ? last - from : go;
}

/* ---- steps ---- */

/* What a motion changes of its simulator while it goes on. */
typedef struct rollout_keep {
  const double *tau;
  double step;
} rollout_keep;

static jn_status check_rollout(const jn_simulator *s, const jn_rollout *r) {
  if (!s || !r || !r->q) return JN_ERR_NULL;
  if (r->size != sizeof *r) return JN_ERR_INIT;
  if (r->steps < 0 || !(r->step > 0) || !isfinite(r->step) || r->checkpoints < 0) return JN_ERR_SIZE;
  return r->checkpoints > 0 && !r->room ? JN_ERR_NULL : JN_OK;
}

static rollout_keep begin(jn_simulator *s, const jn_rollout *r) {
  rollout_keep keep = {s->options.tau, s->options.step};
  s->options.step = r->step;
  s->options.tau = s->drive;
  s->is_fixed = 1;
  return keep;
}

static void end(jn_simulator *s, const rollout_keep *keep) {
  s->options.tau = keep->tau;
  s->options.step = keep->step;
  s->has_a = 0; /* forces of the options act again */
  s->is_fixed = 0;
}

/* Step k from the state that the simulator has. */
static jn_status take_step(jn_simulator *s, jn_rollout *r, const rollout_keep *keep, long k) {
  double until = r->t + (double)(k + 1) * r->step;
  for (int i = 0; i < s->nv; i++) s->drive[i] = (keep->tau ? keep->tau[i] : 0) + (r->tau ? r->tau[k * s->nv + i] : 0);
  s->has_a = 0; /* forces have changed */
  s->next = r->step;
  s->t = r->t + (double)k * r->step;
  s->t_low = 0;
  memset(s->q_low, 0, (size_t)s->nv * sizeof(double));
  memset(s->v_low, 0, (size_t)s->nv * sizeof(double));
  jn_status status = jn__is_stopped() ? JN_ERR_STOPPED : jn_simulator_step(s, until);
  r->taken++;
  if (status != JN_OK) return status;
  return s->t < until || s->happened != JN_NOTHING ? JN_ERR_STEP : JN_OK;
}

/* The state k, which was visited before. */
static void put_state(jn_simulator *s, const double *x) {
  memcpy(s->q, x, (size_t)s->nq * sizeof(double));
  memcpy(s->v, x + s->nq, (size_t)s->nv * sizeof(double));
}

static void copy_state(const jn_simulator *s, double *x) {
  memcpy(x, s->q, (size_t)s->nq * sizeof(double));
  memcpy(x + s->nq, s->v, (size_t)s->nv * sizeof(double));
}

static void show_state(const jn_simulator *s, const jn_rollout *r, long k) {
  if (r->states) copy_state(s, r->states + (size_t)k * (size_t)(s->nq + s->nv));
}

void jn_rollout_init(jn_rollout *r) {
  if (r) *r = (jn_rollout){.size = sizeof *r};
}

size_t jn_rollout_room(const jn_simulator *s, long checkpoints) {
  return s && checkpoints > 0 ? (size_t)checkpoints * (size_t)(s->nq + s->nv + 1) : 0;
}

/* ---- forwards ---- */

/* Changes X [2nv x m] through the last step, whose derivatives are in s->variation->X. */
static void carry(const jn_simulator *s, long k, int m, const jn_rollout_directions *d, double *X) {
  const step_variation *w = s->variation;
  int n = s->nv, N = w->inputs;
  double *next = d->room;
  memset(next, 0, (size_t)(2 * n * m) * sizeof *next);
  for (int i = 0; i < 2 * n; i++) {
    const double *row = w->X + (size_t)i * (size_t)N;
    jn__add_product(1, 2 * n, m, 1, row, X, next + i * m);
    if (d->dtau_ds) jn__add_product(1, n, m, 1, row + 2 * n, d->dtau_ds + (size_t)k * (size_t)(n * m), next + i * m);
    if (d->dpi_ds) jn__add_product(1, w->parameters, m, 1, row + 3 * n, d->dpi_ds, next + i * m);
  }
  memcpy(X, next, (size_t)(2 * n * m) * sizeof *next);
}

jn_status jn_rollout_forward(jn_simulator *s, jn_rollout *r, int directions, const jn_rollout_directions *d) {
  jn_status status = check_rollout(s, r);
  if (status != JN_OK) return status;
  if (directions < 0) return JN_ERR_SIZE;
  if (directions && (!d || !d->dx_ds || !d->room)) return JN_ERR_NULL;
  if (directions && s->options.derivatives < (d->dpi_ds ? 2 : 1)) return JN_ERR_UNSUPPORTED;
  status = jn_simulator_set(s, r->t, r->q, r->v);
  r->taken = 0;
  rollout_keep keep = begin(s, r);
  if (status == JN_OK) show_state(s, r, 0);
  for (long k = 0; k < r->steps && status == JN_OK; k++) {
    status = take_step(s, r, &keep, k);
    if (status == JN_OK && directions) status = jn_simulator_derivatives(s, NULL, NULL);
    if (status == JN_OK && directions) carry(s, k, directions, d, d->dx_ds);
    if (status == JN_OK) show_state(s, r, k + 1);
  }
  end(s, &keep);
  return status;
}

/* ---- backwards ---- */

typedef struct kept_states {
  double *states;
  long count, used;
  size_t size; /* numbers of each: its step, q, v */
} kept_states;

static long kept_at(const kept_states *kept, long i) { return (long)kept->states[(size_t)i * kept->size]; }

/* Goes to state k from the last one that is kept before it, and keeps others between them, for all steps up to k. */
static jn_status go_to(jn_simulator *s, jn_rollout *r, const rollout_keep *keep, kept_states *kept, long k, long last) {
  while (kept->used > 0 && kept_at(kept, kept->used - 1) > k) kept->used--;
  long at = 0;
  if (kept->used > 0) {
    at = kept_at(kept, kept->used - 1);
    put_state(s, kept->states + (size_t)(kept->used - 1) * kept->size + 1);
  } else
    put_state(s, s->start);
  jn_status status = JN_OK;
  while (at < k && status == JN_OK) {
    long free_slots = kept->count - kept->used, go = stride(at, last, free_slots);
    long to = go < 1 || at + go > k ? k : at + go;
    for (; at < to && status == JN_OK; at++) {
      status = take_step(s, r, keep, at);
      if (r->taken <= r->steps && status == JN_OK) show_state(s, r, at + 1);
    }
    if (to >= last || free_slots == 0 || status != JN_OK) continue;
    double *slot = kept->states + (size_t)kept->used++ * kept->size;
    slot[0] = (double)to;
    copy_state(s, slot + 1);
  }
  return status;
}

/* The cost at the state that the simulator has, and its gradient added to lambda. */
static jn_status add_cost(jn_simulator *s, jn_rollout *r, const jn_rollout_gradient *g, long k, double *lambda) {
  double value = 0;
  double *own = s->variation->E2; /* [2nv] */
  memset(own, 0, 2 * (size_t)s->nv * sizeof *own);
  jn_status status = g->cost(g->context, k, s->q, s->v, &value, own);
  r->cost += value;
  for (int i = 0; i < 2 * s->nv; i++) lambda[i] += own[i];
  return status;
}

/* Step k backwards: lambda of its end becomes that of its start. */
static jn_status step_back(jn_simulator *s, const jn_rollout_gradient *g, long k, double *lambda) {
  int n = s->nv, np = 10 * s->nlink;
  double *x = s->variation->end.torque, *tau = g->df_dtau ? g->df_dtau + k * n : NULL, *pi = g->df_dpi ? g->room : NULL;
  jn_status status = jn_simulator_adjoint(s, lambda, x, tau, pi);
  memcpy(lambda, x, 2 * (size_t)n * sizeof *lambda);
  for (int i = 0; i < np && pi; i++) g->df_dpi[i] += pi[i];
  return status;
}

jn_status jn_rollout_adjoint(jn_simulator *s, jn_rollout *r, const jn_rollout_gradient *g) {
  jn_status status = check_rollout(s, r);
  if (status != JN_OK) return status;
  if (!g || !g->cost || !g->df_dx || (g->df_dpi && !g->room)) return JN_ERR_NULL;
  if (s->options.derivatives < (g->df_dpi ? 2 : 1)) return JN_ERR_UNSUPPORTED;
  kept_states kept = {r->room, r->checkpoints, 0, (size_t)(s->nq + s->nv + 1)};
  double *lambda = g->df_dx;
  r->taken = 0;
  r->cost = 0;
  memset(lambda, 0, 2 * (size_t)s->nv * sizeof *lambda);
  if (g->df_dpi) memset(g->df_dpi, 0, 10 * (size_t)s->nlink * sizeof *lambda);
  status = jn_simulator_set(s, r->t, r->q, r->v);
  copy_state(s, s->start);
  rollout_keep keep = begin(s, r);
  if (status == JN_OK) show_state(s, r, 0);
  if (status == JN_OK) status = go_to(s, r, &keep, &kept, r->steps, r->steps);
  if (status == JN_OK) status = add_cost(s, r, g, r->steps, lambda);
  for (long k = r->steps - 1; k >= 0 && status == JN_OK; k--) {
    status = go_to(s, r, &keep, &kept, k, k);
    if (status == JN_OK) status = take_step(s, r, &keep, k);
    if (status == JN_OK) status = step_back(s, g, k, lambda);
    if (status != JN_OK) break;
    memcpy(s->q, s->q0, (size_t)s->nq * sizeof(double)); /* where the step began */
    memcpy(s->v, s->v0, (size_t)s->nv * sizeof(double));
    status = add_cost(s, r, g, k, lambda);
  }
  end(s, &keep);
  return status;
}
