/* SPDX-License-Identifier: BSD-2-Clause */
/* The shortest motion along a path within the limits, as the speed x(u) = u'^2.
 *
 *   minimise  integral of du / sqrt(x)     convex in x
 *   limits    effort, acceleration         linear in x and x_u
 *             jerk, effort rate            sqrt(x) times linear in x, x_u, x_uu
 *             motors behind springs        quadratic, to x_uuuu
 *
 * An interior method: duration - mu sum log(slack) is minimised by Newton's steps with the Gauss-Newton matrix of the
 * slacks, for smaller and smaller mu. Every speed on the way keeps all limits at the points of the path. What the
 * limits are made of at the points is kept, because the points stay where they are.
 *
 *   symbol    meaning                                                      size
 *   y         x, x_u, x_uu, x_uuu, x_uuuu at a point                       [VARIABLES]
 *   x->b      coefficients of the spline x(u): the unknowns                [n]
 *   H         symmetric band matrix, gradient, step                        [n x WIDTH], [n], [n]
 *   each      limits of a point; the last `nonlinear` of them quadratic    - */
#include <math.h>
#include <string.h>

#include "../model/stop.h"
#include "retime.h"

enum {
  POINTS = 7, /* in each panel, both ends among them */
  PANELS = 4, /* of the first and of the last interval, where speeds change most; one of the others */
  VARIABLES = 5,
  FACTORS = 3,
  WIDTH = JN_BASIS
}; /* x ... x_uuuu; x, x_u, x_uu; of a row of the matrix */

/* Quadratic in y = x, x_u, ...: constant + by y + sum_a y_a square[a] y. */
typedef struct quadratic {
  double constant, by[VARIABLES];
} quadratic;
typedef struct squares {
  double of[2][FACTORS][VARIABLES];
} squares;

/* One limited quantity at one point: value = part[0] + sqrt(x) part[1]. */
typedef struct limit_terms {
  quadratic part[2];
  double lower, upper, size;
} limit_terms;

typedef struct problem {
  jn_speed *x, *trial;
  double (*basis)[JN_BASIS][JN_BASIS]; /* [points] */
  limit_terms *list;                   /* [points][each] */
  squares *curved;                     /* [points][nonlinear], of the last limits of each point */
  int each, nonlinear;                 /* limits of a point, and those with squares */
  int n, used;                         /* coefficients; variables of y that occur */
  int fixed[2];                        /* the first and the last coefficient stay */
  double scale;                        /* of the duration */
  double *H, *gradient, *step;
} problem;

/* part += weight y_a (the derivative k by u of a coordinate or its force); a = -1: without y_a. */
static void add_part(const jn_path *p, int v, const jn_limited_term *t, int k, double weight, int part, int a,
                     limit_terms *to, squares *square) {
  double by[JN_BASIS] = {0}, constant = t->of_force ? jn__force_row(p, v, k, by) : p->q[k * p->nv + v];
  quadratic *f = &to->part[part];
  weight *= t->weight;

  if (a < 0)
    f->constant += weight * constant;
  else
    f->by[a] += weight * constant;
  for (int i = 0; i < VARIABLES; i++) {
    if (a < 0)
      f->by[i] += weight * by[i];
    else if (square)
      square->of[part][a][i] += weight * by[i];
  }
}

/* One term, as in path.c, of a derivative in time. Of order 4 are slopes of jerks only. */
static void add_term(const jn_path *p, int v, const jn_limited_term *t, limit_terms *out, squares *square) {
  switch (t->order) {
    case 0:
      add_part(p, v, t, 0, 1, 0, -1, out, square);
      break;
    case 1:
      add_part(p, v, t, 1, 1, 1, -1, out, square);
      break;
    case 2:
      add_part(p, v, t, 2, 1, 0, 0, out, square);
      add_part(p, v, t, 1, 0.5, 0, 1, out, square);
      break;
    case 3:
      add_part(p, v, t, 3, 1, 1, 0, out, square);
      add_part(p, v, t, 2, 1.5, 1, 1, out, square);
      add_part(p, v, t, 1, 0.5, 1, 2, out, square);
      break;
    default: {
      const double *q = p->q + v;
      int n = p->nv;
      square->of[0][0][0] += t->weight * q[4 * n];
      square->of[0][0][1] += t->weight * 3 * q[3 * n];
      square->of[0][0][2] += t->weight * 2 * q[2 * n];
      square->of[0][0][3] += t->weight * 0.5 * q[n];
      square->of[0][1][1] += t->weight * 0.75 * q[2 * n];
      square->of[0][1][2] += t->weight * 0.25 * q[n];
    }
  }
}

