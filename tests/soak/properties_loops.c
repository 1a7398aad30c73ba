/* SPDX-License-Identifier: BSD-2-Clause */
/* Closed loops. A random tree is taken at a random configuration and closures of every kind are laid between its links
 * so that they hold there. What they ask for is written down once more, by the definitions of model.h alone, as
 * polynomials of time: the relative pose of the closing frames along the motion that the library finds. */
#include "newton.h"

#include "jounce/loops.h"

enum { MOST_LOOPS = 3, N = 40, K = 2, SERIES = K + 3, MOST_ROWS = 24, MOST_LINKS = 12 };

typedef struct mechanism {
  jn_model *m;
  jn_work *w;
  jn_work *l; /* of the long double twin */
  jn_loops *loops;
  int n, rows, links, coupled, rank;
  double q[64], v[(K + 2) * N], tau[(K + 1) * N], W[(K + 1) * 6 * MOST_LINKS];
  double jet[(K + 2) * N], lambda[(K + 1) * MOST_ROWS]; /* of forward dynamics */
  double weakest, force, rate, length, condition;       /* condition: of M */
} mechanism;

/* ---- the definitions, as series ---- */

typedef struct line {
  number c[SERIES][16]; /* Taylor coefficients of a pose */
} line;

static void pose_along(mechanism *x, int link, const double *placement, const number *q, const number *jet, int order,
                       line *out) {
  number T[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, V[SERIES][6] = {{0}}, P[16], next[16],
         hat[SERIES][16] = {{0}};
  if (link >= 0) {
    check_ok(jnl_frame_pose(x->m, x->l, link, q, T));
    check_ok(jnl_frame_twist_jet(x->m, x->l, order, link, q, jet, V[0]));
  }
  number factorial = 1;
  for (int k = 0; k <= order; k++) {
    const number *t = V[k];
    factorial *= k ? k : 1;
    const number h[16] = {0, -t[2], t[1], t[3], t[2], 0, -t[0], t[4], -t[1], t[0], 0, t[5], 0, 0, 0, 0};
    for (int i = 0; i < 16; i++) hat[k][i] = h[i] / factorial;
  }
  for (int i = 0; i < 16; i++) P[i] = placement[i];
  line bare;
  memcpy(bare.c[0], T, sizeof T);
  for (int k = 0; k <= order; k++) { /* dT/dt = T V */
    number sum[16] = {0};
    for (int j = 0; j <= k; j++) {
      times(bare.c[j], hat[k - j], next, 4, 4, 4);
      for (int i = 0; i < 16; i++) sum[i] += next[i];
    }
    for (int i = 0; i < 16; i++) bare.c[k + 1][i] = sum[i] / (k + 1);
  }
  for (int k = 0; k <= order + 1; k++) times(bare.c[k], P, out->c[k], 4, 4, 4);
}

/* T_a^-1 T_b */
static void relative(const line *a, const line *b, int top, line *out) {
  for (int k = 0; k <= top; k++) {
    memset(out->c[k], 0, sizeof out->c[k]);
    for (int j = 0; j <= k; j++)
      for (int r = 0; r < 3; r++)
        for (int c = 0; c < 4; c++)
          for (int e = 0; e < 3; e++)
            out->c[k][4 * r + c] +=
                a->c[j][4 * e + r] * (b->c[k - j][4 * e + c] - (c == 3 ? a->c[k - j][4 * e + 3] : 0));
  }
}

/* Coefficients of what a closure asks to be constant, row after row: out [row][k]. Returns the rows. */
static int asked(const jn_loop *g, const line *T, int top, number out[16][SERIES]) {
  int rows = 0;
  const double *e = g->axis;
  int all = g->type == JN_LOOP_WELD || g->type == JN_LOOP_SURFACE_CONTACT,
      aligned = g->type == JN_LOOP_REVOLUTE || g->type == JN_LOOP_CYLINDRICAL || g->type == JN_LOOP_PLANAR ||
                g->type == JN_LOOP_SLIDING_SURFACE;
  int point = all || g->type == JN_LOOP_REVOLUTE || g->type == JN_LOOP_UNIVERSAL || g->type == JN_LOOP_SPHERICAL ||
              g->type == JN_LOOP_POINT_CONTACT;
  int on_line = g->type == JN_LOOP_PRISMATIC || g->type == JN_LOOP_CYLINDRICAL || g->type == JN_LOOP_POINT_ON_AXIS;
  int on_plane = g->type == JN_LOOP_PLANAR || g->type == JN_LOOP_SLIDING_SURFACE || g->type == JN_LOOP_SLIDING_POINT;
  int held = g->type == JN_LOOP_COORDINATES;
  memset(out, 0, 16 * sizeof *out);
  for (int k = 0; k <= top; k++) {
    const number *t = T->c[k], p[3] = {t[3], t[7], t[11]};
    rows = 0;
    for (int i = 0; i < 3; i++) {
      int a = (i + 1) % 3, b = (i + 2) % 3;
      if (point || (held && g->mask >> (3 + i) & 1)) out[rows++][k] = p[i];
      if (on_line) out[rows++][k] = p[a] * e[b] - p[b] * e[a];
      if (aligned) out[rows++][k] = t[4 * i] * e[0] + t[4 * i + 1] * e[1] + t[4 * i + 2] * e[2];
      if (held && g->mask >> i & 1) out[rows++][k] = (t[4 * b + a] - t[4 * a + b]) / 2;
    }
    if (on_plane) out[rows++][k] = p[0] * e[0] + p[1] * e[1] + p[2] * e[2];
    for (int i = 0; i < 9 && (all || g->type == JN_LOOP_PRISMATIC); i++) out[rows++][k] = t[4 * (i / 3) + i % 3];
    if (g->type == JN_LOOP_UNIVERSAL) {
      for (int i = 0; i < 9; i++) out[rows][k] += e[i / 3] * t[4 * (i / 3) + i % 3] * g->axis2[i % 3];
      rows++;
    }
    if (g->type == JN_LOOP_DISTANCE) {
      for (int j = 0; j <= k; j++)
        for (int i = 0; i < 3; i++) out[rows][k] += T->c[j][4 * i + 3] * T->c[k - j][4 * i + 3] / (2 * g->distance);
      rows++;
    }
  }
  return rows;
}

/* The largest derivative of what is asked, orders `from` ... `top`, as roundings. */
static double opens(mechanism *x, const double *v_jet, int order, int from) {
  number q[64], jet[(K + 2) * N], c[16][SERIES];
  double worst = 0;
  for (int i = 0; i < jn_model_nq(x->m); i++) q[i] = x->q[i];
  for (int i = 0; i < (order + 2) * x->n; i++) jet[i] = v_jet[i];
  for (int i = 0; i < jn_loop_count(x->m); i++) {
    const jn_loop *g = jn_loop_description(x->m, i);
    line a, b, T;
    if (g->type == JN_LOOP_COUPLING) {
      number f = 1;
      for (int k = 1; k <= order + 2; k++, f *= x->rate) {
        number sum = 0, size = 0;
        for (int t = 0; t < g->term_count; t++) {
          int at = (k - 1) * x->n + jn_joint_v(x->m, jn_joint_index(x->m, g->term[t].joint)) + g->term[t].coordinate;
          sum += g->term[t].factor * jet[at];
          size += fabs(g->term[t].factor) * x->rate * (double)f;
        }
        if (k >= from) worst = fmax(worst, (double)(fabsl(sum) / (size * jn_variant_epsilon())));
      }
      continue;
    }
    pose_along(x, jn_link_index(x->m, g->link_a), g->placement_a, q, jet, order + 1, &a);
    pose_along(x, jn_link_index(x->m, g->link_b), g->placement_b, q, jet, order + 1, &b);
    relative(&a, &b, order + 2, &T);
    int rows = asked(g, &T, order + 2, c);
    number f = 1;
    for (int k = 1; k <= order + 2; k++) {
      f *= k;
      for (int r = 0; r < rows && k >= from; r++)
        worst = fmax(worst, (double)fabsl(c[r][k] * f) / (x->length * pow(x->rate, k) * jn_variant_epsilon()));
    }
  }
  return worst;
}

/* ---- mechanisms ---- */

/* A displacement that the closure leaves free. */
static void freedom(uint64_t *s, const jn_loop *g, double T[16]) {
  double X[6] = {0}, turn = uniform(s), step[16], next[16];
  const double *e = g->axis;
  for (int i = 0; i < 16; i++) T[i] = i % 5 == 0;
  switch (g->type) {
    case JN_LOOP_REVOLUTE:
    case JN_LOOP_CYLINDRICAL:
    case JN_LOOP_PLANAR:
    case JN_LOOP_SLIDING_SURFACE:
    case JN_LOOP_PRISMATIC:
      for (int i = 0; i < 3; i++) X[i] = g->type == JN_LOOP_PRISMATIC ? 0 : turn * e[i];
      for (int i = 0; i < 3; i++)
        X[3 + i] = g->type == JN_LOOP_CYLINDRICAL || g->type == JN_LOOP_PRISMATIC ? 0.3 * turn * e[i] : 0;
      break;
    case JN_LOOP_SPHERICAL:
    case JN_LOOP_POINT_CONTACT:
    case JN_LOOP_POINT_ON_AXIS:
    case JN_LOOP_SLIDING_POINT:
    case JN_LOOP_DISTANCE:
      fill(s, X, 3, 1.5);
      break;
    case JN_LOOP_UNIVERSAL:
      X[2] = turn;
      break;
    case JN_LOOP_COORDINATES:
      for (int i = 0; i < 3; i++) X[3 + i] = g->mask >> (3 + i) & 1 ? 0 : uniform(s);
      for (int i = 0, done = 0; i < 3; i++)
        if (!(g->mask >> i & 1) && !done) X[i] = turn, done = 1;
      break;
    default:
      break;
  }
  if (g->type == JN_LOOP_COORDINATES) { /* slide, then turn */
    for (int i = 0; i < 3; i++) T[4 * i + 3] = X[3 + i], X[3 + i] = 0;
    check_ok(jn_se3_exp(X, step));
    mat_product(T, step, next);
    memcpy(T, next, sizeof next);
    return;
  }
  check_ok(jn_se3_exp(X, T));
  if (g->type == JN_LOOP_UNIVERSAL) {
    const double about_x[6] = {uniform(s), 0, 0, 0, 0, 0};
    check_ok(jn_se3_exp(about_x, step));
    mat_product(T, step, next);
    memcpy(T, next, sizeof next);
  }
  if (g->type == JN_LOOP_DISTANCE) T[3] = 0.6 * g->distance, T[7] = 0.8 * g->distance;
  if (g->type == JN_LOOP_POINT_ON_AXIS)
    for (int i = 0; i < 3; i++) T[4 * i + 3] = turn * e[i];
  if (g->type == JN_LOOP_PLANAR || g->type == JN_LOOP_SLIDING_SURFACE || g->type == JN_LOOP_SLIDING_POINT) {
    double c[3] = {uniform(s), uniform(s), uniform(s)}, along_axis = c[0] * e[0] + c[1] * e[1] + c[2] * e[2];
    for (int i = 0; i < 3; i++) T[4 * i + 3] = c[i] - along_axis * e[i];
  }
}

static void describe_loop(uint64_t *s, const jn_model *tree, jn_work *w, const double *q, int type, jn_loop *g) {
  double Ta[16], Tb[16], Pa[16], F[16], Pb[16], inverse[16];
  int links = jn_link_count(tree), b = (int)(0.4999 * (1 + uniform(s)) * links), a;
  do a = (int)(0.4999 * (1 + uniform(s)) * (links + 1)) - 1;
  while (a == b);
  jn_loop_init(g);
  g->type = (jn_loop_type)type;
  g->link_a = a < 0 ? "world" : jn_link_name(tree, a);
  g->link_b = jn_link_name(tree, b);
  g->distance = 1.5 + uniform(s);
  g->mask = 1 + (unsigned)(31 * (1 + uniform(s)));
  if (type != JN_LOOP_UNIVERSAL && type != JN_LOOP_COORDINATES) {
    double n = 0;
    fill(s, g->axis, 3, 1);
    for (int i = 0; i < 3; i++) n += g->axis[i] * g->axis[i];
    for (int i = 0; i < 3; i++) g->axis[i] /= sqrt(n);
  }
  random_placement(s, g->placement_a);
  for (int i = 0; i < 16; i++) Ta[i] = i % 5 == 0;
  if (a >= 0) check_ok(jn_frame_pose(tree, w, a, q, Ta));
  check_ok(jn_frame_pose(tree, w, b, q, Tb));
  mat_product(Ta, g->placement_a, Pa);
  freedom(s, g, F);
  mat_product(Pa, F, Pb);
  check_ok(jn_se3_inverse(Tb, inverse));
  mat_product(inverse, Pb, g->placement_b);
}

static int one_coordinate(const jn_model *m, int j) { return jn_joint_nv(m, j) == 1 && jn_joint_nq(m, j) == 1; }

/* 0 when the mechanism cannot be judged: closures contradict the tree, or the configuration is near a singular one. */
static int mechanism_create(mechanism *x, uint64_t *s) {
  jn_builder *b;
  jn_loops_options options;
  jn_loops_health health;
  char name[MOST_LOOPS][16];
  memset(x, 0, sizeof *x);
  jn_model *tree = random_plain_tree(s, 2 + (int)(4.99 * (1 + uniform(s)))); /* at most eleven links */
  jn_work *w;
  check_ok(jn_work_create(tree, &w));
  check_ok(jn_random(tree, s, x->q));
  check_ok(jn_model_thaw(tree, NULL, &b));
  int loops = 1 + (int)(1.4999 * (1 + uniform(s)));
  for (int i = 0; i < loops; i++) {
    jn_loop g;
    int type = (int)(0.4999 * (1 + uniform(s)) * JN_LOOP_TYPES), first = -1, second = -1;
    snprintf(name[i], sizeof name[i], "loop%d", i);
    describe_loop(s, tree, w, x->q, type, &g);
    g.name = name[i];
    for (int j = 0; j < jn_link_count(tree); j++)
      if (one_coordinate(tree, j)) *(first < 0 ? &first : &second) = j;
    if (type == JN_LOOP_COUPLING && (second < 0 || x->coupled)) continue;
    if (type == JN_LOOP_COUPLING) {
      x->coupled = 1;
      g.term_count = 2;
      g.term[0] = (jn_coupling){jn_joint_name(tree, first), 0, 1 + 0.5 * uniform(s)};
      g.term[1] = (jn_coupling){jn_joint_name(tree, second), 0, -1 + 0.5 * uniform(s)};
      g.offset = g.term[0].factor * x->q[jn_joint_q(tree, first)] + g.term[1].factor * x->q[jn_joint_q(tree, second)];
    }
    check_ok(jn_builder_add_loop(b, &g));
  }
  jn_error error;
  jn_status status = jn_builder_freeze(b, &x->m, &error);
  jn_builder_destroy(b);
  jn_work_destroy(w);
  jn_model_destroy(tree);
  if (status != JN_OK || jn_model_nv(x->m) > N || jn_loop_count(x->m) == 0) return 0;
  x->n = jn_model_nv(x->m);
  x->links = jn_link_count(x->m);
  jn_loops_options_init(&options);
  options.order = K;
  check_ok(jn_loops_create(x->m, &options, &x->loops));
  check_ok(jn_work_create_order(x->m, K + 1, &x->w));
  x->l = twin_work_create(x->m, K + 1, KIND_L);
  x->rows = jn_loops_rows(x->loops);
  check(x->rows <= MOST_ROWS && x->links <= MOST_LINKS, "%d rows, %d links", x->rows, x->links);
  fill(s, x->v, (K + 2) * N, 1);
  fill(s, x->tau, (K + 1) * N, 10);
  fill(s, x->W, (K + 1) * 6 * x->links, 3);
  check_ok(jn_loops_health_at(x->loops, x->q, &health, NULL));
  x->weakest = health.weakest;
  return !health.near_singular && health.rank < x->n && health.rank > 0 && health.weakest > 1e-3;
}

static void mechanism_destroy(mechanism *x) {
  jn_loops_destroy(x->loops);
  jn_work_destroy(x->w);
  twin_work_destroy(x->l);
  jn_model_destroy(x->m);
}

/* ---- properties ---- */

static double size_of(const double *x, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

/* tau + forces of the loops = inverse dynamics of the tree, at every order (couplings act on coordinates: order 0). */
static double balance(mechanism *x, int order, const double *v_jet, const double *tau, const double *lambda,
                      const double *wrench) {
  double W[(K + 1) * 6 * MOST_LINKS], out[(K + 1) * N], A[MOST_ROWS * N], worst = 0;
  int n = x->n, top = x->coupled ? 0 : order;
  check_ok(jn_loops_link_wrenches_jet(x->loops, top, x->q, v_jet, lambda, wrench, W));
  check_ok(jn_inverse_dynamics_jet(x->m, x->w, top, x->q, v_jet, x->coupled ? wrench : W, out));
  check_ok(jn_loops_constraint(x->loops, x->q, v_jet, NULL, A, NULL));
  for (int k = 0; k <= top; k++) {
    double size =
        x->force * pow(fmax(1, x->rate), k) + size_of(lambda + k * x->rows, x->rows) + size_of(tau + k * n, n);
    for (int i = 0; i < n; i++) {
      double e = out[k * n + i] - tau[k * n + i];
      for (int r = 0; r < x->rows && x->coupled; r++) e -= A[r * n + i] * lambda[r];
      worst = fmax(worst, fabs(e) * x->weakest / (size * x->length * jn_variant_epsilon()));
    }
  }
  return worst;
}

/* How fast, how strong: after forward dynamics. */
static void sizes(mechanism *x) {
  double M[N * N], T[16 * MOST_LINKS], inertia;
  check_ok(jn_mass_matrix(x->m, x->w, x->q, M));
  check_ok(jn_frame_poses(x->m, x->w, x->q, T));
  x->length = fmax(1, size_of(T, 16 * x->links));
  jn_loops_health health; /* seen through the inertia */
  check_ok(jn_loops_last_health(x->loops, &health));
  x->weakest = fmin(x->weakest, health.weakest);
  x->rank = health.rank;
  inertia = fmax(size_of(M, x->n * x->n), jn_model_mass(x->m) * x->length * x->length);
  double I[N * N];
  check_ok(jn_mass_matrix_inverse(x->m, x->w, x->q, I));
  x->condition = size_of(M, x->n * x->n) * size_of(I, x->n * x->n);
  for (int k = 0; k < K + 2; k++) x->rate = fmax(x->rate, pow(size_of(x->jet + k * x->n, x->n), 1.0 / (k + 1)));
  x->force = inertia * (10 + x->rate * x->rate) + x->length * size_of(x->W, 6 * x->links);
}

/* Differences of forward dynamics at seven places, h apart: their error is h^6, and rounding / h. Along a direction
 * that keeps the loops closed, with v, tau and wrenches changing as well. */
static double differences(mechanism *x, double h, const double *D[4], const double *u, const double *uv,
                          const double *ut, const double *uW) {
  static const double stencil[4] = {0, 45.0 / 60, -9.0 / 60, 1.0 / 60};
  const int n = x->n, wide = 6 * x->links;
  double sum[N] = {0}, size = 0, worst = 0;
  for (int i = -3; i <= 3; i++) {
    double step[N], q[64], v[N], tau[N], W[6 * MOST_LINKS], jet[2 * N], lambda[MOST_ROWS];
    for (int k = 0; k < n; k++)
      step[k] = i * h * u[k], v[k] = x->jet[k] + i * h * uv[k], tau[k] = x->tau[k] + i * h * ut[k];
    for (int k = 0; k < wide; k++) W[k] = x->W[k] + i * h * uW[k];
    check_ok(jn_integrate(x->m, x->w, x->q, step, q));
    if (jn_loops_forward_dynamics_jet(x->loops, 0, q, v, tau, W, jet, lambda) != JN_OK) return INFINITY;
    for (int k = 0; k < n; k++) {
      sum[k] += (i < 0 ? -1 : 1) * stencil[abs(i)] / h * jet[n + k];
      size = fmax(size, fabs(jet[n + k]));
    }
  }
  for (int e = 0; e < 3; e++) size = fmax(size, size_of(D[e], n * n));
  for (int r = 0; r < n; r++) {
    double e = -sum[r];
    for (int k = 0; k < n; k++) e += D[0][r * n + k] * u[k] + D[1][r * n + k] * uv[k] + D[2][r * n + k] * ut[k];
    for (int k = 0; k < wide; k++) e += D[3][r * wide + k] * uW[k];
    worst = fmax(worst, fabs(e) * x->weakest * x->weakest / (size * x->condition * 0x1p12 * jn_variant_epsilon()));
  }
  return worst;
}

static double derivative_property(mechanism *x) {
  const int n = x->n, wide = 6 * x->links;
  static double dq[N * N], dv[N * N], dg[N * N], dw[N * 6 * MOST_LINKS], again[N * N], a0[N], l0[MOST_ROWS];
  double u[N], uv[N], ut[N], uW[6 * MOST_LINKS], worst = INFINITY, apart = 0;
  uint64_t s = 5;
  const jn_loops_derivatives out = {.da_dq = dq, .da_dv = dv, .da_dgiven = dg, .da_dwrench = dw};
  const jn_loops_derivatives other = {.da_dq = again};
  const double *D[4] = {dq, dv, dg, dw};
  fill(&s, u, n, 1), fill(&s, uv, n, 1), fill(&s, ut, n, 1), fill(&s, uW, wide, 1);
  check_ok(jn_loops_project(x->loops, NULL, x->q, u));
  check_ok(jn_loops_project(x->loops, NULL, x->q, uv));
  check_ok(jn_loops_dynamics_derivatives(x->loops, NULL, x->q, x->jet, x->jet + n, x->lambda, x->W, JN_IN_BODY, &out));
  check_ok(jn_loops_forward_dynamics_derivatives(x->loops, x->q, x->jet, x->tau, x->W, JN_IN_BODY, a0, l0, &other));
  for (int r = 0; r < n; r++) { /* together and one after the other, along what keeps the loops closed */
    double e = 0;
    for (int k = 0; k < n; k++) e += (dq[r * n + k] - again[r * n + k]) * u[k];
    apart = fmax(
        apart, fabs(e) * x->weakest * x->weakest / (size_of(dq, n * n) * x->condition * jn_variant_epsilon() + 1e-300));
  }
  for (int e = 0; e < 3; e++) worst = fmin(worst, differences(x, 0x1p-10 / (1 << 2 * e), D, u, uv, ut, uW));
  return fmax(worst, apart);
}

static double impact_property(mechanism *x, uint64_t *s) {
  double v[N], before[N], impulse[MOST_ROWS], A[MOST_ROWS * N], M[N * N], worst = 0, size = 0;
  const int n = x->n;
  fill(s, v, n, 1);
  memcpy(before, v, sizeof v);
  check_ok(jn_loops_impact(x->loops, 0.5, x->q, v, impulse));
  check_ok(jn_loops_constraint(x->loops, x->q, v, NULL, A, NULL));
  check_ok(jn_mass_matrix(x->m, x->w, x->q, M));
  size = size_of(M, n * n) * (1 + size_of(v, n)) + size_of(impulse, x->rows) * size_of(A, x->rows * n);
  for (int r = 0; r < x->rows; r++) {
    double e = 0;
    for (int k = 0; k < n; k++) e += A[r * n + k] * (v[k] + 0.5 * before[k]);
    worst = fmax(worst, fabs(e) * x->weakest / (size_of(A, x->rows * n) * (1 + size_of(v, n)) * jn_variant_epsilon()));
  }
  for (int i = 0; i < n; i++) {
    double e = 0;
    for (int k = 0; k < n; k++) e += M[i * n + k] * (v[k] - before[k]);
    for (int r = 0; r < x->rows; r++) e -= A[r * n + i] * impulse[r];
    worst = fmax(worst, fabs(e) * x->weakest / (size * jn_variant_epsilon()));
  }
  return worst;
}

/* phi = 0 where closed, A v = 0 and A a + dA v = 0 along the motion, whose closure is judged by definition; the
 * wrenches of the loops work as A^T lambda does. */
static double constraint_property(mechanism *x) {
  double phi[MOST_ROWS], A[MOST_ROWS * N], dAv[MOST_ROWS], W[(K + 1) * 6 * MOST_LINKS], J[6 * N], f[N] = {0}, worst = 0;
  const int n = x->n;
  check_ok(jn_loops_constraint(x->loops, x->q, x->jet, phi, A, dAv));
  for (int r = 0; r < x->rows; r++) {
    double first = 0, second = dAv[r], scale = x->length * jn_variant_epsilon();
    for (int k = 0; k < n; k++) first += A[r * n + k] * x->jet[k], second += A[r * n + k] * x->jet[n + k];
    worst = fmax(worst, fabs(phi[r]) / (4096 * scale)); /* assembled to 1e-12 */
    worst = fmax(worst, fabs(first) / (scale * fmax(1, x->rate)));
    worst = fmax(worst, fabs(second) * x->weakest / (scale * fmax(1, x->rate * x->rate)));
  }
  if (x->coupled) return worst;
  check_ok(jn_loops_link_wrenches_jet(x->loops, 0, x->q, x->jet, x->lambda, NULL, W));
  for (int i = 0; i < x->links; i++) {
    check_ok(jn_frame_jacobian(x->m, x->w, i, JN_IN_BODY, x->q, J));
    for (int k = 0; k < n; k++)
      for (int e = 0; e < 6; e++) f[k] += J[e * n + k] * W[6 * i + e];
  }
  for (int k = 0; k < n; k++) {
    for (int r = 0; r < x->rows; r++) f[k] -= A[r * n + k] * x->lambda[r];
    worst =
        fmax(worst, fabs(f[k]) / (size_of(x->lambda, x->rows) * x->length * x->length * jn_variant_epsilon() + 1e-300));
  }
  return worst;
}

/* The nearest velocity: what is taken away is across every motion that the loops allow. */
static double project_property(mechanism *x, uint64_t *s) {
  double v[N], u[N], before[N], A[MOST_ROWS * N], worst = 0, across = 0;
  const int n = x->n;
  fill(s, v, n, 1), fill(s, u, n, 1);
  memcpy(before, v, sizeof v);
  check_ok(jn_loops_project(x->loops, NULL, x->q, v));
  check_ok(jn_loops_project(x->loops, NULL, x->q, u));
  check_ok(jn_loops_constraint(x->loops, x->q, v, NULL, A, NULL));
  for (int k = 0; k < n; k++) across += (before[k] - v[k]) * u[k];
  for (int r = 0; r < x->rows; r++) {
    double first = 0;
    for (int k = 0; k < n; k++) first += A[r * n + k] * v[k];
    worst = fmax(worst, fabs(first) / (x->length * jn_variant_epsilon()));
  }
  return fmax(worst, fabs(across) / (n * jn_variant_epsilon())) * x->weakest;
}

/* Motions that follow from others: prescribed from the motion found, in hybrid and inverse dynamics, and completed. */
static void follow(mechanism *x, uint64_t *s, take to, void *context) {
  const int n = x->n, all = jn_parameter_count(x->m);
  double out[(K + 2) * N], tau[(K + 1) * N], lambda[(K + 1) * MOST_ROWS], pi[10 * MOST_LINKS];
  unsigned char given[N], every[N];
  for (int k = 0; k < n; k++) given[k] = uniform(s) > 0, every[k] = 1;
  if (jn_loops_hybrid_dynamics_jet(x->loops, 0, given, x->q, x->jet, x->tau, x->W, out, tau, lambda) == JN_OK)
    to(context, "jn_loops_hybrid_dynamics_jet", "forces of joints, loops and wrenches move the tree",
       balance(x, 0, out, tau, lambda, x->W));
  jn_loops_choice choice = uniform(s) > 0 ? JN_LEAST_TORQUE : JN_LEAST_LAMBDA;
  jn_status status =
      jn_loops_inverse_dynamics_jet(x->loops, K, every, choice, NULL, x->q, x->jet, NULL, x->W, tau, lambda);
  if (status == JN_OK)
    to(context, "jn_loops_inverse_dynamics_jet", "forces of joints, loops and wrenches move the tree at every order",
       balance(x, K, x->jet, tau, lambda, x->W));
  for (int missing = 0, found = 0; missing < n && !found; missing++) { /* one that the others determine */
    for (int k = 0; k < n; k++) given[k] = k != missing;
    memcpy(out, x->jet, sizeof out);
    for (int r = 0; r < K + 2; r++) out[r * n + missing] = 0;
    found = jn_loops_complete_motion(x->loops, K, given, x->q, out) == JN_OK;
    if (found)
      to(context, "jn_loops_complete_motion", "the closing frames move only as the closure allows, at every order",
         opens(x, out, K, 1) * x->weakest * x->weakest);
  }
  static double Y[(K + 1) * N * 10 * MOST_LINKS];
  if (jn_loops_regressor_jet(x->loops, 0, every, choice, NULL, x->q, x->jet, Y) != JN_OK) return;
  check_ok(jn_loops_inverse_dynamics_jet(x->loops, 0, every, choice, NULL, x->q, x->jet, NULL, NULL, tau, lambda));
  check_ok(jn_parameters(x->m, pi));
  double worst = 0;
  for (int k = 0; k < n; k++) {
    double e = -tau[k];
    for (int j = 0; j < all; j++) e += Y[k * all + j] * pi[j];
    worst = fmax(worst, fabs(e) * x->weakest / (x->force * jn_variant_epsilon()));
  }
  to(context, "jn_loops_regressor_jet", "times the inertial parameters it is inverse dynamics", worst);
}

void run_loops(uint64_t seed, take to, void *context) {
  static mechanism x;
  uint64_t s = seed;
  if (jn_variant_epsilon() > 1e-10) return; /* closed to 1e-12, which float cannot see */
  if (mechanism_create(&x, &s)) {
    int rank, n = x.n;
    double residual, v[N], q[64];
    memcpy(q, x.q, sizeof q);
    fill(&s, v, n, 1e-3);
    check_ok(jn_integrate(x.m, x.w, x.q, v, x.q));
    if (jn_loops_assemble(x.loops, NULL, 0, x.q, &residual) != JN_OK) memcpy(x.q, q, sizeof q);
    check_ok(jn_loops_project(x.loops, NULL, x.q, x.v));
    check_ok(jn_loops_forward_dynamics_jet(x.loops, K, x.q, x.v, x.tau, x.W, x.jet, x.lambda));
    sizes(&x);
    to(context, "jn_loops_forward_dynamics_jet", "the closing frames move only as the closure allows, at every order",
       opens(&x, x.jet, K, 1) * x.weakest);
    to(context, "jn_loops_forward_dynamics_jet", "forces of joints, loops and wrenches move the tree at every order",
       balance(&x, K, x.jet, x.tau, x.lambda, x.W));
    double e = constraint_property(&x);
    to(context, "jn_loops_constraint",
       "zero where the loops are closed, and along the motion; works as the wrenches do", e);
    to(context, "jn_loops_assemble", "zero where the loops are closed, and along the motion; works as the wrenches do",
       e);
    to(context, "jn_loops_link_wrenches_jet", "forces of joints, loops and wrenches move the tree at every order",
       balance(&x, K, x.jet, x.tau, x.lambda, x.W));
    to(context, "jn_loops_project", "what is taken away is across every motion that the loops allow",
       project_property(&x, &s));
    to(context, "jn_loops_impact", "A v after is -restitution A v before; M dv = A^T impulse", impact_property(&x, &s));
    e = derivative_property(&x);
    to(context, "jn_loops_dynamics_derivatives",
       "differences of forward dynamics at seven places, to 12 bits less than rounding", e);
    to(context, "jn_loops_forward_dynamics_derivatives", "as jn_loops_dynamics_derivatives()", e);
    follow(&x, &s, to, context);
    jn_loops_health health;
    check_ok(jn_loops_rank(x.loops, x.q, &rank));
    check_ok(jn_loops_health_at(x.loops, x.q, &health, NULL));
    to(context, "jn_loops_rank", "as jn_loops_health_at()", rank == health.rank ? 0 : INFINITY);
    to(context, "jn_loops_health_at", "as jn_loops_rank()", rank == health.rank ? 0 : INFINITY);
    to(context, "jn_loops_last_health", "as jn_loops_rank()", rank == x.rank ? 0 : INFINITY);
  }
  mechanism_destroy(&x);
}
