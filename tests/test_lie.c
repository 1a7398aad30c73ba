/* SPDX-License-Identifier: BSD-2-Clause */
/* The Lie group functions by their properties. */
#include <stdalign.h>

#include "testing.h"

#include "dispatch/dispatch.h"

static const double pi = 3.14159265358979323846;

static void multiply(const double *A, const double *B, double *C, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      C[n * i + j] = 0;
      for (int k = 0; k < n; k++) C[n * i + j] += A[n * i + k] * B[n * k + j];
    }
}

static void apply(const double *A, const double *x, double *y, int n) {
  for (int i = 0; i < n; i++) {
    y[i] = 0;
    for (int k = 0; k < n; k++) y[i] += A[n * i + k] * x[k];
  }
}

static void apply_transposed(const double *A, const double *x, double *y, int n) {
  for (int i = 0; i < n; i++) {
    y[i] = 0;
    for (int k = 0; k < n; k++) y[i] += A[n * k + i] * x[k];
  }
}

static void identity(double *A, int n) {
  for (int i = 0; i < n * n; i++) A[i] = i % (n + 1) == 0;
}

static double dot_of(const double *a, const double *b, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += a[i] * b[i];
  return s;
}

static void random_pose(uint64_t *s, double T[16]) {
  double X[6];
  fill(s, X, 6, 2);
  check_ok(jn_se3_exp(X, T));
}

/* A unit vector and an angle of interest: zero, tiny, small, either side of the switch of series, large, near pi. */
static const double angles[] = {0,    1e-300, 1e-160, 1e-30, 1e-12, 1e-9,       1e-8,        1e-5,          1e-3,
                                1e-2, 0.1,    0.5,    0.9,   0.999, 1.0,        1.001,       1.5,           2,
                                2.5,  3,      3.1,    3.14,  3.141, 3.14159265, 3.141592653, 3.141592653589};
enum { ANGLES = sizeof angles / sizeof *angles };

static void random_axis(uint64_t *s, double e[3]) {
  double n;
  do {
    fill(s, e, 3, 1);
    n = sqrt(dot_of(e, e, 3));
  } while (n < 0.1);
  for (int k = 0; k < 3; k++) e[k] /= n;
}

static void group_laws_hold_for_poses(void **state) {
  (void)state;
  uint64_t s = seed("group properties");
  for (int i = 0; i < 500; i++) {
    double A[16], B[16], C[16], AB[16], BC[16], one[16], two[16], E[16];
    random_pose(&s, A);
    random_pose(&s, B);
    random_pose(&s, C);
    check_ok(jn_se3_multiply(A, B, AB));
    check_ok(jn_se3_multiply(B, C, BC));
    check_ok(jn_se3_multiply(AB, C, one));
    check_ok(jn_se3_multiply(A, BC, two));
    check_close(one, two, 16, 1, 32, "associativity (AB)C = A(BC)");
    multiply(A, B, one, 4);
    check_close(AB, one, 16, 1, 8, "product of poses is the product of matrices");
    check_ok(jn_se3_inverse(A, two));
    check_ok(jn_se3_multiply(A, two, one));
    identity(E, 4);
    check_close(one, E, 16, 1, 32, "A A^-1 = E");
  }
}

static void adjoint_is_a_homomorphism(void **state) {
  (void)state;
  uint64_t s = seed("Ad");
  for (int i = 0; i < 500; i++) {
    double A[16], B[16], AB[16], a[36], b[36], ab[36], prod[36], V[6], one[6], two[6];
    random_pose(&s, A);
    random_pose(&s, B);
    fill(&s, V, 6, 3);
    check_ok(jn_se3_multiply(A, B, AB));
    check_ok(jn_adjoint_matrix(A, a));
    check_ok(jn_adjoint_matrix(B, b));
    check_ok(jn_adjoint_matrix(AB, ab));
    multiply(a, b, prod, 6);
    check_close(ab, prod, 36, 1, 64, "Ad_AB = Ad_A Ad_B");
    check_ok(jn_twist_transform(A, V, one));
    apply(a, V, two, 6);
    check_close(one, two, 6, 1, 16, "Ad_A V");
    check_ok(jn_wrench_transform(A, V, one));
    apply_transposed(a, V, two, 6);
    check_close(one, two, 6, 1, 16, "Ad*_A F is the transpose");
  }
}

