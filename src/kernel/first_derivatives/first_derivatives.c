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

static inline void linearization_poses(const linearization *w, const world_poses *x) {
  for (int i = 0; i < w->t->nb; i++) x->R[i] = w->T[i].R, x->d[i] = w->d[i];
  for (int c = 0; c < w->t->nd; c++) x->S[c] = w->S[c];
}

/* Whether the special versions, of one state in tiles or of many in lanes, do for a call: no coordinates are coupled,
 * and wrenches are fixed to bodies. */
static inline int is_special(const jn_call *c, const void *wrenches) {
  const JN_S(tree) *t = c->tree;
  return c->counted || (!t->coupled && !(wrenches && c->arg[0] != HOLD_BODY));
}

#if JN_MANY

static inline void many_poses(const linearization_many *o, const world_poses *x) {
  const JN_S(tree) *t = o->t;
  for (int i = 0; i < t->nb; i++) {
    x->R[i] = o->at[i].R;
    x->d[i] = o->at[i].d;
  }
  for (int c = 0; c < t->nd; c++) x->S[c] = o->s[c].S;
}

/* derivatives() in lanes; 0 when not. */
static int derivatives_special(const jn_call *c) {
  const JN_S(tree) *t = c->tree;
  if (!is_special(c, c->in[3]) || (c->out[4] && !c->counted)) return 0;
  real *at = c->scratch;
  linearization_many o = many_place(t, c->in[0], c->in[1], c->in[2], &at);
  target g = {.to = c->direct};
  if (c->out[0]) g.dq = take(&at, (size_t)(6 * t->nv));
  if (c->out[1]) g.dv = take(&at, (size_t)(6 * t->nv));
  if (c->out[2]) g.M = take(&at, (size_t)(6 * t->nv));
  world_poses x = poses_place(t, &at);
  if (counts(c, at)) return 1;
  o.W = c->in[3];
  many_outward(&o);
  many_inward(&o, 1);
  many_matrices(&o, &g);
  c->direct->stored = 7;
  if (!c->out[3]) return 1;
  many_poses(&o, &x);
  wrench_matrix(t, &x, K(-1), c->out[3]);
  return 1;
}

#else

/* derivatives() in tiles; 0 when not. */
static int derivatives_special(const jn_call *c) {
  const JN_S(tree) *t = c->tree;
  if (TILE == 1 || !is_special(c, c->in[3]) || (c->out[4] && !c->counted)) return 0;
  real *at = c->scratch;
  linearization_one o = one_place(t, c->in[0], c->in[1], c->in[2], &at);
  derived to = {.dq = c->out[0], .dv = c->out[1], .M = c->out[2]};
  world_poses x = poses_place(t, &at);
  int32_t *label = TAKE_INTS(&at, t->nv);
  real *end = at;
  matrix_rows_place(&o, &to, &end);
  if (counts(c, end)) return 1;
  o.W = c->in[3];
  one_outward(&o);
  for (int i = t->nb - 1; i >= 0; i--) one_inward(&o, i);
  one_derivatives(&o, at, &to);
  for (int k = 0; k < 3; k++)
    if (c->out[k]) reorder(t, c->out[k], label);
  if (!c->out[3]) return 1;
  one_poses(&o, &x);
  wrench_matrix(t, &x, K(-1), c->out[3]);
  return 1;
}

#endif

/* in: q, v, a, wrenches (v, a, wrenches may be NULL). arg[0]: hold; arg[1]: without springs. out: dtau/dq, dtau/dv,
 * dtau/da [nv x nv], dtau/d wrench [nv x nlink x 6], tau [nv]. O(n d). */
