/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce/simulation.h: motion in time, from a state and the forces that act on it.
 * Tier: experimental (docs/stability.md).
 *
 *   q' = v (on the group for spherical and free joints),   M v' + C v + g + k = tau(t, q, v) + sum J^T W(t)
 * A simulator is made once from a model (or its loops) and options; it owns all its memory, and stepping does not
 * allocate. It belongs to one thread; the model may be shared. Every method steps on the manifold of configurations:
 * quaternions stay unit, and coordinates of loops are put back onto their conditions (to 1e-12) after every step.
 *
 * Forces are the sum of a constant tau, gravity compensation, a function of the user, and losses (damping and
 * regularised Coulomb friction of the model), each if wanted; springs of the model are part of its dynamics. Methods
 * and measurements: docs/simulation.md.
 * Errors of all: JN_ERR_NULL; of all that step: JN_ERR_SINGULAR, JN_ERR_LOOP, JN_ERR_STEP, JN_ERR_VARIANT, and whatever
 * a function of the user returns. */
#ifndef JOUNCE_SIMULATION_H
#define JOUNCE_SIMULATION_H

#include "batch.h"
#include "loops.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Methods: code, name. The first three choose their steps from the tolerance, the others take steps of a given size. */
#define JN_INTEGRATOR_LIST(X)                                                                            \
  X(JN_TAYLOR, "taylor")             /* Taylor series of any order; steps by Jorba and Zou (2005) */     \
  X(JN_DORMAND_PRINCE, "dopri5")     /* explicit Runge-Kutta 5(4) of Dormand and Prince (1980) */        \
  X(JN_RODAS, "rodas")               /* implicit (Rosenbrock) 4(3) of Hairer and Wanner (1996): stiff */ \
  X(JN_RUNGE_KUTTA_4, "rk4")         /* the classical method of order 4, in the form of Munthe-Kaas */   \
  X(JN_SEMI_IMPLICIT_EULER, "euler") /* order 1: v += h a, then q (+) h v */

/* The methods of JN_INTEGRATOR_LIST. */
typedef enum jn_integrator {
#define JN_INTEGRATOR_ENUM(code, name) code,
  JN_INTEGRATOR_LIST(JN_INTEGRATOR_ENUM)
#undef JN_INTEGRATOR_ENUM
      JN_INTEGRATORS /* how many there are */
} jn_integrator;

/* The name of a method, e.g. "taylor"; NULL for a number that is none. */
JN_API const char *jn_integrator_name(jn_integrator integrator);

/* The order that taylor takes by itself, 1 - 0.6 ln(tolerance) rounded up: where the time for a motion is least. (With
 * costs that grow as the square of the order that is 1 - ln(tolerance)/2; here they grow more slowly.) */
JN_API int jn_taylor_order(double tolerance);

/* What happens when a coordinate reaches a position limit of the model (not for spherical and free joints). */
typedef enum jn_limit_rule {
  JN_LIMITS_IGNORE = 0, /* nothing: limits are not looked at */
  JN_LIMITS_STOP = 1,   /* the step ends there, and jn_simulator_happened() says so */
  JN_LIMITS_BOUNCE = 2  /* a hard stop: the step ends there, and an impulse reverses the velocity, times restitution; a
                           coordinate slower than rest_speed afterwards stays at the stop for as long as it is pushed
                           against it. In loops, the impulse goes through the whole mechanism */
} jn_limit_rule;

/* A function of the state to watch: a step ends where it passes zero. It is also asked for states a little beyond an
 * event that ends the step. If it gives NaN, the step fails with JN_ERR_STEP. */
typedef struct jn_watch {
  double (*value)(void *context, double t, const double *q, const double *v); /* the function */
  void *context;                                                              /* given to it */
  int direction; /* 1: only rising, -1: only falling, 0: both */
} jn_watch;

/* Forces of the user: rows 0 ... order of tau_jet [(order+1) x nv], the forces and their derivatives in time along the
 * motion whose velocity jet begins with the rows 0 ... order of v_jet. Earlier rows were given by earlier calls and may
 * be left alone when order > 0. JN_OK, or an error that ends the step. */
