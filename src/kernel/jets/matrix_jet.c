/* SPDX-License-Identifier: BSD-2-Clause */
/* Time derivatives of any order of M, C, the gravity forces and the forces of external wrenches, in closed form.
 * [kumar2021 eqs. 34-38, 43-47; garofalo2013 eq. 25; orders 1 and 2: mueller2021 eqs. 34-43, 44-53]
 *
 * The papers sum J^T I J and its derivatives over the bodies of a chain; here, for trees with any joints, the sums over
 * the subtree of a body are made once, as polynomials of time, and each pair of coordinates takes one product. For a
 * coordinate i and a coordinate j inward of it (or of the same joint), with S = u_i the screw of i, u_j that of j seen
 * from the body of i, and psi_j = du_j/dt + [V_i, u_j]:
 *
 *   M_ji = u_j . I S                            I = sum of inertias over the subtree of i           (6a)
 *   C_ji = u_j . (I psi_i + B S)                B = sum of V x* I over it                           (6b)
 *   C_ij = psi_j . I S + u_j . B^T S            of different joints
 *   g_i  = S . I a_0                            a_0 = (0, -gravity) carried outwards
 *   tau_i = S . sum of external wrenches W over the subtree
 *   tau^(K) = sum_r P_r v^(r) + g^(K),          P_r = binom(K, r-1) M^(K+1-r) + binom(K, r) C^(K-r)   kumar2021 (34)
 *
 * where every product is a product of series, (x y)_k = sum_j x_j y_{k-j}. All quantities are in the frame of the body
 * that they belong to. Columns u are carried outwards along the branches (jacobian_columns.h), sums inwards. What is
 * carried rotates only as fast as bodies do against each other: in world axes, where nothing need be carried, all
 * rotates at full speed, and order 20 of an arm of two joints lost four digits more.
 *
 *   symbol   meaning                                       frame, unit                 size
 *   T        pose in the parent body                       parent; -, m                [nb][orders]
 *   I        inertia of the body, then of its subtree      body; kg, kg m, kg m^2      [nb][orders]
 *   B        V x* I of the body, then of its subtree       body                        [nb][orders]
 *   u        columns: screws seen from the body            body                        [orders + 1][nd + 1]
 *   psi      du/dt + [V, u] of one column                  body                        [orders]
 *   Z, Y, X  I S; I psi + B S; B^T S of one coordinate     body                        [orders]
 *
 * order = K. in: q, v jets [(K+2) x nv], W jets [(K+1) x nlink x 6] or NULL. out (NULL: not wanted): M, C
 * [(K+1) x nv x nv], g [(K+1) x nv], P [(K+2) x nv x nv], tau of W [(K+1) x nv]. Cost O(n d K^2). */
#include "../base/variant.h"
#include "../base/world.h"
#include "jacobian_columns.h"

/* Sums over subtrees. The coefficients of one body lie together, order by order. */
typedef struct subtree_series {
  jets J;
  columns c;
  int orders;        /* K + 1 */
  pose *T;           /* [nb][orders] pose in the parent body; beyond order 0 its matrix is not a rotation */
  inertia *I;        /* [nb][orders] of bodies, then of subtrees */
  crossed *B;        /* [nb][orders], likewise; NULL: neither C nor P is wanted */
  wrench *Z, *Y, *X; /* [orders] I S; I psi + B S; B^T S of one coordinate */
  twist *psi;        /* [orders] */
  pose *E;           /* [orders] scratch */
  mat3 *H;           /* [orders] scratch, */
  crossed *D;        /*          and for C */
} subtree_series;

/* Where results go; NULL: not wanted. */
typedef struct jet_outputs {
  int order;
  real *M, *C, *g, *P, *tau;
} jet_outputs;

/* ---- poses ---- */

/* T <- T E, both polynomials of time: R_k = sum_j R_j E.R_{k-j}, p_k = p_k + sum_j R_j E.p_{k-j}. */
static inline void multiply_pose(const subtree_series *sums, pose *T, const pose *E) {
  for (int k = sums->orders - 1; k >= 0; k--) {
    pose sum = {m3_prod(T[0].R, E[k].R), v3_add(T[k].p, m3_mul(T[0].R, E[k].p))};
    for (int j = 1; j <= k; j++) {
      sum.R = m3_add(sum.R, m3_prod(T[j].R, E[k - j].R));
      sum.p = v3_add(sum.p, m3_mul(T[j].R, E[k - j].p));
    }
    T[k] = sum;
  }
}

