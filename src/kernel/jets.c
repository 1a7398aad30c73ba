/* SPDX-License-Identifier: BSD-2-Clause */
/* Time derivatives of any order of inverse, forward and hybrid dynamics (kumar2021, by polynomials: jets.h).
 * Jets are plain derivatives outside, rows by order; arg[0] = K. O(n K^2). */
#include "jets.h"

#include "jets_quad.h"
#include "row.h"

/* ---- inverse dynamics: all orders of a body before the next one, so that its constants are loaded once ---- */

/* Twists V and wrenches F of inverse dynamics have the body as the slow index: V[i * orders + k]. Joints with one
 * coordinate are about z of the body's frame, where turning leaves z alone and a series has no axis to take out; the
 * others go through the functions of jets.h. */
typedef struct sweeps {
  const jets *J;
  twist *V;
  wrench *F;
  real *tau;   /* [orders - 1][nv] */
  real *c, *s; /* [orders] cosine and sine of the joint at hand */
  twist *U;    /* [orders] twists before it, or momenta; on the way back wrenches after it */
} sweeps;

static inline int is_about_z(const JN_S(body) * b) {
  return b->kind == JN_BODY_REVOLUTE || b->kind == JN_BODY_PRISMATIC || b->kind == JN_BODY_HELICAL;
}

static inline twist parent_twist(const sweeps *w, const JN_S(body) * b, int orders, int k) {
  if (b->parent >= 0) return w->V[b->parent * orders + k];
  return k == 1 ? base_acceleration(w->J->t) : t_zero();
}

static inline void general_outward(const sweeps *w, int i, int orders) {
  const jets *J = w->J;
  const JN_S(tree) *t = J->t;
  const JN_S(body) *b = &t->body[i];
  int wide = t->nd + t->nb;
  pose placed = se3_constant(b->R, b->p);
  twist *V = w->V + i * orders;
  for (int k = 0; k < orders; k++) {
    motion_order(J, i, k);
    V[k] = t_Ad_inverse(placed, parent_twist(w, b, orders, k));
    if (is_group(b)) V[k] = group_outward(J, i, V[k], J->v + k * t->nv + b->iv, J->U + t->nd + i, wide, k);
  }
  for (int part = 0; part < parts_of(b); part++) {
    motion m = joint_part(t, i, part);
    for (int k = 0; k < orders; k++) V[k] = part_outward(J, &m, V[k], J->v[k * t->nv + m.iv], J->U + m.place, wide, k);
  }
}

static inline void general_inward(const sweeps *w, int i, int orders) {
  const JN_S(tree) *t = w->J->t;
  int p = t->body[i].parent;
  for (int k = 0; k < orders - 1; k++) {
    wrench F = joint_inward(w->J, i, w->F[i * orders + k], k, w->tau + k * t->nv);
    if (p >= 0) w->F[p * orders + k] = w_add(w->F[p * orders + k], F);
  }
}

#if !JN_QUAD

/* Translation along z for each unit of the joint's position. */
static inline real advance(const JN_S(body) * b) { return b->kind == JN_BODY_PRISMATIC ? K(1) : splat(b->pitch); }

/* Order k of R_z^T u (inverse) or R_z u: x and y of out; z stays. u is every other vector. */
FLAT void z_turn(const sweeps *w, int inverse, const vec3 *u, int k, vec3 *out) {
  real x = ZERO, y = ZERO;
  for (int j = 0; j <= k; j++) {
    real c = w->c[j], s = inverse ? w->s[j] : -w->s[j];
    const vec3 *a = u + 2 * (k - j);
    x += c * a->x + s * a->y;
    y += c * a->y - s * a->x;
  }
  out->x = x;
  out->y = y;
}

/* Cosine and sine of the joint's position (see motion_order; j x_j = ratio v_{j-1}), and in J->x its translation. They
 * stay in J for the way back. */
