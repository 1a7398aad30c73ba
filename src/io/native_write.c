/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes models as native files (docs/model-file.md). Default values are left out. Numbers are written so that they
 * read back to the same bits, which is why placements are written as matrices and inertias as the ten parameters. */
#include <math.h>
#include <string.h>

#include "../model/draft.h"
#include "common.h"
#include "io.h"
#include "native.h"

unsigned jn__joint_keys(jn_joint_type type) {
  const unsigned line = JN_KEY_AXIS | JN_KEY_MOTION | JN_KEY_MIMIC;
  switch (type) {
    case JN_REVOLUTE:
    case JN_CONTINUOUS:
      return line | JN_KEY_POINT;
    case JN_PRISMATIC:
      return line;
    case JN_HELICAL:
      return line | JN_KEY_POINT | JN_KEY_PITCH;
    case JN_CYLINDRICAL:
    case JN_PLANAR:
      return JN_KEY_AXIS | JN_KEY_POINT | JN_KEY_MOTION;
    case JN_UNIVERSAL:
      return JN_KEY_AXIS | JN_KEY_AXIS2 | JN_KEY_POINT | JN_KEY_MOTION;
    case JN_GIMBAL:
      return JN_KEY_AXIS | JN_KEY_AXIS2 | JN_KEY_AXIS3 | JN_KEY_POINT | JN_KEY_MOTION;
    case JN_SPHERICAL:
      return JN_KEY_POINT | JN_KEY_MOTION;
    case JN_FREE:
      return JN_KEY_MOTION;
    case JN_GENERAL:
      return JN_KEY_SCREWS | JN_KEY_MOTION | JN_KEY_MIMIC;
    case JN_FIXED:
    case JN_JOINT_TYPES:
      break;
  }
  return 0;
}

unsigned jn__loop_keys(jn_loop_type type) {
  switch (type) {
    case JN_LOOP_REVOLUTE:
    case JN_LOOP_PRISMATIC:
    case JN_LOOP_CYLINDRICAL:
    case JN_LOOP_PLANAR:
    case JN_LOOP_POINT_ON_AXIS:
    case JN_LOOP_POINT_CONTACT:
    case JN_LOOP_SLIDING_POINT:
    case JN_LOOP_SURFACE_CONTACT:
    case JN_LOOP_SLIDING_SURFACE:
      return JN_KEY_SIDES | JN_KEY_AXIS;
    case JN_LOOP_UNIVERSAL:
      return JN_KEY_SIDES | JN_KEY_AXIS | JN_KEY_AXIS2;
    case JN_LOOP_DISTANCE:
      return JN_KEY_SIDES | JN_KEY_DISTANCE;
    case JN_LOOP_COORDINATES:
      return JN_KEY_SIDES | JN_KEY_MASK;
    case JN_LOOP_COUPLING:
      return JN_KEY_TERMS;
    case JN_LOOP_WELD:
    case JN_LOOP_SPHERICAL:
    case JN_LOOP_TYPES:
      break;
  }
  return JN_KEY_SIDES;
}

typedef struct writer {
  jn_text *out;
  jn_log *log;
  int bad_name; /* told once */
} writer;

/* ---- Values ---- */

/* What a terminal would act on, as JSON writes it: above U+FFFF as a surrogate pair. */
static void put_code(writer *w, unsigned code) {
  if (code > 0xFFFF)
    jn__text_format(w->out, "\\u%04x\\u%04x", 0xD7C0 + (code >> 10), 0xDC00 + (code & 0x3FF));
  else
    jn__text_format(w->out, "\\u%04x", code);
}

static void put_string(writer *w, const char *text) {
  jn__text_add(w->out, "\"");
  for (const char *s = text; *s;) {
    int n = jn__utf8(s);
    if (n == 0 && !w->bad_name++)
      jn__log(w->log, JN_ERROR, JN_ERR_UNSUPPORTED, "name-utf8", (jn_place){0}, NULL, "rename it",
              "a name is not UTF-8 text (byte 0x%02x)", (unsigned char)*s);
    if (n == 0) return;
    if (*s == '"' || *s == '\\')
      jn__text_format(w->out, "\\%c", *s);
    else if (jn__drawn(s))
      jn__text_format(w->out, "%.*s", n, s);
    else
      put_code(w, jn__code_point(s, n));
    s += n;
  }
  jn__text_add(w->out, "\"");
}

