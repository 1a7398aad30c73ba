/* SPDX-License-Identifier: BSD-2-Clause */
/* Derivatives of inverse dynamics with respect to the state, as polynomials along a curve.
 *
 * Everything is in the world's axes, about the origin of the body it belongs to (a fixed point: where that origin is
 * now), so that no digits are lost however far bodies are from the world's origin or from each other. From body to body
 * only the point changes. Turning
 * coordinate k by d moves all that is outward of it by the twist S_k d. A quantity x that is carried along changes by
 * [S_k, x] (wrenches: S_k x* F = -ad*_{S_k} F); what is left, D_k x, is simple:
 *   psi_k  = [V_p, S_k]                    D_k V_m = psi_k            for all bodies m outward of k, p = before k
 *   ppsi_k = [A_p, S_k] + [V_p, psi_k]     D_k A_m = ppsi_k - [V_m, psi_k]
 *   D_k F_m = I_m ppsi_k + B_m psi_k,      B psi = V x* I psi - I [V, psi] + psi x* I V
 * and for velocities dF_m/dv_k = I_m (Psi_k + psi_k) + B_m S_k, Psi_k = [V_k, S_k] = dS_k/dt. B has twelve numbers:
 * with momentum (L, P) and Q the angular block of dI/dt, B psi = (Q w - L x w, -2 P x w), w the angular part of psi.
 * With sums over subtrees in I, B, F, and j outward of k or of the same joint,
 *
 *   dtau_j/dq_k = S_j . (I_j ppsi_k + B_j psi_k)
 *
 * and for j inward of k
 *
 *   dtau_j/dq_k = S_j . (I_k ppsi_k + B_k psi_k + S_k x* F_k)
 *
 * (kim2012 Table 5 for p = q_k, in closed form; O(n d)). A joint of several screws counts as so many joints.
 *
 * Along a curve with body twists G every carried quantity has x' = [G, x], which gives its Taylor coefficients without
 * any pose but the first. The curve may be the motion in time (G = V), or the straight change (dq, dv, da) of a second
 * derivative (G of dq). Arrays have the order as the slow index. */
#ifndef JN_KERNEL_FIRST_DERIVATIVES_LINEARIZATION_H
#define JN_KERNEL_FIRST_DERIVATIVES_LINEARIZATION_H

#include "../base/springs.h"
#include "../forward_dynamics/articulated.h"

enum { HOLD_BODY, HOLD_WORLD, HOLD_ALIGNED };

typedef struct rates {
  sym3 Q;
  vec3 L, P;
} rates;

/* How a held wrench changes: S -> (N w + (world: v x f), w x f). */
typedef struct held {
  mat3 N;
  vec3 f;
} held;

typedef struct linearization {
  const JN_S(tree) * t;
  int hold;
  int weightless; /* the base does not accelerate: true accelerations */
  const real *q;
  angles turn;
  const real *g;     /* [orders][nv] Taylor coefficients of the curve's tangent; NULL: it does not move */
  const real *v, *a; /* [orders][nv]; NULL: zero */
  const real *W;     /* [rows][nlink][6] external wrenches in link frames, or NULL; further rows are zero */
  int rows;
  pose *T;                     /* [nb] rotations; the translations are zero */
  vec3 *d;                     /* [nb] origin of a body from that of its parent, or of the world */
  twist *S, *Psi, *psi, *ppsi; /* [orders][nd] */
  twist *V, *A, *G;            /* [orders][nb] */
  inertia *I;                  /* [orders][nb], as the following: first of the bodies, then of their subtrees */
  rates *B;
  wrench *F;
  held *H;   /* when wrenches are held in the world's axes */
  wrench *x; /* [orders] */
} linearization;

FLAT linearization linearization_place(const JN_S(tree) * t, int orders, int hold, const real *q, real **at) {
  linearization w = {.t = t, .hold = hold, .q = q};
  w.turn = angles_at(t, q, at);
  w.T = TAKE(at, t->nb, pose);
  w.d = TAKE(at, t->nb, vec3);
  w.S = TAKE(at, orders * t->nd, twist);
  w.Psi = TAKE(at, orders * t->nd, twist);
  w.psi = TAKE(at, orders * t->nd, twist);
  w.ppsi = TAKE(at, orders * t->nd, twist);
  w.V = TAKE(at, orders * t->nb, twist);
  w.A = TAKE(at, orders * t->nb, twist);
  w.G = TAKE(at, orders * t->nb, twist);
  w.I = TAKE(at, orders * t->nb, inertia);
  w.B = TAKE(at, orders * t->nb, rates);
  w.F = TAKE(at, orders * t->nb, wrench);
  w.x = TAKE(at, orders, wrench);
  if (hold != HOLD_BODY) w.H = TAKE(at, orders * t->nb, held);
  return w;
}

