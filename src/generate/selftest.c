/* SPDX-License-Identifier: BSD-2-Clause */
/* Random states: the error of float, and a table of states with results that the target can check itself with. */
#include <math.h>

#include "conditions.h"

/* splitmix64 in [-1, 1) */
static double next_random(uint64_t *state) {
  uint64_t x = *state += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return (double)((x ^ (x >> 31)) >> 11) * 0x1p-52 - 1;
}

int jn__array_size(const jn_writing *w, int array) {
  int nq = jn_model_nq(w->model), nv = jn_model_nv(w->model), rows = w->options.order + 2;
  switch (array) {
    case JN_ARRAY_Q:
    case JN_ARRAY_SINE:
    case JN_ARRAY_COSINE:
      return nq;
    case JN_ARRAY_V: /* motor_commands needs four rows */
      return nv * (rows < 4 ? 4 : rows);
    case JN_ARRAY_TAU:
      return nv * rows;
    case JN_ARRAY_A:
      return nv;
    case JN_ARRAY_GRAVITY:
      return 3;
    case JN_ARRAY_PAYLOAD:
      return 10;
    case JN_ARRAY_PARAMETERS:
      return jn_parameter_count(w->model);
    case JN_ARRAY_STEP:
      return 1;
    default:
      return 4 * nv;
  }
}

/* Of a model with loops, a closed configuration and a motion that keeps it so. */
static void take_closed_state(const jn_writing *w, uint64_t *seed, double *const *input) {
  if (!w->closed_count) return;
  int nq = jn_model_nq(w->model), nv = jn_model_nv(w->model);
  const double *state = jn__closed_state(w, (int)((next_random(seed) + 1) / 2 * w->closed_count));
  for (int i = 0; i < nq; i++) input[JN_ARRAY_Q][i] = (float)state[i];
  for (int i = 0; i < nv; i++) {
    input[JN_ARRAY_V][i] = (float)state[nq + i];
    input[JN_ARRAY_A][i] = (float)state[nq + nv + i];
  }
}

/* Positions within limits, or within +-3; velocities within +-2, accelerations and forces within +-5. Every number is
 * one of float, so that float and double compute the same state. */
void jn__random_inputs(const jn_writing *w, uint64_t *seed, double *const *input) {
  const double size[JN_ARRAYS] = {3, 2, 5, 5, 1, 1, 10, 0.1, 1, 1, 100, 0.01};
  for (int k = 0; k < JN_ARRAYS; k++)
    for (int i = 0; i < jn__array_size(w, k); i++) input[k][i] = (float)(size[k] * next_random(seed));

  for (int k = JN_ARRAY_MORE; k <= JN_ARRAY_STEP; k++)
    for (int i = 0; i < jn__array_size(w, k); i++) input[k][i] = fabs(input[k][i]);

  for (int i = 0; i < w->mechanism.count; i++) {
    const jn_part *part = &w->mechanism.part[i];
    const jn_dof *dof = jn_coordinate_dof(w->model, part->iv);
    double *q = &input[JN_ARRAY_Q][part->iq];
    if (part->nv > 1) {
      /* quaternions: unit, but for rounding */
      double *x = part->kind == JN_BODY_FREE ? q + 3 : q, length = 0;
      for (int k = 0; k < 4; k++) length += x[k] * x[k];
      for (int k = 0; k < 4; k++) x[k] = (float)(x[k] / sqrt(length));
    } else if (isfinite(dof->lower) && isfinite(dof->upper) && dof->upper > dof->lower) {
      *q = (float)(dof->lower + (dof->upper - dof->lower) * (next_random(seed) + 1) / 2);
    }
  }
  take_closed_state(w, seed, input);
  for (int i = 0; i < jn_model_nq(w->model); i++) {
    input[JN_ARRAY_SINE][i] = sin(input[JN_ARRAY_Q][i]);
    input[JN_ARRAY_COSINE][i] = cos(input[JN_ARRAY_Q][i]);
  }
  if (w->options.runtime & JN_GENERATE_PARAMETERS) jn_parameters(w->model, input[JN_ARRAY_PARAMETERS]);
}

double *jn__make_inputs(const jn_writing *w, double *input[JN_ARRAYS]) {
  size_t total = 1;
  for (int k = 0; k < JN_ARRAYS; k++) total += (size_t)jn__array_size(w, k);
  double *block = jn__allocate(&w->allocator, total * sizeof *block), *at = block;
  for (int k = 0; block && k < JN_ARRAYS; k++) {
    input[k] = at;
    at += jn__array_size(w, k);
  }
  return block;
}

