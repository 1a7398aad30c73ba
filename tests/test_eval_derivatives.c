/* SPDX-License-Identifier: BSD-2-Clause */
/* The derivatives of `jounce eval` against equations of motion that are differentiated by hand, and against each other:
 * properties that tie inverse, forward and hybrid dynamics, with and without losses. */
#include "eval_help.h"

/* The pendulum with a link "bob" at the end of its rod, 0.9 m from the hinge. */
static const char crane[] =
    "{\"name\": \"crane\", \"bodies\": [{\"name\": \"rod\", \"joint\": {\"name\": \"hinge\", \"type\": \"revolute\","
    " \"axis\": [0, 1, 0]}, \"inertia\": {\"mass\": 2, \"com\": [0, 0, -0.5], \"tensor\": [0.1, 0.1, 0.1, 0, 0, 0]}},"
    "{\"name\": \"bob\", \"parent\": \"rod\", \"placement\": {\"position\": [0, 0, -0.9]}}]}";

/* A cart with a pole, and a rider that follows the cart: damping 0.3 + 0.5^2 0.8 = 0.5 of the cart, 0.1 of the pole. */
static const char cart[] =
    "{\"name\": \"cart\", \"bodies\": ["
    "{\"name\": \"cart\", \"joint\": {\"name\": \"rail\", \"type\": \"prismatic\", \"axis\": [1, 0, 0],"
    " \"damping\": 0.3, \"friction\": 2}, \"inertia\": {\"mass\": 1.5}},"
    "{\"name\": \"pole\", \"parent\": \"cart\", \"joint\": {\"name\": \"pivot\", \"type\": \"revolute\","
    " \"axis\": [0, 1, 0], \"damping\": 0.1, \"friction\": 0.2},"
    " \"inertia\": {\"mass\": 0.7, \"com\": [0, 0, 0.6], \"tensor\": [0.02, 0.03, 0.01, 0, 0, 0]}},"
    "{\"name\": \"rider\", \"parent\": \"cart\", \"joint\": {\"name\": \"seat\", \"type\": \"prismatic\","
    " \"axis\": [1, 0, 0], \"damping\": 0.8, \"friction\": 0.4, \"mimic\": {\"joint\": \"rail\", \"ratio\": 0.5}},"
    " \"inertia\": {\"mass\": 0.4}}]}";
static const double cart_damping[2] = {0.5, 0.1};

static int make_all(void **state) {
  if (make_robots(state) != 0) return -1;
  write_file("crane.json", crane);
  write_file("cart.json", cart);
  return 0;
}

enum { MOST = 10 }; /* nv */

/* The numbers at `path` of the first result. */
static void get(json_t *root, const char *path, double *numbers, int count) {
  char whole[128];
  snprintf(whole, sizeof whole, "results.0.%s", path);
  assert_int_equal(flatten(at(root, whole), numbers, 0, count), count);
}

static void check_result(json_t *root, const char *path, const double *expected, int count, double tolerance) {
  char whole[128];
  snprintf(whole, sizeof whole, "results.0.%s", path);
  check_numbers(root, whole, expected, count, tolerance);
}

/* sum += sign A B, all [n x n] */
static void add_product(int n, double sign, const double *A, const double *B, double *sum) {
  for (int i = 0; i < n * n; i++) {
    for (int k = 0; k < n; k++) sum[i] += sign * A[i / n * n + k] * B[k * n + i % n];
  }
}

static void check_zero(const double *x, int count, double tolerance, const char *property) {
  for (int i = 0; i < count; i++) {
    if (!(fabs(x[i]) <= tolerance * jn_variant_epsilon())) fail_msg("%s: %g at %d", property, x[i], i);
  }
}

/* ---- Equations differentiated by hand ---- */

