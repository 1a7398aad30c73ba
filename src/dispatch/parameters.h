/* SPDX-License-Identifier: BSD-2-Clause */
/* Inertial parameters that differ from state to state in a batch: those of each state as the kernels see them. The
 * kernel of forward dynamics takes the inertias of bodies as an input, in lanes; all others get a tree of their own. */
#ifndef JN_DISPATCH_PARAMETERS_H
#define JN_DISPATCH_PARAMETERS_H

#include "../tree/tree.h"
#include "dispatch.h"

typedef struct jn_parameters_of_states {
  void *block;  /* all memory; NULL: none */
  size_t count; /* states */
  size_t threads;
  int nb, nlink;     /* bodies, links */
  double *pi;        /* [count x nlink x 10] of links, as given */
  double *inertia;   /* [count x nb x 10] of bodies, in their internal frames */
  jn_tree_d *tree;   /* [threads]; with coupled coordinates as many more, their `uncoupled` trees */
  jn_body_d *body;   /* [nb] of each tree */
  double *constants; /* of each tree: its bodies side by side, as in tree.h */
} jn_parameters_of_states;

/* JN_OK, JN_ERR_MEMORY, JN_ERR_MODEL (a number is not finite, or a mass is negative). */
jn_status jn__parameters_make(const jn_model *model, const jn_allocator *allocator, size_t threads, size_t count,
                              const double *pi, jn_parameters_of_states *own);
/* The tree of one thread, with the parameters of a state. */
const jn_tree_d *jn__parameters_tree(const jn_parameters_of_states *own, size_t thread, size_t state);
/* Inertias of bodies from a state on. */
const double *jn__parameters_inertias(const jn_parameters_of_states *own, size_t state);

#endif
