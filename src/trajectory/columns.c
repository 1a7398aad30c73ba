/* SPDX-License-Identifier: BSD-2-Clause */
/* Which column of a table is which coordinate, when it is not named after it: the user's own mapping, exports of ROS
 * and PlotJuggler (/joint_states/NAME/position, field.position0 with field.name0), and numbers (q0, q1, ...). Such
 * columns get the name of their coordinate, and a note says so; what could mean two things is refused. */
#include "columns.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../text/nearest_name.h"
#include "../text/words.h"

enum { UNKNOWN = -1, UNUSED = -2, REPLACED = -3, FORCE = -4, MAX_NAMED = 10000 };
enum { BY_NAME = 1, BY_USER, BY_PATTERN, BY_NUMBER, BY_MOTOR }; /* how a column was found */

typedef struct matcher {
  jn_loading *l;
  jn_table *t;
  const char *row, *row_end; /* the first row as text; NULL: none */
  int *place;                /* [columns] of the coordinate, UNKNOWN */
  unsigned char *order, *how;
  int *owner; /* [nq x JN_MAX_CHANNELS] column + 1 */
  int positions;
  int faults;
} matcher;

/* ---- Words ---- */

/* The order of the derivative that a word means; UNUSED for what is not looked for: everything but motion, or
 * everything but forces; UNKNOWN. */
static int quantity_of(const jn_loading *l, const char *word, size_t length) {
  static const struct {
    const char *word;
    int order;
  } known[] = {{"position", 0},    {"positions", 0},   {"pos", 0},
               {"q", 0},           {"velocity", 1},    {"velocities", 1},
               {"vel", 1},         {"speed", 1},       {"dq", 1},
               {"qd", 1},          {"qdot", 1},        {"acceleration", 2},
               {"acc", 2},         {"accel", 2},       {"accelerations", 2},
               {"ddq", 2},         {"qdd", 2},         {"qddot", 2},
               {"effort", FORCE},  {"efforts", FORCE}, {"torque", FORCE},
               {"torques", FORCE}, {"tau", FORCE},     {"force", FORCE},
               {"current", FORCE}, {"name", UNUSED},   {"temperature", UNUSED}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strlen(known[i].word) == length && strncmp(known[i].word, word, length) == 0)
      return known[i].order == FORCE ? (l->forces ? 0 : UNUSED) : l->forces ? UNUSED : known[i].order;
  return UNKNOWN;
}

/* Parts of names that are not measured motion: the columns of a controller's state. */
static int is_setpoint(const char *name) {
  static const char words[] =
      "desired, des, command, commanded, cmd, reference, ref, target, goal, setpoint, error, output";
  char part[32];
  for (size_t n; *name; name += n + (name[n] != 0)) {
    n = strcspn(name, "/.:_ [");
    if (n == 0 || n >= sizeof part) continue;
    for (size_t i = 0; i < n; i++) part[i] = (char)tolower((unsigned char)name[i]);
    part[n] = 0;
    if (jn__is_listed(words, part)) return 1;
  }
  return 0;
}

static int is_separator(char c) { return c == '/' || c == '.' || c == ':'; }

/* The place of a coordinate in q, or of a force in v; -1 when there is none. */
static int find_place(const jn_loading *l, const char *name) {
  return l->forces ? jn__velocity_find(l, name) : jn__coordinate_find(l, name);
}

/* The coordinate that a piece of text names, whole or after a separator; the longest name counts. */
static int find_within(const matcher *m, const char *text, size_t length) {
  char name[JN_NAME];
  for (size_t i = 0; i < length; i++) {
    if (i > 0 && !is_separator(text[i - 1])) continue;
    if (length - i >= sizeof name) continue;
    snprintf(name, sizeof name, "%.*s", (int)(length - i), text + i);
    int place = find_place(m->l, name);
    if (place >= 0) return place;
  }
  return UNKNOWN;
}

/* Cuts a last word such as "/position" or "_vel" off; its meaning, or UNKNOWN when there is none. */
static int cut_quantity(const jn_loading *l, const char *name, size_t *length) {
  size_t i = *length;
  while (i > 0 && !is_separator(name[i - 1]) && name[i - 1] != '_' && name[i - 1] != ' ') i--;
  int order = i > 1 ? quantity_of(l, name + i, *length - i) : UNKNOWN;
  if (order != UNKNOWN) *length = i - 1;
  return order;
}

