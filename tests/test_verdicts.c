/* SPDX-License-Identifier: BSD-2-Clause */
/* Verdicts on limits are right whatever the motion, the wrenches and the times that are printed: limits are put a
 * thousandth above and below the largest value, which a dense search finds. "Cannot tell" (exit status 3) is allowed,
 * but not often. */
#include "support/running.h"

#include <math.h>

static const double pi = 3.141592653589793;

/* ---- Random numbers ---- */

static uint64_t generator;

static void start_generator(const char *what, uint64_t usual) {
  const char *text = getenv("JOUNCE_SEED");
  generator = text ? strtoull(text, NULL, 10) : usual;
  printf("# %s: seed %llu\n", what, (unsigned long long)generator);
}

static double random_between(double low, double high) {
  generator = generator * 6364136223846793005u + 1442695040888963407u;
  return low + (high - low) * (double)(generator >> 11) / 9007199254740992.0;
}

static double random_power(double low, double high) { return exp(random_between(log(low), log(high))); }

/* ---- A random motion of two joints, and what it does at most ---- */

enum { JOINTS = 2, HARMONICS = 6, QUANTITIES = 6, ORDER = 1 };

static const char *const keys[QUANTITIES] = {"position", "velocity", "acceleration", "jerk", "effort", "effort_rate"};

typedef struct story {
  double omega[JOINTS], cosines[JOINTS][HARMONICS], sines[JOINTS][HARMONICS], offset[JOINTS];
  double duration, highest; /* [s], [Hz] */
  char *text;               /* the file */
  jn_model *model;
  jn_work *work;
  jn_trajectory *trajectory;
  double most[JOINTS][QUANTITIES]; /* largest sizes; of positions, the largest value */
  int jumps;                       /* 1: efforts jump, and their rates have no limits */
} story;

static void write_motion(story *s) {
  s->text = malloc(4096);
  char *at = s->text;
  at += sprintf(at, "{\"duration\": %.17g, \"joints\": {", s->duration);
  for (int j = 0; j < JOINTS; j++) {
    at += sprintf(at, "%s\"joint%d\": {\"fourier\": {\"omega\": %.17g, \"offset\": %.17g", j ? ", " : "", j + 1,
                  s->omega[j], s->offset[j]);
    for (int side = 0; side < 2; side++) {
      at += sprintf(at, ", \"%s\": [", side ? "sin" : "cos");
      for (int k = 0; k < HARMONICS; k++)
        at += sprintf(at, "%s%.17g", k ? ", " : "", side ? s->sines[j][k] : s->cosines[j][k]);
      at += sprintf(at, "]");
    }
    at += sprintf(at, "}}");
  }
  sprintf(at, "}}");
}

/* Sums of sines from 0.01 to 100 Hz for 0.1 to 1000 s, `cycles` of the fastest at most. */
static void make_story(story *s, double cycles) {
  *s = (story){0};
  double highest = random_power(0.01, 100), longest = fmin(1000, cycles / highest);
  s->duration = random_power(0.1, fmax(longest, 0.11));
  s->highest = highest;
  for (int j = 0; j < JOINTS; j++) {
    int last = 1 + (int)random_between(0, HARMONICS - 1e-9);
    double rate = j ? random_power(0.01, 1) * highest : highest;
    s->omega[j] = 2 * pi * rate / last;
    s->offset[j] = random_between(-0.5, 0.5);
    for (int k = 0; k < last; k++) {
      s->cosines[j][k] = random_between(-0.3, 0.3) / (k + 1);
      s->sines[j][k] = random_between(-0.3, 0.3) / (k + 1);
    }
  }
  write_motion(s);
  assert_int_equal(jn_load("builtin:planar_2r", NULL, &s->model, NULL), JN_OK);
  assert_int_equal(jn_work_create_order(s->model, ORDER, &s->work), JN_OK);
  assert_int_equal(jn_trajectory_load_text(s->model, s->text, strlen(s->text), "motion", NULL, &s->trajectory, NULL),
                   JN_OK);
}

