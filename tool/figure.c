/* SPDX-License-Identifier: BSD-2-Clause */
#define _POSIX_C_SOURCE 200809L
#include "figure.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#ifdef _WIN32
#define popen _popen
#define pclose _pclose
#else
#include <signal.h>
#include <unistd.h>
#endif

#include "command.h"
#include "options.h"
#include "print.h"

void figure_init(figure *f, int rows, int columns) {
  *f = (figure){.rows = rows, .columns = columns};
  size_t count = (size_t)rows * (size_t)columns;
  f->panels = allocate(count * sizeof *f->panels);
  for (size_t i = 0; i < count; i++) f->panels[i] = (panel){.lower = -INFINITY, .upper = INFINITY};
  f->row_titles = allocate((size_t)(rows + columns) * sizeof *f->row_titles);
  f->column_titles = f->row_titles + rows;
  for (int i = 0; i < rows + columns; i++) f->row_titles[i] = NULL;
  f->groups = allocate((size_t)columns * sizeof *f->groups);
  for (int i = 0; i < columns; i++) f->groups[i] = 0;
}

void figure_free(figure *f) {
  for (int i = 0; i < f->rows * f->columns; i++) {
    free(f->panels[i].x);
    free(f->panels[i].y);
  }
  for (int i = 0; i < f->rows + f->columns; i++) free(f->row_titles[i]);
  free(f->row_titles);
  free(f->panels);
  free(f->groups);
  free(f->title);
  free(f->x_title);
}

panel *figure_panel(const figure *f, int row, int column) { return &f->panels[row * f->columns + column]; }

