/* SPDX-License-Identifier: BSD-2-Clause */
/* Derivatives of inverse dynamics with respect to any scalars p, of the state or of the model. [kim2012 Table 5, eqs.
 * 81-92]
 *
 * The recursion of kim2012 Table 2 and its derivative, with all terms of dS and dS', over the links as the file had
 * them, in their own frames, so that fixed links can move with p as well. ' is d/dt, d is d/dp, X the pose of the link
 * in its parent:
 *
 *   h  = X^-1 dX/dp = dh + S dq
 *   dV = Ad_{X^-1} dV_p - [h, Ad_{X^-1} V_p] + dS v + S dv
 *   dA = Ad_{X^-1} dA_p - [h, Ad_{X^-1} A_p] + dS a + S da + dS' v + S' dv + [dV, S v] + [V, dS v + S dv]
 *   dF = dI A + I dA - ad*_dV I V - ad*_V (dI V + I dV) - dW + sum over children of Ad*_{X^-1} (dF - ad*_h F)
 *   dtau = dS^T F + S^T dF + armature da + darmature a + springs
 *
 *   symbol       meaning                                                  frame, unit               size
 *   T            pose of the link in its parent                           parent; -, m              [nlink]
 *   V, A, F      twist, its rate, wrench through the joint                link; rad/s, m/s; N m, N  [nlink]
 *   S, S_rate    screws of the joints and their rates S'                  link                      [nd]
 *   h            X^-1 dX/dp                                               link; per unit of p       [nlink]
 *   dV, dA, dF   derivatives by p                                         link; per unit of p       [nlink]
 *   dS, dS_rate  derivatives of the screws by p                           link; per unit of p       [nd]
 *
 * in: q, v, a, wrenches. data: jn_scalar_changes. out: dtau [count x nv]. Cost O(n) for each scalar. The derivatives of
 * forward and hybrid dynamics (kim2012 Tables 6 and 7) solve with these: src/dispatch/sensitivity.c. */
#include "perturbation.h"

#include "../base/sweep.h"
#include "../base/variant.h"

typedef struct sensitivity_sweep {
  const JN_S(tree) * tree;
  const real *v, *a;
  pose *T;           /* [nlink] */
  twist *V, *A;      /* [nlink] */
  wrench *F;         /* [nlink] */
  twist *S, *S_rate; /* [nd] in link frames */
  /* what follows belongs to one scalar */
  const jn_scalar_change *change;
  int single;
  twist *h, *dV, *dA;  /* [nlink] */
  wrench *dF;          /* [nlink] */
  twist *dS, *dS_rate; /* [nd] */
} sensitivity_sweep;

/* Number i of an array of the caller; NULL: zero. */
static inline real number_of(const sensitivity_sweep *sweep, const void *array, int i) {
  if (!array) return ZERO;
  return sweep->single ? splat((scalar)((const float *)array)[i]) : splat((scalar)((const double *)array)[i]);
}

static inline twist twist_of(const sensitivity_sweep *sweep, const void *array, int i) {
  if (!array) return t_zero();
  real six[6];
  for (int k = 0; k < 6; k++) six[k] = number_of(sweep, array, 6 * i + k);
  return t_load(six);
}

static inline const JN_S(body) * joint_of_link(const JN_S(tree) * tree, int link) {
  int body = tree->placement[link].body;
  return body < 0 ? NULL : &tree->body[body];
}

/* sum over the coordinates of a joint of rate_c S_c; NULL: zero. */
static inline twist sum_of_screws(const JN_S(body) * joint, const twist *S, const real *rate) {
  twist sum = t_zero();
  for (int c = 0; c < joint->nv && rate; c++) sum = t_axpy(rate[joint->iv + c], S[joint->id + c], sum);
  return sum;
}

