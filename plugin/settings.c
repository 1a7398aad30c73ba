/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the robot of this library comes from, in this order:
 *   config_args   a model (file or builtin:NAME) and options, from casadi.external(name, path, dict(config_args=[...]))
 *   the end of this file itself: options, an empty line and a native model, as `jounce casadi` writes them, then
 *                 the number of their bytes (8 bytes, the lowest first) and the word "jounceCD"
 *   a model file beside this one with the same name and the ending .json, .urdf or .xml
 * Options: --step=SECONDS --integrator=NAME --losses --friction-speed=SPEED --frame=NAME (once for each frame). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../src/model/memory.h"
#include "../src/text/printable.h"
#include "jounce/io.h"
#include "jounce/table.h"
#include "plugin.h"

enum { MAGIC = 8, TAIL = 16, PATH_BYTES = 4096, LINE_BYTES = 1024 };

void plugin_complain(const char *format, ...) {
  char line[LINE_BYTES];
  va_list list;
  va_start(list, format);
  vsnprintf(line, sizeof line, format, list);
  va_end(list);
  jn__make_printable(line, 0);
  fprintf(stderr, "jounce: %s\n", line);
}

/* ---- options ---- */

static int add_frame(plugin_robot *r, const char *name) {
  int frame = jn_frame_index(r->model, name), count = r->options.frame_count;
  if (frame < 0) {
    plugin_complain("--frame=%s: the model %s has no frame of this name", name, jn_model_name(r->model));
    return 1;
  }
  int *more = realloc(r->frames, (size_t)(count + 1) * sizeof *more);
  if (!more) return 1;
  more[count] = frame;
  r->options.frames = r->frames = more;
  r->options.frame_count++;
  return 0;
}

static int read_positive(const char *option, const char *text, double *value) {
  char *end;
  *value = jn__read_number(text, &end);
  if (end != text && *end == 0 && *value > 0 && *value < 1e9) return 0;
  plugin_complain("%s=%s: this must be a positive number", option, text);
  return 1;
}

static int read_integrator(const char *name, jn_integrator *integrator) {
  for (int i = 0; i < JN_INTEGRATORS; i++)
    if (strcmp(name, jn_integrator_name((jn_integrator)i)) == 0) {
      *integrator = (jn_integrator)i;
      return 0;
    }
  plugin_complain("--integrator=%s: there are taylor, dopri5, rodas, rk4 and euler", name);
  return 1;
}

static int read_option(plugin_robot *r, const char *text) {
  const char *value = strchr(text, '=');
  size_t length = value ? (size_t)(value - text) : strlen(text);
  value = value ? value + 1 : "";
  if (length == 6 && strncmp(text, "--step", length) == 0) return read_positive("--step", value, &r->options.step);
  if (length == 12 && strncmp(text, "--integrator", length) == 0) return read_integrator(value, &r->options.integrator);
  if (length == 16 && strncmp(text, "--friction-speed", length) == 0)
    return read_positive("--friction-speed", value, &r->options.friction_speed);
  if (length == 7 && strncmp(text, "--frame", length) == 0) return add_frame(r, value);
  if (strcmp(text, "--losses") == 0) {
    r->options.losses = 1;
    return 0;
  }
  plugin_complain("%s: no such option; there are --step, --integrator, --losses, --friction-speed and --frame", text);
  return 1;
}

/* ---- the model ---- */

static int loaded(jn_status status, const char *source, const jn_error *error) {
  if (status == JN_OK) return 0;
  plugin_complain("%s: %s", source, error->text[0] ? error->text : jn_status_text(status));
  return 1;
}

static int from_arguments(int argc, const char *const *argv, plugin_robot *r) {
  jn_error error = {0};
  const char *source = NULL;
  int failed = 0;
  for (int i = 0; i < argc; i++) {
    if (strncmp(argv[i], "--", 2) == 0) continue;
    if (source) {
      plugin_complain("config_args has two models, %s and %s; a library has one robot", source, argv[i]);
      return 1;
    }
    source = argv[i];
  }
  if (!source) {
    plugin_complain("config_args has no model: the first of them should be a file or builtin:NAME");
    return 1;
  }
  failed = loaded(jn_load(source, NULL, &r->model, &error), source, &error);
  for (int i = 0; i < argc && !failed; i++)
    if (strncmp(argv[i], "--", 2) == 0) failed = read_option(r, argv[i]);
  return failed;
}

