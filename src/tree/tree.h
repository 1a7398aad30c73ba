/* SPDX-License-Identifier: BSD-2-Clause */
/* The frozen model as kernels see it: plain constant arrays of one scalar type, converted from the double ones when the
 * model is frozen.
 *
 * A *body* is a moving rigid body: a link together with everything that is fixed to it. Bodies are ordered depth first,
 * so parent < body and a subtree is a range. A one-coordinate body has an internal frame whose z axis is the joint axis
 * (for other bodies, its origin is the joint's centre), so kernels need only one revolute, prismatic and helical joint.
 * Frames (links first, then named frames) transform from the internal frames to those of the user. */
#ifndef JN_TREE_TREE_H
#define JN_TREE_TREE_H

#include <stddef.h>

#include "../lie/number.h"

typedef enum jn_kind {
  JN_BODY_REVOLUTE,  /* rotation about z */
  JN_BODY_PRISMATIC, /* translation along z */
  JN_BODY_HELICAL,   /* rotation about z, advancing pitch * q along it */
  JN_BODY_SPHERICAL, /* quaternion, v = body-fixed angular velocity */
  JN_BODY_FREE,      /* position and quaternion, v = body twist */
  JN_BODY_GENERAL    /* product of exponentials of constant screws */
} jn_kind;

/* Joints whose screw is an axis alone: (z, 0) or (0, z), times the ratio. */
enum { JN_AXIS_OTHER, JN_AXIS_TURN, JN_AXIS_SLIDE };

/* Numbers of the bodies side by side, for sweeps that treat several bodies at once: rows of JN_SHEET bodies, zero
 * beyond the last. Joints of one coordinate turn by TURN q + ANGLE about z and advance by SHIFT q + WAY along it; for
 * all others these are zero. */
enum { JN_SHEET = 8 };
enum {
  JN_SHEET_R = 0,        /* placement R, row-major */
  JN_SHEET_P = 9,        /* R^T p */
  JN_SHEET_INERTIA = 12, /* as in the body */
  JN_SHEET_TURN = 22,
  JN_SHEET_SHIFT,
  JN_SHEET_ANGLE,
  JN_SHEET_WAY,
  JN_SHEET_ARMATURE, /* as the coordinate sees it */
  JN_SHEET_ROWS
};
static inline size_t jn__sheet_numbers(int32_t nb) {
  return (size_t)((nb + JN_SHEET - 1) / JN_SHEET) * JN_SHEET_ROWS * JN_SHEET;
}

/* The structs themselves, for this variant's scalar: jn_body_d, jn_tree_d, ... */
#define NUMBER scalar
#define TREE(name) JN_S(name)
#include "tree_types.h"
#undef NUMBER
#undef TREE

#if JN_KIND != JN_KIND_D /* what freezing made, which every other tree is converted from */
#define NUMBER double
#define TREE(name) jn_##name##_d
#include "tree_types.h"
#undef NUMBER
#undef TREE
#endif

#endif
