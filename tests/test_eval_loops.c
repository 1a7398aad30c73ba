/* SPDX-License-Identifier: BSD-2-Clause */
/* `jounce eval` on models with loops: a parallelogram, whose one equation of motion is known, and the built-in
 * mechanisms. */
#include "eval_help.h"

#if JN_WITH_JSON

/* Bars of 0.4 m (crank, rocker) 1 m apart, joined by one of 1 m; about z, gravity along -y. At q = (c, -c, c) it is
 * closed. Masses 1, 1.3, 1.6 at half length, moments 0.03; damping 0.1, 0.2, 0.3. */
#define BAR(name, parent, place, joint, damping, mass, half)                                     \
  "{\"name\": \"" name "\", " parent "\"placement\": {\"position\": [" place                     \
  ", 0, 0]}, \"joint\": {\"name\": \"" joint "\", \"type\": \"revolute\", \"damping\": " damping \
  "}, \"inertia\": {\"mass\": " mass ", \"com\": [" half ", 0, 0], \"tensor\": [0.01, 0.025, 0.03, 0, 0, 0]}}"
#define BARS                                                                                                           \
  "{\"name\": \"parallelogram\", \"gravity\": [0, -9.81, 0], \"bodies\": [" BAR(                                       \
      "crank", "", "0", "drive", "0.1", "1", "0.2") ", " BAR("coupler", "\"parent\": \"crank\", ", "0.4", "pin",       \
                                                             "0.2", "1.3", "0.5") ", " BAR("rocker", "", "1", "swing", \
                                                                                           "0.3", "1.6", "0.2") "]"
static const char tree[] = BARS "}";
static const char closed[] = BARS
    ", \"loops\": [{\"name\": \"closing\", \"type\": \"revolute\","
    " \"a\": {\"body\": \"coupler\", \"placement\": {\"position\": [1, 0, 0]}},"
    " \"b\": {\"body\": \"rocker\", \"placement\": {\"position\": [0.4, 0, 0]}}}]}";

static const double inertia = 0.03 + 1 * 0.04 + 0.03 + 1.6 * 0.04 + 1.3 * 0.16;
static double weight(double c) { return 9.81 * cos(c) * (1 * 0.2 + 1.6 * 0.2 + 1.3 * 0.4); }

static int make_mechanisms(void **state) {
  if (make_robots(state) != 0) return -1;
  write_file("tree.json", tree);
  write_file("closed.json", closed);
  return 0;
}

static int remove_mechanisms(void **state) {
  unlink(in_directory("tree.json"));
  unlink(in_directory("closed.json"));
  return remove_directory(state);
}

/* The command refuses a state, with `part` on stderr. */
static void check_refused_state(const char *words, const char *states, const char *part) {
  char line[256];
  write_file("state.json", states);
  snprintf(line, sizeof line, "%s --input state.json", words);
  check_refusal(line, 1, part);
}

enum { CLOSE = 100000 }; /* roundings */

/* c = 0.7, dc/dt = 1.5, d2c/dt2 = -2 */
#define MOTION "\"q\": [0.7, -0.7, 0.7], \"v\": [1.5, -1.5, 1.5], \"a\": [-2, 2, -2]"

static void dynamics_are_those_of_the_one_equation(void **state) {
  (void)state;
  double moment = inertia * -2 + weight(0.7);
  json_t *out = evaluate("closed.json --want tau", "{" MOTION ", \"actuated\": [\"drive\"]}");
  check_numbers(out, "results.0.tau", (const double[]){moment, 0, 0}, 3, CLOSE);
  json_decref(out);
  double a = (3 - weight(0.7)) / inertia;
  out = evaluate("closed.json --want ddq", "{" MOTION ", \"tau\": {\"drive\": 3}}");
  check_numbers(out, "results.0.ddq", (const double[]){a, -a, a}, 3, CLOSE);
  json_decref(out);
  out = evaluate("closed.json --want hybrid", "{" MOTION ", \"tau\": {\"swing\": 0.5}, \"prescribed\": [\"drive\"]}");
  check_numbers(out, "results.0.hybrid.ddq", (const double[]){-2, 2, -2}, 3, CLOSE);
  check_numbers(out, "results.0.hybrid.tau", (const double[]){moment - 0.5, 0, 0.5}, 3, CLOSE);
  json_decref(out);
}

static void damping_of_passive_joints_counts(void **state) {
  (void)state;
  double loss = (0.1 + 0.2 + 0.3) * 1.5, rate = (0.1 + 0.2 + 0.3) * -2;
  json_t *out = evaluate("closed.json --losses --want tau,tau_jets", "{" MOTION ", \"actuated\": [\"drive\"]}");
  json_t *bare = evaluate("closed.json --want tau,tau_jets", "{" MOTION ", \"actuated\": [\"drive\"]}");
  double moment = inertia * -2 + weight(0.7) + loss, jerk = number_at(bare, "results.0.tau_jets.1.0") + rate;
  check_numbers(out, "results.0.tau", (const double[]){moment, 0, 0}, 3, CLOSE);
  check_numbers(out, "results.0.tau_jets", (const double[]){moment, 0, 0, jerk, 0, 0}, 6, CLOSE);
  json_decref(bare);
  json_decref(out);
  double a = (3 - loss - weight(0.7)) / inertia;
  out = evaluate("closed.json --losses --want ddq", "{" MOTION ", \"tau\": {\"drive\": 3}}");
  check_numbers(out, "results.0.ddq", (const double[]){a, -a, a}, 3, CLOSE);
  json_decref(out);
}

