/* SPDX-License-Identifier: BSD-2-Clause */
/* Inverse kinematics of other libraries, for bench_reach. */
#ifndef JN_BENCH_REACH_H
#define JN_BENCH_REACH_H

#include <jounce/jounce.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kdl_chain kdl_chain;
typedef enum kdl_method { KDL_LMA, KDL_NR_JL, KDL_METHODS } kdl_method;

/* The chain from the world to a frame; NULL when it has joints other than revolute and prismatic ones. coordinate [n]:
 * which coordinates of the model its joints are. */
kdl_chain *kdl_chain_create(const jn_model *model, int frame, int *coordinate, int *n);
void kdl_chain_destroy(kdl_chain *chain);
/* q [n] in place; 1: the solver says that it has found it. */
int kdl_chain_solve(kdl_chain *chain, kdl_method method, const double *T, double *q);

#ifdef __cplusplus
}
#endif
#endif
