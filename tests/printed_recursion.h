/* SPDX-License-Identifier: BSD-2-Clause */
/* Inverse dynamics of any order as kumar2021 prints it (eqs. 7-20), in plain double and in the link frames: the twin
 * that tests and benchmarks hold against the polynomial recursion of the library. It shares no kernel with it: from the
 * model come placements, screws and inertias only. Trees whose joints have at most one coordinate, none of them
 * coupled.
 *
 * The derivatives of a body's twist are sums over all joints that carry it, O(n d K^2) where O(n K^2) would do. With
 * b_ij = Ad_{C_ij} X_j and the partial sums S_ij = sum_{j<r<=i} b_ir dq_r (strict, eq. 14), V_i = S_i0:
 *   b_ij^(k) = sum_{l<k} binom(k-1,l) [b_ij^(l), S_ij^(k-1-l)]                                        (16)
 *   S_ij^(k) = sum_{j<r<=i} sum_{l<=k} binom(k,l) b_ir^(l) q_r^(k-l+1)                                (18)
 * so one term is added to S for each j on the way from i to the root. Where the print is wrong, this is right: inertia
 * times V^(k+1) in (20), gravity carried outwards as G_i^(k) and added there, the loop from the last body. */
#ifndef JN_TESTS_PRINTED_RECURSION_H
#define JN_TESTS_PRINTED_RECURSION_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "jounce/jounce.h"

typedef struct printed_ad { /* [A 0; B A], an adjoint or a derivative of one */
  double A[9], B[9];
} printed_ad;

typedef struct printed_body {
  int parent, iq, iv; /* iq, iv < 0: fixed joint */
  double B[16], X[6]; /* placement and screw */
  double inertia[10], armature;
} printed_body;

typedef struct printed {
  int n, nv, order;
  double base[6];        /* (0, -gravity) */
  printed_body *body;    /* [n] */
  printed_ad *Ad;        /* [n][K+1] derivatives of Ad_{C_{i,p}} */
  double *binom;         /* [K+2][K+2] */
  double *rate;          /* [n][K+2] q^(k+1) */
  double *first;         /* [n][n][6] b_ij */
  double *b, *S;         /* [K+2][6] derivatives of b_ij and S_ij of the pair at hand */
  double *V, *G, *W, *h; /* [n][K+2][6] twists, gravity, wrenches; momenta [K+2][6] */
} printed;

/* ---- the algebra it needs ---- */

static inline void printed_cross(const double *a, const double *b, double s, double *to) { /* to += s a x b */
  to[0] += s * (a[1] * b[2] - a[2] * b[1]);
  to[1] += s * (a[2] * b[0] - a[0] * b[2]);
  to[2] += s * (a[0] * b[1] - a[1] * b[0]);
}

/* to += s ad_V U, and to -= s ad_V^T F */
static inline void printed_bracket(const double *V, const double *U, double s, double *to) {
  printed_cross(V, U, s, to);
  printed_cross(V + 3, U, s, to + 3);
  printed_cross(V, U + 3, s, to + 3);
}
static inline void printed_bracket_force(const double *V, const double *F, double s, double *to) {
  printed_cross(V, F, s, to);
  printed_cross(V + 3, F + 3, s, to);
  printed_cross(V, F + 3, s, to + 3);
}

/* to += s Ad V, and to += s Ad^T F */
static inline void printed_carry(const printed_ad *m, const double *V, double s, double *to) {
  for (int r = 0; r < 3; r++) {
    const double *A = m->A + 3 * r, *B = m->B + 3 * r;
    to[r] += s * (A[0] * V[0] + A[1] * V[1] + A[2] * V[2]);
    to[r + 3] += s * (B[0] * V[0] + B[1] * V[1] + B[2] * V[2] + A[0] * V[3] + A[1] * V[4] + A[2] * V[5]);
  }
}
static inline void printed_carry_force(const printed_ad *m, const double *F, double s, double *to) {
  for (int c = 0; c < 3; c++) {
    const double *A = m->A + c, *B = m->B + c;
    to[c] += s * (A[0] * F[0] + A[3] * F[1] + A[6] * F[2] + B[0] * F[3] + B[3] * F[4] + B[6] * F[5]);
    to[c + 3] += s * (A[0] * F[3] + A[3] * F[4] + A[6] * F[5]);
  }
}

