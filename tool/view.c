/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce view: the web page (web/page) with a robot, and perhaps a motion, inside. */
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "installed.h"
#include "model_arg.h"
#include "output.h"
#include "print.h"

/* Where the page says what it is given. */
#define EMPTY "<script id=\"given\" type=\"application/json\">null</script>"
enum { PARENTS = 3 };

typedef struct view_arg {
  model_arg model;
  const char *motion, *out, *page;
  FILE *stream;
  int files, missing; /* written into the page; meshes that were not found */
} view_arg;

/* ---- Text that is safe inside of a page ---- */

/* Letters, digits and ._-/ as they are, everything else as %XX. */
static void write_name(FILE *f, const char *name) {
  static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-/:";
  for (; *name; name++) {
    if (strchr(plain, *name)) {
      fputc(*name, f);
    } else {
      fprintf(f, "%%%02X", (unsigned)(unsigned char)*name);
    }
  }
}

static void write_base64(FILE *f, const char *data, size_t length) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t i = 0; i < length; i += 3) {
    size_t left = length - i;
    unsigned a = (unsigned char)data[i], b = left > 1 ? (unsigned char)data[i + 1] : 0,
             c = left > 2 ? (unsigned char)data[i + 2] : 0;
    fputc(digits[a >> 2], f);
    fputc(digits[(a & 3) << 4 | b >> 4], f);
    fputc(left > 1 ? digits[(b & 15) << 2 | c >> 6] : '=', f);
    fputc(left > 2 ? digits[c & 63] : '=', f);
  }
}

static void write_file(view_arg *v, const char *name, const char *data, size_t length) {
  fputs(v->files++ ? ",\n[\"" : "\n[\"", v->stream);
  write_name(v->stream, name);
  fputs("\",\"", v->stream);
  write_base64(v->stream, data, length);
  fputs("\"]", v->stream);
}

/* ---- Meshes of a URDF file ---- */

static bool is_mesh(const char *name) {
  static const char *const endings[] = {".stl", ".STL", ".obj", ".OBJ", ".dae", ".DAE"};
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
    if (ends_with(name, endings[i])) return true;
  return false;
}

/* package://robot/meshes/arm.stl is looked for as meshes/arm.stl and robot/meshes/arm.stl in the folder of the robot's
 * file and the three above it. */
static bool find_mesh(const char *robot, const char *name, char path[PATH_BYTES]) {
  const char *scheme = strstr(name, "://"), *rest = scheme ? scheme + 3 : name;
  const char *inner = scheme && strchr(rest, '/') ? strchr(rest, '/') + 1 : rest;
  const char *candidates[2] = {inner, rest};
  int folder = (int)(last_part(robot) - robot);
  if (*rest == '/') return snprintf(path, PATH_BYTES, "%s", rest) < PATH_BYTES && is_readable(path);
  for (int up = 0; up <= PARENTS; up++) {
    for (int i = 0; i < 2; i++) {
      int n = snprintf(path, PATH_BYTES, "%.*s%.*s%s", folder, robot, 3 * up, "../../../", candidates[i]);
      if (n < PATH_BYTES && is_readable(path)) return true;
    }
  }
  return false;
}

static bool write_mesh(view_arg *v, const char *name) {
  char path[PATH_BYTES];
  size_t length;
  if (!is_mesh(name) || !find_mesh(v->model.source, name, path)) {
    v->missing++;
    return true;
  }
  char *data = read_input(path, path, v->model.options.max_bytes, &length);
  if (!data) return false;
  write_file(v, name, data, length);
  free(data);
  return true;
}

/* Every filename="..." of the text, once. */
static bool write_meshes(view_arg *v, const char *text) {
  static const char key[] = "filename=";
  for (const char *p = text; (p = strstr(p, key)); p++) {
    char name[PATH_BYTES];
    const char *start = p + strlen(key), *end = *start == '"' || *start == '\'' ? strchr(start + 1, *start) : NULL;
    if (!end || end - start - 1 >= PATH_BYTES) continue;
    snprintf(name, sizeof name, "%.*s", (int)(end - start - 1), start + 1);
    const char *first = strstr(text, name);
    if (first && first < start && first[strlen(name)] == *start && first[-1] == *start) continue;
    if (!write_mesh(v, name)) return false;
  }
  return true;
}

/* ---- The page ---- */

