/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions of jounce/lie.h: the inline algebra of src/lie between arrays. Matrices are row-major; twists and
 * wrenches have their angular part first. dexp is the left differential, dexp(-X) the right one. */
#include "call.h"
#include "variant.h"

#include "../../lie/motion.h"

#define IN(i) ((const real *)(i == 0 ? call->lie.a : call->lie.b))
#define OUT ((real *)call->lie.out)

/* [A 0; C B] as a 6 x 6 matrix, row-major. */
static inline void store_lower(mat3 A, mat3 C, mat3 B, real *out) {
  m3_store_rows(A, out, 6);
  m3_store_rows(m3_zero(), out + 3, 6);
  m3_store_rows(C, out + 18, 6);
  m3_store_rows(B, out + 21, 6);
}

static inline twist negative(twist X) { return t_scale(K(-1), X); }

void JN_(so3_exp)(const jn_call *call) { m3_store_rows(so3_exp(v3_load(IN(0))), OUT, 3); }
void JN_(so3_log)(const jn_call *call) { v3_store(so3_log(m3_load_rows(IN(0), 3)), OUT); }
void JN_(so3_dexp_left)(const jn_call *call) { m3_store_rows(so3_dexp(v3_load(IN(0))), OUT, 3); }
void JN_(so3_dexp_right)(const jn_call *call) { m3_store_rows(so3_dexp(v3_neg(v3_load(IN(0)))), OUT, 3); }
void JN_(so3_dexp_left_inverse)(const jn_call *call) { m3_store_rows(so3_dexp_inverse(v3_load(IN(0))), OUT, 3); }
void JN_(so3_dexp_right_inverse)(const jn_call *call) {
  m3_store_rows(so3_dexp_inverse(v3_neg(v3_load(IN(0)))), OUT, 3);
}

void JN_(se3_exp)(const jn_call *call) { se3_store(se3_exp(t_load(IN(0))), OUT); }
void JN_(se3_log)(const jn_call *call) { t_store(se3_log(se3_load(IN(0))), OUT); }

void JN_(se3_dexp_left)(const jn_call *call) {
  mat3 J, Q;
  se3_dexp(t_load(IN(0)), &J, &Q);
  store_lower(J, Q, J, OUT);
}
void JN_(se3_dexp_right)(const jn_call *call) {
  mat3 J, Q;
  se3_dexp(negative(t_load(IN(0))), &J, &Q);
  store_lower(J, Q, J, OUT);
}
void JN_(se3_dexp_left_inverse)(const jn_call *call) {
  mat3 J, Q;
  se3_dexp_inverse(t_load(IN(0)), &J, &Q);
  store_lower(J, Q, J, OUT);
}
void JN_(se3_dexp_right_inverse)(const jn_call *call) {
  mat3 J, Q;
  se3_dexp_inverse(negative(t_load(IN(0))), &J, &Q);
  store_lower(J, Q, J, OUT);
}

void JN_(se3_multiply)(const jn_call *call) { se3_store(se3_mul(se3_load(IN(0)), se3_load(IN(1))), OUT); }
void JN_(se3_inverse)(const jn_call *call) { se3_store(se3_inverse(se3_load(IN(0))), OUT); }

/* Ad_T = [R 0; [p]R R] */
void JN_(adjoint_matrix)(const jn_call *call) {
  pose T = se3_load(IN(0));
  store_lower(T.R, m3_prod(skew(T.p), T.R), T.R, OUT);
}
/* ad_V = [[w] 0; [v] [w]] */
void JN_(bracket_matrix)(const jn_call *call) {
  twist V = t_load(IN(0));
  store_lower(skew(V.w), skew(V.v), skew(V.w), OUT);
}
void JN_(twist_transform)(const jn_call *call) { t_store(t_Ad(se3_load(IN(0)), t_load(IN(1))), OUT); }
void JN_(wrench_transform)(const jn_call *call) { w_store(w_Ad(se3_load(IN(0)), w_load(IN(1))), OUT); }
void JN_(twist_bracket)(const jn_call *call) { t_store(t_ad(t_load(IN(0)), t_load(IN(1))), OUT); }
void JN_(wrench_bracket)(const jn_call *call) { w_store(w_ad(t_load(IN(0)), w_load(IN(1))), OUT); }

/* [J, [h]; -[h], m E] */
void JN_(inertia_matrix)(const jn_call *call) {
  inertia I = i_load(IN(0));
  mat3 h = skew(I.h);
  m3_store_rows(s3_full(I.J), OUT, 6);
  m3_store_rows(h, OUT + 3, 6);
  m3_store_rows(m3_transpose(h), OUT + 18, 6);
  m3_store_rows(m3_scale(I.m, m3_identity()), OUT + 21, 6);
}
void JN_(inertia_multiply)(const jn_call *call) { w_store(i_mul(i_load(IN(0)), t_load(IN(1))), OUT); }
void JN_(inertia_transform)(const jn_call *call) { i_store(i_move(se3_load(IN(0)), i_load(IN(1))), OUT); }

void JN_(quaternion_to_rotation)(const jn_call *call) { m3_store_rows(q_rotation(q_load(IN(0))), OUT, 3); }
void JN_(rotation_to_quaternion)(const jn_call *call) { q_store(q_from_rotation(m3_load_rows(IN(0), 3)), OUT); }
void JN_(quaternion_multiply)(const jn_call *call) { q_store(q_mul(q_load(IN(0)), q_load(IN(1))), OUT); }
void JN_(rpy_to_rotation)(const jn_call *call) { m3_store_rows(so3_from_rpy(v3_load(IN(0))), OUT, 3); }
void JN_(rotation_to_rpy)(const jn_call *call) { v3_store(so3_to_rpy(m3_load_rows(IN(0), 3)), OUT); }

void JN_(axis_angle_to_rotation)(const jn_call *call) {
  m3_store_rows(so3_exp(v3_scale(IN(0)[3], v3_load(IN(0)))), OUT, 3);
}
/* Unit axis and angle; the axis is x where the angle is zero. */
void JN_(rotation_to_axis_angle)(const jn_call *call) {
  vec3 w = so3_log(m3_load_rows(IN(0), 3));
  real most = r_max(r_abs(w.x), r_max(r_abs(w.y), r_abs(w.z)));
  mask some = less(ZERO, most);

  /* Scaled by the largest component, so that the squares of a tiny angle do not vanish. */
  vec3 u = v3_scale(K(1) / choose(some, most, K(1)), w);
  real n = r_sqrt(dot(u, u)), s = K(1) / choose(some, n, K(1));
  v3_store(v3(choose(some, s * u.x, K(1)), s * u.y, s * u.z), OUT);
  OUT[3] = choose(some, most * n, most);
}
