/* SPDX-License-Identifier: BSD-2-Clause */
/* Forward and hybrid dynamics by the articulated-body algorithm (ABA). [kim2012 Tables 3 and 4]
 *
 * Given q, v and, for each coordinate, either its force tau (free) or its acceleration a (prescribed), find the other
 * one. Forward dynamics is the case without prescribed coordinates. Three sweeps over the bodies, all in the world's
 * axes, each body about its own origin:
 *
 *   1 outwards   poses, S, V, Psi                            bodies_outward()
 *   2 inwards    p  = V x* I V - external wrenches + sum over children                          eqs. (49), (50)
 *                U = IA S,  D = S^T U + armature,  u = tau - S^T p    for each free coordinate
 *                IA' = IA - U U^T / D,  p' = p + U u / D              the joint is eliminated
 *                to the parent: IA' and p' + IA' c, moved to its origin
 *   3 outwards   A = A_parent + c,  a = (u - U^T A) / D,  A' = A + S a   free coordinates       eqs. (45), (41)
 *                F = IA' A + p',  tau = S^T F + armature * a             prescribed coordinates eq. (43)
 *
 *   symbol  meaning                                                       size    unit
 *   S, Psi  joint screw and its rate dS/dt                                6       -, 1/s
 *   V, A    twist of the body and its rate; the base has A = -gravity     6       m/s, rad/s; per s
 *   c       Psi v + S a of prescribed coordinates: the known part of the  6       per s^2
 *           acceleration that the joint adds
 *   I       inertia of the body alone                                     10
 *   IA, p   articulated inertia and bias wrench: how the subtree of a     21, 6
 *           body responds, seen from the body
 *   U, D, u of a free coordinate, as above (articulated.h)                6, 1, 1
 *
 * Each coordinate is eliminated by itself: a joint with several coordinates counts as several joints at one point.
 *
 * data: prescribed [nv] (unsigned char) or NULL. in: q, v, a (of prescribed coordinates), tau (of the others),
 * wrenches, inertias of bodies [nb x 10] (NULL: those of the tree). forces: FORCES_... of inverse_dynamics.h.
 * out: a [nv], tau [nv] or NULL, pivots [nd]: D relative to the inertia that the coordinate moves, zero when singular.
 * Cost O(n); O(n m) if m coordinates are coupled at once (open_coordinates.h). */
#include "../base/springs.h"
#include "../base/variant.h"
#include "../inverse_dynamics/inverse_dynamics.h"
#include "open_coordinates.h"

typedef struct forward_sweep {
  articulation joints;     /* tree; origins [nb] and eliminated coordinates [nd] */
  const real *v, *a, *tau; /* NULL: zero */
  const unsigned char *prescribed;
  solid *body;         /* [nb] poses and inertias */
  screw *V;            /* [nb] */
  screw *S, *Psi;      /* [nd] */
  body_inertia *IA;    /* [nb] sums over the children; of bodies with prescribed coordinates, IA' in the end */
  wrench *p;           /* [nb] likewise */
  int loaded;          /* external wrenches are given: p begins with these */
  twist *A;            /* [nb] */
  real *u;             /* [nd] u, then the accelerations in its place */
  real *net;           /* [nv] memory for `driving` */
  const real *driving; /* [nv] tau minus the forces of springs; NULL: zero */
} forward_sweep;

static inline forward_sweep forward_place(const jn_call *call, real **at) {
  const jn_forward_dynamics_arguments *args = &call->forward_dynamics;
  const JN_S(tree) *tree = call->tree;
  forward_sweep sweep = {.joints = {tree, TAKE_ALIGNED(at, tree->nb, space), TAKE_ALIGNED(at, tree->nd, eliminated)},
                         .v = args->v,
                         .a = args->a,
                         .tau = args->tau,
                         .driving = args->tau,
                         .prescribed = args->prescribed,
                         .loaded = args->wrench != NULL};
  sweep.body = TAKE_ALIGNED(at, tree->nb, solid);
  sweep.V = TAKE_ALIGNED(at, tree->nb, screw);
  sweep.S = TAKE(at, tree->nd, screw);
  sweep.Psi = TAKE(at, tree->nd, screw);
  sweep.IA = TAKE_ALIGNED(at, tree->nb, body_inertia);
  sweep.p = TAKE(at, tree->nb, wrench);
  sweep.A = TAKE(at, tree->nb, twist);
  sweep.u = take(at, (size_t)tree->nd);
  sweep.net = take(at, (size_t)tree->nv);
  return sweep;
}

