/* SPDX-License-Identifier: BSD-2-Clause */
/* Generated functions, evaluated on their graph without a compiler, give what the library computes: on random trees of
 * all joint types, with and without regrouping. Generated text compiles without warnings and gives the same numbers:
 * tests/generate.sh. */
#include "generate_bench.h"

static void compare_all(const jn_model *m, uint64_t *s, const jn_generate_options *options, const char *what) {
  int n = jn_model_nv(m);
  size_t nn = (size_t)n;
  unsigned char *given = calloc(nn, 1);
  for (int i = 0; i < n; i++) given[i] = uniform(s) > 0;
  jn_generate_options o = *options;
  o.prescribed = given;

  bench b;
  open_bench(&b, m, "gravity_forces,bias_forces,inverse_dynamics,mass_matrix,forward_dynamics,hybrid_dynamics", &o);
  jn_work *work;
  check_ok(jn_work_create(m, &work));
  double *x = calloc(nn * nn, sizeof *x), *y = calloc(nn * nn, sizeof *y), *z = calloc(nn, sizeof *z);
  double **in = b.input;

  for (int state = 0; state < 3; state++) {
    jn__random_inputs(&b.w, s, in);
    double *q = in[JN_ARRAY_Q], *v = in[JN_ARRAY_V], *a = in[JN_ARRAY_A], *tau = in[JN_ARRAY_TAU];

    check_ok(jn_gravity_forces(m, work, q, y));
    results(&b, 0, 0, x);
    check_close(x, y, n, 1, 4000, "%s: gravity forces", what);

    check_ok(jn_bias_forces(m, work, q, v, y));
    results(&b, 1, 0, x);
    check_close(x, y, n, 1, 4000, "%s: bias forces", what);

    check_ok(jn_inverse_dynamics(m, work, q, v, a, NULL, y));
    results(&b, 2, 0, x);
    check_close(x, y, n, 1, 4000, "%s: inverse dynamics", what);

    check_ok(jn_mass_matrix(m, work, q, y));
    results(&b, 3, 0, x);
    check_close(x, y, n * n, 1, 4000, "%s: M", what);

    /* Solutions lose as many digits as M has; what they solve does not: M a + h = tau. */
    results(&b, 4, 0, x);
    check_ok(jn_inverse_dynamics(m, work, q, v, x, NULL, y));
    check_close(y, tau, n, norm(x, n), 40000, "%s: forward dynamics", what);

    results(&b, 5, 0, x);
    results(&b, 5, 1, z);
    check_ok(jn_inverse_dynamics(m, work, q, v, x, NULL, y));
    check_close(y, z, n, norm(x, n), 40000, "%s: hybrid dynamics", what);
    for (int i = 0; i < n; i++)
      check(given[i] ? x[i] == a[i] : z[i] == tau[i], "%s: hybrid dynamics keeps what is given", what);
  }
  free(x), free(y), free(z), free(given);
  jn_work_destroy(work);
  close_bench(&b);
}

/* Frames of the options, as jn_generate() fills them in. */
static void take_all_frames(jn_writing *w) {
  w->options.frame_count = jn_frame_count(w->model);
  w->frame = calloc((size_t)w->options.frame_count, sizeof *w->frame);
  for (int i = 0; i < w->options.frame_count; i++) w->frame[i] = i;
}

/* What is added up in the forces of order k of the motion v_jet: M times row k + 1, and the rest, which is as large as
 * products of the lower rows. Rounding errors are relative to these and not to their sum, tau. */
static double size_of_forces(const jn_model *m, jn_work *work, int k, const double *q, const double *v_jet) {
  int n = jn_model_nv(m);
  size_t nn = (size_t)n, rows = (size_t)k + 2;
  double *v = calloc(rows * nn, sizeof *v), *tau = calloc((rows + nn) * nn, sizeof *tau), *M = tau + rows * nn;
  memcpy(v, v_jet, (rows - 1) * nn * sizeof *v);
  check_ok(jn_inverse_dynamics_jet(m, work, k, q, v, NULL, tau));
  check_ok(jn_mass_matrix(m, work, q, M));
  double size = fmax(norm(tau, n * (k + 1)), n * norm(M, n * n) * norm(v_jet + (k + 1) * n, n));
  free(v), free(tau);
  return size;
}

