/* SPDX-License-Identifier: BSD-2-Clause */
/* Inverse and forward dynamics of a tree, its gravity forces and its mass matrix. Hessians are contractions of the
 * second derivatives of inverse dynamics: inverse   G_xy = y^T tau_xy forward   from M a_k = -tau_k and mu = M^-1
 * lambda:  G_hk = -mu^T (tau_hk + d_h M a_k + d_k M a_h)  for q, and so on gravity   G_hk = y^T tau_hk  at v = a = 0 M
 * column j of M is what a = e_j adds to tau, so with Y the multipliers of M, Y_j those of column j, and L the sum of
 * all Y_j:  G_hk = sum_j Y_j^T tau_hk(a = e_j) - L^T tau_hk(a = 0)
 */
#include <string.h>

#include "function.h"

/* The contraction y^T of second derivatives: q by q, q by v, v by v, q by a (= dM), each [nv x nv]. */
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

/* Takes 4 nv^3 numbers of room. */
static jn_status second_of_inverse(const jn_function *f, const double *a, const double *y, double *room,
                                   const contraction *c) {
  int n = f->nv;
  size_t tensor = (size_t)n * (size_t)n * (size_t)n;
  double *qq = room, *qv = qq + tensor, *vv = qv + tensor, *qa = vv + tensor;
  jn_status status =
      jn_inverse_dynamics_second_derivatives(f->model, f->work, f->q, f->v, a, NULL, JN_IN_BODY, qq, qv, vv, qa);
  if (status != JN_OK) return status;
  contract(n, y, qq, c->qq);
  contract(n, y, qv, c->qv);
  contract(n, y, vv, c->vv);
  contract(n, y, qa, c->qa);
  return status;
}

/* Block (in, by) of G, and its transpose when they differ. */
static void put_block(const jn_function *f, int in, int by, double sign, const double *block, double *G) {
  int n = f->nv, nt = f->nt;
  for (int h = 0; h < n; h++)
    for (int k = 0; k < n; k++) {
      G[(in * n + h) * nt + by * n + k] = sign * block[h * n + k];
      if (in != by) G[(by * n + k) * nt + in * n + h] = sign * block[h * n + k];
    }
}

static contraction place_contraction(double *room, int n) {
  return (contraction){room, room + n * n, room + 2 * n * n, room + 3 * n * n};
}

/* J [nv x 3 nv] from three matrices. */
static void put_side_by_side(int n, const double *a, const double *b, const double *c, double *J) {
  for (int i = 0; i < n; i++) {
    memcpy(J + 3 * i * n, a + i * n, (size_t)n * sizeof *J);
    memcpy(J + (3 * i + 1) * n, b + i * n, (size_t)n * sizeof *J);
    memcpy(J + (3 * i + 2) * n, c + i * n, (size_t)n * sizeof *J);
  }
}

/* ---- inverse dynamics ---- */

static void inverse_pattern(jn_function *f) {
  jn__pattern_tree(f);
  for (int in = 0; in < 3; in++) {
    jn__pattern_related(f, 0, in);
    jn__pattern_hessian(f, 0, in);
  }
  jn__pattern_hessian(f, 1, 1);
}

static jn_status inverse_value(jn_function *f, double *y) {
  return jn_inverse_dynamics(f->model, f->work, f->q, f->v, f->u, NULL, y);
}

static jn_status inverse_jacobian(jn_function *f, double *J) {
  int n = f->nv;
  double *dq = f->room, *dv = dq + n * n, *da = dv + n * n;
  jn_status status =
      jn_inverse_dynamics_derivatives(f->model, f->work, f->q, f->v, f->u, NULL, JN_IN_BODY, dq, dv, da, NULL);
  if (status == JN_OK) put_side_by_side(n, dq, dv, da, J);
  return status;
}

static jn_status inverse_adjoint(jn_function *f, const double *lambda, double *g) {
  const jn_gradient gradient = {.df_dq = g, .df_dv = g + f->nv, .df_da = g + 2 * f->nv};
  return jn_inverse_dynamics_adjoint(f->model, f->work, f->q, f->v, f->u, NULL, JN_IN_BODY, lambda, &gradient);
}

