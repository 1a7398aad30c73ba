/* SPDX-License-Identifier: BSD-2-Clause */
/* Motion in time: orders of convergence, conservation properties, references of many digits, loops, events. */
#include "reference_motion.h"
#include "simulation_help.h"

/* A mass that slides up and down: z from -1 to 1 m. */
static jn_model *slider(double lower, double damping) {
  jn_builder *b;
  jn_model *m;
  jn_link l;
  const double com[3] = {0}, tensor[6] = {0.1, 0.1, 0.1, 0, 0, 0};
  jn_link_init(&l);
  l.name = "mass";
  jn_inertia_pack(2, com, tensor, l.inertia);
  l.joint.type = JN_PRISMATIC;
  l.joint.dof[0].lower = lower;
  l.joint.dof[0].damping = damping;
  check_ok(jn_builder_create(NULL, &b));
  check_ok(jn_builder_add_link(b, &l));
  check_ok(jn_builder_freeze(b, &m, NULL));
  jn_builder_destroy(b);
  return m;
}

/* ---- order ---- */

/* One step of length h, and the middle of it by the continuous output. */
static void one_step(const jn_model *m, jn_integrator integrator, const state *x, double h, state *end, state *middle) {
  jn_simulation_options o = options_of(integrator, 0.1);
  jn_simulation_report r;
  o.step = h;
  o.largest_step = h;
  o.order = 4;
  o.losses = 1;
  o.friction_speed = 0.5;
  jn_simulator *s = make(m, &o, x);
  check_ok(jn_simulator_step(s, x->t + h));
  check_ok(jn_simulator_report(s, &r));
  check(r.steps == 1 && r.last_step == h, "%s made a step of %g, not %g", jn_integrator_name(integrator), r.last_step,
        h);
  check_ok(jn_simulator_get(s, &end->t, end->q, end->v));
  check_ok(jn_simulator_dense(s, x->t + h / 2, middle->q, middle->v));
  jn_simulator_destroy(s);
}

/* The error of one step of a method of order p is of order h^(p+1). */
static void errors_shrink_with_the_order_of_the_method(void **unused) {
  static const int order[JN_INTEGRATORS] = {4, 5, 4, 4, 1}, dense[JN_INTEGRATORS] = {4, 4, 3, 3, 1};
  (void)unused;
  uint64_t s = seed("order");
  jn_model *m = lossy_chain(&s, mixed, MIXED, 0.3);
  state x = random_state(m, &s), end = {0}, middle = {0};
  jn_simulation_options o = options_of(JN_TAYLOR, 1e-15);
  o.losses = 1;
  o.friction_speed = 0.5;
  for (int i = 0; i < JN_INTEGRATORS; i++) {
    double e[2], d[2];
    for (int k = 0; k < 2; k++) {
      double h = (i == JN_SEMI_IMPLICIT_EULER ? 2e-5 : 5e-4) / (k + 1);
      one_step(m, (jn_integrator)i, &x, h, &end, &middle);
      state right = end_of(m, &o, &x, h), half = end_of(m, &o, &x, h / 2);
      e[k] = apart(m, &right, &end);
      d[k] = apart(m, &half, &middle);
    }
    double slope = log2(e[0] / e[1]), slope_dense = log2(d[0] / d[1]);
    printf("# %s: order %.2f (%d), within a step %.2f (%d)\n", jn_integrator_name((jn_integrator)i), slope - 1,
           order[i], slope_dense - 1, dense[i]);
    check(slope > order[i] + 0.7 && slope < order[i] + 1.6, "%s: error %g, at half the step %g: order %g, not %d",
          jn_integrator_name((jn_integrator)i), e[0], e[1], slope - 1, order[i]);
    check(slope_dense > dense[i] + 0.6, "%s within a step: error %g, at half the step %g",
          jn_integrator_name((jn_integrator)i), d[0], d[1]);
  }
  jn_model_destroy(m);
}

/* ---- references ---- */

/* Damping as a force of the user: its series is that of v. */
static jn_status damp(void *context, double t, int order, const double *q, const double *v_jet, double *tau_jet) {
  const struct reference_motion *r = context;
  (void)t, (void)q;
  for (int i = 0; i < r->n; i++) tau_jet[order * r->n + i] = -r->damping[i] * v_jet[order * r->n + i];
  return JN_OK;
}

static void motions_end_where_many_digits_say(void **unused) {
  (void)unused;
  for (size_t k = 0; k < sizeof reference_motions / sizeof *reference_motions; k++) {
    struct reference_motion r = reference_motions[k];
    jn_model *m;
    check_ok(jn_load(r.robot, NULL, &m, NULL));
    static const double allowed[][2] = {{1e-14, 1e-10}, {1e-10, 1e-6}};
    for (int i = 0; i < 2; i++) {
      state x = {0}, y = {0}, right = {0};
      memcpy(x.q, r.q, sizeof r.q);
      memcpy(x.v, r.v, sizeof r.v);
      jn_simulation_options o = options_of(JN_TAYLOR, allowed[i][0]);
      o.force = damp;
      o.context = &r;
      o.force_order = JN_ANY_ORDER;
      jn_simulator *s = make(m, &o, &x);
      for (int j = 0; j < r.times; j++) {
        check_ok(jn_simulator_run(s, r.at[j].t));
        check_ok(jn_simulator_get(s, &y.t, y.q, y.v));
        memcpy(right.q, r.at[j].q, sizeof r.at[j].q);
        memcpy(right.v, r.at[j].v, sizeof r.at[j].v);
        double off = apart(m, &right, &y);
        printf("# %s, tolerance %g: off by %.1e at %g s\n", r.robot, o.tolerance, off, y.t);
        check(off < allowed[i][1], "%s at %g s: off by %g", r.robot, y.t, off);
      }
      jn_simulator_destroy(s);
    }
    jn_model_destroy(m);
  }
}

