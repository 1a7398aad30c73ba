/* SPDX-License-Identifier: BSD-2-Clause */
/* MATLAB and Octave: one file for each function, and one that checks them. Vectors are columns, matrices have the shape
 * that they have on paper. Numbers are double. */
#include <math.h>
#include <string.h>

#include "generate.h"

/* The comment of the C header, with other marks. */
static void emit_origin(jn_writing *w, jn_text *text) {
  jn_text comment;
  jn__text_init(&comment, &w->allocator);
  jn__emit_origin(w, &comment);
  if (comment.failed || !comment.data) text->failed = 1;

  /* Lines begin with three letters of the mark of a C comment. */
  for (const char *line = comment.failed ? NULL : comment.data; line && *line;) {
    size_t length = strcspn(line, "\n"), mark = length < 3 ? length : 3;
    jn__text_format(text, "%%%s%.*s\n", length > mark ? " " : "", (int)(length - mark), line + mark);
    line += length + (line[length] == '\n');
  }
  jn__release(&w->allocator, comment.data);
}

/* "[a, b] = prefix_name(x, y)" */
static void emit_call(const jn_writing *w, jn_text *text, const jn_written_function *f) {
  jn__text_add(text, "[");
  for (int k = 0; k < f->outs; k++) jn__text_format(text, "%s%s", k ? ", " : "", f->out[k].name);
  jn__text_format(text, "] = %s_%s(", w->prefix, f->name);
  for (int k = 0; k < f->ins; k++) jn__text_format(text, "%s%s", k ? ", " : "", f->in[k].name);
  jn__text_add(text, ")");
}

void jn__emit_matlab_file(jn_writing *w, jn_text *text, int function) {
  const jn_written_function *f = &w->function[function];

  /* function [tau] = panda_inverse_dynamics(q, v, a), and the text of `help`. */
  jn__text_add(text, "function ");
  emit_call(w, text, f);
  jn__text_format(text, "\n%% %s_%s: %s\n%%\n", w->prefix, f->name, f->about);
  for (int k = 0; k < f->ins; k++) jn__text_format(text, "%%   %s [%d]\n", f->in[k].name, f->in[k].size);
  for (int k = 0; k < f->outs; k++) {
    const jn_written_array *out = &f->out[k];
    if (out->columns > 0)
      jn__text_format(text, "%%   result %s [%d x %d]\n", out->name, out->size / out->columns, out->columns);
    else
      jn__text_format(text, "%%   result %s [%d]\n", out->name, out->size);
  }
  jn__text_add(text, "%\n");
  emit_origin(w, text);

  /* Results of their full size first, then the statements. */
  for (int k = 0; k < f->outs; k++) {
    const jn_written_array *out = &f->out[k];
    int columns = out->columns > 0 ? out->columns : 1;
    jn__text_format(text, "  %s = zeros(%d, %d);\n", out->name, out->size / columns, columns);
  }
  jn__emit_statements(w, text, f);
  jn__text_add(text, "end\n");
}

/* ---- the check ---- */

/* A row of the table for each state: arguments, then results, matrices row by row. */
static void emit_table(jn_writing *w, jn_text *text, const jn_written_function *f, double *const *input,
                       double *value) {
  uint64_t seed = 7;
  jn__text_add(text, "  data = [");
  for (int state = 0; state < JN_SELFTEST_STATES; state++) {
    jn__random_inputs(w, &seed, input);
    jn__evaluate(&w->graph, w->graph.count, (const double *const *)input, value);
    if (state) jn__text_add(text, "\n    ");
    for (int k = 0; k < f->ins; k++)
      for (int i = 0; i < f->in[k].size; i++) {
        jn__text_add(text, input[f->in[k].array][i] < 0 ? " -" : " ");
        jn__emit_literal(w, text, fabs(input[f->in[k].array][i]));
      }
    for (int k = 0; k < f->outs; k++)
      for (int i = 0; i < f->out[k].size; i++) {
        double x = jn__value(value, f->out[k].values[i]);
        jn__text_add(text, x < 0 ? " -" : " ");
        jn__emit_literal(w, text, fabs(x));
      }
  }
  jn__text_add(text, "];\n");
}

/* The calls of one function, and the comparison. */
static void emit_check(const jn_writing *w, jn_text *text, int number) {
  const jn_written_function *f = &w->function[number];
  int at = 1;
  jn__text_format(text, "  for i = 1:%d\n", JN_SELFTEST_STATES);
  for (int k = 0; k < f->ins; k++) {
    jn__text_format(text, "    %s = data(i, %d:%d).';\n", f->in[k].name, at, at + f->in[k].size - 1);
    at += f->in[k].size;
  }
  jn__text_add(text, "    ");
  emit_call(w, text, f);
  jn__text_add(text, ";\n    result = [];\n");
  for (int k = 0; k < f->outs; k++)
    jn__text_format(text, "    result = [result; reshape(%s.', [], 1)];\n", f->out[k].name);
  jn__text_format(text,
                  "    expected = data(i, %d:end).';\n"
                  "    if ~(max(abs(result - expected)) <= 1e-9 * max(abs(expected)))\n"
                  "      failed = %d;\n      return\n    end\n  end\n",
                  at, number + 1);
}

void jn__emit_matlab_selftest(jn_writing *w, jn_text *text) {
  double *input[JN_ARRAYS], *block = jn__make_inputs(w, input);
  double *value = jn__allocate(&w->allocator, ((size_t)w->graph.count + 1) * sizeof *value);
  jn__text_format(text,
                  "function failed = %s_selftest()\n%% %s_selftest: computes %d states of each function and compares "
                  "with the results that\n%% the generator found. 0: all agree; otherwise the number of the first "
                  "function that differs:\n",
                  w->prefix, w->prefix, JN_SELFTEST_STATES);
  for (int k = 0; k < w->functions; k++) jn__text_format(text, "%%   %d  %s\n", k + 1, w->function[k].name);
  jn__text_add(text, "  failed = 0;\n");

  if (!block || !value) text->failed = 1;
  for (int k = 0; k < w->functions && !text->failed; k++) {
    emit_table(w, text, &w->function[k], input, value);
    emit_check(w, text, k);
  }
  jn__text_add(text, "end\n");
  jn__release(&w->allocator, block);
  jn__release(&w->allocator, value);
}