/* ---- algebra ---- */

static inline wrench w_scale(real s, wrench F) { return (wrench){v3_scale(s, F.m), v3_scale(s, F.f)}; }

/* dI/dt of an inertia carried along by V: dh = P, and the angular block Q = [w]J - J[w] - [v][h] - [h][v]. */
static inline inertia i_rate(twist V, inertia I) {
  mat3 X = m3_cross_left(V.w, s3_full(I.J)); /* and its transpose */
  sym3 turned = {K(2) * X.x.x, K(2) * X.y.y, K(2) * X.z.z, X.x.y + X.y.x, X.x.z + X.z.x, X.y.z + X.z.y};
  return (inertia){ZERO, v3_axpy(I.m, V.v, cross(V.w, I.h)), s3_add(turned, s3_steiner(v3_scale(K(2), V.v), I.h))};
}
static inline inertia i_scale(real s, inertia I) {
  sym3 J = {s * I.J.xx, s * I.J.yy, s * I.J.zz, s * I.J.xy, s * I.J.xz, s * I.J.yz};
  return (inertia){s * I.m, v3_scale(s, I.h), J};
}
static inline wrench b_mul(rates B, twist X) {
  return (wrench){v3_sub(s3_mul(B.Q, X.w), cross(B.L, X.w)), v3_scale(K(-2), cross(B.P, X.w))};
}
/* The angular part of B^T X; the linear part is zero. */
static inline vec3 b_tmul(rates B, twist X) {
  return v3_axpy(K(2), cross(B.P, X.v), v3_add(s3_mul(B.Q, X.w), cross(B.L, X.w)));
}
static inline rates b_shift(rates B, vec3 d) {
  return (rates){s3_add(B.Q, s3_steiner(v3_scale(K(2), d), B.P)), v3_add(B.L, cross(d, B.P)), B.P};
}
static inline rates b_add(rates A, rates B) { return (rates){s3_add(A.Q, B.Q), v3_add(A.L, B.L), v3_add(A.P, B.P)}; }
/* (p.f) E - f p^T: w -> p x (w x f) */
static inline mat3 arm_matrix(vec3 p, vec3 f) {
  mat3 outer = {v3_scale(p.x, f), v3_scale(p.y, f), v3_scale(p.z, f)};
  return m3_axpy(K(-1), outer, m3_scale(dot(p, f), m3_identity()));
}
static inline held h_shift(held H, int hold, vec3 d) {
  mat3 more = hold == HOLD_WORLD ? m3_scale(K(-1), skew(cross(d, H.f))) : arm_matrix(d, H.f);
  return (held){m3_add(H.N, more), H.f};
}
static inline wrench h_mul(held H, int hold, twist X) {
  vec3 m = m3_mul(H.N, X.w);
  return (wrench){hold == HOLD_WORLD ? v3_add(m, cross(X.v, H.f)) : m, cross(X.w, H.f)};
}
static inline wrench h_tmul(held H, int hold, twist X) {
  vec3 m = v3_add(m3_tmul(H.N, X.w), cross(H.f, X.v));
  return (wrench){m, hold == HOLD_WORLD ? cross(H.f, X.w) : v3_zero()};
}

/* Order k of [a, b]; each has its own stride. */
FLAT twist bracket_order(const twist *a, int sa, const twist *b, int sb, int k) {
  twist sum = t_ad(a[0], b[k * sb]);
  for (int j = 1; j <= k; j++) sum = t_add(sum, t_ad(a[j * sa], b[(k - j) * sb]));
  return sum;
}

/* ---- outward ---- */

/* linearization_unit() of a revolute joint when nothing but the state is wanted: the screw is an axis alone. */
FLAT void linearization_turn(const linearization *w, int i) {
  const JN_S(body) *b = &w->t->body[i];
  vec3 e = w->S[b->id].w;
  twist V = w->V[i], A = w->A[i], psi = {cross(V.w, e), cross(V.v, e)}, more = t_ad(V, psi);
  w->psi[b->id] = psi;
  w->ppsi[b->id] = (twist){v3_add(cross(A.w, e), more.w), v3_add(cross(A.v, e), more.v)};
  w->Psi[b->id] = psi; /* its own turning adds nothing: [S v, S] = 0 */
  if (w->v) V.w = v3_axpy(w->v[b->iv], e, V.w);
  if (w->a) A.w = v3_axpy(w->a[b->iv], e, A.w);
  if (w->v) A = t_axpy(w->v[b->iv], psi, A);
  w->V[i] = V;
  w->A[i] = A;
}

