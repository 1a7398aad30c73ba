/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel `terms`: everything that follows from one sweep over the bodies, computed together if several outputs are
 * wanted (jn_compute()), or one output alone (jn_coriolis_matrix(), jn_frame_jacobian(), jn_energy(), ...).
 *
 *   M                           mass matrix                             mass_matrix.c      garofalo2013 (6a)
 *   C, dM/dt = C + C^T          Coriolis matrix                         coriolis.h         garofalo2013 (6b), (6d)
 *   g, bias, C v, tau           inverse dynamics of parts of a motion   inverse_dynamics.c kim2012 Table 2
 *   poses, twists, J, dJ/dt     of all frames                           frame_terms.h, jacobians.h
 *   c, momentum, A, T, U        centre of mass, momentum, energies      momentum.h         garofalo2013 (7)
 *
 * Only the sweeps that the wanted outputs need are done. Inputs and outputs: terms.h. Cost O(n depth) for matrices,
 * O(n) for the rest. */
#include "../base/variant.h"
#include "../inverse_dynamics/inverse_dynamics.h"
#include "../mass_matrix/mass_matrix.h"
#include "coriolis_any.h"
#include "coriolis_columns.h"
#include "coriolis_one.h"
#include "frame_terms.h"
#include "momentum.h"

/* Whether one of the outputs first ... last is wanted. */
static inline int wanted(const jn_call *call, int first, int last) {
  for (int k = first; k <= last; k++)
    if (call->terms.outputs[k]) return 1;
  return 0;
}

/* ---- matrices ---- */

/* dM/dt = C + C^T. */
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
  return subtree_wrenches(&s->B[i].I, &s->X[i], is_revolute(&s->tree->body[i]), s->S[k], s->Psi[k]);
}

/* Adds B = V x* I and the inertia of the subtree of body i to those of its parent. */
static inline void add_subtree_to_parent(const term_sweep *s, int i) {
  int p = s->tree->body[i].parent;
  if (p < 0) return;
  space_crossed_add(&s->X[p], &s->X[i], s->B[i].at.d);
  add_inertia_to_parent(s->tree, s->B, i);
}

#if JN_REGISTERS
/* C, four coordinates at a time: first all wrenches Z, W, Y, then their projections (coriolis_columns.h). */
static inline void coriolis_by_four(const term_sweep *s, real *C) {
  const JN_S(tree) *tree = s->tree;
  coriolis_wrenches *x = s->x;
  for (int k = 0; k < 3; k++) x[tree->nd + k] = (coriolis_wrenches){screw_zero(), screw_zero(), screw_zero()};
  for (int i = tree->nb - 1; i >= 0; i--) {
    const JN_S(body) *body = &tree->body[i];
    for (int k = body->id; k < body->id + body->nv; k++) x[k] = wrenches_of(s, i, k);
    add_subtree_to_parent(s, i);
  }
  coriolis_by_columns(&(coriolis_columns){tree, s->B, s->S, s->Psi, x, s->column}, C);
}

/* Four at a time pay where a joint carries more than three coordinates on average, its own among them: 100 joints 13.5
 * us instead of 30, 7 joints 410 ns instead of 435, but the legs of a quadruped 1.09 us instead of 0.99. */
static inline int four_are_quicker(const term_sweep *s) {
  int turns = 0, carried = 0;
  for (int i = 0; i < s->tree->nb && s->tree->in_body_order; i++) {
    int revolute = is_revolute(&s->tree->body[i]);
    turns += revolute;
    carried += revolute ? s->B[i].stop - s->B[i].id : 0;
  }
  return carried > 3 * turns;
}
#endif

/* C [nv x nv]. The inertias of the bodies become those of subtrees. */
static inline void coriolis_matrix(const term_sweep *s, real *C) {
  const JN_S(tree) *tree = s->tree;

  /* B = V x* I of each body. */
  for (int i = 0; i < tree->nb; i++) s->X[i] = space_crossed_of(s->V[i], &s->B[i].I);
#if JN_REGISTERS
  if (four_are_quicker(s)) {
    coriolis_by_four(s, C);
    return;
  }
  probe *P = (probe *)s->x; /* as large as its wrenches */
  for (int k = 0; k < tree->nd; k++) P[k] = probe_of(s->S[k], s->Psi[k]);
#endif
  /* Inwards: the entries of each coordinate with its ancestors, then B and I are added to the parent. */
  for (int k = 0; k < tree->nv * tree->nv; k++) C[k] = ZERO;
  for (int i = tree->nb - 1; i >= 0; i--) {
    for (int k = 0; k < tree->body[i].nv; k++) {
      coriolis_wrenches x = wrenches_of(s, i, tree->body[i].id + k);
#if JN_REGISTERS
      coriolis_entries(tree, s->B, P, &x, i, k, C);
#else
      coriolis_entries(tree, s->B, s->S, s->Psi, &x, i, k, C);
#endif
    }
    add_subtree_to_parent(s, i);
  }
}

/* The outputs that need inertias of subtrees: momentum, M and C. Each one turns the inertias of the bodies into those
 * of subtrees, so the sweep outwards is repeated before the next one. */