static void compare_rates(const jn_model *m, uint64_t *s, int order) {
  int n = jn_model_nv(m);
  size_t nn = (size_t)n, rows = (size_t)order + 2;
  jn_generate_options o;
  jn_generate_options_init(&o);
  o.order = order;
  unsigned char *given = calloc(nn, 1);
  for (int i = 0; i < n; i++) given[i] = uniform(s) > 0;
  o.prescribed = given;
  bench b;
  open_bench(&b, m,
             "inverse_dynamics_jet,forward_dynamics_jet,inverse_dynamics_derivatives,forward_dynamics_derivatives,"
             "coriolis_matrix_christoffel,hybrid_dynamics_jet",
             &o);
  jn_work *work;
  check_ok(jn_work_create_order(m, order + 1, &work));
  size_t most = (nn > rows ? nn : rows) * nn;
  double *x = calloc(most, sizeof *x), *y = calloc(4 * most, sizeof *y);
  double **in = b.input, *dq = y, *dv = y + most, *da = y + 2 * most, *a_out = y + 3 * most;

  for (int state = 0; state < 2; state++) {
    jn__random_inputs(&b.w, s, in);
    double *q = in[JN_ARRAY_Q], *v = in[JN_ARRAY_V], *a = in[JN_ARRAY_A], *tau = in[JN_ARRAY_TAU];

    check_ok(jn_inverse_dynamics_jet(m, work, order, q, v, NULL, y));
    results(&b, 0, 0, x);
    for (int k = 0; k <= order; k++) check_close(x + k * n, y + k * n, n, 1, 40000, "forces, derivative %d", k);

    /* What forward dynamics gives, inverse dynamics takes back. */
    results(&b, 1, 0, x);
    check_ok(jn_inverse_dynamics_jet(m, work, order, q, x, NULL, y));
    for (int k = 0; k <= order; k++)
      check_close(y + k * n, tau + k * n, n, fmin(size_of_forces(m, work, k, q, x), 1e4 * norm(x, n * (k + 2))), 100,
                  "motion, derivative %d", k);

    /* The same of hybrid dynamics, which keeps what is given. Neither bound exceeds a million roundings of the motion.
     */
    results(&b, 5, 0, x);
    check_ok(jn_inverse_dynamics_jet(m, work, order, q, x, NULL, y));
    results(&b, 5, 1, y + most);
    for (int k = 0; k <= order; k++)
      check_close(y + k * n, y + most + (size_t)(k * n), n,
                  fmin(size_of_forces(m, work, k, q, x), 1e4 * norm(x, n * (k + 2))), 100,
                  "hybrid motion, derivative %d", k);
    for (int i = 0; i < n * (order + 1); i++)
      check(given[i % n] ? fabs(x[n + i] - v[n + i]) <= 1e-14 * fabs(v[n + i]) : y[most + (size_t)i] == tau[i],
            "hybrid dynamics keeps what is given");

    check_ok(jn_inverse_dynamics_derivatives(m, work, q, v, a, NULL, JN_IN_BODY, dq, dv, da, NULL));
    results(&b, 2, 0, x);
    check_close(x, dq, n * n, 1, 40000, "dtau_dq");
    results(&b, 2, 1, x);
    check_close(x, dv, n * n, 1, 40000, "dtau_dv");
    results(&b, 2, 2, x);
    check_close(x, da, n * n, 1, 40000, "dtau_da");

    check_ok(jn_forward_dynamics_derivatives(m, work, q, v, tau, NULL, JN_IN_BODY, a_out, dq, dv, da, NULL));
    double size = norm(da, n * n);
    results(&b, 3, 0, x);
    check_close(x, a_out, n, size, 1e6, "a");
    results(&b, 3, 1, x);
    check_close(x, dq, n * n, size, 1e7, "da_dq");
    results(&b, 3, 2, x);
    check_close(x, dv, n * n, size, 1e6, "da_dv");
    results(&b, 3, 3, x);
    check_close(x, da, n * n, size, 1e6, "da_dtau");

    check_ok(jn_coriolis_matrix_christoffel(m, work, q, v, y));
    results(&b, 4, 0, x);
    check_close(x, y, n * n, 1, 40000, "C by Christoffel symbols");
  }
  free(x), free(y), free(given);
  jn_work_destroy(work);
  close_bench(&b);
}

