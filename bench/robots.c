/* SPDX-License-Identifier: BSD-2-Clause */
#include "robots.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "timing.h"

void *bench_memory(size_t bytes) {
  void *block = calloc(1, bytes ? bytes : 1);
  if (block) return block;
  fputs("bench: no memory\n", stderr);
  exit(1);
}

/* ---- humanoids of any number of joints ---- */

/* A limb: `count` revolute joints in a row behind `parent`, which its first link is `across` and `up` from. */
typedef struct limb {
  const char *name, *parent;
  int count;
  double across, up, length, mass;
} limb;

static void add_limb(jn_builder *b, const limb *x) {
  char name[2][32];
  for (int i = 0; i < x->count; i++) {
    jn_link l;
    jn_link_init(&l);
    snprintf(name[i % 2], sizeof name[0], "%s%d", x->name, i + 1);
    l.name = name[i % 2];
    l.parent = i ? name[(i + 1) % 2] : x->parent;
    double step = x->length / x->count;
    l.placement[7] = i ? 0 : x->across;
    l.placement[11] = i ? step : x->up;
    const double com[3] = {0.01, -0.005, 0.5 * step};
    const double tensor[6] = {0.01 * x->mass, 0.012 * x->mass, 0.006 * x->mass, 1e-4, -2e-4, 1e-4};
    jn_inertia_pack(x->mass / x->count, com, tensor, l.inertia);
    l.joint.type = JN_REVOLUTE;
    for (int k = 0; k < 3; k++) l.joint.axis[k] = k == (i + 2) % 3;
    CHECK(jn_builder_add_link(b, &l));
  }
}

/* Free base, and limbs on it. */
static jn_model *make_humanoid(const limb *limbs, int count) {
  jn_builder *b;
  jn_model *m;
  jn_link base;
  CHECK(jn_builder_create(NULL, &b));
  jn_link_init(&base);
  base.name = "pelvis";
  base.joint.type = JN_FREE;
  const double com[3] = {0, 0.01, 0.05}, tensor[6] = {0.12, 0.1, 0.08, 1e-3, 0, 0};
  jn_inertia_pack(12, com, tensor, base.inertia);
  CHECK(jn_builder_add_link(b, &base));
  for (int i = 0; i < count; i++) add_limb(b, &limbs[i]);
  CHECK(jn_builder_freeze(b, &m, NULL));
  jn_builder_destroy(b);
  return m;
}

/* 25 joints as the robot of garofalo2013; 44 as in full-size humanoids with grippers, 50 degrees of freedom. */
static jn_model *humanoid25(void) {
  static const limb limbs[] = {{"waist", "pelvis", 1, 0, 0.1, 0.2, 12},
                               {"left_leg", "pelvis", 6, 0.1, -0.1, -0.9, 12},
                               {"right_leg", "pelvis", 6, -0.1, -0.1, -0.9, 12},
                               {"left_arm", "waist1", 6, 0.25, 0.4, -0.7, 5},
                               {"right_arm", "waist1", 6, -0.25, 0.4, -0.7, 5}};
  return make_humanoid(limbs, 5);
}

static jn_model *humanoid44(void) {
  static const limb limbs[] = {{"waist", "pelvis", 2, 0, 0.1, 0.3, 18},
                               {"head", "waist2", 2, 0, 0.5, 0.2, 3},
                               {"left_leg", "pelvis", 6, 0.1, -0.1, -0.9, 15},
                               {"right_leg", "pelvis", 6, -0.1, -0.1, -0.9, 15},
                               {"left_arm", "waist2", 7, 0.25, 0.4, -0.7, 7},
                               {"right_arm", "waist2", 7, -0.25, 0.4, -0.7, 7},
                               {"left_grip", "left_arm7", 2, 0.02, -0.1, -0.1, 1},
                               {"left_thumb", "left_arm7", 2, -0.02, -0.1, -0.1, 1},
                               {"left_palm", "left_arm7", 3, 0, -0.1, -0.1, 1},
                               {"right_grip", "right_arm7", 2, 0.02, -0.1, -0.1, 1},
                               {"right_thumb", "right_arm7", 2, -0.02, -0.1, -0.1, 1},
                               {"right_palm", "right_arm7", 3, 0, -0.1, -0.1, 1}};
  return make_humanoid(limbs, 12);
}

jn_options robot_options;

static jn_model *load(const char *source) {
  jn_model *m;
  jn_error error;
  if (jn_load(source, robot_options.size ? &robot_options : NULL, &m, &error) == JN_OK) return m;
  fprintf(stderr, "bench: %s: %s\n", source, error.text);
  exit(1);
}

