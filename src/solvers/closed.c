/* SPDX-License-Identifier: BSD-2-Clause */
/* Closed loops: forward dynamics with the forces of the loops, and the conditions themselves. */
#include "function.h"

#include <string.h>

static jn_status create_loops(jn_function *function) {
  if (jn_loop_count(function->model) == 0) return JN_ERR_UNSUPPORTED;
  jn_status status = jn_loops_create(function->model, NULL, &function->loops);
  if (status == JN_OK) function->loop_rows = jn_loops_rows(function->loops);
  return status;
}

/* ---- forward dynamics ---- */

static jn_status create_forward(jn_function *function) {
  jn_status status = create_loops(function);
  function->rows[1] = function->loop_rows;
  return status;
}

static void forward_pattern(jn_function *function) {
  jn__pattern_all(function);
  for (int in = 0; in < 3; in++) {
    jn__pattern_rows(function, 0, function->m, in, NULL);
    jn__pattern_hessian(function, 0, in);
  }
  jn__pattern_hessian(function, 1, 1);
}

static jn_status forward_value(jn_function *function, double *y) {
  double *v_jet = function->scratch;
  jn_status status = jn_loops_forward_dynamics_jet(function->loops, 0, function->q, function->v, function->u, NULL,
                                                   v_jet, y + function->nv);
  if (status == JN_OK) memcpy(y, v_jet + function->nv, (size_t)function->nv * sizeof *y);
  return status;
}

static jn_status forward_jacobian(jn_function *function, double *J) {
  int n = function->nv, m = function->loop_rows, wide = m > n ? m : n;
  double *block[6], *a = function->scratch, *lambda = a + n;
  for (int i = 0; i < 6; i++) block[i] = lambda + wide + i * wide * n;
  const jn_loops_derivatives out = {.da_dq = block[0],
                                    .da_dv = block[1],
                                    .da_dgiven = block[2],
                                    .dlambda_dq = block[3],
                                    .dlambda_dv = block[4],
                                    .dlambda_dgiven = block[5]};
  jn_status status = jn_loops_forward_dynamics_derivatives(function->loops, function->q, function->v, function->u, NULL,
                                                           JN_IN_BODY, a, lambda, &out);
  for (int in = 0; in < 3 && status == JN_OK; in++) {
    for (int i = 0; i < n; i++) memcpy(J + (3 * i + in) * n, block[in] + i * n, (size_t)n * sizeof *J);
    for (int i = 0; i < m; i++) memcpy(J + (3 * (n + i) + in) * n, block[3 + in] + i * n, (size_t)n * sizeof *J);
  }
  return status;
}

const function_kind_of jn__function_loops_forward_dynamics = {.in = {"q", "v", "tau"},
                                                              .out = {"a", "lambda"},
                                                              .create = create_forward,
                                                              .pattern = forward_pattern,
                                                              .value = forward_value,
                                                              .jacobian = forward_jacobian};

/* ---- conditions ---- */

static jn_status create_conditions(jn_function *function) {
  jn_status status = create_loops(function);
  function->rows[0] = function->rows[1] = function->loop_rows;
  return status;
}

/* Coordinates that loop i of the model depends on. */
static void loop_support(const jn_model *model, const jn_loop *loop, unsigned char *moves) {
  if (loop->type == JN_LOOP_COUPLING) {
    for (int i = 0; i < loop->term_count; i++)
      moves[jn_joint_v(model, jn_joint_index(model, loop->term[i].joint)) + loop->term[i].coordinate] = 1;
    return;
  }
  jn__pattern_support(model, jn_link_index(model, loop->link_a), moves);
  jn__pattern_support(model, jn_link_index(model, loop->link_b), moves);
}

static void conditions_pattern(jn_function *function) {
  int n = function->nv, rows;
  unsigned char *moves = function->related + n * n;
  memset(function->related, 0, (size_t)(n * n));
  for (int i = 0; i < jn_loop_count(function->model); i++) {
    int first = jn_loops_row(function->loops, i, &rows);
    memset(moves, 0, (size_t)n);
    loop_support(function->model, jn_loop_description(function->model, i), moves);
    jn__pattern_rows(function, first, rows, 0, moves);
    for (int in = 0; in < 2; in++) jn__pattern_rows(function, function->loop_rows + first, rows, in, moves);
    for (int h = 0; h < n; h++)
      for (int k = 0; k < n && moves[h]; k++) function->related[h * n + k] |= moves[k];
  }
  jn__pattern_hessian(function, 0, 0);
  jn__pattern_hessian(function, 0, 1);
}

static jn_status conditions_value(jn_function *function, double *y) {
  int n = function->nv, m = function->loop_rows;
  double *A = function->scratch;
  jn_status status = jn_loops_constraint(function->loops, function->q, NULL, y, A, NULL);
  for (int i = 0; i < m && status == JN_OK; i++) {
    y[m + i] = 0;
    for (int k = 0; k < n; k++) y[m + i] += A[i * n + k] * function->v[k];
  }
  return status;
}

/* d(A v)/dq_k: Adot v is a square of v, so the mixed term comes from v + e_k and v - e_k, exactly; where coordinates do
 * not commute, half of A [e_k, v] is added. */
static jn_status conditions_jacobian(jn_function *function, double *J) {
  int n = function->nv, m = function->loop_rows;
  double *A = function->scratch, *v = A + m * n, *bracket = v + n, *plus = bracket + n, *minus = plus + m;
  jn_status status = jn_loops_constraint(function->loops, function->q, NULL, NULL, A, NULL);
  memset(J, 0, (size_t)(function->mt * function->nt) * sizeof *J);
  for (int k = 0; k < n && status == JN_OK; k++) {
    memcpy(v, function->v, (size_t)n * sizeof *v);
    v[k] += 1;
    status = jn_loops_constraint(function->loops, function->q, v, NULL, NULL, plus);
    v[k] -= 2;
    if (status == JN_OK) status = jn_loops_constraint(function->loops, function->q, v, NULL, NULL, minus);
    jn__chart_ad(&function->chart, k, function->v, bracket);
    for (int i = 0; i < m; i++) {
      double mixed = (plus[i] - minus[i]) / 4;
      for (int j = 0; j < n; j++) mixed += A[i * n + j] * bracket[j] / 2;
      J[i * function->nt + k] = J[(m + i) * function->nt + n + k] = A[i * n + k];
      J[(m + i) * function->nt + k] = mixed;
    }
  }
  return status;
}

const function_kind_of jn__function_loops_conditions = {.in = {"q", "v"},
                                                        .out = {"phi", "phidot"},
                                                        .create = create_conditions,
                                                        .pattern = conditions_pattern,
                                                        .value = conditions_value,
                                                        .jacobian = conditions_jacobian};