/* Forces T of the crank do the same work as -T of the pin and T of the rocker. */
static void redundant_motors_share_the_load(void **state) {
  (void)state;
  double T = inertia * -2 + weight(0.7), tau[3];
  static const char motors[] = "{" MOTION ", \"actuated\": [\"drive\", \"pin\", \"swing\"]}";
  json_t *out = evaluate("closed.json --want tau", motors);
  check_numbers(out, "results.0.tau", (const double[]){T / 3, -T / 3, T / 3}, 3, CLOSE);
  json_decref(out);
  out = evaluate("closed.json --solution torque --want tau", "{" MOTION ", \"actuated\": [\"drive\", \"swing\"]}");
  check_numbers(out, "results.0.tau", (const double[]){T / 2, 0, T / 2}, 3, CLOSE);
  json_decref(out);
  /* the least multipliers: other torques, the same motion, and less of lambda than the least torques have */
  out = evaluate("closed.json --solution force --want tau", motors);
  flatten(at(out, "results.0.tau"), tau, 0, 3);
  json_decref(out);
  assert_true(fabs(tau[0] - tau[1] + tau[2] - T) < 1e-9);
  assert_true(fabs(tau[0] - T / 3) > 1e-3);
  char states[512];
  snprintf(states, sizeof states,
           "[{" MOTION ", \"tau\": [%.17g, %.17g, %.17g]}, {" MOTION ", \"tau\": [%.17g, %.17g, %.17g]}]", tau[0],
           tau[1], tau[2], T / 3, -T / 3, T / 3);
  out = evaluate("closed.json --want lambda", states);
  double lambda[2][5], size[2] = {0};
  for (int i = 0; i < 2; i++) {
    assert_int_equal(flatten(at(out, i ? "results.1.lambda" : "results.0.lambda"), lambda[i], 0, 5), 5);
    for (int k = 0; k < 5; k++) size[i] += lambda[i][k] * lambda[i][k];
  }
  assert_true(size[0] < size[1]);
  json_decref(out);
}

/* M a + bias = tau + A^T lambda, A a + dA v = 0 are the equations that ddq and lambda solve. */
static void multipliers_and_accelerations_obey_the_equations(void **state) {
  (void)state;
  json_t *out =
      evaluate("closed.json --want ddq,lambda,A,M,bias,constraint,mobility", "{" MOTION ", \"tau\": [3, 0.4, -0.7]}");
  double ddq[3], lambda[5], A[15], M[9], bias[3], zero[5] = {0}, left[3];
  const double tau[3] = {3, 0.4, -0.7};
  assert_int_equal(flatten(at(out, "results.0.ddq"), ddq, 0, 3), 3);
  assert_int_equal(flatten(at(out, "results.0.lambda"), lambda, 0, 5), 5);
  assert_int_equal(flatten(at(out, "results.0.A"), A, 0, 15), 15);
  assert_int_equal(flatten(at(out, "results.0.M"), M, 0, 9), 9);
  assert_int_equal(flatten(at(out, "results.0.bias"), bias, 0, 3), 3);
  for (int i = 0; i < 3; i++) {
    left[i] = bias[i] - tau[i];
    for (int k = 0; k < 3; k++) left[i] += M[3 * i + k] * ddq[k];
    for (int r = 0; r < 5; r++) left[i] -= A[3 * r + i] * lambda[r];
    assert_true(fabs(left[i]) < 1e-10);
  }
  assert_true(fabs(ddq[0] + ddq[1]) < 1e-10 && fabs(ddq[0] - ddq[2]) < 1e-10);
  check_numbers(out, "results.0.constraint", zero, 5, 10);
  assert_int_equal((int)number_at(out, "results.0.mobility.rows"), 5);
  assert_int_equal((int)number_at(out, "results.0.mobility.rank"), 2);
  assert_int_equal((int)number_at(out, "results.0.mobility.mobility"), 1);
  json_decref(out);
}

