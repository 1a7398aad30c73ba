/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames and momentum of the kernel `terms` for one state with AVX2: see frames.h, and terms.c for the twins. */
#ifndef JN_KERNEL_TERMS_FRAMES_ONE_H
#define JN_KERNEL_TERMS_FRAMES_ONE_H

#include "terms_one.h"

#if JN_REGISTERS

/* A frame: columns of its rotation, its origin, and that from its body's. */
typedef struct place4 {
  r4 x, y, z, p, r;
} place4;

static inline place4 terms_frame_place(const terms_one *s, int f) {
  const JN_S(frame) *o = &s->t->frame[f];
  const r4 ex = r4_set(1, 0, 0, 0), ey = r4_set(0, 1, 0, 0), ez = r4_set(0, 0, 1, 0);
  const solid *B = o->body < 0 ? NULL : &s->B[o->body];
  r4 x = B ? B->x : ex, y = B ? B->y : ey, z = B ? B->z : ez, r = v4_sum(x, y, z, o->p, 1);
  return (place4){v4_sum(x, y, z, o->R, 3), v4_sum(x, y, z, o->R + 1, 3), v4_sum(x, y, z, o->R + 2, 3),
                  B ? s->p[o->body] + r : r, r};
}

/* A twist about the frame's origin in the world's axes, in the representation. */
static inline screw terms_shown(int in, const place4 *T, screw X) {
  if (in == IN_ALIGNED) return X;
  if (in == IN_WORLD) return (screw){X.w, X.v + v4_cross(T->p, X.w)};
  return (screw){v4_tmul(T->x, T->y, T->z, X.w), v4_tmul(T->x, T->y, T->z, X.v)};
}

static inline void v4_store_six(screw X, real *out) {
  v3_store(v4_vec3(X.w), out);
  v3_store(v4_vec3(X.v), out + 3);
}

/* Column `at` of a matrix [6 x n]. */
static inline void terms_add_column(real *J, int n, int at, screw X) {
  for (int r = 0; r < 3; r++) {
    J[r * n + at] += X.w[r];
    J[(r + 3) * n + at] += X.v[r];
  }
}

static inline void terms_pose(place4 T, real *out) {
  r4_transpose(&T.x, &T.y, &T.z, &T.p);
  r4_store(T.x, out);
  r4_store(T.y, out + 4);
  r4_store(T.z, out + 8);
  r4_store(r4_set(0, 0, 0, 1), out + 12);
}

/* J and dJ/dt of frame f, not in the world's frame: see frame_matrices(). */
static inline void terms_frame_matrices(const terms_one *s, int f, int in, const place4 *T, screw V, real *J,
                                        real *dJ) {
  const JN_S(tree) *t = s->t;
  int n = t->nv;
  for (int k = 0; k < 6 * n && J; k++) J[k] = 0;
  for (int k = 0; k < 6 * n && dJ; k++) dJ[k] = 0;
  for (int j = t->frame[f].body; j >= 0; j = t->body[j].parent) {
    const JN_S(body) *b = &t->body[j];
    r4 r = T->p - s->p[j];
    for (int k = 0; k < b->nv; k++) {
      screw S = v4_shift(s->S[b->id + k], r);
      if (J) terms_add_column(J, n, b->iv + k, terms_shown(in, T, S));
      if (!dJ || !s->v) continue;
      screw rate = v4_shift(s->Psi[b->id + k], r);
      if (in == IN_BODY) rate.w -= v4_cross(V.w, S.w);
      if (in == IN_BODY) rate.v -= v4_cross(V.w, S.v);
      rate.v -= v4_cross(V.v, S.w);
      terms_add_column(dJ, n, b->iv + k, terms_shown(in, T, rate));
    }
  }
}

static inline void terms_frames(const terms_one *s) {
  const JN_S(tree) *t = s->t;
  void *const *out = s->c->out;
  int in = s->c->arg[0], n = t->nv;
  real *poses = out[JN_OUT_POSES], *twists = out[JN_OUT_TWISTS], *rates = out[JN_OUT_ACCELERATIONS];
  real *J = in == IN_WORLD ? NULL : out[JN_OUT_J], *dJ = in == IN_WORLD ? NULL : out[JN_OUT_DJ];
  for (int f = 0; f < t->nframe; f++) {
    int b = t->frame[f].body;
    const screw none = {r4_zero(), r4_zero()};
    place4 T = terms_frame_place(s, f);
    screw V = b < 0 || !s->v ? none : v4_shift(s->V[b], T.r);
    if (poses) terms_pose(T, poses + 16 * f);
    if (twists) v4_store_six(terms_shown(in, &T, V), twists + 6 * f);
    if (rates) {
      screw A = b < 0 ? none : v4_shift(s->A[b], T.r);
      if (in == IN_ALIGNED) A.v += v4_cross(V.w, V.v);
      v4_store_six(terms_shown(in, &T, A), rates + 6 * f);
    }
    if (J || dJ) terms_frame_matrices(s, f, in, &T, V, J ? J + 6 * n * f : NULL, dJ ? dJ + 6 * n * f : NULL);
  }
}

