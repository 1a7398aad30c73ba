/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses the number of B-splines of a smoothing spline: by generalised cross-validation, by a tolerance, or as many as
 * samples.
 *
 * For p B-splines through m samples, let S be the sum of squared residuals. The matrix from given to fitted values has
 * the trace p. Generalised cross-validation (Craven and Wahba 1979) takes the p that minimises
 *   V(p) = (S / m) / (1 - g p / m)^2
 * With g = 1.4 instead of 1 it does not occasionally fit noise (Kim and Gu 2004). p is searched over powers of two,
 * then in finer steps around the best.
 *
 * Correlated noise (filtered, quantised) looks like motion to V. The trace is then that of the matrix times the
 * correlation matrix of the noise, about p (1 + r) / (1 - r) if neighbours have the correlation r (Carmack and others
 * 2012, first order). r is estimated from the residuals of a smooth fit, the one that minimises V p^2: for a motion, V
 * falls much faster than p^-2 as p grows, and for such noise more slowly.
 *
 *   symbol    meaning                                                             unit
 *   p, count  number of B-splines of one curve                                    -
 *   m         samples, of all channels (the curve, and derivatives that are       -
 *             sampled too)
 *   S         sum of squared residuals, weighted by channel                       squared unit of the column
 *   V, score  generalised cross-validation; with a tolerance, the mean square     squared unit
 *   g         caution: how much one B-spline counts                               -
 *   r         correlation of neighbouring residuals                               -
 *   floor     score below which residuals are rounding of the samples             squared unit
 *
 * Columns are fitted in groups that share one count. Functions that can run out of memory return JN_ERR_MEMORY, else
 * JN_OK, and write their result to the last argument. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "../model/memory.h"
#include "fit.h"
#include "noise.h"

static const double caution = 1.4;

enum { GRID = 40 };

typedef struct search {
  jn_fit_batch *b;
  const jn_fit_rule *rule;
  int groups;
  const int *first;
  int *counts;
  double *squares;      /* [channels x columns] of the last solution */
  double *coefficients; /* scratch for the largest solution */
  double *knots;
  double *floors;     /* [groups] scores below are rounding */
  double *cautions;   /* [groups] g */
  double part, share; /* progress: done, and what one solution adds */
} search;

/* ---- Scores ---- */

/* Weighted mean square over the columns of a group, of its first `channels`. */
static double mean_square(const search *s, const jn_fit_batch *b, int channels, int from, int to) {
  double sum = 0;
  for (int c = 0; c < channels; c++) {
    for (int j = from; j < to; j++) sum += b->weights[c] * b->weights[c] * s->squares[c * b->columns + j];
  }
  return sum / ((double)b->samples * channels * (to - from));
}

static double square(double x) { return x * x; }

/* 1 - g p / m; zero when nothing is left to judge by. */
static double freedom_of(const jn_fit_batch *b, double g, int count) {
  return fmax(0, 1 - g * count / ((double)b->samples * b->channels));
}

static double score_of(const search *s, const jn_fit_batch *b, int group, int from, int to, int count) {
  double mean = mean_square(s, b, s->rule->smoothing == JN_SMOOTH_TOLERANCE ? 1 : b->channels, from, to);
  if (s->rule->smoothing == JN_SMOOTH_TOLERANCE) return mean; /* of the samples themselves */
  return mean / square(freedom_of(b, s->cautions[group], count));
}

/* The columns of one group as a batch of its own. */
static jn_fit_batch batch_of(const search *s, int group) {
  jn_fit_batch b = *s->b;
  if (s->groups == 1) return b;
  b.data += s->first[group];
  b.columns = s->first[group + 1] - s->first[group];
  return b;
}

static void report_progress(search *s) {
  s->part += s->share;
  if (s->rule->progress) s->rule->progress(s->part < 1 ? s->part : 1, s->rule->context);
}

