/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that want more than they are worth: every reader stops at the one limit, with an error that names the file, the
 * limit and how to raise it; and takes memory and time in proportion to what it reads. docs/limits.md. */
#include "support/running.h" /* first: it chooses what the system headers declare */

#include <time.h>

#include "io/table.h"
#include "motion_help.h"

/* ---- An allocator that knows how much was taken at once ---- */

typedef struct meter {
  size_t now, most;
} meter;

static void *meter_allocate(size_t bytes, void *context) {
  meter *m = context;
  size_t *block = malloc(bytes + 16);
  if (!block) return NULL;
  *block = bytes;
  m->now += bytes;
  if (m->now > m->most) m->most = m->now;
  return (char *)block + 16;
}

static void meter_release(void *block, void *context) {
  if (!block) return;
  size_t *own = (size_t *)((char *)block - 16);
  ((meter *)context)->now -= *own;
  free(own);
}

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Load bytes as a trajectory: its status; the most memory that it took; at most one second. */
static jn_status load(const jn_model *m, const char *bytes, size_t length, size_t max_bytes, size_t *most,
                      jn_error *e) {
  meter count = {0};
  jn_allocator a = {meter_allocate, meter_release, &count};
  jn_trajectory_options o;
  jn_trajectory *t;
  jn_trajectory_options_init(&o);
  o.order = 0;
  o.allocator = &a;
  if (max_bytes) o.max_bytes = max_bytes;
  jn_status status = jn_trajectory_load_text(m, bytes, length, "hostile", &o, &t, e);
  jn_trajectory_destroy(t);
  check(count.now == 0, "%zu bytes left", count.now);
  *most = count.most;
  return status;
}

static void check_limit(const jn_error *e, const char *limit) {
  check(e->status == JN_ERR_FILE && strcmp(e->file, "hostile") == 0, "status %d, file %s", (int)e->status, e->file);
  check(strstr(e->text, limit) && strstr(e->text, "max_bytes") && strstr(e->text, "--max-bytes"), "%s", e->text);
}

/* ---- Archives ---- */

static void put_number(char **p, unsigned long x, int bytes) {
  for (int i = 0; i < bytes; i++, x >>= 8) *(*p)++ = (char)(x & 255);
}

typedef struct member {
  const char *name, *bytes;
  unsigned long packed, length, crc; /* length and crc as the directory claims them */
  int method;
} member;

/* A ZIP archive of files as they are given, honest or not. */
static size_t put_archive(char *out, const member *members, int count) {
  char *p = out;
  unsigned long offsets[8];
  for (int i = 0; i < count; i++) {
    const member *m = &members[i];
    size_t n = strlen(m->name);
    offsets[i] = (unsigned long)(p - out);
    memcpy(p, "PK\3\4\24\0\0\0", 8);
    p += 8;
    put_number(&p, (unsigned long)m->method, 2);
    put_number(&p, 0, 4);
    put_number(&p, m->crc, 4);
    put_number(&p, m->packed, 4);
    put_number(&p, m->length, 4);
    put_number(&p, n, 2);
    put_number(&p, 0, 2);
    memcpy(p, m->name, n);
    memcpy(p + n, m->bytes, m->packed);
    p += n + m->packed;
  }
  unsigned long start = (unsigned long)(p - out);
  for (int i = 0; i < count; i++) {
    const member *m = &members[i];
    size_t n = strlen(m->name);
    memcpy(p, "PK\1\2\24\3\24\0\0\0", 10);
    p += 10;
    put_number(&p, (unsigned long)m->method, 2);
    put_number(&p, 0, 4);
    put_number(&p, m->crc, 4);
    put_number(&p, m->packed, 4);
    put_number(&p, m->length, 4);
    put_number(&p, n, 2);
    put_number(&p, 0, 12);
    put_number(&p, offsets[i], 4);
    memcpy(p, m->name, n);
    p += n;
  }
  unsigned long size = (unsigned long)(p - out) - start;
  memcpy(p, "PK\5\6\0\0\0\0", 8);
  p += 8;
  put_number(&p, (unsigned long)count, 2);
  put_number(&p, (unsigned long)count, 2);
  put_number(&p, size, 4);
  put_number(&p, start, 4);
  put_number(&p, 0, 2);
  return (size_t)(p - out);
}

/* An NPY array of doubles; its length. */
static size_t put_array(char *out, const char *shape, const double *x, size_t count) {
  char header[128];
  int n = snprintf(header, sizeof header, "{'descr': '<f8', 'fortran_order': False, 'shape': (%s), }", shape);
  memcpy(out, "\x93NUMPY\1\0\x76\0", 10);
  memset(out + 10, ' ', 118);
  memcpy(out + 10, header, (size_t)n);
  out[127] = '\n';
  memcpy(out + 128, x, count * sizeof *x);
  return 128 + count * sizeof *x;
}

