/* SPDX-License-Identifier: BSD-2-Clause */
/* <keyframe>: states in the coordinates of MuJoCo, as configurations and velocities of a model. A joint is found in the
 * model by its name, so that the model may have been edited since. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jounce/lie.h"
#include "mjcf.h"

/* Numbers of a joint in qpos and qvel. */
static int positions_of(const jn_mjcf_joint *j) {
  static const int counts[] = {[JN_MJCF_HINGE] = 1, [JN_MJCF_SLIDE] = 1, [JN_MJCF_BALL] = 4, [JN_MJCF_FREE] = 7};
  return counts[j->type];
}

static int velocities_of(const jn_mjcf_joint *j) {
  static const int counts[] = {[JN_MJCF_HINGE] = 1, [JN_MJCF_SLIDE] = 1, [JN_MJCF_BALL] = 3, [JN_MJCF_FREE] = 6};
  return counts[j->type];
}

/* `count` numbers of an attribute; NULL: it is absent, or wrong, which is told. */
static double *read_list(jn_mjcf *m, int node, const char *name, int count) {
  const char *text = jn__mjcf_own(m, node, name);
  double *list = text ? jn__mjcf_allocate(m, ((size_t)count + 1) * sizeof *list) : NULL;
  if (!list) return NULL;

  int found = 0;
  for (char *end;; text = end, found++) {
    double x = strtod(text, &end);
    if (end == text) break;
    if (found < count) list[found] = x;
    if (found < count && !isfinite(x)) break;
  }
  text += strspn(text, " \t\r\n");
  if (found == count && !*text) return list;

  char remedy[96];
  snprintf(remedy, sizeof remedy, "give the %d numbers of all joints, in the order of the file", count);
  jn__mjcf_log(m, JN_ERROR, JN_ERR_SYNTAX, "mjcf-key", node, remedy,
               "attribute '%s' has %d number%s that can be read, not %d", name, found, found == 1 ? "" : "s", count);
  return NULL;
}

/* Ours from (w, x, y, z); a quaternion of zeros is that of no rotation. */
static void turn_quaternion(const double *theirs, double *ours) {
  double length = sqrt(theirs[0] * theirs[0] + theirs[1] * theirs[1] + theirs[2] * theirs[2] + theirs[3] * theirs[3]);
  for (int k = 0; k < 4; k++) ours[k] = length > 0 ? theirs[(k + 1) % 4] / length : k == 3;
}

/* Where the file has it: qpos0 of MuJoCo, in our coordinates. */
static void home_position(const jn_mjcf *m, const jn_mjcf_joint *j, double *q) {
  const double *home = m->bodies[j->body].home;
  if (j->type == JN_MJCF_FREE) {
    double R[9];
    for (int i = 0; i < 9; i++) R[i] = home[4 * (i / 3) + i % 3];
    for (int i = 0; i < 3; i++) q[i] = home[4 * i + 3];
    jn_rotation_to_quaternion(R, q + 3);
  } else if (j->type == JN_MJCF_BALL) {
    for (int i = 0; i < 4; i++) q[i] = i == 3;
  } else {
    q[0] = j->ref;
  }
}

static void take_position(const jn_mjcf_joint *j, const double *qpos, double *q) {
  if (j->type == JN_MJCF_FREE) {
    memcpy(q, qpos, 3 * sizeof *q);
    turn_quaternion(qpos + 3, q + 3);
  } else if (j->type == JN_MJCF_BALL) {
    turn_quaternion(qpos, q);
  } else {
    q[0] = qpos[0];
  }
}

/* Of a free joint theirs is the velocity in the world's axes, then the angular velocity in the body's. */
static void take_velocity(const jn_mjcf_joint *j, const double *q, const double *qvel, double *v) {
  memcpy(v, qvel, (size_t)velocities_of(j) * sizeof *v);
  if (j->type != JN_MJCF_FREE) return;
  double R[9];
  jn_quaternion_to_rotation(q + 3, R);
  memcpy(v, qvel + 3, 3 * sizeof *v);
  for (int i = 0; i < 3; i++) {
    v[3 + i] = 0;
    for (int k = 0; k < 3; k++) v[3 + i] += R[3 * k + i] * qvel[k];
  }
}

/* The joint of the model that a joint of the file is; JN_NONE: it has none, or one that has no coordinates. */
static int find_joint(const jn_model *model, const jn_mjcf_joint *j) {
  int joint = jn_joint_index(model, j->label);
  if (joint == JN_NONE || jn_joint_nq(model, joint) != positions_of(j)) return JN_NONE;
  return jn_joint_mimic(model, joint, NULL, NULL, NULL) ? JN_NONE : joint;
}

static void fill_state(jn_mjcf *m, int node, const jn_keyframe_request *wanted) {
  int nq = 0, nv = 0;
  for (int i = 0; i < m->joint_count; i++) {
    nq += positions_of(&m->joints[i]);
    nv += velocities_of(&m->joints[i]);
  }
  const double *qpos = read_list(m, node, "qpos", nq), *qvel = read_list(m, node, "qvel", nv);

  for (int i = 0; i < m->joint_count && m->stopped == JN_OK; i++) {
    const jn_mjcf_joint *j = &m->joints[i];
    int joint = find_joint(wanted->model, j);
    if (joint != JN_NONE) {
      double *q = wanted->q + jn_joint_q(wanted->model, joint), *v = wanted->v + jn_joint_v(wanted->model, joint);
      if (qpos)
        take_position(j, qpos, q);
      else
        home_position(m, j, q);
      if (qvel) take_velocity(j, q, qvel, v);
    }
    if (qpos) qpos += positions_of(j);
    if (qvel) qvel += velocities_of(j);
  }
}

void jn__mjcf_read_keys(jn_mjcf *m) {
  jn_keyframe_request *wanted = m->builder->keyframe;
  if (!wanted) return;
  for (int i = 0; i < m->node_count && m->stopped == JN_OK; i++) {
    if (m->nodes[i].kind != JN_MJCF_KEY) continue;
    if (wanted->count++ != wanted->index) continue;
    const char *name = jn__mjcf_own(m, i, "name");
    snprintf(wanted->name, JN_KEYFRAME_NAME, "%s", name ? name : "");
    fill_state(m, i, wanted);
  }
}
