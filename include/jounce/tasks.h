/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce/tasks.h: task space. Inverse kinematics of position, and of any order in time; operational-space dynamics.
 * Tier: experimental (docs/stability.md).
 *
 * A task is something the robot should do with a frame: have a pose, a position, an orientation, point an axis in a
 * direction, keep a distance; all of these relative to the world or to another frame. Or it is about the centre of
 * mass, or about the values of a joint. A jn_tasks is a list of tasks of one model. Three kinds of numbers belong to
 * it, each stacked in the order of the tasks:
 *
 *   target  what the tasks should be (and what they are: jn_tasks_values())
 *   rates   first time derivative of that, and with it jets of any order: rate = J v
 *   J       the Jacobian of the tasks [rows x nv]
 *
 *   type             target, numbers                          rates, rows
 *   pose             pose in the reference, 4x4          16   twist of the frame against it, in the frame's axes  6
 *   position         of the origin, in the reference      3   its derivative                                      3
 *   orientation      rotation matrix in the reference     9   angular velocity against it, in the frame's axes    3
 *   direction        of `axis`, unit vector in it         3   its derivative                                      3
 *   distance         between the two origins              1   its derivative                                      1
 *   center_of_mass   of a subtree, in the world           3   its derivative                                      3
 *   joint            configuration of the joint          nq   its velocity                                       nv
 *
 * Models may have any joints, coupled coordinates, free bases and closed loops. Loops have a rank above all tasks: they
 * are always closed. Position limits of the model are inequalities: no solution breaks them.
 *
 * A jn_tasks belongs to one thread. Only jn_tasks_create() allocates. All numbers are double. Jets as in jets.h.
 * Errors of all: JN_ERR_NULL, JN_ERR_VARIANT, and where named. Mathematics and examples: docs/tasks.md. */
#ifndef JOUNCE_TASKS_H
#define JOUNCE_TASKS_H

#include "loops.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Types of tasks: code, name in files and messages. */
#define JN_TASK_LIST(X)                       \
  X(JN_TASK_POSE, "pose")                     \
  X(JN_TASK_POSITION, "position")             \
  X(JN_TASK_ORIENTATION, "orientation")       \
  X(JN_TASK_DIRECTION, "direction")           \
  X(JN_TASK_DISTANCE, "distance")             \
  X(JN_TASK_CENTER_OF_MASS, "center_of_mass") \
  X(JN_TASK_JOINT, "joint")

/* The types of JN_TASK_LIST. */
typedef enum jn_task_type {
#define JN_TASK_ENUM(code, name) code,
  JN_TASK_LIST(JN_TASK_ENUM)
#undef JN_TASK_ENUM
      JN_TASK_TYPES /* how many there are */
} jn_task_type;

/* The name of a type, e.g. "pose"; NULL if the number is not a type. */
JN_API const char *jn_task_type_name(jn_task_type type);

/* One task. Set it up with jn_task_init(). */
typedef struct jn_task {
  size_t size;       /* sizeof(jn_task), set by jn_task_init() */
  jn_task_type type; /* what is asked */
  int frame;         /* link or named frame; center_of_mass: the link whose subtree counts, JN_WORLD: all; joint: the
                        joint */
  int reference;     /* frame that it is relative to; default JN_WORLD. Not for center_of_mass and joint */
  double axis[3];    /* direction: in the frame, normalised by jn_tasks_create(); default z */
  /* Weights of the rows of `rates` in least squares [1/rad, 1/m]; rows of weight 0 are left out. direction has one
   * weight, weight[0]. joint uses weight[0] for all its rows. Default 1. */
  double weight[6];
  int priority; /* 0, the default, comes first; tasks of higher numbers only use what tasks of lower numbers leave free
                 */
} jn_task;

/* Defaults: the pose of link 0 in the world, weights 1, priority 0. */
JN_API void jn_task_init(jn_task *task);

