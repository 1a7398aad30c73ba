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

static void find_anchors(const held_loops *held) {
  const jn_model *model = held->e->model;
  for (int i = 0; i < model->nlink; i++) {
    int moved = jn__joint_nv(&model->link[i].joint) > 0, parent = model->link[i].parent;
    held->before[i] = moved ? i : parent < 0 ? JN_WORLD : held->before[parent];
    held->anchor[i] = moved && !held->e->held[i] ? i : parent < 0 ? JN_WORLD : held->anchor[parent];
  }
}

/* Are two links one body? */
static int is_rigid(const int *anchor, int a, int b) {
  return (a < 0 ? JN_WORLD : anchor[a]) == (b < 0 ? JN_WORLD : anchor[b]);
}

/* Does the edit end the motion between two links, or make one link of them? */
static int is_stopped(const held_loops *held, int a, int b) {
  const int *target = held->e->target;
  int same = (a < 0 ? JN_WORLD : target[a]) == (b < 0 ? JN_WORLD : target[b]);
  return is_rigid(held->anchor, a, b) && (same || !is_rigid(held->before, a, b));
}

/* Distances and angles of this size count as closed. */
static double closed(void) { return fmax(1e-6, 1000 * jn_variant_epsilon()); }

static jn_status find_gaps(held_loops *held) {
  const jn_model *model = held->e->model;
  if (held->gaps) return JN_OK;
  held->gaps = jn__allocate(&held->e->a, ((size_t)model->nloop + 1) * sizeof *held->gaps);
  if (!held->gaps) return JN_ERR_MEMORY;
  jn_loops *loops;
  jn_status status = jn_loops_create(model, NULL, &loops);
  if (status != JN_OK) return status;
  status = jn_loops_gaps(loops, held->e->q, held->gaps);
  jn_loops_destroy(loops);
  return status;
}

/* Loop i no longer moves and is left out: allowed when it is closed. */
static void leave_out(held_loops *held, int i, double gap) {
  const char *name = held->e->model->loop[i].name;
  if (gap <= closed() || held->e->open_is_fine)
    jn__edit_say(held->e, JN_NOTE, JN_OK, "loop-held", "loop", name, NULL,
                 "nothing that it joins moves any more: it is left out");
  else
    jn__edit_say(held->e, JN_ERROR, JN_ERR_LOOP, "loop-open", "loop", name,
                 "hold the joints where the loop is closed (jounce eval MODEL --assemble, jn_loops_assemble())",
                 "it is open by %g (m or rad), and nothing that could close it moves any more", gap);
}

/* Coordinates that are held become part of the offset. 1: the coupling is still one. */
static int reduce_coupling(held_loops *held, int i, jn_loop *loop) {
  const jn_model *model = held->e->model;
  int count = 0;
  double most = 0;
  for (int t = 0; t < loop->term_count; t++) {
    jn_coupling term = loop->term[t];
    int joint = jn_joint_index(model, term.joint);
    most = fmax(most, fabs(term.factor));
    if (held->e->held[joint])
      loop->offset -= term.factor * held->e->q[jn_joint_q(model, joint) + term.coordinate];
    else
      loop->term[count++] = term;
  }
  loop->term_count = count;
  if (count == 0) leave_out(held, i, fabs(loop->offset) / most);
  return count > 0;
}

static int link_of(const held_loops *held, const char *name) {
  return name ? jn_link_index(held->e->model, name) : JN_WORLD;
}

/* One end follows its link to where that is now. */
static void move_end(const held_loops *held, int link, const char **name, double placement[16]) {
  const jn_edit *edit = held->e;
  if (link < 0 || edit->target[link] == link) return;
  se3_store(se3_mul(se3_load(&edit->at[16 * link]), jn__placement_pose(placement)), placement);
  *name = jn_link_name(edit->model, edit->target[link]);
}

static int is_out(const jn_edit *edit, int link) {
  return link < 0 || (edit->gone[link] && edit->target[link] == JN_WORLD);
}

/* 1: loop i stays, as *l now is. */
static jn_status move_loop(held_loops *held, int i, jn_loop *loop, int *stays) {
  jn_edit *edit = held->e;
  int a = link_of(held, loop->link_a), b = link_of(held, loop->link_b);
  *stays = 0;
  if (loop->type == JN_LOOP_COUPLING) {
    *stays = reduce_coupling(held, i, loop);
    return JN_OK;
  }
  if ((a >= 0 || b >= 0) && is_out(edit, a) && is_out(edit, b)) return JN_OK; /* of what is gone */
  if (is_stopped(held, a, b)) {
    jn_status status = find_gaps(held);
    if (status == JN_OK) leave_out(held, i, held->gaps[i]);
    return status;
  }
  for (int end = 0; end < 2; end++) {
    int link = end ? b : a;
    if (link >= 0 && is_out(edit, link))
      jn__edit_say(edit, JN_NOTE, JN_OK, "loop-world", "loop", loop->name, NULL,
                   "it was joined to link '%.60s', which is gone, and is joined to the world there",
                   jn_link_name(edit->model, link));
  }
  move_end(held, a, &loop->link_a, loop->placement_a);
  move_end(held, b, &loop->link_b, loop->placement_b);
  *stays = 1;
  return JN_OK;
}

jn_status jn__edit_move_loops(jn_edit *edit) {
  const jn_model *model = edit->model;
  if (model->nloop == 0) return JN_OK;
  held_loops h = {.e = edit, .anchor = jn__allocate(&edit->a, 2 * ((size_t)model->nlink + 1) * sizeof *h.anchor)};
  if (!h.anchor) return JN_ERR_MEMORY;
  h.before = h.anchor + model->nlink + 1;
  find_anchors(&h);
  jn__builder_drop_loops(edit->builder);
  jn_status status = JN_OK;
  for (int i = 0; i < model->nloop && status == JN_OK; i++) {
    jn_loop loop = model->loop[i];
    int stays;
    status = move_loop(&h, i, &loop, &stays);
    if (status == JN_OK && stays) status = jn_builder_add_loop(edit->builder, &loop);
  }
  jn__release(&edit->a, h.anchor);
  jn__release(&edit->a, h.gaps);
  return status;
}