/* Coordinates [first, first + count) of body i that act together: all of a group, else one screw. V, A, G of the body
 * hold what is before them, and get what is after. */
FLAT void linearization_unit(const linearization *w, int i, int first, int count, int orders) {
  const JN_S(tree) *t = w->t;
  int nb = t->nb, nd = t->nd, nv = t->nv, d = t->body[i].id + first, iv = t->body[i].iv + first;
  twist *V = w->V + i, *A = w->A + i, *G = w->G + i;
  for (int k = 0; k < orders && w->g; k++)
    for (int c = 0; c < count; c++) {
      twist *S = w->S + d + c;
      if (k > 0) S[k * nd] = t_scale(reciprocal(k), bracket_order(G, nb, S, nd, k - 1));
      if (c < count - 1) continue;
      for (int e = 0; e < count; e++) /* all screws have their order k now */
        for (int j = 0; j <= k; j++) G[k * nb] = t_axpy(w->g[(k - j) * nv + iv + e], w->S[j * nd + d + e], G[k * nb]);
    }
  for (int c = 0; c < count; c++)
    for (int k = 0; k < orders; k++) {
      const twist *S = w->S + d + c;
      w->psi[k * nd + d + c] = bracket_order(V, nb, S, nd, k);
      w->ppsi[k * nd + d + c] = t_add(bracket_order(A, nb, S, nd, k), bracket_order(V, nb, w->psi + d + c, nd, k));
    }
  for (int k = 0; k < orders && w->v; k++)
    for (int c = 0; c < count; c++)
      for (int j = 0; j <= k; j++) V[k * nb] = t_axpy(w->v[(k - j) * nv + iv + c], w->S[j * nd + d + c], V[k * nb]);
  for (int c = 0; c < count; c++)
    for (int k = 0; k < orders; k++) w->Psi[k * nd + d + c] = bracket_order(V, nb, w->S + d + c, nd, k);
  for (int k = 0; k < orders; k++)
    for (int c = 0; c < count; c++)
      for (int j = 0; j <= k; j++) {
        int at = (k - j) * nv + iv + c;
        if (w->a) A[k * nb] = t_axpy(w->a[at], w->S[j * nd + d + c], A[k * nb]);
        if (w->v) A[k * nb] = t_axpy(w->v[at], w->Psi[j * nd + d + c], A[k * nb]);
      }
}

/* A wrench that is constant in the body, carried along: x_0 is there, then x_k = (1/k) sum_j G_j x* x_{k-1-j}. */
FLAT void carry(const linearization *w, int i, int orders) {
  for (int k = 1; k < orders; k++) {
    wrench sum = w_zero();
    for (int j = 0; j < k; j++) sum = w_add(sum, w_cross(w->G[j * w->t->nb + i], w->x[k - 1 - j]));
    w->x[k] = w_scale(reciprocal(k), sum);
  }
}

/* The external wrench on link l is taken from F, and says how it is held. */
FLAT void linearization_wrench(const linearization *w, int l, int orders) {
  const JN_S(tree) *t = w->t;
  const JN_S(frame) *f = &t->frame[l];
  int nb = t->nb, i = f->body;
  if (i < 0) return;
  pose T = se3_mul(w->T[i], se3_constant(f->R, f->p));
  for (int row = 0; row < w->rows; row++) {
    w->x[0] = w_Ad_inverse(T, w_load(w->W + (row * t->nlink + l) * 6));
    if (w->hold == HOLD_BODY) {
      carry(w, i, orders - row);
    } else {
      vec3 p = T.p, force = w->x[0].f;
      for (int k = 0; k < orders; k++) { /* a curve has two orders at most here */
        held *H = &w->H[k * nb + i];
        if (k == 1) { /* the point of action moves */
          p = v3_add(w->G[i].v, cross(w->G[i].w, T.p));
          w->x[1] = w->hold == HOLD_ALIGNED ? (wrench){cross(p, force), v3_zero()} : w_zero();
        }
        if (k == 0) H->f = v3_add(H->f, force);
        if (k == 0) H->N = m3_axpy(K(-1), skew(w->x[0].m), H->N);
        if (w->hold == HOLD_WORLD) continue;
        mat3 N = arm_matrix(p, force);
        if (k == 0) N = m3_add(N, skew(cross(p, force))); /* the moment about the link's origin alone turns */
        H->N = m3_add(H->N, N);
      }
    }
    for (int k = 0; k + row < orders; k++) {
      wrench *F = &w->F[(k + row) * nb + i];
      *F = w_sub(*F, w->x[k]);
    }
  }
}

