/* SPDX-License-Identifier: BSD-2-Clause */
/* Figures drawn by gnuplot: where everything goes, the script, pages. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../command.h"
#include "../files/output.h"
#include "../options/options.h"
#include "../text/print.h"
#include "figure.h"
#include "gnuplot.h"

/* ---- Layout, in pixels ---- */

static const double LETTER = 7.2; /* width of most letters of titles, and more than that of many */
static const double LINE = 17;    /* of titles */
static const double RIGHT = 22;   /* margin */
static const double LEAST_PANEL_WIDTH = 90, LEAST_PANEL_HEIGHT = 48;

typedef enum format { AS_TEXT, AS_SVG, AS_PNG, AS_PDF, NO_FORMAT } format;

/* By the ending of the name, in small letters or capitals. */
static format format_of(const char *path) {
  static const char *const endings[] = {"", ".svg", ".png", ".pdf"};
  if (strcmp(path, "-") == 0) return AS_TEXT;
  for (int k = AS_SVG; k <= AS_PDF; k++)
    if (ends_with(path, endings[k]) && !ends_with(endings[k], path)) return (format)k;
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
  figure_size size; /* that was asked for */
  int title_lines;
  int lines;                        /* of panels, in all bands */
  double left, top, bottom;         /* margins of the picture */
  double panel_width, panel_height; /* of the frame of one panel */
  double gap_x, gap_y, band_gap;
  const time_axis *times;
  char *title;             /* in lines that are not too long */
  const double *row_sizes; /* [rows] largest |y| */
  const char *small;       /* size of the font of numbers, in points of the terminal */
} layout;

static void layout_free(layout *l) {
  free(l->band);
  free(l->line);
  free(l->tops);
  free(l->title);
}

static void find_bands(layout *l) {
  const figure *f = l->f;
  const double sides = l->left + RIGHT - l->gap_x;
  int most = 8;

  // Panels beside each other: those that fit into a given width, at most 8.
  if (l->size.width > 0) most = (int)fmin(most, (l->size.width - sides) / (LEAST_PANEL_WIDTH + l->gap_x));

  l->band = allocate(2 * (size_t)f->columns * sizeof *l->band);
  l->slot = l->band + f->columns;
  for (int c = 0, end; c < f->columns; c = end) {
    for (end = c + 1; end < f->columns && f->groups[end] == f->groups[c];) end++;
    int bands = (end - c + most - 1) / most, each = (end - c + bands - 1) / bands; /* of about the same width */
    for (int i = c; i < end; i++) {
      l->band[i] = l->bands + (i - c) / each;
      l->slot[i] = (i - c) % each;
    }
    l->bands = l->band[end - 1] + 1;
    l->across = each > l->across ? each : l->across;
  }

  // A given width is divided among them.
  if (l->size.width > 0) l->panel_width = (l->size.width - sides) / l->across - l->gap_x;
  l->width = sides + l->across * (l->panel_width + l->gap_x);
}

/* Panel heights that fill the given height with all rows of all bands. */
static double fit_panel_height(const layout *l, const int *lines) {
  double rest = l->size.height - l->top - l->bottom - (l->bands - 1) * l->band_gap;
  for (int b = 0; b < l->bands; b++) rest -= (lines[b] - 1) * l->gap_y;
  return rest / l->lines;
}

