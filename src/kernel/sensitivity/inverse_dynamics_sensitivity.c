/* SPDX-License-Identifier: BSD-2-Clause */
/* Derivatives of inverse dynamics with respect to any scalars p (kim2012 Table 5, with the S' terms), over the links as
 * the file had them, in their own frames, so that fixed links can move with p as well:
 *   dV = Ad dV_p - [h, Ad V_p] + dS v + S dv                 h = T^-1 dT/dp = dh + S dq
 *   dA = Ad dA_p - [h, Ad A_p] + dS a + S da + dS' v + S' dv + [dV, S v] + [V, dS v + S dv]
 *   dF = dI A + I dA - ad*_dV I V - ad*_V (dI V + I dV) - dW + sum Ad*_{T^-1} (dF - ad*_h F)
 *   dtau = dS^T F + S^T dF
 * in: q, v, a, wrenches. data: jn_scalar_changes. out: dtau [count x nv]. O(n) for each scalar. */
#include "perturbation.h"

#include "../base/sweep.h"
#include "../base/variant.h"

typedef struct chain {
  const JN_S(tree) * t;
  const real *v, *a;
  pose *T;         /* [nlink] */
  twist *V, *A;    /* [nlink] */
  wrench *F;       /* [nlink] */
  twist *S, *rate; /* [nd] in link frames */
  /* of one scalar */
  const jn_scalar_change *p;
  int single;
  twist *h, *dV, *dA; /* [nlink] */
  wrench *dF;         /* [nlink] */
  twist *dS, *drate;  /* [nd] */
} chain;

/* Number i of an array of the caller; NULL: zero. */
static inline real get(const chain *x, const void *array, int i) {
  if (!array) return ZERO;
  return x->single ? splat((scalar)((const float *)array)[i]) : splat((scalar)((const double *)array)[i]);
}

static inline twist get_twist(const chain *x, const void *array, int i) {
  if (!array) return t_zero();
  real six[6];
  for (int k = 0; k < 6; k++) six[k] = get(x, array, 6 * i + k);
  return t_load(six);
}

static inline const JN_S(body) * joint_of(const JN_S(tree) * t, int l) {
  int body = t->placement[l].body;
  return body < 0 ? NULL : &t->body[body];
}

/* sum_c rate_c S_c */
static inline twist combine(const JN_S(body) * b, const twist *S, const real *rate) {
  twist sum = t_zero();
  for (int c = 0; c < b->nv && rate; c++) sum = t_axpy(rate[b->iv + c], S[b->id + c], sum);
  return sum;
}

static inline void base_sweep(chain *x, const real *q, const real *W) {
  const JN_S(tree) *t = x->t;
  for (int l = 0; l < t->nlink; l++) {
    const JN_S(body) *b = joint_of(t, l);
    int p = t->link_parent[l];
    x->T[l] = link_pose(t, l, q);
    twist V = p < 0 ? t_zero() : t_Ad_inverse(x->T[l], x->V[p]);
    twist A = t_Ad_inverse(x->T[l], p < 0 ? base_acceleration(t) : x->A[p]);
    if (b) {
      pose inner = link_in_body(t, l);
      joint_screws(t, b, q, x->v, x->S + b->id, x->v ? x->rate + b->id : NULL);
      for (int c = b->id; c < b->id + b->nv; c++) {
        x->S[c] = t_Ad_inverse(inner, x->S[c]);
        x->rate[c] = x->v ? t_Ad_inverse(inner, x->rate[c]) : t_zero();
      }
      twist own = combine(b, x->S, x->v);
      V = t_add(V, own);
      A = t_add(A, t_add(combine(b, x->S, x->a), t_add(combine(b, x->rate, x->v), t_ad(V, own))));
    }
    x->V[l] = V;
    x->A[l] = A;
    wrench F = inertial_wrench(i_constant(t->link_inertia + 10 * l), &V, A);
    x->F[l] = W ? w_sub(F, w_load(W + 6 * l)) : F;
  }
  for (int l = t->nlink - 1; l >= 0; l--) {
    int p = t->link_parent[l];
    if (p >= 0) x->F[p] = w_add(x->F[p], w_Ad_inverse(x->T[l], x->F[l]));
  }
}

/* dS and dS' of the joint of link l: what p says, and what dq and dv do to the screws of a general joint,
 *   S^k moves with the screws after it:  dS^k = -[sum_{l>k} S^l dq_l, S^k],  S'^k = -[sum_{l>k} S^l v_l, S^k]. */
static inline void change_screws(const chain *x, int l, const JN_S(body) * b) {
  int general = b->kind == JN_BODY_GENERAL;
  twist moved = t_zero(), V = t_zero(), dV = t_zero(); /* of the screws after this one */
  for (int c = b->nv - 1; c >= 0; c--) {
    int d = b->id + c;
    twist S = x->S[d], dS = t_zero(), drate = t_zero();
    real v = x->v ? x->v[b->iv + c] : ZERO, dv = get(x, x->p->dv, b->iv + c);
    if (general) {
      dS = t_scale(K(-1), t_ad(moved, S));
      drate = t_scale(K(-1), t_add(t_ad(dV, S), t_ad(V, dS)));
      moved = t_axpy(get(x, x->p->dq, b->iv + c), S, moved);
      V = t_axpy(v, S, V);
      dV = t_add(dV, t_add(t_scale(v, dS), t_scale(dv, S)));
    }
    x->dS[d] = t_add(dS, get_twist(x, x->p->dS, 6 * l + c));
    x->drate[d] = t_add(drate, get_twist(x, x->p->dSdot, 6 * l + c));
  }
}

