/* SPDX-License-Identifier: BSD-2-Clause */
/* Second derivatives with respect to the state, and derivatives of torque rates: every entry by the complex step of
 * other kernels. */
#include "derivatives_help.h"

static int has_group(const jn_model *m) {
  int found = 0;
  for (int l = 0; l < jn_link_count(m); l++) found |= jn_joint_nv(m, l) != jn_joint_nq(m, l);
  return found;
}

/* Tensors of inverse dynamics by complex step of the first derivatives; products with a vector; symmetry. */
static void second_derivatives_by_complex_step(void **st) {
  (void)st;
  uint64_t s = seed("d2tau");
  static double qq[V * V * V], qv[V * V * V], vv[V * V * V], qa[V * V * V], rate[V * V], along[4][V * V], sum[4][V * V];
  static complex_t Y[3][V * V];
  int symmetric = 0;
  for (int i = 0; i < MODELS / 2; i++) {
    state x;
    double dir[3][V], dtau[V], first[V];
    begin(&x, &s, i);
    int n = x.nv, cube = n * n * n;
    check_ok(jn_inverse_dynamics_second_derivatives(x.m, x.w, x.q, x.v, x.a, x.W, JN_IN_BODY, qq, qv, vv, qa));
    for (int e = 0; e < 3; e++) fill(&s, dir[e], n, 1);
    memset(sum, 0, sizeof sum);
    for (int by = BY_Q; by <= BY_A; by++)
      for (int k = 0; k < n; k++) {
        move(&x, by, k);
        jn_call call = {
            .inverse_dynamics_derivatives = {
                .q = x.cq, .v = x.cv, .a = x.ca, .wrench = x.cW, .dtau_dq = Y[0], .dtau_dv = Y[1], .dtau_da = Y[2]}};
        run_complex(x.m, -1, JN_KERNEL_inverse_dynamics_derivatives, &call);
        for (int out = 0; out < 3; out++) {
          const double *D = by == BY_Q ? (const double *[]){qq, qv, qa}[out] : by == BY_V && out == 1 ? vv : NULL;
          for (int c = 0; c < n * n; c++) rate[c] = cimag(Y[out][c]) / h;
          for (int c = 0; c < n * n; c++) sum[out][c] += rate[c] * dir[by][k];
          if (D)
            check_close(D + k * n * n, rate, n * n, norm_or_1(D, cube), 4000, "by %d of %d, direction %d", by, out, k);
        }
      }
    const jn_direction direction = {.dq_ds = dir[0], .dv_ds = dir[1], .da_ds = dir[2]};
    const jn_inverse_derivatives_along changes = {
        .dtau_ds = dtau, .d2tau_dsdq = along[0], .d2tau_dsdv = along[1], .d2tau_dsda = along[2]};
    check_ok(jn_inverse_dynamics_derivatives_along(x.m, x.w, x.q, x.v, x.a, x.W, JN_IN_BODY, &direction, &changes));
    double size = norm_or_1(qq, cube) + norm_or_1(qv, cube) + norm_or_1(vv, cube) + norm_or_1(qa, cube);
    for (int out = 0; out < 3; out++) check_close(along[out], sum[out], n * n, size, 8000, "along, output %d", out);
    check_ok(
        jn_inverse_dynamics_derivatives(x.m, x.w, x.q, x.v, x.a, x.W, JN_IN_BODY, along[0], along[1], along[2], NULL));
    for (int r = 0; r < n; r++) {
      first[r] = 0;
      for (int e = 0; e < 3; e++)
        for (int c = 0; c < n; c++) first[r] += along[e][r * n + c] * dir[e][c];
    }
    check_close(dtau, first, n, size, 2000, "dtau = T_q dq + T_v dv + M da");
    symmetric += !has_group(x.m);
    for (int a = 0; a < n; a++)
      for (int r = 0; r < n; r++)
        for (int b = 0; b < a; b++) {
          check_close(&vv[(a * n + r) * n + b], &vv[(b * n + r) * n + a], 1, size, 4000, "d2/dv2 is symmetric");
          if (!has_group(x.m))
            check_close(&qq[(a * n + r) * n + b], &qq[(b * n + r) * n + a], 1, size, 4000, "d2/dq2 is symmetric");
        }
    release(x.m, x.w);
  }
  check(symmetric > 0, "some models have vector spaces of configurations");
}

