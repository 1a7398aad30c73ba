/* SPDX-License-Identifier: BSD-2-Clause */
/* Identification from all kinds of rows: payloads, base wrenches, coupled motors, the user's own columns and rows,
 * files; and what a motion does not tell. */
#include "identification_help.h"

static void a_payload_is_one_link(void **state) {
  (void)state;
  uint64_t s = seed("payload");
  description d = plain();
  jn_model *arm = make_arm(&d, 0), *loaded;
  double payload[10], p[10];
  data x;
  jn_inertia_pack(2, (double[3]){0.03, -0.02, 0.1}, (double[6]){0.01, 0.012, 0.008, 0, 0.001, 0}, payload);
  check_ok(jn_model_with_payload(arm, 2, payload, &loaded));
  make_data(loaded, &s, STATES, &x);
  const char *links[] = {"three"};
  jn_identification_options o;
  jn_identification *id;
  jn_identification_options_init(&o);
  o.columns = JN_IDENTIFY_INERTIA;
  o.links = links;
  o.link_count = 1;
  check_ok(jn_identification_create(arm, &o, &id, NULL));
  check(jn_identification_count(id) == 10, "%d unknowns", jn_identification_count(id));
  add(id, &x);
  const jn_estimate *e = solve(id, 1);
  check_ok(jn_link_inertia(arm, 2, p));
  for (int k = 0; k < 10; k++) p[k] += payload[k];
  double gap = distance(e->x, p, 10, 0);
  check(e->told == 10 && gap < 1e-6, "the payload is off by %g, %d of 10 are told", gap, e->told);
  links[0] = "four";
  jn_identification *none;
  jn_error error;
  check_status(jn_identification_create(arm, &o, &none, &error), JN_ERR_NAME);
  assert_non_null(strstr(error.text, "four"));
  jn_identification_destroy(id);
  jn_model_destroy(arm);
  jn_model_destroy(loaded);
}

/* No joint forces, only the wrench under the first link: it tells more, such as the mass of the first link. */
static void the_base_wrench_tells_without_joint_forces(void **state) {
  (void)state;
  uint64_t s = seed("base wrench");
  description d = plain();
  jn_model *truth = make_arm(&d, 0), *start = make_arm(&d, 1);
  jn_identification_options o;
  jn_identification *id;
  jn_work *w;
  jn_identification_options_init(&o);
  o.columns = JN_IDENTIFY_INERTIA;
  o.wrench_link = 0;
  check_ok(jn_identification_create(start, &o, &id, NULL));
  check(jn_identification_channels(id) == LINKS + 6, "%d channels", jn_identification_channels(id));
  check_ok(jn_work_create(truth, &w));
  for (int k = 0; k < STATES; k++) {
    double q[LINKS], v[LINKS], a[LINKS], wrench[LINKS][6], forces[LINKS + 6];
    fill(&s, q, LINKS, 2);
    fill(&s, v, LINKS, 3);
    fill(&s, a, LINKS, 9);
    check_ok(jn_joint_wrenches(truth, w, q, v, a, NULL, wrench[0]));
    for (int i = 0; i < LINKS; i++) forces[i] = NAN;
    memcpy(forces + LINKS, wrench[0], sizeof wrench[0]);
    check_ok(jn_identification_add(id, 1, q, v, a, forces));
  }
  const jn_estimate *e = solve(id, 1e-3);
  double b[N];
  const double *B = jn_identification_base_matrix(id);
  for (int i = 0; i < e->base_count; i++) {
    b[i] = 0;
    for (int k = 0; k < e->count; k++) {
      double p[10];
      true_inertia(k / 10, p);
      b[i] += B[i * e->count + k] * p[k % 10];
    }
  }
  double gap = distance(e->base, b, e->base_count, 0);
  check(e->told == e->base_count && gap < 1e-9, "off by %g, %d of %d are told", gap, e->told, e->base_count);
  jn_work_destroy(w);
  jn_identification_destroy(id);
  jn_model_destroy(truth);
  jn_model_destroy(start);
}

