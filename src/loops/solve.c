/* SPDX-License-Identifier: BSD-2-Clause */
/* Factors and solutions of the equations of motion with loops (kim2012 eqs. 67-69):
 *   M x - A^T mu = f,     A x = g
 * With M = L^T D L, L unit lower triangular and as sparse as the tree:
 *   B = D^-1/2 L^-T A^T,   C = D^-1 L^-T A^T             once for each state
 *   h = L^-T f                                           inwards
 *   B^T B mu = g - C^T h                                 multipliers
 *   x = L^-1 (D^-1 h + C mu)                             outwards
 *
 *   symbol  meaning                                               size       where
 *   L, D    factors of M                                          sparse, nv factors->L, factors->diagonal
 *   B, C    the conditions seen through the inertia               nv x m     factors->seen, factors->solved
 *   S       B^T B, then its Cholesky factor                       m x m      factors->S
 *
 * Storage: row k of L has the numbers of the coordinates between the world and k side by side; they are also the first
 * numbers of the rows of these. Rows of B and C are zero except for the conditions of the loops that their coordinate
 * moves. Compiled twice (wide.h): rows in steps of JN_WIDE. The last step of a row may read numbers that are zero or
 * not used. */
#include <math.h>

#include "wide.h"

#define INLINE static inline __attribute__((always_inline))

/* y += a x over n numbers, rounded up. */
static inline void add(int n, double a, const double *x, double *y) {
  for (int k = 0; k < n; k += JN_WIDE) store(y + k, load(y + k) + a * load(x + k));
}

/* Rows of conditions are taken from a multiple of JN_WIDE on: what was stored as a whole is then also read so. */
static inline int down(int r) { return r / JN_WIDE * JN_WIDE; }

/* ---- factors ---- */

enum { CHUNK = 6 }; /* steps of a row that are summed at once */

/* W steps of row p of M from place `first` on, without what the coordinates that p carries take out of it. The last
 * that was found comes last, and every other row has sums of its own: less waiting. */
INLINE void subtract_carried(const loop_structure *loops, loop_factors *factors, int p, int first, int W) {
  double *row = factors->L + loops->row_at[p] + first;
  int place = loops->depth[p], k = p + loops->under[p];
  wide acc[CHUNK], other[CHUNK];
  for (int w = 0; w < W; w++) acc[w] = load(row + w * JN_WIDE), other[w] = (wide){0};
  for (; k > p + 1; k -= 2) {
    const double *x = factors->L + loops->row_at[k], *y = factors->L + loops->row_at[k - 1];
    wide a = all(x[place] * factors->diagonal[k]), b = all(y[place] * factors->diagonal[k - 1]);
    for (int w = 0; w < W; w++) {
      acc[w] -= a * load(x + first + w * JN_WIDE);
      other[w] -= b * load(y + first + w * JN_WIDE);
    }
  }
  if (k > p) {
    const double *x = factors->L + loops->row_at[k];
    wide a = all(x[place] * factors->diagonal[k]);
    for (int w = 0; w < W; w++) acc[w] -= a * load(x + first + w * JN_WIDE);
  }
  for (int w = 0; w < W; w++) store(row + w * JN_WIDE, acc[w] + other[w]);
}

/* The same of W steps of its row of L^-T A^T, from condition `first` on. */
INLINE void subtract_conditions(const loop_structure *loops, loop_factors *factors, int p, int first, int W) {
  int wide_m = loops->wide_m, place = loops->depth[p];
  double *row = factors->seen + p * wide_m + first;
  wide acc[CHUNK];
  for (int w = 0; w < W; w++) acc[w] = load(row + w * JN_WIDE);
  for (int k = p + loops->under[p]; k > p; k--) {
    if (loops->touch[k].count == 0) continue;
    const double *b = factors->seen + k * wide_m + first;
    wide a = all(factors->L[loops->row_at[k] + place]);
    for (int w = 0; w < W; w++) acc[w] -= a * load(b + w * JN_WIDE);
  }
  for (int w = 0; w < W; w++) store(row + w * JN_WIDE, acc[w]);
}