static void power_is_the_same_in_every_frame(void **state) {
  (void)state;
  uint64_t s = seed("duality");
  for (int i = 0; i < 500; i++) {
    double T[16], Vb[6], Fa[6], Va[6], Fb[6];
    random_pose(&s, T);
    fill(&s, Vb, 6, 2);
    fill(&s, Fa, 6, 2);
    check_ok(jn_twist_transform(T, Vb, Va));
    check_ok(jn_wrench_transform(T, Fa, Fb));
    double a = dot_of(Fa, Va, 6), b = dot_of(Fb, Vb, 6);
    check_close(&a, &b, 1, 50, 16, "F_a.V_a = F_b.V_b");
  }
}

static void bracket_is_a_lie_bracket(void **state) {
  (void)state;
  uint64_t s = seed("bracket");
  for (int i = 0; i < 500; i++) {
    double A[6], B[6], C[6], ab[6], bc[6], ca[6], x[6], y[6], z[6], sum[6], ad[36], T[16], zero[6] = {0};
    fill(&s, A, 6, 2);
    fill(&s, B, 6, 2);
    fill(&s, C, 6, 2);
    check_ok(jn_twist_bracket(A, B, ab));
    check_ok(jn_twist_bracket(B, C, bc));
    check_ok(jn_twist_bracket(C, A, ca));
    check_ok(jn_twist_bracket(A, bc, x));
    check_ok(jn_twist_bracket(B, ca, y));
    check_ok(jn_twist_bracket(C, ab, z));
    for (int k = 0; k < 6; k++) sum[k] = x[k] + y[k] + z[k];
    check_close(sum, zero, 6, 64, 4, "Jacobi identity");
    check_ok(jn_twist_bracket(B, A, x));
    for (int k = 0; k < 6; k++) sum[k] = ab[k] + x[k];
    check_close(sum, zero, 6, 8, 2, "[A,B] = -[B,A]");
    check_ok(jn_bracket_matrix(A, ad));
    apply(ad, B, x, 6);
    check_close(x, ab, 6, 1, 8, "ad_A B = [A,B]");
    check_ok(jn_wrench_bracket(A, C, x));
    apply_transposed(ad, C, y, 6);
    check_close(x, y, 6, 1, 8, "ad*_A is the transpose of ad_A");
    random_pose(&s, T);
    check_ok(jn_twist_transform(T, A, x));
    check_ok(jn_twist_transform(T, B, y));
    check_ok(jn_twist_bracket(x, y, z));
    check_ok(jn_twist_transform(T, ab, sum));
    check_close(z, sum, 6, 30, 32, "Ad_T [A,B] = [Ad_T A, Ad_T B]");
  }
}

static void exp_and_log_are_inverse_over_the_whole_range(void **state) {
  (void)state;
  uint64_t s = seed("exp/log");
  int is_float = jn_variant_epsilon() > 1e-10;
  for (int i = 0; i < 40; i++)
    for (int a = 0; a < ANGLES; a++) {
      double e[3], w[3], R[9], back[3], X[6], T[16], Y[6], Q[9], E[9], t;
      if (is_float && (angles[a] > 3.14 || (angles[a] < 1e-30 && angles[a] > 0))) continue; /* rounds past pi, to 0 */
      random_axis(&s, e);
      for (int k = 0; k < 3; k++) w[k] = angles[a] * e[k];
      check_ok(jn_so3_exp(w, R));
      for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) Q[3 * r + c] = dot_of(R + 3 * r, R + 3 * c, 3);
      identity(E, 3);
      check_close(Q, E, 9, 1, 8, "R R^T = E, angle %g", angles[a]);
      check_ok(jn_so3_log(R, back));
      /* a rotation matrix knows an angle to one rounding of 1, and its sine relative to it for small ones */
      check_close(back, w, 3, 1, 16, "log exp w = w, angle %g", angles[a]);
      if (angles[a] < 0.5 && angles[a] > 1e-150) {
        t = fabs(angles[a]);
        check_close(back, w, 3, t, 16, "log exp w = w to relative rounding, angle %g", angles[a]);
      }
      memcpy(X, w, sizeof w);
      fill(&s, X + 3, 3, 2);
      check_ok(jn_se3_exp(X, T));
      check_ok(jn_se3_log(T, Y));
      check_close(Y, X, 6, 2, 64, "log exp X = X on SE(3), angle %g", angles[a]);
    }
}

