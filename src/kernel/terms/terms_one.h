/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel `terms` for one state with AVX2, out of one sweep outwards in the registers of world_one.h. Each output
 * has its own loops after it, so that it is the same to the bit whatever else is wanted. Weight comes from the first
 * moments of subtrees and needs no recursion of its own: g_k = -S_k . (h x gravity, m gravity). 7 revolute joints: g
 * 238 -> 185 ns, energies 350 -> 180. */
#ifndef JN_KERNEL_TERMS_TERMS_ONE_H
#define JN_KERNEL_TERMS_TERMS_ONE_H

#include "coriolis_columns.h"
#include "frames.h"
#include "jacobians.h"
#include "terms.h"

#if JN_REGISTERS

typedef struct terms_one {
  const JN_S(tree) * t;
  const jn_call *c;
  const real *q, *v; /* v NULL: zero */
  const angles *turn;
  solid *B;     /* [nb] */
  screw *V, *A; /* [nb] twists; accelerations without weight */
  r4 *p;        /* [nb] origins in the world */
  r4 *h;        /* [nb] first moments and masses, of bodies or subtrees */
  scalar *m;
  crossed4 *X;    /* [nb] */
  screw *S, *Psi; /* [nd] */
  probe *P;       /* [nd + 3] */
  scalar *column; /* [nd + 4][4] */
} terms_one;

/* Takes 101 nb + 44 nd + 120 reals; what comes last is room for others when C is not at work. */
static inline void terms_place(terms_one *s, real *at) {
  const JN_S(tree) *t = s->t;
  s->B = TAKE_ALIGNED(&at, t->nb, solid);
  s->V = TAKE(&at, t->nb, screw);
  s->A = TAKE(&at, t->nb, screw);
  s->X = TAKE(&at, t->nb, crossed4);
  s->S = TAKE(&at, t->nd, screw);
  s->Psi = TAKE(&at, t->nd, screw);
  s->p = TAKE(&at, t->nb, r4);
  s->h = TAKE(&at, t->nb, r4);
  s->m = TAKE(&at, t->nb, scalar);
  s->P = TAKE_ALIGNED(&at, t->nd + 3, probe);
  s->column = TAKE(&at, 4 * (t->nd + 4), scalar);
}

static inline void terms_points(const terms_one *s) {
  for (int i = 0; i < s->t->nb; i++) {
    int p = s->t->body[i].parent;
    s->p[i] = p < 0 ? s->B[i].d : s->p[p] + s->B[i].d;
  }
}

/* True accelerations, without weight. */
static inline void terms_accelerate(const terms_one *s, const real *a) {
  for (int i = 0; i < s->t->nb; i++) {
    const JN_S(body) *b = &s->t->body[i];
    screw A = b->parent < 0 ? (screw){r4_zero(), r4_zero()} : v4_shift(s->A[b->parent], s->B[i].d);
    for (int k = 0; k < b->nv; k++) {
      if (a) A = v4_axpy(a[b->iv + k], s->S[b->id + k], A);
      if (s->v) A = v4_axpy(s->v[b->iv + k], s->Psi[b->id + k], A);
    }
    s->A[i] = A;
  }
}

/* C, for which the inertias of subtrees are made on the way: four coordinates at a time, or one by one. */
static inline void terms_coriolis_columns(const terms_one *s, real *C) {
  const JN_S(tree) *t = s->t;
  coriolis_wrenches *x = (coriolis_wrenches *)s->P;
  for (int k = 0; k < 3; k++)
    x[t->nd + k] = (coriolis_wrenches){{r4_zero(), r4_zero()}, {r4_zero(), r4_zero()}, {r4_zero(), r4_zero()}};
  for (int i = t->nb - 1; i >= 0; i--) {
    const JN_S(body) *b = &t->body[i];
    for (int k = b->id; k < b->id + b->nv; k++)
      x[k] = subtree_wrenches(&s->B[i], &s->X[i], is_turn(b), s->S[k], s->Psi[k]);
    if (b->parent < 0) continue;
    crossed4_add(&s->X[b->parent], &s->X[i], &s->B[i]);
    solid_add(&s->B[b->parent], &s->B[i]);
  }
  coriolis_by_columns(&(coriolis_columns){t, s->B, s->S, s->Psi, x, s->column}, C);
}

/* Fours pay where a joint carries more than three coordinates on average, its own among them: 100 joints 13.5 us
 * instead of 30, 7 joints 410 ns instead of 435, but the legs of a quadruped 1.09 us instead of 0.99. */
static inline int columns_are_quicker(const terms_one *s) {
  int turns = 0, carried = 0;
  for (int i = 0; i < s->t->nb && s->t->straight; i++) {
    turns += s->B[i].turn;
    carried += s->B[i].turn ? s->B[i].end - s->B[i].id : 0;
  }
  return carried > 3 * turns;
}

static inline void terms_coriolis(const terms_one *s, real *C) {
  const JN_S(tree) *t = s->t;
  for (int i = 0; i < t->nb; i++) s->X[i] = crossed4_of(s->V[i], &s->B[i]);
  if (columns_are_quicker(s)) {
    terms_coriolis_columns(s, C);
    return;
  }
  for (int k = 0; k < t->nd; k++) s->P[k] = probe_of(s->S[k], s->Psi[k]);
  for (int k = 0; k < t->nv * t->nv; k++) C[k] = 0;
  for (int i = t->nb - 1; i >= 0; i--) {
    int p = t->body[i].parent;
    for (int k = 0; k < t->body[i].nv; k++) coriolis_entries_one(t, s->B, s->S, s->Psi, s->X, s->P, i, k, C);
    if (p < 0) continue;
    crossed4_add(&s->X[p], &s->X[i], &s->B[i]);
    solid_add(&s->B[p], &s->B[i]);
  }
}

