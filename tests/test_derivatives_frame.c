/* SPDX-License-Identifier: BSD-2-Clause */
/* Derivatives of kinematic quantities with respect to the state: every entry by the complex step of the kernel that
 * gives the quantity, and properties between them, on random trees of every joint type with coupled coordinates. */
#include "complex_variant.h"
#include "models.h"

#include "jounce/derivatives.h"
#include "jounce/float_batch.h"

enum { MODELS = 60, V = 40, LINKS = 12 };

static const double h = 1e-30;
static const char *const names[3] = {"body", "world", "aligned"};

typedef double _Complex complex_t;

typedef struct state {
  jn_model *m;
  jn_work *w;
  int nv, nlink;
  double q[60], v[V], a[V];
  complex_t cq[60], cv[V], ca[V];
} state;

static void begin(state *x, uint64_t *s, int i) {
  x->m = random_tree(s, 2 + i % (LINKS - 2));
  x->nv = jn_model_nv(x->m);
  x->nlink = jn_link_count(x->m);
  check_ok(jn_work_create(x->m, &x->w));
  check_ok(jn_random(x->m, s, x->q));
  fill(s, x->v, x->nv, 1);
  fill(s, x->a, x->nv, 1);
}

enum { BY_Q, BY_V };

/* The state moved by i h in coordinate k of q or v. */
static void move(state *x, int by, int k) {
  double unit[V];
  for (int i = 0; i < x->nv; i++) {
    unit[i] = by == BY_Q && i == k;
    x->cv[i] = CMPLX(x->v[i], by == BY_V && i == k ? h : 0);
    x->ca[i] = x->a[i];
  }
  complex_motion(x->m, x->q, unit, h, x->cq);
}

static void check_matrix(const double *D, const complex_t *y, int n, double size, double ulps, const char *what,
                         int direction) {
  static double expected[6 * V];
  for (int e = 0; e < n; e++) expected[e] = cimag(y[e]) / h;
  check_close(D, expected, n, size, ulps, "%s, direction %d", what, direction);
}

/* Column k of a rows x columns matrix. */
static void check_column(const double *D, int rows, int columns, int k, const complex_t *y, double ulps,
                         const char *what) {
  double column[6];
  for (int r = 0; r < rows; r++) column[r] = D[r * columns + k];
  check_matrix(column, y, rows, norm_or_1(D, rows * columns), ulps, what, k);
}

typedef struct frame_outputs {
  double dJ[LINKS][V * 6 * V], ddJ[LINKS][V * 6 * V], dJdot_dv[LINKS][V * 6 * V];
  double twist[LINKS][6 * V], rate_q[LINKS][6 * V], rate_v[LINKS][6 * V];
} frame_outputs;

static frame_outputs out;

static void compute(state *x, jn_representation in) {
  for (int l = 0; l < x->nlink; l++) {
    check_ok(jn_frame_jacobian_derivatives(x->m, x->w, l, in, x->q, x->v, out.dJ[l], out.ddJ[l], out.dJdot_dv[l]));
    check_ok(jn_frame_twist_derivatives(x->m, x->w, l, in, x->q, x->v, out.twist[l]));
    check_ok(jn_frame_acceleration_derivatives(x->m, x->w, l, in, x->q, x->v, x->a, out.rate_q[l], out.rate_v[l]));
  }
}

static void frames_by_complex_step(void **st) {
  (void)st;
  uint64_t s = seed("frames");
  static complex_t J[LINKS * 6 * V], dJ[LINKS * 6 * V], twists[LINKS * 6], rates[LINKS * 6];
  for (int i = 0; i < MODELS; i++) {
    state x;
    begin(&x, &s, i);
    int n = x.nv, wide = 6 * n;
    for (int in = JN_IN_BODY; in <= JN_IN_ALIGNED; in++) {
      compute(&x, (jn_representation)in);
      for (int e = 0; e < 2 * n; e++) {
        int by = e / n, k = e % n;
        jn_call call = {.terms = {.q = x.cq,
                                  .v = x.cv,
                                  .a = x.ca,
                                  .jacobians = J,
                                  .jacobian_rates = dJ,
                                  .twists = twists,
                                  .accelerations = rates,
                                  .representation = in,
                                  .link = -1}};
        move(&x, by, k);
        run_complex(x.m, -1, JN_KERNEL_terms, &call);
        for (int l = 0; l < x.nlink; l++) {
          const double *D = by == BY_Q ? out.ddJ[l] : out.dJdot_dv[l], *R = by == BY_Q ? out.rate_q[l] : out.rate_v[l];
          check_matrix(D + k * wide, dJ + l * wide, wide, norm_or_1(D, n * wide), 200, names[in], k);
          check_column(R, 6, n, k, rates + 6 * l, 200, names[in]);
          if (by == BY_V) continue;
          check_matrix(out.dJ[l] + k * wide, J + l * wide, wide, norm_or_1(out.dJ[l], n * wide), 200, names[in], k);
          check_column(out.twist[l], 6, n, k, twists + 6 * l, 200, names[in]);
        }
      }
    }
    release(x.m, x.w);
  }
}

