/* SPDX-License-Identifier: BSD-2-Clause */
/* The two Coriolis matrices by their properties: both give C v and make dM/dt - 2 C skew-symmetric; that of Christoffel
 * symbols against the symbols themselves, from dM/dq and the brackets of the joints' groups (Koszul's formula). */
#include "reference.h"

enum { MODELS = 120 };

typedef struct state {
  jn_model *m;
  jn_work *w;
  int n;
  double q[80], v[MOST_V];
} state;

static void begin(state *x, jn_model *m, uint64_t *s) {
  x->m = m;
  x->n = jn_model_nv(m);
  check_ok(jn_work_create(m, &x->w));
  check_ok(jn_random(m, s, x->q));
  fill(s, x->v, x->n, 1);
}

static void check_passive(const state *x, const double *C, const double *dM, const double *c, const char *which) {
  int n = x->n;
  double size = 10 + norm(dM, n * n);
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int j = 0; j < n; j++) {
      double skew = dM[i * n + j] - C[i * n + j] - C[j * n + i], zero = 0;
      sum += C[i * n + j] * x->v[j];
      check_close(&skew, &zero, 1, size, 2000, "%s: dM/dt - 2C is skew", which);
    }
    check_close(&sum, &c[i], 1, size * x->n, 1000, "%s: C v", which);
  }
}

static void both_are_passive_and_give_the_same_forces(void **st) {
  (void)st;
  uint64_t s = seed("passive");
  int other = 0;
  for (int i = 0; i < MODELS; i++) {
    state x;
    begin(&x, random_tree(&s, 2 + i % 13), &s);
    static double C[MOST_V * MOST_V], dM[MOST_V * MOST_V], first[MOST_V * MOST_V];
    double c[MOST_V];
    check_ok(jn_mass_matrix_rate(x.m, x.w, x.q, x.v, dM));
    check_ok(jn_coriolis_forces(x.m, x.w, x.q, x.v, c));
    check_ok(jn_coriolis_matrix(x.m, x.w, x.q, x.v, C));
    check_passive(&x, C, dM, c, "C");
    memcpy(first, C, sizeof C);
    check_ok(jn_coriolis_matrix_christoffel(x.m, x.w, x.q, x.v, C));
    check_passive(&x, C, dM, c, "C by Christoffel symbols");
    other += distance(C, first, x.n * x.n, 1) > 1e-3;
    check_ok(jn_coriolis_matrix_christoffel(x.m, x.w, x.q, NULL, C));
    check(norm(C, x.n * x.n) == 0, "at rest there is none");
    release(x.m, x.w);
  }
  check(other > MODELS / 2, "they differ on %d of %d trees", other, MODELS);
}

/* [X_a, X_b] of coordinates of one spherical or free joint, as velocities `out` [6] of it: twists (w, v) in the body.
 */
static void joint_bracket(int nv, int a, int b, double *out) {
  double A[6] = {0}, B[6] = {0};
  A[a] = B[b] = 1;
  memset(out, 0, 6 * sizeof *out);
  for (int k = 0; k < 3; k++) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    out[k] = A[i] * B[j] - A[j] * B[i];
    if (nv == 6) out[3 + k] = A[3 + i] * B[j] - A[3 + j] * B[i] + A[i] * B[3 + j] - A[j] * B[3 + i];
  }
}

/* L [n x n x n]: <[X_a, X_b], X_c> in the metric of kinetic energy without armature. */
static void lie_brackets(const state *x, const double *M, double *L) {
  int n = x->n;
  memset(L, 0, sizeof *L * (size_t)(n * n * n));
  for (int j = 0; j < jn_link_count(x->m); j++) {
    jn_joint_type type = jn_joint_type_of(x->m, j);
    int nv = jn_joint_nv(x->m, j), first = jn_joint_v(x->m, j);
    if (type != JN_SPHERICAL && type != JN_FREE) continue;
    for (int a = 0; a < nv; a++)
      for (int b = 0; b < nv; b++) {
        double out[6];
        joint_bracket(nv, a, b, out);
        for (int c = 0; c < n; c++)
          for (int e = 0; e < nv; e++) {
            double armature = first + e == c ? jn_joint_description(x->m, j)->dof[e].armature : 0;
            L[((first + a) * n + first + b) * n + c] += out[e] * (M[(first + e) * n + c] - armature);
          }
      }
  }
}

/* 2 <nabla_{X_k} X_j, X_i> = X_k M_ij + X_j M_ik - X_i M_jk + <[X_k, X_j], X_i> - <[X_j, X_i], X_k> + <[X_i, X_k], X_j>
 */
