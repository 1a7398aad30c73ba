/* SPDX-License-Identifier: BSD-2-Clause */
#include "figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../text/print.h"
#include "../text/text.h"

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

/* What a panel holds, and the curves behind it. */
static void empty_panel(panel *p) {
  free(p->x);
  free(p->y);
  free(p->unit);
  for (panel *curve = p->next, *next; curve; curve = next) {
    next = curve->next;
    free(curve->x);
    free(curve->y);
    free(curve);
  }
  *p = (panel){.lower = -INFINITY, .upper = INFINITY};
}

void figure_free(figure *f) {
  for (int i = 0; i < f->rows * f->columns; i++) empty_panel(&f->panels[i]);
  for (int i = 0; i < f->rows; i++) free(f->row_titles[i]);
  for (int i = 0; i < f->columns; i++) free(f->column_titles[i]);
  for (int i = 0; i < f->curve_count; i++) free(f->curve_names[i]);
  free(f->curve_names);
  free(f->row_titles);
  free(f->panels);
  free(f->groups);
  free(f->title);
  free(f->x_title);
}

panel *figure_panel(const figure *f, int row, int column) { return &f->panels[row * f->columns + column]; }

static const char *const raised[] = {"", "", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};

char *figure_quantity(bool torque, int order) {
  static const char *const motions[] = {"position", "velocity", "acceleration", "jerk"};
  if (!torque && order < 4) return copy_text(motions[order], strlen(motions[order]));
  if (torque && order == 0) return format_text("torque τ");
  if (torque && order == 1) return format_text("dτ/dt");
  if (torque && order < 10) return format_text("d%sτ/dt%s", raised[order], raised[order]);
  return format_text("order %d", order);
}

char *figure_unit(const char *unit, int order) {
  if (order == 0) return copy_text(unit, strlen(unit));
  return order < 10 ? format_text("%s/s%s", unit, raised[order]) : format_text("%s/s^%d", unit, order);
}

/* ---- Panels without anything to see ---- */

/* Is every curve zero wherever it has a value, and zero allowed? */
static bool is_zero(const panel *p) {
  if (p->lower > 0 || p->upper < 0) return false;
  for (const panel *curve = p; curve; curve = curve->next)
    for (int i = 0; i < curve->count; i++)
      if (curve->y[i] != 0 && !isnan(curve->y[i])) return false;
  return p->count > 0;
}

/* Adds a name to a list of at most ten. */
static void add_name(char **list, int *count, char *name) {
  enum { MOST_NAMED = 10 };
  if ((*count)++ < MOST_NAMED) {
    char *longer = format_text("%s%s%s", *list, **list ? ", " : "", name);
    free(*list);
    *list = longer;
  }
  if (*count == MOST_NAMED + 1) {
    char *longer = format_text("%s, ...", *list);
    free(*list);
    *list = longer;
  }
  free(name);
}

/* Empties the panels of one column that are zero. A column that has no other panel is named as a whole. */
static void drop_in_column(figure *f, int column, char **list, int *count) {
  int zeros = 0, others = 0;
  for (int r = 0; r < f->rows; r++) {
    const panel *p = figure_panel(f, r, column);
    bool zero = is_zero(p);
    zeros += zero;
    others += p->count > 0 && !zero;
  }

  // The names as the figure would have shown them; the unit, on a line of its own, is not needed.
  const char *name = f->column_titles[column];
  if (zeros > 0 && others == 0) add_name(list, count, copy_text(name, strlen(name)));
  for (int r = 0; r < f->rows; r++) {
    panel *p = figure_panel(f, r, column);
    if (!is_zero(p)) continue;
    const char *title = f->row_titles[r];
    if (others > 0) add_name(list, count, format_text("%s %.*s", name, (int)strcspn(title, "\n"), title));
    empty_panel(p);
  }
}

