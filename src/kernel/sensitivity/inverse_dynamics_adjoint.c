/* SPDX-License-Identifier: BSD-2-Clause */
/* Reverse products: the gradient of y . tau(q, v, a, ...) in everything at once, O(n). With Y the twists that the rates
 * y would give, y . tau = sum_m Y_m . f_m over the bodies, and by the rules of linearization.h, D_k Y_m = [Y_p, S_k],
 *   d/dq_k = [Y_p, S_k] . F_k + R_k . ppsi_k + N_k . psi_k      R = sum I Y, N = sum B^T Y over the subtree of k
 *   d/dv_k = R_k . (Psi_k + psi_k) + N_k . S_k                  d/da_k = R_k . S_k
 * The inertial parameters of a link enter linearly, Y . I A - [V, Y] . I V.
 * in: q, v, a, wrenches, y. hold. out: dq, dv, da [nv], dwrench [nlink x 6], dinertia [nlink x 10], dgravity
 * [3], darmature [nv]. */
#include "../base/variant.h"
#include "../first_derivatives/linearization.h"
#include "../regressor/parameter_columns.h"

typedef struct reverse {
  twist *Y, *before; /* [nb], [nd]: of bodies, and before each coordinate */
  wrench *R, *H;     /* [nb]; H: of held wrenches */
  vec3 *N;           /* [nb] */
} reverse;

/* Y of the bodies and before each coordinate; R, N, H of bodies alone. */
static inline void reverse_outward(const linearization *w, const real *y, const reverse *r) {
  const JN_S(tree) *t = w->t;
  for (int i = 0; i < t->nb; i++) {
    const JN_S(body) *b = &t->body[i];
    int group = is_group(b);
    twist before = b->parent < 0 ? t_zero() : t_shift(r->Y[b->parent], w->d[i]), Y = before;
    for (int c = 0; c < b->nv; c++) {
      r->before[b->id + c] = group ? before : Y;
      Y = t_axpy(y[b->iv + c], w->S[b->id + c], Y);
    }
    r->Y[i] = Y;
    r->R[i] = i_mul(w->I[i], Y);
    r->N[i] = b_tmul(w->B[i], Y);
    if (r->H) r->H[i] = h_tmul(w->H[i], w->hold, Y);
  }
}

static inline void reverse_inward(const linearization *w, const reverse *r) {
  const JN_S(tree) *t = w->t;
  for (int i = t->nb - 1; i >= 0; i--) {
    int p = t->body[i].parent;
    if (p < 0) continue;
    r->R[p] = w_add(r->R[p], w_shift(r->R[i], w->d[i]));
    r->N[p] = v3_add(r->N[p], r->N[i]);
    if (r->H) r->H[p] = w_add(r->H[p], w_shift(r->H[i], w->d[i]));
  }
}

/* Gradients by what belongs to links: in their own frames. */
static inline void link_gradients(const linearization *w, const reverse *r, int l, real *dwrench, real *dinertia) {
  const JN_S(frame) *f = &w->t->frame[l];
  real *g = dinertia ? dinertia + 10 * l : NULL;
  for (int k = 0; k < 6 && dwrench; k++) dwrench[6 * l + k] = ZERO;
  for (int k = 0; k < 10 && g; k++) g[k] = ZERO;
  if (f->body < 0) return;
  pose T = se3_mul(w->T[f->body], se3_constant(f->R, f->p));
  twist Y = t_Ad_inverse(T, r->Y[f->body]), V = t_Ad_inverse(T, w->V[f->body]);
  if (dwrench) t_store(t_scale(K(-1), Y), dwrench + 6 * l);
  if (!g) return;
  add_inertia_gradient(K(1), Y, t_Ad_inverse(T, w->A[f->body]), 1, g);
  add_inertia_gradient(K(-1), t_ad(V, Y), V, 1, g);
}

static inline void coordinate_gradients(const linearization *w, const reverse *r, int i, const real *y, real *dq,
                                        real *dv, real *da) {
  const JN_S(body) *b = &w->t->body[i];
  for (int c = 0; c < b->nv; c++) {
    int d = b->id + c, iv = b->iv + c;
    twist S = w->S[d];
    if (dq) {
      dq[iv] += power(w->F[i], t_ad(r->before[d], S)) + power(r->R[i], w->ppsi[d]) + dot(r->N[i], w->psi[d].w);
      if (r->H) dq[iv] += power(r->H[i], S);
    }
    if (dv) dv[iv] += power(r->R[i], t_add(w->Psi[d], w->psi[d])) + dot(r->N[i], S.w);
    if (da) da[iv] += power(r->R[i], S) + armature_of(w->t, b, c) * y[iv];
  }
}

void JN_(inverse_dynamics_adjoint)(const jn_call *c) {
  const jn_inverse_dynamics_adjoint_arguments *args = &c->inverse_dynamics_adjoint;
  const JN_S(tree) *t = c->tree;
  const real *y = args->y, *a = args->a;
  real *at = c->scratch, *dq = args->df_dq, *dv = args->df_dv, *da = args->df_da, *dgravity = args->df_dgravity,
       *darm = args->df_darmature;
  linearization w = linearization_place(t, 1, args->wrench ? args->hold : HOLD_BODY, args->q, &at);
  reverse r = {.Y = TAKE(&at, t->nb, twist), .before = TAKE(&at, t->nd, twist)};
  r.R = TAKE(&at, t->nb, wrench);
  r.N = TAKE(&at, t->nb, vec3);
  if (w.H) r.H = TAKE(&at, t->nb, wrench);
  if (counts(c, at)) return;
  w.v = args->v;
  w.a = a;
  w.W = args->wrench;
  w.rows = 1;
  linearize_outward(&w, 1);
  reverse_outward(&w, y, &r);
  linearize_inward(&w, 1);
  reverse_inward(&w, &r);
  for (int k = 0; k < t->nv; k++) {
    if (dq) dq[k] = t->carries_springs ? splat(t->stiffness[k]) * y[k] : ZERO;
    if (dv) dv[k] = ZERO;
    if (da) da[k] = ZERO;
    if (darm) darm[k] = a ? y[k] * a[k] : ZERO;
  }
  vec3 weight = v3_zero();
  for (int i = 0; i < t->nb; i++) {
    coordinate_gradients(&w, &r, i, y, dq, dv, da);
    if (t->body[i].parent < 0) weight = v3_sub(weight, r.R[i].f); /* the base accelerates by -gravity */
  }
  if (dgravity) v3_store(weight, dgravity);
  for (int l = 0; l < t->nlink && (args->df_dwrench || args->df_dinertia); l++)
    link_gradients(&w, &r, l, args->df_dwrench, args->df_dinertia);
}
