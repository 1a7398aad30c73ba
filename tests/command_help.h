/* SPDX-License-Identifier: BSD-2-Clause */
/* Running the command on small models, and a small JSON reader to look at what it prints. */
#ifndef JN_TESTS_COMMAND_HELP_H
#define JN_TESTS_COMMAND_HELP_H

#include "support/running.h"

#include <stdbool.h>

static UNUSED outcome run(const char *arguments) { return run_with("", arguments); }

static UNUSED void check_refusal(const char *arguments, int code, const char *part) {
  check_refused(run(arguments), code, part);
}

/* "verb 'path' rest" */
static UNUSED const char *line_of(const char *verb, const char *path, const char *rest) {
  static char line[512];
  snprintf(line, sizeof line, "%s '%s' %s", verb, path, rest);
  return line;
}

/* ---- A small JSON reader ---- */

static UNUSED const char *skip_blank(const char *s) { return s + strspn(s, " \n\t\r"); }

/* Behind the string that starts at s; NULL when it is not one. */
static UNUSED const char *skip_string(const char *s) {
  if (*s++ != '"') return NULL;
  for (; *s != '"'; s++) {
    if ((unsigned char)*s < 0x20) return NULL;
    if (*s != '\\') continue;
    s++;
    if (!*s || !strchr("\"\\/bfnrtu", *s)) return NULL;
    if (*s == 'u' && strspn(s + 1, "0123456789abcdefABCDEF") < 4) return NULL;
  }
  return s + 1;
}

static UNUSED const char *skip_plain(const char *s) {
  static const char *const words[] = {"true", "false", "null"};
  for (int i = 0; i < 3; i++) {
    if (strncmp(s, words[i], strlen(words[i])) == 0) return s + strlen(words[i]);
  }
  char *end;
  if (*s != '-' && (*s < '0' || *s > '9')) return NULL; /* strtod() would take "inf" and " 1" */
  strtod(s, &end);
  return end == s ? NULL : end;
}

/* Behind the value that starts at s; NULL when it is not JSON. */
static UNUSED const char *skip_value(const char *s) {
  if (*s == '"') return skip_string(s);
  if (*s != '{' && *s != '[') return skip_plain(s);
  char close = *s == '{' ? '}' : ']';
  s = skip_blank(s + 1);
  if (*s == close) return s + 1;
  for (;;) {
    if (close == '}') {
      if (!(s = skip_string(s))) return NULL;
      s = skip_blank(s);
      if (*s++ != ':') return NULL;
      s = skip_blank(s);
    }
    if (!(s = skip_value(s))) return NULL;
    s = skip_blank(s);
    if (*s == close) return s + 1;
    if (*s++ != ',') return NULL;
    s = skip_blank(s);
  }
}

static UNUSED void check_json(const char *text) {
  const char *end = skip_value(skip_blank(text));
  if (!end || *skip_blank(end)) fail_msg("not JSON:\n%.2000s", text);
}

/* The value of a member of an object, or of element [index] of an array when key is NULL; NULL when there is none. */
static UNUSED const char *member(const char *s, const char *key, int index) {
  bool object = *s == '{';
  for (s = skip_blank(s + 1); *s != '}' && *s != ']'; s = skip_blank(s)) {
    bool found = !key && index-- == 0;
    if (object) {
      const char *end = skip_string(s);
      found = key && strlen(key) == (size_t)(end - s - 2) && strncmp(s + 1, key, strlen(key)) == 0;
      s = skip_blank(skip_blank(end) + 1);
    }
    if (found) return s;
    s = skip_blank(skip_value(s));
    if (*s == ',') s++;
  }
  return NULL;
}

/* The value at a path such as "links.0.name". Fails the test when there is none. */
static UNUSED const char *at(const char *text, const char *path) {
  const char *s = skip_blank(text);
  char word[64];
  for (const char *p = path; *p;) {
    size_t n = strcspn(p, ".");
    snprintf(word, sizeof word, "%.*s", (int)n, p);
    bool index = word[strspn(word, "0123456789")] == 0;
    s = index ? member(s, NULL, atoi(word)) : member(s, word, 0);
    if (!s) fail_msg("no %s in:\n%.2000s", path, text);
    p += n + (p[n] == '.');
  }
  return s;
}

static UNUSED double number_at(const char *text, const char *path) { return strtod(at(text, path), NULL); }

static UNUSED void check_string_at(const char *text, const char *path, const char *expected) {
  const char *s = at(text, path);
  char quoted[128];
  snprintf(quoted, sizeof quoted, "\"%s\"", expected);
  if (strncmp(s, quoted, strlen(quoted)) != 0) fail_msg("%s should be %s: %.60s", path, quoted, s);
}

/* ---- Models ---- */

static UNUSED const char good_urdf[] =
    "<robot name='hand'>\n"
    "  <link name='palm'/>\n"
    "  <link name='left'><inertial><mass value='0.3'/><inertia ixx='1e-4' iyy='1e-4' izz='1e-4' ixy='0' ixz='0' "
    "iyz='0'/></inertial></link>\n"
    "  <link name='right'><inertial><mass value='0.3'/><inertia ixx='1e-4' iyy='1e-4' izz='1e-4' ixy='0' ixz='0' "
    "iyz='0'/></inertial></link>\n"
    "  <joint name='open' type='prismatic'><parent link='palm'/><child link='left'/><axis xyz='0 1 0'/>"
    "<limit lower='0' upper='0.04' effort='20' velocity='0.2'/></joint>\n"
    "  <joint name='copy' type='prismatic'><parent link='palm'/><child link='right'/><axis xyz='0 1 0'/>"
    "<limit lower='-1' upper='1' effort='20' velocity='0.2'/><mimic joint='open' multiplier='-2' "
    "offset='0.5'/></joint>\n"
    "</robot>\n";

static UNUSED void need_robots(void) {
  if (jn_builtin_count() == 0) skip(); /* a build without jansson */
}

static UNUSED void need_urdf(void) {
  jn_model *model = NULL;
  jn_status status = jn_load_text(good_urdf, strlen(good_urdf), JN_FORMAT_URDF, "good", NULL, &model, NULL);
  jn_model_destroy(model);
  if (status == JN_ERR_UNSUPPORTED) skip(); /* a build without expat */
  assert_int_equal(status, JN_OK);
}

#endif
