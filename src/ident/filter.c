/* SPDX-License-Identifier: BSD-2-Clause */
/* A measured motion into rows. Chunks of samples are evaluated at once; then each channel filters its own columns, the
 * force among them, with the same window, and keeps every row that is finished. */
#include <math.h>
#include <string.h>

#include "identify.h"

enum { CHUNK = 256, RING = 8, REACH = 3 };

void jn_measurement_init(jn_measurement *m) {
  if (m) *m = (jn_measurement){.size = sizeof *m, .start = -INFINITY, .end = INFINITY, .fold = -1};
}

/* Rows of one channel on their way. Windows are numbered from the start; k is at RING place k mod RING. */
typedef struct window {
  double *sum;                        /* [RING x width] */
  double weight[RING], covered[RING]; /* sums of weights, and of the time that samples stand for */
  unsigned char bad[RING];
  long next; /* the first that is not finished */
} window;

typedef struct feed {
  jn_identification *d;
  const jn_trajectory *motion;
  const jn_measurement *m;
  double first, step, typical; /* the time of window 0, the step between windows, and between samples */
  int filtered;
  long rows; /* of the trajectory */
  int count; /* samples in the chunk */
  double *t, *dt, *q, *v, *a, *force, *Y_pi, *Y, *known, *theta, *user;
  window *windows;  /* [channels] */
  double *rejected; /* [channels] */
} feed;

static size_t up(int i) { return (size_t)i; }

/* ---- Samples ---- */

static double measured(const feed *f, int channel, long row) {
  const double *x = jn_trajectory_forces(f->motion, channel);
  if (!x) return NAN;
  double value = x[row];
  if (f->m->limit && fabs(value) >= f->m->limit[channel]) return NAN;
  return f->m->scale ? value * f->m->scale[channel] : value;
}

/* The joint force; with motors, sum_k G_ki force_k, NaN if one of them is missing. */
static double raw_force(const feed *f, int channel, long row) {
  const jn_identification *d = f->d;
  if (!f->m->motors) return measured(f, channel, row);
  double sum = 0;
  for (int k = 0; k < d->motors; k++) {
    double g = d->G[up(k) * up(d->nv) + up(channel)];
    if (g != 0) sum += g * measured(f, k, row);
  }
  return sum;
}

/* Times, forces and motion of the samples from row *from on, which moves on. */
static jn_status load_chunk(feed *f, long *from) {
  jn_identification *d = f->d;
  double v_jet[3 * 64], *jet = v_jet;
  size_t nv = up(d->nv), nq = up(d->nq), channels = up(d->channels);
  double *own = d->nv > 64 ? jn__allocate(&d->allocator, 3 * nv * sizeof *own) : NULL;
  if (d->nv > 64 && !own) return JN_ERR_MEMORY;
  if (own) jet = own;
  f->count = 0;
  jn_status status = JN_OK;
  while (*from < f->rows && f->count < CHUNK && status == JN_OK) {
    long row = (*from)++;
    double t = jn_trajectory_force_time(f->motion, (int)row), at = t - f->m->delay;
    if (t < f->m->start || t > f->m->end || at < jn_trajectory_start(f->motion) || at > jn_trajectory_end(f->motion))
      continue;
    double before = row > 0 ? jn_trajectory_force_time(f->motion, (int)row - 1) : t;
    double after = row + 1 < f->rows ? jn_trajectory_force_time(f->motion, (int)row + 1) : t;
    size_t s = up(f->count++);
    f->t[s] = t;
    f->dt[s] = 0.5 * (after - before);
    for (int i = 0; i < d->channels; i++) f->force[s * channels + up(i)] = i < d->nv ? raw_force(f, i, row) : NAN;
    status = jn_trajectory_evaluate(f->motion, at, 0, f->q + s * nq, jet);
    memcpy(f->v + s * nv, jet, nv * sizeof *jet);
    memcpy(f->a + s * nv, jet + nv, nv * sizeof *jet);
  }
  jn__release(&d->allocator, own);
  return status;
}

static jn_status make_regressors(feed *f) {
  jn_identification *d = f->d;
  size_t channels = up(d->channels), n = up(d->n), width = 10 * up(d->links), nv = up(d->nv), nq = up(d->nq);
  jn_status status = jn_regressor_batch(d->batch, up(f->count), f->q, f->v, f->a, f->Y_pi);
  if (status != JN_OK) return status;
#if JN_WITH_OPENMP
#pragma omp parallel for num_threads(jn_batch_threads(d->batch)) schedule(static) if (d->options.user == NULL)
#endif
  for (int s = 0; s < f->count; s++) {
    size_t k = up(s);
    jn__ident_rows(d, d->nv, f->q + k * nq, f->v + k * nv, f->a + k * nv, f->force + k * channels,
                   f->Y_pi + k * nv * width, f->theta + k * 3 * up(d->motors),
                   f->user + k * nv * up(d->options.user_columns), f->Y + k * channels * n, f->known + k * channels);
  }
  return JN_OK;
}

