/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce/loops.h: models with kinematic loops, contacts and couplings.
 * Tier: stable (docs/stability.md).
 *
 * A model with loops is a tree with conditions phi(q) = 0 (jn_loop of model.h, jn_loops_user below), m rows in all:
 *   M a + C v + g = tau + sum J^T W + A^T lambda,     A v = 0,     A = d phi / dq  [m x nv]
 * Conditions of real mechanisms are often redundant (a planar loop modelled in space), so all solutions reveal the rank
 * of A: directions weaker than `tolerance` times the strongest count as dependent. Accelerations and torques are still
 * unique; of all multipliers lambda the shortest are given. This also bounds results near singular configurations,
 * which jn_loops_health_at() reports. Before directions are compared, each row of A is divided by a typical size of its
 * entries (lever, angle, largest factor of a coupling), found once when the loops are created, so that the units of a
 * condition do not matter.
 *
 * Configurations should close the loops, and velocities should keep them closed; jn_loops_assemble() and
 * jn_loops_project() see to that. Inverse dynamics, the regressor and their derivatives refuse others with JN_ERR_LOOP
 * (see jn_loops_gaps()); forward and hybrid dynamics, impact and jn_loops_project() accept them as they are.
 *
 * A jn_loops belongs to one thread. Nothing allocates but jn_loops_create(). Jets as in jets.h. All numbers are double;
 * there are no float versions. When JOUNCE_VARIANT selects a float variant, the tree and thus all results are accurate
 * to float only (tests/test_loops_closure.c: 1e-5 of torques, 4e-5 of accelerations of a parallelogram); `tolerance` is
 * then at least 1000, and `weak` 10000 roundings. Errors of all: JN_ERR_NULL, JN_ERR_VARIANT; JN_ERR_SINGULAR (M is
 * singular); JN_ERR_CALLBACK, and whatever a user's function returns. Mathematics: docs/loops.md. [kim2012 sec. 3] */
#ifndef JOUNCE_LOOPS_H
#define JOUNCE_LOOPS_H

#include "regressor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The loops of one model, with all the memory that computations with them need. */
typedef struct jn_loops jn_loops;

/* Conditions of the user's own, phi(q) = 0 [rows] with A = d phi/dq [rows x nv] (in the tangent space: phi' = A v).
 * Functions write their outputs completely and return JN_OK; any other status ends the call and is passed on. */
typedef struct jn_loops_user {
  int rows;      /* conditions */
  void *context; /* given to the functions */
  /* phi, A, and Adot v [rows] with phi'' = A a + Adot v. Enough for assembly, rank, impact, and dynamics of order 0. */
  jn_status (*value)(void *context, const double *q, const double *v, double *phi, double *A, double *Adot_v);
  /* For jets of order K > 0 (NULL: these are JN_ERR_CALLBACK): phi_jet [(K+3) x rows] and A_jet [(K+1) x rows x nv],
   * values and time derivatives along the motion v_jet [(K+2) x nv]. */
  jn_status (*jet)(void *context, int order, const double *q, const double *v_jet, double *phi_jet, double *A_jet);
  /* For derivatives (NULL: these are JN_ERR_CALLBACK): by q of A^T lambda [nv x nv], and by q and v of A a + Adot v
   * [rows x nv], all else held. */
  jn_status (*derivatives)(void *context, const double *q, const double *v, const double *a, const double *lambda,
                           double *dforce_dq, double *drate_dq, double *drate_dv);
} jn_loops_user;

/* Set up with jn_loops_options_init(). */
typedef struct jn_loops_options {
  size_t size;      /* sizeof(jn_loops_options), set by jn_loops_options_init() */
  int order;        /* of the jets that will be asked for, at most JN_MAX_ORDER; default 0 */
  double tolerance; /* of dependent conditions, relative to the strongest, each over its own scale; default 1e-9 */
  double baumgarte; /* [1/s] forward and hybrid dynamics of order 0 pull violations back: phi'' + 2 b phi' + b^2 phi =
                       0; default 0: off */
  const jn_loops_user *user; /* [user_count], copied; default none. Their rows follow those of the model's loops */
  int user_count;
  double weak; /* a configuration is near a singular one when a direction that counts is weaker than this, relative;
                  default 1e-5 */
} jn_loops_options;

