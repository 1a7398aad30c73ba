/* SPDX-License-Identifier: BSD-2-Clause */
/* Derivatives of inverse dynamics with respect to the state, as polynomials along a curve.
 * [kim2012 Table 5 for p = q_k, in closed form; garofalo2013 eq. 24 gives the same numbers]
 *
 * World axes throughout; each quantity is about the origin of the body that it belongs to (a fixed point: where that
 * origin is now). From body to body only the point changes, and no digits are lost however far bodies are from the
 * world's origin or from each other.
 *
 * A change d of coordinate k moves all bodies outward of it by the twist S_k d. A quantity x that is fixed to such a
 * body changes by [S_k, x] (a wrench by S_k x* F = -ad*_{S_k} F). What else changes, D_k x, is simple; for a body m
 * outward of k, and p what is before coordinate k:
 *
 *   psi_k  = [V_p, S_k]                       D_k V_m = psi_k
 *   ppsi_k = [A_p, S_k] + [V_p, psi_k]        D_k A_m = ppsi_k - [V_m, psi_k]
 *                                             D_k F_m = I_m ppsi_k + B_m psi_k
 *   Psi_k  = [V_k, S_k] = dS_k/dt             dF_m/dv_k = I_m (Psi_k + psi_k) + B_m S_k
 *   B psi  = V x* I psi - I [V, psi] + psi x* I V = (Q w - L x w, -2 P x w),   w the angular part of psi
 *
 * With I, B and F summed over subtrees, tau_j = S_j . F_j gives
 *
 *   dtau_j/dq_k = S_j . (I_j ppsi_k + B_j psi_k)                  j outward of k, or of the same joint
 *   dtau_j/dq_k = S_j . (I_k ppsi_k + B_k psi_k + S_k x* F_k)     j inward of k
 *   dtau_j/dv_k = S_j . (I (Psi_k + psi_k) + B S_k),   dtau_j/da_k = M_jk = S_j . I S_k,   of the outer of both
 * subtrees
 *
 * A joint of several screws counts as so many joints. Spherical and free joints are *groups*: their coordinates act
 * together, and none of them moves the others.
 *
 * Along a curve whose bodies move with the twists G, every quantity that is fixed to a body has x' = [G, x]. This gives
 * its Taylor coefficients without any pose but the first. The curve may be the motion in time (G = V), or the straight
 * change (dq, dv, da) of a second derivative (G from dq). The order is the slow index of arrays.
 *
 *   symbol        meaning                                              frame, unit (order 0)          size
 *   T, d          rotation of the body; its origin from its parent's   world; -, m                    [nb]
 *   S             screws of the coordinates                            body origin, world axes        [orders][nd]
 *   Psi,psi,ppsi  as above                                             1/s, 1/s, 1/s^2 times S        [orders][nd]
 *   V, A          twist of the body and its rate                       rad/s, m/s; per s              [orders][nb]
 *   G             twist of the body along the curve                    -                              [orders][nb]
 *   I, B, F       inertia, B and wrench: of the body, then of its      kg, kg m, kg m^2; N m, N       [orders][nb]
 *                 subtree
 *   Q, L, P       angular block of dI/dt, angular and linear momentum  kg m^2/s, N m s, N s           in B
 *   H             how external wrenches that are not fixed to their    N m, N                         [orders][nb]
 *                 bodies differ from fixed ones when bodies move
 *
 * Cost O(n d) for each order. */
#ifndef JN_KERNEL_FIRST_DERIVATIVES_LINEARIZATION_H
#define JN_KERNEL_FIRST_DERIVATIVES_LINEARIZATION_H

#include "../base/springs.h"
#include "../forward_dynamics/articulated.h"

/* In which frame external wrenches are constant while the configuration changes: in their link; in the world, about its
 * origin; or in world axes, at a point of the link. */
enum { WRENCH_IN_BODY, WRENCH_IN_WORLD, WRENCH_ALIGNED };

/* B psi = (Q w - L x w, -2 P x w): twelve numbers. */
typedef struct inertia_rates {
  sym3 Q;
  vec3 L, P;
} inertia_rates;

