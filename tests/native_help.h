/* SPDX-License-Identifier: BSD-2-Clause */
/* What the tests of native model files share: reading from text with all messages, and a file that has everything. */
#ifndef TESTS_NATIVE_HELP_H
#define TESTS_NATIVE_HELP_H

#include "testing.h"

typedef struct loaded {
  jn_model *model;
  jn_report *report;
  jn_error error;
  jn_status status;
} loaded;

static loaded load_bytes(const char *text, size_t length) {
  loaded l = {.report = jn_report_create(NULL)};
  jn_options options;
  jn_options_init(&options);
  options.report = l.report;
  /* A copy of the exact size, so that a memory checker sees a step too far. */
  char *copy = malloc(length ? length : 1);
  memcpy(copy, text, length);
  l.status = jn_load_text(copy, length, JN_FORMAT_NATIVE, "test.json", &options, &l.model, &l.error);
  free(copy);
  assert_int_equal(l.status, l.error.status);
  assert_int_equal(l.status == JN_OK, l.model != NULL);
  return l;
}

static loaded load(const char *text) { return load_bytes(text, strlen(text)); }

static void unload(loaded *l) {
  jn_model_destroy(l->model);
  jn_report_destroy(l->report);
}

#define INERTIA "\"inertia\": {\"mass\": 1, \"tensor\": [0.1, 0.1, 0.1, 0, 0, 0]}"

static const char everything[] =
    "{\"name\": \"all \\\"sorts\\\" \\u00e9\", \"comment\": [1, {}], \"gravity\": [0.5, -0.25, -9.75],\n"
    "\"bodies\": [\n"
    "{\"name\": \"base\", \"comment\": null, \"joint\": {\"name\": \"weld\", \"type\": \"fixed\"}, " INERTIA
    "},\n"
    "{\"name\": \"b1\", \"parent\": \"base\", \"placement\": {\"position\": [0.1, 0.2, 0.3], \"rpy\": [0.4, -0.5, "
    "0.6]},\n"
    "  \"joint\": {\"name\": \"j1\", \"type\": \"revolute\", \"axis\": [0, 0.6, 0.8], \"point\": [0.1, 0, -0.1],\n"
    "    \"limits\": {\"lower\": -1, \"upper\": 2.5, \"velocity\": 3, \"acceleration\": 4, \"jerk\": 5, \"effort\": "
    "6,\n"
    "    \"effort_rate\": 7}, \"armature\": 0.1, \"damping\": 0.2, \"friction\": 0.3},\n"
    "  \"inertia\": {\"mass\": 1.25, \"com\": [0.1, 0, 0.2], \"tensor\": [[0.02, 0, 0], [0, 0.03, 1e-3], [0, 1e-3, "
    "0.04]]}},\n"
    "{\"name\": \"b2\", \"parent\": \"b1\", \"joint\": {\"type\": \"continuous\", \"axis\": [1, 0, 0]}, " INERTIA
    "},\n"
    "{\"name\": \"b3\", \"parent\": \"b2\", \"placement\": {\"position\": [0, 0, 1]}, \"joint\": {\"name\": "
    "\"slide\",\n"
    "  \"type\": \"prismatic\", \"mimic\": {\"joint\": \"j1\", \"ratio\": -0.5, \"offset\": 0.125}}, " INERTIA
    "},\n"
    "{\"name\": \"b4\", \"parent\": \"base\", \"joint\": {\"type\": \"helical\", \"pitch\": 0.01}, " INERTIA
    "},\n"
    "{\"name\": \"b5\", \"parent\": \"b4\", \"joint\": {\"type\": \"cylindrical\", \"axis\": [0, 1, 0],\n"
    "  \"limits\": {\"lower\": [-1, null], \"velocity\": 2, \"effort\": [3, 4]}, \"damping\": [0, 0.5]}, " INERTIA
    "},\n"
    "{\"name\": \"b6\", \"parent\": \"b5\", \"joint\": {\"type\": \"universal\", \"axis2\": [1, 0, 0]}, " INERTIA
    "},\n"
    "{\"name\": \"b7\", \"parent\": \"b6\", \"joint\": {\"type\": \"planar\", \"axis\": [0, 1, 0]}, " INERTIA
    "},\n"
    "{\"name\": \"b8\", \"parent\": \"base\", \"joint\": {\"type\": \"spherical\", \"point\": [0, 0, 0.5]}, " INERTIA
    "},\n"
    "{\"name\": \"b9\", \"parent\": \"b8\", \"joint\": {\"type\": \"gimbal\", \"axis\": [1, 0, 0], \"axis3\": [0, 0, "
    "1]}, " INERTIA
    "},\n"
    "{\"name\": \"b10\", \"parent\": \"world\", \"placement\": {\"position\": [-0, 2, 3]},\n"
    "  \"joint\": {\"type\": \"floating\", \"armature\": [1, 2, 3, 4, 5, 6]}, " INERTIA
    "},\n"
    "{\"name\": \"b11\", \"parent\": \"b10\", \"joint\": {\"type\": \"screw\", \"screw\": [0, 0, 1, 0.1, 0.2, "
    "0.3]}, " INERTIA
    "},\n"
    "{\"name\": \"b12\", \"parent\": \"b11\", \"joint\": {\"type\": \"general\", \"screws\": [[1, 0, 0, 0, 0, 0.1],\n"
    "  [0, 1, 0, 0, 0, 0], [0, 0, 0, 2, 0, 0]], \"friction\": [0, 0, 1]}, \"inertia\":\n"
    "  {\"parameters\": [2, 0.2, 0.1, -0.3, 1, 1.1, 1.2, 0.01, 0.02, 0.03]}}],\n"
    "\"frames\": [{\"name\": \"tip\", \"body\": \"b3\", \"placement\": {\"quaternion\": [0.5, 0.5, -0.5, 0.5]}},\n"
    "  {\"name\": \"eye\", \"body\": \"b12\", \"placement\": {\"position\": [1, 2, 3],\n"
    "  \"rotation\": [[0, -1, 0], [1, 0, 0], [0, 0, 1]]}}],\n"
    "\"loops\": [{\"name\": \"l1\", \"type\": \"weld\", \"a\": {\"body\": \"b3\"}, \"b\": {\"body\": \"b7\",\n"
    "  \"placement\": {\"matrix\": [[0, 0, 1, 0.5], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1]]}}},\n"
    "{\"name\": \"l2\", \"type\": \"universal\", \"a\": {\"body\": \"world\"}, \"b\": {\"body\": \"b9\"}, \"axis\": "
    "[0, 1, 0],\n"
    "  \"axis2\": [0, 0, 1]},\n"
    "{\"name\": \"l3\", \"type\": \"distance\", \"a\": {\"body\": \"b3\"}, \"b\": {\"body\": \"b9\"}, \"distance\": "
    "0.75},\n"
    "{\"name\": \"l4\", \"type\": \"coordinates\", \"a\": {\"body\": \"b3\"}, \"b\": {\"body\": \"b2\"}, \"mask\": "
    "[\"z\", \"rx\"]}\n"
    "], \"joint_order\": [\"b4\", \"b10\", \"j1\"]}\n";

#endif
