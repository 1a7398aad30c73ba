/* SPDX-License-Identifier: BSD-2-Clause */
/* Several columns of a matrix at once. A sweep treats all right-hand sides alike, so with one state their columns lie
 * side by side in a vector register: a tile. In variants with lanes the lanes are states, and a tile is one column. */
#ifndef JN_KERNEL_BASE_TILE_H
#define JN_KERNEL_BASE_TILE_H

#include "body_tiles.h"
#include "space.h"
#include "world.h"

/* First coordinate of body i, or the end of all. */
static inline int id_of(const JN_S(tree) * tree, int i) { return i < tree->nb ? tree->body[i].id : tree->nd; }

/* How many coordinates are on the branch of one, inward or outward of it, on average: the rows of a column of
 * derivatives that are not zero. */
static inline int branch_length(const JN_S(tree) * tree) {
  int sum = 0;
  for (int i = 0; i < tree->nb; i++) sum += tree->body[i].nv * (tree->body[i].stop - tree->body[i].id);
  return tree->nv ? 2 * sum / tree->nv : 0;
}

/* x from lane `from` on, and x in lanes below `to`; zero in the others. */
#if JN_TILES
static inline tile tile_mask(tile x, int first) {
  static const scalar_bits table[24] = {0, 0, 0, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0};
  typedef pack_bits anywhere __attribute__((aligned(sizeof(scalar)), may_alias));
  return (tile)((pack_bits)x & *(const anywhere *)(const void *)(table + first));
}
/* One in a lane, zero in the others. */
static inline tile tile_one(int lane) {
  static const scalar table[16] = {[8] = 1};
  return tile_load(table + 8 - lane);
}
static inline tile tile_from(tile x, int from) { return tile_mask(x, 8 - from); }
static inline tile tile_below(tile x, int to) { return tile_mask(x, 16 - to); }
#else
static inline tile tile_one(int lane) { return lane == 0 ? K(1) : ZERO; }
static inline tile tile_from(tile x, int from) { return from > 0 ? ZERO : x; }
static inline tile tile_below(tile x, int to) { return to > 0 ? x : ZERO; }
#endif

typedef struct tile3 {
  tile x, y, z;
} tile3;

/* A wrench (moment, force) or a twist (angular, linear) for each column. */
typedef struct tile6 {
  tile3 a, b;
} tile6;

typedef struct tile_sym3 {
  tile xx, yy, zz, xy, xz, yz;
} tile_sym3;

