/* SPDX-License-Identifier: BSD-2-Clause */
/* Contacts, couplings of coordinates and conditions of the user's own: each against the closure, the joint or the
 * property that says the same. Redundant rows and singular configurations. */
#include "linkage.h"
#include "models.h"

enum { K = 3, V = 16, Q = 18, ROWS = 8, LINKS = 8 };

static double largest(const double *x, int n) {
  double most = 1;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

static void check_near(const double *found, const double *expected, int n, double tolerance, const char *what) {
  for (int i = 0; i < n; i++)
    check(fabs(found[i] - expected[i]) < tolerance * largest(expected, n), "%s [%d]: %.12g, not %.12g", what, i,
          found[i], expected[i]);
}

static jn_loops *loops_of(const jn_model *m, const jn_loops_user *user) {
  jn_loops_options options;
  jn_loops *l;
  jn_loops_options_init(&options);
  options.order = K;
  options.user = user;
  options.user_count = user != NULL;
  check_ok(jn_loops_create(m, &options, &l));
  return l;
}

/* ---- contacts ---- */

/* A free body, two hinges, and the last link held to the world by a loop of a type. */
static jn_model *held_chain(uint64_t *s, jn_loop_type type, const double *axis, const double *T_a, const double *T_b) {
  jn_builder *b;
  jn_model *m;
  jn_loop g;
  check_ok(jn_builder_create(NULL, &b));
  add_random_link(b, s, "trunk", NULL, JN_FREE, NULL);
  add_random_link(b, s, "thigh", "trunk", JN_REVOLUTE, NULL);
  add_random_link(b, s, "foot", "thigh", JN_REVOLUTE, NULL);
  jn_loop_init(&g);
  g.name = "ground";
  g.type = type;
  g.link_a = "world";
  g.link_b = "foot";
  memcpy(g.axis, axis, sizeof g.axis);
  memcpy(g.placement_a, T_a, sizeof g.placement_a);
  memcpy(g.placement_b, T_b, sizeof g.placement_b);
  g.mask = 32;
  check_ok(jn_builder_add_loop(b, &g));
  check_ok(jn_builder_freeze(b, &m, NULL));
  jn_builder_destroy(b);
  return m;
}

static const struct {
  jn_loop_type contact, closure;
} same[] = {{JN_LOOP_POINT_CONTACT, JN_LOOP_SPHERICAL},
            {JN_LOOP_SURFACE_CONTACT, JN_LOOP_WELD},
            {JN_LOOP_SLIDING_SURFACE, JN_LOOP_PLANAR},
            {JN_LOOP_SLIDING_POINT, JN_LOOP_COORDINATES}};

/* Motion and wrenches to order K; the first multiplier is the force along the normal. */
static void contacts_are_the_closures_that_hold_as_much(void **state) {
  (void)state;
  uint64_t s = seed("contacts");
  if (jn_variant_epsilon() > 1e-10) return;
  for (int i = 0; i < 20; i++) {
    double T_a[16], T_b[16], axis[3] = {0, 0, 1}, q[Q], v[V], tau[(K + 1) * V], jet[2][(K + 2) * V], W[2][12],
                             lambda[2][(K + 1) * ROWS];
    random_placement(&s, T_a);
    random_placement(&s, T_b);
    if (i % 4 != 3) fill(&s, axis, 3, 1); /* the mask of coordinates knows z only */
    uint64_t same_links = s;
    for (int k = 0; k < 2; k++) {
      uint64_t links = same_links;
      jn_model *m = held_chain(&links, k ? same[i % 4].closure : same[i % 4].contact, axis, T_a, T_b);
      jn_loops *l = loops_of(m, NULL);
      if (k == 0) {
        jn_status status = JN_ERR_LOOP;
        for (int attempt = 0; attempt < 50 && status != JN_OK; attempt++) { /* upside down is refused */
          check_ok(jn_random(m, &s, q));
          status = jn_loops_assemble(l, NULL, 0, q, NULL);
        }
        check_ok(status);
        fill(&s, v, jn_model_nv(m), 1);
        fill(&s, tau, (K + 1) * jn_model_nv(m), 3);
        check_ok(jn_loops_project(l, NULL, q, v));
      }
      check_ok(jn_loops_forward_dynamics_jet(l, K, q, v, tau, NULL, jet[k], lambda[k]));
      check_ok(jn_loops_wrenches(l, q, lambda[k], W[k]));
      int rank;
      check_ok(jn_loops_rank(l, q, &rank));
      assert_int_equal(rank, jn_loops_rows(l));
      jn_loops_destroy(l);
      jn_model_destroy(m);
    }
    check_near(jet[0], jet[1], (K + 2) * 8, 1e-9, "motion");
    check_near(W[0], W[1], 12, 1e-9, "wrench");
    double size = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]), normal = 0;
    for (int e = 0; e < 3; e++) normal -= axis[e] / size * W[0][3 + e]; /* on a; on b it is opposite */
    check(fabs(normal - lambda[0][0]) < 1e-9 * (1 + fabs(normal)), "normal force %g, first multiplier %g", normal,
          lambda[0][0]);
  }
}

