/* SPDX-License-Identifier: BSD-2-Clause */
/* What to doubt about a simulated motion, watched step by step. */
#ifndef JN_TOOL_SIMULATE_DOUBT_H
#define JN_TOOL_SIMULATE_DOUBT_H

#include "simulate.h"

/* A step, and when it began. */
typedef struct step_note {
  double start, step;
} step_note;

typedef struct doubts {
  const simulate_arg *arg;
  jn_simulator *simulator;
  jn_loops *loops; /* NULL: none */
  double duration;
  int nq, nv;
  bool is_fixed; /* steps of fixed length */
  bool failed;   /* an error ended the motion: nobody takes it for right */
  long steps;
  double kinetic; /* the largest of all samples */
  double weak;    /* the weakest condition of the loops after the last step, relative */
  bool singular;  /* the loops passed a singular configuration, then */
  double singular_time;
  step_note *longest; /* steps longer than all before */
  int longest_count;
  int integrator; /* that runs now */
  int stiff;      /* checks in a row that found the steps as long as stability allows */
  bool is_stiff;  /* enough of them; at these rates and steps: */
  double rate, step;
  jn_simulation_report before; /* of the simulators that ran before this one, summed */
  double *room;                /* [nq + 4 nv] */
} doubts;

void doubts_init(doubts *d, const simulate_arg *arg, const jn_model *model, jn_simulator *simulator, jn_loops *loops,
                 double duration);
void doubts_free(doubts *d);
void doubts_step(doubts *d, double before, double now); /* after each step */
/* Goes on with another simulator, which begins where the last one ended. */
void doubts_switch(doubts *d, jn_simulator *simulator, int integrator);
/* The report of all simulators together. */
void doubts_report(const doubts *d, jn_simulation_report *r);
void doubts_sample(doubts *d);     /* at some times, for the energies */
void doubts_tell(const doubts *d); /* warnings, to stderr */

#endif
