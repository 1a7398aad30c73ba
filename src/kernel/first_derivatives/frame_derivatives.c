/* SPDX-License-Identifier: BSD-2-Clause */
/* Derivatives of kinematic quantities with respect to the state, from the linearization of linearization.h (of true
 * accelerations: no weight). D_h x is what is left of dx/dq_h of a carried x without [S_h, x]; h < k: h is inward of k.
 *
 * Six numbers y of a frame f that moves with V: with all twists in the frame's place and axes (body), in the world's
 * axes at the frame's origin (aligned), or at the world's origin (world), dy/dq_h = D_h y + [E(S_h), y], where E(X) =
 * 0, (w, 0) or X is the part of a motion that turns the numbers. With U = E(V) - V
 *   J_k = S_k:                   D_h = [S_k, S_h] for k < h, else 0
 *   dJ_k/dt = Psi_k + [U, S_k]:  D_h = ([Psi_k, S_h] + [S_k, psi_h] for k < h, else 0) + [E(psi_h), S_k] + [U, D_h J_k]
 *   V:                           D_h = psi_h
 *   dV/dt = A + [U, V]:          D_h = ppsi_h + [U, psi_h] + [E(psi_h), V]
 *                                d/dv_h = Psi_h + psi_h + [U, S_h] + [E(S_h), V]
 * (garofalo2013 eqs. 31, 32 in closed form.) dJ/dt = sum_h dJ/dq_h v_h, so d(dJ/dt)/dv_h = dJ/dq_h in all three (eq.
 * 30).
 *
 * Momentum and centre of mass come from sums over subtrees: d(I V)/dq_h = I psi_h + S_h x* (I V), and the forces F. */
#include "../base/variant.h"
#include "linearization.h"

typedef struct state {
  const real *q, *v, *a; /* v, a NULL: zero */
} state;

/* The linearization of a state. */
static inline linearization state_place(const jn_call *c, const state *x, real **at) {
  linearization w = linearization_place(c->tree, 1, HOLD_BODY, x->q, at);
  w.weightless = 1;
  w.v = x->v;
  w.a = x->a;
  return w;
}

static inline int only_counts(const jn_call *c, const state *x) {
  real *at = c->scratch;
  if (!c->counted) return 0;
  state_place(c, x, &at);
  return counts(c, at);
}

/* Of all bodies, and only of the motions on the way to body f. */
static inline linearization sweep(const jn_call *c, const state *x) {
  real *at = c->scratch;
  linearization w = state_place(c, x, &at);
  linearize(&w, 1);
  return w;
}
static inline linearization sweep_to(const jn_call *c, const state *x, int f) {
  real *at = c->scratch;
  linearization w = state_place(c, x, &at);
  for (int i = 0; i <= f; i++)
    if (w.t->body[i].end > f) linearization_joint(&w, i, 1);
  return w;
}

static inline void clear(real *x, int n) {
  for (int k = 0; k < n && x; k++) x[k] = ZERO;
}

/* Sums, because coupled joints share coordinates. */
static inline void add_column(real *M, int rows, int columns, int at, const real *x) {
  for (int r = 0; r < rows; r++) M[r * columns + at] += x[r];
}
static inline void add_twist(real *M, int columns, int at, twist X) {
  real x[6];
  t_store(X, x);
  add_column(M, 6, columns, at, x);
}

/* ---- frames ---- */

enum { IN_BODY, IN_WORLD, IN_ALIGNED };

/* E */
static inline twist turning(int in, twist X) {
  if (in == IN_BODY) return t_zero();
  return (twist){X.w, in == IN_WORLD ? X.v : v3_zero()};
}

/* The pose whose place and axes the numbers are in, seen from the origin of the frame's body, and the linearization's
 * twists of all that moves the frame expressed there. */
