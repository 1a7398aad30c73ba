/* SPDX-License-Identifier: BSD-2-Clause */
/* Public functions of jounce/configuration.h that compute. */
#include "../model/model.h"
#include "public.h"

static jn_run start(int kernel, const jn_model *m, jn_work *w) {
  jn_run r;
  jn__run_init(&r, kernel, NUMBER_KIND, m, w);
  return r;
}

static void input(jn_run *r, const number *data, int n) { jn__run_input(r, r->inputs, data, (size_t)n); }

static jn_status finish(jn_run *r, number *out, int n) {
  jn__run_output(r, 0, out, (size_t)n);
  return jn__run(r);
}

jn_status PUBLIC(integrate)(const jn_model *m, jn_work *w, const number *q, const number *v, number *out) {
  if (!m || !w || !q || !v || !out) return JN_ERR_NULL;
  jn_run r = start(JN_KERNEL_integrate, m, w);
  input(&r, q, m->nq);
  input(&r, v, m->nv);
  return finish(&r, out, m->nq);
}

jn_status PUBLIC(difference)(const jn_model *m, jn_work *w, const number *q0, const number *q1, number *v) {
  if (!m || !w || !q0 || !q1 || !v) return JN_ERR_NULL;
  jn_run r = start(JN_KERNEL_difference, m, w);
  input(&r, q0, m->nq);
  input(&r, q1, m->nq);
  return finish(&r, v, m->nv);
}

static jn_status two_matrices(jn_run *r, number *first, number *second) {
  size_t n = (size_t)r->model->nv;
  jn__run_output(r, 0, first, n * n);
  jn__run_output(r, 1, second, n * n);
  return jn__run(r);
}

jn_status PUBLIC(integrate_derivatives)(const jn_model *m, jn_work *w, const number *q, const number *v,
                                        number *dout_dq, number *dout_dv) {
  if (!m || !w || !q || !v) return JN_ERR_NULL;
  jn_run r = start(JN_KERNEL_derivatives_plus, m, w);
  input(&r, q, m->nq);
  input(&r, v, m->nv);
  return two_matrices(&r, dout_dq, dout_dv);
}

jn_status PUBLIC(difference_derivatives)(const jn_model *m, jn_work *w, const number *q0, const number *q1,
                                         number *dv_dq0, number *dv_dq1) {
  if (!m || !w || !q0 || !q1) return JN_ERR_NULL;
  jn_run r = start(JN_KERNEL_derivatives_minus, m, w);
  input(&r, q0, m->nq);
  input(&r, q1, m->nq);
  return two_matrices(&r, dv_dq0, dv_dq1);
}

jn_status PUBLIC(interpolate)(const jn_model *m, jn_work *w, const number *q0, const number *q1, number s,
                              number *out) {
  if (!m || !w || !q0 || !q1 || !out) return JN_ERR_NULL;
  jn_run r = start(JN_KERNEL_interpolate, m, w);
  input(&r, q0, m->nq);
  input(&r, q1, m->nq);
  input(&r, &s, 1);
  r.in[2].stride = 0; /* the same for all states */
  return finish(&r, out, m->nq);
}

jn_status PUBLIC(normalize)(const jn_model *m, jn_work *w, const number *q, number *out) {
  if (!m || !w || !q || !out) return JN_ERR_NULL;
  jn_run r = start(JN_KERNEL_normalize, m, w);
  input(&r, q, m->nq);
  return finish(&r, out, m->nq);
}

static int coordinates(const jn_model *m, int joint) {
  int body = m->link[joint].joint_body;
  return body < 0 ? 0 : ((const jn_tree_d *)m->tree[JN_KIND_D])->body[body].nv;
}

jn_status PUBLIC(joint_pose)(const jn_model *m, jn_work *w, int joint, const number *q, number *T) {
  if (!m || !w || !q || !T) return JN_ERR_NULL;
  if (joint < 0 || joint >= m->nlink) return JN_ERR_INDEX;
  jn_run r = start(JN_KERNEL_joint_pose, m, w);
  r.arg[0] = joint;
  input(&r, q, m->nq);
  return finish(&r, T, 16);
}

