/* SPDX-License-Identifier: BSD-2-Clause */
/* Velocities when tasks contradict each other: the conditions of optimality of all levels as one linear system, so that
 * its time derivatives are those of the rule. With f the first level of tasks (loops before it are kept exactly):
 *   C_l v - r_l = y_l                               for each level l (r_l = 0 for loops)
 *   C_l^T r_l + sum_(j<l) C_j^T z_lj = 0            for each level of tasks: least |r_l| among what is left
 *   v - sum_j G_j^T z_j = u                         of all that is left, nearest to u in the metric; G = C W^-1
 * Multipliers z need not be unique: the shortest are taken at each order, and v is the same for all as long as ranks do
 * not change. */
#include <math.h>
#include <string.h>

#include "../dense/vectors.h"
#include "tasks.h"

void jn__tasks_priorities_size(const jn_tasks *t, int *unknowns, int *equations) {
  *unknowns = t->nv + (t->levels + 2) * t->m; /* more than enough */
  *equations = t->m + (t->levels + 1) * t->nv;
}

static int rows_of(const jn_tasks *t, int level) { return t->level_row[level + 1] - t->level_row[level]; }

static int first_level(const jn_tasks *t) { return t->loop_rows > 0; }

/* Places of unknowns: residuals after v, row by row; z of level `of` (levels: of the last condition) after these. */
static int place_residual(const jn_tasks *t, int level) { return t->nv + t->level_row[level] - t->loop_rows; }
static int place_multiplier(const jn_tasks *t, int of, int level) {
  int at = t->nv + t->m - t->loop_rows;
  for (int l = first_level(t); l < of; l++) at += t->level_row[l];
  return at + t->level_row[level];
}
static int count_unknowns(const jn_tasks *t) { return place_multiplier(t, t->levels, 0) + t->m; }
static int count_equations(const jn_tasks *t) { return t->m + (t->levels - first_level(t) + 1) * t->nv; }

/* Adds sign * C_level^T, or that of another matrix, in rows `row` ..., columns `column` ... */
static void add_transposed(jn_tasks *t, const double *C, int wide, int level, int row, int column, double sign) {
  for (int r = 0; r < rows_of(t, level); r++)
    for (int i = 0; i < t->nv; i++)
      t->big[(row + i) * wide + column + r] += sign * C[(t->level_row[level] + r) * t->nv + i];
}

void jn__tasks_priorities_factor(jn_tasks *t) {
  int wide = count_unknowns(t), high = count_equations(t), row = t->m;
  memset(t->big, 0, sizeof(double) * (size_t)wide * (size_t)high);
  for (int r = 0; r < t->m; r++) {
    memcpy(t->big + r * wide, t->C_jet + r * t->nv, sizeof(double) * (size_t)t->nv);
    if (r >= t->loop_rows) t->big[r * wide + t->nv + r - t->loop_rows] = -1;
  }
  for (int l = first_level(t); l < t->levels; l++, row += t->nv) {
    add_transposed(t, t->C_jet, wide, l, row, place_residual(t, l), 1);
    for (int j = 0; j < l; j++) add_transposed(t, t->C_jet, wide, j, row, place_multiplier(t, l, j), 1);
  }
  for (int i = 0; i < t->nv; i++) t->big[(row + i) * wide + i] = 1;
  for (int j = 0; j < t->levels; j++) add_transposed(t, t->G_jet, wide, j, row, place_multiplier(t, t->levels, j), -1);
  jn__cod(&t->cod, high, wide, t->big, fmax(1e-13, t->options.weak * t->options.weak));
}

/* right [n] += factor * C_level^(order)^T x, of C_jet or G_jet. */
static void add_product(const jn_tasks *t, const double *jet, int order, int level, double factor, const double *x,
                        double *right) {
  for (int r = 0; r < rows_of(t, level); r++) {
    const double *C = jet + (order * t->m + t->level_row[level] + r) * t->nv;
    for (int i = 0; i < t->nv; i++) right[i] += factor * C[i] * x[r];
  }
}

int jn__tasks_priorities_order(jn_tasks *t, int k, const double *y, const double *u, double *v) {
  int wide = count_unknowns(t), high = count_equations(t), row = t->m;
  double *right = t->right + t->m, *x = t->x_jet + k * t->size, most = 0, size = 1;
  memcpy(right, y, sizeof(double) * (size_t)t->m);
  memset(right + t->m, 0, sizeof(double) * (size_t)(high - t->m));
  double *last = right + t->m + (t->levels - first_level(t)) * t->nv;
  for (int i = 0; i < t->nv; i++) last[i] = u[i];
  for (int j = 0; j < k; j++) {
    double b = jn__binomial(k, j);
    const double *before = t->x_jet + j * t->size;
    row = t->m;
    for (int l = first_level(t); l < t->levels; l++, row += t->nv) {
      add_product(t, t->C_jet, k - j, l, -b, before + place_residual(t, l), right + row);
      for (int i = 0; i < l; i++)
        add_product(t, t->C_jet, k - j, i, -b, before + place_multiplier(t, l, i), right + row);
    }
    for (int i = 0; i < t->levels; i++)
      add_product(t, t->G_jet, k - j, i, b, before + place_multiplier(t, t->levels, i), right + row);
  }
  jn__cod_solve(&t->cod, right, x);
  memcpy(v, x, sizeof(double) * (size_t)t->nv);
  for (int r = 0; r < high; r++) {
    double sum = right[r];
    for (int i = 0; i < wide; i++) sum -= t->big[r * wide + i] * x[i];
    most = fmax(most, fabs(sum));
    size = fmax(size, fabs(right[r]));
  }
  return most <= fmax(1e-7, 1e5 * jn_variant_epsilon()) * size;
}
