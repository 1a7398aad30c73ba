/* SPDX-License-Identifier: BSD-2-Clause */
/* Several columns of a matrix at once. What a sweep does for one right-hand side it does for many in the same order, so
 * with one state the columns lie side by side in a vector register: a tile. In rows with lanes the lanes are states, and
 * a tile is one column. */
#ifndef JN_KERNEL_TILE_H
#define JN_KERNEL_TILE_H

#include "world.h"

#define FLAT static inline __attribute__((always_inline)) /* so that what is constant at a call is one inside */

#if JN_LANES == 1 && (JN_KIND == JN_KIND_D || JN_KIND == JN_KIND_F)
typedef pack tile;
enum { TILE = PACK };
#else
typedef real tile;
enum { TILE = 1 };
#endif

static inline int tiles_of(int columns) { return (columns + TILE - 1) / TILE; }

/* Unaligned. */
static inline tile tile_load(const real *at) {
  tile x;
  memcpy(&x, at, sizeof x);
  return x;
}
static inline void tile_store(tile x, real *at) { memcpy(at, &x, sizeof x); }

typedef struct tile3 {
  tile x, y, z;
} tile3;

/* A wrench (moment, force) or a twist (angular, linear) for each column. */
typedef struct tile6 {
  tile3 a, b;
} tile6;

static inline tile3 tile3_add(tile3 a, tile3 b) { return (tile3){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline tile tile3_dot(vec3 a, tile3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
/* a + s b */
static inline tile3 tile3_axpy(tile s, vec3 b, tile3 a) {
  return (tile3){a.x + b.x * s, a.y + b.y * s, a.z + b.z * s};
}
/* a + d x b */
static inline tile3 tile3_add_cross(tile3 a, vec3 d, tile3 b) {
  return (tile3){a.x + d.y * b.z - d.z * b.y, a.y + d.z * b.x - d.x * b.z, a.z + d.x * b.y - d.y * b.x};
}

/* A square matrix in tiles where it lies, [n][n]; the last columns of each row, less than a tile, are kept apart and go
 * back at the end. */
typedef struct tiled {
  real *at;   /* [n][n] */
  real *tail; /* [n][TILE] */
  int n;
} tiled;

static inline real *tile_at(const tiled *m, int row, int k) {
  return k < m->n / TILE ? m->at + row * m->n + k * TILE : m->tail + row * TILE;
}
/* Copies the columns that are kept apart. */
static inline void tails_out(const tiled *m) {
  int full = m->n / TILE * TILE;
  for (int i = 0; i < m->n; i++) {
    for (int c = 0; c < TILE; c++) m->tail[i * TILE + c] = ZERO;
    for (int c = full; c < m->n; c++) m->tail[i * TILE + c - full] = m->at[i * m->n + c];
  }
}
static inline void tails_back(const tiled *m) {
  int full = m->n / TILE * TILE;
  for (int i = 0; i < m->n; i++)
    for (int c = full; c < m->n; c++) m->at[i * m->n + c] = m->tail[i * TILE + c - full];
}

#endif
