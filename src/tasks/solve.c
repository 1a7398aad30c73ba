/* SPDX-License-Identifier: BSD-2-Clause */
/* The search for a configuration that has the targets. The damping of each level is `factor` times its cost, so that it
 * vanishes near a solution, where steps become those of Newton; the factor falls while the linear model is right about
 * the next cost, and grows when it is not. Where costs fall slowly, because errors stay, the second derivatives of the
 * first priority count, too (curvature.c). */
#include <float.h>
#include <math.h>
#include <string.h>

#include "../model/stop.h"
#include "tasks.h"

enum { SLOW_STEPS = 3 }; /* in a row, after which second derivatives count */

/* One search, from one start. */
typedef struct search {
  const double *target;
  double factor;
  int iterations;
  int slow;      /* steps in a row that gained little */
  int impatient; /* there are other starts, so that one that hardly advances is given up */
  int reached, stationary;
} search;

const char *jn_reach_text(jn_reach_outcome outcome) {
#define JN_REACH_TEXT(code, text) text,
  static const char *const texts[] = {JN_REACH_LIST(JN_REACH_TEXT)};
#undef JN_REACH_TEXT
  return (int)outcome >= 0 && outcome < JN_REACH_OUTCOMES ? texts[outcome] : NULL;
}

static void find_costs(const jn_tasks *t, const double *e, double *cost) {
  for (int level = 0; level < t->levels; level++) {
    cost[level] = 0;
    for (int i = t->level_row[level]; i < t->level_row[level + 1]; i++) cost[level] += 0.5 * e[i] * e[i];
  }
}

/* Are rows of the levels before `end` at their targets? NaN is not. */
static int is_reached(const jn_tasks *t, int end) {
  if (t->loops && !(t->gap <= t->options.accuracy)) return 0;
  for (int i = t->loop_rows; i < t->level_row[end]; i++)
    if (!(fabs(t->e[i]) <= t->options.accuracy * t->weight[i])) return 0;
  return 1;
}

/* Levels that have to be reached: loops, and the first priority. */
static int levels_needed(const jn_tasks *t) {
  int needed = (t->loop_rows > 0) + 1;
  return needed < t->levels ? needed : t->levels;
}

static jn_status begin_at(jn_tasks *t, search *s, double *q) {
  jn__tasks_clamp(t, q);
  jn_status status = jn__tasks_errors(t, q, s->target, t->e);
  if (status == JN_OK) status = jn__tasks_gradient(t, q);
  find_costs(t, t->e, t->cost);
  s->factor = 0.1;
  s->iterations = s->reached = s->stationary = s->slow = 0;
  t->bent = 0;
  return status;
}

/* Costs of these. */
static double cost_needed(const jn_tasks *t) {
  double sum = 0;
  for (int level = 0; level < levels_needed(t); level++) sum += t->cost[level];
  return sum;
}

/* The first level that is not reached and at which the step should help: the costs to it, now, and as the linear model
 * and the trial have it. 0: nothing is to be gained. */
static int find_merit(const jn_tasks *t, double *now, double *predicted, double *trial) {
  double tiny = 1e-4 * t->options.accuracy * t->options.accuracy;
  *now = *predicted = *trial = 0;
  for (int level = 0; level < t->levels; level++) {
    *now += t->cost[level];
    *predicted += t->predicted[level];
    *trial += t->cost_trial[level];
    if (*now - *predicted > t->grain * *now + tiny && !is_reached(t, level + 1)) return 1;
  }
  return 0;
}

/* The merit of costs by levels: an exact penalty. Errors of a level count by their length, times what a change of them
 * can be worth to the levels below (their errors now, a few times), so that steps for lower priorities may disturb
 * those above by a little, which the next step mends, but are not paid for by them in the end. */
static double merit_of(const jn_tasks *t, const double *cost) {
  double below = 0, merit = 0;
  for (int level = t->levels - 1; level >= 0; level--) {
    merit += level == t->levels - 1 ? cost[level] : 4 * sqrt(2 * below) * sqrt(2 * cost[level]);
    below += t->cost[level];
  }
  return merit;
}

/* How much of the decrease that the linear model expects came true. */
static double gain_ratio(const jn_tasks *t, double now, double predicted, double trial) {
  if (t->levels == 1) return (now - trial) / (now - predicted);
  double before = merit_of(t, t->cost), expected = before - merit_of(t, t->predicted);
  if (expected > t->grain * before) return (before - merit_of(t, t->cost_trial)) / expected;
  return (now - trial) / (now - predicted);
}