/* How far a wrench W that is constant in the world departs from one that is fixed to its body, when the body moves
 * by S: S x* W - dW = (N w + (WRENCH_IN_WORLD: v x f), w x f). */
typedef struct unfixed_wrench {
  mat3 N;
  vec3 f;
} unfixed_wrench;

typedef struct linearization {
  const JN_S(tree) * tree;
  int wrench_frame;   /* in which frame external wrenches are constant */
  int without_weight; /* the base does not accelerate: A are the true accelerations */
  const real *q;
  angles angle;
  const real *tangent; /* [orders][nv] Taylor coefficients of the curve's tangent; NULL: the configuration stays */
  const real *v, *a;   /* [orders][nv]; NULL: zero */
  const real *W;       /* [rows][nlink][6] external wrenches in link frames, or NULL; further rows are zero */
  int rows;
  pose *T;                     /* [nb] rotations; the translations are zero */
  vec3 *d;                     /* [nb] origin of a body from that of its parent, or of the world */
  twist *S, *Psi, *psi, *ppsi; /* [orders][nd] */
  twist *V, *A, *G;            /* [orders][nb] */
  inertia *I;                  /* [orders][nb], as the following: first of the bodies, then of their subtrees */
  inertia_rates *B;
  wrench *F;
  unfixed_wrench *H; /* [orders][nb] NULL: wrenches are fixed to their bodies */
  wrench *carried;   /* [orders] scratch */
} linearization;

/* Takes the arrays from scratch memory. */
FLAT linearization linearization_place(const JN_S(tree) * tree, int orders, int wrench_frame, const real *q,
                                       real **at) {
  linearization lin = {.tree = tree, .wrench_frame = wrench_frame, .q = q};
  lin.angle = angles_at(tree, q, at);
  lin.T = TAKE(at, tree->nb, pose);
  lin.d = TAKE(at, tree->nb, vec3);
  lin.S = TAKE(at, orders * tree->nd, twist);
  lin.Psi = TAKE(at, orders * tree->nd, twist);
  lin.psi = TAKE(at, orders * tree->nd, twist);
  lin.ppsi = TAKE(at, orders * tree->nd, twist);
  lin.V = TAKE(at, orders * tree->nb, twist);
  lin.A = TAKE(at, orders * tree->nb, twist);
  lin.G = TAKE(at, orders * tree->nb, twist);
  lin.I = TAKE(at, orders * tree->nb, inertia);
  lin.B = TAKE(at, orders * tree->nb, inertia_rates);
  lin.F = TAKE(at, orders * tree->nb, wrench);
  lin.carried = TAKE(at, orders, wrench);
  if (wrench_frame != WRENCH_IN_BODY) lin.H = TAKE(at, orders * tree->nb, unfixed_wrench);
  return lin;
}

/* ---- algebra ---- */

static inline wrench w_scale(real s, wrench F) { return (wrench){v3_scale(s, F.m), v3_scale(s, F.f)}; }

/* dI/dt of an inertia that moves with V: the rate of its first moment is the linear momentum P, and its angular
 * block is Q = [w]J - J[w] - [v][h] - [h][v]. */
