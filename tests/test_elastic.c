/* SPDX-License-Identifier: BSD-2-Clause */
/* Elastic joints: motors of motions against references of many digits, properties of springs, the elastic robot in
 * time, its derivatives, modes and controllers. */
#include "jounce/elastic.h"

#include "complex_variant.h"
#include "counting.h"
#include "jounce/simulation.h"
#include "jounce/trajectory.h"
#include "models.h"
#include "reference_elastic.h"

enum { MOST = 16, ROWS = 24 };

/* ---- sinusoids ---- */

typedef struct sinusoids {
  int n;
  const double *q0, *amplitude, *omega, *phase;
} sinusoids;

/* q, and rows 0 ... rows-1 of its velocity. */
static void sinusoids_at(const sinusoids *s, double t, int rows, double *q, double *v_jet) {
  for (int i = 0; i < s->n; i++) {
    double size = s->amplitude[i], angle = s->omega[i] * t + s->phase[i];
    q[i] = s->q0[i] + size * sin(angle);
    for (int k = 0; k < rows; k++) {
      size *= s->omega[i];
      v_jet[k * s->n + i] = size * sin(angle + (k + 1) * 1.5707963267948966);
    }
  }
}

static jn_elastic *make(const jn_model *m, const jn_actuator *a, int coupled) {
  jn_elastic *e;
  jn_error error;
  jn_elastic_options o;
  jn_elastic_options_init(&o);
  o.coupled = coupled;
  jn_status status = jn_elastic_create(m, a, &o, &e, &error);
  check(status == JN_OK, "%s", error.text);
  return e;
}

static void near(const char *what, int i, double t, double x, double exact, double scale, double tolerance) {
  check(fabs(x - exact) <= tolerance * fmax(fabs(exact), scale), "%s of joint %d at %g s: %.17g, not %.17g", what, i, t,
        x, exact);
}

typedef struct motor_rows {
  double deflection[3 * MOST + MOST], theta[4 * MOST], motor[2 * MOST], current[MOST], power[MOST];
} motor_rows;

static jn_status motors_at(jn_elastic *e, const jn_model *m, jn_work *w, const sinusoids *s, double t, motor_rows *x) {
  double q[MOST], v_jet[ROWS * MOST], tau[ROWS * MOST];
  int order = jn_elastic_order(e, 1);
  sinusoids_at(s, t, order + 2, q, v_jet);
  check_ok(jn_inverse_dynamics_jet(m, w, order, q, v_jet, NULL, tau)); /* rotors on links do without */
  const jn_motor_motion out = {x->deflection, x->theta, x->motor, x->current, x->power, NULL};
  return jn_elastic_inverse(e, 1, t, q, v_jet, tau, &out);
}

/* Property: theta, its derivatives, motor torque and rate are those of 60-digit arithmetic, to 1e-10; damped springs
 * too. */
static void motors_are_those_of_many_digits(void **state) {
  (void)state;
  for (size_t c = 0; c < sizeof reference_elastics / sizeof *reference_elastics; c++) {
    const struct reference_elastic *r = &reference_elastics[c];
    jn_model *m = model_from(r->robot);
    jn_actuator a[MOST];
    jn_work *w;
    int n = r->n, damped = r->damping[0] != 0;
    for (int i = 0; i < n; i++) {
      jn_actuator_init(&a[i]);
      a[i].stiffness = r->stiffness[i];
      a[i].rotor_inertia = r->rotor_inertia[i];
      a[i].damping = r->damping[i];
    }
    jn_elastic *e = make(m, a, 0);
    check_ok(jn_work_create_order(m, 8, &w));
    sinusoids s = {n, r->q0, r->amplitude, r->omega, r->phase};
    double worst = 0, t = 0;
    for (int k = 0; k < 3; k++) {
      motor_rows x;
      for (; damped && t + 0.005 < r->at[k].t; t += 0.005) check_ok(motors_at(e, m, w, &s, t, &x));
      t = r->at[k].t;
      check_ok(motors_at(e, m, w, &s, t, &x));
      double eps = 100 * jn_variant_epsilon(), tolerance = fmax(1e-11, eps);
      for (int i = 0; i < n; i++) {
        for (int order = 0; order < 4; order++)
          near("theta", i, t, x.theta[order * n + i], r->at[k].theta[order][i], 0.1, tolerance);
        for (int order = 0; order < 2; order++) {
          near("motor torque", i, t, x.motor[order * n + i], r->at[k].motor[order][i], 1, tolerance);
          worst = fmax(worst, fabs(x.motor[order * n + i] / r->at[k].motor[order][i] - 1));
        }
        near("power", i, t, x.power[i], r->at[k].motor[0][i] * r->at[k].theta[1][i], 1, tolerance);
      }
    }
    print_message("%s, damping %g: motor torques and rates within %.1e\n", r->robot, r->damping[0], worst);
    check(damped == (jn_elastic_error(e) > 0), "error %g", jn_elastic_error(e));
    jn_elastic_destroy(e);
    jn_work_destroy(w);
    jn_model_destroy(m);
  }
}

/* ---- springs of all kinds ---- */

static const double bent[] = {0, 900, 50, 4e5};
static const double rows_x[] = {-0.2, -0.05, 0, 0.05, 0.2}, rows_y[] = {-300, -46, 0, 46, 300};
static const double when[] = {-1, 0, 0.5, 1, 2, 3}, stiff[] = {600, 700, 1100, 900, 1200, 1000};

/* Kind 0 ... 3: linear, polynomial, table, over time. */
static jn_actuator spring_of(int kind, double damping) {
  jn_actuator a;
  jn_actuator_init(&a);
  a.stiffness = 900;
  a.damping = damping;
  a.rotor_inertia = 0.5;
  a.rotor_damping = 0.3;
  a.frictionloss = 1.5;
  a.friction_speed = 0.5;
  if (kind == 1) a.polynomial = bent, a.polynomial_count = 4;
  if (kind == 2) a.table_deflection = rows_x, a.table_torque = rows_y, a.table_count = 5;
  if (kind == 3) a.times = when, a.time_stiffness = stiff, a.time_count = 6;
  return a;
}