/* Both matrices that are wanted (jacobians.h) of screws or their rates X [nd]; NULL: zero. */
static inline void terms_jacobians(const terms_one *s, const screw *X, real *all, real *space) {
  const JN_S(tree) *t = s->t;
  twist *columns = (twist *)s->P; /* large enough, and not in use */
  for (int i = 0; i < t->nb; i++)
    for (int k = t->body[i].id; k < t->body[i].id + t->body[i].nv; k++)
      columns[k] = X ? (twist){v4_vec3(X[k].w), v4_vec3(X[k].v + v4_cross(s->p[i], X[k].w))} : t_zero();
  if (all) all_jacobians(t, columns, all);
  if (space) space_jacobian(t, columns, space);
}

/* Its matrix A and dA/dt, about `com` that moves with dcom: from the inertias of subtrees, made here of the bodies'. */
static inline void terms_momentum_matrices(const terms_one *s, r4 com, r4 dcom, real *A, real *dA) {
  const JN_S(tree) *t = s->t;
  int n = t->nv;
  for (int k = 0; k < 6 * n && A; k++) A[k] = 0;
  for (int k = 0; k < 6 * n && dA; k++) dA[k] = 0;
  if (!s->v) dA = NULL;
  for (int i = 0; i < t->nb && dA; i++) s->X[i] = crossed4_of(s->V[i], &s->B[i]);
  for (int i = t->nb - 1; i >= 0; i--) {
    const JN_S(body) *b = &t->body[i];
    r4 r = s->p[i] - com;
    for (int k = 0; k < b->nv; k++) {
      screw S = s->S[b->id + k], Z = solid_momentum(&s->B[i], S);
      if (A) terms_add_column(A, n, b->iv + k, (screw){Z.w + v4_cross(r, Z.v), Z.v});
      if (!dA) continue;
      /* d/dt of the column about the origin: I Psi + (B + B^T) S, because dI/dt = V x* I - I ad_V */
      screw W = crossed4_tmul(&s->X[i], S), Y = crossed4_mul(&s->X[i], S),
            I = solid_momentum(&s->B[i], s->Psi[b->id + k]);
      r4 m = W.w + Y.w + I.w, f = W.v + Y.v + I.v;
      terms_add_column(dA, n, b->iv + k, (screw){m + v4_cross(r, f) - v4_cross(dcom, Z.v), f});
    }
    if (b->parent < 0) continue;
    if (dA) crossed4_add(&s->X[b->parent], &s->X[i], &s->B[i]);
    solid_add(&s->B[b->parent], &s->B[i]);
  }
}

/* Momentum of all that moves, and its matrices; the centre of mass on the way. */
static inline void terms_momentum(const terms_one *s) {
  const JN_S(tree) *t = s->t;
  real *out = s->c->out[JN_OUT_MOMENTUM], *A = s->c->out[JN_OUT_A], *dA = s->c->out[JN_OUT_DA];
  r4 com = r4_zero(), dcom = r4_zero();
  screw h = {com, com};
  scalar mass = 0;
  for (int i = 0; i < t->nb; i++) {
    const solid *o = &s->B[i];
    mass += o->m;
    com += o->h + o->m * s->p[i];
    if (!s->v) continue;
    screw own = solid_momentum(o, s->V[i]);
    h = (screw){h.w + own.w + v4_cross(s->p[i], own.v), h.v + own.v};
  }
  com = s->c->arg[1] ? com * (1 / mass) : r4_zero();
  dcom = s->c->arg[1] ? h.v * (1 / mass) : r4_zero();
  h.w -= v4_cross(com, h.v);
  if (out) v4_store_six(h, out);
  if (A || dA) terms_momentum_matrices(s, com, dcom, A, dA);
}

#endif

#endif
