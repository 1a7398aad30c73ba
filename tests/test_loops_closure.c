/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether loops are closed is decided on the group, for all kinds: against angles of quaternions and of axes.
 * Conditions count alike in whatever units they are written: against themselves in others. */
#include "linkage.h"
#include "models.h"

#include "jounce/configuration.h"

enum { RX = 1, RY = 2, RZ = 4, X = 8, Y = 16, Z = 32 };

/* A free body, held to the world by a loop of a kind, with closing frames anywhere. */
static jn_model *held_body(jn_loop_type type, const double *axis, unsigned mask, const double *T_a, const double *T_b) {
  jn_builder *b;
  jn_model *m;
  jn_link body;
  jn_loop g;
  check_ok(jn_builder_create(NULL, &b));
  jn_link_init(&body);
  body.name = "body";
  body.joint.type = JN_FREE;
  jn_inertia_pack(2, (const double[]){0.1, 0, 0.2}, (const double[]){0.1, 0.2, 0.25, 0, 0, 0}, body.inertia);
  check_ok(jn_builder_add_link(b, &body));
  jn_loop_init(&g);
  g.name = "hold";
  g.type = type;
  g.link_a = "world";
  g.link_b = "body";
  memcpy(g.axis, axis, sizeof g.axis);
  memcpy(g.axis2, (const double[3]){axis[1], axis[2], axis[0]}, sizeof g.axis2);
  g.distance = 0.7;
  g.mask = mask;
  memcpy(g.placement_a, T_a, sizeof g.placement_a);
  memcpy(g.placement_b, T_b, sizeof g.placement_b);
  check_ok(jn_builder_add_loop(b, &g));
  check_ok(jn_builder_freeze(b, &m, NULL));
  jn_builder_destroy(b);
  return m;
}

/* The body so that b is at (R, p) in a: T_a (R, p) T_b^-1. */
static void place_body(const double *T_a, const double *T_b, const double *R, const double *p, double *q) {
  double T[16] = {R[0], R[1], R[2], p[0], R[3], R[4], R[5], p[1], R[6], R[7], R[8], p[2], 0, 0, 0, 1}, inverse[16],
         x[16];
  jn_se3_inverse(T_b, inverse);
  jn_se3_multiply(T_a, T, x);
  jn_se3_multiply(x, inverse, T);
  const double rotation[9] = {T[0], T[1], T[2], T[4], T[5], T[6], T[8], T[9], T[10]};
  for (int e = 0; e < 3; e++) q[e] = T[4 * e + 3];
  jn_rotation_to_quaternion(rotation, q + 3);
}

/* What a kind asks of rotations. */
typedef enum ask { NOTHING, SAME_ROTATION, SAME_AXIS, ACROSS, COMPONENTS } ask;
static const struct {
  jn_loop_type type;
  ask rotation;
} kinds[] = {{JN_LOOP_WELD, SAME_ROTATION},
             {JN_LOOP_REVOLUTE, SAME_AXIS},
             {JN_LOOP_PRISMATIC, SAME_ROTATION},
             {JN_LOOP_CYLINDRICAL, SAME_AXIS},
             {JN_LOOP_UNIVERSAL, ACROSS},
             {JN_LOOP_SPHERICAL, NOTHING},
             {JN_LOOP_PLANAR, SAME_AXIS},
             {JN_LOOP_POINT_ON_AXIS, NOTHING},
             {JN_LOOP_DISTANCE, NOTHING},
             {JN_LOOP_COORDINATES, COMPONENTS},
             {JN_LOOP_POINT_CONTACT, NOTHING},
             {JN_LOOP_SLIDING_POINT, NOTHING},
             {JN_LOOP_SURFACE_CONTACT, SAME_ROTATION},
             {JN_LOOP_SLIDING_SURFACE, SAME_AXIS}};
enum { KINDS = sizeof kinds / sizeof *kinds };