/* to = inertia V, (m, h, J) about the origin */
static inline void printed_momentum(const double *P, const double *V, double *to) {
  to[0] = P[4] * V[0] + P[7] * V[1] + P[8] * V[2];
  to[1] = P[7] * V[0] + P[5] * V[1] + P[9] * V[2];
  to[2] = P[8] * V[0] + P[9] * V[1] + P[6] * V[2];
  for (int c = 0; c < 3; c++) to[c + 3] = P[0] * V[c + 3];
  printed_cross(P + 1, V + 3, 1, to);
  printed_cross(P + 1, V, -1, to + 3);
}

/* Ad of the inverse of placement * exp(X q) */
static inline void printed_adjoint(const printed_body *b, double q, printed_ad *out) {
  const double *e = b->X, *v = b->X + 3, turns = e[0] * e[0] + e[1] * e[1] + e[2] * e[2];
  double R[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, p[3] = {v[0] * q, v[1] * q, v[2] * q}, T[9], at[3];
  if (turns > 0) { /* e is a unit vector; p = (E - R)(e x v) + e (e.v) q */
    double c = cos(q), s = sin(q), y[3] = {0, 0, 0}, along = (e[0] * v[0] + e[1] * v[1] + e[2] * v[2]) * q;
    const double W[9] = {0, -e[2], e[1], e[2], 0, -e[0], -e[1], e[0], 0};
    printed_cross(e, v, 1, y);
    for (int r = 0; r < 3; r++) {
      for (int k = 0; k < 3; k++) R[3 * r + k] = (r == k ? c : 0) + s * W[3 * r + k] + (1 - c) * e[r] * e[k];
      p[r] = e[r] * along + y[r] - R[3 * r] * y[0] - R[3 * r + 1] * y[1] - R[3 * r + 2] * y[2];
    }
  }
  for (int r = 0; r < 3; r++) {
    const double *B = b->B + 4 * r;
    for (int k = 0; k < 3; k++) T[3 * r + k] = B[0] * R[k] + B[1] * R[3 + k] + B[2] * R[6 + k];
    at[r] = B[3] + B[0] * p[0] + B[1] * p[1] + B[2] * p[2];
  }
  memset(out, 0, sizeof *out);
  for (int k = 0; k < 3; k++) { /* rows of T^T, and of -T^T [at] */
    double column[3] = {T[k], T[3 + k], T[6 + k]};
    memcpy(out->A + 3 * k, column, sizeof column);
    printed_cross(at, column, 1, out->B + 3 * k);
  }
}

/* out = -ad_X M */
static inline void printed_turn(const double *X, const printed_ad *M, printed_ad *out) {
  memset(out, 0, sizeof *out);
  for (int c = 0; c < 3; c++) {
    double A[3] = {M->A[c], M->A[3 + c], M->A[6 + c]}, B[3] = {M->B[c], M->B[3 + c], M->B[6 + c]};
    double top[3] = {0, 0, 0}, low[3] = {0, 0, 0};
    printed_cross(X, A, -1, top);
    printed_cross(X + 3, A, -1, low);
    printed_cross(X, B, -1, low);
    for (int r = 0; r < 3; r++) {
      out->A[3 * r + c] = top[r];
      out->B[3 * r + c] = low[r];
    }
  }
}

/* ---- made once for a model and an order ---- */

static inline void printed_destroy(printed *P) {
  if (!P) return;
  free(P->body);
  free(P->Ad);
  free(P->binom);
  free(P);
}

static inline int printed_load_body(const jn_model *m, jn_work *w, const double *q, int i, printed_body *b) {
  int nv = jn_joint_nv(m, i);
  if (nv > 1 || jn_joint_mimic(m, i, NULL, NULL, NULL)) return 0;
  *b = (printed_body){
      .parent = jn_link_parent(m, i), .iq = nv ? jn_joint_q(m, i) : -1, .iv = nv ? jn_joint_v(m, i) : -1};
  if (nv) b->armature = jn_coordinate_dof(m, b->iv)->armature;
  return jn_link_placement(m, i, b->B) == JN_OK && jn_link_inertia(m, i, b->inertia) == JN_OK &&
         jn_joint_jacobian(m, w, i, q, b->X) == JN_OK;
}

/* NULL: no memory, or a joint that is not in the paper (several coordinates, or coupled). */
static inline printed *printed_create(const jn_model *m, int order) {
  size_t n = (size_t)jn_link_count(m), K = (size_t)order, wide = 6 * (K + 2);
  size_t doubles = (K + 2) * (K + 2) + n * (K + 2) + 6 * n * n + 3 * wide + 3 * n * wide;
  printed *P = calloc(1, sizeof *P);
  jn_work *w = NULL;
  if (!P) return NULL;
  double *q = calloc((size_t)jn_model_nq(m) + 1, sizeof *q), g[3];
  P->n = (int)n;
  P->nv = jn_model_nv(m);
  P->order = order;
  P->body = calloc(n, sizeof *P->body);
  P->Ad = calloc(n * (K + 1), sizeof *P->Ad);
  double *at = P->binom = calloc(doubles, sizeof *at);
  int good = q && P->body && P->Ad && P->binom && jn_work_create(m, &w) == JN_OK && jn_neutral(m, q) == JN_OK;
  for (size_t i = 0; i < n && good; i++) good = printed_load_body(m, w, q, (int)i, &P->body[i]);
  jn_work_destroy(w);
  free(q);
  if (!good) {
    printed_destroy(P);
    return NULL;
  }
  P->rate = at += (K + 2) * (K + 2);
  P->first = at += n * (K + 2);
  P->b = at += 6 * n * n;
  P->S = at += wide;
  P->h = at += wide;
  P->V = at += wide;
  P->G = at += n * wide;
  P->W = at + n * wide;
  for (size_t k = 0; k < K + 2; k++)
    for (size_t l = 0; l <= k; l++)
      P->binom[k * (K + 2) + l] =
          l == 0 || l == k ? 1 : P->binom[(k - 1) * (K + 2) + l - 1] + P->binom[(k - 1) * (K + 2) + l];
  jn_model_gravity(m, g);
  for (int c = 0; c < 3; c++) P->base[3 + c] = -g[c];
  return P;
}

/* ---- outwards ---- */

/* D^(k)Ad = -ad_X sum_{r<k} binom(k-1,r) D^(r)Ad q^(k-r) */
static inline void printed_adjoints(const printed *P, int i, const double *q) {
  const printed_body *b = &P->body[i];
  const double *rate = P->rate + i * (P->order + 2);
  printed_ad *Ad = P->Ad + i * (P->order + 1);
  printed_adjoint(b, b->iq >= 0 ? q[b->iq] : 0, &Ad[0]);
  for (int k = 1; k <= P->order; k++) {
    const double *binom = P->binom + (k - 1) * (P->order + 2);
    printed_ad sum = {{0}, {0}};
    for (int r = 0; r < k; r++) {
      double f = binom[r] * rate[k - r - 1];
      for (int c = 0; c < 9; c++) sum.A[c] += f * Ad[r].A[c];
      for (int c = 0; c < 9; c++) sum.B[c] += f * Ad[r].B[c];
    }
    printed_turn(b->X, &sum, &Ad[k]);
  }
}

/* (16) and the term of joint j in (18), for j from i inwards; V_i = S_i0 */
static inline void printed_twists(const printed *P, int i) {
  int rows = P->order + 2;
  double *b = P->b, *S = P->S;
  memset(S, 0, sizeof *S * 6 * (size_t)rows);
  for (int j = i; j >= 0; j = P->body[j].parent) {
    const double *rate = P->rate + j * rows;
    memcpy(b, P->first + 6 * (i * P->n + j), 6 * sizeof *b);
    for (int k = 1; k < rows; k++) {
      const double *binom = P->binom + (k - 1) * rows;
      double sum[6] = {0};
      for (int l = 0; l < k; l++) printed_bracket(b + 6 * l, S + 6 * (k - 1 - l), binom[l], sum);
      memcpy(b + 6 * k, sum, sizeof sum);
    }
    for (int k = 0; k < rows; k++) {
      const double *binom = P->binom + k * rows;
      double sum[6];
      memcpy(sum, S + 6 * k, sizeof sum);
      for (int l = 0; l <= k; l++) {
        double f = binom[l] * rate[k - l];
        for (int c = 0; c < 6; c++) sum[c] += f * b[6 * l + c];
      }
      memcpy(S + 6 * k, sum, sizeof sum);
    }
  }
  memcpy(P->V + i * 6 * rows, S, sizeof *S * 6 * (size_t)rows);
}

static inline void printed_outward(const printed *P, int i, const double *q) {
  const printed_body *body = &P->body[i];
  int K = P->order, wide = 6 * (K + 2), p = body->parent;
  const printed_ad *Ad = P->Ad + i * (K + 1);
  double *G = P->G + i * wide;
  printed_adjoints(P, i, q);
  for (int j = p; j >= 0; j = P->body[j].parent) { /* (9) */
    double *b = P->first + 6 * (i * P->n + j);
    memset(b, 0, 6 * sizeof *b);
    printed_carry(Ad, P->first + 6 * (p * P->n + j), 1, b);
  }
  memcpy(P->first + 6 * (i * P->n + i), body->X, sizeof body->X);
  printed_twists(P, i);
  for (int k = 0; k <= K; k++) {
    memset(G + 6 * k, 0, 6 * sizeof *G);
    for (int r = 0; r <= k && p >= 0; r++)
      printed_carry(Ad + r, P->G + p * wide + 6 * (k - r), P->binom[k * (K + 2) + r], G + 6 * k);
    if (p < 0) printed_carry(Ad + k, P->base, 1, G + 6 * k);
  }
}

/* ---- inwards: (20), with V^(k+1), gravity and external wrenches ---- */

static inline void printed_own_wrenches(const printed *P, int i, const double *wrench_jet) {
  int K = P->order, wide = 6 * (K + 2);
  const double *V = P->V + i * wide, *G = P->G + i * wide;
  const double *inertia = P->body[i].inertia;
  double *W = P->W + i * wide;
  for (int k = 0; k <= K; k++) printed_momentum(inertia, V + 6 * k, P->h + 6 * k);
  for (int k = 0; k <= K; k++) {
    double A[6];
    for (int c = 0; c < 6; c++) A[c] = V[6 * (k + 1) + c] + G[6 * k + c];
    printed_momentum(inertia, A, W + 6 * k);
    for (int r = 0; r <= k; r++)
      printed_bracket_force(V + 6 * r, P->h + 6 * (k - r), P->binom[k * (K + 2) + r], W + 6 * k);
    if (!wrench_jet) continue;
    for (int c = 0; c < 6; c++) W[6 * k + c] -= wrench_jet[(k * P->n + i) * 6 + c];
  }
}

static inline void printed_inward(const printed *P, int i, double *tau_jet) {
  const printed_body *b = &P->body[i];
  int K = P->order, wide = 6 * (K + 2);
  const double *W = P->W + i * wide, *rate = P->rate + i * (K + 2);
  for (int k = 0; k <= K; k++) {
    double Q = b->armature * rate[k + 1];
    for (int c = 0; c < 6; c++) Q += b->X[c] * W[6 * k + c];
    if (b->iv >= 0) tau_jet[k * P->nv + b->iv] = Q;
    for (int r = 0; r <= k && b->parent >= 0; r++)
      printed_carry_force(P->Ad + i * (K + 1) + r, W + 6 * (k - r), P->binom[k * (K + 2) + r],
                          P->W + b->parent * wide + 6 * k);
  }
}

/* As jn_inverse_dynamics_jet() at the order that P was made for. */
static inline void printed_run(const printed *P, const double *q, const double *v_jet, const double *wrench_jet,
                               double *tau_jet) {
  for (int i = 0; i < P->n; i++) {
    int iv = P->body[i].iv;
    for (int k = 0; k < P->order + 2 && iv >= 0; k++) P->rate[i * (P->order + 2) + k] = v_jet[k * P->nv + iv];
    printed_outward(P, i, q);
  }
  for (int i = 0; i < P->n; i++) printed_own_wrenches(P, i, wrench_jet);
  for (int i = P->n - 1; i >= 0; i--) printed_inward(P, i, tau_jet);
}

#endif
