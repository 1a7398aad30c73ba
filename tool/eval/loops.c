/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce eval on models with loops: states that close them, and what the loops themselves are: multipliers, conditions,
 * mobility. The dynamics of closed loops are with those of trees in dynamics.c. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../command.h"
#include "../model/inside.h"
#include "../options/options.h"
#include "../text/json.h"
#include "../text/print.h"
#include "eval.h"

/* ---- States that close the loops ---- */

#define LOOPS_TOLERANCE 1e-9                                /* the default of jn_loops_options */
#define WORTH_A_NOTE fmax(1e-6, 1e3 * jn_variant_epsilon()) /* of rounding errors */

/* How far a state may be from closing the loops [m, rad; for the velocity per s]. */
static double tolerance(void) { return fmax(1e-6, 1000 * jn_variant_epsilon()); }

/* What is large for a row: the largest factor of a coupling, one otherwise. */
static double row_size(const evaluation *e, int loop, const double *A) {
  double most = 0;
  if (jn_loop_description(e->model, loop)->type != JN_LOOP_COUPLING) return 1;
  for (int i = 0; i < jn_model_nv(e->model); i++) most = fmax(most, fabs(A[i]));
  return most > 0 ? most : 1;
}

/* The loop with the largest of all rates [rows] of conditions. */
static const char *worst_loop(const evaluation *e, const double *A, const double *rates, double *most) {
  int count = jn_loop_count(e->model), worst = 0, nv = jn_model_nv(e->model);
  *most = 0;
  for (int i = 0; i < count; i++) {
    int size, first = jn_loops_row(e->loops, i, &size);
    for (int r = first; r < first + size; r++) {
      double rate = fabs(rates[r]) / row_size(e, i, A + r * nv);
      if (rate <= *most) continue;
      *most = rate;
      worst = i;
    }
  }
  return jn_loop_description(e->model, worst)->name;
}

/* The loop that q opens most. */
static jn_status find_open(const evaluation *e, int *worst, double *gap) {
  int count = jn_loop_count(e->model);
  double *gaps = allocate((size_t)count * sizeof *gaps);
  jn_status status = jn_loops_gaps(e->loops, e->state->q, gaps);
  *worst = 0;
  for (int i = 1; i < count && status == JN_OK; i++)
    if (gaps[i] > gaps[*worst] || isnan(gaps[i])) *worst = i;
  *gap = gaps[*worst];
  free(gaps);
  return status;
}

/* Conditions alone would not see it. */
static bool is_half_a_turn(const evaluation *e, int loop, double gap) {
  jn_loop_type type = jn_loop_description(e->model, loop)->type;
  bool turns = type != JN_LOOP_UNIVERSAL && type != JN_LOOP_SPHERICAL && type != JN_LOOP_POINT_ON_AXIS &&
               type != JN_LOOP_DISTANCE && type != JN_LOOP_POINT_CONTACT && type != JN_LOOP_SLIDING_POINT &&
               type != JN_LOOP_COUPLING;
  return turns && fabs(gap - M_PI) < 1e-3;
}

static int refuse(const evaluation *e, int state, const char *what, const char *loop, const char *how, double size,
                  const char *more) {
  FILE *to = eval_message(e, state);
  say(to, "%s opens the loop '", what);
  print_text(to, loop);
  say(to, "' %s %.3g%s, more than %.0e; --assemble closes the loops\n", how, size, more, tolerance());
  return EXIT_BAD;
}

/* The largest rounding error to expect of the orders asked for (loops.h); of torques when there are motors. */
static double expected_rounding(evaluation *e, const jn_loops_health *h) {
  const eval_state *s = e->state;
  size_t nv = (size_t)jn_model_nv(e->model);
  double most = jn_loops_rounding(h, e->order), *rest = eval_room(e, 3 * nv), *tau = rest + 2 * nv;
  jn_loops_health passive;
  if (!s->has_actuated) return most;
  memset(rest, 0, 2 * nv * sizeof *rest);
  jn_loops_inverse_dynamics_jet(e->loops, 0, s->actuated, e->choice, NULL, s->q, rest, NULL, NULL, tau, NULL);
  if (jn_loops_last_health(e->loops, &passive) != JN_OK) return most;
  return fmax(most, jn_loops_rounding(&passive, e->order + 1));
}

