/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce plot: draw a CSV file. Columns NAME, NAME_d1, NAME.tau, NAME.tau_d1, ... become one column of panels a joint
 * with the quantities as rows; other files get one panel for each column. */
#define _XOPEN_SOURCE 700
#include "plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifndef _WIN32
#include <fnmatch.h>
#endif

#include "command.h"
#include "figure.h"
#include "input.h"
#include "options.h"
#include "print.h"

/* ---- Arranging ---- */

static bool is_wanted(const column *c, const char *pattern) {
  if (!pattern) return true;
#ifndef _WIN32
  if (strpbrk(pattern, "*?[")) {
    char *bare = format_text("%s%s", c->joint, c->kind);
    bool match = fnmatch(pattern, c->name, 0) == 0 || fnmatch(pattern, bare, 0) == 0;
    free(bare);
    return match;
  }
#endif
  return strstr(c->name, pattern) != NULL;
}

/* The order of the time derivative in "rad/s^2", and the length of what is before it; -1 when it is none of those of
 * jounce torque. */
static int order_of_unit(const char *unit, int *length) {
  const char *slash = strstr(unit, "/s");
  *length = (int)(slash ? (size_t)(slash - unit) : strlen(unit));
  static const char *const known[] = {"rad", "m", "deg", "N m", "N"};
  bool good = false;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    good |= strlen(known[i]) == (size_t)*length && strncmp(unit, known[i], (size_t)*length) == 0;
  if (!good) return -1;
  if (!slash) return 0;
  if (slash[2] == 0) return 1;
  return slash[2] == '^' && slash[3] >= '2' && slash[3] <= '9' ? atoi(slash + 3) : -1;
}

/* Is the name PREFIX_ending one of a free or spherical joint: x ... qw of its configuration, or wx ... vz of its twist?
 * *prefix gets the length of PREFIX. */
static bool has_part(const char *name, bool twist, int *prefix) {
  static const char *const parts[2][7] = {{"x", "y", "z", "qx", "qy", "qz", "qw"},
                                          {"wx", "wy", "wz", "vx", "vy", "vz", "vz"}};
  const char *bar = strrchr(name, '_');
  if (!bar) return false;
  *prefix = (int)(bar - name);
  for (int i = 0; i < 7; i++)
    if (strcmp(bar + 1, parts[twist][i]) == 0) return true;
  return false;
}

/* The title of the row: what jounce torque --plot calls it when the unit tells, else the kind and the unit. Columns of
 * different units are never in one row. */
static char *quantity_of_column(const column *c) {
  bool torque = strncmp(c->kind, ".tau", 4) == 0;
  int length, order = order_of_unit(c->unit, &length), given = 0;
  if (strncmp(c->kind, ".tau_d", 6) == 0) given = atoi(c->kind + 6);
  if (order >= 0 && (torque ? order == given && *c->unit == 'N' : *c->unit != 'N')) {
    char *unit = copy_text(c->unit, (size_t)length), *title = figure_quantity(torque, order, unit);
    free(unit);
    return title;
  }
  if (!*c->kind && strcmp(c->unit, "1") == 0 && has_part(c->joint, false, &length))
    return copy_text("orientation\n[1]", strlen("orientation\n[1]"));
  const char *kind = *c->kind == '.' || *c->kind == '_' ? c->kind + 1 : *c->kind ? c->kind : "value";
  return *c->unit ? format_text("%s\n[%s]", kind, c->unit) : copy_text(kind, strlen(kind));
}

/* The first drawn column with the same joint (or quantity), or c itself. */
static int first_with(const sheet *s, int c, bool joint) {
  for (int b = 1; b < c; b++) {
    const column *p = &s->columns[b], *q = &s->columns[c];
    if (p->quantity && strcmp(joint ? p->joint : p->quantity, joint ? q->joint : q->quantity) == 0) return b;
  }
  return c;
}

/* One place a joint: which column is the first of each place. */
typedef struct places {
  int count;
  int *first;           /* [count] */
  int *order;           /* [count] from left to right */
  unsigned char *taken; /* [count] */
} places;

static void take_place(places *p, int *done, int i) {
  p->taken[i] = 1;
  p->order[(*done)++] = i;
}

/* From left to right as in the file; but the twist of a joint, which comes late there, follows its configuration. */
static void order_places(const sheet *s, places *p) {
  int done = 0, prefix, other;
  for (int i = 0; i < p->count; i++) {
    if (p->taken[i]) continue;
    const char *name = s->columns[p->first[i]].joint;
    take_place(p, &done, i);
    if (!has_part(name, false, &prefix)) continue;
    for (int k = i + 1; k < p->count; k++) { /* the rest of the configuration, then the twist */
      const char *next = s->columns[p->first[k]].joint;
      if (!p->taken[k] && has_part(next, false, &other) && other == prefix && strncmp(name, next, (size_t)prefix) == 0)
        take_place(p, &done, k);
    }
    for (int k = i + 1; k < p->count; k++) {
      const char *next = s->columns[p->first[k]].joint;
      if (!p->taken[k] && has_part(next, true, &other) && other == prefix && strncmp(name, next, (size_t)prefix) == 0)
        take_place(p, &done, k);
    }
  }
}

/* Do the columns a and b of the figure have curves in the same rows? */
static bool same_rows(const figure *f, int a, int b) {
  for (int r = 0; r < f->rows; r++)
    if ((figure_panel(f, r, a)->count > 0) != (figure_panel(f, r, b)->count > 0)) return false;
  return true;
}

