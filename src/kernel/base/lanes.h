/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples into lanes and back: each sample is a row of the caller's memory, and a lane of the kernel's numbers.
 *
 * Blocks of LANES x LANES numbers are transposed in registers, by interleaving within 16 bytes and then exchanging
 * halves of 32 and of 64 bytes, which are single instructions of SSE, AVX, AVX-512 and NEON. Compared with number by
 * number, a batch of mass matrices of 44 joints takes 1.69 us a state instead of 2.16, of Jacobians 5.2 instead of 8.2.
 * Neither stores that bypass the caches nor prefetching gain more (docs/benchmarks.md). */
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

/* x(0, s), x(1, s), ...: what a shuffle puts into each lane. Lanes of its second operand count from LANES. */
#define EACH2(x, s, i) x(i, s), x((i) + 1, s)
#define EACH4(x, s, i) EACH2(x, s, i), EACH2(x, s, (i) + 2)
#define EACH8(x, s, i) EACH4(x, s, i), EACH4(x, s, (i) + 4)
#define EACH16(x, s, i) EACH8(x, s, i), EACH8(x, s, (i) + 8)
#if JN_LANES == 2
#define EACH_LANE(x, s) EACH2(x, s, 0)
#elif JN_LANES == 4
#define EACH_LANE(x, s) EACH4(x, s, 0)
#elif JN_LANES == 8
#define EACH_LANE(x, s) EACH8(x, s, 0)
#else
#define EACH_LANE(x, s) EACH16(x, s, 0)
#endif

/* Two registers as groups of s lanes: a and b become the groups 0, 2, ... of both in turn, and 1, 3, ... */
#define EVEN_GROUP(i, s) ((i) / (s) % 2 ? (i) - (s) + JN_LANES : (i))
#define ODD_GROUP(i, s) ((i) / (s) % 2 ? (i) + JN_LANES : (i) + (s))
#define EXCHANGE(a, b, s)                                       \
  do {                                                          \
    real even_ = SHUFFLE(*(a), *(b), EACH_LANE(EVEN_GROUP, s)); \
    *(b) = SHUFFLE(*(a), *(b), EACH_LANE(ODD_GROUP, s));        \
    *(a) = even_;                                               \
  } while (0)

/* Four registers: in each group of four lanes, rows become columns. */
#if JN_KIND == JN_KIND_F
/* Pairs (a, b) of the lower and of the upper half of each 16 bytes. */
#define LOWER_PAIR(i, s) ((i) / 4 * 4 + (i) % 4 / 2 + (i) % 2 * JN_LANES)
#define UPPER_PAIR(i, s) (LOWER_PAIR(i, s) + 2)
static inline void interleave(real *a, real *b) {
  real low = SHUFFLE(*a, *b, EACH_LANE(LOWER_PAIR, 0)), high = SHUFFLE(*a, *b, EACH_LANE(UPPER_PAIR, 0));
  *a = low;
  *b = high;
}
static inline void transpose4(real *x) {
  interleave(&x[0], &x[2]);
  interleave(&x[1], &x[3]);
  interleave(&x[0], &x[1]);
  interleave(&x[2], &x[3]);
}
#elif JN_LANES >= 4
static inline void transpose4(real *x) {
  EXCHANGE(&x[0], &x[1], 1);
  EXCHANGE(&x[2], &x[3], 1);
  EXCHANGE(&x[0], &x[2], 2);
  EXCHANGE(&x[1], &x[3], 2);
}
#endif

/* Rows become columns: within groups of four lanes, then groups of 8 and of 16. */
static inline void transpose(real x[JN_LANES]) {
#if JN_LANES == 2
  EXCHANGE(&x[0], &x[1], 1);
#else
  for (int k = 0; k < JN_LANES; k += 4) transpose4(x + k);
#endif
#if JN_LANES >= 8
  for (int k = 0; k < JN_LANES; k += 8)
    for (int i = k; i < k + 4; i++) EXCHANGE(&x[i], &x[i + 4], 4);
#endif
#if JN_LANES >= 16
  for (int k = 0; k < 8; k++) EXCHANGE(&x[k], &x[k + 8], 8);
#endif
}

/* LANES numbers of a caller whose own type is that of the variant, or the other one (in a variant that was forced). */
#if JN_KIND == JN_KIND_D
typedef float other_number;
#else
typedef double other_number;
#endif
typedef other_number other_numbers __attribute__((vector_size(JN_LANES * sizeof(other_number))));

