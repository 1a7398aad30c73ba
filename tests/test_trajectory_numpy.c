/* SPDX-License-Identifier: BSD-2-Clause */
/* Trajectory files of NumPy, NPY and NPZ; damaged files of all formats do no harm. */
#include "trajectory_files_help.h"

/* ---- NPY ---- */

typedef struct bytes {
  unsigned char data[4096];
  size_t length;
} bytes;

static void put(bytes *b, const void *from, size_t n) {
  memcpy(b->data + b->length, from, n);
  b->length += n;
}

static void put_header(bytes *b, int version, const char *type, const char *order, const char *shape) {
  char text[200];
  int n = sprintf(text, "{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }\n", type, order, shape);
  unsigned char size[4] = {(unsigned char)n, 0, 0, 0}, head[2] = {(unsigned char)version, 0};
  b->length = 0;
  put(b, "\x93NUMPY", 6);
  put(b, head, 2);
  put(b, size, version == 1 ? 2 : 4);
  put(b, text, (size_t)n);
}

/* x as `item` bytes of a floating or whole number. */
static void put_number(bytes *b, double x, char kind, int item, int big) {
  uint64_t bits = 0;
  float f = (float)x;
  if (kind == 'i')
    bits = (uint64_t)(int64_t)x;
  else if (item == 8)
    memcpy(&bits, &x, 8);
  else {
    uint32_t small;
    memcpy(&small, &f, 4);
    bits = small;
  }
  for (int i = 0; i < item; i++) b->data[b->length++] = (unsigned char)(bits >> 8 * (big ? item - 1 - i : i));
}

/* 8 rows of t and -t^2 in some way of writing. */
static void check_npy(int version, char kind, int item, int big, int fortran) {
  char type[8];
  bytes b;
  sprintf(type, "%c%c%d", big ? '>' : '<', kind, item);
  put_header(&b, version, type, fortran ? "True" : "False", "8, 2");
  for (int k = 0; k < 16; k++) {
    int row = fortran ? k % 8 : k / 2, column = fortran ? k / 8 : k % 2;
    put_number(&b, column ? -row * row : row, kind, item, big);
  }
  jn_model *m = make_hinge();
  jn_trajectory_options o;
  jn_trajectory_options_init(&o);
  o.order = 0;
  jn_trajectory *t;
  jn_error e;
  jn_status status = jn_trajectory_load_text(m, (const char *)b.data, b.length, "x.npy", &o, &t, &e);
  check(status == JN_OK, "%s version %d: %s", type, version, e.text);
  double q;
  check_ok(jn_trajectory_evaluate(t, 2.5, 0, &q, NULL));
  check(fabs(q + 6.25) < 1e-13, "%s version %d, fortran %d: %g", type, version, fortran, q);
  jn_trajectory_destroy(t);
  for (size_t cut = 0; cut < b.length; cut += 3) { /* a file that ends early is refused, wherever */
    status = jn_trajectory_load_text(m, (const char *)b.data, cut, "x.npy", &o, &t, &e);
    check(status != JN_OK && !t, "cut at %zu", cut);
  }
  jn_model_destroy(m);
}

static void npy_is_read_in_all_its_forms(void **state) {
  (void)state;
  for (int version = 1; version <= 3; version++)
    for (int big = 0; big < 2; big++)
      for (int fortran = 0; fortran < 2; fortran++) {
        check_npy(version, 'f', 8, big, fortran);
        check_npy(version, 'f', 4, big, fortran);
        check_npy(version, 'i', 2, big, fortran);
        check_npy(version, 'i', 8, big, fortran);
        check_npy(version, 'i', 1, big, fortran);
      }
}

/* Stamps since 1970 as doubles: from the first one on, and a warning that they are coarse. Whole microseconds are not.
 */