static void derivatives_in_time_and_by_the_state_are_those_of_the_library(void **unused) {
  (void)unused;
  uint64_t s = seed("derivatives");
  for (int round = 0; round < 24; round++) {
    jn_model *m = random_tree(&s, 1 + round % 9);
    if (jn_model_nv(m)) compare_rates(m, &s, round % 4);
    jn_model_destroy(m);
  }
}

static void compare_kinematics(const jn_model *m, uint64_t *s, jn_representation representation) {
  int n = jn_model_nv(m), frames = jn_frame_count(m), parameters = jn_parameter_count(m);
  jn_generate_options o;
  jn_generate_options_init(&o);
  o.in = representation;
  jn_writing w = {.model = m, .allocator = m->allocator, .options = o};
  w.options.want = "poses,jacobians,jacobian_rates,center_of_mass,momentum,energies,regressor,loss_forces";
  take_all_frames(&w);
  bench open;
  open_bench_of(&open, &w);
  check_ok(open.status);

  jn_work *work;
  check_ok(jn_work_create(m, &work));
  size_t most = (size_t)(frames * 6 * n + frames * 16 + n * parameters + 16);
  double *x = calloc(most, sizeof *x), *y = calloc(most, sizeof *y), com[9];
  double **in = open.input, *q, *v, *a;
  for (int state = 0; state < 2; state++) {
    jn__random_inputs(&open.w, s, in);
    q = in[JN_ARRAY_Q], v = in[JN_ARRAY_V], a = in[JN_ARRAY_A];

    check_ok(jn_frame_poses(m, work, q, y));
    results(&open, 0, 0, x);
    check_close(x, y, 16 * frames, 1, 1000, "poses");
    check_ok(jn_frame_jacobians(m, work, representation, q, y));
    results(&open, 1, 0, x);
    check_close(x, y, 6 * n * frames, 1, 1000, "Jacobians");
    check_ok(jn_frame_jacobian_rates(m, work, representation, q, v, y));
    results(&open, 2, 0, x);
    check_close(x, y, 6 * n * frames, 1, 4000, "rates of Jacobians");
    check_ok(jn_center_of_mass(m, work, JN_WORLD, q, v, a, com, com + 3, com + 6));
    for (int k = 0; k < 3; k++) {
      results(&open, 3, k, x);
      check_close(x, com + 3 * k, 3, 1, 4000, "centre of mass, derivative %d", k);
    }
    check_ok(jn_momentum(m, work, JN_ABOUT_ORIGIN, q, v, y));
    results(&open, 4, 0, x);
    check_close(x, y, 6, 1, 4000, "momentum");
    check_ok(jn_energy(m, work, q, v, y));
    results(&open, 5, 0, x);
    check_close(x, y, 2, 1, 4000, "energies");
    check_ok(jn_regressor(m, work, q, v, a, y));
    results(&open, 6, 0, x);
    check_close(x, y, n * parameters, 1, 4000, "torque regressor");
    check_ok(jn_loss_forces(m, v, y));
    results(&open, 7, 0, x);
    check_close(x, y, n, 1, 10, "losses");
  }
  free(x), free(y);
  jn_work_destroy(work);
  free(w.frame);
  close_bench(&open);
}

static void kinematics_momenta_and_regressors_are_those_of_the_library(void **unused) {
  (void)unused;
  uint64_t s = seed("kinematics");
  for (int round = 0; round < 24; round++) {
    jn_model *m = random_tree(&s, 2 + round % 9);
    if (jn_model_nv(m)) compare_kinematics(m, &s, (jn_representation)(round % 3));
    jn_model_destroy(m);
  }
}