/* ---- what both sweeps need ---- */

static inline int has_prescribed(const forward_sweep *sweep, const JN_S(body) * body) {
  for (int k = 0; k < body->nv && sweep->prescribed; k++)
    if (sweep->prescribed[body->iv + k]) return 1;
  return 0;
}

/* c = Psi v + S a of prescribed coordinates. */
static inline twist known_acceleration(const forward_sweep *sweep, int i) {
  const JN_S(body) *body = &sweep->joints.tree->body[i];
  screw c = screw_zero();

  /* Psi v. Revolute joints, which are nearly all, have a line of their own. */
  if (is_revolute(body) && sweep->v) {
    screw Psi = sweep->Psi[body->id];
    c = (screw){sp_scale(sweep->v[body->iv], Psi.w), sp_scale(sweep->v[body->iv], Psi.v)};
  }
  for (int k = 0; k < body->nv && !is_revolute(body) && sweep->v; k++)
    c = screw_axpy(sweep->v[body->iv + k], sweep->Psi[body->id + k], c);

  /* S a of prescribed coordinates. */
  for (int k = 0; k < body->nv && sweep->prescribed && sweep->a; k++)
    if (sweep->prescribed[body->iv + k]) c = screw_axpy(sweep->a[body->iv + k], sweep->S[body->id + k], c);
  return screw_numbers(c);
}

/* ---- before the sweeps ---- */

/* p = - external wrenches, turned from link frames into the world's axes. */
static inline void subtract_external(const forward_sweep *sweep, const real *wrenches) {
  const JN_S(tree) *tree = sweep->joints.tree;
  for (int i = 0; i < tree->nb; i++) sweep->p[i] = w_zero();

  for (int link = 0; link < tree->nlink; link++) {
    const JN_S(frame) *frame = &tree->frame[link];
    if (frame->body < 0) continue;
    pose T = se3_mul((pose){axes_rotation(&sweep->body[frame->body].at), v3_zero()}, se3_constant(frame->R, frame->p));
    sweep->p[frame->body] = w_sub(sweep->p[frame->body], w_Ad_inverse(T, w_load(wrenches + 6 * link)));
  }
}

/* The forces that drive the bodies: tau minus the forces of springs. */
static inline const real *subtract_springs(const forward_sweep *sweep, const real *q) {
  const JN_S(tree) *tree = sweep->joints.tree;
  if (!tree->has_springs) return sweep->tau;
  for (int k = 0; k < tree->nv; k++) sweep->net[k] = sweep->tau ? sweep->tau[k] : ZERO;
  add_springs(tree, q, K(-1), sweep->net);
  return sweep->net;
}

/* Replaces the inertias of the tree by those given for each state, which are in the internal frames of the bodies. */
static inline void set_inertias(const forward_sweep *sweep, const real *given) {
  for (int i = 0; i < sweep->joints.tree->nb; i++) {
    solid *body = &sweep->body[i];
    const real *own = given + 10 * i;
    body->I.h = sp_rotate(body->at.x, body->at.y, body->at.z, v3_load(own + 1));
    body->I.m = own[0];
#if JN_REGISTERS
    inertia_to_world(&body->at, own, &body->I);
#else
    body->I.J = s3_to_world(axes_rotation(&body->at), i_load(own).J);
#endif
  }
}

/* ---- inwards ---- */

/* p of body i, with what its children added. Also puts its screws and driving forces where they are eliminated. */
FLAT wrench body_bias(const forward_sweep *sweep, int i) {
  const JN_S(body) *body = &sweep->joints.tree->body[i];

  /* p = V x* I V - external + sum over children. Where nothing was added, p[i] has not been written. */
  wrench p = body->end == i + 1 && !sweep->loaded ? w_zero() : sweep->p[i];
  if (sweep->v) {
    twist momentum = screw_numbers(inertia_mul(&sweep->body[i].I, 0, sweep->V[i]));
    p = w_add(p, w_cross(screw_numbers(sweep->V[i]), (wrench){momentum.w, momentum.v}));
  }

  sweep->joints.d[i] = sweep->body[i].at.d;
  for (int k = 0; k < body->nv; k++) {
    sweep->joints.x[body->id + k].w = sweep->S[body->id + k].w;
    if (!is_revolute(body)) sweep->joints.x[body->id + k].v = sweep->S[body->id + k].v;
    sweep->u[body->id + k] = sweep->driving ? sweep->driving[body->iv + k] : ZERO;
  }
  return p;
}

