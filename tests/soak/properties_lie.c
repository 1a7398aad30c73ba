/* SPDX-License-Identifier: BSD-2-Clause */
/* Properties of jounce/lie.h: series in long double, products that must be one, there and back; in double and float. */
#include <float.h>

#include "kernel/base/call.h"
#include "newton.h"

/* All functions by number, over double and float. */
#define LIE_ENUM(name, n1, n2, m) L_##name,
enum { JN_LIE_LIST(LIE_ENUM) LIE };
#define LIE_0(name, n1, m)                                              \
  static void d_##name(const double *a, const double *b, double *out) { \
    (void)b;                                                            \
    check_ok(jn_##name(a, out));                                        \
  }                                                                     \
  static void f_##name(const float *a, const float *b, float *out) {    \
    (void)b;                                                            \
    check_ok(jnf_##name(a, out));                                       \
  }
#define LIE_2(name, n1, m)                                                                                \
  static void d_##name(const double *a, const double *b, double *out) { check_ok(jn_##name(a, b, out)); } \
  static void f_##name(const float *a, const float *b, float *out) { check_ok(jnf_##name(a, b, out)); }
#define LIE_4 LIE_2
#define LIE_6 LIE_2
#define LIE_10 LIE_2
#define LIE_16 LIE_2
#define LIE_CALL(name, n1, n2, m) LIE_##n2(name, n1, m)
JN_LIE_LIST(LIE_CALL)
static const struct {
  void (*d)(const double *a, const double *b, double *out);
  void (*f)(const float *a, const float *b, float *out);
  int n1, n2, m;
} lie[LIE] = {
#define LIE_ROW(name, n1, n2, m) {d_##name, f_##name, n1, n2, m},
    JN_LIE_LIST(LIE_ROW)};

static double eps(int single) { return single ? FLT_EPSILON : jn_variant_epsilon(); }
/* pi, as exactly as the kind has it. */
static number half_turn(int single) { return 3.14159265358979323846L * (1 + 4 * (number)eps(single)); }
static number rounded(number x, int single) { return single ? (number)(float)x : (number)(double)x; }

/* Arguments are rounded to the kind first, in place. */
static void run(int f, int single, number *a, number *b, number *out) {
  double d[3][36];
  float s[3][36];
  for (int i = 0; i < lie[f].n1; i++) a[i] = rounded(a[i], single), d[0][i] = (double)a[i], s[0][i] = (float)a[i];
  for (int i = 0; i < lie[f].n2; i++) b[i] = rounded(b[i], single), d[1][i] = (double)b[i], s[1][i] = (float)b[i];
  if (single)
    lie[f].f(s[0], s[1], s[2]);
  else
    lie[f].d(d[0], d[1], d[2]);
  for (int i = 0; i < lie[f].m; i++) out[i] = single ? (number)s[2][i] : (number)d[2][i];
}

static double apart(const number *a, const number *b, int n, double size, int single) {
  double most = 0;
  for (int i = 0; i < n; i++) {
    double e = (double)fabsl(a[i] - b[i]);
    most = fmax(most, isnan(e) ? INFINITY : e);
  }
  return most / (fmax(size, largest(b, (size_t)n)) * eps(single));
}

/* Sums of X^k / (k + shift)!: exp for shift 0, its differential for shift 1. */
static void series(const number *X, int n, int shift, number *out) {
  number term[36], next[36], factorial = 1;
  for (int i = 0; i < n * n; i++) out[i] = term[i] = i % (n + 1) == 0;
  for (int k = 1; k < 90; k++) {
    times(term, X, next, n, n, n);
    factorial = k + shift;
    for (int i = 0; i < n * n; i++) term[i] = next[i] / factorial;
    for (int i = 0; i < n * n; i++) out[i] += term[i];
  }
}

static void skew3(const number w[3], number W[9]) {
  const number all[9] = {0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0};
  memcpy(W, all, sizeof all);
}