static inline tile3 tile3_add(tile3 a, tile3 b) { return (tile3){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline tile tile3_dot(vec3 a, tile3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
/* a + s b, for one vector b and for one of each lane */
static inline tile3 tile3_axpy(tile s, vec3 b, tile3 a) { return (tile3){a.x + b.x * s, a.y + b.y * s, a.z + b.z * s}; }
static inline tile3 tile3_fma(tile s, tile3 b, tile3 a) { return (tile3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z}; }
static inline tile3 tile3_scale(tile s, tile3 a) { return (tile3){s * a.x, s * a.y, s * a.z}; }
/* a + d x b, likewise */
static inline tile3 tile3_add_cross(tile3 a, vec3 d, tile3 b) {
  return (tile3){a.x + d.y * b.z - d.z * b.y, a.y + d.z * b.x - d.x * b.z, a.z + d.x * b.y - d.y * b.x};
}
static inline tile3 tile3_add_arm(tile3 a, tile3 d, tile3 b) {
  return (tile3){a.x + d.y * b.z - d.z * b.y, a.y + d.z * b.x - d.x * b.z, a.z + d.x * b.y - d.y * b.x};
}
static inline tile3 tile3_cross(tile3 a, tile3 b) {
  return (tile3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
/* A b, A symmetric */
static inline tile3 tile3_sym(const tile_sym3 *A, tile3 b) {
  return (tile3){A->xx * b.x + A->xy * b.y + A->xz * b.z, A->xy * b.x + A->yy * b.y + A->yz * b.z,
                 A->xz * b.x + A->yz * b.y + A->zz * b.z};
}
/* R[0] b.x + R[1] b.y + R[2] b.z */
static inline tile3 tile3_rotate(const tile3 R[3], tile3 b) {
  return tile3_fma(b.x, R[0], tile3_fma(b.y, R[1], tile3_scale(b.z, R[2])));
}

/* One vector or matrix with a vector of each lane: a x b, b x a, A b. */
static inline tile3 tile3_across(vec3 a, tile3 b) {
  return (tile3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline tile3 tile3_crossed(tile3 b, vec3 a) { return tile3_across(v3_neg(a), b); }
static inline tile3 tile3_symmetric(sym3 A, tile3 b) {
  return (tile3){A.xx * b.x + A.xy * b.y + A.xz * b.z, A.xy * b.x + A.yy * b.y + A.yz * b.z,
                 A.xz * b.x + A.yz * b.y + A.zz * b.z};
}
static inline tile3 tile3_matrix(mat3 A, tile3 b) {
  return (tile3){A.x.x * b.x + A.y.x * b.y + A.z.x * b.z, A.x.y * b.x + A.y.y * b.y + A.z.y * b.z,
                 A.x.z * b.x + A.y.z * b.y + A.z.z * b.z};
}
static inline tile3 tile3_times(scalar s, tile3 a) { return (tile3){s * a.x, s * a.y, s * a.z}; }
static inline tile6 tile6_add(tile6 a, tile6 b) { return (tile6){tile3_add(a.a, b.a), tile3_add(a.b, b.b)}; }
/* b x* F, F a wrench, the same for all lanes */
static inline tile6 tile6_cross(tile6 b, wrench F) {
  return (tile6){tile3_add(tile3_crossed(b.a, F.m), tile3_crossed(b.b, F.f)), tile3_crossed(b.a, F.f)};
}
/* The same three or six numbers, TILE apart, times the vector of each lane. */
static inline tile tile3_same(const real *a, tile3 b) { return a[0] * b.x + a[TILE] * b.y + a[2 * TILE] * b.z; }
static inline tile tile6_same(const real *a, tile6 b) {
  return tile3_same(a, b.a) + a[3 * TILE] * b.b.x + a[4 * TILE] * b.b.y + a[5 * TILE] * b.b.z;
}

/* The first number of lane k, counted over an array of structs of tiles; the next ones are TILE apart. */
#define tile_number(array, k) ((real *)(void *)&(array)[tile_of(k)] + lane_in_tile(k))

/* One lane. */
static inline vec3 lane3(const tile3 *from, int lane) {
  const real *at = (const real *)(const void *)from + lane;
  return v3(at[0], at[TILE], at[2 * TILE]);
}
static inline void lane3_set(tile3 *to, int lane, vec3 x) {
  real *at = (real *)(void *)to + lane;
  at[0] = x.x;
  at[TILE] = x.y;
  at[2 * TILE] = x.z;
}

/* Rows become columns. */
static inline void tile_transpose(tile x[TILE]) {
#if JN_REGISTERS && JN_TILES && JN_KIND == JN_KIND_D
  r4_transpose4(x);
#else
  real *e = (real *)(void *)x;
  for (int i = 0; i < TILE; i++)
    for (int j = 0; j < i; j++) {
      real swap = e[i * TILE + j];
      e[i * TILE + j] = e[j * TILE + i];
      e[j * TILE + i] = swap;
    }
#endif
}

/* Vectors of TILE records, each `step` bytes after the one before. */
static inline tile3 tile3_gather(const space *from, size_t step) {
  const char *at = (const char *)from;
#if JN_REGISTERS && JN_TILES && JN_KIND == JN_KIND_D
  tile x[4] = {*(const space *)(const void *)at, *(const space *)(const void *)(at + step),
               *(const space *)(const void *)(at + 2 * step), *(const space *)(const void *)(at + 3 * step)};
  tile_transpose(x);
  return (tile3){x[0], x[1], x[2]};
#else
  tile3 o;
  for (int e = 0; e < TILE; e++) lane3_set(&o, e, sp_numbers(*(const space *)(const void *)(at + (size_t)e * step)));
  return o;
#endif
}

/* Columns [c, c + TILE) of D [n x n] below its diagonal, down to row `last`, become rows of `from`, `step` apart. c is
 * a multiple of TILE; step >= n, and `from` may be read in whole tiles. */
static inline void lower_from_rows(real *D, int n, int c, int last, const real *from, int step) {
  if (c + TILE > n) {
    for (int i = c + 1; i < n; i++)
      for (int j = c; j < i; j++) D[i * n + j] = from[(j - c) * step + i];
    return;
  }
  for (int i = c; i < last; i += TILE) {
    tile x[TILE];
    for (int e = 0; e < TILE; e++) x[e] = tile_load(from + e * step + i);
    tile_transpose(x);
    if (i == c) {
      for (int e = 1; e < TILE; e++) {
        real *to = D + (i + e) * n + c;
        tile_store(tile_below(x[e], e) + tile_from(tile_load(to), e), to);
      }
    } else if (i + TILE <= n) {
      for (int e = 0; e < TILE; e++) tile_store(x[e], D + (i + e) * n + c);
    } else {
      for (int e = 0; e < n - i; e++) tile_store(x[e], D + (i + e) * n + c);
    }
  }
}

/* D [n x n] symmetric: what is below the diagonal from what is above it. */
static inline void lower_from_upper(real *D, int n) {
  int full = n / TILE * TILE;
  for (int c = 0; c < full; c += TILE) lower_from_rows(D, n, c, full, D + c * n, n);
  for (int i = full; i < n; i++)
    for (int j = 0; j < i; j++) D[i * n + j] = D[j * n + i];
}

/* A matrix whose columns are treated in tiles where they lie. The last columns of each row, less than a tile, are
 * copied to `tail` before and back afterwards. */
typedef struct tiled {
  real *at;   /* [rows][stride] */
  real *tail; /* [rows][TILE] */
  int rows, columns, stride;
} tiled;

/* Tile k of a row. */
static inline real *tile_at(const tiled *m, int row, int k) {
  return (k + 1) * TILE <= m->columns ? m->at + row * m->stride + k * TILE : m->tail + row * TILE;
}
static inline void copy_tails_out(const tiled *m) {
  int full = m->columns / TILE * TILE;
  for (int i = 0; i < m->rows && full < m->columns; i++) {
    tile_store((tile){0}, m->tail + i * TILE);
    for (int c = full; c < m->columns; c++) m->tail[i * TILE + c - full] = m->at[i * m->stride + c];
  }
}
static inline void copy_tails_back(const tiled *m) {
  int full = m->columns / TILE * TILE;
  for (int i = 0; i < m->rows; i++)
    for (int c = full; c < m->columns; c++) m->at[i * m->stride + c] = m->tail[i * TILE + c - full];
}

#endif
