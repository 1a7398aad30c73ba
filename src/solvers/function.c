/* SPDX-License-Identifier: BSD-2-Clause */
/* Creating functions for solvers, and evaluating them: numbers of q become a state, kinds compute in the tangent space,
 * and results become derivatives by the numbers of q. */
#include "function.h"

#include <math.h>
#include <string.h>

#include "../model/memory.h"
#include "../model/model.h"
#include "../model/shelf.h"

const char *jn_function_kind_name(jn_function_kind kind) {
#define JN_FUNCTION_NAME(code, name) name,
  static const char *const names[] = {JN_FUNCTION_LIST(JN_FUNCTION_NAME)};
#undef JN_FUNCTION_NAME
  return (int)kind >= 0 && kind < JN_FUNCTIONS ? names[kind] : NULL;
}

static const function_kind_of *const kinds[JN_FUNCTIONS] = {
    &jn__function_inverse_dynamics, &jn__function_forward_dynamics, &jn__function_step,
    &jn__function_frames,           &jn__function_momentum,         &jn__function_loops_forward_dynamics,
    &jn__function_loops_conditions, &jn__function_mass_matrix,      &jn__function_gravity,
    &jn__function_torque_rate};

void jn_function_options_init(jn_function_options *options) {
  if (!options) return;
  *options = (jn_function_options){
      .size = sizeof *options, .step = 0.01, .integrator = JN_RUNGE_KUTTA_4, .friction_speed = 1e-3};
}

/* ---- creating ---- */

static jn_status check_options(const jn_model *model, const jn_function_options *o) {
  if (o->size != sizeof *o) return JN_ERR_INIT;
  if (!(o->step > 0 && o->step < INFINITY) || o->frame_count < 0 || (int)o->integrator < 0 ||
      o->integrator >= JN_INTEGRATORS || !(o->friction_speed > 0 && o->friction_speed < INFINITY))
    return JN_ERR_SIZE;
  if (o->frame_count > 0 && !o->frames) return JN_ERR_NULL;
  for (int i = 0; i < o->frame_count; i++)
    if (o->frames[i] < 0 || o->frames[i] >= jn_frame_count(model)) return JN_ERR_INDEX;
  return JN_OK;
}

static void count_names(jn_function *f) {
  for (int i = 0; i < JN_FUNCTION_MOST_ARGUMENTS; i++) {
    f->inputs += f->is->in[i] != NULL;
    f->outputs += f->is->out[i] != NULL;
  }
  f->nt = f->inputs * f->nv;
  f->n = f->nt + f->nq - f->nv;
}

static void count_outputs(jn_function *f) {
  for (int i = 0; i < f->outputs; i++) f->m += f->rows[i] * f->columns[i];
  f->mt = f->m - (f->is->has_next ? f->nq - f->nv : 0);
}

/* Numbers of scratch memory that kinds take: four tensors and what goes with them. */
static int kind_scratch(const jn_function *f) {
  int n = f->nv + 6, wide = f->loop_rows > n ? f->loop_rows : n;
  int loops = f->loop_rows > 0 ? 8 * wide * n : 0;
  int tensors = f->kind == JN_FUNCTION_INVERSE_DYNAMICS || f->kind == JN_FUNCTION_FORWARD_DYNAMICS ||
                f->kind == JN_FUNCTION_MOMENTUM || f->kind == JN_FUNCTION_MASS_MATRIX || f->kind == JN_FUNCTION_GRAVITY;
  return 12 * n * n + 16 * n + loops + (tensors ? 4 * n * n * n : 12 * n * n);
}

