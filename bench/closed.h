/* SPDX-License-Identifier: BSD-2-Clause */
/* Closed loops (jounce/loops.h) on mechanisms of their own. */
#ifndef JN_BENCH_CLOSED_H
#define JN_BENCH_CLOSED_H

/* Times them, all or one mechanism (NULL: all), and prints a table. 2 if there is no such one, else 0. */
int closed_loops(const char *only);
/* Only these calls, for instruction counters and profiles. Returns what the program is to end with. */
int closed_loop_calls(const char *mechanism, const char *algorithm, int count);

#endif
