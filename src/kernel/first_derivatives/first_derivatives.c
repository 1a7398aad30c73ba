/* SPDX-License-Identifier: BSD-2-Clause */
/* First derivatives of inverse, forward and hybrid dynamics with respect to the state.
 * [kim2012 Tables 5, 6, 7; garofalo2013 eq. 24d for the gravity forces: dtau/dq at rest]
 *
 *   inverse    T_q = dtau/dq, T_v = dtau/dv, dtau/da = M, dtau/dwrench = -J^T              linearization.h
 *   forward    M da = dtau - T_q dq - T_v dv + J^T dwrench,  so  da/dq = -M^-1 T_q, ...
 * forward_dynamics_derivatives_*.h hybrid     the same for the coordinates whose forces are given, and dtau_p = T_p +
 * M_pf da_f for the others                                     hybrid_dynamics_derivatives.h
 *
 * The versions of an algorithm give the same numbers. Which one serves a call:
 *
 *   lanes, nothing coupled, wrenches fixed to bodies        inverse_dynamics_derivatives_many.h, forward_..._many.h
 *   one state, under the same conditions                    inverse_dynamics_derivatives_one.h, forward_..._one.h
 *   all others                                              linearization.h, and factors of M for forward dynamics
 *
 * Frames, units and symbols are in linearization.h. They are compiled together because they share inlined functions. */
#include "../base/variant.h"
#include "../forward_dynamics/inverse_product.h"
#include "forward_dynamics_derivatives_many.h"
#include "forward_dynamics_derivatives_one.h"
#include "hybrid_dynamics_derivatives.h"
#if !JN_MANY
#include "inverse_dynamics_matrices_one.h"
#endif

/* dtau/dwrench, or its negative: out [nv x nlink x 6] = factor * J^T, forces of unit wrenches on the links. */
static inline void fill_wrench_matrix(const JN_S(tree) * tree, const world_poses *poses, real factor, real *out) {
  for (int k = 0; k < tree->nv * tree->nlink * 6; k++) out[k] = ZERO;
  for (int link = 0; link < tree->nlink; link++) {
    const JN_S(frame) *frame = &tree->frame[link];
    if (frame->body < 0) continue;

    /* From the link inwards: the screws of each ancestor, seen from the link's frame. */
    pose T = se3_mul((pose){poses->R[frame->body], v3_zero()}, se3_constant(frame->R, frame->p));
    for (int i = frame->body; i >= 0; i = tree->body[i].parent) {
      for (int c = 0; c < tree->body[i].nv; c++) {
        real six[6], *to = out + ((tree->body[i].iv + c) * tree->nlink + link) * 6;
        t_store(t_Ad_inverse(T, poses->S[tree->body[i].id + c]), six);
        for (int e = 0; e < 6; e++) to[e] += factor * six[e];
      }
      T.p = v3_add(T.p, poses->d[i]);
    }
  }
}

/* The linearization of one state and its matrices; not inlined, because they are long when unrolled. */
static __attribute__((noinline)) void linearize_state(const linearization *w) { linearize(w, 1); }
static __attribute__((noinline)) void fill_state_matrices(const linearization *w, const derived *to) {
  column x[1];
  linearization_matrices(w, 1, x, to);
}

static inline void world_poses_any(const linearization *lin, const world_poses *poses) {
  for (int i = 0; i < lin->tree->nb; i++) poses->R[i] = lin->T[i].R, poses->d[i] = lin->d[i];
  for (int c = 0; c < lin->tree->nd; c++) poses->S[c] = lin->S[c];
}

/* Whether the versions in tiles and in lanes serve a call: no coordinates are coupled, and wrenches are fixed to
 * bodies. */
static inline int special_version_serves(const jn_call *call, const void *wrenches, int hold) {
  const JN_S(tree) *tree = call->tree;
  return call->counted || (!tree->coupled && !(wrenches && hold != WRENCH_IN_BODY));
}

#if JN_MANY

static inline void world_poses_many(const linearization_many *lin, const world_poses *poses) {
  const JN_S(tree) *tree = lin->tree;
  for (int i = 0; i < tree->nb; i++) {
    poses->R[i] = lin->motion[i].R;
    poses->d[i] = lin->motion[i].d;
  }
  for (int c = 0; c < tree->nd; c++) poses->S[c] = lin->screws[c].S;
}

