/* SPDX-License-Identifier: BSD-2-Clause */
/* Hybrid dynamics (kim2012 Table 4), of which forward (Table 3) is the limit without prescribed coordinates.
 * data: prescribed [nv] (unsigned char) or NULL. in: q, v, a (of prescribed coordinates), tau (of the others),
 * wrenches. out: a [nv], tau [nv] or NULL, pivots [nd]: effective inertias relative to what is there, zero when
 * singular. */
#include "factor.h"
#include "row.h"

/* What the inward sweep leaves for the outward one, for each body. */
typedef struct articulated {
  m6 I;         /* articulated inertia */
  wrench p;     /* and bias wrench */
  twist c;      /* acceleration that does not depend on unknowns: Psi v + S a of prescribed coordinates */
  wrench U[6];  /* I S of the free coordinates */
  real D[6][6]; /* U^T S + armature of the free coordinates, factorised: unit lower triangle and pivots */
  real u[6];    /* tau - S^T p */
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

/* Body i inward: free coordinates give way, and the rest is handed to the parent. */
static inline void inward(const JN_S(tree) * t, int i, const unsigned char *prescribed, const real *v, const real *a,
                          const real *tau, const pose *X, const twist *S, const twist *Psi, articulated *B,
                          real *pivot) {
  const JN_S(body) *b = &t->body[i];
  articulated *x = &B[i];
  twist free_S[6];
  real scale[6], ones[6];
  int n = 0, place[6];
  x->c = t_zero();
  for (int k = 0; k < b->nv; k++) {
    int iv = b->iv + k;
    pivot[b->id + k] = K(1);
    if (v) x->c = t_axpy(v[iv], Psi[b->id + k], x->c);
    if (!is_free(prescribed, iv)) {
      if (a) x->c = t_axpy(a[iv], S[b->id + k], x->c);
      continue;
    }
    place[n] = k;
    free_S[n] = S[b->id + k];
    x->U[n] = m6_mul(&x->I, free_S[n]);
    x->u[n] = (tau ? tau[iv] : ZERO) - power(x->p, free_S[n]);
    scale[n] = splat(t->gross[b->id + k]);
    for (int l = 0; l <= n; l++) x->D[n][l] = power(x->U[n], free_S[l]);
    x->D[n][n] += armature_of(t, b, k);
    n++;
  }
  factorize_small(n, x->D, scale, ones);
  for (int k = 0; k < n; k++) pivot[b->id + place[k]] = ones[k];
  if (b->parent < 0) return;
  /* I' = I - U D^-1 U^T,  p' = p + I' c + U D^-1 u */
  m6 I = x->I;
  wrench p = x->p;
  real y[6];
  for (int k = 0; k < n; k++) y[k] = x->u[k];
  solve_small(n, x->D, y);
  for (int k = 0; k < n; k++) p = (wrench){v3_axpy(y[k], x->U[k].m, p.m), v3_axpy(y[k], x->U[k].f, p.f)};
  real W[6][6]; /* rows of L^-1 U^T: I' = I - sum_k W_k W_k^T / D_k, symmetric by construction */
  for (int k = 0; k < n; k++) {
    w_store(x->U[k], W[k]);
    for (int l = 0; l < k; l++)
      for (int r = 0; r < 6; r++) W[k][r] -= x->D[k][l] * W[l][r];
    real inverse = K(1) / x->D[k][k];
    for (int r = 0; r < 6; r++)
      for (int s = 0; s < 6; s++) I.a[r][s] -= W[k][r] * W[k][s] * inverse;
  }
  p = w_add(p, m6_mul(&I, x->c));
  m6_add_moved(&B[b->parent].I, X[i], &I);
  B[b->parent].p = w_add(B[b->parent].p, w_Ad_inverse(X[i], p));
}

/* Body i outward: accelerations of free coordinates, forces of prescribed ones. */
static inline twist resolve(const JN_S(tree) * t, int i, const unsigned char *prescribed, const real *a,
                            const real *tau, const pose *X, const twist *S, const articulated *B, twist parent,
                            real *a_out, real *tau_out) {
  const JN_S(body) *b = &t->body[i];
  const articulated *x = &B[i];
  twist A = t_add(t_Ad_inverse(X[i], parent), x->c);
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
      A = t_axpy(y[n], S[b->id + k], A);
      a_out[iv] = y[n++];
    } else {
      a_out[iv] = a ? a[iv] : ZERO;
    }
  }
  if (!tau_out) return A;
  wrench F = w_add(m6_mul(&x->I, A), x->p);
  for (int k = 0; k < b->nv; k++) {
    int iv = b->iv + k;
    if (is_free(prescribed, iv))
      tau_out[iv] = tau ? tau[iv] : ZERO;
    else
      tau_out[iv] = power(F, S[b->id + k]) + armature_of(t, b, k) * a_out[iv];
  }
  return A;
}