static void put_numbers(writer *w, const double *x, int count) {
  jn__text_add(w->out, "[");
  for (int i = 0; i < count; i++) {
    if (i > 0) jn__text_add(w->out, ", ");
    jn__text_number(w->out, x[i]);
  }
  jn__text_add(w->out, "]");
}

static void put_matrix(writer *w, const double *x, int rows, int columns) {
  jn__text_add(w->out, "[");
  for (int i = 0; i < rows; i++) {
    if (i > 0) jn__text_add(w->out, ", ");
    put_numbers(w, x + i * columns, columns);
  }
  jn__text_add(w->out, "]");
}

/* Equal to the bit: -0 is not 0 here. */
static int same(const double *a, const double *b, int count) { return memcmp(a, b, (size_t)count * sizeof *a) == 0; }

/* ---- Members: each begins with what separates it from the one before ---- */

static void put_member_string(writer *w, const char *gap, const char *key, const char *text) {
  jn__text_format(w->out, "%s\"%s\": ", gap, key);
  put_string(w, text);
}

static void put_member_number(writer *w, const char *gap, const char *key, double x) {
  jn__text_format(w->out, "%s\"%s\": ", gap, key);
  jn__text_number(w->out, x);
}

static void put_member_numbers(writer *w, const char *gap, const char *key, const double *x, int count) {
  jn__text_format(w->out, "%s\"%s\": ", gap, key);
  put_numbers(w, x, count);
}

static void put_placement(writer *w, const char *gap, const double T[16]) {
  static const double identity[16] = JN_IDENTITY;
  double straight[16], position[3] = {T[3], T[7], T[11]};
  if (same(T, identity, 16)) return;
  memcpy(straight, identity, sizeof straight);
  for (int i = 0; i < 3; i++) straight[4 * i + 3] = position[i];
  jn__text_format(w->out, "%s\"placement\": {", gap);
  if (same(T, straight, 16)) {
    put_member_numbers(w, "", "position", position, 3);
  } else {
    jn__text_add(w->out, "\"matrix\": ");
    put_matrix(w, T, 4, 4);
  }
  jn__text_add(w->out, "}");
}

/* One field of all coordinates: left out when none has it, one number when all are the same, null for none. */
static int put_dof(writer *w, const char *gap, const char *key, const jn_dof *dof, int nv, size_t offset, double none) {
  double x[6];
  int given = 0, all = 1;
  for (int i = 0; i < nv; i++) {
    memcpy(&x[i], (const char *)&dof[i] + offset, sizeof *x);
    given |= !same(&x[i], &none, 1);
    all &= same(&x[i], &x[0], 1);
  }
  if (!given) return 0;
  jn__text_format(w->out, "%s\"%s\": %s", gap, key, all ? "" : "[");
  for (int i = 0; i < (all ? 1 : nv); i++) {
    if (i > 0) jn__text_add(w->out, ", ");
    if (isfinite(x[i]))
      jn__text_number(w->out, x[i]);
    else
      jn__text_add(w->out, "null");
  }
  if (!all) jn__text_add(w->out, "]");
  return 1;
}