/* ---- Windows ---- */

static double sinc(double x) {
  const double pi = 3.14159265358979323846;
  return fabs(x) < 1e-8 ? 1 : sin(pi * x) / (pi * x);
}

static int fold_of(const feed *f, double t) {
  if (f->m->fold >= 0) return f->m->fold;
  return (int)fmod(floor((t - f->first) / 0.5 + 1e-9) + JN_FOLDS * 1e6, JN_FOLDS);
}

/* Far from what the screening solution says? */
static int is_outlier(const feed *f, int channel, const double *row) {
  const jn_identification *d = f->d;
  const jn_channel *c = &d->channel[channel];
  if (!(d->screen > 0) || !(d->screen_noise[channel] > 0)) return 0;
  double e = -row[c->width - 1];
  for (int k = 0; k + 1 < c->width; k++) e += row[k] * d->screen_base[c->column[k]];
  return fabs(e) > d->screen * d->screen_noise[channel];
}

static void keep(feed *f, int channel, double t, const double *row, double force) {
  if (is_outlier(f, channel, row))
    f->rejected[channel]++;
  else
    jn__ident_push(f->d, channel, fold_of(f, t), row, force);
}

/* Window k is complete: keep it if nothing is missing, and make it ready for k + RING. */
static void finish(feed *f, int channel, long k) {
  window *w = &f->windows[channel];
  int at = (int)(k % RING), width = f->d->channel[channel].width;
  double *sum = w->sum + at * (width + 1);
  int whole = !w->bad[at] && w->covered[at] > 0.97 * 2 * REACH * f->step && w->covered[at] < 1.1 * 2 * REACH * f->step;
  if (whole && w->weight[at] > 0) {
    for (int c = 0; c <= width; c++) sum[c] /= w->weight[at];
    keep(f, channel, f->first + (double)k * f->step, sum, sum[width]);
  }
  memset(sum, 0, up(width + 1) * sizeof *sum);
  w->weight[at] = w->covered[at] = 0;
  w->bad[at] = 0;
}

/* One sample into all windows that reach it. row: width numbers, then the force. */
static void add_sample(feed *f, int channel, double t, double dt, const double *row, int missing) {
  window *w = &f->windows[channel];
  int width = f->d->channel[channel].width;
  double u = (t - f->first) / f->step;
  long from = (long)ceil(u - REACH), to = (long)floor(u + REACH);
  if (from < 0) from = 0;
  while (w->next < from) {
    finish(f, channel, w->next);
    w->next++;
    if (w->next + 2 * RING < from) w->next = from; /* a gap: all windows are empty */
  }
  for (long k = from; k <= to && k < from + RING; k++) {
    int at = (int)(k % RING);
    double x = u - (double)k;
    if (missing || dt > 5 * f->typical) w->bad[at] = 1;
    double h = dt * sinc(x) * sinc(x / REACH), *sum = w->sum + at * (width + 1);
    w->weight[at] += h;
    w->covered[at] += dt;
    if (missing) continue;
    for (int c = 0; c <= width; c++) sum[c] += h * row[c];
  }
}

/* All samples of the chunk into one channel. */
static void feed_channel(feed *f, int i, double *row) {
  jn_identification *d = f->d;
  const jn_channel *c = &d->channel[i];
  size_t channels = up(d->channels), n = up(d->n);
  for (int s = 0; s < f->count; s++) {
    double force = f->force[up(s) * channels + up(i)];
    const double *Y = f->Y + (up(s) * channels + up(i)) * n;
    int missing = !isfinite(force);
    for (int k = 0; k + 1 < c->width && !missing; k++) row[k] = Y[d->lead[c->column[k]]];
    row[c->width - 1] = force - f->known[up(s) * channels + up(i)];
    row[c->width] = force;
    if (f->filtered)
      add_sample(f, i, f->t[s], f->dt[s], row, missing);
    else if (!missing)
      keep(f, i, f->t[s], row, force);
  }
}

static void feed_channels(feed *f, double *rows, size_t room) {
  jn_identification *d = f->d;
#if JN_WITH_OPENMP
#pragma omp parallel for num_threads(jn_batch_threads(d->batch)) schedule(dynamic)
#endif
  for (int i = 0; i < d->nv; i++)
    if (f->m->motors || jn_trajectory_forces(f->motion, i)) feed_channel(f, i, rows + up(i) * room);
}

/* ---- Together ---- */

