/* SPDX-License-Identifier: BSD-2-Clause */
/* Identification. unknowns.c: columns, their names and values, regressor, base parameters; closed.c: models with loops;
 * rows.c: measured rows into triangles; filter.c: motions into rows; solve.c: least squares and statistics;
 * consistent.c: the physical set. */
#ifndef JN_IDENT_IDENTIFY_H
#define JN_IDENT_IDENTIFY_H

#include "../dense/dense.h"
#include "../model/memory.h"
#include "jounce/identification.h"
#include "jounce/loops.h"

enum { JN_FOLDS = 5, JN_BLOCK_ROWS = 64 };

/* The rows of one channel. */
typedef struct jn_channel {
  int width;     /* columns that are not zero in it, then the right side */
  int *column;   /* [width - 1] of the base parameters */
  double *R;     /* [JN_FOLDS x width x width] upper triangles by rows */
  double *block; /* [JN_FOLDS x JN_BLOCK_ROWS x width] rows not yet reduced */
  int pending[JN_FOLDS];
  double rows[JN_FOLDS], forces[JN_FOLDS]; /* number of rows, sum of squares of the forces */
  double *w;                               /* [width] scratch */
} jn_channel;

/* Models with loops (closed.c). Its memory is scratch, so an identification with loops belongs to one thread. */
typedef struct jn_closure {
  jn_loops *loops;
  int count;                      /* degrees of freedom */
  int *independent;               /* [count] coordinates that determine all others */
  unsigned char *held, *actuated; /* [nv] 1: independent; 1: has a motor */
  double *guess;                  /* [nq] the last configuration of a motion */
  double *q, *neutral, *first;    /* [nq] */
  double *v, *a, *jet, *N, *rows; /* [nv], [nv], [2 x nv], [count x nv], [count x (n + 1)] */
  const jn_trajectory *motion;    /* that of the guess, and its time; NaN: none */
  double time;
} jn_closure;

struct jn_identification {
  jn_allocator allocator;
  const jn_model *model;
  jn_identification_options options;
  int nq, nv, links, motors;
  int rows, channels; /* of a state: nv, or nv + 6; and those of the user */
  int n, nb;
  int first_rotor, first_viscous, first_coulomb, first_offset, first_scale, first_user; /* in x; n: none */
  int *parameter;      /* [10 x free links] index in pi of an inertial unknown */
  int inertial;        /* how many */
  double *G;           /* [motors x nv] */
  double *speed;       /* [motors] of soft signs, 0: sharp */
  int *motor_of;       /* [motors] coordinate of a motor with one coordinate and factor 1, or JN_NONE */
  double *x0;          /* [n] prior */
  double *known_pi;    /* [10 L] of links that are not identified, zero for the others */
  int *lead;           /* [nb] */
  double *B;           /* [nb x n] */
  double *base0;       /* [nb] B x0 */
  jn_channel *channel; /* [channels] */
  jn_work *work;       /* for one state */
  jn_batch *batch;
  jn_closure *closure; /* NULL without loops */
  char **motor_names;  /* [motors], NULL: none */
  double screen;       /* factor; 0: none */
  double *screen_base, *screen_noise;
  double rejected;
  int solved;
  jn_estimate estimate;
  double *base, *deviation, *x, *noise;
  unsigned char *essential;
};

/* ---- unknowns.c ---- */

/* The first `rows` channels at a state: Y [rows x n] and known [rows] (may be NULL) from Y_pi [rows x 10L]; theta
 * [3 x motors] and Y_user [nv x user_columns] are scratch. */
void jn__ident_rows(const jn_identification *d, int rows, const double *q, const double *v, const double *a,
                    const double *forces, const double *Y_pi, double *theta, double *Y_user, double *Y, double *known);
/* B x */
void jn__ident_to_base(const jn_identification *d, const double *x, double *b);

/* ---- closed.c ---- */

/* Nothing without loops. Errors: JN_ERR_LOOP (they cannot be closed, or nothing moves then). */
jn_status jn__ident_make_closure(jn_identification *d);
void jn__ident_free_closure(jn_identification *d);
/* Closes the loops from q, whose independent coordinates stay, and completes v and a; N [count x nv]. */
jn_status jn__ident_close(const jn_identification *d, double *q, double *v, double *a, double *N);
/* A random state, closed if there are loops. */
jn_status jn__ident_random_state(jn_identification *d, uint64_t *seed, double *q, double *v, double *a);
/* The state of a motion at t; jet [2 x nv] scratch; N is not used without loops. */
jn_status jn__ident_state(const jn_identification *d, const jn_trajectory *motion, double t, double *q, double *v,
                          double *a, double *jet, double *N);
/* Rows of the tree [nv x width] become those of the loops, N Y, at the independent coordinates; the others zero. */
void jn__ident_close_rows(const jn_identification *d, const double *N, int width, double *Y);
/* The same of forces [nv] (zero where there is no motor); NaN where there is no row. */
void jn__ident_close_forces(const jn_identification *d, const double *N, double *forces);

/* ---- rows.c ---- */

jn_status jn__ident_make_channels(jn_identification *d, const unsigned char *used);
void jn__ident_free_channels(jn_identification *d);
/* Channels like those of d, without rows, for another thread; NULL without memory. Then add them to those of d, and
 * release them. */
jn_channel *jn__ident_copy_channels(const jn_identification *d);
void jn__ident_merge_channels(jn_identification *d, jn_channel *channel);
/* Can the squares of all numbers of a row be added up? */
int jn__ident_fits(const double *row, int width);
/* A row of a channel: width - 1 numbers and the right side; `force` is the measured one. */
void jn__ident_push(jn_channel *c, int fold, const double *row, double force);
/* Reduces what is pending. */
void jn__ident_flush(jn_identification *d);
/* |R (b, -1)|^2 of one fold of a channel. */
double jn__ident_squares(const jn_channel *c, int fold, const double *b, double *scratch);

/* ---- consistent.c ---- */

/* Minimises |A x - y|^2 + prior, A [rows x n]; x [n] becomes the minimum. Stops when a step gains less than `tolerance`
 * of the sum. Iterations, negative if they do not converge, 0 without memory. */
int jn__ident_consistent(const jn_identification *d, const double *A, const double *y, int rows, double w,
                         double tolerance, double *x);

#endif