static const double arm_q0[] = {0, -0.6}, arm_amplitude[] = {0.25, 0.3}, arm_omega[] = {2.5, 3.1},
                    arm_phase[] = {0.1, 0.4};
static const sinusoids arm = {2, arm_q0, arm_amplitude, arm_omega, arm_phase};

/* Property: every row of deflection, motor angle and motor torque is the time derivative of the row before, for springs
 * of all kinds, with and without damping. */
static void every_row_is_the_derivative_of_the_row_before(void **state) {
  (void)state;
  jn_model *m = model_from("builtin:planar_2r");
  jn_work *w;
  check_ok(jn_work_create_order(m, 8, &w));
  for (int kind = 0; kind < 8; kind++) {
    jn_actuator a[2] = {spring_of(kind % 4, kind < 4 ? 0 : 9), spring_of(kind % 4, kind < 4 ? 0 : 2)};
    jn_elastic *e = make(m, a, 0);
    motor_rows x[5];
    double h = 1e-3, t = 0.3 - 2 * h, worst = 0;
    for (int i = 0; i < 200 && kind >= 4; i++) check_ok(motors_at(e, m, w, &arm, 0.001 * i, &x[0]));
    for (int i = 0; i < 5; i++) check_ok(motors_at(e, m, w, &arm, t + i * h, &x[i]));
    for (int k = 0; k < 3; k++)
      for (int v = 0; v < 2; v++) {
#define SLOPE(row) (8 * (x[3].row - x[1].row) - (x[4].row - x[0].row)) / (12 * h)
        double deflection = SLOPE(deflection[2 * k + v]), theta = SLOPE(theta[2 * k + v]);
        double off = fabs(x[2].deflection[2 * k + 2 + v] - deflection) / (fabs(deflection) + 0.1);
        off = fmax(off, fabs(x[2].theta[2 * k + 2 + v] - theta) / (fabs(theta) + 0.1));
        if (k == 0) off = fmax(off, fabs(x[2].motor[2 + v] - SLOPE(motor[v])) / 100);
#undef SLOPE
        worst = fmax(worst, off);
        check(off < 1e-7, "kind %d, order %d, joint %d: off by %g", kind, k, v, off);
      }
    print_message("spring %d, damping %g: rows off by %.1e from differences\n", kind % 4, a[0].damping, worst);
    jn_elastic_destroy(e);
  }
  jn_work_destroy(w);
  jn_model_destroy(m);
}

/* Property: phi(delta) + D delta' = tau_J, where phi is written out here. */
static void springs_carry_the_torque_of_the_joints(void **state) {
  (void)state;
  jn_model *m = model_from("builtin:planar_2r");
  jn_work *w;
  check_ok(jn_work_create_order(m, 8, &w));
  for (int kind = 0; kind < 8; kind++) {
    jn_actuator a[2] = {spring_of(kind % 4, kind < 4 ? 0 : 9), spring_of(kind % 4, kind < 4 ? 0 : 2)};
    jn_elastic *e = make(m, a, 0);
    for (double t = 0; t < 1; t += 0.01) {
      motor_rows x;
      double q[2], v_jet[20], tau[2];
      check_ok(motors_at(e, m, w, &arm, t, &x));
      sinusoids_at(&arm, t, 2, q, v_jet);
      check_ok(jn_inverse_dynamics(m, w, q, v_jet, v_jet + 2, NULL, tau));
      for (int v = 0; v < 2; v++) {
        double d = x.deflection[v], phi = 900 * d;
        if (kind % 4 == 1) phi = d * (900 + d * (50 + d * 4e5));
        if (kind % 4 >= 2) { /* splines: by the rows, at t = 0.5 s and where they are */
          if (kind % 4 == 3 && fabs(t - 0.5) < 1e-9)
            phi = 1100 * d;
          else
            continue;
        }
        near("spring", v, t, phi + a[v].damping * x.deflection[2 + v], tau[v], 1, 1e-12);
      }
    }
    jn_elastic_destroy(e);
  }
  jn_work_destroy(w);
  jn_model_destroy(m);
}

/* Property: the spline of a table goes through its rows: torques of the rows deflect the spring as the rows say. */
static void splines_go_through_their_tables(void **state) {
  (void)state;
  jn_model *m = model_from("builtin:planar_2r");
  jn_actuator a[2] = {spring_of(2, 0), spring_of(2, 0)};
  jn_elastic *e = make(m, a, 0);
  for (int i = 0; i < 5; i++) {
    double q[2] = {0}, v_jet[6] = {0}, tau[8] = {rows_y[i], rows_y[i]}, delta[8];
    const jn_motor_motion out = {.deflection_jet = delta};
    check_ok(jn_elastic_inverse(e, 1, 0, q, v_jet, tau, &out));
    near("row", i, 0, delta[0], rows_x[i], 0.01, 1e-13);
  }
  jn_elastic_destroy(e);
  jn_model_destroy(m);
}

/* ---- the elastic robot ---- */

/* Motors and links of a motion, as a state of the elastic robot and its accelerations. */
typedef struct elastic_state {
  double q[2 * MOST + 64], v[2 * MOST + 64], a[2 * MOST + 64], motor[2 * MOST + 64];
} elastic_state;

static void state_at(jn_elastic *e, const jn_model *m, jn_work *w, const sinusoids *s, double t, elastic_state *x) {
  motor_rows r;
  double q[MOST], v_jet[ROWS * MOST];
  int n = s->n;
  check_ok(motors_at(e, m, w, s, t, &r));
  sinusoids_at(s, t, 3, q, v_jet);
  check_ok(jn_elastic_join(e, q, v_jet, r.theta, r.theta + n, x->q, x->v));
  for (int i = 0; i < n; i++) {
    x->a[jn_elastic_motor_coordinate(e, i)] = r.theta[2 * n + i];
    x->a[jn_elastic_link_coordinate(e, i)] = v_jet[n + i];
    x->motor[i] = r.motor[i];
  }
}

