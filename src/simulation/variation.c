/* SPDX-License-Identifier: BSD-2-Clause */
/* Derivatives of one step of the explicit methods (runge_kutta.c): first derivatives forwards and backwards, and second
 * derivatives.
 *
 * The step:  stage i is at   u_i = h sum_j a_ij ku_j,   v_i = v0 + h sum_j a_ij kv_j,   q_i = q0 exp(u_i)
 *            with the rates  ku_i = L(u_i) v_i,         kv_i = a(q_i, v_i, tau, pi)
 *            the end is      u = h sum b_i ku_i,        v+ = v0 + h sum b_i kv_i,       q+ = q0 exp(u)
 * Semi-implicit Euler has one stage, and u = h v+.
 *
 * Forwards:  derivatives of all these by all inputs, stage by stage.
 * Backwards: weights lambda of the end become weights of the rates, and at last those of the inputs.
 * Second derivatives, weighted by lambda: the sum over all nonlinear maps of their own second derivatives, weighted by
 * the weight of their result, times the derivatives of their arguments twice. Of a = a(q, v, tau), with y = (da/dtau)^T
 * alpha,   alpha . d2a = y . (d2 forces - d2 inverse dynamics(q, v, a)),   where a changes too.
 *
 *   symbol            meaning                                          size
 *   cu, cq, cv        derivatives of u_i, q_i, v_i by all inputs       nv x inputs
 *   cku, ckv          derivatives of the rates                         nv x inputs
 *   alpha, beta       weights of kv_i and ku_i                         nv
 *   R, Ad, L, Lu      maps of spherical and free joints (group.c)      blocks of 3 x 3 or 6 x 6
 *   X                 derivatives of the end                           2 nv x inputs
 *   E                 derivative of the projection on loops            2 nv x 2 nv
 *   W                 second derivatives over (q, v, a), weighted      3 nv x 3 nv
 *   inputs            q, v, tau (3 nv), then the inertial parameters if they are wanted */
#include "variation.h"

#include <math.h>
#include <string.h>

#include "jounce/derivatives.h"
#include "jounce/regressor.h"

void jn__add_product(int rows, int middle, int columns, double f, const double *A, const double *B, double *C) {
  for (int i = 0; i < rows; i++)
    for (int k = 0; k < middle; k++) {
      double x = f * A[i * middle + k];
      if (x == 0) continue;
      for (int c = 0; c < columns; c++) C[i * columns + c] += x * B[k * columns + c];
    }
}

/* y += A^T x */
static void add_transposed(int rows, int columns, const double *A, const double *x, double *y) {
  for (int i = 0; i < rows; i++)
    for (int c = 0; c < columns; c++) y[c] += A[i * columns + c] * x[i];
}

static void clear(double *x, int count) { memset(x, 0, (size_t)count * sizeof *x); }

static void add(double f, const double *x, int count, double *y) {
  for (int k = 0; k < count && f != 0; k++) y[k] += f * x[k];
}

jn_status jn__vary_parameters(jn_simulator *s, const double *q, const double *v, const double *a, const double *by_tau,
                              double *by_pi) {
  int n = s->nv, np = 10 * s->nlink;
  double *Y = s->variation->weigh;
  jn_status status = jn_regressor(s->model, s->work, q, v, a, Y);
  clear(by_pi, n * np);
  if (status == JN_OK) jn__add_product(n, n, np, -1, by_tau, Y, by_pi);
  if (status == JN_OK && s->options.gravity_compensation) { /* which knows the parameters */
    status = jn_gravity_regressor(s->model, s->work, q, Y);
    jn__add_product(n, n, np, 1, by_tau, Y, by_pi);
  }
  return status;
}

/* ---- forwards ---- */

