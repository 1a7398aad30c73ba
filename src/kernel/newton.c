/* SPDX-License-Identifier: BSD-2-Clause */
/* Inverse dynamics alone, the most called function of all (kim2012 Table 2). in: q, v, a, wrenches (NULL: zero).
 * arg[0]: without weight. out: tau [nv]. O(n). */
#include "newton.h"

#include "quad.h"
#include "row.h"

#if !JN_QUAD

/* V and A of a body from those of its parent, in the frame that X brings there. */
static inline void move_on(const JN_S(tree) * t, const JN_S(body) * b, const real *q, const real *v, const real *a,
                           pose X, twist *V, twist *A) {
  *A = t_Ad_inverse(X, *A);
  *V = v && b->parent >= 0 ? t_Ad_inverse(X, *V) : t_zero();
  if (b->kind == JN_BODY_REVOLUTE) { /* S = (z, 0), [V, S] = (w x z, v x z) */
    real ratio = splat(b->ratio);
    if (a) A->w.z += ratio * a[b->iv];
    if (!v) return;
    real rate = ratio * v[b->iv];
    V->w.z += rate;
    A->w.x += rate * V->w.y;
    A->w.y -= rate * V->w.x;
    A->v.x += rate * V->v.y;
    A->v.y -= rate * V->v.x;
    return;
  }
  twist S[6], rate[6];
  joint_screws(t, b, q, v, S, v ? rate : NULL);
  for (int k = 0; k < b->nv && v; k++) *V = t_axpy(v[b->iv + k], S[k], *V);
  for (int k = 0; k < b->nv; k++) {
    if (v) *A = t_axpy(v[b->iv + k], t_add(rate[k], t_ad(*V, S[k])), *A);
    if (a) *A = t_axpy(a[b->iv + k], S[k], *A);
  }
}

/* Adds S^T F of body b. */
static inline void add_forces(const JN_S(tree) * t, const JN_S(body) * b, const real *q, const real *a, wrench F,
                              real *tau) {
  twist S[6];
  if (b->kind != JN_BODY_REVOLUTE) joint_screws(t, b, q, NULL, S, NULL);
  for (int k = 0; k < b->nv; k++) {
    tau[b->iv + k] += b->kind == JN_BODY_REVOLUTE ? splat(b->ratio) * F.m.z : power(F, S[k]);
    if (a) tau[b->iv + k] += armature_of(t, b, k) * a[b->iv + k];
  }
}

static inline void newton_euler(const JN_S(tree) * t, const real *q, const real *v, const real *a, const real *wrenches,
                                twist base, const angles *turn, real *at, real *tau) {
  pose *X = TAKE(&at, t->nb, pose);
  twist *V = TAKE(&at, t->nb, twist), *A = TAKE(&at, t->nb, twist);
  wrench *F = TAKE(&at, t->nb, wrench);
  if (wrenches) body_wrenches(t, wrenches, F);
  for (int i = 0; i < t->nb; i++) {
    const JN_S(body) *b = &t->body[i];
    X[i] = body_pose(t, b, q, turn->c[i], turn->s[i]);
    V[i] = b->parent < 0 ? t_zero() : V[b->parent];
    A[i] = b->parent < 0 ? base : A[b->parent];
    move_on(t, b, q, v, a, X[i], &V[i], &A[i]);
    wrench own = inertial_wrench(i_constant(b->inertia), v ? &V[i] : NULL, A[i]);
    F[i] = wrenches ? w_sub(own, F[i]) : own;
  }
  for (int k = 0; k < t->nv; k++) tau[k] = ZERO;
  for (int i = t->nb - 1; i >= 0; i--) {
    const JN_S(body) *b = &t->body[i];
    add_forces(t, b, q, a, F[i], tau);
    if (b->parent >= 0) F[b->parent] = w_add(F[b->parent], w_Ad_inverse(X[i], F[i]));
  }
}

#endif

void JN_(newton_forces)(const JN_S(tree) * t, const real *q, const real *v, const real *a, const real *wrenches,
                        int weightless, const angles *turn, real *at, real *tau) {
  twist base = weightless ? t_zero() : base_acceleration(t);
#if JN_QUAD
  quad3 *V = TAKE_ALIGNED(&at, 2 * t->nb, quad3);
  quad_newton_euler(t, q, v, a, wrenches, base, *turn, V, V + t->nb, tau);
#else
  newton_euler(t, q, v, a, wrenches, base, turn, at, tau);
#endif
}

void JN_(newton)(const jn_call *c) {
  const JN_S(tree) *t = c->tree;
  real *at = c->scratch;
  angles turn = angles_at(t, c->in[0], &at);
  JN_(newton_forces)(t, c->in[0], c->in[1], c->in[2], c->in[3], c->arg[0], &turn, at, c->out[0]);
}