/* The defaults that are named there. */
JN_API void jn_loops_options_init(jn_loops_options *options);
/* options NULL: defaults. The model must live as long. Assembles a few times, to know the rank to expect. Errors:
 * JN_ERR_INIT, JN_ERR_SIZE (options; a user's condition without rows), JN_ERR_NULL (one without value), JN_ERR_MEMORY.
 */
JN_API jn_status jn_loops_create(const jn_model *model, const jn_loops_options *options, jn_loops **loops);
JN_API void jn_loops_destroy(jn_loops *loops); /* Releases it; NULL is allowed. */

/* Conditions in all, and the first row and number of rows of loop i of the model; then of the user's conditions. */
JN_API int jn_loops_rows(const jn_loops *loops);
JN_API int jn_loops_row(const jn_loops *loops, int loop, int *rows);

/* phi [m], A [m x nv], and Adot_v [m] = Adot v at the velocity v [nv] (NULL: zero), so that phi'' = A a + Adot v.
 * Outputs may be NULL. Rows are in m or as sines of small angles: positions of b in the closing frame of a, then
 * directions. */
JN_API jn_status jn_loops_constraint(jn_loops *loops, const double *q, const double *v, double *phi, double *A,
                                     double *Adot_v);
/* How far each loop is from closed, gap [loops of the model, then the user's conditions]: the largest of its distances
 * [m] and angles [rad]. phi is made of sines and vanishes half a turn away from closed too; gaps are zero where the
 * loop is closed and nowhere else: angles are those of rotations, and axes must point the same way (weld, prismatic,
 * surface_contact: the angle of R; revolute, cylindrical, planar, sliding_surface: between the axes; coordinates: the
 * length of those components of the rotation vector; universal: either way is closed). Of a distance | |p| - d |, of a
 * coupling its value over its largest factor, of a user's condition the largest of |phi| over what is large for its row
 * of A. */
JN_API jn_status jn_loops_gaps(jn_loops *loops, const double *q, double *gap);
/* Rank of A at q, so mobility = nv - rank, and m - rank conditions are redundant. */
JN_API jn_status jn_loops_rank(jn_loops *loops, const double *q, int *rank);

/* How well conditions tell their forces and motions apart. */
typedef struct jn_loops_health {
  int rank;          /* directions that count */
  int generic;       /* the rank of A at ordinary configurations, found next to q = 0 when jn_loops was created; -1: not
                        known, as no closed configuration was found there */
  double weakest;    /* the weakest of these, relative to the strongest; 1 when there is none */
  double dropped;    /* the strongest that does not count, relative: rounding where conditions are redundant */
  int near_singular; /* 1: weakest < weak, or dropped > tolerance / 100, or rank < generic (not with prescribed ones) */
} jn_loops_health;

/* Of A at q. redundant [m] (may be NULL): 1 for rows that depend on the rows before them. */
JN_API jn_status jn_loops_health_at(jn_loops *loops, const double *q, jn_loops_health *health,
                                    unsigned char *redundant);
/* Of the last forward or hybrid dynamics, their derivatives, or impact: of A seen through the inertia, L^-1 A^T with M
 * = L L^T, without prescribed coordinates; of inverse dynamics, the regressor and their derivatives: of the columns of
 * passive coordinates; of jn_loops_complete_motion(): of those that were to be found. Costs nothing. */
JN_API jn_status jn_loops_last_health(const jn_loops *loops, jn_loops_health *health);
/* About how large the rounding error of derivative `order` of what was solved for is there, relative to numbers of a
 * motion at rates of about one (with rates of s: times s^order): 8 epsilon / weakest^(order + 1), because every order
 * is solved with the same conditions from the orders below. Order 0 is the acceleration for forward and hybrid
 * dynamics, and the velocity for jn_loops_complete_motion(), so that torques along a completed motion are one order
 * later. Where results grow next to a singular configuration, relative errors are smaller. NaN: NULL, order < 0. */
JN_API double jn_loops_rounding(const jn_loops_health *health, int order);

/* Closes the loops from the guess q [nq], in place: Gauss-Newton on the group, from half a turn away too; coordinates
 * with held[i] != 0 [nv] (NULL: none) stay. residual (may be NULL) gets the largest of jn_loops_gaps(). Errors:
 * JN_ERR_LOOP when that does not come down to `accuracy` (0: 1e-12, of a row in float 10 roundings) within 100 steps; q
 * is the best that was found. */
