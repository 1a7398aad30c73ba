/* SPDX-License-Identifier: BSD-2-Clause */
/* Arrays that end, or begin, at a page nobody may touch: one number too far is a fault at once, in every build and
 * every kernel, also where vector instructions load more than was asked for.
 *
 * A slot is 32 MiB of address space between two such pages; guarded() hands out the next one. Outputs are filled with a
 * NaN of our own, so that an entry nobody wrote can be found; inputs are copied, so that one somebody wrote can be. */
#ifndef JN_TESTS_GUARDED_H
#define JN_TESTS_GUARDED_H

#include <sys/mman.h>
#include <unistd.h>

#include "testing.h"

enum { SLOTS = 40, MARK = 0xa5 };
#define SLOT_BYTES ((size_t)32 << 20)

typedef enum side { AT_THE_END, AT_THE_START, SIDES } side;

typedef struct slot {
  char *room;   /* SLOT_BYTES between two guard pages; NULL: not mapped yet */
  char *array;  /* what was handed out */
  size_t bytes; /* its size */
  char *before; /* inputs: a copy; NULL: an output */
  int scratch;  /* may be left as it is */
} slot;

typedef struct guards {
  slot slot[SLOTS];
  int used;
  side side;
} guards;

static UNUSED char *map_between_guards(size_t bytes) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  bytes = (bytes + page - 1) / page * page;
  char *whole = mmap(NULL, bytes + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  check(whole != MAP_FAILED, "address space");
  check(mprotect(whole + page, bytes, PROT_READ | PROT_WRITE) == 0, "pages");
  return whole + page;
}

/* An array of so many bytes, no byte more, at the side that is tried. `from`: the numbers of an input; NULL: an output.
 */
static UNUSED void *guarded(guards *g, size_t bytes, const void *from) {
  check(g->used < SLOTS && bytes <= SLOT_BYTES, "no slot for %zu bytes", bytes);
  slot *s = &g->slot[g->used++];
  if (!s->room) s->room = map_between_guards(SLOT_BYTES);
  s->array = g->side == AT_THE_END ? s->room + SLOT_BYTES - bytes : s->room;
  s->bytes = bytes;
  s->before = NULL;
  s->scratch = 0;
  memset(s->array, MARK, bytes);
  if (!from) return s->array;
  s->before = malloc(bytes ? bytes : 1);
  check(s->before, "memory");
  memcpy(s->array, from, bytes);
  memcpy(s->before, from, bytes);
  return s->array;
}

/* Room that a function may use or not. */
static UNUSED void *guarded_scratch(guards *g, size_t bytes) {
  void *array = guarded(g, bytes, NULL);
  g->slot[g->used - 1].scratch = 1;
  return array;
}

/* All inputs are as they were; every number of every output was written if `complete`. Gives the slots back. */
static UNUSED void check_guarded(guards *g, size_t number, int complete, const char *call) {
  for (int i = 0; i < g->used; i++) {
    slot *s = &g->slot[i];
    if (s->before) check(memcmp(s->before, s->array, s->bytes) == 0, "%s wrote to an input (array %d)", call, i);
    for (size_t k = 0; !s->before && !s->scratch && complete && k < s->bytes; k += number) {
      size_t same = 0;
      while (same < number && (unsigned char)s->array[k + same] == MARK) same++;
      check(same < number, "%s left entry %zu of an output (array %d) unwritten", call, k / number, i);
    }
    free(s->before);
  }
  g->used = 0;
}

/* An allocator whose blocks end at a guard page, as near as alignment lets them. Where a block's pages begin, and how
 * many there are, stands right before it. */
typedef struct guard_block {
  char *pages;
  size_t bytes;
} guard_block;

static UNUSED void *guard_allocate(size_t bytes, void *context) {
  (void)context;
  size_t page = (size_t)sysconf(_SC_PAGESIZE), rounded = (bytes + 15) / 16 * 16;
  guard_block b = {.bytes = (rounded + sizeof b + page - 1) / page * page};
  b.pages = map_between_guards(b.bytes);
  char *user = b.pages + b.bytes - rounded;
  memcpy(user - sizeof b, &b, sizeof b);
  memset(user, MARK, bytes);
  return user;
}

static UNUSED void guard_release(void *user, void *context) {
  (void)context;
  guard_block b;
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  memcpy(&b, (char *)user - sizeof b, sizeof b);
  munmap(b.pages - page, b.bytes + 2 * page);
}

static const jn_allocator guard_allocator UNUSED = {guard_allocate, guard_release, NULL};

#endif
