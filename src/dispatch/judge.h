/* SPDX-License-Identifier: BSD-2-Clause */
/* Running a kernel that solves equations, and judging its pivots. Include after public.h. */
#ifndef JN_DISPATCH_JUDGE_H
#define JN_DISPATCH_JUDGE_H

#include "../model/model.h"
#include "public.h"

/* Runs r, whose last output is to be `n` pivots in memory of the work, and finds the first that is rounding. of_body:
 * pivots are counted over the bodies' coordinates, not over the order of elimination. */
static inline jn_status solve_and_judge(jn_run *r, int n, int of_body) {
  jn_work *w = r->work;
  const jn_model *m = r->model;
  const jn_row *row = jn__choose_row(NUMBER_KIND, 0);
  if (!w || !row) return w ? JN_ERR_ROW : JN_ERR_NULL;
  if (w->model != m) return JN_ERR_WORK;
  number *pivot = (number *)(void *)w->pivots;
  r->out[r->outputs++] = (jn_array){pivot, (size_t)n, (size_t)n};
  w->singular = JN_NONE;
  jn_status status = jn__run(r);
  if (status != JN_OK) return status;
  double own = sizeof(number) == sizeof(float) ? FLT_EPSILON : DBL_EPSILON;
  double epsilon = row->epsilon > own ? row->epsilon : own;
  const jn_tree_d *t = m->tree[JN_KIND_D];
  for (int k = n - 1; k >= 0; k--) { /* inwards: what lies inward of a singular joint is rounding */
    if (!(fabs((double)pivot[k]) <= jn__pivot_limit(epsilon))) continue; /* NaN is not singular: it came in */
    int iv = of_body ? -1 : t->order[k];
    for (int i = 0; i < t->nb; i++) {
      const jn_body_d *b = &t->body[i];
      if (of_body ? (k >= b->id && k < b->id + b->nv) : (b->owner && iv >= b->iv && iv < b->iv + b->nv))
        w->singular = b->link;
    }
    return JN_ERR_SINGULAR;
  }
  return JN_OK;
}

#endif
