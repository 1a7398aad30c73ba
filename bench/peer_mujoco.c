/* SPDX-License-Identifier: BSD-2-Clause */
/* MuJoCo, with the stages of its kinematics that each answer needs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mujoco_model.h"
#include "peers.h"

typedef struct mujoco {
  mjModel *m;
  mjData *d;
  int nq, nv, free_v;      /* free_v: first velocity of the free joint, -1: none */
  int *q_place, *v_place;  /* of each of our coordinates */
  double *q, *v, *a, *tau; /* [STATES x ...], in its coordinates */
  double *R;               /* [STATES x 9]: rotation of the free joint */
  double *result, *column; /* [nv x nv], [2 nv] */
} mujoco;

/* A free joint has to be on the world, at its origin: MuJoCo's coordinates of it are those of the world. */
static int is_taken(const jn_model *m, int i) {
  const jn_joint *j = jn_joint_description(m, i);
  double T[16];
  if (jn_joint_mimic(m, i, NULL, NULL, NULL)) return 0;
  if (j->type == JN_FIXED) return 1;
  if (j->point[0] != 0 || j->point[1] != 0 || j->point[2] != 0) return 0;
  if (j->type == JN_REVOLUTE || j->type == JN_CONTINUOUS || j->type == JN_PRISMATIC) return 1;
  jn_link_placement(m, i, T);
  for (int k = 0; k < 12; k++)
    if (T[k] != (k % 5 == 0)) return 0;
  return j->type == JN_FREE && jn_link_parent(m, i) == JN_WORLD;
}

/* ---- states: its coordinates are in another order, and those of a free joint are other ones: linear velocity in the
 * world's axes, then angular velocity in its own; quaternions with the real part first ---- */

/* x of a free joint, angular part first, to and from MuJoCo's. R: its rotation. */
static void turn_free(const double R[9], const double x[6], double to[6]) {
  for (int k = 0; k < 3; k++) {
    to[k] = R[3 * k] * x[3] + R[3 * k + 1] * x[4] + R[3 * k + 2] * x[5];
    to[3 + k] = x[k];
  }
}
static void turn_free_back(const double R[9], const double x[6], double to[6]) {
  for (int k = 0; k < 3; k++) {
    to[3 + k] = R[k] * x[0] + R[3 + k] * x[1] + R[6 + k] * x[2];
    to[k] = x[3 + k];
  }
}

static void quaternion_matrix(const double x[4], double R[9]) {
  const double r[9] = {
      1 - 2 * (x[1] * x[1] + x[2] * x[2]), 2 * (x[0] * x[1] - x[2] * x[3]),     2 * (x[0] * x[2] + x[1] * x[3]),
      2 * (x[0] * x[1] + x[2] * x[3]),     1 - 2 * (x[0] * x[0] + x[2] * x[2]), 2 * (x[1] * x[2] - x[0] * x[3]),
      2 * (x[0] * x[2] - x[1] * x[3]),     2 * (x[1] * x[2] + x[0] * x[3]),     1 - 2 * (x[0] * x[0] + x[1] * x[1])};
  memcpy(R, r, sizeof r);
}

/* Vectors of coordinates, to MuJoCo's order and back. */
static void to_mujoco(const mujoco *own, int state, const double *x, double *to) {
  for (int k = 0; k < own->nv; k++) to[own->v_place[k]] = x[k];
  if (own->free_v >= 0) turn_free(own->R + 9 * state, x + own->free_v, to + own->v_place[own->free_v]);
}
static void from_mujoco(const mujoco *own, int state, const double *x, double *to) {
  for (int k = 0; k < own->nv; k++) to[k] = x[own->v_place[k]];
  if (own->free_v >= 0) turn_free_back(own->R + 9 * state, x + own->v_place[own->free_v], to + own->free_v);
}

/* The linear acceleration of a free joint in the world's axes has w x v more; sign -1 takes it away. */
static void add_turning(const mujoco *own, double sign, const double *v, double *a) {
  if (own->free_v < 0) return;
  const double *w = v + own->free_v, *u = w + 3;
  double *to = a + own->free_v + 3;
  to[0] += sign * (w[1] * u[2] - w[2] * u[1]);
  to[1] += sign * (w[2] * u[0] - w[0] * u[2]);
  to[2] += sign * (w[0] * u[1] - w[1] * u[0]);
}

static void place_coordinates(mujoco *own, const robot *r) {
  own->nq = r->nq;
  own->nv = r->nv;
  own->free_v = -1;
  own->q_place = bench_memory((size_t)r->nq * sizeof(int));
  own->v_place = bench_memory((size_t)r->nv * sizeof(int));
  for (int i = 0; i < r->nlink; i++) {
    char name[16];
    snprintf(name, sizeof name, "j%d", i);
    int id = mj_name2id(own->m, mjOBJ_JOINT, name), free_joint = jn_joint_nv(r->model, i) == 6;
    if (id < 0) continue;
    if (free_joint) own->free_v = jn_joint_v(r->model, i);
    for (int k = 0; k < jn_joint_nq(r->model, i); k++) /* of a free joint: x y z w to w x y z */
      own->q_place[jn_joint_q(r->model, i) + k] = (int)own->m->jnt_qposadr[id] + (k < 3 ? k : k == 6 ? 3 : k + 1);
    for (int k = 0; k < jn_joint_nv(r->model, i); k++)
      own->v_place[jn_joint_v(r->model, i) + k] = (int)own->m->jnt_dofadr[id] + k;
  }
}

