/* SPDX-License-Identifier: BSD-2-Clause */
/* Models, states and runs that tests of simulation share. */
#ifndef JN_TESTS_SIMULATION_HELP_H
#define JN_TESTS_SIMULATION_HELP_H

#include "models.h"

#include "jounce/simulation.h"

enum { MOST = 64 };

typedef struct state {
  double t, q[MOST], v[MOST];
} state;

/* ---- models ---- */

/* A chain of the given joints, with damping and friction. */
static inline jn_model *lossy_chain(uint64_t *s, const jn_joint_type *types, int count, double friction) {
  jn_builder *b;
  jn_model *m;
  check_ok(jn_builder_create(NULL, &b));
  for (int i = 0; i < count; i++) {
    char name[16], parent[16];
    jn_link l;
    jn_link_init(&l);
    snprintf(name, sizeof name, "link%d", i);
    snprintf(parent, sizeof parent, "link%d", i - 1);
    l.name = name;
    l.parent = i ? parent : NULL;
    random_placement(s, l.placement);
    random_inertia(s, l.inertia);
    random_joint(s, types[i], &l.joint);
    for (int k = 0; k < 6; k++) {
      l.joint.dof[k].damping = 0.3 + 0.2 * uniform(s);
      l.joint.dof[k].friction = friction;
      if (types[i] == JN_REVOLUTE) l.joint.dof[k].stiffness = 2;
    }
    check_ok(jn_builder_add_link(b, &l));
  }
  check_ok(jn_builder_freeze(b, &m, NULL));
  jn_builder_destroy(b);
  return m;
}

static const jn_joint_type mixed[] = {JN_FREE, JN_REVOLUTE, JN_SPHERICAL, JN_UNIVERSAL, JN_PRISMATIC};
enum { MIXED = 5 };

static inline state random_state(const jn_model *m, uint64_t *s) {
  state x = {0};
  check_ok(jn_random(m, s, x.q));
  fill(s, x.v, jn_model_nv(m), 1);
  return x;
}

/* ---- runs ---- */

static inline jn_simulator *make(const jn_model *m, const jn_simulation_options *o, const state *x) {
  jn_simulator *s;
  check_ok(jn_simulator_create(m, o, &s));
  check_ok(jn_simulator_set(s, x->t, x->q, x->v));
  return s;
}

static inline state end_of(const jn_model *m, const jn_simulation_options *o, const state *x, double until) {
  state y = {0};
  jn_simulator *s = make(m, o, x);
  check_ok(jn_simulator_run(s, until));
  check_ok(jn_simulator_get(s, &y.t, y.q, y.v));
  jn_simulator_destroy(s);
  return y;
}

/* The largest difference of positions (in the tangent space) and velocities. */
static inline double apart(const jn_model *m, const state *x, const state *y) {
  double d[MOST], most = 0;
  jn_work *w;
  check_ok(jn_work_create(m, &w));
  check_ok(jn_difference(m, w, x->q, y->q, d));
  for (int i = 0; i < jn_model_nv(m); i++) most = fmax(most, fmax(fabs(d[i]), fabs(x->v[i] - y->v[i])));
  jn_work_destroy(w);
  return most;
}

static inline jn_simulation_options options_of(jn_integrator integrator, double tolerance) {
  jn_simulation_options o;
  jn_simulation_options_init(&o);
  o.integrator = integrator;
  o.tolerance = tolerance;
  o.step = integrator == JN_RUNGE_KUTTA_4 || integrator == JN_SEMI_IMPLICIT_EULER ? 1e-3 : 0;
  return o;
}

#endif
