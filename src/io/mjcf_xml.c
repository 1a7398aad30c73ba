/* SPDX-License-Identifier: BSD-2-Clause */
/* The XML side of MJCF: walks the text and the files it includes with expat and keeps the elements that matter, in
 * document order. What has nothing to do with dynamics is skipped with its content. */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "limit.h"
#include "mjcf.h"
#include "xml.h"

enum { MAX_DEPTH = 1000, MAX_ATTRIBUTES = 256, MAX_MESSAGES = 100, MAX_INCLUDES = 16, MAX_FILES = 1000 };
enum { BLOCK = 1 << 16 };

typedef struct walk {
  jn_mjcf *m;
  struct walk *outer; /* of the file that includes this one, or NULL */
  XML_Parser parser;
  int file;
  int includes; /* how many files are around this one */
  int base;     /* the node around the content of this file, -1 for the model's own file */
  int around;   /* open elements of the files around this one */
  int depth;    /* open elements of this file */
  int skipped;  /* those of them that are skipped */
  int node;     /* the element that is open */
} walk;

/* ---- Messages ---- */

static void note_message(jn_mjcf *m, jn_severity severity, jn_status status, const char *rule, jn_place place,
                         const char *subject, const char *remedy, const char *text) {
  jn_log *log = &m->builder->log;
  /* The first error is always told, whatever came before. */
  if (m->message_count >= MAX_MESSAGES && (severity != JN_ERROR || log->first.status != JN_OK)) {
    if (m->message_count++ == MAX_MESSAGES)
      jn__log(log, JN_NOTE, JN_OK, "mjcf-many", place, NULL, NULL, "further messages on this file are left out");
    return;
  }
  m->message_count++;
  jn__log(log, severity, status, rule, place, subject, remedy, "%s", text);
}

static jn_place place_of(const jn_mjcf *m, int node) {
  if (node < 0) return (jn_place){m->builder->file, 0, 0};
  const jn_mjcf_node *n = &m->nodes[node];
  return (jn_place){m->files[n->file], n->line, n->column};
}

static const char *subject_of(const jn_mjcf *m, int node, char out[128]) {
  if (node < 0) return NULL;
  const char *name = jn__mjcf_own(m, node, "name"), *element = m->nodes[node].name;
  if (name)
    snprintf(out, 128, "<%.20s> '%.*s'", element, JN_CLIP(name));
  else
    snprintf(out, 128, "element <%.*s>", JN_CLIP(element));
  return out;
}

void jn__mjcf_log(jn_mjcf *m, jn_severity severity, jn_status status, const char *rule, int node, const char *remedy,
                  const char *format, ...) {
  char text[512], subject[128];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  note_message(m, severity, status, rule, place_of(m, node), subject_of(m, node, subject), remedy, text);
}

void jn__mjcf_refuse(jn_mjcf *m, int node, const char *remedy, const char *format, ...) {
  char text[512], subject[128], longer[256];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  int lenient = m->builder->options.lenient;
  size_t used = strlen(text);
  if (lenient) snprintf(text + used, sizeof text - used, "; it is left out");
  snprintf(longer, sizeof longer, "%s%s", remedy ? remedy : "remove it",
           lenient ? "" : "; or leave it out: option lenient, --lenient of the command");
  note_message(m, lenient ? JN_WARNING : JN_ERROR, JN_ERR_UNSUPPORTED, lenient ? "mjcf-left-out" : "mjcf-refused",
               place_of(m, node), subject_of(m, node, subject), longer, text);
}

/* A message at the element that the parser is at. */
static void say_here(walk *w, jn_severity severity, jn_status status, const char *rule, const char *subject,
                     const char *remedy, const char *format, ...) {
  char text[512];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  jn_place place = {w->m->files[w->file], (int)XML_GetCurrentLineNumber(w->parser),
                    (int)XML_GetCurrentColumnNumber(w->parser) + 1};
  note_message(w->m, severity, status, rule, place, subject, remedy, text);
}

static void stop(walk *w, jn_status status) {
  if (w->m->stopped == JN_OK) w->m->stopped = status;
  XML_StopParser(w->parser, XML_FALSE);
}

