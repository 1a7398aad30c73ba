/* SPDX-License-Identifier: BSD-2-Clause */
/* Elastic joints: motors of motions against references of many digits, laws of springs, the elastic robot in time, its
 * derivatives, modes and controllers. */
#include "jounce/elastic.h"

#include "jounce/simulation.h"
#include "jounce/trajectory.h"
#include "models.h"
#include "reference_elastic.h"

enum { MOST = 16, ROWS = 16 };

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

static jn_model *load(const char *name) {
  jn_model *m;
  jn_error error;
  jn_status status = jn_load(name, NULL, &m, &error);
  check(status == JN_OK, "%s", error.text);
  return m;
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
  check_ok(jn_inverse_dynamics_jet(m, w, order, q, v_jet, NULL, tau));
  const jn_motor_motion out = {x->deflection, x->theta, x->motor, x->current, x->power};
  return jn_elastic_inverse(e, 1, t, q, v_jet, tau, &out);
}

/* Law: theta, its derivatives, motor torque and rate are those of 60-digit arithmetic, to 1e-10; damped springs too. */
static void test_reference(void **state) {
  (void)state;
  for (size_t c = 0; c < sizeof reference_elastics / sizeof *reference_elastics; c++) {
    const struct reference_elastic *r = &reference_elastics[c];
    jn_model *m = load(r->robot);
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
      double eps = 100 * jn_row_epsilon(), tolerance = fmax(1e-11, eps);
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_reference),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
