/* SPDX-License-Identifier: BSD-2-Clause */
/* Of the kernel `terms`, what follows from masses and first moments: centre of mass, energies; and momentum with its
 * matrix A (centroidal if about the centre of mass). */
#ifndef JN_KERNEL_TERMS_MOMENTUM_H
#define JN_KERNEL_TERMS_MOMENTUM_H

#include "../base/springs.h"
#include "jacobians.h"
#include "sweep_terms.h"

/* First moments of the bodies, of the links [first, end) alone or of all. */
static inline void first_moments(const term_sweep *s, int first, int end) {
  const JN_S(tree) *t = s->t;
  int all = first == 0 && end == t->nlink;
  for (int i = 0; i < t->nb; i++) {
    s->h[i] = all ? s->B[i].I.h : sp_zero();
    s->m[i] = all ? s->B[i].I.m : ZERO;
  }
  for (int l = first; l < end && !all; l++) {
    const JN_S(frame) *f = &t->frame[l];
    if (f->body < 0) continue;
    const axes *R = &s->B[f->body].at;
    pose local = se3_constant(f->R, f->p);
    real own = splat(t->link_inertia[10 * l]);
    vec3 moment = v3_axpy(own, local.p, m3_mul(local.R, v3_constant(t->link_inertia + 10 * l + 1)));
    s->m[f->body] += own;
    s->h[f->body] = sp_add(s->h[f->body], sp_rotate(R->x, R->y, R->z, moment));
  }
}

/* What body i carries, handed to its parent. */
static inline void hand_moment_on(const term_sweep *s, int i) {
  int p = s->t->body[i].parent;
  if (p < 0) return;
  s->h[p] = sp_add(s->h[p], sp_axpy(s->m[i], s->B[i].at.d, s->h[i]));
  s->m[p] += s->m[i];
}

/* Columns of the Jacobian of the centre of mass (garofalo2013 eq. 7). */
static inline void com_jacobian(const term_sweep *s, real inverse, real *J) {
  const JN_S(tree) *t = s->t;
  int n = t->nv;
  for (int k = 0; k < 3 * n; k++) J[k] = ZERO;
  for (int i = t->nb - 1; i >= 0; i--) {
    const JN_S(body) *b = &t->body[i];
    for (int k = 0; k < b->nv; k++) {
      screw S = s->S[b->id + k];
      vec3 x = sp_numbers(sp_scale(inverse, sp_axpy(s->m[i], S.v, sp_cross(S.w, s->h[i]))));
      J[b->iv + k] += x.x;
      J[n + b->iv + k] += x.y;
      J[2 * n + b->iv + k] += x.z;
    }
    hand_moment_on(s, i);
  }
}

