/* SPDX-License-Identifier: BSD-2-Clause */
/* Every joint type against its definition, and configurations as points of a manifold. */
#include "models.h"

#include <complex.h>
#undef I

#include "dispatch/batch.h"
#include "dispatch/dispatch.h"
#include "model/model.h"

static jn_model *one_joint(uint64_t *s, jn_joint_type type, jn_link *description) {
  jn_builder *b;
  jn_model *m;
  jn_error error;
  jn_link l;
  for (;;) {
    jn_link_init(&l);
    l.name = "link";
    random_placement(s, l.placement);
    random_inertia(s, l.inertia);
    random_joint(s, type, &l.joint);
    check_ok(jn_builder_create(NULL, &b));
    check_ok(jn_builder_add_link(b, &l));
    jn_status status = jn_builder_freeze(b, &m, &error);
    jn_builder_destroy(b);
    if (status == JN_OK) break;
    check(strstr(error.text, "dependent"), "%s", error.text);
  }
  if (description) *description = l;
  return m;
}

static void product(const double *A, const double *B, double *C) {
  double out[16];
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) {
      out[4 * i + j] = 0;
      for (int k = 0; k < 4; k++) out[4 * i + j] += A[4 * i + k] * B[4 * k + j];
    }
  memcpy(C, out, sizeof out);
}

/* T <- T exp(X q) */
static void advance(double T[16], const double X[6], double q) {
  double Xq[6], E[16];
  for (int k = 0; k < 6; k++) Xq[k] = X[k] * q;
  check_ok(jn_se3_exp(Xq, E));
  product(T, E, T);
}

/* Screw of a rotation about `axis` through `point`, advancing `pitch` a radian: (e, y x e + h e). */
static void line_screw(const double axis[3], const double y[3], double pitch, double X[6]) {
  double n = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
  for (int k = 0; k < 3; k++) X[k] = axis[k] / n;
  X[3] = y[1] * X[2] - y[2] * X[1] + pitch * X[0];
  X[4] = y[2] * X[0] - y[0] * X[2] + pitch * X[1];
  X[5] = y[0] * X[1] - y[1] * X[0] + pitch * X[2];
}

static void slide_screw(const double axis[3], double X[6]) {
  double n = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
  for (int k = 0; k < 3; k++) X[k] = 0, X[3 + k] = axis[k] / n;
}

/* placement * J(q) as the header defines it, by exponentials of screws in the link frame. */
static void pose_by_definition(const jn_link *l, const double *q, double T[16]) {
  const jn_joint *j = &l->joint;
  const double origin[3] = {0, 0, 0};
  double X[6], R[9], M[16] = {0}, C[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  memcpy(T, l->placement, 16 * sizeof *T);
  switch (j->type) {
    case JN_REVOLUTE:
    case JN_CONTINUOUS:
    case JN_HELICAL:
      line_screw(j->axis, j->point, j->type == JN_HELICAL ? j->pitch : 0, X);
      advance(T, X, q[0]);
      break;
    case JN_PRISMATIC:
      slide_screw(j->axis, X);
      advance(T, X, q[0]);
      break;
    case JN_CYLINDRICAL:
      line_screw(j->axis, j->point, 0, X);
      advance(T, X, q[0]);
      slide_screw(j->axis, X);
      advance(T, X, q[1]);
      break;
    case JN_UNIVERSAL:
    case JN_GIMBAL:
      line_screw(j->axis, j->point, 0, X);
      advance(T, X, q[0]);
      line_screw(j->axis2, j->point, 0, X);
      advance(T, X, q[1]);
      if (j->type == JN_UNIVERSAL) break;
      line_screw(j->axis3, j->point, 0, X);
      advance(T, X, q[2]);
      break;
    case JN_SPHERICAL:
    case JN_FREE:
      for (int k = 0; k < 3; k++) C[4 * k + 3] = j->type == JN_FREE ? q[k] : j->point[k];
      product(T, C, T);
      check_ok(jn_quaternion_to_rotation(j->type == JN_FREE ? q + 3 : q, R));
      for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) M[4 * r + c] = R[3 * r + c];
      M[15] = 1;
      product(T, M, T);
      for (int k = 0; k < 3; k++) C[4 * k + 3] = j->type == JN_FREE ? origin[k] : -j->point[k];
      product(T, C, T);
      break;
    case JN_GENERAL:
      for (int k = 0; k < j->screw_count; k++) advance(T, j->screws[k], q[k]);
      break;
    default:
      break;
  }
}