void JN_(forward)(const jn_call *c) {
  const JN_S(tree) *t = c->tree;
  const real *q = c->in[0], *v = c->in[1], *a = c->in[2], *tau = c->in[3], *wrenches = c->in[4];
  real *at = c->scratch;
  pose *X = TAKE(&at, t->nb, pose);
  twist *V = TAKE(&at, t->nb, twist), *S = TAKE(&at, t->nd, twist), *Psi = TAKE(&at, t->nd, twist);
  wrench *W = TAKE(&at, t->nb, wrench);
  articulated *B = TAKE(&at, t->nb, articulated);
  angles turn = angles_at(t, q, &at);
  if (wrenches) body_wrenches(t, wrenches, W);
  for (int i = 0; i < t->nb; i++) {
    inertia I = i_constant(t->body[i].inertia);
    outward(t, i, q, v, turn, X, S, V, Psi);
    m6_set_inertia(&B[i].I, I);
    B[i].p = v ? w_sub(w_zero(), w_ad(V[i], i_mul(I, V[i]))) : w_zero();
    if (wrenches) B[i].p = w_sub(B[i].p, W[i]);
  }
  for (int i = t->nb - 1; i >= 0; i--) inward(t, i, c->data, v, a, tau, X, S, Psi, B, c->out[2]);
  twist base = c->arg[0] ? t_zero() : base_acceleration(t), *A = V; /* twists are not needed any more */
  for (int i = 0; i < t->nb; i++) {
    int p = t->body[i].parent;
    A[i] = resolve(t, i, c->data, a, tau, X, S, B, p < 0 ? base : A[p], c->out[0], c->out[1]);
  }
}

/* The same with coupled coordinates, where no joint gives way by itself: dense, by M and the bias. The rows of
 * prescribed coordinates say a = given; their forces come from inverse dynamics of the result. pivots [nv] come in
 * out[2]. */
void JN_(forward_coupled)(const jn_call *c) {
  const JN_S(tree) *t = c->tree;
  const real *q = c->in[0], *v = c->in[1], *a = c->in[2], *tau = c->in[3];
  const unsigned char *prescribed = c->data;
  int n = t->nv;
  real *at = c->scratch, *H = take(&at, (size_t)(n * n)), *bias = take(&at, (size_t)n), *x = c->out[0];
  pose *X = TAKE(&at, t->nb, pose);
  twist *V = TAKE(&at, t->nb, twist), *A = TAKE(&at, t->nb, twist);
  twist *S = TAKE(&at, t->nd, twist), *Psi = TAKE(&at, t->nd, twist);
  wrench *F = TAKE(&at, t->nb, wrench);
  inertia *Ic = TAKE(&at, t->nb, inertia);
  twist base = c->arg[0] ? t_zero() : base_acceleration(t);
  angles turn = angles_at(t, q, &at);
  for (int i = 0; i < t->nb; i++) outward(t, i, q, v, turn, X, S, V, Psi);
  newton_euler(t, v, NULL, c->in[4], base, X, S, V, Psi, A, F, bias);
  composite_inertias(t, X, Ic);
  mass_matrix(t, X, S, Ic, 1, H);
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
  newton_euler(t, v, x, c->in[4], base, X, S, V, Psi, A, F, tau_out);
  for (int i = 0; i < n; i++)
    if (is_free(prescribed, i)) tau_out[i] = tau ? tau[i] : ZERO;
}
