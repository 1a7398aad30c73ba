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
static inline void sweep_place(term_sweep *sweep, real **at) {
  const JN_S(tree) *tree = sweep->tree;
  sweep->B = TAKE_ALIGNED(at, tree->nb, solid);
  sweep->V = TAKE_ALIGNED(at, tree->nb, screw);
  sweep->A = TAKE(at, tree->nb, screw);
  sweep->X = TAKE(at, tree->nb, space_crossed);
  sweep->S = TAKE(at, tree->nd, screw);
  sweep->Psi = TAKE(at, tree->nd, screw);
  sweep->p = TAKE(at, tree->nb, space);
  sweep->h = TAKE(at, tree->nb, space);
  sweep->m = TAKE(at, tree->nb, real);
  sweep->x = TAKE_ALIGNED(at, tree->nd + 3, coriolis_wrenches);
  sweep->column = TAKE(at, 4 * (tree->nd + 4), scalar);
  sweep->apart = mass_matrix_coupling_scratch(tree, at);
#if JN_MANY
  sweep->jacobians = take(at, jacobians_scratch(tree));
#endif
}

/* Origins of all bodies in the world: p = p_parent + d. */
static inline void body_origins(const term_sweep *sweep) {
  for (int i = 0; i < sweep->tree->nb; i++) {
    int p = sweep->tree->body[i].parent;
    sweep->p[i] = p < 0 ? sweep->B[i].at.d : sp_add(sweep->p[p], sweep->B[i].at.d);
  }
}

/* Accelerations of all bodies, without weight: A = A_parent + S a + Psi v, about the body's origin. */
static inline void body_accelerations(const term_sweep *sweep, const real *a) {
  for (int i = 0; i < sweep->tree->nb; i++) {
    const JN_S(body) *body = &sweep->tree->body[i];
    screw A = body->parent < 0 ? screw_zero() : screw_shift(sweep->A[body->parent], sweep->B[i].at.d);
    for (int k = 0; k < body->nv; k++) {
      if (a) A = screw_axpy(a[body->iv + k], sweep->S[body->id + k], A);
      if (sweep->v) A = screw_axpy(sweep->v[body->iv + k], sweep->Psi[body->id + k], A);
    }
    sweep->A[i] = A;
  }
}

/* I V of body i alone. J w is computed in the axes of the body, where J is constant. */
static inline screw body_momentum(const term_sweep *sweep, int i) {
  const solid *placed = &sweep->B[i];
  screw V = sweep->V[i];
  space w = sp_tensor(sweep->tree->body[i].inertia, sp_tmul(placed->at.x, placed->at.y, placed->at.z, V.w));
  return (screw){sp_add(sp_mul(placed->at.x, placed->at.y, placed->at.z, w), sp_cross(placed->I.h, V.v)),
                 sp_axpy(placed->I.m, V.v, sp_cross(V.w, placed->I.h))};
}

#endif
