/* SPDX-License-Identifier: BSD-2-Clause */
/* Weighted least squares from the triangles of the channels: noise of each channel, base parameters and their standard
 * deviations, essential parameters; the weight of the prior by cross-validation; the model that results. */
#include <math.h>
#include <string.h>

#include "../model/model.h"
#include "../model/stop.h"
#include "identify.h"

static double *numbers(const jn_allocator *a, size_t count) { return jn__allocate(a, (count + 1) * sizeof(double)); }

static double channel_rows(const jn_channel *c) {
  double sum = 0;
  for (int f = 0; f < JN_FOLDS; f++) sum += c->rows[f];
  return sum;
}

static double channel_forces(const jn_channel *c) {
  double sum = 0;
  for (int f = 0; f < JN_FOLDS; f++) sum += c->forces[f];
  return sum;
}

/* ---- Stacking ---- */

typedef struct stack {
  jn_identification *d;
  int wide;          /* nb + 1 */
  double *whole;     /* all folds of each channel in one triangle, one after the other */
  double *T;         /* [wide x wide] the weighted stack of all channels */
  double *block, *w; /* [wide x wide], [wide] */
  double *b, *sigma; /* [nb], [channels] */
  double *Rt, *C;    /* [wide x wide] triangle of what is told; [nb x nb] its covariance */
  int *told, count;  /* columns that the data tell */
} stack;

static void stack_free(stack *s) {
  const jn_allocator *a = &s->d->allocator;
  double *const arrays[] = {s->whole, s->T, s->block, s->w, s->b, s->sigma, s->Rt, s->C};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) jn__release(a, arrays[i]);
  jn__release(a, s->told);
}

static size_t whole_size(const jn_identification *d) {
  size_t sum = 0;
  for (int i = 0; i < d->channels; i++) sum += (size_t)d->channel[i].width * (size_t)d->channel[i].width;
  return sum;
}

static jn_status stack_init(stack *s, jn_identification *d) {
  const jn_allocator *a = &d->allocator;
  size_t wide = (size_t)d->nb + 1;
  *s = (stack){.d = d, .wide = d->nb + 1};
  s->whole = numbers(a, whole_size(d));
  s->T = numbers(a, wide * wide);
  s->block = numbers(a, wide * wide);
  s->w = numbers(a, wide);
  s->b = numbers(a, wide);
  s->sigma = numbers(a, (size_t)d->channels);
  s->Rt = numbers(a, wide * wide);
  s->C = numbers(a, wide * wide);
  s->told = jn__allocate(a, wide * sizeof *s->told);
  return s->whole && s->T && s->block && s->w && s->b && s->sigma && s->Rt && s->C && s->told ? JN_OK : JN_ERR_MEMORY;
}

/* All folds but `without` (-1: none) of each channel into one triangle. */
static void merge_folds(stack *s, int without) {
  double *to = s->whole;
  for (int i = 0; i < s->d->channels; i++) {
    const jn_channel *c = &s->d->channel[i];
    size_t size = (size_t)c->width * (size_t)c->width;
    memset(to, 0, size * sizeof *to);
    for (int f = 0; f < JN_FOLDS; f++) {
      if (f == without || c->rows[f] == 0) continue;
      memcpy(s->block, c->R + (size_t)f * size, size * sizeof *to);
      jn__qr_update_unless_stopped(to, s->block, c->width, c->width, s->w);
    }
    to += size;
  }
}

/* T from the channels, each divided by its noise. */
static void stack_channels(stack *s) {
  const double *from = s->whole;
  size_t wide = (size_t)s->wide;
  memset(s->T, 0, wide * wide * sizeof *s->T);
  for (int i = 0; i < s->d->channels; i++) {
    const jn_channel *c = &s->d->channel[i];
    size_t n = (size_t)c->width;
    if (s->sigma[i] > 0) {
      memset(s->block, 0, n * wide * sizeof *s->block);
      for (size_t r = 0; r < n; r++) {
        for (size_t k = r; k + 1 < n; k++) s->block[r * wide + (size_t)c->column[k]] = from[r * n + k] / s->sigma[i];
        s->block[r * wide + wide - 1] = from[r * n + n - 1] / s->sigma[i];
      }
      jn__qr_update_unless_stopped(s->T, s->block, c->width, s->wide, s->w);
    }
    from += n * n;
  }
}

