/* SPDX-License-Identifier: BSD-2-Clause */
/* Models and states of the soak: everything follows from (seed, model index). */
#include "soak.h"

enum { LINKS = 48 };

/* Links as they will be given to a builder, so that a model can be built twice: as it is, and a little different. */
typedef struct plan {
  jn_link link[LINKS];
  char name[LINKS][16];
  int count;
} plan;

static int pick(uint64_t *s, int n) {
  int i = (int)(0.5 * (1 + uniform(s)) * n);
  return i < n ? i : n - 1;
}

static jn_link *plan_link(plan *p, uint64_t *s, int parent, jn_joint_type type) {
  int i = p->count++;
  jn_link *l = &p->link[i];
  jn_link_init(l);
  snprintf(p->name[i], sizeof p->name[i], "link%d", i);
  l->name = p->name[i];
  l->parent = parent < 0 ? NULL : p->name[parent];
  random_placement(s, l->placement);
  random_inertia(s, l->inertia);
  random_joint(s, type, &l->joint);
  for (int k = 0; k < 6; k++) {
    jn_dof *f = &l->joint.dof[k];
    f->armature = uniform(s) > 0 ? 0.01 * (1 + uniform(s)) : 0;
    f->damping = 0.5 * (1 + uniform(s));
    f->friction = 0.5 * (1 + uniform(s));
  }
  uint64_t own = *s; /* a stream of its own, so that what follows does not depend on springs */
  for (int k = 0; k < 6 && type != JN_SPHERICAL && type != JN_FREE && uniform(&own) > 0; k++) {
    l->joint.dof[k].stiffness = 3 * (1 + uniform(&own));
    l->joint.dof[k].rest = uniform(&own);
  }
  return l;
}

static int turns_or_slides(jn_joint_type t) {
  return t == JN_REVOLUTE || t == JN_CONTINUOUS || t == JN_PRISMATIC || t == JN_HELICAL;
}

/* A tree of any joints; in every third, joints of one coordinate follow the first of them. */
static void plan_tree(plan *p, uint64_t *s, int links) {
  int shift = pick(s, JN_JOINT_TYPES), coupled = uniform(s) > 0.33, leader = -1;
  for (int i = 0; i < links; i++) {
    jn_joint_type type = (jn_joint_type)((i + shift) % JN_JOINT_TYPES);
    jn_link *l = plan_link(p, s, i ? pick(s, i) : -1, type);
    if (!turns_or_slides(type)) continue;
    if (leader < 0) leader = i;
    if (!coupled || leader == i) continue;
    l->joint.mimic = p->name[leader];
    l->joint.mimic_ratio = 1.5 * uniform(s);
    l->joint.mimic_offset = uniform(s);
  }
}

/* An arm: joints of one coordinate in a row, parallel axes now and then. */
static void plan_arm(plan *p, uint64_t *s, int links) {
  for (int i = 0; i < links; i++) {
    jn_link *l = plan_link(p, s, i - 1, uniform(s) > 0.6 ? JN_PRISMATIC : JN_REVOLUTE);
    if (uniform(s) > 0) continue;
    l->joint.axis[0] = l->joint.axis[1] = l->joint.point[0] = l->joint.point[1] = 0;
    l->joint.axis[2] = 1;
  }
}

/* A body that floats, or turns about a ball joint, with legs. */
static void plan_walker(plan *p, uint64_t *s, int legs, int each) {
  plan_link(p, s, -1, uniform(s) > -0.5 ? JN_FREE : JN_SPHERICAL);
  for (int k = 0; k < legs; k++)
    for (int i = 0; i < each; i++) plan_link(p, s, i ? p->count - 1 : 0, JN_REVOLUTE);
}

static jn_model *build(const plan *p, jn_error *error) {
  jn_builder *b;
  jn_model *m;
  check_ok(jn_builder_create(NULL, &b));
  for (int i = 0; i < p->count; i++) check_ok(jn_builder_add_link(b, &p->link[i]));
  if (jn_builder_freeze(b, &m, error) != JN_OK) m = NULL;
  jn_builder_destroy(b);
  return m;
}

