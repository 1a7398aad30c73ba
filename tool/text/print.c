/* SPDX-License-Identifier: BSD-2-Clause */
#define _POSIX_C_SOURCE 200809L
#include "print.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#ifdef _WIN32
#include <io.h>
#define isatty _isatty
#define fileno _fileno
#else
#include <unistd.h>
#endif

#include "../command.h"

/* ---- Memory ---- */

void *reallocate(void *block, size_t bytes) {
  void *memory = realloc(block, bytes ? bytes : 1);
  if (!memory) {
    fputs("jounce: out of memory\n", stderr);
    exit(EXIT_BAD);
  }
  return memory;
}

void *allocate(size_t bytes) { return reallocate(NULL, bytes); }

char *copy_text(const char *text, size_t length) {
  char *copy = allocate(length + 1);
  memcpy(copy, text, length);
  copy[length] = 0;
  return copy;
}

static char *format_list(const char *format, va_list arguments) {
  va_list again;
  va_copy(again, arguments);
  int length = vsnprintf(NULL, 0, format, arguments);
  size_t bytes = length > 0 ? (size_t)length + 1 : 1;
  char *text = allocate(bytes);
  text[0] = 0;
  vsnprintf(text, bytes, format, again);
  va_end(again);
  return text;
}

char *format_text(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *text = format_list(format, arguments);
  va_end(arguments);
  return text;
}

bool ends_with(const char *text, const char *ending) {
  size_t n = strlen(text), k = strlen(ending);
  if (n < k) return false;
  for (size_t i = 0; i < k; i++)
    if (tolower((unsigned char)text[n - k + i]) != ending[i]) return false;
  return true;
}

/* ---- Terminal ---- */

static const char *environment(const char *name) {
  const char *value = getenv(name);
  return value ? value : "";
}

bool terminal_is_utf8(void) {
  const char *locale = environment("LC_ALL");
  if (!*locale) locale = environment("LC_CTYPE");
  if (!*locale) locale = environment("LANG");
  const char *dot = strchr(locale, '.');
  const char *charset = dot ? dot + 1 : locale; /* LC_CTYPE may be the bare "UTF-8" */
  const char *wanted = "utf8";
  for (; *charset && *charset != '@' && *wanted; charset++) {
    if (*charset == '-') continue;
    if (tolower((unsigned char)*charset) != *wanted) return false;
    wanted++;
  }
  return *wanted == 0 && (*charset == 0 || *charset == '@');
}

bool is_terminal(FILE *stream) { return isatty(fileno(stream)); }

bool stream_has_colour(FILE *stream) {
  return is_terminal(stream) && !*environment("NO_COLOR") && strcmp(environment("TERM"), "dumb") != 0;
}

void print_colour(FILE *stream, bool enabled, colour which) {
  static const char *const codes[] = {"\033[0m",    "\033[1m",    "\033[2m",   "\033[1;31m",
                                      "\033[1;33m", "\033[1;36m", "\033[1;32m"};
  if (enabled) fputs(codes[which], stream);
}

/* ---- Text ---- */

enum { WRAP_WIDTH = 100 };

void print_wrapped(const char *text, int column, int indent) {
  while (*text) {
    int word = (int)strcspn(text, " \n");
    if (column > indent && column + word + 1 > WRAP_WIDTH) {
      printf("\n%*s", indent, "");
      column = indent;
    } else if (column > indent) {
      putchar(' ');
      column++;
    }
    fwrite(text, 1, (size_t)word, stdout);
    column += word;
    text += word;
    if (*text == '\n') {
      printf("\n%*s", indent, "");
      column = indent;
    }
    if (*text) text++;
  }
  putchar('\n');
}

int text_width(const char *text) {
  int width = 0;
  for (; *text; text++) width += ((unsigned char)*text & 0xc0) != 0x80;
  return width;
}

char *plural_text(int count, const char *noun) { return format_text("%d %s%s", count, noun, count == 1 ? "" : "s"); }

/* Take away zeros at the end of the decimals, the point if nothing follows it, and the sign of a zero. */
static void trim_zeros(char *text) {
  if (strchr(text, '.') && !strchr(text, 'e')) {
    size_t end = strlen(text);
    while (text[end - 1] == '0') end--;
    if (text[end - 1] == '.') end--;
    text[end] = 0;
  }
  if (strcmp(text, "-0") == 0) strcpy(text, "0");
}

void short_number(double x, char text[NUMBER_TEXT]) {
  if (isnan(x)) {
    strcpy(text, "nan");
  } else if (isinf(x)) {
    strcpy(text, "-");
  } else {
    /* Large and whole numbers are written out: 12345 rather than 1.234e+04. */
    bool whole = fabs(x) < 1e7 && (fabs(x) >= 9999 || x == floor(x));
    snprintf(text, NUMBER_TEXT, whole ? "%.0f" : "%.4g", x);
    trim_zeros(text);
  }
}