/* Property: under the motor torques of a motion, links and motors accelerate as the motion says; a rigid joint among
 * them.
 */
static void motor_torques_accelerate_as_the_motion_says(void **state) {
  (void)state;
  const struct reference_elastic *r = &reference_elastics[2];
  jn_model *m = model_from(r->robot);
  jn_work *w;
  sinusoids s = {r->n, r->q0, r->amplitude, r->omega, r->phase};
  check_ok(jn_work_create_order(m, 8, &w));
  for (int damped = 0; damped < 2; damped++) {
    jn_actuator a[MOST];
    for (int i = 0; i < r->n; i++) a[i] = spring_of(i % 3, damped ? 3 : 0);
    jn_actuator_init(&a[3]);
    a[3].rotor_inertia = 0.4;
    jn_elastic *e = make(m, a, 0);
    check(jn_model_nv(jn_elastic_model(e)) == 2 * r->n - 1, "coordinates");
    for (double t = 0; t < 0.5; t += 0.01) {
      elastic_state x;
      double found[2 * MOST];
      state_at(e, m, w, &s, t, &x);
      check_ok(jn_elastic_dynamics(e, t, x.q, x.v, x.motor, found, NULL, NULL, NULL));
      for (int i = 0; i < 2 * r->n - 1; i++) near("acceleration", i, t, found[i], x.a[i], 10, 1e-9);
    }
    jn_elastic_destroy(e);
  }
  jn_work_destroy(w);
  jn_model_destroy(m);
}

/* Property: the same with rotors that links carry: the accelerations of links and rotors under the motor torques are
 * those of the motion, for one, two and seven springs one behind the other; and in the limit of large gears it is the
 * reduced model. */
static void carried_rotors_accelerate_as_the_motion_says(void **state) {
  (void)state;
  const struct reference_elastic *r = &reference_elastics[2];
  jn_model *m = model_from(r->robot);
  jn_work *w;
  sinusoids s = {r->n, r->q0, r->amplitude, r->omega, r->phase};
  check_ok(jn_work_create_order(m, 20, &w));
  for (int springs = 1; springs <= 7; springs += springs == 1 ? 1 : 5) {
    jn_actuator a[MOST];
    for (int i = 0; i < r->n; i++) {
      jn_actuator_init(&a[i]);
      a[i].rotor_inertia = 0.2;
      a[i].gear = 30;
      if (i < 7 - springs) continue;
      a[i] = spring_of(i % 3, 0);
      a[i].gear = 100;
      a[i].rotor_inertia = 0.2;
    }
    jn_elastic *e = make(m, a, 1);
    check(jn_elastic_order(e, 1) == 1 + 2 * springs, "order %d", jn_elastic_order(e, 1));
    double worst = 0;
    for (double t = 0; t < 0.5; t += 0.05) {
      elastic_state x;
      double found[2 * MOST];
      state_at(e, m, w, &s, t, &x);
      check_ok(jn_elastic_dynamics(e, t, x.q, x.v, x.motor, found, NULL, NULL, NULL));
      for (int i = 0; i < r->n + springs; i++) {
        worst = fmax(worst, fabs(found[i] - x.a[i]) / fmax(fabs(x.a[i]), 10));
        near("acceleration", i, t, found[i], x.a[i], 10, 1e-7);
      }
    }
    motor_rows x[5], reduced;
    double h = 1e-3, rows = 0, gap = 0;
    for (int i = 0; i < 5; i++) check_ok(motors_at(e, m, w, &s, 0.3 + (i - 2) * h, &x[i]));
    for (int i = 0; i < r->n; i++) {
      double slope = (8 * (x[3].motor[i] - x[1].motor[i]) - (x[4].motor[i] - x[0].motor[i])) / (12 * h);
      rows = fmax(rows, fabs(x[2].motor[r->n + i] - slope) / fmax(fabs(slope), 10));
    }
    jn_elastic *plain = make(m, a, 0);
    check_ok(motors_at(plain, m, w, &s, 0.3, &reduced));
    for (int i = 0; i < r->n; i++) gap = fmax(gap, fabs(reduced.motor[i] - x[2].motor[i]));
    print_message("%d springs with rotors on links: accelerations off by %.1e, rates by %.1e; %.2g N m from reduced\n",
                  springs, worst, rows, gap);
    check(rows < 1e-8 && gap < 0.1, "rates off by %g", rows);
    jn_elastic_destroy(plain);
    jn_elastic_destroy(e);
  }
  jn_work_destroy(w);
  jn_model_destroy(m);
}

/* Property: derivatives of the accelerations are those of central differences, rotors on their links or not. */
static void derivatives_are_those_of_differences(void **state) {
  (void)state;
  const struct reference_elastic *r = &reference_elastics[2];
  jn_model *m = model_from(r->robot);
  jn_work *w;
  sinusoids s = {r->n, r->q0, r->amplitude, r->omega, r->phase};
  check_ok(jn_work_create_order(m, 8, &w));
  for (int coupled = 0; coupled < 2; coupled++) {
    jn_actuator a[MOST];
    for (int i = 0; i < r->n; i++) a[i] = spring_of(i % 4, i % 2 ? 3 : 0), a[i].gear = 50;
    jn_elastic *e = make(m, a, coupled), *plain = make(m, a, 0);
    enum { N = 14 };
    elastic_state x;
    double da_dq[N * N], da_dv[N * N], da_dmotor[N * 7], low[N], high[N], h = 1e-5;
    state_at(plain, m, w, &s, 0.2, &x);
    jn_elastic_destroy(plain);
    check_ok(jn_elastic_dynamics(e, 0.2, x.q, x.v, x.motor, NULL, da_dq, da_dv, da_dmotor));
    for (int j = 0; j < 2 * N + 7; j++) {
      double *to = j < N ? &x.q[j] : j < 2 * N ? &x.v[j - N] : &x.motor[j - 2 * N], keep = *to;
      *to = keep + h;
      check_ok(jn_elastic_dynamics(e, 0.2, x.q, x.v, x.motor, high, NULL, NULL, NULL));
      *to = keep - h;
      check_ok(jn_elastic_dynamics(e, 0.2, x.q, x.v, x.motor, low, NULL, NULL, NULL));
      *to = keep;
      for (int i = 0; i < N; i++) {
        double exact = j < N ? da_dq[i * N + j] : j < 2 * N ? da_dv[i * N + j - N] : da_dmotor[i * 7 + j - 2 * N];
        near("derivative", i, j, (high[i] - low[i]) / (2 * h), exact, 100, 1e-6);
      }
    }
    jn_elastic_destroy(e);
  }
  jn_work_destroy(w);
  jn_model_destroy(m);
}

