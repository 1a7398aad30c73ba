/* SPDX-License-Identifier: BSD-2-Clause */
/* No function touches a byte outside the arrays it was given, writes to an input, or leaves part of an output
 * unwritten.
 *
 * Every function that computes is called with arrays of exactly the documented size between guard pages (guarded.h):
 * one state and many, double and float, on trees of many shapes. Work memory, models and batches lie at guard pages,
 * too. Results are not looked at: the other tests do that. tests/headers.sh sees that no function is missing here. */
#include "guarded.h"
#include "models.h"

enum { MOST_COUNT = 9, MOST_ORDER = 5 };

typedef enum way { ONE, ONE_FLOAT, MANY, MANY_FLOAT, WAYS } way;

typedef struct trial {
  jn_model *m;
  jn_work *w; /* the caller's memory, of exactly jn_work_size_order() */
  jn_batch *b;
  guards g, work_guard;
  way way;
  int count, order, nq, nv, L, nframe, frame, link, joint_nv, round;
  uint64_t seed;
  long calls, singular;
} trial;

static size_t number(const trial *t) {
  return t->way == ONE_FLOAT || t->way == MANY_FLOAT ? sizeof(float) : sizeof(double);
}
static size_t states(const trial *t) { return t->way == ONE || t->way == ONE_FLOAT ? 1 : (size_t)t->count; }

/* An input from numbers in double, `size` of them for a state. */
static void *input(trial *t, const double *from, int size) {
  size_t n = states(t) * (size_t)size;
  if (number(t) == sizeof(double)) return guarded(&t->g, n * sizeof(double), from);
  float *narrow = malloc(n * sizeof *narrow + 1);
  check(narrow, "memory");
  for (size_t i = 0; i < n; i++) narrow[i] = (float)from[i];
  void *array = guarded(&t->g, n * sizeof(float), narrow);
  free(narrow);
  return array;
}

static void *random_input(trial *t, int size, double largest) {
  size_t n = states(t) * (size_t)size;
  double *from = malloc(n * sizeof *from + 1);
  check(from, "memory");
  fill(&t->seed, from, (int)n, largest);
  void *array = input(t, from, size);
  free(from);
  return array;
}

static void *configuration(trial *t) {
  double *from = malloc((size_t)(MOST_COUNT * t->nq) * sizeof *from + 1);
  check(from, "memory");
  for (size_t k = 0; k < states(t); k++) check_ok(jn_random(t->m, &t->seed, from + k * (size_t)t->nq));
  void *array = input(t, from, t->nq);
  free(from);
  return array;
}

static void *mask(trial *t) { /* the same for all states, and no number */
  unsigned char from[256];
  for (int i = 0; i < t->nv; i++) from[i] = uniform(&t->seed) > 0;
  return guarded(&t->g, (size_t)t->nv, from);
}

static void *output(trial *t, int size) { return guarded(&t->g, states(t) * (size_t)size * number(t), NULL); }
/* An output that may be NULL: wanted three times out of four. */
static void *perhaps(trial *t, int size) { return uniform(&t->seed) > -0.5 ? output(t, size) : NULL; }

#define Q configuration(t)
#define IN(size) random_input(t, size, 1)
#define VEC IN(t->nv)
#define MAYBE_WRENCH (uniform(&t->seed) > 0 ? IN(6 * t->L) : NULL)
#define MAYBE_WRENCH_JET (uniform(&t->seed) > 0 ? IN(6 * t->L * (t->order + 1)) : NULL)
#define V_JET IN((t->order + 2) * t->nv)
#define TAU_JET IN((t->order + 1) * t->nv)
#define OUT(size) output(t, size)
#define MAYBE(size) perhaps(t, size)
#define MASK mask(t)
#define HELD ((jn_representation)(t->round % 3))
#define ABOUT ((jn_about)(t->round % 2))
#define N (t->nv)
#define N2 (t->nv * t->nv)
#define N3 (t->nv * t->nv * t->nv)
#define PI (10 * t->L)
#define ROWS (t->order + 1)

