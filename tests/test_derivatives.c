/* SPDX-License-Identifier: BSD-2-Clause */
/* First derivatives with respect to the state: every entry by the complex step of other kernels, on random trees of
 * every joint type with coupled coordinates and wrenches; large trees, robots far away, misuse. */
#include "derivatives_help.h"

/* One output of the kernel `terms` at the moved state. */
static void terms_at(state *x, int out, const complex_t *W, complex_t *y) {
  jn_call call = {.terms = {.q = x->cq, .v = x->cv, .a = x->ca, .wrench = W, .link = -1}};
  call.terms.outputs[out] = y;
  run_complex(x->m, -1, JN_KERNEL_terms, &call);
}

static void inverse_dynamics_by_complex_step(void **st) {
  (void)st;
  uint64_t s = seed("dtau");
  static double D[4][V * WIDE], M[V * V];
  for (int i = 0; i < MODELS; i++) {
    state x;
    complex_t y[V];
    begin(&x, &s, i);
    int n = x.nv;
    check_ok(
        jn_inverse_dynamics_derivatives(x.m, x.w, x.q, x.v, x.a, x.W, JN_IN_BODY, D[BY_Q], D[BY_V], D[BY_A], D[BY_W]));
    for (int by = BY_Q; by <= BY_W; by++) {
      int columns = by == BY_W ? x.wide : n;
      for (int k = 0; k < columns; k++) {
        move(&x, by, k);
        terms_at(&x, JN_OUT_terms_tau, x.cW, y);
        check_column(D[by], n, columns, k, y, norm_or_1(D[by], n * columns), 2000,
                     (const char *[]){"dtau/dq", "dtau/dv", "dtau/da", "dtau/dwrench"}[by]);
      }
    }
    check_ok(jn_mass_matrix(x.m, x.w, x.q, M));
    check_close(D[BY_A], M, n * n, norm_or_1(M, n * n), 200, "dtau/da = M");
    check_ok(jn_gravity_forces_derivative(x.m, x.w, x.q, D[0]));
    memset(x.v, 0, sizeof x.v);
    memset(x.a, 0, sizeof x.a);
    for (int k = 0; k < n; k++) {
      move(&x, BY_Q, k);
      terms_at(&x, JN_OUT_terms_g, NULL, y);
      check_column(D[0], n, n, k, y, norm_or_1(D[0], n * n), 2000, "dg/dq");
    }
    release(x.m, x.w);
  }
}

/* The wrench's numbers in the link's frame, when it is held in the world's axes while the link moves from T0 to T. */
static void held_wrench(const double *T0, const complex_t *T, const double *W, int hold, complex_t *out) {
  double m[3], f[3], p[3] = {T0[3], T0[7], T0[11]};
  complex_t M[3], d[3];
  for (int r = 0; r < 3; r++) {
    m[r] = f[r] = 0;
    for (int c = 0; c < 3; c++) m[r] += T0[4 * r + c] * W[c], f[r] += T0[4 * r + c] * W[3 + c];
  }
  for (int r = 0; r < 3; r++) d[r] = hold == JN_IN_WORLD ? T[4 * r + 3] - p[r] : 0; /* the arm that the force gets */
  for (int r = 0; r < 3; r++) M[r] = m[r] - (d[(r + 1) % 3] * f[(r + 2) % 3] - d[(r + 2) % 3] * f[(r + 1) % 3]);
  for (int c = 0; c < 3; c++) {
    out[c] = out[3 + c] = 0;
    for (int r = 0; r < 3; r++) out[c] += T[4 * r + c] * M[r], out[3 + c] += T[4 * r + c] * f[r];
  }
}