/* Arguments in place of constants: gravity, a payload, all inertial parameters. */
static void arguments_replace_constants(void **unused) {
  (void)unused;
  uint64_t s = seed("arguments");
  for (int round = 0; round < 16; round++) {
    jn_model *m = random_tree(&s, 2 + round % 7), *other, *heavier;
    int n = jn_model_nv(m), link = jn_link_count(m) - 1;
    if (n && jn_frame_count(m) == jn_link_count(m)) {
      jn_generate_options o;
      jn_generate_options_init(&o);
      o.runtime = JN_GENERATE_GRAVITY | JN_GENERATE_PAYLOAD | (round % 2 ? JN_GENERATE_PARAMETERS : 0);
      if (round % 2) o.regroup = 0;
      bench b;
      open_bench(&b, m, "inverse_dynamics", &o);
      jn__random_inputs(&b.w, &s, b.input);
      random_inertia(&s, b.input[JN_ARRAY_PAYLOAD]);
      double **in = b.input, *tau = calloc((size_t)n, sizeof *tau), *x = calloc((size_t)n, sizeof *x);

      /* The same change of the model itself. */
      check_ok(jn_model_with_gravity(m, in[JN_ARRAY_GRAVITY], &other));
      check_ok(jn_model_with_payload(other, link, in[JN_ARRAY_PAYLOAD], &heavier));
      jn_work *work;
      check_ok(jn_work_create(heavier, &work));
      check_ok(jn_inverse_dynamics(heavier, work, in[JN_ARRAY_Q], in[JN_ARRAY_V], in[JN_ARRAY_A], NULL, tau));
      results(&b, 0, 0, x);
      check_close(x, tau, n, 1, 4000, "gravity, payload%s", round % 2 ? " and parameters" : "");
      free(x), free(tau);
      jn_work_destroy(work);
      jn_model_destroy(heavier);
      jn_model_destroy(other);
      close_bench(&b);
    }
    jn_model_destroy(m);
  }
}

/* Names from files cannot leave their comments, and wrong options are refused. */
static void refuses_bad_names_and_options(void **unused) {
  (void)unused;
  jn_model *m = model_from("builtin:panda");
  jn_generated *out = NULL;
  jn_error error;
  static const char *const prefixes[] = {
      "", "1robot", "a b", "x;int y", "_x", "r\303\266bot", "abcdefghijabcdefghijabcdefghijabcdefghij1"};
  jn_generate_options o;
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
    jn_generate_options_init(&o);
    o.prefix = prefixes[i];
    check_status(jn_generate(m, &o, &out, &error), JN_ERR_NAME);
    check(strstr(error.text, "prefix") && !out, "%s", error.text);
  }
  jn_generate_options_init(&o);
  o.want = "inverse_dynamics,nothing";
  check_status(jn_generate(m, &o, &out, &error), JN_ERR_NAME);
  check(strstr(error.text, "nothing") != NULL, "%s", error.text);
  o.want = "mass_matrix_derivative"; /* with the reason */
  check_status(jn_generate(m, &o, &out, &error), JN_ERR_UNSUPPORTED);
  check(strstr(error.text, "nv^3") != NULL, "%s", error.text);
  o.want = "frame_poses"; /* by another name */
  check_status(jn_generate(m, &o, &out, &error), JN_ERR_NAME);
  check(strstr(error.text, "poses") != NULL, "%s", error.text);
  o.want = "loops_forward_dynamics";
  check_status(jn_generate(m, &o, &out, &error), JN_ERR_UNSUPPORTED);
  check(strstr(error.text, "loops") != NULL, "%s", error.text);
  jn_generate_options_init(&o);
  o.order = 9;
  check_status(jn_generate(m, &o, &out, &error), JN_ERR_SIZE);
  o.size = 1;
  check_status(jn_generate(m, &o, &out, &error), JN_ERR_INIT);
  jn_model_destroy(m);
}

