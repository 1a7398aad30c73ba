/* SPDX-License-Identifier: BSD-2-Clause */
#include "keyframe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../command.h"
#include "../text/print.h"
#include "argument.h"

static const char prefix[] = "key:";
enum { PREFIX = sizeof prefix - 1 };

bool names_keyframe(const char *state) { return strncmp(state, prefix, PREFIX) == 0; }

/* How many the file has; 0 also for standard input, which cannot be read twice. */
static int count_keyframes(const model_arg *arg) {
  int count = 0;
  bool is_file = arg->source && strcmp(arg->source, "-") != 0 && strncmp(arg->source, "builtin:", 8) != 0;
  if (!is_file || format_of_content(arg->source) != JN_FORMAT_MJCF) return 0;
  return jn_keyframe_count(arg->source, &arg->options, &count, NULL) == JN_OK ? count : 0;
}

/* The name of keyframe i, or its number if it has none. */
static bool load_keyframe(const model_arg *arg, int i, char name[JN_KEYFRAME_NAME], double *q, double *v,
                          jn_error *error) {
  if (jn_load_keyframe(arg->model, arg->source, i, &arg->options, name, q, v, error) != JN_OK) return false;
  if (!*name) snprintf(name, JN_KEYFRAME_NAME, "%d", i);
  return true;
}

void keyframe_list(const model_arg *arg, void (*show)(void *context, const char *name), void *context) {
  int count = count_keyframes(arg);
  size_t numbers = (size_t)(jn_model_nq(arg->model) + jn_model_nv(arg->model));
  double *q = allocate((numbers + 1) * sizeof *q), *v = q + jn_model_nq(arg->model);
  char name[JN_KEYFRAME_NAME];
  for (int i = 0; i < count; i++)
    if (load_keyframe(arg, i, name, q, v, NULL)) show(context, name);
  free(q);
}

/* " 'home', 'down'" */
static void add_name(void *context, const char *name) {
  char **list = context, *longer = format_text("%s%s '%s'", *list, **list ? "," : "", name);
  free(*list);
  *list = longer;
}

static int tell_unknown(const model_arg *arg, const char *state) {
  char *list = copy_text("", 0);
  keyframe_list(arg, add_name, &list);
  if (*list)
    say(stderr, "jounce: %s: %s has no keyframe '%s'; there are%s\n", state, arg->source, state + PREFIX, list);
  else
    say(stderr, "jounce: %s: %s has no keyframes; only MJCF files (not from standard input) have them\n", state,
        arg->source);
  free(list);
  return EXIT_BAD;
}

int keyframe_read(const model_arg *arg, const char *state, double *q, double *v) {
  int count = count_keyframes(arg);
  char name[JN_KEYFRAME_NAME], *end;
  jn_error error = {0};

  /* By name, */
  for (int i = 0; i < count; i++) {
    if (!load_keyframe(arg, i, name, q, v, &error)) {
      say(stderr, "jounce: %s:%d: keyframe %d: %s\n", arg->source, error.line, i, error.text);
      return EXIT_BAD;
    }
    if (strcmp(name, state + PREFIX) == 0) return OPTION_GO_ON;
  }

  /* or by number. */
  long number = strtol(state + PREFIX, &end, 10);
  bool is_number = !*end && end > state + PREFIX && number >= 0 && number < count;
  if (is_number && load_keyframe(arg, (int)number, name, q, v, &error)) return OPTION_GO_ON;
  return tell_unknown(arg, state);
}
