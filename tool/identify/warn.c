/* SPDX-License-Identifier: BSD-2-Clause */
/* What to doubt about an identification: units, delays, saturation, too little motion. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include "identify.h"

void identify_warn(identify_run *r, const char *format, ...) {
  va_list arguments;
  char text[1024];
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  r->warnings = reallocate(r->warnings, ((size_t)r->warning_count + 1) * sizeof *r->warnings);
  r->warnings[r->warning_count++] = format_text("%s", text);
  say(stderr, "jounce: warning: %s\n", text);
}

/* The model before and the measured forces are far apart by one factor: units, gears. */
static void check_small(identify_run *r) {
  const fit_quality *q = &r->quality;
  char name[JN_COORDINATE_NAME];
  for (int i = 0; i < r->nv; i++) {
    if (!(q->force[i] > 0) || q->rows[i] == 0) continue;
    double ratio = q->before[i] / q->force[i]; /* residual of the model before, relative to the measured force */
    if (ratio > 20)
      identify_warn(r,
                    "joint '%s': the model expects torques about %.0f times as large as measured; are they in other "
                    "units, or on the motor's side of a gear (--gear, --torque-constant)?",
                    coordinate_name(r, i, name), ratio);
  }
}

/* What the model before expects, beside what is measured, channel by channel: rms [channels], and the correlation of
 * both [channels]. |Y x - y|^2 at x = 0, x0 and 2 x0 tell |Y x0|^2 and y . Y x0. */
static bool compare_with_model(const identify_run *r, double *expected, double *correlation) {
  const jn_identification *d = r->identification;
  size_t channels = (size_t)r->channels, n = (size_t)jn_identification_count(d);
  double *at[3], *x = allocate((n + 3 * channels) * sizeof *x);
  const double *prior = jn_identification_prior(d);
  bool fine = true;
  for (size_t k = 0; k < 3; k++) {
    at[k] = x + n + k * channels;
    for (size_t i = 0; i < n; i++) x[i] = (double)k * prior[i];
    fine &= jn_identification_residuals(d, x, at[k], NULL, NULL) == JN_OK;
  }
  for (size_t i = 0; i < channels && fine; i++) {
    double zero = at[0][i] * at[0][i], once = at[1][i] * at[1][i], twice = at[2][i] * at[2][i];
    double square = fmax(0.5 * (zero + twice) - once, 0), product = 0.5 * (zero + square - once);
    expected[i] = sqrt(square);
    correlation[i] = zero > 0 && square > 0 ? product / sqrt(zero * square) : 0;
  }
  free(x);
  return fine;
}

/* The least of measured / expected force over all joints. */
static double least_excess(const identify_run *r, const double *expected) {
  double least = INFINITY;
  for (int i = 0; i < r->nv; i++) /* where the model expects nothing, there is nothing to compare with */
    if (r->quality.rows[i] > 0 && expected[i] > 1e-9 * r->quality.force[i])
      least = fmin(least, r->quality.force[i] / expected[i]);
  return isfinite(least) ? least : 0;
}

static void check_units(identify_run *r, const double *expected) {
  double excess = least_excess(r, expected);
  check_small(r);
  if (excess > 20 && !(r->columns & JN_IDENTIFY_SCALE))
    identify_warn(r,
                  "the torques of every joint are at least %.0f times as large as the model expects; are they in other "
                  "units, such as N mm, or are its masses far too small?",
                  excess);
}

/* Torques with the wrong sign. */
static bool check_signs(identify_run *r, const double *correlation) {
  char name[JN_COORDINATE_NAME];
  unsigned char *reversed = allocate((size_t)r->nv + 1);
  double left = identify_find_reversed(r, correlation, reversed);
  int count = 0;
  for (int i = 0; i < r->nv; i++) {
    if (!reversed[i]) continue;
    coordinate_name(r, i, name);
    count++;
    char *remedy = r->scale[i] == 1 ? format_text("--gear %s=-1", name)
                                    : format_text("the other sign of its --gear or --torque-constant");
    if (left < 1)
      identify_warn(r,
                    "the torques of '%s' look reversed: turned around, base parameters leave %.2g %% of the "
                    "residual (geometric mean of all joints); to do so: %s",
                    name, 100 * left, remedy);
    else
      identify_warn(r,
                    "the torques or the positions of '%s' look reversed: torques point against those of the model; "
                    "to turn them: %s",
                    name, remedy);
    free(remedy);
  }
  free(reversed);
  return count > 0;
}

