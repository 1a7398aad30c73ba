/* SPDX-License-Identifier: BSD-2-Clause */
/* SE(3), twists, wrenches and inertias over `real`. Angular part first everywhere. [kim2012 eqs. 11, 13, 21]
 *
 *   Ad_T = [R 0; [p]R R]    ad_V = [[w] 0; [v] [w]]    Ad*_T = Ad_T^T    ad*_V = ad_V^T
 *   V_b = Ad_(T_ab^-1) V_a        twist           (11)
 *   F_b = Ad*_(T_ab) F_a          wrench          (13)
 *   I_b = Ad*_(T_ab) I_a Ad_(T_ab)    inertia     (21)
 *
 *   symbol  type     meaning                                                 unit
 *   T       pose     rotation R and origin p of a frame in another one       -, m
 *   V       twist    angular velocity w, velocity v of the point at the origin   rad/s, m/s
 *   F       wrench   moment m about the origin, force f                      N m, N
 *   I       inertia  mass m, first moment h, second moment J about the origin    kg, kg m, kg m^2 */
#ifndef JN_LIE_MOTION_H
#define JN_LIE_MOTION_H

#include "rotation.h"

typedef struct pose {
  mat3 R;
  vec3 p;
} pose;

typedef struct twist {
  vec3 w, v;
} twist;

typedef struct wrench {
  vec3 m, f;
} wrench;

/* Inertia about the frame's origin: mass, first moment h = m c, second moment. */
typedef struct inertia {
  real m;
  vec3 h;
  sym3 J;
} inertia;

static inline pose se3_identity(void) { return (pose){m3_identity(), v3_zero()}; }
/* A B, A^-1 and A^-1 B. */
static inline pose se3_mul(pose A, pose B) { return (pose){m3_prod(A.R, B.R), v3_add(A.p, m3_mul(A.R, B.p))}; }
static inline pose se3_inverse(pose A) { return (pose){m3_transpose(A.R), v3_neg(m3_tmul(A.R, A.p))}; }
static inline pose se3_between(pose A, pose B) { return (pose){m3_tprod(A.R, B.R), m3_tmul(A.R, v3_sub(B.p, A.p))}; }

static inline twist t_add(twist a, twist b) { return (twist){v3_add(a.w, b.w), v3_add(a.v, b.v)}; }
static inline twist t_scale(real s, twist a) { return (twist){v3_scale(s, a.w), v3_scale(s, a.v)}; }
static inline twist t_axpy(real s, twist b, twist a) { return (twist){v3_axpy(s, b.w, a.w), v3_axpy(s, b.v, a.v)}; }
static inline twist t_zero(void) { return (twist){v3_zero(), v3_zero()}; }
/* Ad_T V */
static inline twist t_Ad(pose T, twist V) {
  vec3 w = m3_mul(T.R, V.w);
  return (twist){w, v3_add(cross(T.p, w), m3_mul(T.R, V.v))};
}
/* Ad_{T^-1} V */
static inline twist t_Ad_inverse(pose T, twist V) {
  return (twist){m3_tmul(T.R, V.w), m3_tmul(T.R, v3_sub(V.v, cross(T.p, V.w)))};
}
/* ad_A B = [A, B] */
static inline twist t_ad(twist A, twist B) {
  return (twist){cross(A.w, B.w), v3_add(cross(A.v, B.w), cross(A.w, B.v))};
}

static inline wrench w_add(wrench a, wrench b) { return (wrench){v3_add(a.m, b.m), v3_add(a.f, b.f)}; }
/* Ad*_T F: the wrench given in a, expressed in b, T = T_ab */
static inline wrench w_Ad(pose T, wrench F) {
  return (wrench){m3_tmul(T.R, v3_sub(F.m, cross(T.p, F.f))), m3_tmul(T.R, F.f)};
}
/* Ad*_{T^-1} F: from b to a */
static inline wrench w_Ad_inverse(pose T, wrench F) {
  vec3 f = m3_mul(T.R, F.f);
  return (wrench){v3_add(m3_mul(T.R, F.m), cross(T.p, f)), f};
}
/* ad*_V F = ad_V^T F */
static inline wrench w_ad(twist V, wrench F) {
  return (wrench){v3_add(cross(F.m, V.w), cross(F.f, V.v)), cross(F.f, V.w)};
}
/* F . V */
static inline real power(wrench F, twist V) { return dot(F.m, V.w) + dot(F.f, V.v); }

/* I V, the momentum. */
static inline wrench i_mul(inertia I, twist V) {
  return (wrench){v3_add(s3_mul(I.J, V.w), cross(I.h, V.v)), v3_sub(v3_scale(I.m, V.v), cross(I.h, V.w))};
}
static inline inertia i_add(inertia A, inertia B) { return (inertia){A.m + B.m, v3_add(A.h, B.h), s3_add(A.J, B.J)}; }

/* m (p.p E - p p^T) generalised to two vectors: a.b E - (a b^T + b a^T)/2 */
static inline sym3 s3_steiner(vec3 a, vec3 b) {
  real xx = a.x * b.x, yy = a.y * b.y, zz = a.z * b.z;
  return (sym3){yy + zz,
                xx + zz,
                xx + yy,
                K(-0.5) * (a.x * b.y + a.y * b.x),
                K(-0.5) * (a.x * b.z + a.z * b.x),
                K(-0.5) * (a.y * b.z + a.z * b.y)};
}
/* R J R^T */
static inline sym3 s3_rotate(mat3 R, sym3 J) { return s3_from(m3_prod(R, m3_prod(s3_full(J), m3_transpose(R)))); }