/* Inertia, B and F of body i alone. */
FLAT void linearization_body(const linearization *w, int i, int orders) {
  const JN_S(tree) *t = w->t;
  int nb = t->nb;
  inertia *I = w->I + i;
  rates *B = w->B + i;
  const twist *V = w->V + i, *A = w->A + i, *G = w->G + i;
  for (int k = 0; k < orders; k++) {
    if (k == 0) {
      I[0] = i_to_world(w->T[i].R, t->body[i].inertia);
    } else {
      I[k * nb] = i_rate(G[0], I[(k - 1) * nb]);
      for (int j = 1; j < k; j++) I[k * nb] = i_add(I[k * nb], i_rate(G[j * nb], I[(k - 1 - j) * nb]));
      I[k * nb] = i_scale(reciprocal(k), I[k * nb]);
    }
    wrench momentum = w_zero(), F = w_zero();
    B[k * nb].Q = (sym3){ZERO, ZERO, ZERO, ZERO, ZERO, ZERO};
    for (int j = 0; j <= k; j++) {
      momentum = w_add(momentum, i_mul(I[j * nb], V[(k - j) * nb]));
      B[k * nb].Q = s3_add(B[k * nb].Q, i_rate(V[(k - j) * nb], I[j * nb]).J);
    }
    B[k * nb].L = momentum.m;
    B[k * nb].P = momentum.f;
    for (int j = 0; j <= k; j++) {
      rates b = B[(k - j) * nb];
      F = w_add(F, w_add(i_mul(I[j * nb], A[(k - j) * nb]), w_cross(V[j * nb], (wrench){b.L, b.P})));
    }
    w->F[k * nb + i] = F;
    if (w->H) w->H[k * nb + i] = (held){m3_zero(), v3_zero()};
  }
}

/* The motion of body i: pose, screws and what belongs to them, V, A, G. Base acceleration (0, -gravity). */
FLAT void linearization_joint(const linearization *w, int i, int orders) {
  const JN_S(tree) *t = w->t;
  int nb = t->nb;
  const JN_S(body) *b = &t->body[i];
  int p = b->parent, group = is_group(b);
  twist S[6];
  pose X = body_pose(t, b, w->q, w->turn.c[i], w->turn.s[i]);
  w->d[i] = p < 0 ? X.p : m3_mul(w->T[p].R, X.p);
  w->T[i] = (pose){p < 0 ? X.R : m3_prod(w->T[p].R, X.R), v3_zero()};
  if (is_revolute(b)) {
    w->S[b->id] = (twist){v3_scale(splat(b->ratio), w->T[i].R.z), v3_zero()};
  } else {
    joint_screws(t, b, w->q, NULL, S, NULL);
    for (int c = 0; c < b->nv; c++) w->S[b->id + c] = (twist){m3_mul(w->T[i].R, S[c].w), m3_mul(w->T[i].R, S[c].v)};
  }
  for (int k = 0; k < orders; k++) {
    w->V[k * nb + i] = p < 0 ? t_zero() : t_shift(w->V[k * nb + p], w->d[i]);
    w->G[k * nb + i] = p < 0 ? t_zero() : t_shift(w->G[k * nb + p], w->d[i]);
    w->A[k * nb + i] = p >= 0                     ? t_shift(w->A[k * nb + p], w->d[i])
                       : k == 0 && !w->weightless ? base_acceleration(t)
                                                  : t_zero();
    if (!w->g && k > 0)
      for (int c = 0; c < b->nv; c++) w->S[k * t->nd + b->id + c] = t_zero();
  }
  if (orders == 1 && !w->g && is_revolute(b))
    linearization_turn(w, i);
  else if (group)
    linearization_unit(w, i, 0, b->nv, orders);
  else
    for (int c = 0; c < b->nv; c++) linearization_unit(w, i, c, 1, orders);
}

