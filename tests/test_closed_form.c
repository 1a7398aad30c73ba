/* SPDX-License-Identifier: BSD-2-Clause */
/* The system matrices of the closed form, its coefficient matrices, external wrenches and joint wrenches, to any order:
 * by the identities of kumar2021 sec. III and mueller2021 secs. 2-4, on random trees of every joint type. */
#include "complex_variant.h"
#include "models.h"

enum { MODELS = 40, TOP = 4, V = 40, LINKS = 9, WIDE = 6 * LINKS };

typedef struct state {
  jn_model *m;
  jn_work *w;
  int nv, nlink, wide;
  double q[60], v[(TOP + 3) * V], W[(TOP + 2) * WIDE];
} state;

static void begin_with(state *x, uint64_t *s, jn_model *m) {
  x->m = m;
  x->nv = jn_model_nv(x->m);
  x->nlink = jn_link_count(x->m);
  x->wide = 6 * x->nlink;
  check_ok(jn_work_create_order(x->m, TOP + 1, &x->w));
  check_ok(jn_random(x->m, s, x->q));
  fill(s, x->v, (TOP + 3) * x->nv, 1);
  fill(s, x->W, (TOP + 2) * x->wide, 2);
}

static void begin(state *x, uint64_t *s, int i) { begin_with(x, s, random_tree(s, 2 + i % (LINKS - 1))); }

/* A tree whose joints have one coordinate each. */
static jn_model *simple_tree(uint64_t *s) {
  const jn_joint_type types[3] = {JN_REVOLUTE, JN_PRISMATIC, JN_HELICAL};
  jn_builder *b;
  jn_model *m;
  check_ok(jn_builder_create(NULL, &b));
  for (int i = 0; i < LINKS; i++) {
    char name[32], parent[32];
    snprintf(name, sizeof name, "link%d", i);
    snprintf(parent, sizeof parent, "link%d", (int)(0.4999 * (1 + uniform(s)) * i));
    add_random_link(b, s, name, i ? parent : NULL, types[(int)(1.4999 * (1 + uniform(s)))], NULL);
  }
  check_ok(jn_builder_freeze(b, &m, NULL));
  jn_builder_destroy(b);
  return m;
}

static double binomial(int n, int k) {
  double b = 1;
  for (int i = 0; i < k; i++) b = b * (n - i) / (i + 1);
  return b;
}

/* to += f A B; n x k times k x m. */
static void add_product(double f, const double *A, const double *B, double *to, int n, int k, int m) {
  for (int i = 0; i < n; i++)
    for (int l = 0; l < k; l++)
      for (int j = 0; j < m; j++) to[i * m + j] += f * A[i * k + l] * B[l * m + j];
}

/* blkdiag of the ad matrices of twists [nlink][6] */
static void block_brackets(const double *twists, int nlink, double *out) {
  int wide = 6 * nlink;
  memset(out, 0, sizeof(double) * (size_t)(wide * wide));
  for (int l = 0; l < nlink; l++) {
    const double *w = twists + 6 * l, *u = w + 3;
    const double skew_w[9] = {0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0};
    const double skew_u[9] = {0, -u[2], u[1], u[2], 0, -u[0], -u[1], u[0], 0};
    for (int e = 0; e < 9; e++) {
      int r = 6 * l + e / 3, c = 6 * l + e % 3;
      out[r * wide + c] = out[(r + 3) * wide + c + 3] = skew_w[e];
      out[(r + 3) * wide + c] = skew_u[e];
    }
  }
}

typedef struct blocks {
  double A[TOP + 1][WIDE * WIDE], a[TOP + 1][WIDE * WIDE], b[TOP + 1][WIDE * WIDE], J[(TOP + 1) * WIDE * V];
  double joint[(TOP + 1) * WIDE], link[(TOP + 1) * WIDE];
} blocks;

