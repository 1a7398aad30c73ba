/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions for solvers: Jacobians, gradients and Hessians by the numbers of q are what differences of order 4 of the
 * function, and of its exact gradient, say, quaternions of any length among them; what a pattern leaves out is zero,
 * and what it lists is needed. */
#include <stdlib.h>

#include "models.h"
#include "simulation_help.h"

#include "jounce/solvers.h"

enum { X = 120, Y = 1024 };

typedef struct solver_case {
  jn_model *model;
  jn_function *f;
  int n, m, nq;
  double x[X];
} solver_case;

/* The closing frame of b is where that of a is in the neutral configuration. */
static void join_at_rest(const jn_model *m, jn_loop *loop) {
  double q[6], c[16], f[16];
  jn_work *w;
  check_ok(jn_work_create(m, &w));
  check_ok(jn_neutral(m, q));
  check_ok(jn_frame_pose(m, w, jn_frame_index(m, "c"), q, c));
  check_ok(jn_frame_pose(m, w, jn_frame_index(m, "f"), q, f));
  for (int i = 0; i < 3; i++) {
    loop->placement_b[4 * i + 3] = 0;
    for (int k = 0; k < 3; k++) loop->placement_b[4 * i + 3] += f[4 * k + i] * (c[4 * k + 3] - f[4 * k + 3]);
  }
  jn_work_destroy(w);
}

/* Two arms of three random joints, whose ends are joined at a point: three conditions, none of them redundant. */
static jn_model *joined_arms(uint64_t *s) {
  jn_builder *b;
  jn_model *m;
  static const char *const name[] = {"a", "b", "c", "d", "e", "f"};
  check_ok(jn_builder_create(NULL, &b));
  for (int i = 0; i < 6; i++) add_random_link(b, s, name[i], i % 3 ? name[i - 1] : NULL, JN_REVOLUTE, NULL);
  check_ok(jn_builder_freeze(b, &m, NULL));
  jn_loop loop;
  jn_loop_init(&loop);
  join_at_rest(m, &loop);
  jn_model_destroy(m);
  loop.type = JN_LOOP_SPHERICAL;
  loop.name = "joined";
  loop.link_a = "c";
  loop.link_b = "f";
  check_ok(jn_builder_add_loop(b, &loop));
  check_ok(jn_builder_freeze(b, &m, NULL));
  jn_builder_destroy(b);
  return m;
}

static void begin(solver_case *c, jn_model *model, jn_function_kind kind, const jn_function_options *o, uint64_t *s) {
  c->model = model;
  check_ok(jn_function_create(model, kind, o, &c->f));
  c->n = jn_function_n(c->f);
  c->m = jn_function_m(c->f);
  c->nq = jn_model_nq(model);
  assert_true(c->n <= X && c->m <= Y);
  check_ok(jn_random(model, s, c->x));
  fill(s, c->x + c->nq, c->n - c->nq, 1);
  for (int i = 0; i < jn_link_count(model); i++) { /* quaternions that are not unit */
    int q = jn_joint_q(model, i), extra = jn_joint_nq(model, i) - jn_joint_nv(model, i);
    if (extra == 0) continue;
    for (int k = jn_joint_nq(model, i) - 4; k < jn_joint_nq(model, i); k++) c->x[q + k] *= 1.3;
  }
}

typedef jn_status evaluate(jn_function *f, const double *x, const double *lambda, double *out);
static jn_status value_of(jn_function *f, const double *x, const double *lambda, double *out) {
  (void)lambda;
  return jn_function_value(f, x, out);
}

/* Column k of the derivative of `rows` numbers, by differences of order 4. */
static void differences(const solver_case *c, evaluate *of, const double *lambda, int rows, int k, double *column) {
  double x[X], y[Y > X ? Y : X], e = 2e-4;
  memcpy(x, c->x, sizeof x);
  memset(column, 0, (size_t)rows * sizeof *column);
  for (int i = -2; i <= 2; i++) {
    if (i == 0) continue;
    x[k] = c->x[k] + i * e;
    check_ok(of(c->f, x, lambda, y));
    double weight = (i * i == 1 ? 8 : -1) * (i < 0 ? -1 : 1) / (12 * e);
    for (int j = 0; j < rows; j++) column[j] += weight * y[j];
  }
}