static int is_zero(const limit_terms *s, const squares *square) {
  const double *p = (const double *)s->part, *q = (const double *)square;
  for (size_t i = 0; i < sizeof s->part / (sizeof *p); i++)
    if (p[i] != 0) return 0;
  for (size_t i = 0; q && i < sizeof *square / sizeof *q; i++)
    if (q[i] != 0) return 0;
  return 1;
}

/* slope: 1 for the time derivative of the quantity. */
static void set_limit_terms(const jn_path *p, int v, int k, int slope, limit_terms *out, squares *square) {
  const jn_range *l = &p->limits[v * JN_LIMITED_QUANTITIES + k];
  jn_limited_term terms[JN_PATH_TERMS];
  *out = (limit_terms){.lower = l->lower, .upper = l->upper};
  if (square) *square = (squares){{{{0}}}};
  out->size = fmax(isfinite(l->upper) ? fabs(l->upper) : 0, isfinite(l->lower) ? fabs(l->lower) : 0);
  int count = jn__limited_terms(p, v, (jn_limited)k, terms, &out->part[0].constant);
  if (slope) out->part[0].constant = 0;
  for (int j = 0; j < count; j++) {
    terms[j].order += slope;
    if (terms[j].weight != 0) add_term(p, v, &terms[j], out, square);
  }
  if (is_zero(out, square)) out->lower = -INFINITY, out->upper = INFINITY; /* whatever the speed: also a limit of 0 */
}

/* A part and its derivatives by y. */
static double part_of(const problem *p, const quadratic *f, const double of[FACTORS][VARIABLES], const double *y,
                      double *by) {
  double sum = f->constant;
  for (int i = 0; i < p->used; i++) {
    by[i] = f->by[i];
    sum += f->by[i] * y[i];
  }
  for (int a = 0; a < FACTORS && of; a++) {
    double inner = 0;
    for (int i = 0; i < VARIABLES; i++) {
      inner += of[a][i] * y[i];
      by[i] += y[a] * of[a][i];
    }
    by[a] += inner;
    sum += y[a] * inner;
  }
  return sum;
}

static double value_of(const problem *p, const limit_terms *s, const squares *square, const double *y, double root,
                       double by[VARIABLES]) {
  double moving[VARIABLES], first = part_of(p, &s->part[0], square ? square->of[0] : NULL, y, by),
                            second = part_of(p, &s->part[1], square ? square->of[1] : NULL, y, moving);

  /* Derivatives of part[0] + sqrt(x) part[1]. */
  for (int i = 0; i < p->used; i++) by[i] += root * moving[i];
  by[0] += second / (2 * root);
  return first + root * second;
}