/* ---- everything at once, by three methods ---- */

typedef struct pushes {
  int nv, nlink;
} pushes;

/* tau_i = sin(t + i) - 0.1 i v_i, with all its derivatives. */
static jn_status push(void *context, double t, int order, const double *q, const double *v_jet, double *tau_jet) {
  const pushes *p = context;
  (void)q;
  for (int i = 0; i < p->nv; i++)
    tau_jet[order * p->nv + i] = sin(t + i + 1.5707963267948966 * order) - 0.1 * i * v_jet[order * p->nv + i];
  return JN_OK;
}
static jn_status blow(void *context, double t, int order, double *wrench_jet) {
  const pushes *p = context;
  for (int k = 0; k <= order; k++)
    for (int i = 0; i < 6 * p->nlink; i++) wrench_jet[k * 6 * p->nlink + i] = 0.2 * cos(t + i + 1.5707963267948966 * k);
  return JN_OK;
}
/* Acceleration 0.5 cos t. */
static jn_status swing(void *context, double t, int order, double *v_jet) {
  const pushes *p = context;
  for (int k = 0; k <= order; k++)
    for (int i = 0; i < p->nv; i++) v_jet[(k + 1) * p->nv + i] = 0.5 * cos(t + 1.5707963267948966 * k);
  return JN_OK;
}

static void methods_agree_and_energy_balances_under_all_forces(void **unused) {
  (void)unused;
  uint64_t s = seed("forces");
  jn_model *m = lossy_chain(&s, mixed, MIXED, 0.3);
  int nv = jn_model_nv(m);
  pushes p = {nv, jn_link_count(m)};
  double tau[MOST];
  unsigned char prescribed[MOST] = {0};
  fill(&s, tau, nv, 1);
  prescribed[6] = 1;
  state x = random_state(m, &s), end[3] = {{0}};
  static const jn_integrator methods[3] = {JN_TAYLOR, JN_DORMAND_PRINCE, JN_RODAS};
  static const double tolerance[3] = {1e-14, 1e-12, 1e-10}, near[3] = {1e-15, 1e-9, 3e-7};
  for (int k = 0; k < 3; k++) {
    jn_simulation_options o = options_of(methods[k], tolerance[k]);
    jn_simulation_report r;
    o.losses = o.gravity_compensation = 1;
    o.friction_speed = 0.2;
    o.tau = tau;
    o.force = push;
    o.force_order = JN_ANY_ORDER;
    o.wrench = blow;
    o.motion = swing;
    o.prescribed = prescribed;
    o.context = &p;
    jn_simulator *sim = make(m, &o, &x);
    check_ok(jn_simulator_run(sim, 0.5));
    check_ok(jn_simulator_get(sim, &end[k].t, end[k].q, end[k].v));
    check_ok(jn_simulator_report(sim, &r));
    double gap = apart(m, &end[0], &end[k]), size = fabs(r.work) + fabs(r.wrenches) + r.losses;
    printf("# %s: %ld steps, %.1e from taylor, drift %.1e J of %.2g J\n", jn_integrator_name(methods[k]), r.steps, gap,
           r.drift, size);
    check(gap <= near[k], "%s ends %g from taylor", jn_integrator_name(methods[k]), gap);
    check(fabs(r.drift) < (k ? 1e-6 : 1e-12) * size, "%s: energy is off by %g J", jn_integrator_name(methods[k]),
          r.drift);
    check(fabs(end[k].v[6] - x.v[6] - 0.5 * sin(0.5)) < 1e-9, "the prescribed coordinate goes its own way");
    jn_simulator_destroy(sim);
  }
  jn_model_destroy(m);
}

/* ---- forces at a state ---- */

