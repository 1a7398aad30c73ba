/* SPDX-License-Identifier: BSD-2-Clause */
/* Time derivatives of any order of inverse, forward and hybrid dynamics. [kumar2021 eqs. 14-20; order 2: mueller2021]
 *
 * The recursion and its symbols are in jets.h. The caller's jets are plain derivatives, one row per order; they become
 * Taylor coefficients here and go back at the end. arg[0] = K, the order. O(n K^2).
 *
 *   inverse   tau_0 ... tau_K from v_0 ... v_{K+1}, all orders of a body at once         inverse_dynamics_jet_any.h,
 * _one.h forward   v_{k+1} from tau_k, order by order:  M (k+1) v_{k+1} = tau_k - bias_k forward_dynamics_jet_any.h,
 * _one.h where bias_k is tau_k of a motion with v_{k+1} = 0 */
#include "jets.h"

#include "../base/variant.h"
#include "../forward_dynamics/articulated.h"
#include "../forward_dynamics/by_factors.h"
#include "forward_dynamics_jet_any.h"
#include "forward_dynamics_jet_one.h"
#include "inverse_dynamics_jet_any.h"
#include "inverse_dynamics_jet_one.h"

/* ---- inverse dynamics ---- */

#if JN_REGISTERS

/* Twists and wrenches of orders k of a body as plain numbers, and back. */
static inline void pairs_unpack(const r4x3 *X, int orders, twist *out) {
  for (int k = 0; k < orders; k++) out[k] = k % 2 ? r4x3_acceleration(X[k / 2]) : r4x3_velocity(X[k / 2]);
}
static inline void pairs_pack(const twist *in, int orders, r4x3 *X) {
  for (int k = 0; k < orders; k += 2) X[k / 2] = r4x3_of(in[k], k + 1 < orders ? in[k + 1] : t_zero());
}

/* A joint that is not about z: its orders are unpacked, computed as in every other row, and packed again. */
static __attribute__((noinline)) void pairs_general_outward(const pairs *w, const jet_sweeps *plain, int i,
                                                            int orders) {
  int p = w->J->t->body[i].parent, n = pairs_of(orders);
  if (p >= 0) pairs_unpack(w->V + p * n, orders, plain->V + p * orders);
  general_outward(plain, i, orders);
  pairs_pack(plain->V + i * orders, orders, w->V + i * n);
}
static __attribute__((noinline)) void pairs_general_inward(const pairs *w, const jet_sweeps *plain, int i, int orders) {
  int p = w->J->t->body[i].parent, n = pairs_of(orders - 1);
  pairs_unpack(w->F + i * n, orders - 1, (twist *)(void *)(plain->F + i * orders));
  if (p >= 0) pairs_unpack(w->F + p * n, orders - 1, (twist *)(void *)(plain->F + p * orders));
  general_inward(plain, i, orders);
  if (p >= 0) pairs_pack((const twist *)(const void *)(plain->F + p * orders), orders - 1, w->F + p * n);
}

