/* SPDX-License-Identifier: BSD-2-Clause */
/* Retiming: the largest uniform factor, the shortest motion along a path, and the limits that both keep. */
#define _XOPEN_SOURCE 700 /* mkstemp */
#include "jounce/retime.h"

#include <stdlib.h>
#include <unistd.h>

#include "counting.h"
#include "jounce/io.h"
#include "jounce/jets.h"
#include "models.h"

enum { MOST = 8, ALL = MOST * JN_LIMITED_QUANTITIES };

static jn_trajectory *motion_of(const jn_model *m, const char *text, int order) {
  jn_trajectory *t;
  jn_trajectory_options o;
  jn_error error;
  jn_trajectory_options_init(&o);
  o.order = order;
  jn_status status = strcmp(text, "builtin:demo") == 0
                         ? jn_trajectory_load(m, text, &o, &t, &error)
                         : jn_trajectory_load_text(m, text, strlen(text), "motion", &o, &t, &error);
  check(status == JN_OK, "%s", error.text);
  return t;
}

static void no_limits(jn_range *limits, int nv) {
  for (int i = 0; i < nv * JN_LIMITED_QUANTITIES; i++) limits[i] = (jn_range){-INFINITY, INFINITY};
}

static void set_limit(jn_range *limits, int v, jn_limited which, double size) {
  limits[v * JN_LIMITED_QUANTITIES + (int)which] = (jn_range){-size, size};
}

/* The largest share of a limit that the new motion uses, at `times` times; which it is. */
static double use_of(const jn_model *m, const jn_retimed *r, const jn_range *limits, int times, int *which) {
  double worst = 0, duration = jn_retimed_duration(r), q[MOST], v[3 * MOST], tau[2 * MOST];
  int nv = jn_model_nv(m);
  jn_work *w;
  check_ok(jn_work_create_order(m, 2, &w));
  for (int k = 0; k <= times; k++) {
    check_ok(jn_retimed_evaluate(r, duration * k / times, q, v));
    check_ok(jn_inverse_dynamics_jet(m, w, 1, q, v, NULL, tau));
    for (int i = 0; i < nv * 6; i++) {
      int j = i / 6, kind = i % 6;
      const double values[6] = {q[j], v[j], v[nv + j], v[2 * nv + j], tau[j], tau[nv + j]};
      const jn_range *l = &limits[j * JN_LIMITED_QUANTITIES + kind];
      if (isinf(l->upper) || kind == 0) continue;
      if (fabs(values[kind]) / l->upper > worst) worst = fabs(values[kind]) / l->upper, *which = i;
    }
  }
  jn_work_destroy(w);
  return worst;
}

/* ---- uniform ---- */

/* Property: a pendulum that swings by A sin(w t) needs I c^2 A w^2 sin + m g l sin(q) at most; the factor by hand. */
static void a_factor_by_hand(void **state) {
  (void)state;
  static const char text[] =
      "{\"name\": \"one\", \"gravity\": [0, 0, 0], \"bodies\": [{\"name\": \"rod\", \"joint\": {\"name\": \"h\", "
      "\"type\": \"revolute\"}, \"inertia\": {\"mass\": 2, \"com\": [0.5, 0, 0], \"tensor\": [0.1, 0.1, 0.1, 0, 0, "
      "0]}}]}";
  jn_model *m;
  jn_error error;
  check_ok(jn_load_text(text, strlen(text), JN_FORMAT_NATIVE, "one", NULL, &m, &error));
  jn_trajectory *t =
      motion_of(m, "{\"duration\": 3, \"joints\": {\"h\": {\"cosine\": {\"amplitude\": 0.4, \"omega\": 3}}}}", 2);
  const double inertia = 0.6, sizes[] = {0.4 * 3, 0.4 * 9, 0.4 * 27, inertia * 0.4 * 9, inertia * 0.4 * 27};
  const int powers[] = {1, 2, 3, 2, 3};
  for (int k = 0; k < 5; k++) {
    jn_range limits[ALL];
    jn_retime_options o;
    jn_retimed *r;
    jn_limit_event e;
    no_limits(limits, 1);
    set_limit(limits, 0, (jn_limited)(k + 1), 7.0);
    jn_retime_options_init(&o);
    o.uniform = 1;
    o.samples = 50; /* peaks are between samples */
    check_ok(jn_retime(m, t, limits, &o, &r, &e));
    double exact = pow(7.0 / sizes[k], 1.0 / powers[k]), c = jn_retimed_factor(r);
    check(fabs(c / exact - 1) < 1e-9 && c <= exact * (1 + 1e-12), "%s: %.15g, not %.15g",
          jn_limited_name((jn_limited)(k + 1)), c, exact);
    check(e.v == 0 && e.which == (jn_limited)(k + 1), "the active limit");
    check(fabs(jn_retimed_duration(r) - 3 / c) < 1e-12, "duration");
    jn_retimed_destroy(r);
  }
  jn_trajectory_destroy(t);
  jn_model_destroy(m);
}

