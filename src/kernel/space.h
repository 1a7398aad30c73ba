/* SPDX-License-Identifier: BSD-2-Clause */
/* Vectors of the space for sweeps that wait for one result after the other: with AVX2 and one state in one register, x,
 * y, z and zero, three numbers otherwise. */
#ifndef JN_KERNEL_SPACE_H
#define JN_KERNEL_SPACE_H

#include "quad.h"

#if JN_QUAD

typedef quad space;

/* Rows become columns. */
static inline void quad_transpose(quad x[4]) {
  quad a = LANES(x[0], x[1], 0, 4, 2, 6), b = LANES(x[0], x[1], 1, 5, 3, 7);
  quad c = LANES(x[2], x[3], 0, 4, 2, 6), d = LANES(x[2], x[3], 1, 5, 3, 7);
  x[0] = LANES(a, c, 0, 1, 4, 5);
  x[1] = LANES(b, d, 0, 1, 4, 5);
  x[2] = LANES(a, c, 2, 3, 6, 7);
  x[3] = LANES(b, d, 2, 3, 6, 7);
}

static inline space sp_of(vec3 a) { return q4(a.x, a.y, a.z, 0); }
static inline vec3 sp_numbers(space a) { return v3(a[0], a[1], a[2]); }
static inline space sp_zero(void) { return q4_zero(); }
static inline space sp_add(space a, space b) { return a + b; }
static inline space sp_scale(real s, space a) { return s * a; }
static inline space sp_axpy(real s, space b, space a) { return a + s * b; }
static inline space sp_cross(space a, space b) {
  space c = a * LANES(b, b, 1, 2, 0, 3) - LANES(a, a, 1, 2, 0, 3) * b;
  return LANES(c, c, 1, 2, 0, 3);
}

#else

typedef vec3 space;

static inline space sp_of(vec3 a) { return a; }
static inline vec3 sp_numbers(space a) { return a; }
static inline space sp_zero(void) { return v3_zero(); }
static inline space sp_add(space a, space b) { return v3_add(a, b); }
static inline space sp_scale(real s, space a) { return v3_scale(s, a); }
static inline space sp_axpy(real s, space b, space a) { return v3_axpy(s, b, a); }
static inline space sp_cross(space a, space b) { return cross(a, b); }

#endif

/* Columns x, y, z times numbers of the model, `step` apart. */
static inline space sp_sum(space x, space y, space z, const scalar *a, int step) {
  return sp_axpy(splat(a[0]), x, sp_axpy(splat(a[step]), y, sp_scale(splat(a[2 * step]), z)));
}
static inline space sp_turn(space x, space y, space z, vec3 a) {
  return sp_axpy(a.x, x, sp_axpy(a.y, y, sp_scale(a.z, z)));
}

#endif
