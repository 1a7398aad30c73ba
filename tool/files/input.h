/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that the command itself reads (states, limits, tables to draw; and standard input for all): up to the one limit
 * of all readers, --max-bytes. */
#ifndef JN_TOOL_FILES_INPUT_H
#define JN_TOOL_FILES_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "../options/options.h"

#define STANDARD_INPUT "<stdin>" /* in messages */

/* Declare --max-bytes. */
#define MAX_BYTES_OPTION(argument, member)           \
  TEXT_OPTION(argument, member, "max-bytes", "SIZE", \
              "limit on the size of each input file, also after unpacking: bytes, or with K, M, G; default 256M")
/* Its value in bytes: a whole number, perhaps with K, M or G (of 1024) behind it; NULL: JN_MAX_BYTES. 0 after reporting
 * a wrong use. */
size_t max_bytes_of(const char *command, const char *text);

/* All of a file, or of standard input ("-"), with a 0 behind it, for the caller to free. NULL after reporting on stderr
 * that it cannot be read, or is larger than the limit; `name` is how messages call it. */
char *read_input(const char *path, const char *name, size_t limit, size_t *length);

/* The same of a file that is open, and stays open. */
char *read_opened(FILE *stream, const char *name, size_t limit, size_t *length);

/* All of standard input for a reader of the library, which tells what is wrong: up to one byte more than the limit, at
 * which it refuses. NULL when it cannot be read. */
char *read_standard_input(size_t limit, size_t *length);

/* Reports that a file goes beyond the limit, and the remedy; `what` is e.g. "is larger than". */
void input_over_limit(const char *name, const char *what, size_t limit);

/* Does what a file becomes in memory, `count` things of `bytes` each, stay below the limit? false after reporting;
 * `what` is e.g. "values". */
bool input_fits(const char *name, size_t count, size_t bytes, const char *what, size_t limit);

#endif