static void the_pendulum_has_the_derivatives_of_its_equation(void **state) {
  (void)state;
  /* J a + w sin q = tau */
  double inertia = 0.1 + 2 * 0.25, weight = 2 * G * 0.5, s = weight * sin(0.7), c = weight * cos(0.7);
  json_t *o = evaluate(
      "pendulum.json --want dtau_dq,dtau_dv,dtau_da,dtau_dwrench,da_dq,da_dv,da_dtau,da_dwrench,"
      "dg_dq,dM_dq,dMinv_dq,dC_dq,dC_dv,dMdot_dq,dMdot_dv,d2tau,d2a",
      "{\"q\": [0.7], \"v\": [-1.3], \"a\": [2.5], \"tau\": [4]}");
  const struct {
    const char *path;
    double value;
  } expected[] = {{"dtau_dq", c},       {"dtau_dv", 0},
                  {"dtau_da", inertia}, {"da_dq", -c / inertia},
                  {"da_dv", 0},         {"da_dtau", 1 / inertia},
                  {"dg_dq", c},         {"dM_dq", 0},
                  {"dMinv_dq", 0},      {"dC_dq", 0},
                  {"dC_dv", 0},         {"dMdot_dq", 0},
                  {"dMdot_dv", 0},      {"d2tau.dqdq", -s},
                  {"d2tau.dqdv", 0},    {"d2tau.dvdv", 0},
                  {"d2tau.dqda", 0},    {"d2a.dqdq", s / inertia},
                  {"d2a.dqdv", 0},      {"d2a.dvdv", 0},
                  {"d2a.dqdtau", 0}};
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
    check_result(o, expected[i].path, &expected[i].value, 1, 16);
  }
  check_result(o, "dtau_dwrench.rod", (double[]){0, -1, 0, 0, 0, 0}, 6, 8);
  check_result(o, "da_dwrench.rod", (double[]){0, 1 / inertia, 0, 0, 0, 0}, 6, 8);
  json_decref(o);
}

/* The planar arm with h = dm12/dq2, k = dh/dq2:
 *   tau1 = m11 a1 + m12 a2 + h (2 v1 v2 + v2^2) + g1 - 0.3, tau2 = m12 a1 + m22 a2 - h v1^2 + g2 - 0.3,
 *   dm11/dq2 = 2 h, m22 constant, g1 = A cos q1 + B cos(q1 + q2), g2 = B cos(q1 + q2) */
static void the_planar_arm_has_the_derivatives_of_the_textbook(void **state) {
  (void)state;
  const double q1 = 0.4, q2 = -1.1, v1 = 0.9, v2 = -2, a1 = -0.5, a2 = 3, A = (3 * 0.3 + 2 * 0.7) * G, B = 2 * 0.25 * G;
  const double h = -2 * 0.7 * 0.25 * sin(q2), k = -2 * 0.7 * 0.25 * cos(q2), b = 2 * v1 * v2 + v2 * v2;
  const double c1 = A * cos(q1), c12 = B * cos(q1 + q2), s12 = B * sin(q1 + q2), s1 = A * sin(q1);
  json_t *o =
      evaluate("planar.json --want dtau_dq,dtau_dv,dtau_da,M,dg_dq,dM_dq,dMdot_dq,dMdot_dv,d2tau", planar_state);
  check_result(o, "dtau_dq", (double[]){-s1 - s12, 2 * h * a1 + h * a2 + k * b - s12, -s12, h * a1 - k * v1 * v1 - s12},
               4, 16);
  double dv[4] = {2 * h * v2, 2 * h * (v1 + v2), -2 * h * v1, 0}, M[4], zero[4] = {0};
  check_result(o, "dtau_dv", dv, 4, 16);
  get(o, "M", M, 4);
  check_result(o, "dtau_da", M, 4, 8);
  check_result(o, "dg_dq", (double[]){-s1 - s12, -s12, -s12, -s12}, 4, 16);
  double dM[4] = {2 * h, h, h, 0};
  check_result(o, "dM_dq.0", zero, 4, 8);
  check_result(o, "dM_dq.1", dM, 4, 8);
  check_result(o, "dMdot_dq.0", zero, 4, 8);
  check_result(o, "dMdot_dq.1", (double[]){2 * k * v2, k * v2, k * v2, 0}, 4, 8);
  check_result(o, "dMdot_dv.0", zero, 4, 8);
  check_result(o, "dMdot_dv.1", dM, 4, 8);
  check_result(o, "d2tau.dqda.1", dM, 4, 8);
  check_result(o, "d2tau.dqdq.0", (double[]){-c1 - c12, -c12, -c12, -c12}, 4, 16);
  double qq[4] = {-c12, 2 * k * a1 + k * a2 - h * b - c12, -c12, k * a1 + h * v1 * v1 - c12};
  check_result(o, "d2tau.dqdq.1", qq, 4, 16);
  check_result(o, "d2tau.dqdv.0", zero, 4, 16);
  check_result(o, "d2tau.dqdv.1", (double[]){2 * k * v2, 2 * k * (v1 + v2), -2 * k * v1, 0}, 4, 16);
  check_result(o, "d2tau.dvdv.0", (double[]){0, 2 * h, -2 * h, 0}, 4, 16);
  check_result(o, "d2tau.dvdv.1", (double[]){2 * h, 2 * h, 0, 0}, 4, 16);
  json_decref(o);
}