/* Inverse dynamics in lanes; returns 0 if this version does not serve the call. */
static int derivatives_by_special_version(const jn_call *call) {
  const jn_inverse_dynamics_derivatives_arguments *args = &call->inverse_dynamics_derivatives;
  const JN_S(tree) *tree = call->tree;
  if (!special_version_serves(call, args->wrench, args->hold) || (args->tau && !call->counted)) return 0;
  real *at = call->scratch;

  /* Scratch memory. */
  linearization_many lin = linearization_many_place(tree, args->q, args->v, args->a, &at);
  matrix_target target = {.dq = args->dtau_dq, .dv = args->dtau_dv, .M = args->dtau_da, .to = call->direct};
  if (call->direct || call->counted) { /* rows that are sent to the caller, otherwise whole matrices */
    if (target.dq) target.dq = take(&at, (size_t)(6 * tree->nv));
    if (target.dv) target.dv = take(&at, (size_t)(6 * tree->nv));
    if (target.M) target.M = take(&at, (size_t)(6 * tree->nv));
  }
  world_poses poses = world_poses_place(tree, &at);
  if (counts(call, at)) return 1;

  /* The linearization, then the matrices row by row. */
  lin.W = args->wrench;
  linearize_many_outward(&lin);
  linearize_many_inward(&lin, 1);
  fill_matrices_many(&lin, &target);
  if (call->direct) call->direct->stored = 7; /* the first three */
  /* dtau/dwrench = -J^T. */
  if (!args->dtau_dwrench) return 1;
  world_poses_many(&lin, &poses);
  fill_wrench_matrix(tree, &poses, K(-1), args->dtau_dwrench);
  return 1;
}

#else

/* Inverse dynamics in tiles; returns 0 if this version does not serve the call. */
static int derivatives_by_special_version(const jn_call *call) {
  const jn_inverse_dynamics_derivatives_arguments *args = &call->inverse_dynamics_derivatives;
  const JN_S(tree) *tree = call->tree;
  if (TILE == 1 || !special_version_serves(call, args->wrench, args->hold) || (args->tau && !call->counted)) return 0;

  /* Scratch memory. */
  real *at = call->scratch;
  linearization_one lin = linearization_one_place(tree, args->q, args->v, args->a, &at);
  derived to = {.dq = args->dtau_dq, .dv = args->dtau_dv, .M = args->dtau_da};
  world_poses poses = world_poses_place(tree, &at);
  int32_t *label = TAKE_INTS(&at, tree->nv);
  real *end = at;
  matrix_rows_place(&lin, &to, &end);
  if (counts(call, end)) return 1;

  /* Outwards, inwards, and the matrices, from the order of elimination to that of v. */
  lin.W = args->wrench;
  linearize_one_outward(&lin);
  for (int i = tree->nb - 1; i >= 0; i--) linearize_one_inward(&lin, i);
  derivatives_one(&lin, at, &to);
  for (int k = 0; k < 3; k++)
    if (args->outputs[k]) reorder(tree, args->outputs[k], label);

  /* dtau/dwrench = -J^T. */
  if (!args->dtau_dwrench) return 1;
  world_poses_one(&lin, &poses);
  fill_wrench_matrix(tree, &poses, K(-1), args->dtau_dwrench);
  return 1;
}

#endif

/* Inverse dynamics with coupled coordinates: the derivatives of the tree in which each joint has its own
 * coordinates, projected (coupling.h). */
