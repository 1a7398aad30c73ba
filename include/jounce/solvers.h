/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce/solvers.h: dynamics as solvers of optimisation and optimal control want them.
 * Tier: experimental (docs/stability.md).
 *
 * A jn_function is a smooth function y = f(x) of plain numbers, with its Jacobian, the gradient of lambda . f, the
 * Hessian of lambda . f (the part of the Lagrangian's Hessian that belongs to a dynamics constraint), and the patterns
 * of both matrices. x is all inputs one after the other, y all outputs. The first input is always the configuration q
 * [nq].
 *
 * Unlike in the other headers, derivatives by q are by its numbers, nq of them, because solvers know nothing of tangent
 * spaces. Quaternions need not be unit: f(q) is f of the normalised q, so a quaternion's derivative along itself is
 * zero, and a solver should keep its length with a constraint of its own. Without spherical and free joints nq = nv,
 * and nothing differs.
 *
 * All derivatives are exact to rounding, except the Hessians of functions with loops, of torque_rate, and of steps
 * whose method is taylor or rodas: these are differences of the exact gradient (1e-8 of their size). Patterns hold for
 * every state. A function belongs to one thread; the model may be shared. Only jn_function_create() allocates. Guide:
 * docs/solvers.md. Errors of all: JN_ERR_NULL; of all that compute: JN_ERR_VARIANT, and those of the functions named
 * below.
 */
#ifndef JOUNCE_SOLVERS_H
#define JOUNCE_SOLVERS_H

#include "simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The functions: code, name.  Inputs -> outputs, with sizes.
 *   inverse_dynamics        q [nq], v [nv], a [nv] -> tau [nv]
 *   forward_dynamics        q, v, tau [nv] -> a [nv]
 *   step                    q, v, tau -> q_next [nq], v_next [nv]: one step of jn_rollout_forward(), without loops
 *   frames                  q, v -> position [3 x F], rotation [9 x F], twist [6 x F] of the F frames of the options, a
 *                           column for each: origin in the world, rotation matrix by columns, twist as for
 *                           JN_IN_ALIGNED
 *   momentum                q, v -> momentum [6] about the world's origin, com [3]: jn_momentum(), jn_center_of_mass()
 *   loops_forward_dynamics  q, v, tau -> a, lambda [rows]: jn_loops_forward_dynamics_jet() of order 0
 *   loops_conditions        q, v -> phi [rows], phidot [rows]: jn_loops_constraint(), and A v
 *   mass_matrix             q -> M [nv x nv]: jn_mass_matrix()
 *   gravity                 q -> tau [nv]: jn_gravity_forces()
 *   torque_rate             q, v, a, j [nv] -> tau [nv], tau_rate [nv]: jn_inverse_dynamics_jet() of order 1, with the
 *                           jerk j = da/dt */
#define JN_FUNCTION_LIST(X)                                       \
  X(JN_FUNCTION_INVERSE_DYNAMICS, "inverse_dynamics")             \
  X(JN_FUNCTION_FORWARD_DYNAMICS, "forward_dynamics")             \
  X(JN_FUNCTION_STEP, "step")                                     \
  X(JN_FUNCTION_FRAMES, "frames")                                 \
  X(JN_FUNCTION_MOMENTUM, "momentum")                             \
  X(JN_FUNCTION_LOOPS_FORWARD_DYNAMICS, "loops_forward_dynamics") \
  X(JN_FUNCTION_LOOPS_CONDITIONS, "loops_conditions")             \
  X(JN_FUNCTION_MASS_MATRIX, "mass_matrix")                       \
  X(JN_FUNCTION_GRAVITY, "gravity")                               \
  X(JN_FUNCTION_TORQUE_RATE, "torque_rate")

/* The functions of JN_FUNCTION_LIST. */
typedef enum jn_function_kind {
#define JN_FUNCTION_ENUM(code, name) code,
  JN_FUNCTION_LIST(JN_FUNCTION_ENUM)
#undef JN_FUNCTION_ENUM
      JN_FUNCTIONS /* how many there are */
} jn_function_kind;

/* The name of a kind, e.g. "step"; NULL for a number that is none. */
JN_API const char *jn_function_kind_name(jn_function_kind kind);

/* Set up with jn_function_options_init(). Arrays are copied. */
typedef struct jn_function_options {
  size_t size;              /* sizeof(jn_function_options), set by jn_function_options_init() */
  double step;              /* [s] length of a step; default 0.01 */
  jn_integrator integrator; /* of steps; default JN_RUNGE_KUTTA_4 */
  int losses;               /* steps lose energy as the model says, see jn_simulation_options; default 0 */
  double friction_speed;    /* [rad/s, m/s] likewise; default 1e-3 */
  const int *frames;        /* [frame_count] of `frames`; default: the last frame of the model */
  int frame_count;
} jn_function_options;

JN_API void jn_function_options_init(jn_function_options *options); /* The defaults that are named there. */

/* One function of one model, with all the memory that it needs. */
typedef struct jn_function jn_function;

/* options NULL: defaults. The model must live as long; memory comes from its allocator. Errors: JN_ERR_INIT,
 * JN_ERR_SIZE (a number of the options is out of range), JN_ERR_INDEX (no such kind or frame), JN_ERR_UNSUPPORTED (a
 * function of loops, and the model has none), JN_ERR_MEMORY, and those of jn_simulator_create(), jn_loops_create(). */
JN_API jn_status jn_function_create(const jn_model *model, jn_function_kind kind, const jn_function_options *options,
                                    jn_function **function);
JN_API void jn_function_destroy(jn_function *function); /* Releases it; NULL is allowed. */

/* What it is made of. Numbers are 0 and texts NULL where there is no such input or output. */
JN_API int jn_function_inputs(const jn_function *function);                     /* how many */
JN_API int jn_function_outputs(const jn_function *function);                    /* how many */
JN_API const char *jn_function_input_name(const jn_function *function, int i);  /* e.g. "q" */
JN_API const char *jn_function_output_name(const jn_function *function, int i); /* e.g. "tau" */
JN_API int jn_function_input_size(const jn_function *function, int i);          /* numbers in it */
JN_API int jn_function_output_size(const jn_function *function, int i);         /* numbers in it */
JN_API int jn_function_output_rows(const jn_function *function, int i); /* of an output that is a matrix, by columns */
JN_API int jn_function_n(const jn_function *function);                  /* numbers in x: all inputs */
JN_API int jn_function_m(const jn_function *function);                  /* numbers in y: all outputs */

/* Patterns [m x n] and [n x n], row-major: 0 where the entry is zero in every state. They follow from the tree: forces
 * of inverse dynamics depend on coordinates that are ancestors or descendants, accelerations on all that hang on the
 * same moving root. They live as long as the function. */
JN_API const unsigned char *jn_function_jacobian_pattern(const jn_function *function);
JN_API const unsigned char *jn_function_hessian_pattern(const jn_function *function);

/* y [m] at x [n]. Errors: JN_ERR_SINGULAR (M), JN_ERR_STEP, JN_ERR_LOOP. */
JN_API jn_status jn_function_value(jn_function *function, const double *x, double *y);
/* J = dy/dx [m x n] at x [n], row-major. O(n m), for steps O(nv^3). */
JN_API jn_status jn_function_jacobian(jn_function *function, const double *x, double *J);
/* g [n] = J^T lambda: the gradient of lambda . f at x [n], lambda [m]. O(n) for inverse and forward dynamics. */
JN_API jn_status jn_function_adjoint(jn_function *function, const double *x, const double *lambda, double *g);
/* H [n x n]: the second derivatives of lambda . f at x [n], lambda [m], symmetric; g [n] (may be NULL) its gradient.
 * For inverse dynamics the contraction of its second derivatives; for forward dynamics, with mu = M^-1 lambda, by H_xy
 * = -mu^T (tau_xy + tau_xa a_y + tau_ya a_x) so that no second derivative of the acceleration is formed. O(nv^3). */
JN_API jn_status jn_function_hessian(jn_function *function, const double *x, const double *lambda, double *g,
                                     double *H);

/* Discrete dynamics in the order of acados' generic external functions (disc_dyn_fun, _jac, _jac_hess), of a function
 * of the kind JN_FUNCTION_STEP (JN_ERR_UNSUPPORTED otherwise). x [nx] = (q, v) with nx = nq + nv, u [nv] = tau. fun
 * [nx]: the next state; jac_ux [(nv + nx) x nx]: the transpose of its derivatives, by u in the first nv rows; hess_ux
 * [(nv + nx) x (nv + nx)]: the second derivatives of pi . fun, u first, pi [nx] (NULL only if hess_ux is). Matrices are
 * stored by columns, ld_jac and ld_hess numbers apart (at least nv + nx, JN_ERR_SIZE). Outputs may be NULL. With
 * BLASFEO's own matrices: examples/acados.c. */
JN_API jn_status jn_function_discrete(jn_function *function, const double *x, const double *u, const double *pi,
                                      double *fun, double *jac_ux, int ld_jac, double *hess_ux, int ld_hess);

/* ---- jets by the state ---- */

/* State derivatives of jets, in the tangent space as in derivatives.h: D [(K+1) x (K+2) x 6 x nv], D[k][0] = d x^(k) /
 * dq, D[k][1+j] = d x^(k) / d v^(j) (zero for j > k), of the twist jet of a frame (x as jn_frame_twist_jet(): in the
 * frame's own axes) and of the momentum jet (x as jn_momentum_jet(): about the world's origin). v_jet [(K+1) x nv].
 * Work of order K + 1; room [jn_jet_derivatives_room()] numbers. O(nv^2 K^3), for momentum times the links. Errors:
 * JN_ERR_WORK, JN_ERR_SIZE (order < 0, or not below JN_MAX_ORDER), JN_ERR_INDEX (frame). */
JN_API size_t jn_jet_derivatives_room(const jn_model *model, int order);
JN_API jn_status jn_frame_twist_jet_derivatives(const jn_model *model, jn_work *work, int order, int frame,
                                                const double *q, const double *v_jet, double *room, double *D);
JN_API jn_status jn_momentum_jet_derivatives(const jn_model *model, jn_work *work, int order, const double *q,
                                             const double *v_jet, double *room, double *D);

#ifdef __cplusplus
}
#endif
#endif
