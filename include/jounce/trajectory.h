/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce/trajectory.h: motions as functions of time, with all their time derivatives.
 * Tier: experimental (docs/stability.md).
 *
 * A trajectory gives the configuration q(t) of a model and the jet of its velocity at any time in its range, in the
 * form that jounce/jets.h takes. It comes from samples (CSV, NPY, NPZ, or arrays), to which B-splines are fitted, or
 * from closed forms (JSON: polynomial, Fourier series, cosine, minimum jerk or snap through waypoints). Formats and
 * method: docs/torque.md.
 *
 * Coordinates are named after their joints: NAME for joints of one coordinate, otherwise NAME and a suffix: _x _y _z
 * _qx _qy _qz _qw (free), _qx _qy _qz _qw (spherical), _x _y _angle (planar), _angle _length (cylindrical), _1 _2 ...
 * (universal, gimbal, general). "base" stands for the first free joint on the world, unless a joint has that name.
 *
 * Orientations are fitted as quaternions, which are then normalised; angular velocities and all their derivatives
 * follow from them exactly, by polynomial arithmetic.
 *
 * A trajectory does not change after it is created, so any number of threads may share it. Only functions that create
 * one allocate. It keeps a pointer to the model, which must outlive it. Errors of all: JN_ERR_NULL. */
#ifndef JOUNCE_TRAJECTORY_H
#define JOUNCE_TRAJECTORY_H

#include "configuration.h"
#include "kinematics.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A motion over time. */
typedef struct jn_trajectory jn_trajectory;

/* Highest order K of jn_trajectory_evaluate(), and of splines fitted to samples. */
#define JN_TRAJECTORY_MAX_ORDER 30
#define JN_TRAJECTORY_MAX_SPLINE_ORDER 10

/* How much a fit smooths the samples. */
typedef enum jn_smoothing {
  JN_SMOOTH_GCV = 0,       /* as much as generalised cross-validation finds best; nothing to tune */
  JN_SMOOTH_TOLERANCE = 1, /* the smoothest spline whose root mean square residual is within `tolerance` */
  JN_SMOOTH_NONE = 2       /* not at all: the spline goes through every sample. Otherwise rows that only repeat what a
                              slower controller wrote are left out (rule "column-held" of the report) */
} jn_smoothing;

/* How wrenches are interpolated between the rows of their file. Except for splines, values stay between those of the
 * two neighbouring rows, so there is no overshoot. */
typedef enum jn_interpolation {
  JN_INTERPOLATE_HOLD = 0,     /* constant until the next row: values jump there, and all derivatives are zero */
  JN_INTERPOLATE_LINEAR = 1,   /* linear: continuous; the first derivative jumps at rows, higher ones are zero */
  JN_INTERPOLATE_MONOTONE = 2, /* by monotone cubics: the first derivative is continuous */
  JN_INTERPOLATE_SPLINE = 3    /* by the splines of motions, smoothed as the options say: continuous to order K + 2; may
                                  swing beyond the rows, few rows most of all, which make a polynomial */
} jn_interpolation;

