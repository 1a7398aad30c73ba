/* SPDX-License-Identifier: BSD-2-Clause */
/* What the fuzz targets share. A target is one function of any bytes that must neither crash nor take long, and that
 * stops when a property is broken. Linked with libFuzzer (script/fuzz) it searches by coverage; linked with replay.c it
 * is a plain program that repeats files, and changed copies of them, with any compiler and sanitizer. */
#ifndef JN_TESTS_FUZZ_H
#define JN_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jounce/jounce.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define UNUSED __attribute__((unused))

/* The limit of all readers here: small, so that nothing takes long. */
enum { FUZZ_BYTES = 1 << 22 };

static UNUSED void stop(const char *property, const char *text) {
  fprintf(stderr, "property broken: %s: %s\n", property, text);
  abort();
}

/* A status and an error that belong together, and a result only when there is no error. */
static UNUSED void check_result(jn_status status, const jn_error *error, const void *result) {
  if ((status == JN_OK) != (result != NULL)) stop("a result exactly when there is no error", error->text);
  if (status != JN_OK && (error->status != status || !error->text[0])) stop("an error is explained", "no text");
}

/* ---- Files: fuzz_file.c ---- */

/* A file of these bytes that lives until the next call with the same number (0 ... 3) or the end of the program. */
const char *fuzz_file(int number, const void *data, size_t size);
/* The same, under a name with this ending, for readers that look at it; one at a time. */
const char *fuzz_file_ending(const void *data, size_t size, const char *ending);
/* From now on the program `name` is one that does nothing, and there is no other in the PATH. */
void fuzz_no_program(const char *name);
/* Run a command of the tool; the words end in NULL. Its exit code, which must be 0, 1 or 2. */
int fuzz_run(int (*command)(int argc, char **argv), const char *const *words);

#endif
