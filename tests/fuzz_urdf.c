/* SPDX-License-Identifier: BSD-2-Clause */
/* Fuzzing of the URDF reader. Any bytes give a model or an error, and a model that was read can be written and read
 * again with the same links. Built for libFuzzer with -DJN_LIBFUZZER -fsanitize=fuzzer; otherwise main() mutates the
 * samples below:  fuzz_urdf [iterations [seed]]  or, to repeat a find,  fuzz_urdf FILE */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jounce/io.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void stop(const char *what, const jn_error *error) {
  fprintf(stderr, "fuzz_urdf: %s: line %d: %s\n", what, error->line, error->text);
  abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  jn_options options;
  jn_model *model, *again;
  jn_error error;
  char *text;
  size_t length;
  jn_options_init(&options);
  options.report = jn_report_create(NULL);
  jn_status status = jn_load_text((const char *)data, size, JN_FORMAT_URDF, "fuzz", &options, &model, &error);
  if ((status == JN_OK) != (model != NULL)) stop("status and model differ", &error);
  if (status != JN_OK && (error.status != status || !error.text[0])) stop("an error is not explained", &error);
  if (model) {
    if (jn_save_text(model, JN_FORMAT_URDF, NULL, &text, &length, &error) != JN_OK) stop("cannot be written", &error);
    if (jn_load_text(text, length, JN_FORMAT_URDF, "again", NULL, &again, &error) != JN_OK) {
      fprintf(stderr, "%s\n", text);
      stop("cannot be read again", &error);
    }
    if (jn_link_count(again) != jn_link_count(model) || jn_model_nv(again) != jn_model_nv(model)) {
      stop("reads back as another model", &error);
    }
    jn_model_destroy(again);
    jn_text_free(text, NULL);
  }
  jn_model_destroy(model);
  jn_report_destroy(options.report);
  return 0;
}

#ifndef JN_LIBFUZZER

enum { ROOM = 4096 };

static const char *const samples[] = {
    "<?xml version='1.0'?><!-- x --><robot name='s &amp; s'>\n<link name='base'/>\n<link name='arm'><inertial>"
    "<origin xyz='0 0 0.1' rpy='0.1 0 0'/><mass value='1.5'/><inertia ixx='0.1' ixy='0' ixz='0' iyy='0.1' iyz='0' "
    "izz='0.1'/></inertial><visual><box size='1 1 1'/></visual></link>\n<link name='tip'/>\n<joint name='j' "
    "type='revolute'><parent link='base'/><child link='arm'/><origin xyz='0 0 1'/><axis xyz='0 1 0'/><limit lower='-1' "
    "upper='1' effort='10' velocity='2'/><dynamics damping='0.1'/></joint>\n<joint name='k' type='prismatic'><parent "
    "link='arm'/><child link='tip'/><limit lower='0' upper='0.1' effort='1' velocity='1'/><mimic joint='j' "
    "multiplier='0.1'/></joint>\n</robot>",
    "<robot name='r'><link name='world' world='true'/><link name='a'/><link name='b'/><link name='c'/><link name='d'/>"
    "<joint name='1' type='floating'><parent link='world'/><child link='a'/><origin quat_xyzw='0 0 1 1'/></joint>"
    "<joint name='2' type='planar'><parent link='a'/><child link='b'/></joint><joint name='3' type='continuous'>"
    "<parent link='a'/><child link='c'/></joint><joint name='4' type='fixed'><parent link='c'/><child link='d'/>"
    "</joint><transmission><joint name='3'/></transmission></robot>",
    "<!DOCTYPE robot [<!ENTITY a 'b'>]><robot name='&a;'><link name='a'/></robot>",
    "<robot name='r' xmlns:xacro='x'><xacro:property name='m' value='${1}'/><link name='a'/><xacro:arm/></robot>",
};

