/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes URDF by editing the text that a model was read from: every attribute whose value is no longer that of the
 * model is changed, missing elements are added, links and joints that are gone are removed; all other bytes stay. The
 * result is read again and compared with the model, so that an edit can never say something else than the model. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "left_list.h"
#include "urdf_left.h"
#include "urdf_write.h"

typedef struct editor {
  const jn_model *m;
  jn_urdf *u;
  int root; /* link of the text */
  jn_patch patch;
  jn_urdf_writer writer; /* its text is scratch */
  jn_text scratch;
  const char *cannot; /* why the text cannot follow the model; NULL: it can */
} editor;

static const double zero3[3] = {0};

/* Starts a new piece of text that the writer's functions add to. */
static void begin_piece(editor *e) {
  e->scratch.length = 0;
  if (e->scratch.data) e->scratch.data[0] = 0;
}

static const char *piece(editor *e) { return e->scratch.data ? e->scratch.data : ""; }

static const char *escaped(editor *e, const char *text) {
  begin_piece(e);
  jn__urdf_put_escaped(&e->writer, text);
  return piece(e);
}

/* ---- Links ---- */

/* The tensor about the centre of mass in the axes of <inertial><origin>: R^T I R. */
static void into_axes(const double T[16], const double in[6], double out[6]) {
  static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
  const double I[9] = {in[0], in[3], in[4], in[3], in[1], in[5], in[4], in[5], in[2]};
  for (int k = 0; k < 6; k++) {
    out[k] = 0;
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) out[k] += T[4 * i + row[k]] * I[3 * i + j] * T[4 * j + column[k]];
  }
}

/* A new <inertial>, in place of the old one if there is one. */
static void put_inertial(editor *e, const jn_urdf_places *places, const double p[10]) {
  const jn_urdf_range *old = &places->at[JN_AT_INERTIAL];
  begin_piece(e);
  jn__urdf_put_inertial(&e->writer, p);
  if (old->end) jn__patch_drop(&e->patch, old);
  jn__patch_add(&e->patch, &places->at[JN_AT_LINK], "link", piece(e), 4);
}

static void edit_inertia(editor *e, const jn_urdf_link *link, const double p[10]) {
  static const char *const names[6] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
  const jn_urdf_range *at = link->places->at;
  double mass, com[3], tensor[6], inner[6], near_com[3], near_tensor[6], scale = 0;
  int any = 0;
  for (int k = 0; k < 10; k++) any |= p[k] != 0;
  if (memcmp(p, link->inertia, sizeof link->inertia) == 0) return;
  if (!any && link->has_inertial) jn__patch_drop(&e->patch, &at[JN_AT_INERTIAL]);
  if (!any) return;
  jn_inertia_unpack(p, &mass, com, tensor);
  if (!at[JN_AT_MASS].end || !at[JN_AT_INERTIA].end ||
      (!at[JN_AT_INERTIAL_ORIGIN].end && (com[0] != 0 || com[1] != 0 || com[2] != 0))) {
    put_inertial(e, link->places, p);
    return;
  }
  into_axes(link->places->inertial, tensor, inner);
  for (int k = 4; k < 10; k++) scale = fmax(scale, fabs(p[k]));          /* of the new one: the old may be far larger */
  for (int k = 0; k < 6; k++) near_tensor[k] = 16 * DBL_EPSILON * scale; /* rounding on the way through the origin */
  for (int k = 0; k < 3; k++) near_com[k] = 4 * DBL_EPSILON * fabs(com[k]);
  jn__patch_set_numbers(&e->patch, &at[JN_AT_MASS], "value", &mass, 1, zero3, NULL);
  if (at[JN_AT_INERTIAL_ORIGIN].end)
    jn__patch_set_numbers(&e->patch, &at[JN_AT_INERTIAL_ORIGIN], "xyz", com, 3, zero3, near_com);
  for (int k = 0; k < 6; k++)
    jn__patch_set_numbers(&e->patch, &at[JN_AT_INERTIA], names[k], &inner[k], 1, zero3, &near_tensor[k]);
}

/* ---- Joints ---- */

/* The model's joint of a link of the text: that of a link, or of a frame that is fixed to one. */
typedef struct edit_target {
  const char *name;
  jn_joint joint;
  double placement[16];
  int parent; /* link of the model, JN_WORLD */
} edit_target;

