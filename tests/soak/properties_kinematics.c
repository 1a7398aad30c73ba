/* SPDX-License-Identifier: BSD-2-Clause */
/* Properties of configurations, joints, frames, centre of mass and momentum. */
#include "newton.h"

/* exp of a twist times x, by its series with squaring: slow, and independent of the library. */
static void screw_motion(const double X[6], number x, number out[16]) {
  number A[16] = {0}, term[16] = {0}, next[16];
  const number w[3] = {X[0] * x, X[1] * x, X[2] * x}, v[3] = {X[3] * x, X[4] * x, X[5] * x};
  const number W[9] = {0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0};
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) A[4 * i + j] = W[3 * i + j] / 64;
    A[4 * i + 3] = v[i] / 64;
  }
  for (int i = 0; i < 16; i++) out[i] = term[i] = i % 5 == 0;
  for (int k = 1; k < 40; k++) {
    times(term, A, next, 4, 4, 4);
    for (int i = 0; i < 16; i++) out[i] += term[i] = next[i] / k;
  }
  for (int k = 0; k < 6; k++) {
    times(out, out, next, 4, 4, 4);
    memcpy(out, next, sizeof next);
  }
}

static void advance(number T[16], const double X[6], number x) {
  number E[16], next[16];
  screw_motion(X, x, E);
  times(T, E, next, 4, 4, 4);
  memcpy(T, next, sizeof next);
}

/* The screw of a line through a point with a pitch, or of a direction to slide along. */
static void line_screw(const double axis[3], const double point[3], double pitch, int turn, double X[6]) {
  double n = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]), e[3];
  for (int i = 0; i < 3; i++) e[i] = axis[i] / n;
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    X[i] = turn ? e[i] : 0;
    X[3 + i] = turn ? point[j] * e[k] - point[k] * e[j] + pitch * e[i] : e[i];
  }
}

static void quaternion_turn(const number Q[4], number R[16]) {
  number x = Q[0], y = Q[1], z = Q[2], w = Q[3], n = x * x + y * y + z * z + w * w;
  const number all[16] = {1 - 2 * (y * y + z * z) / n,
                          2 * (x * y - z * w) / n,
                          2 * (x * z + y * w) / n,
                          0,
                          2 * (x * y + z * w) / n,
                          1 - 2 * (x * x + z * z) / n,
                          2 * (y * z - x * w) / n,
                          0,
                          2 * (x * z - y * w) / n,
                          2 * (y * z + x * w) / n,
                          1 - 2 * (x * x + y * y) / n,
                          0,
                          0,
                          0,
                          0,
                          1};
  memcpy(R, all, sizeof all);
}

/* Pose by the definition of model.h; 0 for planar joints, whose axes in the plane the library chooses. */
static int pose_by_definition(const jn_model *m, int joint, const number *all, number T[16]) {
  const jn_joint *j = jn_joint_description(m, joint);
  double X[6], placement[16], ratio = 1, offset = 0;
  number q[7], R[16], C[16], next[16];
  check_ok(jn_link_placement(m, joint, placement));
  for (int i = 0; i < 16; i++) T[i] = placement[i], C[i] = i % 5 == 0;
  int coupled = jn_joint_mimic(m, joint, NULL, &ratio, &offset), n = coupled ? 1 : jn_joint_nq(m, joint);
  for (int i = 0; i < n; i++) q[i] = ratio * all[jn_joint_q(m, joint) + i] + offset;
  switch (j->type) {
    case JN_REVOLUTE:
    case JN_CONTINUOUS:
    case JN_HELICAL:
    case JN_CYLINDRICAL:
    case JN_UNIVERSAL:
    case JN_GIMBAL:
      line_screw(j->axis, j->point, j->type == JN_HELICAL ? j->pitch : 0, 1, X);
      advance(T, X, q[0]);
      if (n == 1) break;
      line_screw(j->type == JN_CYLINDRICAL ? j->axis : j->axis2, j->point, 0, j->type != JN_CYLINDRICAL, X);
      advance(T, X, q[1]);
      if (n == 2) break;
      line_screw(j->axis3, j->point, 0, 1, X);
      advance(T, X, q[2]);
      break;
    case JN_PRISMATIC:
      line_screw(j->axis, j->point, 0, 0, X);
      advance(T, X, q[0]);
      break;
    case JN_SPHERICAL:
    case JN_FREE:
      for (int k = 0; k < 3; k++) C[4 * k + 3] = j->type == JN_FREE ? q[k] : j->point[k];
      times(T, C, next, 4, 4, 4);
      quaternion_turn(j->type == JN_FREE ? q + 3 : q, R);
      times(next, R, T, 4, 4, 4);
      for (int k = 0; k < 3; k++) C[4 * k + 3] = j->type == JN_FREE ? 0 : -j->point[k];
      times(T, C, next, 4, 4, 4);
      memcpy(T, next, sizeof next);
      break;
    case JN_GENERAL:
      for (int k = 0; k < j->screw_count; k++) advance(T, j->screws[k], q[k]);
      break;
    case JN_PLANAR:
      return 0;
    default:
      break;
  }
  return 1;
}