static unsigned long crc_of(const char *bytes, size_t length) {
  return jn__crc32((const unsigned char *)bytes, length);
}

enum { SAMPLES = 8 };

/* A good motion of one hinge, with further files behind it. */
static size_t put_motion(char *out, const member *more, int count) {
  static char t[512], q[512];
  double x[SAMPLES], y[SAMPLES];
  for (int i = 0; i < SAMPLES; i++) x[i] = i, y[i] = 0.1 * i;
  size_t nt = put_array(t, "8,", x, SAMPLES), nq = put_array(q, "8, 1", y, SAMPLES);
  member all[8] = {{"t.npy", t, nt, nt, crc_of(t, nt), 0}, {"q.npy", q, nq, nq, crc_of(q, nq), 0}};
  for (int i = 0; i < count; i++) all[2 + i] = more[i];
  return put_archive(out, all, 2 + count);
}

/* 3 kB that claim to be 4 GB take no memory for it. */
static void a_small_archive_takes_little_memory(void **state) {
  (void)state;
  static char bytes[1 << 16], packed[3000];
  jn_model *m = make_hinge();
  size_t most;
  jn_error e;
  memset(packed, 0xAA, sizeof packed);
  const member claims[] = {{"v.npy", packed, sizeof packed, 0xFFFFFFF0ul, 1, 8}};
  size_t length = put_motion(bytes, claims, 1);
  double begin = seconds();
  jn_status status = load(m, bytes, length, 0, &most, &e);
#if JN_WITH_ZLIB
  check(status == JN_ERR_FILE, "status %d: %s", (int)status, e.text);
  check_limit(&e, "unpacked, the arrays that are needed are larger than the limit of 268435456 bytes (256 MiB)");
#else
  check(status != JN_OK, "it is read");
#endif
  check(most < 1 << 20, "%zu bytes of memory", most);
  check(seconds() - begin < 5, "%g s", seconds() - begin);
  const member lies[] = {{"v.npy", packed, sizeof packed, 200ul << 20, 1, 8}}; /* below the limit, but impossible */
  length = put_motion(bytes, lies, 1);
  status = load(m, bytes, length, 0, &most, &e);
  check(status != JN_OK && most < 1 << 20, "status %d, %zu bytes of memory: %s", (int)status, most, e.text);
  jn_model_destroy(m);
}

/* What nobody asked for is neither unpacked nor judged. */
static void other_members_are_left_alone(void **state) {
  (void)state;
  static char bytes[1 << 16], junk[3000];
  jn_model *m = make_hinge();
  size_t most;
  jn_error e;
  const member others[] = {{"huge.npy", junk, sizeof junk, 0xFFFFFFF0ul, 1, 8}, {"odd.txt", junk, 30, 30, 5, 99}};
  size_t length = put_motion(bytes, others, 2);
  jn_status status = load(m, bytes, length, 0, &most, &e);
  check(status == JN_OK, "%s", e.text);
  check(most < 1 << 20, "%zu bytes of memory", most);
  const member twice[] = {{"q.npy", junk, 30, 30, 5, 0}};
  length = put_motion(bytes, twice, 1);
  status = load(m, bytes, length, 0, &most, &e);
  check(status == JN_ERR_SYNTAX && strstr(e.text, "two files 'q.npy'"), "%s", e.text);
  jn_model_destroy(m);
}

/* Shapes that have no numbers, or more than there are, are no way around the size of the file. */
static void shapes_without_numbers_are_refused(void **state) {
  (void)state;
  static const char *const shapes[] = {"1000000000, 0", "0, 1000000000", "8, 1, 0", "18446744073709551615, 0", ""};
  static char bytes[1 << 16], t[512], q[512], words[512];
  double x[SAMPLES] = {0, 1, 2, 3, 4, 5, 6, 7};
  jn_model *m = make_hinge();
  size_t most;
  jn_error e;
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
    for (int which = 0; which < 2; which++) {
      size_t nt = put_array(t, which ? "8," : shapes[i], x, SAMPLES);
      size_t nq = put_array(q, which ? shapes[i] : "8, 1", x, SAMPLES);
      member all[] = {{"t.npy", t, nt, nt, crc_of(t, nt), 0}, {"q.npy", q, nq, nq, crc_of(q, nq), 0}};
      size_t length = put_archive(bytes, all, 2);
      jn_status status = load(m, bytes, length, 0, &most, &e);
      check(status != JN_OK && *e.text, "(%s) as %c is read", shapes[i], which ? 'q' : 't');
      check(most < 1 << 20, "(%s): %zu bytes of memory", shapes[i], most);
    }
  size_t nt = put_array(t, "8,", x, SAMPLES), nq = put_array(q, "8, 1", x, SAMPLES);
  size_t nw = put_array(words, "1, 0", x, 0);
  memcpy(strstr(words + 10, "<f8"), "<U9", 3);
  member all[] = {{"t.npy", t, nt, nt, crc_of(t, nt), 0},
                  {"q.npy", q, nq, nq, crc_of(q, nq), 0},
                  {"q_names.npy", words, nw, nw, crc_of(words, nw), 0}};
  size_t length = put_archive(bytes, all, 3);
  check(load(m, bytes, length, 0, &most, &e) == JN_OK, "%s", e.text); /* no names: the order of the model */
  jn_model_destroy(m);
}

