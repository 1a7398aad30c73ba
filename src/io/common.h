/* SPDX-License-Identifier: BSD-2-Clause */
/* What the formats have in common: words and printable text, rotations, the order of coordinates. */
#ifndef JN_IO_COMMON_H
#define JN_IO_COMMON_H

#include "../text/printable.h"
#include "../text/words.h"
#include "jounce/model.h"

/* ---- Placements: 4x4 by rows ---- */

#define JN_IDENTITY \
  { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 }
/* Set the rotation, the position stays. R = Rz(yaw) Ry(pitch) Rx(roll); quaternion x, y, z, w of any length but 0. */
void jn__turn_rpy(double T[16], const double rpy[3]);
void jn__turn_quaternion(double T[16], const double q[4]);
void jn__rpy_of(const double T[16], double rpy[3]);
/* tensor <- R tensor R^T, order (xx, yy, zz, xy, xz, yz); R is the rotation of a placement. */
void jn__turn_tensor(const double R[16], double tensor[6]);

/* Replaces an inertia that cannot be read: it passes all checks. */
#define JN_HARMLESS_INERTIA \
  { 1, 0, 0, 0, 1, 1, 1, 0, 0, 0 }

/* ---- Order of coordinates ---- */

/* 1 when the coordinates are in the order of the links, which is the default order of a file. */
int jn__order_is_default(const jn_model *m);

#endif