static void held_wrenches_by_complex_step(void **st) {
  (void)st;
  uint64_t s = seed("held wrenches");
  static double dq[V * V], dv[V * V], ddq[V * V], ddv[V * V], poses[LINKS * 16];
  static complex_t T[LINKS * 16], y[V], Y[V * V];
  for (int i = 0; i < MODELS; i++) {
    state x;
    double direction[V];
    begin(&x, &s, i);
    int n = x.nv;
    fill(&s, direction, n, 1);
    check_ok(jn_frame_poses(x.m, x.w, x.q, poses));
    for (int hold = JN_IN_WORLD; hold <= JN_IN_ALIGNED; hold++) {
      jn_representation in = (jn_representation)hold;
      check_ok(jn_inverse_dynamics_derivatives(x.m, x.w, x.q, x.v, x.a, x.W, in, dq, dv, NULL, NULL));
      for (int k = 0; k < n; k++) {
        move(&x, BY_Q, k);
        terms_at(&x, JN_OUT_terms_poses, NULL, T);
        for (int l = 0; l < x.nlink; l++) held_wrench(poses + 16 * l, T + 16 * l, x.W + 6 * l, hold, x.cW + 6 * l);
        terms_at(&x, JN_OUT_terms_tau, x.cW, y);
        check_column(dq, n, n, k, y, norm_or_1(dq, n * n), 4000, hold == JN_IN_WORLD ? "world" : "aligned");
      }
      /* and the change of these derivatives along a direction */
      check_ok(
          jn_inverse_dynamics_derivatives_along(x.m, x.w, x.q, x.v, x.a, x.W, in, &(jn_direction){.dq_ds = direction},
                                                &(jn_inverse_derivatives_along){.d2tau_dsdq = ddq, .d2tau_dsdv = ddv}));
      move(&x, BY_A, -1);
      complex_motion(x.m, x.q, direction, h, x.cq);
      terms_at(&x, JN_OUT_terms_poses, NULL, T);
      for (int l = 0; l < x.nlink; l++) held_wrench(poses + 16 * l, T + 16 * l, x.W + 6 * l, hold, x.cW + 6 * l);
      jn_call call = {.inverse_dynamics_derivatives = {
                          .q = x.cq, .v = x.cv, .a = x.ca, .wrench = x.cW, .dtau_dq = Y, .hold = hold}};
      run_complex(x.m, -1, JN_KERNEL_inverse_dynamics_derivatives, &call);
      for (int e = 0; e < n * n; e++) dq[e] = cimag(Y[e]) / h;
      check_close(ddq, dq, n * n, norm_or_1(dq, n * n), 8000, "change of dtau/dq, %s",
                  hold == JN_IN_WORLD ? "world" : "aligned");
    }
    release(x.m, x.w);
  }
}

/* Forward and hybrid dynamics by complex step of their own kernels. */
static void solved_dynamics_by_complex_step(void **st) {
  (void)st;
  uint64_t s = seed("da");
  static double D[12][V * WIDE], M[V * V], inverse[V * V];
  for (int i = 0; i < MODELS; i++) {
    state x;
    unsigned char prescribed[V];
    complex_t a_out[V], tau_out[V], pivots[V];
    double a[V], tau[V], a1[V], tau1[V];
    begin(&x, &s, i);
    int n = x.nv;
    fill(&s, tau, n, 5);
    for (int k = 0; k < n; k++) prescribed[k] = uniform(&s) > 0;
    check_ok(jn_mass_matrix(x.m, x.w, x.q, M));
    check_ok(jn_mass_matrix_inverse(x.m, x.w, x.q, inverse));
    double condition = norm_or_1(M, n * n) * norm_or_1(inverse, n * n);
    jn_hybrid_derivatives out = {a, tau1, D[0], D[4], D[1], D[5], D[2], D[6], D[3], D[7]};
    check_ok(jn_forward_dynamics_derivatives(x.m, x.w, x.q, x.v, tau, x.W, JN_IN_BODY, a1, D[8], D[9], D[10], D[11]));
    check_ok(jn_hybrid_dynamics_derivatives(x.m, x.w, prescribed, x.q, x.v, x.a, tau, x.W, JN_IN_BODY, &out));
    for (int forward = 0; forward < 2; forward++)
      for (int by = BY_Q; by <= BY_W; by++)
        for (int k = 0; k < (by == BY_W ? x.wide : n); k++) {
          complex_t ctau[V];
          int columns = by == BY_W ? x.wide : n, given_a = !forward && by == BY_A && prescribed[k];
          move(&x, by == BY_A && !given_a ? -1 : by, k);
          for (int r = 0; r < n; r++) ctau[r] = CMPLX(tau[r], by == BY_A && !given_a && r == k ? h : 0);
          jn_call call = {.forward_dynamics = {.q = x.cq,
                                               .v = x.cv,
                                               .a = x.ca,
                                               .tau = ctau,
                                               .wrench = x.cW,
                                               .a_out = a_out,
                                               .tau_out = tau_out,
                                               .pivots = pivots}};
          call.forward_dynamics.prescribed = forward ? NULL : prescribed;
          run_complex(x.m, -1, x.m->coupled ? JN_KERNEL_forward_dynamics_coupled : JN_KERNEL_forward_dynamics, &call);
          const double *da = forward ? D[8 + by] : D[by], *dtau = D[4 + by];
          double size = norm_or_1(da, n * columns) * condition;
          check_column(da, n, columns, k, a_out, size, 2000, forward ? "forward" : "hybrid, a");
          if (!forward)
            check_column(dtau, n, columns, k, tau_out, size + norm_or_1(dtau, n * columns), 2000, "hybrid, tau");
        }
    double free_a[V];
    check_ok(jn_forward_dynamics(x.m, x.w, x.q, x.v, tau, x.W, free_a));
    check_close(a1, free_a, n, norm_or_1(a1, n), 500 * condition, "forward dynamics on the way");
    check_close(D[10], inverse, n * n, norm_or_1(inverse, n * n), 500 * condition, "da/dtau = M^-1");
    release(x.m, x.w);
  }
}

