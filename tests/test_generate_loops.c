/* SPDX-License-Identifier: BSD-2-Clause */
/* Generated functions of closed loops give what the library computes: conditions of all types of loops on random trees,
 * inverse and forward dynamics at closed states of the built-in mechanisms and of random ones. */
#include "generate_bench.h"
#include "jounce/loops.h"

/* A random tree of 10 links with two loops; the second one is of type `type`. */
static jn_model *random_loops(uint64_t *s, jn_loop_type type) {
  jn_model *tree = random_tree(s, 10), *m;
  jn_builder *b;
  check_ok(jn_model_thaw(tree, NULL, &b));
  for (int i = 0; i < 2; i++) {
    int links = jn_link_count(tree), one = (int)(0.4999 * (1 + uniform(s)) * links),
        other = (one + 1 + (int)(0.4999 * (1 + uniform(s)) * (links - 2))) % links;
    jn_loop g;
    jn_loop_init(&g);
    g.name = i ? "second" : "first";
    g.type = i ? type : JN_LOOP_DISTANCE;
    g.link_a = i ? jn_link_name(tree, one) : "world";
    g.link_b = jn_link_name(tree, other);
    random_placement(s, g.placement_a);
    random_placement(s, g.placement_b);
    fill(s, g.axis, 3, 1);
    fill(s, g.axis2, 3, 1);
    g.distance = 0.7;
    g.mask = 0x2d;
    for (int k = 0; g.type == JN_LOOP_COUPLING && k < links && g.term_count < 2; k++) {
      jn_joint_type joint = jn_joint_type_of(tree, k);
      if (joint != JN_REVOLUTE && joint != JN_PRISMATIC) continue;
      if (jn_joint_mimic(tree, k, NULL, NULL, NULL)) continue;
      g.term[g.term_count++] = (jn_coupling){.joint = jn_joint_name(tree, k), .factor = 0.5 + g.term_count};
    }
    if (g.type == JN_LOOP_COUPLING && g.term_count < 2) continue;
    check_ok(jn_builder_add_loop(b, &g));
  }
  jn_error error;
  jn_status status = jn_builder_freeze(b, &m, &error);
  check(status == JN_OK, "%s", error.text);
  jn_builder_destroy(b);
  jn_model_destroy(tree);
  return m;
}

static void compare_conditions(const jn_model *m, uint64_t *s, const char *what) {
  jn_generate_options o;
  jn_generate_options_init(&o);
  bench b;
  open_bench(&b, m, "loops_constraint", &o);
  jn_loops *l;
  check_ok(jn_loops_create(m, NULL, &l));
  int n = jn_model_nv(m), rows = jn_loops_rows(l);
  size_t size = (size_t)rows * (size_t)n;
  double *x = calloc(size, sizeof *x), *A = calloc(size, sizeof *A);
  double *phi = calloc((size_t)rows, sizeof *phi), *rate = calloc((size_t)rows, sizeof *rate);
  for (int state = 0; state < 3; state++) {
    double **in = b.input;
    b.w.closed_count = 0; /* any configuration */
    jn__random_inputs(&b.w, s, in);
    check_ok(jn_loops_constraint(l, in[JN_ARRAY_Q], in[JN_ARRAY_V], phi, A, rate));
    results(&b, 0, 0, x);
    check_close(x, phi, rows, 1, 4000, "%s: phi", what);
    results(&b, 0, 1, x);
    check_close(x, A, rows * n, 1, 4000, "%s: A", what);
    results(&b, 0, 2, x);
    check_close(x, rate, rows, 1, 4000, "%s: Adot v", what);
  }
  free(x), free(A), free(phi), free(rate);
  jn_loops_destroy(l);
  close_bench(&b);
}

static void conditions_of_each_type_of_loop_are_those_of_the_library(void **unused) {
  (void)unused;
  uint64_t s = seed("conditions");
  for (int round = 0; round < 2 * JN_LOOP_TYPES; round++) {
    jn_loop_type type = (jn_loop_type)(round % JN_LOOP_TYPES);
    jn_model *m = random_loops(&s, type);
    compare_conditions(m, &s, jn_loop_type_name(type));
    jn_model_destroy(m);
  }
}