/* The linearization of the bodies alone. */
FLAT void linearize_outward(const linearization *w, int orders) {
  const JN_S(tree) *t = w->t;
  for (int i = 0; i < t->nb; i++) {
    linearization_joint(w, i, orders);
    linearization_body(w, i, orders);
  }
  for (int l = 0; l < t->nlink && w->W; l++) linearization_wrench(w, l, orders);
}

/* Sums over subtrees. */
FLAT void linearize_inward(const linearization *w, int orders) {
  const JN_S(tree) *t = w->t;
  int nb = t->nb;
  for (int i = nb - 1; i >= 0; i--) {
    int p = t->body[i].parent;
    for (int k = 0; k < orders && p >= 0; k++) {
      int to = k * nb + p, from = k * nb + i;
      w->I[to] = i_add(w->I[to], i_shift(w->I[from], w->d[i]));
      w->B[to] = b_add(w->B[to], b_shift(w->B[from], w->d[i]));
      w->F[to] = w_add(w->F[to], w_shift(w->F[from], w->d[i]));
      if (w->H) {
        held H = h_shift(w->H[from], w->hold, w->d[i]);
        w->H[to] = (held){m3_add(w->H[to].N, H.N), v3_add(w->H[to].f, H.f)};
      }
    }
  }
}

FLAT void linearize(const linearization *w, int orders) {
  linearize_outward(w, orders);
  linearize_inward(w, orders);
}

/* ---- results ---- */

/* Matrices [nv x nv] of orders from ... orders - 1, each `step` reals after the one before; NULL: not wanted. */
typedef struct derived {
  int from;
  size_t step;
  real *dq, *dv, *M;
} derived;

/* What one coordinate's wrenches are multiplied with, order by order. */
typedef struct column {
  wrench Z, Y, F, Yv, H; /* I S; I ppsi + B psi + held; S x* F; I (Psi + psi) + B S; held^T S */
  vec3 U;                /* B^T S */
} column;

/* Order 0 of a revolute joint. */
FLAT column column_turn(const linearization *w, int i, int d) {
  column x;
  inertia I = w->I[i];
  rates B = w->B[i];
  vec3 e = w->S[d].w, Qe = s3_mul(B.Q, e), Le = cross(B.L, e);
  wrench F = w->F[i];
  x.Z = (wrench){s3_mul(I.J, e), cross(e, I.h)};
  x.U = v3_add(Qe, Le);
  x.Y = w_add(i_mul(I, w->ppsi[d]), b_mul(B, w->psi[d]));
  x.F = (wrench){cross(e, F.m), cross(e, F.f)};
  x.Yv = i_mul(I, t_add(w->Psi[d], w->psi[d]));
  x.Yv = (wrench){v3_add(x.Yv.m, v3_sub(Qe, Le)), v3_axpy(K(-2), cross(B.P, e), x.Yv.f)};
  x.H = w_zero();
  return x;
}

FLAT column column_order(const linearization *w, int i, int d, int k) {
  int nb = w->t->nb, nd = w->t->nd;
  column x = {.Z = w_zero(), .Y = w_zero(), .F = w_zero(), .Yv = w_zero(), .H = w_zero(), .U = v3_zero()};
  for (int j = 0; j <= k; j++) {
    inertia I = w->I[j * nb + i];
    rates B = w->B[j * nb + i];
    int e = (k - j) * nd + d;
    twist S = w->S[e];
    x.Z = w_add(x.Z, i_mul(I, S));
    x.U = v3_add(x.U, b_tmul(B, S));
    x.Y = w_add(x.Y, w_add(i_mul(I, w->ppsi[e]), b_mul(B, w->psi[e])));
    x.F = w_add(x.F, w_cross(S, w->F[j * nb + i]));
    x.Yv = w_add(x.Yv, w_add(i_mul(I, t_add(w->Psi[e], w->psi[e])), b_mul(B, S)));
    if (w->H) {
      x.Y = w_add(x.Y, h_mul(w->H[j * nb + i], w->hold, S));
      x.H = w_add(x.H, h_tmul(w->H[j * nb + i], w->hold, S));
    }
  }
  return x;
}

/* The same about the parent's origin. */
FLAT void column_shift(const linearization *w, column *x, vec3 d) {
  x->Z = w_shift(x->Z, d);
  x->Y = w_shift(x->Y, d);
  x->Yv = w_shift(x->Yv, d);
  if (w->H) x->H = w_shift(x->H, d);
}