/* Least squares with `count` B-splines: coefficients and squares. Singular systems leave infinite sums of squares. */
static jn_status solve(search *s, const jn_fit_batch *b, int count) {
  jn__fit_knots(b->t, b->samples, b->degree, count, s->knots);
  jn_status status = jn__fit_solve(b, count, s->knots, s->coefficients, s->squares);
  if (status == JN_ERR_SINGULAR)
    for (int i = 0; i < b->channels * b->columns; i++) s->squares[i] = INFINITY;
  report_progress(s);
  return status == JN_ERR_SINGULAR ? JN_OK : status;
}

/* The score of a group with `count` B-splines. */
static jn_status try_count(search *s, int group, int count, double *score) {
  jn_fit_batch b = batch_of(s, group);
  jn_status status = solve(s, &b, count);
  if (status == JN_OK) *score = score_of(s, &b, group, 0, b.columns, count);
  return status;
}

/* ---- Choosing ---- */

static int make_grid(const jn_fit_batch *b, int most, int grid[GRID]) {
  int size = 0;
  for (int n = b->degree + 1; n < most && size<GRID - 1; n = n> most / 2 ? most : 2 * n) grid[size++] = n;
  grid[size++] = most;
  return size;
}

/* Steps of 2^(1/2), then 2^(1/4), about the best of the grid. */
static jn_status refine_gcv(search *s, int group, int most, double best) {
  int *count = &s->counts[group];
  for (double ratio = sqrt(2); ratio > 1.1; ratio = sqrt(ratio)) {
    int middle = *count;
    for (int side = 0; side < 2; side++) {
      int n = (int)(side ? middle * ratio : middle / ratio);
      if (n <= s->b->degree || n > most || n == middle) continue;
      double score;
      jn_status status = try_count(s, group, n, &score);
      if (status != JN_OK) return status;
      if (isnan(score) || fmax(score, s->floors[group]) >= best) continue;
      best = score;
      *count = n;
    }
  }
  return JN_OK;
}

/* Residuals of column c of the last solution. */
static void find_residuals(const search *s, const jn_fit_batch *b, int count, int c, double *rest) {
  double N[JN_MAX_DEGREE + 1][JN_MAX_DEGREE + 1];
  const double *x = s->coefficients + (size_t)c * (size_t)count;
  for (int i = 0, span = b->degree; i < b->samples; i++) {
    while (span < count - 1 && b->t[i] >= s->knots[span + 1]) span++;
    jn__spline_basis(s->knots, b->degree, span, b->t[i], N);
    rest[i] = b->data[c][i];
    for (int k = 0; k <= b->degree; k++) rest[i] -= N[b->degree][k] * x[span - b->degree + k];
  }
}

/* Correlation of neighbouring residuals of the last solution, if they are noise in all columns; 0 if not. */
static jn_status noise_correlation(const search *s, const jn_fit_batch *b, int count, double *correlation) {
  double product = 0, squares = 0, *rest = jn__allocate(b->allocator, (size_t)b->samples * sizeof *rest);
  int is_noise = 1, has_memory = rest != NULL;
  for (int c = 0; c < b->columns && has_memory && is_noise; c++) {
    /* r = sum e_i e_(i-1) / sum e_i^2 */
    find_residuals(s, b, count, c, rest);
    for (int i = 0; i < b->samples; i++) {
      squares += rest[i] * rest[i];
      if (i) product += rest[i] * rest[i - 1];
    }

    /* Are they noise, and not motion that the curve does not follow? */
    jn_residue residue;
    has_memory = jn__judge_residue(b->allocator, rest, b->data[c], b->samples, 0.5 * count / b->samples, s->rule->high,
                                   &residue);
    is_noise = has_memory && residue.kind == JN_RESIDUE_NOISE;
  }
  jn__release(b->allocator, rest);
  *correlation = is_noise && squares > 0 ? product / squares : 0;
  return has_memory ? JN_OK : JN_ERR_MEMORY;
}