/* Closes the gaps of columns that have no panel left. */
static void drop_empty_columns(figure *f) {
  int kept = 0, before = f->columns;
  bool *has_panel = allocate((size_t)before * sizeof *has_panel);
  for (int c = 0; c < before; c++) {
    has_panel[c] = false;
    for (int r = 0; r < f->rows; r++) has_panel[c] |= figure_panel(f, r, c)->count > 0;
  }

  // Titles and groups move to the left; a title that is left out is released.
  for (int c = 0; c < before; c++) {
    if (!has_panel[c]) {
      free(f->column_titles[c]);
      continue;
    }
    f->groups[kept] = f->groups[c];
    f->column_titles[kept++] = f->column_titles[c];
  }

  // Panels move, row by row, to places that are never behind their own.
  for (int r = 0, to = 0; r < f->rows; r++) {
    for (int c = 0; c < before; c++) {
      panel *from = &f->panels[r * before + c];
      if (has_panel[c])
        f->panels[to++] = *from;
      else
        empty_panel(from);
    }
  }
  f->columns = kept;
  free(has_panel);
}

void figure_drop_zero(figure *f) {
  int drawn = 0, zeros = 0, named = 0;
  for (int i = 0; i < f->rows * f->columns; i++) {
    drawn += f->panels[i].count > 0;
    zeros += is_zero(&f->panels[i]);
  }
  if (zeros == 0 || zeros == drawn) return;

  char *list = copy_text("", 0);
  for (int c = 0; c < f->columns; c++) drop_in_column(f, c, &list, &named);
  drop_empty_columns(f);
  say(stderr, "jounce: not drawn, zero at all times: %s\n", list);
  free(list);
}

/* ---- Times ---- */

/* Time stamps that are large against their span (seconds since 1970) would all have the same label, and drown in the
 * nine digits that gnuplot gets: a round offset is taken from them and shown in the title of the axis. */
time_axis figure_times(const figure *f, bool text) {
  const char *name = f->x_title ? f->x_title : "t [s]";
  time_axis a = {INFINITY, -INFINITY, text ? NULL : copy_text(name, strlen(name))};
  for (int k = 0; k < f->rows * f->columns; k++) {
    for (const panel *p = &f->panels[k]; p; p = p->next) {
      for (int i = 0; i < p->count; i++) {
        a.x0 = fmin(a.x0, p->x[i]);
        a.x1 = fmax(a.x1, p->x[i]);
      }
    }
  }
  double span = a.x1 - a.x0;
  if (span > 0 && fabs(a.x0) > 200 * span) {
    int digits = (int)floor(log10(span));
    double step = pow(10, digits), offset = floor(a.x0 / step) * step;
    size_t length = strcspn(name, " [");
    free(a.title);
    a.title = format_text("%.*s %s %.*f%s", (int)length, name, offset < 0 ? "+" : "-", digits < 0 ? -digits : 0,
                          fabs(offset), name + length);
    a.x0 -= offset;
    a.x1 -= offset;
    for (int k = 0; k < f->rows * f->columns; k++)
      for (panel *p = &f->panels[k]; p; p = p->next)
        for (int i = 0; i < p->count; i++) p->x[i] -= offset;
  }
  if (!(a.x1 > a.x0)) { /* one time only, which may be large, too */
    double about = fmax(0.5, 0.01 * fabs(a.x0));
    a.x0 -= about;
    a.x1 = a.x0 + 2 * about;
  }
  return a;
}

/* ---- Files ---- */

char *figure_file(const char *path, int page, int count) {
  if (count == 1) return copy_text(path, strlen(path));
  size_t stem = strlen(path) - 4; /* ".svg" */
  return format_text("%.*s-%d%s", (int)stem, path, page + 1, path + stem);
}

void figure_tell(const char *path, int files) {
  for (int i = 0; i < files; i++) {
    char *name = figure_file(path, i, files);
    say(stdout, "Drawn: %s\n", name);
    free(name);
  }
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

void panel_thin(panel *p, double per_x, double per_y) {
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