/* Time derivatives: c and all its derivatives are those of all three joints, with their signs. */
static void ddq_jets_of_tau_jets_give_the_motion_back(void **state) {
  (void)state;
  static const char rows[] = "\"v_jets\": [[1.5, -1.5, 1.5], [-2, 2, -2], [0.7, -0.7, 0.7], [4, -4, 4], [-3, 3, -3]]";
  char text[1024];
  snprintf(text, sizeof text, "{\"q\": [0.7, -0.7, 0.7], %s, \"actuated\": [\"drive\", \"swing\"]}", rows);
  json_t *inverse = evaluate("closed.json --order 3 --want tau_jets", text);
  double moment = inertia * -2 + weight(0.7);
  check_numbers(inverse, "results.0.tau_jets.0", (const double[]){moment / 2, 0, moment / 2}, 3, CLOSE);
  char *tau = json_dumps(at(inverse, "results.0.tau_jets"), 0);
  snprintf(text, sizeof text, "{\"q\": [0.7, -0.7, 0.7], \"v\": [1.5, -1.5, 1.5], \"tau_jets\": %s}", tau);
  json_t *forward = evaluate("closed.json --order 3 --want ddq_jets", text);
  const double motion[12] = {-2, 2, -2, 0.7, -0.7, 0.7, 4, -4, 4, -3, 3, -3};
  check_numbers(forward, "results.0.ddq_jets", motion, 12, 100 * CLOSE);
  snprintf(text, sizeof text, "{\"q\": [0.7, -0.7, 0.7], %s, \"prescribed\": [\"drive\"], \"tau_jets\": %s}", rows,
           tau);
  json_t *hybrid = evaluate("closed.json --order 3 --want hybrid_jets", text);
  double expected[12];
  check_numbers(hybrid, "results.0.hybrid_jets.ddq", motion, 12, 100 * CLOSE);
  flatten(at(inverse, "results.0.tau_jets"), expected, 0, 12);
  check_numbers(hybrid, "results.0.hybrid_jets.tau", expected, 12, 100 * CLOSE);
  free(tau);
  json_decref(hybrid);
  json_decref(forward);
  json_decref(inverse);
}

/* ---- Derivatives: along q = (c, -c, c) all is a function of c ---- */

/* D (1, -1, 1)^T for the matrix at a path: the change with c. */
static void along(json_t *out, const char *path, double change[3]) {
  double D[9];
  assert_int_equal(flatten(at(out, path), D, 0, 9), 9);
  for (int i = 0; i < 3; i++) change[i] = D[3 * i] - D[3 * i + 1] + D[3 * i + 2];
}

static void check_along(json_t *out, const char *path, double x, double y, double z) {
  double change[3];
  const double expected[3] = {x, y, z};
  along(out, path, change);
  for (int i = 0; i < 3; i++) {
    if (fabs(change[i] - expected[i]) > CLOSE * jn_variant_epsilon())
      fail_msg("%s along c, row %d: %.17g, not %.17g", path, i, change[i], expected[i]);
  }
}

static double weight_rate(double c) { return -9.81 * sin(c) * (1 * 0.2 + 1.6 * 0.2 + 1.3 * 0.4); }

static void derivatives_are_those_of_the_one_equation(void **state) {
  (void)state;
  json_t *out = evaluate("closed.json --losses --want dtau_dq,dtau_dv,dtau_da,da_dq,da_dv,da_dtau,hybrid_d,da_dpi",
                         "{" MOTION ", \"actuated\": [\"drive\"], \"prescribed\": [\"drive\"], \"tau\": [3, 0, 0]}");
  double slope = weight_rate(0.7) / inertia, friction = 0.6 / inertia;
  check_along(out, "results.0.dtau_dq", weight_rate(0.7), 0, 0);
  check_along(out, "results.0.dtau_dv", 0.6, 0, 0); /* there are no Coriolis forces */
  check_along(out, "results.0.dtau_da", inertia, 0, 0);
  check_along(out, "results.0.da_dq", -slope, slope, -slope);
  check_along(out, "results.0.da_dv", -friction, friction, -friction);
  const double one = 1 / inertia;
  check_numbers(out, "results.0.da_dtau", (const double[]){one, -one, one, -one, one, -one, one, -one, one}, 9, CLOSE);
  check_along(out, "results.0.hybrid_d.dtau_dq", weight_rate(0.7), 0, 0);
  check_along(out, "results.0.hybrid_d.dtau_dv", 0.6, 0, 0);
  check_along(out, "results.0.hybrid_d.da_dq", 0, 0, 0);
  /* more a of the drive, and forces of the others, which do its work */
  check_numbers(out, "results.0.hybrid_d.dtau_dgiven", (const double[]){inertia, 1, -1, 0, 1, 0, 0, 0, 1}, 9, CLOSE);
  check_numbers(out, "results.0.hybrid_d.da_dgiven", (const double[]){1, 0, 0, -1, 0, 0, 1, 0, 0}, 9, CLOSE);
  json_decref(out);
}

/* Three motors: the least torques are T/3 (1, -1, 1), and so are their changes. */
static void derivatives_of_shared_loads_are_shared(void **state) {
  (void)state;
  json_t *out = evaluate("closed.json --want dtau_dq,dtau_da,Y,pi,tau,dtau_dwrench",
                         "{" MOTION ", \"actuated\": [\"drive\", \"pin\", \"swing\"]}");
  double T = weight_rate(0.7) / 3, tau[3] = {0}, Y[90], pi[30], J[18];
  check_along(out, "results.0.dtau_dq", T, -T, T);
  check_along(out, "results.0.dtau_da", inertia / 3, -inertia / 3, inertia / 3);
  assert_int_equal(flatten(at(out, "results.0.Y"), Y, 0, 90), 90);
  assert_int_equal(flatten(at(out, "results.0.pi"), pi, 0, 30), 30);
  for (int i = 0; i < 90; i++) tau[i / 30] += Y[i] * pi[i % 30];
  check_numbers(out, "results.0.tau", tau, 3, CLOSE);
  /* a force on the coupler at its end, in its y, does work 0.4 cos(c) a change of c: less torque by that */
  assert_int_equal(flatten(at(out, "results.0.dtau_dwrench.coupler"), J, 0, 18), 18);
  assert_true(fabs(J[4] + 0.4 * cos(0.7) / 3) < 1e-9);
  json_decref(out);
}

