/* SPDX-License-Identifier: BSD-2-Clause */
/* The XML side of URDF: walks the text with expat and collects the links and joints that are direct children of
 * <robot>. Everything that does not touch dynamics is skipped with its content. Nothing here recurses. */
#include <expat.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "urdf_walk.h"
#include "xml.h"

enum { MAX_DEPTH = 256, MAX_ATTRIBUTES = 256 };

/* A limit this large means "none"; our writer uses it because other readers of URDF do not take "inf". */
#define NO_LIMIT 1e300

/* A limit; infinite and absurdly large ones mean that there is none, and so does `none`, in the place of wrong ones. */
static void limit(jn_walk *w, const char *name, double *out, double none) {
  double x;
  int found = jn__walk_numbers(w, name, &x, 1, 1);
  if (found > 0) *out = fabs(x) >= NO_LIMIT ? copysign(INFINITY, x) : x;
  if (found < 0) *out = none;
}

/* ---- Links ---- */

static void start_link(jn_walk *w) {
  jn_urdf *u = w->u;
  if (!jn__walk_fits(w)) return;
  void *grown = jn__grow(&u->builder->allocator, u->links, u->link_count, &u->link_capacity, sizeof *u->links);
  if (!grown) {
    jn__walk_no_memory(w);
    return;
  }
  u->links = grown;
  jn_urdf_link *link = &u->links[u->link_count++];
  *link = (jn_urdf_link){.line = jn__walk_line(w), .column = jn__walk_column(w), .joint = -1};
  jn__walk_subject(w, "link", NULL);
  link->name = jn__walk_needed_name(w, "name");
  if (link->name) jn__walk_subject(w, "link", link->name);
  const char *world = jn__walk_attribute(w, "world");
  link->is_world = world && strcmp(world, "true") == 0;
}

static void start_inertial(jn_walk *w) {
  static const double identity[16] = JN_IDENTITY;
  w->line = jn__walk_line(w);
  w->column = jn__walk_column(w);
  w->mass = 0;
  w->unreadable = 0;
  memset(w->tensor, 0, sizeof w->tensor);
  memcpy(w->placement, identity, sizeof identity);
  w->u->links[w->u->link_count - 1].has_inertial = 1;
}

static void read_inertial_origin(jn_walk *w) { jn__walk_origin(w, w->placement); }

static void read_mass(jn_walk *w) { w->unreadable |= jn__walk_needed_number(w, "value", &w->mass) < 0; }

static void read_inertia(jn_walk *w) {
  static const char *const names[6] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
  for (int i = 0; i < 3; i++) w->unreadable |= jn__walk_needed_number(w, names[i], &w->tensor[i]) < 0;
  for (int i = 3; i < 6; i++) {
    w->unreadable |= jn__walk_number(w, names[i], &w->tensor[i]) < 0;
    if (w->stopped == JN_OK && !jn__walk_attribute(w, names[i])) {
      JN_WALK_SAY(w, JN_WARNING, JN_ERR_SYNTAX, "urdf-attribute",
                  "write all six moments; other readers refuse the file", "<inertia> has no attribute '%s', taken as 0",
                  names[i]);
    }
  }
}

static void end_inertial(jn_walk *w) {
  static const double harmless[10] = JN_HARMLESS_INERTIA;
  jn_urdf *u = w->u;
  if (!w->seen[JN_AT_MASS]) {
    jn__urdf_log(u, JN_WARNING, JN_ERR_MODEL, "urdf-mass", w->line, w->column, w->subject,
                 "add <mass value=\"...\"/>, or leave <inertial> out", "<inertial> has no <mass>, taken as 0 kg");
  }
  if (!w->seen[JN_AT_INERTIA]) {
    jn__urdf_log(u, JN_WARNING, JN_ERR_MODEL, "urdf-inertia", w->line, w->column, w->subject,
                 "add <inertia ixx=\"...\" .../>, or leave <inertial> out",
                 "<inertial> has no <inertia>, taken as a point mass");
  }
  const double com[3] = {w->placement[3], w->placement[7], w->placement[11]};
  double *inertia = u->links[u->link_count - 1].inertia;
  jn__turn_tensor(w->placement, w->tensor);
  jn_inertia_pack(w->mass, com, w->tensor, inertia);
  if (w->unreadable) memcpy(inertia, harmless, sizeof harmless);
}