/* ---- Who is what ---- */

static void subject_of(const matcher *m, int column, char out[96]) {
  snprintf(out, 96, "column '%.*s'", JN_CLIP(m->t->names[column]));
}

static void coordinate_name(const matcher *m, int place, int order, char *out, size_t size) {
  char name[JN_NAME];
  if (m->l->forces) {
    jn_velocity_name(m->l->model, place, name, sizeof name);
    snprintf(out, size, "%s.tau", name);
    return;
  }
  jn_coordinate_name(m->l->model, place, name, sizeof name);
  if (order > 0)
    snprintf(out, size, "%s_d%c", name, (char)('0' + order)); /* fewer than ten */
  else
    snprintf(out, size, "%s", name);
}

/* The column is this coordinate, unless one that was found more surely is. Two that are as sure are refused. */
static void claim(matcher *m, int column, int place, int order, int how) {
  int *owner = &m->owner[place * JN_MAX_CHANNELS + order], other = *owner - 1;
  if (other >= 0 && m->how[other] != how && m->how[other] != BY_PATTERN) {
    char subject[96], name[JN_NAME + 8];
    subject_of(m, column, subject);
    coordinate_name(m, place, order, name, sizeof name);
    jn__log(&m->l->log, JN_NOTE, JN_OK, "column-replaced", jn__table_place(m->t, -1, column), subject, NULL,
            "is not used: '%.*s' is taken from column '%.*s'", JN_CLIP(name), JN_CLIP(m->t->names[other]));
    m->place[column] = REPLACED;
    return;
  }
  if (other >= 0 && how == BY_PATTERN) {
    char subject[96], name[JN_NAME + 8], remedy[JN_NAME + 64];
    subject_of(m, column, subject);
    coordinate_name(m, place, order, name, sizeof name);
    snprintf(remedy, sizeof remedy, "say which: --columns %.*s=COLUMN", JN_CLIP(name));
    jn__log(&m->l->log, JN_ERROR, JN_ERR_NAME, "column-ambiguous", jn__table_place(m->t, -1, column), subject, remedy,
            "may be '%.*s', and so may column '%.*s'", JN_CLIP(name), JN_CLIP(m->t->names[other]));
    m->faults++;
    return;
  }
  m->place[column] = place;
  m->order[column] = (unsigned char)order;
  m->how[column] = (unsigned char)how;
  m->positions += order == 0;
  *owner = column + 1;
}

/* ---- The user's own mapping ---- */

typedef struct mapping {
  char name[JN_NAME];
  const char *column;
} mapping;

static const char *column_name_at(const void *table, int i) { return ((const jn_table *)table)->names[i]; }
static const char *coordinate_name_at(const void *loading, int i) {
  return ((const jn_loading *)loading)->names.q.places[i].name;
}

static void refuse(matcher *m, const char *what, const char *word, const char *remedy, const char *text) {
  char subject[96];
  snprintf(subject, sizeof subject, "%s '%.*s'", what, JN_CLIP(word));
  jn__log(&m->l->log, JN_ERROR, JN_ERR_NAME, "columns", jn__table_place(m->t, -1, 0), subject, remedy, "%s", text);
  m->faults++;
}

/* Column #3 or by name, with or without the unit; -1 after telling. */
static int mapped_column(matcher *m, const char *text) {
  char remedy[128] = "the first line of the file has the names";
  const jn_table *t = m->t;
  int found = jn__table_find(t, text);
  if (found >= 0) return found;
  if (*text == '#') {
    char *end;
    long number = strtol(text + 1, &end, 10);
    if (end > text + 1 && !*end && number >= 1 && number <= t->columns) return (int)number - 1;
    snprintf(remedy, sizeof remedy, "columns count from #1 to #%d", t->columns);
  } else {
    jn__did_you_mean(text, t->columns, column_name_at, t, remedy, sizeof remedy);
  }
  refuse(m, "column", text, remedy, "--columns: there is no such column");
  return -1;
}