static void tensors_of_the_tree_are_refused(void **state) {
  (void)state;
  static const char *const names[] = {"d2tau", "d2a", "dtau_jets"};
  for (int i = 0; i < 3; i++) {
    char words[64];
    snprintf(words, sizeof words, "closed.json --want %s", names[i]);
    check_refused_state(words, "{" MOTION "}",
                        "is not known of models with loops; --loops ignore gives that of the tree");
    snprintf(words, sizeof words, "closed.json --loops ignore --want %s", names[i]);
    json_decref(evaluate(words, "{" MOTION "}"));
  }
  check_refused_state("closed.json --want dtau_dq", "{" MOTION "}", "dtau_dq: the field 'actuated' is missing");
  check_refused_state("closed.json --want Y", "{" MOTION "}", "Y: the field 'actuated' is missing");
  check_refused_state("closed.json --want joint_wrenches", "{" MOTION "}", "the field 'actuated' is missing");
  check_refused_state("closed.json --want da_dq", "{\"q\": [0.5, -0.5, 0.6]}", "q opens the loop 'closing' by");
}

/* ---- Multipliers ---- */

/* The multipliers of tau and those of ddq under these torques are the same, at every order; so are hybrid's. */
static void multipliers_of_all_three_agree(void **state) {
  (void)state;
  static const char rows[] = "\"v_jets\": [[1.5, -1.5, 1.5], [-2, 2, -2], [0.7, -0.7, 0.7], [4, -4, 4]]";
  char text[1024];
  double expected[15], found[15];
  snprintf(text, sizeof text, "{\"q\": [0.7, -0.7, 0.7], %s, \"actuated\": [\"drive\"]}", rows);
  json_t *inverse =
      evaluate("closed.json --order 2 --lambda tau --want tau_jets,lambda_jets,lambda,loop_wrenches", text);
  assert_int_equal(flatten(at(inverse, "results.0.lambda_jets"), expected, 0, 15), 15);
  check_numbers(inverse, "results.0.lambda", expected, 5, 10);
  char *tau = json_dumps(at(inverse, "results.0.tau_jets"), 0);
  for (int hybrid = 0; hybrid < 2; hybrid++) {
    snprintf(text, sizeof text, "{\"q\": [0.7, -0.7, 0.7], %s, \"tau_jets\": %s%s}",
             hybrid ? rows : "\"v\": [1.5, -1.5, 1.5]", tau, hybrid ? ", \"prescribed\": [\"drive\"]" : "");
    json_t *out = evaluate(hybrid ? "closed.json --order 2 --lambda hybrid --want lambda_jets"
                                  : "closed.json --order 2 --want lambda_jets",
                           text);
    assert_int_equal(flatten(at(out, "results.0.lambda_jets"), found, 0, 15), 15);
    for (int k = 0; k < 15; k++) assert_true(fabs(found[k] - expected[k]) < 1e-8 * (1 + fabs(expected[k])));
    json_decref(out);
  }
  /* the pin's force on the coupler and on the rocker are opposite: in the axes of the coupler, which does not turn, and
   * of the rocker, turned by 0.7 */
  double a[6], b[6], c = cos(0.7), s = sin(0.7);
  flatten(at(inverse, "results.0.loop_wrenches.closing.a"), a, 0, 6);
  flatten(at(inverse, "results.0.loop_wrenches.closing.b"), b, 0, 6);
  assert_true(fabs(a[3] + c * b[3] - s * b[4]) < 1e-10 && fabs(a[4] + s * b[3] + c * b[4]) < 1e-10);
  assert_true(hypot(a[3], a[4]) > 1 && fabs(a[2]) < 1e-10 && fabs(b[2]) < 1e-10);
  free(tau);
  json_decref(inverse);
}

/* Hinges carry no moment about their axis but that of the motor, and the coupler's hinge what its acceleration, its
 * weight and the closing pin leave. */
static void joint_wrenches_know_of_the_loop(void **state) {
  (void)state;
  json_t *out = evaluate("closed.json --lambda tau --want joint_wrenches,loop_wrenches,tau,joint_wrenches_jets",
                         "{" MOTION ", \"actuated\": [\"drive\"]}");
  double F[3][6], W[6], drive = number_at(out, "results.0.tau.0");
  flatten(at(out, "results.0.joint_wrenches.crank"), F[0], 0, 6);
  flatten(at(out, "results.0.joint_wrenches.coupler"), F[1], 0, 6);
  flatten(at(out, "results.0.joint_wrenches.rocker"), F[2], 0, 6);
  flatten(at(out, "results.0.loop_wrenches.closing.a"), W, 0, 6);
  assert_true(fabs(F[0][2] - drive) < 1e-10 && fabs(F[1][2]) < 1e-10 && fabs(F[2][2]) < 1e-10);
  /* the coupler moves on a circle of 0.4 */
  double ax = 0.4 * (-2 * -sin(0.7) - 2.25 * cos(0.7)), ay = 0.4 * (-2 * cos(0.7) - 2.25 * sin(0.7));
  assert_true(fabs(F[1][3] + W[3] - 1.3 * ax) < 1e-10 && fabs(F[1][4] + W[4] - 1.3 * (ay + 9.81)) < 1e-10);
  check_numbers(out, "results.0.joint_wrenches_jets.coupler.0", F[1], 6, CLOSE);
  json_decref(out);
}