/* Pose of an elementary motion: R = e e^T + c (1 - e e^T) + s [e] about the point y, and h x along e. */
static inline void pose_of_elementary_motion(const subtree_series *sums, const elementary_motion *motion, pose *E) {
  int nd = sums->J.tree->nd;
  mat3 along = {v3_scale(motion->axis.x, motion->axis), v3_scale(motion->axis.y, motion->axis),
                v3_scale(motion->axis.z, motion->axis)};
  for (int k = 0; k < sums->orders; k++) {
    int index = k * nd + motion->id;
    mat3 R = k == 0 ? m3_identity() : m3_zero();
    if (motion->rotates) {
      R = m3_axpy(sums->J.c[index], m3_axpy(K(-1), along, m3_identity()),
                  m3_scale(sums->J.s[index], skew(motion->axis)));
      if (k == 0) R = m3_add(R, along);
    }
    vec3 to = v3_axpy(motion->pitch * sums->J.x[index], motion->axis, v3_neg(m3_mul(R, motion->point)));
    E[k] = (pose){R, k == 0 ? v3_add(to, motion->point) : to};
  }
}

/* T of body i: its placement times the motions of its joint. */
static inline void body_poses(const subtree_series *sums, int i) {
  const JN_S(tree) *tree = sums->J.tree;
  const JN_S(body) *body = &tree->body[i];
  pose *T = sums->T + i * sums->orders;
  T[0] = se3_constant(body->R, body->p);
  for (int k = 1; k < sums->orders; k++) T[k] = (pose){m3_zero(), v3_zero()};

  for (int part = 0; part < elementary_motion_count(body); part++) {
    elementary_motion motion = elementary_motion_of(tree, i, part);
    pose_of_elementary_motion(sums, &motion, sums->E);
    multiply_pose(sums, T, sums->E);
  }

  /* Spherical and free joints: R and p are there already. */
  if (!is_group(body)) return;
  for (int k = 0; k < sums->orders; k++) sums->E[k] = (pose){sums->J.R[k * tree->nb + i], sums->J.p[k * tree->nb + i]};
  multiply_pose(sums, T, sums->E);
}

/* ---- inwards: sums over subtrees ---- */

/* Order k of R x, x_j at x + j * stride. */
static inline vec3 rotate_pose_order(const pose *T, const real *x, int stride, int k) {
  vec3 sum = m3_mul(T[0].R, v3_load(x + k * stride));
  for (int j = 1; j <= k; j++) sum = v3_add(sum, m3_mul(T[j].R, v3_load(x + (k - j) * stride)));
  return sum;
}

/* R A R^T in place, as products of series; A_k is at A + k * stride. */
static inline void rotate_tensor(const subtree_series *sums, const pose *T, real *A, int stride) {
  /* R A. */
  for (int k = 0; k < sums->orders; k++) {
    sums->H[k] = m3_zero();
    for (int j = 0; j <= k; j++) {
      mat3 X = {v3_load(A + j * stride), v3_load(A + j * stride + 3), v3_load(A + j * stride + 6)};
      sums->H[k] = m3_add(sums->H[k], m3_prod(T[k - j].R, X));
    }
  }

  /* (R A) R^T. */
  for (int k = 0; k < sums->orders; k++) {
    mat3 X = m3_zero();
    for (int j = 0; j <= k; j++) X = m3_add(X, m3_prod(sums->H[j], m3_transpose(T[k - j].R)));
    v3_store(X.x, A + k * stride);
    v3_store(X.y, A + k * stride + 3);
    v3_store(X.z, A + k * stride + 6);
  }
}

