/* SPDX-License-Identifier: BSD-2-Clause */
/* Jacobians in the frame of the world: about its origin, in its axes.
 *
 * There a column is the same for all frames that it moves. So one matrix [6 x nv] of all columns, the space Jacobian,
 * holds them all, and the Jacobian of a link is that of its parent link, with the columns of its own joint besides. */
#ifndef JN_KERNEL_TERMS_JACOBIANS_H
#define JN_KERNEL_TERMS_JACOBIANS_H

#include "../base/direct.h"
#include "../base/sweep.h"

/* Column `at` of a Jacobian J [6 x n] is set to X, or X is added to it. */
static inline void set_column(real *J, int n, int at, twist X) {
  real *to = J + at;
  to[0] = X.w.x;
  to[n] = X.w.y;
  to[2 * n] = X.w.z;
  to[3 * n] = X.v.x;
  to[4 * n] = X.v.y;
  to[5 * n] = X.v.z;
}
static inline void add_column(real *J, int n, int at, twist X) {
  const real *to = J + at;
  twist Y = {v3(to[0], to[n], to[2 * n]), v3(to[3 * n], to[4 * n], to[5 * n])};
  set_column(J, n, at, t_add(Y, X));
}

/* J [6 x nv] of columns X [nd]; coupled joints share columns. */
static inline void space_jacobian(const JN_S(tree) * tree, const twist *X, real *J) {
  for (int k = 0; k < 6 * tree->nv && tree->coupled; k++) J[k] = ZERO;
  for (int i = 0; i < tree->nb; i++) {
    const JN_S(body) *body = &tree->body[i];
    for (int k = 0; k < body->nv; k++)
      if (tree->coupled)
        add_column(J, tree->nv, body->iv + k, X[body->id + k]);
      else
        set_column(J, tree->nv, body->iv + k, X[body->id + k]);
  }
}

/* to = from, n numbers: by hand, because for few joints a call of memcpy() takes longer. */
static inline void copy_reals(int n, const real *from, real *to) {
#if JN_LANES == 1 && (JN_KIND == JN_KIND_D || JN_KIND == JN_KIND_F)
  pack x, four[4];
  if (n < PACK) return;
  int k = 0;
  for (; k + 4 * PACK <= n; k += 4 * PACK) {
    for (int e = 0; e < 4; e++) memcpy(&four[e], from + k + e * PACK, sizeof x);
    for (int e = 0; e < 4; e++) memcpy(to + k + e * PACK, &four[e], sizeof x);
  }
  for (; k + PACK <= n; k += PACK) {
    memcpy(&x, from + k, sizeof x);
    memcpy(to + k, &x, sizeof x);
  }
  memcpy(&x, from + n - PACK, sizeof x); /* the last ones once more */
  memcpy(to + n - PACK, &x, sizeof x);
#else
  memcpy(to, from, (size_t)n * sizeof *to);
#endif
}

/* J [nframe][6 x nv] of all frames, from columns X [nd]. Links come first, each after its parent. */
static inline void all_jacobians(const JN_S(tree) * tree, const twist *X, real *J) {
  int size = 6 * tree->nv;
  for (int f = 0; f < tree->nframe; f++) {
    int body = tree->frame[f].body, link = body < 0 ? -1 : tree->body[body].link;
    int from = f < tree->nlink ? tree->link_parent[f] : link;
    real *to = J + f * size;

    /* The Jacobian of the parent link, or of the body's link for a named frame; zero at the world. */
    if (from >= 0 && size >= 8)
      copy_reals(size, J + from * size, to);
    else
      for (int k = 0; k < size; k++) to[k] = from < 0 ? ZERO : J[from * size + k];

    /* A link whose joint moves: its own columns. */
    for (int k = 0; f == link && k < tree->body[body].nv; k++)
      add_column(to, tree->nv, tree->body[body].iv + k, X[tree->body[body].id + k]);
  }
}

