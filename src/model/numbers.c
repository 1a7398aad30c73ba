/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of every number of the description: finite values, rigid placements, usable axes, sensible limits, loops, and
 * sizes that suggest other units than SI. */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "convert.h"
#include "draft.h"
#include "model.h"

static int all_finite(const double *x, int n) {
  for (int i = 0; i < n; i++)
    if (!isfinite(x[i])) return 0;
  return 1;
}

/* What is wrong with a placement [4 x 4]; NULL: nothing. */
const char *jn__placement_fault(const double T[16]) {
  if (!all_finite(T, 16)) return "the placement has a number that is not finite";
  if (T[12] != 0 || T[13] != 0 || T[14] != 0 || T[15] != 1) return "the last row of the placement is not 0 0 0 1";

  /* R^T R = E, and R is not a reflection. */
  for (int i = 0; i < 3; i++)
    for (int j = i; j < 3; j++) {
      double dot = T[i] * T[j] + T[4 + i] * T[4 + j] + T[8 + i] * T[8 + j];
      if (fabs(dot - (i == j)) > 1e-6) return "the rotation of the placement is not orthonormal to 1e-6";
    }
  double det =
      T[0] * (T[5] * T[10] - T[6] * T[9]) - T[1] * (T[4] * T[10] - T[6] * T[8]) + T[2] * (T[4] * T[9] - T[5] * T[8]);
  return det > 0 ? NULL : "the rotation of the placement is a reflection (determinant -1)";
}

/* Makes an axis a unit vector, unless it is one to rounding; returns what is wrong with it, or NULL. */
const char *jn__unit_axis(double axis[3]) {
  if (!all_finite(axis, 3)) return "an axis has a number that is not finite";
  double most = fmax(fabs(axis[0]), fmax(fabs(axis[1]), fabs(axis[2])));
  if (most == 0) return "an axis is zero";
  if (most < 1e-100 || most > 1e100) /* so that the squares neither underflow nor overflow */
    for (int k = 0; k < 3; k++) axis[k] /= most;
  double n = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
  for (int k = 0; k < 3 && fabs(n - 1) > 1e-15; k++) axis[k] /= n; /* a unit axis is not changed */
  return NULL;
}

/* What is wrong with a screw; NULL: nothing. */
static const char *screw_fault(const double X[6]) {
  if (!all_finite(X, 6)) return "a screw has a number that is not finite";
  double w = sqrt(X[0] * X[0] + X[1] * X[1] + X[2] * X[2]), v = sqrt(X[3] * X[3] + X[4] * X[4] + X[5] * X[5]);
  if (w == 0 && v == 0) return "a screw is zero";
  if (!(fmax(w, v) < 1e100)) return "a screw has a number beyond 1e100";
  if (w > 0 && w < 1e-9 * v) return "the angular part of a screw is tiny but not zero; write 0 for a translation";
  return NULL;
}

/* Rank of the columns of S(q) at a configuration without symmetry, by Gram-Schmidt with column pivoting. */
static int screw_rank(const jn_joint *joint) {
  jn_screw_d screw[6];
  jn_tree_d t = {.screw = screw};
  jn_body_d body = {.kind = JN_BODY_GENERAL, .nv = jn__joint_nv(joint), .ratio = 1};
  jn__joint_to_screws(joint, screw);
  const double q[6] = {0.37, -0.71, 1.13, 0.59, -1.31, 0.83};
  twist S[6];
  double a[6][6];

  /* Each screw less its part along those before: it counts if something is left. */
  joint_screws(&t, &body, q, NULL, S, NULL);
  for (int k = 0; k < body.nv; k++) t_store(S[k], a[k]);
  int rank = 0;
  for (int k = 0; k < body.nv; k++) {
    double before = 0, after = 0;
    for (int c = 0; c < 6; c++) before += a[k][c] * a[k][c];
    for (int r = 0; r < rank; r++) {
      double dot = 0;
      for (int c = 0; c < 6; c++) dot += a[k][c] * a[r][c];
      for (int c = 0; c < 6; c++) a[k][c] -= dot * a[r][c];
    }
    for (int c = 0; c < 6; c++) after += a[k][c] * a[k][c];
    if (!(after > 1e-16 * before)) continue;
    for (int c = 0; c < 6; c++) a[rank][c] = a[k][c] / sqrt(after);
    rank++;
  }
  return rank;
}

