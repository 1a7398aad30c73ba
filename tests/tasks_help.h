/* SPDX-License-Identifier: BSD-2-Clause */
/* Tasks of random and built-in robots. */
#ifndef JN_TESTS_TASKS_HELP_H
#define JN_TESTS_TASKS_HELP_H

#include "models.h"

#include "jounce/tasks.h"

enum { NQ = 160, NV = 130, TARGETS = 200, ROWS = 100, ORDERS = 6 };

static UNUSED jn_model *built_in(const char *source) {
  jn_model *m;
  jn_error e;
  jn_status status = jn_load(source, NULL, &m, &e);
  check(status == JN_OK, "%s: %s", source, e.text);
  return m;
}

static UNUSED jn_task task_of(jn_task_type type, int frame, int reference) {
  jn_task t;
  jn_task_init(&t);
  t.type = type;
  t.frame = frame;
  t.reference = reference;
  return t;
}

static UNUSED jn_tasks *tasks_of(const jn_model *m, const jn_task *task, int count, const jn_tasks_options *o) {
  jn_tasks *t;
  check_ok(jn_tasks_create(m, task, count, o, &t));
  check(jn_tasks_targets(t) <= TARGETS && jn_tasks_rows(t) <= ROWS && jn_model_nq(m) <= NQ, "room");
  return t;
}

static UNUSED jn_tasks *pose_tasks(const jn_model *m, const char *frame, const jn_tasks_options *o) {
  jn_task t = task_of(JN_TASK_POSE, jn_frame_index(m, frame), JN_WORLD);
  return tasks_of(m, &t, 1, o);
}

#endif
