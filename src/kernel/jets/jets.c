/* SPDX-License-Identifier: BSD-2-Clause */
/* Time derivatives of any order of inverse, forward and hybrid dynamics. [kumar2021 eqs. 14-20; order 2: mueller2021]
 *
 * The recursion and its symbols are in jets.h. The caller's jets are plain derivatives, one row for each order; they
 * become Taylor coefficients here and go back at the end. K is the order. Cost O(n K^2).
 *
 *   inverse   tau_0 ... tau_K from v_0 ... v_{K+1}, all orders of a body at once         inverse_dynamics_jet_any.h,
 * _one.h forward   v_{k+1} from tau_k, order by order:  M (k+1) v_{k+1} = tau_k - bias_k forward_dynamics_jet_any.h,
 * _one.h where bias_k is tau_k of a motion with v_{k+1} = 0. M does not depend on the order and is factored once.
 *
 * Both are compiled together because they share the inlined functions of jets.h. */
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

/* From pairs of orders in registers to plain numbers, and back. */
static inline void pairs_unpack(const r4x3 *X, int orders, twist *out) {
  for (int k = 0; k < orders; k++) out[k] = k % 2 ? r4x3_acceleration(X[k / 2]) : r4x3_velocity(X[k / 2]);
}
static inline void pairs_pack(const twist *in, int orders, r4x3 *X) {
  for (int k = 0; k < orders; k += 2) X[k / 2] = r4x3_of(in[k], k + 1 < orders ? in[k + 1] : t_zero());
}

/* A joint that is not about z: its orders are unpacked, computed as in every other variant, and packed again. */
static __attribute__((noinline)) void pairs_general_outward(const pair_sweep *sweep, const jet_sweep *plain, int i,
                                                            int orders) {
  int parent = sweep->J->tree->body[i].parent, n = pairs_of(orders);
  if (parent >= 0) pairs_unpack(sweep->V + parent * n, orders, plain->V + parent * orders);
  general_outward(plain, i, orders);
  pairs_pack(plain->V + i * orders, orders, sweep->V + i * n);
}
static __attribute__((noinline)) void pairs_general_inward(const pair_sweep *sweep, const jet_sweep *plain, int i,
                                                           int orders) {
  int parent = sweep->J->tree->body[i].parent, n = pairs_of(orders - 1);
  pairs_unpack(sweep->F + i * n, orders - 1, (twist *)(void *)(plain->F + i * orders));
  if (parent >= 0) pairs_unpack(sweep->F + parent * n, orders - 1, (twist *)(void *)(plain->F + parent * orders));
  general_inward(plain, i, orders);
  if (parent >= 0)
    pairs_pack((const twist *)(const void *)(plain->F + parent * orders), orders - 1, sweep->F + parent * n);
}

/* All bodies, two orders in a register. U, D [pairs_of(orders)] are scratch. */
FLAT void pairs_of_all_bodies(const pair_sweep *sweep, const jet_sweep *plain, int orders, r4x3 *U, r4x3 *D) {
  const JN_S(tree) *tree = sweep->J->tree;

  /* Outwards: twists, then the wrenches that move each body. */
  for (int i = 0; i < tree->nb; i++) {
    if (is_about_z(&tree->body[i]))
      pairs_joint_outward(sweep, i, orders, U, D);
    else
      pairs_general_outward(sweep, plain, i, orders);
    pairs_own_wrenches(sweep, i, orders, U, D);
  }

  /* Inwards: armature (k+1) v_{k+1}, then S^T F. */
  for (int k = 0; k < (orders - 1) * tree->nv; k++) sweep->tau[k] = 0;
  for (int i = tree->nb - 1; i >= 0; i--) {
    const JN_S(body) *body = &tree->body[i];
    for (int c = 0; c < body->nv; c++)
      for (int k = 0; k < orders - 1; k++)
        sweep->tau[k * tree->nv + body->iv + c] +=
            armature_of(tree, body, c) * (scalar)(k + 1) * sweep->J->v[(k + 1) * tree->nv + body->iv + c];
    if (is_about_z(body))
      pairs_joint_inward(sweep, i, orders, U, D);
    else
      pairs_general_inward(sweep, plain, i, orders);
  }
}

/* Instances for K = 1 to 4, with known loop counts; K = 2 is the second-order inverse dynamics of mueller2021. */
static inline void pairs_of_order(const pair_sweep *sweep, const jet_sweep *plain, int orders, r4x3 *scratch) {
  r4x3 U[3], D[3];
  switch (orders) {
    case 3:
      pairs_of_all_bodies(sweep, plain, 3, U, D);
      return;
    case 4:
      pairs_of_all_bodies(sweep, plain, 4, U, D);
      return;
    case 5:
      pairs_of_all_bodies(sweep, plain, 5, U, D);
      return;
    case 6:
      pairs_of_all_bodies(sweep, plain, 6, U, D);
      return;
    default:
      pairs_of_all_bodies(sweep, plain, orders, scratch, scratch + pairs_of(orders));
  }
}