static size_t place_arrays(jn_function *f, char *base) {
  jn_shelf s = {base, 0};
  f->frames = place(&s, (size_t)f->options.frame_count + 1, sizeof(int));
  f->J_pattern = place(&s, (size_t)(f->m * f->n), 1);
  f->H_pattern = place(&s, (size_t)(f->n * f->n), 1);
  f->related = place(&s, (size_t)(f->nv * (f->nv + 1)), 1);
  s.used += jn__chart_place(&f->chart, f->model, base ? base + s.used : NULL);
  f->q = reals(&s, f->nq, 1, 1);
  f->y = reals(&s, f->m, 1, 1);
  f->J = reals(&s, f->mt, f->nt, 1);
  f->G = reals(&s, f->nt, f->nt, 1);
  f->g = reals(&s, f->nt, 1, 1);
  f->lambda = reals(&s, f->mt, 1, 1);
  f->columns_by_q = reals(&s, f->n > f->m ? f->n : f->m, f->n, 1);
  f->moved = reals(&s, f->nq + 2 * f->nv + f->nt, 1, 1);
  f->scratch = reals(&s, kind_scratch(f), 1, 1);
  f->step_scratch = reals(&s, f->is->has_next ? f->n + f->m + (f->n > f->m ? f->n : f->m) * f->n : 0, 1, 1);
  return s.used;
}

static jn_status create_parts(jn_function *f, const jn_function_options *options) {
  count_names(f);
  jn_status status = jn_work_create(f->model, &f->work);
  if (status == JN_OK && f->is->create) status = f->is->create(f);
  if (status != JN_OK) return status;
  count_outputs(f);
  f->block = jn__allocate(&f->allocator, place_arrays(f, NULL));
  if (!f->block) return JN_ERR_MEMORY;
  place_arrays(f, f->block);
  for (int i = 0; i < options->frame_count; i++) f->frames[i] = options->frames[i];
  if (options->frame_count == 0) f->frames[0] = jn_frame_count(f->model) - 1;
  f->options.frames = f->frames;
  f->is->pattern(f);
  return JN_OK;
}

jn_status jn_function_create(const jn_model *model, jn_function_kind kind, const jn_function_options *options,
                             jn_function **function) {
  jn_function_options defaults;
  if (function) *function = NULL;
  if (!model || !function) return JN_ERR_NULL;
  if (!jn_variant_name()) return JN_ERR_VARIANT;
  if (!jn_function_kind_name(kind)) return JN_ERR_INDEX;
  jn_function_options_init(&defaults);
  if (!options) options = &defaults;
  jn_status status = check_options(model, options);
  if (status != JN_OK) return status;
  jn_function *f = jn__allocate(&model->allocator, sizeof *f);
  if (!f) return JN_ERR_MEMORY;
  f->model = model;
  f->allocator = model->allocator;
  f->kind = kind;
  f->is = kinds[kind];
  f->options = *options;
  f->nq = jn_model_nq(model);
  f->nv = jn_model_nv(model);
  for (int i = 0; i < JN_FUNCTION_MOST_ARGUMENTS; i++) f->rows[i] = f->nv, f->columns[i] = 1;
  if (f->is->has_next) f->rows[0] = f->nq;
  status = create_parts(f, options);
  if (status == JN_OK)
    *function = f;
  else
    jn_function_destroy(f);
  return status;
}

void jn_function_destroy(jn_function *f) {
  if (!f) return;
  jn_allocator a = f->allocator;
  jn_simulator_destroy(f->simulator);
  jn_loops_destroy(f->loops);
  jn_work_destroy(f->other_work);
  jn_model_destroy(f->other);
  jn_work_destroy(f->work);
  if (f->block) jn__release(&a, f->block);
  jn__release(&a, f);
}

/* ---- sizes and names ---- */

static int is_input(const jn_function *f, int i) { return f && i >= 0 && i < f->inputs; }
static int is_output(const jn_function *f, int i) { return f && i >= 0 && i < f->outputs; }

