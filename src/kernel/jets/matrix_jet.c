/* SPDX-License-Identifier: BSD-2-Clause */
/* Closed form of any order: jets of M, C, gravity forces and forces of external wrenches (kumar2021 sec. III,
 * garofalo2013 sec. V, for trees with any joints). All is in the frames of the bodies, as polynomials: u_j the screw of
 * coordinate j seen from body i that it moves, psi_j = du_j/dt + [V_i, u_j], and the sums over the subtree of i, I and
 * B = sum V x* I. With S = u_i of its own coordinate,
 *   M_ji = u_j . I S        C_ji = u_j . (I psi_i + B S)        C_ij = psi_j . I S + u_j . B^T S
 * for j inward of i (of the same joint: C_ji). Columns are carried outwards along the branches, sums inwards. What is
 * carried turns only as fast as bodies do against each other: in the world's axes, where nothing need be carried, all
 * turns at full speed, and order 20 of an arm of two joints lost four digits more. O(n d K^2). arg[0] = K. in: q, v
 * jets
 * [(K+2) x nv], wrench jets [(K+1) x nlink x 6] or NULL. out: M, C [(K+1) x nv x nv], g [(K+1) x nv], P [(K+2) x nv x
 * nv], forces of the wrenches [(K+1) x nv]. */
#include "../base/variant.h"
#include "../base/world.h"
#include "jacobian_columns.h"

/* Coefficients of one body lie together, order by order. */
typedef struct composite {
  jets J;
  columns c;
  int orders;        /* K + 1 */
  pose *T;           /* [nb][orders] pose in the parent body: not a rotation beyond order 0 */
  inertia *I;        /* [nb][orders], as the following of bodies, then of subtrees */
  crossed *B;        /* C or P wanted */
  wrench *Z, *Y, *X; /* [orders] I S; I psi + B S; B^T S of one coordinate */
  twist *psi;        /* [orders] */
  pose *E;           /* [orders] scratch */
  mat3 *H;           /* [orders] scratch, */
  crossed *D;        /*          and for C */
} composite;

/* Where the sums go; NULL: not wanted. */
typedef struct closed {
  int order;
  real *M, *C, *g, *P, *tau;
} closed;

/* ---- poses ---- */

/* T <- T E, both polynomials. */
static inline void pose_times(const composite *p, pose *T, const pose *E) {
  for (int k = p->orders - 1; k >= 0; k--) {
    pose sum = {m3_prod(T[0].R, E[k].R), v3_add(T[k].p, m3_mul(T[0].R, E[k].p))};
    for (int j = 1; j <= k; j++) {
      sum.R = m3_add(sum.R, m3_prod(T[j].R, E[k - j].R));
      sum.p = v3_add(sum.p, m3_mul(T[j].R, E[k - j].p));
    }
    T[k] = sum;
  }
}

/* The elementary motion: R = e e^T + c (1 - e e^T) + s [e], about the point y, and h x along e. */
static inline void part_pose(const composite *p, const elementary_motion *m, pose *E) {
  int nd = p->J.t->nd;
  mat3 along = {v3_scale(m->e.x, m->e), v3_scale(m->e.y, m->e), v3_scale(m->e.z, m->e)};
  for (int k = 0; k < p->orders; k++) {
    int a = k * nd + m->place;
    mat3 R = k == 0 ? m3_identity() : m3_zero();
    if (m->turns) {
      R = m3_axpy(p->J.c[a], m3_axpy(K(-1), along, m3_identity()), m3_scale(p->J.s[a], skew(m->e)));
      if (k == 0) R = m3_add(R, along);
    }
    vec3 to = v3_axpy(m->h * p->J.x[a], m->e, v3_neg(m3_mul(R, m->y)));
    E[k] = (pose){R, k == 0 ? v3_add(to, m->y) : to};
  }
}

/* T of body i. */
static inline void body_poses(const composite *p, int i) {
  const JN_S(tree) *t = p->J.t;
  const JN_S(body) *b = &t->body[i];
  pose *T = p->T + i * p->orders;
  T[0] = se3_constant(b->R, b->p);
  for (int k = 1; k < p->orders; k++) T[k] = (pose){m3_zero(), v3_zero()};
  for (int part = 0; part < parts_of(b); part++) {
    elementary_motion m = joint_part(t, i, part);
    part_pose(p, &m, p->E);
    pose_times(p, T, p->E);
  }
  if (!is_group(b)) return;
  for (int k = 0; k < p->orders; k++) p->E[k] = (pose){p->J.R[k * t->nb + i], p->J.p[k * t->nb + i]};
  pose_times(p, T, p->E);
}

