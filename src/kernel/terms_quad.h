/* SPDX-License-Identifier: BSD-2-Clause */
/* What most callers want of the kernel `terms`, for one state with AVX2, all out of one sweep outwards and one inwards
 * in the registers of solid.h: M, C, dM/dt, g, bias and Coriolis forces, Jacobians in the world's frame, centre of
 * mass, energy. Weight comes from the moments of subtrees, so that g needs no recursion of its own: g_k = -S_k . (h x
 * gravity, m gravity). */
#ifndef JN_KERNEL_TERMS_QUAD_H
#define JN_KERNEL_TERMS_QUAD_H

#include "coriolis_quad.h"
#include "jacobians.h"
#include "terms.h"

#if JN_QUAD

typedef struct quads {
  const JN_S(tree) * t;
  real *const *out;  /* [JN_OUTS] of terms.h */
  const real *q, *v; /* v NULL: zero */
  int tensors;       /* inertias are wanted, not only first moments */
  int rates;         /* the screws' rates are */
  solid *B;          /* [nb] */
  screw *V;          /* [nb] */
  quad *p;           /* [nb] origins in the world */
  quad *h;           /* [nb] first moments and masses, of bodies and then of subtrees */
  scalar *m;
  crossed4 *X;    /* [nb] */
  screw *S, *Psi; /* [nd] */
  probe *P;       /* [nd] */
  quad sum, rate; /* mass times centre of mass, and its rate */
  quad kinetic;   /* its components add up to the kinetic energy */
  scalar mass;
} quads;

/* Takes 93 nb + 40 nd + 8 reals. */
static inline void quads_place(quads *s, real *at) {
  const JN_S(tree) *t = s->t;
  s->B = TAKE_ALIGNED(&at, t->nb, solid);
  s->V = TAKE(&at, t->nb, screw);
  s->X = TAKE(&at, t->nb, crossed4);
  s->S = TAKE(&at, t->nd, screw);
  s->Psi = TAKE(&at, t->nd, screw);
  s->P = TAKE(&at, t->nd, probe);
  s->p = TAKE(&at, t->nb, quad);
  s->h = TAKE(&at, t->nb, quad);
  s->m = TAKE(&at, t->nb, scalar);
}

/* V . I V / 2 = w_b . J w_b / 2 + v . (w x h + m v / 2), with w_b in the body's axes, where J is constant. */
static inline void quads_kinetic(quads *s, int i) {
  const JN_S(body) *b = &s->t->body[i];
  const solid *o = &s->B[i];
  const scalar *I = b->inertia, half = (scalar)0.5;
  screw V = s->V[i];
  quad w = v4_tmul(o->x, o->y, o->z, V.w);
  quad Jw = v4_mul(q4(I[4], I[7], I[8], 0), q4(I[7], I[5], I[9], 0), q4(I[8], I[9], I[6], 0), w);
  s->kinetic += half * w * Jw + V.v * (v4_cross(V.w, o->h) + half * I[0] * V.v);
  for (int k = 0; k < b->nv; k++) s->kinetic[0] += half * armature_of(s->t, b, k) * s->v[b->iv + k] * s->v[b->iv + k];
}

static inline void quads_outward(quads *s, const angles *turn) {
  const JN_S(tree) *t = s->t;
  JN_(solids_outward)(t, s->q, s->v, turn, s->tensors, s->B, s->S, s->V, s->rates ? s->Psi : NULL);
  for (int i = 0; i < t->nb; i++) {
    const JN_S(body) *b = &t->body[i];
    const solid *o = &s->B[i];
    s->p[i] = b->parent < 0 ? o->d : s->p[b->parent] + o->d;
    s->h[i] = o->h;
    s->m[i] = o->m;
    s->mass += o->m;
    s->sum += o->h + o->m * s->p[i];
    if (s->v && s->out[JN_OUT_ENERGY]) quads_kinetic(s, i);
    if (s->v && s->out[JN_OUT_DCOM]) s->rate += o->m * s->V[i].v + v4_cross(s->V[i].w, o->h);
  }
}

/* C, for which the inertias of subtrees are made on the way. */
static inline void quads_coriolis(const quads *s, real *C) {
  const JN_S(tree) *t = s->t;
  for (int i = 0; i < t->nb; i++) s->X[i] = crossed4_of(s->V[i], &s->B[i]);
  for (int k = 0; k < t->nd; k++) s->P[k] = probe_of(s->S[k], s->Psi[k]);
  for (int k = 0; k < t->nv * t->nv; k++) C[k] = 0;
  for (int i = t->nb - 1; i >= 0; i--) {
    int p = t->body[i].parent;
    for (int k = 0; k < t->body[i].nv; k++) coriolis_quads(t, s->B, s->S, s->Psi, s->X, s->P, i, k, C);
    if (p < 0) continue;
    crossed4_add(&s->X[p], &s->X[i], &s->B[i]);
    solid_add(&s->B[p], &s->B[i]);
  }
}

/* What the subtree of body i weighs on its coordinates. */
static inline void quads_weight(const quads *s, int i, quad g, real *out) {
  const JN_S(body) *b = &s->t->body[i];
  quad moment = v4_cross(g, s->h[i]), force = -s->m[i] * g;
  for (int k = 0; k < b->nv; k++) {
    screw S = s->S[b->id + k];
    out[b->iv + k] += is_turn(b) ? v4_dot(S.w, moment) : v4_dot(S.w, moment) + v4_dot(S.v, force);
  }
}

/* Columns of body i in the Jacobian of the centre of mass. */
static inline void com_columns(const quads *s, int i, scalar inverse, real *J) {
  const JN_S(body) *b = &s->t->body[i];
  int n = s->t->nv;
  for (int k = 0; k < b->nv; k++) {
    screw S = s->S[b->id + k];
    quad x = inverse * (v4_cross(S.w, s->h[i]) + s->m[i] * S.v);
    J[b->iv + k] += x[0];
    J[n + b->iv + k] += x[1];
    J[2 * n + b->iv + k] += x[2];
  }
}

/* First moments of subtrees, and what follows from them. */
static inline void quads_moments(const quads *s, real *G, real *J) {
  const JN_S(tree) *t = s->t;
  quad g = v4_load(t->gravity);
  scalar inverse = 1 / s->mass;
  for (int k = 0; k < t->nv && G; k++) G[k] = 0;
  for (int k = 0; k < 3 * t->nv && J; k++) J[k] = 0;
  for (int i = t->nb - 1; i >= 0; i--) {
    int p = t->body[i].parent;
    if (G) quads_weight(s, i, g, G);
    if (J) com_columns(s, i, inverse, J);
    if (p < 0) continue;
    s->h[p] += s->h[i] + s->m[i] * s->B[i].d;
    s->m[p] += s->m[i];
  }
}

/* Both matrices that are wanted (jacobians.h) of screws or their rates X [nd]; NULL: zero. */
static inline void quads_jacobians(const quads *s, const screw *X, real *all, real *space) {
  const JN_S(tree) *t = s->t;
  real *at = (real *)s->P; /* as large, and not needed any more */
  twist *columns = TAKE(&at, t->nd, twist);
  for (int i = 0; i < t->nb; i++)
    for (int k = t->body[i].id; k < t->body[i].id + t->body[i].nv; k++)
      columns[k] = X ? (twist){v4_vec3(X[k].w), v4_vec3(X[k].v + v4_cross(s->p[i], X[k].w))} : t_zero();
  space_outputs(t, columns, at, all, space);
}

#endif

#endif
