/* SPDX-License-Identifier: BSD-2-Clause */
/* Names in a URDF file that the reader does not know. One that is nearly a known name is a slip of the pen and a
 * warning each time: <limits>, or <limit uper="1">. Other attributes are extensions of somebody else's; each is noted
 * once. */
#include <stdio.h>
#include <string.h>

#include "../text/words.h"
#include "urdf_walk.h"

/* The attributes of every element that is read. NULL: not checked, since the element belongs to others as well. */
static const char *attributes_of(const char *element) {
  static const struct {
    const char *element, *attributes;
  } known[] = {
      {"link", "name, type, world"},
      {"joint", "name, type"},
      {"inertial", ""},
      {"origin", "xyz, rpy, quat_xyzw"},
      {"mass", "value"},
      {"inertia", "ixx, iyy, izz, ixy, ixz, iyz"},
      {"parent", "link"},
      {"child", "link"},
      {"axis", "xyz"},
      {"limit", "lower, upper, effort, velocity, acceleration, deceleration, jerk, effort_rate"},
      {"dynamics", "damping, friction, armature, stiffness, rest"},
      {"mimic", "joint, multiplier, offset"},
      {"constraint", "name, type"},
      {"parent_origin", "xyz, rpy, quat_xyzw"},
      {"child_origin", "xyz, rpy, quat_xyzw"},
      {"parent_axis", "xyz"},
      {"child_axis", "xyz"},
      {"distance", "value"},
      {"offset", "value"},
      {"mask", "coordinates"},
      {"term", "joint, factor, coordinate"},
  };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strcmp(known[i].element, element) == 0) return known[i].attributes;
  return NULL;
}

/* Elements of URDF that are not read for the model belong in these lists: they are no slips of the pen. */
static const char *elements_in(jn_urdf_element inside) {
  switch (inside) {
    case JN_AT_ROBOT:
      return "link, joint, constraint, transmission, material, gazebo, sensor, ros2_control";
    case JN_AT_LINK:
      return "inertial, visual, collision, contact, sensor, self_collision_checking";
    case JN_AT_INERTIAL:
      return "origin, mass, inertia";
    case JN_AT_JOINT:
      return "origin, parent, child, axis, limit, dynamics, mimic, calibration, safety_controller, hardwareInterface";
    case JN_AT_CONSTRAINT:
      return "parent, child, parent_origin, child_origin, parent_axis, child_axis, distance, mask, term, offset";
    default:
      return NULL;
  }
}

/* One or two wrong letters, but not so many that nothing of a short word is left. */
static int is_near(const char *list, const char *word, char nearest[32]) {
  int edits = jn__nearest(list, word, nearest);
  return edits > 0 && edits <= 2 && edits < (int)strlen(nearest) - 1 && edits < (int)strlen(word);
}

static void note_once(jn_walk *w, const char *attribute) {
  jn_urdf *u = w->u;
  for (int i = 0; i < u->foreign_count; i++) {
    const char *known = u->foreign[i];
    size_t n = strlen(w->name);
    if (strncmp(known, w->name, n) == 0 && known[n] == ' ' && strcmp(known + n + 1, attribute) == 0) return;
  }
  if (u->foreign_count == JN_URDF_FOREIGN || strlen(w->name) + strlen(attribute) + 2 > sizeof *u->foreign) return;
  snprintf(u->foreign[u->foreign_count++], sizeof *u->foreign, "%s %s", w->name, attribute);
  JN_WALK_SAY(w, JN_NOTE, JN_OK, "urdf-unknown", NULL, "attribute '%s' of <%s> is unknown and is ignored everywhere",
              attribute, w->name);
}

void jn__walk_check_attributes(jn_walk *w) {
  const char *list = attributes_of(w->name);
  char nearest[32], remedy[64];
  for (int i = 0; list && w->values[i] && w->stopped == JN_OK; i += 2) {
    const char *name = w->values[i];
    if (strchr(name, ':') || jn__is_listed(list, name)) continue; /* another's namespace */
    if (!is_near(list, name, nearest)) {
      note_once(w, name);
      continue;
    }
    snprintf(remedy, sizeof remedy, "did you mean '%s'?", nearest);
    JN_WALK_SAY(w, JN_WARNING, JN_ERR_SYNTAX, "urdf-unknown", remedy,
                "attribute '%.*s' of <%s> is unknown and is ignored", JN_CLIP(name), w->name);
  }
}

void jn__walk_check_skipped(jn_walk *w, jn_urdf_element inside) {
  const char *list = elements_in(inside);
  char nearest[32], remedy[64];
  if (!list || jn__is_listed(list, w->name) || !is_near(list, w->name, nearest)) return;
  snprintf(remedy, sizeof remedy, "did you mean <%s>?", nearest);
  JN_WALK_SAY(w, JN_WARNING, JN_ERR_SYNTAX, "urdf-unknown", remedy, "element <%.*s> is unknown and is ignored",
              JN_CLIP(w->name));
}
