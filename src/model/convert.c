/* SPDX-License-Identifier: BSD-2-Clause */
#include "convert.h"

#include "draft.h"

/* The smallest rotation that takes z to the unit vector a. Exact (entries 0, 1, -1) for the coordinate axes. */
static mat3 z_to(vec3 a) {
  if (a.z < -0.5) { /* near -z: rotate to -a first, then half a turn about x, to avoid cancellation in 1 + a.z */
    mat3 R = z_to(v3_neg(a));
    return (mat3){R.x, v3_neg(R.y), v3_neg(R.z)};
  }
  double s = 1 / (1 + a.z);
  return (mat3){v3(1 - s * a.x * a.x, -s * a.x * a.y, -a.x), v3(-s * a.x * a.y, 1 - s * a.y * a.y, -a.y), a};
}

/* A length that is 1 up to rounding is set to 1; otherwise an angle of 1e7 rad would have the same relative error. */
static jn_screw_d unit_screw(const double X[6]) {
  double w = sqrt(X[0] * X[0] + X[1] * X[1] + X[2] * X[2]);
  jn_screw_d s = {.prismatic = w == 0};
  s.scale = w > 0 ? w : sqrt(X[3] * X[3] + X[4] * X[4] + X[5] * X[5]);
  for (int k = 0; k < 6; k++) s.X[k] = X[k] / s.scale;
  if (fabs(s.scale - 1) <= 8 * DBL_EPSILON) s.scale = 1;
  return s;
}

static jn_screw_d rotation_about(const double axis[3]) {
  return unit_screw((double[6]){axis[0], axis[1], axis[2], 0, 0, 0});
}

static jn_screw_d translation_along(const double axis[3]) {
  return unit_screw((double[6]){0, 0, 0, axis[0], axis[1], axis[2]});
}

void jn__joint_to_screws(const jn_joint *joint, jn_screw_d *out) {
  static const double x[3] = {1, 0, 0}, y[3] = {0, 1, 0}, z[3] = {0, 0, 1};
  switch (joint->type) {
    case JN_CYLINDRICAL:
      out[0] = rotation_about(z);
      out[1] = translation_along(z);
      break;
    case JN_PLANAR:
      out[0] = translation_along(x);
      out[1] = translation_along(y);
      out[2] = rotation_about(z);
      break;
    case JN_UNIVERSAL:
    case JN_GIMBAL:
      out[0] = rotation_about(joint->axis);
      out[1] = rotation_about(joint->axis2);
      if (joint->type == JN_GIMBAL) out[2] = rotation_about(joint->axis3);
      break;
    default:
      for (int k = 0; k < joint->screw_count; k++) out[k] = unit_screw(joint->screws[k]);
  }
}

/* One screw: a rotation, translation or helix about a line, whatever the joint type. */
static void one_screw(const double X[6], pose *internal, jn_body_d *body, double *scale) {
  jn_screw_d s = unit_screw(X);
  vec3 w = v3_load(s.X), v = v3_load(s.X + 3);
  *scale = s.scale;
  body->kind = JN_BODY_PRISMATIC;
  *internal = (pose){z_to(s.prismatic ? v : w), v3_zero()};
  if (s.prismatic) return;
  internal->p = cross(w, v);
  body->pitch = dot(w, v);
  if (fabs(body->pitch) <= 8 * DBL_EPSILON * sqrt(dot(v, v))) body->pitch = 0; /* rounding of w.v */
  body->kind = body->pitch != 0 ? JN_BODY_HELICAL : JN_BODY_REVOLUTE;
}

void jn__joint_to_body(const jn_joint *joint, pose *internal, jn_body_d *body, double *scale) {
  mat3 turned = z_to(v3_load(joint->axis));
  vec3 point = v3_load(joint->point);
  *scale = 1;
  body->kind = JN_BODY_GENERAL;
  body->pitch = 0;
  *internal = (pose){m3_identity(), point};
  switch (joint->type) {
    case JN_REVOLUTE:
    case JN_CONTINUOUS:
    case JN_HELICAL:
      internal->R = turned;
      body->kind = joint->type == JN_HELICAL && joint->pitch != 0 ? JN_BODY_HELICAL : JN_BODY_REVOLUTE;
      if (joint->type == JN_HELICAL) body->pitch = joint->pitch;
      break;
    case JN_PRISMATIC:
      *internal = (pose){turned, v3_zero()};
      body->kind = JN_BODY_PRISMATIC;
      break;
    case JN_CYLINDRICAL:
    case JN_PLANAR:
      internal->R = turned;
      break;
    case JN_SPHERICAL:
      body->kind = JN_BODY_SPHERICAL;
      break;
    case JN_FREE:
      internal->p = v3_zero();
      body->kind = JN_BODY_FREE;
      break;
    case JN_GENERAL:
      internal->p = v3_zero();
      if (joint->screw_count == 1) one_screw(joint->screws[0], internal, body, scale);
      break;
    default:
      break;
  }
}

pose jn__placement_pose(const double T[16]) {
  pose P = se3_load(T);
  mat3 E = m3_tprod(P.R, P.R);
  double off = fmax(fmax(fabs(E.x.x - 1), fabs(E.y.y - 1)), fabs(E.z.z - 1));
  off = fmax(off, fmax(fabs(E.x.y), fmax(fabs(E.x.z), fabs(E.y.z))));
  if (off > 1e-14) P.R = q_rotation(q_from_rotation(P.R));
  return P;
}
