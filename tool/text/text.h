/* SPDX-License-Identifier: BSD-2-Clause */
/* Text from outside (names, units, paths, words of the command line) on its way to a terminal, a picture or JSON. This
 * is the only place that decides what may be shown as it is: src/text/printable.h. Everything else becomes '?'. */
#ifndef JN_TOOL_TEXT_H
#define JN_TOOL_TEXT_H

#include <stdarg.h>
#include <stdio.h>

/* A new string without anything that a terminal would act on; line ends stay when `lines` is not 0. */
char *printable_text(const char *text, int lines);
void print_text(FILE *stream, const char *text);
/* printf in which every %s is printable. All messages and tables with text from outside go through it:
 * tests/printing.sh looks for those that do not. */
void say(FILE *stream, const char *format, ...) __attribute__((format(printf, 2, 3)));

void say_list(FILE *stream, const char *format, va_list arguments);

#endif
