/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce/edit.h: make new models from existing ones: lock joints, keep a subtree, attach another robot, choose another
 * base link, merge links that are fixed to each other, and repair inertias.
 * Tier: stable (docs/stability.md).
 *
 * A model is never changed: each function creates a new one, which does not depend on the models it was made from.
 * These members of `options` (NULL: defaults) are used, as in jn_model_thaw(): allocator (NULL: that of the model),
 * report, strict, floating, gravity, joint_order and ignore_mimic. The report gets a note on every change beyond the
 * requested one, and all problems of the new model that the old one did not have. The remaining coordinates keep their
 * order; for attached robots see jn_model_attach().
 * On error *copy is NULL and *error (may be NULL) names the joint, link, frame or loop, the rule and the remedy.
 * Cost: that of freezing a model, O(n log n) for n links; if a loop can no longer move, plus that of jn_loops_create().
 * Errors of all: JN_ERR_NULL, JN_ERR_INIT, JN_ERR_NAME (no such link, joint or frame), JN_ERR_MODEL, JN_ERR_MEMORY.
 * Guide: docs/editing.md. */
#ifndef JOUNCE_EDIT_H
#define JOUNCE_EDIT_H

#include "model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Locks `count` joints at their values in q [nq] (NULL: the neutral configuration; other entries of q are ignored).
 * A locked joint becomes a fixed one with the same name: placement' = placement J(q). Its link stays a link, so it is
 * still a frame of the same name, and its inertia becomes part of the body it is fixed to. The new model moves as the
 * old one does while the locked coordinates are at rest: tau, a, derivatives, jets and regressors are those of the old
 * model without the rows and columns of the locked coordinates. If one of several coupled joints is locked, so are the
 * joint that it follows and all others that follow that joint, at their values for q; a note says so. Armature,
 * springs, damping and friction of a locked coordinate are dropped with it: the rotor no longer turns, and its mass is
 * already part of its link.
 *   Loops: couplings get the locked terms as a constant. A loop whose ends no longer move against each other is left
 *   out with a note when it is closed to 1e-6 m and rad, and refused with JN_ERR_LOOP when it is not.
 * A value outside the limits of its joint gives a warning. Errors: JN_ERR_SIZE (count < 0), JN_ERR_MODEL (a value is
 * not finite, or a quaternion is zero), JN_ERR_LOOP. */
JN_API jn_status jn_model_lock(const jn_model *model, const char *const *joints, int count, const double *q,
                               const jn_options *options, jn_model **copy, jn_error *error);

/* Keeps a link, the joint that carries it, and its subtree. Its parent is replaced by the world, at the pose that the
 * parent has at q [nq] (NULL: neutral), so that gravity keeps its direction relative to the link. The new model moves
 * as the old one does while all other coordinates are at rest at q, except that removed links have no mass even if they
 * followed a joint that is kept. A joint that follows a removed one is locked. A loop to a removed link now ends at the
 * world, removed coordinates become constants in couplings, and loops that can no longer move are left out; notes say
 * so. */
JN_API jn_status jn_model_subtree(const jn_model *model, const char *link, const double *q, const jn_options *options,
                                  jn_model **copy, jn_error *error);

/* Attaches a robot to a frame (link, named frame or "world") of another. The world of `other` becomes that frame moved
 * by placement [16] (NULL: identity): links fixed to the world in `other` are fixed to the frame, and the loops and
 * couplings of both are kept. All names of `other` get the prefix `prefix` (NULL: none). Coordinates of `model` come
 * first, then those of `other`, each in their order. Name and gravity are those of `model`. If both use the same name,
 * the call fails with JN_ERR_MODEL and the error lists these names. Warnings are given if `other` has a different
 * gravity, or a free joint, which stays free. */
JN_API jn_status jn_model_attach(const jn_model *model, const char *frame, const jn_model *other, const char *prefix,
                                 const double *placement, const jn_options *options, jn_model **copy, jn_error *error);