/* Where stage i is, from the rates of those before; its acceleration and derivatives. */
static jn_status evaluate_stage(jn_simulator *s, const step_tableau *method, int i) {
  step_variation *x = s->variation;
  step_stage *at = &x->stage[i];
  int n = s->nv;
  clear(at->u, n);
  memcpy(at->v, s->v0, (size_t)n * sizeof(double));
  for (int j = 0; j < i; j++) {
    double f = s->length * method->a[6 * i + j];
    jn__simulation_tangent_rate(s, x->stage[j].u, x->stage[j].v, s->z);
    add(f, s->z, n, at->u);
    add(f, x->stage[j].a, n, at->v);
  }
  at->t = s->t0 + method->c[i] * s->length;
  jn_status status = jn_integrate(s->model, s->work, s->q0, at->u, at->q);
  if (status == JN_OK) status = jn__simulation_jacobians(s, at->t, at->q, at->v, at->a);
  size_t square = (size_t)n * (size_t)n * sizeof(double);
  memcpy(at->by_q, s->dq, square);
  memcpy(at->by_v, s->dv, square);
  memcpy(at->by_tau, s->dtau, square);
  jn__group_maps(s, at->u, at->v, &at->maps);
  return status;
}

/* Columns of q before the step, and of v. */
static void start_columns(const jn_simulator *s, double *cq, double *cv) {
  int n = s->nv, N = s->variation->inputs;
  for (int i = 0; i < n; i++) {
    if (cq) cq[i * N + i] += 1;
    if (cv) cv[i * N + n + i] += 1;
  }
}

/* cq = Ad dq0 + R cu */
static void move_columns(const jn_simulator *s, const group_maps *maps, const double *cu, double *cq, double *scratch) {
  int n = s->nv, N = s->variation->inputs;
  clear(cq, n * N);
  clear(scratch, n * N);
  start_columns(s, scratch, NULL);
  jn__group_apply(s, maps->Ad, 1, 1, scratch, N, cq);
  jn__group_apply(s, maps->R, 1, 1, cu, N, cq);
}

void jn__vary_columns(jn_simulator *s, step_stage *at) {
  int n = s->nv, N = s->variation->inputs;
  move_columns(s, &at->maps, at->cu, at->cq, at->ckv);
  clear(at->cku, n * N);
  clear(at->ckv, n * N);
  jn__group_apply(s, at->maps.L, 1, 1, at->cv, N, at->cku);
  jn__group_apply(s, at->maps.Lu, 0, 1, at->cu, N, at->cku);
  jn__add_product(n, n, N, 1, at->by_q, at->cq, at->ckv);
  jn__add_product(n, n, N, 1, at->by_v, at->cv, at->ckv);
  for (int r = 0; r < n; r++) add(1, at->by_tau + r * n, n, at->ckv + r * N + 2 * n);
}

static jn_status vary_stage(jn_simulator *s, const step_tableau *method, int i) {
  step_variation *x = s->variation;
  step_stage *at = &x->stage[i];
  int n = s->nv, N = x->inputs, np = x->parameters;
  clear(at->cu, n * N);
  clear(at->cv, n * N);
  start_columns(s, NULL, at->cv);
  for (int j = 0; j < i; j++) {
    double f = s->length * method->a[6 * i + j];
    add(f, x->stage[j].cku, n * N, at->cu);
    add(f, x->stage[j].ckv, n * N, at->cv);
  }
  jn__vary_columns(s, at);
  if (!np) return JN_OK;
  jn_status status = jn__vary_parameters(s, at->q, at->v, at->a, at->by_tau, x->by_pi);
  for (int r = 0; r < n; r++) add(1, x->by_pi + r * np, np, at->ckv + r * N + 3 * n);
  return status;
}

/* Where the step ends, before loops are closed: end.u, end.v. */
static void end_place(jn_simulator *s, const step_tableau *method) {
  step_variation *x = s->variation;
  int n = s->nv, is_euler = s->options.integrator == JN_SEMI_IMPLICIT_EULER;
  clear(x->end.u, n);
  memcpy(x->end.v, s->v0, (size_t)n * sizeof(double));
  for (int i = 0; i < method->stages; i++) {
    double f = s->length * method->b[i];
    add(f, x->stage[i].a, n, x->end.v);
    jn__simulation_tangent_rate(s, x->stage[i].u, x->stage[i].v, s->z);
    if (!is_euler) add(f, s->z, n, x->end.u);
  }
  if (is_euler) add(s->length, x->end.v, n, x->end.u);
}

