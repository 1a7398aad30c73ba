/* SPDX-License-Identifier: BSD-2-Clause */
/* Derivatives of the jets of twists and momentum by the state, from jets of Jacobians alone. A change of the motion
 * moves a body by the twist eta = J xi, where xi is the change of q in the tangent space; the twist V then changes by
 *   dV = eta' + [V, eta],       and, joint by joint, dv = xi' + [v, xi]
 * (the bracket of a joint is zero unless it is spherical or free). So with dv^(j) given, xi^(i+1) = dv^(i) - [v,
 * xi]^(i), eta^(i) = (J xi)^(i), dV^(i) = eta^(i+1) + [V, eta]^(i), all by Leibniz' rule. The momentum of a body in the
 * world's axes is h = Ad^-T p, p = I V, and changes by Ad^-T (I dV - ad_eta^T p), whose derivatives in time are those
 * of a product with Ad^-T = Ad_0^-T X, X' = -X ad_V^T. */
#include <string.h>

#include "../dense/vectors.h"
#include "../series/series.h"
#include "function.h"

/* Arrays of one call, in scratch memory of the caller. */
typedef struct jet_room {
  double *v;                /* [(K+3) x nv] v_jet, then zeros */
  double *J, *V;            /* [(K+2) x 6L x nv], [(K+2) x 6L] of all links, or of one frame */
  double *xi;               /* [(K+2) x nv] */
  double *eta, *dV, *p, *z; /* [(K+2) x 6] */
  double *X;                /* [(K+1) x 36] */
  double *dh;               /* [(K+1) x 6] */
} jet_room;

size_t jn_jet_derivatives_room(const jn_model *model, int order) {
  if (!model || order < 0 || order > JN_MAX_ORDER - 1) return 0;
  size_t n = (size_t)jn_model_nv(model), K = (size_t)order, rows = 6 * (size_t)(jn_link_count(model) + 1);
  return (K + 3) * n + (K + 2) * rows * (n + 1) + (K + 2) * (n + 5 * 6 + 36);
}

static jet_room place_room(const jn_model *model, int order, int rows, double *at) {
  int n = jn_model_nv(model), K = order;
  jet_room r;
  double **const parts[] = {&r.v, &r.J, &r.V, &r.xi, &r.eta, &r.dV, &r.p, &r.z, &r.dh, &r.X};
  const int sizes[] = {(K + 3) * n, (K + 2) * rows * n, (K + 2) * rows, (K + 2) * n, 6 * (K + 2),
                       6 * (K + 2), 6 * (K + 2),        6 * (K + 2),    6 * (K + 2), 36 * (K + 1)};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) *parts[i] = at, at += sizes[i];
  return r;
}

/* out += s [a, b] of twists; of angular velocities when `is_free` is 0. */
static void add_bracket(double s, int is_free, const double *a, const double *b, double *out) {
  double c[3];
  cross3(a, b, c);
  for (int i = 0; i < 3; i++) out[i] += s * c[i];
  if (!is_free) return;
  cross3(a, b + 3, c);
  for (int i = 0; i < 3; i++) out[3 + i] += s * c[i];
  cross3(a + 3, b, c);
  for (int i = 0; i < 3; i++) out[3 + i] += s * c[i];
}

/* out -= s ad_V^T F of a wrench F = (m, f): (m x w + f x v, f x w). */
static void subtract_coadjoint(double s, const double *V, const double *F, double *out) {
  double c[3];
  cross3(F, V, c);
  for (int i = 0; i < 3; i++) out[i] -= s * c[i];
  cross3(F + 3, V + 3, c);
  for (int i = 0; i < 3; i++) out[i] -= s * c[i];
  cross3(F + 3, V, c);
  for (int i = 0; i < 3; i++) out[3 + i] -= s * c[i];
}

/* out += s [v, xi], joint by joint. */
static void add_joint_brackets(const jn_model *model, double s, const double *v, const double *xi, double *out) {
  for (int i = 0; i < jn_link_count(model); i++) {
    jn_joint_type type = jn_joint_type_of(model, i);
    int at = jn_joint_v(model, i);
    if (jn_joint_nv(model, i) == 0 || (type != JN_SPHERICAL && type != JN_FREE)) continue;
    add_bracket(s, type == JN_FREE, v + at, xi + at, out + at);
  }
}

