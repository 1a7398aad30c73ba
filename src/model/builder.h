/* SPDX-License-Identifier: BSD-2-Clause */
/* The builder's data, shared by the builder, the freezer, and the readers of robot files. */
#ifndef JN_MODEL_BUILDER_H
#define JN_MODEL_BUILDER_H

#include "jounce/model.h"
#include "log.h"
#include "memory.h"

typedef struct jn_link_item {
  jn_link link;                 /* strings owned by the builder */
  int line, column;             /* of the link in its file, 0 if none */
  int joint_line, joint_column; /* of the joint */
} jn_link_item;

typedef struct jn_frame_item {
  char *name;
  char *link;
  double placement[16];
  int line, column;
} jn_frame_item;

typedef struct jn_loop_item {
  jn_loop loop; /* strings owned by the builder */
  int line, column;
  int beside; /* 1: read from options.loops, not from the model's file */
} jn_loop_item;

/* A keyframe of an MJCF file to look for, as a state of a model; `count` becomes how many there are. */
typedef struct jn_keyframe_request {
  const jn_model *model;
  int index, count;
  char *name;    /* [JN_KEYFRAME_NAME] */
  double *q, *v; /* [nq], [nv] */
} jn_keyframe_request;

struct jn_builder {
  jn_allocator allocator;
  jn_options options; /* joint_order, gravity and loops point to copies owned by the builder */
  double option_gravity[3];
  int *kept_order; /* links of a thawed model in the order of their coordinates; NULL: none */
  int kept_count;
  char *name;
  char *file; /* of the last source read, or NULL */
  double gravity[3];
  jn_log log; /* messages from reading; freezing starts with its first error */
  jn_link_item *links;
  int link_count, link_capacity;
  jn_frame_item *frames;
  int frame_count, frame_capacity;
  jn_loop_item *loops;
  int loop_count, loop_capacity;
  jn_keyframe_request *keyframe; /* NULL: none is asked for */
};

/* Memory for so many more links, and no more: a reader that knows their number spares what growing would take. */
jn_status jn__builder_reserve(jn_builder *builder, int links);

/* Index of a link in the builder by name; JN_WORLD for NULL and "world" (unless a link has that name), JN_NONE. */
int jn__builder_link(const jn_builder *builder, const char *name);
/* Readers call this after adding a link, frame or loop to record its position in the file. */
void jn__builder_place_link(jn_builder *builder, int line, int column, int joint_line, int joint_column);
void jn__builder_place_frame(jn_builder *builder, int line, int column);
void jn__builder_place_loop(jn_builder *builder, int line, int column);
/* Remove all loops, all frames, or the links with drop[i] != 0 (the others keep their order and that of their
 * coordinates). */
void jn__builder_drop_loops(jn_builder *builder);
void jn__builder_drop_frames(jn_builder *builder);
void jn__builder_drop_links(jn_builder *builder, const unsigned char *drop);
/* The file of a loop, for messages. */
const char *jn__builder_loop_file(const jn_builder *builder, const jn_loop_item *item);
/* Use `file` as the file name in messages. */
jn_status jn__builder_set_file(jn_builder *builder, const char *file);

#endif
