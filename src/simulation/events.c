/* SPDX-License-Identifier: BSD-2-Clause */
/* Events: a step passes a position limit, a stop releases a coordinate, or a function of the user (a watch) passes
 * zero.
 *
 * The continuous output is sampled in EVENT_SAMPLES points of each step, and the first change of sign is located by
 * bisection. What happens twice between two points is not seen. The step then ends at the first event.
 *
 * At a stop that bounces, impulses p act on the coordinate and on all given ones: v+ = v + K p with K = M^-1 (with
 * loops, da/dtau), such that v_i+ = -e v_i and given coordinates keep their velocity. Below rest_speed the coordinate
 * stays at the stop and counts as given, until the stop would have to pull: its force, reaction - tau + loss, changes
 * sign. */
#include <math.h>
#include <string.h>

#include "simulation.h"

enum { HALVINGS = 60 };

typedef struct candidate {
  jn_happened what;
  int index;
  int sign; /* of a watch before: it passes zero when it gets the other one */
} candidate;

/* A limit is passed once it is exceeded by this, so that a coordinate that lies against a stop causes no new event. */
static double slack(double limit) { return 4e-15 * fmax(1, fabs(limit)); }

double jn__simulation_watch(jn_simulator *s, int i, double t, const double *q, const double *v) {
  double x = s->options.watch[i].value(s->options.watch[i].context, t, q, v);
  if (isnan(x)) s->watch_is_nan = 1;
  return x;
}

/* At the state in s->qx, s->vx: positive before the event, negative after it. */
static double value(jn_simulator *s, const candidate *c, double t) {
  const jn_dof *dof = c->what == JN_WATCH ? NULL : jn_coordinate_dof(s->model, c->index);
  double q = dof && s->place[c->index] >= 0 ? s->qx[s->place[c->index]] : 0;
  switch (c->what) {
    case JN_LOWER_LIMIT:
      return q - dof->lower + slack(dof->lower);
    case JN_UPPER_LIMIT:
      return dof->upper - q + slack(dof->upper);
    case JN_RELEASE: { /* the stop pushes; it cannot pull */
      if (jn__simulation_acceleration(s, t, s->qx, s->vx, s->z) != JN_OK) return 1;
      double push = s->reaction[c->index] - s->tau[c->index] + s->loss[c->index];
      return s->held[c->index] < 0 ? push : -push;
    }
    default:
      return c->sign * jn__simulation_watch(s, c->index, t, s->qx, s->vx);
  }
}

static double value_after(jn_simulator *s, const candidate *c, double theta) {
  jn__simulation_dense(s, theta, s->qx, s->vx);
  return value(s, c, s->t0 + theta);
}

/* The number of what may happen to coordinates, then watches; 0 when entry `k` cannot. */
static int candidate_of(const jn_simulator *s, int k, candidate *c) {
  int n = s->nv, i = k % n;
  const jn_dof *dof = k < 3 * n ? jn_coordinate_dof(s->model, i) : NULL;
  if (k >= 3 * n) {
    *c = (candidate){JN_WATCH, k - 3 * n, 0};
    return 1;
  }
  *c = (candidate){(jn_happened)(JN_LOWER_LIMIT + k / n), i, 0};
  if (k >= 2 * n) return s->held[i] != 0;
  if (s->options.limits == JN_LIMITS_IGNORE || s->place[i] < 0 || s->given[i]) return 0;
  return isfinite(k < n ? dof->lower : dof->upper);
}

/* Before the step: where each candidate stands. */
static double before(jn_simulator *s, int k, candidate *c) {
  if (c->what != JN_WATCH) {
    if (c->what == JN_RELEASE) return 1;
    memcpy(s->qx, s->q0, (size_t)s->nq * sizeof(double));
    return value(s, c, s->t0);
  }
  int watch = k - 3 * s->nv, direction = s->options.watch[watch].direction;
  double x = s->watch_before[watch];
  c->sign = x > 0 ? 1 : x < 0 ? -1 : 0;
  return c->sign * direction > 0 ? -1 : 1; /* the other direction is not looked for */
}

/* The first time at which it happens; INFINITY: not in this step. */
static double when(jn_simulator *s, int k, candidate *c) {
  if (!(before(s, k, c) >= 0) || (c->what == JN_WATCH && c->sign == 0)) return INFINITY;
  double low = 0, high = 0;
  for (int j = 1; j <= EVENT_SAMPLES; j++) {
    high = s->step * j / EVENT_SAMPLES;
    if (value_after(s, c, high) < 0) break;
    low = high;
  }
  if (low == high) return INFINITY;
  for (int j = 0; j < HALVINGS && low < high; j++) {
    double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    if (value_after(s, c, middle) < 0)
      high = middle;
    else
      low = middle;
  }
  return high;
}

/* ---- stops ---- */

static double kinetic(jn_simulator *s) {
  double energy[2] = {0};
  jn_energy(s->model, s->work, s->q, s->v, energy);
  return energy[0];
}

/* K [nv x nv]: what an impulse does to velocities, v += K p: M^-1; with loops da/dtau, which keeps them closed. */
static jn_status response(jn_simulator *s, double *K) {
  if (!s->loops) return jn_mass_matrix_inverse(s->model, s->work, s->q, K);
  const jn_loops_derivatives out = {.da_dgiven = K};
  memset(s->x, 0, (size_t)s->nv * sizeof(double));
  return jn_loops_forward_dynamics_derivatives(s->loops, s->q, s->v, s->x, NULL, JN_IN_BODY, s->z, s->lambda, &out);
}

