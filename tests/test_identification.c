/* SPDX-License-Identifier: BSD-2-Clause */
/* Identification: exact data give exact base parameters; with noise, estimates are within their standard deviations as
 * often as they should be; residuals are orthogonal to the regressor; the consistent set is the minimum it claims to
 * be, is physical for any data, and does not depend on units and frames. */
#define _POSIX_C_SOURCE 200809L
#include "counting.h"
#include "models.h"

enum { LINKS = 3, STATES = 60, N = 80 };

/* ---- Models ---- */

/* What is added to every link frame (frames) and by what lengths are multiplied (units). */
typedef struct description {
  double unit;
  double frame[LINKS][16];
} description;

static void identity(double T[16]) {
  memset(T, 0, 16 * sizeof *T);
  for (int k = 0; k < 4; k++) T[5 * k] = 1;
}

static description plain(void) {
  description d = {.unit = 1};
  for (int l = 0; l < LINKS; l++) identity(d.frame[l]);
  return d;
}

static void multiply(const double *A, const double *B, double *C) {
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) {
      C[4 * i + j] = 0;
      for (int k = 0; k < 4; k++) C[4 * i + j] += A[4 * i + k] * B[4 * k + j];
    }
}

static void invert(const double T[16], double out[16]) {
  identity(out);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      out[4 * i + j] = T[4 * j + i];
      out[4 * i + 3] -= T[4 * j + i] * T[4 * j + 3];
    }
}

/* The pseudo-inertia in a frame at F: P' = F^-1 P F^-T. */
static void move_inertia(const double p[10], const double F[16], double unit, double out[10]) {
  double h = 0.5 * (p[4] + p[5] + p[6]), inverse[16], left[16], P2[16], T[16];
  const double P[16] = {h - p[4], -p[7], -p[8],    p[1], -p[7], h - p[5], -p[9], p[2],
                        -p[8],    -p[9], h - p[6], p[3], p[1],  p[2],     p[3],  p[0]};
  invert(F, inverse);
  multiply(inverse, P, left);
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) T[4 * i + j] = inverse[4 * j + i];
  multiply(left, T, P2);
  out[0] = P2[15];
  for (int k = 0; k < 3; k++) out[1 + k] = unit * P2[4 * k + 3];
  out[4] = unit * unit * (P2[5] + P2[10]);
  out[5] = unit * unit * (P2[0] + P2[10]);
  out[6] = unit * unit * (P2[0] + P2[5]);
  out[7] = -unit * unit * P2[1];
  out[8] = -unit * unit * P2[2];
  out[9] = -unit * unit * P2[6];
}

static void true_inertia(int l, double p[10]) {
  static const double mass[LINKS] = {4, 3, 1.5};
  static const double com[LINKS][3] = {{0.02, -0.03, 0.1}, {0.15, 0.02, -0.01}, {0.05, 0.03, 0.08}};
  static const double I[LINKS][6] = {
      {0.05, 0.04, 0.03, 0.002, 0, 0.001}, {0.02, 0.06, 0.07, 0, 0.003, 0}, {0.01, 0.012, 0.006, 0.001, 0.0005, 0}};
  jn_inertia_pack(mass[l], com[l], I[l], p);
}

/* An arm with three joints about z, y and y (its second rotor turns with a damper), described as d says; wrong: the
 * inertias are off, as in a drawing. */
static jn_model *make_arm(const description *d, int wrong) {
  static const double offset[LINKS][3] = {{0, 0, 0.3}, {0.1, 0, 0.2}, {0.4, 0.05, 0}};
  static const double axis[LINKS][4] = {{0, 0, 1, 0}, {0, 1, 0, 0}, {0, 0.8, 0.6, 0}};
  static const char *const names[LINKS] = {"one", "two", "three"};
  double before[16];
  jn_builder *b;
  jn_model *m;
  jn_error error;
  identity(before);
  check_ok(jn_builder_create(NULL, &b));
  check_ok(jn_builder_set_gravity(b, (double[3]){0, 0, -9.81 * d->unit}));
  for (int l = 0; l < LINKS; l++) {
    double T[16], inverse[16], left[16], p[10], turned[3], F[16];
    jn_link link;
    jn_link_init(&link);
    identity(T);
    for (int k = 0; k < 3; k++) T[4 * k + 3] = offset[l][k];
    invert(before, inverse);
    multiply(inverse, T, left);
    multiply(left, d->frame[l], link.placement);
    for (int k = 0; k < 3; k++) link.placement[4 * k + 3] *= d->unit;
    invert(d->frame[l], F);
    for (int k = 0; k < 3; k++) {
      turned[k] = F[4 * k] * axis[l][0] + F[4 * k + 1] * axis[l][1] + F[4 * k + 2] * axis[l][2];
      link.joint.axis[k] = turned[k];
      link.joint.point[k] = F[4 * k + 3] * d->unit;
    }
    true_inertia(l, p);
    if (wrong) {
      double m0, com[3], I[6];
      jn_inertia_unpack(p, &m0, com, I);
      for (int k = 0; k < 3; k++) com[k] *= 0.8, I[k] *= 1.4, I[3 + k] *= 0.5;
      jn_inertia_pack(1.3 * m0, com, I, p);
    }
    move_inertia(p, d->frame[l], d->unit, link.inertia);
    link.name = names[l];
    link.parent = l ? names[l - 1] : NULL;
    link.joint.type = JN_REVOLUTE;
    link.joint.dof[0].armature = (l == 1 ? 0.2 : 0.05) * (wrong ? 0.5 : 1) * d->unit * d->unit;
    link.joint.dof[0].damping = (0.3 + 0.2 * l) * (wrong ? 0 : 1) * d->unit * d->unit;
    link.joint.dof[0].friction = (0.8 - 0.2 * l) * (wrong ? 0 : 1) * d->unit * d->unit;
    check_ok(jn_builder_add_link(b, &link));
    memcpy(before, d->frame[l], sizeof before);
  }
  check(jn_builder_freeze(b, &m, &error) == JN_OK, "%s", error.text);
  jn_builder_destroy(b);
  return m;
}

