/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of retiming: polynomial.c the largest factor that a polynomial allows; path.c what dynamics along a path are
 * made of, and limited quantities as polynomials in the factor; uniform.c the largest factor of a motion, between
 * samples too; timing.c s(t); optimal.c the shortest s(t); retime.c what users call. Only public functions of other
 * modules are used, and the library's memory. */
#ifndef JN_RETIME_RETIME_H
#define JN_RETIME_RETIME_H

#include "../model/memory.h"
#include "jounce/jets.h"
#include "jounce/retime.h"

enum {
  JN_RETIME_DEGREE = 5,
  JN_RETIME_TERMS = JN_RETIME_DEGREE + 1,
  JN_PATH_ORDERS = 5, /* derivatives by s of forces that are kept, with motors */
  JN_SPLINE_DEGREE = 3
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
  int nq, nv, order;         /* order of the forces */
  int *place;                /* [nv] in q; -1 */
  double *q_now;             /* [nq] */
  double *q, *c, *g, *m;     /* [rows x nv]: q: order + 3 rows, row 0 unused; c, g: order + 1; m: 3 */
  double *slow, *tau, *M;    /* room */
} jn_path;

/* Where the motion is along the path: s, s', s'', s'''. */
typedef struct jn_timing {
  double s[4];
} jn_timing;

/* A limited quantity at a time: polynomial in the factor, and its derivative in time. */
typedef struct jn_limited_value {
  double value[JN_RETIME_TERMS], slope[JN_RETIME_TERMS];
} jn_limited_value;

jn_status jn__path_create(jn_path *p, const jn_allocator *a);
void jn__path_destroy(jn_path *p, const jn_allocator *a);
/* with_mass: m, too. */
jn_status jn__path_at(jn_path *p, double s, int with_mass);
/* Of the path at its s; 0 if there is no limit. Motors only for s' = 1, s'' = s''' = 0. */
int jn__path_limited(const jn_path *p, const jn_timing *at, int v, jn_limited which, jn_limited_value *out);
/* Its value at factor 1, and derivatives by s, s', s'', s'''. */
double jn__path_partials(const jn_path *p, const jn_timing *at, int v, jn_limited which, double by[4]);

/* ---- timing.c ---- */

typedef struct jn_time_spline {
  int intervals;
  double duration;
  double *b; /* [intervals + 3] B-spline coefficients of s over 0 ... 1 */
} jn_time_spline;

/* B-splines i ... i + 3 and three derivatives by u = t / duration at u in interval i; [derivative][4]. */
void jn__timing_basis(int intervals, int i, double u, double out[4][4]);
void jn__timing_at(const jn_time_spline *x, int interval, double u, jn_timing *out);

/* ---- uniform.c ---- */

/* The motion whose largest factor is wanted. */
typedef struct jn_scaled {
  jn_path *path;
  const jn_time_spline *spline; /* NULL: s = start + t */
  double start, end;            /* times of it */
  int samples;
  double largest;
  jn_limited first, last; /* quantities that are looked at */
} jn_scaled;

/* *factor: 0 if there is none; event: the last limit that lowered it, or that cannot be kept. */
jn_status jn__largest_factor(const jn_scaled *x, const jn_allocator *a, double *factor, jn_limit_event *event);

/* ---- optimal.c ---- */

/* Makes the spline faster, from a timing that keeps all limits. */
jn_status jn__shortest(jn_path *path, jn_time_spline *spline, const jn_retime_options *o, const jn_allocator *a,
                       const int fixed[2]);

#endif
