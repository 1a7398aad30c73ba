/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce plot: draw CSV files, several over each other. Columns NAME, NAME_d1, NAME.tau, NAME.tau_d1, ... become one
 * column of panels per joint with the quantities as rows; other files get one panel for each column. */
#include "plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../command.h"
#include "../figure/figure.h"
#include "../files/input.h"
#include "../files/output.h"
#include "../model/names.h"
#include "../options/options.h"
#include "../text/print.h"

/* ---- Arranging ---- */

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

/* The files that are drawn. */
typedef struct source_list {
  const char *paths[FIGURE_STYLES];
  int count;
} source_list;

/* What is drawn: all without either. */
typedef struct choice {
  const char *pattern; /* --pattern */
  name_list joints;    /* --joints */
} choice;

static bool matches_column(const column *c, const char *pattern) {
  if (!strpbrk(pattern, "*?[")) return strstr(c->name, pattern) != NULL;
  char *bare = format_text("%s%s", c->joint, c->kind);
  bool match = name_matches(pattern, c->name) || name_matches(pattern, bare);
  free(bare);
  return match;
}

/* "base" has base_x ... base_qw and base_wx ... base_vz. */
static bool matches_joint(const column *c, const char *pattern) {
  int length;
  if (name_matches(pattern, c->joint)) return true;
  if (!has_part(c->joint, false, &length) && !has_part(c->joint, true, &length)) return false;
  char *joint = copy_text(c->joint, (size_t)length);
  bool match = name_matches(pattern, joint);
  free(joint);
  return match;
}