/* The same, "q1 [deg]" too: the column gets this unit. */
static int mapped_with_unit(matcher *m, const char *text) {
  const char *bracket = strrchr(text, '[');
  size_t n = strlen(text), length = bracket ? (size_t)(bracket - text) : n;
  char own[JN_NAME];
  if (!bracket || bracket == text || bracket[-1] != ' ' || text[n - 1] != ']' || length >= sizeof own)
    return mapped_column(m, text);
  while (length > 0 && text[length - 1] == ' ') length--;
  snprintf(own, sizeof own, "%.*s", (int)length, text);
  int column = mapped_column(m, own);
  size_t bytes = n - (size_t)(bracket - text) - 1;
  char *unit = column >= 0 ? jn__allocate(&m->t->allocator, bytes) : NULL;
  if (!unit) return column;
  memcpy(unit, bracket + 1, bytes - 1);
  jn__release(&m->t->allocator, m->t->units[column]);
  m->t->units[column] = unit;
  return column;
}

/* "elbow.tau": the force of a coordinate. */
static int is_force(const char *name) {
  size_t n = strlen(name);
  return n > 4 && strcmp(name + n - 4, ".tau") == 0;
}

int jn__is_mapped_force(const jn_loading *l, const jn_table *t, int column) {
  for (int i = 0; i < l->options.column_count; i++) {
    const char *text = l->options.columns[i], *equal = text ? strchr(text, '=') : NULL;
    if (!equal || equal - text <= 4 || strncmp(equal - 4, ".tau", 4) != 0) continue;

    /* By number, or by name with or without a unit behind it. */
    const char *name = equal + 1, *own = t->names[column];
    size_t n = strlen(own);
    if (*name == '#' && strtol(name + 1, NULL, 10) == column + 1) return 1;
    if (strncmp(name, own, n) == 0 && (name[n] == 0 || strncmp(name + n, " [", 2) == 0)) return 1;
  }
  return 0;
}

/* NAME, NAME_d1, ..., NAME.tau or t. 0 after telling. */
static int mapped_name(matcher *m, const char *name, int *place, int *order) {
  char own[JN_NAME];
  if (m->l->forces && is_force(name)) {
    snprintf(own, sizeof own, "%.*s", (int)(strlen(name) - 4), name);
    *place = jn__velocity_find(m->l, own);
    if (*place >= 0) return 1;
    refuse(m, "force", name, "jounce info shows the names of the joints",
           "--columns: the model has no such coordinate");
    return 0;
  }
  if (strcmp(name, "t") == 0 || strcmp(name, "time") == 0) {
    *place = UNKNOWN;
    return 1;
  }
  *place = jn__column_coordinate(m->l, name, order);
  if (*place >= 0) return 1;
  char remedy[128] = "jounce info shows the names of the joints";
  jn__did_you_mean(name, m->l->names.q.count, coordinate_name_at, m->l, remedy, sizeof remedy);
  refuse(m, "coordinate", name, remedy, "--columns: the model has no such coordinate");
  return 0;
}

static void use_mapping(matcher *m, int *time) {
  for (int i = 0; i < m->l->options.column_count; i++) {
    const char *text = m->l->options.columns[i], *equal = text ? strchr(text, '=') : NULL;
    char name[JN_NAME];
    int place, order = 0;
    if (!equal || equal == text || !equal[1] || (size_t)(equal - text) >= sizeof name) {
      refuse(m, "mapping", text ? text : "", "write NAME=COLUMN, NAME=#3 or NAME=COLUMN [unit]",
             "--columns: is not of this form");
      continue;
    }
    snprintf(name, sizeof name, "%.*s", (int)(equal - text), text);
    int of_time = strcmp(name, "t") == 0 || strcmp(name, "time") == 0;
    if (!of_time && is_force(name) != m->l->forces) continue; /* for the other reading of this file */
    int column = mapped_with_unit(m, equal + 1), known = mapped_name(m, name, &place, &order);
    if (column < 0 || !known) continue;
    int twice = m->how[column] == BY_USER || column == *time ||
                (place == UNKNOWN ? *time >= 0 : m->owner[place * JN_MAX_CHANNELS + order] != 0);
    if (twice)
      refuse(m, "mapping", text, "give each name and each column once",
             "--columns: has a name or a column given twice");
    else if (place == UNKNOWN)
      *time = column;
    else
      claim(m, column, place, order, BY_USER);
  }
}

/* ---- Names as programs write them ---- */

/* The text of the first row in a column, into out; 0 when there is none. */
static int first_cell(const matcher *m, int column, char *out, size_t size) {
  const char *p = m->row, *end = m->row_end;
  if (!p || !jn__csv_cell(m->t->separator, &p, &end, column) || end == p || (size_t)(end - p) >= size) return 0;
  snprintf(out, size, "%.*s", (int)(end - p), p);
  return 1;
}