char *figure_quantity(bool torque, int order, const char *unit) {
  static const char *const motions[] = {"position", "velocity", "acceleration", "jerk"};
  static const char *const raised[] = {"", "", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  char *time = order == 0   ? copy_text("", 0)
               : order < 10 ? format_text("/s%s", raised[order])
                            : format_text("/s^%d", order);
  char *title;
  if (!torque && order < 4)
    title = format_text("%s\n[%s%s]", motions[order], unit, time);
  else if (torque && order == 0)
    title = format_text("torque τ\n[%s]", unit);
  else if (torque && order == 1)
    title = format_text("dτ/dt\n[%s%s]", unit, time);
  else if (torque && order < 10)
    title = format_text("d%sτ/dt%s\n[%s%s]", raised[order], raised[order], unit, time);
  else
    title = format_text("order %d\n[%s%s]", order, unit, time);
  free(time);
  return title;
}

/* ---- Thinning ---- */

enum { BUCKETS = 2000 };

void thinner_init(thinner *t, panel *to, int samples) {
  int each = samples > 2 * BUCKETS ? (samples + BUCKETS - 1) / BUCKETS : 1;
  *t = (thinner){.to = to, .each = each, .room = (samples / each + 1) * (each > 1 ? 2 : 1)};
  to->x = allocate((size_t)t->room * sizeof *to->x);
  to->y = allocate((size_t)t->room * sizeof *to->y);
  to->count = 0;
}

static void put_point(thinner *t, double x, double y) {
  panel *p = t->to;
  if (p->count == t->room) { /* gaps take room, too */
    t->room *= 2;
    p->x = reallocate(p->x, (size_t)t->room * sizeof *p->x);
    p->y = reallocate(p->y, (size_t)t->room * sizeof *p->y);
  }
  p->x[p->count] = x;
  p->y[p->count++] = y;
}

static void empty_bucket(thinner *t) {
  if (t->have == 0) return;
  bool low_first = t->low_x <= t->high_x;
  if (t->have > 1) put_point(t, low_first ? t->low_x : t->high_x, low_first ? t->low : t->high);
  put_point(t, low_first ? t->high_x : t->low_x, low_first ? t->high : t->low);
  t->have = 0;
}

void thinner_add(thinner *t, double x, double y) {
  if (t->have == 0 || y < t->low) t->low = y, t->low_x = x;
  if (t->have == 0 || y > t->high) t->high = y, t->high_x = x;
  if (++t->have == t->each) empty_bucket(t);
}

void thinner_gap(thinner *t, double x) {
  empty_bucket(t);
  const panel *p = t->to;
  if (p->count > 0 && !isnan(p->y[p->count - 1])) put_point(t, x, NAN);
}

void thinner_end(thinner *t) { empty_bucket(t); }

/* Douglas and Peucker: points nearer than an eighth of a pixel to the line through the others are left out. keep[] gets
 * 1 for what stays of begin ... end, a piece without gaps. The way down is a stack of ranges. */
static void mark_points(const panel *p, int begin, int end, double per_x, double per_y, unsigned char *keep) {
  int *stack = allocate(2 * (size_t)(end - begin + 3) * sizeof *stack), depth = 0;
  keep[begin] = keep[end] = 1;
  stack[depth++] = begin;
  stack[depth++] = end;
  while (depth > 0) {
    int last = stack[--depth], first = stack[--depth], worst = -1;
    double ex = (p->x[last] - p->x[first]) * per_x, ey = (p->y[last] - p->y[first]) * per_y, most = 0.12;
    double length = hypot(ex, ey);
    for (int i = first + 1; i < last; i++) {
      double dx = (p->x[i] - p->x[first]) * per_x, dy = (p->y[i] - p->y[first]) * per_y;
      double off = length > 0 ? fabs(dx * ey - dy * ex) / length : hypot(dx, dy);
      if (off > most) most = off, worst = i;
    }
    if (worst < 0) continue;
    keep[worst] = 1;
    stack[depth++] = first;
    stack[depth++] = worst;
    stack[depth++] = worst;
    stack[depth++] = last;
  }
  free(stack);
}

static void thin_out(panel *p, double per_x, double per_y) {
  if (p->count < 3) return;
  unsigned char *keep = allocate((size_t)p->count);
  memset(keep, 0, (size_t)p->count);
  for (int i = 0; i < p->count; i++) {
    int begin = i;
    keep[i] = 1; /* a gap */
    while (i < p->count && !isnan(p->y[i])) i++;
    if (i > begin) mark_points(p, begin, i - 1, per_x, per_y, keep);
    if (i < p->count) keep[i] = 1;
  }
  int count = 0;
  for (int i = 0; i < p->count; i++) {
    if (!keep[i]) continue;
    p->x[count] = p->x[i];
    p->y[count++] = p->y[i];
  }
  p->count = count;
  free(keep);
}

/* ---- Layout, in pixels ---- */

static const double LETTER = 7.2; /* width of most letters of titles, and more than that of many */

typedef enum format { AS_TEXT, AS_SVG, AS_PNG, AS_PDF, NO_FORMAT } format;

/* By the ending of the name, in small letters or capitals. */
static format format_of(const char *path) {
  static const char *const endings[] = {"", ".svg", ".png", ".pdf"};
  if (strcmp(path, "-") == 0) return AS_TEXT;
  size_t length = strlen(path);
  for (int k = AS_SVG; k <= AS_PDF; k++) {
    size_t i = 0;
    while (i < 4 && length > 4 && (path[length - 4 + i] | 0x20) == (endings[k][i] | 0x20)) i++;
    if (i == 4) return (format)k;
  }
  return NO_FORMAT;
}

/* Columns stand beside each other in bands; a new one begins where a band is full or another group of columns begins.
 * A band has only those rows that have a curve in it. */
typedef struct layout {
  const figure *f;
  format format;
  bool text;  /* in the terminal */
  int across; /* panels beside each other, at most */
  int bands;
  int *band, *slot; /* [columns] */
  int *line;        /* [bands x rows] place of a row in its band; -1: not in it */
  double *tops;     /* [bands] */
  double width, height;
  double left, top, bottom;         /* margins of the picture */
  double panel_width, panel_height; /* of the frame of one panel */
  double gap_x, gap_y, band_gap;
  double x0, x1;     /* range of all curves, without the offset */
  char *title;       /* in lines that are not too long */
  char *x_title;     /* NULL: none is needed */
  double *row_sizes; /* [rows] largest |y| */
  const char *small; /* size of the font of numbers, in points of the terminal */
} layout;

static void layout_free(layout *l) {
  free(l->band);
  free(l->line);
  free(l->tops);
  free(l->title);
  free(l->x_title);
  free(l->row_sizes);
}

/* Time stamps that are large against their span (seconds since 1970) would all have the same label, and drown in the
 * nine digits that gnuplot gets: a round offset is taken from them and told in the title of the axis. */
static void find_times(layout *l) {
  const figure *f = l->f;
  const char *name = f->x_title ? f->x_title : "t [s]";
  l->x0 = INFINITY;
  l->x1 = -INFINITY;
  for (int k = 0; k < f->rows * f->columns; k++) {
    for (int i = 0; i < f->panels[k].count; i++) {
      l->x0 = fmin(l->x0, f->panels[k].x[i]);
      l->x1 = fmax(l->x1, f->panels[k].x[i]);
    }
  }
  double span = l->x1 - l->x0;
  l->x_title = l->text ? NULL : copy_text(name, strlen(name));
  if (span > 0 && fabs(l->x0) > 200 * span) {
    int digits = (int)floor(log10(span));
    double step = pow(10, digits), offset = floor(l->x0 / step) * step;
    size_t length = strcspn(name, " [");
    free(l->x_title);
    l->x_title = format_text("%.*s %s %.*f%s", (int)length, name, offset < 0 ? "+" : "-", digits < 0 ? -digits : 0,
                             fabs(offset), name + length);
    l->x0 -= offset;
    l->x1 -= offset;
    for (int k = 0; k < f->rows * f->columns; k++)
      for (int i = 0; i < f->panels[k].count; i++) f->panels[k].x[i] -= offset;
  }
  if (!(l->x1 > l->x0)) { /* one time only, which may be large, too */
    double about = fmax(0.5, 0.01 * fabs(l->x0));
    l->x0 -= about;
    l->x1 = l->x0 + 2 * about;
  }
}

static void find_bands(layout *l) {
  enum { MOST = 8 };
  const figure *f = l->f;
  l->band = allocate(2 * (size_t)f->columns * sizeof *l->band);
  l->slot = l->band + f->columns;
  for (int c = 0, end; c < f->columns; c = end) {
    for (end = c + 1; end < f->columns && f->groups[end] == f->groups[c];) end++;
    int bands = (end - c + MOST - 1) / MOST, each = (end - c + bands - 1) / bands; /* of about the same width */
    for (int i = c; i < end; i++) {
      l->band[i] = l->bands + (i - c) / each;
      l->slot[i] = (i - c) % each;
    }
    l->bands = l->band[end - 1] + 1;
    l->across = each > l->across ? each : l->across;
  }
}

/* Rows of each band, from the top down; the height follows. */
static void find_lines(layout *l) {
  const figure *f = l->f;
  l->line = allocate((size_t)l->bands * (size_t)f->rows * sizeof *l->line);
  l->tops = allocate((size_t)l->bands * sizeof *l->tops);
  double y = l->top;
  for (int b = 0; b < l->bands; b++) {
    int lines = 0;
    for (int r = 0; r < f->rows; r++) {
      bool used = false;
      for (int c = 0; c < f->columns; c++) used |= l->band[c] == b && figure_panel(f, r, c)->count > 0;
      l->line[b * f->rows + r] = used ? lines++ : -1;
    }
    l->tops[b] = y;
    y += lines * (l->panel_height + l->gap_y) - l->gap_y + l->band_gap;
  }
  l->height = y - l->band_gap + l->bottom;
}

/* The title in lines of at most `most` characters, broken at spaces; how many lines. */
static int break_title(layout *l, int most) {
  int lines = 1, column = 0, after_space = 0;
  char *space = NULL;
  l->title = copy_text(l->f->title ? l->f->title : "", l->f->title ? strlen(l->f->title) : 0);
  for (char *p = l->title; *p; p++) {
    if (((unsigned char)*p & 0xC0) == 0x80) continue; /* inside a character of UTF-8 */
    column++;
    if (*p == ' ') {
      space = p;
      after_space = column;
    }
    if (column <= most || !space) continue;
    *space = '\n';
    space = NULL;
    column -= after_space;
    lines++;
  }
  return lines;
}

static layout lay_out(const figure *f, const char *path) {
  format kind = format_of(path);
  layout l = {.f = f, .format = kind, .text = kind == AS_TEXT, .left = 100, .top = 70, .bottom = 44};
  l.panel_width = f->columns > 4 ? 112 : 220;
  l.panel_height = f->rows > 5 ? 74 : 96;
  l.gap_x = 48;
  l.gap_y = 20;
  l.band_gap = 76;
  l.small = kind == AS_PNG ? "15" : kind == AS_PDF ? "7.5" : "10";
  find_bands(&l);
  l.width = l.left + l.across * (l.panel_width + l.gap_x) - l.gap_x + 22;
  l.top += 17 * (break_title(&l, (int)((l.width - 24) / LETTER)) - 1);
  find_lines(&l);
  find_times(&l);
  l.row_sizes = allocate((size_t)f->rows * sizeof *l.row_sizes);
  for (int r = 0; r < f->rows; r++) {
    l.row_sizes[r] = 0;
    for (int c = 0; c < f->columns; c++) {
      const panel *p = figure_panel(f, r, c);
      for (int i = 0; i < p->count; i++) l.row_sizes[r] = fmax(l.row_sizes[r], fabs(p->y[i]));
    }
  }
  return l;
}

/* A round number of about x: 1, 2 or 5 times a power of ten. */
static double round_step(double x) {
  if (!(x > 0) || !isfinite(x)) return 1;
  double power = pow(10, floor(log10(x))), rest = x / power;
  return power * (rest < 1.5 ? 1 : rest < 3.5 ? 2 : rest < 7.5 ? 5 : 10);
}

typedef struct range {
  double low, high;
} range;

/* All of the curve, and the limits when it comes near them. */
static range range_of(const panel *p, double row_size) {
  range r = {INFINITY, -INFINITY};
  for (int i = 0; i < p->count; i++) {
    r.low = fmin(r.low, p->y[i]);
    r.high = fmax(r.high, p->y[i]);
  }
  double span = r.high - r.low, size = fmax(fabs(r.low), fabs(r.high));
  if (!(span > 1e-9 * size)) span = size > 0 ? 0.2 * size : 2; /* a constant */
  if (size < 1e-5 * row_size) span = 0.02 * row_size;          /* rounding, where others have something to show */
  double near = fmax(0.5 * span, 0.3 * size);
  if (isfinite(p->upper) && p->upper - r.high < near) r.high = fmax(r.high, p->upper);
  if (isfinite(p->lower) && r.low - p->lower < near) r.low = fmin(r.low, p->lower);
  double pad = fmax(0.08 * (r.high - r.low), 0.08 * span);
  return (range){r.low - pad, r.high + pad};
}

/* ---- The script ---- */

/* Text between double quotes of gnuplot. */
static void quote(FILE *g, const char *text) {
  fputc('"', g);
  for (; *text; text++) {
    if (*text == '"' || *text == '\\') fputc('\\', g);
    if (*text == '\n')
      fputs("\\n", g);
    else
      fputc((unsigned char)*text < 0x20 ? ' ' : *text, g);
  }
  fputc('"', g);
}

/* Width of the terminal, and panels beside each other in it. */
static int text_columns(void) {
  const char *columns = getenv("COLUMNS");
  return columns && atoi(columns) > 40 ? atoi(columns) : 100;
}

static int text_across(void) { return text_columns() / 40; }

static void write_terminal(FILE *g, const layout *l, const char *path) {
  fputs("set encoding utf8\nset output ", g);
  quote(g, path);
  fputc('\n', g);
  double w = l->width, h = l->height;
  if (l->text) {
    int across = text_across(), count = 0;
    for (int i = 0; i < l->f->rows * l->f->columns; i++) count += l->f->panels[i].count > 0;
    int down = (count + across - 1) / across;
    fprintf(g, "set terminal dumb size %d, %d noenhanced aspect 1\n", text_columns(), 13 * down);
    fprintf(g, "set multiplot layout %d, %d\n", down, across);
    return;
  }
  if (l->format == AS_PNG)
    fprintf(g, "set terminal pngcairo size %.0f, %.0f font \"sans-serif,18\" linewidth 2 noenhanced\n", 2 * w, 2 * h);
  else if (l->format == AS_PDF)
    fprintf(g, "set terminal pdfcairo size %.3fin, %.3fin font \"sans-serif,9\" noenhanced\n", w / 96, h / 96);
  else
    fprintf(g, "set terminal svg size %.0f, %.0f font \"sans-serif,12\" noenhanced background \"white\"\n", w, h);
  fputs("set multiplot\n", g);
}

static void write_style(FILE *g, const layout *l) {
  /* Sizes are in pixels of an SVG; PNG has twice as many. */
  fputs("set border 3 lc rgb \"#888888\" lw 0.7\nunset key\n", g);
  if (l->text) {
    fputs("set border 15\nset format y \"%7.4g\"\n", g);
    return;
  }
  fputs("set grid lc rgb \"#e4e4e4\" lt 1 lw 0.6\n", g);
  fprintf(g, "set tics scale 0.4 nomirror textcolor rgb \"#444444\" font \",%s\"\n", l->small);
  fputs("set ytics offset 0.7, 0\nset xtics offset 0, 0.5\n", g);
  fputs("set label 1000 ", g);
  quote(g, l->title);
  fprintf(g, " at screen %.5f, %.5f left front\n", 12 / l->width, 1 - 16 / l->height);
}

static double forbidden_use(const panel *p, double y) {
  if (isfinite(p->upper) && y > p->upper) return y - p->upper;
  return isfinite(p->lower) && y < p->lower ? p->lower - y : 0;
}

/* Where the curve is beyond its limits: the time between the points about it. The edge and the dark foot tell it from
 * the grey of what is forbidden when there is no colour. */
static void shade_violations(FILE *g, const panel *p, int object) {
  for (int i = 0; i < p->count; i++) {
    double slack = 1e-9 * fmax(fabs(p->upper), fabs(p->lower));
    if (!(forbidden_use(p, p->y[i]) > (isfinite(slack) ? slack : 0))) continue;
    int first = i;
    while (i + 1 < p->count && forbidden_use(p, p->y[i + 1]) > 0) i++;
    double from = first > 0 ? (p->x[first] + p->x[first - 1]) / 2 : p->x[first];
    double to = i + 1 < p->count ? (p->x[i] + p->x[i + 1]) / 2 : p->x[i];
    fprintf(
        g,
        "set object %d rect from first %.9g, graph 0 to first %.9g, graph 1 fc rgb \"#f5b78a\" fs solid border lc rgb "
        "\"#b03000\" lw 0.7 behind\n",
        object++, from, to);
    fprintf(
        g,
        "set object %d rect from first %.9g, graph 0 to first %.9g, graph 0.07 fc rgb \"#b03000\" fs solid border lc "
        "rgb \"#b03000\" lw 0.7 behind\n",
        object++, from, to);
  }
}

/* What is forbidden in grey, with the limit as its edge. */
static int draw_limits(FILE *g, const panel *p, range r, int object) {
  if (p->upper < r.high)
    fprintf(
        g,
        "set object %d rect from graph 0, first %.9g to graph 1, graph 1 fc rgb \"#d9d9d9\" fs solid noborder behind\n",
        object++, p->upper);
  if (p->lower > r.low)
    fprintf(
        g,
        "set object %d rect from graph 0, graph 0 to graph 1, first %.9g fc rgb \"#d9d9d9\" fs solid noborder behind\n",
        object++, p->lower);
  return object;
}

/* "83 %" of the limit into text; is it broken? "" when there is no share to tell. */
static bool tell_use(const panel *p, char text[NUMBER_TEXT]) {
  double middle = (p->upper + p->lower) / 2, most = 0, beyond = 0;
  for (int i = 0; i < p->count; i++) {
    beyond = fmax(beyond, forbidden_use(p, p->y[i]));
    most = fmax(most, fabs(p->y[i] - middle));
  }
  text[0] = 0;
  if (!isfinite(p->lower) || !isfinite(p->upper) || !(p->upper > p->lower)) return beyond > 0;
  double use = most / (p->upper - middle);
  bool over = use > 1 + 1e-9;
  snprintf(text, NUMBER_TEXT, "%.*f %%", use > 0 && (use < 0.0095 || (over && use < 1.095)) ? 1 : 0,
           fmin(100 * use, 1e9));
  return over;
}

static void write_use(FILE *g, const layout *l, const panel *p) {
  char text[NUMBER_TEXT];
  bool over = tell_use(p, text);
  if (!*text) return;
  fprintf(g, "set label 1 \"%s\" at graph 1, graph 1.09 right font \",%s%s\" textcolor rgb \"%s\" front\n", text,
          l->small, over ? ":Bold" : "", over ? "#b03000" : "#777777");
}

/* A gap is an empty line. A point alone between gaps is drawn as a line of two pixels. */
static void write_data(FILE *g, const panel *p, double pixel) {
  fputs("$d << EOD\n", g);
  for (int i = 0; i < p->count; i++) {
    bool alone = (i == 0 || isnan(p->y[i - 1])) && (i + 1 == p->count || isnan(p->y[i + 1]));
    if (isnan(p->y[i]))
      fputc('\n', g);
    else if (alone)
      fprintf(g, "%.9g %.6g\n%.9g %.6g\n", p->x[i] - pixel, p->y[i], p->x[i] + pixel, p->y[i]);
    else
      fprintf(g, "%.9g %.6g\n", p->x[i], p->y[i]);
  }
  fputs("EOD\n", g);
}

/* Left and top edge of a panel; row -1 is the first of the band. */
static void find_place(const layout *l, int row, int column, double *left, double *top) {
  int line = row < 0 ? 0 : l->line[l->band[column] * l->f->rows + row];
  *left = l->left + l->slot[column] * (l->panel_width + l->gap_x);
  *top = l->tops[l->band[column]] + line * (l->panel_height + l->gap_y);
}

static void place_panel(FILE *g, const layout *l, int row, int column) {
  double left, top;
  find_place(l, row, column, &left, &top);
  fprintf(g, "set lmargin at screen %.5f\nset rmargin at screen %.5f\n", left / l->width,
          (left + l->panel_width) / l->width);
  fprintf(g, "set tmargin at screen %.5f\nset bmargin at screen %.5f\n", 1 - top / l->height,
          1 - (top + l->panel_height) / l->height);
}

/* Is this the first or the last panel with a curve in its column, or the first in its row (of the band)? */
static bool leads_column(const layout *l, int row, int column) {
  while (row > 0 && figure_panel(l->f, row - 1, column)->count == 0) row--;
  return row == 0;
}

static bool ends_column(const layout *l, int row, int column) {
  while (row + 1 < l->f->rows && figure_panel(l->f, row + 1, column)->count == 0) row++;
  return row + 1 == l->f->rows;
}

static bool leads_row(const layout *l, int row, int column) {
  while (l->slot[column] > 0 && figure_panel(l->f, row, column - 1)->count == 0) column--;
  return l->slot[column] == 0;
}

/* The first `most` characters of a text, with dots for what is cut off. */
static char *clip_text(const char *text, int most) {
  if (text_width(text) <= most) return copy_text(text, strlen(text));
  const char *p = text;
  for (int k = 0; *p; p++) /* the byte that begins the first character too many */
    if (((unsigned char)*p & 0xC0) != 0x80 && k++ == most - 2) break;
  return format_text("%.*s..", (int)(p - text), text);
}

/* Names of columns and rows stand at the edge of the picture, whichever panel is the first to write them. */
static void write_names(FILE *g, const layout *l, int row, int column) {
  double left, top;
  if (leads_column(l, row, column)) {
    find_place(l, -1, column, &left, &top);
    char *name = clip_text(l->f->column_titles[column], (int)((l->panel_width + l->gap_x) / LETTER));
    fputs("set label 3 ", g);
    quote(g, name);
    fprintf(g, " at screen %.5f, screen %.5f center front\n", (left + l->panel_width / 2) / l->width,
            1 - (top - 27) / l->height);
    free(name);
  }
  if (leads_row(l, row, column)) {
    find_place(l, row, column - l->slot[column], &left, &top);
    fputs("set label 2 ", g);
    quote(g, l->f->row_titles[row]);
    fprintf(g, " at screen %.5f, screen %.5f center rotate by 90 font \",%s\" front\n", (left - 72) / l->width,
            1 - (top + l->panel_height / 2) / l->height, l->small);
  }
}

/* Text: name and quantity above the panel, and how much of the limit is used. Nothing is wider than its panel. */
static void title_text(FILE *g, const layout *l, int row, int column) {
  const panel *p = figure_panel(l->f, row, column);
  char use[NUMBER_TEXT], *what = copy_text(l->f->row_titles[row], strlen(l->f->row_titles[row]));
  for (char *c = what; *c; c++)
    if (*c == '\n') *c = ' ';
  bool over = tell_use(p, use);
  char *end = format_text("%s%s%s%s%s", *what ? " " : "", what, *use ? ", " : "", use, over ? " !" : "");
  int room = text_columns() / text_across() - 4 - text_width(end);
  char *name = clip_text(l->f->column_titles[column], room > 8 ? room : 8), *all = format_text("%s%s", name, end);
  fputs("set title ", g);
  quote(g, all);
  fputc('\n', g);
  free(what);
  free(end);
  free(name);
  free(all);
  if (!l->x_title) return;
  fputs("set xlabel ", g);
  quote(g, l->x_title);
  fputc('\n', g);
}

static void title_panel(FILE *g, const layout *l, int row, int column) {
  if (l->text) {
    title_text(g, l, row, column);
    return;
  }
  write_names(g, l, row, column);
  bool last = ends_column(l, row, column);
  fputs(last ? "set format x\n" : "set format x \"\"\n", g);
  if (!last) return;
  fputs("set xlabel ", g);
  quote(g, l->x_title);
  fprintf(g, " offset 0, 0.9 font \",%s\"\n", l->small);
}

static void plot_curve(FILE *g, const layout *l, const panel *p, range r) {
  /* gnuplot's text has no dashes: limits are drawn first, in # */
  const char *limit = l->text ? "with lines lt 2" : "with lines lw 0.8 dt (4,3) lc rgb \"#666666\"";
  fputs("plot ", g);
  if (p->upper < r.high) fprintf(g, "%.9g %s, ", p->upper, limit);
  if (p->lower > r.low) fprintf(g, "%.9g %s, ", p->lower, limit);
  fprintf(g, "$d using 1:2 with lines %s\n", l->text ? "lt 1" : "lw 1.3 lc rgb \"#10365c\"");
}

static void draw_panel(FILE *g, const layout *l, int row, int column) {
  panel *p = figure_panel(l->f, row, column);
  if (p->count == 0) return;
  range r = range_of(p, l->row_sizes[row]);
  if (l->text && (p->upper < r.high || p->lower > r.low)) { /* a line of text between the limits and the frame */
    double more = 0.12 * (r.high - r.low);
    r = (range){r.low - more, r.high + more};
  }
  double step_x = round_step((l->x1 - l->x0) / 4), step_y = round_step((r.high - r.low) / 3.2);
  double per_x = l->panel_width / (l->x1 - l->x0);
  fputs("unset object\nunset label 1\nunset label 2\nunset label 3\nunset xlabel\n", g);
  if (!l->text) {
    place_panel(g, l, row, column);
    write_use(g, l, p);
    shade_violations(g, p, draw_limits(g, p, r, 1));
  }
  title_panel(g, l, row, column);
  thin_out(p, per_x, l->panel_height / (r.high - r.low));
  write_data(g, p, 1 / per_x);
  fprintf(g, "set xrange [%.9g:%.9g]\nset yrange [%.9g:%.9g]\nset xtics %.9g\nset ytics %.9g\n", l->x0, l->x1, r.low,
          r.high, step_x, step_y);
  plot_curve(g, l, p, r);
  fputs("unset label 1000\n", g);
}

/* ---- Running gnuplot ---- */

static bool find_gnuplot(void) {
#ifdef _WIN32
  return true;
#else
  const char *path = getenv("PATH");
  for (const char *p = path ? path : "/usr/bin:/bin"; *p;) {
    size_t n = strcspn(p, ":");
    char *full = format_text("%.*s/gnuplot", (int)n, p);
    bool found = access(full, X_OK) == 0;
    free(full);
    if (found) return true;
    p += n + (p[n] == ':');
  }
  return false;
#endif
}

int figure_check(const char *command, const char *path) {
  if (format_of(path) == NO_FORMAT)
    return usage_error(command, "%s: pictures end in .svg, .png or .pdf; - is text in the terminal", path);
  if (find_gnuplot()) return OPTION_GO_ON;
  fputs("jounce: plots need gnuplot, which is not in the PATH; on Debian: apt-get install gnuplot-nox\n", stderr);
  return EXIT_BAD;
}

/* Does the file end as its format does? gnuplot does not tell of a disk that is full. */
static bool is_whole(const char *path, format kind) {
  static const char *const ends[] = {"", "</svg>", "IEND", "%%EOF"};
  char tail[64];
  FILE *file = fopen(path, "rb");
  if (!file) return false;
  long length = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
  long from = length > (long)sizeof tail ? length - (long)sizeof tail : 0;
  size_t wanted = strlen(ends[kind]), n = 0;
  if (length > 0 && fseek(file, from, SEEK_SET) == 0) n = fread(tail, 1, sizeof tail, file);
  fclose(file);
  for (size_t i = 0; i + wanted <= n; i++)
    if (memcmp(tail + i, ends[kind], wanted) == 0) return true;
  return false;
}

/* A part of a picture is of no use; what is not a plain file (/dev/full) stays. */
static void remove_part(const char *path) {
#ifdef _WIN32
  remove(path);
#else
  struct stat about;
  if (lstat(path, &about) == 0 && S_ISREG(about.st_mode)) remove(path);
#endif
}

/* Can the file be written? Tells why not, as gnuplot would only in its own words. */
static bool try_output(const char *path) {
  FILE *file = fopen(path, "wb");
  if (file && fclose(file) == 0) return true;
  fprintf(stderr, "jounce: cannot write %s: %s\n", path, strerror(errno));
  return false;
}

static bool run_gnuplot(figure *f, const layout *l, const char *path) {
#ifdef _WIN32
  FILE *g = popen("gnuplot", "w");
#else
  FILE *g = popen("LC_ALL=C.UTF-8 gnuplot", "w"); /* or it warns that it cannot write a degree sign */
#endif
  if (!g) {
    fprintf(stderr, "jounce: cannot run gnuplot: %s\n", strerror(errno));
    return false;
  }
  write_terminal(g, l, path);
  write_style(g, l);
  for (int r = 0; r < f->rows; r++)
    for (int c = 0; c < f->columns; c++) draw_panel(g, l, r, c);
  fputs("unset multiplot\nset output\n", g);
  if (pclose(g) == 0) return true;
  fprintf(stderr, "jounce: gnuplot could not draw %s\n", l->text ? "the text" : path);
  return false;
}

/* From gnuplot's file to stdout, where a disk that is full is noticed, without spaces at the ends of lines. */
static void copy_lines(FILE *from) {
  long spaces = 0;
  for (int c; (c = fgetc(from)) != EOF;) {
    if (c == '\f') continue;
    if (c == ' ') {
      spaces++;
      continue;
    }
    if (c != '\n') printf("%*s", (int)spaces, "");
    spaces = 0;
    putchar(c);
  }
}

static bool draw_text(figure *f, const layout *l) {
#ifdef _WIN32
  char *path = _tempnam(NULL, "jounce");
  FILE *file = path ? fopen(path, "w+") : NULL;
#else
  const char *folder = getenv("TMPDIR");
  char *path = format_text("%s/jounce_plot_XXXXXX", folder && *folder ? folder : "/tmp");
  int descriptor = mkstemp(path);
  FILE *file = descriptor >= 0 ? fdopen(descriptor, "r") : NULL;
#endif
  bool good = file != NULL, limited = false;
  if (!good) fprintf(stderr, "jounce: cannot write a temporary file: %s\n", strerror(errno));
  good = good && run_gnuplot(f, l, path);
  if (good) copy_lines(file);
  for (int i = 0; i < f->rows * f->columns; i++)
    limited |= isfinite(f->panels[i].lower) || isfinite(f->panels[i].upper);
  if (good && limited) puts("#: a limit; %: how much of it is used; !: broken");
  if (file) {
    fclose(file);
    remove(path);
  }
  free(path);
  return good;
}

int figure_draw(figure *f, const char *path) {
  layout l = lay_out(f, path);
  fflush(stdout);
#ifndef _WIN32
  signal(SIGPIPE, SIG_IGN); /* a gnuplot that ends early is told by its status */
#endif
  bool good = l.text ? draw_text(f, &l) : try_output(path);
  if (good && !l.text) {
    good = run_gnuplot(f, &l, path);
    if (good && !is_whole(path, l.format)) {
      fprintf(stderr, "jounce: cannot write %s: the picture is not whole; is the disk full?\n", path);
      good = false;
    }
    if (!good) remove_part(path);
  }
  layout_free(&l);
  return good ? OPTION_GO_ON : EXIT_BAD;
}
