/* SPDX-License-Identifier: BSD-2-Clause */
/* How far loops are from closed. Conditions are polynomials of the relative pose (R, p), made of sines: they vanish for
 * a rotation and for that which is half a turn further. So whether a loop is closed is decided on the group:
 *
 *   turns        the rotation vector w = log R is zero along the directions asked for:
 *                error d . w, which changes by d . dexp_w^-1 (w_b - w_a)
 *   alignment    f = R e is e: with the least rotation Q = exp(theta n) that takes e to f, n = e x u, error theta u
 *                along t1 and t2 (across e), which changes by (Q t2) . (w_b - w_a) and -(Q t1) . (w_b - w_a)
 *   distance     |p| - d, along p / |p|
 *   coupling     its value over the largest factor
 *   others       their value
 *
 * The errors are zero where the loop is closed and nowhere else, and assembly follows them from any configuration. */
#include <math.h>
#include <string.h>

#include "../lie/rotation.h"
#include "jounce/configuration.h"
#include "loops.h"

/* ---- errors ---- */

static mat3 axes(const double *P) { return (mat3){v3(P[0], P[4], P[8]), v3(P[1], P[5], P[9]), v3(P[2], P[6], P[10])}; }

/* W of a row is a moment along x, given in the axes of a. */
static void set_moment(loop_state *state, int r, mat3 R_a, vec3 x) {
  memset(state->W + 6 * r, 0, 6 * sizeof(double));
  v3_store(m3_mul(R_a, x), state->W + 6 * r);
}

/* f = R e as seen from e: the angle theta, and the unit vector u across e towards f. Next to the opposite of e every u
 * is as good as another: `any`. */
static double tilt(vec3 e, vec3 f, vec3 any, vec3 *u) {
  double c = dot(e, f);
  vec3 side = v3_axpy(-c, e, f);
  double s = sqrt(dot(side, side)), theta = atan2(s, c);
  *u = s > 0 && theta < JN_OPPOSITE ? v3_scale(1 / s, side) : any;
  return theta;
}

/* x turned by theta about the unit vector n. */
static vec3 turned(vec3 n, double theta, vec3 x) {
  double c = cos(theta), s = sin(theta);
  return v3_axpy((1 - c) * dot(n, x), n, v3_axpy(s, cross(n, x), v3_scale(c, x)));
}

/* Rows r and r + 1. Within the rounding of e the errors are the conditions themselves. */
static void close_alignment(const loop_structure *loops, loop_state *state, int r, mat3 R_a, mat3 R, double *error) {
  const loop_row *row = &loops->row[r];
  vec3 e = v3_load(row[0].term[0].beta), t1 = v3_load(row[0].term[0].alpha), t2 = v3_load(row[1].term[0].alpha), u;
  vec3 f = m3_mul(R, e);
  double theta = tilt(e, f, t1, &u);
  int small = theta < 1e-7;
  vec3 n = cross(e, u);
  error[r] = small ? dot(t1, f) : theta * dot(u, t1);
  error[r + 1] = small ? dot(t2, f) : theta * dot(u, t2);
  set_moment(state, r, R_a, turned(n, theta, t2));
  set_moment(state, r + 1, R_a, v3_neg(turned(n, theta, t1)));
}

static void close_turn(const loop_structure *loops, loop_state *state, int r, mat3 R_a, vec3 w, double *error) {
  vec3 d = v3_load(loops->row[r].about);
  error[r] = dot(d, w);
  set_moment(state, r, R_a, m3_tmul(so3_dexp_inverse(w), d));
}

static double close_distance(const loop_structure *loops, loop_state *state, const loop_ends *at, int r) {
  double *W = state->W + 6 * r, p[3], length = 0;
  for (int e = 0; e < 3; e++) {
    p[e] = at->P_b[4 * e + 3] - at->P_a[4 * e + 3];
    length = hypot(length, p[e]);
  }
  memset(W, 0, 6 * sizeof *W);
  for (int e = 0; e < 3; e++) W[3 + e] = length > 0 ? p[e] / length : e == 0;
  return length - loops->row[r].term[0].factor;
}

static void close_pair(const loop_structure *loops, loop_state *state, const loop_pair *c, const loop_ends *at,
                       double *error) {
  mat3 R_a = axes(at->P_a), R = m3_tprod(R_a, axes(at->P_b));
  vec3 w = v3_zero();
  for (int r = c->first; r < c->first + c->rows; r++) {
    if (loops->row[r].closure == CLOSE_TURN) {
      w = so3_log(R);
      break;
    }
  }
  for (int r = c->first; r < c->first + c->rows; r++) {
    const loop_row *row = &loops->row[r];
    if (row->closure == CLOSE_TURN)
      close_turn(loops, state, r, R_a, w, error);
    else if (row->closure == CLOSE_ALIGN)
      close_alignment(loops, state, r, R_a, R, error);
    else if (row->term[0].kind == TERM_DISTANCE)
      error[r] = close_distance(loops, state, at, r);
  }
}

