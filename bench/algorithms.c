/* SPDX-License-Identifier: BSD-2-Clause */
#include "algorithms.h"

#include <stdio.h>
#include <stdlib.h>

/* Arrays of one state, and names for what every call has. */
#define Q (r->q + (size_t)k * (size_t)r->nq)
#define V (r->v + (size_t)k * (size_t)r->nv)
#define A (r->a + (size_t)k * (size_t)r->nv)
#define TAU (r->tau + (size_t)k * (size_t)r->nv)
#define V_JET (r->v_jet + (size_t)k * (TOP + 2) * (size_t)r->nv)
#define TAU_JET (r->tau_jet + (size_t)k * (TOP + 1) * (size_t)r->nv)
#define ALGORITHM(name, ...)                   \
  static void run_##name(void *context, int k) { \
    subject *s = context;                      \
    const robot *r = s->r;                     \
    CHECK(__VA_ARGS__);                        \
  }

ALGORITHM(inverse, jn_inverse_dynamics(r->model, s->work, Q, V, A, NULL, s->out[0]))
ALGORITHM(bias, jn_bias_forces(r->model, s->work, Q, V, s->out[0]))
ALGORITHM(gravity, jn_gravity_forces(r->model, s->work, Q, s->out[0]))
ALGORITHM(mass, jn_mass_matrix(r->model, s->work, Q, s->out[0]))
ALGORITHM(forward, jn_forward_dynamics(r->model, s->work, Q, V, TAU, NULL, s->out[0]))
ALGORITHM(hybrid, jn_hybrid_dynamics(r->model, s->work, r->prescribed, Q, V, A, TAU, NULL, s->out[0], s->out[1]))
ALGORITHM(mass_inverse, jn_mass_matrix_inverse(r->model, s->work, Q, s->out[0]))
ALGORITHM(coriolis, jn_coriolis_matrix(r->model, s->work, Q, V, s->out[0]))
ALGORITHM(jacobians, jn_frame_jacobians(r->model, s->work, JN_IN_WORLD, Q, s->out[0]))
ALGORITHM(jacobian_rates, jn_frame_jacobian_rates(r->model, s->work, JN_IN_WORLD, Q, V, s->out[0]))
ALGORITHM(regressor, jn_regressor(r->model, s->work, Q, V, A, s->out[0]))
ALGORITHM(com_jacobian, jn_com_jacobian(r->model, s->work, JN_WORLD, Q, s->out[0]))
ALGORITHM(energy, jn_energy(r->model, s->work, Q, V, s->out[0]))
ALGORITHM(terms, jn_compute(r->model, s->work, Q, V, A, NULL,
                            &(jn_terms){.M = s->out[0],
                                        .coriolis = s->out[1],
                                        .g = s->out[2],
                                        .jacobians = s->out[3],
                                        .com = s->out[4],
                                        .energy = s->out[5],
                                        .in = JN_IN_WORLD}))
ALGORITHM(d_inverse, jn_inverse_dynamics_derivatives(r->model, s->work, Q, V, A, NULL, JN_IN_BODY, s->out[0], s->out[1],
                                                     s->out[2], NULL))
ALGORITHM(d_forward, jn_forward_dynamics_derivatives(r->model, s->work, Q, V, TAU, NULL, JN_IN_BODY, s->out[0],
                                                     s->out[1], s->out[2], s->out[3], NULL))
ALGORITHM(d2_inverse, jn_inverse_dynamics_second_derivatives(r->model, s->work, Q, V, A, NULL, JN_IN_BODY, s->out[0],
                                                             s->out[1], s->out[2], s->out[3]))
ALGORITHM(adjoint, jn_inverse_dynamics_adjoint(r->model, s->work, Q, V, A, NULL, JN_IN_BODY, TAU,
                                               &(jn_gradient){.dq = s->out[0], .dv = s->out[1], .da = s->out[2]}))
ALGORITHM(inverse_jet, jn_inverse_dynamics_jet(r->model, s->work, s->order, Q, V_JET, NULL, s->out[0]))
ALGORITHM(forward_jet, jn_forward_dynamics_jet(r->model, s->work, s->order, Q, V_JET, TAU_JET, NULL, s->out[0]))
ALGORITHM(mass_jet, jn_mass_matrix_jet(r->model, s->work, s->order, Q, V_JET, s->out[0]))

static const algorithm list[] = {
    {"inverse dynamics", -1, 0, run_inverse},
    {"bias forces", -1, 0, run_bias},
    {"gravity forces", -1, 0, run_gravity},
    {"mass matrix", -1, 0, run_mass},
    {"forward dynamics", -1, 0, run_forward},
    {"hybrid dynamics", -1, 0, run_hybrid},
    {"inverse of M", -1, 0, run_mass_inverse},
    {"Coriolis matrix", -1, 0, run_coriolis},
    {"all Jacobians", -1, 0, run_jacobians},
    {"all Jacobian rates", -1, 0, run_jacobian_rates},
    {"torque regressor", -1, 0, run_regressor},
    {"CoM Jacobian", -1, 0, run_com_jacobian},
    {"energies", -1, 0, run_energy},
    {"all terms", -1, 0, run_terms},
    {"d tau / d(q, v, a)", -1, 0, run_d_inverse},
    {"d ddq / d(q, v, tau)", -1, 0, run_d_forward},
    {"second-order d tau", -1, 1, run_d2_inverse},
    {"gradient of inverse dynamics", -1, 0, run_adjoint},
    {"inverse dynamics jet", 0, 0, run_inverse_jet},
    {"inverse dynamics jet", 1, 0, run_inverse_jet},
    {"inverse dynamics jet", 2, 0, run_inverse_jet},
    {"inverse dynamics jet", 3, 0, run_inverse_jet},
    {"inverse dynamics jet", 4, 0, run_inverse_jet},
    {"inverse dynamics jet", 8, 0, run_inverse_jet},
    {"forward dynamics jet", 1, 0, run_forward_jet},
    {"forward dynamics jet", 3, 0, run_forward_jet},
    {"mass matrix jet", 2, 0, run_mass_jet},
};

int algorithm_count(void) { return sizeof list / sizeof *list; }
const algorithm *algorithm_at(int i) { return &list[i]; }

subject subject_create(const robot *r) {
  subject s = {.r = r};
  size_t n = (size_t)r->nv, room = (TOP + 2) * n * n;
  if (room < (size_t)r->nframe * 6 * n) room = (size_t)r->nframe * 6 * n;
  if (room < (size_t)r->parameters * n) room = (size_t)r->parameters * n;
  if (n <= 60 && room < n * n * n) room = n * n * n;
  CHECK(jn_work_create_order(r->model, TOP, &s.work));
  for (int i = 0; i < 8; i++) s.out[i] = bench_memory(room * sizeof(double));
  return s;
}

void subject_destroy(subject *s) {
  jn_work_destroy(s->work);
  for (int i = 0; i < 8; i++) free(s->out[i]);
}
