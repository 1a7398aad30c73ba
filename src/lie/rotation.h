/* SPDX-License-Identifier: BSD-2-Clause */
/* SO(3) over `real`: exponential, logarithm, their differentials, quaternions, roll-pitch-yaw.
 *
 *   exp(w)     = E + A [w] + B [w]^2
 *   dexp(w)    = E + B [w] + C [w]^2            left differential, dR R^T = [dexp dw]; the right one is dexp(-w)
 *   dexp(w)^-1 = E - [w]/2 + D [w]^2
 *
 *   symbol   meaning                                    symbol   meaning
 *   w        rotation vector [rad]                      C        (theta - sin theta)/theta^3
 *   theta    |w|,  t = theta^2                          D        (1 - (theta/2) cot(theta/2))/t
 *   A        sin(theta)/theta                           X_t      dX/dt of the series X
 *   B        (1 - cos theta)/t                          E        identity
 *
 * All series in t change from a Taylor sum to the closed form at t = 1, where both are accurate to rounding. The Taylor
 * sums have enough terms for long double. */
#ifndef JN_LIE_ROTATION_H
#define JN_LIE_ROTATION_H

#include "vector.h"

typedef struct quat {
  real x, y, z, w;
} quat;

typedef struct series {
  real A, B, C, B_t, C_t;
} series;

/* sum_k (-t)^k / (2k+n)!, and its derivative by t, for t <= 1, by Horner's rule. */
static inline void factorial_series(int n, real t, real *value, real *derivative) {
  enum { TERMS = 12 };
  scalar c[TERMS];
  c[0] = 1;
  for (int i = 2; i <= n; i++) c[0] /= (scalar)i;
  for (int k = 1; k < TERMS; k++) c[k] = -c[k - 1] / (scalar)((2 * k + n - 1) * (2 * k + n));
  real v = splat(c[TERMS - 1]), d = ZERO;
  for (int k = TERMS - 2; k >= 0; k--) {
    d = d * t + v;
    v = v * t + splat(c[k]);
  }
  *value = v;
  *derivative = d;
}

/* A, B, C and the derivatives of B and C at t. */
static inline series rotation_series(real t) {
  mask small = less(t, K(1));
  real ts = choose(small, t, K(1)); /* argument of the Taylor sums, harmless where they are not used */
  real tl = choose(small, K(1), t);

  /* Taylor sums for small t. */
  series s, c;
  real unused;
  factorial_series(1, ts, &s.A, &unused);
  factorial_series(2, ts, &s.B, &s.B_t);
  factorial_series(3, ts, &s.C, &s.C_t);

  /* Closed forms for large t. */
  real theta = r_sqrt(tl), half = r_sin(K(0.5) * theta);
  c.A = r_sin(theta) / theta;
  c.B = K(2) * half * half / tl; /* 1 - cos without cancellation */
  c.C = (K(1) - c.A) / tl;
  c.B_t = K(0.5) * (c.A - K(2) * c.B) / tl;
  c.C_t = K(0.5) * (c.B - K(3) * c.C) / tl;
  return (series){choose(small, s.A, c.A), choose(small, s.B, c.B), choose(small, s.C, c.C),
                  choose(small, s.B_t, c.B_t), choose(small, s.C_t, c.C_t)};
}

