/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce/elastic.h: robots whose motors drive their joints through springs (series elastic, harmonic drives).
 * Tier: experimental (docs/stability.md).
 *
 *   link side    tau_J = inverse dynamics of the robot, through the spring
 *   spring       tau_J = phi(delta) + D delta',   delta = theta - q
 *   motor side   tau_m = B theta'' + tau_J + d theta' + f theta' / sqrt(theta'^2 + s^2)
 *
 * All numbers are on the joint side of the gear: the motor angle divided by the gear ratio, torques multiplied by it,
 * inertias by its square. q, tau_J, theta, tau_m are indexed by the velocity coordinates of the model; a coordinate
 * without a spring is rigid: theta = q, tau_m = tau_J + B q'' + friction. Spherical and free joints are always rigid.
 *
 * Rotors are counted as if only their own spin moved them (Spong 1987: the reduced model), or, as an option, with the
 * motion of the link that carries them. Models with loops are allowed: tau_J is then that of the actuated coordinates.
 *
 * A jn_elastic belongs to one thread; the model must live as long. Only functions that create one allocate. Files and
 * formulas: docs/elastic.md. Errors of all: JN_ERR_NULL. */
#ifndef JOUNCE_ELASTIC_H
#define JOUNCE_ELASTIC_H

#include "loops.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is between the motor and the link of one velocity coordinate. Set up with jn_actuator_init(). The spring is the
 * first of these that is given: polynomial, table, stiffness over time, stiffness. */
typedef struct jn_actuator {
  size_t size;              /* sizeof(jn_actuator), set by jn_actuator_init() */
  double stiffness;         /* K, phi = K delta [N m/rad, N/m]; INFINITY (default): rigid */
  double damping;           /* D, beside the spring [N m s/rad, N s/m]; default 0 */
  double rotor_inertia;     /* B [kg m^2, kg]; default 0 */
  double rotor_damping;     /* d [N m s/rad, N s/m]; default 0 */
  double frictionloss;      /* f, Coulomb friction of the motor [N m, N]; default 0 */
  double friction_speed;    /* s, below which Coulomb friction fades [rad/s, m/s]; default 1e-3 */
  double gear;              /* turns of the motor for one of the joint; default 1 */
  double torque_constant;   /* [N m/A] at the motor's own shaft; 0 (default): not known */
  const double *polynomial; /* [polynomial_count] c_0, c_1, ...: phi(delta) = sum c_k delta^k; NULL: none */
  int polynomial_count;
  const double *table_deflection; /* [table_count] increasing, and phi there, increasing: a quintic spline between, */
  const double *table_torque;     /*   with continuous derivatives to order 4; beyond the ends a parabola */
  int table_count;                /* 0 (none), or at least 3 */
  const double *times;            /* [time_count] increasing [s], and K at them: the same spline; constant outside */
  const double *time_stiffness;
  int time_count; /* 0 (none), or at least 3 */
  /* Limits, infinite where there are none: of the motor's torque, of |theta'|, |d tau_m/dt|, |delta| */
  double torque_lower, torque_upper, velocity, effort_rate, deflection;
} jn_actuator;

/* A rigid joint without rotor, friction and limits. */
JN_API void jn_actuator_init(jn_actuator *actuator);

/* How jn_elastic_create() and jn_elastic_load() make one. Set up with jn_elastic_options_init(). */
typedef struct jn_elastic_options {
  size_t size; /* sizeof(jn_elastic_options), set by jn_elastic_options_init() */
  int order;   /* K: motor torques and their derivatives to this order will be asked for; default 1, at most 8 */
  int coupled; /* 1: rotors are carried and turned by the links that hold the motors; revolute joints only. Default 0:
                  the reduced model */
  size_t max_bytes; /* size limit for files; default and 0: JN_MAX_BYTES */
} jn_elastic_options;

/* The defaults that are named there. */
JN_API void jn_elastic_options_init(jn_elastic_options *options);

/* A robot with its actuators. */
typedef struct jn_elastic jn_elastic;

/* actuators [nv] are copied; options NULL: defaults. *error (may be NULL) says which coordinate breaks which rule.
 * Errors: JN_ERR_INIT, JN_ERR_SIZE (order), JN_ERR_MODEL (a number is out of its range, or a spring's torque does not
 * grow with its deflection), JN_ERR_UNSUPPORTED (a spring in a spherical or free joint; rotors that move with their
 * links in other than revolute joints), JN_ERR_MEMORY. */
JN_API jn_status jn_elastic_create(const jn_model *model, const jn_actuator *actuators,
                                   const jn_elastic_options *options, jn_elastic **elastic, jn_error *error);
/* From a JSON file, docs/elastic.md; and from text, where file is the name for messages. Joints without an entry are
 * rigid. Errors also: JN_ERR_FILE, JN_ERR_SYNTAX, JN_ERR_NAME (no such joint), JN_ERR_UNSUPPORTED (no jansson). */
JN_API jn_status jn_elastic_load(const jn_model *model, const char *path, const jn_elastic_options *options,
                                 jn_elastic **elastic, jn_error *error);
JN_API jn_status jn_elastic_load_text(const jn_model *model, const char *text, size_t length, const char *file,
                                      const jn_elastic_options *options, jn_elastic **elastic, jn_error *error);
JN_API void jn_elastic_destroy(jn_elastic *elastic); /* Releases it; NULL is allowed. */

/* The actuator of velocity coordinate v; NULL if out of range. Its arrays live as long as the jn_elastic. */
JN_API const jn_actuator *jn_elastic_actuator(const jn_elastic *elastic, int v);
/* 1 if coordinate v has a spring. */
JN_API int jn_elastic_is_elastic(const jn_elastic *elastic, int v);
/* The order of the jet of tau_J that motor torques of order K need: K + 2; K + 4 if a spring has damping; with rotors
 * on links K + 2 L, L springs being one behind the other. The motion, v_jet, goes two orders further. -1 if K is
 * negative or beyond the order of the options. */
JN_API int jn_elastic_order(const jn_elastic *elastic, int order);

/* ---- Inverse: from a motion to its motors ---- */

/* What jn_elastic_inverse() writes; NULL: not wanted. */
typedef struct jn_motor_motion {
  double *deflection_jet; /* [(K+3) x nv] delta and its derivatives */
  double *theta_jet;      /* [(K+3) x nv]; row 0 is NaN for spherical and free joints */
  double *motor_jet;      /* [(K+1) x nv] tau_m */
  double *current;        /* [nv] tau_m / (gear torque_constant) [A]; NaN where that is not known */
  double *power;          /* [nv] tau_m theta' [W] */
  double *spring;         /* [nv] what goes through the springs: tau_J; with rotors on links, what these make of it */
} jn_motor_motion;

/* Motors of a motion at time t: q [nq], v_jet [(P+2) x nv] and tau_jet [(P+1) x nv], the link side's forces to order
 * P = jn_elastic_order(K). Only the first K + 2 rows of v_jet are read. Without damping nothing is remembered:
 *   theta^(k) = q^(k) + delta^(k),  phi(delta) = tau_J by composition of series,  tau_m^(k) as above.
 * With rotors on links all of v_jet is read, and tau_jet (may be NULL then) is not: springs are solved from the
 * tips of the tree to its root, O(L N P^2); wrenches, damping and loops are then not supported. With damping D delta' +
 * phi(delta) = tau_J is solved from call to call, so calls go forward in time; the first one, and one after
 * jn_elastic_restart() or back in time, starts from the solution without transient. tau_J is interpolated between calls
 * by the polynomial that has all its derivatives at both ends, and for linear springs the equation is solved exactly
 * for that. Derivatives of delta are those that the equation itself gives, so that the equation and its derivatives
 * hold to rounding. O(nv K^2). Errors: JN_ERR_SIZE (order), JN_ERR_UNSUPPORTED (see above), JN_ERR_SINGULAR (a spring
 * cannot make this torque: jn_elastic_joint()), JN_ERR_STEP (a nonlinear spring with damping that is too stiff for the
 * time between two calls). */
JN_API jn_status jn_elastic_inverse(jn_elastic *elastic, int order, double t, const double *q, const double *v_jet,
                                    const double *tau_jet, const jn_motor_motion *out);
/* Forget the transient of damped springs. */
JN_API void jn_elastic_restart(jn_elastic *elastic);
/* Largest error of a deflection [rad, m] that interpolation between calls may have made since the start, estimated from
 * one derivative less; 0 without damping. NaN: NULL. */
JN_API double jn_elastic_error(const jn_elastic *elastic);
/* The velocity coordinate that the last error was about, or JN_NONE. */
JN_API int jn_elastic_joint(const jn_elastic *elastic);

/* ---- Forward: the elastic robot as a system ---- */

/* The robot with a coordinate for every motor behind a spring: a model with the same links, joints and loops, and one
 * link and joint NAME.motor for each spring, whose coordinate is theta. Springs are not in it: jn_elastic_forces(). */
JN_API const jn_model *jn_elastic_model(const jn_elastic *elastic);
/* Place in the velocities of that model of link coordinate v, and of its motor (that of the link if it is rigid). */
JN_API int jn_elastic_link_coordinate(const jn_elastic *elastic, int v);
JN_API int jn_elastic_motor_coordinate(const jn_elastic *elastic, int v);
/* Copies between q [nq], v [nv], theta [nv], dtheta [nv] and the state of that model; of rigid coordinates theta is not
 * read, and written as q (NaN for spherical and free joints). */
JN_API jn_status jn_elastic_join(const jn_elastic *elastic, const double *q, const double *v, const double *theta,
                                 const double *dtheta, double *q_all, double *v_all);
JN_API jn_status jn_elastic_split(const jn_elastic *elastic, const double *q_all, const double *v_all, double *q,
                                  double *v, double *theta, double *dtheta);

/* Forces of springs, their dampers, friction of motors, and of the motors: tau_jet [(K+1) x N] on the N coordinates of
 * jn_elastic_model(), along the motion q_all, v_jet [(K+1) x N] there; motor_jet [(K+1) x nv] (NULL: zero). A function
 * of the user for jounce/simulation.h (jn_force_function) is a call of this one: derivatives of any order, so Taylor
 * series work. Errors: JN_ERR_SIZE (order above 60). */
JN_API jn_status jn_elastic_forces(const jn_elastic *elastic, double t, int order, const double *q_all,
                                   const double *v_jet, const double *motor_jet, double *tau_jet);
/* Accelerations a [N] of the elastic robot and their derivatives by its state and by motor torques: da_dq, da_dv [N x
 * N], da_dmotor [N x nv]. Any may be NULL. Loops of the model are kept closed. Errors: JN_ERR_SINGULAR (a motor behind
 * a spring without rotor_inertia), JN_ERR_LOOP, JN_ERR_VARIANT. O(N^3). */
JN_API jn_status jn_elastic_dynamics(jn_elastic *elastic, double t, const double *q_all, const double *v_all,
                                     const double *motor, double *a, double *da_dq, double *da_dv, double *da_dmotor);

/* Undamped modes at a configuration q [nq], with springs at the deflection delta [nv] (NULL: zero): generalised
 * eigenvalues of the springs' stiffness against the mass matrix of jn_elastic_model(). omega [N] in rad/s, increasing;
 * *count of them, N or, with loops, its degrees of freedom; shapes [N x N], row i the mode of omega[i], of unit kinetic
 * energy 1/2 at unit speed; the rows behind are zero. Weight is no stiffness. Overflow: INFINITY. Errors as above. */
JN_API jn_status jn_elastic_modes(jn_elastic *elastic, double t, const double *q, const double *delta, int *count,
                                  double *omega, double *shapes);

/* ---- Control ---- */

/* What the measured state of motors and links means for the links: v_jet [3 x nv] = v, acceleration and jerk, from
 * tau_J = phi(theta - q), its rate, and forward dynamics of order 1. All coordinates must have springs, without
 * damping, in the reduced model (JN_ERR_UNSUPPORTED); with loops, those without are passive. Errors: JN_ERR_SINGULAR,
 * JN_ERR_LOOP, JN_ERR_VARIANT. */
JN_API jn_status jn_elastic_state_jet(jn_elastic *elastic, double t, const double *q, const double *v,
                                      const double *theta, const double *dtheta, double *v_jet);
/* Feedback linearisation: the motor torques motor [nv] with which q'''' = snap [nv] at this state: inverse dynamics of
 * order 2 with the jerk of jn_elastic_state_jet(). A tracking controller chooses snap = q_d'''' + k3 (q_d''' - q''') +
 * k2 (q_d'' - q'') + k1 (q_d' - q') + k0 (q_d - q). De Luca (1988). With loops, snap of the
 * coordinates with springs counts, and the others follow (JN_ERR_LOOP when they cannot). Errors as above. */
JN_API jn_status jn_elastic_linearising_torque(jn_elastic *elastic, double t, const double *q, const double *v,
                                               const double *theta, const double *dtheta, const double *snap,
                                               double *motor);
/* Motor control with exact feed-forward: motor = tau_m + kp (theta_d - theta) + kd (theta_d' - theta'), with tau_m,
 * theta_d, theta_d' from jn_elastic_inverse() at this time; kp, kd, all else [nv]; motor may be motor_ff. */
JN_API jn_status jn_elastic_motor_pd(const jn_elastic *elastic, const double *motor_ff, const double *theta_jet,
                                     const double *theta, const double *dtheta, const double *kp, const double *kd,
                                     double *motor);

#ifdef __cplusplus
}
#endif
#endif