/* ---- CSV ---- */

/* n columns and n rows in 4 n bytes: the table would have n^2 numbers. */
static void empty_rows_do_not_make_a_table(void **state) {
  (void)state;
  enum { N = 100000 };
  char *text = malloc(8 * N), *p = text;
  assert_non_null(text);
  jn_model *m = make_hinge();
  size_t most;
  jn_error e;
  p += sprintf(p, "t");
  for (int i = 0; i < N; i++) p += sprintf(p, ",%x", i);
  for (int i = 0; i < N; i++) *p++ = '\n';
  jn_status status = load(m, text, (size_t)(p - text), 0, &most, &e);
  check(status == JN_ERR_MODEL || status == JN_ERR_NAME, "status %d: %s", (int)status, e.text); /* no rows at all */
  for (int i = 0; i < N; i++) p[-1 - i] = i % 2 ? '1' : '\n';
  status = load(m, text, (size_t)(p - text), 0, &most, &e);
  check_limit(&e, "has 49999 rows of 100001 numbers, which take more memory than the limit");
  check(most < 1 << 26, "%zu bytes of memory", most);
  free(text);
  jn_model_destroy(m);
}

/* The time for n columns. */
static double time_of_width(int n) {
  char *text = malloc(32 * (size_t)n), *p = text;
  assert_non_null(text);
  p += sprintf(p, "t");
  for (int i = 1; i < n; i++) p += sprintf(p, ",column%d", i);
  for (int row = 0; row < 2; row++) {
    p += sprintf(p, "\n%d", row);
    for (int i = 1; i < n; i++) p += sprintf(p, ",%d", i % 7);
  }
  jn_model *m = make_hinge();
  size_t most;
  jn_error e;
  double best = 1e9;
  for (int k = 0; k < 3; k++) {
    double begin = seconds();
    load(m, text, (size_t)(p - text), 0, &most, &e);
    double took = seconds() - begin;
    if (took < best) best = took;
  }
  check(most < 100 * (size_t)n + (1 << 20), "%zu bytes of memory for %d columns", most, n);
  jn_model_destroy(m);
  free(text);
  return best;
}

/* Sixteen times the columns take sixteen times the time or so, not 256 times. */
static void wide_files_take_time_in_proportion(void **state) {
  (void)state;
  double narrow = time_of_width(12500), wide = time_of_width(200000);
  check(wide < 80 * narrow, "200 000 columns take %g s, 12 500 take %g s", wide, narrow);
}

static void nul_bytes_are_reported_with_their_place(void **state) {
  (void)state;
  static const struct {
    const char *text;
    size_t length;
    int line, column;
  } cases[] = {
      {"t,a\n0,1\n1,2\0003\n2,3\n", 19, 3, 2},
      {"t,a\n0,1\n1,2\n\0,3\n", 16, 4, 1},
      {"t,a\0b\n0,1\n1,2\n", 14, 1, 2},
      {"# t,a\0b\n0,1\n1,2\n", 16, 1, 2},
  };
  jn_model *m = make_hinge();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    jn_error e;
    jn_table *t;
    size_t most;
    jn_status status = load(m, cases[i].text, cases[i].length, 0, &most, &e);
    check(status == JN_ERR_SYNTAX && e.line == cases[i].line && e.column == cases[i].column && strstr(e.text, "NUL"),
          "case %zu: status %d at %d:%d: %s", i, (int)status, e.line, e.column, e.text);
    jn_table_options o;
    jn_table_options_init(&o);
    o.loose = 1;
    status = jn_table_read(cases[i].text, cases[i].length, "hostile", &o, &t, &e);
    check(status == JN_ERR_SYNTAX && e.line == cases[i].line && e.column == cases[i].column && !t,
          "case %zu, loose: status %d at %d:%d", i, (int)status, e.line, e.column);
  }
  jn_model_destroy(m);
}

