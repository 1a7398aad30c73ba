/* SPDX-License-Identifier: BSD-2-Clause */
#include "singular.h"

#include <math.h>
#include <string.h>

#include "../kernel/joint.h"
#include "model.h"

typedef struct m66 {
  double a[6][6];
} m66;

static m66 full_inertia(const double p[10]) {
  inertia I = i_load(p);
  m66 M;
  for (int c = 0; c < 6; c++) {
    double e[6] = {0}, column[6];
    e[c] = 1;
    w_store(i_mul(I, t_load(e)), column);
    for (int r = 0; r < 6; r++) M.a[r][c] = column[r];
  }
  return M;
}

/* to += Ad*_{T^-1} M Ad_{T^-1} */
static void add_moved(m66 *to, pose T, const m66 *M) {
  m66 half;
  for (int r = 0; r < 6; r++) { /* rows of M are wrenches, M symmetric */
    double out[6];
    w_store(w_Ad_inverse(T, w_load(M->a[r])), out);
    for (int c = 0; c < 6; c++) half.a[c][r] = out[c];
  }
  for (int r = 0; r < 6; r++) {
    double out[6];
    w_store(w_Ad_inverse(T, w_load(half.a[r])), out);
    for (int c = 0; c < 6; c++) to->a[r][c] += out[c];
  }
}

/* Removes from M what the joint gives way to: M - U D^-1 U^T, U = M S, D = S^T U + armature, one direction after the
 * other (Gauss elimination in the joint's directions). Returns 0 when a pivot is zero to rounding. */
static int give_way(m66 *M, int n, const twist *S, const double *armature) {
  double s[6][6], D[6][6], U[6][6];
  for (int k = 0; k < n; k++) {
    t_store(S[k], s[k]);
    for (int r = 0; r < 6; r++) {
      U[k][r] = 0;
      for (int c = 0; c < 6; c++) U[k][r] += M->a[r][c] * s[k][c];
    }
  }
  double size = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      D[i][j] = i == j ? armature[i] : 0;
      for (int c = 0; c < 6; c++) D[i][j] += s[i][c] * U[j][c];
      if (i == j) size = fmax(size, fabs(D[i][i]));
    }
  int regular = 1;
  for (int k = 0; k < n; k++) {
    if (!(fabs(D[k][k]) > 1e-13 * size)) {
      regular = 0;
      continue;
    }
    for (int i = k + 1; i < n; i++) {
      double f = D[i][k] / D[k][k];
      for (int j = k; j < n; j++) D[i][j] -= f * D[k][j];
      for (int c = 0; c < 6; c++) U[i][c] -= f * U[k][c];
    }
    for (int r = 0; r < 6; r++)
      for (int c = 0; c < 6; c++) M->a[r][c] -= U[k][r] * U[k][c] / D[k][k];
  }
  return regular;
}

/* A pivot also counts as zero when it is rounding against the inertia that was there before joints gave way. */
static int pivot_is_rounding(const m66 *articulated, const m66 *composite, int n, const twist *S,
                             const double *armature) {
  for (int k = 0; k < n; k++) {
    double s[6], now = armature[k], before = armature[k];
    t_store(S[k], s);
    for (int r = 0; r < 6; r++)
      for (int c = 0; c < 6; c++) {
        now += s[r] * articulated->a[r][c] * s[c];
        before += s[r] * composite->a[r][c] * s[c];
      }
    if (!(fabs(now) > 1e-11 * fabs(before))) return 1;
  }
  return 0;
}

static void warn(jn_draft *d, const jn_model *m, int link) {
  char subject[JN_SUBJECT];
  jn__log(&d->log, JN_WARNING, JN_ERR_MODEL, "joint-no-inertia", jn__joint_place(d, d->order[link]),
          jn__subject(subject, "joint", jn_joint_name(m, link)),
          "give its link an inertia or the joint an armature, or remove a joint that repeats another's motion",
          "it has no effective inertia: the mass matrix is singular and forward dynamics undefined");
}

jn_status jn__check_singular(jn_draft *d, const jn_model *m) {
  const jn_tree_d *t = m->tree[JN_KIND_D];
  size_t nb = (size_t)t->nb, nq = (size_t)t->nq;
  double *q = jn__allocate(&d->a, (2 * nb * sizeof(m66)) + (nq + 1) * sizeof *q);
  if (!q) return JN_ERR_MEMORY;
  m66 *articulated = (m66 *)(q + nq + 1), *composite = articulated + nb;
  for (size_t i = 0; i < nq; i++) q[i] = 0.4 + 1.1 * sin(3.7 * (double)i + 1); /* any configuration without symmetry */
  for (size_t i = 0; i < nb; i++) articulated[i] = composite[i] = full_inertia(t->body[i].inertia);
  for (int i = t->nb - 1; i >= 0; i--) {
    const jn_body_d *b = &t->body[i];
    twist S[6];
    pose T = body_pose(t, b, q);
    joint_screws(t, b, q, NULL, S, NULL);
    for (int k = 0; k < b->nv && b->ratio != 0; k++) S[k] = t_scale(1 / (b->nv == 1 ? b->ratio : 1), S[k]);
    const double *armature = t->armature + b->id;
    int nothing = m->link[b->link].subtree_mass == 0; /* told already as massless-leaf */
    int rounding = pivot_is_rounding(&articulated[i], &composite[i], b->nv, S, armature);
    int regular = give_way(&articulated[i], b->nv, S, armature);
    if ((rounding || !regular) && !nothing && !m->coupled) warn(d, m, b->link);
    if (b->parent < 0) continue;
    add_moved(&articulated[b->parent], T, &articulated[i]);
    add_moved(&composite[b->parent], T, &composite[i]);
  }
  jn__release(&d->a, q);
  return JN_OK;
}