static void called(trial *t, jn_status status, const char *function) {
  static const char *const ways[WAYS] = {"jn_", "jnf_", "batch of jn_", "batch of jnf_"};
  char call[128];
  snprintf(call, sizeof call, "%s%s (nv %d, %d states, order %d)", ways[t->way], function, t->nv, (int)states(t),
           t->order);
  int wanted = 0; /* a function may refuse to be asked for nothing */
  for (int i = 0; i < t->g.used; i++) wanted += !t->g.slot[i].before;
  check(status == JN_OK || status == JN_ERR_SINGULAR || (status == JN_ERR_NULL && !wanted), "%s: %s", call,
        jn_status_text(status));
  check_guarded(&t->g, number(t), status == JN_OK, call);
  t->calls++;
  t->singular += status == JN_ERR_SINGULAR;
}

/* One call in the way of the trial, with the structs of the numbers at hand under short names. */
#define DOUBLE_STRUCTS                                       \
  typedef jn_terms TERMS UNUSED;                             \
  typedef jn_hybrid_derivatives HYBRID UNUSED;               \
  typedef jn_gradient GRADIENT UNUSED;                       \
  typedef jn_direction DIRECTION UNUSED;                     \
  typedef jn_inverse_derivatives_along INVERSE_ALONG UNUSED; \
  typedef jn_forward_derivatives_along FORWARD_ALONG UNUSED; \
  typedef jn_forward_solution SOLUTION UNUSED;               \
  typedef jn_forward_second_derivatives FORWARD_SECOND UNUSED;
#define FLOAT_STRUCTS                                         \
  typedef jnf_terms TERMS UNUSED;                             \
  typedef jnf_hybrid_derivatives HYBRID UNUSED;               \
  typedef jnf_gradient GRADIENT UNUSED;                       \
  typedef jnf_direction DIRECTION UNUSED;                     \
  typedef jnf_inverse_derivatives_along INVERSE_ALONG UNUSED; \
  typedef jnf_forward_derivatives_along FORWARD_ALONG UNUSED; \
  typedef jnf_forward_solution SOLUTION UNUSED;               \
  typedef jnf_forward_second_derivatives FORWARD_SECOND UNUSED;