static void forces_at_a_state_are_those_of_the_dynamics(void **unused) {
  (void)unused;
  uint64_t s = seed("forces at a state");
  jn_model *m = lossy_chain(&s, mixed, MIXED, 0);
  int nv = jn_model_nv(m);
  double constant[MOST], tau[MOST], a[MOST], loss[MOST], g[MOST], right[MOST];
  fill(&s, constant, nv, 1);
  state x = random_state(m, &s);
  jn_simulation_options o = options_of(JN_DORMAND_PRINCE, 1e-9);
  o.tau = constant;
  o.losses = o.gravity_compensation = 1;
  jn_simulator *sim = make(m, &o, &x);
  jn_work *w;
  check_ok(jn_work_create(m, &w));
  check_ok(jn_simulator_forces(sim, 0, x.q, x.v, tau, a));
  check_ok(jn_loss_forces(m, x.v, loss));
  check_ok(jn_gravity_forces(m, w, x.q, g));
  for (int i = 0; i < nv; i++) g[i] += constant[i];
  check_close(tau, g, nv, 1, 50, "constant forces and the weight");
  for (int i = 0; i < nv; i++) g[i] -= loss[i];
  check_ok(jn_forward_dynamics(m, w, x.q, x.v, g, NULL, right));
  check_close(a, right, nv, 1, 1e4, "the acceleration of forces without losses");
  check_status(jn_simulator_forces(sim, 0, NULL, x.v, tau, a), JN_ERR_NULL);
  jn_simulator_destroy(sim);
  release(m, w);
}

/* ---- conservation ---- */

static void a_tumbling_body_keeps_its_momentum_and_energy(void **unused) {
  static const jn_joint_type one[] = {JN_FREE};
  const double none[3] = {0}, q[7] = {0, 0, 0, 0, 0, 0, 1}, v[6] = {0.1, 3, 0.2, 0.5, -0.25, 1};
  (void)unused;
  uint64_t s = seed("tumbling");
  jn_model *lossy = lossy_chain(&s, one, 1, 0), *m;
  check_ok(jn_model_with_gravity(lossy, none, &m));
  jn_work *w;
  check_ok(jn_work_create(m, &w));
  for (int k = 0; k < 2; k++) {
    jn_simulation_options o = options_of(k ? JN_DORMAND_PRINCE : JN_TAYLOR, k ? 1e-12 : 1e-14);
    jn_simulation_report r;
    state x = {0}, y = {0};
    double before[6], after[6];
    memcpy(x.q, q, sizeof q);
    memcpy(x.v, v, sizeof v);
    jn_simulator *sim = make(m, &o, &x);
    check_ok(jn_simulator_run(sim, k ? 5 : 100));
    check_ok(jn_simulator_get(sim, NULL, y.q, y.v));
    check_ok(jn_simulator_report(sim, &r));
    check_ok(jn_momentum(m, w, JN_ABOUT_ORIGIN, x.q, x.v, before));
    check_ok(jn_momentum(m, w, JN_ABOUT_ORIGIN, y.q, y.v, after));
    double gap = distance(before, after, 6, 0), length = 0;
    for (int i = 3; i < 7; i++) length += y.q[i] * y.q[i];
    printf("# %s: momentum off by %.1e, energy by %.1e, after %ld steps\n", jn_integrator_name(o.integrator), gap,
           r.drift / r.start, r.steps);
    check(gap < (k ? 1e-9 : 1e-11), "momentum is off by %g", gap);
    check(fabs(r.drift) < (k ? 1e-9 : 1e-12) * r.start, "energy is off by %g of %g J", r.drift, r.start);
    check(fabs(length - 1) < 1e-15, "the quaternion's length is off by %g", length - 1);
    jn_simulator_destroy(sim);
  }
  jn_work_destroy(w);
  jn_model_destroy(m);
  jn_model_destroy(lossy);
}

static void a_double_pendulum_keeps_its_energy(void **unused) {
  (void)unused;
  jn_model *m;
  check_ok(jn_load("builtin:double_pendulum", NULL, &m, NULL));
  jn_simulation_options o = options_of(JN_TAYLOR, 1e-14);
  jn_simulation_report r;
  state x = {.q = {2, 1}};
  jn_simulator *s = make(m, &o, &x);
  check_ok(jn_simulator_run(s, 100));
  check_ok(jn_simulator_report(s, &r));
  printf("# energy off by %.1e J after 100 s, %ld steps\n", r.drift, r.steps);
  check(fabs(r.drift) < 1e-11, "energy is off by %g J after 100 s", r.drift);
  jn_simulator_destroy(s);
  jn_model_destroy(m);
}

/* From rest, and from symmetric configurations, most terms of the series vanish: what the last terms say about the step
 * is then nothing. Taylor agrees with Dormand-Prince at every order. */
static void symmetric_starts_do_not_fool_the_step(void **unused) {
  static const char *const robots[] = {"builtin:planar_2r", "builtin:double_pendulum", "builtin:chain:3"};
  (void)unused;
  for (size_t i = 0; i < sizeof robots / sizeof *robots; i++) {
    jn_model *m = model_from(robots[i]);
    for (int quarter = 0; quarter < 4; quarter++) {
      state x = {0};
      check_ok(jn_neutral(m, x.q));
      x.q[0] += quarter * M_PI / 2;
      jn_simulation_options o = options_of(JN_DORMAND_PRINCE, 1e-12);
      state right = end_of(m, &o, &x, 0.5);
      for (int order = 4; order < 20; order++) {
        o = options_of(JN_TAYLOR, 1e-9);
        o.order = order;
        state end = end_of(m, &o, &x, 0.5);
        double error = apart(m, &right, &end);
        check(error < 1e-5, "%s, turned by %d degrees, order %d: %g", robots[i], 90 * quarter, order, error);
      }
    }
    jn_model_destroy(m);
  }
}

