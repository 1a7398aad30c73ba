/* SPDX-License-Identifier: BSD-2-Clause */
/* One state with AVX2: four numbers in a register, which are either a vector x, y, z and zero (v4_...), or four numbers
 * of the same kind (r4_...; r4x3: three registers hold four vectors). Every kernel that uses this (JN_REGISTERS) has a
 * twin over `real` for the other variants. */
#ifndef JN_KERNEL_BASE_REGISTERS_H
#define JN_KERNEL_BASE_REGISTERS_H

#include "sweep.h"
#include "versions.h"

#if JN_REGISTERS

typedef scalar r4 __attribute__((vector_size(4 * sizeof(scalar))));
typedef scalar_bits r4_bits __attribute__((vector_size(4 * sizeof(scalar))));

#ifdef __clang__
#define LANES(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, k, l)
#else
#define LANES(a, b, i, j, k, l) __builtin_shuffle(a, b, (r4_bits){i, j, k, l})
#endif
#define LANE(a, k) LANES(a, a, k, k, k, k)
#define YZX(a) LANES(a, a, 1, 2, 0, 3)
#define ZXY(a) LANES(a, a, 2, 0, 1, 3)

static inline r4 r4_set(scalar a, scalar b, scalar c, scalar d) { return (r4){a, b, c, d}; }
static inline r4 r4_zero(void) { return r4_set(0, 0, 0, 0); }
static inline r4 r4_all(scalar a) { return a - r4_zero(); }
static inline r4 r4_load(const scalar *a) {
  r4 x;
  memcpy(&x, a, sizeof x);
  return x;
}
static inline void r4_store(r4 x, scalar *to) { memcpy(to, &x, sizeof x); }

/* Rows become columns. */
static inline void r4_transpose(r4 *a, r4 *b, r4 *c, r4 *d) {
  r4 ab = LANES(*a, *b, 0, 4, 2, 6), AB = LANES(*a, *b, 1, 5, 3, 7);
  r4 cd = LANES(*c, *d, 0, 4, 2, 6), CD = LANES(*c, *d, 1, 5, 3, 7);
  *a = LANES(ab, cd, 0, 1, 4, 5);
  *b = LANES(AB, CD, 0, 1, 4, 5);
  *c = LANES(ab, cd, 2, 3, 6, 7);
  *d = LANES(AB, CD, 2, 3, 6, 7);
}

static inline void r4_transpose4(r4 x[4]) { r4_transpose(&x[0], &x[1], &x[2], &x[3]); }

/* Four vectors. */
typedef struct r4x3 {
  r4 x, y, z;
} r4x3;

/* p x a for four vectors a; p in memory. */
static inline r4x3 r4x3_cross(const scalar *p, r4x3 a) {
  return (r4x3){p[1] * a.z - p[2] * a.y, p[2] * a.x - p[0] * a.z, p[0] * a.y - p[1] * a.x};
}
static inline r4x3 r4x3_sub(r4x3 a, r4x3 b) { return (r4x3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline r4x3 r4x3_add(r4x3 a, r4x3 b) { return (r4x3){a.x + b.x, a.y + b.y, a.z + b.z}; }
/* R a and R^T a, R row-major */
static inline r4x3 r4x3_rotate(const scalar *R, r4x3 a) {
  return (r4x3){R[0] * a.x + R[1] * a.y + R[2] * a.z, R[3] * a.x + R[4] * a.y + R[5] * a.z,
                R[6] * a.x + R[7] * a.y + R[8] * a.z};
}
static inline r4x3 r4x3_rotate_back(const scalar *R, r4x3 a) {
  return (r4x3){R[0] * a.x + R[3] * a.y + R[6] * a.z, R[1] * a.x + R[4] * a.y + R[7] * a.z,
                R[2] * a.x + R[5] * a.y + R[8] * a.z};
}

static inline r4 v4_load(const scalar *a) { return r4_set(a[0], a[1], a[2], 0); }
static inline r4 v4_cross(r4 a, r4 b) { return YZX(a) * ZXY(b) - ZXY(a) * YZX(b); }
static inline scalar v4_dot(r4 a, r4 b) {
  r4 p = a * b;
  return p[0] + p[1] + p[2];
}
/* x a_0 + y a_1 + z a_2; a in memory, `step` apart. */
static inline r4 v4_sum(r4 x, r4 y, r4 z, const scalar *a, int step) {
  return x * a[0] + (y * a[step] + z * a[2 * step]);
}
/* x a_0 + y a_1 + z a_2: a matrix, given by columns, times a vector. */
static inline r4 v4_mul(r4 x, r4 y, r4 z, r4 a) { return x * LANE(a, 0) + (y * LANE(a, 1) + z * LANE(a, 2)); }
/* The sums of the lanes of a, of b and of c, which have zero in their last lane. */
static inline r4 v4_sums(r4 a, r4 b, r4 c) {
  const r4 o = r4_zero();
  r4 ab = LANES(a, b, 0, 4, 2, 6) + LANES(a, b, 1, 5, 3, 7), co = LANES(c, o, 0, 4, 2, 6) + LANES(c, o, 1, 5, 3, 7);
  return LANES(ab, co, 0, 1, 4, 5) + LANES(ab, co, 2, 3, 6, 7);
}
/* The transpose of a matrix, given by columns, times a vector. */
static inline r4 v4_tmul(r4 x, r4 y, r4 z, r4 a) { return v4_sums(x * a, y * a, z * a); }

#endif

#endif
