/* SPDX-License-Identifier: BSD-2-Clause */
/* First derivatives of frame quantities, momentum and centre of mass with respect to the state. [garofalo2013 eqs.
 * 30-32]
 *
 * From the linearization of linearization.h, of true accelerations (no weight). D_h x is what is left of dx/dq_h of a
 * quantity x that moves with coordinate h, without [S_h, x]; h < k: h is inward of k.
 *
 * Six numbers y of a frame that moves with the twist V are given in a *view*: in the frame's place and axes (body), in
 * world axes at the frame's origin (aligned), or at the world's origin (world). Then dy/dq_h = D_h y + [E(S_h), y],
 * where E(X) = 0, (w, 0) or X is the part of a motion X that moves the view. With U = E(V) - V:
 *
 *   J_k = S_k:                   D_h = [S_k, S_h] for k < h, else 0                                       eq. 31
 *   dJ_k/dt = Psi_k + [U, S_k]:  D_h = ([Psi_k, S_h] + [S_k, psi_h] for k < h, else 0)                    eq. 32
 *                                      + [E(psi_h), S_k] + [U, D_h J_k]
 *   V:                           D_h = psi_h
 *   dV/dt = A + [U, V]:          D_h = ppsi_h + [U, psi_h] + [E(psi_h), V]
 *                                d/dv_h = Psi_h + psi_h + [U, S_h] + [E(S_h), V]
 *   d(dJ/dt)/dv_h = dJ/dq_h in all views, because dJ/dt = sum_h dJ/dq_h v_h                               eq. 30
 *
 * Momentum and centre of mass come from sums over subtrees: d(I V)/dq_h = I psi_h + S_h x* (I V), and the forces F.
 *
 *   symbol   meaning                                          frame, unit                  size
 *   dJ, ddJ  dJ/dq, d(dJ/dt)/dq                               view                         [nv x 6 x nv]
 *   U        E(V) - V of the frame                            view; rad/s, m/s             6
 *   P        linear momentum of all bodies                    world axes; N s              3
 *   others   as in linearization.h */
#include "../base/variant.h"
#include "linearization.h"

typedef struct state {
  const real *q, *v, *a; /* v, a NULL: zero */
} state;

/* The linearization of the state q, v, a, without weight. */
static inline linearization state_linearization_place(const jn_call *call, const state *x, real **at) {
  linearization lin = linearization_place(call->tree, 1, WRENCH_IN_BODY, x->q, at);
  lin.without_weight = 1;
  lin.v = x->v;
  lin.a = x->a;
  return lin;
}

/* Whether the call only counts scratch memory. */
static inline int only_counts(const jn_call *call, const state *x) {
  real *at = call->scratch;
  if (!call->counted) return 0;
  state_linearization_place(call, x, &at);
  return counts(call, at);
}

/* The linearization of all bodies; and only the motions of the bodies on the path to body f. */
static inline linearization linearize_all(const jn_call *call, const state *x) {
  real *at = call->scratch;
  linearization lin = state_linearization_place(call, x, &at);
  linearize(&lin, 1);
  return lin;
}
static inline linearization linearize_path_to(const jn_call *call, const state *x, int f) {
  real *at = call->scratch;
  linearization lin = state_linearization_place(call, x, &at);
  for (int i = 0; i <= f; i++)
    if (lin.tree->body[i].end > f) set_joint_motion(&lin, i, 1);
  return lin;
}

static inline void clear(real *x, int n) {
  for (int k = 0; k < n && x; k++) x[k] = ZERO;
}

/* Columns are added up, because coupled joints share coordinates. */
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

/* E(X): the part of the motion X that moves the view. */
static inline twist moving_part(int view, twist X) {
  if (view == IN_BODY) return t_zero();
  return (twist){X.w, view == IN_WORLD ? X.v : v3_zero()};
}

/* The pose of the view, seen from the origin of the frame's body. The twists S, Psi, psi, ppsi of all coordinates that
 * move the frame are expressed in it. */
static inline pose express_in_view(const linearization *lin, int view, const JN_S(frame) * f) {
  const JN_S(body) *body = lin->tree->body;
  pose T = se3_mul(lin->T[f->body], se3_constant(f->R, f->p));
  if (view != IN_BODY) T.R = m3_identity();
  if (view == IN_WORLD) T.p = v3_zero();
  for (int i = f->body; i >= 0 && view == IN_WORLD; i = body[i].parent) T.p = v3_sub(T.p, lin->d[i]);
  pose seen = T; /* seen from the origins of the bodies, one after the other inwards */
  for (int i = f->body; i >= 0; i = body[i].parent) {
    for (int d = body[i].id; d < body[i].id + body[i].nv; d++) {
      twist *const all[4] = {&lin->S[d], &lin->Psi[d], &lin->psi[d], &lin->ppsi[d]};
      for (int k = 0; k < 4; k++) *all[k] = t_Ad_inverse(seen, *all[k]);
    }
    seen.p = v3_add(seen.p, lin->d[i]);
  }
  return T;
}

