/* SPDX-License-Identifier: BSD-2-Clause */
/* What the readers of single URDF elements share: messages, attributes, numbers, poses. */
#include "urdf_walk.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "limit.h"

#define XACRO_REMEDY "expand it first: xacro FILE > robot.urdf"

/* ---- Messages ---- */

int jn__walk_line(const jn_walk *w) { return (int)XML_GetCurrentLineNumber(w->parser); }
int jn__walk_column(const jn_walk *w) { return (int)XML_GetCurrentColumnNumber(w->parser) + 1; }

void jn__walk_stop(jn_walk *w, jn_status status) {
  if (w->stopped == JN_OK) w->stopped = status;
  XML_StopParser(w->parser, XML_FALSE);
}

void jn__walk_no_memory(jn_walk *w) {
  if (w->stopped == JN_OK) JN_WALK_SAY(w, JN_ERROR, JN_ERR_MEMORY, "memory", NULL, "no memory left while reading");
  jn__walk_stop(w, JN_ERR_MEMORY);
}

int jn__walk_fits(jn_walk *w) {
  const jn_urdf *u = w->u;
  jn_builder *b = u->builder;
  int links = u->link_count > u->joint_count ? u->link_count : u->joint_count; /* each joint carries a link */
  const jn_parts parts = {.links = links + 1, .moving = u->moving_count, .loops = u->constraint_count};
  if (jn__parts_fit(&b->log, b->file, &parts, jn__limit(b->options.max_bytes))) return 1;
  jn__walk_stop(w, JN_ERR_FILE);
  return 0;
}

void jn__walk_subject(jn_walk *w, const char *what, const char *name) {
  if (name) {
    snprintf(w->subject, sizeof w->subject, "%s '%.*s'", what, JN_CLIP(name));
  } else {
    snprintf(w->subject, sizeof w->subject, "element <%s>", what);
  }
}

void jn__walk_xacro(jn_walk *w, const char *what) {
  JN_WALK_SAY(w, JN_ERROR, JN_ERR_SYNTAX, "urdf-xacro", XACRO_REMEDY, "this is a xacro source, not a URDF file: %.*s",
              JN_CLIP(what));
  jn__walk_stop(w, JN_ERR_SYNTAX);
}

/* ---- Attributes ---- */

const char *jn__walk_attribute(jn_walk *w, const char *name) {
  for (int i = 0; w->values[i]; i += 2) {
    const char *value = w->values[i + 1];
    if (strcmp(w->values[i], name) != 0) continue;
    if (strstr(value, "${") || strstr(value, "$(")) {
      jn__walk_xacro(w, value);
      return NULL;
    }
    return value;
  }
  return NULL;
}

const char *jn__walk_needed(jn_walk *w, const char *name) {
  const char *value = jn__walk_attribute(w, name);
  if (value || w->stopped != JN_OK) return value;
  JN_WALK_SAY(w, JN_ERROR, JN_ERR_SYNTAX, "urdf-attribute", NULL, "<%s> has no attribute '%s'", w->name, name);
  return NULL;
}

char *jn__walk_needed_text(jn_walk *w, const char *name) {
  const char *value = jn__walk_needed(w, name);
  if (value && !*value) {
    JN_WALK_SAY(w, JN_ERROR, JN_ERR_SYNTAX, "urdf-attribute", NULL, "attribute '%s' of <%s> is empty", name, w->name);
    value = NULL;
  }
  if (!value) return NULL;
  char *copy = jn__copy_text(&w->u->builder->allocator, value);
  if (!copy) jn__walk_no_memory(w);
  return copy;
}

char *jn__walk_needed_name(jn_walk *w, const char *name) {
  char *copy = jn__walk_needed_text(w, name);
  if (!copy) w->u->incomplete = 1;
  return copy;
}

static const char *after_blanks(const char *s) { return s + strspn(s, " \t\r\n"); }

const char *jn__walk_read_numbers(const char *text, double *out, int n, int infinite_allowed) {
  const char *at = after_blanks(text);
  for (int i = 0; i < n; i++) {
    if (!*at) return i == 0 ? "is empty" : "has too few numbers";
    char *end;
    out[i] = jn__read_number(at, &end);
    if (end == at || (*end && !strchr(" \t\r\n", *end))) return "is not a number";
    if (isnan(out[i]) || (isinf(out[i]) && !infinite_allowed)) return "is not finite";
    at = after_blanks(end);
  }
  return *at ? "has too many numbers" : NULL;
}

int jn__walk_numbers(jn_walk *w, const char *name, double *out, int n, int infinite_allowed) {
  const char *text = jn__walk_attribute(w, name);
  if (!text) return 0;
  double values[4] = {0};
  const char *wrong = jn__walk_read_numbers(text, values, n, infinite_allowed);
  if (wrong) {
    static const char *const remedies[5] = {[1] = "give one number, with a decimal point",
                                            [3] = "give three numbers separated by blanks, with decimal points",
                                            [4] = "give four numbers separated by blanks, with decimal points"};
    JN_WALK_SAY(w, JN_ERROR, JN_ERR_SYNTAX, "urdf-number", remedies[n], "attribute '%s' of <%s> %s: \"%.*s\"", name,
                w->name, wrong, JN_CLIP(text));
    return -1;
  }
  memcpy(out, values, (size_t)n * sizeof *out);
  return 1;
}

int jn__walk_number(jn_walk *w, const char *name, double *out) { return jn__walk_numbers(w, name, out, 1, 0); }

int jn__walk_needed_number(jn_walk *w, const char *name, double *out) {
  return jn__walk_needed(w, name) ? jn__walk_number(w, name, out) : -1;
}

int jn__walk_axis(jn_walk *w, double axis[3]) {
  double given[3];
  if (!jn__walk_needed(w, "xyz") || jn__walk_numbers(w, "xyz", given, 3, 0) <= 0) return 0;
  double square = given[0] * given[0] + given[1] * given[1] + given[2] * given[2];
  if (square == 0 || isinf(square)) {
    JN_WALK_SAY(w, JN_ERROR, JN_ERR_MODEL, "urdf-axis", "give a direction such as \"0 0 1\"",
                "<%s> is %s: it has no direction", w->name, square == 0 ? "zero" : "too large");
    return 0;
  }
  memcpy(axis, given, sizeof given);
  return 1;
}

/* ---- Poses ---- */

void jn__walk_origin(jn_walk *w, double T[16]) {
  double position[3] = {0}, rpy[3] = {0}, q[4];
  jn__walk_numbers(w, "xyz", position, 3, 0);
  for (int i = 0; i < 3; i++) T[4 * i + 3] = position[i];
  int has_rpy = jn__walk_numbers(w, "rpy", rpy, 3, 0);
  jn__turn_rpy(T, rpy);
  if (jn__walk_numbers(w, "quat_xyzw", q, 4, 0) <= 0) return;
  double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if (has_rpy) {
    JN_WALK_SAY(w, JN_ERROR, JN_ERR_MODEL, "urdf-origin", "keep one of them", "<origin> has both rpy and quat_xyzw");
  } else if (!(norm > 0) || isinf(norm)) {
    JN_WALK_SAY(w, JN_ERROR, JN_ERR_MODEL, "urdf-origin", "give a unit quaternion x y z w",
                "attribute 'quat_xyzw' of <origin> is not a rotation");
  } else {
    for (int i = 0; i < 4; i++) q[i] /= norm;
    jn__turn_quaternion(T, q);
  }
}