static void momentum_by_complex_step(void **st) {
  (void)st;
  uint64_t s = seed("momentum, centre of mass");
  static double dh[2][6 * V], D[4][3 * V], J[6 * V];
  for (int i = 0; i < MODELS; i++) {
    state x;
    complex_t momentum[2][6], com[3], dcom[3], ddcom[3];
    begin(&x, &s, i);
    int n = x.nv;
    for (int about = 0; about < 2; about++)
      check_ok(jn_momentum_derivative(x.m, x.w, (jn_about)about, x.q, x.v, dh[about]));
    check_ok(jn_center_of_mass_derivatives(x.m, x.w, x.q, x.v, x.a, D[0], D[1], D[2], D[3]));
    for (int e = 0; e < 2 * n; e++) {
      move(&x, e / n, e % n);
      for (int about = 0; about < 2; about++) {
        jn_call call = {.terms = {.q = x.cq,
                                  .v = x.cv,
                                  .a = x.ca,
                                  .momentum = momentum[about],
                                  .com = com,
                                  .com_velocity = dcom,
                                  .com_acceleration = ddcom,
                                  .about = about,
                                  .link = -1}};
        run_complex(x.m, -1, JN_KERNEL_terms, &call);
      }
      if (e >= n) {
        check_column(D[3], 3, n, e - n, ddcom, 200, "acceleration of the centre of mass by v");
        continue;
      }
      check_column(dh[0], 6, n, e, momentum[0], 200, "momentum about the origin");
      check_column(dh[1], 6, n, e, momentum[1], 200, "momentum about the centre of mass");
      check_column(D[0], 3, n, e, com, 200, "centre of mass");
      check_column(D[1], 3, n, e, dcom, 200, "velocity of the centre of mass");
      check_column(D[2], 3, n, e, ddcom, 200, "acceleration of the centre of mass by q");
    }
    check_ok(jn_com_jacobian(x.m, x.w, JN_WORLD, x.q, J));
    check_close(D[0], J, 3 * n, norm_or_1(J, 3 * n), 200, "dc/dq = J");
    release(x.m, x.w);
  }
}

/* y [rows] = D x */
static void product(const double *D, int rows, int n, const double *x, double *y) {
  for (int r = 0; r < rows; r++) {
    y[r] = 0;
    for (int k = 0; k < n; k++) y[r] += D[r * n + k] * x[k];
  }
}

/* Of one frame: dJ/dt = sum_h dJ/dq_h v_h, d(J v)/dq_h = dJ/dq_h v, d(J a + dJ/dt v)/dq_h and /dv_h alike. */
static void check_frame_properties(const state *x, int in, int l) {
  static double rate[6 * V], sum[6 * V];
  int n = x->nv, wide = 6 * n;
  double size = norm_or_1(out.dJ[l], n * wide) + norm_or_1(out.ddJ[l], n * wide), y[6], z[6], expected[6], given[6];
  check(!memcmp(out.dJ[l], out.dJdot_dv[l], (size_t)(n * wide) * sizeof(double)), "d(dJ/dt)/dv = dJ/dq to the bit");
  check_ok(jn_frame_jacobian_rate(x->m, x->w, l, (jn_representation)in, x->q, x->v, rate));
  memset(sum, 0, sizeof sum);
  for (int k = 0; k < n; k++) {
    for (int e = 0; e < wide; e++) sum[e] += out.dJ[l][k * wide + e] * x->v[k];
    product(out.dJ[l] + k * wide, 6, n, x->v, y);
    for (int r = 0; r < 6; r++) given[r] = out.twist[l][r * n + k];
    check_close(given, y, 6, size, 200, "twist by q = dJ/dq v, %s", names[in]);
    for (int r = 0; r < 6; r++) expected[r] = y[r] + rate[r * n + k];
    for (int r = 0; r < 6; r++) given[r] = out.rate_v[l][r * n + k];
    check_close(given, expected, 6, size, 200, "acceleration by v = dJ/dt + dJ/dq v, %s", names[in]);
    product(out.dJ[l] + k * wide, 6, n, x->a, y);
    product(out.ddJ[l] + k * wide, 6, n, x->v, z);
    for (int r = 0; r < 6; r++) expected[r] = y[r] + z[r];
    for (int r = 0; r < 6; r++) given[r] = out.rate_q[l][r * n + k];
    check_close(given, expected, 6, size, 200, "acceleration by q = dJ/dq a + d(dJ/dt)/dq v, %s", names[in]);
  }
  check_close(rate, sum, wide, size, 200, "dJ/dt = sum dJ/dq v, %s", names[in]);
}

