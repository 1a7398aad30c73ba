/* SPDX-License-Identifier: BSD-2-Clause */
/* Keyframes of an MJCF model as states: key:NAME wherever a state is taken. */
#ifndef JN_TOOL_MODEL_KEYFRAME_H
#define JN_TOOL_MODEL_KEYFRAME_H

#include <jounce/model.h>
#include <stdbool.h>

struct model_arg;

/* Does the name of a state name a keyframe? */
bool names_keyframe(const char *state);
/* The keyframe key:NAME or key:NUMBER (from 0) of the file of MODEL into q [nq] and v [nv]. OPTION_GO_ON, or an exit
 * code after a message. */
int keyframe_read(const struct model_arg *model, const char *state, double *q, double *v);
/* Calls `show` for the name of each keyframe; those without a name have their number. */
void keyframe_list(const struct model_arg *model, void (*show)(void *context, const char *name), void *context);

#endif