/* Calls f(l, p, first, W) for all steps from `first` to `end`, with a constant number W at a time. */
#define IN_CHUNKS(f, loops, factors, p, from, end)                     \
  for (int first_ = (from); first_ < (end); first_ += CHUNK * JN_WIDE) \
    switch (((end)-first_ + JN_WIDE - 1) / JN_WIDE) {                  \
      case 1:                                                          \
        f(loops, factors, p, first_, 1);                               \
        break;                                                         \
      case 2:                                                          \
        f(loops, factors, p, first_, 2);                               \
        break;                                                         \
      case 3:                                                          \
        f(loops, factors, p, first_, 3);                               \
        break;                                                         \
      case 4:                                                          \
        f(loops, factors, p, first_, 4);                               \
        break;                                                         \
      case 5:                                                          \
        f(loops, factors, p, first_, 5);                               \
        break;                                                         \
      default:                                                         \
        f(loops, factors, p, first_, CHUNK);                           \
    }

/* Rows of M and of A^T, last ones first: they are read first, as wholes, which has to wait for their single numbers. */
static void gather_rows(const loop_structure *loops, const loop_state *state, loop_factors *factors,
                        const unsigned char *prescribed) {
  int n = loops->nv, wide_m = loops->wide_m;
  memset(factors->seen, 0, sizeof(double) * (size_t)n * (size_t)wide_m);
  for (int k = n - 1; k >= 0; k--) {
    double *row = factors->L + loops->row_at[k], *b = factors->seen + k * wide_m;
    const int *path = loops->path + loops->first_before[k];
    for (int e = 0; e < loops->depth[k]; e++) row[e] = state->H[k * n + path[e]];
    row[loops->depth[k]] = state->H[k * (n + 1)];
    for (int e = loops->depth[k] + 1; e % JN_WIDE != 0; e++) row[e] = 0;
    for (int r = loops->touch[k].first; r < loops->touch[k].first + loops->touch[k].count; r++)
      b[r] = prescribed && prescribed[k] ? 0 : state->A[r * n + k];
  }
}

/* L, D, B and C. 0 when a pivot is lost to rounding. [Featherstone's elimination, row by row] */
int CODE(factor_inertia)(const loop_structure *loops, const loop_state *state, loop_factors *factors,
                         const unsigned char *prescribed) {
  int n = loops->nv;
  gather_rows(loops, state, factors, prescribed);
  for (int k = n - 1; k >= 0; k--) {
    double *row = factors->L + loops->row_at[k];
    if (loops->under[k] > 0) {
      IN_CHUNKS(subtract_carried, loops, factors, k, 0, loops->depth[k] + 1)
      IN_CHUNKS(subtract_conditions, loops, factors, k, down(loops->touch[k].first),
                loops->touch[k].first + loops->touch[k].count)
    }
    double pivot = row[loops->depth[k]], inverse = 1 / pivot;
    if (!(pivot > 1e-14 * state->H[k * (n + 1)])) return 0;
    factors->diagonal[k] = pivot;
    factors->inverse[k] = inverse;
    for (int e = 0; e < loops->depth[k]; e += JN_WIDE) store(row + e, inverse * load(row + e));
  }
  for (int k = 0; k < n; k++) { /* apart: nothing waits for roots */
    double inverse = factors->inverse[k], half = sqrt(inverse), *b = factors->seen + k * loops->wide_m,
           *c = factors->solved + k * loops->wide_m;
    for (int r = down(loops->touch[k].first); r < loops->touch[k].first + loops->touch[k].count; r += JN_WIDE) {
      wide x = load(b + r);
      store(c + r, inverse * x);
      store(b + r, half * x);
    }
  }
  return 1;
}

