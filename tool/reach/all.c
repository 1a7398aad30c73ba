/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce reach --all: the distinct configurations that have a pose, from many random starts. Whole turns of a joint
 * make no other one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../command.h"
#include "../model/inside.h"
#include "../motion/motion.h"
#include "../text/print.h"
#include "../text/progress.h"
#include "reach.h"

enum { DEFAULT_STARTS = 300, MOST_STARTS = 100000, MOST_SOLUTIONS = 64, MOST_SHOWN = 16 };
static const double same = 1e-4, turn = 6.283185307179586; /* [rad, m], [rad] */

typedef struct solution {
  double *q;
  bool is_inside; /* all position limits hold */
  bool is_first;  /* inside, or --position-limits ignore */
  double away;    /* from the start */
} solution;

typedef struct solution_list {
  const jn_model *model;
  jn_work *work;
  solution *at;
  int count;
  int starts;         /* that are tried */
  int beyond;         /* starts whose solution was left out, because MOST_SOLUTIONS were there */
  bool ignore_limits; /* --position-limits ignore: they do not matter for order and exit status */
  int rank;
  double *difference; /* [nv] room */
} solution_list;

/* Does a whole turn of this coordinate change nothing? */
static bool turns(const jn_model *model, int v) {
  jn_joint_type type = jn_joint_type_of(model, jn_coordinate_joint(model, v, NULL));
  return type == JN_REVOLUTE || type == JN_CONTINUOUS;
}

/* Whole turns away: inside the limits if that is possible, and near zero. */
static void unwind(const jn_model *model, double *q) {
  for (int v = 0; v < jn_model_nv(model); v++) {
    if (!turns(model, v) || jn_model_is_coupled(model)) continue;
    const jn_dof *dof = jn_coordinate_dof(model, v);
    double *x = q + place_in_q(model, v), least = remainder(*x, turn), best = least;
    for (int k = -2; k <= 2; k++) {
      double other = least + k * turn;
      bool is_inside = other >= dof->lower && other <= dof->upper, was = best >= dof->lower && best <= dof->upper;
      if (is_inside && (!was || fabs(other) < fabs(best))) best = other;
    }
    *x = best;
  }
}

/* The largest difference of a coordinate, whole turns apart. */
static double distance(const solution_list *l, const double *a, const double *b) {
  double most = 0;
  if (jn_difference(l->model, l->work, a, b, l->difference) != JN_OK) return INFINITY;
  for (int v = 0; v < jn_model_nv(l->model); v++) {
    double x = l->difference[v];
    most = fmax(most, fabs(turns(l->model, v) ? remainder(x, turn) : x));
  }
  return most;
}

/* The place for one more solution, or NULL when it is left out: one inside the limits takes that of one outside. */
static solution *find_place(solution_list *l, bool is_first) {
  if (l->count < MOST_SOLUTIONS) {
    l->at[l->count].q = allocate((size_t)jn_model_nq(l->model) * sizeof(double));
    return &l->at[l->count++];
  }

  l->beyond++;
  for (int i = l->count - 1; i >= 0 && is_first; i--)
    if (!l->at[i].is_first) return &l->at[i];
  return NULL;
}

static void add_solution(solution_list *l, const double *start, double *q) {
  /* One that is there already is no other */
  unwind(l->model, q);
  for (int i = 0; i < l->count; i++)
    if (distance(l, l->at[i].q, q) < same) return;

  char *outside = outside_limits_text(l->model, q);
  bool is_inside = !outside, is_first = is_inside || l->ignore_limits;
  free(outside);

  solution *s = find_place(l, is_first);
  if (!s) return;
  *s = (solution){.q = s->q, .is_inside = is_inside, .is_first = is_first, .away = distance(l, start, q)};
  memcpy(s->q, q, (size_t)jn_model_nq(l->model) * sizeof *q);
}

/* Those inside the limits first (with --position-limits ignore, all are alike), then the nearest to the start. */
static int compare(const void *a, const void *b) {
  const solution *x = a, *y = b;
  if (x->is_first != y->is_first) return x->is_first ? -1 : 1;
  return (x->away > y->away) - (x->away < y->away);
}

/* ---- Showing ---- */

static void print_table_of(const solution_list *l) {
  int nq = jn_model_nq(l->model), shown = l->count < MOST_SHOWN ? l->count : MOST_SHOWN;
  table_column *columns = allocate(((size_t)shown + 2) * sizeof *columns);
  char(*titles)[16] = allocate((size_t)(shown + 1) * sizeof *titles);
  columns[0] = (table_column){"joint", ALIGN_LEFT};
  columns[1] = (table_column){"unit", ALIGN_LEFT};
  for (int i = 0; i < shown; i++) {
    snprintf(titles[i], sizeof titles[i], "%d", i + 1);
    columns[i + 2] = (table_column){titles[i], ALIGN_POINT};
  }

  table t;
  table_init(&t, columns, shown + 2);
  for (int k = 0; k < nq; k++) {
    char name[JN_COORDINATE_NAME];
    jn_coordinate_name(l->model, k, name, sizeof name);
    table_cell(&t, name);
    table_cell(&t, configuration_unit(l->model, k));
    for (int i = 0; i < shown; i++) table_cellf(&t, "%.5f", l->at[i].q[k]);
  }
  table_print(&t, stdout);
  free(titles);
  free(columns);
}