static void derivatives_of_coupled_coordinates(const jn_call *call) {
  const jn_inverse_dynamics_derivatives_arguments *args = &call->inverse_dynamics_derivatives;
  const JN_S(tree) *tree = call->tree;
  real *at = call->scratch, *v = take(&at, (size_t)tree->nd), *a = take(&at, (size_t)tree->nd),
       *X[5], *const *out = (real *const *)args->outputs;
  const size_t columns[5] = {(size_t)tree->nd, (size_t)tree->nd, (size_t)tree->nd, (size_t)(6 * tree->nlink), 1};
  coupling couples = coupling_place(tree, &at);
  jn_call inner = {
      .tree = tree->uncoupled,
      .inverse_dynamics_derivatives = {
          .q = args->q, .v = args->v ? v : NULL, .a = args->a ? a : NULL, .wrench = args->wrench, .hold = args->hold}};

  for (int k = 0; k < 5; k++)
    inner.inverse_dynamics_derivatives.outputs[k] = X[k] =
        out[k] ? take(&at, (size_t)tree->nd * columns[k] + COUPLED_PADDING) : NULL;
  inner.scratch = at;
  if (counts_inner(call, &inner, JN_(inverse_dynamics_derivatives))) return;

  /* v and a of all joints, and the derivatives by the coordinates of all joints. */
  if (args->v) follow(tree, args->v, v);
  if (args->a) follow(tree, args->a, a);
  JN_(inverse_dynamics_derivatives)(&inner);

  /* Projected on the coordinates: rows and columns of joints that share one are added up. */
  coupling_fill(&couples, 0);
  for (int k = 0; k < 3; k++)
    if (out[k]) project(&couples, k == 2, X[k], out[k]);
  for (int k = 3; k < 5; k++)
    if (out[k]) project_rows(&couples, (int)columns[k], X[k], out[k]);

  /* Springs belong to the coordinates. */
  if (!tree->has_springs || args->unsprung) return;
  for (int k = 0; k < tree->nv && out[0]; k++) out[0][k * (tree->nv + 1)] += splat(tree->stiffness[k]);
  if (out[4]) add_springs(tree, args->q, K(1), out[4]);
}

/* Kernel of jn_inverse_dynamics_derivatives() and jn_gravity_forces_derivative(). O(n d).
 *   in:  q, v, a, wrenches (v, a, wrenches may be NULL); hold: frame in which wrenches are constant;
 *        unsprung: leave springs out
 *   out: dtau/dq, dtau/dv, dtau/da [nv x nv], dtau/dwrench [nv x nlink x 6], tau [nv]; NULL: not wanted */
void JN_(inverse_dynamics_derivatives)(const jn_call *call) {
  const jn_inverse_dynamics_derivatives_arguments *args = &call->inverse_dynamics_derivatives;
  const JN_S(tree) *tree = call->tree;
  if (tree->coupled) {
    derivatives_of_coupled_coordinates(call);
    return;
  }

  /* Without springs: those of the tree are left out. */
  if (args->unsprung && tree->has_springs) {
    JN_S(tree) unsprung = *tree;
    jn_call inner = *call;
    unsprung.has_springs = 0;
    inner.tree = &unsprung;
    JN_(inverse_dynamics_derivatives)(&inner);
    return;
  }

  /* In tiles or lanes, where they serve. */
  if (derivatives_by_special_version(call) && !call->counted) return;

  /* Otherwise by the general linearization. */
  real *at = call->scratch;
  linearization lin = linearization_place(tree, 1, args->wrench ? args->hold : WRENCH_IN_BODY, args->q, &at);
  world_poses poses = world_poses_place(tree, &at);
  derived to = {.dq = args->dtau_dq, .dv = args->dtau_dv, .M = args->dtau_da};
  if (counts(call, at)) return;

  lin.v = args->v;
  lin.a = args->a;
  lin.W = args->wrench;
  lin.rows = 1;
  linearize_state(&lin);
  fill_state_matrices(&lin, &to);

  /* dtau/dwrench = -J^T, and the forces themselves. */
  if (args->dtau_dwrench) {
    world_poses_any(&lin, &poses);
    fill_wrench_matrix(tree, &poses, K(-1), args->dtau_dwrench);
  }
  if (args->tau) linearization_forces(&lin, 0, args->tau);
}

#if JN_MANY

/* Scratch memory of forward dynamics in lanes. */
typedef struct many_scratch {
  articulation articulated;
  equations equations;
  compact M;  /* M, its factors, then M^-1 */
  real *a;    /* [nv] accelerations, in the order of elimination */
  real *rows; /* [6 nv] */
  world_poses poses;
  sparsity pattern;
} many_scratch;