static inline void change_outward(chain *x, int l) {
  const JN_S(tree) *t = x->t;
  const JN_S(body) *b = joint_of(t, l);
  int p = t->link_parent[l];
  pose T = x->T[l];
  twist V_p = p < 0 ? t_zero() : t_Ad_inverse(T, x->V[p]);
  twist A_p = t_Ad_inverse(T, p < 0 ? base_acceleration(t) : x->A[p]);
  twist fall = {v3_zero(), v3(-get(x, x->p->dgravity, 0), -get(x, x->p->dgravity, 1), -get(x, x->p->dgravity, 2))};
  twist h = get_twist(x, x->p->dh, l);
  if (b) {
    change_screws(x, l, b);
    for (int c = 0; c < b->nv; c++) h = t_axpy(get(x, x->p->dq, b->iv + c), x->S[b->id + c], h);
  }
  twist dV = p < 0 ? t_zero() : t_Ad_inverse(T, x->dV[p]);
  twist dA = t_Ad_inverse(T, p < 0 ? fall : x->dA[p]);
  dV = t_axpy(K(-1), t_ad(h, V_p), dV);
  dA = t_axpy(K(-1), t_ad(h, A_p), dA);
  if (b) {
    twist own = combine(b, x->S, x->v), down = combine(b, x->dS, x->v);
    for (int c = 0; c < b->nv; c++) {
      int d = b->id + c, iv = b->iv + c;
      real dv = get(x, x->p->dv, iv), da = get(x, x->p->da, iv);
      down = t_axpy(dv, x->S[d], down);
      dA = t_axpy(da, x->S[d], t_axpy(dv, x->rate[d], dA));
    }
    dV = t_add(dV, down);
    dA = t_add(dA, t_add(combine(b, x->dS, x->a), combine(b, x->drate, x->v)));
    dA = t_add(dA, t_add(t_ad(dV, own), t_ad(x->V[l], down)));
  }
  x->h[l] = h;
  x->dV[l] = dV;
  x->dA[l] = dA;
  inertia I = i_constant(t->link_inertia + 10 * l), dI;
  real ten[10];
  for (int k = 0; k < 10; k++) ten[k] = get(x, x->p->dinertia, 10 * l + k);
  dI = i_load(ten);
  twist V = x->V[l];
  wrench dF = w_add(i_mul(dI, x->A[l]), i_mul(I, dA));
  dF = w_sub(dF, w_add(w_ad(dV, i_mul(I, V)), w_ad(V, w_add(i_mul(dI, V), i_mul(I, dV)))));
  twist dW = get_twist(x, x->p->dwrench, l);
  x->dF[l] = w_sub(dF, (wrench){dW.w, dW.v});
}

static inline void change_inward(chain *x, real *dtau) {
  const JN_S(tree) *t = x->t;
  for (int k = 0; k < t->nv; k++) {
    dtau[k] = ZERO;
    if (x->a) dtau[k] = get(x, x->p->darmature, k) * x->a[k];
  }
  for (int k = 0; k < t->nv && t->carries_springs; k++) dtau[k] += splat(t->stiffness[k]) * get(x, x->p->dq, k);
  for (int l = t->nlink - 1; l >= 0; l--) {
    const JN_S(body) *b = joint_of(t, l);
    int p = t->link_parent[l];
    for (int c = 0; b && c < b->nv; c++) {
      int d = b->id + c, iv = b->iv + c;
      dtau[iv] += power(x->F[l], x->dS[d]) + power(x->dF[l], x->S[d]);
      dtau[iv] += armature_of(t, b, c) * get(x, x->p->da, iv);
    }
    if (p >= 0) x->dF[p] = w_add(x->dF[p], w_Ad_inverse(x->T[l], w_sub(x->dF[l], w_ad(x->h[l], x->F[l]))));
  }
}

void JN_(inverse_dynamics_sensitivity)(const jn_call *c) {
  const jn_inverse_dynamics_sensitivity_arguments *args = &c->inverse_dynamics_sensitivity;
  const JN_S(tree) *t = c->tree;
  const jn_scalar_changes *changes = args->changes;
  real *at = c->scratch, *dtau = args->dtau_dp;
  chain x = {.t = t, .v = args->v, .a = args->a};
  x.T = TAKE(&at, t->nlink, pose);
  x.V = TAKE(&at, t->nlink, twist);
  x.A = TAKE(&at, t->nlink, twist);
  x.F = TAKE(&at, t->nlink, wrench);
  x.h = TAKE(&at, t->nlink, twist);
  x.dV = TAKE(&at, t->nlink, twist);
  x.dA = TAKE(&at, t->nlink, twist);
  x.dF = TAKE(&at, t->nlink, wrench);
  x.S = TAKE(&at, t->nd, twist);
  x.rate = TAKE(&at, t->nd, twist);
  x.dS = TAKE(&at, t->nd, twist);
  x.drate = TAKE(&at, t->nd, twist);
  if (counts(c, at)) return;
  x.single = changes->single;
  base_sweep(&x, args->q, args->wrench);
  for (int k = 0; k < changes->count; k++, dtau += t->nv) {
    x.p = &changes->list[k];
    for (int l = 0; l < t->nlink; l++) change_outward(&x, l);
    change_inward(&x, dtau);
  }
}
