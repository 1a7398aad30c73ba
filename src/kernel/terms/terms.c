/* SPDX-License-Identifier: BSD-2-Clause */
/* Everything that comes out of the sweeps of inverse dynamics: M, C, dM/dt, tau, g, bias, frames, centre of mass,
 * momentum, energy. Only the sweeps that the wanted outputs need are done. Inputs and outputs: terms.h. O(n d) for
 * matrices, O(n) for the rest.
 *
 * C = sum_k J_k^T (I_k dJ_k + (I_k ad_k - ad_k^T I_k) J_k)   (garofalo2013 eq. 6b). With
 * dJ_k^j = Ad_kj Psi_j - ad_k Ad_kj S_j the two terms with I_k ad_k cancel:
 *   C_ij = S_i . sum_k Ad_ki^T (I_k Ad_kj Psi_j + B_k Ad_kj S_j),   B_k = -ad_k^T I_k = V x* I,
 * so the sums over k belong to subtrees and every pair (i, j) on a branch costs three products. */
#include "terms.h"

#include "../base/row.h"
#include "../base/world.h"
#include "../inverse_dynamics/rnea.h"
#include "../mass_matrix/crba.h"
#include "frames.h"
#include "frames_one.h"
#include "jacobians.h"

static inline int wanted(const jn_call *c, int first, int last) {
  for (int k = first; k <= last; k++)
    if (c->out[k]) return 1;
  return 0;
}

static inline void mass_rate(int n, const real *C, real *dM) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      real x = C[i * n + j] + C[j * n + i];
      dM[i * n + j] = x;
      dM[j * n + i] = x;
    }
}

static inline void clear_matrices(int n, real *C, real *dM) {
  for (int k = 0; k < n * n; k++) {
    if (C) C[k] = ZERO;
    if (dM) dM[k] = ZERO;
  }
}

#if !JN_REGISTERS

typedef struct term_sweeps {
  world w;
  vec3 *p;    /* [nb] origins of the bodies in the world */
  twist *A;   /* [nb] accelerations */
  inertia *I; /* [nb] of subtrees */
  crossed *B; /* [nb] of subtrees */
} term_sweeps;

static inline void crossed_sums(const term_sweeps *s) {
  const JN_S(tree) *t = s->w.t;
  for (int i = 0; i < t->nb; i++) s->B[i] = crossed_of(s->w.V[i], i_turn(s->w.R[i], t->body[i].inertia));
  for (int i = t->nb - 1; i >= 0; i--)
    if (t->body[i].parent >= 0) crossed_add(&s->B[t->body[i].parent], &s->B[i], s->w.d[i]);
}

/* Row and column of one coordinate (body i, its coordinate k) against itself and its ancestors. */
static inline void coriolis_entries(const JN_S(tree) * t, const term_sweeps *s, int i, int k, real *C) {
  const JN_S(body) *b = &t->body[i];
  int n = t->nv, row = b->iv + k, turn = is_turn(b);
  const twist *S = s->w.S, *Psi = s->w.Psi;
  twist Sk = S[b->id + k];
  wrench Z = screw_momentum(b, s->I[i], Sk), W = crossed_tmul(&s->B[i], turn, Sk);
  wrench Y = w_add(i_mul(s->I[i], Psi[b->id + k]), crossed_mul(&s->B[i], turn, Sk));
  for (int l = 0; l < b->nv; l++) C[row * n + b->iv + l] += power(Z, Psi[b->id + l]) + power(W, S[b->id + l]);
  for (int j = i; t->body[j].parent >= 0;) {
    vec3 d = s->w.d[j];
    Z = w_shift(Z, d);
    W = w_shift(W, d);
    Y = w_shift(Y, d);
    j = t->body[j].parent;
    const JN_S(body) *c = &t->body[j];
    for (int l = 0; l < c->nv; l++) {
      C[row * n + c->iv + l] += power(Z, Psi[c->id + l]) + screw_power(c, W, S[c->id + l]);
      C[(c->iv + l) * n + row] += screw_power(c, Y, S[c->id + l]);
    }
  }
}

static inline void coriolis_matrix(const JN_S(tree) * t, const term_sweeps *s, real *C) {
  for (int k = 0; k < t->nv * t->nv; k++) C[k] = ZERO;
  for (int i = 0; i < t->nb; i++)
    for (int k = 0; k < t->body[i].nv; k++) coriolis_entries(t, s, i, k, C);
}

