/* SPDX-License-Identifier: BSD-2-Clause */
/* A fuzz target as a plain program: fuzz_NAME [--mutations N] [--seed S] [--words FILE] FILE|DIRECTORY...
 * Repeats every file, then N changed copies of files picked at random: bytes changed, taken out, repeated, parts of
 * other files and words of the dictionary put in. Copy i depends on the seed and i alone. */
#define _XOPEN_SOURCE 700
#include <dirent.h>
#include <sys/stat.h>

#include "fuzz.h"

enum { MAX_FILES = 1000, ROOM = 1 << 16, MAX_WORDS = 500 };

typedef struct sample {
  char *name;
  uint8_t *bytes;
  size_t length;
} sample;

static sample samples[MAX_FILES], words[MAX_WORDS];
static int sample_count, word_count;

/* ---- Files ---- */

static void add_sample(const char *path) {
  FILE *f = fopen(path, "rb");
  uint8_t *bytes = malloc(1 << 22);
  if (!f || !bytes || sample_count == MAX_FILES) stop("samples can be read", path);
  size_t length = fread(bytes, 1, 1 << 22, f);
  fclose(f);
  samples[sample_count++] = (sample){strdup(path), realloc(bytes, length + 1), length};
}

static int compare_samples(const void *a, const void *b) {
  return strcmp(((const sample *)a)->name, ((const sample *)b)->name);
}

static void add_path(const char *path) {
  struct stat about;
  if (stat(path, &about) != 0) stop("samples are there", path);
  if (!S_ISDIR(about.st_mode)) {
    add_sample(path);
    return;
  }
  DIR *d = opendir(path);
  for (struct dirent *e; d && (e = readdir(d));) {
    char name[4096];
    if (e->d_name[0] == '.') continue;
    snprintf(name, sizeof name, "%s/%s", path, e->d_name);
    add_sample(name);
  }
  if (d) closedir(d);
}

/* Lines "word" of libFuzzer's dictionaries, with \xNN, \\ and \" inside. */
static void add_word(const char *line) {
  uint8_t text[64];
  size_t n = 0;
  if (*line != '"' || word_count == MAX_WORDS) return;
  for (line++; *line && *line != '"' && n < sizeof text; line++) {
    unsigned byte = (unsigned char)*line;
    if (*line == '\\' && line[1] == 'x' && sscanf(line + 2, "%2x", &byte) == 1)
      line += 3;
    else if (*line == '\\')
      byte = (unsigned char)*++line;
    text[n++] = (uint8_t)byte;
  }
  words[word_count] = (sample){NULL, malloc(n + 1), n};
  memcpy(words[word_count++].bytes, text, n);
}

static void add_words(const char *path) {
  char line[512];
  FILE *f = fopen(path, "r");
  if (!f) stop("the dictionary is there", path);
  while (fgets(line, sizeof line, f)) add_word(line);
  fclose(f);
}

/* ---- Changes ---- */

static uint64_t random_state;

static size_t random_below(size_t n) {
  uint64_t x = random_state += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return (size_t)((x ^ (x >> 31)) % (n ? n : 1));
}

/* Replaces text[at, at + cut) by n bytes. */
static size_t splice(uint8_t *text, size_t length, size_t at, size_t cut, const uint8_t *bytes, size_t n) {
  if (cut > length - at) cut = length - at;
  if (length - cut + n > ROOM) return length;
  memmove(text + at + n, text + at + cut, length - at - cut);
  memcpy(text + at, bytes, n);
  return length - cut + n;
}

static size_t mutate(uint8_t *text, size_t length) {
  static uint8_t part[64];
  size_t at = random_below(length + 1), n = 1 + random_below(40), from;
  const sample *other = &samples[random_below((size_t)sample_count)];
  const sample *word = &words[random_below((size_t)word_count)];
  switch (random_below(6)) {
    case 0: /* change a byte */
      if (at < length) text[at] = (uint8_t)(random_below(2) ? random_below(256) : text[at] ^ 1u << random_below(8));
      return length;
    case 1:
      return splice(text, length, at, n, text, 0);
    case 2:
      return splice(text, length, at, 0, word->bytes, word->length);
    case 3:
      return splice(text, length, at, word->length, word->bytes, word->length);
    case 4: /* repeat or move a part of the text */
      from = random_below(length + 1);
      if (n > length - from) n = length - from;
      memcpy(part, text + from, n);
      return splice(text, length, at, random_below(2) * n, part, n);
    default: /* take a part of another sample */
      from = random_below(other->length + 1);
      if (n > other->length - from) n = other->length - from;
      return splice(text, length, at, random_below(n + 1), other->bytes + from, n);
  }
}

/* The bytes are copied to a block of their size, so that a sanitizer sees every step past the end. */
static void run(const uint8_t *bytes, size_t length) {
  uint8_t *exact = malloc(length ? length : 1);
  if (!exact) stop("memory", "");
  memcpy(exact, bytes, length);
  LLVMFuzzerTestOneInput(exact, length);
  free(exact);
}

static void run_changed(uint64_t seed, unsigned long i) {
  static uint8_t text[ROOM];
  random_state = seed + i * 0x632be59bd9b4e019u;
  const sample *s = &samples[random_below((size_t)sample_count)];
  size_t length = s->length < ROOM ? s->length : ROOM;
  memcpy(text, s->bytes, length);
  for (size_t k = 1 + random_below(6); k > 0; k--) length = mutate(text, length);
  run(text, length);
}

int main(int argc, char **argv) {
  unsigned long mutations = 0;
  uint64_t seed = 1;
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--mutations") == 0 && i + 1 < argc)
      mutations = strtoul(argv[++i], NULL, 10);
    else if (strcmp(argv[i], "--seed") == 0 && i + 1 < argc)
      seed = strtoull(argv[++i], NULL, 10);
    else if (strcmp(argv[i], "--words") == 0 && i + 1 < argc)
      add_words(argv[++i]);
    else
      add_path(argv[i]);
  }
  add_word("\"0\""); /* so that there is one */
  qsort(samples, (size_t)sample_count, sizeof *samples, compare_samples);
  fprintf(stderr, "%d files, %lu changed copies, seed %llu\n", sample_count, mutations, (unsigned long long)seed);
  if (sample_count == 0) return 1;
  for (int i = 0; i < sample_count; i++) run(samples[i].bytes, samples[i].length);
  for (unsigned long i = 0; i < mutations; i++) run_changed(seed, i);
  for (int i = 0; i < sample_count; i++) free(samples[i].bytes), free(samples[i].name);
  for (int i = 0; i < word_count; i++) free(words[i].bytes);
  return 0;
}