static void find_target(const jn_model *m, int frame, edit_target *t) {
  *t = (edit_target){.parent = jn_frame_link(m, frame)};
  t->joint.type = JN_FIXED;
  if (frame >= jn_link_count(m)) {
    jn_frame_placement(m, frame, t->placement);
    return;
  }
  t->name = jn_joint_name(m, frame);
  t->joint = *jn_joint_description(m, frame);
  t->parent = jn_link_parent(m, frame);
  jn_link_placement(m, frame, t->placement);
}

static int same_rotation(const double A[16], const double B[16]) {
  for (int i = 0; i < 12; i++)
    if (i % 4 != 3 && fabs(A[i] - B[i]) > 4 * DBL_EPSILON) return 0;
  return 1;
}

static void edit_origin(editor *e, const jn_urdf_joint *joint, const double T[16]) {
  const jn_urdf_range *origin = &joint->places->at[JN_AT_ORIGIN];
  const double xyz[3] = {T[3], T[7], T[11]}, close[3] = {1e-15, 1e-15, 1e-15};
  int turned = !same_rotation(T, joint->placement);
  int moved = T[3] != joint->placement[3] || T[7] != joint->placement[7] || T[11] != joint->placement[11];
  if (!turned && !moved) return;
  double rpy[3];
  jn__rpy_of(T, rpy);
  if (!origin->end) {
    begin_piece(e);
    char n[6][32];
    for (int i = 0; i < 3; i++) jn__number(xyz[i] == 0 ? 0 : xyz[i], n[i]);
    for (int i = 0; i < 3; i++) jn__number(rpy[i], n[3 + i]);
    jn__text_format(&e->scratch, "    <origin xyz=\"%s %s %s\" rpy=\"%s %s %s\"/>\n", n[0], n[1], n[2], n[3], n[4],
                    n[5]);
    jn__patch_add(&e->patch, &joint->places->at[JN_AT_JOINT], "joint", piece(e), 4);
    return;
  }
  if (moved) jn__patch_set_numbers(&e->patch, origin, "xyz", xyz, 3, zero3, NULL);
  if (!turned) return;
  jn__patch_drop_attribute(&e->patch, origin, "quat_xyzw");
  jn__patch_set_numbers(&e->patch, origin, "rpy", rpy, 3, zero3, close);
}

static void edit_axis(editor *e, const jn_urdf_joint *joint, const jn_urdf_form *form) {
  static const double x_axis[3] = {1, 0, 0};
  const jn_urdf_range *at = joint->places->at;
  const double *a = joint->axis, *b = form->axis;
  double size = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]), off = 0;
  if (form->coordinates != 1 && form->coordinates != 3) return;
  for (int i = 0; i < 3; i++) off = fmax(off, fabs(a[i] / size - b[i]));
  int was_read = joint->type != JN_FIXED && joint->type != JN_FREE; /* for these <axis> is ignored */
  if (off <= 4 * DBL_EPSILON && (was_read || !at[JN_AT_AXIS].end)) return;
  if (at[JN_AT_AXIS].end) {
    jn__patch_set_numbers(&e->patch, &at[JN_AT_AXIS], "xyz", b, 3, x_axis, NULL);
    return;
  }
  char n[3][32];
  for (int i = 0; i < 3; i++) jn__number(b[i], n[i]);
  begin_piece(e);
  jn__text_format(&e->scratch, "    <axis xyz=\"%s %s %s\"/>\n", n[0], n[1], n[2]);
  jn__patch_add(&e->patch, &at[JN_AT_JOINT], "joint", piece(e), 4);
}

/* An attribute of <limit> or <dynamics> that may be missing. `none`: what a missing one means to the model, `absent`:
 * what it means in a file that has the element. */
typedef struct field {
  const char *name;
  double value, none, absent;
} field;

static double as_read(double x) { return fabs(x) >= 1e300 ? copysign(INFINITY, x) : x; }

/* The attribute's new value; a missing limit is left out where that means none, else said as a large number. */
static void edit_field(editor *e, const jn_urdf_range *tag, const field *f) {
  double old = as_read(jn__patch_number(&e->patch, tag, f->name, f->absent));
  if (old == f->value) return;
  if (isfinite(f->value))
    jn__patch_set_numbers(&e->patch, tag, f->name, &f->value, 1, &f->absent, NULL);
  else if (f->absent == f->none)
    jn__patch_drop_attribute(&e->patch, tag, f->name);
  else
    jn__patch_set_text(&e->patch, tag, f->name, f->value < 0 ? "-" JN_URDF_NO_LIMIT : JN_URDF_NO_LIMIT);
}