/* Set up with jn_trajectory_options_init(); NULL in place of options means these defaults. */
typedef struct jn_trajectory_options {
  size_t size;                   /* sizeof(jn_trajectory_options), set by jn_trajectory_options_init() */
  const jn_allocator *allocator; /* NULL: malloc and free */
  jn_report *report;             /* collects all messages; NULL: only the first error is reported, in jn_error */
  int order;                     /* K: d^(K+2) q / dt^(K+2) is continuous; default 2 */
  jn_smoothing smoothing;        /* default JN_SMOOTH_GCV */
  double tolerance;              /* [rad, m] of JN_SMOOTH_TOLERANCE */
  double bandwidth;              /* [Hz] the motion has no faster parts: what is faster is noise; default 0: unknown */
  jn_interpolation wrench_interpolation; /* of jn_trajectory_load_wrenches(); default JN_INTERPOLATE_MONOTONE */
  jn_representation wrench_axes; /* of jn_trajectory_load_wrenches(): JN_IN_BODY, the axes of the links (default), or
                                    JN_IN_ALIGNED, the axes of the world; both about the links' origins */
  double lowpass; /* [Hz] splines resolve nothing much faster, so jumps and noise beyond this are smoothed away, and a
                     note or a warning says how much; default 0: no low-pass */
  const char *const *columns; /* "NAME=COLUMN", "NAME=#3", "NAME=COLUMN [deg]" for columns not named after their */
  int column_count;           /*   coordinates, and for the times (NAME t): docs/torque.md; default none */
  int wrenches_too; /* 1: the file also has columns of wrenches, for jn_trajectory_load_wrenches(): no warning about
                       them;    default 0 */
  int degrees;      /* 1: angles and rates whose column names no unit are in degrees; default 0: radians */
  double rate;      /* [Hz] sampled files: times are row / rate, whatever the file has; default 0: those of the file */
  int missing_neutral; /* 1: joints without data stay neutral; default 0: an error */
  int skip_bad; /* 1: rows with a cell that is no finite number, or with too few or too many cells, are left out, and a
                   warning counts and names them; default 0: they are errors */
  int unwrap; /* 1: angles of all joints that jump by full turns are unwrapped; default 0: those of continuous joints */
  const double *motor_matrix;     /* G [nv x nv]: positions are those of motors, theta = G q + motor_zero, and those of
                                     the joints follow; joints must have one coordinate each; default NULL: positions
                                     are those of the joints */
  const double *motor_zero;       /* [nv] positions of the motors at q = 0; NULL: zero */
  const char *const *motor_names; /* [nv] names of their columns; NULL: motor k has the name of coordinate k */
  int motor_name_count;           /* nv, or 0 */
  int strict;                     /* 1: warnings are errors */
  size_t max_bytes;               /* size limit for input; default and 0: JN_MAX_BYTES */
  void (*progress)(double part, void *context); /* called with the fraction that is done, 0 ... 1; may be NULL */
  void *progress_context;
} jn_trajectory_options;

/* The defaults. */
JN_API void jn_trajectory_options_init(jn_trajectory_options *options);

/* Reads a trajectory for a model. source is a path, or "builtin:demo". CSV, NPY, NPZ and JSON are recognised by their
 * content. *error (may be NULL) gets the first error with file, row and column; the options' report gets all messages.
 * Errors: JN_ERR_FILE, JN_ERR_SYNTAX, JN_ERR_NAME (joints unknown or missing), JN_ERR_MODEL (times or values that do
 * not make a motion, values beyond 1e100), JN_ERR_SIZE (order, or a number of the options), JN_ERR_MEMORY,
 * JN_ERR_UNSUPPORTED (JSON without jansson, compressed NPZ without zlib). */
JN_API jn_status jn_trajectory_load(const jn_model *model, const char *source, const jn_trajectory_options *options,
                                    jn_trajectory **trajectory, jn_error *error);
/* The same from bytes in memory; file is the name used in messages. */
JN_API jn_status jn_trajectory_load_text(const jn_model *model, const char *text, size_t length, const char *file,
                                         const jn_trajectory_options *options, jn_trajectory **trajectory,
                                         jn_error *error);
/* The same from arrays: increasing times t [count], and q [count x nq]. */
JN_API jn_status jn_trajectory_fit(const jn_model *model, int count, const double *t, const double *q,
                                   const jn_trajectory_options *options, jn_trajectory **trajectory, jn_error *error);
JN_API void jn_trajectory_destroy(jn_trajectory *trajectory); /* NULL is allowed */

/* q [nq] (unit quaternions) and v_jet [(K+2) x nv], the velocity and its derivatives to order K+1, at time t; either
 * may be NULL. Before the start and after the end, curves are extrapolated: splines by their first or last polynomial,
 * while motions through waypoints stay at rest. O(nv K^2). Errors: JN_ERR_SIZE (order < 0 or above
 * JN_TRAJECTORY_MAX_ORDER). */
JN_API jn_status jn_trajectory_evaluate(const jn_trajectory *trajectory, double t, int order, double *q, double *v_jet);

