/* SPDX-License-Identifier: BSD-2-Clause */
/* The sweep outwards that all regressors (regressor.c) begin with, in the world's axes (bodies.h):
 *
 *   V_i   = V_p + S v                                twist
 *   V_r,i = V_r,p + S v_r                            reference twist
 *   A_i   = A_p + S a_r + Psi v_r,  A_0 = -gravity   reference acceleration */
#ifndef JN_KERNEL_REGRESSOR_REGRESSION_H
#define JN_KERNEL_REGRESSOR_REGRESSION_H

#include "../base/bodies.h"
#include "../base/call.h"
#include "parameter_columns.h"

typedef struct regression {
  const JN_S(tree) * tree;
  solid *B;                 /* [nb] */
  screw *V, *V_r, *A;       /* [nb] */
  screw *S, *Psi;           /* [nd] */
  vec3 *origin;             /* [nb] origins of the bodies in the world */
  twist *link_S, *link_Psi; /* [nd] screws and their rates in one link's frame */
} regression;

/* Takes scratch memory. */
static inline regression regression_place(const JN_S(tree) * tree, real **at) {
  regression r = {.tree = tree, .B = TAKE_ALIGNED(at, tree->nb, solid)};
  r.V = TAKE_ALIGNED(at, tree->nb, screw);
  r.V_r = TAKE(at, tree->nb, screw);
  r.A = TAKE(at, tree->nb, screw);
  r.S = TAKE(at, tree->nd, screw);
  r.Psi = TAKE(at, tree->nd, screw);
  r.origin = TAKE(at, tree->nb, vec3);
  r.link_S = TAKE(at, tree->nd, twist);
  r.link_Psi = TAKE(at, tree->nd, twist);
  return r;
}

/* All bodies outwards. call: that of the kernel regressor. */
static inline void regression_sweep(const regression *r, const jn_call *call, const angles *angle) {
  const jn_regressor_arguments *args = &call->regressor;
  const JN_S(tree) *tree = r->tree;
  const real *v = args->v_r, *a = args->a_r;
  const screw base = {sp_zero(), args->weightless ? sp_zero() : sp_scale(K(-1), sp_load(tree->gravity))};

  /* Poses, S, V and Psi; zero at rest. */
  JN_(bodies_outward)(tree, args->q, args->v, angle, 0, r->B, r->S, r->V, r->Psi);
  for (int i = 0; i < tree->nb && !args->v; i++) r->V[i] = screw_zero();
  for (int k = 0; k < tree->nd && !args->v; k++) r->Psi[k] = screw_zero();

  /* V_r, A and the origins. */
  for (int i = 0; i < tree->nb; i++) {
    const JN_S(body) *body = &tree->body[i];
    int p = body->parent;
    vec3 d = sp_numbers(r->B[i].at.d);
    screw V = p < 0 ? screw_zero() : screw_shift(r->V_r[p], r->B[i].at.d);
    screw A = p < 0 ? base : screw_shift(r->A[p], r->B[i].at.d);
    for (int k = 0; k < body->nv; k++) {
      screw S = r->S[body->id + k];
      if (v) V = screw_axpy(v[body->iv + k], S, V);
      if (v) A = screw_axpy(v[body->iv + k], r->Psi[body->id + k], A);
      if (a) A = screw_axpy(a[body->iv + k], S, A);
    }
    r->V_r[i] = V;
    r->A[i] = A;
    r->origin[i] = p < 0 ? d : v3_add(r->origin[p], d);
  }
}

#endif
