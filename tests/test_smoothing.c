/* SPDX-License-Identifier: BSD-2-Clause */
/* Limits are never said to hold where the truth breaks them: jounce torque --limits on sampled motions of which the
 * truth is known. Tones of every sampling ratio, chirps, steps, bursts, with noise and with the steps of an encoder.
 *
 * With JOUNCE_SMOOTHING_TABLE=FILE in the environment the table of docs/smoothing.md is written to FILE. */
#include "support/running.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

enum { RATE = 200, MOST = 4000, QUANTITIES = 5, ORDERS = 4 };

/* ---- Motions ---- */

typedef enum shape { TONE, CHIRP, RAMP, BURST } shape;

/* A slow motion 0.5 sin(2 t), and on top of it: */
typedef struct record {
  shape shape;
  double ratio;     /* samples a period; of chirps the last, of ramps the samples that they take */
  double amplitude; /* [rad] */
  double phase;
  double noise;  /* standard deviation [rad] */
  double filter; /* correlation of neighbouring noise */
  double step;   /* of the encoder [rad], 0: none */
  int samples;
} record;

/* out[k] += derivative of order k of A cos(w t + p) */
static void add_cosine(double A, double w, double p, double t, double out[ORDERS]) {
  for (int k = 0; k < ORDERS; k++, A *= w) out[k] += A * cos(w * t + p + k * pi / 2);
}

/* A cos(p + w t + c t^2 / 2) */
static void add_chirp(double A, double p, double w0, double c, double t, double out[ORDERS]) {
  double w = w0 + c * t, angle = p + w0 * t + c * t * t / 2, C = A * cos(angle), S = A * sin(angle);
  out[0] += C;
  out[1] -= w * S;
  out[2] -= w * w * C + c * S;
  out[3] += w * w * w * S - 3 * w * c * C;
}

/* From 0 to A in the time T about the middle: 10 s^3 - 15 s^4 + 6 s^5 */
static void add_ramp(double A, double middle, double T, double t, double out[ORDERS]) {
  double s = (t - middle) / T + 0.5;
  if (s <= 0) return;
  if (s >= 1) {
    out[0] += A;
    return;
  }
  out[0] += A * s * s * s * (10 + s * (6 * s - 15));
  out[1] += A * 30 * s * s * (1 + s * (s - 2)) / T;
  out[2] += A * s * (60 + s * (120 * s - 180)) / (T * T);
  out[3] += A * (60 + s * (360 * s - 360)) / (T * T * T);
}

static void truth_of(const record *s, double t, double out[ORDERS]) {
  double end = (double)(s->samples - 1) / RATE, w = 2 * pi * RATE / s->ratio;
  memset(out, 0, ORDERS * sizeof *out);
  add_cosine(0.5, 2, -pi / 2, t, out);
  if (s->shape == TONE) add_cosine(s->amplitude, w, s->phase, t, out);
  if (s->shape == CHIRP) add_chirp(s->amplitude, s->phase, w / 20, (w - w / 20) / end, t, out);
  if (s->shape == RAMP) add_ramp(s->amplitude, end * 0.6 + s->phase / RATE, s->ratio / RATE, t, out);
  if (s->shape == BURST && t > 0.45 * end && t < 0.55 * end) { /* A sin(u)^2 cos(w t), as three cosines */
    double slow = 2 * pi / (0.1 * end), from = slow * 0.45 * end;
    add_cosine(s->amplitude / 2, w, s->phase, t, out);
    add_cosine(-s->amplitude / 4, w + slow, s->phase - from, t, out);
    add_cosine(-s->amplitude / 4, w - slow, s->phase + from, t, out);
  }
}

/* ---- The robot: a rod about a horizontal axis ---- */