static void skew4(const number X[6], number out[16]) {
  number W[9];
  skew3(X, W);
  for (int i = 0; i < 16; i++) out[i] = 0;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) out[4 * i + j] = W[3 * i + j];
    out[4 * i + 3] = X[3 + i];
  }
}

/* A rotation vector: from angles that vanish to those near a half turn, below one and a half turns. */
static void rotation_vector(uint64_t *s, number w[3]) {
  double n = 0, c[3], angle = 4.5 * (1 + uniform(s));
  double kind = uniform(s);
  if (kind > 0.7) angle = pow(10, 8 * uniform(s) - 8);
  if (kind < -0.7) angle = 3.141592653589793 + pow(10, 7 * uniform(s) - 8) * (uniform(s) > 0 ? 1 : -1);
  fill(s, c, 3, 1);
  for (int i = 0; i < 3; i++) n += c[i] * c[i];
  for (int i = 0; i < 3; i++) w[i] = angle * c[i] / sqrt(n);
}

static void twist(uint64_t *s, number X[6]) {
  rotation_vector(s, X);
  double scale = pow(10, uniform(s));
  for (int i = 0; i < 3; i++) X[3 + i] = scale * uniform(s);
}

static void any(uint64_t *s, number *x, int n) {
  for (int i = 0; i < n; i++) x[i] = 2 * uniform(s);
}

static void pose(uint64_t *s, number T[16]) {
  number X[6], A[16];
  twist(s, X);
  skew4(X, A);
  series(A, 4, 0, T);
}

static void turn_of(const number T[16], number R[9]) {
  for (int i = 0; i < 9; i++) R[i] = T[4 * (i / 3) + i % 3];
}

static double so3_exp(uint64_t *s, int single) {
  number w[3], W[9], R[9], out[9];
  rotation_vector(s, w);
  run(L_so3_exp, single, w, NULL, out);
  skew3(w, W);
  series(W, 3, 0, R);
  return apart(out, R, 9, fmax(1, largest(w, 3)), single);
}

static double so3_log(uint64_t *s, int single) {
  number T[16], R[9], w[3], W[9], back[9];
  pose(s, T);
  turn_of(T, R);
  run(L_so3_log, single, R, NULL, w);
  if (sqrtl(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) > half_turn(single)) return INFINITY;
  skew3(w, W);
  series(W, 3, 0, back);
  return apart(back, R, 9, 3, single);
}

static double so3_dexp(uint64_t *s, int single, int f, int inverse, int sign) {
  number w[3], W[9], L[9], out[9], one[9], product[9];
  rotation_vector(s, w);
  run(f, single, w, NULL, out);
  skew3(w, W);
  for (int i = 0; i < 9; i++) W[i] *= sign, one[i] = i % 4 == 0;
  series(W, 3, 1, L);
  if (!inverse) return apart(out, L, 9, fmax(1, largest(w, 3)), single);
  double size = largest(L, 9) * largest(out, 9);
  times(L, out, product, 3, 3, 3);
  return apart(product, one, 9, fmax(1, size * size), single);
}
static double dexp_left(uint64_t *s, int single) { return so3_dexp(s, single, L_so3_dexp_left, 0, 1); }
static double dexp_right(uint64_t *s, int single) { return so3_dexp(s, single, L_so3_dexp_right, 0, -1); }
static double dexp_left_inverse(uint64_t *s, int single) { return so3_dexp(s, single, L_so3_dexp_left_inverse, 1, 1); }
static double dexp_right_inverse(uint64_t *s, int single) {
  return so3_dexp(s, single, L_so3_dexp_right_inverse, 1, -1);
}

static double se3_exp(uint64_t *s, int single) {
  number X[6], A[16], T[16], out[16];
  twist(s, X);
  run(L_se3_exp, single, X, NULL, out);
  skew4(X, A);
  series(A, 4, 0, T);
  return apart(out, T, 16, fmax(1, largest(X, 6)) * fmax(1, largest(X, 3)), single);
}