/* 2 kg that slide down without friction: g sin(slope), and the plane carries m g cos(slope) under the centre. */
static void a_block_slides_down_a_slope(void **state) {
  (void)state;
  if (jn_variant_epsilon() > 1e-10) return;
  const double slope = 0.4, axis[3] = {-sin(slope), 0, cos(slope)};
  jn_builder *b;
  jn_model *m;
  jn_link block;
  jn_loop g;
  check_ok(jn_builder_create(NULL, &b));
  jn_link_init(&block);
  block.name = "block";
  block.joint.type = JN_FREE;
  jn_inertia_pack(2, (const double[]){0, 0, 0}, (const double[]){0.01, 0.02, 0.03, 0, 0, 0}, block.inertia);
  check_ok(jn_builder_add_link(b, &block));
  jn_loop_init(&g);
  g.name = "slope";
  g.type = JN_LOOP_SLIDING_SURFACE;
  g.link_a = "world";
  g.link_b = "block";
  memcpy(g.axis, axis, sizeof axis);
  for (int e = 0; e < 3; e++) g.placement_b[4 * e + 3] = -0.1 * axis[e]; /* its underside, below the centre */
  check_ok(jn_builder_add_loop(b, &g));
  check_ok(jn_builder_freeze(b, &m, NULL));
  jn_builder_destroy(b);
  jn_loops *l = loops_of(m, NULL);
  double q[7], v[6] = {0}, tau[6] = {0}, jet[12], lambda[3];
  check_ok(jn_neutral(m, q));
  for (int e = 0; e < 3; e++) q[e] = 0.1 * axis[e];
  check_ok(jn_loops_forward_dynamics_jet(l, 0, q, v, tau, NULL, jet, lambda));
  const double a[6] = {0, 0, 0, -9.81 * sin(slope) * cos(slope), 0, -9.81 * sin(slope) * sin(slope)};
  check_near(jet + 6, a, 6, 1e-12, "acceleration");
  check_near(lambda, (const double[]){2 * 9.81 * cos(slope), 0, 0}, 3, 1e-12, "normal force");
  /* it fell on the slope at 3 m/s, and stays there, without a loss along the slope */
  double fall[6] = {0, 0, 0, 0, 0, -3}, impulse[3];
  check_ok(jn_loops_impact(l, 0, q, fall, impulse));
  const double after[6] = {0, 0, 0, -3 * sin(slope) * cos(slope), 0, -3 * sin(slope) * sin(slope)};
  check_near(fall, after, 6, 1e-12, "velocity after impact");
  check_near(impulse, (const double[]){2 * 3 * cos(slope), 0, 0}, 3, 1e-12, "impulse");
  jn_loops_destroy(l);
  jn_model_destroy(m);
}

/* ---- couplings ---- */

