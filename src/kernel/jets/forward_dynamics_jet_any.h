/* SPDX-License-Identifier: BSD-2-Clause */
/* Forward and hybrid dynamics to any order in time (jets.c): the sweeps of one order, for every number type and joint.
 *
 * Order k of the equations of motion is linear in the unknown velocities v_{k+1}. So each order takes four sweeps and
 * one solution of M x = f:
 *
 *   extend_twists()         V_{k+1} of all bodies, with the unknown velocities v_{k+1} = 0
 *   forward_forces()        bias_k: the forces of order k that these twists give
 *                           (solve M (k+1) v_{k+1} = tau_k - bias_k)
 *   forward_change_twists() what the solution v_{k+1} adds to V_{k+1}
 *   forward_change_forces() what it adds to the wrenches F_k = I (k+1) V_{k+1} - ...
 *
 * Through a joint, changes of the highest order pass with the motion of order 0 alone. One state in double with AVX2
 * has forward_dynamics_jet_one.h instead, which shares the joints that are not about z. Symbols as in jets.h, and
 *
 *   symbol   meaning                          frame, unit              size
 *   H        momentum I V                     body; N m s, N s         [orders][nb]
 *   dv       change of the velocities         rad/s, m/s per s^(k+1)   [nv] */
#ifndef JN_KERNEL_JETS_FORWARD_DYNAMICS_JET_ANY_H
#define JN_KERNEL_JETS_FORWARD_DYNAMICS_JET_ANY_H

#include "../base/versions.h"
#include "jets.h"

/* Whether forward_dynamics_jet_one.h is used: in double, where two numbers fill a register of SSE2. */
#define JN_FORWARD_SERIES (JN_REGISTERS && JN_KIND == JN_KIND_D)

/* Velocities of order k change by dv, and the twist before the joint of body i changes by V. Returns the change of the
 * twist behind the joint. Only the joint's motion of order 0 takes part, because V_k is linear in v_k. */
static inline twist change_twist_behind_joint(const jets *J, int i, twist V, int k, const real *dv) {
  const JN_S(tree) *tree = J->tree;
  const JN_S(body) *body = &tree->body[i];
  int at = k * (tree->nd + tree->nb);
  twist U;

  /* A spherical or free joint. */
  if (is_group(body)) {
    V = group_transform_twist(J, i, V, dv + body->iv, &U, 0, 0);
    J->U[at + tree->nd + i] = t_add(J->U[at + tree->nd + i], U);
  }

  /* All others: one elementary motion after the other. */
  for (int part = 0; part < elementary_motion_count(body); part++) {
    elementary_motion motion = elementary_motion_of(tree, i, part);
    V = transform_twist(J, &motion, V, dv[motion.iv], &U, 0, 0);
    J->U[at + motion.id] = t_add(J->U[at + motion.id], U);
  }
  return V;
}

/* The wrench of order k through the joint of body i changes by F. Returns the change in the parent body's frame; S^T F
 * is added to tau [nv] (may be NULL). */
static inline wrench change_wrench_before_joint(const jets *J, int i, wrench F, int k, real *tau) {
  const JN_S(tree) *tree = J->tree;
  const JN_S(body) *body = &tree->body[i];
  int width = tree->nd + tree->nb;
  wrench G;
  vec3 f;
  real six[6], force;

  /* A spherical or free joint. */
  if (is_group(body)) {
    int at = k * width + tree->nd + i;
    w_store(F, six);
    for (int c = 0; c < body->nv && tau; c++) tau[body->iv + c] += six[c];
    F = group_transform_wrench(J, i, F, &G, &f, 0, 0);
    J->G[at] = w_add(J->G[at], G);
    J->f[at] = v3_add(J->f[at], f);
  }

  /* All others: from the last elementary motion to the first. */
  for (int part = elementary_motion_count(body) - 1; part >= 0; part--) {
    elementary_motion motion = elementary_motion_of(tree, i, part);
    int at = k * width + motion.id;
    F = transform_wrench(J, &motion, F, &G, &f, 0, 0, &force);
    if (tau) tau[motion.iv] += force;
    J->G[at] = w_add(J->G[at], G);
    J->f[at] = v3_add(J->f[at], f);
  }

  /* Through the constant placement. */
  return w_Ad_inverse(se3_constant(body->R, body->p), F);
}

