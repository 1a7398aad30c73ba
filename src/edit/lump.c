/* SPDX-License-Identifier: BSD-2-Clause */
/* Links that are fixed to others become part of them. */
#include "edit.h"

/* Link i, which is fixed to its parent, becomes part of what that is part of. */
static void merge(jn_edit *edit, int i) {
  const jn_link_record *record = &edit->model->link[i];
  int into = edit->target[record->parent];
  pose T = se3_mul(se3_load(&edit->at[16 * record->parent]), jn__placement_pose(record->placement));
  edit->gone[i] = 1;
  edit->target[i] = into;
  se3_store(T, &edit->at[16 * i]);
  double moved[10], *sum = edit->builder->links[into].link.inertia;
  i_store(i_move(T, i_load(record->inertia)), moved);
  for (int k = 0; k < 10; k++) sum[k] += moved[k];
}

/* The joint of link i stays, its parent is part of another link. */
static jn_status hang(jn_edit *edit, int i) {
  const jn_link_record *record = &edit->model->link[i];
  if (record->parent < 0 || !edit->gone[record->parent]) return JN_OK;
  jn_link *link = &edit->builder->links[i].link;
  se3_store(se3_mul(se3_load(&edit->at[16 * record->parent]), jn__placement_pose(record->placement)), link->placement);
  return jn__edit_text(edit, &link->parent, edit->model->link[edit->target[record->parent]].name);
}

/* The names of a link that is gone, and of its joint, as frames. */
static jn_status keep_names(jn_edit *edit, int i) {
  const jn_link_record *record = &edit->model->link[i];
  const char *into = edit->model->link[edit->target[i]].name;
  jn_status status = jn_builder_add_frame(edit->builder, record->name, into, &edit->at[16 * i]);
  if (status == JN_OK && record->joint.name && jn_frame_index(edit->model, record->joint.name) == JN_NONE)
    status = jn_builder_add_frame(edit->builder, record->joint.name, into, &edit->at[16 * i]);
  return status;
}

jn_status jn_model_lump(const jn_model *model, const jn_options *options, jn_model **copy, jn_error *error) {
  jn_edit edit;
  jn_status status = jn__edit_begin(&edit, model, NULL, options, copy, error);
  if (status != JN_OK) return status;
  for (int i = 0; i < model->nlink && status == JN_OK; i++) {
    if (model->link[i].joint.type == JN_FIXED && model->link[i].parent >= 0)
      merge(&edit, i);
    else
      status = hang(&edit, i);
  }
  if (status == JN_OK) status = jn__edit_move_frames(&edit);
  for (int i = 0; i < model->nlink && status == JN_OK; i++)
    if (edit.gone[i]) status = keep_names(&edit, i);
  if (status == JN_OK) status = jn__edit_move_loops(&edit);
  jn__edit_drop_links(&edit);
  return jn__edit_end(&edit, status, copy, error);
}
