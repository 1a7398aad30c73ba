/* SPDX-License-Identifier: BSD-2-Clause */
/* Regressors at random states are stacked. Their QR decomposition is updated block by block, so that memory does not
 * grow with the number of states. The rank of R is found by column-pivoted QR and by singular values. */
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "../model/stop.h"
#include "base.h"

/* ---- stacking ---- */

typedef struct stack {
  int n, nv, block; /* columns, rows of a state, rows of a block */
  lapack_int height, room;
  double *A; /* [height x n] by columns: R on top, a block below */
  double *Y, *q, *v, *a, *tau, *scratch;
  jn_work *work;
} stack;

static void stack_free(stack *s, const jn_allocator *a) {
  double *const arrays[] = {s->A, s->Y, s->q, s->v, s->a, s->tau, s->scratch};
  for (int i = 0; i < 7; i++) jn__release(a, arrays[i]);
  jn_work_destroy(s->work);
}

static double *numbers(const jn_allocator *a, size_t count) { return jn__allocate(a, count * sizeof(double)); }

static jn_status stack_init(stack *s, const jn_model *model, const jn_allocator *a) {
  *s = (stack){.n = jn_parameter_count(model), .nv = jn_model_nv(model)};
  size_t n = (size_t)s->n, nv = (size_t)s->nv;
  double need = 0;
  s->block = (s->n / 2 / s->nv + 1) * s->nv;
  s->height = s->n + s->block;
  LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, s->height, s->n, NULL, s->height, NULL, &need, -1);
  s->room = (lapack_int)need;
  s->A = numbers(a, (size_t)s->height * n);
  s->Y = numbers(a, nv * n);
  s->q = numbers(a, (size_t)jn_model_nq(model));
  s->v = numbers(a, nv);
  s->a = numbers(a, nv);
  s->tau = numbers(a, n);
  s->scratch = numbers(a, (size_t)s->room);
  if (!s->A || !s->Y || !s->q || !s->v || !s->a || !s->tau || !s->scratch) return JN_ERR_MEMORY;
  return jn_work_create(model, &s->work);
}

/* Rows of one state at row `at` of the block. */
static jn_status add_state(stack *s, const jn_model *model, uint64_t *seed, int at) {
  jn_status status = jn__base_random_state(model, seed, s->q, s->v, s->a);
  if (status == JN_OK) status = jn_regressor(model, s->work, s->q, s->v, s->a, s->Y);
  for (int c = 0; c < s->n; c++)
    for (int r = 0; r < s->nv; r++)
      s->A[(size_t)c * (size_t)s->height + (size_t)(s->n + at + r)] = s->Y[(size_t)r * (size_t)s->n + (size_t)c];
  return status;
}

/* [R; block] -> [R; 0] */
static void reduce(stack *s) {
  LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, s->height, s->n, s->A, s->height, s->tau, s->scratch, s->room);
  for (int c = 0; c < s->n; c++) {
    double *column = s->A + (size_t)c * (size_t)s->height;
    memset(column + c + 1, 0, (size_t)(s->height - c - 1) * sizeof *column);
  }
}

jn_status jn__base_stack(const jn_model *model, const jn_allocator *a, int states, uint64_t *seed, double *R) {
  stack s;
  jn_status status = stack_init(&s, model, a);
  for (int i = 0, at = 0; i < states && status == JN_OK; i++) {
    status = jn__is_stopped() ? JN_ERR_STOPPED : add_state(&s, model, seed, at);
    at += s.nv;
    if (at < s.block && i + 1 < states) continue;
    if (status == JN_OK) reduce(&s);
    at = 0;
  }
  for (int c = 0; c < s.n && status == JN_OK; c++)
    memcpy(R + (size_t)c * (size_t)s.n, s.A + (size_t)c * (size_t)s.height, (size_t)s.n * sizeof *R);
  stack_free(&s, a);
  return status;
}

/* ---- rank ---- */

/* Columns to length 1; those that are zero next to the largest become exactly zero (and keep the scale 1). */
static void scale_columns(double *R, int n, double zero, double *scale) {
  double most = 0;
  for (int c = 0; c < n; c++) {
    double *x = R + (size_t)c * (size_t)n, sum = 0;
    for (int r = 0; r <= c; r++) sum += x[r] * x[r];
    scale[c] = sqrt(sum);
    most = fmax(most, scale[c]);
  }
  for (int c = 0; c < n; c++) {
    double *x = R + (size_t)c * (size_t)n, by = scale[c] > zero * most ? 1 / scale[c] : 0;
    for (int r = 0; r <= c; r++) x[r] *= by;
    if (by == 0) scale[c] = 1;
  }
}