static void check_jacobian(const solver_case *c, const double *lambda) {
  static double J[Y * X];
  double column[Y], g[X], size;
  const char *name = jn_function_output_name(c->f, 0);
  const unsigned char *pattern = jn_function_jacobian_pattern(c->f);
  check_ok(jn_function_jacobian(c->f, c->x, J));
  check_ok(jn_function_adjoint(c->f, c->x, lambda, g));
  size = norm_or_1(J, c->m * c->n);
  for (int k = 0; k < c->n; k++) {
    double product = 0;
    differences(c, value_of, NULL, c->m, k, column);
    for (int i = 0; i < c->m; i++) {
      double entry = J[i * c->n + k];
      check(fabs(entry - column[i]) < 1e-8 * size, "%s: J(%d, %d) = %.15g, differences %.15g", name, i, k, entry,
            column[i]);
      check(pattern[i * c->n + k] || entry == 0, "%s: J(%d, %d) = %g is not in the pattern", name, i, k, entry);
      product += lambda[i] * entry;
    }
    check(fabs(product - g[k]) < 1e-11 * size, "%s: gradient %d is %g, J^T lambda %g", name, k, g[k], product);
  }
}

/* `accuracy` relative to the largest entry. */
static void check_hessian(const solver_case *c, const double *lambda, double accuracy) {
  static double H[X * X];
  double column[X], g[X], again[X], size;
  const char *name = jn_function_output_name(c->f, 0);
  const unsigned char *pattern = jn_function_hessian_pattern(c->f);
  check_ok(jn_function_hessian(c->f, c->x, lambda, g, H));
  check_ok(jn_function_adjoint(c->f, c->x, lambda, again));
  size = norm_or_1(H, c->n * c->n);
  for (int k = 0; k < c->n; k++) {
    check(fabs(g[k] - again[k]) < 1e-11 * size, "%s: gradient %d is %g and %g", name, k, g[k], again[k]);
    differences(c, jn_function_adjoint, lambda, c->n, k, column);
    for (int i = 0; i < c->n; i++) {
      double entry = H[i * c->n + k];
      check(fabs(entry - column[i]) < accuracy * size, "%s: H(%d, %d) = %g, differences %g", name, i, k, entry,
            column[i]);
      check(H[k * c->n + i] == entry, "%s: H(%d, %d) is not symmetric", name, i, k);
      check(pattern[i * c->n + k] || fabs(entry) < 1e-9 * size, "%s: H(%d, %d) = %g is not in the pattern", name, i, k,
            entry);
    }
  }
}

static void check_case(jn_model *model, jn_function_kind kind, const jn_function_options *o, uint64_t *s) {
  solver_case c;
  double lambda[Y];
  begin(&c, model, kind, o, s);
  fill(s, lambda, c.m, 1);
  if (jn_loop_count(model) > 0) { /* near a closed configuration */
    jn_loops *l;
    check_ok(jn_loops_create(model, NULL, &l));
    check_ok(jn_neutral(model, c.x));
    check_ok(jn_loops_assemble(l, NULL, 0, c.x, NULL));
    jn_loops_destroy(l);
  }
  check_jacobian(&c, lambda);
  check_hessian(&c, lambda, 1e-7);
  jn_function_destroy(c.f);
}

static const jn_function_kind tree_kinds[] = {
    JN_FUNCTION_INVERSE_DYNAMICS, JN_FUNCTION_FORWARD_DYNAMICS, JN_FUNCTION_STEP,    JN_FUNCTION_FRAMES,
    JN_FUNCTION_MOMENTUM,         JN_FUNCTION_MASS_MATRIX,      JN_FUNCTION_GRAVITY, JN_FUNCTION_TORQUE_RATE};

static void derivatives_are_what_differences_say(void **unused) {
  (void)unused;
  uint64_t s = seed("derivatives for solvers");
  for (int which = 0; which < 3; which++) {
    jn_model *model = which == 0   ? lossy_chain(&s, mixed, MIXED, 0)
                      : which == 1 ? random_tree(&s, 5)
                                   : model_from("builtin:double_pendulum");
    int frames[] = {jn_frame_count(model) - 1, 0};
    jn_function_options o;
    jn_function_options_init(&o);
    o.frames = frames;
    o.frame_count = 2;
    o.losses = which == 0;
    for (size_t k = 0; k < sizeof tree_kinds / sizeof *tree_kinds; k++) check_case(model, tree_kinds[k], &o, &s);
    o.integrator = JN_SEMI_IMPLICIT_EULER;
    check_case(model, JN_FUNCTION_STEP, &o, &s);
    jn_model_destroy(model);
  }
}

static void loops_have_derivatives(void **unused) {
  (void)unused;
  uint64_t s = seed("loops for solvers");
  jn_model *model = joined_arms(&s);
  check_case(model, JN_FUNCTION_LOOPS_FORWARD_DYNAMICS, NULL, &s);
  check_case(model, JN_FUNCTION_LOOPS_CONDITIONS, NULL, &s);
  jn_model_destroy(model);
}