static double property_joint_pose(state *x, const property *l) {
  number T[16];
  (void)l;
  return pose_by_definition(x->s->m, x->d->link, LIN(q), T) ? gap(x, F_joint_pose, 0, T) : -1;
}

/* Chains of joint poses. */
static void link_pose(const state *x, int link, const number *q, number T[16]) {
  number own[16], up[16];
  int p = jn_link_parent(x->s->m, link);
  check_ok(jnl_joint_pose(x->s->m, x->x[KIND_L].w, link, q, own));
  if (p < 0) {
    memcpy(T, own, sizeof own);
    return;
  }
  link_pose(x, p, q, up);
  times(up, own, T, 4, 4, 4);
}

static double property_frame_pose(state *x, const property *l) {
  number T[16];
  double worst = 0;
  if (l->f == F_frame_pose) {
    link_pose(x, x->d->frame, LIN(q), T);
    return gap(x, F_frame_pose, 0, T);
  }
  for (int i = 0; i < x->d->nlink; i++) {
    link_pose(x, i, LIN(q), T);
    worst = fmax(worst, roundings(D(frame_poses, 0) + 16 * i, T, 16, SIZE(frame_poses, 0), x->epsilon));
  }
  return worst;
}

/* (T^-1 dT)^vee from T and dT: the twist in body axes. */
static void body_twist(const number *T, const number *dT, number V[6]) {
  number inverse[16], X[16];
  inverse_pose(T, inverse);
  times(inverse, dT, X, 4, 4, 4);
  V[0] = (X[9] - X[6]) / 2, V[1] = (X[2] - X[8]) / 2, V[2] = (X[4] - X[1]) / 2;
  V[3] = X[3], V[4] = X[7], V[5] = X[11];
}

/* Body twist in another representation. */
static void represent(const number *T, jn_representation in, const number V[6], number out[6]) {
  number Ad[36], R[16];
  memcpy(R, T, sizeof R);
  if (in == JN_IN_ALIGNED) R[3] = R[7] = R[11] = 0;
  adjoint_of(R, Ad);
  if (in == JN_IN_BODY)
    memcpy(out, V, 6 * sizeof *out);
  else
    times(Ad, V, out, 6, 6, 1);
}

/* Column k of a Jacobian: the pose differentiated along coordinate k. */
static double property_jacobian(state *x, const property *l) {
  int joint = l->f == F_joint_jacobian, n = x->d->nv, first = 0, columns = n;
  double *unit = calloc((size_t)n, sizeof *unit), worst = 0, *by[INPUTS] = {NULL};
  number T[16], dT[16], V[6], out[6];
  dims *d = (dims *)x->d; /* the joint's pose is asked for its link here */
  int link = d->link;
  by[IN_q] = unit;
  if (joint) {
    d->link = d->joint;
    columns = d->joint_nv;
    first = jn_joint_v(x->s->m, d->joint);
    check_ok(jnl_joint_pose(x->s->m, x->x[KIND_L].w, d->joint, LIN(q), T));
  } else {
    memcpy(T, T(frame_pose, 0), sizeof T);
  }
  for (int k = 0; k < columns; k++) {
    unit[first + k] = 1;
    along(x, joint ? F_joint_pose : F_frame_pose, 0, by, dT);
    unit[first + k] = 0;
    body_twist(T, dT, V);
    represent(T, joint ? JN_IN_BODY : d->in, V, out);
    for (int r = 0; r < 6; r++)
      worst = fmax(worst, roundings(x->out[l->f][0] + r * columns + k, out + r, 1, x->size[l->f][0], x->epsilon));
  }
  d->link = link;
  free(unit);
  return worst;
}

