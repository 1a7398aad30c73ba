/* SPDX-License-Identifier: BSD-2-Clause */
/* malloc of the whole process is in the hands of this test: computing functions never call it, and readers survive when
 * it fails, also inside expat and jansson. */
#include "linkage.h"
#include "models.h"

#include "jounce/base_parameters.h"
#include "jounce/trajectory.h"

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void __libc_free(void *);
void *malloc(size_t bytes);
void *calloc(size_t count, size_t bytes);
void *realloc(void *block, size_t bytes);
void free(void *block);

static long calls;     /* allocations since the last reset */
static long live;      /* blocks that are not yet released */
static long left = -1; /* allocations that still succeed; -1: all */
static long refused;   /* those that did not */

static int refuse(void) {
  calls++;
  if (left < 0) return 0;
  if (left == 0) {
    refused++;
    return 1;
  }
  left--;
  return 0;
}

static void *counted(void *block) {
  live += block != NULL;
  return block;
}

void *malloc(size_t bytes) { return refuse() ? NULL : counted(__libc_malloc(bytes)); }
void *calloc(size_t count, size_t bytes) { return refuse() ? NULL : counted(__libc_calloc(count, bytes)); }
void *realloc(void *block, size_t bytes) {
  if (refuse()) return NULL;
  void *moved = __libc_realloc(block, bytes);
  live += moved && !block;
  return moved;
}
void free(void *block) {
  live -= block != NULL;
  __libc_free(block);
}

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
                           jn_spring_forces(m, q, x),
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
  jn_gradient g = {.df_dq = X[0], .df_dv = X[1], .df_dtau = X[2], .df_dinertia = X[3]};
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
      jn_forward_dynamics_second_derivatives(m, w, q, v, W, in, &(jn_forward_solution){X[5], X[0], X[1], X[2]},
                                             &(jn_forward_second_derivatives){.d2a_dvdv = X[3], .room = X[4]}),
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
  if (jn_variant_epsilon() > 1e-10) return;
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

/* ---- every allocation of every function that allocates fails once ---- */

/* What calls need that are made again and again. */
static struct {
  jn_model *m, *closed; /* a tree, and one with a loop */
  double pi[400], q[64], t[16], samples[16 * 64];
} given;

static jn_status try_report(void) {
  jn_report *r = jn_report_create(NULL);
  jn_report_destroy(r);
  return r ? JN_OK : JN_ERR_MEMORY;
}

/* A builder with everything in it, frozen, with faults for the report. */
static jn_status try_builder(void) {
  jn_builder *b;
  jn_model *m = NULL;
  jn_options options;
  jn_link l;
  jn_loop g;
  const double P[10] = {1, 0, 0, 0, 1, 1, 1, 0, 0, 0}, identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  jn_options_init(&options);
  if (!(options.report = jn_report_create(NULL))) return JN_ERR_MEMORY;
  jn_status status = jn_builder_create(&options, &b);
  if (status == JN_OK) status = jn_builder_set_name(b, "robot of the test");
  const char *const names[] = {"a", "b", "c"};
  for (int i = 0; i < 3 && status == JN_OK; i++) {
    jn_link_init(&l);
    l.name = names[i];
    l.parent = i ? names[i - 1] : NULL;
    l.joint.type = JN_REVOLUTE;
    l.inertia[0] = i == 1 ? 0 : 1; /* nothing to move: a warning */
    status = jn_builder_add_link(b, &l);
  }
  if (status == JN_OK) status = jn_builder_add_frame(b, "tool", "c", identity);
  jn_loop_init(&g);
  g.name = "pin", g.link_a = "world", g.link_b = "c";
  if (status == JN_OK) status = jn_builder_add_loop(b, &g);
  if (status == JN_OK) status = jn_builder_set_inertia(b, "a", P);
  if (status == JN_OK) status = jn_builder_add_payload(b, "a", P);
  if (status == JN_OK) status = jn_builder_freeze(b, &m, NULL);
  check((m != NULL) == (status == JN_OK), "a model or an error");
  jn_model_destroy(m);
  jn_builder_destroy(b);
  jn_report_destroy(options.report);
  return status;
}

