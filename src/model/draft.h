/* SPDX-License-Identifier: BSD-2-Clause */
/* A model while it is being frozen: the results of the checks, so that nothing is computed twice.
 *   structure.c  names, parents, depth-first order      numbers.c   finite, rigid, axes, limits, loops
 *   coordinates.c  coupling, order of coordinates       inertia_law.c  which inertias a rigid body can have
 * All arrays are indexed by builder index unless said otherwise. */
#ifndef JN_MODEL_DRAFT_H
#define JN_MODEL_DRAFT_H

#include "builder.h"

struct jn_link_record; /* model.h */

typedef struct jn_draft {
  const jn_builder *b;
  jn_allocator a;
  jn_log log;
  void *memory; /* the block of all arrays below */
  int n;        /* links */
  int *by_name; /* [n] links sorted by name */
  int *by_joint_name;
  int *parent;                 /* [n] JN_WORLD, or JN_NONE when unknown */
  int *first;                  /* [n + 1] first child, by builder index; [n] = first root; -1 */
  int *next;                   /* [n] next sibling, -1 */
  int *order;                  /* [n] depth-first position -> builder index */
  int *rank;                   /* [n] builder index -> depth-first position */
  int *end;                    /* [n] end of the subtree, as depth-first position */
  int reached;                 /* links that are connected to the world */
  struct jn_link_record *link; /* [n] joints with axes normalised, floating base applied; strings still the builder's. A
                              block of its own, which the model takes over, sorted by depth-first position */
  const char **joint_name;     /* [n] */
  int *leader;                 /* [n] link of the joint that this one follows, JN_NONE */
  double *ratio, *offset;      /* [n] of coupled joints, 1 and 0 otherwise */
  int *q, *v;                  /* [n] first coordinates (of the leader when coupled), 0 when fixed */
  int nq, nv;
  char base_name[64]; /* of the floating base's joint */
  int floated;        /* the link that the option `floating` gave a free joint, at the identity; JN_NONE */
} jn_draft;

int jn__joint_nq(const jn_joint *joint);
int jn__joint_nv(const jn_joint *joint);

/* File positions and subjects of messages. The caller provides the buffer of a subject. */
enum { JN_SUBJECT = 160 };
jn_place jn__link_place(const jn_draft *draft, int link);
jn_place jn__joint_place(const jn_draft *draft, int link);
const char *jn__subject(char out[JN_SUBJECT], const char *what, const char *name);
/* Error about a link or its joint. */
#define jn__link_error(d, i, rule, remedy, ...)                                              \
  do {                                                                                       \
    char subject_[JN_SUBJECT];                                                               \
    jn__log(&(d)->log, JN_ERROR, JN_ERR_MODEL, rule, jn__link_place(d, i),                   \
            jn__subject(subject_, "link", (d)->b->links[i].link.name), remedy, __VA_ARGS__); \
  } while (0)
#define jn__joint_message(d, severity, i, rule, remedy, ...)                          \
  do {                                                                                \
    char subject_[JN_SUBJECT];                                                        \
    jn__log(&(d)->log, severity, JN_ERR_MODEL, rule, jn__joint_place(d, i),           \
            jn__subject(subject_, "joint", (d)->joint_name[i]), remedy, __VA_ARGS__); \
  } while (0)

/* NULL if T is a rigid displacement to 1e-6, otherwise what is wrong. */
const char *jn__placement_fault(const double T[16]);
/* Normalises an axis; returns NULL, or what is wrong with it. */
const char *jn__unit_axis(double axis[3]);

jn_status jn__check_structure(jn_draft *draft); /* JN_OK, JN_ERR_MEMORY; errors are in the log */
void jn__check_numbers(jn_draft *draft);
void jn__check_coordinates(jn_draft *draft);
void jn__check_inertia(jn_draft *draft);
int jn__draft_link(const jn_draft *draft, const char *name);  /* builder index, JN_WORLD, JN_NONE */
int jn__draft_joint(const jn_draft *draft, const char *name); /* builder index, JN_NONE */

#endif