/* dM/dq, dC/dq, dC/dv, dMdot, dM^-1 by complex step of M, C, M^-1; and dM/dt = sum_h dM/dq_h v_h. */
static void matrices_by_complex_step(void **st) {
  (void)st;
  uint64_t s = seed("dM, dC");
  static double dM[V * V * V], dCq[V * V * V], dCv[V * V * V], dRq[V * V * V], dRv[V * V * V], dI[V * V * V],
      rate[V * V], inverse[V * V], sum[V * V], M[V * V];
  static complex_t Y[V * V], pivots[V];
  for (int i = 0; i < MODELS / 2; i++) {
    state x;
    begin(&x, &s, i);
    int n = x.nv, cube = n * n * n;
    check_ok(jn_mass_matrix_derivative(x.m, x.w, x.q, dM));
    check_ok(jn_coriolis_matrix_derivatives(x.m, x.w, x.q, x.v, dCq, dCv));
    check_ok(jn_mass_matrix_rate_derivatives(x.m, x.w, x.q, x.v, dRq, dRv));
    check_ok(jn_mass_matrix_inverse_derivative(x.m, x.w, x.q, inverse, dI));
    check_ok(jn_mass_matrix(x.m, x.w, x.q, M));
    double condition = norm_or_1(M, n * n) * norm_or_1(inverse, n * n);
    for (int e = 0; e < n * n; e++) sum[e] = 0;
    for (int k = 0; k < n; k++) {
      const struct {
        int by, out;
        const double *D;
        double size;
      } tests[5] = {{BY_Q, JN_OUT_terms_M, dM, norm_or_1(dM, cube)},
                    {BY_Q, JN_OUT_terms_C, dCq, norm_or_1(dCq, cube)},
                    {BY_V, JN_OUT_terms_C, dCv, norm_or_1(dCv, cube)},
                    {BY_Q, JN_OUT_terms_Mdot, dRq, norm_or_1(dRq, cube)},
                    {BY_V, JN_OUT_terms_Mdot, dRv, norm_or_1(dRv, cube)}};
      for (int e = 0; e < 5; e++) {
        move(&x, tests[e].by, k);
        terms_at(&x, tests[e].out, NULL, Y);
        for (int c = 0; c < n * n; c++) rate[c] = cimag(Y[c]) / h;
        check_close(tests[e].D + k * n * n, rate, n * n, tests[e].size, 2000, "tensor %d, direction %d", e, k);
      }
      move(&x, BY_Q, k);
      jn_call call = {.mass_matrix_inverse = {.q = x.cq, .Minv = Y, .pivots = pivots}};
      run_complex(x.m, -1, JN_KERNEL_mass_matrix_inverse, &call);
      for (int c = 0; c < n * n; c++) rate[c] = cimag(Y[c]) / h;
      check_close(dI + k * n * n, rate, n * n, norm_or_1(dI, cube) * condition, 500, "dM^-1, direction %d", k);
      for (int e = 0; e < n * n; e++) sum[e] += dM[k * n * n + e] * x.v[k];
    }
    check_ok(jn_mass_matrix_rate(x.m, x.w, x.q, x.v, rate));
    check_close(rate, sum, n * n, norm_or_1(rate, n * n), 2000, "dM/dt = sum dM/dq v");
    release(x.m, x.w);
  }
}

