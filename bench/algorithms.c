/* SPDX-License-Identifier: BSD-2-Clause */
#include "algorithms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

ALGORITHM(inverse, inverse_dynamics, Q, V, A, NULL, OUT(0))
ALGORITHM(bias, bias_forces, Q, V, OUT(0))
ALGORITHM(gravity, gravity_forces, Q, OUT(0))
ALGORITHM(mass, mass_matrix, Q, OUT(0))
ALGORITHM(forward, forward_dynamics, Q, V, TAU, NULL, OUT(0))
ALGORITHM(hybrid, hybrid_dynamics, r->prescribed, Q, V, A, TAU, NULL, OUT(0), OUT(1))
ALGORITHM(mass_inverse, mass_matrix_inverse, Q, OUT(0))
ALGORITHM(coriolis, coriolis_matrix, Q, V, OUT(0))
ALGORITHM(jacobians, frame_jacobians, JN_IN_WORLD, Q, OUT(0))
ALGORITHM(jacobian_rates, frame_jacobian_rates, JN_IN_WORLD, Q, V, OUT(0))
ALGORITHM(space_jacobian, space_jacobian, Q, OUT(0))
ALGORITHM(space_jacobian_rate, space_jacobian_rate, Q, V, OUT(0))
ALGORITHM(regressor, regressor, Q, V, A, OUT(0))
ALGORITHM(com_jacobian, com_jacobian, JN_WORLD, Q, OUT(0))
ALGORITHM(energy, energy, Q, V, OUT(0))
ALGORITHM(terms, compute, Q, V, A, NULL,
          &(TERMS){.M = OUT(0),
                   .coriolis = OUT(1),
                   .g = OUT(2),
                   .jacobians = OUT(3),
                   .com = OUT(4),
                   .energy = OUT(5),
                   .in = JN_IN_WORLD})
ALGORITHM(d_inverse, inverse_dynamics_derivatives, Q, V, A, NULL, JN_IN_BODY, OUT(0), OUT(1), OUT(2), NULL)
ALGORITHM(d_forward, forward_dynamics_derivatives, Q, V, TAU, NULL, JN_IN_BODY, OUT(0), OUT(1), OUT(2), OUT(3), NULL)
ALGORITHM(d2_inverse, inverse_dynamics_second_derivatives, Q, V, A, NULL, JN_IN_BODY, OUT(0), OUT(1), OUT(2), OUT(3))
ALGORITHM(gradient, inverse_dynamics_adjoint, Q, V, A, NULL, JN_IN_BODY, TAU,
          &(GRADIENT){.df_dq = OUT(0), .df_dv = OUT(1), .df_da = OUT(2)})
ALGORITHM(inverse_jet, inverse_dynamics_jet, s->order, Q, V_JET, NULL, OUT(0))
ALGORITHM(forward_jet, forward_dynamics_jet, s->order, Q, V, TAU_JET, NULL, OUT(0))
ALGORITHM(mass_jet, mass_matrix_jet, s->order, Q, V_JET, OUT(0))

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

enum { COUNT = sizeof list / sizeof *list };

int algorithm_count(int all) { return all ? COUNT + more_count() : COUNT; }
const algorithm *algorithm_at(int i) { return i < COUNT ? &list[i] : more_at(i - COUNT); }

/* Numbers that an output has room for, of one state. */
static size_t room_of(const robot *r, algorithm_size size) {
  size_t n = (size_t)r->nv, frames = (size_t)r->nframe * 6 * n, parameters = (size_t)r->parameters * n;
  size_t square = (TOP + 2) * (n + 8) * (n < 10 ? 10 : n);
  if (size == SIZE_N) return n + 8;
  if (size == SIZE_N2) return square;
  if (size == SIZE_FRAMES) return (frames > parameters ? frames : parameters) + square;
  size_t links = 6 * (size_t)r->nlink, large = 3 * links * links;
  if (size == SIZE_LINKS) return large > parameters * n ? large : parameters * n;
  return n * n * n + 15 * n * n; /* derivatives of a jet of order 2 have 15 matrices */
}

int algorithm_fits(const robot *r, const algorithm *a, int states) {
  return (double)room_of(r, a->size) * states < 2e7; /* 160 MB an output */
}

/* A copy in single precision. */
static float *float_copy(const double *from, size_t count) {
  float *to = bench_memory(count * sizeof *to);
  for (size_t i = 0; i < count; i++) to[i] = (float)from[i];
  return to;
}

subject subject_create(const robot *r, const algorithm *a, int states, int threads) {
  subject s = {.r = r, .order = a->order < 0 ? 0 : a->order, .room = room_of(r, a->size)};
  size_t rows = (size_t)s.order + 2, n = (size_t)r->nv, room = s.room * (size_t)states;
  numbers *x = &s.numbers;
  CHECK(jn_work_create_order(r->model, TOP, &s.work));
  CHECK(jn_batch_create(r->model, TOP, threads, &s.batch));
  x->q = r->q;
  x->v = r->v;
  x->a = r->a;
  x->tau = r->tau;
  x->v_jet = bench_memory(STATES * rows * n * sizeof(double));
  x->tau_jet = bench_memory(STATES * rows * n * sizeof(double));
  for (size_t k = 0; k < STATES; k++) {
    memcpy(x->v_jet + k * rows * n, r->v_jet + k * (TOP + 2) * n, rows * n * sizeof(double));
    memcpy(x->tau_jet + k * (rows - 1) * n, r->tau_jet + k * (TOP + 1) * n, (rows - 1) * n * sizeof(double));
  }
  s.floats = (float_numbers){.q = float_copy(x->q, STATES * (size_t)r->nq),
                             .v = float_copy(x->v, STATES * n),
                             .a = float_copy(x->a, STATES * n),
                             .tau = float_copy(x->tau, STATES * n),
                             .v_jet = float_copy(x->v_jet, STATES * rows * n),
                             .tau_jet = float_copy(x->tau_jet, STATES * rows * n)};
  for (int i = 0; i < SUBJECT_OUTPUTS; i++) {
    s.out[i] = x->out[i] = bench_memory(room * sizeof(double));
    s.floats.out[i] = (float *)(void *)s.out[i];
  }
  size_t given = a->prepare ? a->prepare(&s) : 0;
  for (int i = 0; i < SUBJECT_GIVEN; i++)
    if (x->given[i]) s.floats.given[i] = float_copy(x->given[i], given);
  return s;
}

void subject_destroy(subject *s) {
  jn_work_destroy(s->work);
  jn_batch_destroy(s->batch);
  for (int i = 0; i < SUBJECT_OUTPUTS; i++) free(s->out[i]);
  for (int i = 0; i < SUBJECT_GIVEN; i++) {
    free(s->numbers.given[i]);
    free(s->floats.given[i]);
  }
  free(s->numbers.v_jet);
  free(s->numbers.tau_jet);
  free(s->floats.q);
  free(s->floats.v);
  free(s->floats.a);
  free(s->floats.tau);
  free(s->floats.v_jet);
  free(s->floats.tau_jet);
}