static void free_story(story *s) {
  jn_trajectory_destroy(s->trajectory);
  jn_work_destroy(s->work);
  jn_model_destroy(s->model);
  free(s->text);
}

/* Quantities at a time; positions as they are, all else by size. */
static void quantities_at(const story *s, double t, double out[JOINTS][QUANTITIES]) {
  double q[JOINTS], v[(ORDER + 2) * JOINTS], tau[(ORDER + 1) * JOINTS], wrenches[(ORDER + 1) * 6 * 8];
  int links = jn_link_count(s->model), with = jn_trajectory_has_wrenches(s->trajectory);
  assert_true(links <= 8);
  assert_int_equal(jn_trajectory_evaluate(s->trajectory, t, ORDER, q, v), JN_OK);
  if (with) assert_int_equal(jn_trajectory_wrenches(s->trajectory, t, ORDER, wrenches), JN_OK);
  assert_int_equal(jn_inverse_dynamics_jet(s->model, s->work, ORDER, q, v, with ? wrenches : NULL, tau), JN_OK);
  for (int j = 0; j < JOINTS; j++) {
    const double all[QUANTITIES] = {q[j],         fabs(v[j]),           fabs(v[JOINTS + j]), fabs(v[2 * JOINTS + j]),
                                    fabs(tau[j]), fabs(tau[JOINTS + j])};
    memcpy(out[j], all, sizeof all);
  }
}

static void keep_most(story *s, double t) {
  double now[JOINTS][QUANTITIES];
  quantities_at(s, t, now);
  for (int i = 0; i < JOINTS * QUANTITIES; i++) {
    double *most = &s->most[i / QUANTITIES][i % QUANTITIES];
    *most = fmax(*most, now[i / QUANTITIES][i % QUANTITIES]);
  }
}

/* So many times between two, ends and their other sides included. */
static void search(story *s, double from, double to, int parts) {
  keep_most(s, from);
  keep_most(s, nextafter(from, INFINITY));
  for (int i = 1; i < parts; i++) keep_most(s, from + (to - from) * i / parts);
  keep_most(s, nextafter(to, -INFINITY));
  keep_most(s, to);
}

static void start_search(story *s) {
  for (int j = 0; j < JOINTS; j++)
    for (int k = 0; k < QUANTITIES; k++) s->most[j][k] = k ? 0 : -INFINITY;
}

/* ---- The verdict of the command ---- */

/* Limits a thousandth above the largest values, except one (joint * QUANTITIES + quantity) that is as much below. */
static void write_limits(const story *s, int which) {
  char text[2048], *at = text;
  at += sprintf(at, "{");
  for (int j = 0; j < JOINTS; j++) {
    at += sprintf(at, "%s\"joint%d\": {\"lower\": -100", j ? ", " : "", j + 1);
    for (int k = 0; k < QUANTITIES; k++) {
      double most = s->most[j][k], share = 0.001 * (which == j * QUANTITIES + k ? -1 : 1);
      if (s->jumps && k == QUANTITIES - 1) continue;
      at += sprintf(at, ", \"%s\": %.17g", k ? keys[k] : "upper", most + share * fabs(most));
    }
    at += sprintf(at, "}");
  }
  sprintf(at, "}");
  write_file("limits.json", text);
}

/* --rate, or nothing: from far too few times to more than enough. */
static const char *random_rate(const story *s) {
  static char text[64];
  double kind = random_between(0, 4);
  if (kind < 1) return "";
  double rate = kind < 2   ? random_power(0.2, 5) / s->duration
                : kind < 3 ? s->highest
                           : random_power(0.1, 10) * s->highest;
  if (rate * s->duration > 3e4) return "";
  snprintf(text, sizeof text, "--rate %.17g", rate);
  return text;
}

typedef struct tally {
  int runs, unsure;
} tally;

