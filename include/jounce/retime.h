/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce/retime.h: the same path at another speed, within limits of position, velocity, acceleration, jerk, effort and
 * effort rate, and of motors behind springs.
 * Tier: experimental (docs/stability.md).
 *
 * Uniform: q(t) becomes q(c t). At each time every limit is a polynomial inequality in c, because
 *   v^(k) -> c^(k+1) v^(k),   tau^(k) -> c^k (g^(k) + c^2 (tau^(k) - g^(k))),
 * g being what the forces are without motion; the largest c that keeps all of them is found by the roots.
 *
 * Along the path: q(u(t)), with u'^2 a spline of degree 5 over the path, so that u has five continuous derivatives, and
 * the shortest duration:
 *   tau = m u'' + c u'^2 + g,   tau' = m u''' + (m_u + 2 c) u' u'' + c_u u'^3 + g_u u',   m = M q_u.
 *
 * Wrenches of the trajectory belong to the places of the path: they are part of g, and come later in a slower motion.
 * Method and measurements: docs/retime.md. Errors of all: JN_ERR_NULL. */
#ifndef JOUNCE_RETIME_H
#define JOUNCE_RETIME_H

#include "elastic.h"
#include "trajectory.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What has limits. The last four are of motors behind springs (jounce/elastic.h). */
typedef enum jn_limited {
  JN_LIMITED_POSITION = 0,
  JN_LIMITED_VELOCITY = 1,
  JN_LIMITED_ACCELERATION = 2,
  JN_LIMITED_JERK = 3,
  JN_LIMITED_EFFORT = 4,
  JN_LIMITED_EFFORT_RATE = 5,
  JN_LIMITED_MOTOR_EFFORT = 6,
  JN_LIMITED_MOTOR_EFFORT_RATE = 7,
  JN_LIMITED_MOTOR_VELOCITY = 8,
  JN_LIMITED_DEFLECTION = 9,
  JN_LIMITED_QUANTITIES = 10 /* how many there are */
} jn_limited;

/* "velocity", "motor effort rate", ...; NULL for a number that is none. */
JN_API const char *jn_limited_name(jn_limited which);

/* A range; infinite where there is no limit. */
typedef struct jn_range {
  double lower; /* -INFINITY: none */
  double upper; /* INFINITY: none */
} jn_range;

/* limits [nv x JN_LIMITED_QUANTITIES] of the model and, if elastic is not NULL, of its motors. */
JN_API jn_status jn_limits_of_model(const jn_model *model, const jn_elastic *elastic, jn_range *limits);

/* Set up with jn_retime_options_init(). */
typedef struct jn_retime_options {
  size_t size;        /* sizeof(jn_retime_options), set by jn_retime_options_init() */
  double margin;      /* share of each limit that stays unused, but of positions: 0.05 keeps 5 %; default 0 */
  double largest;     /* factor of speed beyond which is not looked; default 1000 */
  int samples;        /* of the path, at first; default 1000 */
  int uniform;        /* 1: one factor for the whole motion; default 0: along the path */
  int intervals;      /* of the path, on which the speed is a spline; default 200, at most 1000 */
  int iterations;     /* of the optimiser at most; default 400 */
  int moving_ends;    /* 1: a path that has a speed at its ends keeps moving there; default 0: starts and ends at rest,
                         without velocity and acceleration */
  int smooth_ends;    /* 1: where it stops, jerk and snap are zero as well, and so is the effort rate: usual splines
                         through samples then keep the limits at the ends, too. Needs a `ramp` above zero: without one,
                         speeds near the ends are hard to find. Always so with motors behind springs, and not if
                         uniform; default 0 */
  double start_speed; /* of s at the start and at the end, 1: that of the given motion; 0: at rest; NAN (default): as */
  double end_speed;   /*   moving_ends says. Only along the path */
  double step;        /* [s] the duration is a whole number of these; default 0: any */
  double ramp;        /* [s] along the path, a limited quantity takes this long to go from zero to its limit, unless the
                         limit of its derivative says otherwise: so samples that are closer show it; default 0 */
  int losses;         /* 1: damping and Coulomb friction of the joints are part of the efforts; default 0 */
  jn_elastic *elastic; /* motors, whose limits count; NULL: none. Springs must be undamped. Limits of linear ones
                hold between samples; of others, and with friction of the motor, at the samples, which are
                then four times as many */
  jn_loops *loops;     /* of a model with loops, for jets of order 2, with motors 4 */
  const unsigned char *actuated; /* [nv] of a model with loops: which coordinates have forces, as in loops.h */
  /* The path: q [nq] and v_jet [(order+2) x nv] at time s of the trajectory, with loops closed. NULL: what the
   * trajectory says. */
  jn_status (*motion)(void *context, double s, int order, double *q, double *v_jet);
  void *motion_context;
  void (*progress)(double part, void *context); /* 0 ... 1; may be NULL */
  void *progress_context;
} jn_retime_options;

/* The defaults that are named there. */
JN_API void jn_retime_options_init(jn_retime_options *options);

/* A limit, and when it is reached or broken. */
typedef struct jn_limit_event {
  int v;            /* velocity coordinate; JN_NONE: no limit at all, or the largest factor that was allowed */
  jn_limited which; /* of its limits */
  double value;     /* there */
  double limit;     /* with the margin */
  double from, to;  /* [s] of the new motion; of one that is not possible, of the given one */
} jn_limit_event;

/* A motion with another timing. It evaluates the trajectory, which must live as long. */
typedef struct jn_retimed jn_retimed;

/* Finds the new timing of a trajectory under limits [nv x JN_LIMITED_QUANTITIES]. *retimed is NULL, with JN_OK, if no
 * speed is possible: *event (may be NULL) is then the limit that is broken at every speed, with the value at rest, for
 * example by weight alone; or, if v is JN_NONE, a speed that was given for an end cannot be: `value` was reached,
 * `limit` was asked for, `from` is the time of that end. Otherwise it is the limit that stops a uniform motion from
 * being faster. Errors: JN_ERR_INIT, JN_ERR_SIZE (options),
 * JN_ERR_UNSUPPORTED (a model with loops without `loops`, `actuated` and `motion`; springs with damping;
 * losses of motors behind springs or of loops), JN_ERR_MEMORY, JN_ERR_VARIANT, and those of `motion`. */
JN_API jn_status jn_retime(const jn_model *model, const jn_trajectory *trajectory, const jn_range *limits,
                           const jn_retime_options *options, jn_retimed **retimed, jn_limit_event *event);
JN_API void jn_retimed_destroy(jn_retimed *retimed); /* Releases it; NULL is allowed. */

/* Duration [s]; and the largest uniform factor, of the motion as it was given (along the path, with ends at rest, a
 * motion may take longer than at that factor). INFINITY: nothing limits the motion. NaN: NULL. */
JN_API double jn_retimed_duration(const jn_retimed *retimed);
JN_API double jn_retimed_factor(const jn_retimed *retimed);
/* s and its first three derivatives at time t, 0 ... duration: s runs through the times of the trajectory. */
JN_API jn_status jn_retimed_path(const jn_retimed *retimed, double t, double s_jet[4]);
/* The motion at time t: q [nq] and v_jet [3 x nv]: velocity, acceleration, jerk. q and v_jet must not be NULL. */
JN_API jn_status jn_retimed_evaluate(const jn_retimed *retimed, double t, double *q, double *v_jet);
/* The same with v_jet [(K+2) x nv], K from 0 to 3. q and v_jet must not be NULL. Errors: JN_ERR_SIZE (order). */
JN_API jn_status jn_retimed_jet(const jn_retimed *retimed, double t, int order, double *q, double *v_jet);
/* The wrenches of the trajectory at time t, in the axes that they were given in, wrench_jet [(K+1) x nlink x 6], K from
 * 0 to 5. Errors: JN_ERR_SIZE. */
JN_API jn_status jn_retimed_wrenches(const jn_retimed *retimed, double t, int order, double *wrench_jet);
/* Which limits the motion reaches (within 2 %), in order of time: event i, JN_ERR_INDEX behind the last. */
JN_API int jn_retimed_event_count(const jn_retimed *retimed);
JN_API jn_status jn_retimed_event(const jn_retimed *retimed, int i, jn_limit_event *event);

#ifdef __cplusplus
}
#endif
#endif
