/* SPDX-License-Identifier: BSD-2-Clause */
/* Closed form of any order: jets of M, C, gravity forces and forces of external wrenches (kumar2021 sec. III,
 * garofalo2013 sec. V, for trees with any joints). In the world's axes, about points that stand still where the bodies'
 * origins are now, what is carried along by a body has the derivative [V, x], so the motion alone gives the Taylor
 * coefficients of screws S and inertias I, dS/dt = [V, S] = Psi, and with sums over subtrees in I and B = V x* I
 *   M_ij = S_j . I_i S_i        C_ji = S_j . (I_i Psi_i + B_i S_i)        C_ij = Psi_j . I_i S_i + S_j . B_i^T S_i
 * for j inward of i (both of one joint: C_ji) are products of polynomials. O(n d K^2). arg[0] = K. in: q, v jets
 * [(K+2) x nv], wrench jets [(K+1) x nlink x 6] or NULL. out: M, C [(K+1) x nv x nv], g [(K+1) x nv], P [(K+2) x nv x
 * nv], forces of the wrenches [(K+1) x nv]. */
#include "derivative.h"
#include "jets.h"
#include "row.h"

/* Coefficients of one body or coordinate lie together, order by order. */
typedef struct carried {
  world w;           /* rotations and offsets now; its S is of order 0 */
  int orders;        /* K + 1 */
  real *v;           /* [orders + 1][nv] */
  twist *S;          /* [nd][orders + 1] */
  twist *V;          /* [nb][orders] */
  inertia *I;        /* [nb][orders], as the following first of bodies, then of subtrees */
  crossed *B;        /* C or P wanted */
  wrench *F;         /* external wrenches, where there are some */
  wrench *Z, *Y, *X; /* [orders] I S; I Psi + B S; B^T S of one coordinate */
} carried;

/* Where the sums go; NULL: not wanted. */
typedef struct closed {
  int order;
  real *M, *C, *g, *P, *tau;
} closed;

static inline wrench w_scaled(real s, wrench F) { return (wrench){v3_scale(s, F.m), v3_scale(s, F.f)}; }

static inline crossed crossed_sum(crossed a, crossed b) {
  return (crossed){m3_add(a.A, b.A), m3_add(a.Z, b.Z), v3_add(a.u, b.u), v3_add(a.w, b.w)};
}

/* The next coefficient of a screw that V carries: order k from the lower ones. */
static inline twist carry_screw(const twist *V, const twist *S, int k) {
  return t_scale(reciprocal(k), bracket_order(V, 1, S, 1, k - 1));
}

/* Adds coordinate iv to order k of V. */
static inline void add_rate(const carried *p, twist *V, const twist *S, int iv, int k) {
  for (int j = 0; j <= k; j++) V[k] = t_axpy(p->v[(k - j) * p->w.t->nv + iv], S[j], V[k]);
}

/* Screws and twist of body i. A screw is carried by what moves it: the coordinates before it, or all of its group. */
static inline void carry_body(const carried *p, int i) {
  const JN_S(body) *b = &p->w.t->body[i];
  int n = p->orders, group = is_group(b);
  twist *V = p->V + i * n;
  for (int k = 0; k < n; k++) V[k] = b->parent < 0 ? t_zero() : t_shift(p->V[b->parent * n + k], p->w.d[i]);
  for (int c = 0; c < b->nv; c++) p->S[(b->id + c) * (n + 1)] = p->w.S[b->id + c];
  for (int c = 0; c < b->nv && !group; c++) {
    twist *S = p->S + (b->id + c) * (n + 1);
    for (int k = 1; k <= n; k++) S[k] = carry_screw(V, S, k);
    for (int k = n - 1; k >= 0; k--) add_rate(p, V, S, b->iv + c, k);
  }
  for (int k = 0; k <= n && group; k++)
    for (int c = 0; c < b->nv; c++) {
      twist *S = p->S + (b->id + c) * (n + 1);
      if (k > 0) S[k] = carry_screw(V, S, k);
      for (int e = 0; e < b->nv && c == b->nv - 1 && k < n; e++) /* all screws have their order k now */
        add_rate(p, V, p->S + (b->id + e) * (n + 1), b->iv + e, k);
    }
}

/* The inertia of body i, and B. */
static inline void carry_inertia(const carried *p, int i) {
  int n = p->orders;
  const twist *V = p->V + i * n;
  inertia *I = p->I + i * n;
  I[0] = i_turn(p->w.R[i], p->w.t->body[i].inertia);
  for (int k = 1; k < n; k++) {
    inertia sum = i_rate(V[0], I[k - 1]);
    for (int j = 1; j < k; j++) sum = i_add(sum, i_rate(V[j], I[k - 1 - j]));
    I[k] = i_scale(reciprocal(k), sum);
  }
  for (int k = 0; k < n && p->B; k++) {
    crossed sum = crossed_of(V[k], I[0]);
    for (int j = 1; j <= k; j++) sum = crossed_sum(sum, crossed_of(V[k - j], I[j]));
    p->B[i * n + k] = sum;
  }
}

