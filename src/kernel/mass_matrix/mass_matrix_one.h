/* SPDX-License-Identifier: BSD-2-Clause */
/* The mass matrix by composite inertias (CRBA), of one state in AVX2 registers. [garofalo2013 eq. 6a]
 *
 * The same recursion as in mass_matrix_any.h, arranged for four coordinates at once (base/columns4.h):
 *
 *   momenta()          inwards, for each coordinate k of body i:  Z_k = Ic_i S_k;  then Ic_i is added to the parent
 *   columns4_inward()  Z of four neighbouring coordinates, component by component in registers, is carried inward;
 *                      the screw of each ancestor l gives four entries of row l at once, M_lk = S_l^T Z_k
 *   mirror()           the rows below the diagonal
 *
 *   symbol  meaning                                                     size   frame, unit
 *   m, f    moment and force parts of Z for four coordinates            3 x 4  world's axes, about the body at hand
 *   e       axis of a joint that has one axis alone, times its ratio    3      world's axes
 *   d       origin of a body from that of its parent                    3      world's axes, m
 *
 * M of 7 revolute joints takes 180 ns, of 100 joints 6.2 us; by mass_matrix_any.h 394 ns for 7. */
#ifndef JN_KERNEL_MASS_MATRIX_MASS_MATRIX_ONE_H
#define JN_KERNEL_MASS_MATRIX_MASS_MATRIX_ONE_H

#include "../base/columns4.h"
#include "mass_factor.h"

#if JN_REGISTERS

/* ---- rows of one ancestor, for four columns ---- */

/* S^T Z of four coordinates with the screw of a joint that has one axis: (e, 0) or (0, e). */
static inline r4 row_axis(const solid *o, r4x3 m, r4x3 f) {
  const scalar *e = (const scalar *)&o->e;
  if (o->axis == JN_AXIS_ROTATION) return e[0] * m.x + (e[1] * m.y + e[2] * m.z);
  return e[0] * f.x + (e[1] * f.y + e[2] * f.z);
}

/* The rows of any other joint, as far as they are above the diagonal. Free and spherical joints have three rotations,
 * then three translations. Moments and forces come in registers: as structs they would be copied in halves. */
static __attribute__((noinline)) void rows_any(const JN_S(body) * body, const screw *S, r4 mx, r4 my, r4 mz, r4 fx,
                                               r4 fy, r4 fz, r4_bits on, const matrix_strip *to) {
  const screw *own = S + body->id;
  int group = is_group(body), above = to->k + 4 - body->id, count = above < body->nv ? above : body->nv;

  /* Rotations, and screws that do both. */
  for (int l = 0; l < count && !(group && l == 3); l++) {
    const scalar *w = (const scalar *)&own[l].w, *v = (const scalar *)&own[l].v;
    r4 x = w[0] * mx + (w[1] * my + w[2] * mz);
    if (!group) x += v[0] * fx + (v[1] * fy + v[2] * fz);
    strip_store(to, body->id + l, r4_only(x, on));
  }

  /* Translations of a free joint: v^T f alone. */
  for (int l = 3; l < count && group; l++) {
    const scalar *v = (const scalar *)&own[l].v;
    strip_store(to, body->id + l, r4_only(v[0] * fx + (v[1] * fy + v[2] * fz), on));
  }
}

/* Rows of a free or spherical base that carries all four: rotations about its axes, then translations along them. */
static inline void rows_base(const JN_S(body) * body, const solid *o, r4x3 m, r4x3 f, const matrix_strip *to) {
  const scalar *x = (const scalar *)&o->at.x, *y = (const scalar *)&o->at.y, *z = (const scalar *)&o->at.z;
  strip_store(to, 0, x[0] * m.x + (x[1] * m.y + x[2] * m.z));
  strip_store(to, 1, y[0] * m.x + (y[1] * m.y + y[2] * m.z));
  strip_store(to, 2, z[0] * m.x + (z[1] * m.y + z[2] * m.z));
  if (body->nv == 3) return;
  strip_store(to, 3, x[0] * f.x + (x[1] * f.y + x[2] * f.z));
  strip_store(to, 4, y[0] * f.x + (y[1] * f.y + y[2] * f.z));
  strip_store(to, 5, z[0] * f.x + (z[1] * f.y + z[2] * f.z));
}

/* The four coordinates from to->k on, projected on the screws of their own bodies and of all ancestors.
 *   low, high  the first and the last of their bodies
 *   stop       the end of the four, or of all coordinates
 * Bodies from high down to low, and ancestors up to where the branches of the four have joined, carry only some of the
 * four: the lanes of the others are masked. */
