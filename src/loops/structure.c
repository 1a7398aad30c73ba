/* SPDX-License-Identifier: BSD-2-Clause */
/* What does not change with the state, found once: which screws connect the ends of each pair, which coordinates move
 * which conditions, and where the factor L of M has entries. */
#include <math.h>
#include <string.h>

#include "loops.h"

/* Joints whose screws do not depend on q, in the link's frame. */
static int is_constant(const jn_joint *j) {
  switch (j->type) {
    case JN_UNIVERSAL:
    case JN_PLANAR:
    case JN_GIMBAL:
      return 0;
    case JN_GENERAL:
      return j->screw_count == 1;
    default:
      return 1;
  }
}

/* Joints whose velocities are not rates of coordinates. */
static int is_group(const jn_joint *j) { return j->type == JN_SPHERICAL || j->type == JN_FREE; }

/* Screws of the joint of a link: velocity coordinates that it has, also when it follows another joint. */
static int screws_of(const jn_model *m, int link) {
  return jn_joint_mimic(m, link, NULL, NULL, NULL) ? 1 : jn_joint_nv(m, link);
}

int jn__loops_screws(const jn_model *m) {
  int count = 0;
  for (int i = 0; i < jn_link_count(m); i++) count += screws_of(m, i);
  return count;
}

/* Screws of a joint at q = 0; of a mimic by its leader's coordinate, with the ratio in them. */
static jn_status read_screws(loop_structure *loops, loop_state *state, loop_scratch *scratch, int at) {
  loop_screw *s = &loops->screw[at];
  double S[36];
  jn_status status = jn_joint_jacobian_jet(loops->model, loops->work, 0, s->link, scratch->start, loops->zeros, S);
  for (int k = 0; k < s->count && status == JN_OK; k++) {
    for (int e = 0; e < 6; e++) state->screws[6 * (at + k) + e] = s[k].X[e] = S[e * s->count + k];
    const double *X = s[k].X;
    s[k].rate = sqrt(X[0] * X[0] + X[1] * X[1] + X[2] * X[2]);
    if (fabs(s[k].rate - 1) <= 8 * jn_variant_epsilon())
      s[k].rate = 1; /* as convert.c of the model: angles keep their digits */
  }
  return status;
}

/* Rows first ... first + rows - 1 have coordinate v, and through the inertia those before it. */
static void touch(loop_structure *loops, int v, int first, int rows) {
  for (; v >= 0; v = loops->parent[v]) {
    loop_run *t = &loops->touch[v];
    int from = t->count > 0 && t->first < first ? t->first : first, end = t->first + t->count;
    if (t->count == 0 || end < first + rows) end = first + rows;
    *t = (loop_run){from, end - from};
  }
}

/* Which screws move an end of some pair, and how they follow each other. */
static void find_used(loop_structure *loops, loop_state *state, loop_scratch *scratch) {
  unsigned char *on = scratch->marks;
  memset(on, 0, (size_t)loops->nlink);
  for (int i = 0; i < loops->count; i++) {
    for (int k = loops->pair[i].a; k >= 0; k = loops->up[k]) on[k] = 1;
    for (int k = loops->pair[i].b; k >= 0; k = loops->up[k]) on[k] = 1;
  }
  loops->used_count = 0;
  for (int i = 0; i < loops->nlink; i++) {
    int first = loops->used_count, count = loops->first_screw[i + 1] - loops->first_screw[i], before = 0;
    if (!on[i]) continue;
    for (int k = loops->up[i]; k >= 0 && before == 0; k = loops->up[k])
      for (int e = 0; e < first; e++)
        if (loops->screw[loops->used[e]].link == k) before = e + 1; /* its last */
    for (int k = 0; k < count; k++) {
      int screw = loops->first_screw[i] + k, last = k > 0 ? first + k : before, group = loops->screw[screw].group;
      loops->links[first + k] = (loop_link){last, group ? before : last, first + count, group};
      loops->used[loops->used_count++] = screw;
    }
  }
  memset(state->chain, 0, sizeof(double) * 24 * (size_t)loops->chain_stride);
  memset(state->behind, 0, sizeof(double) * 12 * (size_t)(loops->used_count + 1));
}

/* The last screw that moves a link, as a place in state->behind. */
static int last_screw(const loop_structure *loops, int link) {
  for (; link >= 0; link = loops->up[link])
    for (int e = loops->used_count - 1; e >= 0; e--)
      if (loops->screw[loops->used[e]].link == link) return e + 1;
  return 0;
}

