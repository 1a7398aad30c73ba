/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce eval: many states at once. A block of them goes through the batch functions (jounce/batch.h) before its
 * results are written state by state. What a block cannot give, the single functions compute as for one state: names
 * that are not in the table below, a function that found one of the states singular, what belongs to closed loops. */
#include <jounce/batch.h>
#include <stdlib.h>
#include <string.h>

#include "../text/print.h"
#include "eval.h"

enum { BLOCK = 256 };          /* states at most */
#define BLOCK_NUMBERS 4000000u /* of one result at most: 32 MB */

typedef struct eval_call eval_call;

struct eval_block {
  jn_batch *batch;
  const eval_state *first; /* of the block; NULL: nothing is computed yet */
  int count, most;
  double *numbers;                   /* of all inputs below */
  double *q, *v, *a, *v_jet, *force; /* [count] rows each; force: tau less the losses */
  double *wrench, *wrench_jet;       /* NULL: none of the states has any */
  double *wrench_room, *spare;       /* spare: [count x (nv + nv^2)] */
  double **out;                      /* by call, NULL until it was wanted */
  bool *ready;
};

/* ---- The functions ---- */

struct eval_call {
  const char *want;
  size_t (*size)(const evaluation *e); /* numbers of a state */
  jn_status (*run)(const evaluation *e, const eval_block *b, double *out);
};

static size_t nv_of(const evaluation *e) { return (size_t)jn_model_nv(e->model); }
static size_t rows_of(const evaluation *e) { return (size_t)e->order + 1; }
static size_t size_two(const evaluation *e) { return e ? 2 : 0; }
static size_t size_vector(const evaluation *e) { return nv_of(e); }
static size_t size_matrix(const evaluation *e) { return nv_of(e) * nv_of(e); }
static size_t size_vector_jet(const evaluation *e) { return rows_of(e) * nv_of(e); }
static size_t size_matrix_jet(const evaluation *e) { return rows_of(e) * nv_of(e) * nv_of(e); }
static size_t size_momentum_jet(const evaluation *e) { return rows_of(e) * 6; }
static size_t size_com_jet(const evaluation *e) { return rows_of(e) * 3; }
static size_t size_energy_jet(const evaluation *e) { return rows_of(e) * 2; }
static size_t size_regressor(const evaluation *e) { return nv_of(e) * (size_t)jn_parameter_count(e->model); }

#define CALL(name, function, ...)                                                      \
  static jn_status run_##name(const evaluation *e, const eval_block *b, double *out) { \
    (void)e;                                                                           \
    return function##_batch(b->batch, (size_t)b->count, __VA_ARGS__);                  \
  }
CALL(tau, jn_inverse_dynamics, b->q, b->v, b->a, b->wrench, out)
CALL(ddq, jn_forward_dynamics, b->q, b->v, b->force, b->wrench, out)
CALL(M, jn_mass_matrix, b->q, out)
CALL(Minv, jn_mass_matrix_inverse, b->q, out)
CALL(C, jn_coriolis_matrix, b->q, b->v, out)
CALL(C_christoffel, jn_coriolis_matrix_christoffel, b->q, b->v, out)
CALL(Mdot, jn_mass_matrix_rate, b->q, b->v, out)
CALL(g, jn_gravity_forces, b->q, out)
CALL(bias, jn_bias_forces, b->q, b->v, out)
CALL(energy, jn_energy, b->q, b->v, out)
CALL(tau_jets, jn_inverse_dynamics_jet, e->order, b->q, b->v_jet, b->wrench_jet, out)
CALL(M_jets, jn_mass_matrix_jet, e->order, b->q, b->v_jet, out)
CALL(C_jets, jn_coriolis_matrix_jet, e->order, b->q, b->v_jet, out)
CALL(g_jets, jn_gravity_forces_jet, e->order, b->q, b->v_jet, out)
CALL(momentum_jets, jn_momentum_jet, e->order, b->q, b->v_jet, out)
CALL(com_jets, jn_center_of_mass_jet, e->order, b->q, b->v_jet, out)
CALL(energy_jets, jn_energy_jet, e->order, b->q, b->v_jet, out)
CALL(dtau_dq, jn_inverse_dynamics_derivatives, b->q, b->v, b->a, b->wrench, e->hold, out, NULL, NULL, NULL)
CALL(dtau_dv, jn_inverse_dynamics_derivatives, b->q, b->v, b->a, b->wrench, e->hold, NULL, out, NULL, NULL)
CALL(dtau_da, jn_inverse_dynamics_derivatives, b->q, b->v, b->a, b->wrench, e->hold, NULL, NULL, out, NULL)
#define DDQ b->q, b->v, b->force, b->wrench, e->hold, b->spare
#define MINV (b->spare + (size_t)b->count * nv_of(e))
CALL(da_dq, jn_forward_dynamics_derivatives, DDQ, out, NULL, MINV, NULL)
CALL(da_dv, jn_forward_dynamics_derivatives, DDQ, NULL, out, MINV, NULL)
CALL(da_dtau, jn_forward_dynamics_derivatives, DDQ, NULL, NULL, out, NULL)
CALL(Y, jn_regressor, b->q, b->v, b->a, out)

