/* SPDX-License-Identifier: BSD-2-Clause */
/* Making a jn_elastic: which values actuators may have, and all memory in one block. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../model/model.h"
#include "elastic.h"
#include "jounce/trajectory.h"

void jn_actuator_init(jn_actuator *actuator) {
  if (!actuator) return;
  *actuator = (jn_actuator){.size = sizeof *actuator,
                            .stiffness = INFINITY,
                            .friction_speed = 1e-3,
                            .gear = 1,
                            .torque_lower = -INFINITY,
                            .torque_upper = INFINITY,
                            .velocity = INFINITY,
                            .effort_rate = INFINITY,
                            .deflection = INFINITY};
}

void jn_elastic_options_init(jn_elastic_options *options) {
  if (options) *options = (jn_elastic_options){.size = sizeof *options, .order = 1, .max_bytes = JN_MAX_BYTES};
}

/* ---- Checks ---- */

typedef struct checking {
  const jn_model *model;
  int v;
  jn_error *error;
} checking;

static jn_status fail(const checking *c, jn_status status, const char *text) {
  char name[JN_COORDINATE_NAME];
  if (jn_velocity_name(c->model, c->v, name, sizeof name) != JN_OK) name[0] = 0;
  return jn__fail(c->error, status, NULL, "joint '%.200s': %s", name, text);
}

static int is_positive(double x) { return x > 0 && isfinite(x); }
static int is_not_negative(double x) { return x >= 0 && isfinite(x); }

static jn_status check_numbers(const checking *c, const jn_actuator *a) {
  if (!(a->stiffness > 0)) return fail(c, JN_ERR_MODEL, "stiffness must be positive; leave it out for a rigid joint");
  if (!is_not_negative(a->damping)) return fail(c, JN_ERR_MODEL, "damping must be zero or a positive number");
  if (!is_not_negative(a->rotor_inertia)) return fail(c, JN_ERR_MODEL, "rotor_inertia must be zero or positive");
  if (!is_not_negative(a->rotor_damping)) return fail(c, JN_ERR_MODEL, "rotor_damping must be zero or positive");
  if (!is_not_negative(a->frictionloss)) return fail(c, JN_ERR_MODEL, "frictionloss must be zero or positive");
  if (!is_positive(a->friction_speed)) return fail(c, JN_ERR_MODEL, "friction_speed must be positive");
  if (!isfinite(a->gear) || a->gear == 0) return fail(c, JN_ERR_MODEL, "gear must be a number other than zero");
  if (!is_not_negative(a->torque_constant)) return fail(c, JN_ERR_MODEL, "torque_constant must be zero or positive");
  if (!(a->torque_lower <= a->torque_upper)) return fail(c, JN_ERR_MODEL, "forcerange must be [lower, upper]");
  if (!(a->velocity >= 0) || !(a->effort_rate >= 0) || !(a->deflection >= 0))
    return fail(c, JN_ERR_MODEL, "velocity, effort_rate and deflection are limits of sizes and must not be negative");
  return JN_OK;
}

static jn_status check_rows(const checking *c, const double *x, const double *y, int count, int growing) {
  if (count < 3 || count > 100000 || !x || !y)
    return fail(c, JN_ERR_MODEL, "a table needs from 3 to 100000 rows, and as many values");
  for (int i = 0; i < count; i++) {
    if (!isfinite(x[i]) || !isfinite(y[i])) return fail(c, JN_ERR_MODEL, "a number of its table is not finite");
    if (i > 0 && !(x[i] > x[i - 1])) return fail(c, JN_ERR_MODEL, "the first numbers of its table must increase");
    if (growing && i > 0 && !(y[i] > y[i - 1]))
      return fail(c, JN_ERR_MODEL, "the torque of its spring must grow from row to row");
    if (!growing && !(y[i] > 0)) return fail(c, JN_ERR_MODEL, "stiffness over time must be positive");
  }
  return JN_OK;
}

static jn_spring_kind kind_of(const jn_actuator *a) {
  if (a->polynomial_count > 0) return JN_SPRING_POLYNOMIAL;
  if (a->table_count > 0) return JN_SPRING_TABLE;
  if (a->time_count > 0) return JN_SPRING_OVER_TIME;
  return isinf(a->stiffness) ? JN_SPRING_RIGID : JN_SPRING_LINEAR;
}

