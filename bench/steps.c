/* SPDX-License-Identifier: BSD-2-Clause */
/* Steps of simulation per second, in one run: jounce with a simulator (with its energy balance and continuous output),
 * jounce with 1000 motions at once in lanes on one core, and MuJoCo where it is built in, without contacts and limits
 * on both sides. First, the joints' motion by one step of both is compared. bench_steps [ROBOT ...]        default: the
 * built-in panda, quadruped and humanoid */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "robots.h"
#include "timing.h"

#if JN_BENCH_MUJOCO
#include "mujoco_model.h"
#endif

enum { MANY = 1000, EACH = 100 }; /* motions at once; steps until a motion begins again */

static const double step = 1e-3, budget = 4e8;

typedef struct single {
  jn_simulator *s;
  const double *q, *v;
} single;

static void step_single(void *context, int k) {
  single *x = context;
  if (k == 0) CHECK(jn_simulator_set(x->s, 0, x->q, x->v));
  CHECK(jn_simulator_step(x->s, (k + 1) * step));
}

static void show(const char *name, const char *who, const char *method, double ns) {
  printf("%-10s %-34s %-6s %10.0f\n", name, who, method, 1e9 / ns);
  fflush(stdout);
}

static void time_single(const char *name, const jn_model *m, jn_integrator integrator, const double *q,
                        const double *v) {
  jn_simulation_options o;
  single x = {NULL, q, v};
  jn_simulation_options_init(&o);
  o.integrator = integrator;
  o.step = step;
  CHECK(jn_simulator_create(m, &o, &x.s));
  show(name, "jounce, one simulator", jn_integrator_name(integrator), time_calls(step_single, &x, EACH, budget).least);
  jn_simulator_destroy(x.s);
}

typedef struct crowd {
  jn_batch *batch;
  jn_motions motions;
  int nq, nv;
  double *q, *v, *q0, *v0;
} crowd;

static void step_crowd(void *context, int k) {
  crowd *x = context;
  (void)k;
  memcpy(x->q, x->q0, MANY * (size_t)x->nq * sizeof(double));
  memcpy(x->v, x->v0, MANY * (size_t)x->nv * sizeof(double));
  CHECK(jn_motions_run(x->batch, MANY, &x->motions, x->q, x->v));
}

static void time_crowd(const char *name, const jn_model *m, jn_integrator integrator, const double *q,
                       const double *v) {
  crowd x = {.nq = jn_model_nq(m), .nv = jn_model_nv(m)};
  size_t nq = (size_t)x.nq, nv = (size_t)x.nv;
  CHECK(jn_batch_create(m, -1, 1, &x.batch));
  x.q = bench_memory(MANY * nq * sizeof(double));
  x.v = bench_memory(MANY * nv * sizeof(double));
  x.q0 = bench_memory(MANY * nq * sizeof(double));
  x.v0 = bench_memory(MANY * nv * sizeof(double));
  for (size_t k = 0; k < MANY; k++) {
    memcpy(x.q0 + k * nq, q, nq * sizeof(double));
    for (size_t i = 0; i < nv; i++) x.v0[k * nv + i] = v[i] * (1 + 1e-3 * (double)k);
  }
  jn_motions_init(&x.motions);
  x.motions.integrator = integrator;
  x.motions.step = step;
  x.motions.steps = 10;
  x.motions.room = bench_memory(jn_motions_room(m, MANY, integrator) * sizeof(double));
  double ns = time_calls(step_crowd, &x, 1, budget).least;
  show(name, "jounce, 1000 motions, one core", jn_integrator_name(integrator), ns / (MANY * 10));
  jn_batch_destroy(x.batch);
  free(x.q), free(x.v), free(x.q0), free(x.v0), free(x.motions.room);
}

#if JN_BENCH_MUJOCO

typedef struct mujoco {
  mjModel *m;
  mjData *d;
  const double *qpos, *qvel;
} mujoco;

static void step_mujoco(void *context, int k) {
  mujoco *x = context;
  if (k == 0) {
    mj_resetData(x->m, x->d);
    memcpy(x->d->qpos, x->qpos, (size_t)x->m->nq * sizeof(double));
    memcpy(x->d->qvel, x->qvel, (size_t)x->m->nv * sizeof(double));
  }
  mj_step(x->m, x->d);
}

