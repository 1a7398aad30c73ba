/* SPDX-License-Identifier: BSD-2-Clause */
/* One step of a momentum observer: external joint forces without accelerations and without the inverse of M (De Luca
 * and Mattone 2003).
 *
 * With the momentum p = M v, and C such that dM/dt = C + C^T,
 *   dp/dt = b + tau_ext,     b = tau + C^T v - g - springs - damping and friction
 * The observer keeps z = p(0) + integral of (b + r) dt, with r = gain (p - z): r follows tau_ext with the time constant
 * 1 / gain. The step is implicit in r, so that it is stable for all gains and all steps dt > 0:
 *   r = gain (p - z - dt b) / (1 + gain dt),     z' = z + dt (b + r)
 *
 * p and C^T v need no matrix. Let V be the twist of a part and H the momentum of its subtree, both in its frame, and S
 * its screws, which are constant there. Then p = S^T H; and dH/dt = (wrench through the joint) + ad(V)^T H gives
 *   C^T v = S^T ad(V)^T H = (V x S) . H = S_w . (N x w + F x v) + S_v . (F x w),     H = (N, F). */
#include "functions.h"

/* p [nv] and C^T v [nv] */
static int write_momentum_and_rate(jn_writing *w, jn_expr *p, jn_expr *rate) {
  const jn_symbols *s = &w->symbols;
  jn_graph *g = &w->graph;
  jn_part_momentum *m = jn__make_momenta(w, s->moments);
  for (int i = m ? w->mechanism.count - 1 : -1; i >= 0; i--) {
    const jn_part *part = &w->mechanism.part[i];
    jn_expr3 N = m[i].moment, F = m[i].force;
    jn_expr own[6], turned[6];
    jn__project(s, i, N, F, own);
    jn__project(s, i, jn__add3(g, jn__cross(g, N, m[i].w), jn__cross(g, F, m[i].v)), jn__cross(g, F, m[i].w), turned);
    for (int k = 0; k < part->nv; k++) {
      int at = part->iv + k;
      jn_expr rotor = jn__scale(g, part->armature[k], jn__input(g, JN_ARRAY_V, at));
      p[at] = jn__add(g, p[at], jn__add(g, own[k], rotor));
      rate[at] = jn__add(g, rate[at], turned[k]);
    }
    if (part->parent < 0) continue;
    F = jn__to_parent(s, i, F);
    N = jn__add3(g, jn__to_parent(s, i, N), jn__cross(g, s->joint[i].origin, F));
    m[part->parent].moment = jn__add3(g, m[part->parent].moment, N);
    m[part->parent].force = jn__add3(g, m[part->parent].force, F);
  }
  jn__release(&w->allocator, m);
  return m != NULL;
}

int jn__write_momentum_observer_function(jn_writing *w, jn_written_function *f) {
  f->about =
      "One step of a momentum observer: r follows the external joint forces with the time constant 1 / gain. state: "
      "keep state_out for the next call; begin with p. Damping and friction of the file are counted.";
  int n = jn_model_nv(w->model);
  jn_graph *g = &w->graph;
  jn__take_state(w, f, 1);
  jn__add_argument(f, "tau", JN_ARRAY_TAU, n);
  jn__add_argument(f, "state", JN_ARRAY_EXTRA, n);
  jn__add_argument(f, "gain", JN_ARRAY_MORE, n);
  jn__add_argument(f, "dt", JN_ARRAY_STEP, 1);
  jn_expr *r = jn__add_result(w, f, "r", n, 0), *state = jn__add_result(w, f, "state_out", n, 0),
          *p = jn__add_result(w, f, "p", n, 0);
  size_t bytes = (size_t)(n + 1) * sizeof(jn_expr);
  jn_expr *b = jn__allocate(&w->allocator, bytes), *loss = jn__allocate(&w->allocator, bytes),
          *gravity = jn__allocate(&w->allocator, bytes);
  int good = r && state && p && b && loss && gravity && write_momentum_and_rate(w, p, b) &&
             jn__write_inverse_dynamics(&w->symbols, NULL, NULL, 1, 1, gravity);
  if (good) jn__write_losses(w, loss);

  jn_expr dt = jn__input(g, JN_ARRAY_STEP, 0);
  for (int k = 0; good && k < n; k++) {
    jn_expr tau = jn__input(g, JN_ARRAY_TAU, k), z = jn__input(g, JN_ARRAY_EXTRA, k);
    jn_expr gain = jn__input(g, JN_ARRAY_MORE, k);
    b[k] = jn__subtract(g, jn__add(g, b[k], tau), jn__add(g, gravity[k], loss[k]));
    jn_expr missing = jn__subtract(g, jn__subtract(g, p[k], z), jn__multiply(g, dt, b[k]));
    r[k] = jn__divide(g, jn__multiply(g, gain, missing), jn__add(g, JN_ONE, jn__multiply(g, gain, dt)));
    state[k] = jn__add(g, z, jn__multiply(g, dt, jn__add(g, b[k], r[k])));
  }
  jn__release(&w->allocator, b);
  jn__release(&w->allocator, loss);
  jn__release(&w->allocator, gravity);
  return good;
}