static void pose_is_placement_times_joint_motion(void **state) {
  (void)state;
  uint64_t s = seed("joint pose");
  for (int type = 0; type < JN_JOINT_TYPES; type++)
    for (int i = 0; i < 30; i++) {
      jn_link l;
      jn_work *w;
      double q[8], T[16], expected[16];
      jn_model *m = one_joint(&s, (jn_joint_type)type, &l);
      check_ok(jn_work_create(m, &w));
      check_ok(jn_random(m, &s, q));
      check_ok(jn_joint_pose(m, w, 0, q, T));
      if (type != JN_PLANAR) { /* its plane's own axes are chosen by the library: tested below */
        pose_by_definition(&l, q, expected);
        check_close(T, expected, 16, 4, 64, "%s", jn_joint_type_name((jn_joint_type)type));
      }
      check_ok(jn_neutral(m, q));
      check_ok(jn_joint_pose(m, w, 0, q, T));
      check_close(T, l.placement, 16, 1, 16, "%s in the neutral configuration",
                  jn_joint_type_name((jn_joint_type)type));
      jn_work_destroy(w);
      jn_model_destroy(m);
    }
}

/* R <- R exp(angle n / |n|), in long double. */
static void turn_long(long double R[3][3], const double axis[3], long double angle) {
  long double n =
      sqrtl((long double)axis[0] * axis[0] + (long double)axis[1] * axis[1] + (long double)axis[2] * axis[2]);
  long double c = cosl(angle), s = sinl(angle), e[3] = {axis[0] / n, axis[1] / n, axis[2] / n}, E[3][3], out[3][3];
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    for (int l = 0; l < 3; l++) E[i][l] = (1 - c) * e[i] * e[l] + (i == l ? c : 0);
    E[i][j] -= s * e[k];
    E[i][k] += s * e[j];
  }
  for (int i = 0; i < 3; i++)
    for (int l = 0; l < 3; l++) out[i][l] = R[i][0] * E[0][l] + R[i][1] * E[1][l] + R[i][2] * E[2][l];
  memcpy(R, out, sizeof out);
}

/* Angles far from zero, with all digits: the rotation is that of exactly this angle, whatever the type of the joint. */
static void angles_keep_their_digits_far_from_zero(void **state) {
  (void)state;
  uint64_t s = seed("large angles");
  static const jn_joint_type types[] = {JN_REVOLUTE,  JN_HELICAL, JN_CYLINDRICAL, JN_PLANAR,
                                        JN_UNIVERSAL, JN_GIMBAL,  JN_GENERAL};
  const double most = jn_variant_epsilon() > 1e-10 ? 1e4 : 1e15;
  for (int i = 0; i < 7 * 200; i++) {
    jn_link l;
    jn_work *w;
    double q[6] = {0}, T[16], found[9], expected[9];
    jn_joint_type type = types[i % 7];
    jn_model *m = one_joint(&s, type, &l);
    const double *axes[3] = {l.joint.axis, l.joint.axis2, l.joint.axis3};
    int count = type == JN_UNIVERSAL ? 2 : type == JN_GIMBAL ? 3 : 1, first = type == JN_PLANAR ? 2 : 0;
    if (type == JN_GENERAL) { /* of rotations about unit vectors */
      jn_builder *b;
      jn_model_destroy(m);
      check_ok(jn_builder_create(NULL, &b));
      l.joint.screw_count = count = 3;
      for (int k = 0; k < 3; k++) {
        double x[3], n;
        do fill(&s, x, 3, 1);
        while (!((n = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2])) > 0.3));
        for (int e = 0; e < 6; e++) l.joint.screws[k][e] = e < 3 ? x[e] / n : 0;
        axes[k] = l.joint.screws[k];
      }
      check_ok(jn_builder_add_link(b, &l));
      check_ok(jn_builder_freeze(b, &m, NULL));
      jn_builder_destroy(b);
    }
    check_ok(jn_work_create(m, &w));
    long double R[3][3];
    for (int r = 0; r < 9; r++) R[r / 3][r % 3] = l.placement[r / 3 * 4 + r % 3];
    for (int k = 0; k < count; k++) { /* a number of float too */
      q[first + k] = (float)(pow(10, (log10(most) + 1) / 2 * (1 + uniform(&s)) - 1) * (uniform(&s) < 0 ? -1 : 1));
      turn_long(R, axes[k], q[first + k]);
    }
    check_ok(jn_joint_pose(m, w, 0, q, T));
    for (int r = 0; r < 9; r++) {
      expected[r] = (double)R[r / 3][r % 3];
      found[r] = T[r / 3 * 4 + r % 3];
    }
    check_close(found, expected, 9, 1, 24, "%s at %.17g %.17g %.17g rad", jn_joint_type_name(type), q[first],
                q[first + 1], q[first + 2]);
    jn_work_destroy(w);
    jn_model_destroy(m);
  }
}

