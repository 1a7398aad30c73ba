/* SPDX-License-Identifier: BSD-2-Clause */
/* Running the command `jounce` (JN_COMMAND is the path of the binary) in a temporary folder, and looking at what it
 * prints and writes. Include this first: it selects what the system headers declare. */
#ifndef JN_TESTS_SUPPORT_RUNNING_H
#define JN_TESTS_SUPPORT_RUNNING_H

#define _XOPEN_SOURCE 700
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jounce/jounce.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define UNUSED __attribute__((unused))

/* ---- The temporary folder of the test ---- */

extern char directory[sizeof "/tmp/jounce_test_XXXXXX"];
/* Setup and teardown of a group of tests. */
int make_directory(void **state);
int remove_directory(void **state);

/* The path of a file in the folder; the last four results stay valid, and running the command takes one. */
const char *in_directory(const char *name);
/* Writes a file in the folder and returns its path. */
const char *write_file(const char *name, const char *text);
/* The content of a file in the folder, and of a stream, to be freed. */
char *read_file(const char *name);
char *read_all(FILE *f);
int exists(const char *name);

/* ---- Running ---- */

typedef struct outcome {
  int code;
  char *out; /* stdout */
  char *err; /* stderr */
} outcome;

/* `before` goes in front of the command (variables, a pipe), `arguments` after it, both in the form of the shell. */
outcome run_with(const char *before, const char *arguments);
/* The same in the folder. */
outcome run_here(const char *arguments);
/* The same; the exit code must be `code`. */
outcome run_fine(const char *arguments, int code);
void done(outcome *o);

/* ---- Checks ---- */

void check_has(const char *text, const char *part);
void check_lacks(const char *text, const char *part);
/* The command printed `part` on stderr and nothing on stdout, and ended with `code`. Releases o. */
void check_refused(outcome o, int code, const char *part);
/* The command, run in the folder, ends with `code` and says `part` on stderr. */
void check_says(const char *arguments, int code, const char *part);
/* The table of a file in the folder. */
jn_table *read_csv(const char *name);
/* 1, with a remark in the output of the test, if gnuplot is not installed. */
int no_gnuplot(void);

#endif