/* Property: at the factor, limits hold at 20 times as many samples; a little above it, one is broken. */
static void the_factor_is_the_largest(void **state) {
  (void)state;
  jn_model *m = model_from("builtin:panda");
  jn_trajectory *t = motion_of(m, "builtin:demo", 2);
  jn_range limits[ALL];
  check_ok(jn_limits_of_model(m, NULL, limits));
  for (int round = 0; round < 4; round++) {
    static const jn_limited tight[] = {JN_LIMITED_VELOCITY, JN_LIMITED_EFFORT_RATE, JN_LIMITED_EFFORT, JN_LIMITED_JERK};
    static const double sizes[] = {2.175, 150, 53, 5};
    set_limit(limits, 1, tight[round], sizes[round]);
    jn_retime_options o;
    jn_retimed *r;
    jn_limit_event e;
    jn_retime_options_init(&o);
    o.uniform = 1;
    check_ok(jn_retime(m, t, limits, &o, &r, &e));
    check(r != NULL, "there is a speed");
    int which = -1;
    double use = use_of(m, r, limits, 20000, &which);
    check(use <= 1 && use > 1 - 1e-6, "round %d: %.9g of %d is used", round, use, which);
    check(which == 6 * e.v + (int)e.which, "round %d: %d is used most", round, which);
    check(jn_retimed_event_count(r) > 0, "events");
    print_message("factor %.6f by %s of joint %d, %.7f of it used\n", jn_retimed_factor(r), jn_limited_name(e.which),
                  e.v + 1, use);
    jn_retimed_destroy(r);
  }
  jn_trajectory_destroy(t);
  jn_model_destroy(m);
}

/* Property: with damping and friction, the effort I a + d v + f stays within its limit, and a uniform motion reaches
 * it. */
static void losses_count_when_they_are_wanted(void **state) {
  (void)state;
  static const char text[] =
      "{\"name\": \"one\", \"gravity\": [0, 0, 0], \"bodies\": [{\"name\": \"rod\", \"joint\": {\"name\": \"h\", "
      "\"type\": \"revolute\", \"damping\": 0.7, \"friction\": 0.3}, \"inertia\": {\"mass\": 2, \"com\": [0.5, 0, 0], "
      "\"tensor\": [0.1, 0.1, 0.1, 0, 0, 0]}}]}";
  jn_model *m;
  jn_range limits[ALL];
  jn_retime_options o;
  jn_retimed *r;
  check_ok(jn_load_text(text, strlen(text), JN_FORMAT_NATIVE, "one", NULL, &m, NULL));
  jn_trajectory *t =
      motion_of(m, "{\"duration\": 3, \"joints\": {\"h\": {\"cosine\": {\"amplitude\": 0.4, \"omega\": 3}}}}", 2);
  no_limits(limits, 1);
  set_limit(limits, 0, JN_LIMITED_EFFORT, 4);
  for (int uniform = 0; uniform < 2; uniform++) {
    double worst = 0;
    jn_retime_options_init(&o);
    o.uniform = uniform;
    o.losses = 1;
    check_ok(jn_retime(m, t, limits, &o, &r, NULL));
    for (int k = 0; k <= 20000; k++) {
      double q[1], v[3];
      check_ok(jn_retimed_evaluate(r, jn_retimed_duration(r) * k / 20000, q, v));
      worst = fmax(worst, fabs(0.6 * v[1] + 0.7 * v[0] + 0.3 * (v[0] > 0 ? 1 : v[0] < 0 ? -1 : 0)));
    }
    print_message("losses, %s: %.3f s, %.6f of 4 N m\n", uniform ? "uniform" : "path", jn_retimed_duration(r), worst);
    check(worst <= 4 + 1e-9 && (!uniform || worst > 4 - 1e-3), "%.9g of 4 N m", worst);
    jn_retimed_destroy(r);
  }
  jn_trajectory_destroy(t);
  jn_model_destroy(m);
}

