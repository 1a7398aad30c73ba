/* SPDX-License-Identifier: BSD-2-Clause */
/* First derivatives of inverse, forward and hybrid dynamics with respect to the state (linearization.h). */
#include "../base/row.h"
#include "../forward_dynamics/inverse_product.h"
#include "forward_many.h"
#include "forward_one.h"
#include "solved_derivatives.h"
#if !JN_MANY
#include "matrices_one.h"
#endif

/* Forces of unit wrenches on the links: out [nv x nlink x 6] = factor * J^T. */
static inline void wrench_matrix(const JN_S(tree) * t, const world_poses *w, real factor, real *out) {
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

static inline world_poses linearization_poses(const linearization *w, real **at) {
  world_poses x = {TAKE(at, w->t->nb, mat3), w->d, w->S};
  for (int i = 0; i < w->t->nb; i++) x.R[i] = w->T[i].R;
  return x;
}

#if JN_MANY

static inline world_poses many_poses(const linearization_many *o, real **at) {
  const JN_S(tree) *t = o->t;
  world_poses x = {TAKE(at, t->nb, mat3), TAKE(at, t->nb, vec3), TAKE(at, t->nd, twist)};
  for (int i = 0; i < t->nb; i++) {
    x.R[i] = o->at[i].R;
    x.d[i] = o->at[i].d;
  }
  for (int c = 0; c < t->nd; c++) x.S[c] = o->s[c].S;
  return x;
}

/* derivatives() when wrenches are fixed to bodies and no coordinates are coupled; 0 when not. */
static int derivatives_special(const jn_call *c) {
  const JN_S(tree) *t = c->tree;
  if (t->coupled || c->out[4] || (c->in[3] && c->arg[0] != HOLD_BODY)) return 0;
  real *at = c->scratch;
  linearization_many o = many_place(t, c->in[0], c->in[1], c->in[2], &at);
  target g = {.to = c->direct};
  if (c->out[0]) g.dq = take(&at, (size_t)(6 * t->nv));
  if (c->out[1]) g.dv = take(&at, (size_t)(6 * t->nv));
  if (c->out[2]) g.M = take(&at, (size_t)(6 * t->nv));
  o.W = c->in[3];
  many_outward(&o);
  many_inward(&o, 1);
  many_matrices(&o, &g);
  c->direct->stored = 7;
  if (!c->out[3]) return 1;
  world_poses x = many_poses(&o, &at);
  wrench_matrix(t, &x, K(-1), c->out[3]);
  return 1;
}

#else

/* derivatives() when wrenches are fixed to bodies and no coordinates are coupled; 0 when not. */
static int derivatives_special(const jn_call *c) {
  const JN_S(tree) *t = c->tree;
  if (TILE == 1 || t->coupled || c->out[4] || (c->in[3] && c->arg[0] != HOLD_BODY)) return 0;
  real *at = c->scratch;
  linearization_one o = one_place(t, c->in[0], c->in[1], c->in[2], &at);
  derived to = {.dq = c->out[0], .dv = c->out[1], .M = c->out[2]};
  o.W = c->in[3];
  one_outward(&o);
  for (int i = t->nb - 1; i >= 0; i--) one_inward(&o, i);
  one_derivatives(&o, at, &to);
  for (int k = 0; k < 3; k++)
    if (c->out[k]) reorder(t, c->out[k], (int32_t *)(void *)at);
  if (!c->out[3]) return 1;
  world_poses x = one_poses(&o, &at);
  wrench_matrix(t, &x, K(-1), c->out[3]);
  return 1;
}

#endif

/* in: q, v, a, wrenches (v, a, wrenches may be NULL). arg[0]: hold. out: dtau/dq, dtau/dv, dtau/da [nv x nv], dtau/d
 * wrench [nv x nlink x 6], tau [nv]. O(n d). */
void JN_(derivatives)(const jn_call *c) {
  const JN_S(tree) *t = c->tree;
  if (derivatives_special(c)) return;
  real *at = c->scratch;
  linearization w = linearization_place(t, 1, c->in[3] ? c->arg[0] : HOLD_BODY, 0, c->in[0], &at);
  derived to = {.dq = c->out[0], .dv = c->out[1], .M = c->out[2]};
  w.v = c->in[1];
  w.a = c->in[2];
  w.W = c->in[3];
  w.rows = 1;
  sweep(&w);
  matrices(&w, &to);
  if (c->out[3]) {
    world_poses x = linearization_poses(&w, &at);
    wrench_matrix(t, &x, K(-1), c->out[3]);
  }
  if (c->out[4]) linearization_forces(&w, 0, c->out[4]);
}

#if JN_MANY

/* M^-1 X in place of X [nv x nlink x 6], of which only rows along the branches of the links are not zero. Takes 6 nv
 * reals. */
static inline void wrench_product(const JN_S(tree) * t, const real *inverse, real *at, real *X) {
  int n = t->nv, wide = 6 * t->nlink;
  real *own = take(&at, (size_t)(6 * n));
  for (int l = 0; l < t->nlink; l++) {
    for (int k = 0; k < 6 * n; k++) own[k] = X[k / 6 * wide + 6 * l + k % 6];
    for (int r = 0; r < n; r++) {
      real sum[6] = {ZERO, ZERO, ZERO, ZERO, ZERO, ZERO}, *to = X + r * wide + 6 * l;
      for (int i = t->frame[l].body; i >= 0; i = t->body[i].parent)
        for (int k = t->body[i].iv; k < t->body[i].iv + t->body[i].nv; k++)
          for (int e = 0; e < 6; e++) sum[e] += inverse[r * n + k] * own[6 * k + e];
      for (int e = 0; e < 6; e++) to[e] = sum[e];
    }
  }
}

/* Accelerations y [nv], in the order of elimination, with which the linearization is moved on, and M^-1, in that of v:
 * by factors where branches are short, else by articulated bodies, which lose no digits on long ones. 0: the tree
 * branches too often for that. */
static int many_forward(const linearization_many *o, equations *e, const real *tau, real **at, real *pivots, real *y,
                        real *inverse) {
  const JN_S(tree) *t = o->t;
  int factors = factors_are_quicker(t) && t->nv <= LANES_MOST;
  compact M = compact_place(t, inverse, at);
  if (factors) {
    many_equations(o, tau, &M, y);
    compact_factorize(&M, pivots);
    compact_substitute(&M, y);
  } else {
    if (!equations_place(e->o, e, at)) return 0;
    many_articulated(o, e->o, tau, *at, pivots, y);
  }
  many_accelerate(o, y);
  if (factors)
    compact_invert(&M, *at);
  else
    equations_inverse(e, inverse);
  reorder(t, inverse, (int32_t *)(void *)*at);
  return 1;
}

/* derivatives_hybrid() when moreover nothing is prescribed. 0 when not so. */
static int derivatives_forward(const jn_call *c) {
  const JN_S(tree) *t = c->tree;
  if (c->data || t->coupled || (c->in[4] && c->arg[0] != HOLD_BODY)) return 0;
  real *at = c->scratch, *const *out = (real *const *)c->out;
  articulation u = {.t = t, .x = TAKE_ALIGNED(&at, t->nd, eliminated), .d = TAKE_ALIGNED(&at, t->nb, space)};
  linearization_many o = many_place(t, c->in[0], c->in[1], NULL, &at);
  real *y = take(&at, (size_t)t->nv);
  target g = {.dq = out[2], .dv = out[3], .to = c->direct};
  equations e = {.o = &u};
  int long_branches = branch_length(t) > PRODUCT_BRANCH || t->nv > LANES_MOST;
  o.W = c->in[4];
  many_outward(&o);
  if (!many_forward(&o, &e, c->in[3], &at, out[10], y, out[4])) return 0;
  for (int k = 0; k < t->nv; k++) out[0][t->order[k]] = y[k];
  many_inward(&o, 0);
  many_matrices(&o, &(target){.dq = out[2], .dv = out[3]});
  if (out[5]) {
    world_poses x = many_poses(&o, &at);
    wrench_matrix(t, &x, K(1), out[5]);
    wrench_product(t, out[4], at, out[5]);
  }
  if (long_branches) {
    if (out[2]) equations_solve(&e, -1, t->nv, out[2]);
    if (out[3]) equations_solve(&e, -1, t->nv, out[3]);
    return 1;
  }
  many_product(t, out[4], &g, at);
  c->direct->stored = 1 << 2 | 1 << 3;
  return 1;
}

#else

/* derivatives_hybrid() when moreover nothing is prescribed: no factors, O(n^2). 0 when not so. */
static int derivatives_forward(const jn_call *c) {
  const JN_S(tree) *t = c->tree;
  if (c->data || factors_are_quicker(t) || (c->in[4] && c->arg[0] != HOLD_BODY)) return 0;
  real *at = c->scratch, *const *out = (real *const *)c->out;
  articulation o = {.t = t, .x = TAKE_ALIGNED(&at, t->nd, eliminated), .d = TAKE_ALIGNED(&at, t->nb, space)};
  equations e;
  if (!equations_place(&o, &e, &at)) return 0;
  linearization_one w = one_place(t, c->in[0], c->in[1], NULL, &at);
  derived to = {.dq = out[2], .dv = out[3]};
  w.W = c->in[4];
  one_outward(&w);
  one_forward(&w, &o, c->in[3], at, out[10], out[0]);
  one_derivatives(&w, at, &to);
  equations_inverse(&e, out[4]);
  int multiply = (out[2] || out[3]) && t->nv >= TILE && branch_length(t) <= PRODUCT_BRANCH;
  if (multiply) {
    real *above = at;
    product p = product_place(t, out[4], out[2], out[3], &above);
    product_solve(&p);
  }
  for (int k = 2; k <= 4; k++)
    if (out[k]) reorder(t, out[k], (int32_t *)(void *)at);
  if (out[2] && !multiply) equations_solve(&e, -1, t->nv, out[2]);
  if (out[3] && !multiply) equations_solve(&e, -1, t->nv, out[3]);
  if (out[5]) {
    world_poses x = one_poses(&w, &at);
    wrench_matrix(t, &x, K(1), out[5]);
    equations_solve(&e, 1, 6 * t->nlink, out[5]);
  }
  return 1;
}

#endif

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
  linearization w = linearization_place(t, 1, c->in[4] ? c->arg[0] : HOLD_BODY, 0, c->in[0], &at);
  split s = {.t = t, .prescribed = c->data, .H = out[4], .M = out[8], .y = take(&at, (size_t)(2 * n))};
  w.v = c->in[1];
  w.W = c->in[4];
  w.rows = 1;
  accelerations(&w, &s, c->in[2], c->in[3], at, out[4], out[10], out[0]);
  sweep(&w);
  if (out[1]) linearization_forces(&w, 0, out[1]);
  const real *tau = c->in[3];
  for (int i = 0; i < n && out[1]; i++)
    if (!is_given(&s, i)) out[1][i] = tau ? tau[i] : ZERO; /* what was given, to the bit */
  derived to = {.dq = s.prescribed ? out[6] : out[2], .dv = s.prescribed ? out[7] : out[3], .M = out[8]};
  matrices(&w, &to);
  if (out[2]) solve_columns(&s, n, out[2], s.prescribed ? out[6] : NULL);
  if (out[3]) solve_columns(&s, n, out[3], s.prescribed ? out[7] : NULL);
  if (out[5]) {
    world_poses x = linearization_poses(&w, &at);
    wrench_matrix(t, &x, K(-1), s.prescribed ? out[9] : out[5]);
    solve_columns(&s, wide, out[5], s.prescribed ? out[9] : NULL);
  }
  invert(t, out[4], s.y);
  reorder(t, out[4], (int32_t *)(void *)s.y);
  given_columns(&s, out[4], out[8]);
}