static void expect(const story *s, const char *options, int which, tally *all) {
  char line[512];
  write_file("motion.json", s->text);
  write_limits(s, which);
  snprintf(line, sizeof line, "torque builtin:planar_2r motion.json --limits limits.json %s %s", options,
           random_rate(s));
  outcome o = run_here(line);
  int wanted = which < 0 ? 0 : 1;
  all->runs++;
  all->unsure += o.code == 3;
  if (o.code != wanted && o.code != 3)
    fail_msg("%s: exit status %d, not %d (%s of joint %d); %g Hz for %g s: %s\n%s%s", line, o.code, wanted,
             which < 0 ? "nothing" : keys[which % QUANTITIES], which / QUANTITIES + 1, s->highest, s->duration, s->text,
             o.out, o.err);
  done(&o);
}

/* A thousandth of it is more than rounding, and it has a limit. */
static int may_be_broken(const story *s, int which) {
  int quantity = which % QUANTITIES;
  if (s->jumps && quantity == QUANTITIES - 1) return 0;
  return fabs(s->most[which / QUANTITIES][quantity]) > (quantity ? 1e-6 : 1e-2);
}

/* Once with all limits above the truth, once with one below it. */
static void expect_both(const story *s, const char *options, tally *all) {
  expect(s, options, -1, all);
  int which = (int)random_between(0, JOINTS * QUANTITIES - 1e-9);
  while (!may_be_broken(s, which)) which = (which + 1) % (JOINTS * QUANTITIES);
  expect(s, options, which, all);
}

static void check_tally(const char *what, const tally *all) {
  printf("# %s: %d verdicts, %d of them undecided\n", what, all->runs, all->unsure);
  assert_true(10 * all->unsure <= all->runs);
}

static void verdicts_on_closed_forms_are_right(void **state) {
  (void)state;
  start_generator("closed forms", 20261118);
  tally all = {0};
  for (int i = 0; i < 40; i++) {
    story s;
    make_story(&s, i < 36 ? 100 : 2000);
    start_search(&s);
    search(&s, 0, s.duration, 200 + (int)ceil((i < 36 ? 800 : 400) * s.highest * s.duration));
    expect_both(&s, "", &all);
    free_story(&s);
  }
  check_tally("closed forms", &all);
}

/* Pulses of a hundred microseconds and more at any time, in a motion that is slow or fast. */
static void write_pulses(const story *s, int pulses) {
  char *text = malloc(200 + 320 * (size_t)pulses), *at = text + sprintf(text, "t,link2_mz,link1_mz\n%.17g,0,0\n", 0.0);
  double part = s->duration / pulses;
  for (int i = 0; i < pulses; i++) {
    double width = fmin(random_power(1e-4, 1e-1), 0.2 * part), begin = part * i + random_between(0.1, 0.6) * part;
    double edge = 0.05 * width, size = random_between(-5000, 5000), other = random_between(-50, 50);
    const double times[4] = {begin, begin + edge, begin + edge + width, begin + 2 * edge + width};
    for (int k = 0; k < 4; k++)
      at += sprintf(at, "%.17g,%.17g,%.17g\n", times[k], k == 1 || k == 2 ? size : 0, k == 1 || k == 2 ? other : 0);
  }
  sprintf(at, "%.17g,0,0\n", s->duration);
  write_file("wrench.csv", text);
  free(text);
}

