/* SPDX-License-Identifier: BSD-2-Clause */
/* The Coriolis matrix C (coriolis.h) of one state with AVX2, four coordinates at a time (base/columns4.h), where they
 * are in the order of the bodies.
 *
 * Z, W and Y of four coordinates are carried inward together. Projected on the screw of an ancestor j they give
 *
 *   S_j . Y               four numbers of row j of C
 *   Psi_j . Z + S_j . W   four numbers of column j, kept in `column` until all ancestors are done, then transposed */
#ifndef JN_KERNEL_TERMS_CORIOLIS_COLUMNS_H
#define JN_KERNEL_TERMS_CORIOLIS_COLUMNS_H

#include "../base/columns4.h"
#include "coriolis_one.h"

#if JN_REGISTERS

/* Moments and forces of four coordinates. */
typedef struct coriolis_wrenches4 {
  r4x3 mZ, mW, mY, fZ, fW, fY;
} coriolis_wrenches4;

typedef struct coriolis_columns {
  const JN_S(tree) * tree;
  const solid *B;
  const screw *S, *Psi;
  const coriolis_wrenches *x; /* [nd + 3] */
  scalar *column;             /* [nd][4] of C, of the four coordinates at hand */
} coriolis_columns;

/* The scalar product of one vector with four. */
static inline r4 v4_of_four(const r4 *w, r4x3 a) {
  const scalar *e = (const scalar *)w;
  return e[0] * a.x + (e[1] * a.y + e[2] * a.z);
}
static inline r4x3 r4_only3(r4x3 a, r4_bits on) { return (r4x3){r4_only(a.x, on), r4_only(a.y, on), r4_only(a.z, on)}; }

/* The wrenches of four coordinates, component by component. */
static inline coriolis_wrenches4 coriolis_wrenches4_of(const coriolis_wrenches *x) {
  coriolis_wrenches4 o;
  r4 *to = (r4 *)&o;
  for (int e = 0; e < 6; e++) { /* moments of Z, W, Y, then forces */
    const size_t at = (size_t)(e % 3) * 2 + (size_t)(e / 3);
    r4 a = ((const r4 *)&x[0])[at], b = ((const r4 *)&x[1])[at], c = ((const r4 *)&x[2])[at];
    r4 d = ((const r4 *)&x[3])[at];
    r4_transpose(&a, &b, &c, &d);
    to[3 * e] = a;
    to[3 * e + 1] = b;
    to[3 * e + 2] = c;
  }
  return o;
}

/* Row and column of a revolute joint o. on: lanes of the coordinates in its subtree. */
static inline void project_on_rotation(const coriolis_columns *g, const solid *o, const coriolis_wrenches4 *a,
                                       r4_bits on, const matrix_strip *to) {
  const screw *Psi = &g->Psi[o->id];
  r4 y = v4_of_four(&Psi->w, a->mZ) + v4_of_four(&Psi->v, a->fZ) + v4_of_four(&o->e, a->mW);
  strip_store(to, o->id, r4_only(v4_of_four(&o->e, a->mY), on));
  r4_store(r4_only(y, on), g->column + 4 * o->id);
}

/* The same for any other joint, as far as its coordinates are inward of the last of the four. */
static __attribute__((noinline)) void project_on_joint(const coriolis_columns *g, const solid *o,
                                                       const coriolis_wrenches4 *a, r4_bits on,
                                                       const matrix_strip *to) {
  const JN_S(body) *body = &g->tree->body[o - g->B];
  for (int k = body->id; k < body->id + body->nv && k < to->k + 4; k++) {
    const screw *S = &g->S[k], *Psi = &g->Psi[k];
    r4 x = v4_of_four(&S->w, a->mY) + v4_of_four(&S->v, a->fY);
    r4 y = v4_of_four(&S->w, a->mW) + v4_of_four(&S->v, a->fW);
    y += v4_of_four(&Psi->w, a->mZ) + v4_of_four(&Psi->v, a->fZ);
    strip_store(to, k, r4_only(x, on));
    r4_store(r4_only(y, on), g->column + 4 * k);
  }
}

