/* SPDX-License-Identifier: BSD-2-Clause */
/* The inertial parameters in `jounce eval`: regressors against the textbook's arm by hand, and against what other names
 * give, as a user would put them together. */
#include "eval_help.h"

enum { MOST = 12000 }; /* numbers of a result */

/* The numbers at `path` of the first result; their count. */
static int get(json_t *root, const char *path, double *numbers) {
  char whole[128];
  snprintf(whole, sizeof whole, "results.0.%s", path);
  return flatten(at(root, whole), numbers, 0, MOST);
}

/* y [rows] = Y x, Y [rows x columns] */
static void multiply(const double *Y, const double *x, int rows, int columns, double *y) {
  for (int r = 0; r < rows; r++) {
    y[r] = 0;
    for (int c = 0; c < columns; c++) y[r] += Y[r * columns + c] * x[c];
  }
}

static void check_equal(const double *a, const double *b, int count, double tolerance, const char *property) {
  double size = 1;
  for (int i = 0; i < count; i++) size = fmax(size, fabs(b[i]));
  for (int i = 0; i < count; i++) {
    if (fabs(a[i] - b[i]) <= tolerance * jn_variant_epsilon() * size) continue;
    fail_msg("%s: %.17g, not %.17g at %d", property, a[i], b[i], i);
  }
}

/* results[0].regressor times pi = results[0].quantity */
static void check_product(json_t *o, const char *regressor, const char *quantity, double tolerance) {
  static double Y[MOST], pi[MOST], out[MOST], expected[MOST];
  int count = get(o, "pi", pi), rows = get(o, quantity, expected);
  assert_int_equal(get(o, regressor, Y), rows * count);
  multiply(Y, pi, rows, count, out);
  check_equal(out, expected, rows, tolerance, regressor);
}

/* ---- By hand ---- */

/* Lagrange's equations of the planar arm with masses anywhere in the plane: only m, hx, hy, Jzz of the links do
 * something, and m of the upper one does not. */
static void the_planar_arm_has_the_regressor_of_the_textbook(void **state) {
  (void)state;
  const double l = 0.7, q1 = 0.4, q2 = -1.1, v1 = 0.9, v2 = -2, a1 = -0.5, a2 = 3;
  const double c2 = cos(q2), s2 = sin(q2), c1 = G * cos(q1), s1 = G * sin(q1), c12 = G * cos(q1 + q2),
               s12 = G * sin(q1 + q2);
  const double b = 2 * v1 * v2 + v2 * v2;
  double Y[2][20] = {{0}}, dM[20][4] = {{0}}, dg[2][20] = {{0}};
  Y[0][1] = c1, Y[0][2] = -s1, Y[0][6] = a1;
  Y[0][10] = l * l * a1 + l * c1;
  Y[0][11] = l * (c2 * (2 * a1 + a2) - s2 * b) + c12;
  Y[0][12] = -l * (s2 * (2 * a1 + a2) + c2 * b) - s12;
  Y[1][11] = l * (c2 * a1 + s2 * v1 * v1) + c12;
  Y[1][12] = l * (-s2 * a1 + c2 * v1 * v1) - s12;
  Y[0][16] = Y[1][16] = a1 + a2;
  dg[0][1] = c1, dg[0][2] = -s1, dg[0][10] = l * c1;
  dg[0][11] = dg[1][11] = c12, dg[0][12] = dg[1][12] = -s12;
  dM[6][0] = 1, dM[10][0] = l * l;
  for (int i = 0; i < 4; i++) dM[16][i] = 1;
  dM[11][0] = 2 * l * c2, dM[11][1] = dM[11][2] = l * c2;
  dM[12][0] = -2 * l * s2, dM[12][1] = dM[12][2] = -l * s2;
  json_t *o = evaluate("planar.json --want Y,Y_gravity,dg_dpi,dM_dpi,pi", planar_state);
  check_numbers(o, "results.0.Y", Y[0], 40, 16);
  check_numbers(o, "results.0.Y_gravity", dg[0], 40, 16);
  check_numbers(o, "results.0.dg_dpi", dg[0], 40, 16);
  check_numbers(o, "results.0.dM_dpi", dM[0], 80, 16);
  const double pi[20] = {3, 0.9, 0, 0, 0.05, 0.32, 0.32, 0, 0, 0, 2, 0.5, 0, 0, 0.02, 0.145, 0.145, 0, 0, 0};
  check_numbers(o, "results.0.pi", pi, 20, 8);
  assert_int_equal(json_array_size(at(o, "model.links")), 2);
  assert_string_equal(json_string_value(at(o, "model.links.0")), "upper");
  assert_string_equal(json_string_value(at(o, "model.links.1")), "lower");
  json_decref(o);
}

