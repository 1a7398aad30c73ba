/* SPDX-License-Identifier: BSD-2-Clause */
/* Spectral tests of residuals. The power of noise, white or filtered, changes slowly with frequency, and mostly falls.
 * A tone has all its power at one frequency, and the power of a motion with many frequencies ends at the highest of
 * them. The spectrum is computed in Hann windows of two lengths: short ones find what lasts only a short time, and the
 * mean over all windows finds weak tones. Before that, the correlation of neighbours is removed, e_i = r_i - c r_(i-1),
 * which makes filtered noise flat and keeps tones.
 *
 * For noise, the power at a frequency has an exponential distribution, and the mean over n windows a gamma
 * distribution. The bounds below are far out in the tails of these. tests/test_smoothing.c counts how often noise
 * exceeds them. */
#include "noise.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum {
  LEAST = 32,    /* residuals, the fewest that can be classified */
  SHORT = 256,   /* windows */
  LONG = 4096,   /*   powers of two */
  BESIDE = 16,   /* frequencies on either side that a line is compared with */
  BANDS = 8,     /* for the slope of the spectrum */
  SOME = 1024,   /* for a median */
  MANY = 1 << 16 /* residuals from which on windows need not overlap */
};

static const double strong = 40;     /* power of a line in one window, in units of the mean about it */
static const double rising = 8;      /* power of a band, in units of one of lower frequency */
static const double ending = 1e5;    /* power of the strongest band, in units of the weakest */
static const double far_off = 10;    /* largest residual / root mean square */
static const double unlikely = 5;    /* ... that is perhaps no noise */
static const double sudden = 12;     /* largest change between neighbours / usual one */
static const double alike = 0.98;    /* correlation of neighbours: as of a motion */
static const double similar = 0.5;   /* ... that noise may have, but not if it is */
static const double rounded = 1.05;  /* residuals up to this part of an encoder's step are its rounding */
static const double much = 0.03;     /* above this part of the range ... */
static const double absolute = 1e-3; /* ... and above this [rad, m] */
static const double pi = 3.14159265358979323846;

/* ---- Steps of encoders and decimals ---- */

double jn__find_step(const double *x, int count) {
  double step = INFINITY, largest = 0;
  for (int i = 1; i < count; i++) {
    double d = fabs(x[i] - x[i - 1]);
    largest = fmax(largest, fabs(x[i]));
    if (d > 0 && d < step) step = d;
  }
  if (!(step < INFINITY) || step < 64 * DBL_EPSILON * largest) return 0;
  double weighted = 0, squares = 0;
  int differences = 0, others = 0;
  for (double most = 4; most < 1e4; most *= 8) { /* small multiples make the step exact enough for larger ones */
    for (int i = 1; i < count; i++) {
      double d = fabs(x[i] - x[i - 1]), k = round(d / step);
      if (k < 1 || k > most) continue;
      if (fabs(d / step - k) < 0.1) weighted += d * k, squares += k * k;
    }
    if (squares > 0) step = weighted / squares;
  }
  for (int i = 1; i < count; i++) {
    double k = fabs(x[i] - x[i - 1]) / step;
    if (k < 0.5) continue;
    differences++;
    others += fabs(k - round(k)) > 0.1;
  }
  return 20 * others <= differences ? step : 0;
}

/* ---- Spectrum ---- */

typedef struct spectrum {
  int size;       /* of the windows */
  int from, last; /* frequencies that are examined */
  int windows;
  double *re, *im; /* [size] */
  double *turn;    /* [size] cos and sin of 2 pi k / size for k < size / 2 */
  double *window;  /* [size] */
  double *power;   /* [2][size / 2] of two windows */
  double *mean;    /* [size / 2] */
  double worst;    /* power of the strongest line in one window, in units of its neighbours */
  double line, at; /* its amplitude and frequency [cycles per sample] */
} spectrum;

