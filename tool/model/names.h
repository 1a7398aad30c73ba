/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of a model on the command line: found, or reported with the one that was likely meant. */
#ifndef JN_TOOL_MODEL_NAMES_H
#define JN_TOOL_MODEL_NAMES_H

#include <jounce/model.h>
#include <stdbool.h>

#include "../options/options.h"

/* The link or frame of an option. OPTION_GO_ON, or an exit code after reporting what there is. */
int find_frame(const char *command, const char *where, const jn_model *model, const char *name, int *frame);
/* Does the model have the link that an option names? A frame is told apart. */
int check_link(const char *command, const char *where, const jn_model *model, const char *name);
/* The joint of an option, which must have coordinates. */
int find_joint(const char *command, const char *where, const jn_model *model, const char *name, int *joint);
/* Which velocity coordinates the names and patterns of --joints mean, a new array [nv]; NULL when there are none. */
int choose_joints(const char *command, const jn_model *model, const name_list *names, unsigned char **chosen);

/* Is it the name, or does it match the pattern, which has * ? or [ in it? */
bool name_matches(const char *pattern, const char *name);

#endif
