/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of an MJCF model: each kind of thing has its own. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "../text/nearest_name.h"
#include "mjcf.h"

/* FNV-1a, begun with the address of the table so that no file can aim at one slot. */
static size_t slot_of(const jn_mjcf_names *names, const char *name) {
  uint64_t h = 14695981039346656037u ^ (uint64_t)(uintptr_t)names->slots;
  for (; *name; name++) h = (h ^ (unsigned char)*name) * 1099511628211u;
  return (size_t)(h ^ h >> 32) & (size_t)(names->capacity - 1);
}

/* The slot of a name, or the free one where it belongs. */
static size_t probe(const jn_mjcf_names *names, const char *name) {
  size_t i = slot_of(names, name);
  while (names->slots[i].name && strcmp(names->slots[i].name, name) != 0) i = (i + 1) & (size_t)(names->capacity - 1);
  return i;
}

int jn__mjcf_find(const jn_mjcf_names *names, const char *name) {
  if (names->count == 0 || !name) return -1;
  size_t i = probe(names, name);
  return names->slots[i].name ? names->slots[i].value : -1;
}

static int enlarge(jn_mjcf *m, jn_mjcf_names *names) {
  jn_mjcf_names bigger = {.capacity = names->capacity ? 2 * names->capacity : 16};
  bigger.slots = jn__mjcf_allocate(m, (size_t)bigger.capacity * sizeof *bigger.slots);
  bigger.list = jn__mjcf_allocate(m, (size_t)bigger.capacity / 2 * sizeof *bigger.list);
  if (!bigger.slots || !bigger.list) return 0;
  if (names->count) memcpy(bigger.list, names->list, (size_t)names->count * sizeof *bigger.list);
  for (int i = 0; i < names->capacity; i++)
    if (names->slots[i].name) bigger.slots[probe(&bigger, names->slots[i].name)] = names->slots[i];
  bigger.count = names->count;
  *names = bigger;
  return 1;
}

void jn__mjcf_put(jn_mjcf *m, jn_mjcf_names *names, const char *name, int value) {
  if (2 * names->count >= names->capacity && !enlarge(m, names)) return;
  size_t i = probe(names, name);
  if (names->slots[i].name) return;
  names->slots[i].name = name;
  names->slots[i].value = value;
  names->list[names->count++] = name;
}

const char *jn__mjcf_new_name(jn_mjcf *m, jn_mjcf_names *names, const char *name, const char *ending) {
  if (jn__mjcf_find(names, name) >= 0) {
    size_t room = strlen(name) + strlen(ending) + 16;
    char *made = jn__mjcf_allocate(m, room);
    if (!made) return name;
    snprintf(made, room, "%s%s", name, ending);
    for (int i = 2; jn__mjcf_find(names, made) >= 0 && i < 1000000; i++)
      snprintf(made, room, "%s%s%d", name, ending, i);
    name = made;
  }
  jn__mjcf_put(m, names, name, 0);
  return name;
}

static const char *name_at(const void *context, int i) { return ((const jn_mjcf_names *)context)->list[i]; }

int jn__mjcf_named(jn_mjcf *m, const jn_mjcf_names *names, int node, const char *attribute, const char *what,
                   const char *name) {
  int found = jn__mjcf_find(names, name);
  if (found >= 0) return found;
  char remedy[128] = "";
  int near = jn__did_you_mean(name, names->count, name_at, names, remedy, sizeof remedy);
  int always = names == &m->body_names || names == &m->class_names; /* the world, and the class main */
  if (!near)
    snprintf(remedy, sizeof remedy, "%s",
             names->count > always
                 ? "see whether it is misspelt, or in a file that is not included"
                 : "there are none in this file: is it a part that another file includes? Then load that one");
  jn__mjcf_log(m, JN_ERROR, JN_ERR_MODEL, "mjcf-name", node, remedy,
               "attribute '%s' names %s '%.*s', which does not exist", attribute, what, JN_CLIP(name));
  return -1;
}
