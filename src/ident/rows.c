/* SPDX-License-Identifier: BSD-2-Clause */
/* Measured rows, reduced to triangles as they come: one for each channel and part of the data. */
#include <math.h>
#include <string.h>

#include "../model/stop.h"
#include "identify.h"

/* Room for a channel with `width` columns. */
static jn_status make_channel(const jn_allocator *a, jn_channel *c, int width) {
  size_t n = (size_t)width;
  c->width = width;
  c->column = jn__allocate(a, n * sizeof *c->column);
  c->R = jn__allocate(a, JN_FOLDS * n * n * sizeof *c->R);
  c->block = jn__allocate(a, JN_FOLDS * JN_BLOCK_ROWS * n * sizeof *c->block);
  c->w = jn__allocate(a, n * sizeof *c->w);
  return c->column && c->R && c->block && c->w ? JN_OK : JN_ERR_MEMORY;
}

static void free_channels(const jn_identification *d, jn_channel *channel) {
  for (int i = 0; i < d->channels && channel; i++) {
    jn_channel *c = &channel[i];
    jn__release(&d->allocator, c->column);
    jn__release(&d->allocator, c->R);
    jn__release(&d->allocator, c->block);
    jn__release(&d->allocator, c->w);
  }
  jn__release(&d->allocator, channel);
}

jn_status jn__ident_make_channels(jn_identification *d, const unsigned char *used) {
  d->channel = jn__allocate(&d->allocator, (size_t)d->channels * sizeof *d->channel);
  if (!d->channel) return JN_ERR_MEMORY;
  for (int i = 0; i < d->channels; i++, used += d->nb) {
    int width = 1;
    for (int b = 0; b < d->nb; b++) width += used[b];
    jn_status status = make_channel(&d->allocator, &d->channel[i], width);
    if (status != JN_OK) return status;
    for (int b = 0, k = 0; b < d->nb; b++)
      if (used[b]) d->channel[i].column[k++] = b;
  }
  return JN_OK;
}

void jn__ident_free_channels(jn_identification *d) { free_channels(d, d->channel); }

jn_channel *jn__ident_copy_channels(const jn_identification *d) {
  jn_channel *channel = jn__allocate(&d->allocator, (size_t)d->channels * sizeof *channel);
  jn_status status = channel ? JN_OK : JN_ERR_MEMORY;
  for (int i = 0; i < d->channels && status == JN_OK; i++) {
    const jn_channel *from = &d->channel[i];
    status = make_channel(&d->allocator, &channel[i], from->width);
    if (status == JN_OK) memcpy(channel[i].column, from->column, (size_t)from->width * sizeof *from->column);
  }
  if (status == JN_OK) return channel;
  free_channels(d, channel);
  return NULL;
}

static void reduce(jn_channel *c, int fold) {
  size_t n = (size_t)c->width;
  if (c->pending[fold])
    jn__qr_update(c->R + (size_t)fold * n * n, c->block + (size_t)fold * JN_BLOCK_ROWS * n, c->pending[fold], c->width,
                  c->w);
  c->pending[fold] = 0;
}

int jn__ident_fits(const double *row, int width) {
  for (int k = 0; k < width; k++)
    if (!(fabs(row[k]) <= 1e140)) return 0;
  return 1;
}

void jn__ident_push(jn_channel *c, int fold, const double *row, double force) {
  size_t n = (size_t)c->width;
  memcpy(c->block + ((size_t)fold * JN_BLOCK_ROWS + (size_t)c->pending[fold]) * n, row, n * sizeof *row);
  c->rows[fold]++;
  c->forces[fold] += force * force;
  if (++c->pending[fold] == JN_BLOCK_ROWS) reduce(c, fold);
}

void jn__ident_merge_channels(jn_identification *d, jn_channel *channel) {
  for (int i = 0; i < d->channels; i++)
    for (int f = 0; f < JN_FOLDS; f++) {
      jn_channel *c = &d->channel[i], *from = &channel[i];
      size_t size = (size_t)c->width * (size_t)c->width;
      reduce(from, f);
      if (from->rows[f] > 0)
        jn__qr_update(c->R + (size_t)f * size, from->R + (size_t)f * size, c->width, c->width, c->w);
      c->rows[f] += from->rows[f];
      c->forces[f] += from->forces[f];
    }
  free_channels(d, channel);
}

void jn__ident_flush(jn_identification *d) {
  for (int i = 0; i < d->channels; i++)
    for (int f = 0; f < JN_FOLDS; f++) reduce(&d->channel[i], f);
}

double jn__ident_squares(const jn_channel *c, int fold, const double *b, double *scratch) {
  size_t n = (size_t)c->width;
  const double *R = c->R + (size_t)fold * n * n;
  double sum = 0;
  for (size_t k = 0; k + 1 < n; k++) scratch[k] = b[c->column[k]];
  scratch[n - 1] = -1;
  for (size_t i = 0; i < n; i++) {
    double e = 0;
    for (size_t k = i; k < n; k++) e += R[i * n + k] * scratch[k];
    sum += e * e;
  }
  return sum;
}

