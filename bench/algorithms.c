/* SPDX-License-Identifier: BSD-2-Clause */
#include "algorithms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Arrays of state k, or of all states from state k = 0 on; names for what every call has. */
#define Q (r->q + (size_t)k * (size_t)r->nq)
#define V (r->v + (size_t)k * (size_t)r->nv)
#define A (r->a + (size_t)k * (size_t)r->nv)
#define TAU (r->tau + (size_t)k * (size_t)r->nv)
#define V_JET (s->v_jet + (size_t)k * (size_t)(s->order + 2) * (size_t)r->nv)
#define TAU_JET (s->tau_jet + (size_t)k * (size_t)(s->order + 1) * (size_t)r->nv)
#define OUT(i) (s->out[i])
/* run_x(): jn_f(model, work, arguments); batch_x(): jn_f_batch(batch, STATES, arguments). */
#define ALGORITHM(name, function, ...)                      \
  static void run_##name(void *context, int k) {            \
    subject *s = context;                                   \
    const robot *r = s->r;                                  \
    CHECK(function(r->model, s->work, __VA_ARGS__));        \
  }                                                         \
  static void batch_##name(void *context, int k) {          \
    subject *s = context;                                   \
    const robot *r = s->r;                                  \
    CHECK(function##_batch(s->batch, STATES, __VA_ARGS__)); \
  }

ALGORITHM(inverse, jn_inverse_dynamics, Q, V, A, NULL, OUT(0))
ALGORITHM(bias, jn_bias_forces, Q, V, OUT(0))
ALGORITHM(gravity, jn_gravity_forces, Q, OUT(0))
ALGORITHM(mass, jn_mass_matrix, Q, OUT(0))
ALGORITHM(forward, jn_forward_dynamics, Q, V, TAU, NULL, OUT(0))
ALGORITHM(hybrid, jn_hybrid_dynamics, r->prescribed, Q, V, A, TAU, NULL, OUT(0), OUT(1))
ALGORITHM(mass_inverse, jn_mass_matrix_inverse, Q, OUT(0))
ALGORITHM(coriolis, jn_coriolis_matrix, Q, V, OUT(0))
ALGORITHM(jacobians, jn_frame_jacobians, JN_IN_WORLD, Q, OUT(0))
ALGORITHM(jacobian_rates, jn_frame_jacobian_rates, JN_IN_WORLD, Q, V, OUT(0))
ALGORITHM(space_jacobian, jn_space_jacobian, Q, OUT(0))
ALGORITHM(space_jacobian_rate, jn_space_jacobian_rate, Q, V, OUT(0))
ALGORITHM(regressor, jn_regressor, Q, V, A, OUT(0))
ALGORITHM(com_jacobian, jn_com_jacobian, JN_WORLD, Q, OUT(0))
ALGORITHM(energy, jn_energy, Q, V, OUT(0))
ALGORITHM(terms, jn_compute, Q, V, A, NULL,
          &(jn_terms){.M = OUT(0),
                      .coriolis = OUT(1),
                      .g = OUT(2),
                      .jacobians = OUT(3),
                      .com = OUT(4),
                      .energy = OUT(5),
                      .in = JN_IN_WORLD})
ALGORITHM(d_inverse, jn_inverse_dynamics_derivatives, Q, V, A, NULL, JN_IN_BODY, OUT(0), OUT(1), OUT(2), NULL)
ALGORITHM(d_forward, jn_forward_dynamics_derivatives, Q, V, TAU, NULL, JN_IN_BODY, OUT(0), OUT(1), OUT(2), OUT(3), NULL)
ALGORITHM(d2_inverse, jn_inverse_dynamics_second_derivatives, Q, V, A, NULL, JN_IN_BODY, OUT(0), OUT(1), OUT(2), OUT(3))
ALGORITHM(gradient, jn_inverse_dynamics_adjoint, Q, V, A, NULL, JN_IN_BODY, TAU,
          &(jn_gradient){.dq = OUT(0), .dv = OUT(1), .da = OUT(2)})
ALGORITHM(inverse_jet, jn_inverse_dynamics_jet, s->order, Q, V_JET, NULL, OUT(0))
ALGORITHM(forward_jet, jn_forward_dynamics_jet, s->order, Q, V, TAU_JET, NULL, OUT(0))
ALGORITHM(mass_jet, jn_mass_matrix_jet, s->order, Q, V_JET, OUT(0))