/* Central differences on the group, of the public functions, converge as the square of the step. */
static void central_differences_converge(void **st) {
  (void)st;
  uint64_t s = seed("central differences");
  if (jn_variant_epsilon() > 1e-10) return; /* a float variant has no digits to show it */
  static double dq[V * V];
  for (int i = 0; i < 12; i++) {
    state x;
    double error[2], steps[2] = {2e-3, 1e-3};
    begin(&x, &s, i);
    int n = x.nv;
    check_ok(jn_inverse_dynamics_derivatives(x.m, x.w, x.q, x.v, x.a, x.W, JN_IN_BODY, dq, NULL, NULL, NULL));
    for (int e = 0; e < 2; e++) {
      error[e] = 0;
      for (int k = 0; k < n; k++) {
        double tau[2][V], moved[60];
        for (int side = 0; side < 2; side++) {
          for (int c = 0; c < n; c++) x.unit[c] = c == k ? (side ? steps[e] : -steps[e]) : 0;
          check_ok(jn_integrate(x.m, x.w, x.q, x.unit, moved));
          check_ok(jn_inverse_dynamics(x.m, x.w, moved, x.v, x.a, x.W, tau[side]));
        }
        for (int r = 0; r < n; r++)
          error[e] = fmax(error[e], fabs((tau[1][r] - tau[0][r]) / (2 * steps[e]) - dq[r * n + k]));
      }
    }
    double size = norm_or_1(dq, n * n);
    check(error[1] < 1e-3 * size, "error %g of %g", error[1], size);
    check(error[1] < 1e-9 * size || fabs(log2(error[0] / error[1]) - 2) < 0.1, "order %g", log2(error[0] / error[1]));
    release(x.m, x.w);
  }
}

/* The mass of a robot far from the world's origin is no farther from its own joints. */
static void far_from_the_origin_is_as_good_as_near(void **st) {
  (void)st;
  uint64_t s = seed("far");
  jn_builder *b;
  jn_model *m;
  jn_work *w;
  check_ok(jn_builder_create(NULL, &b));
  add_random_link(b, &s, "base", NULL, JN_FREE, NULL);
  add_random_link(b, &s, "arm", "base", JN_REVOLUTE, NULL);
  add_random_link(b, &s, "hand", "arm", JN_REVOLUTE, NULL);
  check_ok(jn_builder_freeze(b, &m, NULL));
  jn_builder_destroy(b);
  check_ok(jn_work_create(m, &w));
  double q[9], v[8], a[8], D[2][64];
  check_ok(jn_random(m, &s, q));
  fill(&s, v, 8, 1);
  fill(&s, a, 8, 1);
  for (int far = 0; far < 2; far++) {
    for (int k = 0; k < 3; k++) q[k] += far * 1e6;
    check_ok(jn_inverse_dynamics_derivatives(m, w, q, v, a, NULL, JN_IN_BODY, D[far], NULL, NULL, NULL));
  }
  check_close(D[1], D[0], 64, norm_or_1(D[0], 64), 100, "a translation of the base changes nothing");
  jn_work_destroy(w);
  jn_model_destroy(m);
}

/* A base on rails a kilometre away, with an arm and a finger of ten grams: nothing depends on where it is, and M^-1 on
 * the way is as good as by itself. */
