/* SPDX-License-Identifier: BSD-2-Clause */
/* Vectors and 3x3 matrices over `real`. A mat3 is stored by columns: R v = x v.x + y v.y + z v.z. */
#ifndef JN_LIE_VECTOR_H
#define JN_LIE_VECTOR_H

#include "number.h"

typedef struct vec3 {
  real x, y, z;
} vec3;

typedef struct mat3 {
  vec3 x, y, z; /* columns */
} mat3;

typedef struct sym3 {
  real xx, yy, zz, xy, xz, yz;
} sym3;

static inline vec3 v3(real x, real y, real z) { return (vec3){x, y, z}; }
static inline vec3 v3_zero(void) { return v3(ZERO, ZERO, ZERO); }
static inline vec3 v3_add(vec3 a, vec3 b) { return v3(a.x + b.x, a.y + b.y, a.z + b.z); }
static inline vec3 v3_sub(vec3 a, vec3 b) { return v3(a.x - b.x, a.y - b.y, a.z - b.z); }
static inline vec3 v3_neg(vec3 a) { return v3(-a.x, -a.y, -a.z); }
static inline vec3 v3_scale(real s, vec3 a) { return v3(s * a.x, s * a.y, s * a.z); }
/* a + s b */
static inline vec3 v3_axpy(real s, vec3 b, vec3 a) { return v3(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z); }
static inline real dot(vec3 a, vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline vec3 cross(vec3 a, vec3 b) {
  return v3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline mat3 m3_identity(void) {
  return (mat3){v3(K(1), ZERO, ZERO), v3(ZERO, K(1), ZERO), v3(ZERO, ZERO, K(1))};
}
static inline mat3 m3_zero(void) { return (mat3){v3_zero(), v3_zero(), v3_zero()}; }
/* [a], the matrix of the cross product: [a] b = a x b */
static inline mat3 skew(vec3 a) { return (mat3){v3(ZERO, a.z, -a.y), v3(-a.z, ZERO, a.x), v3(a.y, -a.x, ZERO)}; }
/* A b */
static inline vec3 m3_mul(mat3 A, vec3 b) { return v3_axpy(b.z, A.z, v3_axpy(b.y, A.y, v3_scale(b.x, A.x))); }
/* A^T b */
static inline vec3 m3_tmul(mat3 A, vec3 b) { return v3(dot(A.x, b), dot(A.y, b), dot(A.z, b)); }
/* A B */
static inline mat3 m3_prod(mat3 A, mat3 B) { return (mat3){m3_mul(A, B.x), m3_mul(A, B.y), m3_mul(A, B.z)}; }
/* A^T B */
static inline mat3 m3_tprod(mat3 A, mat3 B) { return (mat3){m3_tmul(A, B.x), m3_tmul(A, B.y), m3_tmul(A, B.z)}; }
static inline mat3 m3_transpose(mat3 A) {
  return (mat3){v3(A.x.x, A.y.x, A.z.x), v3(A.x.y, A.y.y, A.z.y), v3(A.x.z, A.y.z, A.z.z)};
}
static inline mat3 m3_add(mat3 A, mat3 B) { return (mat3){v3_add(A.x, B.x), v3_add(A.y, B.y), v3_add(A.z, B.z)}; }
/* A + s B */
static inline mat3 m3_axpy(real s, mat3 B, mat3 A) {
  return (mat3){v3_axpy(s, B.x, A.x), v3_axpy(s, B.y, A.y), v3_axpy(s, B.z, A.z)};
}
static inline mat3 m3_scale(real s, mat3 A) { return (mat3){v3_scale(s, A.x), v3_scale(s, A.y), v3_scale(s, A.z)}; }

/* A b, A symmetric; and A as a full matrix. */
static inline vec3 s3_mul(sym3 A, vec3 b) {
  return v3(A.xx * b.x + A.xy * b.y + A.xz * b.z, A.xy * b.x + A.yy * b.y + A.yz * b.z,
            A.xz * b.x + A.yz * b.y + A.zz * b.z);
}
static inline mat3 s3_full(sym3 A) { return (mat3){v3(A.xx, A.xy, A.xz), v3(A.xy, A.yy, A.yz), v3(A.xz, A.yz, A.zz)}; }
/* Keeps only the symmetric part: A must be symmetric up to rounding. */
static inline sym3 s3_from(mat3 A) {
  return (sym3){A.x.x, A.y.y, A.z.z, K(0.5) * (A.x.y + A.y.x), K(0.5) * (A.x.z + A.z.x), K(0.5) * (A.y.z + A.z.y)};
}
static inline sym3 s3_add(sym3 A, sym3 B) {
  return (sym3){A.xx + B.xx, A.yy + B.yy, A.zz + B.zz, A.xy + B.xy, A.xz + B.xz, A.yz + B.yz};
}

/* Arrays of reals in and out; matrices are row-major there. */
static inline vec3 v3_load(const real *a) { return v3(a[0], a[1], a[2]); }
static inline void v3_store(vec3 a, real *out) {
  out[0] = a.x;
  out[1] = a.y;
  out[2] = a.z;
}
static inline mat3 m3_load_rows(const real *a, int stride) {
  return (mat3){v3(a[0], a[stride], a[2 * stride]), v3(a[1], a[stride + 1], a[2 * stride + 1]),
                v3(a[2], a[stride + 2], a[2 * stride + 2])};
}
static inline void m3_store_rows(mat3 A, real *out, int stride) {
  v3_store(v3(A.x.x, A.y.x, A.z.x), out);
  v3_store(v3(A.x.y, A.y.y, A.z.y), out + stride);
  v3_store(v3(A.x.z, A.y.z, A.z.z), out + 2 * stride);
}

/* Constants of the model, the same for all lanes; matrices row-major. */
static inline vec3 v3_constant(const scalar *a) { return v3(splat(a[0]), splat(a[1]), splat(a[2])); }
static inline mat3 m3_constant(const scalar *a) {
  return (mat3){v3(splat(a[0]), splat(a[3]), splat(a[6])), v3(splat(a[1]), splat(a[4]), splat(a[7])),
                v3(splat(a[2]), splat(a[5]), splat(a[8]))};
}

#endif