void JN_(derivatives)(const jn_call *c) {
  const JN_S(tree) *t = c->tree;
  if (c->arg[1] && t->sprung) {
    JN_S(tree) unsprung = *t;
    jn_call inner = *c;
    unsprung.sprung = 0;
    inner.tree = &unsprung;
    JN_(derivatives)(&inner);
    return;
  }
  if (derivatives_special(c) && !c->counted) return;
  real *at = c->scratch;
  linearization w = linearization_place(t, 1, c->in[3] ? c->arg[0] : HOLD_BODY, 0, c->in[0], &at);
  world_poses x = poses_place(t, &at);
  derived to = {.dq = c->out[0], .dv = c->out[1], .M = c->out[2]};
  if (counts(c, at)) return;
  w.v = c->in[1];
  w.a = c->in[2];
  w.W = c->in[3];
  w.rows = 1;
  sweep(&w);
  matrices(&w, &to);
  if (c->out[3]) {
    linearization_poses(&w, &x);
    wrench_matrix(t, &x, K(-1), c->out[3]);
  }
  if (c->out[4]) linearization_forces(&w, 0, c->out[4]);
}

#if JN_MANY

/* M^-1 X in place of X [nv x nlink x 6], of which only rows along the branches of the links are not zero. own [6 nv] is
 * scratch. */
