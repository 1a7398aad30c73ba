/* SPDX-License-Identifier: BSD-2-Clause */
/* Configurations as points of a manifold: integration, difference, interpolation, normalisation, and derivatives.
 *
 *   q (+) v      q + v                     for coordinates whose rates are the velocities
 *                r exp(w)                  for the quaternion r of a spherical joint, w in the body's frame
 *                (p, r) exp(v)             on SE(3), for a free joint, v a twist in the body's frame
 *   q1 (-) q0    the v with q0 (+) v = q1
 *   d(q (+) v)   Ad_(exp(-v)) dq + dexp(-v) dv                                  block by block along the diagonal
 *   d(q1 (-) q0) -dexp(v)^-1 dq0 + dexp(-v)^-1 dq1,  v = q1 (-) q0 */
#include "../../tree/joint.h"
#include "variant.h"

/* q (+) v of a rotation, renormalised so that rounding does not pile up over many steps. */
static inline quat rotate(quat r, vec3 w) { return q_normalize(q_mul(r, q_exp(w))); }

/* q (+) v of one joint; arrays begin at its coordinates. */
static inline void plus(const JN_S(body) * body, const real *q, const real *v, real *out) {
  if (body->kind == JN_BODY_SPHERICAL) {
    q_store(rotate(q_load(q), v3_load(v)), out);
  } else if (body->kind == JN_BODY_FREE) {
    quat r = q_load(q + 3);
    pose step = se3_exp(t_load(v));
    v3_store(v3_add(v3_load(q), m3_mul(q_rotation(r), step.p)), out);
    q_store(rotate(r, v3_load(v)), out + 3);
  } else {
    for (int k = 0; k < body->nv; k++) out[k] = q[k] + v[k];
  }
}

/* a^-1 b of two quaternions, which need not be normalised. */
static inline quat rotation_between(quat a, quat b) { return q_mul(q_conjugate(q_normalize(a)), q_normalize(b)); }

/* v = q1 (-) q0 of one joint. */
static inline void minus(const JN_S(body) * body, const real *q0, const real *q1, real *v) {
  if (body->kind == JN_BODY_SPHERICAL) {
    v3_store(q_log(rotation_between(q_load(q0), q_load(q1))), v);
  } else if (body->kind == JN_BODY_FREE) {
    quat r0 = q_load(q0 + 3);
    vec3 p = m3_tmul(q_rotation(r0), v3_sub(v3_load(q1), v3_load(q0)));
    t_store(se3_log_of(rotation_between(r0, q_load(q1 + 3)), p), v);
  } else {
    for (int k = 0; k < body->nv; k++) v[k] = q1[k] - q0[k];
  }
}

/* in: q, v. out: q (+) v. */
void JN_(integrate)(const jn_call *call) {
  const jn_integrate_arguments *args = &call->integrate;
  const JN_S(tree) *tree = call->tree;
  const real *q = args->q, *v = args->v;
  real *out = args->q_out;
  for (int i = 0; i < tree->nb; i++) {
    const JN_S(body) *body = &tree->body[i];
    if (body->owner) plus(body, q + body->iq, v + body->iv, out + body->iq);
  }
}

/* in: q0, q1. out: q1 (-) q0. */
void JN_(difference)(const jn_call *call) {
  const jn_difference_arguments *args = &call->difference;
  const JN_S(tree) *tree = call->tree;
  const real *q0 = args->q0, *q1 = args->q1;
  real *v = args->v;
  for (int i = 0; i < tree->nb; i++) {
    const JN_S(body) *body = &tree->body[i];
    if (body->owner) minus(body, q0 + body->iq, q1 + body->iq, v + body->iv);
  }
}

/* ---- derivatives: block by block along the diagonal ---- */

/* Writes the block [A 0; C A] of a free joint, or A of a spherical one, into the matrix [nv x nv]; NULL: not wanted. */
static inline void store_block(const JN_S(tree) * tree, const JN_S(body) * body, mat3 A, mat3 C, real *out) {
  if (!out) return;
  real *at = out + body->iv * tree->nv + body->iv;
  m3_store_rows(A, at, tree->nv);
  if (body->kind != JN_BODY_FREE) return;
  m3_store_rows(C, at + 3 * tree->nv, tree->nv); /* [A 0; C A] */
  m3_store_rows(A, at + 3 * tree->nv + 3, tree->nv);
}

/* The identity times `diagonal`; NULL: not wanted. */
static inline void clear_matrix(const JN_S(tree) * tree, real *out, real diagonal) {
  for (int k = 0; k < tree->nv * tree->nv && out; k++) out[k] = k % (tree->nv + 1) ? ZERO : diagonal;
}