/* The end, from all stages: changes of u in end.cu, of v+ in X. */
static void vary_end(jn_simulator *s, const step_tableau *method) {
  step_variation *x = s->variation;
  int n = s->nv, N = x->inputs, is_euler = s->options.integrator == JN_SEMI_IMPLICIT_EULER;
  double *cv = x->X + n * N;
  end_place(s, method);
  clear(x->end.cu, n * N);
  clear(cv, n * N);
  start_columns(s, NULL, cv);
  for (int i = 0; i < method->stages; i++) {
    double f = s->length * method->b[i];
    add(f, x->stage[i].ckv, n * N, cv);
    if (!is_euler) add(f, x->stage[i].cku, n * N, x->end.cu);
  }
  if (is_euler) add(s->length, cv, n * N, x->end.cu);
}

jn_status jn__vary_finish(jn_simulator *s) {
  step_variation *x = s->variation;
  jn__group_maps(s, x->end.u, NULL, &x->end.maps);
  move_columns(s, &x->end.maps, x->end.cu, x->X, x->end.cv);
  if (!s->loops) return JN_OK;
  jn_status status = jn_integrate(s->model, s->work, s->q0, x->end.u, x->end.q);
  return status == JN_OK ? jn__vary_projection(s, x->end.q, x->end.v) : status;
}

jn_status jn__vary_stages(jn_simulator *s) {
  step_tableau method = jn__simulation_tableau(s->options.integrator);
  jn_status status = JN_OK;
  for (int i = 0; i < method.stages && status == JN_OK; i++) {
    status = evaluate_stage(s, &method, i);
    if (status == JN_OK) status = vary_stage(s, &method, i);
  }
  vary_end(s, &method);
  return status == JN_OK ? jn__vary_finish(s) : status;
}

/* ---- backwards ---- */

/* Through the projection of loops and the end: weights of the rates of all stages, and what reaches x at once. */
static void end_back(jn_simulator *s, const step_tableau *method, const double *lambda, double *x) {
  step_variation *w = s->variation;
  int n = s->nv, is_euler = s->options.integrator == JN_SEMI_IMPLICIT_EULER;
  double h = s->length, *weight = w->end.alpha, *of_u = w->end.beta; /* weight: [2 nv] of (q, v) before projection */

  /* Through the projection: E^T lambda. */
  clear(weight, 2 * n);
  if (s->loops)
    add_transposed(2 * n, 2 * n, w->E, lambda, weight);
  else
    memcpy(weight, lambda, 2 * (size_t)n * sizeof *weight);

  /* q+ = q0 exp(u): weights of u and of q0. */
  clear(of_u, n);
  clear(x, 2 * n);
  jn__group_transposed(s, w->end.maps.R, 1, weight, of_u);
  jn__group_transposed(s, w->end.maps.Ad, 1, weight, x);
  if (is_euler) add(h, of_u, n, weight + n);
  add(1, weight + n, n, x + n);

  /* Weights of the rates of all stages. */
  for (int i = 0; i < method->stages; i++) {
    step_stage *at = &w->stage[i];
    clear(at->alpha, n);
    clear(at->beta, n);
    add(h * method->b[i], weight + n, n, at->alpha);
    if (!is_euler) add(h * method->b[i], of_u, n, at->beta);
  }
}

