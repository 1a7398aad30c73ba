/* SPDX-License-Identifier: BSD-2-Clause */
/* MuJoCo, with the stages of its kinematics that each answer needs. */
#include <math.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "peers.h"

typedef struct mujoco {
  mjModel *m;
  mjData *d;
} mujoco;

static void put(FILE *f, const char *name, const double *x, int n) {
  fprintf(f, " %s=\"", name);
  for (int k = 0; k < n; k++) fprintf(f, "%s%.17g", k ? " " : "", x[k]);
  fputc('"', f);
}

/* Principal moments and axes (columns of R) by Jacobi rotations: MuJoCo's own are good to 1e-8 only. */
static void principal(const double t[6], double moments[3], double R[9]) {
  double A[3][3] = {{t[0], t[3], t[4]}, {t[3], t[1], t[5]}, {t[4], t[5], t[2]}};
  for (int k = 0; k < 9; k++) R[k] = k % 4 == 0;
  for (int sweep = 0; sweep < 50; sweep++)
    for (int p = 0; p < 2; p++)
      for (int q = p + 1; q < 3; q++) {
        if (A[p][q] == 0) continue;
        double theta = (A[q][q] - A[p][p]) / (2 * A[p][q]);
        double u = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1)), c = 1 / sqrt(u * u + 1), s = u * c;
        for (int k = 0; k < 3; k++) {
          double x = A[k][p], y = A[k][q];
          A[k][p] = c * x - s * y;
          A[k][q] = s * x + c * y;
        }
        for (int k = 0; k < 3; k++) {
          double x = A[p][k], y = A[q][k];
          A[p][k] = c * x - s * y;
          A[q][k] = s * x + c * y;
          x = R[3 * k + p], y = R[3 * k + q];
          R[3 * k + p] = c * x - s * y;
          R[3 * k + q] = s * x + c * y;
        }
      }
  for (int k = 0; k < 3; k++) moments[k] = A[k][k];
}

static void put_link(FILE *f, const jn_model *m, int i) {
  double T[16], I[10], com[3], tensor[6], mass, moments[3], R[9];
  const jn_joint *j = jn_joint_description(m, i);
  jn_link_placement(m, i, T);
  jn_link_inertia(m, i, I);
  jn_inertia_unpack(I, &mass, com, tensor);
  principal(tensor, moments, R);
  const double turned[6] = {R[0], R[3], R[6], R[1], R[4], R[7]};
  const double p[3] = {T[3], T[7], T[11]}, axes[6] = {T[0], T[4], T[8], T[1], T[5], T[9]};
  fprintf(f, "<body name=\"b%d\"", i);
  put(f, "pos", p, 3);
  put(f, "xyaxes", axes, 6);
  fputs(">\n<joint type=\"hinge\"", f);
  put(f, "axis", j->axis, 3);
  put(f, "armature", &j->dof[0].armature, 1);
  fputs("/>\n<inertial", f);
  put(f, "mass", &mass, 1);
  put(f, "pos", com, 3);
  put(f, "xyaxes", turned, 6);
  put(f, "diaginertia", moments, 3);
  fputs("/>\n", f);
  for (int k = i + 1; k < jn_link_count(m); k++)
    if (jn_link_parent(m, k) == i) put_link(f, m, k);
  fputs("</body>\n", f);
}

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
  char path[] = "/tmp/jounce-bench-XXXXXX", error[500] = "";
  int file = mkstemp(path);
  FILE *f = file < 0 ? NULL : fdopen(file, "w");
  if (!f) return NULL;
  double gravity[3];
  jn_model_gravity(r->model, gravity);
  fputs("<mujoco><compiler angle=\"radian\" balanceinertia=\"false\" boundmass=\"0\" boundinertia=\"0\"/>\n<option", f);
  put(f, "gravity", gravity, 3);
  fputs("/>\n<worldbody>\n", f);
  for (int i = 0; i < jn_link_count(r->model); i++)
    if (jn_link_parent(r->model, i) == JN_WORLD) put_link(f, r->model, i);
  fputs("</worldbody></mujoco>\n", f);
  fclose(f);
  mjModel *m = mj_loadXML(path, NULL, error, sizeof error);
  unlink(path);
  if (!m) {
    fprintf(stderr, "bench: MuJoCo does not take %s: %s\n", r->name, error);
    return NULL;
  }
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