static inline pair_sweep pairs_place(const jets *J, int orders, real *tau, real **at) {
  int nb = J->tree->nb;
  pair_sweep sweep = {.J = J, .tau = tau};
  sweep.V = TAKE_ALIGNED(at, nb * pairs_of(orders), r4x3);
  sweep.F = TAKE(at, nb * pairs_of(orders - 1), r4x3);
  sweep.c = TAKE(at, nb * orders, real);
  sweep.s = TAKE(at, nb * orders, real);
  sweep.x = TAKE(at, nb * orders, real);
  return sweep;
}

#endif

/* Inverse dynamics. in: q, v jets [(K+2) x nv], wrench jets [(K+1) x nlink x 6] or NULL. out: tau jets [(K+1) x nv]. */
void JN_(inverse_dynamics_jet)(const jn_call *call) {
  const jn_inverse_dynamics_jet_arguments *args = &call->inverse_dynamics_jet;
  const JN_S(tree) *tree = call->tree;
  int orders = args->order + 2;
  real *at = call->scratch;
  jets J = jets_place(tree, orders, args->wrench_jet != NULL, args->q, &at);
  jet_sweep sweep = {.J = &J, .V = J.V, .F = J.F, .tau = args->tau_jet};
#if JN_REGISTERS
  r4x3 *scratch = TAKE_ALIGNED(&at, 2 * pairs_of(orders), r4x3);
  pair_sweep in_pairs = pairs_place(&J, orders, sweep.tau, &at);
#else
  body_series scratch = jet_sweep_place(&sweep, orders, &at);
#endif
  if (counts(call, at)) return;

  /* Taylor coefficients of what is given. */
  jet_to_taylor(args->v_jet, orders, tree->nv, J.v);
  if (J.W) load_external_wrenches(&J, args->wrench_jet, 0, orders - 1);

    /* The recursion. */
#if JN_REGISTERS
  pairs_of_order(&in_pairs, &sweep, orders, scratch);
#else
  inverse_dynamics_of_order(&sweep, orders, &scratch);
#endif

  /* Springs, and back to derivatives. */
  for (int k = 0; k < orders - 1 && tree->has_springs; k++)
    add_springs_order(tree, J.q, J.v, k, sweep.tau + k * tree->nv);
  taylor_to_jet(sweep.tau, orders - 1, tree->nv);
}

/* ---- forward and hybrid dynamics ---- */

/* Solver of M x = f for the free coordinates; prescribed ones have x = 0. By articulated bodies in O(n), or by dense
 * factors if coordinates are coupled or few. (Order 1 of 7 joints takes 1.9 us by factors and 2.2 by articulated
 * bodies, of 100 joints 93 and 31.) M does not depend on the order, so it is factored once. */
enum { DENSE_JETS = 18 };

typedef struct inertia_solver {
  compact M;           /* factors; H NULL: none */
  real *scratch, *end; /* of factor_inertia(), free for other uses afterwards */
  articulation_scratch articulated;
  wrench *bias;        /* [nb] scratch of one solution */
  twist *acceleration; /* [nb] */
} inertia_solver;

/* Takes the memory of the solver that fits the tree. */
static inline inertia_solver inertia_solver_place(const jets *J, real **at) {
  const JN_S(tree) *tree = J->tree;
  inertia_solver solver = {.M = {.H = NULL}};
  if (tree->coupled || tree->nv <= DENSE_JETS) {
    solver.M = compact_place(tree, take(at, (size_t)(tree->nv * tree->nv)), at);
    solver.scratch = *at;
    solver.end = JN_(mass_matrix_scratch)(tree, *at);
    return solver;
  }
  solver.articulated = articulation_place(tree, at);
  solver.bias = TAKE(at, tree->nb, wrench);
  solver.acceleration = TAKE(at, tree->nb, twist);
  solver.end = *at;
  return solver;
}

/* Factors M at the configuration q; pivots [nv] tell how near to singular it is. */
static inline void factor_inertia(const inertia_solver *solver, const jets *J, const unsigned char *prescribed,
                                  real *pivots) {
  const JN_S(tree) *tree = J->tree;
  if (!solver->M.H) {
    articulation_sweep(&solver->articulated, J->q, J->angle, prescribed, pivots);
    return;
  }
  compact_fill(&solver->M);
  factors_at(tree, J->q, &J->angle, prescribed, solver->scratch, &solver->M, pivots);
}

