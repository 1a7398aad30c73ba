/* SPDX-License-Identifier: BSD-2-Clause */
/* Coupled (mimic) joints, and the indices of all coordinates in q and v. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "../text/nearest_name.h"
#include "../text/words.h"
#include "draft.h"
#include "model.h"

enum { LONGEST_CHAIN = 64 }; /* of mimics of mimics */

static const char *one_coordinate_name(const void *draft, int i) {
  const jn_draft *d = draft;
  return jn__joint_nv(&d->link[i].joint) == 1 && !d->link[i].joint.mimic ? d->joint_name[i] : NULL;
}

/* The remedy for a joint that mimics one that does not exist. Only the first few get a suggestion, because it searches
 * all names. */
static void suggest_leader(const jn_draft *draft, const char *word, int *suggestions, char *remedy, size_t size) {
  char near[128] = "correct the name";
  if ((*suggestions)++ < JN_REPORT_SAME)
    jn__did_you_mean(word, draft->n, one_coordinate_name, draft, near, sizeof near);
  snprintf(remedy, size, "%s%s options.ignore_mimic (--mimic ignore) lets it move by itself", near,
           near[strlen(near) - 1] == '?' ? " Otherwise," : ";");
}

/* Follow the chain of mimics to a joint that is not coupled. */
static void resolve_mimic(jn_draft *draft, int i, int *suggestions) {
  double ratio = 1, offset = 0;
  int at = i, steps = 0;
  while (draft->link[at].joint.mimic) {
    const jn_joint *joint = &draft->link[at].joint;
    int leader = jn__draft_joint(draft, joint->mimic);
    const char *fault = NULL;
    if (leader == JN_NONE)
      fault = "which is not a joint of the model";
    else if (leader == i)
      fault = "which in turn mimics this joint";
    else if (steps == LONGEST_CHAIN)
      fault = "but the chain of mimics is too long, or runs in a circle";
    else if (jn__joint_nv(&draft->link[leader].joint) != 1)
      fault = "which does not have one coordinate";
    else if (!isfinite(joint->mimic_ratio) || !isfinite(joint->mimic_offset))
      fault = "with a ratio or offset that is not finite";
    if (fault) {
      char remedy[256] = "let it mimic a revolute, prismatic or helical joint that moves by itself";
      if (leader == JN_NONE) suggest_leader(draft, joint->mimic, suggestions, remedy, sizeof remedy);
      if (at == i || leader == i)
        jn__joint_message(draft, JN_ERROR, i, "mimic", remedy, "it mimics '%s', %s", draft->link[i].joint.mimic, fault);
      else
        jn__joint_message(draft, JN_ERROR, i, "mimic", remedy, "it mimics '%s', and through it '%s', %s",
                          draft->link[i].joint.mimic, joint->mimic, fault);
      return;
    }
    offset += ratio * joint->mimic_offset;
    ratio *= joint->mimic_ratio;
    at = leader;
    steps++;
  }
  if (steps > 1)
    jn__joint_message(draft, JN_WARNING, i, "mimic-chain", "let it mimic the joint that moves by itself",
                      "it mimics a joint that is itself coupled: q = %g * q('%s') + %g", ratio, draft->joint_name[at],
                      offset);
  if (ratio == 0)
    jn__joint_message(draft, JN_WARNING, i, "mimic-zero", "make the joint fixed",
                      "its mimic ratio is 0: it never moves");
  draft->leader[i] = at;
  draft->ratio[i] = ratio;
  draft->offset[i] = offset;
}

