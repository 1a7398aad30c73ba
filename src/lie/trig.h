/* SPDX-License-Identifier: BSD-2-Clause */
/* Sine and cosine of many numbers at once, in vector registers in every variant: for seven numbers libm took 79 ns,
 * this takes 15 ns with AVX2 and 52 ns with SSE2.
 *
 *   k = round(x 2/pi),  r + tail = x - k pi/2         pi/2 in parts of few bits, so that products are exact (Cody,
 * Waite) sin r, cos r                                      minimax polynomials in z = r^2 on [-pi/4, pi/4] bit 0 of k
 * exchanges sine and cosine; bits 1 of k and of k + 1 are their signs
 *
 * The error is within 1.5 rounding units (tests/test_kinematics.c). Numbers with |x| > TRIG_LIMIT, infinities and NaN
 * go to libm. */
#ifndef JN_LIE_TRIG_H
#define JN_LIE_TRIG_H

#include <string.h>

#include "number.h"

#if JN_KIND == JN_KIND_Z || JN_KIND == JN_KIND_L

static inline void trig_store(real x, real *c, real *s) {
  *c = JN_CALL1(cos, x);
  *s = JN_CALL1(sin, x);
}

#else

/* The register type: the variant's own if it has lanes, otherwise one of the instruction set's width. */
#if JN_LANES > 1
enum { PACK = JN_LANES };
#elif defined(__AVX2__)
enum { PACK = 32 / sizeof(scalar) };
#else
enum { PACK = 16 / sizeof(scalar) };
#endif
typedef scalar pack __attribute__((vector_size(PACK * sizeof(scalar))));
typedef scalar_bits pack_bits __attribute__((vector_size(PACK * sizeof(scalar))));
#if JN_KIND == JN_KIND_D
typedef uint64_t scalar_word;
#else
typedef uint32_t scalar_word;
#endif
typedef scalar_word pack_word __attribute__((vector_size(PACK * sizeof(scalar))));

#if JN_KIND == JN_KIND_D
#define TRIG_LIMIT 8e5
/* Adding it leaves the nearest integer in the last bits. */
#define TRIG_ROUND 6755399441055744.0
/* pi/2 in parts of 33 bits: their products with an integer below 2^20 are exact. */
#define TRIG_FIRST(k, x) x - k * 0x1.921fb544p+0 - k * 0x1.0b4611a6p-34
#define TRIG_REST(k) k * 0x1.3198a2e037073p-69

static inline pack trig_sine(pack r, pack tail, pack z) {
  pack p = z * 1.58969099521155010221e-10 - 2.50507602534068634195e-08;
  p = p * z + 2.75573137070700676789e-06;
  p = p * z - 1.98412698298579493134e-04;
  p = p * z + 8.33333333332248946124e-03;
  p = p * z - 1.66666666666666324348e-01;
  return r + (r * (z * p) + tail);
}

static inline pack trig_cosine(pack r, pack tail, pack z) {
  pack p = z * -1.13596475577881948265e-11 + 2.08757232129817482790e-09;
  p = p * z - 2.75573143513906633035e-07;
  p = p * z + 2.48015872894767294178e-05;
  p = p * z - 1.38888888888741095749e-03;
  p = p * z + 4.16666666666666019037e-02;
  pack half = 0.5 * z, w = 1.0 - half;
  return w + (((1.0 - w) - half) + (z * (z * p) - r * tail)); /* what 1 - half lost is added back */
}
#else
#define TRIG_LIMIT 8000.0f
#define TRIG_ROUND 12582912.0f
#define TRIG_FIRST(k, x) x - k * 0x1.92p+0f - k * 0x1.fap-12f - k * 0x1.54p-20f
#define TRIG_REST(k) k * 0x1.10b46p-30f

static inline pack trig_sine(pack r, pack tail, pack z) {
  pack p = z * -1.9515295891e-4f + 8.3321608736e-3f;
  p = p * z - 1.6666654611e-1f;
  return r + (r * (z * p) + tail);
}

static inline pack trig_cosine(pack r, pack tail, pack z) {
  pack p = z * 2.443315711809948e-5f - 1.388731625493765e-3f;
  p = p * z + 4.166664568298827e-2f;
  pack half = 0.5f * z, w = 1.0f - half;
  return w + (((1.0f - w) - half) + (z * (z * p) - r * tail));
}
#endif

/* Cosine and sine; returns the lanes that are too large or NaN. Bit operations need a third of the instructions that
 * choose() and products did. */
static inline pack_bits trig_pack(pack x, pack *c, pack *s) {
  const scalar_word sign = (scalar_word)1 << (8 * sizeof(scalar) - 1);

  /* k and the remainder r + tail. */
  pack shifted = x * (scalar)0.636619772367581343075535053490057448 + (scalar)TRIG_ROUND;
  pack k = shifted - (scalar)TRIG_ROUND, first = TRIG_FIRST(k, x), rest = TRIG_REST(k);
  pack r = first - rest, tail = (first - r) - rest, z = r * r;

  /* Exchange and signs. */
  pack_word n = (pack_word)shifted, up = n << (8 * sizeof(scalar) - 2), next = up + sign / 2;
  pack_word sine = (pack_word)trig_sine(r, tail, z), cosine = (pack_word)trig_cosine(r, tail, z);
  pack_word swapped = (sine ^ cosine) & -(n & 1);
  *s = (pack)(sine ^ swapped ^ (up & sign));
  *c = (pack)(cosine ^ swapped ^ (next & sign));
  return ~((pack)((pack_word)x & ~sign) <= (scalar)TRIG_LIMIT);
}

/* Whether a lane is set. */
static inline int trig_any(pack_bits m) {
#if defined(__AVX2__) && JN_KIND == JN_KIND_D && (JN_LANES == 1 || JN_LANES == 4)
  return __builtin_ia32_movmskpd256((pack)m);
#else
  scalar_bits any = 0;
  for (int i = 0; i < PACK; i++) any |= m[i];
  return any != 0;
#endif
}

/* By libm. Not inlined, because it is hardly ever needed. */
static __attribute__((noinline, cold)) void trig_large(pack x, scalar *c, scalar *s) {
  for (int i = 0; i < PACK; i++) {
    c[i] = JN_CALL1(cos, x[i]);
    s[i] = JN_CALL1(sin, x[i]);
  }
}

/* c[i] = cos x[i], s[i] = sin x[i]. */
static inline void trig_store(pack x, void *c, void *s) {
  pack cosine, sine;
  pack_bits large = trig_pack(x, &cosine, &sine);
  memcpy(c, &cosine, sizeof cosine);
  memcpy(s, &sine, sizeof sine);
  if (__builtin_expect(trig_any(large), 0)) trig_large(x, c, s);
}

#endif

/* The size of an array for n results: whole registers are stored. */
#define TRIG_SIZE(n) ((n) + 7)

#endif