/* LANES neighbours in memory, of the variant's own type and of the other one. */
static inline real read_own(const scalar *from) {
  real r;
  memcpy(&r, from, sizeof r);
  return r;
}
static inline void write_own(scalar *to, real r) { memcpy(to, &r, sizeof r); }
static inline real read_other(const other_number *from) {
  other_numbers r;
  memcpy(&r, from, sizeof r);
  return __builtin_convertvector(r, real);
}
static inline void write_other(other_number *to, real x) {
  other_numbers r = __builtin_convertvector(x, other_numbers);
  memcpy(to, &r, sizeof r);
}

/* The blocks of n numbers begin at 0, LANES, ..., and the last ends with the numbers: it may overlap the one before. */
static inline size_t next_block(size_t i, size_t n) {
  size_t next = i + JN_LANES;
  return next < n && next + JN_LANES > n ? n - JN_LANES : next;
}

/* Fewer numbers than lanes, into them and back. */
static inline void get_few_other(real *x, const other_number *const row[], size_t n) {
  for (size_t i = 0; i < n; i++)
    for (int k = 0; k < JN_LANES; k++) x[i][k] = (scalar)row[k][i];
}
static inline void put_few_other(other_number *to, const real *x, size_t n, size_t stride, int count) {
  for (size_t i = 0; i < n; i++)
    for (int k = 0; k < count; k++) to[(size_t)k * stride + i] = (other_number)x[i][k];
}

/* Of eight and more lanes, four numbers of each at a time, the last four again: inverse dynamics of 7 joints in eight
 * lanes takes 42 ns a state, one by one 55. */
#if JN_LANES >= 8 && (defined(__clang__) || __GNUC__ >= 12)
#define FOUR_AT_A_TIME 1
typedef scalar quarter __attribute__((vector_size(4 * sizeof(scalar))));
typedef scalar eighths __attribute__((vector_size(8 * sizeof(scalar))));
/* Joined in registers: what is stored in two pieces and loaded in one has to wait. */
static inline eighths read_eight(const scalar *low_at, const scalar *high_at) {
  quarter low, high;
  memcpy(&low, low_at, sizeof low);
  memcpy(&high, high_at, sizeof high);
  return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}
