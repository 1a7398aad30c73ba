/* SPDX-License-Identifier: BSD-2-Clause */
/* The robot as the generator sees it: a tree of parts with frames that make most constants 0 or 1.
 *
 * A part is a body of the frozen tree (src/tree/tree.h) with one coordinate, a ball joint or a free joint. A joint of
 * several screws exp(X1 q1) ... exp(Xn qn) becomes n parts, all but the last without inertia.
 *
 * Frames are chosen as by Denavit and Hartenberg: the frame of a part may be turned about and shifted along its own
 * axis z, because both commute with the joint's motion. So the pose of a part in its parent is
 *   T = [Rz(a) Rx(alpha), p] Rz(x) Tz(y),   x = ratio q + offset (revolute), y likewise (prismatic), y = pitch x
 * (helical) with a = 0 for one child of each part, and p with zeros where the shift allows it. Ball and free joints
 * keep their frames: T = [Rz(a) Rx(alpha) Rz(b), p] [R(quaternion), position]. */
#ifndef JN_GENERATE_MECHANISM_H
#define JN_GENERATE_MECHANISM_H

#include "../model/model.h"

/* A rotation in a coordinate plane by a constant angle. */
typedef struct jn_plane_turn {
  double c, s;
} jn_plane_turn;

/* Ten inertial parameters in a frame: mass, first moments, second moments (xx, yy, zz, xy, xz, yz) of mass about the
 * origin. The inertia tensor is trace(second) E - second. */
typedef struct jn_moments {
  double mass, first[3], second[6];
} jn_moments;

typedef struct jn_part {
  int32_t parent; /* part, or -1 */
  int32_t kind;   /* JN_BODY_..., never GENERAL */
  int32_t iq, iv; /* first coordinate */
  int32_t nv;
  int32_t body;  /* of the tree, -1 for all but the last part of a joint of several screws */
  int32_t child; /* the child whose placement needs no rotation about this part's axis; -1: none */
  double ratio, pitch;
  double offset;                 /* of the angle x, with what the placement turns about z */
  double slide;                  /* of the advance y: as the model has it */
  double armature[6];            /* as the coordinates see it */
  jn_plane_turn turn[3];         /* placement: about z, then x, then z (the last one only for ball and free joints) */
  double p[3];                   /* origin at x = y = 0, in the parent */
  double frame_R[9], frame_p[3]; /* pose of the body's internal frame in the part */
  jn_moments moments;
  jn_moments own; /* before regrouping */
} jn_part;

typedef struct jn_mechanism {
  const jn_model *model;
  const jn_tree_d *tree;
  jn_allocator allocator;
  jn_part *part;
  int32_t *part_of_body; /* [tree->nb] */
  int32_t count;
  int32_t snapped;  /* constant angles that were set to multiples of a quarter turn */
  int32_t snapable; /* constant angles that --snap 1e-3 would set */
} jn_mechanism;

/* Parts of a model; angles of placements within `snap` radians of a quarter turn are set to it. 0: out of memory. */
int jn__mechanism_create(jn_mechanism *m, const jn_model *model, double snap, int regroup);
void jn__mechanism_free(jn_mechanism *m);

/* Moments as seen from another frame, whose pose in the first one's coordinates is: x_new = R x + p. */
jn_moments jn__moments_move(const jn_moments *m, const double R[9], const double p[3]);
/* From the ten parameters of the library, tensor about the origin. */
jn_moments jn__moments_of(const double inertia[10]);
/* The rotation of a part's placement, row-major. */
void jn__placement_rotation(const jn_part *part, double R[9]);

#endif
