/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce eval --stream: a state a line in, a result a line out, so that any language can keep one process running.
 * Every line of the input has exactly one line of the output, which leaves at once; a mistake in a line is told in its
 * place, and the stream goes on. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../command.h"
#include "../files/input.h"
#include "../text/json.h"
#include "../text/print.h"
#include "eval.h"

#ifdef _WIN32

int eval_stream(evaluation *e, const eval_stream_arg *arg) {
  (void)e, (void)arg;
  return usage_error("eval", "--stream is not available on this system");
}

#else

/* ---- Lines ---- */

typedef struct line {
  char *text;
  size_t length, room;
  bool too_long; /* its rest was skipped */
} line;

/* The next line without its end; false at the end of the input. What goes beyond the limit is read and dropped. */
static bool next_line(FILE *in, size_t limit, line *l) {
  int c = getc(in);
  l->length = 0;
  l->too_long = false;
  if (c == EOF) return false;
  for (; c != EOF && c != '\n'; c = getc(in)) {
    if (l->length == limit) l->too_long = true;
    if (l->too_long) continue;
    if (l->length + 1 >= l->room) {
      l->room = l->room ? 2 * l->room : 4096;
      l->text = reallocate(l->text, l->room);
    }
    l->text[l->length++] = (char)c;
  }
  if (!l->text) l->text = allocate(l->room = 1);
  return true;
}

/* ---- Text that is collected ---- */

typedef struct collector {
  FILE *stream;
  char *text;
  size_t length;
} collector;

static void collect(collector *c) {
  c->text = NULL;
  c->stream = open_memstream(&c->text, &c->length);
  if (!c->stream) {
    fputs("jounce: no memory\n", stderr);
    exit(EXIT_BAD);
  }
}

static void collected(collector *c) {
  if (fclose(c->stream) == 0) return;
  fputs("jounce: no memory\n", stderr);
  exit(EXIT_BAD);
}

/* What was said, line by line; in a result these are notes, not mistakes. */
static void write_notes(json_writer *j, const collector *messages) {
  fflush(messages->stream);
  if (messages->length == 0) return;
  emit_open_array(j, "notes");
  for (const char *p = messages->text, *end = p + messages->length; p < end;) {
    const char *stop = memchr(p, '\n', (size_t)(end - p));
    if (!stop) stop = end;
    char *note = copy_text(p, (size_t)(stop - p));
    emit_text(j, NULL, note);
    free(note);
    p = stop + 1;
  }
  emit_close_array(j);
}

/* Lines become one, for an error. */
static char *join_lines(const char *text) {
  size_t length = strlen(text), used = 0;
  char *joined = allocate(2 * length + 1);
  while (length > 0 && text[length - 1] == '\n') length--;
  for (size_t i = 0; i < length; i++) {
    joined[used++] = text[i] == '\n' ? ';' : text[i];
    if (text[i] == '\n') joined[used++] = ' ';
  }
  joined[used] = 0;
  return joined;
}

/* ---- States ---- */

/* The result as a line on out; false after mistakes were told on e->messages. */
static bool answer(evaluation *e, const eval_stream_arg *arg, const line *l, const collector *messages, FILE *out) {
  eval_states list = {0};
  bool fine = false;
  if (l->too_long) {
    say(e->messages, "the line is longer than the limit of %zu bytes; --max-bytes raises it\n", arg->limit);
  } else if (eval_read_line(e->model, arg->need, l->text, l->length, arg->limit, e->messages, &list) &&
             eval_close_states(e, &list, arg->assemble, arg->closed) == OPTION_GO_ON) {
    json_writer j;
    emit_init(&j, out);
    emit_open_line(&j, NULL);
    e->state = &list.states[0];
    fine = eval_write_state(e, &j, arg->list, 0) == EXIT_FINE;
    if (fine) write_notes(&j, messages);
    emit_close_object(&j);
  }
  e->state = NULL; /* it was one of the list's */
  eval_states_free(&list);
  return fine;
}

static void write_error(const char *text, int number) {
  json_writer j;
  emit_init(&j, stdout);
  emit_open_line(&j, NULL);
  emit_text(&j, "error", text);
  emit_integer(&j, "line", number);
  emit_close_object(&j);
}

/* One line in, one line out. */
static bool serve(evaluation *e, const eval_stream_arg *arg, const line *l, int number) {
  collector messages, out;
  collect(&messages);
  collect(&out);
  e->messages = messages.stream;
  bool fine = answer(e, arg, l, &messages, out.stream);
  e->messages = stderr;
  collected(&messages);
  collected(&out);
  if (fine) {
    fwrite(out.text, 1, out.length, stdout);
  } else {
    char *error = join_lines(messages.text);
    write_error(error, number);
    free(error);
  }
  fflush(stdout);
  free(messages.text);
  free(out.text);
  return fine;
}

int eval_stream(evaluation *e, const eval_stream_arg *arg) {
  bool standard = !arg->input || strcmp(arg->input, "-") == 0;
  FILE *in = standard ? stdin : fopen(arg->input, "rb");
  line l = {0};
  int number = 0, errors = 0;
  if (!in) {
    say(stderr, "jounce: %s: cannot be opened: %s\n", arg->input, strerror(errno));
    return EXIT_BAD;
  }
  while (!ferror(stdout) && next_line(in, arg->limit, &l)) errors += !serve(e, arg, &l, ++number);
  bool failed = ferror(in) != 0;
  if (failed) say(stderr, "jounce: %s: cannot be read: %s\n", standard ? STANDARD_INPUT : arg->input, strerror(errno));
  if (errors > 0) say(stderr, "jounce: %d of %d lines had a mistake\n", errors, number);
  if (!standard) fclose(in);
  free(l.text);
  return errors > 0 || failed ? EXIT_BAD : EXIT_FINE;
}

#endif
