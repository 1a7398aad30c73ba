/* SPDX-License-Identifier: BSD-2-Clause */
/* One model, many threads, each with its own work memory; and models made by many threads at once. Run under the
 * thread sanitizer by script/test. */
#include <pthread.h>

#include "models.h"

enum { THREADS = 8, ROUNDS = 200, MOST = 80 };

typedef struct task {
  const jn_model *model;
  uint64_t seed;
  double sum[MOST];
  jn_status status;
} task;

static void *walk(void *argument) {
  task *t = argument;
  jn_work *w;
  double q[MOST], v[MOST], T[16];
  uint64_t s = t->seed;
  t->status = jn_work_create(t->model, &w);
  if (t->status == JN_OK) t->status = jn_random(t->model, &s, q);
  memset(t->sum, 0, sizeof t->sum);
  for (int i = 0; i < ROUNDS && t->status == JN_OK; i++) {
    fill(&s, v, jn_model_nv(t->model), 0.1);
    t->status = jn_integrate(t->model, w, q, v, q);
    for (int k = 0; k < jn_link_count(t->model) && t->status == JN_OK; k++) {
      t->status = jn_joint_pose(t->model, w, k, q, T);
      for (int c = 0; c < 16; c++) t->sum[c] += T[c];
    }
    double tau[MOST], a[MOST];
    if (t->status == JN_OK) t->status = jn_inverse_dynamics(t->model, w, q, v, v, NULL, tau);
    if (t->status == JN_OK) t->status = jn_forward_dynamics(t->model, w, q, v, tau, NULL, a);
    for (int k = 0; k < jn_model_nv(t->model) && t->status == JN_OK; k++) t->sum[k] += tau[k] + a[k];
  }
  jn_work_destroy(w);
  return NULL;
}

static void one_model_serves_many_threads(void **state) {
  (void)state;
  uint64_t s = seed("threads");
  jn_model *m = random_tree(&s, 16);
  task together[THREADS], alone;
  pthread_t thread[THREADS];
  for (int i = 0; i < THREADS; i++) {
    together[i] = (task){.model = m, .seed = 77 + (uint64_t)i};
    assert_int_equal(pthread_create(&thread[i], NULL, walk, &together[i]), 0);
  }
  for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
  for (int i = 0; i < THREADS; i++) {
    alone = (task){.model = m, .seed = 77 + (uint64_t)i};
    walk(&alone);
    check(together[i].status == JN_OK && alone.status == JN_OK, "status");
    check(memcmp(together[i].sum, alone.sum, sizeof alone.sum) == 0, "thread %d computes what it computes alone", i);
  }
  jn_model_destroy(m);
}

static void *make(void *argument) {
  task *t = argument;
  jn_model *m = NULL;
  t->status = jn_load("builtin:chain:20", NULL, &m, NULL);
  t->sum[0] = jn_model_mass(m);
  jn_model_destroy(m);
#if JN_WITH_JSON
  if (t->status == JN_OK) t->status = jn_load("builtin:humanoid", NULL, &m, NULL);
  jn_model_destroy(m);
#endif
  return NULL;
}

static void many_threads_make_models_at_once(void **state) {
  (void)state;
  task tasks[THREADS] = {0};
  pthread_t thread[THREADS];
  for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&thread[i], NULL, make, &tasks[i]), 0);
  for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
  for (int i = 0; i < THREADS; i++)
    check(tasks[i].status == JN_OK && tasks[i].sum[0] == tasks[0].sum[0], "thread %d", i);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_model_serves_many_threads),
      cmocka_unit_test(many_threads_make_models_at_once),
  };
  return cmocka_run_group_tests_name("threads", tests, NULL, NULL);
}