/* Along the motion, dq/dt = v: dh/dq v = dA/dt v of the momentum h = A v, and ddc = J a + d(dc)/dq v. */
static void check_momentum_properties(state *x) {
  static double dh[6 * V], rate[6 * V], D[2][3 * V];
  double y[6], z[6], ddc[3], sum[3], bias[3];
  int n = x->nv;
  for (int about = 0; about < 2; about++) {
    check_ok(jn_momentum_derivative(x->m, x->w, (jn_about)about, x->q, x->v, dh));
    check_ok(jn_momentum_matrix_rate(x->m, x->w, (jn_about)about, x->q, x->v, rate));
    product(dh, 6, n, x->v, y);
    product(rate, 6, n, x->v, z);
    check_close(y, z, 6, norm_or_1(dh, 6 * n), 200, "dh/dq v = dA/dt v, about %d", about);
  }
  check_ok(jn_center_of_mass_derivatives(x->m, x->w, x->q, x->v, x->a, D[0], D[1], NULL, NULL));
  check_ok(jn_center_of_mass(x->m, x->w, JN_WORLD, x->q, x->v, x->a, NULL, NULL, ddc));
  product(D[0], 3, n, x->a, sum);
  product(D[1], 3, n, x->v, bias);
  for (int r = 0; r < 3; r++) sum[r] += bias[r];
  check_close(ddc, sum, 3, norm_or_1(D[0], 3 * n) + norm_or_1(D[1], 3 * n), 200, "ddc = J a + d(dc)/dq v");
}

static void properties_between_them(void **st) {
  (void)st;
  uint64_t s = seed("properties");
  for (int i = 0; i < MODELS; i++) {
    state x;
    begin(&x, &s, i);
    for (int in = JN_IN_BODY; in <= JN_IN_ALIGNED; in++) {
      compute(&x, (jn_representation)in);
      for (int l = 0; l < x.nlink; l++) check_frame_properties(&x, in, l);
    }
    check_momentum_properties(&x);
    release(x.m, x.w);
  }
}

/* What is not about the world's origin does not lose digits far from it. */
static void far_from_the_origin_is_as_good_as_near(void **st) {
  (void)st;
  uint64_t s = seed("far");
  jn_builder *b;
  jn_model *m;
  jn_work *w;
  enum { N = 8 };
  static double D[2][6][N * 6 * N];
  double q[9], v[N], a[N];
  check_ok(jn_builder_create(NULL, &b));
  add_random_link(b, &s, "base", NULL, JN_FREE, NULL);
  add_random_link(b, &s, "arm", "base", JN_REVOLUTE, NULL);
  add_random_link(b, &s, "hand", "arm", JN_REVOLUTE, NULL);
  check_ok(jn_builder_freeze(b, &m, NULL));
  jn_builder_destroy(b);
  check_ok(jn_work_create(m, &w));
  check_ok(jn_random(m, &s, q));
  fill(&s, v, N, 1);
  fill(&s, a, N, 1);
  for (int far = 0; far < 2; far++) {
    double(*X)[N * 6 * N] = D[far];
    for (int k = 0; k < 3; k++) q[k] += far * 1e6;
    check_ok(jn_frame_jacobian_derivatives(m, w, 2, JN_IN_BODY, q, v, NULL, X[0], NULL));
    check_ok(jn_frame_jacobian_derivatives(m, w, 2, JN_IN_ALIGNED, q, v, NULL, X[1], NULL));
    check_ok(jn_frame_acceleration_derivatives(m, w, 2, JN_IN_ALIGNED, q, v, a, X[2], NULL));
    check_ok(jn_momentum_derivative(m, w, JN_ABOUT_COM, q, v, X[3]));
    check_ok(jn_center_of_mass_derivatives(m, w, q, v, a, NULL, X[4], X[5], NULL));
  }
  for (int e = 0; e < 6; e++)
    check_close(D[1][e], D[0][e], N * 6 * N, norm_or_1(D[0][e], N * 6 * N), 100, "output %d is the same far away", e);
  jn_work_destroy(w);
  jn_model_destroy(m);
}

