/* SPDX-License-Identifier: BSD-2-Clause */
/* Generated time derivatives and derivatives by the configuration, and motors behind springs, give what the library
 * computes, on random trees of all joint types. */
#include "generate_bench.h"
#include "jounce/derivatives.h"
#include "jounce/elastic.h"
#include "jounce/jets.h"
#include "jounce/regressor.h"

static void compare_jets(const jn_model *m, uint64_t *s, int order) {
  int n = jn_model_nv(m), links = jn_link_count(m), frames = jn_frame_count(m), wide = jn_parameter_count(m);
  jn_generate_options o;
  jn_generate_options_init(&o);
  o.in = JN_IN_BODY;
  o.order = order;
  jn_writing w = {.model = m, .allocator = m->allocator, .options = o};
  w.options.want =
      "gravity_forces_jet,mass_matrix_jet,coriolis_matrix_jet,momentum_jet,center_of_mass_jet,energy_jet,"
      "frame_twists_jet,joint_wrenches_jet,regressor_jet,gravity_forces_derivative,momentum_derivative,"
      "frame_twists_derivative";
  w.options.frame_count = frames;
  w.frame = calloc((size_t)frames, sizeof *w.frame);
  for (int i = 0; i < frames; i++) w.frame[i] = i;
  bench b;
  open_bench_of(&b, &w);
  check_ok(b.status);
  jn_work *work;
  check_ok(jn_work_create_order(m, order + 1, &work));
  int rows = order + 1;
  size_t most = (size_t)(rows * (n * n + n * wide + 6 * links + 6 * frames + 8) + 6 * frames * n + 6 * n);
  double *x = calloc(most, sizeof *x), *y = calloc(most, sizeof *y), *z = calloc(most, sizeof *z);

  jn__random_inputs(&b.w, s, b.input);
  const double *q = b.input[JN_ARRAY_Q], *v = b.input[JN_ARRAY_V];
  check_ok(jn_gravity_forces_jet(m, work, order, q, v, y));
  results(&b, 0, 0, x);
  check_close(x, y, rows * n, 1, 40000, "jet of gravity forces");
  check_ok(jn_mass_matrix_jet(m, work, order, q, v, y));
  results(&b, 1, 0, x);
  check_close(x, y, rows * n * n, 1, 40000, "jet of M");
  check_ok(jn_coriolis_matrix_jet(m, work, order, q, v, y));
  results(&b, 2, 0, x);
  check_close(x, y, rows * n * n, 1, 40000, "jet of C");
  check_ok(jn_momentum_jet(m, work, order, q, v, y));
  results(&b, 3, 0, x);
  check_close(x, y, rows * 6, 1, 40000, "jet of momentum");
  check_ok(jn_center_of_mass_jet(m, work, order, q, v, y));
  results(&b, 4, 0, x);
  check_close(x, y, rows * 3, 1, 40000, "jet of the centre of mass");
  check_ok(jn_energy_jet(m, work, order, q, v, y));
  results(&b, 5, 0, x);
  check_close(x, y, rows * 2, 1, 40000, "jet of energies");

  /* All frames for each order. */
  for (int k = 0; k < frames; k++) {
    check_ok(jn_frame_twist_jet(m, work, order, k, q, v, z));
    for (int i = 0; i < rows * 6; i++) y[(i / 6 * frames + k) * 6 + i % 6] = z[i];
  }
  results(&b, 6, 0, x);
  check_close(x, y, rows * 6 * frames, 1, 40000, "jets of twists");
  check_ok(jn_joint_wrenches_jet(m, work, order, q, v, NULL, y));
  results(&b, 7, 0, x);
  check_close(x, y, rows * 6 * links, 1, 40000, "jets of joint wrenches");
  check_ok(jn_regressor_jet(m, work, order, q, v, y));
  results(&b, 8, 0, x);
  check_close(x, y, rows * n * wide, 1, 40000, "jet of the regressor");

  check_ok(jn_gravity_forces_derivative(m, work, q, y));
  results(&b, 9, 0, x);
  check_close(x, y, n * n, 1, 4000, "dg_dq");
  check_ok(jn_momentum_derivative(m, work, JN_ABOUT_ORIGIN, q, v, y));
  results(&b, 10, 0, x);
  check_close(x, y, 6 * n, 1, 4000, "dh_dq");
  for (int k = 0; k < frames; k++)
    check_ok(jn_frame_twist_derivatives(m, work, k, JN_IN_BODY, q, v, y + (size_t)(6 * n * k)));
  results(&b, 11, 0, x);
  check_close(x, y, 6 * n * frames, 1, 4000, "dV_dq");
  free(x), free(y), free(z);
  jn_work_destroy(work);
  free(w.frame);
  close_bench(&b);
}

