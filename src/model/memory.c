/* SPDX-License-Identifier: BSD-2-Clause */
#include "memory.h"

#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *default_allocate(size_t bytes, void *context) {
  (void)context;
  return malloc(bytes);
}

static void default_release(void *block, void *context) {
  (void)context;
  free(block);
}

jn_allocator jn__allocator(const jn_allocator *given) {
  if (given && given->allocate && given->release) return *given;
  return (jn_allocator){default_allocate, default_release, NULL};
}

void *jn__allocate(const jn_allocator *allocator, size_t bytes) {
  void *block = allocator->allocate(bytes ? bytes : 1, allocator->context);
  if (block) memset(block, 0, bytes);
  return block;
}

void jn__release(const jn_allocator *allocator, void *block) {
  if (block) allocator->release(block, allocator->context);
}

char *jn__copy_text(const jn_allocator *allocator, const char *text) {
  if (!text) return NULL;
  size_t n = strlen(text) + 1;
  char *copy = jn__allocate(allocator, n);
  if (copy) memcpy(copy, text, n);
  return copy;
}

/* A block for more than `count` items: the same, or one of twice the size. */
void *jn__grow(const jn_allocator *allocator, void *block, int count, int *capacity, size_t bytes) {
  if (count < *capacity) return block;
  if (*capacity > INT_MAX / 2) return NULL;
  int capacity_new = *capacity ? 2 * *capacity : 16;
  void *bigger = jn__allocate(allocator, (size_t)capacity_new * bytes);
  if (!bigger) return NULL;
  if (block) memcpy(bigger, block, (size_t)count * bytes);
  jn__release(allocator, block);
  *capacity = capacity_new;
  return bigger;
}

void jn__text_init(jn_text *text, const jn_allocator *allocator) {
  *text = (jn_text){.allocator = jn__allocator(allocator)};
}

/* Makes sure that `more` bytes and the final zero fit. 0: no memory. */
static int text_reserve(jn_text *text, size_t more) {
  if (text->failed) return 0;
  if (text->length + more + 1 <= text->capacity) return 1;
  size_t capacity_new = 2 * (text->length + more + 1) + 256;
  char *bigger = jn__allocate(&text->allocator, capacity_new);
  if (!bigger) {
    text->failed = 1;
    return 0;
  }
  if (text->data) memcpy(bigger, text->data, text->length);
  jn__release(&text->allocator, text->data);
  text->data = bigger;
  text->capacity = capacity_new;
  return 1;
}

void jn__text_add(jn_text *text, const char *s) {
  size_t n = strlen(s);
  if (!text_reserve(text, n)) return;
  memcpy(text->data + text->length, s, n + 1);
  text->length += n;
}

void jn__text_format(jn_text *text, const char *format, ...) {
  va_list list, again;
  va_start(list, format);
  va_copy(again, list);
  int n = vsnprintf(NULL, 0, format, list);
  va_end(list);
  if (n < 0) text->failed = 1;
  if (n >= 0 && text_reserve(text, (size_t)n)) {
    vsnprintf(text->data + text->length, (size_t)n + 1, format, again);
    text->length += (size_t)n;
  }
  va_end(again);
}

/* strtod and printf follow the locale; these two always use a decimal point. */
double jn__read_number(const char *s, char **end) {
  enum { LONGEST = 400 };
  const char *point = localeconv()->decimal_point;
  size_t n = strspn(s, " \t\r\n");
  size_t length = strcspn(s + n, " \t\r\n");
  size_t sign = n + (s[n] == '+' || s[n] == '-');
  if (s[sign] == '0' && (s[sign + 1] == 'x' || s[sign + 1] == 'X')) { /* strtod accepts hexadecimal numbers, too */
    if (end) *end = (char *)(uintptr_t)s;
    return 0;
  }
  if (strcmp(point, ".") == 0) return strtod(s, end);
  char copy[LONGEST];
  size_t step = strlen(point), used = 0, dot = LONGEST;
  for (size_t i = n; i < n + length && used + step + 1 < LONGEST; i++) {
    if (s[i] == '.' && dot == LONGEST) {
      memcpy(copy + used, point, step);
      dot = used;
      used += step;
    } else if (strncmp(s + i, point, step) == 0) {
      break; /* the locale's decimal mark is not accepted */
    } else {
      copy[used++] = s[i];
    }
  }
  copy[used] = 0;
  char *stop;
  double x = strtod(copy, &stop);
  size_t taken = (size_t)(stop - copy);
  if (taken > dot) taken -= step - 1;
  if (end) *end = (char *)(uintptr_t)(s + (taken ? n + taken : 0));
  return x;
}

void jn__number(double x, char out[32]) {
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(out, 32, "%.*g", digits, x);
    if (!isfinite(x) || strtod(out, NULL) == x) break;
  }
  const char *point = localeconv()->decimal_point;
  char *mark = strcmp(point, ".") == 0 ? NULL : strstr(out, point);
  if (!mark) return;
  size_t step = strlen(point);
  *mark = '.';
  memmove(mark + 1, mark + step, strlen(mark + step) + 1);
}

void jn__text_number(jn_text *text, double x) {
  char number[32];
  jn__number(x, number);
  jn__text_add(text, number);
}
