/* SPDX-License-Identifier: BSD-2-Clause */
/* What each kind of loop asks of the relative pose of its closing frames. */
#include <math.h>

#include "loops.h"

static const double unit[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

static void across(const double e[3], double t1[3], double t2[3]) {
  int least = fabs(e[0]) <= fabs(e[1]) && fabs(e[0]) <= fabs(e[2]) ? 0 : fabs(e[1]) <= fabs(e[2]) ? 1 : 2;
  double n = 0;
  for (int k = 0; k < 3; k++) t1[k] = unit[least][k] - e[least] * e[k], n += t1[k] * t1[k];
  for (int k = 0; k < 3; k++) t1[k] /= sqrt(n);
  for (int k = 0; k < 3; k++) t2[k] = e[(k + 1) % 3] * t1[(k + 2) % 3] - e[(k + 2) % 3] * t1[(k + 1) % 3];
}

static loop_term term(term_kind kind, double factor, const double *alpha, const double *beta) {
  loop_term t = {.kind = kind, .factor = factor};
  for (int k = 0; k < 3; k++) {
    t.alpha[k] = alpha ? alpha[k] : 0;
    t.beta[k] = beta ? beta[k] : 0;
  }
  return t;
}

typedef struct list {
  loop_row *rows;
  int count;
} list;

static void add(list *l, loop_term one) { l->rows[l->count++] = (loop_row){.terms = 1, .term = {one}}; }

static void add_point(list *l, const double *alpha) { add(l, term(TERM_POINT, 1, alpha, NULL)); }

/* The component about j x k of the vector of (R - R^T) / 2: the sine of a small relative rotation. */
static void add_turn(list *l, const double *j, const double *k) {
  loop_row *row = &l->rows[l->count++];
  *row = (loop_row){.terms = 2, .closure = CLOSE_TURN};
  row->term[0] = term(TERM_DIRECTION, 0.5, k, j);
  row->term[1] = term(TERM_DIRECTION, -0.5, j, k);
  for (int i = 0; i < 3; i++) row->about[i] = j[(i + 1) % 3] * k[(i + 2) % 3] - j[(i + 2) % 3] * k[(i + 1) % 3];
}

static void add_turns(list *l, unsigned mask) {
  for (int i = 0; i < 3; i++)
    if (mask >> i & 1) add_turn(l, unit[(i + 1) % 3], unit[(i + 2) % 3]);
}

static void add_points(list *l, unsigned mask) {
  for (int i = 0; i < 3; i++)
    if (mask >> i & 1) add_point(l, unit[i]);
}

/* The direction e of b stays across t1 and t2 of a, and points to the same side as in a; e, t1, t2 are right-handed. */
static void add_alignment(list *l, const double *t1, const double *t2, const double *e) {
  add(l, term(TERM_DIRECTION, 1, t1, e));
  add(l, term(TERM_DIRECTION, 1, t2, e));
  l->rows[l->count - 2].closure = CLOSE_ALIGN;
  l->rows[l->count - 1].closure = CLOSE_ALIGN_SECOND;
}

static void closure_rows(const jn_loop *g, const double *t1, const double *t2, list *l) {
  switch (g->type) {
    case JN_LOOP_WELD:
      add_points(l, 7);
      add_turns(l, 7);
      break;
    case JN_LOOP_REVOLUTE:
      add_points(l, 7);
      add_alignment(l, t1, t2, g->axis);
      break;
    case JN_LOOP_PRISMATIC:
      add_point(l, t1);
      add_point(l, t2);
      add_turns(l, 7);
      break;
    case JN_LOOP_CYLINDRICAL:
      add_point(l, t1);
      add_point(l, t2);
      add_alignment(l, t1, t2, g->axis);
      break;
    case JN_LOOP_UNIVERSAL:
      add_points(l, 7);
      add(l, term(TERM_DIRECTION, 1, g->axis, g->axis2));
      break;
    case JN_LOOP_SPHERICAL:
      add_points(l, 7);
      break;
    case JN_LOOP_POINT_ON_AXIS:
      add_point(l, t1);
      add_point(l, t2);
      break;
    case JN_LOOP_DISTANCE:
      add(l, term(TERM_DISTANCE, g->distance, NULL, NULL));
      break;
    case JN_LOOP_COORDINATES:
      add_points(l, g->mask >> 3);
      add_turns(l, g->mask);
      break;
    default:
      break;
  }
}

/* Normal first. */
static void contact_rows(const jn_loop *g, const double *t1, const double *t2, list *l) {
  int sticks = g->type == JN_LOOP_POINT_CONTACT || g->type == JN_LOOP_SURFACE_CONTACT;
  add_point(l, g->axis);
  if (sticks) add_point(l, t1);
  if (sticks) add_point(l, t2);
  if (g->type == JN_LOOP_POINT_CONTACT || g->type == JN_LOOP_SLIDING_POINT) return;
  if (!sticks) {
    add_alignment(l, t1, t2, g->axis);
    return;
  }
  add_turn(l, t2, g->axis); /* (axis, t1, t2) are right-handed */
  add_turn(l, g->axis, t1);
  add_turn(l, t1, t2);
}

int jn__loop_rows(const jn_loop *g, loop_row *rows) {
  double t1[3], t2[3];
  list l = {rows, 0};
  if (g->type == JN_LOOP_COUPLING) { /* its row has nothing to do with frames */
    rows[0] = (loop_row){.terms = 0};
    return 1;
  }
  across(g->axis, t1, t2);
  int contact = g->type == JN_LOOP_PLANAR || g->type == JN_LOOP_POINT_CONTACT || g->type == JN_LOOP_SLIDING_POINT ||
                g->type == JN_LOOP_SURFACE_CONTACT || g->type == JN_LOOP_SLIDING_SURFACE;
  (contact ? contact_rows : closure_rows)(g, t1, t2, &l);
  return l.count;
}
