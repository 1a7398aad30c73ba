/* SPDX-License-Identifier: BSD-2-Clause */
/* Generated terms of the equations of motion give what the library computes, on random trees of all joint types; the
 * momentum observer finds the external forces of a simulated motion. */
#include "generate_bench.h"
#include "jounce/jets.h"

static void compare_terms(const jn_model *m, uint64_t *s, jn_representation in, const char *what) {
  int n = jn_model_nv(m), links = jn_link_count(m), frames = jn_frame_count(m);
  jn_generate_options o;
  jn_generate_options_init(&o);
  o.in = in;
  jn_writing w = {.model = m, .allocator = m->allocator, .options = o};
  w.options.want =
      "coriolis_forces,spring_forces,coriolis_matrix,mass_matrix_rate,mass_matrix_inverse,joint_wrenches,frame_twists,"
      "frame_accelerations,momentum_matrix,momentum_matrix_rate,com_jacobian";
  w.options.frame_count = frames;
  w.frame = calloc((size_t)frames, sizeof *w.frame);
  for (int i = 0; i < frames; i++) w.frame[i] = i;
  bench b;
  open_bench_of(&b, &w);
  check_ok(b.status);
  jn_work *work;
  check_ok(jn_work_create(m, &work));
  size_t most = (size_t)(n * n + 6 * n + 6 * links + 6 * frames + 1);
  double *x = calloc(most, sizeof *x), *y = calloc(most, sizeof *y);

  for (int state = 0; state < 3; state++) {
    jn__random_inputs(&b.w, s, b.input);
    const double *q = b.input[JN_ARRAY_Q], *v = b.input[JN_ARRAY_V], *a = b.input[JN_ARRAY_A];

    check_ok(jn_coriolis_forces(m, work, q, v, y));
    results(&b, 0, 0, x);
    check_close(x, y, n, 1, 4000, "%s: C v", what);
    check_ok(jn_spring_forces(m, q, y));
    results(&b, 1, 0, x);
    check_close(x, y, n, 1, 100, "%s: springs", what);
    check_ok(jn_coriolis_matrix(m, work, q, v, y));
    results(&b, 2, 0, x);
    check_close(x, y, n * n, 1, 4000, "%s: C", what);
    check_ok(jn_mass_matrix_rate(m, work, q, v, y));
    results(&b, 3, 0, x);
    check_close(x, y, n * n, 1, 4000, "%s: dM/dt", what);

    /* The inverse loses as many digits as M has; M times it does not: | M Minv - E | <= |M| |Minv| roundings. */
    check_ok(jn_mass_matrix(m, work, q, y));
    results(&b, 4, 0, x);
    double size = norm(x, n * n) * norm(y, n * n);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        double sum = 0, one = i == j;
        for (int k = 0; k < n; k++) sum += y[i * n + k] * x[k * n + j];
        check_close(&sum, &one, 1, size, 4000, "%s: M Minv", what);
      }

    check_ok(jn_joint_wrenches(m, work, q, v, a, NULL, y));
    results(&b, 5, 0, x);
    check_close(x, y, 6 * links, 1, 4000, "%s: joint wrenches", what);
    for (int k = 0; k < frames; k++) check_ok(jn_frame_twist(m, work, k, in, q, v, y + 6 * k));
    results(&b, 6, 0, x);
    check_close(x, y, 6 * frames, 1, 4000, "%s: twists", what);
    for (int k = 0; k < frames; k++) check_ok(jn_frame_acceleration(m, work, k, in, q, v, a, y + 6 * k));
    results(&b, 7, 0, x);
    check_close(x, y, 6 * frames, 1, 4000, "%s: accelerations", what);
    check_ok(jn_momentum_matrix(m, work, JN_ABOUT_ORIGIN, q, y));
    results(&b, 8, 0, x);
    check_close(x, y, 6 * n, 1, 4000, "%s: matrix of momentum", what);
    check_ok(jn_momentum_matrix_rate(m, work, JN_ABOUT_ORIGIN, q, v, y));
    results(&b, 9, 0, x);
    check_close(x, y, 6 * n, 1, 4000, "%s: rate of the matrix of momentum", what);
    check_ok(jn_com_jacobian(m, work, JN_WORLD, q, y));
    results(&b, 10, 0, x);
    check_close(x, y, 3 * n, 1, 4000, "%s: Jacobian of the centre of mass", what);
  }
  free(x), free(y);
  jn_work_destroy(work);
  free(w.frame);
  close_bench(&b);
}

static void terms_of_random_trees_are_those_of_the_library(void **unused) {
  (void)unused;
  uint64_t s = seed("terms");
  for (int round = 0; round < 30; round++) {
    jn_model *m = random_tree(&s, 1 + round % 12);
    if (jn_model_nv(m)) compare_terms(m, &s, (jn_representation)(round % 3), "random tree");
    jn_model_destroy(m);
  }
  for (int type = 0; type < JN_JOINT_TYPES; type++) {
    if (type == JN_FIXED) continue;
    jn_builder *builder;
    jn_model *m;
    check_ok(jn_builder_create(NULL, &builder));
    add_random_link(builder, &s, "first", NULL, (jn_joint_type)type, NULL);
    add_random_link(builder, &s, "second", "first", JN_REVOLUTE, NULL);
    add_random_link(builder, &s, "third", "second", (jn_joint_type)type, NULL);
    check_ok(jn_builder_freeze(builder, &m, NULL));
    jn_builder_destroy(builder);
    compare_terms(m, &s, JN_IN_BODY, jn_joint_type_name((jn_joint_type)type));
    jn_model_destroy(m);
  }
}

