/* SPDX-License-Identifier: BSD-2-Clause */
#include "figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    free(f->panels[i].unit);
  }
  for (int i = 0; i < f->rows + f->columns; i++) free(f->row_titles[i]);
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
