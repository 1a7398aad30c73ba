/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce eval as a user runs it: known equations, forms of input, hybrid dynamics, losses, time derivatives, singular
 * systems. */
#include "eval_help.h"

#if !JN_WITH_JSON

static void without_jansson_the_command_says_so(void **state) {
  (void)state;
  check_refusal("robot.urdf --want tau", 2, "lacks jansson");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(without_jansson_the_command_says_so)};
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}

#else

/* ---- Values ---- */

static void the_pendulum_obeys_its_equation(void **state) {
  (void)state;
  /* (J + m l^2) a + m g l sin q = tau */
  double q = 0.7, v = -1.3, a = 2.5, tau = 4, inertia = 0.1 + 2 * 0.25, weight = 2 * G * 0.5;
  json_t *o = evaluate("pendulum.json --want tau,ddq,M,Minv,C,Mdot,g,bias,energy,com,Jcom",
                       "{\"q\": {\"hinge\": 0.7}, \"v\": {\"hinge\": -1.3}, \"a\": {\"hinge\": 2.5}, \"tau\": [4]}");
  double g = weight * sin(q), c[3] = {-0.5 * sin(q), 0, -0.5 * cos(q)}, J[3] = {-0.5 * cos(q), 0, 0.5 * sin(q)};
  double dc[3] = {J[0] * v, 0, J[2] * v};
  double ddc[3] = {J[0] * a - c[0] * v * v, 0, J[2] * a - c[2] * v * v};
  check_numbers(o, "results.0.tau", (double[]){inertia * a + g}, 1, 8);
  check_numbers(o, "results.0.ddq", (double[]){(tau - g) / inertia}, 1, 8);
  check_numbers(o, "results.0.M", &inertia, 1, 8);
  check_numbers(o, "results.0.Minv", (double[]){1 / inertia}, 1, 8);
  check_numbers(o, "results.0.C", (double[]){0}, 1, 8);
  check_numbers(o, "results.0.Mdot", (double[]){0}, 1, 8);
  check_numbers(o, "results.0.g", &g, 1, 8);
  check_numbers(o, "results.0.bias", &g, 1, 8);
  check_numbers(o, "results.0.energy.kinetic", (double[]){0.5 * inertia * v * v}, 1, 8);
  check_numbers(o, "results.0.energy.potential", (double[]){-weight * cos(q)}, 1, 8);
  check_numbers(o, "results.0.com.position", c, 3, 8);
  check_numbers(o, "results.0.com.velocity", dc, 3, 8);
  check_numbers(o, "results.0.com.acceleration", ddc, 3, 8);
  check_numbers(o, "results.0.com.mass", (double[]){2}, 1, 0);
  check_numbers(o, "results.0.Jcom", J, 3, 8);
  json_decref(o);
}

static void the_planar_arm_is_that_of_the_textbook(void **state) {
  (void)state;
  double q1 = 0.4, q2 = -1.1, v1 = 0.9, v2 = -2, a1 = -0.5, a2 = 3, c2 = cos(q2), s2 = sin(q2), q12 = q1 + q2;
  double m12 = 2 * (0.25 * 0.25 + 0.7 * 0.25 * c2) + 0.02, m22 = 2 * 0.25 * 0.25 + 0.02;
  double m11 = 3 * 0.09 + 0.05 + 2 * (0.49 + 0.0625 + 2 * 0.7 * 0.25 * c2) + 0.02, h = -2 * 0.7 * 0.25 * s2;
  double M[4] = {m11, m12, m12, m22}, dM[4] = {2 * h * v2, h * v2, h * v2, 0};
  double g[2] = {(3 * 0.3 + 2 * 0.7) * G * cos(q1) + 2 * 0.25 * G * cos(q12), 2 * 0.25 * G * cos(q12)};
  double bias[2] = {h * (2 * v1 * v2 + v2 * v2) + g[0], -h * v1 * v1 + g[1]};
  /* The moment of 0.3 N m on the second body is one that the joints need not give. */
  double tau[2] = {m11 * a1 + m12 * a2 + bias[0] - 0.3, m12 * a1 + m22 * a2 + bias[1] - 0.3};
  double f1 = 1 - bias[0] + 0.3, f2 = 2 - bias[1] + 0.3, det = m11 * m22 - m12 * m12;
  double ddq[2] = {(m22 * f1 - m12 * f2) / det, (m11 * f2 - m12 * f1) / det};
  json_t *o = evaluate("planar.json --want M,Mdot,g,bias,tau,ddq,C", planar_state);
  check_numbers(o, "results.0.M", M, 4, 8);
  check_numbers(o, "results.0.Mdot", dM, 4, 8);
  check_numbers(o, "results.0.g", g, 2, 8);
  check_numbers(o, "results.0.bias", bias, 2, 8);
  check_numbers(o, "results.0.tau", tau, 2, 16);
  check_numbers(o, "results.0.ddq", ddq, 2, 64);
  double C[4];
  flatten(at(o, "results.0.C"), C, 0, 4);
  check_numbers(o, "results.0.bias", (double[]){C[0] * v1 + C[1] * v2 + g[0], C[2] * v1 + C[3] * v2 + g[1]}, 2, 16);
  json_decref(o);
}

