/* SPDX-License-Identifier: BSD-2-Clause */
/* First and second derivatives of the maps by which methods step on rotations and poses, for each spherical and free
 * joint; coordinates whose velocity is their rate are the identity. With the right differential R(u) = dexp(-u), its
 * inverse L(u), and the series R(u) x = sum_k (-ad_u)^k x / (k+1)!, which is differentiated term by term:
 *   q = q0 exp(u):       dq = Ad(exp(-u)) dq0 + R(u) du;   second: dR(u)[du] du and the bracket [Ad dq0, R du]
 *   w = L(u) v:          dw = L (dv - dR(u)[du] w);        second: -L (d2R(u)[du, du] w + 2 dR(u)[du] dw)
 * Changes of q, before and after, are in exponential coordinates. Matrices of all joints are [groups x 36], those of a
 * joint [m x m], m = 3 or 6. */
#include <math.h>
#include <string.h>

#include "jounce/lie.h"
#include "variation.h"

enum { MOST_TERMS = 60 };

static void bracket(int m, const double *a, const double *b, double *out) {
  double A[6] = {0}, B[6] = {0}, C[6];
  memcpy(A, a, (size_t)m * sizeof *A);
  memcpy(B, b, (size_t)m * sizeof *B);
  jn_twist_bracket(A, B, C);
  memcpy(out, C, (size_t)m * sizeof *C);
}

/* D [m x m]: column j is the derivative of R(u) x along e_j. D2 [m x m x m] (may be NULL): row i, then j, k: the second
 * along e_j and e_k. */
static void differentiate_R(int m, const double *u, const double *x, double *D, double *D2) {
  double y[6], dy[6][6] = {{0}}, d2y[6][6][6] = {{{0}}}, size = 0, term = 1, next[6], part[6];
  memcpy(y, x, (size_t)m * sizeof *y);
  memset(D, 0, (size_t)(m * m) * sizeof *D);
  if (D2) memset(D2, 0, (size_t)(m * m * m) * sizeof *D2);
  for (int i = 0; i < m; i++) size += u[i] * u[i];
  size = sqrt(size);
  double factor = 1, unit[6] = {0};
  for (int k = 1; k < MOST_TERMS; k++) {
    factor /= -(k + 1);
    for (int j = 0; j < m && D2; j++)
      for (int l = 0; l < m; l++) {
        bracket(m, u, d2y[j][l], next);
        unit[j] = 1;
        bracket(m, unit, dy[l], part);
        unit[j] = 0;
        for (int i = 0; i < m; i++) next[i] += part[i];
        unit[l] = 1;
        bracket(m, unit, dy[j], part);
        unit[l] = 0;
        for (int i = 0; i < m; i++) D2[(i * m + j) * m + l] += factor * (d2y[j][l][i] = next[i] + part[i]);
      }
    for (int j = 0; j < m; j++) {
      bracket(m, u, dy[j], next);
      unit[j] = 1;
      bracket(m, unit, y, part);
      unit[j] = 0;
      for (int i = 0; i < m; i++) D[i * m + j] += factor * (dy[j][i] = next[i] + part[i]);
    }
    bracket(m, u, y, next);
    memcpy(y, next, (size_t)m * sizeof *y);
    term *= 2 * size / k;
    if (k > 3 && term < 1e-19) break;
  }
}

static void multiply(int m, const double *A, const double *B, double sign, double *C) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) {
      double sum = 0;
      for (int k = 0; k < m; k++) sum += A[i * m + k] * B[k * m + j];
      C[i * m + j] = sign * sum;
    }
}

static void times(int m, const double *A, const double *x, double *y) {
  for (int i = 0; i < m; i++) {
    y[i] = 0;
    for (int k = 0; k < m; k++) y[i] += A[i * m + k] * x[k];
  }
}

static void transposed_times(int m, const double *A, const double *x, double *y) {
  for (int i = 0; i < m; i++) {
    y[i] = 0;
    for (int k = 0; k < m; k++) y[i] += A[k * m + i] * x[k];
  }
}

void jn__group_maps(const jn_simulator *s, const double *u, const double *v, const group_maps *to) {
  for (int g = 0; g < s->groups; g++) {
    int iv = s->group[g].iv, m = s->group[g].is_free ? 6 : 3;
    double back[6], T[16], w[6], D[36], *R = to->R + 36 * g, *L = to->L + 36 * g;
    for (int i = 0; i < m; i++) back[i] = -u[iv + i];
    if (m == 6) {
      jn_se3_dexp_right(u + iv, R);
      jn_se3_dexp_right_inverse(u + iv, L);
      jn_se3_exp(back, T);
      jn_adjoint_matrix(T, to->Ad + 36 * g);
    } else {
      jn_so3_dexp_right(u + iv, R);
      jn_so3_dexp_right_inverse(u + iv, L);
      jn_so3_exp(back, to->Ad + 36 * g);
    }
    if (!v) continue;
    times(m, L, v + iv, w);
    differentiate_R(m, u + iv, w, D, NULL);
    multiply(m, L, D, -1, to->Lu + 36 * g);
  }
}