static inline real read_fours(const scalar *const row[], size_t i) {
  eighths first = read_eight(row[0] + i, row[4] + i);
#if JN_LANES == 16
  eighths second = read_eight(row[8] + i, row[12] + i);
  return __builtin_shufflevector(first, second, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
#else
  return first;
#endif
}
#endif
/* n numbers of each sample, where n is less than LANES or blocks of four are faster. */
static inline void get_few_own(real *x, const scalar *const row[], size_t n) {
#if FOUR_AT_A_TIME
  for (size_t i = 0; i < n && n >= 4; i = i + 4 < n ? (i + 8 < n ? i + 4 : n - 4) : n) {
    real block[4];
    for (int k = 0; k < 4; k++) block[k] = read_fours(row + k, i);
    transpose4(block);
    for (int k = 0; k < 4; k++) x[i + (size_t)k] = block[k];
  }
  if (n >= 4) return;
#endif
  for (size_t i = 0; i < n; i++)
    for (int k = 0; k < JN_LANES; k++) x[i][k] = row[k][i];
}
static inline void put_few_own(scalar *to, const real *x, size_t n, size_t stride, int count) {
#if JN_LANES >= 8
  for (size_t i = 0; i < n && n >= 4; i = i + 4 < n ? (i + 8 < n ? i + 4 : n - 4) : n) {
    real block[4] = {x[i], x[i + 1], x[i + 2], x[i + 3]};
    transpose4(block);
    for (int k = 0; k < count; k++)
      memcpy(to + (size_t)k * stride + i, (const scalar *)&block[k % 4] + k / 4 * 4, 4 * sizeof(scalar));
  }
  if (n >= 4) return;
#endif
  for (size_t i = 0; i < n; i++)
    for (int k = 0; k < count; k++) to[(size_t)k * stride + i] = x[i][k];
}

/* GATHERED numbers of `count` samples, of the caller's own type, from reals at any place to neighbours in memory.
 * Eight doubles: pairs of lanes of four numbers, joined as they are loaded, are two rows of the caller interleaved. All
 * ways to do this are bound by the stores; this one has those of 32 bytes, of which fewer straddle cache lines: 15 %
 * less time than with whole blocks of 8 x 8 for matrices of 18 and of 50 columns. */
#if FOUR_AT_A_TIME && JN_LANES == 8
enum { GATHERED = 4 };
typedef scalar pair __attribute__((vector_size(2 * sizeof(scalar))));
static inline quarter read_pairs(const real *low_at, const real *high_at, int lane) {
  pair low, high;
  memcpy(&low, (const scalar *)low_at + lane, sizeof low);
  memcpy(&high, (const scalar *)high_at + lane, sizeof high);
  return __builtin_shufflevector(low, high, 0, 1, 2, 3);
}
FLAT void store_gathered(scalar *to, const real *const x[GATHERED], size_t stride, int count) {
  for (int k = 0; k < count; k += 2) {
    quarter even = read_pairs(x[0], x[2], k), odd = read_pairs(x[1], x[3], k);
    quarter first = __builtin_shufflevector(even, odd, 0, 4, 2, 6);
    quarter second = __builtin_shufflevector(even, odd, 1, 5, 3, 7);
    memcpy(to + (size_t)k * stride, &first, sizeof first);
    if (k + 1 < count) memcpy(to + (size_t)(k + 1) * stride, &second, sizeof second);
  }
}
#else
enum { GATHERED = JN_LANES };
FLAT void store_gathered(scalar *to, const real *const x[GATHERED], size_t stride, int count) {
  real block[JN_LANES];
  for (int k = 0; k < JN_LANES; k++) block[k] = *x[k];
  transpose(block);
  for (int k = 0; k < count; k++) write_own(to + (size_t)k * stride, block[k]);
}
#endif

/* GATHERED neighbours x to neighbours in memory, of each sample. */
FLAT void store_block(scalar *to, const real *x, size_t stride, int count) {
  const real *block[GATHERED];
  for (int k = 0; k < GATHERED; k++) block[k] = x + k;
  store_gathered(to, block, stride, count);
}
static inline void store_own(scalar *to, const real *x, size_t n, size_t stride, int count) {
  size_t i = 0;
  for (; i + GATHERED <= n; i += GATHERED) store_block(to + i, x + i, stride, count);
  if (n < GATHERED)
    put_few_own(to, x, n, stride, count);
  else if (i < n) /* the last ones once more */
    store_block(to + n - GATHERED, x + n - GATHERED, stride, count);
}

/* load_own(), load_other(), store_other(), and store_own() above: n numbers of `count` samples, `stride` apart, into n
 * reals (missing lanes repeat the last sample) and back. */
#if !FOUR_AT_A_TIME
#define FOUR_AT_A_TIME 0
#endif
#define LANES_LOAD(which, number, fours)                                                             \
  static inline void load_##which(real *x, const number *from, size_t n, size_t stride, int count) { \
    const number *row[JN_LANES];                                                                     \
    for (int k = 0; k < JN_LANES; k++) row[k] = from + (size_t)(k < count ? k : count - 1) * stride; \
    int few = n < JN_LANES || (fours);                                                               \
    if (few) get_few_##which(x, row, n);                                                             \
    for (size_t i = 0; i < n && !few; i = next_block(i, n)) {                                        \
      real block[JN_LANES];                                                                          \
      for (int k = 0; k < JN_LANES; k++) block[k] = read_##which(row[k] + i);                        \
      transpose(block);                                                                              \
      for (int k = 0; k < JN_LANES; k++) x[i + (size_t)k] = block[k];                                \
    }                                                                                                \
  }
LANES_LOAD(own, scalar, FOUR_AT_A_TIME)
LANES_LOAD(other, other_number, 0)
#undef LANES_LOAD

static inline void store_other(other_number *to, const real *x, size_t n, size_t stride, int count) {
  if (n < JN_LANES) put_few_other(to, x, n, stride, count);
  for (size_t i = 0; i < n && n >= JN_LANES; i = next_block(i, n)) {
    real block[JN_LANES];
    for (int k = 0; k < JN_LANES; k++) block[k] = x[i + (size_t)k];
    transpose(block);
    for (int k = 0; k < count; k++) write_other(to + (size_t)k * stride + i, block[k]);
  }
}

#endif

#endif