static void stamps_of_arrays_are_checked(void **state) {
  (void)state;
  jn_model *m = make_hinge();
  for (int whole = 0; whole < 2; whole++) {
    bytes b;
    put_header(&b, 1, "<f8", "False", "12, 2");
    for (int r = 0; r < 12; r++) {
      put_number(&b, whole ? 1700000000000123.0 + 1000 * r : 1700000000.000123 + 0.001 * r, 'f', 8, 0);
      put_number(&b, 0.01 * r * r, 'f', 8, 0);
    }
    jn_trajectory_options o;
    jn_trajectory_options_init(&o);
    o.report = jn_report_create(NULL);
    jn_trajectory *t;
    jn_error e;
    jn_status status = jn_trajectory_load_text(m, (const char *)b.data, b.length, "x.npy", &o, &t, &e);
    check(status == JN_OK, "%s", e.text);
    check(jn_trajectory_start(t) == 0 && fabs(jn_trajectory_end(t) - 0.011) < (whole ? 1e-15 : 3e-7), "ends at %.15g",
          jn_trajectory_end(t));
    int warned = 0;
    for (int i = 0; i < jn_report_count(o.report); i++)
      warned += strcmp(jn_report_message(o.report, i)->rule, "time-resolution") == 0;
    check(warned == !whole, "%d warnings", warned);
    jn_trajectory_destroy(t);
    jn_report_destroy(o.report);
  }
  jn_model_destroy(m);
}

static void npy_of_another_size_is_refused(void **state) {
  (void)state;
  jn_model *m = make_hinge();
  jn_trajectory *t;
  jn_error e;
  bytes b;
  put_header(&b, 1, "<f8", "False", "8, 3");
  b.length += 8 * 3 * 8;
  jn_status status = jn_trajectory_load_text(m, (const char *)b.data, b.length, "x.npy", NULL, &t, &e);
  check(status == JN_ERR_SIZE && strstr(e.text, "3 columns; it should have 2 and 2"), "%s", e.text);
  put_header(&b, 1, "<c16", "False", "8, 2");
  b.length += 256;
  status = jn_trajectory_load_text(m, (const char *)b.data, b.length, "x.npy", NULL, &t, &e);
  check(status == JN_ERR_SYNTAX && strstr(e.text, "type"), "%s", e.text);
  jn_model_destroy(m);
}

/* ---- NPZ ---- */

/* numpy.savez_compressed: t = 0, 0.125, ..., 1 and q = t^2 as (9, 1), deflated. */
static const unsigned char deflated[] = {
    80,  75,  3,   4,   20,  0,   0,   0,   8,   0,   0,   0,   33,  0,   239, 112, 12,  148, 93,  0,   0,   0,   152,
    0,   0,   0,   5,   0,   0,   0,   116, 46,  110, 112, 121, 155, 236, 23,  234, 27,  16,  201, 200, 224, 198, 80,
    173, 158, 146, 90,  156, 92,  164, 110, 165, 160, 110, 147, 102, 161, 174, 163, 160, 158, 150, 95,  84,  82,  148,
    152, 23,  159, 95,  148, 146, 10,  18,  119, 75,  204, 41,  78,  5,   138, 23,  103, 36,  22,  164, 2,   249, 26,
    150, 58,  154, 58,  10,  181, 10,  72,  128, 139, 1,   5,   28,  176, 135, 208, 23,  160, 244, 13,  40,  253, 0,
    74,  63,  129, 210, 47,  160, 244, 27,  40,  253, 193, 30,  0,   80,  75,  3,   4,   20,  0,   0,   0,   8,   0,
    0,   0,   33,  0,   151, 101, 28,  155, 96,  0,   0,   0,   152, 0,   0,   0,   5,   0,   0,   0,   113, 46,  110,
    112, 121, 155, 236, 23,  234, 27,  16,  201, 200, 224, 198, 80,  173, 158, 146, 90,  156, 92,  164, 110, 165, 160,
    110, 147, 102, 161, 174, 163, 160, 158, 150, 95,  84,  82,  148, 152, 23,  159, 95,  148, 146, 10,  18,  119, 75,
    204, 41,  78,  5,   138, 23,  103, 36,  22,  164, 2,   249, 26,  150, 58,  10,  134, 154, 58,  10,  181, 10,  112,
    192, 197, 128, 2,   38,  216, 67,  232, 13,  80,  250, 16,  148, 190, 0,   165, 111, 66,  233, 71,  16,  186, 225,
    5,   148, 255, 193, 30,  0,   80,  75,  1,   2,   20,  3,   20,  0,   0,   0,   8,   0,   0,   0,   33,  0,   239,
    112, 12,  148, 93,  0,   0,   0,   152, 0,   0,   0,   5,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,
    128, 1,   0,   0,   0,   0,   116, 46,  110, 112, 121, 80,  75,  1,   2,   20,  3,   20,  0,   0,   0,   8,   0,
    0,   0,   33,  0,   151, 101, 28,  155, 96,  0,   0,   0,   152, 0,   0,   0,   5,   0,   0,   0,   0,   0,   0,
    0,   0,   0,   0,   0,   128, 1,   128, 0,   0,   0,   113, 46,  110, 112, 121, 80,  75,  5,   6,   0,   0,   0,
    0,   2,   0,   2,   0,   102, 0,   0,   0,   3,   1,   0,   0,   0,   0};

