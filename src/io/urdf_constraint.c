/* SPDX-License-Identifier: BSD-2-Clause */
/* <constraint>: loops in URDF, as proposed for urdfdom (name, type, two links with origins and axes), with all kinds of
 * closures that a model can have. docs/urdf.md has the syntax. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../dense/vectors.h"
#include "../text/nearest_name.h"
#include "native.h"
#include "urdf_walk.h"

static jn_urdf_constraint *current(jn_walk *w) { return &w->u->constraints[w->u->constraint_count - 1]; }

/* ---- Elements ---- */

static void read_type(jn_walk *w, jn_loop *loop) {
  static const struct {
    const char *name;
    jn_loop_type type;
  } joints[] = {{"fixed", JN_LOOP_WELD}, {"continuous", JN_LOOP_REVOLUTE}, {"ball", JN_LOOP_SPHERICAL}};
  const char *text = jn__walk_needed(w, "type");
  if (!text) return;
  char list[512] = "";
  for (int i = 0; i < JN_LOOP_TYPES; i++) {
    const char *name = jn_loop_type_name((jn_loop_type)i);
    loop->type = (jn_loop_type)i;
    if (strcmp(text, name) == 0) return;
    size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", name);
  }
  for (size_t i = 0; i < sizeof joints / sizeof *joints; i++) {
    loop->type = joints[i].type;
    if (strcmp(text, joints[i].name) == 0) return;
  }
  char remedy[640];
  jn__suggest(list, text, remedy, sizeof remedy);
  loop->type = JN_LOOP_SPHERICAL; /* a stand-in */
  JN_WALK_SAY(w, JN_ERROR, JN_ERR_SYNTAX, "urdf-constraint", remedy, "constraint type \"%.*s\" is unknown",
              JN_CLIP(text));
}

void jn__walk_constraint(jn_walk *w) {
  jn_urdf *u = w->u;
  if (!jn__walk_fits(w)) return;
  void *grown = jn__grow(&u->builder->allocator, u->constraints, u->constraint_count, &u->constraint_capacity,
                         sizeof *u->constraints);
  if (!grown) {
    jn__walk_no_memory(w);
    return;
  }
  u->constraints = grown;
  jn_urdf_constraint *c = &u->constraints[u->constraint_count++];
  *c = (jn_urdf_constraint){.line = jn__walk_line(w), .column = jn__walk_column(w)};
  jn_loop_init(&c->loop);
  c->loop.axis[0] = 1; /* as <axis> of a joint */
  c->loop.axis[2] = 0;
  jn__walk_subject(w, "constraint", NULL);
  c->loop.name = jn__walk_needed_text(w, "name");
  if (c->loop.name) jn__walk_subject(w, "constraint", c->loop.name);
  read_type(w, &c->loop);
}

void jn__walk_constraint_parent(jn_walk *w) { current(w)->loop.link_a = jn__walk_needed_text(w, "link"); }
void jn__walk_constraint_child(jn_walk *w) { current(w)->loop.link_b = jn__walk_needed_text(w, "link"); }
void jn__walk_constraint_parent_origin(jn_walk *w) { jn__walk_origin(w, current(w)->loop.placement_a); }
void jn__walk_constraint_child_origin(jn_walk *w) { jn__walk_origin(w, current(w)->loop.placement_b); }

void jn__walk_constraint_parent_axis(jn_walk *w) { current(w)->has_axis = jn__walk_axis(w, current(w)->loop.axis); }

void jn__walk_constraint_child_axis(jn_walk *w) {
  current(w)->has_child_axis = jn__walk_axis(w, current(w)->child_axis);
}

void jn__walk_constraint_distance(jn_walk *w) { jn__walk_needed_number(w, "value", &current(w)->loop.distance); }
void jn__walk_constraint_offset(jn_walk *w) { jn__walk_needed_number(w, "value", &current(w)->loop.offset); }

