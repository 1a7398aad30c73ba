/* SPDX-License-Identifier: BSD-2-Clause */
/* One step of the explicit methods, in the tangent space of the configuration where the step begins (Munthe-Kaas 1998):
 *   q = q0 (+) u,   u' = dexp^-1(u) v,   v' = a(t, q0 (+) u, v)
 * Stage i of a method with the coefficients c, a, b is at
 *   u_i = h sum_j a_ij ku_j,   v_i = v0 + h sum_j a_ij kv_j,   t_i = t0 + c_i h
 * with the rates ku_i = u' and kv_i = v' there; the end has b in place of a_i. Methods: euler (semi-implicit: u = h
 * v+), rk4 (classical, order 4), dopri5 (Dormand and Prince, order 5(4), with its own continuous output).
 *
 * Errors e of a step are measured relative to the tolerance: max(|e_u|, |e_v| / largest speed) / tolerance, at most 1
 * in a good step. The length of the next step follows from the errors of this and the last one (a PI controller). */
#include <float.h>
#include <math.h>
#include <string.h>

#include "jounce/lie.h"
#include "variation.h"

void jn__simulation_tangent_rate(const jn_simulator *s, const double *u, const double *v, double *du) {
  memcpy(du, v, (size_t)s->nv * sizeof *du);
  for (int g = 0; g < s->groups; g++) {
    double L[36];
    int iv = s->group[g].iv, n = s->group[g].is_free ? 6 : 3;
    if (n == 6)
      jn_se3_dexp_right_inverse(u + iv, L);
    else
      jn_so3_dexp_right_inverse(u + iv, L);
    for (int i = 0; i < n; i++) {
      du[iv + i] = 0;
      for (int j = 0; j < n; j++) du[iv + i] += L[n * i + j] * v[iv + j];
    }
  }
}

/* ---- step sizes ---- */

/* max over coordinates of (|eu|, |ev| / largest speed) / tolerance. */
double jn__simulation_share(const jn_simulator *s, const double *eu, const double *ev, const double *v) {
  double speed = 1, most = 0;
  for (int i = 0; i < s->nv; i++) speed = fmax(speed, fmax(fabs(v[i]), fabs(s->v0[i])));
  for (int i = 0; i < s->nv; i++) {
    double x = fmax(fabs(eu[i]), fabs(ev[i]) / speed);
    if (!isfinite(eu[i]) || !isfinite(ev[i])) return INFINITY;
    most = fmax(most, x);
  }
  return most / s->options.tolerance;
}

double jn__simulation_first_step(jn_simulator *s, int order) {
  double rate = 1e-3;
  for (int i = 0; i < s->nv; i++) rate = fmax(rate, fmax(fabs(s->v[i]), sqrt(fabs(s->a[i]))));
  return s->options.step > 0 ? s->options.step : 0.3 * pow(s->options.tolerance, 1.0 / order) / rate;
}

int jn__simulation_accept(jn_simulator *s, double h, double error, int order) {
  /* h_next = 0.9 h error^(-0.7/p) error_before^(0.4/p), within 0.2 h ... 5 h. */
  double factor =
      isfinite(error) ? 0.9 * pow(fmax(error, 1e-8), -0.7 / order) * pow(fmax(s->error, 1e-4), 0.4 / order) : 0.2;
  if (error > 1) factor = fmin(0.9, factor);
  s->next = h * fmax(0.2, fmin(factor, 5));
  if (s->options.largest_step > 0) s->next = fmin(s->next, s->options.largest_step);

  /* Steps of fixed length are accepted whatever their error. */
  if (error <= 1 || (s->is_fixed && isfinite(error))) {
    s->error = error;
    return 1;
  }
  s->report.rejected++;
  return 0;
}

/* The length to try: h, or all that is left when that is not much more; JN_ERR_STEP when time does not advance. */
jn_status jn__simulation_length(jn_simulator *s, double h, double longest, double *length) {
  *length = h >= longest || longest - h < 1e-9 * h ? longest : h;
  if (*length > 4 * DBL_EPSILON * fabs(s->t) && *length > 0) return JN_OK;
  double most = -1;
  for (int i = 0; i < s->nv; i++) {
    if (fabs(s->a[i]) <= most) continue;
    most = fabs(s->a[i]);
    s->report.joint = jn_coordinate_joint(s->model, i, NULL);
  }
  return JN_ERR_STEP;
}

