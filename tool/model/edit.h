/* SPDX-License-Identifier: BSD-2-Clause */
/* Changes of MODEL after it is read, with the same options in every command: jounce/edit.h on the command line. */
#ifndef JN_TOOL_MODEL_EDIT_H
#define JN_TOOL_MODEL_EDIT_H

#include <jounce/edit.h>
#include <stdbool.h>

#include "../options/options.h"

typedef struct model_edits {
  name_list attach;      /* "FILE,frame=NAME,prefix=TEXT,xyz=X:Y:Z,rpy=R:P:Y", in this order of application */
  name_list lock;        /* "NAME=VALUE,NAME=VALUE:VALUE,..." */
  name_list lock_others; /* joints that keep moving */
  const char *root;
  const char *subtree;
  int lump;
  int split;
  int floating; /* --floating is given: for messages */
} model_edits;

/* Their options, in the order in which they are applied. */
extern const option model_edit_options[];
void model_edits_free(model_edits *edits);
/* How many edits there are. */
int model_edit_count(const model_edits *edits);
/* The file of attachment i, a new text. */
char *model_edit_file(const model_edits *edits, int i);
/* Is the file one of those that are attached? */
bool model_edit_reads(const model_edits *edits, const char *path);

/* Replaces *model by the edited one: attached robots first, then locked joints, the base, the subtree, merged links,
 * split joints. `options` are those of the model; floating and joint_order are for the last edit. OPTION_GO_ON;
 * EXIT_USAGE after reporting a mistake on the command line; EXIT_BAD with the reason in the report and in *error. */
int model_edit_apply(const char *command, const model_edits *edits, const jn_options *options, jn_model **model,
                     jn_error *error);

#endif
