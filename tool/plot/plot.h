/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce plot: CSV files as columns of numbers. */
#ifndef JN_TOOL_PLOT_H
#define JN_TOOL_PLOT_H

#include <stdbool.h>
#include <stddef.h>

/* One column of the file: "joint1.tau_d1 [N m/s]" is joint1, .tau_d1, N m/s. */
typedef struct column {
  char *name, *joint, *kind, *unit;
  bool text;      /* has a cell that is not a number: it is not drawn */
  double *values; /* NaN: a gap */
  int file;       /* which of the files it is of, and the times there */
  const double *times;
  int samples;
  char *quantity; /* title of its row in the figure; NULL: not drawn */
  int row, place; /* in the figure */
} column;

typedef struct sheet {
  const char *path;
  size_t max_bytes; /* limit on what is read */
  column *columns;  /* the first is the time */
  int count;
  int samples;
} sheet;

/* ---- read.c ---- */

/* Reads s->path ("-": standard input). Rules are those of trajectories (docs/torque.md), but cells without a number are
 * gaps, and columns of text are left out with a note. An exit code after reporting why, or OPTION_GO_ON. */
int sheet_read(sheet *s);
void sheet_free(sheet *s);

#endif
