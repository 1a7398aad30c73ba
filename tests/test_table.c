/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of CSV text (jounce/table.h): what is written is what is read, in every habit of CSV; questions outside have
 * harmless answers; faults are told with their place; lack of memory is told and nothing leaks. */
#include "counting.h"
#include "testing.h"

static jn_table *read_table(const char *text, int loose) {
  jn_table_options o;
  jn_table *t;
  jn_error e;
  jn_table_options_init(&o);
  o.loose = loose;
  jn_status status = jn_table_read(text, strlen(text), "table.csv", &o, &t, &e);
  check(status == JN_OK, "%s:%d:%d: %s", e.file, e.line, e.column, e.text);
  return t;
}

/* Random numbers, written with 17 digits in every habit, come back to the bit. */
static void numbers_come_back_to_the_bit(void **state) {
  (void)state;
  enum { ROWS = 50, COLUMNS = 4 };
  static const char *const formats[][3] = {{",", "\n", "t,a [rad],b,c\n"},
                                           {"\t", "\r\n", "# comment\nt\ta [rad]\tb\tc\r\n"},
                                           {" ; ", "\n\n", "\xEF\xBB\xBF\"t\";\"a [rad]\";b;c\n"}};
  uint64_t s = seed("numbers");
  double x[ROWS][COLUMNS];
  for (int r = 0; r < ROWS; r++)
    for (int c = 0; c < COLUMNS; c++) x[r][c] = uniform(&s) * pow(10, 20 * uniform(&s));
  for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
    static char text[32 * ROWS * COLUMNS];
    size_t used = (size_t)sprintf(text, "%s", formats[f][2]);
    for (int r = 0; r < ROWS; r++)
      for (int c = 0; c < COLUMNS; c++)
        used += (size_t)sprintf(text + used, "%.17g%s", x[r][c], c + 1 < COLUMNS ? formats[f][0] : formats[f][1]);
    for (int loose = 0; loose < 2; loose++) {
      jn_table *t = read_table(text, loose);
      assert_int_equal(jn_table_rows(t), ROWS);
      assert_int_equal(jn_table_columns(t), COLUMNS);
      assert_string_equal(jn_table_name(t, 1), "a");
      assert_string_equal(jn_table_unit(t, 1), "rad");
      assert_string_equal(jn_table_unit(t, 0), "");
      for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++) check(jn_table_values(t, c)[r] == x[r][c], "format %zu, row %d", f, r);
      check(jn_table_line(t, -1) == (f == 1 ? 2 : 1) && jn_table_line(t, 1) == (f == 0 ? 3 : 4),
            "format %zu: lines %d %d", f, jn_table_line(t, -1), jn_table_line(t, 1));
      jn_table_destroy(t);
    }
  }
}

static void loose_cells_keep_their_text(void **state) {
  (void)state;
  jn_table *t = read_table("joint,a,b\nhip,1,\n \"knee\" ,inf,x\n,nan,2\n", 1);
  char cell[8];
  assert_int_equal(jn_table_text_row(t, 0), 0);
  assert_int_equal(jn_table_text_row(t, 1), -1);
  assert_int_equal(jn_table_text_row(t, 2), 1);
  check(isnan(jn_table_values(t, 0)[0]) && isnan(jn_table_values(t, 2)[0]) && jn_table_values(t, 2)[2] == 2, "values");
  check(isinf(jn_table_values(t, 1)[1]) && isnan(jn_table_values(t, 1)[2]), "values that are not finite");
  assert_int_equal(jn_table_cell(t, 1, 0, cell, sizeof cell), 4);
  assert_string_equal(cell, "knee");
  assert_int_equal(jn_table_cell(t, 0, 2, cell, sizeof cell), 0);
  assert_string_equal(cell, "");
  assert_int_equal(jn_table_cell(t, 1, 0, cell, 3), 4); /* as much as fits */
  assert_string_equal(cell, "kn");
  assert_int_equal(jn_table_cell(t, 1, 0, NULL, 0), 4);
  jn_table_destroy(t);
}

/* A number in brackets is an index if it stands at the name, and a unit (1: none) if there is a blank before it. */
static void indices_are_no_units(void **state) {
  (void)state;
  jn_table *t = read_table("q[1],base_qx [1],a [rad]\n1,2,3\n", 0);
  assert_string_equal(jn_table_name(t, 0), "q[1]");
  assert_string_equal(jn_table_unit(t, 0), "");
  assert_string_equal(jn_table_name(t, 1), "base_qx");
  assert_string_equal(jn_table_unit(t, 1), "1");
  assert_string_equal(jn_table_name(t, 2), "a");
  jn_table_destroy(t);
}