static inline inertia inertia_rate(twist V, inertia I) {
  mat3 X = m3_cross_left(V.w, s3_full(I.J)); /* [w]J; J[w] is minus its transpose */
  sym3 rotated = {K(2) * X.x.x, K(2) * X.y.y, K(2) * X.z.z, X.x.y + X.y.x, X.x.z + X.z.x, X.y.z + X.z.y};
  return (inertia){ZERO, v3_axpy(I.m, V.v, cross(V.w, I.h)), s3_add(rotated, s3_steiner(v3_scale(K(2), V.v), I.h))};
}
static inline inertia i_scale(real s, inertia I) {
  sym3 J = {s * I.J.xx, s * I.J.yy, s * I.J.zz, s * I.J.xy, s * I.J.xz, s * I.J.yz};
  return (inertia){s * I.m, v3_scale(s, I.h), J};
}
/* B X. */
static inline wrench rates_mul(inertia_rates B, twist X) {
  return (wrench){v3_sub(s3_mul(B.Q, X.w), cross(B.L, X.w)), v3_scale(K(-2), cross(B.P, X.w))};
}
/* Angular part of B^T X; the linear part is zero. */
static inline vec3 rates_tmul(inertia_rates B, twist X) {
  return v3_axpy(K(2), cross(B.P, X.v), v3_add(s3_mul(B.Q, X.w), cross(B.L, X.w)));
}
/* B about the point from which its own is at d. */
static inline inertia_rates rates_shift(inertia_rates B, vec3 d) {
  return (inertia_rates){s3_add(B.Q, s3_steiner(v3_scale(K(2), d), B.P)), v3_add(B.L, cross(d, B.P)), B.P};
}
static inline inertia_rates rates_add(inertia_rates A, inertia_rates B) {
  return (inertia_rates){s3_add(A.Q, B.Q), v3_add(A.L, B.L), v3_add(A.P, B.P)};
}
/* (p.f) E - f p^T, the matrix of w -> p x (w x f). */
static inline mat3 arm_matrix(vec3 p, vec3 f) {
  mat3 outer = {v3_scale(p.x, f), v3_scale(p.y, f), v3_scale(p.z, f)};
  return m3_axpy(K(-1), outer, m3_scale(dot(p, f), m3_identity()));
}
/* H about the point from which its own is at d. */
static inline unfixed_wrench wrench_change_shift(unfixed_wrench H, int wrench_frame, vec3 d) {
  mat3 more = wrench_frame == WRENCH_IN_WORLD ? m3_scale(K(-1), skew(cross(d, H.f))) : arm_matrix(d, H.f);
  return (unfixed_wrench){m3_add(H.N, more), H.f};
}
/* H X, and H^T X. */
static inline wrench wrench_change_mul(unfixed_wrench H, int wrench_frame, twist X) {
  vec3 m = m3_mul(H.N, X.w);
  return (wrench){wrench_frame == WRENCH_IN_WORLD ? v3_add(m, cross(X.v, H.f)) : m, cross(X.w, H.f)};
}
static inline wrench wrench_change_tmul(unfixed_wrench H, int wrench_frame, twist X) {
  vec3 m = v3_add(m3_tmul(H.N, X.w), cross(H.f, X.v));
  return (wrench){m, wrench_frame == WRENCH_IN_WORLD ? cross(H.f, X.w) : v3_zero()};
}

/* Order k of [a, b]; each has its own stride. */
FLAT twist bracket_order(const twist *a, int sa, const twist *body, int sb, int k) {
  twist sum = t_ad(a[0], body[k * sb]);
  for (int j = 1; j <= k; j++) sum = t_add(sum, t_ad(a[j * sa], body[(k - j) * sb]));
  return sum;
}

/* ---- outwards ---- */

/* set_coordinates_motion() for a revolute joint at one state: the screw is an axis alone, (e, 0). */
FLAT void set_revolute_motion(const linearization *lin, int i) {
  const JN_S(body) *body = &lin->tree->body[i];
  vec3 e = lin->S[body->id].w;
  twist V = lin->V[i], A = lin->A[i], psi = {cross(V.w, e), cross(V.v, e)}, more = t_ad(V, psi);

  /* psi = [V_p, S], ppsi = [A_p, S] + [V_p, psi], Psi = psi, because [S v, S] = 0. */
  lin->psi[body->id] = psi;
  lin->ppsi[body->id] = (twist){v3_add(cross(A.w, e), more.w), v3_add(cross(A.v, e), more.v)};
  lin->Psi[body->id] = psi;

  /* V = V_p + S v, A = A_p + S a + Psi v. */
  if (lin->v) V.w = v3_axpy(lin->v[body->iv], e, V.w);
  if (lin->a) A.w = v3_axpy(lin->a[body->iv], e, A.w);
  if (lin->v) A = t_axpy(lin->v[body->iv], psi, A);
  lin->V[i] = V;
  lin->A[i] = A;
}

/* Coordinates [first, first + count) of body i that act together: all of a group, else one. V, A, G of the body hold
 * what is before these coordinates, and get what is after them. */