/* ---- Joints ---- */

static jn_urdf_joint *current_joint(jn_walk *w) { return &w->u->joints[w->u->joint_count - 1]; }

/* A continuous joint replaces a wrong one: others may follow it, and it needs no limits. */
static void read_type(jn_walk *w, jn_urdf_joint *joint) {
  static const struct {
    const char *name;
    jn_joint_type type;
  } types[] = {{"revolute", JN_REVOLUTE}, {"continuous", JN_CONTINUOUS}, {"prismatic", JN_PRISMATIC},
               {"fixed", JN_FIXED},       {"floating", JN_FREE},         {"planar", JN_PLANAR}};
  const char *text = jn__walk_needed(w, "type");
  for (size_t i = 0; i < sizeof types / sizeof *types && text; i++) {
    joint->type = types[i].type;
    if (strcmp(text, types[i].name) == 0) return;
  }
  joint->type = JN_CONTINUOUS;
  joint->type_unknown = 1;
  if (!text) return;
  char nearest[32], remedy[128] = "URDF has revolute, continuous, prismatic, fixed, floating and planar";
  if (jn__nearest("revolute, continuous, prismatic, fixed, floating, planar", text, nearest) <= 3) {
    size_t used = strlen(remedy);
    snprintf(remedy + used, sizeof remedy - used, "; did you mean %s?", nearest);
  }
  JN_WALK_SAY(w, JN_ERROR, JN_ERR_SYNTAX, "urdf-joint-type", remedy, "joint type \"%.*s\" is unknown", JN_CLIP(text));
}

static void start_joint(jn_walk *w) {
  static const jn_urdf_joint fresh = {
      .placement = JN_IDENTITY,
      .axis = {1, 0, 0},
      .mimic_ratio = 1,
      .dof = {-INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, 0, 0, 0, 0, 0}};
  jn_urdf *u = w->u;
  if (!jn__walk_fits(w)) return;
  void *grown = jn__grow(&u->builder->allocator, u->joints, u->joint_count, &u->joint_capacity, sizeof *u->joints);
  if (!grown) {
    jn__walk_no_memory(w);
    return;
  }
  u->joints = grown;
  jn_urdf_joint *joint = &u->joints[u->joint_count++];
  *joint = fresh;
  joint->line = jn__walk_line(w);
  joint->column = jn__walk_column(w);
  jn__walk_subject(w, "joint", NULL);
  joint->name = jn__walk_needed_name(w, "name");
  if (joint->name) jn__walk_subject(w, "joint", joint->name);
  read_type(w, joint);
  u->moving_count += joint->type != JN_FIXED;
}

static void read_placement(jn_walk *w) { jn__walk_origin(w, current_joint(w)->placement); }

static void read_parent(jn_walk *w) {
  jn_urdf_joint *joint = current_joint(w);
  joint->parent_line = jn__walk_line(w);
  joint->parent_column = jn__walk_column(w);
  joint->parent = jn__walk_needed_name(w, "link");
}

static void read_child(jn_walk *w) {
  jn_urdf_joint *joint = current_joint(w);
  joint->child_line = jn__walk_line(w);
  joint->child_column = jn__walk_column(w);
  joint->child = jn__walk_needed_name(w, "link");
}

static void read_axis(jn_walk *w) {
  jn_urdf_joint *joint = current_joint(w);
  /* Without one, and of an unknown type, which may have none, it does not matter what is written. */
  if (joint->type != JN_FIXED && joint->type != JN_FREE && !joint->type_unknown) jn__walk_axis(w, joint->axis);
}

