/* SPDX-License-Identifier: BSD-2-Clause */
/* Public functions of jounce/configuration.h that compute. */
#include "../model/model.h"
#include "public.h"

jn_status PUBLIC(integrate)(const jn_model *model, jn_work *work, const number *q, const number *v, number *out) {
  if (!model || !work || !q || !v || !out) return JN_ERR_NULL;
  jn_run run;
  jn__run_init(&run, JN_KERNEL_integrate, NUMBER_KIND, model, work);
  run.call.integrate = (jn_integrate_arguments){.q = q, .v = v, .q_out = out};
  return jn__run(&run);
}

jn_status PUBLIC(difference)(const jn_model *model, jn_work *work, const number *q0, const number *q1, number *v) {
  if (!model || !work || !q0 || !q1 || !v) return JN_ERR_NULL;
  jn_run run;
  jn__run_init(&run, JN_KERNEL_difference, NUMBER_KIND, model, work);
  run.call.difference = (jn_difference_arguments){.q0 = q0, .q1 = q1, .v = v};
  return jn__run(&run);
}

jn_status PUBLIC(integrate_derivatives)(const jn_model *model, jn_work *work, const number *q, const number *v,
                                        number *dout_dq, number *dout_dv) {
  if (!model || !work || !q || !v) return JN_ERR_NULL;
  jn_run run;
  jn__run_init(&run, JN_KERNEL_derivatives_plus, NUMBER_KIND, model, work);
  run.call.derivatives_plus = (jn_derivatives_plus_arguments){.q = q, .v = v, .dout_dq = dout_dq, .dout_dv = dout_dv};
  return jn__run(&run);
}

jn_status PUBLIC(difference_derivatives)(const jn_model *model, jn_work *work, const number *q0, const number *q1,
                                         number *dv_dq0, number *dv_dq1) {
  if (!model || !work || !q0 || !q1) return JN_ERR_NULL;
  jn_run run;
  jn__run_init(&run, JN_KERNEL_derivatives_minus, NUMBER_KIND, model, work);
  run.call.derivatives_minus = (jn_derivatives_minus_arguments){.q0 = q0, .q1 = q1, .dv_dq0 = dv_dq0, .dv_dq1 = dv_dq1};
  return jn__run(&run);
}

jn_status PUBLIC(interpolate)(const jn_model *model, jn_work *work, const number *q0, const number *q1, number s,
                              number *out) {
  if (!model || !work || !q0 || !q1 || !out) return JN_ERR_NULL;
  jn_run run;
  jn__run_init(&run, JN_KERNEL_interpolate, NUMBER_KIND, model, work);
  run.call.interpolate = (jn_interpolate_arguments){.q0 = q0, .q1 = q1, .s = &s, .q_out = out};
  return jn__run(&run);
}

jn_status PUBLIC(normalize)(const jn_model *model, jn_work *work, const number *q, number *out) {
  if (!model || !work || !q || !out) return JN_ERR_NULL;
  jn_run run;
  jn__run_init(&run, JN_KERNEL_normalize, NUMBER_KIND, model, work);
  run.call.normalize = (jn_normalize_arguments){.q = q, .q_out = out};
  return jn__run(&run);
}

jn_status PUBLIC(joint_pose)(const jn_model *model, jn_work *work, int joint, const number *q, number *T) {
  if (!model || !work || !q || !T) return JN_ERR_NULL;
  if (joint < 0 || joint >= model->nlink) return JN_ERR_INDEX;
  jn_run run;
  jn__run_init(&run, JN_KERNEL_joint_pose, NUMBER_KIND, model, work);
  run.call.joint_pose = (jn_joint_pose_arguments){.q = q, .T = T, .joint = joint};
  return jn__run(&run);
}

jn_status PUBLIC(joint_jacobian)(const jn_model *model, jn_work *work, int joint, const number *q, number *S) {
  if (!model || !work || !q || !S) return JN_ERR_NULL;
  if (joint < 0 || joint >= model->nlink) return JN_ERR_INDEX;
  jn_run run;
  jn__run_init(&run, JN_KERNEL_joint_jacobian, NUMBER_KIND, model, work);
  run.call.joint_jacobian = (jn_joint_jacobian_arguments){.q = q, .S = S, .joint = joint};
  return jn__run(&run);
}

jn_status PUBLIC(joint_jacobian_rate)(const jn_model *model, jn_work *work, int joint, const number *q, const number *v,
                                      number *Sdot) {
  if (!model || !work || !q || !v || !Sdot) return JN_ERR_NULL;
  if (joint < 0 || joint >= model->nlink) return JN_ERR_INDEX;
  jn_run run;
  jn__run_init(&run, JN_KERNEL_joint_jacobian_rate, NUMBER_KIND, model, work);
  run.call.joint_jacobian_rate = (jn_joint_jacobian_rate_arguments){.q = q, .v = v, .Sdot = Sdot, .joint = joint};
  return jn__run(&run);
}

jn_status PUBLIC(neutral)(const jn_model *model, number *q) {
  if (!model || !q) return JN_ERR_NULL;
  const jn_tree_d *t = model->tree[JN_KIND_D];
  for (int i = 0; i < model->nq; i++) q[i] = 0;
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

jn_status PUBLIC(random)(const jn_model *model, uint64_t *state, number *q) {
  if (!model || !state || !q) return JN_ERR_NULL;
  const jn_tree_d *t = model->tree[JN_KIND_D];
  for (int i = 0; i < t->nb; i++) {
    const jn_body_d *b = &t->body[i];
    const jn_joint *j = &model->link[b->link].joint;
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
