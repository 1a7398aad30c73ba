/* SPDX-License-Identifier: BSD-2-Clause */
/* Fewer coordinates: joints locked at values, and the subtree of one link. */
#include <string.h>

#include "edit.h"
#include "jounce/configuration.h"

/* Joint i and, when it follows another, that one. */
static void mark(jn_edit *edit, int i) {
  const jn_model *model = edit->model;
  int leader = model->link[i].leader;
  if (jn__joint_nv(&model->link[i].joint) == 0)
    jn__edit_say(edit, JN_NOTE, JN_OK, "lock-fixed", "joint", jn_joint_name(model, i), NULL, "it is fixed already");
  else
    edit->held[i] = 1;
  if (leader == JN_NONE || edit->held[leader]) return;
  edit->held[leader] = 1;
  jn__edit_say(edit, JN_NOTE, JN_OK, "lock-coupled", "joint", jn_joint_name(model, leader), NULL,
               "'%.60s' follows it and is locked, so it is held at %g", jn_joint_name(model, i),
               edit->q[jn_joint_q(model, leader)]);
}

/* What the caller says about joints that are not locked does not count. */
static jn_status forget_others(jn_edit *edit) {
  const jn_model *model = edit->model;
  double *neutral = jn__allocate(&edit->a, ((size_t)model->nq + 1) * sizeof *neutral);
  jn_status status = neutral ? jn_neutral(model, neutral) : JN_ERR_MEMORY;
  for (int i = 0; i < model->nlink && status == JN_OK; i++)
    for (int k = 0; k < model->link[i].nq && !edit->held[i]; k++)
      edit->q[jn_joint_q(model, i) + k] = neutral[jn_joint_q(model, i) + k];
  jn__release(&edit->a, neutral);
  return status;
}

jn_status jn_model_lock(const jn_model *model, const char *const *joints, int count, const double *q,
                        const jn_options *options, jn_model **copy, jn_error *error) {
  if (copy) *copy = NULL;
  if (count < 0) return jn__fail(error, JN_ERR_SIZE, NULL, "%s", jn_status_text(JN_ERR_SIZE));
  for (int k = 0; k < count; k++)
    if (!joints || !joints[k]) return jn__fail(error, JN_ERR_NULL, NULL, "%s", jn_status_text(JN_ERR_NULL));
  jn_edit edit;
  jn_status status = jn__edit_begin(&edit, model, q, options, copy, error);
  if (status != JN_OK) return status;
  for (int k = 0; k < count; k++) {
    int joint = jn__edit_joint(&edit, joints[k]);
    if (joint >= 0) mark(&edit, joint);
  }
  status = forget_others(&edit);
  if (status == JN_OK) {
    jn__edit_hold(&edit);
    if (edit.log.first.status == JN_OK) status = jn__edit_move_loops(&edit);
  }
  return jn__edit_end(&edit, status, copy, error);
}

/* All outside of [link, end) is gone, and rests where it is at q. */
static jn_status cut(jn_edit *edit, int link) {
  const jn_model *model = edit->model;
  for (int i = 0; i < model->nlink; i++) {
    if (i >= link && i < model->link[link].end) continue;
    edit->held[i] = jn__joint_nv(&model->link[i].joint) > 0;
    edit->gone[i] = 1;
  }
  int parent = model->link[link].parent;
  for (int i = 0; i < model->nlink; i++) { /* what carries a link that is gone is gone, too */
    if (!edit->gone[i]) continue;
    int carrier = model->link[i].parent;
    pose T = jn__edit_pose(edit, i);
    edit->target[i] = JN_WORLD;
    se3_store(carrier < 0 ? T : se3_mul(se3_load(&edit->at[16 * carrier]), T), &edit->at[16 * i]);
  }
  edit->open_is_fine = 1;
  jn__edit_hold(edit);
  jn_link *l = &edit->builder->links[link].link;
  if (parent >= 0) se3_store(se3_mul(se3_load(&edit->at[16 * parent]), jn__placement_pose(l->placement)), l->placement);
  jn_status status = jn__edit_text(edit, &l->parent, NULL);
  if (status == JN_OK) status = jn__edit_move_frames(edit);
  if (status == JN_OK) status = jn__edit_move_loops(edit);
  jn__edit_drop_links(edit);
  return status;
}

jn_status jn_model_subtree(const jn_model *model, const char *link, const double *q, const jn_options *options,
                           jn_model **copy, jn_error *error) {
  if (copy) *copy = NULL;
  if (!link) return jn__fail(error, JN_ERR_NULL, NULL, "%s", jn_status_text(JN_ERR_NULL));
  jn_edit edit;
  jn_status status = jn__edit_begin(&edit, model, q, options, copy, error);
  if (status != JN_OK) return status;
  int i = jn__edit_link(&edit, link);
  if (i >= 0) status = cut(&edit, i);
  return jn__edit_end(&edit, status, copy, error);
}
