/* SPDX-License-Identifier: BSD-2-Clause */
/* A jn_tasks: its tasks with the places of their numbers, and all memory that solving takes, in one block. */
#include <math.h>
#include <string.h>

#if JN_WITH_OPENMP
#include <omp.h>
#endif

#include "../dense/vectors.h"
#include "../model/memory.h"
#include "../model/model.h"
#include "../model/shelf.h"
#include "lanes.h"
#include "tasks.h"

const char *jn_task_type_name(jn_task_type type) {
#define JN_TASK_NAME(code, name) name,
  static const char *const names[] = {JN_TASK_LIST(JN_TASK_NAME)};
#undef JN_TASK_NAME
  return (int)type >= 0 && type < JN_TASK_TYPES ? names[type] : NULL;
}

void jn_task_init(jn_task *task) {
  if (!task) return;
  *task = (jn_task){.size = sizeof *task, .reference = JN_WORLD, .axis = {0, 0, 1}};
  for (int i = 0; i < 6; i++) task->weight[i] = 1;
}

void jn_tasks_options_init(jn_tasks_options *options) {
  if (!options) return;
  *options = (jn_tasks_options){.size = sizeof *options,
                                .accuracy = fmax(1e-12, 100 * jn_variant_epsilon()),
                                .iterations = 100,
                                .starts = 1,
                                .seed = 1,
                                .longest_step = 1,
                                .weak = fmax(1e-6, 100 * jn_variant_epsilon()),
                                .threads = 1,
                                .margin = 0.1};
}

/* ---- checks ---- */

static int is_positive(double x) { return x > 0 && x < INFINITY; }

static jn_status check_options(const jn_model *model, const jn_tasks_options *o) {
  if (o->size != sizeof *o) return JN_ERR_INIT;
  if (o->order < 0 || o->order > JN_MAX_ORDER - 1 || o->iterations < 1 || o->starts < 1 || o->threads < 0 ||
      !is_positive(o->accuracy) || !is_positive(o->longest_step) || !is_positive(o->weak) ||
      !(o->gain >= 0 && o->gain < INFINITY) || (o->gain > 0 && !o->posture) ||
      !(o->margin >= 0 && o->margin < INFINITY))
    return JN_ERR_SIZE;
  for (int i = 0; i < jn_model_nv(model) && o->metric; i++)
    if (!is_positive(o->metric[i])) return JN_ERR_SIZE;
  return JN_OK;
}

static jn_status check_task(const jn_model *model, const jn_task *task) {
  int frames = jn_frame_count(model), links = jn_link_count(model);
  double sum = 0;
  if (task->size != sizeof *task) return JN_ERR_INIT;
  if ((int)task->type < 0 || task->type >= JN_TASK_TYPES || task->priority < 0) return JN_ERR_SIZE;
  for (int i = 0; i < 6; i++) {
    if (!(task->weight[i] >= 0 && task->weight[i] < INFINITY)) return JN_ERR_SIZE;
    sum += task->weight[i];
  }
  if (!(sum > 0)) return JN_ERR_SIZE;
  if (task->type == JN_TASK_DIRECTION && !is_positive(dot3(task->axis, task->axis))) return JN_ERR_SIZE;
  if (task->type == JN_TASK_CENTER_OF_MASS)
    return task->frame >= JN_WORLD && task->frame < links ? JN_OK : JN_ERR_INDEX;
  if (task->type == JN_TASK_JOINT) return jn_joint_nv(model, task->frame) > 0 ? JN_OK : JN_ERR_INDEX;
  if (task->frame < 0 || task->frame >= frames) return JN_ERR_INDEX;
  return task->reference >= JN_WORLD && task->reference < frames ? JN_OK : JN_ERR_INDEX;
}

/* ---- tasks ---- */

