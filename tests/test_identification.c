/* SPDX-License-Identifier: BSD-2-Clause */
/* Identification: exact data give exact base parameters; with noise, estimates are within their standard deviations as
 * often as they should be; residuals are orthogonal to the regressor; the consistent set is the minimum it claims to
 * be, is physical for any data, and does not depend on units and frames. */
#include "identification_help.h"

#include "counting.h"

/* ---- Properties ---- */

/* As many base parameters as the structure of the tree says, and three more for each motor with friction and offset. */
static void counts_are_those_of_the_structure(void **state) {
  (void)state;
  static const struct {
    const char *robot;
    int inertial, motors;
  } known[] = {{"builtin:panda", 43, 7}, {"builtin:kuka_iiwa", 43, 7}, {"builtin:humanoid", 227, 31}};
  for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
    jn_model *m;
    jn_status status = jn_load(known[k].robot, NULL, &m, NULL);
    if (status == JN_ERR_UNSUPPORTED) return;
    check_ok(status);
    jn_identification *inertia = identification_of(m, JN_IDENTIFY_INERTIA);
    jn_identification *all =
        identification_of(m, JN_IDENTIFY_INERTIA | JN_IDENTIFY_VISCOUS | JN_IDENTIFY_COULOMB | JN_IDENTIFY_OFFSET);
    int nb = jn_identification_base_count(inertia), more = jn_identification_base_count(all);
    check(nb == known[k].inertial, "%s: %d base parameters, not %d", known[k].robot, nb, known[k].inertial);
    check(more == nb + 3 * known[k].motors, "%s: %d with friction and offsets", known[k].robot, more);
    jn_base *base;
    if (jn_base_create(m, NULL, &base) == JN_OK) {
      check(jn_base_count(base) == nb, "%s: %d by the structure", known[k].robot, jn_base_count(base));
      jn_base_destroy(base);
    }
    jn_identification_destroy(inertia);
    jn_identification_destroy(all);
    jn_model_destroy(m);
  }
}

static void exact_data_give_exact_base_parameters(void **state) {
  (void)state;
  uint64_t s = seed("exact data");
  description d = plain();
  jn_model *truth = make_arm(&d, 0), *start = make_arm(&d, 1);
  data x;
  double b[N];
  make_data(truth, &s, STATES, &x);
  jn_identification *id = identification_of(start, ALL);
  add(id, &x);
  const jn_estimate *e = solve(id, 1e-3);
  true_base(truth, ALL, b);
  check(e->told == e->base_count, "%d of %d are told", e->told, e->base_count);
  double gap = distance(e->base, b, e->base_count, 0);
  check(gap < 1e-9, "base parameters are off by %g", gap);
  /* the consistent set has the same base parameters: exact data outweigh the prior */
  double own[N], error[LINKS], force[LINKS];
  const double *B = jn_identification_base_matrix(id);
  for (int i = 0; i < e->base_count; i++) {
    own[i] = 0;
    for (int k = 0; k < e->count; k++) own[i] += B[i * e->count + k] * e->x[k];
  }
  gap = distance(own, b, e->base_count, 0);
  check(gap < 1e-6, "the consistent set is off by %g", gap);
  check_ok(jn_identification_residuals(id, e->x, error, force, NULL));
  for (int i = 0; i < LINKS; i++) check(error[i] < 1e-6 * force[i], "joint %d is off by %g", i, error[i]);
  /* armature, damping and friction are alone, and so is the model made from them */
  jn_model *found;
  check_ok(jn_identification_model(id, e->x, &found));
  for (int i = 0; i < LINKS; i++) {
    const jn_dof *now = jn_coordinate_dof(found, i), *was = jn_coordinate_dof(truth, i);
    check(fabs(now->damping - was->damping) < 1e-6, "damping %g, not %g", now->damping, was->damping);
    check(fabs(now->friction - was->friction) < 1e-6, "friction %g, not %g", now->friction, was->friction);
  }
  jn_model_destroy(found);
  jn_identification_destroy(id);
  jn_model_destroy(truth);
  jn_model_destroy(start);
}