/* ---- Data ---- */

typedef struct data {
  int count;
  double q[STATES * 10][LINKS], v[STATES * 10][LINKS], a[STATES * 10][LINKS], tau[STATES * 10][LINKS];
} data;

/* Random states, with the joint forces of the model by inverse dynamics and its losses. */
static void make_data(const jn_model *m, uint64_t *s, int count, data *d) {
  jn_work *w;
  check_ok(jn_work_create(m, &w));
  d->count = count;
  for (int k = 0; k < count; k++) {
    double loss[LINKS];
    fill(s, d->q[k], LINKS, 2);
    fill(s, d->v[k], LINKS, 3);
    fill(s, d->a[k], LINKS, 9);
    check_ok(jn_inverse_dynamics(m, w, d->q[k], d->v[k], d->a[k], NULL, d->tau[k]));
    check_ok(jn_loss_forces(m, d->v[k], loss));
    for (int i = 0; i < LINKS; i++) d->tau[k][i] += loss[i];
  }
  jn_work_destroy(w);
}

static jn_identification *identification_of(const jn_model *m, unsigned columns) {
  jn_identification_options o;
  jn_identification *d;
  jn_error error;
  jn_identification_options_init(&o);
  o.columns = columns;
  o.threads = 1;
  jn_status status = jn_identification_create(m, &o, &d, &error);
  check(status == JN_OK, "%s", error.text);
  return d;
}

enum { ALL = JN_IDENTIFY_INERTIA | JN_IDENTIFY_ROTOR | JN_IDENTIFY_VISCOUS | JN_IDENTIFY_COULOMB | JN_IDENTIFY_OFFSET };

static void add(jn_identification *d, const data *x) {
  check_ok(jn_identification_add(d, (size_t)x->count, x->q[0], x->v[0], x->a[0], x->tau[0]));
}

static const jn_estimate *solve(jn_identification *d, double w) {
  const jn_estimate *e;
  check_ok(jn_identification_solve(d, w, 1, &e));
  return e;
}

/* B x of the model that the data come from. */
static void true_base(const jn_model *m, unsigned columns, double *b) {
  jn_identification *d = identification_of(m, columns);
  const double *B = jn_identification_base_matrix(d), *x = jn_identification_prior(d);
  int n = jn_identification_count(d);
  for (int i = 0; i < jn_identification_base_count(d); i++) {
    b[i] = 0;
    for (int k = 0; k < n; k++) b[i] += B[i * n + k] * x[k];
  }
  jn_identification_destroy(d);
}

static double normal(uint64_t *s) {
  double u = 0.5 * (uniform(s) + 1), v = uniform(s);
  return sqrt(-2 * log(u + 1e-300)) * cos(3.14159265358979323846 * v);
}

/* ---- Laws ---- */

/* As many base parameters as the structure of the tree says, and three more for each motor with friction and offset. */
static void counts_are_those_of_the_structure(void **state) {
  (void)state;
  static const struct {
    const char *robot;
    int inertial, motors;
  } known[] = {{"builtin:panda", 43, 7}, {"builtin:kuka_iiwa", 43, 7}, {"builtin:humanoid", 227, 31}};
  for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
    jn_model *m;
    jn_status status = jn_load(known[k].robot, NULL, &m, NULL);
    if (status == JN_ERR_UNSUPPORTED) return;
    check_ok(status);
    jn_identification *inertia = identification_of(m, JN_IDENTIFY_INERTIA);
    jn_identification *all =
        identification_of(m, JN_IDENTIFY_INERTIA | JN_IDENTIFY_VISCOUS | JN_IDENTIFY_COULOMB | JN_IDENTIFY_OFFSET);
    int nb = jn_identification_base_count(inertia), more = jn_identification_base_count(all);
    check(nb == known[k].inertial, "%s: %d base parameters, not %d", known[k].robot, nb, known[k].inertial);
    check(more == nb + 3 * known[k].motors, "%s: %d with friction and offsets", known[k].robot, more);
    jn_base *base;
    if (jn_base_create(m, NULL, &base) == JN_OK) {
      check(jn_base_count(base) == nb, "%s: %d by the structure", known[k].robot, jn_base_count(base));
      jn_base_destroy(base);
    }
    jn_identification_destroy(inertia);
    jn_identification_destroy(all);
    jn_model_destroy(m);
  }
}

