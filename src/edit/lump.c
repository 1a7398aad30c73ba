/* SPDX-License-Identifier: BSD-2-Clause */
/* Links that are fixed to others become part of them. */
#include "edit.h"

/* Link i, which is fixed to its parent, becomes part of what that is part of. */
static void merge(jn_edit *e, int i) {
  const jn_link_record *r = &e->model->link[i];
  int into = e->target[r->parent];
  pose T = se3_mul(se3_load(&e->at[16 * r->parent]), jn__placement_pose(r->placement));
  e->gone[i] = 1;
  e->target[i] = into;
  se3_store(T, &e->at[16 * i]);
  double moved[10], *sum = e->builder->links[into].link.inertia;
  i_store(i_move(T, i_load(r->inertia)), moved);
  for (int k = 0; k < 10; k++) sum[k] += moved[k];
}

/* The joint of link i stays, its parent is part of another link. */
static jn_status hang(jn_edit *e, int i) {
  const jn_link_record *r = &e->model->link[i];
  if (r->parent < 0 || !e->gone[r->parent]) return JN_OK;
  jn_link *l = &e->builder->links[i].link;
  se3_store(se3_mul(se3_load(&e->at[16 * r->parent]), jn__placement_pose(r->placement)), l->placement);
  return jn__edit_text(e, &l->parent, e->model->link[e->target[r->parent]].name);
}

/* The names of a link that is gone, and of its joint, as frames. */
static jn_status keep_names(jn_edit *e, int i) {
  const jn_link_record *r = &e->model->link[i];
  const char *into = e->model->link[e->target[i]].name;
  jn_status status = jn_builder_add_frame(e->builder, r->name, into, &e->at[16 * i]);
  if (status == JN_OK && r->joint.name && jn_frame_index(e->model, r->joint.name) == JN_NONE)
    status = jn_builder_add_frame(e->builder, r->joint.name, into, &e->at[16 * i]);
  return status;
}

jn_status jn_model_lump(const jn_model *model, const jn_options *options, jn_model **copy, jn_error *error) {
  jn_edit e;
  jn_status status = jn__edit_begin(&e, model, NULL, options, copy, error);
  if (status != JN_OK) return status;
  for (int i = 0; i < model->nlink && status == JN_OK; i++) {
    if (model->link[i].joint.type == JN_FIXED && model->link[i].parent >= 0)
      merge(&e, i);
    else
      status = hang(&e, i);
  }
  if (status == JN_OK) status = jn__edit_move_frames(&e);
  for (int i = 0; i < model->nlink && status == JN_OK; i++)
    if (e.gone[i]) status = keep_names(&e, i);
  if (status == JN_OK) status = jn__edit_move_loops(&e);
  jn__edit_drop_links(&e);
  return jn__edit_end(&e, status, copy, error);
}
