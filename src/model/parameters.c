/* SPDX-License-Identifier: BSD-2-Clause */
/* The stacked inertial parameters of a model, and whether ten parameters can belong to a rigid body. */
#include <math.h>
#include <string.h>

#include "model.h"

int jn_parameter_count(const jn_model *model) { return model ? 10 * model->nlink : 0; }

jn_status jn_parameters(const jn_model *model, double *pi) {
  if (!model || !pi) return JN_ERR_NULL;
  for (int l = 0; l < model->nlink; l++) memcpy(pi + 10 * l, model->link[l].inertia, sizeof model->link[l].inertia);
  return JN_OK;
}

jn_status jn_model_with_parameters(const jn_model *model, const double *pi, jn_model **copy) {
  if (copy) *copy = NULL;
  if (!model || !pi || !copy) return JN_ERR_NULL;
  jn_builder *builder;
  jn_options options;
  jn_options_init(&options);
  options.allocator = &model->allocator;
  jn_status status = jn_model_thaw(model, &options, &builder);
  if (status != JN_OK) return status;
  for (int l = 0; l < model->nlink; l++) /* the builder of a thawed model has the links in the model's order */
    memcpy(builder->links[l].link.inertia, pi + 10 * l, 10 * sizeof *pi);
  status = jn_builder_freeze(builder, copy, NULL);
  jn_builder_destroy(builder);
  return status;
}

/* U with U U^T = [tr(J)/2 E - J, h; h^T, m], upper triangular with positive diagonal: Cholesky from the last row up.
 * Returns 0 if there is none. */
static int pseudo_factor(const double p[10], double U[4][4]) {
  double half = 0.5 * (p[4] + p[5] + p[6]);
  double A[4][4] = {{half - p[4], -p[7], -p[8], p[1]},
                    {-p[7], half - p[5], -p[9], p[2]},
                    {-p[8], -p[9], half - p[6], p[3]},
                    {p[1], p[2], p[3], p[0]}};
  memset(U, 0, 16 * sizeof(double));
  for (int j = 3; j >= 0; j--) {
    double d = A[j][j];
    for (int k = j + 1; k < 4; k++) d -= U[j][k] * U[j][k];
    if (!(d > 0) || isinf(d)) return 0;
    U[j][j] = sqrt(d);
    for (int i = 0; i < j; i++) {
      double x = A[i][j];
      for (int k = j + 1; k < 4; k++) x -= U[i][k] * U[j][k];
      U[i][j] = x / U[j][j];
    }
  }
  return 1;
}

int jn_inertia_is_physical(const double inertia[10]) {
  double U[4][4];
  return inertia && pseudo_factor(inertia, U);
}

jn_status jn_inertia_to_log_cholesky(const double inertia[10], double x[10]) {
  double U[4][4];
  if (!inertia || !x) return JN_ERR_NULL;
  if (!pseudo_factor(inertia, U)) return JN_ERR_MODEL;
  double s = U[3][3];
  x[0] = log(s);
  for (int k = 0; k < 3; k++) x[1 + k] = log(U[k][k] / s);
  x[4] = U[0][1] / s;
  x[5] = U[1][2] / s;
  x[6] = U[0][2] / s;
  for (int k = 0; k < 3; k++) x[7 + k] = U[k][3] / s;
  return JN_OK;
}

jn_status jn_inertia_from_log_cholesky(const double x[10], double inertia[10]) {
  if (!x || !inertia) return JN_ERR_NULL;
  double s = exp(2 * x[0]), A[4][4];
  const double U[4][4] = {
      {exp(x[1]), x[4], x[6], x[7]}, {0, exp(x[2]), x[5], x[8]}, {0, 0, exp(x[3]), x[9]}, {0, 0, 0, 1}};
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) {
      A[i][j] = 0;
      for (int k = 0; k < 4; k++) A[i][j] += s * U[i][k] * U[j][k];
    }
  inertia[0] = A[3][3];
  for (int k = 0; k < 3; k++) inertia[1 + k] = A[k][3];
  inertia[4] = A[1][1] + A[2][2]; /* J = tr(Sigma) E - Sigma */
  inertia[5] = A[0][0] + A[2][2];
  inertia[6] = A[0][0] + A[1][1];
  inertia[7] = -A[0][1];
  inertia[8] = -A[0][2];
  inertia[9] = -A[1][2];
  return JN_OK;
}
