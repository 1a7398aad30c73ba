/* SPDX-License-Identifier: BSD-2-Clause */
/* Motions that start and end at rest, Fourier series or splines, and what they use of the limits. */
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

/* Base parameters of the identification that the motion is for: all that jounce identify looks for. */
static void find_columns(excitation *x) {
  jn_identification_options options;
  jn_identification *d = NULL;
  jn_identification_options_init(&options);
  options.columns |= JN_IDENTIFY_ROTOR;
  options.threads = 1;
  if (jn_identification_create(x->model, &options, &d, NULL) != JN_OK) return;
  int inertial = jn_identification_count(d) - 4 * x->nv, nb = jn_identification_base_count(d);
  x->column = allocate((size_t)nb * sizeof *x->column);
  for (int i = 0; i < nb; i++) {
    int unknown = jn_identification_base_column(d, i);
    x->column[i] = unknown < inertial ? 10 * jn_identification_link(d, unknown) + unknown % 10
                                      : 10 * x->links + unknown - inertial;
  }
  jn_identification_destroy(d);
  x->nb = nb;
}

/* ---- The functions that motions are made of ---- */

/* A model with one coordinate "q". */
static jn_model *one_joint(void) {
  jn_builder *b;
  jn_model *m = NULL;
  jn_link link;
  jn_link_init(&link);
  link.name = "q";
  link.joint.name = "q";
  link.joint.type = JN_PRISMATIC;
  link.joint.axis[0] = 1;
  if (jn_builder_create(NULL, &b) != JN_OK) return NULL;
  if (jn_builder_add_link(b, &link) == JN_OK) jn_builder_freeze(b, &m, NULL);
  jn_builder_destroy(b);
  return m;
}

/* The curve through inner point k, from 0 to 1, as a file would have it. */
static jn_trajectory *curve_through(const jn_model *one, int points, int k) {
  char *text = format_text("{\"duration\": 1, \"joints\": {\"q\": {\"minimum_snap\": {\"points\": [0");
  for (int i = 1; i <= points + 1; i++) {
    char *more = format_text("%s, %d", text, i == k + 1);
    free(text);
    text = more;
  }
  for (int i = 0; i <= points + 1; i++) {
    char *more = format_text("%s%s%.17g", text, i ? ", " : "], \"times\": [", i / (points + 1.0));
    free(text);
    text = more;
  }
  char *whole = format_text("%s]}}}}", text);
  jn_trajectory *curve = NULL;
  jn_trajectory_load_text(one, whole, strlen(whole), "spline", NULL, &curve, NULL);
  free(text);
  free(whole);
  return curve;
}

static bool make_curves(excitation *x) {
  bool fine = true;
  if (x->points == 0) return true;
  jn_model *one = one_joint();
  x->curves = allocate((size_t)x->points * sizeof *x->curves);
  for (int k = 0; k < x->points; k++) {
    x->curves[k] = one ? curve_through(one, x->points, k) : NULL;
    fine = fine && x->curves[k];
  }
  x->one = one;
  return fine;
}

/* Sizes of f_k at which speeds are about one. */
static double shape(const excitation *x, int k) {
  return x->points ? 0.5 / (x->points + 1) : 1 / (2 * pi * (k % x->harmonics + 1));
}

/* f_k and three derivatives at u, phi [4 x terms]. */
static void functions_at(const excitation *x, double u, double *phi) {
  for (int k = 0; k < x->terms; k++) {
    double f[4];
    if (x->points) {
      jn_trajectory_evaluate(x->curves[k], u, 1, f, f + 1);
    } else { /* cosines, then sines: a sine is a cosine a quarter of a turn later */
      double w = 2 * pi * (k % x->harmonics + 1), phase = w * u - (k < x->harmonics ? 0 : pi / 2), size = 1;
      for (int order = 0; order < 4; order++, size *= w) f[order] = size * cos(phase + order * pi / 2);
    }
    for (int order = 0; order < 4; order++) phi[order * x->terms + k] = shape(x, k) * f[order];
  }
}

/* ---- Beginning and end ---- */

