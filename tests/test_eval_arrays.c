/* SPDX-License-Identifier: BSD-2-Clause */
/* States of jounce eval from NPY and NPZ files give the same bytes as from JSON; files that do not fit the model are
 * refused with the array, its shape and the rule. JSON states are parsed one at a time, and only those of the part. */
#include "eval_help.h"

#include "../tool/files/npz.h"

enum { STATES = 30, ROWS = 3, SEED = 7, MOST = 4000 };

static uint64_t random_state = SEED;

static double random_number(void) {
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return (double)(random_state >> 11) / 4503599627370496.0 - 1;
}

/* ---- Files ---- */

/* An array of the archive, [states x a (x b)] (b 0: without the last dimension). */
static void add_array(npz_writer *w, const char *name, const double *numbers, int states, int a, int b) {
  char shape[64];
  snprintf(shape, sizeof shape, b ? "%d, %d, %d" : "%d, %d", states, a, b);
  npz_numbers(w, name, shape, numbers, (size_t)states * (size_t)a * (size_t)(b ? b : 1));
}

static void write_npz(const char *file, const char *name, const double *numbers, int states, int width) {
  npz_writer w;
  FILE *f = fopen(in_directory(file), "wb");
  assert_non_null(f);
  npz_begin(&w, f);
  add_array(&w, name, numbers, states, width, 0);
  assert_true(npz_end(&w));
  fclose(f);
}

static void write_npy(const char *file, const char *shape, const double *numbers, size_t count) {
  char header[119];
  FILE *f = fopen(in_directory(file), "wb");
  assert_non_null(f);
  snprintf(header, sizeof header, "{'descr': '<f8', 'fortran_order': False, 'shape': (%s), }", shape);
  fwrite("\x93NUMPY\1\0\x76\0", 1, 10, f);
  fprintf(f, "%-117s\n", header);
  for (size_t i = 0; i < count; i++) {
    uint64_t bits;
    memcpy(&bits, &numbers[i], sizeof bits);
    for (int b = 0; b < 8; b++) fputc((int)(bits >> 8 * b & 255), f);
  }
  fclose(f);
}

static void print_row(FILE *f, const double *numbers, int count) {
  for (int i = 0; i < count; i++) fprintf(f, "%s%.17g", i ? ", " : "[", numbers[i]);
  fputs("]", f);
}

static void print_field(FILE *f, const char *name, const double *numbers, int count) {
  fprintf(f, ", \"%s\": ", name);
  print_row(f, numbers, count);
}

/* Does the input give the same output as states.json? The messages are returned. */
static outcome check_same_output(const char *options, const char *file) {
  char line[512];
  snprintf(line, sizeof line, "%s --input states.json", options);
  outcome json = run(line);
  snprintf(line, sizeof line, "%s --input %s", options, file);
  outcome arrays = run(line);

  if (json.code != 0 || arrays.code != 0) fail_msg("%s %s: %s %s", options, file, json.err, arrays.err);
  if (strcmp(json.out, arrays.out) != 0) fail_msg("%s: %s differs from JSON (seed %d)", options, file, SEED);
  done(&json);
  return arrays;
}

/* ---- Same results ---- */

typedef struct fields {
  int nq, nv, links;
  double q[MOST], v_jets[MOST], v[MOST], a[MOST], tau[MOST], wrench[STATES * 20 * 6];
} fields;

static void fill_fields(const jn_model *model, fields *x) {
  x->nq = jn_model_nq(model), x->nv = jn_model_nv(model), x->links = jn_link_count(model);
  assert_true(STATES * ROWS * x->nv <= MOST && STATES * x->nq <= MOST && x->links <= 20);
  for (int s = 0; s < STATES; s++) {
    jn_random(model, &random_state, x->q + s * x->nq);
    for (int i = 0; i < ROWS * x->nv; i++) x->v_jets[s * ROWS * x->nv + i] = random_number();
    memcpy(x->v + s * x->nv, x->v_jets + s * ROWS * x->nv, (size_t)x->nv * sizeof(double));
    memcpy(x->a + s * x->nv, x->v_jets + (s * ROWS + 1) * x->nv, (size_t)x->nv * sizeof(double));
  }
  for (int i = 0; i < STATES * x->nv; i++) x->tau[i] = random_number();
  for (int i = 0; i < STATES * 6 * x->links; i++) x->wrench[i] = random_number();
}