/* "position[3]", "position3", "position_3": where the number begins, with what stands before it; 0: there is none. */
static int cut_number(const char *name, size_t length, size_t *stem, size_t *digits, int *number) {
  size_t end = length, i;
  if (end > 0 && name[end - 1] == ']') end--;
  for (i = end; i > 0 && isdigit((unsigned char)name[i - 1]); i--) {
  }
  if (i == end || end - i > 4) return 0;
  *number = atoi(name + i);
  *digits = i;
  if (end < length) {
    if (i == 0 || name[i - 1] != '[') return 0;
    i--;
  } else if (i > 0 && (name[i - 1] == '_' || is_separator(name[i - 1]))) {
    i--;
  }
  *stem = i;
  return i > 0;
}

/* Arrays with names beside them: "field.position3" is of the joint in "field.name3". */
static int find_named(const matcher *m, const char *name, int *order) {
  static const char *const words[] = {"name", "names", "joint_name", "joint_names"};
  size_t length = strlen(name), stem, digits, word;
  int number;
  if (m->t->columns > MAX_NAMED || !cut_number(name, length, &stem, &digits, &number)) return UNKNOWN;
  for (word = stem; word > 0 && !is_separator(name[word - 1]); word--) {
  }
  *order = quantity_of(m->l, name + word, stem - word);
  if (*order < 0) return *order;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    char other[2 * JN_NAME], joint[JN_NAME];
    if (word + strlen(words[i]) + length - stem >= sizeof other) return UNKNOWN;
    snprintf(other, sizeof other, "%.*s%s%s", (int)word, name, words[i], name + stem);
    int column = jn__table_find(m->t, other);
    if (column >= 0 && first_cell(m, column, joint, sizeof joint)) {
      int place = find_place(m->l, joint);
      return place >= 0 ? place : UNUSED; /* of another robot */
    }
  }
  return UNKNOWN;
}

/* The coordinate, UNUSED for what is known but no motion, or UNKNOWN. */
static int find_pattern(const matcher *m, const char *name, int *order) {
  size_t length = strlen(name), last = length, word;
  int place = find_named(m, name, order);
  if (place != UNKNOWN) return place;
  *order = cut_quantity(m->l, name, &length); /* NAME/position, NAME_pos */
  if (*order != UNKNOWN) {
    place = find_within(m, name, length);
    if (place >= 0) return *order == UNUSED ? UNUSED : place;
  }
  length = strlen(name);
  while (last > 0 && !is_separator(name[last - 1])) last--;
  if (last > 1) { /* position/NAME */
    for (word = last - 1; word > 0 && !is_separator(name[word - 1]); word--) {
    }
    *order = quantity_of(m->l, name + word, last - 1 - word);
    place = *order == UNKNOWN ? UNKNOWN : find_within(m, name + last, length - last);
    if (place >= 0) return *order == UNUSED ? UNUSED : place;
  }
  word = strcspn(name + last, "_"); /* pos_NAME */
  *order = name[last + word] ? quantity_of(m->l, name + last, word) : UNKNOWN;
  place = *order == UNKNOWN ? UNKNOWN : find_within(m, name + last + word + 1, length - last - word - 1);
  return place >= 0 && *order == UNUSED ? UNUSED : place;
}

static void find_patterns(matcher *m, int time) {
  for (int c = 0; c < m->t->columns; c++) {
    int order, place;
    if (c == time || m->how[c] || m->place[c] == REPLACED) continue;
    if (!m->l->forces && jn__column_is_result(m->l, m->t->names[c])) continue;
    place = find_pattern(m, m->t->names[c], &order);
    if (place >= 0 && !is_setpoint(m->t->names[c]))
      claim(m, c, place, order, BY_PATTERN);
    else if (place != UNKNOWN)
      m->place[c] = UNUSED;
  }
}

/* ---- Numbers ---- */

typedef struct numbered {
  int first, last, count;
  char stem[16]; /* of positions */
  int column;    /* the first of them */
} numbered;

