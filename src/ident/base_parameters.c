/* SPDX-License-Identifier: BSD-2-Clause */
/* Public functions of jounce/base_parameters.h. */
#include "jounce/base_parameters.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base.h"

void jn_base_options_init(jn_base_options *options) {
  if (options) *options = (jn_base_options){.size = sizeof *options, .seed = 1};
}

void jn_base_destroy(jn_base *b) {
  if (!b) return;
  jn_allocator a = b->allocator;
  jn__release(&a, b->column);
  jn__release(&a, b->B);
  jn__release(&a, b->kin);
  jn__release(&a, b);
}

#if JN_WITH_IDENT
static jn_status check_options(const jn_base_options *given, jn_base_options *own) {
  jn_base_options_init(own);
  if (!given) return JN_OK;
  if (given->size != sizeof *given) return JN_ERR_INIT;
  if (given->states < 0) return JN_ERR_SIZE;
  if (!(given->tolerance >= 0 && given->tolerance < 1)) return JN_ERR_SIZE;
  if ((int)given->method < JN_BASE_AUTO || given->method > JN_BASE_SVD) return JN_ERR_SIZE;
  *own = *given;
  return JN_OK;
}

static jn_status new_base(const jn_model *model, const jn_base_options *options, jn_base **base) {
  jn_allocator a = jn__allocator(options->allocator);
  jn_base *b = *base = jn__allocate(&a, sizeof *b);
  if (!b) return JN_ERR_MEMORY;
  b->allocator = a;
  b->width = jn_parameter_count(model);
  b->tolerance = options->tolerance > 0 ? options->tolerance : jn_variant_epsilon() > 1e-10 ? 1e-3 : 1e-8;
  b->zero = options->tolerance > 0 ? options->tolerance : 5e4 * jn_variant_epsilon();
  b->column = jn__allocate(&a, (size_t)b->width * sizeof *b->column);
  b->kin = jn__allocate(&a, (size_t)b->width);
  return b->column && b->kin ? JN_OK : JN_ERR_MEMORY;
}

/* Number of states, unless it is given: enough for four times as many rows as columns. In general each state gives one
 * row for the ten parameters that only one joint reveals. But if one coordinate moves several joints, it gives only one
 * row for all the links that they carry, so more states are needed. */
static int state_count(const jn_model *model, const jn_base_options *options) {
  if (options->states > 0) return options->states;
  int columns = jn_parameter_count(model), enough = 4 * columns / jn_model_nv(model) + 1;
  int least = jn_model_is_coupled(model) ? 2 * columns : 40;
  return enough < least ? least : enough;
}

/* Counts by QR and SVD; rows of the method when it is one of these (or AUTO: QR). */
static jn_status by_numbers(jn_base *b, const jn_model *model, const jn_base_options *options, jn_null_space *out) {
  if (jn_model_nv(model) == 0) { /* no motion, no force: nothing has an effect */
    size_t n = (size_t)out->width;
    memset(out->rows, 0, n * n * sizeof *out->rows);
    for (size_t i = 0; i < n; i++) out->rows[i * n + i] = 1;
    out->count = out->width;
    return JN_OK;
  }
  uint64_t seed = options->seed;
  size_t bytes = (size_t)b->width * (size_t)b->width * sizeof(double);
  double *R = jn__allocate(&b->allocator, bytes);
  jn_status status = R ? jn__base_stack(model, &b->allocator, state_count(model, options), &seed, R) : JN_ERR_MEMORY;
  if (status == JN_OK) status = jn__base_rank(b, R, options->method, out);
  jn__release(&b->allocator, R);
  return status;
}

/* All counts, then B from the rows of the method. */
static jn_status find(jn_base *b, const jn_model *model, const jn_base_options *options) {
  size_t bytes = (size_t)b->width * (size_t)b->width * sizeof(double);
  jn_null_space numbers = {.width = b->width}, structure = {.width = b->width};
  numbers.rows = jn__allocate(&b->allocator, bytes);
  structure.rows = jn__allocate(&b->allocator, bytes);
  jn_status status = numbers.rows && structure.rows ? JN_OK : JN_ERR_MEMORY;
  if (status == JN_OK) status = by_numbers(b, model, options, &numbers);
  /* by default 1e-11 as for columns of Y: the structure is computed in double, whatever the row */
  double exact = options->tolerance > 0 ? options->tolerance : 1e-11;
  if (status == JN_OK) status = jn__base_structure(model, &b->allocator, exact, &structure);
  b->count_by[JN_BASE_STRUCTURE] = b->width - structure.count;
  b->method = options->method;
  if (b->method == JN_BASE_AUTO) {
    int agree = b->count_by[JN_BASE_STRUCTURE] == b->count_by[JN_BASE_QR];
    b->method = agree ? JN_BASE_STRUCTURE : JN_BASE_QR;
  }
  int tree = b->method == JN_BASE_STRUCTURE;
  if (options->tolerance == 0) b->zero = tree ? 1e-13 : 1e4 * jn_variant_epsilon();
  if (status == JN_OK) status = jn__base_combine(b, tree ? &structure : &numbers);
  jn__release(&b->allocator, numbers.rows);
  jn__release(&b->allocator, structure.rows);
  return status;
}

