/* SPDX-License-Identifier: BSD-2-Clause */
/* Dynamics of random trees of every joint type: closed-form sums, inverse and forward dynamics, factors, rates, losses,
 * singular systems. */
#include "dynamics_help.h"

static void compare_with_sums(state *x, reference *r) {
  int n = x->nv;
  double M[MOST_V * MOST_V], C[MOST_V * MOST_V], dM[MOST_V * MOST_V], g[MOST_V], tau[MOST_V], expected[MOST_V * MOST_V];
  double h[6], energy[2], com[3], e[2] = {r->kinetic, r->potential + spring_energy(x->m, x->q)};
  check_ok(jn_mass_matrix(x->m, x->w, x->q, M));
  for (int i = 0; i < n * n; i++) expected[i] = r->M[i / n][i % n];
  check_close(M, expected, n * n, 1, 500, "M = sum J^T I J (6a)");
  check_ok(jn_coriolis_matrix(x->m, x->w, x->q, x->v, C));
  for (int i = 0; i < n * n; i++) expected[i] = r->C[i / n][i % n];
  check_close(C, expected, n * n, norm(M, n * n), 2000, "C of (6b)");
  check_ok(jn_mass_matrix_rate(x->m, x->w, x->q, x->v, dM));
  for (int i = 0; i < n * n; i++) expected[i] += r->C[i % n][i / n];
  check_close(dM, expected, n * n, norm(M, n * n), 2000, "dM/dt = C + C^T");
  check_ok(jn_gravity_forces(x->m, x->w, x->q, g));
  check_close(g, r->g, n, 10, 500, "g of (6c)");
  for (int i = 0; i < n; i++) {
    expected[i] = r->g[i];
    for (int k = 0; k < n; k++) expected[i] += r->M[i][k] * x->a[k] + r->C[i][k] * x->v[k];
    for (int l = 0; l < x->nlink; l++)
      for (int c = 0; c < 6; c++) expected[i] -= r->J[l][c][i] * x->W[6 * l + c];
  }
  add_spring_forces(x->m, x->q, NULL, 0, expected);
  check_ok(jn_inverse_dynamics(x->m, x->w, x->q, x->v, x->a, x->W, tau));
  check_close(tau, expected, n, 50, 1000, "tau = M a + C v + g + springs - sum J^T W");
  check_ok(jn_energy(x->m, x->w, x->q, x->v, energy));
  check_close(energy, e, 2, 10, 500, "energies");
  check_ok(jn_momentum(x->m, x->w, JN_ABOUT_ORIGIN, x->q, x->v, h));
  check_close(h, r->momentum, 6, 10, 500, "momentum about the origin");
  if (r->mass > 0) {
    check_ok(jn_center_of_mass(x->m, x->w, JN_WORLD, x->q, x->v, x->a, com, NULL, NULL));
    check_close(com, r->com, 3, 1, 500, "centre of mass");
    check(fabs(r->mass - jn_model_mass(x->m)) < 1e-12, "mass");
  }
}

static void matrices_are_the_closed_form_sums(void **st) {
  (void)st;
  uint64_t s = seed("closed form");
  static reference r;
  for (int i = 0; i < MODELS; i++) {
    state x;
    begin(&x, &s, i);
    compute_reference(x.m, x.w, x.q, x.v, &r);
    compare_with_sums(&x, &r);
    release(x.m, x.w);
  }
}

static void mass_matrix_is_symmetric_positive_definite(void **st) {
  (void)st;
  uint64_t s = seed("M");
  for (int i = 0; i < MODELS; i++) {
    state x;
    double M[MOST_V * MOST_V], L[MOST_V][MOST_V] = {{0}};
    begin(&x, &s, i);
    int n = x.nv;
    check_ok(jn_mass_matrix(x.m, x.w, x.q, M));
    for (int r = 0; r < n; r++)
      for (int c = 0; c <= r; c++) { /* Cholesky */
        check(M[r * n + c] == M[c * n + r], "exactly symmetric");
        double sum = M[r * n + c];
        for (int k = 0; k < c; k++) sum -= L[r][k] * L[c][k];
        check(r != c || sum > 0, "pivot %d is %g", r, sum);
        L[r][c] = r == c ? sqrt(sum) : sum / L[c][c];
      }
    release(x.m, x.w);
  }
}

