/* SPDX-License-Identifier: BSD-2-Clause */
#define _XOPEN_SOURCE 700
#include "meshes.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#ifndef _WIN32
#include <fcntl.h>
#include <unistd.h>
#endif
#if JN_WITH_URDF
#include <expat.h>
#endif

#include "../files/installed.h"
#include "../text/print.h"

enum { PARENTS = 3, NAMES_TOLD = 10 };

/* ---- Names in the text ---- */

#if JN_WITH_URDF

/* Where a visual has its mesh. */
static const char *const way[] = {"robot", "link", "visual", "geometry", "mesh"};
enum { WAY = sizeof way / sizeof *way };

typedef struct scanner {
  XML_Parser parser;
  name_list *names;
  int room;
  int depth;   /* open elements */
  int matched; /* how many of them, from the first one on, are those of the way */
} scanner;

static void add_name(scanner *s, const char *name) {
  if (s->names->count == s->room) {
    s->room = s->room ? 2 * s->room : 16;
    s->names->names = reallocate(s->names->names, (size_t)s->room * sizeof *s->names->names);
  }
  s->names->names[s->names->count++] = copy_text(name, strlen(name));
}

static void begin_element(void *data, const XML_Char *name, const XML_Char **attributes) {
  scanner *s = data;
  bool on_the_way = s->matched == s->depth && s->matched < WAY && strcmp(name, way[s->matched]) == 0;
  s->depth++;
  if (!on_the_way) return;

  s->matched++;
  for (int i = 0; s->matched == WAY && attributes[i]; i += 2)
    if (strcmp(attributes[i], "filename") == 0) add_name(s, attributes[i + 1]);
}

static void end_element(void *data, const XML_Char *name) {
  scanner *s = data;
  (void)name;
  s->depth--;
  if (s->matched > s->depth) s->matched = s->depth;
}

/* Declarations could define entities, which the reader of models refuses too. */
static void refuse_document_type(void *data, const XML_Char *name, const XML_Char *system, const XML_Char *public_name,
                                 int has_subset) {
  scanner *s = data;
  (void)name, (void)system, (void)public_name;
  if (has_subset) XML_StopParser(s->parser, XML_FALSE);
}

static void scan(const char *text, size_t length, name_list *names) {
  scanner s = {.parser = XML_ParserCreate(NULL), .names = names};
  if (!s.parser) return;
  XML_SetUserData(s.parser, &s);
  XML_SetElementHandler(s.parser, begin_element, end_element);
  XML_SetStartDoctypeDeclHandler(s.parser, refuse_document_type);

  /* expat takes lengths as int */
  size_t done = 0;
  bool good = true;
  while (good && done < length) {
    size_t piece = length - done < INT_MAX / 2 ? length - done : INT_MAX / 2;
    good = XML_Parse(s.parser, text + done, (int)piece, done + piece == length) == XML_STATUS_OK;
    done += piece;
  }
  XML_ParserFree(s.parser);
}

#else

static void scan(const char *text, size_t length, name_list *names) { (void)text, (void)length, (void)names; }

#endif