typedef jn_status jn_force_function(void *context, double t, int order, const double *q, const double *v_jet,
                                    double *tau_jet);
/* External wrenches on the links as functions of time alone, wrench_jet [(order+1) x nlink x 6], as in jets.h. */
typedef jn_status jn_wrench_function(void *context, double t, int order, double *wrench_jet);
/* Prescribed coordinates: their columns of rows 1 ... order+1 of v_jet [(order+2) x nv]: acceleration and derivatives
 * as functions of time. Other columns are ignored. */
typedef jn_status jn_motion_function(void *context, double t, int order, double *v_jet);

/* As force_order: the function knows derivatives of any order. */
#define JN_ANY_ORDER 1000

/* Set up with jn_simulation_options_init(). All arrays are copied. */
typedef struct jn_simulation_options {
  size_t size;              /* sizeof(jn_simulation_options), set by jn_simulation_options_init() */
  jn_integrator integrator; /* default JN_TAYLOR */
  double tolerance;         /* local error of a step, of v relative to max(1, |v|), of q in rad and m; default 1e-10 */
  double step; /* [s] of rk4 and euler, which need it; of taylor the length of all steps, whatever the error; of the
                  others the first step; 0: found from the tolerance; default 0 */
  double largest_step;           /* [s] of methods that choose; 0: no limit */
  int order;                     /* of taylor, 2 ... 60; 0: jn_taylor_order(); default 0 */
  const double *tau;             /* [nv] constant forces; NULL: none */
  int gravity_compensation;      /* 1: forces that carry the weight, g(q) */
  int losses;                    /* 1: minus damping v and friction v / sqrt(v^2 + friction_speed^2) of the model */
  double friction_speed;         /* [rad/s, m/s] below which Coulomb friction fades to zero; default 1e-3 */
  jn_force_function *force;      /* NULL: none */
  int force_order;               /* highest derivative that it knows; default 0. Taylor needs its own order - 1 */
  int force_of_time;             /* 1: depends on time alone, v_jet may be NULL then; default 0 */
  jn_wrench_function *wrench;    /* NULL: none. Taylor asks for derivatives to order - 1 */
  jn_representation wrench_axes; /* of them: JN_IN_BODY (default), or JN_IN_ALIGNED: axes of the world, about the links'
                                    origins; not with derivatives (JN_ERR_UNSUPPORTED) */
  const unsigned char *prescribed;               /* [nv] coordinates whose motion is given; NULL: none */
  jn_motion_function *motion;                    /* of these; NULL: they keep their velocity */
  double (*next_break)(void *context, double t); /* first time after t where any of these functions is not smooth,
                                                    INFINITY: none. Steps end there. A time that is not after t is
                                                    ignored, NaN is JN_ERR_STEP. NULL: smooth throughout */
  void *context;                                 /* given to force, wrench, motion and next_break */
  jn_limit_rule limits;                          /* default JN_LIMITS_IGNORE */
  double restitution;                            /* of JN_LIMITS_BOUNCE: 0 ... 1; default 0 */
  double rest_speed;                             /* [rad/s, m/s] default 1e-4 */
  const jn_watch *watch;                         /* [watch_count] */
  int watch_count;
  int derivatives; /* memory for derivatives of a step: 1: by the state and forces, 2: by inertial parameters too, 3:
                      second derivatives too; default 0: none */
} jn_simulation_options;

/* The defaults that are named there. */
JN_API void jn_simulation_options_init(jn_simulation_options *options);

/* Moves one system in time. */
typedef struct jn_simulator jn_simulator;

/* From a model, whose loops are not looked at; options NULL: defaults. The model must live as long; memory comes from
 * its allocator. Starts at t = 0 in the neutral configuration, at rest. Errors: JN_ERR_INIT, JN_ERR_SIZE (a number of
 * the options is out of range), JN_ERR_CALLBACK (taylor, and the force function knows too few derivatives),
 * JN_ERR_MEMORY. */
JN_API jn_status jn_simulator_create(const jn_model *model, const jn_simulation_options *options,
                                     jn_simulator **simulator);
