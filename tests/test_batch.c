/* SPDX-License-Identifier: BSD-2-Clause */
/* Many states at once give what single calls give, for every count, number of threads and row; tested on random trees
 * of every joint type. */
#include "models.h"

enum { MODELS = 12, MOST = 19, ORDER = 2, NQ = 80, NV = 64, LINKS = 48 };

typedef struct states {
  jn_model *m;
  jn_work *w;
  jn_batch *b;
  int count, nq, nv, nlink, square, wide;
  double q[MOST * NQ], p[MOST * NQ], v[MOST * (ORDER + 2) * NV], a[MOST * NV], tau[MOST * NV], y[MOST * NV];
  double tau_jet[MOST * (ORDER + 1) * NV], W[MOST * (ORDER + 1) * LINKS * 6];
  unsigned char prescribed[NV];
  double *one[4], *all[4];
} states;

/* most: numbers of a state in each output; 0: enough for all functions. */
static void begin_sized(states *x, uint64_t *s, jn_model *m, int i, size_t most) {
  x->m = m;
  x->nq = jn_model_nq(x->m);
  x->nv = jn_model_nv(x->m);
  x->nlink = jn_link_count(x->m);
  x->square = x->nv * x->nv;
  x->wide = 6 * x->nlink;
  const int counts[] = {1, 2, 3, 4, 5, 8, 9, 16, 19};
  x->count = counts[i % 9];
  check_ok(jn_work_create_order(x->m, ORDER, &x->w));
  check_ok(jn_batch_create(x->m, ORDER, 1 + i % 3, &x->b));
  for (int k = 0; k < x->count; k++) {
    check_ok(jn_random(x->m, s, x->q + k * x->nq));
    check_ok(jn_random(x->m, s, x->p + k * x->nq));
  }
  fill(s, x->v, x->count * (ORDER + 2) * x->nv, 1);
  fill(s, x->a, x->count * x->nv, 1);
  fill(s, x->tau, x->count * x->nv, 20);
  fill(s, x->y, x->count * x->nv, 1);
  fill(s, x->tau_jet, x->count * (ORDER + 1) * x->nv, 20);
  fill(s, x->W, x->count * (ORDER + 1) * x->wide, 2);
  for (int k = 0; k < x->nv; k++) x->prescribed[k] = uniform(s) > 0;
  size_t all = (size_t)(10 * x->nlink * x->square + (x->nlink + 4) * 6 * x->nv * (ORDER + 1) + 500);
  if (!most) most = all < (size_t)(x->square * x->nv) ? (size_t)(x->square * x->nv) : all;
  for (int k = 0; k < 4; k++) {
    x->one[k] = malloc(most * sizeof(double));
    x->all[k] = malloc(most * (size_t)x->count * sizeof(double));
    check(x->one[k] && x->all[k], "memory");
  }
}

static void begin_with(states *x, uint64_t *s, jn_model *m, int i) { begin_sized(x, s, m, i, 0); }

static void begin(states *x, uint64_t *s, int i) { begin_with(x, s, random_tree(s, 3 + i % 11), i); }

static void end(states *x) {
  for (int k = 0; k < 4; k++) free(x->one[k]), free(x->all[k]);
  jn_batch_destroy(x->b);
  jn_work_destroy(x->w);
  jn_model_destroy(x->m);
}

/* Arrays of state k, and of all of them. */
#define Q(k) (x.q + (k)*x.nq)
#define P(k) (x.p + (k)*x.nq)
#define V(k) (x.v + (k)*x.nv)
#define A(k) (x.a + (k)*x.nv)
#define TAU(k) (x.tau + (k)*x.nv)
#define Y(k) (x.y + (k)*x.nv)
#define WRENCH(k) (x.W + (k)*x.wide)
#define V_JET(k) (x.v + (k) * (ORDER + 2) * x.nv)
#define TAU_JET(k) (x.tau_jet + (k) * (ORDER + 1) * x.nv)
#define W_JET(k) (x.W + (k) * (ORDER + 1) * x.wide)