static void couple(jn_builder *b, int count, const jn_coupling *terms, double offset) {
  jn_loop g;
  jn_loop_init(&g);
  g.name = "gear";
  g.type = JN_LOOP_COUPLING;
  g.term_count = count;
  memcpy(g.term, terms, (size_t)count * sizeof *terms);
  g.offset = offset;
  check_ok(jn_builder_add_loop(b, &g));
}

/* q3 = ratio q1 + offset as a mimic, or as a coupling of independent joints. */
static jn_model *geared_chain(uint64_t *s, int coupling, double ratio, double offset) {
  static const jn_joint_type types[4] = {JN_SPHERICAL, JN_REVOLUTE, JN_PRISMATIC, JN_HELICAL};
  static const char *const names[4] = {"link0", "link1", "link2", "link3"};
  jn_builder *b;
  jn_model *m;
  check_ok(jn_builder_create(NULL, &b));
  for (int i = 0; i < 4; i++) {
    jn_link l;
    jn_link_init(&l);
    l.name = names[i];
    l.parent = i ? names[i - 1] : NULL;
    random_placement(s, l.placement);
    random_inertia(s, l.inertia);
    random_joint(s, types[i], &l.joint);
    if (i == 3 && !coupling) l.joint.mimic = "link1", l.joint.mimic_ratio = ratio, l.joint.mimic_offset = offset;
    check_ok(jn_builder_add_link(b, &l));
  }
  const jn_coupling terms[2] = {{"link3", 0, 2}, {"link1", 0, -2 * ratio}};
  if (coupling) couple(b, 2, terms, 2 * offset);
  check_ok(jn_builder_freeze(b, &m, NULL));
  jn_builder_destroy(b);
  return m;
}

/* Coordinates of the mimic: ball 0-2, hinge 3, slide 4; with the coupling the helix is 5. */
static void a_coupling_is_a_mimic(void **state) {
  (void)state;
  uint64_t s = seed("couplings");
  if (jn_variant_epsilon() > 1e-10) return;
  enum { N = 5, M = 6 };
  for (int i = 0; i < 10; i++) {
    double ratio = 1.5 * uniform(&s), offset = uniform(&s), q[8], v[N * (K + 2)], tau[N * (K + 1)], jet[N * (K + 2)],
           expected[M * (K + 2)], found[M * (K + 2)], tau_loop[M * (K + 1)] = {0}, forces[N * (K + 1)], lambda[K + 1];
    uint64_t links = s;
    jn_model *mimic = geared_chain(&s, 0, ratio, offset), *coupled = geared_chain(&links, 1, ratio, offset);
    jn_loops *l = loops_of(coupled, NULL);
    jn_work *w;
    check_ok(jn_work_create_order(mimic, K + 1, &w));
    assert_int_equal(jn_model_nv(mimic), N);
    assert_int_equal(jn_model_nv(coupled), M);
    check_ok(jn_random(mimic, &s, q));
    q[6] = ratio * q[4] + offset; /* the ball has 4 numbers */
    double wrong[8];
    memcpy(wrong, q, sizeof wrong);
    wrong[6] += 0.3;
    const unsigned char held[M] = {1, 1, 1, 1, 1, 0};
    check_ok(jn_loops_assemble(l, held, 0, wrong, NULL));
    check_near(wrong, q, 7, 1e-12, "assembled");
    fill(&s, v, N, 1);
    fill(&s, tau, N * (K + 1), 3);
    check_ok(jn_forward_dynamics_jet(mimic, w, K, q, v, tau, NULL, jet));
    for (int k = 0; k < K + 2; k++)
      for (int c = 0; c < M; c++) expected[k * M + c] = c < 5 ? jet[k * N + c] : ratio * jet[k * N + 3];
    for (int k = 0; k < (K + 1) * N; k++) tau_loop[k / N * M + k % N] = tau[k];
    check_ok(jn_loops_forward_dynamics_jet(l, K, q, expected, tau_loop, NULL, found, lambda));
    check_near(found, expected, M * (K + 2), 1e-8, "motion");
    const unsigned char actuated[M] = {1, 1, 1, 1, 1, 0};
    check_ok(
        jn_loops_inverse_dynamics_jet(l, K, actuated, JN_LEAST_TORQUE, NULL, q, expected, NULL, NULL, found, NULL));
    check_ok(jn_inverse_dynamics_jet(mimic, w, K, q, jet, NULL, forces));
    for (int k = 0; k < (K + 1) * N; k++)
      check(fabs(found[k / N * M + k % N] - forces[k]) < 1e-8 * largest(forces, N * (K + 1)), "force %d: %g, %g", k,
            found[k / N * M + k % N], forces[k]);
    /* derivatives by q and v: those of the mimic are along (1, ratio) */
    double D[4][M * M], a[N], tree[3][N * N];
    check_ok(
        jn_forward_dynamics_derivatives(mimic, w, q, v, tau, NULL, JN_IN_BODY, a, tree[0], tree[1], tree[2], NULL));
    const jn_loops_derivatives d = {.da_dq = D[0], .da_dv = D[1], .da_dgiven = D[2]};
    check_ok(jn_loops_dynamics_derivatives(l, NULL, q, expected, expected + M, lambda, NULL, JN_IN_BODY, &d));
    for (int by = 0; by < 3; by++)
      for (int e = 0; e < N * N; e++) {
        int r = e / N, c = e % N;
        double sum = D[by][r * M + c] + (c == 3 && by < 2 ? ratio * D[by][r * M + 5] : 0);
        check(fabs(sum - tree[by][e]) < 1e-8 * largest(tree[by], N * N), "by %d, (%d, %d): %g, %g", by, r, c, sum,
              tree[by][e]);
      }
    jn_loops_destroy(l);
    jn_work_destroy(w);
    jn_model_destroy(mimic);
    jn_model_destroy(coupled);
  }
}

