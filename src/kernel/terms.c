/* SPDX-License-Identifier: BSD-2-Clause */
/* Everything that comes out of the sweeps of inverse dynamics: M, C, dM/dt, tau, g, bias, frames, centre of mass,
 * momentum, energy. Only the sweeps that the wanted outputs need are done. Inputs and outputs: terms.h. O(n d) for
 * matrices, O(n) for the rest.
 *
 * C = sum_k J_k^T (I_k dJ_k + (I_k ad_k - ad_k^T I_k) J_k)   (garofalo2013 eq. 6b). With
 * dJ_k^j = Ad_kj Psi_j - ad_k Ad_kj S_j the two terms with I_k ad_k cancel:
 *   C_ij = S_i . sum_k Ad_ki^T (I_k Ad_kj Psi_j + B_k Ad_kj S_j),   B_k = -ad_k^T I_k,
 * so the sums over k are composite 6x6 matrices and every pair (i, j) on a branch costs three products. */
#include "terms.h"

#include "frames.h"
#include "row.h"

typedef struct sweeps {
  pose *X, *T;
  twist *V, *A, *S, *Psi;
  wrench *F;
  inertia *Ic;
  m6 *Bc;
} sweeps;

static inline void composite_rates(const JN_S(tree) * t, sweeps *s) {
  for (int i = 0; i < t->nb; i++) {
    inertia I = i_constant(t->body[i].inertia);
    for (int c = 0; c < 6; c++) {
      real e[6] = {ZERO, ZERO, ZERO, ZERO, ZERO, ZERO}, column[6];
      e[c] = K(-1);
      w_store(w_ad(s->V[i], i_mul(I, t_load(e))), column);
      for (int r = 0; r < 6; r++) s->Bc[i].a[r][c] = column[r];
    }
  }
  for (int i = t->nb - 1; i >= 0; i--)
    if (t->body[i].parent >= 0) m6_add_moved(&s->Bc[t->body[i].parent], s->X[i], &s->Bc[i]);
}

/* Row and column of one coordinate (body i, its coordinate k) against itself and its ancestors. */
static inline void coriolis_entries(const JN_S(tree) * t, const sweeps *s, int i, int k, real *C) {
  const JN_S(body) *b = &t->body[i];
  int n = t->nv, row = b->iv + k;
  twist Sk = s->S[b->id + k];
  wrench Z = i_mul(s->Ic[i], Sk), W = m6_tmul(&s->Bc[i], Sk);
  wrench Y = w_add(i_mul(s->Ic[i], s->Psi[b->id + k]), m6_mul(&s->Bc[i], Sk));
  for (int l = 0; l < b->nv; l++) C[row * n + b->iv + l] += power(Z, s->Psi[b->id + l]) + power(W, s->S[b->id + l]);
  for (int j = i; t->body[j].parent >= 0;) {
    pose X = s->X[j];
    Z = w_Ad_inverse(X, Z);
    W = w_Ad_inverse(X, W);
    Y = w_Ad_inverse(X, Y);
    j = t->body[j].parent;
    const JN_S(body) *c = &t->body[j];
    for (int l = 0; l < c->nv; l++) {
      C[row * n + c->iv + l] += power(Z, s->Psi[c->id + l]) + power(W, s->S[c->id + l]);
      C[(c->iv + l) * n + row] += power(Y, s->S[c->id + l]);
    }
  }
}

static inline void coriolis_matrix(const JN_S(tree) * t, const sweeps *s, real *C) {
  for (int k = 0; k < t->nv * t->nv; k++) C[k] = ZERO;
  for (int i = 0; i < t->nb; i++)
    for (int k = 0; k < t->body[i].nv; k++) coriolis_entries(t, s, i, k, C);
}

static inline void mass_rate(int n, const real *C, real *dM) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      real x = C[i * n + j] + C[j * n + i];
      dM[i * n + j] = x;
      dM[j * n + i] = x;
    }
}