/* "q3", "joint_3", "joint3_vel": the number and the order; 0 for other names. */
static int read_numbered(const jn_loading *l, const char *name, int *number, int *order, char stem[16]) {
  size_t length = strlen(name), end, digits;
  int quantity = cut_quantity(l, name, &length);
  static const char words[] = "q, joint, j, axis, theta, dq, qd, qdot, ddq, qdd, qddot";
  if (!cut_number(name, length, &end, &digits, number) || end >= 16 || (size_t)strlen(name) - length > 16) return 0;
  snprintf(stem, 16, "%.*s", (int)end, name);
  for (char *p = stem; *p; p++) *p = (char)tolower((unsigned char)*p);
  int own = quantity_of(l, stem, strlen(stem));
  if (l->forces) { /* tau1, or joint1_torque */
    *order = quantity != UNKNOWN && jn__is_listed(words, stem) ? quantity : own;
    return *order == 0;
  }
  if (!jn__is_listed(words, stem)) return 0;
  *order = quantity != UNKNOWN ? quantity : own == UNKNOWN ? 0 : own;
  return *order >= 0;
}

/* Only when nothing else was found: positions numbered from 0 or 1, as many as the model has coordinates. */
static void find_numbered(matcher *m, int time) {
  numbered n = {.first = 1 << 20, .last = -1};
  int number, order, mixed = 0;
  int nq = m->l->forces ? jn_model_nv(m->l->model) : jn_model_nq(m->l->model);
  char stem[16];
  for (int c = 0; c < m->t->columns; c++) {
    if (c == time || !read_numbered(m->l, m->t->names[c], &number, &order, stem) || order != 0) continue;
    if (n.count++ == 0) n.column = c, memcpy(n.stem, stem, sizeof stem);
    mixed |= strcmp(n.stem, stem) != 0;
    if (number < n.first) n.first = number;
    if (number > n.last) n.last = number;
  }
  if (n.count == 0) return;
  if (mixed || n.count != nq || n.last - n.first + 1 != nq || n.first > 1) {
    char subject[96];
    subject_of(m, n.column, subject);
    jn__log(&m->l->log, JN_ERROR, JN_ERR_NAME, "column-ambiguous", jn__table_place(m->t, -1, n.column), subject,
            "say which is which: --columns NAME=COLUMN,...",
            "is one of %d numbered columns (from %d to %d), which cannot be assigned: the model has %d coordinates%s",
            n.count, n.first, n.last, nq, mixed ? ", and not all column names begin alike" : "");
    m->faults++;
    return;
  }
  for (int c = 0; c < m->t->columns; c++) {
    if (c == time || !read_numbered(m->l, m->t->names[c], &number, &order, stem)) continue;
    if (number >= n.first && number <= n.last) claim(m, c, number - n.first, order, BY_NUMBER);
  }
}

/* ---- Times ---- */

static int ends_in(const char *name, const char *ending) {
  size_t n = strlen(name), k = strlen(ending);
  return n > k && strcmp(name + n - k, ending) == 0;
}

/* The column of times: by plain names first, then as programs write them. */
static int find_time(const jn_table *t) {
  static const char *const names[] = {"t",      "time",  "timestamp", "Time",           "T",
                                      "__time", "%time", "Timestamp", "rosbagTimestamp"};
  static const char *const endings[] = {"/header/stamp", ".header.stamp", "/stamp",
                                        ".stamp",        "/timestamp",    ".timestamp"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    int c = jn__table_find(t, names[i]);
    if (c >= 0) return c;
  }
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
    for (int c = 0; c < t->columns; c++)
      if (ends_in(t->names[c], endings[i])) return c;
  }
  return -1;
}

/* Seconds and nanoseconds in two columns. */
static int find_seconds(matcher *m) {
  static const char *const pairs[][2] = {{"sec", "nanosec"}, {"secs", "nsecs"}, {"sec", "nsec"}};
  jn_table *t = m->t;
  for (int c = 0; c < t->columns && t->columns <= MAX_NAMED; c++) {
    for (int i = 0; i < 3; i++) {
      char other[2 * JN_NAME];
      size_t n = strlen(t->names[c]), k = strlen(pairs[i][0]);
      if (n < k || strcmp(t->names[c] + n - k, pairs[i][0]) != 0 || n + 8 > sizeof other) continue;
      snprintf(other, sizeof other, "%.*s%s", (int)(n - k), t->names[c], pairs[i][1]);
      m->l->nanoseconds = jn__table_find(t, other);
      if (m->l->nanoseconds >= 0) return c;
    }
  }
  return -1;
}