/* An element with these attributes, of which those that mean something are written when it is not there yet. */
static void edit_fields(editor *e, const jn_urdf_joint *joint, jn_urdf_element kind, const char *element,
                        const field *fields, int count) {
  const jn_urdf_range *tag = &joint->places->at[kind];
  int any = 0;
  for (int i = 0; i < count; i++) {
    if (tag->end) edit_field(e, tag, &fields[i]);
    any |= fields[i].value != fields[i].none;
  }
  if (tag->end || !any) return;
  begin_piece(e);
  jn__text_format(&e->scratch, "    <%s", element);
  for (int i = 0; i < count; i++) {
    if (fields[i].value == fields[i].none && fields[i].absent == fields[i].none) continue;
    char n[32];
    jn__number(fields[i].value, n);
    if (isinf(fields[i].value)) snprintf(n, sizeof n, "%s" JN_URDF_NO_LIMIT, fields[i].value < 0 ? "-" : "");
    jn__text_format(&e->scratch, " %s=\"%s\"", fields[i].name, n);
  }
  jn__text_add(&e->scratch, "/>\n");
  jn__patch_add(&e->patch, &joint->places->at[JN_AT_JOINT], "joint", piece(e), 4);
}

/* A deceleration that the text has limits both, if it is smaller. */
static void edit_deceleration(editor *e, const jn_urdf_joint *joint, const jn_dof *dof, field *acceleration) {
  const jn_urdf_range *tag = &joint->places->at[JN_AT_LIMIT];
  double up = as_read(jn__patch_number(&e->patch, tag, "acceleration", INFINITY));
  double down = as_read(jn__patch_number(&e->patch, tag, "deceleration", INFINITY));
  if (isinf(down)) return;
  if (fmin(up, down) == dof->acceleration)
    acceleration->value = up; /* as it is */
  else
    edit_field(e, tag, &(field){"deceleration", dof->acceleration, INFINITY, INFINITY});
}

static int same_limits(const jn_dof *a, const jn_dof *b) {
  return a->lower == b->lower && a->upper == b->upper && a->effort == b->effort && a->velocity == b->velocity &&
         a->acceleration == b->acceleration && a->jerk == b->jerk && a->effort_rate == b->effort_rate;
}

static void edit_limits(editor *e, const jn_urdf_joint *joint, const jn_urdf_form *form, const jn_dof *dof) {
  int bounded = strcmp(form->type, "revolute") == 0 || strcmp(form->type, "prismatic") == 0;
  int zero = e->u->version < 1.2; /* then a missing bound is 0 */
  field fields[] = {{"lower", dof->lower, -INFINITY, zero ? 0 : -INFINITY},
                    {"upper", dof->upper, INFINITY, zero ? 0 : INFINITY},
                    {"effort", dof->effort, INFINITY, INFINITY},
                    {"velocity", dof->velocity, INFINITY, INFINITY},
                    {"acceleration", dof->acceleration, INFINITY, INFINITY},
                    {"jerk", dof->jerk, INFINITY, INFINITY},
                    {"effort_rate", dof->effort_rate, INFINITY, INFINITY}};
  enum { ALL = sizeof fields / sizeof *fields };
  edit_deceleration(e, joint, dof, &fields[4]);
  edit_fields(e, joint, JN_AT_LIMIT, "limit", fields + (bounded ? 0 : 2), bounded ? ALL : ALL - 2);
}

static int same_dynamics(const jn_dof *a, const jn_dof *b) {
  return a->damping == b->damping && a->friction == b->friction && a->armature == b->armature &&
         a->stiffness == b->stiffness && a->rest == b->rest;
}

static void edit_dynamics(editor *e, const jn_urdf_joint *joint, const jn_dof *dof) {
  const field fields[] = {{"damping", dof->damping, 0, 0},
                          {"friction", dof->friction, 0, 0},
                          {"armature", dof->armature, 0, 0},
                          {"stiffness", dof->stiffness, 0, 0},
                          {"rest", dof->rest, 0, 0}};
  edit_fields(e, joint, JN_AT_DYNAMICS, "dynamics", fields, 5);
}

