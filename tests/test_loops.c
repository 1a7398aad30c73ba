/* SPDX-License-Identifier: BSD-2-Clause */
/* Closed loops. A joint of a random tree is cut: its link floats freely, and a loop closes the cut again, so that the
 * tree itself says what must come out, for every order. Planar linkages: redundant conditions, choice of torques. */
#include "linkage.h"
#include "models.h"

enum { MODELS = 30, TOP = 3, LINKS = 7, V = 40, ROWS = 12 };

/* ---- a tree, and the same with a joint cut ---- */

typedef struct cut {
  jn_model *tree, *loop;
  jn_work *w; /* of the tree */
  jn_loops *l;
  int n, m, link; /* coordinates of tree and loop; the cut link, by name the same in both */
  double q[60], v[(TOP + 2) * V], q_loop[60], v_loop[(TOP + 2) * V];
} cut;

static const struct {
  jn_joint_type joint;
  jn_loop_type loop;
} kinds[] = {
    {JN_REVOLUTE, JN_LOOP_REVOLUTE},   {JN_PRISMATIC, JN_LOOP_PRISMATIC}, {JN_CYLINDRICAL, JN_LOOP_CYLINDRICAL},
    {JN_UNIVERSAL, JN_LOOP_UNIVERSAL}, {JN_SPHERICAL, JN_LOOP_SPHERICAL}, {JN_PLANAR, JN_LOOP_PLANAR},
    {JN_FIXED, JN_LOOP_WELD}};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void shifted(const double *T, const double *point, double *out) {
  memcpy(out, T, 16 * sizeof *out);
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) out[4 * r + 3] += T[4 * r + c] * point[c];
}

static void unit_vectors(jn_joint *j) {
  double n = 0, along = 0;
  for (int k = 0; k < 3; k++) n += j->axis[k] * j->axis[k];
  for (int k = 0; k < 3; k++) j->axis[k] /= sqrt(n), along += j->axis[k] * j->axis2[k];
  for (int k = 0; k < 3; k++) j->axis2[k] -= along * j->axis[k]; /* a universal loop has its axes at right angles */
}

static void describe(uint64_t *s, jn_link *links, char names[LINKS][16], int cut_at, int kind) {
  const jn_joint_type types[4] = {JN_REVOLUTE, JN_PRISMATIC, JN_REVOLUTE, JN_SPHERICAL};
  for (int i = 0; i < LINKS; i++) {
    snprintf(names[i], 16, "link%d", i);
    jn_link_init(&links[i]);
    links[i].name = names[i];
    links[i].parent = i ? names[(int)(0.4999 * (1 + uniform(s)) * i)] : NULL;
    random_placement(s, links[i].placement);
    random_inertia(s, links[i].inertia);
    random_joint(s, i == cut_at ? kinds[kind].joint : types[i % 4], &links[i].joint);
    unit_vectors(&links[i].joint);
  }
}