/* D and its derivative: sum |B_2k| t^(k-1) / (2k)!, Bernoulli numbers, for t <= 1; closed form beyond. */
static inline void inverse_series(real t, real *D, real *D_t) {
  enum { TERMS = 13 };
  static const scalar numerator[TERMS] = {1,      1, 1, 1, 5, 691, 7, 3617, 43867, 174611, 854513, (scalar)236364091.0L,
                                          8553103};
  static const scalar denominator[TERMS] = {6, 30, 42, 30, 66, 2730, 6, 510, 798, 330, 138, 2730, 6};
  scalar c[TERMS], factorial = 1;
  for (int k = 0; k < TERMS; k++) {
    factorial *= (scalar)((2 * k + 1) * (2 * k + 2));
    c[k] = numerator[k] / denominator[k] / factorial;
  }
  mask small = less(t, K(1));
  real ts = choose(small, t, K(1)), tl = choose(small, K(1), t);
  real v = splat(c[TERMS - 1]), d = ZERO;
  for (int k = TERMS - 2; k >= 0; k--) {
    d = d * ts + v;
    v = v * ts + splat(c[k]);
  }
  /* f = (theta/2) cot(theta/2), f_t = (f - f^2)/(2t) - 1/8 */
  real half = K(0.5) * r_sqrt(tl), f = half * r_cos(half) / r_sin(half);
  real large = (K(1) - f) / tl, f_t = K(0.5) * (f - f * f) / tl - K(0.125);
  *D = choose(small, v, large);
  *D_t = choose(small, d, -(f_t + large) / tl);
}

/* E + A [w] + B [w]^2 */
static inline mat3 so3_exp(vec3 w) {
  series s = rotation_series(dot(w, w));
  mat3 W = skew(w);
  return m3_axpy(s.B, m3_prod(W, W), m3_axpy(s.A, W, m3_identity()));
}

/* E + B [w] + C [w]^2 */
static inline mat3 so3_dexp(vec3 w) {
  series s = rotation_series(dot(w, w));
  mat3 W = skew(w);
  return m3_axpy(s.C, m3_prod(W, W), m3_axpy(s.B, W, m3_identity()));
}

/* E - [w]/2 + D [w]^2 */
static inline mat3 so3_dexp_inverse(vec3 w) {
  real D, D_t;
  inverse_series(dot(w, w), &D, &D_t);
  mat3 W = skew(w);
  return m3_axpy(D, m3_prod(W, W), m3_axpy(K(-0.5), W, m3_identity()));
}

/* ---- quaternions, Hamilton product, x y z w ---- */