/* How many numbers and rows a task has. */
static void find_size(const jn_model *model, task_item *s) {
  static const int numbers[] = {16, 3, 9, 3, 1, 3, 0}, rows[] = {6, 3, 3, 3, 1, 3, 0};
  s->numbers = numbers[s->task.type];
  s->rows = rows[s->task.type];
  if (s->task.type == JN_TASK_JOINT) {
    s->numbers = jn_joint_nq(model, s->task.frame);
    s->rows = jn_joint_nv(model, s->task.frame);
  }
}

static void find_rows(task_item *s) {
  const double *w = s->task.weight;
  int rows = s->rows;
  s->count = 0;
  if (s->task.type == JN_TASK_DIRECTION) rows = 2;
  int one = s->task.type == JN_TASK_DIRECTION || s->task.type == JN_TASK_JOINT;
  for (int i = 0; i < rows; i++)
    if (w[one ? 0 : i] > 0) s->pick[s->count++] = i;
  if (s->task.type == JN_TASK_POSE) s->uneven = !(w[0] == w[1] && w[1] == w[2] && w[3] == w[4] && w[4] == w[5]);
  if (s->task.type == JN_TASK_ORIENTATION) s->uneven = !(w[0] == w[1] && w[1] == w[2]);
  s->about = -1;
  if (s->task.type != JN_TASK_POSE && s->task.type != JN_TASK_ORIENTATION) return;
  s->partial = s->count < s->rows;
  for (int i = 0; i < 3; i++) s->turns += w[i] > 0;
  for (int i = 0; i < 3 && s->turns == 2; i++)
    if (w[i] == 0) s->about = i;
}

/* Two unit vectors across the axis, which becomes one, too. */
static void find_across(task_item *s) {
  double *a = s->task.axis, size = sqrt(dot3(a, a)), x[3] = {0};
  if (s->task.type != JN_TASK_DIRECTION) return;
  for (int i = 0; i < 3; i++) a[i] /= size;
  int least = fabs(a[0]) < fabs(a[1]) ? 0 : 1;
  if (fabs(a[2]) < fabs(a[least])) least = 2;
  x[least] = 1;
  cross3(a, x, s->across[0]);
  size = sqrt(dot3(s->across[0], s->across[0]));
  for (int i = 0; i < 3; i++) s->across[0][i] /= size;
  cross3(a, s->across[0], s->across[1]);
}

static int next_priority(const jn_tasks *t, int after) {
  int next = -1;
  for (int i = 0; i < t->count; i++) {
    int p = t->item[i].task.priority;
    if (p > after && (next < 0 || p < next)) next = p;
  }
  return next;
}

/* Whether a coordinate of a joint is a length. */
static int is_length(const jn_model *model, int joint, int number) {
  const jn_joint *j = jn_joint_description(model, joint);
  switch (j->type) {
    case JN_PRISMATIC:
      return 1;
    case JN_CYLINDRICAL:
      return number == 1;
    case JN_PLANAR:
      return number < 2;
    case JN_FREE:
      return number >= 3;
    case JN_GENERAL:
      return !(dot3(j->screws[number], j->screws[number]) > 0);
    default:
      return 0;
  }
}

static void fill_row(jn_tasks *t, const task_item *s, int i) {
  int row = s->first + i, pick = s->pick[i], type = (int)s->task.type;
  int one = type == JN_TASK_DIRECTION || type == JN_TASK_JOINT;
  t->weight[row] = s->task.weight[one ? 0 : pick];
  t->is_length[row] = type == JN_TASK_POSITION || type == JN_TASK_DISTANCE || type == JN_TASK_CENTER_OF_MASS ||
                      (type == JN_TASK_POSE && pick >= 3) ||
                      (type == JN_TASK_JOINT && is_length(t->model, s->task.frame, i));
}

/* Levels and rows, in the order of priorities. */
static void place_rows(jn_tasks *t) {
  int row = t->loop_rows, level = 0;
  if (t->loop_rows > 0) t->level_row[level++] = 0;
  for (int r = 0; r < t->loop_rows; r++) t->weight[r] = 1;
  for (int p = next_priority(t, -1); p >= 0; p = next_priority(t, p), level++) {
    t->level_row[level] = row;
    for (int i = 0; i < t->count; i++) {
      task_item *s = &t->item[i];
      if (s->task.priority != p) continue;
      s->level = level;
      s->first = row;
      for (int k = 0; k < s->count; k++) fill_row(t, s, k);
      row += s->count;
    }
  }
  t->level_row[level] = row;
}