static void forward_undoes_inverse_and_hybrid_has_both_as_limits(void **st) {
  (void)st;
  uint64_t s = seed("FD(ID)");
  for (int i = 0; i < MODELS; i++) {
    state x;
    begin(&x, &s, i);
    int n = x.nv;
    double M[MOST_V * MOST_V], inverse[MOST_V * MOST_V], tau[MOST_V], a[MOST_V], ah[MOST_V], th[MOST_V];
    unsigned char given[MOST_V];
    if (n == 0) {
      release(x.m, x.w);
      continue;
    }
    check_ok(jn_mass_matrix(x.m, x.w, x.q, M));
    check_ok(jn_mass_matrix_inverse(x.m, x.w, x.q, inverse));
    double k = condition(M, inverse, n), size = norm(x.a, n);
    check_ok(jn_inverse_dynamics(x.m, x.w, x.q, x.v, x.a, x.W, tau));
    check_ok(jn_forward_dynamics(x.m, x.w, x.q, x.v, tau, x.W, a));
    double loss = 200 * k * (1 + norm(tau, n) / 10);
    check_close(a, x.a, n, size, loss, "FD(ID(a)) = a, condition %g", k);
    memset(given, 0, sizeof given);
    check_ok(jn_hybrid_dynamics(x.m, x.w, given, x.q, x.v, NULL, tau, x.W, ah, th));
    check_close(ah, a, n, size, 4, "hybrid without prescribed coordinates is forward");
    check_close(th, tau, n, 1, 1, "and keeps the forces");
    memset(given, 1, sizeof given);
    check_ok(jn_hybrid_dynamics(x.m, x.w, given, x.q, x.v, x.a, NULL, x.W, ah, th));
    check_close(th, tau, n, 50, 1000, "hybrid with all prescribed is inverse");
    for (int c = 0; c < n; c++) given[c] = uniform(&s) > 0; /* any subset, also within one joint */
    check_ok(jn_hybrid_dynamics(x.m, x.w, given, x.q, x.v, x.a, tau, x.W, ah, th));
    check_close(ah, x.a, n, size, loss, "hybrid: accelerations");
    check_close(th, tau, n, norm(tau, n), loss, "hybrid: forces");
    release(x.m, x.w);
  }
}

static void inverse_and_factors_belong_to_the_mass_matrix(void **st) {
  (void)st;
  uint64_t s = seed("M^-1");
  for (int i = 0; i < MODELS; i++) {
    state x;
    begin(&x, &s, i);
    int n = x.nv;
    double M[MOST_V * MOST_V], inverse[MOST_V * MOST_V], E[MOST_V * MOST_V], one[MOST_V * MOST_V], f[MOST_V * MOST_V];
    double y[MOST_V], back[MOST_V];
    check_ok(jn_mass_matrix(x.m, x.w, x.q, M));
    check_ok(jn_mass_matrix_inverse(x.m, x.w, x.q, inverse));
    mat_mul(M, inverse, E, n, n, n);
    for (int k = 0; k < n * n; k++) one[k] = k % (n + 1) == 0;
    double k = n ? condition(M, inverse, n) : 1;
    check_close(E, one, n * n, norm(M, n * n) * norm(inverse, n * n) / k, 200 * k, "M M^-1 = E");
    check_ok(jn_mass_factor(x.m, x.w, x.q, f));
    check_ok(jn_mass_solve(x.m, x.w, f, x.tau, y));
    mat_mul(inverse, x.tau, back, n, n, 1);
    check_close(y, back, n, norm(y, n), 400 * k, "solution by factors");
    release(x.m, x.w);
  }
}

/* An output of the kernel `terms` in the complex variant, differentiated along the motion q(t), v(t). */
static void rate_of_term(const state *x, int out, const double *v, const double *a, double *rate, int n) {
  const double h = 1e-30;
  static double _Complex q[80], vz[MOST_V], y[MOST_V * MOST_V];
  complex_motion(x->m, x->q, v, h, q);
  for (int k = 0; k < x->nv; k++) vz[k] = CMPLX(v[k], a ? h * a[k] : 0);
  jn_call call = {.terms = {.q = q, .v = vz, .link = -1}};
  call.terms.outputs[out] = y;
  run_complex(x->m, -1, JN_KERNEL_terms, &call);
  for (int k = 0; k < n; k++) rate[k] = cimag(y[k]) / h;
}

