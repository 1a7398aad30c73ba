/* SPDX-License-Identifier: BSD-2-Clause */
/* MuJoCo, with the stages of its kinematics that each answer needs. */
#include <math.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mujoco_model.h"
#include "peers.h"

typedef struct mujoco {
  mjModel *m;
  mjData *d;
} mujoco;

static int is_plain(const jn_model *m) {
  for (int i = 0; i < jn_link_count(m); i++) {
    const jn_joint *j = jn_joint_description(m, i);
    if (jn_joint_type_of(m, i) != JN_REVOLUTE || j->point[0] != 0 || j->point[1] != 0 || j->point[2] != 0) return 0;
  }
  return 1;
}

static void run(peer *p, peer_task task, int state) {
  mujoco *own = p->own;
  const mjModel *m = own->m;
  mjData *d = own->d;
  int n = p->r->nv;
  memcpy(d->qpos, p->r->q + state * n, (size_t)n * sizeof(double));
  memcpy(d->qvel, p->r->v + state * n, (size_t)n * sizeof(double));
  mj_kinematics(m, d);
  mj_comPos(m, d);
  if (task == PEER_MASS || task == PEER_FORWARD) mj_crb(m, d);
  if (task == PEER_MASS) {
    mj_fullM(m, p->out[0], d->qM);
    return;
  }
  mj_comVel(m, d);
  if (task == PEER_INVERSE) {
    memcpy(d->qacc, p->r->a + state * n, (size_t)n * sizeof(double));
    mj_rne(m, d, 1, p->out[0]);
    for (int k = 0; k < n; k++) p->out[0][k] += m->dof_armature[k] * d->qacc[k];
    return;
  }
  mj_rne(m, d, 0, p->out[0]);
  if (task == PEER_BIAS) return;
  mj_factorM(m, d);
  for (int k = 0; k < n; k++) d->qfrc_smooth[k] = p->r->tau[state * n + k] - p->out[0][k];
  mj_solveM(m, d, p->out[0], d->qfrc_smooth, 1);
}

static void answer(peer *p, peer_task task, int state, size_t count[PEER_OUTPUTS]) {
  (void)state;
  count[0] = (size_t)(task == PEER_MASS ? p->r->nv * p->r->nv : p->r->nv); /* run() has left it in out */
}

static void destroy(peer *p) {
  mujoco *own = p->own;
  mj_deleteData(own->d);
  mj_deleteModel(own->m);
  free(p->out[0]);
  free(p);
}

peer *peer_mujoco(const robot *r) {
  if (!is_plain(r->model)) return NULL;
  mjModel *m = mujoco_model(r->model, r->name, "");
  if (!m) return NULL;
  struct {
    peer p;
    mujoco own;
  } *all = bench_memory(sizeof *all);
  all->own = (mujoco){m, mj_makeData(m)};
  all->p = (peer){.library = "MuJoCo", .run = run, .answer = answer, .r = r, .own = &all->own, .destroy = destroy};
  all->p.out[0] = bench_memory((size_t)(r->nv * r->nv) * sizeof(double));
  all->p.has[PEER_INVERSE] = all->p.has[PEER_BIAS] = all->p.has[PEER_MASS] = all->p.has[PEER_FORWARD] = 1;
  return &all->p;
}