/* The largest difference between float and double in the results of a function, over the largest result. */
static double compare_results(const jn_written_function *f, const double *exact, const float *rounded) {
  double most = 0, size = 0;
  for (int k = 0; k < f->outs; k++)
    for (int i = 0; i < f->out[k].size; i++) {
      jn_expr e = f->out[k].values[i];
      size = fmax(size, fabs(exact[jn__node_of(e)]));
      most = fmax(most, fabs(exact[jn__node_of(e)] - (double)rounded[jn__node_of(e)]));
    }
  return size > 0 ? most / size : most;
}

jn_status jn__measure_errors(jn_writing *w) {
  double *input[JN_ARRAYS], *block = jn__make_inputs(w, input);
  size_t nodes = (size_t)w->graph.count + 1;
  double *exact = jn__allocate(&w->allocator, nodes * sizeof *exact);
  float *rounded = jn__allocate(&w->allocator, nodes * sizeof *rounded);
  int good = block && exact && rounded;

  uint64_t seed = 1;
  for (int state = 0; good && state < JN_ERROR_STATES && !jn__is_stopped(); state++) {
    jn__random_inputs(w, &seed, input);
    jn__evaluate(&w->graph, w->graph.count, (const double *const *)input, exact);
    jn__evaluate_float(&w->graph, w->graph.count, (const double *const *)input, rounded);
    for (int k = 0; k < w->functions; k++) {
      double error = compare_results(&w->function[k], exact, rounded);
      if (error > w->function[k].float_error) w->function[k].float_error = error;
    }
  }
  jn__release(&w->allocator, block);
  jn__release(&w->allocator, exact);
  jn__release(&w->allocator, rounded);
  return good ? JN_OK : JN_ERR_MEMORY;
}

/* Numbers of a table, comma after each, eight in a line. */
static void emit_numbers(jn_writing *w, jn_text *text, const double *x, int count, int *column) {
  for (int i = 0; i < count; i++) {
    jn__text_add(text, *column % 8 == 0 ? "\n      " : " ");
    if (x[i] < 0) jn__text_add(text, "-");
    jn__emit_literal(w, text, fabs(x[i]));
    jn__text_add(text, ",");
    ++*column;
  }
}

static int inputs_of(const jn_written_function *f) {
  int sum = 0;
  for (int k = 0; k < f->ins; k++) sum += f->in[k].size;
  return sum;
}

static int results_of(const jn_written_function *f) {
  int sum = 0;
  for (int k = 0; k < f->outs; k++) sum += f->out[k].size;
  return sum;
}

/* Functions of many states take one gravity and one payload for all: those of the first state. */
static void share_inputs(const jn_writing *w, int state, double shared[13], double *const *input) {
  for (int k = 0; w->options.lanes && k < 13; k++) {
    double *x = k < 3 ? &input[JN_ARRAY_GRAVITY][k] : &input[JN_ARRAY_PAYLOAD][k - 3];
    if (state == 0) shared[k] = *x;
    *x = shared[k];
  }
}

/* The table of one function: for each state its arguments and its results. */
static void emit_table(jn_writing *w, jn_text *text, int number, double *const *input, double *value) {
  const jn_written_function *f = &w->function[number];
  uint64_t seed = 7;
  int column = 0;
  double shared[13] = {0};
  jn__text_format(text, "  static const %s data%d[%d] = {", jn__number_type(w), number + 1,
                  JN_SELFTEST_STATES * (inputs_of(f) + results_of(f)));
  for (int state = 0; state < JN_SELFTEST_STATES; state++) {
    jn__random_inputs(w, &seed, input);
    share_inputs(w, state, shared, input);
    jn__evaluate(&w->graph, w->graph.count, (const double *const *)input, value);
    for (int k = 0; k < f->ins; k++) emit_numbers(w, text, input[f->in[k].array], f->in[k].size, &column);
    for (int k = 0; k < f->outs; k++)
      for (int i = 0; i < f->out[k].size; i++) {
        double x = jn__value(value, f->out[k].values[i]);
        emit_numbers(w, text, &x, 1, &column);
      }
  }
  jn__text_add(text, "};\n");
}

/* The call of one function with its arguments from x, or of its version for many states with copies of them. */
static void emit_call(const jn_writing *w, jn_text *text, const jn_written_function *f) {
  int at = 0, lanes = w->options.lanes;
  jn__text_format(text, "    %s_%s%s", w->prefix, f->name, lanes ? "_many(" : "(");
  if (lanes) jn__text_format(text, "%d, ", lanes + 1);
  for (int k = 0; k < f->ins; k++) {
    jn__text_format(text, "%s&x[%d]", k ? ", " : "", at);
    at += (lanes ? lanes + 1 : 1) * f->in[k].size;
  }
  at = 0;
  for (int k = 0; k < f->outs; k++) {
    jn__text_format(text, ", &y[%d]", at);
    at += (lanes ? lanes + 1 : 1) * f->out[k].size;
  }
  jn__text_add(text, ");\n");
}

