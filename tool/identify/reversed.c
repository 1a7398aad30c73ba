/* SPDX-License-Identifier: BSD-2-Clause */
/* Joints whose torques have the wrong sign. Base parameters fit again much better if such a column is turned around,
 * and the model, however rough, knows which way the torques point: turning all columns but one around would fit the
 * base parameters as well, with all masses negative. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "identify.h"

static const double bad = 0.2;      /* residual / torque of a joint that is worth a look */
static const double better = 0.5;   /* what is left of the product of the residuals of all joints, at most */
static const double against = -0.3; /* correlation of measured torques and those of the model */

typedef struct signs {
  identify_run turned;      /* a copy with other scales */
  jn_identification *d;     /* of its own */
  const double *with_model; /* [channels] correlation of the torques with those that the model expects */
  double *room;             /* [channels] */
} signs;

static bool is_candidate(const identify_run *r, int i) {
  return r->quality.rows[i] > 0 && jn_trajectory_forces(r->data[0].trajectory, i) != NULL;
}

static bool is_bad(const identify_run *r, int i) {
  const double *after = r->arg->base_only ? r->quality.base : r->quality.after;
  return r->quality.rows[i] > 0 && after[i] > bad * r->quality.force[i];
}

static double residual(signs *s) { return identify_residual(&s->turned, s->d, s->turned.delay, s->room); }

/* Turns the joints around, one after the other, that improve the fit of base parameters most. The residual then. */
static double turn_best(signs *s, unsigned char *reversed, double now) {
  enum { MOST = 4 };
  int joints = 0;
  for (int i = 0; i < s->turned.channels; i++) joints += s->turned.quality.rows[i] > 0;
  double *scale = s->turned.scale;
  for (int round = 0; round < MOST; round++) {
    double least = pow(better, 1.0 / joints) * now;
    int best = -1;
    for (int i = 0; i < s->turned.nv; i++) {
      if (reversed[i] || !is_candidate(&s->turned, i)) continue;
      scale[i] *= -1;
      double left = residual(s);
      scale[i] *= -1;
      if (left < least) least = left, best = i;
    }
    if (best < 0) break;
    reversed[best] = 1;
    scale[best] *= -1;
    now = least;
  }
  return now;
}

/* Base parameters may be negative, so they fit torques that are all reversed, too. */
static bool fits(const identify_run *r, int i) { return r->quality.base[i] < bad * r->quality.force[i]; }

/* These joints, or all others? Then joints that share no parameter with others: only the model knows their signs. */
static void compare_with_model(const signs *s, unsigned char *reversed) {
  const identify_run *r = &s->turned;
  double sum = 0;
  bool any = false, all_fit = true;
  for (int i = 0; i < r->nv; i++) {
    if (!is_candidate(r, i)) continue;
    any |= reversed[i] != 0;
    all_fit &= fits(r, i);
    sum += reversed[i] ? -s->with_model[i] : s->with_model[i];
  }
  for (int i = 0; i < r->nv; i++) {
    if (!is_candidate(r, i)) continue;
    if (sum < 0 && (any || all_fit)) reversed[i] ^= 1;
    double with_model = reversed[i] ? -s->with_model[i] : s->with_model[i];
    if (is_bad(r, i) && fits(r, i) && with_model < against) reversed[i] ^= 1;
  }
}

double identify_find_reversed(identify_run *r, const double *with_model, unsigned char *reversed) {
  size_t nv = (size_t)r->nv;
  signs s = {.turned = *r, .with_model = with_model};
  bool any = false;
  memset(reversed, 0, nv);
  for (int i = 0; i < r->nv; i++) any |= is_bad(r, i);
  if (!any || identify_make(r, r->speed, &s.d) != OPTION_GO_ON) return 1;
  s.room = allocate((size_t)r->channels * sizeof *s.room);
  s.turned.scale = allocate(nv * sizeof *s.turned.scale);
  memcpy(s.turned.scale, r->scale, nv * sizeof *s.turned.scale);
  double before = residual(&s), after = turn_best(&s, reversed, before);
  compare_with_model(&s, reversed);
  jn_identification_destroy(s.d);
  free(s.turned.scale);
  free(s.room);
  return before > 0 ? after / before : 1;
}
