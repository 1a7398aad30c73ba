/* SPDX-License-Identifier: BSD-2-Clause */
/* What dynamics must not depend on: the choice of frames, the order of coordinates, coupling as a projection, the way
 * of calling. */
#include "dynamics_help.h"

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
      cmocka_unit_test(torques_do_not_depend_on_the_choice_of_frames),
      cmocka_unit_test(coupled_coordinates_are_a_projection),
      cmocka_unit_test(order_of_coordinates_only_permutes),
      cmocka_unit_test(one_call_gives_what_single_calls_give),
      cmocka_unit_test(torques_do_not_depend_on_the_inertial_frame),
      cmocka_unit_test(nan_in_gives_nan_out),
      cmocka_unit_test(float_functions_agree_with_double),
  };
  return cmocka_run_group_tests_name("dynamics_invariance", tests, NULL, NULL);
}