void fixed_number(double x, int decimals, char text[NUMBER_TEXT]) {
  if (!isfinite(x) || fabs(x) >= 1e7) {
    short_number(x, text);
    return;
  }
  snprintf(text, NUMBER_TEXT, "%.*f", decimals, x);
  trim_zeros(text);
}

/* ---- Tables ---- */

void table_init(table *t, const table_column *columns, int column_count) {
  *t = (table){.columns = columns, .column_count = column_count};
}

static void take_cell(table *t, char *text) {
  if (t->cell_count == t->cell_capacity) {
    t->cell_capacity = t->cell_capacity ? 2 * t->cell_capacity : 64;
    t->cells = reallocate(t->cells, (size_t)t->cell_capacity * sizeof *t->cells);
  }
  t->cells[t->cell_count++] = text;
}

void table_cell(table *t, const char *text) { take_cell(t, printable_text(text, 0)); }

void table_cellf(table *t, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *text = format_list(format, arguments);
  va_end(arguments);
  table_cell(t, text);
  free(text);
}

void table_number(table *t, double x) {
  char text[NUMBER_TEXT];
  short_number(x, text);
  table_cell(t, text);
}

int table_rows(const table *t) { return t->cell_count / t->column_count; }

/* Characters of a cell left and right of where its decimal point is, or would be. */
typedef struct split {
  int left, right;
} split;

static split split_cell(const char *text, table_align align) {
  int width = text_width(text);
  if (align != ALIGN_POINT) return (split){width, 0};
  int left = (int)strspn(text, "+-0123456789");
  if (text[left] != '.' && text[left] != 'e' && text[left] != 0) left = width; /* no number */
  return (split){left, width - left};
}

/* The widest parts of a column; the title widens the left part. */
static split column_width(const table *t, int column) {
  table_align align = t->columns[column].align;
  split widest = {0, 0};
  for (int i = column; i < t->cell_count; i += t->column_count) {
    split s = split_cell(t->cells[i], align);
    if (s.left > widest.left) widest.left = s.left;
    if (s.right > widest.right) widest.right = s.right;
  }
  int lack = text_width(t->columns[column].title) - widest.left - widest.right;
  if (lack > 0) widest.left += lack;
  return widest;
}

static void print_cell(const char *text, table_align align, split width, bool last, FILE *stream) {
  split s = split_cell(text, align);
  int before = align == ALIGN_LEFT ? 0 : align == ALIGN_RIGHT ? width.left + width.right - s.left : width.left - s.left;
  int after = width.left + width.right - before - s.left - s.right;
  fprintf(stream, "%*s", before, "");
  print_text(stream, text);
  if (!last) fprintf(stream, "%*s", after + 2, "");
}

int table_width(const table *t) {
  int width = -2;
  for (int c = 0; c < t->column_count; c++) {
    split s = column_width(t, c);
    width += s.left + s.right + 2;
  }
  return width;
}

/* One row; empty cells at its end are left out, so that lines do not end in spaces. */
static void print_row(char *const *cells, const table *t, const split *widths, FILE *stream) {
  int count = t->column_count;
  while (count > 0 && *cells[count - 1] == 0) count--;
  for (int c = 0; c < count; c++) print_cell(cells[c], t->columns[c].align, widths[c], c == count - 1, stream);
  fputc('\n', stream);
}

void table_print(table *t, FILE *stream) {
  bool bright = stream_has_colour(stream);
  split *widths = allocate((size_t)t->column_count * sizeof *widths);
  for (int c = 0; c < t->column_count; c++) widths[c] = column_width(t, c);
  print_colour(stream, bright, COLOUR_BOLD);
  for (int c = 0; c < t->column_count; c++) {
    table_align align = t->columns[c].align == ALIGN_LEFT ? ALIGN_LEFT : ALIGN_RIGHT;
    print_cell(t->columns[c].title, align, widths[c], c == t->column_count - 1, stream);
  }
  print_colour(stream, bright, COLOUR_NONE);
  fputc('\n', stream);
  for (int i = 0; i + t->column_count <= t->cell_count; i += t->column_count) {
    print_row(t->cells + i, t, widths, stream);
  }
  free(widths);
  table_free(t);
}

void table_free(table *t) {
  for (int i = 0; i < t->cell_count; i++) free(t->cells[i]);
  free(t->cells);
  *t = (table){0};
}

void time_text(double t, int decimals, char text[TIME_TEXT]) {
  if (!isfinite(t) || fabs(t) >= 1e15) {
    snprintf(text, TIME_TEXT, "%.15g", t);
    return;
  }
  snprintf(text, TIME_TEXT, "%.*f", decimals, t);
  size_t end = strlen(text);
  while (strchr(text, '.') && text[end - 1] == '0') text[--end] = 0;
  if (text[end - 1] == '.') text[end - 1] = 0;
  if (strcmp(text, "-0") != 0 && strcmp(text, "0") != 0) return;
  if (fabs(t) > 1e-12)
    snprintf(text, TIME_TEXT, "%.3g", t); /* of short motions */
  else
    snprintf(text, TIME_TEXT, "0");
}