static void system_blocks(const state *x, blocks *s) {
  static double A[(TOP + 1) * WIDE * WIDE];
  size_t square = (size_t)(x->wide * x->wide);
  check_ok(jn_system_jet(x->m, x->w, TOP, x->q, x->v, A, s->joint, s->link, s->J));
  for (int k = 0; k <= TOP; k++) {
    memcpy(s->A[k], A + (size_t)k * square, square * sizeof(double));
    block_brackets(s->joint + k * x->wide, x->nlink, s->a[k]);
    block_brackets(s->link + k * x->wide, x->nlink, s->b[k]);
  }
}

/* A^(n) = sum_k binom(n-1, k) A^(n-1-k) (a^(k) - sum_j binom(k, j) a^(k-j) A^(j)), kumar2021 eq. 39; and A^(n) = sum_k
 * binom(n-1, k) (A^(n-1-k) b^(k) - b^(k) A^(n-1-k)) */
static void system_matrix_obeys_both_rates(void **st) {
  (void)st;
  uint64_t s = seed("A");
  static blocks y;
  static double sum[WIDE * WIDE], inner[WIDE * WIDE];
  for (int i = 0; i < MODELS; i++) {
    state x;
    begin(&x, &s, i);
    int n = x.wide, square = n * n;
    system_blocks(&x, &y);
    for (int order = 1; order <= TOP; order++) {
      double size = 1;
      for (int k = 0; k <= order; k++) size = fmax(size, norm_or_1(y.A[k], square) * norm_or_1(y.a[order - k], square));
      memset(sum, 0, sizeof sum);
      for (int k = 0; k < order; k++) {
        memcpy(inner, y.a[k], sizeof(double) * (size_t)square);
        for (int j = 0; j <= k; j++) add_product(-binomial(k, j), y.a[k - j], y.A[j], inner, n, n, n);
        add_product(binomial(order - 1, k), y.A[order - 1 - k], inner, sum, n, n, n);
      }
      check_close(y.A[order], sum, square, size, 4000, "A^(%d) by a", order);
      memset(sum, 0, sizeof sum);
      for (int k = 0; k < order; k++) {
        add_product(binomial(order - 1, k), y.A[order - 1 - k], y.b[k], sum, n, n, n);
        add_product(-binomial(order - 1, k), y.b[k], y.A[order - 1 - k], sum, n, n, n);
      }
      check_close(y.A[order], sum, square, size, 4000, "A^(%d) by b", order);
    }
    release(x.m, x.w);
  }
}

/* J = A S, V = J v, and the joint's twist is S v: at every order. */
static void system_jacobian_is_a_times_screws(void **st) {
  (void)st;
  uint64_t s = seed("J = A S");
  static blocks y;
  static double S[TOP + 1][WIDE * V], sum[WIDE * V], one[(TOP + 1) * 36];
  for (int i = 0; i < MODELS; i++) {
    state x;
    begin(&x, &s, i);
    int n = x.nv, wide = x.wide;
    system_blocks(&x, &y);
    memset(S, 0, sizeof S);
    for (int l = 0; l < x.nlink; l++) {
      int nv = jn_joint_mimic(x.m, l, NULL, NULL, NULL) ? 1 : jn_joint_nv(x.m, l), iv = jn_joint_v(x.m, l);
      check_ok(jn_joint_jacobian_jet(x.m, x.w, TOP, l, x.q, x.v, one));
      for (int k = 0; k <= TOP; k++)
        for (int e = 0; e < 6 * nv; e++) S[k][(6 * l + e / nv) * n + iv + e % nv] = one[k * 6 * nv + e];
    }
    for (int order = 0; order <= TOP; order++) {
      const double *J = y.J + order * wide * n;
      double size = norm_or_1(J, wide * n);
      memset(sum, 0, sizeof sum);
      for (int k = 0; k <= order; k++) add_product(binomial(order, k), y.A[order - k], S[k], sum, wide, wide, n);
      check_close(J, sum, wide * n, size, 2000, "J^(%d) = (A S)^(%d)", order, order);
      memset(sum, 0, sizeof sum);
      for (int k = 0; k <= order; k++)
        add_product(binomial(order, k), y.J + (order - k) * wide * n, x.v + k * n, sum, wide, n, 1);
      check_close(y.link + order * wide, sum, wide, size, 2000, "V^(%d) = (J v)^(%d)", order, order);
      memset(sum, 0, sizeof sum);
      for (int k = 0; k <= order; k++) add_product(binomial(order, k), S[order - k], x.v + k * n, sum, wide, n, 1);
      check_close(y.joint + order * wide, sum, wide, size, 2000, "joint twist^(%d) = (S v)^(%d)", order, order);
    }
    release(x.m, x.w);
  }
}

