/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce simulate in parts: simulate.c the command and its arguments, forces.c what acts on the robot,
 * follow.c computed torque along a motion, run.c the motion, sample by sample, into files, pictures
 * and tables; doubt.c warnings about it. */
#ifndef JN_TOOL_SIMULATE_H
#define JN_TOOL_SIMULATE_H

#include "../motion/samples.h"

typedef struct simulate_arg {
  model_arg model;
  const char *initial;
  const char *torque;
  const char *trajectory; /* --motion */
  name_list actuated;     /* of models with loops */
  number_list gains, duration, tolerance, step, every, order, restitution, friction_speed;
  int integrator; /* JN_INTEGRATORS: not given, until one is chosen */
  int chosen;     /* by the user */
  int losses;
  const char *wrench;
  int wrench_interpolation;
  int wrench_axes;    /* of --wrench: 0 link, 1 world */
  const char *events; /* NULL: not wanted; "", "stop", "bounce" */
  const char *out, *plot, *size;
  int summary;
} simulate_arg;

/* Rising times at which forces are not smooth. */
typedef struct break_times {
  double *at;
  int count;
} break_times;

typedef enum force_law { FORCE_ZERO, FORCE_GRAVITY, FORCE_HOLD, FORCE_FILE, FORCE_MOTION } force_law;

/* What acts on the robot besides losses: the context of the simulator's functions. */
typedef struct acting_forces {
  const jn_model *model;
  force_law law;
  int nv;
  double kp, kd;
  jn_trajectory *motion;                      /* to follow */
  motion *closed;                             /* ... with loops closed; NULL without loops */
  double *damping, *friction, friction_speed; /* [nv] of --motion with --losses; NULL: none */
  jn_trajectory *wrenches;                    /* a motion that only carries them */
  break_times rows;                           /* of the file of torques, tau [count x nv] */
  double *tau;
  break_times wrench_rows;
  double *target;   /* [nq] to hold */
  jn_work *work;    /* of inverse dynamics */
  double *q, *room; /* [nq], [4 nv]; of computed torque its jets */
} acting_forces;

/* rk4 and euler (jn_integrator). */
bool has_fixed_steps(int integrator);

/* Reads what --torque, --motion, --gains and --wrench say; an exit code, or OPTION_GO_ON. q [nq]: where it begins. */
int acting_forces_init(acting_forces *f, const simulate_arg *arg, const jn_model *model, double duration);
void acting_forces_free(acting_forces *f);
/* Puts them into the options. */
void acting_forces_use(acting_forces *f, const double *q, jn_simulation_options *options);
/* Why the Taylor series of these forces is not known; NULL when it is. */
const char *acting_forces_rough(const acting_forces *f);

/* ---- follow.c: what --motion needs ---- */

/* Reads the losses, and what loops need, once the motion is there. An exit code, or OPTION_GO_ON. */
int follow_init(acting_forces *f, const simulate_arg *arg);
/* Numbers in acting_forces.room. */
size_t follow_room(int nv);
/* Computed torque, jn_simulation_options.force: of trees with derivatives, of loops without. */
jn_status follow_torque(void *context, double t, int order, const double *q, const double *v_jet, double *tau);
jn_status follow_closed_torque(void *context, double t, int order, const double *q, const double *v_jet, double *tau);
/* The motion to follow at a time, loops closed: q [nq], v_jet [2 x nv]. */
jn_status follow_desired(acting_forces *f, double t, double *q, double *v_jet);

/* Simulates from q, v for `duration`, and shows what is wanted; an exit code. loops NULL: none. */
int simulate_run(const simulate_arg *arg, acting_forces *f, jn_loops *loops, const jn_simulation_options *options,
                 jn_simulator *simulator, const double *q, const double *v, double duration);

#endif