/* ---- Names ---- */

static jn_model *named(size_t length, jn_status expected) {
  char name[2][400];
  jn_builder *b;
  jn_model *m;
  jn_error e;
  check_ok(jn_builder_create(NULL, &b));
  for (int i = 0; i < 2; i++) {
    jn_link link;
    jn_link_init(&link);
    memset(name[i], 'n', length);
    name[i][length - 1] = (char)('a' + i);
    name[i][length] = 0;
    link.name = name[i];
    link.parent = i ? name[0] : NULL;
    link.joint.type = JN_REVOLUTE;
    link.inertia[0] = link.inertia[4] = link.inertia[5] = link.inertia[6] = 1;
    check_ok(jn_builder_add_link(b, &link));
  }
  jn_status status = jn_builder_freeze(b, &m, &e);
  check(status == expected, "names of %zu bytes: %s", length, e.text);
  if (status != JN_OK) check(strstr(e.text, "at most 255 are allowed") != NULL, "%s", e.text);
  jn_builder_destroy(b);
  return m;
}

/* Names of any length that a model may have stay apart; longer ones are refused, not cut. */
static void long_names_are_whole_or_refused(void **state) {
  (void)state;
  jn_model *m = named(JN_NAME_MAX, JN_OK);
  char one[JN_COORDINATE_NAME], two[JN_COORDINATE_NAME];
  check_ok(jn_coordinate_name(m, 0, one, sizeof one));
  check_ok(jn_coordinate_name(m, 1, two, sizeof two));
  check(strlen(one) == JN_NAME_MAX && strcmp(one, two) != 0, "'%s' and '%s'", one, two);
  assert_int_equal(jn_coordinate_name(m, 0, one, 160), JN_ERR_SIZE);
  assert_int_equal(jn_velocity_name(m, 0, one, 160), JN_ERR_SIZE);
  char *text = malloc(4096), *p = text;
  check_ok(jn_coordinate_name(m, 0, one, sizeof one));
  p += sprintf(p, "t,\"%s\",%s", one, two);
  for (int i = 0; i < 8; i++) p += sprintf(p, "\n%d,%d,%d", i, i, -i);
  size_t most;
  jn_error e;
  check(load(m, text, (size_t)(p - text), 0, &most, &e) == JN_OK, "%s", e.text);
  free(text);
  jn_model_destroy(m);
  assert_null(named(JN_NAME_MAX + 1, JN_ERR_MODEL));
}

/* ---- Messages ---- */

#if JN_WITH_URDF
/* 20 000 joints, each of which follows the one before: a fault each, and a short report. */
static void a_flood_of_messages_is_counted(void **state) {
  (void)state;
  enum { N = 20000 };
  char *text = malloc(200 * N), *p = text;
  assert_non_null(text);
  p += sprintf(p, "<robot name='r'><link name='l0'/>");
  for (int i = 1; i <= N; i++) {
    p += sprintf(p, "<link name='l%d'/><joint name='j%d' type='continuous'><parent link='l%d'/><child link='l%d'/>", i,
                 i, i - 1, i);
    if (i > 1) p += sprintf(p, "<mimic joint='j%d'/>", i - 1);
    p += sprintf(p, "</joint>");
  }
  p += sprintf(p, "</robot>");
  jn_options o;
  jn_model *m;
  jn_error e;
  jn_options_init(&o);
  o.report = jn_report_create(NULL);
  double begin = seconds();
  jn_status status = jn_load_text(text, (size_t)(p - text), JN_FORMAT_URDF, "chain", &o, &m, &e);
  check(seconds() - begin < 20, "%g s", seconds() - begin);
  check(status == JN_ERR_MODEL, "status %d", (int)status);
  check(jn_report_count_of(o.report, JN_ERROR) > 19000, "%d errors", jn_report_count_of(o.report, JN_ERROR));
  int errors = jn_report_count_rule(o.report, JN_ERROR, "mimic");
  check(errors == jn_report_count_of(o.report, JN_ERROR), "%d of the rule", errors);
  assert_int_equal(jn_report_count_rule(o.report, JN_ERROR, "no such rule"), 0);
  size_t bytes = 0;
  int told = 0;
  for (int i = 0; i < jn_report_count(o.report); i++) {
    const jn_message *one = jn_report_message(o.report, i);
    bytes += strlen(one->text) + strlen(one->subject) + strlen(one->remedy);
    told |= strcmp(one->rule, "mimic") == 0 && strstr(one->text, "more of the kind 'mimic' are not listed") != NULL;
  }
  check(jn_report_count(o.report) <= 5 * (JN_REPORT_SAME + 1), "%d messages", jn_report_count(o.report));
  check(bytes < 20000 && told, "%zu bytes, the number of further ones is %s", bytes, told ? "told" : "not told");
  jn_model_destroy(m);
  jn_report_destroy(o.report);
  free(text);
}
#endif

