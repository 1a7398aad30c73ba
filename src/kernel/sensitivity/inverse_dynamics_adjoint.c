/* SPDX-License-Identifier: BSD-2-Clause */
/* Gradient of f = y . tau(q, v, a, wrenches, parameters) by everything at once: inverse dynamics in reverse. O(n)
 *
 * With Y the twists that the rates y would give the bodies, y . tau = sum_m Y_m . F_m over the bodies alone. By the
 * rules of linearization.h, D_k Y_m = [Y_p, S_k], and with sums over the subtree of k, R = sum I Y and N = sum B^T Y:
 *
 *   df/dq_k = [Y_p, S_k] . F_k + R_k . ppsi_k + N_k . psi_k       (+ S_k . sum H^T Y, springs)
 *   df/dv_k = R_k . (Psi_k + psi_k) + N_k . S_k
 *   df/da_k = R_k . S_k + armature y_k
 *   df/dW_l = -Y of link l,    df/dgravity = -sum of the linear part of R at the roots
 *   df/dpi_l: the inertial parameters of a link enter linearly, Y . I A - [V, Y] . I V
 *
 *   symbol     meaning                                         frame, unit                             size
 *   Y, before  twist of the rates y: of a body, and before     body origin, world axes; rad/s, m/s     [nb], [nd]
 *              each coordinate
 *   R          sum of I Y over the subtree                     body origin, world axes; N m s, N s     [nb]
 *   N          angular part of the sum of B^T Y                world axes                              [nb]
 *   H          sum of H^T Y of wrenches that are not fixed     body origin, world axes                 [nb] or NULL
 *              to their bodies
 *   others     as in linearization.h
 *
 * in: q, v, a, wrenches, y. hold: frame in which wrenches are constant. out: dq, dv, da [nv], dwrench [nlink x 6],
 * dinertia [nlink x 10], dgravity [3], darmature [nv]; NULL: not wanted. */
#include "../base/variant.h"
#include "../first_derivatives/linearization.h"
#include "../regressor/parameter_columns.h"

typedef struct adjoint_sweep {
  twist *Y, *before; /* [nb], [nd]: of bodies, and before each coordinate */
  wrench *R, *H;     /* [nb] */
  vec3 *N;           /* [nb] */
} adjoint_sweep;

/* Outwards: Y of the bodies and before each coordinate; R, N, H of the bodies alone. */
static inline void adjoint_outward(const linearization *lin, const real *y, const adjoint_sweep *adjoint) {
  const JN_S(tree) *tree = lin->tree;
  for (int i = 0; i < tree->nb; i++) {
    const JN_S(body) *body = &tree->body[i];
    int group = is_group(body);

    /* Y = Y_parent + S y; the coordinates of a group do not see each other. */
    twist before = body->parent < 0 ? t_zero() : t_shift(adjoint->Y[body->parent], lin->d[i]), Y = before;
    for (int c = 0; c < body->nv; c++) {
      adjoint->before[body->id + c] = group ? before : Y;
      Y = t_axpy(y[body->iv + c], lin->S[body->id + c], Y);
    }
    adjoint->Y[i] = Y;

    /* R = I Y, N = B^T Y, H^T Y. */
    adjoint->R[i] = i_mul(lin->I[i], Y);
    adjoint->N[i] = rates_tmul(lin->B[i], Y);
    if (adjoint->H) adjoint->H[i] = wrench_change_tmul(lin->H[i], lin->wrench_frame, Y);
  }
}

/* Inwards: R, N and H summed over subtrees. */
static inline void adjoint_inward(const linearization *lin, const adjoint_sweep *adjoint) {
  const JN_S(tree) *tree = lin->tree;
  for (int i = tree->nb - 1; i >= 0; i--) {
    int parent = tree->body[i].parent;
    if (parent < 0) continue;
    adjoint->R[parent] = w_add(adjoint->R[parent], w_shift(adjoint->R[i], lin->d[i]));
    adjoint->N[parent] = v3_add(adjoint->N[parent], adjoint->N[i]);
    if (adjoint->H) adjoint->H[parent] = w_add(adjoint->H[parent], w_shift(adjoint->H[i], lin->d[i]));
  }
}

