/* SPDX-License-Identifier: BSD-2-Clause */
/* The motion of closing frames: screws of joints, poses of links and closing frames, and for jets the pose (R, p) of
 * the closing frame of b in that of a, as a polynomial of time.
 *
 * With the twists (w_a, v_a), (w_b, v_b) of the closing frames in their own axes,
 *   R' = R [w_b] - [w_a] R,     p' = R v_b - v_a - w_a x p
 * so that Taylor coefficients follow from those below them: (k+1) R_(k+1) = sum_j R_j [w_b,(k-j)] - [w_a,(k-j)] R_j.
 *
 *   symbol     meaning                                          size   frame
 *   X, S       screw of a joint at q = 0, and at q              6      link
 *   T_a, T_b   closing frames in their links                    16
 *   P_a, P_b   closing frames in the world                      16
 *   V_a, V_b   twists of the closing frames, as series          6      closing frame
 *   R, p       pose of b's closing frame in a's, as series      9, 3   closing frame of a */
#include <math.h>
#include <string.h>

#include "../dense/vectors.h"
#include "../series/series.h"
#include "loops.h"

/* ---- screws of joints ---- */

/* Ad_T S. */
static void to_world(const double *T, const double *S, double *out) {
  const double p[3] = {T[3], T[7], T[11]};
  double moved[3];
  turn3(T, S, out);
  turn3(T, S + 3, out + 3);
  cross3(p, out, moved);
  for (int k = 0; k < 3; k++) out[3 + k] += moved[k];
}

/* x = Ad_{exp(-X q)} x for a screw x [6]. */
static void carry_back(const loop_screw *s, double q, double *x) {
  const double *X = s->X, w = s->rate, c = cos(w * q), si = sin(w * q);
  double e[3] = {0}, T[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}, m[3], out[6];
  for (int i = 0; i < 3; i++) e[i] = w > 0 ? X[i] / w : 0, T[4 * i + 3] = w > 0 ? 0 : -q * X[3 + i];
  if (w > 0) { /* R = E cos - [e] sin + e e^T (1 - cos); p = (E - R) (e x v) / w - e (e . v) q */
    cross3(e, X + 3, m);
    double along = e[0] * X[3] + e[1] * X[4] + e[2] * X[5];
    for (int i = 0; i < 3; i++) {
      for (int j = 0; j < 3; j++) T[4 * i + j] = (1 - c) * e[i] * e[j] + (i == j ? c : 0);
      T[4 * i + (i + 1) % 3] += si * e[(i + 2) % 3];
      T[4 * i + (i + 2) % 3] -= si * e[(i + 1) % 3];
    }
    for (int i = 0; i < 3; i++) {
      double turned = T[4 * i] * m[0] + T[4 * i + 1] * m[1] + T[4 * i + 2] * m[2];
      T[4 * i + 3] = (m[i] - turned) / w - e[i] * along * q;
    }
  }
  to_world(T, x, out);
  memcpy(x, out, sizeof out);
}

/* S_k = Ad_{(exp(X_k+1 q_k+1) ... exp(X_N q_N))^-1} X_k. */
void jn__loops_joint_screws(const loop_screw *s, const double *q, double *S) {
  for (int k = 0; k < s->count - 1; k++) {
    memcpy(S + 6 * k, s[k].X, sizeof s->X);
    for (int j = k + 1; j < s->count; j++) carry_back(&s[j], q[s[j].q], S + 6 * k);
  }
}

/* ---- closing frames ---- */

/* Ad_{T^-1} V of a 4x4 pose. */
static void twist_into(const double *T, const double *V, double *out) {
  const double p[3] = {T[3], T[7], T[11]}, R[9] = {T[0], T[1], T[2], T[4], T[5], T[6], T[8], T[9], T[10]};
  double u[3];
  cross3(p, V, u);
  for (int k = 0; k < 3; k++) u[k] = V[3 + k] - u[k];
  memset(out, 0, 6 * sizeof *out);
  add_turned_back(1, R, V, out);
  add_turned_back(1, R, u, out + 3);
}

/* R += R_j [w_b] - [w_a] R_j (R NULL: not), p += R_j v_b - w_a x p_j (v_a is up to the caller). Rows r of R [w] are r x
 * w, columns c of [w] R are w x c. */
static void add_relative(const double *Rj, const double *pj, const double *a, const double *b, double *R, double *p) {
  double x[3];
  for (int i = 0; i < 3 && R; i++) {
    const double column[3] = {Rj[i], Rj[3 + i], Rj[6 + i]};
    cross3(Rj + 3 * i, b, x);
    for (int e = 0; e < 3; e++) R[3 * i + e] += x[e];
    cross3(a, column, x);
    for (int e = 0; e < 3; e++) R[3 * e + i] -= x[e];
  }
  add_turned(1, Rj, b + 3, p);
  cross3(a, pj, x);
  for (int e = 0; e < 3; e++) p[e] -= x[e];
}