/* The model has one limit for speeding up and slowing down: the smaller of the two. */
static void read_deceleration(jn_walk *w, jn_dof *dof) {
  double deceleration = INFINITY, acceleration = dof->acceleration;
  limit(w, "deceleration", &deceleration, INFINITY);
  if (deceleration == acceleration || isinf(deceleration)) return;
  if (deceleration < acceleration) dof->acceleration = deceleration;
  JN_WALK_SAY(w, JN_NOTE, JN_OK, "urdf-deceleration", NULL,
              "acceleration and deceleration differ; the smaller one, %g, limits both", dof->acceleration);
}

static void read_limit(jn_walk *w) {
  jn_urdf_joint *joint = current_joint(w);
  jn_dof *dof = &joint->dof;
  if (joint->type == JN_FIXED) return;
  if (joint->type == JN_REVOLUTE || joint->type == JN_PRISMATIC) {
    if (w->u->version < 1.2) dof->lower = dof->upper = 0; /* the defaults of URDF once there is a <limit> */
    limit(w, "lower", &dof->lower, -INFINITY);
    limit(w, "upper", &dof->upper, INFINITY);
  }
  limit(w, "effort", &dof->effort, INFINITY);
  limit(w, "velocity", &dof->velocity, INFINITY);
  limit(w, "acceleration", &dof->acceleration, INFINITY);
  read_deceleration(w, dof);
  limit(w, "jerk", &dof->jerk, INFINITY);
  limit(w, "effort_rate", &dof->effort_rate, INFINITY);
}

static void read_dynamics(jn_walk *w) {
  jn_urdf_joint *joint = current_joint(w);
  if (joint->type == JN_FIXED) return;
  jn__walk_number(w, "damping", &joint->dof.damping);
  jn__walk_number(w, "friction", &joint->dof.friction);
  joint->has_armature = jn__walk_number(w, "armature", &joint->dof.armature) > 0;
  jn__walk_number(w, "stiffness", &joint->dof.stiffness);
  jn__walk_number(w, "rest", &joint->dof.rest);
}

static void read_mimic(jn_walk *w) {
  jn_urdf_joint *joint = current_joint(w);
  if (joint->type == JN_FIXED) return;
  joint->mimic = jn__walk_needed_text(w, "joint");
  jn__walk_number(w, "multiplier", &joint->mimic_ratio);
  jn__walk_number(w, "offset", &joint->mimic_offset);
}

static void end_joint(jn_walk *w) {
  jn_urdf_joint *joint = current_joint(w);
  jn_urdf *u = w->u;
  static const struct {
    jn_urdf_element kind;
    const char *name;
  } ends[] = {{JN_AT_PARENT, "parent"}, {JN_AT_CHILD, "child"}};
  for (int i = 0; i < 2; i++) {
    if (w->seen[ends[i].kind]) continue;
    u->incomplete = 1;
    jn__urdf_log(u, JN_ERROR, JN_ERR_SYNTAX, "urdf-element", joint->line, joint->column, w->subject, NULL,
                 "there is no <%s link=\"...\"/>", ends[i].name);
  }
  if ((joint->type == JN_REVOLUTE || joint->type == JN_PRISMATIC) && !w->seen[JN_AT_LIMIT]) {
    const char *remedy = joint->type == JN_REVOLUTE ? "add <limit lower upper effort velocity>, or make it continuous"
                                                    : "add <limit lower upper effort velocity>";
    jn__urdf_log(u, JN_WARNING, JN_ERR_MODEL, "urdf-limit", joint->line, joint->column, w->subject, remedy,
                 "a %s joint needs a <limit>; without one it has no limits", jn_joint_type_name(joint->type));
  }
}

/* ---- The walk ---- */

/* Decides about <xacro:...> at a place that matters. Published files contain properties and macro calls that do not
 * concern the robot's tree, so these are ignored outside of links and joints. Anything else has to be expanded by xacro
 * first. */
