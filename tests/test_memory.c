/* SPDX-License-Identifier: BSD-2-Clause */
/* malloc of the whole process is in the hands of this test: computing functions never call it, and readers survive when
 * it fails, also inside expat and jansson. */
#include "linkage.h"
#include "models.h"

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void __libc_free(void *);
void *malloc(size_t bytes);
void *calloc(size_t count, size_t bytes);
void *realloc(void *block, size_t bytes);
void free(void *block);

static long calls;     /* allocations since the last reset */
static long left = -1; /* allocations that still succeed; -1: all */

static int refuse(void) {
  calls++;
  if (left < 0) return 0;
  if (left == 0) return 1;
  left--;
  return 0;
}

void *malloc(size_t bytes) { return refuse() ? NULL : __libc_malloc(bytes); }
void *calloc(size_t count, size_t bytes) { return refuse() ? NULL : __libc_calloc(count, bytes); }
void *realloc(void *block, size_t bytes) { return refuse() ? NULL : __libc_realloc(block, bytes); }
void free(void *block) { __libc_free(block); }

/* Every function of dynamics.h and kinematics.h once; the first status that is not JN_OK. */
static jn_status compute_everything(const jn_model *m, jn_work *w, const double *q, const double *v) {
  enum { WIDE = 130, FRAMES = 40 };
  static double A[WIDE * WIDE], B[WIDE * WIDE], x[WIDE], y[WIDE], W[6 * FRAMES], J[FRAMES * 6 * WIDE], T[FRAMES * 16];
  static unsigned char given[WIDE];
  jn_representation in = JN_IN_ALIGNED;
  jn_terms terms = {.M = A, .C = B, .tau = x, .poses = T, .jacobians = J, .energy = y};
  const jn_status all[] = {jn_inverse_dynamics(m, w, q, v, v, W, x),
                           jn_gravity_forces(m, w, q, x),
                           jn_coriolis_forces(m, w, q, v, x),
                           jn_bias_forces(m, w, q, v, x),
                           jn_loss_forces(m, v, x),
                           jn_forward_dynamics(m, w, q, v, v, W, x),
                           jn_hybrid_dynamics(m, w, given, q, v, v, v, W, x, y),
                           jn_mass_matrix(m, w, q, A),
                           jn_mass_matrix_inverse(m, w, q, A),
                           jn_mass_matrix_rate(m, w, q, v, A),
                           jn_coriolis_matrix(m, w, q, v, A),
                           jn_mass_factor(m, w, q, A),
                           jn_mass_solve(m, w, A, v, x),
                           jn_energy(m, w, q, v, x),
                           jn_joint_wrenches(m, w, q, v, v, W, J),
                           jn_compute(m, w, q, v, v, W, &terms),
                           jn_frame_pose(m, w, 3, q, T),
                           jn_frame_twist(m, w, 3, in, q, v, x),
                           jn_frame_acceleration(m, w, 3, in, q, v, v, x),
                           jn_frame_jacobian(m, w, 3, in, q, J),
                           jn_frame_jacobian_rate(m, w, 3, in, q, v, J),
                           jn_frame_poses(m, w, q, T),
                           jn_frame_jacobians(m, w, in, q, J),
                           jn_frame_jacobian_rates(m, w, in, q, v, J),
                           jn_space_jacobian(m, w, q, J),
                           jn_space_jacobian_rate(m, w, q, v, J),
                           jn_center_of_mass(m, w, JN_WORLD, q, v, v, x, y, NULL),
                           jn_com_jacobian(m, w, 2, q, J),
                           jn_momentum(m, w, JN_ABOUT_COM, q, v, x),
                           jn_momentum_matrix(m, w, JN_ABOUT_COM, q, J),
                           jn_momentum_matrix_rate(m, w, JN_ABOUT_COM, q, v, J)};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (all[i] != JN_OK) return all[i];
  return JN_OK;
}