static void rates_are_derivatives_by_complex_step(void **st) {
  (void)st;
  uint64_t s = seed("rates");
  for (int i = 0; i < MODELS; i++) {
    state x;
    begin(&x, &s, i);
    int n = x.nv;
    double dM[MOST_V * MOST_V], C[MOST_V * MOST_V], rate[MOST_V * MOST_V], dA[6 * MOST_V], energy[2], tau[MOST_V];
    check_ok(jn_mass_matrix_rate(x.m, x.w, x.q, x.v, dM));
    rate_of_term(&x, JN_OUT_terms_M, x.v, NULL, rate, n * n);
    check_close(dM, rate, n * n, 10, 1000, "dM/dt");
    check_ok(jn_coriolis_matrix(x.m, x.w, x.q, x.v, C));
    for (int r = 0; r < n; r++)
      for (int c = 0; c < n; c++) {
        double skew = rate[r * n + c] - 2 * C[r * n + c] + rate[c * n + r] - 2 * C[c * n + r], zero = 0;
        check_close(&skew, &zero, 1, fmax(10, norm(rate, n * n)), 2000, "dM/dt - 2C is skew");
      }
    check_ok(jn_momentum_matrix_rate(x.m, x.w, JN_ABOUT_ORIGIN, x.q, x.v, dA));
    rate_of_term(&x, JN_OUT_terms_momentum_matrix, x.v, NULL, rate, 6 * n);
    check_close(dA, rate, 6 * n, 10, 2000, "rate of the momentum matrix");
    /* power balance: d/dt (T + U) = v . tau */
    check_ok(jn_inverse_dynamics(x.m, x.w, x.q, x.v, x.a, NULL, tau));
    rate_of_term(&x, JN_OUT_terms_energy, x.v, x.a, energy, 2);
    double power = 0, size = 10, change = energy[0] + energy[1];
    for (int k = 0; k < n; k++) {
      power += x.v[k] * tau[k];
      size += fabs(x.v[k] * tau[k]);
    }
    check_close(&power, &change, 1, size, 500, "d/dt (T + U) = v . tau");
    release(x.m, x.w);
  }
}

static void inverse_dynamics_is_affine_in_the_acceleration(void **st) {
  (void)st;
  uint64_t s = seed("linearity");
  for (int i = 0; i < MODELS; i++) {
    state x;
    begin(&x, &s, i);
    int n = x.nv;
    double M[MOST_V * MOST_V], tau[MOST_V], h[MOST_V], c[MOST_V], g[MOST_V], sum[MOST_V], Ma[MOST_V];
    check_ok(jn_mass_matrix(x.m, x.w, x.q, M));
    check_ok(jn_bias_forces(x.m, x.w, x.q, x.v, h));
    check_ok(jn_coriolis_forces(x.m, x.w, x.q, x.v, c));
    check_ok(jn_gravity_forces(x.m, x.w, x.q, g));
    check_ok(jn_inverse_dynamics(x.m, x.w, x.q, x.v, x.a, NULL, tau));
    mat_mul(M, x.a, Ma, n, n, 1);
    for (int k = 0; k < n; k++) sum[k] = Ma[k] + h[k];
    check_close(tau, sum, n, 50, 500, "tau = M a + bias");
    for (int k = 0; k < n; k++) sum[k] = c[k] + g[k];
    add_spring_forces(x.m, x.q, NULL, 0, sum);
    check_close(h, sum, n, 50, 500, "bias = C v + g + springs");
    release(x.m, x.w);
  }
}