static inline void matrices(const JN_S(tree) * t, const jn_call *c, const real *v, sweeps *s) {
  int n = t->nv;
  real *C = c->out[JN_OUT_C], *dM = c->out[JN_OUT_DM];
  if (c->out[JN_OUT_M]) mass_matrix(t, s->X, s->S, s->Ic, 0, c->out[JN_OUT_M]);
  if (!C && !dM) return;
  if (!v) {
    for (int k = 0; k < n * n; k++) {
      if (C) C[k] = ZERO;
      if (dM) dM[k] = ZERO;
    }
    return;
  }
  coriolis_matrix(t, s, C ? C : dM); /* C + C^T can be formed in place */
  if (dM) mass_rate(n, C ? C : dM, dM);
}

static inline void frames(const JN_S(tree) * t, const jn_call *c, const real *v, const sweeps *s) {
  int in = c->arg[0], n = t->nv;
  real *poses = c->out[JN_OUT_POSES], *twists = c->out[JN_OUT_TWISTS], *rates = c->out[JN_OUT_ACCELERATIONS];
  real *J = c->out[JN_OUT_J], *dJ = c->out[JN_OUT_DJ];
  for (int f = 0; f < t->nframe; f++) {
    int b = t->frame[f].body;
    pose local = se3_constant(t->frame[f].R, t->frame[f].p), world = b < 0 ? local : se3_mul(s->T[b], local);
    twist V = b < 0 || !v ? t_zero() : t_Ad_inverse(local, s->V[b]);
    if (poses) se3_store(world, poses + 16 * f);
    if (twists) t_store(represent(in, world, V), twists + 6 * f);
    if (rates) {
      twist dV = b < 0 ? t_zero() : t_Ad_inverse(local, s->A[b]);
      t_store(represent_rate(in, world, V, V, dV), rates + 6 * f);
    }
    real *dJ_f = dJ ? dJ + 6 * n * f : NULL;
    if (J || dJ) frame_jacobian(t, f, in, world, s->X, s->S, s->Psi, &V, J ? J + 6 * n * f : NULL, v ? dJ_f : NULL);
    for (int k = 0; k < 6 * n && dJ && !v; k++) dJ_f[k] = ZERO;
  }
}

/* Centre of mass of the links [first, end) that move; mass and first moments of what each body carries, in the world,
 * are in m, h [nb] (garofalo2013 eq. 7). */
static inline void center_of_mass(const JN_S(tree) * t, const jn_call *c, const real *v, const sweeps *s, int first,
                                  int end, real *m, vec3 *h) {
  real mass = ZERO, *J = c->out[JN_OUT_JCOM];
  vec3 sum = v3_zero(), rate = v3_zero(), second = v3_zero();
  for (int i = 0; i < t->nb; i++) {
    m[i] = ZERO;
    h[i] = v3_zero();
  }
  for (int l = first; l < end; l++) {
    const JN_S(frame) *f = &t->frame[l];
    if (f->body < 0) continue;
    inertia I = i_move(se3_constant(f->R, f->p), i_constant(t->link_inertia + 10 * l));
    pose T = s->T[f->body];
    vec3 moment = v3_axpy(I.m, T.p, m3_mul(T.R, I.h));
    m[f->body] += I.m;
    h[f->body] = v3_add(h[f->body], moment);
    mass += I.m;
    sum = v3_add(sum, moment);
    if (v) { /* linear momentum in the body's frame, m v + w x h, and its rate */
      twist V = s->V[f->body];
      rate = v3_add(rate, m3_mul(T.R, i_mul(I, V).f));
    }
    if (c->out[JN_OUT_DDCOM]) {
      wrench F = inertial_wrench(I, v ? &s->V[f->body] : NULL, s->A[f->body]);
      second = v3_add(second, m3_mul(T.R, F.f));
    }
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
      twist S = t_Ad(s->T[i], s->S[b->id + k]);
      vec3 column = v3_scale(inverse, v3_axpy(m[i], S.v, cross(S.w, h[i])));
      J[b->iv + k] += column.x;
      J[t->nv + b->iv + k] += column.y;
      J[2 * t->nv + b->iv + k] += column.z;
    }
    if (b->parent < 0) continue;
    m[b->parent] += m[i];
    h[b->parent] = v3_add(h[b->parent], h[i]);
  }
}

