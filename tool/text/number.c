/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers in files: few digits, and all bits.
 *
 * A double x = m 2^e, 2^52 <= m < 2^53, is read back from the decimal D 10^-k if and only if D 10^-k is nearer to x
 * than to its neighbours x +- 2^e:
 *
 *   |D 10^-k - x| <= 2^(e-1)     <=>     2 |D 2^s - m 5^k| <= 5^k,     s = -(e + k)
 *
 * (equality only if m is even). For n digits, k = n - 1 - floor(log10 x) and D = m 5^k 2^-s, rounded to the nearest,
 * ties to even. With 0 <= k <= 55, 5^k has at most 128 bits and m 5^k at most 181: all of this is exact in integers of
 * 192 bits. That covers 1e-38 <= x < 1e15, nearly all numbers of nearly all files; others are printed and read again by
 * the C library. The digits are the same in both ways. */
#include "number.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_DIGITS = 15, MOST_DIGITS = 17 };

/* Whatever the locale's decimal point is, that of files is a point. */
static void use_point(char *text) {
  size_t whole = strspn(text, "+-0123456789");
  if (text[whole] == 0 || text[whole] == 'e' || text[whole] == '.') return;
  size_t rest = whole + strcspn(text + whole, "0123456789");
  text[whole] = '.';
  memmove(text + whole + 1, text + rest, strlen(text + rest) + 1);
}

/* By the C library. */
static int print_and_read(double value, char text[EXACT_TEXT]) {
  for (int digits = LEAST_DIGITS; digits <= MOST_DIGITS; digits++) {
    snprintf(text, EXACT_TEXT, "%.*g", digits, value);
    if (strtod(text, NULL) == value) break;
  }
  if (isfinite(value)) use_point(text);
  return (int)strlen(text);
}

#ifdef __SIZEOF_INT128__

__extension__ typedef unsigned __int128 wide;

enum { MOST_POWER = 55 }; /* 5^55 < 2^128 */

/* 192 bits: low + 2^64 high. */
typedef struct wider {
  uint64_t low;
  wide high;
} wider;

static wide power_of_five(int k) {
  static const uint64_t small[] = {1, 5, 25, 125, 625, 3125, 15625, 78125};
  wide power = small[k % 8];
  for (int i = 0; i < k / 8; i++) power *= 390625; /* 5^8 */
  return power;
}

static uint64_t power_of_ten(int n) {
  uint64_t power = 1;
  while (n-- > 0) power *= 10;
  return power;
}

static wider multiply(uint64_t m, wide p) {
  wide low = (wide)m * (uint64_t)p, high = (wide)m * (uint64_t)(p >> 64);
  return (wider){(uint64_t)low, high + (low >> 64)};
}

/* x 2^-s, rounded down, 0 < s < 192; it has at most 64 bits. */
static uint64_t shift_down(wider x, int s) {
  if (s < 64) return (uint64_t)(x.high << (64 - s)) | x.low >> s;
  return s == 64 ? (uint64_t)x.high : (uint64_t)(x.high >> (s - 64));
}

/* d 2^s, as far as it fits. */
static wider shift_up(uint64_t d, int s) {
  if (s < 64) return (wider){d << s, s ? (wide)(d >> (64 - s)) : 0};
  return (wider){0, (wide)d << (s - 64)};
}

static int compare(wider a, wider b) {
  if (a.high != b.high) return a.high < b.high ? -1 : 1;
  return a.low == b.low ? 0 : a.low < b.low ? -1 : 1;
}

static wider subtract(wider a, wider b) { return (wider){a.low - b.low, a.high - b.high - (a.low < b.low)}; }

static wider twice(wider a) { return (wider){a.low << 1, a.high << 1 | a.low >> 63}; }

/* Decimal digits of x = m 2^e. */
typedef struct decimal {
  uint64_t digits;     /* `count` of them */
  int count, exponent; /* of ten, of the first digit */
} decimal;