/* The barrier of one point; infinite outside. */
static double add_point(const problem *p, int point, const double *y, double mu, double *gradient,
                        double W[VARIABLES][VARIABLES]) {
  const limit_terms *list = p->list + (size_t)point * (size_t)p->each;
  const squares *curved = p->curved ? p->curved + (size_t)point * (size_t)p->nonlinear : NULL;
  double sum = 0, product = 1, root = sqrt(y[0]); /* the logarithm of a product takes the time of one */
  int plain = p->each - p->nonlinear;

  for (int k = 0; k < p->each; k++) {
    const limit_terms *s = &list[k];
    int up = isfinite(s->upper), down = isfinite(s->lower);
    double by[VARIABLES], f = value_of(p, s, k < plain ? NULL : &curved[k - plain], y, root, by);
    double over = s->upper - f, under = f - s->lower;
    if ((up && !(over > 0)) || (down && !(under > 0))) return INFINITY;

    /* Gradient and Gauss-Newton matrix of -mu log(slack). */
    double pull = (up ? 1 / over : 0) - (down ? 1 / under : 0);
    double stiff = (up ? 1 / (over * over) : 0) + (down ? 1 / (under * under) : 0);

    /* The logarithm is taken of the product of all slacks. */
    product *= (up ? over / s->size : 1) * (down ? under / s->size : 1);
    if (product < 1e-100 || product > 1e100) {
      sum -= mu * log(product);
      product = 1;
    }
    for (int i = 0; i < p->used && gradient; i++) {
      gradient[i] += mu * pull * by[i];
      for (int j = 0; j < p->used; j++) W[i][j] += mu * stiff * by[i] * by[j];
    }
  }
  return sum - mu * log(product);
}

/* Duration and its derivatives by x at a point with this weight. */
static double add_time(const problem *p, double x, double weight, double *gradient, double W[VARIABLES][VARIABLES]) {
  double part = weight / (p->scale * sqrt(x));
  if (gradient) {
    gradient[0] -= part / (2 * x);
    W[0][0] += 0.75 * part / (x * x);
  }
  return part;
}

/* Row i of the symmetric matrix H holds columns i - 5 ... i. */
static double *entry(const problem *p, int i, int j) { return &p->H[i * WIDTH + j - i + WIDTH - 1]; }

static void add_derivatives(problem *p, int interval, double basis[JN_BASIS][JN_BASIS], const double *gradient,
                            double W[VARIABLES][VARIABLES]) {
  for (int a = 0; a < JN_BASIS; a++) {
    double row[VARIABLES] = {0};
    for (int d = 0; d < p->used; d++) {
      p->gradient[interval + a] += gradient[d] * basis[d][a];
      for (int e = 0; e < p->used; e++) row[e] += basis[d][a] * W[d][e];
    }
    for (int b = 0; b <= a; b++) {
      double sum = 0;
      for (int e = 0; e < p->used; e++) sum += row[e] * basis[e][b];
      *entry(p, interval + a, interval + b) += sum;
    }
  }
}

/* Panels in all. */
static int panel_count(const jn_speed *x) { return x->intervals + 2 * (PANELS - 1); }

/* Interval, place and width of the panel of a point. */
static int place_of(const jn_speed *x, int point, double *u, double *width) {
  int panel = point / POINTS, last = x->intervals - 1, interval = panel - PANELS + 1, part = 0;
  double h = x->length / x->intervals;
  int split = panel < PANELS || interval >= last;
  if (panel < PANELS) {
    part = panel;
    interval = 0;
  } else if (interval >= last) {
    part = interval - last;
    interval = last;
  }
  *width = split ? h / PANELS : h;
  double place = part + (double)(point % POINTS) / (POINTS - 1);
  *u = jn__place_in(x->length, x->intervals, interval, split ? place / PANELS : place);
  return interval;
}

/* The function that is made smaller; with `derive`, its gradient and matrix. Time by the rule of Newton and Cotes. */
static double barrier(problem *p, const jn_speed *x, double mu, int derive) {
  static const double weights[POINTS] = {41 / 840.0, 216 / 840.0, 27 / 840.0, 272 / 840.0,
                                         27 / 840.0, 216 / 840.0, 41 / 840.0};
  double sum = 0;
  if (derive) {
    memset(p->H, 0, (size_t)p->n * WIDTH * sizeof(double));
    memset(p->gradient, 0, (size_t)p->n * sizeof(double));
  }

  for (int i = 0; i < panel_count(x) * POINTS && isfinite(sum); i++) {
    double u, h, (*basis)[JN_BASIS] = p->basis[i];
    int interval = place_of(x, i, &u, &h);
    double y[VARIABLES] = {0}, gradient[VARIABLES] = {0}, W[VARIABLES][VARIABLES] = {{0}};

    /* x and its derivatives at the point. */
    for (int d = 0; d < p->used; d++)
      for (int k = 0; k < JN_BASIS; k++) y[d] += basis[d][k] * x->b[interval + k];
    if (!(y[0] > 0)) return INFINITY;

    /* Duration, barrier, and their derivatives. */
    sum += add_time(p, y[0], h * weights[i % POINTS], derive ? gradient : NULL, W);
    sum += add_point(p, i, y, mu, derive ? gradient : NULL, W);
    if (derive) add_derivatives(p, interval, basis, gradient, W);
  }
  return sum;
}