/* Property: if weight alone, or the path, breaks a limit, there is no factor, and the limit is named. */
static void weight_alone_may_break_a_limit(void **state) {
  (void)state;
  jn_model *m = model_from("builtin:panda");
  jn_trajectory *t = motion_of(m, "builtin:demo", 2);
  jn_range limits[ALL];
  jn_retimed *r;
  jn_limit_event e;
  for (int uniform = 0; uniform < 2; uniform++) {
    jn_retime_options o;
    jn_retime_options_init(&o);
    o.uniform = uniform;
    check_ok(jn_limits_of_model(m, NULL, limits));
    set_limit(limits, 1, JN_LIMITED_EFFORT, 20);
    check_ok(jn_retime(m, t, limits, &o, &r, &e));
    check(!r && e.v == 1 && e.which == JN_LIMITED_EFFORT && e.limit == (e.value > 0 ? 20 : -20), "%d %d %g", e.v,
          (int)e.which, e.limit);
    check_ok(jn_limits_of_model(m, NULL, limits));
    limits[3 * JN_LIMITED_QUANTITIES + JN_LIMITED_POSITION].upper = -1.2;
    check_ok(jn_retime(m, t, limits, &o, &r, &e));
    check(!r && e.v == 3 && e.which == JN_LIMITED_POSITION, "%d %d", e.v, (int)e.which);
  }
  no_limits(limits, 7); /* none: as far as one looks */
  jn_retime_options o;
  jn_retime_options_init(&o);
  o.uniform = 1;
  check_ok(jn_retime(m, t, limits, &o, &r, &e));
  check(e.v == JN_NONE && jn_retimed_factor(r) == 1000, "%g", jn_retimed_factor(r));
  jn_retimed_destroy(r);
  jn_trajectory_destroy(t);
  jn_model_destroy(m);
}

/* Property: the motors of the faster motion, by jn_elastic_inverse(), are at their limit and not beyond it. */
static void motors_of_the_new_motion_keep_their_limits(void **state) {
  (void)state;
  jn_model *m = model_from("builtin:planar_2r");
  static const char text[] =
      "{\"duration\": %.17g, \"joints\": {\"joint1\": {\"cosine\": {\"amplitude\": 0.3, \"omega\": %.17g}}, "
      "\"joint2\": "
      "{\"cosine\": {\"amplitude\": 0.4, \"omega\": %.17g, \"phase\": 0.5}}}}";
  char line[512];
  snprintf(line, sizeof line, text, 4.0, 2.0, 3.0);
  jn_trajectory *t = motion_of(m, line, 4);
  static const double sizes[] = {60, 300, 3, 0.05};
  for (int k = 0; k < 4; k++) {
    jn_actuator a[2];
    for (int i = 0; i < 2; i++) {
      jn_actuator_init(&a[i]);
      a[i].stiffness = 900;
      a[i].rotor_inertia = 0.5;
      a[i].rotor_damping = 0.2;
    }
    if (k == 0) a[0].torque_upper = sizes[0], a[0].torque_lower = -sizes[0];
    if (k == 1) a[0].effort_rate = sizes[1];
    if (k == 2) a[0].velocity = sizes[2];
    if (k == 3) a[0].deflection = sizes[3];
    jn_elastic *e;
    jn_range limits[ALL];
    jn_retime_options o;
    jn_retimed *r;
    jn_limit_event event;
    check_ok(jn_elastic_create(m, a, NULL, &e, NULL));
    check_ok(jn_limits_of_model(m, e, limits));
    for (int i = 0; i < 2 * JN_LIMITED_QUANTITIES; i++)
      if (i % JN_LIMITED_QUANTITIES < JN_LIMITED_MOTOR_EFFORT) limits[i] = (jn_range){-INFINITY, INFINITY};
    jn_retime_options_init(&o);
    o.uniform = 1;
    o.elastic = e;
    check_ok(jn_retime(m, t, limits, &o, &r, &event));
    check(r && event.v == 0 && (int)event.which == JN_LIMITED_MOTOR_EFFORT + k, "limit %d", (int)event.which);
    double c = jn_retimed_factor(r), largest = 0;
    snprintf(line, sizeof line, text, 4 / c, 2 * c, 3 * c); /* the same motion, written down anew */
    jn_trajectory *fast = motion_of(m, line, 4);
    jn_work *w;
    check_ok(jn_work_create_order(m, 3, &w));
    for (int i = 0; i <= 20000; i++) {
      double q[2], v[10], tau[8], theta[8], motor[4], delta[8];
      const jn_motor_motion out = {.deflection_jet = delta, .theta_jet = theta, .motor_jet = motor};
      check_ok(jn_trajectory_evaluate(fast, 4 / c * i / 20000, 3, q, v));
      check_ok(jn_inverse_dynamics_jet(m, w, 3, q, v, NULL, tau));
      check_ok(jn_elastic_inverse(e, 1, 0, q, v, tau, &out));
      const double values[] = {motor[0], motor[2], theta[2], delta[0]};
      largest = fmax(largest, fabs(values[k]) / sizes[k]);
    }
    check(largest <= 1 && largest > 1 - 1e-5, "%s: %.9g used", jn_limited_name(event.which), largest);
    jn_work_destroy(w);
    jn_trajectory_destroy(fast);
    jn_retimed_destroy(r);
    jn_elastic_destroy(e);
  }
  jn_trajectory_destroy(t);
  jn_model_destroy(m);
}

