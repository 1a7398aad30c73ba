/* SPDX-License-Identifier: BSD-2-Clause */
/* One joint as the user sees it: from internal frames to the link's frame.. */
#include "../../tree/joint.h"

#include "variant.h"

void JN_(joint_pose)(const jn_call *c) {
  const jn_joint_pose_arguments *args = &c->joint_pose;
  se3_store(link_pose(c->tree, args->joint, args->q), args->T);
}

static inline void store_columns(const JN_S(tree) * t, int link, int n, const twist *S, real *out) {
  pose inner = link_in_body(t, link);
  for (int k = 0; k < n; k++) {
    real column[6];
    t_store(t_Ad_inverse(inner, S[k]), column);
    for (int r = 0; r < 6; r++) out[r * n + k] = column[r];
  }
}

void JN_(joint_jacobian)(const jn_call *c) {
  const jn_joint_jacobian_arguments *args = &c->joint_jacobian;
  const JN_S(tree) *t = c->tree;
  int body = t->placement[args->joint].body;
  twist S[6];
  if (body < 0) return;
  joint_screws(t, &t->body[body], args->q, NULL, S, NULL);
  store_columns(t, args->joint, t->body[body].nv, S, args->S);
}

void JN_(joint_jacobian_rate)(const jn_call *c) {
  const jn_joint_jacobian_rate_arguments *args = &c->joint_jacobian_rate;
  const JN_S(tree) *t = c->tree;
  int body = t->placement[args->joint].body;
  twist S[6], rate[6];
  if (body < 0) return;
  joint_screws(t, &t->body[body], args->q, args->v, S, rate);
  store_columns(t, args->joint, t->body[body].nv, rate, args->Sdot);
}