/* Angle and length of a cylindrical joint in a fixed ratio. */
static void a_coupled_cylinder_is_a_screw(void **state) {
  (void)state;
  uint64_t s = seed("screw");
  if (jn_variant_epsilon() > 1e-10) return;
  const double pitch = 0.2;
  jn_model *m[2];
  double q[2] = {0.7, 0.7 * pitch}, v[2 * (K + 2)] = {1.1, 1.1 * pitch}, tau[2 * (K + 1)] = {0}, jet[2 * (K + 2)],
         screw[K + 2];
  for (int k = 0; k < 2; k++) {
    uint64_t links = s;
    jn_builder *b;
    jn_link l;
    check_ok(jn_builder_create(NULL, &b));
    jn_link_init(&l);
    l.name = "nut";
    random_placement(&links, l.placement);
    random_inertia(&links, l.inertia);
    random_joint(&links, k ? JN_HELICAL : JN_CYLINDRICAL, &l.joint);
    l.joint.pitch = pitch;
    check_ok(jn_builder_add_link(b, &l));
    const jn_coupling terms[2] = {{"nut", 1, 1}, {"nut", 0, -pitch}};
    if (k == 0) couple(b, 2, terms, 0);
    check_ok(jn_builder_freeze(b, &m[k], NULL));
    jn_builder_destroy(b);
  }
  jn_loops *l = loops_of(m[0], NULL);
  jn_work *w;
  check_ok(jn_work_create_order(m[1], K + 1, &w));
  fill(&s, tau, 2 * (K + 1), 1);
  double alone[K + 1];
  for (int k = 0; k <= K; k++) alone[k] = tau[2 * k] + pitch * tau[2 * k + 1]; /* the same work */
  check_ok(jn_loops_forward_dynamics_jet(l, K, q, v, tau, NULL, jet, NULL));
  check_ok(jn_forward_dynamics_jet(m[1], w, K, q, v, alone, NULL, screw));
  for (int k = 0; k < K + 2; k++) {
    check(fabs(jet[2 * k] - screw[k]) < 1e-10 * largest(screw, K + 2), "order %d: %g, %g", k, jet[2 * k], screw[k]);
    check(fabs(jet[2 * k + 1] - pitch * screw[k]) < 1e-10 * largest(screw, K + 2), "order %d", k);
  }
  jn_work_destroy(w);
  jn_loops_destroy(l);
  jn_model_destroy(m[0]);
  jn_model_destroy(m[1]);
}

