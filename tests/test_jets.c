/* SPDX-License-Identifier: BSD-2-Clause */
/* Time derivatives of any order by their laws, on random trees of every joint type. */
#include "complex_row.h"
#include "models.h"

enum { MODELS = 100, MOST = 5, V = 64, LINKS = 20 };

typedef struct state {
  jn_model *m;
  jn_work *w;
  int nq, nv, nlink, order;
  double q[80], v[(MOST + 3) * V], W[(MOST + 2) * LINKS * 6];
} state;

static void begin(state *x, uint64_t *s, int i, int order) {
  x->m = random_tree(s, 3 + i % 11);
  x->order = order;
  x->nq = jn_model_nq(x->m);
  x->nv = jn_model_nv(x->m);
  x->nlink = jn_link_count(x->m);
  check_ok(jn_work_create_order(x->m, order + 1, &x->w));
  check_ok(jn_random(x->m, s, x->q));
  fill(s, x->v, (order + 3) * x->nv, 1);
  fill(s, x->W, (order + 2) * 6 * x->nlink, 2);
}

static void end(state *x) {
  jn_work_destroy(x->w);
  jn_model_destroy(x->m);
}

static double norm(const double *x, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

static void order_zero_is_inverse_dynamics(void **st) {
  (void)st;
  uint64_t s = seed("order 0");
  for (int i = 0; i < MODELS; i++) {
    state x;
    double tau[V], jet[V];
    begin(&x, &s, i, 0);
    check_ok(jn_inverse_dynamics(x.m, x.w, x.q, x.v, x.v + x.nv, x.W, tau));
    check_ok(jn_inverse_dynamics_jet(x.m, x.w, 0, x.q, x.v, x.W, jet));
    check_close(jet, tau, x.nv, 50, 500, "tau");
    end(&x);
  }
}

/* The complex step along the motion, q (+) h v, v^(j) + h v^(j+1), W^(j) + h W^(j+1), turns order k into order k + 1.
 * With order 0 known to be right, all are. */
static void every_order_is_the_derivative_of_the_one_before(void **st) {
  (void)st;
  uint64_t s = seed("orders");
  const double h = 1e-30;
  static double _Complex q[80], v[(MOST + 3) * V], W[(MOST + 2) * LINKS * 6], y[(MOST + 2) * V];
  static double jet[(MOST + 2) * V], rate[V];
  for (int i = 0; i < MODELS; i++) {
    state x;
    begin(&x, &s, i, MOST);
    int n = x.nv, wide = 6 * x.nlink;
    check_ok(jn_inverse_dynamics_jet(x.m, x.w, MOST + 1, x.q, x.v, x.W, jet));
    complex_motion(x.m, x.q, x.v, h, q);
    for (int k = 0; k < (MOST + 2) * n; k++) v[k] = CMPLX(x.v[k], h * x.v[k + n]);
    for (int k = 0; k < (MOST + 1) * wide; k++) W[k] = CMPLX(x.W[k], h * x.W[k + wide]);
    jn_call call = {.in = {q, v, W}, .out = {y}, .arg = {MOST}};
    run_complex(x.m, MOST, JN_KERNEL_inverse_jet, &call);
    for (int k = 0; k <= MOST; k++) {
      for (int c = 0; c < n; c++) rate[c] = cimag(y[k * n + c]) / h;
      check_close(jet + (k + 1) * n, rate, n, 50, 2000, "d/dt of order %d", k);
    }
    end(&x);
  }
}

/* Size of what is added up in the equations of order k: forces, and inertia times the highest derivative. */
static double size_of(const double *M, const double *tau, const double *v, int n, int k) {
  return 1 + norm(tau, (k + 1) * n) + norm(M, n * n) * norm(v, (k + 2) * n);
}

/* Accelerations of a badly conditioned M lose digits, and lose them again at every order that builds on them; the
 * equations of motion are satisfied to rounding all the same. So: ID(FD(tau)) = tau at every order, and FD(ID(v)) = v
 * to the condition at the first. */
static void forward_and_inverse_undo_each_other_at_every_order(void **st) {
  (void)st;
  uint64_t s = seed("FD(ID)");
  static double tau[(MOST + 1) * V], back[(MOST + 2) * V], given[(MOST + 2) * V], th[(MOST + 1) * V],
      again[(MOST + 1) * V];
  static double M[V * V], inverse[V * V];
  for (int i = 0; i < MODELS; i++) {
    state x;
    unsigned char prescribed[V];
    begin(&x, &s, i, MOST);
    int n = x.nv;
    check_ok(jn_inverse_dynamics_jet(x.m, x.w, MOST, x.q, x.v, x.W, tau));
    check_ok(jn_mass_matrix(x.m, x.w, x.q, M));
    check_ok(jn_mass_matrix_inverse(x.m, x.w, x.q, inverse));
    check_ok(jn_forward_dynamics_jet(x.m, x.w, MOST, x.q, x.v, tau, x.W, back));
    double condition = norm(M, n * n) * norm(inverse, n * n);
    check_close(back + n, x.v + n, n, norm(tau, n), 2000 * condition, "FD(ID(v)) = v at order 0");
    check_ok(jn_inverse_dynamics_jet(x.m, x.w, MOST, x.q, back, x.W, again));
    for (int k = 0; k <= MOST; k++)
      check_close(again + k * n, tau + k * n, n, size_of(M, tau, back, n, k), 4000, "ID(FD(tau)) = tau, order %d", k);
    for (int c = 0; c < n; c++) prescribed[c] = uniform(&s) > 0;
    memcpy(given, x.v, sizeof(double) * (size_t)((MOST + 2) * n));
    memcpy(th, tau, sizeof(double) * (size_t)((MOST + 1) * n));
    for (int k = 0; k < (MOST + 1) * n; k++) { /* what is not given must not be looked at */
      if (prescribed[k % n])
        th[k] = NAN;
      else
        given[k + n] = NAN;
    }
    check_ok(jn_hybrid_dynamics_jet(x.m, x.w, MOST, prescribed, x.q, given, th, x.W, back, th));
    check_ok(jn_inverse_dynamics_jet(x.m, x.w, MOST, x.q, back, x.W, again));
    for (int k = 0; k <= MOST; k++) {
      double size = size_of(M, tau, back, n, k);
      check_close(again + k * n, th + k * n, n, size, 4000, "hybrid satisfies the equations, order %d", k);
      for (int c = 0; c < n; c++)
        if (prescribed[c])
          check_close(&back[(k + 1) * n + c], &x.v[(k + 1) * n + c], 1, 0, 0.51, "the given motion is kept");
        else
          check_close(&th[k * n + c], &tau[k * n + c], 1, 0, 0.51, "the given force is kept");
    }
    end(&x);
  }
}

static void coupled_coordinates_are_a_projection_at_every_order(void **st) {
  (void)st;
  uint64_t s = seed("mimic");
  for (int i = 0; i < 50; i++) {
    jn_builder *b;
    jn_model *m[2];
    const char *name[3] = {"a", "b", "c"};
    jn_link l[3];
    double ratio = 0.5 + 2 * fabs(uniform(&s)), offset = uniform(&s);
    for (int k = 0; k < 3; k++) {
      jn_link_init(&l[k]);
      l[k].name = name[k];
      l[k].parent = k ? name[k - 1] : NULL;
      random_placement(&s, l[k].placement);
      random_inertia(&s, l[k].inertia);
      random_joint(&s, k == 1 ? JN_PRISMATIC : JN_REVOLUTE, &l[k].joint);
      l[k].joint.dof[0].armature = 0.1;
    }
    l[2].joint.mimic = "a";
    l[2].joint.mimic_ratio = ratio;
    l[2].joint.mimic_offset = offset;
    double v[(MOST + 2) * 2], full_v[(MOST + 2) * 3], tau[(MOST + 1) * 2], full[(MOST + 1) * 3], q[2], full_q[3];
    fill(&s, q, 2, 1);
    fill(&s, v, (MOST + 2) * 2, 1);
    full_q[0] = q[0], full_q[1] = q[1], full_q[2] = ratio * q[0] + offset;
    for (int k = 0; k < MOST + 2; k++) {
      full_v[3 * k] = v[2 * k], full_v[3 * k + 1] = v[2 * k + 1], full_v[3 * k + 2] = ratio * v[2 * k];
    }
    for (int ignore = 0; ignore < 2; ignore++) {
      jn_options options;
      jn_work *w;
      jn_options_init(&options);
      options.ignore_mimic = ignore;
      check_ok(jn_builder_create(&options, &b));
      for (int k = 0; k < 3; k++) check_ok(jn_builder_add_link(b, &l[k]));
      check_ok(jn_builder_freeze(b, &m[ignore], NULL));
      jn_builder_destroy(b);
      check_ok(jn_work_create_order(m[ignore], MOST, &w));
      if (ignore)
        check_ok(jn_inverse_dynamics_jet(m[1], w, MOST, full_q, full_v, NULL, full));
      else
        check_ok(jn_inverse_dynamics_jet(m[0], w, MOST, q, v, NULL, tau));
      jn_work_destroy(w);
      jn_model_destroy(m[ignore]);
    }
    for (int k = 0; k <= MOST; k++) {
      double expected[2] = {full[3 * k] + ratio * full[3 * k + 2], full[3 * k + 1]};
      check_close(tau + 2 * k, expected, 2, 50, 1000, "order %d", k);
    }
  }
}

static void misuse_is_refused(void **st) {
  (void)st;
  uint64_t s = seed("misuse");
  state x;
  double tau[(MOST + 2) * V];
  begin(&x, &s, 5, 0);
  check_status(jn_inverse_dynamics_jet(x.m, x.w, -1, x.q, x.v, NULL, tau), JN_ERR_SIZE);
  check_status(jn_inverse_dynamics_jet(x.m, x.w, 2, x.q, x.v, NULL, tau), JN_ERR_WORK);
  jn_work_destroy(x.w);
  check_ok(jn_work_create(x.m, &x.w));
  check_status(jn_inverse_dynamics_jet(x.m, x.w, 0, x.q, x.v, NULL, tau), JN_ERR_WORK);
  check_status(jn_work_create_order(x.m, -1, &x.w), JN_ERR_SIZE);
  end(&x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(order_zero_is_inverse_dynamics),
      cmocka_unit_test(every_order_is_the_derivative_of_the_one_before),
      cmocka_unit_test(forward_and_inverse_undo_each_other_at_every_order),
      cmocka_unit_test(coupled_coordinates_are_a_projection_at_every_order),
      cmocka_unit_test(misuse_is_refused),
  };
  return cmocka_run_group_tests_name("jets", tests, NULL, NULL);
}