static void wrong(walk *w, const char *rule, const char *subject, const char *remedy, const char *text) {
  say_here(w, JN_ERROR, JN_ERR_SYNTAX, rule, subject, remedy, "%s", text);
  stop(w, JN_ERR_SYNTAX);
}

/* ---- Memory ---- */

void jn__mjcf_no_memory(jn_mjcf *m) {
  if (m->stopped != JN_OK) return;
  m->stopped = JN_ERR_MEMORY;
  jn__log(&m->builder->log, JN_ERROR, JN_ERR_MEMORY, "memory", place_of(m, -1), NULL, NULL,
          "no memory left while reading");
}

int jn__mjcf_take_bytes(jn_mjcf *m, size_t bytes) {
  size_t limit = jn__limit(m->builder->options.max_bytes);
  if (m->stopped != JN_OK) return 0;
  if (bytes <= limit && m->used <= limit - bytes) {
    m->used += bytes;
    return 1;
  }
  m->stopped =
      jn__over_limit(&m->builder->log, m->builder->file, NULL, "takes, with what it includes, more memory than", limit);
  return 0;
}

void *jn__mjcf_allocate(jn_mjcf *m, size_t bytes) {
  bytes = (bytes + 15) & ~(size_t)15;
  if (!jn__mjcf_take_bytes(m, bytes)) return NULL;
  if (bytes > m->rest) {
    size_t header = 16, size = (bytes > BLOCK / 4 ? bytes : BLOCK) + header;
    char *block = jn__allocate(&m->builder->allocator, size);
    if (!block) {
      jn__mjcf_no_memory(m);
      return NULL;
    }
    memcpy(block, &m->blocks, sizeof m->blocks);
    m->blocks = block;
    if (bytes > BLOCK / 4) return block + header; /* the rest of the block before stays in use */
    m->room = block + header;
    m->rest = BLOCK;
  }
  void *given = m->room;
  m->room += bytes;
  m->rest -= bytes;
  return given;
}

char *jn__mjcf_copy(jn_mjcf *m, const char *text) {
  size_t n = strlen(text) + 1;
  char *copy = jn__mjcf_allocate(m, n);
  if (copy) memcpy(copy, text, n);
  return copy;
}

void *jn__mjcf_grow(jn_mjcf *m, void *block, int count, int *capacity, size_t bytes) {
  if (m->stopped != JN_OK || !jn__mjcf_take_bytes(m, bytes)) return NULL;
  void *grown = jn__grow(&m->builder->allocator, block, count, capacity, bytes);
  if (!grown) jn__mjcf_no_memory(m);
  return grown;
}

/* ---- Paths ---- */

static int is_absolute(const char *path) {
  int drive = ((path[0] >= 'a' && path[0] <= 'z') || (path[0] >= 'A' && path[0] <= 'Z')) && path[1] == ':';
  return path[0] == '/' || path[0] == '\\' || drive;
}

/* Length of the folder of a path with its slash. */
static size_t folder_length(const char *path) {
  size_t n = strlen(path);
  while (n > 0 && path[n - 1] != '/' && path[n - 1] != '\\') n--;
  return n;
}

char *jn__mjcf_path(jn_mjcf *m, const char *folder, const char *file) {
  const char *model = m->builder->file ? m->builder->file : "";
  if (is_absolute(file)) return jn__mjcf_copy(m, file);
  int before = folder && is_absolute(folder) ? 0 : (int)folder_length(model);
  size_t n = folder ? strlen(folder) : 0, room = (size_t)before + n + strlen(file) + 2;
  char *path = jn__mjcf_allocate(m, room);
  int slash = n > 0 && folder[n - 1] != '/' && folder[n - 1] != '\\';
  if (path) snprintf(path, room, "%.*s%s%s%s", before, model, n ? folder : "", slash ? "/" : "", file);
  return path;
}

char *jn__mjcf_beside(jn_mjcf *m, const char *other, const char *file) {
  if (is_absolute(file)) return jn__mjcf_copy(m, file);
  size_t before = folder_length(other), room = before + strlen(file) + 1;
  char *path = jn__mjcf_allocate(m, room);
  if (path) snprintf(path, room, "%.*s%s", (int)before, other, file);
  return path;
}

