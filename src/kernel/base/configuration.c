/* SPDX-License-Identifier: BSD-2-Clause */
/* Configurations as points of a manifold: q (+) v, q1 (-) q0, interpolation, normalisation. Additive for coordinates
 * whose rates are the velocities; on the group, in the body's frame, for spherical and free joints. */
#include "../../tree/joint.h"
#include "variant.h"

/* q (+) v of a rotation, renormalised so that rounding does not pile up over many steps. */
static inline quat turned(quat r, vec3 w) { return q_normalize(q_mul(r, q_exp(w))); }

static inline void plus(const JN_S(body) * b, const real *q, const real *v, real *out) {
  if (b->kind == JN_BODY_SPHERICAL) {
    q_store(turned(q_load(q), v3_load(v)), out);
  } else if (b->kind == JN_BODY_FREE) {
    quat r = q_load(q + 3);
    pose step = se3_exp(t_load(v));
    v3_store(v3_add(v3_load(q), m3_mul(q_rotation(r), step.p)), out);
    q_store(turned(r, v3_load(v)), out + 3);
  } else {
    for (int k = 0; k < b->nv; k++) out[k] = q[k] + v[k];
  }
}

static inline quat turn_between(quat a, quat b) { return q_mul(q_conjugate(q_normalize(a)), q_normalize(b)); }

static inline void minus(const JN_S(body) * b, const real *q0, const real *q1, real *v) {
  if (b->kind == JN_BODY_SPHERICAL) {
    v3_store(q_log(turn_between(q_load(q0), q_load(q1))), v);
  } else if (b->kind == JN_BODY_FREE) {
    quat r0 = q_load(q0 + 3);
    vec3 p = m3_tmul(q_rotation(r0), v3_sub(v3_load(q1), v3_load(q0)));
    t_store(se3_log_of(turn_between(r0, q_load(q1 + 3)), p), v);
  } else {
    for (int k = 0; k < b->nv; k++) v[k] = q1[k] - q0[k];
  }
}

void JN_(integrate)(const jn_call *c) {
  const jn_integrate_arguments *args = &c->integrate;
  const JN_S(tree) *t = c->tree;
  const real *q = args->q, *v = args->v;
  real *out = args->q_out;
  for (int i = 0; i < t->nb; i++) {
    const JN_S(body) *b = &t->body[i];
    if (b->owner) plus(b, q + b->iq, v + b->iv, out + b->iq);
  }
}

void JN_(difference)(const jn_call *c) {
  const jn_difference_arguments *args = &c->difference;
  const JN_S(tree) *t = c->tree;
  const real *q0 = args->q0, *q1 = args->q1;
  real *v = args->v;
  for (int i = 0; i < t->nb; i++) {
    const JN_S(body) *b = &t->body[i];
    if (b->owner) minus(b, q0 + b->iq, q1 + b->iq, v + b->iv);
  }
}

/* ---- derivatives: block by block along the diagonal ---- */

/* Writes a block of the joint, `n` wide, into the matrix [nv x nv] at its place; NULL: not wanted. */
static inline void store_block(const JN_S(tree) * t, const JN_S(body) * b, mat3 A, mat3 C, real *out) {
  if (!out) return;
  real *at = out + b->iv * t->nv + b->iv;
  m3_store_rows(A, at, t->nv);
  if (b->kind != JN_BODY_FREE) return;
  m3_store_rows(C, at + 3 * t->nv, t->nv); /* [A 0; C A] */
  m3_store_rows(A, at + 3 * t->nv + 3, t->nv);
}

static inline void clear_matrix(const JN_S(tree) * t, real *out, real diagonal) {
  for (int k = 0; k < t->nv * t->nv && out; k++) out[k] = k % (t->nv + 1) ? ZERO : diagonal;
}

static inline int is_on_group(const JN_S(body) * b) {
  return b->owner && (b->kind == JN_BODY_SPHERICAL || b->kind == JN_BODY_FREE);
}

