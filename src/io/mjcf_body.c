/* SPDX-License-Identifier: BSD-2-Clause */
/* <worldbody>: bodies with their joints; geoms and sites are collected with the frames they are in. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "limit.h"
#include "mjcf.h"

enum { MAX_NESTED = 1000 };

/* An open <worldbody>, <body> or <frame>. */
typedef struct open_element {
  int end;          /* the first node behind it */
  int body;         /* that its content belongs to */
  int class;        /* of its content */
  double frame[16]; /* of its content, in the body's frame */
} open_element;

static const double identity[16] = JN_IDENTITY;

/* ---- Bodies ---- */

static int add_body(jn_mjcf *m, int node, int parent, const double pose[16]) {
  void *grown = jn__mjcf_grow(m, m->bodies, m->body_count, &m->body_capacity, sizeof *m->bodies);
  if (!grown) return 0;
  jn__mjcf_take_bytes(m, JN_LINK_COST);
  m->bodies = grown;
  jn_mjcf_body *b = &m->bodies[m->body_count];
  *b = (jn_mjcf_body){.node = node, .parent = parent, .inertial = -1, .joint = m->joint_count};
  memcpy(b->pose, pose, sizeof b->pose);
  memcpy(b->home, pose, sizeof b->home);
  if (parent >= 0) {
    jn__mjcf_multiply(m->bodies[parent].home, pose, b->home);
    b->moves = m->bodies[parent].moves;
  }
  return m->body_count++;
}

static void check_body(jn_mjcf *m, int node) {
  const jn_mjcf_element e = {.node = node};
  m->bodies[m->body_count - 1].gravcomp = jn__mjcf_number(m, &e, "gravcomp", 0);
  if (jn__mjcf_word(m, &e, "mocap", "false true", 0))
    jn__mjcf_log(m, JN_NOTE, JN_OK, "mjcf-mocap", node, NULL, "a mocap body is taken as fixed to the world");
}

/* Sizes and masses that MuJoCo scales when it compiles the model would be wrong here. */
static void check_scale(jn_mjcf *m, int node) {
  const jn_mjcf_element e = {.node = node};
  double scale[3] = {1, 1, 1};
  int count = jn__mjcf_numbers(m, &e, "scale", scale, 3);
  if (count == 1) scale[1] = scale[2] = scale[0];
  double mass = jn__mjcf_number(m, &e, "massscale", 0); /* 0: as the volume */

  bool resizes = scale[0] != 1 || scale[1] != 1 || scale[2] != 1;
  if (resizes || (mass != 0 && mass != 1))
    jn__mjcf_refuse(m, node, "load and save the file with MuJoCo, which writes the scaled numbers",
                    "a frame that scales its content (scale, massscale) is not applied here");
}

/* gravcomp carries a part of the weight of each body. The same part of all that move is gravity times the rest; of
 * others it cannot be expressed. */
void jn__mjcf_weigh(jn_mjcf *m) {
  double part = NAN;
  bool is_same = true, any = false;

  for (int i = 1; i < m->body_count; i++) {
    const jn_mjcf_body *b = &m->bodies[i];
    if (!b->moves || !(b->inertia[0] > 0)) continue;
    any = any || b->gravcomp != 0;
    is_same = is_same && (isnan(part) || part == b->gravcomp);
    part = b->gravcomp;
  }
  if (!any) return;

  if (is_same) {
    double gravity[3];
    for (int k = 0; k < 3; k++) gravity[k] = (1 - part) * m->builder->gravity[k];
    jn_builder_set_gravity(m->builder, gravity);
    jn__mjcf_log(m, JN_NOTE, JN_OK, "mjcf-gravcomp", -1, NULL,
                 "gravcomp is %g for all bodies that move: gravity is taken %g times", part, 1 - part);
    return;
  }
  for (int i = 1; i < m->body_count; i++)
    if (m->bodies[i].gravcomp != 0 && m->bodies[i].moves && m->bodies[i].inertia[0] > 0)
      jn__mjcf_refuse(m, m->bodies[i].node, "remove gravcomp, and let the controller make these forces",
                      "gravcomp holds the body up by a force that no joint makes, which cannot be expressed unless it "
                      "is the same for all bodies that move");
}