FLAT void set_coordinates_motion(const linearization *lin, int i, int first, int count, int orders) {
  const JN_S(tree) *tree = lin->tree;
  int nb = tree->nb, nd = tree->nd, nv = tree->nv, d = tree->body[i].id + first, iv = tree->body[i].iv + first;
  twist *V = lin->V + i, *A = lin->A + i, *G = lin->G + i;

  /* Along the curve: k S_k = [G, S]_{k-1}, and G += S * tangent once all screws have their order k. */
  for (int k = 0; k < orders && lin->tangent; k++)
    for (int c = 0; c < count; c++) {
      twist *S = lin->S + d + c;
      if (k > 0) S[k * nd] = t_scale(reciprocal(k), bracket_order(G, nb, S, nd, k - 1));
      if (c < count - 1) continue;
      for (int e = 0; e < count; e++)
        for (int j = 0; j <= k; j++)
          G[k * nb] = t_axpy(lin->tangent[(k - j) * nv + iv + e], lin->S[j * nd + d + e], G[k * nb]);
    }

  /* psi = [V_p, S], ppsi = [A_p, S] + [V_p, psi]. */
  for (int c = 0; c < count; c++)
    for (int k = 0; k < orders; k++) {
      const twist *S = lin->S + d + c;
      lin->psi[k * nd + d + c] = bracket_order(V, nb, S, nd, k);
      lin->ppsi[k * nd + d + c] = t_add(bracket_order(A, nb, S, nd, k), bracket_order(V, nb, lin->psi + d + c, nd, k));
    }

  /* V = V_p + S v. */
  for (int k = 0; k < orders && lin->v; k++)
    for (int c = 0; c < count; c++)
      for (int j = 0; j <= k; j++) V[k * nb] = t_axpy(lin->v[(k - j) * nv + iv + c], lin->S[j * nd + d + c], V[k * nb]);

  /* Psi = [V, S]. */
  for (int c = 0; c < count; c++)
    for (int k = 0; k < orders; k++) lin->Psi[k * nd + d + c] = bracket_order(V, nb, lin->S + d + c, nd, k);

  /* A = A_p + S a + Psi v. */
  for (int k = 0; k < orders; k++)
    for (int c = 0; c < count; c++)
      for (int j = 0; j <= k; j++) {
        int at = (k - j) * nv + iv + c;
        if (lin->a) A[k * nb] = t_axpy(lin->a[at], lin->S[j * nd + d + c], A[k * nb]);
        if (lin->v) A[k * nb] = t_axpy(lin->v[at], lin->Psi[j * nd + d + c], A[k * nb]);
      }
}

/* Taylor coefficients of a wrench that is fixed to body i, from its order 0: k W_k = sum_j G_j x* W_{k-1-j}. */
FLAT void carry_wrench(const linearization *lin, int i, int orders) {
  for (int k = 1; k < orders; k++) {
    wrench sum = w_zero();
    for (int j = 0; j < k; j++) sum = w_add(sum, w_cross(lin->G[j * lin->tree->nb + i], lin->carried[k - 1 - j]));
    lin->carried[k] = w_scale(reciprocal(k), sum);
  }
}