/* Inverse dynamics itself [kim2012 Table 2]: T, V, A, F and the screws of all links. */
static inline void sweep_unchanged(sensitivity_sweep *sweep, const real *q, const real *W) {
  const JN_S(tree) *tree = sweep->tree;
  for (int link = 0; link < tree->nlink; link++) {
    const JN_S(body) *joint = joint_of_link(tree, link);
    int parent = tree->link_parent[link];

    /* V and A of the parent, in the link's frame. */
    sweep->T[link] = link_pose(tree, link, q);
    twist V = parent < 0 ? t_zero() : t_Ad_inverse(sweep->T[link], sweep->V[parent]);
    twist A = t_Ad_inverse(sweep->T[link], parent < 0 ? base_acceleration(tree) : sweep->A[parent]);

    /* Plus those of the joint: S v, and S a + S' v + [V, S v]. */
    if (joint) {
      pose inner = link_in_body(tree, link);
      joint_screws(tree, joint, q, sweep->v, sweep->S + joint->id, sweep->v ? sweep->S_rate + joint->id : NULL);
      for (int c = joint->id; c < joint->id + joint->nv; c++) {
        sweep->S[c] = t_Ad_inverse(inner, sweep->S[c]);
        sweep->S_rate[c] = sweep->v ? t_Ad_inverse(inner, sweep->S_rate[c]) : t_zero();
      }
      twist own = sum_of_screws(joint, sweep->S, sweep->v);
      V = t_add(V, own);
      A = t_add(A, t_add(sum_of_screws(joint, sweep->S, sweep->a),
                         t_add(sum_of_screws(joint, sweep->S_rate, sweep->v), t_ad(V, own))));
    }

    /* F of the link alone. */
    sweep->V[link] = V;
    sweep->A[link] = A;
    wrench F = inertial_wrench(i_constant(tree->link_inertia + 10 * link), &V, A);
    sweep->F[link] = W ? w_sub(F, w_load(W + 6 * link)) : F;
  }

  /* Inwards. */
  for (int link = tree->nlink - 1; link >= 0; link--) {
    int parent = tree->link_parent[link];
    if (parent >= 0) sweep->F[parent] = w_add(sweep->F[parent], w_Ad_inverse(sweep->T[link], sweep->F[link]));
  }
}

/* dS and dS' of the joint of a link: as p determines them, and what dq and dv do to the screws of a general joint,
 * where S^k moves with the screws after it:  dS^k = -[sum_{l>k} S^l dq_l, S^k],  S'^k = -[sum_{l>k} S^l v_l, S^k]. */
static inline void differentiate_screws(const sensitivity_sweep *sweep, int link, const JN_S(body) * joint) {
  int general = joint->kind == JN_BODY_GENERAL;
  twist moved = t_zero(), V = t_zero(), dV = t_zero(); /* of the screws after this one */
  for (int c = joint->nv - 1; c >= 0; c--) {
    int id = joint->id + c;
    twist S = sweep->S[id], dS = t_zero(), drate = t_zero();
    real v = sweep->v ? sweep->v[joint->iv + c] : ZERO, dv = number_of(sweep, sweep->change->dv, joint->iv + c);
    if (general) {
      dS = t_scale(K(-1), t_ad(moved, S));
      drate = t_scale(K(-1), t_add(t_ad(dV, S), t_ad(V, dS)));
      moved = t_axpy(number_of(sweep, sweep->change->dq, joint->iv + c), S, moved);
      V = t_axpy(v, S, V);
      dV = t_add(dV, t_add(t_scale(v, dS), t_scale(dv, S)));
    }
    sweep->dS[id] = t_add(dS, twist_of(sweep, sweep->change->dS, 6 * link + c));
    sweep->dS_rate[id] = t_add(drate, twist_of(sweep, sweep->change->dSdot, 6 * link + c));
  }
}

/* h, dV, dA of one link, and dF of the link alone. */
static inline void differentiate_outward(sensitivity_sweep *sweep, int link) {
  const JN_S(tree) *tree = sweep->tree;
  const JN_S(body) *joint = joint_of_link(tree, link);
  int parent = tree->link_parent[link];
  pose T = sweep->T[link];
  twist V_p = parent < 0 ? t_zero() : t_Ad_inverse(T, sweep->V[parent]);
  twist A_p = t_Ad_inverse(T, parent < 0 ? base_acceleration(tree) : sweep->A[parent]);
  twist fall = {v3_zero(),
                v3(-number_of(sweep, sweep->change->dgravity, 0), -number_of(sweep, sweep->change->dgravity, 1),
                   -number_of(sweep, sweep->change->dgravity, 2))};

  /* h = dh + S dq. */
  twist h = twist_of(sweep, sweep->change->dh, link);
  if (joint) {
    differentiate_screws(sweep, link, joint);
    for (int k = 0; k < joint->nv; k++)
      h = t_axpy(number_of(sweep, sweep->change->dq, joint->iv + k), sweep->S[joint->id + k], h);
  }

  /* What comes from the parent. */
  twist dV = parent < 0 ? t_zero() : t_Ad_inverse(T, sweep->dV[parent]);
  twist dA = t_Ad_inverse(T, parent < 0 ? fall : sweep->dA[parent]);
  dV = t_axpy(K(-1), t_ad(h, V_p), dV);
  dA = t_axpy(K(-1), t_ad(h, A_p), dA);

  /* What the joint adds. */
  if (joint) {
    twist own = sum_of_screws(joint, sweep->S, sweep->v), down = sum_of_screws(joint, sweep->dS, sweep->v);
    for (int k = 0; k < joint->nv; k++) {
      int id = joint->id + k, iv = joint->iv + k;
      real dv = number_of(sweep, sweep->change->dv, iv), da = number_of(sweep, sweep->change->da, iv);
      down = t_axpy(dv, sweep->S[id], down);
      dA = t_axpy(da, sweep->S[id], t_axpy(dv, sweep->S_rate[id], dA));
    }
    dV = t_add(dV, down);
    dA = t_add(dA, t_add(sum_of_screws(joint, sweep->dS, sweep->a), sum_of_screws(joint, sweep->dS_rate, sweep->v)));
    dA = t_add(dA, t_add(t_ad(dV, own), t_ad(sweep->V[link], down)));
  }

  sweep->h[link] = h;
  sweep->dV[link] = dV;
  sweep->dA[link] = dA;

  /* dF = dI A + I dA - ad*_dV I V - ad*_V (dI V + I dV) - dW. */
  inertia I = i_constant(tree->link_inertia + 10 * link), dI;
  real ten[10];
  for (int e = 0; e < 10; e++) ten[e] = number_of(sweep, sweep->change->dinertia, 10 * link + e);
  dI = i_load(ten);
  twist V = sweep->V[link];
  wrench dF = w_add(i_mul(dI, sweep->A[link]), i_mul(I, dA));
  dF = w_sub(dF, w_add(w_ad(dV, i_mul(I, V)), w_ad(V, w_add(i_mul(dI, V), i_mul(I, dV)))));
  twist dW = twist_of(sweep, sweep->change->dwrench, link);
  sweep->dF[link] = w_sub(dF, (wrench){dW.w, dW.v});
}

