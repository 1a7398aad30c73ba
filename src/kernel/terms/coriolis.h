/* SPDX-License-Identifier: BSD-2-Clause */
/* The Coriolis matrix C(q, v), with which dM/dt - 2 C is skew-symmetric. [garofalo2013 eq. 6b, mueller2021 eq. 62]
 *
 *   C = sum over bodies k of J_k^T (I_k dJ_k/dt + (I_k ad_k - ad_k^T I_k) J_k)                       garofalo2013 (6b)
 *
 * With dJ_k^j = Ad_kj Psi_j - ad_k Ad_kj S_j, the two terms with I_k ad_k cancel:
 *
 *   C_ij = S_i . sum_k Ad_ki^T (I_k Ad_kj Psi_j + B_k Ad_kj S_j),      B_k = -ad_k^T I_k = V_k x* I_k
 *
 * The sums over k run over the subtree of the outer of i and j. So the outer coordinate, i, needs three wrenches, which
 * are carried inward and projected on the screws of each ancestor j:
 *
 *   Z = I S,   W = B^T S,   Y = I Psi + B S       C_ij = Psi_j . Z_i + S_j . W_i,    C_ji = S_j . Y_i
 *
 *   symbol   meaning                                              size    frame
 *   S, Psi   joint screw and its rate dS/dt                       6       world's axes, about the body's origin
 *   I, B     inertia and V x* I, of the body, then of its subtree 10, 24  the same
 *   Z, W, Y  the wrenches above                                   6       the same */
#ifndef JN_KERNEL_TERMS_CORIOLIS_H
#define JN_KERNEL_TERMS_CORIOLIS_H

#include "../base/bodies.h"

typedef struct coriolis_wrenches {
  screw Z, W, Y;
} coriolis_wrenches;

/* Z, W and Y of a screw S with rate Psi. I, B: of the subtree that S moves. revolute: S has no linear part. */
static inline coriolis_wrenches subtree_wrenches(const space_inertia *I, const space_crossed *B, int revolute, screw S,
                                                 screw Psi) {
  return (coriolis_wrenches){inertia_mul(I, revolute, S), space_crossed_tmul(B, revolute, S),
                             screw_add(inertia_mul(I, 0, Psi), space_crossed_mul(B, revolute, S))};
}

#endif