char *jn__mjcf_read_file(jn_mjcf *m, jn_log *log, const char *path, size_t *length) {
  struct stat about;
  size_t limit = jn__limit(m->builder->options.max_bytes), rest = m->taken < limit ? limit - m->taken : 0;
  int known = stat(path, &about) == 0;
  if (known && !S_ISREG(about.st_mode)) {
    jn__log(log, JN_ERROR, JN_ERR_FILE, "file", (jn_place){path, 0, 0}, NULL, NULL,
            S_ISDIR(about.st_mode) ? "is a directory" : "is not a regular file");
    return NULL;
  }
  if (known && (uintmax_t)about.st_size > rest) {
    jn__over_limit(log, path, NULL, "makes all files of this model together larger than", limit);
    return NULL;
  }
  char *text = jn__read_file(&m->builder->allocator, log, path, rest, length);
  if (text) m->taken += *length;
  return text;
}

/* ---- Elements ---- */

static const char *value_of(const XML_Char **values, const char *name) {
  for (int i = 0; values[i]; i += 2)
    if (strcmp(values[i], name) == 0) return values[i + 1];
  return NULL;
}

static int parse_text(walk *w, const char *text, size_t length);

/* 1 when a file is being read already. */
static int is_open(const walk *w, const char *path) {
  for (; w; w = w->outer)
    if (strcmp(w->m->files[w->file], path) == 0) return 1;
  return 0;
}

static int add_file(jn_mjcf *m, const char *path) {
  void *grown = jn__mjcf_grow(m, m->files, m->file_count, &m->file_capacity, sizeof *m->files);
  if (!grown) return -1;
  m->files = grown;
  m->files[m->file_count] = path;
  return m->file_count++;
}

/* The path of an included file, as MuJoCo finds it: in the folder of the model's own file, else in that of the file
 * that includes it. NULL after telling that there is no memory. */
static char *find_included(walk *w, const char *file) {
  struct stat about;
  char *path = jn__mjcf_path(w->m, NULL, file);
  if (!path || stat(path, &about) == 0) return path;

  char *beside = jn__mjcf_beside(w->m, w->m->files[w->file], file);
  if (!beside) return NULL;
  return stat(beside, &about) == 0 ? beside : path;
}

static void include(walk *w, const XML_Char **values) {
  static const char subject[] = "element <include>";
  jn_mjcf *m = w->m;
  const char *file = value_of(values, "file");
  if (!file || !*file) {
    wrong(w, "mjcf-include", subject, "write <include file=\"...\"/>", "there is no attribute 'file'");
    return;
  }
  char *path = find_included(w, file);
  if (!path) {
    stop(w, m->stopped);
  } else if (is_open(w, path)) {
    wrong(w, "mjcf-include", subject, "remove it", "the file is included in itself");
  } else if (w->includes >= MAX_INCLUDES || m->file_count >= MAX_FILES) {
    say_here(w, JN_ERROR, JN_ERR_SYNTAX, "mjcf-include", subject, "put the content into fewer files",
             "files are included deeper than %d, or there are more than %d of them", (int)MAX_INCLUDES, (int)MAX_FILES);
    stop(w, JN_ERR_SYNTAX);
  } else {
    size_t length;
    const jn_allocator *a = &m->builder->allocator;
    jn_log *log = &m->builder->log;
    char *text = jn__mjcf_read_file(m, log, path, &length);
    walk inner = {.m = m, .outer = w, .includes = w->includes + 1, .base = w->node, .node = w->node};
    inner.around = w->around + w->depth;
    inner.file = text ? add_file(m, path) : -1;
    if (!text) {
      say_here(
          w, JN_ERROR, JN_ERR_FILE, "mjcf-include", subject,
          "included files are looked for in the folder of the model's own file, then in that of the file that includes "
          "them",
          "the file '%.*s' cannot be included", JN_CLIP(file));
      if (m->stopped == JN_OK) m->stopped = JN_ERR_FILE;
    }
    if (inner.file >= 0) parse_text(&inner, text, length);
    jn__release(a, text);
    if (m->stopped != JN_OK) stop(w, m->stopped);
  }
}