static void edit_mimic(editor *e, const jn_urdf_joint *joint, const jn_joint *now) {
  static const double one = 1;
  const jn_urdf_range *tag = &joint->places->at[JN_AT_MIMIC];
  if (!now->mimic && tag->end) jn__patch_drop(&e->patch, tag);
  if (!now->mimic) return;
  if (tag->end) {
    if (!joint->mimic || strcmp(joint->mimic, now->mimic) != 0)
      jn__patch_set_text(&e->patch, tag, "joint", escaped(e, now->mimic));
    if (!joint->mimic || now->mimic_ratio != joint->mimic_ratio)
      jn__patch_set_numbers(&e->patch, tag, "multiplier", &now->mimic_ratio, 1, &one, NULL);
    if (!joint->mimic || now->mimic_offset != joint->mimic_offset)
      jn__patch_set_numbers(&e->patch, tag, "offset", &now->mimic_offset, 1, zero3, NULL);
    return;
  }
  char ratio[32], offset[32];
  jn__number(now->mimic_ratio, ratio);
  jn__number(now->mimic_offset, offset);
  begin_piece(e);
  jn__text_add(&e->scratch, "    <mimic joint=\"");
  jn__urdf_put_escaped(&e->writer, now->mimic);
  jn__text_format(&e->scratch, "\" multiplier=\"%s\" offset=\"%s\"/>\n", ratio, offset);
  jn__patch_add(&e->patch, &joint->places->at[JN_AT_JOINT], "joint", piece(e), 4);
}

static void edit_joint(editor *e, const jn_urdf_joint *joint, const edit_target *t) {
  const jn_urdf_range *at = joint->places->at;
  const char *parent = t->parent == JN_WORLD ? e->writer.world : jn_link_name(e->m, t->parent);
  jn_urdf_form form, old;
  const jn_joint before = {.type = joint->type};
  jn__urdf_form_of(&t->joint, &form);
  jn__urdf_form_of(&before, &old);
  if (!*parent) e->cannot = "a link now hangs on the world";
  if (t->name && strcmp(t->name, joint->name) != 0 && jn_joint_index(e->m, t->name) >= 0)
    jn__patch_set_text(&e->patch, &at[JN_AT_JOINT], "name", escaped(e, t->name));
  if (strcmp(form.type, old.type) != 0) jn__patch_set_text(&e->patch, &at[JN_AT_JOINT], "type", form.type);
  if (strcmp(parent, joint->parent) != 0) jn__patch_set_text(&e->patch, &at[JN_AT_PARENT], "link", escaped(e, parent));
  edit_origin(e, joint, t->placement);
  if (form.coordinates == 0 && strcmp(form.type, old.type) != 0 && at[JN_AT_MIMIC].end)
    jn__patch_drop(&e->patch, &at[JN_AT_MIMIC]); /* it follows nothing any more */
  if (form.coordinates == 0) return;             /* whatever else it has is ignored when it is read */
  const jn_dof *dof = &t->joint.dof[0], *was = &joint->dof;
  int same_type = strcmp(form.type, old.type) == 0;
  edit_axis(e, joint, &form);
  if (!same_type || !same_limits(dof, was)) edit_limits(e, joint, &form, dof);
  if (!same_type || !same_dynamics(dof, was)) edit_dynamics(e, joint, dof);
  edit_mimic(e, joint, &t->joint);
}

/* ---- The tree ---- */

static void edit_link(editor *e, int i) {
  const jn_urdf_link *link = &e->u->links[i];
  const jn_urdf_joint *joint = link->joint >= 0 ? &e->u->joints[link->joint] : NULL;
  int frame = jn_frame_index(e->m, link->name);
  double p[10] = {0};
  if (link->is_world) return;
  if (frame < 0 && !joint) {
    e->cannot = "the root link is another one";
  } else if (frame < 0) {
    jn__patch_drop(&e->patch, &link->places->at[JN_AT_LINK]);
    jn__patch_drop(&e->patch, &joint->places->at[JN_AT_JOINT]);
    char subject[160];
    snprintf(subject, sizeof subject, "link '%.120s'", link->name);
    jn__log(e->writer.log, JN_NOTE, JN_OK, "urdf-removed", (jn_place){0}, subject,
            "look for other elements that name it, such as <gazebo> and <transmission>",
            "the link and its joint '%.120s' are removed", joint->name);
  } else {
    edit_target t;
    if (frame < jn_link_count(e->m)) jn_link_inertia(e->m, frame, p);
    edit_inertia(e, link, p);
    find_target(e->m, frame, &t);
    if (joint) edit_joint(e, joint, &t);
  }
}