static double se3_log(uint64_t *s, int single) {
  number T[16], X[6], A[16], back[16];
  pose(s, T);
  run(L_se3_log, single, T, NULL, X);
  skew4(X, A);
  series(A, 4, 0, back);
  return apart(back, T, 16, 4 * fmax(1, largest(X, 6)), single);
}

static double se3_dexp(uint64_t *s, int single, int f, int inverse, int sign) {
  number X[6], A[36], L[36], out[36], one[36], product[36];
  twist(s, X);
  run(f, single, X, NULL, out);
  bracket_of(X, A);
  for (int i = 0; i < 36; i++) A[i] *= sign, one[i] = i % 7 == 0;
  series(A, 6, 1, L);
  if (!inverse) return apart(out, L, 36, fmax(1, largest(X, 6)) * fmax(1, largest(X, 3)), single);
  double size = largest(L, 36) * largest(out, 36);
  times(L, out, product, 6, 6, 6);
  return apart(product, one, 36, fmax(1, size * size), single);
}
static double se3_dexp_left(uint64_t *s, int single) { return se3_dexp(s, single, L_se3_dexp_left, 0, 1); }
static double se3_dexp_right(uint64_t *s, int single) { return se3_dexp(s, single, L_se3_dexp_right, 0, -1); }
static double se3_dexp_left_inverse(uint64_t *s, int single) {
  return se3_dexp(s, single, L_se3_dexp_left_inverse, 1, 1);
}
static double se3_dexp_right_inverse(uint64_t *s, int single) {
  return se3_dexp(s, single, L_se3_dexp_right_inverse, 1, -1);
}

static double multiply(uint64_t *s, int single) {
  number A[16], B[16], C[16], out[16];
  pose(s, A), pose(s, B);
  run(L_se3_multiply, single, A, B, out);
  times(A, B, C, 4, 4, 4);
  return apart(out, C, 16, 1, single);
}

static double inverse(uint64_t *s, int single) {
  number A[16], B[16], out[16];
  pose(s, A);
  run(L_se3_inverse, single, A, NULL, out);
  inverse_pose(A, B);
  return apart(out, B, 16, largest(A, 16), single);
}