static jn_status try_thaw(void) {
  jn_builder *b;
  jn_status status = jn_model_thaw(given.m, NULL, &b);
  check((b != NULL) == (status == JN_OK), "a builder or an error");
  jn_builder_destroy(b);
  return status;
}

static jn_status copy_done(jn_status status, jn_model *copy) {
  check((copy != NULL) == (status == JN_OK), "a copy or an error");
  jn_model_destroy(copy);
  return status;
}

static jn_status try_with_inertia(void) {
  jn_model *copy;
  jn_status status = jn_model_with_inertia(given.m, 0, given.pi, &copy);
  return copy_done(status, copy);
}
static jn_status try_with_payload(void) {
  jn_model *copy;
  jn_status status = jn_model_with_payload(given.m, 0, given.pi, &copy);
  return copy_done(status, copy);
}
static jn_status try_with_gravity(void) {
  jn_model *copy;
  jn_status status = jn_model_with_gravity(given.m, given.pi, &copy);
  return copy_done(status, copy);
}
static jn_status try_with_parameters(void) {
  jn_model *copy;
  jn_status status = jn_model_with_parameters(given.m, given.pi, &copy);
  return copy_done(status, copy);
}

static jn_status try_work(void) {
  jn_work *w;
  jn_status status = jn_work_create(given.m, &w);
  check((w != NULL) == (status == JN_OK), "work or an error");
  jn_work_destroy(w);
  return status;
}
static jn_status try_work_order(void) {
  jn_work *w;
  jn_status status = jn_work_create_order(given.m, 3, &w);
  jn_work_destroy(w);
  return status;
}

static jn_status try_batch(void) {
  enum { MANY = 9 };
  static double q[MANY * 64], tau[MANY * 64];
  jn_batch *b;
  jn_status status = jn_batch_create(given.m, 1, 1, &b);
  check((b != NULL) == (status == JN_OK), "a batch or an error");
  for (int i = 0; i < MANY; i++)
    memcpy(q + i * jn_model_nq(given.m), given.q, (size_t)jn_model_nq(given.m) * sizeof *q);
  if (status == JN_OK) status = jn_inverse_dynamics_batch(b, MANY, q, NULL, NULL, NULL, tau);
  jn_batch_destroy(b);
  return status;
}

static jn_status try_loops(void) {
  jn_loops *l;
  jn_status status = jn_loops_create(given.closed, NULL, &l);
  check((l != NULL) == (status == JN_OK), "loops or an error");
  jn_loops_destroy(l);
  return status;
}

static jn_status try_base(void) {
  jn_base *base;
  jn_status status = jn_base_create(given.closed, NULL, &base);
  check((base != NULL) == (status == JN_OK), "base parameters or an error");
  jn_base_destroy(base);
  return status == JN_ERR_UNSUPPORTED ? JN_OK : status;
}

static jn_status try_load(void) {
  jn_model *m;
  jn_status status = jn_load("builtin:chain:3", NULL, &m, NULL);
  check((m != NULL) == (status == JN_OK), "a model or an error");
  jn_model_destroy(m);
  return status == JN_ERR_UNSUPPORTED ? JN_OK : status;
}

static jn_status try_builder_load(void) {
  jn_builder *b;
  jn_status status = jn_builder_create(NULL, &b);
  if (status == JN_OK) status = jn_builder_load(b, "builtin:chain:3", NULL);
  jn_builder_destroy(b);
  return status == JN_ERR_UNSUPPORTED ? JN_OK : status;
}

static jn_status try_save(void) {
  char *text;
  size_t length;
  jn_status status = jn_save_text(given.m, JN_FORMAT_NATIVE, NULL, &text, &length, NULL);
  if (status == JN_OK) jn_text_free(text, NULL);
  return status == JN_ERR_UNSUPPORTED ? JN_OK : status;
}

static jn_status try_trajectory_fit(void) {
  jn_trajectory *t;
  jn_status status = jn_trajectory_fit(given.closed, 16, given.t, given.samples, NULL, &t, NULL);
  check((t != NULL) == (status == JN_OK), "a trajectory or an error");
  jn_trajectory_destroy(t);
  return status;
}