static void residuals_are_orthogonal_to_the_regressor(void **state) {
  (void)state;
  uint64_t s = seed("orthogonality");
  description d = plain();
  jn_model *truth = make_arm(&d, 0);
  data x;
  make_data(truth, &s, STATES, &x);
  for (int k = 0; k < x.count; k++)
    for (int i = 0; i < LINKS; i++) x.tau[k][i] += 0.3 * normal(&s);
  jn_identification *id = identification_of(truth, ALL);
  add(id, &x);
  const jn_estimate *e = solve(id, 1);
  int n = e->count, nb = e->base_count;
  double Y[LINKS * N], known[LINKS], along[N] = {0}, size[N] = {0}, left = 0;
  jn_work *w;
  check_ok(jn_work_create(truth, &w));
  for (int k = 0; k < x.count; k++) {
    check_ok(jn_identification_regressor(id, w, x.q[k], x.v[k], x.a[k], NULL, Y, known));
    for (int i = 0; i < LINKS; i++) {
      double r = known[i] - x.tau[k][i], weight = 1 / (e->noise[i] * e->noise[i]);
      for (int b = 0; b < nb; b++) r += Y[i * n + jn_identification_base_column(id, b)] * e->base[b];
      left += weight * r * r;
      for (int b = 0; b < nb; b++) {
        double y = Y[i * n + jn_identification_base_column(id, b)];
        along[b] += weight * y * r;
        size[b] += weight * y * y;
      }
    }
  }
  for (int b = 0; b < nb; b++) {
    double cosine = fabs(along[b]) / sqrt(size[b] * left);
    check(cosine < 1e-10, "column %d has the part %g of the residuals", b, cosine);
  }
  jn_work_destroy(w);
  jn_identification_destroy(id);
  jn_model_destroy(truth);
}

/* A motion of four harmonics, 100 samples a second, and its joint forces. */
static void make_motion(const jn_model *m, int rows, double *t, double *q, double *forces) {
  jn_work *w;
  check_ok(jn_work_create(m, &w));
  for (int r = 0; r < rows; r++) {
    double v[LINKS], a[LINKS], loss[LINKS];
    t[r] = 0.01 * r;
    for (int i = 0; i < LINKS; i++) {
      q[r * LINKS + i] = v[i] = a[i] = 0;
      for (int k = 1; k <= 4; k++) {
        double omega = k * (0.8 + 0.17 * i), phase = 1.3 * k + 2.1 * i, size = 0.8 / k;
        q[r * LINKS + i] += size * sin(omega * t[r] + phase);
        v[i] += size * omega * cos(omega * t[r] + phase);
        a[i] -= size * omega * omega * sin(omega * t[r] + phase);
      }
    }
    check_ok(jn_inverse_dynamics(m, w, q + r * LINKS, v, a, NULL, forces + r * LINKS));
    check_ok(jn_loss_forces(m, v, loss));
    for (int i = 0; i < LINKS; i++) forces[r * LINKS + i] += loss[i];
  }
  jn_work_destroy(w);
}