/* Coefficients that are given do not move. */
static void fix_end_coefficients(problem *p) {
  for (int end = 0; end < 2; end++) {
    int i = end ? p->n - 1 : 0;
    if (!p->fixed[end]) continue;
    for (int j = i > WIDTH - 1 ? i - WIDTH + 1 : 0; j < i; j++) *entry(p, i, j) = 0;
    for (int j = i + 1; j < p->n && j < i + WIDTH; j++) *entry(p, j, i) = 0;
    *entry(p, i, i) = 1;
    p->gradient[i] = 0;
  }
}

/* step <- -H^-1 gradient, by Cholesky. */
static int solve(problem *p) {
  int n = p->n;
  double *x = p->step;
  fix_end_coefficients(p);

  /* Factors of the band matrix. */
  for (int i = 0; i < n; i++) *entry(p, i, i) *= 1 + 1e-12;
  for (int i = 0; i < n; i++) {
    int first = i > WIDTH - 1 ? i - WIDTH + 1 : 0;
    for (int j = first; j <= i; j++) {
      double sum = *entry(p, i, j);
      for (int k = first > j - WIDTH + 1 ? first : j - WIDTH + 1; k < j; k++) sum -= *entry(p, i, k) * *entry(p, j, k);
      if (i == j && !(sum > 0)) return 0;
      *entry(p, i, j) = i == j ? sqrt(sum) : sum / *entry(p, j, j);
    }
  }

  /* Substitution, forwards and backwards. */
  for (int i = 0; i < n; i++) {
    double sum = -p->gradient[i];
    for (int k = i > WIDTH - 1 ? i - WIDTH + 1 : 0; k < i; k++) sum -= *entry(p, i, k) * x[k];
    x[i] = sum / *entry(p, i, i);
  }
  for (int i = n - 1; i >= 0; i--) {
    double sum = x[i];
    for (int k = i + 1; k < n && k < i + WIDTH; k++) sum -= *entry(p, k, i) * x[k];
    x[i] = sum / *entry(p, i, i);
  }
  return 1;
}

/* One Newton step downhill with a line search; returns how much was gained, 0 if nothing. */
static double descend(problem *p, double mu) {
  double now = barrier(p, p->x, mu, 1), slope = 0, length = 1;
  if (!isfinite(now) || !solve(p)) return 0;
  for (int i = 0; i < p->n; i++) slope += p->gradient[i] * p->step[i];

  /* Shorter steps until the function falls enough. */
  for (int tries = 0; tries < 50; tries++, length /= 2) {
    for (int i = 0; i < p->n; i++) p->trial->b[i] = p->x->b[i] + length * p->step[i];
    double next = barrier(p, p->trial, mu, 0);
    if (!(next <= now + 0.1 * length * slope)) continue;
    memcpy(p->x->b, p->trial->b, (size_t)p->n * sizeof(double));
    return now - next;
  }
  return 0;
}

/* Is this the highest derivative of its kind that has a limit? Its slope has none then, but samples of the motion show
 * it only if it does not change too fast. */
