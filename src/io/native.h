/* SPDX-License-Identifier: BSD-2-Clause */
/* What the reader and the writer of native model files share, and the walk over the text that finds places in it. */
#ifndef JN_IO_NATIVE_H
#define JN_IO_NATIVE_H

#include "jounce/model.h"

enum {
  JN_KEY_AXIS = 1,
  JN_KEY_AXIS2 = 2,
  JN_KEY_AXIS3 = 4,
  JN_KEY_POINT = 8,
  JN_KEY_PITCH = 16,
  JN_KEY_SCREWS = 32,
  JN_KEY_MOTION = 64, /* limits, armature, damping, friction, stiffness, rest */
  JN_KEY_MIMIC = 128,
  JN_KEY_DISTANCE = 256,
  JN_KEY_MASK = 512,
  JN_KEY_SIDES = 1024, /* a, b */
  JN_KEY_TERMS = 2048  /* terms, offset */
};

unsigned jn__joint_keys(jn_joint_type type); /* native_write.c */
unsigned jn__loop_keys(jn_loop_type type);   /* native_write.c */

/* Names of the bits of jn_loop.mask, lowest first. */
#define JN_MASK_NAMES \
  { "rx", "ry", "rz", "x", "y", "z" }

/* The fields of jn_dof: key, value that means "none". */
#define JN_LIMIT_LIST(X)    \
  X(lower, -INFINITY)       \
  X(upper, INFINITY)        \
  X(velocity, INFINITY)     \
  X(acceleration, INFINITY) \
  X(jerk, INFINITY)         \
  X(effort, INFINITY)       \
  X(effort_rate, INFINITY)
#define JN_MECHANICS_LIST(X) \
  X(armature, 0)             \
  X(damping, 0)              \
  X(friction, 0)             \
  X(stiffness, 0)            \
  X(rest, 0)

/* ---- native_scan.c ---- */

/* A position in JSON text that is known to be valid; p is NULL if the position is unknown. Functions take `end`, the
 * end of the text, and return a position with p NULL if they find nothing. */
typedef struct jn_scan {
  const char *p;
  const char *counted; /* as far as columns are counted, on the same line */
  int line;
  int column; /* of `counted` */
} jn_scan;

jn_scan jn__scan_start(const char *text, const char *end); /* the first value */
/* From an object to the value of a member; *key_at gets the place of its key, or of the object. */
jn_scan jn__scan_member(jn_scan object, const char *end, const char *key, jn_scan *key_at);
/* From the start of an array, or from what follows an element, to the next element. */
jn_scan jn__scan_element(jn_scan at, const char *end);
/* From a value to the comma or bracket that follows it. */
jn_scan jn__scan_past(jn_scan at, const char *end);
/* In characters, from 1; 0 if not known. Continues from the position of the last call, so that asking at every step
 * along one long line takes time in proportion to its length. */
int jn__scan_column(jn_scan *at);

#endif
