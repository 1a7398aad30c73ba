/* SPDX-License-Identifier: BSD-2-Clause */
/* A random model made twice, by the builder and as MJCF, in the same state.
 *
 * MuJoCo knows hinges, slides, balls and free bodies, several on one body: J = J1 J2 ... So every joint type of jounce
 * is a product of hinges and slides, whose coordinates MuJoCo holds to be independent. With P the map of velocities,
 *   v' = P v,  a' = P a + c,  tau = P^T tau',  M = P^T M' P          (primed: MuJoCo's)
 * P has a factor for a scaled screw, two rows for one coordinate of a helix, the ratio of a mimic, and for a free joint
 * turns the linear velocity, which MuJoCo has in world axes: c = R (w x v) there, and zero elsewhere. */
#ifndef JN_TESTS_MUJOCO_PAIR_H
#define JN_TESTS_MUJOCO_PAIR_H

#include <mujoco/mujoco.h>

#include "testing.h"

enum { LINKS = 10, PARTS = 6, NV = 6 * LINKS, NQ = 7 * LINKS };

typedef struct part { /* a hinge or slide of MuJoCo */
  int slide;
  double axis[3], point[3];
  int coordinate; /* of the joint; MuJoCo's coordinate is factor times it */
  double factor, armature;
} part;

typedef struct body {
  jn_link link; /* as jounce is told */
  char name[16], parent_name[16], leader_name[16];
  int parent, leader; /* JN_NONE: not coupled */
  double ratio, offset;
  double pos[3], quat[4]; /* quaternions here are w, x, y, z */
  double mass, com[3], iquat[4], moments[3];
  part parts[PARTS];
  int part_count;
  int id; /* MuJoCo's body */
} body;

typedef struct pair {
  body bodies[LINKS];
  int n, nv, mv; /* mv: MuJoCo's nv */
  int square;    /* P has an inverse */
  double gravity[3], q[NQ], v[NV], a[NV], wrench[LINKS * 6], P[NV * NV], c[NV];
  jn_model *model;
  jn_work *work;
  mjModel *m;
  mjData *d;
} pair;

/* c = a x b; y = R^T x */
void cross(const double *a, const double *b, double *c);
void turn_back(const double *R, const double *x, double *y);
/* A random model, made by the builder and as MJCF. */
void make_pair(uint64_t *s, pair *p);
void drop_pair(pair *p);
int link_of(const pair *p, const body *b);
/* Velocities of jounce to those of MuJoCo (P x), and forces back (P^T x). */
void to_mujoco(const pair *p, const double *x, double *out);
void from_mujoco(const pair *p, const double *x, double *out);
/* The same random state and wrenches in both. */
void set_state(uint64_t *s, pair *p);
void set_acceleration(pair *p, const double *a);
/* J'^T W of all external wrenches. */
void wrench_forces(const pair *p, double *f);

#endif