static int is_last(const jn_path *p, int v, int k) {
  switch (k) {
    case JN_LIMITED_VELOCITY:
      return !jn__is_limited(p, v, JN_LIMITED_ACCELERATION) && !jn__is_limited(p, v, JN_LIMITED_JERK);
    case JN_LIMITED_ACCELERATION:
      return !jn__is_limited(p, v, JN_LIMITED_JERK);
    case JN_LIMITED_EFFORT:
      return !jn__is_limited(p, v, JN_LIMITED_EFFORT_RATE);
    case JN_LIMITED_MOTOR_EFFORT:
      return !jn__is_limited(p, v, JN_LIMITED_MOTOR_EFFORT_RATE);
    case JN_LIMITED_MOTOR_VELOCITY:
      return 1;
    case JN_LIMITED_JERK:
    case JN_LIMITED_EFFORT_RATE:
      return 1;
    default: /* rates of motors: their slopes would need a sixth derivative; deflections are efforts */
      return 0;
  }
}

/* Slopes are kept so far as the first motion keeps them. */
static void bound_slope(const problem *p, limit_terms *s, const squares *square, double ramp) {
  if (isinf(s->upper) && isinf(s->lower)) return;
  double y[VARIABLES] = {p->x->b[0]}, by[VARIABLES];
  double now = fabs(value_of(p, s, square, y, sqrt(y[0]), by)), most = fmax(s->size / ramp, 1.5 * now);
  s->size = s->upper = most;
  s->lower = -most;
}

/* Limits of motors behind springs that are not linear are those of their compliance at rest: near enough to guide, but
 * the first motion keeps the true ones, and need not keep these. */
static void allow_first_motion(const problem *p, limit_terms *s, const squares *square) {
  double y[VARIABLES] = {p->x->b[0]}, by[VARIABLES], now = value_of(p, s, square, y, sqrt(y[0]), by);
  double slack = 0.02 * s->size;
  s->upper = fmax(s->upper, now + slack);
  s->lower = fmin(s->lower, now - slack);
}

/* Lists the limits of a point, those without squares first. p NULL: only counts them, those with squares into
 * *nonlinear. */
static int list_point(const problem *p, const jn_path *path, double ramp, int point, int *nonlinear) {
  int count[2] = {0, 0};
  for (int v = 0; v < path->nv; v++)
    for (int k = JN_LIMITED_VELOCITY; k < JN_LIMITED_QUANTITIES; k++)
      for (int slope = 0; slope < 2; slope++) {
        if (!jn__is_limited(path, v, k) || (slope && (!(ramp > 0) || !is_last(path, v, k)))) continue;
        int curved = slope || k == JN_LIMITED_MOTOR_EFFORT || k == JN_LIMITED_MOTOR_EFFORT_RATE;
        int at = count[curved]++;
        if (!p) continue;
        size_t first = (size_t)point * (size_t)p->each + (size_t)(curved ? p->each - p->nonlinear : 0);
        limit_terms *to = &p->list[first + (size_t)at];
        squares *square = curved ? &p->curved[(size_t)point * (size_t)p->nonlinear + (size_t)at] : NULL;
        set_limit_terms(path, v, k, slope, to, square);
        if (slope)
          bound_slope(p, to, square, ramp);
        else if (path->nonlinear && path->nonlinear[v] && k >= JN_LIMITED_MOTOR_EFFORT)
          allow_first_motion(p, to, square);
      }
  if (nonlinear) *nonlinear = count[1];
  return count[0] + count[1];
}

static jn_status describe_path(problem *p, jn_path *path, double ramp) {
  for (int i = 0; i < panel_count(p->x) * POINTS; i++) {
    double u, width;
    int interval = place_of(p->x, i, &u, &width);
    jn__speed_basis(p->x, interval, u, p->basis[i]);
    jn_status status = jn__path_at(path, u, 1);
    if (status != JN_OK) return status;
    list_point(p, path, ramp, i, NULL);
  }
  return JN_OK;
}

/* x <- trial, which moves an end by a part of its way to the target, and what is within a width of it (a share of the
 * path) with it. 0 if that breaks limits. */
