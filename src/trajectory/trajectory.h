/* SPDX-License-Identifier: BSD-2-Clause */
/* The inside of a trajectory: one curve for each configuration coordinate, and one for each wrench component if there
 * are any. This module uses the public API and the library's memory, messages and tables. */
#ifndef JN_TRAJECTORY_TRAJECTORY_H
#define JN_TRAJECTORY_TRAJECTORY_H

#include "../io/table.h"
#include "curve.h"
#include "fit.h"
#include "noise.h"

/* Blocks of memory that live and die together. */
typedef struct jn_blocks {
  jn_allocator allocator;
  struct jn_block *last;
} jn_blocks;

void *jn__keep(jn_blocks *blocks, size_t bytes); /* zeroed; NULL if out of memory */
void jn__release_blocks(jn_blocks *blocks);

/* A time, exactly: seconds and parts of 1e-18 s, both of the same sign. */
typedef struct jn_stamp {
  int64_t seconds, rest;
  int known;
} jn_stamp;

struct jn_trajectory {
  jn_allocator allocator;
  jn_blocks blocks, wrench_blocks;
  const jn_model *model;
  int nq, nv, links;
  int samples; /* 0 for closed forms */
  int degree;
  double start, end;
  jn_stamp origin;       /* of stamps of a clock, which was subtracted from all times; else not known */
  const double *times;   /* [samples] */
  jn_curve *curves;      /* [nq] */
  jn_fit *fits;          /* [nq] */
  struct jn_open *opens; /* [nq] of samples; NULL: closed forms */
  unsigned char *given;  /* [nq] has data of its own */
  jn_curve *wrenches;    /* [links x 6], or NULL */
  int wrench_rows;       /* that they were made from */
  jn_representation wrench_axes;
  int wrench_order; /* highest derivative of them that is continuous; -1: they jump */
  jn_blocks force_blocks;
  int force_rows;          /* of measured joint forces, 0: none */
  double *force_times;     /* [force_rows] */
  double **forces;         /* [nv] of force_rows each; NULL: not measured */
  unsigned char *currents; /* [nv] they are currents */
};

enum { JN_NAME = JN_COORDINATE_NAME }; /* room for the name of a coordinate, with "_d2" behind it */

/* Names of coordinates, sorted, so that many columns are found among many coordinates quickly. */
typedef struct jn_name_place {
  char *name;
  int place; /* in q or v */
} jn_name_place;

typedef struct jn_name_index {
  jn_name_place *places;
  int count;
} jn_name_index;

typedef struct jn_names {
  jn_allocator allocator;
  jn_name_index q, v; /* q.places is the block of both */
  char *text;
} jn_names;

jn_status jn__names_make(jn_names *names, const jn_allocator *a, const jn_model *model);
void jn__names_free(jn_names *names);

/* What one reading needs throughout. */
typedef struct jn_loading {
  const jn_model *model;
  jn_trajectory_options options;
  jn_allocator allocator;
  jn_log log;
  const char *file;
  int base; /* the joint that "base" stands for, or JN_NONE */
  jn_names names;
  int time;         /* the column of times, -1 when there is none */
  int nanoseconds;  /* a second one with the rest of the seconds, or -1 */
  jn_stamp *origin; /* of the trajectory */
  int later;        /* it is not to be set any more */
  int forces;       /* columns of joint forces are looked for, not those of the motion */
} jn_loading;

/* Places in q whose joint has another kind of velocity: the first of four places of a quaternion, or -1. */
int jn__quaternion_at(const jn_model *model, int i);
/* The place in q of a name such as "joint2" or "base_qx"; -1 when there is none. */
int jn__coordinate_find(const jn_loading *l, const char *name);
/* The place in v of a name such as "joint2" or "base_wx"; -1 when there is none. */
int jn__velocity_find(const jn_loading *l, const char *name);
/* The place of "LINK_mx" among links x 6; -1 when it is none. */
int jn__wrench_place(const jn_model *model, const char *name);
/* The moving joint or the link by the name nearest to a word, or NULL when none is near. */
const char *jn__nearest_joint(const jn_model *model, const char *word);
const char *jn__nearest_link(const jn_model *model, const char *word);

/* ---- units.c ---- */

typedef enum jn_unit_kind {
  JN_UNIT_ANGLE,
  JN_UNIT_LENGTH,
  JN_UNIT_TIME,
  JN_UNIT_FORCE,
  JN_UNIT_TORQUE,
  JN_UNIT_CURRENT,
  JN_UNIT_NONE
} jn_unit_kind;

typedef struct jn_unit {
  jn_unit_kind kind;
  int order;    /* of the time derivative: 2 for m/s^2 */
  double scale; /* factor to SI */
} jn_unit;

/* The unit in brackets, e.g. "deg/s"; 0 when it is not known. */
int jn__unit_read(const char *text, jn_unit *unit);
/* Larger values are refused: they stand for missing ones, or are broken, and their squares would overflow. */
#define JN_LARGEST_VALUE 1e100
/* A column to SI by the unit in its header; 0 after reporting that it is not known, or not of this kind and order, or
 * that a value is too large. */