static inline void matrices(const JN_S(tree) * t, const jn_call *c, const real *v, term_sweeps *s) {
  int n = t->nv;
  real *C = c->out[JN_OUT_C], *dM = c->out[JN_OUT_DM];
  if (!C && !dM) return;
  if (!v) {
    clear_matrices(n, C, dM);
    return;
  }
  coriolis_matrix(t, s, C ? C : dM); /* C + C^T can be formed in place */
  if (dM) mass_rate(n, C ? C : dM, dM);
}

/* A twist about a frame's origin in the world's axes, in the representation; R, p the frame's pose. */
static inline twist shown(int in, mat3 R, vec3 p, twist X) {
  if (in == IN_ALIGNED) return X;
  if (in == IN_WORLD) return t_shift(X, v3_neg(p));
  return (twist){m3_tmul(R, X.w), m3_tmul(R, X.v)};
}

/* J and dJ/dt of frame f with pose R, p and twist V about its origin (frames.h): with S and Psi about it too, the rate
 * of a column is Psi - [V, S] in the body's frame, and (Psi.w, Psi.v - v x S.w) aligned. */
static inline void frame_matrices(const term_sweeps *s, int f, int in, mat3 R, vec3 p, twist V, real *J, real *dJ) {
  const JN_S(tree) *t = s->w.t;
  int n = t->nv;
  for (int k = 0; k < 6 * n; k++) {
    if (J) J[k] = ZERO;
    if (dJ) dJ[k] = ZERO;
  }
  for (int j = t->frame[f].body; j >= 0; j = t->body[j].parent) {
    const JN_S(body) *b = &t->body[j];
    vec3 r = v3_sub(p, s->p[j]);
    for (int k = 0; k < b->nv; k++) {
      twist S = s->w.S[b->id + k];
      S = is_turn(b) ? (twist){S.w, cross(S.w, r)} : t_shift(S, r);
      if (J) add_column(J, n, b->iv + k, in == IN_BODY ? shown(in, R, p, S) : S);
      if (!dJ) continue;
      twist rate = t_shift(s->w.Psi[b->id + k], r);
      if (in == IN_ALIGNED) rate.v = v3_sub(rate.v, cross(V.v, S.w));
      if (in == IN_BODY) rate = shown(in, R, p, t_axpy(K(-1), t_ad(V, S), rate));
      add_column(dJ, n, b->iv + k, rate);
    }
  }
}

/* Screws or their rates X about the world's origin. */
static inline void world_columns(const JN_S(tree) * t, const term_sweeps *s, const twist *X, twist *out) {
  for (int i = 0; i < t->nb; i++)
    for (int k = 0; k < t->body[i].nv; k++) out[t->body[i].id + k] = t_shift(X[t->body[i].id + k], v3_neg(s->p[i]));
}

/* in the world's frame; X [nd] is scratch */
static inline void world_jacobians(const JN_S(tree) * t, const jn_call *c, const real *v, const term_sweeps *s,
                                   twist *X) {
  int all = c->arg[0] == IN_WORLD;
  real *J = all ? c->out[JN_OUT_J] : NULL, *dJ = all ? c->out[JN_OUT_DJ] : NULL;
  if (J || c->out[JN_OUT_SPACE]) world_columns(t, s, s->w.S, X);
  if (J) all_jacobians(t, X, J);
  if (c->out[JN_OUT_SPACE]) space_jacobian(t, X, c->out[JN_OUT_SPACE]);
  if (!dJ && !c->out[JN_OUT_DSPACE]) return;
  if (v) world_columns(t, s, s->w.Psi, X);
  for (int k = 0; k < t->nd && !v; k++) X[k] = t_zero();
  if (dJ) all_jacobians(t, X, dJ);
  if (c->out[JN_OUT_DSPACE]) space_jacobian(t, X, c->out[JN_OUT_DSPACE]);
}

