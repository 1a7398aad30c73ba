/* SPDX-License-Identifier: BSD-2-Clause */
/* Running jounce torque and reading the files it writes. */
#ifndef JN_TESTS_TORQUE_HELP_H
#define JN_TESTS_TORQUE_HELP_H

#include "support/running.h"

#include <math.h>

#include "io/table.h"

static UNUSED void check_refusal(const char *words, int code, const char *part) {
  outcome o = run_here(words);
  check_has(o.err, part);
  assert_int_equal(o.code, code);
  done(&o);
}

static UNUSED unsigned char *read_bytes(const char *name, size_t *length) {
  FILE *f = fopen(in_directory(name), "rb");
  assert_non_null(f);
  fseek(f, 0, SEEK_END);
  *length = (size_t)ftell(f);
  rewind(f);
  unsigned char *bytes = malloc(*length + 1);
  assert_non_null(bytes);
  assert_int_equal(fread(bytes, 1, *length, f), *length);
  fclose(f);
  return bytes;
}

static UNUSED void read_result(const char *name, jn_table *t) {
  size_t length;
  unsigned char *text = read_bytes(name, &length);
  jn_log log = {0};
  *t = (jn_table){.allocator = jn__allocator(NULL), .file = name};
  jn_status status = jn__csv_read(t, (const char *)text, length, &log);
  if (status != JN_OK) fail_msg("%s: %s", name, log.first.text);
  free(text);
}

/* ---- Limits and what samples can tell ---- */

static UNUSED const char rod[] =
    "{\"name\": \"rod\", \"bodies\": [{\"name\": \"rod\", \"joint\": {\"name\": \"hinge\", \"type\": \"revolute\","
    " \"axis\": [0, 1, 0]}, \"inertia\": {\"mass\": 2, \"com\": [0, 0, -0.5], \"tensor\": [0.2, 0.2, 0.1, 0, 0, 0]}}]}";

#endif
