/* SPDX-License-Identifier: BSD-2-Clause */
/* The joints of the frozen tree, in internal frames. Code branches on the model only.
 *
 *   J(q)     motion of the joint: pose of the body relative to its placement
 *   S        screws: S v = J^-1 dJ/dt, in the body's frame; they include the coupling ratios
 *   dS/dt    their rates
 *
 *   kind                          J(q), x = ratio q + offset               S
 *   revolute, prismatic, helical  rotation, translation along z, or both   (z, 0), (0, z), (z, pitch z), times the
 * ratio spherical                     rotation by a quaternion                 angular unit vectors free position and
 * quaternion                  angular, then linear unit vectors general                       exp(X_1 q_1) ... exp(X_N
 * q_N)            S_k = Ad_((exp_(k+1) ... exp_N)^-1) X_k [mueller2021 for the exponentials] */
#ifndef JN_TREE_JOINT_H
#define JN_TREE_JOINT_H

#include "../lie/motion.h"
#include "../lie/trig.h"
#include "tree.h"

/* Joints whose velocity is not the rate of their coordinates (spherical, free): their screws are constant in the body
 * and act together. */
static inline int is_group(const JN_S(body) * body) {
  return body->kind == JN_BODY_SPHERICAL || body->kind == JN_BODY_FREE;
}

/* x = ratio q + offset. */
static inline real joint_position(const JN_S(body) * body, const real *q) {
  return splat(body->ratio) * q[body->iq] + splat(body->offset);
}

/* exp(X theta) of a unit screw X = (e, eta), theta = scale q: p = (E - R)(e x eta) + e (e.eta) theta. [mueller2021] */
static inline pose screw_motion(const JN_S(screw) * s, real q) {
  vec3 w = v3_constant(s->X), v = v3_constant(s->X + 3);
  real theta = splat(s->scale) * q;
  if (s->prismatic) return (pose){m3_identity(), v3_scale(theta, v)};
  mat3 W = skew(w);
  real half = r_sin(K(0.5) * theta);
  mat3 R = m3_axpy(K(2) * half * half, m3_prod(W, W), m3_axpy(r_sin(theta), W, m3_identity()));
  vec3 c = cross(w, v);
  return (pose){R, v3_axpy(dot(w, v) * theta, w, v3_sub(c, m3_mul(R, c)))};
}

/* J(q) of a body's joint. */
static inline pose joint_motion(const JN_S(tree) * tree, const JN_S(body) * body, const real *q) {
  switch (body->kind) {
    case JN_BODY_REVOLUTE:
    case JN_BODY_HELICAL: {
      real x = joint_position(body, q), c = r_cos(x), s = r_sin(x);
      return (pose){{v3(c, s, ZERO), v3(-s, c, ZERO), v3(ZERO, ZERO, K(1))}, v3(ZERO, ZERO, splat(body->pitch) * x)};
    }
    case JN_BODY_PRISMATIC:
      return (pose){m3_identity(), v3(ZERO, ZERO, joint_position(body, q))};
    case JN_BODY_SPHERICAL:
      return (pose){q_rotation(q_load(q + body->iq)), v3_zero()};
    case JN_BODY_FREE:
      return (pose){q_rotation(q_load(q + body->iq + 3)), v3_load(q + body->iq)};
    default: {
      pose T = screw_motion(&tree->screw[body->screw], q[body->iq]);
      for (int k = 1; k < body->nv; k++) T = se3_mul(T, screw_motion(&tree->screw[body->screw + k], q[body->iq + k]));
      return T;
    }
  }
}

/* Pose of a body in its parent body: placement * J(q). c, s: cosine and sine of its angle, if it rotates about z. */
static inline pose body_pose(const JN_S(tree) * tree, const JN_S(body) * body, const real *q, real c, real s) {
  pose B = se3_constant(body->R, body->p);

  /* Axes; their rates are zero in the body's frame. */
  switch (body->kind) {
    case JN_BODY_PRISMATIC:
      return (pose){B.R, v3_axpy(joint_position(body, q), B.R.z, B.p)};
    case JN_BODY_HELICAL:
      B.p = v3_axpy(splat(body->pitch) * joint_position(body, q), B.R.z, B.p); /* fall through */
    case JN_BODY_REVOLUTE:
      return (pose){{v3_axpy(s, B.R.y, v3_scale(c, B.R.x)), v3_axpy(-s, B.R.x, v3_scale(c, B.R.y)), B.R.z}, B.p};
    default:
      return se3_mul(B, joint_motion(tree, body, q));
  }
}

/* Screws of a general joint, from the last to the first: S_k = Ad_((exp_(k+1) ... exp_N)^-1) X_k, and
 * dS_k/dt = -ad_(sum over l > k of S_l v_l) S_k. rate may be NULL. */
static inline void general_screws(const JN_S(tree) * tree, const JN_S(body) * body, const real *q, const real *v,
                                  twist *S, twist *rate) {
  pose tail = se3_identity();
  twist V = t_zero();
  for (int k = body->nv - 1; k >= 0; k--) {
    const JN_S(screw) *s = &tree->screw[body->screw + k];
    twist X = t_scale(splat(s->scale), (twist){v3_constant(s->X), v3_constant(s->X + 3)});
    S[k] = t_Ad_inverse(tail, X);
    if (rate) {
      rate[k] = t_scale(K(-1), t_ad(V, S[k]));
      V = t_axpy(v[body->iv + k], S[k], V);
    }
    if (k > 0) tail = se3_mul(screw_motion(s, q[body->iq + k]), tail);
  }
}

/* The nv columns of S, and of dS/dt if rate is not NULL (v is used only then). */
static inline void joint_screws(const JN_S(tree) * tree, const JN_S(body) * body, const real *q, const real *v,
                                twist *S, twist *rate) {
  if (body->kind == JN_BODY_GENERAL) {
    general_screws(tree, body, q, v, S, rate);
    return;
  }
  for (int k = 0; k < body->nv; k++) {
    S[k] = t_zero();
    if (rate) rate[k] = t_zero();
  }
  switch (body->kind) {
    case JN_BODY_REVOLUTE:
    case JN_BODY_HELICAL:
      S[0].w.z = splat(body->ratio);
      S[0].v.z = splat(body->ratio * body->pitch);
      break;
    case JN_BODY_PRISMATIC:
      S[0].v.z = splat(body->ratio);
      break;
    default: {
      mat3 E = m3_identity();
      S[0].w = E.x;
      S[1].w = E.y;
      S[2].w = E.z;
      if (body->kind != JN_BODY_FREE) break;
      S[3].v = E.x;
      S[4].v = E.y;
      S[5].v = E.z;
    }
  }
}

/* Pose of a link's frame in the internal frame of its body. */
static inline pose link_in_body(const JN_S(tree) * tree, int link) {
  return se3_constant(tree->frame[link].R, tree->frame[link].p);
}

/* Pose of a link in its parent link (or the world): placement * L J L^-1 if it moves, where L^-1 is the link in the
 * body. */
static inline pose link_pose(const JN_S(tree) * tree, int link, const real *q) {
  const JN_S(frame) *at = &tree->placement[link];
  pose T = se3_constant(at->R, at->p);
  if (at->body < 0) return T;
  pose inner = link_in_body(tree, link), J = joint_motion(tree, &tree->body[at->body], q);
  return se3_mul(T, se3_between(inner, se3_mul(J, inner)));
}

#endif