/* J a + w sin q = tau of the pendulum, J = Jyy, w = -g hz: in the columns hz, Jyy, and their time derivatives. */
static void the_pendulum_has_the_regressors_of_its_equation(void **state) {
  (void)state;
  const double s = G * sin(0.7), c = G * cos(0.7), v = -1.3, a = 2.5, j = -4, inertia = 0.6;
  double Y[2][10] = {{0}}, kinetic[10] = {0}, potential[10] = {0}, ddq[10] = {0};
  Y[0][3] = -s, Y[0][5] = a;
  Y[1][3] = -c * v, Y[1][5] = j;
  Y[0][1] = -c; /* a centre of mass off the rod */
  Y[1][1] = s * v;
  kinetic[5] = 0.5 * v * v;
  potential[3] = c, potential[1] = -s;
  json_t *o = evaluate("pendulum.json --want Y_jets,Y_energy,pi", "{\"q\": [0.7], \"v_jets\": [[-1.3], [2.5], [-4]]}");
  check_numbers(o, "results.0.Y_jets", Y[0], 20, 16);
  check_numbers(o, "results.0.Y_energy.kinetic", kinetic, 10, 8);
  check_numbers(o, "results.0.Y_energy.potential", potential, 10, 8);
  json_decref(o);
  double force[2] = {4, 4 + 0.5 * 1.3 + 0.25}; /* damping 0.5 and friction 0.25 push where v < 0 */
  for (int losses = 0; losses < 2; losses++) {
    ddq[1] = c / inertia, ddq[3] = s / inertia;
    ddq[5] = -(force[losses] - 2 * 0.5 * s) / (inertia * inertia);
    o = evaluate(losses ? "pendulum.json --want da_dpi --losses" : "pendulum.json --want da_dpi",
                 "{\"q\": [0.7], \"v\": [-1.3], \"tau\": [4]}");
    check_numbers(o, "results.0.da_dpi", ddq, 10, 64);
    json_decref(o);
  }
}

/* ---- By other names ---- */

typedef struct robot {
  const char *name, *q;
} robot;

static const robot robots[] = {
    {"planar.json", "[0.4, -1.1]"},
    {"mixed.json", "[1, 2, 3, 0.6, 0, 0, 0.8, 0, 0.6, 0, 0.8, 0.3]"},
    {"builtin:panda", "[0.3, -0.6, 0.2, -2.2, 0.5, 1.3, -0.4]"},
    {"builtin:kuka_iiwa", "[0.3, -0.6, 0.2, -1.2, 0.5, 1.3, -0.4]"},
    {"builtin:quadruped", "[1, 2, 3, 0.6, 0, 0, 0.8, 0.3, -0.6, 1.2, -0.5, 0.4, -0.9, 0.1, 0.8, -1, 0.2, -0.3, 0.7]"},
};
enum { ROBOTS = sizeof robots / sizeof *robots };

/* Rows of [nv] numbers of size 1; *n counts them all. */
static size_t write_numbers(char *text, size_t size, int nv, int *n) {
  size_t used = (size_t)snprintf(text, size, "[");
  for (int i = 0; i < nv; i++, ++*n)
    used += (size_t)snprintf(text + used, size - used, "%s%.15g", i ? ", " : "", sin(1 + 0.7 * *n * *n));
  return used + (size_t)snprintf(text + used, size - used, "]");
}

