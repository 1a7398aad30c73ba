/* SPDX-License-Identifier: BSD-2-Clause */
/* What the tensors of second derivatives and of dM/dq, dC/dq, dC/dv share. Notation of linearization.h.
 *
 * A tensor has an entry only for coordinates of one branch: a, b, c from the inside outwards, a <= b <= c. The sweep
 * goes to each body in turn, with the twists of all coordinates between the world and the body, its *branch*, moved to
 * its origin. For each c of the body: terms of c alone; then *pairs* of c with each b of the branch, TILE of them at
 * once; then *numbers* of each pair with each a of the branch, again TILE at once; these are the entries.
 *
 *   symbol            meaning                                                   frame
 *   S, psi, ppsi, Pi  twists of the branch; Pi = Psi + psi (for C: Psi)         origin of the body of c, world axes
 *   pairs             products of b with the terms of c                         the same
 *   numbers           entries for a, b, c, in every order of the three          - */
#ifndef JN_KERNEL_SECOND_DERIVATIVES_TENSORS_H
#define JN_KERNEL_SECOND_DERIVATIVES_TENSORS_H

#include "../base/tile.h"
#include "../first_derivatives/linearization.h"

/* The coordinates between the world and a body, and their twists about its origin. */
typedef struct branch {
  int body, count;       /* the body (-1: none yet), coordinates of its branch */
  int32_t *iv;           /* [count] index in v */
  int32_t *begin, *end;  /* [count] the coordinates that act together with it: itself, or its group */
  struct branch_twists { /* [tiles_of(count)] */
    tile6 S, psi, ppsi, Pi;
  } * x;
} branch;

/* Pairs of c with TILE coordinates b; names as in inverse_dynamics_second_derivatives.c. */
typedef struct pair {
  tile6 SZ, dIS, X, Yv, dIPi; /* S x* Z; dI S; dI ppsi + dB psi + S x* X; S x* Yv + B(S_c) psi; dI Pi + dB S */
  tile3 SU, dBS, ES;          /* S x* U + E psi; dB^T S; E S */
} pair;

/* Where the parts of a pair begin, in numbers of one lane. */
enum { SZ = 0, DIS = 6, XB = 12, YV = 18, DIPI = 24, SU = 30, DBS = 33, ES = 36 };

/* The numbers of a with the pair (b, c), by tensor and by whose force it is; QV: the coordinate of q, then that of
 * v. */
enum { QQ_C, QQ_B, QQ_A, VV_C, VV_B, VV_A, QV_C_AB, QV_C_BA, QV_B_AC, QV_B_CA, QV_A_BC, QV_A_CB, M_AC, M_AB, VALUES };
typedef struct values {
  tile x[VALUES];
} values;
typedef struct tensor_sweep {
  linearization lin;
  branch path;
  pair *pairs;     /* [tiles_of(nd)] */
  values *numbers; /* [tiles_of(nd)] */
  values *block;   /* [TILE][TILE] numbers of TILE a with TILE b and TILE c; for a chain */
  crossed *K;      /* [nb] sums of V x* I over subtrees, for the derivatives of C; NULL: those of tau are wanted */
  real *out[4];
} tensor_sweep;
enum { QQ, QV, VV, QA };

/* dI y and B y. */
static inline tile6 dI_times(const inertia *dI, tile6 y) {
  return (tile6){tile3_add(tile3_symmetric(dI->J, y.a), tile3_across(dI->h, y.b)), tile3_crossed(y.a, dI->h)};
}
static inline tile6 B_times(tile3 Qw, tile3 Lw, tile3 Pw) {
  return (tile6){tile3_add(Qw, tile3_times(-1, Lw)), tile3_times(-2, Pw)};
}

/* Writes the twists of coordinate k of the branch, moved by `arm`. */
static inline void set_branch_twists(const tensor_sweep *sweep, int k, twist S, twist psi, twist ppsi, twist Pi,
                                     vec3 arm) {
  const twist all[4] = {t_shift(S, arm), t_shift(psi, arm), t_shift(ppsi, arm), t_shift(Pi, arm)};
  real *x = tile_number(sweep->path.x, k);
  for (int e = 0; e < 4; e++, x += 6 * TILE) {
    x[0] = all[e].w.x;
    x[TILE] = all[e].w.y;
    x[2 * TILE] = all[e].w.z;
    x[3 * TILE] = all[e].v.x;
    x[4 * TILE] = all[e].v.y;
    x[5 * TILE] = all[e].v.z;
  }
}

/* Writes the coordinates of body j, which are [first, ...) of the branch of a body at `arm` from it. */
static inline void set_branch_of_body(const tensor_sweep *sweep, int j, int first, vec3 arm) {
  const linearization *lin = &sweep->lin;
  const JN_S(body) *body = &lin->tree->body[j];
  const branch *path = &sweep->path;
  int group = is_group(body);
  for (int c = 0; c < body->nv; c++) {
    int id = body->id + c, k = first + c;
    set_branch_twists(sweep, k, lin->S[id], lin->psi[id], lin->ppsi[id],
                      sweep->K ? lin->Psi[id] : t_add(lin->Psi[id], lin->psi[id]), arm);
    path->iv[k] = body->iv + c;
    path->begin[k] = group ? first : k;
    path->end[k] = group ? first + body->nv : k + 1;
  }
}

/* Moves the twists of a branch from the parent's origin to that of a body at d from it. */
FLAT void shift_branch(struct branch_twists *x, vec3 d) {
  const vec3 back = v3_neg(d);
  x->S.b = tile3_add_cross(x->S.b, back, x->S.a);
  x->psi.b = tile3_add_cross(x->psi.b, back, x->psi.a);
  x->ppsi.b = tile3_add_cross(x->ppsi.b, back, x->ppsi.a);
  x->Pi.b = tile3_add_cross(x->Pi.b, back, x->Pi.a);
}

/* Goes to body i. The branch of its parent is reused if the sweep comes from there. */
static inline void go_to_body(tensor_sweep *sweep, int i) {
  const JN_S(tree) *t = sweep->lin.tree;
  branch *path = &sweep->path;
  vec3 arm = v3_zero();
  int parent = t->body[i].parent, known = parent >= 0 && parent == path->body ? path->count : 0, first = known;
  for (int j = i; j >= 0 && !known; j = t->body[j].parent) first += t->body[j].nv;
  path->count = known ? known + t->body[i].nv : first;
  path->body = i;

  /* Known twists about the new origin. */
  for (int k = 0; k < tiles_of(known); k++) shift_branch(&path->x[k], sweep->lin.d[i]);
  for (int k = tiles_of(known); k < tiles_of(path->count); k++)
    path->x[k] = (struct branch_twists){0}; /* lanes that no coordinate is in */
  /* The coordinates of the body, or of all its ancestors too. */
  if (known) set_branch_of_body(sweep, i, first, arm);
  for (int j = i; j >= 0 && !known; j = t->body[j].parent) {
    first -= t->body[j].nv;
    set_branch_of_body(sweep, j, first, arm);
    arm = v3_add(arm, sweep->lin.d[j]);
  }
}

#endif