/* ---- memory ---- */

static void place_step(jn_shelf *s, task_step *x, int n, int m) {
  x->H = reals(s, n, n, 1);
  x->g = reals(s, n, 1, 1);
  x->d = reals(s, n, 1, 1);
  x->x = reals(s, n, 1, 1);
  x->lo = reals(s, n, 1, 1);
  x->hi = reals(s, n, 1, 1);
  x->state = place(s, (size_t)n, sizeof(int));
  x->place = place(s, (size_t)n, sizeof(int));
  x->Q = reals(s, n, m, 1);
  x->beta = reals(s, 3 * n + m, 1, 1);
  x->pivot = place(s, (size_t)m, sizeof(int));
  x->N = reals(s, n, n, 1);
  x->JN = reals(s, m, n, 1);
  x->r = reals(s, m, 1, 1);
  x->z = reals(s, m + 2 * n, 1, 1);
}

static void place_motion(jn_shelf *s, jn_tasks *t) {
  int n = t->nv, m = t->m, K = t->options.order + 2;
  jn__tasks_priorities_size(t, &t->size, &t->equations);
  int least = m + n + t->rows, wide = t->size > least ? t->size : least,
      high = t->equations > least ? t->equations : least;
  t->cod.U = reals(s, wide, high, 1);
  t->cod.V = reals(s, wide, wide, 1);
  t->cod.s = reals(s, wide, 1, 1);
  t->cod.y = reals(s, wide > high ? wide : high, 1, 1);
  t->cod.pivot = place(s, (size_t)wide, sizeof(int));
  t->big = reals(s, high, wide, 1);
  t->J_jet = reals(s, K, t->rows, n);
  t->C_jet = reals(s, K, m, n);
  t->G_jet = reals(s, K, m, n);
  t->ease_jet = reals(s, K, n, 1);
  t->side_jet = reals(s, K, 2, 1);
  t->y_jet = reals(s, K, t->rows, 1);
  t->D_jet = reals(s, K + 1, 9, 1);
  t->d_jet = reals(s, K + 1, 3, 1);
  t->v_jet = reals(s, K + 2, n, 1);
  t->R_jet = reals(s, K + 1, 9, 1);
  t->p_jet = reals(s, K + 1, 3, 1);
  t->V_jet = reals(s, K, 6, 1);
  t->u_jet = reals(s, K, 4, 1);
  t->x_jet = reals(s, K, wide, 1);
  t->right = reals(s, wide + high + m + 2 * t->rows, 1, 1);
  t->M_jet = reals(s, K, n, n);
  t->Y_jet = reals(s, K, n, t->rows);
  t->Z_jet = reals(s, K, t->loop_rows, t->rows);
  t->B_jet = reals(s, K, t->rows, t->rows);
  t->L_jet = reals(s, K, t->rows, t->rows);
  t->tau_jet = reals(s, K, n, 2);
  t->factor = reals(s, n, n, 1);
  t->target = reals(s, t->targets, 2, 1);
  t->rate_jet = reals(s, K, t->rows, 1);
  t->follow_jet = reals(s, K, n, 1);
}