void jn__walk_constraint_mask(jn_walk *w) {
  static const char *const names[] = JN_MASK_NAMES;
  const char *text = jn__walk_needed(w, "coordinates");
  for (size_t n; text && *(text += strspn(text, " \t\r\n")); text += n) {
    int i = 0;
    n = strcspn(text, " \t\r\n");
    while (i < 6 && (strlen(names[i]) != n || strncmp(names[i], text, n) != 0)) i++;
    if (i == 6) {
      JN_WALK_SAY(w, JN_ERROR, JN_ERR_SYNTAX, "urdf-constraint", "known are: rx ry rz x y z",
                  "<mask> names a coordinate that is unknown: \"%.*s\"", (int)(n < 20 ? n : 20), text);
      return;
    }
    current(w)->loop.mask |= 1u << i;
  }
}

void jn__walk_constraint_term(jn_walk *w) {
  jn_loop *loop = &current(w)->loop;
  if (loop->term_count == JN_COUPLING_TERMS) {
    JN_WALK_SAY(w, JN_ERROR, JN_ERR_MODEL, "urdf-constraint", NULL, "it has more than %d terms", JN_COUPLING_TERMS);
    return;
  }
  jn_coupling *term = &loop->term[loop->term_count++];
  double coordinate = 0;
  *term = (jn_coupling){.factor = 1, .joint = jn__walk_needed_text(w, "joint")};
  jn__walk_number(w, "factor", &term->factor);
  jn__walk_number(w, "coordinate", &coordinate);
  if (coordinate >= 0 && coordinate < 6 && coordinate == floor(coordinate))
    term->coordinate = (int)coordinate;
  else
    JN_WALK_SAY(w, JN_ERROR, JN_ERR_MODEL, "urdf-constraint", "coordinates of a joint count from 0",
                "attribute 'coordinate' of <term> is %g", coordinate);
}

/* ---- Axes ---- */

static void normalise(double a[3]) {
  double size = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
  for (int i = 0; i < 3; i++) a[i] /= size;
}

/* T <- T R by a quaternion x, y, z, w of any length. */
static void turn(double T[16], double q[4]) {
  double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]), R[16] = JN_IDENTITY, S[9];
  for (int i = 0; i < 4; i++) q[i] /= norm;
  jn__turn_quaternion(R, q);
  for (int i = 0; i < 9; i++) {
    const double *row = T + 4 * (i / 3), *column = R + i % 3;
    S[i] = row[0] * column[0] + row[1] * column[4] + row[2] * column[8];
  }
  for (int i = 0; i < 9; i++) T[4 * (i / 3) + i % 3] = S[i];
}

/* T <- T R, where R takes unit vector a to unit vector b: the smallest rotation; when they are nearly opposite, that
 * from -a to b after half a turn about a direction across a, since the smallest one is not well defined there. */
static void turn_from_to(double T[16], const double a[3], const double b[3]) {
  double q[4], from[3] = {a[0], a[1], a[2]}, dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  double half[4] = {0};
  if (dot < -0.5) {
    const double e[3] = {fabs(a[0]) < 0.6, fabs(a[0]) >= 0.6, 0};
    cross3(a, e, half);
    for (int i = 0; i < 3; i++) from[i] = -a[i];
  }
  cross3(from, b, q);
  q[3] = 1 + (dot < -0.5 ? -dot : dot);
  turn(T, q);
  if (dot < -0.5) turn(T, half);
}

/* The axis in the child: of its own for universal joints; else the child's frame is turned until the axes agree, which
 * changes nothing that such a closure does not leave free anyway. */
static void use_child_axis(jn_walk *w, jn_urdf_constraint *c) {
  jn_loop *loop = &c->loop;
  double a[3], b[3];
  memcpy(a, loop->axis, sizeof a);
  memcpy(b, c->child_axis, sizeof b);
  normalise(a);
  normalise(b);
  double off = fabs(a[0] - b[0]) + fabs(a[1] - b[1]) + fabs(a[2] - b[2]);
  if (loop->type == JN_LOOP_UNIVERSAL) {
    memcpy(loop->axis2, c->child_axis, sizeof loop->axis2);
  } else if (loop->type == JN_LOOP_PRISMATIC && off > 1e-9) {
    jn__urdf_log(w->u, JN_ERROR, JN_ERR_MODEL, "urdf-constraint", c->line, c->column, w->subject,
                 "turn the frame of the child with <child_origin rpy> and leave <child_axis> out",
                 "a prismatic closure lets nothing turn: its axis must be the same in both frames");
  } else if (jn__loop_keys(loop->type) & JN_KEY_AXIS && off > 0 && loop->type != JN_LOOP_PRISMATIC) {
    turn_from_to(loop->placement_b, a, b);
  }
}