/* 200 noisy repetitions of one experiment through splines and filter; positions too are noisy, a little. */
static void estimates_are_within_their_deviations(void **state) {
  (void)state;
  enum { RUNS = 200, ROWS = 1200 };
  uint64_t s = seed("deviations");
  description d = plain();
  jn_model *truth = make_arm(&d, 0);
  jn_identification *id = identification_of(truth, ALL);
  double b[N], *t = malloc(ROWS * sizeof *t), *q = malloc(ROWS * LINKS * sizeof *q);
  double *clean = malloc(ROWS * LINKS * sizeof *clean), *tau = malloc(ROWS * LINKS * sizeof *tau);
  assert_true(t && q && clean && tau);
  true_base(truth, ALL, b);
  make_motion(truth, ROWS, t, q, clean);
  jn_trajectory *motion;
  check_ok(jn_trajectory_fit(truth, ROWS, t, q, NULL, &motion, NULL));
  jn_measurement how;
  jn_measurement_init(&how);
  how.cutoff = 8;
  int inside[N] = {0}, nb = jn_identification_base_count(id);
  double squares = 0;
  for (int run = 0; run < RUNS; run++) {
    const jn_estimate *e;
    for (int k = 0; k < ROWS * LINKS; k++) tau[k] = clean[k] + (0.5 + k % LINKS) * normal(&s);
    check_ok(jn_trajectory_set_forces(motion, ROWS, t, tau));
    jn_identification_clear(id, 0);
    check_ok(jn_identification_add_trajectory(id, motion, &how));
    check_ok(jn_identification_solve(id, 1, 0, &e));
    for (int i = 0; i < nb; i++) {
      double z = (e->base[i] - b[i]) / e->deviation[i];
      inside[i] += fabs(z) <= 3;
      squares += z * z;
    }
  }
  double spread = sqrt(squares / (RUNS * nb));
  printf("# rms of (estimate - truth) / deviation: %.3f\n", spread);
  for (int i = 0; i < nb; i++) check(inside[i] >= 0.95 * RUNS, "parameter %d: %d of %d", i, inside[i], RUNS);
  check(spread > 0.9 && spread < 1.1, "deviations are off by a factor of %g", spread);
  jn_trajectory_destroy(motion);
  jn_identification_destroy(id);
  jn_model_destroy(truth);
  free(t);
  free(q);
  free(clean);
  free(tau);
}

/* D of all links plus the squares of the others, as the header has it; NaN if a link is not physical. */
static double pseudo_determinant(const double p[10], double P[16]) {
  double h = 0.5 * (p[4] + p[5] + p[6]), A[4][4], det = 1;
  const double rows[16] = {h - p[4], -p[7], -p[8],    p[1], -p[7], h - p[5], -p[9], p[2],
                           -p[8],    -p[9], h - p[6], p[3], p[1],  p[2],     p[3],  p[0]};
  memcpy(P, rows, sizeof rows);
  memcpy(A, rows, sizeof rows);
  for (int i = 0; i < 4; i++) { /* elimination without pivots: positive definite */
    det *= A[i][i];
    for (int r = i + 1; r < 4; r++)
      for (int k = 3; k >= i; k--) A[r][k] -= A[r][i] / A[i][i] * A[i][k];
  }
  return det;
}

static double divergence(const double p[10], const double p0[10]) {
  double P[16], P0[16], det = pseudo_determinant(p, P), det0 = pseudo_determinant(p0, P0), trace = 0, A[4][8];
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 8; k++) A[i][k] = k < 4 ? P0[4 * i + k] : P[4 * i + k - 4];
  for (int i = 0; i < 4; i++) { /* P0^-1 P by Gauss and Jordan */
    double pivot = A[i][i];
    for (int k = 0; k < 8; k++) A[i][k] /= pivot;
    for (int r = 0; r < 4; r++) {
      double by = A[r][i];
      for (int k = 0; k < 8 && r != i; k++) A[r][k] -= by * A[i][k];
    }
  }
  for (int i = 0; i < 4; i++) trace += A[i][4 + i];
  return trace - log(det / det0) - 4;
}

/* The part of the sum that concerns inertias: data and divergence. */
static double cost(jn_identification *id, const jn_estimate *e, const double *x, double w) {
  double error[LINKS], rows[LINKS], sum = 0;
  check_ok(jn_identification_residuals(id, x, error, NULL, rows));
  for (int i = 0; i < LINKS; i++) sum += rows[i] * pow(error[i] / e->noise[i], 2);
  for (int l = 0; l < LINKS; l++) sum += w * divergence(x + 10 * l, jn_identification_prior(id) + 10 * l);
  return sum;
}

