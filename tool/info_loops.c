/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce info: what the loops of a model leave of its mobility. */
#include <jounce/lie.h>
#include <jounce/loops.h>
#include <math.h>
#include <stdlib.h>

#include "info.h"
#include "print.h"

/* Where the rank was taken. */
typedef enum loops_place { LOOPS_NONE, LOOPS_NEUTRAL, LOOPS_ASSEMBLED, LOOPS_OPEN } loops_place;

typedef struct loops_summary {
  loops_place where;
  int rows, rank, mobility;
  double gap; /* largest violation at q = 0 */
} loops_summary;

static const double closed_to = 1e-6; /* [m, sines of angles] */

static double largest(const double *x, int count) {
  double most = 0;
  for (int i = 0; i < count; i++) most = fmax(most, fabs(x[i]));
  return most;
}

/* Closes the loops from q when they are open; a configuration that does not close stays as it was. */
static jn_status close_loops(jn_loops *loops, int nq, double *q, loops_summary *s) {
  int rows = jn_loops_rows(loops);
  double *phi = allocate((size_t)(rows + nq) * sizeof *phi), *closed = phi + rows;
  jn_status status = jn_loops_constraint(loops, q, NULL, phi, NULL, NULL);
  s->gap = largest(phi, rows);
  s->where = s->gap <= closed_to ? LOOPS_NEUTRAL : LOOPS_OPEN;
  if (status == JN_OK && s->where == LOOPS_OPEN) {
    for (int i = 0; i < nq; i++) closed[i] = q[i];
    double accuracy = fmax(1e-12, 10 * jn_row_epsilon());
    if (jn_loops_assemble(loops, NULL, accuracy, closed, NULL) == JN_OK) {
      for (int i = 0; i < nq; i++) q[i] = closed[i];
      s->where = LOOPS_ASSEMBLED;
    }
  }
  free(phi);
  return status;
}

static jn_status summarise_loops(const jn_model *model, loops_summary *s) {
  jn_loops *loops;
  int nq = jn_model_nq(model);
  *s = (loops_summary){.where = LOOPS_NONE};
  if (jn_loop_count(model) == 0) return JN_OK;
  jn_status status = jn_loops_create(model, NULL, &loops);
  if (status != JN_OK) return status;
  double *q = allocate((size_t)(nq > 0 ? nq : 1) * sizeof *q);
  jn_neutral(model, q);
  s->rows = jn_loops_rows(loops);
  status = close_loops(loops, nq, q, s);
  if (status == JN_OK) status = jn_loops_rank(loops, q, &s->rank);
  s->mobility = jn_model_nv(model) - s->rank;
  free(q);
  jn_loops_destroy(loops);
  return status;
}

int loop_conditions(const jn_loop *loop) {
  static const int counts[] = {
#define COUNT(code, name, rows) rows,
      JN_LOOP_LIST(COUNT)
#undef COUNT
  };
  int count = counts[loop->type];
  for (unsigned bits = loop->type == JN_LOOP_COORDINATES ? loop->mask : 0; bits; bits >>= 1) count += (int)(bits & 1);
  return count;
}

static const char *loops_where(const loops_summary *s) {
  static const char *const names[] = {"none", "neutral", "assembled", "open"};
  return names[s->where];
}

void print_loop_totals(const jn_model *model) {
  loops_summary s;
  char gap[NUMBER_TEXT];
  jn_status status = summarise_loops(model, &s);
  if (s.where == LOOPS_NONE && status == JN_OK) return;
  if (status != JN_OK) {
    printf("loops          %d: %s\n", jn_loop_count(model), jn_status_text(status));
    return;
  }
  short_number(s.gap, gap);
  printf("loops          %d with %d conditions, %d of them independent", jn_loop_count(model), s.rows, s.rank);
  if (s.where == LOOPS_NEUTRAL) printf(" at q = 0, where they are closed\n");
  if (s.where == LOOPS_ASSEMBLED) printf(" where they close next to q = 0, at which they are open by %s\n", gap);
  if (s.where == LOOPS_OPEN) printf(" at q = 0, where they are open by %s, and cannot be closed from there\n", gap);
  printf("mobility       %d\n", s.mobility);
}

void json_loop_totals(json_writer *j, const jn_model *model) {
  loops_summary s;
  jn_status status = summarise_loops(model, &s);
  if (status != JN_OK || s.where == LOOPS_NONE) {
    emit_null(j, "mobility");
    return;
  }
  emit_open_line(j, "mobility");
  emit_integer(j, "rows", s.rows);
  emit_integer(j, "rank", s.rank);
  emit_integer(j, "mobility", s.mobility);
  emit_text(j, "at", loops_where(&s));
  emit_number(j, "open_by", s.gap);
  emit_close_object(j);
}
