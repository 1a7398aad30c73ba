/* SPDX-License-Identifier: BSD-2-Clause */
/* Results that kernels with lanes write to the caller's memory themselves (jn_direct in call.h). A matrix in lanes is
 * LANES times as large as one of the caller's, so the first caches hold only some of its rows. */
#ifndef JN_KERNEL_BASE_DIRECT_H
#define JN_KERNEL_BASE_DIRECT_H

#include "call.h"
#include "versions.h"

#if JN_MANY

#include "lanes.h"

/* Whether the caller's numbers are of the variant's own type: nearly always. */
static inline int direct_is_own(const jn_direct *s) { return s && s->kind == JN_KIND; }

/* n numbers x of output `out`, from number `first` on. */
FLAT void direct_send(const jn_direct *s, int out, size_t first, const real *x, size_t n) {
  if (s->kind == JN_KIND && s->count == JN_LANES)
    store_own((scalar *)s->to[out] + first, x, n, s->stride[out], JN_LANES);
  else
    s->store((char *)s->to[out] + first * s->bytes, s->kind, x, n, s->stride[out], s->count);
}

/* n zeros, in the same place; only for the variant's own type. */
static inline void direct_clear(const jn_direct *s, int out, size_t first, size_t n) {
  for (int k = 0; k < s->count; k++) {
    scalar *to = (scalar *)s->to[out] + (size_t)k * s->stride[out] + first;
    size_t i = 0;
    for (; i + JN_LANES <= n; i += JN_LANES) write_own(to + i, ZERO);
    if (i < n && n >= JN_LANES) write_own(to + n - JN_LANES, ZERO);
    for (; i < n && n < JN_LANES; i++) to[i] = 0;
  }
}

/* A symmetric matrix [n x n], n >= GATHERED, of which U has the entries (i, j) with i <= j < stop[i]; all others above
 * the diagonal are zero. Only for the variant's own type. */
static const real symmetric_zero = {0};

/* GATHERED numbers of a row from column i on, wherever they are in U. */
FLAT void symmetric_block(scalar *to, size_t stride, int count, const real *U, int n, const int32_t *stop, int row,
                          int i) {
  const real *x[GATHERED];
  for (int k = 0; k < GATHERED; k++) {
    int low = i + k < row ? i + k : row, high = i + k < row ? row : i + k;
    x[k] = high < stop[low] ? U + low * n + high : &symmetric_zero;
  }
  store_gathered(to + i, x, stride, count);
}
/* Columns [0, end) of a row, GATHERED <= end. */
FLAT void symmetric_row(scalar *to, size_t stride, int count, const real *U, int n, const int32_t *stop, int row,
                        int end) {
  const real *x[GATHERED];

  /* Left of the diagonal: a column of U. */
  int i = 0;
  for (; i + GATHERED <= row; i += GATHERED) {
    for (int k = 0; k < GATHERED; k++) x[k] = row < stop[i + k] ? U + (i + k) * n + row : &symmetric_zero;
    store_gathered(to + i, x, stride, count);
  }

  /* Across the diagonal. */
  if (i < row && i + GATHERED <= end) {
    symmetric_block(to, stride, count, U, n, stop, row, i);
    i += GATHERED;
  }

  /* Right of it: a row of U; then the rest, perhaps overlapping. */
  for (; i + GATHERED <= stop[row]; i += GATHERED) {
    for (int k = 0; k < GATHERED; k++) x[k] = U + row * n + i + k;
    store_gathered(to + i, x, stride, count);
  }
  for (; i < end; i += GATHERED)
    symmetric_block(to, stride, count, U, n, stop, row, i + GATHERED <= end ? i : end - GATHERED);
}
/* All rows, and the zeros behind them. */
static inline void direct_send_symmetric(const jn_direct *s, int out, const real *U, int n, const int32_t *stop) {
  for (int row = 0; row < n; row++) {
    size_t first = (size_t)row * (size_t)n;
    int end = stop[row] + JN_LANES < n ? (stop[row] + GATHERED - 1) / GATHERED * GATHERED : n;
    scalar *to = (scalar *)s->to[out] + first;
    if (s->count == JN_LANES)
      symmetric_row(to, s->stride[out], JN_LANES, U, n, stop, row, end);
    else
      symmetric_row(to, s->stride[out], s->count, U, n, stop, row, end);
    direct_clear(s, out, first + (size_t)end, (size_t)(n - end));
  }
}

#endif

#endif