static int best_of(const double *scores, const int *grid, int size, double least, double power) {
  int at = 0;
  double best = INFINITY;
  for (int i = 0; i < size; i++) {
    double score = fmax(scores[i], least) * pow(grid[i], power); /* among equals, the fewest */
    if (score < best) best = score, at = i;
  }
  return at;
}

/* The first dip of the scores that is about as deep as the deepest: 1 / sqrt(m) is how much chance moves them. */
static int first_dip(const double *scores, const int *grid, int size, double least, int samples) {
  int best = best_of(scores, grid, size, least, 0);
  double deep = fmax(scores[best], least) * (1 + 1 / sqrt(samples));
  for (int i = 0; i < best; i++) {
    int dips = (i == 0 || scores[i] <= scores[i - 1]) && scores[i] <= scores[i + 1];
    if (dips && scores[i] <= deep) return i;
  }
  return best;
}

/* Solves, and finds the correlation of the remaining noise. */
static jn_status try_correlation(search *s, const jn_fit_batch *b, int count, double *correlation) {
  jn_status status = solve(s, b, count);
  return status == JN_OK ? noise_correlation(s, b, count, correlation) : status;
}

/* When the noise is correlated: scores again, with more caution. */
static jn_status allow_for_correlation(search *s, int group, const int *grid, int size, double *scores) {
  const double clearly = 0.2, most = 0.98;
  jn_fit_batch b = batch_of(s, group);
  int knee = best_of(scores, grid, size, s->floors[group], 2);
  int plain = first_dip(scores, grid, size, s->floors[group], b.samples);
  if (b.channels > 1 || scores[knee] < 1e6 * s->floors[group]) return JN_OK; /* exact but for rounding */

  /* Far from following noise, and what is left is white: nothing to do. */
  double r;
  jn_status status = try_correlation(s, &b, grid[plain], &r);
  if (status != JN_OK || (r <= clearly && 8 * grid[plain] <= b.samples)) return status;

  /* r of the smooth fit. */
  if (plain != knee) status = try_correlation(s, &b, grid[knee], &r);
  if (status != JN_OK || !(r > clearly)) return status;

  /* g = 1.4 (1 + r) / (1 - r) in place of 1.4. */
  r = fmin(r, most);
  double g = caution * (1 + r) / (1 - r);
  for (int i = 0; i < size; i++)
    scores[i] *= square(freedom_of(&b, caution, grid[i])) / square(freedom_of(&b, g, grid[i]));
  s->cautions[group] = g;
  return JN_OK;
}

static jn_status choose_gcv(search *s, int group, const int *grid, int size, double *scores) {
  jn_status status = allow_for_correlation(s, group, grid, size, scores);
  if (status != JN_OK) return status;
  int at = first_dip(scores, grid, size, s->floors[group], s->b->samples);
  s->counts[group] = grid[at];
  int finest = at == size - 1 && s->b->channels == 1;
  if (finest && isfinite(scores[at])) { /* the finer the better: no noise is visible */
    s->counts[group] = s->b->samples;
    return JN_OK;
  }
  return refine_gcv(s, group, grid[size - 1], fmax(scores[at], s->floors[group]));
}

/* The fewest B-splines within the tolerance, to one part in twenty. */
static jn_status choose_tolerance(search *s, int group, const int *grid, int size, const double *scores) {
  double most = s->rule->tolerance * s->rule->tolerance;
  int at = 0;
  while (at < size - 1 && !(scores[at] <= most)) at++;

  /* Bisection, in the ratio. */
  int low = at ? grid[at - 1] : grid[0], high = grid[at];
  while (high - low > 1 + high / 20) {
    int middle = (int)sqrt((double)low * high);
    if (middle <= low || middle >= high) break;
    double score;
    jn_status status = try_count(s, group, middle, &score);
    if (status != JN_OK) return status;
    if (score <= most)
      high = middle;
    else
      low = middle;
  }
  s->counts[group] = high;
  return JN_OK;
}