/* Forces on the elastic robot with complex numbers, written out here: springs of kinds 0 and 1. */
static void complex_forces(const jn_elastic *e, int nv, const double _Complex *q, const double _Complex *v,
                           const double _Complex *motor, double _Complex *tau) {
  for (int i = 0; i < nv; i++) {
    const jn_actuator *a = jn_elastic_actuator(e, i);
    int link = jn_elastic_link_coordinate(e, i), rotor = jn_elastic_motor_coordinate(e, i);
    double _Complex x = q[rotor] - q[link], w = v[rotor], force = a->damping * (w - v[link]);
    force += a->polynomial_count ? x * (bent[1] + x * (bent[2] + x * bent[3])) : a->stiffness * x;
    tau[link] = force;
    tau[rotor] = motor[i] - force - a->rotor_damping * w -
                 a->frictionloss * w / csqrt(w * w + a->friction_speed * a->friction_speed);
  }
}

/* Property: derivatives of the accelerations by state and motor torque are those of the complex step of the forward
 * dynamics of links and motors, to rounding. */
static void derivatives_are_those_of_the_complex_step(void **state) {
  (void)state;
  enum { N = 14, LINKS = 40 };
  const double h = 1e-30;
  const struct reference_elastic *r = &reference_elastics[2];
  jn_model *m = model_from(r->robot);
  sinusoids s = {r->n, r->q0, r->amplitude, r->omega, r->phase};
  jn_actuator a[MOST];
  jn_work *w;
  double worst = 0;
  check_ok(jn_work_create_order(m, 8, &w));
  for (int i = 0; i < r->n; i++) a[i] = spring_of(i % 2, i % 3 ? 3 : 0);
  jn_elastic *e = make(m, a, 0);
  const jn_model *robot = jn_elastic_model(e);
  elastic_state x;
  double da_dq[N * N], da_dv[N * N], da_dmotor[N * 7], size = 0;
  check(jn_model_nv(robot) == N && jn_link_count(robot) <= LINKS, "%d coordinates", jn_model_nv(robot));
  state_at(e, m, w, &s, 0.2, &x);
  check_ok(jn_elastic_dynamics(e, 0.2, x.q, x.v, x.motor, NULL, da_dq, da_dv, da_dmotor));
  for (int i = 0; i < N * N; i++) size = fmax(size, fabs(da_dq[i]));
  for (int j = 0; j < 2 * N + 7; j++) {
    double _Complex q[N], v[N], motor[7], tau[N] = {0}, none[N] = {0}, wrench[6 * LINKS] = {0}, out[3][N];
    for (int i = 0; i < N; i++) q[i] = CMPLX(x.q[i], i == j ? h : 0), v[i] = CMPLX(x.v[i], N + i == j ? h : 0);
    for (int i = 0; i < 7; i++) motor[i] = CMPLX(x.motor[i], 2 * N + i == j ? h : 0);
    complex_forces(e, 7, q, v, motor, tau);
    jn_call call = {.forward_dynamics = {.q = q,
                                         .v = v,
                                         .a = none,
                                         .tau = tau,
                                         .wrench = wrench,
                                         .a_out = out[0],
                                         .tau_out = out[1],
                                         .pivots = out[2]}};
    run_complex(robot, -1, robot->coupled ? JN_KERNEL_forward_dynamics_coupled : JN_KERNEL_forward_dynamics, &call);
    for (int i = 0; i < N; i++) {
      double exact = j < N ? da_dq[i * N + j] : j < 2 * N ? da_dv[i * N + j - N] : da_dmotor[i * 7 + j - 2 * N];
      worst = fmax(worst, fabs(cimag(out[0][i]) / h - exact) / size);
      near("derivative", i, j, cimag(out[0][i]) / h, exact, size, 1e-12);
    }
  }
  print_message("derivatives within %.1e of the complex step\n", worst);
  jn_elastic_destroy(e);
  jn_work_destroy(w);
  jn_model_destroy(m);
}

/* Property: rotors on links add B/gear between a motor and the links that turn its housing about its axis, and nothing
 * else.
 */
static void carried_rotors_couple_motors_and_links(void **state) {
  (void)state;
  jn_model *m = model_from("builtin:planar_2r");
  jn_actuator a[2] = {spring_of(0, 0), spring_of(0, 0)};
  a[1].gear = 40;
  jn_elastic *reduced = make(m, a, 0), *coupled = make(m, a, 1);
  jn_work *w;
  double q[4] = {0.3, -0.7, 0, 0}, M[16], R[16];
  check_ok(jn_work_create(jn_elastic_model(reduced), &w));
  check_ok(jn_mass_matrix(jn_elastic_model(reduced), w, q, R));
  jn_work_destroy(w);
  check_ok(jn_work_create(jn_elastic_model(coupled), &w));
  check_ok(jn_mass_matrix(jn_elastic_model(coupled), w, q, M));
  jn_work_destroy(w);
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) {
      int l = jn_elastic_link_coordinate(coupled, i), b = jn_elastic_motor_coordinate(coupled, j),
          k = jn_elastic_link_coordinate(coupled, j), c = jn_elastic_motor_coordinate(coupled, i);
      near("links", i, j, M[4 * l + k], R[4 * l + k], 1, 1e-14);
      near("motors", i, j, M[4 * c + b], i == j ? 0.5 : 0, 1, 1e-14);
      near("between", i, j, M[4 * l + b], i == 0 && j == 1 ? 0.5 / 40 : 0, 1, 1e-14);
    }
  jn_elastic_destroy(reduced);
  jn_elastic_destroy(coupled);
  jn_model_destroy(m);
}