/* Which joint each joint follows, with which ratio and offset. */
static void check_mimics(jn_draft *draft) {
  int suggestions = 0;
  for (int i = 0; i < draft->n; i++) {
    draft->leader[i] = JN_NONE;
    draft->ratio[i] = 1;
    if (draft->b->options.ignore_mimic) draft->link[i].joint.mimic = NULL;
  }

  /* Coupled joints have the indices of their leaders. */
  for (int i = 0; i < draft->n; i++) {
    if (!draft->link[i].joint.mimic) continue;
    if (jn__joint_nv(&draft->link[i].joint) != 1)
      jn__joint_message(draft, JN_ERROR, i, "mimic", "only joints with one coordinate can mimic",
                        "a %s joint cannot mimic another", jn_joint_type_name(draft->link[i].joint.type));
    else
      resolve_mimic(draft, i, &suggestions);
  }
}

/* Gives joint i the next indices. v = -1 marks joints that have none yet. */
static void place(jn_draft *draft, int i) {
  draft->q[i] = draft->nq;
  draft->v[i] = draft->nv;
  draft->nq += jn__joint_nq(&draft->link[i].joint);
  draft->nv += jn__joint_nv(&draft->link[i].joint);
}

/* Whether joint i has coordinates of its own. */
static int independent(const jn_draft *draft, int i) {
  return jn__joint_nv(&draft->link[i].joint) > 0 && draft->leader[i] == JN_NONE;
}

/* The name of a joint that has coordinates of its own, for suggestions. */
static const char *independent_name(const void *draft, int i) {
  const jn_draft *d = draft;
  return independent(d, i) ? d->joint_name[i] : NULL;
}

/* First the joints that the options name, in their order. */
static void place_named(jn_draft *draft) {
  const jn_options *o = &draft->b->options;
  for (int k = 0; k < o->joint_order_count; k++) {
    int i = jn__draft_joint(draft, o->joint_order[k]);
    const char *fault = i == JN_NONE             ? "is not a joint of the model"
                        : !independent(draft, i) ? "is fixed or coupled and has no coordinates of its own"
                        : draft->v[i] >= 0       ? "is named twice"
                                                 : NULL;
    char subject[JN_SUBJECT], remedy[128] = "name each moving joint at most once";
    if (!fault) {
      place(draft, i);
      continue;
    }
    if (i == JN_NONE) jn__did_you_mean(o->joint_order[k], draft->n, independent_name, draft, remedy, sizeof remedy);
    jn__log(&draft->log, JN_ERROR, JN_ERR_NAME, "joint-order", (jn_place){draft->b->file, 0, 0},
            jn__subject(subject, "joint", o->joint_order[k]), remedy, "in the order of joints, it %s", fault);
  }
}

/* Coupling, and the indices of all coordinates in q and v. */
void jn__check_coordinates(jn_draft *draft) {
  check_mimics(draft);
  for (int i = 0; i < draft->n; i++) draft->v[i] = -1;

  /* A free base comes first, unless it is named. */
  int root = draft->reached ? draft->order[0] : -1,
      named = draft->b->kept_count > 0 && draft->b->options.joint_order_count == 0;
  for (int k = 0; root >= 0 && k < draft->b->options.joint_order_count; k++)
    named |= jn__draft_joint(draft, draft->b->options.joint_order[k]) == root;
  if (root >= 0 && draft->link[root].joint.type == JN_FREE && !named) place(draft, root);
  place_named(draft);

  /* Then the order of the model that was thawed, then depth first. */
  for (int k = 0; k < draft->b->kept_count && draft->b->options.joint_order_count == 0; k++) {
    int i = draft->b->kept_order[k];
    if (independent(draft, i) && draft->v[i] < 0) place(draft, i);
  }
  for (int k = 0; k < draft->reached; k++)
    if (independent(draft, draft->order[k]) && draft->v[draft->order[k]] < 0) place(draft, draft->order[k]);
  for (int i = 0; i < draft->n; i++) {
    if (draft->leader[i] != JN_NONE) {
      draft->q[i] = draft->q[draft->leader[i]];
      draft->v[i] = draft->v[draft->leader[i]];
    } else if (draft->v[i] < 0) {
      draft->q[i] = draft->v[i] = 0;
    }
  }
}