/* The calls of one function, and the comparison. */
static void emit_calls(jn_writing *w, jn_text *text, int number) {
  const jn_written_function *f = &w->function[number];
  int ins = inputs_of(f), outs = results_of(f);
  double tolerance = w->options.single ? fmax(1e-4, 10 * f->float_error) : 1e-9;
  jn__text_format(text, "  for (int i = 0; i < %d; i++) {\n    const %s *const x = &data%d[i * %d];\n",
                  JN_SELFTEST_STATES, jn__number_type(w), number + 1, ins + outs);
  emit_call(w, text, f);
  jn__text_format(text, "    if (%s_same(y, &x[%d], %d, ", w->prefix, ins, outs);
  jn__emit_literal(w, text, tolerance);
  jn__text_format(text, ") == 0) {\n      return %d;\n    }\n  }\n", number + 1);
}

/* The same for N + 1 states at once, those of the table in turn: lanes differ, and the last block is not full. */
static void emit_lanes_calls(jn_writing *w, jn_text *text, int number) {
  const jn_written_function *f = &w->function[number];
  const char *type = jn__number_type(w);
  int ins = inputs_of(f), outs = results_of(f), states = w->options.lanes + 1, from = 0, to = 0;
  double tolerance = w->options.single ? fmax(1e-4, 10 * f->float_error) : 1e-9;
  jn__text_format(text, "  {\n    %s x[%d], y[%d], r[%d];\n", type, ins * states, outs * states, outs);
  for (int k = 0; k < f->ins; k++) {
    int size = f->in[k].size;
    jn__text_format(
        text,
        "    for (int i = 0; i < %d; i++) {\n      x[%d + i] = data%d[i / %d %% %d * %d + %d + i %% %d];\n    }\n",
        states * size, to, number + 1, size, JN_SELFTEST_STATES, ins + outs, from, size);
    from += size;
    to += states * size;
  }
  emit_call(w, text, f);

  /* The results of each state, together. */
  jn__text_format(text, "    for (int s = 0; s < %d; s++) {\n", states);
  from = to = 0;
  for (int k = 0; k < f->outs; k++) {
    int size = f->out[k].size;
    jn__text_format(text, "      for (int i = 0; i < %d; i++) {\n        r[%d + i] = y[%d + s * %d + i];\n      }\n",
                    size, to, from, size);
    from += states * size;
    to += size;
  }
  jn__text_format(text, "      if (%s_same(r, &data%d[s %% %d * %d + %d], %d, ", w->prefix, number + 1,
                  JN_SELFTEST_STATES, ins + outs, ins, outs);
  jn__emit_literal(w, text, tolerance);
  jn__text_format(text, ") == 0) {\n        return %d;\n      }\n    }\n  }\n", number + 1);
}

static const char same_function[] =
    "/* 1 if every y[i] is x[i], but for the tolerance times the largest |x[i]|. */\n"
    "static int %s_same(const %s *y, const %s *x, int count, %s tolerance) {\n"
    "  %s size = %s;\n"
    "  for (int i = 0; i < count; i++) {\n"
    "    const %s a = (x[i] < %s) ? -x[i] : x[i];\n"
    "    if (a > size) {\n      size = a;\n    }\n"
    "  }\n"
    "  for (int i = 0; i < count; i++) {\n"
    "    const %s d = (y[i] < x[i]) ? (x[i] - y[i]) : (y[i] - x[i]);\n"
    "    if (!(d <= (tolerance * size))) {\n      return 0;\n    }\n"
    "  }\n"
    "  return 1;\n}\n\n";

void jn__emit_c_selftest(jn_writing *w, jn_text *text) {
  double *input[JN_ARRAYS], *block = jn__make_inputs(w, input);
  double *value = jn__allocate(&w->allocator, ((size_t)w->graph.count + 1) * sizeof *value);
  const char *type = jn__number_type(w), *zero = w->options.single ? "0.0f" : "0.0";
  if (!block || !value) {
    text->failed = 1;
  } else {
    int most = 1;
    for (int k = 0; k < w->functions; k++)
      if (results_of(&w->function[k]) > most) most = results_of(&w->function[k]);
    jn__text_format(text, same_function, w->prefix, type, type, type, type, zero, type, zero, type);
    jn__text_format(text, "int %s_selftest(void) {\n", w->prefix);
    for (int k = 0; k < w->functions; k++) emit_table(w, text, k, input, value);
    if (!w->options.lanes) jn__text_format(text, "  %s y[%d];\n", type, most);
    for (int k = 0; k < w->functions; k++) {
      if (w->options.lanes)
        emit_lanes_calls(w, text, k);
      else
        emit_calls(w, text, k);
    }
    jn__text_add(text, "  return 0;\n}\n");
  }
  jn__release(&w->allocator, block);
  jn__release(&w->allocator, value);
}
