/* SPDX-License-Identifier: BSD-2-Clause */
/* <transmission>: the reduction n and the inertia I of the motors behind a joint, which the joint feels as armature
 * n^2 I. Read only when options.transmissions asks for it, in the forms of ros_control (reduction in the actuator), of
 * ros2_control (in the joint), of PR2 files (in the transmission itself) and of Drake (attributes `value`). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../text/nearest_name.h"
#include "urdf_walk.h"

static jn_urdf_motor *current(jn_walk *w) { return &w->u->motors[w->u->motor_count - 1]; }

void jn__walk_transmission(jn_walk *w) {
  jn_urdf *u = w->u;
  void *grown = jn__grow(&u->builder->allocator, u->motors, u->motor_count, &u->motor_capacity, sizeof *u->motors);
  if (!grown) {
    jn__walk_no_memory(w);
    return;
  }
  u->motors = grown;
  jn_urdf_motor *m = &u->motors[u->motor_count++];
  *m = (jn_urdf_motor){.line = jn__walk_line(w), .column = jn__walk_column(w), .reduction = 1};
  const char *name = jn__walk_attribute(w, "name");
  jn__walk_subject(w, "transmission", name);
  if (name && !(m->name = jn__copy_text(&u->builder->allocator, name))) jn__walk_no_memory(w);
}

void jn__walk_driven(jn_walk *w) {
  jn_urdf_motor *m = current(w);
  const char *name = jn__walk_attribute(w, "name");
  if (m->joints++ == 0 && name && !(m->joint = jn__copy_text(&w->u->builder->allocator, name))) jn__walk_no_memory(w);
}

void jn__walk_actuator(jn_walk *w) { current(w)->actuators++; }

void jn__walk_gear(jn_walk *w) {
  const char *value = jn__walk_attribute(w, "value");
  w->content_length = 0;
  if (value && strlen(value) < sizeof w->content) {
    w->content_length = strlen(value);
    memcpy(w->content, value, w->content_length);
  }
}

void jn__walk_gear_end(jn_walk *w, jn_urdf_element kind) {
  jn_urdf_motor *m = current(w);
  double x = 0;
  w->content[w->content_length] = 0;
  const char *wrong = jn__walk_read_numbers(w->content, &x, 1, 0);
  if (!wrong && kind == JN_AT_REDUCTION && x == 0) wrong = "is zero";
  if (!wrong && kind == JN_AT_MOTOR_INERTIA && x < 0) wrong = "is negative";
  if (wrong) {
    JN_WALK_SAY(w, JN_ERROR, JN_ERR_SYNTAX, "urdf-number", "give one number, with a decimal point", "<%s> %s: \"%.*s\"",
                w->name, wrong, JN_CLIP(w->content));
  } else if (kind == JN_AT_REDUCTION) {
    m->reductions += m->reductions == 0 || x != m->reduction; /* the same twice is clear enough */
    m->reduction = x;
  } else {
    m->has_inertia++;
    m->inertia += x;
  }
}

/* ---- To the joints ---- */

static const char *joint_name_at(const void *urdf, int i) { return ((const jn_urdf *)urdf)->joints[i].name; }

static void tell(jn_urdf *u, const jn_urdf_motor *m, jn_severity severity, const char *remedy, const char *text) {
  char subject[96];
  const char *name = m->name ? m->name : "";
  snprintf(subject, sizeof subject, "transmission '%.*s'", JN_CLIP(name));
  jn__urdf_log(u, severity, JN_ERR_MODEL, "urdf-transmission", m->line, m->column, subject, remedy, "%s", text);
}

static void tell_unknown_joint(jn_urdf *u, const jn_urdf_motor *m) {
  char remedy[128] = "correct the name", text[160];
  int count = u->message_count < JN_URDF_MESSAGES ? u->joint_count : 0;
  jn__did_you_mean(m->joint, count, joint_name_at, u, remedy, sizeof remedy);
  snprintf(text, sizeof text, "its joint '%.*s' is not in the file; it is left out", JN_CLIP(m->joint));
  tell(u, m, JN_WARNING, remedy, text);
}

static void add_motor(jn_urdf *u, const jn_urdf_motor *m) {
  int j = m->joint ? jn__urdf_find(&u->joint_names, m->joint) : -1;
  char text[200];
  if (m->has_inertia == 0) {
    snprintf(text, sizeof text, "it has no inertia of a motor%s: nothing is added",
             m->reductions ? ", only a reduction" : "");
    tell(u, m, JN_NOTE, "add <motorInertia> [kg m^2] to its <actuator>", text);
  } else if (m->joints != 1 || !m->joint) {
    tell(u, m, JN_WARNING, "give the joints their armature in <dynamics armature>",
         m->joints > 1 ? "it drives several joints, whose inertias it couples: it is left out"
                       : "it names no joint: it is left out");
  } else if (m->reductions > 1) {
    tell(u, m, JN_WARNING, "keep one of them", "it has different reductions in several places: it is left out");
  } else if (j < 0) {
    tell_unknown_joint(u, m);
  } else if (u->joints[j].type == JN_FIXED || u->joints[j].type == JN_FREE || u->joints[j].type == JN_PLANAR) {
    tell(u, m, JN_WARNING, NULL, "its joint does not have one coordinate: it is left out");
  } else if (u->joints[j].has_armature) {
    tell(u, m, JN_NOTE, NULL, "its joint has <dynamics armature> of its own, which is used instead");
  } else {
    u->joints[j].dof.armature += m->reduction * m->reduction * m->inertia;
    snprintf(text, sizeof text, "armature %g of joint '%.*s' = %g^2 x %g", u->joints[j].dof.armature, JN_CLIP(m->joint),
             m->reduction, m->inertia);
    tell(u, m, JN_NOTE, NULL, text);
  }
}

void jn__urdf_add_motors(jn_urdf *u) {
  for (int i = 0; i < u->motor_count; i++) add_motor(u, &u->motors[i]);
}