/* ---- Least squares ---- */

/* Which columns the data tell; T is not changed. */
static jn_status find_told(stack *s) {
  int nb = s->d->nb;
  size_t wide = (size_t)s->wide;
  for (int r = 0; r < nb; r++)
    memcpy(s->block + (size_t)r * (size_t)nb, s->T + (size_t)r * wide, (size_t)nb * sizeof *s->block);
  s->count = jn__independent(&s->d->allocator, s->block, nb, nb, NULL, 1e-12, 1e-7, s->told, NULL, NULL);
  return s->count < 0 ? JN_ERR_MEMORY : JN_OK;
}

/* The best values of the told columns, all others at the prior: b, Rt. */
static void solve_told(stack *s) {
  int nb = s->d->nb, m = s->count;
  size_t wide = (size_t)s->wide, narrow = (size_t)m + 1;
  unsigned char *is_told = s->d->essential; /* not yet in use */
  memset(is_told, 0, (size_t)nb);
  for (int k = 0; k < m; k++) is_told[s->told[k]] = 1;
  memcpy(s->b, s->d->base0, (size_t)nb * sizeof *s->b);
  memset(s->Rt, 0, narrow * narrow * sizeof *s->Rt);
  for (size_t r = 0; r < wide; r++) {
    double y = s->T[r * wide + wide - 1];
    for (int k = 0; k < nb; k++)
      if (!is_told[k]) y -= s->T[r * wide + (size_t)k] * s->b[k];
    for (int k = 0; k < m; k++) s->block[r * narrow + (size_t)k] = s->T[r * wide + (size_t)s->told[k]];
    s->block[r * narrow + (size_t)m] = y;
  }
  jn__qr_update_unless_stopped(s->Rt, s->block, s->wide, m + 1, s->w);
  double *x = s->w;
  for (int k = 0; k < m; k++) x[k] = s->Rt[(size_t)k * narrow + (size_t)m];
  jn__back_solve(s->Rt, m, m + 1, x, x);
  for (int k = 0; k < m; k++) s->b[s->told[k]] = x[k];
}

/* How many parameters the rows of a channel determine: the sum of their leverages, |R_c R_t^-1|^2. */
static double leverage(stack *s, const jn_channel *c, const double *R, double sigma) {
  int m = s->count;
  size_t n = (size_t)c->width, narrow = (size_t)m + 1;
  double sum = 0, *z = s->block;
  int *place = jn__allocate(&s->d->allocator, ((size_t)s->d->nb + 1) * sizeof *place);
  if (!place) return 0;
  for (int k = 0; k < s->d->nb; k++) place[k] = -1;
  for (int k = 0; k < m; k++) place[s->told[k]] = k;
  for (size_t r = 0; r < n; r++) {
    memset(z, 0, (size_t)m * sizeof *z);
    for (size_t k = r; k + 1 < n; k++)
      if (place[c->column[k]] >= 0) z[place[c->column[k]]] = R[r * n + k] / sigma;
    for (int k = 0; k < m; k++) { /* Rt^T z' = z */
      if (z[k] == 0) continue;
      const double *row = s->Rt + (size_t)k * narrow;
      z[k] /= row[k];
      for (int j = k + 1; j < m; j++) z[j] -= row[j] * z[k];
      sum += z[k] * z[k];
    }
  }
  jn__release(&s->d->allocator, place);
  return sum;
}

static double triangle_squares(const jn_channel *c, const double *R, const double *b, double *scratch) {
  jn_channel one = *c;
  one.R = (double *)(size_t)R;
  return jn__ident_squares(&one, 0, b, scratch);
}

/* New noise of each channel from the residuals of b; the largest relative change. */
static double update_noise(stack *s) {
  const double *R = s->whole;
  double change = 0;
  for (int i = 0; i < s->d->channels; i++) {
    const jn_channel *c = &s->d->channel[i];
    double rows = channel_rows(c);
    if (s->sigma[i] > 0) {
      double left = rows - leverage(s, c, R, s->sigma[i]), squares = triangle_squares(c, R, s->b, s->w);
      double floor = 1e-9 * sqrt(channel_forces(c) / rows);
      double now = fmax(sqrt(squares / fmax(left, 0.05 * rows)), floor);
      if (!(now > 1e-12) && !(floor > 0)) now = 1e-12; /* forces that are all zero, as in start_noise() */
      change = fmax(change, fabs(log(now / s->sigma[i])));
      s->sigma[i] = now;
    }
    R += (size_t)c->width * (size_t)c->width;
  }
  return change;
}