JN_API jn_status jn_loops_assemble(jn_loops *loops, const unsigned char *held, double accuracy, double *q,
                                   double *residual);
/* The same inside the position limits of the model: from q, else from the nearest configuration inside them, with
 * coordinates that would pass a limit kept at it; else from random ones, farther and farther away. outside gets how far
 * the coordinate that is farthest outside still is [rad, m], held ones apart: 0 when all are inside. When none is
 * found, q is the closed one that is least outside. Errors: JN_ERR_LOOP when the loops cannot be closed at all. */
JN_API jn_status jn_loops_assemble_inside(jn_loops *loops, const unsigned char *held, double accuracy, double *q,
                                          double *residual, double *outside);
/* The velocity nearest to v that keeps the loops closed, in place; coordinates with held[i] != 0 stay if that is
 * possible. Errors: JN_ERR_LOOP when it is not. */
JN_API jn_status jn_loops_project(jn_loops *loops, const unsigned char *held, const double *q, double *v);

/* Forward dynamics and its time derivatives: v_jet [(K+2) x nv], its first row v; lambda_jet [(K+1) x m] (may be NULL).
 * order 0: accelerations. [kim2012 eqs. 67-69] */
JN_API jn_status jn_loops_forward_dynamics_jet(jn_loops *loops, int order, const double *q, const double *v,
                                               const double *tau_jet, const double *wrench_jet, double *v_jet,
                                               double *lambda_jet);
/* Hybrid: coordinates with prescribed[i] != 0 have rows 1 ... K+1 of v_jet given, the others their tau_jet; v_out
 * [(K+2) x nv], tau_out [(K+1) x nv], lambda_jet (may be NULL). With more prescribed than degrees of freedom, forces
 * are those of the shortest lambda, at each order by itself: row k of tau_out is not the derivative of row k - 1 then.
 * Errors: JN_ERR_LOOP when the prescribed motion cannot be. [kim2012 eqs. 76-80] */
JN_API jn_status jn_loops_hybrid_dynamics_jet(jn_loops *loops, int order, const unsigned char *prescribed,
                                              const double *q, const double *v_jet, const double *tau_jet,
                                              const double *wrench_jet, double *v_out, double *tau_out,
                                              double *lambda_jet);

/* Which of all torques that make a motion, when more coordinates are actuated than needed. */
typedef enum jn_loops_choice {
  JN_LEAST_TORQUE = 0, /* the smallest sum of squares of actuated forces; equal to the other when there is no choice */
  JN_LEAST_LAMBDA = 1  /* the smallest sum of squares of multipliers */
} jn_loops_choice;

/* Inverse dynamics and its time derivatives: forces of the coordinates with actuated[i] != 0 [nv], the others have
 * passive_jet [(K+1) x nv] (NULL: zero). v_jet [(K+2) x nv] must keep the loops closed. weight [nv] (NULL: ones) of the
 * squares of forces. tau_jet [(K+1) x nv], lambda_jet [(K+1) x m] (may be NULL). Errors: JN_ERR_LOOP (the motion opens
 * the loops), JN_ERR_ACTUATION (too few actuated coordinates for this motion: hybrid dynamics moves what is actuated
 * and lets the rest follow). [kim2012 eqs. 56-66] */
JN_API jn_status jn_loops_inverse_dynamics_jet(jn_loops *loops, int order, const unsigned char *actuated,
                                               jn_loops_choice choice, const double *weight, const double *q,
                                               const double *v_jet, const double *passive_jet, const double *wrench_jet,
                                               double *tau_jet, double *lambda_jet);
/* Completes a motion: coordinates with given[i] != 0 have all K+2 rows of v_jet given; the others are found, in place.
 * Errors: JN_ERR_LOOP when the given ones contradict each other or do not determine the rest. */
JN_API jn_status jn_loops_complete_motion(jn_loops *loops, int order, const unsigned char *given, const double *q,
                                          double *v_jet);

/* Regressor of the closed loop and its time derivatives, Y_jet [(K+1) x nv x 10 L]: the forces above are tau_jet[k] =
 * Y_jet[k] pi when passive forces and wrenches are zero and there is no armature. pi: the inertial parameters
 * (regressor.h). Errors as above. */
JN_API jn_status jn_loops_regressor_jet(jn_loops *loops, int order, const unsigned char *actuated,
                                        jn_loops_choice choice, const double *weight, const double *q,
                                        const double *v_jet, double *Y_jet);