static jn_status run_search(search *s, double *scores) {
  const jn_fit_batch *b = s->b;
  int gcv = s->rule->smoothing == JN_SMOOTH_GCV, grid[GRID];
  int most = gcv ? (int)(JN_FEW * b->samples) /* beyond, too little is left to judge by */ : jn__fit_complete(b);
  if (most <= b->degree) most = b->degree + 1;
  int size = make_grid(b, most, grid);
  s->share = 1.0 / (size * (s->groups > 1 ? s->groups : 1) / 3.0 + 4.0 * s->groups);

  /* Scores on the grid, of all groups at once. */
  jn_status status = JN_OK;
  for (int i = 0; i < size; i++) {
    status = solve(s, b, grid[i]);
    if (status != JN_OK) return status;
    for (int g = 0; g < s->groups; g++) scores[g * GRID + i] = score_of(s, b, g, s->first[g], s->first[g + 1], grid[i]);
  }

  /* Then group by group, in finer steps. */
  for (int g = 0; g < s->groups && status == JN_OK; g++) {
    double *own = scores + (size_t)g * GRID;
    status = gcv ? choose_gcv(s, g, grid, size, own) : choose_tolerance(s, g, grid, size, own);
  }
  return status;
}

/* ---- Weights of channels ---- */

static double root_mean_square(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * x[i];
  return sqrt(sum / n);
}

/* At first every channel counts by its size; then by the noise that is left in it (variance components). A derivative
 * that outweighs the samples by more than 1e8 would push them below rounding, and the system would be singular. */
static void weigh(const jn_fit_batch *b, const double *squares, double *weights) {
  double noise[JN_MAX_CHANNELS];
  for (int c = 0; c < b->channels; c++) {
    double size = 0, left = 0;
    for (int j = 0; j < b->columns; j++) {
      size += root_mean_square(b->data[c * b->columns + j], b->samples);
      if (squares) left += sqrt(squares[c * b->columns + j] / b->samples);
    }
    noise[c] = squares ? fmax(left, 1e-13 * size) : size;
  }
  double duration = b->t[b->samples - 1] - b->t[0];
  for (int c = 0; c < b->channels; c++) {
    double usual = pow(duration, b->orders[c]);
    weights[c] = noise[c] > 0 && noise[0] > 0 ? fmin(noise[0] / noise[c], 1e8 * usual) : usual;
    if (!isfinite(weights[c])) weights[c] = 1;
  }
}

/* Are the samples of a derivative noise about that of the last solution, through one column alone? */
static jn_status derivative_is_noise(const search *s, const jn_fit_batch *b, int channel, int column, int *is_noise) {
  double row[JN_MAX_DEGREE + 1], *rest = jn__allocate(b->allocator, (size_t)b->samples * sizeof *rest);
  const double *x = b->data[channel * b->columns + column];
  if (!rest) return JN_ERR_MEMORY;
  for (int i = 0, span = b->degree; i < b->samples; i++) {
    while (span < b->samples - 1 && b->t[i] >= s->knots[span + 1]) span++;
    jn__spline_row(s->knots, b->degree, span, b->t[i], b->orders[channel], row);
    rest[i] = x[i];
    for (int k = 0; k <= b->degree; k++) rest[i] -= row[k] * s->coefficients[span - b->degree + k];
  }
  jn_residue r;
  int has_memory = jn__judge_residue(b->allocator, rest, x, b->samples, 0, s->rule->high, &r);
  jn__release(b->allocator, rest);
  if (!has_memory) return JN_ERR_MEMORY;
  *is_noise = r.kind == JN_RESIDUE_NOISE && r.rms > 1e-10 * root_mean_square(x, b->samples);
  return JN_OK;
}

/* If the samples of the curves alone show no noise, the spline interpolates them. If the samples of the derivatives
 * show none either, it interpolates these too; otherwise they are ignored, because the slope of the spline is more
 * accurate. */