static void place_lanes(jn_shelf *s, jn_tasks *t) {
  int n = t->nv, m = t->m;
  if (!jn__tasks_fit_lanes(t)) return;
  task_lanes *l = t->lanes = place(s, 1, sizeof *l);
  double *J = reals(s, TASK_SLOTS, m, n), *e = reals(s, TASK_SLOTS, m, 1), *x = reals(s, TASK_SLOTS, 3, n);
  double *q = reals(s, TASK_SLOTS, 3, n), *T = reals(s, TASK_SLOTS, 16, 1), *J6 = reals(s, TASK_SLOTS, 6, n);
  double *error = reals(s, TASK_SLOTS, 6, 1), *rest = reals(s, TASK_SLOTS, 2, 1);
  if (!s->base) return;
  *l = (task_lanes){.n = n,
                    .m = m,
                    .J = J,
                    .e = e,
                    .lo = x,
                    .hi = x + TASK_SLOTS * n,
                    .x = x + 2 * TASK_SLOTS * n,
                    .q = q,
                    .trial = q + TASK_SLOTS * n,
                    .best = q + 2 * TASK_SLOTS * n,
                    .T = T,
                    .J6 = J6,
                    .error = error,
                    .mu = rest,
                    .predicted = rest + TASK_SLOTS,
                    .steps = jn__lane_steps_any};
#if JN_VARIANTS_AVX2
  if (jn__runs_avx2()) l->steps = jn__lane_steps_avx2;
#endif
}

static void place_all(jn_shelf *s, jn_tasks *t) {
  int n = t->nv, m = t->m, K = t->options.order + 2;
  t->level_row = place(s, (size_t)t->levels + 1, sizeof(int));
  t->weight = reals(s, m, 1, 1);
  t->is_length = place(s, (size_t)m, sizeof(int));
  if (s->base) place_rows(t); /* the sizes of priorities need them */
  t->lower = reals(s, n, 1, 1);
  t->upper = reals(s, n, 1, 1);
  t->margin = reals(s, n, 1, 1);
  t->place = place(s, (size_t)n, sizeof(int));
  t->metric = reals(s, n, 1, 1);
  t->posture = reals(s, t->nq, 1, 1);
  t->e = reals(s, m, 1, 1);
  t->e_trial = reals(s, m, 1, 1);
  t->J = reals(s, m, n, 1);
  t->B = reals(s, n, n, 1);
  t->cost = reals(s, t->levels, 1, 1);
  t->cost_trial = reals(s, t->levels, 1, 1);
  t->predicted = reals(s, t->levels, 1, 1);
  t->q_trial = reals(s, t->nq, 1, 1);
  t->q_best = reals(s, t->nq, 1, 1);
  t->q_start = reals(s, t->nq, 1, 1);
  t->q_target = reals(s, t->nq, 2, 1);
  t->J6 = reals(s, K, 6, n);
  t->J6_r = reals(s, K, 6, n);
  t->S = reals(s, m + t->rows, m + t->rows, 1);
  place_step(s, &t->step, n, m);
  place_motion(s, t);
  place_lanes(s, t);
}

/* ---- creation ---- */

static jn_status find_items(jn_tasks *t, const jn_task *task) {
  t->m = t->loop_rows;
  t->levels = t->loop_rows > 0;
  for (int i = 0; i < t->count; i++) {
    task_item *s = &t->item[i];
    s->task = task[i];
    find_size(t->model, s);
    find_rows(s);
    if (s->count == 0) return JN_ERR_SIZE; /* all weights are zero */
    find_across(s);
    s->target = t->targets;
    s->row = t->rows;
    t->targets += s->numbers;
    t->rows += s->rows;
    t->m += s->count;
  }
  for (int p = next_priority(t, -1); p >= 0; p = next_priority(t, p)) t->levels++;
  return JN_OK;
}

static void copy_options(jn_tasks *t) {
  for (int i = 0; i < t->nv; i++) t->metric[i] = t->options.metric ? t->options.metric[i] : 1;
  if (t->options.posture) memcpy(t->posture, t->options.posture, sizeof(double) * (size_t)t->nq);
  if (!t->options.posture) t->options.gain = 0;
  t->options.metric = t->options.posture = NULL;
}