/* Of a joint with axis z through p: (z, p x z). */
static void the_space_jacobian_is_where_the_joints_are(void **state) {
  (void)state;
  double s1 = 0.7 * sin(0.4), c1 = 0.7 * cos(0.4), v1 = 0.9;
  json_t *o = evaluate("planar.json --want space_jacobian,space_jacobian_rate", planar_state);
  check_numbers(o, "results.0.space_jacobian", (double[]){0, 0, 0, 0, 1, 1, 0, s1, 0, -c1, 0, 0}, 12, 8);
  check_numbers(o, "results.0.space_jacobian_rate", (double[]){0, 0, 0, 0, 0, 0, 0, c1 * v1, 0, s1 * v1, 0, 0}, 12, 8);
  json_decref(o);
}

static void the_tip_moves_as_the_textbook_says(void **state) {
  (void)state;
  double s1 = sin(0.4), c1 = cos(0.4), s = sin(0.4 - 1.1), c = cos(0.4 - 1.1), w = 0.9 - 2;
  double x = 0.7 * c1 + 0.4 * c, y = 0.7 * s1 + 0.4 * s;
  double pose[16] = {c, -s, 0, x, s, c, 0, y, 0, 0, 1, 0, 0, 0, 0, 1};
  double J[12] = {0, 0, 0, 0, 1, 1, -y, -0.4 * s, x, 0.4 * c, 0, 0};
  double dx = -y * 0.9 - 0.4 * s * -2, dy = x * 0.9 + 0.4 * c * -2;
  double dJ[12] = {0, 0, 0, 0, 0, 0, -dy, -0.4 * c * w, dx, -0.4 * s * w, 0, 0};
  double A[6] = {0, 0, -0.5 + 3};
  for (int i = 3; i < 6; i++) A[i] = J[2 * i] * -0.5 + J[2 * i + 1] * 3 + dJ[2 * i] * 0.9 + dJ[2 * i + 1] * -2;
  const char *wants = "planar.json --link tip --want pose,twist,acceleration,J,Jdot --frame ";
  char line[128];
  snprintf(line, sizeof line, "%saligned", wants);
  json_t *o = evaluate(line, planar_state);
  check_numbers(o, "results.0.pose", pose, 16, 8);
  check_numbers(o, "results.0.J", J, 12, 8);
  check_numbers(o, "results.0.Jdot", dJ, 12, 8);
  check_numbers(o, "results.0.twist", (double[]){0, 0, w, dx, dy, 0}, 6, 8);
  check_numbers(o, "results.0.acceleration", A, 6, 16);
  json_decref(o);
  snprintf(line, sizeof line, "%sbody", wants);
  o = evaluate(line, planar_state);
  check_numbers(o, "results.0.twist", (double[]){0, 0, w, c * dx + s * dy, c * dy - s * dx, 0}, 6, 8);
  json_decref(o);
  snprintf(line, sizeof line, "%sworld", wants);
  o = evaluate(line, planar_state);
  check_numbers(o, "results.0.twist", (double[]){0, 0, w, dx + w * y, dy - w * x, 0}, 6, 8);
  json_decref(o);
}

static void frames_come_by_name_without_link(void **state) {
  (void)state;
  json_t *all = evaluate("planar.json --want pose,J", planar_state);
  json_t *tip = evaluate("planar.json --want pose,J --link tip", planar_state);
  assert_int_equal(json_object_size(at(all, "results.0.pose")), 3);
  assert_true(json_equal(at(all, "results.0.pose.tip"), at(tip, "results.0.pose")));
  assert_true(json_equal(at(all, "results.0.J.tip"), at(tip, "results.0.J")));
  check_numbers(all, "results.0.pose.lower.0.3", (double[]){0.7 * cos(0.4)}, 1, 8);
  json_decref(all);
  json_decref(tip);
}

static void joint_wrenches_hold_the_weight(void **state) {
  (void)state;
  json_t *o = evaluate("planar.json --want joint_wrenches", "{}");
  /* At q = 0, at rest: the shoulder carries both bodies. */
  double upper[6] = {0, 0, G * (3 * 0.3 + 2 * (0.7 + 0.25)), 0, 5 * G, 0}, lower[6] = {0, 0, G * 0.5, 0, 2 * G, 0};
  check_numbers(o, "results.0.joint_wrenches.upper", upper, 6, 8);
  check_numbers(o, "results.0.joint_wrenches.lower", lower, 6, 8);
  json_decref(o);
}

