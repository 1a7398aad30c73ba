/* SPDX-License-Identifier: BSD-2-Clause */
/* What a URDF file says, between the XML walk (urdf_xml.c) and the check of the tree (urdf_read.c). */
#ifndef JN_IO_URDF_H
#define JN_IO_URDF_H

#include "common.h"
#include "io.h"

/* The elements that are read. Those of links, joints, constraints and transmissions stand together. */
typedef enum jn_urdf_element {
  JN_AT_SKIPPED,
  JN_AT_ROBOT,
  JN_AT_LINK,
  JN_AT_INERTIAL,
  JN_AT_INERTIAL_ORIGIN,
  JN_AT_MASS,
  JN_AT_INERTIA,
  JN_AT_JOINT,
  JN_AT_ORIGIN,
  JN_AT_PARENT,
  JN_AT_CHILD,
  JN_AT_AXIS,
  JN_AT_LIMIT,
  JN_AT_DYNAMICS,
  JN_AT_MIMIC,
  JN_AT_CONSTRAINT,
  JN_AT_PARENT_ORIGIN,
  JN_AT_PARENT_AXIS,
  JN_AT_CHILD_ORIGIN,
  JN_AT_CHILD_AXIS,
  JN_AT_DISTANCE,
  JN_AT_MASK,
  JN_AT_TERM,
  JN_AT_OFFSET,
  JN_AT_CONTROL, /* <ros2_control>, which has transmissions too */
  JN_AT_TRANSMISSION,
  JN_AT_DRIVEN, /* <joint> in a transmission */
  JN_AT_ACTUATOR,
  JN_AT_REDUCTION,
  JN_AT_MOTOR_INERTIA,
  JN_AT_ELEMENTS
} jn_urdf_element;

/* Where an element is in the text, in bytes: its start tag is [start, tag), all of it [start, end). end 0: it is not
 * there. */
typedef struct jn_urdf_range {
  size_t start, tag, end;
} jn_urdf_range;

/* Where the elements of a link, joint or constraint are; only collected for jn_urdf.keep_places. */
typedef struct jn_urdf_places {
  jn_urdf_range at[JN_AT_ELEMENTS];
  double inertial[16]; /* <origin> of <inertial> */
} jn_urdf_places;

typedef struct jn_urdf_link {
  char *name; /* NULL when missing, which is reported */
  int line, column;
  int has_inertial;
  int has_geometry; /* <visual> or <collision> */
  int is_world;     /* marked by our writer: stands for the world, it is not a link of the model */
  int joint;        /* the joint that carries it, -1 for none */
  double inertia[10];
  jn_urdf_places *places; /* or NULL */
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
  int has_armature;            /* <dynamics armature> is there, which goes before what transmissions say */
  int parent_link, child_link; /* set by the check of the tree */
  jn_urdf_places *places;      /* or NULL */
} jn_urdf_joint;

/* A loop. */
typedef struct jn_urdf_constraint {
  jn_loop loop; /* name, links and joints are owned */
  int line, column;
  int has_axis, has_child_axis;
  double child_axis[3];
  jn_urdf_places *places; /* or NULL */
} jn_urdf_constraint;

/* What a transmission with one joint says of its motors. */
typedef struct jn_urdf_motor {
  char *name, *joint;
  int line, column;
  int joints, actuators; /* in the transmission */
  int reductions;        /* how many places give one: one is clear */
  int has_inertia;       /* how many actuators have one */
  double reduction;      /* motor turns for one of the joint */
  double inertia;        /* of the rotors, summed [kg m^2] */
} jn_urdf_motor;

/* Names in order, for looking them up. */
typedef struct jn_urdf_entry {
  const char *name;
  int index, line, column;
} jn_urdf_entry;

typedef struct jn_urdf_index {
  jn_urdf_entry *entries;
  int count;
} jn_urdf_index;

enum { JN_URDF_MESSAGES = 100, JN_URDF_FOREIGN = 16 }; /* logged of one file; attributes of others noted */

typedef struct jn_urdf {
  jn_builder *builder;
  jn_urdf_link *links;
  int link_count, link_capacity;
  jn_urdf_joint *joints;
  int joint_count, joint_capacity;
  int moving_count; /* joints that are not fixed */
  jn_urdf_constraint *constraints;
  int constraint_count, constraint_capacity;
  jn_urdf_motor *motors;
  int motor_count, motor_capacity;
  jn_urdf_index link_names, joint_names; /* set by the check of the tree */
  double version;                        /* of <robot version>, 1 unless it says another */
  int keep_places;                       /* collect where the elements are in the text */
  jn_urdf_range robot;                   /* then: the root element, */
  size_t robot_close;                    /*   and where its end tag begins */
  int incomplete;                        /* a name, parent or child is missing, so that the tree cannot be checked */
  int message_count;                     /* logged so far */
  /* Macro calls and properties that xacro left behind: how many, and the first one. */
  int xacro_count, xacro_line, xacro_column;
  char xacro_name[64];
  char foreign[JN_URDF_FOREIGN][64]; /* "element attribute": unknown ones, each noted once */
  int foreign_count;
} jn_urdf;

/* jn__log() with a limit on the number of messages, so that a hostile file cannot flood the report. */
void jn__urdf_log(jn_urdf *u, jn_severity severity, jn_status status, const char *rule, int line, int column,
                  const char *subject, const char *remedy, const char *format, ...)
    __attribute__((format(printf, 9, 10)));

/* Walk the XML text and collect its links and joints. JN_OK means that the walk reached the end of the file, perhaps
 * with errors in the log. */
jn_status jn__urdf_parse(jn_urdf *u, const char *text, size_t length); /* urdf_xml.c */

/* The walk and the check of the tree, without the builder; *root is the link that hangs on nothing, -1 after a fault.
 * urdf_read.c */
jn_status jn__urdf_collect(jn_urdf *u, const char *text, size_t length, int *root);
void jn__urdf_release(jn_urdf *u);
/* The loop of a constraint, and its kind by name: also "fixed", "continuous" and "ball". urdf_constraint.c */
jn_status jn__urdf_add_constraints(jn_urdf *u);
/* The inertia of motors becomes armature, when options.transmissions asks for it. urdf_transmission.c */
void jn__urdf_add_motors(jn_urdf *u);
/* The first item of this name, or -1. urdf_read.c */
int jn__urdf_find(const jn_urdf_index *index, const char *name);

#endif