static void couplings_are_checked(void **state) {
  (void)state;
  static const struct {
    jn_coupling terms[2];
    int count;
    const char *says;
  } faults[] = {{{{"hinge", 0, 1}}, 0, "no terms"},
                {{{"hinge", 0, 1}, {"hnige", 0, 1}}, 2, "term 2 names 'hnige', which is not a joint"},
                {{{"ball", 0, 1}}, 1, "term 1 names 'ball', whose velocities are not the rates of its coordinates"},
                {{{"hinge", 1, 1}}, 1, "joint 'hinge' of term 1 has no coordinate 1"},
                {{{"hinge", 0, 0}}, 1, "the factor of 'hinge' is 0"},
                {{{"hinge", 0, 1}, {"hinge", 0, 2}}, 2, "terms 1 and 2 name the same coordinate"},
                {{{"follower", 0, 1}}, 1, "term 1 names 'follower', which mimics another joint"},
                {{{"stiff", 0, 1}}, 1, "term 1 names 'stiff', which is fixed"}};
  static const struct {
    const char *name;
    jn_joint_type type;
  } links[] = {{"hinge", JN_REVOLUTE}, {"ball", JN_SPHERICAL}, {"follower", JN_REVOLUTE}, {"stiff", JN_FIXED}};
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
    jn_builder *b;
    jn_model *m;
    jn_error error;
    check_ok(jn_builder_create(NULL, &b));
    for (int k = 0; k < 4; k++) {
      jn_link l;
      jn_link_init(&l);
      l.name = links[k].name;
      l.joint.type = links[k].type;
      l.inertia[0] = l.inertia[4] = l.inertia[5] = l.inertia[6] = 1;
      if (k == 2) l.joint.mimic = "hinge";
      check_ok(jn_builder_add_link(b, &l));
    }
    couple(b, faults[i].count, faults[i].terms, 0);
    check_status(jn_builder_freeze(b, &m, &error), JN_ERR_MODEL);
    check(strstr(error.text, faults[i].says) && strstr(error.text, "loop 'gear'"), "'%s' in: %s", faults[i].says,
          error.text);
    jn_builder_destroy(b);
  }
}

/* ---- the user's conditions ---- */

/* The end of a chain of bars stays at (span, 0), by complex numbers: the sum of l e^(i theta), theta = q0 + ... + qk.
 */
typedef struct pin {
  int bars;
  double length[4], span;
  int calls;
} pin;

static void bar(const pin *p, int k, const double *q, double *x, double *y) {
  double theta = 0;
  for (int i = 0; i <= k; i++) theta += q[i];
  *x = p->length[k] * cos(theta);
  *y = p->length[k] * sin(theta);
}

static jn_status pin_value(void *context, const double *q, const double *v, double *phi, double *A, double *dAv) {
  pin *p = context;
  p->calls++;
  phi[0] = -p->span;
  phi[1] = dAv[0] = dAv[1] = 0;
  memset(A, 0, 2 * (size_t)p->bars * sizeof *A);
  double rate = 0;
  for (int k = 0; k < p->bars; k++) {
    double x, y;
    bar(p, k, q, &x, &y);
    rate += v[k];
    phi[0] += x, phi[1] += y;
    dAv[0] -= rate * rate * x, dAv[1] -= rate * rate * y;
    for (int i = 0; i <= k; i++) A[i] -= y, A[p->bars + i] += x;
  }
  return JN_OK;
}

