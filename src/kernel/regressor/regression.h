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
  regression sweep = {.tree = tree, .B = TAKE_ALIGNED(at, tree->nb, solid)};
  sweep.V = TAKE_ALIGNED(at, tree->nb, screw);
  sweep.V_r = TAKE(at, tree->nb, screw);
  sweep.A = TAKE(at, tree->nb, screw);
  sweep.S = TAKE(at, tree->nd, screw);
  sweep.Psi = TAKE(at, tree->nd, screw);
  sweep.origin = TAKE(at, tree->nb, vec3);
  sweep.link_S = TAKE(at, tree->nd, twist);
  sweep.link_Psi = TAKE(at, tree->nd, twist);
  return sweep;
}

/* All bodies outwards. call: that of the kernel regressor. */
static inline void regression_sweep(const regression *sweep, const jn_call *call, const angles *angle) {
  const jn_regressor_arguments *args = &call->regressor;
  const JN_S(tree) *tree = sweep->tree;
  const real *v = args->v_r, *a = args->a_r;
  const screw base = {sp_zero(), args->weightless ? sp_zero() : sp_scale(K(-1), sp_load(tree->gravity))};

  /* Poses, S, V and Psi; zero at rest. */
  JN_(bodies_outward)(tree, args->q, args->v, angle, 0, sweep->B, sweep->S, sweep->V, sweep->Psi);
  for (int i = 0; i < tree->nb && !args->v; i++) sweep->V[i] = screw_zero();
  for (int k = 0; k < tree->nd && !args->v; k++) sweep->Psi[k] = screw_zero();

  /* V_r, A and the origins. */
  for (int i = 0; i < tree->nb; i++) {
    const JN_S(body) *body = &tree->body[i];
    int p = body->parent;
    vec3 d = sp_numbers(sweep->B[i].at.d);
    screw V = p < 0 ? screw_zero() : screw_shift(sweep->V_r[p], sweep->B[i].at.d);
    screw A = p < 0 ? base : screw_shift(sweep->A[p], sweep->B[i].at.d);
    for (int k = 0; k < body->nv; k++) {
      screw S = sweep->S[body->id + k];
      if (v) V = screw_axpy(v[body->iv + k], S, V);
      if (v) A = screw_axpy(v[body->iv + k], sweep->Psi[body->id + k], A);
      if (a) A = screw_axpy(a[body->iv + k], S, A);
    }
    sweep->V_r[i] = V;
    sweep->A[i] = A;
    sweep->origin[i] = p < 0 ? d : v3_add(sweep->origin[p], d);
  }
}

#endif