/* Inwards: dtau = dS^T F + S^T dF, and dF to the parents. */
static inline void differentiate_inward(sensitivity_sweep *sweep, real *dtau) {
  const JN_S(tree) *tree = sweep->tree;
  for (int k = 0; k < tree->nv; k++) {
    dtau[k] = ZERO;
    if (sweep->a) dtau[k] = number_of(sweep, sweep->change->darmature, k) * sweep->a[k];
  }

  /* Springs. */
  for (int k = 0; k < tree->nv && tree->has_springs; k++)
    dtau[k] += splat(tree->stiffness[k]) * number_of(sweep, sweep->change->dq, k);

  /* Joints. */
  for (int link = tree->nlink - 1; link >= 0; link--) {
    const JN_S(body) *joint = joint_of_link(tree, link);
    int parent = tree->link_parent[link];
    for (int c = 0; joint && c < joint->nv; c++) {
      int id = joint->id + c, iv = joint->iv + c;
      dtau[iv] += power(sweep->F[link], sweep->dS[id]) + power(sweep->dF[link], sweep->S[id]);
      dtau[iv] += armature_of(tree, joint, c) * number_of(sweep, sweep->change->da, iv);
    }
    if (parent >= 0)
      sweep->dF[parent] =
          w_add(sweep->dF[parent],
                w_Ad_inverse(sweep->T[link], w_sub(sweep->dF[link], w_ad(sweep->h[link], sweep->F[link]))));
  }
}

/* Kernel of jn_inverse_dynamics_sensitivity(). */
void JN_(inverse_dynamics_sensitivity)(const jn_call *call) {
  const jn_inverse_dynamics_sensitivity_arguments *args = &call->inverse_dynamics_sensitivity;
  const JN_S(tree) *tree = call->tree;
  const jn_scalar_changes *changes = args->changes;
  real *at = call->scratch, *dtau = args->dtau_dp;
  sensitivity_sweep sweep = {.tree = tree, .v = args->v, .a = args->a};
  sweep.T = TAKE(&at, tree->nlink, pose);
  sweep.V = TAKE(&at, tree->nlink, twist);
  sweep.A = TAKE(&at, tree->nlink, twist);
  sweep.F = TAKE(&at, tree->nlink, wrench);
  sweep.h = TAKE(&at, tree->nlink, twist);
  sweep.dV = TAKE(&at, tree->nlink, twist);
  sweep.dA = TAKE(&at, tree->nlink, twist);
  sweep.dF = TAKE(&at, tree->nlink, wrench);
  sweep.S = TAKE(&at, tree->nd, twist);
  sweep.S_rate = TAKE(&at, tree->nd, twist);
  sweep.dS = TAKE(&at, tree->nd, twist);
  sweep.dS_rate = TAKE(&at, tree->nd, twist);
  if (counts(call, at)) return;

  /* The motion once, then its derivative by each scalar. */
  sweep.single = changes->single;
  sweep_unchanged(&sweep, args->q, args->wrench);
  for (int k = 0; k < changes->count; k++, dtau += tree->nv) {
    sweep.change = &changes->list[k];
    for (int link = 0; link < tree->nlink; link++) differentiate_outward(&sweep, link);
    differentiate_inward(&sweep, dtau);
  }
}