static void make_arrays(excitation *x) {
  size_t nv = (size_t)x->nv, nb = (size_t)x->nb;
  size_t states = (size_t)x->samples * nv, wide = states * 10 * (size_t)x->links, terms = (size_t)x->terms;
  const struct {
    double **array;
    size_t count;
  } all[] = {{&x->limits.low, nv},
             {&x->limits.high, nv},
             {&x->limits.velocity, nv},
             {&x->limits.acceleration, nv},
             {&x->limits.jerk, nv},
             {&x->limits.effort, nv},
             {&x->limits.effort_rate, nv},
             {&x->middle, nv},
             {&x->half, nv},
             {&x->speed, nv},
             {&x->weight, nv},
             {&x->q, states},
             {&x->v, states},
             {&x->a, states},
             {&x->j, states},
             {&x->shifted, states},
             {&x->dq, states},
             {&x->dv, states},
             {&x->da, states},
             {&x->dj, states},
             {&x->pi, 10 * (size_t)x->links},
             {&x->Y, wide},
             {&x->Y2, wide},
             {&x->G, wide},
             {&x->Yb, states * nb},
             {&x->M, nb * nb},
             {&x->GM, nb * nb},
             {&x->powers, 6 * nb * nb},
             {&x->D, 8 * nv * nv},
             {&x->phi, (size_t)x->samples * 4 * terms},
             {&x->fine, EXCITE_TIMES * 4 * terms}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) *all[i].array = numbers(all[i].count);
}

void excitation_init(excitation *x, const jn_model *model, int harmonics, int points, double duration) {
  *x = (excitation){.model = model, .nv = jn_model_nv(model), .harmonics = harmonics, .duration = duration};
  x->points = points;
  x->terms = points ? points : 2 * harmonics;
  x->samples = points ? 8 * (points + 1) : 16 * harmonics;
  x->links = jn_link_count(model);
  find_columns(x);
  make_arrays(x);
  if (!make_curves(x)) x->nb = 0;
  for (int r = 0; r < x->samples && x->nb; r++)
    functions_at(x, (r + 0.5) / x->samples, x->phi + (size_t)r * 4 * (size_t)x->terms);
  for (int r = 0; r < EXCITE_TIMES && x->nb; r++)
    functions_at(x, (double)r / EXCITE_TIMES, x->fine + (size_t)r * 4 * (size_t)x->terms);
  jn_parameters(model, x->pi);
  if (jn_batch_create(model, -1, 1, &x->batch) != JN_OK || jn_work_create_order(model, 1, &x->work) != JN_OK) x->nb = 0;
}

void excitation_free(excitation *x) {
  double *const arrays[] = {x->limits.low,
                            x->limits.high,
                            x->limits.velocity,
                            x->limits.acceleration,
                            x->limits.jerk,
                            x->limits.effort,
                            x->limits.effort_rate,
                            x->middle,
                            x->half,
                            x->speed,
                            x->weight,
                            x->q,
                            x->v,
                            x->a,
                            x->j,
                            x->shifted,
                            x->dq,
                            x->dv,
                            x->da,
                            x->dj,
                            x->pi,
                            x->Y,
                            x->Y2,
                            x->G,
                            x->Yb,
                            x->M,
                            x->GM,
                            x->powers,
                            x->D,
                            x->phi,
                            x->fine};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) free(arrays[i]);
  for (int k = 0; k < x->points && x->curves; k++) jn_trajectory_destroy(x->curves[k]);
  free(x->curves);
  jn_model_destroy(x->one);
  free(x->column);
  jn_batch_destroy(x->batch);
  jn_work_destroy(x->work);
}

int excitation_count(const excitation *x) { return x->nv * (x->terms + 1); }

double excitation_time(const excitation *x, int sample) { return x->duration * (sample + 0.5) / x->samples; }

/* ---- At a time ---- */

/* Derivatives by t are those by u over T^order. */
static void combine(const excitation *x, const double *z, const double *phi, double *q, double *v, double *a,
                    double *j) {
  double *const to[4] = {q, v, a, j};
  for (int i = 0; i < x->nv; i++, z += x->terms + 1) {
    double size = x->speed[i] * x->duration;
    for (int order = 0; order < 4; order++, size /= x->duration) {
      double sum = 0;
      for (int k = 0; k < x->terms; k++) sum += phi[order * x->terms + k] * z[1 + k];
      to[order][i] = size * sum + (order == 0 ? x->middle[i] + x->half[i] * z[0] : 0);
    }
  }
}