/* Set up with jn_tasks_options_init(). */
typedef struct jn_tasks_options {
  size_t size;          /* sizeof(jn_tasks_options), set by jn_tasks_options_init() */
  int order;            /* highest order of jets that will be asked for, below JN_MAX_ORDER; default 0 */
  int ignore_limits;    /* 1: position limits of the model do not count; default 0 */
  double accuracy;      /* [rad, m] a target is reached when no row is farther from it; default 1e-12, in variants of
                           float 100 roundings */
  int iterations;       /* at most so many from one start; default 100 */
  int starts;           /* at most so many starts: the first is the q that is given, the others are random; default 1 */
  int nearest;          /* 1: make all starts, and return the solution nearest to the given q; default 0: the first */
  uint64_t seed;        /* of random starts; default 1 */
  double longest_step;  /* [rad, m] no coordinate moves farther in one iteration; default 1 */
  const double *metric; /* [nv] W: redundancy keeps sum W_i v_i^2 least; default NULL: ones. Copied */
  const double
      *posture;  /* [nq] and gain [1/s]: redundancy of velocities is drawn to this configuration: sum W_i (v_i */
  double gain;   /*   + gain (q_i - posture_i))^2 is least. Default NULL, 0: off. Copied */
  double weak;   /* directions weaker than this, relative to the strongest, count as singular; default 1e-6, in variants
                    of   float 100 roundings */
  int threads;   /* of jn_tasks_solve_batch(); default 1; 0: as many as OpenMP would use */
  double margin; /* [rad, m] in motions, a coordinate that is not needed slows down this near to a position limit (or a
                    twentieth of its range, if that is less); 0: it does not, and may meet it. Default 0.1 */
} jn_tasks_options;

/* The defaults that are named there. */
JN_API void jn_tasks_options_init(jn_tasks_options *options);

/* A list of tasks of one model, with all the memory that solving takes. */
typedef struct jn_tasks jn_tasks;

/* task [count]; options NULL: defaults. The model must live as long. Errors: JN_ERR_INIT, JN_ERR_SIZE (options,
 * negative weights or priorities, no axis), JN_ERR_INDEX (frame, reference, joint), JN_ERR_MEMORY. */
JN_API jn_status jn_tasks_create(const jn_model *model, const jn_task *task, int count, const jn_tasks_options *options,
                                 jn_tasks **tasks);
JN_API void jn_tasks_destroy(jn_tasks *tasks); /* Releases it; NULL is allowed. */

/* Numbers of all targets, and the first number of those of task i (and how many, if numbers is not NULL). -1: no such
 * task. */
JN_API int jn_tasks_targets(const jn_tasks *tasks);
JN_API int jn_tasks_target(const jn_tasks *tasks, int i, int *numbers);
/* Rows of all tasks, and the first row of task i (and how many). */
JN_API int jn_tasks_rows(const jn_tasks *tasks);
JN_API int jn_tasks_row(const jn_tasks *tasks, int i, int *rows);

/* What the tasks are at q, target [targets]. */
JN_API jn_status jn_tasks_values(jn_tasks *tasks, const double *q, double *target);
/* How far q is from a target, error [rows], in the units of rates: pose and orientation: the rotation vector to the
 * target, and the distance to its origin, both in the frame's axes (if one axis of the frame has the weight 0 in its
 * rotation: the rotation vector that turns this axis to where the target has it); direction: the rotation vector to it,
 * in the frame's axes; others: target - value. */
JN_API jn_status jn_tasks_error(jn_tasks *tasks, const double *q, const double *target, double *error);
/* J_jet [(K+1) x rows x nv]: J and its time derivatives along v_jet [(K+1) x nv] (of order 0: J at q, v_jet may be
 * NULL). O(frames n K^2). Errors: JN_ERR_SIZE, JN_ERR_WORK (order above that of the options), JN_ERR_SINGULAR (a
 * distance of zero). */
JN_API jn_status jn_tasks_jacobian_jet(jn_tasks *tasks, int order, const double *q, const double *v_jet, double *J_jet);
/* rate_jet [(K+1) x rows] along v_jet [(K+1) x nv]: what jn_tasks_motion_jet() inverts. Errors as above. */
JN_API jn_status jn_tasks_rate_jet(jn_tasks *tasks, int order, const double *q, const double *v_jet, double *rate_jet);

/* ---- inverse kinematics ---- */

/* How a search ended: code, text. */
#define JN_REACH_LIST(X)                                                                         \
  X(JN_REACHED, "reached")                                                                       \
  X(JN_REACH_SHORT, "the target is out of reach: no configuration near the starts comes closer") \
  X(JN_REACH_LIMITS, "position limits are in the way")                                           \
  X(JN_REACH_ITERATIONS, "the iterations are used up")                                           \
  X(JN_REACH_SINGULAR, "the tasks are singular here: no velocity moves them all as asked")       \
  X(JN_REACH_LOOPS, "the kinematic loops cannot be closed")