int jn_function_inputs(const jn_function *f) { return f ? f->inputs : 0; }
int jn_function_outputs(const jn_function *f) { return f ? f->outputs : 0; }
const char *jn_function_input_name(const jn_function *f, int i) { return is_input(f, i) ? f->is->in[i] : NULL; }
const char *jn_function_output_name(const jn_function *f, int i) { return is_output(f, i) ? f->is->out[i] : NULL; }
int jn_function_input_size(const jn_function *f, int i) { return !is_input(f, i) ? 0 : i == 0 ? f->nq : f->nv; }
int jn_function_output_size(const jn_function *f, int i) { return is_output(f, i) ? f->rows[i] * f->columns[i] : 0; }
int jn_function_output_rows(const jn_function *f, int i) { return is_output(f, i) ? f->rows[i] : 0; }
int jn_function_n(const jn_function *f) { return f ? f->n : 0; }
int jn_function_m(const jn_function *f) { return f ? f->m : 0; }
const unsigned char *jn_function_jacobian_pattern(const jn_function *f) { return f ? f->J_pattern : NULL; }
const unsigned char *jn_function_hessian_pattern(const jn_function *f) { return f ? f->H_pattern : NULL; }

/* ---- evaluating ---- */

static jn_status set_state(jn_function *f, const double *x) {
  f->given_q = x;
  f->v = f->inputs > 1 ? x + f->nq : NULL;
  f->u = f->inputs > 2 ? x + f->nq + f->nv : NULL;
  f->w = f->inputs > 3 ? x + f->nq + 2 * f->nv : NULL;
  if (f->chart.count > 0) return jn_normalize(f->model, f->work, x, f->q);
  memcpy(f->q, x, (size_t)f->nq * sizeof *x);
  return JN_OK;
}

jn_status jn_function_value(jn_function *f, const double *x, double *y) {
  if (!f || !x || !y) return JN_ERR_NULL;
  jn_status status = set_state(f, x);
  return status == JN_OK ? f->is->value(f, y) : status;
}

/* The configuration that comes out, for derivatives of its numbers. */
static jn_status find_next(jn_function *f) {
  return f->is->has_next && f->chart.count > 0 ? f->is->value(f, f->y) : JN_OK;
}

jn_status jn_function_jacobian(jn_function *f, const double *x, double *J) {
  if (!f || !x || !J) return JN_ERR_NULL;
  jn_status status = set_state(f, x);
  if (status == JN_OK) status = find_next(f);
  if (status == JN_OK) status = f->is->jacobian(f, f->chart.count > 0 ? f->J : J);
  if (status != JN_OK || f->chart.count == 0) return status;
  int rest = f->nt - f->nv, next = f->is->has_next ? f->nv : 0;
  if (next) {
    jn__chart_columns(&f->chart, x, next, rest, f->J, f->columns_by_q);
    jn__chart_push(&f->chart, f->y, f->n, f->columns_by_q, J);
  }
  int done = next ? f->nq : 0;
  jn__chart_columns(&f->chart, x, f->mt - next, rest, f->J + next * f->nt, J + done * f->n);
  return JN_OK;
}

/* Multipliers of outputs in the tangent space, in f->lambda. */
static void pull_lambda(jn_function *f, const double *lambda) {
  int before = f->is->has_next ? f->nq : 0, next = f->is->has_next ? f->nv : 0;
  if (next) jn__chart_pull(&f->chart, f->y, lambda, f->lambda);
  memcpy(f->lambda + next, lambda + before, (size_t)(f->m - before) * sizeof *lambda);
}

/* g [nt] in the tangent space. */
static jn_status gradient(jn_function *f, const double *lambda, double *g) {
  if (f->is->adjoint) return f->is->adjoint(f, lambda, g);
  jn_status status = f->is->jacobian(f, f->J);
  memset(g, 0, (size_t)f->nt * sizeof *g);
  for (int i = 0; i < f->mt && status == JN_OK; i++)
    for (int k = 0; k < f->nt; k++) g[k] += lambda[i] * f->J[i * f->nt + k];
  return status;
}

jn_status jn_function_adjoint(jn_function *f, const double *x, const double *lambda, double *g) {
  if (!f || !x || !lambda || !g) return JN_ERR_NULL;
  jn_status status = set_state(f, x);
  if (status == JN_OK) status = find_next(f);
  if (status != JN_OK) return status;
  pull_lambda(f, lambda);
  status = gradient(f, f->lambda, f->g);
  if (status == JN_OK) jn__chart_columns(&f->chart, x, 1, f->nt - f->nv, f->g, g);
  return status;
}

