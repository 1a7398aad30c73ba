/* SPDX-License-Identifier: BSD-2-Clause */
/* The sweep that regressors (regressor.c) come from: twists V, reference twists V_r and reference accelerations
 * A = sum S a_r + Psi v_r - gravity of all bodies, in the world's axes (bodies.h). */
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
  vec3 *place;              /* [nb] origins of the bodies in the world */
  twist *link_S, *link_Psi; /* [nd] screws and their rates in one link's frame */
} regression;

static inline regression regression_place(const JN_S(tree) * tree, real **at) {
  regression r = {.tree = tree, .B = TAKE_ALIGNED(at, tree->nb, solid)};
  r.V = TAKE_ALIGNED(at, tree->nb, screw);
  r.V_r = TAKE(at, tree->nb, screw);
  r.A = TAKE(at, tree->nb, screw);
  r.S = TAKE(at, tree->nd, screw);
  r.Psi = TAKE(at, tree->nd, screw);
  r.place = TAKE(at, tree->nb, vec3);
  r.link_S = TAKE(at, tree->nd, twist);
  r.link_Psi = TAKE(at, tree->nd, twist);
  return r;
}

/* c: inputs and arg[0] of the kernel. */
static inline void regression_sweep(const regression *r, const jn_call *call, const angles *angle) {
  const JN_S(tree) *tree = r->tree;
  const real *v = call->in[2], *a = call->in[3];
  const screw base = {sp_zero(), call->arg[0] ? sp_zero() : sp_scale(K(-1), sp_load(tree->gravity))};
  JN_(bodies_outward)(tree, call->in[0], call->in[1], angle, 0, r->B, r->S, r->V, r->Psi);
  for (int i = 0; i < tree->nb && !call->in[1]; i++) r->V[i] = screw_zero();
  for (int k = 0; k < tree->nd && !call->in[1]; k++) r->Psi[k] = screw_zero();
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
    r->place[i] = p < 0 ? d : v3_add(r->place[p], d);
  }
}

#endif