#define ENTRY(text, order, size, name) \
  { text, order, size, run_##name, batch_##name }
static const algorithm list[] = {
    ENTRY("inverse dynamics", -1, SIZE_N, inverse),
    ENTRY("bias forces", -1, SIZE_N, bias),
    ENTRY("gravity forces", -1, SIZE_N, gravity),
    ENTRY("mass matrix", -1, SIZE_N2, mass),
    ENTRY("forward dynamics", -1, SIZE_N, forward),
    ENTRY("hybrid dynamics", -1, SIZE_N, hybrid),
    ENTRY("inverse of M", -1, SIZE_N2, mass_inverse),
    ENTRY("Coriolis matrix", -1, SIZE_N2, coriolis),
    ENTRY("all Jacobians", -1, SIZE_FRAMES, jacobians),
    ENTRY("all Jacobian rates", -1, SIZE_FRAMES, jacobian_rates),
    ENTRY("space Jacobian", -1, SIZE_N2, space_jacobian),
    ENTRY("space Jacobian rate", -1, SIZE_N2, space_jacobian_rate),
    ENTRY("torque regressor", -1, SIZE_FRAMES, regressor),
    ENTRY("CoM Jacobian", -1, SIZE_N2, com_jacobian),
    ENTRY("energies", -1, SIZE_N, energy),
    ENTRY("all terms", -1, SIZE_FRAMES, terms),
    ENTRY("d tau / d(q, v, a)", -1, SIZE_N2, d_inverse),
    ENTRY("d ddq / d(q, v, tau)", -1, SIZE_N2, d_forward),
    ENTRY("second-order d tau", -1, SIZE_N3, d2_inverse),
    ENTRY("gradient of inverse dynamics", -1, SIZE_N, gradient),
    ENTRY("inverse dynamics jet", 0, SIZE_N2, inverse_jet),
    ENTRY("inverse dynamics jet", 1, SIZE_N2, inverse_jet),
    ENTRY("inverse dynamics jet", 2, SIZE_N2, inverse_jet),
    ENTRY("inverse dynamics jet", 3, SIZE_N2, inverse_jet),
    ENTRY("inverse dynamics jet", 4, SIZE_N2, inverse_jet),
    ENTRY("inverse dynamics jet", 8, SIZE_N2, inverse_jet),
    ENTRY("forward dynamics jet", 1, SIZE_N2, forward_jet),
    ENTRY("forward dynamics jet", 3, SIZE_N2, forward_jet),
    ENTRY("mass matrix jet", 2, SIZE_N2, mass_jet),
};

int algorithm_count(void) { return sizeof list / sizeof *list; }
const algorithm *algorithm_at(int i) { return &list[i]; }

/* Numbers that an output has room for, of one state. */
static size_t room_of(const robot *r, algorithm_size size) {
  size_t n = (size_t)r->nv, frames = (size_t)r->nframe * 6 * n, parameters = (size_t)r->parameters * n;
  size_t square = (TOP + 2) * (n + 8) * (n < 10 ? 10 : n);
  if (size == SIZE_N) return n + 8;
  if (size == SIZE_N2) return square;
  if (size == SIZE_FRAMES) return (frames > parameters ? frames : parameters) + square;
  return n * n * n;
}

int algorithm_fits(const robot *r, const algorithm *a, int states) {
  return (double)room_of(r, a->size) * states < 2e7; /* 160 MB an output */
}

subject subject_create(const robot *r, const algorithm *a, int states, int threads) {
  subject s = {.r = r, .order = a->order < 0 ? 0 : a->order};
  size_t rows = (size_t)s.order + 2, n = (size_t)r->nv, room = room_of(r, a->size) * (size_t)states;
  CHECK(jn_work_create_order(r->model, TOP, &s.work));
  CHECK(jn_batch_create(r->model, TOP, threads, &s.batch));
  for (int i = 0; i < SUBJECT_OUTPUTS; i++) s.out[i] = bench_memory(room * sizeof(double));
  s.v_jet = bench_memory(STATES * rows * n * sizeof(double));
  s.tau_jet = bench_memory(STATES * rows * n * sizeof(double));
  for (size_t k = 0; k < STATES; k++) {
    memcpy(s.v_jet + k * rows * n, r->v_jet + k * (TOP + 2) * n, rows * n * sizeof(double));
    memcpy(s.tau_jet + k * (rows - 1) * n, r->tau_jet + k * (TOP + 1) * n, (rows - 1) * n * sizeof(double));
  }
  return s;
}

void subject_destroy(subject *s) {
  jn_work_destroy(s->work);
  jn_batch_destroy(s->batch);
  for (int i = 0; i < SUBJECT_OUTPUTS; i++) free(s->out[i]);
  free(s->v_jet);
  free(s->tau_jet);
}