static int compare_names(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

void mesh_names_read(const char *text, size_t length, name_list *names) {
  *names = (name_list){0};
  scan(text, length, names);

  /* each name once */
  int kept = 0;
  if (names->count > 1) qsort(names->names, (size_t)names->count, sizeof *names->names, compare_names);
  for (int i = 0; i < names->count; i++) {
    if (kept > 0 && strcmp(names->names[kept - 1], names->names[i]) == 0)
      free(names->names[i]);
    else
      names->names[kept++] = names->names[i];
  }
  names->count = kept;
}

/* ---- Folders that may be read ---- */

/* Places where a mesh may be, in the order in which they are looked at. */
typedef struct search {
  char *above[PARENTS + 1]; /* the folder of the robot's file and those above it, resolved; NULL: there is none */
  char **allowed;           /* folders that may be read for every name, resolved */
  int allowed_count;
} search;

static char *resolve(const char *path) {
#ifdef _WIN32
  return copy_text(path, strlen(path));
#else
  return realpath(path, NULL);
#endif
}

/* folder/name */
static char *join(const char *folder, const char *name) {
  size_t n = strlen(folder);
  return format_text("%s%s%s", folder, n > 0 && folder[n - 1] == '/' ? "" : "/", name);
}

static bool is_package(const char *folder) {
  struct stat about;
  char *path = join(folder, "package.xml");
  bool found = stat(path, &about) == 0 && S_ISREG(about.st_mode);
  free(path);
  return found;
}

static void allow(search *s, const char *folder) {
  char *resolved = resolve(folder);
  if (resolved) s->allowed[s->allowed_count++] = resolved;
}

/* The folder of a file, resolved, and those above it. */
static void list_folders(const char *file, char *above[PARENTS + 1]) {
  size_t length = (size_t)(last_part(file) - file);
  char *folder = length ? copy_text(file, length) : copy_text(".", 1);
  above[0] = resolve(folder);
  free(folder);
  for (int up = 0; up < PARENTS && above[up]; up++) {
    const char *slash = strrchr(above[up], '/');
    if (!slash || slash == above[up]) break;
    above[up + 1] = copy_text(above[up], (size_t)(slash - above[up]));
  }
}

/* Allows the folder of a robot's file, and the package that it is in. */
static void allow_around(search *s, char *const above[PARENTS + 1]) {
  if (above[0]) allow(s, above[0]);
  for (int up = 0; up <= PARENTS && above[up]; up++) {
    if (!is_package(above[up])) continue;
    allow(s, above[up]);
    return;
  }
}

static void search_init(search *s, const char *robot, const name_list *folders) {
  enum { AROUND = 4 }; /* a folder and a package, twice */
  *s = (search){.allowed = allocate(((size_t)folders->count + AROUND) * sizeof(char *))};
  list_folders(robot, s->above);
  allow_around(s, s->above);

  /* a link to the robot's file, as of an installed package: also where it leads */
  char *real = resolve(robot), *real_above[PARENTS + 1] = {NULL};
  if (real) list_folders(real, real_above);
  if (real_above[0] && s->above[0] && strcmp(real_above[0], s->above[0]) != 0) allow_around(s, real_above);
  for (int up = 0; up <= PARENTS; up++) free(real_above[up]);
  free(real);

  for (int i = 0; i < folders->count; i++) allow(s, folders->names[i]);
}

static void search_free(search *s) {
  for (int i = 0; i <= PARENTS; i++) free(s->above[i]);
  for (int i = 0; i < s->allowed_count; i++) free(s->allowed[i]);
  free(s->allowed);
}

/* Is a resolved path below a resolved folder? */
static bool is_inside(const char *path, const char *folder) {
  size_t n = strlen(folder);
  if (n > 0 && folder[n - 1] == '/') n--; /* the root */
  return strncmp(path, folder, n) == 0 && path[n] == '/';
}

static bool is_allowed(const search *s, const char *path) {
  for (int i = 0; i < s->allowed_count; i++)
    if (is_inside(path, s->allowed[i])) return true;
  return false;
}

/* ---- One mesh ---- */

static bool is_shown(const char *name) {
  return ends_with(name, ".stl") || ends_with(name, ".obj") || ends_with(name, ".dae");
}

/* Looks at folder/name. `package`: a folder whose files may be read if it is a package; NULL: none. True when the
 * search is over; `outside` gets the folder of the first file that exists but may not be read. */
static bool try_place(const search *s, const char *folder, const char *name, const char *package, mesh *m,
                      char **outside) {
  struct stat about;
  char *path = join(folder, name), *resolved = resolve(path);
  free(path);
  if (!resolved) return false;

  char *real_package = package ? resolve(package) : NULL;
  bool in_package = real_package && is_inside(resolved, real_package) && is_package(real_package);
  free(real_package);
  if (stat(resolved, &about) != 0) {
    free(resolved);
    return false;
  }
  if (!in_package && !is_allowed(s, resolved)) {
    if (m->state == MESH_MISSING) m->state = MESH_OUTSIDE;
    if (!*outside) *outside = copy_text(resolved, (size_t)(last_part(resolved) - resolved));
    free(resolved);
    return false;
  }
  m->state = S_ISREG(about.st_mode) ? MESH_FOUND : MESH_SPECIAL;
  m->path = resolved;
  return true;
}

/* package://NAME/INNER: in a folder above the robot's file as INNER or NAME/INNER, or in one of --meshes. */
static void find_in_package(const search *s, const char *rest, mesh *m, char **outside) {
  const char *slash = strchr(rest, '/'), *inner = slash ? slash + 1 : rest;
  char *package = copy_text(rest, slash ? (size_t)(slash - rest) : 0);
  bool done = false;

  for (int up = 0; up <= PARENTS && s->above[up] && !done; up++) {
    char *named = *package ? join(s->above[up], package) : NULL;
    done = try_place(s, s->above[up], inner, s->above[up], m, outside) ||
           (named && try_place(s, named, inner, named, m, outside));
    free(named);
  }
  for (int i = 0; i < s->allowed_count && !done; i++)
    done = try_place(s, s->allowed[i], inner, NULL, m, outside) || try_place(s, s->allowed[i], rest, NULL, m, outside);
  free(package);
}

static void find_mesh(const search *s, mesh *m, char **outside) {
  const char *scheme = strstr(m->name, "://"), *rest = scheme ? scheme + 3 : m->name;
  m->state = is_shown(m->name) ? MESH_MISSING : MESH_FORMAT;
  if (m->state == MESH_FORMAT || !s->above[0]) return;

  bool is_file = !scheme || strncmp(m->name, "file://", 7) == 0;
  if (is_file && rest[0] == '/') {
    try_place(s, "/", rest + strspn(rest, "/"), NULL, m, outside);
  } else if (is_file) {
    bool done = try_place(s, s->above[0], rest, NULL, m, outside);
    for (int i = 0; i < s->allowed_count && !done; i++) done = try_place(s, s->allowed[i], rest, NULL, m, outside);
  } else {
    find_in_package(s, rest + strspn(rest, "/"), m, outside);
  }
}

/* ---- All of them ---- */

static int compare_paths(const void *a, const void *b) {
  const mesh *x = *(mesh *const *)a, *y = *(mesh *const *)b;
  int order = strcmp(x->path, y->path);
  return order ? order : (x > y) - (x < y);
}

/* Several names of one file: the page needs it once. */
static void mark_repeated(mesh_list *list) {
  mesh **found = allocate((size_t)list->count * sizeof *found);
  size_t count = 0;
  for (int i = 0; i < list->count; i++)
    if (list->meshes[i].state == MESH_FOUND) found[count++] = &list->meshes[i];
  if (count > 1) qsort(found, count, sizeof *found, compare_paths);
  for (size_t i = 0, first = 0; i < count; i++) {
    if (strcmp(found[i]->path, found[first]->path) != 0) first = i;
    if (i == first) continue;
    found[i]->state = MESH_AGAIN;
    found[i]->same_as = found[first]->name;
  }
  free(found);
}

void mesh_list_find(mesh_list *list, const char *text, size_t length, const char *robot, const name_list *folders) {
  search s;
  *list = (mesh_list){0};
  mesh_names_read(text, length, &list->names);
  list->meshes = allocate((size_t)list->names.count * sizeof *list->meshes);
  list->count = list->names.count;

  search_init(&s, robot, folders);
  for (int i = 0; i < list->count; i++) {
    list->meshes[i] = (mesh){.name = list->names.names[i]};
    char *outside = NULL;
    find_mesh(&s, &list->meshes[i], &outside);
    if (list->meshes[i].state == MESH_OUTSIDE && !list->folder)
      list->folder = outside;
    else
      free(outside);
  }
  search_free(&s);
  mark_repeated(list);
}

void mesh_list_free(mesh_list *list) {
  for (int i = 0; i < list->count; i++) free(list->meshes[i].path);
  free(list->meshes);
  free(list->folder);
  name_list_free(&list->names);
  *list = (mesh_list){0};
}

FILE *mesh_open(const mesh *m) {
#ifdef _WIN32
  return fopen(m->path, "rb");
#else
  /* without waiting for the writer of a pipe that has taken the place of the file; and no link has */
  struct stat about;
  int file = open(m->path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY);
  if (file < 0) return NULL;
  FILE *stream = fstat(file, &about) == 0 && S_ISREG(about.st_mode) ? fdopen(file, "rb") : NULL;
  if (!stream) close(file);
  return stream;
#endif
}

/* ---- What is said about them ---- */

int mesh_list_count(const mesh_list *list, mesh_state state) {
  int count = 0;
  for (int i = 0; i < list->count; i++) count += list->meshes[i].state == state;
  return count;
}

static void tell_names(const mesh_list *list, mesh_state state, const char *one, const char *many) {
  int count = mesh_list_count(list, state), told = 0;
  if (count == 0) return;
  say(stderr, "jounce: note: %d mesh%s %s, and boxes are shown instead: ", count, count == 1 ? "" : "es",
      count == 1 ? one : many);
  for (int i = 0; i < list->count && told < NAMES_TOLD; i++)
    if (list->meshes[i].state == state) say(stderr, "%s%s", told++ ? ", " : "", list->meshes[i].name);
  if (count > told) say(stderr, " and %d more", count - told);
  say(stderr, "\n");
}

void mesh_list_tell(const mesh_list *list) {
  tell_names(list, MESH_MISSING, "was not found", "were not found");
  tell_names(list, MESH_FORMAT, "is not STL, OBJ or DAE", "are not STL, OBJ or DAE");
  tell_names(list, MESH_SPECIAL, "is no regular file", "are no regular files");
  tell_names(list, MESH_OUTSIDE, "outside the robot's folder and package was not read",
             "outside the robot's folder and package were not read");
  if (list->folder) say(stderr, "    if you trust the robot's file, allow their folder: --meshes %s\n", list->folder);
}
