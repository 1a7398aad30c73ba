/* SPDX-License-Identifier: BSD-2-Clause */
/* For files that are compiled twice, for any CPU and for those with AVX2: a few doubles side by side, and names.
 *
 * Why this is not a kernel of the variants: a variant is compiled for a number type and for lanes, and its kernels are
 * single calls between the caller's arrays. Loops compute in double whatever the variant, float variants included, and
 * their steps alternate with public functions of the tree, on arrays that stay where they are. What AVX2 earns here, as
 * time of the code for any CPU / time of this one in variant d_avx2 (bench_all --loops, least of three): conditions and
 * A 0.97 to 1.06, forward dynamics 1.02 to 1.04, derivatives 1.13 (four_bar), 1.3 (stewart, quadruped on four
 * feet), 1.6 (humanoid44 with its hands closed). */
#ifndef JN_LOOPS_WIDE_H
#define JN_LOOPS_WIDE_H

#include <string.h>

#include "loops.h"

#if JN_WIDE == 4
#define CODE(name) jn__##name##_avx2
#else
#define JN_WIDE 2
#define CODE(name) jn__##name##_any
#endif

/* conditions_screws.c, solve.c: see loop_code. */
void CODE(pairs_move)(const loop_structure *loops, loop_state *state, const double *q, const double *v,
                      const double *a);
void CODE(pairs_accelerate)(const loop_structure *loops, loop_state *state, const double *v, const double *a);
void CODE(pairs_jacobian)(const loop_structure *loops, loop_state *state);
void CODE(pairs_linearise)(const loop_structure *loops, loop_state *state, loop_linearisation *linear,
                           const double *lambda);
int CODE(factor_inertia)(const loop_structure *loops, const loop_state *state, loop_factors *factors,
                         const unsigned char *prescribed);
int CODE(factor_conditions)(const loop_structure *loops, loop_factors *factors);
void CODE(solve_one)(const loop_structure *loops, const loop_factors *factors, double *f, double *mu);
void CODE(solve_columns)(const loop_structure *loops, const loop_factors *factors, const double *M, const double *A,
                         const unsigned char *prescribed, int count, const loop_columns *blocks);

typedef double wide __attribute__((vector_size(8 * JN_WIDE)));

/* At any address; to the compiler an array of doubles, so that no store of one touches pointers and integers. */
typedef double wide_anywhere __attribute__((vector_size(8 * JN_WIDE), aligned(8)));
static inline wide load(const double *x) { return *(const wide_anywhere *)x; }
static inline void store(double *to, wide x) { *(wide_anywhere *)to = x; }
static inline wide all(double x) { return x - (wide){0}; }
/* The first `count` numbers, others zero; the others, the first zero. */
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

/* Vectors of the space. */
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