static void names_of_files_stay_in_their_comments(void **unused) {
  (void)unused;
  jn_builder *b;
  jn_model *m;
  jn_error error;
  jn_generated *out;
  jn_link l;
  check_ok(jn_builder_create(NULL, &b));
  jn_link_init(&l);
  l.name = "evil */ int main(void) { return 1; } /* \\ ?\?/ // \303\266";
  l.joint.type = JN_REVOLUTE;
  l.inertia[0] = 1;
  l.inertia[1] = 1;
  for (int k = 4; k < 7; k++) l.inertia[k] = 2;
  check_ok(jn_builder_add_link(b, &l));
  jn_status status = jn_builder_freeze(b, &m, &error);
  check(status == JN_OK, "%s", error.text);
  jn_generate_options o;
  jn_generate_options_init(&o);
  o.source = o.command = l.name;
  check_ok(jn_generate(m, &o, &out, &error));
  check(jn_generated_count(out) == 2, "%d files", jn_generated_count(out));
  for (int i = 0; i < 2; i++) {
    /* Outside of comments nothing of the name is left, and no byte could change what a comment is. */
    int inside = 0;
    const char *text = jn_generated_text(out, i);
    for (const char *c = text; *c; c++) {
      check((*c >= 32 && *c < 127 && *c != '\\' && *c != '?') || *c == '\n' || !inside, "byte %d in a comment", *c);
      if (!inside && c[0] == '/' && c[1] == '*')
        inside = 1, c++;
      else if (inside && c[0] == '*' && c[1] == '/')
        inside = 0, c++;
      check(inside || strncmp(c, "int main", 8) != 0, "the name left its comment in %s", jn_generated_name(out, i));
    }
  }
  check(jn_generated_operations(out, "inverse_dynamics") > 0, "no operations");
  jn_generated_destroy(out);
  jn_model_destroy(m);
  jn_builder_destroy(b);
}

static void functions_of_each_joint_type_are_those_of_the_library(void **unused) {
  (void)unused;
  uint64_t s = seed("joint types");
  for (int type = 0; type < JN_JOINT_TYPES; type++) {
    if (type == JN_FIXED) continue;
    jn_builder *builder;
    jn_model *m;
    jn_error error;
    check_ok(jn_builder_create(NULL, &builder));
    add_random_link(builder, &s, "first", NULL, (jn_joint_type)type, NULL);
    add_random_link(builder, &s, "second", "first", JN_REVOLUTE, NULL);
    add_random_link(builder, &s, "third", "second", (jn_joint_type)type, NULL);
    jn_status status = jn_builder_freeze(builder, &m, &error);
    jn_builder_destroy(builder);
    check(status == JN_OK, "%s", error.text);

    jn_generate_options o;
    jn_generate_options_init(&o);
    for (o.regroup = 0; o.regroup < 2; o.regroup++) compare_all(m, &s, &o, jn_joint_type_name((jn_joint_type)type));
    jn_model_destroy(m);
  }
}

static void functions_of_random_trees_are_those_of_the_library(void **unused) {
  (void)unused;
  uint64_t s = seed("random trees");
  for (int round = 0; round < 60; round++) {
    jn_model *m = random_tree(&s, 1 + round % 14);
    jn_generate_options o;
    jn_generate_options_init(&o);
    for (o.regroup = 0; o.regroup < 2 && jn_model_nv(m); o.regroup++)
      compare_all(m, &s, &o, o.regroup ? "regrouped" : "not regrouped");
    jn_model_destroy(m);
  }
}

static void functions_of_built_in_robots_are_those_of_the_library(void **unused) {
  (void)unused;
  static const char *const robots[] = {"builtin:panda",    "builtin:kuka_iiwa",       "builtin:quadruped",
                                       "builtin:humanoid", "builtin:double_pendulum", "builtin:planar_2r"};
  uint64_t s = seed("built-in robots");
  for (size_t i = 0; i < sizeof robots / sizeof *robots; i++) {
    jn_model *m = model_from(robots[i]);
    jn_generate_options o;
    jn_generate_options_init(&o);
    compare_all(m, &s, &o, robots[i]);
    jn_model_destroy(m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(functions_of_each_joint_type_are_those_of_the_library),
      cmocka_unit_test(functions_of_random_trees_are_those_of_the_library),
      cmocka_unit_test(derivatives_in_time_and_by_the_state_are_those_of_the_library),
      cmocka_unit_test(kinematics_momenta_and_regressors_are_those_of_the_library),
      cmocka_unit_test(arguments_replace_constants),
      cmocka_unit_test(refuses_bad_names_and_options),
      cmocka_unit_test(names_of_files_stay_in_their_comments),
      cmocka_unit_test(functions_of_built_in_robots_are_those_of_the_library),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