#if JN_MANY

/* The same for LANES states, sent to the caller's memory. Each Jacobian has the rows of the space Jacobian, state by
 * state, where they belong to joints on the path to the frame, and zeros elsewhere. Much more is written than computed,
 * so the space Jacobian is taken out of the lanes first. */
typedef struct jacobians_many {
  const JN_S(tree) * tree;
  scalar *rows;       /* [LANES][6 nv] the space Jacobian of each state */
  scalar_bits *moves; /* [6 nv] all bits set where a joint moves the frame at hand */
} jacobians_many;

/* Scratch memory that it takes, in reals; and whether it can be used: it needs whole blocks of LANES numbers. */
static inline size_t jacobians_scratch(const JN_S(tree) * tree) { return 13 * (size_t)tree->nv; }
static inline int jacobians_fit(const JN_S(tree) * tree, const jn_direct *to) {
  return direct_is_own(to) && !tree->coupled && 6 * tree->nv >= JN_LANES;
}

/* Sets the mask of the columns of one body. */
static inline void mark_columns(const jacobians_many *o, int body, scalar_bits bits) {
  const JN_S(body) *b = &o->tree->body[body];
  for (int r = 0; r < 6; r++)
    for (int k = 0; k < b->nv; k++) o->moves[r * o->tree->nv + b->iv + k] = bits;
}

/* Marks the path to `body`, where that to `last` is marked (-1: none): only what differs changes. */
static inline void mark_path(const jacobians_many *o, int last, int body) {
  const JN_S(body) *b = o->tree->body;
  for (; last >= 0 && !(last <= body && body < b[last].end); last = b[last].parent) mark_columns(o, last, 0);
  for (int j = body; j != last; j = b[j].parent) mark_columns(o, j, -1);
}

/* LANES numbers of a row, zero where the joint does not move the frame. */
FLAT void send_block(const scalar *row, const scalar_bits *moves, scalar *J) {
  mask on;
  memcpy(&on, moves, sizeof on);
  write_own(J, (real)((mask)read_own(row) & on));
}

/* The Jacobians of all frames, for one state after the other. */
static inline void send_states(const jacobians_many *o, const jn_direct *to, int out) {
  const JN_S(tree) *tree = o->tree;
  size_t size = 6 * (size_t)tree->nv;
  memset(o->moves, 0, size * sizeof *o->moves);
  for (int f = 0, last = -1; f < tree->nframe; last = tree->frame[f++].body) {
    if (tree->frame[f].body != last) mark_path(o, last, tree->frame[f].body);
    for (int k = 0; k < to->count; k++) {
      const scalar *row = o->rows + (size_t)k * size;
      scalar *J = (scalar *)to->to[out] + (size_t)k * to->stride[out] + (size_t)f * size;
      size_t i = 0;
      for (; i + 4 * JN_LANES <= size; i += 4 * JN_LANES)
        for (size_t e = i; e < i + 4 * JN_LANES; e += JN_LANES) send_block(row + e, o->moves + e, J + e);
      for (; i + JN_LANES <= size; i += JN_LANES) send_block(row + i, o->moves + i, J + i);
      if (i < size) send_block(row + size - JN_LANES, o->moves + size - JN_LANES, J + size - JN_LANES);
    }
  }
}

/* Output `out`, from columns X [nd], with scratch memory of the size above. */
static inline void jacobians_send(const JN_S(tree) * tree, const twist *X, real *scratch, const jn_direct *to,
                                  int out) {
  size_t size = 6 * (size_t)tree->nv;
  real *lanes = take(&scratch, size);
  jacobians_many o = {tree, TAKE(&scratch, JN_LANES * size, scalar), TAKE(&scratch, size, scalar_bits)};
  space_jacobian(tree, X, lanes);
  store_own(o.rows, lanes, size, size, JN_LANES);
  send_states(&o, to, out);
}

#endif

#endif
