/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes URDF, using the public functions that query a model. The whole model is checked before anything is written.
 * Joints are written in the order of their links, so that reading the file gives the same order. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../model/draft.h"
#include "native.h"
#include "urdf_write.h"

static const char native[] = "write a native file (.json), which can express everything";
static const jn_place nowhere = {NULL, 0, 0};

/* ---- What URDF can say ---- */

static void refuse(jn_urdf_writer *w, const char *what, const char *name, const char *text) {
  char subject[160];
  snprintf(subject, sizeof subject, "%s '%.120s'", what, name ? name : "");
  w->faults++;
  jn__log(w->log, JN_ERROR, JN_ERR_UNSUPPORTED, "urdf-unsupported", nowhere, subject, native, "%s", text);
}

/* Length of the UTF-8 character at s that XML allows, or 0: no control characters, no U+FFFE and U+FFFF. */
static int xml_character(const char *s) {
  if ((unsigned char)*s < 0x20) return *s == '\t' || *s == '\n' || *s == '\r';
  if (strncmp(s, "\xEF\xBF\xBE", 3) == 0 || strncmp(s, "\xEF\xBF\xBF", 3) == 0) return 0;
  return jn__utf8(s);
}

static void check_name(jn_urdf_writer *w, const char *what, const char *name) {
  const char *s = name;
  if (name && (strstr(name, "${") || strstr(name, "$("))) {
    refuse(w, what, name, "readers take ${ and $( in a name for xacro, which is not expanded");
    return;
  }
  while (s && *s) {
    int length = xml_character(s);
    if (length == 0) {
      refuse(w, what, name, "the name has bytes that XML does not allow");
      return;
    }
    s += length;
  }
}

static double norm(const double a[3]) { return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]); }

/* The axis of URDF passes through the link's origin; a point along the axis changes nothing. */
static int axis_meets_origin(const double axis[3], const double point[3]) {
  const double *a = axis, *p = point;
  const double across[3] = {a[1] * p[2] - a[2] * p[1], a[2] * p[0] - a[0] * p[2], a[0] * p[1] - a[1] * p[0]};
  return norm(across) <= 4 * DBL_EPSILON * norm(p) * norm(a);
}

static int is_unit(const double a[3]) { return fabs(norm(a) - 1) <= 4 * DBL_EPSILON; }
static int is_zero(const double a[3]) { return a[0] == 0 && a[1] == 0 && a[2] == 0; }

/* One pure unit screw through the origin is a revolute or prismatic joint. */
static int form_of_screw(const jn_joint *joint, jn_urdf_form *f) {
  const double *angular = joint->screws[0], *linear = angular + 3;
  if (joint->screw_count != 1) return 0;
  int turns = is_unit(angular) && is_zero(linear), slides = is_zero(angular) && is_unit(linear);
  f->type = turns ? "revolute" : "prismatic";
  memcpy(f->axis, turns ? angular : linear, sizeof f->axis);
  return turns || slides;
}

/* 0 when URDF cannot say the joint. */
int jn__urdf_form_of(const jn_joint *joint, jn_urdf_form *f) {
  *f = (jn_urdf_form){.type = jn_joint_type_name(joint->type), .coordinates = jn__joint_nv(joint)};
  memcpy(f->axis, joint->axis, sizeof f->axis);
  switch (joint->type) {
    case JN_FIXED:
    case JN_REVOLUTE:
    case JN_CONTINUOUS:
    case JN_PRISMATIC:
    case JN_PLANAR:
      return 1;
    case JN_FREE:
      f->type = "floating";
      return 1;
    case JN_GENERAL:
      return form_of_screw(joint, f);
    default:
      return 0;
  }
}

static int same_dof(const jn_dof *a, const jn_dof *b) {
  return a->velocity == b->velocity && a->acceleration == b->acceleration && a->jerk == b->jerk &&
         a->effort == b->effort && a->effort_rate == b->effort_rate && a->armature == b->armature &&
         a->damping == b->damping && a->friction == b->friction && a->stiffness == b->stiffness && a->rest == b->rest;
}

