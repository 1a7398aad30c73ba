/* SPDX-License-Identifier: BSD-2-Clause */
/* Small robots and helpers for the tests of trajectories. */
#ifndef JN_TESTS_MOTION_HELP_H
#define JN_TESTS_MOTION_HELP_H

#include "testing.h"

static UNUSED void add_link(jn_builder *b, const char *name, const char *parent, jn_joint_type type) {
  jn_link link;
  jn_link_init(&link);
  const double com[3] = {0.1, -0.05, 0.2}, tensor[6] = {0.1, 0.12, 0.09, 0.01, 0, 0};
  link.name = name;
  link.parent = parent;
  link.joint.type = type;
  link.joint.axis[0] = type == JN_REVOLUTE;
  if (type == JN_REVOLUTE) link.joint.dof[0].lower = -2, link.joint.dof[0].upper = 2;
  link.placement[3] = parent ? 0.5 : 0;
  jn_inertia_pack(2, com, tensor, link.inertia);
  check_ok(jn_builder_add_link(b, &link));
}

/* One joint of each given type in a row: a, b, c, ... */
static UNUSED jn_model *make_chain(const jn_joint_type *types, int count) {
  static const char *const names[] = {"a", "b", "c", "d", "e"};
  jn_builder *b;
  jn_model *m;
  jn_error error;
  check_ok(jn_builder_create(NULL, &b));
  for (int i = 0; i < count; i++) add_link(b, names[i], i ? names[i - 1] : NULL, types[i]);
  jn_status status = jn_builder_freeze(b, &m, &error);
  check(status == JN_OK, "%s", error.text);
  jn_builder_destroy(b);
  return m;
}

static UNUSED jn_model *make_hinge(void) {
  const jn_joint_type types[] = {JN_REVOLUTE};
  return make_chain(types, 1);
}

/* revolute, free body would not hang on it: a free base, a ball, a planar joint, a continuous joint */
static UNUSED jn_model *make_mixed(void) {
  const jn_joint_type types[] = {JN_FREE, JN_SPHERICAL, JN_PLANAR, JN_CONTINUOUS};
  return make_chain(types, 4);
}

static UNUSED jn_trajectory *load_text(const jn_model *m, const char *text, int order) {
  jn_trajectory_options o;
  jn_trajectory_options_init(&o);
  o.order = order;
  jn_trajectory *t;
  jn_error error;
  jn_status status = jn_trajectory_load_text(m, text, strlen(text), "test", &o, &t, &error);
  check(status == JN_OK, "%s:%d:%d: %s", error.file, error.line, error.column, error.text);
  return t;
}

/* Normal noise, near enough: a sum of twelve. */
static UNUSED double normal(uint64_t *s) {
  double sum = 0;
  for (int i = 0; i < 12; i++) sum += uniform(s);
  return sum / 2;
}

#endif