/* Functions that are products with the 6 x 6 matrices; f < 0: the matrices themselves. */
static double sixes(uint64_t *s, int single, int f) {
  number T[16], V[6], F[6], P[10], M[36], out[36], e[36], Ti[16], left[36], G[36];
  double parameters[10];
  pose(s, T), any(s, V, 6), any(s, F, 6), any(s, P, 10);
  number *a = lie[f].n1 == 16 ? T : lie[f].n1 == 6 ? V : P;
  number *b = lie[f].n2 == 10 ? P : F;
  run(f, single, a, b, out);
  for (int i = 0; i < 10; i++) parameters[i] = (double)P[i];
  adjoint_of(T, M);
  if (f == L_bracket_matrix || f == L_twist_bracket || f == L_wrench_bracket) bracket_of(V, M);
  if (f == L_inertia_matrix || f == L_inertia_multiply) inertia_of(parameters, M);
  if (lie[f].m == 36) return apart(out, M, 36, 1, single);
  if (f == L_inertia_transform) { /* Ad_{T^-1}^T I Ad_{T^-1}, of which ten numbers count */
    inverse_pose(T, Ti);
    adjoint_of(Ti, M);
    inertia_of(parameters, G);
    transposed_times(M, G, left, 6, 6, 6);
    times(left, M, e, 6, 6, 6);
    const number ten[10] = {e[21], e[16], e[5], e[9], e[0], e[7], e[14], e[1], e[2], e[8]};
    double size = largest(T, 16);
    return apart(out, ten, 10, 4 * size * size, single);
  }
  if (f == L_wrench_transform || f == L_wrench_bracket)
    transposed_times(M, F, e, 6, 6, 1);
  else
    times(M, F, e, 6, 6, 1);
  return apart(out, e, 6, largest(M, 36) * 2, single);
}
#define SIXES(name) \
  static double name(uint64_t *s, int single) { return sixes(s, single, L_##name); }
SIXES(adjoint_matrix)
SIXES(bracket_matrix)
SIXES(twist_transform)
SIXES(wrench_transform)
SIXES(twist_bracket)
SIXES(wrench_bracket)
SIXES(inertia_matrix)
SIXES(inertia_multiply)
SIXES(inertia_transform)

/* Rotation of a quaternion by its definition: x -> Q x Q^-1. */
static void by_definition(const number Q[4], number R[9]) {
  number x = Q[0], y = Q[1], z = Q[2], w = Q[3], n = x * x + y * y + z * z + w * w;
  const number all[9] = {w * w + x * x - y * y - z * z, 2 * (x * y - w * z),           2 * (x * z + w * y),
                         2 * (x * y + w * z),           w * w - x * x + y * y - z * z, 2 * (y * z - w * x),
                         2 * (x * z - w * y),           2 * (y * z + w * x),           w * w - x * x - y * y + z * z};
  for (int i = 0; i < 9; i++) R[i] = all[i] / n;
}

static double quaternion_to_rotation(uint64_t *s, int single) {
  number Q[4], R[9], out[9];
  any(s, Q, 4);
  run(L_quaternion_to_rotation, single, Q, NULL, out);
  by_definition(Q, R);
  return apart(out, R, 9, 1, single);
}

static double rotation_to_quaternion(uint64_t *s, int single) {
  number T[16], R[9], Q[4], back[9];
  pose(s, T);
  turn_of(T, R);
  run(L_rotation_to_quaternion, single, R, NULL, Q);
  by_definition(Q, back);
  return Q[3] < 0 ? INFINITY : apart(back, R, 9, 1, single);
}

static double quaternion_multiply(uint64_t *s, int single) {
  number A[4], B[4], C[4], RA[9], RB[9], R[9], back[9];
  any(s, A, 4), any(s, B, 4);
  run(L_quaternion_multiply, single, A, B, C);
  by_definition(A, RA), by_definition(B, RB), by_definition(C, back);
  times(RA, RB, R, 3, 3, 3);
  return apart(back, R, 9, 1, single);
}

static void about(int axis, number angle, number R[9]) {
  int j = (axis + 1) % 3, k = (axis + 2) % 3;
  for (int i = 0; i < 9; i++) R[i] = 0;
  R[4 * axis] = 1;
  R[4 * j] = R[4 * k] = cosl(angle);
  R[3 * k + j] = sinl(angle), R[3 * j + k] = -sinl(angle);
}

static void roll_pitch_yaw(const number rpy[3], number R[9]) {
  number X[9], Y[9], Z[9], ZY[9];
  about(0, rpy[0], X), about(1, rpy[1], Y), about(2, rpy[2], Z);
  times(Z, Y, ZY, 3, 3, 3);
  times(ZY, X, R, 3, 3, 3);
}

static double rpy_to_rotation(uint64_t *s, int single) {
  number rpy[3], R[9], out[9];
  for (int i = 0; i < 3; i++) rpy[i] = 3.2 * uniform(s);
  run(L_rpy_to_rotation, single, rpy, NULL, out);
  roll_pitch_yaw(rpy, R);
  return apart(out, R, 9, 3, single);
}

static double rotation_to_rpy(uint64_t *s, int single) {
  number T[16], R[9], rpy[3], back[9];
  pose(s, T);
  turn_of(T, R);
  run(L_rotation_to_rpy, single, R, NULL, rpy);
  roll_pitch_yaw(rpy, back);
  return fabsl(rpy[1]) > half_turn(single) / 2 ? INFINITY : apart(back, R, 9, 3, single);
}

static void from_axis_angle(const number a[4], number R[9]) {
  number W[9], w[3] = {a[0] * a[3], a[1] * a[3], a[2] * a[3]};
  skew3(w, W);
  series(W, 3, 0, R);
}

static double axis_angle_to_rotation(uint64_t *s, int single) {
  number a[4], R[9], out[9], w[3];
  rotation_vector(s, w);
  number n = sqrtl(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
  for (int i = 0; i < 3; i++) a[i] = w[i] / n;
  a[3] = n;
  run(L_axis_angle_to_rotation, single, a, NULL, out);
  from_axis_angle(a, R);
  return apart(out, R, 9, fmax(1, (double)n), single);
}

static double rotation_to_axis_angle(uint64_t *s, int single) {
  number T[16], R[9], a[4], back[9];
  pose(s, T);
  turn_of(T, R);
  run(L_rotation_to_axis_angle, single, R, NULL, a);
  from_axis_angle(a, back);
  number unit = fabsl(a[0] * a[0] + a[1] * a[1] + a[2] * a[2] - 1);
  if (a[3] < 0 || a[3] > half_turn(single) || unit > 8 * eps(single)) return INFINITY;
  return apart(back, R, 9, 3, single);
}

/* clang-format off */
#define BACK "there and back is the same rotation"
const lie_property properties_lie[] = {
    {"so3_exp", "the series of the exponential", so3_exp},
    {"so3_log", "its exponential is the rotation, its length at most pi", so3_log},
    {"so3_dexp_left", "the series of the differential", dexp_left},
    {"so3_dexp_right", "the series of the differential", dexp_right},
    {"so3_dexp_left_inverse", "times the series of the differential it is one", dexp_left_inverse},
    {"so3_dexp_right_inverse", "times the series of the differential it is one", dexp_right_inverse},
    {"se3_exp", "the series of the exponential", se3_exp},
    {"se3_log", "its exponential is the pose", se3_log},
    {"se3_dexp_left", "the series of the differential", se3_dexp_left},
    {"se3_dexp_right", "the series of the differential", se3_dexp_right},
    {"se3_dexp_left_inverse", "times the series of the differential it is one", se3_dexp_left_inverse},
    {"se3_dexp_right_inverse", "times the series of the differential it is one", se3_dexp_right_inverse},
    {"se3_multiply", "the product of the matrices", multiply},
    {"se3_inverse", "R^T and -R^T p", inverse},
    {"adjoint_matrix", "its definition in blocks", adjoint_matrix},
    {"bracket_matrix", "its definition in blocks", bracket_matrix},
    {"twist_transform", "the matrix of the adjoint times the twist", twist_transform},
    {"wrench_transform", "the transposed matrix of the adjoint times the wrench", wrench_transform},
    {"twist_bracket", "the matrix of the bracket times the twist", twist_bracket},
    {"wrench_bracket", "the transposed matrix of the bracket times the wrench", wrench_bracket},
    {"inertia_matrix", "its definition in blocks", inertia_matrix},
    {"inertia_multiply", "the matrix of the inertia times the twist", inertia_multiply},
    {"inertia_transform", "the matrix of the inertia between adjoints", inertia_transform},
    {"quaternion_to_rotation", "vectors turned by the quaternion", quaternion_to_rotation},
    {"rotation_to_quaternion", BACK, rotation_to_quaternion},
    {"quaternion_multiply", "the product of the rotations", quaternion_multiply},
    {"rpy_to_rotation", "the product of three turns", rpy_to_rotation},
    {"rotation_to_rpy", BACK, rotation_to_rpy},
    {"axis_angle_to_rotation", "the series of the exponential", axis_angle_to_rotation},
    {"rotation_to_axis_angle", BACK, rotation_to_axis_angle},
};
/* clang-format on */
const int property_lie_count = sizeof properties_lie / sizeof *properties_lie;