/* xi of the change of coordinate k of q (which = 0) or of v^(which - 1). */
static void change_motion(const jn_model *model, int K, const jet_room *r, int which, int k) {
  int n = jn_model_nv(model);
  memset(r->xi, 0, (size_t)((K + 2) * n) * sizeof *r->xi);
  if (which == 0) r->xi[k] = 1;
  for (int i = 0; i <= K; i++) {
    double *next = r->xi + (i + 1) * n;
    if (which == i + 1) next[k] = 1;
    for (int l = 0; l <= i; l++)
      add_joint_brackets(model, -jn__binomial(i, l), r->v + l * n, r->xi + (i - l) * n, next);
  }
}

/* eta and dV of the body whose rows begin at `row` of `rows`. */
static void change_body(const jn_model *model, int K, const jet_room *r, int row, int rows) {
  int n = jn_model_nv(model);
  for (int i = 0; i <= K + 1; i++)
    for (int a = 0; a < 6; a++) {
      double sum = 0;
      for (int l = 0; l <= i; l++) {
        const double *J = r->J + ((size_t)(i - l) * (size_t)rows + (size_t)(row + a)) * (size_t)n, *xi = r->xi + l * n;
        double product = 0;
        for (int k = 0; k < n; k++) product += J[k] * xi[k];
        sum += jn__binomial(i, l) * product;
      }
      r->eta[6 * i + a] = sum;
    }
  for (int i = 0; i <= K; i++) {
    memcpy(r->dV + 6 * i, r->eta + 6 * (i + 1), 6 * sizeof(double));
    for (int l = 0; l <= i; l++)
      add_bracket(jn__binomial(i, l), 1, r->V + l * rows + row, r->eta + 6 * (i - l), r->dV + 6 * i);
  }
}

static void begin(const jn_model *model, int K, const double *v_jet, const jet_room *r) {
  int n = jn_model_nv(model);
  memset(r->v, 0, (size_t)((K + 3) * n) * sizeof *r->v);
  memcpy(r->v, v_jet, (size_t)((K + 1) * n) * sizeof *r->v);
}

/* D[k][which][.][column] = numbers of order k. */
static void put(int K, int n, int which, int column, const double *numbers, double *D) {
  for (int k = 0; k <= K; k++)
    for (int a = 0; a < 6; a++) D[((k * (K + 2) + which) * 6 + a) * n + column] = numbers[6 * k + a];
}

jn_status jn_frame_twist_jet_derivatives(const jn_model *model, jn_work *work, int order, int frame, const double *q,
                                         const double *v_jet, double *scratch, double *D) {
  if (!model || !work || !q || !v_jet || !scratch || !D) return JN_ERR_NULL;
  if (order < 0 || order > JN_MAX_ORDER - 1) return JN_ERR_SIZE;
  int n = jn_model_nv(model), K = order;
  jet_room r = place_room(model, K, 6, scratch);
  begin(model, K, v_jet, &r);
  jn_status status = jn_frame_jacobian_jet(model, work, K + 1, frame, q, r.v, r.J);
  if (status == JN_OK) status = jn_frame_twist_jet(model, work, K, frame, q, r.v, r.V);
  for (int which = 0; which <= K + 1 && status == JN_OK; which++)
    for (int k = 0; k < n; k++) {
      change_motion(model, K, &r, which, k);
      change_body(model, K, &r, 0, 6);
      put(K, n, which, k, r.dV, D);
    }
  return status;
}

/* ---- momentum ---- */

/* p = I V with the ten parameters of a link. */
static void momentum_of(const double I[10], const double *V, double *p) {
  const double tensor[9] = {I[4], I[7], I[8], I[7], I[5], I[9], I[8], I[9], I[6]};
  double c[3];
  for (int a = 0; a < 3; a++) p[a] = dot3(tensor + 3 * a, V), p[3 + a] = I[0] * V[3 + a];
  cross3(I + 1, V + 3, c);
  for (int a = 0; a < 3; a++) p[a] += c[a];
  cross3(I + 1, V, c);
  for (int a = 0; a < 3; a++) p[3 + a] -= c[a];
}