/* n0 ... are the sizes of the outputs, in x.all and x.one, of one state. `single` is a call for state k. */
#define SAME(roundings, batch, single, ...)                                                      \
  do {                                                                                           \
    const int sizes_[] = {__VA_ARGS__};                                                          \
    check_ok(batch);                                                                             \
    for (int k = 0; k < x.count; k++) {                                                          \
      check_ok(single);                                                                          \
      for (int o = 0; o < (int)(sizeof sizes_ / sizeof *sizes_); o++)                            \
        check_close(x.all[o] + (size_t)k * (size_t)sizes_[o], x.one[o], sizes_[o], 1, roundings, \
                    "state %d of %d, output %d of %s", k, x.count, o, #batch);                   \
    }                                                                                            \
  } while (0)

static void configurations_and_kinematics(void **state) {
  (void)state;
  uint64_t s = seed("kinematics");
  for (int i = 0; i < MODELS; i++) {
    static states x;
    begin(&x, &s, i);
    size_t n = (size_t)x.count;
    int frame = x.nlink - 1, nv = x.nv;
    double *one = x.one[0], *all = x.all[0];
    SAME(50, jn_integrate_batch(x.b, n, x.q, x.v, all), jn_integrate(x.m, x.w, Q(k), V(k), one), x.nq);
    SAME(2000, jn_difference_batch(x.b, n, x.q, x.p, all), jn_difference(x.m, x.w, Q(k), P(k), one), nv);
    SAME(2000, jn_interpolate_batch(x.b, n, x.q, x.p, 0.3, all), jn_interpolate(x.m, x.w, Q(k), P(k), 0.3, one), x.nq);
    SAME(500, jn_frame_pose_batch(x.b, n, frame, x.q, all), jn_frame_pose(x.m, x.w, frame, Q(k), one), 16);
    SAME(500, jn_frame_jacobian_rate_batch(x.b, n, frame, JN_IN_WORLD, x.q, x.v, all),
         jn_frame_jacobian_rate(x.m, x.w, frame, JN_IN_WORLD, Q(k), V(k), one), 6 * nv);
    SAME(500, jn_center_of_mass_batch(x.b, n, JN_WORLD, x.q, x.v, x.a, all, x.all[1], x.all[2]),
         jn_center_of_mass(x.m, x.w, JN_WORLD, Q(k), V(k), A(k), one, x.one[1], x.one[2]), 3, 3, 3);
    SAME(500, jn_momentum_matrix_rate_batch(x.b, n, JN_ABOUT_COM, x.q, x.v, all),
         jn_momentum_matrix_rate(x.m, x.w, JN_ABOUT_COM, Q(k), V(k), one), 6 * nv);
    end(&x);
  }
}

/* A tree whose coordinates are in the order of its bodies: links follow the one before, or one inward of that. */
static jn_model *ordered_tree(uint64_t *s, int links, int floating) {
  jn_builder *b;
  jn_model *m;
  char name[64][16];
  int parent[64] = {-1};
  check_ok(jn_builder_create(NULL, &b));
  for (int i = 0; i < links; i++) {
    snprintf(name[i], sizeof name[i], "l%d", i);
    int from = i - 1;
    while (from > 0 && uniform(s) > 0.4) from = parent[from];
    parent[i] = from;
    jn_joint_type type = i == 0 && floating ? JN_FREE : uniform(s) > 0.6 ? JN_PRISMATIC : JN_REVOLUTE;
    add_random_link(b, s, name[i], i ? name[from] : NULL, type, NULL);
  }
  check_ok(jn_builder_freeze(b, &m, NULL));
  jn_builder_destroy(b);
  return m;
}

/* What goes to the caller in rows and blocks, with zeros of their own: large and small matrices, of chains and of trees
 * whose subtrees end anywhere. */
static void large_matrices(void **state) {
  (void)state;
  uint64_t s = seed("large matrices");
  for (int i = 0; i < 8; i++) {
    static states x;
    const int links[] = {40, 33, 36, 20, 9, 21, 1, 2};
    begin_sized(&x, &s, ordered_tree(&s, links[i], i % 2 == 0), 8 - i, 25000);
    size_t n = (size_t)x.count;
    int nv = x.nv, frames = jn_frame_count(x.m) * 6 * nv;
    double *one = x.one[0], *all = x.all[0];
    check(frames < 25000 && nv * 10 * x.nlink < 25000, "room");
    check_ok(jn_mass_matrix_inverse_batch(x.b, n, x.q, all)); /* leaves no zeros in the memory of the batch */
    SAME(500, jn_mass_matrix_batch(x.b, n, x.q, all), jn_mass_matrix(x.m, x.w, Q(k), one), x.square);
    for (int in = JN_IN_BODY; in <= JN_IN_ALIGNED; in++) {
      jn_representation as = (jn_representation)in;
      SAME(500, jn_frame_jacobians_batch(x.b, n, as, x.q, all), jn_frame_jacobians(x.m, x.w, as, Q(k), one), frames);
      SAME(500, jn_frame_jacobian_rates_batch(x.b, n, as, x.q, x.v, all),
           jn_frame_jacobian_rates(x.m, x.w, as, Q(k), V(k), one), frames);
    }
    SAME(2000, jn_regressor_batch(x.b, n, x.q, x.v, x.a, all), jn_regressor(x.m, x.w, Q(k), V(k), A(k), one),
         nv * 10 * x.nlink);
    end(&x);
  }
}

static void dynamics(void **state) {
  (void)state;
  uint64_t s = seed("dynamics");
  for (int i = 0; i < MODELS; i++) {
    static states x;
    begin(&x, &s, i);
    size_t n = (size_t)x.count;
    int nv = x.nv;
    double *one = x.one[0], *all = x.all[0];
    SAME(500, jn_inverse_dynamics_batch(x.b, n, x.q, x.v, x.a, x.W, all),
         jn_inverse_dynamics(x.m, x.w, Q(k), V(k), A(k), WRENCH(k), one), nv);
    SAME(500, jn_mass_matrix_batch(x.b, n, x.q, all), jn_mass_matrix(x.m, x.w, Q(k), one), x.square);
    SAME(500, jn_coriolis_matrix_batch(x.b, n, x.q, x.v, all), jn_coriolis_matrix(x.m, x.w, Q(k), V(k), one), x.square);
    SAME(500, jn_coriolis_matrix_christoffel_batch(x.b, n, x.q, x.v, all),
         jn_coriolis_matrix_christoffel(x.m, x.w, Q(k), V(k), one), x.square);
    SAME(1e5, jn_forward_dynamics_batch(x.b, n, x.q, x.v, x.tau, x.W, all),
         jn_forward_dynamics(x.m, x.w, Q(k), V(k), TAU(k), WRENCH(k), one), nv);
    SAME(1e5, jn_hybrid_dynamics_batch(x.b, n, x.prescribed, x.q, x.v, x.a, x.tau, NULL, all, x.all[1]),
         jn_hybrid_dynamics(x.m, x.w, x.prescribed, Q(k), V(k), A(k), TAU(k), NULL, one, x.one[1]), nv, nv);
    SAME(1e5, jn_mass_matrix_inverse_batch(x.b, n, x.q, all), jn_mass_matrix_inverse(x.m, x.w, Q(k), one), x.square);
    SAME(500, jn_energy_batch(x.b, n, x.q, x.v, all), jn_energy(x.m, x.w, Q(k), V(k), one), 2);
    jn_terms many = {.M = all, .bias = x.all[1], .jacobians = x.all[2], .energy = x.all[3]};
    jn_terms few = {.M = one, .bias = x.one[1], .jacobians = x.one[2], .energy = x.one[3]};
    SAME(500, jn_compute_batch(x.b, n, x.q, x.v, NULL, NULL, &many), jn_compute(x.m, x.w, Q(k), V(k), NULL, NULL, &few),
         x.square, nv, jn_frame_count(x.m) * 6 * nv, 2);
    end(&x);
  }
}

static void time_derivatives(void **state) {
  (void)state;
  uint64_t s = seed("jets");
  for (int i = 0; i < MODELS; i++) {
    static states x;
    begin(&x, &s, i);
    size_t n = (size_t)x.count;
    int nv = x.nv, rows = ORDER + 1;
    double *one = x.one[0], *all = x.all[0];
    SAME(2000, jn_inverse_dynamics_jet_batch(x.b, n, ORDER, x.q, x.v, x.W, all),
         jn_inverse_dynamics_jet(x.m, x.w, ORDER, Q(k), V_JET(k), W_JET(k), one), rows * nv);
    SAME(1e7, jn_forward_dynamics_jet_batch(x.b, n, ORDER, x.q, x.v, x.tau_jet, NULL, all),
         jn_forward_dynamics_jet(x.m, x.w, ORDER, Q(k), V(k), TAU_JET(k), NULL, one), (rows + 1) * nv);
    SAME(2000, jn_mass_matrix_jet_batch(x.b, n, ORDER, x.q, x.v, all),
         jn_mass_matrix_jet(x.m, x.w, ORDER, Q(k), V_JET(k), one), rows * x.square);
    SAME(2000, jn_regressor_jet_batch(x.b, n, ORDER, x.q, x.v, all),
         jn_regressor_jet(x.m, x.w, ORDER, Q(k), V_JET(k), one), rows * nv * 10 * x.nlink);
    end(&x);
  }
}

static void derivatives_and_regressors(void **state) {
  (void)state;
  uint64_t s = seed("derivatives");
  for (int i = 0; i < MODELS; i++) {
    static states x;
    begin(&x, &s, i);
    size_t n = (size_t)x.count;
    int nv = x.nv, sq = x.square, pi = 10 * x.nlink;
    double *one = x.one[0], *all = x.all[0];
    SAME(2000,
         jn_inverse_dynamics_derivatives_batch(x.b, n, x.q, x.v, x.a, x.W, JN_IN_BODY, all, x.all[1], x.all[2],
                                               x.all[3]),
         jn_inverse_dynamics_derivatives(x.m, x.w, Q(k), V(k), A(k), WRENCH(k), JN_IN_BODY, one, x.one[1], x.one[2],
                                         x.one[3]),
         sq, sq, sq, nv * x.wide);
    SAME(1e7,
         jn_forward_dynamics_derivatives_batch(x.b, n, x.q, x.v, x.tau, NULL, JN_IN_BODY, all, x.all[1], x.all[2],
                                               x.all[3], NULL),
         jn_forward_dynamics_derivatives(x.m, x.w, Q(k), V(k), TAU(k), NULL, JN_IN_BODY, one, x.one[1], x.one[2],
                                         x.one[3], NULL),
         nv, sq, sq, sq);
    SAME(2000, jn_mass_matrix_rate_derivatives_batch(x.b, n, x.q, x.v, all, x.all[1]),
         jn_mass_matrix_rate_derivatives(x.m, x.w, Q(k), V(k), one, x.one[1]), sq * nv, sq * nv);
    SAME(2000, jn_frame_jacobian_derivatives_batch(x.b, n, 0, JN_IN_BODY, x.q, x.v, all, x.all[1], x.all[2]),
         jn_frame_jacobian_derivatives(x.m, x.w, 0, JN_IN_BODY, Q(k), V(k), one, x.one[1], x.one[2]), 6 * sq, 6 * sq,
         6 * sq);
    jn_gradient many = {.df_dq = all, .df_dv = x.all[1], .df_dtau = x.all[2], .df_dinertia = x.all[3]};
    jn_gradient few = {.df_dq = one, .df_dv = x.one[1], .df_dtau = x.one[2], .df_dinertia = x.one[3]};
    double a[MOST * NV], a_one[NV];
    SAME(1e7, jn_forward_dynamics_adjoint_batch(x.b, n, x.q, x.v, x.tau, NULL, JN_IN_BODY, x.y, a, &many),
         jn_forward_dynamics_adjoint(x.m, x.w, Q(k), V(k), TAU(k), NULL, JN_IN_BODY, Y(k), a_one, &few), nv, nv, nv,
         pi);
    SAME(2000, jn_regressor_batch(x.b, n, x.q, x.v, x.a, all), jn_regressor(x.m, x.w, Q(k), V(k), A(k), one), nv * pi);
    SAME(500, jn_energy_regressor_batch(x.b, n, x.q, x.v, all), jn_energy_regressor(x.m, x.w, Q(k), V(k), one), 2 * pi);
    SAME(1e7, jn_forward_dynamics_parameter_derivatives_batch(x.b, n, x.q, x.v, x.tau, NULL, all, x.all[1]),
         jn_forward_dynamics_parameter_derivatives(x.m, x.w, Q(k), V(k), TAU(k), NULL, one, x.one[1]), nv, nv * pi);
    end(&x);
  }
}

enum { TWO_FREE, BALL, LONG, TWO_LONG, ONE, SHAPES };

/* Trees that first derivatives take in different ways: two free bodies with legs, a ball at the root of a bush, a long
 * chain, two branches of middle length, a single joint. Coordinates are not in the order of the bodies. */
static jn_model *shape(uint64_t *s, int kind) {
  const int links[SHAPES] = {12, 11, 45, 40, 1};
  static char name[48][16];
  const char *order[48];
  jn_builder *b;
  jn_model *m;
  jn_options options;
  jn_options_init(&options);
  for (int i = 0; i < links[kind]; i++) {
    snprintf(name[i], sizeof name[i], "l%d", i);
    order[links[kind] - 1 - i] = name[i];
  }
  options.joint_order = order;
  options.joint_order_count = links[kind];
  check_ok(jn_builder_create(&options, &b));
  for (int i = 0; i < links[kind]; i++) {
    int parent = i - 1;
    jn_joint_type type = i % 9 == 7 ? JN_PRISMATIC : JN_REVOLUTE;
    if (kind == TWO_FREE) parent = i % 6 == 0 ? -1 : i % 3 == 1 ? i / 6 * 6 : i - 1;
    if (kind == TWO_FREE && i % 6 == 0) type = JN_FREE;
    if (kind == BALL) parent = i ? (i - 1) / 2 : -1;
    if (kind == BALL && i == 0) type = JN_SPHERICAL;
    if (kind == TWO_LONG && i == 20) parent = 3;
    add_random_link(b, s, name[i], parent < 0 ? NULL : name[parent], type, NULL);
  }
  check_ok(jn_builder_freeze(b, &m, NULL));
  jn_builder_destroy(b);
  return m;
}

/* Any set of outputs, written completely. */
static void first_derivatives_of_any_shape(void **state) {
  (void)state;
  uint64_t s = seed("shapes");
  for (int i = 0; i < 2 * SHAPES; i++) {
    static states x;
    begin_with(&x, &s, shape(&s, i % SHAPES), i);
    size_t n = (size_t)x.count;
    int nv = x.nv, sq = x.square, part = i >= SHAPES;
    double *one = x.one[0], *all = x.all[0];
    SAME(2000,
         jn_inverse_dynamics_derivatives_batch(x.b, n, x.q, x.v, x.a, NULL, JN_IN_BODY, all, part ? NULL : x.all[1],
                                               part ? NULL : x.all[2], NULL),
         jn_inverse_dynamics_derivatives(x.m, x.w, Q(k), V(k), A(k), NULL, JN_IN_BODY, one, part ? NULL : x.one[1],
                                         part ? NULL : x.one[2], NULL),
         sq, part ? 0 : sq, part ? 0 : sq);
    SAME(1e7,
         jn_forward_dynamics_derivatives_batch(x.b, n, x.q, x.v, x.tau, NULL, JN_IN_BODY, all, part ? NULL : x.all[1],
                                               x.all[2], x.all[3], NULL),
         jn_forward_dynamics_derivatives(x.m, x.w, Q(k), V(k), TAU(k), NULL, JN_IN_BODY, one, part ? NULL : x.one[1],
                                         x.one[2], x.one[3], NULL),
         nv, part ? 0 : sq, sq, sq);
    end(&x);
  }
}

/* Float in lanes of its own: twice as many, and as good as float can be. */
static void single_precision(void **state) {
  (void)state;
  uint64_t s = seed("float");
  for (int i = 0; i < MODELS; i++) {
    static states x;
    static float q[MOST * NQ], v[MOST * NV], a[MOST * NV], all[MOST * NV], one[NV];
    begin(&x, &s, i);
    for (int k = 0; k < x.count * x.nq; k++) q[k] = (float)x.q[k];
    for (int k = 0; k < x.count * x.nv; k++) v[k] = (float)x.v[k], a[k] = (float)x.a[k];
    check_ok(jnf_inverse_dynamics_batch(x.b, (size_t)x.count, q, v, a, NULL, all));
    for (int k = 0; k < x.count; k++) {
      double size = 1, gap = 0;
      check_ok(jnf_inverse_dynamics(x.m, x.w, q + k * x.nq, v + k * x.nv, a + k * x.nv, NULL, one));
      for (int c = 0; c < x.nv; c++) {
        size = fmax(size, fabs((double)one[c]));
        gap = fmax(gap, fabs((double)all[k * x.nv + c] - (double)one[c]));
      }
      check(gap <= 300 * 1.2e-7 * size, "state %d: %g of %g", k, gap, size);
    }
    end(&x);
  }
}

/* A link without inertia: each state that cannot be solved is told, the first by its number. */
static void singular_states(void **state) {
  (void)state;
  jn_builder *b;
  jn_model *m;
  jn_batch *batch;
  jn_link l;
  check_ok(jn_builder_create(NULL, &b));
  jn_link_init(&l);
  l.name = "nothing";
  l.joint.type = JN_REVOLUTE;
  check_ok(jn_builder_add_link(b, &l));
  check_ok(jn_builder_freeze(b, &m, NULL));
  check_ok(jn_batch_create(m, -1, 0, &batch));
  double q[7] = {0}, a[7];
  check_status(jn_forward_dynamics_batch(batch, 7, q, NULL, NULL, NULL, a), JN_ERR_SINGULAR);
  assert_int_equal(jn_batch_singular(batch), 0);
  check_ok(jn_inverse_dynamics_batch(batch, 7, q, NULL, NULL, NULL, a));
  assert_true(jn_batch_singular(batch) == JN_ALL_STATES);
  jn_batch_destroy(batch);
  jn_model_destroy(m);
  jn_builder_destroy(b);
}

static void wrong_arguments(void **state) {
  (void)state;
  jn_model *m;
  jn_batch *b = (jn_batch *)&m;
  double q[7] = {0}, tau[7];
  check_ok(jn_load("builtin:chain:7", NULL, &m, NULL));
  check_status(jn_batch_create(NULL, 0, 0, &b), JN_ERR_NULL);
  check(!b, "what was not made is NULL");
  check_status(jn_batch_create(m, -2, 0, &b), JN_ERR_SIZE);
  check_status(jn_batch_create(m, 0, -1, &b), JN_ERR_SIZE);
  check_ok(jn_batch_create(m, 0, 2, &b));
  check(jn_batch_threads(b) >= 1, "threads");
  check_ok(jn_inverse_dynamics_batch(b, 0, NULL, NULL, NULL, NULL, NULL));
  check_status(jn_inverse_dynamics_batch(b, 1, NULL, NULL, NULL, NULL, tau), JN_ERR_NULL);
  check_status(jn_inverse_dynamics_batch(NULL, 1, q, NULL, NULL, NULL, tau), JN_ERR_NULL);
  check_status(jn_inverse_dynamics_jet_batch(b, 1, 1, q, q, NULL, tau), JN_ERR_WORK);
  jn_batch_destroy(b);
  jn_batch_destroy(NULL);
  jn_model_destroy(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(configurations_and_kinematics),
      cmocka_unit_test(large_matrices),
      cmocka_unit_test(dynamics),
      cmocka_unit_test(time_derivatives),
      cmocka_unit_test(derivatives_and_regressors),
      cmocka_unit_test(first_derivatives_of_any_shape),
      cmocka_unit_test(single_precision),
      cmocka_unit_test(singular_states),
      cmocka_unit_test(wrong_arguments),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