static void momentum_is_mass_times_velocity(void **state) {
  (void)state;
  /* A block that turns about z and moves along x, 2 m beside the world's origin. */
  json_t *o = evaluate("block.json --floating --want momentum,momentum_matrix,momentum_matrix_rate",
                       "{\"base\": {\"position\": [0, 2, 0]}, \"v\": {\"base\": [0, 0, 5, 4, 0, 0]}}");
  check_numbers(o, "results.0.momentum.centroidal", (double[]){0, 0, 0.4 * 5, 12, 0, 0}, 6, 8);
  check_numbers(o, "results.0.momentum.spatial", (double[]){0, 0, 0.4 * 5 - 2 * 12, 12, 0, 0}, 6, 8);
  double A[36] = {[0] = 0.2, [7] = 0.3, [14] = 0.4, [21] = 3, [28] = 3, [35] = 3};
  check_numbers(o, "results.0.momentum_matrix.centroidal", A, 36, 8);
  /* The axes of the block turn at 5 rad/s against those of the world. */
  double dA[36] = {[1] = -0.3 * 5, [6] = 0.2 * 5, [22] = -3 * 5, [27] = 3 * 5};
  check_numbers(o, "results.0.momentum_matrix_rate.centroidal", dA, 36, 8);
  json_decref(o);
}

/* ---- Free bodies and wrenches ---- */

static void a_force_that_carries_the_weight_leaves_a_body_at_rest(void **state) {
  (void)state;
  double zero[6] = {0};
  json_t *o = evaluate("block.json --floating --want ddq", "{\"wrench\": {\"block\": [0, 0, 0, 0, 0, 29.43]}}");
  check_numbers(o, "results.0.ddq", zero, 6, 16);
  json_decref(o);
  /* Turned by 90 degrees about x, the world's z is the body's y. */
  const char *turned =
      "[{\"base\": {\"position\": [1, 2, 3], \"orientation\": [0.7071067811865476, 0, 0, 0.7071067811865476]},"
      " \"wrench\": {\"block\": [0, 0, 0, 0, 29.43, 0]}},"
      " {\"base\": {\"orientation\": [0.7071067811865476, 0, 0, 0.7071067811865476]}}]";
  o = evaluate("block.json --floating --want ddq,pose --link block", turned);
  check_numbers(o, "results.0.ddq", zero, 6, 16);
  check_numbers(o, "results.1.ddq", (double[]){0, 0, 0, 0, -G, 0}, 6, 16);
  check_numbers(o, "results.0.pose", (double[]){1, 0, 0, 1, 0, 0, -1, 2, 0, 1, 0, 3, 0, 0, 0, 1}, 16, 8);
  json_decref(o);
}

static void the_model_gives_the_order_of_the_velocity(void **state) {
  (void)state;
  json_t *o = evaluate("block.json --floating --want g", "{}");
  assert_string_equal(json_string_value(at(o, "model.name")), "block");
  assert_int_equal((int)number_at(o, "model.nq"), 7);
  assert_int_equal((int)number_at(o, "model.nv"), 6);
  assert_string_equal(json_string_value(at(o, "model.joints.0.name")), "base");
  assert_string_equal(json_string_value(at(o, "model.joints.0.type")), "free");
  assert_int_equal((int)number_at(o, "model.joints.0.nv"), 6);
  json_decref(o);
  o = evaluate("mixed.json --want g", "{}");
  assert_int_equal(json_array_size(at(o, "model.joints")), 3); /* neither fixed joints nor followers */
  assert_string_equal(json_string_value(at(o, "model.joints.2.name")), "slide");
  json_decref(o);
}

/* ---- Forms of input ---- */

static void objects_and_flat_arrays_mean_the_same(void **state) {
  (void)state;
  json_t *a = evaluate("mixed.json --want tau,ddq",
                       "{\"base\": {\"position\": [1, 2, 3], \"orientation\": [0.6, 0, 0, 0.8]},"
                       " \"q\": {\"slide\": [0.3], \"neck\": [0, 0.6, 0, 0.8]},"
                       " \"v\": {\"neck\": [7, 8, 9], \"base\": [1, 2, 3, 4, 5, 6]}, \"a\": {\"slide\": -2},"
                       " \"tau\": {\"root\": [6, 5, 4, 3, 2, 1]}}");
  json_t *b = evaluate("mixed.json --want tau,ddq",
                       "{\"q\": [1, 2, 3, 0.6, 0, 0, 0.8, 0, 0.6, 0, 0.8, 0.3], \"v\": [1, 2, 3, 4, 5, 6, 7, 8, 9, 0],"
                       " \"a\": [0, 0, 0, 0, 0, 0, 0, 0, 0, -2], \"tau\": [6, 5, 4, 3, 2, 1, 0, 0, 0, 0]}");
  json_t *c = evaluate("mixed.json --want tau,ddq",
                       "{\"q\": {\"root\": [1, 2, 3, 0.6, 0, 0, 0.8], \"neck\": [0, 0.6, 0, 0.8], \"slide\": 0.3},"
                       " \"v\": {\"root\": [1, 2, 3, 4, 5, 6], \"neck\": [7, 8, 9]}, \"a\": {\"slide\": -2},"
                       " \"tau\": {\"base\": [6, 5, 4, 3, 2, 1]}}");
  check_same(a, b, "results.0.tau");
  check_same(a, b, "results.0.ddq");
  check_same(a, c, "results.0.tau");
  check_same(a, c, "results.0.ddq");
  json_decref(a);
  json_decref(b);
  json_decref(c);
}