/* Adds the inertia of subtree i to that of its parent. E and Z are scratch for what is rotated. */
static inline void add_inertia_series_to_parent(const subtree_series *sums, int i) {
  int n = sums->orders;
  const pose *T = sums->T + i * n;
  inertia *I = sums->I + i * n, *to = sums->I + sums->J.tree->body[i].parent * n;
  real *rotated = (real *)(void *)sums->E;
  vec3 *h = (vec3 *)(void *)sums->Z;

  /* First and second moments in the parent's axes: R h, R J R^T. */
  for (int k = 0; k < n; k++) {
    mat3 J = s3_full(I[k].J);
    v3_store(J.x, rotated + 9 * k);
    v3_store(J.y, rotated + 9 * k + 3);
    v3_store(J.z, rotated + 9 * k + 6);
    h[k] = rotate_pose_order(T, &I->h.x, 10, k);
  }
  rotate_tensor(sums, T, rotated, 9);

  /* About the parent's origin, by Steiner's rule with p(t) in place of a constant arm. */
  real m = I[0].m;
  for (int k = 0; k < n; k++) {
    const real *A = rotated + 9 * k;
    sym3 J = s3_from((mat3){v3_load(A), v3_load(A + 3), v3_load(A + 6)});
    for (int j = 0; j <= k; j++) J = s3_add(J, s3_steiner(T[j].p, v3_axpy(K(2), h[k - j], v3_scale(m, T[k - j].p))));
    to[k].J = s3_add(to[k].J, J);
    to[k].h = v3_add(to[k].h, v3_axpy(m, T[k].p, h[k]));
  }
  to[0].m += m;
}

