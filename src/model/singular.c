/* SPDX-License-Identifier: BSD-2-Clause */
#include "singular.h"

#include <math.h>

#include "../dispatch/dispatch.h"
#include "model.h"

static void warn(jn_draft *d, const jn_model *m, int link) {
  char subject[JN_SUBJECT];
  jn__log(&d->log, JN_WARNING, JN_ERR_MODEL, "joint-no-inertia", jn__joint_place(d, d->order[link]),
          jn__subject(subject, "joint", jn_joint_name(m, link)),
          "give its link an inertia or the joint an armature, or remove a joint that repeats another's motion",
          "it has no effective inertia: the mass matrix is singular and forward dynamics undefined");
}

jn_status jn__check_singular(jn_draft *d, const jn_model *m) {
  enum { DENSE = 1000 }; /* coupled coordinates are solved densely: beyond this the check would take seconds */
  const jn_tree_d *t = m->tree[JN_KIND_D];
  if (t->nb == 0 || (t->coupled && t->nv > DENSE)) return JN_OK;
  size_t nq = (size_t)t->nq, nv = (size_t)t->nv, nd = (size_t)t->nd;
  jn_work *w;
  jn_status status = jn_work_create(m, &w);
  if (status != JN_OK) return status;
  double *q = jn__allocate(&d->a, (nq + nv + nd) * sizeof *q);
  if (q) {
    double *a = q + nq, *pivot = a + nv;
    for (size_t i = 0; i < nq; i++)
      q[i] = 0.4 + 1.1 * sin(3.7 * (double)i + 1); /* any configuration without symmetry */
    jn_call call = {.tree = t, .in = {q}, .out = {a, NULL, pivot}, .scratch = w->scratch};
    jn__row_by_name("d")->kernels[t->coupled ? JN_KERNEL_forward_coupled : JN_KERNEL_forward](&call);
    /* pivots are counted over the bodies' coordinates, or over v when coordinates are coupled */
    for (int k = 0, i = 0, last = JN_NONE; k < (t->coupled ? t->nv : t->nd); k++) {
      while (!t->coupled && k >= t->body[i].id + t->body[i].nv) i++;
      int link = t->coupled ? m->coordinate_link[t->order[k]] : t->body[i].link;
      if (!(fabs(pivot[k]) <= 1e-12)) link = JN_NONE;
      if (link != JN_NONE && link != last && m->link[link].subtree_mass > 0) warn(d, m, link); /* else: massless-leaf */
      last = link;
    }
  }
  jn__release(&d->a, q);
  jn_work_destroy(w);
  return q ? JN_OK : JN_ERR_MEMORY;
}
