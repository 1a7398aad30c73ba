/* SPDX-License-Identifier: BSD-2-Clause */
/* First derivatives of inverse, forward and hybrid dynamics with respect to the state (linearization.h). */
#include "../base/variant.h"
#include "../forward_dynamics/inverse_product.h"
#include "forward_dynamics_derivatives_many.h"
#include "forward_dynamics_derivatives_one.h"
#include "hybrid_dynamics_derivatives.h"
#if !JN_MANY
#include "inverse_dynamics_matrices_one.h"
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

/* The linearization of one state. Once each: they are long when unrolled. */
static __attribute__((noinline)) void sweep(const linearization *w) { linearize(w, 1); }
static __attribute__((noinline)) void matrices(const linearization *w, const derived *to) {
  column x[1];
  linearization_matrices(w, 1, x, to);
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
  target g = {.dq = c->out[0], .dv = c->out[1], .M = c->out[2], .to = c->direct};
  if (c->direct || c->counted) { /* rows on their way to the caller, else whole matrices */
    if (g.dq) g.dq = take(&at, (size_t)(6 * t->nv));
    if (g.dv) g.dv = take(&at, (size_t)(6 * t->nv));
    if (g.M) g.M = take(&at, (size_t)(6 * t->nv));
  }
  world_poses x = poses_place(t, &at);
  if (counts(c, at)) return 1;
  o.W = c->in[3];
  many_outward(&o);
  many_inward(&o, 1);
  many_matrices(&o, &g);
  if (c->direct) c->direct->stored = 7;
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

/* derivatives() of coupled coordinates: those of the tree where joints have their own, projected (coupling.h). */
static void derivatives_coupled(const jn_call *c) {
  const JN_S(tree) *t = c->tree;
  real *at = c->scratch, *v = take(&at, (size_t)t->nd), *a = take(&at, (size_t)t->nd),
       *X[5], *const *out = (real *const *)c->out;
  const size_t wide[5] = {(size_t)t->nd, (size_t)t->nd, (size_t)t->nd, (size_t)(6 * t->nlink), 1};
  coupling g = coupling_place(t, &at);
  jn_call inner = {
      .tree = t->uncoupled, .in = {c->in[0], c->in[1] ? v : NULL, c->in[2] ? a : NULL, c->in[3]}, .arg = {c->arg[0]}};
  for (int k = 0; k < 5; k++) inner.out[k] = X[k] = out[k] ? take(&at, (size_t)t->nd * wide[k] + COUPLED_SPARE) : NULL;
  inner.scratch = at;
  if (counts_inner(c, &inner, JN_(inverse_dynamics_derivatives))) return;
  if (c->in[1]) follow(t, c->in[1], v);
  if (c->in[2]) follow(t, c->in[2], a);
  JN_(inverse_dynamics_derivatives)(&inner);
  coupling_fill(&g, 0);
  for (int k = 0; k < 3; k++)
    if (out[k]) project(&g, k == 2, X[k], out[k]);
  for (int k = 3; k < 5; k++)
    if (out[k]) project_rows(&g, (int)wide[k], X[k], out[k]);
  if (!t->carries_springs || c->arg[1]) return;
  for (int k = 0; k < t->nv && out[0]; k++) out[0][k * (t->nv + 1)] += splat(t->stiffness[k]);
  if (out[4]) add_springs(t, c->in[0], K(1), out[4]);
}

/* in: q, v, a, wrenches (v, a, wrenches may be NULL). arg[0]: hold; arg[1]: without springs. out: dtau/dq, dtau/dv,
 * dtau/da [nv x nv], dtau/d wrench [nv x nlink x 6], tau [nv]. O(n d). */
void JN_(inverse_dynamics_derivatives)(const jn_call *c) {
  const JN_S(tree) *t = c->tree;
  if (t->coupled) {
    derivatives_coupled(c);
    return;
  }
  if (c->arg[1] && t->carries_springs) {
    JN_S(tree) unsprung = *t;
    jn_call inner = *c;
    unsprung.carries_springs = 0;
    inner.tree = &unsprung;
    JN_(inverse_dynamics_derivatives)(&inner);
    return;
  }
  if (derivatives_special(c) && !c->counted) return;
  real *at = c->scratch;
  linearization w = linearization_place(t, 1, c->in[3] ? c->arg[0] : HOLD_BODY, c->in[0], &at);
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

/* What derivatives_forward() takes. */
typedef struct many_room {
  articulation u;
  equations e;
  compact M;
  real *y, *room; /* [nv], [6 nv] */
  world_poses x;
  sparsity b;
} many_room;

static inline void many_room_place(const JN_S(tree) * t, real *inverse, many_room *r, real **at) {
  r->u = (articulation){.t = t, .x = TAKE_ALIGNED(at, t->nd, eliminated), .d = TAKE_ALIGNED(at, t->nb, space)};
  equations_place(&r->u, &r->e, at);
  r->M = compact_place(t, inverse, at);
  r->y = take(at, (size_t)t->nv);
  r->room = take(at, (size_t)(6 * t->nv));
  r->x = poses_place(t, at);
  r->b = sparsity_place(t, 0, at);
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
  compact_inverse N = compact_inverse_place(t, &at);
  if (factors)
    compact_invert(&r->M, &N);
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
  many_room_place(t, out[4], &r, &at);
  if (c->counted) {
    forward_room_place(t, (end = at, &end));
    counts(c, end);
    compact_inverse_place(t, (end = at, &end));
    counts(c, end);
    strips_place(t, (end = at, &end));
    return counts(c, end);
  }
  compact_fill(&r.M);
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
    wrench_matrix(t, &r.x, K(-1), out[5]);
    sparsity_fill(&r.b);
    wrench_product(&r.b, out[4], r.room, out[5]);
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
    product_place(t, 1, NULL, NULL, NULL, (end = at, &end));
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
    product p = product_place(t, 1, out[4], out[2], out[3], &end);
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

/* derivatives_hybrid() by the factors of M along branches (hybrid_dynamics_derivatives.h). */
static void derivatives_by_factors(const jn_call *c) {
  const JN_S(tree) *t = c->tree;
  const unsigned char *prescribed = c->data;
  int n = t->nv, wide = 6 * t->nlink;
  real *at = c->scratch, *const *out = (real *const *)c->out, *y = take(&at, (size_t)(6 * n));
  real *const T[3] = {out[prescribed ? 6 : 2], out[prescribed ? 7 : 3], out[prescribed ? 9 : 5]};
  product p = product_place(t, 0, c->counted ? NULL : out[4], out[2], out[3], &at);
  p.zero = prescribed;
  compact M = compact_place(t, out[4], &at);
  compact_inverse N = compact_inverse_place(t, &at);
  angles turn = angles_at(t, c->in[0], &at);
  factored_motion o = {t, c->in[0], c->in[1], c->in[2], c->in[3], c->in[4], prescribed, FORCES_ALL, &turn};
  jn_call inner = {.tree = t, .in = {o.q, o.v, out[0], o.W}, .out = {T[0], T[1], NULL, T[2]}};
  inner.out[2] = prescribed || c->counted ? out[8] : NULL;
  inner.arg[0] = c->arg[0];
  inner.scratch = at;
  if (factored_counts(c, t, at) && counts_inner(c, &inner, JN_(inverse_dynamics_derivatives))) return;
  compact_fill(&M);
  accelerate_by_factors(&o, at, y, &M, out[10], out[0]);
  if (out[1]) JN_(inverse_dynamics_forces)(t, o.q, o.v, out[0], o.W, FORCES_ALL, &turn, at, out[1]);
  for (int i = 0; i < n && out[1]; i++)
    if (is_free(prescribed, i)) out[1][i] = o.tau ? o.tau[i] : ZERO; /* what was given, to the bit */
  JN_(inverse_dynamics_derivatives)(&inner);
  free_inverse(&M, &N, prescribed);
  const solved x[3] = {{T[0], out[2], n}, {T[1], out[3], n}, {T[2], out[5], wide}};
  for (int k = 0; k < 3 && prescribed; k++)
    if (T[k]) rows_of_free(prescribed, n, &x[k]);
  if (T[0] || T[1]) product_solve(&p);
  if (T[2]) wrench_product(&p.b, out[4], y, out[5]);
  if (prescribed) prescribed_rows(&p.b, prescribed, x, y, out[4], out[8]);
}

/* in: q, v, a, tau, wrenches; data: prescribed, NULL for forward dynamics. arg[0]: hold. out: a, tau [nv]; da/dq,
 * da/dv, da/dgiven [nv x nv], da/dwrench [nv x nlink x 6]; dtau/dq, dtau/dv, dtau/dgiven, dtau/dwrench (tau and these
 * NULL for forward dynamics); pivots [nv]. a, da/dgiven, and dtau/dgiven if something is prescribed, are always there.
 * Column i of dgiven is for a_i if that is prescribed, and for tau_i if not. O(nv n d). */
void JN_(hybrid_dynamics_derivatives)(const jn_call *c) {
  if (derivatives_forward(c) && !c->counted) return;
  derivatives_by_factors(c);
}
