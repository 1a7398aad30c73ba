/* SPDX-License-Identifier: BSD-2-Clause */
/* Everything that comes out of the sweeps of inverse dynamics: M, C (Coriolis, coriolis.h), dM/dt, tau, g, bias,
 * frames, centre of mass, momentum, energy. Only the sweeps that the wanted outputs need are done. O(n d) for matrices,
 * O(n) for the rest. */
#include "../base/variant.h"
#include "../inverse_dynamics/inverse_dynamics.h"
#include "../mass_matrix/mass_matrix.h"
#include "coriolis_any.h"
#include "coriolis_columns.h"
#include "coriolis_one.h"
#include "frame_terms.h"
#include "momentum.h"

static inline int wanted(const jn_call *c, int first, int last) {
  for (int k = first; k <= last; k++)
    if (c->terms.outputs[k]) return 1;
  return 0;
}

/* ---- matrices ---- */

static inline void mass_rate(int n, const real *C, real *dM) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      real x = C[i * n + j] + C[j * n + i];
      dM[i * n + j] = x;
      dM[j * n + i] = x;
    }
}

static inline void clear_matrices(int n, real *C, real *dM) {
  for (int k = 0; k < n * n; k++) {
    if (C) C[k] = ZERO;
    if (dM) dM[k] = ZERO;
  }
}

/* Wrenches of coordinate k of body i, whose subtree is complete. */
static inline coriolis_wrenches wrenches_of(const term_sweep *s, int i, int k) {
  return subtree_wrenches(&s->B[i].I, &s->X[i], is_revolute(&s->t->body[i]), s->S[k], s->Psi[k]);
}

/* Sums over the subtree of body i, handed to its parent. */
static inline void hand_on(const term_sweep *s, int i) {
  int p = s->t->body[i].parent;
  if (p < 0) return;
  space_crossed_add(&s->X[p], &s->X[i], s->B[i].at.d);
  add_inertia_to_parent(s->t, s->B, i);
}

#if JN_REGISTERS
/* Four coordinates at a time. */
static inline void coriolis_by_four(const term_sweep *s, real *C) {
  const JN_S(tree) *t = s->t;
  coriolis_wrenches *x = s->x;
  for (int k = 0; k < 3; k++) x[t->nd + k] = (coriolis_wrenches){screw_zero(), screw_zero(), screw_zero()};
  for (int i = t->nb - 1; i >= 0; i--) {
    const JN_S(body) *b = &t->body[i];
    for (int k = b->id; k < b->id + b->nv; k++) x[k] = wrenches_of(s, i, k);
    hand_on(s, i);
  }
  coriolis_by_columns(&(coriolis_columns){t, s->B, s->S, s->Psi, x, s->column}, C);
}

/* Four at a time pay where a joint carries more than three coordinates on average, its own among them: 100 joints 13.5
 * us instead of 30, 7 joints 410 ns instead of 435, but the legs of a quadruped 1.09 us instead of 0.99. */
static inline int four_are_quicker(const term_sweep *s) {
  int turns = 0, carried = 0;
  for (int i = 0; i < s->t->nb && s->t->in_body_order; i++) {
    int turn = is_revolute(&s->t->body[i]);
    turns += turn;
    carried += turn ? s->B[i].stop - s->B[i].id : 0;
  }
  return carried > 3 * turns;
}
#endif

/* C, for which the inertias of subtrees are made on the way. */
static inline void coriolis_matrix(const term_sweep *s, real *C) {
  const JN_S(tree) *t = s->t;
  for (int i = 0; i < t->nb; i++) s->X[i] = space_crossed_of(s->V[i], &s->B[i].I);
#if JN_REGISTERS
  if (four_are_quicker(s)) {
    coriolis_by_four(s, C);
    return;
  }
  probe *P = (probe *)s->x; /* as large as its wrenches */
  for (int k = 0; k < t->nd; k++) P[k] = probe_of(s->S[k], s->Psi[k]);
#endif
  for (int k = 0; k < t->nv * t->nv; k++) C[k] = ZERO;
  for (int i = t->nb - 1; i >= 0; i--) {
    for (int k = 0; k < t->body[i].nv; k++) {
      coriolis_wrenches x = wrenches_of(s, i, t->body[i].id + k);
#if JN_REGISTERS
      coriolis_entries(t, s->B, P, &x, i, k, C);
#else
      coriolis_entries(t, s->B, s->S, s->Psi, &x, i, k, C);
#endif
    }
    hand_on(s, i);
  }
}

/* Those that need inertias of subtrees: each makes its own of the bodies', which must be made again for the next. */
static inline void subtree_terms(const term_sweep *s, real *C, int momenta) {
  const jn_terms_arguments *args = &s->c->terms;
  int spoilt = 0;
  for (int k = 0; k < 3; k++) {
    if (!(k == 0 ? momenta : k == 1 ? args->M != NULL : C != NULL)) continue;
    if (spoilt) JN_(bodies_outward)
    (s->t, s->q, s->v, s->turn, 1, s->B, s->S, s->V, C || args->momentum_matrix_rate ? s->Psi : NULL);
    if (k == 0) momentum(s);
    if (k == 1) JN_(mass_matrix_to)(s->t, s->B, s->S, (screw *)s->x, s->apart, s->c->direct, args->M);
    if (k == 2) coriolis_matrix(s, C);
    spoilt = 1;
  }
  if (!s->v) clear_matrices(s->t->nv, args->C, args->Mdot);
  if (C && args->Mdot) mass_rate(s->t->nv, C, args->Mdot);
}