/* Our q, v in MuJoCo's order: quaternions w first; linear velocities of a free base come first, in the world's axes. */
static int free_base(const jn_model *m) { return jn_joint_type_of(m, 0) == JN_FREE; }

static void to_mujoco(const jn_model *m, const double *q, const double *v, double *qpos, double *qvel) {
  memcpy(qpos, q, (size_t)jn_model_nq(m) * sizeof *q);
  memcpy(qvel, v, (size_t)jn_model_nv(m) * sizeof *v);
  if (!free_base(m)) return;
  double R[9];
  jn_quaternion_to_rotation(q + 3, R);
  qpos[3] = q[6];
  for (int i = 0; i < 3; i++) {
    qpos[4 + i] = q[3 + i];
    qvel[3 + i] = v[i];
    qvel[i] = R[3 * i] * v[3] + R[3 * i + 1] * v[4] + R[3 * i + 2] * v[5];
  }
}

/* How far joints are apart after one step of Euler's method. */
static double apart(const jn_model *m, mujoco *x, const double *q, const double *v) {
  jn_simulation_options o;
  jn_simulator *s;
  double q1[128], v1[128], most = 0;
  int skip_q = free_base(m) ? 7 : 0, skip_v = free_base(m) ? 6 : 0;
  jn_simulation_options_init(&o);
  o.integrator = JN_SEMI_IMPLICIT_EULER;
  o.step = step;
  CHECK(jn_simulator_create(m, &o, &s));
  CHECK(jn_simulator_set(s, 0, q, v));
  CHECK(jn_simulator_step(s, step));
  CHECK(jn_simulator_get(s, NULL, q1, v1));
  step_mujoco(x, 0);
  for (int i = skip_q; i < jn_model_nq(m); i++) most = fmax(most, fabs(q1[i] - x->d->qpos[i]));
  for (int i = skip_v; i < jn_model_nv(m); i++) most = fmax(most, fabs(v1[i] - x->d->qvel[i]));
  jn_simulator_destroy(s);
  return most;
}

static void time_mujoco(const char *name, const jn_model *m, const double *q, const double *v) {
  static const char *const methods[] = {"Euler", "RK4"};
  double qpos[128], qvel[128];
  char option[400], who[40];
  to_mujoco(m, q, v, qpos, qvel);
  for (int k = 0; k < 2; k++) {
    snprintf(option, sizeof option,
             "timestep=\"%g\" integrator=\"%s\"><flag contact=\"disable\" constraint=\"disable\" "
             "sensor=\"disable\" actuation=\"disable\"/></option>",
             step, methods[k]);
    mujoco x = {mujoco_model(m, name, option), NULL, qpos, qvel};
    if (!x.m) return;
    x.d = mj_makeData(x.m);
    if (k == 0) printf("%-10s one step of both: joints are %.1e apart\n", name, apart(m, &x, q, v));
    snprintf(who, sizeof who, "MuJoCo %s", mj_versionString());
    show(name, who, k ? "rk4" : "euler", time_calls(step_mujoco, &x, EACH, budget).least);
    mj_deleteData(x.d);
    mj_deleteModel(x.m);
  }
}

#endif

int main(int argc, char **argv) {
  static const char *const usual[] = {"builtin:panda", "builtin:quadruped", "builtin:humanoid"};
  int count = argc > 1 ? argc - 1 : 3;
  printf("%-10s %-34s %-6s %10s\n", "robot", "by", "method", "steps/s");
  for (int k = 0; k < count; k++) {
    const char *source = argc > 1 ? argv[k + 1] : usual[k], *colon = strrchr(source, ':');
    const char *name = colon ? colon + 1 : source;
    jn_model *m = robot_model(source);
    uint64_t seed = 1;
    double q[128], v[128];
    if (jn_model_nq(m) > 128) return 1;
    CHECK(jn_neutral(m, q));
    for (int i = 0; i < jn_model_nv(m); i++) v[i] = 0.3 * bench_uniform(&seed);
#if JN_BENCH_MUJOCO
    time_mujoco(name, m, q, v);
#endif
    for (int i = 0; i < 2; i++) {
      jn_integrator integrator = i ? JN_RUNGE_KUTTA_4 : JN_SEMI_IMPLICIT_EULER;
      time_single(name, m, integrator, q, v);
      time_crowd(name, m, integrator, q, v);
    }
    jn_model_destroy(m);
  }
  return 0;
}