static void exact_data_give_exact_base_parameters(void **state) {
  (void)state;
  uint64_t s = seed("exact data");
  description d = plain();
  jn_model *truth = make_arm(&d, 0), *start = make_arm(&d, 1);
  data x;
  double b[N];
  make_data(truth, &s, STATES, &x);
  jn_identification *id = identification_of(start, ALL);
  add(id, &x);
  const jn_estimate *e = solve(id, 1e-3);
  true_base(truth, ALL, b);
  check(e->told == e->base_count, "%d of %d are told", e->told, e->base_count);
  double gap = distance(e->base, b, e->base_count, 0);
  check(gap < 1e-9, "base parameters are off by %g", gap);
  /* the consistent set has the same base parameters: exact data outweigh the prior */
  double own[N], error[LINKS], force[LINKS];
  const double *B = jn_identification_base_matrix(id);
  for (int i = 0; i < e->base_count; i++) {
    own[i] = 0;
    for (int k = 0; k < e->count; k++) own[i] += B[i * e->count + k] * e->x[k];
  }
  gap = distance(own, b, e->base_count, 0);
  check(gap < 1e-6, "the consistent set is off by %g", gap);
  check_ok(jn_identification_residuals(id, e->x, error, force, NULL));
  for (int i = 0; i < LINKS; i++) check(error[i] < 1e-6 * force[i], "joint %d is off by %g", i, error[i]);
  /* armature, damping and friction are alone, and so is the model made from them */
  jn_model *found;
  check_ok(jn_identification_model(id, e->x, &found));
  for (int i = 0; i < LINKS; i++) {
    const jn_dof *now = jn_coordinate_dof(found, i), *was = jn_coordinate_dof(truth, i);
    check(fabs(now->damping - was->damping) < 1e-6, "damping %g, not %g", now->damping, was->damping);
    check(fabs(now->friction - was->friction) < 1e-6, "friction %g, not %g", now->friction, was->friction);
  }
  jn_model_destroy(found);
  jn_identification_destroy(id);
  jn_model_destroy(truth);
  jn_model_destroy(start);
}

static void residuals_are_orthogonal_to_the_regressor(void **state) {
  (void)state;
  uint64_t s = seed("orthogonality");
  description d = plain();
  jn_model *truth = make_arm(&d, 0);
  data x;
  make_data(truth, &s, STATES, &x);
  for (int k = 0; k < x.count; k++)
    for (int i = 0; i < LINKS; i++) x.tau[k][i] += 0.3 * normal(&s);
  jn_identification *id = identification_of(truth, ALL);
  add(id, &x);
  const jn_estimate *e = solve(id, 1);
  int n = e->count, nb = e->base_count;
  double Y[LINKS * N], known[LINKS], along[N] = {0}, size[N] = {0}, left = 0;
  jn_work *w;
  check_ok(jn_work_create(truth, &w));
  for (int k = 0; k < x.count; k++) {
    check_ok(jn_identification_regressor(id, w, x.q[k], x.v[k], x.a[k], NULL, Y, known));
    for (int i = 0; i < LINKS; i++) {
      double r = known[i] - x.tau[k][i], weight = 1 / (e->noise[i] * e->noise[i]);
      for (int b = 0; b < nb; b++) r += Y[i * n + jn_identification_base_column(id, b)] * e->base[b];
      left += weight * r * r;
      for (int b = 0; b < nb; b++) {
        double y = Y[i * n + jn_identification_base_column(id, b)];
        along[b] += weight * y * r;
        size[b] += weight * y * y;
      }
    }
  }
  for (int b = 0; b < nb; b++) {
    double cosine = fabs(along[b]) / sqrt(size[b] * left);
    check(cosine < 1e-10, "column %d has the part %g of the residuals", b, cosine);
  }
  jn_work_destroy(w);
  jn_identification_destroy(id);
  jn_model_destroy(truth);
}

/* 200 noisy repetitions of one experiment through splines and filter; positions too are noisy, a little. */
static void estimates_are_within_their_deviations(void **state) {
  (void)state;
  enum { RUNS = 200, ROWS = 1200 };
  uint64_t s = seed("deviations");
  description d = plain();
  jn_model *truth = make_arm(&d, 0);
  jn_identification *id = identification_of(truth, ALL);
  jn_work *w;
  double b[N], *t = malloc(ROWS * sizeof *t), *q = malloc(ROWS * LINKS * sizeof *q);
  double *clean = malloc(ROWS * LINKS * sizeof *clean), *tau = malloc(ROWS * LINKS * sizeof *tau);
  assert_true(t && q && clean && tau);
  check_ok(jn_work_create(truth, &w));
  true_base(truth, ALL, b);
  for (int r = 0; r < ROWS; r++) {
    double v[LINKS], a[LINKS], loss[LINKS];
    t[r] = 0.01 * r;
    for (int i = 0; i < LINKS; i++) {
      q[r * LINKS + i] = v[i] = a[i] = 0;
      for (int k = 1; k <= 4; k++) {
        double omega = k * (0.8 + 0.17 * i), phase = 1.3 * k + 2.1 * i, size = 0.8 / k;
        q[r * LINKS + i] += size * sin(omega * t[r] + phase);
        v[i] += size * omega * cos(omega * t[r] + phase);
        a[i] -= size * omega * omega * sin(omega * t[r] + phase);
      }
    }
    check_ok(jn_inverse_dynamics(truth, w, q + r * LINKS, v, a, NULL, clean + r * LINKS));
    check_ok(jn_loss_forces(truth, v, loss));
    for (int i = 0; i < LINKS; i++) clean[r * LINKS + i] += loss[i];
  }
  jn_trajectory *motion;
  check_ok(jn_trajectory_fit(truth, ROWS, t, q, NULL, &motion, NULL));
  jn_measurement how;
  jn_measurement_init(&how);
  how.cutoff = 8;
  int inside[N] = {0}, nb = jn_identification_base_count(id);
  double squares = 0;
  for (int run = 0; run < RUNS; run++) {
    const jn_estimate *e;
    for (int k = 0; k < ROWS * LINKS; k++) tau[k] = clean[k] + (0.5 + k % LINKS) * normal(&s);
    check_ok(jn_trajectory_set_forces(motion, ROWS, t, tau));
    jn_identification_clear(id, 0);
    check_ok(jn_identification_add_trajectory(id, motion, &how));
    check_ok(jn_identification_solve(id, 1, 0, &e));
    for (int i = 0; i < nb; i++) {
      double z = (e->base[i] - b[i]) / e->deviation[i];
      inside[i] += fabs(z) <= 3;
      squares += z * z;
    }
  }
  double spread = sqrt(squares / (RUNS * nb));
  printf("# rms of (estimate - truth) / deviation: %.3f\n", spread);
  for (int i = 0; i < nb; i++) check(inside[i] >= 0.95 * RUNS, "parameter %d: %d of %d", i, inside[i], RUNS);
  check(spread > 0.9 && spread < 1.1, "deviations are off by a factor of %g", spread);
  jn_trajectory_destroy(motion);
  jn_work_destroy(w);
  jn_identification_destroy(id);
  jn_model_destroy(truth);
  free(t);
  free(q);
  free(clean);
  free(tau);
}

