/* SPDX-License-Identifier: BSD-2-Clause */
/* The number type of a kernel variant. Three flags choose it:
 *   JN_KIND   the scalar: JN_KIND_D double, _F float, _Z double _Complex (complex step), _L long double
 *   JN_LANES  1, or the samples that one `real` holds (GNU vector extension): one robot, LANES states
 *   JN_VARIANT    the variant's name, e.g. d4_avx2: kernel `x` becomes jn__x_d4_avx2 through JN_(x)
 * Rules for code over `real`: constants are K(0.5), zero is ZERO, comparisons give a `mask`, choices on data are
 * choose(mask, a, b). Never `?:`, `if` or `<` on a real. Model constants are of type `scalar` and mix with reals. */
#ifndef JN_LIE_NUMBER_H
#define JN_LIE_NUMBER_H

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#undef I
#ifndef CMPLX /* clang with glibc */
#define CMPLX(x, y) __builtin_complex((double)(x), (double)(y))
#endif

#define JN_KIND_D 0
#define JN_KIND_F 1
#define JN_KIND_Z 2
#define JN_KIND_L 3
#define JN_KINDS 4

#if !defined(JN_KIND)
#define JN_KIND JN_KIND_D
#define JN_LANES 1
#endif

#if JN_KIND == JN_KIND_D
typedef double scalar;
typedef int64_t scalar_bits;
#define JN_TAG d
#define JN_EPSILON DBL_EPSILON
#define JN_CALL1(g, x) g(x)
#elif JN_KIND == JN_KIND_F
typedef float scalar;
typedef int32_t scalar_bits;
#define JN_TAG f
#define JN_EPSILON FLT_EPSILON
#define JN_CALL1(g, x) g##f(x)
#elif JN_KIND == JN_KIND_Z
typedef double _Complex scalar;
#define JN_TAG z
#define JN_EPSILON DBL_EPSILON
#define JN_CALL1(g, x) c##g(x)
#else
typedef long double scalar;
#define JN_TAG l
#define JN_EPSILON LDBL_EPSILON
#define JN_CALL1(g, x) g##l(x)
#endif

#define JN_PASTE2(a, b) a##_##b
#define JN_PASTE(a, b) JN_PASTE2(a, b)
#define JN_(name) JN_PASTE(jn__##name, JN_VARIANT) /* functions of a variant */
#define JN_S(name) JN_PASTE(jn_##name, JN_TAG)     /* types of a scalar  */

#if JN_LANES > 1

typedef scalar real __attribute__((vector_size(JN_LANES * sizeof(scalar))));
typedef scalar_bits mask __attribute__((vector_size(JN_LANES * sizeof(scalar))));
#define ZERO ((real){0})
#define splat(s) ((scalar)(s)-ZERO)
#define LANEWISE(r, expression) \
  real r = ZERO;                \
  for (int lane = 0; lane < JN_LANES; lane++) r[lane] = (expression)

static inline mask less(real a, real b) { return a < b; }
static inline real choose(mask m, real a, real b) { return (real)((m & (mask)a) | (~m & (mask)b)); }
static inline real r_sqrt(real x) {
  LANEWISE(r, JN_CALL1(sqrt, x[lane]));
  return r;
}
static inline real r_sin(real x) {
  LANEWISE(r, JN_CALL1(sin, x[lane]));
  return r;
}
static inline real r_cos(real x) {
  LANEWISE(r, JN_CALL1(cos, x[lane]));
  return r;
}
#if JN_KIND == JN_KIND_F
#define JN_ATAN2(y, x) atan2f(y, x)
#else
#define JN_ATAN2(y, x) atan2(y, x)
#endif
static inline real r_atan2(real y, real x) {
  LANEWISE(r, JN_ATAN2(y[lane], x[lane]));
  return r;
}

#else /* one number */

typedef scalar real;
typedef int mask;
#define ZERO ((real)0)
#define splat(s) ((scalar)(s))

static inline real choose(mask m, real a, real b) { return m ? a : b; }
static inline real r_sqrt(real x) { return JN_CALL1(sqrt, x); }
static inline real r_sin(real x) { return JN_CALL1(sin, x); }
static inline real r_cos(real x) { return JN_CALL1(cos, x); }
#if JN_KIND == JN_KIND_Z
/* Order by the real part: the complex step differentiates the branch that the real computation takes. */
static inline mask less(real a, real b) { return creal(a) < creal(b); }
/* Exact real part and first-order imaginary part, which is all that the complex step uses. */
static inline real r_atan2(real y, real x) {
  double a = creal(x), b = creal(y);
  return CMPLX(atan2(b, a), (a * cimag(y) - b * cimag(x)) / (a * a + b * b));
}
#else
static inline mask less(real a, real b) { return a < b; }
#if JN_KIND == JN_KIND_F
static inline real r_atan2(real y, real x) { return atan2f(y, x); }
#elif JN_KIND == JN_KIND_L
static inline real r_atan2(real y, real x) { return atan2l(y, x); }
#else
static inline real r_atan2(real y, real x) { return atan2(y, x); }
#endif
#endif

#endif

/* Inlined wherever it is called, so that constant arguments are constants inside, and matrices in lanes are not copied.
 * Not under sanitizers, whose code is so long that compiling would take twice the time. */
#ifdef __SANITIZE_ADDRESS__
#define FLAT static inline
#else
#define FLAT static inline __attribute__((always_inline))
#endif

#define K(constant) splat(constant)

/* 1/k in the variant's own scalar type: 1.0L / k would be a slow long double division in every variant. */
static inline real reciprocal(int k) { return splat((scalar)1 / (scalar)k); }
static inline real r_max(real a, real b) { return choose(less(a, b), b, a); }
static inline real r_abs(real a) { return choose(less(a, ZERO), -a, a); }

#endif