/* The third motor turns with both the second and the third joint: G = [1 0 0; 0 1 0; 0 1 1]. */
static void coupled_motors_act_on_all_their_joints(void **state) {
  (void)state;
  static const double G[9] = {1, 0, 0, 0, 1, 0, 0, 1, 1}, rotor[3] = {0.1, 0.2, 0.3}, viscous[3] = {1, 2, 3},
                      coulomb[3] = {0.5, 0.4, 0.7}, offset[3] = {0.1, -0.2, 0.3};
  uint64_t s = seed("coupling");
  description d = plain();
  jn_model *arm = make_arm(&d, 0), *bare;
  jn_builder *b;
  data x;
  jn_work *w;
  check_ok(jn_model_thaw(arm, NULL, &b));
  check_ok(jn_builder_freeze(b, &bare, NULL));
  jn_builder_destroy(b);
  make_data(bare, &s, STATES, &x);
  check_ok(jn_work_create(arm, &w));
  for (int k = 0; k < x.count; k++) {
    double Y[LINKS * 10 * LINKS], pi[10 * LINKS];
    check_ok(jn_regressor(arm, w, x.q[k], x.v[k], x.a[k], Y));
    check_ok(jn_parameters(arm, pi));
    for (int i = 0; i < LINKS; i++) {
      x.tau[k][i] = 0;
      for (int c = 0; c < 10 * LINKS; c++) x.tau[k][i] += Y[i * 10 * LINKS + c] * pi[c];
    }
    for (int m = 0; m < 3; m++) {
      double speed = 0, acceleration = 0;
      for (int i = 0; i < LINKS; i++) speed += G[3 * m + i] * x.v[k][i], acceleration += G[3 * m + i] * x.a[k][i];
      double force = rotor[m] * acceleration + viscous[m] * speed + coulomb[m] * (speed > 0 ? 1 : -1) + offset[m];
      for (int i = 0; i < LINKS; i++) x.tau[k][i] += G[3 * m + i] * force;
    }
  }
  jn_identification_options o;
  jn_identification *id;
  jn_identification_options_init(&o);
  o.columns = ALL;
  o.motors = 3;
  o.coupling = G;
  check_ok(jn_identification_create(arm, &o, &id, NULL));
  add(id, &x);
  const jn_estimate *e = solve(id, 1e-3);
  for (int m = 0; m < 3; m++) {
    const double *motors = e->x + 10 * LINKS;
    check(fabs(motors[3 + m] - viscous[m]) < 1e-6, "viscous friction %g", motors[3 + m]);
    check(fabs(motors[6 + m] - coulomb[m]) < 1e-6, "Coulomb friction %g", motors[6 + m]);
    check(fabs(motors[9 + m] - offset[m]) < 1e-5, "offset %g", motors[9 + m]);
  }
  check(jn_identification_coordinate(id, 10 * LINKS + 2) == JN_NONE, "the third motor has no joint of its own");
  char name[64];
  check_ok(jn_identification_name(id, 10 * LINKS + 2, name, sizeof name));
  assert_string_equal(name, "motor_3.rotor");
  jn_identification_destroy(id);
  jn_work_destroy(w);
  jn_model_destroy(arm);
  jn_model_destroy(bare);
}

static void motors_have_names(void **state) {
  (void)state;
  static const double G[9] = {1, 0, 0, 0, 1, 0, 0, 1, 1};
  description d = plain();
  jn_model *arm = make_arm(&d, 0);
  jn_identification_options o;
  jn_identification *id;
  char name[64];
  jn_identification_options_init(&o);
  o.columns = ALL;
  o.motors = 3;
  o.coupling = G;
  o.motor_names = (const char *const[]){"base", "", "wrist"};
  check_status(jn_identification_create(arm, &o, &id, NULL), JN_ERR_SIZE); /* how many? */
  o.motor_name_count = 3;
  check_ok(jn_identification_create(arm, &o, &id, NULL));
  check_ok(jn_identification_name(id, 10 * LINKS + 2, name, sizeof name));
  assert_string_equal(name, "wrist.rotor");
  check_ok(jn_identification_name(id, 10 * LINKS + 1, name, sizeof name));
  assert_string_equal(name, "two.rotor");
  jn_identification_destroy(id);
  jn_model_destroy(arm);
}

/* Columns of the user: a spring that hardens, k q^3, at the second joint. */
static void cubic(const double *q, const double *v, const double *a, double *Y, void *context) {
  (void)v;
  (void)a;
  for (int i = 0; i < LINKS; i++) Y[i] = i == 1 ? q[i] * q[i] * q[i] : 0;
  ++*(int *)context;
}

static void user_columns_and_rows_are_told(void **state) {
  (void)state;
  uint64_t s = seed("user columns");
  description d = plain();
  jn_model *arm = make_arm(&d, 0);
  data x;
  int calls = 0;
  make_data(arm, &s, STATES, &x);
  for (int k = 0; k < x.count; k++) x.tau[k][1] += 7 * pow(x.q[k][1], 3);
  jn_identification_options o;
  jn_identification *id;
  jn_identification_options_init(&o);
  o.user = cubic;
  o.user_columns = 1;
  o.context = &calls;
  check_ok(jn_identification_create(arm, &o, &id, NULL));
  int n = jn_identification_count(id);
  add(id, &x);
  const jn_estimate *e = solve(id, 1e-3);
  check(fabs(e->x[n - 1] - 7) < 1e-6, "the spring is %g, not 7", e->x[n - 1]);
  check(calls >= STATES, "%d calls", calls);
  /* one row that says the spring is 8, with all the weight of its channel's noise, moves it a little */
  double row[N] = {0}, y = 8;
  row[n - 1] = 1;
  check_ok(jn_identification_add_rows(id, 1, 1, row, &y));
  e = solve(id, 1e-3);
  check(e->x[n - 1] > 7 && e->x[n - 1] < 8, "the spring is %g", e->x[n - 1]);
  check_status(jn_identification_add_rows(id, LINKS, 1, row, &y), JN_ERR_INDEX);
  jn_identification_destroy(id);
  jn_model_destroy(arm);
}

