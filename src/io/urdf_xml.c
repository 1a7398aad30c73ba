/* SPDX-License-Identifier: BSD-2-Clause */
/* The XML side of URDF: walks the text with expat and collects the links and joints that are direct children of
 * <robot>. Everything that does not touch dynamics is skipped with its content. Nothing here recurses. */
#include <expat.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "urdf.h"

enum { MAX_DEPTH = 256, MAX_ATTRIBUTES = 256, PATH = 4 };

/* A limit this large means "none"; our writer uses it because other readers of URDF do not take "inf". */
#define NO_LIMIT 1e300

#define XACRO_REMEDY "expand it first: xacro FILE > robot.urdf"

typedef enum element {
  SKIPPED,
  ROBOT,
  LINK,
  JOINT,
  INERTIAL,
  INERTIAL_ORIGIN,
  MASS,
  INERTIA,
  ORIGIN,
  PARENT,
  CHILD,
  AXIS,
  LIMIT,
  DYNAMICS,
  MIMIC,
  ELEMENTS
} element;

typedef struct walk {
  jn_urdf *u;
  XML_Parser parser;
  jn_status stopped; /* JN_OK until something ended the walk; that is then in the log */
  int depth;
  int skipped; /* open elements that are skipped */
  element path[PATH];
  int seen[ELEMENTS];      /* line of the first one inside the current link or joint */
  const char *name;        /* of the current element */
  const XML_Char **values; /* its attributes: name, value, ..., NULL */
  char subject[96];        /* "link 'base'" */
  int line, column;        /* of the current <inertial>, whose content follows */
  double mass, placement[16], tensor[6];
  int unreadable; /* the mass or a moment of it */
} walk;

/* ---- Messages ---- */

static int line_of(const walk *w) { return (int)XML_GetCurrentLineNumber(w->parser); }
static int column_of(const walk *w) { return (int)XML_GetCurrentColumnNumber(w->parser) + 1; }

/* A message at the current element. */
#define SAY(w, severity, status, rule, remedy, ...) \
  jn__urdf_log((w)->u, severity, status, rule, line_of(w), column_of(w), (w)->subject, remedy, __VA_ARGS__)

static void stop(walk *w, jn_status status) {
  if (w->stopped == JN_OK) w->stopped = status;
  XML_StopParser(w->parser, XML_FALSE);
}

static void stop_for_memory(walk *w) {
  if (w->stopped == JN_OK) SAY(w, JN_ERROR, JN_ERR_MEMORY, "memory", NULL, "no memory left while reading");
  stop(w, JN_ERR_MEMORY);
}

static void set_subject(walk *w, const char *what, const char *name) {
  if (name) {
    snprintf(w->subject, sizeof w->subject, "%s '%.*s'", what, JN_CLIP(name));
  } else {
    snprintf(w->subject, sizeof w->subject, "element <%s>", what);
  }
}

static void stop_for_xacro(walk *w, const char *what) {
  SAY(w, JN_ERROR, JN_ERR_SYNTAX, "urdf-xacro", XACRO_REMEDY, "this is a xacro source, not a URDF file: %.*s",
      JN_CLIP(what));
  stop(w, JN_ERR_SYNTAX);
}

/* ---- Attributes ---- */

/* The value of an attribute of the current element, or NULL. */
static const char *attribute(walk *w, const char *name) {
  for (int i = 0; w->values[i]; i += 2) {
    const char *value = w->values[i + 1];
    if (strcmp(w->values[i], name) != 0) continue;
    if (strstr(value, "${") || strstr(value, "$(")) {
      stop_for_xacro(w, value);
      return NULL;
    }
    return value;
  }
  return NULL;
}

/* The same for one that must be there. */
static const char *needed(walk *w, const char *name) {
  const char *value = attribute(w, name);
  if (value || w->stopped != JN_OK) return value;
  SAY(w, JN_ERROR, JN_ERR_SYNTAX, "urdf-attribute", NULL, "<%s> has no attribute '%s'", w->name, name);
  return NULL;
}

/* A copy of a name that must be there and not empty; NULL after a message. */
static char *needed_text(walk *w, const char *name) {
  const char *value = needed(w, name);
  if (value && !*value) {
    SAY(w, JN_ERROR, JN_ERR_SYNTAX, "urdf-attribute", NULL, "attribute '%s' of <%s> is empty", name, w->name);
    value = NULL;
  }
  if (!value) return NULL;
  char *copy = jn__copy_text(&w->u->builder->allocator, value);
  if (!copy) stop_for_memory(w);
  return copy;
}