/* ---- in time ---- */

typedef struct follower {
  jn_elastic *e;
  jn_model *m;
  jn_work *w;
  double factor; /* of the motor torques */
} follower;

static jn_status follow(void *context, double t, int order, const double *q, const double *v_jet, double *tau_jet) {
  follower *f = context;
  motor_rows r;
  check_ok(motors_at(f->e, f->m, f->w, &arm, t, &r));
  for (int i = 0; i < 2; i++) r.motor[i] *= f->factor;
  return jn_elastic_forces(f->e, t, order, q, v_jet, r.motor, tau_jet);
}

static double deviation_of(follower *f, double end) {
  jn_simulation_options o;
  jn_simulator *s;
  elastic_state x, y;
  jn_simulation_options_init(&o);
  o.integrator = JN_DORMAND_PRINCE;
  o.tolerance = 1e-12;
  o.force = follow;
  o.context = f;
  state_at(f->e, f->m, f->w, &arm, 0, &x);
  check_ok(jn_simulator_create(jn_elastic_model(f->e), &o, &s));
  check_ok(jn_simulator_set(s, 0, x.q, x.v));
  check_ok(jn_simulator_run(s, end));
  check_ok(jn_simulator_get(s, NULL, x.q, x.v));
  state_at(f->e, f->m, f->w, &arm, end, &y);
  double worst = 0;
  for (int i = 0; i < 4; i++) worst = fmax(worst, fabs(x.q[i] - y.q[i]));
  jn_simulator_destroy(s);
  return worst;
}

/* Property: the elastic robot under the computed torques follows for a second; with torques that are 0.1 % off it does
 * not.
 */
static void the_elastic_robot_follows_its_motor_torques(void **state) {
  (void)state;
  follower f = {.m = model_from("builtin:planar_2r"), .factor = 1};
  jn_actuator a[2] = {spring_of(1, 0), spring_of(2, 0)};
  f.e = make(f.m, a, 0);
  check_ok(jn_work_create_order(f.m, 8, &f.w));
  double right = deviation_of(&f, 1);
  f.factor = 1.001;
  double wrong = deviation_of(&f, 1);
  print_message("after 1 s: off by %.1e, with torques off by 0.1 %% %.1e\n", right, wrong);
  check(right < 1e-9 && wrong > 1e-4, "%g %g", right, wrong);
  jn_elastic_destroy(f.e);
  jn_work_destroy(f.w);
  jn_model_destroy(f.m);
}

/* Property: without losses, the work of the motors is the gain of kinetic energy, weight, springs and rotors. */
static void motors_pay_for_all_energy(void **state) {
  (void)state;
  jn_model *m = model_from("builtin:planar_2r");
  jn_work *w;
  jn_actuator a[2] = {spring_of(0, 0), spring_of(0, 0)};
  for (int i = 0; i < 2; i++) a[i].frictionloss = a[i].rotor_damping = 0;
  jn_elastic *e = make(m, a, 0);
  check_ok(jn_work_create_order(m, 8, &w));
  static const double node[3] = {-0.7745966692414834, 0, 0.7745966692414834}, weight[3] = {5, 8, 5};
  double work = 0, energy[2], h = 0.01;
  for (int end = 0; end < 2; end++) {
    double q[2], v[4], both[2];
    motor_rows r;
    check_ok(motors_at(e, m, w, &arm, end, &r));
    sinusoids_at(&arm, end, 1, q, v);
    check_ok(jn_energy(m, w, q, v, both));
    energy[end] = both[0] + both[1];
    for (int i = 0; i < 2; i++)
      energy[end] += 450 * r.deflection[i] * r.deflection[i] + 0.25 * r.theta[2 + i] * r.theta[2 + i];
  }
  for (int k = 0; k < 100; k++)
    for (int i = 0; i < 3; i++) {
      motor_rows r;
      check_ok(motors_at(e, m, w, &arm, (k + 0.5 + node[i] / 2) * h, &r));
      work += h * weight[i] / 18 * (r.power[0] + r.power[1]);
    }
  near("work", 0, 1, work, energy[1] - energy[0], 10, 1e-12);
  jn_elastic_destroy(e);
  jn_work_destroy(w);
  jn_model_destroy(m);
}

/* ---- modes, control ---- */

/* Property: K x = omega^2 M x for every mode, x^T M x = 1; and a mass on a spring has omega^2 = K (1/m + 1/B). */
static void modes_balance_springs_and_inertia(void **state) {
  (void)state;
  const struct reference_elastic *r = &reference_elastics[2];
  jn_model *m = model_from(r->robot);
  enum { N = 14 };
  jn_actuator a[MOST];
  for (int i = 0; i < r->n; i++) a[i] = spring_of(0, 0), a[i].stiffness = r->stiffness[i], a[i].gear = 100;
  jn_elastic *e = make(m, a, 1);
  int count;
  double omega[N], shapes[N * N], M[N * N], q[N] = {0};
  jn_work *w;
  check_ok(jn_work_create(jn_elastic_model(e), &w));
  check_ok(jn_elastic_modes(e, 0, r->q0, NULL, &count, omega, shapes));
  memcpy(q, r->q0, 7 * sizeof *q);
  check_ok(jn_mass_matrix(jn_elastic_model(e), w, q, M));
  check(count == N, "%d modes", count);
  for (int k = 0; k < N; k++) {
    double *x = shapes + k * N, size = 0;
    for (int i = 0; i < N; i++) {
      double Mx = 0, Kx = 0;
      for (int j = 0; j < N; j++) Mx += M[i * N + j] * x[j];
      for (int v = 0; v < 7; v++) {
        int l = jn_elastic_link_coordinate(e, v), b = jn_elastic_motor_coordinate(e, v);
        if (i == l) Kx += r->stiffness[v] * (x[l] - x[b]);
        if (i == b) Kx -= r->stiffness[v] * (x[l] - x[b]);
      }
      size += x[i] * Mx;
      near("mode", k, i, Kx, omega[k] * omega[k] * Mx, 1e4, 1e-9);
    }
    near("size", k, 0, size, 1, 1, 1e-12);
    check(k < 7 ? omega[k] < 1e-2 : omega[k] > 10, "mode %d has %g rad/s", k, omega[k]);
  }
  jn_work_destroy(w);
  jn_elastic_destroy(e);
  jn_model_destroy(m);
}