static const char rod[] =
    "{\"name\": \"rod\", \"bodies\": [{\"name\": \"rod\", \"joint\": {\"name\": \"hinge\", \"type\": \"revolute\","
    " \"axis\": [0, 1, 0]}, \"inertia\": {\"mass\": 2, \"com\": [0, 0, -0.5], \"tensor\": [0.2, 0.2, 0.1, 0, 0, 0]}}]}";

static const char *const names[QUANTITIES] = {"velocity", "acceleration", "jerk", "effort", "effort rate"};
static const char *const columns = "joint,velocity,acceleration,jerk,effort,effort_rate\n";

/* Largest size of each quantity, at and between the samples. */
static void find_peaks(const jn_model *m, jn_work *w, const record *s, double peaks[QUANTITIES]) {
  enum { PARTS = 16 };
  memset(peaks, 0, QUANTITIES * sizeof *peaks);
  for (int i = 0; i <= PARTS * (s->samples - 1); i++) {
    double x[ORDERS], tau[2];
    truth_of(s, (double)i / PARTS / RATE, x);
    assert_int_equal(jn_inverse_dynamics_jet(m, w, 1, x, x + 1, NULL, tau), JN_OK);
    for (int k = 0; k < 3; k++) peaks[k] = fmax(peaks[k], fabs(x[k + 1]));
    for (int k = 0; k < 2; k++) peaks[3 + k] = fmax(peaks[3 + k], fabs(tau[k]));
  }
}

static double uniform(uint64_t *state) {
  uint64_t x = *state += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return (double)((x ^ (x >> 31)) >> 11) * 0x1p-53;
}

static double normal(uint64_t *s) {
  double length = sqrt(-2 * log(1 - uniform(s)));
  return length * cos(2 * pi * uniform(s));
}

static void write_motion(const record *s, uint64_t *random) {
  FILE *f = fopen(in_directory("m.csv"), "w");
  assert_non_null(f);
  fputs("t,hinge\n", f);
  double noise = 0;
  for (int i = 0; i < s->samples; i++) {
    double t = (double)i / RATE, x[ORDERS];
    truth_of(s, t, x);
    noise = s->filter * noise + s->noise * sqrt(1 - s->filter * s->filter) * normal(random);
    x[0] += noise;
    if (s->step > 0) x[0] = s->step * round(x[0] / s->step);
    fprintf(f, "%.17g,%.17g\n", t, x[0]);
  }
  assert_int_equal(fclose(f), 0);
}

/* ---- What the command says ---- */

typedef struct answer {
  int code;
  char verdicts[QUANTITIES + 1]; /* B: broken, ?: cannot tell, h: holds */
  char fit[64];                  /* rms and number of B-splines */
} answer;

/* With limits that are `part` of the truth; `options` follow the others. */
static answer ask(const double peaks[QUANTITIES], double part, const char *options) {
  char line[512], before[256];
  snprintf(line, sizeof line, "%shinge,%.17g,%.17g,%.17g,%.17g,%.17g\n", columns, part * peaks[0], part * peaks[1],
           part * peaks[2], part * peaks[3], part * peaks[4]);
  write_file("l.csv", line);
  snprintf(before, sizeof before, "cd '%s' &&", directory);
  snprintf(line, sizeof line, "torque rod.json m.csv --order 1 --limits=l.csv %s", options);
  outcome o = run_with(before, line);
  answer a = {.code = o.code};
  const char *unsure = strstr(o.out, "Cannot tell whether");
  for (int k = 0; k < QUANTITIES; k++) {
    snprintf(line, sizeof line, "\n  hinge %s: ", names[k]);
    const char *found = strstr(o.out, line);
    a.verdicts[k] = !found ? 'h' : unsure && found > unsure ? '?' : 'B';
  }
  const char *row = strstr(o.out, "\nhinge ");
  char rms[16] = "", number[16] = "";
  if (row) sscanf(row, " hinge %15s %*s %*s %15s", rms, number);
  snprintf(a.fit, sizeof a.fit, "%s | %s%s", rms, number, row && strstr(row, "(all)") ? " (all)" : "");
  if (o.code != 0 && o.code != 1 && o.code != 3) fail_msg("exit status %d: %s%s", o.code, o.out, o.err);
  /* the exit status says what the lines say */
  int expected = strchr(a.verdicts, 'B') ? 1 : strchr(a.verdicts, '?') ? 3 : 0;
  if (o.code != expected) fail_msg("exit status %d, not %d:\n%s%s", o.code, expected, o.out, o.err);
  done(&o);
  return a;
}

