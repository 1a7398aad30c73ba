/* SPDX-License-Identifier: BSD-2-Clause */
#include "../model/singular.h"

#include <math.h>

#include "../kernel/base/sweep.h"
#include "../model/model.h"
#include "dispatch.h"

/* Any configuration without symmetry. Quaternions need not be unit. */
static void some_configuration(const jn_tree_d *t, double *q) {
  for (int i = 0; i < t->nq; i++) q[i] = 0.4 + 1.1 * sin(3.7 * i + 1);
}

jn_status jn__measure(jn_draft *d, const jn_tree_d *t, double *reference_inertia) {
  size_t nb = (size_t)t->nb, nd = (size_t)t->nd, nq = (size_t)t->nq;
  size_t bytes = nb * (sizeof(pose) + sizeof(inertia)) + nd * sizeof(twist);
  char *block = jn__allocate(&d->a, bytes + (nq + 3 * TRIG_SIZE(nb)) * sizeof(double));
  if (!block) return JN_ERR_MEMORY;
  pose *X = (pose *)(void *)block;
  inertia *Ic = (inertia *)(void *)(X + nb);
  twist *S = (twist *)(void *)(Ic + nb);
  double *q = (double *)(void *)(S + nd), *at = q + nq;
  some_configuration(t, q);
  angles turn = angles_at(t, q, &at);
  for (int i = 0; i < t->nb; i++) outward(t, i, q, NULL, turn, X, S, NULL, NULL);
  composite_inertias(t, X, Ic);
  for (int i = 0; i < t->nb; i++)
    for (int k = 0; k < t->body[i].nv; k++) {
      twist s = S[t->body[i].id + k];
      sym3 J = Ic[i].J;
      reference_inertia[t->body[i].id + k] =
          dot(s.w, s.w) * fabs(J.xx + J.yy + J.zz) + dot(s.v, s.v) * Ic[i].m + armature_of(t, &t->body[i], k);
    }
  jn__release(&d->a, block);
  return JN_OK;
}

static void warn(jn_draft *d, const jn_model *model, int link) {
  char subject[JN_SUBJECT];
  jn__log(&d->log, JN_WARNING, JN_ERR_MODEL, "joint-no-inertia", jn__joint_place(d, d->order[link]),
          jn__subject(subject, "joint", jn_joint_name(model, link)),
          "give its link an inertia or the joint an armature, or remove a joint that repeats another's motion",
          "it has no effective inertia: the mass matrix is singular and forward dynamics undefined");
}

jn_status jn__check_singular(jn_draft *d, const jn_model *model) {
  /* with coupled coordinates the check solves a dense system made from all pairs of joints on a branch: above these
   * sizes it would take seconds */
  enum { DENSE = 1000, PAIRS = 10000000 };
  const jn_tree_d *t = model->tree[JN_KIND_D];
  int large = t->nv > DENSE || (double)t->nb * jn_model_depth(model) > PAIRS;
  if (t->nb == 0 || (t->coupled && large)) return JN_OK;
  size_t nq = (size_t)t->nq, nv = (size_t)t->nv, nd = (size_t)t->nd;
  const jn_variant *variant = jn__variant_by_name("d");
  char *block = jn__allocate(&d->a, (nq + nv + nd) * sizeof(double) + variant->scratch_bytes(t, -1) + 63);
  if (!block) return JN_ERR_MEMORY;
  double *q = (double *)(void *)block, *a = q + nq, *pivot = a + nv;
  char *scratch = (char *)(pivot + nd);
  some_configuration(t, q);
  jn_call call = {.tree = t,
                  .scratch = scratch + (64 - (uintptr_t)scratch % 64) % 64,
                  .forward_dynamics = {.q = q, .a_out = a, .pivots = pivot}};
  variant->kernels[t->coupled ? JN_KERNEL_forward_dynamics_coupled : JN_KERNEL_forward_dynamics](&call);
  /* pivots are in the order of the bodies' coordinates, or of v when coordinates are coupled; go inwards, because
   * pivots inward of a singular joint are only rounding errors */
  for (int k = (t->coupled ? t->nv : t->nd) - 1, i = t->nb - 1, last = JN_NONE; k >= 0; k--) {
    while (!t->coupled && k < t->body[i].id) i--;
    int link = t->coupled ? model->coordinate_link[t->order[k]] : t->body[i].link;
    if (!(fabs(pivot[k]) <= jn__pivot_limit(DBL_EPSILON))) link = JN_NONE;
    if (link != JN_NONE && link != last && model->link[link].subtree_mass > 0)
      warn(d, model, link); /* else: massless-leaf */
    last = link;
  }
  jn__release(&d->a, block);
  return JN_OK;
}
