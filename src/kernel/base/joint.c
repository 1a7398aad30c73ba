/* SPDX-License-Identifier: BSD-2-Clause */
/* One joint as the user sees it, in the frame of its link: pose of the link in its parent link, Jacobian and its rate.
 * arg[0]: link. in: q, v. out: pose [16], or a matrix [6 x nv of the joint], without columns if it is fixed. */
#include "../../tree/joint.h"

#include "variant.h"

/* Pose of the link in its parent link. */
void JN_(joint_pose)(const jn_call *call) { se3_store(link_pose(call->tree, call->arg[0], call->in[0]), call->out[0]); }

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
  const JN_S(tree) *tree = call->tree;
  int body = tree->placement[call->arg[0]].body;
  twist S[6];
  if (body < 0) return;
  joint_screws(tree, &tree->body[body], call->in[0], NULL, S, NULL);
  store_columns(tree, call->arg[0], tree->body[body].nv, S, call->out[0]);
}

/* dS/dt. */
void JN_(joint_jacobian_rate)(const jn_call *call) {
  const JN_S(tree) *tree = call->tree;
  int body = tree->placement[call->arg[0]].body;
  twist S[6], rate[6];
  if (body < 0) return;
  joint_screws(tree, &tree->body[body], call->in[0], call->in[1], S, rate);
  store_columns(tree, call->arg[0], tree->body[body].nv, rate, call->out[0]);
}
