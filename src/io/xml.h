/* SPDX-License-Identifier: BSD-2-Clause */
/* What the readers of XML formats share: feeding expat, and what to say about a text that is not well-formed. */
#ifndef JN_IO_XML_H
#define JN_IO_XML_H

#include <expat.h>
#include <stddef.h>

/* 1 when the text has zero bytes, which only UTF-16 has by right. */
int jn__xml_is_binary(const char *text, size_t length);

/* Parses a whole text; `failed` is called at the first fault of the text, unless a handler has stopped the parser;
 * empty: the text has no bytes at all. */
void jn__xml_parse(XML_Parser parser, const char *text, size_t length, void (*failed)(void *data, int empty),
                   void *data);

/* After a fault that is not a lack of memory: what is wrong with a text, and a remedy (NULL: none). */
const char *jn__xml_fault(XML_Parser parser, const char **remedy);

#endif