void excitation_at(const excitation *x, const double *z, double t, double *q, double *v, double *a, double *j) {
  double *phi = numbers(4 * (size_t)x->terms);
  functions_at(x, t / x->duration, phi);
  combine(x, z, phi, q, v, a, j);
  free(phi);
}

void excitation_samples(excitation *x, const double *z) {
  for (int r = 0; r < x->samples; r++) {
    size_t at = (size_t)r * (size_t)x->nv;
    combine(x, z, x->phi + (size_t)r * 4 * (size_t)x->terms, x->q + at, x->v + at, x->a + at, x->j + at);
  }
}

void excitation_pull_back(const excitation *x, double *gradient) {
  const double *const from[4] = {x->dq, x->dv, x->da, x->dj};
  memset(gradient, 0, (size_t)excitation_count(x) * sizeof *gradient);
  for (int r = 0; r < x->samples; r++) {
    const double *phi = x->phi + (size_t)r * 4 * (size_t)x->terms;
    double *to = gradient;
    for (int i = 0; i < x->nv; i++, to += x->terms + 1) {
      size_t at = (size_t)r * (size_t)x->nv + (size_t)i;
      double size = x->speed[i] * x->duration;
      to[0] += x->half[i] * x->dq[at];
      for (int order = 0; order < 4; order++, size /= x->duration)
        for (int k = 0; k < x->terms; k++) to[1 + k] += size * from[order][at] * phi[order * x->terms + k];
    }
  }
}

/* v(0) ~ sum of the sines, a(0) ~ sum of k times the cosines; splines rest at their ends. */
void excitation_project(const excitation *x, double *z) {
  int n = x->harmonics;
  for (int i = 0; i < x->nv && n > 0; i++, z += 2 * n + 1) {
    double sines = 0, cosines = 0, squares = 0;
    for (int k = 1; k <= n; k++) sines += z[n + k], cosines += k * z[k], squares += (double)k * k;
    for (int k = 1; k <= n; k++) {
      z[n + k] -= sines / n;
      z[k] -= k * cosines / squares;
    }
  }
}

/* ---- Limits ---- */

void excitation_shares(const excitation *x, const double *z, double *shares) {
  size_t nv = (size_t)x->nv;
  double *q = numbers(6 * nv), *jet = q + nv, *tau = jet + 3 * nv;
  const excite_limits *l = &x->limits;
  memset(shares, 0, EXCITE_SHARES * sizeof *shares);
  for (int r = 0; r < EXCITE_TIMES; r++) {
    combine(x, z, x->fine + (size_t)r * 4 * (size_t)x->terms, q, jet, jet + nv, jet + 2 * nv);
    if (jn_inverse_dynamics_jet(x->model, x->work, 1, q, jet, NULL, tau) != JN_OK) break;
    for (int i = 0; i < x->nv; i++) {
      double half = 0.5 * (l->high[i] - l->low[i]);
      shares[0] = fmax(shares[0], fabs(q[i] - 0.5 * (l->high[i] + l->low[i])) / half);
      shares[1] = fmax(shares[1], fabs(jet[i]) / l->velocity[i]);
      shares[2] = fmax(shares[2], fabs(jet[nv + (size_t)i]) / l->acceleration[i]);
      shares[3] = fmax(shares[3], fabs(tau[i]) / l->effort[i]);
      shares[4] = fmax(shares[4], fabs(tau[nv + (size_t)i]) / l->effort_rate[i]);
      shares[5] = fmax(shares[5], fabs(jet[2 * nv + (size_t)i]) / l->jerk[i]);
    }
  }
  free(q);
}

/* All that moves smaller, and its middle nearer to the middle of the range. */
static void shrink(const excitation *x, double *z, double by) {
  for (int k = 0; k < excitation_count(x); k++) z[k] *= by;
}

bool excitation_tame(excitation *x, double *z) {
  /* Between two of the times, an oscillation of w rises above its values there by (w h)^2 / 8 of its size at most: of
   * 20 harmonics 0.0005, and of efforts, which are up to twice as fast, 0.002. */
  const double motion_most = 1 - 5e-4, effort_most = 1 - 2e-3;
  for (int k = 0; k < 200; k++) {
    double s[EXCITE_SHARES], motion;
    excitation_shares(x, z, s);
    motion = fmax(fmax(s[0], s[1]), fmax(s[2], s[5]));
    if (motion <= motion_most && s[3] <= effort_most && s[4] <= effort_most) return true;
    if (motion > motion_most) {
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
