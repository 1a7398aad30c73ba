/* SPDX-License-Identifier: BSD-2-Clause */
/* What a URDF file says, between the XML walk (urdf_xml.c) and the check of the tree (urdf_read.c). */
#ifndef JN_IO_URDF_H
#define JN_IO_URDF_H

#include "common.h"
#include "io.h"

typedef struct jn_urdf_link {
  char *name; /* NULL when missing, which is reported */
  int line, column;
  int has_inertial;
  int has_geometry; /* <visual> or <collision> */
  int is_world;     /* marked by our writer: stands for the world, it is not a link of the model */
  int joint;        /* the joint that carries it, -1 for none */
  double inertia[10];
} jn_urdf_link;

typedef struct jn_urdf_joint {
  char *name, *parent, *child; /* NULL when missing, which is reported */
  char *mimic;                 /* or NULL */
  int line, column;
  int parent_line, parent_column, child_line, child_column;
  jn_joint_type type;
  int type_unknown; /* which is reported; type is a stand-in */
  double placement[16];
  double axis[3];
  double mimic_ratio, mimic_offset;
  jn_dof dof;                  /* of every coordinate */
  int parent_link, child_link; /* set by the check of the tree */
} jn_urdf_joint;

typedef struct jn_urdf {
  jn_builder *builder;
  jn_urdf_link *links;
  int link_count, link_capacity;
  jn_urdf_joint *joints;
  int joint_count, joint_capacity;
  int incomplete;    /* a name, parent or child is missing, so that the tree cannot be checked */
  int message_count; /* logged so far */
  /* Macro calls and properties that xacro left behind: how many, and the first one. */
  int xacro_count, xacro_line, xacro_column;
  char xacro_name[64];
} jn_urdf;

/* jn__log() with a limit on the number of messages, so that a hostile file cannot flood the report. */
void jn__urdf_log(jn_urdf *u, jn_severity severity, jn_status status, const char *rule, int line, int column,
                  const char *subject, const char *remedy, const char *format, ...)
    __attribute__((format(printf, 9, 10)));

/* Walk the XML text and collect its links and joints. JN_OK means that the walk reached the end of the file, perhaps
 * with errors in the log. */
jn_status jn__urdf_parse(jn_urdf *u, const char *text, size_t length); /* urdf_xml.c */

#endif