/* Column k of the Jacobian and of its rate, by q_h; before: k < h. */
static inline void jacobian_entry(const linearization *lin, int view, twist U, int h, int k, int before, twist *dJ,
                                  twist *ddJ) {
  twist S = lin->S[k], Sh = lin->S[h], rate = t_add(lin->Psi[k], t_ad(U, S)), view_motion = moving_part(view, Sh);
  twist DS = before ? t_ad(S, Sh) : t_zero();
  *dJ = t_add(DS, t_ad(view_motion, S));
  *ddJ = t_add(t_add(t_ad(moving_part(view, lin->psi[h]), S), t_ad(view_motion, rate)), t_ad(U, DS));
  if (before) *ddJ = t_add(*ddJ, t_add(t_ad(lin->Psi[k], Sh), t_ad(S, lin->psi[h])));
}

/* dJ/dq, d(dJ/dt)/dq [nv x 6 x nv] of a frame on body f. */
static inline void add_jacobian_tensors(const linearization *lin, int view, twist U, int f, real *dJ, real *ddJ) {
  const JN_S(body) *body = lin->tree->body;
  int n = lin->tree->nv;
  for (int i = f; i >= 0; i = body[i].parent)
    for (int j = f; j >= 0; j = body[j].parent)
      for (int e = 0; e < body[i].nv * body[j].nv; e++) {
        int h = e / body[j].nv, k = e % body[j].nv, slice = (body[i].iv + h) * 6 * n;
        int group = is_group(&body[i]);
        int before = j < i || (j == i && !group && k < h);
        twist first, rate;
        jacobian_entry(lin, view, U, body[i].id + h, body[j].id + k, before, &first, &rate);
        if (dJ) add_twist(dJ + slice, n, body[j].iv + k, first);
        if (ddJ) add_twist(ddJ + slice, n, body[j].iv + k, rate);
      }
}

/* Kernel of jn_frame_jacobian_derivatives(), jn_frame_twist_derivatives() and jn_frame_acceleration_derivatives().
 *   in:  q, v, a (v, a NULL: zero); frame; view
 *   out: dJ/dq, d(dJ/dt)/dq [nv x 6 x nv]; twist by q, its rate by q and by v [6 x nv]; NULL: not wanted
 * Cost O(n) and writing zeros; tensors O(depth^2) and writing zeros. */
void JN_(frame_derivatives)(const jn_call *call) {
  const jn_frame_derivatives_arguments *args = &call->frame_derivatives;
  const state x = {args->q, args->v, args->a};
  if (only_counts(call, &x)) return;
  const JN_S(tree) *tree = call->tree;
  const JN_S(frame) *f = &tree->frame[args->frame];
  int view = args->representation, n = tree->nv;
  real *out[5];
  for (int k = 0; k < 5; k++) clear(out[k] = args->outputs[k], k < 2 ? 6 * n * n : 6 * n);
  if (f->body < 0) return;

  /* V and its rate in the view. */
  linearization lin = linearize_path_to(call, &x, f->body);
  pose T = express_in_view(&lin, view, f);
  twist V = t_Ad_inverse(T, lin.V[f->body]), U = t_axpy(K(-1), V, moving_part(view, V));
  twist A = t_add(t_Ad_inverse(T, lin.A[f->body]), t_ad(U, V));

  /* dJ/dq and d(dJ/dt)/dq. */
  if (out[0] || out[1]) add_jacobian_tensors(&lin, view, U, f->body, out[0], out[1]);

  /* Twist and its rate, column by column. */
  for (int i = f->body; i >= 0; i = tree->body[i].parent)
    for (int k = 0; k < tree->body[i].nv; k++) {
      int d = tree->body[i].id + k, at = tree->body[i].iv + k;
      twist S = lin.S[d], psi = lin.psi[d], view_motion = moving_part(view, S);
      if (out[2]) add_twist(out[2], n, at, t_add(psi, t_ad(view_motion, V)));
      if (out[3]) {
        twist D = t_add(t_add(lin.ppsi[d], t_ad(U, psi)), t_ad(moving_part(view, psi), V));
        add_twist(out[3], n, at, t_add(D, t_ad(view_motion, A)));
      }
      if (out[4]) add_twist(out[4], n, at, t_add(t_add(lin.Psi[d], psi), t_add(t_ad(U, S), t_ad(view_motion, V))));
    }
}