static void rails_are_as_good_as_a_free_base(void **st) {
  (void)st;
  uint64_t s = seed("rails");
  const jn_joint_type types[6] = {JN_PRISMATIC, JN_PRISMATIC, JN_REVOLUTE, JN_REVOLUTE, JN_REVOLUTE, JN_REVOLUTE};
  jn_builder *b;
  jn_model *m;
  jn_work *w;
  check_ok(jn_builder_create(NULL, &b));
  for (int i = 0; i < 6; i++) {
    char name[16], parent[16];
    jn_link l;
    jn_link_init(&l);
    snprintf(name, sizeof name, "l%d", i);
    snprintf(parent, sizeof parent, "l%d", i - 1);
    l.name = name;
    l.parent = i ? parent : NULL;
    if (i > 2) random_placement(&s, l.placement);
    random_inertia(&s, l.inertia);
    for (int k = 0; k < 10 && i == 5; k++) l.inertia[k] *= k == 0 ? 0.01 : 0.001;
    l.joint.type = types[i];
    memcpy(l.joint.axis, (const double[3]){i == 0, i == 1, i > 1}, sizeof l.joint.axis);
    check_ok(jn_builder_add_link(b, &l));
  }
  check_ok(jn_builder_freeze(b, &m, NULL));
  jn_builder_destroy(b);
  check_ok(jn_work_create(m, &w));
  double q[6], v[6], a[6], tau[6], D[2][3][36], T[2][2][36], inverse[36];
  fill(&s, q, 6, 1);
  fill(&s, v, 6, 1);
  fill(&s, tau, 6, 5);
  for (int far = 0; far < 2; far++) {
    q[0] = far * 1024, q[1] = far * -2048; /* exact in float, too */
    check_ok(
        jn_forward_dynamics_derivatives(m, w, q, v, tau, NULL, JN_IN_BODY, a, D[far][0], D[far][1], D[far][2], NULL));
    check_ok(jn_inverse_dynamics_derivatives(m, w, q, v, tau, NULL, JN_IN_BODY, T[far][0], T[far][1], NULL, NULL));
  }
  check_ok(jn_mass_matrix_inverse(m, w, q, inverse));
  for (int k = 0; k < 3; k++)
    check_close(D[1][k], D[0][k], 36, norm_or_1(D[0][k], 36), 20, "forward dynamics, output %d", k);
  for (int k = 0; k < 2; k++)
    check_close(T[1][k], T[0][k], 36, norm_or_1(T[0][k], 36), 20, "inverse dynamics, output %d", k);
  check_close(D[1][2], inverse, 36, norm_or_1(inverse, 36), 200, "da/dtau = M^-1");
  jn_work_destroy(w);
  jn_model_destroy(m);
}

/* ---- large trees ---- */

/* The matrices themselves: M is dtau/da; C has a closed form of its own in the jets. */
static void check_matrices(jn_model *m, const double *q, const double *v, const double *M, const char *what) {
  static double A[LARGE * LARGE], C[LARGE * LARGE], motion[2 * LARGE];
  jn_work *w;
  int n = jn_model_nv(m);
  check_ok(jn_work_create_order(m, 0, &w));
  memcpy(motion, v, (size_t)n * sizeof *v);
  check_ok(jn_mass_matrix(m, w, q, A));
  check_close(A, M, n * n, norm_or_1(M, n * n), 200, "%s: M = dtau/da", what);
  for (int i = 0; i < n * n; i++) check(A[i] == A[i % n * n + i / n], "%s: M exactly symmetric", what);
  check_ok(jn_coriolis_matrix(m, w, q, v, A));
  check_ok(jn_coriolis_matrix_jet(m, w, 0, q, motion, C));
  check_close(A, C, n * n, norm_or_1(C, n * n) + norm_or_1(M, n * n), 500, "%s: C is that of the jets", what);
  jn_work_destroy(w);
}

/* At a zero wrench that is held in the world, derivatives of inverse dynamics come from columns one by one; hybrid
 * dynamics that prescribe nothing are solved by dense factors: the twins of what large trees take. */