/* z' = i theta' z: derivatives by Leibniz. */
static jn_status pin_jet(void *context, int order, const double *q, const double *v, double *phi, double *A) {
  pin *p = context;
  int n = p->bars;
  memset(phi, 0, 2 * (size_t)(order + 3) * sizeof *phi);
  memset(A, 0, 2 * (size_t)((order + 1) * n) * sizeof *A);
  phi[0] = -p->span;
  for (int b = 0; b < n; b++) {
    double x[K + 3] = {0}, y[K + 3] = {0};
    bar(p, b, q, &x[0], &y[0]);
    for (int k = 0; k < order + 3; k++) {
      double binom = 1;
      for (int j = 0; j < k; j++) { /* z^(k) = sum binom(k-1, j) i theta^(k-j) z^(j) */
        double rate = 0;
        for (int i = 0; i <= b; i++) rate += v[(k - 1 - j) * n + i];
        x[k] -= binom * rate * y[j];
        y[k] += binom * rate * x[j];
        binom = binom * (k - 1 - j) / (j + 1);
      }
      phi[2 * k] += x[k], phi[2 * k + 1] += y[k];
      for (int i = 0; i <= b && k <= order; i++) A[(2 * k) * n + i] -= y[k], A[(2 * k + 1) * n + i] += x[k];
    }
  }
  return JN_OK;
}

static jn_status pin_derivatives(void *context, const double *q, const double *v, const double *a, const double *lambda,
                                 double *force, double *rate_q, double *rate_v) {
  const pin *p = context;
  int n = p->bars;
  memset(force, 0, (size_t)(n * n) * sizeof *force);
  memset(rate_q, 0, 2 * (size_t)n * sizeof *rate_q);
  memset(rate_v, 0, 2 * (size_t)n * sizeof *rate_v);
  double w = 0, dw = 0;
  for (int b = 0; b < n; b++) { /* z'' = (i dw - w^2) z */
    double x, y;
    bar(p, b, q, &x, &y);
    w += v[b], dw += a[b];
    for (int i = 0; i <= b; i++) {
      rate_q[i] += -dw * x + w * w * y, rate_q[n + i] += -dw * y - w * w * x;
      rate_v[i] -= 2 * w * x, rate_v[n + i] -= 2 * w * y;
      for (int k = 0; k <= b; k++) force[i * n + k] -= lambda[0] * x + lambda[1] * y;
    }
  }
  return JN_OK;
}

static jn_status never(void *context, const double *q, const double *v, double *phi, double *A, double *dAv) {
  (void)context, (void)q, (void)v, (void)phi, (void)A, (void)dAv;
  return JN_ERR_INDEX;
}

