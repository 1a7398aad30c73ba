/* SPDX-License-Identifier: BSD-2-Clause */
/* Retiming a motion: the same path, another timing.
 *
 *   uniform      q(t) -> q(c t) with the largest factor c that keeps all limits
 *   optimal      x(u) = u'^2 along the path, least duration  integral of du / sqrt(x)  within all limits
 *
 * Files: polynomial.c the largest factor that a polynomial allows; path.c dynamics along a path, and limited quantities
 * as polynomials in the factor; uniform.c the largest factor of a motion, between samples too; timing.c the speed along
 * the path; optimal.c the largest such speed; retime.c what users call. Only public functions of other modules are
 * used, and the library's memory.
 *
 *   symbol    meaning                                                        unit
 *   u, s      parameter of the path; time of the trajectory, s = w(u)        s
 *   x         u'^2, a function of u; x_u, x_uu its derivatives by u          -
 *   c, factor factor of the speed                                            -
 *   q_u, ...  derivatives of the coordinates by u                            rad, m per s
 *   m, c, g   forces tau = m x_u / 2 + c x + g                               N m, N */
#ifndef JN_RETIME_RETIME_H
#define JN_RETIME_RETIME_H

#include "../model/memory.h"
#include "jounce/jets.h"
#include "jounce/retime.h"

enum {
  JN_RETIME_DEGREE = 5,
  JN_RETIME_TERMS = JN_RETIME_DEGREE + 1,
  JN_TIMING_DEGREE = 5,            /* of x(u), so that q has five continuous derivatives in time */
  JN_BASIS = JN_TIMING_DEGREE + 1, /* B-splines that live on an interval */
  JN_PATH_ROWS = 7,                /* q and its derivatives by u, at most */
  JN_PATH_TERMS = 5                /* parts of one limited quantity, at most */
};

/* ---- polynomial.c ---- */

double jn__polynomial_value(const double c[JN_RETIME_TERMS], double x);
/* The largest x, 0 < x <= from, with lower <= p(x) <= upper; 0 if there is none. */
double jn__polynomial_within(const double c[JN_RETIME_TERMS], double lower, double upper, double from);

/* ---- path.c ---- */

/* Where the forces of a motion come from, besides its trajectory: jn_retime_options. */
typedef struct jn_path_source {
  const jn_trajectory *trajectory;
  jn_loops *loops;                                                                   /* NULL: none */
  const unsigned char *actuated;                                                     /* [nv] */
  jn_status (*motion)(void *context, double s, int order, double *q, double *v_jet); /* NULL: of the trajectory */
  void *context;
} jn_path_source;

/* Results at places of the path, because the same ones are needed again and again: after each change of the speed and
 * of the limits. Each place has one slot, found by its bits; a new place replaces the old one. (path.c) */
typedef struct jn_path_memory {
  size_t slots, entry;  /* their number, a power of two; doubles of one */
  double *places;       /* [slots] u */
  unsigned char *kinds; /* [slots] 0: empty, 1: without m, 2: with m */
  double *entries;      /* [slots x entry] */
} jn_path_memory;

/* The path at one u: derivatives by u of each coordinate (q[1] = q_u ...), of m = M q_u, of c and of g. */
typedef struct jn_path {
  const jn_model *model;
  jn_path_source from;
  jn_elastic *elastic;    /* NULL: no motors */
  const jn_range *limits; /* [nv x JN_LIMITED_QUANTITIES], margins taken off */
  jn_work *work;
  double start, length;       /* of the trajectory [s] */
  int shape[2];               /* 1: the path stops at its start, at its end: s = w(u), see path.c */
  int smooth;                 /* 1: it stops to order 4, not 2 */
  int losses;                 /* 1: damping and friction are part of the efforts */
  int nq, nv, order;          /* order of the forces */
  int *q_index;               /* [nv] index in q; -1: spherical or free */
  double *q_now;              /* [nq] */
  double *q, *c, *g, *m;      /* [rows x nv]: q: order + 3 rows, row 0 unused; c, g, m: order + 1 */
  double *damping, *friction; /* [nv] */
  double *timed, *tau;        /* scratch */
  unsigned char
      *nonlinear; /* [nv] 1: a spring that is not linear or changes over time, or friction of the motor; NULL: none */
  double *compliance; /* [nv] of springs, at the force at rest */
  double *offset;     /* [nv] deflection at rest, less what the compliance says */
  double *scratch;    /* [17 x nv] */
  double *wrench;     /* [2 x (order+1) x nlink x 6] by u, and of a timing; NULL: none */
  jn_path_memory memory;
} jn_path;

/* How fast the motion is along the path: x = u'^2 and its derivatives by u. */
typedef struct jn_timing {
  double x[JN_BASIS];
} jn_timing;