/* An unchanged URDF file goes in as it is, with its meshes; every other robot as a native file. *source: its name. */
static bool write_robot(view_arg *v, const char **source) {
  const model_arg *m = &v->model;
  bool unchanged = !model_edit_count(&m->edits) && !m->loops;
  size_t length;
  *source = m->source;
  if (unchanged && strncmp(m->source, "builtin:", 8) == 0) return true;
  if (unchanged && format_of_content(m->source) == JN_FORMAT_URDF) {
    char *text = read_input(m->source, m->source, m->options.max_bytes, &length);
    if (!text) return false;
    *source = last_part(m->source);
    write_file(v, *source, text, length);
    bool fine = write_meshes(v, text);
    free(text);
    return fine;
  }
  char *native;
  jn_error error;
  jn_options options = m->options;
  options.report = NULL;
  *source = "robot.json";
  if (jn_save_text(m->model, JN_FORMAT_NATIVE, &options, &native, &length, &error) != JN_OK) {
    say(stderr, "jounce: %s\n", error.text);
    return false;
  }
  write_file(v, *source, native, length);
  jn_text_free(native, &options);
  return true;
}

static bool write_given(view_arg *v) {
  FILE *f = v->stream;
  const char *source;
  size_t length;
  fputs("<script id=\"given\" type=\"application/json\">{\"files\":[", f);
  if (!write_robot(v, &source)) return false;
  bool file = v->motion && strncmp(v->motion, "builtin:", 8) != 0;
  if (file) {
    char *data = read_input(v->motion, v->motion, v->model.options.max_bytes, &length);
    if (!data) return false;
    write_file(v, last_part(v->motion), data, length);
    free(data);
  }
  fputs("],\n\"source\":\"", f);
  write_name(f, source);
  if (v->motion) {
    fputs("\",\n\"motion\":\"", f);
    write_name(f, file ? last_part(v->motion) : v->motion);
  }
  bool native = strcmp(source, "robot.json") == 0; /* then --floating is in the model already */
  fprintf(f, "\",\n\"floating\":%s,\"ignoreMimic\":%s,\"lenient\":%s}</script>",
          v->model.floating && !native ? "true" : "false", v->model.ignore_mimic && !native ? "true" : "false",
          v->model.lenient ? "true" : "false");
  return true;
}

static char *read_page(const char *given, size_t limit) {
  char own[PATH_BYTES];
  const char *named = given ? given : getenv("JOUNCE_PAGE"), *path = named;
  if (!path && installed_file(JN_PAGE_PLACE, own)) path = own;
  if (!path) {
    say(stderr,
        "jounce: the page is not installed with this command; build it with script/web, and name it with --page "
        "FILE or the environment variable JOUNCE_PAGE\n");
    return NULL;
  }
  char *page = read_input(path, path, limit, &(size_t){0});
  if (page && strstr(page, EMPTY)) return page;
  if (page) say(stderr, "jounce: %s: this is not the page of jounce, or one that has a robot already\n", path);
  free(page);
  return NULL;
}

static int view(view_arg *v) {
  int status = model_arg_load(&v->model);
  if (status != OPTION_GO_ON) return status;
  char *page = read_page(v->page, v->model.options.max_bytes);
  if (!page) return EXIT_BAD;
  output out;
  v->stream = output_open(&out, v->out);
  bool fine = v->stream != NULL;
  if (fine) {
    char *at = strstr(page, EMPTY);
    fwrite(page, 1, (size_t)(at - page), v->stream);
    fine = write_given(v);
    fputs(at + strlen(EMPTY), v->stream);
    fine = output_close(&out, fine);
  }
  free(page);
  if (!fine) return EXIT_BAD;
  if (v->missing)
    say(stderr, "jounce: note: %d mesh%s not found; boxes are shown instead\n", v->missing,
        v->missing == 1 ? " was" : "es were");
  if (strcmp(v->out, "-") != 0) say(stdout, "Written: %s (open it in a browser)\n", v->out);
  return EXIT_FINE;
}

int command_view(int argc, char **argv) {
  option_set set;
  view_arg v = {.out = "jounce.html"};
  const char *arguments[2] = {NULL, NULL};
  model_arg_init(&v.model);
  option_set_init(&set, "view", "MODEL [TRAJECTORY]",
                  "Write a web page that shows the robot in three dimensions, moves it, checks it, simulates it, and "
                  "plays TRAJECTORY with its torques against the limits. The page is one file that needs nothing else "
                  "and no network: the robot's file, its meshes (STL, OBJ, DAE, as far as they are found) and the "
                  "motion are inside.");
  option_text(&set, "out", "FILE", "the page to write; default jounce.html; -: standard output", &v.out);
  option_output(&set);
  option_text(
      &set, "page", "FILE",
      "the empty page to start from; default: JOUNCE_PAGE of the environment, or the one installed with the command",
      &v.page);
  model_arg_options(&set, &v.model);
  int status = option_parse(&set, argc, argv, arguments, 1, 2);
  if (status == OPTION_GO_ON) {
    v.model.source = arguments[0];
    v.motion = arguments[1];
    status = view(&v);
  }
  model_arg_free(&v.model);
  return status;
}
