/* SPDX-License-Identifier: BSD-2-Clause */
/* First derivatives of inverse dynamics at LANES states: the linearization, and its matrices row by row.
 * The formulas and symbols are those of linearization.h.
 *
 * For trees without coupled coordinates, and for wrenches that are fixed to their bodies. The row of coordinate c is
 * complete at once: its wrenches Z, U are moved inwards and multiplied with psi, ppsi of its ancestors; its screw is
 * projected on the wrenches Y, Yv, Z of the coordinates outward of it, about their own points at offset p from its own:
 *
 *   S . (m + p x f, f) = S.w . m + (S.v + S.w x p) . f
 *
 * So rows go to the caller's memory at once, and matrices in lanes, which do not fit into the first caches, are never
 * made.
 *
 *   symbol    meaning                                               frame, unit                 size
 *   R, d      rotation of a body, its origin from its parent's      world; -, m                 [nb + 1]
 *   V, A      twist and its rate                                    body origin, world axes     [nb + 1]
 *   I, B, F   inertia, B, wrench: of bodies, then of subtrees       body origin, world axes     [nb]
 *   S, psi, ppsi, Psi_plus_psi                                      body origin, world axes     [nd]
 *   Z         I S                                                   body origin, world axes     [nd]
 *   Y         I ppsi + B psi + S x* F                               the same                    [nd]
 *   Yv        I (Psi + psi) + B S                                   the same                    [nd]
 *   U         angular part of B^T S                                 world axes                  [nd]
 *
 * In lanes of four doubles dtau of 7 joints takes 0.28 us a state (with matrices in lanes 0.40), of a quadruped 0.72
 * (1.14), of a humanoid of 44 joints 3.8 (5.8). */
#ifndef JN_KERNEL_FIRST_DERIVATIVES_INVERSE_DYNAMICS_DERIVATIVES_MANY_H
#define JN_KERNEL_FIRST_DERIVATIVES_INVERSE_DYNAMICS_DERIVATIVES_MANY_H

#include "../base/direct.h"
#include "linearization.h"

#if JN_MANY

/* The motion of a body. */
typedef struct moving_body {
  mat3 R;
  vec3 d; /* its origin from that of its parent */
  twist V, A;
} moving_body;

/* I, B and F of a body, then of its subtree. */
typedef struct subtree_sums {
  inertia I;
  inertia_rates B;
  wrench F;
} subtree_sums;

/* What outer coordinates need to know about a coordinate. */
typedef struct coordinate_screws {
  twist S, psi, ppsi, Psi_plus_psi; /* both = Psi + psi: of a revolute joint 2 psi, and not kept */
} coordinate_screws;

/* What inner coordinates need to know: I S; I ppsi + B psi + S x* F; I (Psi + psi) + B S; B^T S. */
typedef struct coordinate_wrenches {
  wrench Z, Y, Yv;
  vec3 U;
} coordinate_wrenches;

typedef struct linearization_many {
  const JN_S(tree) * tree;
  const real *q, *v, *a; /* v, a: NULL is zero */
  const real *W;         /* [nlink][6] or NULL */
  angles angle;
  moving_body *motion;           /* [nb + 1], the world last */
  subtree_sums *sums;            /* [nb] */
  coordinate_screws *screws;     /* [nd] */
  coordinate_wrenches *wrenches; /* [nd] */
  vec3 *offset;                  /* [nb] origins from that of the coordinate whose row is filled */
} linearization_many;

/* Takes the arrays from scratch memory. */
static inline linearization_many linearization_many_place(const JN_S(tree) * tree, const real *q, const real *v,
                                                          const real *a, real **at) {
  linearization_many lin = {.tree = tree, .q = q, .v = v, .a = a};
  lin.angle = angles_at(tree, q, at);
  lin.motion = TAKE(at, tree->nb + 1, moving_body);
  lin.sums = TAKE(at, tree->nb, subtree_sums);
  lin.screws = TAKE(at, tree->nd, coordinate_screws);
  lin.wrenches = TAKE(at, tree->nd, coordinate_wrenches);
  lin.offset = TAKE(at, tree->nb, vec3);
  if (q) lin.motion[tree->nb] = (moving_body){m3_identity(), v3_zero(), t_zero(), base_acceleration(tree)};
  return lin;
}

FLAT const moving_body *motion_before(const linearization_many *lin, int i) {
  int parent = lin->tree->body[i].parent;
  return &lin->motion[parent < 0 ? lin->tree->nb : parent];
}