FLAT void z_series(const sweeps *w, const JN_S(body) * b, int orders) {
  const jets *J = w->J;
  int nd = J->t->nd, nv = J->t->nv;
  const real *v = J->v + b->iv;
  real ratio = splat(b->ratio), h = advance(b), x = joint_position(b, J->q);
  if (b->kind != JN_BODY_REVOLUTE) {
    J->x[b->id] = h * x;
    for (int k = 1; k < orders; k++) J->x[k * nd + b->id] = reciprocal(k) * h * ratio * v[(k - 1) * nv];
  }
  if (b->kind == JN_BODY_PRISMATIC) return;
  w->c[0] = J->turn.c[b - J->t->body];
  w->s[0] = J->turn.s[b - J->t->body];
  for (int k = 1; k < orders; k++) {
    real c = ZERO, s = ZERO, f = reciprocal(k) * ratio;
    for (int j = 1; j <= k; j++) {
      c -= v[(j - 1) * nv] * w->s[k - j];
      s += v[(j - 1) * nv] * w->c[k - j];
    }
    w->c[k] = f * c;
    w->s[k] = f * s;
  }
  for (int k = 0; k < orders; k++) {
    J->c[k * nd + b->id] = w->c[k];
    J->s[k * nd + b->id] = w->s[k];
  }
}

FLAT void z_outward(const sweeps *w, int i, int orders) {
  const jets *J = w->J;
  int nd = J->t->nd, nv = J->t->nv;
  const JN_S(body) *b = &J->t->body[i];
  const real *rate = J->v + b->iv;
  pose placed = se3_constant(b->R, b->p);
  int turns = b->kind != JN_BODY_PRISMATIC, slides = b->kind != JN_BODY_REVOLUTE;
  real ratio = splat(b->ratio), h = ratio * advance(b);
  twist *V = w->V + i * orders, *U = w->U;
  z_series(w, b, orders);
  for (int k = 0; k < orders; k++) U[k] = t_Ad_inverse(placed, parent_twist(w, b, orders, k));
  for (int k = 0; k < orders && slides; k++) /* U.v -= x(t) (z x U.w) */
    for (int j = 0; j <= k; j++) {
      U[k].v.x += J->x[j * nd + b->id] * U[k - j].w.y;
      U[k].v.y -= J->x[j * nd + b->id] * U[k - j].w.x;
    }
  for (int k = 0; k < orders; k++) V[k] = U[k];
  for (int k = 0; k < orders && turns; k++) {
    z_turn(w, 1, &U->w, k, &V[k].w);
    z_turn(w, 1, &U->v, k, &V[k].v);
    V[k].w.z += ratio * rate[k * nv];
  }
  for (int k = 0; k < orders && slides; k++) V[k].v.z += h * rate[k * nv];
}

/* F_k = I (k+1) V_{k+1} - sum_j ad*_{V_j} I V_{k-j} - W_k, with the momenta I V formed once. */
FLAT void own_wrenches(const sweeps *w, int i, int orders) {
  const jets *J = w->J;
  const twist *V = w->V + i * orders;
  inertia I = i_constant(J->t->body[i].inertia);
  wrench *F = w->F + i * orders, *h = (wrench *)(void *)w->U;
  for (int k = 0; k < orders; k++) h[k] = i_mul(I, V[k]);
  for (int k = 0; k < orders - 1; k++) {
    wrench sum = {v3_scale(K(k + 1), h[k + 1].m), v3_scale(K(k + 1), h[k + 1].f)};
    for (int j = 0; j <= k; j++) sum = w_sub(sum, w_ad(V[j], h[k - j]));
    F[k] = J->W ? w_sub(sum, J->W[k * J->t->nb + i]) : sum;
  }
}

FLAT void z_inward(const sweeps *w, int i, int orders) {
  const jets *J = w->J;
  int nd = J->t->nd, nv = J->t->nv;
  const JN_S(body) *b = &J->t->body[i];
  int turns = b->kind != JN_BODY_PRISMATIC, slides = b->kind != JN_BODY_REVOLUTE;
  real ratio = splat(b->ratio), h = advance(b);
  wrench *F = w->F + i * orders, *G = (wrench *)(void *)w->U;
  for (int k = 0; k < orders - 1; k++) {
    real force = turns ? F[k].m.z : ZERO;
    if (slides) force += h * F[k].f.z;
    w->tau[k * nv + b->iv] += ratio * force;
  }
  if (b->parent < 0) return;
  for (int k = 0; k < orders - 1; k++) G[k] = F[k];
  for (int k = 0; k < orders - 1 && turns; k++) {
    w->c[k] = J->c[k * nd + b->id];
    w->s[k] = J->s[k * nd + b->id];
  }
  for (int k = 0; k < orders - 1 && turns; k++) {
    z_turn(w, 0, &F->m, k, &G[k].m);
    z_turn(w, 0, &F->f, k, &G[k].f);
  }
  for (int k = 0; k < orders - 1 && slides; k++) /* G.m += x(t) (z x G.f) */
    for (int j = 0; j <= k; j++) {
      G[k].m.x -= J->x[j * nd + b->id] * G[k - j].f.y;
      G[k].m.y += J->x[j * nd + b->id] * G[k - j].f.x;
    }
  pose placed = se3_constant(b->R, b->p);
  wrench *to = w->F + b->parent * orders;
  for (int k = 0; k < orders - 1; k++) to[k] = w_add(to[k], w_Ad_inverse(placed, G[k]));
}