/* A root that is a plain one in the text must be one in the model. */
static void check_root(editor *e) {
  const jn_urdf_link *root = &e->u->links[e->root];
  int roots = 0, links = jn_link_count(e->m);
  for (int i = 0; i < jn_frame_count(e->m); i++)
    roots += (i < links ? jn_link_parent(e->m, i) : jn_frame_link(e->m, i)) == JN_WORLD;
  if (root->is_world) {
    snprintf(e->writer.world, sizeof e->writer.world, "%s", root->name);
  } else if (jn_link_index(e->m, root->name) != 0 || roots != 1) {
    e->cannot = "the root link is another one";
  } else if (!jn__urdf_plain_root(&e->writer)) {
    e->cannot = "the root link is no longer fixed to the world, or free, without displacement";
  }
}

/* Links, joints, frames and loops that the text does not have, at its end. */
static void add_new(editor *e, int *frames) {
  const jn_model *m = e->m;
  int links = jn_link_count(m);
  begin_piece(e);
  for (int i = 0; i < links; i++)
    if (jn__urdf_find(&e->u->link_names, jn_link_name(m, i)) < 0) jn__urdf_put_link(&e->writer, i);
  for (int i = 0; i < links; i++)
    if (jn__urdf_find(&e->u->link_names, jn_link_name(m, i)) < 0) jn__urdf_put_joint(&e->writer, i);
  for (int i = links; i < jn_frame_count(m); i++) {
    if (jn__urdf_find(&e->u->link_names, jn_frame_name(m, i)) >= 0) continue;
    jn__urdf_put_frame(&e->writer, i);
    ++*frames;
  }
}

/* ---- Loops ---- */

static int same_text(const char *a, const char *b) {
  const char *world = "world";
  return strcmp(a ? a : world, b ? b : world) == 0;
}

/* Axes are normalised in the model. */
static int same_axis(const double a[3], const double unit[3]) {
  double size = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
  for (int i = 0; i < 3; i++)
    if (fabs(a[i] / size - unit[i]) > 4 * DBL_EPSILON) return 0;
  return 1;
}

static int same_loop(const editor *e, const jn_loop *text, const jn_loop *l) {
  const char *world = e->writer.world;
  const char *a = text->link_a && strcmp(text->link_a, world) == 0 ? NULL : text->link_a;
  const char *b = text->link_b && strcmp(text->link_b, world) == 0 ? NULL : text->link_b;
  int same = text->type == l->type && same_text(a, l->link_a) && same_text(b, l->link_b) && text->mask == l->mask &&
             text->distance == l->distance && text->offset == l->offset && text->term_count == l->term_count;
  same = same && same_axis(text->axis, l->axis) && same_axis(text->axis2, l->axis2);
  for (int i = 0; i < 16 && same; i++)
    same = fabs(text->placement_a[i] - l->placement_a[i]) <= 4 * DBL_EPSILON &&
           fabs(text->placement_b[i] - l->placement_b[i]) <= 4 * DBL_EPSILON;
  for (int i = 0; i < l->term_count && same; i++)
    same = same_text(text->term[i].joint, l->term[i].joint) && text->term[i].factor == l->term[i].factor &&
           text->term[i].coordinate == l->term[i].coordinate;
  return same;
}

/* Adds what is new to the piece that add_new() began; what changed is removed and written anew. */
static void edit_loops(editor *e) {
  int known_count = e->u->constraint_count;
  for (int k = 0; k < known_count; k++) {
    const jn_urdf_constraint *c = &e->u->constraints[k];
    int i = jn_loop_index(e->m, c->loop.name);
    if (i < 0 || !same_loop(e, &c->loop, jn_loop_description(e->m, i)))
      jn__patch_drop(&e->patch, &c->places->at[JN_AT_CONSTRAINT]);
  }
  for (int i = 0; i < jn_loop_count(e->m); i++) {
    const jn_loop *l = jn_loop_description(e->m, i);
    int kept = 0;
    for (int k = 0; k < known_count && !kept; k++)
      kept = strcmp(e->u->constraints[k].loop.name, l->name) == 0 && same_loop(e, &e->u->constraints[k].loop, l);
    if (!kept) jn__urdf_put_constraint(&e->writer, l);
  }
}

