/* SPDX-License-Identifier: BSD-2-Clause */
/* <actuator>: what the motors of a joint can do at most becomes its limit of effort, and their armature its own. How an
 * actuator is commanded is no part of the dynamics. */
#include <math.h>
#include <string.h>

#include "mjcf.h"

/* The largest force before the gear: forcerange, or what the largest command of a motor makes; INFINITY: no limit. */
static double largest_force(jn_mjcf *m, const jn_mjcf_element *e) {
  enum { FIXED, NONE = 0 };
  const char *kind = m->nodes[e->node].name;
  double range[2], gain = 1;
  if (jn__mjcf_range(m, e, "forcelimited", "forcerange", range)) {
    if (-range[0] != range[1])
      jn__mjcf_log(m, JN_NOTE, JN_OK, "mjcf-effort", e->node, NULL,
                   "its forcerange is not symmetric: the larger end is taken for both directions");
    return fmax(fabs(range[0]), fabs(range[1]));
  }
  int general = strcmp(kind, "general") == 0;
  if (!general && strcmp(kind, "motor") != 0) return INFINITY;
  if (general) { /* a motor when its force is the command times a number */
    double prm[10] = {1};
    if (jn__mjcf_get(m, e, "kp") || jn__mjcf_get(m, e, "kv")) return INFINITY;
    if (jn__mjcf_word(m, e, "gaintype", "fixed affine muscle user", FIXED) != FIXED) return INFINITY;
    if (jn__mjcf_word(m, e, "biastype", "none affine muscle user", NONE) != NONE) return INFINITY;
    jn__mjcf_numbers(m, e, "gainprm", prm, 10);
    gain = fabs(prm[0]);
  }
  if (!jn__mjcf_range(m, e, "ctrllimited", "ctrlrange", range)) return INFINITY;
  return gain * fmax(fabs(range[0]), fabs(range[1]));
}

static void drive_joint(jn_mjcf_joint *j, double lever, double force, double armature, double damping) {
  j->drive += lever == 0 ? 0 : fabs(lever) * force;
  j->driven++;
  j->dof.armature += lever * lever * armature;
  j->dof.damping += lever * lever * damping;
}

/* A joint drives itself; a fixed tendon drives the joints in its sum. */
static void drive(jn_mjcf *m, const jn_mjcf_element *e, double gear, double force, double armature, double damping) {
  const char *tendon = jn__mjcf_get(m, e, "tendon"), *name = jn__mjcf_get(m, e, "joint");
  if (!name) name = jn__mjcf_get(m, e, "jointinparent");
  if (name) {
    int j = jn__mjcf_named(m, &m->joint_names, e->node, "joint", "joint", name);
    if (j < 0) return;
    if (m->joints[j].type == JN_MJCF_HINGE || m->joints[j].type == JN_MJCF_SLIDE)
      drive_joint(&m->joints[j], gear, force, armature, damping);
    return;
  }
  int t = jn__mjcf_named(m, &m->tendon_names, e->node, "tendon", "tendon", tendon);
  if (t < 0) return;
  int node = m->tendons[t].node;
  if (!m->tendons[t].fixed) {
    jn__mjcf_refuse(m, e->node, NULL, "an actuator that pulls the spatial tendon '%.*s' cannot be expressed",
                    JN_CLIP(tendon));
    return;
  }
  if (armature != 0 || damping != 0)
    jn__mjcf_refuse(m, e->node, "set them to 0", "armature and damping of an actuator at a tendon cannot be expressed");
  for (int i = node + 1; i < m->nodes[node].end; i = m->nodes[i].end) {
    const jn_mjcf_element term = {.node = i};
    const char *joint = jn__mjcf_own(m, i, "joint");
    int j = joint ? jn__mjcf_find(&m->joint_names, joint) : -1;
    if (j >= 0) drive_joint(&m->joints[j], gear * jn__mjcf_number(m, &term, "coef", 1), force, 0, 0);
  }
}

static void read_drive(jn_mjcf *m, int node) {
  jn_mjcf_element e = jn__mjcf_element(m, node, JN_MJCF_DRIVE, 0);
  double gear[6] = {1, 0, 0, 0, 0, 0}, force = largest_force(m, &e), damping[3] = {0};
  double armature = jn__mjcf_number(m, &e, "armature", 0);
  jn__mjcf_numbers(m, &e, "gear", gear, 6);
  jn__mjcf_numbers(m, &e, "damping", damping, 3);
  if (jn__mjcf_word(m, &e, "gaintype", "fixed affine muscle user", 0) == 2) {
    jn__mjcf_refuse(m, node, NULL, "muscles make forces that depend on length and speed, which cannot be expressed");
    return;
  }
  if (jn__mjcf_get(m, &e, "joint") || jn__mjcf_get(m, &e, "jointinparent") || jn__mjcf_get(m, &e, "tendon")) {
    drive(m, &e, gear[0], force, armature, m->settings.no_damper ? 0 : damping[0]);
  } else if (armature != 0 || damping[0] != 0) {
    jn__mjcf_refuse(m, node, "set them to 0",
                    "armature and damping of an actuator that is not at a joint cannot be expressed");
  } else if (isfinite(force)) {
    jn__mjcf_log(m, JN_NOTE, JN_OK, "mjcf-effort", node, NULL,
                 "its limits are left out: only actuators of joints limit the efforts of joints");
  }
}

void jn__mjcf_read_drives(jn_mjcf *m) {
  for (int i = 0; i < m->node_count && m->stopped == JN_OK; i++)
    if (m->nodes[i].kind == JN_MJCF_DRIVE && m->nodes[m->nodes[i].parent].kind == JN_MJCF_ACTUATOR) read_drive(m, i);
  for (int i = 0; i < m->joint_count; i++) {
    jn_mjcf_joint *j = &m->joints[i];
    if (j->driven && j->drive < j->dof.effort) j->dof.effort = j->drive;
  }
}