/* ---- JSON ---- */

#if JN_WITH_JSON
/* Short values take more memory than text: they count as 64 bytes each. */
static void values_of_json_count(void **state) {
  (void)state;
  enum { N = 5000 };
  char *text = malloc(4 * N), *p = text;
  assert_non_null(text);
  p += sprintf(p, "{\"duration\": 1, \"comment\": [0");
  for (int i = 0; i < N; i++) p += sprintf(p, ",0");
  p += sprintf(p, "], \"joints\": {\"a\": 1}}");
  jn_model *m = make_hinge();
  size_t most;
  jn_error e;
  check(load(m, text, (size_t)(p - text), 1 << 19, &most, &e) == JN_OK, "%s", e.text);
  load(m, text, (size_t)(p - text), 1 << 18, &most, &e);
  check_limit(&e, "values, which take 64 bytes each and more than the limit of 262144 bytes");
  jn_model_destroy(m);
  free(text);
}
#endif

/* ---- The command ---- */

#if JN_WITH_JSON
static void endless_files_end_at_the_limit(void **state) {
  (void)state;
  static const char *const lines[] = {
      "info /dev/zero --max-bytes 1M",
      "info - --max-bytes 1M </dev/zero",
      "eval builtin:planar_2r --want tau --input /dev/zero --max-bytes 1M",
      "eval builtin:planar_2r --want tau --input - --max-bytes 1M </dev/zero",
      "torque builtin:panda /dev/zero --max-bytes 1M",
      "torque builtin:panda - --max-bytes 1M </dev/zero",
      "torque builtin:panda builtin:demo --limits=/dev/zero --max-bytes 1M",
      "torque builtin:panda builtin:demo --wrench /dev/zero --max-bytes 1M",
      "check builtin:panda --loops /dev/zero --max-bytes 1M",
      "plot /dev/zero --max-bytes 1M",
      "plot - --max-bytes 1024K </dev/zero",
  };
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    outcome o = run_with("", lines[i]);
    check(o.code == 1, "%s: exit code %d", lines[i], o.code);
    const char *said = strstr(lines[i], "check") ? o.out : o.err;
    check_has(said, "is larger than the limit of 1048576 bytes");
    check_has(said, "--max-bytes");
    check(!strchr(said, '?'), "the message is spoiled: %s", said);
    check_has(said, strstr(lines[i], " - ") ? (strstr(lines[i], "plot") ? "-" : "<stdin>") : "/dev/zero");
    done(&o);
  }
  outcome o = run_with("", "info builtin:panda --max-bytes 10X");
  check(o.code == 2, "exit code %d", o.code);
  check_has(o.err, "--max-bytes takes a number of bytes");
  done(&o);
}

/* Few bytes of text must not become many states. */
static void states_count_by_their_size(void **state) {
  (void)state;
  FILE *f = fopen(in_directory("states.json"), "w");
  assert_non_null(f);
  fputs("[{}", f);
  for (int i = 0; i < 3000; i++) fputs(",{}", f);
  fputs("]", f);
  fclose(f);
  char line[256];
  snprintf(line, sizeof line, "eval builtin:chain:1000 --want tau --input '%s' --max-bytes 10M",
           in_directory("states.json"));
  outcome o = run_with("", line);
  check(o.code == 1, "exit code %d", o.code);
  check_has(o.err, "has 3001 states, which take");
  check_has(o.err, "more than the limit of 10485760 bytes");
  done(&o);
  remove(in_directory("states.json"));
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_small_archive_takes_little_memory),
    cmocka_unit_test(other_members_are_left_alone),
    cmocka_unit_test(shapes_without_numbers_are_refused),
    cmocka_unit_test(empty_rows_do_not_make_a_table),
    cmocka_unit_test(wide_files_take_time_in_proportion),
    cmocka_unit_test(nul_bytes_are_reported_with_their_place),
    cmocka_unit_test(long_names_are_whole_or_refused),
#if JN_WITH_URDF
    cmocka_unit_test(a_flood_of_messages_is_counted),
#endif
#if JN_WITH_JSON
    cmocka_unit_test(values_of_json_count),
    cmocka_unit_test(endless_files_end_at_the_limit),
    cmocka_unit_test(states_count_by_their_size),
#endif
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