/* X^(k), column by column: X' = -X ad_V^T, from X = 1. V: [(K+1)] rows, `rows` apart. */
static void transport(int K, const double *V, int rows, double *X) {
  memset(X, 0, (size_t)(36 * (K + 1)) * sizeof *X);
  for (int a = 0; a < 6; a++) X[7 * a] = 1;
  for (int k = 0; k < K; k++)
    for (int c = 0; c < 6; c++) {
      double unit[6] = {0};
      unit[c] = 1;
      for (int l = 0; l <= k; l++) {
        double side[6] = {0};
        subtract_coadjoint(jn__binomial(k, l), V + l * rows, unit, side); /* -ad_V^T e_c */
        for (int a = 0; a < 6; a++)
          for (int b = 0; b < 6; b++) X[36 * (k + 1) + 6 * a + c] += X[36 * (k - l) + 6 * a + b] * side[b];
      }
    }
}

/* Adds the change of the momentum of a link in the pose T to dh. */
static void add_momentum_change(int K, const jet_room *r, const double I[10], const double T[16]) {
  for (int k = 0; k <= K; k++) {
    momentum_of(I, r->dV + 6 * k, r->z + 6 * k);
    for (int l = 0; l <= k; l++)
      subtract_coadjoint(jn__binomial(k, l), r->eta + 6 * l, r->p + 6 * (k - l), r->z + 6 * k);
  }
  for (int k = 0; k <= K; k++) {
    double F[6] = {0}, m[3], function[3], c[3];
    for (int l = 0; l <= k; l++)
      for (int a = 0; a < 6; a++)
        for (int b = 0; b < 6; b++) F[a] += jn__binomial(k, l) * r->X[36 * (k - l) + 6 * a + b] * r->z[6 * l + b];
    turn3(T, F, m);
    turn3(T, F + 3, function);
    const double p[3] = {T[3], T[7], T[11]};
    cross3(p, function, c);
    for (int a = 0; a < 3; a++) r->dh[6 * k + a] += m[a] + c[a], r->dh[6 * k + 3 + a] += function[a];
  }
}

jn_status jn_momentum_jet_derivatives(const jn_model *model, jn_work *work, int order, const double *q,
                                      const double *v_jet, double *scratch, double *D) {
  if (!model || !work || !q || !v_jet || !scratch || !D) return JN_ERR_NULL;
  if (order < 0 || order > JN_MAX_ORDER - 1) return JN_ERR_SIZE;
  int n = jn_model_nv(model), K = order, links = jn_link_count(model), rows = 6 * links;
  jet_room r = place_room(model, K, rows, scratch);
  begin(model, K, v_jet, &r);
  memset(D, 0, (size_t)((K + 1) * (K + 2) * 6 * n) * sizeof *D);
  jn_status status = jn_system_jet(model, work, K + 1, q, r.v, NULL, NULL, r.V, r.J);
  for (int i = 0; i < links && status == JN_OK; i++) {
    double T[16], I[10];
    jn_link_inertia(model, i, I);
    status = jn_frame_pose(model, work, i, q, T);
    for (int k = 0; k <= K; k++) momentum_of(I, r.V + k * rows + 6 * i, r.p + 6 * k);
    transport(K, r.V + 6 * i, rows, r.X);
    for (int which = 0; which <= K + 1 && status == JN_OK; which++)
      for (int k = 0; k < n; k++) {
        change_motion(model, K, &r, which, k);
        change_body(model, K, &r, 6 * i, rows);
        memset(r.dh, 0, (size_t)(6 * (K + 1)) * sizeof *r.dh);
        add_momentum_change(K, &r, I, T);
        for (int o = 0; o <= K; o++)
          for (int a = 0; a < 6; a++) D[((o * (K + 2) + which) * 6 + a) * n + k] += r.dh[6 * o + a];
      }
  }
  return status;
}