/* A state with a motion: q, tau, v_r, a_r, v_jets. */
static void write_motion(const robot *r, char *text, size_t size) {
  char line[128];
  snprintf(line, sizeof line, "%s --want g", r->name);
  json_t *o = evaluate(line, "{}");
  int nv = (int)number_at(o, "model.nv"), n = 0;
  json_decref(o);
  const char *const names[] = {"tau", "v_r", "a_r"};
  size_t used = (size_t)snprintf(text, size, "{\"q\": %s", r->q);
  for (int f = 0; f < 3; f++) {
    used += (size_t)snprintf(text + used, size - used, ", \"%s\": ", names[f]);
    used += write_numbers(text + used, size - used, nv, &n);
  }
  used += (size_t)snprintf(text + used, size - used, ", \"v_jets\": [");
  for (int k = 0; k < 5; k++) {
    used += (size_t)snprintf(text + used, size - used, "%s", k ? ", " : "");
    used += write_numbers(text + used, size - used, nv, &n);
  }
  used += (size_t)snprintf(text + used, size - used, "]}");
  assert_true(used < size);
}

/* None of these robots has an armature. */
static void regressors_times_parameters_are_what_they_say(void **state) {
  (void)state;
  for (int i = 0; i < ROBOTS; i++) {
    char text[8192], line[256];
    write_motion(&robots[i], text, sizeof text);
    snprintf(line, sizeof line, "%s --order 3 --want pi,Y,Y_gravity,Y_energy,Y_momentum,tau,g,energy,momentum",
             robots[i].name);
    json_t *o = evaluate(line, text);
    check_product(o, "Y", "tau", 32);
    check_product(o, "Y_gravity", "g", 32);
    check_product(o, "Y_energy.kinetic", "energy.kinetic", 32);
    check_product(o, "Y_energy.potential", "energy.potential", 32);
    check_product(o, "Y_momentum", "momentum.spatial", 32);
    json_decref(o);
    snprintf(line, sizeof line, "%s --order 3 --want pi,Y_jets,tau_jets", robots[i].name);
    o = evaluate(line, text);
    assert_int_equal(json_array_size(at(o, "results.0.Y_jets")), 4);
    for (int k = 0; k <= 3; k++) { /* rows of different sizes, so each by its own */
      char regressor[32], quantity[32];
      snprintf(regressor, sizeof regressor, "Y_jets.%d", k);
      snprintf(quantity, sizeof quantity, "tau_jets.%d", k);
      check_product(o, regressor, quantity, 128);
    }
    json_decref(o);
  }
}

/* Y pi = M a_r + C v_r + g; without v_r and a_r they are zero. */
static void slotine_and_li_s_regressor_has_the_matrices_of_other_names(void **state) {
  (void)state;
  static double Y[MOST], pi[MOST], M[MOST], C[MOST], g[MOST], out[64], expected[64], x[64];
  for (int i = 0; i < ROBOTS; i++) {
    char text[8192], line[256];
    write_motion(&robots[i], text, sizeof text);
    snprintf(line, sizeof line, "%s --want pi,Y_slotine_li,M,C,g", robots[i].name);
    json_t *o = evaluate(line, text), *given = json_loads(text, 0, NULL);
    int nv = get(o, "g", expected), count = get(o, "pi", pi);
    get(o, "M", M), get(o, "C", C);
    const double *const matrix[2] = {M, C};
    const char *const fields[2] = {"a_r", "v_r"};
    for (int f = 0; f < 2; f++) {
      assert_int_equal(flatten(json_object_get(given, fields[f]), x, 0, 64), nv);
      multiply(matrix[f], x, nv, nv, out);
      for (int k = 0; k < nv; k++) expected[k] += out[k];
    }
    assert_int_equal(get(o, "Y_slotine_li", Y), nv * count);
    multiply(Y, pi, nv, count, out);
    check_equal(out, expected, nv, 64, "Y pi = M a_r + C v_r + g");
    json_decref(given);
    json_decref(o);
  }
  json_t *o = evaluate("planar.json --want Y_slotine_li,Y_gravity,pi", planar_state);
  assert_int_equal(get(o, "Y_slotine_li", Y), 40);
  assert_int_equal(get(o, "Y_gravity", g), 40);
  check_equal(Y, g, 40, 8, "v_r = a_r = 0");
  json_decref(o);
}

