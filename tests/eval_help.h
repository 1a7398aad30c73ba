/* SPDX-License-Identifier: BSD-2-Clause */
/* Running `jounce eval` on small robots with known equations, and looking at the numbers it gives. Include it first. */
#ifndef JN_TESTS_EVAL_HELP_H
#define JN_TESTS_EVAL_HELP_H

#include "support/running.h"

#include <math.h>

/* `words` in the form of the shell, from the test's directory. */
static UNUSED outcome run(const char *words) {
  char arguments[1024];
  snprintf(arguments, sizeof arguments, "eval %s", words);
  return run_here(arguments);
}

static UNUSED void check_refusal(const char *words, int code, const char *part) {
  check_refused(run(words), code, part);
}

#if JN_WITH_JSON

#include <jansson.h>

/* ---- Results ---- */

/* The output at a state (or states) given as text; the run must be fine. */
static UNUSED json_t *evaluate(const char *words, const char *states) {
  char line[512];
  write_file("state.json", states);
  snprintf(line, sizeof line, "%s --input state.json", words);
  outcome o = run(line);
  if (o.code != 0) fail_msg("%s: code %d: %s", words, o.code, o.err);
  json_error_t error;
  json_t *root = json_loads(o.out, 0, &error);
  if (!root) fail_msg("not JSON: %s in:\n%.2000s", error.text, o.out);
  done(&o);
  return root;
}

/* The value at a path such as "results.0.M.1.0". */
static UNUSED json_t *at(json_t *value, const char *path) {
  char word[64];
  for (const char *p = path; *p;) {
    size_t n = strcspn(p, ".");
    snprintf(word, sizeof word, "%.*s", (int)n, p);
    value = json_is_array(value) ? json_array_get(value, (size_t)atoi(word)) : json_object_get(value, word);
    if (!value) fail_msg("no %s", path);
    p += n + (p[n] == '.');
  }
  return value;
}

static UNUSED double number_at(json_t *root, const char *path) {
  json_t *value = at(root, path);
  if (!json_is_number(value)) fail_msg("%s is not a number", path);
  return json_number_value(value);
}

/* All numbers below a value, in order of rows. */
static UNUSED int flatten(const json_t *value, double *numbers, int count, int room) {
  if (json_is_array(value)) {
    for (size_t i = 0; i < json_array_size(value); i++) {
      count = flatten(json_array_get(value, i), numbers, count, room);
    }
    return count;
  }
  assert_true(json_is_number(value) && count < room);
  numbers[count] = json_number_value(value);
  return count + 1;
}

enum { ROOM = 512 };

/* Numbers at a path, each within `tolerance` roundings of a number of size 1 (or of their own size). */
static UNUSED void check_numbers(json_t *root, const char *path, const double *expected, int count, double tolerance) {
  double numbers[ROOM];
  assert_int_equal(flatten(at(root, path), numbers, 0, ROOM), count);
  double unit = tolerance * jn_variant_epsilon();
  for (int i = 0; i < count; i++) {
    if (fabs(numbers[i] - expected[i]) <= unit * fmax(1, fabs(expected[i]))) continue;
    fail_msg("%s [%d] is %.17g, not %.17g", path, i, numbers[i], expected[i]);
  }
}

static UNUSED void check_same(json_t *a, json_t *b, const char *path) {
  double expected[ROOM];
  int count = flatten(at(b, path), expected, 0, ROOM);
  check_numbers(a, path, expected, count, 0);
}

/* ---- Robots ---- */

static UNUSED const double G = 9.81;

/* Pendulum about y: 2 kg at 0.5 m, 0.1 kg m^2 about its centre; hangs down at q = 0. */
static UNUSED const char pendulum[] =
    "{\"name\": \"pendulum\", \"bodies\": [{\"name\": \"rod\", \"joint\": {\"name\": \"hinge\", \"type\": \"revolute\","
    " \"axis\": [0, 1, 0], \"damping\": 0.5, \"friction\": 0.25}, \"inertia\": {\"mass\": 2, \"com\": [0, 0, -0.5],"
    " \"tensor\": [0.1, 0.1, 0.1, 0, 0, 0]}}]}";