/* Every number of the description changed by about NEAR of itself. */
static void wobble(plan *p, uint64_t *s) {
  for (int i = 0; i < p->count; i++) {
    jn_link *l = &p->link[i];
    jn_joint *j = &l->joint;
    double turn[6], step[16], T[16];
    fill(s, turn, 6, NEAR);
    check_ok(jn_se3_exp(turn, step));
    memcpy(T, l->placement, sizeof T);
    mat_product(T, step, l->placement);
    for (int k = 0; k < 10; k++) l->inertia[k] *= 1 + NEAR * uniform(s);
    for (int k = 0; k < 3; k++) {
      j->axis[k] += NEAR * uniform(s), j->axis2[k] += NEAR * uniform(s), j->axis3[k] += NEAR * uniform(s);
      j->point[k] += NEAR * uniform(s);
    }
    j->pitch *= 1 + NEAR * uniform(s);
    for (int k = 0; k < 36; k++) j->screws[k / 6][k % 6] *= 1 + NEAR * uniform(s);
    for (int k = 0; k < 6; k++) j->dof[k].armature *= 1 + NEAR * uniform(s);
    j->mimic_ratio *= 1 + NEAR * uniform(s);
    j->mimic_offset *= 1 + NEAR * uniform(s);
  }
}

void mat_product(const double A[16], const double B[16], double C[16]) {
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) {
      C[4 * i + j] = 0;
      for (int k = 0; k < 4; k++) C[4 * i + j] += A[4 * i + k] * B[4 * k + j];
    }
}

jn_model *random_plain_tree(uint64_t *s, int links) {
  static plan p;
  jn_error error;
  for (;;) {
    p.count = 0;
    plan_tree(&p, s, links);
    for (int i = 0; i < p.count; i++)
      for (int k = 0; k < 6; k++) p.link[i].joint.dof[k].armature = p.link[i].joint.dof[k].stiffness = 0;
    jn_model *m = build(&p, &error);
    if (m) return m; /* screws may by chance be dependent */
  }
}

static void make_models(sample *x, uint64_t *s, int small) {
  static plan p;
  jn_error error;
  int kind = pick(s, 16);
  for (;;) {
    p.count = 0;
    if (kind < 8) {
      x->shape = "tree";
      plan_tree(&p, s, 1 + pick(s, small ? 6 : 9));
    } else if (kind < 11) {
      x->shape = "arm";
      plan_arm(&p, s, 1 + pick(s, small ? 8 : 14));
    } else if (kind < 14 || small) {
      x->shape = "walker";
      plan_walker(&p, s, 1 + pick(s, 4), 1 + pick(s, 3));
    } else if (kind < 15 || x->index % 4) {
      x->shape = "all joint types";
      plan_tree(&p, s, JN_JOINT_TYPES);
    } else {
      x->shape = "long arm"; /* kernels take another way beyond 40 joints */
      plan_arm(&p, s, 40 + pick(s, 4));
    }
    x->m = build(&p, &error);
    if (x->m && jn_model_nv(x->m) > 0) break;
    jn_model_destroy(x->m); /* screws dependent by chance, or nothing moves */
  }
  wobble(&p, s);
  x->near = build(&p, &error);
  check(x->near, "%s", error.text);
}

static void choose_dims(sample *x, uint64_t *s) {
  dims *d = &x->d;
  *d = (dims){.nq = jn_model_nq(x->m), .nv = jn_model_nv(x->m), .nlink = jn_link_count(x->m)};
  d->nframe = jn_frame_count(x->m);
  d->order = pick(s, 4);
  d->frame = pick(s, d->nframe);
  d->link = pick(s, d->nlink);
  d->in = (jn_representation)pick(s, 3);
  d->about = (jn_about)pick(s, 2);
  d->com_link = pick(s, d->nlink + 1) - 1;
  if (d->com_link >= 0 && jn_link_is_fixed(x->m, d->com_link)) d->com_link = JN_WORLD;
  do d->joint = pick(s, d->nlink);
  while (jn_joint_nv(x->m, d->joint) == 0 && !jn_joint_mimic(x->m, d->joint, NULL, NULL, NULL));
  d->joint_nv = jn_joint_mimic(x->m, d->joint, NULL, NULL, NULL) ? 1 : jn_joint_nv(x->m, d->joint);
  for (int k = 0; k < d->nv; k++) d->prescribed[k] = uniform(s) > 0;
}