static const char *const words[] = {
    "<link name='",
    "<joint ",
    "</joint>",
    "<inertial>",
    "</inertial>",
    "<mass value='",
    "/>",
    "'",
    "<",
    "type='",
    "fixed",
    "revolute",
    "floating",
    "planar",
    "prismatic",
    "world",
    "&lt;",
    "&",
    "<![CDATA[",
    "]]>",
    "<!--",
    "-->",
    "${",
    "xacro:",
    "1e308",
    "-1",
    "nan",
    "inf",
    "1e-320",
    "<robot>",
    "</robot>",
    "<?x ?>",
    "\xff",
    "\xc3\xa9",
    "\n",
    "",
    " world='true'",
    "<mimic joint='j'/>",
    "<axis xyz='0 0 1'/>",
    "<limit lower='-1e300'/>",
    "1e200",
    "-0",
    "1e-160",
};

static uint32_t random_state;

static uint32_t random_below(size_t n) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 17;
  random_state ^= random_state << 5;
  return (uint32_t)(random_state % (n ? n : 1));
}

#define PICK(list) (list)[random_below(sizeof(list) / sizeof *(list))]

/* Replaces text[at, at + cut) by n bytes. */
static size_t splice(char *text, size_t length, size_t at, size_t cut, const char *bytes, size_t n) {
  if (cut > length - at) cut = length - at;
  if (length - cut + n > ROOM) return length;
  memmove(text + at + n, text + at + cut, length - at - cut);
  memcpy(text + at, bytes, n);
  return length - cut + n;
}

static size_t mutate(char *text, size_t length) {
  size_t at = random_below(length + 1), n = 1 + random_below(40);
  char part[ROOM];
  const char *word = PICK(words), *other = PICK(samples);
  switch (random_below(6)) {
    case 0: /* change a byte */
      if (at < length)
        text[at] = (char)(random_below(2) ? random_below(256) : (unsigned char)text[at] ^ 1u << random_below(7));
      return length;
    case 1:
      return splice(text, length, at, n, "", 0);
    case 2:
      return splice(text, length, at, 0, word, strlen(word));
    case 3:
      return splice(text, length, at, strlen(word), word, strlen(word));
    case 4: { /* repeat or move a part of the text */
      size_t from = random_below(length + 1);
      if (n > length - from) n = length - from;
      memcpy(part, text + from, n);
      return splice(text, length, at, random_below(2) * n, part, n);
    }
    default: { /* take a part of another sample */
      size_t from = random_below(strlen(other));
      if (n > strlen(other) - from) n = strlen(other) - from;
      return splice(text, length, at, random_below(n), other + from, n);
    }
  }
}

/* The bytes are copied to a block of their size, so that a sanitizer sees every step past the end. */
static void run(const char *text, size_t length) {
  uint8_t *exact = malloc(length ? length : 1);
  if (!exact) abort();
  memcpy(exact, text, length);
  LLVMFuzzerTestOneInput(exact, length);
  free(exact);
}

static int run_file(const char *path) {
  static char text[1 << 22];
  FILE *f = fopen(path, "rb");
  if (!f) return 1;
  run(text, fread(text, 1, sizeof text, f));
  fclose(f);
  return 0;
}

int main(int argc, char **argv) {
  char *end = NULL;
  unsigned long count = argc > 1 ? strtoul(argv[1], &end, 10) : 20000;
  if (end && *end) return run_file(argv[1]);
  uint32_t seed = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 1;
  printf("%lu iterations, seed %u\n", count, (unsigned)seed);
  fflush(stdout);
  for (unsigned long i = 0; i < count; i++) {
    char text[ROOM];
    random_state = seed + (uint32_t)i * 2654435761u; /* so that iteration i can be repeated by itself */
    if (!random_state) random_state = 1;
    for (int k = 0; k < 4; k++) random_below(1);
    const char *sample = PICK(samples);
    size_t length = strlen(sample);
    memcpy(text, sample, length);
    for (uint32_t k = 1 + random_below(6); k > 0; k--) length = mutate(text, length);
    run(text, length);
  }
  return 0;
}
#endif