/* Subtracts the external wrench on a link from F of its body, and adds to H how it changes. */
FLAT void subtract_external_wrench(const linearization *lin, int link, int orders) {
  const JN_S(tree) *tree = lin->tree;
  const JN_S(frame) *f = &tree->frame[link];
  int nb = tree->nb, i = f->body;
  if (i < 0) return;
  pose T = se3_mul(lin->T[i], se3_constant(f->R, f->p));
  for (int row = 0; row < lin->rows; row++) {
    lin->carried[0] = w_Ad_inverse(T, w_load(lin->W + (row * tree->nlink + link) * 6));

    /* Fixed to the body: it moves along. */
    if (lin->wrench_frame == WRENCH_IN_BODY) {
      carry_wrench(lin, i, orders - row);
    } else {
      vec3 p = T.p, force = lin->carried[0].f;
      for (int k = 0; k < orders; k++) { /* a curve has two orders at most here */
        unfixed_wrench *H = &lin->H[k * nb + i];
        if (k == 1) { /* order 1: the point of action moves with the body, the wrench does not */
          p = v3_add(lin->G[i].v, cross(lin->G[i].w, T.p));
          lin->carried[1] = lin->wrench_frame == WRENCH_ALIGNED ? (wrench){cross(p, force), v3_zero()} : w_zero();
        }
        if (k == 0) H->f = v3_add(H->f, force);
        if (k == 0) H->N = m3_axpy(K(-1), skew(lin->carried[0].m), H->N);
        if (lin->wrench_frame == WRENCH_IN_WORLD) continue;
        mat3 N = arm_matrix(p, force);
        if (k == 0)
          N = m3_add(
              N,
              skew(cross(p, force))); /* WRENCH_ALIGNED: only the moment about the link's origin keeps its direction */
        H->N = m3_add(H->N, N);
      }
    }

    /* F -= W. */
    for (int k = 0; k + row < orders; k++) {
      wrench *F = &lin->F[(k + row) * nb + i];
      *F = w_sub(*F, lin->carried[k]);
    }
  }
}

/* I, B and F of body i alone. */
FLAT void set_body_sums(const linearization *lin, int i, int orders) {
  const JN_S(tree) *tree = lin->tree;
  int nb = tree->nb;
  inertia *I = lin->I + i;
  inertia_rates *B = lin->B + i;
  const twist *V = lin->V + i, *A = lin->A + i, *G = lin->G + i;
  for (int k = 0; k < orders; k++) {
    /* Inertia: k I_k = (dI/dt of the motion G)_{k-1}. */
    if (k == 0) {
      I[0] = i_to_world(lin->T[i].R, tree->body[i].inertia);
    } else {
      I[k * nb] = inertia_rate(G[0], I[(k - 1) * nb]);
      for (int j = 1; j < k; j++) I[k * nb] = i_add(I[k * nb], inertia_rate(G[j * nb], I[(k - 1 - j) * nb]));
      I[k * nb] = i_scale(reciprocal(k), I[k * nb]);
    }

    /* B: Q, and the momentum (L, P) = I V. */
    wrench momentum = w_zero(), F = w_zero();
    B[k * nb].Q = (sym3){ZERO, ZERO, ZERO, ZERO, ZERO, ZERO};
    for (int j = 0; j <= k; j++) {
      momentum = w_add(momentum, i_mul(I[j * nb], V[(k - j) * nb]));
      B[k * nb].Q = s3_add(B[k * nb].Q, inertia_rate(V[(k - j) * nb], I[j * nb]).J);
    }
    B[k * nb].L = momentum.m;
    B[k * nb].P = momentum.f;

    /* F = I A + V x* (I V). */
    for (int j = 0; j <= k; j++) {
      inertia_rates rates = B[(k - j) * nb];
      F = w_add(F, w_add(i_mul(I[j * nb], A[(k - j) * nb]), w_cross(V[j * nb], (wrench){rates.L, rates.P})));
    }
    lin->F[k * nb + i] = F;
    if (lin->H) lin->H[k * nb + i] = (unfixed_wrench){m3_zero(), v3_zero()};
  }
}

/* The motion of body i: pose, screws, V, A, G, and psi, ppsi, Psi of its coordinates. The base accelerates by
 * -gravity. */
