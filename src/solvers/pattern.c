/* SPDX-License-Identifier: BSD-2-Clause */
/* Which entries of the matrices can differ from zero. The kinetic and potential energy of a link depend on the
 * coordinates that move this link and on no others, so all derivatives of inverse dynamics, of any order, mix only
 * coordinates that move one link together. The inverse of M fills this up to the connected components. */
#include <string.h>

#include "function.h"

void jn__pattern_support(const jn_model *model, int link, unsigned char *moves) {
  for (; link >= 0; link = jn_link_parent(model, link)) {
    int count = jn_joint_mimic(model, link, NULL, NULL, NULL) ? 1 : jn_joint_nv(model, link);
    for (int k = 0; k < count; k++) moves[jn_joint_v(model, link) + k] = 1;
  }
}

void jn__pattern_tree(jn_function *function) {
  int n = function->nv;
  unsigned char *moves = function->related + n * n;
  memset(function->related, 0, (size_t)(n * n));
  for (int link = 0; link < jn_link_count(function->model); link++) {
    memset(moves, 0, (size_t)n);
    jn__pattern_support(function->model, link, moves);
    for (int h = 0; h < n; h++)
      for (int k = 0; k < n && moves[h]; k++) function->related[h * n + k] |= moves[k];
  }
}

void jn__pattern_components(jn_function *function) {
  int n = function->nv;
  jn__pattern_tree(function);
  for (int j = 0; j < n; j++) /* the closure, by Warshall */
    for (int h = 0; h < n; h++)
      for (int k = 0; k < n && function->related[h * n + j]; k++)
        function->related[h * n + k] |= function->related[j * n + k];
}

void jn__pattern_all(jn_function *function) { memset(function->related, 1, (size_t)(function->nv * function->nv)); }

/* Where input `in` begins in x, and how many numbers it has. */
static int input_at(const jn_function *function, int in) {
  return in == 0 ? 0 : function->nq + (in - 1) * function->nv;
}
static int input_width(const jn_function *function, int in) { return in == 0 ? function->nq : function->nv; }

/* Whether number i of a vector (a configuration, or velocities) belongs to a coordinate k with moves[k]. */
static int is_moved(const function_chart *c, int is_q, int i, const unsigned char *moves) {
  if (!is_q) return moves[i];
  for (int k = 0; k < c->width[i]; k++)
    if (moves[c->owner[i] + k]) return 1;
  return 0;
}

void jn__pattern_rows(jn_function *function, int first, int count, int in, const unsigned char *moves) {
  for (int r = first; r < first + count; r++)
    for (int i = 0; i < input_width(function, in); i++)
      if (!moves || is_moved(&function->chart, in == 0, i, moves))
        function->J_pattern[r * function->n + input_at(function, in) + i] = 1;
}

/* Rows of a square block whose rows belong to coordinates, too. */
static const unsigned char *related_row(const jn_function *function, int is_q, int i) {
  return function->related +
         (is_q ? function->chart.owner[i] : i) * function->nv; /* coordinates of one joint have equal rows */
}

void jn__pattern_related(jn_function *function, int out, int in) {
  int first = 0, is_q = out == 0 && function->is->has_next;
  for (int i = 0; i < out; i++) first += function->rows[i] * function->columns[i];
  for (int i = 0; i < (is_q ? function->nq : function->nv); i++)
    jn__pattern_rows(function, first + i, 1, in, related_row(function, is_q, i));
}

void jn__pattern_hessian(jn_function *function, int in, int by) {
  for (int i = 0; i < input_width(function, in); i++)
    for (int k = 0; k < input_width(function, by); k++)
      if (is_moved(&function->chart, by == 0, k, related_row(function, in == 0, i))) {
        int row = input_at(function, in) + i, column = input_at(function, by) + k;
        function->H_pattern[row * function->n + column] = function->H_pattern[column * function->n + row] = 1;
      }
}
