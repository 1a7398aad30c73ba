/* SPDX-License-Identifier: BSD-2-Clause */
/* Sweeps in the world's axes, about the origin of the body that a quantity belongs to: from body to body only the point
 * changes, which costs a third of a rotation, and the screw of a revolute joint is an axis alone, (e, 0). No digits are
 * lost however far bodies are from the world's origin or from each other.
 *   R_i   rotation of body i         d_i   its origin from that of its parent, or of the world
 *   S     screws [nd]                Psi = dS/dt = [V, S] + R dS_body/dt */
#ifndef JN_KERNEL_BASE_WORLD_H
#define JN_KERNEL_BASE_WORLD_H

#include "sweep.h"

typedef struct world {
  const JN_S(tree) * t;
  mat3 *R;        /* [nb] */
  vec3 *d;        /* [nb] */
  twist *S, *Psi; /* [nd] */
  twist *V;       /* [nb] */
} world;

/* Takes 18 nb + 12 nd reals. */
static inline world world_place(const JN_S(tree) * t, real **at) {
  world w = {.t = t};
  w.R = TAKE(at, t->nb, mat3);
  w.d = TAKE(at, t->nb, vec3);
  w.V = TAKE(at, t->nb, twist);
  w.S = TAKE(at, t->nd, twist);
  w.Psi = TAKE(at, t->nd, twist);
  return w;
}

static inline int is_turn(const JN_S(body) * b) { return b->kind == JN_BODY_REVOLUTE; }

/* The same twist about a point at d from the one before; the same wrench, inertia about the point from which the one
 * before is at d. */
static inline twist t_shift(twist V, vec3 d) { return (twist){V.w, v3_add(V.v, cross(V.w, d))}; }
static inline wrench w_shift(wrench F, vec3 d) { return (wrench){v3_add(F.m, cross(d, F.f)), F.f}; }
FLAT inertia i_shift(inertia I, vec3 d) {
  return (inertia){I.m, v3_axpy(I.m, d, I.h), s3_add(I.J, s3_steiner(d, v3_axpy(K(2), I.h, v3_scale(I.m, d))))};
}
/* V x* F */
static inline wrench w_cross(twist V, wrench F) {
  return (wrench){v3_add(cross(V.w, F.m), cross(V.v, F.f)), cross(V.w, F.f)};
}
/* The matrix of V x* I and sums of such, whatever point they are about: [A, [u] + Z; -Z, [w]], where A = [w]J - [v][h],
 * Z = [w][h], u = m v, w = m w of a single body. */
typedef struct crossed {
  mat3 A, Z;
  vec3 u, w;
} crossed;

/* [a] X and X [a] */
static inline mat3 m3_cross_left(vec3 a, mat3 X) { return (mat3){cross(a, X.x), cross(a, X.y), cross(a, X.z)}; }
static inline mat3 m3_cross_right(mat3 X, vec3 a) {
  return (mat3){v3_sub(v3_scale(a.z, X.y), v3_scale(a.y, X.z)), v3_sub(v3_scale(a.x, X.z), v3_scale(a.z, X.x)),
                v3_sub(v3_scale(a.y, X.x), v3_scale(a.x, X.y))};
}
/* [a][b] = b a^T - (a.b) E */
static inline mat3 m3_cross_cross(vec3 a, vec3 b) {
  real ab = dot(a, b);
  mat3 X = {v3_scale(a.x, b), v3_scale(a.y, b), v3_scale(a.z, b)};
  X.x.x -= ab;
  X.y.y -= ab;
  X.z.z -= ab;
  return X;
}
static inline crossed crossed_of(twist V, inertia I) {
  mat3 A = m3_axpy(K(-1), m3_cross_cross(V.v, I.h), m3_cross_left(V.w, s3_full(I.J)));
  return (crossed){A, m3_cross_cross(V.w, I.h), v3_scale(I.m, V.v), v3_scale(I.m, V.w)};
}
/* to += X about the point from which its own is at d. */
static inline void crossed_add(crossed *to, const crossed *X, vec3 d) {
  vec3 u = v3_add(X->u, cross(d, X->w));
  mat3 Z = m3_add(X->Z, m3_cross_cross(X->w, d));
  mat3 A = m3_axpy(K(-1), m3_add(m3_cross_left(d, X->Z), m3_cross_right(m3_add(skew(u), Z), d)), X->A);
  to->A = m3_add(to->A, A);
  to->Z = m3_add(to->Z, Z);
  to->u = v3_add(to->u, u);
  to->w = v3_add(to->w, X->w);
}
static inline wrench crossed_mul(const crossed *X, int turn, twist S) {
  wrench F = {m3_mul(X->A, S.w), v3_neg(m3_mul(X->Z, S.w))};
  if (turn) return F;
  return (wrench){v3_add(F.m, v3_add(cross(X->u, S.v), m3_mul(X->Z, S.v))), v3_add(F.f, cross(X->w, S.v))};
}
static inline wrench crossed_tmul(const crossed *X, int turn, twist S) {
  wrench F = {m3_tmul(X->A, S.w), v3_sub(m3_tmul(X->Z, S.w), cross(X->u, S.w))};
  if (turn) return F;
  return (wrench){v3_sub(F.m, m3_tmul(X->Z, S.v)), v3_sub(F.f, cross(X->w, S.v))};
}