/* ---- along the path ---- */

/* The largest share of a motor's limits that the new motion uses, by jn_elastic_inverse(). */
static double motor_use(const jn_model *m, jn_elastic *e, const jn_retimed *r, const jn_range *limits, int times) {
  double worst = 0, q[2], v[10], tau[8], theta[8], motor[4], delta[8];
  const jn_motor_motion out = {.deflection_jet = delta, .theta_jet = theta, .motor_jet = motor};
  jn_work *w;
  check_ok(jn_work_create_order(m, 3, &w));
  for (int i = 0; i <= times; i++) {
    check_ok(jn_retimed_jet(r, jn_retimed_duration(r) * i / times, 3, q, v));
    check_ok(jn_inverse_dynamics_jet(m, w, 3, q, v, NULL, tau));
    check_ok(jn_elastic_inverse(e, 1, jn_retimed_duration(r) * i / times, q, v, tau, &out));
    for (int j = 0; j < 2; j++) {
      const double values[] = {motor[j], motor[2 + j], theta[2 + j], delta[j]};
      for (int k = 0; k < 4; k++) {
        double limit = limits[j * JN_LIMITED_QUANTITIES + JN_LIMITED_MOTOR_EFFORT + k].upper;
        if (isfinite(limit)) worst = fmax(worst, fabs(values[k]) / limit);
      }
    }
    double s[4];
    check_ok(jn_retimed_path(r, jn_retimed_duration(r) * i / times, s));
    int still = fabs(s[1]) < 1e-9 && !jn_elastic_actuator(e, 0)->time_count;
    if ((i == 0 || i == times) && still) /* from rest to rest, motors too */
      for (int j = 0; j < 2; j++) check(fabs(theta[2 + j]) < 1e-9, "motor %d moves at %g rad/s", j, theta[2 + j]);
  }
  jn_work_destroy(w);
  return worst;
}

/* Property: along the path, motors behind springs keep their limits of torque, rate, speed and deflection between all
 * points, reach one of them, and start and end at rest. */
static void motors_keep_their_limits_along_the_path(void **state) {
  (void)state;
  jn_model *m = model_from("builtin:planar_2r");
  jn_trajectory *t = motion_of(m,
                               "{\"duration\": 2, \"joints\": {\"joint1\": {\"cosine\": {\"amplitude\": 0.8, "
                               "\"omega\": 1.5}}, \"joint2\": {\"polynomial\": [0, 0.5]}}}",
                               4);
  static const double sizes[] = {60, 900, 3, 0.05}, cubic[] = {0, 900, 0, 2e4}, times[] = {0, 0.5, 1, 1.5},
                      stiffness[] = {900, 1100, 1300, 1200};
  for (int k = 0; k < 8; k++) { /* 5, 6, 7: springs that are not linear, over time, friction */
    jn_actuator a[2];
    for (int i = 0; i < 2; i++) {
      jn_actuator_init(&a[i]);
      a[i].stiffness = 900;
      a[i].rotor_inertia = 0.5;
      a[i].rotor_damping = 0.2;
      if (k == 5) a[i].polynomial = cubic, a[i].polynomial_count = 4;
      if (k == 6) a[i].times = times, a[i].time_stiffness = stiffness, a[i].time_count = 4;
      if (k == 7) a[i].frictionloss = 3, a[i].friction_speed = 0.1;
      if (k == 0 || k >= 4) a[i].torque_upper = sizes[0], a[i].torque_lower = -sizes[0];
      if (k == 1 || k >= 4) a[i].effort_rate = sizes[1];
      if (k == 2 || k >= 4) a[i].velocity = sizes[2];
      if (k == 3 || k >= 4) a[i].deflection = sizes[3];
    }
    jn_elastic *e;
    jn_range limits[ALL];
    jn_retime_options o;
    jn_retimed *r;
    check_ok(jn_elastic_create(m, a, NULL, &e, NULL));
    check_ok(jn_limits_of_model(m, e, limits));
    for (int i = 0; i < 2 * JN_LIMITED_QUANTITIES; i++)
      if (i % JN_LIMITED_QUANTITIES == JN_LIMITED_EFFORT) limits[i] = (jn_range){-INFINITY, INFINITY};
    jn_retime_options_init(&o);
    o.elastic = e;
    o.intervals = 60;
    o.ramp = 0.01;
    for (o.uniform = 0; o.uniform <= (k >= 5); o.uniform++) {
      check_ok(jn_retime(m, t, limits, &o, &r, NULL));
      check(r != NULL, "a speed");
      double use = motor_use(m, e, r, limits, 6000), slack = k < 5 ? 1e-9 : 1e-4; /* those only at many samples */
      print_message("motors, limits %d: %.4f s, %.7f used\n", k, jn_retimed_duration(r), use);
      check(use <= 1 + slack && use > 0.98, "%.9g used", use);
      jn_retimed_destroy(r);
    }
    jn_elastic_destroy(e);
  }
  jn_trajectory_destroy(t);
  jn_model_destroy(m);
}

