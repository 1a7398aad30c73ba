/* SPDX-License-Identifier: BSD-2-Clause */
/* Position limits of coordinates. */
#ifndef JN_MODEL_LIMITS_H
#define JN_MODEL_LIMITS_H

#include "jounce/model.h"

/* For each coordinate of velocity: its place in q (-1: none, as for spherical and free joints) and its position limits,
 * those of joints that follow it included; infinite where there are none, and where they leave nothing between them.
 * place, lower, upper [nv]. */
void jn__find_position_limits(const jn_model *model, int *place, double *lower, double *upper);

/* The value between these limits that is nearest to x. */
static inline double limited(double x, double lower, double upper) { return x < lower ? lower : x > upper ? upper : x; }

#endif