FLAT void set_joint_motion(const linearization *lin, int i, int orders) {
  const JN_S(tree) *tree = lin->tree;
  int nb = tree->nb;
  const JN_S(body) *body = &tree->body[i];
  int parent = body->parent, group = is_group(body);
  twist S[6];
  pose X = body_pose(tree, body, lin->q, lin->angle.c[i], lin->angle.s[i]);

  /* Rotation in the world, origin from that of the parent. */
  lin->d[i] = parent < 0 ? X.p : m3_mul(lin->T[parent].R, X.p);
  lin->T[i] = (pose){parent < 0 ? X.R : m3_prod(lin->T[parent].R, X.R), v3_zero()};

  /* Screws in world axes, about the origin of the body. */
  if (is_revolute(body)) {
    lin->S[body->id] = (twist){v3_scale(splat(body->ratio), lin->T[i].R.z), v3_zero()};
  } else {
    joint_screws(tree, body, lin->q, NULL, S, NULL);
    for (int c = 0; c < body->nv; c++)
      lin->S[body->id + c] = (twist){m3_mul(lin->T[i].R, S[c].w), m3_mul(lin->T[i].R, S[c].v)};
  }

  /* V, A, G of the parent, about the origin of this body. */
  for (int k = 0; k < orders; k++) {
    lin->V[k * nb + i] = parent < 0 ? t_zero() : t_shift(lin->V[k * nb + parent], lin->d[i]);
    lin->G[k * nb + i] = parent < 0 ? t_zero() : t_shift(lin->G[k * nb + parent], lin->d[i]);
    lin->A[k * nb + i] = parent >= 0                      ? t_shift(lin->A[k * nb + parent], lin->d[i])
                         : k == 0 && !lin->without_weight ? base_acceleration(tree)
                                                          : t_zero();
    if (!lin->tangent && k > 0)
      for (int c = 0; c < body->nv; c++) lin->S[k * tree->nd + body->id + c] = t_zero();
  }

  /* What its coordinates add. */
  if (orders == 1 && !lin->tangent && is_revolute(body))
    set_revolute_motion(lin, i);
  else if (group)
    set_coordinates_motion(lin, i, 0, body->nv, orders);
  else
    for (int c = 0; c < body->nv; c++) set_coordinates_motion(lin, i, c, 1, orders);
}

/* Outwards: motions, and I, B, F of the bodies alone. */
FLAT void linearize_outward(const linearization *lin, int orders) {
  const JN_S(tree) *tree = lin->tree;
  for (int i = 0; i < tree->nb; i++) {
    set_joint_motion(lin, i, orders);
    set_body_sums(lin, i, orders);
  }
  for (int l = 0; l < tree->nlink && lin->W; l++) subtract_external_wrench(lin, l, orders);
}

/* Inwards: I, B, F and H summed over subtrees. */
FLAT void linearize_inward(const linearization *lin, int orders) {
  const JN_S(tree) *tree = lin->tree;
  int nb = tree->nb;
  for (int i = nb - 1; i >= 0; i--) {
    int parent = tree->body[i].parent;
    for (int k = 0; k < orders && parent >= 0; k++) {
      int to = k * nb + parent, from = k * nb + i;
      lin->I[to] = i_add(lin->I[to], i_shift(lin->I[from], lin->d[i]));
      lin->B[to] = rates_add(lin->B[to], rates_shift(lin->B[from], lin->d[i]));
      lin->F[to] = w_add(lin->F[to], w_shift(lin->F[from], lin->d[i]));
      if (lin->H) {
        unfixed_wrench H = wrench_change_shift(lin->H[from], lin->wrench_frame, lin->d[i]);
        lin->H[to] = (unfixed_wrench){m3_add(lin->H[to].N, H.N), v3_add(lin->H[to].f, H.f)};
      }
    }
  }
}

/* The whole linearization of `orders` orders. */
FLAT void linearize(const linearization *lin, int orders) {
  linearize_outward(lin, orders);
  linearize_inward(lin, orders);
}

/* ---- matrices ---- */

/* Matrices [nv x nv] of orders from, ..., orders - 1, each `step` reals after the one before; NULL: not wanted. */
typedef struct derived {
  int from;
  size_t step;
  real *dq, *dv, *M;
} derived;

/* The wrenches of one coordinate, of one order: what the screws of coordinates inward of it are multiplied with. */
typedef struct column {
  wrench Z, Y, F, Yv, H; /* I S; I ppsi + B psi + H S; S x* F; I (Psi + psi) + B S; H^T S */
  vec3 U;                /* B^T S */
} column;