/* Property: speeds that are given for the ends are those of the motion; too fast ones are refused. A duration is a
 * whole number of steps if that is asked for. */
static void ends_have_the_speeds_that_are_given(void **state) {
  (void)state;
  jn_model *m = model_from("builtin:planar_2r");
  jn_trajectory *t =
      motion_of(m, "{\"duration\": 1, \"joints\": {\"joint1\": {\"polynomial\": [0, 1]}, \"joint2\": 0}}", 2);
  static const double speeds[][2] = {{0.5, 0.8}, {1.1, 0}, {0, 0.3}, {0.7, 0.7}};
  jn_range limits[ALL];
  jn_retime_options o;
  jn_retimed *r;
  jn_limit_event e;
  no_limits(limits, 2);
  for (int i = 0; i < 3; i++) set_limit(limits, 0, (jn_limited)(JN_LIMITED_VELOCITY + i), (double[]){1.2, 4, 30}[i]);
  jn_retime_options_init(&o);
  for (int k = 0; k < 4; k++) {
    double s[4];
    int which = -1;
    o.start_speed = speeds[k][0];
    o.end_speed = speeds[k][1];
    check_ok(jn_retime(m, t, limits, &o, &r, NULL));
    check(r != NULL, "case %d", k);
    for (int end = 0; end < 2; end++) {
      check_ok(jn_retimed_path(r, end * jn_retimed_duration(r), s));
      check(fabs(s[1] - speeds[k][end]) < 1e-6, "case %d: %g at end %d, not %g", k, s[1], end, speeds[k][end]);
    }
    double use = use_of(m, r, limits, 20000, &which);
    print_message("from %g to %g: %.4f s, %.5f used\n", speeds[k][0], speeds[k][1], jn_retimed_duration(r), use);
    check(use <= 1 && use > 0.97, "%.9g", use);
    jn_retimed_destroy(r);
  }
  o.start_speed = 1.3;
  check_ok(jn_retime(m, t, limits, &o, &r, &e));
  check(!r && e.v == JN_NONE && e.value > 1.1 && e.value < 1.2001 && e.limit == 1.3, "%g of %g", e.value, e.limit);
  o.start_speed = NAN;
  o.end_speed = 1.4;
  check_ok(jn_retime(m, t, limits, &o, &r, &e));
  check(!r && e.v == JN_NONE && e.value > 1.1 && e.value < 1.2001 && e.limit == 1.4 && e.from == 1, "%g of %g", e.value,
        e.limit);
  jn_retime_options_init(&o);
  for (int uniform = 0; uniform < 2; uniform++) {
    o.uniform = uniform;
    o.step = 0.01;
    check_ok(jn_retime(m, t, limits, &o, &r, NULL));
    double steps = jn_retimed_duration(r) / o.step;
    check(fabs(steps - round(steps)) < 1e-5, "%.9g steps", steps);
    jn_retimed_destroy(r);
  }
  jn_trajectory_destroy(t);
  jn_model_destroy(m);
}

/* The duration of the jerk-limited motion over d from rest to rest, with all phases. */
static double closed_form(double d, double v, double a, double j) { return d / v + v / a + a / j; }

/* Property: one joint on a straight line takes as long as the closed form of limited velocity, acceleration and jerk.
 */
