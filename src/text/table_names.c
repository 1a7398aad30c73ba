/* SPDX-License-Identifier: BSD-2-Clause */
#include "table_names.h"

#include <ctype.h>
#include <string.h>

/* "joint[3]" has an index, "joint [deg]" and "joint[deg]" a unit. */
static int ends_in_unit(const char *name, size_t n) {
  const char *open = strrchr(name, '[');
  if (n == 0 || name[n - 1] != ']' || !open) return 0;
  size_t digits = strspn(open + 1, "0123456789");
  int is_index = digits > 0 && open[1 + digits] == ']' && open > name && !isspace((unsigned char)open[-1]);
  return !is_index;
}

const char *jn__table_name_fault(const char *name) {
  size_t n = strlen(name);
  if (strcmp(name, "t") == 0) return "it is that of the time";
  if (n > 0 && (isspace((unsigned char)name[0]) || isspace((unsigned char)name[n - 1])))
    return "blanks around it are lost";
  if (ends_in_unit(name, n)) return "what is in brackets at its end is taken for a unit";
  return NULL;
}

size_t jn__table_name_stem(const char *name) {
  static const char force[] = ".tau";
  size_t n = strlen(name), k = sizeof force - 1;

  /* _d and one digit */
  if (n > 3 && isdigit((unsigned char)name[n - 1]) && name[n - 2] == 'd' && name[n - 3] == '_') n -= 3;
  if (n > k && strncmp(name + n - k, force, k) == 0) n -= k;
  return n < strlen(name) ? n : 0;
}