/* ---- outwards ---- */

/* I, B = (Q, L, P) and F = I A + V x* I V of a body alone. */
FLAT void set_body_many(const linearization_many *lin, int i, mat3 R, twist V, twist A) {
  inertia I = i_to_world(R, lin->tree->body[i].inertia);
  wrench momentum = i_mul(I, V);
  lin->sums[i].I = I;
  lin->sums[i].B = (inertia_rates){inertia_rate(V, I).J, momentum.m, momentum.f};
  lin->sums[i].F = w_add(i_mul(I, A), w_cross(V, momentum));
}

/* A revolute joint. root: it is on the base, which does not rotate, so that V_p = 0 and psi = 0. */
FLAT void move_revolute_many(const linearization_many *lin, int i, int root) {
  const JN_S(body) *body = &lin->tree->body[i];
  const moving_body *P = motion_before(lin, i);
  mat3 B = m3_constant(body->R);
  vec3 d = v3_constant(body->p);
  twist V = t_zero(), A = {v3_zero(), P->A.v};

  /* The motion of the parent about the origin of this body. */
  if (!root) {
    d = m3_mul(P->R, d);
    B = m3_prod(P->R, B);
    V = t_shift(P->V, d);
    A = t_shift(P->A, d);
  }

  /* Axis and rotation. */
  vec3 e = v3_scale(splat(body->ratio), B.z);
  real c = lin->angle.c[i], s = lin->angle.s[i];
  mat3 R = {v3_axpy(s, B.y, v3_scale(c, B.x)), v3_axpy(-s, B.x, v3_scale(c, B.y)), B.z};
  coordinate_screws *to = &lin->screws[body->id];

  /* psi = [V_p, S], ppsi = [A_p, S] + [V_p, psi]. */
  to->S = (twist){e, v3_zero()};
  if (root) {
    to->psi = t_zero();
    to->ppsi = (twist){v3_zero(), cross(A.v, e)};
  } else {
    twist psi = {cross(V.w, e), cross(V.v, e)}, more = t_ad(V, psi);
    to->psi = psi;
    to->ppsi = (twist){v3_add(cross(A.w, e), more.w), v3_add(cross(A.v, e), more.v)};
    if (lin->v) A = t_axpy(lin->v[body->iv], psi, A);
  }

  /* V += S v, A += S a + psi v. */
  if (lin->v) V.w = v3_axpy(lin->v[body->iv], e, V.w);
  if (lin->a) A.w = v3_axpy(lin->a[body->iv], e, A.w);
  lin->motion[i] = (moving_body){R, d, V, A};
  set_body_many(lin, i, R, V, A);
}

/* Coordinates [first, first + count) of body i that act together: all of a group, else one. V and A are before them,
 * then after them. */
FLAT void move_coordinates_many(const linearization_many *lin, int i, int first, int count, twist *V, twist *A) {
  const JN_S(body) *body = &lin->tree->body[i];
  coordinate_screws *s = lin->screws + body->id + first;
  int iv = body->iv + first;

  /* psi, ppsi. */
  for (int c = 0; c < count; c++) {
    s[c].psi = t_ad(*V, s[c].S);
    s[c].ppsi = t_add(t_ad(*A, s[c].S), t_ad(*V, s[c].psi));
  }

  /* V += S v; Psi = [V, S]; A += S a + Psi v. */
  for (int c = 0; c < count && lin->v; c++) *V = t_axpy(lin->v[iv + c], s[c].S, *V);
  for (int c = 0; c < count; c++) {
    twist Psi = t_ad(*V, s[c].S);
    s[c].Psi_plus_psi = t_add(Psi, s[c].psi);
    if (lin->v) *A = t_axpy(lin->v[iv + c], Psi, *A);
    if (lin->a) *A = t_axpy(lin->a[iv + c], s[c].S, *A);
  }
}

/* Any other joint. */
static inline void move_any_many(const linearization_many *lin, int i) {
  const JN_S(body) *body = &lin->tree->body[i];
  const moving_body *P = motion_before(lin, i);

  pose X = body_pose(lin->tree, body, lin->q, lin->angle.c[i], lin->angle.s[i]);
  mat3 R = m3_prod(P->R, X.R);
  vec3 d = m3_mul(P->R, X.p);
  twist V = t_shift(P->V, d), A = t_shift(P->A, d), S[6];

  /* Screws in world axes. */
  joint_screws(lin->tree, body, lin->q, NULL, S, NULL);
  for (int c = 0; c < body->nv; c++) lin->screws[body->id + c].S = (twist){m3_mul(R, S[c].w), m3_mul(R, S[c].v)};

  /* What the coordinates add. */
  int step = is_group(body) ? body->nv : 1;
  for (int c = 0; c < body->nv; c += step) move_coordinates_many(lin, i, c, step, &V, &A);
  lin->motion[i] = (moving_body){R, d, V, A};
  set_body_many(lin, i, R, V, A);
}