/* ---- Many signals ---- */

typedef struct survey {
  jn_model *model;
  jn_work *work;
  FILE *table;
  uint64_t random;
  int count, false_holds;
} survey;

static void describe(const record *s, char *text, size_t size) {
  static const char *const shapes[] = {"tone", "chirp", "step", "burst"};
  int used = 0;
  if (s->amplitude > 0)
    used = snprintf(text, size, s->shape == RAMP ? "%s of %g in %g samples" : "%s %g, %g samples a period",
                    shapes[s->shape], s->amplitude, s->ratio);
  else
    used = snprintf(text, size, "slow motion");
  if (s->noise > 0)
    used += snprintf(text + used, size - (size_t)used, ", %s %g", s->filter > 0 ? "filtered noise" : "noise", s->noise);
  if (s->step > 0) used += snprintf(text + used, size - (size_t)used, ", encoder %g", s->step);
  snprintf(text + used, size - (size_t)used, ", %d", s->samples);
}

static void try_signal(survey *y, const record *s, int listed) {
  char text[160];
  double peaks[QUANTITIES];
  find_peaks(y->model, y->work, s, peaks);
  write_motion(s, &y->random);
  answer low = ask(peaks, 0.8, "");
  describe(s, text, sizeof text);
  if (y->table && listed)
    fprintf(y->table, "| %s | %s | %s | %s |\n", text, low.fit, low.verdicts, ask(peaks, 2, "").verdicts);
  y->count++;
  if (strchr(low.verdicts, 'h')) {
    y->false_holds++;
    printf("# false safety: %s: %s: %s, phase %g\n", text, low.fit, low.verdicts, s->phase);
  }
}

static void try_tones(survey *y) {
  static const double ratios[] = {2.1, 2.3, 2.5, 2.8, 3, 3.3, 3.7, 4,  4.3, 4.6, 4.9, 5,  5.2, 5.5, 5.8,
                                  6,   6.3, 6.5, 7,   8, 9,   10,  12, 14,  17,  20,  25, 30,  40,  50};
  for (size_t i = 0; i < sizeof ratios / sizeof *ratios; i++)
    for (int amplitude = 0; amplitude < 3; amplitude++)
      for (int phase = 0; phase < 2; phase++) {
        record s = {TONE, ratios[i], pow(10, -amplitude) * 0.4, 0.7 + 1.1 * phase, 0, 0, 0, phase ? 300 : 1000};
        try_signal(y, &s, phase == 0 && amplitude == 0);
      }
}

