/* SPDX-License-Identifier: BSD-2-Clause */
/* Creation of a jn_loops: the model's loops as rows of conditions, and all memory that solving needs, in one block. The
 * same code counts the memory and places the arrays (../model/shelf.h). */
#include <math.h>
#include <string.h>

#include "../model/limits.h"
#include "../model/memory.h"
#include "../model/model.h"
#include "../model/shelf.h"
#include "loops.h"

void jn_loops_options_init(jn_loops_options *options) {
  if (options) *options = (jn_loops_options){.size = sizeof *options, .tolerance = 1e-9, .weak = 1e-5};
}

/* ---- memory ---- */

static void place_conditions(jn_shelf *s, jn_loops *l) {
  int order = l->structure.options.order, n = l->structure.nv, count = l->structure.count;
  l->structure.pair = place(s, (size_t)count, sizeof *l->structure.pair);
  l->state.ends = place(s, (size_t)count, sizeof *l->state.ends);
  l->structure.row = place(s, (size_t)l->structure.m, sizeof *l->structure.row);
  l->structure.coupling = place(s, (size_t)l->structure.couplings, sizeof *l->structure.coupling);
  l->structure.user = place(s, (size_t)l->structure.options.user_count, sizeof *l->structure.user);
  l->state.user_phi = reals(s, order + 3, l->structure.users, 1);
  l->state.user_A = reals(s, order + 1, l->structure.users, n);
  l->state.user_D = reals(s, 1, 1, n * n + (order + 4) * l->structure.users * (n + 1));
  for (int i = 0; i < count; i++) {
    double *V_a = reals(s, order + 2, 6, 1), *V_b = reals(s, order + 2, 6, 1), *R = reals(s, order + 3, 9, 1),
           *p = reals(s, order + 3, 3, 1);
    int screws = jn__loops_screws(l->structure.model);
    loop_arm *run = place(s, (size_t)screws, sizeof *run);
    int *shared = place(s, (size_t)screws, sizeof *shared);
    if (!l->structure.pair) continue;
    l->structure.pair[i] = (loop_pair){.run = run, .shared = shared};
    l->state.ends[i] = (loop_ends){.V_a = V_a, .V_b = V_b, .R = R, .p = p};
  }
}

static void place_tree(jn_shelf *s, jn_loops *l) {
  int frames = jn_frame_count(l->structure.model);
  size_t screws = (size_t)jn__loops_screws(l->structure.model);
  l->state.poses = reals(s, frames, 16, 1);
  l->structure.screw = place(s, screws, sizeof *l->structure.screw);
  l->state.screws = reals(s, (int)screws, 6, 1);
  l->structure.first_screw = place(s, (size_t)l->structure.nlink + 1, sizeof *l->structure.first_screw);
  l->structure.used = place(s, screws, sizeof *l->structure.used);
  l->structure.links = place(s, screws, sizeof *l->structure.links);
  l->structure.chain_stride = ((int)screws + 7) / 4 * 4;
  l->state.chain = reals(s, 24, l->structure.chain_stride, 1);
  l->state.behind = reals(s, (int)screws + 1, 12, 1);
  l->linear.opposite = reals(s, (int)screws, 6, 1);
  l->scratch.marks = place(s, (size_t)l->structure.nlink, 1);
  l->structure.up = place(s, (size_t)l->structure.nlink, sizeof *l->structure.up);
  l->structure.touch = place(s, (size_t)l->structure.nv, sizeof *l->structure.touch);
  l->structure.parent = place(s, (size_t)l->structure.nv, sizeof *l->structure.parent);
}

/* Of solve.c. */
static void place_factors(jn_shelf *s, jn_loops *l) {
  size_t n = (size_t)l->structure.nv, m = (size_t)l->structure.m;
  l->structure.wide_m = (l->structure.m + 7) / 4 * 4;
  l->structure.depth = place(s, n, sizeof *l->structure.depth);
  l->structure.first_before = place(s, n + 1, sizeof *l->structure.first_before);
  l->structure.path = place(s, n * n, sizeof *l->structure.path);
  l->structure.under = place(s, n, sizeof *l->structure.under);
  l->structure.row_at = place(s, n, sizeof *l->structure.row_at);
  l->structure.column_at = place(s, n, sizeof *l->structure.column_at);
  l->factors.L = reals(s, 1, 1, (l->structure.nv + 4) * l->structure.nv);
  l->factors.Lt = reals(s, l->structure.nv, l->structure.nv, 1);
  l->factors.diagonal = reals(s, l->structure.nv, 1, 1);
  l->factors.inverse = reals(s, l->structure.nv, 1, 1);
  l->factors.seen = reals(s, l->structure.nv, l->structure.wide_m, 1);
  l->factors.solved = reals(s, l->structure.nv, l->structure.wide_m, 1);
  l->factors.S = reals(s, l->structure.m + 1, l->structure.wide_m, 1);
  l->factors.pivots = reals(s, l->structure.m, 1, 1);
  l->factors.one = reals(s, l->structure.wide_m, 1, 1);
  l->factors.many = reals(s, l->structure.nv + 2 * l->structure.m, MANY_COLUMNS, 1);
  l->structure.first_moved = place(s, m + 1, sizeof *l->structure.first_moved);
  l->structure.moved_by = place(s, m * n, sizeof *l->structure.moved_by);
}