/* ---- States that do not close the loops ---- */

static void open_states_are_refused_with_the_size_of_the_gap(void **state) {
  (void)state;
  /* 0.4 (sin 0.6 - sin 0.5) = 0.0341 */
  check_refused_state("closed.json --want ddq", "[{}, {\"q\": [0.5, -0.5, 0.6]}]",
                      "state 1: q opens the loop 'closing' by 0.0341, more than 1e-06; --assemble closes the loops\n");
  check_refused_state("closed.json --want lambda", "{\"q\": [0.5, -0.5, 0.50001]}", "state 0: q opens the loop");
  /* 0.4 cos 0 */
  check_refused_state("closed.json --want ddq", "{\"v\": [1, -1, 0]}", "v opens the loop 'closing' at a rate of 0.4");
  json_t *out = evaluate("closed.json --want M,constraint", "{\"q\": [0.5, -0.5, 0.6]}"); /* of the tree: no matter */
  double phi[5];
  assert_int_equal(flatten(at(out, "results.0.constraint"), phi, 0, 5), 5);
  double x = 0.4 * (cos(0.6) - cos(0.5)), y = 0.4 * (sin(0.6) - sin(0.5));
  assert_true(fabs(hypot(phi[0], phi[1]) - hypot(x, y)) < 1e-12);
  json_decref(out);
}

static void assemble_closes_the_loops_and_completes_the_motion(void **state) {
  (void)state;
  json_t *out = evaluate("closed.json --assemble --want tau,ddq",
                         "{\"q\": [0.7, -0.65, 0.8], \"v\": {\"drive\": 1.5}, \"a\": {\"drive\": -2}, \"tau\": "
                         "{\"drive\": 3}, \"held\": [\"drive\"], \"actuated\": [\"drive\"]}");
  double a = (3 - weight(0.7)) / inertia;
  check_numbers(out, "results.0.q", (const double[]){0.7, -0.7, 0.7}, 3, CLOSE);
  check_numbers(out, "results.0.v", (const double[]){1.5, -1.5, 1.5}, 3, CLOSE);
  check_numbers(out, "results.0.tau", (const double[]){inertia * -2 + weight(0.7), 0, 0}, 3, CLOSE);
  check_numbers(out, "results.0.ddq", (const double[]){a, -a, a}, 3, CLOSE);
  json_decref(out);
  out = evaluate("closed.json --assemble --want ddq", "{\"q\": [0.7, -0.65, 0.8], \"v\": [1, 0, 0]}");
  double q[3], v[3];
  flatten(at(out, "results.0.q"), q, 0, 3);
  flatten(at(out, "results.0.v"), v, 0, 3);
  assert_true(fabs(q[0] + q[1]) < 1e-9 && fabs(q[0] - q[2]) < 1e-9 && fabs(q[0] - 0.7) > 1e-3);
  check_numbers(out, "results.0.v", (const double[]){1.0 / 3, -1.0 / 3, 1.0 / 3}, 3, CLOSE); /* the nearest */
  json_decref(out);
  check_refused_state("closed.json --assemble --want ddq",
                      "{\"q\": [0.5, -0.5, 0.6], \"held\": [\"drive\", \"pin\", \"swing\"]}",
                      "the loops cannot be closed from this q with the held joints where they are; they stay open by");
}

/* A flap that turns about x, and whose axis y must be that of the world: closed at 0, and half a turn away its
 * conditions vanish too. */
static void half_a_turn_away_is_open(void **state) {
  (void)state;
  static const char *const kinds[] = {"weld", "revolute", "prismatic", "cylindrical", "planar", "sliding_surface"};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    char model[768], words[256], what[128];
    snprintf(model, sizeof model,
             "{\"name\": \"flap\", \"bodies\": [{\"name\": \"flap\", \"joint\": {\"name\": \"flap\", \"type\": "
             "\"revolute\", \"axis\": [1, 0, 0]}, \"inertia\": {\"mass\": 1, \"tensor\": [0.01, 0.01, 0.01, 0, 0, "
             "0]}}], \"loops\": [{\"name\": \"latch\", \"type\": \"%s\", \"axis\": [0, 1, 0], \"a\": {\"body\": "
             "\"world\"}, \"b\": {\"body\": \"flap\"}}]}",
             kinds[i]);
    write_file("flap.json", model);
    snprintf(what, sizeof what,
             "state 0: q opens the loop 'latch' by 3.14 (half a turn: its axes point opposite ways)");
    check_refused_state("flap.json --want ddq", "{\"q\": [3.141592653589793]}", what);
    check_refused_state("flap.json --assemble --want ddq", "{\"q\": [3.141592653589793], \"held\": [\"flap\"]}",
                        "the loops cannot be closed from this q with the held joints where they are; they stay open by "
                        "3.14\n");
    snprintf(words, sizeof words, "flap.json --assemble --want ddq");
    json_t *out = evaluate(words, "{\"q\": [3.141592653589793]}");
    double q;
    flatten(at(out, "results.0.q"), &q, 0, 1);
    assert_true(fabs(cos(q) - 1) < 1e-12);
    json_decref(out);
  }
  unlink(in_directory("flap.json"));
}