/* The float twins are the same functions; and without v and a these are zero. */
static void float_twins_and_missing_inputs(void **st) {
  (void)st;
  uint64_t s = seed("float");
  static float single[V * 6 * V];
  static double wide[V * 6 * V], given[V * 6 * V], zero[V];
  for (int i = 0; i < 12; i++) {
    state x;
    float q[60], v[V], a[V];
    begin(&x, &s, i);
    int n = x.nv, cube = n * 6 * n, nq = jn_model_nq(x.m), l = x.nlink - 1;
    for (int k = 0; k < nq; k++) x.q[k] = q[k] = (float)x.q[k];
    for (int k = 0; k < n; k++) x.v[k] = v[k] = (float)x.v[k], x.a[k] = a[k] = (float)x.a[k];
    double ulps = 200 * fmax(1, (double)1.2e-7f / jn_variant_epsilon());
    check_ok(jnf_frame_jacobian_derivatives(x.m, x.w, l, JN_IN_WORLD, q, v, NULL, single, NULL));
    check_ok(jn_frame_jacobian_derivatives(x.m, x.w, l, JN_IN_WORLD, x.q, x.v, NULL, given, NULL));
    for (int e = 0; e < cube; e++) wide[e] = single[e];
    check_close(wide, given, cube, norm_or_1(given, cube), ulps, "d(dJ/dt)/dq in float");
    check_ok(jnf_frame_acceleration_derivatives(x.m, x.w, l, JN_IN_ALIGNED, q, v, a, NULL, single));
    check_ok(jn_frame_acceleration_derivatives(x.m, x.w, l, JN_IN_ALIGNED, x.q, x.v, x.a, NULL, given));
    for (int e = 0; e < 6 * n; e++) wide[e] = single[e];
    check_close(wide, given, 6 * n, norm_or_1(given, 6 * n), ulps, "acceleration by v in float");
    check_ok(jnf_center_of_mass_derivatives(x.m, x.w, q, v, a, NULL, NULL, single, NULL));
    check_ok(jn_center_of_mass_derivatives(x.m, x.w, x.q, x.v, x.a, NULL, NULL, given, NULL));
    for (int e = 0; e < 3 * n; e++) wide[e] = single[e];
    check_close(wide, given, 3 * n, norm_or_1(given, 3 * n), ulps, "acceleration of the centre of mass by q in float");
    check_ok(jn_frame_acceleration_derivatives(x.m, x.w, l, JN_IN_BODY, x.q, NULL, NULL, wide, wide + 6 * n));
    check_ok(jn_frame_acceleration_derivatives(x.m, x.w, l, JN_IN_BODY, x.q, zero, zero, given, given + 6 * n));
    check_close(wide, given, 12 * n, 1, 0, "no v, no a: zero");
    release(x.m, x.w);
  }
}

static void misuse_is_refused(void **st) {
  (void)st;
  uint64_t s = seed("misuse");
  state x, other;
  static double D[V * 6 * V];
  begin(&x, &s, 4);
  begin(&other, &s, 5);
  jn_representation none = (jn_representation)3;
  int frames = jn_frame_count(x.m);
  check_status(jn_frame_jacobian_derivatives(x.m, x.w, 0, JN_IN_BODY, NULL, x.v, D, NULL, NULL), JN_ERR_NULL);
  check_status(jn_frame_jacobian_derivatives(x.m, x.w, frames, JN_IN_BODY, x.q, x.v, D, NULL, NULL), JN_ERR_INDEX);
  check_status(jn_frame_jacobian_derivatives(x.m, x.w, -1, JN_IN_BODY, x.q, x.v, D, NULL, NULL), JN_ERR_INDEX);
  check_status(jn_frame_acceleration_derivatives(x.m, x.w, 0, none, x.q, x.v, x.a, D, NULL), JN_ERR_INDEX);
  check_status(jn_frame_acceleration_derivatives(x.m, other.w, 0, JN_IN_BODY, x.q, x.v, x.a, D, NULL), JN_ERR_WORK);
  check_status(jn_frame_twist_derivatives(x.m, x.w, 0, JN_IN_BODY, x.q, x.v, NULL), JN_ERR_NULL);
  check_status(jn_momentum_derivative(x.m, x.w, (jn_about)2, x.q, x.v, D), JN_ERR_INDEX);
  check_status(jn_momentum_derivative(x.m, x.w, JN_ABOUT_COM, x.q, x.v, NULL), JN_ERR_NULL);
  check_status(jn_center_of_mass_derivatives(x.m, NULL, x.q, x.v, x.a, D, NULL, NULL, NULL), JN_ERR_NULL);
  check_status(jn_center_of_mass_derivatives(x.m, other.w, x.q, x.v, x.a, D, NULL, NULL, NULL), JN_ERR_WORK);
  check_ok(jn_frame_jacobian_derivatives(x.m, x.w, 0, JN_IN_BODY, x.q, NULL, NULL, NULL, NULL));
  check_ok(jn_center_of_mass_derivatives(x.m, x.w, x.q, NULL, NULL, NULL, NULL, NULL, NULL));
  release(other.m, other.w);
  release(x.m, x.w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(frames_by_complex_step),         cmocka_unit_test(momentum_by_complex_step),
      cmocka_unit_test(properties_between_them),        cmocka_unit_test(far_from_the_origin_is_as_good_as_near),
      cmocka_unit_test(float_twins_and_missing_inputs), cmocka_unit_test(misuse_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
