/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce info: the loops of a model, which of their conditions say nothing new, and what mobility they leave. */
#include <jounce/lie.h>
#include <jounce/loops.h>
#include <math.h>
#include <stdlib.h>

#include "../text/print.h"
#include "info.h"

/* Where the rank was taken. */
typedef enum loops_place { LOOPS_NONE, LOOPS_NEUTRAL, LOOPS_ASSEMBLED, LOOPS_OPEN, LOOPS_LARGE } loops_place;

/* Conditions times coordinates, up to which they are assembled and their rank is found here: both take time that grows
 * with the cube of the size, some seconds beyond this one. */
enum { LARGE = 200 * 200 };

typedef struct loops_summary {
  loops_place where;
  int rows, mobility;
  double gap; /* largest of all loops at q = 0 */
  jn_loops_health health;
  unsigned char *redundant; /* [rows] */
  int *first;               /* [loops + 1] rows of each loop */
} loops_summary;

static const double closed_to = 1e-6; /* [m, rad] */

static double largest(const double *x, int count) {
  double most = 0;
  for (int i = 0; i < count; i++) most = fmax(most, fabs(x[i]));
  return most;
}

/* Closes the loops from q when they are open; a configuration that does not close stays as it was. */
static jn_status close_loops(jn_loops *loops, int count, int nq, double *q, loops_summary *s) {
  double *gaps = allocate((size_t)(count + nq) * sizeof *gaps), *closed = gaps + count;
  jn_status status = jn_loops_gaps(loops, q, gaps);
  s->gap = largest(gaps, count);
  s->where = s->gap <= closed_to ? LOOPS_NEUTRAL : LOOPS_OPEN;
  if (status == JN_OK && s->where == LOOPS_OPEN) {
    for (int i = 0; i < nq; i++) closed[i] = q[i];
    double accuracy = fmax(1e-12, 10 * jn_variant_epsilon());
    if (jn_loops_assemble(loops, NULL, accuracy, closed, NULL) == JN_OK) {
      for (int i = 0; i < nq; i++) q[i] = closed[i];
      s->where = LOOPS_ASSEMBLED;
    }
  }
  free(gaps);
  return status;
}

/* How many conditions a loop has. */
static int rows_of(const jn_loop *loop) {
#define ROWS(code, name, rows) rows,
  static const int rows[JN_LOOP_TYPES] = {JN_LOOP_LIST(ROWS)};
#undef ROWS
  int held = 0;
  for (unsigned mask = loop->mask; loop->type == JN_LOOP_COORDINATES && mask; mask &= mask - 1) held++;
  return rows[loop->type] + held;
}

/* The number of conditions, and which are those of each loop. */
static void count_rows(const jn_model *model, int count, loops_summary *s) {
  s->first = allocate(((size_t)count + 1) * sizeof *s->first);
  for (int i = 0; i < count; i++) {
    s->first[i] = s->rows;
    s->rows += rows_of(jn_loop_description(model, i));
  }
  s->first[count] = s->rows;
}

/* To be released with free_summary(). */
static jn_status summarise_loops(const jn_model *model, loops_summary *s) {
  jn_loops *loops;
  int nq = jn_model_nq(model), count = jn_loop_count(model);
  *s = (loops_summary){.where = LOOPS_NONE};
  if (count == 0) return JN_OK;
  count_rows(model, count, s);
  if (jn_model_nv(model) > 0 && s->rows > LARGE / jn_model_nv(model)) {
    s->where = LOOPS_LARGE;
    return JN_OK;
  }
  jn_status status = jn_loops_create(model, NULL, &loops);
  if (status != JN_OK) return status;
  double *q = allocate((size_t)(nq > 0 ? nq : 1) * sizeof *q);
  jn_neutral(model, q);
  s->redundant = allocate((size_t)s->rows + 1);
  status = close_loops(loops, count, nq, q, s);
  if (status == JN_OK) status = jn_loops_health_at(loops, q, &s->health, s->redundant);
  s->mobility = jn_model_nv(model) - s->health.rank;
  free(q);
  jn_loops_destroy(loops);
  return status;
}

static void free_summary(loops_summary *s) {
  free(s->redundant);
  free(s->first);
}

static int conditions(const loops_summary *s, int loop) { return s->first[loop + 1] - s->first[loop]; }

static int redundancies(const loops_summary *s, int loop) {
  int count = 0;
  for (int r = s->first[loop]; r < s->first[loop + 1]; r++) count += s->redundant[r];
  return count;
}

/* "2 * left - right" */
static char *coupling_text(const jn_loop *loop) {
  char *text = copy_text("", 0), factor[NUMBER_TEXT], place[16] = "";
  for (int i = 0; i < loop->term_count; i++) {
    const jn_coupling *t = &loop->term[i];
    short_number(fabs(t->factor), factor);
    if (t->coordinate > 0) snprintf(place, sizeof place, "[%d]", t->coordinate);
    const char *sign = t->factor < 0 ? (i ? " - " : "-") : i ? " + " : "";
    bool one = fabs(t->factor) == 1;
    char *longer = format_text("%s%s%s%s%s%s", text, sign, one ? "" : factor, one ? "" : " * ", t->joint,
                               t->coordinate > 0 ? place : "");
    free(text);
    text = longer;
  }
  return text;
}

static void between_cells(table *t, const jn_loop *loop) {
  if (loop->type != JN_LOOP_COUPLING) {
    table_cell(t, loop->link_a ? loop->link_a : "world");
    table_cell(t, loop->link_b ? loop->link_b : "world");
    return;
  }
  char *text = coupling_text(loop), offset[NUMBER_TEXT];
  short_number(loop->offset, offset);
  table_cell(t, text);
  table_cellf(t, "= %s", offset);
  free(text);
}