static void npz_is_unpacked_and_checked(void **state) {
  (void)state;
  jn_model *m = make_hinge();
  jn_trajectory_options o;
  jn_trajectory_options_init(&o);
  o.order = 0;
  jn_trajectory *t;
  jn_error e;
  jn_status status = jn_trajectory_load_text(m, (const char *)deflated, sizeof deflated, "x.npz", &o, &t, &e);
#if JN_WITH_ZLIB
  check(status == JN_OK, "%s", e.text);
  double q;
  check_ok(jn_trajectory_evaluate(t, 0.6, 0, &q, NULL));
  check(fabs(q - 0.36) < 1e-14, "%g", q);
  jn_trajectory_destroy(t);
  unsigned char bad[sizeof deflated];
  for (size_t i = 60; i < sizeof deflated;
       i += 7) { /* damaged or cut anywhere: told, or of no account, never a crash */
    memcpy(bad, deflated, sizeof bad);
    bad[i] ^= 0x55;
    if (jn_trajectory_load_text(m, (const char *)bad, sizeof bad, "x.npz", &o, &t, &e) == JN_OK)
      jn_trajectory_destroy(t);
    status = jn_trajectory_load_text(m, (const char *)deflated, i, "x.npz", &o, &t, &e);
    check(status != JN_OK && !t, "cut at %zu", i);
  }
#else
  check(status == JN_ERR_UNSUPPORTED && strstr(e.text, "zlib"), "%s", e.text);
#endif
  jn_model_destroy(m);
}

static void the_checksum_is_that_of_zip(void **state) {
  (void)state;
  assert_int_equal(jn__crc32((const unsigned char *)"123456789", 9), 0xCBF43926);
}

/* ---- Damage ---- */

/* Bytes of good files changed at random: an error or a trajectory, never a crash (the sanitizers watch). */
static void damaged_files_do_no_harm(void **state) {
  (void)state;
  enum { ROUNDS = 3000 };
  uint64_t s = seed("damage");
  jn_model *m = make_hinge();
  static char text[4096];
  const char *const good[] = {squares("t,a\n", "%g,%g", "\n", 12),
                              "{\"times\": [0, 1, 2], \"joints\": {\"a\": {\"minimum_jerk\": [1, 2, 3]}}}"};
  static char kept[2][4096];
  for (int k = 0; k < 2; k++) strcpy(kept[k], good[k]);
  int fine = 0;
  for (int i = 0; i < ROUNDS; i++) {
    size_t length = strlen(kept[i % 2]);
    memcpy(text, kept[i % 2], length);
    for (int k = 0; k < 1 + i % 3; k++) {
      static const char marks[] = "0123456789,;\"[]{}-+.eE\n\r #x";
      size_t at = (size_t)((uniform(&s) + 1) / 2 * (double)length);
      text[at] = i % 5 ? marks[(size_t)((uniform(&s) + 1) / 2 * (sizeof marks - 1))] : (char)(uniform(&s) * 127);
    }
    jn_trajectory *t;
    jn_error e;
    jn_status status = jn_trajectory_load_text(m, text, length, "damaged", NULL, &t, &e);
    check((status == JN_OK) == (t != NULL) && (status == JN_OK || *e.text), "round %d: %s", i, e.text);
    fine += status == JN_OK;
    jn_trajectory_destroy(t);
  }
  check(fine > 10 && fine < ROUNDS, "%d of %d are fine", fine, (int)ROUNDS);
  jn_model_destroy(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(npy_is_read_in_all_its_forms), cmocka_unit_test(npy_of_another_size_is_refused),
      cmocka_unit_test(stamps_of_arrays_are_checked), cmocka_unit_test(npz_is_unpacked_and_checked),
      cmocka_unit_test(the_checksum_is_that_of_zip),  cmocka_unit_test(damaged_files_do_no_harm),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