static void jets_and_derivatives_of_random_trees_are_those_of_the_library(void **unused) {
  (void)unused;
  uint64_t s = seed("jets");
  for (int round = 0; round < 24; round++) {
    jn_model *m = random_tree(&s, 1 + round % 8);
    if (jn_model_nv(m)) compare_jets(m, &s, round % 4);
    jn_model_destroy(m);
  }
}

/* ---- motors ---- */

static void compare_motors(const jn_model *m, uint64_t *s) {
  int n = jn_model_nv(m);
  size_t nn = (size_t)n;
  jn_actuator *actuators = calloc(nn, sizeof *actuators);
  for (int i = 0; i < n; i++) {
    jn_joint_type type = jn_joint_type_of(m, jn_coordinate_joint(m, i, NULL));
    jn_actuator *a = &actuators[i];
    jn_actuator_init(a);
    if (type == JN_SPHERICAL || type == JN_FREE) continue;
    if (uniform(s) > -0.5) a->stiffness = 500 * (1.5 + uniform(s));
    a->rotor_inertia = 0.2 * (1 + uniform(s));
    a->rotor_damping = uniform(s) > 0 ? 0.3 : 0;
    a->frictionloss = uniform(s) > 0 ? 0.5 : 0;
    a->friction_speed = 0.01;
  }
  jn_elastic *e;
  jn_error error;
  jn_status status = jn_elastic_create(m, actuators, NULL, &e, &error);
  check(status == JN_OK, "%s", error.text);

  jn_generate_options o;
  jn_generate_options_init(&o);
  o.elastic = e;
  bench b;
  open_bench(&b, m, "motor_commands", &o);
  jn_work *work;
  check_ok(jn_work_create_order(m, 3, &work));
  double *block = calloc(10 * nn, sizeof *block), *tau = block, *theta = tau + 3 * n, *torque = theta + 3 * n,
         *x = torque + n;
  for (int state = 0; state < 3; state++) {
    jn__random_inputs(&b.w, s, b.input);
    const double *q = b.input[JN_ARRAY_Q], *v = b.input[JN_ARRAY_V];
    check_ok(jn_inverse_dynamics_jet(m, work, 2, q, v, NULL, tau));
    check_ok(jn_elastic_inverse(e, 0, 0, q, v, tau, &(jn_motor_motion){.theta_jet = theta, .motor_jet = torque}));
    for (int i = 0; i < n; i++)
      if (isnan(theta[i])) theta[i] = 0; /* spherical and free joints */
    results(&b, 0, 0, x);
    check_close(x, theta, n, 1, 4000, "theta");
    results(&b, 0, 1, x);
    check_close(x, theta + n, n, 1, 4000, "dtheta");
    results(&b, 0, 2, x);
    check_close(x, torque, n, 1, 40000, "tau_m");
  }
  free(block);
  free(actuators);
  jn_work_destroy(work);
  close_bench(&b);
  jn_elastic_destroy(e);
}

static void motors_behind_springs_are_those_of_the_library(void **unused) {
  (void)unused;
  uint64_t s = seed("motors");
  for (int round = 0; round < 16; round++) {
    jn_model *m = random_tree(&s, 1 + round % 8);
    if (jn_model_nv(m)) compare_motors(m, &s);
    jn_model_destroy(m);
  }
}

static void springs_that_code_cannot_follow_are_refused_by_name(void **unused) {
  (void)unused;
  jn_model *m = model_from("builtin:double_pendulum");
  const double cubic[] = {0, 100, 0, 1000};
  for (int fault = 0; fault < 4; fault++) {
    jn_actuator a[2];
    jn_elastic_options e_options;
    jn_elastic *e = NULL;
    jn_error error;
    jn_elastic_options_init(&e_options);
    for (int i = 0; i < 2; i++) {
      jn_actuator_init(&a[i]);
      a[i].stiffness = 100;
      a[i].rotor_inertia = 0.1;
    }
    if (fault == 1) a[1].damping = 1;
    if (fault == 2) a[1].polynomial = cubic, a[1].polynomial_count = 4;
    if (fault == 3) e_options.coupled = 1;
    if (fault) check_ok(jn_elastic_create(m, a, &e_options, &e, &error));

    jn_generate_options o;
    jn_generated *out;
    jn_generate_options_init(&o);
    o.want = "motor_commands";
    o.elastic = e;
    static const char *const why[] = {"--actuators", "has damping", "is not linear", "reduced model"};
    check_status(jn_generate(m, &o, &out, &error), JN_ERR_UNSUPPORTED);
    check(strstr(error.text, why[fault]) && !out, "%s", error.text);
    jn_elastic_destroy(e);
  }
  jn_model_destroy(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(jets_and_derivatives_of_random_trees_are_those_of_the_library),
      cmocka_unit_test(motors_behind_springs_are_those_of_the_library),
      cmocka_unit_test(springs_that_code_cannot_follow_are_refused_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
