/* SPDX-License-Identifier: BSD-2-Clause */
#include "left_list.h"

#include <stdio.h>
#include <string.h>

static void count(jn_left_list *l, const char *name, int element) {
  for (int i = 0; i < l->kind_count; i++) {
    if (l->kinds[i].element != element || strcmp(l->kinds[i].name, name) != 0) continue;
    l->kinds[i].count++;
    return;
  }
  if (l->kind_count == JN_LEFT_KINDS || strlen(name) >= JN_LEFT_NAME) {
    l->others++;
    return;
  }
  strcpy(l->kinds[l->kind_count].name, name);
  l->kinds[l->kind_count].element = element;
  l->kinds[l->kind_count++].count = 1;
}

void jn__left_element(jn_left_list *l, const char *name) { count(l, name, 1); }

void jn__left_thing(jn_left_list *l, const char *name) { count(l, name, 0); }

static size_t add(char *out, size_t used, size_t size, int count, const char *name, int element) {
  if (used >= size) return used;
  return used + (size_t)snprintf(out + used, size - used, element ? "%s%d <%s>" : "%s%d %s%s", used ? ", " : "", count,
                                 name, count == 1 ? "" : "s");
}

void jn__left_print(const jn_left_list *l, char *out, size_t size) {
  size_t used = 0;
  out[0] = 0;
  for (int i = 0; i < l->kind_count; i++)
    used = add(out, used, size, l->kinds[i].count, l->kinds[i].name, l->kinds[i].element);
  if (l->others) used = add(out, used, size, l->others, "other element", 0);
  if (l->comments) add(out, used, size, l->comments, "comment", 0);
}
