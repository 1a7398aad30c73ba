/* SPDX-License-Identifier: BSD-2-Clause */
/* Closed loops (jounce/loops.h) on mechanisms of their own. */
#ifndef JN_BENCH_CLOSED_H
#define JN_BENCH_CLOSED_H

/* Times them, all or one mechanism (NULL: all), and prints a table. 2 if there is no such one, else 0. */
int closed_loops(const char *only);
/* Only these calls, for instruction counters and profiles. Returns what the program is to end with. */
int closed_loop_calls(const char *mechanism, const char *algorithm, int count);

/* Beside another library: forward dynamics, and with its derivatives. */
typedef struct loop_times {
  int nv, conditions;
  double own[2], peer[2]; /* ns; NAN: no peer */
  double gap;             /* by which accelerations and their derivatives by tau differ, relative */
  double rate_gap;        /* the same of their rate along the motion, from the derivatives by q and v */
} loop_times;

/* Whether it names one: built in, or KIND:ROBOT:LINK,LINK... with the kinds contact, join and weld (closed.c). */
int is_mechanism(const char *name);
loop_times closed_loop_times(const char *name, int rounds);

#endif