static void rotations_by_pi_are_exact(void **state) {
  (void)state;
  uint64_t s = seed("pi");
  for (int i = 0; i < 200; i++) {
    double e[3], R[9], w[3], again[9];
    random_axis(&s, e);
    for (int k = 0; i < 3 && k < 3; k++) e[k] = k == i; /* the coordinate axes, too */
    for (int r = 0; r < 3; r++)
      for (int c = 0; c < 3; c++) R[3 * r + c] = 2 * e[r] * e[c] - (r == c);
    check_ok(jn_so3_log(R, w));
    double n = sqrt(dot_of(w, w, 3));
    check_close(&n, &pi, 1, 1, 8, "the angle of a half turn is pi");
    check_ok(jn_so3_exp(w, again));
    check_close(again, R, 9, 1, 32, "exp log R = R for half turns");
  }
}

/* A kernel of the complex variant: derivative of every output along one input direction, exact to rounding. */
static void complex_step(int kernel, const double *x, const double *dx, int n, double *dy, int m) {
  const double h = 1e-30;
  double _Complex in[16], out[36];
  for (int i = 0; i < n; i++) in[i] = CMPLX(x[i], h * dx[i]);
  jn_call call = {.lie = {.a = in, .out = out}};
  jn__variant_by_name("z")->kernels[kernel](&call);
  for (int i = 0; i < m; i++) dy[i] = cimag(out[i]) / h;
}

/* vee of T^-1 dT or dT T^-1, from 4x4 matrices */
static void vee6(const double *T, const double *dT, int left, double V[6]) {
  double inverse[16], M[16];
  check_ok(jn_se3_inverse(T, inverse));
  if (left)
    multiply(dT, inverse, M, 4);
  else
    multiply(inverse, dT, M, 4);
  double out[6] = {M[9], M[2], M[4], M[3], M[7], M[11]};
  memcpy(V, out, sizeof out);
}

static void dexp_is_the_differential_of_exp(void **state) {
  (void)state;
  uint64_t s = seed("dexp");
  const double sizes[] = {0, 1e-12, 1e-6, 1e-3, 0.1, 0.9, 0.99999, 1.00001, 1.5, 3, 3.14159, 4, 6};
  for (int i = 0; i < 20; i++)
    for (size_t a = 0; a < sizeof sizes / sizeof *sizes; a++) {
      double X[6], dX[6], T[16], dT[16], L[36], one[6], two[6], e[3];
      random_axis(&s, e);
      fill(&s, X, 6, 1);
      for (int k = 0; k < 3; k++) X[k] = sizes[a] * e[k];
      fill(&s, dX, 6, 1);
      check_ok(jn_se3_exp(X, T));
      complex_step(JN_KERNEL_se3_exp, X, dX, 6, dT, 16);
      for (int left = 0; left < 2; left++) {
        double V[36], E[36];
        check_ok(left ? jn_se3_dexp_left(X, L) : jn_se3_dexp_right(X, L));
        vee6(T, dT, left, one);
        apply(L, dX, two, 6);
        check_close(one, two, 6, 4, 64, "dexp is the differential, left %d, |w| = %g", left, sizes[a]);
        check_ok(left ? jn_se3_dexp_left_inverse(X, V) : jn_se3_dexp_right_inverse(X, V));
        multiply(L, V, E, 6);
        identity(L, 6);
        double worse = sizes[a] > 5 ? 400 : 64; /* conditioning near the pole of the inverse at 2 pi */
        check_close(E, L, 36, 4, worse, "dexp dexp^-1 = E, left %d, |w| = %g", left, sizes[a]);
      }
      double left3[9], right3[9], inverse3[9], E3[9], id3[9];
      check_ok(jn_so3_dexp_left(X, left3));
      check_ok(jn_so3_dexp_right(X, right3));
      check_ok(jn_so3_dexp_left_inverse(X, inverse3));
      check_ok(jn_se3_dexp_left(X, L));
      for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) E3[3 * r + c] = L[6 * r + c] - left3[3 * r + c];
      memset(id3, 0, sizeof id3);
      check_close(E3, id3, 9, 1, 8, "the rotation block of SE(3) is SO(3)");
      for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) id3[3 * r + c] = right3[3 * c + r];
      check_close(left3, id3, 9, 1, 8, "right = left transposed on SO(3)");
      multiply(left3, inverse3, E3, 3);
      identity(id3, 3);
      check_close(E3, id3, 9, 4, sizes[a] > 5 ? 200 : 32, "SO(3): dexp dexp^-1 = E");
      check_ok(jn_so3_dexp_right_inverse(X, inverse3));
      multiply(inverse3, right3, E3, 3);
      check_close(E3, id3, 9, 4, sizes[a] > 5 ? 200 : 32, "SO(3) right: dexp^-1 dexp = E");
    }
}