/* ---- derivatives ---- */

/* Matrices for vectors of nv (tau, a) or m (lambda) rows; NULL: not wanted. Columns: nv, of dwrench [nlink x 6], of dpi
 * 10 L. Derivatives by q, v, a are along changes that keep the loops closed: d tau = dtau_dq dq with A dq = 0. (Other
 * columns go on as if conditions held where they were violated, and are those of the nearest possible change where they
 * are redundant.) In what form wrenches are held while q changes: `hold`, see derivatives.h. */

/* Of forward and hybrid dynamics. `given` is what is given of each coordinate: column k for a_k if that is prescribed,
 * for tau_k if not. */
typedef struct jn_loops_derivatives {
  double *da_dq, *da_dv, *da_dgiven, *da_dwrench, *da_dpi;                          /* [nv x ...] */
  double *dtau_dq, *dtau_dv, *dtau_dgiven, *dtau_dwrench, *dtau_dpi;                /* [nv x ...] */
  double *dlambda_dq, *dlambda_dv, *dlambda_dgiven, *dlambda_dwrench, *dlambda_dpi; /* [m x ...] */
} jn_loops_derivatives;

/* Of forward dynamics (prescribed NULL) and of hybrid dynamics; a, lambda are what these gave at the state. */
JN_API jn_status jn_loops_dynamics_derivatives(jn_loops *loops, const unsigned char *prescribed, const double *q,
                                               const double *v, const double *a, const double *lambda,
                                               const double *wrench, jn_representation hold,
                                               const jn_loops_derivatives *out);

/* Forward dynamics of order 0 and its derivatives together, faster than one after the other: a [nv] and lambda [m] are
 * written. */
JN_API jn_status jn_loops_forward_dynamics_derivatives(jn_loops *loops, const double *q, const double *v,
                                                       const double *tau, const double *wrench, jn_representation hold,
                                                       double *a, double *lambda, const jn_loops_derivatives *out);

/* Of inverse dynamics. Rows of passive coordinates are zero but in dpassive, by the forces of passive coordinates. */
typedef struct jn_loops_inverse_derivatives {
  double *dtau_dq, *dtau_dv, *dtau_da, *dtau_dpassive, *dtau_dwrench, *dtau_dpi;                   /* [nv x ...] */
  double *dlambda_dq, *dlambda_dv, *dlambda_da, *dlambda_dpassive, *dlambda_dwrench, *dlambda_dpi; /* [m x ...] */
} jn_loops_inverse_derivatives;

/* Arguments as jn_loops_inverse_dynamics_jet() of order 0, with motors to spare too: those of the chosen solution.
 * dtau_dpi is the regressor of the closed loop. tau [nv], lambda [m]: the solution, may be NULL. Errors: JN_ERR_LOOP,
 * JN_ERR_ACTUATION. */
JN_API jn_status jn_loops_inverse_dynamics_derivatives(jn_loops *loops, const unsigned char *actuated,
                                                       jn_loops_choice choice, const double *weight, const double *q,
                                                       const double *v, const double *a, const double *passive,
                                                       const double *wrench, jn_representation hold, double *tau,
                                                       double *lambda, const jn_loops_inverse_derivatives *out);

/* ---- forces of the loops, impact ---- */

/* W [loops x 2 x 6]: the wrenches that the multipliers mean, on the closing frames of a and of b, in these; zero for
 * couplings. */
JN_API jn_status jn_loops_wrenches(jn_loops *loops, const double *q, const double *lambda, double *W);
/* The same as wrenches on the links with their time derivatives along v_jet [(K+2) x nv], link_jet [(K+1) x nlink x 6],
 * added to wrench_jet (NULL: zero): what to give to functions of the tree so that they see the loops. Forces of
 * couplings and of the user's conditions act on coordinates and are not among them. */
JN_API jn_status jn_loops_link_wrenches_jet(jn_loops *loops, int order, const double *q, const double *v_jet,
                                            const double *lambda_jet, const double *wrench_jet, double *link_jet);
/* The loops are switched on at velocity v, which they stop at once (restitution 0) or throw back: v [nv] in place, A
 * v_after = -restitution A v_before; impulse [m] (may be NULL). */
JN_API jn_status jn_loops_impact(jn_loops *loops, double restitution, const double *q, double *v, double *impulse);

#ifdef __cplusplus
}
#endif
#endif
