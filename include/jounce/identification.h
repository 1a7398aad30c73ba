/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce/identification.h: the parameters of a robot from measured motion and joint forces.
 * Tier: experimental (docs/stability.md).
 *
 * The unknowns x [n] are, in this order: the ten inertial parameters of every link that is to be identified (as in
 * regressor.h); for every motor the inertia of its rotor, viscous friction, Coulomb friction and an offset, in blocks,
 * as far as they are asked for; a correction of the torque constant of every coordinate; and columns of the user. Joint
 * forces are linear in them:
 *   forces - known part = Y(q, v, a) x + noise.
 * The known part is that of everything which is not identified: the other links, springs, and the armature, damping and
 * friction of the model where these are not asked for.
 *
 * Motors: theta = G q with a constant matrix G [motors x nv] (default: one motor for each coordinate, which does
 * nothing at free joints). Rotor, friction and offset of motor k act on the joints by row k of G, as G_k^T (I theta'' +
 * d theta' + c sign(theta') + offset), all on the joint side of the gear.
 *
 * Only combinations of the unknowns can be told from joint forces: the base parameters b = B x (base_parameters.h). B
 * [nb x n] is found once, from random states. Measured rows are reduced by orthogonal transformations (QR) as they
 * come, one triangle for each channel and part of the data, so memory does not depend on their number. Channels are the
 * nv coordinates, the six
 * components of the wrench on `wrench_link` if that is given, and those of the user.
 *
 * jn_identification_solve() finds
 *   the base parameters: weighted least squares, each channel weighted by its own noise, with standard deviations;
 *   the essential ones: those that differ from zero beyond their uncertainty;
 *   all unknowns x, physically consistent: the minimum of
 *     |W (Y x - y)|^2 + w sum over links of ( tr(P0^-1 P) - log det(P0^-1 P) - 4 ) + w sum ((x - x0) / scale)^2,
 *   with the pseudo-inertia P of a link and P0 of the model (the prior), the last sum over friction, rotors and so on;
 *   scale is the value that would explain all forces, for offsets a twentieth of that.
 *   The function is convex in x, and the same in any frame and units. Newton's method with exact second derivatives
 *   finds its minimum in few steps P' = V (E + S) V^T from P = V V^T, which keep P positive definite; rotor inertias
 *   and frictions are not negative.
 *
 * Models with loops: the forces in the loops are not known, but do no work along motions that keep the loops closed. If
 * N [dof x nv] has the velocities that the independent coordinates make, N forces = N Y x is free of them. Independent
 * are actuated coordinates as far as they determine the others, then any; only their channels have rows, and only they
 * are taken from given states, the others follow from the loops. Base parameters are those of the closed mechanism.
 * Passive joints have friction, but no rotor and no offset. Such an identification belongs to one thread at a time.
 *
 * Guide: docs/identification.md. Errors of all: JN_ERR_NULL. */
#ifndef JOUNCE_IDENTIFICATION_H
#define JOUNCE_IDENTIFICATION_H

#include "batch.h"
#include "trajectory.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is identified besides the user's columns, as bits. */
enum {
  JN_IDENTIFY_INERTIA = 1,
  JN_IDENTIFY_ROTOR = 2,   /* [kg m^2 or kg] */
  JN_IDENTIFY_VISCOUS = 4, /* [N m s/rad or N s/m] */
  JN_IDENTIFY_COULOMB = 8, /* [N m or N] */
  JN_IDENTIFY_OFFSET = 16, /* [N m or N] */
  JN_IDENTIFY_SCALE = 32   /* [1]: the true force is (1 + scale) times the measured one. Something must be known, such
                              as a link that is not identified, because forces alone do not tell masses and scale
                              apart; otherwise JN_ERR_MODEL */
};

/* Set up with jn_identification_options_init(); NULL in place of options means these defaults. */
typedef struct jn_identification_options {
  size_t size;                   /* sizeof(jn_identification_options), set by jn_identification_options_init() */
  const jn_allocator *allocator; /* NULL: malloc and free. Copied; its context must outlive the result */
  unsigned columns;              /* JN_IDENTIFY_...; default inertia, viscous, Coulomb, offset */
  const char *const *links;      /* links whose inertia is identified (one link: a payload); NULL: all that move and
                                    have an inertia, or carry nothing that has one */
  int link_count;                /* how many */
  int motors;                    /* rows of coupling; default 0: one motor for each coordinate */
  const double *coupling;        /* G [motors x nv]; copied */
  const double *coulomb_speed;   /* [motors] [rad/s, m/s] sign(v) is v/speed below this speed, because friction does not
                                    jump; copied; NULL: a sharp sign */
  const char *const *motor_names; /* for jn_identification_name(); copied; NULL: those of their joints */
  int motor_name_count;           /* as many as motors */
  const unsigned char *actuated;  /* [nv] models with loops: 1 where there is a motor, whose force is measured; copied;
                                     NULL: the first coordinates that determine all others */
  int wrench_link;                /* the wrench through the joint of this link is measured, too; default JN_NONE */
  int user_columns;               /* number of columns that `user` writes to Y [nv x user_columns] at a state */
  void (*user)(const double *q, const double *v, const double *a, double *Y, void *context);
  void *context;
  int user_channels; /* channels for rows of the user (jn_identification_add_rows()), after the others; they have no
                        rows of their own, and their forces are NaN in jn_identification_add() */
  uint64_t seed;     /* of the random states for B; default 1 */
  int threads;       /* 0: as many as OpenMP would use; default 0 */
} jn_identification_options;