/* All that the pin of the library gives, the user's pin gives. */
static void a_condition_by_callback_is_the_loop_it_describes(void **state) {
  (void)state;
  uint64_t s = seed("callbacks");
  if (jn_variant_epsilon() > 1e-10) return;
  enum { N = 4 };
  pin p = {N, {0.5, 0.7, 0.7, 0.5}, 0.6, 0};
  const jn_loops_user user = {2, &p, pin_value, pin_jet, pin_derivatives};
  jn_model *m[2] = {linkage(N, p.length, p.span), held_linkage(N, p.length, p.span, NULL)};
  jn_loops *l[2] = {loops_of(m[0], NULL), loops_of(m[1], &user)};
  assert_int_equal(jn_loops_rows(l[1]), 2);
  int rows;
  assert_int_equal(jn_loops_row(l[1], 0, &rows), 0);
  assert_int_equal(rows, 2);
  for (int i = 0; i < 10; i++) {
    double q[2][N], v[2][(K + 2) * N], tau[(K + 1) * N], jet[2][(K + 2) * N], lambda[2][(K + 1) * 5],
        force[2][(K + 1) * N], D[2][6][N * N], L[2][N * 5], impact[2][N];
    const unsigned char given[N] = {1, 1, 0, 0}, actuated[N] = {1, 1, 1, 0};
    double start[(K + 2) * N];
    fill(&s, start, (K + 2) * N, 1);
    fill(&s, tau, (K + 1) * N, 3);
    for (int k = 0; k < 2; k++) {
      memcpy(q[k], (const double[]){2.0, -1.2, -1.4, -1.0}, sizeof q[k]);
      memcpy(v[k], start, sizeof start);
      memcpy(impact[k], start, sizeof impact[k]);
      check_ok(jn_loops_assemble(l[k], given, 0, q[k], NULL));
      check_ok(jn_loops_complete_motion(l[k], K, given, q[k], v[k]));
      check_ok(jn_loops_forward_dynamics_jet(l[k], K, q[k], v[k], tau, NULL, jet[k], lambda[k]));
      const jn_loops_derivatives d = {.da_dq = D[k][0], .da_dv = D[k][1], .da_dgiven = D[k][2], .dlambda_dq = L[k]};
      check_ok(jn_loops_dynamics_derivatives(l[k], NULL, q[k], v[k], jet[k] + N, lambda[k], NULL, JN_IN_BODY, &d));
      check_ok(jn_loops_inverse_dynamics_jet(l[k], K, actuated, JN_LEAST_TORQUE, NULL, q[k], v[k], NULL, NULL, force[k],
                                             NULL));
      const jn_loops_inverse_derivatives e = {.dtau_dq = D[k][3], .dtau_dv = D[k][4], .dtau_da = D[k][5]};
      check_ok(jn_loops_inverse_dynamics_derivatives(l[k], actuated, JN_LEAST_TORQUE, NULL, q[k], v[k], v[k] + N, NULL,
                                                     NULL, JN_IN_BODY, NULL, NULL, &e));
      check_ok(jn_loops_impact(l[k], 0.5, q[k], impact[k], NULL));
    }
    check_near(q[1], q[0], N, 1e-10, "assembled");
    check_near(v[1], v[0], (K + 2) * N, 1e-8, "completed");
    for (int k = 0; k < K + 2; k++) check_near(jet[1] + k * N, jet[0] + k * N, N, 1e-8, "motion");
    for (int k = 0; k <= K; k++) check_near(lambda[1] + 2 * k, lambda[0] + 5 * k, 2, 1e-8, "lambda");
    for (int k = 0; k <= K; k++) check_near(force[1] + k * N, force[0] + k * N, N, 1e-8, "torques");
    for (int k = 0; k < 6; k++) check_near(D[1][k], D[0][k], N * N, 1e-8, "derivatives");
    check_near(L[1], L[0], 2 * N, 1e-8, "dlambda/dq");
    check_near(impact[1], impact[0], N, 1e-10, "impact");
  }
  for (int k = 0; k < 2; k++) {
    jn_loops_destroy(l[k]);
    jn_model_destroy(m[k]);
  }
}

static void callbacks_that_are_missing_or_fail_are_reported(void **state) {
  (void)state;
  enum { N = 4 };
  pin p = {N, {0.5, 0.7, 0.7, 0.5}, 0.6, 0};
  const jn_loops_user poor = {2, &p, pin_value, NULL, NULL}, bad = {2, &p, never, NULL, NULL};
  jn_model *m = held_linkage(N, p.length, p.span, NULL);
  jn_loops *l = loops_of(m, &poor);
  double q[N] = {2.0, -1.2, -1.4, -1.0}, v[2 * N] = {0}, tau[2 * N] = {0}, jet[3 * N], lambda[10];
  check_ok(jn_loops_forward_dynamics_jet(l, 0, q, v, tau, NULL, jet, lambda));
  check_status(jn_loops_forward_dynamics_jet(l, 1, q, v, tau, NULL, jet, lambda), JN_ERR_CALLBACK);
  check_status(jn_loops_dynamics_derivatives(l, NULL, q, v, jet + N, lambda, NULL, JN_IN_BODY,
                                             &(const jn_loops_derivatives){.da_dq = NULL}),
               JN_ERR_CALLBACK);
  jn_loops_destroy(l);
  l = loops_of(m, &bad);
  check_status(jn_loops_forward_dynamics_jet(l, 0, q, v, tau, NULL, jet, lambda), JN_ERR_INDEX);
  jn_loops_destroy(l);
  const jn_loops_user empty = {0, &p, pin_value, NULL, NULL}, none = {2, &p, NULL, NULL, NULL};
  jn_loops_options options;
  jn_loops_options_init(&options);
  options.user_count = 1;
  check_status(jn_loops_create(m, &options, &l), JN_ERR_NULL);
  options.user = &empty;
  check_status(jn_loops_create(m, &options, &l), JN_ERR_SIZE);
  options.user = &none;
  check_status(jn_loops_create(m, &options, &l), JN_ERR_NULL);
  jn_model_destroy(m);
}