/* d^K tau/dt^K = sum_r P_r v^(r) + d^K g/dt^K - d^K/dt^K sum J^T W  (kumar2021 eq. 38, with mueller2021's wrenches) */
static void coefficient_matrices_give_the_torque_rates(void **st) {
  (void)st;
  uint64_t s = seed("P");
  static double P[(TOP + 2) * V * V], g[(TOP + 1) * V], tau[(TOP + 1) * V], ext[(TOP + 1) * V], M[V * V];
  for (int i = 0; i < MODELS; i++) {
    state x;
    begin(&x, &s, i);
    int n = x.nv;
    check_ok(jn_gravity_forces_jet(x.m, x.w, TOP, x.q, x.v, g));
    check_ok(jn_inverse_dynamics_jet(x.m, x.w, TOP, x.q, x.v, x.W, tau));
    check_ok(jn_wrench_forces_jet(x.m, x.w, TOP, x.q, x.v, x.W, ext));
    check_ok(jn_mass_matrix(x.m, x.w, x.q, M));
    for (int order = 0; order <= TOP; order++) {
      double sum[V];
      check_ok(jn_rate_matrices(x.m, x.w, order, x.q, x.v, P));
      check_close(P + (order + 1) * n * n, M, n * n, norm_or_1(M, n * n), 500, "the last matrix is M");
      for (int r = 0; r < n; r++) sum[r] = g[order * n + r] - ext[order * n + r];
      for (int r = 0; r <= order + 1; r++) add_product(1, P + r * n * n, x.v + r * n, sum, n, n, 1);
      add_spring_forces(x.m, x.q, x.v, order, sum);
      double size = norm_or_1(P, (order + 2) * n * n) + norm_or_1(ext + order * n, n);
      check_close(tau + order * n, sum, n, size, 4000, "order %d", order);
    }
    release(x.m, x.w);
  }
}

/* Qext = J^T W, Qext' = J^T (W' - (A a)^T W), Qext'' = J^T (W'' - 2 (A a)^T W' + K^T W), K = 2 A a A a - A a a - A a':
 * mueller2021 eqs. 34, 44 and their second order. They hold for constant screws (dJ/dt = -A a J), so for trees of
 * joints with one coordinate. */
static void external_wrenches_as_printed(void **st) {
  (void)st;
  uint64_t s = seed("external wrenches");
  static blocks y;
  static double Aa[WIDE * WIDE], Kt[WIDE * WIDE];
  for (int i = 0; i < MODELS; i++) {
    state x;
    begin_with(&x, &s, simple_tree(&s));
    int n = x.nv, wide = x.wide, square = wide * wide;
    double force[3][WIDE], tau[3 * V], sum[V];
    system_blocks(&x, &y);
    memset(Aa, 0, sizeof Aa);
    memset(Kt, 0, sizeof Kt);
    add_product(1, y.A[0], y.a[0], Aa, wide, wide, wide);
    add_product(2, Aa, Aa, Kt, wide, wide, wide);
    add_product(-1, Aa, y.a[0], Kt, wide, wide, wide);
    add_product(-1, y.A[0], y.a[1], Kt, wide, wide, wide);
    memcpy(force[0], x.W, sizeof(double) * (size_t)wide);
    memcpy(force[1], x.W + wide, sizeof(double) * (size_t)wide);
    memcpy(force[2], x.W + 2 * wide, sizeof(double) * (size_t)wide);
    for (int r = 0; r < wide; r++)
      for (int c = 0; c < wide; c++) {
        force[1][c] -= Aa[r * wide + c] * x.W[r];
        force[2][c] += -2 * Aa[r * wide + c] * x.W[wide + r] + Kt[r * wide + c] * x.W[r];
      }
    check_ok(jn_wrench_forces_jet(x.m, x.w, 2, x.q, x.v, x.W, tau));
    for (int order = 0; order < 3; order++) {
      memset(sum, 0, sizeof sum);
      add_product(1, force[order], y.J, sum, 1, wide, n);
      check_close(tau + order * n, sum, n, norm_or_1(Kt, square), 2000, "order %d", order);
    }
    release(x.m, x.w);
  }
}