/* Results are bounded there, but may be large and depend on rounding. */
static void tell_singular(evaluation *e, int index) {
  jn_loops_health h;
  if (jn_loops_health_at(e->loops, e->state->q, &h, NULL) != JN_OK) return;
  double rounding = expected_rounding(e, &h);
  if (rounding > WORTH_A_NOTE) {
    say(eval_message(e, index),
        "note: rounding: the weakest condition counts for %.1e of the strongest, so errors of about "
        "%.0e are to be expected of motions at rates of one%s\n",
        h.weakest, rounding, e->order > 0 ? ", in the highest order" : "");
  }
  if (!h.near_singular) return;
  FILE *to = eval_message(e, index);
  say(to, "note: the loops are %s a singular configuration: ", h.rank < h.generic ? "in" : "near");
  if (h.rank < h.generic) {
    say(to, "%d of %d conditions that are independent elsewhere\n", h.rank, h.generic);
  } else if (h.dropped > LOOPS_TOLERANCE / 100) {
    say(to, "a condition that counts for %.1e of the strongest is left out, as dependent on the others\n", h.dropped);
  } else {
    say(to, "the weakest condition counts for %.1e of the strongest\n", h.weakest);
  }
}

/* Does the state close the loops, and its velocity keep them closed? */
static int check_closed(evaluation *e, int index) {
  const eval_state *s = e->state;
  int rows = jn_loops_rows(e->loops), nv = jn_model_nv(e->model);
  double *rate = eval_room(e, (size_t)rows * (size_t)(nv + 1)), *A = rate + rows, size, speed = 1;
  int open;
  jn_status status = find_open(e, &open, &size);
  if (status == JN_OK) status = jn_loops_constraint(e->loops, s->q, NULL, NULL, A, NULL);
  if (status != JN_OK) {
    say(eval_message(e, index), "%s\n", jn_status_text(status));
    return EXIT_BAD;
  }
  if (!(size <= tolerance()))
    return refuse(e, index, "q", jn_loop_description(e->model, open)->name, "by", size,
                  is_half_a_turn(e, open, size) ? " (half a turn: its axes point opposite ways)" : "");
  for (int r = 0; r < rows; r++) {
    rate[r] = 0;
    for (int i = 0; i < nv; i++) rate[r] += A[r * nv + i] * s->v[i];
  }
  for (int i = 0; i < nv; i++) speed = fmax(speed, fabs(s->v[i]));
  const char *loop = worst_loop(e, A, rate, &size);
  if (!(size <= tolerance() * speed)) return refuse(e, index, "v", loop, "at a rate of", size, "");
  tell_singular(e, index);
  return OPTION_GO_ON;
}

static int cannot(const evaluation *e, int state, const char *why, double size) {
  FILE *to = eval_message(e, state);
  say(to, "--assemble: %s", why);
  if (size > 0) say(to, "; they stay open by %.3g", size);
  fputc('\n', to);
  return EXIT_BAD;
}

/* The rest of the motion from the held joints, when they determine it. A prescribed acceleration stays. */
static bool complete_motion(evaluation *e, eval_state *s) {
  size_t nv = (size_t)jn_model_nv(e->model), size = ((size_t)e->order + 2) * nv;
  double *motion = eval_room(e, size);
  memcpy(motion, s->v, size * sizeof *motion);
  if (jn_loops_complete_motion(e->loops, e->order, s->held, s->q, motion) != JN_OK) return false;
  for (size_t i = 0; i < size; i++) {
    if (i < nv || !s->prescribed[i % nv]) s->v[i] = motion[i];
  }
  return true;
}

/* Says which joints are outside of their position limits, where no closed state inside them was found. */
static void tell_outside(const evaluation *e, const eval_state *s, int index, bool any_held) {
  char *outside = outside_limits_text(e->model, s->q);
  if (!outside) return;
  say(eval_message(e, index), "warning: the closed state is outside of position limits: %s; %s\n", outside,
      any_held ? "hold other joints, or other values" : "start from another q");
  free(outside);
}