/* ---- momentum and centre of mass ---- */

/* All bodies together: mass, linear momentum, and the centre of mass as seen from `from`, the origin of the first tree
 * of bodies (so that no digits are lost far from the world's origin). */
typedef struct total {
  real mass;
  vec3 from, center, P;
} total;

static inline total sum_over_trees(const linearization *lin) {
  total all = {ZERO, v3_zero(), v3_zero(), v3_zero()};
  for (int i = 0; i < lin->tree->nb; i = lin->tree->body[i].end) {
    vec3 origin = lin->d[i];
    if (i == 0) all.from = origin;
    all.mass += lin->I[i].m;
    all.P = v3_add(all.P, lin->B[i].P);
    all.center = v3_add(all.center, v3_axpy(lin->I[i].m, v3_sub(origin, all.from), lin->I[i].h));
  }
  all.center = v3_scale(K(1) / all.mass, all.center);
  return all;
}

/* d/dq of momentum about a point: Y is d/dq about the body's origin, which is at `arm` from the point; the point moves
 * by `shift`, P is the linear momentum. */
static inline wrench momentum_about_point(wrench Y, vec3 arm, vec3 shift, vec3 P) {
  return (wrench){v3_add(Y.m, v3_sub(cross(arm, Y.f), cross(shift, P))), Y.f};
}

static inline void add_vector(real *M, int columns, int at, real factor, vec3 x) {
  real three[3];
  v3_store(v3_scale(factor, x), three);
  add_column(M, 3, columns, at, three);
}

/* Kernel of jn_momentum_derivative() and jn_center_of_mass_derivatives(). O(n).
 *   in:  q, v, a (v, a NULL: zero); centroidal: momentum about the centre of mass, not the world's origin
 *   out: d momentum/dq [6 x nv]; dc/dq, d(dc/dt)/dq, d(d2c/dt2)/dq, d(d2c/dt2)/dv [3 x nv]; NULL: not wanted */
void JN_(momentum_derivatives)(const jn_call *call) {
  const jn_momentum_derivatives_arguments *args = &call->momentum_derivatives;
  const state x = {args->q, args->v, args->a};
  if (only_counts(call, &x)) return;
  const JN_S(tree) *tree = call->tree;
  int n = tree->nv;
  real *out[5];
  for (int k = 0; k < 5; k++) clear(out[k] = args->outputs[k], k < 1 ? 6 * n : 3 * n);

  linearization lin = linearize_all(call, &x);
  total all = sum_over_trees(&lin);
  real inverse = K(1) / all.mass;
  for (int i = 0; i < tree->nb; i++) {
    const JN_S(body) *b = &tree->body[i];
    inertia I = lin.I[i];

    /* From here on d is the body's origin seen from the point that momentum is about. */
    if (b->parent >= 0)
      lin.d[i] = v3_add(lin.d[b->parent], lin.d[i]);
    else if (args->about)
      lin.d[i] = v3_sub(v3_sub(lin.d[i], all.from), all.center);
    for (int k = 0; k < b->nv; k++) {
      int d = b->id + k, at = b->iv + k;

      /* Y = I psi + S x* (I V); m dc/dq = linear part of I S. */
      twist S = lin.S[d];
      wrench Y = w_add(i_mul(I, lin.psi[d]), w_cross(S, (wrench){lin.B[i].L, lin.B[i].P}));
      vec3 first = i_mul(I, S).f, shift = args->about ? v3_scale(inverse, first) : v3_zero();

      /* Momentum. */
      if (out[0]) {
        real six[6];
        w_store(momentum_about_point(Y, lin.d[i], shift, all.P), six);
        add_column(out[0], 6, n, at, six);
      }

      /* Centre of mass, its velocity and its acceleration. */
      if (out[1]) add_vector(out[1], n, at, inverse, first);
      if (out[2]) add_vector(out[2], n, at, inverse, Y.f);
      if (out[3]) {
        wrench D = w_add(i_mul(I, lin.ppsi[d]), rates_mul(lin.B[i], lin.psi[d]));
        add_vector(out[3], n, at, inverse, w_add(D, w_cross(S, lin.F[i])).f);
      }
      if (out[4]) {
        wrench D = w_add(i_mul(I, t_add(lin.Psi[d], lin.psi[d])), rates_mul(lin.B[i], S));
        add_vector(out[4], n, at, inverse, D.f);
      }
    }
  }
}