static __attribute__((noinline)) void columns4_inward(const JN_S(tree) * tree, const solid *B, const screw *S,
                                                      const screw *Z, const solid *low, const solid *high, int stop,
                                                      const matrix_strip *to) {
  /* Z of the four: components side by side. */
  r4 a[8] = {Z[0].w, Z[1].w, Z[2].w, Z[3].w, Z[0].v, Z[1].v, Z[2].v, Z[3].v};
  r4_transpose(&a[0], &a[1], &a[2], &a[3]);
  r4_transpose(&a[4], &a[5], &a[6], &a[7]);
  r4x3 m = {a[0], a[1], a[2]}, f = {a[4], a[5], a[6]};

  /* Bodies that carry only some of the four. `before`: lanes of the subtree; `on`: those whose Z is moved on. */
  const solid *o = high;
  while (o && (o > low || o->stop < stop)) {
    int from = o->id - to->k, end = o->stop - to->k;
    r4_bits before = ~lanes_from(end < 4 ? end : 4), on = lanes_from(from > 0 ? from : 0) & before;
    if (o->axis)
      strip_store(to, o->id, r4_only(row_axis(o, m, f), before));
    else
      rows_any(&tree->body[o - B], S, m.x, m.y, m.z, f.x, f.y, f.z, before, to);

    /* To the origin of the parent: m += d x f. */
    r4x3 by = r4x3_cross((const scalar *)&o->at.d, f);
    m = r4x3_add(m, (r4x3){r4_only(by.x, on), r4_only(by.y, on), r4_only(by.z, on)});
    o = o > low ? o - 1 : o->up;
  }

  /* Ancestors that carry all four. */
  for (; o; o = o->up) {
    if (o->axis)
      strip_store(to, o->id, row_axis(o, m, f));
    else if (o == B && is_group(tree->body) && to->k >= tree->body->nv)
      rows_base(tree->body, o, m, f, to);
    else
      rows_any(&tree->body[o - B], S, m.x, m.y, m.z, f.x, f.y, f.z, lanes_from(0), to);
    m = r4x3_add(m, r4x3_cross((const scalar *)&o->at.d, f));
  }
}

/* The rows of the four left of the diagonal, from the columns above it. */
static __attribute__((noinline)) void mirror(const matrix_strip *o, real *M) {
  int n = o->n, k = o->k;
  real *d = M + k * (n + 1);

  /* Left of the block of the four. */
  rows_below(o->M, n, n, k, M);

  /* Below the diagonal of that block. */
  d[n] = d[1];
  d[2 * n] = d[2];
  d[2 * n + 1] = d[n + 2];
  d[3 * n] = d[3];
  d[3 * n + 1] = d[n + 3];
  d[3 * n + 2] = d[2 * n + 3];
}

/* The block of a free or spherical base with itself: in its own axes [J, [h]; -[h], m E] of the whole robot. */
static inline void base_block(const solid *o, int count, int n, real *M) {
  const r4 x = o->at.x, y = o->at.y, z = o->at.z;
  const space_inertia *I = &o->I;

  /* R^T J R and R^T h. */
  r4 J[3] = {v4_tmul(x, y, z, v4_mul(I->Jx, I->Jy, I->Jz, x)), v4_tmul(x, y, z, v4_mul(I->Jx, I->Jy, I->Jz, y)),
             v4_tmul(x, y, z, v4_mul(I->Jx, I->Jy, I->Jz, z))};
  r4 h = v4_tmul(x, y, z, I->h);
  for (int r = 0; r < 3; r++)
    for (int c = r; c < 3; c++) M[r * n + c] = M[c * n + r] = J[r][c];
  if (count == 3) return;

  /* Blocks [h], -[h] and m E of a free base. */
  for (int k = 3; k < 6; k++) /* zeros, of which some are overwritten */
    for (int c = 0; c < 6; c++) M[k * n + c] = M[c * n + k] = 0;
  M[4] = M[4 * n] = -h[2];
  M[5] = M[5 * n] = h[1];
  M[n + 3] = M[3 * n + 1] = h[2];
  M[n + 5] = M[5 * n + 1] = -h[0];
  M[2 * n + 3] = M[3 * n + 2] = -h[1];
  M[2 * n + 4] = M[4 * n + 2] = h[0];
  for (int k = 3; k < 6; k++) M[k * (n + 1)] = I->m;
}