/* Centre of mass of the links [first, end) that move, its rates and its Jacobian. */
static inline void center_of_mass(const term_sweep *s, int first, int end) {
  const JN_S(tree) *t = s->t;
  real *com = s->c->terms.com, *dcom = s->c->terms.com_velocity, *ddcom = s->c->terms.com_acceleration, mass = ZERO;
  space sum = sp_zero(), rate = sp_zero(), second = sp_zero();
  first_moments(s, first, end);
  for (int i = 0; i < t->nb; i++) {
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
  real inverse = K(1) / mass;
  if (com) v3_store(sp_numbers(sp_scale(inverse, sum)), com);
  if (dcom) v3_store(sp_numbers(sp_scale(inverse, rate)), dcom);
  if (ddcom) v3_store(sp_numbers(sp_scale(inverse, second)), ddcom);
  if (s->c->terms.com_jacobian) com_jacobian(s, inverse, s->c->terms.com_jacobian);
}

/* V . I V / 2 = w_b . J w_b / 2 + v . (w x h + m v / 2), with w_b in the body's axes, where J is constant. */
static inline void energies(const term_sweep *s, real *out) {
  space kinetic = sp_zero(), sum = sp_zero();
  real armature = ZERO;
  for (int i = 0; i < s->t->nb; i++) {
    const JN_S(body) *b = &s->t->body[i];
    const solid *o = &s->B[i];
    sum = sp_add(sum, sp_axpy(o->I.m, s->p[i], o->I.h));
    if (!s->v) continue;
    screw V = s->V[i];
    space w = sp_tmul(o->at.x, o->at.y, o->at.z, V.w), half = sp_scale(K(0.5), w);
    space force = sp_axpy(splat((scalar)0.5 * b->inertia[0]), V.v, sp_cross(V.w, o->I.h));
    kinetic = sp_add(kinetic, sp_add(sp_times(half, sp_tensor(b->inertia, w)), sp_times(V.v, force)));
    for (int k = 0; k < b->nv; k++) armature += armature_of(s->t, b, k) * s->v[b->iv + k] * s->v[b->iv + k];
  }
  out[0] = sp_total(kinetic) + K(0.5) * armature;
  out[1] = spring_energy_order(s->t, s->q, NULL, 0) - sp_dot(sp_load(s->t->gravity), sum);
}

/* The matrix A of momentum and dA/dt, about `com` that moves with dcom: from the inertias of subtrees, made here of the
 * bodies'. */
static inline void momentum_matrices(const term_sweep *s, space com, space dcom, real *A, real *dA) {
  const JN_S(tree) *t = s->t;
  int n = t->nv;
  for (int k = 0; k < 6 * n && A; k++) A[k] = ZERO;
  for (int k = 0; k < 6 * n && dA; k++) dA[k] = ZERO;
  if (!s->v) dA = NULL;
  for (int i = 0; i < t->nb && dA; i++) s->X[i] = space_crossed_of(s->V[i], &s->B[i].I);
  for (int i = t->nb - 1; i >= 0; i--) {
    const JN_S(body) *b = &t->body[i];
    const space_inertia *I = &s->B[i].I;
    int turn = is_revolute(b);
    space r = sp_sub(s->p[i], com);
    for (int k = 0; k < b->nv; k++) {
      screw S = s->S[b->id + k], Z = inertia_mul(I, turn, S);
      if (A) add_column(A, n, b->iv + k, screw_numbers(wrench_shift(Z, r)));
      if (!dA) continue;
      /* d/dt of the column about the origin: I Psi + (B + B^T) S, because dI/dt = V x* I - I ad_V */
      screw F = screw_add(space_crossed_tmul(&s->X[i], turn, S), space_crossed_mul(&s->X[i], turn, S));
      F = wrench_shift(screw_add(F, inertia_mul(I, 0, s->Psi[b->id + k])), r);
      F.w = sp_sub(F.w, sp_cross(dcom, Z.v));
      add_column(dA, n, b->iv + k, screw_numbers(F));
    }
    if (dA && b->parent >= 0) space_crossed_add(&s->X[b->parent], &s->X[i], s->B[i].at.d);
    add_inertia_to_parent(t, s->B, i);
  }
}

/* Momentum of all that moves, and its matrices; the centre of mass on the way. */
static inline void momentum(const term_sweep *s) {
  const JN_S(tree) *t = s->t;
  real *out = s->c->terms.momentum, *A = s->c->terms.momentum_matrix, *dA = s->c->terms.momentum_matrix_rate,
       mass = ZERO;
  space com = sp_zero(), dcom = sp_zero();
  screw h = screw_zero();
  for (int i = 0; i < t->nb; i++) {
    const solid *o = &s->B[i];
    mass += o->I.m;
    com = sp_add(com, sp_axpy(o->I.m, s->p[i], o->I.h));
    if (s->v) h = screw_add(h, wrench_shift(body_momentum(s, i), s->p[i]));
  }
  com = s->c->terms.about ? sp_scale(K(1) / mass, com) : sp_zero();
  dcom = s->c->terms.about ? sp_scale(K(1) / mass, h.v) : sp_zero();
  h.w = sp_sub(h.w, sp_cross(com, h.v));
  if (out) t_store(screw_numbers(h), out);
  if (A || dA) momentum_matrices(s, com, dcom, A, dA);
}

#endif
