/* SPDX-License-Identifier: BSD-2-Clause */
/* Many targets: on threads, a block of them at a time; and one pose or position each in lanes (lanes.h): the searches
 * of TASK_SLOTS targets go on together, and each slot takes the next start or the next target when its search has
 * ended. What a search does depends on its own target and start only, so the answers do not depend on threads or on
 * each other. Searches in lanes are impatient, as those with many starts are: where all starts fail, the best of them
 * is taken up by the patient search of solve.c, which also describes the answers. */
#include <math.h>
#include <string.h>

#if JN_WITH_OPENMP
#include <omp.h>
#endif

#include "../model/stop.h"
#include "lanes.h"

/* A block of targets. */
typedef struct task_block {
  jn_tasks *t;
  const double *target;
  double *q;
  jn_reach *reach; /* or NULL */
  size_t first, next, end;
  uint64_t seed;
  int worst; /* 0: all are reached, 1: one is not, 2 + status: an error */
} task_block;

int jn__tasks_fit_lanes(const jn_tasks *t) {
  const task_item *s = t->item;
  if (t->count != 1 || t->loops || t->nq != t->nv || t->nv > LANE_COORDINATES) return 0;
  if (s->task.reference != JN_WORLD) return 0;
  return s->task.type == JN_TASK_POSITION || (s->task.type == JN_TASK_POSE && !s->uneven);
}

static void note(task_block *b, jn_status status) {
  int rank = status == JN_OK ? 0 : status == JN_ERR_REACH ? 1 : 2 + (int)status; /* other errors count more */
  if (rank > b->worst) b->worst = rank;
}

static uint64_t seed_of(const task_block *b, size_t i) { return b->seed + 0x9E3779B97F4A7C15u * i; }

/* ---- one slot ---- */

static void begin_start(jn_tasks *t, int k) {
  task_slot *s = &t->lanes->slot[k];
  double *q = t->lanes->q + k * t->nq;
  jn__tasks_clamp(t, q);
  memcpy(t->lanes->trial + k * t->nq, q, sizeof(double) * (size_t)t->nq);
  s->fresh = 1;
  s->here = 0;
  s->factor = 0.1;
  s->before = INFINITY;
}

/* The next target, if there is one. */
static void begin_target(task_block *b, int k) {
  jn_tasks *t = b->t;
  task_slot *s = &t->lanes->slot[k];
  s->busy = b->next < b->end;
  if (!s->busy) return;
  *s = (task_slot){.target = b->next++, .busy = 1};
  s->seed = seed_of(b, s->target);
  memcpy(t->lanes->q + k * t->nq, b->q + s->target * (size_t)t->nq, sizeof(double) * (size_t)t->nq);
  begin_start(t, k);
}

/* The answer of a slot is q; what is said of it comes from a search that is there already, or goes on patiently. */
static void end_target(task_block *b, int k, const double *q, int reached) {
  jn_tasks *t = b->t;
  task_slot *s = &t->lanes->slot[k];
  double *to = b->q + s->target * (size_t)t->nq;
  memcpy(to, q, sizeof(double) * (size_t)t->nq);
  if (!reached || b->reach) {
    jn_reach own, *reach = b->reach ? b->reach + s->target : &own;
    note(b, jn__tasks_solve_once(t, b->target + s->target * (size_t)t->targets, to, NULL, reach));
    reach->starts = s->made + 1;
    reach->iterations += s->all;
  }
  begin_target(b, k);
}

/* A start came to nothing: the next one, or the end. */
static void end_start(task_block *b, int k) {
  jn_tasks *t = b->t;
  task_lanes *l = t->lanes;
  task_slot *s = &l->slot[k];
  double *q = l->q + k * t->nq, *best = l->best + k * t->nq;
  if (!s->any || s->cost < s->best_cost) {
    memcpy(best, q, sizeof(double) * (size_t)t->nq);
    s->best_cost = s->cost;
    s->any = 1;
  }
  if (s->made + 1 < t->options.starts && jn_random(t->model, &s->seed, q) == JN_OK) {
    s->made++;
    begin_start(t, k);
  } else {
    end_target(b, k, best, 0);
  }
}