/* ---- loops ---- */

static void loops_stay_closed(void **unused) {
  static const char *const robots[] = {"builtin:four_bar", "builtin:slider_crank", "builtin:stewart"};
  (void)unused;
  for (int k = 0; k < 3; k++) {
    jn_model *m;
    jn_loops *loops;
    jn_loops_options lo;
    state end[2] = {{0}};
    check_ok(jn_load(robots[k], NULL, &m, NULL));
    jn_loops_options_init(&lo);
    lo.order = 18;
    check_ok(jn_loops_create(m, &lo, &loops));
    for (int i = 0; i < 2; i++) {
      jn_simulation_options o = options_of(i ? JN_DORMAND_PRINCE : JN_TAYLOR, 1e-11);
      jn_simulation_report r;
      jn_simulator *s;
      double tau[MOST] = {0.5}, gap[16], q[MOST], t = 0, worst = 0;
      o.tau = tau;
      o.losses = 1;
      check_ok(jn_simulator_create_loops(loops, &o, &s));
      check_ok(jn_neutral(m, q));
      check_ok(jn_simulator_set(s, 0, q, NULL));
      while (t < 0.3) {
        check_ok(jn_simulator_step(s, 0.3));
        check_ok(jn_simulator_get(s, &t, end[i].q, end[i].v));
        check_ok(jn_loops_gaps(loops, end[i].q, gap));
        for (int l = 0; l < jn_loop_count(m); l++) worst = fmax(worst, gap[l]);
      }
      check_ok(jn_simulator_report(s, &r));
      printf("# %s, %s: %ld steps, open by %.1e, drift %.1e J\n", robots[k], jn_integrator_name(o.integrator), r.steps,
             worst, r.drift);
      check(worst <= 1e-12, "%s opens by %g", robots[k], worst);
      check(fabs(r.drift) < 1e-7, "%s: energy is off by %g J", robots[k], r.drift);
      jn_simulator_destroy(s);
    }
    double gap = apart(m, &end[0], &end[1]);
    check(gap < 1e-7, "%s: two methods end %g apart", robots[k], gap);
    jn_loops_destroy(loops);
    jn_model_destroy(m);
  }
}

/* A four-bar with its loops. */
static jn_simulator *four_bar(const jn_simulation_options *o, jn_model **m, jn_loops **loops, double speed) {
  jn_loops_options lo;
  jn_simulator *s;
  double q[3] = {0}, v[3] = {speed};
  unsigned char given[3] = {1};
  check_ok(jn_load("builtin:four_bar", NULL, m, NULL));
  jn_loops_options_init(&lo);
  lo.order = 20;
  check_ok(jn_loops_create(*m, &lo, loops));
  double jet[6] = {speed};
  check_ok(jn_loops_complete_motion(*loops, 0, given, q, jet));
  memcpy(v, jet, sizeof v);
  check_ok(jn_simulator_create_loops(*loops, o, &s));
  check_ok(jn_simulator_set(s, 0, q, v));
  return s;
}

/* A crank that turns for 100 s without losses: closed after every step, with the energy that it began with. */
static void a_loop_stays_closed_for_100_s(void **unused) {
  (void)unused;
  for (int i = 0; i < 2; i++) {
    jn_simulation_options o = options_of(i ? JN_DORMAND_PRINCE : JN_TAYLOR, i ? 1e-9 : 1e-12);
    jn_simulation_report r;
    jn_model *m;
    jn_loops *loops;
    jn_simulator *s = four_bar(&o, &m, &loops, 15);
    double t = 0, until = i ? 10 : 100, q[3], gap[1], worst = 0;
    while (t < until) {
      check_ok(jn_simulator_step(s, until));
      check_ok(jn_simulator_get(s, &t, q, NULL));
      check_ok(jn_loops_gaps(loops, q, gap));
      worst = fmax(worst, gap[0]);
    }
    check_ok(jn_simulator_report(s, &r));
    printf("# %s: %ld steps, %.0f turns, open by %.1e at most, energy off by %.1e of %.1f J\n",
           jn_integrator_name(o.integrator), r.steps, q[0] / 6.283185307179586, worst, r.drift, r.start);
    check(worst <= 1e-12, "open by %g", worst);
    check(fabs(r.drift) < (i ? 1e-4 : 1e-9), "energy is off by %g J", r.drift);
    jn_simulator_destroy(s);
    jn_loops_destroy(loops);
    jn_model_destroy(m);
  }
}

/* ---- events ---- */

/* A mechanism with one degree of freedom that meets a stop: all velocities turn round, and of its kinetic energy the
 * square of the restitution is left. Without restitution it stays there, held by the motor. */
