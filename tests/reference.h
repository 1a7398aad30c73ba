/* SPDX-License-Identifier: BSD-2-Clause */
/* The slow twin: M, C, g and more by the closed-form sums of garofalo2013 eq. 6, link by link in link frames, in plain
 * double, from single joints only (whose pose, S and dS/dt test_joint.c checks against their definitions).
 *   J_k = Ad_{T_pk^-1} J_p + S_k,   dJ_k = Ad^-1 dJ_p - ad_{S v} Ad^-1 J_p + dS_k     (eq. 28 with dS) */
#ifndef JN_TESTS_REFERENCE_H
#define JN_TESTS_REFERENCE_H

#include "models.h"

enum { MOST_V = 64, MOST_LINKS = 40 };

typedef struct reference {
  double M[MOST_V][MOST_V], C[MOST_V][MOST_V], g[MOST_V];
  double T[MOST_LINKS][16];                                   /* links in the world */
  double J[MOST_LINKS][6][MOST_V], dJ[MOST_LINKS][6][MOST_V]; /* in link frames */
  double V[MOST_LINKS][6], mass, com[3], momentum[6];         /* momentum about the origin */
  double kinetic, potential;
} reference;

static UNUSED void mat_mul(const double *A, const double *B, double *C, int n, int k, int m) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      double s = 0;
      for (int l = 0; l < k; l++) s += A[i * k + l] * B[l * m + j];
      C[i * m + j] = s;
    }
}

/* Ad_{T^-1} */
static UNUSED void adjoint_inverse(const double T[16], double Ad[36]) {
  const double p[3] = {T[3], T[7], T[11]}, P[3][3] = {{0, -p[2], p[1]}, {p[2], 0, -p[0]}, {-p[1], p[0], 0}};
  for (int i = 0; i < 36; i++) Ad[i] = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      Ad[6 * i + j] = Ad[6 * (i + 3) + j + 3] = T[4 * j + i];
      double s = 0;
      for (int k = 0; k < 3; k++) s -= T[4 * k + i] * P[k][j];
      Ad[6 * (i + 3) + j] = s;
    }
}

static UNUSED void bracket(const double V[6], double ad[36]) {
  const double *w = V, *v = V + 3;
  const double W[3][3] = {{0, -w[2], w[1]}, {w[2], 0, -w[0]}, {-w[1], w[0], 0}};
  const double U[3][3] = {{0, -v[2], v[1]}, {v[2], 0, -v[0]}, {-v[1], v[0], 0}};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      ad[6 * i + j] = ad[6 * (i + 3) + j + 3] = W[i][j];
      ad[6 * i + j + 3] = 0;
      ad[6 * (i + 3) + j] = U[i][j];
    }
}

static UNUSED void inertia6(const double P[10], double I[36]) {
  const double h[3] = {P[1], P[2], P[3]}, H[3][3] = {{0, -h[2], h[1]}, {h[2], 0, -h[0]}, {-h[1], h[0], 0}};
  const double J[3][3] = {{P[4], P[7], P[8]}, {P[7], P[5], P[9]}, {P[8], P[9], P[6]}};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      I[6 * i + j] = J[i][j];
      I[6 * i + j + 3] = H[i][j];
      I[6 * (i + 3) + j] = -H[i][j];
      I[6 * (i + 3) + j + 3] = i == j ? P[0] : 0;
    }
}

/* T, J, dJ, V of link i from its parent's. */
static UNUSED void reference_link(const jn_model *m, jn_work *w, const double *q, const double *v, int i,
                                  reference *r) {
  int nv = jn_model_nv(m), p = jn_link_parent(m, i), k = jn_joint_nv(m, i), iv = jn_joint_v(m, i);
  double T[16], S[36] = {0}, dS[36] = {0}, Ad[36], Vj[6] = {0}, ad[36];
  if (jn_joint_mimic(m, i, NULL, NULL, NULL)) k = 1;
  check_ok(jn_joint_pose(m, w, i, q, T));
  check_ok(jn_joint_jacobian(m, w, i, q, S));
  check_ok(jn_joint_jacobian_rate(m, w, i, q, v, dS));
  if (p < 0)
    memcpy(r->T[i], T, sizeof T);
  else
    mat_mul(r->T[p], T, r->T[i], 4, 4, 4);
  adjoint_inverse(T, Ad);
  for (int a = 0; a < 6; a++)
    for (int c = 0; c < k; c++) Vj[a] += S[k * a + c] * v[iv + c];
  bracket(Vj, ad);
  for (int c = 0; c < nv; c++) {
    double x[6] = {0}, y[6];
    for (int a = 0; a < 6; a++) {
      y[a] = 0;
      for (int b = 0; b < 6 && p >= 0; b++) {
        x[a] += Ad[6 * a + b] * r->J[p][b][c];
        y[a] += Ad[6 * a + b] * r->dJ[p][b][c];
      }
    }
    for (int a = 0; a < 6; a++) {
      for (int b = 0; b < 6; b++) y[a] -= ad[6 * a + b] * x[b];
      r->J[i][a][c] = x[a];
      r->dJ[i][a][c] = y[a];
    }
  }
  for (int a = 0; a < 6; a++)
    for (int c = 0; c < k; c++) {
      r->J[i][a][iv + c] += S[k * a + c];
      r->dJ[i][a][iv + c] += dS[k * a + c];
    }
  for (int a = 0; a < 6; a++) {
    r->V[i][a] = 0;
    for (int c = 0; c < nv; c++) r->V[i][a] += r->J[i][a][c] * v[c];
  }
}

