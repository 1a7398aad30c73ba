/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of retiming: polynomial.c the largest factor that a polynomial allows; path.c what dynamics along a path
 * are made of, and limited quantities as polynomials in the factor; uniform.c the largest factor of a motion, between
 * samples too; timing.c the speed along the path; optimal.c the largest such speed; retime.c what users call. Only
 * public functions of other modules are used, and the library's memory. */
#ifndef JN_RETIME_RETIME_H
#define JN_RETIME_RETIME_H

#include "../model/memory.h"
#include "jounce/jets.h"
#include "jounce/retime.h"

enum {
  JN_RETIME_DEGREE = 5,
  JN_RETIME_TERMS = JN_RETIME_DEGREE + 1,
  JN_TIMING_DEGREE = 3,
  JN_BASIS = JN_TIMING_DEGREE + 1 /* B-splines that live on an interval */
};

/* ---- polynomial.c ---- */

double jn__polynomial_value(const double c[JN_RETIME_TERMS], double x);
/* The largest x, 0 < x <= from, with lower <= p(x) <= upper; 0 if there is none. */
double jn__polynomial_within(const double c[JN_RETIME_TERMS], double lower, double upper, double from);

/* ---- path.c ---- */

/* The path at one s: of each coordinate the derivatives by s of position (q[1] = q_s ...), of m = M q_s, of c and g. */
typedef struct jn_path {
  const jn_model *model;
  const jn_trajectory *trajectory;
  const jn_elastic *elastic; /* NULL: no motors */
  const jn_range *limits;    /* [nv x JN_LIMITED_QUANTITIES], margins taken off */
  jn_work *work;
  double start, length;       /* of the trajectory [s] */
  int shape[2];               /* 1: the path stops at its start, at its end: s = w(u), see path.c */
  int losses;                 /* 1: damping and friction are part of the efforts */
  int nq, nv, order;          /* order of the forces */
  int *place;                 /* [nv] in q; -1 */
  double *q_now;              /* [nq] */
  double *q, *c, *g, *m;      /* [rows x nv]: q: order + 3 rows, row 0 unused; c, g: order + 1; m: 3 */
  double *damping, *friction; /* [nv] */
  double *slow, *tau, *M;     /* room */
} jn_path;

/* Where the motion is along the path: u, u', u'', u''', u''''. */
typedef struct jn_timing {
  double s[5];
} jn_timing;

/* A limited quantity at a time: polynomial in the factor, and its derivative in time. */
typedef struct jn_limited_value {
  double value[JN_RETIME_TERMS], slope[JN_RETIME_TERMS];
} jn_limited_value;

jn_status jn__path_create(jn_path *p, const jn_allocator *a);
void jn__path_destroy(jn_path *p, const jn_allocator *a);
/* The parameter runs from 0 to length. with_mass: m, too. */
jn_status jn__path_at(jn_path *p, double u, int with_mass);
/* w and its first four derivatives: s of the trajectory at u. */
void jn__path_shape(const jn_path *p, double u, double w[5]);
/* Of the path at its u; 0 if there is no limit. Motors only for u' = 1, u'' = u''' = 0. */
int jn__path_limited(const jn_path *p, const jn_timing *at, int v, jn_limited which, jn_limited_value *out);

/* ---- timing.c ---- */

/* x(u) = u'^2 as a cubic spline over the path, which is `intervals` equal pieces of 0 ... length. */
typedef struct jn_speed {
  int intervals;
  double length;
  double *b;     /* [intervals + 3] coefficients */
  double *times; /* [intervals + 1] when the pieces begin, and the duration */
} jn_speed;

/* B-splines i ... i + 3 at u in interval i, and three derivatives; [derivative][function]. */
void jn__speed_basis(const jn_speed *x, int interval, double u, double out[JN_BASIS][JN_BASIS]);
void jn__speed_at(const jn_speed *x, int interval, double u, jn_timing *out);
/* Sets x->times from x->b; the duration. */
double jn__speed_times(jn_speed *x);
/* u and its interval at a time. */
double jn__speed_place(const jn_speed *x, double t, int *interval);

/* ---- uniform.c ---- */

/* The motion whose largest factor is wanted. */
typedef struct jn_scaled {
  jn_path *path;
  const jn_speed *speed; /* NULL: u' = 1 */
  int samples;
  double largest;
  jn_limited first, last; /* quantities that are looked at */
} jn_scaled;

/* *factor: 0 if there is none; event: the last limit that lowered it, or that cannot be kept. */
jn_status jn__largest_factor(const jn_scaled *x, const jn_allocator *a, double *factor, jn_limit_event *event);

/* ---- optimal.c ---- */

/* Makes x(u) larger, from one that keeps all limits. */
jn_status jn__shortest(jn_path *path, jn_speed *speed, const jn_retime_options *o, const jn_allocator *a);

#endif
