/* SPDX-License-Identifier: BSD-2-Clause */
/* Peers (peers.h) timed beside our own calls, and their answers compared with ours. */
#ifndef JN_BENCH_COMPARE_H
#define JN_BENCH_COMPARE_H

#include "algorithms.h"
#include "peers.h"
#include "timing.h"

enum { PEER_MUJOCO, PEER_KDL, PEER_PINOCCHIO, PEERS };

/* Those that are built in and take the robot; NULL: others. */
void peers_create(const robot *r, peer *peers[PEERS]);
void peers_destroy(peer *peers[PEERS]);

/* The next task from `task` on that is the algorithm and that the peer has; PEER_TASKS: none. `how`: which of the
 * peer's ways it is. */
peer_task peer_next_task(const peer *p, const algorithm *a, peer_task task, const char **how);
/* The largest difference of the answers over all states, relative to their size; negative: nothing is compared. Ends
 * the program if it is too large. */
double peer_disagreement(subject *s, const algorithm *a, peer *p, peer_task task);
timing peer_time(peer *p, peer_task task, double budget_ns);

#endif
