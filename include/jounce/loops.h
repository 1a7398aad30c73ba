/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce/loops.h: models with kinematic loops.
 *
 * A model with loops is a tree with conditions phi(q) = 0 between frames (jn_loop of model.h), m rows in all:
 *   M a + C v + g = tau + sum J^T W + A^T lambda,     A v = 0,     A = d phi / dq  [m x nv]
 * Conditions of real mechanisms are redundant (a planar loop modelled in space), so every solution is rank-revealing:
 * directions of A weaker than `tolerance` of the strongest count as dependent; accelerations and torques are unique all
 * the same, and of the multipliers lambda the shortest are given. Configurations are expected to close the loops, and
 * velocities to keep them closed: jn_loops_assemble() and jn_loops_project() make them so.
 *
 * A jn_loops belongs to one thread. Nothing allocates but jn_loops_create(). Double precision. Jets as in jets.h.
 * Errors of all: JN_ERR_NULL, JN_ERR_ROW; JN_ERR_SINGULAR (M is singular). Mathematics: docs/loops.md. [kim2012 sec. 3]
 */
#ifndef JOUNCE_LOOPS_H
#define JOUNCE_LOOPS_H

#include "regressor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The loops of one model, with all the memory that computations with them need. */
typedef struct jn_loops jn_loops;

/* Set up with jn_loops_options_init(). */
typedef struct jn_loops_options {
  size_t size;      /* sizeof(jn_loops_options), set by jn_loops_options_init() */
  int order;        /* of the jets that will be asked for; default 0 */
  double tolerance; /* of dependent conditions, relative; default 1e-9 */
  double baumgarte; /* [1/s] forward and hybrid dynamics of order 0 pull violations back: phi'' + 2 b phi' + b^2 phi =
                       0; default 0: off */
} jn_loops_options;

/* The defaults that are named there. */
JN_API void jn_loops_options_init(jn_loops_options *options);
/* options NULL: defaults. The model must live as long. Errors: JN_ERR_SIZE, JN_ERR_MEMORY. */
JN_API jn_status jn_loops_create(const jn_model *model, const jn_loops_options *options, jn_loops **loops);
JN_API void jn_loops_destroy(jn_loops *loops); /* Releases it; NULL is allowed. */

/* Conditions in all, and the first row and number of rows of loop i of the model. */
JN_API int jn_loops_rows(const jn_loops *loops);
JN_API int jn_loops_row(const jn_loops *loops, int loop, int *rows);

/* phi [m], A [m x nv]; dA v [m] at the velocity v, so that phi'' = A a + dA v. Outputs may be NULL. Rows are in m or as
 * sines of small angles: positions of b in the closing frame of a, then directions. */
JN_API jn_status jn_loops_constraint(jn_loops *loops, const double *q, const double *v, double *phi, double *A,
                                     double *dAv);
/* Rank of A at q, so mobility = nv - rank, and m - rank conditions are redundant. */
JN_API jn_status jn_loops_rank(jn_loops *loops, const double *q, int *rank);

/* Closes the loops from the guess q [nq], in place: Gauss-Newton on the group, coordinates with held[i] != 0 [nv]
 * (NULL: none) stay. residual (may be NULL) gets the largest |phi|. Errors: JN_ERR_LOOP when it does not converge to
 * `accuracy` (0: 1e-12) within 100 steps; q is the best that was found. */
JN_API jn_status jn_loops_assemble(jn_loops *loops, const unsigned char *held, double accuracy, double *q,
                                   double *residual);
/* The velocity nearest to v that keeps the loops closed, in place; coordinates with held[i] != 0 stay if that is
 * possible. Errors: JN_ERR_LOOP when it is not. */
JN_API jn_status jn_loops_project(jn_loops *loops, const unsigned char *held, const double *q, double *v);

/* Forward dynamics and its time derivatives: v_jet [(K+2) x nv], its first row v; lambda_jet [(K+1) x m] (may be NULL).
 * order 0: accelerations. [kim2012 eqs. 67-69] */
JN_API jn_status jn_loops_forward_dynamics_jet(jn_loops *loops, int order, const double *q, const double *v,
                                               const double *tau_jet, const double *wrench_jet, double *v_jet,
                                               double *lambda_jet);
/* Hybrid: coordinates with prescribed[i] != 0 have rows 1 ... K+1 of v_jet given, the others their tau_jet; v_out
 * [(K+2) x nv], tau_out [(K+1) x nv], lambda_jet (may be NULL). Errors: JN_ERR_LOOP when the prescribed motion cannot
 * be. [kim2012 eqs. 76-80] */
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

/* ---- derivatives ---- */

/* Where derivatives go; NULL: not wanted. `given` is for what is given of each coordinate: column k for a_k if that is
 * prescribed, for tau_k if not. pi: the inertial parameters (regressor.h). Matrices have nv columns, those of dpi 10 L.
 */
typedef struct jn_loops_derivatives {
  double *da_dq, *da_dv, *da_dgiven, *da_dpi;                     /* [nv x ...] */
  double *dtau_dq, *dtau_dv, *dtau_dgiven, *dtau_dpi;             /* [nv x ...], of hybrid dynamics */
  double *dlambda_dq, *dlambda_dv, *dlambda_dgiven, *dlambda_dpi; /* [m x ...] */
} jn_loops_derivatives;

/* Of forward dynamics (prescribed NULL) and of hybrid dynamics at a state that keeps the loops closed; a, tau, lambda
 * are what these gave there. Wrenches are held in the body. Derivatives by q and v are along changes that keep the
 * loops closed; along others they are those of the nearest such change when conditions are redundant. */
JN_API jn_status jn_loops_dynamics_derivatives(jn_loops *loops, const unsigned char *prescribed, const double *q,
                                               const double *v, const double *a, const double *lambda,
                                               const double *wrench, const jn_loops_derivatives *out);
/* Of inverse dynamics where the torques are unique: dq, dv, da [nv x nv], dpi [nv x 10 L] = the regressor of the closed
 * loop, tau = dpi pi for the actuated rows when passive forces and wrenches are zero and there is no armature. lambda
 * as inverse dynamics gave it. Errors: JN_ERR_ACTUATION (too few), JN_ERR_UNSUPPORTED (more actuated coordinates than
 * needed: the choice among torques has no derivative here). */
JN_API jn_status jn_loops_inverse_dynamics_derivatives(jn_loops *loops, const unsigned char *actuated, const double *q,
                                                       const double *v, const double *a, const double *lambda,
                                                       const double *wrench, double *dq, double *dv, double *da,
                                                       double *dpi);

/* ---- forces of the loops, impact ---- */

/* W [loops x 2 x 6]: the wrenches that the multipliers mean, on the closing frames of a and of b, in these. */
JN_API jn_status jn_loops_wrenches(jn_loops *loops, const double *q, const double *lambda, double *W);
/* The loops are switched on at velocity v, which they stop at once (restitution 0) or throw back: v [nv] in place, A
 * v_after = -restitution A v_before; impulse [m] (may be NULL). */
JN_API jn_status jn_loops_impact(jn_loops *loops, double restitution, const double *q, double *v, double *impulse);

#ifdef __cplusplus
}
#endif
#endif