/* Order 0 of the wrenches of a revolute joint's coordinate d on body i. */
FLAT column revolute_column(const linearization *lin, int i, int d) {
  column x;
  inertia I = lin->I[i];
  inertia_rates B = lin->B[i];
  vec3 e = lin->S[d].w, Qe = s3_mul(B.Q, e), Le = cross(B.L, e);
  wrench F = lin->F[i];
  x.Z = (wrench){s3_mul(I.J, e), cross(e, I.h)};
  x.U = v3_add(Qe, Le);
  x.Y = w_add(i_mul(I, lin->ppsi[d]), rates_mul(B, lin->psi[d]));
  x.F = (wrench){cross(e, F.m), cross(e, F.f)};
  x.Yv = i_mul(I, t_add(lin->Psi[d], lin->psi[d]));
  x.Yv = (wrench){v3_add(x.Yv.m, v3_sub(Qe, Le)), v3_axpy(K(-2), cross(B.P, e), x.Yv.f)};
  x.H = w_zero();
  return x;
}

/* Order k of the wrenches of coordinate d of body i. */
FLAT column column_order(const linearization *lin, int i, int d, int k) {
  int nb = lin->tree->nb, nd = lin->tree->nd;
  column x = {.Z = w_zero(), .Y = w_zero(), .F = w_zero(), .Yv = w_zero(), .H = w_zero(), .U = v3_zero()};
  for (int j = 0; j <= k; j++) {
    inertia I = lin->I[j * nb + i];
    inertia_rates B = lin->B[j * nb + i];
    int e = (k - j) * nd + d;
    twist S = lin->S[e];
    x.Z = w_add(x.Z, i_mul(I, S));
    x.U = v3_add(x.U, rates_tmul(B, S));
    x.Y = w_add(x.Y, w_add(i_mul(I, lin->ppsi[e]), rates_mul(B, lin->psi[e])));
    x.F = w_add(x.F, w_cross(S, lin->F[j * nb + i]));
    x.Yv = w_add(x.Yv, w_add(i_mul(I, t_add(lin->Psi[e], lin->psi[e])), rates_mul(B, S)));
    if (lin->H) {
      x.Y = w_add(x.Y, wrench_change_mul(lin->H[j * nb + i], lin->wrench_frame, S));
      x.H = w_add(x.H, wrench_change_tmul(lin->H[j * nb + i], lin->wrench_frame, S));
    }
  }
  return x;
}

/* Moves the wrenches of a coordinate to a point from which their own is at d. */
FLAT void shift_column(const linearization *lin, column *x, vec3 d) {
  x->Z = w_shift(x->Z, d);
  x->Y = w_shift(x->Y, d);
  x->Yv = w_shift(x->Yv, d);
  if (lin->H) x->H = w_shift(x->H, d);
}

/* Adds entries (row, col) of a coordinate with itself or another one of its group, l: everything moves along, so S x* F
 * is not part of them. */
FLAT void add_own_entries(const linearization *lin, const column *x, int l, int row, int col, int order,
                          const derived *to) {
  int n = lin->tree->nv, nd = lin->tree->nd, at = row * n + col;
  size_t base = (size_t)(order - to->from) * to->step;
  for (int j = 0; j <= order; j++) {
    twist S = lin->S[(order - j) * nd + l];
    if (to->dq) to->dq[base + (size_t)at] += power(x[j].Y, S);
    if (to->dv) to->dv[base + (size_t)at] += power(x[j].Yv, S);
    if (to->M) to->M[base + (size_t)at] += power(x[j].Z, S);
  }
}

/* Adds the entries of a coordinate, whose index in v is `out`, with coordinate l inward of it, whose index is `in`. */
FLAT void add_pair_entries(const linearization *lin, const column *x, int l, int in, int out, int order,
                           const derived *to) {
  int n = lin->tree->nv, nd = lin->tree->nd;
  size_t base = (size_t)(order - to->from) * to->step, upper = base + (size_t)(in * n + out),
         lower = base + (size_t)(out * n + in);
  for (int j = 0; j <= order; j++) {
    int e = (order - j) * nd + l;
    twist S = lin->S[e];

    /* dtau_in/dq_out = S_in . Y; dtau_out/dq_in = Z . ppsi_in + U . psi_in. */
    if (to->dq) {
      to->dq[upper] += power(x[j].Y, S);
      real entry = power(x[j].Z, lin->ppsi[e]) + dot(x[j].U, lin->psi[e].w);
      to->dq[lower] += lin->H ? entry + power(x[j].H, S) : entry;
    }

    /* dtau_in/dv_out = S_in . Yv; dtau_out/dv_in = Z . (Psi + psi)_in + U . S_in. */
    if (to->dv) {
      to->dv[upper] += power(x[j].Yv, S);
      to->dv[lower] += power(x[j].Z, t_add(lin->Psi[e], lin->psi[e])) + dot(x[j].U, S.w);
    }

    /* M = S_in . Z, both triangles. */
    if (to->M) {
      real entry = power(x[j].Z, S);
      to->M[upper] += entry;
      to->M[lower] += entry;
    }
  }
}