/* The noise that is assumed first: a tenth of the forces; 0 without rows. */
static int start_noise(stack *s) {
  int any = 0;
  for (int i = 0; i < s->d->channels; i++) {
    const jn_channel *c = &s->d->channel[i];
    double rows = channel_rows(c);
    s->sigma[i] = rows > 0 ? fmax(0.1 * sqrt(channel_forces(c) / rows), 1e-12) : 0;
    any |= rows > 0;
  }
  return any;
}

static jn_status find_noise(stack *s) {
  for (int k = 0; k < 50 && !jn__is_stopped(); k++) {
    stack_channels(s);
    jn_status status = k == 0 ? find_told(s) : JN_OK; /* weights hardly change which columns are told */
    if (status != JN_OK) return status;
    solve_told(s);
    if (update_noise(s) < 1e-4) break;
  }
  stack_channels(s);
  jn_status status = find_told(s);
  if (status == JN_OK) solve_told(s);
  return status;
}

/* ---- Statistics ---- */

/* C = (Rt^T Rt)^-1 [m x m]. */
static void find_covariance(stack *s) {
  int m = s->count;
  size_t narrow = (size_t)m + 1, n = (size_t)m;
  double *inverse = s->block, *e = s->w;
  for (int k = 0; k < m; k++) { /* columns of Rt^-1, as rows */
    memset(e, 0, n * sizeof *e);
    e[k] = 1;
    jn__back_solve(s->Rt, m, m + 1, e, e);
    memcpy(inverse + (size_t)k * n, e, n * sizeof *e);
  }
  (void)narrow;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      double sum = 0;
      for (size_t k = i > j ? i : j; k < n; k++) sum += inverse[k * n + i] * inverse[k * n + j];
      s->C[i * n + j] = sum;
    }
}

/* x becomes S^T S x, or its inverse, for the upper triangle S [m x m]; y is scratch. */
static void apply_square(const double *S, int m, int inverse, double *x, double *y) {
  size_t n = (size_t)m;
  if (inverse) {
    for (size_t i = 0; i < n; i++) y[i] = x[i];
    for (size_t i = 0; i < n; i++) { /* S^T z = y */
      y[i] /= S[i * n + i];
      for (size_t k = i + 1; k < n; k++) y[k] -= S[i * n + k] * y[i];
    }
    jn__back_solve(S, m, m, y, x);
    return;
  }
  for (size_t i = 0; i < n; i++) y[i] = jn__dot(S + i * n + i, x + i, m - (int)i);
  memset(x, 0, n * sizeof *x);
  for (size_t i = 0; i < n; i++)
    for (size_t k = i; k < n; k++) x[k] += S[i * n + k] * y[i];
}

/* The largest eigenvalue of that, by power iteration: O(m^2) a step, and the value is far more accurate than the
 * vector. It begins with a vector that has some of everything. */
static double largest_square(const double *S, int m, int inverse, double *x, double *y) {
  double value = 0;
  for (int k = 0; k < m; k++) x[k] = 1 + 0.5 * sin(1 + 2.4 * k);
  for (int step = 0; step < 500; step++) {
    double length = sqrt(jn__dot(x, x, m)), before = value;
    for (int k = 0; k < m; k++) x[k] /= length;
    apply_square(S, m, inverse, x, y);
    value = sqrt(jn__dot(x, x, m));
    if (fabs(value - before) <= 1e-7 * value) break;
  }
  return value;
}

static double find_condition(stack *s) {
  int m = s->count;
  size_t n = (size_t)m, narrow = n + 1;
  if (m == 0) return 0;
  double *S = s->block, *x = s->w, *y = s->block + n * n; /* block has room for (nb + 1)^2 */
  for (size_t k = 0; k < n; k++) {
    double sum = 0;
    for (size_t r = 0; r <= k; r++) sum += s->Rt[r * narrow + k] * s->Rt[r * narrow + k];
    for (size_t r = 0; r < n; r++) S[r * n + k] = r <= k ? s->Rt[r * narrow + k] / sqrt(sum) : 0;
  }
  return sqrt(largest_square(S, m, 0, x, y) * largest_square(S, m, 1, x, y));
}