FLAT void inverse_all(const sweeps *w, int orders) {
  const JN_S(tree) *t = w->J->t;
  for (int i = 0; i < t->nb; i++) {
    if (is_about_z(&t->body[i]))
      z_outward(w, i, orders);
    else
      general_outward(w, i, orders);
    own_wrenches(w, i, orders);
  }
  for (int k = 0; k < (orders - 1) * t->nv; k++) w->tau[k] = ZERO;
  for (int i = t->nb - 1; i >= 0; i--) {
    const JN_S(body) *b = &t->body[i];
    for (int c = 0; c < b->nv; c++)
      for (int k = 0; k < orders - 1; k++)
        w->tau[k * t->nv + b->iv + c] += armature_of(t, b, c) * K(k + 1) * w->J->v[(k + 1) * t->nv + b->iv + c];
    if (is_about_z(b))
      z_inward(w, i, orders);
    else
      general_inward(w, i, orders);
  }
}

/* Orders 1, 2 and 3 have instances of their own, which take 0.87 to 0.9 of the time (seven joints, AVX2); that of
 * order 2 is the second-order algorithm of mueller2021, unrolled. Higher ones gain too little. */
static inline void inverse_of_order(const sweeps *w, int orders) {
#if JN_KIND == JN_KIND_D || JN_KIND == JN_KIND_F
  switch (orders) {
    case 3:
      inverse_all(w, 3);
      return;
    case 4:
      inverse_all(w, 4);
      return;
    case 5:
      inverse_all(w, 5);
      return;
    default:
      break;
  }
#endif
  inverse_all(w, orders);
}

#else

/* Twists and wrenches of orders k of a body as plain numbers, and back. */
static inline void pairs_unpack(const quad3 *X, int orders, twist *out) {
  for (int k = 0; k < orders; k++) out[k] = k % 2 ? quad_acceleration(X[k / 2]) : quad_velocity(X[k / 2]);
}
static inline void pairs_pack(const twist *in, int orders, quad3 *X) {
  for (int k = 0; k < orders; k += 2) X[k / 2] = quad_of(in[k], k + 1 < orders ? in[k + 1] : t_zero());
}

/* A joint that is not about z. */
static inline void pairs_general_outward(const pairs *w, const sweeps *plain, int i, int orders) {
  int p = w->J->t->body[i].parent, n = pairs_of(orders);
  if (p >= 0) pairs_unpack(w->V + p * n, orders, plain->V + p * orders);
  general_outward(plain, i, orders);
  pairs_pack(plain->V + i * orders, orders, w->V + i * n);
}
static inline void pairs_general_inward(const pairs *w, const sweeps *plain, int i, int orders) {
  int p = w->J->t->body[i].parent, n = pairs_of(orders - 1);
  pairs_unpack(w->F + i * n, orders - 1, (twist *)(void *)(plain->F + i * orders));
  if (p >= 0) pairs_unpack(w->F + p * n, orders - 1, (twist *)(void *)(plain->F + p * orders));
  general_inward(plain, i, orders);
  if (p >= 0) pairs_pack((const twist *)(const void *)(plain->F + p * orders), orders - 1, w->F + p * n);
}

FLAT void pairs_all(const pairs *w, const sweeps *plain, int orders, quad3 *U, quad3 *D) {
  const JN_S(tree) *t = w->J->t;
  for (int i = 0; i < t->nb; i++) {
    if (is_about_z(&t->body[i]))
      pairs_outward(w, i, orders, U, D);
    else
      pairs_general_outward(w, plain, i, orders);
    pairs_wrenches(w, i, orders, U, D);
  }
  for (int k = 0; k < (orders - 1) * t->nv; k++) w->tau[k] = 0;
  for (int i = t->nb - 1; i >= 0; i--) {
    const JN_S(body) *b = &t->body[i];
    for (int c = 0; c < b->nv; c++)
      for (int k = 0; k < orders - 1; k++)
        w->tau[k * t->nv + b->iv + c] += armature_of(t, b, c) * (scalar)(k + 1) * w->J->v[(k + 1) * t->nv + b->iv + c];
    if (is_about_z(b))
      pairs_inward(w, i, orders, U, D);
    else
      pairs_general_inward(w, plain, i, orders);
  }
}