static void write_json(const jn_model *model, const fields *x, const char *prescribed) {
  FILE *f = fopen(in_directory("states.json"), "w");
  assert_non_null(f);
  for (int s = 0; s < STATES; s++) {
    fprintf(f, "%s{\"prescribed\": [\"%s\"]", s ? ",\n" : "[", prescribed);
    print_field(f, "q", x->q + s * x->nq, x->nq);
    print_field(f, "v", x->v + s * x->nv, x->nv);
    print_field(f, "a", x->a + s * x->nv, x->nv);
    print_field(f, "tau", x->tau + s * x->nv, x->nv);
    fputs(", \"v_jets\": [", f);
    for (int r = 0; r < ROWS; r++) {
      if (r) fputs(", ", f);
      print_row(f, x->v_jets + (s * ROWS + r) * x->nv, x->nv);
    }
    fputs("], \"wrench\": {", f);
    for (int l = 0; l < x->links; l++) {
      fprintf(f, "%s\"%s\": ", l ? ", " : "", jn_link_name(model, l));
      print_row(f, x->wrench + (s * x->links + l) * 6, 6);
    }
    fputs("}}", f);
  }
  fputs("]\n", f);
  fclose(f);
}

static void write_arrays(const fields *x, char *prescribed) {
  npz_writer w;
  FILE *f = fopen(in_directory("states.npz"), "wb");
  assert_non_null(f);
  npz_begin(&w, f);
  add_array(&w, "q", x->q, STATES, x->nq, 0);
  add_array(&w, "v", x->v, STATES, x->nv, 0);
  add_array(&w, "a", x->a, STATES, x->nv, 0);
  add_array(&w, "tau", x->tau, STATES, x->nv, 0);
  add_array(&w, "v_jets", x->v_jets, STATES, ROWS, x->nv);
  add_array(&w, "wrench", x->wrench, STATES, x->links, 6);
  npz_texts(&w, "prescribed", &prescribed, 1);
  assert_true(npz_end(&w));
  fclose(f);
}

/* Parts of the archive, put together, are the whole result. */
static void check_parts(const char *options, const char *whole) {
  char line[512];
  for (int i = 1; i <= 4; i++) {
    snprintf(line, sizeof line, "%s --input states.npz --shard %d/4 --max-bytes 64M >part%d", options, i, i);
    outcome o = run(line);
    if (o.code != 0) fail_msg("%s: %s", line, o.err);
    done(&o);
  }

  outcome o = run_fine("gather gathered.json part4 part2 part3 part1", 0);
  char *text = read_file("gathered.json");
  assert_string_equal(text, whole);
  free(text);
  done(&o);
}

static void archives_give_the_same_bytes_as_json(void **state) {
  (void)state;
  static fields x;
  const char *const sources[] = {"builtin:panda", "builtin:quadruped"};
  for (int r = 0; r < 2; r++) {
    const char *source = sources[r];
    jn_model *model;
    char options[128];
    assert_int_equal(jn_load(source, NULL, &model, NULL), JN_OK);
    int joint = jn_coordinate_joint(model, jn_model_nv(model) - 1, NULL);
    char *prescribed = strdup(jn_joint_name(model, joint));

    fill_fields(model, &x);
    write_json(model, &x, prescribed);
    write_arrays(&x, prescribed);
    snprintf(options, sizeof options, "%s --want tau,ddq,hybrid,M,tau_jets", source);
    outcome o = check_same_output(options, "states.npz");
    check_lacks(o.err, "jounce");
    check_parts(options, o.out);
    done(&o);

    free(prescribed);
    jn_model_destroy(model);
  }
}