/* The defaults. */
JN_API void jn_identification_options_init(jn_identification_options *options);

/* Unknowns, and what the data say about them. */
typedef struct jn_identification jn_identification;

/* Finds the base parameters and makes room. The model must outlive the result. *error (may be NULL) says what is wrong.
 * O(n^3). Errors: JN_ERR_INIT, JN_ERR_SIZE, JN_ERR_NAME (no such link), JN_ERR_MODEL (nothing to identify, numbers that
 * are not finite, or torque constants next to nothing known), JN_ERR_LOOP (loops that cannot be closed),
 * JN_ERR_UNSUPPORTED (wrench_link of a model with loops), JN_ERR_MEMORY. */
JN_API jn_status jn_identification_create(const jn_model *model, const jn_identification_options *options,
                                          jn_identification **identification, jn_error *error);
JN_API void jn_identification_destroy(jn_identification *identification); /* NULL is allowed */

/* ---- Queries. NULL or an index out of range gives 0, JN_NONE or NULL. ---- */

JN_API int jn_identification_count(const jn_identification *identification);    /* n */
JN_API int jn_identification_channels(const jn_identification *identification); /* see above */
/* Copies the name of unknown i, as "link_3.Jxx", "joint_2.viscous" (or the motor's name), "user.1", to name [size], cut
 * if it is longer. */
JN_API jn_status jn_identification_name(const jn_identification *identification, int i, char *name, size_t size);
/* The link of an inertial parameter, or the coordinate of a motor with one coordinate; JN_NONE for all others. */
JN_API int jn_identification_link(const jn_identification *identification, int i);
JN_API int jn_identification_coordinate(const jn_identification *identification, int i);
/* x0 [n], the values of the model; inertias that no rigid body has are replaced by the nearest that one can have, and
 * massless links by a ball of 1 kg and 0.1 m. */
JN_API const double *jn_identification_prior(const jn_identification *identification);
JN_API int jn_identification_base_count(const jn_identification *identification);            /* nb */
JN_API int jn_identification_base_column(const jn_identification *identification, int i);    /* its leading unknown */
JN_API const double *jn_identification_base_matrix(const jn_identification *identification); /* B [nb x n] */

/* ---- Data ---- */

/* At one state: the regressor Y [channels x n] of all unknowns, and the known part [channels] (either may be NULL).
 * Columns of torque constants are those of `forces` [channels], NULL: zero. */
JN_API jn_status jn_identification_regressor(const jn_identification *identification, jn_work *work, const double *q,
                                             const double *v, const double *a, const double *forces, double *Y,
                                             double *known);
/* Adds `count` samples as they are: q [count x nq], v, a [count x nv], forces [count x channels]; a force that is NaN
 * was not measured. O(nb^2) for each. Errors: JN_ERR_MODEL (a number is infinite, or so large that its square is,
 * beyond 1e140, or a motion is NaN; nothing of this call is kept beyond the sample before). */
JN_API jn_status jn_identification_add(jn_identification *identification, size_t count, const double *q,
                                       const double *v, const double *a, const double *forces);
/* Adds rows of the user's own making, Y [rows x n] x = y [rows] (the known part subtracted), to a channel: momentum,
 * closed loops (jn_loops_regressor_jet()), other sensors. They may only depend on the base parameters. Errors:
 * JN_ERR_INDEX, JN_ERR_MODEL (a number is not finite or beyond 1e140, or a column is not zero that the channel never
 * has: use a user channel then). */
JN_API jn_status jn_identification_add_rows(jn_identification *identification, int channel, size_t rows,
                                            const double *Y, const double *y);

/* What the wrenches of a trajectory (jn_trajectory_load_wrenches()) are. */
enum {
  JN_WRENCH_NONE = 0,
  JN_WRENCH_CONTACT = 1, /* they act on the links from outside, such as those of force plates under the feet. Free
                            joints without a column of forces have no other force: their six rows are the change of
                            momentum, and need no joint torques */
  JN_WRENCH_JOINT = 2    /* that of `wrench_link` is the wrench through its joint, as in jn_joint_wrenches() */
};

/* How a measured motion is used. Set up with jn_measurement_init(). */
typedef struct jn_measurement {
  size_t size;         /* sizeof(jn_measurement), set by jn_measurement_init() */
  double cutoff;       /* [Hz] of the filter for forces and regressor alike; 0: no filter, every sample is a row */
  double delay;        /* [s] the forces were measured so much later than the positions with the same time */
  const double *scale; /* [channels] factors of the forces (torque constants, gear ratios); NULL: 1 */
  const double *limit; /* [channels] forces at or beyond this are saturated and not used; NULL: none */
  int motors;          /* 1: forces are those of the motors (as many as coordinates): joint forces are G^T forces */
  double start, end;   /* [s] the part that is used; default all */
  int wrench;          /* JN_WRENCH_...; default none: the trajectory's wrenches are not used */
  int fold;            /* 0 ... 4: everything goes to this part; default -1: parts alternate every half second */
} jn_measurement;

