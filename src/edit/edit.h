/* SPDX-License-Identifier: BSD-2-Clause */
/* From a model to another: the builder of the new one, which starts as jn_model_thaw() makes it and is changed, and
 * what the edits share: joints that are held, links that are gone, and loops that follow both. */
#ifndef JN_EDIT_EDIT_H
#define JN_EDIT_EDIT_H

#include "../model/convert.h"
#include "../model/draft.h"
#include "../model/model.h"
#include "jounce/edit.h"

typedef struct jn_edit {
  const jn_model *model;
  jn_builder *builder; /* of the new model, links in the order of the model */
  jn_allocator a;
  jn_report *report;      /* the caller's, or NULL */
  jn_report *known;       /* what freezing finds in the model as it was */
  jn_report *found;       /* and in the new one: the report gets what is new */
  jn_report *known_other; /* and in the robot that is attached, NULL: none; names there lack the prefix: */
  const char *prefix;
  jn_log log;          /* what the edit itself has to say */
  double *q;           /* [nq] where joints are held */
  unsigned char *held; /* [L] 1: the joint no longer moves */
  unsigned char *gone; /* [L] 1: the link is no longer there; what was fixed to it is now at: */
  int *target;         /* [L] the link that takes its place (itself, or another, or JN_WORLD) */
  double *at;          /* [L x 16] its pose in that */
  int open_is_fine;    /* 1: a loop that no longer moves is left out even if it is open */
} jn_edit;

/* Sets everything up: nothing held, nothing gone, q neutral when it is NULL. On error there is nothing to release. */
jn_status jn__edit_begin(jn_edit *edit, const jn_model *model, const double *q, const jn_options *options,
                         jn_model **copy, jn_error *error);
/* What is wrong with `other` and known, under names with a prefix: e->known_other. JN_OK, JN_ERR_MEMORY. */
jn_status jn__edit_know(jn_edit *edit, const jn_model *other, const char *prefix);
/* Freezes the builder unless `status` or the log says no, and releases everything. */
jn_status jn__edit_end(jn_edit *edit, jn_status status, jn_model **copy, jn_error *error);

/* A message about a link, joint, frame or loop. */
#define jn__edit_say(e, severity, status, rule, what, name, remedy, ...)                                          \
  do {                                                                                                            \
    char subject_[JN_SUBJECT];                                                                                    \
    jn__log(&(e)->log, severity, status, rule, (jn_place){NULL, 0, 0}, jn__subject(subject_, what, name), remedy, \
            __VA_ARGS__);                                                                                         \
  } while (0)

/* Index of a joint, or of a link or frame, of the model; JN_NONE after saying that there is none, with the nearest
 * name. A link or frame may be JN_WORLD. */
int jn__edit_joint(jn_edit *edit, const char *name);
int jn__edit_link(jn_edit *edit, const char *name);
int jn__edit_frame(jn_edit *edit, const char *name);

/* Pose of a link in its parent, and in the world, at e->q. */
pose jn__edit_pose(const jn_edit *edit, int link);
pose jn__edit_world_pose(const jn_edit *edit, int link);

/* Marks the followers of held joints as held too; then makes all held joints of the builder fixed ones. Says which
 * followers were not asked for. */
void jn__edit_hold(jn_edit *edit);
/* Puts another text into the builder. */
jn_status jn__edit_text(const jn_edit *edit, const char **place, const char *text);
/* Frames and loops of the builder anew, from those of the model: moved to the target of their link, couplings without
 * the coordinates that are held, without loops that no longer move. Links that are gone leave the builder. */
jn_status jn__edit_move_frames(jn_edit *edit);
jn_status jn__edit_move_loops(jn_edit *edit);
void jn__edit_drop_links(jn_edit *edit);

#endif
