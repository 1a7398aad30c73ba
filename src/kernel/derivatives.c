/* SPDX-License-Identifier: BSD-2-Clause */
/* First derivatives of inverse, forward and hybrid dynamics with respect to the state (derivative.h). */
#include "derivative_forward.h"
#include "derivative_solve.h"
#include "derivative_tiles.h"
#include "product.h"
#include "row.h"

/* Forces of unit wrenches on the links: out [nv x nlink x 6] = factor * J^T. */
static inline void wrench_matrix(const JN_S(tree) * t, const scene *w, real factor, real *out) {
  for (int k = 0; k < t->nv * t->nlink * 6; k++) out[k] = ZERO;
  for (int l = 0; l < t->nlink; l++) {
    const JN_S(frame) *f = &t->frame[l];
    if (f->body < 0) continue;
    pose T = se3_mul((pose){w->R[f->body], v3_zero()}, se3_constant(f->R, f->p));
    for (int i = f->body; i >= 0; i = t->body[i].parent) {
      for (int c = 0; c < t->body[i].nv; c++) {
        real six[6], *to = out + ((t->body[i].iv + c) * t->nlink + l) * 6;
        t_store(t_Ad_inverse(T, w->S[t->body[i].id + c]), six);
        for (int e = 0; e < 6; e++) to[e] += factor * six[e];
      }
      T.p = v3_add(T.p, w->d[i]); /* from the parent's origin */
    }
  }
}

static inline scene field_scene(const field *w, real **at) {
  scene x = {TAKE(at, w->t->nb, mat3), w->d, w->S};
  for (int i = 0; i < w->t->nb; i++) x.R[i] = w->T[i].R;
  return x;
}

/* derivatives() when wrenches are fixed to bodies and no coordinates are coupled; 0 when not, and with lanes, where
 * first_matrices() takes less (chain of 7 joints 418 ns a state, not 439). */
static int derivatives_spread(const jn_call *c) {
  const JN_S(tree) *t = c->tree;
  if (TILE == 1 || t->coupled || c->out[4] || (c->in[3] && c->arg[0] != HOLD_BODY)) return 0;
  real *at = c->scratch;
  spread o = spread_place(t, c->in[0], c->in[1], c->in[2], &at);
  derived to = {.dq = c->out[0], .dv = c->out[1], .M = c->out[2]};
  o.W = c->in[3];
  spread_outward(&o);
  for (int i = t->nb - 1; i >= 0; i--) spread_inward(&o, i);
  spread_derivatives(&o, at, &to);
  for (int k = 0; k < 3; k++)
    if (c->out[k]) reorder(t, c->out[k], (int32_t *)(void *)at);
  if (!c->out[3]) return 1;
  scene x = spread_scene(&o, &at);
  wrench_matrix(t, &x, K(-1), c->out[3]);
  return 1;
}

/* in: q, v, a, wrenches (v, a, wrenches may be NULL). arg[0]: hold. out: dtau/dq, dtau/dv, dtau/da [nv x nv], dtau/d
 * wrench [nv x nlink x 6], tau [nv]. O(n d). */
void JN_(derivatives)(const jn_call *c) {
  const JN_S(tree) *t = c->tree;
  if (derivatives_spread(c)) return;
  real *at = c->scratch;
  field w = field_place(t, 1, c->in[3] ? c->arg[0] : HOLD_BODY, 0, c->in[0], &at);
  derived to = {.dq = c->out[0], .dv = c->out[1], .M = c->out[2]};
  w.v = c->in[1];
  w.a = c->in[2];
  w.W = c->in[3];
  w.rows = 1;
  sweep(&w);
  matrices(&w, &to);
  if (c->out[3]) {
    scene x = field_scene(&w, &at);
    wrench_matrix(t, &x, K(-1), c->out[3]);
  }
  if (c->out[4]) field_forces(&w, 0, c->out[4]);
}

