/* SPDX-License-Identifier: BSD-2-Clause */
/* The shortest motion along a path within the limits, as the speed x(u) = u'^2. The duration, the integral of du /
 * sqrt(x), is convex; limits of effort and acceleration are linear in x and x_u; those of jerk and effort rate are x_uu
 * and these times sqrt(x), which is near enough to linear. An interior method: duration - mu sum log(slack) is made
 * smaller by Newton's steps with Gauss and Newton's matrix of the slacks, for smaller and smaller mu. Every speed on
 * the way keeps all limits at the points that are looked at. Values at the points are kept, because the points of the
 * path stay where they are. */
#include <math.h>
#include <string.h>

#include "retime.h"

enum { POINTS = 7 }; /* in each interval, both ends among them */

/* Of one limited coordinate at one point, what the value is made of. */
typedef struct ingredient {
  double a, b, c, d, e, f; /* value = (a + b x + c x_u) + sqrt(x) (d + e x + f x_u + g x_uu), see value_of() */
  double g;
  double lower, upper, size;
} ingredient;

typedef struct problem {
  jn_speed *x, *trial;
  ingredient *list; /* [points][each] */
  int each, n;      /* limits of a point; coefficients */
  double scale;     /* of the duration */
  double *H, *gradient, *step;
} problem;

/* With u' = sqrt(x), u'' = x_u / 2, u''' = sqrt(x) x_uu / 2. */
static int describe(const jn_path *p, int v, int k, ingredient *out) {
  const jn_range *l = &p->limits[v * JN_LIMITED_QUANTITIES + k];
  if (isinf(l->lower) && isinf(l->upper)) return 0;
  size_t n = (size_t)p->nv, i = (size_t)v;
  double q1 = p->q[n + i], q2 = p->q[2 * n + i], q3 = p->q[3 * n + i], m = p->m[i], c = p->c[i];
  if (!out) return 1;
  *out = (ingredient){.lower = l->lower, .upper = l->upper};
  out->size = fmax(isfinite(l->upper) ? fabs(l->upper) : 0, isfinite(l->lower) ? fabs(l->lower) : 0);
  switch (k) {
    case JN_LIMITED_VELOCITY:
      out->d = q1;
      break;
    case JN_LIMITED_ACCELERATION:
      out->b = q2;
      out->c = q1 / 2;
      break;
    case JN_LIMITED_JERK:
      out->e = q3;
      out->f = 1.5 * q2;
      out->g = q1 / 2;
      break;
    case JN_LIMITED_EFFORT:
      out->a = p->g[i] + p->friction[i] * (q1 > 0 ? 1 : q1 < 0 ? -1 : 0);
      out->d = p->damping[i] * q1;
      out->b = c;
      out->c = m / 2;
      break;
    default: /* effort rate */
      out->b = p->damping[i] * q2;
      out->c = p->damping[i] * q1 / 2;
      out->d = p->g[n + i];
      out->e = p->c[n + i];
      out->f = (p->m[n + i] + 2 * c) / 2;
      out->g = m / 2;
  }
  return 1;
}

static double value_of(const ingredient *s, const double y[3], double root, double by[3]) {
  double inner = s->d + s->e * y[0] + s->f * y[1] + s->g * y[2];
  by[0] = s->b + root * s->e + inner / (2 * root);
  by[1] = s->c + root * s->f;
  by[2] = root * s->g;
  return s->a + s->b * y[0] + s->c * y[1] + root * inner;
}

/* The barrier of one point; infinite outside. */
static double add_point(const problem *p, const ingredient *list, const double y[3], double mu, double gradient[3],
                        double W[3][3]) {
  double sum = 0, root = sqrt(y[0]);
  for (int k = 0; k < p->each; k++) {
    const ingredient *s = &list[k];
    int up = isfinite(s->upper), down = isfinite(s->lower);
    double by[3], f = value_of(s, y, root, by), over = s->upper - f, under = f - s->lower;
    if ((up && !(over > 0)) || (down && !(under > 0))) return INFINITY;
    double pull = (up ? 1 / over : 0) - (down ? 1 / under : 0);
    double stiff = (up ? 1 / (over * over) : 0) + (down ? 1 / (under * under) : 0);
    sum -= mu * log((up ? over / s->size : 1) * (down ? under / s->size : 1));
    for (int i = 0; i < 3 && gradient; i++) {
      gradient[i] += mu * pull * by[i];
      for (int j = 0; j < 3; j++) W[i][j] += mu * stiff * by[i] * by[j];
    }
  }
  return sum;
}

/* Duration and its derivatives by x at a point with this weight. */
static double add_time(const problem *p, double x, double weight, double gradient[3], double W[3][3]) {
  double part = weight / (p->scale * sqrt(x));
  if (gradient) {
    gradient[0] -= part / (2 * x);
    W[0][0] += 0.75 * part / (x * x);
  }
  return part;
}