/* D of all links plus the squares of the others, as the header has it; NaN if a link is not physical. */
static double pseudo_determinant(const double p[10], double P[16]) {
  double h = 0.5 * (p[4] + p[5] + p[6]), A[4][4], det = 1;
  const double rows[16] = {h - p[4], -p[7], -p[8],    p[1], -p[7], h - p[5], -p[9], p[2],
                           -p[8],    -p[9], h - p[6], p[3], p[1],  p[2],     p[3],  p[0]};
  memcpy(P, rows, sizeof rows);
  memcpy(A, rows, sizeof rows);
  for (int i = 0; i < 4; i++) { /* elimination without pivots: positive definite */
    det *= A[i][i];
    for (int r = i + 1; r < 4; r++)
      for (int k = 3; k >= i; k--) A[r][k] -= A[r][i] / A[i][i] * A[i][k];
  }
  return det;
}

static double divergence(const double p[10], const double p0[10]) {
  double P[16], P0[16], det = pseudo_determinant(p, P), det0 = pseudo_determinant(p0, P0), trace = 0, A[4][8];
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 8; k++) A[i][k] = k < 4 ? P0[4 * i + k] : P[4 * i + k - 4];
  for (int i = 0; i < 4; i++) { /* P0^-1 P by Gauss and Jordan */
    double pivot = A[i][i];
    for (int k = 0; k < 8; k++) A[i][k] /= pivot;
    for (int r = 0; r < 4; r++) {
      double by = A[r][i];
      for (int k = 0; k < 8 && r != i; k++) A[r][k] -= by * A[i][k];
    }
  }
  for (int i = 0; i < 4; i++) trace += A[i][4 + i];
  return trace - log(det / det0) - 4;
}

/* The part of the sum that concerns inertias: data and divergence. */
static double cost(jn_identification *id, const jn_estimate *e, const double *x, double w) {
  double error[LINKS], rows[LINKS], sum = 0;
  check_ok(jn_identification_residuals(id, x, error, NULL, rows));
  for (int i = 0; i < LINKS; i++) sum += rows[i] * pow(error[i] / e->noise[i], 2);
  for (int l = 0; l < LINKS; l++) sum += w * divergence(x + 10 * l, jn_identification_prior(id) + 10 * l);
  return sum;
}

static void the_consistent_set_is_the_minimum(void **state) {
  (void)state;
  uint64_t s = seed("minimum");
  description d = plain();
  jn_model *truth = make_arm(&d, 0), *start = make_arm(&d, 1);
  data x;
  const double w = 5;
  make_data(truth, &s, STATES, &x);
  for (int k = 0; k < x.count; k++)
    for (int i = 0; i < LINKS; i++) x.tau[k][i] += 0.5 * normal(&s);
  jn_identification *id = identification_of(start, JN_IDENTIFY_INERTIA);
  add(id, &x);
  const jn_estimate *e = solve(id, w);
  check(e->iterations > 0, "it does not converge");
  double least = cost(id, e, e->x, w), other[N];
  for (int k = 0; k < 300; k++) {
    double size = pow(10, -1 - 3.0 * (k % 10) / 10), coordinates[10];
    memcpy(other, e->x, (size_t)e->count * sizeof *other);
    for (int l = 0; l < LINKS; l++) {
      check_ok(jn_inertia_to_log_cholesky(other + 10 * l, coordinates));
      for (int i = 0; i < 10; i++) coordinates[i] += size * uniform(&s) * (i < 4 ? 1 : 0.1);
      check_ok(jn_inertia_from_log_cholesky(coordinates, other + 10 * l));
    }
    double now = cost(id, e, other, w);
    check(now > least - 1e-9 * least, "a change of %g lowers the sum from %.12g to %.12g", size, least, now);
  }
  jn_identification_destroy(id);
  jn_model_destroy(truth);
  jn_model_destroy(start);
}