/* p_parent += p' + IA' c, moved to the origin of the parent. */
FLAT void add_bias_to_parent(const forward_sweep *sweep, int i, wrench p, const body_inertia *IA, twist c) {
  const JN_S(body) *body = &sweep->joints.tree->body[i];
  if (body->parent < 0) return;
  p = w_shift(w_add(p, body_mul(IA, c)), sp_numbers(sweep->joints.d[i]));

  /* The last child comes first in this sweep, and finds nothing to add to. */
  if (sweep->loaded || body->end != sweep->joints.tree->body[body->parent].end) p = w_add(sweep->p[body->parent], p);
  sweep->p[body->parent] = p;
}

/* Step 2 for body i: eliminate its joint, then add what is left to the parent. */
static inline void eliminate_body(const forward_sweep *sweep, int i, real *pivots) {
  const JN_S(body) *body = &sweep->joints.tree->body[i];
  wrench p = body_bias(sweep, i);

  /* IA' = IA - U U^T / D, which articulate() also adds to the parent; p' = p + U u / D. */
  body_inertia IA = articulate(&sweep->joints, i, sweep->prescribed, &sweep->body[i].I, sweep->IA, pivots);
  p = solve_joint_inward(&sweep->joints, i, p, sweep->u);

  /* Prescribed coordinates need both again on the way out, for their forces. */
  if (has_prescribed(sweep, body)) {
    sweep->IA[i] = IA;
    sweep->p[i] = p;
  }
  if (body->parent >= 0) add_bias_to_parent(sweep, i, p, &IA, known_acceleration(sweep, i));
}

/* ---- outwards ---- */

/* Step 3 for body i: accelerations of its free coordinates, forces of its prescribed ones. */
static inline void solve_body(const forward_sweep *sweep, int i, twist base, real *a_out, real *tau_out) {
  const JN_S(tree) *tree = sweep->joints.tree;
  const JN_S(body) *body = &tree->body[i];

  /* A = A_parent + c, then a = (u - U^T A) / D and A' = A + S a, coordinate by coordinate. */
  twist from = body->parent < 0 ? base : t_shift(sweep->A[body->parent], sp_numbers(sweep->joints.d[i]));
  twist A = t_add(known_acceleration(sweep, i), from);
  sweep->A[i] = solve_joint(&sweep->joints, i, A, sweep->u);
  for (int k = 0; k < body->nv; k++) {
    a_out[body->iv + k] = sweep->u[body->id + k];
    if (tau_out) tau_out[body->iv + k] = sweep->tau ? sweep->tau[body->iv + k] : ZERO;
  }
  if (!has_prescribed(sweep, body)) return;

  /* Prescribed coordinates: F = IA' A + p' through the joint, tau = S^T F + armature * a. */
  wrench F = w_add(body_mul(&sweep->IA[i], A), sweep->p[i]);
  for (int k = 0; k < body->nv; k++) {
    int iv = body->iv + k;
    if (is_free(sweep->prescribed, iv)) continue;
    a_out[iv] = sweep->a ? sweep->a[iv] : ZERO;
    if (tau_out)
      tau_out[iv] =
          screw_power(body, F, screw_numbers(sweep->S[body->id + k])) + armature_of(tree, body, k) * a_out[iv];
  }
}

/* Forces of prescribed coordinates must drive their springs too. */
static inline void add_prescribed_springs(const forward_sweep *sweep, const real *q, real *tau) {
  const JN_S(tree) *tree = sweep->joints.tree;
  for (int i = 0; i < tree->nb && tree->has_springs; i++) {
    const JN_S(body) *body = &tree->body[i];
    for (int k = 0; k < body->nv && carries_springs(body); k++)
      if (!is_free(sweep->prescribed, body->iv + k)) tau[body->iv + k] += spring_force(tree, body, k, q);
  }
}

