/* SPDX-License-Identifier: BSD-2-Clause */
/* Positions of motors into positions of joints: theta = G q + zero, so q = G^-1 (theta - zero); rates likewise, without
 * zero. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../dense/dense.h"
#include "../text/words.h"
#include "columns.h"

static const double singular = 1e-10; /* a direction of G that is weaker than this, relative to the strongest */

static jn_status refuse(jn_loading *l, const char *subject, const char *remedy, const char *text) {
  jn__log(&l->log, JN_ERROR, JN_ERR_MODEL, "motors", (jn_place){l->file, 0, 0}, subject, remedy, "%s", text);
  return JN_ERR_MODEL;
}

int jn__motor_find(const jn_loading *l, const char *name) {
  int count = l->options.motor_names ? l->options.motor_name_count : 0;
  for (int k = 0; k < count && l->options.motor_matrix; k++)
    if (l->options.motor_names[k] && strcmp(l->options.motor_names[k], name) == 0) return k;
  return -1;
}

/* Does a motor turn with its own joint and no other, and its joint with no other motor? */
static int is_alone(const double *G, int n, int k) {
  for (int i = 0; i < n; i++) {
    double wanted = i == k;
    if (G[k * n + i] != wanted || G[i * n + k] != wanted) return 0;
  }
  return 1;
}

/* G^-1 [n x n]; JN_ERR_MODEL if G is singular. */
static jn_status invert(jn_loading *l, int n, const double *G, double *inverse) {
  size_t size = (size_t)n;
  double *memory = jn__allocate(&l->allocator, (2 * size * size + 4 * size + 1) * sizeof *memory);
  if (!memory) return JN_ERR_MEMORY;
  jn_decomposition d = {.U = memory, .V = memory + size * size};
  d.s = d.V + size * size;
  d.y = d.s + size;
  double *unit = d.y + size, *column = unit + size;

  jn__svd(&d, n, n, G, singular);
  for (int k = 0; k < n; k++) {
    for (int i = 0; i < n; i++) unit[i] = i == k;
    jn__svd_solve(&d, unit, column);
    for (int i = 0; i < n; i++) inverse[i * n + k] = column[i];
  }

  jn__release(&l->allocator, memory);
  if (d.rank == n) return JN_OK;
  return refuse(l, NULL, "each joint must follow from the motors: the rows of the table must be independent",
                "the matrix of the motors has no inverse");
}

/* One coordinate per joint, finite numbers, and every motor that is not alone with its joint has a column. */
static jn_status check_motors(jn_loading *l, const int *columns) {
  int n = jn_model_nv(l->model);
  const double *G = l->options.motor_matrix, *zero = l->options.motor_zero;
  if (jn_model_nq(l->model) != n)
    return refuse(l, NULL, "lock free and spherical joints", "motor positions need joints without quaternions");

  for (int k = 0; k < n * n; k++)
    if (!isfinite(G[k]) || (zero && !isfinite(zero[k / n])))
      return refuse(l, NULL, NULL, "the matrix or the zeros of the motors are not finite");
  for (int k = 0; k < n; k++) {
    char name[JN_NAME], subject[JN_NAME + 16];
    if (columns[k] || is_alone(G, n, k)) continue;
    jn_coordinate_name(l->model, k, name, sizeof name);
    const char *own = l->options.motor_names && k < l->options.motor_name_count ? l->options.motor_names[k] : name;
    snprintf(subject, sizeof subject, "motor '%.*s'", JN_CLIP(own));
    return refuse(l, subject, "joints that it moves need the positions of all their motors", "has no column");
  }
  return JN_OK;
}

jn_status jn__motors_to_joints(jn_loading *l, jn_table *t, const int *columns, int order) {
  int n = jn_model_nv(l->model);
  size_t size = (size_t)n;
  const double *zero = order == 0 ? l->options.motor_zero : NULL;
  jn_status status = check_motors(l, columns);
  if (status != JN_OK) return status;
  double *inverse = jn__allocate(&l->allocator, (size * size + 2 * size + 1) * sizeof *inverse);
  if (!inverse) return JN_ERR_MEMORY;
  double *theta = inverse + size * size;

  status = invert(l, n, l->options.motor_matrix, inverse);
  for (int r = 0; r < t->rows && status == JN_OK; r++) {
    for (int k = 0; k < n; k++) {
      const double *x = t->values + (size_t)(columns[k] - 1) * t->room;
      theta[k] = columns[k] ? x[r] - (zero ? zero[k] : 0) : 0;
    }
    for (int i = 0; i < n; i++)
      if (columns[i]) t->values[(size_t)(columns[i] - 1) * t->room + (size_t)r] = jn__dot(inverse + i * n, theta, n);
  }

  jn__release(&l->allocator, inverse);
  return status;
}