static jn_status inverse_hessian(jn_function *f, const double *lambda, double *g, double *G) {
  int n = f->nv;
  contraction c = place_contraction(f->room, n);
  jn_status status = inverse_adjoint(f, lambda, g);
  if (status == JN_OK) status = second_of_inverse(f, f->u, lambda, f->room + 4 * n * n, &c);
  if (status != JN_OK) return status;
  put_block(f, 0, 0, 1, c.qq, G);
  put_block(f, 0, 1, 1, c.qv, G);
  put_block(f, 1, 1, 1, c.vv, G);
  put_block(f, 0, 2, 1, c.qa, G);
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

static void forward_pattern(jn_function *f) {
  jn__pattern_components(f);
  for (int in = 0; in < 3; in++) {
    jn__pattern_related(f, 0, in);
    jn__pattern_hessian(f, 0, in);
  }
  jn__pattern_hessian(f, 1, 1);
}

static jn_status forward_value(jn_function *f, double *y) {
  return jn_forward_dynamics(f->model, f->work, f->q, f->v, f->u, NULL, y);
}

/* What jn_forward_dynamics_derivatives() gives; takes 3 nv^2 + nv numbers of room. */
typedef struct forward_parts {
  double *dq, *dv, *dtau, *a;
} forward_parts;

static jn_status forward_derivatives(jn_function *f, double *room, forward_parts *p) {
  int n = f->nv;
  *p = (forward_parts){room, room + n * n, room + 2 * n * n, room + 3 * n * n};
  return jn_forward_dynamics_derivatives(f->model, f->work, f->q, f->v, f->u, NULL, JN_IN_BODY, p->a, p->dq, p->dv,
                                         p->dtau, NULL);
}

static jn_status forward_jacobian(jn_function *f, double *J) {
  forward_parts p;
  jn_status status = forward_derivatives(f, f->room, &p);
  if (status == JN_OK) put_side_by_side(f->nv, p.dq, p.dv, p.dtau, J);
  return status;
}

static jn_status forward_adjoint(jn_function *f, const double *lambda, double *g) {
  const jn_gradient gradient = {.df_dq = g, .df_dv = g + f->nv, .df_dtau = g + 2 * f->nv};
  return jn_forward_dynamics_adjoint(f->model, f->work, f->q, f->v, f->u, NULL, JN_IN_BODY, lambda, f->room, &gradient);
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

static jn_status forward_hessian(jn_function *f, const double *lambda, double *g, double *G) {
  int n = f->nv;
  double *room = f->room + 4 * n * n, *mu = g + 2 * n, *qtau = f->room + 8 * n * n;
  contraction c = place_contraction(f->room, n);
  forward_parts p;
  jn_status status = forward_adjoint(f, lambda, g);
  if (status == JN_OK) status = forward_derivatives(f, room, &p);
  if (status == JN_OK) status = second_of_inverse(f, p.a, mu, f->room + 9 * n * n, &c);
  if (status != JN_OK) return status;
  memset(qtau, 0, (size_t)(n * n) * sizeof *qtau);
  add_product(n, c.qa, p.dq, 1, c.qq);
  add_product(n, c.qa, p.dv, 0, c.qv);
  add_product(n, c.qa, p.dtau, 0, qtau);
  put_block(f, 0, 0, -1, c.qq, G);
  put_block(f, 0, 1, -1, c.qv, G);
  put_block(f, 1, 1, -1, c.vv, G);
  put_block(f, 0, 2, -1, qtau, G);
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

static void gravity_pattern(jn_function *f) {
  jn__pattern_tree(f);
  jn__pattern_related(f, 0, 0);
  jn__pattern_hessian(f, 0, 0);
}

static jn_status gravity_value(jn_function *f, double *y) { return jn_gravity_forces(f->model, f->work, f->q, y); }

static jn_status gravity_jacobian(jn_function *f, double *J) {
  return jn_gravity_forces_derivative(f->model, f->work, f->q, J);
}

/* G += sign * y^T tau_qq at v = 0 and the acceleration a (NULL: 0). */
static jn_status add_second_at_rest(jn_function *f, const double *a, const double *y, double sign, double *G) {
  int n = f->nv;
  double *contracted = f->room, *tensor = contracted + n * n;
  jn_status status = jn_inverse_dynamics_second_derivatives(f->model, f->work, f->q, NULL, a, NULL, JN_IN_BODY, tensor,
                                                            NULL, NULL, NULL);
  if (status != JN_OK) return status;
  contract(n, y, tensor, contracted);
  for (int i = 0; i < n * n; i++) G[i] += sign * contracted[i];
  return status;
}

/* g = J^T lambda, by the Jacobian in f->J. */
static jn_status gradient_by_jacobian(jn_function *f, const double *lambda, double *g) {
  jn_status status = f->is->jacobian(f, f->J);
  memset(g, 0, (size_t)f->nt * sizeof *g);
  for (int i = 0; i < f->mt && status == JN_OK; i++)
    for (int k = 0; k < f->nt; k++) g[k] += lambda[i] * f->J[i * f->nt + k];
  return status;
}

static jn_status gravity_hessian(jn_function *f, const double *lambda, double *g, double *G) {
  jn_status status = gradient_by_jacobian(f, lambda, g);
  return status == JN_OK ? add_second_at_rest(f, NULL, lambda, 1, G) : status;
}

const function_kind_of jn__function_gravity = {.in = {"q"},
                                               .out = {"tau"},
                                               .pattern = gravity_pattern,
                                               .value = gravity_value,
                                               .jacobian = gravity_jacobian,
                                               .hessian = gravity_hessian};

/* ---- mass matrix: nv columns of nv numbers; M is symmetric ---- */

static jn_status create_mass_matrix(jn_function *f) {
  f->columns[0] = f->nv;
  return JN_OK;
}

/* M_ij is there if i and j move a link together, and changes with coordinates that do so with both. */
static void mass_matrix_pattern(jn_function *f) {
  int n = f->nv;
  jn__pattern_tree(f);
  unsigned char *moves = f->related + n * n;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      for (int k = 0; k < n; k++) moves[k] = f->related[i * n + j] && f->related[i * n + k] && f->related[j * n + k];
      jn__pattern_rows(f, i * n + j, 1, 0, moves);
    }
  jn__pattern_hessian(f, 0, 0);
}

static jn_status mass_matrix_value(jn_function *f, double *y) { return jn_mass_matrix(f->model, f->work, f->q, y); }

static jn_status mass_matrix_jacobian(jn_function *f, double *J) {
  int n = f->nv;
  double *dM_dq = f->room; /* [h][i][j] */
  jn_status status = jn_mass_matrix_derivative(f->model, f->work, f->q, dM_dq);
  for (int h = 0; h < n && status == JN_OK; h++)
    for (int ij = 0; ij < n * n; ij++) J[ij * n + h] = dM_dq[h * n * n + ij];
  return status;
}

static jn_status mass_matrix_hessian(jn_function *f, const double *lambda, double *g, double *G) {
  int n = f->nv;
  double *unit = f->room + 3 * n * n * n, *sum = unit + n; /* beyond what add_second_at_rest() takes */
  jn_status status = gradient_by_jacobian(f, lambda, g);
  memset(sum, 0, (size_t)n * sizeof *sum);

  for (int j = 0; j < n && status == JN_OK; j++) {
    memset(unit, 0, (size_t)n * sizeof *unit);
    unit[j] = 1;
    for (int i = 0; i < n; i++) sum[i] += lambda[j * n + i];
    status = add_second_at_rest(f, unit, lambda + j * n, 1, G);
  }
  return status == JN_OK ? add_second_at_rest(f, NULL, sum, -1, G) : status;
}

const function_kind_of jn__function_mass_matrix = {.in = {"q"},
                                                   .out = {"M"},
                                                   .create = create_mass_matrix,
                                                   .pattern = mass_matrix_pattern,
                                                   .value = mass_matrix_value,
                                                   .jacobian = mass_matrix_jacobian,
                                                   .hessian = mass_matrix_hessian};
