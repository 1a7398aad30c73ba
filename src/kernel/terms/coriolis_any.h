/* SPDX-License-Identifier: BSD-2-Clause */
/* Entries of the Coriolis matrix C (coriolis.h) for every number type, one coordinate after the other. */
#ifndef JN_KERNEL_TERMS_CORIOLIS_ANY_H
#define JN_KERNEL_TERMS_CORIOLIS_ANY_H

#include "coriolis.h"

#if !JN_REGISTERS

static inline real screws_power(screw F, screw S) { return dot(F.w, S.w) + dot(F.v, S.v); }

/* Row and column of C for coordinate k of body i, whose wrenches x are projected on the screws of its own body and of
 * its ancestors. */
static inline void coriolis_entries(const JN_S(tree) * tree, const solid *B, const screw *S, const screw *Psi,
                                    const coriolis_wrenches *x, int i, int k, real *C) {
  const JN_S(body) *body = &tree->body[i];
  int n = tree->nv, row = body->iv + k;
  screw Z = x->Z, W = x->W, Y = x->Y;

  /* The body itself: C_kl = Psi_l . Z + S_l . W. */
  for (int l = body->id; l < body->id + body->nv; l++)
    C[row * n + body->iv + l - body->id] += screws_power(Z, Psi[l]) + screws_power(W, S[l]);

  /* The ancestors, inwards. */
  for (int j = i; tree->body[j].parent >= 0;) {
    /* Z, W and Y about the origin of the next ancestor. */
    vec3 d = B[j].at.d;
    Z = wrench_shift(Z, d);
    W = wrench_shift(W, d);
    Y = wrench_shift(Y, d);
    j = tree->body[j].parent;
    const JN_S(body) *ancestor = &tree->body[j];

    /* C_kl = Psi_l . Z + S_l . W,  C_lk = S_l . Y. */
    for (int l = 0; l < ancestor->nv; l++) {
      screw P = Psi[ancestor->id + l], own = S[ancestor->id + l];
      int revolute = is_revolute(ancestor), column = ancestor->iv + l;
      C[row * n + column] += screws_power(Z, P) + (revolute ? dot(W.w, own.w) : screws_power(W, own));
      C[column * n + row] += revolute ? dot(Y.w, own.w) : screws_power(Y, own);
    }
  }
}

#endif

#endif