/* Rows by quantity and places by joint; a file without such names has one row, and a place for each column. */
static void arrange(sheet *s, const char *pattern, bool grid, int *rows, places *p) {
  *rows = grid ? 0 : 1;
  *p = (places){.first = allocate((size_t)s->count * sizeof *p->first),
                .order = allocate((size_t)s->count * sizeof *p->order),
                .taken = allocate((size_t)s->count)};
  memset(p->taken, 0, (size_t)s->count);
  for (int c = 1; c < s->count; c++) {
    column *k = &s->columns[c];
    if (k->text || !is_wanted(k, pattern)) continue;
    k->quantity = grid ? quantity_of_column(k) : copy_text("", 0);
    int same_joint = grid ? first_with(s, c, true) : c, same_kind = grid ? first_with(s, c, false) : c;
    k->row = !grid ? 0 : same_kind < c ? s->columns[same_kind].row : (*rows)++;
    k->place = same_joint < c ? s->columns[same_joint].place : p->count;
    if (same_joint == c) p->first[p->count++] = c;
  }
  order_places(s, p);
}

static void fill_panel(const sheet *s, const column *c, panel *p) {
  thinner t;
  if (p->x) return; /* two columns of one name: the first */
  thinner_init(&t, p, s->samples);
  double last = 0;
  for (int i = 0; i < s->samples; i++) {
    double x = s->columns[0].values[i];
    if (isfinite(x)) last = x;
    if (isfinite(c->values[i]) && isfinite(x))
      thinner_add(&t, x, c->values[i]);
    else
      thinner_gap(&t, last);
  }
  thinner_end(&t);
}

static void fill_figure(const sheet *s, figure *f, const places *p, bool grid) {
  int *where = allocate((size_t)p->count * sizeof *where);
  for (int i = 0; i < p->count; i++) where[p->order[i]] = i;
  f->title = copy_text(s->path, strlen(s->path));
  const char *time = s->columns[0].name;
  if (strcmp(time, "t") != 0 && *time) f->x_title = copy_text(time, strlen(time));
  for (int c = 1; c < s->count; c++) {
    const column *k = &s->columns[c];
    if (!k->quantity) continue;
    char **across = &f->column_titles[where[k->place]], **down = &f->row_titles[k->row];
    if (!*across) *across = copy_text(grid ? k->joint : k->name, strlen(grid ? k->joint : k->name));
    if (!*down) *down = copy_text(k->quantity, strlen(k->quantity));
    fill_panel(s, k, figure_panel(f, k->row, where[k->place]));
  }
  for (int i = 1; i < f->columns; i++) f->groups[i] = f->groups[i - 1] + (grid && !same_rows(f, i - 1, i));
  free(where);
}

static int draw(sheet *s, const char *pattern, const char *out) {
  int rows, status, curves = 0;
  bool grid = false;
  places p;
  for (int c = 1; c < s->count; c++)
    grid |= *s->columns[c].kind && !s->columns[c].text && is_wanted(&s->columns[c], pattern);
  arrange(s, pattern, grid, &rows, &p);
  if (p.count == 0) {
    status = usage_error("plot", "--columns %s: no column has such a name", pattern);
  } else {
    figure f;
    figure_init(&f, rows, p.count);
    fill_figure(s, &f, &p, grid);
    for (int i = 0; i < rows * p.count; i++) curves += f.panels[i].count > 0;
    status = EXIT_BAD;
    if (curves == 0)
      fprintf(stderr, "jounce: %s: there is no number in the columns to draw\n", s->path);
    else
      status = figure_draw(&f, out);
    figure_free(&f);
  }
  free(p.first);
  free(p.order);
  free(p.taken);
  return status;
}

/* ---- Command ---- */

/* Trajectories that are no CSV. */
static bool is_other_format(const char *path) {
  const char *ending = strrchr(path, '.');
  return ending && (strcmp(ending, ".npz") == 0 || strcmp(ending, ".npy") == 0 || strcmp(ending, ".json") == 0);
}

int command_plot(int argc, char **argv) {
  option_set set;
  const char *pattern = NULL, *out = "-", *source = NULL, *max_bytes = NULL;
  option_set_init(
      &set, "plot", "FILE",
      "Draw a CSV file: its first column as time, the others over it. Results of jounce torque become one "
      "column of panels a joint, with position, velocity, torque, ... as rows; other files get one panel for "
      "each column. FILE - is standard input.");
  option_text(&set, "out", "FILE", "FILE.svg, .png, .pdf; default -: text in the terminal", &out);
  option_text(&set, "columns", "PATTERN",
              "only columns with this in their name, or that match: '*.tau*', 'joint[1-3]*'", &pattern);
  option_max_bytes(&set, &max_bytes);
  int status = option_parse(&set, argc, argv, &source, 1, 1);
  if (status == OPTION_GO_ON) status = figure_check("plot", out);
  if (status != OPTION_GO_ON) return status;
  if (is_other_format(source))
    return usage_error("plot", "%s: plot takes CSV; jounce torque --plot draws the motion of such a file", source);
  sheet s = {.path = source, .max_bytes = max_bytes_of("plot", max_bytes)};
  if (s.max_bytes == 0) return EXIT_USAGE;
  status = sheet_read(&s);
  if (status == OPTION_GO_ON) status = draw(&s, pattern, out);
  sheet_free(&s);
  return status == OPTION_GO_ON ? EXIT_FINE : status;
}