static jn_status try_trajectory_text(void) {
  static const char text[] =
      "t,bar0,bar1,bar2\n0,0,0,0\n1,1,0,1\n2,0,1,0\n3,1,1,1\n4,0,0,1\n5,1,0,0\n6,0,1,1\n7,1,1,0\n";
  jn_trajectory *t;
  jn_status status = jn_trajectory_load_text(given.closed, text, sizeof text - 1, "file", NULL, &t, NULL);
  check((t != NULL) == (status == JN_OK), "a trajectory or an error");
  jn_trajectory_destroy(t);
  return status;
}

static jn_status try_tasks(void) {
  jn_task task;
  jn_tasks *t;
  jn_tasks_options o;
  jn_task_init(&task);
  jn_tasks_options_init(&o);
  o.threads = 2;
  jn_status status = jn_tasks_create(given.closed, &task, 1, &o, &t);
  check((t != NULL) == (status == JN_OK), "tasks or an error");
  jn_tasks_destroy(t);
  return status;
}

static const struct {
  const char *functions;
  jn_status (*run)(void);
  int library; /* of others in it, whose errors and memory are their own */
} sites[] = {
    {"jn_report_create", try_report, 0},
    {"jn_builder_create, its adders and jn_builder_freeze", try_builder, 0},
    {"jn_model_thaw", try_thaw, 0},
    {"jn_model_with_inertia", try_with_inertia, 0},
    {"jn_model_with_payload", try_with_payload, 0},
    {"jn_model_with_gravity", try_with_gravity, 0},
    {"jn_model_with_parameters", try_with_parameters, 0},
    {"jn_work_create", try_work, 0},
    {"jn_work_create_order", try_work_order, 0},
    {"jn_batch_create and the first batch", try_batch, 0},
    {"jn_loops_create", try_loops, 0},
    {"jn_tasks_create", try_tasks, 0},
    {"jn_base_create", try_base, 1},
    {"jn_load of a built-in robot", try_load, 1},
    {"jn_builder_load", try_builder_load, 1},
    {"jn_save_text", try_save, 1},
    {"jn_trajectory_fit", try_trajectory_fit, 0},
    {"jn_trajectory_load_text", try_trajectory_text, 1},
};

static void begin_sites(void) {
  uint64_t s = 7;
  given.m = random_tree(&s, 10);
  given.closed = linkage(3, (const double[]){0.5, 0.7, 0.6}, 0.9);
  check_ok(jn_parameters(given.m, given.pi));
  check_ok(jn_random(given.m, &s, given.q));
  for (int i = 0; i < 16; i++) {
    given.t[i] = i;
    for (int k = 0; k < 3; k++) given.samples[3 * i + k] = uniform(&s);
  }
}

/* JN_ERR_MEMORY at every site, nothing lost, and all is well when memory is there again. */
/* A simulator allocates once, when it is created; steps, events and output do not. */
static void simulating_never_allocates(void **state) {
  (void)state;
  if (jn_variant_epsilon() > 1e-10) return;
  uint64_t s = seed("simulating");
  jn_model *m = random_tree(&s, 8);
  for (int k = 0; k < JN_INTEGRATORS; k++) {
    jn_simulator *simulator;
    jn_simulation_options o;
    jn_simulation_report report;
    double q[64], v[64];
    jn_simulation_options_init(&o);
    o.integrator = (jn_integrator)k;
    o.step = 1e-4;
    o.losses = o.gravity_compensation = 1;
    o.limits = JN_LIMITS_STOP;
    calls = 0;
    check_ok(jn_simulator_create(m, &o, &simulator));
    check(calls == 1, "%s allocates %ld times when it is created", jn_integrator_name(o.integrator), calls);
    calls = 0;
    for (int i = 1; i < 4; i++) {
      check_ok(jn_simulator_step(simulator, 2e-4 * i));
      check_ok(jn_simulator_get(simulator, NULL, q, v));
      check_ok(jn_simulator_report(simulator, &report));
    }
    check(calls == 0, "%s allocates %ld times when it steps", jn_integrator_name(o.integrator), calls);
    jn_simulator_destroy(simulator);
  }
  jn_model_destroy(m);
}

