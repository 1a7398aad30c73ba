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
static inline int is_special(const jn_call *c, const void *wrenches, int hold) {
  const JN_S(tree) *t = c->tree;
  return c->counted || (!t->coupled && !(wrenches && hold != HOLD_BODY));
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
  const jn_inverse_dynamics_derivatives_arguments *args = &c->inverse_dynamics_derivatives;
  const JN_S(tree) *t = c->tree;
  if (!is_special(c, args->wrench, args->hold) || (args->tau && !c->counted)) return 0;
  real *at = c->scratch;
  linearization_many o = many_place(t, args->q, args->v, args->a, &at);
  target g = {.dq = args->dtau_dq, .dv = args->dtau_dv, .M = args->dtau_da, .to = c->direct};
  if (c->direct || c->counted) { /* rows on their way to the caller, else whole matrices */
    if (g.dq) g.dq = take(&at, (size_t)(6 * t->nv));
    if (g.dv) g.dv = take(&at, (size_t)(6 * t->nv));
    if (g.M) g.M = take(&at, (size_t)(6 * t->nv));
  }
  world_poses x = poses_place(t, &at);
  if (counts(c, at)) return 1;
  o.W = args->wrench;
  many_outward(&o);
  many_inward(&o, 1);
  many_matrices(&o, &g);
  if (c->direct) c->direct->stored = 7; /* the first three */
  if (!args->dtau_dwrench) return 1;
  many_poses(&o, &x);
  wrench_matrix(t, &x, K(-1), args->dtau_dwrench);
  return 1;
}

#else

/* derivatives() in tiles; 0 when not. */
static int derivatives_special(const jn_call *c) {
  const jn_inverse_dynamics_derivatives_arguments *args = &c->inverse_dynamics_derivatives;
  const JN_S(tree) *t = c->tree;
  if (TILE == 1 || !is_special(c, args->wrench, args->hold) || (args->tau && !c->counted)) return 0;
  real *at = c->scratch;
  linearization_one o = one_place(t, args->q, args->v, args->a, &at);
  derived to = {.dq = args->dtau_dq, .dv = args->dtau_dv, .M = args->dtau_da};
  world_poses x = poses_place(t, &at);
  int32_t *label = TAKE_INTS(&at, t->nv);
  real *end = at;
  matrix_rows_place(&o, &to, &end);
  if (counts(c, end)) return 1;
  o.W = args->wrench;
  one_outward(&o);
  for (int i = t->nb - 1; i >= 0; i--) one_inward(&o, i);
  one_derivatives(&o, at, &to);
  for (int k = 0; k < 3; k++)
    if (args->outputs[k]) reorder(t, args->outputs[k], label);
  if (!args->dtau_dwrench) return 1;
  one_poses(&o, &x);
  wrench_matrix(t, &x, K(-1), args->dtau_dwrench);
  return 1;
}

#endif

/* derivatives() of coupled coordinates: those of the tree where joints have their own, projected (coupling.h). */
static void derivatives_coupled(const jn_call *c) {
  const jn_inverse_dynamics_derivatives_arguments *args = &c->inverse_dynamics_derivatives;
  const JN_S(tree) *t = c->tree;
  real *at = c->scratch, *v = take(&at, (size_t)t->nd), *a = take(&at, (size_t)t->nd),
       *X[5], *const *out = (real *const *)args->outputs;
  const size_t wide[5] = {(size_t)t->nd, (size_t)t->nd, (size_t)t->nd, (size_t)(6 * t->nlink), 1};
  coupling g = coupling_place(t, &at);
  jn_call inner = {
      .tree = t->uncoupled,
      .inverse_dynamics_derivatives = {
          .q = args->q, .v = args->v ? v : NULL, .a = args->a ? a : NULL, .wrench = args->wrench, .hold = args->hold}};
  for (int k = 0; k < 5; k++)
    inner.inverse_dynamics_derivatives.outputs[k] = X[k] =
        out[k] ? take(&at, (size_t)t->nd * wide[k] + COUPLED_SPARE) : NULL;
  inner.scratch = at;
  if (counts_inner(c, &inner, JN_(inverse_dynamics_derivatives))) return;
  if (args->v) follow(t, args->v, v);
  if (args->a) follow(t, args->a, a);
  JN_(inverse_dynamics_derivatives)(&inner);
  coupling_fill(&g, 0);
  for (int k = 0; k < 3; k++)
    if (out[k]) project(&g, k == 2, X[k], out[k]);
  for (int k = 3; k < 5; k++)
    if (out[k]) project_rows(&g, (int)wide[k], X[k], out[k]);
  if (!t->carries_springs || args->unsprung) return;
  for (int k = 0; k < t->nv && out[0]; k++) out[0][k * (t->nv + 1)] += splat(t->stiffness[k]);
  if (out[4]) add_springs(t, args->q, K(1), out[4]);
}