static void any_data_give_a_physical_robot(void **state) {
  (void)state;
  uint64_t s = seed("absurd data");
  description d = plain();
  jn_model *start = make_arm(&d, 1);
  for (int k = 0; k < 12; k++) {
    data x;
    double size = pow(10, 2 * (k % 6) - 4);
    make_data(start, &s, STATES, &x);
    for (int r = 0; r < x.count; r++)
      for (int i = 0; i < LINKS; i++)
        x.tau[r][i] = k < 6 ? size * normal(&s) : k % 2 ? -x.tau[r][i] * size : size * (x.a[r][(i + 1) % LINKS]);
    jn_identification *id = identification_of(start, ALL);
    add(id, &x);
    const jn_estimate *e = solve(id, k % 3 ? -1 : 1);
    jn_model *found;
    jn_options strict;
    jn_options_init(&strict);
    strict.strict = 1;
    for (int l = 0; l < LINKS; l++) check(jn_inertia_is_physical(e->x + 10 * l), "data %d: link %d is no body", k, l);
    for (int i = 10 * LINKS; i < 10 * LINKS + 3 * LINKS; i++)
      check(e->x[i] >= 0, "data %d: unknown %d is %g", k, i, e->x[i]);
    check_ok(jn_identification_model(id, e->x, &found));
    jn_builder *b; /* and it passes the checks of a strict reader */
    jn_model *again;
    jn_error error;
    check_ok(jn_model_thaw(found, &strict, &b));
    jn_status status = jn_builder_freeze(b, &again, &error);
    check(status == JN_OK, "data %d: %s", k, error.text);
    jn_model_destroy(again);
    jn_builder_destroy(b);
    jn_model_destroy(found);
    jn_identification_destroy(id);
  }
  jn_model_destroy(start);
}

/* The same robot in millimetres and in other link frames: the same bodies. */
static void units_and_frames_play_no_part(void **state) {
  (void)state;
  uint64_t s = seed("invariance");
  description one = plain(), other = plain();
  other.unit = 1000;
  for (int l = 0; l < LINKS; l++) random_placement(&s, other.frame[l]);
  jn_model *truth = make_arm(&one, 0), *start = make_arm(&one, 1), *moved = make_arm(&other, 1);
  data x, y;
  make_data(truth, &s, STATES, &x);
  for (int k = 0; k < x.count; k++)
    for (int i = 0; i < LINKS; i++) x.tau[k][i] += 0.5 * normal(&s);
  y = x;
  for (int k = 0; k < x.count; k++)
    for (int i = 0; i < LINKS; i++) y.tau[k][i] *= other.unit * other.unit;
  jn_identification *a = identification_of(start, ALL), *b = identification_of(moved, ALL);
  add(a, &x);
  add(b, &y);
  const jn_estimate *e = solve(a, 3), *f = solve(b, 3);
  for (int l = 0; l < LINKS; l++) {
    double expected[10];
    move_inertia(e->x + 10 * l, other.frame[l], other.unit, expected);
    double gap = distance(f->x + 10 * l, expected, 10, 0);
    check(gap < 1e-6, "link %d is another body, by %g", l, gap);
  }
  for (int i = 10 * LINKS; i < e->count; i++) {
    double gap = fabs(f->x[i] / (other.unit * other.unit) - e->x[i]) / fmax(fabs(e->x[i]), 0.01);
    check(gap < 1e-6, "unknown %d differs by %g", i, gap);
  }
  jn_identification_destroy(a);
  jn_identification_destroy(b);
  jn_model_destroy(truth);
  jn_model_destroy(start);
  jn_model_destroy(moved);
}

static void a_payload_is_one_link(void **state) {
  (void)state;
  uint64_t s = seed("payload");
  description d = plain();
  jn_model *arm = make_arm(&d, 0), *loaded;
  double payload[10], p[10];
  data x;
  jn_inertia_pack(2, (double[3]){0.03, -0.02, 0.1}, (double[6]){0.01, 0.012, 0.008, 0, 0.001, 0}, payload);
  check_ok(jn_model_with_payload(arm, 2, payload, &loaded));
  make_data(loaded, &s, STATES, &x);
  const char *links[] = {"three"};
  jn_identification_options o;
  jn_identification *id;
  jn_identification_options_init(&o);
  o.columns = JN_IDENTIFY_INERTIA;
  o.links = links;
  o.link_count = 1;
  check_ok(jn_identification_create(arm, &o, &id, NULL));
  check(jn_identification_count(id) == 10, "%d unknowns", jn_identification_count(id));
  add(id, &x);
  const jn_estimate *e = solve(id, 1);
  check_ok(jn_link_inertia(arm, 2, p));
  for (int k = 0; k < 10; k++) p[k] += payload[k];
  double gap = distance(e->x, p, 10, 0);
  check(e->told == 10 && gap < 1e-6, "the payload is off by %g, %d of 10 are told", gap, e->told);
  links[0] = "four";
  jn_identification *none;
  jn_error error;
  check_status(jn_identification_create(arm, &o, &none, &error), JN_ERR_NAME);
  assert_non_null(strstr(error.text, "four"));
  jn_identification_destroy(id);
  jn_model_destroy(arm);
  jn_model_destroy(loaded);
}