static void forward_second_derivatives_by_complex_step(void **st) {
  (void)st;
  uint64_t s = seed("d2a");
  static double D[3][V * V], second[4][V * V * V], room[V * V * V], rate[V * V], along[3][V * V], sum[3][V * V],
      M[V * V];
  static complex_t Y[3][V * V], a_out[V], pivots[V];
  for (int i = 0; i < MODELS / 3; i++) {
    state x;
    double a[V], tau[V], dir[3][V];
    begin(&x, &s, i);
    int n = x.nv, cube = n * n * n;
    fill(&s, tau, n, 5);
    check_ok(jn_forward_dynamics_derivatives(x.m, x.w, x.q, x.v, tau, x.W, JN_IN_BODY, a, D[0], D[1], D[2], NULL));
    const jn_forward_solution at = {.a = a, .da_dq = D[0], .da_dv = D[1], .da_dtau = D[2]};
    const jn_forward_second_derivatives all = {second[0], second[1], second[2], second[3], room};
    check_ok(jn_forward_dynamics_second_derivatives(x.m, x.w, x.q, x.v, x.W, JN_IN_BODY, &at, &all));
    for (int e = 0; e < 3; e++) fill(&s, dir[e], n, 1);
    const jn_direction direction = {.dq_ds = dir[0], .dv_ds = dir[1], .dtau_ds = dir[2]};
    const jn_forward_derivatives_along changes = {along[0], along[1], along[2]};
    check_ok(jn_forward_dynamics_derivatives_along(x.m, x.w, x.q, x.v, x.W, JN_IN_BODY, &at, &direction, &changes));
    check_ok(jn_mass_matrix(x.m, x.w, x.q, M));
    double condition = norm_or_1(M, n * n) * norm_or_1(D[2], n * n), size = 1;
    for (int e = 0; e < 4; e++) size = fmax(size, norm_or_1(second[e], cube));
    memset(sum, 0, sizeof sum);
    for (int by = BY_Q; by <= BY_A; by++)
      for (int k = 0; k < n; k++) {
        complex_t ctau[V];
        move(&x, by == BY_A ? -1 : by, k);
        for (int r = 0; r < n; r++) ctau[r] = CMPLX(tau[r], by == BY_A && r == k ? h : 0);
        jn_call call = {.hybrid_dynamics_derivatives = {.q = x.cq,
                                                        .v = x.cv,
                                                        .tau = ctau,
                                                        .wrench = x.cW,
                                                        .a_out = a_out,
                                                        .da_dq = Y[0],
                                                        .da_dv = Y[1],
                                                        .da_dgiven = Y[2],
                                                        .pivots = pivots}};
        run_complex(x.m, -1, JN_KERNEL_hybrid_dynamics_derivatives, &call);
        for (int out = 0; out < 3; out++) {
          const double *T = by == BY_Q ? second[out] : by == BY_V && out == 1 ? second[3] : NULL;
          for (int c = 0; c < n * n; c++) rate[c] = cimag(Y[out][c]) / h;
          for (int c = 0; c < n * n; c++) sum[out][c] += rate[c] * dir[by][k];
          if (T)
            check_close(T + k * n * n, rate, n * n, size * condition, 4000, "by %d of %d, direction %d", by, out, k);
        }
      }
    for (int out = 0; out < 3; out++)
      check_close(along[out], sum[out], n * n, size * condition * n, 4000, "along, output %d", out);
    release(x.m, x.w);
  }
}

/* Two algorithms: all tensors in closed form, and one direction after another, which wrenches held in the world still
 * take; here those wrenches are zero. */
