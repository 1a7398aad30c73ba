/* SPDX-License-Identifier: BSD-2-Clause */
/* Inertial parameters of their own for the states of a batch: lumped into inertias of bodies, and a copy of the tree
 * for each thread that gets those of the state at hand. */
#include "parameters.h"

#include <math.h>
#include <string.h>

#include "../model/memory.h"
#include "../model/model.h"
#include "jounce/lie.h"

/* Inertias of the bodies of one state: those of its links, moved to the frames of the bodies and added up. */
static jn_status lump(const jn_tree_d *t, const double *pi, double *inertia) {
  memset(inertia, 0, 10 * (size_t)t->nb * sizeof *inertia);
  for (int k = 0; k < t->nlink; k++) {
    const jn_frame_d *f = &t->frame[k];
    double T[16] = {0}, moved[10];
    for (int i = 0; i < 10; i++)
      if (!isfinite(pi[10 * k + i])) return JN_ERR_MODEL;
    if (pi[10 * k] < 0) return JN_ERR_MODEL;
    if (f->body < 0) continue;
    for (int i = 0; i < 3; i++) {
      memcpy(T + 4 * i, f->R + 3 * i, 3 * sizeof *T);
      T[4 * i + 3] = f->p[i];
    }
    T[15] = 1;
    jn_status status = jn_inertia_transform(T, pi + 10 * k, moved);
    if (status != JN_OK) return status;
    for (int i = 0; i < 10; i++) inertia[10 * f->body + i] += moved[i];
  }
  return JN_OK;
}

jn_status jn__parameters_make(const jn_model *model, const jn_allocator *allocator, size_t threads, size_t count,
                              const double *pi, jn_parameters_of_states *own) {
  const jn_tree_d *t = model->tree[JN_KIND_D];
  size_t links = 10 * (size_t)t->nlink * count, bodies = 10 * (size_t)t->nb * count;
  size_t trees = threads * (t->coupled ? 2 : 1); /* each thread has one, and its `uncoupled` tree */
  size_t constants = jn__constants_size(t->nb);
  size_t bytes =
      (links + bodies + trees * constants) * sizeof(double) + trees * (sizeof *t + (size_t)t->nb * sizeof *t->body);
  if (count > SIZE_MAX / 1024 / (size_t)(t->nlink + 1)) return JN_ERR_MEMORY;
  *own = (jn_parameters_of_states){.count = count, .nb = t->nb, .nlink = t->nlink};
  char *at = own->block = jn__allocate(allocator, bytes ? bytes : 1);
  if (!at) return JN_ERR_MEMORY;
  own->tree = (jn_tree_d *)(void *)at;
  own->body = (jn_body_d *)(void *)(at + trees * sizeof *t);
  own->pi = (double *)(void *)(at + trees * (sizeof *t + (size_t)t->nb * sizeof *t->body));
  own->inertia = own->pi + links;
  own->constants = own->inertia + bodies;
  own->threads = threads;
  for (size_t k = 0; k < trees; k++) {
    const jn_tree_d *from = k < threads ? t : t->uncoupled;
    jn_body_d *body = own->body + k * (size_t)t->nb;
    memcpy(body, from->body, (size_t)t->nb * sizeof *body);
    own->tree[k] = *from;
    own->tree[k].body = body;
    memcpy(own->constants + k * constants, from->constants, constants * sizeof *own->constants);
    own->tree[k].constants = own->constants + k * constants;
    if (k >= threads) own->tree[k - threads].uncoupled = &own->tree[k];
  }
  memcpy(own->pi, pi, links * sizeof *pi);
  jn_status status = JN_OK;
  for (size_t k = 0; k < count && status == JN_OK; k++)
    status = lump(t, pi + 10 * (size_t)t->nlink * k, own->inertia + 10 * (size_t)t->nb * k);
  if (status == JN_OK) return JN_OK;
  jn__release(allocator, own->block);
  *own = (jn_parameters_of_states){0};
  return status;
}

const jn_tree_d *jn__parameters_tree(const jn_parameters_of_states *own, size_t thread, size_t state) {
  const double *inertia = jn__parameters_inertias(own, state);
  size_t trees = own->tree[thread].uncoupled ? 2 : 1;
  for (size_t k = thread; k < trees * own->threads; k += own->threads) {
    jn_body_d *body = own->body + k * (size_t)own->nb;
    double *constants = own->constants + k * jn__constants_size(own->nb);
    for (int i = 0; i < own->nb; i++) {
      double *column =
          constants + i / JN_CONSTANT_BODIES * JN_CONSTANT_ROWS * JN_CONSTANT_BODIES + i % JN_CONSTANT_BODIES;
      memcpy(body[i].inertia, inertia + 10 * i, sizeof body[i].inertia);
      for (int j = 0; j < 10; j++) column[(JN_CONSTANT_INERTIA + j) * JN_CONSTANT_BODIES] = inertia[10 * i + j];
    }
    own->tree[k].link_inertia = own->pi + 10 * (size_t)own->nlink * state;
  }
  return &own->tree[thread];
}

const double *jn__parameters_inertias(const jn_parameters_of_states *own, size_t state) {
  return own->inertia + 10 * (size_t)own->nb * state;
}