static void the_consistent_set_is_the_minimum(void **state) {
  (void)state;
  uint64_t s = seed("minimum");
  description d = plain();
  jn_model *truth = make_arm(&d, 0), *start = make_arm(&d, 1);
  data x;
  const double w = 5;
  make_data(truth, &s, STATES, &x);
  for (int k = 0; k < x.count; k++)
    for (int i = 0; i < LINKS; i++) x.tau[k][i] += 0.5 * normal(&s);
  jn_identification *id = identification_of(start, JN_IDENTIFY_INERTIA);
  add(id, &x);
  const jn_estimate *e = solve(id, w);
  check(e->iterations > 0, "it does not converge");
  double least = cost(id, e, e->x, w), other[N];
  for (int k = 0; k < 300; k++) {
    double size = pow(10, -1 - 3.0 * (k % 10) / 10), coordinates[10];
    memcpy(other, e->x, (size_t)e->count * sizeof *other);
    for (int l = 0; l < LINKS; l++) {
      check_ok(jn_inertia_to_log_cholesky(other + 10 * l, coordinates));
      for (int i = 0; i < 10; i++) coordinates[i] += size * uniform(&s) * (i < 4 ? 1 : 0.1);
      check_ok(jn_inertia_from_log_cholesky(coordinates, other + 10 * l));
    }
    double now = cost(id, e, other, w);
    check(now > least - 1e-9 * least, "a change of %g lowers the sum from %.12g to %.12g", size, least, now);
  }
  jn_identification_destroy(id);
  jn_model_destroy(truth);
  jn_model_destroy(start);
}

/* The limit w -> 0 exists: what the data do not tell is as near to the prior as the data allow. Where rounding hides
 * the prior, that is said. */
static void small_weights_have_a_limit(void **state) {
  (void)state;
  uint64_t s = seed("small weights");
  description d = plain();
  jn_model *truth = make_arm(&d, 0), *start = make_arm(&d, 1);
  data x;
  make_data(truth, &s, STATES, &x);
  for (int k = 0; k < x.count; k++)
    for (int i = 0; i < LINKS; i++) x.tau[k][i] += 0.01 * normal(&s);
  jn_identification *id = identification_of(start, ALL);
  add(id, &x);
  double limit[N];
  const jn_estimate *e = solve(id, 1e-6);
  check(e->iterations > 0, "it does not converge");
  memcpy(limit, e->x, (size_t)e->count * sizeof *limit);
  for (double w = 1e-10; w > 1e-45; w *= 1e-10) {
    e = solve(id, w);
    check(e->iterations > 0 || w < 1e-12, "weight %g does not converge", w);
    for (int k = 0; k < 10 * LINKS && e->iterations > 0; k++)
      check(fabs(e->x[k] - limit[k]) < 1e-3 * (fabs(limit[k]) + 0.1), "weight %g: unknown %d is %g, not %g", w, k,
            e->x[k], limit[k]);
  }
  check(e->iterations < 0, "a weight of 1e-40 is lost in rounding, but it counts as converged");
  x.tau[3][1] = 1e300;
  check(jn_identification_add(id, (size_t)x.count, x.q[0], x.v[0], x.a[0], x.tau[0]) == JN_ERR_MODEL,
        "a force of 1e300 is taken");
  jn_identification_destroy(id);
  jn_model_destroy(truth);
  jn_model_destroy(start);
}

/* Eigenvalues of a symmetric matrix [n x n] on its diagonal, by Jacobi's rotations. */
static void diagonalise(double *G, int n) {
  for (int sweep = 0; sweep < 30; sweep++)
    for (int p = 0; p < n; p++)
      for (int q = p + 1; q < n; q++) {
        double angle = 0.5 * atan2(2 * G[p * n + q], G[q * n + q] - G[p * n + p]), c = cos(angle), s = sin(angle);
        for (int k = 0; k < n; k++) {
          double a = G[p * n + k], b = G[q * n + k];
          G[p * n + k] = c * a - s * b;
          G[q * n + k] = s * a + c * b;
        }
        for (int k = 0; k < n; k++) {
          double a = G[k * n + p], b = G[k * n + q];
          G[k * n + p] = c * a - s * b;
          G[k * n + q] = s * a + c * b;
        }
      }
}