/* A robot in free fall: no forces at all, but its momentum is measured. */
static void momentum_tells_without_forces(void **state) {
  (void)state;
  uint64_t s = seed("momentum");
  jn_model *m;
  if (jn_load("builtin:quadruped", NULL, &m, NULL) == JN_ERR_UNSUPPORTED) return;
  jn_identification_options o;
  jn_identification *id;
  jn_identification_options_init(&o);
  o.columns = JN_IDENTIFY_INERTIA;
  o.user_channels = 6;
  check_ok(jn_identification_create(m, &o, &id, NULL));
  int n = jn_identification_count(id), nv = jn_model_nv(m), width = jn_parameter_count(m);
  double *Y = malloc(6 * (size_t)width * sizeof *Y), *row = malloc((size_t)n * sizeof *row), q[64], v[64], *pi;
  pi = malloc((size_t)width * sizeof *pi);
  assert_true(Y && row && pi);
  jn_work *w;
  check_ok(jn_work_create(m, &w));
  check_ok(jn_parameters(m, pi));
  for (int k = 0; k < 300; k++) {
    double h[6];
    check_ok(jn_random(m, &s, q));
    fill(&s, v, nv, 2);
    check_ok(jn_momentum_regressor(m, w, q, v, Y));
    check_ok(jn_momentum(m, w, JN_ABOUT_ORIGIN, q, v, h));
    for (int i = 0; i < 6; i++) {
      for (int c = 0, at = 0; c < n; c++) { /* all links that move and have an inertia are identified, in order */
        while (at / 10 != jn_identification_link(id, c)) at += 10;
        row[c] = Y[i * width + at / 10 * 10 + c % 10];
      }
      check_ok(jn_identification_add_rows(id, nv + i, 1, row, &h[i]));
    }
  }
  const jn_estimate *e = solve(id, 1e-3);
  const double *B = jn_identification_base_matrix(id), *x = jn_identification_prior(id);
  double worst = 0;
  int told = 0;
  for (int i = 0; i < e->base_count; i++) {
    double b = 0;
    for (int k = 0; k < n; k++) b += B[i * n + k] * x[k];
    if (!isfinite(e->deviation[i])) continue;
    told++;
    worst = fmax(worst, fabs(e->base[i] - b));
  }
  check(told == e->base_count && worst < 1e-9, "%d of %d are told, off by %g", told, e->base_count, worst);
  jn_work_destroy(w);
  jn_identification_destroy(id);
  jn_model_destroy(m);
  free(Y);
  free(row);
  free(pi);
}

/* Closed states of a linkage whose joints `motors` (names) are driven, with the forces that make the motion; the
 * model's own parameters must leave nothing over, and exact data must give them. */
static void check_closed(const char *source, int count, const char *const *motors, int states) {
  jn_model *m;
  if (jn_load(source, NULL, &m, NULL) == JN_ERR_UNSUPPORTED) return;
  uint64_t s = seed(source);
  int nv = jn_model_nv(m), nq = jn_model_nq(m);
  jn_loops *loops;
  jn_identification *id;
  jn_identification_options o;
  unsigned char actuated[64] = {0}, held[64] = {0};
  double q[64], jet[128], tau[64], *forces;
  assert_true(nv <= 64 && nq <= 64);
  for (int k = 0; k < count; k++) actuated[jn_joint_v(m, jn_joint_index(m, motors[k]))] = 1;
  for (int k = 0; k < count && k < 2; k++) held[jn_joint_v(m, jn_joint_index(m, motors[k]))] = 1;
  if (strstr(source, "four_bar")) held[1] = held[2] = 0;
  check_ok(jn_loops_create(m, NULL, &loops));
  jn_identification_options_init(&o);
  o.columns = JN_IDENTIFY_INERTIA;
  o.actuated = actuated;
  jn_error error;
  jn_status status = jn_identification_create(m, &o, &id, &error);
  check(status == JN_OK, "%s", error.text);
  forces = malloc((size_t)jn_identification_channels(id) * sizeof *forces);
  assert_non_null(forces);
  check_ok(jn_neutral(m, q));
  for (int k = 0; k < states; k++) {
    for (int i = 0; i < nv; i++) {
      if (held[i]) q[i] = 0.6 * sin(0.07 * k * (i + 1)) + 0.2 * sin(0.031 * k);
      jet[i] = 3 * uniform(&s);
      jet[nv + i] = 9 * uniform(&s);
    }
    check_ok(jn_loops_assemble(loops, held, 0, q, NULL));
    check_ok(jn_loops_complete_motion(loops, 0, held, q, jet));
    check_ok(jn_loops_inverse_dynamics_jet(loops, 0, actuated, JN_LEAST_TORQUE, NULL, q, jet, NULL, NULL, tau, NULL));
    for (int i = 0; i < nv; i++) forces[i] = actuated[i] ? tau[i] : NAN; /* passive joints need no column */
    check_ok(jn_identification_add(id, 1, q, jet, jet + nv, forces));
  }
  const jn_estimate *e = solve(id, 1e-3);
  double left[64], force[64], rows[64], all = 0;
  check_ok(jn_identification_residuals(id, jn_identification_prior(id), left, force, rows));
  for (int i = 0; i < nv; i++) {
    check(left[i] <= 1e-9 * (force[i] + 1), "%s: %g of %g N m are left over of the model itself", source, left[i],
          force[i]);
    all += rows[i] > 0;
  }
  check(all == (strstr(source, "four_bar") ? 1 : 2), "%s: %g independent coordinates", source, all);
  check(e->told > 0, "nothing is told");
  const double *B = jn_identification_base_matrix(id), *x = jn_identification_prior(id);
  for (int i = 0; i < e->base_count; i++) {
    double b = 0;
    for (int k = 0; k < e->count; k++) b += B[i * e->count + k] * x[k];
    if (isfinite(e->deviation[i])) check(fabs(e->base[i] - b) < 1e-7, "%s: base parameter %d is off", source, i);
  }
  jn_loops_destroy(loops);
  jn_identification_destroy(id);
  jn_model_destroy(m);
  free(forces);
}