static void take_states(mujoco *own, const robot *r) {
  size_t nq = (size_t)r->nq, nv = (size_t)r->nv;
  double *a = bench_memory(nv * sizeof *a);
  own->q = bench_memory(STATES * nq * sizeof(double));
  own->v = bench_memory(3 * STATES * nv * sizeof(double));
  own->a = own->v + STATES * nv;
  own->tau = own->a + STATES * nv;
  own->R = bench_memory(STATES * 9 * sizeof(double));
  for (size_t s = 0; s < STATES; s++) {
    for (size_t k = 0; k < nq; k++) own->q[s * nq + (size_t)own->q_place[k]] = r->q[s * nq + k];
    for (int i = 0; i < r->nlink; i++)
      if (jn_joint_nv(r->model, i) == 6)
        quaternion_matrix(r->q + s * nq + (size_t)jn_joint_q(r->model, i) + 3, own->R + 9 * s);
    memcpy(a, r->a + s * nv, nv * sizeof *a);
    add_turning(own, 1, r->v + s * nv, a);
    to_mujoco(own, (int)s, r->v + s * nv, own->v + s * nv);
    to_mujoco(own, (int)s, a, own->a + s * nv);
    to_mujoco(own, (int)s, r->tau + s * nv, own->tau + s * nv);
  }
  free(a);
}

/* ---- calls ---- */

static void full_mass_matrix(const mujoco *own, double *M) {
#if mjVERSION_HEADER >= 4000000
  mj_fullM(own->m, own->d, M);
#else
  mj_fullM(own->m, M, own->d->qM);
#endif
}

static void run(peer *p, peer_task task, int state) {
  mujoco *own = p->own;
  const mjModel *m = own->m;
  mjData *d = own->d;
  size_t nq = (size_t)own->nq, nv = (size_t)own->nv, s = (size_t)state;
  memcpy(d->qpos, own->q + s * nq, nq * sizeof(double));
  memcpy(d->qvel, own->v + s * nv, nv * sizeof(double));
  mj_kinematics(m, d);
  mj_comPos(m, d);
  if (task == PEER_MASS || task == PEER_FORWARD) mj_crb(m, d);
  if (task == PEER_MASS) {
    full_mass_matrix(own, own->result);
    return;
  }
  mj_comVel(m, d);
  if (task == PEER_INVERSE) {
    memcpy(d->qacc, own->a + s * nv, nv * sizeof(double));
    mj_rne(m, d, 1, own->result);
    for (size_t k = 0; k < nv; k++) own->result[k] += m->dof_armature[k] * d->qacc[k];
    return;
  }
  mj_rne(m, d, 0, own->result);
  if (task == PEER_BIAS) return;
  mj_factorM(m, d);
  for (size_t k = 0; k < nv; k++) d->qfrc_smooth[k] = own->tau[s * nv + k] - own->result[k];
  mj_solveM(m, d, own->result, d->qfrc_smooth, 1);
}

/* M: rows, then columns. */
static void answer(peer *p, peer_task task, int state, size_t count[PEER_OUTPUTS]) {
  const mujoco *own = p->own;
  size_t n = (size_t)own->nv;
  double *out = p->out[0], *column = own->column;
  if (task != PEER_MASS) {
    from_mujoco(own, state, own->result, out);
    if (task == PEER_FORWARD) add_turning(own, -1, p->r->v + state * own->nv, out);
    count[0] = n;
    return;
  }
  for (size_t r = 0; r < n; r++) from_mujoco(own, state, own->result + r * n, out + r * n);
  for (size_t c = 0; c < n; c++) {
    for (size_t r = 0; r < n; r++) column[r] = out[r * n + c];
    from_mujoco(own, state, column, column + n);
    for (size_t r = 0; r < n; r++) out[r * n + c] = column[n + r];
  }
  count[0] = n * n;
}

static void destroy(peer *p) {
  mujoco *own = p->own;
  void *const blocks[] = {own->q_place, own->v_place, own->q, own->v, own->R, own->result, own->column, p->out[0]};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) free(blocks[i]);
  mj_deleteData(own->d);
  mj_deleteModel(own->m);
  free(own);
  free(p);
}

/* Fixed links become part of those that move, which is the same robot, and faster. */
static mujoco *build(const robot *r) {
  robot x = *r;
  mujoco *own = NULL;
  int taken = 1;
  CHECK(jn_model_lump(r->model, NULL, &x.model, NULL));
  x.nlink = jn_link_count(x.model);
  for (int i = 0; i < x.nlink; i++) taken &= is_taken(x.model, i);
  mjModel *m = taken ? mujoco_model(x.model, x.name, "") : NULL;
  if (m) {
    own = bench_memory(sizeof *own);
    *own = (mujoco){.m = m, .d = mj_makeData(m)};
    place_coordinates(own, &x);
    take_states(own, &x);
    own->result = bench_memory((size_t)(r->nv * r->nv) * sizeof(double));
    own->column = bench_memory((size_t)(2 * r->nv) * sizeof(double));
  }
  jn_model_destroy(x.model);
  return own;
}

peer *peer_mujoco(const robot *r) {
  static char description[64];
  mujoco *own = build(r);
  if (!own) return NULL;
  peer *p = bench_memory(sizeof *p);
  snprintf(description, sizeof description, "MuJoCo %s (as its package is compiled)", mj_versionString());
  *p = (peer){.library = "MuJoCo", .run = run, .answer = answer, .r = r, .own = own, .destroy = destroy};
  p->description = description;
  p->out[0] = bench_memory((size_t)(r->nv * r->nv) * sizeof(double));
  p->has[PEER_INVERSE] = p->has[PEER_MASS] = p->has[PEER_FORWARD] = 1;
  p->has[PEER_BIAS] = own->free_v < 0; /* others with a free joint: its accelerations are not ours */
  return p;
}
