/* SPDX-License-Identifier: BSD-2-Clause */
/* First derivatives of the mass matrix. [garofalo2013 eq. 24a]
 *
 * For coordinates a inward of b, that inward of c, c moves the inertias of all bodies outward of it, b moves the screw
 * of c, and a moves all of them alike:
 *
 *   dM_ac/dq_b = S_a . (S_b x* I_c S_c),    dM_ab/dq_c = S_a . dI S_b,    dM_bc/dq_a = 0,    dI = S_c x* I_c - I_c
 * ad_{S_c}
 *
 * This is also the mixed second derivative of tau by q and a, and the kernel inverse_dynamics_second_derivatives
 * computes it, as its last output, for jn_mass_matrix_derivative(). The inverse, dM^-1/dq = -M^-1 dM/dq M^-1, is in
 * second_derivatives/forward_dynamics_second_derivatives.c. Symbols as in second_derivatives/tensors.h. */
#ifndef JN_KERNEL_FIRST_DERIVATIVES_MASS_MATRIX_DERIVATIVE_H
#define JN_KERNEL_FIRST_DERIVATIVES_MASS_MATRIX_DERIVATIVE_H

#include "../second_derivatives/tensors.h"

/* The numbers of TILE coordinates a with the pair (b, c), from its parts S_b x* Z and dI S_b. */
FLAT void set_mass_matrix_values(const real *pair_of_b, const struct branch_twists *branch_a, values *numbers) {
  numbers->x[M_AC] = tile6_same(pair_of_b + SZ * TILE, branch_a->S);
  numbers->x[M_AB] = tile6_same(pair_of_b + DIS * TILE, branch_a->S);
}

#endif