/* A gear beside another, in small units: both count. */
static void conditions_in_small_units_count(void **state) {
  (void)state;
  static const char *const factors[] = {"1", "1e-12", "1e50"};
  for (int i = 0; i < 3; i++) {
    char model[1024];
    snprintf(
        model, sizeof model,
        "{\"name\": \"geared\", \"bodies\": [{\"name\": \"a\", \"joint\": {\"name\": \"a\", \"type\": \"revolute\"}, "
        "\"inertia\": {\"mass\": 1, \"tensor\": [1, 1, 1, 0, 0, 0]}}, {\"name\": \"b\", \"joint\": {\"name\": \"b\", "
        "\"type\": \"revolute\"}, \"inertia\": {\"mass\": 1, \"tensor\": [1, 1, 1, 0, 0, 0]}}, {\"name\": \"c\", "
        "\"joint\": {\"name\": \"c\", \"type\": \"revolute\"}, \"inertia\": {\"mass\": 1, \"tensor\": [1, 1, 1, 0, 0, "
        "0]}}], \"loops\": [{\"name\": \"ab\", \"type\": \"coupling\", \"terms\": [{\"joint\": \"a\", \"factor\": %s}, "
        "{\"joint\": \"b\", \"factor\": -%s}]}, {\"name\": \"bc\", \"type\": \"coupling\", \"terms\": [{\"joint\": "
        "\"b\"}, {\"joint\": \"c\", \"factor\": -1}]}]}",
        factors[i], factors[i]);
    write_file("geared.json", model);
    json_t *out = evaluate("geared.json --want ddq,mobility", "{\"tau\": [3, 0, 0]}"); /* three discs turn as one */
    check_numbers(out, "results.0.ddq", (const double[]){1, 1, 1}, 3, CLOSE);
    assert_int_equal((int)number_at(out, "results.0.mobility.mobility"), 1);
    json_decref(out);
    check_refused_state("geared.json --want ddq", "{\"q\": [0.01, 0, 0]}", "q opens the loop 'ab' by 0.01");
    check_refused_state("geared.json --want ddq", "{\"v\": [0.01, 0, 0]}", "v opens the loop 'ab' at a rate of 0.01");
  }
  unlink(in_directory("geared.json"));
}

static void impossible_wishes_are_refused_with_advice(void **state) {
  (void)state;
  check_refused_state("closed.json --want tau", "{" MOTION "}",
                      "state 0: tau: the field 'actuated' is missing: the names of the joints that have a motor");
  check_refused_state("closed.json --want tau_jets", "{" MOTION ", \"actuated\": []}",
                      "tau_jets: too few coordinates are 'actuated' for this motion: there are 1 degrees");
  check_refused_state("closed.json --want tau", "{\"a\": [1, -1, 2], \"actuated\": [\"drive\"]}",
                      "tau: the motion opens the loops");
  check_refused_state("closed.json --want hybrid",
                      "{\"a\": [1, 0, 2], \"prescribed\": [\"drive\", \"swing\"], \"q\": [0.7, -0.7, 0.7]}",
                      "hybrid: the loops do not allow the prescribed motion");
  check_refused_state("closed.json --want tau", "{\"actuated\": [\"drvie\"]}", "did you mean 'drive'?");
  write_file("state.json", "{" MOTION "}");
  outcome o = run("closed.json --want all --input state.json");
  assert_int_equal(o.code, 0);
  check_has(o.err, "tau is null: the field 'actuated' is missing");
  check_has(o.out, "\"tau\": null");
  done(&o);
}

/* ---- Trees ---- */

static void without_its_loops_a_model_is_its_tree(void **state) {
  (void)state;
  static const char open[] =
      "{\"q\": [0.2, 0.5, -1], \"v\": [1, 2, 3], \"a\": [3, 2, 1], \"tau\": [1, -1, 2], \"prescribed\": [\"pin\"]}";
  static const char *const same[] = {"tau", "ddq", "hybrid.tau", "hybrid.ddq", "tau_jets", "ddq_jets", "M"};
  static const char words[] = "--want tau,ddq,hybrid,tau_jets,ddq_jets,M,lambda,constraint,A,mobility";
  char line[256], path[64];
  snprintf(line, sizeof line, "closed.json --loops ignore %s", words);
  json_t *ignored = evaluate(line, open);
  snprintf(line, sizeof line, "tree.json %s", words);
  json_t *plain = evaluate(line, open);
  for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
    snprintf(path, sizeof path, "results.0.%s", same[i]);
    check_same(ignored, plain, path);
  }
  assert_int_equal((int)json_array_size(at(plain, "results.0.lambda")), 0);
  assert_int_equal((int)json_array_size(at(plain, "results.0.constraint")), 0);
  assert_int_equal((int)json_array_size(at(plain, "results.0.A")), 0);
  assert_int_equal((int)number_at(plain, "results.0.mobility.mobility"), 3);
  json_decref(plain);
  json_decref(ignored);
}

/* ---- The built-in mechanisms ---- */