/* Row h of G by differences of order 4 of the gradient along input h. */
static jn_status difference_row(jn_function *f, int h, double *row) {
  int n = f->nv, in = h / n, k = h % n;
  double *dq = f->moved, *q0 = dq + n, *v = q0 + f->nq, *g = v + n;
  const double **input = in == 1 ? &f->v : in == 2 ? &f->u : &f->w, *given = *input;
  double e = in == 0 ? 1e-3 : 1e-3 * fmax(1, fabs(given[k]));
  memset(row, 0, (size_t)f->nt * sizeof *row);
  memcpy(q0, f->q, (size_t)f->nq * sizeof *q0);
  jn_status status = JN_OK;
  for (int i = -2; i <= 2 && status == JN_OK; i++) {
    if (i == 0) continue;
    memset(dq, 0, (size_t)n * sizeof *dq);
    if (in == 0) {
      dq[k] = i * e;
      status = jn_integrate(f->model, f->work, q0, dq, f->q);
    } else {
      memcpy(v, given, (size_t)n * sizeof *v);
      v[k] += i * e;
      *input = v;
    }
    if (status == JN_OK) status = gradient(f, f->lambda, g);
    double weight = (i * i == 1 ? 8 : -1) * (i < 0 ? -1 : 1) / (12 * e);
    for (int j = 0; j < f->nt; j++) row[j] += weight * g[j];
    *input = given;
  }
  memcpy(f->q, q0, (size_t)f->nq * sizeof *q0);
  return status;
}

static jn_status differences(jn_function *f) {
  jn_status status = gradient(f, f->lambda, f->g);
  for (int h = 0; h < f->nt && status == JN_OK; h++) status = difference_row(f, h, f->G + h * f->nt);
  return status;
}

static void transpose(int rows, int columns, const double *in, double *out) {
  for (int i = 0; i < rows; i++)
    for (int k = 0; k < columns; k++) out[k * rows + i] = in[i * columns + k];
}

/* Both halves of H become their mean. */
static void make_symmetric(int n, double *H) {
  for (int i = 0; i < n; i++)
    for (int k = 0; k < i; k++) H[i * n + k] = H[k * n + i] = (H[i * n + k] + H[k * n + i]) / 2;
}

jn_status jn_function_hessian(jn_function *f, const double *x, const double *lambda, double *g, double *H) {
  if (!f || !x || !lambda || !H) return JN_ERR_NULL;
  int rest = f->nt - f->nv, n = f->n, nt = f->nt;
  jn_status status = set_state(f, x);
  if (status == JN_OK) status = find_next(f);
  if (status != JN_OK) return status;
  pull_lambda(f, lambda);
  memset(f->G, 0, (size_t)(nt * nt) * sizeof(double));
  status = f->is->hessian ? f->is->hessian(f, f->lambda, f->g, f->G) : differences(f);
  if (status != JN_OK) return status;
  if (f->chart.count > 0 && f->is->has_next) { /* G is symmetric here: exponential coordinates on both sides */
    status = f->is->jacobian(f, f->J);
    jn__chart_add_curvature_of_output(&f->chart, f->y, lambda, f->J, nt, f->G);
    jn__chart_bracket(&f->chart, f->g, nt, f->G);
  }
  jn__chart_columns(&f->chart, x, nt, rest, f->G, f->columns_by_q); /* [nt x n] by d_h, then by numbers */
  transpose(nt, n, f->columns_by_q, H);                             /* [n x nt] */
  jn__chart_columns(&f->chart, x, n, rest, H, f->columns_by_q);
  memcpy(H, f->columns_by_q, (size_t)(n * n) * sizeof *H);
  jn__chart_curvature(&f->chart, x, f->g, n, H);
  make_symmetric(n, H);
  if (g) jn__chart_columns(&f->chart, x, 1, rest, f->g, g);
  return status;
}
