/* SPDX-License-Identifier: BSD-2-Clause */
/* The slow definition of dynamics: see newton.h. */
#include "newton.h"

void times(const number *A, const number *B, number *C, int n, int k, int m) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      number s = 0;
      for (int l = 0; l < k; l++) s += A[i * k + l] * B[l * m + j];
      C[i * m + j] = s;
    }
}

void transposed_times(const number *A, const number *B, number *C, int n, int k, int m) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      number s = 0;
      for (int l = 0; l < k; l++) s += A[l * n + i] * B[l * m + j];
      C[i * m + j] = s;
    }
}

static void skew(const number a[3], number S[9]) {
  const number all[9] = {0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0};
  memcpy(S, all, sizeof all);
}

static void blocks(const number *A, const number *B, const number *C, const number *E, number out[36]) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      out[6 * i + j] = A ? A[3 * i + j] : 0;
      out[6 * i + j + 3] = B ? B[3 * i + j] : 0;
      out[6 * (i + 3) + j] = C ? C[3 * i + j] : 0;
      out[6 * (i + 3) + j + 3] = E ? E[3 * i + j] : 0;
    }
}

void inertia_of(const double P[10], number G[36]) {
  const number J[9] = {P[4], P[7], P[8], P[7], P[5], P[9], P[8], P[9], P[6]}, h[3] = {P[1], P[2], P[3]};
  number H[9], N[9], m[9] = {P[0], 0, 0, 0, P[0], 0, 0, 0, P[0]};
  skew(h, H);
  for (int i = 0; i < 9; i++) N[i] = -H[i];
  blocks(J, H, N, m, G);
}

void adjoint_of(const number T[16], number Ad[36]) {
  number R[9], p[3], P[9], PR[9];
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) R[3 * i + j] = T[4 * i + j];
    p[i] = T[4 * i + 3];
  }
  skew(p, P);
  times(P, R, PR, 3, 3, 3);
  blocks(R, NULL, PR, R, Ad);
}

void inverse_pose(const number T[16], number out[16]) {
  for (int i = 0; i < 3; i++) {
    number s = 0;
    for (int j = 0; j < 3; j++) {
      out[4 * i + j] = T[4 * j + i];
      s -= T[4 * j + i] * T[4 * j + 3];
    }
    out[4 * i + 3] = s;
    out[12 + i] = 0;
  }
  out[15] = 1;
}

void bracket_of(const number V[6], number ad[36]) {
  number W[9], U[9];
  skew(V, W);
  skew(V + 3, U);
  blocks(W, NULL, U, W, ad);
}

void newton_create(state *x, newton *w) {
  const jn_model *m = x->s->m;
  const int n = x->d->nv, links = x->d->nlink;
  jn_work *work = x->x[KIND_L].w;
  double g[3], P[10];
  *w = (newton){.n = n, .links = links};
  w->T = room_long((size_t)x->d->nframe * 16);
  w->J = room_long((size_t)x->d->nframe * 6 * (size_t)n);
  w->V = room_long((size_t)links * 6), w->A = room_long((size_t)links * 6);
  w->F = room_long((size_t)links * 6), w->h = room_long((size_t)links * 6);
  jn_model_gravity(m, g);
  check_ok(jnl_frame_poses(m, work, LIN(q), w->T));
  check_ok(jnl_frame_jacobians(m, work, JN_IN_BODY, LIN(q), w->J));
  for (int i = 0; i < links; i++) {
    number G[36], ad[36], A[6], turned[6];
    times(w->J + 6 * n * i, LIN(v), w->V + 6 * i, 6, n, 1);
    check_ok(jnl_frame_acceleration(m, work, i, JN_IN_BODY, LIN(q), LIN(v), LIN(a), w->A + 6 * i));
    check_ok(jn_link_inertia(m, i, P));
    inertia_of(P, G);
    memcpy(A, w->A + 6 * i, sizeof A);
    for (int r = 0; r < 3; r++)
      for (int c = 0; c < 3; c++) A[3 + r] -= w->T[16 * i + 4 * c + r] * g[c];
    times(G, w->V + 6 * i, w->h + 6 * i, 6, 6, 1);
    bracket_of(w->V + 6 * i, ad);
    transposed_times(ad, w->h + 6 * i, turned, 6, 6, 1);
    times(G, A, w->F + 6 * i, 6, 6, 1);
    for (int r = 0; r < 6; r++) w->F[6 * i + r] -= turned[r];
  }
}

void newton_destroy(newton *w) { free(w->T), free(w->J), free(w->V), free(w->A), free(w->F), free(w->h); }

number armature_of(const jn_model *m, int coordinate) {
  number sum = 0;
  for (int j = 0; j < jn_link_count(m); j++) {
    double ratio = 1;
    int coupled = jn_joint_mimic(m, j, NULL, &ratio, NULL), n = coupled ? 1 : jn_joint_nv(m, j);
    int k = coordinate - jn_joint_v(m, j);
    if (n > 0 && k >= 0 && k < n) sum += (number)ratio * ratio * jn_joint_description(m, j)->dof[k].armature;
  }
  return sum;
}

number add_springs(const jn_model *m, const number *q, const number *v_jet, int k, number *force) {
  number energy = 0;
  for (int j = 0; j < jn_link_count(m); j++) {
    double ratio = 1, offset = 0;
    int n = jn_joint_mimic(m, j, NULL, &ratio, &offset) ? 1 : jn_joint_nv(m, j), iv = jn_joint_v(m, j);
    for (int c = 0; c < n; c++) {
      const jn_dof *dof = &jn_joint_description(m, j)->dof[c];
      if (dof->stiffness == 0) continue;
      number stretch = ratio * q[jn_joint_q(m, j) + c] + offset - dof->rest;
      energy += dof->stiffness * stretch * stretch / 2;
      if (k > 0) stretch = ratio * v_jet[(k - 1) * jn_model_nv(m) + iv + c];
      if (force) force[iv + c] += ratio * dof->stiffness * stretch;
    }
  }
  return energy;
}

void newton_forces(state *x, const newton *w, number *tau) {
  for (int k = 0; k < w->n; k++) tau[k] = armature_of(x->s->m, k) * LIN(a)[k];
  for (int i = 0; i < w->links; i++) {
    if (jn_link_is_fixed(x->s->m, i)) continue;
    for (int r = 0; r < 6; r++)
      for (int k = 0; k < w->n; k++)
        tau[k] += w->J[(6 * i + r) * w->n + k] * (w->F[6 * i + r] - LIN(wrench)[6 * i + r]);
  }
  add_springs(x->s->m, LIN(q), NULL, 0, tau);
}