/* Small orders have instances of their own. */
static inline void pairs_of_order(const pairs *w, const sweeps *plain, int orders, quad3 *room) {
  quad3 U[3], D[3];
  switch (orders) {
    case 3:
      pairs_all(w, plain, 3, U, D);
      return;
    case 4:
      pairs_all(w, plain, 4, U, D);
      return;
    case 5:
      pairs_all(w, plain, 5, U, D);
      return;
    case 6:
      pairs_all(w, plain, 6, U, D);
      return;
    default:
      pairs_all(w, plain, orders, room, room + pairs_of(orders));
  }
}

static inline pairs pairs_place(const jets *J, int orders, real *tau, real **at) {
  int nb = J->t->nb;
  pairs w = {.J = J, .tau = tau};
  w.V = TAKE_ALIGNED(at, nb * pairs_of(orders), quad3);
  w.F = TAKE(at, nb * pairs_of(orders - 1), quad3);
  w.c = TAKE(at, nb * orders, real);
  w.s = TAKE(at, nb * orders, real);
  w.x = TAKE(at, nb * orders, real);
  return w;
}

#endif

/* in: q, v jets [(K+2) x nv], wrench jets [(K+1) x nlink x 6] or NULL. out: tau jets [(K+1) x nv]. */
void JN_(inverse_jet)(const jn_call *c) {
  const JN_S(tree) *t = c->tree;
  int orders = c->arg[0] + 2;
  real *at = c->scratch;
  jets J = jets_place(t, orders, c->in[2] != NULL, c->in[0], &at);
  sweeps w = {.J = &J, .V = J.V, .F = J.F, .tau = c->out[0]};
  w.c = take(&at, (size_t)orders);
  w.s = take(&at, (size_t)orders);
  w.U = TAKE(&at, orders, twist);
  jet_to_taylor(c->in[1], orders, t->nv, J.v);
  if (J.W) external_wrenches(&J, c->in[2], orders - 1);
#if JN_QUAD
  quad3 *room = TAKE_ALIGNED(&at, 2 * pairs_of(orders), quad3);
  pairs p = pairs_place(&J, orders, w.tau, &at);
  pairs_of_order(&p, &w, orders, room);
#else
  inverse_of_order(&w, orders);
#endif
  taylor_to_jet(w.tau, orders - 1, t->nv);
}

/* ---- forward and hybrid dynamics ---- */

/* Velocities of order k change by dv: so do the twists of that order, through the motions of order 0 alone. change [nb]
 * gets by how much. */
static inline void change_twists(const jets *J, int k, const real *dv, twist *change) {
  const JN_S(tree) *t = J->t;
  int wide = t->nd + t->nb;
  for (int i = 0; i < t->nb; i++) {
    const JN_S(body) *b = &t->body[i];
    twist V = b->parent < 0 ? t_zero() : t_Ad_inverse(se3_constant(b->R, b->p), change[b->parent]), U;
    if (is_group(b)) {
      V = group_outward(J, i, V, dv + b->iv, &U, 0, 0);
      J->U[k * wide + t->nd + i] = t_add(J->U[k * wide + t->nd + i], U);
    }
    for (int part = 0; part < parts_of(b); part++) {
      motion m = joint_part(t, i, part);
      V = part_outward(J, &m, V, dv[m.iv], &U, 0, 0);
      J->U[k * wide + m.place] = t_add(J->U[k * wide + m.place], U);
    }
    change[i] = V;
    J->V[k * t->nb + i] = t_add(J->V[k * t->nb + i], V);
  }
}

/* And wrenches of order k with the twists of order k + 1. F [nb] is scratch; tau [nv] (may be NULL) gets what joints
 * feel added. */