/* Mdot - 2 C is skew in every state, so are its derivatives; and C v is what tau has of v. */
static void the_derivatives_of_the_coriolis_matrix_are_those_of_its_laws(void **state) {
  (void)state;
  double v[2] = {0.9, -2}, C[4], dCq[8], dCv[8], dMq[8], dMv[8], dv[4];
  json_t *o = evaluate("planar.json --want C,dC_dq,dC_dv,dMdot_dq,dMdot_dv,dtau_dv", planar_state);
  get(o, "C", C, 4), get(o, "dC_dq", dCq, 8), get(o, "dC_dv", dCv, 8), get(o, "dtau_dv", dv, 4);
  get(o, "dMdot_dq", dMq, 8), get(o, "dMdot_dv", dMv, 8);
  for (int h = 0; h < 2; h++) {
    for (int i = 0; i < 4; i++) {
      int here = 4 * h + i, across = 4 * h + 2 * (i % 2) + i / 2;
      double skew[2] = {dMq[here] - dCq[here] - dCq[across], dMv[here] - dCv[here] - dCv[across]};
      check_zero(skew, 2, 16, "Mdot = C + C^T");
    }
    for (int i = 0; i < 2; i++) {
      double property = dCv[4 * h + 2 * i] * v[0] + dCv[4 * h + 2 * i + 1] * v[1] + C[2 * i + h] - dv[2 * i + h];
      check_zero(&property, 1, 32, "d(C v)/dv = dtau/dv");
    }
  }
  json_decref(o);
}

/* The tangent space: gravity of a free body, m g R^T e_z in its own axes, changes by -e_k x of it when the body turns
 * about its own axis k, and does not when it moves. */
static void directions_of_a_free_body_are_its_own_axes(void **state) {
  (void)state;
  double weight = 3 * G, upright[36] = {[4 * 6 + 0] = weight, [3 * 6 + 1] = -weight};
  json_t *o = evaluate("block.json --floating --want dg_dq", "{}");
  check_result(o, "dg_dq", upright, 36, 16);
  json_decref(o);
  double turned[36] = {[5 * 6 + 0] = -weight, [3 * 6 + 2] = weight}; /* the world's z is the body's y */
  o = evaluate("block.json --floating --want dg_dq",
               "{\"base\": {\"orientation\": [0.7071067811865476, 0, 0, 0.7071067811865476]}}");
  check_result(o, "dg_dq", turned, 36, 16);
  json_decref(o);
}

/* ---- Properties ---- */

/* Adds the acceleration that forward dynamics gives to a state (text without braces), so that inverse and forward
 * dynamics are at the same point; evaluates `words` there. */
static json_t *evaluate_moving(const char *words, const char *options, const char *text) {
  char line[512], states[2048];
  snprintf(line, sizeof line, "%s --want ddq", options);
  snprintf(states, sizeof states, "{%s}", text);
  json_t *o = evaluate(line, states);
  char *ddq = json_dumps(at(o, "results.0.ddq"), JSON_REAL_PRECISION(17));
  json_decref(o);
  snprintf(line, sizeof line, "%s --want %s", options, words);
  snprintf(states, sizeof states, "{%s, \"a\": %s}", text, ddq);
  free(ddq);
  return evaluate(line, states);
}