void JN_(forward_dynamics)(const jn_call *call) {
  const jn_forward_dynamics_arguments *args = &call->forward_dynamics;
  const JN_S(tree) *tree = call->tree;
  real *at = call->scratch;
  angles angle = angles_at(tree, args->q, &at);
  forward_sweep sweep = forward_place(call, &at);
  if (counts(call, at)) return;

  /* 1 outwards: poses, screws, twists. */
  JN_(bodies_outward)(tree, args->q, sweep.v, &angle, 1, sweep.body, sweep.S, sweep.V, sweep.Psi);
  if (args->inertias) set_inertias(&sweep, args->inertias);
  if (sweep.loaded) subtract_external(&sweep, args->wrench);
  if (args->forces == FORCES_ALL) sweep.driving = subtract_springs(&sweep, args->q);

  /* 2 inwards: articulated inertias and biases. */
  for (int i = tree->nb - 1; i >= 0; i--) eliminate_body(&sweep, i, args->pivots);

  /* 3 outwards: accelerations, and forces of prescribed coordinates. */
  twist base = args->forces ? t_zero() : base_acceleration(tree);
  for (int i = 0; i < tree->nb; i++) solve_body(&sweep, i, base, args->a_out, args->tau_out);
  if (args->tau_out && args->forces == FORCES_ALL) add_prescribed_springs(&sweep, args->q, args->tau_out);
}

/* ---- coupled coordinates: several joints share one (open_coordinates.h) ---- */

/* Eliminates coordinate k of body i, which no other joint shares, unless it is prescribed. */
static inline wrench eliminate_unshared(const forward_sweep *sweep, open_coordinates *open, int i, int k,
                                        body_inertia *IA, wrench p, real *pivots) {
  const JN_S(tree) *tree = sweep->joints.tree;
  const JN_S(body) *body = &tree->body[i];
  eliminated *coordinate = &sweep->joints.x[k];
  open->first[k] = open->terms;
  pivots[tree->elimination_place[k]] = K(1);
  if (!is_free(sweep->prescribed, body->iv + k - body->id)) return p;

  /* As in a tree without coupling: U, D, IA' and p'. */
  twist S = screw_numbers(sweep->S[k]);
  coordinate->v = sweep->S[k].v;
  real D = eliminate(IA, 0, armature_of(tree, body, k - body->id), coordinate);
  pivots[tree->elimination_place[k]] = relative(D, splat(tree->reference_inertia[k]));
  p = solve_coordinate_inward(coordinate, 0, p, &sweep->u[k]);

  /* And from the equations of the coordinates that are still open at this body. */
  wrench U_by_D = {sp_numbers(coordinate->m), sp_numbers(coordinate->f)};
  if (open->head[i] >= 0) open_eliminate(open, i, U_by_D, coordinate->inverse, sweep->u[k], &S, -1);
  return p;
}

/* Step 2 for body i. */
static inline void eliminate_coupled_body(const forward_sweep *sweep, open_coordinates *open, int i, real *pivots) {
  const JN_S(tree) *tree = sweep->joints.tree;
  const JN_S(body) *body = &tree->body[i];
  wrench p = body_bias(sweep, i);
  body_inertia IA =
      body->end == i + 1 ? body_inertia_from(&sweep->body[i].I) : body_with(&sweep->IA[i], &sweep->body[i].I);

  /* Shared coordinates whose joints are all in the subtree can be eliminated now. */
  open_close_complete(open, i, &IA, &p, pivots);

  /* Then the body's own joint, from its last coordinate to its first. */
  for (int k = body->id + body->nv - 1; k >= body->id; k--) {
    if (body->nv == 1 && open->of[tree->elimination_place[k]] >= 0)
      open_joint(open, i, screw_numbers(sweep->S[k]), &IA, &p, pivots);
    else
      p = eliminate_unshared(sweep, open, i, k, &IA, p, pivots);
    open->end[k] = open->terms;
  }

  /* What is left goes to the parent: open coordinates, IA', p' + IA' c. */
  twist c = known_acceleration(sweep, i);
  open_move_to_parent(open, i, c, sp_numbers(sweep->joints.d[i]));
  if (body->parent < 0) return;
  body_inertia moved = body_shift(&IA, &sweep->joints.d[i]), *to = &sweep->IA[body->parent];
  if (body->end != tree->body[body->parent].end) body_add(&moved, to);
  *to = moved;
  add_bias_to_parent(sweep, i, p, &IA, c);
}