/* derivatives_hybrid() when moreover nothing is prescribed: no factors, O(n^2). 0 when not so. */
static int derivatives_forward(const jn_call *c) {
  const JN_S(tree) *t = c->tree;
  if (c->data || factors_are_quicker(t) || (c->in[4] && c->arg[0] != HOLD_BODY)) return 0;
  real *at = c->scratch, *const *out = (real *const *)c->out;
  articulation o = {.t = t, .x = TAKE_ALIGNED(&at, t->nd, unit), .d = TAKE_ALIGNED(&at, t->nb, space)};
  equations e;
  if (!equations_place(&o, &e, &at)) return 0;
  spread w = spread_place(t, c->in[0], c->in[1], NULL, &at);
  derived to = {.dq = out[2], .dv = out[3]};
  w.W = c->in[4];
  spread_outward(&w);
  spread_forward(&w, &o, c->in[3], at, out[10], out[0]);
  spread_derivatives(&w, at, &to);
  equations_inverse(&e, out[4]);
  int multiply = (out[2] || out[3]) && t->nv >= TILE && branch_length(t) <= PRODUCT_BRANCH;
  if (multiply) {
    real *above = at;
    product p = product_by_body(t, out[4], out[2], out[3], &above);
    product_solve(&p);
  }
  for (int k = 2; k <= 4; k++)
    if (out[k]) reorder(t, out[k], (int32_t *)(void *)at);
  if (out[2] && !multiply) equations_solve(&e, -1, t->nv, out[2]);
  if (out[3] && !multiply) equations_solve(&e, -1, t->nv, out[3]);
  if (out[5]) {
    scene x = spread_scene(&w, &at);
    wrench_matrix(t, &x, K(1), out[5]);
    equations_solve(&e, 1, 6 * t->nlink, out[5]);
  }
  return 1;
}

/* in: q, v, a, tau, wrenches; data: prescribed, NULL for forward dynamics. arg[0]: hold. out: a, tau [nv]; da/dq,
 * da/dv, da/dgiven [nv x nv], da/dwrench [nv x nlink x 6]; dtau/dq, dtau/dv, dtau/dgiven, dtau/dwrench (tau and these
 * NULL for forward dynamics); pivots [nv]. a, da/dgiven, and dtau/dgiven if something is prescribed, are always there.
 * Column i of dgiven is for a_i if that is prescribed, and for tau_i if not. O(nv n d). */
void JN_(derivatives_hybrid)(const jn_call *c) {
  const JN_S(tree) *t = c->tree;
  if (derivatives_forward(c)) return;
  int n = t->nv, wide = 6 * t->nlink;
  real *at = c->scratch, *out[11];
  for (int k = 0; k < 11; k++) out[k] = c->out[k];
  field w = field_place(t, 1, c->in[4] ? c->arg[0] : HOLD_BODY, 0, c->in[0], &at);
  split s = {.t = t, .prescribed = c->data, .H = out[4], .M = out[8], .y = take(&at, (size_t)(2 * n))};
  w.v = c->in[1];
  w.W = c->in[4];
  w.rows = 1;
  accelerations(&w, &s, c->in[2], c->in[3], at, out[4], out[10], out[0]);
  sweep(&w);
  if (out[1]) field_forces(&w, 0, out[1]);
  const real *tau = c->in[3];
  for (int i = 0; i < n && out[1]; i++)
    if (!is_given(&s, i)) out[1][i] = tau ? tau[i] : ZERO; /* what was given, to the bit */
  derived to = {.dq = s.prescribed ? out[6] : out[2], .dv = s.prescribed ? out[7] : out[3], .M = out[8]};
  matrices(&w, &to);
  if (out[2]) solve_columns(&s, n, out[2], s.prescribed ? out[6] : NULL);
  if (out[3]) solve_columns(&s, n, out[3], s.prescribed ? out[7] : NULL);
  if (out[5]) {
    scene x = field_scene(&w, &at);
    wrench_matrix(t, &x, K(-1), s.prescribed ? out[9] : out[5]);
    solve_columns(&s, wide, out[5], s.prescribed ? out[9] : NULL);
  }
  invert(t, out[4], s.y);
  reorder(t, out[4], (int32_t *)(void *)s.y);
  given_columns(&s, out[4], out[8]);
}
