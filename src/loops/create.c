/* SPDX-License-Identifier: BSD-2-Clause */
/* A jn_loops: the model's loops as rows of conditions, and all memory that solving takes, in one block. */
#include <math.h>
#include <string.h>

#include "../model/memory.h"
#include "../model/model.h"
#include "loops.h"

void jn_loops_options_init(jn_loops_options *options) {
  if (options) *options = (jn_loops_options){.size = sizeof *options, .tolerance = 1e-9, .weak = 1e-5};
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

static void place_conditions(shelf *s, jn_loops *l) {
  int order = l->options.order, n = l->nv, count = l->count;
  l->pair = place(s, (size_t)count, sizeof *l->pair);
  l->row = place(s, (size_t)l->m, sizeof *l->row);
  l->coupling = place(s, (size_t)l->couplings, sizeof *l->coupling);
  l->user = place(s, (size_t)l->options.user_count, sizeof *l->user);
  l->user_phi = reals(s, order + 3, l->users, 1);
  l->user_A = reals(s, order + 1, l->users, n);
  l->user_D = reals(s, 1, 1, n * n + (order + 4) * l->users * (n + 1));
  for (int i = 0; i < count; i++) {
    double *V_a = reals(s, order + 2, 6, 1), *V_b = reals(s, order + 2, 6, 1), *R = reals(s, order + 3, 9, 1),
           *p = reals(s, order + 3, 3, 1);
    int screws = jn__loops_screws(l->model);
    loop_arm *run = place(s, (size_t)screws, sizeof *run);
    int *shared = place(s, (size_t)screws, sizeof *shared);
    if (l->pair) l->pair[i] = (loop_pair){.V_a = V_a, .V_b = V_b, .R = R, .p = p, .run = run, .shared = shared};
  }
}

static void place_tree(shelf *s, jn_loops *l) {
  int frames = jn_frame_count(l->model);
  size_t screws = (size_t)jn__loops_screws(l->model);
  l->poses = reals(s, frames, 16, 1);
  l->screw = place(s, screws, sizeof *l->screw);
  l->first_screw = place(s, (size_t)l->nlink + 1, sizeof *l->first_screw);
  l->used = place(s, screws, sizeof *l->used);
  l->links = place(s, screws, sizeof *l->links);
  l->room = ((int)screws + 7) / 4 * 4;
  l->chain = reals(s, 24, l->room, 1);
  l->behind = reals(s, (int)screws + 1, 12, 1);
  l->opposite = reals(s, (int)screws, 6, 1);
  l->marks = place(s, (size_t)l->nlink, 1);
  l->up = place(s, (size_t)l->nlink, sizeof *l->up);
  l->touch = place(s, (size_t)l->nv, sizeof *l->touch);
  l->parent = place(s, (size_t)l->nv, sizeof *l->parent);
}

/* Of solve.c. */
static void place_factors(shelf *s, jn_loops *l) {
  size_t n = (size_t)l->nv, m = (size_t)l->m;
  l->wide_m = (l->m + 7) / 4 * 4;
  l->depth = place(s, n, sizeof *l->depth);
  l->first_before = place(s, n + 1, sizeof *l->first_before);
  l->path = place(s, n * n, sizeof *l->path);
  l->under = place(s, n, sizeof *l->under);
  l->row_at = place(s, n, sizeof *l->row_at);
  l->column_at = place(s, n, sizeof *l->column_at);
  l->L = reals(s, 1, 1, (l->nv + 4) * l->nv);
  l->Lt = reals(s, l->nv, l->nv, 1);
  l->diagonal = reals(s, l->nv, 1, 1);
  l->inverse = reals(s, l->nv, 1, 1);
  l->seen = reals(s, l->nv, l->wide_m, 1);
  l->solved = reals(s, l->nv, l->wide_m, 1);
  l->S = reals(s, l->m + 1, l->wide_m, 1);
  l->pivots = reals(s, l->m, 1, 1);
  l->one = reals(s, l->wide_m, 1, 1);
  l->many = reals(s, l->nv + 2 * l->m, MANY_COLUMNS, 1);
  l->first_moved = place(s, m + 1, sizeof *l->first_moved);
  l->moved_by = place(s, m * n, sizeof *l->moved_by);
}

static void place_all(shelf *s, jn_loops *l) {
  int n = l->nv, m = l->m, order = l->options.order, links = l->nlink, all = n + m;
  place_conditions(s, l);
  l->A = reals(s, 1, 1, (order + 1) * m * n + MANY_COLUMNS);
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
  l->moved = reals(s, l->nq, 1, 1);
  l->start = reals(s, l->nq, 1, 1);
  l->M = reals(s, n, n, 1);
  l->keep = reals(s, n, 1, 1);
  l->motion = reals(s, 2, n, 1);
  l->forces = reals(s, order + 1, n, 1);
  l->wide = reals(s, 1, 1, n * 10 * links + MANY_COLUMNS);
  l->G_q = reals(s, 1, 1, n * n + MANY_COLUMNS);
  l->G_v = reals(s, 1, 1, n * n + MANY_COLUMNS);
  l->g_q = reals(s, 1, 1, m * n + MANY_COLUMNS);
  l->g_v = reals(s, 1, 1, m * n + MANY_COLUMNS);
  l->given_G = reals(s, 1, 1, n * n + MANY_COLUMNS);
  l->given_g = reals(s, 1, 1, m * n + MANY_COLUMNS);
  l->W = reals(s, m, 6, 1);
  l->Y = reals(s, m, 6, 1);
  l->rates = reals(s, 3, m, 1);
  l->scale = reals(s, m, 1, 1);
  l->weight = reals(s, m, 1, 1);
  l->cod.U = reals(s, all, all, 1);
  l->cod.V = reals(s, all, all, 1);
  l->cod.s = reals(s, all, 1, 1);
  l->cod.y = reals(s, all, 1, 1);
  l->cod.pivot = place(s, (size_t)all, sizeof *l->cod.pivot);
  place_tree(s, l);
  place_factors(s, l);
}

static void fill_coupling(const jn_loops *l, const jn_loop *g, int row, loop_coupling *c) {
  *c = (loop_coupling){.row = row, .count = g->term_count, .offset = g->offset};
  for (int t = 0; t < g->term_count; t++) {
    int joint = jn_joint_index(l->model, g->term[t].joint);
    c->q[t] = jn_joint_q(l->model, joint) + g->term[t].coordinate;
    c->v[t] = jn_joint_v(l->model, joint) + g->term[t].coordinate;
    c->factor[t] = g->term[t].factor;
  }
}

static void fill_conditions(jn_loops *l) {
  int at = 0, couplings = 0;
  for (int i = 0; i < l->count; i++) {
    const jn_loop *g = jn_loop_description(l->model, i);
    loop_pair *c = &l->pair[i];
    int coupling = g->type == JN_LOOP_COUPLING;
    c->a = coupling ? JN_WORLD : jn_link_index(l->model, g->link_a);
    c->b = coupling ? JN_WORLD : jn_link_index(l->model, g->link_b);
    memcpy(c->T_a, g->placement_a, sizeof c->T_a);
    memcpy(c->T_b, g->placement_b, sizeof c->T_b);
    c->first = at;
    c->rows = jn__loop_rows(g, l->row + at);
    for (int r = at; r < at + c->rows && !coupling; r++) c->directions |= l->row[r].term[0].kind == TERM_DIRECTION;
    if (coupling) fill_coupling(l, g, at, &l->coupling[couplings++]);
    at += c->rows;
  }
  for (int i = 0; i < l->options.user_count; i++) l->user[i] = l->options.user[i];
  l->options.user = l->user;
}

static jn_status take_options(const jn_loops_options *given, jn_loops_options *o) {
  jn_loops_options_init(o);
  if (given) *o = *given;
  if (o->size != sizeof *o) return JN_ERR_INIT;
  if (o->order < 0 || !(o->tolerance >= 0) || !(o->baumgarte >= 0) || !(o->weak >= 0) || o->user_count < 0)
    return JN_ERR_SIZE;
  if (o->user_count > 0 && !o->user) return JN_ERR_NULL;
  for (int i = 0; i < o->user_count; i++) {
    if (o->user[i].rows < 1) return JN_ERR_SIZE;
    if (!o->user[i].value) return JN_ERR_NULL;
  }
  if (jn_row_epsilon() > 1e-10) { /* rounding of a row in float is no condition */
    o->tolerance = fmax(o->tolerance, 1000 * jn_row_epsilon());
    o->weak = fmax(o->weak, 1e4 * jn_row_epsilon());
  }
  return JN_OK;
}

/* Code for the instruction set of the row that single states go through. */
static const loop_code *choose_code(void) {
#if JN_ROWS_AVX2
  const char *row = jn_row_name();
  if (row && strstr(row, "avx2")) return &jn__loop_code_avx2;
#endif
  return &jn__loop_code_any;
}

/* All sizes; arrays are not there yet. */
static jn_loops count_all(const jn_model *model, const jn_loops_options *o) {
  jn_loops l = {.model = model, .allocator = model->allocator, .options = *o, .count = jn_loop_count(model)};
  loop_row six[6];
  for (int i = 0; i < l.count; i++) {
    l.couplings += jn_loop_description(model, i)->type == JN_LOOP_COUPLING;
    l.first_user += jn__loop_rows(jn_loop_description(model, i), six);
  }
  for (int i = 0; i < o->user_count; i++) l.users += o->user[i].rows;
  l.m = l.first_user + l.users;
  l.nv = jn_model_nv(model);
  l.nq = jn_model_nq(model);
  l.nlink = jn_link_count(model);
  l.last = (jn_loops_health){.weakest = 1};
  return l;
}

jn_status jn_loops_create(const jn_model *model, const jn_loops_options *options, jn_loops **loops) {
  if (loops) *loops = NULL;
  if (!model || !loops) return JN_ERR_NULL;
  jn_loops_options o;
  jn_status status = take_options(options, &o);
  if (status != JN_OK) return status;
  jn_loops count = count_all(model, &o);
  shelf s = {0};
  place(&s, 1, sizeof count);
  place_all(&s, &count);
  char *block = jn__allocate(&model->allocator, s.used + 64);
  if (!block) return JN_ERR_MEMORY;
  s = (shelf){block + (64 - (uintptr_t)block % 64) % 64, 0};
  jn_loops *l = place(&s, 1, sizeof *l);
  *l = count;
  place_all(&s, l);
  l->block = block;
  l->code = choose_code();
  fill_conditions(l);
  status = jn_work_create_order(model, o.order + 1, &l->work);
  if (status == JN_OK) status = jn__loops_prepare(l);
  if (status != JN_OK) {
    jn_loops_destroy(l);
    return status;
  }
  jn__loops_find_scales(l);
  jn__loops_find_generic(l);
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
  if (!l || loop < 0 || loop >= l->count + l->options.user_count) return JN_NONE;
  int first = l->first_user;
  for (int i = l->count; i < loop; i++) first += l->user[i - l->count].rows;
  if (rows) *rows = loop < l->count ? l->pair[loop].rows : l->user[loop - l->count].rows;
  return loop < l->count ? l->pair[loop].first : first;
}
