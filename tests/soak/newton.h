/* SPDX-License-Identifier: BSD-2-Clause */
/* The slow definition of dynamics, in long double: Newton and Euler for each link by itself, projected by its Jacobian.
 * It uses only poses, Jacobians and accelerations of links, which have properties of their own. */
#ifndef JN_SOAK_NEWTON_H
#define JN_SOAK_NEWTON_H

#include "soak.h"

typedef long double number;

typedef struct newton {
  int n, links;
  number *T, *J, *V, *A; /* [links x 16], [links x 6 x n], [links x 6]; in the links' own axes */
  number *F;             /* [links x 6] what has to act on the link alone, weight counted as acceleration */
  number *h;             /* [links x 6] momentum in the link's frame */
} newton;

void newton_create(state *x, newton *w);
void newton_destroy(newton *w);

/* 6x6 inertia, Ad_T, Ad_{T^-1}, ad_V of long double arrays. */
void inertia_of(const double P[10], number G[36]);
void adjoint_of(const number T[16], number Ad[36]);
void inverse_pose(const number T[16], number out[16]);
void bracket_of(const number V[6], number ad[36]);
void times(const number *A, const number *B, number *C, int n, int k, int m);
void transposed_times(const number *A, const number *B, number *C, int n, int k,
                      int m); /* C [n x m] = A^T B, A [k x n] */

/* Armature of a coordinate, coupled joints included. */
number armature_of(const jn_model *m, int coordinate);
/* Springs, joint by joint: adds order k of the derivatives of their forces to force [nv] (v_jet: rows of derivatives of
 * the velocity, not used for k = 0) and returns the energy they store. */
number add_springs(const jn_model *m, const number *q, const number *v_jet, int k, number *force);
/* tau of the definition, at v, a and wrench of the state. */
void newton_forces(state *x, const newton *w, number *tau);

#endif