/* The same for a name without which the tree cannot be judged. */
static char *needed_name(walk *w, const char *name) {
  char *copy = needed_text(w, name);
  if (!copy) w->u->incomplete = 1;
  return copy;
}

static const char *after_blanks(const char *s) { return s + strspn(s, " \t\r\n"); }

/* Reads exactly n numbers separated by blanks. Returns what is wrong, or NULL. */
static const char *read_numbers(const char *text, double *out, int n, int infinite_allowed) {
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

/* An attribute with n numbers. 1: read into out; 0: absent; -1: wrong, which is reported. Then out is as it was. */
static int numbers(walk *w, const char *name, double *out, int n, int infinite_allowed) {
  const char *text = attribute(w, name);
  if (!text) return 0;
  double values[4] = {0};
  const char *wrong = read_numbers(text, values, n, infinite_allowed);
  if (wrong) {
    static const char *const remedies[5] = {[1] = "give one number, with a decimal point",
                                            [3] = "give three numbers separated by blanks, with decimal points",
                                            [4] = "give four numbers separated by blanks, with decimal points"};
    SAY(w, JN_ERROR, JN_ERR_SYNTAX, "urdf-number", remedies[n], "attribute '%s' of <%s> %s: \"%.*s\"", name, w->name,
        wrong, JN_CLIP(text));
    return -1;
  }
  memcpy(out, values, (size_t)n * sizeof *out);
  return 1;
}

static int number(walk *w, const char *name, double *out) { return numbers(w, name, out, 1, 0); }

static int needed_number(walk *w, const char *name, double *out) { return needed(w, name) ? number(w, name, out) : -1; }

/* A limit; infinite and absurdly large ones mean that there is none, and so does `none`, in the place of wrong ones. */
static void limit(walk *w, const char *name, double *out, double none) {
  double x;
  int found = numbers(w, name, &x, 1, 1);
  if (found > 0) *out = fabs(x) >= NO_LIMIT ? copysign(INFINITY, x) : x;
  if (found < 0) *out = none;
}

/* ---- Poses ---- */

/* <origin xyz rpy>; URDF 1.1 has quat_xyzw in place of rpy. */
static void read_origin(walk *w, double T[16]) {
  double position[3] = {0}, rpy[3] = {0}, q[4];
  numbers(w, "xyz", position, 3, 0);
  for (int i = 0; i < 3; i++) T[4 * i + 3] = position[i];
  int has_rpy = numbers(w, "rpy", rpy, 3, 0);
  jn__turn_rpy(T, rpy);
  if (numbers(w, "quat_xyzw", q, 4, 0) <= 0) return;
  double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if (has_rpy) {
    SAY(w, JN_ERROR, JN_ERR_MODEL, "urdf-origin", "keep one of them", "<origin> has both rpy and quat_xyzw");
  } else if (!(norm > 0) || isinf(norm)) {
    SAY(w, JN_ERROR, JN_ERR_MODEL, "urdf-origin", "give a unit quaternion x y z w",
        "attribute 'quat_xyzw' of <origin> is not a rotation");
  } else {
    for (int i = 0; i < 4; i++) q[i] /= norm;
    jn__turn_quaternion(T, q);
  }
}

/* ---- Links ---- */

static void start_link(walk *w) {
  jn_urdf *u = w->u;
  void *grown = jn__grow(&u->builder->allocator, u->links, u->link_count, &u->link_capacity, sizeof *u->links);
  if (!grown) {
    stop_for_memory(w);
    return;
  }
  u->links = grown;
  jn_urdf_link *link = &u->links[u->link_count++];
  *link = (jn_urdf_link){.line = line_of(w), .column = column_of(w), .joint = -1};
  set_subject(w, "link", NULL);
  link->name = needed_name(w, "name");
  if (link->name) set_subject(w, "link", link->name);
  const char *world = attribute(w, "world");
  link->is_world = world && strcmp(world, "true") == 0;
}

static void start_inertial(walk *w) {
  static const double identity[16] = JN_IDENTITY;
  w->line = line_of(w);
  w->column = column_of(w);
  w->mass = 0;
  w->unreadable = 0;
  memset(w->tensor, 0, sizeof w->tensor);
  memcpy(w->placement, identity, sizeof identity);
  w->u->links[w->u->link_count - 1].has_inertial = 1;
}

static void read_inertial_origin(walk *w) { read_origin(w, w->placement); }

static void read_mass(walk *w) { w->unreadable |= needed_number(w, "value", &w->mass) < 0; }

static void read_inertia(walk *w) {
  static const char *const names[6] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
  for (int i = 0; i < 3; i++) w->unreadable |= needed_number(w, names[i], &w->tensor[i]) < 0;
  for (int i = 3; i < 6; i++) {
    w->unreadable |= number(w, names[i], &w->tensor[i]) < 0;
    if (w->stopped == JN_OK && !attribute(w, names[i])) {
      SAY(w, JN_WARNING, JN_ERR_SYNTAX, "urdf-attribute", "write all six moments; other readers refuse the file",
          "<inertia> has no attribute '%s', taken as 0", names[i]);
    }
  }
}

/* tensor <- R tensor R^T, order (xx, yy, zz, xy, xz, yz); R is the rotation of a placement */
static void rotate_tensor(const double R[16], double t[6]) {
  const double T[9] = {t[0], t[3], t[4], t[3], t[1], t[5], t[4], t[5], t[2]};
  static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
  for (int k = 0; k < 6; k++) {
    double sum = 0;
    for (int i = 0; i < 3; i++) {
      for (int j = 0; j < 3; j++) sum += R[4 * row[k] + i] * T[3 * i + j] * R[4 * column[k] + j];
    }
    t[k] = sum;
  }
}

static void end_inertial(walk *w) {
  static const double harmless[10] = JN_HARMLESS_INERTIA;
  jn_urdf *u = w->u;
  if (!w->seen[MASS]) {
    jn__urdf_log(u, JN_WARNING, JN_ERR_MODEL, "urdf-mass", w->line, w->column, w->subject,
                 "add <mass value=\"...\"/>, or leave <inertial> out", "<inertial> has no <mass>, taken as 0 kg");
  }
  if (!w->seen[INERTIA]) {
    jn__urdf_log(u, JN_WARNING, JN_ERR_MODEL, "urdf-inertia", w->line, w->column, w->subject,
                 "add <inertia ixx=\"...\" .../>, or leave <inertial> out",
                 "<inertial> has no <inertia>, taken as a point mass");
  }
  const double com[3] = {w->placement[3], w->placement[7], w->placement[11]};
  double *inertia = u->links[u->link_count - 1].inertia;
  rotate_tensor(w->placement, w->tensor);
  jn_inertia_pack(w->mass, com, w->tensor, inertia);
  if (w->unreadable) memcpy(inertia, harmless, sizeof harmless);
}

/* ---- Joints ---- */

static jn_urdf_joint *current_joint(walk *w) { return &w->u->joints[w->u->joint_count - 1]; }

/* A continuous joint replaces a wrong one: others may follow it, and it needs no limits. */
static void read_type(walk *w, jn_urdf_joint *joint) {
  static const struct {
    const char *name;
    jn_joint_type type;
  } types[] = {{"revolute", JN_REVOLUTE}, {"continuous", JN_CONTINUOUS}, {"prismatic", JN_PRISMATIC},
               {"fixed", JN_FIXED},       {"floating", JN_FREE},         {"planar", JN_PLANAR}};
  const char *text = needed(w, "type");
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
  SAY(w, JN_ERROR, JN_ERR_SYNTAX, "urdf-joint-type", remedy, "joint type \"%.*s\" is unknown", JN_CLIP(text));
}

static void start_joint(walk *w) {
  static const jn_urdf_joint fresh = {
      .placement = JN_IDENTITY,
      .axis = {1, 0, 0},
      .mimic_ratio = 1,
      .dof = {-INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, 0, 0, 0, 0, 0}};
  jn_urdf *u = w->u;
  void *grown = jn__grow(&u->builder->allocator, u->joints, u->joint_count, &u->joint_capacity, sizeof *u->joints);
  if (!grown) {
    stop_for_memory(w);
    return;
  }
  u->joints = grown;
  jn_urdf_joint *joint = &u->joints[u->joint_count++];
  *joint = fresh;
  joint->line = line_of(w);
  joint->column = column_of(w);
  set_subject(w, "joint", NULL);
  joint->name = needed_name(w, "name");
  if (joint->name) set_subject(w, "joint", joint->name);
  read_type(w, joint);
}

static void read_placement(walk *w) { read_origin(w, current_joint(w)->placement); }

static void read_parent(walk *w) {
  jn_urdf_joint *joint = current_joint(w);
  joint->parent_line = line_of(w);
  joint->parent_column = column_of(w);
  joint->parent = needed_name(w, "link");
}

static void read_child(walk *w) {
  jn_urdf_joint *joint = current_joint(w);
  joint->child_line = line_of(w);
  joint->child_column = column_of(w);
  joint->child = needed_name(w, "link");
}

static void read_axis(walk *w) {
  jn_urdf_joint *joint = current_joint(w);
  if (joint->type == JN_FIXED || joint->type == JN_FREE) return; /* has no axis, whatever is written */
  double axis[3];
  if (!needed(w, "xyz") || numbers(w, "xyz", axis, 3, 0) <= 0) return;
  double square = axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2];
  if (square == 0 || isinf(square)) {
    if (joint->type_unknown) return; /* perhaps fixed, where the axis does not matter */
    SAY(w, JN_ERROR, JN_ERR_MODEL, "urdf-axis", "give a direction such as \"0 0 1\"",
        "<axis> is %s: it has no direction", square == 0 ? "zero" : "too large");
    return;
  }
  memcpy(joint->axis, axis, sizeof axis);
}