FLAT void clear_matrix(real *M, size_t step, int orders, int n) {
  for (int k = 0; k < orders && M; k++)
    for (int e = 0; e < n * n; e++) M[(size_t)k * step + (size_t)e] = ZERO;
}

/* All wanted matrices. x [orders] is scratch. Entries are added up, because coupled joints share coordinates. */
FLAT void linearization_matrices(const linearization *lin, int orders, column *x, const derived *to) {
  const JN_S(tree) *tree = lin->tree;
  int n = tree->nv;
  clear_matrix(to->dq, to->step, orders - to->from, n);
  clear_matrix(to->dv, to->step, orders - to->from, n);
  clear_matrix(to->M, to->step, orders - to->from, n);
  for (int i = 0; i < tree->nb; i++) {
    const JN_S(body) *body = &tree->body[i];
    int group = is_group(body), first = body->iv;
    for (int c = 0; c < body->nv; c++) {
      /* The coordinate's wrenches. */
      for (int k = 0; k < orders; k++) x[k] = column_order(lin, i, body->id + c, k);

      /* Entries with itself and its group. */
      for (int k = to->from; k < orders; k++) {
        for (int e = group ? 0 : c; e < (group ? body->nv : c + 1); e++)
          add_own_entries(lin, x, body->id + e, first + e, first + c, k, to);
      }

      /* Entries with the coordinates before it of the same joint, where S x* F counts too. */
      for (int k = 0; k < orders; k++) x[k].Y = w_add(x[k].Y, x[k].F);
      for (int k = to->from; k < orders; k++)
        for (int e = 0; e < c && !group; e++) add_pair_entries(lin, x, body->id + e, first + e, first + c, k, to);

      /* Entries with the coordinates of its ancestors: the wrenches are moved inwards, body by body. */
      for (int j = i; tree->body[j].parent >= 0;) {
        for (int k = 0; k < orders; k++) shift_column(lin, &x[k], lin->d[j]);
        j = tree->body[j].parent;
        const JN_S(body) *in = &tree->body[j];
        for (int k = to->from; k < orders; k++)
          for (int e = 0; e < in->nv; e++) add_pair_entries(lin, x, in->id + e, in->iv + e, first + c, k, to);
      }

      /* Armature and springs. */
      if (to->M && to->from == 0) to->M[(first + c) * (n + 1)] += armature_of(tree, body, c);
      if (to->dq && to->from == 0 && tree->has_springs) to->dq[(first + c) * (n + 1)] += stiffness_of(tree, body, c);
    }
  }
}

/* Order k of the forces: tau [nv] = S . F + armature * a + springs. */
FLAT void linearization_forces(const linearization *lin, int k, real *tau) {
  const JN_S(tree) *tree = lin->tree;
  for (int row = 0; row < tree->nv; row++) tau[row] = ZERO;
  for (int i = 0; i < tree->nb; i++) {
    const JN_S(body) *body = &tree->body[i];
    for (int c = 0; c < body->nv; c++) {
      for (int j = 0; j <= k; j++)
        tau[body->iv + c] += power(lin->F[j * tree->nb + i], lin->S[(k - j) * tree->nd + body->id + c]);
      if (lin->a) tau[body->iv + c] += armature_of(tree, body, c) * lin->a[k * tree->nv + body->iv + c];
    }
  }
  if (k == 0) add_springs(tree, lin->q, K(1), tau);
  if (k == 1) add_spring_change(tree, lin->tangent, tau);
}

#endif