static jn_status check_actuator(const checking *c, const jn_actuator *a, int coupled) {
  int joint = jn_coordinate_joint(c->model, c->v, NULL);
  jn_joint_type type = jn_joint_type_of(c->model, joint);
  if (a->size != sizeof *a) return fail(c, JN_ERR_INIT, "the actuator was not set up by jn_actuator_init()");
  jn_status status = check_numbers(c, a);
  if (status != JN_OK) return status;
  jn_spring_kind kind = kind_of(a);
  if (kind == JN_SPRING_RIGID) {
    if (a->damping != 0) return fail(c, JN_ERR_MODEL, "damping is that of a spring: give a stiffness, too");
    if (type != JN_FREE && type != JN_SPHERICAL) return JN_OK;
    if (a->rotor_inertia == 0 && a->rotor_damping == 0 && a->frictionloss == 0) return JN_OK;
  }
  if (type == JN_FREE || type == JN_SPHERICAL)
    return fail(c, JN_ERR_UNSUPPORTED, "a spherical or free joint has no actuator of one coordinate");
  if (coupled && type != JN_REVOLUTE && type != JN_CONTINUOUS && kind != JN_SPRING_RIGID)
    return fail(c, JN_ERR_UNSUPPORTED, "rotors that move with their links are for revolute joints only");
  if (kind == JN_SPRING_TABLE) return check_rows(c, a->table_deflection, a->table_torque, a->table_count, 1);
  if (kind == JN_SPRING_OVER_TIME) return check_rows(c, a->times, a->time_stiffness, a->time_count, 0);
  if (kind != JN_SPRING_POLYNOMIAL) return JN_OK;
  if (a->polynomial_count > 20 || !a->polynomial) return fail(c, JN_ERR_MODEL, "its polynomial has more than 20 terms");
  for (int k = 0; k < a->polynomial_count; k++)
    if (!isfinite(a->polynomial[k])) return fail(c, JN_ERR_MODEL, "a coefficient of its polynomial is not finite");
  if (a->polynomial_count < 2 || !(a->polynomial[1] > 0))
    return fail(c, JN_ERR_MODEL, "its spring has no stiffness at rest: the factor of deflection^1 must be positive");
  return JN_OK;
}

/* Splines through rows that grow need not grow between them. */
static jn_status check_spline(const checking *c, const jn_spring *spring) {
  enum { PARTS = 16 };
  for (int i = 0; i + 1 < spring->pieces.count; i++)
    for (int k = 0; k <= PARTS; k++) {
      double x = spring->pieces.x[i] + (spring->pieces.x[i + 1] - spring->pieces.x[i]) * k / PARTS, f[2];
      jn__pieces_taylor(&spring->pieces, x, 0, 1, f);
      if (spring->kind == JN_SPRING_TABLE && !(f[1] > 0))
        return fail(c, JN_ERR_MODEL, "the spline through its table does not grow everywhere: add rows where it bends");
      if (spring->kind == JN_SPRING_OVER_TIME && !(f[0] > 0))
        return fail(c, JN_ERR_MODEL, "the spline through its stiffness over time falls below zero: add rows");
    }
  return JN_OK;
}

/* ---- Memory ---- */

static void *place(char *base, size_t *used, size_t count, size_t size) {
  size_t at = *used;
  *used += (count * size + 63) & ~(size_t)63;
  return base ? base + at : NULL;
}

static const double *copy(char *base, size_t *used, const double *from, int count) {
  double *to = place(base, used, (size_t)count, sizeof *to);
  if (to && count > 0) memcpy(to, from, (size_t)count * sizeof *to);
  return to;
}

static void place_spring(char *base, size_t *used, const jn_actuator *a, jn_spring *spring) {
  jn_spring_kind kind = kind_of(a);
  int points = kind == JN_SPRING_TABLE ? a->table_count : kind == JN_SPRING_OVER_TIME ? a->time_count : 0;
  const double *polynomial = copy(base, used, a->polynomial, kind == JN_SPRING_POLYNOMIAL ? a->polynomial_count : 0);
  const double *x = copy(base, used, kind == JN_SPRING_TABLE ? a->table_deflection : a->times, points);
  const double *y = copy(base, used, kind == JN_SPRING_TABLE ? a->table_torque : a->time_stiffness, points);
  double *c = place(base, used, (size_t)points, 6 * sizeof *c),
         *room = place(base, used, (size_t)points, 6 * sizeof *c);
  if (!base) return;
  *spring = (jn_spring){.kind = kind, .actuator = *a};
  spring->actuator.polynomial = polynomial;
  spring->actuator.table_deflection = spring->actuator.times = x;
  spring->actuator.table_torque = spring->actuator.time_stiffness = y;
  spring->pieces = (jn_quintic_spline){.count = points, .x = x, .y = y, .c = c};
  if (points > 0) jn__pieces_fit(&spring->pieces, room);
}