static void read_limit(walk *w) {
  jn_urdf_joint *joint = current_joint(w);
  jn_dof *dof = &joint->dof;
  if (joint->type == JN_FIXED) return;
  if (joint->type == JN_REVOLUTE || joint->type == JN_PRISMATIC) {
    dof->lower = dof->upper = 0; /* the defaults of URDF once there is a <limit> */
    limit(w, "lower", &dof->lower, -INFINITY);
    limit(w, "upper", &dof->upper, INFINITY);
  }
  limit(w, "effort", &dof->effort, INFINITY);
  limit(w, "velocity", &dof->velocity, INFINITY);
  limit(w, "acceleration", &dof->acceleration, INFINITY);
  limit(w, "jerk", &dof->jerk, INFINITY);
  limit(w, "effort_rate", &dof->effort_rate, INFINITY);
}

static void read_dynamics(walk *w) {
  jn_urdf_joint *joint = current_joint(w);
  if (joint->type == JN_FIXED) return;
  number(w, "damping", &joint->dof.damping);
  number(w, "friction", &joint->dof.friction);
  number(w, "armature", &joint->dof.armature);
  number(w, "stiffness", &joint->dof.stiffness);
  number(w, "rest", &joint->dof.rest);
}

static void read_mimic(walk *w) {
  jn_urdf_joint *joint = current_joint(w);
  if (joint->type == JN_FIXED) return;
  joint->mimic = needed_text(w, "joint");
  number(w, "multiplier", &joint->mimic_ratio);
  number(w, "offset", &joint->mimic_offset);
}