/* Clocks count from 1970: seconds are about 1.7e9, and what is far larger are parts of a second. */
static jn_status find_time_unit(matcher *m, int time) {
  char text[64];
  const char *unit = NULL;
  if (*m->t->units[time]) return JN_OK;
  int is_text = first_cell(m, time, text, sizeof text);
  if (!is_text && m->t->rows == 0) return JN_OK;
  double first = is_text ? jn__read_number(text, NULL) : jn__table_column(m->t, time)[0]; /* of arrays */
  if (first > 1e17 && first < 1e20) unit = "ns";
  if (first > 1e14 && first < 1e17) unit = "us";
  if (first > 1e11 && first < 1e14) unit = "ms";
  if (!unit) return JN_OK;
  char subject[96], *copy = jn__copy_text(&m->t->allocator, unit);
  if (!copy) return JN_ERR_MEMORY;
  jn__release(&m->t->allocator, m->t->units[time]);
  m->t->units[time] = copy;
  subject_of(m, time, subject);
  jn__log(&m->l->log, JN_NOTE, JN_OK, "column-time", jn__table_place(m->t, -1, time), subject,
          "write the unit into the header if that is wrong: \"t [s]\"", "starts at %.4g: taken as %s since 1970", first,
          unit);
  return JN_OK;
}

/* ---- Together ---- */

static jn_status rename_column(matcher *m, int column, const char *name, const char *why) {
  char subject[96], *copy = jn__copy_text(&m->t->allocator, name);
  if (!copy) return JN_ERR_MEMORY;
  subject_of(m, column, subject);
  if (why) /* worth a note */
    jn__log(&m->l->log, JN_NOTE, JN_OK, "column-name", jn__table_place(m->t, -1, column), subject, NULL,
            "is used as '%.*s'%s", JN_CLIP(name), why);
  jn__release(&m->t->allocator, m->t->names[column]);
  m->t->names[column] = copy;
  return JN_OK;
}

static jn_status rename_all(matcher *m, int time) {
  jn_status status = JN_OK;
  if (time >= 0 && strcmp(m->t->names[time], "t") != 0 && jn__table_find(m->t, "t") < 0) {
    static const char common[] = "time, timestamp, Time, T"; /* not worth a note */
    const char *pair = m->l->nanoseconds >= 0 ? ", together with its nanoseconds" : "";
    if (!jn__is_listed(common, m->t->names[time])) status = rename_column(m, time, "t", pair);
  }
  for (int c = 0; c < m->t->columns && status == JN_OK; c++) {
    char name[JN_NAME + 8];
    if (m->how[c] <= BY_NAME) continue;
    coordinate_name(m, m->place[c], m->order[c], name, sizeof name);
    if (strcmp(name, m->t->names[c]) == 0) continue;
    const char *number = m->how[c] == BY_NUMBER ? ", by the order of the model" : "";
    status = rename_column(m, c, name, m->how[c] == BY_MOTOR ? NULL : number); /* the user named the motors */
  }
  return status;
}

/* What the columns are for: jn_table.use. In a file with plain names only, all columns must have numbers. */
static void set_use(matcher *m, int time) {
  int plain = m->l->nanoseconds < 0 && !m->l->forces;
  for (int c = 0; c < m->t->columns; c++) plain &= m->how[c] <= BY_NAME && m->place[c] >= UNKNOWN;
  if (plain) {
    jn__release(&m->t->allocator, m->t->use);
    m->t->use = NULL;
    return;
  }
  for (int c = 0; c < m->t->columns; c++)
    m->t->use[c] = m->how[c]                 ? JN_COLUMN_VALUE
                   : m->place[c] == REPLACED ? JN_COLUMN_REPLACED
                   : m->place[c] == UNUSED   ? JN_COLUMN_UNUSED
                                             : JN_COLUMN_UNKNOWN;
  if (time >= 0) m->t->use[time] = JN_COLUMN_TIME;
  if (time >= 0 && m->l->nanoseconds >= 0) m->t->use[m->l->nanoseconds] = JN_COLUMN_TIME;
}

const char *jn__open_bracket(const char *name) {
  const char *open = strrchr(name, '[');
  return open && !strchr(open, ']') ? open : NULL;
}

/* "elbow.tau [N m": a name that nobody understands, because its bracket is not closed. Told by the reading that would
 * use the column: of the motion, or of the forces. */