static double property_frame_jacobians(state *x, const property *l) {
  int n = x->d->nv;
  double worst = 0;
  number *J = room_long(6 * (size_t)n);
  (void)l;
  for (int i = 0; i < x->d->nframe; i++) {
    check_ok(jnl_frame_jacobian(x->s->m, x->x[KIND_L].w, i, x->d->in, LIN(q), J));
    worst = fmax(worst,
                 roundings(D(frame_jacobians, 0) + 6 * n * i, J, 6 * (size_t)n, SIZE(frame_jacobians, 0), x->epsilon));
  }
  free(J);
  return worst;
}

/* The Jacobian of each link in the world is made of columns of the space Jacobian; not of coupled coordinates. */
static double property_space_jacobian(state *x, const property *l) {
  const jn_model *m = x->s->m;
  int n = x->d->nv;
  double worst = -1;
  number *J = room_long(6 * (size_t)n);
  (void)l;
  for (int i = 0; i < x->d->nlink && !jn_model_is_coupled(m); i++) {
    check_ok(jnl_frame_jacobian(m, x->x[KIND_L].w, i, JN_IN_WORLD, LIN(q), J));
    for (int j = i; j >= 0; j = jn_link_parent(m, j))
      for (int k = jn_joint_v(m, j); k < jn_joint_v(m, j) + jn_joint_nv(m, j); k++)
        for (int r = 0; r < 6; r++)
          worst = fmax(worst, roundings(D(space_jacobian, 0) + r * n + k, J + r * n + k, 1, SIZE(space_jacobian, 0),
                                        x->epsilon));
  }
  free(J);
  return worst;
}

static double property_each_frame(state *x, const property *l) {
  double worst = 0;
  number V[6];
  for (int i = 0; i < x->d->nframe; i++) {
    if (l->o == 8)
      check_ok(jnl_frame_twist(x->s->m, x->x[KIND_L].w, i, x->d->in, LIN(q), LIN(v), V));
    else
      check_ok(jnl_frame_acceleration(x->s->m, x->x[KIND_L].w, i, x->d->in, LIN(q), LIN(v), LIN(a), V));
    worst = fmax(worst, roundings(x->out[F_compute][l->o] + 6 * i, V, 6, x->size[F_compute][l->o], x->epsilon));
  }
  return worst;
}

static double property_com(state *x, const property *l) {
  const jn_model *m = x->s->m;
  int first = x->d->com_link < 0 ? 0 : x->d->com_link,
      end = x->d->com_link < 0 ? x->d->nlink : jn_link_subtree_end(m, first);
  number c[3] = {0, 0, 0}, mass = 0;
  double P[10];
  (void)l;
  for (int i = first; i < end; i++) {
    if (x->d->com_link < 0 && jn_link_is_fixed(m, i)) continue;
    const number *at = T(frame_poses, 0) + 16 * i;
    check_ok(jn_link_inertia(m, i, P));
    mass += P[0];
    for (int r = 0; r < 3; r++)
      c[r] += at[4 * r + 3] * P[0] + at[4 * r] * P[1] + at[4 * r + 1] * P[2] + at[4 * r + 2] * P[3];
  }
  for (int r = 0; r < 3; r++) c[r] /= mass;
  return gap(x, F_center_of_mass, 0, c);
}