static void computing_never_allocates(void **state) {
  (void)state;
  uint64_t s = seed("no allocation");
  jn_model *m = random_tree(&s, 24);
  jn_work *w;
  double q[128], v[128], p[128], T[16], S[36], dS[36];
  check_ok(jn_work_create(m, &w));
  check_ok(jn_random(m, &s, q));
  fill(&s, v, jn_model_nv(m), 1);
  calls = 0;
  jn_status status = jn_integrate(m, w, q, v, p);
  if (status == JN_OK) status = jn_difference(m, w, q, p, v);
  if (status == JN_OK) status = jn_interpolate(m, w, q, p, 0.5, p);
  if (status == JN_OK) status = jn_normalize(m, w, q, q);
  for (int i = 0; i < jn_link_count(m) && status == JN_OK; i++) {
    status = jn_joint_pose(m, w, i, q, T);
    if (status == JN_OK) status = jn_joint_jacobian(m, w, i, q, S);
    if (status == JN_OK) status = jn_joint_jacobian_rate(m, w, i, q, v, dS);
  }
  if (status == JN_OK) status = jn_se3_log(T, S);
  if (status == JN_OK) status = compute_everything(m, w, q, v);
  long seen = calls;
  check(status == JN_OK, "%s", jn_status_text(status));
  check(seen == 0, "%ld allocations in computing functions", seen);
  jn_work_destroy(w);
  jn_model_destroy(m);
}

/* Functions of jets.h, derivatives.h, sensitivity.h, regressor.h and loops.h; the first status that is not JN_OK. */
static jn_status differentiate_everything(const jn_model *m, jn_work *w, jn_loops *l, const double *q,
                                          const double *v) {
  enum { N = 40, K = 2, LINKS = 8, BIG = 10 * LINKS * N * N };
  static double X[6][BIG], W[(K + 1) * LINKS * 6], room[80 * LINKS];
  static unsigned char given[N];
  jn_representation in = JN_IN_ALIGNED;
  jn_scalar axis = {JN_BY_PLACEMENT, 1, 2};
  jn_perturbation p;
  jn_hybrid_derivatives h = {X[0], X[0] + N, X[1], X[2], X[3], X[4], X[5], X[1] + N * N, NULL, NULL};
  jn_gradient g = {.dq = X[0], .dv = X[1], .dtau = X[2], .dinertia = X[3]};
  jn_status made = jn_perturbation_of(m, w, &axis, q, v, room, &p);
  const jn_status all[] = {
      made,
      jn_inverse_dynamics_jet(m, w, K, q, v, W, X[0]),
      jn_forward_dynamics_jet(m, w, K, q, v, X[0], W, X[1]),
      jn_hybrid_dynamics_jet(m, w, K, given, q, v, X[0], W, X[1], X[2]),
      jn_coriolis_matrix_jet(m, w, K, q, v, X[0]),
      jn_momentum_jet(m, w, K, q, v, X[0]),
      jn_system_jet(m, w, K, q, v, X[0], X[1], X[2], X[3]),
      jn_rate_matrices(m, w, K, q, v, X[0]),
      jn_joint_wrenches_jet(m, w, K, q, v, W, X[0]),
      jn_inverse_dynamics_derivatives(m, w, q, v, v, W, in, X[0], X[1], X[2], X[3]),
      jn_forward_dynamics_derivatives(m, w, q, v, v, W, in, X[5], X[0], X[1], X[2], NULL),
      jn_forward_dynamics_second_derivatives(m, w, q, v, X[5], W, in, X[0], X[1], X[2], NULL, NULL, NULL, X[3], X[4]),
      jn_hybrid_dynamics_derivatives(m, w, given, q, v, v, v, W, in, &h),
      jn_inverse_dynamics_second_derivatives(m, w, q, v, v, W, in, X[0], X[1], X[2], X[3]),
      jn_mass_matrix_inverse_derivative(m, w, q, X[0], X[1]),
      jn_coriolis_matrix_derivatives(m, w, q, v, X[0], X[1]),
      jn_frame_jacobian_derivatives(m, w, 3, in, q, v, X[0], X[1], X[2]),
      jn_momentum_derivative(m, w, JN_ABOUT_COM, q, v, X[0]),
      jn_inverse_dynamics_jet_derivatives(m, w, K, q, v, W, X[0]),
      jn_forward_dynamics_sensitivity(m, w, q, v, v, W, 1, &p, X[0], X[1]),
      jn_forward_dynamics_adjoint(m, w, q, v, v, W, in, v, X[4], &g),
      jn_slotine_li_regressor(m, w, q, v, v, v, X[0]),
      jn_regressor_jet(m, w, K, q, v, X[0]),
      jn_parameter_derivatives(m, w, q, v, X[0], X[1], X[2]),
      jn_loops_forward_dynamics_jet(l, K, q, v, X[0], W, X[1], X[2])};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (all[i] != JN_OK) return all[i];
  return JN_OK;
}

