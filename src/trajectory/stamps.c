/* SPDX-License-Identifier: BSD-2-Clause */
/* Times of clocks that count from 1970. A double near 1.7e9 s resolves only 0.24 us, which ruins derivatives, so the
 * first stamp is subtracted exactly: stamps are read from the text of the file once more, as whole seconds and 1e-18 s,
 * and only differences become doubles. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../text/words.h"
#include "columns.h"

static const int64_t parts = 1000000000000000000; /* of a second */
static const double clock_start = 1e8;            /* [s] times that begin later are those of a clock */

/* The lines of the file, while they are visited in order. */
typedef struct lines {
  const char *p, *end; /* NULL: numbers without text */
  int number;          /* of the line at p, from 1 */
} lines;

/* Do the stamps look like printed doubles? */
typedef struct looks {
  int like, unlike;
} looks;

/* ---- One stamp ---- */

/* A decimal number in units of 10^-power s, exactly (beyond 1e-18 s it is cut); 0 when it is not one, or too large. */
static int read_stamp(const char *p, const char *end, int power, jn_stamp *out, int *decimals) {
  char digits[64];
  int n = 0, point = -1, exponent = 0, minus = p < end && *p == '-';
  if (p < end && (*p == '-' || *p == '+')) p++;
  for (; p < end && (isdigit((unsigned char)*p) || *p == '.' || *p == ','); p++) {
    if (!isdigit((unsigned char)*p)) {
      if (point >= 0) return 0;
      point = n;
    } else if (n == (int)sizeof digits) {
      return 0;
    } else {
      digits[n++] = *p;
    }
  }
  if (p < end && (*p == 'e' || *p == 'E')) {
    int down = ++p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) p++;
    for (; p < end && isdigit((unsigned char)*p) && exponent < 1000; p++) exponent = 10 * exponent + (*p - '0');
    if (down) exponent = -exponent;
  }
  if (p != end || n == 0) return 0;
  int whole = (point < 0 ? n : point) + exponent; /* digits before the point, in the unit of the column */
  *decimals = n - whole;
  whole -= power;
  if (whole > 18 || whole < -18) return 0;
  *out = (jn_stamp){0, 0, 1};
  for (int i = 0; i < whole; i++) out->seconds = 10 * out->seconds + (i < n ? digits[i] - '0' : 0);
  for (int i = whole; i < whole + 18; i++) out->rest = 10 * out->rest + (i >= 0 && i < n ? digits[i] - '0' : 0);
  if (minus) *out = (jn_stamp){-out->seconds, -out->rest, 1};
  return 1;
}

static int64_t power_of_ten(int power) {
  int64_t x = 1;
  for (; power > 0; power--) x *= 10;
  return x;
}

static jn_stamp stamp_of_number(double x, int power) {
  int64_t unit = power_of_ten(power), whole = (int64_t)x;
  double rest = (x - (double)whole) * (double)(parts / unit);
  return (jn_stamp){whole / unit, whole % unit * (parts / unit) + (int64_t)rest, 1};
}

/* Whole nanoseconds are rounded once, as if the difference had been written down. */
static double difference(const jn_stamp *a, const jn_stamp *b) {
  int64_t seconds = a->seconds - b->seconds, rest = a->rest - b->rest;
  if (seconds > 0 && rest < 0) seconds--, rest += parts;
  if (seconds < 0 && rest > 0) seconds++, rest -= parts;
  const int64_t nano = 1000000000;
  if (rest % nano == 0 && seconds > -9000000 && seconds < 9000000)
    return (double)(seconds * nano + rest / nano) / (double)nano;
  return (double)seconds + (double)rest / (double)parts;
}

/* ---- Stamps of a table ---- */

/* The line of a row; 0 when there is no text. Rows are asked for in order. */
static int find_line(lines *l, int number, const char **begin, const char **end) {
  while (l->p && l->p < l->end) {
    const char *stop = memchr(l->p, '\n', (size_t)(l->end - l->p));
    *begin = l->p;
    *end = stop ? stop : l->end;
    if (l->number == number) {
      while (*end > *begin && ((*end)[-1] == '\r' || (*end)[-1] == ' ')) --*end;
      return 1;
    }
    l->p = stop ? stop + 1 : l->end;
    l->number++;
  }
  return 0;
}

/* Printed doubles have more decimals than a double can tell apart, yet each is next to one. Stamps of a clock with
 * nanoseconds are not. */
static void look_at(looks *k, const jn_stamp *s, double x, int decimals) {
  double away = (double)(s->seconds - (int64_t)x) + ((double)s->rest / (double)parts - (x - (double)(int64_t)x));
  if (decimals < 7 || away == 0) return;
  if (fabs(away) <= fmax(0.51 * pow(10, -decimals), 1e-15))
    k->like++;
  else
    k->unlike++;
}

