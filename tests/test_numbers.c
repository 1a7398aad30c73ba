/* SPDX-License-Identifier: BSD-2-Clause */
/* Digits of the numbers that the command writes: what is written is read back to the bit, in every command. */
#include "support/running.h"

#include <math.h>

#include "../tool/text/number.h"

static uint64_t seed = 20261118;

static uint64_t next_bits(void) {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  return seed ^= seed << 17;
}

/* Random bits, decimals of few digits, numbers of the size of angles, any size. */
static double random_number(int kind) {
  uint64_t bits = next_bits();
  double x;
  if (kind == 0) return memcpy(&x, &bits, sizeof x), x;
  if (kind == 1) return (double)(bits % 2000000) / 1000 - 1000;
  if (kind == 2) return ((double)(bits >> 11) / 9007199254740992.0 - 0.5) * 20;
  return (double)(int64_t)bits * pow(10, -(double)(next_bits() % 60));
}

static void check_number(double x) {
  char text[EXACT_TEXT], expected[64];
  int length = exact_number(x, text);
  if (length != (int)strlen(text)) fail_msg("length %d of %s", length, text);
  if (isnan(x)) return;
  for (int digits = 15; digits <= 17; digits++) { /* the definition */
    snprintf(expected, sizeof expected, "%.*g", digits, x);
    if (strtod(expected, NULL) == x) break;
  }
  if (strcmp(text, expected) != 0) fail_msg("%s, not %s", text, expected);
}

static void numbers_are_short_and_exact(void **state) {
  (void)state;
  const double special[] = {0,
                            -0.0,
                            1,
                            -1,
                            0.1,
                            1e15,
                            1e16,
                            1e17,
                            999999999999999.9,
                            9.5,
                            1e-5,
                            1e-4,
                            123456789012345680.,
                            5e-324,
                            2.2250738585072014e-308,
                            1.7976931348623157e308,
                            INFINITY,
                            -INFINITY,
                            0.5,
                            1e22,
                            1e23};
  print_message("seed %llu\n", (unsigned long long)seed);
  for (size_t i = 0; i < sizeof special / sizeof *special; i++) check_number(special[i]);
  for (int i = 0; i < 200000; i++) check_number(random_number(i % 4));
  for (int e = -400; e < 400; e++) { /* powers of two and ten, and their neighbours */
    check_number(ldexp(1, e)), check_number(nextafter(ldexp(1, e), 0)), check_number(nextafter(ldexp(1, e), INFINITY));
    double x = pow(10, e / 2);
    check_number(x), check_number(nextafter(x, 0)), check_number(nextafter(x, INFINITY));
  }
}

/* The numbers of an array of an NPZ file, which are in it bit by bit, since it is not compressed. */
static const double *npz_array(const char *file, size_t length, const char *name) {
  char entry[32];
  snprintf(entry, sizeof entry, "%s.npy\x93NUMPY", name);
  for (size_t i = 0; i + strlen(entry) + 10 < length; i++) {
    if (memcmp(file + i, entry, strlen(entry)) != 0) continue;
    const unsigned char *head = (const unsigned char *)file + i + strlen(name) + 4;
    double *copy = malloc(length);
    assert_non_null(copy);
    const char *values = (const char *)head + 10 + head[8] + 256 * head[9];
    memcpy(copy, values, length - (size_t)(values - file));
    return copy;
  }
  return NULL;
}

static char *read_bytes(const char *name, size_t *length) {
  FILE *f = fopen(in_directory(name), "rb");
  assert_non_null(f);
  fseek(f, 0, SEEK_END);
  *length = (size_t)ftell(f);
  rewind(f);
  char *bytes = malloc(*length + 1);
  assert_non_null(bytes);
  assert_int_equal(fread(bytes, 1, *length, f), *length);
  fclose(f);
  return bytes;
}