/* x to `count` digits, where 10^exponent <= x < 10^(exponent + 2); false: out of range. *returns: x is read back. */
static bool round_to(uint64_t m, int e, int count, int exponent, decimal *d, bool *returns) {
  int k = count - 1 - exponent, s = -(e + k);
  if (k < 0 || k > MOST_POWER || s < 1 || s > 190) return false;
  wide five = power_of_five(k);
  wider x = multiply(m, five);

  /* One digit too many: x >= 10^(exponent + 1). */
  uint64_t down = shift_down(x, s), limit = power_of_ten(count);
  if (down >= limit) return round_to(m, e, count, exponent + 1, d, returns);

  /* The nearest of down and down + 1, ties to even. */
  wider below = subtract(x, shift_up(down, s)), one = shift_up(1, s), above = subtract(one, below);
  int side = compare(below, above);
  bool up = side > 0 || (side == 0 && down % 2 == 1);
  wider error = up ? above : below;
  *d = (decimal){down + up, count, exponent};
  if (d->digits == limit) *d = (decimal){limit / 10, count, exponent + 1};

  /* 2 |D 2^s - m 5^k| <= 5^k */
  int distance = compare(twice(error), (wider){(uint64_t)five, five >> 64});
  *returns = distance < 0 || (distance == 0 && m % 2 == 0);
  return true;
}

/* As %g: fixed if -4 <= exponent < count, else with an exponent; zeros at the end are left out. */
static int print_decimal(bool negative, decimal d, char *text) {
  int precision = d.count;
  char digits[24];
  while (d.count > 1 && d.digits % 10 == 0) d.digits /= 10, d.count--;
  for (int i = d.count - 1; i >= 0; i--, d.digits /= 10) digits[i] = (char)('0' + d.digits % 10);

  char *p = text;
  if (negative) *p++ = '-';
  if (d.exponent < -4 || d.exponent >= precision) {
    *p++ = digits[0];
    if (d.count > 1) *p++ = '.';
    for (int i = 1; i < d.count; i++) *p++ = digits[i];
    p += snprintf(p, 8, "e%c%02d", d.exponent < 0 ? '-' : '+', abs(d.exponent));
    return (int)(p - text);
  }
  if (d.exponent < 0) {
    *p++ = '0';
    *p++ = '.';
    for (int i = -1; i > d.exponent; i--) *p++ = '0';
  }
  for (int i = 0; i < d.count || i <= d.exponent; i++) {
    if (d.exponent >= 0 && i == d.exponent + 1) *p++ = '.';
    *p++ = i < d.count ? digits[i] : '0';
  }
  *p = 0;
  return (int)(p - text);
}

int exact_number(double value, char text[EXACT_TEXT]) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  int biased = (int)(bits >> 52 & 0x7ff);
  uint64_t fraction = bits & 0xfffffffffffffu, m = fraction | 1ull << 52;

  /* Zero; numbers of which the one below is nearer than the one above; subnormal ones, infinities and NaN. */
  if (value == 0) return snprintf(text, EXACT_TEXT, bits >> 63 ? "-0" : "0");
  if (fraction == 0 || biased == 0 || biased == 0x7ff) return print_and_read(value, text);

  /* 2^(e+52) <= x, so 10^exponent <= x < 10^(exponent + 2). */
  int e = biased - 1075, exponent = (int)floor((e + 52) * 0.30102999566398119521 - 1e-9);
  for (int count = LEAST_DIGITS; count <= MOST_DIGITS; count++) {
    decimal d;
    bool returns;
    if (!round_to(m, e, count, exponent, &d, &returns)) break;
    if (returns || count == MOST_DIGITS) return print_decimal(bits >> 63, d, text);
  }
  return print_and_read(value, text);
}

#else

int exact_number(double value, char text[EXACT_TEXT]) { return print_and_read(value, text); }

#endif

void write_exact(FILE *stream, double value) {
  char text[EXACT_TEXT];
  fwrite(text, 1, (size_t)exact_number(value, text), stream);
}

void write_exact_row(FILE *stream, const double *values, int count) {
  char text[EXACT_TEXT + 1] = ",";
  for (int i = 0; i < count; i++) fwrite(text, 1, 1 + (size_t)exact_number(values[i], text + 1), stream);
}