/* N forces = N Y x is free of the forces in the loops: with one motor, with two, and with one motor to spare, whose
 * torques are told in combination only. */
static void closed_loops_need_no_forces_of_the_loops(void **state) {
  (void)state;
  check_closed("builtin:four_bar", 1, (const char *const[]){"motor"}, 200);
  jn_model *m;
  if (jn_load("builtin:five_bar", NULL, &m, NULL) == JN_ERR_UNSUPPORTED) return;
  const char *names[3] = {NULL, NULL, NULL};
  int motors = 0;
  for (int l = 0; l < jn_link_count(m); l++) /* the joints at the ground first, then one of the others */
    if (jn_joint_nv(m, l) == 1 && jn_link_parent(m, l) == JN_WORLD && motors < 2) names[motors++] = jn_joint_name(m, l);
  for (int l = 0; l < jn_link_count(m); l++)
    if (jn_joint_nv(m, l) == 1 && jn_link_parent(m, l) != JN_WORLD) names[2] = jn_joint_name(m, l);
  assert_true(motors == 2 && names[2]);
  check_closed("builtin:five_bar", 2, names, 200);
  check_closed("builtin:five_bar", 3, names, 200);
  jn_model_destroy(m);
}

/* The motion of the crank alone: the other joints go on from where they were, and the loop stays closed. */
static void states_of_a_motion_close_the_loops(void **state) {
  (void)state;
  enum { ROWS = 60 };
  jn_model *m;
  if (jn_load("builtin:four_bar", NULL, &m, NULL) == JN_ERR_UNSUPPORTED) return;
  char path[] = "/tmp/jounce_crank_XXXXXX";
  int file = mkstemp(path);
  FILE *f = file >= 0 ? fdopen(file, "w") : NULL;
  assert_non_null(f);
  fputs("t,motor,motor.tau\n", f);
  for (int r = 0; r < ROWS; r++) fprintf(f, "%g,%.17g,1\n", 0.1 * r, sin(0.7 * 0.1 * r) + 0.05 * r);
  fclose(f);
  jn_trajectory *t;
  jn_trajectory_options o;
  jn_loops *loops;
  jn_trajectory_options_init(&o);
  o.missing_neutral = 1;
  check_ok(jn_trajectory_load(m, path, &o, &t, NULL));
  check_ok(jn_trajectory_load_forces(t, path, &o, NULL));
  check_ok(jn_loops_create(m, NULL, &loops));
  jn_identification *id = identification_of(m, JN_IDENTIFY_INERTIA);
  double before[3] = {0};
  for (int r = 0; r < ROWS; r++) {
    double q[3], v[3], a[3], gap, A[5 * 3], Adot_v[5];
    check_ok(jn_identification_state(id, t, 0.1 * r, q, v, a));
    check_ok(jn_loops_gaps(loops, q, &gap));
    check_ok(jn_loops_constraint(loops, q, v, NULL, A, Adot_v));
    check(gap < 1e-10, "the loop is open by %g", gap);
    for (int k = 0; k < 5; k++) {
      double rate = 0, bend = Adot_v[k];
      for (int i = 0; i < 3; i++) rate += A[3 * k + i] * v[i], bend += A[3 * k + i] * a[i];
      check(fabs(rate) < 1e-9 && fabs(bend) < 1e-8, "condition %d opens with %g, %g", k, rate, bend);
    }
    for (int i = 0; i < 3 && r > 0; i++)
      check(fabs(q[i] - before[i]) < 0.5, "joint %d jumps by %g", i, q[i] - before[i]);
    memcpy(before, q, sizeof before);
  }
  jn_measurement how;
  jn_measurement_init(&how);
  check_ok(jn_identification_add_trajectory(id, t, &how));
  check_status(jn_identification_state(id, NULL, 0, before, before, before), JN_ERR_NULL);
  jn_identification_destroy(id);
  jn_loops_destroy(loops);
  jn_trajectory_destroy(t);
  jn_model_destroy(m);
  remove(path);
}