static bool is_wanted(const column *c, const choice *chosen) {
  if (chosen->pattern && !matches_column(c, chosen->pattern)) return false;
  for (int i = 0; i < chosen->joints.count; i++)
    if (matches_joint(c, chosen->joints.names[i])) return true;
  return chosen->joints.count == 0;
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

/* The title of the row: what jounce torque --plot calls it when the unit tells, else the kind and the unit. Columns of
 * different units are never in one row. */
static char *quantity_of_column(const column *c) {
  bool torque = strncmp(c->kind, ".tau", 4) == 0;
  int length, order = order_of_unit(c->unit, &length), given = 0;
  if (strncmp(c->kind, ".tau_d", 6) == 0) given = atoi(c->kind + 6);
  if (order >= 0 && (torque ? order == given && *c->unit == 'N' : *c->unit != 'N')) {
    char *bare = copy_text(c->unit, (size_t)length), *unit = figure_unit(bare, order);
    char *name = figure_quantity(torque, order), *title = format_text("%s\n[%s]", name, unit);
    free(bare);
    free(unit);
    free(name);
    return title;
  }
  if (!*c->kind && strcmp(c->unit, "1") == 0 && has_part(c->joint, false, &length))
    return copy_text("orientation\n[1]", strlen("orientation\n[1]"));
  const char *kind = *c->kind == '.' || *c->kind == '_' ? c->kind + 1 : *c->kind ? c->kind : "value";
  return *c->unit ? format_text("%s\n[%s]", kind, c->unit) : copy_text(kind, strlen(kind));
}

/* Does a column of the same file that comes before c have this place? */
static bool is_taken(const sheet *s, int c, int place) {
  for (int b = 1; b < c; b++) {
    const column *k = &s->columns[b];
    if (k->quantity && k->file == s->columns[c].file && k->place == place) return true;
  }
  return false;
}

/* The column of another file with the same name that c is compared with, or c itself. */
static int first_namesake(const sheet *s, int c) {
  const column *k = &s->columns[c];
  for (int b = 1; b < c; b++) {
    const column *other = &s->columns[b];
    if (other->quantity && other->file < k->file && strcmp(other->name, k->name) == 0 && !is_taken(s, c, other->place))
      return b;
  }
  return c;
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
static void arrange(sheet *s, const choice *chosen, bool grid, int *rows, places *p) {
  *rows = grid ? 0 : 1;
  *p = (places){.first = allocate((size_t)s->count * sizeof *p->first),
                .order = allocate((size_t)s->count * sizeof *p->order),
                .taken = allocate((size_t)s->count)};
  memset(p->taken, 0, (size_t)s->count);
  for (int c = 1; c < s->count; c++) {
    column *k = &s->columns[c];
    if (k->text || !is_wanted(k, chosen)) continue;
    k->quantity = grid ? quantity_of_column(k) : copy_text("", 0);
    int same_joint = grid ? first_with(s, c, true) : first_namesake(s, c),
        same_kind = grid ? first_with(s, c, false) : c;
    k->row = !grid ? 0 : same_kind < c ? s->columns[same_kind].row : (*rows)++;
    k->place = same_joint < c ? s->columns[same_joint].place : p->count;
    if (same_joint == c) p->first[p->count++] = c;
  }
  order_places(s, p);
}

/* The curve of a file in a panel, or NULL. */
static const panel *find_curve(const panel *p, int file) {
  for (; p; p = p->next)
    if (p->x && p->style == file) return p;
  return NULL;
}

/* Takes over a curve: as the panel itself, or behind the curves that it has. */
static void add_curve(panel *p, panel *curve) {
  if (p->count == 0) {
    free(p->x);
    free(p->y);
    *p = *curve;
    return;
  }
  while (p->next) p = p->next;
  p->next = allocate(sizeof *p->next);
  *p->next = *curve;
}

static void fill_panel(const column *c, panel *p) {
  panel curve = {.lower = -INFINITY, .upper = INFINITY, .style = c->file};
  thinner t;

  // Of two columns of one name in a file, the first is drawn.
  if (find_curve(p, c->file)) return;
  thinner_init(&t, &curve, c->samples);
  double last = 0;
  for (int i = 0; i < c->samples; i++) {
    double x = c->times[i];
    if (isfinite(x)) last = x;
    if (isfinite(c->values[i]) && isfinite(x))
      thinner_add(&t, x, c->values[i]);
    else
      thinner_gap(&t, last);
  }
  thinner_end(&t);

  // A column without a number has no curve.
  if (curve.count > 0) {
    add_curve(p, &curve);
    return;
  }
  free(curve.x);
  free(curve.y);
}

/* The title, and with several files the legend. */
static void name_curves(figure *f, const source_list *from) {
  if (from->count == 1) {
    f->title = copy_text(from->paths[0], strlen(from->paths[0]));
    return;
  }
  f->title = format_text("Comparison of %d files", from->count);
  f->curve_names = allocate((size_t)from->count * sizeof *f->curve_names);
  for (int i = 0; i < from->count; i++)
    f->curve_names[f->curve_count++] = copy_text(from->paths[i], strlen(from->paths[i]));
}

/* Says of a file which columns of the others it has no numbers for. */
static void tell_missing(const sheet *s, const figure *f, const int *where, const source_list *from, int file) {
  enum { MOST_NAMED = 10 };
  char *list = copy_text("", 0);
  int count = 0;
  for (int c = 1; c < s->count; c++) {
    const column *k = &s->columns[c];
    if (!k->quantity) continue;
    const panel *p = figure_panel(f, k->row, where[k->place]);

    // Each panel is named once, by the file of its first curve.
    if (p->count == 0 || p->style != k->file || find_curve(p, file) || count++ >= MOST_NAMED) continue;
    char *longer = format_text("%s%s'%s'", list, *list ? ", " : "", k->name);
    free(list);
    list = longer;
  }
  if (count > 0)
    say(stderr, "jounce: %s has no numbers for %d column%s of the other file%s: %s%s\n", from->paths[file], count,
        count > 1 ? "s" : "", from->count > 2 ? "s" : "", list, count > MOST_NAMED ? ", ..." : "");
  free(list);
}

static void fill_figure(const sheet *s, figure *f, const places *p, bool grid, const source_list *from) {
  int *where = allocate((size_t)p->count * sizeof *where);
  for (int i = 0; i < p->count; i++) where[p->order[i]] = i;
  name_curves(f, from);
  const char *time = s->columns[0].name;
  if (strcmp(time, "t") != 0 && *time) f->x_title = copy_text(time, strlen(time));
  for (int c = 1; c < s->count; c++) {
    const column *k = &s->columns[c];
    if (!k->quantity) continue;
    char **across = &f->column_titles[where[k->place]], **down = &f->row_titles[k->row];
    if (!*across) *across = copy_text(grid ? k->joint : k->name, strlen(grid ? k->joint : k->name));
    if (!*down) *down = copy_text(k->quantity, strlen(k->quantity));
    fill_panel(k, figure_panel(f, k->row, where[k->place]));
  }
  for (int i = 1; i < f->columns; i++) f->groups[i] = f->groups[i - 1] + (grid && !same_rows(f, i - 1, i));
  for (int i = 0; i < from->count; i++) tell_missing(s, f, where, from, i);
  free(where);
}

/* Which name of --joints, or the pattern of --pattern, fits nothing. */
static int tell_nothing_wanted(const sheet *s, const choice *chosen) {
  const char **names = allocate((size_t)s->count * sizeof *names);
  for (int c = 1; c < s->count; c++) names[c - 1] = s->columns[c].joint;
  const char *word = chosen->joints.count > 0 ? chosen->joints.names[0] : chosen->pattern;
  const char *near = nearest_word(word, names, s->count - 1);
  int status =
      usage_error("plot", "--%s %s: no column has such a name%s%s%s", chosen->joints.count > 0 ? "joints" : "columns",
                  word, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
  free(names);
  return status;
}

static int draw(sheet *s, const choice *chosen, const source_list *from, const char *out, const char *size) {
  int rows, status, curves = 0, files = 0;
  bool grid = false;
  places p;
  for (int c = 1; c < s->count; c++)
    grid |= *s->columns[c].kind && !s->columns[c].text && is_wanted(&s->columns[c], chosen);
  arrange(s, chosen, grid, &rows, &p);
  if (p.count == 0) {
    status = tell_nothing_wanted(s, chosen);
  } else {
    figure f;
    figure_init(&f, rows, p.count);
    fill_figure(s, &f, &p, grid, from);
    for (int i = 0; i < rows * p.count; i++) curves += f.panels[i].count > 0;
    status = EXIT_BAD;
    if (curves == 0)
      say(stderr, "jounce: %s: there is no number in the columns to draw\n", s->path);
    else
      status = figure_draw(&f, out, size, &files);
    if (status == OPTION_GO_ON && files > 1) figure_tell(out, files);
    figure_free(&f);
  }
  free(p.first);
  free(p.order);
  free(p.taken);
  return status;
}

/* ---- Command ---- */

/* Trajectories that are not CSV. */
static bool is_other_format(const char *path) {
  const char *ending = strrchr(path, '.');
  return ending && (strcmp(ending, ".npz") == 0 || strcmp(ending, ".npy") == 0 || strcmp(ending, ".json") == 0);
}

static int check_sources(source_list *from) {
  int inputs = 0;
  for (from->count = 0; from->count < FIGURE_STYLES && from->paths[from->count]; from->count++) {
    const char *path = from->paths[from->count];
    if (is_other_format(path))
      return usage_error("plot", "%s: plot takes CSV; jounce torque --plot draws the motion of such a file", path);
    inputs += strcmp(path, "-") == 0;
  }
  return inputs > 1 ? usage_error("plot", "only one FILE can be standard input") : OPTION_GO_ON;
}

typedef struct range {
  double low, high;
} range;

static range range_of_times(const double *times, int samples) {
  range r = {INFINITY, -INFINITY};
  for (int i = 0; i < samples; i++) {
    r.low = fmin(r.low, times[i]);
    r.high = fmax(r.high, times[i]);
  }
  return r;
}

/* Times that files do not share are drawn all the same, but that is said. */
static void tell_times(const sheet *first, const sheet *other) {
  const column *a = &first->columns[0], *b = &other->columns[0];
  range mine = range_of_times(a->values, first->samples), others = range_of_times(b->values, other->samples);
  if (strcmp(a->name, b->name) != 0)
    say(stderr, "jounce: %s: the first column is '%s', but '%s' in %s; both are drawn as the same quantity\n",
        other->path, b->name, a->name, first->path);
  if (mine.high < others.low || others.high < mine.low)
    say(stderr, "jounce: %s and %s have no time in common\n", first->path, other->path);
}

/* Moves the columns of all files into one sheet, whose first column is the time of the first file. The times of the
 * others stay with their files. */
static sheet join_sheets(sheet *files, int count) {
  sheet all = {.path = files[0].path, .samples = files[0].samples};
  int columns = 0;
  for (int i = 0; i < count; i++) columns += files[i].count;
  all.columns = allocate((size_t)columns * sizeof *all.columns);

  for (int i = 0; i < count; i++) {
    for (int c = i > 0; c < files[i].count; c++) {
      column *to = &all.columns[all.count++];
      *to = files[i].columns[c];
      to->file = i;
      to->times = files[i].columns[0].values;
      to->samples = files[i].samples;
    }
    files[i].count = i > 0;
  }
  return all;
}

static int read_and_draw(const source_list *from, const choice *chosen, const char *out, const char *size,
                         size_t max_bytes) {
  sheet files[FIGURE_STYLES] = {0};
  int status = OPTION_GO_ON;
  for (int i = 0; i < from->count && status == OPTION_GO_ON; i++) {
    files[i] = (sheet){.path = from->paths[i], .max_bytes = max_bytes};
    status = sheet_read(&files[i]);
    if (status == OPTION_GO_ON && i > 0) tell_times(&files[0], &files[i]);
  }

  if (status == OPTION_GO_ON) {
    sheet all = join_sheets(files, from->count);
    status = draw(&all, chosen, from, out, size);
    sheet_free(&all);
  }
  for (int i = 0; i < from->count; i++) sheet_free(&files[i]);
  return status;
}

typedef struct plot_arg {
  choice chosen;
  source_list from;
  const char *out, *size, *max_bytes;
} plot_arg;

static const option plot_options[] = {
    TEXT_OPTION(plot_arg, out, "out", "FILE", "the picture: FILE.svg, .png, .pdf; default -: text in the terminal",
                .is_output = true),
    SIZE_OPTION(plot_arg, size),
    TEXT_OPTION(plot_arg, chosen.pattern, "pattern", "PATTERN",
                "plot only columns whose name contains or matches this: '*.tau*', 'joint[1-3]*'"),
    TEXT_OPTION(plot_arg, chosen.pattern, "columns", "PATTERN", NULL, .instead = "pattern"),
    NAMES_OPTION(plot_arg, chosen.joints, "joints", "LIST",
                 "plot only columns of these joints, by names or patterns: 'left_*,neck'"),
    MAX_BYTES_OPTION(plot_arg, max_bytes),
    {0}};

static const option_group plot_groups[] = {
    {.options = plot_options},
};

const command_line plot_line = {
    .name = "plot",
    .brief = "plot a result as SVG, PNG, PDF or text",
    .arguments = "FILE...",
    .least = 1,
    .most = FIGURE_STYLES,
    .about =
        "Plot a CSV file: all columns against the first one, as time. Results of jounce torque have one column of "
        "panels per joint, with position, velocity, torque, ... as rows; other files have one panel per column. "
        "Columns of the same name in up to 6 files are drawn over each other. Panels that are zero at all times are "
        "left "
        "out. FILE - is standard input.",
    .groups = plot_groups,
    .group_count = COUNT_OF(plot_groups),
};

int command_plot(int argc, char **argv) {
  plot_arg arg = {.out = "-"};
  int status = option_parse(&plot_line, &arg, argc, argv, arg.from.paths);
  if (status == OPTION_GO_ON) status = figure_check("plot", arg.out, arg.size);
  if (status == OPTION_GO_ON) status = check_sources(&arg.from);
  if (status == OPTION_GO_ON) {
    size_t most = max_bytes_of("plot", arg.max_bytes);
    status = most == 0 ? EXIT_USAGE : read_and_draw(&arg.from, &arg.chosen, arg.out, arg.size, most);
  }
  name_list_free(&arg.chosen.joints);
  return status == OPTION_GO_ON ? EXIT_FINE : status;
}