/* R J R^T: half of the second product is enough. */
FLAT sym3 s3_turn(mat3 R, sym3 J) {
  mat3 A = {s3_mul(J, v3(R.x.x, R.y.x, R.z.x)), s3_mul(J, v3(R.x.y, R.y.y, R.z.y)), s3_mul(J, v3(R.x.z, R.y.z, R.z.z))};
  vec3 x = v3(R.x.x, R.y.x, R.z.x), y = v3(R.x.y, R.y.y, R.z.y), z = v3(R.x.z, R.y.z, R.z.z); /* rows of R */
  return (sym3){dot(x, A.x), dot(y, A.y), dot(z, A.z), dot(x, A.y), dot(x, A.z), dot(y, A.z)};
}
/* The body's inertia in the world's axes. */
FLAT inertia i_turn(mat3 R, const scalar *I) {
  inertia o = i_constant(I);
  return (inertia){o.m, m3_mul(R, o.h), s3_turn(R, o.J)};
}

/* Body i: R, d, S and, when v is given, V and Psi. */
static inline void world_outward(const world *w, int i, const real *q, const real *v, angles turn) {
  const JN_S(body) *b = &w->t->body[i];
  int p = b->parent;
  pose X = body_pose(w->t, b, q, turn.c[i], turn.s[i]);
  vec3 d = p < 0 ? X.p : m3_mul(w->R[p], X.p);
  mat3 R = p < 0 ? X.R : m3_prod(w->R[p], X.R);
  twist V = !v || p < 0 ? t_zero() : t_shift(w->V[p], d), *S = w->S + b->id, *Psi = w->Psi + b->id, rate[6];
  w->R[i] = R;
  w->d[i] = d;
  if (is_turn(b)) {
    vec3 e = v3_scale(splat(b->ratio), R.z);
    S[0] = (twist){e, v3_zero()};
    if (!v) return;
    V.w = v3_axpy(v[b->iv], e, V.w);
    w->V[i] = V;
    Psi[0] = (twist){cross(V.w, e), cross(V.v, e)};
    return;
  }
  joint_screws(w->t, b, q, v, S, v ? rate : NULL);
  for (int k = 0; k < b->nv; k++) {
    S[k] = (twist){m3_mul(R, S[k].w), m3_mul(R, S[k].v)};
    if (v) V = t_axpy(v[b->iv + k], S[k], V);
  }
  w->V[i] = V;
  for (int k = 0; k < b->nv && v; k++)
    Psi[k] = t_add((twist){m3_mul(R, rate[k].w), m3_mul(R, rate[k].v)}, t_ad(V, S[k]));
}

/* True acceleration of body i, from its parent's; v or a NULL: zero. */
static inline twist world_accelerate(const world *w, int i, const real *v, const real *a, const twist *A) {
  const JN_S(body) *b = &w->t->body[i];
  twist own = b->parent < 0 ? t_zero() : t_shift(A[b->parent], w->d[i]);
  for (int k = 0; k < b->nv; k++) {
    if (a) own = t_axpy(a[b->iv + k], w->S[b->id + k], own);
    if (v) own = t_axpy(v[b->iv + k], w->Psi[b->id + k], own);
  }
  return own;
}

/* Inertias of subtrees. */
static inline void world_inertias(const world *w, inertia *I) {
  const JN_S(tree) *t = w->t;
  for (int i = 0; i < t->nb; i++) I[i] = i_turn(w->R[i], t->body[i].inertia);
  for (int i = t->nb - 1; i >= 0; i--) {
    int p = t->body[i].parent;
    if (p >= 0) I[p] = i_add(I[p], i_shift(I[i], w->d[i]));
  }
}

/* I S of a screw of body b. */
static inline wrench screw_momentum(const JN_S(body) * b, inertia I, twist S) {
  if (is_turn(b)) return (wrench){s3_mul(I.J, S.w), cross(S.w, I.h)};
  return i_mul(I, S);
}
static inline real screw_power(const JN_S(body) * b, wrench F, twist S) {
  return is_turn(b) ? dot(F.m, S.w) : power(F, S);
}

/* M [nv x nv] from the inertias of subtrees: M_ij = S_j . I_i S_i along the ancestors j of i (garofalo2013 eq. 6a).
 * Rows and columns are in the order of v, or in the order of elimination (tree.h), which is that of the bodies unless
 * coordinates are coupled. Coupled joints share coordinates, so that entries are sums; else each is written once. */
typedef struct mass_place {
  const world *w;
  int n, by_body, sums;
  real *M;
} mass_place;

