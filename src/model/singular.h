/* SPDX-License-Identifier: BSD-2-Clause */
/* Joints without effective inertia. */
#ifndef JN_MODEL_SINGULAR_H
#define JN_MODEL_SINGULAR_H

#include "../tree/tree.h"
#include "draft.h"

/* The inertia that each coordinate moves at a configuration without symmetry, reference_inertia [nd]. JN_OK or
 * JN_ERR_MEMORY. */
jn_status jn__measure(jn_draft *draft, const jn_tree_d *tree, double *reference_inertia);
/* Warns of joints that have no effective inertia there (massless or repeating chains), from the pivots of forward
 * dynamics (kim2012 Table 3). JN_OK or JN_ERR_MEMORY. */
jn_status jn__check_singular(jn_draft *draft, const jn_model *model);

#endif