/* Taylor coefficient k of R (unless `last`, when nothing needs it) and p from those of the twists below k. */
static void relative_order(loop_ends *at, int k, int last) {
  double *R = at->R + 9 * k, *p = at->p + 3 * k;
  memset(R, 0, 9 * sizeof *R);
  memset(p, 0, 3 * sizeof *p);
  for (int j = 0; j < k; j++)
    add_relative(at->R + 9 * j, at->p + 3 * j, at->V_a + 6 * (k - 1 - j), at->V_b + 6 * (k - 1 - j), last ? NULL : R,
                 p);
  for (int e = 0; e < 3; e++) p[e] -= at->V_a[6 * (k - 1) + 3 + e];
  for (int e = 0; e < 9; e++) R[e] /= k;
  for (int e = 0; e < 3; e++) p[e] /= k;
}

static void relative_pose(const double *T_a, const double *T_b, double *R, double *p) {
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) R[3 * i + j] = T_a[i] * T_b[j] + T_a[4 + i] * T_b[4 + j] + T_a[8 + i] * T_b[8 + j];
    p[i] = 0;
    for (int e = 0; e < 3; e++) p[i] += T_a[4 * e + i] * (T_b[4 * e + 3] - T_a[4 * e + 3]);
  }
}

void jn__closing_pose(const loop_state *state, int link, const double *T, double *out) {
  if (link < 0) {
    memcpy(out, T, 16 * sizeof *out);
    return;
  }
  const double *P = state->poses + 16 * link;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 4; j++) out[4 * i + j] = P[4 * i] * T[j] + P[4 * i + 1] * T[4 + j] + P[4 * i + 2] * T[8 + j];
    out[4 * i + 3] += P[4 * i + 3];
  }
}

void jn__loops_relative_poses(const loop_structure *loops, loop_state *state) {
  for (int i = 0; i < loops->count; i++)
    if (loops->row[loops->pair[i].first].terms > 0)
      relative_pose(state->ends[i].P_a, state->ends[i].P_b, state->ends[i].R, state->ends[i].p);
}

/* Taylor coefficient k of the twists of a pair's frames, from the derivatives of order k of the links' twists. */
static void closing_twists(const loop_pair *c, const loop_ends *at, int k, const double *row) {
  double factorial = jn__factorial(k);
  double *const to[2] = {at->V_a + 6 * k, at->V_b + 6 * k};
  for (int end = 0; end < 2; end++) {
    int link = end ? c->b : c->a;
    memset(to[end], 0, 6 * sizeof(double));
    if (link >= 0) twist_into(end ? c->T_b : c->T_a, row + 6 * link, to[end]);
    for (int e = 0; e < 6 && factorial > 1; e++) to[end][e] /= factorial;
  }
}

/* R, p of all pairs from state->poses and state->twists. */
static void relative_motion(const loop_structure *loops, loop_state *state, int order) {
  for (int i = 0; i < loops->count; i++) {
    const loop_pair *c = &loops->pair[i];
    loop_ends *at = &state->ends[i];
    if (loops->row[c->first].terms == 0) continue; /* a coupling */
    jn__closing_pose(state, c->a, c->T_a, at->P_a);
    jn__closing_pose(state, c->b, c->T_b, at->P_b);
    for (int k = 0; k < order + 2; k++) closing_twists(c, at, k, state->twists + 6 * loops->nlink * k);
    relative_pose(at->P_a, at->P_b, at->R, at->p);
    for (int k = 1; k < order + 3; k++) relative_order(at, k, k == order + 2 && !c->directions);
  }
}

/* ---- motions ---- */

/* Poses, and with `dynamics` M and the forces of the tree. */
static jn_status sweep(const loop_structure *loops, loop_state *state, const double *q, const double *v_jet,
                       const double *wrench, int dynamics) {
  const jn_terms terms = {.poses = state->poses, .M = dynamics ? state->H : NULL, .tau = dynamics ? state->tau : NULL};
  return jn_compute(loops->model, loops->work, q, v_jet, dynamics ? v_jet + loops->nv : NULL, wrench, &terms);
}

jn_status jn__loops_motion(const loop_structure *loops, loop_state *state, int order, const double *q,
                           const double *v_jet) {
  jn_status status = jn__extra_motion(loops, state, order, q, v_jet);
  state->order = order;
  if (status != JN_OK || loops->couplings == loops->count) return status;
  if (order <= 0) {
    status = sweep(loops, state, q, v_jet, NULL, 0);
    if (status == JN_OK) loops->code->pairs_move(loops, state, q, v_jet, order < 0 ? NULL : v_jet + loops->nv);
    return status;
  }
  status = jn_system_jet(loops->model, loops->work, order + 1, q, v_jet, NULL, NULL, state->twists, NULL);
  if (status == JN_OK) status = jn_frame_poses(loops->model, loops->work, q, state->poses);
  if (status == JN_OK) relative_motion(loops, state, order);
  return status;
}

jn_status jn__loops_motion_and_forces(const loop_structure *loops, loop_state *state, const double *q,
                                      const double *v_jet, const double *wrench) {
  jn_status status = jn__extra_motion(loops, state, 0, q, v_jet);
  state->order = 0;
  if (status == JN_OK) status = sweep(loops, state, q, v_jet, wrench, 1);
  if (status == JN_OK) loops->code->pairs_move(loops, state, q, v_jet, v_jet + loops->nv);
  return status;
}
