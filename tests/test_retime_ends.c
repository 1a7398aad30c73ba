/* SPDX-License-Identifier: BSD-2-Clause */
/* The ends of motions that jounce retime writes: the usual splines through the rows, which controllers and other
 * programs use, keep the limits there, too. */
#include "support/running.h"

#include <math.h>

/* ---- Splines through equidistant rows, independent of those of the library ---- */

enum { MOST_DEGREE = 5, MOST_JOINTS = 7, PLACES = 5 };

typedef enum end_condition { CLAMPED, NATURAL, NOT_A_KNOT } end_condition;
static const char *const condition_names[] = {"clamped", "natural", "not-a-knot"};

typedef struct spline {
  int degree, rows, count; /* count: coefficients, rows + degree - 1 */
  double step;
  double *c; /* [count x nv] */
} spline;

/* The B-spline with knots 0, 1, ... degree + 1. */
static double cardinal(int degree, double x) {
  if (x < 0 || x >= degree + 1) return 0;
  if (degree == 0) return 1;
  return (x * cardinal(degree - 1, x) + (degree + 1 - x) * cardinal(degree - 1, x - 1)) / degree;
}

/* Its derivative of an order: differences of B-splines of lower degree. */
static double cardinal_derivative(int degree, int order, double x) {
  if (order == 0) return cardinal(degree, x);
  return cardinal_derivative(degree - 1, order - 1, x) - cardinal_derivative(degree - 1, order - 1, x - 1);
}

/* An equation: the derivative at a knot. The last B-spline is zero there. */
static void write_derivative(const spline *s, int knot, int order, double *equation) {
  for (int j = 0; j < s->degree; j++) equation[knot + j] = cardinal_derivative(s->degree, order, s->degree - j);
}

/* An equation: the highest derivative does not jump at a knot, so a difference of the coefficients is zero. */
static void write_no_jump(const spline *s, int knot, double *equation) {
  double binomial = 1;
  for (int j = 0; j <= s->degree + 1; j++) {
    equation[knot - 1 + j] = j % 2 ? -binomial : binomial;
    binomial *= (double)(s->degree + 1 - j) / (j + 1);
  }
}

/* Equation `i` of one end, 0 ... (degree - 1) / 2 - 1; all of them have zero on the right: the motion is at rest. */
static void write_end(const spline *s, end_condition condition, int at_end, int i, double *equation) {
  int knot = at_end ? s->rows - 1 : 0;
  if (condition == CLAMPED) write_derivative(s, knot, 1 + i, equation);
  if (condition == NATURAL) write_derivative(s, knot, (s->degree + 1) / 2 + i, equation);
  if (condition == NOT_A_KNOT) write_no_jump(s, at_end ? knot - 1 - i : 1 + i, equation);
}

/* Gaussian elimination with row exchanges, A [n x n], b [n x m]; nearly all of A is zero, and that is skipped. */
static void solve(int n, int m, double *A, double *b) {
  for (int k = 0; k < n; k++) {
    int best = k;

    /* the largest pivot of the column */
    for (int i = k + 1; i < n; i++)
      if (fabs(A[(size_t)i * n + k]) > fabs(A[(size_t)best * n + k])) best = i;
    assert_true(A[(size_t)best * n + k] != 0);

    /* exchange the two equations */
    for (int j = k; j < n && best != k; j++) {
      double other = A[(size_t)best * n + j];
      A[(size_t)best * n + j] = A[(size_t)k * n + j];
      A[(size_t)k * n + j] = other;
    }
    for (int j = 0; j < m && best != k; j++) {
      double other = b[best * m + j];
      b[best * m + j] = b[k * m + j];
      b[k * m + j] = other;
    }

    /* subtract it from those below */
    for (int i = k + 1; i < n; i++) {
      double factor = A[(size_t)i * n + k] / A[(size_t)k * n + k];
      if (factor == 0) continue;
      for (int j = k; j < n; j++) A[(size_t)i * n + j] -= factor * A[(size_t)k * n + j];
      for (int j = 0; j < m; j++) b[i * m + j] -= factor * b[k * m + j];
    }
  }

  /* back substitution */
  for (int k = n - 1; k >= 0; k--)
    for (int j = 0; j < m; j++) {
      double sum = b[k * m + j];
      for (int i = k + 1; i < n; i++) sum -= A[(size_t)k * n + i] * b[i * m + j];
      b[k * m + j] = sum / A[(size_t)k * n + k];
    }
}