/* Z = Ic S of all coordinates, and three zeros beyond the last; of a base only its composite inertia. The inertia that
 * belongs to the next body inward stays in registers: bodies are ordered depth first, so that is mostly the parent. */
static void momenta(const JN_S(tree) * tree, int base, solid *B, const screw *S, screw *Z) {
  const space_inertia none = {r4_zero(), r4_zero(), r4_zero(), r4_zero(), 0};
  space_inertia I = none;
  for (int k = 0; k < 3; k++) Z[tree->nd + k] = (screw){r4_zero(), r4_zero()};
  for (solid *o = &B[tree->nb - 1]; o >= B; o--) {
    /* Ic = the body alone + its children. */
    inertia_add(&I, &o->I);
    const scalar *e = (const scalar *)&o->e;

    /* Z = Ic S: (J e, e x h) of a rotation, (h x e, m e) of a translation. */
    if (o->axis == JN_AXIS_ROTATION) {
      Z[o->id] = (screw){v4_sum(I.Jx, I.Jy, I.Jz, e, 1), v4_cross(o->e, I.h)};
    } else if (o->axis == JN_AXIS_TRANSLATION) {
      Z[o->id] = (screw){v4_cross(I.h, o->e), I.m * o->e};
    } else if (base && o == B) {
      B->I = I;
    } else {
      for (int k = o->id; k < o->id + tree->body[o - B].nv; k++) Z[k] = inertia_mul(&I, 0, S[k]);
    }

    /* To the parent, about its origin. It is in registers if the parent is next, otherwise in memory. */
    I = inertia_shift(I, o->at.d);
    if (o->up == o - 1) continue;
    if (o->up) inertia_add(&B[o->parent].I, &I);
    I = none;
  }
}

/* Columns from `first` on of M [n x n], n >= 4, four at a time, beginning with the last; rows are in the order of
 * bodies. */
static void strips(const JN_S(tree) * tree, int n, int first, const solid *B, const screw *S, const screw *Z, real *M) {
  const solid *high = &B[tree->nb - 1];
  for (int k = n - 4;; k = next_strip(k, first)) {
    matrix_strip to = {M + k, n, k};

    /* The bodies of coordinates k to k + 3. */
    while (high->id > k + 3) high--;
    const solid *low = high;
    while (low->id > k) low--;

    /* Their columns, then their rows. */
    columns4_inward(tree, B, S, Z + k, low, high, k + 4 < tree->nv ? k + 4 : tree->nv, &to);
    mirror(&to, M);
    if (k == first) return;
  }
}

/* M of less than four coordinates: the corner of one of four. */
static void small_matrix(const JN_S(tree) * tree, const solid *B, const screw *S, const screw *Z, real *M) {
  real square[16] = {0};
  strips(tree, 4, 0, B, S, Z, square);
  for (int k = 0; k < tree->nv; k++) memcpy(M + k * tree->nv, square + 4 * k, (size_t)tree->nv * sizeof *M);
}

/* M_kk += armature, as the coordinate sees it. */
static void add_armatures(const JN_S(tree) * tree, real *M) {
  for (int i = 0; i < tree->nb; i++) {
    const JN_S(body) *body = &tree->body[i];
    real *to = M + body->id * (tree->nv + 1);
    *to += armature_of(tree, body, 0);
    for (int k = 1; k < body->nv; k++) to[k * (tree->nv + 1)] += tree->armature[body->id + k];
  }
}

/* M in the order of elimination or of v. B: inertias of the bodies alone on entry, of subtrees afterwards. Z [nd + 3]
 * is scratch memory. */
static inline void mass_matrix_one(const JN_S(tree) * tree, int elimination, solid *B, const screw *S, screw *Z,
                                   real *M) {
  int n = tree->nv, base = is_group(tree->body) && n >= tree->body->nv + 4 ? tree->body->nv : 0;

  /* Inwards: composite inertias and momenta. */
  momenta(tree, base, B, S, Z);

  /* Projected on the screws of ancestors. Entries between branches are zero; a chain has none. */
  if (n < 4) {
    small_matrix(tree, B, S, Z, M);
  } else {
    if (!tree->chain) clear_square(n, Z[n].w, M);
    if (base) base_block(B, base, n, M);
    strips(tree, n, base, B, S, Z, M);
  }

  /* Armatures, then the order of v. */
  if (tree->has_armature) add_armatures(tree, M);
  if (!elimination) reorder(tree, M, (int32_t *)(void *)Z);
}

#endif

#endif