/* Momentum of all that moves, its matrix and the rate of that; the centre of mass on the way. */
static inline void momentum(const JN_S(tree) * t, const jn_call *c, const real *v, const sweeps *s) {
  real *out = c->out[JN_OUT_MOMENTUM], *A = c->out[JN_OUT_A], *dA = c->out[JN_OUT_DA], mass = ZERO;
  vec3 com = v3_zero(), dcom = v3_zero();
  wrench h = w_zero();
  int n = t->nv;
  for (int i = 0; i < t->nb; i++) {
    inertia I = i_constant(t->body[i].inertia);
    mass += I.m;
    com = v3_add(com, v3_axpy(I.m, s->T[i].p, m3_mul(s->T[i].R, I.h)));
    if (v) h = w_add(h, w_Ad_inverse(s->T[i], i_mul(I, s->V[i])));
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
    for (int k = 0; k < b->nv; k++) {
      real column[6];
      wrench a = w_Ad_inverse(s->T[i], i_mul(s->Ic[i], s->S[b->id + k]));
      if (A) {
        w_store((wrench){v3_sub(a.m, cross(com, a.f)), a.f}, column);
        for (int r = 0; r < 6; r++) A[r * n + b->iv + k] += column[r];
      }
      if (!dA || !v) continue;
      /* d/dt of the column about the origin: Ic Psi + (Bc + Bc^T) S, because dI/dt = -(ad^T I + I ad) */
      twist S = s->S[b->id + k];
      wrench rate = w_add(m6_mul(&s->Bc[i], S), m6_tmul(&s->Bc[i], S));
      rate = w_Ad_inverse(s->T[i], w_add(i_mul(s->Ic[i], s->Psi[b->id + k]), rate));
      rate.m = v3_sub(rate.m, v3_add(cross(com, rate.f), cross(dcom, a.f)));
      w_store(rate, column);
      for (int r = 0; r < 6; r++) dA[r * n + b->iv + k] += column[r];
    }
  }
}

static inline void energy(const JN_S(tree) * t, const real *v, const sweeps *s, real *out) {
  real kinetic = ZERO, potential = ZERO;
  vec3 g = v3_constant(t->gravity);
  for (int i = 0; i < t->nb; i++) {
    const JN_S(body) *b = &t->body[i];
    inertia I = i_constant(b->inertia);
    potential -= dot(g, v3_axpy(I.m, s->T[i].p, m3_mul(s->T[i].R, I.h)));
    if (!v) continue;
    kinetic += K(0.5) * power(i_mul(I, s->V[i]), s->V[i]);
    for (int k = 0; k < b->nv; k++) kinetic += K(0.5) * armature_of(t, b, k) * v[b->iv + k] * v[b->iv + k];
  }
  out[0] = kinetic;
  out[1] = potential;
}

/* The forces: each its own pass of Newton-Euler over the sweeps. */
static inline void forces(const JN_S(tree) * t, const jn_call *c, const real *v, const real *a, sweeps *s) {
  const real *w = c->in[3];
  twist base = base_acceleration(t);
  if (c->out[JN_OUT_G]) newton_euler(t, NULL, NULL, NULL, base, s->X, s->S, s->V, s->Psi, s->A, s->F, c->out[JN_OUT_G]);
  if (c->out[JN_OUT_BIAS])
    newton_euler(t, v, NULL, NULL, base, s->X, s->S, s->V, s->Psi, s->A, s->F, c->out[JN_OUT_BIAS]);
  if (c->out[JN_OUT_CORIOLIS])
    newton_euler(t, v, NULL, NULL, t_zero(), s->X, s->S, s->V, s->Psi, s->A, s->F, c->out[JN_OUT_CORIOLIS]);
  if (c->out[JN_OUT_TAU]) newton_euler(t, v, a, w, base, s->X, s->S, s->V, s->Psi, s->A, s->F, c->out[JN_OUT_TAU]);
}