/* A free joint on the base. Its screws are the axes of R, and the base does not rotate, so that psi = 0, ppsi = (0, a x
 * e) with the acceleration a that makes weight, and [V, V] = 0 adds nothing to A; set_row_inward_free_base() uses this.
 */
static inline int is_free_base(const JN_S(body) * body) { return body->kind == JN_BODY_FREE && body->parent < 0; }

static inline void move_free_base_many(const linearization_many *lin, int i) {
  const JN_S(body) *body = &lin->tree->body[i];
  pose X = body_pose(lin->tree, body, lin->q, lin->angle.c[i], lin->angle.s[i]);
  mat3 R = X.R;
  coordinate_screws *s = lin->screws + body->id;
  twist V = t_zero(), A = motion_before(lin, i)->A;
  s[0].S = (twist){R.x, v3_zero()};
  s[1].S = (twist){R.y, v3_zero()};
  s[2].S = (twist){R.z, v3_zero()};
  s[3].S = (twist){v3_zero(), R.x};
  s[4].S = (twist){v3_zero(), R.y};
  s[5].S = (twist){v3_zero(), R.z};
  if (lin->v) V = (twist){m3_mul(R, v3_load(lin->v + body->iv)), m3_mul(R, v3_load(lin->v + body->iv + 3))};
  if (lin->a) A = t_add(A, (twist){m3_mul(R, v3_load(lin->a + body->iv)), m3_mul(R, v3_load(lin->a + body->iv + 3))});
  lin->motion[i] = (moving_body){R, X.p, V, A};
  set_body_many(lin, i, R, V, A);
}

/* Subtracts the external wrench on a link from F of its body. */
static inline void subtract_wrench_many(const linearization_many *lin, int link) {
  const JN_S(frame) *frame = &lin->tree->frame[link];
  if (frame->body < 0) return;
  pose T = se3_mul((pose){lin->motion[frame->body].R, v3_zero()}, se3_constant(frame->R, frame->p));
  wrench *F = &lin->sums[frame->body].F;
  *F = w_sub(*F, w_Ad_inverse(T, w_load(lin->W + 6 * link)));
}

/* Outwards: motions, and I, B, F of the bodies alone. */
static __attribute__((noinline)) void linearize_many_outward(const linearization_many *lin) {
  const JN_S(tree) *tree = lin->tree;
  for (int i = 0; i < tree->nb; i++) {
    if (is_revolute(&tree->body[i]) && tree->body[i].parent < 0)
      move_revolute_many(lin, i, 1);
    else if (is_revolute(&tree->body[i]))
      move_revolute_many(lin, i, 0);
    else if (is_free_base(&tree->body[i]))
      move_free_base_many(lin, i);
    else
      move_any_many(lin, i);
  }
  for (int l = 0; l < tree->nlink && lin->W; l++) subtract_wrench_many(lin, l);
}

/* ---- inwards ---- */

/* Z and U of coordinate c of body i: what coordinates of the same joint are multiplied with. */
FLAT void set_own_wrenches_many(const linearization_many *lin, int i, int c) {
  const subtree_sums *w = &lin->sums[i];
  twist S = lin->screws[c].S;
  lin->wrenches[c].Z = i_mul(w->I, S);
  lin->wrenches[c].U = rates_tmul(w->B, S);
}

