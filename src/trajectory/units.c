/* SPDX-License-Identifier: BSD-2-Clause */
/* Units in the headers of files: "deg", "rad/s", "kN m". What is not known is an error: a guess would be a motion that
 * is wrong by a factor. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../text/words.h"
#include "trajectory.h"

#define PI 3.14159265358979323846

enum { WORD = 24 };

typedef struct unit {
  const char *word;
  jn_unit_kind kind;
  double scale;
  int order; /* of the time derivative that it is of: rpm 1 */
} unit;

/* In lower case, without blanks, dots and stars; "mN" and "MN" are handled earlier. "grad" is not accepted: it means a
 * degree in German, and 0.9 degrees elsewhere. */
static const unit known[] = {
    {"rad", JN_UNIT_ANGLE, 1, 0},
    {"radian", JN_UNIT_ANGLE, 1, 0},
    {"radians", JN_UNIT_ANGLE, 1, 0},
    {"mrad", JN_UNIT_ANGLE, 1e-3, 0},
    {"deg", JN_UNIT_ANGLE, PI / 180, 0},
    {"degree", JN_UNIT_ANGLE, PI / 180, 0},
    {"degrees", JN_UNIT_ANGLE, PI / 180, 0},
    {"\xC2\xB0", JN_UNIT_ANGLE, PI / 180, 0},
    {"\xB0", JN_UNIT_ANGLE, PI / 180, 0},
    {"rev", JN_UNIT_ANGLE, 2 * PI, 0},
    {"rpm", JN_UNIT_ANGLE, 2 * PI / 60, 1},
    {"m", JN_UNIT_LENGTH, 1, 0},
    {"meter", JN_UNIT_LENGTH, 1, 0},
    {"meters", JN_UNIT_LENGTH, 1, 0},
    {"metre", JN_UNIT_LENGTH, 1, 0},
    {"metres", JN_UNIT_LENGTH, 1, 0},
    {"cm", JN_UNIT_LENGTH, 1e-2, 0},
    {"mm", JN_UNIT_LENGTH, 1e-3, 0},
    {"um", JN_UNIT_LENGTH, 1e-6, 0},
    {"\xC2\xB5m", JN_UNIT_LENGTH, 1e-6, 0},
    {"s", JN_UNIT_TIME, 1, 0},
    {"sec", JN_UNIT_TIME, 1, 0},
    {"second", JN_UNIT_TIME, 1, 0},
    {"seconds", JN_UNIT_TIME, 1, 0},
    {"ms", JN_UNIT_TIME, 1e-3, 0},
    {"us", JN_UNIT_TIME, 1e-6, 0},
    {"\xC2\xB5s", JN_UNIT_TIME, 1e-6, 0},
    {"ns", JN_UNIT_TIME, 1e-9, 0},
    {"min", JN_UNIT_TIME, 60, 0},
    {"h", JN_UNIT_TIME, 3600, 0},
    {"n", JN_UNIT_FORCE, 1, 0},
    {"kn", JN_UNIT_FORCE, 1e3, 0},
    {"nm", JN_UNIT_TORQUE, 1, 0},
    {"knm", JN_UNIT_TORQUE, 1e3, 0},
    {"nmm", JN_UNIT_TORQUE, 1e-3, 0},
    {"ncm", JN_UNIT_TORQUE, 1e-2, 0},
    {"a", JN_UNIT_CURRENT, 1, 0},
    {"ma", JN_UNIT_CURRENT, 1e-3, 0},
    {"1", JN_UNIT_NONE, 1, 0},
    {"-", JN_UNIT_NONE, 1, 0},
};

/* The word that begins at *text, up to '/', '^' or the end, as `known` has it; 0 when it is too long. */
static int take_word(const char **text, char word[WORD]) {
  size_t n = 0;
  for (; **text && **text != '/' && **text != '^'; (*text)++) {
    unsigned char c = (unsigned char)**text;
    if (isspace(c) || c == '*' || c == '.') continue;
    if (c == 0xC2 && (unsigned char)(*text)[1] == 0xB7) { /* the dot in the middle */
      (*text)++;
      continue;
    }
    if (n + 1 >= WORD) return 0;
    word[n++] = (char)(c < 0x80 ? tolower(c) : c);
  }
  word[n] = 0;
  return n > 0;
}

static const unit *find(const char *word) {
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strcmp(known[i].word, word) == 0) return &known[i];
  return NULL;
}

/* "/s", "/s^2", "/s2", "/s²", "/min" behind a unit: the power, and the time as a unit; 0 if it is not one of these. */
static int take_rate(const char *text, int *power, const unit **time) {
  static const char *const squares[] = {"\xC2\xB2", "\xC2\xB3", "\xE2\x81\xB4"};
  char word[WORD];
  if (!take_word(&text, word)) return 0;
  *power = 1;
  size_t n = strlen(word);
  if (*text == '^') {
    if (!isdigit((unsigned char)text[1]) || text[2]) return 0;
    *power = text[1] - '0';
  } else if (n > 1 && isdigit((unsigned char)word[n - 1])) {
    *power = word[n - 1] - '0';
    word[n - 1] = 0;
  }
  for (int i = 0; i < 3; i++) {
    size_t k = strlen(squares[i]);
    if (n <= k || strcmp(word + n - k, squares[i]) != 0) continue;
    *power = i + 2;
    word[n - k] = 0;
  }
  *time = find(word);
  return *time && (*time)->kind == JN_UNIT_TIME && *text != '/' && *power > 0;
}