/* From a model with its loops, which the simulator uses while it steps; they must live as long. Taylor of order p needs
 * loops made for jets of order p - 1 (JN_ERR_WORK). */
JN_API jn_status jn_simulator_create_loops(jn_loops *loops, const jn_simulation_options *options,
                                           jn_simulator **simulator);
JN_API void jn_simulator_destroy(jn_simulator *simulator); /* Releases it; NULL is allowed. */

/* A new state; counters and energies start again. q [nq], v [nv] (NULL: at rest). With loops, they are put onto the
 * conditions (JN_ERR_LOOP if that is not possible). JN_ERR_SIZE: a number is not finite; the state stays as it was. */
JN_API jn_status jn_simulator_set(jn_simulator *simulator, double t, const double *q, const double *v);
/* The state now. Any may be NULL. */
JN_API jn_status jn_simulator_get(const jn_simulator *simulator, double *t, double *q, double *v);
/* Forces and acceleration [nv] that the options make of a state at a time, such as jn_simulator_dense() gives it: tau
 * without losses and wrenches; of prescribed coordinates what their motion takes. Either may be NULL. */
JN_API jn_status jn_simulator_forces(jn_simulator *simulator, double t, const double *q, const double *v, double *tau,
                                     double *a);

/* One step, which does not go beyond `until` > t; it ends earlier at a break, an event, or where the method likes. What
 * the functions of the options compute from may change between two calls: they are asked again at the start of each.
 * After an error the state is that before the step. JN_ERR_STEP: no step is small enough, see jn_simulator_report; or
 * a watch or next_break gave NaN. */
JN_API jn_status jn_simulator_step(jn_simulator *simulator, double until);
/* Steps until `until`, or until an event. JN_ERR_SIZE: `until` is in the past, or not finite. */
JN_API jn_status jn_simulator_run(jn_simulator *simulator, double until);
/* The state at a time within the last step, by the method's own continuous output: of the order of the method for
 * taylor, order 4 for dopri5, 3 for the others. Errors: JN_ERR_SIZE (t is not in the last step). */
JN_API jn_status jn_simulator_dense(jn_simulator *simulator, double t, double *q, double *v);

/* ---- derivatives of a step ----
 * Of the last step x+ = step(x, tau, pi), of the length that it had, by the state x = (q, v) before it, by constant
 * forces tau, and by the inertial parameters pi (regressor.h). Changes of x are tangent: q (+) dq, v + dv before the
 * step, q+ (+) dq+, v+ + dv+ after it. For all methods, with loops (A is then along changes that keep these closed, and
 * the projection at the end of the step is part of it) and prescribed coordinates (by whose accelerations there is no
 * derivative; their columns of B are zero). They need the option `derivatives`. Wrenches are held in the body.
 *
 * How exact: euler, rk4, dopri5: of the step itself, to rounding. taylor: of its series; with loops, gravity
 * compensation or a force function that depends on the state: of the motion, which the series has to its tolerance.
 * rodas: of the step itself, but second derivatives of the dynamics in it are differences (1e-11 of the result). With
 * loops, up to the square of what the projection corrects. A force function that depends on the state is differentiated
 * by differences (1e-9). Methods and tests: docs/simulation.md.
 * Errors of all: JN_ERR_UNSUPPORTED (no memory was asked for), JN_ERR_SIZE (there is no last step, or an event ended
 * it), JN_ERR_STEP (taylor with a motion too stiff for its steps). */

/* A = dx+/dx [2nv x 2nv], B = dx+/dtau [2nv x nv]. Either may be NULL. O(stages nv^3); of taylor's series O(order^2
 * nv^3). */
JN_API jn_status jn_simulator_derivatives(jn_simulator *simulator, double *A, double *B);
/* P = dx+/dpi [2nv x 10L]. Needs derivatives = 2. Gravity compensation knows the parameters as the model does. */
JN_API jn_status jn_simulator_parameter_derivatives(jn_simulator *simulator, double *P);
/* The gradient of f = lambda . x+, lambda [2nv]: df_dx [2nv] = A^T lambda, df_dtau [nv] = B^T lambda, df_dpi [10L] =
 * P^T lambda (this needs derivatives = 2). df_dtau and df_dpi may be NULL. For euler, rk4 and dopri5 backwards
 * through the stages, O(stages nv^2) beside the derivatives of the acceleration. */