static void place_all(jn_shelf *s, jn_loops *l) {
  int n = l->structure.nv, m = l->structure.m, order = l->structure.options.order, links = l->structure.nlink,
      all = n + m;
  place_conditions(s, l);
  l->state.A = reals(s, 1, 1, (order + 1) * m * n + MANY_COLUMNS);
  l->state.H = reals(s, n, n, 1);
  l->scratch.B = reals(s, all, all, 1);
  l->structure.zeros = reals(s, order + 4, n, 1);
  l->state.J = reals(s, order + 1, 6, n);
  l->state.twists = reals(s, order + 2, links, 6);
  l->scratch.v = reals(s, order + 4, n, 1);
  l->state.tau = reals(s, order + 1, n, 1);
  l->scratch.lambda = reals(s, order + 1, m, 1);
  l->scratch.mu = reals(s, order + 1, n, 1);
  l->scratch.wrench = reals(s, order + 1, links, 6);
  l->scratch.x = reals(s, all, 1, 1);
  l->scratch.y = reals(s, all, 1, 1);
  l->scratch.z = reals(s, all, 1, 1);
  l->scratch.phi = reals(s, all, 1, 1);
  l->scratch.moved = reals(s, l->structure.nq, 1, 1);
  l->scratch.start = reals(s, l->structure.nq, 1, 1);
  l->scratch.guess = reals(s, l->structure.nq, 1, 1);
  l->scratch.best = reals(s, l->structure.nq, 1, 1);
  l->scratch.pinned = place(s, (size_t)n, 1);
  l->structure.place = place(s, (size_t)n, sizeof *l->structure.place);
  l->structure.lower = reals(s, n, 1, 1);
  l->structure.upper = reals(s, n, 1, 1);
  l->linear.M = reals(s, n, n, 1);
  l->scratch.keep = reals(s, n, 1, 1);
  l->scratch.motion = reals(s, 2, n, 1);
  l->scratch.forces = reals(s, order + 1, n, 1);
  l->linear.wide = reals(s, 1, 1, n * 10 * links + MANY_COLUMNS);
  l->linear.G_q = reals(s, 1, 1, n * n + MANY_COLUMNS);
  l->linear.G_v = reals(s, 1, 1, n * n + MANY_COLUMNS);
  l->linear.g_q = reals(s, 1, 1, m * n + MANY_COLUMNS);
  l->linear.g_v = reals(s, 1, 1, m * n + MANY_COLUMNS);
  l->linear.given_G = reals(s, 1, 1, n * n + MANY_COLUMNS);
  l->linear.given_g = reals(s, 1, 1, m * n + MANY_COLUMNS);
  l->state.W = reals(s, m, 6, 1);
  l->state.Y = reals(s, m, 6, 1);
  l->state.rates = reals(s, 3, m, 1);
  l->structure.scale = reals(s, m, 1, 1);
  l->factors.weight = reals(s, m, 1, 1);
  l->factors.cod.U = reals(s, all, all, 1);
  l->factors.cod.V = reals(s, all, all, 1);
  l->factors.cod.s = reals(s, all, 1, 1);
  l->factors.cod.y = reals(s, all, 1, 1);
  l->factors.cod.pivot = place(s, (size_t)all, sizeof *l->factors.cod.pivot);
  place_tree(s, l);
  place_factors(s, l);
}

static void fill_coupling(const loop_structure *loops, const jn_loop *g, int row, loop_coupling *c) {
  *c = (loop_coupling){.row = row, .count = g->term_count, .offset = g->offset};
  for (int t = 0; t < g->term_count; t++) {
    int joint = jn_joint_index(loops->model, g->term[t].joint);
    c->q[t] = jn_joint_q(loops->model, joint) + g->term[t].coordinate;
    c->v[t] = jn_joint_v(loops->model, joint) + g->term[t].coordinate;
    c->factor[t] = g->term[t].factor;
  }
}

static void fill_conditions(jn_loops *l) {
  int at = 0, couplings = 0;
  for (int i = 0; i < l->structure.count; i++) {
    const jn_loop *g = jn_loop_description(l->structure.model, i);
    loop_pair *c = &l->structure.pair[i];
    int coupling = g->type == JN_LOOP_COUPLING;
    c->a = coupling ? JN_WORLD : jn_link_index(l->structure.model, g->link_a);
    c->b = coupling ? JN_WORLD : jn_link_index(l->structure.model, g->link_b);
    memcpy(c->T_a, g->placement_a, sizeof c->T_a);
    memcpy(c->T_b, g->placement_b, sizeof c->T_b);
    c->first = at;
    c->rows = jn__loop_rows(g, l->structure.row + at);
    for (int r = at; r < at + c->rows && !coupling; r++)
      c->directions |= l->structure.row[r].term[0].kind == TERM_DIRECTION;
    if (coupling) fill_coupling(&l->structure, g, at, &l->structure.coupling[couplings++]);
    at += c->rows;
  }
  for (int i = 0; i < l->structure.options.user_count; i++) l->structure.user[i] = l->structure.options.user[i];
  l->structure.options.user = l->structure.user;
}

