/* SPDX-License-Identifier: BSD-2-Clause */
/* The properties of all readers of trajectories: any bytes give a motion or an error that is explained; a motion has a
 * beginning before its end. The model has a joint of one coordinate, a ball and a slider. */
#ifndef JN_TESTS_FUZZ_MOTION_H
#define JN_TESTS_FUZZ_MOTION_H

#include "fuzz.h"

static jn_model *motion_model(void) {
  static const jn_joint_type types[] = {JN_REVOLUTE, JN_SPHERICAL, JN_PRISMATIC};
  static const char *const names[] = {"a", "b", "c"};
  static jn_model *model;
  jn_builder *b;
  if (model) return model;
  if (jn_builder_create(NULL, &b) != JN_OK) stop("memory", "");
  for (int i = 0; i < 3; i++) {
    jn_link link;
    jn_link_init(&link);
    link.name = names[i];
    link.parent = i ? names[i - 1] : NULL;
    link.joint.type = types[i];
    link.inertia[0] = link.inertia[4] = link.inertia[5] = link.inertia[6] = 1;
    jn_builder_add_link(b, &link);
  }
  jn_error error;
  if (jn_builder_freeze(b, &model, &error) != JN_OK) stop("the model is good", error.text);
  jn_builder_destroy(b);
  return model;
}

static void motion_options(jn_trajectory_options *options) {
  jn_trajectory_options_init(options);
  options->order = 1;
  options->max_bytes = FUZZ_BYTES;
  options->missing_neutral = 1;
}

static UNUSED void check_motion(const uint8_t *data, size_t size) {
  jn_trajectory_options options;
  jn_trajectory *t;
  jn_error error;
  double q[6], v[15];
  motion_options(&options);
  options.report = jn_report_create(NULL);
  jn_status status = jn_trajectory_load_text(motion_model(), (const char *)data, size, "fuzz", &options, &t, &error);
  check_result(status, &error, t);
  if (t) {
    double start = jn_trajectory_start(t), end = jn_trajectory_end(t);
    if (!(start < end)) stop("a motion takes time", "");
    if (jn_trajectory_evaluate(t, start + 0.3 * (end - start), 1, q, v) != JN_OK) stop("can be evaluated", "");
  }
  jn_trajectory_destroy(t);
  jn_report_destroy(options.report);
}

#endif