static int try_end(problem *p, int end, double target, double part, double width, double mu) {
  int last = p->n - 1;
  double distance = part * (target - p->x->b[end ? last : 0]);
  for (int i = 0; i <= last; i++) {
    double z = (double)(end ? last - i : i) / last / width;
    p->trial->b[i] = p->x->b[i] + (z < 1 ? distance * (1 - z * z * z * (10 - z * (15 - 6 * z))) : 0);
  }

  if (!isfinite(barrier(p, p->trial, mu, 0))) return 0;
  memcpy(p->x->b, p->trial->b, (size_t)p->n * sizeof(double));
  if (part == 1) p->x->b[end ? last : 0] = target;
  return 1;
}

/* The ends go to their targets in turn, step by step, as far as all limits hold, with steps to the middle between the
 * limits in between. 0: a target cannot be reached. */
static int move_ends(problem *p, const double target[2]) {
  enum { STEPS = 120, CENTRING = 5, TRIES = 30 };
  static const double widths[] = {1, 0.4, 0.1};
  const double mu = 1e-2;
  int there[2] = {!p->fixed[0], !p->fixed[1]};
  for (int k = 0; k < STEPS && !(there[0] && there[1]) && !jn__is_stopped(); k++) {
    int end = k % 2, tries = 0;
    double part = 1;
    if (there[end]) continue;

    /* As far as limits allow, then towards the middle between the limits. */
    while (tries < TRIES && !try_end(p, end, target[end], part, widths[k / 2 % 3], mu)) tries++, part /= 2;
    there[end] = tries == 0;
    for (int i = 0; i < CENTRING && tries > 0 && tries < TRIES; i++) descend(p, mu);
  }
  return there[0] && there[1];
}

/* The interior method: the weight of the barrier shrinks step by step. */
static void run_method(problem *p, const jn_retime_options *o) {
  int total = 0;
  for (double mu = 1e-3; mu > 1e-10 && total < o->iterations && p->each > 0; mu *= 0.3)
    for (int i = 0; i < 30 && total < o->iterations && !jn__is_stopped(); i++, total++) {
      if (o->progress) o->progress((double)total / o->iterations, o->progress_context);
      if (!(descend(p, mu) > 1e-2 * mu)) break;
    }
}

jn_status jn__shortest(jn_path *path, jn_speed *speed, const double target[2], const jn_retime_options *o,
                       const jn_allocator *a, int *possible) {
  int n = speed->intervals + JN_TIMING_DEGREE;
  size_t points = (size_t)panel_count(speed) * POINTS, rows = (size_t)n;
  problem p = {.x = speed, .n = n, .scale = jn__speed_times(speed), .fixed = {!isnan(target[0]), !isnan(target[1])}};

  p.each = list_point(NULL, path, o->ramp, 0, &p.nonlinear);
  p.used = p.nonlinear ? VARIABLES : FACTORS;
  p.list = jn__allocate(a, (points * (size_t)p.each + 2) * sizeof *p.list);
  p.curved = p.nonlinear ? jn__allocate(a, points * (size_t)p.nonlinear * sizeof *p.curved) : NULL;
  p.basis = jn__allocate(a, points * sizeof *p.basis);
  p.H = jn__allocate(a, (WIDTH + 3) * rows * sizeof(double));

  jn_speed trial = *speed;
  jn_status status = p.list && p.H && p.basis && (p.curved || !p.nonlinear) ? JN_OK : JN_ERR_MEMORY;
  if (status == JN_OK) {
    p.gradient = p.H + WIDTH * rows;
    p.step = p.gradient + rows;
    trial.b = p.step + rows;
    p.trial = &trial;
    status = describe_path(&p, path, o->ramp);
  }

  /* The ends first, then the shortest duration. */
  if (status == JN_OK) {
    *possible = move_ends(&p, target);
    if (*possible) run_method(&p, o);
  }
  jn__release(a, p.list);
  jn__release(a, p.curved);
  jn__release(a, p.basis);
  jn__release(a, p.H);
  return status;
}