/* M a + h - tau - A^T lambda and A a + Adot v; both are zero for forces and motions that belong together. */
static void find_residuals(const jn_model *m, jn_work *work, jn_loops *l, const double *q, const double *v,
                           const double *a, const double *tau, const double *lambda, double *forces, double *motion,
                           double *size) {
  int n = jn_model_nv(m), rows = jn_loops_rows(l);
  double *A = calloc((size_t)(rows * n), sizeof *A);
  check_ok(jn_loops_constraint(l, q, v, NULL, A, motion));
  check_ok(jn_inverse_dynamics(m, work, q, v, a, NULL, forces));
  *size = 1;
  for (int i = 0; i < n; i++) {
    *size = fmax(*size, fabs(forces[i]));
    forces[i] -= tau[i];
  }
  for (int r = 0; r < rows; r++)
    for (int i = 0; i < n; i++) {
      *size = fmax(*size, fmax(fabs(A[r * n + i] * lambda[r]), fabs(A[r * n + i] * a[i])));
      forces[i] -= A[r * n + i] * lambda[r];
      motion[r] += A[r * n + i] * a[i];
    }
  free(A);
}

/* Forward dynamics, and inverse dynamics with the motors of `actuated` (NULL: not). Returns the states that were
 * compared. */
static int compare_dynamics(const jn_model *m, uint64_t *s, const unsigned char *actuated, const char *what) {
  jn_generate_options o;
  jn_generate_options_init(&o);
  o.actuated = actuated;
  jn_writing w = {.model = m, .allocator = m->allocator, .options = o};
  w.options.want = actuated ? "loops_forward_dynamics,loops_inverse_dynamics" : "loops_forward_dynamics";
  bench b;
  open_bench_of(&b, &w);
  jn_loops *l;
  jn_work *work;
  check_ok(jn_loops_create(m, NULL, &l));
  check_ok(jn_work_create(m, &work));
  int nq = jn_model_nq(m), n = jn_model_nv(m), rows = jn_loops_rows(l), compared = 0;
  double *block = calloc((size_t)(8 * (n + rows)), sizeof *block), *a = block, *lambda = a + n, *forces = lambda + rows,
         *motion = forces + n, *zero = motion + rows, *tau = zero + n + rows, *expected = tau + 2 * n, size;

  for (int k = 0; k < 6 && b.w.closed_count; k++) {
    /* Exactly closed, with forces of which the motion is the result. */
    const double *state = jn__closed_state(&b.w, k), *q = state, *v = state + nq;
    double **in = b.input, a_of[2 * 64];
    jn__random_inputs(&b.w, s, in);
    memcpy(in[JN_ARRAY_Q], q, (size_t)nq * sizeof *q);
    memcpy(in[JN_ARRAY_V], v, (size_t)n * sizeof *v);
    memcpy(in[JN_ARRAY_A], v + n, (size_t)n * sizeof *v);
    check(n <= 64, "%d coordinates", n);

    jn_loops_health health;
    check_ok(jn_loops_forward_dynamics_jet(l, 0, q, v, in[JN_ARRAY_TAU], NULL, a_of, NULL));
    check_ok(jn_loops_last_health(l, &health));
    jn_status status = actuated ? jn_loops_inverse_dynamics_jet(l, 0, actuated, JN_LEAST_TORQUE, NULL, q, v, NULL, NULL,
                                                                expected, NULL)
                                : JN_OK;
    if (b.status != JN_OK) {
      /* What is refused cannot be for the library either, at any state. */
      check(status == JN_ERR_ACTUATION, "%s: refused, but the library says %s", what, jn_status_text(status));
      continue;
    }
    results(&b, 0, 0, a);
    results(&b, 0, 1, lambda);
    find_residuals(m, work, l, q, v, a, in[JN_ARRAY_TAU], lambda, forces, motion, &size);
    check_close(forces, zero, n, size, 1e5 / health.weakest, "%s: forces of forward dynamics", what);
    check_close(motion, zero, rows, size, 1e5 / health.weakest, "%s: motion of forward dynamics", what);
    check_close(a, a_of + n, n, size, 1e5 / (health.weakest * health.weakest), "%s: a", what);
    compared++;
    if (!actuated || status != JN_OK) continue;

    check_ok(jn_loops_last_health(l, &health));
    results(&b, 1, 0, tau);
    results(&b, 1, 1, lambda);
    find_residuals(m, work, l, q, v, v + n, tau, lambda, forces, motion, &size);
    check_close(forces, zero, n, size, 1e6 / health.weakest, "%s: forces of inverse dynamics", what);
    check_close(tau, expected, n, size, 1e6 / (health.weakest * health.weakest), "%s: tau", what);
  }
  free(block);
  jn_work_destroy(work);
  jn_loops_destroy(l);
  close_bench(&b);
  return compared;
}