/* The name of a body; unnamed ones are called by MuJoCo's number of them. */
static void name_body(jn_mjcf *m, int body) {
  jn_mjcf_body *b = &m->bodies[body];
  const char *name = jn__mjcf_own(m, b->node, "name");
  if (name && *name) {
    if (jn__mjcf_find(&m->body_names, name) >= 0)
      jn__mjcf_log(m, JN_ERROR, JN_ERR_MODEL, "mjcf-name", b->node, "rename one of them",
                   "there is another body of this name");
    b->name = name;
    jn__mjcf_put(m, &m->body_names, name, body);
    jn__mjcf_put(m, &m->links, name, 0);
  }
}

static void name_others(jn_mjcf *m) {
  for (int i = 1; i < m->body_count && m->stopped == JN_OK; i++) {
    char text[32];
    if (m->bodies[i].name) continue;
    snprintf(text, sizeof text, "body_%d", i);
    char *copy = jn__mjcf_copy(m, text);
    if (copy) m->bodies[i].name = jn__mjcf_new_name(m, &m->links, copy, "_");
  }
}

/* ---- Joints ---- */

static jn_mjcf_joint *add_joint(jn_mjcf *m, int node, const open_element *p) {
  jn_mjcf_body *b = &m->bodies[p->body];
  if (b->joint + b->joints != m->joint_count || p->body == 0) {
    jn__mjcf_log(m, JN_ERROR, JN_ERR_MODEL, "mjcf-joint", node, "put the joints of a body before the bodies inside it",
                 "%s", p->body == 0 ? "the world cannot have joints" : "it comes after a body inside its own body");
    return NULL;
  }
  void *grown = jn__mjcf_grow(m, m->joints, m->joint_count, &m->joint_capacity, sizeof *m->joints);
  if (!grown) return NULL;
  m->joints = grown;
  size_t cost = JN_MOVING_COST + (b->joints > 0 ? JN_LINK_COST : 0); /* there is a link between two joints */
  if (!jn__mjcf_take_bytes(m, cost)) return NULL;
  jn_mjcf_joint *j = &m->joints[m->joint_count];
  *j = (jn_mjcf_joint){.type = JN_MJCF_HINGE, .node = node, .body = p->body, .leader = -1, .ratio = 1};
  j->dof = (jn_dof){-INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, 0, 0, 0, 0, 0};
  j->name = jn__mjcf_own(m, node, "name");
  int again = b->joints > 0 && m->joints[m->joint_count - 1].node == node; /* a joint that becomes several */
  if (again) {
  } else if (j->name && *j->name) {
    if (jn__mjcf_find(&m->joint_names, j->name) >= 0)
      jn__mjcf_log(m, JN_ERROR, JN_ERR_MODEL, "mjcf-name", node, "rename one of them",
                   "there is another joint of this name");
    jn__mjcf_put(m, &m->joint_names, j->name, m->joint_count);
    jn__mjcf_put(m, &m->joint_labels, j->name, 0);
  } else {
    j->name = NULL;
  }
  b->joints++;
  b->moves = 1;
  m->joint_count++;
  return j;
}

static void check_free(jn_mjcf *m, int node, const open_element *p) {
  const jn_mjcf_body *b = &m->bodies[p->body];
  if (b->joints > 1 || b->parent != 0)
    jn__mjcf_log(m, JN_ERROR, JN_ERR_MODEL, "mjcf-joint", node, "use ball and slide joints",
                 "a free joint must be the only joint of its body, and the body must be in the world itself");
}

