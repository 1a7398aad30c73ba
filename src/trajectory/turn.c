/* SPDX-License-Identifier: BSD-2-Clause */
/* Wrenches that are given in the axes of the world, in the axes of their links. With R the rotation of a link and w a
 * moment or a force in the axes of the world, the link sees
 *   y = R^T w,   y^(k) = sum over j of binomial(k, j) (R^T)^(j) w^(k-j)
 * and with the angular velocity omega of the link in its own axes, R' = R [omega], so that
 *   (R^T)^(i+1) = -sum over l of binomial(i, l) [omega^(l)] (R^T)^(i-l)
 * Both parts of a wrench turn alike, because both are about the link's origin. */
#include <string.h>

#include "jounce/jets.h"
#include "jounce/kinematics.h"
#include "trajectory.h"

/* The transpose of a link's rotation and its derivatives, row by row. */
typedef struct turning {
  double A[JN_TRAJECTORY_MAX_ORDER + 1][9];
} turning;

/* out -= factor * [omega] A */
static void subtract_cross(double factor, const double *omega, const double *A, double *out) {
  for (int c = 0; c < 3; c++) {
    out[c] -= factor * (omega[1] * A[6 + c] - omega[2] * A[3 + c]);
    out[3 + c] -= factor * (omega[2] * A[c] - omega[0] * A[6 + c]);
    out[6 + c] -= factor * (omega[0] * A[3 + c] - omega[1] * A[c]);
  }
}

static jn_status find_turning(const jn_model *model, jn_work *work, int order, int link, const double *q,
                              const double *v_jet, turning *t) {
  double pose[16], twist[JN_TRAJECTORY_MAX_ORDER + 1][6];
  jn_status status = jn_frame_pose(model, work, link, q, pose);
  if (status == JN_OK && order > 0) status = jn_frame_twist_jet(model, work, order - 1, link, q, v_jet, twist[0]);
  if (status != JN_OK) return status;

  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) t->A[0][3 * r + c] = pose[4 * c + r];
  for (int i = 0; i < order; i++) {
    double binomial = 1;
    memset(t->A[i + 1], 0, sizeof t->A[i + 1]);
    for (int l = 0; l <= i; l++) {
      subtract_cross(binomial, twist[l], t->A[i - l], t->A[i + 1]);
      binomial *= (double)(i - l) / (l + 1);
    }
  }
  return JN_OK;
}

/* A moment or a force [(K+1) x row], in place: the highest derivative first, which needs all others as they were. */
static void turn_vector(const turning *t, int order, size_t row, double *w) {
  for (int k = order; k >= 0; k--) {
    double y[3] = {0}, binomial = 1;
    for (int j = 0; j <= k; j++) {
      const double *A = t->A[j], *x = w + (size_t)(k - j) * row;
      for (int r = 0; r < 3; r++) y[r] += binomial * (A[3 * r] * x[0] + A[3 * r + 1] * x[1] + A[3 * r + 2] * x[2]);
      binomial *= (double)(k - j) / (j + 1);
    }
    memcpy(w + (size_t)k * row, y, sizeof y);
  }
}

/* Most links have no wrench. */
static int is_zero(int order, size_t row, const double *w) {
  for (int k = 0; k <= order; k++)
    for (int i = 0; i < 6; i++)
      if (w[(size_t)k * row + (size_t)i] != 0) return 0;
  return 1;
}

jn_status jn_wrenches_to_body_jet(const jn_model *model, jn_work *work, int order, const double *q, const double *v_jet,
                                  double *wrench_jet) {
  if (!model || !work || !q || !wrench_jet || (order > 0 && !v_jet)) return JN_ERR_NULL;
  if (order < 0 || order > JN_TRAJECTORY_MAX_ORDER) return JN_ERR_SIZE;
  int links = jn_link_count(model);
  size_t row = 6 * (size_t)links;
  turning t;

  for (int link = 0; link < links; link++) {
    double *w = wrench_jet + 6 * (size_t)link;
    if (is_zero(order, row, w)) continue;
    jn_status status = find_turning(model, work, order, link, q, v_jet, &t);
    if (status != JN_OK) return status;
    turn_vector(&t, order, row, w);
    turn_vector(&t, order, row, w + 3);
  }
  return JN_OK;
}
