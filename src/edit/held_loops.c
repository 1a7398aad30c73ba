/* SPDX-License-Identifier: BSD-2-Clause */
/* What becomes of loops when joints no longer move and links are gone. */
#include <string.h>

#include "edit.h"
#include "jounce/loops.h"

typedef struct held_loops {
  jn_edit *e;
  int *anchor;  /* [L] the link whose joint moves it, or JN_WORLD: links of one anchor are one body */
  int *before;  /* [L] the same in the model as it was */
  double *gaps; /* [loops] of the model at e->q, NULL until one is needed */
} held_loops;

static void find_anchors(const held_loops *h) {
  const jn_model *m = h->e->model;
  for (int i = 0; i < m->nlink; i++) {
    int moved = jn__joint_nv(&m->link[i].joint) > 0, parent = m->link[i].parent;
    h->before[i] = moved ? i : parent < 0 ? JN_WORLD : h->before[parent];
    h->anchor[i] = moved && !h->e->held[i] ? i : parent < 0 ? JN_WORLD : h->anchor[parent];
  }
}

/* Are two links one body? */
static int is_rigid(const int *anchor, int a, int b) {
  return (a < 0 ? JN_WORLD : anchor[a]) == (b < 0 ? JN_WORLD : anchor[b]);
}

/* Does the edit end the motion between two links, or make one link of them? */
static int is_stopped(const held_loops *h, int a, int b) {
  const int *target = h->e->target;
  int same = (a < 0 ? JN_WORLD : target[a]) == (b < 0 ? JN_WORLD : target[b]);
  return is_rigid(h->anchor, a, b) && (same || !is_rigid(h->before, a, b));
}

/* Distances and angles of this size count as closed. */
static double closed(void) { return fmax(1e-6, 1000 * jn_variant_epsilon()); }

static jn_status find_gaps(held_loops *h) {
  const jn_model *m = h->e->model;
  if (h->gaps) return JN_OK;
  h->gaps = jn__allocate(&h->e->a, ((size_t)m->nloop + 1) * sizeof *h->gaps);
  if (!h->gaps) return JN_ERR_MEMORY;
  jn_loops *loops;
  jn_status status = jn_loops_create(m, NULL, &loops);
  if (status != JN_OK) return status;
  status = jn_loops_gaps(loops, h->e->q, h->gaps);
  jn_loops_destroy(loops);
  return status;
}

/* Loop i no longer moves and is left out: allowed when it is closed. */
static void leave_out(held_loops *h, int i, double gap) {
  const char *name = h->e->model->loop[i].name;
  if (gap <= closed() || h->e->open_is_fine)
    jn__edit_say(h->e, JN_NOTE, JN_OK, "loop-held", "loop", name, NULL,
                 "nothing that it joins moves any more: it is left out");
  else
    jn__edit_say(h->e, JN_ERROR, JN_ERR_LOOP, "loop-open", "loop", name,
                 "hold the joints where the loop is closed (jounce eval MODEL --assemble, jn_loops_assemble())",
                 "it is open by %g (m or rad), and nothing that could close it moves any more", gap);
}

/* Coordinates that are held become part of the offset. 1: the coupling is still one. */
static int reduce_coupling(held_loops *h, int i, jn_loop *l) {
  const jn_model *m = h->e->model;
  int count = 0;
  double most = 0;
  for (int t = 0; t < l->term_count; t++) {
    jn_coupling term = l->term[t];
    int joint = jn_joint_index(m, term.joint);
    most = fmax(most, fabs(term.factor));
    if (h->e->held[joint])
      l->offset -= term.factor * h->e->q[jn_joint_q(m, joint) + term.coordinate];
    else
      l->term[count++] = term;
  }
  l->term_count = count;
  if (count == 0) leave_out(h, i, fabs(l->offset) / most);
  return count > 0;
}

static int link_of(const held_loops *h, const char *name) { return name ? jn_link_index(h->e->model, name) : JN_WORLD; }

/* One end follows its link to where that is now. */
static void move_end(const held_loops *h, int link, const char **name, double placement[16]) {
  const jn_edit *e = h->e;
  if (link < 0 || e->target[link] == link) return;
  se3_store(se3_mul(se3_load(&e->at[16 * link]), jn__placement_pose(placement)), placement);
  *name = jn_link_name(e->model, e->target[link]);
}

static int is_out(const jn_edit *e, int link) { return link < 0 || (e->gone[link] && e->target[link] == JN_WORLD); }

/* 1: loop i stays, as *l now is. */
static jn_status move_loop(held_loops *h, int i, jn_loop *l, int *stays) {
  jn_edit *e = h->e;
  int a = link_of(h, l->link_a), b = link_of(h, l->link_b);
  *stays = 0;
  if (l->type == JN_LOOP_COUPLING) {
    *stays = reduce_coupling(h, i, l);
    return JN_OK;
  }
  if ((a >= 0 || b >= 0) && is_out(e, a) && is_out(e, b)) return JN_OK; /* of what is gone */
  if (is_stopped(h, a, b)) {
    jn_status status = find_gaps(h);
    if (status == JN_OK) leave_out(h, i, h->gaps[i]);
    return status;
  }
  for (int end = 0; end < 2; end++) {
    int link = end ? b : a;
    if (link >= 0 && is_out(e, link))
      jn__edit_say(e, JN_NOTE, JN_OK, "loop-world", "loop", l->name, NULL,
                   "it was joined to link '%.60s', which is gone, and is joined to the world there",
                   jn_link_name(e->model, link));
  }
  move_end(h, a, &l->link_a, l->placement_a);
  move_end(h, b, &l->link_b, l->placement_b);
  *stays = 1;
  return JN_OK;
}

jn_status jn__edit_move_loops(jn_edit *e) {
  const jn_model *m = e->model;
  if (m->nloop == 0) return JN_OK;
  held_loops h = {.e = e, .anchor = jn__allocate(&e->a, 2 * ((size_t)m->nlink + 1) * sizeof *h.anchor)};
  if (!h.anchor) return JN_ERR_MEMORY;
  h.before = h.anchor + m->nlink + 1;
  find_anchors(&h);
  jn__builder_drop_loops(e->builder);
  jn_status status = JN_OK;
  for (int i = 0; i < m->nloop && status == JN_OK; i++) {
    jn_loop l = m->loop[i];
    int stays;
    status = move_loop(&h, i, &l, &stays);
    if (status == JN_OK && stays) status = jn_builder_add_loop(e->builder, &l);
  }
  jn__release(&e->a, h.anchor);
  jn__release(&e->a, h.gaps);
  return status;
}
