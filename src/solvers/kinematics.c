/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames and momentum.
 *   frames     rotation R by columns r_j with d_k R = omega_k x R; twist V = J v in the world's axes. With multipliers
 *              (f, L, w) of (p, R, V) and s = sum r_j x L_j:
 *                g_k = (s, f) . J_k + w . d_k J v
 *                d_h g_k = (s, f) . d_h J_k + omega_k . sum (omega_h x r_j) x L_j + w . d_h d_k J v
 *              where d_h d_k J comes from the rate of J along e_k
 *   momentum   lambda . h is the force that a free base would feel at rest, when the robot accelerates with v without
 *              gravity, so its derivatives are those of inverse dynamics of the robot on a free base */
#include "function.h"

#include <jounce/edit.h>
#include <string.h>

#include "../dense/vectors.h"

/* ---- frames ---- */

enum { POSITION = 3, ROTATION = 9, TWIST = 6 };

static jn_status create_frames(jn_function *function) {
  int count = function->options.frame_count > 0 ? function->options.frame_count : 1;
  function->options.frame_count = count;
  function->rows[0] = POSITION, function->rows[1] = ROTATION, function->rows[2] = TWIST;
  for (int i = 0; i < 3; i++) function->columns[i] = count;
  return JN_OK;
}

/* First rows of frame i in y: position, rotation, twist. */
typedef struct frame_rows {
  int p, R, V;
} frame_rows;

static frame_rows rows_of(const jn_function *function, int i) {
  int count = function->options.frame_count;
  return (frame_rows){POSITION * i, POSITION * count + ROTATION * i, (POSITION + ROTATION) * count + TWIST * i};
}

static void frames_pattern(jn_function *function) {
  int n = function->nv;
  unsigned char *moves = function->related + n * n;
  memset(function->related, 0, (size_t)(n * n));
  for (int i = 0; i < function->options.frame_count; i++) {
    frame_rows r = rows_of(function, i);
    memset(moves, 0, (size_t)n);
    jn__pattern_support(function->model, jn_frame_link(function->model, function->frames[i]), moves);
    jn__pattern_rows(function, r.p, POSITION, 0, moves);
    jn__pattern_rows(function, r.R, ROTATION, 0, moves);
    for (int in = 0; in < 2; in++) jn__pattern_rows(function, r.V, TWIST, in, moves);
    for (int h = 0; h < n; h++)
      for (int k = 0; k < n && moves[h]; k++) function->related[h * n + k] |= moves[k];
  }
  jn__pattern_hessian(function, 0, 0);
  jn__pattern_hessian(function, 0, 1);
}

/* Columns of the rotation of a pose. */
static void rotation_columns(const double T[16], double R[9]) {
  for (int j = 0; j < 3; j++)
    for (int i = 0; i < 3; i++) R[3 * j + i] = T[4 * i + j];
}

static jn_status frames_value(jn_function *function, double *y) {
  jn_status status = JN_OK;
  for (int i = 0; i < function->options.frame_count && status == JN_OK; i++) {
    frame_rows r = rows_of(function, i);
    double T[16];
    status = jn_frame_pose(function->model, function->work, function->frames[i], function->q, T);
    if (status == JN_OK)
      status = jn_frame_twist(function->model, function->work, function->frames[i], JN_IN_ALIGNED, function->q,
                              function->v, y + r.V);
    for (int k = 0; k < 3 && status == JN_OK; k++) y[r.p + k] = T[4 * k + 3];
    if (status == JN_OK) rotation_columns(T, y + r.R);
  }
  return status;
}