static void verdicts_with_short_wrenches_are_right(void **state) {
  (void)state;
  static const char *const ways[] = {"hold", "linear", "monotone"};
  start_generator("pulses", 20261119);
  tally all = {0};
  for (int i = 0; i < 30; i++) {
    story s;
    char option[96];
    jn_trajectory_options options;
    make_story(&s, 30);
    write_pulses(&s, 1 + i % 3);
    jn_trajectory_options_init(&options);
    options.wrench_interpolation = (jn_interpolation)(i % 3);
    assert_int_equal(jn_trajectory_load_wrenches(s.trajectory, in_directory("wrench.csv"), &options, NULL), JN_OK);

    /* From row to row of the wrenches, and steps that show the fastest part of the motion. */
    start_search(&s);
    for (double t = 0, next; t < s.duration; t = next) {
      next = fmin(jn_trajectory_next_wrench(s.trajectory, t), s.duration);
      search(&s, t, next, 200 + (int)ceil(400 * s.highest * (next - t)));
    }

    s.jumps = i % 3 == JN_INTERPOLATE_HOLD;
    snprintf(option, sizeof option, "--wrench wrench.csv --wrench-interpolation %s", ways[i % 3]);
    expect_both(&s, option, &all);
    free_story(&s);
  }
  check_tally("pulses", &all);
}

/* ---- Single cases ---- */

static const char rod[] =
    "{\"name\": \"rod\", \"bodies\": [{\"name\": \"rod\", \"joint\": {\"name\": \"hinge\", \"type\": \"revolute\","
    " \"axis\": [0, 1, 0], \"limits\": {\"velocity\": 25, \"effort\": 2000}}, \"inertia\": {\"mass\": 2, \"com\": [0, "
    "0, -0.5],"
    " \"tensor\": [0.2, 0.2, 0.1, 0, 0, 0]}}]}";

/* 10 Hz for 100 s: a thousand times, evenly spread, are all at the same place of the period. */
static const char fast[] =
    "{\"duration\": 100, \"joints\": {\"hinge\": {\"cosine\": {\"amplitude\": 0.5, \"omega\": 62.83185307179586}}}}";

static void no_rate_decides_a_verdict(void **state) {
  (void)state;
  static const char *const rates[] = {
      "", "--rate 10", "--rate 1", "--rate 0.001", "--rate 1000", "--range 3,4 --rate 10"};
  write_file("rod.json", rod);
  write_file("fast.json", fast);
  for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
    char line[200];
    snprintf(line, sizeof line, "torque rod.json fast.json --limits %s", rates[i]);
    outcome o = run_fine(line, 1);
    check_has(o.out, "hinge velocity: ");
    check_has(o.out, "31.42 rad/s");
    done(&o);
  }

  /* Rows that are too few are said to be. */
  outcome o = run_fine("torque rod.json fast.json --rate 10", 0);
  check_has(o.err, "parts of 10 Hz, which 10 times a second do not show");
  done(&o);
}

/* More than can be looked at: neither holds nor broken. */
static void what_takes_too_long_is_not_decided(void **state) {
  (void)state;
  write_file("rod.json", rod);
  write_file("fast.json",
             "{\"duration\": 1000, \"joints\": {\"hinge\": {\"cosine\": {\"amplitude\": 1e-9, \"omega\": 1e9}}}}");
  write_file("l.json", "{\"hinge\": {\"velocity\": 25, \"effort\": null}}");
  outcome o = run_fine("torque rod.json fast.json --limits l.json", 3);
  check_has(o.out, "Cannot tell whether 1 of 1 limits hold:");
  check_has(o.out, "only the samples were looked at");
  check_lacks(o.out, "All 1 limits hold");
  done(&o);
}

/* Torque rates have no bound where a wrench jumps. */
static void jumps_leave_rates_open(void **state) {
  (void)state;
  write_file("rod.json", rod);
  write_file("slow.json", "{\"duration\": 2, \"joints\": {\"hinge\": {\"polynomial\": [0, 0.1]}}}");
  write_file("w.csv", "t,rod_my\n0,0\n0.5,50\n0.51,0\n2,0\n");
  write_file("l.json", "{\"hinge\": {\"effort_rate\": 1e9}}");
  outcome o = run_fine("torque rod.json slow.json --limits l.json --wrench w.csv --wrench-interpolation hold", 3);
  check_has(o.out, "hinge effort rate: the effort jumps by 50 N m at 0.5 s");
  done(&o);
  o = run_fine("torque rod.json slow.json --limits l.json --wrench w.csv --wrench-interpolation linear", 0);
  check_has(o.out, "All 3 limits hold.");
  done(&o);
}

