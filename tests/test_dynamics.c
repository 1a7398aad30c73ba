/* SPDX-License-Identifier: BSD-2-Clause */
/* Inverse, forward and hybrid dynamics, M, C, g by their laws on random trees of every joint type. */
#include "complex_row.h"
#include "reference.h"

#include "kernel/terms/terms.h"

enum { MODELS = 200 };

typedef struct state {
  jn_model *m;
  jn_work *w;
  int nq, nv, nlink;
  double q[80], v[MOST_V], a[MOST_V], tau[MOST_V], W[MOST_LINKS * 6];
} state;

static void randomize(state *x, uint64_t *s) {
  x->nq = jn_model_nq(x->m);
  x->nv = jn_model_nv(x->m);
  x->nlink = jn_link_count(x->m);
  check_ok(jn_work_create(x->m, &x->w));
  check_ok(jn_random(x->m, s, x->q));
  fill(s, x->v, x->nv, 1);
  fill(s, x->a, x->nv, 2);
  fill(s, x->tau, x->nv, 5);
  fill(s, x->W, 6 * x->nlink, 3);
}

static void begin(state *x, uint64_t *s, int i) {
  x->m = random_tree(s, 3 + i % 13);
  randomize(x, s);
}

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

/* How much forward dynamics may lose: the condition of M scaled to unit diagonal. */
static double condition(const double *M, const double *inverse, int n) {
  double a = 0, b = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double scale = sqrt(M[i * n + i] * M[j * n + j]);
      a = fmax(a, fabs(M[i * n + j]) / scale);
      b = fmax(b, fabs(inverse[i * n + j]) * scale);
    }
  return a * b * n;
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