static void joint_wrenches_do_the_work_of_the_torques(void **st) {
  (void)st;
  uint64_t s = seed("joint wrenches");
  for (int i = 0; i < MODELS; i++) {
    state x;
    begin(&x, &s, i);
    double F[MOST_LINKS * 6], tau[MOST_V], expected[MOST_V] = {0}, S[36];
    check_ok(jn_joint_wrenches(x.m, x.w, x.q, x.v, x.a, x.W, F));
    check_ok(jn_inverse_dynamics(x.m, x.w, x.q, x.v, x.a, x.W, tau));
    for (int l = 0; l < x.nlink; l++) {
      double ratio = 1;
      int k = jn_joint_mimic(x.m, l, NULL, &ratio, NULL) ? 1 : jn_joint_nv(x.m, l);
      if (!k) continue;
      check_ok(jn_joint_jacobian(x.m, x.w, l, x.q, S));
      for (int c = 0; c < k; c++) {
        int iv = jn_joint_v(x.m, l) + c;
        for (int r = 0; r < 6; r++) expected[iv] += S[r * k + c] * F[6 * l + r];
        expected[iv] += ratio * ratio * jn_joint_description(x.m, l)->dof[c].armature * x.a[iv];
      }
    }
    add_spring_forces(x.m, x.q, NULL, 0, expected);
    check_close(tau, expected, x.nv, 50, 1000, "tau = S^T F + armature a + springs");
    /* at rest, without other wrenches, the roots carry the whole weight, fixed links included */
    check_ok(jn_joint_wrenches(x.m, x.w, x.q, NULL, NULL, NULL, F));
    double weight = 0, total = 9.81 * (jn_model_mass(x.m) + jn_model_fixed_mass(x.m));
    for (int l = 0; l < x.nlink; l++) {
      double T[16];
      if (jn_link_parent(x.m, l) != JN_WORLD) continue;
      check_ok(jn_frame_pose(x.m, x.w, l, x.q, T));
      weight += T[8] * F[6 * l + 3] + T[9] * F[6 * l + 4] + T[10] * F[6 * l + 5];
    }
    check_close(&weight, &total, 1, 1, 500, "the roots carry the weight");
    release(x.m, x.w);
  }
}

/* The planar 2R with point masses at the ends of its links (mueller2021 sec. 6.1, textbook form). */
static void two_link_arm_has_its_analytic_torques(void **st) {
  (void)st;
  uint64_t s = seed("2R");
  const double L1 = 0.7, L2 = 0.4, m1 = 1.3, m2 = 0.8, g = 9.81, none[6] = {0};
  jn_builder *b;
  state x = {0};
  check_ok(jn_builder_create(NULL, &b));
  check_ok(jn_builder_set_gravity(b, (double[3]){0, -g, 0}));
  for (int k = 0; k < 2; k++) {
    jn_link l;
    jn_link_init(&l);
    l.name = k ? "two" : "one";
    l.parent = k ? "one" : NULL;
    l.joint.type = JN_REVOLUTE;
    l.placement[3] = k ? L1 : 0;
    jn_inertia_pack(k ? m2 : m1, (double[3]){k ? L2 : L1, 0, 0}, none, l.inertia);
    check_ok(jn_builder_add_link(b, &l));
  }
  check_ok(jn_builder_freeze(b, &x.m, NULL));
  jn_builder_destroy(b);
  randomize(&x, &s);
  for (int i = 0; i < 100; i++) {
    fill(&s, x.q, 2, 3);
    fill(&s, x.v, 2, 2);
    fill(&s, x.a, 2, 2);
    double c1 = cos(x.q[0]), c2 = cos(x.q[1]), s2 = sin(x.q[1]), c12 = cos(x.q[0] + x.q[1]), tau[2];
    double M11 = m1 * L1 * L1 + m2 * (L1 * L1 + 2 * L1 * L2 * c2 + L2 * L2), M12 = m2 * (L1 * L2 * c2 + L2 * L2);
    double k = m2 * L1 * L2 * s2;
    double expected[2] = {M11 * x.a[0] + M12 * x.a[1] - k * (2 * x.v[0] * x.v[1] + x.v[1] * x.v[1]) +
                              (m1 + m2) * g * L1 * c1 + m2 * g * L2 * c12,
                          M12 * x.a[0] + m2 * L2 * L2 * x.a[1] + k * x.v[0] * x.v[0] + m2 * g * L2 * c12};
    check_ok(jn_inverse_dynamics(x.m, x.w, x.q, x.v, x.a, NULL, tau));
    check_close(tau, expected, 2, 10, 64, "2R torques");
  }
  release(x.m, x.w);
}

static jn_model *singular_model(void) {
  jn_builder *b;
  jn_model *m;
  check_ok(jn_builder_create(NULL, &b));
  for (int k = 0; k < 3; k++) {
    jn_link l;
    jn_link_init(&l);
    l.name = k == 0 ? "arm" : k == 1 ? "leaf" : "other";
    l.parent = k ? "arm" : NULL;
    l.joint.type = JN_REVOLUTE;
    l.placement[3] = 0.3;
    if (k != 1) jn_inertia_pack(1, (double[3]){0.2, 0.1, 0}, (double[6]){1, 1, 1, 0, 0, 0}, l.inertia);
    check_ok(jn_builder_add_link(b, &l));
  }
  check_ok(jn_builder_freeze(b, &m, NULL));
  jn_builder_destroy(b);
  return m;
}