/* in: q, v, a, wrenches (v, a, wrenches may be NULL). hold, unsprung. out: dtau/dq, dtau/dv,
 * dtau/da [nv x nv], dtau/d wrench [nv x nlink x 6], tau [nv]. O(n d). */
void JN_(inverse_dynamics_derivatives)(const jn_call *c) {
  const jn_inverse_dynamics_derivatives_arguments *args = &c->inverse_dynamics_derivatives;
  const JN_S(tree) *t = c->tree;
  if (t->coupled) {
    derivatives_coupled(c);
    return;
  }
  if (args->unsprung && t->carries_springs) {
    JN_S(tree) unsprung = *t;
    jn_call inner = *c;
    unsprung.carries_springs = 0;
    inner.tree = &unsprung;
    JN_(inverse_dynamics_derivatives)(&inner);
    return;
  }
  if (derivatives_special(c) && !c->counted) return;
  real *at = c->scratch;
  linearization w = linearization_place(t, 1, args->wrench ? args->hold : HOLD_BODY, args->q, &at);
  world_poses x = poses_place(t, &at);
  derived to = {.dq = args->dtau_dq, .dv = args->dtau_dv, .M = args->dtau_da};
  if (counts(c, at)) return;
  w.v = args->v;
  w.a = args->a;
  w.W = args->wrench;
  w.rows = 1;
  sweep(&w);
  matrices(&w, &to);
  if (args->dtau_dwrench) {
    linearization_poses(&w, &x);
    wrench_matrix(t, &x, K(-1), args->dtau_dwrench);
  }
  if (args->tau) linearization_forces(&w, 0, args->tau);
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
  const jn_hybrid_dynamics_derivatives_arguments *args = &c->hybrid_dynamics_derivatives;
  const JN_S(tree) *t = c->tree;
  if (args->prescribed || !is_special(c, args->wrench, args->hold)) return 0;
  real *at = c->scratch, *a_out = args->a_out, *end;
  linearization_many o = many_place(t, args->q, args->v, NULL, &at);
  many_room r;
  many_room_place(t, args->da_dgiven, &r, &at);
  if (c->counted) {
    forward_room_place(t, (end = at, &end));
    counts(c, end);
    compact_inverse_place(t, (end = at, &end));
    counts(c, end);
    strips_place(t, (end = at, &end));
    return counts(c, end);
  }
  compact_fill(&r.M);
  target g = {.dq = args->da_dq, .dv = args->da_dv, .to = c->direct};
  int long_branches = branch_length(t) > PRODUCT_BRANCH || t->nv > LANES_MOST;
  o.W = args->wrench;
  many_outward(&o);
  if (long_branches && !equations_fit(&r.e)) return 0;
  if (!many_forward(&o, &r, args->tau, at, args->pivots)) return 0;
  for (int k = 0; k < t->nv; k++) a_out[t->order[k]] = r.y[k];
  many_inward(&o, 0);
  many_matrices(&o, &(target){.dq = args->da_dq, .dv = args->da_dv});
  if (args->da_dwrench) {
    many_poses(&o, &r.x);
    wrench_matrix(t, &r.x, K(-1), args->da_dwrench);
    sparsity_fill(&r.b);
    wrench_product(&r.b, args->da_dgiven, r.room, args->da_dwrench);
  }
  if (long_branches) {
    if (args->da_dq) equations_solve(&r.e, -1, t->nv, args->da_dq);
    if (args->da_dv) equations_solve(&r.e, -1, t->nv, args->da_dv);
    return 1;
  }
  many_product(t, args->da_dgiven, &g, at);
  c->direct->stored = 1u << JN_OUT_hybrid_dynamics_derivatives_da_dq | 1u << JN_OUT_hybrid_dynamics_derivatives_da_dv;
  return 1;
}

#else

