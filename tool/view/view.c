/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce view: the web page (web/page) with a robot, and perhaps a motion, inside. */
#include <stdlib.h>
#include <string.h>

#include "../command.h"
#include "../files/installed.h"
#include "../files/output.h"
#include "../model/argument.h"
#include "../options/shared_help.h"
#include "../text/print.h"
#include "meshes.h"

/* Where the page says what it is given. */
#define EMPTY "<script id=\"given\" type=\"application/json\">null</script>"

typedef struct view_arg {
  model_arg model;
  const char *motion, *out, *page;
  const char *limits, *wrench; /* files for the motion, or NULL */
  int losses;
  name_list folders; /* of --meshes */
  FILE *stream;
  int files;          /* written into the page */
  const char *source; /* of the robot in the page */
  size_t bytes;       /* of these, before they are encoded */
  mesh_list meshes;
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

/* ---- Files ---- */

/* One limit for all files of the page together. False after telling. */
static bool count_bytes(view_arg *v, const char *name, size_t length) {
  size_t limit = v->model.options.max_bytes;
  if (length > limit - v->bytes) {
    say(stderr, "jounce: %s: makes all files of the page together larger than the limit of %zu bytes\n", name, limit);
    say(stderr, "    if you trust the files, raise the limit: --max-bytes\n");
    return false;
  }
  v->bytes += length;
  return true;
}

/* A file of the command line, under its last name. */
/* A file that the user names, as folder/NAME in the page. */
static bool write_input(view_arg *v, const char *folder, const char *path) {
  size_t length;
  char *data = read_input(path, path, v->model.options.max_bytes, &length);
  bool fine = data && count_bytes(v, path, length);
  char *name = format_text("%s%s", folder, last_part(path));
  if (fine) write_file(v, name, data, length);
  free(name);
  free(data);
  return fine;
}

static bool is_builtin(const char *name) { return strncmp(name, "builtin:", 8) == 0; }

/* "key": the name in the page of a file that write_input() wrote, if there is one. */
static void write_reference(const view_arg *v, const char *key, const char *folder, const char *path) {
  if (!path) return;
  fputs("\",\n\"", v->stream);
  fputs(key, v->stream);
  fputs("\":\"", v->stream);
  if (!is_builtin(path)) write_name(v->stream, folder);
  write_name(v->stream, is_builtin(path) ? path : last_part(path));
}

static bool write_mesh(view_arg *v, const mesh *m) {
  size_t length;
  FILE *stream = mesh_open(m);
  if (!stream) {
    say(stderr, "jounce: %s: cannot be opened as a regular file any more\n", m->path);
    return false;
  }
  char *data = read_opened(stream, m->path, v->model.options.max_bytes, &length);
  fclose(stream);
  bool fine = data && count_bytes(v, m->path, length);
  if (fine) write_file(v, m->name, data, length);
  free(data);
  return fine;
}

/* Pairs of a name and the one that its file has in the page. */
static void write_other_names(const view_arg *v) {
  const char *before = "[\"";
  for (int i = 0; i < v->meshes.count; i++) {
    const mesh *m = &v->meshes.meshes[i];
    if (m->state != MESH_AGAIN) continue;
    fputs(before, v->stream);
    write_name(v->stream, m->name);
    fputs("\",\"", v->stream);
    write_name(v->stream, m->same_as);
    fputs("\"]", v->stream);
    before = ",\n[\"";
  }
}

/* The robot's file as it is, and the meshes that may be read. */
static bool write_urdf(view_arg *v) {
  const char *path = v->model.source;
  size_t length;
  char *text = read_input(path, path, v->model.options.max_bytes, &length);
  bool fine = text && count_bytes(v, path, length);
  if (fine) {
    write_file(v, last_part(path), text, length);
    mesh_list_find(&v->meshes, text, length, path, &v->folders);
  }
  free(text);
  for (int i = 0; fine && i < v->meshes.count; i++)
    if (v->meshes.meshes[i].state == MESH_FOUND) fine = write_mesh(v, &v->meshes.meshes[i]);
  return fine;
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
    *source = last_part(m->source);
    return write_urdf(v);
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
  bool fine = count_bytes(v, *source, length);
  if (fine) write_file(v, *source, native, length);
  jn_text_free(native, &options);
  return fine;
}

static bool write_given(view_arg *v) {
  FILE *f = v->stream;
  const char *source;
  fputs("<script id=\"given\" type=\"application/json\">{\"files\":[", f);
  if (!write_robot(v, &source)) return false;
  v->source = source;
  if (v->motion && !is_builtin(v->motion) && !write_input(v, "", v->motion)) return false;
  if (v->limits && !is_builtin(v->limits) && !write_input(v, "limits/", v->limits)) return false;
  if (v->wrench && !write_input(v, "wrench/", v->wrench)) return false;
  fputs("],\n\"same\":[", f);
  write_other_names(v);
  fputs("],\n\"source\":\"", f);
  write_name(f, source);
  write_reference(v, "motion", "", v->motion);
  write_reference(v, "limits", "limits/", v->limits);
  write_reference(v, "wrench", "wrench/", v->wrench);
  bool native = strcmp(source, "robot.json") == 0; /* then --floating is in the model already */
  fprintf(f, "\",\n\"floating\":%s,\"ignoreMimic\":%s,\"lenient\":%s,\"losses\":%s}</script>",
          v->model.floating && !native ? "true" : "false", v->model.ignore_mimic && !native ? "true" : "false",
          v->model.lenient ? "true" : "false", v->losses ? "true" : "false");
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

/* What the page holds: who passes it on passes on these files. */
static void tell_content(const view_arg *v) {
  int meshes = mesh_list_count(&v->meshes, MESH_FOUND);
  bool has_motion = v->motion && strncmp(v->motion, "builtin:", 8) != 0;
  say(stdout, "Written: %s (open it in a browser)\n", v->out);
  if (v->files == 0) return;

  char *count = meshes ? format_text(" and %d mesh%s", meshes, meshes == 1 ? "" : "es") : copy_text("", 0);
  say(stdout, "It contains %s%s%s%s: %.3g MB\n", v->source, has_motion ? ", " : "",
      has_motion ? last_part(v->motion) : "", count, (double)v->bytes / 1e6);
  free(count);
}

/* An old file is replaced only if it is a page by its name: anything else was likely not meant. */
static int check_out(const char *out) {
  if (strcmp(out, "-") == 0 || ends_with(out, ".html") || ends_with(out, ".htm")) return OPTION_GO_ON;
  FILE *old = fopen(out, "rb");
  if (!old) return OPTION_GO_ON;
  fclose(old);
  return usage_error("view", "--out %s: this file exists, and its name does not end in .html; give another name", out);
}

static int view(view_arg *v) {
  int status = check_out(v->out);
  if (status == OPTION_GO_ON) status = model_arg_load(&v->model);
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
  mesh_list_tell(&v->meshes);
  if (strcmp(v->out, "-") != 0) tell_content(v);
  return EXIT_FINE;
}

static const option view_options[] = {
    TEXT_OPTION(view_arg, out, "out", "FILE", "the page to write; default jounce.html; -: standard output",
                .is_output = true),
    TEXT_OPTION(
        view_arg, page, "page", "FILE",
        "the empty page to start from; default: JOUNCE_PAGE of the environment, or the one installed with the command"),
    TEXTS_OPTION(view_arg, folders, "meshes", "FOLDER",
                 "also read meshes in this folder, wherever the robot's file is; may be given several times"),
    TEXT_OPTION(view_arg, limits, "limits", "FILE", "limits that the page compares with: " LIMITS_FILE_HELP),
    TEXT_OPTION(view_arg, wrench, "wrench", "FILE", "during TRAJECTORY, " WRENCH_HELP),
    FLAG_OPTION(view_arg, losses, "losses", "the torques of TRAJECTORY include damping and friction"),
    {0}};

static const option_group view_groups[] = {
    {.options = view_options},
    MODEL_GROUPS(view_arg, model),
};

const command_line view_line = {
    .name = "view",
    .brief = "write a web page that shows the robot and its motion",
    .arguments = "MODEL [TRAJECTORY]",
    .least = 1,
    .most = 2,
    .about =
        "Write a web page that shows the robot in three dimensions, moves it, checks it, simulates it, and "
        "plays TRAJECTORY with its torques against the limits. The page is one file that needs nothing else "
        "and no network: the robot's file, its meshes (STL, OBJ, DAE, of its folder or package) and the motion "
        "are inside.",
    .groups = view_groups,
    .group_count = COUNT_OF(view_groups),
};

int command_view(int argc, char **argv) {
  view_arg v = {.out = "jounce.html"};
  const char *arguments[2] = {NULL, NULL};
  model_arg_init(&v.model, "view");
  int status = option_parse(&view_line, &v, argc, argv, arguments);
  if (status == OPTION_GO_ON) {
    v.model.source = arguments[0];
    v.motion = arguments[1];
    status = view(&v);
  }
  mesh_list_free(&v.meshes);
  name_list_free(&v.folders);
  model_arg_free(&v.model);
  return status;
}
