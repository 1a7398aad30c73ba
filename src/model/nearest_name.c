/* SPDX-License-Identifier: BSD-2-Clause */
#include "nearest_name.h"

#include <stdio.h>

#include "../text/words.h"

const char *jn__nearest_name(const char *word, int count, jn_name_at *name_at, const void *context) {
  const char *best = NULL;
  int length = jn__clip(word), least = length / 3 + 2; /* names with fewer edits than this are suggested */
  if (least > length) least = length;
  for (int i = 0; i < count && count <= JN_NEAREST_MAX; i++) {
    const char *name = name_at(context, i);
    int distance = name ? jn__edit_distance(word, name) : JN_CLIP_BYTES;
    if (distance >= least) continue;
    least = distance;
    best = name;
  }
  return best;
}

int jn__did_you_mean(const char *word, int count, jn_name_at *name_at, const void *context, char *remedy, size_t size) {
  const char *near = jn__nearest_name(word, count, name_at, context);
  if (near) snprintf(remedy, size, "did you mean '%.*s'?", JN_CLIP(near));
  return near != NULL;
}