/* derivatives_hybrid() in tiles, when nothing is prescribed: no factors, O(n^2). 0 when not so. */
static int derivatives_forward(const jn_call *c) {
  const jn_hybrid_dynamics_derivatives_arguments *args = &c->hybrid_dynamics_derivatives;
  const JN_S(tree) *t = c->tree;
  if (args->prescribed || !is_special(c, args->wrench, args->hold) || (factors_are_quicker(t) && !c->counted)) return 0;
  real *at = c->scratch, *end;
  articulation o = {.t = t, .x = TAKE_ALIGNED(&at, t->nd, eliminated), .d = TAKE_ALIGNED(&at, t->nb, space)};
  equations e;
  equations_place(&o, &e, &at);
  linearization_one w = one_place(t, args->q, args->v, NULL, &at);
  derived to = {.dq = args->da_dq, .dv = args->da_dv};
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
  w.W = args->wrench;
  one_outward(&w);
  one_forward(&w, &o, args->tau, at, args->pivots, args->a_out);
  one_derivatives(&w, at, &to);
  equations_inverse(&e, args->da_dgiven);
  int multiply = (args->da_dq || args->da_dv) && t->nv >= TILE && branch_length(t) <= PRODUCT_BRANCH;
  if (multiply) {
    end = at;
    product p = product_place(t, 1, args->da_dgiven, args->da_dq, args->da_dv, &end);
    product_solve(&p);
  }
  for (int k = JN_OUT_hybrid_dynamics_derivatives_da_dq; k <= JN_OUT_hybrid_dynamics_derivatives_da_dgiven; k++)
    if (args->outputs[k]) reorder(t, args->outputs[k], label);
  if (args->da_dq && !multiply) equations_solve(&e, -1, t->nv, args->da_dq);
  if (args->da_dv && !multiply) equations_solve(&e, -1, t->nv, args->da_dv);
  if (args->da_dwrench) {
    one_poses(&w, &x);
    wrench_matrix(t, &x, K(1), args->da_dwrench);
    equations_solve(&e, 1, 6 * t->nlink, args->da_dwrench);
  }
  return 1;
}

#endif

/* derivatives_hybrid() by the factors of M along branches (hybrid_dynamics_derivatives.h). */
static void derivatives_by_factors(const jn_call *c) {
  const jn_hybrid_dynamics_derivatives_arguments *args = &c->hybrid_dynamics_derivatives;
  const JN_S(tree) *t = c->tree;
  const unsigned char *prescribed = args->prescribed;
  int n = t->nv, wide = 6 * t->nlink;
  real *at = c->scratch, *tau_out = args->tau_out, *y = take(&at, (size_t)(6 * n));
  real *const T[3] = {prescribed ? args->dtau_dq : args->da_dq, prescribed ? args->dtau_dv : args->da_dv,
                      prescribed ? args->dtau_dwrench : args->da_dwrench};
  product p = product_place(t, 0, c->counted ? NULL : args->da_dgiven, args->da_dq, args->da_dv, &at);
  p.zero = prescribed;
  compact M = compact_place(t, args->da_dgiven, &at);
  compact_inverse N = compact_inverse_place(t, &at);
  angles turn = angles_at(t, args->q, &at);
  factored_motion o = {t, args->q, args->v, args->a, args->tau, args->wrench, prescribed, FORCES_ALL, &turn};
  jn_call inner = {.tree = t,
                   .scratch = at,
                   .inverse_dynamics_derivatives = {.q = o.q,
                                                    .v = o.v,
                                                    .a = args->a_out,
                                                    .wrench = o.W,
                                                    .dtau_dq = T[0],
                                                    .dtau_dv = T[1],
                                                    .dtau_da = prescribed || c->counted ? args->dtau_dgiven : NULL,
                                                    .dtau_dwrench = T[2],
                                                    .hold = args->hold}};
  if (factored_counts(c, t, at) && counts_inner(c, &inner, JN_(inverse_dynamics_derivatives))) return;
  compact_fill(&M);
  accelerate_by_factors(&o, at, y, &M, args->pivots, args->a_out);
  if (args->tau_out) JN_(inverse_dynamics_forces)(t, o.q, o.v, args->a_out, o.W, FORCES_ALL, &turn, at, args->tau_out);
  for (int i = 0; i < n && args->tau_out; i++)
    if (is_free(prescribed, i)) tau_out[i] = o.tau ? o.tau[i] : ZERO; /* what was given, to the bit */
  JN_(inverse_dynamics_derivatives)(&inner);
  free_inverse(&M, &N, prescribed);
  const solved x[3] = {{T[0], args->da_dq, n}, {T[1], args->da_dv, n}, {T[2], args->da_dwrench, wide}};
  for (int k = 0; k < 3 && prescribed; k++)
    if (T[k]) rows_of_free(prescribed, n, &x[k]);
  if (T[0] || T[1]) product_solve(&p);
  if (T[2]) wrench_product(&p.b, args->da_dgiven, y, args->da_dwrench);
  if (prescribed) prescribed_rows(&p.b, prescribed, x, y, args->da_dgiven, args->dtau_dgiven);
}

/* in: q, v, a, tau, wrenches; prescribed, NULL for forward dynamics. hold. out: a, tau [nv]; da/dq,
 * da/dv, da/dgiven [nv x nv], da/dwrench [nv x nlink x 6]; dtau/dq, dtau/dv, dtau/dgiven, dtau/dwrench (tau and these
 * NULL for forward dynamics); pivots [nv]. a, da/dgiven, and dtau/dgiven if something is prescribed, are always there.
 * Column i of dgiven is for a_i if that is prescribed, and for tau_i if not. O(nv n d). */
void JN_(hybrid_dynamics_derivatives)(const jn_call *c) {
  if (derivatives_forward(c) && !c->counted) return;
  derivatives_by_factors(c);
}
