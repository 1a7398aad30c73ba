/* SPDX-License-Identifier: BSD-2-Clause */
#include "text.h"

#include <stdlib.h>
#include <string.h>

#include "../../src/text/printable.h"
#include "print.h"

char *printable_text(const char *text, int lines) {
  char *copy = copy_text(text, strlen(text));
  jn__make_printable(copy, lines);
  return copy;
}

void print_text(FILE *stream, const char *text) {
  char *shown = printable_text(text, 0);
  fputs(shown, stream);
  free(shown);
}

/* One conversion, "%-*.3f": what stands between % and the letter, with numbers in the place of stars. */
typedef struct conversion {
  char spec[64]; /* with % and the letter, for printf */
  char letter;
  int precision; /* -1: none */
  int is_long;   /* l or z */
} conversion;

static const char *read_conversion(const char *format, conversion *c, va_list *arguments) {
  size_t used = 0;
  *c = (conversion){.precision = -1};
  for (c->spec[used++] = *format++; *format && strchr("-+ #0123456789.*lz", *format); format++) {
    if (used + 16 > sizeof c->spec) abort(); /* no format of ours is that long */
    if (*format == '*')
      used += (size_t)snprintf(c->spec + used, sizeof c->spec - used, "%d", va_arg(*arguments, int));
    else
      c->spec[used++] = *format;
    c->is_long |= *format == 'l' || *format == 'z';
  }
  c->letter = *format;
  c->spec[used++] = *format;
  c->spec[used] = 0;
  const char *point = strchr(c->spec, '.');
  if (point) c->precision = atoi(point + 1);
  return format + (*format != 0);
}

static void say_text(FILE *stream, const conversion *c, const char *text) {
  size_t length = 0, most = c->precision >= 0 ? (size_t)c->precision : strlen(text);
  while (length < most && text[length]) length++;
  char *part = copy_text(text, length), *shown = printable_text(part, 0);
  int width = abs(atoi(c->spec + 1)), left = c->spec[1] == '-', pad = width - text_width(shown);
  if (c->spec[1] == '.') pad = 0;
  if (!left && pad > 0) fprintf(stream, "%*s", pad, "");
  fputs(shown, stream);
  if (left && pad > 0) fprintf(stream, "%*s", pad, "");
  free(part);
  free(shown);
}

void say_list(FILE *stream, const char *format, va_list given) {
  va_list arguments;
  va_copy(arguments, given);
  while (*format) {
    size_t plain = strcspn(format, "%");
    fwrite(format, 1, plain, stream);
    format += plain;
    if (!*format) break;
    conversion c;
    format = read_conversion(format, &c, &arguments);
    if (c.letter == '%')
      fputc('%', stream);
    else if (c.letter == 's')
      say_text(stream, &c, va_arg(arguments, const char *));
    else if (c.letter && strchr("eEfFgG", c.letter))
      fprintf(stream, c.spec, va_arg(arguments, double));
    else if (c.is_long) /* size_t is as wide as long wherever this is built; Windows has no z in our formats */
      fprintf(stream, c.spec, va_arg(arguments, long));
    else
      fprintf(stream, c.spec, va_arg(arguments, int));
  }
  va_end(arguments);
}

void say(FILE *stream, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  say_list(stream, format, arguments);
  va_end(arguments);
}
