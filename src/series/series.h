/* SPDX-License-Identifier: BSD-2-Clause */
/* Arithmetic of truncated Taylor series in double, for everything outside the kernels.
 *
 * A function of time x(t) is given to order K by either of
 *   its jet      x, x', x'', ..., x^(K)     derivatives, as the public functions have them
 *   its series   x_0, x_1, ..., x_K         Taylor coefficients, x_k = x^(k) / k!
 * Products are convolutions of series, (x y)_k = sum_j x_j y_(k-j); of jets, the rule of Leibniz with binomials.
 *
 *   symbol    meaning
 *   terms     how many coefficients there are: K + 1
 *   stride    distance of one coefficient from the next in memory: the number of coordinates, when these stand side by
 *             side in rows, or 1
 *
 * Nothing here allocates. Factorials are exact up to 22!, binomials below 2^53. rotation.c has quaternions. */
#ifndef JN_SERIES_SERIES_H
#define JN_SERIES_SERIES_H

#include <math.h>
#include <stddef.h>

/* ---- numbers ---- */

/* k! */
static inline double jn__factorial(int k) {
  double product = 1;
  for (int j = 2; j <= k; j++) product *= j;
  return product;
}

/* n! / (k! (n - k)!) */
static inline double jn__binomial(int n, int k) {
  double product = 1;
  for (int i = 1; i <= k; i++) product = product * (n - k + i) / i;
  return product;
}

/* ---- jets and series ---- */

/* series [terms] of the jet whose derivative k is jet[k stride]. */
static inline void jn__series_of_jet(int terms, const double *jet, size_t stride, double *series) {
  double factorial = 1;
  for (int k = 0; k < terms; k++) {
    if (k > 1) factorial *= k;
    series[k] = jet[(size_t)k * stride] / factorial;
  }
}

/* The other way: jet[k stride] = k! series[k]. */
static inline void jn__jet_of_series(int terms, const double *series, double *jet, size_t stride) {
  double factorial = 1;
  for (int k = 0; k < terms; k++) {
    if (k > 1) factorial *= k;
    jet[(size_t)k * stride] = series[k] * factorial;
  }
}

/* The same for all columns of rows: series, jet [terms x width]. */
static inline void jn__series_of_rows(int terms, size_t width, const double *jet, double *series) {
  double factorial = 1;
  for (int k = 0; k < terms; k++) {
    if (k > 1) factorial *= k;
    for (size_t i = (size_t)k * width; i < ((size_t)k + 1) * width; i++) series[i] = jet[i] / factorial;
  }
}

/* ---- products, quotients, powers ---- */

/* Coefficient k of x y. */
static inline double jn__series_product(const double *x, const double *y, size_t stride, int k) {
  double sum = 0;
  for (int j = 0; j <= k; j++) sum += x[(size_t)j * stride] * y[(size_t)(k - j) * stride];
  return sum;
}

/* out [terms] += f x y */
static inline void jn__series_add_product(int terms, double f, const double *x, const double *y, double *out) {
  for (int k = 0; k < terms; k++)
    for (int j = 0; j <= k; j++) out[k] += f * x[j] * y[k - j];
}

/* x [terms] = x / y, in place:  y_0 (x/y)_k = x_k - sum_(j>0) y_j (x/y)_(k-j). */
static inline void jn__series_divide(int terms, double *x, const double *y) {
  for (int k = 0; k < terms; k++) {
    for (int j = 1; j <= k; j++) x[k] -= y[j] * x[k - j];
    x[k] /= y[0];
  }
}

/* Coefficient k of w = x^(-1/2) from those of x up to k and of w below:  k x_0 w_k = sum_j (-j/2 - (k - j)) x_j
 * w_(k-j). */
static inline double jn__series_inverse_root(const double *x, const double *w, size_t stride, int k) {
  if (k == 0) return 1 / sqrt(x[0]);
  double sum = 0;
  for (int j = 1; j <= k; j++) sum -= (0.5 * j + (k - j)) * x[(size_t)j * stride] * w[(size_t)(k - j) * stride];
  return sum / (k * x[0]);
}

/* Coefficient k of v / sqrt(v^2 + speed^2), smooth Coulomb friction, from the series v up to k. square and root are
 * memory of the caller for v^2 + speed^2 and its power -1/2: orders below k must be there, order k is set. */
static inline double jn__series_friction(const double *v, double speed, double *square, double *root, size_t stride,
                                         int k) {
  double product = jn__series_product(v, v, stride, k);
  square[(size_t)k * stride] = k ? product : product + speed * speed;
  root[(size_t)k * stride] = jn__series_inverse_root(square, root, stride, k);
  return jn__series_product(v, root, stride, k);
}

/* ---- in time ---- */

/* x [terms] becomes the series of x'; its last coefficient stays as it is. */
static inline void jn__series_differentiate(int terms, double *x) {
  for (int k = 0; k + 1 < terms; k++) x[k] = (k + 1) * x[k + 1];
}

/* sum_(k=first)^(last) x_k h^k, by Horner's rule. */
static inline double jn__series_at(const double *x, size_t stride, int first, int last, double h) {
  double sum = 0;
  for (int k = last; k >= first; k--) sum = sum * h + x[(size_t)k * stride];
  for (int k = 0; k < first; k++) sum *= h;
  return sum;
}

/* The polynomial x [terms], in powers of t, becomes that in powers of t - h: its series at h. */
static inline void jn__series_shift(int terms, double h, double *x) {
  for (int k = 0; k < terms; k++)
    for (int i = terms - 2; i >= k; i--) x[i] += h * x[i + 1];
}

/* ---- rotation.c: quaternions (x, y, z, w) ---- */

/* out += a b */
void jn__quaternion_add_product(const double *a, const double *b, double *out);

/* The quaternion z(t) of a rotation that begins at the identity and has the angular velocity omega in its own axes,
 * z' = z omega / 2:  (k + 1) z_(k+1) = 1/2 sum_j z_j omega_(k-j). z [(terms + 1) x 4]; omega_k at omega + k stride. */
void jn__rotation_series(int terms, const double *omega, size_t stride, double *z);

/* The integral p(t) of the velocity v, which is in the axes that z turns:  (k + 1) p_(k+1) = sum_j R_j v_(k-j), with
 * R x = z x z*. p [(terms + 1) x 3], p_0 = 0; v_k at v + k stride; scratch [terms x 4]. */
void jn__position_series(int terms, const double *z, const double *v, size_t stride, double *scratch, double *p);

/* Of a quaternion s = (u, w) of any length, four series of terms + 1 coefficients that stand `row` apart:
 *   squared = |s|^2,   omega = 2 vec(s* s') / |s|^2 = 2 (w u' - w' u - u x u') / |s|^2
 * the angular velocity in the body's axes. squared [terms], omega: three series `row` apart. scratch [4 x row]. */
void jn__angular_velocity_series(int terms, const double *s, size_t row, double *squared, double *omega,
                                 double *scratch);

/* R^T x = x - (2 w (u x x) - 2 u x (u x x)) / |s|^2 in place: from the axes of the world into those of the body. x:
 * three series `row` apart. scratch [6 x row]. */
void jn__turn_series_into_body(int terms, const double *s, size_t row, const double *squared, double *x,
                               double *scratch);

#endif
