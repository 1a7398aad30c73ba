/* SPDX-License-Identifier: BSD-2-Clause */
/* One joint as the user sees it: from internal frames to the link's frame. arg[0] is the link. */
#include "joint.h"

#include "row.h"

/* The link's frame in the internal frame of the joint's body. */
static inline pose link_in_body(const JN_S(tree) * t, int link) {
  return se3_constant(t->frame[link].R, t->frame[link].p);
}

void JN_(joint_pose)(const jn_call *c) {
  const JN_S(tree) *t = c->tree;
  const JN_S(frame) *at = &t->placement[c->arg[0]];
  pose T = se3_constant(at->R, at->p);
  if (at->body >= 0) { /* J = L J_internal L^-1, with L^-1 the link in the body */
    pose inner = link_in_body(t, c->arg[0]);
    pose J = joint_motion(t, &t->body[at->body], c->in[0]);
    T = se3_mul(T, se3_between(inner, se3_mul(J, inner)));
  }
  se3_store(T, c->out[0]);
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