static void one_joint_is_the_closed_form(void **state) {
  (void)state;
  jn_model *m = model_from("builtin:planar_2r");
  jn_trajectory *t =
      motion_of(m, "{\"duration\": 1, \"joints\": {\"joint1\": {\"polynomial\": [0, 1]}, \"joint2\": 0}}", 2);
  static const double cases[][3] = {{1.2, 4, 30}, {0.8, 3, 60}, {2, 5, 50}};
  for (int k = 0; k < 3; k++) {
    jn_range limits[ALL];
    jn_retimed *r;
    no_limits(limits, 2);
    for (int i = 0; i < 3; i++) set_limit(limits, 0, (jn_limited)(JN_LIMITED_VELOCITY + i), cases[k][i]);
    check_ok(jn_retime(m, t, limits, NULL, &r, NULL));
    double exact = closed_form(1, cases[k][0], cases[k][1], cases[k][2]), found = jn_retimed_duration(r);
    if (k == 2) { /* never at full speed: a (t_a) with v = a t_a - a^2/j ... d = v (v/a + a/j) */
      double ratio = cases[k][1] / cases[k][2];
      double top = cases[k][1] * (-ratio + sqrt(ratio * ratio + 4 / cases[k][1])) / 2;
      exact = 2 * (top / cases[k][1] + ratio);
    }
    int which = -1;
    double use = use_of(m, r, limits, 20000, &which);
    print_message("%.6f s, closed form %.6f s, off by %.2e; %.7f of the limits used\n", found, exact, found / exact - 1,
                  use);
    check(found / exact - 1 < 1e-3 && found >= exact * (1 - 1e-9), "%g", found / exact - 1);
    check(use <= 1, "%.9g", use);
    jn_retimed_destroy(r);
  }
  jn_trajectory_destroy(t);
  jn_model_destroy(m);
}

/* Property: along the path a motion is never slower than at its largest uniform factor, keeps all limits at 20 times
 * the resolution, and its rows are derivatives of each other; from rest to rest, it starts and ends without speed and
 * acceleration, with smooth_ends also without jerk. */
static void along_the_path_is_faster_and_within_limits(void **state) {
  (void)state;
  jn_model *m = model_from("builtin:panda");
  jn_trajectory *t = motion_of(m, "builtin:demo", 2);
  jn_range limits[ALL];
  check_ok(jn_limits_of_model(m, NULL, limits));
  for (int round = 0; round < 4; round++) {
    jn_retime_options o;
    jn_retimed *r, *uniform;
    jn_retime_options_init(&o);
    o.moving_ends = round % 2;
    o.smooth_ends = round == 0;
    if (round == 2) set_limit(limits, 1, JN_LIMITED_EFFORT_RATE, 100), set_limit(limits, 3, JN_LIMITED_EFFORT_RATE, 60);
    o.margin = 0.05;
    if (o.smooth_ends) { /* they need a ramp */
      check(jn_retime(m, t, limits, &o, &r, NULL) == JN_ERR_SIZE, "smooth ends without a ramp are not refused");
      o.ramp = 0.008;
    }
    check_ok(jn_retime(m, t, limits, &o, &r, NULL));
    o.uniform = 1;
    check_ok(jn_retime(m, t, limits, &o, &uniform, NULL));
    int which = -1;
    double use = use_of(m, r, limits, 20000, &which), duration = jn_retimed_duration(r);
    print_message("%s ends: %.4f s, uniform %.4f s; %.6f of the limits used\n", o.moving_ends ? "moving" : "resting",
                  duration, jn_retimed_duration(uniform), use);
    check(use <= 0.95 + 1e-9 && use > 0.94, "%.9g of %d is used", use, which);
    check(!o.moving_ends || duration <= jn_retimed_duration(uniform), "slower than uniform");
    double last = -1, s[4], q[5][7], v[5][21], h = 1e-5;
    for (int k = 0; k <= 1000; k++) {
      check_ok(jn_retimed_path(r, duration * k / 1000, s));
      check(s[0] > last, "s goes back at %d", k);
      last = s[0];
    }
    check(fabs(last - 5) < 1e-9, "the end is %.12g", last);
    for (int k = 0; k < 5; k++) check_ok(jn_retimed_evaluate(r, 0.3317 * duration + (k - 2) * h, q[k], v[k]));
    for (int i = 0; i < 7; i++) {
      double rate = (8 * (q[3][i] - q[1][i]) - q[4][i] + q[0][i]) / (12 * h), size = fabs(v[2][i]) + 1;
      check(fabs(rate - v[2][i]) < 1e-8 * size, "velocity %d: %g, not %g", i, v[2][i], rate);
      rate = (8 * (v[3][i] - v[1][i]) - v[4][i] + v[0][i]) / (12 * h);
      check(fabs(rate - v[2][7 + i]) < 1e-5 * (fabs(rate) + 1), "acceleration %d: %g, not %g", i, v[2][7 + i], rate);
    }
    check_ok(jn_retimed_evaluate(r, duration, q[0], v[0]));
    int zeros = o.moving_ends ? 0 : o.smooth_ends ? 21 : 14; /* velocity, acceleration, and the jerk of smooth ends */
    for (int i = 0; i < zeros; i++) check(fabs(v[0][i]) < 1e-8, "row %d at the end: %g", i, v[0][i]);
    check(zeros != 14 || fabs(v[0][15]) > 1e-3, "the jerk of ends that are not smooth: %g", v[0][15]);
    jn_retimed_destroy(r);
    jn_retimed_destroy(uniform);
  }
  jn_trajectory_destroy(t);
  jn_model_destroy(m);
}