static void every_state_of_an_array_has_its_result(void **state) {
  (void)state;
  json_t *all = evaluate("planar.json --want tau,g", "[{\"q\": [1, 2]}, {\"v\": [3, 4]}, {}]");
  json_t *one = evaluate("planar.json --want tau,g", "{\"v\": {\"shoulder\": 3, \"elbow\": 4}}");
  assert_int_equal(json_array_size(at(all, "results")), 3);
  double tau[2] = {number_at(one, "results.0.tau.0"), number_at(one, "results.0.tau.1")};
  double g[2] = {number_at(one, "results.0.g.0"), number_at(one, "results.0.g.1")};
  check_numbers(all, "results.1.tau", tau, 2, 8); /* to rounding: many states go through other instructions */
  check_numbers(all, "results.1.g", g, 2, 8);
  assert_int_equal(json_object_size(at(all, "results.1")), json_object_size(at(one, "results.0")));
  assert_true(json_equal(at(all, "results.1.g"), at(all, "results.2.g")));
  assert_false(json_equal(at(all, "results.0.g"), at(all, "results.2.g")));
  json_decref(all);
  json_decref(one);
  one = evaluate("planar.json --want tau", "[]");
  assert_int_equal(json_array_size(at(one, "results")), 0);
  json_decref(one);
}

static void states_come_from_standard_input_or_are_neutral(void **state) {
  (void)state;
  write_file("state.json", "{\"q\": {\"hinge\": 0.7}}");
  outcome file = run("pendulum.json --want g --input state.json"),
          by_default = run("pendulum.json --want g <state.json");
  outcome dash = run("pendulum.json --want g --input - <state.json");
  assert_int_equal(file.code, 0);
  assert_string_equal(file.out, by_default.out);
  assert_string_equal(file.out, dash.out);
  done(&file);
  done(&by_default);
  done(&dash);
  outcome nothing = run("pendulum.json --want g </dev/null"), model = run("- --want g <pendulum.json");
  check_has(nothing.out, "\"g\": [0]");
  assert_string_equal(nothing.out, model.out);
  done(&nothing);
  done(&model);
  check_refusal("pendulum.json --want g --input - </dev/null", 1, "<stdin>:1:0: not JSON: ");
  check_refusal("- --want g --input - <pendulum.json", 2, "cannot both be standard input");
}

static void all_digits_arrive(void **state) {
  (void)state;
  jn_model *model;
  jn_work *work;
  assert_int_equal(jn_load("builtin:panda", NULL, &model, NULL), JN_OK);
  assert_int_equal(jn_work_create(model, &work), JN_OK);
  double q[7], v[7], a[7], tau[7];
  char text[1024] = "{", *end = text + 1;
  for (int i = 0; i < 7; i++) {
    q[i] = sin(1.0 + i), v[i] = cos(2.0 + i), a[i] = tan(3.0 + i);
  }
  const double *const vectors[] = {q, v, a};
  for (int k = 0; k < 3; k++) {
    end += sprintf(end, "%s\"%c\": [", k ? ", " : "", "qva"[k]);
    for (int i = 0; i < 7; i++) end += sprintf(end, "%s%.17g", i ? ", " : "", vectors[k][i]);
    end += sprintf(end, "]");
  }
  strcpy(end, "}");
  assert_int_equal(jn_inverse_dynamics(model, work, q, v, a, NULL, tau), JN_OK);
  json_t *o = evaluate("builtin:panda --want tau", text);
  check_numbers(o, "results.0.tau", tau, 7, 0);
  json_decref(o);
  jn_work_destroy(work);
  jn_model_destroy(model);
}

/* ---- Hybrid dynamics and losses ---- */