/* known NULL: only the name is kept, without a word on the others. */
static void add_attributes(walk *w, const XML_Char **values, const char *known) {
  jn_mjcf *m = w->m;
  for (int i = 0; values[i] && m->stopped == JN_OK; i += 2) {
    if (!jn__mjcf_is_listed(known ? known : "name", values[i])) {
      if (!known) continue;
      jn__mjcf_log(m, JN_WARNING, JN_ERR_SYNTAX, "mjcf-attribute", w->node, "see whether it is misspelt",
                   "attribute '%.*s' is not known and is ignored", JN_CLIP(values[i]));
      continue;
    }
    void *grown = jn__mjcf_grow(m, m->attributes, m->attribute_count, &m->attribute_capacity, sizeof *m->attributes);
    if (!grown) break;
    m->attributes = grown;
    char *name = jn__mjcf_copy(m, values[i]), *value = jn__mjcf_copy(m, values[i + 1]);
    if (!name || !value) break;
    m->attributes[m->attribute_count++] = (jn_mjcf_attribute){name, value};
    m->nodes[w->node].count++;
  }
  if (m->stopped != JN_OK) stop(w, m->stopped);
}

static void add_node(walk *w, jn_mjcf_kind kind, const char *name, const XML_Char **values, const char *known) {
  jn_mjcf *m = w->m;
  void *grown = jn__mjcf_grow(m, m->nodes, m->node_count, &m->node_capacity, sizeof *m->nodes);
  if (grown) m->nodes = grown;
  char *copy = grown ? jn__mjcf_copy(m, name) : NULL;
  if (!copy) {
    stop(w, m->stopped);
    return;
  }
  m->nodes[m->node_count] = (jn_mjcf_node){.kind = kind,
                                           .name = copy,
                                           .first = m->attribute_count,
                                           .parent = w->node,
                                           .end = m->node_count + 1,
                                           .file = w->file,
                                           .line = (int)XML_GetCurrentLineNumber(w->parser),
                                           .column = (int)XML_GetCurrentColumnNumber(w->parser) + 1};
  w->node = m->node_count++;
  add_attributes(w, values, known);
}

/* The first element of a file. */
static void start_file(walk *w, const char *name, const XML_Char **values) {
  static const char attributes[] = "model";
  int whole = strcmp(name, "mujoco") == 0;
  if (!whole && strcmp(name, "mujocoinclude") != 0) {
    char subject[96];
    snprintf(subject, sizeof subject, "element <%.*s>", JN_CLIP(name));
    wrong(w, "mjcf-root", subject, "MJCF files start with <mujoco>", "this is an XML file, but not an MJCF file");
  } else if (w->base < 0) {
    add_node(w, JN_MJCF_ROOT, name, values, attributes);
  }
}

static void start_element(walk *w, const char *name, const XML_Char **values) {
  jn_mjcf *m = w->m;
  const char *known = "";
  jn_mjcf_kind inside = m->nodes[w->node].kind, kind = jn__mjcf_kind_of(inside, name, &known);
  w->skipped = kind == JN_MJCF_SKIPPED || kind == JN_MJCF_REFUSED || kind == JN_MJCF_INCLUDE;
  if (kind == JN_MJCF_INCLUDE) {
    include(w, values);
  } else if (kind == JN_MJCF_REFUSED) {
    const char *why = jn__mjcf_refusal(inside, name);
    int around = w->node;
    if (why) {
      add_node(w, kind, name, values, NULL);
      const char *remedy = strchr(why, '|');
      int length = remedy ? (int)(remedy - why) : (int)strlen(why);
      if (m->stopped == JN_OK) jn__mjcf_refuse(m, w->node, remedy ? remedy + 1 : NULL, "%.*s", length, why);
    } else {
      char subject[96];
      snprintf(subject, sizeof subject, "element <%.*s>", JN_CLIP(name));
      say_here(w, JN_WARNING, JN_ERR_SYNTAX, "mjcf-element", subject, "see whether it is misspelt, or in a wrong place",
               "it is not known inside <%s> and is ignored with its content", m->nodes[around].name);
    }
    w->node = around;
  } else if (!w->skipped) {
    add_node(w, kind, name, values, known);
  }
}

/* ---- The walk ---- */