/* S = B^T B, which is symmetric within steps as far as it is needed. */
static void multiply(const loop_structure *loops, loop_factors *factors) {
  int wide_m = loops->wide_m;
  memset(factors->S, 0, sizeof(double) * (size_t)loops->m * (size_t)wide_m);
  for (int k = 0; k < loops->nv; k++) {
    int end = loops->touch[k].first + loops->touch[k].count;
    const double *b = factors->seen + k * wide_m;
    for (int r = loops->touch[k].first; r < end; r++)
      add(end - down(r), b[r], b + down(r), factors->S + r * wide_m + down(r));
  }
}

/* S = U^T P U in place above the diagonal (U with a unit one), P^-1 in factors->pivots; numbers below the diagonal
 * become zero in the step of the diagonal. 0 when conditions are weak beside each other: their answer would lose more
 * than five digits. A pivot is what is left of the condition's own S_jj, which counts as factors->weight, |A_j|^2 over
 * the square of its scale: in whatever units a condition is written, it is judged alike. */
int CODE(factor_conditions)(const loop_structure *loops, loop_factors *factors) {
  int m = loops->m, wide_m = loops->wide_m;
  double *S = factors->S, most = 0, least = INFINITY;
  multiply(loops, factors);
  for (int r = 0; r < m; r++) {
    most = factors->weight[r] > most ? factors->weight[r] : most;
    factors->weight[r] /= S[r * (wide_m + 1)];
  }
  for (int j = 0; j < m; j++) {
    double *row = S + j * wide_m, pivot = row[j], inverse = 1 / pivot, strength = pivot * factors->weight[j];
    int first = down(j + 1);
    least = strength < least ? strength : least;
    if (!(strength > 1e-5 * most)) return 0;
    factors->pivots[j] = inverse;
    for (int i = j + 1; i < m; i++)
      if (row[i] != 0) add(m - down(i), -inverse * row[i], row + down(i), S + i * wide_m + down(i));
    if (first < m) store(row + first, drop(inverse * load(row + first), j + 1 - first));
    for (int i = first + JN_WIDE; i < m; i += JN_WIDE) store(row + i, inverse * load(row + i));
  }
  factors->last = (jn_loops_health){.rank = m, .generic = loops->generic, .weakest = m > 0 ? sqrt(least / most) : 1};
  return 1;
}

/* ---- one right side ---- */

/* mu with B^T B mu = g, in place. */
static void solve_conditions(const loop_structure *loops, const loop_factors *factors, double *g) {
  int m = loops->m, wide_m = loops->wide_m;
  const double *S = factors->S;
  if (!factors->by_products) {
    jn__cod_solve_normal(&factors->cod, g);
    return;
  }
  for (int i = 0; i < m; i++) add(m - down(i + 1), -g[i], S + i * wide_m + down(i + 1), g + down(i + 1));
  for (int i = 0; i < m; i++) g[i] *= factors->pivots[i];
  for (int i = m - 1; i > 0; i--)
    for (int j = 0; j < i; j++) g[j] -= S[j * wide_m + i] * g[i];
}

void CODE(solve_one)(const loop_structure *loops, const loop_factors *factors, double *f, double *mu) {
  int n = loops->nv, wide_m = loops->wide_m;
  double *g = factors->one;
  memcpy(g, mu, sizeof *g * (size_t)loops->m);
  memset(g + loops->m, 0, sizeof *g * (size_t)(wide_m - loops->m));
  for (int k = n - 1; k >= 0; k--) {
    const double *row = factors->L + loops->row_at[k];
    const int *path = loops->path + loops->first_before[k];
    double own = f[k];
    for (int e = 0; e < loops->depth[k]; e++) f[path[e]] -= row[e] * own;
  }
  for (int k = 0; k < n; k++) {
    int first = down(loops->touch[k].first);
    add(loops->touch[k].first + loops->touch[k].count - first, -f[k], factors->solved + k * wide_m + first, g + first);
  }
  solve_conditions(loops, factors, g);
  for (int k = 0; k < n; k++) {
    const double *row = factors->L + loops->row_at[k], *c = factors->solved + k * wide_m;
    const int *path = loops->path + loops->first_before[k];
    wide along = {0};
    for (int r = down(loops->touch[k].first); r < loops->touch[k].first + loops->touch[k].count; r += JN_WIDE)
      along += load(c + r) * load(g + r);
    double x = f[k] * factors->inverse[k] + sum(along);
    for (int e = 0; e < loops->depth[k]; e++) x -= row[e] * f[path[e]];
    f[k] = x;
  }
  memcpy(mu, g, sizeof *g * (size_t)loops->m);
}

