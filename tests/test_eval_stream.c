/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce eval --stream: every line in has one line out, at once, with the numbers of a run without it; mistakes stay in
 * their line. */
#include "support/running.h"

#include <jansson.h>
#include <math.h>
#include <signal.h>

static outcome stream(const char *input, const char *words) {
  char arguments[1024];
  write_file("lines", input);
  snprintf(arguments, sizeof arguments, "eval %s --stream <lines", words);
  return run_here(arguments);
}

/* Line n of a text, from 0, as JSON. */
static json_t *line_of(const char *text, int n) {
  for (; n > 0; n--) {
    text = strchr(text, '\n');
    assert_non_null(text);
    text++;
  }
  size_t length = strcspn(text, "\n");
  json_t *value = json_loadb(text, length, 0, NULL);
  if (!value) fail_msg("no JSON: %.*s", (int)length, text);
  assert_int_equal(text[length], '\n');
  return value;
}

static int count_lines(const char *text) {
  int n = 0;
  for (; (text = strchr(text, '\n')); text++) n++;
  return n;
}

static const char *error_of(json_t *line, int number) {
  assert_int_equal(json_integer_value(json_object_get(line, "line")), number);
  const char *text = json_string_value(json_object_get(line, "error"));
  assert_non_null(text);
  return text;
}

/* ---- Numbers ---- */

/* The same values, numbers to rounding. */
static void check_same(const char *name, const json_t *a, const json_t *b) {
  if (json_is_number(a) && json_is_number(b)) { /* 0 may be an integer in one and 1e-17 in the other */
    double x = json_number_value(a), y = json_number_value(b);
    if (!(fabs(x - y) <= 1e-9 * fmax(1, fabs(y)))) fail_msg("%s: %.17g, %.17g", name, x, y);
    return;
  }
  assert_int_equal(json_typeof(a), json_typeof(b));
  if (json_is_array(a)) {
    assert_int_equal(json_array_size(a), json_array_size(b));
    for (size_t i = 0; i < json_array_size(a); i++) check_same(name, json_array_get(a, i), json_array_get(b, i));
  } else if (json_is_object(a)) {
    const char *key;
    json_t *value;
    assert_int_equal(json_object_size(a), json_object_size(b));
    json_object_foreach((json_t *)(uintptr_t)a, key, value) {
      assert_non_null(json_object_get(b, key));
      check_same(key, value, json_object_get(b, key));
    }
  } else {
    assert_true(json_equal(a, b));
  }
}

/* Each name gives the same numbers as for an array of states. */
static void a_stream_gives_what_an_array_gives(void **state) {
  (void)state;
  static const char *const states[] = {"{}", "{\"q\": [0.3, -0.4, 0.5, -1, 0.2, 1, 0.1], \"v\": {\"panda_joint2\": 2}}",
                                       "{\"q\": {\"panda_joint4\": -1.5}, \"tau\": [1, 2, 3, 4, 5, 6, 7]}"};
  char lines[512], before[600];
  snprintf(lines, sizeof lines, "%s\n%s\n%s\n", states[0], states[1], states[2]);
  snprintf(before, sizeof before, "echo '[%s, %s, %s]' |", states[0], states[1], states[2]);
  outcome o = stream(lines, "builtin:panda --want all"), p = run_with(before, "eval builtin:panda --want all");
  json_t *all = json_loads(p.out, 0, NULL), *results = json_object_get(all, "results");
  assert_int_equal(o.code, 0);
  assert_int_equal(count_lines(o.out), 3);
  for (int i = 0; i < 3; i++) {
    json_t *one = line_of(o.out, i);
    check_same("result", one, json_array_get(results, (size_t)i));
    json_decref(one);
  }
  json_decref(all);
  done(&o);
  done(&p);
}

/* ---- Mistakes ---- */

static void a_mistake_stays_in_its_line(void **state) {
  (void)state;
  outcome o = stream("{}\n{\"q\": [1]}\nnonsense\n\n[{}]\n{\"Q\": 1, \"w\": 2}\n{\"q\": {\"elbo\": 1}}\n{}",
                     "builtin:double_pendulum --want g");
  static const char *const words[] = {NULL, "q: ", "not JSON", "empty", "array", "unknown field 'Q'", "'elbow'?", NULL};
  enum { COUNT = sizeof words / sizeof *words };
  assert_int_equal(o.code, 1);
  assert_int_equal(count_lines(o.out), COUNT);
  for (int i = 0; i < COUNT; i++) {
    json_t *line = line_of(o.out, i);
    if (words[i]) {
      check_has(error_of(line, i + 1), words[i]);
      assert_int_equal(json_object_size(line), 2);
    } else {
      assert_int_equal(json_array_size(json_object_get(line, "g")), 2);
    }
    if (i == 5) check_has(error_of(line, i + 1), "; unknown field 'w'"); /* all of a line */
    json_decref(line);
  }
  check_has(o.err, "6 of 8 lines");
  done(&o);
}

