/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce/edit.h: new models made from others: lock joints, keep a subtree, attach another robot, take another link as
 * the base, merge links that are fixed to each other, and repair inertias.
 *
 * A model is never changed: each function makes a new one, which outlives those it was made from. Of `options` (NULL:
 * defaults) the allocator (NULL: that of the model), report, strict, floating, gravity, joint_order and ignore_mimic
 * count, as in jn_model_thaw(). The report gets what the edit did beyond what was asked for, and what is wrong with the
 * new model and was not with the old one. Coordinates that remain keep their order; of attached ones see there.
 * On error *copy is NULL and *error (may be NULL) names the joint, link, frame or loop, the rule and the remedy.
 * Cost: that of freezing a model, O(n log n) for n links; with a loop that no longer moves, also that of
 * jn_loops_create().
 * Errors of all: JN_ERR_NULL, JN_ERR_INIT, JN_ERR_NAME (no such link, joint or frame), JN_ERR_MODEL, JN_ERR_MEMORY.
 * Guide: docs/editing.md. */
#ifndef JOUNCE_EDIT_H
#define JOUNCE_EDIT_H

#include "model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Locks `count` joints at their values in q [nq] (NULL: the neutral configuration; other entries of q do not count).
 * A locked joint becomes a fixed one with the same name: placement' = placement J(q). Its link stays a link, so its
 * name is still that of a frame, and its inertia is part of the body it is fixed to. The new model moves as the old one
 * does while these coordinates rest: tau, a, derivatives, jets and regressors are those of the old one without the rows
 * and columns of the locked coordinates. Coupled joints: with one of them the joint that it follows is locked, and all
 * that follow that one, at the values that belong to q; a note says so. Armature, springs, damping and friction belong
 * to the locked coordinate alone and go with it: the rotor does not turn any more, and its mass is that of its link.
 *   Loops: couplings get the locked terms as a constant. A loop whose ends no longer move against each other is left
 *   out with a note when it is closed to 1e-6 m and rad, and refused with JN_ERR_LOOP when it is not.
 * A value outside the limits of its joint is a warning. Errors: JN_ERR_SIZE (count < 0), JN_ERR_MODEL (a value is not
 * finite, or a quaternion is zero), JN_ERR_LOOP. */
JN_API jn_status jn_model_lock(const jn_model *model, const char *const *joints, int count, const double *q,
                               const jn_options *options, jn_model **copy, jn_error *error);

/* Keeps a link, the joint that carries it, and all that it carries. What it hung on is replaced by the world, where it
 * is at q [nq] (NULL: neutral), so that gravity has the same direction in it: the new model moves as the old one does
 * while all other coordinates rest at q (and what is gone has no mass, even if it followed a joint that is kept). A
 * joint that follows one that is gone is locked. A loop to what is gone ends at the world, couplings get what is gone
 * as a constant, and loops that no longer move are left out; notes say so. */
JN_API jn_status jn_model_subtree(const jn_model *model, const char *link, const double *q, const jn_options *options,
                                  jn_model **copy, jn_error *error);

/* Attaches a robot to a frame (link, named frame or "world") of another. The world of `other` becomes that frame moved
 * by placement [16] (NULL: identity): what is fixed to the world in `other` is fixed to the frame, loops and couplings
 * of both are kept. All names of `other` get `prefix` (NULL: none) in front. Coordinates of `model` come first, then
 * those of `other`, each in their order. Name and gravity are those of `model`. Names that both have are refused
 * (JN_ERR_MODEL) and listed. Another gravity in `other`, and a free joint there, which stays free, are warnings. */
JN_API jn_status jn_model_attach(const jn_model *model, const char *frame, const jn_model *other, const char *prefix,
                                 const double *placement, const jn_options *options, jn_model **copy, jn_error *error);