/* External wrenches over time, from a sampled file with columns LINK_mx _my _mz _fx _fy _fz (moment [N m], force [N] on
 * the link, about its origin, in its axes or in those of the world: wrench_axes); wrenches without a column are zero.
 * Columns of a motion and of joint forces are passed over, so it may be the file of the motion itself. They replace
 * wrenches loaded before. The file must cover the time range of the trajectory; wrench_interpolation in the options
 * says how to interpolate between its rows, and a file with one row is a constant wrench. Errors as for
 * jn_trajectory_load(). */
JN_API jn_status jn_trajectory_load_wrenches(jn_trajectory *trajectory, const char *source,
                                             const jn_trajectory_options *options, jn_error *error);
JN_API int jn_trajectory_has_wrenches(const jn_trajectory *trajectory);
/* Number of rows that the wrenches were made from, 0 without wrenches; and the order of their highest continuous time
 * derivative, -1 if the wrenches themselves jump. The impulses that higher derivatives have at the rows are left out.
 */
JN_API int jn_trajectory_wrench_rows(const jn_trajectory *trajectory);
JN_API int jn_trajectory_wrench_order(const jn_trajectory *trajectory);
/* The axes that they are given in: JN_IN_BODY, or JN_IN_ALIGNED. */
JN_API jn_representation jn_trajectory_wrench_axes(const jn_trajectory *trajectory);
/* wrench_jet [(K+1) x nlink x 6] at time t, in these axes; zero without wrenches. Errors: JN_ERR_SIZE. */
JN_API jn_status jn_trajectory_wrenches(const jn_trajectory *trajectory, double t, int order, double *wrench_jet);
/* Wrenches in the axes of the world, about the links' origins, and their time derivatives become those in the axes of
 * their links, which all dynamics take: wrench_jet [(K+1) x nlink x 6], in place, y = R^T w with the rotation R of the
 * link along the motion q [nq], v_jet [(K+2) x nv] (its first K rows are used; NULL only for K = 0). Work of order K.
 * O(K^2) for each link that has a wrench, and its jn_frame_twist_jet(). Errors: JN_ERR_SIZE (K above
 * JN_TRAJECTORY_MAX_ORDER). */
JN_API jn_status jn_wrenches_to_body_jet(const jn_model *model, jn_work *work, int order, const double *q,
                                         const double *v_jet, double *wrench_jet);

/* Measured joint forces, from the columns NAME.tau of a sampled file: the one of the motion itself, or another one that
 * uses the same clock. Names as other programs write them (NAME_effort, /joint_states/NAME/effort, tau1 ...) and
 * "NAME.tau=COLUMN" among the options' columns are understood as for positions: docs/identification.md. Units in
 * brackets: N m, N (slides), A; without a unit N m and N. Forces are kept as they are, neither smoothed nor fitted.
 * They replace forces loaded before. Coordinates without a column have no forces. Errors as for jn_trajectory_load();
 * JN_ERR_NAME if there is no column of forces. */
JN_API jn_status jn_trajectory_load_forces(jn_trajectory *trajectory, const char *source,
                                           const jn_trajectory_options *options, jn_error *error);
/* The same from arrays: increasing times t [count], on the clock of the trajectory, and forces [count x nv]; a
 * coordinate whose first force is NaN was not measured. Errors: JN_ERR_SIZE (count < 2), JN_ERR_MODEL (times that do
 * not increase, a force beyond 1e100), JN_ERR_MEMORY. */
JN_API jn_status jn_trajectory_set_forces(jn_trajectory *trajectory, int count, const double *t, const double *forces);
/* Number of rows of forces, 0 without forces; the time of a row [s]; and the forces of velocity coordinate i [rows], or
 * NULL if they were not measured. */
JN_API int jn_trajectory_force_rows(const jn_trajectory *trajectory);
JN_API double jn_trajectory_force_time(const jn_trajectory *trajectory, int row);
JN_API const double *jn_trajectory_forces(const jn_trajectory *trajectory, int i);
/* 1 if the forces of velocity coordinate i are currents [A] by the unit of their column. */
JN_API int jn_trajectory_force_is_current(const jn_trajectory *trajectory, int i);

/* ---- Queries. NULL or an index out of range gives 0, NaN or NULL. ---- */

/* First and last time [s]. Files with stamps of a clock (beyond 1e8 s, such as those since 1970) are counted from their
 * first stamp, which the report gives (rule column-clock); the first time is then 0. */
