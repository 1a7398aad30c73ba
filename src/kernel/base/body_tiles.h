/* SPDX-License-Identifier: BSD-2-Clause */
/* Several bodies at once. With one state, TILE bodies lie side by side in a vector register: their constants (the
 * structure of arrays JN_CONSTANT_... of tree.h), and the coordinates of joints that have one. In variants with lanes
 * the lanes are states, and a tile is one body. */
#ifndef JN_KERNEL_BASE_BODY_TILES_H
#define JN_KERNEL_BASE_BODY_TILES_H

#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "../../lie/trig.h"
#include "../../tree/tree.h"
#include "versions.h"

#if JN_TILES
typedef pack tile;
enum { TILE = PACK };
#else
typedef real tile;
enum { TILE = 1 };
#endif

/* The tile and the lane of a coordinate or body; unsigned, because signed division takes longer. */
static inline int tile_of(int c) { return (int)((unsigned)c / TILE); }
static inline int lane_in_tile(int c) { return (int)((unsigned)c % TILE); }
static inline int tiles_of(int columns) { return tile_of(columns + TILE - 1); }

#if JN_TILES
typedef tile tile_anywhere __attribute__((aligned(sizeof(scalar)), may_alias));
static inline tile tile_load(const real *at) { return *(const tile_anywhere *)(const void *)at; }
static inline void tile_store(tile x, real *at) { *(tile_anywhere *)(void *)at = x; }
#else
static inline tile tile_load(const real *at) { return *at; }
static inline void tile_store(tile x, real *at) { *at = x; }
#endif
#if JN_TILES
/* A mask of the first `count` lanes. */
static inline pack_bits tile_first(int count) {
  static const scalar_bits table[16] = {-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0};
  typedef pack_bits anywhere __attribute__((aligned(sizeof(scalar)), may_alias));
  return *(const anywhere *)(const void *)(table + 8 - count);
}
#endif
/* Cosine and sine. */
static inline void tile_trig(tile x, real *c, real *s) {
#if JN_ONE && !JN_TILES
  pack cosine, sine;
  trig_store(x - (pack){0}, &cosine, &sine);
  *c = cosine[0];
  *s = sine[0];
#else
  trig_store(x, c, s);
#endif
}

/* Where the constants of the bodies from i on begin; i is a multiple of TILE. */
static inline const scalar *constants_at(const JN_S(tree) * tree, int i) {
  return tree->constants + i / JN_CONSTANT_BODIES * (JN_CONSTANT_ROWS * JN_CONSTANT_BODIES) + i % JN_CONSTANT_BODIES;
}
/* One constant of TILE bodies, JN_CONSTANT_... */
static inline tile constant_row(const scalar *at, int row) {
#if JN_TILES
  return tile_load(at + row * JN_CONSTANT_BODIES);
#else
  return splat(at[row * JN_CONSTANT_BODIES]);
#endif
}

/* The first `count` lanes of a tile from memory that ends after them, zero in the others; and back. */
static inline tile tile_load_first(const real *at, int count) {
#if JN_TILES && defined(__AVX2__) && JN_KIND == JN_KIND_D
  return _mm256_maskload_pd(at, (__m256i)tile_first(count));
#else
  tile o = {0};
  for (int e = 0; e < count; e++) ((real *)(void *)&o)[e] = at[e];
  return o;
#endif
}
static inline void tile_store_first(tile x, real *at, int count) {
#if JN_TILES && defined(__AVX2__) && JN_KIND == JN_KIND_D
  _mm256_maskstore_pd(at, (__m256i)tile_first(count), x);
#else
  for (int e = 0; e < count; e++) at[e] = ((const real *)(const void *)&x)[e];
#endif
}

/* Coordinates x [n] of the bodies from i on, n = nq or nv, where bodies have one each (tree->one_each_after_base; what
 * the first body gives is not used if it has several). */
static inline tile neighbouring_coordinates(const JN_S(tree) * tree, int i, int n, const real *x) {
  x += n - tree->nb + i;
  return i + TILE <= tree->nb ? tile_load(x) : tile_load_first(x, tree->nb - i);
}
/* q of the bodies from i on, of any tree. A body with several coordinates gives one of them. */
static inline tile tile_positions(const JN_S(tree) * tree, int i, const real *q) {
  if (tree->one_each_after_base) return neighbouring_coordinates(tree, i, tree->nq, q);
  tile o = {0};
  for (int e = 0; e < TILE && i + e < tree->nb; e++) ((real *)(void *)&o)[e] = q[tree->body[i + e].iq];
  return o;
}
/* The same for v, or a; NULL: zero. */
static inline tile tile_rates(const JN_S(tree) * tree, int i, const real *v) {
  if (!v) return (tile){0};
  if (tree->one_each_after_base) return neighbouring_coordinates(tree, i, tree->nv, v);
  tile o = {0};
  for (int e = 0; e < TILE && i + e < tree->nb; e++) ((real *)(void *)&o)[e] = v[tree->body[i + e].iv];
  return o;
}

#endif