/* All wrenches Z, Y, Yv, U of coordinate c of body i; revolute: its screw is (e, 0) and Psi = psi. */
FLAT void set_wrenches_many(const linearization_many *lin, int i, int c, int revolute) {
  const subtree_sums *w = &lin->sums[i];
  const coordinate_screws *s = &lin->screws[c];
  coordinate_wrenches *x = &lin->wrenches[c];
  inertia I = w->I;
  inertia_rates B = w->B;
  wrench F = w->F;
  vec3 e = s->S.w, Qe = s3_mul(B.Q, e), Le = cross(B.L, e);
  wrench Y = w_add(i_mul(I, s->ppsi), rates_mul(B, s->psi)), Yv = i_mul(I, revolute ? s->psi : s->Psi_plus_psi);
  vec3 Pe = cross(B.P, e);
  if (revolute)
    x->Yv = (wrench){v3_axpy(K(2), Yv.m, v3_sub(Qe, Le)), v3_scale(K(2), v3_sub(Yv.f, Pe))};
  else
    x->Yv = (wrench){v3_add(Yv.m, v3_sub(Qe, Le)), v3_axpy(K(-2), Pe, Yv.f)};
  Y = (wrench){v3_add(Y.m, cross(e, F.m)), v3_add(Y.f, cross(e, F.f))};
  if (revolute) {
    x->Z = (wrench){s3_mul(I.J, e), cross(e, I.h)};
    x->U = v3_add(Qe, Le);
    x->Y = Y;
  } else {
    x->Z = i_mul(I, s->S);
    x->U = v3_axpy(K(2), cross(B.P, s->S.v), v3_add(Qe, Le));
    x->Y = (wrench){v3_add(Y.m, cross(s->S.v, F.f)), Y.f};
  }
}

/* Adds the sums over the subtree of body i, which are complete, to those of its parent. */
FLAT void add_sums_to_parent(const linearization_many *lin, int i) {
  int parent = lin->tree->body[i].parent;
  if (parent < 0) return;
  const subtree_sums *x = &lin->sums[i];
  subtree_sums *to = &lin->sums[parent];
  vec3 d = lin->motion[i].d;
  to->I = i_add(to->I, i_shift(x->I, d));
  to->B = rates_add(to->B, rates_shift(x->B, d));
  to->F = w_add(to->F, w_shift(x->F, d));
}

/* Inwards: wrenches of all coordinates. sums: I, B and F have yet to be summed over subtrees. */
static __attribute__((noinline)) void linearize_many_inward(const linearization_many *lin, int sums) {
  const JN_S(tree) *tree = lin->tree;
  for (int i = tree->nb - 1; i >= 0; i--) {
    const JN_S(body) *body = &tree->body[i];
    if (sums) add_sums_to_parent(lin, i);
    if (body->parent < 0 && (is_group(body) || body->nv == 1))
      for (int k = 0; k < body->nv; k++) set_own_wrenches_many(lin, i, body->id + k); /* nothing is inward of these */
    else if (is_revolute(body))
      set_wrenches_many(lin, i, body->id, 1);
    else
      for (int k = 0; k < body->nv; k++) set_wrenches_many(lin, i, body->id + k, 0);
  }
}

/* ---- rows ---- */

/* One row of each matrix; NULL: not wanted. */
typedef struct row_pointers {
  real *dq, *dv, *M; /* [nv] */
} row_pointers;

/* Entries with a coordinate inward of the row's own, or of the same joint:  dq = Z . ppsi + U . psi,
 * dv = Z . (Psi + psi) + U . S,  M = Z . S. */
FLAT void set_row_inward(const row_pointers *row, const coordinate_screws *s, int at, int revolute, wrench Z, vec3 U) {
  if (row->dq) row->dq[at] = power(Z, s->ppsi) + dot(U, s->psi.w);
  if (revolute) {
    if (row->dv) row->dv[at] = K(2) * power(Z, s->psi) + dot(U, s->S.w);
    if (row->M) row->M[at] = dot(Z.m, s->S.w);
  } else {
    if (row->dv) row->dv[at] = power(Z, s->Psi_plus_psi) + dot(U, s->S.w);
    if (row->M) row->M[at] = power(Z, s->S);
  }
}

/* Entries with a coordinate outward of the row's own; S is the row's screw about that one's origin. */
FLAT void set_row_outward(const row_pointers *row, const coordinate_wrenches *x, int at, twist S) {
  if (row->dq) row->dq[at] = power(x->Y, S);
  if (row->dv) row->dv[at] = power(x->Yv, S);
  if (row->M) row->M[at] = power(x->Z, S);
}

/* set_row_inward() for all coordinates of a free joint on the base, by a few products with R^T (humanoid of 44
 * joints: 0.7 us less). */