/* The spline through the rows of columns 1 ... nv, with time in column 0. */
static spline fit(const jn_table *table, int nv, int degree, end_condition condition) {
  spline s = {.degree = degree, .rows = jn_table_rows(table)};
  int ends = (degree - 1) / 2;
  s.count = s.rows + 2 * ends;
  s.step = jn_table_values(table, 0)[s.rows - 1] / (s.rows - 1);
  s.c = calloc((size_t)s.count * (size_t)nv, sizeof *s.c);
  double *A = calloc((size_t)s.count * (size_t)s.count, sizeof *A);
  assert_non_null(s.c);
  assert_non_null(A);

  /* conditions at the start, the rows, conditions at the end */
  for (int i = 0; i < ends; i++) write_end(&s, condition, 0, i, A + (size_t)i * s.count);
  for (int i = 0; i < s.rows; i++) {
    write_derivative(&s, i, 0, A + (size_t)(ends + i) * s.count);
    for (int v = 0; v < nv; v++) s.c[(ends + i) * nv + v] = jn_table_values(table, 1 + v)[i];
  }
  for (int i = 0; i < ends; i++) write_end(&s, condition, 1, i, A + (size_t)(ends + s.rows + i) * s.count);

  solve(s.count, nv, A, s.c);
  free(A);
  return s;
}

/* q and its three derivatives, motion [4 x nv], in an interval of the rows; basis [4 x (degree + 1)] of a place in it.
 */
static void evaluate(const spline *s, int nv, int interval, const double *basis, double *motion) {
  for (int order = 0; order < 4; order++)
    for (int v = 0; v < nv; v++) {
      double sum = 0;
      for (int j = 0; j <= s->degree; j++) sum += basis[order * (MOST_DEGREE + 1) + j] * s->c[(interval + j) * nv + v];
      motion[order * nv + v] = sum / pow(s->step, order);
    }
}

/* ---- Limits ---- */

typedef struct usage {
  double share, time;
  int v, which;
} usage;

static void note_share(usage *most, const jn_range *range, double value, double time, int v, int which) {
  if (!isfinite(range->lower) || !isfinite(range->upper)) return;
  double middle = 0.5 * (range->lower + range->upper), share = fabs(value - middle) / (range->upper - middle);
  if (share > most->share) *most = (usage){share, time, v, which};
}

/* The largest share of a limit that the spline uses, between the rows and on both sides of each. */
static usage usage_of(const jn_model *model, const jn_range *limits, const spline *s) {
  static const double places[PLACES] = {1e-9, 0.25, 0.5, 0.75, 1 - 1e-9};
  int nv = jn_model_nv(model);
  double motion[4 * MOST_JOINTS], tau[2 * MOST_JOINTS], basis[4 * (MOST_DEGREE + 1)];
  usage most = {0, 0, 0, 0};
  jn_work *work;
  assert_int_equal(jn_work_create_order(model, 1, &work), JN_OK);
  for (int place = 0; place < PLACES; place++) {
    for (int order = 0; order < 4; order++)
      for (int j = 0; j <= s->degree; j++)
        basis[order * (MOST_DEGREE + 1) + j] = cardinal_derivative(s->degree, order, places[place] + s->degree - j);
    for (int i = 0; i + 1 < s->rows; i++) {
      double time = (i + places[place]) * s->step;
      evaluate(s, nv, i, basis, motion);
      assert_int_equal(jn_inverse_dynamics_jet(model, work, 1, motion, motion + nv, NULL, tau), JN_OK);
      for (int v = 0; v < nv; v++) {
        const jn_range *range = limits + v * JN_LIMITED_QUANTITIES;
        for (int which = JN_LIMITED_POSITION; which <= JN_LIMITED_JERK; which++)
          note_share(&most, range + which, motion[which * nv + v], time, v, which);
        for (int which = JN_LIMITED_EFFORT; which <= JN_LIMITED_EFFORT_RATE; which++)
          note_share(&most, range + which, tau[(which - JN_LIMITED_EFFORT) * nv + v], time, v, which);
      }
    }
  }
  jn_work_destroy(work);
  return most;
}