/* Entries of coordinate `at` with itself and others of its group: everything is carried along. */
FLAT void own_entries(const linearization *w, const column *x, int l, int row, int col, int order, const derived *to) {
  int n = w->t->nv, nd = w->t->nd, at = row * n + col;
  size_t base = (size_t)(order - to->from) * to->step;
  for (int j = 0; j <= order; j++) {
    twist S = w->S[(order - j) * nd + l];
    if (to->dq) to->dq[base + (size_t)at] += power(x[j].Y, S);
    if (to->dv) to->dv[base + (size_t)at] += power(x[j].Yv, S);
    if (to->M) to->M[base + (size_t)at] += power(x[j].Z, S);
  }
}

/* Entries of a coordinate, at place `out` of the matrices, with coordinate l inward of it, at place `in`. */
FLAT void pair_entries(const linearization *w, const column *x, int l, int in, int out, int order, const derived *to) {
  int n = w->t->nv, nd = w->t->nd;
  size_t base = (size_t)(order - to->from) * to->step, upper = base + (size_t)(in * n + out),
         lower = base + (size_t)(out * n + in);
  for (int j = 0; j <= order; j++) {
    int e = (order - j) * nd + l;
    twist S = w->S[e];
    if (to->dq) {
      to->dq[upper] += power(x[j].Y, S);
      real entry = power(x[j].Z, w->ppsi[e]) + dot(x[j].U, w->psi[e].w);
      to->dq[lower] += w->H ? entry + power(x[j].H, S) : entry;
    }
    if (to->dv) {
      to->dv[upper] += power(x[j].Yv, S);
      to->dv[lower] += power(x[j].Z, t_add(w->Psi[e], w->psi[e])) + dot(x[j].U, S.w);
    }
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

/* All wanted matrices; x [orders] is scratch. Sums, because coupled joints share coordinates. */
FLAT void linearization_matrices(const linearization *w, int orders, column *x, const derived *to) {
  const JN_S(tree) *t = w->t;
  int n = t->nv;
  clear_matrix(to->dq, to->step, orders - to->from, n);
  clear_matrix(to->dv, to->step, orders - to->from, n);
  clear_matrix(to->M, to->step, orders - to->from, n);
  for (int i = 0; i < t->nb; i++) {
    const JN_S(body) *b = &t->body[i];
    int group = is_group(b), first = b->iv;
    for (int c = 0; c < b->nv; c++) {
      for (int k = 0; k < orders; k++) x[k] = column_order(w, i, b->id + c, k);
      for (int k = to->from; k < orders; k++) {
        for (int e = group ? 0 : c; e < (group ? b->nv : c + 1); e++)
          own_entries(w, x, b->id + e, first + e, first + c, k, to);
      }
      for (int k = 0; k < orders; k++) x[k].Y = w_add(x[k].Y, x[k].F); /* inward of the coordinate both count */
      for (int k = to->from; k < orders; k++)
        for (int e = 0; e < c && !group; e++) pair_entries(w, x, b->id + e, first + e, first + c, k, to);
      for (int j = i; t->body[j].parent >= 0;) {
        for (int k = 0; k < orders; k++) column_shift(w, &x[k], w->d[j]);
        j = t->body[j].parent;
        const JN_S(body) *in = &t->body[j];
        for (int k = to->from; k < orders; k++)
          for (int e = 0; e < in->nv; e++) pair_entries(w, x, in->id + e, in->iv + e, first + c, k, to);
      }
      if (to->M && to->from == 0) to->M[(first + c) * (n + 1)] += armature_of(t, b, c);
      if (to->dq && to->from == 0 && t->carries_springs) to->dq[(first + c) * (n + 1)] += stiffness_of(t, b, c);
    }
  }
}

/* Order k of the forces, [nv]. */
FLAT void linearization_forces(const linearization *w, int k, real *tau) {
  const JN_S(tree) *t = w->t;
  for (int r = 0; r < t->nv; r++) tau[r] = ZERO;
  for (int i = 0; i < t->nb; i++) {
    const JN_S(body) *b = &t->body[i];
    for (int c = 0; c < b->nv; c++) {
      for (int j = 0; j <= k; j++) tau[b->iv + c] += power(w->F[j * t->nb + i], w->S[(k - j) * t->nd + b->id + c]);
      if (w->a) tau[b->iv + c] += armature_of(t, b, c) * w->a[k * t->nv + b->iv + c];
    }
  }
  if (k == 0) add_springs(t, w->q, K(1), tau);
  if (k == 1) add_spring_change(t, w->g, tau);
}

#endif
