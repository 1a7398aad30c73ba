/* SPDX-License-Identifier: BSD-2-Clause */
/* What a URDF file has beside its model: how much of it, and the meshes it refers to. */
#ifndef _WIN32
#define _XOPEN_SOURCE 700 /* realpath */
#endif
#include "urdf_left.h"

#include <expat.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "left_list.h"
#include "whole_file.h"

typedef struct survey {
  XML_Parser parser;
  int depth;
  int inside; /* a link or joint is open */
  int other;  /* the root is not <robot> */
  jn_left_list left;
  jn_patch *patch; /* relative names of files get the prefix there; NULL: they are counted */
  const char *prefix;
  int meshes;
  char first[JN_CLIP_BYTES + 1]; /* of them */
} survey;

/* ---- Counting ---- */

static int is_relative(const char *name) {
  return *name && *name != '/' && *name != '\\' && !strchr(name, ':'); /* no scheme, no drive */
}

static void visit_file(survey *s, const char *name) {
  size_t start, end, tag = (size_t)XML_GetCurrentByteIndex(s->parser);
  if (!is_relative(name)) return;
  if (s->meshes++ == 0) snprintf(s->first, sizeof s->first, "%.*s", JN_CLIP(name));
  jn_urdf_range range = {tag, tag + (size_t)XML_GetCurrentByteCount(s->parser), tag + 1};
  if (s->patch && jn__patch_find(s->patch, &range, "filename", &start, &end))
    jn__patch_replace(s->patch, start, start, s->prefix);
}

static void XMLCALL on_start(void *data, const XML_Char *name, const XML_Char **values) {
  static const char parts[] = "inertial, origin, parent, child, axis, limit, dynamics, mimic";
  survey *s = data;
  int depth = ++s->depth;
  s->other |= depth == 1 && strcmp(name, "robot") != 0;
  int item = strcmp(name, "link") == 0 || strcmp(name, "joint") == 0;
  if (depth == 2) s->inside = item;
  if (depth == 2 && !item && strcmp(name, "constraint") != 0) jn__left_element(&s->left, name);
  if (depth == 3 && s->inside && !jn__is_listed(parts, name)) jn__left_element(&s->left, name);
  if (strcmp(name, "mesh") != 0 && strcmp(name, "texture") != 0) return;
  for (int i = 0; values[i]; i += 2)
    if (strcmp(values[i], "filename") == 0) visit_file(s, values[i + 1]);
}

static void XMLCALL on_end(void *data, const XML_Char *name) {
  (void)name;
  ((survey *)data)->depth--;
}

static void XMLCALL on_comment(void *data, const XML_Char *text) {
  (void)text;
  ((survey *)data)->left.comments++;
}

/* Entities could grow without bound; the reader of URDF refuses such files, too. */
static void XMLCALL on_doctype(void *data, const XML_Char *name, const XML_Char *system, const XML_Char *public,
                               int has_internal_subset) {
  survey *s = data;
  (void)name, (void)system, (void)public;
  if (!has_internal_subset) return;
  s->other = 1;
  XML_StopParser(s->parser, XML_FALSE);
}

static void look(survey *s, const char *text, size_t length) {
  s->parser = XML_ParserCreate(NULL);
  if (!s->parser) return;
  XML_SetUserData(s->parser, s);
  XML_SetElementHandler(s->parser, on_start, on_end);
  XML_SetCommentHandler(s->parser, on_comment);
  XML_SetStartDoctypeDeclHandler(s->parser, on_doctype);
  for (size_t done = 0, piece; done < length; done += piece) {
    piece = length - done < INT_MAX / 2 ? length - done : INT_MAX / 2;
    if (XML_Parse(s->parser, text + done, (int)piece, done + piece == length) != XML_STATUS_OK) break;
  }
  XML_ParserFree(s->parser);
}

void jn__urdf_left(const char *text, size_t length, char *list, size_t size) {
  survey s = {0};
  look(&s, text, length);
  list[0] = 0;
  if (!s.other) jn__left_print(&s.left, list, size);
}

/* ---- Meshes ---- */

#ifndef _WIN32
/* The folder of a file, which need not be there yet, without links and dots; 0 when it cannot be told. */
static int folder_of(const char *path, char out[JN_PATH]) {
  char copy[JN_PATH], *resolved;
  const char *slash = strrchr(path, '/');
  size_t n = slash ? (size_t)(slash - path) + 1 : 0;
  if (n + 2 >= sizeof copy) return 0;
  memcpy(copy, path, n);
  strcpy(copy + n, ".");
  resolved = realpath(copy, NULL);
  int fits = resolved && strlen(resolved) + 2 < JN_PATH;
  if (fits) snprintf(out, JN_PATH, "%s%s", resolved, strcmp(resolved, "/") == 0 ? "" : "/");
  free(resolved);
  return fits;
}

/* The way from folder `from` to folder `to`, as "../robot/"; 1, 0 when it is no plain text or too long. */
static int way(const char *from, const char *to, char *out, size_t size) {
  size_t same = 0, used = 0;
  for (size_t i = 0; from[i] && from[i] == to[i]; i++)
    if (from[i] == '/') same = i + 1;
  out[0] = 0;
  for (const char *p = from + same; *p; p++) {
    if (*p != '/') continue;
    if (used + 4 > size) return 0;
    strcpy(out + used, "../");
    used += 3;
  }
  to += same;
  for (const char *p = to; *p; p++)
    if ((unsigned char)*p < 0x20 || (unsigned char)*p >= 0x7F || strchr("&<>\"'", *p)) return 0;
  if (used + strlen(to) + 1 > size) return 0;
  strcpy(out + used, to);
  return 1;
}
#endif

/* 1: `prefix` leads from the folder of `out` to that of `original`, "" when they are one; 0: not known. */
static int prefix_of(const char *original, const char *out, char *prefix, size_t size) {
  prefix[0] = 0;
#ifndef _WIN32
  char from[JN_PATH], to[JN_PATH];
  return original && out && folder_of(out, from) && folder_of(original, to) && way(from, to, prefix, size);
#else
  (void)original;
  (void)out;
  (void)size;
  return 0;
#endif
}

void jn__urdf_meshes(jn_patch *p, const char *original, const char *out, jn_log *log) {
  char prefix[JN_PATH];
  int known = prefix_of(original, out, prefix, sizeof prefix);
  survey s = {.patch = known && *prefix ? p : NULL, .prefix = prefix};
  if (known && !*prefix) return;
  look(&s, p->text, p->length);
  if (s.meshes == 0) return;
  if (s.patch)
    jn__log(log, JN_NOTE, JN_OK, "urdf-meshes", (jn_place){0}, NULL, NULL,
            "the file is written to another folder: relative names of meshes (%d) now begin with %.*s", s.meshes,
            JN_CLIP(prefix));
  else
    jn__log(log, JN_NOTE, JN_OK, "urdf-meshes", (jn_place){0}, NULL, "write the file beside the original",
            "relative names of meshes (%d, such as '%s') are written as they are", s.meshes, s.first);
}
