/* SPDX-License-Identifier: BSD-2-Clause */
/* Algebra in the world's axes, each quantity about the origin of the body that it belongs to.
 *
 * From body to body only the point changes, which costs a third of a rotation, and the screw of a revolute joint is an
 * axis alone, (e, 0). No digits are lost, however far bodies are from the world's origin or from each other.
 *
 *   twist    V = (w, v)          about a point at d:            (w, v + w x d)
 *   wrench   F = (m, f)          about the point it is d from:  (m + d x f, f)
 *   inertia  I = (m, h, J)       likewise:                      (m, h + m d, J + steiner)
 *   V x* I = [A, [u] + Z; -Z, [w]],  A = [w]J - [v][h],  Z = [w][h],  u = m v,  w = m w of a single body */
#ifndef JN_KERNEL_BASE_WORLD_H
#define JN_KERNEL_BASE_WORLD_H

#include "sweep.h"

/* The joint rotates about z: its screw is (e, 0). */
static inline int is_revolute(const JN_S(body) * body) { return body->kind == JN_BODY_REVOLUTE; }

/* The same twist about a point at d from the one before; the same wrench, inertia about the point from which the one
 * before is at d. */
static inline twist t_shift(twist V, vec3 d) { return (twist){V.w, v3_add(V.v, cross(V.w, d))}; }
static inline wrench w_shift(wrench F, vec3 d) { return (wrench){v3_add(F.m, cross(d, F.f)), F.f}; }
FLAT inertia i_shift(inertia I, vec3 d) {
  return (inertia){I.m, v3_axpy(I.m, d, I.h), s3_add(I.J, s3_steiner(d, v3_axpy(K(2), I.h, v3_scale(I.m, d))))};
}
/* V x* F */
static inline wrench w_cross(twist V, wrench F) {
  return (wrench){v3_add(cross(V.w, F.m), cross(V.v, F.f)), cross(V.w, F.f)};
}
/* The matrix of V x* I and sums of such, whatever point they are about: [A, [u] + Z; -Z, [w]], where A = [w]J - [v][h],
 * Z = [w][h], u = m v, w = m w of a single body. */
typedef struct crossed {
  mat3 A, Z;
  vec3 u, w;
} crossed;

/* [a] X and X [a] */
static inline mat3 m3_cross_left(vec3 a, mat3 X) { return (mat3){cross(a, X.x), cross(a, X.y), cross(a, X.z)}; }
static inline mat3 m3_cross_right(mat3 X, vec3 a) {
  return (mat3){v3_sub(v3_scale(a.z, X.y), v3_scale(a.y, X.z)), v3_sub(v3_scale(a.x, X.z), v3_scale(a.z, X.x)),
                v3_sub(v3_scale(a.y, X.x), v3_scale(a.x, X.y))};
}
/* [a][b] = b a^T - (a.b) E */
static inline mat3 m3_cross_cross(vec3 a, vec3 b) {
  real ab = dot(a, b);
  mat3 X = {v3_scale(a.x, b), v3_scale(a.y, b), v3_scale(a.z, b)};
  X.x.x -= ab;
  X.y.y -= ab;
  X.z.z -= ab;
  return X;
}
/* V x* I of one body. */
static inline crossed crossed_of(twist V, inertia I) {
  mat3 A = m3_axpy(K(-1), m3_cross_cross(V.v, I.h), m3_cross_left(V.w, s3_full(I.J)));
  return (crossed){A, m3_cross_cross(V.w, I.h), v3_scale(I.m, V.v), v3_scale(I.m, V.w)};
}
/* to += X, moved to the point from which its own is at d. */
static inline void crossed_add(crossed *to, const crossed *X, vec3 d) {
  vec3 u = v3_add(X->u, cross(d, X->w));
  mat3 Z = m3_add(X->Z, m3_cross_cross(X->w, d));
  mat3 A = m3_axpy(K(-1), m3_add(m3_cross_left(d, X->Z), m3_cross_right(m3_add(skew(u), Z), d)), X->A);
  to->A = m3_add(to->A, A);
  to->Z = m3_add(to->Z, Z);
  to->u = v3_add(to->u, u);
  to->w = v3_add(to->w, X->w);
}
/* (V x* I) S and (V x* I)^T S. revolute: S has no linear part. */
static inline wrench crossed_mul(const crossed *X, int revolute, twist S) {
  wrench F = {m3_mul(X->A, S.w), v3_neg(m3_mul(X->Z, S.w))};
  if (revolute) return F;
  return (wrench){v3_add(F.m, v3_add(cross(X->u, S.v), m3_mul(X->Z, S.v))), v3_add(F.f, cross(X->w, S.v))};
}
static inline wrench crossed_tmul(const crossed *X, int revolute, twist S) {
  wrench F = {m3_tmul(X->A, S.w), v3_sub(m3_tmul(X->Z, S.w), cross(X->u, S.w))};
  if (revolute) return F;
  return (wrench){v3_sub(F.m, m3_tmul(X->Z, S.v)), v3_sub(F.f, cross(X->w, S.v))};
}

/* R J R^T: half of the second product is enough. */
FLAT sym3 s3_to_world(mat3 R, sym3 J) {
  mat3 A = {s3_mul(J, v3(R.x.x, R.y.x, R.z.x)), s3_mul(J, v3(R.x.y, R.y.y, R.z.y)), s3_mul(J, v3(R.x.z, R.y.z, R.z.z))};
  vec3 x = v3(R.x.x, R.y.x, R.z.x), y = v3(R.x.y, R.y.y, R.z.y), z = v3(R.x.z, R.y.z, R.z.z); /* rows of R */
  return (sym3){dot(x, A.x), dot(y, A.y), dot(z, A.z), dot(x, A.y), dot(x, A.z), dot(y, A.z)};
}
/* The inertia I of a body, as in the model, in the world's axes. */
FLAT inertia i_to_world(mat3 R, const scalar *I) {
  inertia o = i_constant(I);
  return (inertia){o.m, m3_mul(R, o.h), s3_to_world(R, o.J)};
}

/* I S of a screw S of a body, and F . S. */
static inline wrench screw_momentum(const JN_S(body) * body, inertia I, twist S) {
  if (is_revolute(body)) return (wrench){s3_mul(I.J, S.w), cross(S.w, I.h)};
  return i_mul(I, S);
}
static inline real screw_power(const JN_S(body) * body, wrench F, twist S) {
  return is_revolute(body) ? dot(F.m, S.w) : power(F, S);
}

#endif