/* All bodies, two orders in a register. U, D [pairs of orders]: scratch. */
FLAT void pairs_all(const pairs *w, const jet_sweeps *plain, int orders, r4x3 *U, r4x3 *D) {
  const JN_S(tree) *t = w->J->t;

  /* Outwards: twists, then the wrenches that move each body. */
  for (int i = 0; i < t->nb; i++) {
    if (is_about_z(&t->body[i]))
      pairs_outward(w, i, orders, U, D);
    else
      pairs_general_outward(w, plain, i, orders);
    pairs_wrenches(w, i, orders, U, D);
  }

  /* Inwards: armature * a, then S^T F. */
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

/* Orders 1 to 4 are compiled by themselves, with known loop counts. */
static inline void pairs_of_order(const pairs *w, const jet_sweeps *plain, int orders, r4x3 *room) {
  r4x3 U[3], D[3];
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
  w.V = TAKE_ALIGNED(at, nb * pairs_of(orders), r4x3);
  w.F = TAKE(at, nb * pairs_of(orders - 1), r4x3);
  w.c = TAKE(at, nb * orders, real);
  w.s = TAKE(at, nb * orders, real);
  w.x = TAKE(at, nb * orders, real);
  return w;
}

#endif

/* in: q, v jets [(K+2) x nv], wrench jets [(K+1) x nlink x 6] or NULL. out: tau jets [(K+1) x nv]. */
void JN_(inverse_dynamics_jet)(const jn_call *c) {
  const JN_S(tree) *t = c->tree;
  int orders = c->arg[0] + 2;
  real *at = c->scratch;
  jets J = jets_place(t, orders, c->in[2] != NULL, c->in[0], &at);
  jet_sweeps w = {.J = &J, .V = J.V, .F = J.F, .tau = c->out[0]};
#if JN_REGISTERS
  r4x3 *room = TAKE_ALIGNED(&at, 2 * pairs_of(orders), r4x3);
  pairs p = pairs_place(&J, orders, w.tau, &at);
#else
  body_series room = jet_sweeps_place(&w, orders, &at);
#endif
  if (counts(c, at)) return;

  /* Taylor coefficients of what is given. */
  jet_to_taylor(c->in[1], orders, t->nv, J.v);
  if (J.W) external_wrenches(&J, c->in[2], orders - 1);

    /* The recursion. */
#if JN_REGISTERS
  pairs_of_order(&p, &w, orders, room);
#else
  inverse_of_order(&w, orders, &room);
#endif

  /* Springs, and back to derivatives. */
  for (int k = 0; k < orders - 1 && t->carries_springs; k++) add_springs_order(t, J.q, J.v, k, w.tau + k * t->nv);
  taylor_to_jet(w.tau, orders - 1, t->nv);
}

/* ---- forward and hybrid dynamics ---- */

/* Solver of M x = f for the free coordinates; prescribed ones have x = 0. By articulated bodies in O(n), or by dense
 * factors if coordinates are coupled or few. (Order 1 of 7 joints takes 1.9 us by factors and 2.2 by articulated
 * bodies, of 100 joints 93 and 31.) M does not depend on the order, so it is factored once. */
enum { DENSE_JETS = 18 };

typedef struct inertia_solver {
  compact M;        /* factors; H NULL: none */
  real *room, *end; /* scratch of solver_at(), free for other uses afterwards */
  articulation_room r;
  wrench *p;
  twist *A;
} inertia_solver;

static inline inertia_solver solver_place(const jets *J, real **at) {
  const JN_S(tree) *t = J->t;
  inertia_solver s = {.M = {.H = NULL}};
  if (t->coupled || t->nv <= DENSE_JETS) {
    s.M = compact_place(t, take(at, (size_t)(t->nv * t->nv)), at);
    s.room = *at;
    s.end = JN_(mass_matrix_scratch)(t, *at);
    return s;
  }
  s.r = articulation_place(t, at);
  s.p = TAKE(at, t->nb, wrench);
  s.A = TAKE(at, t->nb, twist);
  s.end = *at;
  return s;
}

static inline void solver_at(const inertia_solver *s, const jets *J, const unsigned char *prescribed, real *pivots) {
  const JN_S(tree) *t = J->t;
  if (!s->M.H) {
    articulation_sweep(&s->r, J->q, J->turn, prescribed, pivots);
    return;
  }
  compact_fill(&s->M);
  factors_at(t, J->q, &J->turn, prescribed, s->room, &s->M, pivots);
}

/* x in place of f [nv], both in the order of elimination. */
static inline void solver_solve(const inertia_solver *s, real *x) {
  if (s->M.H)
    compact_substitute(&s->M, x);
  else
    solve_alone(&s->r.o, s->p, s->A, x);
}

/* Hybrid dynamics of any order: coordinates with data[i] != 0 (unsigned char [nv], NULL: none) are prescribed and have
 * their velocity jets given; the others have their force jets given.
 *   in:  q, v jets [arg[1] x nv] (row 0 of all, further rows of prescribed coordinates), tau jets [(K+1) x nv],
 *        wrench jets or NULL
 *   out: v jets [(K+2) x nv], tau jets [(K+1) x nv] or NULL, pivots [nv]
 * arg[3] > 0: computes only orders arg[2] ... arg[3] - 1, continuing from what the call for the orders before left in
 * the same scratch memory. Forces of order k may then depend on the motion up to that order (jn__hybrid_jet_orders). */
void JN_(hybrid_dynamics_jet)(const jn_call *c) {
  const JN_S(tree) *t = c->tree;
  const unsigned char *prescribed = c->data;
  const real *given_v = c->in[1], *given_tau = c->in[2];
  int order = c->arg[0], n = t->nv, from = c->arg[2], end = c->arg[3] ? c->arg[3] : order + 1;
  real *at = c->scratch, *v_out = c->out[0], *tau_out = c->out[1];
  jets J = jets_place(t, order + 2, c->in[3] != NULL, c->in[0], &at);
  real *bias = take(&at, (size_t)n), *y = take(&at, (size_t)n), *dv = take(&at, (size_t)n);
  inertia_solver M = solver_place(&J, &at);
#if JN_FORWARD_ROWS
  forward_rows w = forward_rows_place(&J, order + 2, &at);
#else
  forward_sweeps w = forward_sweeps_place(&J, order + 2, &at);
#endif
  if (counts(c, at) && counts(c, M.end)) return;

  /* The first call: Taylor coefficients of what is given, the factors of M, twists of order 0. */
  scalar factorial = 1;
  for (int k = 2; k < from; k++) factorial *= (scalar)k;
  if (from == 0) {
    jet_to_taylor(given_v, c->arg[1], n, J.v);
    for (int k = c->arg[1] * n; k < (order + 2) * n; k++) J.v[k] = ZERO;
    if (J.W) external_wrenches(&J, c->in[3], order + 1);
    solver_at(&M, &J, prescribed, c->out[2]);
    forward_twists(&w, 0);
  }

  for (int k = from; k < end; k++) {
    real *next = J.v + (k + 1) * n, rate = K(k + 1);
    if (k > 1) factorial *= (scalar)k;

    /* bias_k: the forces of order k if the unknown v_{k+1} were zero. */
    for (int i = 0; i < n; i++)
      if (!prescribed || !prescribed[i]) next[i] = ZERO;
    forward_twists(&w, k + 1);
    forward_forces(&w, k, bias);

    /* M v_{k+1} = (tau_k - bias_k) / (k+1), in the order of elimination. */
    for (int i = 0; i < n; i++) {
      int a = t->order[i];
      y[i] = prescribed && prescribed[a] ? ZERO : (given_tau[k * n + a] / splat(factorial) - bias[a]) / rate;
    }
    solver_solve(&M, y);
    for (int i = 0; i < n; i++) {
      int a = t->order[i], free = !prescribed || !prescribed[a];
      dv[a] = free ? y[i] : ZERO;
      if (free) next[a] = y[i];
    }
    if (!tau_out && k == order) continue;

    /* What the solution adds to twists of order k+1 and wrenches of order k; the next order needs both. */
    forward_change_twists(&w, k, dv);
    forward_change_forces(&w, k, tau_out ? bias : NULL);
    for (int i = 0; i < n && tau_out; i++)
      tau_out[k * n + i] = prescribed && prescribed[i] ? splat(factorial) * bias[i] : given_tau[k * n + i];
  }

  /* Back to derivatives; what was given comes back to the bit. */
  for (int k = 0; k < (order + 2) * n; k++) v_out[k] = J.v[k];
  taylor_to_jet(v_out, order + 2, n);
  for (int k = 0; k < c->arg[1]; k++)
    for (int i = 0; i < n; i++)
      if (k == 0 || (prescribed && prescribed[i])) v_out[k * n + i] = given_v[k * n + i];
}
