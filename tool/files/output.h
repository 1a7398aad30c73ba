/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that the command writes: whole or not at all (src/io/whole_file.h), also when it is interrupted. */
#ifndef JN_TOOL_FILES_OUTPUT_H
#define JN_TOOL_FILES_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "../../src/io/whole_file.h"

typedef struct output {
  const char *path;
  jn_whole_file file;
  struct output *next; /* of those that are open */
} output;

/* A stream to write to; "-" is stdout. NULL after reporting why not. *o must stay where it is until output_close(). */
FILE *output_open(output *o, const char *path);
/* Good: the file takes its place, else it is dropped and the old one stays. True when it is in its place. Tells why
 * not: errors of writing always; other reasons of a caller that passes false are told by the caller. */
bool output_close(output *o, bool good);

/* A file for a while, in TMPDIR or where the system has such files, without a name: it is gone when it is closed or the
 * command ends, however that is. NULL when there can be none. */
FILE *open_temporary(void);

/* Signals that end the command drop open files, and this process that it started (0: none), first. */
void output_with_child(long process);

/* ---- One rule for all commands: no output is an input, or another output, of the same call ---- */

/* A path of the command line: of an option ("--out") or an argument ("MODEL"). */
typedef struct named_path {
  const char *name, *path;
  bool is_output;
} named_path;

/* Applies the rule to the paths of a command line: OPTION_GO_ON, or an exit code after telling which two are one file.
 * Notes all inputs for output_open(), for outputs whose names are known later (files of a folder). option_parse() calls
 * it for every command. */
int output_check(const char *command, const named_path *paths, int count);

/* The same for what no option names: files that are read on the way (a page, meshes) and pictures of several pages.
 * Those that were noted, or written, are refused by output_open() and output_close(). */
void output_note_input(FILE *stream);
/* Forgets files of an earlier call: a module of a web page runs several. */
void output_begin_call(void);

/* One file by two names, perhaps through links; `from` may be "-", standard input. Pipes and devices lose nothing by
 * being written to. */
bool is_same_file(const char *to, const char *from);

#endif