/* The outcomes of JN_REACH_LIST. */
typedef enum jn_reach_outcome {
#define JN_REACH_ENUM(code, text) code,
  JN_REACH_LIST(JN_REACH_ENUM)
#undef JN_REACH_ENUM
      JN_REACH_OUTCOMES /* how many there are */
} jn_reach_outcome;

/* The text of an outcome; NULL if the number is not one. */
JN_API const char *jn_reach_text(jn_reach_outcome outcome);

/* What a search found. */
typedef struct jn_reach {
  jn_reach_outcome outcome; /* how it ended */
  double angle;    /* [rad] the largest error that is left of an orientation, direction or angles of a joint, */
  double distance; /* [m] and of a position, distance, centre of mass or lengths of a joint; each the length of the
                      vector of the rows that count */
  double gap;      /* [rad, m] of loops; 0 without */
  int worst;       /* the task that is farthest from its target, JN_NONE if all are reached */
  int starts, iterations; /* that were made, iterations of all starts */
  int rank;               /* of J at q, with loops closed: rows that can be moved independently */
  double manipulability;  /* sqrt(det(J J^T)) of the rows that count, unweighted, over motions that keep loops closed.
                             Where rows depend on each other at all configurations (a pose in the plane), the product
                             of as many singular values as J has otherwise; 0 when the rank is less than that */
  double weakest;         /* the weakest direction of J relative to the strongest (an estimate from a decomposition with
                             exchange of columns, within a small factor) */
  int limits;             /* how many coordinates are at a position limit */
} jn_reach;

/* Finds q [nq], from the q that is given, at which the tasks have their targets. Levenberg-Marquardt on the
 * configuration manifold: in every step, least squares of each priority among what the priorities before leave free,
 * with position limits as inequalities (active sets) and the gradients exact; steps that do not help are shortened.
 * A q outside the limits is first moved to them. active [nv] (may be NULL): -1 and 1 for coordinates at a lower and
 * upper limit, 0 for others. reach may be NULL. JN_OK: reached. JN_ERR_REACH: not; q is then the nearest that was
 * found, and reach says why. Of tasks of priority 1 and higher that cannot be reached together with those before, the
 * error is least; they do not make it JN_ERR_REACH, but `worst`, `angle` and `distance` tell. */
JN_API jn_status jn_tasks_solve(jn_tasks *tasks, const double *target, double *q, signed char *active, jn_reach *reach);
/* The same for target [count x targets], from and to q [count x nq], on options.threads threads; reach [count] (may be
 * NULL, which is faster). One pose (rotations of equal weights, positions too) or position in the world, of a model
 * without loops and with nq = nv of at most 64, is solved in lanes, unless options.nearest is set: by steps that differ
 * a little at limits, so that of many solutions another one may be found than jn_tasks_solve() finds. Results do not
 * depend on the number of threads. JN_ERR_REACH when one or more are not reached. */
JN_API jn_status jn_tasks_solve_batch(jn_tasks *tasks, size_t count, const double *target, double *q, jn_reach *reach);

/* ---- motions ---- */

/* Velocity and its time derivatives v_jet [(K+1) x nv] from those of the tasks, rate_jet [(K+1) x rows], so that row k
 * + 1 of v_jet is the time derivative of row k along the motion. What the tasks leave free is settled by one rule at
 * all orders: of all velocities that do the tasks (in the order of priorities, each as well as possible) and keep loops
 * closed, the one with least sum W_i / w_i (v_i - u_i)^2, where u_i is that of options.posture, and w_i(q) is one but
 * near position limits, where it goes to zero with the distance to them: w = (1 - exp(-x / margin)), x = upper - q_i,
 * times the same of the lower limit, with options.margin. This rule itself is differentiated. So coordinates that are
 * not needed come to rest before a limit, with velocities that are smooth to all orders.
 *
 * target [targets] (may be NULL): where the targets are. It matters for poses and orientations of which rows have the
 * weight 0: such a frame is not where its target is, and rate_jet is then that of the target, with all its rows, in the
 * target's axes. NULL: rate_jet is that of the frame, in its own axes; rows of weight 0 are not read. For all other
 * tasks, both are the same. held [nv] (may be NULL): coordinates that do not move. reach (may be NULL): rank, weakest;
 * JN_REACH_SINGULAR when a direction that is asked for is weaker than options.weak: it is left out then, so that v_jet
 * is bounded but does not do the tasks. Returns JN_ERR_REACH then. O(frames n K^3 + nv^3). Errors: JN_ERR_SIZE,
 * JN_ERR_WORK, JN_ERR_SINGULAR (a distance of zero). */