static inline void subtree_terms(const term_sweep *s, real *C, int momenta) {
  const jn_terms_arguments *args = &s->c->terms;
  int inertias_are_composite = 0;
  for (int k = 0; k < 3; k++) {
    if (!(k == 0 ? momenta : k == 1 ? args->M != NULL : C != NULL)) continue;
    if (inertias_are_composite) JN_(bodies_outward)
    (s->tree, s->q, s->v, s->turn, 1, s->B, s->S, s->V, C || args->momentum_matrix_rate ? s->Psi : NULL);
    if (k == 0) momentum(s);
    if (k == 1) JN_(mass_matrix_to)(s->tree, s->B, s->S, (screw *)s->x, s->apart, s->c->direct, args->M);
    if (k == 2) coriolis_matrix(s, C);
    inertias_are_composite = 1;
  }

  /* At rest C = 0; dM/dt = C + C^T. */
  if (!s->v) clear_matrices(s->tree->nv, args->C, args->Mdot);
  if (C && args->Mdot) mass_rate(s->tree->nv, C, args->Mdot);
}

/* ---- all ---- */

/* All outputs but the forces of a motion. */
static inline void other_terms(const JN_S(tree) * tree, const jn_call *call, const real *v, angles angle, real *at) {
  const jn_terms_arguments *args = &call->terms;
  if (!wanted(call, JN_OUT_terms_C, JN_OUT_terms_Mdot) && !wanted(call, JN_OUT_terms_poses, JN_OUT_terms_energy)) {
    if (args->M) JN_(mass_matrix_alone)(tree, args->q, &angle, at, call->direct, args->M);
    return;
  }

  /* Which sweeps are needed. */
  term_sweep s = {.tree = tree, .c = call, .q = args->q, .v = v, .turn = &angle};
  int in_world = args->representation == IN_WORLD, jacobians = args->jacobians || args->jacobian_rates;
  int in_space = args->space_jacobian || args->space_jacobian_rate || (jacobians && in_world);
  int frames = wanted(call, JN_OUT_terms_poses, JN_OUT_terms_accelerations) || (jacobians && !in_world);
  int momenta = wanted(call, JN_OUT_terms_momentum, JN_OUT_terms_momentum_matrix_rate),
      com = wanted(call, JN_OUT_terms_com, JN_OUT_terms_com_jacobian);
  int accelerations = args->accelerations || args->com_acceleration;
  real *C = !v ? NULL : args->C ? args->C : args->Mdot;
  int rates = C || args->jacobian_rates || args->space_jacobian_rate || args->momentum_matrix_rate || accelerations;
  int tensors = C || args->momentum_matrix || args->momentum_matrix_rate || args->M;

  /* Outwards: poses, screws, twists; then origins and accelerations. */
  sweep_place(&s, &at);
  JN_(bodies_outward)(tree, s.q, v, &angle, tensors, s.B, s.S, s.V, rates ? s.Psi : NULL);
  if (in_space || frames || momenta || args->com || args->energy) body_origins(&s);
  if (accelerations) body_accelerations(&s, args->a);

  /* Outputs that need no composite inertias, then those that do. */
  if (frames) frame_terms(&s);
  world_jacobians(&s, s.S, JN_OUT_terms_jacobians, args->space_jacobian);
  world_jacobians(&s, v ? s.Psi : NULL, JN_OUT_terms_jacobian_rates, args->space_jacobian_rate);
  if (com) center_of_mass(&s, args->link < 0 ? 0 : args->link, args->link < 0 ? tree->nlink : args->link_end);
  if (args->energy) energies(&s, args->energy);
  subtree_terms(&s, C, momenta);
}

/* Forces: each output is a pass of inverse dynamics (RNEA) of its own. */
static inline void forces(const JN_S(tree) * tree, const jn_call *call, const real *v, angles angle, real *at) {
  const jn_terms_arguments *args = &call->terms;
  const real *q = args->q;
  if (args->g) JN_(inverse_dynamics_forces)(tree, q, NULL, NULL, NULL, FORCES_UNSPRUNG, &angle, at, args->g);
  if (args->bias) JN_(inverse_dynamics_forces)(tree, q, v, NULL, NULL, FORCES_ALL, &angle, at, args->bias);
  if (args->coriolis)
    JN_(inverse_dynamics_forces)(tree, q, v, NULL, NULL, FORCES_WEIGHTLESS, &angle, at, args->coriolis);
  if (args->tau) JN_(inverse_dynamics_forces)(tree, q, v, args->a, args->wrench, FORCES_ALL, &angle, at, args->tau);
}

/* Whether an output depends on v: what does not need velocities must not pay for them. */
static inline int needs_velocity(const jn_call *call) {
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
    if (call->terms.outputs[which[k]]) return 1;
  return 0;
}

/* All outputs of terms.h that are wanted. */
void JN_(terms)(const jn_call *call) {
  const jn_terms_arguments *args = &call->terms;
  const JN_S(tree) *tree = call->tree;
  const real *v = needs_velocity(call) ? args->v : NULL;
  real *at = call->scratch;
  angles angle = angles_at(tree, args->q, &at);

  /* Only count scratch memory: the parts use the same memory, one after the other. */
  if (call->counted) {
    real *end = at;
    sweep_place(&(term_sweep){.tree = tree}, &end);
    counts(call, end);
    counts(call, JN_(inverse_dynamics_scratch)(tree, at));
    counts(call, JN_(mass_matrix_scratch)(tree, at));
    return;
  }

  forces(tree, call, v, angle, at);
  other_terms(tree, call, v, angle, at);
}