/* Options line by line up to an empty one, then the model. */
static int from_text(char *text, size_t length, const char *path, plugin_robot *r) {
  jn_error error = {0};
  char *model = strstr(text, "\n\n");
  if (text[0] == '\n') model = text - 1;
  if (!model) {
    plugin_complain("%s: the data at its end are damaged: no empty line before the model", path);
    return 1;
  }
  char *end = model + 1;
  model += 2;
  if (loaded(jn_load_text(model, length - (size_t)(model - text), JN_FORMAT_NATIVE, path, NULL, &r->model, &error),
             path, &error))
    return 1;
  for (char *line = text, *next; line < end; line = next) {
    next = strchr(line, '\n') + 1;
    next[-1] = 0;
    if (read_option(r, line)) return 1;
  }
  return 0;
}

/* The text at the end of a file, with a 0 behind it; NULL: there is none. */
static char *read_tail(const char *path, size_t *length) {
  FILE *f = fopen(path, "rb");
  unsigned char tail[TAIL];
  char *text = NULL;
  unsigned long long bytes = 0;
  if (!f) return NULL;
  if (fseek(f, -TAIL, SEEK_END) == 0 && fread(tail, 1, TAIL, f) == TAIL && memcmp(tail + 8, "jounceCD", MAGIC) == 0) {
    for (int i = 7; i >= 0; i--) bytes = bytes << 8 | tail[i];
    long size = ftell(f);
    if (size > 0 && bytes < (unsigned long long)(size - TAIL) && bytes <= JN_MAX_BYTES) text = malloc(bytes + 1);
    if (text && (fseek(f, -(long)(bytes + TAIL), SEEK_END) != 0 || fread(text, 1, bytes, f) != bytes)) {
      free(text);
      text = NULL;
    }
    if (text) text[bytes] = 0;
  }
  fclose(f);
  *length = (size_t)bytes;
  return text;
}

static int from_beside(const char *path, plugin_robot *r) {
  static const char *const endings[] = {".json", ".urdf", ".xml"};
  char name[PATH_BYTES];
  jn_error error = {0};
  const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
  size_t length = dot && (!slash || dot > slash) ? (size_t)(dot - path) : strlen(path);
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
    if (length + strlen(endings[i]) + 1 > sizeof name) continue;
    memcpy(name, path, length);
    strcpy(name + length, endings[i]);
    FILE *f = fopen(name, "rb");
    if (!f) continue;
    fclose(f);
    return loaded(jn_load(name, NULL, &r->model, &error), name, &error);
  }
  plugin_complain(
      "%s has no robot: make a library for one with `jounce casadi MODEL -o robot.so`, give config_args, "
      "or put a model beside it with the same name and the ending .json, .urdf or .xml",
      path);
  return 1;
}

static int from_file(plugin_robot *r) {
  Dl_info own;
  size_t length;
  if (!dladdr((void *)(size_t)&plugin_read_robot, &own) || !own.dli_fname) {
    plugin_complain("the file of the CasADi plugin is not known: give config_args");
    return 1;
  }
  char *text = read_tail(own.dli_fname, &length);
  if (!text) return from_beside(own.dli_fname, r);
  int failed = from_text(text, length, own.dli_fname, r);
  free(text);
  return failed;
}

/* All arguments as one text, to compare. */
static char *as_text(int argc, const char *const *argv) {
  size_t length = 1;
  for (int i = 0; i < argc; i++) length += strlen(argv[i]) + 1;
  char *text = calloc(length, 1), *at = text;
  for (int i = 0; i < argc && text; i++) at += sprintf(at, "%s\n", argv[i]);
  return text;
}

int plugin_read_robot(int argc, const char *const *argv, plugin_robot *r) {
  char *given = as_text(argc, argv);
  if (!given) return 1;
  if (r->model) { /* the same, or no wish at all */
    int differs = argc > 0 && strcmp(given, r->given) != 0;
    if (differs)
      plugin_complain("this library has the robot %s already, with other config_args: copy the file for another one",
                      jn_model_name(r->model));
    free(given);
    return differs;
  }
  jn_function_options_init(&r->options);
  r->given = given;
  if ((argc > 0 ? from_arguments(argc, argv, r) : from_file(r)) == 0) return 0;
  plugin_free_robot(r);
  return 1;
}

void plugin_free_robot(plugin_robot *r) {
  jn_model_destroy(r->model);
  free(r->frames);
  free(r->given);
  memset(r, 0, sizeof *r);
}
