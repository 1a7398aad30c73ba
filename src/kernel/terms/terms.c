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
#include "terms.h"

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
    if (call->out[k]) return 1;
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
  void *const *out = s->c->out;
  int inertias_are_composite = 0;
  for (int k = 0; k < 3; k++) {
    if (!(k == 0 ? momenta : k == 1 ? out[JN_OUT_M] != NULL : C != NULL)) continue;
    if (inertias_are_composite)
      JN_(bodies_outward)(s->tree, s->q, s->v, s->turn, 1, s->B, s->S, s->V, C || out[JN_OUT_DA] ? s->Psi : NULL);
    if (k == 0) momentum(s);
    if (k == 1) JN_(mass_matrix_to)(s->tree, s->B, s->S, (screw *)s->x, s->apart, s->c);
    if (k == 2) coriolis_matrix(s, C);
    inertias_are_composite = 1;
  }

  /* At rest C = 0; dM/dt = C + C^T. */
  if (!s->v) clear_matrices(s->tree->nv, out[JN_OUT_C], out[JN_OUT_DM]);
  if (C && out[JN_OUT_DM]) mass_rate(s->tree->nv, C, out[JN_OUT_DM]);
}

/* ---- all ---- */

/* All outputs but the forces of a motion. */
static inline void other_terms(const JN_S(tree) * tree, const jn_call *call, const real *v, angles angle, real *at) {
  void *const *out = call->out;
  if (!wanted(call, JN_OUT_C, JN_OUT_DM) && !wanted(call, JN_OUT_POSES, JN_OUTS - 1)) {
    if (out[JN_OUT_M]) JN_(mass_matrix_alone)(call, &angle, at);
    return;
  }

  /* Which sweeps are needed. */
  term_sweep s = {.tree = tree, .c = call, .q = call->in[0], .v = v, .turn = &angle};
  int in_world = call->arg[0] == IN_WORLD, jacobians = out[JN_OUT_J] || out[JN_OUT_DJ];
  int in_space = out[JN_OUT_SPACE] || out[JN_OUT_DSPACE] || (jacobians && in_world);
  int frames = wanted(call, JN_OUT_POSES, JN_OUT_ACCELERATIONS) || (jacobians && !in_world);
  int momenta = wanted(call, JN_OUT_MOMENTUM, JN_OUT_DA), com = wanted(call, JN_OUT_COM, JN_OUT_JCOM);
  int accelerations = out[JN_OUT_ACCELERATIONS] || out[JN_OUT_DDCOM];
  real *C = !v ? NULL : out[JN_OUT_C] ? out[JN_OUT_C] : out[JN_OUT_DM];
  int rates = C || out[JN_OUT_DJ] || out[JN_OUT_DSPACE] || out[JN_OUT_DA] || accelerations;
  int tensors = C || out[JN_OUT_A] || out[JN_OUT_DA] || out[JN_OUT_M];

  /* Outwards: poses, screws, twists; then origins and accelerations. */
  sweep_place(&s, &at);
  JN_(bodies_outward)(tree, s.q, v, &angle, tensors, s.B, s.S, s.V, rates ? s.Psi : NULL);
  if (in_space || frames || momenta || out[JN_OUT_COM] || out[JN_OUT_ENERGY]) body_origins(&s);
  if (accelerations) body_accelerations(&s, call->in[2]);

  /* Outputs that need no composite inertias, then those that do. */
  if (frames) frame_terms(&s);
  world_jacobians(&s, s.S, JN_OUT_J, out[JN_OUT_SPACE]);
  world_jacobians(&s, v ? s.Psi : NULL, JN_OUT_DJ, out[JN_OUT_DSPACE]);
  if (com) center_of_mass(&s, call->arg[2] < 0 ? 0 : call->arg[2], call->arg[2] < 0 ? tree->nlink : call->arg[3]);
  if (out[JN_OUT_ENERGY]) energies(&s, out[JN_OUT_ENERGY]);
  subtree_terms(&s, C, momenta);
}

/* Forces: each output is a pass of inverse dynamics (RNEA) of its own. */
static inline void forces(const JN_S(tree) * tree, const jn_call *call, const real *v, angles angle, real *at) {
  const real *q = call->in[0];
  if (call->out[JN_OUT_G])
    JN_(inverse_dynamics_forces)(tree, q, NULL, NULL, NULL, FORCES_UNSPRUNG, &angle, at, call->out[JN_OUT_G]);
  if (call->out[JN_OUT_BIAS])
    JN_(inverse_dynamics_forces)(tree, q, v, NULL, NULL, FORCES_ALL, &angle, at, call->out[JN_OUT_BIAS]);
  if (call->out[JN_OUT_CORIOLIS])
    JN_(inverse_dynamics_forces)(tree, q, v, NULL, NULL, FORCES_WEIGHTLESS, &angle, at, call->out[JN_OUT_CORIOLIS]);
  if (call->out[JN_OUT_TAU])
    JN_(inverse_dynamics_forces)(tree, q, v, call->in[2], call->in[3], FORCES_ALL, &angle, at, call->out[JN_OUT_TAU]);
}

/* Whether an output depends on v: what does not need velocities must not pay for them. */
static inline int needs_velocity(const jn_call *call) {
  static const int which[] = {
      JN_OUT_C,  JN_OUT_DM,     JN_OUT_TAU,  JN_OUT_BIAS,  JN_OUT_CORIOLIS, JN_OUT_TWISTS, JN_OUT_ACCELERATIONS,
      JN_OUT_DJ, JN_OUT_DSPACE, JN_OUT_DCOM, JN_OUT_DDCOM, JN_OUT_MOMENTUM, JN_OUT_DA,     JN_OUT_ENERGY};
  for (size_t k = 0; k < sizeof which / sizeof *which; k++)
    if (call->out[which[k]]) return 1;
  return 0;
}

/* All outputs of terms.h that are wanted. */
void JN_(terms)(const jn_call *call) {
  const JN_S(tree) *tree = call->tree;
  const real *v = needs_velocity(call) ? call->in[1] : NULL;
  real *at = call->scratch;
  angles angle = angles_at(tree, call->in[0], &at);

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
