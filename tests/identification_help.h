/* SPDX-License-Identifier: BSD-2-Clause */
/* An arm with three joints and measurements of it, for tests of identification. */
#ifndef JN_TESTS_IDENTIFICATION_HELP_H
#define JN_TESTS_IDENTIFICATION_HELP_H

#define _POSIX_C_SOURCE 200809L
#include "models.h"

enum { LINKS = 3, STATES = 60, N = 80 };

/* ---- Models ---- */

/* What is added to every link frame (frames) and by what lengths are multiplied (units). */
typedef struct description {
  double unit;
  double frame[LINKS][16];
} description;

static UNUSED void identity(double T[16]) {
  memset(T, 0, 16 * sizeof *T);
  for (int k = 0; k < 4; k++) T[5 * k] = 1;
}

static UNUSED description plain(void) {
  description d = {.unit = 1};
  for (int l = 0; l < LINKS; l++) identity(d.frame[l]);
  return d;
}

static UNUSED void multiply(const double *A, const double *B, double *C) {
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) {
      C[4 * i + j] = 0;
      for (int k = 0; k < 4; k++) C[4 * i + j] += A[4 * i + k] * B[4 * k + j];
    }
}

static UNUSED void invert(const double T[16], double out[16]) {
  identity(out);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      out[4 * i + j] = T[4 * j + i];
      out[4 * i + 3] -= T[4 * j + i] * T[4 * j + 3];
    }
}

/* The pseudo-inertia in a frame at F: P' = F^-1 P F^-T. */
static UNUSED void move_inertia(const double p[10], const double F[16], double unit, double out[10]) {
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

static UNUSED void true_inertia(int l, double p[10]) {
  static const double mass[LINKS] = {4, 3, 1.5};
  static const double com[LINKS][3] = {{0.02, -0.03, 0.1}, {0.15, 0.02, -0.01}, {0.05, 0.03, 0.08}};
  static const double I[LINKS][6] = {
      {0.05, 0.04, 0.03, 0.002, 0, 0.001}, {0.02, 0.06, 0.07, 0, 0.003, 0}, {0.01, 0.012, 0.006, 0.001, 0.0005, 0}};
  jn_inertia_pack(mass[l], com[l], I[l], p);
}

/* An arm with three joints about z, y and y (its second rotor turns with a damper), described as d says; wrong: the
 * inertias are off, as in a drawing. */
static UNUSED jn_model *make_arm(const description *d, int wrong) {
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
static UNUSED void make_data(const jn_model *m, uint64_t *s, int count, data *d) {
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

static UNUSED jn_identification *identification_of(const jn_model *m, unsigned columns) {
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

static UNUSED void add(jn_identification *d, const data *x) {
  check_ok(jn_identification_add(d, (size_t)x->count, x->q[0], x->v[0], x->a[0], x->tau[0]));
}

static const jn_estimate *solve(jn_identification *d, double w) {
  const jn_estimate *e;
  check_ok(jn_identification_solve(d, w, 1, &e));
  return e;
}

/* B x of the model that the data come from. */
static UNUSED void true_base(const jn_model *m, unsigned columns, double *b) {
  jn_identification *d = identification_of(m, columns);
  const double *B = jn_identification_base_matrix(d), *x = jn_identification_prior(d);
  int n = jn_identification_count(d);
  for (int i = 0; i < jn_identification_base_count(d); i++) {
    b[i] = 0;
    for (int k = 0; k < n; k++) b[i] += B[i * n + k] * x[k];
  }
  jn_identification_destroy(d);
}

static UNUSED double normal(uint64_t *s) {
  double u = 0.5 * (uniform(s) + 1), v = uniform(s);
  return sqrt(-2 * log(u + 1e-300)) * cos(3.14159265358979323846 * v);
}

#endif