static void a_stop_in_a_loop_throws_the_mechanism_back(void **unused) {
  (void)unused;
  for (int i = 0; i < 4; i++) {
    double e = i % 2 ? 0 : 0.7, tau[3] = {5}, t = 0, q[3], v[3], gap[1];
    jn_simulation_options o = options_of(i / 2 ? JN_DORMAND_PRINCE : JN_TAYLOR, 1e-11);
    jn_simulation_report r;
    jn_model *m;
    jn_loops *loops;
    int index = -1;
    o.tau = tau;
    o.limits = JN_LIMITS_BOUNCE;
    o.restitution = e;
    jn_simulator *s = four_bar(&o, &m, &loops, 2);
    while (t < 10 && jn_simulator_happened(s, &index) != JN_UPPER_LIMIT) {
      check_ok(jn_simulator_step(s, 10));
      check_ok(jn_simulator_get(s, &t, q, v));
    }
    check_ok(jn_simulator_report(s, &r));
    check(index == 0 && t < 10, "the motor meets no stop");
    check(r.impacts > 0.1, "the stop takes %g J", r.impacts);
    check(fabs(r.kinetic - e * e / (1 - e * e) * r.impacts) < 1e-10, "%g J are left, %g were taken", r.kinetic,
          r.impacts);
    check(e > 0 ? v[0] < -1 : fabs(v[0]) + fabs(v[1]) + fabs(v[2]) < 1e-9, "v = %g after the stop", v[0]);
    check_ok(jn_simulator_run(s, t + 0.2));
    check_ok(jn_simulator_get(s, &t, q, v));
    check_ok(jn_loops_gaps(loops, q, gap));
    check_ok(jn_simulator_report(s, &r));
    printf("# %s, restitution %g: took %.3f J, then open by %.1e, drift %.1e J\n", jn_integrator_name(o.integrator), e,
           r.impacts, gap[0], r.drift);
    check(gap[0] <= 1e-12 && fabs(r.drift) < 1e-7, "open by %g, drift %g J", gap[0], r.drift);
    check(e > 0 || fabs(q[0] - 6.283185) < 1e-12, "the motor left its stop: %g", q[0]);
    jn_simulator_destroy(s);
    jn_loops_destroy(loops);
    jn_model_destroy(m);
  }
}

static void a_falling_mass_meets_its_stop_in_time(void **unused) {
  (void)unused;
  jn_model *m = slider(-1, 0);
  double right = sqrt(2 / 9.81);
  for (int k = 0; k < JN_INTEGRATORS - 1; k++) {
    jn_simulation_options o = options_of((jn_integrator)k, 1e-12);
    int index = -1;
    state x = {0};
    o.limits = JN_LIMITS_STOP;
    jn_simulator *s = make(m, &o, &x);
    check_ok(jn_simulator_run(s, 2));
    check_ok(jn_simulator_get(s, &x.t, x.q, x.v));
    check(jn_simulator_happened(s, &index) == JN_LOWER_LIMIT && index == 0, "%s missed the stop",
          jn_integrator_name(o.integrator));
    check(fabs(x.t - right) < 1e-12, "%s: the stop at %.15g, not %.15g s", jn_integrator_name(o.integrator), x.t,
          right);
    jn_simulator_destroy(s);
  }
  jn_model_destroy(m);
}

/* Bounces of a ball: heights fall by e^2, and it lies still after a finite time. */
static void a_ball_bounces_and_comes_to_rest(void **unused) {
  (void)unused;
  jn_model *m = slider(0, 0);
  const double e = 0.5, fall = sqrt(2 / 9.81);
  for (int k = 0; k < 2; k++) {
    jn_simulation_options o = options_of(k ? JN_DORMAND_PRINCE : JN_TAYLOR, 1e-12);
    jn_simulation_report r;
    state x = {.q = {1}};
    o.limits = JN_LIMITS_BOUNCE;
    o.restitution = e;
    jn_simulator *s = make(m, &o, &x);
    int bounces = 0;
    while (x.t < 2) {
      check_ok(jn_simulator_step(s, 2));
      check_ok(jn_simulator_get(s, &x.t, x.q, x.v));
      if (jn_simulator_happened(s, NULL) != JN_LOWER_LIMIT) continue;
      double expected = fall * (1 + 2 * (e - pow(e, bounces + 1)) / (1 - e));
      if (bounces < 8) check(fabs(x.t - expected) < 1e-9, "bounce %d at %.12g, not %.12g s", bounces, x.t, expected);
      bounces++;
    }
    check_ok(jn_simulator_report(s, &r));
    check(bounces > 8 && bounces < 40, "%d bounces", bounces);
    check(x.q[0] == 0 && x.v[0] == 0, "it ends at %g, at speed %g", x.q[0], x.v[0]);
    check(fabs(r.impacts - 2 * 9.81) < 1e-8 && fabs(r.drift) < 1e-8, "impacts took %g J, drift %g J", r.impacts,
          r.drift);
    jn_simulator_destroy(s);
  }
  jn_model_destroy(m);
}

/* Lies on the stop until a rising force lifts it: 2 kg at 40 N/s, after 9.81 * 2 / 40 s. */
static jn_status lift(void *context, double t, int order, const double *q, const double *v_jet, double *tau_jet) {
  (void)context, (void)q, (void)v_jet;
  tau_jet[0] = 40 * t;
  for (int k = 1; k <= order; k++) tau_jet[k] = k == 1 ? 40 : 0;
  return JN_OK;
}