static void XMLCALL on_start(void *data, const XML_Char *name, const XML_Char **values) {
  walk *w = data;
  if (w->m->stopped != JN_OK) return; /* expat may still deliver what it has */
  w->depth++;
  if (w->m->left && w->node >= 0 && w->depth > 1)
    jn__mjcf_count(w->m, w->m->nodes[w->node].kind, w->skipped, name, values);
  if (XML_GetSpecifiedAttributeCount(w->parser) > 2 * MAX_ATTRIBUTES) {
    wrong(w, "mjcf-bounds", NULL, "MJCF needs far fewer: is the file damaged?",
          "an element has more than 256 attributes");
  } else if (w->around + w->depth > MAX_DEPTH) {
    wrong(w, "mjcf-bounds", NULL, "put the bodies less deep, or see whether the file is damaged",
          "elements are nested deeper than 1000");
  } else if (w->skipped) {
    w->skipped++;
  } else if (w->depth == 1) {
    start_file(w, name, values);
  } else {
    start_element(w, name, values);
  }
}

static void XMLCALL on_end(void *data, const XML_Char *name) {
  walk *w = data;
  (void)name;
  if (w->m->stopped != JN_OK) return;
  w->depth--;
  if (w->skipped) {
    w->skipped--;
  } else if (w->node != w->base) { /* the first element of an included file has no node */
    w->m->nodes[w->node].end = w->m->node_count;
    w->node = w->m->nodes[w->node].parent;
  }
}

static void XMLCALL on_comment(void *data, const XML_Char *text) {
  (void)text;
  ((walk *)data)->m->left->comments++;
}

/* Declarations inside the file could define entities that grow without bound, or attributes for every element. */
static void XMLCALL on_doctype(void *data, const XML_Char *name, const XML_Char *system, const XML_Char *public,
                               int has_internal_subset) {
  walk *w = data;
  (void)name;
  (void)public;
  if (w->m->stopped != JN_OK) return;
  if (has_internal_subset)
    wrong(w, "mjcf-doctype", NULL, "remove the declarations between [ and ] in <!DOCTYPE>",
          "entities and other document type declarations are refused");
  else if (system)
    say_here(w, JN_WARNING, JN_ERR_SYNTAX, "mjcf-doctype", NULL, "remove <!DOCTYPE>",
             "the external document type is not read");
}

static void report_xml_error(void *data, int empty) {
  walk *w = data;
  const char *remedy, *text = jn__xml_fault(w->parser, &remedy);
  if (w->m->stopped != JN_OK) return;
  if (XML_GetErrorCode(w->parser) == XML_ERROR_NO_MEMORY) {
    jn__mjcf_no_memory(w->m);
    return;
  }
  say_here(w, JN_ERROR, JN_ERR_SYNTAX, "mjcf-xml", NULL, remedy, "%s: %s",
           empty ? "the file is empty" : "not well-formed XML", text);
  w->m->stopped = JN_ERR_SYNTAX;
}

static int parse_text(walk *w, const char *text, size_t length) {
  w->parser = XML_ParserCreate(NULL);
  if (!w->parser) {
    jn__mjcf_no_memory(w->m);
    return 0;
  }
  XML_SetUserData(w->parser, w);
  XML_SetElementHandler(w->parser, on_start, on_end);
  XML_SetStartDoctypeDeclHandler(w->parser, on_doctype);
  if (w->m->left) XML_SetCommentHandler(w->parser, on_comment);
  jn__xml_parse(w->parser, text, length, report_xml_error, w);
  XML_ParserFree(w->parser);
  return w->m->stopped == JN_OK;
}

jn_status jn__mjcf_parse(jn_mjcf *m, const char *text, size_t length) {
  walk w = {.m = m, .base = -1, .node = -1};
  m->taken = length;
  w.file = add_file(m, m->builder->file ? m->builder->file : "");
  if (w.file < 0) return m->stopped;
  if (jn__xml_is_binary(text, length)) {
    jn__mjcf_log(m, JN_ERROR, JN_ERR_SYNTAX, "mjcf-binary", -1, "give an MJCF file, which is XML text",
                 "this is not a text file: it has zero bytes");
    return JN_ERR_SYNTAX;
  }
  parse_text(&w, text, length);
  return m->stopped;
}
