/* SPDX-License-Identifier: BSD-2-Clause */
/* MJCF files in tests: load a text, look for messages, compare numbers, keep files in a folder that is removed. */
#ifndef JN_TESTS_MJCF_HELP_H
#define JN_TESTS_MJCF_HELP_H

#define _XOPEN_SOURCE 700
#include <stdlib.h>
#include <unistd.h>

#include "testing.h"

#define MJCF(content) "<mujoco model='m'>\n" content "</mujoco>\n"
#define WORLD(content) "<worldbody>\n" content "</worldbody>\n"
#define UNIT "<inertial pos='0 0 0' mass='1' diaginertia='.1 .1 .1'/>\n"
#define RADIAN "<compiler angle='radian'/>\n"

typedef struct loaded {
  jn_model *model;
  jn_report *report;
  jn_status status;
  jn_error error;
} loaded;

static UNUSED void print_messages(const jn_report *report) {
  for (int i = 0; i < jn_report_count(report); i++) {
    const jn_message *m = jn_report_message(report, i);
    print_error("  %s %s:%d:%d %s: %s; %s\n", m->rule, m->file, m->line, m->column, m->subject, m->text, m->remedy);
  }
}

static UNUSED loaded load_as(const char *text, const char *file, jn_options *options) {
  loaded l = {0};
  jn_options own;
  jn_options_init(&own);
  if (!options) options = &own;
  l.report = jn_report_create(NULL);
  assert_non_null(l.report);
  options->report = l.report;
  l.status = jn_load_text(text, strlen(text), JN_FORMAT_AUTO, file, options, &l.model, &l.error);
  assert_true((l.status == JN_OK) == (l.model != NULL));
  return l;
}

static UNUSED void drop(loaded *l) {
  jn_model_destroy(l->model);
  jn_report_destroy(l->report);
  *l = (loaded){0};
}

/* A model that must load, with no more than notes. */
static UNUSED jn_model *good_as(const char *text, const char *file) {
  loaded l = load_as(text, file, NULL);
  if (l.status != JN_OK || jn_report_count_of(l.report, JN_WARNING)) print_messages(l.report);
  assert_int_equal(l.status, JN_OK);
  assert_int_equal(jn_report_count_of(l.report, JN_WARNING), 0);
  jn_report_destroy(l.report);
  return l.model;
}

static UNUSED jn_model *good(const char *text) { return good_as(text, "robot.xml"); }

static UNUSED const jn_message *message_of(const loaded *l, const char *rule) {
  for (int i = 0; i < jn_report_count(l->report); i++) {
    const jn_message *m = jn_report_message(l->report, i);
    if (strcmp(m->rule, rule) == 0) return m;
  }
  return NULL;
}

#define check_near(a, b, n, tolerance, ...)                                                               \
  do {                                                                                                    \
    double gap_ = distance(a, b, n, 0);                                                                   \
    if (!(gap_ <= (tolerance))) {                                                                         \
      print_error("%s:%d: apart by %.3g, allowed %.3g: ", __FILE__, __LINE__, gap_, (double)(tolerance)); \
      print_error(__VA_ARGS__);                                                                           \
      print_error("\n");                                                                                  \
      fail();                                                                                             \
    }                                                                                                     \
  } while (0)

/* Pose of a link or frame at q. */
static UNUSED void pose_of(const jn_model *m, const char *frame, const double *q, double T[16]) {
  jn_work *work;
  check_ok(jn_work_create(m, &work));
  int index = jn_frame_index(m, frame);
  check(index >= 0, "there is a frame '%s'", frame);
  check_ok(jn_frame_pose(m, work, index, q, T));
  jn_work_destroy(work);
}

/* The ten parameters of a link. */
static UNUSED void inertia_of(const jn_model *m, const char *link, double inertia[10]) {
  int index = jn_link_index(m, link);
  check(index >= 0, "there is a link '%s'", link);
  check_ok(jn_link_inertia(m, index, inertia));
}

/* ---- Files ---- */

static UNUSED char folder[64] = "";

static UNUSED int make_folder(void **state) {
  (void)state;
  strcpy(folder, "/tmp/jounce_mjcf_XXXXXX");
  return mkdtemp(folder) ? 0 : -1;
}

/* The folder has no folders inside. */
static UNUSED int remove_folder(void **state) {
  (void)state;
  char command[128];
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  return system(command);
}

/* A path in the folder; one of a few buffers. */
static UNUSED const char *path_of(const char *name) {
  static char paths[32][128];
  static int last;
  last = (last + 1) % 32;
  snprintf(paths[last], sizeof paths[last], "%s/%s", folder, name);
  return paths[last];
}

static UNUSED const char *write_bytes(const char *name, const void *bytes, size_t length) {
  const char *path = path_of(name);
  FILE *f = fopen(path, "wb");
  assert_non_null(f);
  assert_int_equal(fwrite(bytes, 1, length, f), length);
  assert_int_equal(fclose(f), 0);
  return path;
}

static UNUSED const char *write_text(const char *name, const char *text) {
  return write_bytes(name, text, strlen(text));
}

#endif
