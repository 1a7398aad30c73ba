/* SPDX-License-Identifier: BSD-2-Clause */
/* Which inertias a rigid body can have: the moments about the centre of mass are not negative, and none exceeds the sum
 * of the other two. Some published robots violate this; such a model still loads and is computed as written, with a
 * warning. */
#include "inertia_law.h"

#include <math.h>

#include "draft.h"
#include "model.h"

void jn__principal_axes(const double I[6], double moments[3], double axes[3][3]) {
  double A[3][3] = {{I[0], I[3], I[4]}, {I[3], I[1], I[5]}, {I[4], I[5], I[2]}}, V[3][3] = {{1}, {0, 1}, {0, 0, 1}};
  for (int sweep = 0; sweep < 30; sweep++) { /* Jacobi rotations: accurate for tiny eigenvalues too */
    for (int p = 0; p < 2; p++) {
      for (int q = p + 1; q < 3; q++) {
        if (A[p][q] == 0) continue;
        double theta = 0.5 * (A[q][q] - A[p][p]) / A[p][q];
        double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
        double c = 1 / sqrt(t * t + 1), s = t * c;
        for (int k = 0; k < 3; k++) {
          double x = A[k][p], y = A[k][q], u = V[k][p], w = V[k][q];
          A[k][p] = c * x - s * y;
          A[k][q] = s * x + c * y;
          V[k][p] = c * u - s * w;
          V[k][q] = s * u + c * w;
        }
        for (int k = 0; k < 3; k++) {
          double x = A[p][k], y = A[q][k];
          A[p][k] = c * x - s * y;
          A[q][k] = s * x + c * y;
        }
        A[p][q] = A[q][p] = 0;
      }
    }
  }
  int order[3] = {0, 1, 2};
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 2 - i; k++)
      if (A[order[k]][order[k]] > A[order[k + 1]][order[k + 1]]) {
        int swapped = order[k];
        order[k] = order[k + 1];
        order[k + 1] = swapped;
      }
  for (int k = 0; k < 3; k++) {
    moments[k] = A[order[k]][order[k]];
    for (int i = 0; i < 3 && axes; i++) axes[k][i] = V[i][order[k]];
  }
}

jn_inertia_fault jn__inertia_fault(const double p[10], double moments[3]) {
  double m, com[3], I[6];
  jn_inertia_unpack(p, &m, com, I);
  jn__principal_axes(I, moments, NULL);
  const double *e = moments;
  /* how much rounding of the ten parameters can change the moments about the centre of mass */
  double tolerance = 1e-9 * fabs(e[2]) + 1e-14 * (fabs(p[4]) + fabs(p[5]) + fabs(p[6]));
  int massless = m == 0 && (p[1] != 0 || p[2] != 0 || p[3] != 0 || fabs(e[0]) + fabs(e[2]) > 0);
  int broken = e[0] < -tolerance ? JN_FAULT_POSITIVE : e[2] > e[0] + e[1] + tolerance ? JN_FAULT_TRIANGLE : 0;
  return (jn_inertia_fault)(broken | (massless ? JN_FAULT_MASSLESS : 0));
}

static void check_link(jn_draft *draft, int i) {
  double e[3];
  char subject[JN_SUBJECT];
  jn__subject(subject, "link", draft->b->links[i].link.name);
  int fault = (int)jn__inertia_fault(draft->b->links[i].link.inertia, e);
  if (fault & JN_FAULT_MASSLESS)
    jn__log(&draft->log, JN_WARNING, JN_ERR_MODEL, "inertia-massless", jn__link_place(draft, i), subject,
            "give it a mass", "it has moments of inertia but no mass");
  if (fault & JN_FAULT_POSITIVE)
    jn__log(&draft->log, JN_WARNING, JN_ERR_MODEL, "inertia-positive", jn__link_place(draft, i), subject,
            "check signs, units and the frame of the tensor, or take the nearest inertia: jounce check --repair OUT",
            "principal moments %.6g, %.6g, %.6g kg m^2 about the centre of mass: the inertia is not positive definite",
            e[0], e[1], e[2]);
  else if (fault & JN_FAULT_TRIANGLE)
    jn__log(
        &draft->log, JN_WARNING, JN_ERR_MODEL, "inertia-triangle", jn__link_place(draft, i), subject,
        "no rigid body has this inertia: identify or compute it again, or take the nearest: jounce check --repair OUT",
        "principal moments %.6g, %.6g, %.6g kg m^2 about the centre of mass: %.6g > %.6g + %.6g breaks the triangle "
        "inequality",
        e[0], e[1], e[2], e[2], e[0], e[1]);
}

static int has_inertia(const double p[10]) {
  for (int k = 0; k < 10; k++)
    if (p[k] != 0) return 1;
  return 0;
}

/* Warns of a link that is far heavier than all others: a mass in grams, or a misplaced decimal point. */
static void check_heaviest(jn_draft *draft) {
  enum { LEAST_LINKS = 3 };
  const double heavy = 100, times = 50; /* [kg]; as heavy as the next one */
  double most = 0, next = 0;
  int heaviest = -1, count = 0;

  for (int i = 0; i < draft->n; i++) {
    double mass = draft->b->links[i].link.inertia[0];
    if (!(mass > 0)) continue;
    count++;
    next = fmax(next, fmin(mass, most));
    if (mass > most) most = mass, heaviest = i;
  }
  if (count < LEAST_LINKS || !(most > heavy && most > times * next)) return;

  char subject[JN_SUBJECT];
  jn__subject(subject, "link", draft->b->links[heaviest].link.name);
  jn__log(&draft->log, JN_WARNING, JN_ERR_MODEL, "mass-outlier", jn__link_place(draft, heaviest), subject,
          "check its unit (kg, not g) and its decimal point",
          "its mass is %.6g kg, that of the next heaviest link %.6g kg", most, next);
}

void jn__check_inertia(jn_draft *draft) {
  for (int i = 0; i < draft->n; i++) {
    const double *p = draft->b->links[i].link.inertia;
    int usable = p[0] >= 0;
    for (int k = 0; k < 10; k++) usable &= isfinite(p[k]) != 0;
    if (usable) check_link(draft, i); /* otherwise an error was reported before */
  }
  check_heaviest(draft);
  if (draft->log.broken) return;
  int *before = draft->first; /* links with inertia before position k; the child lists are no longer needed */
  before[0] = 0;
  for (int k = 0; k < draft->reached; k++) {
    const double *p = draft->b->links[draft->order[k]].link.inertia;
    before[k + 1] = before[k] + has_inertia(p);
  }
  for (int k = 0; k < draft->reached; k++) {
    int i = draft->order[k], carries = before[draft->end[i]] - before[k];
    if (jn__joint_nv(&draft->link[i].joint) == 0) continue;
    double armature = 0;
    for (int c = 0; c < jn__joint_nv(&draft->link[i].joint); c++)
      armature = fmax(armature, draft->link[i].joint.dof[c].armature);
    if (!carries && armature == 0)
      jn__joint_message(draft, JN_WARNING, i, "massless-leaf", "give the link an inertia, or make the joint fixed",
                        "it moves nothing that has mass: its acceleration under a force is undefined");
    else if (!has_inertia(draft->b->links[i].link.inertia) && draft->end[i] > k + 1)
      jn__joint_message(draft, JN_NOTE, i, "no-inertia", "this is fine if the links that it carries have mass",
                        "link '%s' has no inertia of its own", draft->b->links[i].link.name);
  }
}
