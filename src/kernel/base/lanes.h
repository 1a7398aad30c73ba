/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers of several samples, a row of the caller's memory each, into lanes and back. Blocks of LANES x LANES numbers
 * are transposed in registers, by interleaving within 16 bytes and then exchanging halves of 32, which are single
 * instructions of SSE and AVX. Beside number by number, a batch of mass matrices of 44 joints takes 1.69 us a state
 * where it took 2.16, of Jacobians 5.2 where it took 8.2. Neither stores that bypass the caches nor prefetching gain
 * more; nor does running large outputs state by state, but for those Jacobians (4.6). */
#ifndef JN_KERNEL_BASE_LANES_H
#define JN_KERNEL_BASE_LANES_H

#include <string.h>

#include "../../lie/number.h"

#if JN_LANES > 1

#ifdef __clang__
#define SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (mask){__VA_ARGS__})
#endif

/* a and b become the pairs (a, b) of the lower and of the upper halves of each 16 bytes. Lanes of b count from LANES.
 */
static inline void interleave(real *a, real *b) {
#if JN_LANES == 2
  real low = SHUFFLE(*a, *b, 0, 2), high = SHUFFLE(*a, *b, 1, 3);
#elif JN_LANES == 4 && JN_KIND == JN_KIND_D
  real low = SHUFFLE(*a, *b, 0, 4, 2, 6), high = SHUFFLE(*a, *b, 1, 5, 3, 7);
#elif JN_LANES == 4
  real low = SHUFFLE(*a, *b, 0, 4, 1, 5), high = SHUFFLE(*a, *b, 2, 6, 3, 7);
#else
  real low = SHUFFLE(*a, *b, 0, 8, 1, 9, 4, 12, 5, 13), high = SHUFFLE(*a, *b, 2, 10, 3, 11, 6, 14, 7, 15);
#endif
  *a = low;
  *b = high;
}

#if JN_LANES == 8 || (JN_LANES == 4 && JN_KIND == JN_KIND_D)
/* They become their lower halves, and their upper halves. */
static inline void exchange(real *a, real *b) {
#if JN_LANES == 4
  real low = SHUFFLE(*a, *b, 0, 1, 4, 5), high = SHUFFLE(*a, *b, 2, 3, 6, 7);
#else
  real low = SHUFFLE(*a, *b, 0, 1, 2, 3, 8, 9, 10, 11), high = SHUFFLE(*a, *b, 4, 5, 6, 7, 12, 13, 14, 15);
#endif
  *a = low;
  *b = high;
}
#endif

#if JN_KIND == JN_KIND_F
/* Four registers of floats, in each 16 bytes. */
static inline void transpose4(real *x) {
  interleave(&x[0], &x[2]);
  interleave(&x[1], &x[3]);
  interleave(&x[0], &x[1]);
  interleave(&x[2], &x[3]);
}
#endif

static inline void transpose(real x[JN_LANES]) {
#if JN_KIND == JN_KIND_F
  for (int k = 0; k < JN_LANES; k += 4) transpose4(x + k);
#else
  for (int k = 0; k < JN_LANES; k += 2) interleave(&x[k], &x[k + 1]);
#endif
#if JN_LANES == 8 || (JN_LANES == 4 && JN_KIND == JN_KIND_D)
  for (int k = 0; k < JN_LANES / 2; k++) exchange(&x[k], &x[k + JN_LANES / 2]);
#endif
}

/* LANES numbers of a caller whose own type is the row's, or the other one (in a row that was forced). */
#if JN_KIND == JN_KIND_D
typedef float other;
#else
typedef double other;
#endif
typedef other others __attribute__((vector_size(JN_LANES * sizeof(other))));

static inline real read_own(const scalar *from) {
  real r;
  memcpy(&r, from, sizeof r);
  return r;
}
static inline void write_own(scalar *to, real r) { memcpy(to, &r, sizeof r); }
static inline real read_other(const other *from) {
  others r;
  memcpy(&r, from, sizeof r);
  return __builtin_convertvector(r, real);
}
static inline void write_other(other *to, real x) {
  others r = __builtin_convertvector(x, others);
  memcpy(to, &r, sizeof r);
}

/* The blocks of n numbers begin at 0, LANES, ..., and the last ends with the numbers: it may overlap the one before. */
static inline size_t next_block(size_t i, size_t n) {
  size_t next = i + JN_LANES;
  return next < n && next + JN_LANES > n ? n - JN_LANES : next;
}