/* CSV and NPZ of the same result have the same bits: the columns t and the first ones of q. */
static void check_pair(const char *line, int positions) {
  char with[400];
  const char *const files[] = {"r.csv", "r.npz"};
  for (int i = 0; i < 2; i++) {
    snprintf(with, sizeof with, "%s --out %s", line, files[i]);
    outcome o = run_here(with);
    if (o.code != 0) fail_msg("jounce %s: status %d\n%s", with, o.code, o.err);
    done(&o);
  }
  size_t length;
  char *bytes = read_bytes("r.npz", &length);
  const double *t = npz_array(bytes, length, "t"), *q = npz_array(bytes, length, "q");
  if (!t || !q) fail_msg("jounce %s: no arrays in the NPZ file", line);
  jn_table *csv = read_csv("r.csv");
  assert_true(jn_table_rows(csv) > 2);
  for (int r = 0; r < jn_table_rows(csv); r++) {
    if (jn_table_values(csv, 0)[r] != t[r]) fail_msg("jounce %s: t of row %d", line, r);
    for (int c = 0; c < positions; c++)
      if (jn_table_values(csv, 1 + c)[r] != q[r * positions + c])
        fail_msg("jounce %s: row %d, column %d: %.17g, not %.17g", line, r, c + 1, jn_table_values(csv, 1 + c)[r],
                 q[r * positions + c]);
  }
  jn_table_destroy(csv);
  free((void *)t);
  free((void *)q);
  free(bytes);
}

static void all_writers_keep_all_bits(void **state) {
  (void)state;
  write_file(
      "swing.json",
      "{\"duration\": 1, \"joints\": {\"shoulder\": {\"cosine\": {\"amplitude\": 0.7, \"omega\": 3}}, \"elbow\": "
      "{\"cosine\": {\"amplitude\": -0.5, \"omega\": 4}}}}");
  write_file("springs.json", "{\"joints\": {\"elbow\": {\"stiffness\": 500, \"rotor_inertia\": 0.1}}}");
  write_file("limits.json", "{\"shoulder\": {\"velocity\": 3}, \"elbow\": {\"velocity\": 3, \"acceleration\": 20}}");
  check_pair("torque builtin:double_pendulum swing.json --rate 300", 2);
  check_pair("motor builtin:double_pendulum swing.json --actuators springs.json --rate 300", 2);
  check_pair("retime builtin:double_pendulum swing.json --limits limits.json --uniform --rate 300", 2);
  check_pair("simulate builtin:double_pendulum --duration 1 --every 0.003", 2);
}

/* Closed forms of excite: what torque computes from the JSON file is what the CSV file has. */
static void excite_keeps_all_bits(void **state) {
  (void)state;
  const char *const lines[] = {"excite builtin:double_pendulum --steps 2 --starts 1 --rate 50 --out m.json",
                               "excite builtin:double_pendulum --steps 2 --starts 1 --rate 50 --out m.csv"};
  for (int i = 0; i < 2; i++) {
    outcome o = run_here(lines[i]);
    if (o.code != 0) fail_msg("jounce %s: status %d\n%s", lines[i], o.code, o.err);
    done(&o);
  }
  char *text = read_file("m.csv");
  int numbers = 0, long_ones = 0;
  for (char *p = strchr(text, '\n'); p && *p;) {
    char *end, again[EXACT_TEXT];
    p += strspn(p, ",\n");
    if (!*p) break;
    double x = strtod(p, &end);
    exact_number(x, again);
    if (strncmp(again, p, (size_t)(end - p)) != 0) fail_msg("%.*s is written, %s is enough", (int)(end - p), p, again);
    numbers++;
    long_ones += end - p >= 17;
    p = end;
  }
  assert_true(numbers > 1000 && long_ones > numbers / 4); /* numbers that are cut off would be shorter */
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_are_short_and_exact),
      cmocka_unit_test(all_writers_keep_all_bits),
      cmocka_unit_test(excite_keeps_all_bits),
  };
  return cmocka_run_group_tests_name("numbers", tests, make_directory, remove_directory);
}
