/* SPDX-License-Identifier: BSD-2-Clause */
/* Other dynamics libraries on the same robots and states. Each answers for the algorithms it has; NULL when it is not
 * built in or does not take the robot. */
#ifndef JN_BENCH_PEERS_H
#define JN_BENCH_PEERS_H

#include "robots.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What peers compute: our name of the algorithm, its order (-1: none), and which of the peer's ways it is. */
#define PEER_LIST(X)                                        \
  X(INVERSE, "inverse dynamics", -1, "")                    \
  X(BIAS, "bias forces", -1, "")                            \
  X(GRAVITY, "gravity forces", -1, "")                      \
  X(MASS, "mass matrix", -1, "")                            \
  X(MASS_LOCAL, "mass matrix", -1, ", local")               \
  X(FORWARD, "forward dynamics", -1, "")                    \
  X(FORWARD_LOCAL, "forward dynamics", -1, ", local")       \
  X(MASS_INVERSE, "inverse of M", -1, "")                   \
  X(CORIOLIS, "Coriolis matrix", -1, "")                    \
  X(JACOBIANS, "all Jacobians", -1, "")                     \
  X(JACOBIAN_RATES, "all Jacobian rates", -1, "")           \
  X(SPACE_JACOBIAN, "space Jacobian", -1, "")               \
  X(REGRESSOR, "torque regressor", -1, "")                  \
  X(COM_JACOBIAN, "CoM Jacobian", -1, "")                   \
  X(TERMS, "all terms", -1, "")                             \
  X(D_INVERSE, "d tau / d(q, v, a)", -1, "")                \
  X(D_FORWARD, "d ddq / d(q, v, tau)", -1, "")              \
  X(D2_INVERSE, "second-order d tau", -1, "")               \
  X(JET1, "inverse dynamics jet", 1, ", on Taylor numbers") \
  X(JET2, "inverse dynamics jet", 2, ", on Taylor numbers") \
  X(JET3, "inverse dynamics jet", 3, ", on Taylor numbers") \
  X(JET4, "inverse dynamics jet", 4, ", on Taylor numbers")

typedef enum peer_task {
#define PEER_ENUM(code, name, order, how) PEER_##code,
  PEER_LIST(PEER_ENUM)
#undef PEER_ENUM
      PEER_TASKS
} peer_task;

enum { PEER_OUTPUTS = 4 };

typedef struct peer {
  const char *library, *description; /* name; with version, compiler and flags */
  int has[PEER_TASKS];
  /* Is timed. Its results stay with the peer, in its own layout, until answer() copies those that are compared to out,
   * in ours; it returns how many numbers each output has, 0: not compared. */
  void (*run)(struct peer *peer, peer_task task, int state);
  void (*answer)(struct peer *peer, peer_task task, int state, size_t count[PEER_OUTPUTS]);
  double *out[PEER_OUTPUTS];
  const robot *r;
  void *own;
  void (*destroy)(struct peer *peer);
} peer;

/* Revolute, prismatic and free joints, the last of these on the world only, whose axes pass through the links' origins.
 */
peer *peer_mujoco(const robot *r);
/* Chains of revolute joints. */
peer *peer_kdl(const robot *r);
/* Revolute, prismatic and free joints without couplings. */
peer *peer_pinocchio(const robot *r);

/* Closed loops: forward dynamics, and its derivatives with it. Answers are those that do not depend on how conditions
 * are written: a [nv]; its rate along the motion, da_dq v + da_dv a [nv] (the derivatives by q and v alone, away from
 * closed configurations, do depend on it); and da_dtau [nv x nv]. */
typedef struct loop_peer {
  const char *library;
  void (*run)(struct loop_peer *peer, int derivatives, int point);
  void (*answer)(struct loop_peer *peer, int derivatives, int point, double *a, double *a_rate, double *da_dtau);
  void *own;
  void (*destroy)(struct loop_peer *peer);
} loop_peer;

/* States [count x nq] and [count x nv]; torques `stride` apart. */
typedef struct loop_states {
  const double *q, *v, *tau;
  int count, stride;
} loop_states;

/* Loops that are welds, points in common (spherical, point contact), or revolute joints of planar mechanisms. */
loop_peer *loop_peer_pinocchio(const jn_model *m, const loop_states *states);

#ifdef __cplusplus
}
#endif
#endif
