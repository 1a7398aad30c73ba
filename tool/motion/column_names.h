/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of the columns that commands write, so that commands can read them. */
#ifndef JN_TOOL_MOTION_COLUMN_NAMES_H
#define JN_TOOL_MOTION_COLUMN_NAMES_H

#include <jounce/model.h>
#include <stdbool.h>
#include <stdio.h>

/* A cell of the header behind another one, in quotes when it needs them: name, ending and "[unit]" (NULL: none). */
void write_column_name(FILE *f, const char *name, const char *ending, const char *unit);

/* Can a table of this model's motion be read again? False after telling which joint's name is in the way: two columns
 * would have one name, or the reader would understand it otherwise. has_units: each name is followed by its unit. */
bool column_names_return(const jn_model *model, const char *path, bool has_units);

#endif
