/* SPDX-License-Identifier: BSD-2-Clause */
/* Load a robot, print what was suspicious about it, and place its links at a random configuration.
 *   example_model builtin:panda       example_model robot.urdf */
#include <jounce/jounce.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
  jn_options options;
  jn_options_init(&options);
  options.report = jn_report_create(NULL);

  jn_model *model;
  jn_error error;
  if (jn_load(argc > 1 ? argv[1] : "builtin:panda", &options, &model, &error) != JN_OK) {
    fprintf(stderr, "%s:%d: %s\n", error.file, error.line, error.text);
    return 1;
  }
  for (int i = 0; i < jn_report_count(options.report); i++) {
    const jn_message *m = jn_report_message(options.report, i);
    printf("line %d: %s: %s\n", m->line, m->subject, m->text);
  }

  jn_work *work;
  int n = jn_link_count(model);
  double *q = calloc((size_t)jn_model_nq(model) + 1, sizeof *q);
  double(*pose)[16] = calloc((size_t)n, sizeof *pose);
  uint64_t seed = 1;
  if (!q || !pose || jn_work_create(model, &work) != JN_OK) return 1;
  jn_random(model, &seed, q);

  for (int i = 0; i < n; i++) { /* parents come before children */
    double T[16];
    int parent = jn_link_parent(model, i);
    jn_joint_pose(model, work, i, q, T);
    if (parent == JN_WORLD)
      memcpy(pose[i], T, sizeof T);
    else
      jn_se3_multiply(pose[parent], T, pose[i]);
    printf("%s is at %.3f %.3f %.3f\n", jn_link_name(model, i), pose[i][3], pose[i][7], pose[i][11]);
  }
  free(q);
  free(pose);
  jn_work_destroy(work);
  jn_model_destroy(model);
  jn_report_destroy(options.report);
  return 0;
}
