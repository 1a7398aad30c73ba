/* SPDX-License-Identifier: BSD-2-Clause */
/* Regressors: forces, energies, momentum and wrenches are linear in the ten parameters pi of every link. [garofalo2013
 * sec. III, eqs. 8-12]
 *
 * With twist V, reference twist V_r and reference acceleration A = sum S a_r + Psi v_r - gravity, the wrench of a link
 * is
 *
 *   I A + V x* I V_r = sum_c (phi_c(A) + V x* phi_c(V_r)) pi_c             parameter_columns.h
 *
 * so that, projected on the screws of all joints that carry the link,
 *
 *   Y(q, v, v_r, a_r) pi = M a_r + C v_r + g                              with the C of coriolis.h
 *
 *   symbol    meaning                                             size          frame
 *   V, V_r, A twist, reference twist and acceleration of a body   6             world's axes, about its origin
 *   S, Psi    joint screw and its rate                            6             the same
 *   T         pose of a link from the origin of its body          12            world's axes
 *   Y         torque regressor                                    nv x 10 L     N m or N per unit of the parameter
 *
 * in: q, v, v_r, a_r (NULL: zero). weightless: without gravity; link: that of `wrench`.
 * out: Y [nv x 10L]; kinetic and potential energy [10L]; momentum about the world's origin [6 x 10L]; wrench through
 * the joint of a link, in its frame [6 x 10L]; dM, dC [10L x nv x nv]. Cost O(n depth). */
#include "parameter_columns.h"

#include "../base/variant.h"
#include "torque_rows_any.h"
#include "torque_rows_one.h"

/* Entries of dM/d pi and dC/d pi for link l with twist V: all pairs of coordinates that carry it.
 *   dM_ab = S_a . phi(S_b),    dC_ab = S_a . phi(Psi_b) - [V, S_a] . phi(S_b),    screws in the frame of the link */
static inline void matrix_entries(const regression *r, int l, twist V, int step, real *dM, real *dC) {
  const JN_S(tree) *tree = r->tree;
  int n = tree->nv, body = tree->frame[l].body;
  for (int i = body; i >= 0; i = tree->body[i].parent)
    for (int j = body; j >= 0; j = tree->body[j].parent)
      for (int e = 0; e < tree->body[i].nv; e++)
        for (int f = 0; f < tree->body[j].nv; f++) {
          int a = tree->body[i].id + e, b = tree->body[j].id + f;
          int at = 10 * l * step + (tree->body[i].iv + e) * n + tree->body[j].iv + f;
          if (dM) add_inertia_gradient(K(1), r->link_S[a], r->link_S[b], step, dM + at);
          if (!dC) continue;
          add_inertia_gradient(K(1), r->link_S[a], r->link_Psi[b], step, dC + at);
          add_inertia_gradient(K(-1), t_ad(V, r->link_S[a]), r->link_S[b], step, dC + at);
        }
}

/* Kinetic energy V . phi(V) / 2 and potential energy -gravity . (m p + R h) of link l, by its parameters. */
static inline void energies(const regression *r, int l, pose T, twist V, real *kinetic, real *potential) {
  const JN_S(tree) *tree = r->tree;
  vec3 gravity_world = v3_constant(tree->gravity), gravity_link = m3_tmul(T.R, gravity_world);
  for (int c = 0; c < 10; c++) {
    if (kinetic) kinetic[10 * l + c] = ZERO;
    if (potential) potential[10 * l + c] = ZERO;
  }
  if (kinetic) add_inertia_gradient(K(0.5), V, V, 1, kinetic + 10 * l);
  if (!potential) return;
  potential[10 * l] = -dot(gravity_world, v3_add(T.p, r->origin[tree->frame[l].body]));
  v3_store(v3_neg(gravity_link), potential + 10 * l + 1);
}

/* Columns of link l in a matrix [6 x 10L]: its ten wrenches x, moved to the frame in which it has pose T. */
static inline void store_wrenches(int links, int l, const wrench *x, pose T, real *out) {
  for (int c = 0; c < 10; c++) {
    real six[6];
    w_store(w_Ad_inverse(T, x[c]), six);
    for (int k = 0; k < 6; k++) out[k * 10 * links + 10 * l + c] = six[k];
  }
}