static void singular_systems_name_the_joint(void **st) {
  (void)st;
  state x = {.m = singular_model()};
  uint64_t s = seed("singular");
  double out[MOST_V * MOST_V], tau[MOST_V];
  unsigned char given[3] = {0, 1, 0};
  randomize(&x, &s);
  check_status(jn_forward_dynamics(x.m, x.w, x.q, x.v, x.tau, NULL, out), JN_ERR_SINGULAR);
  check(jn_singular_joint(x.w) == jn_joint_index(x.m, "leaf"), "forward names joint %d", jn_singular_joint(x.w));
  check_status(jn_mass_matrix_inverse(x.m, x.w, x.q, out), JN_ERR_SINGULAR);
  check(jn_singular_joint(x.w) == jn_joint_index(x.m, "leaf"), "inverse names joint %d", jn_singular_joint(x.w));
  check_status(jn_mass_factor(x.m, x.w, x.q, out), JN_ERR_SINGULAR);
  /* inverse dynamics, and hybrid with that joint prescribed, are fine */
  check_ok(jn_inverse_dynamics(x.m, x.w, x.q, x.v, x.a, NULL, tau));
  check_ok(jn_hybrid_dynamics(x.m, x.w, given, x.q, x.v, x.a, tau, NULL, out, tau));
  check(jn_singular_joint(x.w) == JN_NONE, "not singular");
  check_close(out, x.a, 3, 1, 1000, "hybrid around the singular joint");
  release(x.m, x.w);
}

/* Seven joints of which only the last body has mass: a rigid body has six freedoms, so this is always singular; so is a
 * free base without mass that carries one body on a hinge. In double, nearly every case must be seen. */
static void massless_chains_and_bases_are_singular(void **st) {
  (void)st;
  uint64_t s = seed("massless");
  int missed = 0;
  enum { CASES = 200 };
  for (int i = 0; i < CASES; i++) {
    jn_builder *b;
    state x = {0};
    char name[8][8];
    int joints = i % 2 ? 7 : 2;
    double out[MOST_V * MOST_V];
    check_ok(jn_builder_create(NULL, &b));
    for (int k = 0; k < joints; k++) {
      jn_link l;
      jn_link_init(&l);
      snprintf(name[k], sizeof name[k], "l%c", 'a' + k);
      l.name = name[k];
      l.parent = k ? name[k - 1] : NULL;
      random_placement(&s, l.placement);
      random_joint(&s, joints == 2 && k == 0 ? JN_FREE : JN_REVOLUTE, &l.joint);
      if (k == joints - 1) random_inertia(&s, l.inertia);
      check_ok(jn_builder_add_link(b, &l));
    }
    check_ok(jn_builder_freeze(b, &x.m, NULL));
    jn_builder_destroy(b);
    randomize(&x, &s);
    missed += jn_forward_dynamics(x.m, x.w, x.q, x.v, x.tau, NULL, out) == JN_OK;
    missed += jn_mass_matrix_inverse(x.m, x.w, x.q, out) == JN_OK;
    release(x.m, x.w);
  }
  printf("# missed %d of %d\n", missed, 2 * CASES);
  check(missed <= (jn_variant_epsilon() > 1e-10 ? CASES : 2 * CASES / 20), "%d of %d singular systems missed", missed,
        2 * CASES);
}