/* In place, decimation in time. */
static void transform(spectrum *s) {
  int n = s->size;
  for (int i = 1, j = 0; i < n; i++) {
    int bit = n / 2;
    for (; j & bit; bit /= 2) j ^= bit;
    j ^= bit;
    if (i >= j) continue;
    double re = s->re[i], im = s->im[i];
    s->re[i] = s->re[j], s->im[i] = s->im[j];
    s->re[j] = re, s->im[j] = im;
  }
  for (int half = 1; half < n; half *= 2)
    for (int k = 0; k < half; k++) {
      double c = s->turn[2 * (k * (n / 2 / half))], d = -s->turn[2 * (k * (n / 2 / half)) + 1];
      for (int i = k; i < n; i += 2 * half) {
        double re = c * s->re[i + half] - d * s->im[i + half], im = c * s->im[i + half] + d * s->re[i + half];
        s->re[i + half] = s->re[i] - re, s->im[i + half] = s->im[i] - im;
        s->re[i] += re, s->im[i] += im;
      }
    }
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Mean power of the frequencies around k, estimated from their median, so that a line among them has little influence.
 * Infinite if there are too few, or if it is `enough` or more. */
static double beside(const spectrum *s, const double *power, int k, double enough) {
  double near[2 * BESIDE];
  int count = 0, last = s->last, low = k - BESIDE - 2, high = k + BESIDE + 2;
  if (low < s->from) high += s->from - low, low = s->from;
  if (high > last) low -= high - last, high = last;
  for (int i = low > s->from ? low : s->from; i <= high; i++)
    if (abs(i - k) > 2 && count < 2 * BESIDE) near[count++] = power[i];
  int above = 0;
  for (int i = 0; i < count; i++) above += near[i] >= enough * log(2);
  if (count < BESIDE || 2 * above > count) return INFINITY; /* most often: nothing to sort */
  qsort(near, (size_t)count, sizeof *near, compare);
  return near[count / 2] / log(2);
}

/* The strongest line of a spectrum that is the mean over `windows`: power over neighbours, with room for chance. */
static void find_line(spectrum *s, const double *power, int windows) {
  double alone = strong * (1 + 64.0 / s->size); /* in short windows neighbours are far away, and noise may slope */
  double bound = windows == 1 ? alone : 1 + 8 / sqrt(windows) + alone / windows, most = 0;
  int at = 0;
  for (int k = s->from; k <= s->last; k++)
    if (power[k] > most) most = power[k], at = k;
  /* the highest one and, where the spectrum is not flat, any other */
  for (int k = s->from; k <= s->last; k++) {
    if (k != at && (power[k] < power[k - 1] || power[k] < power[k + 1] || power[k] * strong < most)) continue;
    double about = beside(s, power, k, power[k] / bound), ratio = power[k] / about / bound;
    if (!(about < INFINITY) || !(ratio > s->worst)) continue;
    s->worst = ratio;
    s->at = (double)k / s->size;
    /* a tone of amplitude A has the power A^2 (sum w)^2 / 4 at its frequency, and (sum w)^2 = size^2 / 4 */
    s->line = sqrt(16 * fmax(0, power[k] - about)) / s->size;
  }
}

/* Two windows at once, as real and imaginary part. */
static void add_windows(spectrum *s, const double *e, int first, int second) {
  int n = s->size;
  for (int i = 0; i < n; i++) {
    s->re[i] = e[first + i] * s->window[i];
    s->im[i] = second >= 0 ? e[second + i] * s->window[i] : 0;
  }
  transform(s);
  for (int k = 1; k < n / 2; k++) {
    double ar = s->re[k] + s->re[n - k], ai = s->im[k] - s->im[n - k];
    double br = s->im[k] + s->im[n - k], bi = s->re[n - k] - s->re[k];
    s->power[k] = (ar * ar + ai * ai) / 4;
    s->power[n / 2 + k] = (br * br + bi * bi) / 4;
  }
  for (int w = 0; w < (second >= 0 ? 2 : 1); w++) {
    const double *power = s->power + w * (n / 2);
    for (int k = 1; k < n / 2; k++) s->mean[k] += power[k];
    find_line(s, power, 1);
    s->windows++;
  }
}

/* Windows over all residuals; the last one ends with them. 0 if out of memory. */
static int find_spectrum(const jn_allocator *a, const double *e, int count, int size, double low, double high,
                         spectrum *s) {
  size_t n = (size_t)size;
  double *room = jn__allocate(a, (5 * n + n / 2) * sizeof *room);
  *s = (spectrum){.size = size, .re = room};
  if (!room) return 0;
  s->im = room + n;
  s->turn = room + 2 * n;
  s->window = room + 3 * n;
  s->power = room + 4 * n;
  s->mean = room + 5 * n;
  for (int i = 0; i < size; i++) s->window[i] = 0.5 - 0.5 * cos(2 * pi * (i + 0.5) / size);
  for (int k = 0; k < size / 2; k++)
    s->turn[2 * k] = cos(2 * pi * k / size), s->turn[2 * k + 1] = sin(2 * pi * k / size);
  s->from = (int)ceil(low * size) + 2;
  s->last = (int)ceil(high * size);
  if (s->last > size / 2 - 2) s->last = size / 2 - 2;
  int hop = count > MANY ? size : size / 2, windows = 1 + (count - size + hop - 1) / hop;
  for (int w = 0; w < windows; w += 2) {
    int first = w * hop, second = (w + 1) * hop;
    if (first > count - size) first = count - size;
    if (second > count - size) second = count - size;
    add_windows(s, e, first, w + 1 < windows ? second : -1);
  }
  for (int k = 1; k < size / 2; k++) s->mean[k] /= s->windows;
  find_line(s, s->mean, s->windows);
  return 1;
}

/* Mean power of the bands above the cutoff; how many there are. */
static int find_bands(const spectrum *s, double *bands) {
  int from = s->from + s->from / 4, last = s->last, count = (last - from) / 8;
  if (count > BANDS) count = BANDS;
  for (int b = 0; b < count; b++) {
    int low = from + (last - from) * b / count, high = from + (last - from) * (b + 1) / count;
    bands[b] = 0;
    for (int k = low; k < high; k++) bands[b] += s->mean[k] / (high - low);
  }
  return count;
}

/* Does the power rise with the frequency, or fall by more than noise does? `colour` is the power that was divided by.
 */
static int is_band(const spectrum *s, double correlation) {
  double bands[BANDS], strongest = 0, weakest = INFINITY, lowest = INFINITY;
  int count = find_bands(s, bands), rises = 0, from = s->from + s->from / 4, last = s->last;
  for (int b = 0; b < count; b++) {
    double middle = pi * (2 * from + (last - from) * (2 * b + 1) / count) / s->size;
    double own = bands[b] / (1 + correlation * correlation - 2 * correlation * cos(middle));
    rises |= bands[b] > rising * lowest;
    lowest = fmin(lowest, bands[b]);
    strongest = fmax(strongest, own);
    weakest = fmin(weakest, own);
  }
  return count > 1 && (rises || strongest > ending * weakest);
}

/* ---- Together ---- */

static double range_of(const double *x, int count) {
  double low = x[0], high = x[0];
  for (int i = 1; i < count; i++) low = fmin(low, x[i]), high = fmax(high, x[i]);
  return high - low;
}

/* Root mean square, largest one; the correlation of neighbours. */
static double measure(const double *r, int count, jn_residue *out) {
  double squares = 0, product = 0;
  for (int i = 0; i < count; i++) {
    squares += r[i] * r[i];
    if (i) product += r[i] * r[i - 1];
    if (fabs(r[i]) <= out->largest) continue;
    out->largest = fabs(r[i]);
    out->at = i;
  }
  out->rms = sqrt(squares / count);
  return squares > 0 ? product / squares : 0;
}

/* Is one of the changes e far larger than the usual ones? Their usual size is the median of some of them: large ones do
 * not move it. */
static int is_sudden(const double *e, int count) {
  double some[SOME], largest = 0;
  int stride = (count + SOME - 1) / SOME, n = 0;
  for (int i = 0; i < count; i++) {
    largest = fmax(largest, fabs(e[i]));
    if (i % stride == 0) some[n++] = fabs(e[i]);
  }
  qsort(some, (size_t)n, sizeof *some, compare);
  double usual = some[n / 2] / 0.6745; /* the standard deviation, if they are normal */
  return usual > 0 && largest > sudden * usual;
}

static int judge_spectrum(const jn_allocator *a, const double *e, int count, int size, double low, double high,
                          double correlation, jn_residue *out) {
  spectrum s;
  if (!find_spectrum(a, e, count, size, low, high, &s)) return 0;
  double c = correlation, gain = sqrt(1 + c * c - 2 * c * cos(2 * pi * s.at));
  if (s.worst > 1 && s.line / gain > out->amplitude) {
    out->kind = JN_RESIDUE_LINE;
    out->amplitude = s.line / gain;
    out->period = 1 / s.at;
  }
  if (out->kind == JN_RESIDUE_NOISE && is_band(&s, correlation)) out->kind = JN_RESIDUE_BAND;
  jn__release(a, s.re);
  return 1;
}

int jn__judge_residue(const jn_allocator *a, const double *r, const double *x, int count, double low, double high,
                      jn_residue *out) {
  *out = (jn_residue){.kind = JN_RESIDUE_NOISE};
  double neighbours = measure(r, count, out), range = range_of(x, count);
  /* what the mean spectrum finds, and the same again for the chance that noise weakens the tone */
  out->hidden = 14 * out->rms / sqrt(count);
  if (out->largest > unlikely * out->rms) out->hidden = out->largest; /* a short motion */
  double size = 0;
  for (int i = 0; i < count; i++) size = fmax(size, fabs(x[i]));
  if (out->largest <= 1e-12 * size) { /* rounding */
    out->hidden = 0;
    return 1;
  }
  if (count < LEAST) {
    out->kind = JN_RESIDUE_SHORT;
    return 1;
  }
  double *e = jn__allocate(a, (size_t)count * sizeof *e);
  if (!e) return 0;
  double correlation = fmax(-0.98, fmin(0.98, neighbours));
  e[0] = 0;
  for (int i = 1; i < count; i++) e[i] = r[i] - correlation * r[i - 1];
  int fine, brief = SHORT, lasting = LONG;
  while (brief > count) brief /= 2;
  while (lasting > count) lasting /= 2;
  fine = judge_spectrum(a, e, count, brief, low, high, correlation, out);
  if (fine && lasting > brief) fine = judge_spectrum(a, e, count, lasting, low, high, correlation, out);
  if (out->largest > far_off * out->rms || is_sudden(e, count)) out->kind = JN_RESIDUE_JUMP;
  jn__release(a, e);
  int large = out->rms > absolute && out->rms > much * range;
  if (out->kind == JN_RESIDUE_NOISE && (neighbours > alike || (neighbours > similar && large)))
    out->kind = JN_RESIDUE_SMOOTH;
  if (out->largest <= rounded * jn__find_step(x, count)) out->kind = JN_RESIDUE_NOISE;
  return fine;
}
