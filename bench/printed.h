/* SPDX-License-Identifier: BSD-2-Clause */
/* The printed recursion (tests/printed_recursion.h), compiled for the instruction set of the library's best row. */
#ifndef JN_BENCH_PRINTED_H
#define JN_BENCH_PRINTED_H

#include "jounce/jounce.h"

typedef struct printed printed;

int printed_runs_here(void); /* 0: this processor lacks what it was compiled for */
printed *printed_make(const jn_model *model, int order);
void printed_free(printed *p);
void printed_forces(const printed *p, const double *q, const double *v_jet, double *tau_jet);

#endif