/* A file with positions and wrenches, for models whose joint forces are not measured. */
static jn_trajectory *motion_with_wrenches(const jn_model *m, int link, void (*at)(double t, double *q),
                                           jn_status (*wrench)(const jn_model *m, jn_work *w, int link, const double *q,
                                                               const double *v, const double *a, double *out)) {
  enum { ROWS = 400 };
  char path[] = "/tmp/jounce_wrench_XXXXXX", name[JN_COORDINATE_NAME];
  int file = mkstemp(path), nv = jn_model_nv(m), nq = jn_model_nq(m);
  FILE *f = file >= 0 ? fdopen(file, "w") : NULL;
  jn_trajectory *motion, *exact;
  jn_trajectory_options o;
  jn_error error;
  jn_work *w;
  double *t = malloc(ROWS * sizeof *t), *q = malloc(ROWS * (size_t)nq * sizeof *q), *nothing, jet[128];
  static const char *const parts[] = {"mx", "my", "mz", "fx", "fy", "fz"};
  nothing = malloc(ROWS * (size_t)nv * sizeof *nothing);
  assert_true(f && t && q && nothing && nv <= 64);
  for (int r = 0; r < ROWS; r++) at(t[r] = 0.02 * r, q + r * nq);
  for (int k = 0; k < ROWS * nv; k++) nothing[k] = NAN;
  jn_trajectory_options_init(&o);
  o.smoothing = JN_SMOOTH_NONE;
  o.wrenches_too = 1;
  check_ok(jn_trajectory_fit(m, ROWS, t, q, &o, &exact, NULL));
  check_ok(jn_work_create(m, &w));
  fputs("t", f);
  for (int i = 0; i < nq; i++) {
    check_ok(jn_coordinate_name(m, i, name, sizeof name));
    fprintf(f, ",%s", name);
  }
  for (int k = 0; k < 6; k++) fprintf(f, ",%s_%s", jn_link_name(m, link), parts[k]);
  for (int r = 0; r < ROWS; r++) {
    double own[64], F[6];
    check_ok(jn_trajectory_evaluate(exact, t[r], 0, own, jet));
    check_ok(wrench(m, w, link, own, jet, jet + nv, F));
    fprintf(f, "\n%.17g", t[r]);
    for (int i = 0; i < nq; i++) fprintf(f, ",%.17g", q[r * nq + i]);
    for (int k = 0; k < 6; k++) fprintf(f, ",%.17g", F[k]);
  }
  fputc('\n', f);
  fclose(f);
  jn_status status = jn_trajectory_load(m, path, &o, &motion, &error);
  check(status == JN_OK, "%s", error.text);
  o.wrench_interpolation = JN_INTERPOLATE_LINEAR;
  status = jn_trajectory_load_wrenches(motion, path, &o, &error);
  check(status == JN_OK, "%s", error.text);
  check_ok(jn_trajectory_set_forces(motion, ROWS, t, nothing));
  check_status(jn_trajectory_load_forces(exact, path, &o, &error), JN_ERR_NAME);
  remove(path);
  jn_trajectory_destroy(exact);
  jn_work_destroy(w);
  free(t);
  free(q);
  free(nothing);
  return motion;
}

static jn_status wrench_of_joint(const jn_model *m, jn_work *w, int link, const double *q, const double *v,
                                 const double *a, double *out) {
  double F[64][6];
  jn_status status = jn_joint_wrenches(m, w, q, v, a, NULL, F[0]);
  memcpy(out, F[link], sizeof F[link]);
  return status;
}

/* On the floating base itself: what makes its six forces zero. The base's frame is that of its free joint. */
static jn_status wrench_on_base(const jn_model *m, jn_work *w, int link, const double *q, const double *v,
                                const double *a, double *out) {
  double tau[64];
  jn_status status = jn_inverse_dynamics(m, w, q, v, a, NULL, tau);
  memcpy(out, tau + jn_joint_v(m, link), 6 * sizeof *out);
  return status;
}

static void swing(double t, double *q) {
  for (int i = 0; i < LINKS; i++) q[i] = sin((1 + 0.4 * i) * t) + 0.5 * cos(2.1 * t + i);
}

/* A base that turns about all axes, with four legs. */
static void tumble(double t, double *q) {
  double a = 0.8 * sin(1.1 * t), b = 0.6 * cos(0.9 * t), s = sqrt(1 + a * a + b * b + 0.04);
  for (int i = 0; i < 3; i++) q[i] = 0.3 * sin((1 + 0.2 * i) * t);
  q[3] = a / s, q[4] = b / s, q[5] = 0.2 / s, q[6] = 1 / s;
  for (int i = 7; i < 19; i++) q[i] = 0.7 * sin((0.7 + 0.13 * i) * t + i);
}