/* ---- The result against the model ---- */

static int near(const double *a, const double *b, int n, double tolerance) {
  double size = 0;
  for (int i = 0; i < n; i++) size = fmax(size, fabs(a[i]));
  for (int i = 0; i < n; i++)
    if (!(fabs(a[i] - b[i]) <= tolerance * size) && a[i] != b[i]) return 0;
  return 1;
}

static int same_joint(const jn_joint *a, const jn_joint *b) {
  jn_urdf_form f, g;
  jn__urdf_form_of(a, &f);
  jn__urdf_form_of(b, &g);
  if (strcmp(f.type, g.type) != 0) return 0;
  if ((f.coordinates == 1 || f.coordinates == 3) && !near(f.axis, g.axis, 3, 1e-14)) return 0;
  if (f.coordinates == 0) return 1;
  const jn_dof *x = &a->dof[0], *y = &b->dof[0];
  int bounds =
      f.coordinates != 1 || strcmp(f.type, "continuous") == 0 || (x->lower == y->lower && x->upper == y->upper);
  int follows = f.coordinates != 1 || (!a->mimic == !b->mimic && (!a->mimic || strcmp(a->mimic, b->mimic) == 0));
  jn_dof z = *y; /* bounds have no meaning for all types */
  z.lower = x->lower;
  z.upper = x->upper;
  return bounds && follows && same_limits(x, &z) && same_dynamics(x, y) &&
         (!a->mimic || (a->mimic_ratio == b->mimic_ratio && a->mimic_offset == b->mimic_offset));
}

static const char *parent_name(const jn_model *m, int parent) {
  return parent == JN_WORLD ? "" : jn_link_name(m, parent);
}

/* Every link and frame of m is a link of n with the same joint and inertia. */
static int same_frame(const jn_model *m, const jn_model *n, int frame) {
  int link = jn_link_index(n, jn_frame_name(m, frame));
  edit_target a, b;
  double p[10] = {0}, q[10];
  if (link < 0) return 0;
  find_target(m, frame, &a);
  find_target(n, link, &b);
  if (frame < jn_link_count(m)) jn_link_inertia(m, frame, p);
  jn_link_inertia(n, link, q);
  return strcmp(parent_name(m, a.parent), parent_name(n, b.parent)) == 0 && near(a.placement, b.placement, 12, 1e-13) &&
         same_joint(&a.joint, &b.joint) && p[0] == q[0] && near(p + 1, q + 1, 3, 1e-13) && near(p + 4, q + 4, 6, 1e-13);
}

/* 1 when the text says what the model is, -1 without memory. *order: its links come in the same order. */
static int same_model(const jn_model *m, const jn_options *given, const jn_text *text, int *order) {
  jn_options o;
  jn_model *n;
  jn_options_init(&o);
  o.allocator = given->allocator;
  o.max_bytes = (size_t)-1;
  const jn_joint *root = jn_joint_description(m, 0);
  o.floating = root->type == JN_FREE;
  jn_status status = jn_load_text(text->data, text->length, JN_FORMAT_URDF, NULL, &o, &n, NULL);
  if (status != JN_OK) return status == JN_ERR_MEMORY ? -1 : 0;
  int same = jn_link_count(n) == jn_frame_count(m) && jn_loop_count(n) == jn_loop_count(m) &&
             strcmp(jn_model_name(m), jn_model_name(n)) == 0,
      last = -1;
  *order = 1;
  for (int i = 0; i < jn_frame_count(m) && same; i++) {
    same = same_frame(m, n, i);
    int place = jn_link_index(n, jn_frame_name(m, i));
    if (i < jn_link_count(m)) *order &= place > last;
    last = place;
  }
  jn_model_destroy(n);
  return same;
}

/* ---- All of it ---- */

static void edit_all(editor *e, const jn_options *o, const char *path) {
  int frames = 0;
  check_root(e);
  if (e->cannot) return;
  if (strcmp(jn_model_name(e->m), e->u->builder->name) != 0)
    jn__patch_set_text(&e->patch, &e->u->robot, "name", escaped(e, jn_model_name(e->m)));
  for (int i = 0; i < e->u->link_count && !e->cannot; i++) edit_link(e, i);
  if (e->cannot) return;
  add_new(e, &frames);
  edit_loops(e);
  if (e->scratch.length) jn__patch_add(&e->patch, &e->u->robot, "robot", piece(e), 2);
  jn__urdf_meshes(&e->patch, o->original, path, e->writer.log);
  jn__urdf_report_losses(&e->writer, frames);
}

