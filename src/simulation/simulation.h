/* SPDX-License-Identifier: BSD-2-Clause */
/* A simulator moves a system in time. Its parts, from the bottom up:
 *   forces.c        forces and accelerations, at a state and as a series of time
 *   series.c        taylor: the series of the motion, and one step
 *   runge_kutta.c   euler, rk4, dopri5: one step
 *   rodas.c         rodas: one step, and its derivatives
 *   jacobians.c     derivatives of the acceleration
 *   variation.h     derivatives of a step: lists more files
 *   events.c        what ends a step early
 *   energy.c        the energy balance
 *   rollout.c       derivatives of whole motions; motions.c: many motions at once
 *   simulator.c     options, memory, state, and the step that users see
 *
 * A step starts at (t0, q0, v0) and goes to (t, q, v). In between, every method leaves continuous output: taylor its
 * series, the others polynomials of degree 4 for the tangent vector u with q = q0 (+) u, and for v.
 *
 *   symbol     meaning                                                size   unit
 *   q, v, a    configuration, velocity, acceleration                  nq, nv rad, m; per s, s^2
 *   u          tangent vector from the start of the step              nv     rad, m
 *   tau        forces that the options ask for                        nv     N m, N
 *   loss       damping v + friction v / sqrt(v^2 + s^2)               nv     N m, N
 *   given      coordinates whose acceleration is known: prescribed by the options, or held by a stop
 *   reaction   forces of given coordinates                            nv     N m, N
 *   group      a spherical or free joint: its velocity is not the rate of its coordinates
 *   low        what rounding leaves of a sum: the exact value is x + x_low */
#ifndef JN_SIMULATION_SIMULATION_H
#define JN_SIMULATION_SIMULATION_H

#include "jounce/simulation.h"

enum { RK_STAGES = 8, DENSE_TERMS = 5, EVENT_SAMPLES = 16 };

/* A joint whose velocity is not the rate of its coordinates. */
typedef struct group_joint {
  int iq, iv, is_free; /* free: 7 and 6 numbers; else spherical, 4 and 3 */
} group_joint;

struct jn_simulator {
  const jn_model *model;
  jn_loops *loops; /* NULL: a tree */
  jn_simulation_options options;
  jn_allocator allocator;
  int nq, nv, nlink;
  int order;                /* of taylor: rows 0 ... order of v; jets of forces go to order - 1 */
  jn_work *work, *jet_work; /* jet_work: nothing but the series in progress */
  group_joint *group;
  int groups;
  int *place; /* [nv] in q, of coordinates whose velocity is their rate; -1: of a group joint */

  double t, *q, *v, *a;         /* now; a is known if has_a */
  double t_low, *q_low, *v_low; /* what rounding left of sums: t + t_low ... */
  int has_a;
  double *forces_of_a;      /* [2 nv + 6 nlink] what the user's functions gave for it: tau, accelerations, wrenches */
  double t0, *q0, *v0, *a0; /* where the last step began */
  double step;              /* shorter than `length`, that of the method's step, if an event cut it */
  double length;
  double next;          /* the length to try; 0: not known yet */
  double error;         /* of the last accepted step, relative to the tolerance */
  const double *acting; /* constant forces of the last step, which its derivatives need, too; NULL: none */
  int is_fixed;         /* steps are as long as they are, whatever the error */

  double *damping, *friction; /* [nv] of the losses; zero if these are not wanted */
  int has_friction;
  unsigned char *prescribed; /* [nv] by the options */
  signed char *held, *held0; /* [nv] -1, 1: at rest at the lower, upper stop; now, and during the last step */
  unsigned char *given;      /* [nv] either of both */
  int has_given;

  double *tau, *loss, *reaction, *wrench; /* [nv], wrench [nlink x 6]: of the last evaluation at order 0 */
  double *x, *y, *z;                      /* [nv] scratch */
  double *qx, *vx;                        /* a state: scratch of continuous output */
  double *qy, *vy;                        /* a state: scratch of stages */

  /* taylor */
  double *v_jet, *v_given;              /* [order+1 x nv] derivatives by rows */
  double *tau_jet, *loss_jet, *tau_out; /* [order x nv] forces, losses, and their difference: what acts */
  double *reaction_jet, *wrench_jet;    /* [order x nv], [order x nlink x 6] */
  double *wrench_given;    /* [order x nlink x 6] as they were given, if that is in the axes of the world */
  double *series;          /* [order+1 x nv] Taylor coefficients of v */
  double *square, *root;   /* [order x nv] of friction: v^2 + s^2, and its power -1/2 */
  double *gravity, *user;  /* [order x nv] of gravity compensation, of the user */
  double *turn;            /* [groups x (order+2) x 4] quaternions relative to the step's start */
  double *shift;           /* [groups x (order+2) x 3] positions, likewise */
  double *quaternions;     /* [8 x (order+2)] scratch */
  double *jet_derivatives; /* [order x (order+2) x nv x nv] of the derivatives of a step */
  double *sensitivity;     /* [order+1 x 3nv x nv] */
  double *slope, *factor;  /* [order x nv], [nv x nv] */