/* Targets that do not move. */
static jn_status stand_still(void *context, double t, int order, double *target, double *rate_jet) {
  (void)t;
  memcpy(target, context, 19 * sizeof(double));
  if (rate_jet) memset(rate_jet, 0, sizeof(double) * 9 * (size_t)(order + 1));
  return JN_OK;
}

static void tasks_never_allocate(void **state) {
  (void)state;
  enum { LINKS = 8, WIDE = 64 };
  if (jn_variant_epsilon() > 1e-10) return;
  uint64_t s = seed("tasks");
  jn_model *m = random_tree(&s, LINKS);
  jn_task task[2];
  jn_tasks_options o;
  jn_tasks *t;
  static double q[WIDE], v[4 * WIDE], target[19], J[3 * 9 * WIDE], rates[3 * 9], L[2 * 81], bias[18],
      Jbar[2 * 9 * WIDE];
  const jn_operational out = {.Lambda = L, .bias = bias, .Jbar = Jbar};
  jn_reach reach;
  jn_tasks_options_init(&o);
  for (int i = 0; i < 2; i++) jn_task_init(&task[i]);
  task[0].frame = LINKS - 1;
  task[1].type = JN_TASK_CENTER_OF_MASS;
  task[1].priority = 1;
  task[1].frame = JN_WORLD;
  o.order = 2;
  o.starts = 3;
  check_ok(jn_tasks_create(m, task, 2, &o, &t));
  check_ok(jn_random(m, &s, q));
  check_ok(jn_tasks_values(t, q, target));
  const jn_tasks_path path = {.context = target, .at = stand_still};
  calls = 0;
  for (int far = 0; far < 2; far++) {
    jn_tasks_solve(t, target, q, NULL, &reach);
    jn_tasks_jacobian_jet(t, 2, q, v, J);
    jn_tasks_rate_jet(t, 2, q, v, rates);
    jn_tasks_motion_jet(t, 2, q, NULL, NULL, rates, v, &reach);
    jn_tasks_follow(t, &path, 0, 1, 0, q, NULL, NULL, &reach);
    jn_tasks_operational_jet(t, 1, q, v, &out);
    jn_tasks_solve_batch(t, 1, target, q, NULL);
    target[3] += 100;
  }
  check(calls == 0, "%ld allocations", calls);
  jn_tasks_destroy(t);
  jn_model_destroy(m);
}

static void every_allocation_fails_once(void **state) {
  (void)state;
  long total = 0;
  begin_sites();
  for (size_t i = 0; i < sizeof sites / sizeof *sites; i++) {
    check_ok(sites[i].run()); /* what libraries keep for later is there */
    long failed = 0;
    for (long n = 0;; n++) {
      long before = live;
      left = n;
      refused = 0;
      jn_status status = sites[i].run();
      left = -1;
      check(live == before || sites[i].library, "%s, allocation %ld: %ld blocks lost", sites[i].functions, n,
            live - before);
      if (refused == 0) {
        check_ok(status);
        break;
      }
      failed++;
      int memory = status == JN_ERR_MEMORY || status == JN_OK;
      check(memory || sites[i].library, "%s, allocation %ld: %s", sites[i].functions, n, jn_status_text(status));
      check(n < 100000, "never succeeds");
    }
    printf("# allocations failed: %ld in %s\n", failed, sites[i].functions);
    total += failed;
  }
  printf("# allocations failed in all: %ld\n", total);
  jn_model_destroy(given.m);
  jn_model_destroy(given.closed);
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
      cmocka_unit_test(simulating_never_allocates),
      cmocka_unit_test(tasks_never_allocate),
      cmocka_unit_test(every_allocation_fails_once),
      cmocka_unit_test(urdf_reader_survives_when_expat_gets_no_memory),
      cmocka_unit_test(native_reader_survives_when_jansson_gets_no_memory),
  };
  return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