/* What the model with its own parameters leaves over, and how many base parameters are told, without joint forces. */
static void check_wrenches(const jn_model *m, const jn_trajectory *motion, int wrench, int link) {
  jn_identification_options o;
  jn_identification *id;
  jn_measurement how;
  const jn_estimate *e;
  double left[64], force[64], rows[64];
  jn_identification_options_init(&o);
  o.columns = JN_IDENTIFY_INERTIA;
  if (wrench == JN_WRENCH_JOINT) o.wrench_link = link;
  check_ok(jn_identification_create(m, &o, &id, NULL));
  jn_measurement_init(&how);
  check_ok(jn_identification_add_trajectory(id, motion, &how)); /* nothing of it is measured */
  check_status(jn_identification_solve(id, 1, 0, &e), JN_ERR_MODEL);
  how.wrench = wrench;
  for (int filtered = 0; filtered < 2; filtered++) {
    jn_identification_clear(id, 0);
    how.cutoff = filtered ? 8 : 0;
    check_ok(jn_identification_add_trajectory(id, motion, &how));
    check_ok(jn_identification_solve(id, 1, 0, &e));
    check_ok(jn_identification_residuals(id, jn_identification_prior(id), left, force, rows));
    int channels = 0;
    for (int i = 0; i < e->channels; i++) {
      if (rows[i] == 0) continue;
      channels++;
      check(left[i] < 1e-6 * force[i], "channel %d: %g of %g is left over", i, left[i], force[i]);
    }
    check(channels == 6, "%d channels", channels);
    check(e->told > e->base_count / 2, "%d of %d are told", e->told, e->base_count);
  }
  how.wrench = 3 - wrench;
  if (wrench == JN_WRENCH_CONTACT) check_status(jn_identification_add_trajectory(id, motion, &how), JN_ERR_SIZE);
  jn_identification_destroy(id);
}

/* The six rows of a floating base, or of a sensor under the first link, need no joint torques. */
static void wrenches_of_files_need_no_joint_forces(void **state) {
  (void)state;
  description d = plain();
  jn_model *arm = make_arm(&d, 0), *walker;
  jn_trajectory *motion = motion_with_wrenches(arm, 0, swing, wrench_of_joint);
  check_wrenches(arm, motion, JN_WRENCH_JOINT, 0);
  jn_trajectory_destroy(motion);
  jn_model_destroy(arm);
  if (jn_load("builtin:quadruped", NULL, &walker, NULL) == JN_ERR_UNSUPPORTED) return;
  if (jn_model_nq(walker) != 19 || jn_joint_type_of(walker, 0) != JN_FREE) fail_msg("another quadruped");
  motion = motion_with_wrenches(walker, 0, tumble, wrench_on_base);
  check_wrenches(walker, motion, JN_WRENCH_CONTACT, 0);
  jn_trajectory_destroy(motion);
  jn_model_destroy(walker);
}

/* Torque constants need something known; with it they are found, here 20 % off at the second joint. */
static void torque_constants_need_something_known(void **state) {
  (void)state;
  uint64_t s = seed("torque constants");
  description d = plain();
  jn_model *arm = make_arm(&d, 0);
  data x;
  make_data(arm, &s, STATES, &x);
  for (int k = 0; k < x.count; k++) x.tau[k][1] /= 1.2;
  const char *links[] = {"one", "two"};
  jn_identification_options o;
  jn_identification *id;
  jn_error error;
  jn_identification_options_init(&o);
  o.columns = ALL | JN_IDENTIFY_SCALE;
  check_status(jn_identification_create(arm, &o, &id, &error), JN_ERR_MODEL);
  assert_non_null(strstr(error.text, "known"));
  o.links = links; /* the third is known */
  o.link_count = 2;
  check_ok(jn_identification_create(arm, &o, &id, &error));
  add(id, &x);
  const jn_estimate *e = solve(id, 1e-4);
  for (int i = 0; i < LINKS; i++) {
    int at = e->count - LINKS + i;
    check(fabs(e->x[at] - (i == 1 ? 0.2 : 0)) < 1e-5, "joint %d: %g", i, e->x[at]);
  }
  jn_identification_destroy(id);
  jn_model_destroy(arm);
}