/* Position and axis in the frame of the body. */
static void place_joint(jn_mjcf *m, const jn_mjcf_element *e, jn_mjcf_joint *j, const double F[16]) {
  double pos[3] = {0}, axis[3] = {0, 0, 1};
  jn__mjcf_vector(m, e, "pos", pos, 3);
  jn__mjcf_vector(m, e, "axis", axis, 3);
  if (jn__mjcf_unit(axis) == 0) {
    jn__mjcf_log(m, JN_ERROR, JN_ERR_MODEL, "mjcf-axis", e->node, "give a direction such as \"0 0 1\"",
                 "attribute 'axis' has no direction");
    axis[0] = axis[1] = 0;
    axis[2] = 1;
  }
  for (int i = 0; i < 3; i++) {
    j->pos[i] = F[4 * i + 3];
    for (int k = 0; k < 3; k++) {
      j->pos[i] += F[4 * i + k] * pos[k];
      j->axis[i] += F[4 * i + k] * axis[k];
    }
  }
}

/* Up to three numbers: the linear part, and in newer files terms of higher order, which are refused. */
static double linear_part(jn_mjcf *m, const jn_mjcf_element *e, const char *name) {
  double x[3] = {0};
  jn__mjcf_numbers(m, e, name, x, 3);
  if (x[1] != 0 || x[2] != 0)
    jn__mjcf_refuse(m, e->node, "keep the first number", "attribute '%s' is not linear, which cannot be expressed",
                    name);
  return x[0];
}

static void read_spring(jn_mjcf *m, const jn_mjcf_element *e, jn_mjcf_joint *j, double unit) {
  double damper[2] = {0};
  jn_dof *dof = &j->dof;
  dof->stiffness = m->settings.no_spring ? 0 : linear_part(m, e, "stiffness");
  dof->rest = unit * jn__mjcf_number(m, e, "springref", 0);
  if (dof->stiffness != 0 && (j->type == JN_MJCF_BALL || j->type == JN_MJCF_FREE)) {
    jn__mjcf_refuse(m, e->node, "set stiffness to 0", "a spring at a %s joint cannot be expressed",
                    j->type == JN_MJCF_BALL ? "ball" : "free");
    dof->stiffness = 0;
  }
  if (dof->stiffness != 0 && jn__mjcf_number(m, e, "springyield", 0) != 0)
    jn__mjcf_refuse(m, e->node, "set springyield to 0", "a spring that yields cannot be expressed");
  if (jn__mjcf_numbers(m, e, "springdamper", damper, 2) && damper[0] > 0 && damper[1] > 0)
    jn__mjcf_refuse(m, e->node, "write the stiffness and damping that MuJoCo finds in their place",
                    "springdamper, a spring tuned to the inertia, cannot be expressed");
}

static void read_friction(jn_mjcf *m, const jn_mjcf_element *e, jn_mjcf_joint *j) {
  jn_dof *dof = &j->dof;
  dof->armature = jn__mjcf_number(m, e, "armature", 0);
  dof->damping = m->settings.no_damper ? 0 : linear_part(m, e, "damping");
  dof->friction = m->settings.no_friction ? 0 : jn__mjcf_number(m, e, "frictionloss", 0);
}

/* Armature and friction of a free joint act along the world's axes, which those of our free joint do not. Three slides
 * and a ball have the same coordinates and velocities as MuJoCo's free joint, and say it exactly. */
static void split_free(jn_mjcf *m, int node, const open_element *p) {
  static const char *const endings[3] = {"_x", "_y", "_z"};
  int first = m->joint_count - 1;
  jn_mjcf_joint free_joint = m->joints[first];
  const char *name = free_joint.name ? free_joint.name : m->bodies[p->body].name;
  jn__mjcf_log(m, JN_NOTE, JN_OK, "mjcf-free", node, "write <freejoint/>, which has neither, for a joint of type free",
               "its armature or frictionloss acts along the world's axes: it becomes three slides and a ball");
  for (int i = 0; i < 4 && m->stopped == JN_OK; i++) {
    if (i > 0 && !add_joint(m, node, p)) return;
    jn_mjcf_joint *j = &m->joints[first + i];
    *j = free_joint;
    j->at_world = 1;
    j->type = i < 3 ? JN_MJCF_SLIDE : JN_MJCF_BALL;
    for (int k = 0; k < 3; k++) j->pos[k] = 0, j->axis[k] = k == i;
    if (i == 3 || !name) continue;
    size_t room = strlen(name) + 3;
    char *text = jn__mjcf_allocate(m, room);
    if (!text) return;
    snprintf(text, room, "%s%s", name, endings[i]);
    j->name = jn__mjcf_new_name(m, &m->joint_labels, text, "_");
  }
}

