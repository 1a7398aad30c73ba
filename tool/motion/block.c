/* SPDX-License-Identifier: BSD-2-Clause */
/* Torques of many samples at once. A block of samples ahead is evaluated one by one (positions, their derivatives,
 * wrenches), and its torques by one call of jn_inverse_dynamics_jet_batch(), which computes several states in the lanes
 * of a vector register.
 *
 * Blocks always have BLOCK states, the last one repeated if there are fewer: so all torques come from the same kernel,
 * and those of a sample do not depend on the samples beside it (--shard). Closed loops and the path of a tool go from
 * one sample to the next, and are computed one by one. */
#include <jounce/batch.h>
#include <stdlib.h>
#include <string.h>

#include "../text/print.h"
#include "motion.h"

enum { BLOCK = 64 };

struct motion_block {
  jn_batch *batch;
  size_t nq, motion, torques, wrenches; /* numbers of one sample */
  double *q, *v_jet, *tau, *wrench_jet; /* [BLOCK] of each; wrench_jet NULL: none */
  int first, count;                     /* samples of the schedule that are in the block */
};

motion_block *motion_block_create(const motion *m) {
  if (m->loops || m->path) return NULL;
  motion_block *b = allocate(sizeof *b);
  *b = (motion_block){.nq = (size_t)m->nq};
  if (jn_batch_create(m->model, m->order, 1, &b->batch) != JN_OK) {
    free(b);
    return NULL;
  }

  b->motion = (size_t)(m->order + 2) * (size_t)m->nv;
  b->torques = (size_t)(m->order + 1) * (size_t)m->nv;
  b->wrenches = m->wrench_jet ? (size_t)(m->order + 1) * (size_t)jn_link_count(m->model) * 6 : 0;
  b->q = allocate(BLOCK * (b->nq + b->motion + b->torques + b->wrenches + 1) * sizeof(double));
  b->v_jet = b->q + BLOCK * b->nq;
  b->tau = b->v_jet + BLOCK * b->motion;
  b->wrench_jet = m->wrench_jet ? b->tau + BLOCK * b->torques : NULL;
  return b;
}

void motion_block_free(motion_block *b) {
  if (!b) return;
  jn_batch_destroy(b->batch);
  free(b->q);
  free(b);
}

/* Copies the motion of the last state to the next `count` ones. */
static void repeat_last(motion_block *b, int used) {
  size_t last = (size_t)used - 1;
  for (size_t i = (size_t)used; i < BLOCK; i++) {
    memcpy(b->q + i * b->nq, b->q + last * b->nq, b->nq * sizeof(double));
    memcpy(b->v_jet + i * b->motion, b->v_jet + last * b->motion, b->motion * sizeof(double));
    if (b->wrench_jet)
      memcpy(b->wrench_jet + i * b->wrenches, b->wrench_jet + last * b->wrenches, b->wrenches * sizeof(double));
  }
}

/* Computes the block that begins with sample i. A sample that fails ends the block, and is reported when it is the
 * first.
 */
static jn_status compute_block(motion *m, motion_block *b, const schedule *s, int i) {
  jn_status status = JN_OK;
  b->first = i;
  b->count = 0;

  /* Motion and wrenches, sample by sample. */
  for (int k = 0; k < BLOCK && i + k < s->count; k++) {
    size_t at = (size_t)k;
    status = motion_inputs_at(m, schedule_time(s, i + k));
    if (status != JN_OK) break;
    memcpy(b->q + at * b->nq, m->q, b->nq * sizeof(double));
    memcpy(b->v_jet + at * b->motion, m->v_jet, b->motion * sizeof(double));
    if (b->wrench_jet) memcpy(b->wrench_jet + at * b->wrenches, m->wrench_jet, b->wrenches * sizeof(double));
    b->count++;
  }
  if (b->count == 0) return status;

  /* Torques of all, tau = ID(q, v, a, wrenches) and its derivatives. */
  repeat_last(b, b->count);
  status = jn_inverse_dynamics_jet_batch(b->batch, BLOCK, m->order, b->q, b->v_jet, b->wrench_jet, b->tau);
  if (status != JN_OK) b->count = 0;
  return status;
}

jn_status motion_sample(motion *m, motion_block *b, const schedule *s, int i) {
  if (!b) return motion_at(m, schedule_time(s, i));
  if (i < b->first || i >= b->first + b->count) {
    jn_status status = compute_block(m, b, s, i);
    if (status != JN_OK) return status;
  }

  size_t at = (size_t)(i - b->first);
  m->t = schedule_time(s, i);
  memcpy(m->q, b->q + at * b->nq, b->nq * sizeof(double));
  memcpy(m->v_jet, b->v_jet + at * b->motion, b->motion * sizeof(double));
  memcpy(m->tau, b->tau + at * b->torques, b->torques * sizeof(double));
  if (b->wrench_jet) memcpy(m->wrench_jet, b->wrench_jet + at * b->wrenches, b->wrenches * sizeof(double));
  return motion_add_losses(m, 1, m->tau);
}