/* A joint that never moves: what needs it is not told, and stays as in the model; foreseen before solving. */
static void what_the_motion_does_not_tell_stays(void **state) {
  (void)state;
  uint64_t s = seed("poor motion");
  description d = plain();
  jn_model *truth = make_arm(&d, 0), *start = make_arm(&d, 1);
  data x;
  make_data(start, &s, STATES, &x);
  jn_work *w;
  check_ok(jn_work_create(truth, &w));
  for (int k = 0; k < x.count; k++) {
    double loss[LINKS];
    x.q[k][2] = 0.3;
    x.v[k][2] = x.a[k][2] = 0;
    check_ok(jn_inverse_dynamics(truth, w, x.q[k], x.v[k], x.a[k], NULL, x.tau[k]));
    check_ok(jn_loss_forces(truth, x.v[k], loss));
    for (int i = 0; i < LINKS; i++) x.tau[k][i] += loss[i];
  }
  jn_identification *id = identification_of(start, ALL);
  add(id, &x);
  double deviation[N], noise[LINKS] = {1, 1, 1}, condition;
  int told;
  check_ok(jn_identification_foresee(id, noise, deviation, &told, &condition));
  const jn_estimate *e = solve(id, 1);
  check(e->told == told && told < e->base_count, "%d told, %d foreseen, of %d", e->told, told, e->base_count);
  check(condition > 1 && condition < 1e7, "condition %g", condition);
  for (int i = 0; i < e->base_count; i++) {
    char name[64];
    jn_identification_name(id, jn_identification_base_column(id, i), name, sizeof name);
    check(isfinite(deviation[i]) == isfinite(e->deviation[i]), "%s", name);
    if (strcmp(name, "three.viscous") == 0) check(!isfinite(e->deviation[i]), "%s is told", name);
  }
  int viscous = 10 * LINKS + LINKS + 2;
  check(e->x[viscous] == jn_identification_prior(id)[viscous], "friction of the still joint became %g", e->x[viscous]);
  jn_work_destroy(w);
  jn_identification_destroy(id);
  jn_model_destroy(truth);
  jn_model_destroy(start);
}

/* Files of forces: names as programs write them, units, and what is left over of exact ones. */
static void forces_are_read_from_files(void **state) {
  (void)state;
  uint64_t s = seed("files of forces");
  description d = plain();
  jn_model *arm = make_arm(&d, 0);
  data x;
  make_data(arm, &s, STATES, &x);
  char path[] = "/tmp/jounce_forces_XXXXXX";
  int file = mkstemp(path);
  FILE *f = file >= 0 ? fdopen(file, "w") : NULL;
  assert_non_null(f);
  fputs("time,one,two,three,one_effort [N mm],/joint_states/two/effort,three.tau [mA]\n", f);
  for (int r = 0; r < 20; r++)
    fprintf(f, "%d,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n", r, x.q[r][0], x.q[r][1], x.q[r][2], 1000 * x.tau[r][0],
            x.tau[r][1], 1000 * x.tau[r][2]);
  fclose(f);
  jn_trajectory *t;
  jn_error error;
  jn_status status = jn_trajectory_load(arm, path, NULL, &t, &error);
  check(status == JN_OK, "%s", error.text);
  status = jn_trajectory_load_forces(t, path, NULL, &error);
  check(status == JN_OK, "%s", error.text);
  check(jn_trajectory_force_rows(t) == 20 && jn_trajectory_force_time(t, 7) == 7, "rows and times");
  for (int i = 0; i < LINKS; i++) {
    check(jn_trajectory_force_is_current(t, i) == (i == 2), "unit of %d", i);
    for (int r = 0; r < 20; r++)
      check(fabs(jn_trajectory_forces(t, i)[r] - x.tau[r][i]) < 1e-12 * (1 + fabs(x.tau[r][i])), "force %d of row %d",
            i, r);
  }
  check(jn_trajectory_forces(t, LINKS) == NULL && jn_trajectory_force_rows(NULL) == 0, "out of range");
  check(isnan(jn_trajectory_force_time(t, 20)), "no such row");
  check_status(jn_trajectory_set_forces(t, 1, x.q[0], x.tau[0]), JN_ERR_SIZE);
  check_status(jn_trajectory_set_forces(t, 2, (double[2]){1, 1}, x.tau[0]), JN_ERR_MODEL);
  check_status(jn_trajectory_load_forces(t, "/nowhere", NULL, &error), JN_ERR_FILE);
  jn_identification *id = identification_of(arm, JN_IDENTIFY_INERTIA);
  jn_measurement how;
  jn_measurement_init(&how);
  jn_trajectory *none;
  check_ok(jn_trajectory_fit(arm, 8, (double[8]){0, 1, 2, 3, 4, 5, 6, 7}, x.q[0], NULL, &none, NULL));
  check_status(jn_identification_add_trajectory(id, none, &how), JN_ERR_MODEL); /* no forces */
  how.fold = 9;
  check_status(jn_identification_add_trajectory(id, t, &how), JN_ERR_SIZE);
  double b[N] = {0}, left[LINKS], force[LINKS];
  add(id, &x);
  check_ok(jn_identification_base_residuals(id, b, left, force, NULL));
  for (int i = 0; i < LINKS; i++) check(force[i] > 0 && left[i] > 0, "residuals of nothing are the forces");
  jn_identification_destroy(id);
  jn_trajectory_destroy(none);
  jn_trajectory_destroy(t);
  remove(path);
  jn_model_destroy(arm);
}

