/* SPDX-License-Identifier: BSD-2-Clause */
/* What the kernel `terms` shares: one sweep outwards (bodies.h), and what follows from it. Each output has its own
 * loops after it, so that it is the same to the bit whatever else is wanted. */
#ifndef JN_KERNEL_TERMS_SWEEP_TERMS_H
#define JN_KERNEL_TERMS_SWEEP_TERMS_H

#include "coriolis.h"
#include "jacobians.h"

typedef struct term_sweep {
  const JN_S(tree) * t;
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
  coriolis_wrenches *x; /* [nd + 3] of C; room for other matrices when that is not at work */
  scalar *column;       /* [nd + 4][4] */
  real *apart;          /* of mass_matrix_of() */
  real *jacobians;      /* of jacobians_send() */
} term_sweep;

static inline void sweep_place(term_sweep *s, real **at) {
  const JN_S(tree) *t = s->t;
  s->B = TAKE_ALIGNED(at, t->nb, solid);
  s->V = TAKE_ALIGNED(at, t->nb, screw);
  s->A = TAKE(at, t->nb, screw);
  s->X = TAKE(at, t->nb, space_crossed);
  s->S = TAKE(at, t->nd, screw);
  s->Psi = TAKE(at, t->nd, screw);
  s->p = TAKE(at, t->nb, space);
  s->h = TAKE(at, t->nb, space);
  s->m = TAKE(at, t->nb, real);
  s->x = TAKE_ALIGNED(at, t->nd + 3, coriolis_wrenches);
  s->column = TAKE(at, 4 * (t->nd + 4), scalar);
  s->apart = mass_matrix_room(t, at);
#if JN_MANY
  s->jacobians = take(at, jacobians_room(t));
#endif
}

static inline void body_origins(const term_sweep *s) {
  for (int i = 0; i < s->t->nb; i++) {
    int p = s->t->body[i].parent;
    s->p[i] = p < 0 ? s->B[i].at.d : sp_add(s->p[p], s->B[i].at.d);
  }
}

/* True accelerations, without weight. */
static inline void body_accelerations(const term_sweep *s, const real *a) {
  for (int i = 0; i < s->t->nb; i++) {
    const JN_S(body) *b = &s->t->body[i];
    screw A = b->parent < 0 ? screw_zero() : screw_shift(s->A[b->parent], s->B[i].at.d);
    for (int k = 0; k < b->nv; k++) {
      if (a) A = screw_axpy(a[b->iv + k], s->S[b->id + k], A);
      if (s->v) A = screw_axpy(s->v[b->iv + k], s->Psi[b->id + k], A);
    }
    s->A[i] = A;
  }
}

/* I V of body i alone: in its own axes, where the tensor is constant. */
static inline screw body_momentum(const term_sweep *s, int i) {
  const solid *o = &s->B[i];
  screw V = s->V[i];
  space w = sp_tensor(s->t->body[i].inertia, sp_tmul(o->at.x, o->at.y, o->at.z, V.w));
  return (screw){sp_add(sp_mul(o->at.x, o->at.y, o->at.z, w), sp_cross(o->I.h, V.v)),
                 sp_axpy(o->I.m, V.v, sp_cross(V.w, o->I.h))};
}

#endif