static inline void many_scratch_place(const JN_S(tree) * tree, real *inverse, many_scratch *scratch, real **at) {
  scratch->articulated =
      (articulation){.tree = tree, .x = TAKE_ALIGNED(at, tree->nd, eliminated), .d = TAKE_ALIGNED(at, tree->nb, space)};
  equations_place(&scratch->articulated, &scratch->equations, at);
  scratch->M = compact_place(tree, inverse, at);
  scratch->a = take(at, (size_t)tree->nv);
  scratch->rows = take(at, (size_t)(6 * tree->nv));
  scratch->poses = world_poses_place(tree, at);
  scratch->pattern = sparsity_place(tree, 0, at);
}

/* Accelerations y, in the order of elimination, to which the linearization is moved, and M^-1, in the order of v: by
 * factors where branches are short, else by articulated bodies, which lose no digits on long ones. Returns 0 if the
 * tree branches too often for that. */
static int solve_many(const linearization_many *lin, many_scratch *scratch, const real *tau, real *at, real *pivots) {
  const JN_S(tree) *tree = lin->tree;
  int factors = factors_are_faster(tree) && tree->nv <= LANES_MOST;

  /* M a = tau - bias. */
  if (factors) {
    equations_of_motion_many(lin, tau, &scratch->M, scratch->a);
    compact_factorize(&scratch->M, pivots);
    compact_substitute(&scratch->M, scratch->a);
  } else {
    if (!equations_fit(&scratch->equations)) return 0;
    articulated_many(lin, &scratch->articulated, tau, at, pivots, scratch->a);
  }

  /* The linearization at these accelerations. */
  add_accelerations_many(lin, scratch->a);

  /* M^-1, in the order of v. */
  compact_inverse inverse = compact_inverse_place(tree, &at);
  if (factors)
    compact_invert(&scratch->M, &inverse);
  else
    equations_inverse(&scratch->equations, scratch->M.H);
  reorder(tree, scratch->M.H, (int32_t *)(void *)scratch->rows);
  return 1;
}

/* Forward dynamics in lanes; returns 0 if this version does not serve the call. */
static int derivatives_of_forward_dynamics(const jn_call *call) {
  const jn_hybrid_dynamics_derivatives_arguments *args = &call->hybrid_dynamics_derivatives;
  const JN_S(tree) *tree = call->tree;
  if (args->prescribed || !special_version_serves(call, args->wrench, args->hold)) return 0;

  /* Scratch memory; steps that do not run at the same time share what follows. */
  real *at = call->scratch, *a_out = args->a_out, *end;
  linearization_many lin = linearization_many_place(tree, args->q, args->v, NULL, &at);
  many_scratch scratch;
  many_scratch_place(tree, args->da_dgiven, &scratch, &at);
  if (call->counted) {
    forward_scratch_place(tree, (end = at, &end));
    counts(call, end);
    compact_inverse_place(tree, (end = at, &end));
    counts(call, end);
    strips_place(tree, (end = at, &end));
    return counts(call, end);
  }

  compact_fill(&scratch.M);
  matrix_target target = {.dq = args->da_dq, .dv = args->da_dv, .to = call->direct};
  int long_branches = branch_length(tree) > PRODUCT_BRANCH || tree->nv > LANES_MOST;

  /* 1 to 3: accelerations, M^-1, and the linearization at these accelerations. */
  lin.W = args->wrench;
  linearize_many_outward(&lin);
  if (long_branches && !equations_fit(&scratch.equations)) return 0;
  if (!solve_many(&lin, &scratch, args->tau, at, args->pivots)) return 0;
  for (int k = 0; k < tree->nv; k++) a_out[tree->order[k]] = scratch.a[k];

  /* T_q and T_v. */
  linearize_many_inward(&lin, 0);
  fill_matrices_many(&lin, &(matrix_target){.dq = args->da_dq, .dv = args->da_dv});

  /* da/dwrench = M^-1 J^T. */
  if (args->da_dwrench) {
    world_poses_many(&lin, &scratch.poses);
    fill_wrench_matrix(tree, &scratch.poses, K(-1), args->da_dwrench);
    sparsity_fill(&scratch.pattern);
    wrench_product(&scratch.pattern, args->da_dgiven, scratch.rows, args->da_dwrench);
  }

  /* 4: da/dq = -M^-1 T_q, da/dv = -M^-1 T_v. */
  if (long_branches) {
    if (args->da_dq) equations_solve(&scratch.equations, -1, tree->nv, args->da_dq);
    if (args->da_dv) equations_solve(&scratch.equations, -1, tree->nv, args->da_dv);
    return 1;
  }
  multiply_inverse_many(tree, args->da_dgiven, &target, at);
  call->direct->stored =
      1u << JN_OUT_hybrid_dynamics_derivatives_da_dq | 1u << JN_OUT_hybrid_dynamics_derivatives_da_dv;
  return 1;
}