/* Torque rates of a closed mechanism, along a motion that keeps it closed at every order. */
static void compare_loop_jets(const jn_model *m, uint64_t *s, const unsigned char *motors, const char *what) {
  enum { ORDER = 2 };
  jn_generate_options o;
  jn_generate_options_init(&o);
  o.actuated = motors;
  o.order = ORDER;
  bench b;
  open_bench(&b, m, "loops_inverse_dynamics_jet", &o);
  jn_loops_options loops;
  jn_loops *l;
  jn_loops_options_init(&loops);
  loops.order = ORDER;
  check_ok(jn_loops_create(m, &loops, &l));
  int nq = jn_model_nq(m), n = jn_model_nv(m);
  double *x = calloc((size_t)(2 * n * (ORDER + 1)), sizeof *x), *y = x + n * (ORDER + 1);
  for (int k = 0; k < 4; k++) {
    const double *state = jn__closed_state(&b.w, k), *v = state + nq;
    double **in = b.input;
    jn__random_inputs(&b.w, s, in);
    memcpy(in[JN_ARRAY_Q], state, (size_t)nq * sizeof *state);
    check_ok(jn_loops_forward_dynamics_jet(l, ORDER, state, v, in[JN_ARRAY_TAU], NULL, in[JN_ARRAY_V], NULL));
    check_ok(jn_loops_inverse_dynamics_jet(l, ORDER, motors, JN_LEAST_TORQUE, NULL, state, in[JN_ARRAY_V], NULL, NULL,
                                           y, NULL));
    jn_loops_health health;
    check_ok(jn_loops_last_health(l, &health));
    results(&b, 0, 0, x);
    for (int i = 0; i <= ORDER; i++)
      check_close(x + i * n, y + i * n, n, norm(in[JN_ARRAY_V], n * (i + 2)), 1e5 / pow(health.weakest, i + 1),
                  "%s: derivative %d of tau", what, i);
  }
  free(x);
  jn_loops_destroy(l);
  close_bench(&b);
}

static void actuate(const jn_model *m, const char *joints, unsigned char *motors) {
  memset(motors, 0, (size_t)jn_model_nv(m));
  char text[200];
  snprintf(text, sizeof text, "%s", joints);
  for (char *name = strtok(text, ","); name; name = strtok(NULL, ",")) {
    int joint = jn_joint_index(m, name);
    check(joint >= 0, "%s", name);
    for (int k = 0; k < jn_joint_nv(m, joint); k++) motors[jn_joint_v(m, joint) + k] = 1;
  }
}

static void dynamics_of_built_in_mechanisms_are_those_of_the_library(void **unused) {
  (void)unused;
  static const char *const robots[][2] = {
      {"builtin:four_bar", "motor"},
      {"builtin:five_bar", "left_motor,right_motor"},
      {"builtin:five_bar", "left_motor,right_motor,left_elbow"}, /* one to spare */
      {"builtin:slider_crank", "motor"},
      {"builtin:stewart", "leg1,leg2,leg3,leg4,leg5,leg6"},
      {"builtin:delta", "motor1,motor2,motor3"},
  };
  uint64_t s = seed("mechanisms");
  for (size_t i = 0; i < sizeof robots / sizeof *robots; i++) {
    jn_model *m = model_from(robots[i][0]);
    unsigned char motors[64];
    actuate(m, robots[i][1], motors);
    check(compare_dynamics(m, &s, motors, robots[i][0]) == 6, "%s: states are missing", robots[i][0]);
    compare_conditions(m, &s, robots[i][0]);
    compare_loop_jets(m, &s, motors, robots[i][0]);
    jn_model_destroy(m);
  }
}

static void dynamics_of_random_mechanisms_are_those_of_the_library(void **unused) {
  (void)unused;
  uint64_t s = seed("random mechanisms");
  int compared = 0;
  for (int round = 0; round < 3 * JN_LOOP_TYPES; round++) {
    jn_loop_type type = (jn_loop_type)(round % JN_LOOP_TYPES);
    jn_model *m = random_loops(&s, type);
    unsigned char motors[64];
    for (int i = 0; i < 64; i++) motors[i] = uniform(&s) > -0.6;
    compared += compare_dynamics(m, &s, round % 3 ? motors : NULL, jn_loop_type_name(type));
    jn_model_destroy(m);
  }
  check(compared > 60, "only %d states were compared", compared);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(conditions_of_each_type_of_loop_are_those_of_the_library),
      cmocka_unit_test(dynamics_of_built_in_mechanisms_are_those_of_the_library),
      cmocka_unit_test(dynamics_of_random_mechanisms_are_those_of_the_library),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