static jn_model *panda(void) { return load("builtin:panda"); }
static jn_model *quadruped(void) { return load("builtin:quadruped"); }
static jn_model *chain7(void) { return load("builtin:chain:7"); }
static jn_model *chain25(void) { return load("builtin:chain:25"); }
static jn_model *chain100(void) { return load("builtin:chain:100"); }

static const struct {
  const char *name;
  jn_model *(*make)(void);
} robots[] = {{"chain7", chain7},         {"panda", panda},     {"quadruped", quadruped}, {"humanoid25", humanoid25},
              {"humanoid44", humanoid44}, {"chain25", chain25}, {"chain100", chain100}};

int robot_count(void) { return sizeof robots / sizeof *robots; }
const char *robot_name(int i) { return robots[i].name; }

/* Rates fall with the number of joints, so that the last links of long chains move as those of short ones. */
static void random_states(robot *r) {
  uint64_t seed = 20211101u + (uint64_t)r->nv;
  jn_work *w;
  CHECK(jn_work_create_order(r->model, TOP, &w));
  double scale = r->nv > 12 ? 12.0 / r->nv : 1, *neutral = bench_memory((size_t)r->nq * sizeof *neutral);
  double *step = bench_memory((size_t)r->nv * sizeof *step);
  CHECK(jn_neutral(r->model, neutral));
  for (int s = 0; s < STATES; s++) {
    double *q = r->q + s * r->nq, *jet = r->v_jet + s * (TOP + 2) * r->nv;
    for (int k = 0; k < r->nv; k++) step[k] = 2 * bench_uniform(&seed);
    CHECK(jn_integrate(r->model, w, neutral, step, q));
    for (int k = 0; k < (TOP + 2) * r->nv; k++) jet[k] = scale * bench_uniform(&seed);
    memcpy(r->v + s * r->nv, jet, (size_t)r->nv * sizeof *jet);
    memcpy(r->a + s * r->nv, jet + r->nv, (size_t)r->nv * sizeof *jet);
    CHECK(jn_inverse_dynamics_jet(r->model, w, TOP, q, jet, NULL, r->tau_jet + s * (TOP + 1) * r->nv));
    memcpy(r->tau + s * r->nv, r->tau_jet + s * (TOP + 1) * r->nv, (size_t)r->nv * sizeof *jet);
  }
  free(neutral);
  free(step);
  jn_work_destroy(w);
}

static robot robot_of(const char *name, jn_model *model) {
  robot r = {.name = name, .model = model};
  r.nq = jn_model_nq(r.model);
  r.nv = jn_model_nv(r.model);
  r.nlink = jn_link_count(r.model);
  r.nframe = jn_frame_count(r.model);
  r.parameters = jn_parameter_count(r.model);
  size_t row = STATES * (size_t)r.nv * sizeof(double);
  r.q = bench_memory(STATES * (size_t)r.nq * sizeof(double));
  r.v = bench_memory(row);
  r.a = bench_memory(row);
  r.tau = bench_memory(row);
  r.v_jet = bench_memory((TOP + 2) * row);
  r.tau_jet = bench_memory((TOP + 1) * row);
  r.prescribed = bench_memory((size_t)r.nv);
  for (int k = 0; k < r.nv; k++) r.prescribed[k] = k % 2 == 1;
  random_states(&r);
  return r;
}

jn_model *robot_model(const char *name) {
  for (int i = 0; i < robot_count(); i++)
    if (strcmp(robots[i].name, name) == 0) return robots[i].make();
  if (strchr(name, '.') || strchr(name, ':')) return load(name); /* a file, or builtin:... */
  fprintf(stderr, "bench: no robot '%s'; give a file, or one of:", name);
  for (int i = 0; i < robot_count(); i++) fprintf(stderr, " %s", robots[i].name);
  fputc('\n', stderr);
  exit(2);
}

robot robot_create(const char *name) {
  const char *slash = strrchr(name, '/');
  return robot_of(slash ? slash + 1 : name, robot_model(name));
}

robot robot_lumped(const robot *r) {
  jn_model *m;
  jn_error error;
  if (jn_model_lump(r->model, NULL, &m, &error) == JN_OK) return robot_of(r->name, m);
  fprintf(stderr, "bench: %s: %s\n", r->name, error.text);
  exit(1);
}

robot robot_chain(int n) {
  char source[32];
  snprintf(source, sizeof source, "builtin:chain:%d", n);
  return robot_of("chain", load(source));
}

void robot_destroy(robot *r) {
  free(r->q);
  free(r->v);
  free(r->a);
  free(r->tau);
  free(r->v_jet);
  free(r->tau_jet);
  free(r->prescribed);
  jn_model_destroy(r->model);
}
