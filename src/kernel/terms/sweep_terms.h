/* SPDX-License-Identifier: BSD-2-Clause */
/* What the parts of the kernel `terms` share: one sweep outwards (bodies.h), and what follows from it. Each output has
 * its own loops after that, so that it is the same to the bit whatever else is wanted. */
#ifndef JN_KERNEL_TERMS_SWEEP_TERMS_H
#define JN_KERNEL_TERMS_SWEEP_TERMS_H

#include "coriolis.h"
#include "jacobians.h"

typedef struct term_sweep {
  const JN_S(tree) * tree;
  const jn_call *c;
  const real *q, *v; /* v NULL: zero */
  const angles *turn;
  solid *B;     /* [nb] */
  screw *V, *A; /* [nb] twists; accelerations without weight */
  space *p;     /* [nb] origins in the world */
  space *h;     /* [nb] first moments and masses, of bodies or subtrees */
  real *m;
  space_crossed *X;     /* [nb] V x* I, of subtrees */
  screw *S, *Psi;       /* [nd] */
  coriolis_wrenches *x; /* [nd + 3] of C; scratch memory for other matrices when C is not computed */
  scalar *column;       /* [nd + 4][4] */
  real *apart;          /* of mass_matrix_of() */
  real *jacobians;      /* of jacobians_send() */
} term_sweep;

/* Takes scratch memory. */
static inline void sweep_place(term_sweep *s, real **at) {
  const JN_S(tree) *tree = s->tree;
  s->B = TAKE_ALIGNED(at, tree->nb, solid);
  s->V = TAKE_ALIGNED(at, tree->nb, screw);
  s->A = TAKE(at, tree->nb, screw);
  s->X = TAKE(at, tree->nb, space_crossed);
  s->S = TAKE(at, tree->nd, screw);
  s->Psi = TAKE(at, tree->nd, screw);
  s->p = TAKE(at, tree->nb, space);
  s->h = TAKE(at, tree->nb, space);
  s->m = TAKE(at, tree->nb, real);
  s->x = TAKE_ALIGNED(at, tree->nd + 3, coriolis_wrenches);
  s->column = TAKE(at, 4 * (tree->nd + 4), scalar);
  s->apart = mass_matrix_coupling_scratch(tree, at);
#if JN_MANY
  s->jacobians = take(at, jacobians_scratch(tree));
#endif
}

/* Origins of all bodies in the world: p = p_parent + d. */
static inline void body_origins(const term_sweep *s) {
  for (int i = 0; i < s->tree->nb; i++) {
    int p = s->tree->body[i].parent;
    s->p[i] = p < 0 ? s->B[i].at.d : sp_add(s->p[p], s->B[i].at.d);
  }
}

/* Accelerations of all bodies, without weight: A = A_parent + S a + Psi v, about the body's origin. */
static inline void body_accelerations(const term_sweep *s, const real *a) {
  for (int i = 0; i < s->tree->nb; i++) {
    const JN_S(body) *body = &s->tree->body[i];
    screw A = body->parent < 0 ? screw_zero() : screw_shift(s->A[body->parent], s->B[i].at.d);
    for (int k = 0; k < body->nv; k++) {
      if (a) A = screw_axpy(a[body->iv + k], s->S[body->id + k], A);
      if (s->v) A = screw_axpy(s->v[body->iv + k], s->Psi[body->id + k], A);
    }
    s->A[i] = A;
  }
}

/* I V of body i alone. J w is computed in the axes of the body, where J is constant. */
static inline screw body_momentum(const term_sweep *s, int i) {
  const solid *o = &s->B[i];
  screw V = s->V[i];
  space w = sp_tensor(s->tree->body[i].inertia, sp_tmul(o->at.x, o->at.y, o->at.z, V.w));
  return (screw){sp_add(sp_mul(o->at.x, o->at.y, o->at.z, w), sp_cross(o->I.h, V.v)),
                 sp_axpy(o->I.m, V.v, sp_cross(V.w, o->I.h))};
}

#endif