int jn__scale_column(jn_loading *l, jn_table *table, int column, jn_unit_kind kind, int order);
/* What configuration coordinate i is: an angle, a length, or a number of a quaternion. */
jn_unit_kind jn__coordinate_kind(const jn_model *model, int i);

/* ---- samples.c: tables into curves ---- */

/* What the samples leave open about a spline (open.c). */
typedef struct jn_open {
  double noise;          /* standard deviation of the samples; 0: the spline goes through all of them */
  const double *factors; /* of the Gram matrix; NULL: none */
  jn_curve basis;        /* knots of its B-splines */
  jn_curve other[2];     /* through the samples near the start and the end, of a higher degree; count 0: none */
  double inner[2];       /* up to which time these count [s] */
} jn_open;

/* One column of samples on its way to a curve, with columns of its derivatives. */
typedef struct jn_series {
  jn_curve *curve;
  jn_fit *fit;   /* may be NULL */
  jn_open *open; /* may be NULL, with fit */
  int column;    /* of the table, for messages */
  int group;     /* series next to each other with the same group share their knots */
  int channels;
  int orders[JN_MAX_CHANNELS]; /* the first is 0 */
  double *data[JN_MAX_CHANNELS];
  double rate;      /* samples a second */
  int alone;        /* samples of derivatives do not count: they are noise about the slope of the others */
  int smoother;     /* B-splines of a fit whose residuals were more than noise; 0: none */
  int lowpassed;    /* the low-pass allows no more B-splines, though the samples ask for them */
  jn_residue first; /* what it left, or else what the fit itself leaves */
  jn_residue last;  /* what the fit itself leaves */
} jn_series;

/* Fit all series; curves go to `blocks`. */
jn_status jn__fit_series(jn_loading *l, jn_blocks *blocks, int samples, const double *t, int degree, jn_series *series,
                         int count);
/* Fill `open` of the columns of a group that was fitted with `count` B-splines; rest [samples] is scratch memory. */
jn_status jn__keep_open(jn_blocks *blocks, const jn_fit_batch *b, jn_series *series, int count, double *rest);
/* Leaves out rows that only repeat what a slower controller wrote, and says so (held.c); times [rows] and the rows of
 * the table are then fewer, but at least `least`. JN_ERR_MEMORY. */
jn_status jn__leave_out_held(jn_loading *l, jn_table *table, double *times, const jn_series *series, int count,
                             int least);
/* Report where the residuals of a fit are more than noise, or would have been (residue.c). */
void jn__check_residue(jn_loading *l, const jn_table *table, const jn_series *series, int count);
/* Report a motion that is faster than the bandwidth; t [rows of the table]. */
void jn__check_bandwidth(jn_loading *l, const jn_table *table, const jn_series *series, const double *t);
/* The degree of splines for an order. */
int jn__spline_degree(int order);
/* The column of times, checked: rising, without large gaps; -1 after reporting what is wrong. */
int jn__check_times(jn_loading *l, jn_table *table, int least);
/* How an angle moves: from first to last, between low and high, at most at this speed. */
typedef struct jn_travel {
  double first, last, low, high, speed;
} jn_travel;

/* The largest size of coordinate i that makes sense in radians (infinite: any), and its limit (infinite: none). */
double jn__likely_angle(const jn_model *model, int i, const jn_travel *travel, double *limit);

jn_status jn__samples_to_curves(jn_loading *l, jn_table *table, jn_trajectory *out);
/* forces.c */
jn_status jn__samples_to_forces(jn_loading *l, jn_table *table, jn_trajectory *out);
void jn__forget_forces(jn_trajectory *t);
/* wrenches.c */
jn_status jn__samples_to_wrenches(jn_loading *l, jn_table *table, jn_trajectory *out);

/* ---- arrays.c: NPY and NPZ into tables ---- */

/* Leaves out rows with numbers that are not finite, and warns. */
void jn__drop_bad_rows(jn_loading *l, jn_table *table);

jn_status jn__read_npy(jn_loading *l, const unsigned char *bytes, size_t length, jn_table *table);
jn_status jn__read_npz(jn_loading *l, const unsigned char *bytes, size_t length, jn_table *table);

/* ---- analytic.c: JSON into curves ---- */

jn_status jn__analytic_read(jn_loading *l, const char *text, size_t length, jn_trajectory *out);
/* waypoints.c: the spline of degree 2 m - 1 through the points, with m - 1 derivatives given at both ends. It minimises
 * the integral of the square of the derivative of order m. JN_ERR_SINGULAR, JN_ERR_MEMORY. */
jn_status jn__waypoint_spline(jn_blocks *blocks, int m, int points, const double *t, const double *x,
                              const double *start, const double *end, jn_curve *curve);

#endif
