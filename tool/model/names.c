/* SPDX-License-Identifier: BSD-2-Clause */
#define _XOPEN_SOURCE 700
#include "names.h"

#include <stdlib.h>
#include <string.h>
#ifndef _WIN32
#include <fnmatch.h>
#endif

#include "../command.h"
#include "../text/print.h"

enum { NAMES_LISTED = 12 };

/* Reports that there is no such name: the nearest one if one is near, else the first of all. */
static int unknown_name(const char *command, const char *where, const char *kind, const char *name,
                        const char *const *names, int count) {
  const char *near = nearest_word(name, names, count);
  if (near) return usage_error(command, "--%s: the model has no %s '%s'; did you mean '%s'?", where, kind, name, near);
  char *list = copy_text("", 0);
  for (int i = 0; i < count && i < NAMES_LISTED; i++) {
    char *longer = format_text("%s%s%s", list, i ? ", " : "", names[i]);
    free(list);
    list = longer;
  }
  int status = usage_error(command, "--%s: the model has no %s '%s'; there %s %s%s", where, kind, name,
                           count == 1 ? "is" : "are", list, count > NAMES_LISTED ? ", ..." : "");
  free(list);
  return status;
}

int find_frame(const char *command, const char *where, const jn_model *model, const char *name, int *frame) {
  *frame = jn_frame_index(model, name);
  if (*frame >= 0) return OPTION_GO_ON;
  int count = jn_frame_count(model);
  const char **names = allocate((size_t)count * sizeof *names);
  for (int i = 0; i < count; i++) names[i] = jn_frame_name(model, i);
  int status = unknown_name(command, where, "link or frame", name, names, count);
  free(names);
  return status;
}

int check_link(const char *command, const char *where, const jn_model *model, const char *name) {
  int count = jn_link_count(model), frame = jn_frame_index(model, name);
  if (jn_link_index(model, name) >= 0) return OPTION_GO_ON;
  if (frame >= count)
    return usage_error(command, "--%s: '%s' is a frame on link '%s': give that link", where, name,
                       jn_link_name(model, jn_frame_link(model, frame)));
  const char **names = allocate((size_t)count * sizeof *names);
  for (int i = 0; i < count; i++) names[i] = jn_link_name(model, i);
  int status = unknown_name(command, where, "link", name, names, count);
  free(names);
  return status;
}

static bool moves(const jn_model *model, int joint) { return jn_joint_nv(model, joint) > 0; }

int find_joint(const char *command, const char *where, const jn_model *model, const char *name, int *joint) {
  *joint = jn_joint_index(model, name);
  if (*joint >= 0 && moves(model, *joint)) return OPTION_GO_ON;
  int links = jn_link_count(model), count = 0;
  const char **names = allocate((size_t)links * sizeof *names);
  for (int i = 0; i < links; i++)
    if (moves(model, i)) names[count++] = jn_joint_name(model, i);
  int status = unknown_name(command, where, "moving joint", name, names, count);
  free(names);
  return status;
}

static bool is_pattern(const char *text) { return strpbrk(text, "*?[") != NULL; }

bool name_matches(const char *pattern, const char *name) {
#ifndef _WIN32
  if (is_pattern(pattern)) return fnmatch(pattern, name, 0) == 0;
#endif
  return strcmp(pattern, name) == 0;
}

static int choose(const char *command, const jn_model *model, const char *pattern, unsigned char *chosen) {
  int matches = 0, joint;
  for (int i = 0; i < jn_link_count(model); i++) {
    if (!moves(model, i) || !name_matches(pattern, jn_joint_name(model, i))) continue;
    memset(chosen + jn_joint_v(model, i), 1, (size_t)jn_joint_nv(model, i));
    matches++;
  }
  if (matches > 0) return OPTION_GO_ON;
  if (is_pattern(pattern)) return usage_error(command, "--joints: no moving joint matches '%s'", pattern);
  return find_joint(command, "joints", model, pattern, &joint);
}

int choose_joints(const char *command, const jn_model *model, const name_list *names, unsigned char **chosen) {
  *chosen = NULL;
  if (names->count == 0) return OPTION_GO_ON;
  size_t nv = (size_t)jn_model_nv(model);
  *chosen = allocate(nv);
  memset(*chosen, 0, nv);
  int status = OPTION_GO_ON;
  for (int i = 0; i < names->count && status == OPTION_GO_ON; i++)
    status = choose(command, model, names->names[i], *chosen);
  if (status == OPTION_GO_ON) return status;
  free(*chosen);
  *chosen = NULL;
  return status;
}
