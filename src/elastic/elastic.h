/* SPDX-License-Identifier: BSD-2-Clause */
/* Joints with motors behind springs: the parts of a jn_elastic. [Spong 1987; De Luca 1988]
 *
 *   links    M(q) q'' + C q' + g = tau_J        inverse dynamics gives tau_J of a motion, or forces move the links
 *   springs  D delta' + phi(delta) = tau_J      delta = theta - q
 *   motors   B theta'' + tau_J + friction = tau_m
 *
 * Files, from the bottom up: pieces.c quintic splines; spring.c series through springs and friction; damped.c springs
 * with damping, along a motion; create.c checks and memory; robot.c the robot with a coordinate for every motor;
 * inverse.c (coupled.c: with rotors on links), forward.c, modes.c, control.c what users call. Only public functions of
 * other modules are used, and the library's memory and messages. Series are Taylor coefficients in time, x_k = x^(k) /
 * k!.
 *
 *   symbol   meaning                                        unit
 *   q, v     coordinates of the links and their rates       rad, m
 *   theta    positions of the motors, on the link side      rad, m
 *   delta    deflection of a spring, theta - q              rad, m
 *   tau_J    torque through the spring                      N m, N
 *   tau_m    torque of the motor, on the link side          N m, N
 *   B, K, D  rotor inertia, stiffness, damping              kg m^2, N m/rad, N m s/rad */
#ifndef JN_ELASTIC_ELASTIC_H
#define JN_ELASTIC_ELASTIC_H

#include "../model/log.h"
#include "../model/memory.h"
#include "jounce/elastic.h"
#include "jounce/jets.h"

enum {
  JN_MOTOR_ORDER = 8,                   /* highest order of motor torques */
  JN_TORQUE_TERMS = JN_MOTOR_ORDER + 5, /* of the series of tau_J, with damping */
  JN_SERIES_TERMS = 64                  /* of any series here */
};

/* A spline of degree 5 through points: on each interval sum c[k] ((x - knot) / width)^k. */
typedef struct jn_quintic_spline {
  int count; /* of points; 0: none */
  const double *x, *y;
  double *c; /* [count - 1 x 6] */
} jn_quintic_spline;

typedef enum jn_spring_kind {
  JN_SPRING_RIGID,
  JN_SPRING_LINEAR,
  JN_SPRING_OVER_TIME,
  JN_SPRING_POLYNOMIAL,
  JN_SPRING_TABLE
} jn_spring_kind;

typedef struct jn_spring {
  jn_spring_kind kind;
  jn_actuator actuator;     /* its arrays are in the block of the jn_elastic */
  jn_quintic_spline pieces; /* of a table, or of stiffness over time */
} jn_spring;

struct jn_elastic {
  jn_allocator allocator;
  const jn_model *model;
  jn_elastic_options options;
  int nq, nv;
  jn_spring *springs; /* [nv] */
  int *q_index;       /* [nv] index in q; -1: spherical or free */
  int has_damping;
  int joint;  /* joint of the last error */
  int levels; /* spring joints on the longest branch, with rotors on links; else 1 */

  /* State of damped springs along a motion: */
  int started;
  double t, error;
  double *state;  /* [nv] the part of the deflection that is integrated, damped.c */
  double *torque; /* [nv x JN_TORQUE_TERMS] series of tau_J at t */

  /* The robot with motors: */
  jn_model *robot;
  int robot_nq, robot_nv;
  int *link_v, *motor_v;      /* [nv] indices in its velocities */
  int *link_q, *motor_q;      /* [nv] in its configuration: first coordinate of the joint; motors behind springs only */
  jn_work *work, *robot_work; /* work: order 2 */
  jn_loops *loops, *robot_loops;
  double *coupled_scratch; /* of coupled.c; NULL: no rotors on links */
  double *scratch;         /* [6 N^2 + 24 N + rows of loops (N + 1) + nq of the robot + 8] */
};

/* ---- pieces.c ---- */

/* Fits the spline to its points: continuous to order 4, third and fourth derivatives zero at the ends. scratch [6 *
 * count]. */
void jn__pieces_fit(jn_quintic_spline *pieces, double *scratch);
/* Taylor coefficients 0 ... order at x; beyond the ends those of the parabola there, or a constant if `flat`. */
void jn__pieces_taylor(const jn_quintic_spline *pieces, double x, int flat, int order, double *out);

/* ---- spring.c ---- */

/* phi and its Taylor coefficients 0 ... order about a deflection, at time t. */
void jn__spring_taylor(const jn_spring *spring, double t, double delta, int order, double *out);
/* Coefficient k of phi(delta(t)), from the coefficients 0 ... k of delta; `taylor` about delta[0] to order k, or of
 * stiffness over time; power [(k+1) x (k+1)] is kept from lower to higher k. */
double jn__spring_term(const jn_spring *spring, const double *taylor, int k, const double *delta, double *power);
/* The stiffness series of over-time springs, or the Taylor coefficients about delta: what jn__spring_term() takes. */
void jn__spring_prepare(const jn_spring *spring, double t, double delta, int order, double *taylor);
/* delta [order + 1] with phi(delta) = tau [order + 1]; 0 if the spring cannot make this torque. */
int jn__spring_solve(const jn_spring *spring, double t, int order, const double *tau, double *delta);
/* Friction of the motor [order + 1] from the series of its speed. */
void jn__friction_series(const jn_actuator *actuator, int order, const double *speed, double *out);

/* ---- damped.c ---- */

/* The deflection series [order + 1] of a damped spring now, from its state and the series tau [order + 3]. */
void jn__damped_series(const jn_spring *spring, double t, double state, int order, const double *tau, double *delta);
/* The state without transient; terms: of tau. 0 if the spring cannot make this torque. */
int jn__damped_start(const jn_spring *spring, double t, int terms, const double *tau, double *state);
/* From t0 to t1, tau by its series at both ends; *error: what one derivative less would have changed. */
jn_status jn__damped_advance(const jn_spring *spring, double t0, double t1, int terms, const double *tau0,
                             const double *tau1, double *state, double *error);

/* ---- coupled.c ---- */

jn_status jn__coupled_inverse(jn_elastic *elastic, int order, double t, const double *q, const double *v_jet,
                              const jn_motor_motion *out);

/* ---- robot.c ---- */

jn_status jn__elastic_build_robot(jn_elastic *elastic, jn_error *error);

#endif