/* ---- continuous output ---- */

/* y(x) = r0 + x (r1 + (1-x) (r2 + x (r3 + (1-x) r4))), 0 <= x <= 1 */
static void hermite(const double *y0, const double *k0, const double *y1, const double *k1, double h, int n,
                    double *r) {
  for (int i = 0; i < n; i++) {
    double start = y0 ? y0[i] : 0, whole = y1[i] - start, bend = h * k0[i] - whole;
    r[i] = start;
    r[n + i] = whole;
    r[2 * n + i] = bend;
    r[3 * n + i] = whole - h * k1[i] - bend;
    r[4 * n + i] = 0;
  }
}

void jn__simulation_hermite(jn_simulator *s, double h, const double *u, const double *du, const double *v,
                            const double *dv) {
  hermite(NULL, s->v0, u, du, h, s->nv, s->dense_u);
  hermite(s->v0, s->a0, v, dv, h, s->nv, s->dense_v);
}

/* ---- stages ---- */

/* Rates at stage i, which is at u, v (memory of the caller). */
static jn_status stage(jn_simulator *s, double t, int i, const double *u, const double *v) {
  jn_status status = jn_integrate(s->model, s->work, s->q0, u, s->qy);
  if (status != JN_OK) return status;
  jn__simulation_tangent_rate(s, u, v, s->ku + i * s->nv);
  return jn__simulation_acceleration(s, t, s->qy, v, s->kv + i * s->nv);
}

/* u, v = start + h sum_j weight_j k_j */
static void combine(const jn_simulator *s, double h, const double *weight, int count, double *u, double *v) {
  int n = s->nv;
  for (int i = 0; i < n; i++) {
    double sum_u = 0, sum_v = 0;
    for (int j = 0; j < count; j++) {
      sum_u += weight[j] * s->ku[j * n + i];
      sum_v += weight[j] * s->kv[j * n + i];
    }
    u[i] = h * sum_u;
    v[i] = s->v0[i] + h * sum_v;
  }
}

jn_status jn__simulation_first_stage(jn_simulator *s) {
  jn_status status = jn__simulation_here(s);
  memcpy(s->a0, s->a, (size_t)s->nv * sizeof(double));
  memcpy(s->ku, s->v, (size_t)s->nv * sizeof(double));
  memcpy(s->kv, s->a, (size_t)s->nv * sizeof(double));
  return status;
}

jn_status jn__simulation_end_cubic(jn_simulator *s, double h, double *u, const double *v) {
  jn_status status = jn_integrate(s->model, s->work, s->q0, u, s->q);
  memcpy(s->v, v, (size_t)s->nv * sizeof(double));
  s->step = h;
  s->has_a = 0;

  /* With loops, the end is projected on the conditions. */
  if (status == JN_OK && s->loops) {
    status = jn__simulation_project(s);
    if (status == JN_OK) status = jn_difference(s->model, s->work, s->q0, s->q, u);
  }

  /* The acceleration there, which the next step begins with, and the polynomials between. */
  double now = s->t;
  s->t += h;
  if (status == JN_OK) status = jn__simulation_here(s);
  s->t = now;
  jn__simulation_tangent_rate(s, u, s->v, s->z);
  jn__simulation_hermite(s, h, u, s->z, s->v, s->a);
  return status;
}

/* ---- methods ---- */

jn_status jn__simulation_euler(jn_simulator *s, double longest) {
  double h, *u = s->ku + s->nv, *v = s->kv + s->nv;
  jn_status status = jn__simulation_first_stage(s);
  if (status == JN_OK) status = jn__simulation_length(s, s->options.step, longest, &h);
  if (status != JN_OK) return status;
  for (int i = 0; i < s->nv; i++) {
    v[i] = s->v0[i] + h * s->a0[i];
    u[i] = h * v[i];
  }
  return jn__simulation_end_cubic(s, h, u, v);
}

