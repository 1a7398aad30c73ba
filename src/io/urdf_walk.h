/* SPDX-License-Identifier: BSD-2-Clause */
/* The walk over the XML text of a URDF file, and what the readers of its elements need of it: urdf_xml.c has the walk,
 * links and joints, urdf_constraint.c the loops, urdf_transmission.c the motors. */
#ifndef JN_IO_URDF_WALK_H
#define JN_IO_URDF_WALK_H

#include <expat.h>

#include "urdf.h"

enum { JN_URDF_PATH = 6, JN_URDF_CONTENT = 64 };

typedef struct jn_walk {
  jn_urdf *u;
  XML_Parser parser;
  jn_status stopped; /* JN_OK until something ended the walk; that is then in the log */
  int depth;
  int skipped; /* open elements that are skipped */
  jn_urdf_element path[JN_URDF_PATH];
  int seen[JN_AT_ELEMENTS]; /* line of the first one inside the current link, joint or constraint */
  const char *name;         /* of the current element */
  const XML_Char **values;  /* its attributes: name, value, ..., NULL */
  char subject[96];         /* "link 'base'" */
  int line, column;         /* of the current <inertial>, whose content follows */
  double mass, placement[16], tensor[6];
  int unreadable;                /* the mass or a moment of it */
  char content[JN_URDF_CONTENT]; /* text of the current <mechanicalReduction> and its like */
  size_t content_length;
} jn_walk;

int jn__walk_line(const jn_walk *w);
int jn__walk_column(const jn_walk *w);

/* A message at the current element. */
#define JN_WALK_SAY(w, severity, status, rule, remedy, ...) \
  jn__urdf_log((w)->u, severity, status, rule, jn__walk_line(w), jn__walk_column(w), (w)->subject, remedy, __VA_ARGS__)

void jn__walk_stop(jn_walk *w, jn_status status);
void jn__walk_no_memory(jn_walk *w);
/* May there be one link, joint or constraint more? 0 after telling that the file has too many, and stopping. */
int jn__walk_fits(jn_walk *w);
void jn__walk_xacro(jn_walk *w, const char *what); /* stops: this is a xacro source */
/* What messages are about: "link 'base'", or "element <link>" when name is NULL. */
void jn__walk_subject(jn_walk *w, const char *what, const char *name);

/* The value of an attribute of the current element, or NULL; the same after a message when it must be there. */
const char *jn__walk_attribute(jn_walk *w, const char *name);
const char *jn__walk_needed(jn_walk *w, const char *name);
/* A copy of a text that must be there and not empty; NULL after a message. The second for names without which the tree
 * cannot be judged. */
char *jn__walk_needed_text(jn_walk *w, const char *name);
char *jn__walk_needed_name(jn_walk *w, const char *name);
/* Reads exactly n numbers separated by blanks. Returns what is wrong, or NULL. */
const char *jn__walk_read_numbers(const char *text, double *out, int n, int infinite_allowed);
/* An attribute with n numbers. 1: read into out; 0: absent; -1: wrong, which is reported. Then out is as it was. */
int jn__walk_numbers(jn_walk *w, const char *name, double *out, int n, int infinite_allowed);
int jn__walk_number(jn_walk *w, const char *name, double *out);
int jn__walk_needed_number(jn_walk *w, const char *name, double *out);
/* A direction of any length but 0 from attribute xyz, which must be there; 1, or 0 after a message. */
int jn__walk_axis(jn_walk *w, double axis[3]);
/* <origin xyz rpy>; URDF 1.1 has quat_xyzw in place of rpy. */
void jn__walk_origin(jn_walk *w, double T[16]);

/* Warnings about names that are nearly known ones, notes about other attributes. urdf_names.c */
void jn__walk_check_attributes(jn_walk *w);
void jn__walk_check_skipped(jn_walk *w, jn_urdf_element inside);

/* ---- Readers of elements; what they collect is in w->u ---- */

void jn__walk_constraint(jn_walk *w); /* urdf_constraint.c */
void jn__walk_constraint_parent(jn_walk *w);
void jn__walk_constraint_child(jn_walk *w);
void jn__walk_constraint_parent_origin(jn_walk *w);
void jn__walk_constraint_child_origin(jn_walk *w);
void jn__walk_constraint_parent_axis(jn_walk *w);
void jn__walk_constraint_child_axis(jn_walk *w);
void jn__walk_constraint_distance(jn_walk *w);
void jn__walk_constraint_mask(jn_walk *w);
void jn__walk_constraint_term(jn_walk *w);
void jn__walk_constraint_offset(jn_walk *w);
void jn__walk_constraint_end(jn_walk *w);

void jn__walk_transmission(jn_walk *w); /* urdf_transmission.c */
void jn__walk_driven(jn_walk *w);
void jn__walk_actuator(jn_walk *w);
void jn__walk_gear(jn_walk *w);                           /* begins <mechanicalReduction> or the inertia of a motor, */
void jn__walk_gear_end(jn_walk *w, jn_urdf_element kind); /* whose content ends here */

#endif