/* By names of joints, and the classic regressor when the reference is the motion. */
static void references_are_given_like_velocities(void **state) {
  (void)state;
  static double Y[MOST], other[MOST];
  json_t *o =
      evaluate("planar.json --want Y,Y_slotine_li",
               "{\"q\": [0.4, -1.1], \"v\": [0.9, -2], \"a\": [0, 3], \"v_r\": {\"elbow\": -2, \"shoulder\": 0.9},"
               " \"a_r\": {\"elbow\": 3}}");
  assert_int_equal(get(o, "Y", Y), get(o, "Y_slotine_li", other));
  check_equal(Y, other, 40, 0, "v_r = v, a_r = a");
  json_decref(o);
}

/* M and C are linear in pi, ddq is not: M da_dpi = -Y at the acceleration ddq. */
static void derivatives_by_the_parameters_obey_their_properties(void **state) {
  (void)state;
  static double D[MOST], Y[MOST], pi[MOST], M[MOST], sum[MOST], column[64], product[64], expected[64];
  const char *const names[2][2] = {{"dM_dpi", "M"}, {"dC_dpi", "C"}};
  char text[8192], line[256];
  for (int i = 0; i < 4; i++) { /* those with less than MOST numbers */
    write_motion(&robots[i], text, sizeof text);
    snprintf(line, sizeof line, "%s --want pi,dM_dpi,dC_dpi,M,C,ddq,da_dpi", robots[i].name);
    json_t *o = evaluate(line, text);
    int count = get(o, "pi", pi), square = get(o, "M", M), nv = (int)number_at(o, "model.nv");
    assert_int_equal(count, 10 * (int)json_array_size(at(o, "model.links")));
    for (int x = 0; x < 2; x++) {
      assert_int_equal(get(o, names[x][0], D), count * square);
      for (int k = 0; k < square; k++) sum[k] = 0;
      for (int k = 0; k < count * square; k++) sum[k % square] += D[k] * pi[k / square];
      get(o, names[x][1], Y);
      check_equal(sum, Y, square, 32, names[x][0]);
    }
    assert_int_equal(get(o, "da_dpi", D), nv * count);
    char *ddq = json_dumps(at(o, "results.0.ddq"), JSON_REAL_PRECISION(17)), *jets = strstr(text, ", \"v_jets\": [[");
    json_decref(o);
    assert_non_null(jets); /* at the same q, v: the first row of v_jets is v */
    *strchr(jets, ']') = 0;
    snprintf(jets + strlen(jets), sizeof text - (size_t)(jets - text) - strlen(jets), "], %s]}", ddq);
    free(ddq);
    snprintf(line, sizeof line, "%s --want Y", robots[i].name);
    o = evaluate(line, text);
    get(o, "Y", Y);
    double size = 1;
    for (int k = 0; k < nv * count; k++) size = fmax(size, fabs(Y[k]));
    for (int p = 0; p < count; p++) {
      for (int k = 0; k < nv; k++) column[k] = D[k * count + p], expected[k] = -Y[k * count + p];
      multiply(M, column, nv, nv, product);
      check_equal(product, expected, nv, 32 * size, "M da_dpi = -Y");
    }
    json_decref(o);
  }
}

/* ---- The output ---- */

