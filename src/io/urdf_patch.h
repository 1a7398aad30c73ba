/* SPDX-License-Identifier: BSD-2-Clause */
/* Changes to an XML text that leave all other bytes as they are. Changes are collected and applied at the end; ranges
 * always mean the text as it was. */
#ifndef JN_IO_URDF_PATCH_H
#define JN_IO_URDF_PATCH_H

#include "urdf.h"

typedef struct jn_patch_edit {
  size_t start, end; /* these bytes */
  size_t with, size; /*   become these of the pool */
  int order;         /* of edits that begin at one place */
} jn_patch_edit;

typedef struct jn_patch {
  const char *text;
  size_t length;
  jn_text pool; /* all new texts */
  jn_patch_edit *edits;
  int count, capacity;
  int failed; /* no memory */
} jn_patch;

void jn__patch_init(jn_patch *p, const jn_allocator *a, const char *text, size_t length);
void jn__patch_free(jn_patch *p);
/* Bytes [start, end) become `with`. */
void jn__patch_replace(jn_patch *p, size_t start, size_t end, const char *with);
/* Appends the changed text to out. 0 when edits overlap, which would be a fault of the caller, or without memory. */
int jn__patch_apply(jn_patch *p, jn_text *out);

/* ---- Attributes of a start tag ---- */

/* Where the value of an attribute is, between its quotes; 0 when it is not there. */
int jn__patch_find(const jn_patch *p, const jn_urdf_range *tag, const char *name, size_t *start, size_t *end);
/* The value of an attribute of one number, or `absent`; NaN when it is something else. */
double jn__patch_number(const jn_patch *p, const jn_urdf_range *tag, const char *name, double absent);
/* n numbers that differ from x by more than tolerance[i] are replaced one by one; those that agree stay as they are
 * written. `absent` [n]: what a missing attribute means. NULL tolerance: 0. */
void jn__patch_set_numbers(jn_patch *p, const jn_urdf_range *tag, const char *name, const double *x, int n,
                           const double *absent, const double *tolerance);
/* The value becomes this text, which is escaped already. */
void jn__patch_set_text(jn_patch *p, const jn_urdf_range *tag, const char *name, const char *value);
void jn__patch_drop_attribute(jn_patch *p, const jn_urdf_range *tag, const char *name);

/* ---- Elements ---- */

/* The element and the blank line that would be left. */
void jn__patch_drop(jn_patch *p, const jn_urdf_range *element);
/* New children at the end of an element. `xml` is lines that are indented by `indent` blanks; they get the indentation
 * of the element's own children. `name` is that of the element, to close one that was empty. */
void jn__patch_add(jn_patch *p, const jn_urdf_range *element, const char *name, const char *xml, int indent);

#endif
