/* SPDX-License-Identifier: BSD-2-Clause */
/* Closed configurations of a model with loops, with motions that keep them closed: samples for the order of
 * elimination, and states of the self-test. */
#include <string.h>

#include "conditions.h"

const double *jn__closed_state(const jn_writing *w, int k) {
  if (!w->closed_count) return NULL;
  size_t size = (size_t)(jn_model_nq(w->model) + 2 * jn_model_nv(w->model));
  return w->closed + (size_t)(k % w->closed_count) * size;
}

/* One state from the random numbers of `input`; false: it cannot be closed, or is near a singular configuration. */
static int close_state(const jn_writing *w, jn_loops *loops, double *const *input, double *state) {
  int nq = jn_model_nq(w->model);
  double *q = state, *motion = state + nq; /* v and a */
  jn_loops_health health;
  memcpy(q, input[JN_ARRAY_Q], (size_t)nq * sizeof *q);
  if (jn_loops_assemble(loops, NULL, 0, q, NULL) != JN_OK) return 0;
  if (jn_loops_health_at(loops, q, &health, NULL) != JN_OK || health.near_singular || health.weakest < 1e-3) return 0;

  double *v = input[JN_ARRAY_V];
  if (jn_loops_project(loops, NULL, q, v) != JN_OK) return 0;
  return jn_loops_forward_dynamics_jet(loops, 0, q, v, input[JN_ARRAY_TAU], NULL, motion, NULL) == JN_OK;
}

jn_status jn__find_closed_states(jn_writing *w) {
  w->closed_count = 0;
  if (!jn_loop_count(w->model)) return JN_OK;

  size_t size = (size_t)(jn_model_nq(w->model) + 2 * jn_model_nv(w->model));
  double *input[JN_ARRAYS], *block = jn__make_inputs(w, input);
  jn_loops *loops = NULL;
  w->closed = jn__allocate(&w->allocator, JN_CLOSED_STATES * size * sizeof *w->closed);
  jn_status status = block && w->closed ? jn_loops_create(w->model, NULL, &loops) : JN_ERR_MEMORY;

  /* Some guesses do not lead to a closed configuration. */
  uint64_t seed = 5;
  int count = 0;
  for (int tries = 0; status == JN_OK && tries < 8 * JN_CLOSED_STATES && count < JN_CLOSED_STATES; tries++) {
    jn__random_inputs(w, &seed, input);
    double *to = w->closed + (size_t)count * size;
    count += close_state(w, loops, input, to);
  }
  w->closed_count = count;
  jn_loops_destroy(loops);
  jn__release(&w->allocator, block);
  if (status == JN_ERR_MEMORY) return jn__writing_fail(w, status, "out of memory");
  return JN_OK;
}