/* Gradients by the wrench on a link and by its inertial parameters, in the link's frame. */
static inline void set_link_gradients(const linearization *lin, const adjoint_sweep *adjoint, int link, real *dwrench,
                                      real *dinertia) {
  const JN_S(frame) *frame = &lin->tree->frame[link];
  real *g = dinertia ? dinertia + 10 * link : NULL;
  for (int k = 0; k < 6 && dwrench; k++) dwrench[6 * link + k] = ZERO;
  for (int k = 0; k < 10 && g; k++) g[k] = ZERO;

  /* Y, V of the link. */
  if (frame->body < 0) return;
  pose T = se3_mul(lin->T[frame->body], se3_constant(frame->R, frame->p));
  twist Y = t_Ad_inverse(T, adjoint->Y[frame->body]), V = t_Ad_inverse(T, lin->V[frame->body]);

  /* df/dW = -Y. */
  if (dwrench) t_store(t_scale(K(-1), Y), dwrench + 6 * link);

  /* Y . I A - [V, Y] . I V, by the ten parameters of I. */
  if (!g) return;
  add_inertia_gradient(K(1), Y, t_Ad_inverse(T, lin->A[frame->body]), 1, g);
  add_inertia_gradient(K(-1), t_ad(V, Y), V, 1, g);
}

/* Gradients by q, v and a of the coordinates of body i. */
static inline void add_coordinate_gradients(const linearization *lin, const adjoint_sweep *adjoint, int i,
                                            const real *y, real *dq, real *dv, real *da) {
  const JN_S(body) *body = &lin->tree->body[i];
  for (int k = 0; k < body->nv; k++) {
    int id = body->id + k, iv = body->iv + k;
    twist S = lin->S[id];

    /* df/dq = [Y_p, S] . F + R . ppsi + N . psi. */
    if (dq) {
      dq[iv] += power(lin->F[i], t_ad(adjoint->before[id], S)) + power(adjoint->R[i], lin->ppsi[id]) +
                dot(adjoint->N[i], lin->psi[id].w);
      if (adjoint->H) dq[iv] += power(adjoint->H[i], S);
    }

    /* df/dv = R . (Psi + psi) + N . S, df/da = R . S + armature y. */
    if (dv) dv[iv] += power(adjoint->R[i], t_add(lin->Psi[id], lin->psi[id])) + dot(adjoint->N[i], S.w);
    if (da) da[iv] += power(adjoint->R[i], S) + armature_of(lin->tree, body, k) * y[iv];
  }
}

/* Kernel of jn_inverse_dynamics_adjoint(). */
void JN_(inverse_dynamics_adjoint)(const jn_call *call) {
  const jn_inverse_dynamics_adjoint_arguments *args = &call->inverse_dynamics_adjoint;
  const JN_S(tree) *tree = call->tree;
  const real *y = args->y, *a = args->a;
  real *at = call->scratch, *dq = args->df_dq, *dv = args->df_dv, *da = args->df_da, *dgravity = args->df_dgravity,
       *darmature = args->df_darmature;
  linearization lin = linearization_place(tree, 1, args->wrench ? args->hold : WRENCH_IN_BODY, args->q, &at);
  adjoint_sweep adjoint = {.Y = TAKE(&at, tree->nb, twist), .before = TAKE(&at, tree->nd, twist)};
  adjoint.R = TAKE(&at, tree->nb, wrench);
  adjoint.N = TAKE(&at, tree->nb, vec3);
  if (lin.H) adjoint.H = TAKE(&at, tree->nb, wrench);
  if (counts(call, at)) return;

  /* Sweeps: the linearization and Y outwards, both summed inwards. */
  lin.v = args->v;
  lin.a = a;
  lin.W = args->wrench;
  lin.rows = 1;
  linearize_outward(&lin, 1);
  adjoint_outward(&lin, y, &adjoint);
  linearize_inward(&lin, 1);
  adjoint_inward(&lin, &adjoint);

  /* Springs; armature: y a. */
  for (int k = 0; k < tree->nv; k++) {
    if (dq) dq[k] = tree->has_springs ? splat(tree->stiffness[k]) * y[k] : ZERO;
    if (dv) dv[k] = ZERO;
    if (da) da[k] = ZERO;
    if (darmature) darmature[k] = a ? y[k] * a[k] : ZERO;
  }

  vec3 weight = v3_zero();
  for (int i = 0; i < tree->nb; i++) {
    add_coordinate_gradients(&lin, &adjoint, i, y, dq, dv, da);
    if (tree->body[i].parent < 0) weight = v3_sub(weight, adjoint.R[i].f); /* the base accelerates by -gravity */
  }
  if (dgravity) v3_store(weight, dgravity);

  /* Links. */
  for (int link = 0; link < tree->nlink && (args->df_dwrench || args->df_dinertia); link++)
    set_link_gradients(&lin, &adjoint, link, args->df_dwrench, args->df_dinertia);
}
