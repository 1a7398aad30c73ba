/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce eval on an array of states: blocks go through the batch functions, and give what single states give. */
#include "eval_help.h"

#include "testing.h"

/* All numbers of two results, relative to the largest of each array, within `roundings`. */
static void check_alike(const json_t *a, const json_t *b, const char *where, double roundings) {
  assert_int_equal(json_typeof(a), json_typeof(b));
  if (json_is_object(a)) {
    const char *key;
    json_t *value;
    assert_int_equal(json_object_size(a), json_object_size(b));
    json_object_foreach((json_t *)(uintptr_t)a, key, value) {
      json_t *other = json_object_get(b, key);
      if (!other) fail_msg("%s has no %s", where, key);
      check_alike(value, other, key, roundings);
    }
    return;
  }
  if (json_is_null(a)) return;
  double x[ROOM * 8], y[ROOM * 8], most = 1;
  int count = flatten(a, x, 0, ROOM * 8);
  assert_int_equal(flatten(b, y, 0, ROOM * 8), count);
  for (int i = 0; i < count; i++) most = fmax(most, fabs(x[i]));
  for (int i = 0; i < count; i++)
    check(fabs(x[i] - y[i]) <= roundings * jn_variant_epsilon() * most, "%s [%d]: %.17g, alone %.17g", where, i, x[i],
          y[i]);
}

static void add_row(char *text, const char *key, int count, uint64_t *s) {
  sprintf(text + strlen(text), "\"%s\": [", key);
  for (int i = 0; i < count; i++) sprintf(text + strlen(text), "%s%.6f", i ? ", " : "", uniform(s));
  strcat(text, "]");
}

/* A state of mixed.json, with turns of its free and its ball joint; every third has a wrench, every other prescribes a
 * joint. */
static void add_mixed_state(char *text, int k, uint64_t *s) {
  double x = 3 * uniform(s), y = 3 * uniform(s);
  sprintf(text, "{\"q\": [%.6f, 2, %.6f, 0, %.17g, 0, %.17g, %.17g, 0, 0, %.17g, 0.3], ", uniform(s), uniform(s),
          sin(x), cos(x), sin(y), cos(y));
  add_row(text, "v", 10, s);
  strcat(text, ", ");
  add_row(text, "a", 10, s);
  strcat(text, ", ");
  add_row(text, "tau", 10, s);
  if (k % 3 == 0) strcat(text, ", \"wrench\": {\"head\": [1, 2, 3, 4, 5, 6]}");
  if (k % 2 == 0) strcat(text, ", \"prescribed\": [\"neck\"]");
  strcat(text, "}");
}

static const char many[] =
    "tau,ddq,hybrid,M,Minv,C,Mdot,g,bias,energy,com,tau_jets,ddq_jets,M_jets,C_jets,g_jets,momentum_jets,com_jets,"
    "energy_jets,dtau_dq,dtau_dv,dtau_da,da_dq,da_dv,da_dtau,Y";

static void every_state_of_several_blocks_is_as_if_alone(void **state) {
  (void)state;
  enum { STATES = 256 + 5, ONE = 1024 };
  static const int chosen[] = {0, 1, 3, 6, 254, 255, 256, 260};
  uint64_t s = seed("blocks");
  static char one[STATES][ONE], all[(STATES + 1) * ONE] = "[";
  char words[512];
  for (int k = 0; k < STATES; k++) {
    add_mixed_state(one[k], k, &s);
    strcat(strcat(all, k ? ", " : ""), one[k]);
  }
  strcat(all, "]");
  snprintf(words, sizeof words, "mixed.json --order 2 --want %s", many);
  json_t *together = evaluate(words, all);
  assert_int_equal(json_array_size(at(together, "results")), STATES);
  for (size_t i = 0; i < sizeof chosen / sizeof *chosen; i++) {
    json_t *alone = evaluate(words, one[chosen[i]]);
    check_alike(json_array_get(at(together, "results"), (size_t)chosen[i]), at(alone, "results.0"), "state", 1e5);
    json_decref(alone);
  }
  json_decref(together);
}

static void losses_count_in_every_state(void **state) {
  (void)state;
  const char *words = "pendulum.json --losses --order 2 --want tau,ddq,tau_jets,ddq_jets,dtau_dv,da_dq,da_dv,da_dtau";
  char all[1024] = "[", one[5][128];
  for (int k = 0; k < 5; k++) {
    snprintf(one[k], sizeof one[k], "{\"q\": [%g], \"v\": [%g], \"a\": [0.3], \"tau\": [%g]}", 0.1 * k, 1.5 - k,
             0.7 * k);
    strcat(strcat(all, k ? ", " : ""), one[k]);
  }
  json_t *together = evaluate(words, strcat(all, "]"));
  for (int k = 0; k < 5; k++) {
    json_t *alone = evaluate(words, one[k]);
    check_alike(json_array_get(at(together, "results"), (size_t)k), at(alone, "results.0"), "state", 100);
    json_decref(alone);
  }
  json_decref(together);
}

/* A mass on an arm that swings about y, on a hinge about z without inertia: nothing resists the hinge when the arm
 * points along it. */
static const char gimbal[] =
    "{\"name\": \"gimbal\", \"bodies\": ["
    "{\"name\": \"post\", \"joint\": {\"name\": \"pan\", \"type\": \"revolute\"}},"
    "{\"name\": \"arm\", \"parent\": \"post\", \"joint\": {\"name\": \"tilt\", \"type\": \"revolute\", \"axis\": [0, "
    "1, "
    "0]}, \"inertia\": {\"mass\": 2, \"com\": [1, 0, 0]}}]}";

static void a_singular_state_among_many_is_reported_by_its_number(void **state) {
  (void)state;
  const char *states = "[{}, {\"q\": [0, 0.3]}, {\"q\": [1, 1]}, {}, {}, {\"q\": [0.5, 1.5707963267948966]}, {}]";
  write_file("empty.json", gimbal);
  write_file("state.json", states);
  check_refusal("empty.json --want tau,ddq --input state.json", 1,
                "state 5: ddq: joint 'pan' has no effective inertia");
  check_refusal("empty.json --want M,hybrid --input state.json", 1, "state 5: hybrid: joint 'pan'");
  outcome o = run("empty.json --want all --input state.json");
  assert_int_equal(o.code, 0);
  check_has(o.err, "state 5: ddq is null: joint 'pan' has no effective inertia");
  json_t *root = json_loads(o.out, 0, NULL);
  assert_non_null(root);
  for (int k = 0; k < 7; k++) {
    json_t *result = json_array_get(at(root, "results"), (size_t)k);
    assert_int_equal(json_is_null(at(result, "ddq")), k == 5);
    assert_false(json_is_null(at(result, "tau")));
  }
  check_numbers(root, "results.1.Minv", (double[]){1 / (2 * cos(0.3) * cos(0.3)), 0, 0, 0.5}, 4, 16);
  json_decref(root);
  done(&o);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_state_of_several_blocks_is_as_if_alone),
      cmocka_unit_test(losses_count_in_every_state),
      cmocka_unit_test(a_singular_state_among_many_is_reported_by_its_number),
  };
  return cmocka_run_group_tests_name("eval_batch", tests, make_robots, remove_directory);
}