static void try_others(survey *y) {
  static const double ratios[] = {3, 5, 6, 10, 20};
  for (size_t i = 0; i < 5; i++) {
    double r = ratios[i];
    record shapes[] = {{CHIRP, r, 0.4, 0.3, 0, 0, 0, 1000},     {CHIRP, r, 0.01, 0.3, 0, 0, 0, 1000},
                       {CHIRP, r, 0.01, 1.3, 1e-4, 0, 0, 1000}, {RAMP, r, 0.4, 0.1, 0, 0, 0, 1000},
                       {RAMP, r, 0.4, 0.5, 1e-4, 0, 0, 1000},   {RAMP, r, 0.01, 0.7, 1e-4, 0, 0, 1000},
                       {BURST, r, 0.4, 0.1, 0, 0, 0, 1000},     {BURST, r, 0.05, 0.4, 1e-3, 0, 0, 1000},
                       {BURST, r, 0.01, 0.9, 1e-3, 0, 0, 2000}, {TONE, r, 0.05, 0.2, 0, 0, 1e-3, 1000},
                       {TONE, r, 1e-3, 0.2, 0, 0, 1e-4, 1000},  {TONE, r, 6e-4, 0.2, 0, 0, 1e-3, 1000},
                       {CHIRP, r, 0.05, 0.2, 0, 0, 1e-3, 1000}};
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) try_signal(y, &shapes[k], 1);
    /* amplitude of the tone over the standard deviation of the noise */
    static const double ratio_to_noise[] = {100, 10, 3, 1, 0.5, 0.2, 0.1};
    for (size_t k = 0; k < 7; k++) {
      record s = {TONE, r, 1e-3 * ratio_to_noise[k], 0.4, 1e-3, 0, 0, 2000};
      try_signal(y, &s, 1);
      s = (record){TONE, r, 1e-3 * ratio_to_noise[k], 0.9, 1e-3, 0.9, 0, 2000};
      try_signal(y, &s, ratio_to_noise[k] <= 10);
    }
  }
  static const record slow[] = {{TONE, 50, 0, 0, 0, 0, 0, 1000},    {TONE, 50, 0, 0, 1e-3, 0, 0, 1000},
                                {TONE, 50, 0, 0, 1e-4, 0, 0, 1000}, {TONE, 50, 0, 0, 1e-5, 0, 0, 4000},
                                {TONE, 50, 0, 0, 1e-6, 0, 0, 4000}, {TONE, 50, 0, 0, 1e-4, 0.9, 0, 4000},
                                {TONE, 50, 0, 0, 0, 0, 1e-3, 2000}, {TONE, 50, 0, 0, 0, 0, 1e-4, 2000},
                                {TONE, 50, 0, 0, 0, 0, 1e-6, 2000}, {TONE, 50, 0, 0, 1e-4, 0, 1e-3, 2000}};
  for (size_t k = 0; k < sizeof slow / sizeof *slow; k++) try_signal(y, &slow[k], 1);
}

static void limits_never_hold_where_the_truth_breaks_them(void **state) {
  (void)state;
  const char *path = getenv("JOUNCE_SMOOTHING_TABLE"), *given = getenv("JOUNCE_SEED");
  survey y = {.random = given ? strtoull(given, NULL, 10) : 20211101u};
  printf("# seed %llu\n", (unsigned long long)y.random);
  write_file("rod.json", rod);
  assert_int_equal(jn_load(in_directory("rod.json"), NULL, &y.model, NULL), JN_OK);
  assert_int_equal(jn_work_create_order(y.model, 1, &y.work), JN_OK);
  if (path) {
    y.table = fopen(path, "w");
    assert_non_null(y.table);
    fputs(
        "| motion, number of samples | residual [rad] | B-splines | limits 20 % too low | limits twice the truth |\n"
        "|---|---|---|---|---|\n",
        y.table);
  }
  try_tones(&y);
  try_others(&y);
  printf("# %d motions, %d with a false verdict\n", y.count, y.false_holds);
  if (y.table) assert_int_equal(fclose(y.table), 0);
  jn_work_destroy(y.work);
  jn_model_destroy(y.model);
  assert_int_equal(y.false_holds, 0);
}