static void check_brackets(const matcher *m) {
  for (int c = 0; c < m->t->columns; c++) {
    const char *name = m->t->names[c], *open = jn__open_bracket(name);
    char own[JN_NAME], subject[96];
    size_t n = open ? (size_t)(open - name) : 0;
    if (!open || n >= sizeof own) continue;
    while (n > 0 && name[n - 1] == ' ') n--;
    snprintf(own, sizeof own, "%.*s", (int)n, name);
    if (is_force(own) != m->l->forces) continue;
    subject_of(m, c, subject);
    jn__log(&m->l->log, JN_WARNING, JN_ERR_NAME, "column-bracket", jn__table_place(m->t, -1, c), subject,
            "close the bracket behind the unit: \"NAME [UNIT]\"", "its bracket '[' is not closed, so it is not used");
  }
}

/* "m1", "m1_d1" of a motor; "m1.tau" where forces are looked for: the place of its number. */
static void claim_motor(matcher *m, int column) {
  const char *name = m->t->names[column];
  char own[JN_NAME];
  size_t length = strlen(name);
  int order = 0;

  if (m->l->forces != is_force(name)) return;
  if (m->l->forces) length -= 4;
  if (!m->l->forces) order = jn__derivative_of(name, &length);
  if (length >= sizeof own || order >= JN_MAX_CHANNELS) return;
  snprintf(own, sizeof own, "%.*s", (int)length, name);
  int motor = jn__motor_find(m->l, own);
  if (motor >= 0) claim(m, column, motor, order, BY_MOTOR);
}

static jn_status match(matcher *m, int *time) {
  *time = -1;
  use_mapping(m, time);
  if (*time < 0) *time = find_time(m->t);
  if (*time < 0) *time = find_seconds(m);
  m->l->time = *time;
  check_brackets(m);
  for (int c = 0; c < m->t->columns; c++) {
    int order, place;
    if (c == *time || m->how[c]) continue;
    if (m->l->forces) {
      int result = is_force(m->t->names[c]);
      char own[JN_NAME] = "";
      if (result) snprintf(own, sizeof own, "%.*s", (int)(strlen(m->t->names[c]) - 4), m->t->names[c]);
      order = 0;
      place = result ? jn__velocity_find(m->l, own) : UNKNOWN;
    } else {
      place = jn__column_coordinate(m->l, m->t->names[c], &order);
    }
    if (place >= 0) claim(m, c, place, order, BY_NAME);
    if (place < 0) claim_motor(m, c);
  }
  find_patterns(m, *time);
  if (m->positions == 0) find_numbered(m, *time);
  return m->faults ? JN_ERR_NAME : JN_OK;
}

jn_status jn__match_columns(jn_table *t, const char *row, const char *row_end, void *loading) {
  jn_loading *l = loading;
  size_t n = (size_t)t->columns;
  size_t owners = (size_t)(jn_model_nq(l->model) + jn_model_nv(l->model)) * JN_MAX_CHANNELS;
  matcher m = {.l = l, .t = t, .row = row, .row_end = row_end};
  int time;
  l->nanoseconds = -1;
  m.place = jn__allocate(&l->allocator, (n + owners) * sizeof *m.place);
  m.order = jn__allocate(&l->allocator, 2 * n);
  t->use = jn__allocate(&t->allocator, n);
  jn_status status = m.place && m.order && t->use ? JN_OK : JN_ERR_MEMORY;
  if (status == JN_OK) {
    m.owner = m.place + n;
    m.how = m.order + n;
    for (size_t c = 0; c < n; c++) m.place[c] = UNKNOWN;
    status = match(&m, &time);
    if (status == JN_OK) set_use(&m, time);
    if (status == JN_OK && time >= 0) status = find_time_unit(&m, time);
    if (status == JN_OK) status = rename_all(&m, time);
  }
  jn__release(&l->allocator, m.place);
  jn__release(&l->allocator, m.order);
  return status;
}

jn_status jn__match_time(jn_table *t, const char *row, const char *row_end, void *loading) {
  jn_loading *l = loading;
  matcher m = {.l = l, .t = t, .row = row, .row_end = row_end};
  l->nanoseconds = -1;
  l->time = find_time(t);
  if (l->time < 0) l->time = find_seconds(&m);
  return l->time >= 0 ? find_time_unit(&m, l->time) : JN_OK;
}