/* Rounding where a closed form comes to rest is no jump. */
static void rest_is_no_jump(void **state) {
  (void)state;
  write_file("rod.json", rod);
  write_file(
      "rest.json",
      "{\"duration\": 18.856491423232367, \"joints\": {\"hinge\": {\"minimum_snap\": {\"points\": [-0.07, -0.78, 0.5, "
      "0.04], \"times\": [0, 2.0951657136924853, 4.19, 18.856491423232367]}}}}");
  write_file("l.json", "{\"hinge\": {\"jerk\": 1000, \"effort_rate\": 1e4}}");
  outcome o = run_fine("torque rod.json rest.json --limits l.json", 0);
  check_has(o.out, "All 4 limits hold.");
  done(&o);
}

/* A blow of 10 ms between two samples at 10 Hz. */
static void wrenches_between_samples_are_looked_at(void **state) {
  (void)state;
  char rows[2000], *at = rows + sprintf(rows, "t,hinge\n");
  for (int i = 0; i <= 20; i++) at += sprintf(at, "%.17g,%.17g\n", 0.1 * i, 0.3 * sin(0.1 * i));
  write_file("rod.json", rod);
  write_file("slow.csv", rows);
  write_file("w.csv", "t,rod_my\n0,0\n0.5449,0\n0.545,5000\n0.555,5000\n0.5551,0\n2,0\n");
  outcome o = run_fine("torque rod.json slow.csv --limits --wrench w.csv", 1);
  check_has(o.out, "hinge effort: ");
  check_has(o.out, "(between two samples)");
  done(&o);

  /* The motor behind it, rigid, springy or damped. */
  static const char *const springs[] = {"", ", \"stiffness\": 1e5", ", \"stiffness\": 1e5, \"damping\": 100"};
  for (int i = 0; i < 3; i++) {
    char text[300];
    snprintf(text, sizeof text, "{\"joints\": {\"hinge\": {\"rotor_inertia\": 0.01, \"forcerange\": [-3000, 3000]%s}}}",
             springs[i]);
    write_file("a.json", text);
    o = run_fine("motor rod.json slow.csv --actuators a.json --wrench w.csv --wrench-interpolation linear", 1);
    check_has(o.out, "hinge motor torque: ");
    done(&o);
  }
}

/* Half of the sampling rate is all that samples show. */
static void samples_do_not_show_what_is_faster(void **state) {
  (void)state;
  char rows[2000], *at = rows + sprintf(rows, "t,hinge\n");
  for (int i = 0; i <= 40; i++) at += sprintf(at, "%.17g,%.17g\n", 0.1 * i, 0.3 * sin(0.1 * i));
  write_file("rod.json", rod);
  write_file("slow.csv", rows);
  outcome o = run_fine("torque rod.json slow.csv --limits --bandwidth 20", 3);
  check_has(o.out, "Cannot tell whether 2 of 2 limits hold:");
  check_has(o.out,
            "nothing faster than 5 Hz, half of their rate, but --bandwidth says that the motion has parts up to 20 Hz");
  done(&o);
  o = run_fine("torque rod.json slow.csv --limits --bandwidth 4", 0);
  check_has(o.out, "Assumed: the motion has no parts faster than 4 Hz, as --bandwidth says");
  done(&o);
  o = run_fine("torque rod.json slow.csv --limits", 0);
  check_has(o.out, "Assumed: the motion has no parts faster than 5 Hz, half of the sampling rate");
  done(&o);
  write_file("a.json", "{\"joints\": {\"hinge\": {\"rotor_inertia\": 0.01, \"forcerange\": [-3000, 3000]}}}");
  o = run_fine("motor rod.json slow.csv --actuators a.json --bandwidth 20", 3);
  check_has(o.out, "Cannot tell whether 1 of 1 limits of the motors hold:");
  done(&o);
  o = run_fine("motor rod.json slow.csv --actuators a.json", 0);
  check_has(o.out, "All 1 limits of the motors hold.");
  check_has(o.out, "Assumed: the splines through the samples are the motion");
  done(&o);
  o = run_fine("retime rod.json slow.csv --bandwidth 20", 3);
  check_has(o.err, "no timing can be found for what they do not show");
  done(&o);
}

