/* SPDX-License-Identifier: BSD-2-Clause */
/* Fourier motions that start and end at rest, and what they use of the limits. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "excite.h"

static const double pi = 3.14159265358979323846;

static double *numbers(size_t count) {
  double *x = allocate((count + 1) * sizeof *x);
  memset(x, 0, (count + 1) * sizeof *x);
  return x;
}

/* Base parameters of the identification that the motion is for: inertias, viscous and Coulomb friction, offsets. */
static void find_columns(excitation *x) {
  jn_identification_options options;
  jn_identification *d = NULL;
  jn_identification_options_init(&options);
  options.threads = 1;
  if (jn_identification_create(x->model, &options, &d, NULL) != JN_OK) return;
  int inertial = jn_identification_count(d) - 3 * x->nv, nb = jn_identification_base_count(d);
  x->column = allocate((size_t)nb * sizeof *x->column);
  for (int i = 0; i < nb; i++) {
    int unknown = jn_identification_base_column(d, i);
    x->column[i] = unknown < inertial ? 10 * jn_identification_link(d, unknown) + unknown % 10
                                      : 10 * x->links + unknown - inertial;
  }
  jn_identification_destroy(d);
  x->nb = nb;
}

void excitation_init(excitation *x, const jn_model *model, int harmonics, double duration) {
  *x = (excitation){.model = model, .nv = jn_model_nv(model), .harmonics = harmonics, .duration = duration};
  size_t nv = (size_t)x->nv;
  x->samples = 16 * harmonics;
  x->links = jn_link_count(model);
  find_columns(x);
  size_t states = (size_t)x->samples * nv, wide = states * 10 * (size_t)x->links, nb = (size_t)x->nb;
  double **const arrays[] = {&x->limits.low,      &x->limits.high,
                             &x->limits.velocity, &x->limits.acceleration,
                             &x->limits.effort,   &x->limits.effort_rate,
                             &x->middle,          &x->half,
                             &x->speed,           &x->weight};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) *arrays[i] = numbers(nv);
  double **const many[] = {&x->q, &x->v, &x->a, &x->shifted, &x->dq, &x->dv, &x->da};
  for (size_t i = 0; i < sizeof many / sizeof *many; i++) *many[i] = numbers(states);
  x->pi = numbers(10 * (size_t)x->links);
  x->Y = numbers(wide);
  x->Y2 = numbers(wide);
  x->G = numbers(wide);
  x->Yb = numbers(states * nb);
  x->solved = numbers(states * nb);
  x->M = numbers(nb * nb);
  jn_parameters(model, x->pi);
  if (jn_batch_create(model, -1, 1, &x->batch) != JN_OK || jn_work_create_order(model, 1, &x->work) != JN_OK) x->nb = 0;
}

void excitation_free(excitation *x) {
  double *const arrays[] = {x->limits.low,
                            x->limits.high,
                            x->limits.velocity,
                            x->limits.acceleration,
                            x->limits.effort,
                            x->limits.effort_rate,
                            x->middle,
                            x->half,
                            x->speed,
                            x->weight,
                            x->q,
                            x->v,
                            x->a,
                            x->shifted,
                            x->dq,
                            x->dv,
                            x->da,
                            x->pi,
                            x->Y,
                            x->Y2,
                            x->G,
                            x->Yb,
                            x->solved,
                            x->M};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) free(arrays[i]);
  free(x->column);
  jn_batch_destroy(x->batch);
  jn_work_destroy(x->work);
}

int excitation_count(const excitation *x) { return x->nv * (2 * x->harmonics + 1); }

double excitation_time(const excitation *x, int sample) { return x->duration * (sample + 0.5) / x->samples; }

void excitation_at(const excitation *x, const double *z, double t, double *q, double *v, double *a) {
  int n = x->harmonics;
  double w = 2 * pi / x->duration;
  for (int i = 0; i < x->nv; i++, z += 2 * n + 1) {
    q[i] = x->middle[i] + x->half[i] * z[0];
    v[i] = a[i] = 0;
    for (int k = 1; k <= n; k++) {
      double c = cos(k * w * t), s = sin(k * w * t), size = x->speed[i];
      q[i] += size / (k * w) * (z[k] * c + z[n + k] * s);
      v[i] += size * (z[n + k] * c - z[k] * s);
      a[i] -= size * k * w * (z[k] * c + z[n + k] * s);
    }
  }
}