/* The impulses at coordinate i, and at those that are given, with which v_i becomes -e v_i and the given ones stay. Of
 * impulses that do the same, because loops connect their coordinates, those that come first act. */
static jn_status impact(jn_simulator *s, int i, double e) {
  int n = s->nv, m = 0;
  double *Minv = s->dq, *A = s->matrix, *p = s->column;
  int *at = s->pivot;
  jn_status status = response(s, Minv);
  if (status != JN_OK) return status;

  /* The equations of the impulses: rows and columns of K for these coordinates. */
  for (int k = 0; k < n; k++)
    if (k == i || s->given[k]) at[m++] = k;
  for (int a = 0; a < m; a++) {
    for (int b = 0; b < m; b++) A[a * m + b] = Minv[at[a] * n + at[b]];
    p[a] = at[a] == i ? -(1 + e) * s->v[i] : 0;
  }

  /* Elimination: K is symmetric and positive definite, except for rows that depend on those before. */
  for (int k = 0; k < m; k++) {
    double own = Minv[at[k] * n + at[k]];
    if (!(A[k * m + k] > 1e-12 * own)) {
      for (int b = 0; b < m; b++) A[k * m + b] = A[b * m + k] = b == k;
      p[k] = 0;
    }
    for (int a = k + 1; a < m; a++) {
      double f = A[a * m + k] / A[k * m + k];
      for (int b = k; b < m; b++) A[a * m + b] -= f * A[k * m + b];
      p[a] -= f * p[k];
    }
  }

  /* p, then v += K p. */
  for (int k = m - 1; k >= 0; k--) {
    for (int b = k + 1; b < m; b++) p[k] -= A[k * m + b] * p[b];
    p[k] /= A[k * m + k];
  }
  for (int k = 0; k < n; k++)
    for (int a = 0; a < m; a++) s->v[k] += Minv[k * n + at[a]] * p[a];
  return JN_OK;
}

static jn_status bounce(jn_simulator *s, const candidate *c) {
  const jn_dof *dof = jn_coordinate_dof(s->model, c->index);
  int i = c->index, is_lower = c->what == JN_LOWER_LIMIT;
  double e = s->options.restitution, energy = kinetic(s);
  int rests = e * fabs(s->v[i]) <= s->options.rest_speed;
  s->q[s->place[i]] = is_lower ? dof->lower : dof->upper;
  s->q_low[i] = 0;
  jn_status status = impact(s, i, rests ? 0 : e);
  memset(s->v_low, 0, (size_t)s->nv * sizeof(double));
  if (rests) {
    s->v[i] = 0;
    s->held[i] = is_lower ? -1 : 1;
  }
  jn__simulation_given(s);
  if (status == JN_OK && s->loops) status = jn__simulation_project(s);
  s->report.impacts += energy - kinetic(s);
  return status;
}

static void release(jn_simulator *s, int i) {
  s->held[i] = 0;
  jn__simulation_given(s);
  s->has_a = 0;
}

jn_status jn__simulation_check_held(jn_simulator *s) {
  jn_status status = JN_OK;
  for (int i = 0; i < s->nv && status == JN_OK; i++) {
    if (!s->held[i]) continue;
    status = jn__simulation_acceleration(s, s->t, s->q, s->v, s->z);
    double push = s->reaction[i] - s->tau[i] + s->loss[i];
    if (status == JN_OK && push * s->held[i] > 0) release(s, i);
  }
  return status;
}

/* ---- the step ---- */

static jn_status happen(jn_simulator *s, const candidate *c) {
  s->happened = c->what;
  s->happened_index = c->index;
  s->report.events++;
  s->has_a = 0;
  s->next = s->options.step; /* what comes after an event may be quite another motion */
  if (c->what == JN_RELEASE) release(s, c->index);
  if (c->what != JN_LOWER_LIMIT && c->what != JN_UPPER_LIMIT) return JN_OK;
  if (s->options.limits != JN_LIMITS_BOUNCE) return JN_OK;
  return bounce(s, c);
}

jn_status jn__simulation_events(jn_simulator *s) {
  int count = 3 * s->nv + s->options.watch_count;
  double first = INFINITY;
  candidate found = {JN_NOTHING, 0, 0};
  for (int k = 0; k < count; k++) {
    candidate c;
    if (!candidate_of(s, k, &c)) continue;
    double theta = when(s, k, &c);
    if (theta < first) first = theta, found = c;
  }
  if (s->watch_is_nan) return JN_ERR_STEP; /* whether it passed zero is not known */
  if (found.what == JN_NOTHING) return JN_OK;
  if (first < s->step) { /* the step ends here */
    jn__simulation_dense(s, first, s->q, s->v);
    s->step = first;
    memset(s->q_low, 0, (size_t)s->nv * sizeof(double));
    memset(s->v_low, 0, (size_t)s->nv * sizeof(double));
  }
  s->cut = found.what;
  s->cut_index = found.index;
  return JN_OK;
}

jn_status jn__simulation_happen(jn_simulator *s) {
  candidate c = {s->cut, s->cut_index, 0};
  s->cut = JN_NOTHING;
  return c.what == JN_NOTHING ? JN_OK : happen(s, &c);
}
