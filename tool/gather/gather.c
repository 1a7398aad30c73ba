/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce gather: the parts that --shard made become the result that one process would have written. */
#include <inttypes.h>
#include <jounce/table.h>
#include <stdlib.h>
#include <string.h>

#include "../command.h"
#include "../files/input.h"
#include "../files/output.h"
#include "../files/shard.h"
#include "../options/options.h"
#include "../text/print.h"

enum { MOST_PARTS = 100000, HEAD_BYTES = 256, TAIL_BYTES = 64 };

/* A part as its first line says. */
typedef struct part {
  const char *path;
  shard s;
} part;

/* The first line; false after reporting. */
static bool read_head(part *p) {
  char line[HEAD_BYTES] = "";
  int end = 0;
  FILE *f = fopen(p->path, "rb");
  if (!f) {
    say(stderr, "jounce: %s: cannot be opened\n", p->path);
    return false;
  }
  if (!fgets(line, sizeof line, f)) line[0] = 0;
  fclose(f);
  shard *s = &p->s;
  if (sscanf(line, "jounce-shard 1 %d %d %ld %ld %ld %16" SCNx64 "%n", &s->index, &s->count, &s->first, &s->last,
             &s->total, &s->fingerprint, &end) != 6 ||
      line[end] != '\n' || s->count < 1 || s->index < 1 || s->index > s->count || s->first < 0 || s->last < s->first ||
      s->total < s->last) {
    say(stderr, "jounce: %s: this is not a part that --shard wrote\n", p->path);
    return false;
  }
  return true;
}

static int by_index(const void *a, const void *b) {
  const part *x = a, *y = b;
  return (x->s.index > y->s.index) - (x->s.index < y->s.index);
}

/* Are all there, once, and of one run? */
static bool fit_together(const part *parts, int count) {
  const shard *first = &parts[0].s;
  for (int i = 0; i < count; i++) {
    const shard *s = &parts[i].s;
    if (s->count != first->count || s->total != first->total || s->fingerprint != first->fingerprint) {
      say(stderr,
          "jounce: %s and %s are parts of different results: model, states, options or the number of parts differ\n",
          parts[0].path, parts[i].path);
      return false;
    }
    if (i > 0 && s->index == parts[i - 1].s.index) {
      say(stderr, "jounce: %s and %s are both part %d of %d\n", parts[i - 1].path, parts[i].path, s->index, s->count);
      return false;
    }
  }
  for (int i = 0; i < first->count; i++)
    if (i >= count || parts[i].s.index != i + 1) {
      say(stderr, "jounce: part %d of %d is missing: run the same command with --shard %d/%d\n", i + 1, first->count,
          i + 1, first->count);
      return false;
    }
  for (int i = 0; i < count; i++)
    if (parts[i].s.first != (i ? parts[i - 1].s.last : 0) || (i == count - 1 && parts[i].s.last != parts[i].s.total)) {
      say(stderr, "jounce: %s: its rows do not follow those of the part before it\n", parts[i].path);
      return false;
    }
  return true;
}

/* The bytes between the first line and the end, which must be there whole. */
static bool copy_part(const part *p, size_t limit, FILE *out) {
  size_t length;
  char *text = read_input(p->path, p->path, limit, &length), line[TAIL_BYTES];
  if (!text) return false;
  char *body = strchr(text, '\n');
  size_t before = body ? (size_t)(body + 1 - text) : length;
  bool good = false;
  for (size_t tail = 0; body && tail < TAIL_BYTES && before + tail <= length && !good; tail++) {
    size_t bytes = length - before - tail;
    uint64_t sum = fingerprint_begin();
    if (text[length - tail] != '\n' && tail > 0) continue;
    fingerprint_add(&sum, body + 1, bytes);
    int n = snprintf(line, sizeof line, "\njounce-shard-end %zu %016" PRIx64 "\n", bytes, sum);
    good = (size_t)n == tail && memcmp(text + length - tail, line, tail) == 0;
    if (good) fwrite(body + 1, 1, bytes, out);
  }
  if (!good) say(stderr, "jounce: %s: this part is not complete, or was changed: compute it again\n", p->path);
  free(text);
  return good;
}

static int gather(const char *const *paths, int count, size_t limit) {
  part *parts = allocate((size_t)count * sizeof *parts);
  bool good = true;
  for (int i = 0; i < count && good; i++) {
    parts[i] = (part){.path = paths[i + 1]};
    good = read_head(&parts[i]);
  }
  if (good) qsort(parts, (size_t)count, sizeof *parts, by_index);
  good = good && fit_together(parts, count);
  if (good) {
    output o;
    FILE *f = output_open(&o, paths[0]);
    good = f != NULL;
    for (int i = 0; i < count && good; i++) good = copy_part(&parts[i], limit, f);
    if (f) good = output_close(&o, good) && good;
  }
  free(parts);
  return good ? EXIT_FINE : EXIT_BAD;
}

typedef struct gather_arg {
  const char *max_bytes;
} gather_arg;

static const option gather_options[] = {MAX_BYTES_OPTION(gather_arg, max_bytes), {0}};

static const option_group gather_groups[] = {
    {.options = gather_options},
};

const command_line gather_line = {
    .name = "gather",
    .brief = "put the parts of a result together that --shard made",
    .arguments = "OUT PART...",
    .least = 2,
    .most = MOST_PARTS + 1,
    .about =
        "Put the parts of a result together, which `jounce eval --shard I/N` or `jounce torque --shard I/N` "
        "wrote, perhaps on several machines. OUT is, to the last byte, what one process would have written; - "
        "is standard output. Nothing is written unless all parts are there, complete, and of the same run.",
    .groups = gather_groups,
    .group_count = COUNT_OF(gather_groups),
};

int command_gather(int argc, char **argv) {
  gather_arg arg = {0};
  const char **arguments = allocate((MOST_PARTS + 1) * sizeof *arguments);
  int status = option_parse(&gather_line, &arg, argc, argv, arguments);
  if (status == OPTION_GO_ON) {
    int count = 0;
    while (count < MOST_PARTS && arguments[count + 1]) count++;
    size_t limit = max_bytes_of("gather", arg.max_bytes);
    status = limit ? gather(arguments, count, limit) : EXIT_USAGE;
  }
  free(arguments);
  return status;
}