void excitation_pull_back(const excitation *x, double *gradient) {
  int n = x->harmonics;
  double w = 2 * pi / x->duration;
  memset(gradient, 0, (size_t)excitation_count(x) * sizeof *gradient);
  for (int r = 0; r < x->samples; r++) {
    double t = excitation_time(x, r);
    double *to = gradient;
    for (int i = 0; i < x->nv; i++, to += 2 * n + 1) {
      size_t at = (size_t)r * (size_t)x->nv + (size_t)i;
      to[0] += x->half[i] * x->dq[at];
      for (int k = 1; k <= n; k++) {
        double c = cos(k * w * t), s = sin(k * w * t), size = x->speed[i];
        to[k] += size * (x->dq[at] * c / (k * w) - x->dv[at] * s - x->da[at] * k * w * c);
        to[n + k] += size * (x->dq[at] * s / (k * w) + x->dv[at] * c - x->da[at] * k * w * s);
      }
    }
  }
}

/* v(0) ~ sum of the sines, a(0) ~ sum of k times the cosines. */
void excitation_project(const excitation *x, double *z) {
  int n = x->harmonics;
  for (int i = 0; i < x->nv; i++, z += 2 * n + 1) {
    double sines = 0, cosines = 0, squares = 0;
    for (int k = 1; k <= n; k++) sines += z[n + k], cosines += k * z[k], squares += (double)k * k;
    for (int k = 1; k <= n; k++) {
      z[n + k] -= sines / n;
      z[k] -= k * cosines / squares;
    }
  }
}

void excitation_shares(const excitation *x, const double *z, double *shares) {
  enum { TIMES = 2000 };
  size_t nv = (size_t)x->nv;
  double *q = numbers(6 * nv), *jet = q + nv, *tau = jet + 3 * nv, step = 1e-4;
  const excite_limits *l = &x->limits;
  memset(shares, 0, EXCITE_SHARES * sizeof *shares);
  for (int r = 0; r < TIMES; r++) {
    double t = x->duration * r / TIMES;
    excitation_at(x, z, t + step, q, tau, jet + 2 * nv);
    excitation_at(x, z, t - step, q, tau, tau + nv);
    for (size_t i = 0; i < nv; i++) jet[2 * nv + i] = (jet[2 * nv + i] - tau[nv + i]) / (2 * step); /* jerk */
    excitation_at(x, z, t, q, jet, jet + nv);
    if (jn_inverse_dynamics_jet(x->model, x->work, 1, q, jet, NULL, tau) != JN_OK) break;
    for (int i = 0; i < x->nv; i++) {
      double half = 0.5 * (l->high[i] - l->low[i]);
      shares[0] = fmax(shares[0], fabs(q[i] - 0.5 * (l->high[i] + l->low[i])) / half);
      shares[1] = fmax(shares[1], fabs(jet[i]) / l->velocity[i]);
      shares[2] = fmax(shares[2], fabs(jet[nv + (size_t)i]) / l->acceleration[i]);
      shares[3] = fmax(shares[3], fabs(tau[i]) / l->effort[i]);
      shares[4] = fmax(shares[4], fabs(tau[nv + (size_t)i]) / l->effort_rate[i]);
    }
  }
  free(q);
}

/* All that moves smaller, and its middle nearer to the middle of the range. */
static void shrink(const excitation *x, double *z, double by) {
  for (int k = 0; k < excitation_count(x); k++) z[k] *= by;
}

bool excitation_tame(excitation *x, double *z) {
  for (int k = 0; k < 200; k++) {
    double s[EXCITE_SHARES], motion;
    excitation_shares(x, z, s);
    motion = fmax(s[0], fmax(s[1], s[2]));
    if (motion <= 1 && s[3] <= 1 && s[4] <= 1) return true;
    if (motion > 1) {
      shrink(x, z, fmax(0.5, 0.999 / motion));
      continue;
    }
    /* slower: the same path, with speeds that are less */
    double by = 1.05;
    x->duration *= by;
    for (int i = 0; i < x->nv; i++) x->speed[i] /= by;
    if (k > 60) shrink(x, z, 0.9); /* it is the weight in these postures */
  }
  return false;
}
