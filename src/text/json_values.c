/* SPDX-License-Identifier: BSD-2-Clause */
#include "json_values.h"

size_t jn__json_value_count(const char *text, size_t length) {
  size_t count = 1;
  int quoted = 0;
  for (size_t i = 0; i < length; i++) {
    if (quoted && text[i] == '\\')
      i++;
    else if (text[i] == '"')
      quoted = !quoted;
    else if (!quoted && (text[i] == ',' || text[i] == '[' || text[i] == '{'))
      count++;
  }
  return count;
}