/* Backward elimination: the parameter that differs least from zero, in standard deviations, is set to zero, until all
 * differ by two. C and the values of the others follow by one rank-one change each. */
static void find_essential(stack *s, unsigned char *essential) {
  int m = s->count;
  size_t n = (size_t)m;
  double *x = s->w;
  memset(essential, 0, (size_t)s->d->nb);
  for (int k = 0; k < m; k++) x[k] = s->b[s->told[k]], essential[s->told[k]] = 1;
  for (int rest = m; rest > 0 && !jn__is_stopped(); rest--) {
    int worst = -1;
    double least = 2;
    for (int k = 0; k < m; k++) {
      double t = fabs(x[k]) / sqrt(fmax(s->C[(size_t)k * n + (size_t)k], 1e-300));
      if (essential[s->told[k]] && t < least) least = t, worst = k;
    }
    if (worst < 0) return;
    const double *row = s->C + (size_t)worst * n;
    double pivot = row[worst], value = x[worst];
    for (int k = 0; k < m; k++) x[k] -= row[k] * value / pivot;
    double *copy = s->block;
    memcpy(copy, row, n * sizeof *copy);
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < n; j++) s->C[i * n + j] -= copy[i] * copy[j] / pivot;
    essential[s->told[worst]] = 0;
  }
}

/* ---- The physically consistent set ---- */

/* A = T B [nb + 1 x n], y. */
static void make_system(const stack *s, double *A, double *y) {
  const jn_identification *d = s->d;
  size_t wide = (size_t)s->wide, n = (size_t)d->n;
  memset(A, 0, wide * n * sizeof *A);
  for (size_t r = 0; r < wide; r++) {
    for (size_t b = r; b < (size_t)d->nb; b++) {
      double t = s->T[r * wide + b];
      const double *row = d->B + b * n;
      for (size_t k = 0; k < n && t != 0; k++) A[r * n + k] += t * row[k];
    }
    y[r] = s->T[r * wide + wide - 1];
  }
}

/* Weighted squares of one fold for x, and its rows. */
static double fold_squares(stack *s, int fold, const double *x, double *rows) {
  double sum = 0;
  jn__ident_to_base(s->d, x, s->b);
  *rows = 0;
  for (int i = 0; i < s->d->channels; i++) {
    const jn_channel *c = &s->d->channel[i];
    if (!(s->sigma[i] > 0) || c->rows[fold] == 0) continue;
    sum += jn__ident_squares(c, fold, s->b, s->w) / (s->sigma[i] * s->sigma[i]);
    *rows += c->rows[fold];
  }
  return sum;
}

enum { WEIGHTS = 5 };
static const double weights[WEIGHTS] = {100, 20, 4, 0.8, 0.1};

/* Mean squares of the parts left out, for each weight [WEIGHTS x JN_FOLDS]; the number of folds that have rows. */
static int cross_validate(stack *s, double *A, double *y, double *x, double (*score)[JN_FOLDS]) {
  const jn_identification *d = s->d;
  int folds = 0;
  for (int f = 0; f < JN_FOLDS && !jn__is_stopped(); f++) {
    double rows;
    if (fold_squares(s, f, d->x0, &rows) < 0 || rows == 0) continue;
    merge_folds(s, f);
    stack_channels(s);
    make_system(s, A, y);
    memcpy(x, d->x0, (size_t)d->n * sizeof *x);
    for (int k = 0; k < WEIGHTS && !jn__is_stopped(); k++) {
      if (jn__ident_consistent(d, A, y, s->wide, weights[k], 1e-5, x) == 0) return 0;
      score[k][folds] = fold_squares(s, f, x, &rows) / rows;
    }
    folds++;
  }
  return folds;
}

