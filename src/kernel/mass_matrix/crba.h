/* SPDX-License-Identifier: BSD-2-Clause */
/* The mass matrix from q in one go, by the sweep that suits the row: registers for one state with AVX2, else world.h.
 * One function for all kernels that need it, so that all give the same to the bit. */
#ifndef JN_KERNEL_MASS_MATRIX_CRBA_H
#define JN_KERNEL_MASS_MATRIX_CRBA_H

#include "../base/world.h"

/* M [nv x nv]; elimination: rows and columns in the order of elimination (tree.h). turn: of angles_at() at q. at:
 * scratch memory, 48 nb + 20 nd + 64 reals of it. */
void JN_(mass_matrix)(const JN_S(tree) * t, const real *q, const angles *turn, int elimination, real *at, real *M);

#endif