static int assemble(evaluation *e, eval_state *s, int index) {
  bool any = memchr(s->held, 1, (size_t)jn_model_nv(e->model)) != NULL;
  double residual = 0, accuracy = fmax(1e-12, 10 * jn_variant_epsilon());
  jn_status status = close_inside_limits(e->model, e->loops, any ? s->held : NULL, true, accuracy, s->q, &residual);
  if (status == JN_ERR_LOOP) {
    return cannot(e, index,
                  any ? "the loops cannot be closed from this q with the held joints where they are"
                      : "the loops cannot be closed from this q",
                  residual);
  }
  if (status != JN_OK) return cannot(e, index, jn_status_text(status), 0);
  tell_outside(e, s, index, any);
  if (any && complete_motion(e, s)) return OPTION_GO_ON;
  status = jn_loops_project(e->loops, any ? s->held : NULL, s->q, s->v);
  if (status == JN_ERR_LOOP)
    return cannot(e, index, "no velocity keeps the loops closed with those of the held joints", 0);
  return status == JN_OK ? OPTION_GO_ON : cannot(e, index, jn_status_text(status), 0);
}

int eval_close_states(evaluation *e, eval_states *list, bool close, bool check) {
  int result = OPTION_GO_ON;
  for (int i = 0; i < list->count && e->loops && result == OPTION_GO_ON; i++) {
    e->state = &list->states[i];
    if (close) result = assemble(e, &list->states[i], i);
    if (check && result == OPTION_GO_ON) result = check_closed(e, i);
  }
  return result;
}

/* How much the state's acceleration opens the loops, and which most: the largest of phi'' = A a + dA v. */
static const char *opening(const evaluation *e, double *size) {
  const eval_state *s = e->state;
  int rows = jn_loops_rows(e->loops), nv = jn_model_nv(e->model);
  double *A = allocate((size_t)rows * (size_t)(nv + 1) * sizeof *A), *rate = A + rows * nv;
  const char *loop = NULL;
  if (jn_loops_constraint(e->loops, s->q, s->v, NULL, A, rate) == JN_OK) {
    for (int r = 0; r < rows; r++)
      for (int i = 0; i < nv; i++) rate[r] += A[r * nv + i] * s->a[i];
    loop = worst_loop(e, A, rate, size);
  }
  free(A);
  return loop;
}

void eval_loops_advice(const evaluation *e, const char *want, jn_status status, char *text, size_t size) {
  bool multipliers = strncmp(want, "lambda", 6) == 0 || strcmp(want, "loop_wrenches") == 0;
  bool inverse = strncmp(want, "tau", 3) == 0 || strncmp(want, "dtau", 4) == 0 || want[0] == 'Y' ||
                 strncmp(want, "joint", 5) == 0 || (multipliers && e->lambda == LAMBDA_TAU);
  int rank = 0;
  double most = 0;
  if (!e->loops) return;
  if (status == JN_ERR_UNSUPPORTED) {
    snprintf(text, size, "is not known of models with loops; --loops ignore gives that of the tree");
  } else if (status == JN_ERR_ACTUATION && !e->state->has_actuated) {
    snprintf(text, size, "the field 'actuated' is missing: the names of the joints that have a motor");
  } else if (status == JN_ERR_ACTUATION) {
    jn_loops_rank(e->loops, e->state->q, &rank);
    snprintf(text, size,
             "too few coordinates are 'actuated' for this motion: there are %d degrees of freedom; with fewer motors "
             "use 'prescribed' and --want hybrid, which lets the rest follow",
             jn_model_nv(e->model) - rank);
  } else if (status == JN_ERR_LOOP) {
    const char *loop = opening(e, &most);
    snprintf(text, size, "%s (the acceleration opens the loop '%.64s' by %.3g /s^2)%s",
             inverse ? "the motion opens the loops" : "the loops do not allow the prescribed motion", loop ? loop : "",
             most, inverse ? ": give accelerations that keep them closed, or --assemble and the field 'held'" : "");
  }
}

/* ---- What the loops are ---- */

