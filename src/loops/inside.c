/* SPDX-License-Identifier: BSD-2-Clause */
/* Closed configurations inside position limits. Closing the loops moves coordinates beyond their limits; those are put
 * back to the limit, kept there, and the loops are closed by the others. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "../model/limits.h"
#include "jounce/configuration.h"
#include "loops.h"

enum {
  ATTEMPTS = 60, /* random starts */
  ROUNDS = 20    /* of coordinates that are put back, from one start */
};

/* How far the coordinate that is farthest outside its limits is from them; held coordinates do not count. */
static double find_outside(const loop_structure *loops, const unsigned char *held, const double *q) {
  double most = 0;
  for (int v = 0; v < loops->nv; v++) {
    if (loops->place[v] < 0 || (held && held[v])) continue;
    double x = q[loops->place[v]];
    most = fmax(most, fabs(x - limited(x, loops->lower[v], loops->upper[v])));
  }
  return most;
}

/* Coordinates outside of their limits go to them. With `pinned` they are marked there. */
static void put_back(const loop_structure *loops, const unsigned char *held, unsigned char *pinned, double *q) {
  for (int v = 0; v < loops->nv; v++) {
    if (loops->place[v] < 0 || (held && held[v])) continue;
    double *x = q + loops->place[v], inside = limited(*x, loops->lower[v], loops->upper[v]);
    if (pinned && inside != *x) pinned[v] = 1;
    *x = inside;
  }
}

/* Moves from `from` by a part of the distance to a random configuration. The base and held coordinates stay. */
static jn_status draw_start(jn_loops *l, const unsigned char *held, double part, uint64_t *random, const double *from,
                            double *q) {
  const jn_model *model = l->structure.model;
  double *step = l->scratch.x, *moved = l->scratch.moved;

  jn_status status = jn_random(model, random, q);
  if (status == JN_OK) status = jn_difference(model, l->structure.work, from, q, step);
  if (status != JN_OK) return status;

  for (int v = 0; v < l->structure.nv; v++) {
    int joint = jn_coordinate_joint(model, v, NULL);
    bool is_base = jn_joint_type_of(model, joint) == JN_FREE && jn_link_parent(model, joint) == JN_WORLD;
    step[v] = is_base || (held && held[v]) ? 0 : part * step[v];
  }

  status = jn_integrate(model, l->structure.work, from, step, moved);
  memcpy(q, moved, sizeof(double) * (size_t)l->structure.nq);
  put_back(&l->structure, held, NULL, q);
  return status;
}

/* The search so far. */
typedef struct inside_search {
  jn_status status;
  double outside, residual; /* of scratch.best */
} inside_search;

/* Keeps what was found in scratch.guess, if it is better: closed, and less outside. */
static bool keep_better(jn_loops *l, const unsigned char *held, inside_search *best, jn_status status,
                        double residual) {
  double outside = status == JN_OK ? find_outside(&l->structure, held, l->scratch.guess) : INFINITY;
  bool is_better = status == JN_OK ? best->status != JN_OK || outside < best->outside
                                   : best->status != JN_OK && residual < best->residual;
  if (is_better) {
    *best = (inside_search){status, outside, residual};
    memcpy(l->scratch.best, l->scratch.guess, sizeof(double) * (size_t)l->structure.nq);
  }
  return best->status == JN_OK && best->outside == 0;
}

/* Closes the loops from scratch.guess; coordinates that leave their limits are put back and stay there. Every closed
 * configuration that is found counts. */
static jn_status close_inside(jn_loops *l, const unsigned char *held, double accuracy, inside_search *best) {
  unsigned char *pinned = l->scratch.pinned;
  size_t nv = (size_t)l->structure.nv;
  double residual = INFINITY;

  memset(pinned, 0, nv);
  if (held) memcpy(pinned, held, nv);

  for (int round = 0; round < ROUNDS; round++) {
    jn_status status = jn_loops_assemble(l, pinned, accuracy, l->scratch.guess, &residual);
    if (status != JN_OK && status != JN_ERR_LOOP) return status;
    if (keep_better(l, held, best, status, residual) || status == JN_ERR_LOOP) break;
    put_back(&l->structure, held, pinned, l->scratch.guess);
  }
  return JN_OK;
}

jn_status jn_loops_assemble_inside(jn_loops *l, const unsigned char *held, double accuracy, double *q, double *residual,
                                   double *outside) {
  if (!l || !q || !outside) return JN_ERR_NULL;
  size_t bytes = sizeof(double) * (size_t)l->structure.nq;
  double *guess = l->scratch.guess;
  inside_search best = {JN_ERR_LOOP, INFINITY, INFINITY};
  uint64_t random = 1;

  /* From q as it is; from q moved inside; then from farther and farther away. */
  memcpy(l->scratch.best, q, bytes);
  for (int k = -1; k <= ATTEMPTS && !(best.outside <= 0); k++) {
    jn_status status = JN_OK;
    memcpy(guess, q, bytes);
    if (k >= 0) put_back(&l->structure, held, NULL, guess);
    if (k > 0) status = draw_start(l, held, (double)k / ATTEMPTS, &random, q, guess);
    if (status == JN_OK) status = close_inside(l, held, accuracy, &best);
    if (status != JN_OK) return status;
  }

  memcpy(q, l->scratch.best, bytes);
  if (residual) *residual = best.residual;
  *outside = best.outside;
  return best.status;
}