/* tau(q, v, a(q, v, tau, W), W) = tau, differentiated: dtau/dx + M da/dx = 0, and da/dtau = M^-1. */
static void check_forward_against_inverse(json_t *o, int n, double tolerance) {
  double M[MOST * MOST], first[MOST * MOST], second[MOST * MOST];
  get(o, "dtau_da", M, n * n);
  get(o, "Minv", first, n * n);
  check_result(o, "da_dtau", first, n * n, tolerance);
  const char *const pairs[2][2] = {{"dtau_dq", "da_dq"}, {"dtau_dv", "da_dv"}};
  for (int x = 0; x < 2; x++) {
    get(o, pairs[x][0], first, n * n);
    get(o, pairs[x][1], second, n * n);
    add_product(n, 1, M, second, first);
    check_zero(first, n * n, tolerance, pairs[x][1]);
  }
}

static const char forward_wants[] = "dtau_dq,dtau_dv,dtau_da,da_dq,da_dv,da_dtau,Minv";

static const char mixed_text[] =
    "\"q\": [1, 2, 3, 0.6, 0, 0, 0.8, 0, 0.6, 0, 0.8, 0.3], \"v\": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1],"
    " \"tau\": [6, 5, 4, 3, 2, 1, 0.5, -0.5, 1, 2],"
    " \"wrench\": {\"head\": [1, 2, 3, 4, 5, 6], \"camera\": [3, 2, 1, 0, -1, 2]}";

static void forward_dynamics_are_inverse_dynamics_solved(void **state) {
  (void)state;
  const char *const holds[] = {"body", "world", "aligned"};
  for (int i = 0; i < 3; i++) {
    char options[64];
    snprintf(options, sizeof options, "mixed.json --hold %s", holds[i]);
    json_t *o = evaluate_moving(forward_wants, options, mixed_text);
    check_forward_against_inverse(o, 10, 4096);
    json_decref(o);
  }
}

/* dtau/dW = -J^T in the link's axes, and dtau/dW + M da/dW = 0, with the rounding of the products. */
static void check_wrench(json_t *o, const char *link) {
  char path[64];
  double J[60], property[60], M[100], ddq[60], most = 0;
  snprintf(path, sizeof path, "J.%s", link);
  get(o, path, J, 60);
  for (int i = 0; i < 60; i++) property[i] = -J[i % 6 * 10 + i / 6];
  snprintf(path, sizeof path, "dtau_dwrench.%s", link);
  check_result(o, path, property, 60, 16);
  snprintf(path, sizeof path, "da_dwrench.%s", link);
  get(o, path, ddq, 60), get(o, "M", M, 100);
  for (int i = 0; i < 600; i++) {
    double product = M[i / 60 * 10 + i % 10] * ddq[6 * (i % 10) + i / 10 % 6];
    property[i / 10] += product;
    most = fmax(most, fabs(product));
  }
  check_zero(property, 60, 16 * most, path);
}

static void wrenches_act_through_the_jacobian(void **state) {
  (void)state;
  char text[1024];
  snprintf(text, sizeof text, "{%s}", mixed_text);
  json_t *o = evaluate("mixed.json --want dtau_dwrench,da_dwrench,M,J", text);
  const char *const links[] = {"trunk", "head", "hand", "finger", "camera"};
  for (int i = 0; i < 5; i++) check_wrench(o, links[i]);
  json_decref(o);
}

/* The same of hybrid dynamics: tau_dx = dtau/dx + M ddq_dx whatever is prescribed. With the rows that are given, this
 * is all there is to say. */