JN_API jn_status jn_simulator_adjoint(jn_simulator *simulator, const double *lambda, double *df_dx, double *df_dtau,
                                      double *df_dpi);
/* H [3nv x 3nv]: the second derivatives of f = lambda . x+ by (q, v, tau), that of the product of multipliers with a
 * dynamics constraint. In exponential coordinates on both sides: f(z) = lambda . (x+(x (+) z) (-) x+(x)), so H is
 * symmetric. Needs derivatives = 3. For euler, rk4 and dopri5, exact, O(stages nv^3) and the second derivatives of
 * inverse dynamics. For taylor and rodas, with loops (x (+) z is put onto the conditions first), and with a force
 * function that depends on the state: by differences of the gradient (1e-8), 12 nv steps. */
JN_API jn_status jn_simulator_second_derivatives(jn_simulator *simulator, const double *lambda, double *H);

/* ---- derivatives of whole motions ----
 * A motion is x_(k+1) = step(x_k, tau_k, pi), k = 0 ... steps - 1, each step as long as the others and taken whatever
 * its error: what shooting methods and estimation need. JN_ERR_STEP: a step leads nowhere, or an event ends it. The
 * simulator is left at the end (forwards) or at the start (backwards) of the motion. */

/* Set up with jn_rollout_init(), which zeroes it. */
typedef struct jn_rollout {
  size_t size;         /* sizeof(jn_rollout), set by jn_rollout_init() */
  long steps;          /* how many */
  double t, step;      /* [s] where it begins, and the length of each step */
  const double *q, *v; /* [nq], [nv] (NULL: at rest) where it begins */
  const double *tau;   /* [steps x nv] forces of each step, beside those of the options; NULL: none */
  double *states;      /* [(steps + 1) x (nq + nv)] gets all states, q and v; NULL: not wanted */
  long checkpoints;    /* backwards: states that are kept on the way */
  double *room;        /* [jn_rollout_room()] for these */
  double cost;         /* out, backwards: the sum of all costs */
  long taken;          /* out: steps that were computed */
} jn_rollout;

JN_API void jn_rollout_init(jn_rollout *rollout); /* Zeroes it and sets its size. */
/* Numbers that `checkpoints` states take: checkpoints (nq + nv + 1). */
JN_API size_t jn_rollout_room(const jn_simulator *simulator, long checkpoints);

/* Directions in which the inputs change, the last index counting these. */
typedef struct jn_rollout_directions {
  double *dx_ds;         /* [2nv x directions] in: changes of the start; out: of the end */
  const double *dtau_ds; /* [steps x nv x directions] NULL: zero */
  const double *dpi_ds;  /* [10L x directions] NULL: zero; needs derivatives = 2 */
  double *room;          /* [2nv x directions] */
} jn_rollout_directions;
/* The motion, and its changes along `directions` directions (0: the motion alone, d may be NULL). */
JN_API jn_status jn_rollout_forward(jn_simulator *simulator, jn_rollout *rollout, int directions,
                                    const jn_rollout_directions *d);

/* A term of the cost f = sum_k cost_k(x_k), k = 0 ... steps: its value, and df_dx [2nv] its gradient in tangent
 * coordinates (zero on entry). It is called once for each k, from the last to the first. */
typedef jn_status jn_cost_function(void *context, long k, const double *q, const double *v, double *value,
                                   double *df_dx);
/* Where the gradient of f goes; df_dx must not be NULL. */
typedef struct jn_rollout_gradient {
  jn_cost_function *cost; /* terms of the cost */
  void *context;          /* given to it */
  double *df_dx;          /* [2nv] by the start */
  double *df_dtau;        /* [steps x nv] NULL: not wanted */
  double *df_dpi;         /* [10L] NULL: not wanted; needs derivatives = 2 */
  double *room;           /* [10L] if df_dpi is wanted */
} jn_rollout_gradient;
/* The gradient, by one pass back; whatever the number of checkpoints, the result is the same to the last bit. What
 * memory saves in computing: of 1000 steps, 2000 are computed with 999 states kept, 2500 with 500, 3000 with 43, 3800
 * with 16, 5400 with 7; with none, a square of them (the binomial schedule of Griewank and Walther 2000). */