/* Rows of each band, from the top down; the height follows, or those of the panels from a given one. */
static void find_lines(layout *l, bool fit) {
  const figure *f = l->f;
  int *band_lines = allocate((size_t)l->bands * sizeof *band_lines);
  l->line = allocate((size_t)l->bands * (size_t)f->rows * sizeof *l->line);
  l->tops = allocate((size_t)l->bands * sizeof *l->tops);
  for (int b = 0; b < l->bands; b++) {
    int lines = 0;
    for (int r = 0; r < f->rows; r++) {
      bool used = false;
      for (int c = 0; c < f->columns; c++) used |= l->band[c] == b && figure_panel(f, r, c)->count > 0;
      l->line[b * f->rows + r] = used ? lines++ : -1;
    }
    band_lines[b] = lines;
    l->lines += lines;
  }

  // Bands follow each other.
  if (fit) l->panel_height = fit_panel_height(l, band_lines);
  double y = l->top;
  for (int b = 0; b < l->bands; b++) {
    l->tops[b] = y;
    y += band_lines[b] * (l->panel_height + l->gap_y) - l->gap_y + l->band_gap;
  }
  l->height = y - l->band_gap + l->bottom;
  free(band_lines);
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

static double *find_row_sizes(const figure *f) {
  double *sizes = allocate((size_t)f->rows * sizeof *sizes);
  for (int r = 0; r < f->rows; r++) {
    sizes[r] = 0;
    for (int c = 0; c < f->columns; c++) {
      for (const panel *p = figure_panel(f, r, c); p; p = p->next)
        for (int i = 0; i < p->count; i++) sizes[r] = fmax(sizes[r], fabs(p->y[i]));
    }
  }
  return sizes;
}

/* `whole` is the figure of which f is one page, or which f itself is, with the largest |y| of its rows. Panels of a
 * page fill a given size; those of the whole are as low as they may be, to find what fits on a page. */
static layout lay_out(const figure *f, format kind, const figure *whole, const time_axis *times,
                      const double *row_sizes, figure_size size) {
  layout l = {.f = f, .format = kind, .text = kind == AS_TEXT, .times = times, .row_sizes = row_sizes, .size = size};
  l.left = 100;
  l.top = 70;
  l.bottom = 44;
  l.panel_width = whole->columns > 4 ? 112 : 220;
  l.panel_height = size.height > 0 ? LEAST_PANEL_HEIGHT : f->rows > 5 ? 74 : 96;
  l.gap_x = 48;
  l.gap_y = 20;
  l.band_gap = 76;
  l.small = kind == AS_PNG ? (size.density > 1 ? "15" : "7.5") : kind == AS_PDF ? "7.5" : "10";
  find_bands(&l);
  l.title_lines = break_title(&l, (int)((l.width - 24) / LETTER));
  l.top += LINE * (l.title_lines + f->curve_count - 1);
  find_lines(&l, size.height > 0 && f != whole);
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

/* All of the curves, and the limits when they come near them. */
static range range_of(const panel *p, double row_size) {
  range r = {INFINITY, -INFINITY};
  for (const panel *curve = p; curve; curve = curve->next) {
    for (int i = 0; i < curve->count; i++) {
      r.low = fmin(r.low, curve->y[i]);
      r.high = fmax(r.high, curve->y[i]);
    }
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

/* Width of the terminal, and panels beside each other in it. */
static int text_columns(void) {
  const char *columns = getenv("COLUMNS");
  return columns && atoi(columns) > 40 ? atoi(columns) : 100;
}

static int text_across(void) { return text_columns() / 40; }

static void write_terminal(FILE *g, const layout *l) {
  fputs("set encoding utf8\n", g);
  double w = l->width, h = l->height;
  if (l->text) {
    int across = text_across(), count = 0;
    for (int i = 0; i < l->f->rows * l->f->columns; i++) count += l->f->panels[i].count > 0;
    int down = (count + across - 1) / across;
    fprintf(g, "set terminal dumb size %d, %d noenhanced aspect 1\n", text_columns(), 13 * down);
    fprintf(g, "set multiplot layout %d, %d\n", down, across);
    return; /* one page, however long */
  }
  if (l->format == AS_PNG)
    fprintf(g, "set terminal pngcairo size %.0f, %.0f font \"sans-serif,%.0f\" linewidth %.0f noenhanced\n",
            l->size.density * w, l->size.density * h, 9 * l->size.density, l->size.density);
  else if (l->format == AS_PDF)
    fprintf(g, "set terminal pdfcairo size %.3fin, %.3fin font \"sans-serif,9\" noenhanced\n", w / 96, h / 96);
  else
    fprintf(g, "set terminal svg size %.0f, %.0f font \"sans-serif,12\" noenhanced background \"white\"\n", w, h);
}

/* The first `most` characters of a text, with dots for what is cut off. */
static char *clip_text(const char *text, int most) {
  if (text_width(text) <= most) return copy_text(text, strlen(text));
  const char *p = text;
  for (int k = 0; *p; p++) /* the byte that begins the first character too many */
    if (((unsigned char)*p & 0xC0) != 0x80 && k++ == most - 2) break;
  return format_text("%.*s..", (int)(p - text), text);
}

/* Dashes and shades tell the curves of a frame apart without colour, too. */
static const char *const curve_styles[FIGURE_STYLES] = {
    "lw 1.3 lc rgb \"#10365c\"",           "lw 1.6 dt (7,4) lc rgb \"#d95f02\"",
    "lw 1.8 dt (2,3) lc rgb \"#1b7837\"",  "lw 1.3 dt (10,3,2,3) lc rgb \"#a6208a\"",
    "lw 1.3 dt (14,5) lc rgb \"#707070\"", "lw 1.6 dt (2,2,2,6) lc rgb \"#0090b0\""};

/* A line for each curve below the title, with a piece of the curve before its name. */
static void write_legend(FILE *g, const layout *l) {
  for (int i = 0; i < l->f->curve_count; i++) {
    double y = 1 - (16 + LINE * (l->title_lines + i)) / l->height;
    char *name = clip_text(l->f->curve_names[i], (int)((l->width - 80) / LETTER));
    fprintf(g, "set arrow %d from screen %.5f, %.5f to screen %.5f, %.5f nohead front %s\n", 1001 + i, 12 / l->width, y,
            56 / l->width, y, curve_styles[i]);
    fprintf(g, "set label %d ", 1001 + i);
    gnuplot_text(g, name);
    fprintf(g, " at screen %.5f, %.5f left front\n", 64 / l->width, y);
    free(name);
  }
}

/* What a page begins with. */
static void write_style(FILE *g, const layout *l) {
  if (!l->text) fputs("set multiplot\n", g);
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
  gnuplot_text(g, l->title);
  fprintf(g, " at screen %.5f, %.5f left front\n", 12 / l->width, 1 - 16 / l->height);
  write_legend(g, l);
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

/* "83 %" of the limit into text; is it broken? "" if there is no share. */
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
  fprintf(g, "$d%d << EOD\n", p->style);
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

/* The quantity of a row, below it the units that the panels of one band have there: one, or all when they differ. */
static char *title_row(const layout *l, int row, int band) {
  const figure *f = l->f;
  char *units = copy_text("", 0);
  for (int c = 0; c < f->columns; c++) {
    const char *unit = figure_panel(f, row, c)->unit;
    bool told = l->band[c] != band || figure_panel(f, row, c)->count == 0 || !unit;
    for (int b = 0; b < c && !told; b++) {
      const panel *p = figure_panel(f, row, b);
      told = l->band[b] == band && p->count > 0 && p->unit && strcmp(p->unit, unit) == 0;
    }
    if (told) continue;
    char *longer = format_text("%s%s%s", units, *units ? ", " : "", unit);
    free(units);
    units = longer;
  }
  char *title = *units ? format_text("%s\n[%s]", f->row_titles[row], units) : format_text("%s", f->row_titles[row]);
  free(units);
  return title;
}

/* Names of columns and rows stand at the edge of the picture, whichever panel is the first to write them. */
static void write_names(FILE *g, const layout *l, int row, int column) {
  double left, top;
  if (leads_column(l, row, column)) {
    find_place(l, -1, column, &left, &top);
    char *name = clip_text(l->f->column_titles[column], (int)((l->panel_width + l->gap_x) / LETTER));
    fputs("set label 3 ", g);
    gnuplot_text(g, name);
    fprintf(g, " at screen %.5f, screen %.5f center front\n", (left + l->panel_width / 2) / l->width,
            1 - (top - 27) / l->height);
    free(name);
  }
  if (leads_row(l, row, column)) {
    find_place(l, row, column - l->slot[column], &left, &top);
    char *title = title_row(l, row, l->band[column]);
    fputs("set label 2 ", g);
    gnuplot_text(g, title);
    free(title);
    fprintf(g, " at screen %.5f, screen %.5f center rotate by 90 font \",%s\" front\n", (left - 72) / l->width,
            1 - (top + l->panel_height / 2) / l->height, l->small);
  }
}

/* Text: name and quantity above the panel, and how much of the limit is used. Nothing is wider than its panel. */
static void title_text(FILE *g, const layout *l, int row, int column) {
  const panel *p = figure_panel(l->f, row, column);
  char use[NUMBER_TEXT], *what = p->unit ? format_text("%s [%s]", l->f->row_titles[row], p->unit)
                                         : format_text("%s", l->f->row_titles[row]);
  for (char *c = what; *c; c++)
    if (*c == '\n') *c = ' ';
  bool over = tell_use(p, use);
  char *end = format_text("%s%s%s%s%s", *what ? " " : "", what, *use ? ", " : "", use, over ? " !" : "");
  int room = text_columns() / text_across() - 4 - text_width(end);
  char *name = clip_text(l->f->column_titles[column], room > 8 ? room : 8), *all = format_text("%s%s", name, end);
  fputs("set title ", g);
  gnuplot_text(g, all);
  fputc('\n', g);
  free(what);
  free(end);
  free(name);
  free(all);
  if (!l->times->title) return;
  fputs("set xlabel ", g);
  gnuplot_text(g, l->times->title);
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
  gnuplot_text(g, l->times->title);
  fprintf(g, " offset 0, 0.9 font \",%s\"\n", l->small);
}

static void plot_curves(FILE *g, const layout *l, const panel *p, range r) {
  /* gnuplot's text has no dashes: limits are drawn first, in # */
  const char *limit = l->text ? "with lines lt 2" : "with lines lw 0.8 dt (4,3) lc rgb \"#666666\"";
  fputs("plot ", g);
  if (p->upper < r.high) fprintf(g, "%.9g %s, ", p->upper, limit);
  if (p->lower > r.low) fprintf(g, "%.9g %s, ", p->lower, limit);
  for (const panel *curve = p; curve; curve = curve->next) {
    fprintf(g, "$d%d using 1:2 with lines ", curve->style);
    if (l->text)
      fprintf(g, "lt %d", curve->style + 1);
    else
      fputs(curve_styles[curve->style], g);
    fputs(curve->next ? ", " : "\n", g);
  }
}

/* Ticks that have space enough, also in panels of a size that was asked for. */
static void write_ticks(FILE *g, const layout *l, range r) {
  bool given = l->size.width > 0;
  double across = given ? fmin(fmax(l->panel_width / 50, 2), 12) : 4;
  double up = given ? fmin(fmax(l->panel_height / 30, 1.6), 10) : 3.2;
  fprintf(g, "set xrange [%.9g:%.9g]\nset yrange [%.9g:%.9g]\nset xtics %.9g\nset ytics %.9g\n", l->times->x0,
          l->times->x1, r.low, r.high, round_step((l->times->x1 - l->times->x0) / across),
          round_step((r.high - r.low) / up));
}

static void draw_panel(FILE *g, const layout *l, int row, int column) {
  panel *p = figure_panel(l->f, row, column);
  if (p->count == 0) return;
  range r = range_of(p, l->row_sizes[row]);
  if (l->text && (p->upper < r.high || p->lower > r.low)) { /* a line of text between the limits and the frame */
    double more = 0.12 * (r.high - r.low);
    r = (range){r.low - more, r.high + more};
  }
  double per_x = l->panel_width / (l->times->x1 - l->times->x0);
  fputs("unset object\nunset label 1\nunset label 2\nunset label 3\nunset xlabel\n", g);
  if (!l->text) {
    place_panel(g, l, row, column);
    write_use(g, l, p);
    shade_violations(g, p, draw_limits(g, p, r, 1));
  }
  title_panel(g, l, row, column);
  for (panel *curve = p; curve; curve = curve->next) {
    panel_thin(curve, per_x, l->panel_height / (r.high - r.low));
    write_data(g, curve, 1 / per_x);
  }
  write_ticks(g, l, r);
  plot_curves(g, l, p, r);

  // Title and legend are drawn with the first panel only.
  fputs("unset label 1000\nunset arrow\n", g);
  for (int i = 0; i < l->f->curve_count; i++) fprintf(g, "unset label %d\n", 1001 + i);
}

static void draw_page(FILE *g, const layout *l) {
  write_style(g, l);
  for (int r = 0; r < l->f->rows; r++)
    for (int c = 0; c < l->f->columns; c++) draw_panel(g, l, r, c);
  fputs("unset multiplot\n", g);
}

/* ---- Pages ---- */

enum { MOST_COLUMNS = 1000, MOST_PAGES = 60, MOST_TEXT_PANELS = 2000 };
static const double PAGE_HEIGHT = 1600; /* pixels */

/* Columns first ... last - 1 of a figure, as a figure that shares its curves and titles. */
static figure view_columns(const figure *f, int first, int last) {
  figure v = *f;
  v.columns = last - first;
  v.column_titles = f->column_titles + first;
  v.groups = f->groups + first;
  v.panels = allocate((size_t)f->rows * (size_t)v.columns * sizeof *v.panels);
  for (int r = 0; r < f->rows; r++)
    for (int c = 0; c < v.columns; c++) *figure_panel(&v, r, c) = *figure_panel(f, r, first + c);
  return v;
}

typedef struct pages {
  int count;
  figure *views;
  layout *layouts;
  time_axis times;
  double *row_sizes;
} pages;

/* The first column behind the page that begins with column `first`: as many bands as fit, at least one. */
static int end_of_page(const layout *all, int first) {
  const figure *f = all->f;
  const double most = all->size.height > 0 ? all->size.height : PAGE_HEIGHT;
  double height = all->top + all->bottom, before = all->tops[all->band[first]];
  int end = first;
  while (end < f->columns) {
    int band = all->band[end];
    double below = band + 1 < all->bands ? all->tops[band + 1] : all->height - all->bottom + all->band_gap;
    if (end > first && height + below - all->band_gap - before > most) break;
    while (end < f->columns && all->band[end] == band) end++;
  }
  return end;
}

/* p stays where it is: the layouts point into it. */
static void make_pages(pages *p, const figure *f, format kind, figure_size size) {
  *p = (pages){.times = figure_times(f, kind == AS_TEXT), .row_sizes = find_row_sizes(f)};
  layout all = lay_out(f, kind, f, &p->times, p->row_sizes, size);
  p->views = allocate((size_t)all.bands * sizeof *p->views);
  p->layouts = allocate((size_t)all.bands * sizeof *p->layouts);
  for (int first = 0, end; first < f->columns; first = end) {
    end = all.text ? f->columns : end_of_page(&all, first);
    p->views[p->count++] = view_columns(f, first, end);
  }
  layout_free(&all);
  double highest = 0, widest = 0;
  for (int i = 0; i < p->count; i++) {
    char *title = f->title ? f->title : "";
    p->views[i].title =
        p->count > 1 ? format_text("%s (page %d of %d)", title, i + 1, p->count) : format_text("%s", title);
    p->layouts[i] = lay_out(&p->views[i], kind, f, &p->times, p->row_sizes, size);
    highest = fmax(highest, p->layouts[i].height);
    widest = fmax(widest, p->layouts[i].width);
  }
  for (int i = 0; i < p->count && kind == AS_PDF; i++) { /* all pages are of one size */
    p->layouts[i].height = highest;
    p->layouts[i].width = widest;
  }
}

static void pages_free(pages *p) {
  for (int i = 0; i < p->count; i++) {
    layout_free(&p->layouts[i]);
    free(p->views[i].panels);
    free(p->views[i].title);
  }
  free(p->views);
  free(p->layouts);
  free(p->times.title);
  free(p->row_sizes);
}

/* ---- Drawing ---- */

int figure_check(const char *command, const char *path, const char *size) {
  int status = figure_check_size(command, path, size);
  if (status != OPTION_GO_ON || !path) return status;
  if (format_of(path) == NO_FORMAT)
    return usage_error(command, "%s: pictures end in .svg, .png or .pdf; - is text in the terminal", path);
  if (gnuplot_exists()) return OPTION_GO_ON;
  fputs("jounce: plots need gnuplot, which is not in the PATH; on Debian: apt-get install gnuplot-nox\n", stderr);
  return EXIT_BAD;
}

/* Does the file that gnuplot wrote end as its format requires? gnuplot does not report a full disk. */
static bool is_whole(FILE *drawn, format kind) {
  static const char *const ends[] = {"", "</svg>", "IEND", "%%EOF"};
  char tail[64];
  long length = fseek(drawn, 0, SEEK_END) == 0 ? ftell(drawn) : -1;
  long from = length > (long)sizeof tail ? length - (long)sizeof tail : 0;
  size_t wanted = strlen(ends[kind]), n = 0;
  if (length > 0 && fseek(drawn, from, SEEK_SET) == 0) n = fread(tail, 1, sizeof tail, drawn);
  for (size_t i = 0; i + wanted <= n; i++)
    if (memcmp(tail + i, ends[kind], wanted) == 0) return true;
  return false;
}

/* Layouts first ... last - 1 as gnuplot draws them, in a temporary file without a name, read from its beginning; NULL
 * after reporting why not. */
static FILE *draw_pages(const layout *first, const layout *last, const char *path) {
  FILE *script = open_temporary(), *drawn = open_temporary();
  bool good = script && drawn;
  if (!good) fputs("jounce: cannot make a temporary file\n", stderr);
  if (good) {
    write_terminal(script, first);
    for (const layout *l = first; l < last; l++) draw_page(script, l);
    fputs("set output\n", script);
    good = gnuplot_run(script, drawn) && is_whole(drawn, first->format);
    if (!good) say(stderr, "jounce: gnuplot could not draw %s\n", first->text ? "the text" : path);
  }
  if (script) fclose(script);
  if (good) rewind(drawn);
  if (good || !drawn) return good ? drawn : NULL;
  fclose(drawn);
  return NULL;
}

/* The text without spaces at the ends of lines. */
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

static bool draw_text(const figure *f, const pages *p) {
  int panels = 0;
  bool limited = false;
  for (int i = 0; i < f->rows * f->columns; i++) {
    panels += f->panels[i].count > 0;
    limited |= isfinite(f->panels[i].lower) || isfinite(f->panels[i].upper);
  }
  if (panels > MOST_TEXT_PANELS) {
    fprintf(stderr, "jounce: %d panels are too many to draw; choose fewer with --joints (jounce plot: or --columns)\n",
            panels);
    return false;
  }
  FILE *drawn = draw_pages(p->layouts, p->layouts + p->count, "-");
  if (!drawn) return false;
  copy_lines(drawn);
  fclose(drawn);
  if (limited) puts("#: a limit; %: how much of it is used; !: broken");
  for (int i = 0; i < f->curve_count; i++) say(stdout, "%c: %s\n", "*#$%@&"[i], f -> curve_names[i]);
  return true;
}

static void copy_bytes(FILE *from, FILE *to) {
  char bytes[1 << 14];
  for (size_t n; (n = fread(bytes, 1, sizeof bytes, from)) > 0;) fwrite(bytes, 1, n, to);
}

/* All files are drawn before the first takes its place. PDF has all pages in one. */
static bool draw_files(const pages *p, format kind, const char *path, int count) {
  int each = p->count / count, filled = 0, placed = 0;
  output *files = allocate((size_t)count * sizeof *files);
  char **names = allocate((size_t)count * sizeof *names);
  bool good = true;
  for (; good && filled < count; filled++) {
    const layout *first = p->layouts + filled * each;
    names[filled] = figure_file(path, filled, count);
    FILE *to = output_open(&files[filled], names[filled]), *drawn = to ? draw_pages(first, first + each, path) : NULL;
    good = drawn != NULL;
    if (!drawn) continue;
    copy_bytes(drawn, to);
    fclose(drawn);
  }
  for (; placed < filled; placed++) {
    good = output_close(&files[placed], good) && good;
    free(names[placed]);
  }
  free(files);
  free(names);
  return good && kind != NO_FORMAT;
}

/* Has every page the height for its rows? */
static bool has_height(const pages *p) {
  for (int i = 0; i < p->count; i++) {
    const layout *l = &p->layouts[i];
    if (l->size.height == 0 || l->panel_height > 0.8 * LEAST_PANEL_HEIGHT) continue;
    double least = ceil(l->height + l->lines * (LEAST_PANEL_HEIGHT - l->panel_height));
    fprintf(stderr,
            "jounce: --size: %d rows of panels need a height of at least %.0f pixels (%.1f cm); give more, or draw "
            "fewer rows\n",
            l->lines, least, least / 96 * 2.54 + 0.05);
    return false;
  }
  return true;
}

int figure_draw(figure *f, const char *path, const char *size, int *files) {
  format kind = format_of(path);
  bool good = false;
  pages p;
  *files = 0;
  fflush(stdout);
  figure_drop_zero(f);
  if (f->columns > MOST_COLUMNS) {
    fprintf(
        stderr,
        "jounce: %d columns of panels are too many to draw; choose fewer with --joints (jounce plot: or --columns)\n",
        f->columns);
    return EXIT_BAD;
  }
  make_pages(&p, f, kind, figure_read_size(size));
  *files = kind == AS_SVG || kind == AS_PNG ? p.count : 1;
  if (kind == AS_TEXT)
    good = draw_text(f, &p);
  else if (p.count > MOST_PAGES)
    fprintf(stderr, "jounce: %d pages are too many to draw; choose fewer with --joints (jounce plot: or --columns)\n",
            p.count);
  else if (has_height(&p))
    good = draw_files(&p, kind, path, *files);
  pages_free(&p);
  return good ? OPTION_GO_ON : EXIT_BAD;
}