/* Fewer numbers than lanes, into them and back. */
static inline void get_few_other(real *x, const other *const row[], size_t n) {
  for (size_t i = 0; i < n; i++)
    for (int k = 0; k < JN_LANES; k++) x[i][k] = (scalar)row[k][i];
}
static inline void put_few_other(other *to, const real *x, size_t n, size_t stride, int count) {
  for (size_t i = 0; i < n; i++)
    for (int k = 0; k < count; k++) to[(size_t)k * stride + i] = (other)x[i][k];
}

#if JN_LANES == 8 && (defined(__clang__) || __GNUC__ >= 12)
#define FOUR_AT_A_TIME 1
typedef scalar half __attribute__((vector_size(4 * sizeof(scalar))));
#endif
/* Of eight lanes four numbers at a time, the last four again: inverse dynamics of 7 joints takes 42 ns a state, one by
 * one 55. */
static inline void get_few_own(real *x, const scalar *const row[], size_t n) {
#if FOUR_AT_A_TIME
  for (size_t i = 0; i < n && n >= 4; i = i + 4 < n ? n - 4 : n) {
    real block[4];
    for (int k = 0; k < 4; k++) {
      half low, high; /* joined in registers: what is stored in two pieces and loaded in one has to wait */
      memcpy(&low, row[k] + i, sizeof low);
      memcpy(&high, row[k + 4] + i, sizeof high);
      block[k] = __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
    }
    transpose4(block);
    for (int k = 0; k < 4; k++) x[i + (size_t)k] = block[k];
  }
  if (n >= 4) return;
#endif
  for (size_t i = 0; i < n; i++)
    for (int k = 0; k < JN_LANES; k++) x[i][k] = row[k][i];
}
static inline void put_few_own(scalar *to, const real *x, size_t n, size_t stride, int count) {
#if JN_LANES == 8
  for (size_t i = 0; i < n && n >= 4; i = i + 4 < n ? n - 4 : n) {
    real block[4] = {x[i], x[i + 1], x[i + 2], x[i + 3]};
    transpose4(block);
    for (int k = 0; k < count; k++)
      memcpy(to + (size_t)k * stride + i, (const char *)&block[k % 4] + (k < 4 ? 0 : sizeof(real) / 2),
             sizeof(real) / 2);
  }
  if (n >= 4) return;
#endif
  for (size_t i = 0; i < n; i++)
    for (int k = 0; k < count; k++) to[(size_t)k * stride + i] = x[i][k];
}

/* load_own(), store_own(), load_other(), store_other(): n numbers of `count` samples, `stride` apart, into n reals
 * (missing lanes repeat the last sample) and back. */
#define LANES_MOVE(which, number)                                                                    \
  static inline void load_##which(real *x, const number *from, size_t n, size_t stride, int count) { \
    const number *row[JN_LANES];                                                                     \
    for (int k = 0; k < JN_LANES; k++) row[k] = from + (size_t)(k < count ? k : count - 1) * stride; \
    if (n < JN_LANES) get_few_##which(x, row, n);                                                    \
    for (size_t i = 0; i < n && n >= JN_LANES; i = next_block(i, n)) {                               \
      real block[JN_LANES];                                                                          \
      for (int k = 0; k < JN_LANES; k++) block[k] = read_##which(row[k] + i);                        \
      transpose(block);                                                                              \
      for (int k = 0; k < JN_LANES; k++) x[i + (size_t)k] = block[k];                                \
    }                                                                                                \
  }                                                                                                  \
  static inline void store_##which(number *to, const real *x, size_t n, size_t stride, int count) {  \
    if (n < JN_LANES) put_few_##which(to, x, n, stride, count);                                      \
    for (size_t i = 0; i < n && n >= JN_LANES; i = next_block(i, n)) {                               \
      real block[JN_LANES];                                                                          \
      for (int k = 0; k < JN_LANES; k++) block[k] = x[i + (size_t)k];                                \
      transpose(block);                                                                              \
      for (int k = 0; k < count; k++) write_##which(to + (size_t)k * stride + i, block[k]);          \
    }                                                                                                \
  }
LANES_MOVE(own, scalar)
LANES_MOVE(other, other)
#undef LANES_MOVE

#endif

#endif