static jn_status take_options(const jn_loops_options *given, jn_loops_options *o) {
  jn_loops_options_init(o);
  if (given) *o = *given;
  if (o->size != sizeof *o) return JN_ERR_INIT;
  if (o->order < 0 || o->order > JN_MAX_ORDER || !(o->tolerance >= 0) || !(o->baumgarte >= 0) || !(o->weak >= 0) ||
      o->user_count < 0)
    return JN_ERR_SIZE;
  if (o->user_count > 0 && !o->user) return JN_ERR_NULL;
  for (int i = 0; i < o->user_count; i++) {
    if (o->user[i].rows < 1) return JN_ERR_SIZE;
    if (!o->user[i].value) return JN_ERR_NULL;
  }
  if (jn_variant_epsilon() > 1e-10) { /* rounding of a row in float is no condition */
    o->tolerance = fmax(o->tolerance, 1000 * jn_variant_epsilon());
    o->weak = fmax(o->weak, 1e4 * jn_variant_epsilon());
  }
  return JN_OK;
}

/* Code for the instruction set in which single states are computed. */
static const loop_code *choose_code(void) {
#if JN_VARIANTS_AVX2
  if (jn__runs_avx2()) return &jn__loop_code_avx2;
#endif
  return &jn__loop_code_any;
}

/* All sizes; arrays are not there yet. */
static jn_loops count_all(const jn_model *model, const jn_loops_options *o) {
  loop_structure s = {.model = model, .options = *o, .count = jn_loop_count(model)};
  loop_row six[6];
  for (int i = 0; i < s.count; i++) {
    s.couplings += jn_loop_description(model, i)->type == JN_LOOP_COUPLING;
    s.first_user += jn__loop_rows(jn_loop_description(model, i), six);
  }
  for (int i = 0; i < o->user_count; i++) s.users += o->user[i].rows;
  s.m = s.first_user + s.users;
  s.nv = jn_model_nv(model);
  s.nq = jn_model_nq(model);
  s.nlink = jn_link_count(model);
  return (jn_loops){.structure = s, .factors.last = {.weakest = 1}, .allocator = model->allocator};
}

jn_status jn_loops_create(const jn_model *model, const jn_loops_options *options, jn_loops **loops) {
  if (loops) *loops = NULL;
  if (!model || !loops) return JN_ERR_NULL;
  jn_loops_options o;
  jn_status status = take_options(options, &o);
  if (status != JN_OK) return status;
  jn_loops count = count_all(model, &o);
  jn_shelf s = {0};
  place(&s, 1, sizeof count);
  place_all(&s, &count);
  char *block = jn__allocate(&model->allocator, s.used + 64);
  if (!block) return JN_ERR_MEMORY;
  s = (jn_shelf){block + (64 - (uintptr_t)block % 64) % 64, 0};
  jn_loops *l = place(&s, 1, sizeof *l);
  *l = count;
  place_all(&s, l);
  l->block = block;
  l->structure.code = choose_code();
  fill_conditions(l);
  jn__find_position_limits(model, l->structure.place, l->structure.lower, l->structure.upper);
  status = jn_work_create_order(model, o.order + 1, &l->structure.work);
  if (status == JN_OK) status = jn__loops_prepare(l);
  if (status != JN_OK) {
    jn_loops_destroy(l);
    return status;
  }
  jn__loops_find_scales(&l->structure, &l->state, &l->scratch);
  jn__loops_find_generic(l);
  *loops = l;
  return JN_OK;
}

void jn_loops_destroy(jn_loops *l) {
  if (!l) return;
  jn_allocator a = l->allocator;
  jn_work_destroy(l->structure.work);
  jn__release(&a, l->block);
}

int jn_loops_rows(const jn_loops *l) { return l ? l->structure.m : 0; }

int jn__loops_row(const loop_structure *loops, int loop, int *rows) {
  int first = loops->first_user;
  for (int i = loops->count; i < loop; i++) first += loops->user[i - loops->count].rows;
  *rows = loop < loops->count ? loops->pair[loop].rows : loops->user[loop - loops->count].rows;
  return loop < loops->count ? loops->pair[loop].first : first;
}

int jn_loops_row(const jn_loops *l, int loop, int *rows) {
  int count = 0, first = JN_NONE;
  if (l && loop >= 0 && loop < l->structure.count + l->structure.options.user_count)
    first = jn__loops_row(&l->structure, loop, &count);
  if (rows) *rows = count;
  return first;
}
