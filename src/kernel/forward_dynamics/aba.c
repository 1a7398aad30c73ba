/* SPDX-License-Identifier: BSD-2-Clause */
/* Hybrid dynamics (kim2012 Table 4), of which forward (Table 3) is the limit without prescribed coordinates. In the
 * world's axes (world.h): articulated inertias are never rotated, only moved.
 * data: prescribed [nv] (unsigned char) or NULL. in: q, v, a (of prescribed coordinates), tau (of the others),
 * wrenches. out: a [nv], tau [nv] or NULL, pivots [nd]: effective inertias relative to what is there, zero when
 * singular. */
#include "../base/row.h"
#include "../inverse_dynamics/rnea.h"
#include "articulated.h"

/* What the inward sweep leaves for the outward one, for each body. */
typedef struct articulated {
  body_inertia I; /* articulated */
  wrench p;       /* and bias wrench */
  twist c;        /* acceleration that does not depend on unknowns: Psi v + S a of prescribed coordinates */
  wrench U[6];    /* I S of the free coordinates */
  real D[6][6];   /* U^T S + armature of the free coordinates, factorised: unit lower triangle and pivots */
  real u[6];      /* tau - S^T p */
} articulated;

/* D x = x for the n x n symmetric D = L diag L^T held by factorize_small. */
static inline void solve_small(int n, real D[6][6], real *x) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) x[i] -= D[i][j] * x[j];
  for (int i = 0; i < n; i++) x[i] /= D[i][i];
  for (int i = n - 1; i >= 0; i--)
    for (int j = i + 1; j < n; j++) x[i] -= D[j][i] * x[j];
}

/* scale[k]: what pivot k is measured against. */
static inline void factorize_small(int n, real D[6][6], const real *scale, real *pivot) {
  for (int k = 0; k < n; k++) {
    for (int i = k + 1; i < n; i++) {
      real f = D[i][k] / D[k][k];
      for (int j = k + 1; j <= i; j++) D[i][j] -= f * D[j][k];
      /* the column is still needed by the rows below, so it is divided afterwards */
    }
    for (int i = k + 1; i < n; i++) D[i][k] /= D[k][k];
    pivot[k] = relative(D[k][k], scale[k]);
  }
}

static inline int is_free(const unsigned char *prescribed, int iv) { return !prescribed || !prescribed[iv]; }

/* Hands what is left of body i to its parent: I' and p' = p + I' c + U D^-1 u. */
FLAT void hand_on(const world *w, int i, const body_inertia *I, wrench p, articulated *B) {
  int parent = w->t->body[i].parent;
  p = w_add(p, body_mul(I, B[i].c));
  space d = sp_of(w->d[i]);
  hand_inertia(&B[parent].I, I, &d);
  B[parent].p = w_add(B[parent].p, w_shift(p, w->d[i]));
}

/* Body i inward, if it turns about an axis that is free. */
FLAT void turn_inward(const world *w, int i, const real *v, const real *tau, articulated *B, real *pivot) {
  const JN_S(tree) *t = w->t;
  const JN_S(body) *b = &t->body[i];
  articulated *x = &B[i];
  vec3 e = w->S[b->id].w;
  wrench U = body_turn(&x->I, e);
  real D = dot(U.m, e) + armature_of(t, b, 0), inverse = K(1) / D;
  x->c = v ? t_scale(v[b->iv], w->Psi[b->id]) : t_zero();
  x->U[0] = U;
  x->D[0][0] = inverse;
  x->u[0] = (tau ? tau[b->iv] : ZERO) - dot(x->p.m, e);
  pivot[b->id] = relative(D, splat(t->gross[b->id]));
  if (b->parent < 0) return;
  real y = x->u[0] * inverse;
  body_inertia I = body_rank1(&x->I, -inverse, U);
  hand_on(w, i, &I, (wrench){v3_axpy(y, U.m, x->p.m), v3_axpy(y, U.f, x->p.f)}, B);
}