/* External wrenches, constant in the body but for their own coefficients W [orders][nb]. Z is scratch. */
static inline void carry_wrenches(const carried *p, const wrench *W, int i) {
  int n = p->orders, nb = p->w.t->nb;
  const twist *V = p->V + i * n;
  for (int k = 0; k < n; k++) p->F[i * n + k] = w_zero();
  for (int row = 0; row < n; row++) {
    wrench *x = p->Z, F = W[row * nb + i];
    x[0] = (wrench){m3_mul(p->w.R[i], F.m), m3_mul(p->w.R[i], F.f)};
    for (int k = 0; k + row < n; k++) {
      wrench sum = w_zero();
      for (int j = 0; j < k; j++) sum = w_add(sum, w_cross(V[j], x[k - 1 - j]));
      if (k > 0) x[k] = w_scaled(reciprocal(k), sum);
      p->F[i * n + k + row] = w_add(p->F[i * n + k + row], x[k]);
    }
  }
}

static inline void carry_inward(const carried *p, int i) {
  int n = p->orders, to = p->w.t->body[i].parent * n;
  vec3 d = p->w.d[i];
  for (int k = 0; k < n && to >= 0; k++) {
    p->I[to + k] = i_add(p->I[to + k], i_shift(p->I[i * n + k], d));
    if (p->B) crossed_add(&p->B[to + k], &p->B[i * n + k], d);
    if (p->F) p->F[to + k] = w_add(p->F[to + k], w_shift(p->F[i * n + k], d));
  }
}

/* Z, Y, X of coordinate d of body i. */
static inline void carry_column(const carried *p, int i, int d) {
  int n = p->orders, turn = 0; /* beyond order 0 the screw of a revolute joint is not an axis alone */
  const twist *S = p->S + d * (n + 1);
  for (int k = 0; k < n; k++) {
    p->Z[k] = p->Y[k] = p->X[k] = w_zero();
    for (int j = 0; j <= k; j++) {
      inertia I = p->I[i * n + j];
      p->Z[k] = w_add(p->Z[k], i_mul(I, S[k - j]));
      if (!p->B) continue;
      const crossed *B = &p->B[i * n + j];
      wrench own = i_mul(I, t_scale(K(k - j + 1), S[k - j + 1]));
      p->Y[k] = w_add(p->Y[k], w_add(own, crossed_mul(B, turn, S[k - j])));
      p->X[k] = w_add(p->X[k], crossed_tmul(B, turn, S[k - j]));
    }
  }
}

/* Adds order k of M to M and P, of C to C and P. Row r of P gathers r M_{K+1-r} + C_{K-r}, to be scaled by K!/r!. */
static inline void add_M(const closed *to, int n, int k, int at, real x) {
  if (to->M) to->M[k * n * n + at] += x;
  if (to->P) to->P[(to->order + 1 - k) * n * n + at] += K(to->order + 1 - k) * x;
}
static inline void add_C(const closed *to, int n, int k, int at, real x) {
  if (to->C) to->C[k * n * n + at] += x;
  if (to->P) to->P[(to->order - k) * n * n + at] += x;
}

/* Order k of a product of a wrench and a screw. */
static inline real power_order(const wrench *F, const twist *S, int k) {
  real sum = power(F[0], S[k]);
  for (int j = 1; j <= k; j++) sum += power(F[j], S[k - j]);
  return sum;
}

/* Entries of the column at hand, of coordinate `out`, with that of screw l, `in`, inward of it; own: with itself or
 * another of its joint, and C_ij comes when their turns change. */
static inline void carry_entries(const carried *p, int l, int in, int out, int own, const closed *to) {
  int n = p->w.t->nv, upper = in * n + out, lower = out * n + in;
  const twist *S = p->S + l * (p->orders + 1);
  for (int k = 0; k < p->orders; k++) {
    if (to->M || to->P) {
      real x = power_order(p->Z, S, k);
      add_M(to, n, k, upper, x);
      if (!own) add_M(to, n, k, lower, x);
    }
    if (!p->B) continue;
    add_C(to, n, k, upper, power_order(p->Y, S, k));
    if (own) continue;
    real x = power_order(p->X, S, k);
    for (int j = 0; j <= k; j++) x += K(k - j + 1) * power(p->Z[j], S[k - j + 1]);
    add_C(to, n, k, lower, x);
  }
}