/* Property: on the motion, feedback linearisation with its own snap gives the torque of the inverse, and its
 * acceleration and jerk are those of the motion; the motor PD adds nothing there, and a spring's worth elsewhere. */
static void control_on_the_motion_is_the_motion(void **state) {
  (void)state;
  jn_model *m = model_from("builtin:planar_2r");
  jn_work *w;
  jn_actuator a[2] = {spring_of(1, 0), spring_of(2, 0)};
  jn_elastic *e = make(m, a, 0);
  check_ok(jn_work_create_order(m, 8, &w));
  motor_rows r;
  double q[2], v_jet[10], found[6], motor[2], kp[2] = {100, 50}, kd[2] = {10, 5};
  check_ok(motors_at(e, m, w, &arm, 0.4, &r));
  sinusoids_at(&arm, 0.4, 5, q, v_jet);
  check_ok(jn_elastic_state_jet(e, 0.4, q, v_jet, r.theta, r.theta + 2, found));
  for (int i = 0; i < 6; i++) near("state", i, 0.4, found[i], v_jet[i], 1, 1e-10);
  check_ok(jn_elastic_linearising_torque(e, 0.4, q, v_jet, r.theta, r.theta + 2, v_jet + 6, motor));
  for (int i = 0; i < 2; i++) near("torque", i, 0.4, motor[i], r.motor[i], 1, 1e-10);
  check_ok(jn_elastic_motor_pd(e, r.motor, r.theta, r.theta, r.theta + 2, kp, kd, motor));
  for (int i = 0; i < 2; i++) check(motor[i] == r.motor[i], "no error, no feedback");
  double theta[2] = {r.theta[0] - 0.01, r.theta[1]}, rate[2] = {r.theta[2], r.theta[3] + 0.1};
  check_ok(jn_elastic_motor_pd(e, r.motor, r.theta, theta, rate, kp, kd, motor));
  near("feedback", 0, 0.4, motor[0] - r.motor[0], 1, 1, 1e-12);
  near("feedback", 1, 0.4, motor[1] - r.motor[1], -0.5, 1, 1e-12);
  jn_elastic_destroy(e);
  a[1].damping = 1;
  e = make(m, a, 0);
  check_status(jn_elastic_state_jet(e, 0.4, q, v_jet, r.theta, r.theta + 2, found), JN_ERR_UNSUPPORTED);
  jn_elastic_destroy(e);
  jn_work_destroy(w);
  jn_model_destroy(m);
}

/* ---- loops ---- */

/* Property: series-elastic motors of a closed loop accelerate it as the motion says: the four-bar's crank, and the six
 * legs of a Stewart platform, which are driven by sinusoids; the other joints follow. */
static void loop_follows(const char *robot, const char *const *driven, int count) {
  jn_model *m = model_from(robot);
  enum { NV = 32, K = 3 };
  int nv = jn_model_nv(m);
  unsigned char held[NV] = {0};
  jn_actuator a[NV];
  for (int i = 0; i < nv; i++) jn_actuator_init(&a[i]);
  for (int i = 0; i < count; i++) {
    int v = jn_joint_v(m, jn_joint_index(m, driven[i]));
    held[v] = 1;
    a[v] = spring_of(i % 3, 0);
    a[v].stiffness = 5e4;
  }
  jn_elastic *e = make(m, a, 0);
  jn_loops_options o;
  jn_loops *loops;
  jn_loops_options_init(&o);
  o.order = K;
  check_ok(jn_loops_create(m, &o, &loops));
  double q[64], v_jet[(K + 2) * NV] = {0}, tau[(K + 1) * NV], theta[4 * NV], motor[2 * NV], q_all[64], v_all[64],
                                acc[64];
  jn_neutral(m, q);
  for (int i = 0; i < count; i++) {
    int joint = jn_joint_index(m, driven[i]);
    q[jn_joint_q(m, joint)] += 0.02 * (i + 1);
    for (int k = 0; k < K + 2; k++) v_jet[k * nv + jn_joint_v(m, joint)] = 0.1 * cos(i + k);
  }
  check_ok(jn_loops_assemble(loops, held, 0, q, NULL));
  check_ok(jn_loops_complete_motion(loops, K, held, q, v_jet));
  check_ok(jn_loops_inverse_dynamics_jet(loops, K, held, JN_LEAST_TORQUE, NULL, q, v_jet, NULL, NULL, tau, NULL));
  const jn_motor_motion out = {.theta_jet = theta, .motor_jet = motor};
  check_ok(jn_elastic_inverse(e, 1, 0, q, v_jet, tau, &out));
  for (int v = 0; v < nv; v++)
    if (!held[v]) motor[v] = 0;
  check_ok(jn_elastic_join(e, q, v_jet, theta, theta + nv, q_all, v_all));
  check_ok(jn_elastic_dynamics(e, 0, q_all, v_all, motor, acc, NULL, NULL, NULL));
  for (int v = 0; v < nv; v++) {
    near("link", v, 0, acc[jn_elastic_link_coordinate(e, v)], v_jet[nv + v], 1, 1e-7);
    if (held[v]) near("motor", v, 0, acc[jn_elastic_motor_coordinate(e, v)], theta[2 * nv + v], 1, 1e-7);
  }
  double found[3 * NV], command[NV];
  check_ok(jn_elastic_state_jet(e, 0, q, v_jet, theta, theta + nv, found));
  for (int i = 0; i < 3 * nv; i++) near("state", i, 0, found[i], v_jet[i], 1, 1e-6);
  check_ok(jn_elastic_linearising_torque(e, 0, q, v_jet, theta, theta + nv, v_jet + 3 * nv, command));
  for (int v = 0; v < nv; v++) near("command", v, 0, command[v], motor[v], 10, 1e-6);
  int modes;
  double omega[64];
  check_ok(jn_elastic_modes(e, 0, q, NULL, &modes, omega, NULL));
  check(modes == 2 * count && omega[count - 1] < 1e-2 && omega[count] > 1, "%d modes of %s", modes, robot);
  jn_loops_destroy(loops);
  jn_elastic_destroy(e);
  jn_model_destroy(m);
}