static jn_model *build(const jn_link *links, int cut_at, int kind) {
  jn_builder *b;
  jn_model *m;
  jn_error error;
  const double E[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  check_ok(jn_builder_create(NULL, &b));
  for (int i = 0; i < LINKS; i++) {
    jn_link l = links[i];
    if (i == cut_at && kind >= 0) { /* floats; a loop holds it */
      jn_loop g;
      jn_loop_init(&g);
      g.name = "cut";
      g.type = kinds[kind].loop;
      g.link_a = l.parent;
      g.link_b = l.name;
      memcpy(g.axis, l.joint.axis, sizeof g.axis);
      memcpy(g.axis2, l.joint.axis2, sizeof g.axis2);
      const double none[3] = {0},
                   *point = kinds[kind].joint == JN_FIXED || kinds[kind].joint == JN_PRISMATIC ? none : l.joint.point;
      shifted(l.placement, point, g.placement_a);
      shifted(E, point, g.placement_b);
      check_ok(jn_builder_add_loop(b, &g));
      l.parent = NULL;
      memcpy(l.placement, E, sizeof E);
      l.joint = links[0].joint;
      l.joint.type = JN_FREE;
    }
    check_ok(jn_builder_add_link(b, &l));
  }
  jn_status status = jn_builder_freeze(b, &m, &error);
  check(status == JN_OK, "%s", error.text);
  jn_builder_destroy(b);
  return m;
}

static void begin(cut *x, uint64_t *s, int kind) {
  jn_link links[LINKS];
  char names[LINKS][16];
  int cut_at = 1 + (int)(0.4999 * (1 + uniform(s)) * (LINKS - 1));
  jn_loops_options options;
  describe(s, links, names, cut_at, kind);
  x->tree = build(links, cut_at, -1);
  x->loop = build(links, cut_at, kind);
  x->n = jn_model_nv(x->tree);
  x->m = jn_model_nv(x->loop);
  check_ok(jn_work_create_order(x->tree, TOP + 1, &x->w));
  jn_loops_options_init(&options);
  options.order = TOP;
  check_ok(jn_loops_create(x->loop, &options, &x->l));
  check_ok(jn_random(x->tree, s, x->q));
  fill(s, x->v, (TOP + 2) * x->n, 1);
  x->link = jn_link_index(x->tree, names[cut_at]);
}

/* Coordinates of the loop model from those of the tree: all joints by name, the cut link by its pose and twists. */
static void to_loop(cut *x, const double *v_jet, int rows, double *out) {
  static double twist[(TOP + 2) * 6], jet[(TOP + 3) * V];
  memset(jet, 0, sizeof jet);
  memcpy(jet, v_jet, sizeof(double) * (size_t)(rows * x->n));
  check_ok(jn_frame_twist_jet(x->tree, x->w, rows - 1, x->link, x->q, jet, twist));
  for (int i = 0; i < jn_link_count(x->loop); i++) {
    int other = jn_link_index(x->tree, jn_link_name(x->loop, i)), nv = jn_joint_nv(x->loop, i),
        to = jn_joint_v(x->loop, i);
    for (int k = 0; k < rows * nv; k++) {
      int row = k / nv, c = k % nv;
      out[row * x->m + to + c] =
          other == x->link ? twist[6 * row + c] : jet[row * x->n + jn_joint_v(x->tree, other) + c];
    }
    if (nv == 0) continue;
    double *q = x->q_loop + jn_joint_q(x->loop, i);
    if (other == x->link) {
      double T[16], R[9];
      check_ok(jn_frame_pose(x->tree, x->w, x->link, x->q, T));
      for (int k = 0; k < 9; k++) R[k] = T[4 * (k / 3) + k % 3];
      for (int k = 0; k < 3; k++) q[k] = T[4 * k + 3];
      check_ok(jn_rotation_to_quaternion(R, q + 3));
    } else {
      memcpy(q, x->q + jn_joint_q(x->tree, other), sizeof(double) * (size_t)jn_joint_nq(x->loop, i));
    }
  }
}

static void end(cut *x) {
  jn_loops_destroy(x->l);
  jn_work_destroy(x->w);
  jn_model_destroy(x->tree);
  jn_model_destroy(x->loop);
}

/* Forces by joint name; those of the cut joint and the floating link are zero. */
static void forces_to_loop(const cut *x, const double *tau, double *out) {
  memset(out, 0, sizeof(double) * (size_t)((TOP + 1) * x->m));
  for (int i = 0; i < jn_link_count(x->loop); i++) {
    int other = jn_link_index(x->tree, jn_link_name(x->loop, i)), nv = jn_joint_nv(x->loop, i);
    for (int k = 0; k < (TOP + 1) * nv && other != x->link; k++)
      out[k / nv * x->m + jn_joint_v(x->loop, i) + k % nv] = tau[k / nv * x->n + jn_joint_v(x->tree, other) + k % nv];
  }
}

static void conditions_hold_for_every_kind(void **st) {
  (void)st;
  uint64_t s = seed("conditions");
  for (int i = 0; i < MODELS; i++) {
    cut x;
    double phi[ROWS], rate[ROWS], A[ROWS * V], dAv[ROWS], zero[ROWS] = {0};
    begin(&x, &s, i % KINDS);
    to_loop(&x, x.v, TOP + 2, x.v_loop);
    int rows = jn_loops_rows(x.l), rank;
    check_ok(jn_loops_constraint(x.l, x.q_loop, x.v_loop, phi, A, dAv));
    check_close(phi, zero, rows, 1, 100, "%s: phi = 0", jn_loop_type_name(kinds[i % KINDS].loop));
    for (int r = 0; r < rows; r++) {
      rate[r] = 0;
      for (int k = 0; k < x.m; k++) rate[r] += A[r * x.m + k] * x.v_loop[k];
      for (int k = 0; k < x.m; k++) dAv[r] += A[r * x.m + k] * x.v_loop[x.m + k];
    }
    check_close(rate, zero, rows, norm_or_1(A, rows * x.m), 1000, "A v = 0");
    check_close(dAv, zero, rows, norm_or_1(A, rows * x.m), 4000, "A a + dA v = 0");
    check_ok(jn_loops_rank(x.l, x.q_loop, &rank));
    assert_int_equal(rank, rows);
    assert_int_equal(jn_model_nv(x.loop) - rank, jn_model_nv(x.tree));
    end(&x);
  }
}

/* The motion of the tree, its torques at the cut joint zero, is that of the loop, at every order. */
static void a_cut_joint_moves_as_the_tree_does(void **st) {
  (void)st;
  uint64_t s = seed("cut joints");
  if (jn_variant_epsilon() > 1e-10) return;
  static double tau[(TOP + 1) * V], tau_loop[(TOP + 1) * V], v[(TOP + 2) * V], v_loop[(TOP + 2) * V],
      found[(TOP + 2) * V], lambda[(TOP + 1) * ROWS];
  for (int i = 0; i < MODELS; i++) {
    cut x;
    begin(&x, &s, i % KINDS);
    fill(&s, tau, (TOP + 1) * x.n, 3);
    int first = jn_joint_v(x.tree, x.link), count = jn_joint_nv(x.tree, x.link);
    for (int k = 0; k < (TOP + 1) * count; k++) tau[k / count * x.n + first + k % count] = 0;
    check_ok(jn_forward_dynamics_jet(x.tree, x.w, TOP, x.q, x.v, tau, NULL, v));
    to_loop(&x, v, TOP + 2, v_loop);
    forces_to_loop(&x, tau, tau_loop);
    check_ok(jn_loops_forward_dynamics_jet(x.l, TOP, x.q_loop, v_loop, tau_loop, NULL, found, lambda));
    for (int k = 0; k < TOP + 2; k++)
      for (int c = 0; c < x.m; c++)
        check(fabs(found[k * x.m + c] - v_loop[k * x.m + c]) < 1e-8 * norm_or_1(v_loop + k * x.m, x.m),
              "%s, order %d: %g, %g", jn_loop_type_name(kinds[i % KINDS].loop), k, found[k * x.m + c],
              v_loop[k * x.m + c]);
    end(&x);
  }
}

/* A weld cut off: the floating link is passive, all else actuated, and the torques are those of the tree. */
static void inverse_dynamics_of_a_weld_is_that_of_the_tree(void **st) {
  (void)st;
  uint64_t s = seed("weld");
  if (jn_variant_epsilon() > 1e-10) return;
  static double tau[(TOP + 1) * V], expected[(TOP + 1) * V], found[(TOP + 1) * V], out[(TOP + 2) * V],
      other[(TOP + 1) * V];
  for (int i = 0; i < MODELS; i++) {
    cut x;
    unsigned char actuated[V], prescribed[V];
    begin(&x, &s, KINDS - 1);
    to_loop(&x, x.v, TOP + 2, x.v_loop);
    check_ok(jn_inverse_dynamics_jet(x.tree, x.w, TOP, x.q, x.v, NULL, tau));
    forces_to_loop(&x, tau, expected);
    int floating = jn_joint_v(x.loop, jn_link_index(x.loop, jn_link_name(x.tree, x.link)));
    for (int k = 0; k < x.m; k++) actuated[k] = prescribed[k] = k < floating || k >= floating + 6;
    for (int choice = 0; choice < 2; choice++) {
      check_ok(jn_loops_inverse_dynamics_jet(x.l, TOP, actuated, (jn_loops_choice)choice, NULL, x.q_loop, x.v_loop,
                                             NULL, NULL, found, NULL));
      for (int k = 0; k < (TOP + 1) * x.m; k++)
        check(fabs(found[k] - expected[k]) < 1e-8 * norm_or_1(expected + k / x.m * x.m, x.m), "order %d: %g, %g",
              k / x.m, found[k], expected[k]);
    }
    memset(other, 0, sizeof other);
    check_ok(jn_loops_hybrid_dynamics_jet(x.l, TOP, prescribed, x.q_loop, x.v_loop, other, NULL, out, found, NULL));
    for (int k = 0; k < (TOP + 1) * x.m; k++)
      check(fabs(found[k] - expected[k]) < 1e-7 * norm_or_1(expected + k / x.m * x.m, x.m), "hybrid, order %d: %g, %g",
            k / x.m, found[k], expected[k]);
    for (int k = 0; k < x.m; k++) actuated[k] = 0;
    check_status(jn_loops_inverse_dynamics_jet(x.l, TOP, actuated, JN_LEAST_TORQUE, NULL, x.q_loop, x.v_loop, NULL,
                                               NULL, found, NULL),
                 JN_ERR_ACTUATION);
    x.v_loop[x.m] += 1;
    for (int k = 0; k < x.m; k++) actuated[k] = 1;
    check_status(jn_loops_inverse_dynamics_jet(x.l, TOP, actuated, JN_LEAST_TORQUE, NULL, x.q_loop, x.v_loop, NULL,
                                               NULL, found, NULL),
                 JN_ERR_LOOP);
    end(&x);
  }
}

static jn_loops_derivatives outputs(double D[3][3][V * V], double *dpi) {
  return (jn_loops_derivatives){.da_dq = D[0][0],
                                .da_dv = D[0][1],
                                .da_dgiven = D[0][2],
                                .da_dpi = dpi,
                                .dtau_dq = D[1][0],
                                .dtau_dv = D[1][1],
                                .dtau_dgiven = D[1][2],
                                .dlambda_dq = D[2][0],
                                .dlambda_dv = D[2][1],
                                .dlambda_dgiven = D[2][2]};
}

/* Derivatives of forward, hybrid and inverse dynamics by central differences of these functions, for cuts of every kind
 * (where conditions are independent, so that any change of the state is allowed). */
static void derivatives_by_differences(void **st) {
  (void)st;
  uint64_t s = seed("derivatives of loops");
  if (jn_variant_epsilon() > 1e-10) return;
  static double D[3][3][V * V], dpi[V * 10 * LINKS];
  for (int i = 0; i < 2 * KINDS; i++) {
    cut x;
    unsigned char prescribed[V];
    double tau[V], v_jet[2 * V], out[2 * V], lambda[ROWS], given[2 * V], W[6 * (LINKS + 1)];
    begin(&x, &s, i % KINDS);
    int n = x.m, m = jn_loops_rows(x.l), hybrid = i >= KINDS;
    to_loop(&x, x.v, TOP + 2, x.v_loop);
    fill(&s, tau, n, 3);
    fill(&s, W, 6 * jn_link_count(x.loop), 2);
    int floating = jn_joint_v(x.loop, jn_link_index(x.loop, jn_link_name(x.tree, x.link)));
    for (int k = 0; k < n; k++) prescribed[k] = hybrid && (k < floating || k >= floating + 6) && k % 3 == 0;
    memcpy(given, x.v_loop, sizeof(double) * (size_t)(2 * n));
    double *a = v_jet + n;
    check_ok(jn_loops_hybrid_dynamics_jet(x.l, 0, prescribed, x.q_loop, given, tau, W, v_jet, out, lambda));
    const jn_loops_derivatives d = outputs(D, dpi);
    check_ok(jn_loops_dynamics_derivatives(x.l, hybrid ? prescribed : NULL, x.q_loop, x.v_loop, a, lambda, W,
                                           JN_IN_BODY, &d));
    for (int by = 0; by < 3; by++)
      for (int k = 0; k < n; k++) {
        const double h = 1e-5;
        double side[2][2 * V], force[2][V], multiplier[2][ROWS];
        for (int e = 0; e < 2; e++) {
          double q[60], state[2 * V], t[V], step[V] = {0}, change = e ? h : -h;
          memcpy(state, given, sizeof state);
          memcpy(t, tau, sizeof t);
          memcpy(q, x.q_loop, sizeof q);
          step[k] = change;
          jn_work *w;
          check_ok(jn_work_create(x.loop, &w));
          if (by == 0) check_ok(jn_integrate(x.loop, w, x.q_loop, step, q));
          jn_work_destroy(w);
          if (by == 1) state[k] += change;
          if (by == 2) *(prescribed[k] ? &state[n + k] : &t[k]) += change;
          check_ok(jn_loops_hybrid_dynamics_jet(x.l, 0, prescribed, q, state, t, W, side[e], force[e], multiplier[e]));
        }
        for (int r = 0; r < n; r++) {
          double da = (side[1][n + r] - side[0][n + r]) / (2 * h), dt = (force[1][r] - force[0][r]) / (2 * h);
          check(fabs(da - D[0][by][r * n + k]) < 1e-5 * norm_or_1(D[0][by], n * n), "%s, a by %d, (%d, %d): %g, %g",
                jn_loop_type_name(kinds[i % KINDS].loop), by, r, k, D[0][by][r * n + k], da);
          if (hybrid)
            check(fabs(dt - D[1][by][r * n + k]) < 1e-5 * norm_or_1(D[1][by], n * n), "%s, tau by %d, (%d, %d): %g, %g",
                  jn_loop_type_name(kinds[i % KINDS].loop), by, r, k, D[1][by][r * n + k], dt);
        }
        for (int r = 0; r < m; r++) {
          double dl = (multiplier[1][r] - multiplier[0][r]) / (2 * h);
          check(fabs(dl - D[2][by][r * n + k]) < 1e-5 * norm_or_1(D[2][by], m * n), "lambda by %d, (%d, %d): %g, %g",
                by, r, k, D[2][by][r * n + k], dl);
        }
      }
    end(&x);
  }
}

/* ---- planar linkages, modelled in space ---- */

/* A parallelogram: the rocker turns with the crank, the coupler does not turn; one equation of motion in closed form.
 */
static void the_parallelogram_has_one_equation(void **st) {
  (void)st;
  uint64_t s = seed("parallelogram");
  if (jn_variant_epsilon() > 1e-10) return;
  const double length[3] = {0.4, 1, 0.4};
  jn_model *m = linkage(3, length, 1);
  jn_loops *l;
  int rank;
  check_ok(jn_loops_create(m, NULL, &l));
  for (int i = 0; i < 50; i++) {
    double crank = 0.3 + 2.5 * fabs(uniform(&s)), rate = 2 * uniform(&s),
           q[3] = {crank, 0.1 - crank, crank - M_PI + 0.1};
    double v[3] = {rate, -rate, rate}, v_jet[6], lambda[5], tau[3] = {3 * uniform(&s), 0, 0}, residual;
    const unsigned char held[3] = {1, 0, 0};
    check_ok(jn_loops_assemble(l, held, 0, q, &residual));
    check(residual < 1e-12 && fabs(q[1] + crank) < 1e-9 && fabs(fabs(q[2] - crank) - M_PI) < 1e-9, "q %g %g %g", q[0],
          q[1], q[2]);
    check_ok(jn_loops_rank(l, q, &rank));
    assert_int_equal(rank, 2); /* of five: the plane makes three redundant */
    check_ok(jn_loops_project(l, held, q, v));
    check(fabs(v[1] + rate) < 1e-9 && fabs(v[2] - rate) < 1e-9, "v %g %g", v[1], v[2]);
    check_ok(jn_loops_forward_dynamics_jet(l, 0, q, v, tau, NULL, v_jet, lambda));
    /* crank and rocker (masses 1, 1.6, hinged at their ends) turn, the coupler (1.3) moves on a circle of 0.4 */
    double inertia = 0.03 + 1 * 0.04 + 0.03 + 1.6 * 0.04 + 1.3 * 0.16;
    double moment = tau[0] - 9.81 * cos(crank) * (1 * 0.2 + 1.6 * 0.2 + 1.3 * 0.4);
    check(fabs(v_jet[3] - moment / inertia) < 1e-9 * fabs(moment / inertia) + 1e-9, "a %g, by hand %g", v_jet[3],
          moment / inertia);
  }
  jn_loops_destroy(l);
  jn_model_destroy(m);
}

/* Five bars, two degrees of freedom. Three motors: the derivatives of the least torques are what differences of the
 * least torques along the exact motion give; and no other torques that make the motion are less. */
static void redundant_motors_share_the_load(void **st) {
  (void)st;
  uint64_t s = seed("five bars");
  if (jn_variant_epsilon() > 1e-10) return;
  enum { N = 4, K = 2 };
  const double length[4] = {0.5, 0.7, 0.7, 0.5};
  jn_model *m = linkage(N, length, 0.6);
  jn_loops *l;
  jn_work *w;
  jn_loops_options options;
  jn_loops_options_init(&options);
  options.order = K + 1;
  check_ok(jn_loops_create(m, &options, &l));
  check_ok(jn_work_create(m, &w));
  for (int i = 0; i < 20; i++) {
    double q[N] = {2.0, -1.2, -1.4, -1.0}, v[(K + 3) * N] = {0}, tau[(K + 1) * N], lambda[(K + 1) * 5];
    const unsigned char given[N] = {1, 1, 0, 0}, actuated[N] = {1, 1, 1, 0};
    check_ok(jn_loops_assemble(l, given, 0, q, NULL));
    fill(&s, v, (K + 3) * N, 1);
    check_ok(jn_loops_complete_motion(l, K + 1, given, q, v));
    for (int choice = 0; choice < 2; choice++) {
      jn_loops_choice c = (jn_loops_choice)choice;
      double side[2][N], h = 1e-4, error[2];
      check_ok(jn_loops_inverse_dynamics_jet(l, K, actuated, c, NULL, q, v, NULL, NULL, tau, lambda));
      for (int e = 0; e < 2; e++, h /= 2) { /* q(t), v(t), a(t) by the Taylor series */
        for (int side_at = 0; side_at < 2; side_at++) {
          double t = side_at ? h : -h, q1[N], v1[2 * N] = {0};
          for (int j = 0; j < N; j++) {
            double f = t;
            q1[j] = q[j];
            for (int k = 0; k < K + 3; k++, f *= t / (k + 1)) q1[j] += f * v[k * N + j];
            for (int row = 0; row < 2; row++) {
              double g = 1;
              for (int k = row; k < K + 3; k++) v1[row * N + j] += g * v[k * N + j], g *= t / (k - row + 1);
            }
          }
          check_ok(jn_loops_inverse_dynamics_jet(l, 0, actuated, c, NULL, q1, v1, NULL, NULL, side[side_at], NULL));
        }
        error[e] = 0;
        for (int j = 0; j < N; j++) error[e] = fmax(error[e], fabs((side[1][j] - side[0][j]) / (2 * h) - tau[N + j]));
      }
      check(error[1] < 1e-4 * norm_or_1(tau + N, N), "choice %d: error %g of %g", choice, error[1],
            norm_or_1(tau + N, N));
      check(error[1] < 1e-7 || fabs(log2(error[0] / error[1]) - 2) < 0.3, "choice %d: %g, %g", choice, error[0],
            error[1]);
    }
    /* other torques that make the same motion: add what the loop can hold against itself */
    double A[5 * N], less, more = 0;
    check_ok(jn_loops_inverse_dynamics_jet(l, 0, actuated, JN_LEAST_TORQUE, NULL, q, v, NULL, NULL, tau, lambda));
    less = tau[0] * tau[0] + tau[1] * tau[1] + tau[2] * tau[2];
    check_ok(jn_loops_constraint(l, q, NULL, NULL, A, NULL));
    for (int k = 0; k < 5; k++) { /* A^T x with the passive one zero */
      double x[N], f = k < 4 ? A[(k + 1) * N + 3] : 0, g = A[k * N + 3], sum = 0;
      for (int j = 0; j < N; j++) x[j] = tau[j] + 0.3 * (f * A[k * N + j] - (k < 4 ? g * A[(k + 1) * N + j] : 0));
      for (int j = 0; j < 3; j++) sum += x[j] * x[j];
      more = sum - less;
      check(more > -1e-9, "%g less", -more);
    }
  }
  jn_work_destroy(w);
  jn_loops_destroy(l);
  jn_model_destroy(m);
}

/* Ten seconds of a four-bar linkage: Runge-Kutta, stabilised and projected; energy is kept, and so are the pins. */
static void energy_and_pins_are_kept(void **st) {
  (void)st;
  if (jn_variant_epsilon() > 1e-10) return;
  const double length[3] = {0.4, 0.9, 0.7}, dt = 1e-3;
  jn_model *m = linkage(3, length, 0.8);
  jn_loops *l;
  jn_work *w;
  double q[3] = {1, -0.5, -1.5}, v[3] = {2, 0, 0}, start[2], energy[2], tau[3] = {0}, worst = 0, phi[5];
  const unsigned char held[3] = {1, 0, 0};
  check_ok(jn_loops_create(m, NULL, &l));
  check_ok(jn_work_create(m, &w));
  check_ok(jn_loops_assemble(l, held, 0, q, NULL));
  check_ok(jn_loops_project(l, held, q, v));
  check_ok(jn_energy(m, w, q, v, start));
  for (int step = 0; step < 10000; step++) {
    double k[4][6], x[6], jet[6];
    const double at[4] = {0, 0.5, 0.5, 1};
    for (int e = 0; e < 4; e++) {
      for (int j = 0; j < 3; j++) {
        x[j] = q[j] + (e ? at[e] * dt * k[e - 1][j] : 0);
        x[3 + j] = v[j] + (e ? at[e] * dt * k[e - 1][3 + j] : 0);
      }
      check_ok(jn_loops_forward_dynamics_jet(l, 0, x, x + 3, tau, NULL, jet, NULL));
      for (int j = 0; j < 3; j++) k[e][j] = x[3 + j], k[e][3 + j] = jet[3 + j];
    }
    for (int j = 0; j < 3; j++) {
      q[j] += dt / 6 * (k[0][j] + 2 * k[1][j] + 2 * k[2][j] + k[3][j]);
      v[j] += dt / 6 * (k[0][3 + j] + 2 * k[1][3 + j] + 2 * k[2][3 + j] + k[3][3 + j]);
    }
    if (step % 5 == 4) {
      check_ok(jn_loops_assemble(l, NULL, 1e-12, q, NULL));
      check_ok(jn_loops_project(l, NULL, q, v));
    }
    check_ok(jn_loops_constraint(l, q, NULL, phi, NULL, NULL));
    for (int r = 0; r < 5; r++) worst = fmax(worst, fabs(phi[r]));
  }
  check_ok(jn_energy(m, w, q, v, energy));
  check(worst < 1e-10, "the pin moved by %g", worst);
  check(fabs(energy[0] + energy[1] - start[0] - start[1]) < 1e-7 * (fabs(start[0]) + fabs(start[1])), "energy %g, %g",
        energy[0] + energy[1], start[0] + start[1]);
  jn_work_destroy(w);
  jn_loops_destroy(l);
  jn_model_destroy(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(conditions_hold_for_every_kind),
      cmocka_unit_test(a_cut_joint_moves_as_the_tree_does),
      cmocka_unit_test(inverse_dynamics_of_a_weld_is_that_of_the_tree),
      cmocka_unit_test(derivatives_by_differences),
      cmocka_unit_test(the_parallelogram_has_one_equation),
      cmocka_unit_test(redundant_motors_share_the_load),
      cmocka_unit_test(energy_and_pins_are_kept),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