FLAT void set_row_inward_free_base(const linearization_many *lin, const row_pointers *row, int i, wrench Z, vec3 U) {
  const moving_body *motion = &lin->motion[i];
  int at = lin->tree->body[i].iv;

  /* psi = 0 and ppsi = (0, a x e). */
  if (row->dq) {
    v3_store(m3_tmul(motion->R, cross(Z.f, motion_before(lin, i)->A.v)), row->dq + at);
    v3_store(v3_zero(), row->dq + at + 3);
  }

  /* Psi = [V, S]. */
  if (row->dv) {
    vec3 angular = v3_add(v3_add(cross(Z.m, motion->V.w), cross(Z.f, motion->V.v)), U);
    v3_store(m3_tmul(motion->R, angular), row->dv + at);
    v3_store(m3_tmul(motion->R, cross(Z.f, motion->V.w)), row->dv + at + 3);
  }

  if (!row->M) return;
  v3_store(m3_tmul(motion->R, Z.m), row->M + at);
  v3_store(m3_tmul(motion->R, Z.f), row->M + at + 3);
}

/* The row of coordinate c of body i. */
FLAT void fill_row(const linearization_many *lin, const row_pointers *row, int i, int c, int revolute) {
  const JN_S(tree) *tree = lin->tree;
  const JN_S(body) *body = &tree->body[i];
  twist S = lin->screws[c].S;
  vec3 U = lin->wrenches[c].U, *offset = lin->offset;
  wrench Z = lin->wrenches[c].Z;
  int own = revolute || !is_group(body) ? c + 1 : body->id + body->nv;

  /* Coordinates of the same joint up to its own; armature and springs. */
  for (int l = body->id; l < own; l++) set_row_inward(row, &lin->screws[l], body->iv + l - body->id, revolute, Z, U);
  if (row->M) row->M[body->iv + c - body->id] += armature_of(tree, body, c - body->id);
  if (row->dq && tree->has_springs) row->dq[body->iv + c - body->id] += stiffness_of(tree, body, c - body->id);

  /* Ancestors: Z is moved inwards, body by body. */
  for (int j = i, k = body->parent; k >= 0; j = k, k = tree->body[k].parent) {
    const JN_S(body) *other = &tree->body[k];
    Z = w_shift(Z, lin->motion[j].d);
    if (is_revolute(other))
      set_row_inward(row, &lin->screws[other->id], other->iv, 1, Z, U);
    else if (is_free_base(other))
      set_row_inward_free_base(lin, row, k, Z, U);
    else
      for (int l = 0; l < other->nv; l++) set_row_inward(row, &lin->screws[other->id + l], other->iv + l, 0, Z, U);
  }

  /* The following coordinates of the same joint. */
  for (int l = own; l < body->id + body->nv && !revolute; l++)
    set_row_outward(row, &lin->wrenches[l], body->iv + l - body->id, S);

  /* Bodies outward of it: the screw is moved to their origins. */
  offset[i] = v3_zero();
  for (int j = i + 1; j < body->end; j++) {
    const JN_S(body) *other = &tree->body[j];
    offset[j] = v3_add(offset[other->parent], lin->motion[j].d);
    twist to = {S.w, revolute ? cross(S.w, offset[j]) : v3_add(S.v, cross(S.w, offset[j]))};
    for (int l = 0; l < other->nv; l++) set_row_outward(row, &lin->wrenches[other->id + l], other->iv + l, to);
  }
}

/* Rows [6 x nv] of a free joint on the base, from one kind of wrenches of the coordinates outward of it (`which` is
 * its offset in coordinate_wrenches): R^T (m + p x f), R^T f. */
FLAT void fill_free_base_outward(const linearization_many *lin, int i, size_t which, real *to) {
  const JN_S(tree) *tree = lin->tree;
  mat3 R = lin->motion[i].R;
  int n = tree->nv;
  lin->offset[i] = v3_zero();
  for (int j = i + 1; j < tree->body[i].end; j++) {
    const JN_S(body) *a = &tree->body[j];
    vec3 p = v3_add(lin->offset[a->parent], lin->motion[j].d);
    lin->offset[j] = p;
    for (int l = 0; l < a->nv; l++) {
      wrench F = w_shift(*(const wrench *)(const void *)((const char *)&lin->wrenches[a->id + l] + which), p);
      vec3 m = m3_tmul(R, F.m), f = m3_tmul(R, F.f);
      real *x = to + a->iv + l;
      x[0] = m.x, x[n] = m.y, x[2 * n] = m.z;
      x[3 * n] = f.x, x[4 * n] = f.y, x[5 * n] = f.z;
    }
  }
}

