/* SPDX-License-Identifier: BSD-2-Clause */
/* Inverse and forward dynamics of a tree, its gravity forces and its mass matrix, as functions for solvers.
 *
 * Hessians are contractions of the second derivatives of inverse dynamics, tau_xy = d2tau/dx dy:
 *
 *   inverse   G_xy = lambda^T tau_xy
 *   forward   from M a_k = -tau_k, with mu = M^-1 lambda:
 *             G_hk = -mu^T (tau_hk + d_h M a_k + d_k M a_h)  for q by q, and so on
 *   gravity   G_hk = lambda^T tau_hk  at v = a = 0
 *   M         column j of M is what a = e_j adds to tau, so with Y_j the multipliers of column j and L the sum of all
 * Y_j: G_hk = sum_j Y_j^T tau_hk(a = e_j) - L^T tau_hk(a = 0)
 *
 * Symbols: function.h. */
#include <string.h>

#include "function.h"

/* Contractions y^T tau_xy: q by q, q by v, v by v, q by a (= dM), each [nv x nv]. */
typedef struct contraction {
  double *qq, *qv, *vv, *qa;
} contraction;

/* out[h][k] = sum_i y_i X[h][i][k] */
static void contract(int n, const double *y, const double *X, double *out) {
  memset(out, 0, (size_t)(n * n) * sizeof *out);
  for (int h = 0; h < n; h++)
    for (int i = 0; i < n; i++)
      for (int k = 0; k < n; k++) out[h * n + k] += y[i] * X[(h * n + i) * n + k];
}

/* All contractions of the second derivatives of inverse dynamics. Takes 4 nv^3 numbers of scratch memory. */
static jn_status second_of_inverse(const jn_function *function, const double *a, const double *y, double *scratch,
                                   const contraction *c) {
  int n = function->nv;
  size_t tensor = (size_t)n * (size_t)n * (size_t)n;
  double *qq = scratch, *qv = qq + tensor, *vv = qv + tensor, *qa = vv + tensor;
  jn_status status = jn_inverse_dynamics_second_derivatives(function->model, function->work, function->q, function->v,
                                                            a, NULL, JN_IN_BODY, qq, qv, vv, qa);
  if (status != JN_OK) return status;
  contract(n, y, qq, c->qq);
  contract(n, y, qv, c->qv);
  contract(n, y, vv, c->vv);
  contract(n, y, qa, c->qa);
  return status;
}

/* Block (in, by) of G, and its transpose when they differ. */
static void set_block(const jn_function *function, int in, int by, double sign, const double *block, double *G) {
  int n = function->nv, nt = function->nt;
  for (int h = 0; h < n; h++)
    for (int k = 0; k < n; k++) {
      G[(in * n + h) * nt + by * n + k] = sign * block[h * n + k];
      if (in != by) G[(by * n + k) * nt + in * n + h] = sign * block[h * n + k];
    }
}

static contraction place_contraction(double *scratch, int n) {
  return (contraction){scratch, scratch + n * n, scratch + 2 * n * n, scratch + 3 * n * n};
}

/* J [nv x 3 nv] from three matrices. */
static void set_side_by_side(int n, const double *a, const double *b, const double *c, double *J) {
  for (int i = 0; i < n; i++) {
    memcpy(J + 3 * i * n, a + i * n, (size_t)n * sizeof *J);
    memcpy(J + (3 * i + 1) * n, b + i * n, (size_t)n * sizeof *J);
    memcpy(J + (3 * i + 2) * n, c + i * n, (size_t)n * sizeof *J);
  }
}

/* ---- inverse dynamics ---- */

static void inverse_pattern(jn_function *function) {
  jn__pattern_tree(function);
  for (int in = 0; in < 3; in++) {
    jn__pattern_related(function, 0, in);
    jn__pattern_hessian(function, 0, in);
  }
  jn__pattern_hessian(function, 1, 1);
}

static jn_status inverse_value(jn_function *function, double *y) {
  return jn_inverse_dynamics(function->model, function->work, function->q, function->v, function->u, NULL, y);
}

static jn_status inverse_jacobian(jn_function *function, double *J) {
  int n = function->nv;
  double *dq = function->scratch, *dv = dq + n * n, *da = dv + n * n;
  jn_status status = jn_inverse_dynamics_derivatives(function->model, function->work, function->q, function->v,
                                                     function->u, NULL, JN_IN_BODY, dq, dv, da, NULL);
  if (status == JN_OK) set_side_by_side(n, dq, dv, da, J);
  return status;
}

static jn_status inverse_adjoint(jn_function *function, const double *lambda, double *g) {
  const jn_gradient gradient = {.df_dq = g, .df_dv = g + function->nv, .df_da = g + 2 * function->nv};
  return jn_inverse_dynamics_adjoint(function->model, function->work, function->q, function->v, function->u, NULL,
                                     JN_IN_BODY, lambda, &gradient);
}