static inline int wanted(const jn_call *c, int first, int last) {
  for (int k = first; k <= last; k++)
    if (c->out[k]) return 1;
  return 0;
}

/* Velocities matter only to these: what does not need them must not pay for them. */
static inline int needs_velocity(const jn_call *c) {
  static const int which[] = {
      JN_OUT_C,  JN_OUT_DM,   JN_OUT_TAU,   JN_OUT_BIAS,     JN_OUT_CORIOLIS, JN_OUT_TWISTS, JN_OUT_ACCELERATIONS,
      JN_OUT_DJ, JN_OUT_DCOM, JN_OUT_DDCOM, JN_OUT_MOMENTUM, JN_OUT_DA,       JN_OUT_ENERGY};
  for (size_t k = 0; k < sizeof which / sizeof *which; k++)
    if (c->out[which[k]]) return 1;
  return 0;
}

void JN_(terms)(const jn_call *c) {
  const JN_S(tree) *t = c->tree;
  const real *q = c->in[0], *v = needs_velocity(c) ? c->in[1] : NULL, *a = c->in[2];
  real *at = c->scratch;
  sweeps s;
  s.X = TAKE(&at, t->nb, pose);
  s.T = TAKE(&at, t->nb, pose);
  s.V = TAKE(&at, t->nb, twist);
  s.A = TAKE(&at, t->nb, twist);
  s.F = TAKE(&at, t->nb, wrench);
  s.S = TAKE(&at, t->nd, twist);
  s.Psi = TAKE(&at, t->nd, twist);
  s.Ic = TAKE(&at, t->nb, inertia);
  s.Bc = TAKE(&at, t->nb, m6);
  angles turn = angles_at(t, q, &at);
  int world = wanted(c, JN_OUT_POSES, JN_OUTS - 1);
  for (int i = 0; i < t->nb; i++) {
    int p = t->body[i].parent;
    outward(t, i, q, v, turn, s.X, s.S, s.V, s.Psi);
    if (world) s.T[i] = p < 0 ? s.X[i] : se3_mul(s.T[p], s.X[i]);
  }
  forces(t, c, v, a, &s);
  int rates = c->out[JN_OUT_C] || c->out[JN_OUT_DM] || c->out[JN_OUT_DA];
  if (rates || c->out[JN_OUT_M] || c->out[JN_OUT_A]) composite_inertias(t, s.X, s.Ic);
  if (v && rates) composite_rates(t, &s);
  matrices(t, c, v, &s);
  if (c->out[JN_OUT_ACCELERATIONS] || c->out[JN_OUT_DDCOM]) /* true accelerations, without weight */
    for (int i = 0; i < t->nb; i++) s.A[i] = accelerate(t, i, v, a, s.X, s.S, s.Psi, s.A, t_zero());
  if (wanted(c, JN_OUT_POSES, JN_OUT_DJ)) frames(t, c, v, &s);
  if (wanted(c, JN_OUT_COM, JN_OUT_JCOM)) {
    int first = c->arg[2] < 0 ? 0 : c->arg[2], end = c->arg[2] < 0 ? t->nlink : c->arg[3];
    vec3 *h = TAKE(&at, t->nb, vec3);
    center_of_mass(t, c, v, &s, first, end, TAKE(&at, t->nb, real), h);
  }
  if (wanted(c, JN_OUT_MOMENTUM, JN_OUT_DA)) momentum(t, c, v, &s);
  if (c->out[JN_OUT_ENERGY]) energy(t, v, &s, c->out[JN_OUT_ENERGY]);
}
