/* SPDX-License-Identifier: BSD-2-Clause */
/* Generated functions, evaluated on their graph without a compiler, give what the library computes: on random trees of
 * all joint types, with and without regrouping. Generated text compiles without warnings and gives the same numbers:
 * tests/generate.sh. */
#include "generate/generate.h"
#include "models.h"

/* ---- a function on its graph ---- */

typedef struct bench {
  jn_writing w;
  double *input[JN_ARRAYS];
  double *value;
} bench;

static void open_bench(bench *b, const jn_model *m, const char *want, const jn_generate_options *options) {
  *b = (bench){0};
  b->w = (jn_writing){.model = m, .allocator = m->allocator, .options = *options};
  b->w.options.want = want;
  check(jn__mechanism_create(&b->w.mechanism, m, 0, options->regroup), "no memory");
  check(jn__graph_init(&b->w.graph, &b->w.allocator, 1 << 24), "no memory");
  check(jn__symbols_create(&b->w.symbols, &b->w.graph, &b->w.mechanism, options->runtime, jn_frame_count(m) - 1, 0),
        "no memory");
  check_ok(jn__write_functions(&b->w));
  for (int k = 0; k < JN_ARRAYS; k++) b->input[k] = calloc((size_t)jn__array_size(&b->w, k) + 1, sizeof(double));
  b->value = calloc((size_t)b->w.graph.count, sizeof(double));
}

static void close_bench(bench *b) {
  for (int k = 0; k < b->w.functions; k++) {
    for (int i = 0; i < b->w.function[k].outs; i++) jn__release(&b->w.allocator, b->w.function[k].out[i].values);
    jn__sequence_free(&b->w.function[k].sequence);
  }
  jn__release(&b->w.allocator, b->w.function);
  jn__symbols_free(&b->w.symbols);
  jn__graph_free(&b->w.graph);
  jn__mechanism_free(&b->w.mechanism);
  for (int k = 0; k < JN_ARRAYS; k++) free(b->input[k]);
  free(b->value);
}

/* Result number `out` of function number `k`, at the inputs. */
static void results(bench *b, int k, int out, double *x) {
  jn__evaluate(&b->w.graph, b->w.graph.count, (const double *const *)b->input, b->value);
  const jn_written_array *r = &b->w.function[k].out[out];
  for (int i = 0; i < r->size; i++) x[i] = jn__value(b->value, r->values[i]);
}

static void compare_all(const jn_model *m, uint64_t *s, const jn_generate_options *options, const char *what) {
  int n = jn_model_nv(m);
  size_t nn = (size_t)n;
  unsigned char *given = calloc(nn, 1);
  for (int i = 0; i < n; i++) given[i] = uniform(s) > 0;
  jn_generate_options o = *options;
  o.prescribed = given;

  bench b;
  open_bench(&b, m, "gravity_forces,bias_forces,inverse_dynamics,mass_matrix,forward_dynamics,hybrid_dynamics", &o);
  jn_work *work;
  check_ok(jn_work_create(m, &work));
  double *x = calloc(nn * nn, sizeof *x), *y = calloc(nn * nn, sizeof *y), *z = calloc(nn, sizeof *z);
  double **in = b.input;

  for (int state = 0; state < 3; state++) {
    jn__random_inputs(&b.w, s, in);
    double *q = in[JN_ARRAY_Q], *v = in[JN_ARRAY_V], *a = in[JN_ARRAY_A], *tau = in[JN_ARRAY_TAU];

    check_ok(jn_gravity_forces(m, work, q, y));
    results(&b, 0, 0, x);
    check_close(x, y, n, 1, 4000, "%s: gravity forces", what);

    check_ok(jn_bias_forces(m, work, q, v, y));
    results(&b, 1, 0, x);
    check_close(x, y, n, 1, 4000, "%s: bias forces", what);

    check_ok(jn_inverse_dynamics(m, work, q, v, a, NULL, y));
    results(&b, 2, 0, x);
    check_close(x, y, n, 1, 4000, "%s: inverse dynamics", what);

    check_ok(jn_mass_matrix(m, work, q, y));
    results(&b, 3, 0, x);
    check_close(x, y, n * n, 1, 4000, "%s: M", what);

    /* Solutions lose as many digits as M has; what they solve does not: M a + h = tau. */
    results(&b, 4, 0, x);
    check_ok(jn_inverse_dynamics(m, work, q, v, x, NULL, y));
    check_close(y, tau, n, norm(x, n), 40000, "%s: forward dynamics", what);

    results(&b, 5, 0, x);
    results(&b, 5, 1, z);
    check_ok(jn_inverse_dynamics(m, work, q, v, x, NULL, y));
    check_close(y, z, n, norm(x, n), 40000, "%s: hybrid dynamics", what);
    for (int i = 0; i < n; i++)
      check(given[i] ? x[i] == a[i] : z[i] == tau[i], "%s: hybrid dynamics keeps what is given", what);
  }
  free(x), free(y), free(z), free(given);
  jn_work_destroy(work);
  close_bench(&b);
}

static void functions_of_each_joint_type_are_those_of_the_library(void **unused) {
  (void)unused;
  uint64_t s = seed("joint types");
  for (int type = 0; type < JN_JOINT_TYPES; type++) {
    if (type == JN_FIXED) continue;
    jn_builder *builder;
    jn_model *m;
    jn_error error;
    check_ok(jn_builder_create(NULL, &builder));
    add_random_link(builder, &s, "first", NULL, (jn_joint_type)type, NULL);
    add_random_link(builder, &s, "second", "first", JN_REVOLUTE, NULL);
    add_random_link(builder, &s, "third", "second", (jn_joint_type)type, NULL);
    jn_status status = jn_builder_freeze(builder, &m, &error);
    jn_builder_destroy(builder);
    check(status == JN_OK, "%s", error.text);

    jn_generate_options o;
    jn_generate_options_init(&o);
    for (o.regroup = 0; o.regroup < 2; o.regroup++) compare_all(m, &s, &o, jn_joint_type_name((jn_joint_type)type));
    jn_model_destroy(m);
  }
}

static void functions_of_random_trees_are_those_of_the_library(void **unused) {
  (void)unused;
  uint64_t s = seed("random trees");
  for (int round = 0; round < 60; round++) {
    jn_model *m = random_tree(&s, 1 + round % 14);
    jn_generate_options o;
    jn_generate_options_init(&o);
    for (o.regroup = 0; o.regroup < 2 && jn_model_nv(m); o.regroup++)
      compare_all(m, &s, &o, o.regroup ? "regrouped" : "not regrouped");
    jn_model_destroy(m);
  }
}

static void functions_of_built_in_robots_are_those_of_the_library(void **unused) {
  (void)unused;
  static const char *const robots[] = {"builtin:panda",    "builtin:kuka_iiwa",       "builtin:quadruped",
                                       "builtin:humanoid", "builtin:double_pendulum", "builtin:planar_2r"};
  uint64_t s = seed("built-in robots");
  for (size_t i = 0; i < sizeof robots / sizeof *robots; i++) {
    jn_model *m = model_from(robots[i]);
    jn_generate_options o;
    jn_generate_options_init(&o);
    compare_all(m, &s, &o, robots[i]);
    jn_model_destroy(m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(functions_of_each_joint_type_are_those_of_the_library),
      cmocka_unit_test(functions_of_random_trees_are_those_of_the_library),
      cmocka_unit_test(functions_of_built_in_robots_are_those_of_the_library),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
