/* SPDX-License-Identifier: BSD-2-Clause */
/* What the formats have in common: words and names in messages, text, rotations, the order of coordinates. */
#ifndef JN_IO_COMMON_H
#define JN_IO_COMMON_H

#include <stddef.h>

#include "jounce/model.h"
#include "printable.h"

/* ---- Words and names ---- */

/* The part of a name that fits into a message, as arguments of "%.*s": at most 60 bytes, whole characters. */
#define JN_CLIP(s) jn__clip(s), (s)
enum { JN_CLIP_BYTES = 60 };
int jn__clip(const char *s);

/* Number of edits that turn a into b, ASCII case ignored; JN_CLIP_BYTES when one is longer than that. */
int jn__edit_distance(const char *a, const char *b);
/* Is word an entry of a list "one, two, three"? */
int jn__is_listed(const char *list, const char *word);
/* The nearest entry of a list, and how many edits away it is. */
int jn__nearest(const char *list, const char *word, char entry[32]);
/* A remedy for an unknown word: the nearest entry if one is near, and all of them. */
void jn__suggest(const char *list, const char *word, char *out, size_t size);

/* ---- Placements: 4x4 by rows ---- */

#define JN_IDENTITY \
  { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 }
/* Set the rotation, the position stays. R = Rz(yaw) Ry(pitch) Rx(roll); quaternion x, y, z, w of any length but 0. */
void jn__turn_rpy(double T[16], const double rpy[3]);
void jn__turn_quaternion(double T[16], const double q[4]);
void jn__rpy_of(const double T[16], double rpy[3]);

/* In the place of an inertia that cannot be read: nothing is wrong with it. */
#define JN_HARMLESS_INERTIA \
  { 1, 0, 0, 0, 1, 1, 1, 0, 0, 0 }

/* ---- Order of coordinates ---- */

/* 1 when the coordinates are in the order of the links, which is what a file gives without further words. */
int jn__order_is_default(const jn_model *m);

#endif