static void questions_outside_are_harmless(void **state) {
  (void)state;
  jn_table *t = read_table("t,a\n0,1\n", 0);
  char cell[8];
  for (int c = -1; c <= 2; c += 3) {
    assert_null(jn_table_name(t, c));
    assert_null(jn_table_unit(t, c));
    assert_null(jn_table_values(t, c));
    assert_int_equal(jn_table_text_row(t, c), -1);
    assert_int_equal(jn_table_cell(t, 0, c, cell, sizeof cell), -1);
  }
  assert_int_equal(jn_table_cell(t, 0, 0, cell, sizeof cell), -1); /* only loose tables keep their text */
  assert_int_equal(jn_table_line(t, 1), 0);
  assert_int_equal(jn_table_line(t, -2), 0);
  assert_int_equal(jn_table_rows(NULL) + jn_table_columns(NULL) + jn_table_line(NULL, 0), 0);
  assert_null(jn_table_values(NULL, 0));
  jn_table_destroy(NULL);
  jn_table_destroy(t);
}

static void faults_are_reported_with_their_place(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int line, column;
    const char *words;
  } faults[] = {{"", 0, 0, "is empty"},
                {"t,a\n0,1\n1,x\n", 3, 2, "'x' is not a finite number"},
                {"t,a\n0,\n", 2, 2, "has no value"},
                {"t,a\n0,inf\n", 2, 2, "not a finite number"},
                {"t,a\n0\n", 2, 0, "row 1 has 1 columns, but there are 2 names"},
                {"t,a,b,a\n0,1,2,3\n", 1, 4, "column 'a': appears twice"},
                {"t,,a\n0,1,2\n", 1, 2, "has no name"},
                {"0,1\n1,2\n", 1, 0, "has no names"},
                {"t a b\n0 1 2\n", 1, 0, "blanks between the columns"}};
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
    jn_table *t;
    jn_error e;
    jn_status status = jn_table_read(faults[i].text, strlen(faults[i].text), "table.csv", NULL, &t, &e);
    check(status == JN_ERR_SYNTAX && !t && e.line == faults[i].line && e.column == faults[i].column &&
              strstr(e.text, faults[i].words) && strcmp(e.file, "table.csv") == 0,
          "'%s': status %d, %s:%d:%d: %s", faults[i].text, (int)status, e.file, e.line, e.column, e.text);
  }
  jn_table_options o = {0};
  jn_table *t;
  jn_error e;
  assert_int_equal(jn_table_read("t\n0\n", 4, NULL, &o, &t, &e), JN_ERR_SIZE);
  check(strstr(e.text, "jn_table_options_init()") != NULL, "%s", e.text);
  assert_int_equal(jn_table_read(NULL, 0, NULL, NULL, &t, &e), JN_ERR_NULL);
  jn_table_options_init(&o);
  o.max_bytes = 10;
  assert_int_equal(jn_table_read("t,a\n0,1\n0,2\n", 12, NULL, &o, &t, &e), JN_ERR_FILE);
}

static void lack_of_memory_is_reported_and_nothing_leaks(void **state) {
  (void)state;
  static const char text[] = "t,\"a\",b\n0,1,x\n1,2,3\n";
  int done = 0;
  for (int call = 1; !done; call++) {
    counter c = {.fail_at = call};
    jn_allocator a = {count_allocate, count_release, &c};
    jn_table_options o;
    jn_table *t;
    jn_error e;
    jn_table_options_init(&o);
    o.allocator = &a;
    o.loose = 1;
    jn_status status = jn_table_read(text, sizeof text - 1, "table.csv", &o, &t, &e);
    check(status == JN_OK || (status == JN_ERR_MEMORY && !t && *e.text), "call %d: status %d", call, (int)status);
    done = status == JN_OK;
    jn_table_destroy(t);
    check(c.live == 0, "call %d: %d blocks left", call, c.live);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_come_back_to_the_bit),
      cmocka_unit_test(loose_cells_keep_their_text),
      cmocka_unit_test(indices_are_no_units),
      cmocka_unit_test(questions_outside_are_harmless),
      cmocka_unit_test(faults_are_reported_with_their_place),
      cmocka_unit_test(lack_of_memory_is_reported_and_nothing_leaks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
