/* SPDX-License-Identifier: BSD-2-Clause */
/* Regressors: forces, energies, momentum and wrenches are linear in the ten parameters of every link (garofalo2013 sec.
 * III). With twists V, reference twists V_r and accelerations A_r = sum S a_r + Psi v_r - gravity, a link's wrench is
 *   I A_r + V x* I V_r,      so that      Y pi = M a_r + C v_r + g
 * with the passive C. Axes of the world (world.h). O(n d).
 * in: q, v, v_r, a_r (NULL: zero). weightless: without gravity; link: that of `wrench`. out: Y [nv x 10L]; kinetic and
 * potential energy [10L]; momentum about the world's origin [6 x 10L]; wrench through the joint of a link, in its frame
 * [6 x 10L]; dM, dC [10L x nv x nv]. */
#include "parameter_columns.h"

#include "../base/variant.h"
#include "torque_rows_any.h"
#include "torque_rows_one.h"

/* Entries of one link in the matrices dM/dpi and dC/dpi: both coordinates carry it. */
static inline void matrix_entries(const regression *r, int l, twist V, int step, real *dM, real *dC) {
  const JN_S(tree) *t = r->t;
  int n = t->nv, body = t->frame[l].body;
  for (int i = body; i >= 0; i = t->body[i].parent)
    for (int j = body; j >= 0; j = t->body[j].parent)
      for (int e = 0; e < t->body[i].nv; e++)
        for (int f = 0; f < t->body[j].nv; f++) {
          int a = t->body[i].id + e, b = t->body[j].id + f;
          int at = 10 * l * step + (t->body[i].iv + e) * n + t->body[j].iv + f;
          if (dM) add_inertia_gradient(K(1), r->link_S[a], r->link_S[b], step, dM + at);
          if (!dC) continue;
          add_inertia_gradient(K(1), r->link_S[a], r->link_Psi[b], step, dC + at);
          add_inertia_gradient(K(-1), t_ad(V, r->link_S[a]), r->link_S[b], step, dC + at);
        }
}

static inline void energies(const regression *r, int l, pose T, twist V, real *kinetic, real *potential) {
  const JN_S(tree) *t = r->t;
  vec3 g = v3_constant(t->gravity), h = m3_tmul(T.R, g);
  for (int c = 0; c < 10; c++) {
    if (kinetic) kinetic[10 * l + c] = ZERO;
    if (potential) potential[10 * l + c] = ZERO;
  }
  if (kinetic) add_inertia_gradient(K(0.5), V, V, 1, kinetic + 10 * l);
  if (!potential) return;
  potential[10 * l] = -dot(g, v3_add(T.p, r->place[t->frame[l].body]));
  v3_store(v3_neg(h), potential + 10 * l + 1);
}

/* Six rows of a matrix [6 x 10L]: wrenches of link l carried to another frame. */
static inline void store_wrenches(int links, int l, const wrench *x, pose T, real *out) {
  for (int c = 0; c < 10; c++) {
    real six[6];
    w_store(w_Ad_inverse(T, x[c]), six);
    for (int k = 0; k < 6; k++) out[k * 10 * links + 10 * l + c] = six[k];
  }
}