/* Property: wrenches belong to places of the path: along the new motion they are those of the place, their rows are
 * derivatives of each other, and efforts with them are at their limit and not beyond. */
static void wrenches_go_with_the_path(void **state) {
  (void)state;
  enum { LINKS = 8 };
  char name[] = "/tmp/jounce_wrench_XXXXXX";
  static const char rows[] = "t,link2_fy [N]\n0,0\n1,-20\n2,5\n3,0\n";
  int file = mkstemp(name);
  check(file >= 0 && write(file, rows, sizeof rows - 1) == (ssize_t)sizeof rows - 1, "a file");
  close(file);
  jn_model *m = model_from("builtin:planar_2r");
  jn_trajectory *t = motion_of(m,
                               "{\"duration\": 3, \"joints\": {\"joint1\": {\"cosine\": {\"amplitude\": 0.4, "
                               "\"omega\": 3}}, \"joint2\": {\"polynomial\": [0, 0.4]}}}",
                               2);
  check_ok(jn_trajectory_load_wrenches(t, name, NULL, NULL));
  unlink(name);
  jn_range limits[ALL];
  jn_work *w;
  check_ok(jn_limits_of_model(m, NULL, limits));
  check_ok(jn_work_create_order(m, 2, &w));
  int size = 6 * jn_link_count(m);
  check(jn_link_count(m) <= LINKS, "room");
  for (int uniform = 0; uniform < 2; uniform++) {
    jn_retime_options o;
    jn_retimed *r;
    double worst = 0, h = 1e-5, W[3][3 * 6 * LINKS], at[6 * LINKS], s[4], q[2], v[6], tau[4];
    jn_retime_options_init(&o);
    o.uniform = uniform;
    set_limit(limits, 0, JN_LIMITED_VELOCITY, 1e3);
    check_ok(jn_retime(m, t, limits, &o, &r, NULL));
    double duration = jn_retimed_duration(r);
    for (int k = 0; k <= 4000; k++) {
      check_ok(jn_retimed_evaluate(r, duration * k / 4000, q, v));
      check_ok(jn_retimed_wrenches(r, duration * k / 4000, 1, W[0]));
      check_ok(jn_inverse_dynamics_jet(m, w, 1, q, v, W[0], tau));
      for (int i = 0; i < 2; i++) worst = fmax(worst, fabs(tau[i]) / (i ? 50 : 100));
    }
    check(worst <= 1 + 1e-9 && worst > 0.98, "%.9g used", worst);
    for (int k = 0; k < 3; k++) check_ok(jn_retimed_wrenches(r, 0.41 * duration + (k - 1) * h, 2, W[k]));
    check_ok(jn_retimed_path(r, 0.41 * duration, s));
    check_ok(jn_trajectory_wrenches(t, s[0], 0, at));
    for (int i = 0; i < size; i++) {
      check(fabs(W[1][i] - at[i]) < 1e-12 * (1 + fabs(at[i])), "wrench %d: %g, not %g", i, W[1][i], at[i]);
      for (int k = 0; k < 2; k++) {
        double rate = (W[2][k * size + i] - W[0][k * size + i]) / (2 * h), has = W[1][(k + 1) * size + i];
        check(fabs(rate - has) < 1e-5 * (1 + fabs(has)), "row %d of %d: %g, not %g", k + 1, i, has, rate);
      }
    }
    print_message("wrenches, %s: %.4f s, %.6f used\n", uniform ? "uniform" : "path", duration, worst);
    check_status(jn_retimed_wrenches(r, 0, 6, W[0]), JN_ERR_SIZE);
    check_status(jn_retimed_jet(r, 0, 4, q, v), JN_ERR_SIZE);
    jn_retimed_destroy(r);
  }
  jn_work_destroy(w);
  jn_trajectory_destroy(t);
  jn_model_destroy(m);
}

