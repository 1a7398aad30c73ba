/* SPDX-License-Identifier: BSD-2-Clause */
/* Closed loops (jounce/loops.h) on mechanisms of their own. */
#ifndef JN_BENCH_CLOSED_H
#define JN_BENCH_CLOSED_H

/* Times them, and prints a table. */
void closed_loops(void);

#endif
