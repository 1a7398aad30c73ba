/* SPDX-License-Identifier: BSD-2-Clause */
/* Entries of the Coriolis matrix C (coriolis.h) for every row, one coordinate after the other. */
#ifndef JN_KERNEL_TERMS_CORIOLIS_ANY_H
#define JN_KERNEL_TERMS_CORIOLIS_ANY_H

#include "coriolis.h"

#if !JN_REGISTERS

static inline real screws_power(screw F, screw S) { return dot(F.w, S.w) + dot(F.v, S.v); }

/* Row and column of C of coordinate k of body i, of wrenches x, against its own body and the ancestors. */
static inline void coriolis_entries(const JN_S(tree) * t, const solid *B, const screw *S, const screw *Psi,
                                    const coriolis_wrenches *x, int i, int k, real *C) {
  const JN_S(body) *b = &t->body[i];
  int n = t->nv, row = b->iv + k;
  screw Z = x->Z, W = x->W, Y = x->Y;
  for (int l = b->id; l < b->id + b->nv; l++)
    C[row * n + b->iv + l - b->id] += screws_power(Z, Psi[l]) + screws_power(W, S[l]);
  for (int j = i; t->body[j].parent >= 0;) {
    vec3 d = B[j].at.d;
    Z = wrench_shift(Z, d);
    W = wrench_shift(W, d);
    Y = wrench_shift(Y, d);
    j = t->body[j].parent;
    const JN_S(body) *c = &t->body[j];
    for (int l = 0; l < c->nv; l++) {
      screw P = Psi[c->id + l], own = S[c->id + l];
      int turn = is_revolute(c), column = c->iv + l;
      C[row * n + column] += screws_power(Z, P) + (turn ? dot(W.w, own.w) : screws_power(W, own));
      C[column * n + row] += turn ? dot(Y.w, own.w) : screws_power(Y, own);
    }
  }
}

#endif

#endif