/* Planar arm about z, gravity along -y. Lengths 0.7, 0.4; masses 3, 2 at 0.3, 0.25; moments 0.05, 0.02. */
static UNUSED const char planar[] =
    "{\"name\": \"planar\", \"gravity\": [0, -9.81, 0], \"bodies\": ["
    "{\"name\": \"upper\", \"joint\": {\"name\": \"shoulder\", \"type\": \"revolute\"},"
    " \"inertia\": {\"mass\": 3, \"com\": [0.3, 0, 0], \"tensor\": [0.05, 0.05, 0.05, 0, 0, 0]}},"
    "{\"name\": \"lower\", \"parent\": \"upper\", \"placement\": {\"position\": [0.7, 0, 0]},"
    " \"joint\": {\"name\": \"elbow\", \"type\": \"revolute\"},"
    " \"inertia\": {\"mass\": 2, \"com\": [0.25, 0, 0], \"tensor\": [0.02, 0.02, 0.02, 0, 0, 0]}}],"
    "\"frames\": [{\"name\": \"tip\", \"body\": \"lower\", \"placement\": {\"position\": [0.4, 0, 0]}}]}";

/* A free body of 3 kg, a ball joint, a slide, and a finger that follows the slide. */
static UNUSED const char mixed[] =
    "{\"name\": \"mixed\", \"bodies\": ["
    "{\"name\": \"trunk\", \"joint\": {\"name\": \"root\", \"type\": \"free\"},"
    " \"inertia\": {\"mass\": 3, \"tensor\": [0.2, 0.3, 0.4, 0, 0, 0]}},"
    "{\"name\": \"head\", \"parent\": \"trunk\", \"placement\": {\"position\": [0, 0, 0.5]},"
    " \"joint\": {\"name\": \"neck\", \"type\": \"spherical\"},"
    " \"inertia\": {\"mass\": 1, \"com\": [0, 0, 0.1], \"tensor\": [0.01, 0.01, 0.01, 0, 0, 0]}},"
    "{\"name\": \"hand\", \"parent\": \"trunk\", \"joint\": {\"name\": \"slide\", \"type\": \"prismatic\"},"
    " \"inertia\": {\"mass\": 1, \"tensor\": [0.01, 0.01, 0.01, 0, 0, 0]}},"
    "{\"name\": \"finger\", \"parent\": \"hand\", \"joint\": {\"name\": \"follow\", \"type\": \"prismatic\","
    " \"mimic\": {\"joint\": \"slide\", \"ratio\": 0.5}},"
    " \"inertia\": {\"mass\": 0.1, \"tensor\": [0.001, 0.001, 0.001, 0, 0, 0]}},"
    "{\"name\": \"camera\", \"parent\": \"head\"}]}";

/* The first body alone, with its free joint from --floating. */
static UNUSED const char block[] =
    "{\"name\": \"block\", \"bodies\": [{\"name\": \"block\","
    " \"inertia\": {\"mass\": 3, \"tensor\": [0.2, 0.3, 0.4, 0, 0, 0]}}]}";

/* Nothing hangs on the second hinge. */
static UNUSED const char empty_leaf[] =
    "{\"name\": \"empty_leaf\", \"bodies\": ["
    "{\"name\": \"arm\", \"joint\": {\"name\": \"first\", \"type\": \"revolute\", \"axis\": [0, 1, 0]},"
    " \"inertia\": {\"mass\": 1, \"com\": [1, 0, 0], \"tensor\": [0.1, 0.1, 0.1, 0, 0, 0]}},"
    "{\"name\": \"needle\", \"parent\": \"arm\", \"joint\": {\"name\": \"idle\", \"type\": \"revolute\"}}]}";

static UNUSED int make_robots(void **state) {
  if (make_directory(state) != 0) return -1;
  write_file("pendulum.json", pendulum);
  write_file("planar.json", planar);
  write_file("mixed.json", mixed);
  write_file("block.json", block);
  write_file("empty.json", empty_leaf);
  return 0;
}

static UNUSED const char planar_state[] =
    "{\"q\": [0.4, -1.1], \"v\": [0.9, -2], \"a\": [-0.5, 3], \"tau\": [1, 2], \"wrench\": {\"lower\": [0, 0, 0.3, 0, "
    "0, 0]}}";

#endif
#endif