static void check_joint(jn_urdf_writer *w, int i) {
  const jn_joint *joint = jn_joint_description(w->m, i);
  const char *name = jn_joint_name(w->m, i);
  jn_urdf_form f;
  if (!jn__urdf_form_of(joint, &f)) {
    char text[96];
    snprintf(text, sizeof text, "URDF has no %s joint like this", jn_joint_type_name(joint->type));
    refuse(w, "joint", name, text);
    return;
  }
  int turns = joint->type == JN_REVOLUTE || joint->type == JN_CONTINUOUS || joint->type == JN_PLANAR;
  if (turns && !axis_meets_origin(joint->axis, joint->point)) {
    refuse(w, "joint", name,
           "in URDF the axis passes through the origin of the link; this one does not (--split adds a link there)");
  }
  for (int k = 0; k < f.coordinates && f.coordinates > 1; k++) {
    const jn_dof *dof = &joint->dof[k];
    int bounded = joint->type == JN_PLANAR && (isfinite(dof->lower) || isfinite(dof->upper));
    if (same_dof(dof, &joint->dof[0]) && !bounded) continue;
    refuse(w, "joint", name, "URDF has one set of limits and frictions for all coordinates of a joint");
    break;
  }
}

void jn__urdf_check(jn_urdf_writer *w) {
  int links = jn_link_count(w->m), frames = jn_frame_count(w->m);
  check_name(w, "model", jn_model_name(w->m));
  for (int i = 0; i < links; i++) {
    check_name(w, "link", jn_link_name(w->m, i));
    check_name(w, "joint", jn_joint_name(w->m, i));
    check_joint(w, i);
  }
  for (int i = links; i < frames; i++) check_name(w, "frame", jn_frame_name(w->m, i));
  for (int i = 0; i < jn_loop_count(w->m); i++) check_name(w, "loop", jn_loop_description(w->m, i)->name);
}

/* ---- The world ---- */

int jn__urdf_identity(const double T[16]) {
  for (int i = 0; i < 16; i++) {
    if (T[i] != (i % 5 == 0)) return 0;
  }
  return 1;
}

/* A name that the floating base gets by itself: "base", "base_", ... or that of the link. */
static int is_base_name(const jn_model *m, const char *name) {
  size_t n = strlen("base");
  if (strcmp(name, jn_link_name(m, 0)) == 0) return 1;
  return strncmp(name, "base", n) == 0 && name[n + strspn(name + n, "_")] == 0;
}

/* 1 when link 0 can be a plain URDF root: fixed, or free as options.floating makes it. */
int jn__urdf_plain_root(jn_urdf_writer *w) {
  double T[16];
  const jn_joint *joint = jn_joint_description(w->m, 0);
  const char *name = jn_joint_name(w->m, 0);
  jn_link_placement(w->m, 0, T);
  if (!jn__urdf_identity(T)) return 0;
  if (joint->type == JN_FIXED) return 1;
  if (joint->type != JN_FREE || !is_base_name(w->m, name)) return 0;
  jn_link fresh;
  jn_link_init(&fresh);
  if (!same_dof(&joint->dof[0], &fresh.joint.dof[0])) return 0;
  char subject[160];
  snprintf(subject, sizeof subject, "joint '%.120s'", name);
  jn__log(w->log, JN_NOTE, JN_OK, "urdf-floating", nowhere, subject,
          "read the file with --floating (options.floating = 1)", "URDF cannot express that the root link is free");
  return 1;
}

static int is_taken(const jn_model *m, const char *name) {
  for (int i = 0; i < jn_frame_count(m); i++) { /* links are frames */
    if (strcmp(jn_frame_name(m, i), name) == 0) return 1;
  }
  return 0;
}

/* The world is "world" to a constraint unless a link has that name; then it needs a link of its own. */
static int holds_world(const jn_model *m, const jn_loop *loop) {
  return is_taken(m, "world") && (jn__loop_keys(loop->type) & JN_KEY_SIDES) && (!loop->link_a || !loop->link_b);
}

/* Names the link that stands for the world, if there has to be one. */
static void choose_world(jn_urdf_writer *w) {
  int links = jn_link_count(w->m), needed = 0, roots = 0;
  for (int i = 0; i < links; i++) roots += jn_link_parent(w->m, i) == JN_WORLD;
  for (int i = links; i < jn_frame_count(w->m); i++) needed |= jn_frame_link(w->m, i) == JN_WORLD;
  for (int i = 0; i < jn_loop_count(w->m); i++) needed |= holds_world(w->m, jn_loop_description(w->m, i));
  if (roots == 1 && !needed && jn__urdf_plain_root(w)) return;
  snprintf(w->world, sizeof w->world, "world");
  for (int k = 2; is_taken(w->m, w->world); k++) snprintf(w->world, sizeof w->world, "world_%d", k);
}

/* ---- Text ---- */

static void put(jn_urdf_writer *w, const char *s) { jn__text_add(w->out, s); }

static void put_number(jn_urdf_writer *w, double x) { jn__text_number(w->out, x == 0 ? 0 : x); /* no -0 */ }