static void hybrid_dynamics_have_inverse_and_forward_as_limits(void **state) {
  (void)state;
  double numbers[2];
  const char *states =
      "[{\"q\": [1, 2], \"v\": [3, 4], \"a\": [5, 6], \"tau\": [7, 8], \"prescribed\": [\"elbow\", \"shoulder\"]},"
      " {\"q\": [1, 2], \"v\": [3, 4], \"a\": [5, 6], \"tau\": [7, 8], \"prescribed\": []},"
      " {\"q\": [1, 2], \"v\": [3, 4], \"a\": [5, 6], \"tau\": [7, 8], \"prescribed\": [\"elbow\"]}]";
  json_t *o = evaluate("planar.json --want tau,ddq,hybrid", states);
  flatten(at(o, "results.0.tau"), numbers, 0, 2);
  check_numbers(o, "results.0.hybrid.tau", numbers, 2, 64);
  check_numbers(o, "results.0.hybrid.ddq", (double[]){5, 6}, 2, 0);
  flatten(at(o, "results.1.ddq"), numbers, 0, 2);
  check_numbers(o, "results.1.hybrid.ddq", numbers, 2, 64);
  check_numbers(o, "results.1.hybrid.tau", (double[]){7, 8}, 2, 0);
  check_numbers(o, "results.2.hybrid.ddq.1", (double[]){6}, 1, 0);
  check_numbers(o, "results.2.hybrid.tau.0", (double[]){7}, 1, 0);
  double a1 = number_at(o, "results.2.hybrid.ddq.0"), tau2 = number_at(o, "results.2.hybrid.tau.1");
  json_decref(o);
  char text[128];
  snprintf(text, sizeof text, "{\"q\": [1, 2], \"v\": [3, 4], \"a\": [%.17g, 6]}", a1);
  o = evaluate("planar.json --want tau", text);
  check_numbers(o, "results.0.tau", (double[]){7, tau2}, 2, 256);
  json_decref(o);
}

static void losses_are_added_to_tau_and_taken_from_it(void **state) {
  (void)state;
  const char *moving = "{\"v\": [-2], \"a\": [3], \"tau\": [0], \"prescribed\": [\"hinge\"]}";
  const char *forced = "{\"v\": [-2], \"tau\": [4]}";
  double loss = 0.5 * -2 - 0.25; /* damping v + friction sign(v) */
  json_t *o = evaluate("pendulum.json --want tau,ddq,hybrid --losses", moving);
  check_numbers(o, "results.0.tau", (double[]){0.6 * 3 + loss}, 1, 8);
  check_numbers(o, "results.0.hybrid.tau", (double[]){0.6 * 3 + loss}, 1, 8);
  check_numbers(o, "results.0.ddq", (double[]){-loss / 0.6}, 1, 8);
  json_decref(o);
  o = evaluate("pendulum.json --want ddq,hybrid --losses", forced);
  check_numbers(o, "results.0.ddq", (double[]){(4 - loss) / 0.6}, 1, 8);
  check_numbers(o, "results.0.hybrid.ddq", (double[]){(4 - loss) / 0.6}, 1, 8);
  check_numbers(o, "results.0.hybrid.tau", (double[]){4}, 1, 0);
  json_decref(o);
  o = evaluate("pendulum.json --want tau,ddq", moving);
  check_numbers(o, "results.0.tau", (double[]){0.6 * 3}, 1, 8);
  check_numbers(o, "results.0.ddq", (double[]){0}, 1, 8);
  json_decref(o);
}

/* ---- Time derivatives ---- */

