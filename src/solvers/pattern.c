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

void jn__pattern_tree(jn_function *f) {
  int n = f->nv;
  unsigned char *moves = f->related + n * n;
  memset(f->related, 0, (size_t)(n * n));
  for (int link = 0; link < jn_link_count(f->model); link++) {
    memset(moves, 0, (size_t)n);
    jn__pattern_support(f->model, link, moves);
    for (int h = 0; h < n; h++)
      for (int k = 0; k < n && moves[h]; k++) f->related[h * n + k] |= moves[k];
  }
}

void jn__pattern_components(jn_function *f) {
  int n = f->nv;
  jn__pattern_tree(f);
  for (int j = 0; j < n; j++) /* the closure, by Warshall */
    for (int h = 0; h < n; h++)
      for (int k = 0; k < n && f->related[h * n + j]; k++) f->related[h * n + k] |= f->related[j * n + k];
}

void jn__pattern_all(jn_function *f) { memset(f->related, 1, (size_t)(f->nv * f->nv)); }

/* Where input `in` begins in x, and how many numbers it has. */
static int input_at(const jn_function *f, int in) { return in == 0 ? 0 : f->nq + (in - 1) * f->nv; }
static int input_width(const jn_function *f, int in) { return in == 0 ? f->nq : f->nv; }

/* Whether number i of a vector (a configuration, or velocities) belongs to a coordinate k with moves[k]. */
static int is_moved(const function_chart *c, int is_q, int i, const unsigned char *moves) {
  if (!is_q) return moves[i];
  for (int k = 0; k < c->width[i]; k++)
    if (moves[c->owner[i] + k]) return 1;
  return 0;
}

void jn__pattern_rows(jn_function *f, int first, int count, int in, const unsigned char *moves) {
  for (int r = first; r < first + count; r++)
    for (int i = 0; i < input_width(f, in); i++)
      if (!moves || is_moved(&f->chart, in == 0, i, moves)) f->J_pattern[r * f->n + input_at(f, in) + i] = 1;
}

/* Rows of a square block whose rows belong to coordinates, too. */
static const unsigned char *related_row(const jn_function *f, int is_q, int i) {
  return f->related + (is_q ? f->chart.owner[i] : i) * f->nv; /* coordinates of one joint have equal rows */
}

void jn__pattern_related(jn_function *f, int out, int in) {
  int first = 0, is_q = out == 0 && f->is->has_next;
  for (int i = 0; i < out; i++) first += f->rows[i] * f->columns[i];
  for (int i = 0; i < (is_q ? f->nq : f->nv); i++) jn__pattern_rows(f, first + i, 1, in, related_row(f, is_q, i));
}

void jn__pattern_hessian(jn_function *f, int in, int by) {
  for (int i = 0; i < input_width(f, in); i++)
    for (int k = 0; k < input_width(f, by); k++)
      if (is_moved(&f->chart, by == 0, k, related_row(f, in == 0, i))) {
        int row = input_at(f, in) + i, column = input_at(f, by) + k;
        f->H_pattern[row * f->n + column] = f->H_pattern[column * f->n + row] = 1;
      }
}