/* What XML or a terminal would act on becomes a reference; bytes that are no UTF-8 are refused by check_name(). */
void jn__urdf_put_escaped(jn_urdf_writer *w, const char *s) {
  for (int n; *s; s += n) {
    n = jn__utf8(s) ? jn__utf8(s) : 1;
    if (*s == '&')
      put(w, "&amp;");
    else if (*s == '<')
      put(w, "&lt;");
    else if (*s == '>')
      put(w, "&gt;");
    else if (*s == '"')
      put(w, "&quot;");
    else if (jn__utf8(s) && !jn__drawn(s))
      jn__text_format(w->out, "&#%u;", jn__code_point(s, n));
    else
      jn__text_format(w->out, "%.*s", n, s);
  }
}

/* ` name="text"` */
static void put_text(jn_urdf_writer *w, const char *name, const char *text) {
  jn__text_format(w->out, " %s=\"", name);
  jn__urdf_put_escaped(w, text);
  put(w, "\"");
}

static void put_value(jn_urdf_writer *w, const char *name, double x) {
  jn__text_format(w->out, " %s=\"", name);
  put_number(w, x);
  put(w, "\"");
}

static void put_vector(jn_urdf_writer *w, const char *name, const double x[3]) {
  jn__text_format(w->out, " %s=\"", name);
  for (int i = 0; i < 3; i++) {
    if (i > 0) put(w, " ");
    put_number(w, x[i] == 0 ? 0 : x[i]); /* no -0 */
  }
  put(w, "\"");
}

static void put_limit(jn_urdf_writer *w, const char *name, double x) {
  if (isinf(x)) {
    jn__text_format(w->out, " %s=\"%s\"", name, x < 0 ? "-" JN_URDF_NO_LIMIT : JN_URDF_NO_LIMIT);
  } else {
    put_value(w, name, x);
  }
}

/* <origin>, or <SIDE_origin> of a constraint; nothing when it is the identity. */
static void put_origin_as(jn_urdf_writer *w, const char *side, const double T[16]) {
  if (jn__urdf_identity(T)) return;
  const double position[3] = {T[3], T[7], T[11]};
  double rpy[3];
  jn__rpy_of(T, rpy);
  jn__text_format(w->out, "    <%s%sorigin", side, *side ? "_" : "");
  put_vector(w, "xyz", position);
  put_vector(w, "rpy", rpy);
  put(w, "/>\n");
}

void jn__urdf_put_inertial(jn_urdf_writer *w, const double p[10]) {
  static const char *const names[6] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
  double mass, com[3], tensor[6];
  jn_inertia_unpack(p, &mass, com, tensor);
  put(w, "    <inertial>\n      <origin");
  put_vector(w, "xyz", com);
  put(w, " rpy=\"0 0 0\"/>\n      <mass");
  put_value(w, "value", mass);
  put(w, "/>\n      <inertia");
  for (int k = 0; k < 6; k++) put_value(w, names[k], tensor[k]);
  put(w, "/>\n    </inertial>\n");
}

void jn__urdf_put_link(jn_urdf_writer *w, int i) {
  double p[10];
  int any = 0;
  jn_link_inertia(w->m, i, p);
  for (int k = 0; k < 10; k++) any |= p[k] != 0;
  put(w, "  <link");
  put_text(w, "name", jn_link_name(w->m, i));
  if (!any) {
    put(w, "/>\n");
    return;
  }
  put(w, ">\n");
  jn__urdf_put_inertial(w, p);
  put(w, "  </link>\n");
}

static void put_limits(jn_urdf_writer *w, const jn_urdf_form *f, const jn_dof *dof) {
  int bounded = strcmp(f->type, "revolute") == 0 || strcmp(f->type, "prismatic") == 0; /* URDF demands <limit> */
  int any = isfinite(dof->effort) || isfinite(dof->velocity) || isfinite(dof->acceleration) || isfinite(dof->jerk) ||
            isfinite(dof->effort_rate);
  if (f->coordinates == 0 || !(bounded || any)) return;
  put(w, "    <limit");
  if (bounded) {
    put_limit(w, "lower", dof->lower);
    put_limit(w, "upper", dof->upper);
  }
  put_limit(w, "effort", dof->effort);
  put_limit(w, "velocity", dof->velocity);
  if (isfinite(dof->acceleration)) put_value(w, "acceleration", dof->acceleration);
  if (isfinite(dof->jerk)) put_value(w, "jerk", dof->jerk);
  if (isfinite(dof->effort_rate)) put_value(w, "effort_rate", dof->effort_rate);
  put(w, "/>\n");
}