static void end_joint(walk *w) {
  jn_urdf_joint *joint = current_joint(w);
  jn_urdf *u = w->u;
  static const struct {
    element kind;
    const char *name;
  } ends[] = {{PARENT, "parent"}, {CHILD, "child"}};
  for (int i = 0; i < 2; i++) {
    if (w->seen[ends[i].kind]) continue;
    u->incomplete = 1;
    jn__urdf_log(u, JN_ERROR, JN_ERR_SYNTAX, "urdf-element", joint->line, joint->column, w->subject, NULL,
                 "there is no <%s link=\"...\"/>", ends[i].name);
  }
  if ((joint->type == JN_REVOLUTE || joint->type == JN_PRISMATIC) && !w->seen[LIMIT]) {
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
static void start_xacro(walk *w, element inside) {
  static const char *const sources[] = {"include",      "macro", "if",      "unless",    "arg",
                                        "insert_block", "call",  "element", "attribute", NULL};
  jn_urdf *u = w->u;
  const char *what = w->name + strlen("xacro:");
  char tag[80];
  snprintf(tag, sizeof tag, "<%.*s>", JN_CLIP(w->name));
  int refused = inside != ROBOT && strcmp(what, "property") != 0;
  for (int i = 0; sources[i] && !refused; i++) refused = strcmp(what, sources[i]) == 0;
  if (refused) {
    stop_for_xacro(w, tag);
  } else if (u->xacro_count++ == 0) {
    u->xacro_line = line_of(w);
    u->xacro_column = column_of(w);
    snprintf(u->xacro_name, sizeof u->xacro_name, "%.*s", (int)sizeof u->xacro_name - 1, tag);
  }
}

static void start_robot(walk *w) {
  const char *name = w->name, *what = "an XML file, but not a URDF file", *remedy = "URDF files start with <robot>";
  if (strcmp(name, "robot") == 0) {
    set_subject(w, "robot", NULL);
    const char *given = attribute(w, "name");
    if (w->stopped != JN_OK) return;
    if (!given || !*given) {
      SAY(w, JN_WARNING, JN_ERR_SYNTAX, "urdf-attribute", "write <robot name=\"...\">",
          "<robot> has no name, taken as \"robot\"");
    } else if (jn_builder_set_name(w->u->builder, given) != JN_OK) {
      stop_for_memory(w);
    }
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
  SAY(w, JN_ERROR, JN_ERR_SYNTAX, "urdf-root", remedy, "this is %s", what);
  stop(w, JN_ERR_SYNTAX);
}

/* What is read, and by which function. */
static const struct {
  element inside;
  const char *name;
  element kind;
  void (*read)(walk *w);
} known[] = {
    {ROBOT, "link", LINK, start_link},
    {ROBOT, "joint", JOINT, start_joint},
    {LINK, "inertial", INERTIAL, start_inertial},
    {INERTIAL, "origin", INERTIAL_ORIGIN, read_inertial_origin},
    {INERTIAL, "mass", MASS, read_mass},
    {INERTIAL, "inertia", INERTIA, read_inertia},
    {JOINT, "origin", ORIGIN, read_placement},
    {JOINT, "parent", PARENT, read_parent},
    {JOINT, "child", CHILD, read_child},
    {JOINT, "axis", AXIS, read_axis},
    {JOINT, "limit", LIMIT, read_limit},
    {JOINT, "dynamics", DYNAMICS, read_dynamics},
    {JOINT, "mimic", MIMIC, read_mimic},
};

/* 0 when the element breaks a bound that no robot file reaches. */
static int within_bounds(walk *w) {
  int many = XML_GetSpecifiedAttributeCount(w->parser) > 2 * MAX_ATTRIBUTES;
  if (w->depth <= MAX_DEPTH && !many) return 1;
  if (many) {
    SAY(w, JN_ERROR, JN_ERR_SYNTAX, "urdf-bounds", NULL, "an element has more than %d attributes", MAX_ATTRIBUTES);
  } else {
    SAY(w, JN_ERROR, JN_ERR_SYNTAX, "urdf-bounds", NULL, "elements are nested deeper than %d", MAX_DEPTH);
  }
  stop(w, JN_ERR_SYNTAX);
  return 0;
}

/* 1 for a second element of its kind in a link, joint or inertial; links and joints start again. */
static int is_second(walk *w, element kind) {
  if (kind == LINK || kind == JOINT) {
    memset(w->seen, 0, sizeof w->seen);
    return 0;
  }
  if (!w->seen[kind]) {
    w->seen[kind] = line_of(w);
    return 0;
  }
  SAY(w, JN_WARNING, JN_ERR_MODEL, "urdf-twice", "remove one of them",
      "there is a second <%s>; the first one, on line %d, is used", w->name, w->seen[kind]);
  return 1;
}

static void XMLCALL on_start(void *data, const XML_Char *name, const XML_Char **values) {
  walk *w = data;
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
    w->path[0] = ROBOT;
    start_robot(w);
    return;
  }
  element inside = w->path[w->depth - 2];
  if (strncmp(name, "xacro:", 6) == 0) start_xacro(w, inside);
  if (inside == LINK && (strcmp(name, "visual") == 0 || strcmp(name, "collision") == 0)) {
    w->u->links[w->u->link_count - 1].has_geometry = 1;
  }
  size_t k = 0, count = sizeof known / sizeof *known;
  while (k < count && (known[k].inside != inside || strcmp(known[k].name, name) != 0)) k++;
  w->skipped = k == count || is_second(w, known[k].kind);
  if (w->skipped) return;
  w->path[w->depth - 1] = known[k].kind;
  known[k].read(w);
}

static void XMLCALL on_end(void *data, const XML_Char *name) {
  walk *w = data;
  if (w->stopped != JN_OK) return;
  int depth = w->depth--;
  if (w->skipped) {
    w->skipped--;
    return;
  }
  element kind = w->path[depth - 1];
  w->name = name;
  if (kind == INERTIAL) end_inertial(w);
  if (kind == JOINT) end_joint(w);
  if (kind == LINK || kind == JOINT) set_subject(w, "robot", NULL);
}

/* Declarations inside the file could define entities that grow without bound, or attributes for every element. */
static void XMLCALL on_doctype(void *data, const XML_Char *name, const XML_Char *system, const XML_Char *public,
                               int has_internal_subset) {
  walk *w = data;
  (void)name;
  (void)public;
  if (w->stopped != JN_OK) return;
  if (has_internal_subset) {
    SAY(w, JN_ERROR, JN_ERR_SYNTAX, "urdf-doctype", "remove the declarations between [ and ] in <!DOCTYPE>",
        "entities and other document type declarations are refused");
    stop(w, JN_ERR_SYNTAX);
  } else if (system) {
    SAY(w, JN_WARNING, JN_ERR_SYNTAX, "urdf-doctype", "remove <!DOCTYPE>", "the external document type is not read");
  }
}

static void report_xml_error(walk *w, size_t length) {
  enum XML_Error code = XML_GetErrorCode(w->parser);
  const char *remedy = NULL;
  if (code == XML_ERROR_NO_MEMORY) {
    stop_for_memory(w);
    return;
  }
  if (code == XML_ERROR_NO_ELEMENTS || code == XML_ERROR_UNCLOSED_TOKEN) remedy = "the file ends early: is it whole?";
  if (code == XML_ERROR_TAG_MISMATCH) remedy = "an element opened before is not closed, or closed under another name";
  if (code == XML_ERROR_INVALID_TOKEN) remedy = "look for a stray <, & or quote, or bytes that are not UTF-8";
  if (code == XML_ERROR_UNKNOWN_ENCODING) remedy = "save the file as UTF-8";
  if (code == XML_ERROR_UNDEFINED_ENTITY) remedy = "write & as &amp;";
  const char *text = XML_ErrorString(code);
  SAY(w, JN_ERROR, JN_ERR_SYNTAX, "urdf-xml", remedy, "%s: %s", length ? "not well-formed XML" : "the file is empty",
      text ? text : "unknown fault");
  w->stopped = JN_ERR_SYNTAX;
}

/* UTF-16 has zero bytes by right; any other text has none. */
static int is_binary(const char *text, size_t length) {
  const unsigned char *t = (const unsigned char *)text;
  if (length >= 2 && ((t[0] == 0xff && t[1] == 0xfe) || (t[0] == 0xfe && t[1] == 0xff))) return 0;
  return length && memchr(text, 0, length) != NULL;
}

jn_status jn__urdf_parse(jn_urdf *u, const char *text, size_t length) {
  if (is_binary(text, length)) {
    jn__urdf_log(u, JN_ERROR, JN_ERR_SYNTAX, "urdf-binary", 0, 0, NULL, "give a URDF file, which is XML text",
                 "this is not a text file: it has zero bytes");
    return JN_ERR_SYNTAX;
  }
  walk w = {.u = u, .parser = XML_ParserCreate(NULL)};
  if (!w.parser) {
    jn__urdf_log(u, JN_ERROR, JN_ERR_MEMORY, "memory", 0, 0, NULL, NULL, "no memory for the XML parser");
    return JN_ERR_MEMORY;
  }
  XML_SetUserData(w.parser, &w);
  XML_SetElementHandler(w.parser, on_start, on_end);
  XML_SetStartDoctypeDeclHandler(w.parser, on_doctype);
  size_t done = 0;
  int last;
  do { /* expat takes int lengths; one piece in practice */
    size_t piece = length - done < INT_MAX / 2 ? length - done : INT_MAX / 2;
    last = done + piece == length;
    if (XML_Parse(w.parser, text + done, (int)piece, last) != XML_STATUS_OK && w.stopped == JN_OK) {
      report_xml_error(&w, length);
    }
    done += piece;
  } while (!last && w.stopped == JN_OK);
  XML_ParserFree(w.parser);
  return w.stopped;
}
