/* SPDX-License-Identifier: BSD-2-Clause */
/* A measured motion into rows. Each thread takes a stretch of it: it evaluates chunks of samples; then each channel
 * filters its own columns, the force among them, with the same window, and keeps every row that is finished, in
 * triangles of the thread's own. Nothing is shared until these are added to each other at the end. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../model/stop.h"
#include "identify.h"
#include "jounce/jets.h"

enum { CHUNK = 256, RING = 8, REACH = 3, THREAD_ROWS = 20000 };

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

/* One stretch of a motion. */
typedef struct feed {
  jn_identification *d;
  jn_channel *channel; /* where the rows go */
  const jn_trajectory *motion;
  const jn_measurement *m;
  double first, step, typical; /* the time of window 0, the step between windows, and between samples */
  int filtered;
  long row, end;   /* rows of the trajectory from here to there */
  long from, to;   /* windows that are kept */
  int count;       /* samples in the chunk */
  jn_batch *batch; /* of the thread */
  double *memory, *scratch;
  jn_work *work; /* the same */
  double *t, *dt, *q, *v, *a, *force, *Y_pi, *Y, *known, *theta, *user, *jet;
  double *motor;   /* [CHUNK x channels] the forces of the motors alone, for torque constants */
  double *N;       /* [CHUNK x nv x nv] of models with loops */
  double *wrench;  /* [links x 6] */
  double *both;    /* [rows x 10L] Y_pi of joints and of the wrench */
  window *windows; /* [channels] */
  double rejected;
  jn_status status;
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

/* Free joints have no motor: what acts on them is measured as wrenches, if at all. */
static int is_free(const jn_identification *d, int i) {
  return jn_joint_type_of(d->model, jn_coordinate_joint(d->model, i, NULL)) == JN_FREE;
}

/* The joint force; with motors, sum_k G_ki force_k, NaN if one of them is missing. */
static double raw_force(const feed *f, int channel, long row) {
  const jn_identification *d = f->d;
  if (f->m->wrench == JN_WRENCH_CONTACT && is_free(d, channel) && !jn_trajectory_forces(f->motion, channel)) return 0;
  if (d->closure && !d->closure->actuated[channel]) return 0;
  if (!f->m->motors) return measured(f, channel, row);
  double sum = 0;
  for (int k = 0; k < d->motors; k++) {
    double g = d->G[up(k) * up(d->nv) + up(channel)];
    if (g != 0) sum += g * measured(f, k, row);
  }
  return sum;
}

/* Forces at sample s, whose motion is there: those of the motors and, if they are measured, of wrenches. */
static jn_status load_forces(feed *f, size_t s, int row) {
  jn_identification *d = f->d;
  size_t nv = up(d->nv), channels = up(d->channels), link = 6 * up(d->options.wrench_link);
  double *motor = f->motor + s * channels, *force = f->force + s * channels;
  jn_status status = JN_OK;
  for (int i = 0; i < d->channels; i++) motor[i] = i < d->nv ? raw_force(f, i, row) : NAN;
  memcpy(force, motor, channels * sizeof *force);
  if (f->m->wrench) status = jn_trajectory_wrenches(f->motion, f->t[s], 0, f->wrench);
  if (f->m->wrench == JN_WRENCH_JOINT && status == JN_OK) memcpy(force + nv, f->wrench + link, 6 * sizeof *force);
  if (f->m->wrench == JN_WRENCH_CONTACT && status == JN_OK) {
    status = jn_wrench_forces_jet(d->model, f->work, 0, f->q + s * up(d->nq), f->v + s * nv, f->wrench, f->jet);
    for (size_t i = 0; i < nv; i++) force[i] += f->jet[i];
  }
  if (d->closure) jn__ident_close_forces(d, f->N + s * nv * nv, force);
  return status;
}

/* Times, forces and motion of the next samples. */
static jn_status load_chunk(feed *f) {
  jn_identification *d = f->d;
  size_t nv = up(d->nv), nq = up(d->nq);
  f->count = 0;
  jn_status status = JN_OK;
  while (f->row < f->end && f->count < CHUNK && status == JN_OK) {
    int row = (int)f->row++;
    double t = jn_trajectory_force_time(f->motion, row), at = t - f->m->delay;
    if (t < f->m->start || t > f->m->end || at < jn_trajectory_start(f->motion) || at > jn_trajectory_end(f->motion))
      continue;
    double before = row > 0 ? jn_trajectory_force_time(f->motion, row - 1) : t;
    double after = row + 1 < jn_trajectory_force_rows(f->motion) ? jn_trajectory_force_time(f->motion, row + 1) : t;
    size_t s = up(f->count++);
    f->t[s] = t;
    f->dt[s] = 0.5 * (after - before);
    status = jn__ident_state(d, f->motion, at, f->q + s * nq, f->v + s * nv, f->a + s * nv, f->jet, f->N + s * nv * nv);
    if (status == JN_OK) status = load_forces(f, s, row);
  }
  return status;
}

/* Y_pi [rows x 10L] of a sample with the wrench of a link, which batches do not have. */
static jn_status wrench_rows(feed *f, size_t k, double *Y_pi) {
  const jn_identification *d = f->d;
  const double *q = f->q + k * up(d->nq), *v = f->v + k * up(d->nv), *a = f->a + k * up(d->nv);
  return jn_joint_wrench_regressor(d->model, f->work, d->options.wrench_link, q, v, a,
                                   Y_pi + up(d->nv) * 10 * up(d->links));
}

static jn_status make_regressors(feed *f) {
  jn_identification *d = f->d;
  size_t channels = up(d->channels), n = up(d->n), width = 10 * up(d->links), nv = up(d->nv), nq = up(d->nq);
  jn_status status = jn_regressor_batch(f->batch, up(f->count), f->q, f->v, f->a, f->Y_pi);
  int rows = f->m->wrench == JN_WRENCH_JOINT ? d->rows : d->nv;
  for (size_t k = 0; k < up(f->count) && status == JN_OK; k++) {
    double *Y_pi = f->Y_pi + k * nv * width, *Y = f->Y + k * channels * n, *known = f->known + k * channels;
    if (rows > d->nv) {
      memcpy(f->both, Y_pi, nv * width * sizeof *Y_pi);
      status = wrench_rows(f, k, Y_pi = f->both);
    }
    jn__ident_rows(d, rows, f->q + k * nq, f->v + k * nv, f->a + k * nv, f->motor + k * channels, Y_pi, f->theta,
                   f->user, Y, known);
    if (!d->closure) continue;
    jn__ident_close_rows(d, f->N + k * nv * nv, d->n, Y);
    jn__ident_close_rows(d, f->N + k * nv * nv, 1, known);
  }
  return status;
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
  const jn_channel *c = &f->channel[channel];
  if (!(d->screen > 0) || !(d->screen_noise[channel] > 0)) return 0;
  double e = -row[c->width - 1];
  for (int k = 0; k + 1 < c->width; k++) e += row[k] * d->screen_base[c->column[k]];
  return fabs(e) > d->screen * d->screen_noise[channel];
}

static void keep(feed *f, int channel, double t, const double *row, double force) {
  if (!jn__ident_fits(row, f->channel[channel].width) || !jn__ident_fits(&force, 1))
    f->status = JN_ERR_MODEL;
  else if (is_outlier(f, channel, row))
    f->rejected++;
  else
    jn__ident_push(&f->channel[channel], fold_of(f, t), row, force);
}

/* Window k is complete: keep it if nothing is missing, and make it ready for k + RING. */
static void finish(feed *f, int channel, long k) {
  window *w = &f->windows[channel];
  int at = (int)(k % RING), width = f->channel[channel].width;
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
  int width = f->channel[channel].width;
  double u = (t - f->first) / f->step;
  long from = (long)ceil(u - REACH), to = (long)floor(u + REACH);
  if (from < f->from) from = f->from;
  if (to >= f->to) to = f->to - 1;
  for (int n = 0; n < RING && w->next < from; n++) finish(f, channel, w->next++);
  if (w->next < from) w->next = from; /* behind a gap: all windows are empty again */
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
static void feed_channel(feed *f, int i) {
  jn_identification *d = f->d;
  const jn_channel *c = &f->channel[i];
  size_t channels = up(d->channels), n = up(d->n);
  double *row = f->scratch;
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

static int is_measured(const feed *f, int i) {
  const jn_identification *d = f->d;
  if (i >= d->nv) return f->m->wrench == JN_WRENCH_JOINT;
  if (d->closure) return d->closure->held[i];
  if (f->m->wrench == JN_WRENCH_CONTACT && is_free(d, i)) return 1;
  return f->m->motors || jn_trajectory_forces(f->motion, i) != NULL;
}

/* ---- One stretch ---- */

static jn_status make_feed(feed *f) {
  jn_identification *d = f->d;
  size_t channels = up(d->channels), n = up(d->n), nv = up(d->nv), windows = 0;
  for (int i = 0; i < d->channels; i++) windows += RING * (up(f->channel[i].width) + 1);
  const size_t sizes[] = {CHUNK,
                          CHUNK,
                          CHUNK * up(d->nq),
                          CHUNK * nv,
                          CHUNK * nv,
                          CHUNK * channels,
                          CHUNK * nv * 10 * up(d->links),
                          CHUNK * channels * n,
                          CHUNK * channels,
                          3 * up(d->motors),
                          nv * up(d->options.user_columns),
                          3 * nv,
                          up(d->nb) + 2,
                          CHUNK * channels,
                          d->closure ? CHUNK * nv * nv : 0,
                          6 * up(d->links),
                          d->rows > d->nv ? up(d->rows) * 10 * up(d->links) : 0,
                          windows};
  double **const arrays[] = {&f->t,       &f->dt,    &f->q,     &f->v,      &f->a,    &f->force,
                             &f->Y_pi,    &f->Y,     &f->known, &f->theta,  &f->user, &f->jet,
                             &f->scratch, &f->motor, &f->N,     &f->wrench, &f->both};
  enum { ARRAYS = sizeof arrays / sizeof *arrays };
  size_t count = 0;
  for (int k = 0; k <= ARRAYS; k++) count += sizes[k];
  f->windows = jn__allocate(&d->allocator, channels * sizeof *f->windows);
  double *p = f->memory = jn__allocate(&d->allocator, count * sizeof *p);
  if (!p || !f->windows) return JN_ERR_MEMORY;
  for (int k = 0; k < ARRAYS; k++) {
    *arrays[k] = p;
    p += sizes[k];
  }
  for (int i = 0; i < d->channels; i++) {
    f->windows[i].sum = p;
    f->windows[i].next = f->from;
    p += RING * (up(f->channel[i].width) + 1);
  }
  jn_status status = jn_work_create_order(d->model, 0, &f->work);
  return status == JN_OK ? jn_batch_create(d->model, -1, 1, &f->batch) : status;
}

static void run(feed *f) {
  const jn_identification *d = f->d;
  while (f->row < f->end && f->status == JN_OK) {
    f->status = jn__is_stopped() ? JN_ERR_STOPPED : load_chunk(f);
    if (f->status == JN_OK && f->count > 0) f->status = make_regressors(f);
    for (int i = 0; i < d->rows && f->status == JN_OK; i++)
      if (is_measured(f, i)) feed_channel(f, i);
  }
  for (int i = 0; i < d->rows && f->status == JN_OK && f->filtered; i++)
    for (int n = 0; n < RING && f->windows[i].next < f->to; n++) finish(f, i, f->windows[i].next++);
}

static void free_feed(feed *f) {
  jn__release(&f->d->allocator, f->memory);
  jn__release(&f->d->allocator, f->windows);
  jn_batch_destroy(f->batch);
  jn_work_destroy(f->work);
}

/* ---- All of them ---- */

/* The first row at or behind a time. */
static long row_at(const jn_trajectory *t, double time) {
  long low = 0, high = jn_trajectory_force_rows(t);
  while (low < high) {
    long middle = (low + high) / 2;
    if (jn_trajectory_force_time(t, (int)middle) < time)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Stretch k of `count`: its windows, and the rows that they reach. */
static void set_stretch(feed *f, int k, int count) {
  long rows = jn_trajectory_force_rows(f->motion);
  f->row = rows * k / count;
  f->end = rows * (k + 1) / count;
  if (!f->filtered) return;
  double last = jn_trajectory_force_time(f->motion, (int)rows - 1);
  long windows = last > f->first ? (long)((last - f->first) / f->step) + 1 : 0;
  f->from = windows * k / count;
  f->to = windows * (k + 1) / count;
  f->row = row_at(f->motion, f->first + ((double)f->from - REACH) * f->step - f->typical);
  f->end = row_at(f->motion, f->first + ((double)f->to + REACH) * f->step + f->typical);
}

static jn_status run_all(const feed *whole, int count) {
  jn_identification *d = whole->d;
  feed *feeds = jn__allocate(&d->allocator, up(count) * sizeof *feeds);
  if (!feeds) return JN_ERR_MEMORY;
  jn_status status = JN_OK;
  for (int k = 0; k < count; k++) {
    feeds[k] = *whole;
    feeds[k].channel = k == 0 ? d->channel : jn__ident_copy_channels(d);
    set_stretch(&feeds[k], k, count);
    feeds[k].status = feeds[k].channel ? make_feed(&feeds[k]) : JN_ERR_MEMORY;
    if (feeds[k].status != JN_OK) status = feeds[k].status;
  }
  jn_stop stop = jn__stop_get();
#if JN_WITH_OPENMP
#pragma omp parallel for num_threads(count) schedule(static, 1) if (count > 1)
#endif
  for (int k = 0; k < count; k++) {
    jn_stop before = jn__stop_get();
    jn__stop_put(stop); /* this may be another thread than that of the caller */
    if (status == JN_OK) run(&feeds[k]);
    jn__stop_put(before);
  }
  for (int k = 0; k < count; k++) {
    if (status == JN_OK) status = feeds[k].status;
    d->rejected += feeds[k].rejected;
    free_feed(&feeds[k]);
    if (k > 0 && feeds[k].channel) jn__ident_merge_channels(d, feeds[k].channel);
  }
  jn__release(&d->allocator, feeds);
  return status;
}

static double typical_step(const jn_trajectory *t) {
  int rows = jn_trajectory_force_rows(t);
  double whole = jn_trajectory_force_time(t, rows - 1) - jn_trajectory_force_time(t, 0);
  return rows > 1 ? whole / (rows - 1) : 0;
}

/* Does the motion give the coordinates that all others of a model with loops follow from? */
static int gives_independent(const jn_identification *d, const jn_trajectory *t) {
  for (int k = 0; d->closure && k < d->closure->count; k++)
    if (!jn_trajectory_given(t, jn_joint_q(d->model, jn_coordinate_joint(d->model, d->closure->independent[k], NULL))))
      return 0;
  return 1;
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
  if (own.wrench < JN_WRENCH_NONE || own.wrench > JN_WRENCH_JOINT) return JN_ERR_SIZE;
  if (own.wrench && !jn_trajectory_has_wrenches(trajectory)) return JN_ERR_MODEL;
  if (own.wrench == JN_WRENCH_JOINT && d->rows == d->nv) return JN_ERR_SIZE;
  if (!gives_independent(d, trajectory)) return JN_ERR_LOOP;
  feed f = {.d = d, .motion = trajectory, .m = &own, .filtered = own.cutoff > 0};
  int rows = jn_trajectory_force_rows(trajectory);
  if (rows < 2) return JN_ERR_MODEL;
  f.typical = typical_step(trajectory);
  f.step = f.filtered ? 0.5 / own.cutoff : f.typical;
  f.first = fmax(jn_trajectory_force_time(trajectory, 0), own.start) + (f.filtered ? REACH * f.step : 0);
  int threads = d->options.user || d->closure ? 1 : jn_batch_threads(d->batch), most = rows / THREAD_ROWS + 1;
  return run_all(&f, threads < most ? threads : most);
}

/* ---- The cutoff that suits a motion ---- */

static int compare_numbers(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* sqrt(sum a^2 / sum v^2) [rad/s] without the largest twentieth of both, which are sorted; with it if nothing moves
 * otherwise. */
static double usual_frequency(double *v_squares, double *a_squares, int count) {
  double v = 0, a = 0;

  qsort(v_squares, up(count), sizeof *v_squares, compare_numbers);
  qsort(a_squares, up(count), sizeof *a_squares, compare_numbers);
  for (int i = 0; i < count; i++) {
    if (i >= count - count / 20 && v > 0) break;
    v += v_squares[i];
    a += a_squares[i];
  }

  return v > 0 ? sqrt(a / v) : 0;
}

double jn_identification_cutoff(const jn_identification *d, const jn_trajectory *t) {
  enum { TIMES = 2000 };
  if (!d || !t || jn_trajectory_force_rows(t) < 2) return 0;

  /* v^2 and a^2 of all coordinates at equidistant times. */
  size_t nv = up(d->nv);
  double start = jn_trajectory_start(t), end = jn_trajectory_end(t), fastest = 0;
  double *jet = jn__allocate(&d->allocator, (2 + 2 * TIMES) * nv * sizeof *jet);
  if (!jet) return 0;
  double *v_squares = jet + 2 * nv, *a_squares = v_squares + TIMES * nv;
  for (size_t k = 0; k < TIMES; k++) {
    jn_trajectory_evaluate(t, start + (end - start) * ((double)k + 0.5) / TIMES, 0, NULL, jet);
    for (size_t i = 0; i < nv; i++) {
      v_squares[i * TIMES + k] = jet[i] * jet[i];
      a_squares[i * TIMES + k] = jet[nv + i] * jet[nv + i];
    }
  }

  /* The frequency of each coordinate, rms(a) / rms(v), without the few moments at which a sensor may have jumped. */
  for (size_t i = 0; i < nv; i++)
    fastest = fmax(fastest, usual_frequency(v_squares + i * TIMES, a_squares + i * TIMES, TIMES));

  jn__release(&d->allocator, jet);
  return fmin(8 * fastest / (2 * 3.14159265358979323846), 0.2 / typical_step(t));
}