/* ---- first moments ---- */

/* Those of the bodies, of the links [first, end) alone or of all. */
static inline void terms_moments(const terms_one *s, int first, int end) {
  const JN_S(tree) *t = s->t;
  int all = first == 0 && end == t->nlink;
  for (int i = 0; i < t->nb; i++) {
    s->h[i] = all ? s->B[i].h : r4_zero();
    s->m[i] = all ? s->B[i].m : 0;
  }
  for (int l = first; l < end && !all; l++) {
    const JN_S(frame) *f = &t->frame[l];
    if (f->body < 0) continue;
    const solid *o = &s->B[f->body];
    pose local = se3_constant(f->R, f->p);
    real own = t->link_inertia[10 * l], moment[3];
    v3_store(v3_axpy(own, local.p, m3_mul(local.R, v3_constant(t->link_inertia + 10 * l + 1))), moment);
    s->m[f->body] += own;
    s->h[f->body] += v4_sum(o->x, o->y, o->z, moment, 1);
  }
}

/* What body i carries, handed to its parent. */
static inline void terms_hand_on(const terms_one *s, int i) {
  int p = s->t->body[i].parent;
  if (p < 0) return;
  s->h[p] += s->h[i] + s->m[i] * s->B[i].d;
  s->m[p] += s->m[i];
}

static inline void terms_gravity(const terms_one *s, real *G) {
  const JN_S(tree) *t = s->t;
  r4 g = v4_load(t->gravity);
  terms_moments(s, 0, t->nlink);
  for (int k = 0; k < t->nv; k++) G[k] = 0;
  for (int i = t->nb - 1; i >= 0; i--) {
    const JN_S(body) *b = &t->body[i];
    r4 moment = v4_cross(g, s->h[i]), force = -s->m[i] * g;
    for (int k = 0; k < b->nv; k++) {
      screw S = s->S[b->id + k];
      G[b->iv + k] += is_turn(b) ? v4_dot(S.w, moment) : v4_dot(S.w, moment) + v4_dot(S.v, force);
    }
    terms_hand_on(s, i);
  }
}

/* Columns of the Jacobian of the centre of mass (garofalo2013 eq. 7). */
static inline void terms_com_jacobian(const terms_one *s, scalar inverse, real *J) {
  const JN_S(tree) *t = s->t;
  int n = t->nv;
  for (int k = 0; k < 3 * n; k++) J[k] = 0;
  for (int i = t->nb - 1; i >= 0; i--) {
    const JN_S(body) *b = &t->body[i];
    for (int k = 0; k < b->nv; k++) {
      screw S = s->S[b->id + k];
      r4 x = inverse * (v4_cross(S.w, s->h[i]) + s->m[i] * S.v);
      J[b->iv + k] += x[0];
      J[n + b->iv + k] += x[1];
      J[2 * n + b->iv + k] += x[2];
    }
    terms_hand_on(s, i);
  }
}

static inline void terms_com(const terms_one *s, int first, int end) {
  const JN_S(tree) *t = s->t;
  real *com = s->c->out[JN_OUT_COM], *dcom = s->c->out[JN_OUT_DCOM], *ddcom = s->c->out[JN_OUT_DDCOM];
  r4 sum = r4_zero(), rate = r4_zero(), second = r4_zero();
  scalar mass = 0;
  terms_moments(s, first, end);
  for (int i = 0; i < t->nb; i++) {
    scalar m = s->m[i];
    r4 h = s->h[i], momentum = r4_zero();
    mass += m;
    if (com) sum += h + m * s->p[i];
    if (s->v && (dcom || ddcom)) momentum = m * s->V[i].v + v4_cross(s->V[i].w, h);
    rate += momentum;
    if (!ddcom) continue;
    second += m * s->A[i].v + v4_cross(s->A[i].w, h);
    if (s->v) second += v4_cross(s->V[i].w, momentum);
  }
  scalar inverse = 1 / mass;
  if (com) v3_store(v4_vec3(inverse * sum), com);
  if (dcom) v3_store(v4_vec3(inverse * rate), dcom);
  if (ddcom) v3_store(v4_vec3(inverse * second), ddcom);
  if (s->c->out[JN_OUT_JCOM]) terms_com_jacobian(s, inverse, s->c->out[JN_OUT_JCOM]);
}

/* V . I V / 2 = w_b . J w_b / 2 + v . (w x h + m v / 2), with w_b in the body's axes, where J is constant. */
static inline void terms_energy(const terms_one *s, real *out) {
  r4 kinetic = r4_zero(), sum = r4_zero();
  const scalar half = (scalar)0.5;
  scalar armature = 0;
  for (int i = 0; i < s->t->nb; i++) {
    const JN_S(body) *b = &s->t->body[i];
    const solid *o = &s->B[i];
    const scalar *I = b->inertia;
    sum += o->h + o->m * s->p[i];
    if (!s->v) continue;
    screw V = s->V[i];
    r4 w = v4_tmul(o->x, o->y, o->z, V.w);
    r4 Jw = v4_mul(r4_set(I[4], I[7], I[8], 0), r4_set(I[7], I[5], I[9], 0), r4_set(I[8], I[9], I[6], 0), w);
    kinetic += half * w * Jw + V.v * (v4_cross(V.w, o->h) + half * I[0] * V.v);
    for (int k = 0; k < b->nv; k++) armature += armature_of(s->t, b, k) * s->v[b->iv + k] * s->v[b->iv + k];
  }
  out[0] = kinetic[0] + kinetic[1] + kinetic[2] + half * armature;
  out[1] = -v4_dot(v4_load(s->t->gravity), sum);
}

#endif

#endif