static void the_force_of_the_pendulum_has_the_derivatives_of_its_equation(void **state) {
  (void)state;
  /* J a + w sin q = tau, differentiated along the motion. */
  double q = 0.7, v = -1.3, a = 2.5, j = -4, s = 6, inertia = 0.1 + 2 * 0.25, weight = 2 * G * 0.5;
  double sine = weight * sin(q), cosine = weight * cos(q);
  double tau[3] = {inertia * a + sine, inertia * j + cosine * v, inertia * s + cosine * a - sine * v * v};
  json_t *o = evaluate("pendulum.json --want tau,tau_jets --order 2",
                       "{\"q\": [0.7], \"v_jets\": [[-1.3], {\"hinge\": 2.5}, {\"hinge\": [-4]}, [6], [1e9]]}");
  check_numbers(o, "results.0.tau_jets", tau, 3, 16);
  check_numbers(o, "results.0.tau", tau, 1, 8); /* rows 0 and 1 are v and a */
  json_decref(o);
  o = evaluate("pendulum.json --want ddq,ddq_jets --order 1",
               "{\"q\": [0.7], \"v\": [-1.3], \"tau_jets\": [[4], [5]]}");
  double ddq[2] = {(4 - sine) / inertia, (5 - cosine * v) / inertia};
  check_numbers(o, "results.0.ddq_jets", ddq, 2, 16);
  check_numbers(o, "results.0.ddq", ddq, 1, 8); /* row 0 is tau */
  json_decref(o);
  /* Damping 0.5 v and friction 0.25 sign v; first with the hinge prescribed, then with it free. */
  o = evaluate("pendulum.json --want tau_jets,hybrid_jets --order 2 --losses",
               "{\"q\": [0.7], \"v_jets\": [[-1.3], [2.5], [-4], [6]], \"prescribed\": [\"hinge\"]}");
  double lossy[3] = {tau[0] + 0.5 * v - 0.25, tau[1] + 0.5 * a, tau[2] + 0.5 * j};
  check_numbers(o, "results.0.tau_jets", lossy, 3, 16);
  check_numbers(o, "results.0.hybrid_jets.tau", lossy, 3, 16);
  check_numbers(o, "results.0.hybrid_jets.ddq", (double[]){a, j, s}, 3, 0);
  json_decref(o);
  o = evaluate("pendulum.json --want ddq_jets,hybrid_jets --losses",
               "{\"q\": [0.7], \"v\": [-1.3], \"tau_jets\": [[4], [5]]}");
  ddq[0] = (4 - sine - (0.5 * v - 0.25)) / inertia;
  ddq[1] = (5 - cosine * v - 0.5 * ddq[0]) / inertia;
  check_numbers(o, "results.0.ddq_jets", ddq, 2, 16);
  check_numbers(o, "results.0.hybrid_jets.ddq", ddq, 2, 16);
  check_numbers(o, "results.0.hybrid_jets.tau", (double[]){4, 5}, 2, 0);
  json_decref(o);
}

static void order_is_one_unless_given_and_rows_not_given_are_zero(void **state) {
  (void)state;
  double cosine = 2 * G * 0.5 * cos(0.7);
  const char *motion = "{\"q\": [0.7], \"v\": [-1.3], \"a\": [2.5], \"tau\": [4]}";
  json_t *o = evaluate("pendulum.json --want tau,tau_jets,ddq,ddq_jets", motion);
  check_numbers(o, "results.0.tau_jets", (double[]){number_at(o, "results.0.tau.0"), cosine * -1.3}, 2, 16);
  check_numbers(o, "results.0.ddq_jets", (double[]){number_at(o, "results.0.ddq.0"), cosine * 1.3 / 0.6}, 2, 16);
  json_decref(o);
  o = evaluate("pendulum.json --want all --order 0", motion);
  assert_int_equal(json_array_size(at(o, "results.0.tau_jets")), 1);
  assert_int_equal(json_array_size(at(o, "results.0.ddq_jets")), 1);
  assert_int_equal(json_array_size(at(o, "results.0.hybrid_jets.tau")), 1);
  check_numbers(o, "results.0.tau_jets.0.0", (double[]){number_at(o, "results.0.tau.0")}, 1, 8);
  json_decref(o);
}

static const char jet_motion[] =
    "\"q\": [1, 2, 3, 0.6, 0, 0, 0.8, 0, 0.6, 0, 0.8, 0.3],"
    " \"v_jets\": [[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1],"
    " [0.1, -0.2, 0.3, -0.4, 0.5, -0.6, 0.7, -0.8, 0.9, -1], [0, 1, 0, 2, 0, 3, 0, 4, 0, 5],"
    " [3, 2, 1, 0, 1, 2, 3, 2, 1, 0],"
    " [-1, -1, 2, 2, -3, -3, 4, 4, -5, -5]], \"wrench_jets\": [{\"head\": [1, 2, 3, 4, 5, 6]},"
    " {\"hand\": [6, 5, 4, 3, 2, 1]}]";

/* Every order carries the errors of those below: some 1e4 roundings in order 3. */
static void forces_of_a_motion_make_that_motion(void **state) {
  (void)state;
  char text[4096];
  double motion[ROOM], tau[ROOM];
  snprintf(text, sizeof text, "{%s}", jet_motion);
  json_t *forces = evaluate("mixed.json --order 3 --want tau_jets", text), *given = json_loads(text, 0, NULL);
  assert_int_equal(flatten(at(given, "v_jets"), motion, 0, ROOM), 50);
  assert_int_equal(flatten(at(forces, "results.0.tau_jets"), tau, 0, ROOM), 40);
  char *tau_text = json_dumps(at(forces, "results.0.tau_jets"), 0);
  snprintf(text, sizeof text, "{%s, \"tau_jets\": %s, \"prescribed\": [\"neck\"]}", jet_motion, tau_text);
  json_t *o = evaluate("mixed.json --order 3 --want ddq_jets,hybrid_jets", text);
  check_numbers(o, "results.0.ddq_jets", motion + 10, 40, 1e5);
  check_numbers(o, "results.0.hybrid_jets.ddq", motion + 10, 40, 1e5);
  check_numbers(o, "results.0.hybrid_jets.tau", tau, 40, 1e5);
  json_decref(o);
  json_decref(forces);
  json_decref(given);
  free(tau_text);
}