/* Body i inward: free coordinates are eliminated, and the rest is handed to the parent. */
static inline void inward(const world *w, int i, const unsigned char *prescribed, const real *v, const real *a,
                          const real *tau, articulated *B, real *pivot) {
  const JN_S(tree) *t = w->t;
  const JN_S(body) *b = &t->body[i];
  articulated *x = &B[i];
  twist free_S[6];
  real scale[6], ones[6];
  int n = 0, place[6];
  x->c = t_zero();
  for (int k = 0; k < b->nv; k++) {
    int iv = b->iv + k;
    twist S = w->S[b->id + k];
    pivot[b->id + k] = K(1);
    if (v) x->c = t_axpy(v[iv], w->Psi[b->id + k], x->c);
    if (!is_free(prescribed, iv)) {
      if (a) x->c = t_axpy(a[iv], S, x->c);
      continue;
    }
    place[n] = k;
    free_S[n] = S;
    x->U[n] = body_mul(&x->I, S);
    x->u[n] = (tau ? tau[iv] : ZERO) - power(x->p, S);
    scale[n] = splat(t->gross[b->id + k]);
    for (int l = 0; l <= n; l++) x->D[n][l] = power(x->U[n], free_S[l]);
    x->D[n][n] += armature_of(t, b, k);
    n++;
  }
  factorize_small(n, x->D, scale, ones);
  for (int k = 0; k < n; k++) pivot[b->id + place[k]] = ones[k];
  if (b->parent < 0) return;
  body_inertia I = x->I;
  wrench p = x->p, W[6]; /* rows of L^-1 U^T: I' = I - sum_k W_k W_k^T / D_k */
  real y[6];
  for (int k = 0; k < n; k++) y[k] = x->u[k];
  solve_small(n, x->D, y);
  for (int k = 0; k < n; k++) {
    p = (wrench){v3_axpy(y[k], x->U[k].m, p.m), v3_axpy(y[k], x->U[k].f, p.f)};
    W[k] = x->U[k];
    for (int l = 0; l < k; l++)
      W[k] = (wrench){v3_axpy(-x->D[k][l], W[l].m, W[k].m), v3_axpy(-x->D[k][l], W[l].f, W[k].f)};
    I = body_rank1(&I, K(-1) / x->D[k][k], W[k]);
  }
  hand_on(w, i, &I, p, B);
}

/* Body i outward: accelerations of free coordinates, forces of prescribed ones. */
FLAT twist resolve(const world *w, int i, const unsigned char *prescribed, const real *a, const real *tau,
                   const articulated *B, twist parent, real *a_out, real *tau_out) {
  const JN_S(tree) *t = w->t;
  const JN_S(body) *b = &t->body[i];
  const articulated *x = &B[i];
  twist A = t_add(t_shift(parent, w->d[i]), x->c);
  if (is_turn(b) && is_free(prescribed, b->iv)) {
    real y = (x->u[0] - power(x->U[0], A)) * x->D[0][0];
    a_out[b->iv] = y;
    if (tau_out) tau_out[b->iv] = tau ? tau[b->iv] : ZERO;
    return (twist){v3_axpy(y, w->S[b->id].w, A.w), A.v};
  }
  real y[6], D[6][6];
  int n = 0;
  for (int k = 0; k < b->nv; k++)
    if (is_free(prescribed, b->iv + k)) {
      y[n] = x->u[n] - power(x->U[n], A);
      n++;
    }
  memcpy(D, x->D, sizeof D);
  solve_small(n, D, y);
  n = 0;
  for (int k = 0; k < b->nv; k++) {
    int iv = b->iv + k;
    if (is_free(prescribed, iv)) {
      A = t_axpy(y[n], w->S[b->id + k], A);
      a_out[iv] = y[n++];
    } else {
      a_out[iv] = a ? a[iv] : ZERO;
    }
  }
  if (!tau_out) return A;
  wrench F = w_add(body_mul(&x->I, A), x->p);
  for (int k = 0; k < b->nv; k++) {
    int iv = b->iv + k;
    if (is_free(prescribed, iv))
      tau_out[iv] = tau ? tau[iv] : ZERO;
    else
      tau_out[iv] = power(F, w->S[b->id + k]) + armature_of(t, b, k) * a_out[iv];
  }
  return A;
}