static inline void change_forces(const jets *J, int k, const twist *change, wrench *F, real *tau) {
  const JN_S(tree) *t = J->t;
  int wide = t->nd + t->nb;
  for (int i = 0; i < t->nb; i++) F[i] = i_mul(i_constant(t->body[i].inertia), t_scale(K(k + 1), change[i]));
  for (int i = t->nb - 1; i >= 0; i--) {
    const JN_S(body) *b = &t->body[i];
    wrench W = F[i], G;
    vec3 f;
    real six[6], force;
    if (is_group(b)) {
      int at = k * wide + t->nd + i;
      w_store(W, six);
      for (int c = 0; c < b->nv && tau; c++) tau[b->iv + c] += six[c];
      W = group_inward(J, i, W, &G, &f, 0, 0);
      J->G[at] = w_add(J->G[at], G);
      J->f[at] = v3_add(J->f[at], f);
    }
    for (int part = parts_of(b) - 1; part >= 0; part--) {
      motion m = joint_part(t, i, part);
      int at = k * wide + m.place;
      W = part_inward(J, &m, W, &G, &f, 0, 0, &force);
      if (tau) tau[m.iv] += force;
      J->G[at] = w_add(J->G[at], G);
      J->f[at] = v3_add(J->f[at], f);
    }
    if (b->parent >= 0) F[b->parent] = w_add(F[b->parent], w_Ad_inverse(se3_constant(b->R, b->p), W));
  }
}

/* Hybrid dynamics: coordinates with data[i] != 0 (unsigned char [nv], NULL: none) have their velocity jets given, the
 * others their force jets. in: q, v jets [arg[1] x nv] (row 0 of all, further rows of prescribed coordinates), tau jets
 * [(K+1) x nv], wrench jets or NULL. out: v jets [(K+2) x nv], tau jets [(K+1) x nv] or NULL, pivots [nv].
 * Order by order: tau_k = M (k+1) v_{k+1} + bias_k, with the inertia factorised once. */
void JN_(hybrid_jet)(const jn_call *c) {
  const JN_S(tree) *t = c->tree;
  const unsigned char *prescribed = c->data;
  const real *given_v = c->in[1], *given_tau = c->in[2];
  int order = c->arg[0], n = t->nv;
  real *at = c->scratch, *v_out = c->out[0], *tau_out = c->out[1];
  jets J = jets_place(t, order + 2, c->in[3] != NULL, c->in[0], &at);
  real *H = take(&at, (size_t)(n * n)), *bias = take(&at, (size_t)n), *y = take(&at, (size_t)n),
       *dv = take(&at, (size_t)n);
  jet_to_taylor(given_v, c->arg[1], n, J.v);
  for (int k = c->arg[1] * n; k < (order + 2) * n; k++) J.v[k] = ZERO;
  if (J.W) external_wrenches(&J, c->in[3], order + 1);
  JN_(mass_matrix)(t, J.q, &J.turn, 1, at, H);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      int known = prescribed && (prescribed[t->order[i]] || prescribed[t->order[j]]);
      if (known) H[i * n + j] = i == j ? K(1) : ZERO;
    }
  factorize(t, H, c->out[2]);
  twist *change = TAKE(&at, t->nb, twist); /* where the mass matrix had its own */
  wrench *F = TAKE(&at, t->nb, wrench);
  twists_order(&J, 0);
  scalar factorial = 1;
  for (int k = 0; k <= order; k++) {
    real *next = J.v + (k + 1) * n, rate = K(k + 1);
    if (k > 1) factorial *= (scalar)k;
    for (int i = 0; i < n; i++)
      if (!prescribed || !prescribed[i]) next[i] = ZERO;
    twists_order(&J, k + 1);
    forces_order(&J, k, bias);
    for (int i = 0; i < n; i++) {
      int a = t->order[i];
      y[i] = prescribed && prescribed[a] ? ZERO : (given_tau[k * n + a] / splat(factorial) - bias[a]) / rate;
    }
    substitute(t, H, y);
    for (int i = 0; i < n; i++) {
      int a = t->order[i], free = !prescribed || !prescribed[a];
      dv[a] = free ? y[i] : ZERO;
      if (free) next[a] = y[i];
    }
    if (!tau_out && k == order) continue;
    change_twists(&J, k + 1, dv, change); /* the solution, for the next order */
    change_forces(&J, k, change, F, tau_out ? bias : NULL);
    for (int i = 0; i < n && tau_out; i++)
      tau_out[k * n + i] = prescribed && prescribed[i] ? splat(factorial) * bias[i] : given_tau[k * n + i];
  }
  for (int k = 0; k < (order + 2) * n; k++) v_out[k] = J.v[k];
  taylor_to_jet(v_out, order + 2, n);
  for (int k = 0; k < c->arg[1]; k++) /* what was given comes back to the bit */
    for (int i = 0; i < n; i++)
      if (k == 0 || (prescribed && prescribed[i])) v_out[k * n + i] = given_v[k * n + i];
}