/* Counts with base NULL. */
static size_t place_all(jn_elastic *e, char *base, const jn_actuator *actuators) {
  size_t used = 0, n = (size_t)e->nv;
  (void)place(base, &used, 1, sizeof *e);
  jn_spring *springs = place(base, &used, n, sizeof *springs);
  int *places = place(base, &used, 5 * n, sizeof *places);
  double *state = place(base, &used, n, sizeof *state);
  double *torque = place(base, &used, n, JN_TORQUE_TERMS * sizeof *torque);
  for (int v = 0; v < e->nv; v++) place_spring(base, &used, &actuators[v], base ? &springs[v] : NULL);
  if (!base) return used;
  e->springs = springs;
  e->q_index = places;
  e->link_v = places + n;
  e->motor_v = places + 2 * n;
  e->link_q = places + 3 * n;
  e->motor_q = places + 4 * n;
  e->state = state;
  e->torque = torque;
  return used;
}

static void find_places(jn_elastic *e) {
  for (int v = 0; v < e->nv; v++) {
    int number, joint = jn_coordinate_joint(e->model, v, &number);
    jn_joint_type type = jn_joint_type_of(e->model, joint);
    e->q_index[v] = type == JN_FREE || type == JN_SPHERICAL ? -1 : jn_joint_q(e->model, joint) + number;
    if (e->springs[v].actuator.damping != 0) e->has_damping = 1;
  }
}

/* The most spring joints that are one behind the other. */
static int count_levels(const jn_elastic *e) {
  int most = 1;
  for (int link = 0; link < jn_link_count(e->model) && e->options.coupled; link++) {
    int count = 0;
    for (int i = link; i >= 0; i = jn_link_parent(e->model, i))
      for (int k = 0; k < jn_joint_nv(e->model, i); k++) count += jn_elastic_is_elastic(e, jn_joint_v(e->model, i) + k);
    if (count > most) most = count;
  }
  return most;
}

static jn_status finish(jn_elastic *e, jn_error *error) {
  jn_loops_options loops;
  jn_loops_options_init(&loops);
  loops.order = 2;
  e->levels = count_levels(e);
  if (e->options.order + 2 * e->levels > JN_SERIES_TERMS - 8)
    return jn__fail(error, JN_ERR_UNSUPPORTED, NULL,
                    "%d springs are one behind the other: too many for rotors on links", e->levels);
  jn_status status = jn__elastic_build_robot(e, error);
  if (status == JN_OK) status = jn_work_create_order(e->model, 2, &e->work);
  int order = e->options.order + 2 * e->levels;
  if (status == JN_OK) status = jn_work_create_order(e->robot, e->options.coupled ? order : 0, &e->robot_work);
  if (status == JN_OK && jn_loop_count(e->model) > 0) status = jn_loops_create(e->model, &loops, &e->loops);
  if (status == JN_OK && jn_loop_count(e->model) > 0) status = jn_loops_create(e->robot, &loops, &e->robot_loops);
  if (status != JN_OK) return jn__fail(error, status, NULL, "%s", jn_status_text(status));
  size_t n = (size_t)e->robot_nv, rows = e->robot_loops ? (size_t)jn_loops_rows(e->robot_loops) : 0;
  e->scratch =
      jn__allocate(&e->allocator, (6 * n * n + 24 * n + rows * (n + 1) + (size_t)e->robot_nq + 8) * sizeof(double));
  if (e->options.coupled) {
    size_t jets = (size_t)order * 2 + 3;
    e->coupled_scratch = jn__allocate(&e->allocator, ((size_t)e->robot_nq + jets * n) * sizeof(double));
    if (!e->coupled_scratch) return jn__fail(error, JN_ERR_MEMORY, NULL, "%s", jn_status_text(JN_ERR_MEMORY));
  }
  return e->scratch ? JN_OK : jn__fail(error, JN_ERR_MEMORY, NULL, "%s", jn_status_text(JN_ERR_MEMORY));
}