/* ---- many ---- */

enum { MOST = MANY_COLUMNS / 4 }; /* steps of a row of right sides */

/* acc -= a x, row by row of W steps. */
INLINE void subtract(int W, wide *acc, double a, const double *x) {
  wide factor = all(a);
  for (int w = 0; w < W; w++) acc[w] -= factor * load(x + w * JN_WIDE);
}
INLINE void take(int W, wide *acc, const double *x) {
  for (int w = 0; w < W; w++) acc[w] = load(x + w * JN_WIDE);
}
INLINE void give(int W, const wide *acc, double *x) {
  for (int w = 0; w < W; w++) store(x + w * JN_WIDE, acc[w]);
}
INLINE void scale(int W, wide *acc, double a) {
  for (int w = 0; w < W; w++) acc[w] *= a;
}

/* solve_conditions() by products, of y [m x W]. */
INLINE void solve_products(const loop_structure *loops, const loop_factors *factors, int W, double *y) {
  int m = loops->m, wide_m = loops->wide_m, step = W * JN_WIDE;
  const double *S = factors->S;
  wide acc[MOST];
  for (int i = 1; i < m; i++) {
    take(W, acc, y + i * step);
    for (int j = 0; j < i; j++) subtract(W, acc, S[j * wide_m + i], y + j * step);
    give(W, acc, y + i * step);
  }
  for (int i = m - 1; i >= 0; i--) {
    take(W, acc, y + i * step);
    scale(W, acc, factors->pivots[i]);
    for (int j = i + 1; j < m; j++) subtract(W, acc, S[i * wide_m + j], y + j * step);
    give(W, acc, y + i * step);
  }
}

/* Reflection i of Z (dense.h) on y [m x W], in the order of pivots. */
INLINE void reflect(const jn_decomposition *d, int W, int i, double *y) {
  int step = W * JN_WIDE;
  wide acc[MOST];
  take(W, acc, y + i * step);
  for (int j = d->rank; j < d->n; j++) subtract(W, acc, -d->U[j * d->rows + i], y + j * step);
  scale(W, acc, d->V[i]);
  for (int w = 0; w < W; w++) store(y + i * step + w * JN_WIDE, load(y + i * step + w * JN_WIDE) - acc[w]);
  for (int j = d->rank; j < d->n; j++)
    for (int w = 0; w < W; w++) {
      double *to = y + j * step + w * JN_WIDE;
      store(to, load(to) - d->U[j * d->rows + i] * acc[w]);
    }
}

