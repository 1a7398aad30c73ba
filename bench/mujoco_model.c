/* SPDX-License-Identifier: BSD-2-Clause */
#define _POSIX_C_SOURCE 200809L
#include "mujoco_model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

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

static void put_joint(FILE *f, const jn_model *m, int i) {
  const jn_joint *j = jn_joint_description(m, i);
  if (j->type == JN_FIXED) return;
  if (j->type == JN_FREE) {
    fprintf(f, "<freejoint name=\"j%d\"/>\n", i);
    return;
  }
  fprintf(f, "<joint name=\"j%d\" type=\"%s\"", i, j->type == JN_PRISMATIC ? "slide" : "hinge");
  put(f, "axis", j->axis, 3);
  put(f, "armature", &j->dof[0].armature, 1);
  fputs("/>\n", f);
}

static void put_link(FILE *f, const jn_model *m, int i) {
  double T[16], I[10], com[3], tensor[6], mass, moments[3], R[9];
  jn_link_placement(m, i, T);
  jn_link_inertia(m, i, I);
  const double p[3] = {T[3], T[7], T[11]}, axes[6] = {T[0], T[4], T[8], T[1], T[5], T[9]};
  fprintf(f, "<body name=\"b%d\"", i);
  put(f, "pos", p, 3);
  put(f, "xyaxes", axes, 6);
  fputs(">\n", f);
  put_joint(f, m, i);
  if (I[0] > 0) {
    jn_inertia_unpack(I, &mass, com, tensor);
    principal(tensor, moments, R);
    const double turned[6] = {R[0], R[3], R[6], R[1], R[4], R[7]};
    fputs("<inertial", f);
    put(f, "mass", &mass, 1);
    put(f, "pos", com, 3);
    put(f, "xyaxes", turned, 6);
    put(f, "diaginertia", moments, 3);
    fputs("/>\n", f);
  }
  for (int k = i + 1; k < jn_link_count(m); k++)
    if (jn_link_parent(m, k) == i) put_link(f, m, k);
  fputs("</body>\n", f);
}

mjModel *mujoco_model(const jn_model *model, const char *name, const char *option) {
  char path[] = "/tmp/jounce-bench-XXXXXX", error[500] = "";
  int file = mkstemp(path);
  FILE *f = file < 0 ? NULL : fdopen(file, "w");
  if (!f) return NULL;
  double gravity[3];
  jn_model_gravity(model, gravity);
  fputs("<mujoco><compiler angle=\"radian\" balanceinertia=\"false\" boundmass=\"0\" boundinertia=\"0\"/>\n<option", f);
  put(f, "gravity", gravity, 3);
  fprintf(f, " %s\n<worldbody>\n", *option ? option : "/>");
  for (int i = 0; i < jn_link_count(model); i++)
    if (jn_link_parent(model, i) == JN_WORLD) put_link(f, model, i);
  fputs("</worldbody></mujoco>\n", f);
  fclose(f);
  mjModel *m = mj_loadXML(path, NULL, error, sizeof error);
  unlink(path);
  if (!m) fprintf(stderr, "bench: MuJoCo does not take %s: %s\n", name, error);
  return m;
}
