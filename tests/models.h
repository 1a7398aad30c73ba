/* SPDX-License-Identifier: BSD-2-Clause */
/* Random models: trees of every joint type, with placements, points, inertias, and coupled coordinates. */
#ifndef JN_TESTS_MODELS_H
#define JN_TESTS_MODELS_H

#include "testing.h"

/* The largest |x_i|. */
static UNUSED double norm(const double *x, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

/* The same, but at least 1: what errors are relative to. */
static UNUSED double norm_or_1(const double *x, int n) { return fmax(1, norm(x, n)); }

/* A built-in robot, or one from a file. */
static UNUSED jn_model *model_from(const char *source) {
  jn_model *m;
  jn_error error;
  jn_status status = jn_load(source, NULL, &m, &error);
  check(status == JN_OK, "%s", error.text);
  return m;
}

static UNUSED void release(jn_model *m, jn_work *w) {
  jn_work_destroy(w);
  jn_model_destroy(m);
}

static UNUSED void random_placement(uint64_t *s, double T[16]) {
  double w[3], R[9];
  fill(s, w, 3, 1.7);
  /* built in plain double, whatever row is under test */
  double t = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]), e[3] = {w[0] / t, w[1] / t, w[2] / t};
  double c = cos(t), k = 1 - c, si = sin(t);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) R[3 * i + j] = k * e[i] * e[j] + (i == j ? c : 0);
  R[1] -= si * e[2], R[2] += si * e[1], R[3] += si * e[2], R[5] -= si * e[0], R[6] -= si * e[1], R[7] += si * e[0];
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) T[4 * i + j] = R[3 * i + j];
    T[4 * i + 3] = 0.5 * uniform(s);
    T[12 + i] = 0;
  }
  T[15] = 1;
}

/* A physical inertia: a box of random sides somewhere in the link. */
static UNUSED void random_inertia(uint64_t *s, double P[10]) {
  double m = 1.5 + uniform(s), com[3], a = 0.2 + 0.1 * uniform(s), b = 0.2 + 0.1 * uniform(s),
         c = 0.2 + 0.1 * uniform(s);
  double I[6] = {m * (b * b + c * c) / 12, m * (a * a + c * c) / 12, m * (a * a + b * b) / 12, 1e-4, -1e-4, 5e-5};
  fill(s, com, 3, 0.2);
  jn_inertia_pack(m, com, I, P);
}

/* A joint with random axes, point and pitch. */
static UNUSED void random_joint(uint64_t *s, jn_joint_type type, jn_joint *j) {
  j->type = type;
  fill(s, j->axis, 3, 1);
  fill(s, j->axis2, 3, 1);
  fill(s, j->axis3, 3, 1);
  fill(s, j->point, 3, 0.3);
  j->pitch = 0.2 * uniform(s);
  j->screw_count = 1 + (int)(2.999 * (1 + uniform(s)));
  for (int k = 0; k < 6; k++) {
    fill(s, j->screws[k], 6, 1);
    for (int c = 0; c < 3 && uniform(s) > 0.5; c++) j->screws[k][0] = j->screws[k][1] = j->screws[k][2] = 0;
  }
}

static UNUSED void add_random_link(jn_builder *b, uint64_t *s, const char *name, const char *parent, jn_joint_type type,
                                   const char *mimic) {
  jn_link l;
  jn_link_init(&l);
  l.name = name;
  l.parent = parent;
  random_placement(s, l.placement);
  random_inertia(s, l.inertia);
  random_joint(s, type, &l.joint);
  for (int k = 0; k < 6; k++) l.joint.dof[k].armature = 0.01 * (1 + uniform(s));
  uint64_t own = *s; /* a stream of its own, so that what follows does not depend on springs */
  for (int k = 0; k < 6 && type != JN_SPHERICAL && type != JN_FREE && uniform(&own) > 0; k++) {
    l.joint.dof[k].stiffness = 3 * (1 + uniform(&own));
    l.joint.dof[k].rest = uniform(&own);
  }
  l.joint.mimic = mimic;
  l.joint.mimic_ratio = 1.5 * uniform(s);
  l.joint.mimic_offset = uniform(s);
  check_ok(jn_builder_add_link(b, &l));
}

/* force [nv] += order k of the time derivatives of the forces of springs, and the energy they store: joint by joint,
 * from the description. v: rows of derivatives. */
static UNUSED void add_spring_forces(const jn_model *m, const double *q, const double *v, int k, double *force) {
  for (int l = 0; l < jn_link_count(m); l++) {
    const jn_joint *joint = jn_joint_description(m, l);
    double ratio = 1, offset = 0;
    int count = jn_joint_mimic(m, l, NULL, &ratio, &offset) ? 1 : jn_joint_nv(m, l), iv = jn_joint_v(m, l);
    for (int c = 0; c < count; c++) {
      const jn_dof *dof = &joint->dof[c];
      if (dof->stiffness == 0) continue;
      double x =
          k ? ratio * v[(k - 1) * jn_model_nv(m) + iv + c] : ratio * q[jn_joint_q(m, l) + c] + offset - dof->rest;
      force[iv + c] += ratio * dof->stiffness * x;
    }
  }
}
static UNUSED double spring_energy(const jn_model *m, const double *q) {
  double sum = 0;
  for (int l = 0; l < jn_link_count(m); l++) {
    const jn_joint *joint = jn_joint_description(m, l);
    double ratio = 1, offset = 0;
    int count = jn_joint_mimic(m, l, NULL, &ratio, &offset) ? 1 : jn_joint_nv(m, l);
    for (int c = 0; c < count; c++) {
      double x = ratio * q[jn_joint_q(m, l) + c] + offset - joint->dof[c].rest;
      sum += joint->dof[c].stiffness * x * x / 2;
    }
  }
  return sum;
}

/* A tree of `links` links, joint types drawn at random (each type comes up within any JN_JOINT_TYPES links in a row).
 * In every third tree the joints with one coordinate follow the first of them. */
static UNUSED jn_model *random_tree(uint64_t *s, int links) {
  jn_builder *b;
  jn_model *m;
  jn_error error;
  check_ok(jn_builder_create(NULL, &b));
  int shift = (int)(50 * (1 + uniform(s))), coupled = uniform(s) > 0.33;
  char leader[32] = "";
  for (int i = 0; i < links; i++) {
    char name[32], parent[32];
    jn_joint_type type = (jn_joint_type)((i + shift) % JN_JOINT_TYPES);
    int one = type == JN_REVOLUTE || type == JN_CONTINUOUS || type == JN_PRISMATIC || type == JN_HELICAL;
    int follows = one && coupled && *leader;
    snprintf(name, sizeof name, "link%d", i);
    snprintf(parent, sizeof parent, "link%d", (int)(0.4999 * (1 + uniform(s)) * i));
    add_random_link(b, s, name, i ? parent : NULL, type, follows ? leader : NULL);
    if (one && !*leader) snprintf(leader, sizeof leader, "%s", name);
  }
  jn_status status = jn_builder_freeze(b, &m, &error);
  if (status == JN_ERR_MODEL) { /* random screws may by chance be dependent */
    jn_builder_destroy(b);
    return random_tree(s, links);
  }
  check(status == JN_OK, "%s", error.text);
  jn_builder_destroy(b);
  return m;
}

#endif