static const double rk4_a[4][6] = {{0}, {0.5}, {0, 0.5}, {0, 0, 1}}, rk4_b[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
static const double rk4_c[4] = {0, 0.5, 0.5, 1};

jn_status jn__simulation_rk4(jn_simulator *s, double longest) {
  double h, *u = s->ku + 5 * s->nv, *v = s->kv + 5 * s->nv;
  jn_status status = jn__simulation_first_stage(s);
  if (status == JN_OK) status = jn__simulation_length(s, s->options.step, longest, &h);
  for (int i = 1; i < 4 && status == JN_OK; i++) {
    combine(s, h, rk4_a[i], i, u, v);
    status = stage(s, s->t + rk4_c[i] * h, i, u, v);
  }
  if (status != JN_OK) return status;
  combine(s, h, rk4_b, 4, u, v);
  return jn__simulation_end_cubic(s, h, u, v);
}

static const double dp_c[7] = {0, 0.2, 0.3, 0.8, 8.0 / 9, 1, 1};
static const double dp_a[7][6] = {
    {0},
    {0.2},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84},
};
static const double dp_e[7] = {71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
static const double dp_d[7] = {-12715105075.0 / 11282082432.0,  0,
                               87487479700.0 / 32700410799.0,   -10690763975.0 / 1880347072.0,
                               701980252875.0 / 199316789632.0, -1453857185.0 / 822651844.0,
                               69997945.0 / 29380423.0};

/* The errors of u and v, into s->x and s->y. */
static double dp_error(jn_simulator *s, double h, const double *v) {
  int n = s->nv;
  for (int i = 0; i < n; i++) {
    s->x[i] = s->y[i] = 0;
    for (int j = 0; j < 7; j++) {
      s->x[i] += h * dp_e[j] * s->ku[j * n + i];
      s->y[i] += h * dp_e[j] * s->kv[j * n + i];
    }
  }
  return jn__simulation_share(s, s->x, s->y, v);
}

static void dp_dense(jn_simulator *s, double h, const double *u, const double *v) {
  int n = s->nv;
  jn__simulation_hermite(s, h, u, s->ku + 6 * n, v, s->kv + 6 * n);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 7; j++) {
      s->dense_u[4 * n + i] += h * dp_d[j] * s->ku[j * n + i];
      s->dense_v[4 * n + i] += h * dp_d[j] * s->kv[j * n + i];
    }
}

jn_status jn__simulation_dormand_prince(jn_simulator *s, double longest) {
  double h, *u = s->ku + 7 * s->nv, *v = s->kv + 7 * s->nv;
  jn_status status = jn__simulation_first_stage(s);
  if (s->next == 0 && status == JN_OK) s->next = jn__simulation_first_step(s, 5);
  while (status == JN_OK) {
    /* All stages; the last one is at the end of the step. */
    status = jn__simulation_length(s, s->next, longest, &h);
    for (int i = 1; i < 7 && status == JN_OK; i++) {
      combine(s, h, dp_a[i], i, u, v);
      status = stage(s, s->t + dp_c[i] * h, i, u, v);
    }

    /* Again, shorter, if the error is too large. */
    double wanted = s->next;
    if (status != JN_OK || !jn__simulation_accept(s, h, dp_error(s, h, v), 5)) continue;
    if (h < wanted) s->next = fmax(s->next, wanted); /* it was cut by `longest`, not by its error */

    /* The end. */
    dp_dense(s, h, u, v);
    memcpy(s->q, s->qy, (size_t)s->nq * sizeof(double));
    memcpy(s->v, v, (size_t)s->nv * sizeof(double));
    memcpy(s->a, s->kv + 6 * s->nv, (size_t)s->nv * sizeof(double));
    jn__simulation_keep_acceleration(s);
    s->step = h;
    return s->loops ? jn__simulation_project(s) : JN_OK;
  }
  return status;
}

step_tableau jn__simulation_tableau(jn_integrator integrator) {
  static const double zero[6], one[1] = {1};
  if (integrator == JN_RUNGE_KUTTA_4) return (step_tableau){4, rk4_c, rk4_a[0], rk4_b};
  if (integrator == JN_DORMAND_PRINCE)
    return (step_tableau){6, dp_c, dp_a[0], dp_a[6]}; /* the seventh is the next first */
  return (step_tableau){1, zero, zero, one};
}