static void put_motion(writer *w, const jn_dof *dof, int nv) {
  int count = 0;
#define PUT_LIMIT(field, none) \
  count += put_dof(w, count ? ", " : ",\n        \"limits\": {", #field, dof, nv, offsetof(jn_dof, field), none);
#define PUT(field, none) put_dof(w, ",\n        ", #field, dof, nv, offsetof(jn_dof, field), none);
  JN_LIMIT_LIST(PUT_LIMIT)
  if (count) jn__text_add(w->out, "}");
  JN_MECHANICS_LIST(PUT)
#undef PUT
#undef PUT_LIMIT
}

static void put_screws(writer *w, const jn_joint *j) {
  if (j->screw_count == 1) {
    put_member_numbers(w, ",\n        ", "screw", j->screws[0], 6);
    return;
  }
  jn__text_add(w->out, ",\n        \"screws\": ");
  put_matrix(w, j->screws[0], j->screw_count, 6);
}

static void put_mimic(writer *w, const jn_joint *j) {
  static const double one = 1, zero = 0;
  put_member_string(w, ",\n        \"mimic\": {", "joint", j->mimic);
  if (!same(&j->mimic_ratio, &one, 1)) put_member_number(w, ", ", "ratio", j->mimic_ratio);
  if (!same(&j->mimic_offset, &zero, 1)) put_member_number(w, ", ", "offset", j->mimic_offset);
  jn__text_add(w->out, "}");
}

/* ---- Joints, bodies, frames, loops ---- */

static void put_joint(writer *w, const jn_joint *j) {
  const char *gap = ",\n        ";
  unsigned used = jn__joint_keys(j->type);
  jn_link plain;
  jn_link_init(&plain);
  if (j->type == JN_FIXED && !j->name) return;
  jn__text_add(w->out, ",\n      \"joint\": {\n        ");
  if (j->name) put_member_string(w, "", "name", j->name);
  int one_screw = j->type == JN_GENERAL && j->screw_count == 1;
  put_member_string(w, j->name ? ", " : "", "type", one_screw ? "screw" : jn_joint_type_name(j->type));
  const struct {
    unsigned bit;
    const char *key;
    const double *value, *none;
  } vectors[] = {{JN_KEY_AXIS, "axis", j->axis, plain.joint.axis},
                 {JN_KEY_AXIS2, "axis2", j->axis2, plain.joint.axis2},
                 {JN_KEY_AXIS3, "axis3", j->axis3, plain.joint.axis3},
                 {JN_KEY_POINT, "point", j->point, plain.joint.point}};
  for (int i = 0; i < 4; i++)
    if ((used & vectors[i].bit) && !same(vectors[i].value, vectors[i].none, 3))
      put_member_numbers(w, gap, vectors[i].key, vectors[i].value, 3);
  if (used & JN_KEY_PITCH) put_member_number(w, gap, "pitch", j->pitch);
  if (used & JN_KEY_SCREWS) put_screws(w, j);
  if (used & JN_KEY_MOTION) put_motion(w, j->dof, jn__joint_nv(j));
  if ((used & JN_KEY_MIMIC) && j->mimic) put_mimic(w, j);
  jn__text_add(w->out, "\n      }");
}

static void put_body(writer *w, const jn_model *m, int i) {
  static const double nothing[10] = {0};
  double T[16], inertia[10];
  int parent = jn_link_parent(m, i);
  put_member_string(w, i ? ",\n    {\n      " : "\n    {\n      ", "name", jn_link_name(m, i));
  if (parent != JN_WORLD) put_member_string(w, ",\n      ", "parent", jn_link_name(m, parent));
  jn_link_placement(m, i, T);
  put_placement(w, ",\n      ", T);
  put_joint(w, jn_joint_description(m, i));
  jn_link_inertia(m, i, inertia);
  if (!same(inertia, nothing, 10)) {
    put_member_numbers(w, ",\n      \"inertia\": {", "parameters", inertia, 10);
    jn__text_add(w->out, "}");
  }
  jn__text_add(w->out, "\n    }");
}

static void put_frame(writer *w, const jn_model *m, int i, int first) {
  double T[16];
  int link = jn_frame_link(m, i);
  put_member_string(w, i > first ? ",\n    {" : "\n    {", "name", jn_frame_name(m, i));
  put_member_string(w, ", ", "body", link == JN_WORLD ? "world" : jn_link_name(m, link));
  jn_frame_placement(m, i, T);
  put_placement(w, ", ", T);
  jn__text_add(w->out, "}");
}

static void put_side(writer *w, const char *key, const char *link, const double T[16]) {
  jn__text_format(w->out, ",\n      \"%s\": {", key);
  put_member_string(w, "", "body", link ? link : "world");
  put_placement(w, ", ", T);
  jn__text_add(w->out, "}");
}

static void put_mask(writer *w, unsigned mask) {
  static const char *const names[] = JN_MASK_NAMES;
  const char *gap = "";
  jn__text_add(w->out, ",\n      \"mask\": [");
  for (int i = 0; i < 6; i++)
    if (mask >> i & 1) {
      jn__text_format(w->out, "%s\"%s\"", gap, names[i]);
      gap = ", ";
    }
  jn__text_add(w->out, "]");
}

static void put_terms(writer *w, const jn_loop *l) {
  jn__text_add(w->out, ",\n      \"terms\": [");
  for (int i = 0; i < l->term_count; i++) {
    const jn_coupling *t = &l->term[i];
    put_member_string(w, i ? ",\n        {" : "\n        {", "joint", t->joint);
    if (t->coordinate > 0) put_member_number(w, ", ", "coordinate", t->coordinate);
    put_member_number(w, ", ", "factor", t->factor);
    jn__text_add(w->out, "}");
  }
  jn__text_add(w->out, "\n      ]");
  if (l->offset != 0) put_member_number(w, ",\n      ", "offset", l->offset);
}

static void put_loop(writer *w, const jn_loop *l, int i) {
  const char *gap = ",\n      ";
  unsigned used = jn__loop_keys(l->type);
  jn_loop plain;
  jn_loop_init(&plain);
  put_member_string(w, i ? ",\n    {\n      " : "\n    {\n      ", "name", l->name);
  put_member_string(w, gap, "type", jn_loop_type_name(l->type));
  if (used & JN_KEY_SIDES) put_side(w, "a", l->link_a, l->placement_a);
  if (used & JN_KEY_SIDES) put_side(w, "b", l->link_b, l->placement_b);
  if (used & JN_KEY_TERMS) put_terms(w, l);
  if ((used & JN_KEY_AXIS) && !same(l->axis, plain.axis, 3)) put_member_numbers(w, gap, "axis", l->axis, 3);
  if ((used & JN_KEY_AXIS2) && !same(l->axis2, plain.axis2, 3)) put_member_numbers(w, gap, "axis2", l->axis2, 3);
  if (used & JN_KEY_DISTANCE) put_member_number(w, gap, "distance", l->distance);
  if (used & JN_KEY_MASK) put_mask(w, l->mask);
  jn__text_add(w->out, "\n    }");
}

/* The joint that a name stands for may be another one, when this one has its name from its link. */
static int names_tell_joints(const jn_model *m) {
  for (int v = 0; v < jn_model_nv(m); v++) {
    int joint = jn_coordinate_joint(m, v, NULL);
    if (jn_joint_index(m, jn_joint_name(m, joint)) != joint) return 0;
  }
  return 1;
}

/* The order of the coordinates, unless it is the one that a file has by itself. */
static void put_order(writer *w, const jn_model *m) {
  const char *gap = "";
  if (jn__order_is_default(m)) return;
  if (!names_tell_joints(m)) {
    jn__log(w->log, JN_WARNING, JN_ERR_UNSUPPORTED, "joint-order", (jn_place){0}, NULL, "give every joint its own name",
            "two joints have the same name: the order of the coordinates cannot be written and is lost");
    return;
  }
  jn__text_add(w->out, ",\n  \"joint_order\": [");
  for (int v = 0; v < jn_model_nv(m); v++) {
    int k, joint = jn_coordinate_joint(m, v, &k);
    if (k > 0) continue;
    jn__text_add(w->out, gap);
    put_string(w, jn_joint_name(m, joint));
    gap = ", ";
  }
  jn__text_add(w->out, "]");
}

jn_status jn__native_write(const jn_model *m, jn_text *out, jn_log *log) {
  writer w = {out, log, 0};
  double gravity[3];
  int links = jn_link_count(m), frames = jn_frame_count(m), loops = jn_loop_count(m);
  jn_model_gravity(m, gravity);
  put_member_string(&w, "{\n  ", "name", jn_model_name(m));
  put_member_numbers(&w, ",\n  ", "gravity", gravity, 3);
  put_order(&w, m);
  jn__text_add(out, ",\n  \"bodies\": [");
  for (int i = 0; i < links; i++) put_body(&w, m, i);
  if (frames > links) jn__text_add(out, "\n  ],\n  \"frames\": [");
  for (int i = links; i < frames; i++) put_frame(&w, m, i, links);
  if (loops > 0) jn__text_add(out, "\n  ],\n  \"loops\": [");
  for (int i = 0; i < loops; i++) put_loop(&w, jn_loop_description(m, i), i);
  jn__text_add(out, "\n  ]\n}\n");
  if (out->failed)
    jn__log(log, JN_ERROR, JN_ERR_MEMORY, "memory", (jn_place){0}, NULL, NULL, "%s", jn_status_text(JN_ERR_MEMORY));
  return jn__log_end(log, NULL);
}