static inline void carry_matrices(const carried *p, const closed *to) {
  const JN_S(tree) *t = p->w.t;
  for (int i = 0; i < t->nb; i++)
    for (int c = 0; c < t->body[i].nv; c++) {
      const JN_S(body) *b = &t->body[i];
      carry_column(p, i, b->id + c);
      for (int e = 0; e < b->nv; e++) carry_entries(p, b->id + e, b->iv + e, b->iv + c, 1, to);
      for (int j = i; t->body[j].parent >= 0;) {
        for (int k = 0; k < p->orders; k++) {
          p->Z[k] = w_shift(p->Z[k], p->w.d[j]);
          p->Y[k] = w_shift(p->Y[k], p->w.d[j]);
          p->X[k] = w_shift(p->X[k], p->w.d[j]);
        }
        j = t->body[j].parent;
        const JN_S(body) *in = &t->body[j];
        for (int e = 0; e < in->nv; e++) carry_entries(p, in->id + e, in->iv + e, b->iv + c, 0, to);
      }
      add_M(to, t->nv, 0, (b->iv + c) * (t->nv + 1), armature_of(t, b, c));
    }
}

static inline void carry_forces(const carried *p, const closed *to) {
  const JN_S(tree) *t = p->w.t;
  int n = p->orders;
  twist base = base_acceleration(t);
  for (int i = 0; i < t->nb; i++) {
    const JN_S(body) *b = &t->body[i];
    for (int k = 0; k < n; k++) p->Z[k] = i_mul(p->I[i * n + k], base);
    for (int c = 0; c < b->nv; c++)
      for (int k = 0; k < n; k++) {
        const twist *S = p->S + (b->id + c) * (n + 1);
        if (to->g) to->g[k * t->nv + b->iv + c] += power_order(p->Z, S, k);
        if (to->tau) to->tau[k * t->nv + b->iv + c] += power_order(p->F + i * n, S, k);
      }
  }
}

/* From Taylor coefficients to derivatives; K!/r! for row r of P. */
static inline void scale(const closed *to, int n) {
  int order = to->order;
  if (to->M) taylor_to_jet(to->M, order + 1, n * n);
  if (to->C) taylor_to_jet(to->C, order + 1, n * n);
  if (to->g) taylor_to_jet(to->g, order + 1, n);
  if (to->tau) taylor_to_jet(to->tau, order + 1, n);
  if (!to->P) return;
  scalar f = (scalar)1 / (scalar)(order + 1);
  for (int r = order + 1; r >= 0; f *= (scalar)r, r--)
    for (int k = 0; k < n * n; k++) to->P[r * n * n + k] *= splat(f);
}

static inline void clear(real *x, int count) {
  for (int k = 0; k < count && x; k++) x[k] = ZERO;
}

/* Takes 18 nb + 12 nd + (orders + 1) (nv + 6 nd) + orders (6 + 10 + 24 + 6 + 6) nb + 18 orders, and those of
 * angles_at(). */
static inline carried carried_place(const JN_S(tree) * t, int orders, const closed *to, real **at) {
  carried p = {.w = world_place(t, at), .orders = orders};
  p.v = take(at, (size_t)((orders + 1) * t->nv));
  p.S = TAKE(at, t->nd * (orders + 1), twist);
  p.V = TAKE(at, t->nb * orders, twist);
  p.I = TAKE(at, t->nb * orders, inertia);
  p.Z = TAKE(at, orders, wrench);
  p.Y = TAKE(at, orders, wrench);
  p.X = TAKE(at, orders, wrench);
  if (to->C || to->P) p.B = TAKE(at, t->nb * orders, crossed);
  if (to->tau) p.F = TAKE(at, t->nb * orders, wrench);
  return p;
}

void JN_(matrix_jet)(const jn_call *call) {
  const JN_S(tree) *t = call->tree;
  int order = call->arg[0], n = t->nv;
  real *at = call->scratch;
  closed to = {order, call->out[0], call->out[1], call->out[2], call->out[3], call->out[4]};
  angles turn = angles_at(t, call->in[0], &at);
  carried p = carried_place(t, order + 1, &to, &at);
  jets J = {.t = t, .W = TAKE(&at, p.F ? t->nb * (order + 1) : 0, wrench)};
  jet_to_taylor(call->in[1], order + 2, n, p.v);
  if (p.F) external_wrenches(&J, call->in[2], order + 1);
  for (int i = 0; i < t->nb; i++) {
    world_outward(&p.w, i, call->in[0], NULL, turn);
    carry_body(&p, i);
    carry_inertia(&p, i);
    if (p.F) carry_wrenches(&p, J.W, i);
  }
  for (int i = t->nb - 1; i >= 0; i--) carry_inward(&p, i);
  clear(to.M, (order + 1) * n * n);
  clear(to.C, (order + 1) * n * n);
  clear(to.P, (order + 2) * n * n);
  clear(to.g, (order + 1) * n);
  clear(to.tau, (order + 1) * n);
  if (to.M || to.C || to.P) carry_matrices(&p, &to);
  if (to.g || to.tau) carry_forces(&p, &to);
  scale(&to, n);
}