/* Adds B of subtree i to that of its parent: crossed_add() of world.h with series for products. */
static inline void add_crossed_series_to_parent(const subtree_series *sums, int i) {
  int n = sums->orders, stride = (int)(sizeof(crossed) / sizeof(real));
  const pose *T = sums->T + i * n;
  crossed *B = sums->D, *to = sums->B + sums->J.tree->body[i].parent * n;

  /* In the parent's axes. */
  for (int k = 0; k < n; k++) B[k] = sums->B[i * n + k];
  rotate_tensor(sums, T, &B->A.x.x, stride);
  rotate_tensor(sums, T, &B->Z.x.x, stride);
  for (int k = n - 1; k >= 0; k--) {
    B[k].u = rotate_pose_order(T, &B->u.x, stride, k);
    B[k].w = rotate_pose_order(T, &B->w.x, stride, k);
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

/* I and B of body i alone. */
static inline void set_own_sums(const subtree_series *sums, int i) {
  const JN_S(tree) *tree = sums->J.tree;
  int n = sums->orders;
  inertia own = i_constant(tree->body[i].inertia), none = {ZERO, v3_zero(), {ZERO, ZERO, ZERO, ZERO, ZERO, ZERO}};
  for (int k = 0; k < n; k++) {
    sums->I[i * n + k] = k == 0 ? own : none;
    if (sums->B) sums->B[i * n + k] = crossed_of(sums->J.V[k * tree->nb + i], own);
  }
}

/* Inwards: sums over all subtrees. */
static inline void sum_over_subtrees(const subtree_series *sums) {
  const JN_S(tree) *tree = sums->J.tree;
  for (int i = 0; i < tree->nb; i++) set_own_sums(sums, i);
  for (int i = tree->nb - 1; i >= 0; i--) {
    if (tree->body[i].parent < 0) continue;
    add_inertia_series_to_parent(sums, i);
    if (sums->B) add_crossed_series_to_parent(sums, i);
  }
}

/* ---- entries ---- */

/* psi = du/dt + [V, u] of column a, seen from body i, all orders. */
static inline void column_rate(const subtree_series *sums, int i, int a) {
  const columns *c = &sums->c;
  for (int k = 0; k < sums->orders; k++) {
    twist sum = t_scale(K(k + 1), c->u[(k + 1) * c->n + a]);
    for (int j = 0; j <= k; j++) sum = t_add(sum, t_ad(sums->J.V[j * sums->J.tree->nb + i], c->u[(k - j) * c->n + a]));
    sums->psi[k] = sum;
  }
}

/* Z = I S, Y = I psi + B S and X = B^T S of column a, which belongs to a coordinate of body i. */
static inline void wrenches_of_column(const subtree_series *sums, int i, int a) {
  int n = sums->orders;
  if (sums->B) column_rate(sums, i, a);
  for (int k = 0; k < n; k++) {
    sums->Z[k] = sums->Y[k] = sums->X[k] = w_zero();
    for (int j = 0; j <= k; j++) {
      inertia I = sums->I[i * n + j];
      twist S = sums->c.u[(k - j) * sums->c.n + a];
      sums->Z[k] = w_add(sums->Z[k], i_mul(I, S));
      if (!sums->B) continue;
      sums->Y[k] = w_add(sums->Y[k], w_add(i_mul(I, sums->psi[k - j]), crossed_mul(&sums->B[i * n + j], 0, S)));
      sums->X[k] = w_add(sums->X[k], crossed_tmul(&sums->B[i * n + j], 0, S));
    }
  }
}

/* Adds order k of an entry of M to M and P, or of C to C and P. Row r of P gathers r M_{K+1-r} + C_{K-r}; it is
 * scaled by K!/r! at the end. */
static inline void add_to_M(const jet_outputs *to, int n, int k, int at, real x) {
  if (to->M) to->M[k * n * n + at] += x;
  if (to->P) to->P[(to->order + 1 - k) * n * n + at] += K(to->order + 1 - k) * x;
}
static inline void add_to_C(const jet_outputs *to, int n, int k, int at, real x) {
  if (to->C) to->C[k * n * n + at] += x;
  if (to->P) to->P[(to->order - k) * n * n + at] += x;
}

/* Order k of the product of a wrench and a screw; S_j is at S + j * stride. */
static inline real power_order(const wrench *F, const twist *S, int stride, int k) {
  real sum = power(F[0], S[k * stride]);
  for (int j = 1; j <= k; j++) sum += power(F[j], S[(k - j) * stride]);
  return sum;
}

/* Adds the entries of coordinate `out` of body i, whose Z, Y, X are there, with column a of coordinate `in`. own: both
 * belong to the same joint, so that C_ij is added when they change roles. */
static inline void add_pair(const subtree_series *sums, int i, int a, int in, int out, int own, const jet_outputs *to) {
  int n = sums->J.tree->nv, upper = in * n + out, lower = out * n + in, stride = sums->c.n;
  const twist *u = sums->c.u + a;
  if (sums->B && !own) column_rate(sums, i, a);
  for (int k = 0; k < sums->orders; k++) {
    /* M_ji = M_ij = u_j . I S. */
    if (to->M || to->P) {
      real x = power_order(sums->Z, u, stride, k);
      add_to_M(to, n, k, upper, x);
      if (!own) add_to_M(to, n, k, lower, x);
    }

    /* C_ji = u_j . (I psi + B S), C_ij = psi_j . I S + u_j . B^T S. */
    if (!sums->B) continue;
    add_to_C(to, n, k, upper, power_order(sums->Y, u, stride, k));
    if (!own) add_to_C(to, n, k, lower, power_order(sums->Z, sums->psi, 1, k) + power_order(sums->X, u, stride, k));
  }
}

/* Adds all entries of the coordinates of body i; the columns seen from it are there. */
static inline void add_entries_of_body(const subtree_series *sums, int i, const jet_outputs *to) {
  const JN_S(tree) *tree = sums->J.tree;
  const JN_S(body) *body = &tree->body[i];
  for (int c = 0; c < body->nv; c++) {
    wrenches_of_column(sums, i, body->id + c);

    /* With the coordinates of the same joint. */
    for (int e = 0; e < body->nv; e++) add_pair(sums, i, body->id + e, body->iv + e, body->iv + c, 1, to);

    /* With those of its ancestors. */
    for (int j = body->parent; j >= 0; j = tree->body[j].parent)
      for (int e = 0; e < tree->body[j].nv; e++)
        add_pair(sums, i, tree->body[j].id + e, tree->body[j].iv + e, body->iv + c, 0, to);

    /* Armature. */
    add_to_M(to, tree->nv, 0, (body->iv + c) * (tree->nv + 1), armature_of(tree, body, c));
  }
}

/* ---- forces ---- */

/* Gravity forces g_i = S . I a_0. They need no columns: a_0 is carried outwards, and a joint bears the weight of its
 * whole subtree. Carrying the weights of single bodies back inwards would be faster, but lose the digits that
 * docs/jets.md describes. O(n K^2). */
static inline void gravity_forces(const subtree_series *sums, real *g) {
  const JN_S(tree) *tree = sums->J.tree;
  columns c = sums->c;
  c.n = tree->nb;
  c.count = 1;
  for (int i = 0; i < tree->nb; i++) {
    int parent = tree->body[i].parent;
    for (int k = 0; k < c.orders; k++)
      c.u[k * c.n + i] = parent >= 0 ? c.u[k * c.n + parent] : k == 0 ? base_acceleration(tree) : t_zero();

    /* a_0 seen from body i. */
    c.active[0] = i;
    transport_columns_outward(&sums->J, i, &c, 0);

    /* (I a_0)_k on the screws of the joint. */
    for (int k = 0; k < sums->orders; k++) {
      wrench F = w_zero();
      for (int j = 0; j <= k; j++) F = w_add(F, i_mul(sums->I[i * sums->orders + j], c.u[(k - j) * c.n + i]));
      wrench_before_joint(&sums->J, i, F, k, g + k * tree->nv);
    }
  }
}

/* Forces of the external wrenches: carried inwards, projected on the screws. */
static inline void forces_of_wrenches(const subtree_series *sums, real *tau) {
  const JN_S(tree) *tree = sums->J.tree;
  for (int k = 0; k < sums->orders * tree->nb; k++) sums->J.F[k] = sums->J.W[k];
  for (int k = 0; k < sums->orders; k++) extend_wrenches(&sums->J, k, tau + k * tree->nv);
}

/* From Taylor coefficients to derivatives; row r of P is scaled by K!/r!. */
static inline void taylor_to_derivatives(const jet_outputs *to, int n) {
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

/* Takes the memory; what is not wanted is left out. */
static inline subtree_series subtree_series_place(const JN_S(tree) * tree, int orders, const jet_outputs *to,
                                                  const real *q, real **at) {
  subtree_series sums = {.J = jets_place(tree, orders + 1, to->tau != NULL, q, at), .orders = orders};
  sums.c = columns_place(orders + 1, tree->nd + 1, at);
  sums.c.per_joint = 1;
  sums.T = TAKE(at, tree->nb * orders, pose);
  sums.I = TAKE(at, tree->nb * orders, inertia);
  sums.Z = TAKE(at, orders, wrench);
  sums.Y = TAKE(at, orders, wrench);
  sums.X = TAKE(at, orders, wrench);
  sums.psi = TAKE(at, orders, twist);
  sums.E = TAKE(at, orders, pose);
  sums.H = TAKE(at, orders, mat3);
  if (to->C || to->P) sums.B = TAKE(at, tree->nb * orders, crossed);
  if (sums.B) sums.D = TAKE(at, orders, crossed);
  sums.J.without_weight = 1; /* true twists: gravity has its own column */
  return sums;
}

void JN_(matrix_jet)(const jn_call *call) {
  const jn_matrix_jet_arguments *args = &call->matrix_jet;
  const JN_S(tree) *tree = call->tree;
  int order = args->order, n = tree->nv;
  real *at = call->scratch;
  jet_outputs to = {order, args->M_jet, args->C_jet, args->g_jet, args->P, args->tau_jet};
  subtree_series sums = subtree_series_place(tree, order + 1, &to, args->q, &at);
  int32_t *path = TAKE_INTS(&at, tree->nb);
  if (counts(call, at)) return;

  /* Taylor coefficients of what is given, twists of all bodies. */
  jet_to_taylor(args->v_jet, order + 2, n, sums.J.v);
  if (to.tau) load_external_wrenches(&sums.J, args->wrench_jet, 0, order + 1);
  for (int k = 0; k < order + 2; k++) extend_twists(&sums.J, k);

  /* Forces of the external wrenches. */
  if (to.tau) forces_of_wrenches(&sums, to.tau);

  /* Sums over subtrees. */
  clear(to.M, (order + 1) * n * n);
  clear(to.C, (order + 1) * n * n);
  clear(to.P, (order + 2) * n * n);
  clear(to.g, (order + 1) * n);
  int matrices = to.M || to.C || to.P;
  for (int i = 0; i < tree->nb && (matrices || to.g); i++) body_poses(&sums, i);
  if (matrices || to.g) sum_over_subtrees(&sums);

  /* Gravity forces. */
  if (to.g) gravity_forces(&sums, to.g);

  /* M, C and P: columns outwards, entries of each body with its ancestors. */
  for (int i = 0; i < tree->nb && matrices; i++) {
    if (i > 0 && tree->body[i].parent == i - 1)
      transport_columns_outward(&sums.J, i, &sums.c, 1);
    else /* a new branch begins: from the world again */
      columns_of_body(&sums.J, i, &sums.c, path);
    add_entries_of_body(&sums, i, &to);
  }

  taylor_to_derivatives(&to, n);
}
