/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of the kernel `terms` that follows from masses, first moments and inertias: centre of mass, energies,
 * momentum and its matrix.
 *
 *   c       = sum_i (m_i p_i + h_i) / m                              centre of mass
 *   J_c,k   = (m S_v + S_w x h) / m of the subtree that k moves      garofalo2013 eq. 7
 *   T       = sum_i V_i . I_i V_i / 2 + armatures,    U = -gravity . m c + springs
 *   A_k     = Ic S_k,  dA_k/dt = Ic Psi_k + (B + B^T) S_k            columns of the momentum matrix; B = V x* I
 *
 *   symbol  meaning                                                     size  frame, unit
 *   m, h    mass and first moment of a body, then of its subtree        1, 3  world's axes, about the body's origin;
 * kg, kg m p       origin of a body                                            3     world, m V, A    twist and
 * acceleration of a body, without weight            6     world's axes, about its origin S, Psi  joint screw and its
 * rate                                    6     the same r       from the point that momentum is about to the body's
 * origin  3     world's axes, m */
#ifndef JN_KERNEL_TERMS_MOMENTUM_H
#define JN_KERNEL_TERMS_MOMENTUM_H

#include "../base/springs.h"
#include "jacobians.h"
#include "sweep_terms.h"

/* Masses and first moments of the bodies: of all links, or only of links [first, end). */
static inline void first_moments(const term_sweep *s, int first, int end) {
  const JN_S(tree) *tree = s->tree;
  int all = first == 0 && end == tree->nlink;
  for (int i = 0; i < tree->nb; i++) {
    s->h[i] = all ? s->B[i].I.h : sp_zero();
    s->m[i] = all ? s->B[i].I.m : ZERO;
  }

  /* Link by link, turned into the world's axes. */
  for (int l = first; l < end && !all; l++) {
    const JN_S(frame) *frame = &tree->frame[l];
    if (frame->body < 0) continue;
    const axes *R = &s->B[frame->body].at;
    pose local = se3_constant(frame->R, frame->p);
    real own = splat(tree->link_inertia[10 * l]);
    vec3 moment = v3_axpy(own, local.p, m3_mul(local.R, v3_constant(tree->link_inertia + 10 * l + 1)));
    s->m[frame->body] += own;
    s->h[frame->body] = sp_add(s->h[frame->body], sp_rotate(R->x, R->y, R->z, moment));
  }
}

/* Mass and first moment of the subtree of body i, added to those of its parent. */
static inline void add_moment_to_parent(const term_sweep *s, int i) {
  int p = s->tree->body[i].parent;
  if (p < 0) return;
  s->h[p] = sp_add(s->h[p], sp_axpy(s->m[i], s->B[i].at.d, s->h[i]));
  s->m[p] += s->m[i];
}

/* The Jacobian J [3 x nv] of the centre of mass (garofalo2013 eq. 7); inverse: 1 / mass. */
static inline void com_jacobian(const term_sweep *s, real inverse, real *J) {
  const JN_S(tree) *tree = s->tree;
  int n = tree->nv;
  for (int k = 0; k < 3 * n; k++) J[k] = ZERO;
  for (int i = tree->nb - 1; i >= 0; i--) {
    const JN_S(body) *body = &tree->body[i];
    for (int k = 0; k < body->nv; k++) {
      screw S = s->S[body->id + k];
      vec3 x = sp_numbers(sp_scale(inverse, sp_axpy(s->m[i], S.v, sp_cross(S.w, s->h[i]))));
      J[body->iv + k] += x.x;
      J[n + body->iv + k] += x.y;
      J[2 * n + body->iv + k] += x.z;
    }
    add_moment_to_parent(s, i);
  }
}

/* Centre of mass of the moving links among [first, end), its first and second derivatives, and its Jacobian. */
static inline void center_of_mass(const term_sweep *s, int first, int end) {
  const JN_S(tree) *tree = s->tree;
  real *com = s->c->terms.com, *dcom = s->c->terms.com_velocity, *ddcom = s->c->terms.com_acceleration, mass = ZERO;
  space sum = sp_zero(), rate = sp_zero(), second = sp_zero();
  first_moments(s, first, end);

  /* Sums over bodies: m p + h, its rate m v + w x h, and the rate of that. */
  for (int i = 0; i < tree->nb; i++) {
    real m = s->m[i];
    space h = s->h[i], momentum = sp_zero();
    mass += m;
    if (com) sum = sp_add(sum, sp_axpy(m, s->p[i], h));
    if (s->v && (dcom || ddcom)) momentum = sp_axpy(m, s->V[i].v, sp_cross(s->V[i].w, h));
    rate = sp_add(rate, momentum);
    if (!ddcom) continue;
    second = sp_add(second, sp_axpy(m, s->A[i].v, sp_cross(s->A[i].w, h)));
    if (s->v) second = sp_add(second, sp_cross(s->V[i].w, momentum));
  }

  /* Divided by the mass. */
  real inverse = K(1) / mass;
  if (com) v3_store(sp_numbers(sp_scale(inverse, sum)), com);
  if (dcom) v3_store(sp_numbers(sp_scale(inverse, rate)), dcom);
  if (ddcom) v3_store(sp_numbers(sp_scale(inverse, second)), ddcom);
  if (s->c->terms.com_jacobian) com_jacobian(s, inverse, s->c->terms.com_jacobian);
}