/* Takes another link as the base. Joints between it and the old base carry the other of their two links now. Links keep
 * their frames and inertias, joints their names. A reversed joint turns the other way about the same axis,
 *   placement' = placement^-1,  J' = placement J^-1 placement^-1,
 * so that each coordinate keeps its value, sign and meaning, and its torque. Joints of several coordinates that do not
 * commute (universal, gimbal, planar, general) have them in the reverse order, each with its limits; a planar joint
 * becomes a general one. A spherical or free joint gets the inverse rotation or pose: a warning says so.
 *   The old base is free: so is the new one, by a joint of the same name; energies, momentum and the motion under joint
 *   torques stay what they are.   The old base is fixed to the world: the new one is fixed where it is at q [nq] (NULL:
 *   neutral), and the old one moves.
 * Errors: JN_ERR_MODEL when the old base hangs on the world by another joint, or when a spherical or free joint has
 * armature or losses that the inverse motion cannot have. */
JN_API jn_status jn_model_reroot(const jn_model *model, const char *link, const double *q, const jn_options *options,
                                 jn_model **copy, jn_error *error);

/* Merges every link that is fixed to another one into that: its inertia is added, its name and that of its joint become
 * names of frames; what hung on it, frames and loops move along. Dynamics do not change (they see these links as one
 * body anyway); the regressor has ten columns for each link that is left. Links fixed to the world stay. */
JN_API jn_status jn_model_lump(const jn_model *model, const jn_options *options, jn_model **copy, jn_error *error);

/* Gives every joint whose axis (or centre) does not pass through the origin of the link that it carries a link of its
 * own there, named after the joint: "NAME_axis", without inertia; what the joint carried is fixed to that. Nothing
 * moves differently. URDF can only say joints at the origin of their link, so this is for writing it, as after
 * jn_model_reroot(). Joints that are fine stay as they are. */
JN_API jn_status jn_model_split(const jn_model *model, const jn_options *options, jn_model **copy, jn_error *error);

/* ---- Repair: bodies that can exist ---- */

/* Principal moments about the centre of mass [kg m^2], ascending, and their axes as the rows of axes [9] (may be NULL),
 * in the axes of the link. Of a massless body: those of the tensor as it is. NULL does nothing. O(1). */
JN_API void jn_inertia_principal(const double inertia[10], double moments[3], double axes[9]);

/* How thin a repaired body may become, see jn_inertia_repair(): about 3 % as thick as it is long. */
#define JN_REPAIR_MARGIN 1e-3

/* The nearest ten parameters that a rigid body can have. Mass and centre of mass c stay. The second moments about c,
 *   Sigma = tr(I)/2 E - I   (I: the inertia about c),   eigenvalues s_k,
 * are those of a body exactly when no s_k is negative. When one is, all s_k below f = margin * (sum of the positive
 * ones) are raised to f, with the same principal axes: of all Sigma' with eigenvalues of at least f that is the nearest
 * to Sigma in the Frobenius norm, whatever the axes, the frame and the units. 0 < margin <= 1/3. What breaks no law, by
 * the rule of jn_builder_freeze(), is copied bit by bit. change (may be NULL): |Sigma' - Sigma| / |Sigma|, 0 when
 * nothing was to be done. repaired may be inertia. O(1). Errors: JN_ERR_NULL, JN_ERR_SIZE (margin), JN_ERR_MODEL: there
 * is no nearest body, because the mass is zero or negative while other parameters are not zero, no s_k is positive, or
 * a number is not finite; repaired is the copy. */
JN_API jn_status jn_inertia_repair(const double inertia[10], double margin, double repaired[10], double *change);

/* The model with all links repaired that break a law. The report gets a note for each that was changed, with the
 * principal moments before and after, and a warning for each that has no nearest body and stays as it is.
 * Errors: JN_ERR_SIZE (margin). */
JN_API jn_status jn_model_repair(const jn_model *model, double margin, const jn_options *options, jn_model **copy,
                                 jn_error *error);

#ifdef __cplusplus
}
#endif
#endif