static void planar_joint_stays_in_its_plane(void **state) {
  (void)state;
  uint64_t s = seed("planar");
  for (int i = 0; i < 60; i++) {
    jn_link l;
    jn_work *w;
    double q[3], T[16], J[16], inverse[16], X[6], turn[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    jn_model *m = one_joint(&s, JN_PLANAR, &l);
    check_ok(jn_work_create(m, &w));
    fill(&s, q, 3, 1);
    check_ok(jn_joint_pose(m, w, 0, q, T));
    check_ok(jn_se3_inverse(l.placement, inverse));
    product(inverse, T, J);
    line_screw(l.joint.axis, l.joint.point, 0, X);
    /* the point of the axis moves by (x, y) in the plane; the rotation is q3 about the axis */
    double moved[3], n = 0, normal = 0, length = sqrt(q[0] * q[0] + q[1] * q[1]);
    for (int r = 0; r < 3; r++) {
      moved[r] = J[4 * r + 3] - l.joint.point[r];
      for (int c = 0; c < 3; c++) moved[r] += J[4 * r + c] * l.joint.point[c];
      n += moved[r] * moved[r];
      normal += moved[r] * X[r];
    }
    n = sqrt(n);
    double zero = 0;
    check_close(&n, &length, 1, 1, 32, "distance in the plane");
    check_close(&normal, &zero, 1, 1, 32, "no motion along the axis");
    advance(turn, X, q[2]);
    for (int r = 0; r < 3; r++) check_close(J + 4 * r, turn + 4 * r, 3, 1, 32, "rotation about the axis");
    jn_work_destroy(w);
    jn_model_destroy(m);
  }
}

/* dq/dt of a configuration that moves with velocity v: quaternions turn by half of q (w, 0). */
static void configuration_rate(const jn_model *m, const double *q, const double *v, double *rate) {
  for (int i = 0; i < jn_link_count(m); i++) {
    jn_joint_type type = jn_joint_type_of(m, i);
    int iq = jn_joint_q(m, i), iv = jn_joint_v(m, i);
    if (type == JN_SPHERICAL || type == JN_FREE) {
      int shift = type == JN_FREE ? 3 : 0;
      const double *r = q + iq + shift, *u = v + iv;
      double W[4] = {u[0], u[1], u[2], 0}, R[9];
      check_ok(jn_quaternion_multiply(r, W, rate + iq + shift));
      for (int k = 0; k < 4; k++) rate[iq + shift + k] *= 0.5;
      check_ok(jn_quaternion_to_rotation(r, R));
      for (int k = 0; k < shift; k++) rate[iq + k] = R[3 * k] * u[3] + R[3 * k + 1] * u[4] + R[3 * k + 2] * u[5];
    } else {
      for (int k = 0; k < jn_joint_nv(m, i); k++) rate[iq + k] = v[iv + k];
    }
  }
}

/* Output of a joint kernel in the complex variant, differentiated along the motion. */
static void rate_of(const jn_model *m, int kernel, int joint, const double *q, const double *v, double *rate, int n) {
  const double h = 1e-30;
  double dq[64];
  double _Complex zq[64], out[36];
  configuration_rate(m, q, v, dq);
  for (int k = 0; k < jn_model_nq(m); k++) zq[k] = CMPLX(q[k], h * dq[k]);
  jn_call call = {.tree = m->tree[JN_KIND_Z], .joint_pose = {.q = zq, .T = out, .joint = joint}};
  if (kernel == JN_KERNEL_joint_jacobian)
    call.joint_jacobian = (jn_joint_jacobian_arguments){.q = zq, .S = out, .joint = joint};
  jn__variant_by_name("z")->kernels[kernel](&call);
  for (int k = 0; k < n; k++) rate[k] = cimag(out[k]) / h;
}

static void screws_give_the_body_velocity_and_their_rate(void **state) {
  (void)state;
  uint64_t s = seed("S and dS");
  for (int type = 1; type < JN_JOINT_TYPES; type++)
    for (int i = 0; i < 40; i++) {
      jn_model *m = one_joint(&s, (jn_joint_type)type, NULL);
      jn_work *w;
      double q[8], v[6], T[16], dT[16], inverse[16], M[16], S[36], dS[36], expected[36], V[6] = {0};
      int n = jn_model_nv(m);
      const char *name = jn_joint_type_name((jn_joint_type)type);
      check_ok(jn_work_create(m, &w));
      check_ok(jn_random(m, &s, q));
      fill(&s, v, n, 1);
      check_ok(jn_joint_pose(m, w, 0, q, T));
      check_ok(jn_joint_jacobian(m, w, 0, q, S));
      check_ok(jn_joint_jacobian_rate(m, w, 0, q, v, dS));
      rate_of(m, JN_KERNEL_joint_pose, 0, q, v, dT, 16);
      check_ok(jn_se3_inverse(T, inverse));
      product(inverse, dT, M);
      double body[6] = {M[9], M[2], M[4], M[3], M[7], M[11]};
      for (int r = 0; r < 6; r++)
        for (int k = 0; k < n; k++) V[r] += S[n * r + k] * v[k];
      check_close(V, body, 6, 8, 128, "S v = T^-1 dT/dt, %s", name);
      rate_of(m, JN_KERNEL_joint_jacobian, 0, q, v, expected, 6 * n);
      check_close(dS, expected, 6 * n, 16, 128, "dS/dt, %s", name);
      jn_work_destroy(w);
      jn_model_destroy(m);
    }
}

/* A revolute, prismatic and helical joint written as a screw is the same joint, also when the screw is not unit. */
static void one_screw_joints_are_instances_of_the_general_joint(void **state) {
  (void)state;
  uint64_t s = seed("screw");
  for (int i = 0; i < 60; i++) {
    double X[2][6], T[2][16], S[2][6], q = 2 * uniform(&s), scale = i % 3 == 2 ? 2.5 : 1;
    jn_link l;
    jn_link_init(&l);
    l.name = "link";
    random_inertia(&s, l.inertia);
    random_joint(&s, (jn_joint_type[]){JN_REVOLUTE, JN_PRISMATIC, JN_HELICAL}[i % 3], &l.joint);
    if (l.joint.type == JN_PRISMATIC)
      slide_screw(l.joint.axis, X[0]);
    else
      line_screw(l.joint.axis, l.joint.point, l.joint.type == JN_HELICAL ? l.joint.pitch : 0, X[0]);
    for (int general = 0; general < 2; general++) {
      jn_builder *b;
      jn_model *m;
      jn_work *w;
      if (general) {
        l.joint.type = JN_GENERAL;
        l.joint.screw_count = 1;
        for (int k = 0; k < 6; k++) l.joint.screws[0][k] = scale * X[0][k];
      }
      double position = general ? q / scale : q;
      check_ok(jn_builder_create(NULL, &b));
      check_ok(jn_builder_add_link(b, &l));
      check_ok(jn_builder_freeze(b, &m, NULL));
      check_ok(jn_work_create(m, &w));
      check(((const jn_tree_d *)m->tree[0])->body[0].kind != JN_BODY_GENERAL, "one screw is a simple joint inside");
      check_ok(jn_joint_pose(m, w, 0, &position, T[general]));
      check_ok(jn_joint_jacobian(m, w, 0, &position, S[general]));
      for (int k = 0; k < 6 && general; k++) S[1][k] /= scale;
      jn_builder_destroy(b);
      jn_work_destroy(w);
      jn_model_destroy(m);
    }
    check_close(T[0], T[1], 16, 2, 32, "pose");
    check_close(S[0], S[1], 6, 1, 32, "screw");
  }
}

static void integrate_and_difference_are_inverse(void **state) {
  (void)state;
  uint64_t s = seed("manifold");
  for (int i = 0; i < 60; i++) {
    jn_model *m = random_tree(&s, JN_JOINT_TYPES + 3);
    int nq = jn_model_nq(m), nv = jn_model_nv(m);
    double q0[64], q1[64], v[64], back[64], T[16], expected[16];
    jn_work *w;
    check_ok(jn_work_create(m, &w));
    check_ok(jn_random(m, &s, q0));
    fill(&s, v, nv, 1.7);
    check_ok(jn_integrate(m, w, q0, v, q1));
    check_ok(jn_difference(m, w, q0, q1, back));
    check_close(back, v, nv, 2, 64, "(q + v) - q = v");
    check_ok(jn_random(m, &s, q1));
    check_ok(jn_difference(m, w, q0, q1, v));
    check_ok(jn_integrate(m, w, q0, v, back));
    for (int k = 0; k < jn_link_count(m); k++) { /* compare poses: quaternions have two signs */
      check_ok(jn_joint_pose(m, w, k, q1, expected));
      check_ok(jn_joint_pose(m, w, k, back, T));
      check_close(T, expected, 16, 4, 256, "q0 + (q1 - q0) = q1, %s", jn_joint_type_name(jn_joint_type_of(m, k)));
    }
    check_ok(jn_integrate(m, w, q0, v, q0));
    check_close(q0, back, nq, 1, 0, "in place");
    jn_work_destroy(w);
    jn_model_destroy(m);
  }
}

/* J(q + v) = J(q) exp(S v) in the link frame, where S is constant: the free and the spherical joint. */
static void integration_on_the_group_is_the_exponential(void **state) {
  (void)state;
  uint64_t s = seed("group");
  for (int i = 0; i < 100; i++) {
    jn_model *m = one_joint(&s, i % 2 ? JN_FREE : JN_SPHERICAL, NULL);
    jn_work *w;
    double q[7], q1[7], v[6], S[36], X[6] = {0}, T[16], E[16], T1[16];
    int n = jn_model_nv(m);
    check_ok(jn_work_create(m, &w));
    check_ok(jn_random(m, &s, q));
    fill(&s, v, n, 1.8);
    check_ok(jn_joint_jacobian(m, w, 0, q, S));
    for (int r = 0; r < 6; r++)
      for (int k = 0; k < n; k++) X[r] += S[n * r + k] * v[k];
    check_ok(jn_joint_pose(m, w, 0, q, T));
    check_ok(jn_se3_exp(X, E));
    product(T, E, T);
    check_ok(jn_integrate(m, w, q, v, q1));
    check_ok(jn_joint_pose(m, w, 0, q1, T1));
    check_close(T1, T, 16, 4, 64, "J(q + v) = J(q) exp(S v)");
    jn_work_destroy(w);
    jn_model_destroy(m);
  }
}

static void interpolation_starts_ends_and_is_uniform(void **state) {
  (void)state;
  uint64_t s = seed("interpolation");
  for (int i = 0; i < 40; i++) {
    jn_model *m = random_tree(&s, JN_JOINT_TYPES);
    int nv = jn_model_nv(m), nq = jn_model_nq(m);
    double q0[64], q1[64], v[64], third[64], part[64], end[64], zero[64] = {0};
    jn_work *w;
    check_ok(jn_work_create(m, &w));
    check_ok(jn_random(m, &s, q0));
    check_ok(jn_random(m, &s, q1));
    check_ok(jn_interpolate(m, w, q0, q1, 0, part));
    check_close(part, q0, nq, 1, 8, "s = 0 gives q0");
    check_ok(jn_interpolate(m, w, q0, q1, 1, end));
    check_ok(jn_difference(m, w, end, q1, part));
    check_close(part, zero, nv, 1, 256, "s = 1 gives q1");
    check_ok(jn_difference(m, w, q0, q1, v));
    check_ok(jn_interpolate(m, w, q0, q1, 0.25, third));
    check_ok(jn_difference(m, w, q0, third, part));
    for (int k = 0; k < nv; k++) v[k] *= 0.25;
    check_close(part, v, nv, 1, 128, "a quarter of the way is a quarter of the difference");
    jn_work_destroy(w);
    jn_model_destroy(m);
  }
}

static void normalisation_keeps_the_rotation(void **state) {
  (void)state;
  uint64_t s = seed("normalise");
  jn_model *m = one_joint(&s, JN_FREE, NULL);
  jn_work *w;
  double q[7], n[7], T[16], U[16];
  check_ok(jn_work_create(m, &w));
  check_ok(jn_random(m, &s, q));
  for (int k = 3; k < 7; k++) q[k] *= 1.7;
  check_ok(jn_normalize(m, w, q, n));
  double length = n[3] * n[3] + n[4] * n[4] + n[5] * n[5] + n[6] * n[6], one = 1;
  check_close(&length, &one, 1, 1, 4, "unit");
  check_ok(jn_joint_pose(m, w, 0, q, T));
  check_ok(jn_joint_pose(m, w, 0, n, U));
  check_close(T, U, 16, 1, 16, "a quaternion that is not unit gives the same rotation");
  jn_work_destroy(w);
  jn_model_destroy(m);
}

static void coupled_joints_follow_their_leader(void **state) {
  (void)state;
  uint64_t s = seed("mimic");
  jn_builder *b;
  jn_model *m;
  jn_work *w;
  jn_link l;
  const char *names[3] = {"a", "b", "c"};
  check_ok(jn_builder_create(NULL, &b));
  for (int i = 0; i < 3; i++) { /* c mimics b, b mimics a: q_b = 2 q_a + 0.1, q_c = -0.5 q_b + 0.3 */
    jn_link_init(&l);
    l.name = names[i];
    l.parent = i ? names[i - 1] : NULL;
    random_inertia(&s, l.inertia);
    random_joint(&s, i == 2 ? JN_PRISMATIC : JN_REVOLUTE, &l.joint);
    l.joint.mimic = i ? names[i - 1] : NULL;
    l.joint.mimic_ratio = i == 1 ? 2 : -0.5;
    l.joint.mimic_offset = i == 1 ? 0.1 : 0.3;
    check_ok(jn_builder_add_link(b, &l));
  }
  check_ok(jn_builder_freeze(b, &m, NULL));
  check(jn_model_nv(m) == 1 && jn_model_nq(m) == 1 && jn_model_is_coupled(m), "one coordinate");
  int leader;
  double ratio, offset, q = 0.7, qb = 2 * q + 0.1, qc = -0.5 * qb + 0.3, T[16], expected[16], S[6];
  check(jn_joint_mimic(m, 2, &leader, &ratio, &offset) && leader == 0, "the chain leads to a");
  check(fabs(ratio + 1) < 1e-15 && fabs(offset - 0.25) < 1e-15, "q_c = -q_a + 0.25, got %g %g", ratio, offset);
  check_ok(jn_work_create(m, &w));
  check_ok(jn_joint_pose(m, w, 2, &q, T));
  pose_by_definition(&l, &qc, expected);
  check_close(T, expected, 16, 1, 16, "the follower's pose");
  check_ok(jn_joint_jacobian(m, w, 2, &q, S));
  double n = sqrt(S[3] * S[3] + S[4] * S[4] + S[5] * S[5]), one = 1;
  check_close(&n, &one, 1, 1, 8, "S carries the ratio |-1|");
  jn_work_destroy(w);
  jn_model_destroy(m);
  jn_builder_destroy(b);
}

static void random_configurations_respect_limits(void **state) {
  (void)state;
  uint64_t s = seed("limits"), again;
  jn_builder *b;
  jn_model *m;
  jn_link l;
  jn_link_init(&l);
  l.name = "link";
  l.inertia[0] = l.inertia[4] = l.inertia[5] = l.inertia[6] = 1;
  l.joint.type = JN_REVOLUTE;
  l.joint.dof[0].lower = 4;
  l.joint.dof[0].upper = 4.5;
  check_ok(jn_builder_create(NULL, &b));
  check_ok(jn_builder_add_link(b, &l));
  check_ok(jn_builder_freeze(b, &m, NULL));
  double q, low = 9, high = 0, first;
  again = s;
  check_ok(jn_random(m, &again, &first));
  for (int i = 0; i < 1000; i++) {
    check_ok(jn_random(m, &s, &q));
    check(i > 0 || q == first, "the same state gives the same numbers");
    low = fmin(low, q);
    high = fmax(high, q);
  }
  check(low >= 4 && low < 4.05 && high <= 4.5 && high > 4.45, "range %g ... %g", low, high);
  jn_model_destroy(m);
  jn_builder_destroy(b);
}

/* Many states at once give what single calls give, for every count up to beyond two full sets of lanes. */
static void batches_agree_with_single_calls(void **state) {
  (void)state;
  uint64_t s = seed("batch");
  jn_model *m = random_tree(&s, JN_JOINT_TYPES + 4);
  int nq = jn_model_nq(m), nv = jn_model_nv(m);
  enum { MOST = 35, WIDE = 70 };
  static double q[MOST][WIDE], v[MOST][WIDE], out[MOST][WIDE], expected[WIDE];
  jn_work *w, *many;
  jn_batch *batch;
  check_ok(jn_work_create(m, &w));
  check_ok(jn_batch_create(m, 0, 1, &batch));
  for (int i = 0; i < MOST; i++) {
    check_ok(jn_random(m, &s, q[i]));
    fill(&s, v[i], nv, 1);
  }
  for (size_t count = 1; count <= MOST; count++) {
    check_ok(jn__batch_begin(batch, count, &many));
    jn_run run;
    jn__run_init(&run, JN_KERNEL_integrate, JN_KIND_D, m, many);
    run.call.integrate = (jn_integrate_arguments){.q = q, .v = v, .q_out = out};
    run.spread = 7; /* all three arrays have rows of WIDE numbers */
    run.apart = WIDE;
    for (int i = 0; i < MOST; i++) out[i][0] = 1e9;
    check_ok(jn__run(&run));
    for (size_t i = 0; i < count; i++) {
      check_ok(jn_integrate(m, w, q[i], v[i], expected));
      check_close(out[i], expected, nq, 1, 16, "sample %zu of %zu", i, count);
    }
    check(count == MOST || out[count][0] == 1e9, "nothing is written beyond the last sample");
  }
  jn_batch_destroy(batch);
  jn_work_destroy(w);
  jn_model_destroy(m);
}

static void work_can_live_in_memory_of_the_caller(void **state) {
  (void)state;
  uint64_t s = seed("work");
  jn_model *m = random_tree(&s, 6), *other = random_tree(&s, 5);
  size_t bytes = jn_work_size(m);
  char *memory = malloc(bytes + 3);
  jn_work *w;
  double q[64], v[64] = {0}, out[64];
  check_status(jn_work_init(m, memory, bytes - 1, &w), JN_ERR_SIZE);
  check_ok(jn_work_init(m, memory + 3, bytes, &w));
  check_ok(jn_random(m, &s, q));
  check_ok(jn_integrate(m, w, q, v, out));
  check_close(out, q, jn_model_nq(m), 1, 8, "q + 0 = q");
  check_status(jn_integrate(other, w, q, v, out), JN_ERR_WORK);
  check_status(jn_joint_pose(m, w, 99, q, out), JN_ERR_INDEX);
  check_status(jn_joint_pose(m, NULL, 0, q, out), JN_ERR_NULL);
  free(memory);
  jn_model_destroy(m);
  jn_model_destroy(other);
}

static void float_configurations_agree_with_double(void **state) {
  (void)state;
  uint64_t s = seed("float"), t;
  jn_model *m = random_tree(&s, JN_JOINT_TYPES);
  jn_work *w;
  double q[64], v[64], out[64], wide[64];
  float fq[64], fv[64], fout[64];
  check_ok(jn_work_create(m, &w));
  t = s;
  check_ok(jnf_random(m, &t, fq));
  check_ok(jn_random(m, &s, q));
  for (int k = 0; k < jn_model_nv(m); k++) v[k] = fv[k] = (float)uniform(&s);
  check_ok(jn_integrate(m, w, q, v, out));
  check_ok(jnf_integrate(m, w, fq, fv, fout));
  for (int k = 0; k < jn_model_nq(m); k++) wide[k] = fout[k];
  check(distance(wide, out, jn_model_nq(m), 1) < 2e-6, "jnf_integrate");
  jn_work_destroy(w);
  jn_model_destroy(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pose_is_placement_times_joint_motion),
      cmocka_unit_test(angles_keep_their_digits_far_from_zero),
      cmocka_unit_test(planar_joint_stays_in_its_plane),
      cmocka_unit_test(screws_give_the_body_velocity_and_their_rate),
      cmocka_unit_test(one_screw_joints_are_instances_of_the_general_joint),
      cmocka_unit_test(integrate_and_difference_are_inverse),
      cmocka_unit_test(integration_on_the_group_is_the_exponential),
      cmocka_unit_test(interpolation_starts_ends_and_is_uniform),
      cmocka_unit_test(normalisation_keeps_the_rotation),
      cmocka_unit_test(coupled_joints_follow_their_leader),
      cmocka_unit_test(random_configurations_respect_limits),
      cmocka_unit_test(batches_agree_with_single_calls),
      cmocka_unit_test(work_can_live_in_memory_of_the_caller),
      cmocka_unit_test(float_configurations_agree_with_double),
  };
  return cmocka_run_group_tests_name("joint", tests, NULL, NULL);
}
