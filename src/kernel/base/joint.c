/* SPDX-License-Identifier: BSD-2-Clause */
/* One joint as the user sees it, in the frame of its link: pose of the link in its parent link, Jacobian and its rate.
 * joint: index of the link. in: q, v. out: pose [16], or a matrix [6 x nv of the joint], without columns if it is
 * fixed. */
#include "../../tree/joint.h"

#include "variant.h"

/* Pose of the link in its parent link. */
void JN_(joint_pose)(const jn_call *call) {
  const jn_joint_pose_arguments *args = &call->joint_pose;
  se3_store(link_pose(call->tree, args->joint, args->q), args->T);
}

/* The columns S [n] of the internal frame, in the frame of the link. */
static inline void store_columns(const JN_S(tree) * tree, int link, int n, const twist *S, real *out) {
  pose inner = link_in_body(tree, link);
  for (int k = 0; k < n; k++) {
    real column[6];
    t_store(t_Ad_inverse(inner, S[k]), column);
    for (int r = 0; r < 6; r++) out[r * n + k] = column[r];
  }
}

/* S: the twist of the link relative to its parent is S v. */
void JN_(joint_jacobian)(const jn_call *call) {
  const jn_joint_jacobian_arguments *args = &call->joint_jacobian;
  const JN_S(tree) *tree = call->tree;
  int body = tree->placement[args->joint].body;
  twist S[6];
  if (body < 0) return;
  joint_screws(tree, &tree->body[body], args->q, NULL, S, NULL);
  store_columns(tree, args->joint, tree->body[body].nv, S, args->S);
}

/* dS/dt. */
void JN_(joint_jacobian_rate)(const jn_call *call) {
  const jn_joint_jacobian_rate_arguments *args = &call->joint_jacobian_rate;
  const JN_S(tree) *tree = call->tree;
  int body = tree->placement[args->joint].body;
  twist S[6], rate[6];
  if (body < 0) return;
  joint_screws(tree, &tree->body[body], args->q, args->v, S, rate);
  store_columns(tree, args->joint, tree->body[body].nv, rate, args->Sdot);
}
