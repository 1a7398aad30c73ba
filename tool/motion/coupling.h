/* SPDX-License-Identifier: BSD-2-Clause */
/* A table of motors and joints, theta = G q + zero: a row for each motor, a column for each joint, and perhaps the
 * columns `motor` (names) and `zero` (position of the motor at q = 0). Used by --coupling and --motor-positions. */
#ifndef JN_TOOL_MOTION_COUPLING_H
#define JN_TOOL_MOTION_COUPLING_H

#include <jounce/model.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct coupling {
  int motors;     /* rows */
  double *matrix; /* G [motors x nv] */
  double *zero;   /* [motors]; NULL: no such column */
  char **names;   /* [motors]; NULL: no such column */
} coupling;

/* Reads it. OPTION_GO_ON, or an exit code. Release in any case. */
int coupling_read(const char *command, const jn_model *model, const char *path, size_t max_bytes, coupling *c);
void coupling_free(coupling *c);

#endif