/* The same peaks in another timing: A w c = limit, and A (w c)^2 too. */
static void uniform_timings_see_all_peaks(void **state) {
  (void)state;
  start_generator("uniform", 20261120);
  jn_model *model;
  assert_int_equal(jn_load_text(rod, strlen(rod), JN_FORMAT_NATIVE, "rod", NULL, &model, NULL), JN_OK);
  for (int i = 0; i < 12; i++) {
    char text[300];
    double rate = i ? random_power(0.5, 100) : 100, duration = i ? random_power(1, 1000 / rate + 1) : 10;
    double amplitude = random_between(0.1, 0.5), omega = 2 * pi * rate;
    snprintf(text, sizeof text,
             "{\"duration\": %.17g, \"joints\": {\"hinge\": {\"cosine\": {\"amplitude\": %.17g, \"omega\": %.17g}}}}",
             duration, amplitude, omega);
    jn_trajectory *t;
    jn_retimed *r;
    jn_retime_options options;
    jn_range limits[JN_LIMITED_QUANTITIES];
    assert_int_equal(jn_trajectory_load_text(model, text, strlen(text), "motion", NULL, &t, NULL), JN_OK);
    jn_retime_options_init(&options);
    options.uniform = 1;
    for (int k = 0; k < JN_LIMITED_QUANTITIES; k++) limits[k] = (jn_range){-INFINITY, INFINITY};
    limits[JN_LIMITED_VELOCITY] = (jn_range){-25, 25};
    assert_int_equal(jn_retime(model, t, limits, &options, &r, NULL), JN_OK);
    assert_non_null(r);
    double wanted = fmin(25 / (amplitude * omega), 1000), found = jn_retimed_factor(r);
    if (fabs(found / wanted - 1) > 1e-6) fail_msg("%g Hz for %g s: %g, not %g", rate, duration, found, wanted);
    jn_retimed_destroy(r);
    jn_trajectory_destroy(t);
  }
  jn_model_destroy(model);
}

/* Steps end at rows of wrenches, and show the shortest period. */
static void steps_resolve_all_curves(void **state) {
  (void)state;
  jn_model *model;
  jn_trajectory *t;
  assert_int_equal(jn_load_text(rod, strlen(rod), JN_FORMAT_NATIVE, "rod", NULL, &model, NULL), JN_OK);
  assert_int_equal(jn_trajectory_load_text(model, fast, strlen(fast), "motion", NULL, &t, NULL), JN_OK);
  assert_true(fabs(jn_trajectory_frequency(t) - 10) < 1e-12);
  assert_true(isinf(jn_trajectory_next_wrench(t, 0)));
  double step = jn_trajectory_next_step(t, 3) - 3;
  assert_true(step > 0 && step < 0.1 / 16);

  write_file("w.csv", "t,rod_my\n0,0\n0.5,50\n0.5001,0\n100,0\n");
  assert_int_equal(jn_trajectory_load_wrenches(t, in_directory("w.csv"), NULL, NULL), JN_OK);
  assert_true(jn_trajectory_next_wrench(t, 0.2) == 0.5 && jn_trajectory_next_wrench(t, 0.5) == 0.5001);
  int rows = 0;
  for (double at = 0; at < 1; at = jn_trajectory_next_step(t, at)) rows += at == 0.5 || at == 0.5001;
  assert_int_equal(rows, 2);
  jn_trajectory_destroy(t);

  static const char line[] = "{\"duration\": 5, \"joints\": {\"hinge\": {\"polynomial\": [0, 1]}}}";
  assert_int_equal(jn_trajectory_load_text(model, line, strlen(line), "motion", NULL, &t, NULL), JN_OK);
  assert_true(isinf(jn_trajectory_next_step(t, 0)) && jn_trajectory_frequency(t) == 0);
  assert_true(isnan(jn_trajectory_next_step(NULL, 0)) && isnan(jn_trajectory_next_wrench(NULL, 0)));
  assert_true(isnan(jn_trajectory_frequency(NULL)));
  jn_trajectory_destroy(t);
  jn_model_destroy(model);
}

