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
static void suggest_leader(const jn_draft *d, const char *word, int *suggestions, char *remedy, size_t size) {
  char near[128] = "correct the name";
  if ((*suggestions)++ < JN_REPORT_SAME) jn__did_you_mean(word, d->n, one_coordinate_name, d, near, sizeof near);
  snprintf(remedy, size, "%s%s options.ignore_mimic (--mimic ignore) lets it move by itself", near,
           near[strlen(near) - 1] == '?' ? " Otherwise," : ";");
}

/* Follow the chain of mimics to a joint that is not coupled. */
static void resolve_mimic(jn_draft *d, int i, int *suggestions) {
  double ratio = 1, offset = 0;
  int at = i, steps = 0;
  while (d->link[at].joint.mimic) {
    const jn_joint *j = &d->link[at].joint;
    int leader = jn__draft_joint(d, j->mimic);
    const char *fault = NULL;
    if (leader == JN_NONE)
      fault = "which is not a joint of the model";
    else if (leader == i)
      fault = "which in turn mimics this joint";
    else if (steps == LONGEST_CHAIN)
      fault = "but the chain of mimics is too long, or runs in a circle";
    else if (jn__joint_nv(&d->link[leader].joint) != 1)
      fault = "which does not have one coordinate";
    else if (!isfinite(j->mimic_ratio) || !isfinite(j->mimic_offset))
      fault = "with a ratio or offset that is not finite";
    if (fault) {
      char remedy[256] = "let it mimic a revolute, prismatic or helical joint that moves by itself";
      if (leader == JN_NONE) suggest_leader(d, j->mimic, suggestions, remedy, sizeof remedy);
      if (at == i || leader == i)
        jn__joint_message(d, JN_ERROR, i, "mimic", remedy, "it mimics '%s', %s", d->link[i].joint.mimic, fault);
      else
        jn__joint_message(d, JN_ERROR, i, "mimic", remedy, "it mimics '%s', and through it '%s', %s",
                          d->link[i].joint.mimic, j->mimic, fault);
      return;
    }
    offset += ratio * j->mimic_offset;
    ratio *= j->mimic_ratio;
    at = leader;
    steps++;
  }
  if (steps > 1)
    jn__joint_message(d, JN_WARNING, i, "mimic-chain", "let it mimic the joint that moves by itself",
                      "it mimics a joint that is itself coupled: q = %g * q('%s') + %g", ratio, d->joint_name[at],
                      offset);
  if (ratio == 0)
    jn__joint_message(d, JN_WARNING, i, "mimic-zero", "make the joint fixed", "its mimic ratio is 0: it never moves");
  d->leader[i] = at;
  d->ratio[i] = ratio;
  d->offset[i] = offset;
}

static void check_mimics(jn_draft *d) {
  int suggestions = 0;
  for (int i = 0; i < d->n; i++) {
    d->leader[i] = JN_NONE;
    d->ratio[i] = 1;
    if (d->b->options.ignore_mimic) d->link[i].joint.mimic = NULL;
  }
  for (int i = 0; i < d->n; i++) {
    if (!d->link[i].joint.mimic) continue;
    if (jn__joint_nv(&d->link[i].joint) != 1)
      jn__joint_message(d, JN_ERROR, i, "mimic", "only joints with one coordinate can mimic",
                        "a %s joint cannot mimic another", jn_joint_type_name(d->link[i].joint.type));
    else
      resolve_mimic(d, i, &suggestions);
  }
}

/* Gives joint i the next indices. v = -1 marks joints that have none yet. */
static void place(jn_draft *d, int i) {
  d->q[i] = d->nq;
  d->v[i] = d->nv;
  d->nq += jn__joint_nq(&d->link[i].joint);
  d->nv += jn__joint_nv(&d->link[i].joint);
}

static int independent(const jn_draft *d, int i) {
  return jn__joint_nv(&d->link[i].joint) > 0 && d->leader[i] == JN_NONE;
}

/* The name of a joint that has coordinates of its own, for suggestions. */
static const char *independent_name(const void *draft, int i) {
  const jn_draft *d = draft;
  return independent(d, i) ? d->joint_name[i] : NULL;
}

static void place_named(jn_draft *d) {
  const jn_options *o = &d->b->options;
  for (int k = 0; k < o->joint_order_count; k++) {
    int i = jn__draft_joint(d, o->joint_order[k]);
    const char *fault = i == JN_NONE         ? "is not a joint of the model"
                        : !independent(d, i) ? "is fixed or coupled and has no coordinates of its own"
                        : d->v[i] >= 0       ? "is named twice"
                                             : NULL;
    char subject[JN_SUBJECT], remedy[128] = "name each moving joint at most once";
    if (!fault) {
      place(d, i);
      continue;
    }
    if (i == JN_NONE) jn__did_you_mean(o->joint_order[k], d->n, independent_name, d, remedy, sizeof remedy);
    jn__log(&d->log, JN_ERROR, JN_ERR_NAME, "joint-order", (jn_place){d->b->file, 0, 0},
            jn__subject(subject, "joint", o->joint_order[k]), remedy, "in the order of joints, it %s", fault);
  }
}

void jn__check_coordinates(jn_draft *d) {
  check_mimics(d);
  for (int i = 0; i < d->n; i++) d->v[i] = -1;
  int root = d->reached ? d->order[0] : -1, named = d->b->kept_count > 0 && d->b->options.joint_order_count == 0;
  for (int k = 0; root >= 0 && k < d->b->options.joint_order_count; k++)
    named |= jn__draft_joint(d, d->b->options.joint_order[k]) == root;
  if (root >= 0 && d->link[root].joint.type == JN_FREE && !named) place(d, root);
  place_named(d);
  for (int k = 0; k < d->b->kept_count && d->b->options.joint_order_count == 0; k++) {
    int i = d->b->kept_order[k];
    if (independent(d, i) && d->v[i] < 0) place(d, i);
  }
  for (int k = 0; k < d->reached; k++)
    if (independent(d, d->order[k]) && d->v[d->order[k]] < 0) place(d, d->order[k]);
  for (int i = 0; i < d->n; i++) {
    if (d->leader[i] != JN_NONE) {
      d->q[i] = d->q[d->leader[i]];
      d->v[i] = d->v[d->leader[i]];
    } else if (d->v[i] < 0) {
      d->q[i] = d->v[i] = 0;
    }
  }
}