static void check_hybrid(const char *options, const char *prescribed, const int is_prescribed[2]) {
  char text[512];
  double a[2], M[4], inverse[4], ddq[4], tau[4];
  const char *moving =
      "\"q\": [0.2, 0.9], \"v\": [1.2, -0.8], \"a\": [-3, 4], \"tau\": [5, 6], \"wrench\": {\"pole\":"
      " [1, 2, 3, 4, 5, 6]}, \"prescribed\"";
  char line[128];
  snprintf(line, sizeof line, "cart.json %s --want hybrid,hybrid_d", options);
  snprintf(text, sizeof text, "{%s: %s}", moving, prescribed);
  json_t *hybrid = evaluate(line, text);
  get(hybrid, "hybrid.ddq", a, 2);
  snprintf(text, sizeof text,
           "{\"q\": [0.2, 0.9], \"v\": [1.2, -0.8], \"a\": [%.17g, %.17g],"
           " \"wrench\": {\"pole\": [1, 2, 3, 4, 5, 6]}}",
           a[0], a[1]);
  snprintf(line, sizeof line, "cart.json %s --want dtau_dq,dtau_dv,M", options);
  json_t *o = evaluate(line, text);
  get(o, "M", M, 4);
  const char *const names[3][3] = {{"dtau_dq", "hybrid_d.da_dq", "hybrid_d.dtau_dq"},
                                   {"dtau_dv", "hybrid_d.da_dv", "hybrid_d.dtau_dv"},
                                   {NULL, "hybrid_d.da_dgiven", "hybrid_d.dtau_dgiven"}};
  for (int x = 0; x < 3; x++) {
    memset(inverse, 0, sizeof inverse);
    if (names[x][0]) get(o, names[x][0], inverse, 4);
    get(hybrid, names[x][1], ddq, 4);
    get(hybrid, names[x][2], tau, 4);
    for (int i = 0; i < 4; i++) {
      double given = is_prescribed[i / 2] ? ddq[i] : tau[i];
      if (given != (x == 2 && i / 2 == i % 2)) fail_msg("%s: row %d is given: %g", names[x][1], i / 2, given);
      inverse[i] -= tau[i];
    }
    add_product(2, 1, M, ddq, inverse);
    check_zero(inverse, 4, 256, names[x][2]);
  }
  json_decref(o);
  json_decref(hybrid);
}

static void hybrid_dynamics_are_inverse_dynamics_too(void **state) {
  (void)state;
  const char *const options[] = {"", "--losses", "--losses --hold aligned"};
  for (int i = 0; i < 3; i++) {
    check_hybrid(options[i], "[]", (int[]){0, 0});
    check_hybrid(options[i], "[\"rail\"]", (int[]){1, 0});
    check_hybrid(options[i], "[\"pivot\"]", (int[]){0, 1});
    check_hybrid(options[i], "[\"rail\", \"pivot\"]", (int[]){1, 1});
  }
}

/* ---- Losses ---- */

static const char cart_text[] = "\"q\": [0.2, 0.9], \"v\": [1.2, -0.8], \"tau\": [5, 6]";

static void damping_is_the_derivative_of_the_losses(void **state) {
  (void)state;
  double dv[4];
  json_t *lossy = evaluate_moving(forward_wants, "cart.json --losses", cart_text);
  check_forward_against_inverse(lossy, 2, 256);
  json_t *plain = evaluate_moving(forward_wants, "cart.json", cart_text);
  check_forward_against_inverse(plain, 2, 256);
  get(plain, "dtau_dv", dv, 4);
  for (int i = 0; i < 2; i++) dv[3 * i] += cart_damping[i];
  check_result(lossy, "dtau_dv", dv, 4, 16);
  json_decref(lossy);
  json_decref(plain);
}

/* dtau/dv + M da/dv = 0, differentiated by q along the motion that forces make:
 * d2tau/dqdv + dM/dq da/dv + M d2a/dqdv = 0; the damping is in da/dv. */
static void second_derivatives_know_the_losses(void **state) {
  (void)state;
  double M[4], dM[8], dv[4], second[8], property[8];
  json_t *o = evaluate_moving("dtau_da,da_dv,dM_dq,d2tau,d2a", "cart.json --losses", cart_text);
  get(o, "dtau_da", M, 4), get(o, "dM_dq", dM, 8), get(o, "da_dv", dv, 4);
  get(o, "d2tau.dqdv", property, 8), get(o, "d2a.dqdv", second, 8);
  for (int h = 0; h < 2; h++) {
    add_product(2, 1, dM + 4 * h, dv, property + 4 * h);
    add_product(2, 1, M, second + 4 * h, property + 4 * h);
  }
  check_zero(property, 8, 256, "d2a.dqdv");
  json_t *plain = evaluate_moving("d2tau,d2a", "cart.json", cart_text);
  get(plain, "d2a.dqdv", property, 8);
  double change = 0;
  for (int i = 0; i < 8; i++) change = fmax(change, fabs(second[i] - property[i]));
  assert_true(change > 0.01); /* or nothing was shown */
  get(plain, "d2a.dvdv", property, 8);
  check_result(o, "d2a.dvdv", property, 8, 64);
  json_decref(plain);
  json_decref(o);
}