/* The same by the decomposition: jn__cod_solve_normal(). z [m x W] is scratch. */
INLINE void solve_decomposed(const jn_decomposition *d, int W, double *y, double *z) {
  int step = W * JN_WIDE, r = d->rank;
  size_t row = sizeof(double) * (size_t)step;
  wide acc[MOST];
  for (int j = 0; j < d->n; j++) memcpy(z + j * step, y + d->pivot[j] * step, row);
  for (int i = r - 1; i >= 0 && r < d->n; i--) reflect(d, W, i, z);
  for (int i = 0; i < r; i++) { /* T^-T */
    take(W, acc, z + i * step);
    for (int k = 0; k < i; k++) subtract(W, acc, d->U[i * d->rows + k], z + k * step);
    scale(W, acc, 1 / d->U[i * (d->rows + 1)]);
    give(W, acc, z + i * step);
  }
  for (int i = r - 1; i >= 0; i--) { /* T^-1 */
    take(W, acc, z + i * step);
    for (int k = i + 1; k < r; k++) subtract(W, acc, d->U[k * d->rows + i], z + k * step);
    scale(W, acc, 1 / d->U[i * (d->rows + 1)]);
    give(W, acc, z + i * step);
  }
  memset(z + r * step, 0, row * (size_t)(d->n - r));
  for (int i = 0; i < r && r < d->n; i++) reflect(d, W, i, z);
  for (int j = 0; j < d->n; j++) memcpy(y + d->pivot[j] * step, z + j * step, row);
}

/* JN_WIDE columns of a block, or what is left of it. */
typedef struct step_columns {
  const loop_columns *block;
  int first, count;
} step_columns;

/* Right sides -G, -g, in steps of `step` numbers; rows of prescribed coordinates are zero. */
static void fill(const loop_structure *loops, const unsigned char *prescribed, const step_columns *t, int step,
                 double *x) {
  const loop_columns *b = t->block;
  int n = loops->nv, m = loops->m, columns = b->columns;
  const double *G = b->G ? b->G + t->first : NULL, *g = b->g ? b->g + t->first : NULL;
  double *y = x + n * step;
  for (int i = 0; i < n && G; i++) store(x + i * step, -load(G + i * columns));
  for (int i = 0; i < n && !G; i++) store(x + i * step, (wide){0});
  for (int k = 0; k < t->count && !G; k++) x[(t->first + k) * step + k] = 1;
  for (int i = 0; i < n && prescribed; i++)
    if (prescribed[i]) store(x + i * step, (wide){0});
  for (int r = 0; r < m && g; r++) store(y + r * step, -load(g + r * columns));
  for (int r = 0; r < m && !g; r++) store(y + r * step, (wide){0});
}

static void keep(int rows, const step_columns *t, int step, const double *x, double *to) {
  int columns = t->block->columns;
  if (!to) return;
  to += t->first;
  if (t->count == JN_WIDE)
    for (int i = 0; i < rows; i++) store(to + i * columns, load(x + i * step));
  else
    for (int i = 0; i < rows; i++)
      for (int k = 0; k < t->count; k++) to[i * columns + k] = x[i * step + k];
}

/* x [n x W] and y [m x W] behind it from f and g, in place; [m x W] more are scratch. */
INLINE void solve_tile(const loop_structure *loops, const loop_factors *factors, int W, double *x) {
  int n = loops->nv, m = loops->m, wide_m = loops->wide_m, step = W * JN_WIDE;
  double *y = x + n * step;
  wide acc[MOST];
  for (int k = n - 1; k >= 0; k--) {
    const double *column = factors->Lt + loops->column_at[k];
    take(W, acc, x + k * step);
    for (int i = 0; i < loops->under[k]; i++) subtract(W, acc, column[i], x + (k + 1 + i) * step);
    give(W, acc, x + k * step);
  }
  for (int r = 0; r < m; r++) {
    take(W, acc, y + r * step);
    for (int i = loops->first_moved[r]; i < loops->first_moved[r + 1]; i++)
      subtract(W, acc, factors->solved[loops->moved_by[i] * wide_m + r], x + loops->moved_by[i] * step);
    give(W, acc, y + r * step);
  }
  if (factors->by_products)
    solve_products(loops, factors, W, y);
  else
    solve_decomposed(&factors->cod, W, y, y + m * step);
  for (int k = 0; k < n; k++) {
    const double *row = factors->L + loops->row_at[k], *c = factors->solved + k * wide_m;
    const int *path = loops->path + loops->first_before[k];
    take(W, acc, x + k * step);
    scale(W, acc, factors->inverse[k]);
    for (int r = loops->touch[k].first; r < loops->touch[k].first + loops->touch[k].count; r++)
      subtract(W, acc, -c[r], y + r * step);
    for (int e = 0; e < loops->depth[k]; e++) subtract(W, acc, row[e], x + path[e] * step);
    give(W, acc, x + k * step);
  }
}

