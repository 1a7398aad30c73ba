/* SPDX-License-Identifier: BSD-2-Clause */
/* A jn_loops: the model's loops as rows of conditions, and all memory that solving takes, in one block. */
#include <math.h>
#include <string.h>

#include "../model/memory.h"
#include "../model/model.h"
#include "loops.h"

void jn_loops_options_init(jn_loops_options *options) {
  if (options) *options = (jn_loops_options){.size = sizeof *options, .tolerance = 1e-9};
}

/* ---- rows ---- */

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

static void add(loop_row *rows, int *n, loop_term one) {
  rows[*n].terms = 1;
  rows[(*n)++].term[0] = one;
}

/* Component i of the vector of (R - R^T) / 2: the sine of a small relative rotation. */
static void add_turn(loop_row *rows, int *n, int i) {
  const double *j = unit[(i + 1) % 3], *k = unit[(i + 2) % 3];
  rows[*n].terms = 2;
  rows[*n].term[0] = term(TERM_DIRECTION, 0.5, k, j);
  rows[(*n)++].term[1] = term(TERM_DIRECTION, -0.5, j, k);
}

/* The conditions of a loop; their number. rows has room for six. */
static int rows_of(const jn_loop *g, loop_row *rows, int *upright) {
  double t1[3], t2[3];
  int n = 0, type = (int)g->type;
  int points =
      type == JN_LOOP_WELD || type == JN_LOOP_REVOLUTE || type == JN_LOOP_UNIVERSAL || type == JN_LOOP_SPHERICAL;
  int line = type == JN_LOOP_PRISMATIC || type == JN_LOOP_CYLINDRICAL || type == JN_LOOP_POINT_ON_AXIS;
  int align = type == JN_LOOP_REVOLUTE || type == JN_LOOP_CYLINDRICAL || type == JN_LOOP_PLANAR;
  int turns = type == JN_LOOP_WELD || type == JN_LOOP_PRISMATIC;
  across(g->axis, t1, t2);
  *upright = align ? 1 : turns || (type == JN_LOOP_COORDINATES && (g->mask & 7) == 7) ? 2 : 0;
  for (int k = 0; k < 3; k++)
    if (points || (type == JN_LOOP_COORDINATES && (g->mask >> (3 + k) & 1)))
      add(rows, &n, term(TERM_POINT, 1, unit[k], NULL));
  if (line) {
    add(rows, &n, term(TERM_POINT, 1, t1, NULL));
    add(rows, &n, term(TERM_POINT, 1, t2, NULL));
  }
  if (type == JN_LOOP_PLANAR) add(rows, &n, term(TERM_POINT, 1, g->axis, NULL));
  if (align) {
    add(rows, &n, term(TERM_DIRECTION, 1, t1, g->axis));
    add(rows, &n, term(TERM_DIRECTION, 1, t2, g->axis));
  }
  for (int k = 0; k < 3; k++)
    if (turns || (type == JN_LOOP_COORDINATES && (g->mask >> k & 1))) add_turn(rows, &n, k);
  if (type == JN_LOOP_UNIVERSAL) add(rows, &n, term(TERM_DIRECTION, 1, g->axis, g->axis2));
  if (type == JN_LOOP_DISTANCE) add(rows, &n, term(TERM_DISTANCE, g->distance, NULL, NULL));
  return n;
}

/* ---- memory ---- */

typedef struct shelf {
  char *base; /* NULL: only count */
  size_t used;
} shelf;

static void *place(shelf *s, size_t count, size_t size) {
  size_t at = s->used;
  s->used += (count * size + 63) & ~(size_t)63;
  return s->base ? s->base + at : NULL;
}

static double *reals(shelf *s, int a, int b, int c) {
  return place(s, (size_t)(a > 0 ? a : 0) * (size_t)(b > 0 ? b : 0) * (size_t)(c > 0 ? c : 0), sizeof(double));
}