/* Rows of frame i: position by J, columns of the rotation by omega x r_j, twist by q and v. */
static jn_status frame_jacobian(jn_function *function, int i, double *out) {
  int n = function->nv, nt = function->nt;
  double *J = function->scratch, *dV_dq = J + 6 * n, T[16], R[9], rotated[3];
  frame_rows r = rows_of(function, i);

  jn_status status = jn_frame_pose(function->model, function->work, function->frames[i], function->q, T);
  if (status == JN_OK)
    status = jn_frame_jacobian(function->model, function->work, function->frames[i], JN_IN_ALIGNED, function->q, J);
  if (status == JN_OK)
    status = jn_frame_twist_derivatives(function->model, function->work, function->frames[i], JN_IN_ALIGNED,
                                        function->q, function->v, dV_dq);
  if (status != JN_OK) return status;

  /* Column by column. */
  rotation_columns(T, R);
  for (int k = 0; k < n; k++) {
    const double omega[3] = {J[k], J[n + k], J[2 * n + k]};
    for (int a = 0; a < 3; a++) out[(r.p + a) * nt + k] = J[(3 + a) * n + k];
    for (int j = 0; j < 3; j++) {
      cross3(omega, R + 3 * j, rotated);
      for (int a = 0; a < 3; a++) out[(r.R + 3 * j + a) * nt + k] = rotated[a];
    }
    for (int a = 0; a < 6; a++) {
      out[(r.V + a) * nt + k] = dV_dq[a * n + k];
      out[(r.V + a) * nt + n + k] = J[a * n + k];
    }
  }
  return status;
}

static jn_status frames_jacobian(jn_function *function, double *J) {
  jn_status status = JN_OK;
  memset(J, 0, (size_t)(function->mt * function->nt) * sizeof *J);
  for (int i = 0; i < function->options.frame_count && status == JN_OK; i++) status = frame_jacobian(function, i, J);
  return status;
}

/* What the Hessian of one frame needs. */
typedef struct frame_terms {
  double *J, *dJ, *rate, *unit; /* [6 x nv], [nv x 6 x nv], [nv x 6 x nv], [nv] */
  double pose[6], R[9];         /* weights of rotation and position as a wrench */
  const double *turn, *twist;   /* multipliers of the rotation [9] and of the twist [6] */
} frame_terms;

/* The part of rotation and position, and of the twist by q and v. */
static void add_pose_hessian(const jn_function *function, const frame_terms *t, double *g, double *G) {
  int n = function->nv, nt = function->nt;

  /* Gradient: (s, f) . J_k and w . J_k. */
  for (int k = 0; k < n; k++)
    for (int a = 0; a < 6; a++) {
      g[k] += t->pose[a] * t->J[a * n + k];
      g[n + k] += t->twist[a] * t->J[a * n + k];
    }

  /* Hessian: (s, f) . d_h J_k, omega_k . sum (omega_h x r_j) x L_j, and w . d_h J_k by q and v. */
  for (int h = 0; h < n; h++) {
    const double omega[3] = {t->J[h], t->J[n + h], t->J[2 * n + h]};
    double rotated[3], side[3], sum[3] = {0};
    for (int j = 0; j < 3; j++) {
      cross3(omega, t->R + 3 * j, rotated);
      cross3(rotated, t->turn + 3 * j, side);
      for (int a = 0; a < 3; a++) sum[a] += side[a];
    }
    for (int k = 0; k < n; k++) {
      double pose = sum[0] * t->J[k] + sum[1] * t->J[n + k] + sum[2] * t->J[2 * n + k], twist = 0;
      for (int a = 0; a < 6; a++) {
        pose += t->pose[a] * t->dJ[(h * 6 + a) * n + k];
        twist += t->twist[a] * t->dJ[(h * 6 + a) * n + k];
      }
      G[h * nt + k] += pose;
      G[h * nt + n + k] += twist;
      G[(n + k) * nt + h] += twist;
      g[h] += twist * function->v[k];
    }
  }
}

/* twist . d_h d_k J v, with the rate of J along e_k. */
static jn_status add_twist_hessian(const jn_function *function, int frame, const frame_terms *t, double *G) {
  int n = function->nv;
  jn_status status = JN_OK;
  for (int k = 0; k < n && status == JN_OK; k++) {
    memset(t->unit, 0, (size_t)n * sizeof *t->unit);
    t->unit[k] = 1;
    status = jn_frame_jacobian_derivatives(function->model, function->work, frame, JN_IN_ALIGNED, function->q, t->unit,
                                           NULL, t->rate, NULL);
    for (int h = 0; h < n && status == JN_OK; h++)
      for (int a = 0; a < 6; a++)
        for (int j = 0; j < n; j++)
          G[h * function->nt + k] += t->twist[a] * t->rate[(h * 6 + a) * n + j] * function->v[j];
  }
  return status;
}