/* Stretches of a long motion in several threads, with and without a filter: the same rows. */
static void threads_play_no_part(void **state) {
  (void)state;
  enum { ROWS = 61000 };
  uint64_t s = seed("threads");
  description d = plain();
  jn_model *arm = make_arm(&d, 0);
  double *t = malloc(ROWS * sizeof *t), *q = malloc(ROWS * LINKS * sizeof *q),
         *tau = malloc(ROWS * LINKS * sizeof *tau);
  assert_true(t && q && tau);
  for (int r = 0; r < ROWS; r++) {
    t[r] = 0.001 * r + (r > 30000 ? 0.5 : 0); /* with a gap */
    for (int i = 0; i < LINKS; i++) {
      q[r * LINKS + i] = sin((1 + 0.3 * i) * t[r]) + 0.3 * cos(2.3 * t[r] + i);
      tau[r * LINKS + i] = 5 * uniform(&s);
    }
  }
  jn_trajectory *motion;
  jn_trajectory_options smooth;
  jn_trajectory_options_init(&smooth);
  smooth.smoothing = JN_SMOOTH_NONE;
  check_ok(jn_trajectory_fit(arm, ROWS, t, q, &smooth, &motion, NULL));
  check_ok(jn_trajectory_set_forces(motion, ROWS, t, tau));
  for (int filtered = 0; filtered < 2; filtered++) {
    double first[N] = {0}, rows = 0;
    for (int threads = 1; threads <= 4; threads++) {
      jn_identification_options o;
      jn_identification *id;
      jn_measurement how;
      const jn_estimate *e;
      jn_identification_options_init(&o);
      o.threads = threads;
      check_ok(jn_identification_create(arm, &o, &id, NULL));
      jn_measurement_init(&how);
      how.cutoff = filtered ? 10 : 0;
      check_ok(jn_identification_add_trajectory(id, motion, &how));
      check_ok(jn_identification_solve(id, 1, 0, &e));
      if (threads == 1) memcpy(first, e->base, (size_t)e->base_count * sizeof *first), rows = e->rows;
      check(e->rows == rows, "%d threads: %.0f rows, not %.0f", threads, e->rows, rows);
      double gap = distance(e->base, first, e->base_count, 0);
      check(gap < 1e-9, "%d threads: off by %g", threads, gap);
      jn_identification_destroy(id);
    }
    check(filtered ? rows > 3 * 1200 && rows < 3 * 1215 : rows == 3 * ROWS, "%.0f rows", rows);
  }
  jn_trajectory_destroy(motion);
  jn_model_destroy(arm);
  free(t);
  free(q);
  free(tau);
}

static void wrong_use_is_refused(void **state) {
  (void)state;
  description d = plain();
  jn_model *arm = make_arm(&d, 0);
  jn_identification_options o;
  jn_identification *id = NULL;
  const jn_estimate *e;
  jn_error error;
  jn_identification_options_init(&o);
  check_status(jn_identification_create(NULL, &o, &id, NULL), JN_ERR_NULL);
  o.size = 1;
  check_status(jn_identification_create(arm, &o, &id, &error), JN_ERR_INIT);
  jn_identification_options_init(&o);
  o.motors = 2;
  check_status(jn_identification_create(arm, &o, &id, &error), JN_ERR_SIZE);
  jn_identification_options_init(&o);
  o.wrench_link = 17;
  check_status(jn_identification_create(arm, &o, &id, &error), JN_ERR_INDEX);
  jn_identification_options_init(&o);
  o.columns = 0;
  check_status(jn_identification_create(arm, &o, &id, &error), JN_ERR_MODEL);
  assert_null(id);
  id = identification_of(arm, ALL);
  check_status(jn_identification_solve(id, 1, 1, &e), JN_ERR_MODEL); /* no data */
  assert_null(e);
  double q[LINKS] = {0}, v[LINKS] = {0}, a[LINKS] = {0}, tau[LINKS] = {0, INFINITY, 0};
  check_status(jn_identification_add(id, 1, q, v, a, tau), JN_ERR_MODEL);
  check(jn_identification_name(id, -1, (char[4]){0}, 4) == JN_ERR_INDEX, "index");
  check(jn_identification_link(id, 0) == 0 && jn_identification_link(id, 1000) == JN_NONE, "links");
  check(jn_identification_cutoff(NULL, NULL) == 0, "cutoff without a motion");
  jn_identification_destroy(id);
  jn_identification_destroy(NULL);
  jn_model_destroy(arm);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_payload_is_one_link),
      cmocka_unit_test(the_base_wrench_tells_without_joint_forces),
      cmocka_unit_test(coupled_motors_act_on_all_their_joints),
      cmocka_unit_test(motors_have_names),
      cmocka_unit_test(user_columns_and_rows_are_told),
      cmocka_unit_test(momentum_tells_without_forces),
      cmocka_unit_test(closed_loops_need_no_forces_of_the_loops),
      cmocka_unit_test(states_of_a_motion_close_the_loops),
      cmocka_unit_test(wrenches_of_files_need_no_joint_forces),
      cmocka_unit_test(torque_constants_need_something_known),
      cmocka_unit_test(what_the_motion_does_not_tell_stays),
      cmocka_unit_test(forces_are_read_from_files),
      cmocka_unit_test(threads_play_no_part),
      cmocka_unit_test(wrong_use_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