/* ---- Tests ---- */

typedef struct limit_case {
  int v;
  jn_limited which;
  double limit;
} limit_case;

typedef struct motion_case {
  const char *robot, *motion, *limits, *springs; /* motion, limits and springs: of the files in the folder */
  const char *options;
  limit_case given[8]; /* what is in `limits`; a limit of 0 ends the list */
} motion_case;

static const motion_case cases[] = {
    {"builtin:planar_2r",
     "swing.json",
     "{\"joint1\": {\"acceleration\": 20, \"jerk\": 400, \"effort_rate\": 1500}, "
     "\"joint2\": {\"jerk\": 500, \"effort_rate\": 400}}",
     "{\"joints\": {\"joint1\": {\"stiffness\": 5000, \"rotor_inertia\": 0.5}, "
     "\"joint2\": {\"stiffness\": 3000, \"rotor_inertia\": 0.2}}}",
     "--rate 500",
     {{0, JN_LIMITED_ACCELERATION, 20},
      {0, JN_LIMITED_JERK, 400},
      {0, JN_LIMITED_EFFORT_RATE, 1500},
      {1, JN_LIMITED_JERK, 500},
      {1, JN_LIMITED_EFFORT_RATE, 400}}},
    {"builtin:panda",
     "builtin:demo",
     "{\"panda_joint2\": {\"effort_rate\": 100}, \"panda_joint4\": {\"effort_rate\": 60}}",
     "{\"joints\": {\"panda_joint2\": {\"stiffness\": 8000, \"rotor_inertia\": 0.6}, "
     "\"panda_joint4\": {\"stiffness\": 6000, \"rotor_inertia\": 0.4}}}",
     "--rate 250",
     {{1, JN_LIMITED_EFFORT_RATE, 100}, {3, JN_LIMITED_EFFORT_RATE, 60}}},
};

static void write_motion(const motion_case *c) {
  char arguments[256];
  write_file("swing.json",
             "{\"duration\": 3, \"joints\": {\"joint1\": {\"cosine\": {\"amplitude\": 0.8, \"omega\": 3}}, "
             "\"joint2\": {\"cosine\": {\"amplitude\": 0.5, \"omega\": 5, \"phase\": 0.4}}}}");
  write_file("limits.json", c->limits);
  snprintf(arguments, sizeof arguments, "retime %s %s --limits limits.json %s --out rows.csv", c->robot, c->motion,
           c->options);
  outcome o = run_fine(arguments, 0);
  check_has(o.out, "limits hold.");
  done(&o);
}