static jn_stamp stamp_at(const jn_table *t, int row, int column, int power, const char *begin, const char *end,
                         looks *k) {
  jn_stamp s;
  int decimals;
  double x = jn__table_column(t, column)[row];
  if (!begin || !jn__csv_cell(t->separator, &begin, &end, column) || !read_stamp(begin, end, power, &s, &decimals))
    return stamp_of_number(x, power);
  if (power == 0) look_at(k, &s, x, decimals);
  return s;
}

/* The unit of the times as a power of ten, by which they are to be divided; -1 for others. */
static int power_of_unit(const char *text) {
  jn_unit u = {JN_UNIT_TIME, 0, 1};
  if (*text && (!jn__unit_read(text, &u) || u.kind != JN_UNIT_TIME)) return -1;
  return u.scale == 1 ? 0 : u.scale == 1e-3 ? 3 : u.scale == 1e-6 ? 6 : u.scale == 1e-9 ? 9 : -1;
}

static int is_whole(const double *x, int n) {
  for (int i = 0; i < n; i++)
    if (x[i] != floor(x[i]) || fabs(x[i]) > 9007199254740992.0) return 0;
  return 1;
}

void jn__check_resolution(jn_loading *l, const jn_table *t, double first, double last, double scale) {
  double finest = (nextafter(fabs(first), INFINITY) - fabs(first)) * scale;
  if (t->rows < 2 || !(finest > 1e-6 * fabs(last - first) * scale / (t->rows - 1))) return;
  jn__log(&l->log, JN_WARNING, JN_ERR_MODEL, "time-resolution", jn__table_place(t, -1, l->time), "column 't'",
          "subtract the first stamp before the times become floating-point numbers, or save whole nanoseconds as text",
          "the times are floating-point numbers that resolve only %.2g us: torques are noisy, and their rates more so",
          1e6 * finest);
}

static void join_seconds(const jn_loading *l, jn_table *t) {
  double *seconds = t->values + (size_t)l->time * t->room, *rest = t->values + (size_t)l->nanoseconds * t->room;
  for (int r = 0; r < t->rows; r++) seconds[r] += 1e-9 * rest[r];
}

static void tell_origin(jn_loading *l, const jn_table *t) {
  char decimals[24];
  snprintf(decimals, sizeof decimals, "%018lld", (long long)(l->origin->rest < 0 ? -l->origin->rest : l->origin->rest));
  for (size_t n = strlen(decimals); n > 1 && decimals[n - 1] == '0'; n--) decimals[n - 1] = 0;
  jn__log(&l->log, JN_NOTE, JN_OK, "column-clock", jn__table_place(t, 0, l->time), "column 't'", NULL,
          "starts at %lld.%s s; all times are counted from this first stamp", (long long)l->origin->seconds, decimals);
}

/* All stamps to seconds after the origin. */
static looks subtract_origin(jn_loading *l, jn_table *t, int power, const char *text, size_t length) {
  double *x = t->values + (size_t)l->time * t->room;
  lines all = {text, text ? text + length : NULL, 1};
  looks k = {0};
  for (int r = 0; r < t->rows; r++) {
    const char *begin = NULL, *end = NULL;
    if (!t->lines || !find_line(&all, t->lines[r], &begin, &end)) begin = NULL;
    jn_stamp s = stamp_at(t, r, l->time, power, begin, end, &k);
    if (l->nanoseconds >= 0) {
      jn_stamp more = stamp_at(t, r, l->nanoseconds, 9, begin, end, &k);
      s.seconds += more.seconds + (s.rest + more.rest) / parts;
      s.rest = (s.rest + more.rest) % parts;
    }
    if (!l->origin->known) *l->origin = s;
    x[r] = difference(&s, l->origin);
  }
  *t->units[l->time] = 0; /* they are in seconds now */
  return k;
}

void jn__use_stamps(jn_loading *l, jn_table *t, const char *text, size_t length) {
  if (l->time < 0 || t->rows == 0) return;
  const double *x = jn__table_column(t, l->time);
  double first = x[0], last = x[t->rows - 1];
  int power = power_of_unit(t->units[l->time]), fits = power >= 0;
  const double *rest = jn__table_column(t, l->nanoseconds >= 0 ? l->nanoseconds : l->time);
  for (int r = 0; r < t->rows; r++) fits &= fabs(x[r]) < 4e18 && fabs(rest[r]) < 4e18;
  double scale = fits ? 1 / (double)power_of_ten(power) : 1;
  int known = l->origin->known, is_clock = fits && fabs(first) * scale >= clock_start;
  if (!is_clock || (l->later && !known)) {
    if (l->nanoseconds >= 0) join_seconds(l, t);
    return;
  }
  int exact = text || is_whole(x, t->rows);
  looks k = subtract_origin(l, t, power, text, length);
  if (!known) tell_origin(l, t);
  if (!exact || (k.like >= 8 && k.unlike == 0)) jn__check_resolution(l, t, first, last, scale);
}