static void place_all(shelf *s, const jn_model *model, int m, int order, jn_loops *l) {
  int n = jn_model_nv(model), links = jn_link_count(model), all = n + m, count = jn_loop_count(model);
  l->pair = place(s, (size_t)count, sizeof *l->pair);
  l->row = place(s, (size_t)m, sizeof *l->row);
  for (int i = 0; i < count; i++) {
    double *V_a = reals(s, order + 2, 6, 1), *V_b = reals(s, order + 2, 6, 1), *R = reals(s, order + 3, 9, 1),
           *p = reals(s, order + 3, 3, 1);
    if (l->pair) l->pair[i] = (loop_pair){.V_a = V_a, .V_b = V_b, .R = R, .p = p};
  }
  l->A = reals(s, order + 1, m, n);
  l->H = reals(s, n, n, 1);
  l->B = reals(s, all, all, 1);
  l->zeros = reals(s, order + 4, n, 1);
  l->J = reals(s, order + 1, 6, n);
  l->twists = reals(s, order + 2, links, 6);
  l->v = reals(s, order + 4, n, 1);
  l->tau = reals(s, order + 1, n, 1);
  l->lambda = reals(s, order + 1, m, 1);
  l->mu = reals(s, order + 1, n, 1);
  l->wrench = reals(s, order + 1, links, 6);
  l->x = reals(s, all, 1, 1);
  l->y = reals(s, all, 1, 1);
  l->z = reals(s, all, 1, 1);
  l->phi = reals(s, all, 1, 1);
  l->moved = reals(s, jn_model_nq(model), 1, 1);
  l->M = reals(s, n, n, 1);
  l->G_q = reals(s, n, n, 1);
  l->G_v = reals(s, n, n, 1);
  l->g_q = reals(s, m, n, 1);
  l->g_v = reals(s, m, n, 1);
  l->column = reals(s, 48, n, 1);
  l->svd.U = reals(s, all, all, 1);
  l->svd.V = reals(s, all, all, 1);
  l->svd.s = reals(s, all, 1, 1);
  l->svd.y = reals(s, all, 1, 1);
}

static void fill_pairs(jn_loops *l) {
  for (int i = 0, at = 0; i < l->count; i++) {
    const jn_loop *g = jn_loop_description(l->model, i);
    loop_pair *c = &l->pair[i];
    c->a = jn_link_index(l->model, g->link_a);
    c->b = jn_link_index(l->model, g->link_b);
    memcpy(c->T_a, g->placement_a, sizeof c->T_a);
    memcpy(c->T_b, g->placement_b, sizeof c->T_b);
    memcpy(c->axis, g->axis, sizeof c->axis);
    c->first = at;
    c->rows = rows_of(g, l->row + at, &c->upright);
    at += c->rows;
  }
}

jn_status jn_loops_create(const jn_model *model, const jn_loops_options *options, jn_loops **loops) {
  if (loops) *loops = NULL;
  if (!model || !loops) return JN_ERR_NULL;
  jn_loops_options o;
  jn_loops_options_init(&o);
  if (options) o = *options;
  if (o.size != sizeof o || o.order < 0 || !(o.tolerance >= 0) || !(o.baumgarte >= 0)) return JN_ERR_SIZE;
  int m = 0, upright;
  loop_row six[6];
  for (int i = 0; i < jn_loop_count(model); i++) m += rows_of(jn_loop_description(model, i), six, &upright);
  shelf s = {0};
  jn_loops count = {0};
  place(&s, 1, sizeof count);
  place_all(&s, model, m, o.order, &count);
  char *block = jn__allocate(&model->allocator, s.used + 64);
  if (!block) return JN_ERR_MEMORY;
  s = (shelf){block + (64 - (uintptr_t)block % 64) % 64, 0};
  jn_loops *l = place(&s, 1, sizeof *l);
  place_all(&s, model, m, o.order, l);
  l->model = model;
  l->allocator = model->allocator;
  l->block = block;
  l->options = o;
  l->count = jn_loop_count(model);
  l->m = m;
  l->nv = jn_model_nv(model);
  l->nq = jn_model_nq(model);
  l->nlink = jn_link_count(model);
  fill_pairs(l);
  jn_status status = jn_work_create_order(model, o.order + 1, &l->work);
  if (status != JN_OK) {
    jn_loops_destroy(l);
    return status;
  }
  *loops = l;
  return JN_OK;
}

void jn_loops_destroy(jn_loops *l) {
  if (!l) return;
  jn_allocator a = l->allocator;
  jn_work_destroy(l->work);
  jn__release(&a, l->block);
}

int jn_loops_rows(const jn_loops *l) { return l ? l->m : 0; }

int jn_loops_row(const jn_loops *l, int loop, int *rows) {
  if (rows) *rows = 0;
  if (!l || loop < 0 || loop >= l->count) return JN_NONE;
  if (rows) *rows = l->pair[loop].rows;
  return l->pair[loop].first;
}