/* Property: the condition number is that of the regressor's own columns, scaled to length 1: sqrt of the ratio of the
 * extreme eigenvalues of their products. */
static void the_condition_is_that_of_the_columns(void **state) {
  (void)state;
  uint64_t s = seed("condition");
  description d = plain();
  jn_model *m = make_arm(&d, 0);
  data x;
  make_data(m, &s, STATES, &x);
  jn_identification *id = identification_of(m, ALL);
  add(id, &x);
  int n = jn_identification_count(id), nb = jn_identification_base_count(id), told;
  double G[N * N] = {0}, Y[LINKS * N], scaled[N * N], noise[LINKS] = {1, 1, 1}, condition, least = INFINITY, most = 0;
  jn_work *work;
  check_ok(jn_work_create(m, &work));
  for (int k = 0; k < x.count; k++) {
    check_ok(jn_identification_regressor(id, work, x.q[k], x.v[k], x.a[k], NULL, Y, NULL));
    for (int r = 0; r < LINKS; r++)
      for (int i = 0; i < nb; i++)
        for (int j = 0; j < nb; j++)
          G[i * nb + j] +=
              Y[r * n + jn_identification_base_column(id, i)] * Y[r * n + jn_identification_base_column(id, j)];
  }
  for (int i = 0; i < nb; i++)
    for (int j = 0; j < nb; j++) scaled[i * nb + j] = G[i * nb + j] / sqrt(G[i * nb + i] * G[j * nb + j]);
  diagonalise(scaled, nb);
  for (int i = 0; i < nb; i++) least = fmin(least, scaled[i * nb + i]), most = fmax(most, scaled[i * nb + i]);
  check_ok(jn_identification_foresee(id, noise, NULL, &told, &condition));
  check(told == nb, "%d of %d are told", told, nb);
  check(fabs(condition / sqrt(most / least) - 1) < 1e-4, "%.9g, not %.9g", condition, sqrt(most / least));
  jn_work_destroy(work);
  jn_identification_destroy(id);
  jn_model_destroy(m);
}

static void any_data_give_a_physical_robot(void **state) {
  (void)state;
  uint64_t s = seed("absurd data");
  description d = plain();
  jn_model *start = make_arm(&d, 1);
  for (int k = 0; k < 12; k++) {
    data x;
    double size = pow(10, 2 * (k % 6) - 4);
    make_data(start, &s, STATES, &x);
    for (int r = 0; r < x.count; r++)
      for (int i = 0; i < LINKS; i++)
        x.tau[r][i] = k < 6 ? size * normal(&s) : k % 2 ? -x.tau[r][i] * size : size * (x.a[r][(i + 1) % LINKS]);
    jn_identification *id = identification_of(start, ALL);
    add(id, &x);
    const jn_estimate *e = solve(id, k % 3 ? -1 : 1);
    jn_model *found;
    jn_options strict;
    jn_options_init(&strict);
    strict.strict = 1;
    for (int l = 0; l < LINKS; l++) check(jn_inertia_is_physical(e->x + 10 * l), "data %d: link %d is no body", k, l);
    for (int i = 10 * LINKS; i < 10 * LINKS + 3 * LINKS; i++)
      check(e->x[i] >= 0, "data %d: unknown %d is %g", k, i, e->x[i]);
    check_ok(jn_identification_model(id, e->x, &found));
    jn_builder *b; /* and it passes the checks of a strict reader */
    jn_model *again;
    jn_error error;
    check_ok(jn_model_thaw(found, &strict, &b));
    jn_status status = jn_builder_freeze(b, &again, &error);
    check(status == JN_OK, "data %d: %s", k, error.text);
    jn_model_destroy(again);
    jn_builder_destroy(b);
    jn_model_destroy(found);
    jn_identification_destroy(id);
  }
  jn_model_destroy(start);
}