/* Kinetic and potential energy, out [2].
 * V . I V / 2 = w_b . J w_b / 2 + v . (w x h + m v / 2), with w_b in the axes of the body, where J is constant. */
static inline void energies(const term_sweep *s, real *out) {
  space kinetic = sp_zero(), sum = sp_zero();
  real armature = ZERO;
  for (int i = 0; i < s->tree->nb; i++) {
    const JN_S(body) *body = &s->tree->body[i];
    const solid *o = &s->B[i];
    sum = sp_add(sum, sp_axpy(o->I.m, s->p[i], o->I.h));
    if (!s->v) continue;

    /* Kinetic energy of the body, and of the rotors that drive its joint. */
    screw V = s->V[i];
    space w = sp_tmul(o->at.x, o->at.y, o->at.z, V.w), half = sp_scale(K(0.5), w);
    space force = sp_axpy(splat((scalar)0.5 * body->inertia[0]), V.v, sp_cross(V.w, o->I.h));
    kinetic = sp_add(kinetic, sp_add(sp_times(half, sp_tensor(body->inertia, w)), sp_times(V.v, force)));
    for (int k = 0; k < body->nv; k++)
      armature += armature_of(s->tree, body, k) * s->v[body->iv + k] * s->v[body->iv + k];
  }

  /* Potential energy: springs, and -gravity . m c. */
  out[0] = sp_total(kinetic) + K(0.5) * armature;
  out[1] = spring_energy_order(s->tree, s->q, NULL, 0) - sp_dot(sp_load(s->tree->gravity), sum);
}

/* The matrix A [6 x nv] of momentum and dA/dt, about the point `com` that moves with velocity dcom. The inertias of the
 * bodies become those of subtrees. */
static inline void momentum_matrices(const term_sweep *s, space com, space dcom, real *A, real *dA) {
  const JN_S(tree) *tree = s->tree;
  int n = tree->nv;
  for (int k = 0; k < 6 * n && A; k++) A[k] = ZERO;
  for (int k = 0; k < 6 * n && dA; k++) dA[k] = ZERO;
  if (!s->v) dA = NULL;

  /* B = V x* I of each body. */
  for (int i = 0; i < tree->nb && dA; i++) s->X[i] = space_crossed_of(s->V[i], &s->B[i].I);

  /* Inwards: I and B belong to the subtree when its first body is reached. A_k = I S_k, moved to com. */
  for (int i = tree->nb - 1; i >= 0; i--) {
    const JN_S(body) *body = &tree->body[i];
    const space_inertia *I = &s->B[i].I;
    int revolute = is_revolute(body);
    space r = sp_sub(s->p[i], com);
    for (int k = 0; k < body->nv; k++) {
      screw S = s->S[body->id + k], Z = inertia_mul(I, revolute, S);
      if (A) add_column(A, n, body->iv + k, screw_numbers(wrench_shift(Z, r)));
      if (!dA) continue;

      /* Its rate about the origin of the body: I Psi + (B + B^T) S, because dI/dt = V x* I - I ad_V. */
      screw F = screw_add(space_crossed_tmul(&s->X[i], revolute, S), space_crossed_mul(&s->X[i], revolute, S));
      F = wrench_shift(screw_add(F, inertia_mul(I, 0, s->Psi[body->id + k])), r);
      F.w = sp_sub(F.w, sp_cross(dcom, Z.v));
      add_column(dA, n, body->iv + k, screw_numbers(F));
    }

    /* Add B and I to the parent. */
    if (dA && body->parent >= 0) space_crossed_add(&s->X[body->parent], &s->X[i], s->B[i].at.d);
    add_inertia_to_parent(tree, s->B, i);
  }
}

/* Momentum of everything that moves, about the world's origin or the centre of mass, and its matrices. */
static inline void momentum(const term_sweep *s) {
  const JN_S(tree) *tree = s->tree;
  real *out = s->c->terms.momentum, *A = s->c->terms.momentum_matrix, *dA = s->c->terms.momentum_matrix_rate,
       mass = ZERO;
  space com = sp_zero(), dcom = sp_zero();
  screw h = screw_zero();

  /* Sums over bodies: mass, m p + h, momentum about the world's origin. */
  for (int i = 0; i < tree->nb; i++) {
    const solid *o = &s->B[i];
    mass += o->I.m;
    com = sp_add(com, sp_axpy(o->I.m, s->p[i], o->I.h));
    if (s->v) h = screw_add(h, wrench_shift(body_momentum(s, i), s->p[i]));
  }

  /* About the centre of mass, if that is wanted. */
  com = s->c->terms.about ? sp_scale(K(1) / mass, com) : sp_zero();
  dcom = s->c->terms.about ? sp_scale(K(1) / mass, h.v) : sp_zero();
  h.w = sp_sub(h.w, sp_cross(com, h.v));
  if (out) t_store(screw_numbers(h), out);
  if (A || dA) momentum_matrices(s, com, dcom, A, dA);
}

#endif