/* ---- inwards: sums over subtrees ---- */

/* Order k of R x. */
static inline vec3 turned(const pose *T, const real *x, int stride, int k) {
  vec3 sum = m3_mul(T[0].R, v3_load(x + k * stride));
  for (int j = 1; j <= k; j++) sum = v3_add(sum, m3_mul(T[j].R, v3_load(x + (k - j) * stride)));
  return sum;
}

/* R A R^T in place; A lies `stride` reals apart. */
static inline void turn_both(const composite *p, const pose *T, real *A, int stride) {
  for (int k = 0; k < p->orders; k++) {
    p->H[k] = m3_zero();
    for (int j = 0; j <= k; j++) {
      mat3 X = {v3_load(A + j * stride), v3_load(A + j * stride + 3), v3_load(A + j * stride + 6)};
      p->H[k] = m3_add(p->H[k], m3_prod(T[k - j].R, X));
    }
  }
  for (int k = 0; k < p->orders; k++) {
    mat3 X = m3_zero();
    for (int j = 0; j <= k; j++) X = m3_add(X, m3_prod(p->H[j], m3_transpose(T[k - j].R)));
    v3_store(X.x, A + k * stride);
    v3_store(X.y, A + k * stride + 3);
    v3_store(X.z, A + k * stride + 6);
  }
}

/* Adds I of body i to that of its parent. E and Z serve as room for what is turned. */
static inline void inertia_inward(const composite *p, int i) {
  int n = p->orders;
  const pose *T = p->T + i * n;
  inertia *I = p->I + i * n, *to = p->I + p->J.t->body[i].parent * n;
  real *room = (real *)(void *)p->E;
  vec3 *h = (vec3 *)(void *)p->Z;
  for (int k = 0; k < n; k++) {
    mat3 J = s3_full(I[k].J);
    v3_store(J.x, room + 9 * k);
    v3_store(J.y, room + 9 * k + 3);
    v3_store(J.z, room + 9 * k + 6);
    h[k] = turned(T, &I->h.x, 10, k);
  }
  turn_both(p, T, room, 9);
  real m = I[0].m;
  for (int k = 0; k < n; k++) {
    const real *A = room + 9 * k;
    sym3 J = s3_from((mat3){v3_load(A), v3_load(A + 3), v3_load(A + 6)});
    for (int j = 0; j <= k; j++) J = s3_add(J, s3_steiner(T[j].p, v3_axpy(K(2), h[k - j], v3_scale(m, T[k - j].p))));
    to[k].J = s3_add(to[k].J, J);
    to[k].h = v3_add(to[k].h, v3_axpy(m, T[k].p, h[k]));
  }
  to[0].m += m;
}

/* The same of B. */
static inline void crossed_inward(const composite *p, int i) {
  int n = p->orders, stride = (int)(sizeof(crossed) / sizeof(real));
  const pose *T = p->T + i * n;
  crossed *B = p->D, *to = p->B + p->J.t->body[i].parent * n;
  for (int k = 0; k < n; k++) B[k] = p->B[i * n + k];
  turn_both(p, T, &B->A.x.x, stride);
  turn_both(p, T, &B->Z.x.x, stride);
  for (int k = n - 1; k >= 0; k--) {
    B[k].u = turned(T, &B->u.x, stride, k);
    B[k].w = turned(T, &B->w.x, stride, k);
  }
  for (int k = 0; k < n; k++) /* as crossed_add(): u and Z are the new ones in the last step */
    for (int j = 0; j <= k; j++) {
      B[k].u = v3_add(B[k].u, cross(T[j].p, B[k - j].w));
      B[k].A = m3_axpy(K(-1), m3_cross_left(T[j].p, B[k - j].Z), B[k].A);
    }
  for (int k = 0; k < n; k++)
    for (int j = 0; j <= k; j++) B[k].Z = m3_add(B[k].Z, m3_cross_cross(B[k - j].w, T[j].p));
  for (int k = 0; k < n; k++) {
    mat3 A = B[k].A;
    for (int j = 0; j <= k; j++) A = m3_axpy(K(-1), m3_cross_right(m3_add(skew(B[k - j].u), B[k - j].Z), T[j].p), A);
    to[k].A = m3_add(to[k].A, A);
    to[k].Z = m3_add(to[k].Z, B[k].Z);
    to[k].u = v3_add(to[k].u, B[k].u);
    to[k].w = v3_add(to[k].w, B[k].w);
  }
}