/* Order k of the forces of armatures and springs: tau_k += armature (k+1) v_{k+1} + spring. */
static inline void add_armatures_and_springs(const jets *J, int k, real *tau) {
  const JN_S(tree) *tree = J->tree;
  for (int i = 0; i < tree->nb; i++) {
    const JN_S(body) *body = &tree->body[i];
    for (int c = 0; c < body->nv; c++)
      tau[body->iv + c] += armature_of(tree, body, c) * K(k + 1) * J->v[(k + 1) * tree->nv + body->iv + c];
  }
  add_springs_order(tree, J->q, J->v, k, tau);
}

#if !JN_FORWARD_SERIES

typedef struct forward_sweeps {
  const jets *J;
  wrench *H;           /* [orders][nb] momenta I V */
  twist *change_of_V;  /* [nb] change of the twists of one order */
  wrench *change_of_F; /* [nb] change of the wrenches of one order */
} forward_sweeps;

/* Takes the memory of the sweeps. */
static inline forward_sweeps forward_sweeps_place(const jets *J, int orders, real **at) {
  int nb = J->tree->nb;
  forward_sweeps sweep = {.J = J};
  sweep.H = TAKE(at, orders * nb, wrench);
  sweep.change_of_V = TAKE(at, nb, twist);
  sweep.change_of_F = TAKE(at, nb, wrench);
  return sweep;
}

/* V_k of all bodies. */
static inline void forward_twists(const forward_sweeps *sweep, int k) { extend_twists(sweep->J, k); }

/* Order k of the wrenches and forces; needs twists to order k + 1. tau [nv] gets Taylor coefficients of order k.
 *   F_k = I (k+1) V_{k+1} - sum_j ad*_{V_j} I V_{k-j} - W_k */
static inline void forward_forces(const forward_sweeps *sweep, int k, real *tau) {
  const jets *J = sweep->J;
  int nb = J->tree->nb;
  for (int i = 0; i < nb; i++) {
    inertia I = i_constant(J->tree->body[i].inertia);
    sweep->H[k * nb + i] = i_mul(I, J->V[k * nb + i]);

    /* F_k = I (k+1) V_{k+1} - sum_j ad*_{V_j} H_{k-j} - W_k, with the momenta H = I V. */
    wrench F = i_mul(I, t_scale(K(k + 1), J->V[(k + 1) * nb + i]));
    for (int j = 0; j <= k; j++) F = w_sub(F, w_ad(J->V[j * nb + i], sweep->H[(k - j) * nb + i]));
    J->F[k * nb + i] = J->W ? w_sub(F, J->W[k * nb + i]) : F;
  }

  /* Inwards, tau = S^T F. */
  extend_wrenches(J, k, tau);
  add_armatures_and_springs(J, k, tau);
}

/* Velocities of order k + 1 change by dv: the twists of that order follow. */
static inline void forward_change_twists(const forward_sweeps *sweep, int k, const real *dv) {
  const jets *J = sweep->J;
  const JN_S(tree) *tree = J->tree;
  for (int i = 0; i < tree->nb; i++) {
    const JN_S(body) *body = &tree->body[i];
    twist V =
        body->parent < 0 ? t_zero() : t_Ad_inverse(se3_constant(body->R, body->p), sweep->change_of_V[body->parent]);
    sweep->change_of_V[i] = change_twist_behind_joint(J, i, V, k + 1, dv);
    J->V[(k + 1) * tree->nb + i] = t_add(J->V[(k + 1) * tree->nb + i], sweep->change_of_V[i]);
  }
}

/* The wrenches of order k follow: F_k += I (k+1) dV_{k+1}. S^T dF is added to tau [nv] (may be NULL). */
static inline void forward_change_forces(const forward_sweeps *sweep, int k, real *tau) {
  const JN_S(tree) *tree = sweep->J->tree;
  wrench *F = sweep->change_of_F;
  for (int i = 0; i < tree->nb; i++)
    F[i] = i_mul(i_constant(tree->body[i].inertia), t_scale(K(k + 1), sweep->change_of_V[i]));
  for (int i = tree->nb - 1; i >= 0; i--) {
    int p = tree->body[i].parent;
    wrench handed = change_wrench_before_joint(sweep->J, i, F[i], k, tau);
    if (p >= 0) F[p] = w_add(F[p], handed);
  }
}

#endif

#endif
