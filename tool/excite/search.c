/* SPDX-License-Identifier: BSD-2-Clause */
/* The search for a motion with much information: limited-memory BFGS. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "excite.h"

enum { MEMORY = 8 };

static double dot(const double *a, const double *b, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

typedef struct history {
  int n, count;
  double *s, *y; /* [MEMORY x n] changes of z and of the gradient; the latest is at (count - 1) mod MEMORY */
  double rho[MEMORY];
} history;

/* d = - H g, by the two loops of Nocedal. */
static void direction(const history *h, const double *g, double *d) {
  double alpha[MEMORY];
  int have = h->count < MEMORY ? h->count : MEMORY;
  memcpy(d, g, (size_t)h->n * sizeof *d);
  for (int k = 0; k < have; k++) {
    int at = (h->count - 1 - k) % MEMORY;
    const double *s = h->s + at * h->n, *y = h->y + at * h->n;
    alpha[at] = h->rho[at] * dot(s, d, h->n);
    for (int i = 0; i < h->n; i++) d[i] -= alpha[at] * y[i];
  }
  if (have > 0) {
    int at = (h->count - 1) % MEMORY;
    const double *s = h->s + at * h->n, *y = h->y + at * h->n;
    double by = dot(s, y, h->n) / dot(y, y, h->n);
    for (int i = 0; i < h->n; i++) d[i] *= by;
  }
  for (int k = have - 1; k >= 0; k--) {
    int at = (h->count - 1 - k) % MEMORY;
    const double *s = h->s + at * h->n, *y = h->y + at * h->n;
    double beta = h->rho[at] * dot(y, d, h->n);
    for (int i = 0; i < h->n; i++) d[i] += (alpha[at] - beta) * s[i];
  }
  for (int i = 0; i < h->n; i++) d[i] = -d[i];
}

static void remember(history *h, const double *z, const double *g, const double *z1, const double *g1) {
  int at = h->count % MEMORY;
  double *s = h->s + at * h->n, *y = h->y + at * h->n;
  for (int i = 0; i < h->n; i++) s[i] = z1[i] - z[i], y[i] = g1[i] - g[i];
  double sy = dot(s, y, h->n);
  if (!(sy > 1e-12 * sqrt(dot(s, s, h->n) * dot(y, y, h->n)))) return;
  h->rho[at] = 1 / sy;
  h->count++;
}

double excitation_improve(excitation *x, double *z, int steps, void (*progress)(double part)) {
  int n = excitation_count(x);
  size_t bytes = (size_t)n * sizeof(double);
  history h = {.n = n, .s = allocate(MEMORY * bytes), .y = allocate(MEMORY * bytes)};
  double *g = allocate(4 * bytes), *g1 = g + n, *z1 = g1 + n, *d = z1 + n;
  excitation_project(x, z);
  double value = excitation_value(x, z, g);
  for (int k = 0; k < steps && isfinite(value); k++) {
    if (progress) progress((double)k / steps);
    direction(&h, g, d);
    double slope = dot(g, d, n), by = h.count ? 1 : fmin(1, 0.1 / sqrt(dot(g, g, n)));
    if (!(slope < 0)) break;
    double now = INFINITY;
    for (int tries = 0; tries < 20; tries++, by *= 0.4) {
      for (int i = 0; i < n; i++) z1[i] = z[i] + by * d[i];
      now = excitation_value(x, z1, NULL);
      if (now <= value + 1e-4 * by * slope) break;
    }
    if (!(now < value)) break;
    excitation_value(x, z1, g1);
    remember(&h, z, g, z1, g1);
    bool done = value - now < 1e-6 * (1 + fabs(value));
    memcpy(z, z1, bytes);
    memcpy(g, g1, bytes);
    value = now;
    if (done) break;
  }
  free(g);
  free(h.s);
  free(h.y);
  return value;
}