/* What belongs to body i alone. */
static inline void own_sums(const composite *p, int i) {
  const JN_S(tree) *t = p->J.t;
  int n = p->orders;
  inertia own = i_constant(t->body[i].inertia), none = {ZERO, v3_zero(), {ZERO, ZERO, ZERO, ZERO, ZERO, ZERO}};
  for (int k = 0; k < n; k++) {
    p->I[i * n + k] = k == 0 ? own : none;
    if (p->B) p->B[i * n + k] = crossed_of(p->J.V[k * t->nb + i], own);
  }
}

static inline void sums_inward(const composite *p) {
  const JN_S(tree) *t = p->J.t;
  for (int i = 0; i < t->nb; i++) own_sums(p, i);
  for (int i = t->nb - 1; i >= 0; i--) {
    if (t->body[i].parent < 0) continue;
    inertia_inward(p, i);
    if (p->B) crossed_inward(p, i);
  }
}

/* ---- entries ---- */

/* psi of column a, seen from body i, to order `orders` - 1. */
static inline void column_rate(const composite *p, int i, int a) {
  const columns *c = &p->c;
  for (int k = 0; k < p->orders; k++) {
    twist sum = t_scale(K(k + 1), c->u[(k + 1) * c->n + a]);
    for (int j = 0; j <= k; j++) sum = t_add(sum, t_ad(p->J.V[j * p->J.t->nb + i], c->u[(k - j) * c->n + a]));
    p->psi[k] = sum;
  }
}