static inline void frames(const JN_S(tree) * t, const jn_call *c, const real *v, const term_sweeps *s) {
  int in = c->arg[0], n = t->nv;
  real *poses = c->out[JN_OUT_POSES], *twists = c->out[JN_OUT_TWISTS], *rates = c->out[JN_OUT_ACCELERATIONS];
  real *J = in == IN_WORLD ? NULL : c->out[JN_OUT_J], *dJ = in == IN_WORLD ? NULL : c->out[JN_OUT_DJ];
  for (int f = 0; f < t->nframe; f++) {
    int b = t->frame[f].body;
    pose local = se3_constant(t->frame[f].R, t->frame[f].p);
    vec3 r = b < 0 ? local.p : m3_mul(s->w.R[b], local.p), p = b < 0 ? r : v3_add(s->p[b], r);
    mat3 R = b < 0 ? local.R : in == IN_BODY || poses ? m3_prod(s->w.R[b], local.R) : local.R; /* if it is used */
    twist V = b < 0 || !v ? t_zero() : t_shift(s->w.V[b], r);
    if (poses) se3_store((pose){R, p}, poses + 16 * f);
    if (twists) t_store(shown(in, R, p, V), twists + 6 * f);
    if (rates) {
      twist A = b < 0 ? t_zero() : t_shift(s->A[b], r);
      if (in == IN_ALIGNED) A.v = v3_add(A.v, cross(V.w, V.v));
      t_store(shown(in, R, p, A), rates + 6 * f);
    }
    real *J_f = J ? J + 6 * n * f : NULL, *dJ_f = dJ ? dJ + 6 * n * f : NULL;
    if (J || dJ) frame_matrices(s, f, in, R, p, V, J_f, v ? dJ_f : NULL);
    for (int k = 0; k < 6 * n && dJ && !v; k++) dJ_f[k] = ZERO;
  }
}

/* Momentum of body i about its origin, and the force that changes it. */
static inline wrench body_momentum(const JN_S(tree) * t, const term_sweeps *s, int i) {
  mat3 R = s->w.R[i];
  twist V = s->w.V[i];
  wrench h = i_mul(i_constant(t->body[i].inertia), (twist){m3_tmul(R, V.w), m3_tmul(R, V.v)});
  return (wrench){m3_mul(R, h.m), m3_mul(R, h.f)};
}

/* Centre of mass of the links [first, end) that move; m, h [nb] get mass and first moment of what each body carries,
 * about its origin (garofalo2013 eq. 7). */
static inline void center_of_mass(const JN_S(tree) * t, const jn_call *c, const real *v, const term_sweeps *s,
                                  int first, int end, real *m, vec3 *h) {
  real mass = ZERO, *J = c->out[JN_OUT_JCOM];
  vec3 sum = v3_zero(), rate = v3_zero(), second = v3_zero();
  int all = first == 0 && end == t->nlink;
  for (int i = 0; i < t->nb; i++) {
    const scalar *I = t->body[i].inertia;
    m[i] = all ? splat(I[0]) : ZERO;
    h[i] = all ? m3_mul(s->w.R[i], v3_constant(I + 1)) : v3_zero();
  }
  for (int l = first; l < end && !all; l++) {
    const JN_S(frame) *f = &t->frame[l];
    if (f->body < 0) continue;
    pose local = se3_constant(f->R, f->p);
    real own = splat(t->link_inertia[10 * l]);
    vec3 moment = v3_axpy(own, local.p, m3_mul(local.R, v3_constant(t->link_inertia + 10 * l + 1)));
    m[f->body] += own;
    h[f->body] = v3_add(h[f->body], m3_mul(s->w.R[f->body], moment));
  }
  for (int i = 0; i < t->nb; i++) {
    mass += m[i];
    sum = v3_add(sum, v3_axpy(m[i], s->p[i], h[i]));
    if (v) rate = v3_add(rate, v3_axpy(m[i], s->w.V[i].v, cross(s->w.V[i].w, h[i])));
    if (!c->out[JN_OUT_DDCOM]) continue;
    vec3 force = v3_axpy(m[i], s->A[i].v, cross(s->A[i].w, h[i]));
    if (v) force = v3_add(force, cross(s->w.V[i].w, v3_axpy(m[i], s->w.V[i].v, cross(s->w.V[i].w, h[i]))));
    second = v3_add(second, force);
  }
  real inverse = K(1) / mass;
  if (c->out[JN_OUT_COM]) v3_store(v3_scale(inverse, sum), c->out[JN_OUT_COM]);
  if (c->out[JN_OUT_DCOM]) v3_store(v3_scale(inverse, rate), c->out[JN_OUT_DCOM]);
  if (c->out[JN_OUT_DDCOM]) v3_store(v3_scale(inverse, second), c->out[JN_OUT_DDCOM]);
  if (!J) return;
  for (int k = 0; k < 3 * t->nv; k++) J[k] = ZERO;
  for (int i = t->nb - 1; i >= 0; i--) {
    const JN_S(body) *b = &t->body[i];
    for (int k = 0; k < b->nv; k++) {
      twist S = s->w.S[b->id + k];
      vec3 column = v3_scale(inverse, v3_axpy(m[i], S.v, cross(S.w, h[i])));
      J[b->iv + k] += column.x;
      J[t->nv + b->iv + k] += column.y;
      J[2 * t->nv + b->iv + k] += column.z;
    }
    if (b->parent < 0) continue;
    m[b->parent] += m[i];
    h[b->parent] = v3_add(h[b->parent], v3_axpy(m[i], s->w.d[i], h[i]));
  }
}