static void a_stop_lets_go_when_it_would_have_to_pull(void **unused) {
  (void)unused;
  jn_model *m = slider(0, 0);
  for (int k = 0; k < 2; k++) {
    jn_simulation_options o = options_of(k ? JN_DORMAND_PRINCE : JN_TAYLOR, 1e-12);
    state x = {.q = {1e-4}};
    double lifted = 0, right = 9.81 * 2 / 40;
    o.limits = JN_LIMITS_BOUNCE;
    o.force = lift;
    o.force_order = JN_ANY_ORDER;
    o.force_of_time = 1;
    jn_simulator *s = make(m, &o, &x);
    while (x.t < 1) {
      check_ok(jn_simulator_step(s, 1));
      check_ok(jn_simulator_get(s, &x.t, x.q, x.v));
      if (jn_simulator_happened(s, NULL) == JN_RELEASE) lifted = x.t;
    }
    double free = 1 - right, height = 40 * free * free * free / 12;
    check(fabs(lifted - right) < 1e-9, "lifted at %.12g, not %.12g s", lifted, right);
    check(fabs(x.q[0] - height) < 1e-8, "at %.12g, not %.12g m", x.q[0], height);
    jn_simulator_destroy(s);
  }
  jn_model_destroy(m);
}

/* The velocity, or minus it. */
static double top(void *context, double t, const double *q, const double *v) {
  (void)t, (void)q;
  return *(const double *)context * v[0];
}

/* Has no value once the slider comes back. */
static double root(void *context, double t, const double *q, const double *v) {
  (void)context, (void)t, (void)q;
  return 1 + sqrt(v[0]);
}

static void a_watch_sees_the_top_of_a_throw(void **unused) {
  (void)unused;
  jn_model *m = slider(-10, 0);
  for (int k = 0; k < 6; k++) { /* a value that falls through zero, and one that rises; all directions */
    double sign = k < 3 ? 1 : -1;
    int direction = k % 3 - 1, seen = direction * sign <= 0;
    const jn_watch watch = {top, &sign, direction};
    jn_simulation_options o = options_of(JN_DORMAND_PRINCE, 1e-12);
    state x = {.v = {3}};
    o.watch = &watch;
    o.watch_count = 1;
    jn_simulator *s = make(m, &o, &x);
    check_ok(jn_simulator_run(s, 1));
    check_ok(jn_simulator_get(s, &x.t, x.q, x.v));
    double right = seen ? 3 / 9.81 : 1;
    check(fabs(x.t - right) < 1e-13, "sign %g, direction %d: ends at %.15g, not %.15g s", sign, direction, x.t, right);
    check(jn_simulator_happened(s, NULL) == (seen ? JN_WATCH : JN_NOTHING), "what happened is not what was watched");
    jn_simulator_destroy(s);
  }
  jn_model_destroy(m);
}

static double no_time(void *context, double t) {
  (void)t;
  return *(const double *)context;
}

/* A watch that is NaN at the start or later, and a break that is NaN: an error, and the state stays. */
static void nan_of_watches_and_breaks_is_an_error(void **unused) {
  (void)unused;
  jn_model *m = slider(-10, 0);
  double sign = NAN;
  const jn_watch watches[2] = {{top, &sign, 0}, {root, NULL, 0}};
  for (int k = 0; k < 3; k++) {
    jn_simulation_options o = options_of(JN_DORMAND_PRINCE, 1e-9);
    state x = {.v = {3}}, after = {0};
    o.context = &sign;
    if (k < 2) o.watch = &watches[k], o.watch_count = 1;
    if (k == 2) o.next_break = no_time;
    jn_simulator *s = make(m, &o, &x);
    jn_status status = jn_simulator_run(s, 1);
    check_ok(jn_simulator_get(s, &after.t, after.q, after.v));
    check(status == JN_ERR_STEP, "case %d: %s", k, jn_status_text(status));
    check(k == 1 ? after.v[0] >= 0 : after.t == 0 && after.v[0] == 3, "case %d: the state is not that before the step",
          k);
    jn_simulator_destroy(s);
  }
  jn_model_destroy(m);
}

/* ---- what changes between two calls ---- */

/* What the user's functions give: all of it is constant until the user changes it. */
typedef struct changing {
  double force, wrench, acceleration;
} changing;

static jn_status changing_force(void *context, double t, int order, const double *q, const double *v_jet,
                                double *tau_jet) {
  (void)t, (void)q, (void)v_jet;
  for (int k = 0; k <= order; k++) tau_jet[k] = k == 0 ? ((const changing *)context)->force : 0;
  return JN_OK;
}

static jn_status changing_wrench(void *context, double t, int order, double *wrench_jet) {
  (void)t;
  memset(wrench_jet, 0, 6 * ((size_t)order + 1) * sizeof *wrench_jet);
  wrench_jet[5] = ((const changing *)context)->wrench; /* along z */
  return JN_OK;
}

static jn_status changing_motion(void *context, double t, int order, double *v_jet) {
  (void)t;
  memset(v_jet, 0, ((size_t)order + 2) * sizeof *v_jet);
  v_jet[1] = ((const changing *)context)->acceleration;
  return JN_OK;
}