static void series_elastic_loops_accelerate_as_the_motion_says(void **state) {
  (void)state;
  static const char *const crank[] = {"motor"}, *const legs[] = {"leg1", "leg2", "leg3", "leg4", "leg5", "leg6"};
  loop_follows("builtin:four_bar", crank, 1);
  loop_follows("builtin:stewart", legs, 6);
}

/* ---- files ---- */

/* Property: the file says what the struct says; numbers of the motor's side are reflected by the gear. */
static void a_file_is_what_it_says(void **state) {
  (void)state;
  jn_model *m = model_from("builtin:planar_2r");
  static const char text[] =
      "{\"joints\": {\"joint2\": {\"stiffness\": {\"polynomial\": [0, 900, 50]}, \"damping\": 3, \"gear\": 50, "
      "\"rotor_side\": \"motor\", \"rotor_inertia\": 1e-4, \"rotor_damping\": 1e-3, \"frictionloss\": 0.01, "
      "\"friction_speed\": 1, \"torque_constant\": 0.1, \"forcerange\": [-1, 2], \"velocity\": 300, "
      "\"effort_rate\": 10, \"deflection\": 0.1, \"comment\": \"of one arm\"}}}";
  jn_elastic *e;
  jn_error error;
  jn_status status = jn_elastic_load_text(m, text, strlen(text), "act.json", NULL, &e, &error);
  check(status == JN_OK, "%s", error.text);
  const jn_actuator *a = jn_elastic_actuator(e, 1);
  check(jn_elastic_is_elastic(e, 1) && !jn_elastic_is_elastic(e, 0), "joint1 is rigid");
  check(a->polynomial_count == 3 && a->polynomial[2] == 50 && a->damping == 3, "the spring");
  const double found[] = {a->rotor_inertia, a->rotor_damping, a->frictionloss, a->friction_speed, a->torque_lower,
                          a->torque_upper,  a->velocity,      a->effort_rate,  a->deflection,     a->torque_constant},
               exact[] = {0.25, 2.5, 0.5, 0.02, -50, 100, 6, 500, 0.1, 0.1};
  for (int i = 0; i < 10; i++) near("number", i, 0, found[i], exact[i], 1, 1e-15);
  check(jn_elastic_actuator(e, 2) == NULL && jn_elastic_link_coordinate(e, 2) == JN_NONE, "out of range");
  check(jn_elastic_order(e, 1) == 5 && jn_elastic_order(e, 2) == -1, "orders");
  double q[2] = {0.1, 0.2}, v[2] = {1, 2}, theta[2] = {9, 0.3}, rate[2] = {9, 3}, q_all[3], v_all[3];
  check_ok(jn_elastic_join(e, q, v, theta, rate, q_all, v_all));
  check_ok(jn_elastic_split(e, q_all, v_all, q, v, theta, rate));
  check(theta[0] == 0.1 && theta[1] == 0.3 && rate[0] == 1 && rate[1] == 3 && q[1] == 0.2, "join and split");
  jn_elastic_restart(e);
  check(jn_elastic_joint(e) == JN_NONE, "no error");
  jn_elastic_destroy(e);
  jn_model_destroy(m);
}

/* Property: every rule that a file breaks is named, with its line and its joint. */
static void every_fault_of_a_file_is_named(void **state) {
  (void)state;
  static const struct {
    const char *text, *expected;
    jn_status status;
    int line;
  } cases[] = {
      {"{", "is not JSON", JN_ERR_SYNTAX, 1},
      {"{}", "needs 'joints'", JN_ERR_SYNTAX, 1},
      {"{\"joints\": {\n\"jiont1\": {}}}", "did you mean 'joint1'?", JN_ERR_NAME, 2},
      {"{\"joints\": {\n\"joint1\":\n {\"stifness\": 1}}}", "'stifness' is not a known key", JN_ERR_SYNTAX, 3},
      {"{\"joints\": {\"joint1\": {\"stiffness\": -1}}}", "joint 'joint1': 'stiffness' must be positive, not -1",
       JN_ERR_SYNTAX, 1},
      {"{\"joints\": {\"joint1\": {\"stiffness\": \"high\"}}}", "'stiffness' is not one of the forms", JN_ERR_SYNTAX,
       1},
      {"{\"joints\": {\"joint1\": {\"stiffness\": {\"deflection\": [0, 1]}}}}", "needs both 'deflection' and 'torque'",
       JN_ERR_SYNTAX, 1},
      {"{\"joints\": {\"joint1\": {\"stiffness\": {\"deflection\": [0, 1], \"torque\": [0, 1, 2]}}}}",
       "has 2 numbers, but 'torque' has 3", JN_ERR_SYNTAX, 1},
      {"{\"joints\": {\"joint1\": {\"stiffness\": {\"deflection\": [0, 1, 2], \"torque\": [1, 0, 2]}}}}",
       "joint 'joint1': the torque of its spring must grow", JN_ERR_MODEL, 0},
      {"{\"joints\": {\"joint1\": {\"stiffness\": {\"polynomial\": [0, 0, 5]}}}}", "no stiffness at rest", JN_ERR_MODEL,
       0},
      {"{\"joints\": {\"joint1\": {\"stiffness\": {\"times\": [0, 1, 2], \"stiffness\": [1, -2, 1]}}}}",
       "stiffness over time must be positive", JN_ERR_MODEL, 0},
      {"{\"joints\": {\"joint1\": {\"damping\": 1}}}", "give a stiffness, too", JN_ERR_MODEL, 0},
      {"{\"joints\": {\"joint1\": {\"rotor_inertia\": 1, \"gear\": 100}}}", "needs 'rotor_side'", JN_ERR_SYNTAX, 1},
      {"{\"joints\": {\"joint1\": {\"rotor_side\": \"left\"}}}", "must be \"joint\" or \"motor\"", JN_ERR_SYNTAX, 1},
      {"{\"joints\": {\"joint1\": {\"gear\": 0}}}", "'gear' must not be zero", JN_ERR_SYNTAX, 1},
      {"{\"joints\": {\"joint1\": {\"forcerange\": [2, 1]}}}", "must be [lower, upper]", JN_ERR_SYNTAX, 1},
      {"{\"joints\": {\"joint1\": {}, \"joint1\": {}}}", "is not JSON: duplicate", JN_ERR_SYNTAX, 1},
  };
  jn_model *m = model_from("builtin:planar_2r");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    jn_elastic *e;
    jn_error error = {0};
    jn_status status = jn_elastic_load_text(m, cases[i].text, strlen(cases[i].text), "act.json", NULL, &e, &error);
    check(status == cases[i].status && !e, "case %zu: status %d, not %d: %s", i, (int)status, (int)cases[i].status,
          error.text);
    check(strstr(error.text, cases[i].expected) && strcmp(error.file, "act.json") == 0, "case %zu: %s: %s", i,
          error.file, error.text);
    check(error.line == cases[i].line, "case %zu: line %d", i, error.line);
  }
  jn_elastic *e;
  jn_error error;
  jn_elastic_options o;
  jn_elastic_options_init(&o);
  o.max_bytes = 10;
  check_status(jn_elastic_load_text(m, cases[3].text, strlen(cases[3].text), "a", &o, &e, &error), JN_ERR_FILE);
  check_status(jn_elastic_load(m, "no/such/file.json", NULL, &e, &error), JN_ERR_FILE);
  jn_model_destroy(m);
}

