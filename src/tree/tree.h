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
enum { JN_AXIS_OTHER, JN_AXIS_ROTATION, JN_AXIS_TRANSLATION };

/* The constants of the bodies as a structure of arrays, for sweeps that treat several bodies at once: blocks of
 * JN_CONSTANT_BODIES bodies, and in each block a row for each constant below; zero beyond the last body. A joint of one
 * coordinate turns by ANGLE_RATIO q + ANGLE_OFFSET about z, and advances by ADVANCE_RATIO q + ADVANCE_OFFSET along z.
 * For all other joints these four are zero. */
enum { JN_CONSTANT_BODIES = 8 };
enum {
  JN_CONSTANT_R = 0,        /* placement R, row-major */
  JN_CONSTANT_P = 9,        /* R^T p [m] */
  JN_CONSTANT_INERTIA = 12, /* ten numbers, as in the body */
  JN_CONSTANT_ANGLE_RATIO = 22,
  JN_CONSTANT_ADVANCE_RATIO,
  JN_CONSTANT_ANGLE_OFFSET,
  JN_CONSTANT_ADVANCE_OFFSET,
  JN_CONSTANT_ARMATURE, /* as the coordinate sees it: ratio^2 * armature */
  JN_CONSTANT_ROWS
};
/* How many numbers they are. */
static inline size_t jn__constants_size(int32_t nb) {
  return (size_t)((nb + JN_CONSTANT_BODIES - 1) / JN_CONSTANT_BODIES) * JN_CONSTANT_ROWS * JN_CONSTANT_BODIES;
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