/* Adds link i to the sums (6a), (6b), (6c) and to mass, momentum, energies. */
static UNUSED void reference_sum(const jn_model *m, int i, reference *r) {
  int nv = jn_model_nv(m);
  double P[10], I[36], ad[36], Psi[36], Ad[36], gamma[6], gravity[3], h[6], base[6] = {0};
  check_ok(jn_link_inertia(m, i, P));
  inertia6(P, I);
  bracket(r->V[i], ad);
  for (int a = 0; a < 6; a++)
    for (int b = 0; b < 6; b++) {
      Psi[6 * a + b] = 0;
      for (int k = 0; k < 6; k++) Psi[6 * a + b] += I[6 * a + k] * ad[6 * k + b] - ad[6 * k + a] * I[6 * k + b];
    }
  jn_model_gravity(m, gravity);
  for (int k = 0; k < 3; k++) base[3 + k] = -gravity[k];
  adjoint_inverse(r->T[i], Ad);
  mat_mul(Ad, base, gamma, 6, 6, 1);
  for (int d = 0; d < nv; d++) {
    double IJ[6], X[6], Ig[6];
    for (int a = 0; a < 6; a++) {
      IJ[a] = X[a] = Ig[a] = 0;
      for (int b = 0; b < 6; b++) {
        IJ[a] += I[6 * a + b] * r->J[i][b][d];
        X[a] += Psi[6 * a + b] * r->J[i][b][d] + I[6 * a + b] * r->dJ[i][b][d];
        Ig[a] += I[6 * a + b] * gamma[b];
      }
    }
    for (int c = 0; c < nv; c++)
      for (int a = 0; a < 6; a++) {
        r->M[c][d] += r->J[i][a][c] * IJ[a];
        r->C[c][d] += r->J[i][a][c] * X[a];
      }
    for (int a = 0; a < 6; a++) r->g[d] += r->J[i][a][d] * Ig[a];
  }
  mat_mul(I, r->V[i], h, 6, 6, 1);
  for (int a = 0; a < 6; a++) {
    r->kinetic += 0.5 * h[a] * r->V[i][a];
    for (int b = 0; b < 6; b++) r->momentum[a] += Ad[6 * b + a] * h[b]; /* Ad*_{T^-1} */
  }
  for (int k = 0; k < 3; k++) {
    double c = P[0] * r->T[i][4 * k + 3];
    for (int l = 0; l < 3; l++) c += r->T[i][4 * k + l] * P[1 + l];
    r->com[k] += c;
    r->potential -= gravity[k] * c;
  }
  r->mass += P[0];
}

static UNUSED void compute_reference(const jn_model *m, jn_work *w, const double *q, const double *v, reference *r) {
  memset(r, 0, sizeof *r);
  for (int i = 0; i < jn_link_count(m); i++) {
    reference_link(m, w, q, v, i, r);
    if (!jn_link_is_fixed(m, i)) reference_sum(m, i, r);
  }
  for (int i = 0; i < jn_link_count(m); i++) { /* armature of each joint, seen by its coordinate */
    double ratio = 1;
    int coupled = jn_joint_mimic(m, i, NULL, &ratio, NULL), n = coupled ? 1 : jn_joint_nv(m, i);
    for (int k = 0; k < n; k++) {
      int iv = jn_joint_v(m, i) + k;
      double x = ratio * ratio * jn_joint_description(m, i)->dof[k].armature;
      r->M[iv][iv] += x;
      r->kinetic += 0.5 * x * v[iv] * v[iv];
    }
  }
  for (int k = 0; k < 3; k++) r->com[k] /= r->mass;
}

#endif