void jn_identification_clear(jn_identification *d, double factor) {
  if (!d) return;
  for (int i = 0; i < d->channels; i++) {
    jn_channel *c = &d->channel[i];
    size_t n = (size_t)c->width;
    memset(c->R, 0, JN_FOLDS * n * n * sizeof *c->R);
    memset(c->pending, 0, sizeof c->pending);
    memset(c->rows, 0, sizeof c->rows);
    memset(c->forces, 0, sizeof c->forces);
  }
  d->rejected = 0;
  d->screen = factor > 0 && d->solved ? factor : 0;
  if (d->screen > 0) {
    memcpy(d->screen_base, d->base, (size_t)d->nb * sizeof *d->base);
    memcpy(d->screen_noise, d->noise, (size_t)d->channels * sizeof *d->noise);
  }
}

/* ---- Adding rows ---- */

/* Rows without times: parts alternate every 16 rows. */
static int next_fold(const jn_channel *c) {
  double rows = 0;
  for (int f = 0; f < JN_FOLDS; f++) rows += c->rows[f];
  return (int)fmod(floor(rows / 16), JN_FOLDS);
}

jn_status jn_identification_add(jn_identification *d, size_t count, const double *q, const double *v, const double *a,
                                const double *forces) {
  if (!d || (count && (!q || !v || !a || !forces))) return JN_ERR_NULL;
  size_t n = (size_t)d->n, channels = (size_t)d->channels;
  if (count > PTRDIFF_MAX / sizeof(double) / ((size_t)d->nq + (size_t)d->nv + channels + 1)) return JN_ERR_SIZE;
  double *Y = jn__allocate(&d->allocator, (channels * n + 2 * channels + n + 1) * sizeof *Y);
  if (!Y) return JN_ERR_MEMORY;
  double *known = Y + channels * n, *f = known + channels, *row = f + channels;
  jn_status status = JN_OK;
  for (size_t s = 0; s < count && status == JN_OK; s++) {
    if (jn__is_stopped()) {
      status = JN_ERR_STOPPED;
      break;
    }
    const double *qs = q + s * (size_t)d->nq, *vs = v + s * (size_t)d->nv, *as = a + s * (size_t)d->nv;
    memcpy(f, forces + s * channels, channels * sizeof *f);
    for (int i = 0; i < d->nv && d->closure; i++)
      if (!d->closure->actuated[i]) f[i] = 0;
    status = jn_identification_regressor(d, d->work, qs, vs, as, f, Y, known);
    if (status == JN_OK && d->closure) jn__ident_close_forces(d, d->closure->N, f);
    for (size_t k = 0; k < channels * n && status == JN_OK; k++)
      if (!isfinite(Y[k]) && !isnan(f[k / n])) status = JN_ERR_MODEL;
    for (int i = 0; i < d->channels && status == JN_OK; i++) {
      jn_channel *c = &d->channel[i];
      if (isnan(f[i])) continue;
      if (isinf(f[i]) || !isfinite(known[i])) status = JN_ERR_MODEL;
      for (int k = 0; k + 1 < c->width; k++) row[k] = Y[(size_t)i * n + (size_t)d->lead[c->column[k]]];
      row[c->width - 1] = f[i] - known[i];
      if (!jn__ident_fits(row, c->width)) status = JN_ERR_MODEL;
      if (status == JN_OK) jn__ident_push(c, next_fold(c), row, f[i]);
    }
  }
  jn__release(&d->allocator, Y);
  return status;
}

/* Are all base columns that a row has also columns of the channel? */
static int is_within(const jn_identification *d, const jn_channel *c, const double *Y) {
  for (int b = 0, k = 0; b < d->nb; b++) {
    if (k + 1 < c->width && c->column[k] == b)
      k++;
    else if (Y[d->lead[b]] != 0)
      return 0;
  }
  return 1;
}

jn_status jn_identification_add_rows(jn_identification *d, int channel, size_t rows, const double *Y, const double *y) {
  if (!d || (rows && (!Y || !y))) return JN_ERR_NULL;
  if (channel < 0 || channel >= d->channels) return JN_ERR_INDEX;
  if (rows > PTRDIFF_MAX / sizeof(double) / ((size_t)d->n + 1)) return JN_ERR_SIZE;
  jn_channel *c = &d->channel[channel];
  double *row = jn__allocate(&d->allocator, ((size_t)c->width + 1) * sizeof *row);
  if (!row) return JN_ERR_MEMORY;
  jn_status status = JN_OK;
  for (size_t s = 0; s < rows && status == JN_OK; s++) {
    for (int k = 0; k + 1 < c->width; k++) row[k] = Y[s * (size_t)d->n + (size_t)d->lead[c->column[k]]];
    row[c->width - 1] = y[s];
    if (!jn__ident_fits(row, c->width)) status = JN_ERR_MODEL;
    if (!is_within(d, c, Y + s * (size_t)d->n)) status = JN_ERR_MODEL;
    if (status == JN_OK) jn__ident_push(c, next_fold(c), row, y[s]);
  }
  jn__release(&d->allocator, row);
  return status;
}
