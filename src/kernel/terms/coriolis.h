/* SPDX-License-Identifier: BSD-2-Clause */
/* The Coriolis matrix C = sum_k J_k^T (I_k dJ_k + (I_k ad_k - ad_k^T I_k) J_k)   (garofalo2013 eq. 6b). With
 * dJ_k^j = Ad_kj Psi_j - ad_k Ad_kj S_j the two terms with I_k ad_k cancel:
 *   C_ij = S_i . sum_k Ad_ki^T (I_k Ad_kj Psi_j + B_k Ad_kj S_j),   B_k = -ad_k^T I_k = V x* I,
 * so the sums over k belong to subtrees, and a pair (i, j) on a branch needs three wrenches of the outer one,
 *   Z = I S,   W = B^T S,   Y = I Psi + B S:      C_ij = Psi_j . Z_i + S_j . W_i,   C_ji = S_j . Y_i. */
#ifndef JN_KERNEL_TERMS_CORIOLIS_H
#define JN_KERNEL_TERMS_CORIOLIS_H

#include "../base/bodies.h"

typedef struct coriolis_wrenches {
  screw Z, W, Y;
} coriolis_wrenches;

/* Of screw S of a body with inertia I and B = X, of its subtree. */
static inline coriolis_wrenches subtree_wrenches(const space_inertia *I, const space_crossed *X, int revolute, screw S,
                                                 screw Psi) {
  return (coriolis_wrenches){inertia_mul(I, revolute, S), space_crossed_tmul(X, revolute, S),
                             screw_add(inertia_mul(I, 0, Psi), space_crossed_mul(X, revolute, S))};
}

#endif