static void its_entries_are_christoffel_symbols(void **st) {
  (void)st;
  uint64_t s = seed("Christoffel");
  static double M[MOST_V * MOST_V], C[MOST_V * MOST_V], expected[MOST_V * MOST_V];
  static double D[MOST_V * MOST_V * MOST_V], L[MOST_V * MOST_V * MOST_V];
  for (int t = 0; t < MODELS; t++) {
    state x;
    begin(&x, random_tree(&s, 2 + t % 9), &s);
    int n = x.n;
#define DM(i, j, k) D[((k)*n + (i)) * n + (j)]
#define LB(a, b, c) L[((a)*n + (b)) * n + (c)]
    check_ok(jn_mass_matrix(x.m, x.w, x.q, M));
    check_ok(jn_mass_matrix_derivative(x.m, x.w, x.q, D));
    lie_brackets(&x, M, L);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        expected[i * n + j] = 0;
        for (int k = 0; k < n; k++)
          expected[i * n + j] +=
              0.5 * x.v[k] * (DM(i, j, k) + DM(i, k, j) - DM(j, k, i) + LB(k, j, i) - LB(j, i, k) + LB(i, k, j));
      }
    check_ok(jn_coriolis_matrix_christoffel(x.m, x.w, x.q, x.v, C));
    check_close(C, expected, n * n, 10 + norm(D, n * n * n) + norm(M, n * n), 4000, "symbols of tree %d", t);
#undef DM
#undef LB
    release(x.m, x.w);
  }
}

/* With rates of coordinates, C is half of the derivative of C v by v, exactly: C v is quadratic, so its central
 * difference over any step is the derivative. */
static void it_is_half_of_the_derivative_by_velocity(void **st) {
  (void)st;
  uint64_t s = seed("half of dtau/dv");
  static double C[MOST_V * MOST_V], half[MOST_V * MOST_V];
  int tried = 0;
  for (int t = 0; t < 4 * MODELS && tried < MODELS; t++) {
    state x;
    begin(&x, random_tree(&s, 2 + t % 5), &s);
    int n = x.n, quasi = 0;
    for (int j = 0; j < jn_link_count(x.m); j++)
      quasi += jn_joint_type_of(x.m, j) == JN_SPHERICAL || jn_joint_type_of(x.m, j) == JN_FREE;
    for (int k = 0; k < n && !quasi; k++) {
      double c[2][MOST_V], v[MOST_V];
      for (int side = 0; side < 2; side++) {
        memcpy(v, x.v, sizeof v);
        v[k] += side ? 1 : -1;
        check_ok(jn_coriolis_forces(x.m, x.w, x.q, v, c[side]));
      }
      for (int i = 0; i < n; i++) half[i * n + k] = (c[1][i] - c[0][i]) / 4;
    }
    check_ok(jn_coriolis_matrix_christoffel(x.m, x.w, x.q, x.v, C));
    if (!quasi) check_close(C, half, n * n, 10 + norm(half, n * n), 2000, "half of dtau/dv");
    tried += !quasi;
    release(x.m, x.w);
  }
  check(tried > 20, "only %d trees without quasi-velocities", tried);
}

/* Two bars in a plane, by hand: h = -m2 l1 c2 sin q2. */
static void two_bars_have_the_matrix_of_the_textbooks(void **st) {
  (void)st;
  uint64_t s = seed("two bars");
  const double l1 = 0.8, c2 = 0.35, m2 = 1.7;
  jn_builder *b;
  jn_model *m;
  check_ok(jn_builder_create(NULL, &b));
  for (int i = 0; i < 2; i++) {
    jn_link l;
    jn_link_init(&l);
    l.name = i ? "second" : "first";
    l.parent = i ? "first" : NULL;
    l.placement[3] = i ? l1 : 0;
    l.joint.type = JN_REVOLUTE;
    jn_inertia_pack(i ? m2 : 2.5, (const double[]){i ? c2 : 0.3, 0, 0}, (const double[]){0.1, 0.2, 0.25, 0, 0, 0},
                    l.inertia);
    check_ok(jn_builder_add_link(b, &l));
  }
  check_ok(jn_builder_freeze(b, &m, NULL));
  jn_builder_destroy(b);
  for (int i = 0; i < 50; i++) {
    state x = {.m = m, .n = 2};
    double C[4], ours[4];
    check_ok(jn_work_create(m, &x.w));
    fill(&s, x.q, 2, 3);
    fill(&s, x.v, 2, 2);
    double h = -m2 * l1 * c2 * sin(x.q[1]);
    check_ok(jn_coriolis_matrix_christoffel(m, x.w, x.q, x.v, C));
    check_close(C, ((const double[]){h * x.v[1], h * (x.v[0] + x.v[1]), -h * x.v[0], 0}), 4, 1, 64, "C of two bars");
    check_ok(jn_coriolis_matrix(m, x.w, x.q, x.v, ours)); /* in a plane there is no difference */
    check_close(ours, C, 4, 1, 64, "the other C of two bars");
    jn_work_destroy(x.w);
  }
  jn_model_destroy(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(both_are_passive_and_give_the_same_forces),
                                     cmocka_unit_test(its_entries_are_christoffel_symbols),
                                     cmocka_unit_test(it_is_half_of_the_derivative_by_velocity),
                                     cmocka_unit_test(two_bars_have_the_matrix_of_the_textbooks)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