/* All rows of the free joint of body i, on the base. */
static __attribute__((noinline)) void fill_free_base_rows(const linearization_many *lin, int i, real *dq, real *dv,
                                                          real *M) {
  const JN_S(tree) *tree = lin->tree;
  const JN_S(body) *body = &tree->body[i];
  int n = tree->nv;
  for (int c = 0; c < 6; c++) {
    row_pointers row = {dq ? dq + c * n : NULL, dv ? dv + c * n : NULL, M ? M + c * n : NULL};
    set_row_inward_free_base(lin, &row, i, lin->wrenches[body->id + c].Z, lin->wrenches[body->id + c].U);
    if (M) row.M[body->iv + c] += armature_of(tree, body, c);
  }
  if (dq) fill_free_base_outward(lin, i, offsetof(coordinate_wrenches, Y), dq);
  if (dv) fill_free_base_outward(lin, i, offsetof(coordinate_wrenches, Yv), dv);
  if (M) fill_free_base_outward(lin, i, offsetof(coordinate_wrenches, Z), M);
}

/* ---- matrices ---- */

/* Where the matrices go. */
typedef struct matrix_target {
  real *dq, *dv, *M;   /* [nv x nv] in lanes, or [6 x nv]: rows that are sent to the caller; NULL: not wanted */
  const jn_direct *to; /* NULL: none */
} matrix_target;

/* Sends one row of output `out` to the caller. */
FLAT void send_row(const jn_direct *s, int out, const real *row, int n, int at) {
  if (row) direct_send(s, out, (size_t)at * (size_t)n, row, (size_t)n);
}

static __attribute__((noinline)) void send_rows(const matrix_target *target, int n, int at, int count) {
  for (int k = 0; k < count; k++) {
    send_row(target->to, 0, target->dq ? target->dq + k * n : NULL, n, at + k);
    send_row(target->to, 1, target->dv ? target->dv + k * n : NULL, n, at + k);
    send_row(target->to, 2, target->M ? target->M + k * n : NULL, n, at + k);
  }
}

FLAT void clear_row(const row_pointers *row, int at, int count) {
  for (int c = at; c < at + count; c++) {
    if (row->dq) row->dq[c] = ZERO;
    if (row->dv) row->dv[c] = ZERO;
    if (row->M) row->M[c] = ZERO;
  }
}

/* Clears what a row has of the branch of body i - 1 and the row of body i does not fill. */
FLAT void clear_previous_branch(const JN_S(tree) * tree, const row_pointers *row, int i) {
  const JN_S(body) *body = tree->body;
  if (i == 0) return;
  if (body[i].parent == i - 1) {
    for (int j = body[i].end; j < body[i - 1].end; j++) clear_row(row, body[j].iv, body[j].nv);
  } else {
    for (int j = i - 1; j != body[i].parent; j = body[j].parent) clear_row(row, body[j].iv, body[j].nv);
  }
}

FLAT real *row_in(real *M, int at, int n, const matrix_target *target) {
  return M ? M + (target->to ? 0 : at * n) : NULL;
}

/* All matrices, from the first row on: backwards, memory beyond the caches takes four times as long. */
static __attribute__((noinline)) void fill_matrices_many(const linearization_many *lin, const matrix_target *target) {
  const JN_S(tree) *tree = lin->tree;
  int n = tree->nv, rows = target->to ? 6 : n;
  row_pointers all = {target->dq, target->dv, target->M};
  if (!tree->chain && !(target->to && tree->body[0].end == tree->nb)) clear_row(&all, 0, rows * n);

  for (int i = 0; i < tree->nb; i++) {
    const JN_S(body) *body = &tree->body[i];
    row_pointers first = {row_in(target->dq, body->iv, n, target), row_in(target->dv, body->iv, n, target),
                          row_in(target->M, body->iv, n, target)};
    if (target->to) clear_previous_branch(tree, &first, i);

    /* A free joint on the base: six rows at once. */
    if (is_free_base(body)) {
      if (target->to && i > 0) clear_row(&all, 0, rows * n);
      fill_free_base_rows(lin, i, first.dq, first.dv, first.M);
      if (target->to) send_rows(target, n, body->iv, 6);
      continue;
    }

    /* All others: one row after the other. */
    for (int k = 0; k < body->nv; k++) {
      int at = body->iv + k;
      row_pointers row = {row_in(target->dq, at, n, target), row_in(target->dv, at, n, target),
                          row_in(target->M, at, n, target)};
      if (is_revolute(body))
        fill_row(lin, &row, i, body->id, 1);
      else
        fill_row(lin, &row, i, body->id + k, 0);
      if (target->to) send_rows(target, n, at, 1);
    }
  }
}

#endif

#endif