/* Errors of slot k at its trial, e [m], weighted; their cost. */
static double trial_cost(task_block *b, int k, double *e) {
  jn_tasks *t = b->t;
  task_item *item = t->item;
  double all[6] = {0}, cost = 0;
  memcpy(item->X, t->lanes->T + 16 * k, sizeof item->X);
  if (jn__tasks_pose_error(item, b->target + t->lanes->slot[k].target * (size_t)t->targets, all) != JN_OK) return NAN;
  for (int i = 0; i < t->m; i++) {
    e[i] = t->weight[i] * all[item->pick[i]];
    cost += 0.5 * e[i] * e[i];
  }
  return cost;
}

static int is_reached(const jn_tasks *t, const double *e) {
  for (int i = 0; i < t->m; i++)
    if (!(fabs(e[i]) <= t->options.accuracy * t->weight[i])) return 0;
  return 1;
}

/* Takes the trial of a slot, or not, as solve.c does; goes on to the next start or target where the search ends. */
static void judge(task_block *b, int k) {
  jn_tasks *t = b->t;
  task_lanes *l = t->lanes;
  task_slot *s = &l->slot[k];
  double e[LANE_ROWS], cost = trial_cost(b, k, e), ratio = 1;
  if (!s->fresh) {
    s->here++;
    s->all++;
    ratio = (s->cost - cost) / (s->cost - l->predicted[k]);
    if (ratio > 0.7) s->factor = fmax(0.2 * s->factor, 1e-9);
    if (ratio < 0.3 && ratio > 1e-3) s->factor *= 3;
    if (!(ratio > 1e-3)) s->factor *= 10;
  }
  if (ratio > 1e-3) {
    memcpy(l->q + k * t->nq, l->trial + k * t->nq, sizeof(double) * (size_t)t->nq);
    memcpy(l->error + 6 * k, e, sizeof e);
    s->cost = cost;
    s->fresh = 0;
    if (is_reached(t, e)) {
      end_target(b, k, l->q + k * t->nq, 1);
      return;
    }
  }
  int stuck = !(s->factor < 1e12) || s->here >= t->options.iterations || isnan(s->cost);
  if (!stuck && s->here % 8 == 7) {
    stuck = s->cost > 0.5 * s->before;
    s->before = s->cost;
  }
  if (stuck) end_start(b, k);
}

/* ---- all slots ---- */

/* Rows of the task, bounds and damping of slot k, into the lanes. */
static void fill_lane(jn_tasks *t, int k) {
  task_lanes *l = t->lanes;
  const task_slot *s = &l->slot[k];
  const double *J6 = l->J6 + k * 6 * t->nv, *T = l->T + 16 * k, *q = l->q + k * t->nq;
  int n = t->nv, is_pose = t->item->task.type == JN_TASK_POSE, idle = !s->busy || s->fresh;
  for (int i = 0; i < t->m; i++) {
    int row = t->item->pick[i];
    const double *v = J6 + 3 * n, *R = T + 4 * row;
    l->e[i * TASK_SLOTS + k] = idle ? 0 : l->error[6 * k + i];
    for (int c = 0; c < n; c++) {
      double x = is_pose ? J6[row * n + c] : R[0] * v[c] + R[1] * v[n + c] + R[2] * v[2 * n + c];
      l->J[(i * n + c) * TASK_SLOTS + k] = t->weight[i] * x;
    }
  }
  l->mu[k] = idle ? 1 : s->factor * s->cost;
  double longest = t->options.longest_step;
  for (int v = 0; v < n; v++) {
    l->lo[v * TASK_SLOTS + k] = fmax(t->lower[v] - q[t->place[v]], -longest);
    l->hi[v * TASK_SLOTS + k] = fmin(t->upper[v] - q[t->place[v]], longest);
  }
}

/* The next trial of slot k; the search ends where the step promises nothing. */
static void take_step(task_block *b, int k) {
  jn_tasks *t = b->t;
  task_lanes *l = t->lanes;
  task_slot *s = &l->slot[k];
  double tiny = 1e-4 * t->options.accuracy * t->options.accuracy, *trial = l->trial + k * t->nq;
  if (!s->busy || s->fresh) return;
  if (!(s->cost - l->predicted[k] > t->grain * s->cost + tiny)) {
    end_start(b, k);
    return;
  }
  memcpy(trial, l->q + k * t->nq, sizeof(double) * (size_t)t->nq);
  for (int v = 0; v < t->nv; v++) trial[t->place[v]] += l->x[v * TASK_SLOTS + k];
  jn__tasks_clamp(t, trial);
}