/* Makes another link the base. The joints between it and the old base are reversed: each now carries the other one of
 * its two links. Links keep their frames and inertias, joints their names. A reversed joint moves the other way about
 * the same axis,
 *   placement' = placement^-1,  J' = placement J^-1 placement^-1,
 * so each coordinate keeps its value, sign, meaning and torque. In joints with several coordinates that do not commute
 * (universal, gimbal, planar, general) their order is reversed, each with its limits; a planar joint becomes a general
 * one. A spherical or free joint gets the inverse rotation or pose, and a warning says so.
 *   The old base is free: so is the new one, by a joint of the same name; energies, momentum and the motion under joint
 *   torques stay what they are.   The old base is fixed to the world: the new one is fixed where it is at q [nq] (NULL:
 *   neutral), and the old one moves.
 * Errors: JN_ERR_MODEL if any other joint connects the old base to the world, or if a spherical or free joint has
 * armature, damping or friction that the reversed joint cannot have. */
JN_API jn_status jn_model_reroot(const jn_model *model, const char *link, const double *q, const jn_options *options,
                                 jn_model **copy, jn_error *error);

/* Merges every link that is fixed to another link into that link: inertias are added, the names of the merged link and
 * its joint become named frames, and its children, frames and loops are moved to the other link. The dynamics do not
 * change (such links are one body anyway); the regressor has ten columns for each remaining link. Links fixed to the
 * world stay. */
JN_API jn_status jn_model_lump(const jn_model *model, const jn_options *options, jn_model **copy, jn_error *error);

/* Gives every joint whose axis (or centre) does not pass through the origin of the link that it carries a link of its
 * own there, named after the joint: "NAME_axis", without inertia; what the joint carried is fixed to that. Nothing
 * moves differently. URDF can only say joints at the origin of their link, so this is for writing it, as after
 * jn_model_reroot(). Joints that are fine stay as they are. */
JN_API jn_status jn_model_split(const jn_model *model, const jn_options *options, jn_model **copy, jn_error *error);

/* ---- Repair inertias that no rigid body can have ---- */

/* Principal moments about the centre of mass [kg m^2], ascending, and their axes as the rows of axes [9] (may be NULL),
 * in the axes of the link. For a massless body: those of the tensor itself. Does nothing if inertia or moments is NULL.
 * O(1). */
JN_API void jn_inertia_principal(const double inertia[10], double moments[3], double axes[9]);

/* How thin a repaired body may become, see jn_inertia_repair(): about 3 % as thick as it is long. */
#define JN_REPAIR_MARGIN 1e-3

/* Finds the nearest ten parameters that a rigid body can have. Mass and centre of mass c stay the same. The second
 * moments about c,
 *   Sigma = tr(I)/2 E - I   (I: the inertia about c),   eigenvalues s_k,
 * belong to a rigid body if and only if no s_k is negative. If one is negative, all s_k below f = margin * (sum of the
 * positive ones) are raised to f, with the same principal axes. Of all Sigma' with eigenvalues of at least f, this one
 * is nearest to Sigma in the Frobenius norm, independent of axes, frame and units. 0 < margin <= 1/3. An inertia that
 * passes the checks of jn_builder_freeze() is copied bit by bit. change (may be NULL): |Sigma' - Sigma| / |Sigma|, 0 if
 * nothing was changed. repaired may be the same array as inertia. O(1). Errors: JN_ERR_NULL, JN_ERR_SIZE (margin),
 * JN_ERR_MODEL: there is no nearest body, because the mass is zero or negative while other parameters are not zero, no
 * s_k is positive, or a number is not finite; repaired is then a copy of inertia. */
JN_API jn_status jn_inertia_repair(const double inertia[10], double margin, double repaired[10], double *change);

/* Repairs all links whose inertia no rigid body can have. The report gets a note for each changed link, with the
 * principal moments before and after, and a warning for each link that has no nearest body and stays as it is.
 * Errors: JN_ERR_SIZE (margin). */
JN_API jn_status jn_model_repair(const jn_model *model, double margin, const jn_options *options, jn_model **copy,
                                 jn_error *error);

#ifdef __cplusplus
}
#endif
#endif