/* By chance alone, one more number to fit would gain about 1 / (2 rows). */
static void check_delay(identify_run *r) {
  if (r->delay_gain < 0.01 || 2 * r->delay_gain * r->estimate->rows < 10) return;
  if (r->delay_is_open) {
    identify_warn(
        r,
        "a delay of %.4g s or %s fits the torques better than %.4g s (%.2g %% less residual); the search ends "
        "there, and the best delay may be far from it: try --delay %.4g, or none",
        r->best_delay, r->best_delay < r->delay ? "less" : "more", r->delay, 100 * r->delay_gain, r->best_delay);
    return;
  }
  if (r->best_delay == 0) {
    identify_warn(r, "the torques fit best without a delay (%.2g %% less residual): leave out --delay",
                  100 * r->delay_gain);
    return;
  }
  identify_warn(r,
                "the torques fit best if they were measured %.4g ms %s than the positions (%.2g %% less residual): "
                "--delay %.4g",
                1000 * fabs(r->best_delay), r->best_delay > 0 ? "later" : "earlier", 100 * r->delay_gain,
                r->best_delay);
}

static void check_saturation(identify_run *r) {
  char name[JN_COORDINATE_NAME];
  for (int f = 0; f < r->data_count + r->held_count; f++) {
    const measured *m = f < r->data_count ? &r->data[f] : &r->held[f - r->data_count];
    for (int i = 0; i < r->nv; i++)
      if (m->saturated[i])
        identify_warn(r,
                      "%s: the torque of '%s' stays at %.4g for %d samples, as if it were saturated; they are not "
                      "used",
                      m->path, coordinate_name(r, i, name), m->limit[i], m->saturated[i]);
  }
}

static void check_missing(identify_run *r) {
  char name[JN_COORDINATE_NAME];
  if (r->wrench) return; /* they are not needed */
  for (int i = 0; i < r->nv; i++)
    if (r->quality.rows[i] == 0 && !r->actuated)
      identify_warn(r, "joint '%s' has no torques: what only they tell stays as in the model",
                    coordinate_name(r, i, name));
}

int identify_laziest_joint(const identify_run *r, int unknown) {
  int link = jn_identification_link(r->identification, unknown),
      lazy = jn_identification_coordinate(r->identification, unknown);
  double least = INFINITY;
  for (; link >= 0; link = jn_link_parent(r->model, link)) {
    int v = jn_joint_v(r->model, link);
    if (jn_joint_nv(r->model, link) == 0) continue;
    double limit = jn_coordinate_dof(r->model, v)->velocity,
           speed = r->speed_rms[v] / (isfinite(limit) && limit > 0 ? limit : 1);
    if (speed < least) least = speed, lazy = v;
  }
  return lazy;
}

/* Base parameters that the data do not tell, or badly, and the joints that should move more. */
static void check_excitation(identify_run *r) {
  const jn_estimate *e = r->estimate;
  int *votes = allocate((size_t)r->nv * sizeof *votes), untold = e->base_count - e->told, worst = -1;
  char name[JN_COORDINATE_NAME];
  for (int i = 0; i < r->nv; i++) votes[i] = 0;
  for (int i = 0; i < e->base_count; i++) {
    if (isfinite(e->deviation[i])) continue;
    int v = identify_laziest_joint(r, jn_identification_base_column(r->identification, i));
    if (v >= 0) votes[v]++;
  }
  for (int i = 0; i < r->nv; i++)
    if (votes[i] > 0 && (worst < 0 || votes[i] > votes[worst])) worst = i;
  if (untold > 0)
    identify_warn(r, "%d of %d base parameters have no effect in these data and stay as in the model%s%s%s", untold,
                  e->base_count, worst >= 0 ? "; joint '" : "", worst >= 0 ? coordinate_name(r, worst, name) : "",
                  worst >= 0 ? "' should move more" : "");
  if (e->rows < 3 * e->told)
    identify_warn(
        r,
        "there are only %.0f rows for %d base parameters, so their noise is hardly known; take longer data, or a "
        "higher --cutoff",
        e->rows, e->told);
  if (e->condition > 300)
    identify_warn(r, "the condition number is %.3g: some combinations are hardly told; a better motion: jounce excite",
                  e->condition);
  free(votes);
}

/* A wrist whose motor drives two joints, and --coupling does not say so. */
static void check_wrist(identify_run *r) {
  char first[JN_COORDINATE_NAME], second[JN_COORDINATE_NAME];
  identify_find_coupling(r);
  if (r->coupled[0] < 0) return;
  int j = abs(r->coupled[1]) - 1;
  identify_warn(r,
                "friction fits much better if a motor turns with joints '%s' %s '%s' together; if it does, say so with "
                "--coupling",
                coordinate_name(r, r->coupled[0], first), r->coupled[1] > 0 ? "and" : "minus",
                coordinate_name(r, j, second));
}

static void check_coupled(identify_run *r) {
  if (!r->coupling || r->arg->base_only || !r->arg->out) return;
  int lost = 0;
  for (int i = 0; i < r->estimate->count; i++)
    lost += jn_identification_link(r->identification, i) < 0 &&
            jn_identification_coordinate(r->identification, i) < 0 && r->estimate->x[i] != 0;
  if (lost)
    identify_warn(r,
                  "rotor inertia, friction and offset of motors that drive several joints have no place in a robot "
                  "file: %d values are only shown here and in the report",
                  lost);
}