/* Type, screws, axes, pitch and point of joint i. A joint with an error becomes fixed, so that later checks can go on.
 */
static void check_axes(jn_draft *draft, int i) {
  jn_joint *joint = &draft->link[i].joint;
  const char *fault = NULL;
  if ((unsigned)joint->type >= JN_JOINT_TYPES) {
    jn__joint_message(draft, JN_ERROR, i, "joint-type", "use a jn_joint_type", "%d is not a joint type",
                      (int)joint->type);
    joint->type = JN_FIXED;
    return;
  }
  if (joint->type == JN_GENERAL && (joint->screw_count < 1 || joint->screw_count > 6)) {
    jn__joint_message(draft, JN_ERROR, i, "screw-count", "give one to six screws", "a general joint with %d screws",
                      joint->screw_count);
    joint->type = JN_FIXED;
    return;
  }
  for (int k = 0; joint->type == JN_GENERAL && k < joint->screw_count && !fault; k++)
    fault = screw_fault(joint->screws[k]);
  int axes = joint->type == JN_GIMBAL ? 3 : joint->type == JN_UNIVERSAL ? 2 : 1;
  if (joint->type == JN_FIXED || joint->type == JN_SPHERICAL || joint->type == JN_FREE || joint->type == JN_GENERAL)
    axes = 0;
  if (!fault && axes > 0) fault = jn__unit_axis(joint->axis);
  if (!fault && axes > 1) fault = jn__unit_axis(joint->axis2);
  if (!fault && axes > 2) fault = jn__unit_axis(joint->axis3);
  if (!fault && !isfinite(joint->pitch)) fault = "the pitch is not finite";
  if (!fault && !all_finite(joint->point, 3)) fault = "the point has a number that is not finite";
  if (fault) {
    jn__joint_message(draft, JN_ERROR, i, "joint-axis",
                      "give an axis, screw or point with finite numbers, not all zero", "%s", fault);
    joint->type = JN_FIXED;
    return;
  }

  /* The motions of several axes must be independent. */
  int several = joint->type == JN_UNIVERSAL || joint->type == JN_GIMBAL || joint->type == JN_GENERAL;
  int rank = several ? screw_rank(joint) : jn__joint_nv(joint);
  if (rank < jn__joint_nv(joint))
    jn__joint_message(draft, JN_ERROR, i, "joint-singular", "choose axes or screws whose motions are independent",
                      "the %d screws of this %s joint are dependent in every configuration: rank %d",
                      jn__joint_nv(joint), jn_joint_type_name(joint->type), rank);
}

