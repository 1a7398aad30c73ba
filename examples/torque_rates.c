/* SPDX-License-Identifier: BSD-2-Clause */
/* Torques of a moving arm and their time derivatives, computed exactly and by numerical differentiation.
 *   example_torque_rates panda [FILE.csv [STEP]]    third order, the example of Kumar and Mueller 2021, Figs. 2-5
 *   example_torque_rates kuka [FILE.csv [STEP]]     second order, the example of Mueller and Kumar 2021, Figs. 3-4
 * Prints how far the two are apart, writes the curves to FILE.csv ("-": none), and fails when they are apart by more
 * than numerical differentiation with STEP [s] explains. docs/torque-rates.md shows the curves. */
#include <jounce/jounce.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { JOINTS = 7, SAMPLES = 501, MAX_ORDER = 3, ROWS = MAX_ORDER + 3 };
static const double DURATION = 5; /* [s] */

/* The results at each sample: row k is the derivative of order k [N m/s^k]. */
typedef double curves[SAMPLES][ROWS][JOINTS];
static curves exact, single, repeated;

typedef struct study {
  jn_model *model;
  jn_work *work;
  int order;   /* highest derivative that is differentiated; the exact ones go two orders higher, for the bound */
  double step; /* of the differences [s] */
} study;

/* The papers' motion q = A cos(w t) and its derivatives: row k is d^k q / dt^k [rad/s^k]. */
static void motion_at(double t, int rows, double motion[][JOINTS]) {
  static const double A[JOINTS] = {-1.2943753211777664, 0.71753414543550109,  -0.56913807649661763, 0.58489441586271551,
                                   1.6216297151633214,  -0.91878557097520275, 0.42176059919352271};
  static const double w[JOINTS] = {1.7073873117335832, 3.0799927976370518, 2.1084514453622774, 3.5903916041026207,
                                   1.4183262544423447, 2.2856257938085069, 5.927533308659986};
  for (int j = 0; j < JOINTS; j++) {
    const double c = cos(w[j] * t), s = sin(w[j] * t), turn[4] = {c, -s, -c, s};
    double scale = A[j];
    for (int k = 0; k < rows; k++, scale *= w[j]) motion[k][j] = scale * turn[k % 4];
  }
}

/* Torques at time t and their derivatives up to order + 2: all that is needed is q and v, a, da/dt, ... */
static jn_status torques_at(const study *s, double t, double tau[ROWS][JOINTS]) {
  double motion[ROWS + 2][JOINTS];
  motion_at(t, s->order + 5, motion);
  return jn_inverse_dynamics_jet(s->model, s->work, s->order + 2, motion[0], motion[1], NULL, tau[0]);
}

/* Central differences (f(t + h) - f(t - h)) / 2h: single, of the exact curve one order below; and repeated, k times of
 * the torque alone, which is all that numerical differentiation of measured torques can do. */
static jn_status differentiate(const study *s, int sample) {
  double near[2 * MAX_ORDER + 1][ROWS][JOINTS], t = DURATION * sample / (SAMPLES - 1);
  const int centre = s->order;
  for (int m = 0; m <= 2 * centre; m++) {
    jn_status status = torques_at(s, t + (m - centre) * s->step, near[m]);
    if (status != JN_OK) return status;
  }
  memcpy(exact[sample], near[centre], (size_t)(s->order + 3) * sizeof near[0][0]);
  for (int k = 1; k <= s->order; k++)
    for (int j = 0; j < JOINTS; j++) {
      single[sample][k][j] = (near[centre + 1][k - 1][j] - near[centre - 1][k - 1][j]) / (2 * s->step);
    }
  for (int k = 1; k <= s->order; k++) /* each pass leaves two points fewer, in row 0, where the torques were */
    for (int j = 0; j < JOINTS; j++) {
      for (int m = 0; m <= 2 * (centre - k); m++) near[m][0][j] = (near[m + 2][0][j] - near[m][0][j]) / (2 * s->step);
      repeated[sample][k][j] = near[centre - k][0][j];
    }
  return JN_OK;
}

/* The larger one; unlike fmax() it keeps a NaN, which no bound then lets pass. */
static double larger(double a, double b) { return b > a || isnan(b) ? b : a; }

/* Largest magnitude of one curve, and its largest distance from the exact one. */
static double peak(curves x, int k, int j) {
  double most = 0;
  for (int i = 0; i < SAMPLES; i++) most = larger(most, fabs(x[i][k][j]));
  return most;
}

static double deviation(curves x, int k, int j) {
  double most = 0;
  for (int i = 0; i < SAMPLES; i++) most = larger(most, fabs(x[i][k][j] - exact[i][k][j]));
  return most;
}