int jn__unit_read(const char *text, jn_unit *out) {
  char word[WORD];
  size_t blank = strspn(text, " ");
  /* only here the size of a letter counts */
  double mega = strncmp(text + blank, "MN", 2) == 0 ? 1e6 : strncmp(text + blank, "mN", 2) == 0 ? 1e-3 : 1;
  if (mega != 1) text += blank + 1;
  if (!take_word(&text, word)) return 0;
  const unit *u = find(word), *time = NULL;
  int power = 0;
  if (!u || (mega != 1 && u->kind != JN_UNIT_FORCE && u->kind != JN_UNIT_TORQUE) || *text == '^') return 0;
  if (*text == '/' && !take_rate(text + 1, &power, &time)) return 0;
  *out = (jn_unit){u->kind, u->order + power, u->scale * mega};
  for (int k = 0; k < power; k++) out->scale /= time->scale;
  return 1;
}

/* ---- Columns ---- */

/* As docs/torque.md has them; those that are rates by themselves come with the first order. */
static const char *const units_of_kind[] = {"rad, mrad, deg, rev",
                                            "m, cm, mm, um",
                                            "s, ms, us, ns, min, h",
                                            "N, mN, kN, MN",
                                            "N m, N cm, N mm, kN m",
                                            "A, mA",
                                            "no unit"};

/* "rad/s^2, deg/s^2" for a remedy. */
static void list_units(jn_unit_kind kind, int order, char *out, size_t size) {
  char rate[16] = "";
  if (order > 0) snprintf(rate, sizeof rate, order == 1 ? "/s" : "/s^%d", order);
  const char *p = units_of_kind[kind];
  size_t used = 0;
  while (*p && used < size) {
    size_t n = strcspn(p, ",");
    used += (size_t)snprintf(out + used, size - used, "%.*s%s%s", (int)n, p, kind == JN_UNIT_NONE ? "" : rate,
                             p[n] ? ", " : "");
    p += n + (p[n] ? 2 : 0);
  }
  if (kind == JN_UNIT_ANGLE && order == 1 && used < size) snprintf(out + used, size - used, ", rpm");
}

/* Numbers whose squares, and products of these, are still numbers. 0 after reporting the first that is larger. */
static int check_size(jn_loading *l, const jn_table *t, int column) {
  const double *x = jn__table_column(t, column);
  for (int r = 0; r < t->rows; r++) {
    if (!(fabs(x[r]) > JN_LARGEST_VALUE)) continue;
    char subject[96];
    snprintf(subject, sizeof subject, "column '%.*s'", JN_CLIP(t->names[column]));
    jn__log(&l->log, JN_ERROR, JN_ERR_MODEL, "value-size", jn__table_place(t, r, column), subject,
            "if it stands for a missing value, leave the row out",
            "row %d has %.4g, which is beyond %g, the largest number that can be computed with", r + 1, x[r],
            JN_LARGEST_VALUE);
    return 0;
  }
  return 1;
}

int jn__scale_column(jn_loading *l, jn_table *t, int column, jn_unit_kind kind, int order) {
  static const char *const things[] = {
      "an angle", "a length", "a time", "a force", "a moment", "a current", "a part of a quaternion"};
  const char *text = t->units[column];
  jn_unit u;
  if (!*text) {
    double *plain = t->values + (size_t)column * t->room;
    for (int r = 0; r < t->rows && kind == JN_UNIT_ANGLE && l->options.degrees; r++)
      plain[r] *= 3.14159265358979323846 / 180;
    return check_size(l, t, column);
  }
  int is_known = jn__unit_read(text, &u);
  if (!is_known || u.kind != kind || u.order != order) {
    char subject[96], remedy[160], list[96], rate[48] = "";
    snprintf(subject, sizeof subject, "column '%.*s'", JN_CLIP(t->names[column]));
    list_units(kind, order, list, sizeof list);
    snprintf(remedy, sizeof remedy, "units here: %s", list);
    if (order > 0) snprintf(rate, sizeof rate, "derivative %d of ", order);
    jn__log(&l->log, JN_ERROR, JN_ERR_MODEL, "unit", jn__table_place(t, -1, column), subject, remedy,
            is_known ? "the unit [%.*s] does not fit %s%s" : "the unit [%.*s] is not known; this is %s%s",
            JN_CLIP(text), rate, things[kind]);
    return 0;
  }
  double *x = t->values + (size_t)column * t->room;
  for (int r = 0; r < t->rows && u.scale != 1; r++) x[r] *= u.scale;
  return check_size(l, t, column);
}

jn_unit_kind jn__coordinate_kind(const jn_model *m, int i) {
  for (int v = 0; v < jn_model_nv(m); v++) {
    int number, joint = jn_coordinate_joint(m, v, &number), first = jn_joint_q(m, joint);
    jn_joint_type type = jn_joint_type_of(m, joint);
    if (type == JN_FREE && i >= first && i < first + 3) return JN_UNIT_LENGTH;
    if (type == JN_FREE || type == JN_SPHERICAL || first + number != i) continue;
    const double *screw = type == JN_GENERAL ? jn_joint_description(m, joint)->screws[number] : NULL;
    int linear = type == JN_PRISMATIC || (type == JN_CYLINDRICAL && number == 1) || (type == JN_PLANAR && number < 2) ||
                 (screw && screw[0] == 0 && screw[1] == 0 && screw[2] == 0);
    return linear ? JN_UNIT_LENGTH : JN_UNIT_ANGLE;
  }
  return JN_UNIT_NONE;
}