/* Stage i: from weights of its rates to those of its place, and on to the rates of the stages before. */
static jn_status stage_back(jn_simulator *s, const step_tableau *method, int i, double *x, double *tau, double *pi) {
  step_variation *w = s->variation;
  step_stage *at = &w->stage[i];
  int n = s->nv, np = 10 * s->nlink;
  double *of_q = s->x, *of_u = s->y, *of_v = s->z;

  /* kv = a(q, v, tau) and ku = L(u) v: weights of q, v, tau and u. */
  clear(of_q, n), clear(of_u, n), clear(of_v, n), clear(at->torque, n);
  add_transposed(n, n, at->by_q, at->alpha, of_q);
  add_transposed(n, n, at->by_v, at->alpha, of_v);
  add_transposed(n, n, at->by_tau, at->alpha, at->torque);
  jn__group_transposed(s, at->maps.L, 1, at->beta, of_v);
  jn__group_transposed(s, at->maps.Lu, 0, at->beta, of_u);

  /* q = q0 exp(u). */
  jn__group_transposed(s, at->maps.R, 1, of_q, of_u);
  jn__group_transposed(s, at->maps.Ad, 1, of_q, x);
  add(1, of_v, n, x + n);
  if (tau) add(1, at->torque, n, tau);

  /* u and v are sums of the rates of earlier stages. */
  for (int j = 0; j < i; j++) {
    double f = s->length * method->a[6 * i + j];
    add(f, of_u, n, w->stage[j].beta);
    add(f, of_v, n, w->stage[j].alpha);
  }

  /* Parameters: M a + ... = Y pi. */
  if (!pi) return JN_OK;
  jn_status status = jn_regressor(s->model, s->work, at->q, at->v, at->a, w->weigh);
  for (int r = 0; r < n; r++) add(-at->torque[r], w->weigh + r * np, np, pi);
  if (status == JN_OK && s->options.gravity_compensation) {
    status = jn_gravity_regressor(s->model, s->work, at->q, w->weigh);
    for (int r = 0; r < n; r++) add(at->torque[r], w->weigh + r * np, np, pi);
  }
  return status;
}

jn_status jn__vary_back(jn_simulator *s, const double *lambda, double *x, double *tau, double *pi) {
  step_tableau method = jn__simulation_tableau(s->options.integrator);
  jn_status status = JN_OK;
  if (tau) clear(tau, s->nv);
  if (pi) clear(pi, 10 * s->nlink);
  end_back(s, &method, lambda, x);
  for (int i = method.stages - 1; i >= 0 && status == JN_OK; i--) status = stage_back(s, &method, i, x, tau, pi);
  return status;
}

jn_status jn__vary_adjoint(jn_simulator *s, const double *lambda, double *x, double *tau, double *pi) {
  step_tableau method = jn__simulation_tableau(s->options.integrator);
  step_variation *w = s->variation;
  jn_status status = JN_OK;
  for (int i = 0; i < method.stages && status == JN_OK; i++) status = evaluate_stage(s, &method, i);
  if (status != JN_OK) return status;
  end_place(s, &method);
  jn__group_maps(s, w->end.u, NULL, &w->end.maps);
  if (s->loops) status = jn_integrate(s->model, s->work, s->q0, w->end.u, w->end.q);
  if (s->loops && status == JN_OK) status = jn__projection(s, w->end.q, w->end.v);
  return status == JN_OK ? jn__vary_back(s, lambda, x, tau, pi) : status;
}

/* ---- second derivatives ---- */

/* W [3 nv x 3 nv] over (q, v, a) += f y . d2 inverse dynamics. */
static jn_status weigh_dynamics(jn_simulator *s, const step_stage *at, double f) {
  int n = s->nv, w = 3 * n, is_gravity = f > 0;
  size_t cube = (size_t)n * (size_t)n * (size_t)n;
  double *qq = s->variation->tensor, *qv = qq + cube, *vv = qv + cube, *qa = vv + cube, *W = s->variation->W;
  const double *wrench = s->options.wrench && !is_gravity ? s->wrench : NULL;
  const double *v = is_gravity ? NULL : at->v, *a = is_gravity ? NULL : at->a;
  jn_status status = JN_OK;
  if (wrench) status = s->options.wrench(s->options.context, at->t, 0, s->wrench);
  if (status == JN_OK)
    status =
        jn_inverse_dynamics_second_derivatives(s->model, s->work, at->q, v, a, wrench, JN_IN_BODY, qq,
                                               is_gravity ? NULL : qv, is_gravity ? NULL : vv, is_gravity ? NULL : qa);
  for (int g = 0; g < n && status == JN_OK; g++)
    for (int i = 0; i < n; i++)
      for (int k = 0; k < n; k++) {
        double y = f * at->torque[i];
        int e = (g * n + i) * n + k;
        W[g * w + k] += y * qq[e] / 2; /* in exponential coordinates: the mean of both orders */
        W[k * w + g] += y * qq[e] / 2;
        if (is_gravity) continue;
        W[g * w + n + k] += y * qv[e];
        W[(n + k) * w + g] += y * qv[e];
        W[(n + g) * w + n + k] += y * vv[e];
        W[g * w + 2 * n + k] += y * qa[e];
        W[(2 * n + k) * w + g] += y * qa[e];
      }
  return status;
}