static void log_is_differentiated_by_the_inverse_of_dexp(void **state) {
  (void)state;
  uint64_t s = seed("dlog");
  for (int i = 0; i < 200; i++) {
    double X[6], dX[6], T[16], dT[16], dY[6];
    fill(&s, X, 6, 1.5);
    fill(&s, dX, 6, 1);
    check_ok(jn_se3_exp(X, T));
    complex_step(JN_KERNEL_se3_exp, X, dX, 6, dT, 16);
    complex_step(JN_KERNEL_se3_log, T, dT, 16, dY, 6);
    check_close(dY, dX, 6, 1, 256, "d log(exp X) = dX");
  }
}

static void inertia_is_one_object_in_every_frame(void **state) {
  (void)state;
  uint64_t s = seed("inertia");
  for (int i = 0; i < 500; i++) {
    double m = 1 + uniform(&s), com[3], I[6] = {1, 1.2, 1.4, 0.1, 0.2, -0.1}, P[10], Pa[10], T[16], inverse[16];
    double M[36], Va[6], Vb[6], one[6], two[6], back[10], Ta, Tb;
    fill(&s, com, 3, 0.5);
    jn_inertia_pack(m, com, I, P);
    random_pose(&s, T);
    check_ok(jn_inertia_matrix(P, M));
    fill(&s, Vb, 6, 1);
    apply(M, Vb, one, 6);
    check_ok(jn_inertia_multiply(P, Vb, two));
    check_close(one, two, 6, 2, 8, "I V");
    Tb = dot_of(two, Vb, 6);
    check_ok(jn_twist_transform(T, Vb, Va));
    check_ok(jn_inertia_transform(T, P, Pa));
    check_ok(jn_inertia_multiply(Pa, Va, one));
    Ta = dot_of(one, Va, 6);
    check_close(&Ta, &Tb, 1, 100, 32, "kinetic energy does not depend on the frame");
    check_ok(jn_wrench_transform(T, one, back)); /* the momentum of a, in b */
    check_close(back, two, 6, 50, 32, "I_a = Ad*^-1 I_b Ad^-1");
    check_ok(jn_se3_inverse(T, inverse));
    check_ok(jn_inertia_transform(inverse, Pa, back));
    check_close(back, P, 10, 20, 32, "there and back");
    double mass, c[3], J[6];
    jn_inertia_unpack(P, &mass, c, J);
    check(fabs(mass - m) < 1e-15 && fabs(c[1] - com[1]) < 1e-15 && fabs(J[3] - I[3]) < 1e-15, "unpack undoes pack");
  }
}

static void conversions_round_trip(void **state) {
  (void)state;
  uint64_t s = seed("conversions");
  for (int i = 0; i < 1000; i++) {
    double w[3], R[9], Q[4], back[9], rpy[3], aa[4], Q2[4], P[4], R2[9], RR[9];
    fill(&s, w, 3, 1.8);
    check_ok(jn_so3_exp(w, R));
    check_ok(jn_rotation_to_quaternion(R, Q));
    double n = dot_of(Q, Q, 4), one = 1;
    check_close(&n, &one, 1, 1, 8, "quaternions are unit");
    check(Q[3] >= 0, "w >= 0");
    check_ok(jn_quaternion_to_rotation(Q, back));
    check_close(back, R, 9, 1, 16, "rotation -> quaternion -> rotation");
    for (int k = 0; k < 4; k++) Q2[k] = -3.7 * Q[k];
    check_ok(jn_quaternion_to_rotation(Q2, back));
    check_close(back, R, 9, 1, 16, "length and sign of a quaternion do not matter");
    fill(&s, P, 4, 1);
    check_ok(jn_quaternion_to_rotation(P, R2));
    check_ok(jn_quaternion_multiply(Q, P, Q2));
    check_ok(jn_quaternion_to_rotation(Q2, back));
    multiply(R, R2, RR, 3);
    check_close(back, RR, 9, 1, 32, "product of quaternions is the product of rotations");
    check_ok(jn_rotation_to_rpy(R, rpy));
    check_ok(jn_rpy_to_rotation(rpy, back));
    check_close(back, R, 9, 1, 16, "rotation -> rpy -> rotation");
    check_ok(jn_rotation_to_axis_angle(R, aa));
    check_ok(jn_axis_angle_to_rotation(aa, back));
    check_close(back, R, 9, 1, 32, "rotation -> axis, angle -> rotation");
  }
}

