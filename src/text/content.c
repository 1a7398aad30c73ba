/* SPDX-License-Identifier: BSD-2-Clause */
/* What a file is, by its first bytes. */
#include "content.h"

#include <string.h>

static int begins_with(const char *bytes, size_t length, const char *mark, size_t size) {
  return length >= size && memcmp(bytes, mark, size) == 0;
}

static int is_white(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* Is `name` the name of the element that begins at `at` with '<'? */
static int is_element(const char *at, const char *end, const char *name) {
  size_t size = strlen(name), rest = (size_t)(end - at) - 1;
  return rest > size && memcmp(at + 1, name, size) == 0 && (is_white(at[1 + size]) || strchr("/>", at[1 + size]));
}

/* XML by its first element. What comes before elements begins with <? or <!. */
static jn_content xml_content(const char *text, size_t length) {
  const char *at = text, *end = text + length;
  while ((at = memchr(at, '<', (size_t)(end - at))) && end - at > 1 && (at[1] == '?' || at[1] == '!')) {
    const char *stop = end - at > 3 && memcmp(at, "<!--", 4) == 0 ? "-->" : ">";
    size_t size = strlen(stop);
    for (at += size > 1 ? 4 : 2; (size_t)(end - at) >= size && memcmp(at, stop, size) != 0; at++) continue;
  }

  if (at && (is_element(at, end, "mujoco") || is_element(at, end, "mujocoinclude"))) return JN_CONTENT_MJCF;
  return at && is_element(at, end, "robot") ? JN_CONTENT_URDF : JN_CONTENT_XML;
}

/* UTF-16 with a byte order mark, which only XML may have: the letters of names are enough. */
static jn_content utf16_content(const char *text, size_t length) {
  char letters[4096];
  size_t count = 0;
  for (size_t i = 2; i < length && count < sizeof letters; i++)
    if (text[i]) letters[count++] = text[i];
  size_t first = 0;
  while (first < count && is_white(letters[first])) first++;
  return first < count && letters[first] == '<' ? xml_content(letters, count) : JN_CONTENT_OTHER;
}

jn_content jn__content(const char *bytes, size_t length, size_t *at) {
  size_t i = 0;
  if (at) *at = 0;

  /* Binary files, by their marks. */
  if (begins_with(bytes, length, "\x93NUMPY", 6)) return JN_CONTENT_NPY;
  if (begins_with(bytes, length, "PK\3\4", 4) || begins_with(bytes, length, "PK\5\6", 4)) return JN_CONTENT_ZIP;
  if (begins_with(bytes, length, "\xFF\xFE", 2) || begins_with(bytes, length, "\xFE\xFF", 2))
    return utf16_content(bytes, length);

  /* Text, by its first character. */
  if (begins_with(bytes, length, "\xEF\xBB\xBF", 3)) i = 3;
  while (i < length && is_white(bytes[i])) i++;
  if (at) *at = i;
  if (i == length) return JN_CONTENT_EMPTY;
  if (bytes[i] == '{') return JN_CONTENT_JSON;
  return bytes[i] == '<' ? xml_content(bytes + i, length - i) : JN_CONTENT_OTHER;
}

int jn__is_xml(jn_content content) {
  return content == JN_CONTENT_MJCF || content == JN_CONTENT_URDF || content == JN_CONTENT_XML;
}