/* Multipliers [(order+1) x m] at the start of `room`, which has lambda_room() numbers. */
static size_t lambda_room(const evaluation *e, int order) {
  size_t rows = (size_t)order + 1, nv = (size_t)jn_model_nv(e->model);
  return rows * ((size_t)jn_loops_rows(e->loops) + 3 * nv) + 3 * nv;
}

static jn_status find_lambda(const evaluation *e, int order, double *room) {
  size_t rows = (size_t)order + 1, nv = (size_t)jn_model_nv(e->model);
  double *lambda = room, *tau = lambda + rows * (size_t)jn_loops_rows(e->loops), *force = tau + rows * nv;
  double *loss = force + rows * nv, *motion = loss + 2 * nv;
  if (!e->loops) return JN_OK;
  if (e->lambda == LAMBDA_TAU) return eval_closed_inverse(e, order, force, loss, tau, lambda);
  return eval_motion(e, order, force, loss, motion, e->lambda == LAMBDA_HYBRID ? tau : NULL, lambda);
}

jn_status want_lambda(evaluation *e, json_writer *j, const char *key) {
  double *lambda = eval_room(e, lambda_room(e, 0));
  jn_status status = find_lambda(e, 0, lambda);
  if (status == JN_OK && j) emit_numbers(j, key, lambda, jn_loops_rows(e->loops));
  return status;
}

jn_status want_lambda_jets(evaluation *e, json_writer *j, const char *key) {
  double *lambda = eval_room(e, lambda_room(e, e->order));
  jn_status status = find_lambda(e, e->order, lambda);
  if (status == JN_OK && j) emit_matrix(j, key, lambda, e->order + 1, jn_loops_rows(e->loops));
  return status;
}

jn_status want_loop_wrenches(evaluation *e, json_writer *j, const char *key) {
  int count = jn_loop_count(e->model);
  double *lambda = eval_room(e, lambda_room(e, 0) + 12 * (size_t)count), *W = lambda + lambda_room(e, 0);
  jn_status status = find_lambda(e, 0, lambda);
  if (status == JN_OK && e->loops) status = jn_loops_wrenches(e->loops, e->state->q, lambda, W);
  if (status != JN_OK || !j) return status;
  emit_open_object(j, key);
  for (int i = 0; i < count; i++) {
    if (jn_loop_description(e->model, i)->type == JN_LOOP_COUPLING) continue; /* a force on coordinates */
    emit_open_object(j, jn_loop_description(e->model, i)->name);
    emit_numbers(j, "a", W + 12 * i, 6);
    emit_numbers(j, "b", W + 12 * i + 6, 6);
    emit_close_object(j);
  }
  emit_close_object(j);
  return JN_OK;
}

jn_status want_constraint(evaluation *e, json_writer *j, const char *key) {
  int rows = jn_loops_rows(e->loops);
  double *phi = eval_room(e, (size_t)rows);
  jn_status status = e->loops ? jn_loops_constraint(e->loops, e->state->q, NULL, phi, NULL, NULL) : JN_OK;
  if (status == JN_OK && j) emit_numbers(j, key, phi, rows);
  return status;
}

jn_status want_constraint_matrix(evaluation *e, json_writer *j, const char *key) {
  int rows = jn_loops_rows(e->loops), nv = jn_model_nv(e->model);
  double *A = eval_room(e, (size_t)rows * (size_t)nv);
  jn_status status = e->loops ? jn_loops_constraint(e->loops, e->state->q, NULL, NULL, A, NULL) : JN_OK;
  if (status == JN_OK && j) emit_matrix(j, key, A, rows, nv);
  return status;
}

jn_status want_mobility(evaluation *e, json_writer *j, const char *key) {
  jn_loops_health h = {.weakest = 1};
  jn_status status = e->loops ? jn_loops_health_at(e->loops, e->state->q, &h, NULL) : JN_OK;
  if (status != JN_OK || !j) return status;
  emit_open_line(j, key);
  emit_integer(j, "rows", jn_loops_rows(e->loops));
  emit_integer(j, "rank", h.rank);
  emit_integer(j, "mobility", jn_model_nv(e->model) - h.rank);
  emit_number(j, "weakest", h.weakest);
  emit_bool(j, "near_singular", h.near_singular);
  emit_close_object(j);
  return JN_OK;
}