/* Momentum of all that moves, its matrix and the rate of that; the centre of mass on the way. */
static inline void momentum(const JN_S(tree) * t, const jn_call *c, const real *v, const term_sweeps *s) {
  real *out = c->out[JN_OUT_MOMENTUM], *A = c->out[JN_OUT_A], *dA = c->out[JN_OUT_DA], mass = ZERO;
  vec3 com = v3_zero(), dcom = v3_zero();
  wrench h = w_zero();
  int n = t->nv;
  for (int i = 0; i < t->nb; i++) {
    inertia I = i_constant(t->body[i].inertia);
    mass += I.m;
    com = v3_add(com, v3_axpy(I.m, s->p[i], m3_mul(s->w.R[i], I.h)));
    if (v) h = w_add(h, w_shift(body_momentum(t, s, i), s->p[i]));
  }
  com = c->arg[1] ? v3_scale(K(1) / mass, com) : v3_zero();
  dcom = c->arg[1] ? v3_scale(K(1) / mass, h.f) : v3_zero();
  h.m = v3_sub(h.m, cross(com, h.f));
  if (out) w_store(h, out);
  for (int k = 0; k < 6 * n; k++) {
    if (A) A[k] = ZERO;
    if (dA) dA[k] = ZERO;
  }
  for (int i = 0; i < t->nb && (A || (dA && v)); i++) {
    const JN_S(body) *b = &t->body[i];
    int turn = is_turn(b);
    for (int k = 0; k < b->nv; k++) {
      twist S = s->w.S[b->id + k];
      wrench a = screw_momentum(b, s->I[i], S);
      vec3 r = v3_sub(s->p[i], com);
      wrench about = w_shift(a, r);
      if (A) add_column(A, n, b->iv + k, (twist){about.m, about.f});
      if (!dA || !v) continue;
      /* d/dt of the column about the origin: I Psi + (B + B^T) S, because dI/dt = V x* I - I ad_V */
      wrench rate = w_add(crossed_mul(&s->B[i], turn, S), crossed_tmul(&s->B[i], turn, S));
      rate = w_shift(w_add(i_mul(s->I[i], s->w.Psi[b->id + k]), rate), r);
      rate.m = v3_sub(rate.m, cross(dcom, a.f));
      add_column(dA, n, b->iv + k, (twist){rate.m, rate.f});
    }
  }
}

static inline void energy(const JN_S(tree) * t, const real *v, const term_sweeps *s, real *out) {
  real kinetic = ZERO, potential = ZERO;
  vec3 g = v3_constant(t->gravity);
  for (int i = 0; i < t->nb; i++) {
    const JN_S(body) *b = &t->body[i];
    potential -= dot(g, v3_axpy(splat(b->inertia[0]), s->p[i], m3_mul(s->w.R[i], v3_constant(b->inertia + 1))));
    if (!v) continue;
    kinetic += K(0.5) * power(body_momentum(t, s, i), s->w.V[i]);
    for (int k = 0; k < b->nv; k++) kinetic += K(0.5) * armature_of(t, b, k) * v[b->iv + k] * v[b->iv + k];
  }
  out[0] = kinetic;
  out[1] = potential;
}

