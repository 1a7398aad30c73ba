/* SPDX-License-Identifier: BSD-2-Clause */
#include "nearest_name.h"

#include <stdio.h>
#include <string.h>

#include "words.h"

/* Edits between them, where a part of a name counts as near: its beginning as one edit, its middle or end as two. */
static int distance_of(const char *word, int length, const char *name) {
  int distance = jn__edit_distance(word, name);
  if (length > 1 && distance > 1 && strncmp(name, word, (size_t)length) == 0) distance = 1;
  if (length > 2 && distance > 2 && strstr(name, word)) distance = 2;
  return distance;
}

const char *jn__nearest_name(const char *word, int count, jn_name_at *name_at, const void *context) {
  const char *nearest = NULL;
  int length = jn__clip(word), least = length / 3 + 2; /* names with fewer edits than this are suggested */
  if (word[length]) return NULL;                       /* too long to compare */
  if (least > length) least = length;
  for (int i = 0; i < count && count <= JN_NEAREST_MAX; i++) {
    const char *name = name_at(context, i);
    int distance = name ? distance_of(word, length, name) : JN_CLIP_BYTES;
    if (distance >= least) continue;
    least = distance;
    nearest = name;
  }
  return nearest;
}

int jn__did_you_mean(const char *word, int count, jn_name_at *name_at, const void *context, char *remedy, size_t size) {
  const char *near = jn__nearest_name(word, count, name_at, context);
  if (near) snprintf(remedy, size, "did you mean '%.*s'?", JN_CLIP(near));
  return near != NULL;
}
