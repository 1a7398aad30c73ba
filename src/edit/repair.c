/* SPDX-License-Identifier: BSD-2-Clause */
/* Inertias that break the laws of physics, and the nearest ones that do not.
 *
 * A body has mass m > 0, a centre of mass c, and second moments about c, Sigma = int rho r r^T dV = tr(I)/2 E - I,
 * which are positive semidefinite; any such triple belongs to a body. m and c break no law of their own, so they stay
 * (and with them all gravity torques), and Sigma is projected onto the matrices with eigenvalues of at least f > 0. The
 * divergence of log-determinants, otherwise the natural distance of inertias, cannot be used: it is infinite from what
 * lies outside. */
#include <string.h>

#include "../model/inertia_law.h"
#include "edit.h"

void jn_inertia_principal(const double given[10], double moments[3], double axes[9]) {
  if (!given || !moments) return;
  double I[6], V[3][3];
  jn_inertia_unpack(given, NULL, NULL, I);
  jn__principal_axes(I, moments, V);
  if (axes) memcpy(axes, V, sizeof V);
}

/* Why there is no nearest body; NULL: there is one. */
static const char *hopeless(const double p[10], const double moments[3]) {
  if (!(p[0] > 0)) return p[0] < 0 ? "its mass is negative" : "it has no mass";
  for (int k = 0; k < 3; k++)
    if (0.5 * (moments[0] + moments[1] + moments[2]) - moments[k] > 0) return NULL;
  return "none of its second moments is positive";
}

static int all_finite(const double p[10]) {
  for (int k = 0; k < 10; k++)
    if (!isfinite(p[k])) return 0;
  return 1;
}

static int is_zero(const double p[10]) {
  for (int k = 0; k < 10; k++)
    if (p[k] != 0) return 0;
  return 1;
}

/* I = sum_k I_k a_k a_k^T, as xx, yy, zz, xy, xz, yz. */
static void compose(const double moments[3], double axes[3][3], double I[6]) {
  static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
  for (int c = 0; c < 6; c++) {
    I[c] = 0;
    for (int k = 0; k < 3; k++) I[c] += moments[k] * axes[k][row[c]] * axes[k][column[c]];
  }
}

static void project(const double p[10], double margin, double repaired[10], double *change) {
  double m, com[3], I[6], moments[3], axes[3][3], s[3], positive = 0, moved = 0, size = 0;
  jn_inertia_unpack(p, &m, com, I);
  jn__principal_axes(I, moments, axes);
  for (int k = 0; k < 3; k++) {
    s[k] = 0.5 * (moments[0] + moments[1] + moments[2]) - moments[k];
    positive += fmax(s[k], 0);
    size += s[k] * s[k];
  }
  for (int k = 0; k < 3; k++) {
    double raised = fmax(s[k], margin * positive);
    moved += (raised - s[k]) * (raised - s[k]);
    s[k] = raised;
  }
  for (int k = 0; k < 3; k++) moments[k] = s[(k + 1) % 3] + s[(k + 2) % 3];
  compose(moments, axes, I);
  jn_inertia_pack(m, com, I, repaired);
  memcpy(repaired, p, 4 * sizeof *p); /* mass and centre of mass to the bit */
  if (change) *change = sqrt(moved / size);
}

jn_status jn_inertia_repair(const double given[10], double margin, double repaired[10], double *change) {
  if (!given || !repaired) return JN_ERR_NULL;
  double p[10], moments[3];
  memcpy(p, given, sizeof p);
  memcpy(repaired, p, sizeof p);
  if (change) *change = 0;
  if (!(margin > 0 && margin <= 1.0 / 3)) return JN_ERR_SIZE;
  if (!all_finite(p)) return JN_ERR_MODEL;
  if (is_zero(p)) return JN_OK;
  int fault = (int)jn__inertia_fault(p, moments);
  if (p[0] >= 0 && fault == JN_FAULT_NONE) return JN_OK;
  if (hopeless(p, moments)) return JN_ERR_MODEL;
  project(p, margin, repaired, change);
  return JN_OK;
}

static void repair_link(jn_edit *edit, int i, double margin) {
  const double *given = edit->model->link[i].inertia;
  double *now = edit->builder->links[i].link.inertia, before[3], after[3], change;
  const char *name = edit->model->link[i].name;
  jn_status status = jn_inertia_repair(given, margin, now, &change);
  jn__inertia_fault(given, before);
  jn__inertia_fault(now, after);
  if (status != JN_OK)
    jn__edit_say(edit, JN_WARNING, JN_ERR_MODEL, "inertia-hopeless", "link", name,
                 "give the mass and inertia of the body", "there is no nearest body: %s", hopeless(given, before));
  else if (change > 0)
    jn__edit_say(edit, JN_NOTE, JN_OK, "inertia-repaired", "link", name, NULL,
                 "principal moments %.6g, %.6g, %.6g kg m^2 became %.6g, %.6g, %.6g", before[0], before[1], before[2],
                 after[0], after[1], after[2]);
}

jn_status jn_model_repair(const jn_model *model, double margin, const jn_options *options, jn_model **copy,
                          jn_error *error) {
  if (copy) *copy = NULL;
  if (!(margin > 0 && margin <= 1.0 / 3))
    return jn__fail(error, JN_ERR_SIZE, NULL, "the margin is %g; it must be above 0 and at most 1/3", margin);
  jn_edit edit;
  jn_status status = jn__edit_begin(&edit, model, NULL, options, copy, error);
  if (status != JN_OK) return status;
  for (int i = 0; i < model->nlink; i++) repair_link(&edit, i, margin);
  return jn__edit_end(&edit, status, copy, error);
}