static inline quat q_load(const real *a) { return (quat){a[0], a[1], a[2], a[3]}; }
static inline void q_store(quat a, real *out) {
  out[0] = a.x;
  out[1] = a.y;
  out[2] = a.z;
  out[3] = a.w;
}
static inline quat q_mul(quat a, quat b) {
  return (quat){a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}
static inline quat q_conjugate(quat a) { return (quat){-a.x, -a.y, -a.z, a.w}; }
static inline quat q_normalize(quat a) {
  real s = K(1) / r_sqrt(a.x * a.x + a.y * a.y + a.z * a.z + a.w * a.w);
  return (quat){s * a.x, s * a.y, s * a.z, s * a.w};
}

/* A rotation for every quaternion except zero: it is normalised, so a drifting norm never deforms the robot. */
static inline mat3 q_rotation(quat a) {
  real s = K(2) / (a.x * a.x + a.y * a.y + a.z * a.z + a.w * a.w);
  real x = s * a.x, y = s * a.y, z = s * a.z;
  real xx = x * a.x, yy = y * a.y, zz = z * a.z, xy = x * a.y, xz = x * a.z, yz = y * a.z;
  real wx = x * a.w, wy = y * a.w, wz = z * a.w;
  return (mat3){v3(K(1) - yy - zz, xy + wz, xz - wy), v3(xy - wz, K(1) - xx - zz, yz + wx),
                v3(xz + wy, yz - wx, K(1) - xx - yy)};
}

/* The quaternion of the rotation vector w: (w sin(theta/2)/theta, cos(theta/2)). */
static inline quat q_exp(vec3 w) {
  /* sin(theta/2)/theta = A(t/4)/2; cos(theta/2) */
  real t = dot(w, w);
  series s = rotation_series(K(0.25) * t);
  real a = K(0.5) * s.A;
  return (quat){a * w.x, a * w.y, a * w.z, K(1) - K(0.25) * t * s.B};
}

/* The shortest rotation vector, |w| <= pi; a and -a give the same. Exact at zero and at pi. */
static inline vec3 q_log(quat a) {
  mask flip = less(a.w, ZERO);
  vec3 v = v3(choose(flip, -a.x, a.x), choose(flip, -a.y, a.y), choose(flip, -a.z, a.z));
  real w = choose(flip, -a.w, a.w);
  real n2 = dot(v, v), tiny = n2 / (w * w);
  mask small = less(n2, K(JN_EPSILON) * w * w);
  real n = r_sqrt(choose(small, K(1), n2));
  /* 2 atan2(n, w)/n; for n/w < sqrt(eps): 2/w (1 - (n/w)^2/3), the next term is below rounding */
  real near = K(2) / choose(small, w, K(1)) * (K(1) - choose(small, tiny, ZERO) * K(1.0L / 3));
  return v3_scale(choose(small, near, K(2) * r_atan2(n, w) / n), v);
}

/* The quaternion of R by Shepperd's method: dividing by the largest of the four components avoids cancellation. */
static inline quat q_from_rotation(mat3 R) {
  real xx = R.x.x, yy = R.y.y, zz = R.z.z;
  real s[4] = {K(1) + xx - yy - zz, K(1) - xx + yy - zz, K(1) - xx - yy + zz, K(1) + xx + yy + zz}; /* 4 x^2 ... */
  real xy = R.x.y + R.y.x, xz = R.x.z + R.z.x, yz = R.y.z + R.z.y;
  real wx = R.y.z - R.z.y, wy = R.z.x - R.x.z, wz = R.x.y - R.y.x;
  quat row[4] = {{s[0], xy, xz, wx}, {xy, s[1], yz, wy}, {xz, yz, s[2], wz}, {wx, wy, wz, s[3]}}; /* 4 q_i q */

  /* The row with the largest diagonal entry. */
  quat best = row[3];
  real most = s[3];
  for (int i = 0; i < 3; i++) {
    mask m = less(most, s[i]);
    most = choose(m, s[i], most);
    best = (quat){choose(m, row[i].x, best.x), choose(m, row[i].y, best.y), choose(m, row[i].z, best.z),
                  choose(m, row[i].w, best.w)};
  }

  /* Unit length and w >= 0. */
  quat q = q_normalize(best);
  mask flip = less(q.w, ZERO);
  return (quat){choose(flip, -q.x, q.x), choose(flip, -q.y, q.y), choose(flip, -q.z, q.z), choose(flip, -q.w, q.w)};
}

/* The shortest rotation vector of R. */
static inline vec3 so3_log(mat3 R) { return q_log(q_from_rotation(R)); }

/* R = Rz(yaw) Ry(pitch) Rx(roll), the convention of URDF. */
static inline mat3 so3_from_rpy(vec3 rpy) {
  real sr = r_sin(rpy.x), cr = r_cos(rpy.x), sp = r_sin(rpy.y), cp = r_cos(rpy.y), sy = r_sin(rpy.z), cy = r_cos(rpy.z);
  return (mat3){v3(cy * cp, sy * cp, -sp), v3(cy * sp * sr - sy * cr, sy * sp * sr + cy * cr, cp * sr),
                v3(cy * sp * cr + sy * sr, sy * sp * cr - cy * sr, cp * cr)};
}

/* pitch in [-pi/2, pi/2]. Yaw is taken first and rotated away, so roll and pitch keep full accuracy at the pole. There
 * only yaw -+ roll is defined, and yaw depends on the rounding of the first column (0 at an exact pole). */
static inline vec3 so3_to_rpy(mat3 R) {
  real yaw = r_atan2(R.x.y, R.x.x), c = r_cos(yaw), s = r_sin(yaw);
  real pitch = r_atan2(-R.x.z, c * R.x.x + s * R.x.y);
  real roll = r_atan2(s * R.z.x - c * R.z.y, c * R.y.y - s * R.y.x);
  return v3(roll, pitch, yaw);
}

#endif