/* p = M v, and what the observer adds to its state in a step dt is dt (b + r) with
 *   b = tau - loss - h + dM/dt v = dp/dt without external forces. */
static void momentum_and_its_rate_are_those_of_the_library(void **unused) {
  (void)unused;
  uint64_t s = seed("momentum observer");
  for (int round = 0; round < 40; round++) {
    jn_model *m = random_tree(&s, 1 + round % 10);
    int n = jn_model_nv(m);
    if (n == 0) {
      jn_model_destroy(m);
      continue;
    }
    jn_generate_options o;
    jn_generate_options_init(&o);
    o.regroup = round % 2;
    bench b;
    open_bench(&b, m, "momentum_observer", &o);
    jn_work *work;
    check_ok(jn_work_create(m, &work));
    size_t nn = (size_t)n;
    double *M = calloc(nn * nn, sizeof *M), *rate = calloc(nn * nn, sizeof *rate), *x = calloc(8 * nn, sizeof *x);
    double *r = x, *next = x + n, *p = x + 2 * n, *h = x + 3 * n, *loss = x + 4 * n, *y = x + 5 * n, *z = x + 6 * n;
    jn__random_inputs(&b.w, &s, b.input);
    const double *q = b.input[JN_ARRAY_Q], *v = b.input[JN_ARRAY_V], *tau = b.input[JN_ARRAY_TAU];
    double dt = b.input[JN_ARRAY_STEP][0];
    check_ok(jn_mass_matrix(m, work, q, M));
    check_ok(jn_mass_matrix_rate(m, work, q, v, rate));
    check_ok(jn_bias_forces(m, work, q, v, h));
    check_ok(jn_loss_forces(m, v, loss));
    results(&b, 0, 0, r);
    results(&b, 0, 1, next);
    results(&b, 0, 2, p);

    for (int i = 0; i < n; i++) {
      double momentum = 0, change = tau[i] - loss[i] - h[i];
      for (int k = 0; k < n; k++) {
        momentum += M[i * n + k] * v[k];
        change += rate[i * n + k] * v[k];
      }
      y[i] = momentum;
      z[i] = b.input[JN_ARRAY_EXTRA][i] + dt * (change + r[i]);
    }
    check_close(p, y, n, 1, 4000, "p = M v");
    check_close(next, z, n, 1, 4000, "the state after a step");

    /* r = gain (p - z') at the end of the step. */
    for (int i = 0; i < n; i++) y[i] = b.input[JN_ARRAY_MORE][i] * (p[i] - next[i]);
    check_close(r, y, n, norm(p, n) * 100, 4000, "r = gain (p - z)");
    free(M), free(rate), free(x);
    jn_work_destroy(work);
    close_bench(&b);
    jn_model_destroy(m);
  }
}

/* A simulated motion with constant external forces: after ten time constants r is what acts. */
static void observer_finds_external_forces(void **unused) {
  (void)unused;
  jn_model *m = model_from("builtin:panda");
  enum { N = 7, STEPS = 4000 };
  const double dt = 2.5e-5, gain = 100;
  const double outside[N] = {3, -2, 5, 1, -1, 0.5, 0.2};
  jn_generate_options o;
  jn_generate_options_init(&o);
  bench b;
  open_bench(&b, m, "momentum_observer", &o);
  jn_work *work;
  check_ok(jn_work_create(m, &work));
  double **in = b.input, *q = in[JN_ARRAY_Q], *v = in[JN_ARRAY_V], *tau = in[JN_ARRAY_TAU], r[N];
  const double start[N] = {0.1, -0.5, 0.2, -2, 0.3, 1.5, 0.7};
  memcpy(q, start, sizeof start);
  in[JN_ARRAY_STEP][0] = dt;
  for (int i = 0; i < N; i++) in[JN_ARRAY_MORE][i] = gain;

  for (int step = 0; step <= STEPS; step++) {
    double total[N], loss[N], a[N], h[N];
    /* Motors hold the arm against gravity, with some damping, and push. */
    check_ok(jn_gravity_forces(m, work, q, h));
    check_ok(jn_loss_forces(m, v, loss));
    for (int i = 0; i < N; i++) {
      tau[i] = h[i] - 2 * v[i] + sin(20 * step * dt + i);
      total[i] = tau[i] + outside[i] - loss[i];
    }
    if (step == 0) results(&b, 0, 2, in[JN_ARRAY_EXTRA]);
    double next[N];
    results(&b, 0, 0, r);
    results(&b, 0, 1, next);
    memcpy(in[JN_ARRAY_EXTRA], next, sizeof next);

    /* One step of the simulation. */
    check_ok(jn_forward_dynamics(m, work, q, v, total, NULL, a));
    for (int i = 0; i < N; i++) {
      q[i] += dt * (v[i] + dt / 2 * a[i]);
      v[i] += dt * a[i];
    }
  }
  for (int i = 0; i < N; i++) check(fabs(r[i] - outside[i]) < 0.02, "joint %d: %g, not %g", i, r[i], outside[i]);
  jn_work_destroy(work);
  close_bench(&b);
  jn_model_destroy(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(terms_of_random_trees_are_those_of_the_library),
      cmocka_unit_test(momentum_and_its_rate_are_those_of_the_library),
      cmocka_unit_test(observer_finds_external_forces),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
