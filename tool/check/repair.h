/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce check --repair: what changed and by how much, and the file with the repaired model. */
#ifndef JN_TOOL_CHECK_REPAIR_H
#define JN_TOOL_CHECK_REPAIR_H

#include <stdbool.h>

#include "../model/argument.h"

typedef struct repair {
  const model_arg *arg;
  jn_model *model;   /* repaired; NULL when there is none to repair */
  jn_report *report; /* links that have no nearest body */
} repair;

/* OPTION_GO_ON, or EXIT_USAGE after reporting that the file says no format or is one that was read. */
int repair_allowed(const model_arg *arg, const char *out);
/* The model of arg with repaired inertias; release with repair_end(). */
void repair_begin(repair *r, const model_arg *arg);
void repair_end(repair *r);
/* The table of what changed, for people and for programs (an array "repaired"). */
void repair_text(const repair *r);
void repair_json(json_writer *j, const repair *r);
/* False after reporting why it cannot be written. */
bool repair_write(const repair *r, const char *out);

#endif