/* Step 3 for body i. */
static inline void solve_coupled_body(const forward_sweep *sweep, open_coordinates *open, int i, twist base,
                                      real *a_out) {
  const JN_S(tree) *tree = sweep->joints.tree;
  const JN_S(body) *body = &tree->body[i];
  twist A = body->parent < 0 ? base : t_shift(sweep->A[body->parent], sp_numbers(sweep->joints.d[i]));
  A = t_add(known_acceleration(sweep, i), A);

  for (int k = body->id; k < body->id + body->nv; k++) {
    const eliminated *coordinate = &sweep->joints.x[k];
    int shared = body->nv == 1 ? open->of[tree->elimination_place[k]] : -1, iv = body->iv + k - body->id;
    twist S = screw_numbers(sweep->S[k]);

    /* Prescribed: c has its S a already. */
    if (shared < 0 && !is_free(sweep->prescribed, iv)) {
      a_out[iv] = sweep->a ? sweep->a[iv] : ZERO;
      continue;
    }

    /* Free: a = (u - U^T A - sum over open coordinates) / D, where U and the sum are stored divided by D. */
    if (shared >= 0) open_solve(open, i, 1, A);
    real from_A = shared < 0 ? power((wrench){sp_numbers(coordinate->m), sp_numbers(coordinate->f)}, A) : ZERO;
    a_out[iv] = shared >= 0 ? open->x[shared].y
                            : coordinate->inverse * sweep->u[k] - from_A - open_sum(open, open->first[k], open->end[k]);
    A = t_axpy(a_out[iv], S, A);
  }
  sweep->A[i] = A;

  /* Shared coordinates that were eliminated at this body, but not at its own joint. */
  while (open_solve(open, i, 0, A)) continue;
}

/* The same with coupled coordinates. pivots [nv] come in out[2], in the order of elimination; forces of prescribed
 * coordinates are those of inverse dynamics. */
void JN_(forward_dynamics_coupled)(const jn_call *call) {
  const jn_forward_dynamics_arguments *args = &call->forward_dynamics;
  const JN_S(tree) *tree = call->tree;
  const real *q = args->q;
  if (!tree->coupled) return; /* all others go through forward_dynamics() */
  real *at = call->scratch, *a = args->a_out, *tau = args->tau_out;
  angles angle = angles_at(tree, q, &at);
  real *after = at;
  forward_sweep sweep = forward_place(call, &at);
  open_coordinates open = open_place(tree, &at);
  if (counts(call, at) && counts(call, JN_(inverse_dynamics_scratch)(tree, after))) return;

  /* 1 outwards. */
  JN_(bodies_outward)(tree, q, sweep.v, &angle, 1, sweep.body, sweep.S, sweep.V, sweep.Psi);
  if (sweep.loaded) subtract_external(&sweep, args->wrench);
  if (args->forces == FORCES_ALL) sweep.driving = subtract_springs(&sweep, q);

  /* 2 inwards; what is still open at the end is eliminated at the world. */
  open_fill(&open, sweep.prescribed, sweep.driving);
  for (int i = tree->nb - 1; i >= 0; i--) eliminate_coupled_body(&sweep, &open, i, args->pivots);
  wrench none = w_zero();
  open_close_complete(&open, tree->nb, NULL, &none, args->pivots);

  /* 3 outwards. */
  twist base = args->forces ? t_zero() : base_acceleration(tree);
  while (open_solve(&open, -1, 0, base)) continue;
  for (int i = 0; i < tree->nb; i++) solve_coupled_body(&sweep, &open, i, base, a);
  if (!tau) return;

  /* Forces: those of inverse dynamics where prescribed, as given elsewhere. */
  JN_(inverse_dynamics_forces)(tree, q, sweep.v, a, args->wrench, args->forces, &angle, after, tau);
  for (int i = 0; i < tree->nv; i++)
    if (is_free(sweep.prescribed, i)) tau[i] = sweep.tau ? sweep.tau[i] : ZERO;
}