static void start_xacro(jn_walk *w, jn_urdf_element inside) {
  static const char *const sources[] = {"include",      "macro", "if",      "unless",    "arg",
                                        "insert_block", "call",  "element", "attribute", NULL};
  jn_urdf *u = w->u;
  const char *what = w->name + strlen("xacro:");
  char tag[80];
  snprintf(tag, sizeof tag, "<%.*s>", JN_CLIP(w->name));
  int refused = inside != JN_AT_ROBOT && strcmp(what, "property") != 0;
  for (int i = 0; sources[i] && !refused; i++) refused = strcmp(what, sources[i]) == 0;
  if (refused) {
    jn__walk_xacro(w, tag);
  } else if (u->xacro_count++ == 0) {
    u->xacro_line = jn__walk_line(w);
    u->xacro_column = jn__walk_column(w);
    snprintf(u->xacro_name, sizeof u->xacro_name, "%.*s", (int)sizeof u->xacro_name - 1, tag);
  }
}

/* Only the defaults of <limit> depend on it. */
static void read_version(jn_walk *w) {
  const char *version = jn__walk_attribute(w, "version");
  w->u->version = version ? jn__read_number(version, NULL) : 1;
}

static void start_robot(jn_walk *w) {
  const char *name = w->name, *what = "an XML file, but not a URDF file", *remedy = "URDF files start with <robot>";
  if (strcmp(name, "robot") == 0) {
    jn__walk_subject(w, "robot", NULL);
    const char *given = jn__walk_attribute(w, "name");
    if (w->stopped != JN_OK) return;
    if (!given || !*given) {
      JN_WALK_SAY(w, JN_WARNING, JN_ERR_SYNTAX, "urdf-attribute", "write <robot name=\"...\">",
                  "<robot> has no name, taken as \"robot\"");
    } else if (jn_builder_set_name(w->u->builder, given) != JN_OK) {
      jn__walk_no_memory(w);
    }
    read_version(w);
    return;
  }
  if (strcmp(name, "mujoco") == 0 || strcmp(name, "mujocoinclude") == 0) {
    what = "a MuJoCo (MJCF) file, not a URDF file";
    remedy = "convert it to URDF, or describe the robot in the native format";
  } else if (strcmp(name, "sdf") == 0 || strcmp(name, "gazebo") == 0) {
    what = "an SDFormat file, not a URDF file";
    remedy = "convert it to URDF, or describe the robot in the native format";
  }
  snprintf(w->subject, sizeof w->subject, "element <%.*s>", JN_CLIP(name));
  JN_WALK_SAY(w, JN_ERROR, JN_ERR_SYNTAX, "urdf-root", remedy, "this is %s", what);
  jn__walk_stop(w, JN_ERR_SYNTAX);
}

static void enter(jn_walk *w) { (void)w; }

/* What is read, and by which function. */
static const struct {
  jn_urdf_element inside;
  const char *name;
  jn_urdf_element kind;
  void (*read)(jn_walk *w);
} known[] = {
    {JN_AT_ROBOT, "link", JN_AT_LINK, start_link},
    {JN_AT_ROBOT, "joint", JN_AT_JOINT, start_joint},
    {JN_AT_LINK, "inertial", JN_AT_INERTIAL, start_inertial},
    {JN_AT_INERTIAL, "origin", JN_AT_INERTIAL_ORIGIN, read_inertial_origin},
    {JN_AT_INERTIAL, "mass", JN_AT_MASS, read_mass},
    {JN_AT_INERTIAL, "inertia", JN_AT_INERTIA, read_inertia},
    {JN_AT_JOINT, "origin", JN_AT_ORIGIN, read_placement},
    {JN_AT_JOINT, "parent", JN_AT_PARENT, read_parent},
    {JN_AT_JOINT, "child", JN_AT_CHILD, read_child},
    {JN_AT_JOINT, "axis", JN_AT_AXIS, read_axis},
    {JN_AT_JOINT, "limit", JN_AT_LIMIT, read_limit},
    {JN_AT_JOINT, "dynamics", JN_AT_DYNAMICS, read_dynamics},
    {JN_AT_JOINT, "mimic", JN_AT_MIMIC, read_mimic},
    {JN_AT_ROBOT, "constraint", JN_AT_CONSTRAINT, jn__walk_constraint},
    {JN_AT_CONSTRAINT, "parent", JN_AT_PARENT, jn__walk_constraint_parent},
    {JN_AT_CONSTRAINT, "parent_origin", JN_AT_PARENT_ORIGIN, jn__walk_constraint_parent_origin},
    {JN_AT_CONSTRAINT, "parent_axis", JN_AT_PARENT_AXIS, jn__walk_constraint_parent_axis},
    {JN_AT_CONSTRAINT, "child", JN_AT_CHILD, jn__walk_constraint_child},
    {JN_AT_CONSTRAINT, "child_origin", JN_AT_CHILD_ORIGIN, jn__walk_constraint_child_origin},
    {JN_AT_CONSTRAINT, "child_axis", JN_AT_CHILD_AXIS, jn__walk_constraint_child_axis},
    {JN_AT_CONSTRAINT, "distance", JN_AT_DISTANCE, jn__walk_constraint_distance},
    {JN_AT_CONSTRAINT, "mask", JN_AT_MASK, jn__walk_constraint_mask},
    {JN_AT_CONSTRAINT, "term", JN_AT_TERM, jn__walk_constraint_term},
    {JN_AT_CONSTRAINT, "offset", JN_AT_OFFSET, jn__walk_constraint_offset},
    {JN_AT_ROBOT, "ros2_control", JN_AT_CONTROL, enter},
    {JN_AT_CONTROL, "transmission", JN_AT_TRANSMISSION, jn__walk_transmission},
    {JN_AT_ROBOT, "transmission", JN_AT_TRANSMISSION, jn__walk_transmission},
    {JN_AT_TRANSMISSION, "joint", JN_AT_DRIVEN, jn__walk_driven},
    {JN_AT_TRANSMISSION, "actuator", JN_AT_ACTUATOR, jn__walk_actuator},
};