/* ---- redundant, singular ---- */

static void redundant_rows_are_reported(void **state) {
  (void)state;
  if (jn_variant_epsilon() > 1e-10) return;
  jn_model *m = linkage(3, (const double[]){0.4, 1, 0.4}, 1);
  jn_loops *l = loops_of(m, NULL);
  double q[3] = {1, -1, 1 - M_PI};
  jn_loops_health h;
  unsigned char redundant[5];
  check_ok(jn_loops_health_at(l, q, &h, redundant));
  const unsigned char plane[5] = {0, 0, 1, 1, 1};
  assert_memory_equal(redundant, plane, 5);
  check(h.rank == 2 && h.generic == 2 && !h.near_singular && h.weakest > 0.05 && h.dropped < 1e-14,
        "rank %d, generic %d, weakest %g, dropped %g", h.rank, h.generic, h.weakest, h.dropped);
  jn_loops_destroy(l);
  jn_model_destroy(m);
}

/* The parallelogram on its way to the flat position, where it could fold the other way: the weakest direction goes as
 * the angle; the answer is bounded, and the caller is told. */
static void singular_configurations_are_reported_and_bounded(void **state) {
  (void)state;
  if (jn_variant_epsilon() > 1e-10) return;
  jn_model *m = linkage(3, (const double[]){0.4, 1, 0.4}, 1);
  jn_loops *l = loops_of(m, NULL);
  static const double angles[] = {0.5, 1e-2, 1e-7, 1e-9, 1e-11, 0};
  for (int i = 0; i < 6; i++) {
    double c = angles[i], q[3] = {c, -c, c - M_PI}, v[3] = {1, -1, 1}, tau[3] = {0}, jet[6], lambda[5];
    jn_loops_health h, last;
    check_ok(jn_loops_health_at(l, q, &h, NULL));
    check_ok(jn_loops_forward_dynamics_jet(l, 0, q, v, tau, NULL, jet, lambda));
    check_ok(jn_loops_last_health(l, &last));
    check(h.near_singular == (i > 1) && last.near_singular == (i > 1), "angle %g: weakest %g, dropped %g, rank %d", c,
          h.weakest, h.dropped, h.rank);
    check(h.rank == (i < 3 ? 2 : 1) || i == 3, "angle %g: rank %d", c, h.rank);
    for (int k = 0; k < 6; k++) check(fabs(jet[k]) < 1e3, "angle %g: a %g", c, jet[k]);
    for (int k = 0; k < 5; k++) check(fabs(lambda[k]) < 1e3 / 1e-9, "angle %g: lambda %g", c, lambda[k]);
  }
  jn_loops_destroy(l);
  jn_model_destroy(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(contacts_are_the_closures_that_hold_as_much),
      cmocka_unit_test(a_block_slides_down_a_slope),
      cmocka_unit_test(a_coupling_is_a_mimic),
      cmocka_unit_test(a_coupled_cylinder_is_a_screw),
      cmocka_unit_test(couplings_are_checked),
      cmocka_unit_test(a_condition_by_callback_is_the_loop_it_describes),
      cmocka_unit_test(callbacks_that_are_missing_or_fail_are_reported),
      cmocka_unit_test(redundant_rows_are_reported),
      cmocka_unit_test(singular_configurations_are_reported_and_bounded),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