#else

/* Forward dynamics in tiles, without factors, O(n^2); returns 0 if this version does not serve the call. */
static int derivatives_of_forward_dynamics(const jn_call *call) {
  const jn_hybrid_dynamics_derivatives_arguments *args = &call->hybrid_dynamics_derivatives;
  const JN_S(tree) *tree = call->tree;
  if (args->prescribed || !special_version_serves(call, args->wrench, args->hold) ||
      (factors_are_faster(tree) && !call->counted))
    return 0;

  /* Scratch memory; steps that do not run at the same time share what follows. */
  real *at = call->scratch, *end;
  articulation articulated = {
      .tree = tree, .x = TAKE_ALIGNED(&at, tree->nd, eliminated), .d = TAKE_ALIGNED(&at, tree->nb, space)};
  equations solver;
  equations_place(&articulated, &solver, &at);
  linearization_one lin = linearization_one_place(tree, args->q, args->v, NULL, &at);
  derived to = {.dq = args->da_dq, .dv = args->da_dv};
  world_poses poses = world_poses_place(tree, &at);
  int32_t *label = TAKE_INTS(&at, tree->nv);
  if (call->counted) {
    forward_scratch_place(tree, (end = at, &end));
    counts(call, end);
    matrix_rows_place(&lin, &to, (end = at, &end));
    counts(call, end);
    product_place(tree, 1, NULL, NULL, NULL, (end = at, &end));
    return counts(call, end);
  }
  if (!equations_fit(&solver)) return 0;

  /* Accelerations and the linearization there; T_q and T_v; M^-1. */
  lin.W = args->wrench;
  linearize_one_outward(&lin);
  linearize_one_forward(&lin, &articulated, args->tau, at, args->pivots, args->a_out);
  derivatives_one(&lin, at, &to);
  equations_inverse(&solver, args->da_dgiven);

  /* da/dq = -M^-1 T_q, da/dv = -M^-1 T_v: by the product with M^-1 where branches are short, else by articulated
   * bodies. */
  int multiply = (args->da_dq || args->da_dv) && tree->nv >= TILE && branch_length(tree) <= PRODUCT_BRANCH;
  if (multiply) {
    end = at;
    product p = product_place(tree, 1, args->da_dgiven, args->da_dq, args->da_dv, &end);
    product_solve(&p);
  }
  for (int k = JN_OUT_hybrid_dynamics_derivatives_da_dq; k <= JN_OUT_hybrid_dynamics_derivatives_da_dgiven; k++)
    if (args->outputs[k]) reorder(tree, args->outputs[k], label);
  if (args->da_dq && !multiply) equations_solve(&solver, -1, tree->nv, args->da_dq);
  if (args->da_dv && !multiply) equations_solve(&solver, -1, tree->nv, args->da_dv);

  /* da/dwrench = M^-1 J^T. */
  if (args->da_dwrench) {
    world_poses_one(&lin, &poses);
    fill_wrench_matrix(tree, &poses, K(1), args->da_dwrench);
    equations_solve(&solver, 1, 6 * tree->nlink, args->da_dwrench);
  }
  return 1;
}

#endif

