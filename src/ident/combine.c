/* SPDX-License-Identifier: BSD-2-Clause */
/* From directions without effect, the rows of N, to base parameters. Elimination gives N an identity in the columns d:
 * N = [N_b, E]. Then Y N^T = 0 means Y_d = -Y_b N_b^T, so Y pi = Y_b (pi_b - N_b^T pi_d): the parameters d are combined
 * with the others, and B = [E, -N_b^T]. */
#include <math.h>
#include <string.h>

#include "base.h"

/* Column k in the order of elimination: from the last link to the first, and within a link m, Jyy, hz first, as is
 * usual for revolute joints about z. */
static int eliminated(int width, int k) {
  static const int order[10] = {0, 5, 3, 2, 1, 4, 6, 9, 8, 7};
  return width - 10 - k / 10 * 10 + order[k % 10];
}

static double *row_of(const jn_null_space *s, int r) { return s->rows + (size_t)r * (size_t)s->width; }

static double dot_rows(const double *a, const double *b, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

/* y += x * by */
static void add_row(double *y, const double *x, double by, int n) {
  for (int i = 0; i < n; i++) y[i] += x[i] * by;
}

/* Orthonormal rows of the same span (Gram-Schmidt, twice). */
static void orthonormalise(jn_null_space *s) {
  int n = s->width;
  for (int r = 0; r < s->count; r++) {
    double *row = row_of(s, r);
    for (int twice = 0; twice < 2; twice++) {
      for (int k = 0; k < r; k++) add_row(row, row_of(s, k), -dot_rows(row, row_of(s, k), n), n);
      double size = sqrt(dot_rows(row, row, n));
      for (int i = 0; i < n; i++) row[i] /= size;
    }
  }
}

/* Reflects the rows from `first` on so that only row `first` has a nonzero entry in the column. The rows are
 * orthonormal and stay so. Does nothing and returns 0 unless the entry exceeds `least`. The entry is the
 * length of the projection of the column's unit vector onto the span of the rows, so it does not depend on which rows
 * span it. */
static int take_pivot(jn_null_space *s, int first, int column, double least, double *mirror) {
  double size = 0;
  for (int r = first; r < s->count; r++) {
    mirror[r] = row_of(s, r)[column];
    size += mirror[r] * mirror[r];
  }
  size = sqrt(size);
  if (!(size > least)) return 0;
  mirror[first] += mirror[first] < 0 ? -size : size;
  double norm = dot_rows(mirror + first, mirror + first, s->count - first);
  for (int c = 0; c < s->width; c++) {
    double along = 0;
    for (int r = first; r < s->count; r++) along += mirror[r] * row_of(s, r)[c];
    for (int r = first; r < s->count; r++) row_of(s, r)[c] -= 2 * along / norm * mirror[r];
  }
  for (int r = first + 1; r < s->count; r++) row_of(s, r)[column] = 0;
  return 1;
}

/* carried[column] = its row, or -1; each row has 1 in its column, and the other rows have 0 there. Any set of columns
 * for which the elimination works will do. Small pivots, which would give large coefficients, are used only if nothing
 * else is left. */
static void reduce(jn_null_space *s, int *carried, double *mirror) {
  static const double least[] = {0.1, 1e-3, 1e-6, 0};
  int done = 0;
  orthonormalise(s);
  for (int c = 0; c < s->width; c++) carried[c] = -1;
  for (int pass = 0; pass < 4 && done < s->count; pass++)
    for (int k = 0; k < s->width && done < s->count; k++) {
      int column = eliminated(s->width, k);
      if (carried[column] < 0 && take_pivot(s, done, column, least[pass], mirror)) carried[column] = done++;
    }
  s->count = done;
  for (int c = 0; c < s->width; c++) {
    if (carried[c] < 0) continue;
    double *pivot = row_of(s, carried[c]), by = 1 / pivot[c];
    for (int i = 0; i < s->width; i++) pivot[i] *= by;
    pivot[c] = 1;
    for (int r = 0; r < s->count; r++) {
      if (r == carried[c]) continue;
      add_row(row_of(s, r), pivot, -row_of(s, r)[c], s->width);
      row_of(s, r)[c] = 0;
    }
  }
}

static void fill_matrix(jn_base *b, const jn_null_space *s, const int *carried) {
  size_t n = (size_t)b->width;
  for (int i = 0; i < b->count; i++) {
    double *row = b->B + (size_t)i * n;
    for (int c = 0; c < b->width; c++) {
      double x = carried[c] < 0 ? c == b->column[i] : -s->rows[(size_t)carried[c] * n + (size_t)b->column[i]];
      row[c] = x == 0 ? 0 : x; /* no -0 */
    }
  }
}

/* A parameter that appears in no combination has no effect; one that is a combination by itself is alone. */
static void fill_classes(jn_base *b) {
  size_t n = (size_t)b->width;
  for (int c = 0; c < b->width; c++) b->kin[c] = JN_BASE_NO_EFFECT;
  for (int i = 0; i < b->count; i++) {
    const double *row = b->B + (size_t)i * n;
    int members = 0;
    for (int c = 0; c < b->width; c++) members += row[c] != 0;
    for (int c = 0; c < b->width; c++)
      if (row[c] != 0) b->kin[c] = (signed char)(members == 1 ? JN_BASE_ALONE : JN_BASE_COMBINED);
  }
}

jn_status jn__base_combine(jn_base *b, jn_null_space *s) {
  int *carried = jn__allocate(&b->allocator, (size_t)b->width * sizeof *carried);
  double *mirror = jn__allocate(&b->allocator, (size_t)b->width * sizeof *mirror);
  if (carried && mirror) {
    reduce(s, carried, mirror);
    for (size_t i = 0; i < (size_t)s->count * (size_t)s->width; i++)
      if (fabs(s->rows[i]) < b->zero) s->rows[i] = 0;
    b->count = 0;
    for (int c = 0; c < b->width; c++)
      if (carried[c] < 0) b->column[b->count++] = c;
    b->B = jn__allocate(&b->allocator, (size_t)b->count * (size_t)b->width * sizeof *b->B);
  }
  if (b->B) {
    fill_matrix(b, s, carried);
    fill_classes(b);
  }
  jn__release(&b->allocator, mirror);
  jn__release(&b->allocator, carried);
  return b->B ? JN_OK : JN_ERR_MEMORY;
}