static inline pose view(const linearization *w, int in, const JN_S(frame) * f) {
  const JN_S(body) *body = w->t->body;
  pose T = se3_mul(w->T[f->body], se3_constant(f->R, f->p));
  if (in != IN_BODY) T.R = m3_identity();
  if (in == IN_WORLD) T.p = v3_zero();
  for (int i = f->body; i >= 0 && in == IN_WORLD; i = body[i].parent) T.p = v3_sub(T.p, w->d[i]);
  pose seen = T; /* from the origins of the bodies on the way inwards */
  for (int i = f->body; i >= 0; i = body[i].parent) {
    for (int d = body[i].id; d < body[i].id + body[i].nv; d++) {
      twist *const all[4] = {&w->S[d], &w->Psi[d], &w->psi[d], &w->ppsi[d]};
      for (int k = 0; k < 4; k++) *all[k] = t_Ad_inverse(seen, *all[k]);
    }
    seen.p = v3_add(seen.p, w->d[i]);
  }
  return T;
}

/* Column k of the Jacobian and its rate by q_h; before: k < h. */
static inline void jacobian_entry(const linearization *w, int in, twist U, int h, int k, int before, twist *dJ,
                                  twist *ddJ) {
  twist S = w->S[k], Sh = w->S[h], rate = t_add(w->Psi[k], t_ad(U, S)), turn = turning(in, Sh);
  twist DS = before ? t_ad(S, Sh) : t_zero();
  *dJ = t_add(DS, t_ad(turn, S));
  *ddJ = t_add(t_add(t_ad(turning(in, w->psi[h]), S), t_ad(turn, rate)), t_ad(U, DS));
  if (before) *ddJ = t_add(*ddJ, t_add(t_ad(w->Psi[k], Sh), t_ad(S, w->psi[h])));
}

/* dJ/dq, d(dJ/dt)/dq [nv x 6 x nv] of a frame on body f. */
static inline void jacobian_tensors(const linearization *w, int in, twist U, int f, real *dJ, real *ddJ) {
  const JN_S(body) *body = w->t->body;
  int n = w->t->nv;
  for (int i = f; i >= 0; i = body[i].parent)
    for (int j = f; j >= 0; j = body[j].parent)
      for (int e = 0; e < body[i].nv * body[j].nv; e++) {
        int h = e / body[j].nv, k = e % body[j].nv, slice = (body[i].iv + h) * 6 * n;
        int group = is_group(&body[i]);
        int before = j < i || (j == i && !group && k < h);
        twist first, rate;
        jacobian_entry(w, in, U, body[i].id + h, body[j].id + k, before, &first, &rate);
        if (dJ) add_twist(dJ + slice, n, body[j].iv + k, first);
        if (ddJ) add_twist(ddJ + slice, n, body[j].iv + k, rate);
      }
}

/* in: q, v, a (v, a NULL: zero). frame, representation. out: dJ/dq, d(dJ/dt)/dq [nv x 6 x nv]; of the
 * twist by q, of its rate by q and by v [6 x nv]. O(n) and the zeros, tensors O(depth^2) and the zeros. */
void JN_(frame_derivatives)(const jn_call *c) {
  const jn_frame_derivatives_arguments *args = &c->frame_derivatives;
  const state x = {args->q, args->v, args->a};
  if (only_counts(c, &x)) return;
  const JN_S(tree) *t = c->tree;
  const JN_S(frame) *f = &t->frame[args->frame];
  int in = args->representation, n = t->nv;
  real *out[5];
  for (int k = 0; k < 5; k++) clear(out[k] = args->outputs[k], k < 2 ? 6 * n * n : 6 * n);
  if (f->body < 0) return;
  linearization w = sweep_to(c, &x, f->body);
  pose T = view(&w, in, f);
  twist V = t_Ad_inverse(T, w.V[f->body]), U = t_axpy(K(-1), V, turning(in, V));
  twist A = t_add(t_Ad_inverse(T, w.A[f->body]), t_ad(U, V));
  if (out[0] || out[1]) jacobian_tensors(&w, in, U, f->body, out[0], out[1]);
  for (int i = f->body; i >= 0; i = t->body[i].parent)
    for (int k = 0; k < t->body[i].nv; k++) {
      int d = t->body[i].id + k, at = t->body[i].iv + k;
      twist S = w.S[d], psi = w.psi[d], turn = turning(in, S);
      if (out[2]) add_twist(out[2], n, at, t_add(psi, t_ad(turn, V)));
      if (out[3]) {
        twist D = t_add(t_add(w.ppsi[d], t_ad(U, psi)), t_ad(turning(in, psi), V));
        add_twist(out[3], n, at, t_add(D, t_ad(turn, A)));
      }
      if (out[4]) add_twist(out[4], n, at, t_add(t_add(w.Psi[d], psi), t_add(t_ad(U, S), t_ad(turn, V))));
    }
}