/* One step from q, taken if it helps. */
static jn_status iterate(jn_tasks *t, search *s, double *q) {
  double now, predicted, trial;
  jn__tasks_bounds(t, q, t->step.lo, t->step.hi);
  jn__tasks_step(t, s->factor);
  if (!find_merit(t, &now, &predicted, &trial)) {
    s->stationary = 1;
    return JN_OK;
  }
  jn_status status = jn_integrate(t->model, t->work, q, t->step.x, t->q_trial);
  if (status != JN_OK) return status;
  jn__tasks_clamp(t, t->q_trial);
  double gap = t->gap;
  status = jn__tasks_errors(t, t->q_trial, s->target, t->e_trial);
  if (status != JN_OK) return status;
  find_costs(t, t->e_trial, t->cost_trial);
  find_merit(t, &now, &predicted, &trial);
  double ratio = gain_ratio(t, now, predicted, trial);
  if (!(ratio > 1e-3)) {
    t->gap = gap;
    s->factor *= 10;
    s->stationary = !(s->factor < 1e12);
    return JN_OK;
  }
  if (ratio > 0.7) s->factor = fmax(0.2 * s->factor, 1e-9);
  if (ratio < 0.3) s->factor *= 3;
  double before = cost_needed(t);
  memcpy(q, t->q_trial, sizeof(double) * (size_t)t->nq);
  memcpy(t->e, t->e_trial, sizeof(double) * (size_t)t->m);
  find_costs(t, t->e, t->cost);
  status = jn__tasks_gradient(t, q);
  double after = cost_needed(t); /* a step for lower priorities may make it grow */
  s->slow = after > 0.5 * before && after <= before ? s->slow + 1 : 0;
  t->bent = 0;
  int bends = s->slow >= SLOW_STEPS && !s->impatient && !is_reached(t, levels_needed(t));
  return status == JN_OK && bends ? jn__tasks_find_curvature(t, q) : status;
}

/* Steps of lower priorities disturb the first a little: it has the last word. */
static jn_status finish_needed(jn_tasks *t, search *s, double *q) {
  int levels = t->levels, stationary = s->stationary;
  jn_status status = JN_OK;
  t->levels = levels_needed(t);
  for (int i = 0; i < 5 && t->levels < levels && status == JN_OK && !is_reached(t, t->levels); i++) {
    s->iterations++;
    status = jn__is_stopped() ? JN_ERR_STOPPED : iterate(t, s, q);
  }
  s->reached = is_reached(t, t->levels);
  s->stationary = stationary;
  t->levels = levels;
  return status;
}

static jn_status run_search(jn_tasks *t, search *s, int impatient, double *q) {
  double before = INFINITY;
  s->impatient = impatient;
  jn_status status = begin_at(t, s, q);
  while (status == JN_OK) {
    if (is_reached(t, t->levels)) {
      s->reached = 1;
      break;
    }
    if (s->stationary || s->iterations >= t->options.iterations) break;
    if (impatient && s->iterations % 8 == 7) {
      double cost = cost_needed(t);
      if (cost > 0.5 * before && !is_reached(t, levels_needed(t))) break;
      before = cost;
    }
    s->iterations++;
    status = jn__is_stopped() ? JN_ERR_STOPPED : iterate(t, s, q);
  }
  if (status == JN_OK && !s->reached) status = finish_needed(t, s, q);
  return status;
}

/* ---- what is reported ---- */

static void describe_errors(const jn_tasks *t, jn_reach *reach) {
  double worst = 0;
  reach->angle = reach->distance = 0;
  reach->gap = t->loops ? t->gap : 0;
  reach->worst = JN_NONE;
  for (int i = 0; i < t->count; i++) {
    const task_item *s = &t->item[i];
    double squares[2] = {0}; /* of angles, of lengths */
    for (int row = s->first; row < s->first + s->count; row++) {
      double e = fabs(t->e[row]) / t->weight[row];
      squares[t->is_length[row]] += e * e;
      if (!(e <= t->options.accuracy) && !(e <= worst)) worst = e, reach->worst = i;
    }
    if (!(sqrt(squares[0]) <= reach->angle)) reach->angle = sqrt(squares[0]);
    if (!(sqrt(squares[1]) <= reach->distance)) reach->distance = sqrt(squares[1]);
  }
}