/* dexp (inverse: its inverse) of the joint's tangent vector times sign, times scale. */
static inline void store_dexp(const JN_S(tree) * t, const JN_S(body) * b, const real *v, int inverse, real sign,
                              real scale, real *out) {
  mat3 J, Q = m3_zero();
  if (b->kind == JN_BODY_FREE) {
    twist X = t_scale(sign, t_load(v));
    if (inverse)
      se3_dexp_inverse(X, &J, &Q);
    else
      se3_dexp(X, &J, &Q);
  } else {
    vec3 w = v3_scale(sign, v3_load(v));
    J = inverse ? so3_dexp_inverse(w) : so3_dexp(w);
  }
  store_block(t, b, m3_scale(scale, J), m3_scale(scale, Q), out);
}

/* in: q, v. out: by q, Ad of exp(-v); by v, the right differential dexp(-v). */
void JN_(derivatives_plus)(const jn_call *c) {
  const jn_derivatives_plus_arguments *args = &c->derivatives_plus;
  const JN_S(tree) *t = c->tree;
  const real *v = args->v;
  clear_matrix(t, args->dout_dq, K(1));
  clear_matrix(t, args->dout_dv, K(1));
  for (int i = 0; i < t->nb; i++) {
    const JN_S(body) *b = &t->body[i];
    if (!is_on_group(b)) continue;
    vec3 w = v3_load(v + b->iv);
    pose T = {so3_exp(v3_neg(w)), v3_zero()};
    if (b->kind == JN_BODY_FREE) T = se3_exp(t_scale(K(-1), t_load(v + b->iv)));
    store_block(t, b, T.R, m3_prod(skew(T.p), T.R), args->dout_dq);
    store_dexp(t, b, v + b->iv, 0, K(-1), K(1), args->dout_dv);
  }
}

/* in: q0, q1. out: by q0, minus the inverse of the left differential; by q1, the inverse of the right one. */
void JN_(derivatives_minus)(const jn_call *c) {
  const jn_derivatives_minus_arguments *args = &c->derivatives_minus;
  const JN_S(tree) *t = c->tree;
  const real *q0 = args->q0, *q1 = args->q1;
  clear_matrix(t, args->dv_dq0, K(-1));
  clear_matrix(t, args->dv_dq1, K(1));
  for (int i = 0; i < t->nb; i++) {
    const JN_S(body) *b = &t->body[i];
    real v[6];
    if (!is_on_group(b)) continue;
    minus(b, q0 + b->iq, q1 + b->iq, v);
    store_dexp(t, b, v, 1, K(1), K(-1), args->dv_dq0);
    store_dexp(t, b, v, 1, K(-1), K(1), args->dv_dq1);
  }
}

void JN_(interpolate)(const jn_call *c) {
  const jn_interpolate_arguments *args = &c->interpolate;
  const JN_S(tree) *t = c->tree;
  const real *q0 = args->q0, *q1 = args->q1, *s = args->s;
  real *out = args->q_out;
  for (int i = 0; i < t->nb; i++) {
    const JN_S(body) *b = &t->body[i];
    real v[6];
    if (!b->owner) continue;
    minus(b, q0 + b->iq, q1 + b->iq, v);
    for (int k = 0; k < b->nv; k++) v[k] = s[0] * v[k];
    plus(b, q0 + b->iq, v, out + b->iq);
  }
}

void JN_(normalize)(const jn_call *c) {
  const jn_normalize_arguments *args = &c->normalize;
  const JN_S(tree) *t = c->tree;
  const real *q = args->q;
  real *out = args->q_out;
  for (int i = 0; i < t->nb; i++) {
    const JN_S(body) *b = &t->body[i];
    if (!b->owner) continue;
    int rotation = b->kind == JN_BODY_SPHERICAL ? 0 : b->kind == JN_BODY_FREE ? 3 : b->nq;
    for (int k = 0; k < rotation; k++) out[b->iq + k] = q[b->iq + k];
    if (rotation < b->nq) q_store(q_normalize(q_load(q + b->iq + rotation)), out + b->iq + rotation);
  }
}