static void tables_are_rows_of_q_or_of_q_and_v(void **state) {
  (void)state;
  double rows[STATES * 14], q[STATES * 7];
  for (int i = 0; i < STATES * 14; i++) rows[i] = random_number();
  for (int i = 0; i < STATES * 7; i++) q[i] = rows[14 * (i / 7) + i % 7];
  write_npy("qv.npy", "30, 14", rows, STATES * 14);
  write_npy("q.npy", "30, 7", q, STATES * 7);
  write_npy("one.npy", "7,", q, 7);

  for (int widths = 3; widths > 0; widths--) { /* q and v; q; one q */
    FILE *f = fopen(in_directory("states.json"), "w");
    for (int s = 0; s < (widths == 1 ? 1 : STATES); s++) {
      fprintf(f, "%s{\"tau\": [0, 0, 0, 0, 0, 0, 0]", s ? "," : "[");
      print_field(f, "q", rows + 14 * s, 7);
      if (widths == 3) print_field(f, "v", rows + 14 * s + 7, 7);
      fputs("}", f);
    }
    fputs("]", f);
    fclose(f);

    const char *file = widths == 3 ? "qv.npy" : widths == 2 ? "q.npy" : "one.npy";
    outcome o = check_same_output("builtin:panda --want tau,ddq,energy", file);
    check_has(o.err, widths == 3   ? "qv.npy: 30 rows of q and v"
                     : widths == 2 ? "30 rows of q; v is zero"
                                   : "1 row of q");
    done(&o);
  }
}

/* ---- Refused ---- */

static void files_that_do_not_fit_are_refused_with_the_rule(void **state) {
  (void)state;
  double x[64] = {0};
  write_npy("bad.npy", "3, 8", x, 24);
  check_refusal("builtin:panda --want tau --input bad.npy", 1,
                "bad.npy: the array has the shape [3 x 8]; rows have q (nq = 7");
  write_npy("bad.npy", "2, 2, 2", x, 8);
  check_refusal("builtin:panda --want tau --input bad.npy", 1, "the shape [2 x 2 x 2]");
  write_npy("bad.npy", "9, 7", x, 10);
  check_refusal("builtin:panda --want tau --input bad.npy", 1, "is cut off");
  write_npz("bad.npz", "tau", x, 3, 6);
  check_refusal("builtin:panda --want tau --input bad.npz", 1,
                "bad.npz: array 'tau' has the shape [3 x 6]; it takes [N x 7] (nv), or [7] for one state");
  write_npz("bad.npz", "qq", x, 3, 7);
  check_refusal("builtin:panda --want tau --input bad.npz", 1, "bad.npz: unknown array 'qq'; there are q, v, a, tau");
  write_npz("bad.npz", "base", x, 3, 7);
  check_refusal("builtin:panda --want tau --input bad.npz", 1, "q has the pose of the base");
  x[9] = NAN;
  write_npz("bad.npz", "v", x, 3, 7);
  check_refusal("builtin:panda --want tau --input bad.npz", 1, "bad.npz: state 1: v: number 2 (from 0) is not finite");
  check_refusal("builtin:panda --want tau --stream --input bad.npz", 2, "--stream reads lines of JSON");
  write_file("bad.npz", "PK\3\4 and nothing more");
  check_refusal("builtin:panda --want tau --input bad.npz", 1, "is not a complete ZIP archive");
}

static void arrays_agree_on_the_number_of_states(void **state) {
  (void)state;
  double x[64] = {0};
  npz_writer w;
  FILE *f = fopen(in_directory("uneven.npz"), "wb");
  assert_non_null(f);
  npz_begin(&w, f);
  add_array(&w, "q", x, 3, 7, 0);
  add_array(&w, "v", x, 2, 7, 0);
  assert_true(npz_end(&w));
  fclose(f);
  check_refusal("builtin:panda --want tau --input uneven.npz", 1, "array 'v' has 2 states, but 'q' has 3");
}