static const eval_call calls[] = {
    {"tau", size_vector, run_tau},
    {"ddq", size_vector, run_ddq},
    {"M", size_matrix, run_M},
    {"Minv", size_matrix, run_Minv},
    {"C", size_matrix, run_C},
    {"C_christoffel", size_matrix, run_C_christoffel},
    {"Mdot", size_matrix, run_Mdot},
    {"g", size_vector, run_g},
    {"bias", size_vector, run_bias},
    {"energy", size_two, run_energy},
    {"tau_jets", size_vector_jet, run_tau_jets},
    {"M_jets", size_matrix_jet, run_M_jets},
    {"C_jets", size_matrix_jet, run_C_jets},
    {"g_jets", size_vector_jet, run_g_jets},
    {"momentum_jets", size_momentum_jet, run_momentum_jets},
    {"com_jets", size_com_jet, run_com_jets},
    {"energy_jets", size_energy_jet, run_energy_jets},
    {"dtau_dq", size_matrix, run_dtau_dq},
    {"dtau_dv", size_matrix, run_dtau_dv},
    {"dtau_da", size_matrix, run_dtau_da},
    {"da_dq", size_matrix, run_da_dq},
    {"da_dv", size_matrix, run_da_dv},
    {"da_dtau", size_matrix, run_da_dtau},
    {"Y", size_regressor, run_Y},
};
enum { CALLS = sizeof calls / sizeof *calls };

static int find_call(const char *want) {
  for (int i = 0; i < CALLS; i++) {
    if (strcmp(calls[i].want, want) == 0) return i;
  }
  return -1;
}

/* ---- Blocks ---- */

/* With losses, da_dv needs Minv too. */
static bool goes_ahead(const evaluation *e, const eval_want *want) {
  if (e->loops && want->is & WANT_CLOSED) return false;
  return find_call(want->name) >= 0 && !(e->losses && strcmp(want->name, "da_dv") == 0);
}

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

void eval_block_create(evaluation *e, const eval_want *const *wants, int count, int states) {
  size_t most = smaller(BLOCK, (size_t)states), nq = (size_t)jn_model_nq(e->model), nv = nv_of(e), rows = rows_of(e);
  size_t wrench = rows * 6 * (size_t)jn_link_count(e->model), spare = nv + nv * nv;
  bool any = false;
  for (int i = 0; i < count; i++) {
    if (!goes_ahead(e, wants[i])) continue;
    size_t size = calls[find_call(wants[i]->name)].size(e);
    most = smaller(most, BLOCK_NUMBERS / (size + spare + wrench + 1));
    any = true;
  }
  e->block = NULL;
  if (!any || most < 2) return;
  eval_block *b = allocate(sizeof *b);
  *b = (eval_block){.most = (int)most};
  if (jn_batch_create(e->model, e->order, 1, &b->batch) != JN_OK) { /* then one by one */
    free(b);
    return;
  }
  b->numbers = allocate(most * (nq + (rows + 4) * nv + wrench + spare) * sizeof *b->numbers);
  b->q = b->numbers;
  b->v = b->q + most * nq;
  b->a = b->v + most * nv;
  b->force = b->a + most * nv;
  b->v_jet = b->force + most * nv;
  b->wrench_room = b->v_jet + most * (rows + 1) * nv;
  b->spare = b->wrench_room + most * wrench;
  b->out = allocate(CALLS * sizeof *b->out);
  b->ready = allocate(CALLS * sizeof *b->ready);
  for (int i = 0; i < CALLS; i++) b->out[i] = NULL;
  e->block = b;
}