/* One state, memory [q | v | a | pi | base | Y]. */
static jn_status residual_at(jn_base *b, const jn_model *model, jn_work *work, uint64_t *seed, double *memory) {
  int nv = jn_model_nv(model);
  double *q = memory, *v = q + jn_model_nq(model), *a = v + nv, *pi = a + nv, *x = pi + b->width, *Y = x + b->width;
  for (int c = 0; c < b->width; c++) pi[c] = jn__base_uniform(seed);
  jn_base_parameters(b, pi, x);
  jn_status status = jn__base_random_state(model, seed, q, v, a);
  if (status == JN_OK) status = jn_regressor(model, work, q, v, a, Y);
  double worst = 0, most = 0;
  for (int r = 0; r < nv && status == JN_OK; r++) {
    const double *row = Y + (size_t)r * (size_t)b->width;
    double rest = 0, size = 0;
    for (int c = 0; c < b->width; c++) rest += row[c] * pi[c], size += fabs(row[c] * pi[c]);
    for (int i = 0; i < b->count; i++) rest -= row[b->column[i]] * x[i];
    worst = fmax(worst, fabs(rest));
    most = fmax(most, size);
  }
  if (most > 0) b->residual = fmax(b->residual, worst / most);
  return status;
}

static jn_status find_residual(jn_base *b, const jn_model *model, uint64_t seed) {
  enum { STATES = 10 };
  if (jn_model_nv(model) == 0) return JN_OK;
  size_t nv = (size_t)jn_model_nv(model), n = (size_t)b->width;
  double *memory = jn__allocate(&b->allocator, ((size_t)jn_model_nq(model) + 2 * nv + 2 * n + nv * n) * sizeof *memory);
  jn_work *work = NULL;
  jn_status status = memory ? jn_work_create(model, &work) : JN_ERR_MEMORY;
  for (int i = 0; i < STATES && status == JN_OK; i++) status = residual_at(b, model, work, &seed, memory);
  jn_work_destroy(work);
  jn__release(&b->allocator, memory);
  return status;
}

jn_status jn_base_create(const jn_model *model, const jn_base_options *options, jn_base **base) {
  jn_base_options own;
  if (base) *base = NULL;
  if (!model || !base) return JN_ERR_NULL;
  jn_status status = check_options(options, &own);
  if (status != JN_OK) return status;
  if (jn_link_count(model) > INT_MAX / 10 / 8) return JN_ERR_SIZE;
  status = new_base(model, &own, base);
  if (status == JN_OK) status = find(*base, model, &own);
  if (status == JN_OK) status = find_residual(*base, model, ~own.seed);
  if (status == JN_OK) return JN_OK;
  jn_base_destroy(*base);
  *base = NULL;
  return status;
}
#else
jn_status jn_base_create(const jn_model *model, const jn_base_options *options, jn_base **base) {
  (void)options;
  if (base) *base = NULL;
  return model && base ? JN_ERR_UNSUPPORTED : JN_ERR_NULL;
}
#endif

/* ---- Questions ---- */

int jn_base_count(const jn_base *b) { return b ? b->count : 0; }
int jn_base_parameter_count(const jn_base *b) { return b ? b->width : 0; }
int jn_base_column(const jn_base *b, int i) { return b && i >= 0 && i < b->count ? b->column[i] : JN_NONE; }
const double *jn_base_matrix(const jn_base *b) { return b ? b->B : NULL; }
jn_base_method jn_base_method_used(const jn_base *b) { return b ? b->method : JN_BASE_AUTO; }
double jn_base_tolerance(const jn_base *b) { return b ? b->tolerance : 0; }
double jn_base_residual(const jn_base *b) { return b ? b->residual : 0; }

jn_base_class jn_base_class_of(const jn_base *b, int parameter) {
  return b && parameter >= 0 && parameter < b->width ? (jn_base_class)b->kin[parameter] : JN_BASE_NO_EFFECT;
}

int jn_base_count_by(const jn_base *b, jn_base_method method) {
  return b && method > JN_BASE_AUTO && method <= JN_BASE_SVD ? b->count_by[method] : 0;
}

jn_status jn_base_spectrum(const jn_base *b, jn_base_method method, double *kept, double *dropped) {
  if (!b) return JN_ERR_NULL;
  if (method != JN_BASE_QR && method != JN_BASE_SVD) return JN_ERR_INDEX;
  if (kept) *kept = b->kept[method];
  if (dropped) *dropped = b->dropped[method];
  return JN_OK;
}

jn_status jn_base_parameters(const jn_base *b, const double *pi, double *out) {
  if (!b || !pi || !out) return JN_ERR_NULL;
  for (int i = 0; i < b->count; i++) {
    const double *row = b->B + (size_t)i * (size_t)b->width;
    out[i] = 0;
    for (int c = 0; c < b->width; c++) out[i] += row[c] * pi[c];
  }
  return JN_OK;
}

jn_status jn_base_regressor(const jn_base *b, int rows, const double *Y, double *Yb) {
  if (!b || !Y || !Yb) return JN_ERR_NULL;
  if (rows < 0) return JN_ERR_SIZE;
  for (int r = 0; r < rows; r++)
    for (int i = 0; i < b->count; i++)
      Yb[(size_t)r * (size_t)b->count + (size_t)i] = Y[(size_t)r * (size_t)b->width + (size_t)b->column[i]];
  return JN_OK;
}
