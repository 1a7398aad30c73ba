/* SPDX-License-Identifier: BSD-2-Clause */
/* Taylor coefficients of expressions, as further nodes of the same graph.
 *
 * Some nodes (inputs, and opaque ones) are given as series x_0 + x_1 t + x_2 t^2 + ...; the coefficients of all others
 * follow node by node (Griewank and Walther 2008, ch. 13). With t = time these are time derivatives divided by k!; with
 * order 1 and t = the step along a direction, the first coefficient is the derivative along that direction (forward
 * mode). Nodes that do not depend on t have zeros, which fold away: so the sparsity of the tree is used. */
#ifndef JN_GENERATE_TAYLOR_H
#define JN_GENERATE_TAYLOR_H

#include "symbols.h"

typedef struct jn_taylor {
  jn_graph *g;
  int nodes;             /* the nodes that have coefficients: [0, nodes) */
  int order;             /* the highest coefficient */
  jn_expr *coefficient;  /* [order + 1][nodes] */
  unsigned char *needed; /* [nodes] 1: results depend on it; 2: its series is given */
} jn_taylor;

/* For what `results` [count] depend on; 0: out of memory. Coefficient 0 of inputs is the input itself, all others are
 * zero until they are given. */
int jn__taylor_create(jn_taylor *t, jn_graph *g, const jn_expr *results, int count, int order);
void jn__taylor_free(jn_taylor *t);
/* Gives coefficient k of a node. */
void jn__taylor_give(jn_taylor *t, jn_expr node, int k, jn_expr value);
/* Coefficient k of all nodes, from the coefficients 0 ... k of what is given. */
void jn__taylor_step(jn_taylor *t, int k);
jn_expr jn__taylor_at(const jn_taylor *t, jn_expr e, int k);

/* Gives coefficient k of everything that the configuration decides, from the coefficients 0 ... k - 1 of the
 * velocities, v [k rows of nv]: of coordinates q' = v, of rotations R' = R [w], of positions p' = R v. */
void jn__taylor_move(jn_taylor *t, const jn_symbols *s, const jn_expr *v, int k);

#endif