void jn__walk_constraint_end(jn_walk *w) {
  jn_urdf_constraint *c = current(w);
  unsigned keys = jn__loop_keys(c->loop.type);
  const struct {
    unsigned key;
    jn_urdf_element kind;
    const char *text;
  } must[] = {{JN_KEY_SIDES, JN_AT_PARENT, "parent link=\"...\""},
              {JN_KEY_SIDES, JN_AT_CHILD, "child link=\"...\""},
              {JN_KEY_DISTANCE, JN_AT_DISTANCE, "distance value=\"...\""},
              {JN_KEY_MASK, JN_AT_MASK, "mask coordinates=\"...\""},
              {JN_KEY_TERMS, JN_AT_TERM, "term joint=\"...\" factor=\"...\""},
              {JN_KEY_AXIS2, JN_AT_PARENT_AXIS, "parent_axis xyz=\"...\""},
              {JN_KEY_AXIS2, JN_AT_CHILD_AXIS, "child_axis xyz=\"...\""}};
  for (size_t i = 0; i < sizeof must / sizeof *must; i++) {
    if (!(keys & must[i].key) || w->seen[must[i].kind]) continue;
    jn__urdf_log(w->u, JN_ERROR, JN_ERR_SYNTAX, "urdf-constraint", c->line, c->column, w->subject, NULL,
                 "there is no <%s/>", must[i].text);
  }
  if (c->has_child_axis) use_child_axis(w, c);
}

/* ---- To the builder ---- */

static const char *link_name_at(const void *urdf, int i) { return ((const jn_urdf *)urdf)->links[i].name; }

/* 1 when the link is there, or is the world (then *name becomes NULL in `loop`). */
static int find_link(jn_urdf *u, const jn_urdf_constraint *c, const char **name, const char *which) {
  char subject[96], remedy[128] = "add the link, or correct the name";
  int i = jn__urdf_find(&u->link_names, *name), count = u->message_count < JN_URDF_MESSAGES ? u->link_count : 0;
  if (i >= 0 && u->links[i].is_world) *name = NULL;
  if (i >= 0 || strcmp(*name, "world") == 0) return 1;
  jn__did_you_mean(*name, count, link_name_at, u, remedy, sizeof remedy);
  snprintf(subject, sizeof subject, "constraint '%.*s'", JN_CLIP(c->loop.name));
  jn__urdf_log(u, JN_ERROR, JN_ERR_MODEL, "urdf-link", c->line, c->column, subject, remedy,
               "its %s link '%.*s' is not in the file", which, JN_CLIP(*name));
  return 0;
}

jn_status jn__urdf_add_constraints(jn_urdf *u) {
  for (int i = 0; i < u->constraint_count; i++) {
    const jn_urdf_constraint *c = &u->constraints[i];
    jn_loop loop = c->loop; /* shares the strings, which the builder copies */
    int sides = (jn__loop_keys(loop.type) & JN_KEY_SIDES) != 0, whole = loop.name != NULL;
    if (whole && sides)
      whole = loop.link_a && loop.link_b &&
              find_link(u, c, &loop.link_a, "parent") + find_link(u, c, &loop.link_b, "child") == 2;
    for (int k = 0; k < loop.term_count; k++) whole &= loop.term[k].joint != NULL;
    if (!whole) continue; /* which is reported */
    jn_status status = jn_builder_add_loop(u->builder, &loop);
    if (status != JN_OK) return status;
    jn__builder_place_loop(u->builder, c->line, c->column);
  }
  return JN_OK;
}