/* The same robot in millimetres and in other link frames: the same bodies. */
static void units_and_frames_play_no_part(void **state) {
  (void)state;
  uint64_t s = seed("invariance");
  description one = plain(), other = plain();
  other.unit = 1000;
  for (int l = 0; l < LINKS; l++) random_placement(&s, other.frame[l]);
  jn_model *truth = make_arm(&one, 0), *start = make_arm(&one, 1), *moved = make_arm(&other, 1);
  data x, y;
  make_data(truth, &s, STATES, &x);
  for (int k = 0; k < x.count; k++)
    for (int i = 0; i < LINKS; i++) x.tau[k][i] += 0.5 * normal(&s);
  y = x;
  for (int k = 0; k < x.count; k++)
    for (int i = 0; i < LINKS; i++) y.tau[k][i] *= other.unit * other.unit;
  jn_identification *a = identification_of(start, ALL), *b = identification_of(moved, ALL);
  add(a, &x);
  add(b, &y);
  const jn_estimate *e = solve(a, 3), *f = solve(b, 3);
  for (int l = 0; l < LINKS; l++) {
    double expected[10];
    move_inertia(e->x + 10 * l, other.frame[l], other.unit, expected);
    double gap = distance(f->x + 10 * l, expected, 10, 0);
    check(gap < 1e-6, "link %d is another body, by %g", l, gap);
  }
  for (int i = 10 * LINKS; i < e->count; i++) {
    double gap = fabs(f->x[i] / (other.unit * other.unit) - e->x[i]) / fmax(fabs(e->x[i]), 0.01);
    check(gap < 1e-6, "unknown %d differs by %g", i, gap);
  }
  jn_identification_destroy(a);
  jn_identification_destroy(b);
  jn_model_destroy(truth);
  jn_model_destroy(start);
  jn_model_destroy(moved);
}

static void every_allocation_may_fail(void **state) {
  (void)state;
  uint64_t s = seed("allocations");
  description d = plain();
  jn_model *arm = make_arm(&d, 0);
  data x;
  make_data(arm, &s, STATES, &x);
  counter c = {0};
  const jn_allocator counting = {count_allocate, count_release, &c};
  int done = 0;
  for (int fail_at = 1; !done && fail_at < 5000; fail_at++) {
    jn_identification_options o;
    jn_identification *id;
    const jn_estimate *e;
    jn_identification_options_init(&o);
    o.allocator = &counting;
    o.columns = ALL;
    c = (counter){.fail_at = fail_at};
    jn_status status = jn_identification_create(arm, &o, &id, NULL);
    if (status == JN_OK) status = jn_identification_add(id, (size_t)8, x.q[0], x.v[0], x.a[0], x.tau[0]);
    if (status == JN_OK) status = jn_identification_solve(id, 1, 1, &e);
    check(status == JN_OK || status == JN_ERR_MEMORY, "call %d: %s", fail_at, jn_status_text(status));
    done = c.calls < fail_at;
    jn_identification_destroy(id);
    check(c.live == 0, "call %d: %d blocks are not released", fail_at, c.live);
  }
  check(done, "never without a failure");
  jn_model_destroy(arm);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(counts_are_those_of_the_structure),
      cmocka_unit_test(exact_data_give_exact_base_parameters),
      cmocka_unit_test(residuals_are_orthogonal_to_the_regressor),
      cmocka_unit_test(estimates_are_within_their_deviations),
      cmocka_unit_test(the_consistent_set_is_the_minimum),
      cmocka_unit_test(small_weights_have_a_limit),
      cmocka_unit_test(the_condition_is_that_of_the_columns),
      cmocka_unit_test(any_data_give_a_physical_robot),
      cmocka_unit_test(units_and_frames_play_no_part),
      cmocka_unit_test(every_allocation_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