/* The defaults: no filter, no delay, all of the file. */
JN_API void jn_measurement_init(jn_measurement *measurement);
/* Adds a trajectory with forces (jn_trajectory_load_forces()): positions, velocities and accelerations from its splines
 * at the times of the forces. With a cutoff f, rows are averages over windows (Lanczos: sinc(u) sinc(u/3), u = 2 f (t -
 * t_k), |u| < 3) about the times t_k in steps of 1/(2 f), so that noise of neighbouring rows is not correlated, and
 * deviations mean what they say; windows with gaps, with saturated samples, or beyond the ends are left out. Errors:
 * JN_ERR_SIZE, JN_ERR_MODEL (no forces; no wrenches where they are to be used), JN_ERR_LOOP (the motion does not give
 * the independent coordinates of a model with loops, or they cannot be closed). */
JN_API jn_status jn_identification_add_trajectory(jn_identification *identification, const jn_trajectory *trajectory,
                                                  const jn_measurement *measurement);
/* The state of a motion at time t as it is used there: q [nq], v, a [nv]; coordinates that follow from loops go on from
 * where they were at the call before, the first time from the neutral configuration. */
JN_API jn_status jn_identification_state(const jn_identification *identification, const jn_trajectory *trajectory,
                                         double t, double *q, double *v, double *a);
/* A cutoff [Hz] that keeps what this motion can excite: eight times the frequency rms(a) / rms(v) / 2 pi of the fastest
 * coordinate, but at most a fifth of the sampling rate. The largest twentieth of v^2 and of a^2 is left out, so that a
 * sensor that jumps now and then does not decide. */
JN_API double jn_identification_cutoff(const jn_identification *identification, const jn_trajectory *trajectory);
/* Forgets all rows. With factor > 0, rows added from now on are left out if they deviate from the last solution by more
 * than `factor` standard deviations of their channel. */
JN_API void jn_identification_clear(jn_identification *identification, double factor);

/* ---- Solving ---- */

/* The result, valid until the next call that changes the identification. */
typedef struct jn_estimate {
  int channels;                   /* rows at each state */
  int count;                      /* n */
  int base_count;                 /* nb */
  double rows;                    /* rows used */
  double rejected;                /* rows left out as outliers */
  int told;                       /* number of base parameters that this motion tells */
  double condition;               /* condition number of their columns, each scaled to length 1 */
  const double *base;             /* [nb] least squares; the model's value where nothing is told */
  const double *deviation;        /* [nb] standard deviation; infinite where nothing is told */
  const unsigned char *essential; /* [nb] 1: belongs to the smallest set that fits the data as well */
  const double *x;                /* [n] physically consistent */
  const double *noise;            /* [channels] standard deviation of the residuals, 0 without data */
  double prior;                   /* weight that was used */
  int iterations;                 /* of the consistent set; negative: it did not converge */
} jn_estimate;

/* w: weight of the prior; negative: found by cross-validation over the five parts of the data (the largest weight, at
 * most 100, within one standard error of the best). If the
 * model with x would get more warnings from the checks of jn_builder_freeze() than the model has (absurd data: tons,
 * centres of mass far away), the weight is raised until it does not. consistent 0: only base parameters, x is then the
 * prior. O(nb^2 channels +
 * iterations n^3). Errors: JN_ERR_MODEL (no data), JN_ERR_MEMORY. */
JN_API jn_status jn_identification_solve(jn_identification *identification, double w, int consistent,
                                         const jn_estimate **estimate);

/* Root mean square of the residuals Y x - y and of the measured forces, and the number of rows, of each channel
 * [channels], over the data that were added, for any x [n]. Outputs may be NULL. */
JN_API jn_status jn_identification_residuals(const jn_identification *identification, const double *x, double *error,
                                             double *force, double *rows);
/* The same for base parameters b [nb]. */
JN_API jn_status jn_identification_base_residuals(const jn_identification *identification, const double *b,
                                                  double *error, double *force, double *rows);
/* Standard deviations [nb] that solving would give for this motion if the channels had this noise [channels]; forces
 * need not be measured (add zeros). told, condition as in jn_estimate; outputs may be NULL. */
JN_API jn_status jn_identification_foresee(jn_identification *identification, const double *noise, double *deviation,
                                           int *told, double *condition);
/* The model with x [n]: inertias of the identified links, and armature, damping and friction of the coordinates as far
 * as they are unknowns of a motor with one coordinate. Offsets, torque constants, user columns and coupled motors have
 * no place in a model. */
JN_API jn_status jn_identification_model(const jn_identification *identification, const double *x, jn_model **model);

#ifdef __cplusplus
}
#endif
#endif