static void rows_by_joint_and_flat_rows_mean_the_same(void **state) {
  (void)state;
  const char *wants = "planar.json --want tau_jets,ddq_jets,hybrid_jets --order 1";
  json_t *a = evaluate(wants,
                       "{\"q\": [1, 2], \"v_jets\": [[3, 4], [0, 6], [7, 0]], \"tau_jets\": [[1, 0], [0, 2]],"
                       " \"prescribed\": [\"elbow\"], \"wrench_jets\": [{}, {\"lower\": [0, 0, 1, 0, 0, 0]}]}");
  json_t *b = evaluate(wants,
                       "{\"q\": [1, 2], \"v_jets\": [{\"elbow\": 4, \"shoulder\": 3}, {\"elbow\": [6]}, [7, 0]],"
                       " \"tau_jets\": [{\"shoulder\": 1}, {\"elbow\": 2}], \"prescribed\": [\"elbow\"],"
                       " \"v\": [3, 4], \"a\": {\"elbow\": 6}, \"tau\": [1, 0]," /* said twice, but the same */
                       " \"wrench_jets\": [{}, {\"lower\": [0, 0, 1, 0, 0, 0]}, {\"lower\": [0, 0, 9, 0, 0, 0]}]}");
  assert_true(json_equal(at(a, "results"), at(b, "results")));
  check_numbers(a, "results.0.hybrid_jets.ddq.1.1", (double[]){0}, 1, 0);
  check_numbers(a, "results.0.hybrid_jets.ddq.0.1", (double[]){6}, 1, 0);
  check_numbers(a, "results.0.hybrid_jets.tau.0.0", (double[]){1}, 1, 0);
  json_decref(b);
  /* A moment on the last body that grows by 1 N m/s is one that both joints need not give. */
  b = evaluate(wants, "{\"q\": [1, 2], \"v_jets\": [[3, 4], [0, 6], [7, 0]]}");
  double tau[4];
  flatten(at(b, "results.0.tau_jets"), tau, 0, 4);
  check_numbers(a, "results.0.tau_jets", (double[]){tau[0], tau[1], tau[2] - 1, tau[3] - 1}, 4, 64);
  json_decref(a);
  json_decref(b);
}

/* ---- Singular systems ---- */

static void a_singular_system_names_the_joint(void **state) {
  (void)state;
  write_file("state.json", "[{}, {\"q\": [1, 2]}]");
  check_refusal("empty.json --want M,ddq --input state.json", 1, "state 0: ddq: joint 'idle' has no effective inertia");
  check_refusal("empty.json --want Minv --input state.json", 1, "state 0: Minv: joint 'idle'");
  check_refusal("empty.json --want hybrid --input state.json", 1, "state 0: hybrid: joint 'idle'");
  check_refusal("empty.json --want ddq_jets --input state.json", 1, "state 0: ddq_jets: joint 'idle'");
  check_refusal("empty.json --want hybrid_jets --input state.json", 1, "state 0: hybrid_jets: joint 'idle'");
  /* What the idle joint does may be prescribed. */
  json_t *o = evaluate("empty.json --want hybrid", "{\"prescribed\": [\"idle\"]}");
  check_numbers(o, "results.0.hybrid.ddq", (double[]){G / 1.1, 0}, 2, 16);
  json_decref(o);
}

static void of_all_that_can_be_wanted_singular_parts_are_null(void **state) {
  (void)state;
  write_file("state.json", "{}");
  outcome o = run("empty.json --want all --input state.json");
  assert_int_equal(o.code, 0);
  check_has(o.err, "state 0: ddq is null: joint 'idle' has no effective inertia");
  json_t *root = json_loads(o.out, 0, NULL);
  assert_non_null(root);
  assert_true(json_is_null(at(root, "results.0.ddq")));
  assert_true(json_is_null(at(root, "results.0.Minv")));
  assert_true(json_is_null(at(root, "results.0.hybrid")));
  assert_true(json_is_null(at(root, "results.0.ddq_jets")));
  assert_true(json_is_null(at(root, "results.0.hybrid_jets")));
  assert_true(json_is_null(at(root, "results.0.da_dq")));
  assert_true(json_is_null(at(root, "results.0.hybrid_d")));
  check_numbers(root, "results.0.M", (double[]){1.1, 0, 0, 0}, 4, 8);
  json_decref(root);
  done(&o);
}