/* The screws that move the ends of a pair against each other, those of b with sign 1, of a with -1. */
static void find_arms(loop_structure *loops, loop_scratch *scratch, loop_pair *c) {
  unsigned char *on = scratch->marks;
  memset(on, 0, (size_t)loops->nlink);
  for (int i = c->a; i >= 0; i = loops->up[i]) on[i] |= 1;
  for (int i = c->b; i >= 0; i = loops->up[i]) on[i] |= 2;
  c->runs = c->shared_count = 0;
  for (int i = 0; i < loops->used_count; i++) {
    const loop_screw *s = &loops->screw[loops->used[i]];
    if (on[s->link] == 3) c->shared[c->shared_count++] = i;
    if (on[s->link] != 1 && on[s->link] != 2) continue;
    loop_arm *last = c->runs > 0 ? &c->run[c->runs - 1] : NULL;
    double sign = on[s->link] == 2 ? 1 : -1;
    if (last && last->sign == sign && last->screw + last->count == i && last->coordinate + last->count == s->coordinate)
      last->count++;
    else
      c->run[c->runs++] = (loop_arm){i, s->coordinate, 1, sign};
    touch(loops, s->coordinate, c->first, c->rows);
  }
  c->end_a = last_screw(loops, c->a);
  c->end_b = last_screw(loops, c->b);
}

/* Of all conditions. */
static void find_touches(loop_structure *loops, loop_state *state, loop_scratch *scratch) {
  for (int v = 0; v < loops->nv; v++) loops->touch[v] = (loop_run){0, 0};
  find_used(loops, state, scratch);
  for (int i = 0; i < loops->count; i++) find_arms(loops, scratch, &loops->pair[i]);
  for (int i = 0; i < loops->couplings; i++)
    for (int t = 0; t < loops->coupling[i].count; t++) touch(loops, loops->coupling[i].v[t], loops->coupling[i].row, 1);
  for (int v = 0; v < loops->nv && loops->users > 0; v++) touch(loops, v, loops->first_user, loops->users);
  int at = 0;
  for (int r = 0; r < loops->m; r++) {
    loops->first_moved[r] = at;
    for (int v = 0; v < loops->nv; v++)
      if (r >= loops->touch[v].first && r < loops->touch[v].first + loops->touch[v].count) loops->moved_by[at++] = v;
  }
  loops->first_moved[loops->m] = at;
}

/* The coordinate before each on the way to the world; all before it when coordinates are shared or in another order
 * than depth first, so that those which one carries always follow it. */
static void find_parents(loop_structure *loops) {
  int plain = !jn_model_is_coupled(loops->model);
  for (int v = 0; v < loops->nv; v++) {
    int place, joint = jn_coordinate_joint(loops->model, v, &place), link = jn_link_parent(loops->model, joint);
    while (link >= 0 && jn_joint_nv(loops->model, link) == 0) link = jn_link_parent(loops->model, link);
    loops->parent[v] = place > 0  ? v - 1
                       : link < 0 ? -1
                                  : jn_joint_v(loops->model, link) + jn_joint_nv(loops->model, link) - 1;
    int before = v - 1; /* depth first: the parent is the coordinate before, or carries that */
    while (plain && before >= 0 && before > loops->parent[v]) before = loops->parent[before];
    plain = plain && before == loops->parent[v];
  }
  for (int v = 0; v < loops->nv && !plain; v++) loops->parent[v] = v - 1;
}

/* Where rows and columns of L are, which is as sparse as the tree. */
static void find_sparsity(loop_structure *loops, loop_factors *factors) {
  int at = 0, row = 0, column = 0;
  for (int v = 0; v < loops->nv; v++) {
    int p = loops->parent[v];
    loops->depth[v] = p < 0 ? 0 : loops->depth[p] + 1;
    loops->first_before[v] = at;
    loops->row_at[v] = row;
    for (int e = 0; e + 1 < loops->depth[v]; e++) loops->path[at + e] = loops->path[loops->first_before[p] + e];
    if (p >= 0) loops->path[at + loops->depth[v] - 1] = p;
    at += loops->depth[v];
    row += (loops->depth[v] + 4) / 4 * 4;
    loops->under[v] = 0;
    for (int i = p; i >= 0; i = loops->parent[i]) loops->under[i] = v - i;
  }
  for (int v = 0; v < loops->nv; v++) {
    loops->column_at[v] = column;
    column += loops->under[v];
  }
  memset(factors->L, 0, sizeof(double) * (size_t)row);
  memset(factors->Lt, 0, sizeof(double) * (size_t)column);
}

jn_status jn__loops_prepare(jn_loops *l) {
  int at = 0;
  jn_status status = jn_neutral(l->structure.model, l->scratch.start);
  for (int i = 0; i < l->structure.nlink && status == JN_OK; i++) {
    int count = screws_of(l->structure.model, i);
    l->structure.first_screw[i] = at;
    l->structure.up[i] = jn_link_parent(l->structure.model, i);
    if (count == 0) continue;
    for (int k = 0; k < count; k++)
      l->structure.screw[at + k] = (loop_screw){.link = i,
                                                .count = count - k,
                                                .coordinate = jn_joint_v(l->structure.model, i) + k,
                                                .q = jn_joint_q(l->structure.model, i) + k,
                                                .constant = is_constant(jn_joint_description(l->structure.model, i)),
                                                .group = is_group(jn_joint_description(l->structure.model, i))};
    status = read_screws(&l->structure, &l->state, &l->scratch, at);
    at += count;
  }
  l->structure.first_screw[l->structure.nlink] = at;
  find_parents(&l->structure);
  find_sparsity(&l->structure, &l->factors);
  find_touches(&l->structure, &l->state, &l->scratch);
  return status;
}