static jn_status frames_hessian(jn_function *function, const double *lambda, double *g, double *G) {
  int n = function->nv;
  frame_terms t = {.J = function->scratch};
  t.dJ = t.J + 6 * n, t.rate = t.dJ + 6 * n * n, t.unit = t.rate + 6 * n * n;
  jn_status status = JN_OK;
  memset(g, 0, (size_t)function->nt * sizeof *g);
  for (int i = 0; i < function->options.frame_count && status == JN_OK; i++) {
    frame_rows r = rows_of(function, i);
    double T[16], side[3];
    int frame = function->frames[i];
    t.turn = lambda + r.R, t.twist = lambda + r.V;

    /* Pose, Jacobian and its derivatives. */
    status = jn_frame_pose(function->model, function->work, frame, function->q, T);
    if (status == JN_OK)
      status = jn_frame_jacobian(function->model, function->work, frame, JN_IN_ALIGNED, function->q, t.J);
    if (status == JN_OK)
      status = jn_frame_jacobian_derivatives(function->model, function->work, frame, JN_IN_ALIGNED, function->q, NULL,
                                             t.dJ, NULL, NULL);
    if (status != JN_OK) return status;

    /* Multipliers of rotation and position as a wrench (s, f). */
    rotation_columns(T, t.R);
    memset(t.pose, 0, sizeof t.pose);
    for (int j = 0; j < 3; j++) {
      cross3(t.R + 3 * j, t.turn + 3 * j, side);
      for (int a = 0; a < 3; a++) t.pose[a] += side[a];
    }
    for (int a = 0; a < 3; a++) t.pose[3 + a] = lambda[r.p + a];

    add_pose_hessian(function, &t, g, G);
    status = add_twist_hessian(function, frame, &t, G);
  }
  return status;
}

const function_kind_of jn__function_frames = {.in = {"q", "v"},
                                              .out = {"position", "rotation", "twist"},
                                              .create = create_frames,
                                              .pattern = frames_pattern,
                                              .value = frames_value,
                                              .jacobian = frames_jacobian,
                                              .hessian = frames_hessian};

/* ---- momentum ---- */

/* A single link that moves freely, without gravity. */
static jn_status create_base(const jn_options *options, jn_model **base) {
  const double still[3] = {0};
  jn_builder *builder = NULL;
  jn_link link;
  jn_link_init(&link);
  link.name = "base of all";
  link.joint.name = "free base of all";
  link.joint.type = JN_FREE;
  link.inertia[0] = link.inertia[4] = link.inertia[5] = link.inertia[6] = 1;
  jn_status status = jn_builder_create(options, &builder);
  if (status == JN_OK) status = jn_builder_set_gravity(builder, still);
  if (status == JN_OK) status = jn_builder_add_link(builder, &link);
  if (status == JN_OK) status = jn_builder_freeze(builder, base, NULL);
  jn_builder_destroy(builder);
  return status;
}

static jn_status create_momentum(jn_function *function) {
  jn_options options;
  jn_model *base = NULL;
  jn_options_init(&options);
  options.allocator = &function->allocator;
  function->rows[0] = 6, function->rows[1] = 3;
  jn_status status = create_base(&options, &base);
  if (status == JN_OK)
    status = jn_model_attach(base, "base of all", function->model, "robot ", NULL, &options, &function->other, NULL);
  if (status == JN_OK) status = jn_work_create(function->other, &function->other_work);
  jn_model_destroy(base);
  return status;
}

static void momentum_pattern(jn_function *function) {
  jn__pattern_tree(function);
  for (int in = 0; in < 2; in++) jn__pattern_rows(function, 0, 6, in, NULL);
  jn__pattern_rows(function, 6, 3, 0, NULL);
  jn__pattern_hessian(function, 0, 0);
  jn__pattern_hessian(function, 0, 1);
}

static jn_status momentum_value(jn_function *function, double *y) {
  jn_status status = jn_momentum(function->model, function->work, JN_ABOUT_ORIGIN, function->q, function->v, y);
  if (status != JN_OK) return status;
  return jn_center_of_mass(function->model, function->work, JN_WORLD, function->q, NULL, NULL, y + 6, NULL, NULL);
}