/* The motors follow given accelerations; their torques, given to forward dynamics, make them. */
static void motors_of_mechanisms_move_as_asked(const char *source, const char *motors, const char *v, const char *a,
                                               int count, const int *places) {
  char words[128], text[4096], path[64];
  snprintf(words, sizeof words, "%s --assemble --want tau", source);
  snprintf(text, sizeof text, "{\"v\": {%s}, \"a\": {%s}, \"held\": [%s], \"actuated\": [%s]}", v, a, motors, motors);
  json_t *inverse = evaluate(words, text);
  char *q = json_dumps(at(inverse, "results.0.q"), 0), *rate = json_dumps(at(inverse, "results.0.v"), 0),
       *tau = json_dumps(at(inverse, "results.0.tau"), 0);
  snprintf(words, sizeof words, "%s --want ddq", source);
  snprintf(text, sizeof text, "{\"q\": %s, \"v\": %s, \"tau\": %s}", q, rate, tau);
  json_t *forward = evaluate(words, text);
  for (int i = 0; i < count; i++) {
    snprintf(path, sizeof path, "results.0.ddq.%d", places[i]);
    double found = number_at(forward, path);
    if (fabs(found - (i + 1)) > 1e-8) fail_msg("%s: motor %d: %.12g", source, i, found);
  }
  free(q);
  free(rate);
  free(tau);
  json_decref(forward);
  json_decref(inverse);
}

static void torques_of_the_mechanisms_make_their_motion(void **state) {
  (void)state;
  motors_of_mechanisms_move_as_asked("builtin:five_bar", "\"left_motor\", \"right_motor\"",
                                     "\"left_motor\": 2, \"right_motor\": -1", "\"left_motor\": 1, \"right_motor\": 2",
                                     2, (const int[]){0, 2});
  motors_of_mechanisms_move_as_asked("builtin:delta", "\"motor1\", \"motor2\", \"motor3\"",
                                     "\"motor1\": 2, \"motor2\": -1, \"motor3\": 0.5",
                                     "\"motor1\": 1, \"motor2\": 2, \"motor3\": 3", 3, (const int[]){6, 11, 16});
  motors_of_mechanisms_move_as_asked("builtin:stewart", "\"leg1\", \"leg2\", \"leg3\", \"leg4\", \"leg5\", \"leg6\"",
                                     "\"leg1\": 0.3, \"leg4\": -0.2",
                                     "\"leg1\": 1, \"leg2\": 2, \"leg3\": 3, \"leg4\": 4, \"leg5\": 5, \"leg6\": 6", 6,
                                     (const int[]){8, 11, 14, 17, 20, 23});
}

/* The power of the motor is the rate of the energy of all bars: dE/dt = tau v, and two derivatives of it. */
static void the_motor_of_the_four_bar_does_the_work(void **state) {
  (void)state;
  json_t *out = evaluate("builtin:four_bar --assemble --order 3 --want tau_jets,energy_jets",
                         "{\"q\": {\"motor\": 0.5}, \"v_jets\": [{\"motor\": 2}, {\"motor\": -1}, {\"motor\": 3}, "
                         "{\"motor\": 1}, {}], \"held\": [\"motor\"], \"actuated\": [\"motor\"]}");
  double E[8], tau[12];
  assert_int_equal(flatten(at(out, "results.0.energy_jets"), E, 0, 8), 8);
  assert_int_equal(flatten(at(out, "results.0.tau_jets"), tau, 0, 12), 12);
  const double power[3] = {tau[0] * 2, tau[3] * 2 - tau[0], tau[6] * 2 - 2 * tau[3] + 3 * tau[0]};
  for (int k = 0; k < 3; k++) assert_true(fabs(E[2 * k + 2] + E[2 * k + 3] - power[k]) < 1e-10 * (1 + fabs(power[k])));
  json_decref(out);
}

/* At rest each leg carries a sixth of the platform: by symmetry, the vertical force of a leg at the ball is F
 * cos(tilt); its own weight along the slide, and what its cylinder and rod lean on the ball, add to it. */
static void legs_of_the_stewart_platform_carry_it_alike(void **state) {
  (void)state;
  json_t *out = evaluate("builtin:stewart --want tau",
                         "{\"actuated\": [\"leg1\", \"leg2\", \"leg3\", \"leg4\", \"leg5\", \"leg6\"]}");
  const double length = 0.8149993867955778, tilt = 0.5376854979839245, g = 9.81;
  /* weight of rod and cylinder across the leg, about the base joint, on the ball */
  double across = g * sin(tilt) * (2 * 0.25 + 1 * (length - 0.25)) / length;
  double force = g * cos(tilt) * 1 + (10 * g / 6 + across * sin(tilt)) / cos(tilt);
  for (int i = 1; i <= 6; i++) {
    char path[64];
    snprintf(path, sizeof path, "results.0.tau.%d", 5 + 3 * i);
    double found = number_at(out, path);
    if (fabs(found - force) > 1e-6 * force) fail_msg("leg %d: %.12g, by hand %.12g", i, found, force);
  }
  json_decref(out);
}

/* ---- Contacts ---- */

#define LEG(name) "\"" name "_abduction\", \"" name "_hip\", \"" name "_knee\""
#define LEGS LEG("front_left") ", " LEG("front_right") ", " LEG("hind_left") ", " LEG("hind_right")
#define STANCE                                                                                                         \
  "\"q\": {\"front_left_hip\": 0.7, \"front_left_knee\": -1.4, \"front_right_hip\": 0.7, \"front_right_knee\": -1.4, " \
  "\"hind_left_hip\": 0.7, \"hind_left_knee\": -1.4, \"hind_right_hip\": 0.7, \"hind_right_knee\": -1.4}"