/* From the result alone, as in docs/eval.md: links in the order of the parameters, only when these are wanted. */
static void links_are_listed_when_parameters_are_wanted(void **state) {
  (void)state;
  json_t *o = evaluate("mixed.json --want M", "{}");
  assert_null(json_object_get(at(o, "model"), "links"));
  json_decref(o);
  const char *const names[] = {"pi",     "Y",      "Y_slotine_li", "Y_gravity", "Y_energy", "Y_momentum",
                               "Y_jets", "dg_dpi", "da_dpi",       "dM_dpi",    "dC_dpi"};
  const char *const links[] = {"trunk", "head", "camera", "hand", "finger"}; /* depth first */
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char line[64];
    snprintf(line, sizeof line, "mixed.json --want M,%s", names[i]);
    o = evaluate(line, "{}");
    const json_t *list = at(o, "model.links");
    assert_int_equal(json_array_size(list), 5);
    for (size_t l = 0; l < 5; l++) assert_string_equal(json_string_value(json_array_get(list, l)), links[l]);
    json_decref(o);
  }
}

static void check_mistake(const char *options, const char *states, const char *part) {
  char line[128];
  write_file("state.json", states);
  snprintf(line, sizeof line, "planar.json --input state.json %s", options);
  check_refusal(line, 1, part);
}

static void mistakes_are_reported(void **state) {
  (void)state;
  const char *want = "--want Y_slotine_li";
  check_mistake(want, "[{}, {\"v_r\": [1]}]", "state 1: v_r: takes 2 numbers, not 1");
  check_mistake(want, "{\"v_r\": {\"elbwo\": 1}}",
                "v_r: joint 'elbwo': the model has no such joint; did you mean 'elbow'?");
  check_mistake(want, "{\"a_r\": {\"elbow\": \"1\"}}", "state 0: a_r: joint 'elbow': takes a number, not a string");
  check_mistake(want, "{\"a_r\": 1}", "a_r: takes an object by joint names or an array of 2 numbers, not a number");
  check_mistake(want, "{\"v_R\": [1, 2]}", "unknown field 'v_R'; there are q, base, v,");
  check_mistake("--want tau", "{\"v_r\": [1]}", "v_r: takes 2 numbers, not 1"); /* also when it is not used */
  check_mistake("--want Y_jets --order 2", "{\"v_jets\": [[1, 2], [3, 4]]}",
                "v_jets: Y_jets of order 2 needs 4 rows, not 2");
  check_refusal("planar.json --want y", 2, "did you mean Y?");
}

static void impossible_requests_are_reported_before_anything_is_written(void **state) {
  (void)state;
  check_refusal("empty.json --want Y,da_dpi </dev/null", 1, "state 0: da_dpi: joint 'idle' has no effective inertia");
  json_decref(evaluate("empty.json --want Y,dM_dpi,Y_jets", "{}")); /* these need no inverse */
  check_refusal("builtin:chain:600 --want Y,dM_dpi </dev/null", 1,
                "state 0: dM_dpi: its array is too large for a model with nv =");
  check_refusal("builtin:chain:600 --want dC_dpi </dev/null", 1,
                "state 0: dC_dpi: its array is too large for a model with nv =");
  check_refusal("builtin:chain:5000 --want Y_jets --order 8 </dev/null", 1,
                "state 0: Y_jets: its array is too large for a model with nv =");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_planar_arm_has_the_regressor_of_the_textbook),
      cmocka_unit_test(the_pendulum_has_the_regressors_of_its_equation),
      cmocka_unit_test(regressors_times_parameters_are_what_they_say),
      cmocka_unit_test(slotine_and_li_s_regressor_has_the_matrices_of_other_names),
      cmocka_unit_test(references_are_given_like_velocities),
      cmocka_unit_test(derivatives_by_the_parameters_obey_their_properties),
      cmocka_unit_test(links_are_listed_when_parameters_are_wanted),
      cmocka_unit_test(mistakes_are_reported),
      cmocka_unit_test(impossible_requests_are_reported_before_anything_is_written),
  };
  return cmocka_run_group_tests(tests, make_robots, remove_directory);
}