/* Forward and hybrid dynamics by the factors of M along branches (hybrid_dynamics_derivatives.h). */
static void derivatives_by_factors(const jn_call *call) {
  const jn_hybrid_dynamics_derivatives_arguments *args = &call->hybrid_dynamics_derivatives;
  const JN_S(tree) *tree = call->tree;
  const unsigned char *prescribed = args->prescribed;
  int n = tree->nv, columns = 6 * tree->nlink;
  real *at = call->scratch, *tau_out = args->tau_out, *y = take(&at, (size_t)(6 * n));

  /* T of inverse dynamics goes where derivatives of tau will be, or those of a if nothing is prescribed. */
  real *const T[3] = {prescribed ? args->dtau_dq : args->da_dq, prescribed ? args->dtau_dv : args->da_dv,
                      prescribed ? args->dtau_dwrench : args->da_dwrench};

  product p = product_place(tree, 0, call->counted ? NULL : args->da_dgiven, args->da_dq, args->da_dv, &at);
  p.zero = prescribed;
  compact M = compact_place(tree, args->da_dgiven, &at);
  compact_inverse N = compact_inverse_place(tree, &at);
  angles angle = angles_at(tree, args->q, &at);
  factored_motion motion = {tree, args->q, args->v, args->a, args->tau, args->wrench, prescribed, FORCES_ALL, &angle};

  /* Inverse dynamics at the accelerations of hybrid dynamics. */
  jn_call inner = {.tree = tree,
                   .scratch = at,
                   .inverse_dynamics_derivatives = {.q = motion.q,
                                                    .v = motion.v,
                                                    .a = args->a_out,
                                                    .wrench = motion.wrenches,
                                                    .dtau_dq = T[0],
                                                    .dtau_dv = T[1],
                                                    .dtau_da = prescribed || call->counted ? args->dtau_dgiven : NULL,
                                                    .dtau_dwrench = T[2],
                                                    .hold = args->hold}};
  if (factored_counts(call, tree, at) && counts_inner(call, &inner, JN_(inverse_dynamics_derivatives))) return;

  /* Accelerations, and forces of the prescribed coordinates. */
  compact_fill(&M);
  accelerate_by_factors(&motion, at, y, &M, args->pivots, args->a_out);
  if (args->tau_out) JN_(inverse_dynamics_forces)
  (tree, motion.q, motion.v, args->a_out, motion.wrenches, FORCES_ALL, &angle, at, args->tau_out);
  for (int i = 0; i < n && args->tau_out; i++)
    if (is_free(prescribed, i))
      tau_out[i] = motion.tau ? motion.tau[i] : ZERO; /* what was given comes back to the bit */
  /* T, and N = M_ff^-1. */
  JN_(inverse_dynamics_derivatives)(&inner);
  free_inverse(&M, &N, prescribed);

  /* da_f = -N T_f; dtau_p = T_p + M_pf da_f. */
  const solved_derivative x[3] = {{T[0], args->da_dq, n}, {T[1], args->da_dv, n}, {T[2], args->da_dwrench, columns}};
  for (int k = 0; k < 3 && prescribed; k++)
    if (T[k]) copy_free_rows(prescribed, n, &x[k]);
  if (T[0] || T[1]) product_solve(&p);
  if (T[2]) wrench_product(&p.b, args->da_dgiven, y, args->da_dwrench);
  if (prescribed) set_prescribed_rows(&p.b, prescribed, x, y, args->da_dgiven, args->dtau_dgiven);
}

/* Kernel of jn_forward_dynamics_derivatives() and jn_hybrid_dynamics_derivatives(). O(nv n d).
 *   in:  q, v, a, tau, wrenches; data: prescribed [nv], NULL for forward dynamics;
 *        hold: frame in which wrenches are constant
 *   out: a, tau [nv]; da/dq, da/dv, da/dgiven [nv x nv], da/dwrench [nv x nlink x 6]; dtau/dq, dtau/dv, dtau/dgiven,
 *        dtau/dwrench (tau and these are NULL for forward dynamics); pivots [nv].
 * a, da/dgiven, and dtau/dgiven if something is prescribed, are always there. Column i of dgiven is for a_i if that is
 * prescribed, and for tau_i if not. */
void JN_(hybrid_dynamics_derivatives)(const jn_call *call) {
  if (derivatives_of_forward_dynamics(call) && !call->counted) return;
  derivatives_by_factors(call);
}