static void make_state(sample *x, uint64_t *s, int k) {
  const dims *d = &x->d;
  double *at[INPUTS];
  for (int i = 0; i < INPUTS; i++) at[i] = x->in[i] + (size_t)k * input_size(d, i);
  double speed = pow(10, 1.5 * uniform(s) - 0.5), load = pow(10, 1 + uniform(s));
  int nv = d->nv, wide = 6 * d->nlink;
  check_ok(jn_random(x->m, s, at[IN_q]));
  check_ok(jn_random(x->m, s, at[IN_p]));
  if (k % 6 == 5) check_ok(jn_neutral(x->m, at[IN_q]));
  memcpy(at[IN_loose], at[IN_q], (size_t)d->nq * sizeof(double));
  for (int l = 0; l < d->nlink; l++) { /* quaternions of another length */
    int group = jn_joint_nq(x->m, l) != jn_joint_nv(x->m, l), first = jn_joint_q(x->m, l) + jn_joint_nq(x->m, l) - 4;
    for (int c = 0; group && c < 4; c++) at[IN_loose][first + c] *= 1.25;
  }
  double rate = speed;
  for (int r = 0; r < d->order + 2; r++, rate *= speed) fill(s, at[IN_v_jet] + r * nv, nv, rate);
  fill(s, at[IN_tau_jet], (d->order + 1) * nv, load);
  fill(s, at[IN_wrench_jet], (d->order + 1) * wide, 0.3 * load);
  memcpy(at[IN_v], at[IN_v_jet], (size_t)nv * sizeof(double));
  memcpy(at[IN_a], at[IN_v_jet] + nv, (size_t)nv * sizeof(double));
  memcpy(at[IN_tau], at[IN_tau_jet], (size_t)nv * sizeof(double));
  memcpy(at[IN_wrench], at[IN_wrench_jet], (size_t)wide * sizeof(double));
  const int other[] = {IN_y, IN_v_r, IN_a_r, IN_dq, IN_dv, IN_da, IN_dtau};
  for (size_t i = 0; i < sizeof other / sizeof *other; i++) fill(s, at[other[i]], nv, 1);
}

void sample_create(sample *x, uint64_t seed, long index, int small) {
  uint64_t s = seed * 0x2545f4914f6cdd1du + (uint64_t)index * 0x9e3779b97f4a7c15u;
  for (int i = 0; i < 4; i++) uniform(&s);
  *x = (sample){.seed = seed, .index = index};
  make_models(x, &s, small);
  choose_dims(x, &s);
  x->count = jn_model_nv(x->m) >= 24 ? 1 + pick(&s, 2) : 1 + pick(&s, small ? 5 : 9);
  for (int i = 0; i < INPUTS; i++) {
    x->in[i] = calloc((size_t)x->count * input_size(&x->d, i) + 1, sizeof(double));
    check(x->in[i], "memory");
  }
  for (int k = 0; k < x->count; k++) make_state(x, &s, k);
  x->pi = calloc((size_t)jn_parameter_count(x->m), sizeof(double));
  for (int l = 0; l < x->d.nlink; l++) random_inertia(&s, x->pi + 10 * l);
  check_ok(jn_model_with_parameters(x->m, x->pi, &x->other));
}

void sample_destroy(sample *x) {
  for (int i = 0; i < INPUTS; i++) free(x->in[i]);
  free(x->pi);
  jn_model_destroy(x->m);
  jn_model_destroy(x->near);
  jn_model_destroy(x->other);
}