void eval_block_free(evaluation *e) {
  eval_block *b = e->block;
  e->block = NULL;
  if (!b) return;
  for (int i = 0; i < CALLS; i++) free(b->out[i]);
  free(b->out);
  free(b->ready);
  free(b->numbers);
  jn_batch_destroy(b->batch);
  free(b);
}

/* Row k of each input. Wrenches are gathered by the order of what uses them: 0, or that of jets. */
static bool gather(evaluation *e, const eval_state *states) {
  eval_block *b = e->block;
  size_t nq = (size_t)jn_model_nq(e->model), nv = nv_of(e), rows = rows_of(e), number = sizeof(double);
  for (size_t k = 0; k < (size_t)b->count; k++) {
    const eval_state *s = e->state = &states[k];
    memcpy(b->q + k * nq, s->q, nq * number);
    memcpy(b->v + k * nv, s->v, nv * number);
    memcpy(b->a + k * nv, s->a, nv * number);
    memcpy(b->v_jet + k * (rows + 1) * nv, s->v, (rows + 1) * nv * number);
    if (eval_driving_forces(e, b->spare, b->force + k * nv) != JN_OK) return false;
  }
  return true;
}

/* [count x rows x nlink x 6], or NULL when no state has wrenches. */
static double *gather_wrenches(const evaluation *e, const eval_state *states, size_t rows) {
  eval_block *b = e->block;
  size_t size = rows * 6 * (size_t)jn_link_count(e->model);
  bool any = false;
  for (size_t k = 0; k < (size_t)b->count; k++) {
    any |= states[k].wrench != NULL;
    for (size_t i = 0; i < size; i++) b->wrench_room[k * size + i] = states[k].wrench ? states[k].wrench[i] : 0;
  }
  return any ? b->wrench_room : NULL;
}

static void run_call(const evaluation *e, int call) {
  eval_block *b = e->block;
  if (!b->out[call]) b->out[call] = allocate((size_t)b->most * calls[call].size(e) * sizeof(double));
  b->ready[call] = calls[call].run(e, b, b->out[call]) == JN_OK; /* else one by one, which finds the error */
}

void eval_block_begin(evaluation *e, const eval_states *states, int s, const eval_want *const *wants, int count,
                      unsigned only) {
  eval_block *b = e->block;
  const eval_state *at = &states->states[s];
  if (!b || (b->first && at >= b->first && at < b->first + b->count && s > 0)) return;
  int left = states->count - s;
  b->first = at;
  b->count = left < b->most ? left : b->most;
  for (int i = 0; i < CALLS; i++) b->ready[i] = false;
  if (!gather(e, at)) return;
  for (int jets = 0; jets <= 1; jets++) {
    b->wrench = b->wrench_jet = gather_wrenches(e, at, jets ? rows_of(e) : 1);
    for (int i = 0; i < count; i++) {
      bool jet = wants[i]->is & WANT_JET;
      if (jet == jets && (!only || wants[i]->is & only) && goes_ahead(e, wants[i]))
        run_call(e, find_call(wants[i]->name));
    }
  }
}

bool eval_ahead(const evaluation *e, const char *want, double *out) {
  const eval_block *b = e->block;
  int call = b ? find_call(want) : -1;
  if (call < 0 || !b->first || !b->ready[call] || e->state < b->first || e->state >= b->first + b->count) return false;
  size_t size = calls[call].size(e);
  memcpy(out, b->out[call] + (size_t)(e->state - b->first) * size, size * sizeof *out);
  return true;
}