/* The largest weight within one standard error of the best one. */
static double choose_weight(double (*score)[JN_FOLDS], int folds) {
  double mean[WEIGHTS];
  int best = 0;
  if (folds < 2) return 1;
  for (int k = 0; k < WEIGHTS; k++) {
    mean[k] = 0;
    for (int f = 0; f < folds; f++) mean[k] += score[k][f] / folds;
    if (mean[k] < mean[best]) best = k;
  }
  for (int k = 0; k < best; k++) { /* the error of the difference, fold by fold */
    double sum = 0, difference = mean[k] - mean[best];
    for (int f = 0; f < folds; f++) {
      double e = score[k][f] - score[best][f] - difference;
      sum += e * e;
    }
    if (difference <= sqrt(sum / (folds - 1.0) / folds)) return weights[k];
  }
  return weights[best];
}

/* The model with x; what its checks say goes to the report (may be NULL). */
static jn_status make_model(const jn_identification *d, const double *x, jn_report *report, jn_model **model) {
  jn_builder *b;
  jn_options options;
  jn_options_init(&options);
  options.allocator = &d->model->allocator;
  options.report = report;
  jn_status status = jn_model_thaw(d->model, &options, &b);
  if (status != JN_OK) return status;
  for (int k = 0; k < d->inertial; k++) b->links[d->parameter[k] / 10].link.inertia[d->parameter[k] % 10] = x[k];
  for (int k = 0; k < d->motors; k++) {
    int number, joint = d->motor_of[k] >= 0 ? jn_coordinate_joint(d->model, d->motor_of[k], &number) : JN_NONE;
    if (joint < 0) continue;
    jn_dof *dof = &b->links[joint].link.joint.dof[number];
    if (d->first_rotor < d->n) dof->armature = x[d->first_rotor + k];
    if (d->first_viscous < d->n) dof->damping = x[d->first_viscous + k];
    if (d->first_coulomb < d->n) dof->friction = x[d->first_coulomb + k];
  }
  status = jn_builder_freeze(b, model, NULL);
  jn_builder_destroy(b);
  return status;
}

/* Warnings that the checks of a model give for x; -1: it is none. */
static int count_warnings(const jn_identification *d, const double *x) {
  jn_report *report = jn_report_create(&d->allocator);
  jn_model *model = NULL;
  jn_status status = make_model(d, x, report, &model);
  int count = status == JN_OK && report ? jn_report_count_of(report, JN_WARNING) : -1;
  jn_model_destroy(model);
  jn_report_destroy(report);
  return count;
}

static jn_status solve_consistent(stack *s, double w) {
  jn_identification *d = s->d;
  size_t n = (size_t)d->n, wide = (size_t)s->wide;
  double *A = numbers(&d->allocator, wide * n), *y = numbers(&d->allocator, wide), *x = numbers(&d->allocator, n);
  jn_status status = A && y && x ? JN_OK : JN_ERR_MEMORY;
  if (status == JN_OK) {
    double score[WEIGHTS][JN_FOLDS];
    if (w < 0) {
      w = choose_weight(score, cross_validate(s, A, y, x, score));
      merge_folds(s, -1);
      stack_channels(s);
    }
    make_system(s, A, y);
    memcpy(d->x, d->x0, n * sizeof *x);
    int before = count_warnings(d, d->x0);
    for (int tries = 0; tries < 12 && !jn__is_stopped();
         tries++, w *= 30) { /* data that make no sense get less weight */
      d->estimate.prior = w;
      d->estimate.iterations = jn__ident_consistent(d, A, y, s->wide, w, 1e-13, d->x);
      if (d->estimate.iterations == 0) status = JN_ERR_MEMORY;
      if (status != JN_OK || (unsigned)count_warnings(d, d->x) <= (unsigned)before) break;
    }
  }
  jn__release(&d->allocator, A);
  jn__release(&d->allocator, y);
  jn__release(&d->allocator, x);
  return status;
}

/* ---- Public ---- */

static void describe(stack *s) {
  jn_identification *d = s->d;
  double rows = 0;
  for (int i = 0; i < d->channels; i++) rows += channel_rows(&d->channel[i]);
  for (int k = 0; k < d->nb; k++) d->deviation[k] = INFINITY;
  for (int k = 0; k < s->count; k++) d->deviation[s->told[k]] = sqrt(s->C[(size_t)k * (size_t)s->count + (size_t)k]);
  memcpy(d->base, s->b, (size_t)d->nb * sizeof *d->base);
  memcpy(d->noise, s->sigma, (size_t)d->channels * sizeof *d->noise);
  d->estimate = (jn_estimate){.channels = d->channels,
                              .count = d->n,
                              .base_count = d->nb,
                              .rows = rows,
                              .rejected = d->rejected,
                              .told = s->count,
                              .condition = find_condition(s),
                              .base = d->base,
                              .deviation = d->deviation,
                              .essential = d->essential,
                              .x = d->x,
                              .noise = d->noise};
}