/* Entries of the pattern and entries that are not zero, at a random state. */
static void count_entries(jn_model *model, jn_function_kind kind, uint64_t *s, int *listed, int *needed) {
  static double J[Y * X];
  solver_case c;
  begin(&c, model, kind, NULL, s);
  check_ok(jn_function_jacobian(c.f, c.x, J));
  *listed = *needed = 0;
  for (int i = 0; i < c.m * c.n; i++) {
    *listed += jn_function_jacobian_pattern(c.f)[i];
    *needed += fabs(J[i]) > 1e-13 * norm(J, c.m * c.n);
  }
  jn_function_destroy(c.f);
}

/* Two random arms on the world: forces and accelerations of one do not depend on the other. */
static void patterns_are_no_larger_than_needed(void **unused) {
  (void)unused;
  uint64_t s = seed("patterns for solvers");
  jn_model *model = joined_arms(&s);
  int listed, needed;
  for (int kind = JN_FUNCTION_INVERSE_DYNAMICS; kind <= JN_FUNCTION_STEP; kind++) {
    count_entries(model, (jn_function_kind)kind, &s, &listed, &needed);
    int blocks = kind == JN_FUNCTION_STEP ? 6 : 3;
    assert_int_equal(listed, blocks * 2 * 9); /* two blocks of 3 x 3 of 6 x 6 each */
    check(needed >= listed - 2, "%d entries are listed, %d are not zero", listed, needed);
  }
  jn_model_destroy(model);
}

/* The order of acados is another one of the same numbers. */
static void discrete_dynamics_have_the_order_of_acados(void **unused) {
  (void)unused;
  uint64_t s = seed("discrete dynamics");
  static double J[Y * X], H[X * X], jac[X * X], hess[X * X];
  double y[Y], fun[Y], pi[Y];
  solver_case c;
  begin(&c, lossy_chain(&s, mixed, 3, 0), JN_FUNCTION_STEP, NULL, &s);
  int nv = jn_model_nv(c.model), ld = c.n + 2;
  fill(&s, pi, c.m, 1);
  check_ok(jn_function_value(c.f, c.x, y));
  check_ok(jn_function_jacobian(c.f, c.x, J));
  check_ok(jn_function_hessian(c.f, c.x, pi, NULL, H));
  check_ok(jn_function_discrete(c.f, c.x, c.x + c.m, pi, fun, jac, ld, hess, ld));
  for (int k = 0; k < c.m; k++) {
    assert_true(fun[k] == y[k]);
    for (int i = 0; i < c.m; i++) assert_true(jac[k * ld + nv + i] == J[k * c.n + i]);
    for (int i = 0; i < nv; i++) assert_true(jac[k * ld + i] == J[k * c.n + c.m + i]);
  }
  for (int i = 0; i < nv; i++)
    for (int k = 0; k < c.m; k++) assert_true(hess[i * ld + nv + k] == H[(c.m + i) * c.n + k]);
  check_status(jn_function_discrete(c.f, c.x, c.x, NULL, NULL, jac, c.n - 1, NULL, 0), JN_ERR_SIZE);
  check_status(jn_function_discrete(c.f, c.x, c.x, NULL, NULL, NULL, 0, hess, ld), JN_ERR_NULL);
  jn_function_destroy(c.f);
  check_ok(jn_function_create(c.model, JN_FUNCTION_MOMENTUM, NULL, &c.f));
  check_status(jn_function_discrete(c.f, c.x, c.x, NULL, fun, NULL, 0, NULL, 0), JN_ERR_UNSUPPORTED);
  jn_function_destroy(c.f);
  jn_model_destroy(c.model);
}

/* ---- jets ---- */

enum { TOP = 3 };

/* Jet `momentum` or of the twist of the last frame, [(TOP+1) x 6]. */
static void jet_of(const jn_model *m, jn_work *w, int momentum, const double *q, const double *v_jet, double *jet) {
  check_ok(momentum ? jn_momentum_jet(m, w, TOP, q, v_jet, jet)
                    : jn_frame_twist_jet(m, w, TOP, jn_frame_count(m) - 1, q, v_jet, jet));
}

/* Column k of the derivative by q (which = 0) or v^(which - 1), by differences of order 4. */
static void jet_differences(const jn_model *m, jn_work *w, int momentum, const double *q, const double *v_jet,
                            int which, int k, double *column) {
  int n = jn_model_nv(m);
  double moved[MOST], v[(TOP + 2) * MOST], dq[MOST], jet[6 * (TOP + 1)], e = 1e-3;
  memset(column, 0, 6 * (TOP + 1) * sizeof *column);
  for (int i = -2; i <= 2; i++) {
    if (i == 0) continue;
    memset(dq, 0, sizeof dq);
    memcpy(v, v_jet, (size_t)((TOP + 2) * n) * sizeof *v);
    if (which == 0)
      dq[k] = i * e;
    else
      v[(which - 1) * n + k] += i * e;
    check_ok(jn_integrate(m, w, q, dq, moved));
    jet_of(m, w, momentum, moved, v, jet);
    double weight = (i * i == 1 ? 8 : -1) * (i < 0 ? -1 : 1) / (12 * e);
    for (int j = 0; j < 6 * (TOP + 1); j++) column[j] += weight * jet[j];
  }
}