static void read_joint(jn_mjcf *m, int node, const open_element *p) {
  jn_mjcf_element e = jn__mjcf_element(m, node, JN_MJCF_JOINT, p->class);
  jn_mjcf_joint *j = add_joint(m, node, p);
  if (!j) return;
  static const jn_mjcf_joint_type types[] = {JN_MJCF_HINGE, JN_MJCF_SLIDE, JN_MJCF_BALL, JN_MJCF_FREE};
  j->type = types[jn__mjcf_word(m, &e, "type", "hinge slide ball free", 0)];
  if (j->type == JN_MJCF_FREE) check_free(m, node, p);
  double unit = j->type == JN_MJCF_HINGE && !m->settings.radian ? acos(-1) / 180 : 1, range[2];
  int one = j->type == JN_MJCF_HINGE || j->type == JN_MJCF_SLIDE;
  place_joint(m, &e, j, p->frame);
  read_spring(m, &e, j, unit);
  read_friction(m, &e, j);
  if (one) j->ref = unit * jn__mjcf_number(m, &e, "ref", 0);
  if (jn__mjcf_range(m, &e, "limited", "range", range) && !m->settings.no_limit) {
    if (one) {
      j->dof.lower = unit * range[0];
      j->dof.upper = unit * range[1];
    } else {
      jn__mjcf_log(m, JN_NOTE, JN_OK, "mjcf-range", node, NULL, "the range of a joint of this type is left out");
    }
  }
  if (one && jn__mjcf_range(m, &e, "actuatorfrclimited", "actuatorfrcrange", range))
    j->dof.effort = fmax(fabs(range[0]), fabs(range[1]));
  if (j->type == JN_MJCF_FREE && (j->dof.armature != 0 || j->dof.friction != 0)) split_free(m, node, p);
}

static void read_freejoint(jn_mjcf *m, int node, const open_element *p) {
  jn_mjcf_joint *j = add_joint(m, node, p);
  if (!j) return;
  j->type = JN_MJCF_FREE;
  check_free(m, node, p);
}

/* Names of the joints without one: that of the body, when there is one joint only. */
static void name_joints(jn_mjcf *m) {
  for (int i = 0; i < m->joint_count && m->stopped == JN_OK; i++) {
    jn_mjcf_joint *j = &m->joints[i];
    const jn_mjcf_body *b = &m->bodies[j->body];
    j->label = j->name;
    if (j->name) continue;
    size_t room = strlen(b->name) + 32;
    char *text = jn__mjcf_allocate(m, room);
    if (!text) return;
    if (b->joints == 1)
      snprintf(text, room, "%s", b->name);
    else
      snprintf(text, room, "%s_%d", b->name, i - b->joint + 1);
    j->label = jn__mjcf_new_name(m, &m->joint_labels, text, "_joint");
  }
}

/* ---- Other content ---- */

static void add_item(jn_mjcf *m, jn_mjcf_item **items, int *count, int *capacity, jn_mjcf_element e,
                     const open_element *p) {
  void *grown = jn__mjcf_grow(m, *items, *count, capacity, sizeof **items);
  if (!grown) return;
  *items = grown;
  jn_mjcf_item *item = &(*items)[(*count)++];
  item->element = e;
  item->body = p->body;
  memcpy(item->frame, p->frame, sizeof item->frame);
}

static void read_site(jn_mjcf *m, int node, const open_element *p) {
  const char *name = jn__mjcf_own(m, node, "name");
  jn_mjcf_element e = jn__mjcf_element(m, node, JN_MJCF_SITE, p->class);
  if (!name || !*name) return; /* nothing can refer to it */
  if (jn__mjcf_find(&m->site_names, name) >= 0)
    jn__mjcf_log(m, JN_ERROR, JN_ERR_MODEL, "mjcf-name", node, "rename one of them",
                 "there is another site of this name");
  jn__mjcf_put(m, &m->site_names, name, m->site_count);
  add_item(m, &m->sites, &m->site_count, &m->site_capacity, e, p);
}