/* The forces of a mass change between calls, and nobody says when (no next_break): the velocity is the sum of what each
 * interval adds, whatever the method, by jn_simulator_run() and by jn_simulator_step(). kind: 0 a force, 1 a wrench, 2
 * a prescribed acceleration. */
static void check_changes(const jn_model *m, jn_integrator integrator, int kind, int by_steps) {
  static const double value[] = {2, 5, -1, 0, 3, 3, 7};
  static const unsigned char all[1] = {1};
  changing now = {0};
  jn_simulation_options o = options_of(integrator, 1e-12);
  o.context = &now;
  o.force_order = JN_ANY_ORDER;
  if (kind == 0) o.force = changing_force, o.force_of_time = 1;
  if (kind == 1) o.wrench = changing_wrench;
  if (kind == 2) o.motion = changing_motion, o.prescribed = all;
  state x = {0}, y = {0};
  jn_simulator *s = make(m, &o, &x);
  double v = 0, gravity = kind < 2 ? -9.81 : 0;
  for (int k = 0; k < (int)(sizeof value / sizeof *value); k++) {
    double until = 0.01 * (k + 1);
    now = (changing){2 * value[k], 2 * value[k], value[k]}; /* of 2 kg */
    v += (value[k] + gravity) * (until - y.t);
    while (by_steps && y.t < until) {
      check_ok(jn_simulator_step(s, until));
      check_ok(jn_simulator_get(s, &y.t, NULL, NULL));
    }
    check_ok(jn_simulator_run(s, until));
    check_ok(jn_simulator_get(s, &y.t, y.q, y.v));
    check(fabs(y.v[0] - v) < 1e-13, "%s, kind %d, interval %d, %s: v = %.17g, not %.17g",
          jn_integrator_name(integrator), kind, k, by_steps ? "by steps" : "by runs", y.v[0], v);
  }
  jn_simulator_destroy(s);
}

static void forces_may_change_between_two_calls(void **unused) {
  (void)unused;
  jn_model *m = slider(-10, 0);
  for (int i = 0; i < JN_INTEGRATORS; i++)
    for (int k = 0; k < 6; k++) check_changes(m, (jn_integrator)i, k / 2, k % 2);
  jn_model_destroy(m);
}

/* ---- what is stiff, singular or wrong ---- */

static void the_implicit_method_takes_few_steps_when_damping_is_strong(void **unused) {
  (void)unused;
  jn_model *m = slider(-100, 1e5); /* time constant 2e-5 s */
  long steps[2];
  for (int k = 0; k < 2; k++) {
    jn_simulation_options o = options_of(k ? JN_DORMAND_PRINCE : JN_RODAS, 1e-6);
    jn_simulation_report r;
    state x = {.v = {1}};
    o.losses = 1;
    jn_simulator *s = make(m, &o, &x);
    check_ok(jn_simulator_run(s, 1));
    check_ok(jn_simulator_get(s, &x.t, x.q, x.v));
    check_ok(jn_simulator_report(s, &r));
    steps[k] = r.steps + r.rejected;
    double slow = -2 * 9.81 / 1e5, away = 2e-5 * (1 - slow) + slow;
    check(fabs(x.v[0] - slow) < 1e-5 && fabs(x.q[0] - away) < 1e-5, "ends at %g, speed %g", x.q[0], x.v[0]);
    jn_simulator_destroy(s);
  }
  printf("# rodas %ld steps, dopri5 %ld\n", steps[0], steps[1]);
  check(steps[0] < 200 && steps[1] > 20 * steps[0], "rodas took %ld steps, dopri5 %ld", steps[0], steps[1]);
  jn_model_destroy(m);
}

/* 2 v' = 2 v^2 + weight: v = 1 / (1 - t), which ends at t = 1. */
static jn_status explode(void *context, double t, int order, const double *q, const double *v, double *tau) {
  (void)context, (void)t, (void)order, (void)q;
  tau[0] = 2 * v[0] * v[0] + 2 * 9.81;
  return JN_OK;
}

static void past_times_and_states_that_are_not_finite_are_refused(void **unused) {
  (void)unused;
  jn_model *m = slider(-100, 0);
  jn_simulation_options o = options_of(JN_DORMAND_PRINCE, 1e-9);
  double bad[] = {NAN, INFINITY, -INFINITY}, t, q[1], v[1];
  jn_simulator *s = make(m, &o, &(state){.t = 1, .q = {0.5}, .v = {2}});
  for (int k = 0; k < 3; k++) {
    check_status(jn_simulator_run(s, bad[k]), JN_ERR_SIZE);
    check_status(jn_simulator_set(s, bad[k], (double[]){0}, NULL), JN_ERR_SIZE);
    check_status(jn_simulator_set(s, 0, &bad[k], NULL), JN_ERR_SIZE);
    check_status(jn_simulator_set(s, 0, (double[]){0}, &bad[k]), JN_ERR_SIZE);
  }
  check_status(jn_simulator_run(s, 0.9), JN_ERR_SIZE);
  check_ok(jn_simulator_run(s, 1)); /* it is there already */
  check_ok(jn_simulator_get(s, &t, q, v));
  check(t == 1 && q[0] == 0.5 && v[0] == 2, "the state has changed to t %g, q %g, v %g", t, q[0], v[0]);
  jn_simulator_destroy(s);
  jn_model_destroy(m);
}

