/* SPDX-License-Identifier: BSD-2-Clause */
/* Base parameters. structure.c and stack.c find the directions of pi that have no effect, from the structure of the
 * tree and numerically; combine.c turns them into the combinations that have an effect. */
#ifndef JN_IDENT_BASE_H
#define JN_IDENT_BASE_H

#include "../model/memory.h"
#include "jounce/base_parameters.h"

/* Directions without effect: `count` rows of `width` = 10 L numbers. */
typedef struct jn_null_space {
  int width, count;
  double *rows; /* [width x width] room for all */
} jn_null_space;

struct jn_base {
  jn_allocator allocator;
  jn_base_method method;
  int width, count;
  int count_by[4];
  double kept[4], dropped[4];
  double tolerance, residual;
  double zero;      /* what counts as a zero column of Y, relative to the largest; then as a zero coefficient */
  int *column;      /* [width] the first `count` lead the combinations */
  double *B;        /* [count x width], room for width x width */
  signed char *kin; /* [width] jn_base_class */
};

/* Rows from the tree, each about one link and its parent. Coupled coordinates count as independent. */
jn_status jn__base_structure(const jn_model *model, const jn_allocator *a, double tolerance, jn_null_space *out);

/* R [width x width] by columns, upper triangular: R^T R = the sum of Y^T Y over `states` random states. */
jn_status jn__base_stack(const jn_model *model, const jn_allocator *a, int states, uint64_t *seed, double *R);
/* Ranks of R by QR and SVD into base->count_by, with spectra; rows of the wanted method into *out. R is overwritten. */
jn_status jn__base_rank(jn_base *base, double *R, jn_base_method wanted, jn_null_space *out);

/* Reduces the rows and fills count, column, B and kin. */
jn_status jn__base_combine(jn_base *base, jn_null_space *space);

/* A random state anywhere (limits play no part): q, v, a. */
jn_status jn__base_random_state(const jn_model *model, uint64_t *state, double *q, double *v, double *a);
/* splitmix64 in [-1, 1). */
double jn__base_uniform(uint64_t *state);

#endif