static void rpy_is_yaw_after_pitch_after_roll_also_at_the_pole(void **state) {
  (void)state;
  uint64_t s = seed("rpy");
  for (int i = 0; i < 300; i++) {
    double rpy[3], R[9], back[3], again[9], x[9], y[9], z[9], zy[9], w[3] = {0};
    fill(&s, rpy, 3, 3);
    rpy[1] = i % 3 == 0 ? pi / 2 : i % 3 == 1 ? -pi / 2 + 1e-9 * uniform(&s) : 1.5 * uniform(&s);
    check_ok(jn_rpy_to_rotation(rpy, R));
    w[0] = rpy[0];
    check_ok(jn_so3_exp(w, x));
    w[0] = 0, w[1] = rpy[1];
    check_ok(jn_so3_exp(w, y));
    w[1] = 0, w[2] = rpy[2];
    check_ok(jn_so3_exp(w, z));
    multiply(z, y, zy, 3);
    multiply(zy, x, again, 3);
    check_close(R, again, 9, 1, 16, "R = Rz Ry Rx");
    check_ok(jn_rotation_to_rpy(R, back));
    check_ok(jn_rpy_to_rotation(back, again));
    check_close(R, again, 9, 1, 16, "rpy at pitch %g", rpy[1]);
  }
}

static void no_rotation_has_a_defined_axis(void **state) {
  (void)state;
  double E[9], aa[4];
  identity(E, 3);
  check_ok(jn_rotation_to_axis_angle(E, aa));
  check(aa[0] == 1 && aa[1] == 0 && aa[2] == 0 && aa[3] == 0, "axis of no rotation is x, angle 0");
}

static void nan_in_gives_nan_out_and_null_an_error(void **state) {
  (void)state;
  double w[3] = {NAN, 0, 0}, R[9];
  check_ok(jn_so3_exp(w, R));
  check(isnan(R[4]), "exp of NaN");
  check_status(jn_so3_exp(NULL, R), JN_ERR_NULL);
  check_status(jn_so3_exp(w, NULL), JN_ERR_NULL);
  double T[16] = {0};
  check_status(jn_se3_multiply(T, NULL, T), JN_ERR_NULL);
}

static void float_functions_agree_with_double(void **state) {
  (void)state;
  uint64_t s = seed("float");
  for (int i = 0; i < 200; i++) {
    double X[6], T[16], wide[16];
    float x[6], t[16];
    fill(&s, X, 6, 1.5);
    for (int k = 0; k < 6; k++) X[k] = x[k] = (float)X[k];
    check_ok(jn_se3_exp(X, T));
    check_ok(jnf_se3_exp(x, t));
    for (int k = 0; k < 16; k++) wide[k] = t[k];
    check(distance(wide, T, 16, 1) < 1e-6, "jnf_se3_exp");
  }
}

/* Every variant of the build, on this CPU, gives what the long double variant gives, each to its own rounding. */
static void all_rows_agree_with_long_double(void **state) {
  (void)state;
  uint64_t s = seed("variants");
  const jn_variant *reference = jn__variant_by_name("l");
  if (!reference) skip(); /* JOUNCE_TEST_VARIANTS */
  int variants = 0;
  for (const jn_variant *variant; (variant = jn__variant(variants)) != NULL; variants++)
    for (int i = 0; i < 50; i++) {
      _Alignas(64) char in[6 * 64], out[16 * 64];
      long double xl[6], tl[16];
      double x[16][6], t[16][16], ref[16];
      for (int lane = 0; lane < variant->lanes; lane++)
        for (int k = 0; k < 6; k++) x[lane][k] = (float)(1.4 * uniform(&s)); /* exact in every variant */
      variant->load(in, JN_KIND_D, x, 6, 6, variant->lanes);
      jn_call call = {.lie = {.a = in, .out = out}};
      variant->kernels[JN_KERNEL_se3_exp](&call);
      variant->store(t, JN_KIND_D, out, 16, 16, variant->lanes);
      for (int lane = 0; lane < variant->lanes; lane++) {
        reference->load(xl, JN_KIND_D, x[lane], 6, 6, 1);
        jn_call exact = {.lie = {.a = xl, .out = tl}};
        reference->kernels[JN_KERNEL_se3_exp](&exact);
        for (int k = 0; k < 16; k++) ref[k] = (double)tl[k];
        double gap = distance(t[lane], ref, 16, 1) / fmax(variant->epsilon, 2.3e-16);
        check(gap < 8, "variant %s, lane %d: %g roundings from long double", variant->name, lane, gap);
      }
    }
  int least = 0; /* those of the build that every CPU runs */
#define X(name, needs, on_request) least += strcmp(#needs, "any") == 0;
  JN_VARIANT_LIST
#undef X
  check(variants >= least, "only %d variants", variants);
}