/* A limited quantity at a time: polynomial in the factor, and its derivative along the path. */
typedef struct jn_limited_value {
  double value[JN_RETIME_TERMS], slope[JN_RETIME_TERMS];
} jn_limited_value;

/* Part of a limited quantity: weight times the derivative `order` in time of a coordinate or of its force. */
typedef struct jn_limited_term {
  double weight;
  int of_force, order;
} jn_limited_term;

jn_status jn__path_create(jn_path *path, const jn_allocator *a);
void jn__path_destroy(jn_path *path, const jn_allocator *a);
/* The parameter runs from 0 to length. with_mass: m, too. */
jn_status jn__path_at(jn_path *path, double u, int with_mass);
/* After a change of the shape. */
void jn__path_forget(jn_path *path);
/* w and its derivatives to order 6: s of the trajectory at u. */
void jn__path_shape(const jn_path *path, double u, double w[JN_PATH_ROWS]);
/* rows [count x n] of derivatives 1 ... count by s become those by u, in place; w as above. */
void jn__compose(const double w[JN_PATH_ROWS], int count, int n, double *rows);
/* Derivatives 0 ... 5 of u in time. */
void jn__timing_jet(const jn_timing *at, double u, double out[6]);
/* Has this quantity a limit that counts? Efforts of passive coordinates are zero. */
int jn__is_limited(const jn_path *path, int v, int which);
/* What a quantity is made of, and its part that does not depend on the motion (*fixed, of friction); the number of
 * parts. */
int jn__limited_terms(const jn_path *path, int v, jn_limited which, jn_limited_term out[JN_PATH_TERMS], double *fixed);
/* Derivative k by u of the force of coordinate v: constant + sum by[i] x_i. */
double jn__force_row(const jn_path *path, int v, int k, double by[JN_BASIS]);
/* Of the path at its u; 0 if there is no limit. */
int jn__path_limited(const jn_path *path, const jn_timing *at, int v, jn_limited which, jn_limited_value *out);

/* Motors of the motion at this factor and time, exactly: effort, its rate, velocity, deflection; values [nv x 4]. A
 * spring that cannot make the force has an infinite deflection. */
jn_status jn__path_motors(jn_path *path, const jn_timing *at, double factor, double t, double *values);

/* ---- timing.c ---- */

/* x(u) = u'^2 as a spline of degree 5 over the path, which is `intervals` equal pieces of 0 ... length. */
typedef struct jn_speed {
  int intervals;
  double length;
  double *b;      /* [intervals + JN_TIMING_DEGREE] coefficients */
  double *pieces; /* [intervals x 6] the same as polynomials in u - start of the interval */
  double *times;  /* [intervals + 1] when the pieces begin, and the duration */
} jn_speed;

/* B-splines i ... i + 5 at u in interval i, and their derivatives; [derivative][function]. */
void jn__speed_basis(const jn_speed *x, int interval, double u, double out[JN_BASIS][JN_BASIS]);
/* Sets x->pieces from x->b. */
void jn__speed_set(jn_speed *x);
void jn__speed_at(const jn_speed *x, int interval, double u, jn_timing *out);
/* Sets x->pieces and x->times from x->b; the duration. */
double jn__speed_times(jn_speed *x);
/* The time at u in an interval. */
double jn__speed_time(const jn_speed *x, int interval, double u);
/* u and its interval at a time. */
double jn__speed_place(const jn_speed *x, double t, int *interval);

/* ---- uniform.c ---- */

/* The motion whose largest factor is wanted. */
typedef struct jn_scaled {
  jn_path *path;
  const jn_speed *speed; /* NULL: u' = 1 */
  int samples;
  double largest;
  jn_limited first, last;                       /* quantities that are looked at */
  void (*progress)(void *context, double part); /* may be NULL */
  void *progress_context;
} jn_scaled;

/* Places that are looked at in each interval of the speed, if `samples` are wanted in all: a multiple of the steps
 * between the points of the optimiser, so that these are among them. */
int jn__places_each(int intervals, int samples);
/* The place at a part 0 ... 1 of an interval. Equal places have equal bits, by which they are remembered. */
double jn__place_in(double length, int intervals, int interval, double part);

/* *factor: 0 if there is none; event: the last limit that lowered it, or that cannot be kept. */
jn_status jn__largest_factor(const jn_scaled *x, const jn_allocator *a, double *factor, jn_limit_event *event);

/* ---- optimal.c ---- */

/* Makes x(u) larger, from one that keeps all limits. target: what x is to be at the start and at the end; NaN: free.
 * *possible: 0 if it cannot be. */
jn_status jn__shortest(jn_path *path, jn_speed *speed, const double target[2], const jn_retime_options *o,
                       const jn_allocator *a, int *possible);

#endif