/* The same for what a transmission, its joint or its actuator may have, under all names in use. */
static const struct {
  const char *name;
  jn_urdf_element kind;
} gears[] = {{"mechanicalReduction", JN_AT_REDUCTION}, {"mechanical_reduction", JN_AT_REDUCTION},
             {"drake:gear_ratio", JN_AT_REDUCTION},    {"motorInertia", JN_AT_MOTOR_INERTIA},
             {"motor_inertia", JN_AT_MOTOR_INERTIA},   {"rotorInertia", JN_AT_MOTOR_INERTIA},
             {"rotor_inertia", JN_AT_MOTOR_INERTIA},   {"drake:rotor_inertia", JN_AT_MOTOR_INERTIA}};

/* Which of these the current element is, and its reader; JN_AT_SKIPPED for none. */
static jn_urdf_element kind_of(const jn_walk *w, jn_urdf_element inside, void (**read)(jn_walk *)) {
  int motors = w->u->builder->options.transmissions;
  for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
    if (known[k].inside != inside || strcmp(known[k].name, w->name) != 0) continue;
    *read = known[k].read;
    return known[k].kind >= JN_AT_CONTROL && !motors ? JN_AT_SKIPPED : known[k].kind;
  }
  *read = jn__walk_gear;
  if (inside != JN_AT_TRANSMISSION && inside != JN_AT_DRIVEN && inside != JN_AT_ACTUATOR) return JN_AT_SKIPPED;
  for (size_t k = 0; k < sizeof gears / sizeof *gears; k++)
    if (strcmp(gears[k].name, w->name) == 0) return gears[k].kind;
  return JN_AT_SKIPPED;
}

/* 0 when the element breaks a bound that no robot file reaches. */
static int within_bounds(jn_walk *w) {
  int many = XML_GetSpecifiedAttributeCount(w->parser) > 2 * MAX_ATTRIBUTES;
  if (w->depth <= MAX_DEPTH && !many) return 1;
  if (many) {
    JN_WALK_SAY(w, JN_ERROR, JN_ERR_SYNTAX, "urdf-bounds", NULL, "an element has more than %d attributes",
                MAX_ATTRIBUTES);
  } else {
    JN_WALK_SAY(w, JN_ERROR, JN_ERR_SYNTAX, "urdf-bounds", NULL, "elements are nested deeper than %d", MAX_DEPTH);
  }
  jn__walk_stop(w, JN_ERR_SYNTAX);
  return 0;
}