/* All but forces. */
static inline void other_terms(const JN_S(tree) * t, const jn_call *c, const real *v, angles turn, real *at) {
  const real *q = c->in[0], *a = c->in[2];
  if (c->out[JN_OUT_M]) JN_(mass_matrix)(t, q, &turn, 0, at, c->out[JN_OUT_M]);
  if (!wanted(c, JN_OUT_C, JN_OUT_DM) && !wanted(c, JN_OUT_POSES, JN_OUTS - 1)) return;
  term_sweeps s = {.w = world_place(t, &at)};
  s.p = TAKE(&at, t->nb, vec3);
  s.A = TAKE(&at, t->nb, twist);
  s.I = TAKE(&at, t->nb, inertia);
  s.B = TAKE(&at, t->nb, crossed);
  for (int i = 0; i < t->nb; i++) {
    int p = t->body[i].parent;
    world_outward(&s.w, i, q, v, turn);
    s.p[i] = p < 0 ? s.w.d[i] : v3_add(s.p[p], s.w.d[i]);
  }
  int rates = c->out[JN_OUT_C] || c->out[JN_OUT_DM] || c->out[JN_OUT_DA];
  if (rates || c->out[JN_OUT_A]) world_inertias(&s.w, s.I);
  if (v && rates) crossed_sums(&s);
  matrices(t, c, v, &s);
  if (c->out[JN_OUT_ACCELERATIONS] || c->out[JN_OUT_DDCOM]) /* true accelerations, without weight */
    for (int i = 0; i < t->nb; i++) s.A[i] = world_accelerate(&s.w, i, v, a, s.A);
  if ((c->arg[0] == IN_WORLD && wanted(c, JN_OUT_J, JN_OUT_DJ)) || wanted(c, JN_OUT_SPACE, JN_OUT_DSPACE))
    world_jacobians(t, c, v, &s, (twist *)(void *)at);
  if (wanted(c, JN_OUT_POSES, JN_OUT_ACCELERATIONS) || (c->arg[0] != IN_WORLD && wanted(c, JN_OUT_J, JN_OUT_DJ)))
    frames(t, c, v, &s);
  if (wanted(c, JN_OUT_COM, JN_OUT_JCOM)) {
    int first = c->arg[2] < 0 ? 0 : c->arg[2], end = c->arg[2] < 0 ? t->nlink : c->arg[3];
    vec3 *h = TAKE(&at, t->nb, vec3);
    center_of_mass(t, c, v, &s, first, end, TAKE(&at, t->nb, real), h);
  }
  if (wanted(c, JN_OUT_MOMENTUM, JN_OUT_DA)) momentum(t, c, v, &s);
  if (c->out[JN_OUT_ENERGY]) energy(t, v, &s, c->out[JN_OUT_ENERGY]);
}

#else

/* Those that need inertias of subtrees: each makes its own of the bodies', which must be made again for the next. */
static inline void terms_matrices(const terms_one *s, real *C, int momenta) {
  void *const *out = s->c->out;
  int spoilt = 0;
  for (int k = 0; k < 3; k++) {
    if (!(k == 0 ? momenta : k == 1 ? out[JN_OUT_M] != NULL : C != NULL)) continue;
    if (spoilt)
      JN_(solids_outward)(s->t, s->q, s->v, s->turn, 1, s->B, s->S, s->V, C || out[JN_OUT_DA] ? s->Psi : NULL);
    if (k == 0) terms_momentum(s);
    if (k == 1) JN_(solids_inward)(s->t, 0, s->B, s->S, (screw *)s->P, out[JN_OUT_M]);
    if (k == 2) terms_coriolis(s, C);
    spoilt = 1;
  }
  if (!s->v) clear_matrices(s->t->nv, out[JN_OUT_C], out[JN_OUT_DM]);
  if (C && out[JN_OUT_DM]) mass_rate(s->t->nv, C, out[JN_OUT_DM]);
}

