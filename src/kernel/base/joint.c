/* SPDX-License-Identifier: BSD-2-Clause */
/* One joint as the user sees it: from internal frames to the link's frame. arg[0] is the link. */
#include "../../tree/joint.h"

#include "variant.h"

void JN_(joint_pose)(const jn_call *c) { se3_store(link_pose(c->tree, c->arg[0], c->in[0]), c->out[0]); }

static inline void store_columns(const JN_S(tree) * t, int link, int n, const twist *S, real *out) {
  pose inner = link_in_body(t, link);
  for (int k = 0; k < n; k++) {
    real column[6];
    t_store(t_Ad_inverse(inner, S[k]), column);
    for (int r = 0; r < 6; r++) out[r * n + k] = column[r];
  }
}

void JN_(joint_jacobian)(const jn_call *c) {
  const JN_S(tree) *t = c->tree;
  int body = t->placement[c->arg[0]].body;
  twist S[6];
  if (body < 0) return;
  joint_screws(t, &t->body[body], c->in[0], NULL, S, NULL);
  store_columns(t, c->arg[0], t->body[body].nv, S, c->out[0]);
}

void JN_(joint_jacobian_rate)(const jn_call *c) {
  const JN_S(tree) *t = c->tree;
  int body = t->placement[c->arg[0]].body;
  twist S[6], rate[6];
  if (body < 0) return;
  joint_screws(t, &t->body[body], c->in[0], c->in[1], S, rate);
  store_columns(t, c->arg[0], t->body[body].nv, rate, c->out[0]);
}