/* ---- momentum and centre of mass ---- */

/* All that moves: mass, momentum, and the centre of mass as seen from `from`, the origin of the first tree of bodies
 * (so that no digits are lost far from the world's origin). */
typedef struct total {
  real mass;
  vec3 from, center, P;
} total;

static inline total sum_trees(const linearization *w) {
  total all = {ZERO, v3_zero(), v3_zero(), v3_zero()};
  for (int i = 0; i < w->t->nb; i = w->t->body[i].end) {
    vec3 origin = w->d[i];
    if (i == 0) all.from = origin;
    all.mass += w->I[i].m;
    all.P = v3_add(all.P, w->B[i].P);
    all.center = v3_add(all.center, v3_axpy(w->I[i].m, v3_sub(origin, all.from), w->I[i].h));
  }
  all.center = v3_scale(K(1) / all.mass, all.center);
  return all;
}

/* d/dq of momentum by the coordinate of the screw S: Y about the body's origin, which is at `arm` from the point that
 * momentum is about; that point moves by `shift`. */
static inline wrench about_point(wrench Y, vec3 arm, vec3 shift, vec3 P) {
  return (wrench){v3_add(Y.m, v3_sub(cross(arm, Y.f), cross(shift, P))), Y.f};
}

static inline void add_vector(real *M, int columns, int at, real factor, vec3 x) {
  real three[3];
  v3_store(v3_scale(factor, x), three);
  add_column(M, 3, columns, at, three);
}

/* in: q, v, a (v, a NULL: zero). about: the centre of mass. out: d momentum/dq [6 x nv]; dc/dq,
 * d(dc/dt) /dq, d(d2c/dt2)/dq, d(d2c/dt2)/dv [3 x nv] of the centre of mass c. O(n). */
void JN_(momentum_derivatives)(const jn_call *c) {
  const jn_momentum_derivatives_arguments *args = &c->momentum_derivatives;
  const state x = {args->q, args->v, args->a};
  if (only_counts(c, &x)) return;
  const JN_S(tree) *t = c->tree;
  int n = t->nv;
  real *out[5];
  for (int k = 0; k < 5; k++) clear(out[k] = args->outputs[k], k < 1 ? 6 * n : 3 * n);
  linearization w = sweep(c, &x);
  total all = sum_trees(&w);
  real inverse = K(1) / all.mass;
  for (int i = 0; i < t->nb; i++) {
    const JN_S(body) *b = &t->body[i];
    inertia I = w.I[i];
    if (b->parent >= 0) /* from here on d is where the body's origin is, seen from the point momentum is about */
      w.d[i] = v3_add(w.d[b->parent], w.d[i]);
    else if (args->about)
      w.d[i] = v3_sub(v3_sub(w.d[i], all.from), all.center);
    for (int k = 0; k < b->nv; k++) {
      int d = b->id + k, at = b->iv + k;
      twist S = w.S[d];
      wrench Y = w_add(i_mul(I, w.psi[d]), w_cross(S, (wrench){w.B[i].L, w.B[i].P}));
      vec3 first = i_mul(I, S).f, shift = args->about ? v3_scale(inverse, first) : v3_zero();
      if (out[0]) {
        real six[6];
        w_store(about_point(Y, w.d[i], shift, all.P), six);
        add_column(out[0], 6, n, at, six);
      }
      if (out[1]) add_vector(out[1], n, at, inverse, first);
      if (out[2]) add_vector(out[2], n, at, inverse, Y.f);
      if (out[3]) {
        wrench D = w_add(i_mul(I, w.ppsi[d]), b_mul(w.B[i], w.psi[d]));
        add_vector(out[3], n, at, inverse, w_add(D, w_cross(S, w.F[i])).f);
      }
      if (out[4]) {
        wrench D = w_add(i_mul(I, t_add(w.Psi[d], w.psi[d])), b_mul(w.B[i], S));
        add_vector(out[4], n, at, inverse, D.f);
      }
    }
  }
}