static jn_status inverse_hessian(jn_function *function, const double *lambda, double *g, double *G) {
  int n = function->nv;
  contraction c = place_contraction(function->scratch, n);
  jn_status status = inverse_adjoint(function, lambda, g);
  if (status == JN_OK) status = second_of_inverse(function, function->u, lambda, function->scratch + 4 * n * n, &c);
  if (status != JN_OK) return status;

  set_block(function, 0, 0, 1, c.qq, G);
  set_block(function, 0, 1, 1, c.qv, G);
  set_block(function, 1, 1, 1, c.vv, G);
  set_block(function, 0, 2, 1, c.qa, G);
  return status;
}

const function_kind_of jn__function_inverse_dynamics = {.in = {"q", "v", "a"},
                                                        .out = {"tau"},
                                                        .pattern = inverse_pattern,
                                                        .value = inverse_value,
                                                        .jacobian = inverse_jacobian,
                                                        .adjoint = inverse_adjoint,
                                                        .hessian = inverse_hessian};

/* ---- forward dynamics ---- */

static void forward_pattern(jn_function *function) {
  jn__pattern_components(function);
  for (int in = 0; in < 3; in++) {
    jn__pattern_related(function, 0, in);
    jn__pattern_hessian(function, 0, in);
  }
  jn__pattern_hessian(function, 1, 1);
}

static jn_status forward_value(jn_function *function, double *y) {
  return jn_forward_dynamics(function->model, function->work, function->q, function->v, function->u, NULL, y);
}

/* First derivatives of forward dynamics; 3 nv^2 + nv numbers of scratch memory. */
typedef struct forward_parts {
  double *dq, *dv, *dtau, *a;
} forward_parts;

static jn_status forward_derivatives(jn_function *function, double *scratch, forward_parts *p) {
  int n = function->nv;
  *p = (forward_parts){scratch, scratch + n * n, scratch + 2 * n * n, scratch + 3 * n * n};
  return jn_forward_dynamics_derivatives(function->model, function->work, function->q, function->v, function->u, NULL,
                                         JN_IN_BODY, p->a, p->dq, p->dv, p->dtau, NULL);
}

static jn_status forward_jacobian(jn_function *function, double *J) {
  forward_parts p;
  jn_status status = forward_derivatives(function, function->scratch, &p);
  if (status == JN_OK) set_side_by_side(function->nv, p.dq, p.dv, p.dtau, J);
  return status;
}

static jn_status forward_adjoint(jn_function *function, const double *lambda, double *g) {
  const jn_gradient gradient = {.df_dq = g, .df_dv = g + function->nv, .df_dtau = g + 2 * function->nv};
  return jn_forward_dynamics_adjoint(function->model, function->work, function->q, function->v, function->u, NULL,
                                     JN_IN_BODY, lambda, function->scratch, &gradient);
}

/* out += A B, all [n x n]; into out^T as well if `both`. */
static void add_product(int n, const double *A, const double *B, int both, double *out) {
  for (int h = 0; h < n; h++)
    for (int i = 0; i < n; i++)
      for (int k = 0; k < n; k++) {
        double x = A[h * n + i] * B[i * n + k];
        out[h * n + k] += x;
        if (both) out[k * n + h] += x;
      }
}

static jn_status forward_hessian(jn_function *function, const double *lambda, double *g, double *G) {
  int n = function->nv;
  double *scratch = function->scratch + 4 * n * n, *mu = g + 2 * n, *qtau = function->scratch + 8 * n * n;
  contraction c = place_contraction(function->scratch, n);
  forward_parts p;

  /* mu = da/dtau^T lambda, first derivatives, and mu^T tau_xy at the acceleration. */
  jn_status status = forward_adjoint(function, lambda, g);
  if (status == JN_OK) status = forward_derivatives(function, scratch, &p);
  if (status == JN_OK) status = second_of_inverse(function, p.a, mu, function->scratch + 9 * n * n, &c);
  if (status != JN_OK) return status;

  /* Terms of dM. */
  memset(qtau, 0, (size_t)(n * n) * sizeof *qtau);
  add_product(n, c.qa, p.dq, 1, c.qq);
  add_product(n, c.qa, p.dv, 0, c.qv);
  add_product(n, c.qa, p.dtau, 0, qtau);

  /* G = -(...). */
  set_block(function, 0, 0, -1, c.qq, G);
  set_block(function, 0, 1, -1, c.qv, G);
  set_block(function, 1, 1, -1, c.vv, G);
  set_block(function, 0, 2, -1, qtau, G);
  return status;
}

const function_kind_of jn__function_forward_dynamics = {.in = {"q", "v", "tau"},
                                                        .out = {"a"},
                                                        .pattern = forward_pattern,
                                                        .value = forward_value,
                                                        .jacobian = forward_jacobian,
                                                        .adjoint = forward_adjoint,
                                                        .hessian = forward_hessian};