static void differentiating_never_allocates(void **state) {
  (void)state;
  uint64_t s = seed("no allocation in derivatives");
  jn_model *m = random_tree(&s, 8);
  jn_work *w;
  jn_loops *l;
  jn_loops_options options;
  double q[64], v[5 * 40];
  jn_loops_options_init(&options);
  options.order = 2;
  check_ok(jn_work_create_order(m, 2, &w));
  check_ok(jn_loops_create(m, &options, &l));
  check_ok(jn_random(m, &s, q));
  check(jn_model_nv(m) <= 40, "nv %d", jn_model_nv(m));
  fill(&s, v, 5 * 40, 1);
  calls = 0;
  jn_status status = differentiate_everything(m, w, l, q, v);
  long seen = calls;
  check(status == JN_OK, "%s", jn_status_text(status));
  check(seen == 0, "%ld allocations in derivatives", seen);
  jn_loops_destroy(l);
  jn_work_destroy(w);
  jn_model_destroy(m);
}

/* A five-bar linkage with redundant conditions and a motor to spare. */
static void loops_never_allocate(void **state) {
  (void)state;
  enum { N = 4, K = 2, L = 4 };
  if (jn_row_epsilon() > 1e-10) return;
  jn_model *m = linkage(N, (const double[]){0.5, 0.7, 0.7, 0.5}, 0.6);
  jn_loops *l;
  jn_loops_options options;
  static double v[(K + 2) * N], tau[(K + 1) * N], jet[(K + 2) * N], lambda[(K + 1) * 5], D[2][10 * 5 * L], W[12],
      Y[(K + 1) * 10 * N * L], links[(K + 1) * 6 * L];
  double q[N] = {2.0, -1.2, -1.4, -1.0};
  const unsigned char given[N] = {1, 1, 0, 0}, actuated[N] = {1, 1, 1, 0};
  jn_loops_health health;
  jn_loops_options_init(&options);
  options.order = K;
  check_ok(jn_loops_create(m, &options, &l));
  const jn_loops_derivatives d = {.da_dq = D[0], .dlambda_dpi = D[1]};
  const jn_loops_inverse_derivatives e = {.dtau_dq = D[0], .dtau_dpi = D[1]};
  v[0] = 1;
  calls = 0;
  const jn_status all[] = {
      jn_loops_assemble(l, given, 0, q, NULL),
      jn_loops_complete_motion(l, K, given, q, v),
      jn_loops_project(l, NULL, q, v),
      jn_loops_forward_dynamics_jet(l, K, q, v, tau, NULL, jet, lambda),
      jn_loops_dynamics_derivatives(l, NULL, q, v, jet + N, lambda, NULL, JN_IN_BODY, &d),
      jn_loops_forward_dynamics_derivatives(l, q, v, tau, NULL, JN_IN_BODY, jet + N, lambda, &d),
      jn_loops_hybrid_dynamics_jet(l, K, given, q, v, tau, NULL, jet, tau, lambda),
      jn_loops_inverse_dynamics_jet(l, K, actuated, JN_LEAST_TORQUE, NULL, q, jet, NULL, NULL, tau, lambda),
      jn_loops_inverse_dynamics_derivatives(l, actuated, JN_LEAST_LAMBDA, NULL, q, jet, jet + N, NULL, NULL, JN_IN_BODY,
                                            NULL, NULL, &e),
      jn_loops_regressor_jet(l, K, actuated, JN_LEAST_TORQUE, NULL, q, jet, Y),
      jn_loops_wrenches(l, q, lambda, W),
      jn_loops_link_wrenches_jet(l, K, q, jet, lambda, NULL, links),
      jn_loops_impact(l, 0, q, v, NULL),
      jn_loops_health_at(l, q, &health, NULL)};
  long seen = calls;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) check(all[i] == JN_OK, "%zu: %s", i, jn_status_text(all[i]));
  check(seen == 0, "%ld allocations in loops", seen);
  jn_loops_destroy(l);
  jn_model_destroy(m);
}

