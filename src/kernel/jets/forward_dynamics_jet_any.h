/* SPDX-License-Identifier: BSD-2-Clause */
/* The sweeps of forward and hybrid dynamics to any order in time (jets.c), one order at a time:
 *
 *   forward_twists          V_{k+1} of all bodies, with the unknown velocities v_{k+1} = 0
 *   forward_forces          bias_k: the forces of order k that these twists give
 *   forward_change_twists   what the solution v_{k+1} adds to V_{k+1}
 *   forward_change_forces   what it adds to the wrenches F_k
 *
 * For every number type and joint. One state in double with AVX2 has forward_dynamics_jet_one.h instead, which shares
 * the joints that are not about z. Symbols as in jets.h. */
#ifndef JN_KERNEL_JETS_FORWARD_DYNAMICS_JET_ANY_H
#define JN_KERNEL_JETS_FORWARD_DYNAMICS_JET_ANY_H

#include "../base/versions.h"
#include "jets.h"

/* Whether forward_dynamics_jet_one.h does it: in double, whose pairs of numbers fill a register of SSE2. */
#define JN_FORWARD_ROWS (JN_REGISTERS && JN_KIND == JN_KIND_D)

/* Velocities of order k change by dv, which changes the twist before the joint of body i by V. Returns the change of
 * the twist behind the joint. Only the joint's motion of order 0 takes part: V_k is linear in v_k. */
static inline twist joint_change_outward(const jets *J, int i, twist V, int k, const real *dv) {
  const JN_S(tree) *t = J->t;
  const JN_S(body) *b = &t->body[i];
  int at = k * (t->nd + t->nb);
  twist U;
  if (is_group(b)) {
    V = group_outward(J, i, V, dv + b->iv, &U, 0, 0);
    J->U[at + t->nd + i] = t_add(J->U[at + t->nd + i], U);
  }
  for (int part = 0; part < parts_of(b); part++) {
    elementary_motion m = joint_part(t, i, part);
    V = part_outward(J, &m, V, dv[m.iv], &U, 0, 0);
    J->U[at + m.place] = t_add(J->U[at + m.place], U);
  }
  return V;
}

/* The wrench of order k through the joint of body i changes by F. Returns the change in the parent body's frame; S^T F
 * is added to tau [nv] (may be NULL). */
static inline wrench joint_change_inward(const jets *J, int i, wrench F, int k, real *tau) {
  const JN_S(tree) *t = J->t;
  const JN_S(body) *b = &t->body[i];
  int wide = t->nd + t->nb;
  wrench G;
  vec3 f;
  real six[6], force;
  if (is_group(b)) {
    int at = k * wide + t->nd + i;
    w_store(F, six);
    for (int c = 0; c < b->nv && tau; c++) tau[b->iv + c] += six[c];
    F = group_inward(J, i, F, &G, &f, 0, 0);
    J->G[at] = w_add(J->G[at], G);
    J->f[at] = v3_add(J->f[at], f);
  }
  for (int part = parts_of(b) - 1; part >= 0; part--) {
    elementary_motion m = joint_part(t, i, part);
    int at = k * wide + m.place;
    F = part_inward(J, &m, F, &G, &f, 0, 0, &force);
    if (tau) tau[m.iv] += force;
    J->G[at] = w_add(J->G[at], G);
    J->f[at] = v3_add(J->f[at], f);
  }
  return w_Ad_inverse(se3_constant(b->R, b->p), F);
}

/* Order k of the forces of armatures and springs: tau_k += armature (k+1) v_{k+1} + spring. */
static inline void add_rotors_and_springs(const jets *J, int k, real *tau) {
  const JN_S(tree) *t = J->t;
  for (int i = 0; i < t->nb; i++) {
    const JN_S(body) *b = &t->body[i];
    for (int c = 0; c < b->nv; c++)
      tau[b->iv + c] += armature_of(t, b, c) * K(k + 1) * J->v[(k + 1) * t->nv + b->iv + c];
  }
  add_springs_order(t, J->q, J->v, k, tau);
}

#if !JN_FORWARD_ROWS

typedef struct forward_sweeps {
  const jets *J;
  wrench *H;     /* [orders][nb] momenta I V */
  twist *change; /* [nb] of the twists of one order */
  wrench *F;     /* [nb] of the wrenches */
} forward_sweeps;

static inline forward_sweeps forward_sweeps_place(const jets *J, int orders, real **at) {
  int nb = J->t->nb;
  forward_sweeps w = {.J = J};
  w.H = TAKE(at, orders * nb, wrench);
  w.change = TAKE(at, nb, twist);
  w.F = TAKE(at, nb, wrench);
  return w;
}

static inline void forward_twists(const forward_sweeps *w, int k) { twists_order(w->J, k); }

/* Order k of the wrenches and forces; needs twists to order k + 1. tau [nv] gets Taylor coefficients of order k.
 *   F_k = I (k+1) V_{k+1} - sum_j ad*_{V_j} I V_{k-j} - W_k */
static inline void forward_forces(const forward_sweeps *w, int k, real *tau) {
  const jets *J = w->J;
  int nb = J->t->nb;
  for (int i = 0; i < nb; i++) {
    inertia I = i_constant(J->t->body[i].inertia);
    w->H[k * nb + i] = i_mul(I, J->V[k * nb + i]);
    wrench F = i_mul(I, t_scale(K(k + 1), J->V[(k + 1) * nb + i]));
    for (int j = 0; j <= k; j++) F = w_sub(F, w_ad(J->V[j * nb + i], w->H[(k - j) * nb + i]));
    J->F[k * nb + i] = J->W ? w_sub(F, J->W[k * nb + i]) : F;
  }
  inward_order(J, k, tau);
  add_rotors_and_springs(J, k, tau);
}

/* Velocities of order k + 1 change by dv: the twists of that order follow. */
static inline void forward_change_twists(const forward_sweeps *w, int k, const real *dv) {
  const jets *J = w->J;
  const JN_S(tree) *t = J->t;
  for (int i = 0; i < t->nb; i++) {
    const JN_S(body) *b = &t->body[i];
    twist V = b->parent < 0 ? t_zero() : t_Ad_inverse(se3_constant(b->R, b->p), w->change[b->parent]);
    w->change[i] = joint_change_outward(J, i, V, k + 1, dv);
    J->V[(k + 1) * t->nb + i] = t_add(J->V[(k + 1) * t->nb + i], w->change[i]);
  }
}

/* And the wrenches of order k: F_k += I (k+1) dV_{k+1}. S^T F is added to tau [nv] (may be NULL). */
static inline void forward_change_forces(const forward_sweeps *w, int k, real *tau) {
  const JN_S(tree) *t = w->J->t;
  wrench *F = w->F;
  for (int i = 0; i < t->nb; i++) F[i] = i_mul(i_constant(t->body[i].inertia), t_scale(K(k + 1), w->change[i]));
  for (int i = t->nb - 1; i >= 0; i--) {
    int p = t->body[i].parent;
    wrench handed = joint_change_inward(w->J, i, F[i], k, tau);
    if (p >= 0) F[p] = w_add(F[p], handed);
  }
}

#endif

#endif