JN_API jn_status jn_tasks_motion_jet(jn_tasks *tasks, int order, const double *q, const double *target,
                                     const unsigned char *held, const double *rate_jet, double *v_jet, jn_reach *reach);

/* A path of the tasks: target [targets] and, unless it is NULL, its rate_jet [(order+1) x rows] at a time. */
typedef struct jn_tasks_path {
  void *context; /* given to the function */
  /* Writes them and returns JN_OK; any other status ends the call and is passed on. */
  jn_status (*at)(void *context, double t, int order, double *target, double *rate_jet);
} jn_tasks_path;

/* Follows a path from time `from`, where q [nq] is a solution, to time `to` (later or earlier): q moves along the
 * velocities of jn_tasks_motion_jet(), by Taylor series of options.order (at least 1), each step corrected by
 * jn_tasks_solve() with no random starts. So there are no jumps to other solutions, and the q at different times are
 * points of one motion, to `tolerance` [rad, m] a step (0: 1e-10). Stops with JN_ERR_REACH where it cannot go on: *time
 * (may be NULL) is how far it came, q is there, and reach says why: JN_REACH_SINGULAR, JN_REACH_SHORT (the target
 * leaves the workspace; angle and distance are what is missing at time `to`), JN_REACH_LIMITS (the tasks drive a
 * coordinate across its limit, and no other can do it instead; active [nv] (may be NULL) tells which),
 * JN_REACH_ITERATIONS (after 100 options.iterations steps, or 5 options.iterations
 * in a row that are shorter than a ten-thousandth of the way). Errors: those of path->at, too. */
JN_API jn_status jn_tasks_follow(jn_tasks *tasks, const jn_tasks_path *path, double from, double to, double tolerance,
                                 double *q, double *time, signed char *active, jn_reach *reach);

/* ---- operational space ---- */

/* Results of jn_tasks_operational_jet(); NULL: not wanted. With y'' the second derivatives of the tasks (rates' rate):
 *   F = Lambda y'' + bias,   tau = J^T F   moves the tasks with y'' and nothing else than their inertia is felt.
 * With loops, M^-1 is that of motions that keep them closed, P = M^-1 - M^-1 A^T (A M^-1 A^T)^-1 A M^-1. tau is then of
 * all coordinates; motors alone do the same with the torques of jn_loops_inverse_dynamics_jet() for the acceleration
 * that it makes. */
typedef struct jn_operational {
  double *Lambda; /* [(K+1) x rows x rows] operational-space inertia (J M^-1 J^T)^-1 and its time derivatives */
  double *bias;   /* [(K+1) x rows] Lambda (J M^-1 h - J' v), h = C v + g + k of dynamics.h; with loops - J a for the
                     acceleration a = M^-1 A^T (A M^-1 A^T)^-1 (-A' v) that keeps them closed */
  double *Jbar;   /* [(K+1) x nv x rows] dynamically consistent inverse M^-1 J^T Lambda: J Jbar = 1, and tau = (1 - J^T
                     Jbar^T) tau_0 does not accelerate the tasks */
} jn_operational;

/* Along the motion v_jet [(K+2) x nv] at q, which keeps loops closed. Priorities and sizes of weights do not matter;
 * rows of the weight 0 are left out: their rows and columns of all results are zero. [khatib1987] Errors:
 * JN_ERR_SINGULAR (rows of J depend on each other: so it is with directions, whose three rows have rank two, with poses
 * of planar robots unless the rows that cannot move have the weight 0, and at singular configurations), JN_ERR_SIZE,
 * JN_ERR_WORK (order above that of the options). */
JN_API jn_status jn_tasks_operational_jet(jn_tasks *tasks, int order, const double *q, const double *v_jet,
                                          const jn_operational *out);

#ifdef __cplusplus
}
#endif
#endif