/* Order 0 is jn_joint_wrenches(), each further order the derivative of the one before, and the joint's share of the
 * wrench is its force. */
static void joint_wrenches_of_every_order(void **st) {
  (void)st;
  uint64_t s = seed("joint wrenches");
  const double h = 1e-30;
  static double _Complex q[60], v[(TOP + 2) * V], W[(TOP + 1) * WIDE], y[(TOP + 1) * WIDE];
  static double F[(TOP + 2) * WIDE], one[WIDE], rate[WIDE];
  for (int i = 0; i < MODELS; i++) {
    state x;
    begin(&x, &s, i);
    int n = x.nv, wide = x.wide;
    check_ok(jn_joint_wrenches(x.m, x.w, x.q, x.v, x.v + n, x.W, one));
    check_ok(jn_joint_wrenches_jet(x.m, x.w, TOP + 1, x.q, x.v, x.W, F));
    check_close(F, one, wide, 50, 500, "order 0");
    complex_motion(x.m, x.q, x.v, h, q);
    for (int k = 0; k < (TOP + 2) * n; k++) v[k] = CMPLX(x.v[k], h * x.v[k + n]);
    for (int k = 0; k < (TOP + 1) * wide; k++) W[k] = CMPLX(x.W[k], h * x.W[k + wide]);
    jn_call call = {.joint_wrenches_jet = {.q = q, .v_jet = v, .wrench_jet = W, .F_jet = y, .order = TOP}};
    run_complex(x.m, TOP, JN_KERNEL_joint_wrenches_jet, &call);
    for (int k = 0; k <= TOP; k++) {
      for (int c = 0; c < wide; c++) rate[c] = cimag(y[k * wide + c]) / h;
      check_close(F + (k + 1) * wide, rate, wide, 50, 2000, "d/dt of order %d", k);
    }
    release(x.m, x.w);
  }
}

static void misuse_is_refused(void **st) {
  (void)st;
  uint64_t s = seed("misuse");
  state x;
  static double out[(TOP + 2) * WIDE * WIDE];
  begin(&x, &s, 3);
  check_status(jn_joint_jacobian_jet(x.m, x.w, 1, x.nlink, x.q, x.v, out), JN_ERR_INDEX);
  check_status(jn_joint_jacobian_jet(x.m, x.w, 1, -1, x.q, x.v, out), JN_ERR_INDEX);
  check_status(jn_rate_matrices(x.m, x.w, TOP + 2, x.q, x.v, out), JN_ERR_WORK);
  check_status(jn_rate_matrices(x.m, x.w, 1, x.q, x.v, NULL), JN_ERR_NULL);
  check_status(jn_wrench_forces_jet(x.m, x.w, 1, x.q, x.v, NULL, out), JN_ERR_NULL);
  check_status(jn_joint_wrenches_jet(x.m, x.w, -1, x.q, x.v, NULL, out), JN_ERR_SIZE);
  check_ok(jn_system_jet(x.m, x.w, 1, x.q, x.v, NULL, NULL, NULL, NULL));
  release(x.m, x.w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(system_matrix_obeys_both_rates),
      cmocka_unit_test(system_jacobian_is_a_times_screws),
      cmocka_unit_test(coefficient_matrices_give_the_torque_rates),
      cmocka_unit_test(external_wrenches_as_printed),
      cmocka_unit_test(joint_wrenches_of_every_order),
      cmocka_unit_test(misuse_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
