/* SPDX-License-Identifier: BSD-2-Clause */
/* The shortest s(t) within the limits, by an interior method: duration - mu sum log(slack) is made smaller by Newton's
 * steps with Gauss and Newton's matrix of the slacks, for smaller and smaller mu. Every timing on the way keeps all
 * limits at the points that are looked at, and the best is kept. At every point and for every limit the value and its
 * derivatives by s, s', s'', s''' are exact; each depends on four B-splines and on the duration, so all limits of a
 * point go into one 4 x 4 matrix first. */
#include <math.h>
#include <string.h>

#include "retime.h"

enum { POINTS = 4 }; /* in each interval: both ends, where the jerk jumps, and between */

typedef struct problem {
  jn_path *path;
  jn_time_spline *x, *trial;
  int first, count;        /* B-splines that move: first ... first + count - 1; then the duration */
  double scale;            /* of the duration */
  double speed;            /* a typical s' */
  double *H, *gradient, *step; /* [(count + 1)^2], [count + 1] */
} problem;

/* Adds one point's limits: derivatives of the barrier by s ... s''' and their matrix; infinite outside. */
static double add_limits(const jn_path *p, const jn_timing *at, double mu, double gradient[4], double W[4][4]) {
  double sum = 0;
  for (int v = 0; v < p->nv; v++)
    for (int k = JN_LIMITED_VELOCITY; k <= JN_LIMITED_EFFORT_RATE; k++) {
      const jn_range *l = &p->limits[v * JN_LIMITED_QUANTITIES + k];
      int up = isfinite(l->upper), down = isfinite(l->lower);
      if (!up && !down) continue;
      double by[4], f = jn__path_partials(p, at, v, (jn_limited)k, by), over = l->upper - f, under = f - l->lower;
      if ((up && !(over > 0)) || (down && !(under > 0))) return INFINITY;
      double size = fmax(up ? fabs(l->upper) : 0, down ? fabs(l->lower) : 0);
      double pull = (up ? 1 / over : 0) - (down ? 1 / under : 0);
      double stiff = (up ? 1 / (over * over) : 0) + (down ? 1 / (under * under) : 0);
      sum -= mu * ((up ? log(over / size) : 0) + (down ? log(under / size) : 0));
      for (int i = 0; i < 4 && gradient; i++) {
        gradient[i] += mu * pull * by[i];
        for (int j = 0; j < 4; j++) W[i][j] += mu * stiff * by[i] * by[j];
      }
    }
  return sum;
}

/* Spreads what a point says about s ... s''' over its B-splines and the duration. */
static void spread(problem *p, int interval, const double basis[4][4], const jn_timing *at, const double gradient[4],
                   const double W[4][4]) {
  double T = p->x->duration, G[4][5];
  int place[5], n = p->count + 1;
  for (int d = 0; d < 4; d++) {
    double scale = pow(T, -d);
    for (int k = 0; k < 4; k++) G[d][k] = basis[d][k] * scale;
    G[d][4] = -d * at->s[d] / T * p->scale;
  }
  for (int k = 0; k < 4; k++) {
    int i = interval + k - p->first;
    place[k] = i >= 0 && i < p->count ? i : -1;
  }
  place[4] = p->count;
  for (int a = 0; a < 5; a++) {
    if (place[a] < 0) continue;
    double WG[4] = {0};
    for (int d = 0; d < 4; d++) {
      p->gradient[place[a]] += gradient[d] * G[d][a];
      for (int e = 0; e < 4; e++) WG[e] += W[e][d] * G[d][a];
    }
    for (int b = 0; b < 5; b++)
      for (int e = 0; e < 4 && place[b] >= 0; e++) p->H[place[a] * n + place[b]] += WG[e] * G[e][b];
  }
}

/* The function that is made smaller; with `derive`, its gradient and matrix, of p->x. */
static double barrier(problem *p, const jn_time_spline *x, double mu, int derive, jn_status *status) {
  int N = x->intervals, n = p->count + 1;
  double sum = x->duration / p->scale;
  if (derive) {
    memset(p->H, 0, (size_t)(n * n) * sizeof(double));
    memset(p->gradient, 0, (size_t)n * sizeof(double));
    p->gradient[p->count] = 1;
  }
  for (int i = 0; i < N * POINTS && isfinite(sum); i++) {
    int interval = i / POINTS;
    double u = (interval + (double)(i % POINTS) / (POINTS - 1)) / N, basis[4][4], gradient[4] = {0}, W[4][4] = {{0}};
    jn_timing at;
    jn__timing_at(x, interval, u, &at);
    int end = i == 0 || i == N * POINTS - 1;
    *status = jn__path_at(p->path, at.s[0], 1);
    if (*status != JN_OK) return INFINITY;
    if (!end && !(at.s[1] > 0)) return INFINITY;
    sum += add_limits(p->path, &at, mu, derive ? gradient : NULL, W);
    if (!end) { /* forward only */
      sum -= mu * log(at.s[1] / p->speed);
      gradient[1] -= mu / at.s[1];
      W[1][1] += mu / (at.s[1] * at.s[1]);
    }
    if (!derive) continue;
    jn__timing_basis(N, interval, u, basis);
    spread(p, interval, (const double(*)[4])basis, &at, gradient, (const double(*)[4])W);
  }
  return sum;
}

