/* SPDX-License-Identifier: BSD-2-Clause */
/* Loading trajectories from texts and arrays, and checking the message of a faulty one. */
#ifndef JN_TESTS_TRAJECTORY_FILES_HELP_H
#define JN_TESTS_TRAJECTORY_FILES_HELP_H

#define _XOPEN_SOURCE 700
#include <unistd.h>

#include "io/table.h"
#include "motion_help.h"
#include "trajectory/trajectory.h"

/* ---- CSV ---- */

/* q = t^2 at t = 0, 0.25, ..., as `format` says; the text before the rows is `head`. */
static UNUSED const char *squares(const char *head, const char *format, const char *end, int rows) {
  static char text[4096];
  size_t used = (size_t)sprintf(text, "%s", head);
  for (int i = 0; i < rows; i++) {
    used += (size_t)sprintf(text + used, format, 0.25 * i, 0.0625 * i * i);
    used += (size_t)sprintf(text + used, "%s", end);
  }
  return text;
}

#endif
