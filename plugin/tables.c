/* SPDX-License-Identifier: BSD-2-Clause */
/* Names and patterns for CasADi. With inputs i and outputs o of a function:
 *   f         i -> o
 *   jac_f     i, out_o -> jac_o_i
 *   adj1_f    i, out_o, adj_o -> adj_i = sum_o (do/di)^T adj_o
 *   jac_adj1_f  i, out_o, adj_o, out_adj_i -> jac_adj_i_x for each x of adj1_f
 * out_... are values that are known already; none is used, so they are declared empty. Matrices are stored by columns,
 * and derivatives of a matrix are by its numbers in that order. */
#include <stdlib.h>
#include <string.h>

#include "plugin.h"

int plugin_input_at(const jn_function *f, int in) {
  int at = 0;
  for (int i = 0; i < in; i++) at += jn_function_input_size(f, i);
  return at;
}

int plugin_output_at(const jn_function *f, int out) {
  int at = 0;
  for (int i = 0; i < out; i++) at += jn_function_output_size(f, i);
  return at;
}

static char *joined(const char *a, const char *b, const char *c, const char *d) {
  size_t length = strlen(a) + strlen(b) + strlen(c) + strlen(d) + 1;
  char *text = malloc(length);
  if (!text) return NULL;
  strcpy(text, a);
  strcat(text, b);
  strcat(text, c);
  return strcat(text, d);
}

static casadi_int *full(int rows, int columns) {
  casadi_int *p = calloc(3, sizeof *p);
  if (p) p[0] = rows, p[1] = columns, p[2] = 1;
  return p;
}

static casadi_int *empty(int rows, int columns) {
  casadi_int *p = calloc(3 + (size_t)columns, sizeof *p);
  if (p) p[0] = rows, p[1] = columns;
  return p;
}

/* Entry (i, k) of the block is entry[i * down + k * right]. */
static casadi_int *sparse(int rows, int columns, const unsigned char *entry, int down, int right) {
  int count = 0;
  for (int k = 0; k < columns; k++)
    for (int i = 0; i < rows; i++) count += entry[i * down + k * right] != 0;
  casadi_int *p = calloc(3 + (size_t)columns + (size_t)count, sizeof *p), *start = p + 2, *row = start + columns + 1;
  if (!p) return NULL;
  p[0] = rows, p[1] = columns;
  for (int k = 0; k < columns; k++) {
    start[k + 1] = start[k];
    for (int i = 0; i < rows; i++)
      if (entry[i * down + k * right]) row[start[k + 1]++] = i;
  }
  return p;
}

static void add_in(plugin_table *t, char *name, casadi_int *pattern) {
  t->in[t->in_count] = name;
  t->in_pattern[t->in_count++] = pattern;
}

static void add_out(plugin_table *t, char *name, casadi_int *pattern) {
  t->out[t->out_count] = name;
  t->out_pattern[t->out_count++] = pattern;
}

static int columns_of(const jn_function *f, int o) {
  int rows = jn_function_output_rows(f, o);
  return rows > 0 ? jn_function_output_size(f, o) / rows : 1;
}

/* Inputs of all forms: each has those of the one before. */
static void add_inputs(const jn_function *f, plugin_form form, plugin_table *t) {
  int inputs = jn_function_inputs(f), outputs = jn_function_outputs(f);
  for (int i = 0; i < inputs; i++)
    add_in(t, joined(jn_function_input_name(f, i), "", "", ""), full(jn_function_input_size(f, i), 1));
  for (int o = 0; o < outputs && form >= FORM_JACOBIAN; o++)
    add_in(t, joined("out_", jn_function_output_name(f, o), "", ""),
           empty(jn_function_output_rows(f, o), columns_of(f, o)));
  for (int o = 0; o < outputs && form >= FORM_ADJOINT; o++)
    add_in(t, joined("adj_", jn_function_output_name(f, o), "", ""),
           full(jn_function_output_rows(f, o), columns_of(f, o)));
  for (int i = 0; i < inputs && form >= FORM_HESSIAN; i++)
    add_in(t, joined("out_adj_", jn_function_input_name(f, i), "", ""), empty(jn_function_input_size(f, i), 1));
}

static void add_jacobian(const jn_function *f, plugin_table *t) {
  int n = jn_function_n(f);
  const unsigned char *J = jn_function_jacobian_pattern(f);
  for (int o = 0; o < jn_function_outputs(f); o++)
    for (int i = 0; i < jn_function_inputs(f); i++)
      add_out(t, joined("jac_", jn_function_output_name(f, o), "_", jn_function_input_name(f, i)),
              sparse(jn_function_output_size(f, o), jn_function_input_size(f, i),
                     J + plugin_output_at(f, o) * n + plugin_input_at(f, i), n, 1));
}

/* Blocks of the derivative of adj_i: by the inputs (Hessian), by out_o (zero), by adj_o (J^T). */
static void add_hessian(const jn_function *f, plugin_table *t) {
  int n = jn_function_n(f), inputs = jn_function_inputs(f), outputs = jn_function_outputs(f);
  const unsigned char *J = jn_function_jacobian_pattern(f), *H = jn_function_hessian_pattern(f);
  for (int i = 0; i < inputs; i++) {
    const char *name = jn_function_input_name(f, i);
    int rows = jn_function_input_size(f, i), at = plugin_input_at(f, i);
    for (int k = 0; k < inputs; k++)
      add_out(t, joined("jac_adj_", name, "_", jn_function_input_name(f, k)),
              sparse(rows, jn_function_input_size(f, k), H + at * n + plugin_input_at(f, k), n, 1));
    for (int o = 0; o < outputs; o++)
      add_out(t, joined("jac_adj_", name, "_out_", jn_function_output_name(f, o)),
              empty(rows, jn_function_output_size(f, o)));
    for (int o = 0; o < outputs; o++)
      add_out(t, joined("jac_adj_", name, "_adj_", jn_function_output_name(f, o)),
              sparse(rows, jn_function_output_size(f, o), J + plugin_output_at(f, o) * n + at, 1, n));
  }
}

int plugin_make_table(const jn_function *f, plugin_form form, plugin_table *t) {
  int failed = 0;
  memset(t, 0, sizeof *t);
  add_inputs(f, form, t);
  switch (form) {
    case FORM_JACOBIAN:
      add_jacobian(f, t);
      break;
    case FORM_HESSIAN:
      add_hessian(f, t);
      break;
    case FORM_ADJOINT:
      for (int i = 0; i < jn_function_inputs(f); i++)
        add_out(t, joined("adj_", jn_function_input_name(f, i), "", ""), full(jn_function_input_size(f, i), 1));
      break;
    default:
      for (int o = 0; o < jn_function_outputs(f); o++)
        add_out(t, joined(jn_function_output_name(f, o), "", "", ""),
                full(jn_function_output_rows(f, o), columns_of(f, o)));
  }
  for (int i = 0; i < t->in_count; i++) failed |= !t->in[i] || !t->in_pattern[i];
  for (int i = 0; i < t->out_count; i++) failed |= !t->out[i] || !t->out_pattern[i];
  return failed;
}

void plugin_free_table(plugin_table *t) {
  for (int i = 0; i < t->in_count; i++) free(t->in[i]), free(t->in_pattern[i]);
  for (int i = 0; i < t->out_count; i++) free(t->out[i]), free(t->out_pattern[i]);
  memset(t, 0, sizeof *t);
}