enum { MOST_NUMBERS = 37 }; /* more than twice the lanes of any variant */

/* n numbers of `count` samples into the lanes of a variant and back: lane k has sample k, missing lanes repeat the
 * last, and what comes back is what went in, with nothing written between the samples. */
static void move_numbers(const jn_variant *variant, int kind, int n, int count) {
  enum { MOST = MOST_NUMBERS, GAP = 3, LANES = 16 };
  alignas(64) static char lanes[MOST * 64]; /* 64: the widest register */
  double d[LANES * (MOST + GAP)], back_d[LANES * (MOST + GAP)];
  float f[LANES * (MOST + GAP)], back_f[LANES * (MOST + GAP)];
  int stride = n + GAP, all = LANES * stride;
  for (int i = 0; i < all; i++) {
    d[i] = f[i] = (float)(i + 1);
    back_d[i] = back_f[i] = -1;
  }
  variant->load(lanes, kind, kind == JN_KIND_D ? (void *)d : (void *)f, (size_t)n, (size_t)stride, count);
  for (int i = 0; i < n * variant->lanes && variant->kind <= JN_KIND_F; i++) {
    int k = i % variant->lanes, sample = k < count ? k : count - 1;
    double x = variant->kind == JN_KIND_D ? ((double *)(void *)lanes)[i] : (double)((float *)(void *)lanes)[i];
    check(x == sample * stride + i / variant->lanes + 1, "variant %s: number %d of lane %d is %g", variant->name,
          i / variant->lanes, k, x);
  }
  variant->store(kind == JN_KIND_D ? (void *)back_d : (void *)back_f, kind, lanes, (size_t)n, (size_t)stride, count);
  for (int i = 0; i < all; i++) {
    double x = kind == JN_KIND_D ? back_d[i] : (double)back_f[i];
    int inside = i % stride < n && i / stride < count;
    check(x == (inside ? i + 1 : -1), "variant %s, %d of %d numbers, kind %d: place %d has %g", variant->name, n, count,
          kind, i, x);
  }
}

static void numbers_go_into_lanes_and_back(void **state) {
  (void)state;
  const jn_variant *variant;
  for (int i = 0; (variant = jn__variant(i)) != NULL; i++)
    for (int kind = JN_KIND_D; kind <= JN_KIND_F; kind++)
      for (int n = 0; n <= MOST_NUMBERS; n++)
        for (int count = 1; count <= variant->lanes; count++) move_numbers(variant, kind, n, count);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(group_laws_hold_for_poses),
      cmocka_unit_test(adjoint_is_a_homomorphism),
      cmocka_unit_test(power_is_the_same_in_every_frame),
      cmocka_unit_test(bracket_is_a_lie_bracket),
      cmocka_unit_test(exp_and_log_are_inverse_over_the_whole_range),
      cmocka_unit_test(rotations_by_pi_are_exact),
      cmocka_unit_test(dexp_is_the_differential_of_exp),
      cmocka_unit_test(log_is_differentiated_by_the_inverse_of_dexp),
      cmocka_unit_test(inertia_is_one_object_in_every_frame),
      cmocka_unit_test(conversions_round_trip),
      cmocka_unit_test(rpy_is_yaw_after_pitch_after_roll_also_at_the_pole),
      cmocka_unit_test(no_rotation_has_a_defined_axis),
      cmocka_unit_test(nan_in_gives_nan_out_and_null_an_error),
      cmocka_unit_test(float_functions_agree_with_double),
      cmocka_unit_test(all_rows_agree_with_long_double),
      cmocka_unit_test(numbers_go_into_lanes_and_back),
  };
  return cmocka_run_group_tests_name("lie", tests, NULL, NULL);
}
