/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef JN_MODEL_SINGULAR_H
#define JN_MODEL_SINGULAR_H

#include "draft.h"

/* Warns of joints that have no effective inertia at a configuration without symmetry (massless or repeating chains),
 * from the pivots of forward dynamics (kim2012 Table 3). JN_OK or JN_ERR_MEMORY. */
jn_status jn__check_singular(jn_draft *d, const jn_model *m);

#endif
