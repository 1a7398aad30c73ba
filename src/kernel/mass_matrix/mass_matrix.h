/* SPDX-License-Identifier: BSD-2-Clause */
/* CRBA: the mass matrix by composite inertias. One function for all kernels that need it, so that all give the same to
 * the bit. */
#ifndef JN_KERNEL_MASS_MATRIX_MASS_MATRIX_H
#define JN_KERNEL_MASS_MATRIX_MASS_MATRIX_H

#include "../base/bodies.h"
#include "../base/coupling.h"

/* M [nv x nv]; elimination: rows and columns in the order of elimination (tree.h). turn: of angles_at() at q. at:
 * scratch memory, up to mass_matrix_scratch(). */
void JN_(mass_matrix_at)(const JN_S(tree) * t, const real *q, const angles *turn, int elimination, real *at, real *M);
/* Where scratch memory from `at` on ends. */
real *JN_(mass_matrix_scratch)(const JN_S(tree) * t, real *at);

/* The same from the sweep of bodies.h, with tensors; inertias in B become those of subtrees. Z [nd + 3] is scratch, and
 * so is the room of a coupling (coupling.h). */
void JN_(mass_matrix_of)(const JN_S(tree) * t, int elimination, solid *B, const screw *S, screw *Z, real *room,
                         real *M);

/* M, in the order of v, as output 0 of a kernel; in lanes straight to the caller. From that sweep, and with it. */
void JN_(mass_matrix_to)(const JN_S(tree) * t, solid *B, const screw *S, screw *Z, real *room, jn_direct *direct,
                         real *M);
void JN_(mass_matrix_alone)(const JN_S(tree) * t, const real *q, const angles *turn, real *at, jn_direct *direct,
                            real *M);

/* Its room: none if nothing is coupled. */
static inline real *mass_matrix_room(const JN_S(tree) * t, real **at) {
  real *room = *at;
  if (!t->uncoupled) return NULL;
  coupling_place(t, at);
  take(at, coupled_size(t));
  return room;
}

#endif
