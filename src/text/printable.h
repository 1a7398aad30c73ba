/* SPDX-License-Identifier: BSD-2-Clause */
/* Which characters of a text may be sent to a terminal unchanged. This file is part of the library (messages, writers
 * of JSON and URDF) and of the command (everything it prints); it needs nothing else of either. */
#ifndef JN_TEXT_PRINTABLE_H
#define JN_TEXT_PRINTABLE_H

/* Bytes of the UTF-8 character at s; 0 if it is not one. */
int jn__utf8(const char *s);
/* The number of the character at s, which has n = jn__utf8(s) > 0 bytes. */
unsigned jn__code_point(const char *s, int n);
/* Bytes of the character at s if a terminal only draws it. 0 for invalid UTF-8, for control characters (C0, DEL, C1),
 * for characters that reorder the text around them (which could make one name look like another), and for those that
 * end a line. */
int jn__drawn(const char *s);
/* In place: every other character becomes '?'; line ends stay when `lines` is not 0. */
void jn__make_printable(char *text, int lines);

#endif