/* No joint forces, only the wrench under the first link: it tells more, such as the mass of the first link. */
static void the_base_wrench_tells_without_joint_forces(void **state) {
  (void)state;
  uint64_t s = seed("base wrench");
  description d = plain();
  jn_model *truth = make_arm(&d, 0), *start = make_arm(&d, 1);
  jn_identification_options o;
  jn_identification *id;
  jn_work *w;
  jn_identification_options_init(&o);
  o.columns = JN_IDENTIFY_INERTIA;
  o.wrench_link = 0;
  check_ok(jn_identification_create(start, &o, &id, NULL));
  check(jn_identification_channels(id) == LINKS + 6, "%d channels", jn_identification_channels(id));
  check_ok(jn_work_create(truth, &w));
  for (int k = 0; k < STATES; k++) {
    double q[LINKS], v[LINKS], a[LINKS], wrench[LINKS][6], forces[LINKS + 6];
    fill(&s, q, LINKS, 2);
    fill(&s, v, LINKS, 3);
    fill(&s, a, LINKS, 9);
    check_ok(jn_joint_wrenches(truth, w, q, v, a, NULL, wrench[0]));
    for (int i = 0; i < LINKS; i++) forces[i] = NAN;
    memcpy(forces + LINKS, wrench[0], sizeof wrench[0]);
    check_ok(jn_identification_add(id, 1, q, v, a, forces));
  }
  const jn_estimate *e = solve(id, 1e-3);
  double b[N];
  const double *B = jn_identification_base_matrix(id);
  for (int i = 0; i < e->base_count; i++) {
    b[i] = 0;
    for (int k = 0; k < e->count; k++) {
      double p[10];
      true_inertia(k / 10, p);
      b[i] += B[i * e->count + k] * p[k % 10];
    }
  }
  double gap = distance(e->base, b, e->base_count, 0);
  check(e->told == e->base_count && gap < 1e-9, "off by %g, %d of %d are told", gap, e->told, e->base_count);
  jn_work_destroy(w);
  jn_identification_destroy(id);
  jn_model_destroy(truth);
  jn_model_destroy(start);
}

/* The third motor turns with both the second and the third joint: G = [1 0 0; 0 1 0; 0 1 1]. */
static void coupled_motors_act_on_all_their_joints(void **state) {
  (void)state;
  static const double G[9] = {1, 0, 0, 0, 1, 0, 0, 1, 1}, rotor[3] = {0.1, 0.2, 0.3}, viscous[3] = {1, 2, 3},
                      coulomb[3] = {0.5, 0.4, 0.7}, offset[3] = {0.1, -0.2, 0.3};
  uint64_t s = seed("coupling");
  description d = plain();
  jn_model *arm = make_arm(&d, 0), *bare;
  jn_builder *b;
  data x;
  jn_work *w;
  check_ok(jn_model_thaw(arm, NULL, &b));
  check_ok(jn_builder_freeze(b, &bare, NULL));
  jn_builder_destroy(b);
  make_data(bare, &s, STATES, &x);
  check_ok(jn_work_create(arm, &w));
  for (int k = 0; k < x.count; k++) {
    double Y[LINKS * 10 * LINKS], pi[10 * LINKS];
    check_ok(jn_regressor(arm, w, x.q[k], x.v[k], x.a[k], Y));
    check_ok(jn_parameters(arm, pi));
    for (int i = 0; i < LINKS; i++) {
      x.tau[k][i] = 0;
      for (int c = 0; c < 10 * LINKS; c++) x.tau[k][i] += Y[i * 10 * LINKS + c] * pi[c];
    }
    for (int m = 0; m < 3; m++) {
      double speed = 0, acceleration = 0;
      for (int i = 0; i < LINKS; i++) speed += G[3 * m + i] * x.v[k][i], acceleration += G[3 * m + i] * x.a[k][i];
      double force = rotor[m] * acceleration + viscous[m] * speed + coulomb[m] * (speed > 0 ? 1 : -1) + offset[m];
      for (int i = 0; i < LINKS; i++) x.tau[k][i] += G[3 * m + i] * force;
    }
  }
  jn_identification_options o;
  jn_identification *id;
  jn_identification_options_init(&o);
  o.columns = ALL;
  o.motors = 3;
  o.coupling = G;
  check_ok(jn_identification_create(arm, &o, &id, NULL));
  add(id, &x);
  const jn_estimate *e = solve(id, 1e-3);
  for (int m = 0; m < 3; m++) {
    const double *motors = e->x + 10 * LINKS;
    check(fabs(motors[3 + m] - viscous[m]) < 1e-6, "viscous friction %g", motors[3 + m]);
    check(fabs(motors[6 + m] - coulomb[m]) < 1e-6, "Coulomb friction %g", motors[6 + m]);
    check(fabs(motors[9 + m] - offset[m]) < 1e-5, "offset %g", motors[9 + m]);
  }
  check(jn_identification_coordinate(id, 10 * LINKS + 2) == JN_NONE, "the third motor has no joint of its own");
  char name[64];
  check_ok(jn_identification_name(id, 10 * LINKS + 2, name, sizeof name));
  assert_string_equal(name, "motor_3.rotor");
  jn_identification_destroy(id);
  jn_work_destroy(w);
  jn_model_destroy(arm);
  jn_model_destroy(bare);
}

/* Columns of the user: a spring that hardens, k q^3, at the second joint. */
static void cubic(const double *q, const double *v, const double *a, double *Y, void *context) {
  (void)v;
  (void)a;
  for (int i = 0; i < LINKS; i++) Y[i] = i == 1 ? q[i] * q[i] * q[i] : 0;
  ++*(int *)context;
}