/* ---- Time derivatives ---- */

static void torque_rates_have_the_derivatives_of_their_equations(void **state) {
  (void)state;
  /* tau = J a + w sin q, tau' = J j + w cos q v, tau'' = J s + w cos q a - w sin q v^2, by q, v, a, j, s */
  double inertia = 0.1 + 2 * 0.25, s = 2 * G * 0.5 * sin(0.7), c = 2 * G * 0.5 * cos(0.7), v = -1.3, a = 2.5;
  double D[15] = {c,
                  0,
                  inertia,
                  0,
                  0, /* tau */
                  -s * v,
                  c,
                  0,
                  inertia,
                  0, /* tau' */
                  -s * a - c * v * v,
                  -2 * s * v,
                  c,
                  0,
                  inertia};
  const char *motion = "{\"q\": [0.7], \"v_jets\": [[-1.3], [2.5], [-4], [6]]}";
  json_t *o = evaluate("pendulum.json --want dtau_jets --order 2", motion);
  check_result(o, "dtau_jets", D, 15, 16);
  json_decref(o);
  D[1] += 0.5, D[7] += 0.5, D[13] += 0.5; /* damping in d tau^(k) / d v^(k) */
  o = evaluate("pendulum.json --want dtau_jets --order 2 --losses", motion);
  check_result(o, "dtau_jets", D, 15, 16);
  json_decref(o);
}

static void torque_rates_of_order_0_are_torques(void **state) {
  (void)state;
  char text[1024];
  snprintf(text, sizeof text, "{%s, \"a\": [1, -2, 3, -4, 5, -6, 7, -8, 9, -10]}", mixed_text);
  json_t *o = evaluate("mixed.json --want dtau_jets,dtau_dq,dtau_dv,dtau_da --order 0", text);
  const char *const names[] = {"dtau_dq", "dtau_dv", "dtau_da"};
  for (int i = 0; i < 3; i++) {
    double expected[100];
    char path[32];
    get(o, names[i], expected, 100);
    snprintf(path, sizeof path, "dtau_jets.0.%d", i);
    check_result(o, path, expected, 100, 64);
  }
  assert_int_equal(json_array_size(at(o, "results.0.dtau_jets")), 1);
  assert_int_equal(json_array_size(at(o, "results.0.dtau_jets.0")), 3);
  json_decref(o);
}

/* ---- What happens to wrenches ---- */

/* A weight of 20 N at the bob needs W l sin q more at the hinge. Carried along in the world's axes (aligned), that has
 * the derivative W l cos q; a thruster (body) keeps its lever, and so does a force on a line fixed in the world. */
static void a_weight_is_not_a_thruster(void **state) {
  (void)state;
  const double q = 0.7, W = 20, l = 0.9, inertia = 0.1 + 2 * 0.25, w = 2 * G * 0.5;
  char text[256];
  snprintf(text, sizeof text, "{\"q\": [%.17g], \"a\": [1], \"wrench\": {\"bob\": [0, 0, 0, %.17g, 0, %.17g]}}", q,
           W * sin(q), -W * cos(q));
  const char *const holds[] = {"--hold body", "--hold world", "--hold aligned", ""};
  const double extra[] = {0, 0, W * l * cos(q), 0};
  for (int i = 0; i < 4; i++) {
    char line[128];
    snprintf(line, sizeof line, "crane.json %s --want tau,dtau_dq,da_dq", holds[i]);
    json_t *o = evaluate(line, text);
    double dq = w * cos(q) + extra[i];
    check_result(o, "tau", (double[]){inertia + (w + W * l) * sin(q)}, 1, 16);
    check_result(o, "dtau_dq", &dq, 1, 16);
    check_result(o, "da_dq", (double[]){-dq / inertia}, 1, 64);
    json_decref(o);
  }
}

/* A force (x, y) in the axes of the lower arm at the elbow of the planar arm; in the world's axes (fx, fy). The joints
 * carry -(p x f) and 0, with p the place of the elbow. */