static void states_that_cannot_be_computed_are_mistakes(void **state) {
  (void)state;
  FILE *f = fopen(in_directory("massless.urdf"), "w");
  fputs(
      "<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='continuous'><parent link='a'/>"
      "<child link='b'/></joint></robot>",
      f);
  fclose(f);
  char words[600];
  snprintf(words, sizeof words, "'%s' --want ddq", in_directory("massless.urdf"));
#if JN_WITH_URDF
  outcome o = stream("{}\n{}\n", words);
  json_t *line = line_of(o.out, 1);
  assert_int_equal(o.code, 1);
  check_has(error_of(line, 2), "joint 'j' has no effective inertia");
  json_decref(line);
  done(&o);
  o = stream("{}\n", "massless.urdf --want all"); /* there it is null, with a note */
  line = line_of(o.out, 0);
  assert_int_equal(o.code, 0);
  assert_true(json_is_null(json_object_get(line, "ddq")));
  check_has(json_string_value(json_array_get(json_object_get(line, "notes"), 0)), "ddq is null");
  json_decref(line);
  done(&o);
#endif
  o = stream("{}\n{\"q\": {\"motor\": 0.5}}\n", "builtin:four_bar --want ddq");
  line = line_of(o.out, 1);
  check_has(error_of(line, 2), "opens the loop");
  json_decref(line);
  done(&o);
  o = stream("{\"q\": {\"motor\": 0.5}, \"held\": [\"motor\"]}\n", "builtin:four_bar --want ddq --assemble");
  line = line_of(o.out, 0);
  assert_int_equal(o.code, 0);
  assert_int_equal(json_array_size(json_object_get(line, "q")), 3);
  json_decref(line);
  done(&o);
}

static void long_lines_are_skipped_to_their_end(void **state) {
  (void)state;
  size_t size = 40000;
  char *text = malloc(size + 64);
  assert_non_null(text);
  memset(text, ' ', size);
  strcpy(text + size, "{}\n{}\n");
  outcome o = stream(text, "builtin:double_pendulum --want g --max-bytes 32K");
  json_t *line = line_of(o.out, 0);
  assert_int_equal(count_lines(o.out), 2);
  check_has(error_of(line, 1), "32768 bytes");
  json_decref(line);
  line = line_of(o.out, 1);
  assert_non_null(json_object_get(line, "g"));
  json_decref(line);
  done(&o);
  snprintf(text, size, "{\"v\": [");
  for (size_t used = strlen(text); used < 30000; used += 2) strcpy(text + used, "0,");
  strcat(text, "0]}\n"); /* many values in few bytes */
  o = stream(text, "builtin:double_pendulum --want g --max-bytes 32K");
  line = line_of(o.out, 0);
  check_has(error_of(line, 1), "values");
  json_decref(line);
  done(&o);
  free(text);
}

static void wrong_use_is_refused(void **state) {
  (void)state;
  outcome o = run_with("echo '{}' |", "eval - --want g --stream");
  assert_int_equal(o.code, 2);
  check_has(o.err, "--stream");
  done(&o);
  o = run_with("", "eval builtin:panda --want g --stream --input /no/such/file");
  assert_int_equal(o.code, 1);
  check_has(o.err, "/no/such/file");
  assert_string_equal(o.out, "");
  done(&o);
  o = stream("", "builtin:panda --want g");
  assert_int_equal(o.code, 0);
  assert_string_equal(o.out, "");
  done(&o);
}

/* ---- At once ---- */

/* A dialogue: every answer arrives before the next question is asked. */
static void answers_do_not_wait(void **state) {
  (void)state;
  int to[2], from[2];
  char answer[512];
  assert_int_equal(pipe(to), 0);
  assert_int_equal(pipe(from), 0);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    dup2(to[0], 0);
    dup2(from[1], 1);
    close(to[1]);
    close(from[0]);
    execl(JN_COMMAND, JN_COMMAND, "eval", "builtin:planar_2r", "--want", "g", "--stream", (char *)NULL);
    _exit(127);
  }
  close(to[0]);
  close(from[1]);
  alarm(60); /* not for ever */
  for (int i = 0; i < 5; i++) {
    const char *question = i == 3 ? "what?\n" : "{\"q\": [0, 0]}\n";
    assert_int_equal(write(to[1], question, strlen(question)), (int)strlen(question));
    size_t used = 0;
    while (used == 0 || answer[used - 1] != '\n') {
      ssize_t n = read(from[0], answer + used, sizeof answer - 1 - used);
      assert_true(n > 0);
      used += (size_t)n;
    }
    answer[used] = 0;
    check_has(answer, i == 3 ? "\"line\": 4" : "{\"g\": [");
  }
  close(to[1]);
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  alarm(0);
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
  close(from[0]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_stream_gives_what_an_array_gives),
      cmocka_unit_test(a_mistake_stays_in_its_line),
      cmocka_unit_test(states_that_cannot_be_computed_are_mistakes),
      cmocka_unit_test(long_lines_are_skipped_to_their_end),
      cmocka_unit_test(wrong_use_is_refused),
      cmocka_unit_test(answers_do_not_wait),
  };
  return cmocka_run_group_tests_name("eval_stream", tests, make_directory, remove_directory);
}