void print_loops(const jn_model *model) {
  static const table_column columns[] = {{"loop", ALIGN_LEFT}, {"type", ALIGN_LEFT},        {"between", ALIGN_LEFT},
                                         {"and", ALIGN_LEFT},  {"conditions", ALIGN_RIGHT}, {"redundant", ALIGN_RIGHT}};
  table t;
  loops_summary s;
  table_init(&t, columns, 6);
  jn_status status = summarise_loops(model, &s);
  for (int i = 0; i < jn_loop_count(model) && s.first; i++) {
    const jn_loop *loop = jn_loop_description(model, i);
    table_cell(&t, loop->name ? loop->name : "");
    table_cell(&t, jn_loop_type_name(loop->type));
    between_cells(&t, loop);
    table_cellf(&t, "%d", conditions(&s, i));
    if (status == JN_OK && s.where != LOOPS_LARGE) {
      table_cellf(&t, "%d", redundancies(&s, i));
    } else {
      table_cell(&t, "-");
    }
  }
  print_table(&t);
  free_summary(&s);
}

static const char *loops_where(const loops_summary *s) {
  static const char *const names[] = {"none", "neutral", "assembled", "open", "large"};
  return names[s->where];
}

void print_loop_totals(const jn_model *model) {
  loops_summary s;
  char gap[NUMBER_TEXT];
  jn_status status = summarise_loops(model, &s);
  if (s.where == LOOPS_LARGE && status == JN_OK) {
    printf("loops          %d with %d conditions\n", jn_loop_count(model), s.rows);
    printf("mobility       not computed for so many conditions; see: jounce eval --want mobility\n");
  } else if (s.where != LOOPS_NONE && status == JN_OK) {
    short_number(s.gap, gap);
    printf("loops          %d with %d conditions, %d of them independent", jn_loop_count(model), s.rows, s.health.rank);
    if (s.where == LOOPS_NEUTRAL) printf(" at q = 0, where they are closed\n");
    if (s.where == LOOPS_ASSEMBLED) say(stdout, " where they close next to q = 0, at which they are open by %s\n", gap);
    if (s.where == LOOPS_OPEN)
      say(stdout, " at q = 0, where they are open by %s, and cannot be closed from there\n", gap);
    printf("mobility       %d", s.mobility);
    if (s.health.generic > s.health.rank) {
      printf(" in this singular configuration, %d next to it", s.mobility + s.health.rank - s.health.generic);
    } else if (s.health.near_singular) {
      printf(", near a singular configuration");
      if (s.health.dropped > 1e-11) printf(": a condition that counts for %.1e is left out", s.health.dropped);
    }
    putchar('\n');
  } else if (status != JN_OK) {
    say(stdout, "loops          %d: %s\n", jn_loop_count(model), jn_status_text(status));
  }
  free_summary(&s);
}

static void write_terms(json_writer *j, const jn_loop *loop) {
  emit_open_array(j, "terms");
  for (int i = 0; i < loop->term_count; i++) {
    emit_open_line(j, NULL);
    emit_text(j, "joint", loop->term[i].joint);
    emit_integer(j, "coordinate", loop->term[i].coordinate);
    emit_number(j, "factor", loop->term[i].factor);
    emit_close_object(j);
  }
  emit_close_array(j);
  emit_number(j, "offset", loop->offset);
}

static void write_loop(json_writer *j, const jn_loop *loop, const loops_summary *s, int i) {
  emit_open_object(j, NULL);
  emit_text(j, "name", loop->name);
  emit_text(j, "type", jn_loop_type_name(loop->type));
  emit_text(j, "link_a", loop->link_a);
  emit_text(j, "link_b", loop->link_b);
  emit_matrix(j, "placement_a", loop->placement_a, 4, 4);
  emit_matrix(j, "placement_b", loop->placement_b, 4, 4);
  emit_numbers(j, "axis", loop->axis, 3);
  emit_numbers(j, "axis2", loop->axis2, 3);
  emit_number(j, "distance", loop->distance);
  emit_integer(j, "mask", (int)loop->mask);
  write_terms(j, loop);
  emit_integer(j, "conditions", conditions(s, i));
  if (s->where == LOOPS_LARGE) {
    emit_null(j, "redundant");
    emit_close_object(j);
    return;
  }
  emit_open_array(j, "redundant");
  for (int r = s->first[i]; r < s->first[i + 1]; r++) {
    if (s->redundant[r]) emit_integer(j, NULL, r - s->first[i]);
  }
  emit_close_array(j);
  emit_close_object(j);
}

static void write_mobility(json_writer *j, const loops_summary *s) {
  emit_open_line(j, "mobility");
  emit_integer(j, "rows", s->rows);
  emit_integer(j, "rank", s->health.rank);
  emit_integer(j, "generic_rank", s->health.generic);
  emit_integer(j, "mobility", s->mobility);
  emit_text(j, "at", loops_where(s));
  emit_number(j, "open_by", s->gap);
  emit_number(j, "weakest", s->health.weakest);
  emit_bool(j, "near_singular", s->health.near_singular);
  emit_close_object(j);
}

void json_loops(json_writer *j, const jn_model *model) {
  loops_summary s;
  jn_status status = summarise_loops(model, &s);
  emit_open_array(j, "loops");
  for (int i = 0; i < jn_loop_count(model) && s.first && status == JN_OK; i++) {
    write_loop(j, jn_loop_description(model, i), &s, i);
  }
  emit_close_array(j);
  if (status != JN_OK || s.where == LOOPS_NONE || s.where == LOOPS_LARGE) {
    emit_null(j, "mobility");
  } else {
    write_mobility(j, &s);
  }
  free_summary(&s);
}