/* Whether a joint owns coordinates that are not additive. */
static inline int is_on_group(const JN_S(body) * body) {
  return body->owner && (body->kind == JN_BODY_SPHERICAL || body->kind == JN_BODY_FREE);
}

/* scale * dexp(sign v), or with its inverse, of one joint. */
static inline void store_dexp(const JN_S(tree) * tree, const JN_S(body) * body, const real *v, int inverse, real sign,
                              real scale, real *out) {
  mat3 J, Q = m3_zero();
  if (body->kind == JN_BODY_FREE) {
    twist X = t_scale(sign, t_load(v));
    if (inverse)
      se3_dexp_inverse(X, &J, &Q);
    else
      se3_dexp(X, &J, &Q);
  } else {
    vec3 w = v3_scale(sign, v3_load(v));
    J = inverse ? so3_dexp_inverse(w) : so3_dexp(w);
  }
  store_block(tree, body, m3_scale(scale, J), m3_scale(scale, Q), out);
}

/* in: q, v. out: derivatives of q (+) v with respect to q, Ad_(exp(-v)), and to v, dexp(-v). */
void JN_(derivatives_plus)(const jn_call *call) {
  const jn_derivatives_plus_arguments *args = &call->derivatives_plus;
  const JN_S(tree) *tree = call->tree;
  const real *v = args->v;
  clear_matrix(tree, args->dout_dq, K(1));
  clear_matrix(tree, args->dout_dv, K(1));
  for (int i = 0; i < tree->nb; i++) {
    const JN_S(body) *body = &tree->body[i];
    if (!is_on_group(body)) continue;
    vec3 w = v3_load(v + body->iv);
    pose T = {so3_exp(v3_neg(w)), v3_zero()};
    if (body->kind == JN_BODY_FREE) T = se3_exp(t_scale(K(-1), t_load(v + body->iv)));
    store_block(tree, body, T.R, m3_prod(skew(T.p), T.R), args->dout_dq);
    store_dexp(tree, body, v + body->iv, 0, K(-1), K(1), args->dout_dv);
  }
}

/* in: q0, q1. out: derivatives of q1 (-) q0 with respect to q0, -dexp(v)^-1, and to q1, dexp(-v)^-1. */
void JN_(derivatives_minus)(const jn_call *call) {
  const jn_derivatives_minus_arguments *args = &call->derivatives_minus;
  const JN_S(tree) *tree = call->tree;
  const real *q0 = args->q0, *q1 = args->q1;
  clear_matrix(tree, args->dv_dq0, K(-1));
  clear_matrix(tree, args->dv_dq1, K(1));
  for (int i = 0; i < tree->nb; i++) {
    const JN_S(body) *body = &tree->body[i];
    real v[6];
    if (!is_on_group(body)) continue;
    minus(body, q0 + body->iq, q1 + body->iq, v);
    store_dexp(tree, body, v, 1, K(1), K(-1), args->dv_dq0);
    store_dexp(tree, body, v, 1, K(-1), K(1), args->dv_dq1);
  }
}

/* in: q0, q1, s. out: q0 (+) s (q1 (-) q0). */
void JN_(interpolate)(const jn_call *call) {
  const jn_interpolate_arguments *args = &call->interpolate;
  const JN_S(tree) *tree = call->tree;
  const real *q0 = args->q0, *q1 = args->q1, *s = args->s;
  real *out = args->q_out;
  for (int i = 0; i < tree->nb; i++) {
    const JN_S(body) *body = &tree->body[i];
    real v[6];
    if (!body->owner) continue;
    minus(body, q0 + body->iq, q1 + body->iq, v);
    for (int k = 0; k < body->nv; k++) v[k] = s[0] * v[k];
    plus(body, q0 + body->iq, v, out + body->iq);
  }
}

/* in: q. out: q with unit quaternions. */
void JN_(normalize)(const jn_call *call) {
  const jn_normalize_arguments *args = &call->normalize;
  const JN_S(tree) *tree = call->tree;
  const real *q = args->q;
  real *out = args->q_out;
  for (int i = 0; i < tree->nb; i++) {
    const JN_S(body) *body = &tree->body[i];
    if (!body->owner) continue;
    int rotation = body->kind == JN_BODY_SPHERICAL ? 0 : body->kind == JN_BODY_FREE ? 3 : body->nq;

    /* Positions as they are, then the quaternion. */
    for (int k = 0; k < rotation; k++) out[body->iq + k] = q[body->iq + k];
    if (rotation < body->nq) q_store(q_normalize(q_load(q + body->iq + rotation)), out + body->iq + rotation);
  }
}
