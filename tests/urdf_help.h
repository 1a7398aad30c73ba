/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading URDF texts and looking at the models and messages that come out. */
#ifndef JN_TESTS_URDF_HELP_H
#define JN_TESTS_URDF_HELP_H

#include "counting.h"
#include "testing.h"

#include <locale.h>
#include <time.h>

#define ROBOT(body) "<robot name='r'>\n" body "</robot>\n"

#define AB "<link name='a'/>\n<link name='b'/>\n"

/* A joint from a to b that starts on line 4, its content on line 5. */
#define JOINT(type, body) \
  ROBOT(AB "<joint name='j' type='" type "'>\n<parent link='a'/><child link='b'/>" body "</joint>\n")

#define INERTIAL(body) ROBOT("<link name='a'>\n<inertial>" body "</inertial>\n</link>\n")

#define UNIT "<mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>"

/* ---- Help ---- */

typedef struct loaded {
  jn_model *model;
  jn_report *report;
  jn_status status;
  jn_error error;
} loaded;

static UNUSED loaded load_bytes(const char *text, size_t length, jn_options *options) {
  loaded l = {0};
  jn_options own;
  jn_options_init(&own);
  if (!options) options = &own;
  l.report = jn_report_create(NULL);
  assert_non_null(l.report);
  options->report = l.report;
  l.status = jn_load_text(text, length, JN_FORMAT_URDF, "robot.urdf", options, &l.model, &l.error);
  assert_true((l.status == JN_OK) == (l.model != NULL));
  if (l.status != JN_OK) assert_int_equal(l.error.status, l.status);
  return l;
}

static UNUSED loaded load_with(const char *text, jn_options *options) {
  return load_bytes(text, strlen(text), options);
}

static UNUSED loaded load(const char *text) { return load_with(text, NULL); }

static UNUSED void drop(loaded *l) {
  jn_model_destroy(l->model);
  jn_report_destroy(l->report);
  l->model = NULL;
  l->report = NULL;
}

static UNUSED jn_model *good(const char *text) {
  loaded l = load(text);
  if (l.status != JN_OK) print_error("line %d: %s\n", l.error.line, l.error.text);
  assert_int_equal(l.status, JN_OK);
  jn_report_destroy(l.report);
  return l.model;
}

#define FIXED(name, parent, child) \
  "<joint name='" name "' type='fixed'><parent link='" parent "'/><child link='" child "'/></joint>\n"

#endif
