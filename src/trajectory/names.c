/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of coordinates in files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../text/nearest_name.h"
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
  int n = snprintf(name, size, "%s%s", jn_joint_name(model, joint), suffix_of(model, joint, number));
  return (size_t)n < size ? JN_OK : JN_ERR_SIZE;
}

jn_status jn_velocity_name(const jn_model *model, int i, char *name, size_t size) {
  if (!model || !name) return JN_ERR_NULL;
  int number, joint = jn_coordinate_joint(model, i, &number);
  if (joint == JN_NONE) return JN_ERR_INDEX;
  jn_joint_type type = jn_joint_type_of(model, joint);
  int twist = type == JN_FREE || type == JN_SPHERICAL;
  int n = snprintf(name, size, "%s%s", jn_joint_name(model, joint),
                   twist ? twist_suffixes[number] : suffix_of(model, joint, number));
  return (size_t)n < size ? JN_OK : JN_ERR_SIZE;
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

/* ---- All names of a model, sorted ---- */

static int compare_names(const void *a, const void *b) {
  const jn_name_place *x = a, *y = b;
  int order = strcmp(x->name, y->name);
  return order ? order : (x->place > y->place) - (x->place < y->place);
}

static void add_name(jn_name_index *index, char **text, const char *joint, const char *suffix, int place) {
  index->places[index->count++] = (jn_name_place){*text, place};
  *text += sprintf(*text, "%s%s", joint, suffix) + 1;
}

static void sort_index(jn_name_index *index) {
  qsort(index->places, (size_t)index->count, sizeof *index->places, compare_names);
}

static const jn_name_place *find_name(const jn_name_index *index, const char *name) {
  const jn_name_place key = {(char *)(uintptr_t)name, -1};
  int low = 0, high = index->count;
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (compare_names(&index->places[middle], &key) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low < index->count && strcmp(index->places[low].name, name) == 0 ? &index->places[low] : NULL;
}

jn_status jn__names_make(jn_names *names, const jn_allocator *a, const jn_model *m) {
  size_t bytes = 0, nq = (size_t)jn_model_nq(m), nv = (size_t)jn_model_nv(m);
  *names = (jn_names){.allocator = *a};
  for (int j = 0; j < jn_link_count(m); j++)
    bytes += (size_t)(jn_joint_nq(m, j) + jn_joint_nv(m, j)) * (strlen(jn_joint_name(m, j)) + 8);
  names->q.places = jn__allocate(a, (nq + nv + 1) * sizeof *names->q.places);
  char *text = names->text = jn__allocate(a, bytes + 1);
  if (!names->q.places || !text) return JN_ERR_MEMORY;
  names->v.places = names->q.places + nq;
  for (int j = 0; j < jn_link_count(m); j++) {
    jn_joint_type type = jn_joint_type_of(m, j);
    int twist = type == JN_FREE || type == JN_SPHERICAL;
    const char *name = jn_joint_name(m, j);
    for (int i = 0; i < jn_joint_nq(m, j); i++)
      add_name(&names->q, &text, name, suffix_of(m, j, i), jn_joint_q(m, j) + i);
    for (int i = 0; i < jn_joint_nv(m, j); i++)
      add_name(&names->v, &text, name, twist ? twist_suffixes[i] : suffix_of(m, j, i), jn_joint_v(m, j) + i);
  }
  sort_index(&names->q);
  sort_index(&names->v);
  return JN_OK;
}

void jn__names_free(jn_names *names) {
  jn__release(&names->allocator, names->q.places);
  jn__release(&names->allocator, names->text);
  *names = (jn_names){0};
}

int jn__coordinate_find(const jn_loading *l, const char *name) {
  const jn_name_place *found = find_name(&l->names.q, name);
  return found ? found->place : base_coordinate(l, name);
}

int jn__velocity_find(const jn_loading *l, const char *name) {
  const jn_name_place *found = find_name(&l->names.v, name);
  return found ? found->place : -1;
}

/* ---- Names that are nearly right ---- */

static const char *moving_name(const void *model, int j) {
  return jn_joint_nq(model, j) > 0 ? jn_joint_name(model, j) : NULL;
}

static const char *link_name(const void *model, int i) { return jn_link_name(model, i); }

const char *jn__nearest_joint(const jn_model *m, const char *word) {
  return jn__nearest_name(word, jn_link_count(m), moving_name, m);
}

const char *jn__nearest_link(const jn_model *m, const char *word) {
  return jn__nearest_name(word, jn_link_count(m), link_name, m);
}