/* The function that is made smaller; with `derive`, its gradient and matrix. Time by the rule of Newton and Cotes. */
static double barrier(problem *p, const jn_speed *x, double mu, int derive) {
  static const double weights[POINTS] = {41 / 840.0, 216 / 840.0, 27 / 840.0, 272 / 840.0,
                                         27 / 840.0, 216 / 840.0, 41 / 840.0};
  int n = p->n;
  double sum = 0, h = x->length / x->intervals;
  if (derive) {
    memset(p->H, 0, (size_t)n * (size_t)n * sizeof(double));
    memset(p->gradient, 0, (size_t)n * sizeof(double));
  }
  for (int i = 0; i < x->intervals * POINTS && isfinite(sum); i++) {
    int interval = i / POINTS;
    double u = h * (interval + (double)(i % POINTS) / (POINTS - 1)), basis[JN_BASIS][JN_BASIS], y[3] = {0},
           gradient[3] = {0}, W[3][3] = {{0}};
    jn__speed_basis(x, interval, u, basis);
    for (int d = 0; d < 3; d++)
      for (int k = 0; k < JN_BASIS; k++) y[d] += basis[d][k] * x->b[interval + k];
    if (!(y[0] > 0)) return INFINITY;
    sum += add_time(p, y[0], h * weights[i % POINTS], derive ? gradient : NULL, W);
    sum += add_point(p, p->list + (size_t)i * (size_t)p->each, y, mu, derive ? gradient : NULL, W);
    for (int a = 0; a < JN_BASIS && derive; a++) {
      for (int d = 0; d < 3; d++) p->gradient[interval + a] += gradient[d] * basis[d][a];
      for (int b = 0; b < JN_BASIS; b++) {
        double entry = 0;
        for (int d = 0; d < 3; d++)
          for (int e = 0; e < 3; e++) entry += basis[d][a] * W[d][e] * basis[e][b];
        p->H[(interval + a) * n + interval + b] += entry;
      }
    }
  }
  return sum;
}

/* step <- -H^-1 gradient; H has three diagonals on each side of its own. */
static int solve(problem *p) {
  int n = p->n;
  double *H = p->H, *x = p->step;
  for (int i = 0; i < n; i++) H[i * n + i] *= 1 + 1e-12;
  for (int j = 0; j < n; j++)
    for (int i = j; i < n && i <= j + JN_TIMING_DEGREE; i++) {
      double sum = H[i * n + j];
      for (int k = i > JN_TIMING_DEGREE ? i - JN_TIMING_DEGREE : 0; k < j; k++) sum -= H[i * n + k] * H[j * n + k];
      if (i == j && !(sum > 0)) return 0;
      H[i * n + j] = i == j ? sqrt(sum) : sum / H[j * n + j];
    }
  for (int i = 0; i < n; i++) {
    double sum = -p->gradient[i];
    for (int k = i > JN_TIMING_DEGREE ? i - JN_TIMING_DEGREE : 0; k < i; k++) sum -= H[i * n + k] * x[k];
    x[i] = sum / H[i * n + i];
  }
  for (int i = n - 1; i >= 0; i--) {
    double sum = x[i];
    for (int k = i + 1; k < n && k <= i + JN_TIMING_DEGREE; k++) sum -= H[k * n + i] * x[k];
    x[i] = sum / H[i * n + i];
  }
  return 1;
}

/* One step downhill; how much was gained, 0 if nothing. */
static double descend(problem *p, double mu) {
  double now = barrier(p, p->x, mu, 1), slope = 0, length = 1;
  if (!isfinite(now) || !solve(p)) return 0;
  for (int i = 0; i < p->n; i++) slope += p->gradient[i] * p->step[i];
  for (int tries = 0; tries < 50; tries++, length /= 2) {
    for (int i = 0; i < p->n; i++) p->trial->b[i] = p->x->b[i] + length * p->step[i];
    double next = barrier(p, p->trial, mu, 0);
    if (!(next <= now + 0.1 * length * slope)) continue;
    memcpy(p->x->b, p->trial->b, (size_t)p->n * sizeof(double));
    return now - next;
  }
  return 0;
}

static jn_status describe_path(problem *p, jn_path *path) {
  int points = p->x->intervals * POINTS;
  double h = path->length / p->x->intervals;
  for (int i = 0; i < points; i++) {
    jn_status status = jn__path_at(path, h * (i / POINTS + (double)(i % POINTS) / (POINTS - 1)), 1);
    if (status != JN_OK) return status;
    ingredient *to = p->list + (size_t)i * (size_t)p->each;
    for (int v = 0; v < path->nv; v++)
      for (int k = JN_LIMITED_VELOCITY; k <= JN_LIMITED_EFFORT_RATE; k++) to += describe(path, v, k, to);
  }
  return JN_OK;
}

jn_status jn__shortest(jn_path *path, jn_speed *speed, const jn_retime_options *o, const jn_allocator *a) {
  int n = speed->intervals + JN_TIMING_DEGREE;
  size_t points = (size_t)speed->intervals * POINTS;
  problem p = {.x = speed, .n = n, .scale = jn__speed_times(speed)};
  for (int v = 0; v < path->nv; v++)
    for (int k = JN_LIMITED_VELOCITY; k <= JN_LIMITED_EFFORT_RATE; k++) p.each += describe(path, v, k, NULL);
  p.list = jn__allocate(a, (points * (size_t)p.each + 2) * sizeof *p.list);
  p.H = jn__allocate(a, ((size_t)n * (size_t)n + 3 * (size_t)n) * sizeof(double));
  jn_speed trial = *speed;
  jn_status status = p.list && p.H ? JN_OK : JN_ERR_MEMORY;
  if (status == JN_OK) {
    p.gradient = p.H + n * n;
    p.step = p.gradient + n;
    trial.b = p.step + n;
    p.trial = &trial;
    status = describe_path(&p, path);
  }
  int total = 0;
  for (double mu = 1e-3; mu > 1e-10 && total < o->iterations && status == JN_OK && p.each > 0; mu *= 0.3)
    for (int i = 0; i < 30 && total < o->iterations; i++, total++) {
      if (o->progress) o->progress((double)total / o->iterations, o->progress_context);
      if (!(descend(&p, mu) > 1e-2 * mu)) break;
    }
  jn__release(a, p.list);
  jn__release(a, p.H);
  return status;
}