JN_API jn_status jn_rollout_adjoint(jn_simulator *simulator, jn_rollout *rollout, const jn_rollout_gradient *gradient);

/* ---- many motions at once ---- */

/* Motions of one model from many states, each with its own forces, and with its own inertial parameters if the batch
 * has them (jn_batch_set_parameters). Set up with jn_motions_init(). Forces are tau and losses; loops, wrenches, events
 * and prescribed coordinates are for simulators, of which every thread may have its own. */
typedef struct jn_motions {
  size_t size;              /* sizeof(jn_motions), set by jn_motions_init() */
  jn_integrator integrator; /* JN_RUNGE_KUTTA_4 (default), JN_SEMI_IMPLICIT_EULER, JN_DORMAND_PRINCE without its control
                               of errors */
  long steps;               /* how many */
  double step;              /* [s] of each */
  const double *tau;        /* [count x tau_rows x nv] NULL: none */
  long tau_rows;            /* 1: constant, or `steps`: one row for each step */
  int losses;               /* as in jn_simulation_options */
  double friction_speed;    /* likewise */
  double *states; /* [count x (steps/every + 1) x (nq + nv)] gets states 0, every, 2 every ...; NULL: not wanted */
  long every;     /* default 1 */
  double *room;   /* [jn_motions_room()] */
} jn_motions;

JN_API void jn_motions_init(jn_motions *motions); /* The defaults that are named there. */
/* Numbers of the room that `count` motions need. */
JN_API size_t jn_motions_room(const jn_model *model, size_t count, jn_integrator integrator);
/* Moves the states q [count x nq], v [count x nv] in place, in the lanes and threads of the batch. Results do not
 * depend on the number of threads, not even in the last bit. Motions that leave all bounds become NaN and do not
 * disturb the others. Errors: JN_ERR_INIT, JN_ERR_SIZE, JN_ERR_UNSUPPORTED (the method), JN_ERR_SINGULAR
 * (jn_batch_singular() says which), and those of jn_forward_dynamics_batch(). */
JN_API jn_status jn_motions_run(jn_batch *batch, size_t count, const jn_motions *motions, double *q, double *v);

/* What ended the last step. */
typedef enum jn_happened {
  JN_NOTHING = 0,
  JN_LOWER_LIMIT = 1, /* of velocity coordinate `index` */
  JN_UPPER_LIMIT = 2,
  JN_RELEASE = 3, /* coordinate `index` leaves its stop */
  JN_WATCH = 4    /* function `index` passed zero */
} jn_happened;
/* The event at the end of the last step, and the number of the coordinate or watch (index may be NULL). */
JN_API jn_happened jn_simulator_happened(const jn_simulator *simulator, int *index);

/* What was done since jn_simulator_set(). Energies in J. */
typedef struct jn_simulation_report {
  long steps, rejected;      /* steps that were taken, and that were tried and were too long */
  long evaluations;          /* of forward dynamics; for taylor of whole series */
  long events;               /* limits, releases, watches */
  double last_step;          /* [s] */
  double least_step;         /* [s] the shortest that the method chose itself; 0: it chose none, or steps are fixed */
  double least_step_time;    /* [s] when that began. Steps a million times shorter than others: a singularity is near */
  int order;                 /* of the method */
  double kinetic, potential; /* now */
  double start;              /* kinetic + potential at the start */
  double work;               /* of forces: constant, user, gravity compensation, prescribed */
  double losses;             /* taken by damping and friction, not negative */
  double wrenches;           /* work of external wrenches */
  double impacts;            /* taken by stops */
  double drift;              /* kinetic + potential - start - work - wrenches + losses + impacts: error of the method */
  int joint;                 /* after an error: the joint that is the cause, or JN_NONE */
} jn_simulation_report;
/* Counters and energies now. */
JN_API jn_status jn_simulator_report(jn_simulator *simulator, jn_simulation_report *report);

#ifdef __cplusplus
}
#endif
#endif
