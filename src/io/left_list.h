/* SPDX-License-Identifier: BSD-2-Clause */
/* A list of what a file has that is no part of a model, as "12 <visual>, 4 sensors, 3 comments". */
#ifndef JN_IO_LEFT_LIST_H
#define JN_IO_LEFT_LIST_H

#include <stddef.h>

enum { JN_LEFT_KINDS = 16, JN_LEFT_NAME = 32, JN_LEFT_TEXT = 480 };

typedef struct jn_left_list {
  struct {
    char name[JN_LEFT_NAME];
    int element; /* 1: the name is that of an element */
    int count;
  } kinds[JN_LEFT_KINDS];
  int kind_count, others, comments;
} jn_left_list;

/* Counts one element, or one thing with a name in plain words. */
void jn__left_element(jn_left_list *l, const char *name);
void jn__left_thing(jn_left_list *l, const char *name);
/* "" when there is nothing. */
void jn__left_print(const jn_left_list *l, char *out, size_t size);

#endif