static void check_twins(jn_model *m, uint64_t *s, const char *what) {
  static double q[LARGE + 8], v[LARGE], a[2][LARGE], tau[LARGE], none[LARGE], W[6 * LARGE_LINKS], zero[6 * LARGE_LINKS];
  static double T[6][LARGE * LARGE], D[6][LARGE * LARGE], G[3][LARGE * LARGE], J[4][LARGE * 6 * LARGE_LINKS],
      E[LARGE * LARGE];
  static const unsigned char prescribed[LARGE];
  jn_work *w;
  int n = jn_model_nv(m), wide = 6 * jn_link_count(m);
  check_ok(jn_work_create(m, &w));
  check_ok(jn_random(m, s, q));
  fill(s, v, n, 1);
  fill(s, tau, n, 5);
  fill(s, W, wide, 2);
  check_ok(jn_inverse_dynamics_derivatives(m, w, q, v, tau, NULL, JN_IN_BODY, T[0], T[1], T[2], NULL));
  check_ok(jn_inverse_dynamics_derivatives(m, w, q, v, tau, zero, JN_IN_WORLD, T[3], T[4], T[5], NULL));
  for (int k = 0; k < 3; k++)
    check_close(T[k], T[3 + k], n * n, norm_or_1(T[3 + k], n * n), 200, "%s: dtau, output %d", what, k);
  check_matrices(m, q, v, T[5], what);
  jn_status status = jn_forward_dynamics_derivatives(m, w, q, v, tau, W, JN_IN_BODY, a[0], D[0], D[1], D[2], J[0]);
  check(status == JN_OK || jn_variant_epsilon() > 1e-10, "%s: %s", what, jn_status_text(status));
  jn_hybrid_derivatives out = {a[1], none, D[3], G[0], D[4], G[1], D[5], G[2], J[1], J[2]};
  if (status == JN_OK) status = jn_hybrid_dynamics_derivatives(m, w, prescribed, q, v, a[0], tau, W, JN_IN_BODY, &out);
  if (status == JN_OK) { /* long chains in float may be singular to rounding */
    double condition = norm_or_1(T[2], n * n) * norm_or_1(D[5], n * n);
    check_close(a[0], a[1], n, norm_or_1(a[1], n), 20 * condition, "%s: a", what);
    for (int k = 0; k < 3; k++)
      check_close(D[k], D[3 + k], n * n, norm_or_1(D[3 + k], n * n), 20 * condition, "%s: da, output %d", what, k);
    check_close(J[0], J[1], n * wide, norm_or_1(J[1], n * wide), 20 * condition, "%s: da/dwrench", what);
    check_ok(jn_mass_matrix_inverse(m, w, q, E));
    check_close(D[2], E, n * n, norm_or_1(E, n * n), 200, "%s: da/dtau = M^-1", what);
  }
  jn_work_destroy(w);
}

static void large_trees_agree_with_dense_factors(void **st) {
  (void)st;
  uint64_t s = seed("large");
  int chain[LARGE_LINKS], limbs[LARGE_LINKS], comb[LARGE_LINKS];
  for (int i = 0; i < LARGE_LINKS; i++) {
    chain[i] = i - 1;
    limbs[i] = i % 8 == 1 ? 0 : i - 1;                           /* of eight joints each */
    comb[i] = i < LARGE_LINKS / 2 ? i - 1 : i - LARGE_LINKS / 2; /* every link of the back carries a tooth */
  }
  const struct {
    const char *name;
    int links;
    const int *parent;
    jn_joint_type base;
  } shapes[] = {{"chain", LARGE_LINKS, chain, JN_REVOLUTE},
                {"chain of 17", 17, chain, JN_REVOLUTE},
                {"limbs", 41, limbs, JN_FREE},
                {"limbs on a ball", 41, limbs, JN_SPHERICAL},
                {"comb", LARGE_LINKS, comb, JN_REVOLUTE},
                {"a few", 3, chain, JN_REVOLUTE}};
  for (int i = 0; i < (int)(sizeof shapes / sizeof *shapes); i++)
    for (int backwards = 0; backwards < 2; backwards++) {
      jn_model *m = shaped(&s, shapes[i].links, shapes[i].parent, shapes[i].base, backwards);
      check_twins(m, &s, shapes[i].name);
      jn_model_destroy(m);
    }
}

