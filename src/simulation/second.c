/* SPDX-License-Identifier: BSD-2-Clause */
/* Second derivatives of a step where there is no closed form (taylor, rodas, loops, forces of the user that depend on
 * the state): differences of order 4 of the gradient of
 *   f(z) = lambda . (x+(x (+) z) (-) x+(x)),
 * which is exact. Steps for one z:
 *   1  move the start to x (+) z; with loops, project it on the conditions
 *   2  make the step again, as long as it was
 *   3  weights lambda of x+ (-) x+(x) become weights of changes at x+
 *   4  the adjoint of the step gives weights at the moved start
 *   5  these become weights of z, through the projection and through x (+) z */
#include <math.h>
#include <string.h>

#include "variation.h"

typedef struct second_scratch {
  double *q0, *v0, *q, *v, *q_low, *v_low; /* the step that is differentiated */
  double *tau;                             /* [nv] constant forces in it */
  double *z, *moved_q, *moved_v;           /* [nv], [nq], [nv] */
  double *lambda, *gradient, *before;      /* [2 nv], [3 nv], [2 nv] */
  double *D, *E;                           /* [nv x nv], [2 nv x 2 nv] */
} second_scratch;

size_t jn__second_scratch_size(int nq, int nv) {
  size_t q = (size_t)nq, n = (size_t)nv;
  return 3 * q + 14 * n + 5 * n * n;
}

static second_scratch place_scratch(const jn_simulator *s, double *at) {
  int nq = s->nq, n = s->nv;
  second_scratch r;
  double **const parts[] = {&r.q0, &r.q,       &r.moved_q, &r.v0,     &r.v,        &r.q_low, &r.v_low, &r.tau,
                            &r.z,  &r.moved_v, &r.lambda,  &r.before, &r.gradient, &r.D,     &r.E};
  const int sizes[] = {nq, nq, nq, n, n, n, n, n, n, n, 2 * n, 2 * n, 3 * n, n * n, 4 * n * n};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    *parts[i] = at;
    at += sizes[i];
  }
  return r;
}

static void copy(double *to, const double *from, int count) { memcpy(to, from, (size_t)count * sizeof *to); }

/* y = A^T x, A [n x n] */
static void transposed(int n, const double *A, const double *x, double *y) {
  memset(y, 0, (size_t)n * sizeof *y);
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++) y[k] += A[i * n + k] * x[i];
}

/* The step again, as long as it was, from the state that the simulator has. */
static jn_status repeat(jn_simulator *s, const jn_simulator *was) {
  s->t = was->t0;
  s->t_low = 0;
  s->has_a = 0;
  s->next = was->length;
  memset(s->q_low, 0, (size_t)s->nv * sizeof(double));
  memset(s->v_low, 0, (size_t)s->nv * sizeof(double));
  double until = was->t0 + was->length;
  jn_status status = jn_simulator_step(s, until);
  return status == JN_OK && s->t < until ? JN_ERR_STEP : status;
}

/* r->gradient: of f by z at r->z; r->moved_v and s->drive are set. */
static jn_status gradient(jn_simulator *s, const jn_simulator *was, const second_scratch *r, const double *lambda) {
  int n = s->nv;

  /* 1 */
  jn_status status = jn_integrate(s->model, s->work, r->q0, r->z, r->moved_q);
  copy(s->q, r->moved_q, s->nq);
  copy(s->v, r->moved_v, n);
  if (status == JN_OK && s->loops) {
    status = jn__simulation_project(s);
    if (status == JN_OK) status = jn__projection(s, r->moved_q, r->moved_v);
    copy(r->E, s->variation->E, 4 * n * n);
  }

  /* 2, 3 */
  if (status == JN_OK) status = repeat(s, was);
  if (status == JN_OK) status = jn_difference_derivatives(s->model, s->work, r->q, s->q, NULL, r->D);
  if (status != JN_OK) return status;
  transposed(n, r->D, lambda, r->lambda);
  copy(r->lambda + n, lambda + n, n);

  /* 4, 5 */
  status = jn_simulator_adjoint(s, r->lambda, r->gradient, r->gradient + 2 * n, NULL);
  if (s->loops) {
    copy(r->before, r->gradient, 2 * n);
    transposed(2 * n, r->E, r->before, r->gradient);
  }
  if (status == JN_OK) status = jn_integrate_derivatives(s->model, s->work, r->q0, r->z, NULL, r->D);
  copy(r->before, r->gradient, n);
  transposed(n, r->D, r->before, r->gradient);
  return status;
}

/* Row c of H: differences along input c. */
static jn_status row(jn_simulator *s, const jn_simulator *was, const second_scratch *r, const double *lambda, int c,
                     double *H) {
  int n = s->nv, w = 3 * n, i = c % n;
  double size = c < n ? 1 : fmax(1, fabs(c < 2 * n ? r->v0[i] : r->tau[i])), e = 1e-3 * size;
  for (int k = 0; k < n; k++)
    if (s->friction[k] != 0) e = fmin(e, 0.02 * s->options.friction_speed);
  jn_status status = JN_OK;
  memset(H, 0, (size_t)w * sizeof *H);
  for (int k = -2; k <= 2 && status == JN_OK; k++) {
    if (k == 0) continue;
    double weight = (k * k == 1 ? 8 : -1) * (k < 0 ? -1 : 1) / (12 * e);
    memset(r->z, 0, (size_t)n * sizeof *r->z);
    copy(r->moved_v, r->v0, n);
    copy(s->drive, r->tau, n);
    *(c < n ? &r->z[i] : c < 2 * n ? &r->moved_v[i] : &s->drive[i]) += k * e;
    status = gradient(s, was, r, lambda);
    for (int j = 0; j < w; j++) H[j] += weight * r->gradient[j];
  }
  return status;
}

jn_status jn__vary_twice_by_differences(jn_simulator *s, const double *lambda, double *H) {
  int n = s->nv, w = 3 * n;
  jn_simulator was = *s;
  second_scratch r = place_scratch(s, s->variation->second);
  copy(r.q0, s->q0, s->nq), copy(r.v0, s->v0, n), copy(r.q, s->q, s->nq), copy(r.v, s->v, n);
  copy(r.q_low, s->q_low, n), copy(r.v_low, s->v_low, n);
  memset(r.tau, 0, (size_t)n * sizeof *r.tau);
  if (s->acting) copy(r.tau, s->acting, n);
  s->options.tau = s->drive;
  s->options.step = was.length;
  s->options.next_break = NULL;
  s->options.limits = JN_LIMITS_IGNORE;
  s->options.watch_count = 0;
  s->is_fixed = 1;
  jn_status status = JN_OK;
  for (int c = 0; c < w && status == JN_OK; c++) status = row(s, &was, &r, lambda, c, H + c * w);
  for (int i = 0; i < w; i++)
    for (int k = 0; k < i; k++) H[i * w + k] = H[k * w + i] = (H[i * w + k] + H[k * w + i]) / 2;
  copy(s->q, r.q0, s->nq), copy(s->v, r.v0, n), copy(s->drive, r.tau, n); /* once more, for its continuous output */
  jn_status again = repeat(s, &was);
  copy(s->q, r.q, s->nq), copy(s->v, r.v, n), copy(s->q0, r.q0, s->nq), copy(s->v0, r.v0, n);
  copy(s->q_low, r.q_low, n), copy(s->v_low, r.v_low, n);
  *s = was;
  return status == JN_OK ? again : status;
}
