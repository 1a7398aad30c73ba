/* SPDX-License-Identifier: BSD-2-Clause */
/* A few doubles side by side, for files that are compiled twice: for any CPU (two doubles) and for CPUs with AVX2
 * (four). The build defines JN_WIDE for the second. CODE(name) is the name of a function in either.
 *
 *   wide        JN_WIDE doubles in one register
 *   wide_bits   as many integers: all bits set or none, from comparisons
 *   wide3       vectors of space, JN_WIDE of them: x, y, z */
#ifndef JN_DENSE_WIDE_H
#define JN_DENSE_WIDE_H

#include <string.h>

#if JN_WIDE == 4
#define CODE(name) jn__##name##_avx2
#else
#define JN_WIDE 2
#define CODE(name) jn__##name##_any
#endif

typedef double wide __attribute__((vector_size(8 * JN_WIDE)));

/* At any address. To the compiler it is an array of doubles, so that storing one changes no pointer and no integer. */
typedef double wide_anywhere __attribute__((vector_size(8 * JN_WIDE), aligned(8)));
static inline wide load(const double *x) { return *(const wide_anywhere *)x; }
static inline void store(double *to, wide x) { *(wide_anywhere *)to = x; }
static inline wide all(double x) { return x - (wide){0}; }
/* first_of(): the first `count` numbers, the others zero. drop(): the others, the first `count` zero. */
typedef long long wide_bits __attribute__((vector_size(8 * JN_WIDE)));
static inline wide_bits first_bits(int count) {
#if JN_WIDE == 4
  static const long long bits[8] = {-1, -1, -1, -1, 0, 0, 0, 0};
#else
  static const long long bits[4] = {-1, -1, 0, 0};
#endif
  wide_bits x;
  memcpy(&x, bits + JN_WIDE - (count < JN_WIDE ? count : JN_WIDE), sizeof x);
  return x;
}
static inline wide first_of(wide x, int count) { return (wide)((wide_bits)x & first_bits(count)); }
static inline wide drop(wide x, int count) { return (wide)((wide_bits)x & ~first_bits(count)); }
static inline double sum(wide x) {
  double s = 0;
  for (int k = 0; k < JN_WIDE; k++) s += x[k];
  return s;
}

/* Vectors of space. */
typedef struct wide3 {
  wide x, y, z;
} wide3;

static inline wide3 load3(const double *a, int stride) {
  return (wide3){load(a), load(a + stride), load(a + 2 * stride)};
}
static inline wide3 all3(const double *a) { return (wide3){all(a[0]), all(a[1]), all(a[2])}; }
static inline wide3 add3(wide3 a, wide3 b) { return (wide3){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline wide3 sub3(wide3 a, wide3 b) { return (wide3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline wide3 cross_wide(wide3 a, wide3 b) {
  return (wide3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

#endif