/* What `excite` says about limits is what `torque` finds, also with no share to spare and the most harmonics. */
static void excitations_keep_their_limits(void **state) {
  (void)state;
  write_file(
      "l.json",
      "{\"joint1\": {\"velocity\": 3, \"acceleration\": 8, \"jerk\": 60, \"effort\": 60, \"effort_rate\": 200},"
      " \"joint2\": {\"velocity\": 3, \"acceleration\": 8, \"jerk\": 60, \"effort\": 30, \"effort_rate\": 100}}");
  for (int i = 0; i < 6; i++) {
    char line[300];
    snprintf(
        line, sizeof line,
        "excite builtin:planar_2r --limits l.json --share 1 --harmonics %d --duration 5 --starts 1 --steps 2 --seed %d "
        "--out e.json",
        i % 2 ? 20 : 5, i);
    outcome o = run_fine(line, 0);
    check_has(o.out, "largest shares of the allowed: ");
    done(&o);
    o = run_fine("torque builtin:planar_2r e.json --limits l.json", 0);
    check_has(o.out, "All 12 limits hold.");
    done(&o);
  }
}

/* A blow throws a robot off its motion for a short time, between two samples. */
static void tracking_errors_do_not_depend_on_samples(void **state) {
  (void)state;
  static const char *const steps[] = {"5", "0.1", "0.001"};
  double errors[3];
  write_file("rod.json", rod);
  write_file("swing.json",
             "{\"duration\": 10, \"joints\": {\"hinge\": {\"cosine\": {\"amplitude\": 0.5, \"omega\": 6.28}}}}");
  write_file("w.csv", "t,rod_my\n0,0\n2.49,0\n2.5,300\n2.6,0\n10,0\n");
  for (int i = 0; i < 3; i++) {
    char line[200];
    snprintf(line, sizeof line, "simulate rod.json --motion swing.json --wrench w.csv --every %s", steps[i]);
    outcome o = run_fine(line, 0);
    const char *at = strstr(o.out, "tracking error: at most ");
    if (!at) fail_msg("no tracking error in:\n%s", o.out);
    errors[i] = strtod(at + strlen("tracking error: at most "), NULL);
    done(&o);
  }
  for (int i = 0; i < 3; i++)
    if (!(errors[i] > 0.1 && fabs(errors[i] / errors[2] - 1) < 0.02))
      fail_msg("every %s s: %g, not %g", steps[i], errors[i], errors[2]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(steps_resolve_all_curves),
      cmocka_unit_test(no_rate_decides_a_verdict),
      cmocka_unit_test(what_takes_too_long_is_not_decided),
      cmocka_unit_test(jumps_leave_rates_open),
      cmocka_unit_test(rest_is_no_jump),
      cmocka_unit_test(wrenches_between_samples_are_looked_at),
      cmocka_unit_test(samples_do_not_show_what_is_faster),
      cmocka_unit_test(uniform_timings_see_all_peaks),
      cmocka_unit_test(excitations_keep_their_limits),
      cmocka_unit_test(tracking_errors_do_not_depend_on_samples),
      cmocka_unit_test(verdicts_on_closed_forms_are_right),
      cmocka_unit_test(verdicts_with_short_wrenches_are_right),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