/* A file of loops that sets the feet of the quadruped on the ground where they are. */
static void stand(void) {
  static const char *const feet[4] = {"front_left", "front_right", "hind_left", "hind_right"};
  json_t *out = evaluate("builtin:quadruped --want pose", "{" STANCE "}");
  char text[2048] = "{\"loops\": [";
  for (int i = 0; i < 4; i++) {
    double T[16];
    char path[64];
    size_t used = strlen(text);
    snprintf(path, sizeof path, "results.0.pose.%s_foot", feet[i]);
    assert_int_equal(flatten(at(out, path), T, 0, 16), 16);
    snprintf(
        text + used, sizeof text - used,
        "%s{\"name\": \"%s\", \"type\": \"point_contact\", \"a\": {\"body\": \"world\", \"placement\": {\"position\":"
        " [%.17g, %.17g, %.17g]}}, \"b\": {\"body\": \"%s_shank\", \"placement\": {\"position\": [0, 0, -0.32]}}}",
        i ? ", " : "", feet[i], T[3], T[7], T[11], feet[i]);
  }
  strncat(text, "]}", sizeof text - strlen(text) - 1);
  write_file("feet.json", text);
  json_decref(out);
}

/* Standing, the feet carry the weight; twelve motors for six degrees of freedom share it. With a push on the trunk they
 * carry that, too; and the torques leave it at rest. */
static void feet_carry_the_weight(void **state) {
  (void)state;
  stand();
  static const char push[] = "{" STANCE ", \"actuated\": [" LEGS "], \"wrench\": {\"trunk\": [0, 0, 0, 20, -10, 5]}}";
  json_t *out =
      evaluate("builtin:quadruped --loops feet.json --lambda tau --want tau,lambda,mobility,loop_wrenches", push);
  double lambda[12], sum[3] = {0}, W[6];
  assert_int_equal(flatten(at(out, "results.0.lambda"), lambda, 0, 12), 12);
  for (int i = 0; i < 4; i++) {
    static const char *const feet[4] = {"front_left", "front_right", "hind_left", "hind_right"};
    char path[64];
    snprintf(path, sizeof path, "results.0.loop_wrenches.%s.a", feet[i]);
    flatten(at(out, path), W, 0, 6);
    for (int k = 0; k < 3; k++) sum[k] -= W[3 + k];                      /* on the ground: opposite */
    assert_true(lambda[3 * i] > 0 && fabs(lambda[3 * i] + W[5]) < 1e-9); /* the normal comes first */
  }
  assert_true(fabs(sum[0] + 20) < 1e-8 && fabs(sum[1] - 10) < 1e-8 && fabs(sum[2] - 30 * 9.81 + 5) < 1e-8);
  assert_int_equal((int)number_at(out, "results.0.mobility.mobility"), 6);
  char *tau = json_dumps(at(out, "results.0.tau"), 0), text[2048];
  snprintf(text, sizeof text, "{" STANCE ", \"tau\": %s, \"wrench\": {\"trunk\": [0, 0, 0, 20, -10, 5]}}", tau);
  json_t *forward = evaluate("builtin:quadruped --loops feet.json --want ddq,da_dtau", text);
  double zero[18] = {0};
  check_numbers(forward, "results.0.ddq", zero, 18, CLOSE);
  json_decref(forward);
  free(tau);
  json_decref(out);
  unlink(in_directory("feet.json"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(dynamics_are_those_of_the_one_equation),
      cmocka_unit_test(damping_of_passive_joints_counts),
      cmocka_unit_test(redundant_motors_share_the_load),
      cmocka_unit_test(multipliers_and_accelerations_obey_the_equations),
      cmocka_unit_test(ddq_jets_of_tau_jets_give_the_motion_back),
      cmocka_unit_test(derivatives_are_those_of_the_one_equation),
      cmocka_unit_test(derivatives_of_shared_loads_are_shared),
      cmocka_unit_test(tensors_of_the_tree_are_refused),
      cmocka_unit_test(multipliers_of_all_three_agree),
      cmocka_unit_test(joint_wrenches_know_of_the_loop),
      cmocka_unit_test(open_states_are_refused_with_the_size_of_the_gap),
      cmocka_unit_test(assemble_closes_the_loops_and_completes_the_motion),
      cmocka_unit_test(half_a_turn_away_is_open),
      cmocka_unit_test(conditions_in_small_units_count),
      cmocka_unit_test(impossible_wishes_are_refused_with_advice),
      cmocka_unit_test(without_its_loops_a_model_is_its_tree),
      cmocka_unit_test(torques_of_the_mechanisms_make_their_motion),
      cmocka_unit_test(the_motor_of_the_four_bar_does_the_work),
      cmocka_unit_test(legs_of_the_stewart_platform_carry_it_alike),
      cmocka_unit_test(feet_carry_the_weight),
  };
  return cmocka_run_group_tests_name("eval_loops", tests, make_mechanisms, remove_mechanisms);
}

#else
int main(void) { return 0; }
#endif