FLAT int mass_column(const mass_place *o, int i) {
  const JN_S(body) *b = &o->w->t->body[i];
  return o->by_body ? b->id : b->iv;
}

FLAT void mass_put(const mass_place *o, int row, int column, real x) {
  real *one = &o->M[row * o->n + column], *other = &o->M[column * o->n + row];
  if (o->sums) {
    *one += x;
    *other += x;
  } else {
    *one = x;
    *other = x;
  }
}

/* Momenta of the coordinates of body i with the inertia of its subtree, and their entries among themselves. */
FLAT void mass_own(const mass_place *o, inertia I, int i, wrench *Z) {
  const world *w = o->w;
  const JN_S(body) *b = &w->t->body[i];
  int first = mass_column(o, i);
  for (int k = 0; k < b->nv; k++) {
    twist S = w->S[b->id + k];
    wrench z = screw_momentum(b, I, S);
    real own = screw_power(b, z, S) + armature_of(w->t, b, k), *diagonal = &o->M[(first + k) * (o->n + 1)];
    *diagonal = o->sums ? *diagonal + own : own;
    for (int l = 0; l < k; l++) mass_put(o, first + k, first + l, power(z, w->S[b->id + l]));
    Z[b->id + k] = w_shift(z, w->d[i]);
  }
}

/* Entries of body i, which turns, with the coordinates further out in its subtree, whose momenta Z are about its origin
 * and become those about its parent's. They lie side by side and none waits for another: from each coordinate inwards,
 * M of 7 joints in lanes of four took as long, of 25 1.15, of 100 1.5 times as long. */
FLAT void mass_turn(const mass_place *o, int i, wrench *Z) {
  const JN_S(tree) *t = o->w->t;
  const JN_S(body) *b = &t->body[i];
  int n = o->n, end = b->end < t->nb ? t->body[b->end].id : t->nd;
  vec3 e = o->w->S[b->id].w, d = o->w->d[i];
  real *across = o->M + b->id * n, *down = o->M + b->id + (b->id + 1) * n;
  for (int k = b->id + 1; k < end; k++, down += n) {
    real x = dot(Z[k].m, e);
    across[k] = x;
    *down = x;
    Z[k].m = v3_add(Z[k].m, cross(d, Z[k].f));
  }
}

/* The same of a free or spherical body, whose screws have the columns of R alone, */
FLAT void mass_group(const mass_place *o, int i, wrench *Z) {
  const JN_S(body) *b = &o->w->t->body[i], *end = o->w->t->body + b->end;
  const mat3 R = o->w->R[i];
  int row = mass_column(o, i), free = b->kind == JN_BODY_FREE;
  for (const JN_S(body) *c = b + 1; c < end; c++)
    for (int k = 0; k < c->nv; k++) {
      int column = (o->by_body ? c->id : c->iv) + k;
      wrench *z = &Z[c->id + k];
      vec3 m = m3_tmul(R, z->m);
      mass_put(o, row, column, m.x);
      mass_put(o, row + 1, column, m.y);
      mass_put(o, row + 2, column, m.z);
      if (b->parent >= 0) *z = w_shift(*z, o->w->d[i]);
      if (!free) continue;
      vec3 f = m3_tmul(R, z->f);
      mass_put(o, row + 3, column, f.x);
      mass_put(o, row + 4, column, f.y);
      mass_put(o, row + 5, column, f.z);
    }
}

/* and of any other. */
FLAT void mass_outer(const mass_place *o, int i, wrench *Z) {
  const JN_S(tree) *t = o->w->t;
  const JN_S(body) *b = &t->body[i];
  int row = mass_column(o, i);
  for (int j = i + 1; j < b->end; j++)
    for (int k = 0; k < t->body[j].nv; k++) {
      int column = mass_column(o, j) + k;
      wrench *z = &Z[t->body[j].id + k];
      for (int l = 0; l < b->nv; l++) mass_put(o, row + l, column, screw_power(b, *z, o->w->S[b->id + l]));
      *z = w_shift(*z, o->w->d[i]);
    }
}

/* I: of the bodies alone on entry, of subtrees afterwards. Z [nd] is scratch. */
FLAT void world_mass_matrix(const world *w, inertia *I, int elimination, wrench *Z, real *M) {
  const JN_S(tree) *t = w->t;
  const mass_place o = {w, t->nv, elimination && !t->coupled, t->coupled, M};
  int zeros = t->coupled || !t->chain, straight = elimination ? !t->coupled : t->straight;
  for (int k = 0; k < t->nv * t->nv && zeros; k++) M[k] = ZERO;
  for (int i = t->nb - 1; i >= 0; i--) {
    int p = t->body[i].parent;
    if (is_turn(&t->body[i]) && straight)
      mass_turn(&o, i, Z);
    else if (is_group(&t->body[i]))
      mass_group(&o, i, Z);
    else
      mass_outer(&o, i, Z);
    mass_own(&o, I[i], i, Z);
    if (p >= 0) I[p] = i_add(I[p], i_shift(I[i], w->d[i]));
  }
}

#endif
