/* SPDX-License-Identifier: BSD-2-Clause */
/* Vectors of the space for sweeps that wait for one result after the other: with AVX2 and one state in one register, x,
 * y, z and zero, three numbers otherwise. */
#ifndef JN_KERNEL_BASE_SPACE_H
#define JN_KERNEL_BASE_SPACE_H

#include "registers.h"
#include "world.h"

#if JN_REGISTERS

typedef r4 space;

/* Rows become columns. */
static inline void r4_transpose4(r4 x[4]) {
  r4 a = LANES(x[0], x[1], 0, 4, 2, 6), b = LANES(x[0], x[1], 1, 5, 3, 7);
  r4 c = LANES(x[2], x[3], 0, 4, 2, 6), d = LANES(x[2], x[3], 1, 5, 3, 7);
  x[0] = LANES(a, c, 0, 1, 4, 5);
  x[1] = LANES(b, d, 0, 1, 4, 5);
  x[2] = LANES(a, c, 2, 3, 6, 7);
  x[3] = LANES(b, d, 2, 3, 6, 7);
}

static inline space sp_of(vec3 a) { return r4_set(a.x, a.y, a.z, 0); }
static inline vec3 sp_numbers(space a) { return v3(a[0], a[1], a[2]); }
static inline space sp_zero(void) { return r4_zero(); }
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

/* Rotation of a body, by columns, and its origin from that of its parent, in the world's axes. */
typedef struct axes {
  space x, y, z, d;
} axes;

static inline axes axes_of_world(void) {
  return (axes){sp_of(v3(K(1), ZERO, ZERO)), sp_of(v3(ZERO, K(1), ZERO)), sp_of(v3(ZERO, ZERO, K(1))), sp_zero()};
}

/* Those of body i from those of its parent, P. */
static inline axes axes_outward(const JN_S(tree) * t, int i, const real *q, angles turn, const axes *P) {
  const JN_S(body) *b = &t->body[i];
  if (!is_turn(b)) {
    pose X = body_pose(t, b, q, turn.c[i], turn.s[i]);
    return (axes){sp_turn(P->x, P->y, P->z, X.R.x), sp_turn(P->x, P->y, P->z, X.R.y), sp_turn(P->x, P->y, P->z, X.R.z),
                  sp_turn(P->x, P->y, P->z, X.p)};
  }
  space x = sp_sum(P->x, P->y, P->z, b->R, 3), y = sp_sum(P->x, P->y, P->z, b->R + 1, 3);
  real c = turn.c[i], s = turn.s[i];
  return (axes){sp_axpy(c, x, sp_scale(s, y)), sp_axpy(c, y, sp_scale(-s, x)), sp_sum(P->x, P->y, P->z, b->R + 2, 3),
                sp_sum(P->x, P->y, P->z, b->p, 1)};
}
static inline mat3 axes_rotation(const axes *R) { return (mat3){sp_numbers(R->x), sp_numbers(R->y), sp_numbers(R->z)}; }

/* Screws of body i; of a revolute joint an axis alone. */
static inline void axes_screws(const JN_S(tree) * t, int i, const real *q, const axes *R, space *w, space *v) {
  const JN_S(body) *b = &t->body[i];
  twist S[6];
  if (is_turn(b)) {
    w[0] = sp_scale(splat(b->ratio), R->z);
    v[0] = sp_zero();
    return;
  }
  joint_screws(t, b, q, NULL, S, NULL);
  for (int k = 0; k < b->nv; k++) {
    w[k] = sp_turn(R->x, R->y, R->z, S[k].w);
    v[k] = sp_turn(R->x, R->y, R->z, S[k].v);
  }
}

#endif