static void closed_form_is_that_by_directions(void **st) {
  (void)st;
  uint64_t s = seed("closed");
  static double closed[4][V * V * V], turns[4][V * V * V], D[3][V * V], M[V * V], room[V * V * V];
  double none[WIDE] = {0};
  for (int i = 0; i < MODELS / 2; i++) {
    state x;
    double a[V], size = 0, condition;
    begin(&x, &s, i);
    int n = x.nv, cube = n * n * n;
    check_ok(jn_inverse_dynamics_second_derivatives(x.m, x.w, x.q, x.v, x.a, none, JN_IN_BODY, closed[0], closed[1],
                                                    closed[2], closed[3]));
    check_ok(jn_inverse_dynamics_second_derivatives(x.m, x.w, x.q, x.v, x.a, none, JN_IN_WORLD, turns[0], turns[1],
                                                    turns[2], turns[3]));
    for (int e = 0; e < 4; e++) size = fmax(size, norm_or_1(closed[e], cube));
    for (int e = 0; e < 4; e++) check_close(closed[e], turns[e], cube, size, 2000, "tensor %d of inverse dynamics", e);
    check_ok(jn_forward_dynamics_derivatives(x.m, x.w, x.q, x.v, x.a, none, JN_IN_BODY, a, D[0], D[1], D[2], NULL));
    const jn_forward_solution at = {.a = a, .da_dq = D[0], .da_dv = D[1], .da_dtau = D[2]};
    const jn_forward_second_derivatives by_formula = {closed[0], closed[1], closed[2], closed[3], room};
    const jn_forward_second_derivatives by_turns = {turns[0], turns[1], turns[2], turns[3], room};
    check_ok(jn_forward_dynamics_second_derivatives(x.m, x.w, x.q, x.v, none, JN_IN_BODY, &at, &by_formula));
    check_ok(jn_forward_dynamics_second_derivatives(x.m, x.w, x.q, x.v, none, JN_IN_WORLD, &at, &by_turns));
    check_ok(jn_mass_matrix(x.m, x.w, x.q, M));
    condition = norm_or_1(M, n * n) * norm_or_1(D[2], n * n);
    for (int e = 0; e < 4; e++) size = fmax(size, norm_or_1(closed[e], cube));
    for (int e = 0; e < 4; e++)
      check_close(closed[e], turns[e], cube, size * condition, 4000, "tensor %d of forward dynamics", e);
    release(x.m, x.w);
  }
}

/* d tau^(k) / dq and / d v^(j), by complex step of the jets. */
static void torque_rates_by_complex_step(void **st) {
  (void)st;
  uint64_t s = seed("dtau_jets");
  enum { TOP = 3 };
  static double D[(TOP + 1) * (TOP + 3) * V * V], v[(TOP + 2) * V], W[(TOP + 1) * WIDE];
  static complex_t cv[(TOP + 2) * V], cW[(TOP + 1) * WIDE], y[(TOP + 1) * V];
  for (int i = 0; i < MODELS / 2; i++) {
    state x;
    jn_work *w;
    begin(&x, &s, i);
    int n = x.nv;
    check_ok(jn_work_create_order(x.m, TOP, &w));
    fill(&s, v, (TOP + 2) * n, 1);
    fill(&s, W, (TOP + 1) * x.wide, 1);
    check_ok(jn_inverse_dynamics_jet_derivatives(x.m, w, TOP, x.q, v, W, D));
    for (int e = 0; e < (TOP + 1) * x.wide; e++) cW[e] = W[e];
    for (int J = 0; J < TOP + 3; J++)
      for (int c = 0; c < n; c++) {
        for (int e = 0; e < (TOP + 2) * n; e++) cv[e] = CMPLX(v[e], e == (J - 1) * n + c ? h : 0);
        move(&x, J == 0 ? BY_Q : BY_A, c);
        jn_call call = {.inverse_dynamics_jet = {.q = x.cq, .v_jet = cv, .wrench_jet = cW, .tau_jet = y, .order = TOP}};
        run_complex(x.m, TOP, JN_KERNEL_inverse_dynamics_jet, &call);
        for (int k = 0; k <= TOP; k++) {
          const double *block = D + (k * (TOP + 3) + J) * n * n;
          check_column(block, n, n, c, y + k * n, norm_or_1(D + k * (TOP + 3) * n * n, (TOP + 3) * n * n), 4000,
                       "rates");
        }
      }
    jn_work_destroy(w);
    release(x.m, x.w);
  }
}

/* ---- large trees ---- */

