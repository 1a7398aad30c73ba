/* SPDX-License-Identifier: BSD-2-Clause */
#include "printable.h"

#include <stddef.h>

int jn__utf8(const char *text) {
  const unsigned char *s = (const unsigned char *)text;
  int n = s[0] < 0x80                   ? 1
          : s[0] >= 0xC2 && s[0] < 0xE0 ? 2
          : (s[0] & 0xF0) == 0xE0       ? 3
          : s[0] >= 0xF0 && s[0] < 0xF5 ? 4
                                        : 0;
  for (int i = 1; i < n; i++)
    if ((s[i] & 0xC0) != 0x80) return 0;
  /* longer than needed, a surrogate, or past the last character */
  if ((s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xED && s[1] > 0x9F)) return 0;
  if ((s[0] == 0xF0 && s[1] < 0x90) || (s[0] == 0xF4 && s[1] > 0x8F)) return 0;
  return n;
}

unsigned jn__code_point(const char *text, int n) {
  const unsigned char *s = (const unsigned char *)text;
  unsigned code = n == 1 ? s[0] : s[0] & (0xFFu >> (n + 1));
  for (int i = 1; i < n; i++) code = code << 6 | (s[i] & 0x3Fu);
  return code;
}

int jn__drawn(const char *s) {
  static const struct {
    unsigned first, last;
  } acting[] = {
      {0x00, 0x1F},       {0x7F, 0x9F},     /* controls: C0, DEL, C1 */
      {0x061C, 0x061C},   {0x200E, 0x200F}, /* marks of direction */
      {0x2028, 0x202E},                     /* ends of lines and paragraphs; embeddings and overrides */
      {0x2066, 0x206F},                     /* isolates, and what Unicode gave up */
      {0xFEFF, 0xFEFF},   {0xFFF9, 0xFFFB}, /* byte order; annotations */
      {0xE0000, 0xE007F},                   /* tags */
  };
  int n = jn__utf8(s);
  unsigned code = n ? jn__code_point(s, n) : 0;
  for (size_t i = 0; i < sizeof acting / sizeof *acting; i++)
    if (code >= acting[i].first && code <= acting[i].last) return 0;
  return n;
}

void jn__make_printable(char *text, int lines) {
  char *to = text;
  for (int n; *text; text += n) {
    n = jn__drawn(text);
    for (int i = 0; i < n; i++) *to++ = text[i];
    if (n > 0) continue;
    *to++ = lines && *text == '\n' ? '\n' : '?';
    n = jn__utf8(text);
    if (n == 0) n = 1;
  }
  *to = 0;
}
