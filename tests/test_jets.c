/* SPDX-License-Identifier: BSD-2-Clause */
/* Time derivatives of any order by their properties, on random trees of every joint type. */
#include "complex_variant.h"
#include "jounce/batch.h"
#include "jounce/loops.h"
#include "jounce/solvers.h"
#include "jounce/tasks.h"
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

static void order_zero_is_inverse_dynamics(void **st) {
  (void)st;
  uint64_t s = seed("order 0");
  for (int i = 0; i < MODELS; i++) {
    state x;
    double tau[V], jet[2 * V];
    begin(&x, &s, i, 1); /* order 0 alone is inverse dynamics itself */
    check_ok(jn_inverse_dynamics(x.m, x.w, x.q, x.v, x.v + x.nv, x.W, tau));
    check_ok(jn_inverse_dynamics_jet(x.m, x.w, 1, x.q, x.v, x.W, jet));
    check_close(jet, tau, x.nv, 50, 500, "tau");
    release(x.m, x.w);
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
    jn_call call = {.inverse_dynamics_jet = {.q = q, .v_jet = v, .wrench_jet = W, .tau_jet = y, .order = MOST}};
    run_complex(x.m, MOST, JN_KERNEL_inverse_dynamics_jet, &call);
    for (int k = 0; k <= MOST; k++) {
      for (int c = 0; c < n; c++) rate[c] = cimag(y[k * n + c]) / h;
      check_close(jet + (k + 1) * n, rate, n, 50, 2000, "d/dt of order %d", k);
    }
    release(x.m, x.w);
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
    release(x.m, x.w);
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

/* Order 0 of the closed forms is what their own functions give. */
static void closed_forms_start_with_the_matrices(void **st) {
  (void)st;
  uint64_t s = seed("closed form, order 0");
  static double one[V * V], jet[V * V];
  for (int i = 0; i < MODELS; i++) {
    state x;
    begin(&x, &s, i, 0);
    int n = x.nv, frame = x.nlink - 1;
    check_ok(jn_mass_matrix(x.m, x.w, x.q, one));
    check_ok(jn_mass_matrix_jet(x.m, x.w, 0, x.q, x.v, jet));
    check_close(jet, one, n * n, 1, 500, "M");
    check_ok(jn_coriolis_matrix(x.m, x.w, x.q, x.v, one));
    check_ok(jn_coriolis_matrix_jet(x.m, x.w, 0, x.q, x.v, jet));
    check_close(jet, one, n * n, 10, 1000, "C");
    check_ok(jn_gravity_forces(x.m, x.w, x.q, one));
    check_ok(jn_gravity_forces_jet(x.m, x.w, 0, x.q, x.v, jet));
    check_close(jet, one, n, 10, 500, "g");
    check_ok(jn_frame_twist(x.m, x.w, frame, JN_IN_BODY, x.q, x.v, one));
    check_ok(jn_frame_twist_jet(x.m, x.w, 0, frame, x.q, x.v, jet));
    check_close(jet, one, 6, 5, 500, "twist");
    check_ok(jn_frame_jacobian(x.m, x.w, frame, JN_IN_BODY, x.q, one));
    check_ok(jn_frame_jacobian_jet(x.m, x.w, 0, frame, x.q, x.v, jet));
    check_close(jet, one, 6 * n, 1, 500, "J");
    release(x.m, x.w);
  }
}

/* And each further order is the derivative of the one before, by complex step along the motion. */
static void closed_forms_of_every_order_are_derivatives(void **st) {
  (void)st;
  uint64_t s = seed("closed form");
  enum { TOP = 3 };
  const double h = 1e-30;
  static double _Complex q[80], v[(TOP + 3) * V], y[(TOP + 1) * V * V];
  static double jet[(TOP + 2) * V * V], rate[V * V];
  for (int i = 0; i < MODELS; i++) {
    state x;
    begin(&x, &s, i, TOP);
    int n = x.nv, frame = x.nlink - 1;
    const int size[5] = {n * n, n * n, n, 6, 6 * n};
    complex_motion(x.m, x.q, x.v, h, q);
    for (int k = 0; k < (TOP + 2) * n; k++) v[k] = CMPLX(x.v[k], h * x.v[k + n]);
    for (int out = 0; out < 5; out++) {
      jn_status status = out == 0   ? jn_mass_matrix_jet(x.m, x.w, TOP + 1, x.q, x.v, jet)
                         : out == 1 ? jn_coriolis_matrix_jet(x.m, x.w, TOP + 1, x.q, x.v, jet)
                         : out == 2 ? jn_gravity_forces_jet(x.m, x.w, TOP + 1, x.q, x.v, jet)
                         : out == 3 ? jn_frame_twist_jet(x.m, x.w, TOP + 1, frame, x.q, x.v, jet)
                                    : jn_frame_jacobian_jet(x.m, x.w, TOP + 1, frame, x.q, x.v, jet);
      check_ok(status);
      jn_call call = {.matrix_jet = {.q = q, .v_jet = v, .order = TOP}};
      if (out < 3)
        call.matrix_jet.outputs[out] = y;
      else {
        call.frame_jet = (jn_frame_jet_arguments){.q = q, .v_jet = v, .order = TOP, .frame = frame};
        call.frame_jet.outputs[out - 3] = y;
      }
      run_complex(x.m, TOP, out < 3 ? JN_KERNEL_matrix_jet : JN_KERNEL_frame_jet, &call);
      for (int k = 0; k <= TOP; k++) {
        for (int c = 0; c < size[out]; c++) rate[c] = cimag(y[k * size[out] + c]) / h;
        check_close(jet + (k + 1) * size[out], rate, size[out], 50, 4000, "output %d, d/dt of order %d", out, k);
      }
    }
    release(x.m, x.w);
  }
}

/* tau^(n) = sum_k binom(n, k) (M^(n-k) v^(k+1) + C^(n-k) v^(k)) + g^(n) (kumar2021 eq. 34): closed form = recursion;
 * M^(k) symmetric, and dM^(k+1) = C^(k) + C^(k)^T, so that d^k/dt^k (dM/dt - 2C) is skew. */
static void closed_form_is_the_recursion_and_keeps_its_structure(void **st) {
  (void)st;
  uint64_t s = seed("closed = recursive");
  enum { TOP = 4 };
  static double M[(TOP + 1) * V * V], C[(TOP + 1) * V * V], g[(TOP + 1) * V], tau[(TOP + 1) * V], sum[V];
  for (int i = 0; i < MODELS; i++) {
    state x;
    begin(&x, &s, i, TOP);
    int n = x.nv;
    check_ok(jn_mass_matrix_jet(x.m, x.w, TOP, x.q, x.v, M));
    check_ok(jn_coriolis_matrix_jet(x.m, x.w, TOP, x.q, x.v, C));
    check_ok(jn_gravity_forces_jet(x.m, x.w, TOP, x.q, x.v, g));
    check_ok(jn_inverse_dynamics_jet(x.m, x.w, TOP, x.q, x.v, NULL, tau));
    for (int order = 0; order <= TOP; order++) {
      double binom = 1, size = 50;
      for (int r = 0; r < n; r++) sum[r] = g[order * n + r];
      for (int k = 0; k <= order; k++) {
        for (int r = 0; r < n; r++)
          for (int c = 0; c < n; c++)
            sum[r] += binom * (M[((order - k) * n + r) * n + c] * x.v[(k + 1) * n + c] +
                               C[((order - k) * n + r) * n + c] * x.v[k * n + c]);
        size = fmax(size, binom * (norm(M + (order - k) * n * n, n * n) + norm(C + (order - k) * n * n, n * n)));
        binom = binom * (order - k) / (k + 1);
      }
      add_spring_forces(x.m, x.q, x.v, order, sum);
      check_close(tau + order * n, sum, n, size, 4000, "closed form = recursion at order %d", order);
      double scale = fmax(1, norm(M + order * n * n, n * n));
      for (int r = 0; r < n; r++)
        for (int c = 0; c < r; c++) {
          const double *A = M + order * n * n, *B = C + (order > 0 ? order - 1 : 0) * n * n;
          check_close(&A[r * n + c], &A[c * n + r], 1, scale, 1000, "M^(%d) is symmetric", order);
          double both = B[r * n + c] + B[c * n + r];
          if (order > 0)
            check_close(&A[r * n + c], &both, 1, scale, 4000, "M^(%d) = C^(%d) + its transpose", order, order - 1);
        }
    }
    release(x.m, x.w);
  }
}

static void momentum_centre_and_energies_of_every_order(void **st) {
  (void)st;
  uint64_t s = seed("momentum jets");
  enum { TOP = 4 };
  const double h = 1e-30;
  const int size[3] = {6, 3, 2};
  static double _Complex q[80], v[(TOP + 3) * V], y[(TOP + 1) * 6];
  double jet[(TOP + 2) * 6], one[6], rate[6];
  for (int i = 0; i < MODELS; i++) {
    state x;
    begin(&x, &s, i, TOP);
    complex_motion(x.m, x.q, x.v, h, q);
    for (int k = 0; k < (TOP + 2) * x.nv; k++) v[k] = CMPLX(x.v[k], h * x.v[k + x.nv]);
    for (int out = 0; out < 3; out++) {
      if (out == 1 && jn_model_mass(x.m) == 0) continue;
      check_ok(out == 0   ? jn_momentum_jet(x.m, x.w, TOP + 1, x.q, x.v, jet)
               : out == 1 ? jn_center_of_mass_jet(x.m, x.w, TOP + 1, x.q, x.v, jet)
                          : jn_energy_jet(x.m, x.w, TOP + 1, x.q, x.v, jet));
      check_ok(out == 0   ? jn_momentum(x.m, x.w, JN_ABOUT_ORIGIN, x.q, x.v, one)
               : out == 1 ? jn_center_of_mass(x.m, x.w, JN_WORLD, x.q, NULL, NULL, one, NULL, NULL)
                          : jn_energy(x.m, x.w, x.q, x.v, one));
      check_close(jet, one, size[out], 10, 500, "order 0 of output %d", out);
      jn_call call = {.momentum_jet = {.q = q, .v_jet = v, .order = TOP}};
      call.momentum_jet.outputs[out] = y;
      run_complex(x.m, TOP, JN_KERNEL_momentum_jet, &call);
      for (int k = 0; k <= TOP; k++) {
        for (int c = 0; c < size[out]; c++) rate[c] = cimag(y[k * size[out] + c]) / h;
        check_close(jet + (k + 1) * size[out], rate, size[out], 50, 4000, "output %d, d/dt of order %d", out, k);
      }
    }
    release(x.m, x.w);
  }
}

/* Work in memory of the caller, at any address, with guards on both sides of what jn_work_size_order() asks for: the
 * same to the bit as in work of the library's own, and nothing else is written. */
static void jets_in_memory_of_the_caller_are_the_same(void **st) {
  (void)st;
  uint64_t s = seed("memory of the caller");
  enum { GUARD = 64 };
  static double tau[2][(MOST + 1) * V], back[2][(MOST + 2) * V], M[2][(MOST + 1) * V * V];
  for (int i = 0; i < 30; i++) {
    state x;
    int order = i % (MOST + 1), off = i % 17;
    begin(&x, &s, i, order);
    size_t bytes = jn_work_size_order(x.m, order), all = bytes + 2 * GUARD, rows = (size_t)(order + 1);
    unsigned char *memory = malloc(all), *start = memory + GUARD / 2 + off;
    assert_non_null(memory);
    memset(memory, 0xa5, all);
    check(bytes <= jn_work_size_order(x.m, order + 1) && bytes >= jn_work_size(x.m), "bytes grow with the order");
    jn_work *w[2];
    check_status(jn_work_init_order(x.m, order, start, bytes - 1, &w[0]), JN_ERR_SIZE);
    assert_null(w[0]);
    check_ok(jn_work_init_order(x.m, order, start, bytes, &w[0]));
    check_ok(jn_work_create_order(x.m, order, &w[1]));
    for (int k = 0; k < 2; k++) {
      check_ok(jn_inverse_dynamics_jet(x.m, w[k], order, x.q, x.v, x.W, tau[k]));
      check_ok(jn_forward_dynamics_jet(x.m, w[k], order, x.q, x.v, tau[0], x.W, back[k]));
      check_ok(jn_mass_matrix_jet(x.m, w[k], order, x.q, x.v, M[k]));
      check_status(jn_inverse_dynamics_jet(x.m, w[k], order + 1, x.q, x.v, NULL, tau[k]), JN_ERR_WORK);
    }
    size_t n = (size_t)x.nv, row = n * sizeof(double);
    assert_memory_equal(tau[0], tau[1], rows * row);
    assert_memory_equal(back[0], back[1], (rows + 1) * row);
    assert_memory_equal(M[0], M[1], rows * n * row);
    for (size_t k = 0; k < all; k++)
      if (memory + k < start || memory + k >= start + bytes) assert_int_equal(memory[k], 0xa5);
    jn_work_destroy(w[0]); /* releases nothing: the memory is ours */
    jn_work_destroy(w[1]);
    free(memory);
    release(x.m, x.w);
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
  check_status(jn_work_init_order(x.m, -1, tau, sizeof tau, &x.w), JN_ERR_SIZE);
  assert_true(jn_work_size_order(x.m, -1) == 0 && jn_work_size_order(NULL, 2) == 0);
  release(x.m, x.w);
}

/* Factorials are infinite from 171 on: nobody gets memory for such orders, nor an answer. */
static void orders_beyond_the_range_of_numbers_are_refused(void **st) {
  (void)st;
  uint64_t s = seed("orders");
  state x;
  double tau[(MOST + 2) * V];
  begin(&x, &s, 5, 0);

  static const int orders[] = {JN_MAX_ORDER + 1, 1000, 2147483647};
  for (int i = 0; i < 3; i++) {
    jn_work *w = NULL;
    jn_batch *batch = NULL;
    check_status(jn_work_create_order(x.m, orders[i], &w), JN_ERR_SIZE);
    check_status(jn_work_init_order(x.m, orders[i], tau, sizeof tau, &w), JN_ERR_SIZE);
    check_status(jn_batch_create(x.m, orders[i], 1, &batch), JN_ERR_SIZE);
    check_status(jn_inverse_dynamics_jet(x.m, x.w, orders[i], x.q, x.v, NULL, tau), JN_ERR_SIZE);
    check_status(jn_regressor_jet(x.m, x.w, orders[i], x.q, x.v, tau), JN_ERR_SIZE);
    check_status(jn_inverse_dynamics_jet_derivatives(x.m, x.w, orders[i], x.q, x.v, NULL, tau), JN_ERR_SIZE);
    check_status(jn_momentum_jet_derivatives(x.m, x.w, orders[i], x.q, x.v, tau, tau), JN_ERR_SIZE);
    assert_true(jn_work_size_order(x.m, orders[i]) == 0 && jn_jet_derivatives_room(x.m, orders[i]) == 0);

    jn_loops *loops = NULL;
    jn_loops_options loops_options;
    jn_loops_options_init(&loops_options);
    loops_options.order = orders[i];
    check_status(jn_loops_create(x.m, &loops_options, &loops), JN_ERR_SIZE);

    jn_tasks *tasks = NULL;
    jn_task task;
    jn_task_init(&task);
    jn_tasks_options tasks_options;
    jn_tasks_options_init(&tasks_options);
    tasks_options.order = orders[i];
    check_status(jn_tasks_create(x.m, &task, 1, &tasks_options, &tasks), JN_ERR_SIZE);
  }

  /* the highest one works */
  jn_work *w = NULL;
  check_ok(jn_work_create_order(x.m, JN_MAX_ORDER, &w));
  jn_work_destroy(w);
  release(x.m, x.w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(order_zero_is_inverse_dynamics),
      cmocka_unit_test(every_order_is_the_derivative_of_the_one_before),
      cmocka_unit_test(forward_and_inverse_undo_each_other_at_every_order),
      cmocka_unit_test(coupled_coordinates_are_a_projection_at_every_order),
      cmocka_unit_test(closed_forms_start_with_the_matrices),
      cmocka_unit_test(closed_forms_of_every_order_are_derivatives),
      cmocka_unit_test(closed_form_is_the_recursion_and_keeps_its_structure),
      cmocka_unit_test(momentum_centre_and_energies_of_every_order),
      cmocka_unit_test(jets_in_memory_of_the_caller_are_the_same),
      cmocka_unit_test(misuse_is_refused),
      cmocka_unit_test(orders_beyond_the_range_of_numbers_are_refused),
  };
  return cmocka_run_group_tests_name("jets", tests, NULL, NULL);
}