/* H += (cq, cv, ca)^T W (cq, cv, ca); the first 3 nv columns of each. */
static void add_weighed(jn_simulator *s, const step_stage *at, double *H) {
  int n = s->nv, w = 3 * n, N = s->variation->inputs;
  double *Z = s->variation->weigh, *WZ = Z + w * w;
  for (int i = 0; i < n; i++)
    for (int c = 0; c < w; c++) {
      Z[i * w + c] = at->cq[i * N + c];
      Z[(n + i) * w + c] = at->cv[i * N + c];
      Z[(2 * n + i) * w + c] = at->ckv[i * N + c];
    }
  clear(WZ, w * w);
  jn__add_product(w, w, w, 1, s->variation->W, Z, WZ);
  for (int k = 0; k < w; k++)
    for (int a = 0; a < w; a++) add(Z[k * w + a], WZ + k * w, w, H + a * w);
}

/* The leading 3 nv columns of a matrix of all inputs. */
static const double *leading(const jn_simulator *s, const double *X, double *scratch) {
  int n = s->nv, w = 3 * n, N = s->variation->inputs;
  if (N == w) return X;
  for (int i = 0; i < n; i++) memcpy(scratch + i * w, X + i * N, (size_t)w * sizeof *scratch);
  return scratch;
}

static jn_status stage_twice(jn_simulator *s, step_stage *at, double *H) {
  int n = s->nv, w = 3 * n;
  double *W = s->variation->W, *start = s->variation->weigh, *scratch = start + 4 * n * w,
         speed = s->options.friction_speed;
  clear(W, w * w);
  jn_status status = weigh_dynamics(s, at, -1);
  if (status == JN_OK && s->options.gravity_compensation) status = weigh_dynamics(s, at, 1);
  for (int i = 0; i < n; i++) { /* friction v / sqrt(v^2 + s^2), twice differentiated */
    double r = hypot(at->v[i], speed);
    if (s->friction[i] == 0) continue;
    W[(n + i) * w + n + i] += 3 * at->torque[i] * s->friction[i] * (speed / r) * (speed / r) * at->v[i] / (r * r * r);
  }
  if (status != JN_OK) return status;
  add_weighed(s, at, H);
  clear(start, n * w);
  for (int i = 0; i < n; i++) start[i * w + i] = 1;
  clear(s->x, n);
  add_transposed(n, n, at->by_q, at->alpha, s->x);
  const double *cu = leading(s, at->cu, start + n * w), *cku = leading(s, at->cku, start + 2 * n * w);
  jn__group_second_point(s, at->u, &at->maps, s->x, start, cu, w, scratch, H);
  jn__group_second_rate(s, at->u, at->v, &at->maps, at->beta, cu, cku, w, H);
  return JN_OK;
}

jn_status jn__vary_twice(jn_simulator *s, const double *lambda, double *H) {
  step_tableau method = jn__simulation_tableau(s->options.integrator);
  step_variation *x = s->variation;
  int n = s->nv, w = 3 * n;
  double *start = x->weigh, *scratch = start + 4 * n * w;
  jn_status status = JN_OK;
  clear(H, w * w);
  for (int i = 0; i < method.stages && status == JN_OK; i++) status = stage_twice(s, &x->stage[i], H);
  clear(start, n * w);
  for (int i = 0; i < n; i++) start[i * w + i] = 1;
  const double *cu = leading(s, x->end.cu, start + n * w);
  jn__group_second_point(s, x->end.u, &x->end.maps, lambda, start, cu, w, scratch, H);
  return status;
}
