/* SPDX-License-Identifier: BSD-2-Clause */
/* One joint as the user sees it: from internal frames to the link's frame. arg[0] is the link. */
#include "../../tree/joint.h"

#include "variant.h"

void JN_(joint_pose)(const jn_call *call) { se3_store(link_pose(call->tree, call->arg[0], call->in[0]), call->out[0]); }

static inline void store_columns(const JN_S(tree) * tree, int link, int n, const twist *S, real *out) {
  pose inner = link_in_body(tree, link);
  for (int k = 0; k < n; k++) {
    real column[6];
    t_store(t_Ad_inverse(inner, S[k]), column);
    for (int r = 0; r < 6; r++) out[r * n + k] = column[r];
  }
}

void JN_(joint_jacobian)(const jn_call *call) {
  const JN_S(tree) *tree = call->tree;
  int body = tree->placement[call->arg[0]].body;
  twist S[6];
  if (body < 0) return;
  joint_screws(tree, &tree->body[body], call->in[0], NULL, S, NULL);
  store_columns(tree, call->arg[0], tree->body[body].nv, S, call->out[0]);
}

void JN_(joint_jacobian_rate)(const jn_call *call) {
  const JN_S(tree) *tree = call->tree;
  int body = tree->placement[call->arg[0]].body;
  twist S[6], rate[6];
  if (body < 0) return;
  joint_screws(tree, &tree->body[body], call->in[0], call->in[1], S, rate);
  store_columns(tree, call->arg[0], tree->body[body].nv, rate, call->out[0]);
}
