/* SPDX-License-Identifier: BSD-2-Clause */
/* Coordinates side by side: a strip is a register of as many numbers as the row has no lanes for (one state: four
 * doubles with AVX2), or a real of a row that has lanes of its own. Structs of strips hold STRIP coordinates; number r
 * of coordinate k is strip_number(array, sizes, k)[r * STRIP]. */
#ifndef JN_KERNEL_STRIP_H
#define JN_KERNEL_STRIP_H

#include "sweep.h"

#if JN_LANES == 1 && (JN_KIND == JN_KIND_D || JN_KIND == JN_KIND_F)
typedef pack strip;
enum { STRIP = PACK };
#else
typedef real strip;
enum { STRIP = 1 };
#endif

#define STRIPS(n) (((n) + STRIP - 1) / STRIP)
/* The first number of coordinate k in an array of structs of strips. */
#define strip_number(array, k) ((real *)(void *)&(array)[(k) / STRIP] + (k) % STRIP)

typedef struct strip3 {
  strip x, y, z;
} strip3;

typedef struct strip6 {
  strip3 w, v; /* of a twist; moment and force of a wrench */
} strip6;

static inline strip3 p3_add(strip3 a, strip3 b) { return (strip3){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline strip6 p6_add(strip6 a, strip6 b) { return (strip6){p3_add(a.w, b.w), p3_add(a.v, b.v)}; }
static inline strip3 p3_scale(scalar s, strip3 a) { return (strip3){s * a.x, s * a.y, s * a.z}; }
/* a x b and b x a, a of one body, b of many coordinates */
static inline strip3 p3_cross(vec3 a, strip3 b) {
  return (strip3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline strip3 p3_crossed(strip3 b, vec3 a) { return p3_cross(v3_neg(a), b); }
static inline strip3 p3_symmetric(sym3 A, strip3 b) {
  return (strip3){A.xx * b.x + A.xy * b.y + A.xz * b.z, A.xy * b.x + A.yy * b.y + A.yz * b.z,
                  A.xz * b.x + A.yz * b.y + A.zz * b.z};
}
static inline strip3 p3_matrix(mat3 A, strip3 b) {
  return (strip3){A.x.x * b.x + A.y.x * b.y + A.z.x * b.z, A.x.y * b.x + A.y.y * b.y + A.z.y * b.z,
                  A.x.z * b.x + A.y.z * b.y + A.z.z * b.z};
}
/* The same three numbers, STRIP apart, with many coordinates. */
static inline strip p3_dot(const real *a, strip3 b) { return a[0] * b.x + a[STRIP] * b.y + a[2 * STRIP] * b.z; }
static inline strip p6_dot(const real *a, strip6 b) { return p3_dot(a, b.w) + p3_dot(a + 3 * STRIP, b.v); }
/* b x* F of a wrench F of one body */
static inline strip6 p6_cross(strip6 b, wrench F) {
  return (strip6){p3_add(p3_crossed(b.w, F.m), p3_crossed(b.v, F.f)), p3_crossed(b.w, F.f)};
}

#endif