/* step <- -H^-1 gradient, H made positive definite; 0 if that fails. */
static int solve(problem *p) {
  int n = p->count + 1;
  double trace = 0, *H = p->H, *x = p->step;
  for (int i = 0; i < n; i++) trace = fmax(trace, H[i * n + i]);
  for (int i = 0; i < n; i++) H[i * n + i] += 1e-12 * trace + 1e-10 * H[i * n + i];
  for (int j = 0; j < n; j++)
    for (int i = j; i < n; i++) {
      double sum = H[i * n + j];
      for (int k = 0; k < j; k++) sum -= H[i * n + k] * H[j * n + k];
      if (i == j && !(sum > 0)) return 0;
      H[i * n + j] = i == j ? sqrt(sum) : sum / H[j * n + j];
    }
  for (int i = 0; i < n; i++) {
    double sum = -p->gradient[i];
    for (int k = 0; k < i; k++) sum -= H[i * n + k] * x[k];
    x[i] = sum / H[i * n + i];
  }
  for (int i = n - 1; i >= 0; i--) {
    double sum = x[i];
    for (int k = i + 1; k < n; k++) sum -= H[k * n + i] * x[k];
    x[i] = sum / H[i * n + i];
  }
  return 1;
}

/* One step downhill; how much was gained, 0 if nothing. */
static double descend(problem *p, double mu, jn_status *status) {
  double now = barrier(p, p->x, mu, 1, status), slope = 0, length = 1;
  int n = p->count + 1;
  if (*status != JN_OK || !isfinite(now) || !solve(p)) return 0;
  for (int i = 0; i < n; i++) slope += p->gradient[i] * p->step[i];
  for (int tries = 0; tries < 40; tries++, length /= 2) {
    memcpy(p->trial->b, p->x->b, (size_t)(p->x->intervals + 3) * sizeof(double));
    for (int i = 0; i < p->count; i++) p->trial->b[p->first + i] += length * p->step[i];
    p->trial->duration = p->x->duration + length * p->step[p->count] * p->scale;
    if (!(p->trial->duration > 0)) continue;
    double next = barrier(p, p->trial, mu, 0, status);
    if (*status != JN_OK) return 0;
    if (!(next <= now + 0.1 * length * slope)) continue;
    double *b = p->x->b;
    p->x->b = p->trial->b;
    p->trial->b = b;
    p->x->duration = p->trial->duration;
    return now - next;
  }
  return 0;
}

jn_status jn__shortest(jn_path *path, jn_time_spline *spline, const jn_retime_options *o, const jn_allocator *a,
                       const int fixed[2]) {
  int all = spline->intervals + 3, n = all - fixed[0] - fixed[1] + 1;
  size_t doubles = (size_t)n * (size_t)n + 2 * (size_t)n + (size_t)all;
  double *room = jn__allocate(a, doubles * sizeof(double)), *own = spline->b;
  if (!room) return JN_ERR_MEMORY;
  jn_time_spline trial = {spline->intervals, spline->duration, room + n * n + 2 * n};
  problem p = {path, spline, &trial, fixed[0], n - 1, spline->duration, 0, room, room + n * n, room + n * n + n};
  p.speed = (spline->b[all - 1] - spline->b[0]) / spline->duration;
  jn_status status = JN_OK;
  int total = 0;
  for (double mu = 1e-5; mu > 2e-10 && total < o->iterations && status == JN_OK; mu *= 0.35)
    for (int i = 0; i < 12 && total < o->iterations && status == JN_OK; i++, total++) {
      if (o->progress) o->progress((double)total / o->iterations, o->progress_context);
      double gain = descend(&p, mu, &status);
      if (!(gain > 1e-6)) break;
    }
  if (spline->b != own) { /* the coefficients are in the room of the trial */
    memcpy(own, spline->b, (size_t)all * sizeof(double));
    spline->b = own;
  }
  jn__release(a, room);
  return status;
}