/* All but the forces of a motion. */
static inline void other_terms(const JN_S(tree) * t, const jn_call *c, const real *v, angles turn, real *at) {
  void *const *out = c->out;
  if (!out[JN_OUT_G] && !wanted(c, JN_OUT_C, JN_OUT_DM) && !wanted(c, JN_OUT_POSES, JN_OUTS - 1)) {
    if (out[JN_OUT_M]) JN_(mass_matrix)(t, c->in[0], &turn, 0, at, out[JN_OUT_M]);
    return;
  }
  terms_one s = {.t = t, .c = c, .q = c->in[0], .v = v, .turn = &turn};
  int in_world = c->arg[0] == IN_WORLD, jacobians = out[JN_OUT_J] || out[JN_OUT_DJ];
  int space = out[JN_OUT_SPACE] || out[JN_OUT_DSPACE] || (jacobians && in_world);
  int frames = wanted(c, JN_OUT_POSES, JN_OUT_ACCELERATIONS) || (jacobians && !in_world);
  int momenta = wanted(c, JN_OUT_MOMENTUM, JN_OUT_DA), com = wanted(c, JN_OUT_COM, JN_OUT_JCOM);
  int accelerations = out[JN_OUT_ACCELERATIONS] || out[JN_OUT_DDCOM];
  real *C = !v ? NULL : out[JN_OUT_C] ? out[JN_OUT_C] : out[JN_OUT_DM];
  int rates = C || out[JN_OUT_DJ] || out[JN_OUT_DSPACE] || out[JN_OUT_DA] || accelerations;
  terms_place(&s, at);
  JN_(solids_outward)(t, s.q, v, &turn, C || momenta || out[JN_OUT_M], s.B, s.S, s.V, rates ? s.Psi : NULL);
  if (space || frames || momenta || out[JN_OUT_COM] || out[JN_OUT_ENERGY]) terms_points(&s);
  if (accelerations) terms_accelerate(&s, c->in[2]);
  if (out[JN_OUT_G]) terms_gravity(&s, out[JN_OUT_G]);
  if (frames) terms_frames(&s);
  if (space && (out[JN_OUT_SPACE] || out[JN_OUT_J]))
    terms_jacobians(&s, s.S, in_world ? out[JN_OUT_J] : NULL, out[JN_OUT_SPACE]);
  if (space && (out[JN_OUT_DSPACE] || out[JN_OUT_DJ]))
    terms_jacobians(&s, v ? s.Psi : NULL, in_world ? out[JN_OUT_DJ] : NULL, out[JN_OUT_DSPACE]);
  if (com) terms_com(&s, c->arg[2] < 0 ? 0 : c->arg[2], c->arg[2] < 0 ? t->nlink : c->arg[3]);
  if (out[JN_OUT_ENERGY]) terms_energy(&s, out[JN_OUT_ENERGY]);
  terms_matrices(&s, C, momenta);
}

#endif

/* The forces: each its own pass of Newton and Euler, except that weight needs none with terms_one.h. */
static inline void forces(const JN_S(tree) * t, const jn_call *c, const real *v, angles turn, real *at) {
  const real *q = c->in[0];
  if (c->out[JN_OUT_G] && !JN_REGISTERS) JN_(newton_forces)(t, q, NULL, NULL, NULL, 0, &turn, at, c->out[JN_OUT_G]);
  if (c->out[JN_OUT_BIAS]) JN_(newton_forces)(t, q, v, NULL, NULL, 0, &turn, at, c->out[JN_OUT_BIAS]);
  if (c->out[JN_OUT_CORIOLIS]) JN_(newton_forces)(t, q, v, NULL, NULL, 1, &turn, at, c->out[JN_OUT_CORIOLIS]);
  if (c->out[JN_OUT_TAU]) JN_(newton_forces)(t, q, v, c->in[2], c->in[3], 0, &turn, at, c->out[JN_OUT_TAU]);
}

/* Velocities matter only to these: what does not need them must not pay for them. */
static inline int needs_velocity(const jn_call *c) {
  static const int which[] = {
      JN_OUT_C,  JN_OUT_DM,     JN_OUT_TAU,  JN_OUT_BIAS,  JN_OUT_CORIOLIS, JN_OUT_TWISTS, JN_OUT_ACCELERATIONS,
      JN_OUT_DJ, JN_OUT_DSPACE, JN_OUT_DCOM, JN_OUT_DDCOM, JN_OUT_MOMENTUM, JN_OUT_DA,     JN_OUT_ENERGY};
  for (size_t k = 0; k < sizeof which / sizeof *which; k++)
    if (c->out[which[k]]) return 1;
  return 0;
}

void JN_(terms)(const jn_call *c) {
  const JN_S(tree) *t = c->tree;
  const real *v = needs_velocity(c) ? c->in[1] : NULL;
  real *at = c->scratch;
  angles turn = angles_at(t, c->in[0], &at);
  forces(t, c, v, turn, at);
  other_terms(t, c, v, turn, at);
}
