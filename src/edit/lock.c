/* SPDX-License-Identifier: BSD-2-Clause */
/* Fewer coordinates: joints locked at values, and the subtree of one link. */
#include <string.h>

#include "edit.h"
#include "jounce/configuration.h"

/* Joint i and, when it follows another, that one. */
static void mark(jn_edit *e, int i) {
  const jn_model *m = e->model;
  int leader = m->link[i].leader;
  if (jn__joint_nv(&m->link[i].joint) == 0)
    jn__edit_say(e, JN_NOTE, JN_OK, "lock-fixed", "joint", jn_joint_name(m, i), NULL, "it is fixed already");
  else
    e->held[i] = 1;
  if (leader == JN_NONE || e->held[leader]) return;
  e->held[leader] = 1;
  jn__edit_say(e, JN_NOTE, JN_OK, "lock-coupled", "joint", jn_joint_name(m, leader), NULL,
               "'%.60s' follows it and is locked, so it is held at %g", jn_joint_name(m, i),
               e->q[jn_joint_q(m, leader)]);
}

/* What the caller says about joints that are not locked does not count. */
static jn_status forget_others(jn_edit *e) {
  const jn_model *m = e->model;
  double *neutral = jn__allocate(&e->a, ((size_t)m->nq + 1) * sizeof *neutral);
  jn_status status = neutral ? jn_neutral(m, neutral) : JN_ERR_MEMORY;
  for (int i = 0; i < m->nlink && status == JN_OK; i++)
    for (int k = 0; k < m->link[i].nq && !e->held[i]; k++) e->q[jn_joint_q(m, i) + k] = neutral[jn_joint_q(m, i) + k];
  jn__release(&e->a, neutral);
  return status;
}

jn_status jn_model_lock(const jn_model *model, const char *const *joints, int count, const double *q,
                        const jn_options *options, jn_model **copy, jn_error *error) {
  if (copy) *copy = NULL;
  if (count < 0) return jn__fail(error, JN_ERR_SIZE, NULL, "%s", jn_status_text(JN_ERR_SIZE));
  for (int k = 0; k < count; k++)
    if (!joints || !joints[k]) return jn__fail(error, JN_ERR_NULL, NULL, "%s", jn_status_text(JN_ERR_NULL));
  jn_edit e;
  jn_status status = jn__edit_begin(&e, model, q, options, copy, error);
  if (status != JN_OK) return status;
  for (int k = 0; k < count; k++) {
    int joint = jn__edit_joint(&e, joints[k]);
    if (joint >= 0) mark(&e, joint);
  }
  status = forget_others(&e);
  if (status == JN_OK) {
    jn__edit_hold(&e);
    if (e.log.first.status == JN_OK) status = jn__edit_move_loops(&e);
  }
  return jn__edit_end(&e, status, copy, error);
}

/* All outside of [link, end) is gone, and rests where it is at q. */
static jn_status cut(jn_edit *e, int link) {
  const jn_model *m = e->model;
  for (int i = 0; i < m->nlink; i++) {
    if (i >= link && i < m->link[link].end) continue;
    e->held[i] = jn__joint_nv(&m->link[i].joint) > 0;
    e->gone[i] = 1;
  }
  int parent = m->link[link].parent;
  for (int i = 0; i < m->nlink; i++) { /* what carries a link that is gone is gone, too */
    if (!e->gone[i]) continue;
    int carrier = m->link[i].parent;
    pose T = jn__edit_pose(e, i);
    e->target[i] = JN_WORLD;
    se3_store(carrier < 0 ? T : se3_mul(se3_load(&e->at[16 * carrier]), T), &e->at[16 * i]);
  }
  e->open_is_fine = 1;
  jn__edit_hold(e);
  jn_link *l = &e->builder->links[link].link;
  if (parent >= 0) se3_store(se3_mul(se3_load(&e->at[16 * parent]), jn__placement_pose(l->placement)), l->placement);
  jn_status status = jn__edit_text(e, &l->parent, NULL);
  if (status == JN_OK) status = jn__edit_move_frames(e);
  if (status == JN_OK) status = jn__edit_move_loops(e);
  jn__edit_drop_links(e);
  return status;
}

jn_status jn_model_subtree(const jn_model *model, const char *link, const double *q, const jn_options *options,
                           jn_model **copy, jn_error *error) {
  if (copy) *copy = NULL;
  if (!link) return jn__fail(error, JN_ERR_NULL, NULL, "%s", jn_status_text(JN_ERR_NULL));
  jn_edit e;
  jn_status status = jn__edit_begin(&e, model, q, options, copy, error);
  if (status != JN_OK) return status;
  int i = jn__edit_link(&e, link);
  if (i >= 0) status = cut(&e, i);
  return jn__edit_end(&e, status, copy, error);
}