static jn_status solve_in_lanes(task_block *b) {
  jn_tasks *t = b->t;
  task_lanes *l = t->lanes;
  int busy = 0;
  jn_status status = JN_OK;
  for (int k = 0; k < TASK_SLOTS; k++) {
    jn_neutral(t->model, l->q + k * t->nq); /* slots without a target */
    memcpy(l->trial + k * t->nq, l->q + k * t->nq, sizeof(double) * (size_t)t->nq);
    begin_target(b, k);
    busy += l->slot[k].busy;
  }
  while (busy && status == JN_OK) {
    if (jn__is_stopped()) return JN_ERR_STOPPED;
    status = jn_frame_pose_batch(l->batch, TASK_SLOTS, t->item->task.frame, l->trial, l->T);
    for (int k = 0; k < TASK_SLOTS && status == JN_OK; k++)
      if (l->slot[k].busy) judge(b, k);
    if (status == JN_OK && t->item->task.type == JN_TASK_POSITION) /* whose rows take the rotation at q */
      status = jn_frame_pose_batch(l->batch, TASK_SLOTS, t->item->task.frame, l->q, l->T);
    if (status == JN_OK)
      status = jn_frame_jacobian_batch(l->batch, TASK_SLOTS, t->item->task.frame, JN_IN_BODY, l->q, l->J6);
    for (int k = 0; k < TASK_SLOTS && status == JN_OK; k++) fill_lane(t, k);
    if (status == JN_OK) l->steps(l);
    busy = 0;
    for (int k = 0; k < TASK_SLOTS && status == JN_OK; k++) {
      take_step(b, k);
      busy += l->slot[k].busy;
    }
  }
  return status;
}

static void solve_block(task_block *b) {
  jn_tasks *t = b->t;
  if (t->lanes && !t->options.nearest) {
    jn_status status = solve_in_lanes(b);
    if (status != JN_OK) note(b, status);
    return;
  }
  for (size_t i = b->first; i < b->end; i++)
    note(b, jn__tasks_solve_from(t, b->target + i * (size_t)t->targets, seed_of(b, i), b->q + i * (size_t)t->nq, NULL,
                                 b->reach ? b->reach + i : NULL));
}

jn_status jn_tasks_solve_batch(jn_tasks *t, size_t count, const double *target, double *q, jn_reach *reach) {
  enum { ONE_BY_ONE = 16, IN_LANES = 512 };
  if (!t || (count > 0 && (!target || !q))) return JN_ERR_NULL;
  if (count > PTRDIFF_MAX / sizeof(double) / (size_t)(t->nq + t->targets + 1)) return JN_ERR_SIZE;
  int worst = JN_OK, threads = t->options.threads;
  jn_stop stop = jn__stop_get();
  size_t size = t->lanes && !t->options.nearest ? IN_LANES : ONE_BY_ONE, blocks = (count + size - 1) / size;
#if JN_WITH_OPENMP
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1) reduction(max : worst) if (threads > 1)
#endif
  for (size_t i = 0; i < blocks; i++) {
#if JN_WITH_OPENMP
    int own = omp_get_thread_num();
#else
    int own = 0;
#endif
    size_t first = i * size, end = first + size < count ? first + size : count;
    task_block b = {.t = own == 0 ? t : t->more[own - 1],
                    .target = target,
                    .q = q,
                    .reach = reach,
                    .first = first,
                    .next = first,
                    .end = end,
                    .seed = t->options.seed};
    jn_stop before = jn__stop_get();
    jn__stop_put(stop); /* this may be another thread than that of the caller */
    if (jn__is_stopped())
      b.worst = JN_ERR_STOPPED + 2;
    else
      solve_block(&b);
    jn__stop_put(before);
    if (b.worst > worst) worst = b.worst;
  }
  (void)threads;
  return worst == 0 ? JN_OK : worst == 1 ? JN_ERR_REACH : (jn_status)(worst - 2);
}