static void jets_have_state_derivatives(void **unused) {
  (void)unused;
  uint64_t s = seed("jets by the state");
  for (int which = 0; which < 2; which++) {
    jn_model *m = which ? random_tree(&s, 5) : lossy_chain(&s, mixed, MIXED, 0);
    int n = jn_model_nv(m);
    static double D[(TOP + 1) * (TOP + 2) * 6 * MOST];
    double q[MOST], v[(TOP + 2) * MOST] = {0}, column[6 * (TOP + 1)];
    double *room = malloc(jn_jet_derivatives_room(m, TOP) * sizeof *room);
    jn_work *w;
    check_ok(jn_work_create_order(m, TOP + 1, &w));
    check_ok(jn_random(m, &s, q));
    fill(&s, v, (TOP + 1) * n, 1);
    for (int momentum = 0; momentum < 2; momentum++) {
      check_ok(momentum ? jn_momentum_jet_derivatives(m, w, TOP, q, v, room, D)
                        : jn_frame_twist_jet_derivatives(m, w, TOP, jn_frame_count(m) - 1, q, v, room, D));
      double size = norm_or_1(D, (TOP + 1) * (TOP + 2) * 6 * n);
      for (int by = 0; by <= TOP + 1; by++)
        for (int k = 0; k < n; k++) {
          jet_differences(m, w, momentum, q, v, by, k, column);
          for (int i = 0; i < 6 * (TOP + 1); i++) {
            double entry = D[((i / 6 * (TOP + 2) + by) * 6 + i % 6) * n + k];
            check(fabs(entry - column[i]) < 1e-8 * size, "%s: order %d by %d, coordinate %d: %.12g, differences %.12g",
                  momentum ? "momentum" : "twist", i / 6, by, k, entry, column[i]);
          }
        }
    }
    check_status(jn_momentum_jet_derivatives(m, w, TOP + 1, q, v, room, D), JN_ERR_WORK);
    check_status(jn_frame_twist_jet_derivatives(m, w, TOP, 99, q, v, room, D), JN_ERR_INDEX);
    check_status(jn_frame_twist_jet_derivatives(m, w, -1, 0, q, v, room, D), JN_ERR_SIZE);
    free(room);
    release(m, w);
  }
}

static void wrong_functions_are_refused(void **unused) {
  (void)unused;
  jn_function_options o;
  jn_function *f;
  jn_model *model = model_from("builtin:double_pendulum");
  int frame = 99;
  jn_function_options_init(&o);
  check_status(jn_function_create(model, JN_FUNCTIONS, NULL, &f), JN_ERR_INDEX);
  check_status(jn_function_create(model, JN_FUNCTION_LOOPS_CONDITIONS, NULL, &f), JN_ERR_UNSUPPORTED);
  check_status(jn_function_create(NULL, JN_FUNCTION_STEP, NULL, &f), JN_ERR_NULL);
  o.step = -1;
  check_status(jn_function_create(model, JN_FUNCTION_STEP, &o, &f), JN_ERR_SIZE);
  jn_function_options_init(&o);
  o.frames = &frame, o.frame_count = 1;
  check_status(jn_function_create(model, JN_FUNCTION_FRAMES, &o, &f), JN_ERR_INDEX);
  o.size = 1;
  check_status(jn_function_create(model, JN_FUNCTION_FRAMES, &o, &f), JN_ERR_INIT);
  assert_null(f);
  assert_null(jn_function_kind_name(JN_FUNCTIONS));
  assert_string_equal(jn_function_kind_name(JN_FUNCTION_STEP), "step");
  assert_int_equal(jn_function_input_size(NULL, 0), 0);
  jn_function_options_init(&o);
  check_ok(jn_function_create(model, JN_FUNCTION_FRAMES, &o, &f));
  assert_int_equal(jn_function_inputs(f), 2);
  assert_int_equal(jn_function_outputs(f), 3);
  assert_string_equal(jn_function_input_name(f, 1), "v");
  assert_int_equal(jn_function_output_size(f, 1), 9);
  assert_int_equal(jn_function_output_rows(f, 1), 9);
  assert_null(jn_function_output_name(f, 3));
  jn_function_destroy(f);
  jn_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_are_what_differences_say),       cmocka_unit_test(loops_have_derivatives),
      cmocka_unit_test(patterns_are_no_larger_than_needed),         cmocka_unit_test(jets_have_state_derivatives),
      cmocka_unit_test(discrete_dynamics_have_the_order_of_acados), cmocka_unit_test(wrong_functions_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
