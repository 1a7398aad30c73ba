/* SPDX-License-Identifier: BSD-2-Clause */
/* In which order coordinates of a tree with coupled joints are eliminated from the mass matrix. */
#ifndef JN_MODEL_ELIMINATION_H
#define JN_MODEL_ELIMINATION_H

#include "../tree/tree.h"
#include "memory.h"

/* The elimination tree of M: order [nv], lambda [nv] and place [nd] of tree.h. Coordinates come in the order of the
 * first body that each moves. JN_ERR_MEMORY. O(nv + the sum of the depths of all leaves). */
jn_status jn__eliminate(const jn_allocator *allocator, const jn_tree_d *tree, int32_t *order, int32_t *lambda,
                        int32_t *place);

#endif