static jn_status create_parts(jn_tasks *t, const jn_task *task, const jn_tasks_options *options) {
  jn_status status = jn_work_create_order(t->model, t->options.order + 1, &t->work);
  if (status == JN_OK && jn_loop_count(t->model) > 0) {
    jn_loops_options loops;
    jn_loops_options_init(&loops);
    loops.order = t->options.order + 1;
    status = jn_loops_create(t->model, &loops, &t->loops);
    if (status == JN_OK) t->loop_rows = jn_loops_rows(t->loops);
  }
  if (status != JN_OK) return status;
  status = find_items(t, task);
  if (status != JN_OK) return status;
  jn_shelf s = {0};
  place_all(&s, t);
  t->block = jn__allocate(&t->allocator, s.used + 64);
  if (!t->block) return JN_ERR_MEMORY;
  s = (jn_shelf){.base = (char *)t->block + (64 - (uintptr_t)t->block % 64) % 64};
  place_all(&s, t);
  copy_options(t);
  jn__tasks_find_limits(t);
  jn__tasks_find_generic(t);
  if (t->lanes) status = jn_batch_create(t->model, 0, 1, &t->lanes->batch);
  if (status != JN_OK) return status;
  for (int i = 0; i + 1 < t->options.threads; i++) {
    jn_tasks_options one = *options;
    one.threads = 1;
    status = jn_tasks_create(t->model, task, t->count, &one, &t->more[i]);
    if (status != JN_OK) return status;
  }
  return JN_OK;
}

static int threads_of(const jn_tasks_options *options) {
#if JN_WITH_OPENMP
  return options->threads ? options->threads : omp_get_max_threads();
#else
  (void)options;
  return 1;
#endif
}

jn_status jn_tasks_create(const jn_model *model, const jn_task *task, int count, const jn_tasks_options *options,
                          jn_tasks **tasks) {
  jn_tasks_options defaults;
  if (tasks) *tasks = NULL;
  if (!model || !task || !tasks) return JN_ERR_NULL;
  if (!jn_variant_name()) return JN_ERR_VARIANT;
  jn_tasks_options_init(&defaults);
  if (!options) options = &defaults;
  jn_status status = count > 0 ? check_options(model, options) : JN_ERR_SIZE;
  for (int i = 0; i < count && status == JN_OK; i++) status = check_task(model, &task[i]);
  if (status != JN_OK) return status;
  size_t threads = (size_t)threads_of(options), items = (size_t)count * sizeof(task_item);
  jn_tasks *t = jn__allocate(&model->allocator, sizeof *t + threads * sizeof *t->more + items);
  if (!t) return JN_ERR_MEMORY;
  t->item = (task_item *)(void *)(t + 1);
  t->more = (jn_tasks **)(void *)((char *)(t + 1) + items);
  t->model = model;
  t->allocator = model->allocator;
  t->options = *options;
  t->options.threads = (int)threads;
  t->count = count;
  t->grain = fmax(1e-12, 10 * jn_variant_epsilon());
  t->nq = jn_model_nq(model);
  t->nv = jn_model_nv(model);
  status = create_parts(t, task, options);
  if (status == JN_OK)
    *tasks = t;
  else
    jn_tasks_destroy(t);
  return status;
}

void jn_tasks_destroy(jn_tasks *t) {
  if (!t) return;
  jn_allocator a = t->allocator;
  for (int i = 0; i + 1 < t->options.threads; i++) jn_tasks_destroy(t->more[i]);
  jn_loops_destroy(t->loops);
  if (t->block && t->lanes) jn_batch_destroy(t->lanes->batch);
  jn_work_destroy(t->work);
  if (t->block) jn__release(&a, t->block);
  jn__release(&a, t);
}

/* ---- sizes ---- */

int jn_tasks_targets(const jn_tasks *t) { return t ? t->targets : 0; }
int jn_tasks_rows(const jn_tasks *t) { return t ? t->rows : 0; }

int jn_tasks_target(const jn_tasks *t, int i, int *numbers) {
  if (numbers) *numbers = 0;
  if (!t || i < 0 || i >= t->count) return -1;
  if (numbers) *numbers = t->item[i].numbers;
  return t->item[i].target;
}

int jn_tasks_row(const jn_tasks *t, int i, int *rows) {
  if (rows) *rows = 0;
  if (!t || i < 0 || i >= t->count) return -1;
  if (rows) *rows = t->item[i].rows;
  return t->item[i].row;
}