/* The inertia given in frame b, expressed in frame a, T = T_ab: Ad*_{T^-1} I Ad_{T^-1}. Linear in I. */
static inline inertia i_move(pose T, inertia I) {
  vec3 Rh = m3_mul(T.R, I.h);
  inertia o;
  o.m = I.m;
  o.h = v3_axpy(I.m, T.p, Rh);
  /* about a's origin: R J R^T + m(p.p E - p p^T) + 2 (p.Rh E - sym(p Rh^T)) */
  sym3 first = s3_steiner(T.p, v3_axpy(K(2), Rh, v3_scale(I.m, T.p)));
  o.J = s3_add(s3_rotate(T.R, I.J), first);
  return o;
}

/* ---- exponential, logarithm and differentials ---- */

/* exp(X) = (E + A [w] + B [w]^2, (E + B [w] + C [w]^2) v) */
static inline pose se3_exp(twist X) {
  series s = rotation_series(dot(X.w, X.w));
  mat3 W = skew(X.w);
  vec3 wv = cross(X.w, X.v);
  pose T;
  T.R = m3_axpy(s.B, m3_prod(W, W), m3_axpy(s.A, W, m3_identity()));
  T.p = v3_axpy(s.C, cross(X.w, wv), v3_axpy(s.B, wv, X.v));
  return T;
}

/* The twist X with exp(X) = (r, p): w = log r, v = dexp(w)^-1 p. */
static inline twist se3_log_of(quat r, vec3 p) {
  vec3 w = q_log(r);
  return (twist){w, m3_mul(so3_dexp_inverse(w), p)};
}
static inline twist se3_log(pose T) { return se3_log_of(q_from_rotation(T.R), T.p); }

/* dexp of SE(3) = [J 0; Q J]: J of SO(3), and Q its differential in the direction v, because the adjoint
 * representation is that of SO(3) over dual numbers w + eps v (principle of transference):
 *   Q = B [v] + C ([w][v] + [v][w]) + 2 (w.v) (B_t [w] + C_t [w]^2) */
static inline void se3_dexp(twist X, mat3 *J, mat3 *Q) {
  series s = rotation_series(dot(X.w, X.w));
  mat3 W = skew(X.w), U = skew(X.v), WW = m3_prod(W, W);
  mat3 mixed = m3_add(m3_prod(W, U), m3_prod(U, W));
  real wv = K(2) * dot(X.w, X.v);
  *J = m3_axpy(s.C, WW, m3_axpy(s.B, W, m3_identity()));
  *Q = m3_axpy(wv * s.C_t, WW, m3_axpy(wv * s.B_t, W, m3_axpy(s.C, mixed, m3_scale(s.B, U))));
}

/* Its inverse, the same way from E - [w]/2 + D [w]^2. */
static inline void se3_dexp_inverse(twist X, mat3 *J, mat3 *Q) {
  real D, D_t;
  inverse_series(dot(X.w, X.w), &D, &D_t);
  mat3 W = skew(X.w), U = skew(X.v), WW = m3_prod(W, W);
  mat3 mixed = m3_add(m3_prod(W, U), m3_prod(U, W));
  *J = m3_axpy(D, WW, m3_axpy(K(-0.5), W, m3_identity()));
  *Q = m3_axpy(K(2) * dot(X.w, X.v) * D_t, WW, m3_axpy(D, mixed, m3_scale(K(-0.5), U)));
}

/* ---- arrays in and out: a pose is 4x4 row-major, a twist 6 ---- */

static inline pose se3_load(const real *a) { return (pose){m3_load_rows(a, 4), v3(a[3], a[7], a[11])}; }
static inline void se3_store(pose T, real *out) {
  m3_store_rows(T.R, out, 4);
  out[3] = T.p.x;
  out[7] = T.p.y;
  out[11] = T.p.z;
  out[12] = out[13] = out[14] = ZERO;
  out[15] = K(1);
}
static inline twist t_load(const real *a) { return (twist){v3_load(a), v3_load(a + 3)}; }
static inline void t_store(twist V, real *out) {
  v3_store(V.w, out);
  v3_store(V.v, out + 3);
}
static inline wrench w_load(const real *a) { return (wrench){v3_load(a), v3_load(a + 3)}; }
static inline void w_store(wrench F, real *out) {
  v3_store(F.m, out);
  v3_store(F.f, out + 3);
}
/* Ten parameters: m, h, Jxx, Jyy, Jzz, Jxy, Jxz, Jyz. */
static inline inertia i_load(const real *a) {
  return (inertia){a[0], v3_load(a + 1), {a[4], a[5], a[6], a[7], a[8], a[9]}};
}
static inline void i_store(inertia I, real *out) {
  out[0] = I.m;
  v3_store(I.h, out + 1);
  out[4] = I.J.xx;
  out[5] = I.J.yy;
  out[6] = I.J.zz;
  out[7] = I.J.xy;
  out[8] = I.J.xz;
  out[9] = I.J.yz;
}
/* Constants of the model: an inertia, a pose. */
static inline inertia i_constant(const scalar *a) {
  return (inertia){
      splat(a[0]), v3_constant(a + 1), {splat(a[4]), splat(a[5]), splat(a[6]), splat(a[7]), splat(a[8]), splat(a[9])}};
}
static inline pose se3_constant(const scalar R[9], const scalar p[3]) { return (pose){m3_constant(R), v3_constant(p)}; }

#endif