static jn_status momentum_jacobian(jn_function *function, double *J) {
  int n = function->nv, nt = function->nt;
  double *dh_dq = function->scratch, *A = dh_dq + 6 * n, *dc_dq = A + 6 * n;
  memset(J, 0, (size_t)(function->mt * nt) * sizeof *J);
  jn_status status =
      jn_momentum_derivative(function->model, function->work, JN_ABOUT_ORIGIN, function->q, function->v, dh_dq);
  if (status == JN_OK) status = jn_momentum_matrix(function->model, function->work, JN_ABOUT_ORIGIN, function->q, A);
  if (status == JN_OK) status = jn_com_jacobian(function->model, function->work, JN_WORLD, function->q, dc_dq);
  for (int k = 0; k < n && status == JN_OK; k++) {
    for (int a = 0; a < 6; a++) J[a * nt + k] = dh_dq[a * n + k], J[a * nt + n + k] = A[a * n + k];
    for (int a = 0; a < 3; a++) J[(6 + a) * nt + k] = dc_dq[a * n + k];
  }
  return status;
}

/* lambda . h by q and q, q and v: rows of the base of the second derivatives of inverse dynamics. */
static jn_status add_momentum_hessian(jn_function *function, const double *lambda, double *G) {
  int n = function->nv, N = n + 6, nt = function->nt;
  size_t tensor = (size_t)N * (size_t)N * (size_t)N;
  double *qq = function->scratch, *qa = qq + tensor, *q = qa + tensor, *a = q + function->nq + 7;

  /* The robot on a free base at rest, accelerating with v. */
  memset(q, 0, 7 * sizeof *q);
  memset(a, 0, 6 * sizeof *a);
  q[6] = 1;
  memcpy(q + 7, function->q, (size_t)function->nq * sizeof *q);
  memcpy(a + 6, function->v, (size_t)n * sizeof *a);
  jn_status status = jn_inverse_dynamics_second_derivatives(function->other, function->other_work, q, NULL, a, NULL,
                                                            JN_IN_BODY, qq, NULL, NULL, qa);

  /* Rows of the base. */
  for (int h = 0; h < n && status == JN_OK; h++)
    for (int k = 0; k < n; k++) {
      double by_q = 0, by_v = 0;
      for (int i = 0; i < 6; i++) {
        by_q += lambda[i] * qq[((6 + h) * N + i) * N + 6 + k];
        by_v += lambda[i] * qa[((6 + h) * N + i) * N + 6 + k];
      }
      G[h * nt + k] += by_q;
      G[h * nt + n + k] += by_v;
      G[(n + k) * nt + h] += by_v;
    }
  return status;
}

/* lambda . c: the velocity of the centre along e_k, differentiated by q. */
static jn_status add_com_hessian(jn_function *function, const double *lambda, double *G) {
  int n = function->nv;
  double *unit = function->scratch, *dcdot_dq = unit + n;
  jn_status status = JN_OK;
  for (int k = 0; k < n && status == JN_OK; k++) {
    memset(unit, 0, (size_t)n * sizeof *unit);
    unit[k] = 1;
    status = jn_center_of_mass_derivatives(function->model, function->work, function->q, unit, NULL, NULL, dcdot_dq,
                                           NULL, NULL);
    for (int h = 0; h < n && status == JN_OK; h++)
      for (int a = 0; a < 3; a++) G[h * function->nt + k] += lambda[a] * dcdot_dq[a * n + h];
  }
  return status;
}

static jn_status momentum_hessian(jn_function *function, const double *lambda, double *g, double *G) {
  jn_status status = momentum_jacobian(function, function->J);
  memset(g, 0, (size_t)function->nt * sizeof *g);
  for (int i = 0; i < function->mt; i++)
    for (int k = 0; k < function->nt; k++) g[k] += lambda[i] * function->J[i * function->nt + k];
  if (status == JN_OK) status = add_momentum_hessian(function, lambda, G);
  if (status == JN_OK) status = add_com_hessian(function, lambda + 6, G);
  return status;
}

const function_kind_of jn__function_momentum = {.in = {"q", "v"},
                                                .out = {"momentum", "com"},
                                                .create = create_momentum,
                                                .pattern = momentum_pattern,
                                                .value = momentum_value,
                                                .jacobian = momentum_jacobian,
                                                .hessian = momentum_hessian};