/* Z, Y, X of column a, a coordinate of body i. */
static inline void own_column(const composite *p, int i, int a) {
  int n = p->orders;
  if (p->B) column_rate(p, i, a);
  for (int k = 0; k < n; k++) {
    p->Z[k] = p->Y[k] = p->X[k] = w_zero();
    for (int j = 0; j <= k; j++) {
      inertia I = p->I[i * n + j];
      twist S = p->c.u[(k - j) * p->c.n + a];
      p->Z[k] = w_add(p->Z[k], i_mul(I, S));
      if (!p->B) continue;
      p->Y[k] = w_add(p->Y[k], w_add(i_mul(I, p->psi[k - j]), crossed_mul(&p->B[i * n + j], 0, S)));
      p->X[k] = w_add(p->X[k], crossed_tmul(&p->B[i * n + j], 0, S));
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

/* Order k of a product of a wrench and a screw; screws lie `stride` apart. */
static inline real power_order(const wrench *F, const twist *S, int stride, int k) {
  real sum = power(F[0], S[k * stride]);
  for (int j = 1; j <= k; j++) sum += power(F[j], S[(k - j) * stride]);
  return sum;
}

/* Entries of the coordinate at hand, `out`, with column a, of coordinate `in`; own: of the same joint, whose C_ij comes
 * when their turns change. */
static inline void pair_orders(const composite *p, int i, int a, int in, int out, int own, const closed *to) {
  int n = p->J.t->nv, upper = in * n + out, lower = out * n + in, stride = p->c.n;
  const twist *u = p->c.u + a;
  if (p->B && !own) column_rate(p, i, a);
  for (int k = 0; k < p->orders; k++) {
    if (to->M || to->P) {
      real x = power_order(p->Z, u, stride, k);
      add_M(to, n, k, upper, x);
      if (!own) add_M(to, n, k, lower, x);
    }
    if (!p->B) continue;
    add_C(to, n, k, upper, power_order(p->Y, u, stride, k));
    if (!own) add_C(to, n, k, lower, power_order(p->Z, p->psi, 1, k) + power_order(p->X, u, stride, k));
  }
}

/* All entries of the coordinates of body i: the columns are there. */
static inline void body_entries(const composite *p, int i, const closed *to) {
  const JN_S(tree) *t = p->J.t;
  const JN_S(body) *b = &t->body[i];
  for (int c = 0; c < b->nv; c++) {
    own_column(p, i, b->id + c);
    for (int e = 0; e < b->nv; e++) pair_orders(p, i, b->id + e, b->iv + e, b->iv + c, 1, to);
    for (int j = b->parent; j >= 0; j = t->body[j].parent)
      for (int e = 0; e < t->body[j].nv; e++) pair_orders(p, i, t->body[j].id + e, t->body[j].iv + e, b->iv + c, 0, to);
    add_M(to, t->nv, 0, (b->iv + c) * (t->nv + 1), armature_of(t, b, c));
  }
}

/* ---- forces ---- */

/* Forces need no columns: the weight is carried outwards, and a joint feels that of its whole subtree; carrying the
 * weights of single bodies back inwards would be faster, but lose the digits that docs/jets.md tells of. O(n K^2). */
static inline void weights(const composite *p, real *g) {
  const JN_S(tree) *t = p->J.t;
  columns c = p->c;
  c.n = t->nb;
  c.count = 1;
  for (int i = 0; i < t->nb; i++) {
    int parent = t->body[i].parent;
    for (int k = 0; k < c.orders; k++)
      c.u[k * c.n + i] = parent >= 0 ? c.u[k * c.n + parent] : k == 0 ? base_acceleration(t) : t_zero();
    c.active[0] = i;
    columns_outward(&p->J, i, &c, 0);
    for (int k = 0; k < p->orders; k++) {
      wrench F = w_zero();
      for (int j = 0; j <= k; j++) F = w_add(F, i_mul(p->I[i * p->orders + j], c.u[(k - j) * c.n + i]));
      joint_inward(&p->J, i, F, k, g + k * t->nv);
    }
  }
}

static inline void wrench_forces(const composite *p, real *tau) {
  const JN_S(tree) *t = p->J.t;
  for (int k = 0; k < p->orders * t->nb; k++) p->J.F[k] = p->J.W[k];
  for (int k = 0; k < p->orders; k++) inward_order(&p->J, k, tau + k * t->nv);
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

static inline composite composite_place(const JN_S(tree) * t, int orders, const closed *to, const real *q, real **at) {
  composite p = {.J = jets_place(t, orders + 1, to->tau != NULL, q, at), .orders = orders};
  p.c = columns_place(orders + 1, t->nd + 1, at);
  p.c.apart = 1;
  p.T = TAKE(at, t->nb * orders, pose);
  p.I = TAKE(at, t->nb * orders, inertia);
  p.Z = TAKE(at, orders, wrench);
  p.Y = TAKE(at, orders, wrench);
  p.X = TAKE(at, orders, wrench);
  p.psi = TAKE(at, orders, twist);
  p.E = TAKE(at, orders, pose);
  p.H = TAKE(at, orders, mat3);
  if (to->C || to->P) p.B = TAKE(at, t->nb * orders, crossed);
  if (p.B) p.D = TAKE(at, orders, crossed);
  p.J.weightless = 1; /* the true twists: gravity has its own column */
  return p;
}

void JN_(matrix_jet)(const jn_call *call) {
  const jn_matrix_jet_arguments *args = &call->matrix_jet;
  const JN_S(tree) *t = call->tree;
  int order = args->order, n = t->nv;
  real *at = call->scratch;
  closed to = {order, args->M_jet, args->C_jet, args->g_jet, args->P, args->tau_jet};
  composite p = composite_place(t, order + 1, &to, args->q, &at);
  int32_t *path = TAKE_INTS(&at, t->nb);
  if (counts(call, at)) return;
  jet_to_taylor(args->v_jet, order + 2, n, p.J.v);
  if (to.tau) external_wrenches(&p.J, args->wrench_jet, order + 1);
  for (int k = 0; k < order + 2; k++) twists_order(&p.J, k);
  if (to.tau) wrench_forces(&p, to.tau);
  clear(to.M, (order + 1) * n * n);
  clear(to.C, (order + 1) * n * n);
  clear(to.P, (order + 2) * n * n);
  clear(to.g, (order + 1) * n);
  int matrices = to.M || to.C || to.P;
  for (int i = 0; i < t->nb && (matrices || to.g); i++) body_poses(&p, i);
  if (matrices || to.g) sums_inward(&p);
  if (to.g) weights(&p, to.g);
  for (int i = 0; i < t->nb && matrices; i++) {
    if (i > 0 && t->body[i].parent == i - 1)
      columns_outward(&p.J, i, &p.c, 1);
    else /* a branch ended: once more from the world */
      columns_of(&p.J, i, &p.c, path);
    body_entries(&p, i, &to);
  }
  scale(&to, n);
}
