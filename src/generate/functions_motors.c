/* SPDX-License-Identifier: BSD-2-Clause */
/* Motors behind springs (jounce/elastic.h), from the motion of the links. With linear springs and no damping beside
 * them nothing is remembered:
 *   theta = q + tau_J / K,   and the same of their time derivatives,
 *   tau_m = B theta'' + tau_J + d theta' + f theta' / sqrt(theta'^2 + s^2),
 * where tau_J and its first two derivatives are those of inverse dynamics. */
#include <math.h>

#include "../elastic/elastic.h"
#include "functions.h"

/* Says why this robot has no motor commands as code; 1 if it has. */
static int check_motors(jn_writing *w, const char *name) {
  const jn_elastic *e = w->options.elastic;
  const char *why = NULL;
  if (!e)
    why = "it needs the actuators of the joints: --actuators FILE";
  else if (e->model != w->model)
    why = "the actuators are those of another model";
  else if (jn_loop_count(w->model))
    why = "the model has loops; compute the forces with loops_inverse_dynamics";
  else if (e->options.coupled)
    why = "rotors that move with their links are solved along the tree; use the reduced model, or the library";
  if (why) jn__writing_fail(w, JN_ERR_UNSUPPORTED, "%s cannot be generated: %s", name, why);

  for (int k = 0; !why && k < e->nv; k++) {
    int kind = (int)e->springs[k].kind;
    if (kind != JN_SPRING_RIGID && kind != JN_SPRING_LINEAR)
      why = "is not linear with a fixed stiffness";
    else if (kind == JN_SPRING_LINEAR && e->springs[k].actuator.damping != 0)
      why = "has damping, so that its deflection is a differential equation";
    int joint = jn_coordinate_joint(w->model, k, NULL);
    if (why)
      jn__writing_fail(w, JN_ERR_UNSUPPORTED, "%s cannot be generated: the spring of joint '%.60s' %s; use the library",
                       name, jn_joint_name(w->model, joint), why);
  }
  return !why;
}

/* The number in q of velocity coordinate k; -1: spherical and free joints have none. */
static int place_in_q(const jn_model *model, int k) {
  int coordinate, joint = jn_coordinate_joint(model, k, &coordinate);
  jn_joint_type type = jn_joint_type_of(model, joint);
  return type == JN_SPHERICAL || type == JN_FREE ? -1 : jn_joint_q(model, joint) + coordinate;
}

/* tau_m from theta' and theta''. */
static jn_expr write_motor_force(jn_graph *g, const jn_actuator *m, jn_expr force, jn_expr speed, jn_expr rate) {
  jn_expr sum = jn__add(g, force, jn__scale(g, m->rotor_inertia, rate));
  sum = jn__add(g, sum, jn__scale(g, m->rotor_damping, speed));
  if (m->frictionloss == 0) return sum;

  double s = m->friction_speed;
  jn_expr square = jn__add(g, jn__multiply(g, speed, speed), jn__constant(g, s * s));
  jn_expr smooth = jn__divide(g, speed, jn__apply(g, JN_NODE_ROOT, square));
  return jn__add(g, sum, jn__scale(g, m->frictionloss, smooth));
}

int jn__write_motor_commands_function(jn_writing *w, jn_written_function *f) {
  f->about =
      "Motors behind springs, on the joint side of the gear: angle theta, speed dtheta and torque tau_m for a motion "
      "v_jet (v, a, da/dt, d2a/dt2) of the links. theta of spherical and free joints is 0: they have none.";
  int n = jn_model_nv(w->model);
  jn_graph *g = &w->graph;
  if (!check_motors(w, f->name)) return 0;
  const jn_elastic *e = w->options.elastic;
  jn__add_argument(f, "q", JN_ARRAY_Q, jn_model_nq(w->model));
  jn__add_argument(f, "v_jet", JN_ARRAY_V, 4 * n);
  jn_expr *theta = jn__add_result(w, f, "theta", n, 0), *speed = jn__add_result(w, f, "dtheta", n, 0),
          *torque = jn__add_result(w, f, "tau_m", n, 0);
  jn_expr *tau = jn__allocate(&w->allocator, (size_t)(3 * n + 1) * sizeof *tau);
  int good = theta && speed && torque && tau && jn__write_force_rates(w, 2, tau);

  for (int k = 0; good && k < n; k++) {
    double soft = e->springs[k].kind == JN_SPRING_LINEAR ? 1 / e->springs[k].actuator.stiffness : 0;
    jn_expr delta[3], rate = jn__input(g, JN_ARRAY_V, n + k);
    for (int i = 0; i < 3; i++) delta[i] = jn__scale(g, soft, tau[i * n + k]);
    int place = place_in_q(w->model, k);
    theta[k] = place < 0 ? JN_ZERO : jn__add(g, jn__input(g, JN_ARRAY_Q, place), delta[0]);
    speed[k] = jn__add(g, jn__input(g, JN_ARRAY_V, k), delta[1]);
    rate = jn__add(g, rate, delta[2]);
    torque[k] = write_motor_force(g, &e->springs[k].actuator, tau[k], speed[k], rate);
  }
  jn__release(&w->allocator, tau);
  return good;
}