/* A wrong quaternion is found in arrays as it is in JSON. */
static void states_of_arrays_are_checked_as_those_of_json(void **state) {
  (void)state;
  double q[64] = {0};
  jn_model *model;
  assert_int_equal(jn_load("builtin:quadruped", NULL, &model, NULL), JN_OK);
  write_npz("zero.npz", "q", q, 1, jn_model_nq(model));
  check_refusal("builtin:quadruped --want tau --input zero.npz", 1, "state 0: q: joint");
  jn_model_destroy(model);
}

/* ---- Memory ---- */

static void write_many(const char *file, int states, int joints) {
  FILE *f = fopen(in_directory(file), "w");
  assert_non_null(f);
  for (int s = 0; s < states; s++) {
    for (int field = 0; field < 2; field++) {
      fputs(field ? ",\"v\":[" : s ? ",{\"q\":[" : "[{\"q\":[", f);
      for (int i = 0; i < joints; i++) fputs(i ? ",0" : "0", f);
      fputs("]", f);
    }
    fputs("}", f);
  }
  fputs("]", f);
  fclose(f);
}

/* As 1e5 states within the default limit, at a hundredth of both. All values at once would take 1.4 times the limit. */
static void json_states_are_parsed_one_at_a_time(void **state) {
  (void)state;
  write_many("many.json", 1000, 30);
  outcome o = run("builtin:chain:30 --want energy --input many.json --max-bytes 2684354");
  if (o.code != 0) fail_msg("%s", o.err);
  done(&o);
  check_refusal("builtin:chain:30 --want energy --input many.json --max-bytes 1M", 1, "has 1000 states, which take");
}

static void states_of_arrays_have_the_same_limit(void **state) {
  (void)state;
  double *q = calloc(3000, sizeof *q);
  write_npz("many.npz", "q", q, 3000, 1);
  check_refusal("builtin:chain:1 --want energy --input many.npz --max-bytes 30K", 1, "has 3000 states, which take");
  check_refusal("builtin:chain:1 --want energy --input many.npz --max-bytes 10K", 1,
                "is larger than the limit of 10240");
  free(q);
}

/* The states of other parts are not parsed, so their mistakes are not seen; brackets in strings are no brackets. */
static void parts_do_not_parse_other_states(void **state) {
  (void)state;
  write_file("parts.json", "[{\"q\": {\"]}\\\"\": 1}},\n {\"q\": [1, 2]}, {\"q\": [3,, 4]}]");
  outcome o = run("builtin:planar_2r --want g --input parts.json --shard 2/3");
  if (o.code != 0) fail_msg("%s", o.err);
  check_has(o.out, "jounce-shard 1 2 3 1 2 3");
  done(&o);
  check_refusal("builtin:planar_2r --want g --input parts.json --shard 1/3", 1, "state 0: q: joint ']}");
  check_refusal("builtin:planar_2r --want g --input parts.json --shard 3/3", 1, "parts.json:2:");
}

int main(void) {
  printf("seed %d\n", SEED);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(archives_give_the_same_bytes_as_json),
      cmocka_unit_test(tables_are_rows_of_q_or_of_q_and_v),
      cmocka_unit_test(files_that_do_not_fit_are_refused_with_the_rule),
      cmocka_unit_test(arrays_agree_on_the_number_of_states),
      cmocka_unit_test(states_of_arrays_are_checked_as_those_of_json),
      cmocka_unit_test(json_states_are_parsed_one_at_a_time),
      cmocka_unit_test(states_of_arrays_have_the_same_limit),
      cmocka_unit_test(parts_do_not_parse_other_states),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
