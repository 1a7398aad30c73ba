/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce/base_parameters.h: the least set of inertial parameters that inverse dynamics depends on.
 *
 * Of the 10 L parameters pi of a robot (model.h) some have no effect on joint forces, and others only in combinations.
 * The base parameters are nb combinations B pi that say all there is to know, with nb of the columns of Y:
 *   Y pi = Y_b (B pi),      Y_b = the columns of Y whose numbers are jn_base_column(),     B [nb x 10L].
 * Base parameter i is the parameter jn_base_column(i) (coefficient 1) plus what cannot be told from it. Preferred are
 * columns of inner links, so that combinations read "parameter of a link + what outer links add to it"; of a link's own
 * ten, m, Jyy, hz are the first to be eliminated. Joint limits, armature, friction and loops play no part; links fixed
 * to the world have no effect.
 *
 * nb is found three times: from the structure of the tree (exactly what a joint lets pass; an upper bound when
 * coordinates are coupled), and as the rank of stacked regressors at random states by column-pivoted QR and by SVD.
 * These need a build with LAPACKE: without it jn_base_create() returns JN_ERR_UNSUPPORTED. Theory, tolerances and
 * figures: docs/base-parameters.md. */
#ifndef JOUNCE_BASE_PARAMETERS_H
#define JOUNCE_BASE_PARAMETERS_H

#include "regressor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where B comes from. */
typedef enum jn_base_method {
  JN_BASE_AUTO = 0,      /* from the structure if its count is that of QR, otherwise as JN_BASE_QR */
  JN_BASE_STRUCTURE = 1, /* from the tree; coupled coordinates count as independent: then B may have too many rows */
  JN_BASE_QR = 2,        /* from the column-pivoted QR of stacked regressors */
  JN_BASE_SVD = 3        /* from their right singular vectors */
} jn_base_method;

/* How base parameters are found. Set up with jn_base_options_init(). */
typedef struct jn_base_options {
  size_t size;                   /* sizeof(jn_base_options), set by jn_base_options_init() */
  const jn_allocator *allocator; /* NULL: malloc and free. Copied; its context must outlive the result */
  uint64_t seed;                 /* of the random states */
  int states;                    /* how many; 0: for four times as many rows as columns, at least 40; when coordinates
                                  * are coupled at least 20 L */
  double tolerance;      /* what counts as zero, relative: values of jn_base_spectrum(), columns of Y, directions
                          * in the structure, coefficients of B. 0: 1e-8 for the first, 1e-11 for columns and
                          * directions, what rounding leaves for coefficients (float rows: 1e-3, 6e-3) */
  jn_base_method method; /* where B comes from */
} jn_base_options;

/* Defaults: malloc, seed 1, and zeros. */
JN_API void jn_base_options_init(jn_base_options *options);

/* The result: base parameters of one model. */
typedef struct jn_base jn_base;

/* options NULL: defaults. The result does not refer to the model. O((10 L)^2 rows) time, O((10 L)^2) memory.
 * Errors: JN_ERR_NULL, JN_ERR_INIT, JN_ERR_SIZE (options not set up, or out of range), JN_ERR_MEMORY, JN_ERR_ROW,
 * JN_ERR_SINGULAR (the SVD does not converge), JN_ERR_UNSUPPORTED (a build without LAPACKE). On error *base is NULL. */
JN_API jn_status jn_base_create(const jn_model *model, const jn_base_options *options, jn_base **base);
JN_API void jn_base_destroy(jn_base *base); /* Releases it; NULL is allowed. */

/* ---- Questions. A NULL base or an index outside gives 0, JN_NONE or NULL. ---- */

JN_API int jn_base_count(const jn_base *base);            /* nb */
JN_API int jn_base_parameter_count(const jn_base *base);  /* 10 L */
JN_API int jn_base_column(const jn_base *base, int i);    /* place in pi of the parameter that leads combination i */
JN_API const double *jn_base_matrix(const jn_base *base); /* B [nb x 10L], row-major */

/* What can be told of one parameter. */
typedef enum jn_base_class {
  JN_BASE_NO_EFFECT = 0, /* its column of Y is zero */
  JN_BASE_ALONE = 1,     /* it is a base parameter by itself: measured motions can tell it */
  JN_BASE_COMBINED = 2   /* only sums with others can be told */
} jn_base_class;
JN_API jn_base_class jn_base_class_of(const jn_base *base, int parameter); /* JN_BASE_NO_EFFECT outside */

/* The method that gave B (never JN_BASE_AUTO), and nb by each: STRUCTURE, QR, SVD. For a model without coupled
 * coordinates they should be equal: if not, something is almost zero, and the tolerance decides what. */
JN_API jn_base_method jn_base_method_used(const jn_base *base);
JN_API int jn_base_count_by(const jn_base *base, jn_base_method method);
/* What the tolerance separates, for QR (|diagonal of R|) and SVD (singular values), relative to the largest, columns of
 * the stacked Y scaled to length 1: the least that counts, and the largest that does not (0 when there is none).
 * Outputs may be NULL. Errors: JN_ERR_NULL, JN_ERR_INDEX (another method). */
JN_API jn_status jn_base_spectrum(const jn_base *base, jn_base_method method, double *kept, double *dropped);
JN_API double jn_base_tolerance(const jn_base *base);
/* Largest |Y pi - Y_b (B pi)| at fresh random states and random pi, relative to the largest |Y| |pi| of the state. */
JN_API double jn_base_residual(const jn_base *base);

/* out [nb] = B pi;  Yb [rows x nb] = the columns of Y [rows x 10L]. Errors: JN_ERR_NULL, JN_ERR_SIZE (rows < 0). */
JN_API jn_status jn_base_parameters(const jn_base *base, const double *pi, double *out);
JN_API jn_status jn_base_regressor(const jn_base *base, int rows, const double *Y, double *Yb);

#ifdef __cplusplus
}
#endif
#endif
