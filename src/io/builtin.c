/* SPDX-License-Identifier: BSD-2-Clause */
/* The built-in robots: the native files of src/io/robots, turned into arrays when the library is built
 * (cmake/embed.cmake). Without jansson they cannot be read, and the list is empty. */
#include <string.h>

#include "io.h"

typedef struct builtin {
  const char *name;
  const char *summary; /* the file's comment */
  const char *text;
} builtin;

#if JN_WITH_JSON
#include "builtin_robots.h" /* static const builtin robots[] */
enum { COUNT = sizeof robots / sizeof *robots };
#else
static const builtin robots[1];
enum { COUNT = 0 };
#endif

int jn_builtin_count(void) { return COUNT; }

/* Without JSON there are no robots, and COUNT is 0. */
// cppcheck-suppress incorrectLogicOperator
const char *jn_builtin_name(int i) { return i >= 0 && i < COUNT ? robots[i].name : NULL; }

// cppcheck-suppress incorrectLogicOperator
const char *jn_builtin_summary(int i) { return i >= 0 && i < COUNT ? robots[i].summary : NULL; }

const char *jn__builtin_text(const char *name) {
  for (int i = 0; i < COUNT; i++)
    if (strcmp(robots[i].name, name) == 0) return robots[i].text;
  return NULL;
}