/* The four coordinates from to->k on, of bodies low to high, up to `stop`. Bodies and ancestors that carry only some of
 * the four come first, with the lanes of the others masked, as in columns4_inward() of mass_matrix_one.h. */
static __attribute__((noinline)) void coriolis_columns_inward(const coriolis_columns *g, const solid *low,
                                                              const solid *high, int stop, const matrix_strip *to) {
  coriolis_wrenches4 a = coriolis_wrenches4_of(g->x + to->k);
  const solid *o = high;
  while (o && (o > low || o->stop < stop)) {
    int from = o->id - to->k, end = o->stop - to->k;
    r4_bits before = ~lanes_from(end < 4 ? end : 4), on = lanes_from(from > 0 ? from : 0) & before;
    const scalar *d = (const scalar *)&o->at.d;
    if (o->axis == JN_AXIS_ROTATION) {
      project_on_rotation(g, o, &a, before, to);
    } else {
      coriolis_wrenches4 copy = a;
      project_on_joint(g, o, &copy, before, to);
    }

    /* To the origin of the parent: m += d x f. */
    a.mZ = r4x3_add(a.mZ, r4_only3(r4x3_cross(d, a.fZ), on));
    a.mW = r4x3_add(a.mW, r4_only3(r4x3_cross(d, a.fW), on));
    a.mY = r4x3_add(a.mY, r4_only3(r4x3_cross(d, a.fY), on));
    o = o > low ? o - 1 : o->up;
  }

  /* Ancestors that carry all four. */
  for (; o; o = o->up) {
    const scalar *d = (const scalar *)&o->at.d;
    if (o->axis == JN_AXIS_ROTATION) {
      project_on_rotation(g, o, &a, lanes_from(0), to);
    } else {
      coriolis_wrenches4 copy = a;
      project_on_joint(g, o, &copy, lanes_from(0), to);
    }

    a.mZ = r4x3_add(a.mZ, r4x3_cross(d, a.fZ));
    a.mW = r4x3_add(a.mW, r4x3_cross(d, a.fW));
    a.mY = r4x3_add(a.mY, r4x3_cross(d, a.fY));
  }
}

/* Entries of the coordinates of one body with each other. */
static inline void own_block(const coriolis_columns *g, const JN_S(body) * body, real *C) {
  int n = g->tree->nv;
  for (int k = body->id; k < body->id + body->nv; k++)
    for (int l = body->id; l < body->id + body->nv; l++) {
      r4 p = g->x[k].Z.w * g->Psi[l].w + g->x[k].Z.v * g->Psi[l].v;
      p += g->x[k].W.w * g->S[l].w + g->x[k].W.v * g->S[l].v;
      C[k * n + l] = p[0] + p[1] + p[2];
    }
}

/* All of C, of at least four coordinates. */
static inline void coriolis_by_columns(const coriolis_columns *g, real *C) {
  const JN_S(tree) *tree = g->tree;
  int n = tree->nv;
  const solid *high = &g->B[tree->nb - 1];

  /* Entries between branches are zero. */
  if (!tree->chain) clear_square(n, g->x[n].Z.w, C);
  for (int k = n - 4;; k = next_strip(k, 0)) {
    matrix_strip to = {C + k, n, k};

    /* The bodies of coordinates k to k + 3. */
    while (high->id > k + 3) high--;
    const solid *low = high;
    while (low->id > k) low--;

    /* Their rows, and their columns in g->column. */
    for (int e = 0; e < 4 * (k + 4); e += 4) r4_store(g->x[n].Z.w, g->column + e);
    coriolis_columns_inward(g, low, high, k + 4, &to);

    /* The columns become rows of C. */
    rows_below(g->column, 4, n, k, C);
    for (int r = k; r < k + 4; r++)
      for (int c = k; c <= r; c++) C[r * n + c] = g->column[4 * c + r - k];
    if (k == 0) break;
  }

  /* Joints of several coordinates: their own blocks. */
  for (int i = 0; i < tree->nb; i++)
    if (tree->body[i].nv > 1) own_block(g, &tree->body[i], C);
}

#endif

#endif