/* How far a single difference of order k may be off. Truncation: h^2/6 times the largest derivative two orders higher
 * (Taylor), and 5 % for peaks between the samples. Rounding: the exact curve one order below is off by a few units in
 * the last place of itself, and of the time in its slope; the difference divides that by h. */
static double bound(const study *s, int k, int j) {
  double ulps = 4 * jn_variant_epsilon(), h = s->step;
  return 1.05 * h * h / 6 * peak(exact, k + 2, j) + ulps * (peak(exact, k - 1, j) + DURATION * peak(exact, k, j)) / h;
}

static int print_table(const study *s) {
  int failures = 0;
  printf("%s: %d samples in %g s, central differences with a step of %g s\n", jn_model_name(s->model), SAMPLES,
         DURATION, s->step);
  printf("                                   | single difference             | repeated difference\n");
  printf("order joint                largest | off by    at most   relative  | off by    relative\n");
  for (int k = 1; k <= s->order; k++)
    for (int j = 0; j < JOINTS; j++) {
      const char *joint = jn_joint_name(s->model, jn_coordinate_joint(s->model, j, NULL));
      double one = deviation(single, k, j), more = deviation(repeated, k, j), most = peak(exact, k, j);
      int good = one <= bound(s, k, j);
      printf("%-5d %-12s %7.1f N m/s^%d | %.3e %.3e %.3e | %.3e %.3e%s\n", k, joint, most, k, one, bound(s, k, j),
             one / most, more, more / most, good ? "" : "  TOO FAR OFF");
      failures += !good;
    }
  return failures;
}

/* Largest deviation of any joint at one sample, each relative to the joint's largest value. */
static double worst(curves x, int sample, int k) {
  double most = 0;
  for (int j = 0; j < JOINTS; j++) most = larger(most, fabs(x[sample][k][j] - exact[sample][k][j]) / peak(exact, k, j));
  return most;
}

static int write_csv(const study *s, const char *path) {
  FILE *file = fopen(path, "w");
  if (!file) return perror(path), 1;
  fprintf(file, "t [s]");
  for (int j = 1; j <= JOINTS; j++) fprintf(file, ",q%d [rad]", j);
  for (int j = 1; j <= JOINTS; j++) fprintf(file, ",a%d [rad/s^2]", j);
  for (int k = 0; k <= s->order; k++)
    for (int j = 1; j <= JOINTS; j++) fprintf(file, ",d%dQ%d [N m/s^%d]", k, j, k);
  for (int k = 1; k <= s->order; k++) fprintf(file, ",single%d [1],repeated%d [1]", k, k);
  for (int i = 0; i < SAMPLES; i++) {
    double t = DURATION * i / (SAMPLES - 1), motion[3][JOINTS];
    motion_at(t, 3, motion);
    fprintf(file, "\n%.17g", t);
    for (int j = 0; j < JOINTS; j++) fprintf(file, ",%.17g", motion[0][j]);
    for (int j = 0; j < JOINTS; j++) fprintf(file, ",%.17g", motion[2][j]);
    for (int k = 0; k <= s->order; k++)
      for (int j = 0; j < JOINTS; j++) fprintf(file, ",%.17g", exact[i][k][j]);
    for (int k = 1; k <= s->order; k++) fprintf(file, ",%.3g,%.3g", worst(single, i, k), worst(repeated, i, k));
  }
  fprintf(file, "\n");
  return fclose(file) ? perror(path), 1 : 0;
}

int main(int argc, char **argv) {
  const int kuka = argc > 1 && !strcmp(argv[1], "kuka");
  study s = {.order = kuka ? 2 : 3, .step = argc > 3 ? atof(argv[3]) : 1e-5};
  if (argc < 2 || argc > 4 || (!kuka && strcmp(argv[1], "panda")) || !(s.step > 0))
    return fprintf(stderr, "usage: %s panda|kuka [FILE.csv [STEP]]\n", argv[0]), 2;

  jn_error error;
  if (jn_load(kuka ? "builtin:kuka_iiwa" : "builtin:panda", NULL, &s.model, &error) != JN_OK)
    return fprintf(stderr, "%s\n", error.text), 1;
  jn_status status = jn_work_create_order(s.model, s.order + 2, &s.work);
  for (int i = 0; i < SAMPLES && status == JN_OK; i++) status = differentiate(&s, i);
  int failed = status != JN_OK;
  if (failed)
    fprintf(stderr, "%s\n", jn_status_text(status));
  else
    failed = print_table(&s);
  if (!failed && argc > 2 && strcmp(argv[2], "-")) failed = write_csv(&s, argv[2]);
  jn_work_destroy(s.work);
  jn_model_destroy(s.model);
  return failed ? 1 : 0;
}