static double property_momentum(state *x, const property *l) {
  newton w;
  number h[6] = {0}, inverse[16], Ad[36], part[6], about[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  number com[3];
  (void)l;
  newton_create(x, &w);
  for (int i = 0; i < w.links; i++) {
    if (jn_link_is_fixed(x->s->m, i)) continue;
    inverse_pose(w.T + 16 * i, inverse);
    adjoint_of(inverse, Ad);
    transposed_times(Ad, w.h + 6 * i, part, 6, 6, 1);
    for (int r = 0; r < 6; r++) h[r] += part[r];
  }
  if (x->d->about == JN_ABOUT_COM) {
    check_ok(jnl_center_of_mass(x->s->m, x->x[KIND_L].w, JN_WORLD, LIN(q), NULL, NULL, com, NULL, NULL));
    for (int r = 0; r < 3; r++) about[4 * r + 3] = com[r];
    adjoint_of(about, Ad);
    transposed_times(Ad, h, part, 6, 6, 1);
    memcpy(h, part, sizeof h);
  }
  double e = gap(x, F_momentum, 0, h);
  newton_destroy(&w);
  return e;
}

/* ---- configurations ---- */

/* Poses of all joints at two configurations, apart by at most. */
static double joints_apart(state *x, const number *q, const number *p) {
  double worst = 0;
  for (int i = 0; i < x->d->nlink; i++) {
    number A[16], B[16];
    check_ok(jnl_joint_pose(x->s->m, x->x[KIND_L].w, i, q, A));
    check_ok(jnl_joint_pose(x->s->m, x->x[KIND_L].w, i, p, B));
    worst = fmax(worst, gap_long(x, A, B, 16, fmax(1, largest(q, (size_t)x->d->nq))));
  }
  return worst;
}

/* J(out) = J(q) exp(S v) for groups, q + v otherwise. */
static double property_integrate(state *x, const property *l) {
  const jn_model *m = x->s->m;
  jn_work *work = x->x[KIND_L].w;
  double worst = 0, size = fmax(1, SIZE(integrate, 0));
  number *out = room_long((size_t)x->d->nq);
  (void)l;
  for (int k = 0; k < x->d->nq; k++) out[k] = D(integrate, 0)[k];
  for (int j = 0; j < x->d->nlink; j++) {
    int nq = jn_joint_nq(m, j), nv = jn_joint_nv(m, j), iq = jn_joint_q(m, j), iv = jn_joint_v(m, j);
    for (int k = 0; k < nv && nq == nv; k++) {
      number sum = LIN(q)[iq + k] + LIN(v)[iv + k];
      worst = fmax(worst, gap_long(x, out + iq + k, &sum, 1, size));
    }
    if (nq == nv) continue;
    number S[36], A[16], B[16];
    double X[6] = {0};
    check_ok(jnl_joint_jacobian(m, work, j, LIN(q), S));
    for (int r = 0; r < 6; r++)
      for (int k = 0; k < nv; k++) X[r] += (double)(S[r * nv + k] * LIN(v)[iv + k]);
    check_ok(jnl_joint_pose(m, work, j, LIN(q), A));
    advance(A, X, 1);
    check_ok(jnl_joint_pose(m, work, j, out, B));
    worst = fmax(worst, gap_long(x, A, B, 16, size * size));
  }
  free(out);
  return worst;
}

static double property_difference(state *x, const property *l) {
  number *v = room_long((size_t)x->d->nv), *out = room_long((size_t)x->d->nq);
  (void)l;
  for (int k = 0; k < x->d->nv; k++) v[k] = D(difference, 0)[k];
  check_ok(jnl_integrate(x->s->m, x->x[KIND_L].w, LIN(q), v, out));
  double e = joints_apart(x, out, LIN(p));
  free(v), free(out);
  return e;
}

static double property_interpolate(state *x, const property *l) {
  number *v = room_long((size_t)x->d->nv), *out = room_long((size_t)x->d->nq), *got = room_long((size_t)x->d->nq);
  (void)l;
  for (int k = 0; k < x->d->nv; k++) v[k] = T(difference, 0)[k] * (number)0.375;
  for (int k = 0; k < x->d->nq; k++) got[k] = D(interpolate, 0)[k];
  check_ok(jnl_integrate(x->s->m, x->x[KIND_L].w, LIN(q), v, out));
  double e = joints_apart(x, out, got);
  free(v), free(out), free(got);
  return e;
}

static double property_normalize(state *x, const property *l) {
  number *expected = room_long((size_t)x->d->nq);
  (void)l;
  memcpy(expected, LIN(loose), (size_t)x->d->nq * sizeof *expected);
  for (int j = 0; j < x->d->nlink; j++) {
    int nq = jn_joint_nq(x->s->m, j), first = jn_joint_q(x->s->m, j) + nq - 4;
    number n = 0;
    if (nq == jn_joint_nv(x->s->m, j)) continue;
    for (int k = 0; k < 4; k++) n += expected[first + k] * expected[first + k];
    for (int k = 0; k < 4; k++) expected[first + k] /= sqrtl(n);
  }
  double e = gap(x, F_normalize, 0, expected);
  free(expected);
  return e;
}

/* Nothing has moved: every pose is its placement. */
static double property_neutral(state *x, const property *l) {
  double *q = calloc((size_t)x->d->nq + 1, sizeof *q), placement[16], worst = 0;
  float *single = calloc((size_t)x->d->nq + 1, sizeof *single);
  number *p = room_long((size_t)x->d->nq), T[16], P[16];
  (void)l;
  check_ok(jn_neutral(x->s->m, q));
  check_ok(jnf_neutral(x->s->m, single));
  for (int k = 0; k < x->d->nq; k++) {
    p[k] = q[k];
    if (q[k] != (double)single[k]) worst = INFINITY;
  }
  for (int i = 0; i < x->d->nlink; i++) {
    if (jn_joint_mimic(x->s->m, i, NULL, NULL, NULL)) continue; /* its offset moves it */
    check_ok(jnl_joint_pose(x->s->m, x->x[KIND_L].w, i, p, T));
    check_ok(jn_link_placement(x->s->m, i, placement));
    for (int k = 0; k < 16; k++) P[k] = placement[k];
    worst = fmax(worst, gap_long(x, T, P, 16, 2));
  }
  free(q), free(single), free(p);
  return worst;
}

/* The same seed, the same numbers; unit quaternions; float is double rounded. */
static double property_random(state *x, const property *l) {
  int n = x->d->nq;
  double *q = calloc((size_t)n + 1, sizeof *q), *p = calloc((size_t)n + 1, sizeof *p), worst = 0;
  float *single = calloc((size_t)n + 1, sizeof *single);
  uint64_t a = (uint64_t)x->s->index + 17, b = a, c = a;
  (void)l;
  check_ok(jn_random(x->s->m, &a, q));
  check_ok(jn_random(x->s->m, &b, p));
  check_ok(jnf_random(x->s->m, &c, single));
  for (int k = 0; k < n; k++)
    if (q[k] != p[k] || (float)q[k] != single[k] || !(fabs(q[k]) <= 3.1415926535897936)) worst = INFINITY;
  check_ok(jn_normalize(x->s->m, x->x[KIND_D].w, q, p));
  for (int k = 0; k < n; k++) worst = fmax(worst, fabs(q[k] - p[k]) / x->epsilon);
  free(q), free(p), free(single);
  return a == b && a == c ? worst : INFINITY;
}

/* clang-format off */
#define PROPERTY(functions, text, measure) {functions, text, measure, 0, 0, 0, 0, 0, 0},
#define PROPERTY_OF(function, text, measure) {#function, text, measure, F_##function, 0, 0, 0, 0, 0},
const property properties_kinematics[] = {
    PROPERTY("joint_pose", "product of exponentials of the joint's screws, by their series", property_joint_pose)
    PROPERTY_OF(joint_jacobian, "exact derivative of the joint's pose, by the complex step", property_jacobian)
    PROPERTY_OF(frame_pose, "product of the poses of the joints on the way", property_frame_pose)
    PROPERTY_OF(frame_poses, "product of the poses of the joints on the way", property_frame_pose)
    PROPERTY_OF(frame_jacobian, "exact derivative of the pose, by the complex step", property_jacobian)
    PROPERTY("frame_jacobians", "as jn_frame_jacobian() of each frame", property_frame_jacobians)
    PROPERTY("space_jacobian", "its columns make the Jacobians of all links in the world", property_space_jacobian)
    {"compute", "twists as jn_frame_twist() of each frame", property_each_frame, 0, 8, 0, 0, 0, 0},
    {"compute", "accelerations as jn_frame_acceleration() of each frame", property_each_frame, 0, 9, 0, 0, 0, 0},
    PROPERTY("center_of_mass", "mean of the links' centres of mass, weighted", property_com)
    PROPERTY("momentum", "sum of the links' momenta, moved to the point", property_momentum)
    PROPERTY("integrate", "pose times the exponential of S v for ball joints and free bodies, q + v otherwise", property_integrate)
    PROPERTY("difference integrate", "q0 moved by the difference has the poses of q1", property_difference)
    PROPERTY("interpolate", "q0 moved by a part of the difference", property_interpolate)
    PROPERTY("normalize", "quaternions divided by their length", property_normalize)
    PROPERTY("neutral jnf_neutral", "every joint's pose is its placement; float the same", property_neutral)
    PROPERTY("random jnf_random", "the same seed gives the same numbers, quaternions are unit, float is double rounded", property_random)
};
/* clang-format on */
const int property_kinematics_count = sizeof properties_kinematics / sizeof *properties_kinematics;