/* M x = f: x in place of f [nv], both in the order of elimination. */
static inline void solve_inertia(const inertia_solver *solver, real *x) {
  if (solver->M.H)
    compact_substitute(&solver->M, x);
  else
    solve_alone(&solver->articulated.o, solver->bias, solver->acceleration, x);
}

/* Hybrid dynamics of any order: coordinates with data[i] != 0 (unsigned char [nv], NULL: none) are prescribed and have
 * their velocity jets given; the others have their force jets given.
 *   in:  q, v jets [given x nv] (row 0 of all, further rows of prescribed coordinates), tau jets [(K+1) x nv],
 *        wrench jets or NULL
 *   out: v jets [(K+2) x nv], tau jets [(K+1) x nv] or NULL, pivots [nv]
 * end > 0: computes only orders from ... end - 1, continuing from what the call for the orders before left in
 * the same scratch memory. Forces of order k may then depend on the motion up to that order (jn__hybrid_jet_orders). */
void JN_(hybrid_dynamics_jet)(const jn_call *call) {
  const jn_hybrid_dynamics_jet_arguments *args = &call->hybrid_dynamics_jet;
  const JN_S(tree) *tree = call->tree;
  const unsigned char *prescribed = args->prescribed;
  const real *given_v = args->v_jet, *given_tau = args->tau_jet;
  int order = args->order, n = tree->nv, from = args->from, end = args->end ? args->end : order + 1;
  real *at = call->scratch, *v_out = args->v_out, *tau_out = args->tau_out;
  jets J = jets_place(tree, order + 2, args->wrench_jet != NULL, args->q, &at);
  real *bias = take(&at, (size_t)n), *y = take(&at, (size_t)n), *dv = take(&at, (size_t)n);
  inertia_solver M = inertia_solver_place(&J, &at);
#if JN_FORWARD_SERIES
  forward_series sweep = forward_series_place(&J, order + 2, &at);
#else
  forward_sweeps sweep = forward_sweeps_place(&J, order + 2, &at);
#endif
  if (counts(call, at) && counts(call, M.end)) return;

  /* The first call: Taylor coefficients of what is given, the factors of M, twists of order 0. */
  scalar factorial = 1;
  for (int k = 2; k < from; k++) factorial *= (scalar)k;
  if (from == 0) {
    jet_to_taylor(given_v, args->given, n, J.v);
    for (int k = args->given * n; k < (order + 2) * n; k++) J.v[k] = ZERO;
    factor_inertia(&M, &J, prescribed, args->pivots);
    forward_twists(&sweep, 0);
  }

  /* Wrenches of these orders, which may have come from the motion of lower ones. */
  if (J.W) load_external_wrenches(&J, args->wrench_jet, from, end);

  for (int k = from; k < end; k++) {
    real *next = J.v + (k + 1) * n, rate = K(k + 1);
    if (k > 1) factorial *= (scalar)k;

    /* bias_k: the forces of order k if the unknown v_{k+1} were zero. */
    for (int i = 0; i < n; i++)
      if (is_free(prescribed, i)) next[i] = ZERO;
    forward_twists(&sweep, k + 1);
    forward_forces(&sweep, k, bias);

    /* M v_{k+1} = (tau_k - bias_k) / (k+1), in the order of elimination. */
    for (int i = 0; i < n; i++) {
      int c = tree->order[i];
      y[i] = prescribed && prescribed[c] ? ZERO : (given_tau[k * n + c] / splat(factorial) - bias[c]) / rate;
    }
    solve_inertia(&M, y);
    for (int i = 0; i < n; i++) {
      int c = tree->order[i], free = is_free(prescribed, c);
      dv[c] = free ? y[i] : ZERO;
      if (free) next[c] = y[i];
    }
    if (!tau_out && k == order) continue;

    /* What the solution adds to twists of order k+1 and wrenches of order k; the next order needs both. */
    forward_change_twists(&sweep, k, dv);
    forward_change_forces(&sweep, k, tau_out ? bias : NULL);
    for (int i = 0; i < n && tau_out; i++)
      tau_out[k * n + i] = prescribed && prescribed[i] ? splat(factorial) * bias[i] : given_tau[k * n + i];
  }

  /* Back to derivatives; what was given comes back to the bit. */
  for (int k = 0; k < (order + 2) * n; k++) v_out[k] = J.v[k];
  taylor_to_jet(v_out, order + 2, n);
  for (int k = 0; k < args->given; k++)
    for (int i = 0; i < n; i++)
      if (k == 0 || (prescribed && prescribed[i])) v_out[k * n + i] = given_v[k * n + i];
}