/* ---- gravity forces: inverse dynamics at rest ---- */

static void gravity_pattern(jn_function *function) {
  jn__pattern_tree(function);
  jn__pattern_related(function, 0, 0);
  jn__pattern_hessian(function, 0, 0);
}

static jn_status gravity_value(jn_function *function, double *y) {
  return jn_gravity_forces(function->model, function->work, function->q, y);
}

static jn_status gravity_jacobian(jn_function *function, double *J) {
  return jn_gravity_forces_derivative(function->model, function->work, function->q, J);
}

/* G += sign * y^T tau_qq at v = 0 and the acceleration a (NULL: 0). */
static jn_status add_second_at_rest(jn_function *function, const double *a, const double *y, double sign, double *G) {
  int n = function->nv;
  double *contracted = function->scratch, *tensor = contracted + n * n;
  jn_status status = jn_inverse_dynamics_second_derivatives(function->model, function->work, function->q, NULL, a, NULL,
                                                            JN_IN_BODY, tensor, NULL, NULL, NULL);
  if (status != JN_OK) return status;
  contract(n, y, tensor, contracted);
  for (int i = 0; i < n * n; i++) G[i] += sign * contracted[i];
  return status;
}

/* g = J^T lambda, by the Jacobian in f->J. */
static jn_status gradient_by_jacobian(jn_function *function, const double *lambda, double *g) {
  jn_status status = function->is->jacobian(function, function->J);
  memset(g, 0, (size_t)function->nt * sizeof *g);
  for (int i = 0; i < function->mt && status == JN_OK; i++)
    for (int k = 0; k < function->nt; k++) g[k] += lambda[i] * function->J[i * function->nt + k];
  return status;
}

static jn_status gravity_hessian(jn_function *function, const double *lambda, double *g, double *G) {
  jn_status status = gradient_by_jacobian(function, lambda, g);
  return status == JN_OK ? add_second_at_rest(function, NULL, lambda, 1, G) : status;
}

const function_kind_of jn__function_gravity = {.in = {"q"},
                                               .out = {"tau"},
                                               .pattern = gravity_pattern,
                                               .value = gravity_value,
                                               .jacobian = gravity_jacobian,
                                               .hessian = gravity_hessian};

/* ---- mass matrix: nv columns of nv numbers; M is symmetric ---- */

static jn_status create_mass_matrix(jn_function *function) {
  function->columns[0] = function->nv;
  return JN_OK;
}

/* M_ij is there if i and j move a link together, and changes with coordinates that do so with both. */
static void mass_matrix_pattern(jn_function *function) {
  int n = function->nv;
  jn__pattern_tree(function);
  unsigned char *moves = function->related + n * n;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      for (int k = 0; k < n; k++)
        moves[k] = function->related[i * n + j] && function->related[i * n + k] && function->related[j * n + k];
      jn__pattern_rows(function, i * n + j, 1, 0, moves);
    }
  jn__pattern_hessian(function, 0, 0);
}

static jn_status mass_matrix_value(jn_function *function, double *y) {
  return jn_mass_matrix(function->model, function->work, function->q, y);
}

static jn_status mass_matrix_jacobian(jn_function *function, double *J) {
  int n = function->nv;
  double *dM_dq = function->scratch; /* [h][i][j] */
  jn_status status = jn_mass_matrix_derivative(function->model, function->work, function->q, dM_dq);
  for (int h = 0; h < n && status == JN_OK; h++)
    for (int ij = 0; ij < n * n; ij++) J[ij * n + h] = dM_dq[h * n * n + ij];
  return status;
}

static jn_status mass_matrix_hessian(jn_function *function, const double *lambda, double *g, double *G) {
  int n = function->nv;
  double *unit = function->scratch + 3 * n * n * n, *sum = unit + n; /* beyond what add_second_at_rest() takes */
  jn_status status = gradient_by_jacobian(function, lambda, g);
  memset(sum, 0, (size_t)n * sizeof *sum);

  for (int j = 0; j < n && status == JN_OK; j++) {
    memset(unit, 0, (size_t)n * sizeof *unit);
    unit[j] = 1;
    for (int i = 0; i < n; i++) sum[i] += lambda[j * n + i];
    status = add_second_at_rest(function, unit, lambda + j * n, 1, G);
  }
  return status == JN_OK ? add_second_at_rest(function, NULL, sum, -1, G) : status;
}

const function_kind_of jn__function_mass_matrix = {.in = {"q"},
                                                   .out = {"M"},
                                                   .create = create_mass_matrix,
                                                   .pattern = mass_matrix_pattern,
                                                   .value = mass_matrix_value,
                                                   .jacobian = mass_matrix_jacobian,
                                                   .hessian = mass_matrix_hessian};