/* How many of the usual splines through the rows exceed a limit by more than 1 %, ends included. */
static int count_broken_splines(const motion_case *c) {
  jn_model *model;
  jn_range limits[MOST_JOINTS * JN_LIMITED_QUANTITIES];
  int broken = 0;
  assert_int_equal(jn_load(c->robot, NULL, &model, NULL), JN_OK);
  assert_int_equal(jn_limits_of_model(model, NULL, limits), JN_OK);
  for (const limit_case *l = c->given; l->limit > 0; l++)
    limits[l->v * JN_LIMITED_QUANTITIES + l->which] = (jn_range){-l->limit, l->limit};

  jn_table *table = read_csv("rows.csv");
  for (int degree = 3; degree <= MOST_DEGREE; degree += 2)
    for (end_condition condition = CLAMPED; condition <= NOT_A_KNOT; condition++) {
      spline s = fit(table, jn_model_nv(model), degree, condition);
      usage most = usage_of(model, limits, &s);
      print_message("%s, %d rows, degree %d, %s: %.4f of %s %d at %.4f s\n", c->robot, s.rows, degree,
                    condition_names[condition], most.share, jn_limited_name((jn_limited)most.which), most.v + 1,
                    most.time);
      broken += !(most.share <= 1.01);
      free(s.c);
    }
  jn_table_destroy(table);
  jn_model_destroy(model);
  return broken;
}

static jn_table *read_motors(const motion_case *c) {
  char arguments[256];
  write_file("springs.json", c->springs);
  snprintf(arguments, sizeof arguments, "motor %s rows.csv --actuators springs.json --out motor.csv", c->robot);
  outcome o = run_fine(arguments, 0);
  done(&o);
  return read_csv("motor.csv");
}

/* How many motors behind springs have torque rates at the ends above 1.5 times those elsewhere. */
static int count_spikes(const motion_case *c, const jn_table *table) {
  int seen = 0, spikes = 0, rows = jn_table_rows(table);
  for (int column = 0; column < jn_table_columns(table); column++) {
    if (!strstr(jn_table_name(table, column), ".motor_tau_d1")) continue;
    const double *rate = jn_table_values(table, column);
    double middle = 0, ends = 0;

    /* the first and the last 5 % against the rest */
    for (int i = 0; i < rows; i++) {
      double *largest = i < rows / 20 || i >= rows - rows / 20 ? &ends : &middle;
      *largest = fmax(*largest, fabs(rate[i]));
    }
    print_message("%s %s: %.4g N m/s at the ends, %.4g in the middle\n", c->robot, jn_table_name(table, column), ends,
                  middle);
    spikes += !(ends <= 1.5 * middle);
    seen++;
  }
  assert_true(seen > 0);
  return spikes;
}

/* How many motors behind springs move at the first or the last row, by more than 1e-3 of their largest speed. */
static int count_moving_motors(const motion_case *c, const jn_table *table) {
  int seen = 0, moving = 0, rows = jn_table_rows(table);
  for (int column = 0; column < jn_table_columns(table); column++) {
    if (!strstr(jn_table_name(table, column), ".theta_d1")) continue;
    const double *speed = jn_table_values(table, column);
    double largest = 0, ends = fmax(fabs(speed[0]), fabs(speed[rows - 1]));
    for (int i = 0; i < rows; i++) largest = fmax(largest, fabs(speed[i]));
    print_message("%s %s: %.3g rad/s at the ends, %.4g at most\n", c->robot, jn_table_name(table, column), ends,
                  largest);
    moving += !(ends <= 1e-3 * largest);
    seen++;
  }
  assert_true(seen > 0);
  return moving;
}

/* Property: whichever usual spline goes through the rows, it keeps the limits. Motors behind springs begin and end at
 * rest, and their torque rates have no spikes at the ends. */
static void check_case(const motion_case *c) {
  write_motion(c);
  jn_table *motors = read_motors(c);
  int broken = count_broken_splines(c), spikes = count_spikes(c, motors), moving = count_moving_motors(c, motors);
  jn_table_destroy(motors);
  if (broken || spikes || moving)
    fail_msg("%s: %d of 6 splines through the rows break a limit; %d motors have a spike at the ends, %d move there",
             c->robot, broken, spikes, moving);
}

static void ends_of_a_planar_arm(void **unused) {
  (void)unused;
  check_case(&cases[0]);
}

static void ends_of_a_panda(void **unused) {
  (void)unused;
  check_case(&cases[1]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ends_of_a_planar_arm),
      cmocka_unit_test(ends_of_a_panda),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