static void user_columns_and_rows_are_told(void **state) {
  (void)state;
  uint64_t s = seed("user columns");
  description d = plain();
  jn_model *arm = make_arm(&d, 0);
  data x;
  int calls = 0;
  make_data(arm, &s, STATES, &x);
  for (int k = 0; k < x.count; k++) x.tau[k][1] += 7 * pow(x.q[k][1], 3);
  jn_identification_options o;
  jn_identification *id;
  jn_identification_options_init(&o);
  o.user = cubic;
  o.user_columns = 1;
  o.context = &calls;
  check_ok(jn_identification_create(arm, &o, &id, NULL));
  int n = jn_identification_count(id);
  add(id, &x);
  const jn_estimate *e = solve(id, 1e-3);
  check(fabs(e->x[n - 1] - 7) < 1e-6, "the spring is %g, not 7", e->x[n - 1]);
  check(calls >= STATES, "%d calls", calls);
  /* one row that says the spring is 8, with all the weight of its channel's noise, moves it a little */
  double row[N] = {0}, y = 8;
  row[n - 1] = 1;
  check_ok(jn_identification_add_rows(id, 1, 1, row, &y));
  e = solve(id, 1e-3);
  check(e->x[n - 1] > 7 && e->x[n - 1] < 8, "the spring is %g", e->x[n - 1]);
  check_status(jn_identification_add_rows(id, LINKS, 1, row, &y), JN_ERR_INDEX);
  jn_identification_destroy(id);
  jn_model_destroy(arm);
}

/* A joint that never moves: what needs it is not told, and stays as in the model; foreseen before solving. */
static void what_the_motion_does_not_tell_stays(void **state) {
  (void)state;
  uint64_t s = seed("poor motion");
  description d = plain();
  jn_model *truth = make_arm(&d, 0), *start = make_arm(&d, 1);
  data x;
  make_data(start, &s, STATES, &x);
  jn_work *w;
  check_ok(jn_work_create(truth, &w));
  for (int k = 0; k < x.count; k++) {
    double loss[LINKS];
    x.q[k][2] = 0.3;
    x.v[k][2] = x.a[k][2] = 0;
    check_ok(jn_inverse_dynamics(truth, w, x.q[k], x.v[k], x.a[k], NULL, x.tau[k]));
    check_ok(jn_loss_forces(truth, x.v[k], loss));
    for (int i = 0; i < LINKS; i++) x.tau[k][i] += loss[i];
  }
  jn_identification *id = identification_of(start, ALL);
  add(id, &x);
  double deviation[N], noise[LINKS] = {1, 1, 1}, condition;
  int told;
  check_ok(jn_identification_foresee(id, noise, deviation, &told, &condition));
  const jn_estimate *e = solve(id, 1);
  check(e->told == told && told < e->base_count, "%d told, %d foreseen, of %d", e->told, told, e->base_count);
  check(condition > 1 && condition < 1e7, "condition %g", condition);
  for (int i = 0; i < e->base_count; i++) {
    char name[64];
    jn_identification_name(id, jn_identification_base_column(id, i), name, sizeof name);
    check(isfinite(deviation[i]) == isfinite(e->deviation[i]), "%s", name);
    if (strcmp(name, "three.viscous") == 0) check(!isfinite(e->deviation[i]), "%s is told", name);
  }
  int viscous = 10 * LINKS + LINKS + 2;
  check(e->x[viscous] == jn_identification_prior(id)[viscous], "friction of the still joint became %g", e->x[viscous]);
  jn_work_destroy(w);
  jn_identification_destroy(id);
  jn_model_destroy(truth);
  jn_model_destroy(start);
}

/* Files of forces: names as programs write them, units, and what is left over of exact ones. */
static void forces_are_read_from_files(void **state) {
  (void)state;
  uint64_t s = seed("files of forces");
  description d = plain();
  jn_model *arm = make_arm(&d, 0);
  data x;
  make_data(arm, &s, STATES, &x);
  char path[] = "/tmp/jounce_forces_XXXXXX";
  int file = mkstemp(path);
  FILE *f = file >= 0 ? fdopen(file, "w") : NULL;
  assert_non_null(f);
  fputs("time,one,two,three,one_effort [N mm],/joint_states/two/effort,three.tau [mA]\n", f);
  for (int r = 0; r < 20; r++)
    fprintf(f, "%d,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n", r, x.q[r][0], x.q[r][1], x.q[r][2], 1000 * x.tau[r][0],
            x.tau[r][1], 1000 * x.tau[r][2]);
  fclose(f);
  jn_trajectory *t;
  jn_error error;
  jn_status status = jn_trajectory_load(arm, path, NULL, &t, &error);
  check(status == JN_OK, "%s", error.text);
  status = jn_trajectory_load_forces(t, path, NULL, &error);
  check(status == JN_OK, "%s", error.text);
  check(jn_trajectory_force_rows(t) == 20 && jn_trajectory_force_time(t, 7) == 7, "rows and times");
  for (int i = 0; i < LINKS; i++) {
    check(jn_trajectory_force_is_current(t, i) == (i == 2), "unit of %d", i);
    for (int r = 0; r < 20; r++)
      check(fabs(jn_trajectory_forces(t, i)[r] - x.tau[r][i]) < 1e-12 * (1 + fabs(x.tau[r][i])), "force %d of row %d",
            i, r);
  }
  check(jn_trajectory_forces(t, LINKS) == NULL && jn_trajectory_force_rows(NULL) == 0, "out of range");
  check(isnan(jn_trajectory_force_time(t, 20)), "no such row");
  check_status(jn_trajectory_set_forces(t, 1, x.q[0], x.tau[0]), JN_ERR_SIZE);
  check_status(jn_trajectory_set_forces(t, 2, (double[2]){1, 1}, x.tau[0]), JN_ERR_MODEL);
  check_status(jn_trajectory_load_forces(t, "/nowhere", NULL, &error), JN_ERR_FILE);
  jn_identification *id = identification_of(arm, JN_IDENTIFY_INERTIA);
  jn_measurement how;
  jn_measurement_init(&how);
  jn_trajectory *none;
  check_ok(jn_trajectory_fit(arm, 8, (double[8]){0, 1, 2, 3, 4, 5, 6, 7}, x.q[0], NULL, &none, NULL));
  check_status(jn_identification_add_trajectory(id, none, &how), JN_ERR_MODEL); /* no forces */
  how.fold = 9;
  check_status(jn_identification_add_trajectory(id, t, &how), JN_ERR_SIZE);
  double b[N] = {0}, left[LINKS], force[LINKS];
  add(id, &x);
  check_ok(jn_identification_base_residuals(id, b, left, force, NULL));
  for (int i = 0; i < LINKS; i++) check(force[i] > 0 && left[i] > 0, "residuals of nothing are the forces");
  jn_identification_destroy(id);
  jn_trajectory_destroy(none);
  jn_trajectory_destroy(t);
  remove(path);
  jn_model_destroy(arm);
}