/* 1 for a second element of its kind in a link, joint, constraint or inertial; these start again. */
static int is_second(jn_walk *w, jn_urdf_element kind) {
  int begins = kind == JN_AT_LINK || kind == JN_AT_JOINT || kind == JN_AT_CONSTRAINT;
  if (begins) memset(w->seen, 0, sizeof w->seen);
  if (begins || kind >= JN_AT_CONTROL) return 0;
  if (!w->seen[kind] || kind == JN_AT_TERM) {
    w->seen[kind] = jn__walk_line(w);
    return 0;
  }
  JN_WALK_SAY(w, JN_WARNING, JN_ERR_MODEL, "urdf-twice", "remove one of them",
              "there is a second <%s>; the first one, on line %d, is used", w->name, w->seen[kind]);
  return 1;
}

/* ---- Places in the text ---- */

/* Those of the link, joint or constraint that is open; NULL when there is none, or none are asked for. */
static jn_urdf_places **places_of(jn_walk *w, jn_urdf_element outer) {
  jn_urdf *u = w->u;
  if (!u->keep_places) return NULL;
  if (outer == JN_AT_LINK) return &u->links[u->link_count - 1].places;
  if (outer == JN_AT_JOINT) return &u->joints[u->joint_count - 1].places;
  if (outer == JN_AT_CONSTRAINT) return &u->constraints[u->constraint_count - 1].places;
  return NULL;
}

static void keep_start(jn_walk *w, jn_urdf_element kind) {
  size_t start = (size_t)XML_GetCurrentByteIndex(w->parser);
  jn_urdf_range range = {start, start + (size_t)XML_GetCurrentByteCount(w->parser), 0};
  if (kind == JN_AT_ROBOT) w->u->robot = range;
  jn_urdf_places **places = w->depth > 1 && w->stopped == JN_OK ? places_of(w, w->path[1]) : NULL;
  if (!places) return;
  if (!*places && !(*places = jn__allocate(&w->u->builder->allocator, sizeof **places))) {
    jn__walk_no_memory(w);
    return;
  }
  (*places)->at[kind] = range;
}

static void keep_end(jn_walk *w, jn_urdf_element kind, int depth) {
  size_t start = (size_t)XML_GetCurrentByteIndex(w->parser);
  size_t end = start + (size_t)XML_GetCurrentByteCount(w->parser);
  if (kind == JN_AT_ROBOT) {
    w->u->robot.end = end;
    w->u->robot_close = start;
  }
  jn_urdf_places **places = depth > 1 ? places_of(w, w->path[1]) : NULL;
  if (places) (*places)->at[kind].end = end;
  if (places && kind == JN_AT_INERTIAL) memcpy((*places)->inertial, w->placement, sizeof w->placement);
}

/* ---- Handlers ---- */

static void XMLCALL on_start(void *data, const XML_Char *name, const XML_Char **values) {
  jn_walk *w = data;
  if (w->stopped != JN_OK) return; /* expat may still deliver what it has */
  w->depth++;
  w->name = name;
  w->values = values;
  if (!within_bounds(w)) return;
  if (w->skipped) {
    w->skipped++;
    return;
  }
  if (w->depth == 1) {
    w->path[0] = JN_AT_ROBOT;
    start_robot(w);
    keep_start(w, JN_AT_ROBOT);
    return;
  }
  jn_urdf_element inside = w->path[w->depth - 2];
  if (strncmp(name, "xacro:", 6) == 0) start_xacro(w, inside);
  if (inside == JN_AT_LINK && (strcmp(name, "visual") == 0 || strcmp(name, "collision") == 0)) {
    w->u->links[w->u->link_count - 1].has_geometry = 1;
  }
  void (*read)(jn_walk *);
  jn_urdf_element kind = kind_of(w, inside, &read);
  w->skipped = kind == JN_AT_SKIPPED || is_second(w, kind);
  if (kind == JN_AT_SKIPPED) jn__walk_check_skipped(w, inside);
  if (w->skipped) return;
  w->path[w->depth - 1] = kind;
  read(w);
  if (kind < JN_AT_CONTROL) jn__walk_check_attributes(w);
  keep_start(w, kind);
}

