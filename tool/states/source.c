/* SPDX-License-Identifier: BSD-2-Clause */
/* States one at a time. In a JSON text, a scanner finds where each state of the outer array begins and ends by brackets
 * and strings only; jansson parses those that are asked for. */
typedef int eval_source_is_not_empty; /* in builds without jansson */

#if JN_WITH_JSON

#include "source.h"

#include <stdio.h>
#include <string.h>

#include "../../src/text/json_values.h"
#include "../files/input.h"
#include "../text/print.h"

/* ---- Scanning ---- */

static const char *skip_blanks(const char *p, const char *end) {
  while (p < end && memchr(" \t\r\n", *p, 4)) p++;
  return p;
}

/* Behind the string that begins at p, or `end` when it is not closed. */
static const char *skip_string(const char *p, const char *end) {
  for (p++; p < end && *p != '"'; p++) {
    if (*p == '\\') p++;
  }
  return p < end ? p + 1 : end;
}

/* Where the element of the outer array that begins at p ends: at a comma, at the closing bracket, or at `end`. */
static const char *find_element_end(const char *p, const char *end) {
  int depth = 0;
  while (p < end) {
    if (*p == '"') {
      p = skip_string(p, end);
      continue;
    }

    if (depth == 0 && (*p == ',' || *p == ']')) return p;
    if (*p == '[' || *p == '{') depth++;
    if (depth > 0 && (*p == ']' || *p == '}')) depth--;
    p++;
  }
  return end;
}

/* ---- Messages ---- */

/* "jounce: FILE:LINE:COLUMN: not JSON: " for a place `line`, `column` (as jansson counts) of a text that begins at
 * `start`. */
static void begin_syntax_message(const eval_source *s, const char *start, int line, int column) {
  /* Lines and characters (bytes that do not continue a character) before the start */
  int lines_before = 0, characters_before = 0;
  for (const char *p = s->text; p < start; p++) {
    characters_before += ((unsigned char)*p & 0xC0) != 0x80;
    if (*p != '\n') continue;
    lines_before++;
    characters_before = 0;
  }

  fputs("jounce: ", stderr);
  print_text(stderr, s->file);
  fprintf(stderr, ":%d:%d: not JSON: ", lines_before + line, column + (line == 1 ? characters_before : 0));
}

static bool report_syntax(const eval_source *s, const char *at, const char *what) {
  begin_syntax_message(s, at, 1, 0);
  fputs(what, stderr);
  fputc('\n', stderr);
  return false;
}

/* One state, or NULL after reporting. */
static json_t *parse_element(const eval_source *s, const char *start, const char *end) {
  size_t length = (size_t)(end - start), flags = JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL;

  /* Memory of the parsed text */
  const char *what = s->is_list ? "values in one state" : "values";
  if (!input_fits(s->file, jn__json_value_count(start, length), JN_JSON_VALUE, what, s->limit)) return NULL;

  /* In a list, what is no object is refused by the reader, which names the state */
  json_error_t error;
  if (s->is_list) flags |= JSON_DECODE_ANY;
  json_t *state = json_loadb(start, length, flags, &error);
  if (state) return state;

  begin_syntax_message(s, start, error.line > 0 ? error.line : 1, error.column);
  print_text(stderr, error.text);
  fputc('\n', stderr);
  return NULL;
}

/* ---- Opening ---- */

/* Counts the states of an outer array whose first element begins at s->at, and checks how it ends. */
static bool count_elements(eval_source *s) {
  const char *end = s->text + s->length, *element = skip_blanks(s->at, end);

  /* An empty list */
  if (element < end && *element == ']') {
    s->at = end;
    const char *rest = skip_blanks(element + 1, end);
    return rest == end || report_syntax(s, rest, "there is text behind the array of states");
  }

  for (;;) {
    const char *stop = find_element_end(element, end);
    s->count++;

    /* Not closed: the reason is in the last element, or it is the bracket itself */
    if (stop == end) {
      json_t *last = parse_element(s, element, end);
      if (last) report_syntax(s, end, "the array of states is not closed: ']' is missing, or the text is cut off");
      json_decref(last);
      return false;
    }

    if (skip_blanks(element, stop) == stop) return report_syntax(s, stop, "a state is missing next to a comma");
    if (*stop == ']') {
      const char *rest = skip_blanks(stop + 1, end);
      return rest == end || report_syntax(s, rest, "there is text behind the array of states");
    }
    element = stop + 1;
  }
}

bool eval_source_open(eval_source *s, const jn_model *model, const char *file, const char *text, size_t length,
                      size_t limit) {
  *s = (eval_source){.file = file, .text = text, .length = length, .limit = limit, .at = text};

  if (eval_arrays_are_in(text, length)) {
    s->arrays = eval_arrays_open(model, file, text, length, limit, &s->count);
    return s->arrays != NULL;
  }

  const char *first = skip_blanks(text, text + length);
  s->is_list = first < text + length && *first == '[';
  if (s->is_list) {
    s->at = first + 1;
    return count_elements(s);
  }
  s->count = 1;
  return true;
}

void eval_source_close(eval_source *s) { eval_arrays_close(s->arrays); }

/* ---- Reading ---- */

void eval_source_skip(eval_source *s, size_t count) {
  s->index += count;
  for (size_t i = 0; i < count && s->is_list; i++) s->at = find_element_end(s->at, s->text + s->length) + 1;
}

json_t *eval_source_next(eval_source *s) {
  const char *end = s->text + s->length;
  if (s->arrays) return eval_arrays_state(s->arrays, s->index++);
  if (!s->is_list) return parse_element(s, s->text, end);

  const char *start = s->at, *stop = find_element_end(start, end);
  s->at = stop + 1;
  s->index++;
  return parse_element(s, start, stop);
}

#endif