static void wrong_use_is_refused(void **state) {
  (void)state;
  description d = plain();
  jn_model *arm = make_arm(&d, 0);
  jn_identification_options o;
  jn_identification *id = NULL;
  const jn_estimate *e;
  jn_error error;
  jn_identification_options_init(&o);
  check_status(jn_identification_create(NULL, &o, &id, NULL), JN_ERR_NULL);
  o.size = 1;
  check_status(jn_identification_create(arm, &o, &id, &error), JN_ERR_INIT);
  jn_identification_options_init(&o);
  o.motors = 2;
  check_status(jn_identification_create(arm, &o, &id, &error), JN_ERR_SIZE);
  jn_identification_options_init(&o);
  o.wrench_link = 17;
  check_status(jn_identification_create(arm, &o, &id, &error), JN_ERR_INDEX);
  jn_identification_options_init(&o);
  o.columns = 0;
  check_status(jn_identification_create(arm, &o, &id, &error), JN_ERR_MODEL);
  assert_null(id);
  id = identification_of(arm, ALL);
  check_status(jn_identification_solve(id, 1, 1, &e), JN_ERR_MODEL); /* no data */
  assert_null(e);
  double q[LINKS] = {0}, v[LINKS] = {0}, a[LINKS] = {0}, tau[LINKS] = {0, INFINITY, 0};
  check_status(jn_identification_add(id, 1, q, v, a, tau), JN_ERR_MODEL);
  check(jn_identification_name(id, -1, (char[4]){0}, 4) == JN_ERR_INDEX, "index");
  check(jn_identification_link(id, 0) == 0 && jn_identification_link(id, 1000) == JN_NONE, "links");
  check(jn_identification_cutoff(NULL, NULL) == 0, "cutoff without a motion");
  jn_identification_destroy(id);
  jn_identification_destroy(NULL);
  jn_model_destroy(arm);
}

static void every_allocation_may_fail(void **state) {
  (void)state;
  uint64_t s = seed("allocations");
  description d = plain();
  jn_model *arm = make_arm(&d, 0);
  data x;
  make_data(arm, &s, STATES, &x);
  counter c = {0};
  const jn_allocator counting = {count_allocate, count_release, &c};
  int done = 0;
  for (int fail_at = 1; !done && fail_at < 5000; fail_at++) {
    jn_identification_options o;
    jn_identification *id;
    const jn_estimate *e;
    jn_identification_options_init(&o);
    o.allocator = &counting;
    o.columns = ALL;
    c = (counter){.fail_at = fail_at};
    jn_status status = jn_identification_create(arm, &o, &id, NULL);
    if (status == JN_OK) status = jn_identification_add(id, (size_t)8, x.q[0], x.v[0], x.a[0], x.tau[0]);
    if (status == JN_OK) status = jn_identification_solve(id, 1, 1, &e);
    check(status == JN_OK || status == JN_ERR_MEMORY, "call %d: %s", fail_at, jn_status_text(status));
    done = c.calls < fail_at;
    jn_identification_destroy(id);
    check(c.live == 0, "call %d: %d blocks are not released", fail_at, c.live);
  }
  check(done, "never without a failure");
  jn_model_destroy(arm);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(counts_are_those_of_the_structure),
      cmocka_unit_test(exact_data_give_exact_base_parameters),
      cmocka_unit_test(residuals_are_orthogonal_to_the_regressor),
      cmocka_unit_test(estimates_are_within_their_deviations),
      cmocka_unit_test(the_consistent_set_is_the_minimum),
      cmocka_unit_test(any_data_give_a_physical_robot),
      cmocka_unit_test(units_and_frames_play_no_part),
      cmocka_unit_test(a_payload_is_one_link),
      cmocka_unit_test(the_base_wrench_tells_without_joint_forces),
      cmocka_unit_test(coupled_motors_act_on_all_their_joints),
      cmocka_unit_test(user_columns_and_rows_are_told),
      cmocka_unit_test(what_the_motion_does_not_tell_stays),
      cmocka_unit_test(forces_are_read_from_files),
      cmocka_unit_test(wrong_use_is_refused),
      cmocka_unit_test(every_allocation_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