jn_status jn_identification_solve(jn_identification *d, double w, int consistent, const jn_estimate **estimate) {
  if (estimate) *estimate = NULL;
  if (!d) return JN_ERR_NULL;
  if (w != w) return JN_ERR_SIZE;
  stack s;
  jn_status status = stack_init(&s, d);
  jn__ident_flush(d);
  if (status == JN_OK && !start_noise(&s)) status = JN_ERR_MODEL;
  if (status == JN_OK) {
    merge_folds(&s, -1);
    status = find_noise(&s);
    if (jn__is_stopped()) status = JN_ERR_STOPPED;
  }
  if (status == JN_OK) {
    find_covariance(&s);
    describe(&s);
    find_essential(&s, d->essential);
    memcpy(d->x, d->x0, (size_t)d->n * sizeof *d->x);
    if (consistent) status = solve_consistent(&s, w);
  }
  if (jn__is_stopped()) status = JN_ERR_STOPPED;
  d->solved = status == JN_OK;
  if (status == JN_OK && estimate) *estimate = &d->estimate;
  stack_free(&s);
  return status;
}

jn_status jn_identification_base_residuals(const jn_identification *d, const double *b, double *error, double *force,
                                           double *rows) {
  if (!d || !b) return JN_ERR_NULL;
  double *scratch = numbers(&d->allocator, (size_t)d->nb + 1);
  if (!scratch) return JN_ERR_MEMORY;
  jn__ident_flush((jn_identification *)(size_t)d);
  for (int i = 0; i < d->channels; i++) {
    const jn_channel *c = &d->channel[i];
    double count = channel_rows(c), squares = 0;
    for (int f = 0; f < JN_FOLDS; f++) squares += jn__ident_squares(c, f, b, scratch);
    if (error) error[i] = count > 0 ? sqrt(squares / count) : 0;
    if (force) force[i] = count > 0 ? sqrt(channel_forces(c) / count) : 0;
    if (rows) rows[i] = count;
  }
  jn__release(&d->allocator, scratch);
  return JN_OK;
}

jn_status jn_identification_residuals(const jn_identification *d, const double *x, double *error, double *force,
                                      double *rows) {
  if (!d || !x) return JN_ERR_NULL;
  double *b = numbers(&d->allocator, (size_t)d->nb);
  if (!b) return JN_ERR_MEMORY;
  jn__ident_to_base(d, x, b);
  jn_status status = jn_identification_base_residuals(d, b, error, force, rows);
  jn__release(&d->allocator, b);
  return status;
}

jn_status jn_identification_foresee(jn_identification *d, const double *noise, double *deviation, int *told,
                                    double *condition) {
  if (!d || !noise) return JN_ERR_NULL;
  stack s;
  jn_status status = stack_init(&s, d);
  jn__ident_flush(d);
  for (int i = 0; i < d->channels && status == JN_OK; i++)
    s.sigma[i] = channel_rows(&d->channel[i]) > 0 && noise[i] > 0 ? noise[i] : 0;
  if (status == JN_OK) {
    merge_folds(&s, -1);
    stack_channels(&s);
    status = find_told(&s);
  }
  if (status == JN_OK) {
    solve_told(&s);
    find_covariance(&s);
    for (int k = 0; k < d->nb && deviation; k++) deviation[k] = INFINITY;
    for (int k = 0; k < s.count && deviation; k++)
      deviation[s.told[k]] = sqrt(s.C[(size_t)k * (size_t)s.count + (size_t)k]);
    if (told) *told = s.count;
    if (condition) *condition = find_condition(&s);
  }
  stack_free(&s);
  return status;
}

jn_status jn_identification_model(const jn_identification *d, const double *x, jn_model **model) {
  if (model) *model = NULL;
  if (!d || !x || !model) return JN_ERR_NULL;
  return make_model(d, x, NULL, model);
}
