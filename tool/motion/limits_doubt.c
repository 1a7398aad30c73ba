/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce torque --limits: could what the samples do not show break a limit?
 *
 * A fit leaves residuals. Tests (docs/smoothing.md) tell whether they are noise; an oscillation that was left behind,
 * and one that is too weak for the tests, may be motion all the same, and so may one so fast that the samples do not
 * resolve it. Each such oscillation is added to the motion of its coordinate, at the phases at which its position and
 * at which its velocity is largest; what the quantities change by adds up over the coordinates. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../command.h"
#include "../text/print.h"
#include "limits.h"

enum { EVEN = 24 }; /* times, spread over the motion, besides those of the worst cases */

typedef struct doubting {
  limit_check *c;
  motion *m;
  size_t count;    /* of quantities */
  double *nominal; /* [count] without the oscillation */
  double *off;     /* [count] sum of what the oscillations change */
  double *most;    /* [count] what the one in `causes` changes */
  wobble *causes;  /* [count] */
} doubting;

static void keep_quantities(const doubting *d, double *to) {
  for (size_t at = 0; at < d->count; at++) to[at] = quantity_of(d->m, (int)(at / QUANTITIES), at % QUANTITIES);
}

/* The fit of velocity coordinate v: of its place in q, or the worst of its quaternion or position. */
static bool find_fit(const motion *m, int v, jn_fit *fit) {
  if (m->path) return false; /* what samples of a tool hide is not known of joints */
  int place = place_in_q(m->model, v), number, joint = jn_coordinate_joint(m->model, v, &number);
  if (place >= 0) return jn_trajectory_fit_of(m->trajectory, place, fit) == JN_OK && fit->sampled;
  int free = jn_joint_type_of(m->model, joint) == JN_FREE, angular = !free || number < 3;
  int first = jn_joint_q(m->model, joint) + (free && angular ? 3 : 0);
  *fit = (jn_fit){0};
  for (int i = 0; i < (angular ? 4 : 3); i++) {
    jn_fit one;
    if (jn_trajectory_fit_of(m->trajectory, first + i, &one) != JN_OK || !one.sampled) return false;
    double twice = angular ? 2 : 1; /* a quaternion turns by half of the angle */
    fit->oscillation = fmax(fit->oscillation, twice * one.oscillation);
    fit->frequency = fmax(fit->frequency, one.frequency);
    fit->hidden = fmax(fit->hidden, twice * one.hidden);
    fit->fastest = one.fastest;
  }
  return true;
}

/* Add what an oscillation changes. */
static jn_status add_wobble(doubting *d, double t, int v, double amplitude, double frequency) {
  motion *m = d->m;
  if (!(amplitude > 0)) return JN_OK;
  jn_status status = JN_OK;
  double *largest = allocate(2 * d->count * sizeof(double)), *now = largest + d->count;
  memset(largest, 0, d->count * sizeof(double));
  for (int quarter = 0; quarter < 2 && status == JN_OK; quarter++) {
    m->wobble = (wobble){v, amplitude, 6.283185307179586 * frequency, quarter * 1.5707963267948966};
    status = motion_at(m, t);
    keep_quantities(d, now);
    for (size_t at = 0; at < d->count; at++) largest[at] = fmax(largest[at], fabs(now[at] - d->nominal[at]));
  }
  for (size_t at = 0; at < d->count; at++) {
    d->off[at] += largest[at];
    if (largest[at] <= d->most[at]) continue;
    d->most[at] = largest[at];
    d->causes[at] = m->wobble;
  }
  m->wobble = (wobble){0};
  free(largest);
  return status;
}

/* Doubts at one time. */
static jn_status doubt_at(doubting *d, double t) {
  motion *m = d->m;
  jn_status status = motion_at(m, t);
  keep_quantities(d, d->nominal);
  memset(d->off, 0, 2 * d->count * sizeof(double)); /* and most */
  for (int v = 0; v < m->nv && status == JN_OK; v++) {
    jn_fit fit;
    if (!find_fit(m, v, &fit)) continue;
    status = add_wobble(d, t, v, fit.oscillation, fit.frequency);
    if (status == JN_OK) status = add_wobble(d, t, v, fit.hidden, fit.fastest);
  }
  for (size_t at = 0; at < d->count && status == JN_OK; at++) {
    const limit *l = &d->c->limits[at];
    doubt *to = &d->c->doubts[at];
    double value = d->nominal[at], off = d->off[at];
    if (!limit_is_finite(l) || isnan(value)) continue;
    double use = fmax(limit_use(l, value + off), limit_use(l, value - off));
    double before = fmax(limit_use(l, to->value + to->off), limit_use(l, to->value - to->off));
    if (to->off > 0 && use <= before) continue;
    *to = (doubt){.off = off, .value = value, .time = t, .overturns = use > 1 + 1e-9, .cause = d->causes[at]};
  }
  return status;
}

static bool has_doubt(const motion *m) {
  jn_fit fit;
  for (int i = 0; i < m->nq; i++)
    if (jn_trajectory_fit_of(m->trajectory, i, &fit) == JN_OK && (fit.oscillation > 0 || fit.hidden > 0)) return true;
  return false;
}

jn_status limit_check_doubt(limit_check *c, motion *m, double start, double end) {
  doubting d = {.c = c, .m = m, .count = (size_t)m->nv * QUANTITIES};
  jn_status status = JN_OK;
  if (!has_doubt(m)) return limit_check_ends(c, m, start, end);
  d.nominal = allocate(3 * d.count * sizeof(double));
  d.off = d.nominal + d.count;
  d.most = d.off + d.count;
  d.causes = allocate(d.count * sizeof *d.causes);
  for (int i = 0; i < EVEN && status == JN_OK; i++) status = doubt_at(&d, start + (end - start) * (i + 0.5) / EVEN);
  for (size_t at = 0; at < d.count && status == JN_OK; at++) {
    const worst_case *w = &c->worst[at];
    bool done = !limit_is_finite(&c->limits[at]) || w->use < 0;
    for (size_t i = 0; i < at && !done; i++) done = limit_is_finite(&c->limits[i]) && c->worst[i].time == w->time;
    if (!done) status = doubt_at(&d, w->time);
  }
  for (size_t at = 0; at < d.count; at++) /* broken is broken */
    c->doubts[at].overturns &= c->worst[at].samples == 0 && c->worst[at].use <= 1 + 1e-9;
  free(d.nominal);
  free(d.causes);
  return status == JN_OK ? limit_check_ends(c, m, start, end) : status;
}
