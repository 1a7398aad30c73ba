/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce/generate.h: a robot's dynamics as source code, for firmware and other programs without this library.
 * Tier: experimental (docs/stability.md).
 *
 * The text is straight-line C99 (or MATLAB) for one robot: constants are folded, equal expressions are computed once,
 * inertial parameters are regrouped, and nothing is called but sin and cos, or not even these. It has no heap, no
 * recursion, no static data that changes, and is reentrant. Guide: docs/generate.md. */
#ifndef JOUNCE_GENERATE_H
#define JOUNCE_GENERATE_H

#include "elastic.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Functions that can be generated: name, arguments -> results. Argument order and conventions are those of the library
 * function of that name; matrices are row-major. nv, nq: sizes of the model; F: number of frames; K: the order.
 *   gravity_forces        q -> g [nv]
 *   bias_forces           q, v -> h [nv] = C v + g + springs
 *   inverse_dynamics      q, v, a -> tau [nv]
 *   mass_matrix           q -> M [nv x nv]
 *   forward_dynamics      q, v, tau -> a [nv]
 *   hybrid_dynamics       q, v, a, tau -> a_out, tau_out [nv], with the fixed mask `prescribed` of the options
 *   inverse_dynamics_jet  q, v_jet [(K+2) x nv] -> tau_jet [(K+1) x nv]: forces and their rates
 *   forward_dynamics_jet  q, v, tau_jet [(K+1) x nv] -> v_jet [(K+2) x nv]
 *   hybrid_dynamics_jet   q, v_jet [(K+2) x nv], tau_jet [(K+1) x nv] -> v_out, tau_out, with the mask `prescribed`
 *   inverse_dynamics_derivatives  q, v, a -> dtau_dq, dtau_dv, dtau_da [nv x nv]
 *   forward_dynamics_derivatives  q, v, tau -> a [nv], da_dq, da_dv, da_dtau [nv x nv]
 *   poses                 q -> T [F x 16] of the frames of the options, in the world
 *   jacobians             q -> J [F x 6 x nv], as `in` of the options says
 *   jacobian_rates        q, v -> Jdot [F x 6 x nv] = dJ/dt
 *   center_of_mass        q, v, a -> c, cdot, cddot [3] of all moving links, in the world
 *   momentum              q, v -> h [6] about the world's origin, in its axes
 *   energies              q, v -> energy [2]: kinetic, potential
 *   coriolis_matrix_christoffel  q, v -> C [nv x nv], the one of jn_coriolis_matrix_christoffel()
 *   regressor             q, v, a -> Y [nv x 10 nlink]: tau without armature and springs = Y pi
 *   loss_forces           v -> loss [nv] = damping v + friction sign(v)
 *   coriolis_forces       q, v -> c [nv] = C v
 *   spring_forces         q -> force [nv]
 *   coriolis_matrix       q, v -> C [nv x nv], the one of jn_coriolis_matrix()
 *   mass_matrix_rate      q, v -> Mdot [nv x nv];  mass_matrix_inverse  q -> Minv [nv x nv]
 *   joint_wrenches        q, v, a -> F [nlink x 6], each in the frame of its link
 *   frame_twists          q, v -> V [F x 6];  frame_accelerations  q, v, a -> A [F x 6] = dV/dt, as `in` says
 *   momentum_matrix       q -> A [6 x nv] about the world's origin;  momentum_matrix_rate  q, v -> Adot [6 x nv]
 *   com_jacobian          q -> J [3 x nv] of the centre of mass of all moving links
 *   momentum_observer     q, v, tau, state [nv], gain [nv], dt [1] -> r [nv], state_out [nv], p [nv]: r follows the
 *                         external joint forces with time constants 1 / gain [s]; tau: forces of the motors, p = M v.
 *                         Begin with state = p, then state = state_out of the step before. dt: time since then [s]
 * Time derivatives along a motion v_jet [(K+2) x nv], in order after each other:
 *   gravity_forces_jet    q, v_jet -> g_jet;  mass_matrix_jet -> M_jet;  coriolis_matrix_jet -> C_jet;  momentum_jet ->
 *                         h_jet;  center_of_mass_jet -> com_jet;  energy_jet -> energy_jet;  frame_twists_jet ->
 *                         twist_jet, as `in` says;  joint_wrenches_jet -> F_jet;  regressor_jet -> Y_jet
 * Derivatives by the configuration, in the tangent space:
 *   gravity_forces_derivative  q -> dg_dq [nv x nv];  momentum_derivative  q, v -> dh_dq [6 x nv];
 *   frame_twists_derivative  q, v -> dV_dq [F x 6 x nv]
 *   motor_commands        q, v_jet [4 x nv] -> theta, dtheta, tau_m [nv]: motors behind springs, as
 * jn_elastic_inverse() of order 0, with the actuators `elastic` of the options. Springs must be linear and without
 *                         damping, rotors not coupled to links (JN_ERR_UNSUPPORTED, with the joint)
 * Of models with loops, m conditions in all (loops.h); functions above are those of the tree:
 *   loops_constraint      q, v -> phi [m], A [m x nv], Adot_v [m]
 *   loops_inverse_dynamics  q, v, a -> tau [nv], lambda [m], pivot [1], with the fixed mask `actuated` of the options
 *   loops_inverse_dynamics_jet  q, v_jet [(K+2) x nv] -> tau_jet [(K+1) x nv]
 *   loops_forward_dynamics  q, v, tau -> a [nv], lambda [m], pivot [1]
 * Solutions are written in an order of elimination that is chosen when code is generated, by pivoting at closed
 * configurations. pivot is the smallest divisor relative to its usual size there, and near 0 or not a number close to
 * singular configurations, where results are not accurate. Conditions that depend on others are dropped: their lambda
 * is 0, so that lambda is not the shortest one, which the library gives; a and tau are the same. */