/* ---- all ---- */

/* All but the forces of a motion. */
static inline void other_terms(const JN_S(tree) * t, const jn_call *c, const real *v, angles turn, real *at) {
  const jn_terms_arguments *args = &c->terms;
  if (!wanted(c, JN_OUT_terms_C, JN_OUT_terms_Mdot) && !wanted(c, JN_OUT_terms_poses, JN_OUT_terms_energy)) {
    if (args->M) JN_(mass_matrix_alone)(t, args->q, &turn, at, c->direct, args->M);
    return;
  }
  term_sweep s = {.t = t, .c = c, .q = args->q, .v = v, .turn = &turn};
  int in_world = args->representation == IN_WORLD, jacobians = args->jacobians || args->jacobian_rates;
  int in_space = args->space_jacobian || args->space_jacobian_rate || (jacobians && in_world);
  int frames = wanted(c, JN_OUT_terms_poses, JN_OUT_terms_accelerations) || (jacobians && !in_world);
  int momenta = wanted(c, JN_OUT_terms_momentum, JN_OUT_terms_momentum_matrix_rate),
      com = wanted(c, JN_OUT_terms_com, JN_OUT_terms_com_jacobian);
  int accelerations = args->accelerations || args->com_acceleration;
  real *C = !v ? NULL : args->C ? args->C : args->Mdot;
  int rates = C || args->jacobian_rates || args->space_jacobian_rate || args->momentum_matrix_rate || accelerations;
  int tensors = C || args->momentum_matrix || args->momentum_matrix_rate || args->M;
  sweep_place(&s, &at);
  JN_(bodies_outward)(t, s.q, v, &turn, tensors, s.B, s.S, s.V, rates ? s.Psi : NULL);
  if (in_space || frames || momenta || args->com || args->energy) body_origins(&s);
  if (accelerations) body_accelerations(&s, args->a);
  if (frames) frame_terms(&s);
  world_jacobians(&s, s.S, JN_OUT_terms_jacobians, args->space_jacobian);
  world_jacobians(&s, v ? s.Psi : NULL, JN_OUT_terms_jacobian_rates, args->space_jacobian_rate);
  if (com) center_of_mass(&s, args->link < 0 ? 0 : args->link, args->link < 0 ? t->nlink : args->link_end);
  if (args->energy) energies(&s, args->energy);
  subtree_terms(&s, C, momenta);
}

/* The forces: each its own pass of Newton and Euler (RNEA). */
static inline void forces(const JN_S(tree) * t, const jn_call *c, const real *v, angles turn, real *at) {
  const jn_terms_arguments *args = &c->terms;
  const real *q = args->q;
  if (args->g) JN_(inverse_dynamics_forces)(t, q, NULL, NULL, NULL, FORCES_UNSPRUNG, &turn, at, args->g);
  if (args->bias) JN_(inverse_dynamics_forces)(t, q, v, NULL, NULL, FORCES_ALL, &turn, at, args->bias);
  if (args->coriolis) JN_(inverse_dynamics_forces)(t, q, v, NULL, NULL, FORCES_WEIGHTLESS, &turn, at, args->coriolis);
  if (args->tau) JN_(inverse_dynamics_forces)(t, q, v, args->a, args->wrench, FORCES_ALL, &turn, at, args->tau);
}

/* Velocities matter only to these: what does not need them must not pay for them. */
static inline int needs_velocity(const jn_call *c) {
  static const int which[] = {JN_OUT_terms_C,
                              JN_OUT_terms_Mdot,
                              JN_OUT_terms_tau,
                              JN_OUT_terms_bias,
                              JN_OUT_terms_coriolis,
                              JN_OUT_terms_twists,
                              JN_OUT_terms_accelerations,
                              JN_OUT_terms_jacobian_rates,
                              JN_OUT_terms_space_jacobian_rate,
                              JN_OUT_terms_com_velocity,
                              JN_OUT_terms_com_acceleration,
                              JN_OUT_terms_momentum,
                              JN_OUT_terms_momentum_matrix_rate,
                              JN_OUT_terms_energy};
  for (size_t k = 0; k < sizeof which / sizeof *which; k++)
    if (c->terms.outputs[which[k]]) return 1;
  return 0;
}

void JN_(terms)(const jn_call *c) {
  const jn_terms_arguments *args = &c->terms;
  const JN_S(tree) *t = c->tree;
  const real *v = needs_velocity(c) ? args->v : NULL;
  real *at = c->scratch;
  angles turn = angles_at(t, args->q, &at);
  if (c->counted) {
    real *end = at;
    sweep_place(&(term_sweep){.t = t}, &end);
    counts(c, end);
    counts(c, JN_(inverse_dynamics_scratch)(t, at));
    counts(c, JN_(mass_matrix_scratch)(t, at));
    return;
  }
  forces(t, c, v, turn, at);
  other_terms(t, c, v, turn, at);
}