static jn_status finish(editor *e, const jn_options *o, jn_text *out) {
  size_t before = out->length;
  int order = 1;
  if (e->scratch.failed || e->patch.failed || e->patch.pool.failed) return JN_ERR_MEMORY;
  if (!e->cannot && !jn__patch_apply(&e->patch, out)) e->cannot = "the changes overlap";
  if (out->failed) return JN_ERR_MEMORY;
  int same = e->cannot || e->patch.count == 0 ? 1 : same_model(e->m, o, out, &order);
  if (same < 0) return JN_ERR_MEMORY;
  if (!same) e->cannot = "the edited text would not say the same as the model";
  if (!order)
    jn__log(e->writer.log, JN_WARNING, JN_ERR_UNSUPPORTED, "joint-order", (jn_place){0}, NULL,
            "give --joint-order (options.joint_order) when reading the file, or write a new one (--fresh)",
            "new joints stand at the end of the file, so that the coordinates will be in another order");
  if (e->cannot && out->data) out->data[before] = 0;
  if (e->cannot) out->length = before;
  return JN_OK;
}

/* Reads the text and edits it; *cannot tells why that is not possible ("": it is no URDF at all). */
static jn_status edit(const jn_model *m, const jn_options *o, const char *path, const char *text, size_t length,
                      jn_text *out, jn_log *log, const char **cannot) {
  jn_options own;
  jn_options_init(&own);
  own.allocator = o->allocator;
  own.transmissions = 0;
  jn_builder *b;
  jn_status status = jn_builder_create(&own, &b);
  if (status != JN_OK) return status;
  jn_urdf u = {.builder = b, .keep_places = 1};
  editor e = {.m = m, .u = &u};
  jn__text_init(&e.scratch, o->allocator);
  jn__patch_init(&e.patch, o->allocator, text, length);
  e.writer = (jn_urdf_writer){.m = m, .out = &e.scratch, .log = log};
  status = jn__urdf_collect(&u, text, length, &e.root);
  if (status == JN_ERR_MEMORY) {
    e.cannot = NULL;
  } else if (u.robot.end == 0) {
    e.cannot = "";
  } else if (status != JN_OK || e.root < 0 || b->log.first.status != JN_OK) {
    e.cannot = "it has errors";
  } else if (memchr(text, 0, length)) {
    e.cannot = "it is not in an encoding that contains ASCII, such as UTF-8";
  } else {
    edit_all(&e, o, path);
  }
  if (status != JN_ERR_MEMORY) status = finish(&e, o, out);
  *cannot = e.cannot;
  jn__patch_free(&e.patch);
  jn__release(&e.scratch.allocator, e.scratch.data);
  jn__urdf_release(&u);
  jn_builder_destroy(b);
  return status;
}

jn_status jn__urdf_rewrite(const jn_model *m, const jn_options *o, const char *path, const char *text, size_t length,
                           jn_text *out, jn_log *log) {
  jn_urdf_writer w = {.m = m, .out = out, .log = log};
  const char *cannot = NULL;
  jn__urdf_check(&w);
  if (w.faults) return JN_ERR_UNSUPPORTED;
  jn_status status = edit(m, o, path, text, length, out, log, &cannot);
  if (status != JN_OK) {
    jn__log(log, JN_ERROR, status, "memory", (jn_place){0}, NULL, NULL, "no memory for the text of the file");
    return status;
  }
  if (!cannot) return JN_OK;
  if (*cannot) jn__urdf_tell_left(text, length, cannot, log);
  return jn__urdf_write(m, out, log);
}

void jn__urdf_tell_left(const char *text, size_t length, const char *cannot, jn_log *log) {
  char list[JN_LEFT_TEXT];
  jn__urdf_left(text, length, list, sizeof list);
  if (cannot)
    jn__log(log, JN_WARNING, JN_ERR_UNSUPPORTED, "urdf-rewritten", (jn_place){0}, NULL, NULL,
            "the text of the original cannot be kept (%s): a new file is written%s%s", cannot,
            *list ? ", without " : "", list);
  else if (*list)
    jn__log(log, JN_NOTE, JN_OK, "left-behind", (jn_place){0}, NULL, NULL, "only the model is written, without %s",
            list);
}
