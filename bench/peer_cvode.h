/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef JN_BENCH_PEER_CVODE_H
#define JN_BENCH_PEER_CVODE_H

#include <jounce/jounce.h>

/* Moves q, v [nv] by `duration`, with damping at all joints; the steps that it took, -1: an error. */
long cvode_run(const jn_model *model, double damping, double tolerance, double duration, double *q, double *v);

#endif