static double component(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* How far from closed a rotation by `angle` in [0, pi] about a unit vector is. */
static double expected_gap(ask rotation, unsigned mask, const double *axis, const double *about, double angle) {
  double along = component(axis, about), c = cos(angle), most = 0;
  const double axis2[3] = {axis[1], axis[2], axis[0]};
  switch (rotation) {
    case SAME_ROTATION:
      return angle;
    case SAME_AXIS: /* e . R e = cos + (1 - cos) (e . n)^2 */
      return acos(fmin(1, fmax(-1, c + (1 - c) * along * along)));
    case ACROSS: { /* e . R e2 */
      double cross = 0;
      for (int k = 0; k < 3; k++)
        cross += axis[k] * (about[(k + 1) % 3] * axis2[(k + 2) % 3] - about[(k + 2) % 3] * axis2[(k + 1) % 3]);
      return fabs(c * component(axis, axis2) + sin(angle) * cross + (1 - c) * along * component(about, axis2));
    }
    case COMPONENTS:
      for (int k = 0; k < 3; k++)
        if (mask >> k & 1) most = hypot(most, angle * about[k]);
      return most;
    default:
      return 0;
  }
}

static void rotation_about(const double *n, double angle, double *R) {
  const double w[3] = {angle * n[0], angle * n[1], angle * n[2]};
  jn_so3_exp(w, R);
}

/* The property: gaps are angles of rotations, whatever the angle is; half a turn too, where conditions vanish. */
static void gaps_are_angles(void **state) {
  (void)state;
  uint64_t s = seed("gaps");
  static const unsigned masks[] = {RX | RY | RZ | X, RX | Y, RY | RZ, RZ | X | Y | Z};
  const double epsilon = jn_variant_epsilon();
  for (int i = 0; i < 40 * KINDS; i++) {
    double T_a[16], T_b[16], axis[3] = {0, 0, 1}, about[3], R[9], p[3] = {0}, q[7], gap, phi[6];
    unsigned mask = masks[(i / KINDS) % 4];
    ask rotation = kinds[i % KINDS].rotation;
    int half = (i / KINDS) % 3 == 0;
    double angle = half ? M_PI : M_PI * (0.5 + 0.5 * uniform(&s)), length;
    random_placement(&s, T_a);
    random_placement(&s, T_b);
    do fill(&s, about, 3, 1);
    while (!((length = sqrt(component(about, about))) > 0.1));
    for (int k = 0; k < 3; k++) about[k] /= length;
    if (half && rotation == SAME_AXIS) { /* about what is across the axis, so that the axes are opposite */
      length = hypot(about[0], about[1]);
      about[0] /= length, about[1] /= length, about[2] = 0;
    }
    rotation_about(about, angle, R);
    if (kinds[i % KINDS].type == JN_LOOP_DISTANCE) p[1] = 0.7;
    place_body(T_a, T_b, R, p, q);
    jn_model *m = held_body(kinds[i % KINDS].type, axis, mask, T_a, T_b);
    jn_loops *l;
    check_ok(jn_loops_create(m, NULL, &l));
    check_ok(jn_loops_gaps(l, q, &gap));
    double expected = expected_gap(rotation, mask, axis, about, angle);
    /* sines and cosines lose half of the digits next to 0 and pi, and so does acos in the expectation */
    check(fabs(gap - expected) < 20 * sqrt(epsilon) * (expected > 3 || expected < 0.1) + 2000 * epsilon,
          "%s, %g rad about %g %g %g: gap %.12g, not %.12g", jn_loop_type_name(kinds[i % KINDS].type), angle, about[0],
          about[1], about[2], gap, expected);
    if (half && rotation != NOTHING && rotation != ACROSS) { /* the conditions do not see it */
      check_ok(jn_loops_constraint(l, q, NULL, phi, NULL, NULL));
      for (int r = 0; r < jn_loops_rows(l); r++) check(fabs(phi[r]) < 2000 * epsilon, "condition %d: %g", r, phi[r]);
    }
    jn_loops_destroy(l);
    jn_model_destroy(m);
  }
}

/* From half a turn away, and from anywhere: a free body is brought to where the loop is closed. */
static void bodies_are_brought_home(void **state) {
  (void)state;
  uint64_t s = seed("home");
  const double goal = fmax(1e-12, 100 * jn_variant_epsilon());
  for (int i = 0; i < 20 * KINDS; i++) {
    double T_a[16], T_b[16], axis[3] = {0, 0, 1}, R[9], p[3], q[7], gap, residual;
    random_placement(&s, T_a);
    random_placement(&s, T_b);
    double n[3] = {i % 3 == 0, i % 3 == 1, i % 3 == 2};
    fill(&s, p, 3, 1);
    rotation_about(n, M_PI, R);
    place_body(T_a, T_b, R, p, q);
    jn_model *m = held_body(kinds[i % KINDS].type, axis, RX | RY | RZ | X | Y | Z, T_a, T_b);
    if ((i / KINDS) % 2) check_ok(jn_random(m, &s, q));
    jn_loops *l;
    check_ok(jn_loops_create(m, NULL, &l));
    jn_status status = jn_loops_assemble(l, NULL, goal, q, &residual);
    check(status == JN_OK, "%s %d: %s, open by %g", jn_loop_type_name(kinds[i % KINDS].type), i, jn_status_text(status),
          residual);
    check_ok(jn_loops_gaps(l, q, &gap));
    check(gap <= 100 * goal && gap == residual, "%s: open by %g, said %g", jn_loop_type_name(kinds[i % KINDS].type),
          gap, residual);
    jn_loops_destroy(l);
    jn_model_destroy(m);
  }
}

/* Inverse dynamics, the regressor and derivatives refuse a state that is half a turn from closed. */
static void half_a_turn_is_refused(void **state) {
  (void)state;
  static const double E[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, half[9] = {1, 0, 0, 0, -1, 0, 0, 0, -1};
  static const double none[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  for (int i = 0; i < KINDS; i++) {
    double p[3] = {0}, q[7], motion[12] = {0}, tau[6], out[60], lambda[6];
    unsigned char actuated[6] = {1, 1, 1, 1, 1, 1};
    jn_model *m = held_body(kinds[i].type, (const double[]){0, 0, 1}, RX | RY | RZ | X, E, E);
    jn_loops *l;
    check_ok(jn_loops_create(m, NULL, &l));
    if (kinds[i].type == JN_LOOP_DISTANCE) p[2] = 0.7;
    for (int turned = 0; turned < 2; turned++) {
      int closed = !turned || kinds[i].rotation == NOTHING || kinds[i].rotation == ACROSS;
      jn_loops_inverse_derivatives derivatives = {.dtau_dq = out};
      place_body(E, E, turned ? half : none, p, q);
      check_status(
          jn_loops_inverse_dynamics_jet(l, 0, actuated, JN_LEAST_TORQUE, NULL, q, motion, NULL, NULL, tau, NULL),
          closed ? JN_OK : JN_ERR_LOOP);
      check_status(jn_loops_regressor_jet(l, 0, actuated, JN_LEAST_LAMBDA, NULL, q, motion, out),
                   closed ? JN_OK : JN_ERR_LOOP);
      check_status(jn_loops_inverse_dynamics_derivatives(l, actuated, JN_LEAST_TORQUE, NULL, q, motion, motion + 6,
                                                         NULL, NULL, JN_IN_BODY, tau, lambda, &derivatives),
                   closed ? JN_OK : JN_ERR_LOOP);
    }
    jn_loops_destroy(l);
    jn_model_destroy(m);
  }
}

/* ---- units of conditions ---- */

/* Three bars with 2 q1 - q0 = 0 and q1 + q2 = 0.3, the first multiplied by `factor`. */
static jn_model *coupled_bars(double factor, jn_status expected, const char *says) {
  jn_builder *b;
  jn_model *m = NULL;
  jn_error error;
  static const char *const name[] = {"bar0", "bar1", "bar2"};
  check_ok(jn_builder_create(NULL, &b));
  for (int i = 0; i < 3; i++) {
    jn_link l;
    jn_link_init(&l);
    l.name = name[i];
    l.parent = i ? name[i - 1] : NULL;
    l.placement[3] = i ? 0.4 : 0;
    l.joint.type = JN_REVOLUTE;
    jn_inertia_pack(1, (const double[]){0.2, 0.1 * i, 0}, (const double[]){0.01, 0.02, 0.03, 0, 0, 0}, l.inertia);
    check_ok(jn_builder_add_link(b, &l));
  }
  for (int k = 0; k < 2; k++) {
    jn_loop g;
    jn_loop_init(&g);
    g.name = k ? "other" : "gear";
    g.type = JN_LOOP_COUPLING;
    g.term_count = 2;
    g.term[0] = k ? (jn_coupling){"bar1", 0, 1} : (jn_coupling){"bar1", 0, 2 * factor};
    g.term[1] = k ? (jn_coupling){"bar2", 0, 1} : (jn_coupling){"bar0", 0, -factor};
    g.offset = k ? 0.3 : 0;
    check_ok(jn_builder_add_loop(b, &g));
  }
  check_status(jn_builder_freeze(b, &m, &error), expected);
  if (says) check(strstr(error.text, says), "'%s' in: %s", says, error.text);
  jn_builder_destroy(b);
  return m;
}

typedef struct answers {
  double q[3], a[3], lambda[2], tau[3], da[9], completed[6];
  int rank;
} answers;

static answers ask_bars(double factor) {
  answers x = {.q = {0.9, 0.1, -0.5}};
  double v[6] = {0.8, 0.4, -0.4, 0.2, 0.1, -0.1}, force[3] = {1, -0.3, 0.2}, jet[6], residual;
  unsigned char held[3] = {1, 0, 0}, motors[2][3] = {{1, 0, 0}, {1, 1, 0}};
  jn_model *m = coupled_bars(factor, JN_OK, NULL);
  jn_loops *l;
  jn_loops_health health;
  check_ok(jn_loops_create(m, NULL, &l));
  check_ok(jn_loops_assemble(l, held, 0, x.q, &residual));
  check_ok(jn_loops_health_at(l, x.q, &health, NULL));
  x.rank = health.rank;
  check(health.generic == 2 && !health.near_singular && health.weakest > 0.1, "generic %d, near %d, weakest %g",
        health.generic, health.near_singular, health.weakest);
  const jn_loops_derivatives d = {.da_dq = x.da};
  check_ok(jn_loops_forward_dynamics_derivatives(l, x.q, v, force, NULL, JN_IN_BODY, x.a, x.lambda, &d));
  check_ok(jn_loops_last_health(l, &health));
  check(health.rank == 2 && !health.near_singular, "of the last dynamics: rank %d, weakest %g", health.rank,
        health.weakest);
  x.lambda[0] *= factor; /* the force that it means */
  memcpy(jet, v, sizeof jet);
  for (int k = 1; k < 3; k++) jet[k] = jet[3 + k] = NAN;
  check_ok(jn_loops_complete_motion(l, 0, held, x.q, jet));
  memcpy(x.completed, jet, sizeof jet);
  for (int k = 0; k < 2; k++) /* one motor, and one to spare */
    check_ok(jn_loops_inverse_dynamics_jet(l, 0, motors[k], JN_LEAST_TORQUE, NULL, x.q, jet, NULL, NULL, x.tau, NULL));
  jet[1] += 0.01; /* opens the loops by the same, in any units */
  check_status(jn_loops_inverse_dynamics_jet(l, 0, motors[0], JN_LEAST_TORQUE, NULL, x.q, jet, NULL, NULL, v, NULL),
               JN_ERR_LOOP);
  x.q[1] += 1e-3;
  check_ok(jn_loops_gaps(l, x.q, jet));
  check(jet[0] > 5e-4, "a gap of %g rad in units of %g", jet[0], factor);
  x.q[1] -= 1e-3;
  jn_loops_destroy(l);
  jn_model_destroy(m);
  return x;
}

/* The property: a condition and a multiple of it are the same condition. */
static void units_of_a_condition_do_not_matter(void **state) {
  (void)state;
  if (jn_variant_epsilon() > 1e-10) return;
  static const double factors[] = {1e-12, -1e-9, 1e-100, 1e12, -1e40, 4.9e99};
  const answers one = ask_bars(1);
  assert_int_equal(one.rank, 2);
  for (size_t i = 0; i < sizeof factors / sizeof *factors; i++) {
    const answers x = ask_bars(factors[i]);
    check(x.rank == 2, "factor %g: rank %d", factors[i], x.rank);
    check_close(x.q, one.q, 3, 1, 50, "factor %g: q", factors[i]);
    check_close(x.a, one.a, 3, 1, 200, "factor %g: acceleration", factors[i]);
    check_close(x.lambda, one.lambda, 2, 1, 200, "factor %g: force", factors[i]);
    check_close(x.tau, one.tau, 3, 1, 200, "factor %g: torque", factors[i]);
    check_close(x.da, one.da, 9, 1, 1000, "factor %g: derivative", factors[i]);
    check_close(x.completed, one.completed, 6, 1, 100, "factor %g: motion", factors[i]);
  }
}

static void numbers_beyond_all_measure_are_refused(void **state) {
  (void)state;
  static const double factors[] = {5e307, -1e101, 1e-101, 5e-324};
  for (size_t i = 0; i < sizeof factors / sizeof *factors; i++)
    assert_null(coupled_bars(factors[i], JN_ERR_MODEL, "not between 1e-100 and 1e100"));
  for (int k = 0; k < 3; k++) {
    jn_builder *b;
    jn_model *m;
    jn_error error;
    jn_link body;
    jn_loop g;
    check_ok(jn_builder_create(NULL, &b));
    jn_link_init(&body);
    body.name = "body";
    body.joint.type = JN_FREE;
    body.inertia[0] = body.inertia[4] = body.inertia[5] = body.inertia[6] = 1;
    check_ok(jn_builder_add_link(b, &body));
    jn_loop_init(&g);
    g.name = "bar";
    g.type = JN_LOOP_DISTANCE;
    g.link_a = "world";
    g.link_b = "body";
    g.distance = k == 0 ? 1e-300 : k == 1 ? 9e-10 : 1e300;
    check_ok(jn_builder_add_loop(b, &g));
    check_status(jn_builder_freeze(b, &m, &error), JN_ERR_MODEL);
    check(strstr(error.text, "the distance is"), "%s", error.text);
    jn_builder_destroy(b);
  }
}

/* A linkage of any size keeps its rank: three conditions, of points and of directions. */
static void small_and_large_mechanisms_keep_their_rank(void **state) {
  (void)state;
  if (jn_variant_epsilon() > 1e-10) return;
  static const double sizes[] = {1e-10, 1e-6, 1, 1e6};
  for (int i = 0; i < 4; i++) {
    double length[4], q[4] = {0.4, 0.7, 0.5, 0.6};
    jn_loop g;
    jn_loops *l;
    jn_loops_health health;
    jn_loop_init(&g);
    g.type = JN_LOOP_COORDINATES;
    g.mask = RZ | X | Y;
    for (int k = 0; k < 4; k++) length[k] = sizes[i] * (1 + 0.2 * k);
    jn_model *m = held_linkage(4, length, 2 * sizes[i], &g);
    check_ok(jn_loops_create(m, NULL, &l));
    check_ok(jn_loops_health_at(l, q, &health, NULL));
    check(health.rank == 3 && !health.near_singular, "size %g m: rank %d, weakest %g", sizes[i], health.rank,
          health.weakest);
    jn_loops_destroy(l);
    jn_model_destroy(m);
  }
}

/* q0 + q1^2 = 0 of the user's own, in small units. */
static jn_status small_units(void *context, const double *q, const double *v, double *phi, double *A, double *dAv) {
  double unit = *(double *)context;
  phi[0] = unit * (q[0] + q[1] * q[1]);
  A[0] = unit, A[1] = 2 * unit * q[1], A[2] = 0;
  dAv[0] = v ? 2 * unit * v[1] * v[1] : 0;
  return JN_OK;
}

static void the_users_units_do_not_matter(void **state) {
  (void)state;
  if (jn_variant_epsilon() > 1e-10) return;
  static const double length[3] = {1, 1, 1};
  static double units[] = {1, 1e-11, 1e30};
  double first[3];
  for (int i = 0; i < 3; i++) {
    jn_loops_options options;
    jn_loop pin;
    jn_loop_init(&pin);
    pin.type = JN_LOOP_SLIDING_POINT;
    pin.axis[0] = 0, pin.axis[1] = 1, pin.axis[2] = 0;
    const jn_loops_user user = {.rows = 1, .context = &units[i], .value = small_units};
    jn_model *m = held_linkage(3, length, 2, &pin);
    jn_loops *l;
    int rank;
    double q[3] = {0.2, 0.3, -1}, v[3] = {0.1, -0.2, 0.3}, tau[3] = {0}, jet[6], residual;
    jn_loops_options_init(&options);
    options.user = &user;
    options.user_count = 1;
    check_ok(jn_loops_create(m, &options, &l));
    check_ok(jn_loops_assemble(l, NULL, 0, q, &residual));
    check(fabs(q[0] + q[1] * q[1]) < 1e-11, "units of %g: closed to %g", units[i], q[0] + q[1] * q[1]);
    check_ok(jn_loops_rank(l, q, &rank));
    assert_int_equal(rank, 2);
    check_ok(jn_loops_project(l, NULL, q, v));
    check_ok(jn_loops_forward_dynamics_jet(l, 0, q, v, tau, NULL, jet, NULL));
    if (i == 0) memcpy(first, jet + 3, sizeof first);
    for (int k = 0; k < 3; k++)
      check(fabs(jet[3 + k] - first[k]) < 1e-9 * (1 + fabs(first[k])), "units of %g", units[i]);
    jn_loops_destroy(l);
    jn_model_destroy(m);
  }
}

/* ---- rounding ---- */

enum { ORDER = 4, COPIES = 10 };

/* A parallelogram somewhere in the world, its links with frames turned anyhow: the same motions, other roundings. */
static jn_model *parallelogram(uint64_t *s) {
  static const double length[3] = {0.4, 0.8, 0.4};
  static const char *const name[] = {"crank", "coupler", "rocker"};
  double T[16], D[4][16] = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}}, back[16], x[16];
  jn_builder *b;
  jn_model *m;
  jn_loop pin;
  random_placement(s, T);
  check_ok(jn_builder_create(NULL, &b));
  check_ok(jn_builder_set_gravity(b, (const double[]){-9.81 * T[1], -9.81 * T[5], -9.81 * T[9]}));
  for (int i = 0; i < 3; i++) {
    double P[16] = {1, 0, 0, i ? length[i - 1] : 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, inertia[10];
    jn_link l;
    jn_link_init(&l);
    l.name = name[i];
    l.parent = i ? name[i - 1] : NULL;
    random_placement(s, D[i + 1]);
    for (int e = 0; e < 3; e++) D[i + 1][4 * e + 3] = 0;
    check_ok(jn_se3_inverse(D[i], back));
    check_ok(jn_se3_multiply(back, i ? P : T, x));
    check_ok(jn_se3_multiply(x, D[i + 1], l.placement));
    l.joint.type = JN_REVOLUTE;
    for (int e = 0; e < 3; e++) l.joint.axis[e] = D[i + 1][8 + e]; /* z in the turned frame */
    jn_inertia_pack(1 + 0.3 * i, (const double[]){length[i] / 2, 0, 0}, (const double[]){0.01, 0.02, 0.03, 0, 0, 0},
                    inertia);
    check_ok(jn_se3_inverse(D[i + 1], back));
    check_ok(jn_inertia_transform(back, inertia, l.inertia));
    check_ok(jn_builder_add_link(b, &l));
  }
  jn_loop_init(&pin);
  pin.name = "pin";
  pin.type = JN_LOOP_REVOLUTE;
  pin.link_a = "world";
  pin.link_b = "rocker";
  jn_se3_multiply(T, (const double[]){1, 0, 0, 0.8, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, pin.placement_a);
  check_ok(jn_se3_inverse(D[3], back));
  jn_se3_multiply(back, (const double[]){1, 0, 0, 0.4, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, pin.placement_b);
  check_ok(jn_builder_add_loop(b, &pin));
  check_ok(jn_builder_freeze(b, &m, NULL));
  jn_builder_destroy(b);
  return m;
}

/* The same in every row, in units of its rounding: the one equation J c'' + w cos c = tau of the parallelogram, and its
 * derivatives. Loops have no functions of their own in float; with a row in float (JOUNCE_VARIANT) they see the tree
 * with the digits of float. */
static void every_row_reaches_its_rounding(void **state) {
  (void)state;
  uint64_t s = seed("rows");
  const double J = 0.07 + 1.3 * 0.16 + 0.094, w = 9.81 * (0.2 + 1.3 * 0.4 + 1.6 * 0.2), epsilon = jn_variant_epsilon();
  static const char *const what[] = {"closure", "acceleration", "torque", "its rate", "second rate", "derivative"};
  double worst[6] = {0};
  for (int i = 0; i < 200; i++) {
    double c = 0.4 + 1.1 * (1 + uniform(&s)), d[3], force = 5 * uniform(&s), gap, D[9];
    double near[3] = {c, -c + 0.05 * uniform(&s), c + M_PI + 0.05 * uniform(&s)}, q[3] = {c, -c, c + M_PI};
    double jet[6], tau[9], motion[12] = {0};
    const unsigned char crank[3] = {1, 0, 0};
    jn_loops_options options;
    jn_loops_health health;
    jn_loops *l;
    fill(&s, d, 3, 1); /* rates of c */
    jn_model *m = parallelogram(&s);
    jn_loops_options_init(&options);
    options.order = 2;
    check_ok(jn_loops_create(m, &options, &l));
    check_ok(jn_loops_assemble(l, crank, fmax(1e-12, 10 * epsilon), near, NULL));
    check(fabs(near[1] - q[1]) + fabs(near[2] - q[2]) < fmax(1e-10, 1000 * epsilon), "assembled %g, %g from there",
          near[1] - q[1], near[2] - q[2]);
    check_ok(jn_loops_gaps(l, q, &gap));
    check_ok(jn_loops_health_at(l, q, &health, NULL));
    check(health.rank == 2 && health.generic == 2 && !health.near_singular, "rank %d of %d, weakest %g, dropped %g",
          health.rank, health.generic, health.weakest, health.dropped);
    worst[0] = fmax(worst[0], gap);
    for (int k = 0; k < 3; k++) motion[3 * k] = d[k];
    check_ok(jn_loops_complete_motion(l, 2, crank, q, motion));
    check_ok(jn_loops_forward_dynamics_jet(l, 0, q, motion, (const double[]){force, 0, 0}, NULL, jet, NULL));
    double a = (force - w * cos(c)) / J;
    for (int k = 0; k < 3; k++) worst[1] = fmax(worst[1], fabs(jet[3 + k] - (k == 1 ? -a : a)));
    check_ok(jn_loops_inverse_dynamics_jet(l, 2, crank, JN_LEAST_TORQUE, NULL, q, motion, NULL, NULL, tau, NULL));
    worst[2] = fmax(worst[2], fabs(tau[0] - (J * d[1] + w * cos(c))));
    worst[3] = fmax(worst[3], fabs(tau[3] - (J * d[2] - w * sin(c) * d[0])));
    worst[4] = fmax(worst[4], fabs(tau[6] - (-w * cos(c) * d[0] * d[0] - w * sin(c) * d[1])));
    const jn_loops_inverse_derivatives out = {.dtau_dq = D};
    check_ok(jn_loops_inverse_dynamics_derivatives(l, crank, JN_LEAST_TORQUE, NULL, q, motion, motion + 3, NULL, NULL,
                                                   JN_IN_BODY, NULL, NULL, &out));
    worst[5] = fmax(worst[5], fabs(D[0] - D[1] + D[2] + w * sin(c)));
    jn_loops_destroy(l);
    jn_model_destroy(m);
  }
  for (int k = 0; k < 6; k++) {
    printf("# %s: %.1e, %.0f roundings\n", what[k], worst[k], worst[k] / epsilon);
    check(worst[k] < 2000 * epsilon, "%s is off by %.1e", what[k], worst[k]);
  }
}

/* Forward and inverse dynamics to ORDER at crank angle c, and what rounding errors are expected of them. */
static void solve_parallelogram(uint64_t *s, double c, double *forward, double *torque, double expected[2][ORDER + 1]) {
  double q[3] = {c, -c, c + M_PI}, v[3] = {0.5, -0.5, 0.5}, tau[3 * (ORDER + 1)] = {3};
  double jet[3 * (ORDER + 2)], motion[3 * (ORDER + 2)] = {0.5, 0, 0, 0.7};
  const unsigned char crank[3] = {1, 0, 0};
  jn_loops_options options;
  jn_loops_health health;
  jn_loops *l;
  jn_model *m = parallelogram(s);
  jn_loops_options_init(&options);
  options.order = ORDER;
  check_ok(jn_loops_create(m, &options, &l));
  check_ok(jn_loops_forward_dynamics_jet(l, ORDER, q, v, tau, NULL, jet, NULL));
  memcpy(forward, jet + 3, sizeof(double) * 3 * (ORDER + 1));
  check_ok(jn_loops_last_health(l, &health));
  for (int k = 0; k <= ORDER; k++) expected[0][k] = jn_loops_rounding(&health, k);
  check_ok(jn_loops_complete_motion(l, ORDER, crank, q, motion));
  check_ok(jn_loops_inverse_dynamics_jet(l, ORDER, crank, JN_LEAST_TORQUE, NULL, q, motion, NULL, NULL, torque, NULL));
  check_ok(jn_loops_last_health(l, &health));
  for (int k = 0; k <= ORDER; k++) expected[1][k] = jn_loops_rounding(&health, k + 1);
  jn_loops_destroy(l);
  jn_model_destroy(m);
}

/* Next to the position in line, where the four-bar linkage is singular: errors are what jn_loops_rounding() says,
 * within a factor that does not depend on how near it is. */
static void rounding_errors_are_foreseen(void **state) {
  (void)state;
  uint64_t s = seed("rounding");
  if (jn_variant_epsilon() > 1e-10) return;
  double worst = 0, least = INFINITY;
  for (int e = 1; e <= 4; e++) {
    double c = 1.2 * pow(10, -e), first[2][3 * (ORDER + 1)], found[2][3 * (ORDER + 1)], expected[2][ORDER + 1];
    double error[2][ORDER + 1] = {{0}};
    solve_parallelogram(&s, c, first[0], first[1], expected);
    for (int i = 1; i < COPIES; i++) {
      solve_parallelogram(&s, c, found[0], found[1], expected);
      for (int k = 0; k < 3 * (ORDER + 1); k++)
        for (int of = 0; of < 2; of++) error[of][k / 3] = fmax(error[of][k / 3], fabs(found[of][k] - first[of][k]));
    }
    for (int of = 0; of < 2; of++)
      for (int k = 0; k <= ORDER; k++) {
        double size = 1;
        for (int i = 0; i < 3; i++) size = fmax(size, fabs(first[of][3 * k + i]));
        double ratio = error[of][k] / size / expected[of][k];
        if (expected[of][k] > 1e-2) continue; /* no digit is left */
        worst = fmax(worst, ratio);
        least = fmin(least, ratio);
        check(ratio < 10, "%s, order %d at %g rad: error %.1e, expected %.1e", of ? "inverse" : "forward", k, c,
              error[of][k] / size, expected[of][k]);
      }
  }
  printf("# rounding: errors are %.1e to %.1f of what is expected\n", least, worst);
  check(least > 1e-6, "the expectation is far too large: %g", least);
}

/* A chain of four bars, whose end is pinned to the ground, with position limits. */
static jn_model *limited_linkage(const double *lower, const double *upper) {
  static const char *const name[] = {"bar0", "bar1", "bar2", "bar3"};
  static const double length[] = {0.5, 0.7, 0.6, 0.4};
  jn_builder *b;
  jn_model *m;
  jn_loop pin;

  check_ok(jn_builder_create(NULL, &b));
  for (int i = 0; i < 4; i++) {
    jn_link bar;
    jn_link_init(&bar);
    bar.name = name[i];
    bar.parent = i ? name[i - 1] : NULL;
    bar.placement[3] = i ? length[i - 1] : 0;
    bar.joint.type = JN_REVOLUTE;
    bar.joint.dof[0].lower = lower[i];
    bar.joint.dof[0].upper = upper[i];
    jn_inertia_pack(1, (const double[]){0.2, 0, 0}, (const double[]){0.01, 0.02, 0.03, 0, 0, 0}, bar.inertia);
    check_ok(jn_builder_add_link(b, &bar));
  }

  jn_loop_init(&pin);
  pin.name = "pin";
  pin.type = JN_LOOP_REVOLUTE;
  pin.link_a = "world";
  pin.link_b = name[3];
  pin.placement_a[3] = 0.8;
  pin.placement_b[3] = length[3];
  check_ok(jn_builder_add_loop(b, &pin));
  check_ok(jn_builder_freeze(b, &m, NULL));
  jn_builder_destroy(b);
  return m;
}

/* Limits around a closed configuration: one inside them is found from anywhere, and it is closed. */
static void closed_states_inside_limits_are_found(void **state) {
  const double wide[] = {3, 3, 3, 3}, low[] = {-3, -3, -3, -3};
  uint64_t random = 20260;
  (void)state;
  print_message("seed %llu\n", (unsigned long long)random);

  for (int attempt = 0; attempt < 40; attempt++) {
    double known[4], lower[4], upper[4], q[4], residual, outside;
    jn_model *m = limited_linkage(low, wide);
    jn_loops *l;
    check_ok(jn_loops_create(m, NULL, &l));
    do check_ok(jn_random(m, &random, known));
    while (jn_loops_assemble(l, NULL, 0, known, NULL) != JN_OK);
    check_ok(jn_random(m, &random, q));
    jn_loops_destroy(l);
    jn_model_destroy(m);

    for (int i = 0; i < 4; i++) {
      lower[i] = known[i] - 0.1 - 0.05 * (double)(attempt % 5);
      upper[i] = known[i] + 0.2;
    }
    m = limited_linkage(lower, upper);
    check_ok(jn_loops_create(m, NULL, &l));
    check_ok(jn_loops_assemble_inside(l, NULL, 0, q, &residual, &outside));
    check(outside == 0 && residual <= fmax(1e-10, 1000 * jn_variant_epsilon()), "attempt %d: outside by %g, open by %g",
          attempt, outside, residual);
    for (int i = 0; i < 4; i++)
      check(q[i] >= lower[i] && q[i] <= upper[i], "attempt %d, joint %d: %g is not in %g ... %g", attempt, i, q[i],
            lower[i], upper[i]);
    jn_loops_destroy(l);
    jn_model_destroy(m);
  }
}

/* Where there is none, the closed one that is least outside is given, and by how much; held joints stay. */
static void limits_that_cannot_hold_are_told(void **state) {
  const double lower[] = {-0.1, -0.1, -0.1, -0.1}, upper[] = {0.1, 0.1, 0.1, 0.1};
  const unsigned char held[] = {1, 0, 0, 0};
  double q[4] = {0}, gap, residual, outside = 0, most = 0;
  jn_model *m = limited_linkage(lower, upper);
  jn_loops *l;
  (void)state;
  check_ok(jn_loops_create(m, NULL, &l));

  check_ok(jn_loops_assemble_inside(l, NULL, 0, q, &residual, &outside));
  check_ok(jn_loops_gaps(l, q, &gap));
  for (int i = 0; i < 4; i++) most = fmax(most, fabs(q[i]) - 0.1);
  check(gap <= fmax(1e-10, 1000 * jn_variant_epsilon()) && outside > 0.1 && fabs(outside - most) < 1e-12,
        "open by %g, outside by %g, which should be %g", gap, outside, most);

  memcpy(q, (const double[]){1.5, 0, 0, 0}, sizeof q);
  check_ok(jn_loops_assemble_inside(l, held, 0, q, NULL, &outside));
  check(q[0] == 1.5 && outside > 0, "%g, %g", q[0], outside);
  assert_int_equal(jn_loops_assemble_inside(l, NULL, 0, q, NULL, NULL), JN_ERR_NULL);
  jn_loops_destroy(l);
  jn_model_destroy(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(closed_states_inside_limits_are_found),
                                     cmocka_unit_test(limits_that_cannot_hold_are_told),
                                     cmocka_unit_test(gaps_are_angles),
                                     cmocka_unit_test(bodies_are_brought_home),
                                     cmocka_unit_test(half_a_turn_is_refused),
                                     cmocka_unit_test(units_of_a_condition_do_not_matter),
                                     cmocka_unit_test(numbers_beyond_all_measure_are_refused),
                                     cmocka_unit_test(small_and_large_mechanisms_keep_their_rank),
                                     cmocka_unit_test(the_users_units_do_not_matter),
                                     cmocka_unit_test(every_row_reaches_its_rounding),
                                     cmocka_unit_test(rounding_errors_are_foreseen)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
