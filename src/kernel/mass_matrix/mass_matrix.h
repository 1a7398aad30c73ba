/* SPDX-License-Identifier: BSD-2-Clause */
/* The mass matrix (mass_matrix.c) as functions for other kernels: all of them get the same matrix, to the bit. */
#ifndef JN_KERNEL_MASS_MATRIX_MASS_MATRIX_H
#define JN_KERNEL_MASS_MATRIX_MASS_MATRIX_H

#include "../base/bodies.h"
#include "../base/coupling.h"

/* M(q) [nv x nv].
 *   angle        cosines and sines of the joint angles at q, from angles_at()
 *   elimination  rows and columns are in the order of elimination (tree.h), otherwise in that of v
 *   at           scratch memory, up to mass_matrix_scratch() */
void JN_(mass_matrix_at)(const JN_S(tree) * tree, const real *q, const angles *angle, int elimination, real *at,
                         real *M);
/* The end of the scratch memory that begins at `at`. */
real *JN_(mass_matrix_scratch)(const JN_S(tree) * tree, real *at);

/* The same after bodies_outward() with tensors. Inertias in B become those of subtrees. Z [nd + 3] is scratch memory;
 * `scratch` comes from mass_matrix_coupling_scratch(). */
void JN_(mass_matrix_of)(const JN_S(tree) * tree, int elimination, solid *B, const screw *S, screw *Z, real *scratch,
                         real *M);

/* M in the order of v, as output 0 of a call; in lanes it is sent to the caller's memory directly. The first function
 * begins after bodies_outward(), the second one with it. */
void JN_(mass_matrix_to)(const JN_S(tree) * tree, solid *B, const screw *S, screw *Z, real *scratch, jn_direct *direct,
                         real *M);
void JN_(mass_matrix_alone)(const JN_S(tree) * tree, const real *q, const angles *angle, real *at, jn_direct *direct,
                            real *M);

/* Takes the memory for coupled coordinates; NULL if nothing is coupled. */
static inline real *mass_matrix_coupling_scratch(const JN_S(tree) * tree, real **at) {
  real *scratch = *at;
  if (!tree->uncoupled) return NULL;
  coupling_place(tree, at);
  take(at, coupled_size(tree));
  return scratch;
}

#endif