void jn__loops_closure(const loop_structure *loops, loop_state *state, double *error) {
  jn__loops_value(loops, state, 0, error);
  for (int i = 0; i < loops->count; i++)
    if (loops->row[loops->pair[i].first].terms > 0) close_pair(loops, state, &loops->pair[i], &state->ends[i], error);
  for (int i = 0; i < loops->couplings; i++) { /* not over the scale: the value itself may be beyond all numbers */
    const loop_coupling *c = &loops->coupling[i];
    double scale = loops->scale[c->row], sum = -(c->offset / scale);
    for (int t = 0; t < c->count; t++) sum += c->factor[t] / scale * state->q[c->q[t]];
    error[c->row] = sum;
  }
  for (int r = loops->first_user; r < loops->m; r++) error[r] /= loops->scale[r];
}

double jn__loops_gap(const loop_structure *loops, int i, const double *error) {
  int rows, first = jn__loops_row(loops, i, &rows);
  double most = 0, angle = 0;
  for (int r = first; r < first + rows; r++) {
    double x = fabs(error[r]);
    if (i < loops->count && loops->row[r].closure != CLOSE_VALUE) x = angle = hypot(angle, x);
    most = x > most || isnan(x) ? x : most;
  }
  return most;
}

jn_status jn_loops_gaps(jn_loops *l, const double *q, double *gap) {
  if (!l || !q || !gap) return JN_ERR_NULL;
  jn_status status = jn__loops_motion(&l->structure, &l->state, 0, q, l->structure.zeros);
  if (status != JN_OK) return status;
  jn__loops_closure(&l->structure, &l->state, l->scratch.phi);
  for (int i = 0; i < l->structure.count + l->structure.options.user_count; i++)
    gap[i] = jn__loops_gap(&l->structure, i, l->scratch.phi);
  return JN_OK;
}

/* ---- scales ---- */

/* A row of a pair can be as large as the screws that move it: angular parts of those for directions, velocities of the
 * origin of b's closing frame for points. Unlike the row itself this is no rounding where the row happens to vanish. */
static void pair_scales(loop_structure *loops, loop_state *state, const loop_pair *c, const loop_ends *at) {
  double angular = 0, straight = 0;
  for (int k = 0; k < c->runs; k++)
    for (int j = c->run[k].screw; j < c->run[k].screw + c->run[k].count; j++) {
      double S[6];
      for (int e = 0; e < 6; e++) S[e] = state->chain[e * loops->chain_stride + j];
      vec3 w = v3_load(S),
           r = v3(at->P_b[3] - state->about[0], at->P_b[7] - state->about[1], at->P_b[11] - state->about[2]);
      vec3 v = v3_add(v3_load(S + 3), cross(w, r));
      angular = fmax(angular, sqrt(dot(w, w)));
      straight = fmax(straight, sqrt(dot(v, v)));
    }
  for (int r = c->first; r < c->first + c->rows; r++)
    loops->scale[r] = fmax(loops->scale[r], loops->row[r].term[0].kind == TERM_DIRECTION ? angular : straight);
}

/* The largest at q = 0 and at three configurations next to it. */
void jn__loops_find_scales(loop_structure *loops, loop_state *state, loop_scratch *scratch) {
  uint32_t random = 1;
  memset(loops->scale, 0, sizeof(double) * (size_t)loops->m);
  for (int attempt = 0; attempt < 4; attempt++) {
    jn_neutral(loops->model, scratch->start);
    for (int i = 0; i < loops->nv; i++) {
      random = random * 1664525u + 1013904223u;
      scratch->x[i] = attempt == 0 ? 0 : 0.2 * ((random >> 8) / 8388608.0 - 1);
    }
    if (jn_integrate(loops->model, loops->work, scratch->start, scratch->x, scratch->moved) != JN_OK) break;
    if (jn__loops_motion(loops, state, 0, scratch->moved, loops->zeros) != JN_OK) break;
    for (int i = 0; i < loops->count; i++)
      if (loops->row[loops->pair[i].first].terms > 0) pair_scales(loops, state, &loops->pair[i], &state->ends[i]);
    for (int r = 0; r < loops->users; r++)
      for (int i = 0; i < loops->nv; i++)
        loops->scale[loops->first_user + r] =
            fmax(loops->scale[loops->first_user + r], fabs(state->user_A[r * loops->nv + i]));
  }
  for (int i = 0; i < loops->couplings; i++)
    for (int t = 0; t < loops->coupling[i].count; t++)
      loops->scale[loops->coupling[i].row] =
          fmax(loops->scale[loops->coupling[i].row], fabs(loops->coupling[i].factor[t]));
  for (int r = 0; r < loops->m; r++) /* nothing, or what rounding leaves of numbers about one */
    if (!(loops->scale[r] > (r < loops->first_user ? 0 : 1e-13)) || isinf(loops->scale[r])) loops->scale[r] = 1;
}

void jn__loops_scale_rows(const loop_structure *loops, int n, double *X) {
  for (int r = 0; r < loops->m; r++)
    for (int i = 0; i < n; i++) X[r * n + i] /= loops->scale[r];
}