#define JN_GENERATED_LIST(X)      \
  X(gravity_forces)               \
  X(bias_forces)                  \
  X(inverse_dynamics)             \
  X(mass_matrix)                  \
  X(forward_dynamics)             \
  X(hybrid_dynamics)              \
  X(inverse_dynamics_jet)         \
  X(forward_dynamics_jet)         \
  X(hybrid_dynamics_jet)          \
  X(inverse_dynamics_derivatives) \
  X(forward_dynamics_derivatives) \
  X(poses)                        \
  X(jacobians)                    \
  X(jacobian_rates)               \
  X(center_of_mass)               \
  X(momentum)                     \
  X(energies)                     \
  X(coriolis_matrix_christoffel)  \
  X(regressor)                    \
  X(loss_forces)                  \
  X(coriolis_forces)              \
  X(spring_forces)                \
  X(coriolis_matrix)              \
  X(mass_matrix_rate)             \
  X(mass_matrix_inverse)          \
  X(joint_wrenches)               \
  X(frame_twists)                 \
  X(frame_accelerations)          \
  X(momentum_matrix)              \
  X(momentum_matrix_rate)         \
  X(com_jacobian)                 \
  X(momentum_observer)            \
  X(motor_commands)               \
  X(gravity_forces_jet)           \
  X(mass_matrix_jet)              \
  X(coriolis_matrix_jet)          \
  X(momentum_jet)                 \
  X(center_of_mass_jet)           \
  X(energy_jet)                   \
  X(frame_twists_jet)             \
  X(joint_wrenches_jet)           \
  X(regressor_jet)                \
  X(gravity_forces_derivative)    \
  X(momentum_derivative)          \
  X(frame_twists_derivative)      \
  X(loops_constraint)             \
  X(loops_inverse_dynamics)       \
  X(loops_inverse_dynamics_jet)   \
  X(loops_forward_dynamics)

/* Languages of generated code. */
typedef enum jn_language { JN_LANGUAGE_C = 0, JN_LANGUAGE_MATLAB = 1 } jn_language;