/* How many of the descending values count, into base; `step` apart. */
static int count_values(jn_base *b, jn_base_method method, const double *value, size_t step) {
  int rank = 0, n = b->width;
  double first = fabs(value[0]);
  while (rank < n && fabs(value[(size_t)rank * step]) > b->tolerance * first) rank++;
  b->count_by[method] = rank;
  b->kept[method] = rank > 0 ? fabs(value[(size_t)(rank - 1) * step]) / first : 0;
  b->dropped[method] = rank < n && first > 0 ? fabs(value[(size_t)rank * step]) / first : 0;
  return rank;
}

/* R P = Q [R11 R12; 0 ~0]: directions P [-R11^-1 R12; E]. */
static jn_status rank_by_qr(jn_base *b, double *R, const double *scale, jn_null_space *out) {
  lapack_int n = b->width, *pivot = jn__allocate(&b->allocator, (size_t)n * sizeof *pivot);
  double need = 0, *tau = numbers(&b->allocator, (size_t)n), *scratch = NULL;
  LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, n, n, NULL, n, NULL, NULL, &need, -1);
  if (pivot && tau) scratch = numbers(&b->allocator, (size_t)need);
  if (scratch) {
    LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, n, n, R, n, pivot, tau, scratch, (lapack_int)need);
    int rank = count_values(b, JN_BASE_QR, R, (size_t)n + 1);
    if (out) {
      size_t ld = (size_t)n;
      out->count = n - rank;
      if (rank > 0 && out->count > 0)
        LAPACKE_dtrtrs_work(LAPACK_COL_MAJOR, 'U', 'N', 'N', rank, out->count, R, n, R + (size_t)rank * ld, n);
      memset(out->rows, 0, (size_t)out->count * ld * sizeof *out->rows);
      for (int k = 0; k < out->count; k++) {
        double *row = out->rows + (size_t)k * ld;
        const double *x = R + (size_t)(rank + k) * ld;
        int self = pivot[rank + k] - 1;
        row[self] = 1 / scale[self];
        for (int r = 0; r < rank; r++) row[pivot[r] - 1] = -x[r] / scale[pivot[r] - 1];
      }
    }
  }
  jn_status status = scratch ? JN_OK : JN_ERR_MEMORY;
  jn__release(&b->allocator, scratch);
  jn__release(&b->allocator, tau);
  jn__release(&b->allocator, pivot);
  return status;
}

/* Directions: right singular vectors of the values that do not count. */
static jn_status rank_by_svd(jn_base *b, double *R, const double *scale, jn_null_space *out) {
  lapack_int n = b->width, *whole = jn__allocate(&b->allocator, 8 * (size_t)n * sizeof *whole), fault = 0;
  char job = out ? 'O' : 'N';
  size_t ld = (size_t)n;
  double need = 0, unused = 0, *value = numbers(&b->allocator, ld), *scratch = NULL;
  double *Vt = out ? numbers(&b->allocator, ld * ld) : &unused;
  LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, job, n, n, NULL, n, NULL, NULL, n, NULL, n, &need, -1, NULL);
  if (whole && value && Vt) scratch = numbers(&b->allocator, (size_t)need);
  if (scratch) {
    fault = LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, job, n, n, R, n, value, &unused, n, Vt, n, scratch, (lapack_int)need,
                                whole);
    int rank = fault == 0 ? count_values(b, JN_BASE_SVD, value, 1) : 0;
    if (out) {
      out->count = n - rank;
      for (int k = 0; k < out->count; k++)
        for (int c = 0; c < n; c++)
          out->rows[(size_t)k * ld + (size_t)c] = Vt[(size_t)c * ld + (size_t)(rank + k)] / scale[c];
    }
  }
  jn_status status = !scratch ? JN_ERR_MEMORY : fault ? JN_ERR_SINGULAR : JN_OK;
  jn__release(&b->allocator, scratch);
  if (out) jn__release(&b->allocator, Vt);
  jn__release(&b->allocator, value);
  jn__release(&b->allocator, whole);
  return status;
}

jn_status jn__base_rank(jn_base *b, double *R, jn_base_method wanted, jn_null_space *out) {
  size_t n = (size_t)b->width;
  double *copy = numbers(&b->allocator, n * n), *scale = numbers(&b->allocator, n);
  jn_status status = copy && scale ? JN_OK : JN_ERR_MEMORY;
  if (status == JN_OK) {
    scale_columns(R, b->width, b->zero, scale);
    memcpy(copy, R, n * n * sizeof *R);
    status = rank_by_svd(b, copy, scale, wanted == JN_BASE_SVD ? out : NULL);
  }
  if (status == JN_OK) status = rank_by_qr(b, R, scale, wanted == JN_BASE_SVD ? NULL : out);
  jn__release(&b->allocator, copy);
  jn__release(&b->allocator, scale);
  return status;
}