static jn_status follow_exact(search *s, double *scores) {
  const jn_fit_batch all = *s->b;
  int noisy = 0;
  for (int c = 0; c < all.columns; c++) {
    /* The samples of one column alone: is there noise in them? */
    jn_fit_batch one = all;
    int first[2] = {0, 1}, count = 0;
    one.channels = one.columns = 1;
    one.data = all.data + c;
    one.weights[0] = 1;
    search alone = *s;
    alone.b = &one, alone.first = first, alone.counts = &count;
    jn_status status = run_search(&alone, scores);
    if (status != JN_OK || count < one.samples) return status;

    /* And in those of the derivatives, about the curve through them? */
    status = solve(&alone, &one, count);
    for (int k = 1; k < all.channels && !noisy && status == JN_OK; k++)
      status = derivative_is_noise(s, &all, k, c, &noisy);
    if (status != JN_OK) return status;
  }
  if (noisy) s->b->channels = 1;
  s->counts[0] = jn__fit_complete(s->b);
  jn__fit_go_through(s->b);
  return JN_OK;
}

static jn_status search_weights(search *s, double *scores) {
  jn_status status = JN_OK;
  if (s->rule->smoothing == JN_SMOOTH_GCV) {
    status = follow_exact(s, scores);
    if (status != JN_OK || s->b->through) return status;
  }
  weigh(s->b, NULL, s->b->weights);
  for (int round = 0; round < 3 && status == JN_OK; round++) {
    status = run_search(s, scores);
    double score;
    if (status == JN_OK) status = try_count(s, 0, s->counts[0], &score);
    if (status == JN_OK && round < 2 && isfinite(s->squares[0])) weigh(s->b, s->squares, s->b->weights);
  }
  return status;
}

/* ---- The choice ---- */

/* Scores that are only rounding of the samples. */
static void set_floors(search *s) {
  const jn_fit_batch *b = s->b;
  for (int g = 0; g < s->groups; g++) {
    double size = 0;
    s->cautions[g] = caution;
    for (int c = s->first[g]; c < s->first[g + 1]; c++) size = fmax(size, root_mean_square(b->data[c], b->samples));
    s->floors[g] = 16 * DBL_EPSILON * DBL_EPSILON * size * size;
  }
}

int jn__fit_complete(const jn_fit_batch *b) {
  if (b->channels == 1) return b->samples;
  return b->orders[1] == 1 ? 2 * b->samples : b->samples + b->samples / 2;
}

void jn__fit_go_through(jn_fit_batch *b) {
  b->through = 1;
  if (b->channels == 1) return;
  weigh(b, NULL, b->weights);
  for (int c = 1; c < b->channels; c++) b->weights[c] *= 1e-8;
}

jn_status jn__fit_choose(jn_fit_batch *b, const jn_fit_rule *rule, int groups, const int *first, int *counts) {
  if (rule->smoothing == JN_SMOOTH_NONE) {
    for (int g = 0; g < groups; g++) counts[g] = jn__fit_complete(b);
    jn__fit_go_through(b);
    return JN_OK;
  }
  size_t n = (size_t)jn__fit_complete(b), columns = (size_t)b->columns;
  search s = {.b = b, .rule = rule, .groups = groups, .first = first, .counts = counts};
  s.squares = jn__allocate(b->allocator, (size_t)b->channels * columns * sizeof(double));
  s.coefficients = jn__allocate(b->allocator, n * columns * sizeof(double));
  s.knots = jn__allocate(b->allocator, (n + (size_t)b->degree + 1) * sizeof(double));
  s.floors = jn__allocate(b->allocator, 2 * (size_t)groups * sizeof(double));
  s.cautions = s.floors + groups;
  double *scores = jn__allocate(b->allocator, (size_t)groups * GRID * sizeof(double));
  jn_status status = JN_ERR_MEMORY;
  if (s.squares && s.coefficients && s.knots && s.floors && scores) {
    set_floors(&s);
    status = b->channels > 1 ? search_weights(&s, scores) : run_search(&s, scores);
  }
  void *const blocks[] = {s.squares, s.coefficients, s.knots, s.floors, scores};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) jn__release(b->allocator, blocks[i]);
  return status;
}