/* The same when the user calls the tone noise: residuals that are a motion are not taken for noise because of that. */
static void a_tolerance_makes_no_motion_noise(void **state) {
  (void)state;
  static const double ratios[] = {2.3, 3.3, 4.6, 5, 5.5, 6.5, 7.9};
  static const int sizes[] = {20, 32, 40, 50, 56, 63, 64, 80, 100, 120, 300};
  survey y = {.random = 20211101u};
  write_file("rod.json", rod);
  assert_int_equal(jn_load(in_directory("rod.json"), NULL, &y.model, NULL), JN_OK);
  assert_int_equal(jn_work_create_order(y.model, 1, &y.work), JN_OK);
  for (size_t i = 0; i < sizeof ratios / sizeof *ratios; i++)
    for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++) {
      record s = {TONE, ratios[i], 2e-3, 0.3 + (double)n, 0, 0, 0, sizes[n]};
      double peaks[QUANTITIES];
      find_peaks(y.model, y.work, &s, peaks);
      write_motion(&s, &y.random);
      answer a = ask(peaks, 0.8, "--tolerance 0.002");
      y.count++;
      if (!strchr(a.verdicts, 'h')) continue;
      y.false_holds++;
      printf("# false safety: %g samples a period, %d samples: %s: %s\n", ratios[i], sizes[n], a.fit, a.verdicts);
    }
  printf("# %d motions, %d with a false verdict\n", y.count, y.false_holds);
  jn_work_destroy(y.work);
  jn_model_destroy(y.model);
  assert_int_equal(y.false_holds, 0);
}

/* ---- The other way round ---- */

typedef enum noise_kind { WHITE, FILTERED, SLOW, TWICE, LAPLACE, ENCODER, NOISES } noise_kind;

/* 0.5 sin(2 t) with noise of a kind. */
static void make_noise(noise_kind kind, int count, uint64_t *s, double *t, double *q) {
  static const double filters[NOISES] = {0, 0.9, 0.97, 0.5, 0, 0};
  double first = 0, second = 0;
  for (int i = 0; i < count; i++) {
    double fresh = 1e-3 * normal(s);
    if (kind == LAPLACE) fresh = (uniform(s) < 0.5 ? 1e-3 : -1e-3) * log(1 - uniform(s));
    first = filters[kind] * first + fresh;
    second = 0.7 * second + first;
    t[i] = 4.0 * i / count;
    q[i] = 0.5 * sin(2 * t[i]) + (kind == TWICE ? second : kind == ENCODER ? 0 : first);
    if (kind == ENCODER) q[i] = 1e-3 * round((q[i] + 0.1 * fresh) / 1e-3);
  }
}

/* Noise of many kinds is smoothed: it is not followed with a B-spline for every fourth sample or more. */
static void noise_is_not_taken_for_motion(void **state) {
  (void)state;
  static const int sizes[] = {100, 200, 1000, 4000};
  static double t[MOST], q[MOST];
  const char *given = getenv("JOUNCE_SEED");
  uint64_t s = given ? strtoull(given, NULL, 10) : 20211101u;
  printf("# seed %llu\n", (unsigned long long)s);
  jn_model *m;
  int files = 0, followed = 0;
  write_file("rod.json", rod);
  assert_int_equal(jn_load(in_directory("rod.json"), NULL, &m, NULL), JN_OK);
  for (noise_kind kind = 0; kind < NOISES; kind++)
    for (size_t z = 0; z < sizeof sizes / sizeof *sizes; z++)
      for (int trial = 0; trial < (sizes[z] > 1000 ? 20 : 100); trial++) {
        jn_trajectory *made;
        jn_fit fit;
        make_noise(kind, sizes[z], &s, t, q);
        assert_int_equal(jn_trajectory_fit(m, sizes[z], t, q, NULL, &made, NULL), JN_OK);
        assert_int_equal(jn_trajectory_fit_of(made, 0, &fit), JN_OK);
        files++;
        if (fit.parameters >= sizes[z] / 4 || !fit.noise) {
          printf("# noise of kind %d, %d samples: %d B-splines\n", (int)kind, sizes[z], fit.parameters);
          followed++;
        }
        jn_trajectory_destroy(made);
      }
  printf("# %d files of noise, %d followed\n", files, followed);
  jn_model_destroy(m);
  assert_int_equal(followed, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(limits_never_hold_where_the_truth_breaks_them),
      cmocka_unit_test(a_tolerance_makes_no_motion_noise),
      cmocka_unit_test(noise_is_not_taken_for_motion),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