static inline void wrench_product(const JN_S(tree) * t, const real *inverse, real *own, real *X) {
  int n = t->nv, wide = 6 * t->nlink;
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

/* What derivatives_forward() takes. */
typedef struct many_room {
  articulation u;
  equations e;
  compact M;
  real *y, *room; /* [nv], [6 nv] */
  world_poses x;
} many_room;

static inline void many_room_place(const JN_S(tree) * t, real *inverse, many_room *r, real **at) {
  r->u = (articulation){.t = t, .x = TAKE_ALIGNED(at, t->nd, eliminated), .d = TAKE_ALIGNED(at, t->nb, space)};
  equations_place(&r->u, &r->e, at);
  r->M = compact_place(t, inverse, at);
  r->y = take(at, (size_t)t->nv);
  r->room = take(at, (size_t)(6 * t->nv));
  r->x = poses_place(t, at);
}

/* Accelerations y, in the order of elimination, with which the linearization is moved on, and M^-1, in that of v: by
 * factors where branches are short, else by articulated bodies, which lose no digits on long ones. 0: the tree branches
 * too often for that. */
static int many_forward(const linearization_many *o, many_room *r, const real *tau, real *at, real *pivots) {
  const JN_S(tree) *t = o->t;
  int factors = factors_are_quicker(t) && t->nv <= LANES_MOST;
  if (factors) {
    many_equations(o, tau, &r->M, r->y);
    compact_factorize(&r->M, pivots);
    compact_substitute(&r->M, r->y);
  } else {
    if (!equations_fit(&r->e)) return 0;
    many_articulated(o, &r->u, tau, at, pivots, r->y);
  }
  many_accelerate(o, r->y);
  if (factors)
    compact_invert(&r->M, r->room);
  else
    equations_inverse(&r->e, r->M.H);
  reorder(t, r->M.H, (int32_t *)(void *)r->room);
  return 1;
}

/* derivatives_hybrid() in lanes, when nothing is prescribed. 0 when not so. */
static int derivatives_forward(const jn_call *c) {
  const JN_S(tree) *t = c->tree;
  if (c->data || !is_special(c, c->in[4])) return 0;
  real *at = c->scratch, *const *out = (real *const *)c->out, *end;
  linearization_many o = many_place(t, c->in[0], c->in[1], NULL, &at);
  many_room r;
  many_room_place(t, c->counted ? NULL : out[4], &r, &at);
  if (c->counted) {
    forward_room_place(t, (end = at, &end));
    counts(c, end);
    strips_place(t, (end = at, &end));
    return counts(c, end);
  }
  target g = {.dq = out[2], .dv = out[3], .to = c->direct};
  int long_branches = branch_length(t) > PRODUCT_BRANCH || t->nv > LANES_MOST;
  o.W = c->in[4];
  many_outward(&o);
  if (long_branches && !equations_fit(&r.e)) return 0;
  if (!many_forward(&o, &r, c->in[3], at, out[10])) return 0;
  for (int k = 0; k < t->nv; k++) out[0][t->order[k]] = r.y[k];
  many_inward(&o, 0);
  many_matrices(&o, &(target){.dq = out[2], .dv = out[3]});
  if (out[5]) {
    many_poses(&o, &r.x);
    wrench_matrix(t, &r.x, K(1), out[5]);
    wrench_product(t, out[4], r.room, out[5]);
  }
  if (long_branches) {
    if (out[2]) equations_solve(&r.e, -1, t->nv, out[2]);
    if (out[3]) equations_solve(&r.e, -1, t->nv, out[3]);
    return 1;
  }
  many_product(t, out[4], &g, at);
  c->direct->stored = 1 << 2 | 1 << 3;
  return 1;
}

#else

/* derivatives_hybrid() in tiles, when nothing is prescribed: no factors, O(n^2). 0 when not so. */
static int derivatives_forward(const jn_call *c) {
  const JN_S(tree) *t = c->tree;
  if (c->data || !is_special(c, c->in[4]) || (factors_are_quicker(t) && !c->counted)) return 0;
  real *at = c->scratch, *const *out = (real *const *)c->out, *end;
  articulation o = {.t = t, .x = TAKE_ALIGNED(&at, t->nd, eliminated), .d = TAKE_ALIGNED(&at, t->nb, space)};
  equations e;
  equations_place(&o, &e, &at);
  linearization_one w = one_place(t, c->in[0], c->in[1], NULL, &at);
  derived to = {.dq = out[2], .dv = out[3]};
  world_poses x = poses_place(t, &at);
  int32_t *label = TAKE_INTS(&at, t->nv);
  if (c->counted) {
    forward_room_place(t, (end = at, &end));
    counts(c, end);
    matrix_rows_place(&w, &to, (end = at, &end));
    counts(c, end);
    product_place(t, NULL, NULL, NULL, (end = at, &end));
    return counts(c, end);
  }
  if (!equations_fit(&e)) return 0;
  w.W = c->in[4];
  one_outward(&w);
  one_forward(&w, &o, c->in[3], at, out[10], out[0]);
  one_derivatives(&w, at, &to);
  equations_inverse(&e, out[4]);
  int multiply = (out[2] || out[3]) && t->nv >= TILE && branch_length(t) <= PRODUCT_BRANCH;
  if (multiply) {
    end = at;
    product p = product_place(t, out[4], out[2], out[3], &end);
    product_solve(&p);
  }
  for (int k = 2; k <= 4; k++)
    if (out[k]) reorder(t, out[k], label);
  if (out[2] && !multiply) equations_solve(&e, -1, t->nv, out[2]);
  if (out[3] && !multiply) equations_solve(&e, -1, t->nv, out[3]);
  if (out[5]) {
    one_poses(&w, &x);
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
  if (derivatives_forward(c) && !c->counted) return;
  int n = t->nv, wide = 6 * t->nlink;
  real *at = c->scratch, *out[11];
  for (int k = 0; k < 11; k++) out[k] = c->out[k];
  linearization w = linearization_place(t, 1, c->in[4] ? c->arg[0] : HOLD_BODY, 0, c->in[0], &at);
  split s = {.t = t, .prescribed = c->data, .H = out[4], .M = out[8], .y = take(&at, (size_t)(2 * n))};
  world_poses x = poses_place(t, &at);
  if (c->counted) {
    counts(c, JN_(newton_scratch)(t, at));
    counts(c, JN_(mass_matrix_scratch)(t, at));
    return;
  }
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
    linearization_poses(&w, &x);
    wrench_matrix(t, &x, K(-1), s.prescribed ? out[9] : out[5]);
    solve_columns(&s, wide, out[5], s.prescribed ? out[9] : NULL);
  }
  invert(t, out[4], s.y);
  reorder(t, out[4], (int32_t *)(void *)s.y);
  given_columns(&s, out[4], out[8]);
}