static void a_motion_that_explodes_says_when_and_where(void **unused) {
  (void)unused;
  jn_model *m = slider(-100, 0);
  jn_simulation_options o = options_of(JN_DORMAND_PRINCE, 1e-9);
  jn_simulation_report r;
  state x = {.v = {1}};
  o.force = explode;
  jn_simulator *s = make(m, &o, &x);
  check_status(jn_simulator_run(s, 2), JN_ERR_STEP);
  check_ok(jn_simulator_get(s, &x.t, x.q, x.v));
  check_ok(jn_simulator_report(s, &r));
  check(x.t > 0.999 && x.t < 1.001 && isfinite(x.v[0]), "it ends at %g s", x.t);
  check(r.joint == 0, "joint %d", r.joint);
  jn_simulator_destroy(s);
  jn_model_destroy(m);
}

static void wrong_options_are_refused(void **unused) {
  check(jn_taylor_order(1e-12) == 18 && jn_taylor_order(1e-4) == 7, "orders by tolerance");
  check(jn_taylor_order(NAN) == 2 && jn_taylor_order(-1) == 2, "orders of no tolerance");
  (void)unused;
  jn_model *m = slider(-1, 0);
  jn_simulator *s;
  const struct {
    jn_simulation_options o;
    jn_status status;
  } cases[] = {
      {{.size = 3}, JN_ERR_INIT},
      {{.tolerance = 0}, JN_ERR_SIZE},
      {{.tolerance = NAN}, JN_ERR_SIZE},
      {{.tolerance = 1e-9, .integrator = JN_RUNGE_KUTTA_4}, JN_ERR_SIZE},
      {{.tolerance = 1e-9, .integrator = JN_INTEGRATORS}, JN_ERR_SIZE},
      {{.tolerance = 1e-9, .order = 1}, JN_ERR_SIZE},
      {{.tolerance = 1e-9, .order = 61}, JN_ERR_SIZE},
      {{.tolerance = 1e-9, .restitution = 1.5}, JN_ERR_SIZE},
      {{.tolerance = 1e-9, .watch_count = 1}, JN_ERR_NULL},
      {{.tolerance = 1e-9, .force_order = -1}, JN_ERR_SIZE},
      {{.tolerance = 1e-9, .force = explode, .force_order = 3}, JN_ERR_CALLBACK},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    jn_simulation_options o = cases[i].o;
    if (o.size == 0) o.size = sizeof o;
    if (o.friction_speed == 0) o.friction_speed = 1e-3;
    check_status(jn_simulator_create(m, &o, &s), cases[i].status);
    assert_null(s);
  }
  check_status(jn_simulator_create(NULL, NULL, &s), JN_ERR_NULL);
  check_ok(jn_simulator_create(m, NULL, &s));
  check_status(jn_simulator_step(s, 0), JN_ERR_SIZE);
  check_status(jn_simulator_step(s, INFINITY), JN_ERR_SIZE);
  check_status(jn_simulator_dense(s, 3, NULL, NULL), JN_ERR_SIZE);
  jn_simulator_destroy(s);
  jn_simulator_destroy(NULL);
  assert_null(jn_integrator_name(JN_INTEGRATORS));
  assert_string_equal(jn_integrator_name(JN_RODAS), "rodas");
  jn_model_destroy(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(errors_shrink_with_the_order_of_the_method),
      cmocka_unit_test(motions_end_where_many_digits_say),
      cmocka_unit_test(methods_agree_and_energy_balances_under_all_forces),
      cmocka_unit_test(forces_at_a_state_are_those_of_the_dynamics),
      cmocka_unit_test(a_tumbling_body_keeps_its_momentum_and_energy),
      cmocka_unit_test(a_double_pendulum_keeps_its_energy),
      cmocka_unit_test(symmetric_starts_do_not_fool_the_step),
      cmocka_unit_test(loops_stay_closed),
      cmocka_unit_test(a_loop_stays_closed_for_100_s),
      cmocka_unit_test(a_stop_in_a_loop_throws_the_mechanism_back),
      cmocka_unit_test(a_falling_mass_meets_its_stop_in_time),
      cmocka_unit_test(a_ball_bounces_and_comes_to_rest),
      cmocka_unit_test(a_stop_lets_go_when_it_would_have_to_pull),
      cmocka_unit_test(a_watch_sees_the_top_of_a_throw),
      cmocka_unit_test(nan_of_watches_and_breaks_is_an_error),
      cmocka_unit_test(forces_may_change_between_two_calls),
      cmocka_unit_test(the_implicit_method_takes_few_steps_when_damping_is_strong),
      cmocka_unit_test(past_times_and_states_that_are_not_finite_are_refused),
      cmocka_unit_test(a_motion_that_explodes_says_when_and_where),
      cmocka_unit_test(wrong_options_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