static void losses_oppose_the_motion(void **st) {
  (void)st;
  jn_builder *b;
  jn_model *m;
  double loss[1], v = -2;
  check_ok(jn_builder_create(NULL, &b));
  for (int k = 0; k < 2; k++) { /* the second follows with ratio -3 */
    jn_link l;
    jn_link_init(&l);
    l.name = k ? "b" : "a";
    l.parent = k ? "a" : NULL;
    l.inertia[0] = l.inertia[4] = l.inertia[5] = l.inertia[6] = 1;
    l.joint.type = JN_REVOLUTE;
    l.joint.dof[0].damping = 0.5;
    l.joint.dof[0].friction = 0.1;
    l.joint.mimic = k ? "a" : NULL;
    l.joint.mimic_ratio = -3;
    check_ok(jn_builder_add_link(b, &l));
  }
  check_ok(jn_builder_freeze(b, &m, NULL));
  check_ok(jn_loss_forces(m, &v, loss));
  double expected = 0.5 * v - 0.1 + -3 * (0.5 * -3 * v + 0.1); /* rates -2 and 6 */
  check(fabs(loss[0] - expected) < 1e-14, "loss %g, expected %g", loss[0], expected);
  v = 0;
  check_ok(jn_loss_forces(m, &v, loss));
  check(loss[0] == 0, "no friction at rest");
  double damping, friction;
  check_ok(jn_loss_coefficients(m, &damping, &friction));
  check(damping == 0.5 + 9 * 0.5 && fabs(friction - 0.4) < 1e-16, "damping %.17g, friction %.17g", damping, friction);
  check_ok(jn_loss_coefficients(m, NULL, NULL));
  check(jn_loss_coefficients(NULL, &damping, &friction) == JN_ERR_NULL, "no model");
  jn_model_destroy(m);
  jn_builder_destroy(b);
}

/* M M^-1 = 1 on both sides of the number of coordinates where the inverse changes its method, for coupled trees and
 * others. */
static void large_inverses_are_inverses(void **st) {
  (void)st;
  uint64_t s = seed("large inverses");
  for (int n = 254; n <= 260; n += 6)
    for (int coupled = 0; coupled < 2; coupled++) {
      jn_builder *b;
      jn_model *m;
      jn_work *w;
      char name[2][16], other[2][16];
      check_ok(jn_builder_create(NULL, &b));
      for (int k = 0; k < n + coupled; k++) {
        jn_link l;
        jn_link_init(&l);
        snprintf(name[0], sizeof name[0], "l%d", k);
        snprintf(name[1], sizeof name[1], "l%d", (k - 1) / 2);
        l.name = name[0];
        l.parent = k ? name[1] : NULL;
        random_placement(&s, l.placement);
        random_inertia(&s, l.inertia);
        random_joint(&s, JN_REVOLUTE, &l.joint);
        snprintf(other[0], sizeof other[0], "j%d", k);
        l.joint.name = other[0];
        if (k == n) snprintf(other[1], sizeof other[1], "j%d", k / 3), l.joint.mimic = other[1];
        check_ok(jn_builder_add_link(b, &l));
      }
      check_ok(jn_builder_freeze(b, &m, NULL));
      jn_builder_destroy(b);
      check_ok(jn_work_create(m, &w));
      assert_int_equal(jn_model_nv(m), n);
      double *q = calloc((size_t)n, sizeof *q), *M = calloc((size_t)(n * n), sizeof *M),
             *N = calloc((size_t)(n * n), sizeof *N);
      fill(&s, q, n, 1);
      check_ok(jn_mass_matrix(m, w, q, M));
      check_ok(jn_mass_matrix_inverse(m, w, q, N));
      double most = 0, scale = norm(M, n * n) * norm(N, n * n) * jn_variant_epsilon();
      for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
          double sum = i == k ? -1 : 0;
          for (int e = 0; e < n; e++) sum += M[i * n + e] * N[e * n + k];
          most = fmax(most, fabs(sum));
        }
      check(most < scale, "%d coordinates%s: %g, allowed %g", n, coupled ? ", coupled" : "", most, scale);
      free(q), free(M), free(N);
      release(m, w);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(matrices_are_the_closed_form_sums),
      cmocka_unit_test(mass_matrix_is_symmetric_positive_definite),
      cmocka_unit_test(forward_undoes_inverse_and_hybrid_has_both_as_limits),
      cmocka_unit_test(inverse_and_factors_belong_to_the_mass_matrix),
      cmocka_unit_test(rates_are_derivatives_by_complex_step),
      cmocka_unit_test(inverse_dynamics_is_affine_in_the_acceleration),
      cmocka_unit_test(joint_wrenches_do_the_work_of_the_torques),
      cmocka_unit_test(two_link_arm_has_its_analytic_torques),
      cmocka_unit_test(singular_systems_name_the_joint),
      cmocka_unit_test(massless_chains_and_bases_are_singular),
      cmocka_unit_test(losses_oppose_the_motion),
      cmocka_unit_test(large_inverses_are_inverses),
  };
  return cmocka_run_group_tests_name("dynamics", tests, NULL, NULL);
}