/* Long chains write their tensors in blocks; whole ones, and what is left over. */
static void tensors_of_chains_are_those_by_directions(void **st) {
  (void)st;
  enum { MOST = 47 };
  uint64_t s = seed("chains");
  static double closed[4][MOST * MOST * MOST], turns[4][MOST * MOST * MOST];
  int chain[MOST];
  for (int i = 0; i < MOST; i++) chain[i] = i - 1;
  for (int n = 40; n <= MOST; n += n == 40 ? 3 : 4) {
    double q[MOST], v[MOST], a[MOST], none[6 * MOST] = {0}, size = 0;
    jn_model *m = shaped(&s, n, chain, JN_REVOLUTE, n == 43);
    jn_work *w;
    int cube = n * n * n;
    check_ok(jn_work_create(m, &w));
    check_ok(jn_random(m, &s, q));
    fill(&s, v, n, 1);
    fill(&s, a, n, 1);
    memset(closed, 0x7f, sizeof closed);
    check_ok(jn_inverse_dynamics_second_derivatives(m, w, q, v, a, none, JN_IN_BODY, closed[0], closed[1], closed[2],
                                                    closed[3]));
    check_ok(jn_inverse_dynamics_second_derivatives(m, w, q, v, a, none, JN_IN_WORLD, turns[0], turns[1], turns[2],
                                                    turns[3]));
    for (int e = 0; e < 4; e++) size = fmax(size, norm_or_1(turns[e], cube));
    for (int e = 0; e < 4; e++) check_close(closed[e], turns[e], cube, size, 2000, "%d joints, tensor %d", n, e);
    jn_work_destroy(w);
    jn_model_destroy(m);
  }
}

/* Derivatives of C of chains and of trees with a free base: every entry is written, and C v is part of inverse
 * dynamics: dC/dv_h e_k + dC/dv_k e_h = d2tau/dv_h dv_k, and dC/dq_h v is the part of dtau/dq_h that comes with v. */
static void derivatives_of_coriolis_are_those_of_forces(void **st) {
  (void)st;
  enum { BODIES = 22, MOST = BODIES + 5 };
  uint64_t s = seed("dC of large trees");
  static double dCq[MOST * MOST * MOST], dCv[MOST * MOST * MOST], vv[MOST * MOST * MOST], sum[MOST * MOST * MOST],
      moving[MOST * MOST], still[MOST * MOST], product[MOST * MOST];
  for (int round = 0; round < 6; round++) {
    int parent[BODIES], links = BODIES - round, branched = round % 2;
    double q[MOST + 1], v[MOST], zero[MOST] = {0};
    for (int i = 0; i < links; i++) parent[i] = branched && i > 2 ? i - 1 - i % 3 : i - 1;
    jn_model *m = shaped(&s, links, parent, branched ? JN_FREE : JN_REVOLUTE, round == 4);
    jn_work *w;
    int n = jn_model_nv(m), cube = n * n * n;
    check_ok(jn_work_create(m, &w));
    check_ok(jn_random(m, &s, q));
    fill(&s, v, n, 1);
    memset(dCq, 0x7f, sizeof dCq);
    memset(dCv, 0x7f, sizeof dCv);
    check_ok(jn_coriolis_matrix_derivatives(m, w, q, v, dCq, dCv));
    check_ok(jn_inverse_dynamics_second_derivatives(m, w, q, v, NULL, NULL, JN_IN_BODY, NULL, NULL, vv, NULL));
    check_ok(jn_inverse_dynamics_derivatives(m, w, q, v, NULL, NULL, JN_IN_BODY, moving, NULL, NULL, NULL));
    check_ok(jn_inverse_dynamics_derivatives(m, w, q, zero, NULL, NULL, JN_IN_BODY, still, NULL, NULL, NULL));
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++) {
        double along = 0;
        for (int k = 0; k < n; k++) {
          sum[(j * n + i) * n + k] = dCv[(j * n + i) * n + k] + dCv[(k * n + i) * n + j];
          along += dCq[(j * n + i) * n + k] * v[k];
        }
        product[i * n + j] = along + still[i * n + j];
      }
    check_close(sum, vv, cube, norm_or_1(vv, cube), 2000, "round %d: dC/dv", round);
    check_close(product, moving, n * n, norm_or_1(dCq, cube) + norm_or_1(moving, n * n), 2000, "round %d: dC/dq",
                round);
    jn_work_destroy(w);
    jn_model_destroy(m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(second_derivatives_by_complex_step),
      cmocka_unit_test(forward_second_derivatives_by_complex_step),
      cmocka_unit_test(closed_form_is_that_by_directions),
      cmocka_unit_test(torque_rates_by_complex_step),
      cmocka_unit_test(tensors_of_chains_are_those_by_directions),
      cmocka_unit_test(derivatives_of_coriolis_are_those_of_forces),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