/* A fit that explains next to nothing, of all or of most joints, is no fit of this robot. */
static void check_fit(identify_run *r) {
  const fit_quality *q = &r->quality;
  const double *after = r->arg->base_only ? q->base : q->after;
  double left = percent_of_all(q, after, r->channels);
  int joints = 0, bad = 0;
  for (int i = 0; i < r->channels; i++) {
    joints += q->rows[i] > 0;
    bad += q->rows[i] > 0 && after[i] > 0.5 * q->force[i];
  }
  if (isnan(left))
    identify_warn(r, "all torques are zero: they tell nothing about the masses, and only the prior is left");
  else if (left > 50 || 2 * bad > joints)
    identify_warn(
        r,
        "even the best model leaves more than half of the torques of %d of %d joints: are the signs, the order "
        "of the joints, the units and the times right?",
        bad, joints);
}

static void check_search(identify_run *r) {
  if (r->estimate->iterations >= 0) return;
  if (r->arg->prior.count && r->arg->prior.values[0] < 1e-6)
    identify_warn(r,
                  "the search for the consistent model did not converge: the weight --prior %.3g is so small that "
                  "rounding decides what the data do not tell; 1e-6 or more would do",
                  r->arg->prior.values[0]);
  else
    identify_warn(r, "the search for the consistent model did not converge in %d steps", -r->estimate->iterations);
}

/* Below the speed at which friction fades it is linear: nothing tells it from viscous friction. */
static void check_friction(identify_run *r) {
  char name[JN_COORDINATE_NAME];
  if (!r->arg->coulomb_speed.count || r->coupling || !(r->columns & JN_IDENTIFY_COULOMB)) return;
  for (int i = 0; i < r->nv; i++)
    if (r->speed_rms[i] > 0 && r->arg->coulomb_speed.values[0] > 3 * r->speed_rms[i])
      identify_warn(
          r,
          "joint '%s' moves at %.3g rad/s or m/s (rms), far below --friction-speed %g: Coulomb friction cannot "
          "be told from viscous friction there",
          coordinate_name(r, i, name), r->speed_rms[i], r->arg->coulomb_speed.values[0]);
}

/* Parameters that fit the data much better than they predict the files held back. */
static void check_validation(identify_run *r) {
  const double large = 20, many = 3; /* [%]; times what the data leave */
  const fit_quality *data = &r->quality;
  double left = percent_of_all(data, r->arg->base_only ? data->base : data->after, r->channels);

  for (int i = 0; i < r->held_count; i++) {
    const fit_quality *q = &r->held_quality[i];
    double held = percent_of_all(q, r->arg->base_only ? q->base : q->after, r->channels);
    if (!(held > large && held > many * left)) continue;
    identify_warn(
        r,
        "%s: the validation leaves %.3g %% of the torques, where the data leave %.2g %%: does the robot carry "
        "the same, and do the data excite what moves there?",
        q->path, held, left);
  }
}

/* Links far from what the model says, although that is taken into account. */
static void check_masses(identify_run *r) {
  const double far = 5;
  if (r->arg->base_only) return;

  for (int l = 0; l < jn_link_count(r->model); l++) {
    double before[10], after[10];
    jn_link_inertia(r->model, l, before);
    jn_link_inertia(r->result, l, after);
    if (!(before[0] > 0) || !(after[0] > 0)) continue;
    double ratio = after[0] / before[0];
    if (ratio <= far && ratio * far >= 1) continue;
    identify_warn(
        r,
        "the mass of link '%s' goes from %.3g to %.3g kg: if that cannot be, hold it nearer to the model with "
        "a larger --prior (now %.3g)",
        jn_link_name(r->model, l), before[0], after[0], r->estimate->prior);
  }
}

void identify_find_doubts(identify_run *r) {
  size_t channels = (size_t)r->channels;
  double *expected = allocate(2 * channels * sizeof *expected + 1), *correlation = expected + channels;
  bool reversed = false;
  if (compare_with_model(r, expected, correlation)) {
    check_units(r, expected);
    reversed = check_signs(r, correlation);
    if (!reversed) check_delay(r);
  }
  free(expected);
  check_saturation(r);
  check_missing(r);
  check_friction(r);
  if (!reversed) check_excitation(r);
  if (!reversed) check_wrist(r);
  check_coupled(r);
  check_fit(r);
  if (!reversed) check_validation(r);
  if (!reversed) check_masses(r);
  if (!reversed) check_search(r);
  if (reversed) /* wrong signs look like a delay, a lack of motion or a bad search, too */
    identify_warn(r, "delay, motion and search are judged once the signs are right");
}