/* Where generated code gets sines and cosines from. */
typedef enum jn_sines {
  JN_SINES_OWN = 0,  /* a function in the text: argument reduction and polynomials */
  JN_SINES_LIBM = 1, /* sinf and cosf, or sin and cos, of <math.h> */
  JN_SINES_GIVEN = 2 /* two more arguments, cos_q and sin_q [nq], instead of angles */
} jn_sines;

/* How to generate. Set up with jn_generate_options_init(). */
typedef struct jn_generate_options {
  size_t size;               /* sizeof(jn_generate_options), set by jn_generate_options_init() */
  const char *want;          /* names of functions, separated by commas */
  const char *prefix;        /* of all names in the text: a C identifier of at most 40 characters; NULL: "robot" */
  jn_language language;      /* default C */
  int single;                /* 1: float, 0: double; default 1 */
  jn_sines sines;            /* default JN_SINES_OWN */
  int regroup;               /* 1: regroup inertial parameters; default 1 */
  int order;                 /* highest time derivative of jets; default 1 */
  int lanes;                 /* 2, 4, 8 or 16: C for so many states at once, over vectors of GNU C; default 0: one */
  int split;                 /* 1: C functions of many statements are cut into pieces, for compilers; default 0 */
  double snap;               /* [rad] angles of placements this near to a quarter turn are set to it; default 0 */
  unsigned runtime;          /* what is an argument instead of a constant: JN_GENERATE_... added; default 0 */
  const char *payload_frame; /* where the payload is; NULL: the last frame */
  const char *const *frames; /* [frame_count] names of frames; none: the last frame */
  int frame_count;
  jn_representation in;            /* of Jacobians and their rates; default JN_IN_ALIGNED */
  const unsigned char *prescribed; /* [nv] of hybrid_dynamics: 1 where the acceleration is given */
  const unsigned char *actuated;   /* [nv] of loops_inverse_dynamics: 1 for coordinates that have a motor */
  const jn_elastic *elastic;       /* of motor_commands: the actuators; NULL: none */
  const char *source;              /* for the header: name of the robot file, ... */
  const char *command;             /* ... the command line, ... */
  const void *source_data; /* ... and the file itself, for its SHA-256; NULL: that of the model as native text */
  size_t source_length;
} jn_generate_options;

/* Values for `runtime`. */
#define JN_GENERATE_GRAVITY 1u    /* a further argument gravity [3] */
#define JN_GENERATE_PAYLOAD 2u    /* a further argument payload [10], inertial parameters in the payload frame */
#define JN_GENERATE_PARAMETERS 4u /* a further argument pi [10 nlink], as jn_parameters(); no regrouping */

JN_API void jn_generate_options_init(jn_generate_options *options); /* The defaults that are named there. */

/* Generated files, texts in memory. */
typedef struct jn_generated jn_generated;

/* Generates. Memory comes from the model's allocator. Errors: JN_ERR_NULL, JN_ERR_INIT, JN_ERR_NAME (no such function
 * or frame, or the prefix is no identifier), JN_ERR_SIZE (a number of the options is out of range, or the code would
 * have more than 20 million operations), JN_ERR_UNSUPPORTED (not for this model, or options that do not
 * go together, with the reason), JN_ERR_STOPPED
 * (jn_set_stop()), JN_ERR_MEMORY.
 * *error (may be NULL) has the reason. */
JN_API jn_status jn_generate(const jn_model *model, const jn_generate_options *options, jn_generated **generated,
                             jn_error *error);
JN_API void jn_generated_destroy(jn_generated *generated);                  /* Releases it; NULL is allowed. */
JN_API int jn_generated_count(const jn_generated *generated);               /* number of files */
JN_API const char *jn_generated_name(const jn_generated *generated, int i); /* e.g. "panda.c"; NULL if out of range */
JN_API const char *jn_generated_text(const jn_generated *generated, int i); /* its text; NULL if out of range */
/* Operations of a function (multiplications and additions, without sines and cosines); 0 if it was not generated. */
JN_API int jn_generated_operations(const jn_generated *generated, const char *function);

#ifdef __cplusplus
}
#endif
#endif