/* Text counts only in <mechanicalReduction> and its like; what is too long is no number. */
static void XMLCALL on_text(void *data, const XML_Char *text, int length) {
  jn_walk *w = data;
  if (w->stopped != JN_OK || w->skipped || w->depth < 3 || w->path[w->depth - 1] < JN_AT_REDUCTION) return;
  size_t room = sizeof w->content - 1 - w->content_length, n = (size_t)length < room ? (size_t)length : room;
  memcpy(w->content + w->content_length, text, n);
  w->content_length += n;
}

static void XMLCALL on_end(void *data, const XML_Char *name) {
  jn_walk *w = data;
  if (w->stopped != JN_OK) return;
  int depth = w->depth--;
  if (w->skipped) {
    w->skipped--;
    return;
  }
  jn_urdf_element kind = w->path[depth - 1];
  w->name = name;
  if (w->u->keep_places) keep_end(w, kind, depth);
  if (kind == JN_AT_INERTIAL) end_inertial(w);
  if (kind == JN_AT_JOINT) end_joint(w);
  if (kind == JN_AT_CONSTRAINT) jn__walk_constraint_end(w);
  if (kind >= JN_AT_REDUCTION) jn__walk_gear_end(w, kind);
  if (depth == 2) jn__walk_subject(w, "robot", NULL);
}

/* Declarations inside the file could define entities that grow without bound, or attributes for every element. */
static void XMLCALL on_doctype(void *data, const XML_Char *name, const XML_Char *system, const XML_Char *public,
                               int has_internal_subset) {
  jn_walk *w = data;
  (void)name;
  (void)public;
  if (w->stopped != JN_OK) return;
  if (has_internal_subset) {
    JN_WALK_SAY(w, JN_ERROR, JN_ERR_SYNTAX, "urdf-doctype", "remove the declarations between [ and ] in <!DOCTYPE>",
                "entities and other document type declarations are refused");
    jn__walk_stop(w, JN_ERR_SYNTAX);
  } else if (system) {
    JN_WALK_SAY(w, JN_WARNING, JN_ERR_SYNTAX, "urdf-doctype", "remove <!DOCTYPE>",
                "the external document type is not read");
  }
}

static void report_xml_error(void *data, int empty) {
  jn_walk *w = data;
  const char *remedy, *text = jn__xml_fault(w->parser, &remedy);
  if (w->stopped != JN_OK) return;
  if (XML_GetErrorCode(w->parser) == XML_ERROR_NO_MEMORY) {
    jn__walk_no_memory(w);
    return;
  }
  JN_WALK_SAY(w, JN_ERROR, JN_ERR_SYNTAX, "urdf-xml", remedy, "%s: %s",
              empty ? "the file is empty" : "not well-formed XML", text);
  w->stopped = JN_ERR_SYNTAX;
}

jn_status jn__urdf_parse(jn_urdf *u, const char *text, size_t length) {
  if (jn__xml_is_binary(text, length)) {
    jn__urdf_log(u, JN_ERROR, JN_ERR_SYNTAX, "urdf-binary", 0, 0, NULL, "give a URDF file, which is XML text",
                 "this is not a text file: it has zero bytes");
    return JN_ERR_SYNTAX;
  }
  jn_walk w = {.u = u, .parser = XML_ParserCreate(NULL)};
  if (!w.parser) {
    jn__urdf_log(u, JN_ERROR, JN_ERR_MEMORY, "memory", 0, 0, NULL, NULL, "no memory for the XML parser");
    return JN_ERR_MEMORY;
  }
  XML_SetUserData(w.parser, &w);
  XML_SetElementHandler(w.parser, on_start, on_end);
  if (u->builder->options.transmissions) XML_SetCharacterDataHandler(w.parser, on_text);
  XML_SetStartDoctypeDeclHandler(w.parser, on_doctype);
  jn__xml_parse(w.parser, text, length, report_xml_error, &w);
  XML_ParserFree(w.parser);
  return w.stopped;
}
