/* SPDX-License-Identifier: BSD-2-Clause */
#include "xml.h"

#include <limits.h>
#include <string.h>

int jn__xml_is_binary(const char *text, size_t length) {
  const unsigned char *t = (const unsigned char *)text;
  if (length >= 2 && ((t[0] == 0xff && t[1] == 0xfe) || (t[0] == 0xfe && t[1] == 0xff))) return 0;
  return length && memchr(text, 0, length) != NULL;
}

void jn__xml_parse(XML_Parser parser, const char *text, size_t length, void (*failed)(void *data, int empty),
                   void *data) {
  size_t done = 0;
  int last, good;
  do { /* expat takes int lengths; one piece in practice */
    size_t piece = length - done < INT_MAX / 2 ? length - done : INT_MAX / 2;
    last = done + piece == length;
    good = XML_Parse(parser, text + done, (int)piece, last) == XML_STATUS_OK;
    done += piece;
  } while (!last && good);
  if (!good && XML_GetErrorCode(parser) != XML_ERROR_ABORTED) failed(data, length == 0);
}

const char *jn__xml_fault(XML_Parser parser, const char **remedy) {
  enum XML_Error code = XML_GetErrorCode(parser);
  *remedy = NULL;
  if (code == XML_ERROR_NO_ELEMENTS || code == XML_ERROR_UNCLOSED_TOKEN) *remedy = "the file ends early: is it whole?";
  if (code == XML_ERROR_TAG_MISMATCH) *remedy = "an element opened before is not closed, or closed under another name";
  if (code == XML_ERROR_INVALID_TOKEN) *remedy = "look for a stray <, & or quote, or bytes that are not UTF-8";
  if (code == XML_ERROR_UNKNOWN_ENCODING) *remedy = "save the file as UTF-8";
  if (code == XML_ERROR_UNDEFINED_ENTITY) *remedy = "write & as &amp;";
  const char *text = XML_ErrorString(code);
  return text ? text : "unknown fault";
}