static void read_inertial(jn_mjcf *m, int node, const open_element *p) {
  jn_mjcf_body *b = &m->bodies[p->body];
  if (b->inertial >= 0) {
    jn__mjcf_log(m, JN_ERROR, JN_ERR_MODEL, "mjcf-twice", node, "remove one of them",
                 "there is a second <inertial> in this body; the first is on line %d", m->nodes[b->inertial].line);
    return;
  }
  if (memcmp(p->frame, identity, sizeof identity) != 0)
    jn__mjcf_log(m, JN_WARNING, JN_ERR_MODEL, "mjcf-inertial", node, "move it out of <frame>",
                 "it is inside <frame>, which moves it here and since MuJoCo 4, but not in MuJoCo 3");
  b->inertial = node;
  memcpy(b->inertial_frame, p->frame, sizeof b->inertial_frame);
}

/* A <body> or <frame> opens. */
static void open_place(jn_mjcf *m, int node, const open_element *around, open_element *p) {
  const jn_mjcf_element e = {.node = node};
  double pose[16];
  jn__mjcf_pose(m, &e, pose);
  *p = (open_element){.end = m->nodes[node].end, .body = around->body};
  p->class = jn__mjcf_class_of(m, node, "childclass", around->class);
  jn__mjcf_multiply(around->frame, pose, p->frame);
  if (m->nodes[node].kind == JN_MJCF_FRAME) check_scale(m, node);
  if (m->nodes[node].kind != JN_MJCF_BODY) return;
  p->body = add_body(m, node, around->body, p->frame);
  memcpy(p->frame, identity, sizeof identity);
  check_body(m, node);
  if (m->stopped == JN_OK) name_body(m, p->body);
}

static void read_content(jn_mjcf *m, int node, const open_element *p) {
  jn_mjcf_element geom;
  switch (m->nodes[node].kind) {
    case JN_MJCF_JOINT:
      read_joint(m, node, p);
      break;
    case JN_MJCF_FREEJOINT:
      read_freejoint(m, node, p);
      break;
    case JN_MJCF_SITE:
      read_site(m, node, p);
      break;
    case JN_MJCF_INERTIAL:
      read_inertial(m, node, p);
      break;
    case JN_MJCF_GEOM:
      geom = jn__mjcf_element(m, node, JN_MJCF_GEOM, p->class);
      if (p->body > 0) add_item(m, &m->geoms, &m->geom_count, &m->geom_capacity, geom, p);
      break;
    default:
      break;
  }
}

static void walk_world(jn_mjcf *m, int node, open_element *stack) {
  int top = 0;
  stack[0] = (open_element){.end = m->nodes[node].end, .class = jn__mjcf_class_of(m, node, "childclass", 0)};
  memcpy(stack[0].frame, identity, sizeof identity);
  for (int i = node + 1; i < m->nodes[node].end && m->stopped == JN_OK; i++) {
    while (i >= stack[top].end) top--;
    jn_mjcf_kind kind = m->nodes[i].kind;
    if ((kind == JN_MJCF_BODY || kind == JN_MJCF_FRAME) && top + 1 < MAX_NESTED) {
      open_place(m, i, &stack[top], &stack[top + 1]);
      top++;
    } else {
      read_content(m, i, &stack[top]);
    }
  }
}

void jn__mjcf_read_world(jn_mjcf *m) {
  open_element *stack = jn__allocate(&m->builder->allocator, MAX_NESTED * sizeof *stack);
  if (!stack) {
    jn__mjcf_no_memory(m);
    return;
  }
  add_body(m, -1, -1, identity);
  if (m->stopped == JN_OK) jn__mjcf_put(m, &m->body_names, "world", 0);
  for (int i = 0; i < m->node_count && m->stopped == JN_OK; i++)
    if (m->nodes[i].kind == JN_MJCF_WORLD) walk_world(m, i, stack);
  name_others(m);
  name_joints(m);
  jn__release(&m->builder->allocator, stack);
}