/* Matrices smaller than a register: what lies behind them stays, to the sign of zero. */
static void matrices_end_where_they_end(void **st) {
  (void)st;
  enum { MOST = 9, BEHIND = 16 };
  for (int n = 1; n <= MOST; n++) {
    float q[MOST], v[MOST], a[MOST], x[MOST], D[3][MOST * MOST + BEHIND];
    char name[32];
    jn_model *m;
    jn_work *w;
    snprintf(name, sizeof name, "builtin:chain:%d", n);
    check_ok(jn_load(name, NULL, &m, NULL));
    check_ok(jn_work_create(m, &w));
    for (int i = 0; i < n; i++) q[i] = 0.3f + (float)i, v[i] = 0.5f, a[i] = -1;
    for (int way = 0; way < 2; way++) {
      for (int k = 0; k < 3; k++)
        for (int i = 0; i < n * n + BEHIND; i++) D[k][i] = -0.0f;
      if (way == 0)
        check_ok(jnf_inverse_dynamics_derivatives(m, w, q, v, a, NULL, JN_IN_BODY, D[0], D[1], D[2], NULL));
      else
        check_ok(jnf_forward_dynamics_derivatives(m, w, q, v, a, NULL, JN_IN_BODY, x, D[0], D[1], D[2], NULL));
      for (int k = 0; k < 3; k++)
        for (int i = n * n; i < n * n + BEHIND; i++)
          check(D[k][i] == 0 && signbit(D[k][i]), "%d joints, output %d, %d behind its end", n, k, i - n * n);
    }
    jn_work_destroy(w);
    jn_model_destroy(m);
  }
}

static void misuse_is_refused(void **st) {
  (void)st;
  uint64_t s = seed("misuse");
  state x;
  static double D[V * V], a[V];
  begin(&x, &s, 4);
  jn_hybrid_derivatives out = {a, a, D, NULL, NULL, NULL, D, D, NULL, NULL};
  unsigned char prescribed[V] = {0};
  check_status(jn_inverse_dynamics_derivatives(x.m, x.w, NULL, x.v, x.a, NULL, JN_IN_BODY, D, NULL, NULL, NULL),
               JN_ERR_NULL);
  check_status(
      jn_inverse_dynamics_derivatives(x.m, x.w, x.q, x.v, x.a, NULL, (jn_representation)7, D, NULL, NULL, NULL),
      JN_ERR_INDEX);
  check_ok(jn_inverse_dynamics_derivatives(x.m, x.w, x.q, NULL, NULL, NULL, JN_IN_BODY, NULL, NULL, NULL, NULL));
  check_status(jn_forward_dynamics_derivatives(x.m, x.w, x.q, x.v, NULL, NULL, JN_IN_BODY, a, D, NULL, NULL, NULL),
               JN_ERR_NULL);
  check_status(jn_hybrid_dynamics_derivatives(x.m, x.w, prescribed, x.q, x.v, x.a, NULL, NULL, JN_IN_BODY, &out),
               JN_ERR_NULL);
  check_status(jn_inverse_dynamics_jet_derivatives(x.m, x.w, 1, x.q, x.v, NULL, D), JN_ERR_WORK);
  check_status(jn_inverse_dynamics_jet_derivatives(x.m, x.w, -1, x.q, x.v, NULL, D), JN_ERR_SIZE);
  release(x.m, x.w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(inverse_dynamics_by_complex_step), cmocka_unit_test(held_wrenches_by_complex_step),
      cmocka_unit_test(solved_dynamics_by_complex_step),  cmocka_unit_test(matrices_by_complex_step),
      cmocka_unit_test(central_differences_converge),     cmocka_unit_test(far_from_the_origin_is_as_good_as_near),
      cmocka_unit_test(rails_are_as_good_as_a_free_base), cmocka_unit_test(large_trees_agree_with_dense_factors),
      cmocka_unit_test(matrices_end_where_they_end),      cmocka_unit_test(misuse_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