JN_API double jn_trajectory_start(const jn_trajectory *trajectory);
JN_API double jn_trajectory_end(const jn_trajectory *trajectory);
/* Number of samples that it was made from, 0 for closed forms; and their times [s]. */
JN_API int jn_trajectory_samples(const jn_trajectory *trajectory);
JN_API double jn_trajectory_time(const jn_trajectory *trajectory, int sample);
/* 1 if there is data for configuration coordinate i, 0 if it stays neutral. */
JN_API int jn_trajectory_given(const jn_trajectory *trajectory, int i);
/* The first time after t where a curve goes over into its next polynomial, so that derivatives above its degree - 1
 * jump; INFINITY: none. O(nq log samples). */
JN_API double jn_trajectory_next_knot(const jn_trajectory *trajectory, double t);
/* The time after t, at which to look next so that nothing is overlooked between: motion and wrenches are one smooth
 * function up to there (knots and rows of wrenches are not passed over), and go through 1/32 of their shortest
 * period at most; INFINITY: straight lines for ever. Forces follow products of these, which are up to twice as fast.
 * O(nq log samples + 6 nlink). */
JN_API double jn_trajectory_next_step(const jn_trajectory *trajectory, double t);
/* The first row of the wrenches after t, where their derivatives may jump; INFINITY: none. O(nlink + log rows). */
JN_API double jn_trajectory_next_wrench(const jn_trajectory *trajectory, double t);
/* The highest frequency [Hz] of the Fourier series of closed forms; 0 if there are none. O(nq). */
JN_API double jn_trajectory_frequency(const jn_trajectory *trajectory);
/* Degree of the splines, 0 for closed forms. */
JN_API int jn_trajectory_degree(const jn_trajectory *trajectory);

/* How well a spline fits the samples of configuration coordinate i, 0 <= i < nq. */
typedef struct jn_fit {
  int sampled;       /* 0: closed form or neutral; all other members are then zero */
  double rms;        /* root mean square of sample - spline [rad, m; quaternions: 1] */
  double largest;    /* largest |sample - spline|, */
  double time;       /*   and when [s] */
  int parameters;    /* number of parameters of the spline: the fewer, the smoother */
  int interpolating; /* 1: as many parameters as samples */
  /* Oscillations that the spline may have missed, although the robot may have made them. */
  int noise;          /* 1: the residuals look like noise */
  double oscillation; /* amplitude of an oscillation in the residuals that is not noise [rad, m], 0 if there is none, */
  double frequency;   /*   and its frequency [Hz] */
  double hidden;      /* amplitude of an oscillation that noise or too few samples per period may hide [rad, m], */
  double fastest;     /*   at up to this frequency, half of the sampling rate [Hz] */
} jn_fit;

/* The fit of configuration coordinate i. Errors: JN_ERR_NULL, JN_ERR_INDEX. */
JN_API jn_status jn_trajectory_fit_of(const jn_trajectory *trajectory, int i, jn_fit *fit);
/* What the samples leave open about the splines at time t: off [(K+3) x nq] is how far derivative 0 ... K+2 of each
 * configuration coordinate may be off. By noise, four standard deviations; of splines through all samples, the
 * difference from another such spline near the ends, and 0 elsewhere. Near the ends, with samples on one side only, it
 * is far larger than in the middle. 0 for closed forms. What samples hide altogether is in jn_fit. O(nq K p) with p
 * parameters of a spline; allocates. Errors: JN_ERR_SIZE (order), JN_ERR_MEMORY. */
JN_API jn_status jn_trajectory_uncertainty(const jn_trajectory *trajectory, double t, int order, double *off);
/* Copies the name of configuration coordinate i, as used in files, to name [size], cut if it is longer. */
JN_API jn_status jn_coordinate_name(const jn_model *model, int i, char *name, size_t size);
/* The same for velocity coordinate i, with _wx _wy _wz _vx _vy _vz for free and _wx _wy _wz for spherical joints. */
JN_API jn_status jn_velocity_name(const jn_model *model, int i, char *name, size_t size);

#ifdef __cplusplus
}
#endif
#endif
