/* SPDX-License-Identifier: BSD-2-Clause */
/* The sweep that regressors (regressor.c) come from: twists V, reference twists V_r and reference accelerations
 * A = sum S a_r + Psi v_r - gravity of all bodies, in the world's axes (bodies.h). */
#ifndef JN_KERNEL_REGRESSOR_REGRESSION_H
#define JN_KERNEL_REGRESSOR_REGRESSION_H

#include "../base/bodies.h"
#include "../base/call.h"
#include "parameter_columns.h"

typedef struct regression {
  const JN_S(tree) * t;
  solid *B;                 /* [nb] */
  screw *V, *V_r, *A;       /* [nb] */
  screw *S, *Psi;           /* [nd] */
  vec3 *place;              /* [nb] origins of the bodies in the world */
  twist *link_S, *link_Psi; /* [nd] screws and their rates in one link's frame */
} regression;

static inline regression regression_place(const JN_S(tree) * t, real **at) {
  regression r = {.t = t, .B = TAKE_ALIGNED(at, t->nb, solid)};
  r.V = TAKE_ALIGNED(at, t->nb, screw);
  r.V_r = TAKE(at, t->nb, screw);
  r.A = TAKE(at, t->nb, screw);
  r.S = TAKE(at, t->nd, screw);
  r.Psi = TAKE(at, t->nd, screw);
  r.place = TAKE(at, t->nb, vec3);
  r.link_S = TAKE(at, t->nd, twist);
  r.link_Psi = TAKE(at, t->nd, twist);
  return r;
}

/* c: the call of the kernel. */
static inline void regression_sweep(const regression *r, const jn_call *c, const angles *turn) {
  const jn_regressor_arguments *args = &c->regressor;
  const JN_S(tree) *t = r->t;
  const real *v = args->v_r, *a = args->a_r;
  const screw base = {sp_zero(), args->weightless ? sp_zero() : sp_scale(K(-1), sp_load(t->gravity))};
  JN_(bodies_outward)(t, args->q, args->v, turn, 0, r->B, r->S, r->V, r->Psi);
  for (int i = 0; i < t->nb && !args->v; i++) r->V[i] = screw_zero();
  for (int k = 0; k < t->nd && !args->v; k++) r->Psi[k] = screw_zero();
  for (int i = 0; i < t->nb; i++) {
    const JN_S(body) *b = &t->body[i];
    int p = b->parent;
    vec3 d = sp_numbers(r->B[i].at.d);
    screw V = p < 0 ? screw_zero() : screw_shift(r->V_r[p], r->B[i].at.d);
    screw A = p < 0 ? base : screw_shift(r->A[p], r->B[i].at.d);
    for (int k = 0; k < b->nv; k++) {
      screw S = r->S[b->id + k];
      if (v) V = screw_axpy(v[b->iv + k], S, V);
      if (v) A = screw_axpy(v[b->iv + k], r->Psi[b->id + k], A);
      if (a) A = screw_axpy(a[b->iv + k], S, A);
    }
    r->V_r[i] = V;
    r->A[i] = A;
    r->place[i] = p < 0 ? d : v3_add(r->place[p], d);
  }
}

#endif