jn_status PUBLIC(joint_jacobian)(const jn_model *m, jn_work *w, int joint, const number *q, number *S) {
  if (!m || !w || !q || !S) return JN_ERR_NULL;
  if (joint < 0 || joint >= m->nlink) return JN_ERR_INDEX;
  jn_run r = start(JN_KERNEL_joint_jacobian, m, w);
  r.arg[0] = joint;
  input(&r, q, m->nq);
  return finish(&r, S, 6 * coordinates(m, joint));
}

jn_status PUBLIC(joint_jacobian_rate)(const jn_model *m, jn_work *w, int joint, const number *q, const number *v,
                                      number *Sdot) {
  if (!m || !w || !q || !v || !Sdot) return JN_ERR_NULL;
  if (joint < 0 || joint >= m->nlink) return JN_ERR_INDEX;
  jn_run r = start(JN_KERNEL_joint_jacobian_rate, m, w);
  r.arg[0] = joint;
  input(&r, q, m->nq);
  input(&r, v, m->nv);
  return finish(&r, Sdot, 6 * coordinates(m, joint));
}

jn_status PUBLIC(neutral)(const jn_model *m, number *q) {
  if (!m || !q) return JN_ERR_NULL;
  const jn_tree_d *t = m->tree[JN_KIND_D];
  for (int i = 0; i < m->nq; i++) q[i] = 0;
  for (int i = 0; i < t->nb; i++)
    if (t->body[i].kind == JN_BODY_SPHERICAL || t->body[i].kind == JN_BODY_FREE)
      q[t->body[i].iq + t->body[i].nq - 1] = 1;
  return JN_OK;
}

/* splitmix64: one 64-bit state, any seed. Returns a number in [0, 1). */
static double uniform(uint64_t *state) {
  uint64_t x = *state += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return (double)((x ^ (x >> 31)) >> 11) * 0x1p-53;
}

static number within(uint64_t *state, double low, double high) {
  double u = uniform(state);
  return (number)(low * (1 - u) + high * u); /* high - low may overflow */
}

/* A uniformly distributed unit quaternion, from two uniform points in discs (Marsaglia). */
static void random_rotation(uint64_t *state, number q[4]) {
  double x[4], s[2];
  for (int k = 0; k < 2; k++) do {
      x[2 * k] = 2 * uniform(state) - 1;
      x[2 * k + 1] = 2 * uniform(state) - 1;
      s[k] = x[2 * k] * x[2 * k] + x[2 * k + 1] * x[2 * k + 1];
    } while (s[k] >= 1 || (k == 1 && s[k] < 1e-9));
  double scale = sqrt((1 - s[0]) / s[1]);
  q[0] = (number)x[0];
  q[1] = (number)x[1];
  q[2] = (number)(x[2] * scale);
  q[3] = (number)(x[3] * scale);
}

/* 1 when coordinate k of a joint is a length. */
static int is_length(const jn_joint *j, int k) {
  if (j->type == JN_GENERAL) return j->screws[k][0] == 0 && j->screws[k][1] == 0 && j->screws[k][2] == 0;
  return j->type == JN_PRISMATIC || (j->type == JN_CYLINDRICAL && k == 1) || (j->type == JN_PLANAR && k < 2);
}

jn_status PUBLIC(random)(const jn_model *m, uint64_t *state, number *q) {
  if (!m || !state || !q) return JN_ERR_NULL;
  const jn_tree_d *t = m->tree[JN_KIND_D];
  for (int i = 0; i < t->nb; i++) {
    const jn_body_d *b = &t->body[i];
    const jn_joint *j = &m->link[b->link].joint;
    if (!b->owner) continue;
    if (b->kind == JN_BODY_SPHERICAL || b->kind == JN_BODY_FREE) {
      for (int k = 0; k < b->nq - 4; k++) q[b->iq + k] = within(state, -1, 1);
      random_rotation(state, q + b->iq + b->nq - 4);
      continue;
    }
    for (int k = 0; k < b->nv; k++) {
      double range = is_length(j, k) ? 1 : 3.141592653589793, low = -range, high = range;
      int limited = j->type != JN_CONTINUOUS && j->dof[k].lower <= j->dof[k].upper;
      if (limited && isfinite(j->dof[k].lower)) low = j->dof[k].lower;
      if (limited && isfinite(j->dof[k].upper)) high = j->dof[k].upper;
      if (low > high) low = high = isfinite(j->dof[k].lower) ? j->dof[k].lower : j->dof[k].upper; /* one-sided */
      q[b->iq + k] = within(state, low, high);
    }
  }
  return JN_OK;
}