static void put_dynamics(jn_urdf_writer *w, const jn_urdf_form *f, const jn_dof *dof) {
  if (f->coordinates == 0 || (dof->damping == 0 && dof->friction == 0 && dof->armature == 0 && dof->stiffness == 0))
    return;
  put(w, "    <dynamics");
  put_value(w, "damping", dof->damping);
  put_value(w, "friction", dof->friction);
  if (dof->armature != 0) put_value(w, "armature", dof->armature);
  if (dof->stiffness != 0) put_value(w, "stiffness", dof->stiffness);
  if (dof->rest != 0) put_value(w, "rest", dof->rest);
  put(w, "/>\n");
}

/* Up to and with the placement; the caller closes the element. */
static void open_joint(jn_urdf_writer *w, const char *name, const char *suffix, const char *type, int parent,
                       const char *child, const double T[16]) {
  put(w, "  <joint name=\"");
  jn__urdf_put_escaped(w, name);
  put(w, suffix);
  jn__text_format(w->out, "\" type=\"%s\">\n    <parent", type);
  put_text(w, "link", parent == JN_WORLD ? w->world : jn_link_name(w->m, parent));
  put(w, "/>\n    <child");
  put_text(w, "link", child);
  put(w, "/>\n");
  put_origin_as(w, "", T);
}

/* An ending that makes `name` the name of no joint. */
static void free_suffix(const jn_urdf_writer *w, const char *name, char suffix[32]) {
  jn_text probe;
  jn__text_init(&probe, &w->out->allocator);
  snprintf(suffix, 32, "_joint");
  for (int k = 2; !w->out->failed; k++) {
    probe.length = 0;
    jn__text_format(&probe, "%s%s", name, suffix);
    if (probe.failed) w->out->failed = 1;
    if (probe.failed || jn_joint_index(w->m, probe.data) == JN_NONE) break;
    snprintf(suffix, 32, "_joint_%d", k);
  }
  jn__release(&probe.allocator, probe.data);
}

void jn__urdf_put_joint(jn_urdf_writer *w, int i) {
  const jn_joint *joint = jn_joint_description(w->m, i);
  const char *name = jn_joint_name(w->m, i);
  char suffix[32] = "";
  double T[16];
  jn_urdf_form f;
  jn__urdf_form_of(joint, &f);
  jn_link_placement(w->m, i, T);
  /* A joint that has its name from its link may share it with another joint. */
  if (jn_joint_index(w->m, name) != i) free_suffix(w, name, suffix);
  open_joint(w, name, suffix, f.type, jn_link_parent(w->m, i), jn_link_name(w->m, i), T);
  if (f.coordinates == 1 || f.coordinates == 3) {
    put(w, "    <axis");
    put_vector(w, "xyz", f.axis);
    put(w, "/>\n");
  }
  put_limits(w, &f, &joint->dof[0]);
  put_dynamics(w, &f, &joint->dof[0]);
  if (joint->mimic && f.coordinates == 1) {
    put(w, "    <mimic");
    put_text(w, "joint", joint->mimic);
    put_value(w, "multiplier", joint->mimic_ratio);
    put_value(w, "offset", joint->mimic_offset);
    put(w, "/>\n");
  }
  put(w, "  </joint>\n");
}

/* A named frame becomes a massless link on a fixed joint. */
void jn__urdf_put_frame(jn_urdf_writer *w, int frame) {
  const char *name = jn_frame_name(w->m, frame);
  char suffix[32];
  double T[16];
  jn_frame_placement(w->m, frame, T);
  free_suffix(w, name, suffix);
  put(w, "  <link");
  put_text(w, "name", name);
  put(w, "/>\n");
  open_joint(w, name, suffix, "fixed", jn_frame_link(w->m, frame), name, T);
  put(w, "  </joint>\n");
}

static void put_side(jn_urdf_writer *w, const char *element, const char *link, const double T[16]) {
  jn__text_format(w->out, "    <%s", element);
  put_text(w, "link", link ? link : *w->world ? w->world : "world");
  put(w, "/>\n");
  put_origin_as(w, element, T);
}

static void put_axis(jn_urdf_writer *w, const char *element, const double axis[3]) {
  jn__text_format(w->out, "    <%s", element);
  put_vector(w, "xyz", axis);
  put(w, "/>\n");
}

static void put_number_element(jn_urdf_writer *w, const char *element, double x) {
  jn__text_format(w->out, "    <%s", element);
  put_value(w, "value", x);
  put(w, "/>\n");
}