static void a_force_on_the_elbow_changes_as_it_is_held(void **state) {
  (void)state;
  const double l = 0.7, q1 = 0.4, q2 = -1.1, x = 30, y = -20, c = cos(q1 + q2), s = sin(q1 + q2);
  const double fx = c * x - s * y, fy = s * x + c * y, turn = l * (sin(q1) * fy + cos(q1) * fx);
  const double changes[3][4] = {
      {0, -l * (cos(q2) * x - sin(q2) * y), 0, 0}, /* body: p x f = l (sin q2 x + cos q2 y) */
      {0, 0, -turn, 0},                            /* world: the shoulder's moment stays, p leaves the line */
      {turn, 0, 0, 0},                             /* aligned: p x f = l (cos q1 fy - sin q1 fx) */
  };
  const char *const holds[] = {"body", "world", "aligned"};
  for (int i = 0; i < 3; i++) {
    char line[128];
    snprintf(line, sizeof line, "planar.json --hold %s --want dtau_dq,dg_dq", holds[i]);
    json_t *o = evaluate(line, "{\"q\": [0.4, -1.1], \"wrench\": {\"lower\": [0, 0, 0, 30, -20, 0]}}");
    double expected[4];
    get(o, "dg_dq", expected, 4);
    for (int k = 0; k < 4; k++) expected[k] += changes[i][k];
    check_result(o, "dtau_dq", expected, 4, 64);
    json_decref(o);
  }
}

/* ---- Mistakes ---- */

static void wrong_usage_is_reported(void **state) {
  (void)state;
  check_refusal("planar.json --want dtau_dq --hold up", 2, "--hold takes body|world|aligned");
  check_refusal("planar.json --want dtau_dq,dtau_jets --hold world", 2, "dtau_jets holds wrenches in the body only");
  check_refusal("planar.json --want dtau_dQ", 2, "did you mean dtau_dq?");
  write_file("state.json", "{\"v_jets\": [[1, 2], [3, 4]]}");
  check_refusal("planar.json --want dtau_jets --order 2 --input state.json", 1,
                "v_jets: dtau_jets of order 2 needs 4 rows, not 2");
}

static void impossible_requests_are_reported_before_anything_is_written(void **state) {
  (void)state;
  const char *const solved[] = {"da_dq", "da_dv", "da_dtau", "da_dwrench", "hybrid_d", "dMinv_dq", "d2a"};
  for (size_t i = 0; i < sizeof solved / sizeof *solved; i++) {
    char line[64], part[64];
    snprintf(line, sizeof line, "empty.json --want M,%s </dev/null", solved[i]);
    snprintf(part, sizeof part, "state 0: %s: joint 'idle' has no effective inertia", solved[i]);
    check_refusal(line, 1, part);
  }
  json_t *o = evaluate("empty.json --want dtau_dq,dM_dq,d2tau,dtau_jets", "{}"); /* these need no inverse */
  json_decref(o);
  check_refusal("builtin:chain:1300 --want M,dM_dq </dev/null", 1,
                "state 0: dM_dq: its array is too large for a model with nv =");
  check_refusal("builtin:chain:1300 --want d2tau </dev/null", 1,
                "state 0: d2tau: its array is too large for a model with nv =");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_pendulum_has_the_derivatives_of_its_equation),
      cmocka_unit_test(the_planar_arm_has_the_derivatives_of_the_textbook),
      cmocka_unit_test(the_derivatives_of_the_coriolis_matrix_are_those_of_its_laws),
      cmocka_unit_test(directions_of_a_free_body_are_its_own_axes),
      cmocka_unit_test(forward_dynamics_are_inverse_dynamics_solved),
      cmocka_unit_test(wrenches_act_through_the_jacobian),
      cmocka_unit_test(hybrid_dynamics_are_inverse_dynamics_too),
      cmocka_unit_test(damping_is_the_derivative_of_the_losses),
      cmocka_unit_test(second_derivatives_know_the_losses),
      cmocka_unit_test(torque_rates_have_the_derivatives_of_their_equations),
      cmocka_unit_test(torque_rates_of_order_0_are_torques),
      cmocka_unit_test(a_weight_is_not_a_thruster),
      cmocka_unit_test(a_force_on_the_elbow_changes_as_it_is_held),
      cmocka_unit_test(wrong_usage_is_reported),
      cmocka_unit_test(impossible_requests_are_reported_before_anything_is_written),
  };
  return cmocka_run_group_tests(tests, make_all, remove_directory);
}