void jn__group_apply(const jn_simulator *s, const double *blocks, int others, double f, const double *X, int columns,
                     double *Y) {
  for (int i = 0; i < s->nv && others; i++)
    for (int c = 0; c < columns && s->place[i] >= 0; c++) Y[i * columns + c] += f * X[i * columns + c];
  for (int g = 0; g < s->groups; g++) {
    int iv = s->group[g].iv, m = s->group[g].is_free ? 6 : 3;
    const double *block = blocks + 36 * g;
    for (int i = 0; i < m; i++)
      for (int k = 0; k < m; k++)
        for (int c = 0; c < columns; c++) Y[(iv + i) * columns + c] += f * block[i * m + k] * X[(iv + k) * columns + c];
  }
}

void jn__group_transposed(const jn_simulator *s, const double *blocks, int others, const double *x, double *y) {
  for (int i = 0; i < s->nv && others; i++)
    if (s->place[i] >= 0) y[i] += x[i];
  for (int g = 0; g < s->groups; g++) {
    int iv = s->group[g].iv, m = s->group[g].is_free ? 6 : 3;
    double out[6];
    transposed_times(m, blocks + 36 * g, x + iv, out);
    for (int i = 0; i < m; i++) y[iv + i] += out[i];
  }
}

/* H += X^T S Y + (X^T S Y)^T, times f; X, Y [m x columns]. */
static void add_symmetric(int m, const double *S, double f, const double *X, const double *Y, int columns, double *H) {
  for (int a = 0; a < columns; a++) {
    double row[6] = {0};
    for (int k = 0; k < m; k++)
      for (int i = 0; i < m; i++) row[k] += f * X[i * columns + a] * S[i * m + k];
    for (int b = 0; b < columns; b++) {
      double sum = 0;
      for (int k = 0; k < m; k++) sum += row[k] * Y[k * columns + b];
      H[a * columns + b] += sum;
      H[b * columns + a] += sum;
    }
  }
}

/* T [m x m]: eta . dR(u)[e_j] e_k. */
static void weigh_dR(int m, const double *u, const double *eta, double *T) {
  for (int k = 0; k < m; k++) {
    double unit[6] = {0}, D[36], row[6];
    unit[k] = 1;
    differentiate_R(m, u, unit, D, NULL);
    transposed_times(m, D, eta, row);
    for (int j = 0; j < m; j++) T[j * m + k] = row[j];
  }
}

void jn__group_second_point(const jn_simulator *s, const double *u, const group_maps *maps, const double *gamma,
                            const double *q0, const double *cu, int columns, double *scratch, double *H) {
  for (int g = 0; g < s->groups; g++) {
    int iv = s->group[g].iv, m = s->group[g].is_free ? 6 : 3;
    double T[36], C[36], *a = scratch, *b = scratch + m * columns;
    const double *R = maps->R + 36 * g, *Ad = maps->Ad + 36 * g, *du = cu + iv * columns;
    weigh_dR(m, u + iv, gamma + iv, T);
    add_symmetric(m, T, 0.5, du, du, columns, H);
    for (int j = 0; j < m; j++)
      for (int k = 0; k < m; k++) {
        double e[6] = {0}, f[6] = {0}, x[6];
        e[j] = f[k] = 1;
        bracket(m, e, f, x);
        C[j * m + k] = 0;
        for (int i = 0; i < m; i++) C[j * m + k] += gamma[iv + i] * x[i];
      }
    memset(scratch, 0, 2 * (size_t)(m * columns) * sizeof *scratch);
    for (int i = 0; i < m; i++)
      for (int k = 0; k < m; k++)
        for (int c = 0; c < columns; c++) {
          a[i * columns + c] += Ad[i * m + k] * q0[(iv + k) * columns + c];
          b[i * columns + c] += R[i * m + k] * du[k * columns + c];
        }
    add_symmetric(m, C, 0.5, a, b, columns, H);
  }
}

void jn__group_second_rate(const jn_simulator *s, const double *u, const double *v, const group_maps *maps,
                           const double *beta, const double *cu, const double *cw, int columns, double *H) {
  for (int g = 0; g < s->groups; g++) {
    int iv = s->group[g].iv, m = s->group[g].is_free ? 6 : 3;
    double eta[6], w[6], D[36], D2[216], Q[36], T[36];
    const double *L = maps->L + 36 * g;
    transposed_times(m, L, beta + iv, eta);
    times(m, L, v + iv, w);
    differentiate_R(m, u + iv, w, D, D2);
    for (int e = 0; e < m * m; e++) {
      Q[e] = 0;
      for (int i = 0; i < m; i++) Q[e] += eta[i] * D2[i * m * m + e];
    }
    weigh_dR(m, u + iv, eta, T);
    add_symmetric(m, Q, -0.5, cu + iv * columns, cu + iv * columns, columns, H);
    add_symmetric(m, T, -1, cu + iv * columns, cw + iv * columns, columns, H);
  }
}