static void put_mask(jn_urdf_writer *w, unsigned mask) {
  static const char *const names[] = JN_MASK_NAMES;
  const char *gap = "";
  put(w, "    <mask coordinates=\"");
  for (int i = 0; i < 6; i++) {
    if (!(mask >> i & 1)) continue;
    jn__text_format(w->out, "%s%s", gap, names[i]);
    gap = " ";
  }
  put(w, "\"/>\n");
}

static void put_terms(jn_urdf_writer *w, const jn_loop *l) {
  for (int i = 0; i < l->term_count; i++) {
    put(w, "    <term");
    put_text(w, "joint", l->term[i].joint);
    if (l->term[i].coordinate) jn__text_format(w->out, " coordinate=\"%d\"", l->term[i].coordinate);
    put_value(w, "factor", l->term[i].factor);
    put(w, "/>\n");
  }
  if (l->offset != 0) put_number_element(w, "offset", l->offset);
}

void jn__urdf_put_constraint(jn_urdf_writer *w, const jn_loop *l) {
  unsigned keys = jn__loop_keys(l->type);
  put(w, "  <constraint");
  put_text(w, "name", l->name);
  put_text(w, "type", jn_loop_type_name(l->type));
  put(w, ">\n");
  if (keys & JN_KEY_SIDES) put_side(w, "parent", l->link_a, l->placement_a);
  if (keys & JN_KEY_AXIS) put_axis(w, "parent_axis", l->axis);
  if (keys & JN_KEY_SIDES) put_side(w, "child", l->link_b, l->placement_b);
  if (keys & JN_KEY_AXIS2) put_axis(w, "child_axis", l->axis2);
  if (keys & JN_KEY_DISTANCE) put_number_element(w, "distance", l->distance);
  if (keys & JN_KEY_MASK) put_mask(w, l->mask);
  if (keys & JN_KEY_TERMS) put_terms(w, l);
  put(w, "  </constraint>\n");
}

void jn__urdf_report_losses(const jn_urdf_writer *w, int named) {
  double g[3];
  jn_model_gravity(w->m, g);
  if (g[0] != 0 || g[1] != 0 || g[2] != -9.81) {
    char x[32], y[32], z[32];
    jn__number(g[0], x);
    jn__number(g[1], y);
    jn__number(g[2], z);
    jn__log(w->log, JN_WARNING, JN_ERR_UNSUPPORTED, "urdf-gravity", nowhere, NULL,
            "give --gravity (options.gravity) when reading the file, or write a native file (.json)",
            "URDF cannot express gravity; (%s, %s, %s) is lost", x, y, z);
  }
  if (!jn__order_is_default(w->m)) {
    jn__log(w->log, JN_WARNING, JN_ERR_UNSUPPORTED, "joint-order", nowhere, NULL,
            "give --joint-order (options.joint_order) when reading the file, or write a native file (.json)",
            "URDF cannot express the order of the coordinates; they will be in the order of the tree");
  }
  if (named > 0) {
    jn__log(w->log, JN_NOTE, JN_OK, "urdf-frames", nowhere, NULL, NULL, "%d named frame%s", named,
            named == 1 ? " is written as a massless link on a fixed joint"
                       : "s are written as massless links on fixed joints");
  }
}

jn_status jn__urdf_write(const jn_model *m, jn_text *out, jn_log *log) {
  jn_urdf_writer w = {.m = m, .out = out, .log = log};
  int links = jn_link_count(m);
  jn__urdf_check(&w);
  if (w.faults) return JN_ERR_UNSUPPORTED;
  choose_world(&w);
  jn__urdf_report_losses(&w, jn_frame_count(m) - links);
  put(&w, "<?xml version=\"1.0\"?>\n<robot");
  put_text(&w, "name", jn_model_name(m));
  put(&w, ">\n");
  if (*w.world) jn__text_format(out, "  <link name=\"%s\" world=\"true\"/>\n", w.world);
  for (int i = 0; i < links; i++) jn__urdf_put_link(&w, i);
  for (int i = *w.world ? 0 : 1; i < links; i++) jn__urdf_put_joint(&w, i);
  for (int i = links; i < jn_frame_count(m); i++) jn__urdf_put_frame(&w, i);
  for (int i = 0; i < jn_loop_count(m); i++) jn__urdf_put_constraint(&w, jn_loop_description(m, i));
  put(&w, "</robot>\n");
  if (!out->failed) return JN_OK;
  jn__log(log, JN_ERROR, JN_ERR_MEMORY, "memory", nowhere, NULL, NULL, "no memory for the text of the file");
  return JN_ERR_MEMORY;
}