static jn_status make_feed(feed *f, double **memory, double **rows, size_t *room) {
  jn_identification *d = f->d;
  size_t channels = up(d->channels), n = up(d->n), nv = up(d->nv), each = 0;
  *room = up(d->nb) + 2;
  for (int i = 0; i < d->channels; i++) each += RING * (up(d->channel[i].width) + 1);
  size_t sample = 2 + up(d->nq) + 2 * nv + channels + nv * 10 * up(d->links) + channels * n + channels +
                  3 * up(d->motors) + nv * up(d->options.user_columns);
  size_t count = CHUNK * sample + each + channels * *room + channels;
  f->windows = jn__allocate(&d->allocator, channels * sizeof *f->windows);
  double *p = *memory = jn__allocate(&d->allocator, count * sizeof *p);
  if (!p || !f->windows) return JN_ERR_MEMORY;
  f->t = p, p += CHUNK;
  f->dt = p, p += CHUNK;
  f->q = p, p += CHUNK * up(d->nq);
  f->v = p, p += CHUNK * nv;
  f->a = p, p += CHUNK * nv;
  f->force = p, p += CHUNK * channels;
  f->Y_pi = p, p += CHUNK * nv * 10 * up(d->links);
  f->Y = p, p += CHUNK * channels * n;
  f->known = p, p += CHUNK * channels;
  f->theta = p, p += CHUNK * 3 * up(d->motors);
  f->user = p, p += CHUNK * nv * up(d->options.user_columns);
  for (int i = 0; i < d->channels; i++) {
    f->windows[i].sum = p;
    p += RING * (up(d->channel[i].width) + 1);
  }
  *rows = p, p += channels * *room;
  f->rejected = p;
  return JN_OK;
}

static double typical_step(const jn_trajectory *t) {
  int rows = jn_trajectory_force_rows(t);
  double whole = jn_trajectory_force_time(t, rows - 1) - jn_trajectory_force_time(t, 0);
  return rows > 1 ? whole / (rows - 1) : 0;
}

static jn_status run(feed *f) {
  double *memory = NULL, *rows = NULL;
  size_t room = 0;
  jn_status status = make_feed(f, &memory, &rows, &room);
  for (long row = 0; row < f->rows && status == JN_OK;) {
    status = load_chunk(f, &row);
    if (status == JN_OK && f->count > 0) status = make_regressors(f);
    if (status == JN_OK) feed_channels(f, rows, room);
  }
  for (int i = 0; i < f->d->nv && status == JN_OK; i++) f->d->rejected += f->rejected[i];
  jn__release(&f->d->allocator, memory);
  jn__release(&f->d->allocator, f->windows);
  return status;
}

jn_status jn_identification_add_trajectory(jn_identification *d, const jn_trajectory *trajectory,
                                           const jn_measurement *measurement) {
  jn_measurement own;
  if (!d || !trajectory) return JN_ERR_NULL;
  jn_measurement_init(&own);
  if (measurement && measurement->size != sizeof own) return JN_ERR_INIT;
  if (measurement) own = *measurement;
  if (!(own.cutoff >= 0) || !isfinite(own.delay) || own.fold >= JN_FOLDS || isnan(own.start) || isnan(own.end))
    return JN_ERR_SIZE;
  if (own.motors && d->motors != d->nv) return JN_ERR_SIZE;
  feed f = {.d = d, .motion = trajectory, .m = &own, .rows = jn_trajectory_force_rows(trajectory)};
  if (f.rows < 2) return JN_ERR_MODEL;
  f.typical = typical_step(trajectory);
  f.filtered = own.cutoff > 0;
  f.step = f.filtered ? 0.5 / own.cutoff : f.typical;
  double start = jn_trajectory_force_time(trajectory, 0);
  f.first = fmax(start, own.start) + (f.filtered ? REACH * f.step : 0);
  return run(&f);
}

double jn_identification_cutoff(const jn_identification *d, const jn_trajectory *t) {
  enum { TIMES = 2000 };
  if (!d || !t || jn_trajectory_force_rows(t) < 2) return 0;
  size_t nv = up(d->nv);
  double start = jn_trajectory_start(t), end = jn_trajectory_end(t), fastest = 0;
  double *jet = jn__allocate(&d->allocator, 5 * nv * sizeof *jet), *vv = jet + 3 * nv, *aa = vv + nv;
  for (int k = 0; k <= TIMES && jet; k++) {
    jn_trajectory_evaluate(t, start + (end - start) * k / TIMES, 0, NULL, jet);
    for (size_t i = 0; i < nv; i++) vv[i] += jet[i] * jet[i], aa[i] += jet[nv + i] * jet[nv + i];
  }
  for (size_t i = 0; i < nv && jet; i++)
    if (vv[i] > 0) fastest = fmax(fastest, sqrt(aa[i] / vv[i]));
  jn__release(&d->allocator, jet);
  return fmin(8 * fastest / (2 * 3.14159265358979323846), 0.2 / typical_step(t));
}