static void describe(jn_tasks *t, const search *s, const double *q, signed char *active, jn_reach *reach) {
  describe_errors(t, reach);
  jn__tasks_rank(t, reach);
  reach->limits = jn__tasks_active(t, q, active);
  reach->outcome = JN_REACHED;
  if (s->reached) return;
  reach->outcome = s->stationary ? JN_REACH_SHORT : JN_REACH_ITERATIONS;
  for (int i = 0; i < t->nv && s->stationary; i++) {
    double x = t->place[i] < 0 ? NAN : q[t->place[i]];
    if ((t->step.state[i] > 0 && x >= t->upper[i]) || (t->step.state[i] < 0 && x <= t->lower[i]))
      reach->outcome = JN_REACH_LIMITS;
  }
  if (t->loops && !(t->gap <= t->options.accuracy)) reach->outcome = JN_REACH_LOOPS;
}

/* ---- starts ---- */

/* Is what was found now better than the best so far? `near` is the distance to the first start. */
typedef struct best_search {
  int any, reached;
  double cost, near;
  search search;
} best_search;

static double distance_to(jn_tasks *t, const double *from, const double *to) {
  double sum = 0;
  if (jn_difference(t->model, t->work, from, to, t->step.d) != JN_OK) return INFINITY;
  for (int i = 0; i < t->nv; i++) sum += t->metric[i] * t->step.d[i] * t->step.d[i];
  return sum;
}

static void keep_best(jn_tasks *t, best_search *best, const search *s, const double *q) {
  double cost = cost_needed(t), near = t->options.nearest ? distance_to(t, t->q_start, q) : 0;
  int better = !best->any || s->reached > best->reached;
  if (!better && s->reached == best->reached) better = s->reached ? near < best->near : cost < best->cost;
  if (!better) return;
  *best = (best_search){.any = 1, .reached = s->reached, .cost = cost, .near = near, .search = *s};
  memcpy(t->q_best, q, sizeof(double) * (size_t)t->nq);
}

jn_status jn__tasks_solve_from(jn_tasks *t, const double *target, uint64_t seed, double *q, signed char *active,
                               jn_reach *reach) {
  int starts = t->options.starts, made = 0, iterations = 0;
  search s = {.target = target};
  best_search best = {0};
  uint64_t state = seed;
  jn_reach own;
  if (!reach) reach = &own;
  if (starts > 1) memcpy(t->q_start, q, sizeof(double) * (size_t)t->nq);
  for (; made < starts; made++) {
    jn_status status = made > 0 ? jn_random(t->model, &state, q) : JN_OK;
    if (status == JN_OK) status = run_search(t, &s, starts > 1, q);
    if (status != JN_OK) return status;
    iterations += s.iterations;
    if (starts == 1) continue;
    keep_best(t, &best, &s, q);
    if (s.reached && !t->options.nearest) {
      made++;
      break;
    }
  }
  if (starts > 1 && (t->options.nearest || !s.reached)) { /* back to the best of them, patiently */
    memcpy(q, t->q_best, sizeof(double) * (size_t)t->nq);
    jn_status status = run_search(t, &s, 0, q);
    if (status != JN_OK) return status;
    iterations += s.iterations;
  }
  describe(t, &s, q, active, reach);
  reach->starts = made;
  reach->iterations = iterations;
  return reach->outcome == JN_REACHED ? JN_OK : JN_ERR_REACH;
}

jn_status jn__tasks_solve_once(jn_tasks *t, const double *target, double *q, signed char *active, jn_reach *reach) {
  search s = {.target = target};
  jn_status status = run_search(t, &s, 0, q);
  if (status != JN_OK) return status;
  describe(t, &s, q, active, reach);
  reach->starts = 1;
  reach->iterations = s.iterations;
  return reach->outcome == JN_REACHED ? JN_OK : JN_ERR_REACH;
}

jn_status jn_tasks_solve(jn_tasks *t, const double *target, double *q, signed char *active, jn_reach *reach) {
  if (!t || !target || !q) return JN_ERR_NULL;
  return jn__tasks_solve_from(t, target, t->options.seed, q, active, reach);
}