/* Limits, armature, springs and losses of joint i. */
static void check_limits(jn_draft *draft, int i) {
  const jn_joint *joint = &draft->link[i].joint;
  int has_position = joint->type != JN_SPHERICAL && joint->type != JN_FREE, n = jn__joint_nv(joint);
  int passive_is_fine =
      draft->b->loop_count > 0 || draft->b->options.ignore_loops; /* a mechanism has joints without a motor */
  for (int k = 0; k < n; k++) {
    const jn_dof *dof = &joint->dof[k];
    const double limit[5] = {dof->velocity, dof->acceleration, dof->jerk, dof->effort, dof->effort_rate};
    static const char *const name[5] = {"velocity", "acceleration", "jerk", "effort", "effort rate"};
    if (isnan(dof->lower) || isnan(dof->upper))
      jn__joint_message(draft, JN_ERROR, i, "limit-nan", "give a number, or leave the limit out",
                        "a position limit is not a number");
    else if (has_position && !(dof->lower < dof->upper))
      jn__joint_message(draft, JN_WARNING, i, "limit-empty",
                        "give lower < upper, or make the joint fixed or continuous",
                        "position limits %g ... %g leave no room to move", dof->lower, dof->upper);
    else if ((joint->type == JN_REVOLUTE || joint->type == JN_HELICAL) && isfinite(dof->upper - dof->lower) &&
             fmax(fabs(dof->lower), fabs(dof->upper)) > 31)
      jn__joint_message(draft, JN_WARNING, i, "unit-angle", "angles are in radians: divide degrees by 57.29578",
                        "position limits %g ... %g rad look like degrees", dof->lower, dof->upper);
    for (int l = 0; l < 5; l++) {
      if (isnan(limit[l]))
        jn__joint_message(draft, JN_ERROR, i, "limit-nan", "give a number, or leave the limit out",
                          "the %s limit is not a number", name[l]);
      else if (limit[l] < 0 || (limit[l] == 0 && !(l == 3 && passive_is_fine)))
        jn__joint_message(draft, JN_WARNING, i, "limit-zero", "give the real limit, or leave it out for none",
                          "the %s limit is %g: nothing is allowed", name[l], limit[l]);
    }
    if (!isfinite(dof->armature) || dof->armature < 0)
      jn__joint_message(draft, JN_ERROR, i, "armature", "give a finite number, zero or more", "the armature is %g",
                        dof->armature);
    if (!isfinite(dof->stiffness) || dof->stiffness < 0 || !isfinite(dof->rest))
      jn__joint_message(draft, JN_ERROR, i, "spring",
                        "give a finite stiffness, zero or more, and a finite rest position",
                        "the spring has stiffness %g and rests at %g", dof->stiffness, dof->rest);
    else if (dof->stiffness != 0 && !has_position)
      jn__joint_message(draft, JN_ERROR, i, "spring", "remove the stiffness, or use a gimbal or several single joints",
                        "a %s joint cannot have a spring: it has no coordinates whose rates are its velocity",
                        jn_joint_type_name(joint->type));
    if (!isfinite(dof->damping) || !isfinite(dof->friction))
      jn__joint_message(draft, JN_ERROR, i, "not-finite", "give finite numbers", "damping %g, friction %g",
                        dof->damping, dof->friction);
    else if (dof->damping < 0 || dof->friction < 0)
      jn__joint_message(draft, JN_WARNING, i, "loss-negative", "losses must not be negative",
                        "damping %g, friction %g: a negative loss adds energy", dof->damping, dof->friction);
  }
}

/* What is wrong with a loop, and how to fix it; empty text: nothing is wrong. */
typedef struct loop_fault {
  char text[160];
  const char *remedy;
} loop_fault;

/* Reports the first fault of a loop. */
static void report_fault(loop_fault *f, const char *remedy, const char *format, ...) {
  if (*f->text) return; /* report only the first fault */
  va_list list;
  va_start(list, format);
  vsnprintf(f->text, sizeof f->text, format, list);
  va_end(list);
  f->remedy = remedy;
}

/* Term i of a coupling: its joint, coordinate and factor. */
static void check_term(const jn_draft *draft, const jn_loop *loop, int i, loop_fault *f) {
  const jn_coupling *t = &loop->term[i];
  const char *name = t->joint ? t->joint : "";
  int joint = t->joint ? jn__draft_joint(draft, t->joint) : JN_NONE;
  if (joint == JN_NONE) {
    report_fault(f, "use the name of a joint of the model", "term %d names '%.64s', which is not a joint", i + 1, name);
    return;
  }
  const jn_joint *j = &draft->link[joint].joint;
  if (j->mimic && !draft->b->options.ignore_mimic)
    report_fault(f, "name the joint that it mimics", "term %d names '%.64s', which mimics another joint", i + 1, name);
  if (j->type == JN_SPHERICAL || j->type == JN_FREE)
    report_fault(f, "couple joints whose coordinates are angles or lengths",
                 "term %d names '%.64s', whose velocities are not the rates of its coordinates", i + 1, name);
  if (jn__joint_nv(j) == 0)
    report_fault(f, "name a joint that moves", "term %d names '%.64s', which is fixed", i + 1, name);
  if (t->coordinate < 0 || t->coordinate >= jn__joint_nv(j))
    report_fault(f, "count the coordinates of a joint from 0", "joint '%.64s' of term %d has no coordinate %d", name,
                 i + 1, t->coordinate);
  if (!isfinite(t->factor) || t->factor == 0)
    report_fault(f, "leave the term out, or give a number", "the factor of '%.64s' is %g", name, t->factor);
  else if (!(fabs(t->factor) >= 1e-100 && fabs(t->factor) <= 1e100))
    report_fault(f, "divide all factors and the offset by the same number",
                 "the factor of '%.64s' is %g: not between 1e-100 and 1e100", name, t->factor);
  for (int k = 0; k < i; k++)
    if (loop->term[k].joint && strcmp(loop->term[k].joint, name) == 0 && loop->term[k].coordinate == t->coordinate)
      report_fault(f, "add their factors and write one term", "terms %d and %d name the same coordinate", k + 1, i + 1);
}

