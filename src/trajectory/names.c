/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of coordinates in files. */
#include <stdio.h>
#include <string.h>

#include "../io/common.h"
#include "trajectory.h"

static const char *const free_suffixes[] = {"_x", "_y", "_z", "_qx", "_qy", "_qz", "_qw"};
static const char *const planar_suffixes[] = {"_x", "_y", "_angle"};
static const char *const cylindrical_suffixes[] = {"_angle", "_length"};
static const char *const number_suffixes[] = {"_1", "_2", "_3", "_4", "_5", "_6"};
static const char *const twist_suffixes[] = {"_wx", "_wy", "_wz", "_vx", "_vy", "_vz"};

static const char *suffix_of(const jn_model *m, int joint, int i) {
  switch (jn_joint_type_of(m, joint)) {
    case JN_FREE:
      return free_suffixes[i];
    case JN_SPHERICAL:
      return free_suffixes[3 + i];
    case JN_PLANAR:
      return planar_suffixes[i];
    case JN_CYLINDRICAL:
      return cylindrical_suffixes[i];
    default:
      return jn_joint_nq(m, joint) > 1 ? number_suffixes[i] : "";
  }
}

/* The joint of place i in q, and which of its numbers that is. */
static int owner_of(const jn_model *m, int i, int *number) {
  *number = 0;
  for (int j = 0; j < jn_link_count(m); j++) {
    int nq = jn_joint_nq(m, j), first = jn_joint_q(m, j);
    if (nq == 0 || i < first || i >= first + nq) continue;
    *number = i - first;
    return j;
  }
  return JN_NONE;
}

jn_status jn_coordinate_name(const jn_model *model, int i, char *name, size_t size) {
  if (!model || !name) return JN_ERR_NULL;
  int number, joint = owner_of(model, i, &number);
  if (joint == JN_NONE) return JN_ERR_INDEX;
  snprintf(name, size, "%s%s", jn_joint_name(model, joint), suffix_of(model, joint, number));
  return JN_OK;
}

jn_status jn_velocity_name(const jn_model *model, int i, char *name, size_t size) {
  if (!model || !name) return JN_ERR_NULL;
  int number, joint = jn_coordinate_joint(model, i, &number);
  if (joint == JN_NONE) return JN_ERR_INDEX;
  jn_joint_type type = jn_joint_type_of(model, joint);
  int twist = type == JN_FREE || type == JN_SPHERICAL;
  snprintf(name, size, "%s%s", jn_joint_name(model, joint),
           twist ? twist_suffixes[number] : suffix_of(model, joint, number));
  return JN_OK;
}

int jn__quaternion_at(const jn_model *m, int i) {
  int number, joint = owner_of(m, i, &number);
  jn_joint_type type = jn_joint_type_of(m, joint);
  int first = type == JN_FREE ? 3 : type == JN_SPHERICAL ? 0 : 7;
  return number >= first ? i - number + first : -1;
}

/* "base_x" by the name of the joint that base stands for. */
static int base_coordinate(const jn_loading *l, const char *name) {
  if (l->base == JN_NONE || strncmp(name, "base_", 5) != 0) return -1;
  for (int i = 0; i < jn_joint_nq(l->model, l->base); i++)
    if (strcmp(name + 4, suffix_of(l->model, l->base, i)) == 0) return jn_joint_q(l->model, l->base) + i;
  return -1;
}

int jn__coordinate_find(const jn_loading *l, const char *name) {
  char own[JN_NAME];
  for (int i = 0; i < jn_model_nq(l->model); i++) {
    jn_coordinate_name(l->model, i, own, sizeof own);
    if (strcmp(own, name) == 0) return i;
  }
  return base_coordinate(l, name);
}

static const char *nearest(const jn_model *m, const char *word, int moving,
                           const char *(*name_of)(const jn_model *, int)) {
  const char *best = NULL;
  int least = (int)strlen(word) / 3 + 1;
  for (int j = 0; j < jn_link_count(m); j++) {
    if (moving && jn_joint_nq(m, j) == 0) continue;
    const char *name = name_of(m, j);
    int distance = jn__edit_distance(word, name);
    if (distance > least || (best && distance == least)) continue;
    least = distance;
    best = name;
  }
  return best;
}

const char *jn__nearest_joint(const jn_model *m, const char *word) { return nearest(m, word, 1, jn_joint_name); }
const char *jn__nearest_link(const jn_model *m, const char *word) { return nearest(m, word, 0, jn_link_name); }