/* Loads with the n-th allocation failing, for every n, until it succeeds. */
static UNUSED void survive(const char *what, const char *text, jn_format format) {
  size_t length = strlen(text);
  for (long n = 0;; n++) {
    jn_model *m = NULL;
    jn_error error;
    left = n;
    jn_status status = jn_load_text(text, length, format, "file", NULL, &m, &error);
    int exhausted = left == 0;
    left = -1;
    if (status == JN_OK) {
      check(m != NULL, "a model");
      jn_model_destroy(m);
      if (exhausted) continue; /* an allocation that a library can do without */
      printf("# %s: %ld allocations\n", what, n);
      break;
    }
    check(m == NULL, "no model on error");
    /* jansson calls it a syntax error when it has no memory for a string, and there is no telling */
    int ours = status == JN_ERR_MEMORY || (format == JN_FORMAT_NATIVE && status == JN_ERR_SYNTAX);
    check(ours, "%s, allocation %ld: %s: %s", what, n, jn_status_text(status), error.text);
    check(n < 100000, "never succeeds");
  }
}

static void urdf_reader_survives_when_expat_gets_no_memory(void **state) {
  (void)state;
#if JN_WITH_URDF
  survive("urdf",
          "<robot name='r'><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' "
          "iyz='0'/></inertial></link><link name='b'/><joint name='j' type='revolute'><parent link='a'/><child "
          "link='b'/><axis xyz='0 0 1'/><limit effort='1' velocity='1' lower='-1' upper='1'/></joint></robot>",
          JN_FORMAT_URDF);
#else
  skip();
#endif
}

static void native_reader_survives_when_jansson_gets_no_memory(void **state) {
  (void)state;
#if JN_WITH_JSON
  survive("native",
          "{\"name\":\"r\",\"bodies\":[{\"name\":\"a\",\"joint\":{\"type\":\"revolute\",\"axis\":[0,0,1],\"limits\":"
          "{\"lower\":-1,\"upper\":1}},\"inertia\":{\"mass\":1,\"com\":[0,0,0],\"tensor\":[[1,0,0],[0,1,0],[0,0,1]]}},"
          "{\"name\":\"b\",\"parent\":\"a\",\"placement\":{\"position\":[1,0,0],\"rpy\":[0,0,1]}}],"
          "\"frames\":[{\"name\":\"f\",\"body\":\"b\"}]}",
          JN_FORMAT_NATIVE);
#else
  skip();
#endif
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(computing_never_allocates),
      cmocka_unit_test(differentiating_never_allocates),
      cmocka_unit_test(loops_never_allocate),
      cmocka_unit_test(urdf_reader_survives_when_expat_gets_no_memory),
      cmocka_unit_test(native_reader_survives_when_jansson_gets_no_memory),
  };
  return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