/* The help has a line for each name; the larger ones stand below that of `all`. */
static void all_is_every_name_of_the_help_above_it(void **state) {
  (void)state;
  outcome help = run("--help");
  assert_int_equal(help.code, 0);
  json_t *o = evaluate("builtin:humanoid --want all", "{}");
  const char *start = strstr(help.out, "names split by commas:"), *end = strstr(help.out, " all  "), *key;
  assert_true(start && end && start < end);
  size_t lines = 0;
  for (const char *p = start; p < end; p++) lines += *p == '\n';
  assert_int_equal(json_object_size(at(o, "results.0")), lines - 1);
  json_t *value;
  json_object_foreach(at(o, "results.0"), key, value) {
    char line[64];
    assert_false(json_is_null(value));
    snprintf(line, sizeof line, " %s ", key);
    const char *place = strstr(help.out, line);
    if (!place || place > end) fail_msg("%s is not in the help, or below all", key);
  }
  const char *const larger[] = {"dM_dq", "dMinv_dq", "dC_dq", "dC_dv", "dMdot_dq", "dMdot_dv", "d2tau", "d2a"};
  for (size_t i = 0; i < sizeof larger / sizeof *larger; i++) check_has(end, larger[i]);
  check_has(end, "dtau_jets");
  json_decref(o);
  done(&help);
}

/* ---- Mistakes ---- */

/* Orders 0 and 1 of the closed forms are the names without _jets. */
static void closed_forms_start_with_the_plain_quantities(void **state) {
  (void)state;
  json_t *o = evaluate("builtin:quadruped --want all --order 1 --link front_left_shank",
                       "{\"v\": {\"base\": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]}}");
  const char *const pairs[][2] = {{"M_jets.0", "M"},
                                  {"M_jets.1", "Mdot"},
                                  {"C_jets.0", "C"},
                                  {"g_jets.0", "g"},
                                  {"twist_jets.0", "twist"},
                                  {"twist_jets.1", "acceleration"},
                                  {"J_jets.0", "J"},
                                  {"J_jets.1", "Jdot"},
                                  {"P.2", "M"},
                                  {"momentum_jets.0", "momentum.spatial"},
                                  {"com_jets.0", "com.position"},
                                  {"com_jets.1", "com.velocity"},
                                  {"energy_jets.0.0", "energy.kinetic"},
                                  {"energy_jets.0.1", "energy.potential"},
                                  {"joint_wrenches_jets.trunk.0", "joint_wrenches.trunk"}};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    char one[64], two[64];
    snprintf(one, sizeof one, "results.0.%s", pairs[i][0]);
    snprintf(two, sizeof two, "results.0.%s", pairs[i][1]);
    double a[1024], b[1024];
    int n = flatten(at(o, one), a, 0, 1024), m = flatten(at(o, two), b, 0, 1024);
    assert_int_equal(n, m);
    for (int k = 0; k < n; k++)
      if (fabs(a[k] - b[k]) > 1e-12 * (1 + fabs(b[k]))) fail_msg("%s[%d] = %g, %s = %g", one, k, a[k], two, b[k]);
  }
  json_decref(o);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(closed_forms_start_with_the_plain_quantities),
      cmocka_unit_test(the_pendulum_obeys_its_equation),
      cmocka_unit_test(the_planar_arm_is_that_of_the_textbook),
      cmocka_unit_test(the_space_jacobian_is_where_the_joints_are),
      cmocka_unit_test(the_tip_moves_as_the_textbook_says),
      cmocka_unit_test(frames_come_by_name_without_link),
      cmocka_unit_test(joint_wrenches_hold_the_weight),
      cmocka_unit_test(momentum_is_mass_times_velocity),
      cmocka_unit_test(a_force_that_carries_the_weight_leaves_a_body_at_rest),
      cmocka_unit_test(the_model_gives_the_order_of_the_velocity),
      cmocka_unit_test(objects_and_flat_arrays_mean_the_same),
      cmocka_unit_test(every_state_of_an_array_has_its_result),
      cmocka_unit_test(states_come_from_standard_input_or_are_neutral),
      cmocka_unit_test(all_digits_arrive),
      cmocka_unit_test(hybrid_dynamics_have_inverse_and_forward_as_limits),
      cmocka_unit_test(losses_are_added_to_tau_and_taken_from_it),
      cmocka_unit_test(the_force_of_the_pendulum_has_the_derivatives_of_its_equation),
      cmocka_unit_test(order_is_one_unless_given_and_rows_not_given_are_zero),
      cmocka_unit_test(forces_of_a_motion_make_that_motion),
      cmocka_unit_test(rows_by_joint_and_flat_rows_mean_the_same),
      cmocka_unit_test(a_singular_system_names_the_joint),
      cmocka_unit_test(of_all_that_can_be_wanted_singular_parts_are_null),
      cmocka_unit_test(all_is_every_name_of_the_help_above_it),
  };
  return cmocka_run_group_tests(tests, make_robots, remove_directory);
}

#endif