static void print_limits_of(const solution_list *l) {
  putchar('\n');
  for (int i = 0; i < l->count && i < MOST_SHOWN; i++) {
    char *outside = outside_limits_text(l->model, l->at[i].q);
    if (outside)
      say(stdout, "%d: outside of position limits: %s\n", i + 1, outside);
    else
      say(stdout, "%d: all position limits hold\n", i + 1);
    free(outside);
  }
  if (l->count > MOST_SHOWN) printf("and %d more; --json and --out have them\n", l->count - MOST_SHOWN);
  int mobility = jn_model_nv(l->model) - l->rank;
  if (jn_loop_count(l->model) == 0 && mobility > 0)
    say(stdout, "The pose leaves %d free motion%s: there are infinitely many solutions, and these are some of them.\n",
        mobility, mobility == 1 ? "" : "s");
}

static void write_states(const solution_list *l, FILE *f, bool limits) {
  json_writer j;
  emit_init(&j, f);
  emit_open_array(&j, NULL);
  for (int i = 0; i < l->count; i++) {
    emit_open_object(&j, NULL);
    emit_numbers(&j, "q", l->at[i].q, jn_model_nq(l->model));
    if (limits) emit_bool(&j, "limits_hold", l->at[i].is_inside);
    emit_close_object(&j);
  }
  emit_close_array(&j);
  fputc('\n', f);
}

static int show(const reach_arg *arg, const solution_list *l) {
  output o;
  bool to_stdout = arg->out && strcmp(arg->out, "-") == 0;
  if (arg->json) {
    write_states(l, stdout, true);
  } else if (!to_stdout) {
    say(stdout, "%s: '%s' reaches the target in %d way%s that %d starts found\n\n", jn_model_name(l->model),
        arg->tool.frame, l->count, l->count == 1 ? "" : "s", l->starts);
    print_table_of(l);
    print_limits_of(l);
  }
  if (!arg->out) return EXIT_FINE;
  FILE *f = output_open(&o, arg->out);
  if (!f) return EXIT_BAD;
  write_states(l, f, false);
  if (!output_close(&o, true)) return EXIT_BAD;
  if (!to_stdout && !arg->json) say(stdout, "\nWritten: %s\n", arg->out);
  return EXIT_FINE;
}

/* ---- Searching ---- */

static void search(const jn_model *model, jn_tasks *tasks, const double *target, const double *start,
                   solution_list *l) {
  uint64_t random = 1;
  double *q = allocate((size_t)jn_model_nq(model) * sizeof *q);
  jn_reach r;
  progress_begin("looking for all solutions");
  for (int k = 0; k < l->starts; k++) {
    if (k == 0)
      memcpy(q, start, (size_t)jn_model_nq(model) * sizeof *q);
    else
      jn_random(model, &random, q);
    if (jn_tasks_solve(tasks, target, q, NULL, &r) == JN_OK) {
      l->rank = r.rank;
      add_solution(l, start, q);
    }
    progress_show((double)k / l->starts);
  }
  progress_end();
  free(q);
}

int reach_all(const reach_arg *arg, const double *target) {
  const jn_model *model = arg->model.model;
  size_t nq = (size_t)jn_model_nq(model), nv = (size_t)jn_model_nv(model);
  double one = 1, *start = allocate((nq + nv) * sizeof *start);
  solution found[MOST_SOLUTIONS];
  solution_list l = {.model = model, .at = found, .difference = start + nq};
  jn_tasks *tasks = NULL;

  /* --starts and --position-limits belong to the list */
  const number_list *starts = &arg->tool.starts;
  double count = starts->count ? starts->values[0] : DEFAULT_STARTS;
  if (starts->count > 1 || !(count >= 1 && count <= MOST_STARTS && count == floor(count))) {
    free(start);
    return usage_error("reach", "--starts takes one whole number from 1 to %d", MOST_STARTS);
  }
  l.starts = (int)count;
  l.ignore_limits = arg->tool.ignore_limits != 0;

  /* One start at a time, and limits are looked at afterwards. */
  tool_arg tool = arg->tool;
  tool.starts = (number_list){.values = &one, .count = 1};
  tool.ignore_limits = 1;
  int result =
      tool_tasks_create("reach", &tool, model, arg->position.count > 0, 0, arg->model.options.max_bytes, &tasks, start);
  if (result == OPTION_GO_ON && jn_work_create(model, &l.work) != JN_OK) result = EXIT_BAD;
  if (result == OPTION_GO_ON) {
    search(model, tasks, target, start, &l);
    qsort(found, (size_t)l.count, sizeof *found, compare);
    result = l.count > 0 ? show(arg, &l) : EXIT_BAD;
    if (l.count == 0) say(stderr, "jounce: '%s' cannot reach it from any of %d starts\n", arg->tool.frame, l.starts);
    if (l.beyond > 0)
      say(stderr, "jounce: warning: at most %d solutions are kept; %d more start%s led to others, which are left out\n",
          MOST_SOLUTIONS, l.beyond, l.beyond == 1 ? "" : "s");
    if (l.count > 0 && result == EXIT_FINE && !found[0].is_first) {
      say(stderr, "jounce: position limits hold for none of these solutions\n");
      result = EXIT_BAD;
    }
  }
  for (int i = 0; i < l.count; i++) free(found[i].q);
  jn_work_destroy(l.work);
  jn_tasks_destroy(tasks);
  free(start);
  return result;
}