/* An output of the kernel `terms` in the complex row, differentiated along the motion q(t), v(t). */
static void rate_of_term(const state *x, int out, const double *v, const double *a, double *rate, int n) {
  const double h = 1e-30;
  static double _Complex q[80], vz[MOST_V], y[MOST_V * MOST_V];
  complex_motion(x->m, x->q, v, h, q);
  for (int k = 0; k < x->nv; k++) vz[k] = CMPLX(v[k], a ? h * a[k] : 0);
  jn_call call = {.in = {q, vz}, .arg = {0, 0, -1}};
  call.out[out] = y;
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
    rate_of_term(&x, JN_OUT_M, x.v, NULL, rate, n * n);
    check_close(dM, rate, n * n, 10, 1000, "dM/dt");
    check_ok(jn_coriolis_matrix(x.m, x.w, x.q, x.v, C));
    for (int r = 0; r < n; r++)
      for (int c = 0; c < n; c++) {
        double skew = rate[r * n + c] - 2 * C[r * n + c] + rate[c * n + r] - 2 * C[c * n + r], zero = 0;
        check_close(&skew, &zero, 1, fmax(10, norm(rate, n * n)), 2000, "dM/dt - 2C is skew");
      }
    check_ok(jn_momentum_matrix_rate(x.m, x.w, JN_ABOUT_ORIGIN, x.q, x.v, dA));
    rate_of_term(&x, JN_OUT_A, x.v, NULL, rate, 6 * n);
    check_close(dA, rate, 6 * n, 10, 2000, "rate of the momentum matrix");
    /* power balance: d/dt (T + U) = v . tau */
    check_ok(jn_inverse_dynamics(x.m, x.w, x.q, x.v, x.a, NULL, tau));
    rate_of_term(&x, JN_OUT_ENERGY, x.v, x.a, energy, 2);
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

/* The same robot described in other link frames: link i's frame moved by D_i. Screws, inertias, placements change;
 * torques do not. General joints, because their screws can be expressed in any frame. */
static void torques_do_not_depend_on_the_choice_of_frames(void **st) {
  (void)st;
  uint64_t s = seed("frames");
  for (int i = 0; i < MODELS; i++) {
    enum { N = 8 };
    double D[N][16], inverse[16], tau[2][MOST_V], q[MOST_V], v[MOST_V], a[MOST_V];
    jn_builder *b[2];
    int parent[N];
    char name[N][16];
    for (int k = 0; k < 2; k++) check_ok(jn_builder_create(NULL, &b[k]));
    for (int l = 0; l < N; l++) {
      jn_link x;
      jn_link_init(&x);
      snprintf(name[l], sizeof name[l], "l%d", l);
      parent[l] = l ? (int)(0.4999 * (1 + uniform(&s)) * l) : -1;
      x.name = name[l];
      x.parent = l ? name[parent[l]] : NULL;
      random_placement(&s, x.placement);
      random_inertia(&s, x.inertia);
      random_joint(&s, l % 3 == 2 ? JN_FIXED : JN_GENERAL, &x.joint);
      x.joint.screw_count = 1 + l % 2;
      check_ok(jn_builder_add_link(b[0], &x));
      random_placement(&s, D[l]);
      double T[16], P[10], Ad[36];
      if (l) { /* placement' = D_p^-1 B D */
        const double *d = D[parent[l]];
        double Dp[16] = {d[0], d[4], d[8], 0, d[1], d[5], d[9], 0, d[2], d[6], d[10], 0, 0, 0, 0, 1};
        for (int r = 0; r < 3; r++) Dp[4 * r + 3] = -(Dp[4 * r] * d[3] + Dp[4 * r + 1] * d[7] + Dp[4 * r + 2] * d[11]);
        mat_mul(Dp, x.placement, T, 4, 4, 4);
      } else {
        memcpy(T, x.placement, sizeof T);
      }
      mat_mul(T, D[l], x.placement, 4, 4, 4);
      adjoint_inverse(D[l], Ad);
      for (int k = 0; k < x.joint.screw_count; k++) {
        double X[6];
        mat_mul(Ad, x.joint.screws[k], X, 6, 6, 1);
        if (norm(x.joint.screws[k], 3) == 0) X[0] = X[1] = X[2] = 0;
        memcpy(x.joint.screws[k], X, sizeof X);
      }
      check_ok(jn_se3_inverse(D[l], inverse));
      check_ok(jn_inertia_transform(inverse, x.inertia, P));
      memcpy(x.inertia, P, sizeof P);
      check_ok(jn_builder_add_link(b[1], &x));
    }
    fill(&s, q, MOST_V, 1);
    fill(&s, v, MOST_V, 1);
    fill(&s, a, MOST_V, 1);
    int n = 0, ok = 1;
    for (int k = 0; k < 2; k++) {
      jn_model *m;
      jn_work *w;
      ok = ok && jn_builder_freeze(b[k], &m, NULL) == JN_OK;
      jn_builder_destroy(b[k]);
      if (!ok) continue; /* dependent random screws */
      n = jn_model_nv(m);
      check_ok(jn_work_create(m, &w));
      check_ok(jn_inverse_dynamics(m, w, q, v, a, NULL, tau[k]));
      jn_work_destroy(w);
      jn_model_destroy(m);
    }
    if (ok) check_close(tau[0], tau[1], n, 100, 2000, "tau in other frames");
  }
}

/* A coupled model is the projection of the free one by the constant matrix G: v = G v_r, tau_r = G^T tau. */
static void coupled_coordinates_are_a_projection(void **st) {
  (void)st;
  uint64_t s = seed("mimic");
  for (int i = 0; i < MODELS; i++) {
    enum { N = 9 };
    jn_options options;
    jn_builder *b;
    jn_model *m[2];
    char name[N][16];
    uint64_t again = s;
    for (int ignore = 0; ignore < 2; ignore++) {
      again = s;
      jn_options_init(&options);
      options.ignore_mimic = ignore;
      check_ok(jn_builder_create(&options, &b));
      for (int l = 0; l < N; l++) {
        jn_link x;
        jn_link_init(&x);
        snprintf(name[l], sizeof name[l], "l%d", l);
        x.name = name[l];
        x.parent = l ? name[(int)(0.4999 * (1 + uniform(&again)) * l)] : NULL;
        random_placement(&again, x.placement);
        random_inertia(&again, x.inertia);
        random_joint(&again, l % 4 == 3 ? JN_SPHERICAL : l % 4 == 2 ? JN_PRISMATIC : JN_REVOLUTE, &x.joint);
        x.joint.dof[0].armature = 0.1;
        if (l == 4 || l == 5) { /* l4 follows l1, l5 follows l4 */
          x.joint.mimic = name[l == 4 ? 1 : 4];
          x.joint.mimic_ratio = 0.5 + 2 * fabs(uniform(&again));
          x.joint.mimic_offset = uniform(&again);
        }
        check_ok(jn_builder_add_link(b, &x));
      }
      check_ok(jn_builder_freeze(b, &m[ignore], NULL));
      jn_builder_destroy(b);
    }
    s = again;
    state r = {.m = m[0]}, f = {.m = m[1]};
    randomize(&r, &s);
    randomize(&f, &s);
    double G[MOST_V * MOST_V] = {0};
    for (int l = 0; l < N; l++) {
      int leader = l, iv = jn_joint_v(f.m, l);
      double ratio = 1, offset = 0;
      jn_joint_mimic(r.m, l, &leader, &ratio, &offset);
      for (int k = 0; k < jn_joint_nq(f.m, l); k++)
        f.q[jn_joint_q(f.m, l) + k] = ratio * r.q[jn_joint_q(r.m, leader) + k] + offset;
      for (int k = 0; k < jn_joint_nv(f.m, l); k++) G[(iv + k) * r.nv + jn_joint_v(r.m, leader) + k] = ratio;
    }
    mat_mul(G, r.v, f.v, f.nv, r.nv, 1);
    mat_mul(G, r.a, f.a, f.nv, r.nv, 1);
    double full[MOST_V * MOST_V], half[MOST_V * MOST_V], expected[MOST_V * MOST_V], got[MOST_V * MOST_V],
        GT[MOST_V * MOST_V];
    for (int a = 0; a < f.nv; a++)
      for (int c = 0; c < r.nv; c++) GT[c * f.nv + a] = G[a * r.nv + c];
    check_ok(jn_inverse_dynamics(f.m, f.w, f.q, f.v, f.a, r.W, full));
    mat_mul(GT, full, expected, r.nv, f.nv, 1);
    check_ok(jn_inverse_dynamics(r.m, r.w, r.q, r.v, r.a, r.W, got));
    check_close(got, expected, r.nv, 100, 1000, "tau_r = G^T tau");
    for (int which = 0; which < 2; which++) {
      check_ok(which ? jn_coriolis_matrix(f.m, f.w, f.q, f.v, full) : jn_mass_matrix(f.m, f.w, f.q, full));
      mat_mul(full, G, half, f.nv, f.nv, r.nv);
      mat_mul(GT, half, expected, r.nv, f.nv, r.nv);
      check_ok(which ? jn_coriolis_matrix(r.m, r.w, r.q, r.v, got) : jn_mass_matrix(r.m, r.w, r.q, got));
      check_close(got, expected, r.nv * r.nv, 20, 1000, "%s_r = G^T %s G", which ? "C" : "M", which ? "C" : "M");
    }
    double tau[MOST_V], a[MOST_V], th[MOST_V], inverse[MOST_V * MOST_V];
    unsigned char given[MOST_V];
    check_ok(jn_mass_matrix(r.m, r.w, r.q, got));
    check_ok(jn_mass_matrix_inverse(r.m, r.w, r.q, inverse));
    double k = condition(got, inverse, r.nv), loss = 1000 * k;
    check_ok(jn_inverse_dynamics(r.m, r.w, r.q, r.v, r.a, r.W, tau));
    check_ok(jn_forward_dynamics(r.m, r.w, r.q, r.v, tau, r.W, a));
    check_close(a, r.a, r.nv, norm(r.a, r.nv), loss, "FD(ID) = a with coupled coordinates");
    for (int c = 0; c < r.nv; c++) given[c] = uniform(&s) > 0;
    check_ok(jn_hybrid_dynamics(r.m, r.w, given, r.q, r.v, r.a, tau, r.W, a, th));
    check_close(a, r.a, r.nv, norm(r.a, r.nv), loss, "hybrid accelerations");
    check_close(th, tau, r.nv, norm(tau, r.nv), loss, "hybrid forces");
    release(r.m, r.w);
    release(f.m, f.w);
  }
}

static void order_of_coordinates_only_permutes(void **st) {
  (void)st;
  uint64_t s = seed("order");
  for (int i = 0; i < MODELS; i++) {
    state x, y = {0};
    begin(&x, &s, i);
    const char *names[MOST_LINKS];
    int count = 0;
    for (int l = x.nlink - 1; l >= 0; l--) /* backwards */
      if (jn_joint_nv(x.m, l)) names[count++] = jn_joint_name(x.m, l);
    jn_options options;
    jn_builder *b;
    jn_options_init(&options);
    options.joint_order = names;
    options.joint_order_count = count;
    check_ok(jn_model_thaw(x.m, &options, &b));
    check_ok(jn_builder_freeze(b, &y.m, NULL));
    jn_builder_destroy(b);
    randomize(&y, &s);
    int at[MOST_V];
    for (int l = 0; l < x.nlink; l++) {
      memcpy(y.q + (jn_joint_nq(x.m, l) ? jn_joint_q(y.m, l) : 0), x.q + (jn_joint_nq(x.m, l) ? jn_joint_q(x.m, l) : 0),
             (size_t)jn_joint_nq(x.m, l) * sizeof(double));
      for (int k = 0; k < jn_joint_nv(x.m, l); k++) {
        at[jn_joint_v(x.m, l) + k] = jn_joint_v(y.m, l) + k;
        y.v[jn_joint_v(y.m, l) + k] = x.v[jn_joint_v(x.m, l) + k];
        y.tau[jn_joint_v(y.m, l) + k] = x.tau[jn_joint_v(x.m, l) + k];
      }
    }
    int n = x.nv;
    double A[MOST_V * MOST_V], B[MOST_V * MOST_V], C[MOST_V * MOST_V], f[MOST_V * MOST_V], u[MOST_V], z[MOST_V];
    check_ok(jn_mass_matrix_inverse(x.m, x.w, x.q, A));
    check_ok(jn_mass_matrix_inverse(y.m, y.w, y.q, B));
    for (int k = 0; k < n * n; k++) C[k] = B[at[k / n] * n + at[k % n]];
    check_ok(jn_mass_matrix(x.m, x.w, x.q, B));
    /* the order of elimination is the tree's, whatever the order of coordinates, unless coordinates are coupled */
    double same = jn_model_is_coupled(x.m) ? 200 * condition(B, A, n) : 10;
    check_close(A, C, n * n, norm(A, n * n), same, "M^-1 permuted");
    check_ok(jn_mass_factor(y.m, y.w, y.q, f));
    check_ok(jn_mass_solve(y.m, y.w, f, y.tau, u));
    mat_mul(A, x.tau, z, n, n, 1);
    for (int k = 0; k < n; k++) C[k] = u[at[k]];
    check_close(C, z, n, norm(z, n), 1e5, "solution permuted");
    check_ok(jn_forward_dynamics(x.m, x.w, x.q, x.v, x.tau, NULL, u));
    check_ok(jn_forward_dynamics(y.m, y.w, y.q, y.v, y.tau, NULL, z));
    for (int k = 0; k < n; k++) C[k] = z[at[k]];
    check_close(C, u, n, norm(u, n), same, "accelerations permuted");
    release(x.m, x.w);
    release(y.m, y.w);
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

/* One output of jn_compute against its own function. */
#define same_term(name, n, call)                             \
  do {                                                       \
    check_ok(call);                                          \
    check_close(t.name, one, n, 1, 0, #name " of one call"); \
  } while (0)

static void one_call_gives_what_single_calls_give(void **st) {
  (void)st;
  uint64_t s = seed("compute");
  enum { WIDE = MOST_LINKS * 6 * MOST_V };
  static double out[22][WIDE], one[WIDE];
  for (int i = 0; i < 60; i++) {
    state x;
    begin(&x, &s, i);
    int n = x.nv, f = jn_frame_count(x.m);
    jn_representation in = (jn_representation)(i % 3);
    jn_about about = i % 2 && jn_model_mass(x.m) > 0 ? JN_ABOUT_COM : JN_ABOUT_ORIGIN;
    jn_terms t = {out[0],  out[1],  out[2],  out[3],  out[4],  out[5],  out[6],  out[7],
                  out[8],  out[9],  out[10], out[11], out[12], out[13], out[14], out[15],
                  out[16], out[17], out[18], out[19], out[20], out[21], in,      about};
    if (jn_model_mass(x.m) == 0) t.com = t.com_velocity = t.com_acceleration = t.com_jacobian = NULL;
    check_ok(jn_compute(x.m, x.w, x.q, x.v, x.a, x.W, &t));
    same_term(M, n * n, jn_mass_matrix(x.m, x.w, x.q, one));
    same_term(C, n * n, jn_coriolis_matrix(x.m, x.w, x.q, x.v, one));
    same_term(Mdot, n * n, jn_mass_matrix_rate(x.m, x.w, x.q, x.v, one));
    same_term(tau, n, jn_inverse_dynamics(x.m, x.w, x.q, x.v, x.a, x.W, one));
    same_term(g, n, jn_gravity_forces(x.m, x.w, x.q, one));
    same_term(bias, n, jn_bias_forces(x.m, x.w, x.q, x.v, one));
    same_term(coriolis, n, jn_coriolis_forces(x.m, x.w, x.q, x.v, one));
    same_term(poses, 16 * f, jn_frame_poses(x.m, x.w, x.q, one));
    same_term(jacobians, 6 * n * f, jn_frame_jacobians(x.m, x.w, in, x.q, one));
    same_term(jacobian_rates, 6 * n * f, jn_frame_jacobian_rates(x.m, x.w, in, x.q, x.v, one));
    same_term(space_jacobian, 6 * n, jn_space_jacobian(x.m, x.w, x.q, one));
    same_term(space_jacobian_rate, 6 * n, jn_space_jacobian_rate(x.m, x.w, x.q, x.v, one));
    for (int k = 0; k < f; k++) check_ok(jn_frame_twist(x.m, x.w, k, in, x.q, x.v, one + 6 * k));
    check_close(t.twists, one, 6 * f, 1, 50, "twists of one call");
    for (int k = 0; k < f; k++) check_ok(jn_frame_acceleration(x.m, x.w, k, in, x.q, x.v, x.a, one + 6 * k));
    check_close(t.accelerations, one, 6 * f, 1, 50, "accelerations of one call");
    if (t.com) {
      same_term(com, 3, jn_center_of_mass(x.m, x.w, JN_WORLD, x.q, x.v, x.a, one, NULL, NULL));
      same_term(com_velocity, 3, jn_center_of_mass(x.m, x.w, JN_WORLD, x.q, x.v, x.a, NULL, one, NULL));
      same_term(com_acceleration, 3, jn_center_of_mass(x.m, x.w, JN_WORLD, x.q, x.v, x.a, NULL, NULL, one));
      same_term(com_jacobian, 3 * n, jn_com_jacobian(x.m, x.w, JN_WORLD, x.q, one));
    }
    same_term(momentum, 6, jn_momentum(x.m, x.w, about, x.q, x.v, one));
    same_term(momentum_matrix, 6 * n, jn_momentum_matrix(x.m, x.w, about, x.q, one));
    same_term(momentum_matrix_rate, 6 * n, jn_momentum_matrix_rate(x.m, x.w, about, x.q, x.v, one));
    same_term(energy, 2, jn_energy(x.m, x.w, x.q, x.v, one));
    release(x.m, x.w);
  }
}

/* The whole robot, and gravity, turned and moved in the world: torques stay, energies too (up to the zero of U). */
static void torques_do_not_depend_on_the_inertial_frame(void **st) {
  (void)st;
  uint64_t s = seed("inertial frame");
  for (int i = 0; i < MODELS; i++) {
    state x;
    begin(&x, &s, i);
    double D[16], g[3], turned[3], tau[2][MOST_V], e[2][2];
    jn_builder *b;
    jn_model *m;
    jn_work *w;
    random_placement(&s, D);
    jn_model_gravity(x.m, g);
    for (int k = 0; k < 3; k++) turned[k] = D[4 * k] * g[0] + D[4 * k + 1] * g[1] + D[4 * k + 2] * g[2];
    check_ok(jn_model_thaw(x.m, NULL, &b));
    check_ok(jn_builder_set_gravity(b, turned));
    for (int l = 0; l < b->link_count; l++)
      if (!b->links[l].link.parent) {
        double T[16];
        mat_mul(D, b->links[l].link.placement, T, 4, 4, 4);
        memcpy(b->links[l].link.placement, T, sizeof T);
      }
    check_ok(jn_builder_freeze(b, &m, NULL));
    jn_builder_destroy(b);
    check_ok(jn_work_create(m, &w));
    check_ok(jn_inverse_dynamics(x.m, x.w, x.q, x.v, x.a, x.W, tau[0]));
    check_ok(jn_inverse_dynamics(m, w, x.q, x.v, x.a, x.W, tau[1]));
    check_close(tau[0], tau[1], x.nv, 50, 500, "tau in another inertial frame");
    check_ok(jn_energy(x.m, x.w, x.q, x.v, e[0]));
    check_ok(jn_energy(m, w, x.q, x.v, e[1]));
    check_close(e[0], e[1], 1, 1, 500, "kinetic energy in another inertial frame");
    jn_work_destroy(w);
    jn_model_destroy(m);
    release(x.m, x.w);
  }
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
  check(missed <= (jn_row_epsilon() > 1e-10 ? CASES : 2 * CASES / 20), "%d of %d singular systems missed", missed,
        2 * CASES);
}

static void nan_in_gives_nan_out(void **st) {
  (void)st;
  uint64_t s = seed("NaN");
  state x;
  begin(&x, &s, 9);
  double out[MOST_V];
  x.v[0] = NAN;
  check_ok(jn_inverse_dynamics(x.m, x.w, x.q, x.v, x.a, NULL, out));
  check(isnan(out[0]), "inverse");
  check_ok(jn_forward_dynamics(x.m, x.w, x.q, x.v, x.tau, NULL, out));
  check(isnan(out[0]), "forward");
  release(x.m, x.w);
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
  jn_model_destroy(m);
  jn_builder_destroy(b);
}

/* A float function against its double twin on the same state. */
#define same_in_float(what, n, size, float_call, double_call)   \
  do {                                                          \
    check_ok(float_call);                                       \
    check_ok(double_call);                                      \
    for (int k_ = 0; k_ < (n); k_++) wide[k_] = single[k_];     \
    double gap_ = distance(wide, d, n, size);                   \
    check(gap_ < 2e-4, "%s in float is off by %g", what, gap_); \
  } while (0)

static void float_functions_agree_with_double(void **st) {
  (void)st;
  uint64_t s = seed("float");
  enum { WIDE = MOST_LINKS * 6 * MOST_V };
  static float single[WIDE];
  static double d[WIDE], wide[WIDE];
  for (int i = 0; i < 40; i++) {
    state x;
    begin(&x, &s, i);
    float q[80], v[MOST_V], a[MOST_V], W[MOST_LINKS * 6];
    int n = x.nv, f = jn_frame_count(x.m);
    jn_representation in = JN_IN_ALIGNED;
    for (int k = 0; k < x.nq; k++) x.q[k] = q[k] = (float)x.q[k];
    for (int k = 0; k < n; k++) x.v[k] = v[k] = (float)x.v[k], x.a[k] = a[k] = (float)x.a[k];
    for (int k = 0; k < 6 * x.nlink; k++) x.W[k] = W[k] = (float)x.W[k];
    same_in_float("inverse dynamics", n, 50, jnf_inverse_dynamics(x.m, x.w, q, v, a, W, single),
                  jn_inverse_dynamics(x.m, x.w, x.q, x.v, x.a, x.W, d));
    same_in_float("gravity", n, 50, jnf_gravity_forces(x.m, x.w, q, single), jn_gravity_forces(x.m, x.w, x.q, d));
    same_in_float("bias", n, 50, jnf_bias_forces(x.m, x.w, q, v, single), jn_bias_forces(x.m, x.w, x.q, x.v, d));
    same_in_float("M", n * n, 1, jnf_mass_matrix(x.m, x.w, q, single), jn_mass_matrix(x.m, x.w, x.q, d));
    same_in_float("C", n * n, 10, jnf_coriolis_matrix(x.m, x.w, q, v, single),
                  jn_coriolis_matrix(x.m, x.w, x.q, x.v, d));
    same_in_float("C", n * n, 10, jnf_coriolis_matrix_christoffel(x.m, x.w, q, v, single),
                  jn_coriolis_matrix_christoffel(x.m, x.w, x.q, x.v, d));
    same_in_float("dM", n * n, 10, jnf_mass_matrix_rate(x.m, x.w, q, v, single),
                  jn_mass_matrix_rate(x.m, x.w, x.q, x.v, d));
    same_in_float("energy", 2, 10, jnf_energy(x.m, x.w, q, v, single), jn_energy(x.m, x.w, x.q, x.v, d));
    same_in_float("joint wrenches", 6 * x.nlink, 50, jnf_joint_wrenches(x.m, x.w, q, v, a, W, single),
                  jn_joint_wrenches(x.m, x.w, x.q, x.v, x.a, x.W, d));
    same_in_float("poses", 16 * f, 1, jnf_frame_poses(x.m, x.w, q, single), jn_frame_poses(x.m, x.w, x.q, d));
    same_in_float("Jacobians", 6 * n * f, 1, jnf_frame_jacobians(x.m, x.w, in, q, single),
                  jn_frame_jacobians(x.m, x.w, in, x.q, d));
    same_in_float("acceleration", 6, 20, jnf_frame_acceleration(x.m, x.w, f - 1, in, q, v, a, single),
                  jn_frame_acceleration(x.m, x.w, f - 1, in, x.q, x.v, x.a, d));
    same_in_float("momentum", 6, 10, jnf_momentum(x.m, x.w, JN_ABOUT_ORIGIN, q, v, single),
                  jn_momentum(x.m, x.w, JN_ABOUT_ORIGIN, x.q, x.v, d));
    release(x.m, x.w);
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
      cmocka_unit_test(torques_do_not_depend_on_the_choice_of_frames),
      cmocka_unit_test(coupled_coordinates_are_a_projection),
      cmocka_unit_test(order_of_coordinates_only_permutes),
      cmocka_unit_test(joint_wrenches_do_the_work_of_the_torques),
      cmocka_unit_test(two_link_arm_has_its_analytic_torques),
      cmocka_unit_test(one_call_gives_what_single_calls_give),
      cmocka_unit_test(torques_do_not_depend_on_the_inertial_frame),
      cmocka_unit_test(singular_systems_name_the_joint),
      cmocka_unit_test(massless_chains_and_bases_are_singular),
      cmocka_unit_test(nan_in_gives_nan_out),
      cmocka_unit_test(losses_oppose_the_motion),
      cmocka_unit_test(float_functions_agree_with_double),
  };
  return cmocka_run_group_tests_name("dynamics", tests, NULL, NULL);
}
