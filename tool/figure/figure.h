/* SPDX-License-Identifier: BSD-2-Clause */
/* Pictures of curves in a grid of panels, drawn by gnuplot as SVG, PNG, PDF, or text. */
#ifndef JN_TOOL_FIGURE_H
#define JN_TOOL_FIGURE_H

#include <stdbool.h>

/* One curve with its limits (infinite: none); y is NaN in a gap. */
typedef struct panel {
  double *x, *y;
  int count;
  double lower, upper;
  char *unit;         /* "rad/s"; NULL: the title of the row has it */
  int style;          /* which of figure.curve_names it is; 0 if there are none */
  struct panel *next; /* a further curve in the same frame, without limits; NULL: none */
} panel;

enum { FIGURE_STYLES = 6 }; /* of curves in one frame that are told apart, also in grey */

/* Of a picture, in pixels of an SVG. */
typedef struct figure_size {
  double width, height; /* 0: as the panels need */
  double density;       /* pixels of a PNG for each of them */
} figure_size;

typedef struct figure {
  char *title;
  char *x_title;      /* NULL: "t [s]" */
  char **curve_names; /* [curve_count] by style, for the legend */
  int curve_count;
  int rows, columns;
  char **row_titles, **column_titles;
  int *groups;   /* [columns] columns of one number stand beside each other; 0 at first */
  panel *panels; /* [rows x columns]; without points: left empty */
} figure;

void figure_init(figure *f, int rows, int columns);
void figure_free(figure *f);
panel *figure_panel(const figure *f, int row, int column);
/* The axis of time of all pages. */
typedef struct time_axis {
  double x0, x1; /* range of all curves, without the offset */
  char *title;   /* NULL: none is needed */
} time_axis;

/* Finds it, and takes a round offset from the times of all curves if they are large against their span. */
time_axis figure_times(const figure *f, bool text);

/* Leaves out panels whose curves are zero at all times and break no limit, and columns without any other panel, and
 * reports them. If all are zero, they stay. */
void figure_drop_zero(figure *f);

/* "velocity", or "dτ/dt" for torques, of an order in time; "rad/s²" of "rad" and 2. New strings. */
char *figure_quantity(bool torque, int order);
char *figure_unit(const char *unit, int order);

/* Can the ending of `path` be drawn (.svg, .png, .pdf, or "-" for text), and in this size (NULL: any)? A path of NULL
 * is no picture. Reports what is wrong. OPTION_GO_ON or an exit code. */
int figure_check(const char *command, const char *path, const char *size);
int figure_check_size(const char *command, const char *path, const char *size);
/* Declares --size. */
#define SIZE_OPTION(argument, member)                   \
  TEXT_OPTION(argument, member, "size", "WIDTHxHEIGHT", \
              "size of each page of the picture, in pixels or cm: 1200x800, 16x10cm")
/* Of a text that figure_check() has found good. */
figure_size figure_read_size(const char *text);
/* Draw to a file, or to stdout for "-", each page in this size (--size, or NULL). Panels that are zero at all times are
 * left out. What is too high for one page goes to more: in one PDF, or in *files files of
 * other formats, which figure_file() names. The points of the panels are thinned out on the way, where nobody sees it.
 * OPTION_GO_ON, or EXIT_BAD after reporting why; files are then as they were before. */
int figure_draw(figure *f, const char *path, const char *size, int *files);
/* "Drawn: p.svg", a line for each file. */
void figure_tell(const char *path, int files);
/* p.svg, or of more files p-1.svg, p-2.svg, ... (page from 0). A new string. */
char *figure_file(const char *path, int page, int count);

/* Leaves out points that are nearer than an eighth of a pixel to the line through the others; per_x, per_y are pixels
 * per unit. */
void panel_thin(panel *p, double per_x, double per_y);

/* A curve of any number of samples in at most 2 x BUCKETS points: the least and the largest of each bucket. */
typedef struct thinner {
  panel *to;
  int each; /* samples in a bucket */
  int have, room;
  double low, high, low_x, high_x;
} thinner;

void thinner_init(thinner *t, panel *to, int samples);
void thinner_add(thinner *t, double x, double y);
/* No value at x: the curve is broken there. */
void thinner_gap(thinner *t, double x);
void thinner_end(thinner *t);

#endif