/* Property: options out of range, and models with loops, are refused; events come in order and end. */
static void wrong_calls_are_refused(void **state) {
  (void)state;
  jn_model *m = model_from("builtin:planar_2r"), *loop = model_from("builtin:four_bar");
  jn_trajectory *t =
      motion_of(m, "{\"duration\": 1, \"joints\": {\"joint1\": {\"polynomial\": [0, 1]}, \"joint2\": 0}}", 2);
  jn_range limits[ALL];
  jn_retime_options o;
  jn_retimed *r;
  jn_limit_event e;
  check_ok(jn_limits_of_model(m, NULL, limits));
  jn_retime_options_init(&o);
  o.margin = 1;
  check_status(jn_retime(m, t, limits, &o, &r, NULL), JN_ERR_SIZE);
  o.margin = 0;
  o.intervals = 2;
  check_status(jn_retime(m, t, limits, &o, &r, NULL), JN_ERR_SIZE);
  o.size = 0;
  check_status(jn_retime(m, t, limits, &o, &r, NULL), JN_ERR_INIT);
  check_status(jn_retime(loop, t, limits, NULL, &r, NULL), JN_ERR_UNSUPPORTED);
  check_status(jn_retime(m, NULL, limits, NULL, &r, NULL), JN_ERR_NULL);
  check_ok(jn_retime(m, t, limits, NULL, &r, &e));
  double before = 0;
  int count = jn_retimed_event_count(r);
  check(count > 0, "%d events", count);
  for (int i = 0; i < count; i++) {
    check_ok(jn_retimed_event(r, i, &e));
    check(e.from >= before && e.to >= e.from && e.v >= 0, "event %d", i);
    before = e.from;
  }
  check_status(jn_retimed_event(r, count, &e), JN_ERR_INDEX);
  check(jn_limited_name(JN_LIMITED_QUANTITIES) == NULL, "no such limit");
  check(isnan(jn_retimed_duration(NULL)) && isnan(jn_retimed_factor(NULL)), "NULL");
  jn_retimed_destroy(r);
  jn_trajectory_destroy(t);
  jn_model_destroy(m);
  jn_model_destroy(loop);
}

/* Property: every allocation fails once: an error, and nothing is left behind. */
static void memory_may_run_out(void **state) {
  (void)state;
  counter c = {0};
  jn_allocator a = {count_allocate, count_release, &c};
  jn_options options;
  jn_model *m;
  jn_options_init(&options);
  options.allocator = &a;
  check_ok(jn_load("builtin:planar_2r", &options, &m, NULL));
  jn_trajectory *t =
      motion_of(m, "{\"duration\": 1, \"joints\": {\"joint1\": {\"polynomial\": [0, 1]}, \"joint2\": 0}}", 2);
  jn_range limits[ALL];
  jn_retime_options o;
  jn_retime_options_init(&o);
  o.intervals = 8;
  jn_status status = JN_ERR_MEMORY;
  int before = c.live;
  check_ok(jn_limits_of_model(m, NULL, limits));
  for (int n = 1; status != JN_OK; n++) {
    jn_retimed *r;
    c.fail_at = c.calls + n;
    status = jn_retime(m, t, limits, &o, &r, NULL);
    check(status == JN_OK || (status == JN_ERR_MEMORY && !r), "%s", jn_status_text(status));
    jn_retimed_destroy(r);
    check(c.live == before, "allocation %d: %d blocks are left", n, c.live - before);
    check(n < 1000, "it never succeeds");
  }
  jn_trajectory_destroy(t);
  jn_model_destroy(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_factor_by_hand),
      cmocka_unit_test(the_factor_is_the_largest),
      cmocka_unit_test(weight_alone_may_break_a_limit),
      cmocka_unit_test(losses_count_when_they_are_wanted),
      cmocka_unit_test(motors_of_the_new_motion_keep_their_limits),
      cmocka_unit_test(motors_keep_their_limits_along_the_path),
      cmocka_unit_test(ends_have_the_speeds_that_are_given),
      cmocka_unit_test(one_joint_is_the_closed_form),
      cmocka_unit_test(along_the_path_is_faster_and_within_limits),
      cmocka_unit_test(wrenches_go_with_the_path),
      cmocka_unit_test(wrong_calls_are_refused),
      cmocka_unit_test(memory_may_run_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