jn_status jn_elastic_create(const jn_model *model, const jn_actuator *actuators, const jn_elastic_options *options,
                            jn_elastic **elastic, jn_error *error) {
  jn_elastic_options o;
  if (elastic) *elastic = NULL;
  if (!model || !actuators || !elastic) return jn__fail(error, JN_ERR_NULL, NULL, "%s", jn_status_text(JN_ERR_NULL));
  jn_elastic_options_init(&o);
  if (options && options->size != sizeof *options)
    return jn__fail(error, JN_ERR_INIT, NULL, "%s", jn_status_text(JN_ERR_INIT));
  if (options) o = *options;
  if (o.order < 0 || o.order > JN_MOTOR_ORDER)
    return jn__fail(error, JN_ERR_SIZE, NULL, "the order of motor torques must be from 0 to %d", JN_MOTOR_ORDER);
  jn_elastic count = {.allocator = model->allocator, .model = model, .options = o};
  count.nq = jn_model_nq(model);
  count.nv = jn_model_nv(model);
  checking c = {.model = model, .error = error};
  for (c.v = 0; c.v < count.nv; c.v++) {
    jn_status status = check_actuator(&c, &actuators[c.v], o.coupled);
    if (status != JN_OK) return status;
  }
  char *base = jn__allocate(&count.allocator, place_all(&count, NULL, actuators));
  if (!base) return jn__fail(error, JN_ERR_MEMORY, NULL, "%s", jn_status_text(JN_ERR_MEMORY));
  jn_elastic *e = (jn_elastic *)(void *)base;
  *e = count;
  place_all(e, base, actuators);
  e->joint = JN_NONE;
  find_places(e);
  jn_status status = JN_OK;
  for (c.v = 0; c.v < e->nv && status == JN_OK; c.v++) status = check_spline(&c, &e->springs[c.v]);
  if (status == JN_OK) status = finish(e, error);
  if (status == JN_OK)
    *elastic = e;
  else
    jn_elastic_destroy(e);
  return status;
}

void jn_elastic_destroy(jn_elastic *elastic) {
  if (!elastic) return;
  jn_loops_destroy(elastic->loops);
  jn_loops_destroy(elastic->robot_loops);
  jn_work_destroy(elastic->work);
  jn_work_destroy(elastic->robot_work);
  jn_model_destroy(elastic->robot);
  jn_allocator allocator = elastic->allocator;
  jn__release(&allocator, elastic->scratch);
  jn__release(&allocator, elastic->coupled_scratch);
  jn__release(&allocator, elastic);
}

/* ---- Queries ---- */

static int is_coordinate(const jn_elastic *e, int v) { return e && v >= 0 && v < e->nv; }

const jn_actuator *jn_elastic_actuator(const jn_elastic *elastic, int v) {
  return is_coordinate(elastic, v) ? &elastic->springs[v].actuator : NULL;
}

int jn_elastic_is_elastic(const jn_elastic *elastic, int v) {
  return is_coordinate(elastic, v) && elastic->springs[v].kind != JN_SPRING_RIGID;
}

int jn_elastic_order(const jn_elastic *elastic, int order) {
  if (!elastic || order < 0 || order > elastic->options.order) return -1;
  return order + (elastic->has_damping ? 4 : 2 * elastic->levels);
}

const jn_model *jn_elastic_model(const jn_elastic *elastic) { return elastic ? elastic->robot : NULL; }
int jn_elastic_link_coordinate(const jn_elastic *elastic, int v) {
  return is_coordinate(elastic, v) ? elastic->link_v[v] : JN_NONE;
}
int jn_elastic_motor_coordinate(const jn_elastic *elastic, int v) {
  return is_coordinate(elastic, v) ? elastic->motor_v[v] : JN_NONE;
}
int jn_elastic_joint(const jn_elastic *elastic) { return elastic ? elastic->joint : JN_NONE; }
double jn_elastic_error(const jn_elastic *elastic) { return elastic ? elastic->error : NAN; }
void jn_elastic_restart(jn_elastic *elastic) {
  if (!elastic) return;
  elastic->started = 0;
  elastic->error = 0;
}