  /* the others */
  double *ku, *kv;                  /* [RK_STAGES x nv] */
  double *dense_u, *dense_v;        /* [DENSE_TERMS x nv] */
  double *dq, *dv, *dtau, *dforce;  /* [nv x nv] rodas */
  double *matrix;                   /* [2nv x 2nv] */
  int *pivot;                       /* [2nv] */
  double *unused;                   /* [3 x nv x nv] of forces of given coordinates */
  double *rate_t, *column, *lambda; /* [nv], [2nv], [rows of the loops] */
  double time_shift;                /* rate_t is a difference over this time */

  double *drive, *start;            /* [nv], [nq + nv] of motions: forces of a step, where they begin */
  struct step_variation *variation; /* NULL: derivatives of a step are not wanted (variation.h) */

  jn_happened happened, cut; /* of the last step; of the one that is being made */
  int happened_index, cut_index;
  double *watch_before; /* [watch_count] at the start of the step */
  int watch_is_nan;     /* a watch gave NaN in this step */
  jn_simulation_report report;
};

/* forces.c */
/* tau, loss [nv] and, if given, wrench at a state. */
jn_status jn__simulation_forces(jn_simulator *s, double t, const double *q, const double *v);
/* The acceleration [nv], with s->tau, s->loss, s->wrench set; with given coordinates s->reaction: all forces that act.
 */
jn_status jn__simulation_acceleration(jn_simulator *s, double t, const double *q, const double *v, double *a);
/* Accelerations of given coordinates and their derivatives, into rows 1 ... order + 1 of s->v_given. */
jn_status jn__simulation_given_motion(jn_simulator *s, double t, int order);
/* s->v_jet at the state now, and with it s->series, s->tau_jet, s->loss_jet. */
jn_status jn__simulation_velocity_jet(jn_simulator *s);
/* Sets s->a, unless it is known. */
jn_status jn__simulation_here(jn_simulator *s);
/* Notes that the last evaluation was that of s->a, with the forces that the user's functions gave. */
void jn__simulation_keep_acceleration(jn_simulator *s);
/* Forgets s->a if the user's functions give other forces now than they gave for it: what they compute from may have
 * changed since the last step. */
jn_status jn__simulation_ask_again(jn_simulator *s);
void jn__simulation_given(jn_simulator *s); /* after a change of `held` */

/* series.c: the motion after time h of the last step's series. */
void jn__simulation_series_at(const jn_simulator *s, double h, double *q, double *v, double *q_low, double *v_low);

/* One step of at most `longest`: s->t0 ... and the new state in s->q, s->v, s->step. */
jn_status jn__simulation_taylor(jn_simulator *s, double longest);
jn_status jn__simulation_dormand_prince(jn_simulator *s, double longest);
jn_status jn__simulation_rk4(jn_simulator *s, double longest);
jn_status jn__simulation_euler(jn_simulator *s, double longest);
jn_status jn__simulation_rodas(jn_simulator *s, double longest);

/* runge_kutta.c */
/* du [nv] = the rate of u when the velocity at q0 (+) u is v. */
void jn__simulation_tangent_rate(const jn_simulator *s, const double *u, const double *v, double *du);
/* Dense output from u, v at the end of the step (and their rates), cubic. */
void jn__simulation_hermite(jn_simulator *s, double h, const double *u, const double *du, const double *v,
                            const double *dv);
/* Whether a step of length h with this error, as a share of the tolerance, is good; then the next length is set. */
int jn__simulation_accept(jn_simulator *s, double h, double error, int order);
double jn__simulation_share(const jn_simulator *s, const double *eu, const double *ev, const double *v);
double jn__simulation_first_step(jn_simulator *s, int order);
jn_status jn__simulation_length(jn_simulator *s, double h, double longest, double *length);
/* Ends a step of length h at u (which is changed by loops), v, with cubic output. */
jn_status jn__simulation_end_cubic(jn_simulator *s, double h, double *u, const double *v);
/* The first stage: s->a0, and row 0 of s->ku, s->kv. */
jn_status jn__simulation_first_stage(jn_simulator *s);

/* jacobians.c: the acceleration a at a state, and s->dq, s->dv, s->dtau, its derivatives with the forces that depend on
 * the state. q and v must not be scratch memory of the simulator. */
jn_status jn__simulation_jacobians(jn_simulator *s, double t, const double *q, const double *v, double *a);

/* simulator.c: puts s->q, s->v onto the conditions of the loops. */
jn_status jn__simulation_project(jn_simulator *s);
/* simulator.c: after theta of the last step, 0 <= theta <= step. */
void jn__simulation_dense(jn_simulator *s, double theta, double *q, double *v);

/* events.c: shortens the last step to the first event in it, s->cut; then does what the event does. */
jn_status jn__simulation_events(jn_simulator *s);
/* The value of a watch; notes in s->watch_is_nan when it is NaN. */
double jn__simulation_watch(jn_simulator *s, int i, double t, const double *q, const double *v);
jn_status jn__simulation_happen(jn_simulator *s);
/* Lets go of coordinates that stops do not push. */
jn_status jn__simulation_check_held(jn_simulator *s);

/* energy.c: adds the last step to the balance. */
jn_status jn__simulation_balance(jn_simulator *s);

#endif