/* dtau of prescribed coordinates: G + M da - A^T dlambda. */
static void keep_forces(const loop_structure *loops, const double *M, const double *A, const unsigned char *prescribed,
                        const step_columns *t, int step, const double *x) {
  int n = loops->nv;
  const loop_columns *b = t->block;
  const double *y = x + n * step;
  for (int i = 0; i < n && b->dtau; i++) {
    double *to = b->dtau + i * b->columns + t->first;
    int given = prescribed && prescribed[i];
    for (int c = 0; c < t->count; c++) to[c] = given && b->G ? b->G[i * b->columns + t->first + c] : 0;
    for (int k = 0; k < n && given; k++)
      for (int c = 0; c < t->count; c++) to[c] += M[i * n + k] * x[k * step + c];
    for (int r = 0; r < loops->m && given; r++)
      for (int c = 0; c < t->count; c++) to[c] -= A[r * n + i] * y[r * step + c];
  }
}

static void solve_steps(const loop_structure *loops, const loop_factors *factors, const double *M, const double *A,
                        int steps, const unsigned char *prescribed, const step_columns *t) {
  double *x = factors->many;
  int step = steps * JN_WIDE;
  for (int w = 0; w < steps; w++) fill(loops, prescribed, &t[w], step, x + w * JN_WIDE);
  switch (steps) {
#define CASE(W)                       \
  case W:                             \
    solve_tile(loops, factors, W, x); \
    break;
    CASE(1)
    CASE(2)
    CASE(3)
    CASE(4)
    CASE(5)
    CASE(6)
    CASE(7)
    CASE(8)
  }
  for (int w = 0; w < steps; w++) {
    keep(loops->nv, &t[w], step, x + w * JN_WIDE, t[w].block->da);
    keep(loops->m, &t[w], step, x + loops->nv * step + w * JN_WIDE, t[w].block->dlambda);
    keep_forces(loops, M, A, prescribed, &t[w], step, x + w * JN_WIDE);
  }
}

/* Columns of L below the diagonal, from row k + 1 to the last that coordinate k carries. */
static void transpose_factor(const loop_structure *loops, const loop_factors *factors) {
  for (int k = 0; k < loops->nv; k++) {
    const double *row = factors->L + loops->row_at[k];
    const int *path = loops->path + loops->first_before[k];
    for (int e = 0; e < loops->depth[k]; e++) factors->Lt[loops->column_at[path[e]] + k - path[e] - 1] = row[e];
  }
}

void CODE(solve_columns)(const loop_structure *loops, const loop_factors *factors, const double *M, const double *A,
                         const unsigned char *prescribed, int count, const loop_columns *blocks) {
  step_columns t[MOST];
  int steps = 0, all_steps = 0, tiles;
  for (int i = 0; i < count; i++)
    if (blocks[i].da || blocks[i].dtau || blocks[i].dlambda) all_steps += (blocks[i].columns + JN_WIDE - 1) / JN_WIDE;
  if (all_steps == 0) return;
  transpose_factor(loops, factors);
  tiles = (all_steps + MOST - 1) / MOST; /* of nearly the same size */
  for (int i = 0; i < count; i++) {
    const loop_columns *b = &blocks[i];
    for (int c = 0; c < b->columns && (b->da || b->dtau || b->dlambda); c += JN_WIDE) {
      t[steps++] = (step_columns){b, c, b->columns - c < JN_WIDE ? b->columns - c : JN_WIDE};
      if (steps * tiles < all_steps) continue;
      solve_steps(loops, factors, M, A, steps, prescribed, t);
      all_steps -= steps;
      steps = 0;
      tiles--;
    }
  }
}