/* Property: torque beyond what a spring can carry is an error that names its joint. */
static void a_spring_that_is_too_weak_is_named(void **state) {
  (void)state;
  static const double weak[] = {0, 10, 0, -100}; /* at most 20/3 sqrt(1/30) */
  jn_model *m = model_from("builtin:planar_2r");
  jn_actuator a[2] = {spring_of(0, 0), spring_of(1, 0)};
  a[1].polynomial = weak;
  jn_elastic *e = make(m, a, 0);
  double q[2] = {0}, v_jet[6] = {0}, tau[8] = {1, 1.2}, delta[8];
  const jn_motor_motion out = {.deflection_jet = delta};
  check_ok(jn_elastic_inverse(e, 1, 0, q, v_jet, tau, &out));
  near("root", 1, 0, 10 * delta[1] - 100 * delta[1] * delta[1] * delta[1], 1.2, 1, 1e-13);
  tau[1] = 1.3;
  check_status(jn_elastic_inverse(e, 1, 0, q, v_jet, tau, &out), JN_ERR_SINGULAR);
  check(jn_elastic_joint(e) == 1, "joint %d", jn_elastic_joint(e));
  jn_elastic_destroy(e);
  jn_model_destroy(m);
}

/* Property: every allocation fails once: an error, and nothing is left behind. */
static void memory_may_run_out(void **state) {
  (void)state;
  static const char *const robots[] = {"builtin:planar_2r", "builtin:four_bar"};
  static const char *const texts[] = {
      "{\"joints\": {\"joint1\": {\"stiffness\": {\"deflection\": [0, 1, 2], \"torque\": [0, 9, 19]}, "
      "\"rotor_inertia\": 1}}}",
      "{\"joints\": {\"motor\": {\"stiffness\": {\"polynomial\": [0, 9]}, \"rotor_inertia\": 1}}}"};
  for (int r = 0; r < 2; r++) {
    counter c = {0};
    jn_allocator a = {count_allocate, count_release, &c};
    jn_options options;
    jn_model *m;
    jn_options_init(&options);
    options.allocator = &a;
    check_ok(jn_load(robots[r], &options, &m, NULL));
    int before = c.live;
    jn_status status = JN_ERR_MEMORY;
    for (int n = 1; status != JN_OK; n++) {
      jn_elastic *e;
      jn_error error = {0};
      c.fail_at = c.calls + n;
      status = jn_elastic_load_text(m, texts[r], strlen(texts[r]), "a", NULL, &e, &error);
      check(status == JN_OK || (status == JN_ERR_MEMORY && !e && error.text[0]), "%s: %s", jn_status_text(status),
            error.text);
      jn_elastic_destroy(e);
      check(c.live == before, "allocation %d of %s: %d blocks are left", n, robots[r], c.live - before);
      check(n < 10000, "it never succeeds");
    }
    jn_model_destroy(m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(motors_are_those_of_many_digits),
      cmocka_unit_test(every_row_is_the_derivative_of_the_row_before),
      cmocka_unit_test(springs_carry_the_torque_of_the_joints),
      cmocka_unit_test(splines_go_through_their_tables),
      cmocka_unit_test(motor_torques_accelerate_as_the_motion_says),
      cmocka_unit_test(carried_rotors_accelerate_as_the_motion_says),
      cmocka_unit_test(derivatives_are_those_of_differences),
      cmocka_unit_test(derivatives_are_those_of_the_complex_step),
      cmocka_unit_test(carried_rotors_couple_motors_and_links),
      cmocka_unit_test(the_elastic_robot_follows_its_motor_torques),
      cmocka_unit_test(motors_pay_for_all_energy),
      cmocka_unit_test(modes_balance_springs_and_inertia),
      cmocka_unit_test(control_on_the_motion_is_the_motion),
      cmocka_unit_test(series_elastic_loops_accelerate_as_the_motion_says),
      cmocka_unit_test(a_file_is_what_it_says),
      cmocka_unit_test(every_fault_of_a_file_is_named),
      cmocka_unit_test(a_spring_that_is_too_weak_is_named),
      cmocka_unit_test(memory_may_run_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