#define BOUNDED(function, ...)                                                                  \
  do {                                                                                          \
    if (t->way == ONE) {                                                                        \
      DOUBLE_STRUCTS called(t, jn_##function(t->m, t->w, __VA_ARGS__), #function);              \
    } else if (t->way == ONE_FLOAT) {                                                           \
      FLOAT_STRUCTS called(t, jnf_##function(t->m, t->w, __VA_ARGS__), #function);              \
    } else if (t->way == MANY) {                                                                \
      DOUBLE_STRUCTS called(t, jn_##function##_batch(t->b, states(t), __VA_ARGS__), #function); \
    } else {                                                                                    \
      FLOAT_STRUCTS called(t, jnf_##function##_batch(t->b, states(t), __VA_ARGS__), #function); \
    }                                                                                           \
  } while (0)

static void kinematics(trial *t) {
  int frame = t->frame, link = t->link, six = 6 * N;
  BOUNDED(integrate, Q, VEC, OUT(t->nq));
  BOUNDED(difference, Q, Q, OUT(N));
  BOUNDED(integrate_derivatives, Q, VEC, OUT(N2), OUT(N2));
  BOUNDED(difference_derivatives, Q, Q, OUT(N2), OUT(N2));
  BOUNDED(interpolate, Q, Q, 0.3f, OUT(t->nq));
  BOUNDED(normalize, Q, OUT(t->nq));
  BOUNDED(joint_pose, link, Q, OUT(16));
  BOUNDED(joint_jacobian, link, Q, OUT(6 * t->joint_nv));
  BOUNDED(joint_jacobian_rate, link, Q, VEC, OUT(6 * t->joint_nv));
  BOUNDED(frame_pose, frame, Q, OUT(16));
  BOUNDED(frame_twist, frame, HELD, Q, VEC, OUT(6));
  BOUNDED(frame_acceleration, frame, HELD, Q, VEC, VEC, OUT(6));
  BOUNDED(frame_jacobian, frame, HELD, Q, OUT(six));
  BOUNDED(frame_jacobian_rate, frame, HELD, Q, VEC, OUT(six));
  BOUNDED(frame_poses, Q, OUT(16 * t->nframe));
  BOUNDED(frame_jacobians, HELD, Q, OUT(six * t->nframe));
  BOUNDED(frame_jacobian_rates, HELD, Q, VEC, OUT(six * t->nframe));
  BOUNDED(space_jacobian, Q, OUT(six));
  BOUNDED(space_jacobian_rate, Q, VEC, OUT(six));
  BOUNDED(center_of_mass, t->round % 2 ? link : JN_WORLD, Q, VEC, VEC, MAYBE(3), MAYBE(3), MAYBE(3));
  BOUNDED(com_jacobian, t->round % 2 ? link : JN_WORLD, Q, OUT(3 * N));
  BOUNDED(composite_inertia, ABOUT, Q, OUT(10));
  BOUNDED(momentum, ABOUT, Q, VEC, OUT(6));
  BOUNDED(momentum_matrix, ABOUT, Q, OUT(six));
  BOUNDED(momentum_matrix_rate, ABOUT, Q, VEC, OUT(six));
}

static void dynamics(trial *t) {
  int six = 6 * N, frames = t->nframe;
  BOUNDED(inverse_dynamics, Q, VEC, VEC, MAYBE_WRENCH, OUT(N));
  BOUNDED(gravity_forces, Q, OUT(N));
  BOUNDED(coriolis_forces, Q, VEC, OUT(N));
  BOUNDED(bias_forces, Q, VEC, OUT(N));
  BOUNDED(forward_dynamics, Q, VEC, VEC, MAYBE_WRENCH, OUT(N));
  BOUNDED(hybrid_dynamics, MASK, Q, VEC, VEC, VEC, MAYBE_WRENCH, OUT(N), OUT(N));
  BOUNDED(mass_matrix, Q, OUT(N2));
  BOUNDED(mass_matrix_inverse, Q, OUT(N2));
  BOUNDED(mass_matrix_rate, Q, VEC, OUT(N2));
  BOUNDED(coriolis_matrix, Q, VEC, OUT(N2));
  BOUNDED(coriolis_matrix_christoffel, Q, VEC, OUT(N2));
  BOUNDED(mass_factor, Q, OUT(N2));
  BOUNDED(mass_solve, IN(N2), VEC, OUT(N));
  BOUNDED(energy, Q, VEC, OUT(2));
  BOUNDED(joint_wrenches, Q, VEC, VEC, MAYBE_WRENCH, OUT(6 * t->L));
  BOUNDED(compute, Q, VEC, VEC, MAYBE_WRENCH,
          &(TERMS){.M = MAYBE(N2),
                   .C = MAYBE(N2),
                   .Mdot = MAYBE(N2),
                   .tau = MAYBE(N),
                   .g = MAYBE(N),
                   .bias = MAYBE(N),
                   .coriolis = MAYBE(N),
                   .poses = MAYBE(16 * frames),
                   .twists = MAYBE(6 * frames),
                   .accelerations = MAYBE(6 * frames),
                   .jacobians = MAYBE(six * frames),
                   .jacobian_rates = MAYBE(six * frames),
                   .space_jacobian = MAYBE(six),
                   .space_jacobian_rate = MAYBE(six),
                   .com = MAYBE(3),
                   .com_velocity = MAYBE(3),
                   .com_acceleration = MAYBE(3),
                   .com_jacobian = MAYBE(3 * N),
                   .momentum = MAYBE(6),
                   .momentum_matrix = MAYBE(six),
                   .momentum_matrix_rate = MAYBE(six),
                   .energy = MAYBE(2),
                   .in = HELD,
                   .about = ABOUT});
}

static void jets(trial *t) {
  int K = t->order, six = 6 * N;
  BOUNDED(inverse_dynamics_jet, K, Q, V_JET, MAYBE_WRENCH_JET, OUT(ROWS * N));
  BOUNDED(forward_dynamics_jet, K, Q, VEC, TAU_JET, MAYBE_WRENCH_JET, OUT((ROWS + 1) * N));
  BOUNDED(hybrid_dynamics_jet, K, MASK, Q, V_JET, TAU_JET, MAYBE_WRENCH_JET, OUT((ROWS + 1) * N), MAYBE(ROWS * N));
  BOUNDED(mass_matrix_jet, K, Q, V_JET, OUT(ROWS * N2));
  BOUNDED(coriolis_matrix_jet, K, Q, V_JET, OUT(ROWS * N2));
  BOUNDED(gravity_forces_jet, K, Q, V_JET, OUT(ROWS * N));
  BOUNDED(momentum_jet, K, Q, V_JET, OUT(ROWS * 6));
  BOUNDED(center_of_mass_jet, K, Q, V_JET, OUT(ROWS * 3));
  BOUNDED(energy_jet, K, Q, V_JET, OUT(ROWS * 2));
  BOUNDED(frame_twist_jet, K, t->frame, Q, V_JET, OUT(ROWS * 6));
  BOUNDED(frame_jacobian_jet, K, t->frame, Q, V_JET, OUT(ROWS * six));
  BOUNDED(joint_jacobian_jet, K, t->link, Q, V_JET, OUT(ROWS * 6 * t->joint_nv));
  BOUNDED(system_jet, K, Q, V_JET, MAYBE(ROWS * 36 * t->L * t->L), MAYBE(ROWS * 6 * t->L), MAYBE(ROWS * 6 * t->L),
          MAYBE(ROWS * six * t->L));
  BOUNDED(rate_matrices, K, Q, V_JET, OUT((ROWS + 1) * N2));
  BOUNDED(wrench_forces_jet, K, Q, V_JET, IN(ROWS * 6 * t->L), OUT(ROWS * N));
  BOUNDED(joint_wrenches_jet, K, Q, V_JET, MAYBE_WRENCH_JET, OUT(ROWS * 6 * t->L));
  BOUNDED(regressor_jet, K, Q, V_JET, OUT(ROWS * N * PI));
  if (K <= 2) BOUNDED(inverse_dynamics_jet_derivatives, K, Q, V_JET, MAYBE_WRENCH_JET, OUT(ROWS * (ROWS + 2) * N2));
}

static void derivatives(trial *t) {
  int by_wrench = N * 6 * t->L, six = 6 * N;
  BOUNDED(inverse_dynamics_derivatives, Q, VEC, VEC, MAYBE_WRENCH, HELD, MAYBE(N2), MAYBE(N2), MAYBE(N2),
          MAYBE(by_wrench));
  BOUNDED(forward_dynamics_derivatives, Q, VEC, VEC, MAYBE_WRENCH, HELD, OUT(N), MAYBE(N2), MAYBE(N2), OUT(N2),
          MAYBE(by_wrench));
  BOUNDED(hybrid_dynamics_derivatives, MASK, Q, VEC, VEC, VEC, MAYBE_WRENCH, HELD,
          &(HYBRID){.a = OUT(N),
                    .tau = OUT(N),
                    .da_dq = OUT(N2),
                    .dtau_dq = OUT(N2),
                    .da_dv = OUT(N2),
                    .dtau_dv = OUT(N2),
                    .da_dgiven = OUT(N2),
                    .dtau_dgiven = OUT(N2),
                    .da_dwrench = OUT(by_wrench),
                    .dtau_dwrench = OUT(by_wrench)});
  BOUNDED(inverse_dynamics_derivatives_along, Q, VEC, VEC, MAYBE_WRENCH, HELD,
          &(DIRECTION){.dq_ds = VEC, .dv_ds = VEC, .da_ds = VEC},
          &(INVERSE_ALONG){MAYBE(N), MAYBE(N2), MAYBE(N2), MAYBE(N2)});
  BOUNDED(inverse_dynamics_second_derivatives, Q, VEC, VEC, MAYBE_WRENCH, HELD, MAYBE(N3), MAYBE(N3), MAYBE(N3),
          MAYBE(N3));
  BOUNDED(forward_dynamics_derivatives_along, Q, VEC, MAYBE_WRENCH, HELD,
          &(SOLUTION){.a = VEC, .da_dq = IN(N2), .da_dv = IN(N2), .da_dtau = IN(N2)},
          &(DIRECTION){.dq_ds = VEC, .dv_ds = VEC, .dtau_ds = VEC},
          &(FORWARD_ALONG){.d2a_dsdq = MAYBE(N2), .d2a_dsdv = MAYBE(N2), .d2a_dsdtau = OUT(N2)});
  BOUNDED(mass_matrix_derivative, Q, OUT(N3));
  BOUNDED(mass_matrix_inverse_derivative, Q, OUT(N2), OUT(N3));
  BOUNDED(coriolis_matrix_derivatives, Q, VEC, MAYBE(N3), MAYBE(N3));
  BOUNDED(mass_matrix_rate_derivatives, Q, VEC, MAYBE(N3), MAYBE(N3));
  BOUNDED(gravity_forces_derivative, Q, OUT(N2));
  BOUNDED(frame_jacobian_derivatives, t->frame, HELD, Q, VEC, MAYBE(six * N), MAYBE(six * N), MAYBE(six * N));
  BOUNDED(frame_twist_derivatives, t->frame, HELD, Q, VEC, OUT(six));
  BOUNDED(frame_acceleration_derivatives, t->frame, HELD, Q, VEC, VEC, MAYBE(six), MAYBE(six));
  BOUNDED(momentum_derivative, ABOUT, Q, VEC, OUT(six));
  BOUNDED(center_of_mass_derivatives, Q, VEC, VEC, MAYBE(3 * N), MAYBE(3 * N), MAYBE(3 * N), MAYBE(3 * N));
  BOUNDED(inverse_dynamics_adjoint, Q, VEC, VEC, MAYBE_WRENCH, HELD, VEC,
          &(GRADIENT){.df_dq = MAYBE(N),
                      .df_dv = MAYBE(N),
                      .df_da = MAYBE(N),
                      .df_dwrench = MAYBE(6 * t->L),
                      .df_dinertia = MAYBE(PI),
                      .df_dgravity = MAYBE(3),
                      .df_darmature = MAYBE(N)});
  BOUNDED(forward_dynamics_adjoint, Q, VEC, VEC, MAYBE_WRENCH, HELD, VEC, OUT(N),
          &(GRADIENT){.df_dq = MAYBE(N),
                      .df_dv = MAYBE(N),
                      .df_dtau = OUT(N),
                      .df_dwrench = MAYBE(6 * t->L),
                      .df_dinertia = MAYBE(PI),
                      .df_dgravity = MAYBE(3),
                      .df_darmature = MAYBE(N)});
}

static void parameters(trial *t) {
  BOUNDED(regressor, Q, VEC, VEC, OUT(N * PI));
  BOUNDED(slotine_li_regressor, Q, VEC, VEC, VEC, OUT(N * PI));
  BOUNDED(inertia_regressor, Q, VEC, VEC, VEC, OUT(N * PI));
  BOUNDED(gravity_regressor, Q, OUT(N * PI));
  BOUNDED(energy_regressor, Q, VEC, OUT(2 * PI));
  BOUNDED(momentum_regressor, Q, VEC, OUT(6 * PI));
  BOUNDED(joint_wrench_regressor, t->link, Q, VEC, VEC, OUT(6 * PI));
  BOUNDED(parameter_derivatives, Q, VEC, MAYBE(PI * N2), MAYBE(PI * N2), MAYBE(N * PI));
  BOUNDED(forward_dynamics_parameter_derivatives, Q, VEC, VEC, MAYBE_WRENCH, OUT(N), OUT(N * PI));
  BOUNDED(hybrid_dynamics_parameter_derivatives, MASK, Q, VEC, VEC, VEC, MAYBE_WRENCH, OUT(N), OUT(N), OUT(N * PI),
          OUT(N * PI));
}

/* Costs O(nv^4), and more than the guarded rows hold for large trees. */
static void second_derivatives_of_forward_dynamics(trial *t) {
  BOUNDED(forward_dynamics_second_derivatives, Q, VEC, MAYBE_WRENCH, HELD,
          &(SOLUTION){.a = VEC, .da_dq = IN(N2), .da_dv = IN(N2), .da_dtau = IN(N2)},
          &(FORWARD_SECOND){.d2a_dqdq = OUT(N3),
                            .d2a_dqdv = OUT(N3),
                            .d2a_dqdtau = OUT(N3),
                            .d2a_dvdv = OUT(N3),
                            .room = guarded_scratch(&t->g, states(t) * (size_t)N3 * number(t))});
}

static const int orders[] = {0, 1, 2, 3, MOST_ORDER}, counts[] = {1, 2, 3, 4, 5, 8, MOST_COUNT};

/* Every function in every way on one model, which is released afterwards. Rounds differ in link, representation, order,
 * number of states and in which outputs are wanted. */
static void try_all(trial *t, jn_model *m, int rounds) {
  t->m = m;
  t->nq = jn_model_nq(m);
  t->nv = jn_model_nv(m);
  t->L = jn_link_count(m);
  t->nframe = jn_frame_count(m);
  check(t->nv <= 256, "the mask has room");
  for (int i = 0; i < rounds * SIDES; i++) {
    int n = t->round++;
    t->g.side = t->work_guard.side = (side)(i % SIDES);
    t->order = orders[n % 5];
    t->count = counts[n % 7];
    t->link = n % t->L;
    t->frame = n % t->nframe;
    t->joint_nv = jn_joint_mimic(m, t->link, NULL, NULL, NULL) ? 1 : jn_joint_nv(m, t->link);
    size_t bytes = jn_work_size_order(m, t->order);
    check_ok(jn_work_init_order(m, t->order, guarded(&t->work_guard, bytes, NULL), bytes, &t->w));
    check_ok(jn_batch_create(m, t->order, 1 + n % 2, &t->b));
    for (t->way = ONE; t->way < WAYS; t->way++) {
      kinematics(t);
      dynamics(t);
      jets(t);
      derivatives(t);
      parameters(t);
      if (t->nv <= 16) second_derivatives_of_forward_dynamics(t);
    }
    jn_batch_destroy(t->b);
    t->work_guard.used = 0;
  }
  jn_model_destroy(m);
}

static jn_model *frozen(jn_builder *b) {
  jn_model *m;
  jn_error error;
  jn_status status = jn_builder_freeze(b, &m, &error);
  check(status == JN_OK, "%s", error.text);
  jn_builder_destroy(b);
  return m;
}

static jn_builder *guarded_builder(void) {
  jn_options options;
  jn_builder *b;
  jn_options_init(&options);
  options.allocator = &guard_allocator;
  check_ok(jn_builder_create(&options, &b));
  return b;
}

static trial *begin(const char *what) {
  static trial t;
  t.seed = seed(what);
  t.calls = t.singular = t.round = t.g.used = t.work_guard.used = 0;
  return &t;
}

static void end(const trial *t) {
  printf("# %ld calls, %ld of them singular\n", t->calls, t->singular);
  check(t->calls > 0 && t->singular < t->calls / 100, "almost all calls have an answer");
}

/* Links l0, l1, ...; every parent is one of the links before. */
static void add(jn_builder *b, uint64_t *s, int i, int parent, jn_joint_type type) {
  char name[16], above[16];
  snprintf(name, sizeof name, "l%d", i);
  snprintf(above, sizeof above, "l%d", parent);
  add_random_link(b, s, name, parent < 0 ? NULL : above, type, NULL);
}

/* Chains of one to nine joints: every remainder of the widths in which rows are worked on. */
static void chains(void **state) {
  (void)state;
  trial *t = begin("chains");
  for (int links = 1; links <= 9; links++) {
    jn_builder *b = guarded_builder();
    for (int i = 0; i < links; i++) add(b, &t->seed, i, i - 1, links % 3 == 2 && i == 1 ? JN_PRISMATIC : JN_REVOLUTE);
    try_all(t, frozen(b), 2);
  }
  end(t);
}

/* One joint of each type alone, and between two revolute ones. */
static void every_joint_type(void **state) {
  (void)state;
  trial *t = begin("joint types");
  for (int type = 0; type < JN_JOINT_TYPES; type++)
    for (int alone = 0; alone < 2; alone++) {
      jn_builder *b = guarded_builder();
      int links = alone ? 1 : 3;
      if (alone && type == JN_FIXED) type++; /* nothing moves */
      for (int i = 0; i < links; i++) add(b, &t->seed, i, i - 1, i == links / 2 ? (jn_joint_type)type : JN_REVOLUTE);
      try_all(t, frozen(b), 1);
    }
  end(t);
}

/* A free body with four legs, two free bodies, and a long chain with a short side branch. */
static void shapes_of_real_robots(void **state) {
  (void)state;
  trial *t = begin("shapes");
  for (int shape = 0; shape < 3; shape++) {
    jn_builder *b = guarded_builder();
    for (int i = 0; i < (shape == 2 ? 21 : 13); i++) {
      int root = shape < 2 && (i == 0 || (shape == 1 && i == 7));
      int parent = i % 3 == 1 ? 0 : i - 1;
      if (shape == 1 && i > 7) parent = 7;
      if (shape == 2) parent = i == 19 ? 3 : i - 1;
      add(b, &t->seed, i, root ? -1 : parent, root ? JN_FREE : i % 7 == 5 ? JN_PRISMATIC : JN_REVOLUTE);
    }
    try_all(t, frozen(b), 1);
  }
  end(t);
}

/* Arms with two fingers, of which one follows the other: one to five coordinates, where matrices over joints are larger
 * than those over coordinates, and smaller than the widths in which rows are worked on. */
static void coupled_fingers(void **state) {
  (void)state;
  trial *t = begin("fingers");
  for (int arm = 0; arm <= 4; arm++) {
    jn_builder *b = guarded_builder();
    for (int i = 0; i <= arm; i++) add(b, &t->seed, i, i - 1, i == 0 ? JN_FIXED : JN_REVOLUTE);
    char palm[16];
    snprintf(palm, sizeof palm, "l%d", arm);
    add_random_link(b, &t->seed, "left", palm, JN_PRISMATIC, NULL);
    add_random_link(b, &t->seed, "right", palm, JN_PRISMATIC, "left");
    jn_model *m = frozen(b);
    check(jn_model_is_coupled(m) && jn_model_nv(m) == arm + 1, "%d coordinates", jn_model_nv(m));
    try_all(t, m, 2);
  }
  end(t);
}

/* Trees of all joint types, a third of them with coupled coordinates. */
static void random_trees(void **state) {
  (void)state;
  trial *t = begin("trees");
  for (int i = 0; i < 10; i++) try_all(t, random_tree(&t->seed, 2 + i), 1);
  end(t);
}

/* ---- closed loops ---- */

/* Outputs of derivatives that have m rows (lambda) or nv. */
#define COLUMNS(rows) OUT(rows *N), OUT(rows *N), OUT(rows *N), OUT(rows * 6 * t->L), OUT(rows *PI)

static void loop_dynamics(trial *t, jn_loops *loops, const double *q0, int m) {
  int K = t->order;
  const int rows = ROWS;
  double v[64], lambda[64], a[64], v_jet[64 * (MOST_ORDER + 2)];
  check(m <= 64 && N <= 64, "room");
  double *in_place = guarded_scratch(&t->g, (size_t)N * sizeof(double));
  fill(&t->seed, in_place, N, 1);
  jn_status status = jn_loops_project(loops, NULL, input(t, q0, t->nq), in_place);
  memcpy(v, in_place, (size_t)N * sizeof *v);
  called(t, status, "loops_project");
#define HERE input(t, q0, t->nq)
#define SPEED input(t, v, N)
  called(t, jn_loops_constraint(loops, HERE, SPEED, OUT(m), OUT(m * N), OUT(m)), "loops_constraint");
  called(t, jn_loops_gaps(loops, HERE, OUT(jn_loop_count(t->m))), "loops_gaps");
  jn_loops_health health;
  called(t, jn_loops_health_at(loops, HERE, &health, guarded_scratch(&t->g, (size_t)m)), "loops_health_at");
  double *tau = IN(rows * N), *motion = OUT((rows + 1) * N), *multipliers = OUT(rows * m);
  status = jn_loops_forward_dynamics_jet(loops, K, HERE, SPEED, tau, NULL, motion, multipliers);
  check_ok(status);
  memcpy(a, motion + N, (size_t)N * sizeof *a);
  memcpy(v_jet, motion, (size_t)((rows + 1) * N) * sizeof *v_jet);
  memcpy(lambda, multipliers, (size_t)m * sizeof *lambda);
  called(t, status, "loops_forward_dynamics_jet");
  called(t,
         jn_loops_dynamics_derivatives(loops, NULL, HERE, SPEED, input(t, a, N), input(t, lambda, m), MAYBE_WRENCH,
                                       HELD, &(jn_loops_derivatives){COLUMNS(N), COLUMNS(N), COLUMNS(m)}),
         "loops_dynamics_derivatives");
  called(t,
         jn_loops_forward_dynamics_derivatives(loops, HERE, SPEED, VEC, MAYBE_WRENCH, HELD, OUT(N), OUT(m),
                                               &(jn_loops_derivatives){COLUMNS(N), COLUMNS(N), COLUMNS(m)}),
         "loops_forward_dynamics_derivatives");
  unsigned char all[64];
  memset(all, 1, sizeof all);
  called(t,
         jn_loops_inverse_dynamics_jet(loops, K, guarded(&t->g, (size_t)N, all), JN_LEAST_TORQUE, NULL, HERE,
                                       input(t, v_jet, (rows + 1) * N), NULL, MAYBE_WRENCH_JET, OUT(rows * N),
                                       OUT(rows * m)),
         "loops_inverse_dynamics_jet");
  called(t,
         jn_loops_regressor_jet(loops, K, guarded(&t->g, (size_t)N, all), JN_LEAST_TORQUE, NULL, HERE,
                                input(t, v_jet, (rows + 1) * N), OUT(rows * N * PI)),
         "loops_regressor_jet");
  called(
      t,
      jn_loops_inverse_dynamics_derivatives(
          loops, guarded(&t->g, (size_t)N, all), JN_LEAST_TORQUE, NULL, HERE, SPEED, input(t, a, N), NULL, MAYBE_WRENCH,
          HELD, OUT(N), OUT(m), &(jn_loops_inverse_derivatives){OUT(N2), COLUMNS(N), OUT(m * N), COLUMNS(m)}),
      "loops_inverse_dynamics_derivatives");
  called(t, jn_loops_wrenches(loops, HERE, input(t, lambda, m), OUT(12 * jn_loop_count(t->m))), "loops_wrenches");
}

/* The built-in mechanisms: every function of loops.h that takes arrays. */
static void closed_loops(void **state) {
  (void)state;
  const char *const names[] = {"builtin:four_bar", "builtin:stewart", "builtin:delta"};
  trial *t = begin("loops");
  for (int i = 0; i < 12; i++) {
    jn_options options;
    jn_error error;
    jn_loops *loops;
    jn_options_init(&options);
    options.allocator = &guard_allocator;
    jn_status status = jn_load(names[i / 4], &options, &t->m, &error);
    if (status == JN_ERR_UNSUPPORTED) skip(); /* a build without jansson has no built-in mechanisms */
    check(status == JN_OK, "%s", error.text);
    t->way = ONE;
    t->nq = jn_model_nq(t->m);
    t->nv = jn_model_nv(t->m);
    t->L = jn_link_count(t->m);
    t->order = i % 3;
    t->g.side = (side)(i % SIDES);
    t->round = i;
    jn_loops_options loop_options;
    jn_loops_options_init(&loop_options);
    loop_options.order = t->order;
    check_ok(jn_loops_create(t->m, &loop_options, &loops));
    double q[256];
    check_ok(jn_neutral(t->m, q));
    check_ok(jn_loops_assemble(loops, NULL, 0, q, NULL));
    loop_dynamics(t, loops, q, jn_loops_rows(loops));
    jn_loops_destroy(loops);
    jn_model_destroy(t->m);
  }
  end(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(chains),          cmocka_unit_test(every_joint_type), cmocka_unit_test(shapes_of_real_robots),
      cmocka_unit_test(coupled_fingers), cmocka_unit_test(random_trees),     cmocka_unit_test(closed_loops),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