/* External wrenches are taken from the bias. */
static inline void take_wrenches(const world *w, const real *wrenches, articulated *B) {
  const JN_S(tree) *t = w->t;
  for (int l = 0; l < t->nlink; l++) {
    const JN_S(frame) *f = &t->frame[l];
    if (f->body < 0) continue;
    pose T = se3_mul((pose){w->R[f->body], v3_zero()}, se3_constant(f->R, f->p));
    B[f->body].p = w_sub(B[f->body].p, w_Ad_inverse(T, w_load(wrenches + 6 * l)));
  }
}

void JN_(forward)(const jn_call *c) {
  const JN_S(tree) *t = c->tree;
  const real *q = c->in[0], *v = c->in[1], *a = c->in[2], *tau = c->in[3];
  const unsigned char *prescribed = c->data;
  real *at = c->scratch;
  angles turn = angles_at(t, q, &at);
  world w = world_place(t, &at);
  articulated *B = TAKE_ALIGNED(&at, t->nb, articulated);
  for (int i = 0; i < t->nb; i++) {
    world_outward(&w, i, q, v, turn);
    inertia I = i_turn(w.R[i], t->body[i].inertia);
    B[i].I = body_inertia_from(I);
    B[i].p = v ? w_cross(w.V[i], i_mul(I, w.V[i])) : w_zero();
  }
  if (c->in[4]) take_wrenches(&w, c->in[4], B);
  for (int i = t->nb - 1; i >= 0; i--) {
    if (is_turn(&t->body[i]) && is_free(prescribed, t->body[i].iv))
      turn_inward(&w, i, v, tau, B, c->out[2]);
    else
      inward(&w, i, prescribed, v, a, tau, B, c->out[2]);
  }
  twist base = c->arg[0] ? t_zero() : base_acceleration(t), *A = w.V; /* twists are not needed any more */
  for (int i = 0; i < t->nb; i++) {
    int p = t->body[i].parent;
    A[i] = resolve(&w, i, prescribed, a, tau, B, p < 0 ? base : A[p], c->out[0], c->out[1]);
  }
}

/* The same with coupled coordinates, where no joint can be eliminated by itself: dense, by M and the bias. The rows of
 * prescribed coordinates say a = given; their forces come from inverse dynamics of the result. pivots [nv] come in
 * out[2]. */
void JN_(forward_coupled)(const jn_call *c) {
  const JN_S(tree) *t = c->tree;
  const real *q = c->in[0], *v = c->in[1], *a = c->in[2], *tau = c->in[3];
  const unsigned char *prescribed = c->data;
  int n = t->nv;
  real *at = c->scratch, *H = take(&at, (size_t)(n * n)), *bias = take(&at, (size_t)n), *x = c->out[0];
  angles turn = angles_at(t, q, &at);
  JN_(newton_forces)(t, q, v, NULL, c->in[4], c->arg[0], &turn, at, bias);
  JN_(mass_matrix)(t, q, &turn, 1, at, H);
  for (int i = 0; i < n; i++) {
    int free_i = is_free(prescribed, i);
    x[i] = free_i ? (tau ? tau[i] : ZERO) - bias[i] : a ? a[i] : ZERO;
    for (int j = 0; j < n; j++) {
      int free_j = is_free(prescribed, j);
      if (free_i && !free_j && a) x[i] -= H[i * n + j] * a[j];
      if (!free_i || !free_j) H[i * n + j] = i == j ? K(1) : ZERO;
    }
  }
  factorize(t, H, c->out[2]);
  substitute(t, H, x);
  if (!c->out[1]) return;
  real *tau_out = c->out[1];
  JN_(newton_forces)(t, q, v, x, c->in[4], c->arg[0], &turn, at, tau_out);
  for (int i = 0; i < n; i++)
    if (is_free(prescribed, i)) tau_out[i] = tau ? tau[i] : ZERO;
}
