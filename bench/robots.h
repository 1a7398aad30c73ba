/* SPDX-License-Identifier: BSD-2-Clause */
/* The robots that are timed, each with its random states. */
#ifndef JN_BENCH_ROBOTS_H
#define JN_BENCH_ROBOTS_H

#include <jounce/jounce.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { STATES = 128, TOP = 8 }; /* states of each robot; highest order of time derivatives */

typedef struct robot {
  const char *name;
  jn_model *model;
  int nq, nv, nlink, nframe, parameters;
  double *q;                 /* [STATES x nq] */
  double *v_jet;             /* [STATES x (TOP + 2) x nv] */
  double *v, *a, *tau;       /* [STATES x nv]; tau makes a */
  double *tau_jet;           /* [STATES x (TOP + 1) x nv] */
  unsigned char *prescribed; /* [nv]: every other coordinate */
} robot;

/* How robots are read from files. */
extern jn_options robot_options;

int robot_count(void);
const char *robot_name(int i);
/* Exits with a message when the robot is unknown or memory is short. */
robot robot_create(const char *name);
jn_model *robot_model(const char *name); /* alone */
robot robot_chain(int n);                /* of n revolute joints */
robot robot_lumped(const robot *r);      /* links that are fixed to each other merged */
void robot_destroy(robot *r);

/* Memory that is there, or the end of the program; calls that succeed, or its end. */
void *bench_memory(size_t bytes);
#define CHECK(call)                                                       \
  do {                                                                    \
    jn_status status_ = (call);                                           \
    if (status_ != JN_OK) {                                               \
      fprintf(stderr, "bench: %s: %s\n", #call, jn_status_text(status_)); \
      exit(1);                                                            \
    }                                                                     \
  } while (0)

#ifdef __cplusplus
}
#endif
#endif