/* Checks what a loop of this type has besides its links. */
static void check_loop_type(const jn_draft *draft, jn_loop *loop, loop_fault *f) {
  const char *axis = loop->type == JN_LOOP_UNIVERSAL ? jn__unit_axis(loop->axis2) : NULL;
  if (axis) report_fault(f, "give axis2 as a direction: three numbers, not all zero", "axis2: %s", axis);
  if (loop->type == JN_LOOP_DISTANCE &&
      !(loop->distance >= 1e-9 && loop->distance <= 1e100)) /* if smaller, rounding would change its direction */
    report_fault(f, "give a length in metres from 1e-9 on; points that coincide are 'spherical'", "the distance is %g",
                 loop->distance);
  if (loop->type == JN_LOOP_COORDINATES && (loop->mask == 0 || loop->mask >= 64))
    report_fault(f, "choose from rx, ry, rz, x, y, z", "no relative coordinate is chosen");
  if (loop->type != JN_LOOP_COUPLING) return;
  if (loop->term_count == 0) report_fault(f, "list the joints that it couples", "the coupling has no terms");
  if (!(fabs(loop->offset) <= 1e100))
    report_fault(f, "give a finite number up to 1e100", "the offset is %g", loop->offset);
  for (int i = 0; i < loop->term_count; i++) check_term(draft, loop, i, f);
}

/* Checks one end: its link and placement. */
static void check_loop_end(const jn_draft *draft, const char *end, const char *link, const double T[16],
                           loop_fault *f) {
  if (jn__draft_link(draft, link) == JN_NONE)
    report_fault(f, "use the name of a link or \"world\"; for a named frame, give its link and the frame's placement",
                 "end %s is on '%.64s', which is not a link", end, link ? link : "");
  const char *placement = jn__placement_fault(T);
  if (placement) report_fault(f, "give a rotation matrix and a position", "placement of end %s: %s", end, placement);
}

/* Loop i: name, type, ends, axes, and what its type needs. */
static void check_loop(jn_draft *draft, int i) {
  const jn_loop_item *item = &draft->b->loops[i];
  jn_loop loop = item->loop;
  jn_place place = {jn__builder_loop_file(draft->b, item), item->line, item->column};
  char subject[JN_SUBJECT];
  loop_fault f = {.text = ""};
  jn__subject(subject, "loop", loop.name);
  if (!loop.name || !*loop.name) report_fault(&f, "give it its own name", "the loop has no name");
  if ((unsigned)loop.type >= JN_LOOP_TYPES) report_fault(&f, "docs/model-file.md lists the types", "unknown loop type");
  if (!*f.text && loop.type != JN_LOOP_COUPLING) { /* a coupling has no ends */
    check_loop_end(draft, "a", loop.link_a, loop.placement_a, &f);
    check_loop_end(draft, "b", loop.link_b, loop.placement_b, &f);
    if (jn__draft_link(draft, loop.link_a) == jn__draft_link(draft, loop.link_b))
      report_fault(&f, "a loop joins two links", "both ends are on '%.64s'", loop.link_a ? loop.link_a : "");
    const char *axis = jn__unit_axis(loop.axis);
    if (axis) report_fault(&f, "give axis as a direction: three numbers, not all zero", "axis: %s", axis);
  }
  if (!*f.text) check_loop_type(draft, &loop, &f);
  if (*f.text) jn__log(&draft->log, JN_ERROR, JN_ERR_MODEL, "loop", place, subject, f.remedy, "%s", f.text);
}

