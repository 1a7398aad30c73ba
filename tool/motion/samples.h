/* SPDX-License-Identifier: BSD-2-Clause */
/* What is printed (summary.c), written (write.c) and drawn (plot.c) of the samples of a motion. */
#ifndef JN_TOOL_MOTION_SAMPLES_H
#define JN_TOOL_MOTION_SAMPLES_H

#include "limits.h"

/* ---- summary.c ---- */

typedef struct extreme {
  double low, high, low_time, high_time;
} extreme;

typedef struct summary {
  int rows;          /* quantities of each coordinate: position, velocity, acceleration, then torques */
  extreme *extremes; /* [rows x nv] */
} summary;

void summary_init(summary *s, const motion *m);
void summary_free(summary *s);
void summary_sample(summary *s, const motion *m);
void summary_print(const summary *s, const motion *m, int order);
/* How well splines keep to the samples. */
void print_fit(const motion *m);
/* How wrenches go from row to row, and what of them is continuous. */
void print_wrenches(const torque_arg *arg, const motion *m, int order);

/* ---- write.c ---- */

typedef struct writer writer;
/* Does the name end in .csv or .npz? */
bool writer_takes(const char *path);
/* NULL after reporting why the file cannot be written. */
writer *writer_open(const char *path, const motion *m, int order, int samples);
/* The same to a stream that is the caller's; writer_close() leaves it open. */
writer *writer_begin(FILE *stream, bool npz, const motion *m, int order, int samples);
/* Of --shard: the file becomes one part of the CSV. */
struct shard;
writer *writer_open_part(const char *path, const motion *m, int order, const struct shard *part);
void writer_sample(writer *w, const motion *m);
/* Good: the file takes its place, else the old one stays. EXIT_FINE, or EXIT_BAD after reporting. */
int writer_close(writer *w, bool good);

/* ---- plot.c ---- */

typedef struct plot_data plot_data;
/* chosen [nv]: which coordinates are drawn; NULL: all. motion_rows: of position, velocity, acceleration, jerk, how many
 * are drawn above the torques. */
plot_data *plot_data_create(const motion *m, const unsigned char *chosen, const limit_check *limits, int motion_rows,
                            int order, int samples);
void plot_data_sample(plot_data *p, const motion *m);
/* Draws and releases, in the size of --size or NULL; an exit code, or OPTION_GO_ON. *files: see figure_draw(). */
int plot_data_draw(plot_data *p, const char *path, const char *size, int *files);

#endif
