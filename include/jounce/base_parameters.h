/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce/base_parameters.h: the smallest set of inertial parameters that inverse dynamics depends on.
 * Tier: experimental (docs/stability.md).
 *
 * Of the 10 L parameters pi of a robot (model.h), some have no effect on joint forces, and others have an effect only
 * in combination. The base parameters are nb linear combinations B pi that determine the joint forces completely, with
 * nb of the columns of Y:
 *   Y pi = Y_b (B pi),      Y_b = the columns of Y whose numbers are jn_base_column(),     B [nb x 10L].
 * Base parameter i is the parameter jn_base_column(i) (coefficient 1) plus the parameters that cannot be distinguished
 * from it. Columns of inner links are preferred, so that a combination reads "parameter of a link + what outer links
 * add to it"; of the ten parameters of a link, m, Jyy and hz are eliminated first. Joint limits, armature, friction and
 * loops are not considered; links fixed to the world have no effect.
 *
 * nb is found in three ways: from the structure of the tree (exact; an upper bound when coordinates are coupled), and
 * as the rank of regressors stacked over random states, by column-pivoted QR and by SVD. This needs a build with
 * LAPACKE; without it, jn_base_create() returns JN_ERR_UNSUPPORTED. Theory, tolerances and figures:
 * docs/base-parameters.md. */
#ifndef JOUNCE_BASE_PARAMETERS_H
#define JOUNCE_BASE_PARAMETERS_H

#include "regressor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where B comes from. */
typedef enum jn_base_method {
  JN_BASE_AUTO = 0,      /* from the structure if it gives the same nb as QR, otherwise from QR */
  JN_BASE_STRUCTURE = 1, /* from the tree; treats coupled coordinates as independent, then B may have too many rows */
  JN_BASE_QR = 2,        /* from the column-pivoted QR of stacked regressors */
  JN_BASE_SVD = 3        /* from their right singular vectors */
} jn_base_method;

/* Options of jn_base_create(). Set up with jn_base_options_init(). */
typedef struct jn_base_options {
  size_t size;                   /* sizeof(jn_base_options), set by jn_base_options_init() */
  const jn_allocator *allocator; /* NULL: malloc and free. Copied; its context must outlive the result */
  uint64_t seed;                 /* seed of the random states */
  int states;                    /* how many; 0: for four times as many rows as columns, at least 40; when coordinates
                                  * are coupled at least 20 L */
  double tolerance;      /* what counts as zero, relative: values of jn_base_spectrum(), columns of Y, directions
                          * in the structure, coefficients of B. 0: 1e-8 for the first, 1e-11 for columns and
                          * directions, what rounding leaves for coefficients (float variants: 1e-3, 6e-3) */
  jn_base_method method; /* where B comes from */
} jn_base_options;

/* Defaults: malloc and free, seed 1, all other members zero. */
JN_API void jn_base_options_init(jn_base_options *options);

/* The result: base parameters of one model. */
typedef struct jn_base jn_base;

/* Finds the base parameters. options NULL: defaults. The result does not refer to the model. O((10 L)^2 rows) time,
 * O((10 L)^2) memory.
 * Errors: JN_ERR_NULL, JN_ERR_INIT, JN_ERR_SIZE (options not set up, or out of range), JN_ERR_MEMORY, JN_ERR_VARIANT,
 * JN_ERR_SINGULAR (the SVD does not converge), JN_ERR_UNSUPPORTED (a build without LAPACKE). On error *base is NULL. */
JN_API jn_status jn_base_create(const jn_model *model, const jn_base_options *options, jn_base **base);
JN_API void jn_base_destroy(jn_base *base); /* Releases it; NULL is allowed. */

/* ---- Queries. A NULL base or an index out of range gives 0, JN_NONE or NULL. ---- */

JN_API int jn_base_count(const jn_base *base);            /* nb */
JN_API int jn_base_parameter_count(const jn_base *base);  /* 10 L */
JN_API int jn_base_column(const jn_base *base, int i);    /* index in pi of the leading parameter of combination i */
JN_API const double *jn_base_matrix(const jn_base *base); /* B [nb x 10L], row-major */

/* Whether one parameter can be identified. */
typedef enum jn_base_class {
  JN_BASE_NO_EFFECT = 0, /* its column of Y is zero */
  JN_BASE_ALONE = 1,     /* it is a base parameter by itself: it can be identified from motions */
  JN_BASE_COMBINED = 2   /* only combinations with other parameters can be identified */
} jn_base_class;
JN_API jn_base_class jn_base_class_of(const jn_base *base, int parameter); /* NO_EFFECT if out of range */

/* The method that gave B (never JN_BASE_AUTO), and nb by each method (STRUCTURE, QR, SVD). For a model without coupled
 * coordinates all three should be equal; if they are not, some value is almost zero and the result depends on the
 * tolerance. */
JN_API jn_base_method jn_base_method_used(const jn_base *base);
JN_API int jn_base_count_by(const jn_base *base, jn_base_method method);
/* The two values between which the tolerance lies: the smallest that counts as nonzero, and the largest that counts as
 * zero (0 if there is none). They are |diagonal of R| for QR and singular values for SVD, relative to the largest, with
 * the columns of the stacked Y scaled to length 1. Outputs may be NULL. Errors: JN_ERR_NULL, JN_ERR_INDEX (another
 * method). */
JN_API jn_status jn_base_spectrum(const jn_base *base, jn_base_method method, double *kept, double *dropped);
JN_API double jn_base_tolerance(const jn_base *base);
/* Largest |Y pi - Y_b (B pi)| at new random states and random pi, relative to the largest |Y| |pi| of the state. */
JN_API double jn_base_residual(const jn_base *base);

/* out [nb] = B pi;  Yb [rows x nb] = the columns of Y [rows x 10L]. Errors: JN_ERR_NULL, JN_ERR_SIZE (rows < 0). */
JN_API jn_status jn_base_parameters(const jn_base *base, const double *pi, double *out);
JN_API jn_status jn_base_regressor(const jn_base *base, int rows, const double *Y, double *Yb);

#ifdef __cplusplus
}
#endif
#endif