/* Sizes that suggest millimetres, grams or degrees instead of SI units. */
static void check_units(jn_draft *draft) {
  double reach = 0, mass = 0;
  int far = -1;
  for (int i = 0; i < draft->n; i++) {
    const double *T = draft->b->links[i].link.placement, *p = draft->b->links[i].link.inertia;
    double r = sqrt(T[3] * T[3] + T[7] * T[7] + T[11] * T[11]);
    double c = p[0] > 0 ? sqrt(p[1] * p[1] + p[2] * p[2] + p[3] * p[3]) / p[0] : 0;
    if (fmax(r, c) > reach) {
      reach = fmax(r, c);
      far = i;
    }
    mass += p[0];
  }
  char subject[JN_SUBJECT];
  jn_place whole = {draft->b->file, 0, 0};
  if (far >= 0 && reach > 30)
    jn__log(&draft->log, JN_WARNING, JN_ERR_MODEL, "unit-length", jn__link_place(draft, far),
            jn__subject(subject, "link", draft->b->links[far].link.name),
            "lengths are in metres: multiply millimetres by 1e-3",
            "a placement or centre of mass is %g m away: millimetres?", reach);
  if (draft->n > 1 && mass > 0.05 && reach > 0 && reach < 2e-3)
    jn__log(&draft->log, JN_WARNING, JN_ERR_MODEL, "unit-length", whole, NULL, "lengths are in metres",
            "no link is placed more than %g m from its parent, yet the robot has %g kg", reach, mass);
  if (mass > 20000)
    jn__log(&draft->log, JN_WARNING, JN_ERR_MODEL, "unit-mass", whole, NULL, "masses are in kilograms",
            "the links have %g kg in total: grams?", mass);
  for (int i = 0; i < draft->n; i++) {
    const double *p = draft->b->links[i].link.inertia;
    double m, com[3], I[6];
    jn_inertia_unpack(p, &m, com, I);
    double trace = I[0] + I[1] + I[2], gyration = m > 0 && trace > 0 ? sqrt(0.5 * trace / m) : 0;
    double size = fmax(reach, 0.1);
    if (gyration > 10 * size)
      jn__log(&draft->log, JN_WARNING, JN_ERR_MODEL, "unit-inertia", jn__link_place(draft, i),
              jn__subject(subject, "link", draft->b->links[i].link.name),
              "inertias are in kg m^2: 1 kg mm^2 = 1e-6, 1 g mm^2 = 1e-9",
              "for a mass of %g kg, the moments of inertia are those of a body as large as %g m", m, 2 * gyration);
    else if (m > 0.05 && gyration > 0 && gyration < 1e-4)
      jn__log(&draft->log, JN_WARNING, JN_ERR_MODEL, "unit-inertia", jn__link_place(draft, i),
              jn__subject(subject, "link", draft->b->links[i].link.name), "inertias are in kg m^2",
              "for a mass of %g kg, the moments of inertia are those of a body as small as %g m", m, 2 * gyration);
  }
}

void jn__check_numbers(jn_draft *draft) {
  const double *g = draft->b->options.gravity ? draft->b->options.gravity : draft->b->gravity;
  if (!all_finite(g, 3))
    jn__log(&draft->log, JN_ERROR, JN_ERR_MODEL, "not-finite", (jn_place){draft->b->file, 0, 0}, NULL,
            "give three finite numbers", "gravity has a number that is not finite");
  for (int i = 0; i < draft->n; i++) {
    const jn_link *link = &draft->b->links[i].link;
    const char *fault = jn__placement_fault(link->placement);
    if (fault) jn__joint_message(draft, JN_ERROR, i, "placement", "give a rotation matrix and a position", "%s", fault);
    if (!all_finite(link->inertia, 10))
      jn__link_error(draft, i, "not-finite", "give finite numbers", "the inertia has a number that is not finite");
    else if (link->inertia[0] < 0)
      jn__link_error(draft, i, "mass-negative", "masses must not be negative", "the mass is %g kg", link->inertia[0]);
    check_axes(draft, i);
    check_limits(draft, i);
  }
  for (int i = 0; i < draft->b->frame_count; i++) {
    const jn_frame_item *frame = &draft->b->frames[i];
    const char *fault = jn__placement_fault(frame->placement);
    char subject[JN_SUBJECT];
    if (fault)
      jn__log(&draft->log, JN_ERROR, JN_ERR_MODEL, "placement", (jn_place){draft->b->file, frame->line, frame->column},
              jn__subject(subject, "frame", frame->name), "give a rotation matrix and a position", "%s", fault);
  }
  for (int i = 0; i < draft->b->loop_count; i++) check_loop(draft, i);
  if (!draft->log.broken) check_units(draft);
}