/* All outputs but Y, for link l, which moves. */
static inline void link_columns(const regression *r, int l, const jn_call *call) {
  const jn_regressor_arguments *args = &call->regressor;
  const JN_S(tree) *tree = r->tree;
  int body = tree->frame[l].body, links = tree->nlink;
  real *energy = args->energy, *momentum = args->momentum, *through = args->wrench;
  pose T = se3_mul((pose){axes_rotation(&r->B[body].at), v3_zero()}, link_in_body(tree, l));
  twist V = t_Ad_inverse(T, screw_numbers(r->V[body]));
  wrench x[10];
  wrench_columns(V, t_Ad_inverse(T, screw_numbers(r->V_r[body])), t_Ad_inverse(T, screw_numbers(r->A[body])), x);

  /* Screws and their rates in the frame of the link, from its body inwards. */
  pose seen = T; /* pose of the link from the origin of body i */
  for (int i = body; i >= 0 && (args->dM_dpi || args->dC_dpi); i = tree->body[i].parent) {
    for (int e = 0; e < tree->body[i].nv; e++) {
      int d = tree->body[i].id + e;
      r->link_S[d] = t_Ad_inverse(seen, screw_numbers(r->S[d]));
      r->link_Psi[d] = t_Ad_inverse(seen, screw_numbers(r->Psi[d]));
    }
    seen.p = v3_add(seen.p, sp_numbers(r->B[i].at.d));
  }
  if (energy) energies(r, l, T, V, energy, energy + 10 * links);
  if (args->dM_dpi || args->dC_dpi) matrix_entries(r, l, V, tree->nv * tree->nv, args->dM_dpi, args->dC_dpi);
  if (momentum) {
    wrench phi[10];
    momentum_columns(V, phi);
    store_wrenches(links, l, phi, (pose){T.R, v3_add(T.p, r->origin[body])}, momentum);
  }

  /* Wrench through the joint of another link, if that carries this one. */
  if (!through) return;
  int at = l;
  while (at >= 0 && at != args->link) at = tree->link_parent[at];
  if (at < 0) return;
  int other = tree->frame[at].body; /* the link may be fixed to the world */
  pose T_at = link_in_body(tree, at);
  if (other >= 0) T_at = se3_mul((pose){axes_rotation(&r->B[other].at), v3_zero()}, T_at);
  if (other >= 0) T_at.p = v3_add(T_at.p, r->origin[other]);
  T.p = v3_add(T.p, r->origin[body]);
  store_wrenches(links, l, x, se3_between(T_at, T), through);
}

/* A link that is fixed to the world: its weight passes through the joints of the links that carry it, and nothing else.
 */
static inline void fixed_columns(const JN_S(tree) * tree, int l, const jn_call *call) {
  const jn_regressor_arguments *args = &call->regressor;
  real *through = args->wrench;
  int at = l;
  if (!through || args->weightless) return;
  while (at >= 0 && at != args->link) at = tree->link_parent[at];
  if (at < 0) return;
  pose T = link_in_body(tree, l);
  wrench x[10];
  wrench_columns(t_zero(), t_zero(), t_Ad_inverse(T, base_acceleration(tree)), x);
  store_wrenches(tree->nlink, l, x, se3_between(link_in_body(tree, at), T), through);
}

/* All regressors that are wanted. */
void JN_(regressor)(const jn_call *call) {
  const jn_regressor_arguments *args = &call->regressor;
  const JN_S(tree) *tree = call->tree;
  size_t n = (size_t)tree->nv,
         wide = 10 * (size_t)tree->nlink; /* outputs that are not wanted may be larger than an int */
  const size_t size[6] = {n * wide, 2 * wide, 6 * wide, 6 * wide, wide * n * n, wide * n * n};
  real *at = call->scratch;
  regression r = regression_place(tree, &at);
  angles angle = angles_at(tree, args->q, &at);
  if (counts(call, at)) return;

  /* The sweep outwards. */
  int others = 0;
  for (int o = 1; o < 6; o++) others |= args->outputs[o] != NULL;
  regression_sweep(&r, call, &angle);
  real *Y = args->Y;

  /* Y of several states goes to the caller directly. */
#if JN_MANY
  if (Y && direct_is_own(call->direct) && !tree->coupled) {
    regressor_send(&r, call->direct);
    call->direct->stored |= 1;
    Y = NULL;
  }
#endif
  /* All other outputs begin with zero, and are filled link by link. */
  for (int o = Y ? 0 : 1; o < 6; o++) {
    real *out = args->outputs[o];
    for (size_t k = 0; k < size[o] && out; k++) out[k] = ZERO;
  }
  for (int l = 0; l < tree->nlink; l++) {
    int moves = tree->frame[l].body >= 0;
    if (moves && Y && tree->coupled) torque_rows(&r, l, 1, Y);
    if (moves && Y && !tree->coupled) torque_rows(&r, l, 0, Y);
    if (moves && others) link_columns(&r, l, call);
    if (!moves) fixed_columns(tree, l, call);
  }
}