/* All outputs of one link that moves. */
static inline void link_columns(const regression *r, int l, const jn_call *c) {
  const jn_regressor_arguments *args = &c->regressor;
  const JN_S(tree) *t = r->t;
  int body = t->frame[l].body, links = t->nlink;
  real *energy = args->energy, *momentum = args->momentum, *through = args->wrench;
  pose T = se3_mul((pose){axes_rotation(&r->B[body].at), v3_zero()}, link_in_body(t, l));
  twist V = t_Ad_inverse(T, screw_numbers(r->V[body]));
  wrench x[10];
  wrench_columns(V, t_Ad_inverse(T, screw_numbers(r->V_r[body])), t_Ad_inverse(T, screw_numbers(r->A[body])), x);
  pose seen = T; /* from the origins of the bodies on the way inwards */
  for (int i = body; i >= 0 && (args->dM_dpi || args->dC_dpi); i = t->body[i].parent) {
    for (int e = 0; e < t->body[i].nv; e++) {
      int d = t->body[i].id + e;
      r->link_S[d] = t_Ad_inverse(seen, screw_numbers(r->S[d]));
      r->link_Psi[d] = t_Ad_inverse(seen, screw_numbers(r->Psi[d]));
    }
    seen.p = v3_add(seen.p, sp_numbers(r->B[i].at.d));
  }
  if (energy) energies(r, l, T, V, energy, energy + 10 * links);
  if (args->dM_dpi || args->dC_dpi) matrix_entries(r, l, V, t->nv * t->nv, args->dM_dpi, args->dC_dpi);
  if (momentum) {
    wrench phi[10];
    momentum_columns(V, phi);
    store_wrenches(links, l, phi, (pose){T.R, v3_add(T.p, r->place[body])}, momentum);
  }
  if (!through) return;
  int at = l;
  while (at >= 0 && at != args->link) at = t->link_parent[at];
  if (at < 0) return;
  int other = t->frame[at].body; /* the link may be fixed to the world */
  pose T_at = link_in_body(t, at);
  if (other >= 0) T_at = se3_mul((pose){axes_rotation(&r->B[other].at), v3_zero()}, T_at);
  if (other >= 0) T_at.p = v3_add(T_at.p, r->place[other]);
  T.p = v3_add(T.p, r->place[body]);
  store_wrenches(links, l, x, se3_between(T_at, T), through);
}

/* A link fixed to the world weighs on what holds it, and nothing else. */
static inline void fixed_columns(const JN_S(tree) * t, int l, const jn_call *c) {
  const jn_regressor_arguments *args = &c->regressor;
  real *through = args->wrench;
  int at = l;
  if (!through || args->weightless) return;
  while (at >= 0 && at != args->link) at = t->link_parent[at];
  if (at < 0) return;
  pose T = link_in_body(t, l);
  wrench x[10];
  wrench_columns(t_zero(), t_zero(), t_Ad_inverse(T, base_acceleration(t)), x);
  store_wrenches(t->nlink, l, x, se3_between(link_in_body(t, at), T), through);
}

void JN_(regressor)(const jn_call *c) {
  const jn_regressor_arguments *args = &c->regressor;
  const JN_S(tree) *t = c->tree;
  size_t n = (size_t)t->nv, wide = 10 * (size_t)t->nlink; /* outputs that are not wanted may be larger than an int */
  const size_t size[6] = {n * wide, 2 * wide, 6 * wide, 6 * wide, wide * n * n, wide * n * n};
  real *at = c->scratch;
  regression r = regression_place(t, &at);
  angles turn = angles_at(t, args->q, &at);
  if (counts(c, at)) return;
  int others = 0;
  for (int o = 1; o < 6; o++) others |= args->outputs[o] != NULL;
  regression_sweep(&r, c, &turn);
  real *Y = args->Y;
#if JN_MANY
  if (Y && direct_is_own(c->direct) && !t->coupled) {
    regressor_send(&r, c->direct);
    c->direct->stored |= 1;
    Y = NULL;
  }
#endif
  for (int o = Y ? 0 : 1; o < 6; o++) {
    real *out = args->outputs[o];
    for (size_t k = 0; k < size[o] && out; k++) out[k] = ZERO;
  }
  for (int l = 0; l < t->nlink; l++) {
    int moves = t->frame[l].body >= 0;
    if (moves && Y && t->coupled) torque_rows(&r, l, 1, Y);
    if (moves && Y && !t->coupled) torque_rows(&r, l, 0, Y);
    if (moves && others) link_columns(&r, l, c);
    if (!moves) fixed_columns(t, l, c);
  }
}
