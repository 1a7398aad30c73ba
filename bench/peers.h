/* SPDX-License-Identifier: BSD-2-Clause */
/* Other dynamics libraries on the same robots and states. Each answers for the algorithms it has; NULL when it is not
 * built in or does not take the robot. */
#ifndef JN_BENCH_PEERS_H
#define JN_BENCH_PEERS_H

#include "robots.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum peer_task { PEER_INVERSE, PEER_BIAS, PEER_MASS, PEER_FORWARD, PEER_TASKS } peer_task;

typedef struct peer {
  const char *library;
  int has[PEER_TASKS];
  void (*run)(struct peer *peer, peer_task task, int state);
  double *out; /* tau [nv], M [nv x nv] or a [nv] of the last run */
  const robot *r;
  void *own;
  void (*destroy)(struct peer *peer);
} peer;

/* Fixed bases and revolute joints whose axes pass through the links' origins. */
peer *peer_mujoco(const robot *r);
/* Chains of these. */
peer *peer_kdl(const robot *r);

#ifdef __cplusplus
}
#endif
#endif
