/* SPDX-License-Identifier: BSD-2-Clause */
/* Many motions at once: the explicit methods, stage by stage for all states, so that forward dynamics runs in lanes.
 * Each thread of the batch moves a range of states from the first step to the last; every state is computed by itself,
 * so the number of threads does not matter. */
#include <math.h>
#include <string.h>

#include "../dispatch/batch.h"
#include "../dispatch/dispatch.h"
#include "../model/model.h"
#include "../model/stop.h"
#include "jounce/batch.h"
#include "jounce/lie.h"
#include "variation.h"

enum { MOST_PARTS = 64 }; /* threads */

typedef struct motions_scratch {
  double *ku, *kv;            /* [stages x count x nv] */
  double *u, *v, *force;      /* [count x nv] */
  double *q;                  /* [count x nq] */
  double *damping, *friction; /* [nv] */
} motions_scratch;

void jn_motions_init(jn_motions *m) {
  if (m) *m = (jn_motions){.size = sizeof *m, .integrator = JN_RUNGE_KUTTA_4, .friction_speed = 1e-3, .every = 1};
}

static int has_tableau(jn_integrator integrator) {
  return integrator == JN_RUNGE_KUTTA_4 || integrator == JN_SEMI_IMPLICIT_EULER || integrator == JN_DORMAND_PRINCE;
}

size_t jn_motions_room(const jn_model *model, size_t count, jn_integrator integrator) {
  if (!model || !has_tableau(integrator)) return 0;
  size_t nv = (size_t)jn_model_nv(model), nq = (size_t)jn_model_nq(model);
  size_t stages = (size_t)jn__simulation_tableau(integrator).stages;
  if (!jn__count_fits(count, 2 * stages * nv + 3 * nv + nq)) return 0;
  return count * (2 * stages * nv + 3 * nv + nq) + MOST_PARTS * 2 * nv;
}

static motions_scratch place_scratch(const jn_model *m, size_t count, size_t stages, double *at) {
  size_t each = count * (size_t)m->nv;
  motions_scratch r;
  r.ku = at;
  r.kv = r.ku + stages * each;
  r.u = r.kv + stages * each;
  r.v = r.u + each;
  r.force = r.v + each;
  r.q = r.force + each;
  r.damping = r.q + count * (size_t)m->nq;
  r.friction = r.damping + m->nv;
  return r;
}

/* du = the rate of u for all states: the identity but for spherical and free joints. */
static void tangent_rates(const jn_model *m, size_t count, const double *u, const double *v, double *du) {
  int n = m->nv;
  memcpy(du, v, count * (size_t)n * sizeof *du);
  for (int joint = 0; joint < m->nlink; joint++) {
    jn_joint_type type = jn_joint_type_of(m, joint);
    if (type != JN_FREE && type != JN_SPHERICAL) continue;
    int iv = jn_joint_v(m, joint), size = type == JN_FREE ? 6 : 3;
    for (size_t k = 0; k < count; k++) {
      size_t at = k * (size_t)n + (size_t)iv;
      double L[36];
      if (size == 6)
        jn_se3_dexp_right_inverse(u + at, L);
      else
        jn_so3_dexp_right_inverse(u + at, L);
      for (int i = 0; i < size; i++) {
        du[at + (size_t)i] = 0;
        for (int j = 0; j < size; j++) du[at + (size_t)i] += L[size * i + j] * v[at + (size_t)j];
      }
    }
  }
}

/* u = h sum weight_j ku_j, v = v0 + h sum weight_j kv_j */
static void combine(const motions_scratch *r, size_t each, double h, const double *weight, int stages, const double *v0,
                    double *u, double *v) {
  memset(u, 0, each * sizeof *u);
  memcpy(v, v0, each * sizeof *v);
  for (int j = 0; j < stages; j++) {
    double f = h * weight[j];
    const double *ku = r->ku + (size_t)j * each, *kv = r->kv + (size_t)j * each;
    if (f == 0) continue;
    for (size_t i = 0; i < each; i++) {
      u[i] += f * ku[i];
      v[i] += f * kv[i];
    }
  }
}

/* What acts on all states at velocities v in step k. */
static void forces_at(const jn_motions *m, const motions_scratch *r, size_t count, int n, long k, const double *v) {
  size_t rows = (size_t)m->tau_rows, row = m->tau_rows > 1 ? (size_t)k : 0;
  for (size_t s = 0; s < count; s++) {
    const double *tau = m->tau ? m->tau + (s * rows + row) * (size_t)n : NULL;
    for (int i = 0; i < n; i++) {
      size_t at = s * (size_t)n + (size_t)i;
      double x = tau ? tau[i] : 0;
      if (m->losses) {
        x -= r->damping[i] * v[at];
        if (r->friction[i] != 0) x -= r->friction[i] * v[at] / hypot(v[at], m->friction_speed);
      }
      r->force[at] = x;
    }
  }
}

static void show(const jn_motions *m, const jn_model *model, size_t count, long k, const double *q, const double *v) {
  size_t nq = (size_t)model->nq, nv = (size_t)model->nv, rows = (size_t)(m->steps / m->every) + 1;
  if (!m->states || k % m->every) return;
  for (size_t s = 0; s < count; s++) {
    double *to = m->states + (s * rows + (size_t)(k / m->every)) * (nq + nv);
    memcpy(to, q + s * nq, nq * sizeof *to);
    memcpy(to + nq, v + s * nv, nv * sizeof *to);
  }
}

/* The range of states that one thread moves: pointers to its own. */
typedef struct motions_part {
  const jn_model *model;
  jn_work work;
  size_t count;
  double *q, *v;
  motions_scratch scratch;
  jn_motions motions; /* with the arrays of this part */
} motions_part;

static jn_status one_step(motions_part *p, long k) {
  const jn_motions *m = &p->motions;
  const motions_scratch *r = &p->scratch;
  step_tableau method = jn__simulation_tableau(m->integrator);
  int n = p->model->nv, is_euler = m->integrator == JN_SEMI_IMPLICIT_EULER;
  size_t each = p->count * (size_t)n;
  jn_status status = JN_OK;
  for (int i = 0; i < method.stages && status == JN_OK; i++) {
    double *kv = r->kv + (size_t)i * each;
    combine(r, each, m->step, method.a + 6 * i, i, p->v, r->u, r->v);
    if (i > 0) status = jn_integrate(p->model, &p->work, p->q, r->u, r->q);
    if (status != JN_OK) break;
    forces_at(m, r, p->count, n, k, r->v);
    status = jn_forward_dynamics(p->model, &p->work, i > 0 ? r->q : p->q, r->v, r->force, NULL, kv);
    if (!is_euler) tangent_rates(p->model, p->count, r->u, r->v, r->ku + (size_t)i * each);
  }
  if (status != JN_OK) return status;
  if (is_euler) memset(r->ku, 0, each * sizeof *r->ku);
  combine(r, each, m->step, method.b, method.stages, p->v, r->u, r->v);
  for (size_t i = 0; i < each && is_euler; i++) r->u[i] = m->step * r->v[i];
  memcpy(p->v, r->v, each * sizeof *p->v);
  status = jn_integrate(p->model, &p->work, p->q, r->u, r->q);
  memcpy(p->q, r->q, p->count * (size_t)p->model->nq * sizeof *p->q);
  return status;
}

static jn_status run_part(motions_part *p) {
  const jn_motions *m = &p->motions;
  if (m->losses) jn_loss_coefficients(p->model, p->scratch.damping, p->scratch.friction);
  jn_status status = jn_normalize(p->model, &p->work, p->q, p->scratch.q);
  if (status != JN_OK) return status;
  memcpy(p->q, p->scratch.q, p->count * (size_t)p->model->nq * sizeof *p->q);
  show(m, p->model, p->count, 0, p->q, p->v);
  for (long k = 0; k < m->steps && status == JN_OK; k++) {
    status = jn__is_stopped() ? JN_ERR_STOPPED : one_step(p, k);
    if (status == JN_OK) show(m, p->model, p->count, k + 1, p->q, p->v);
  }
  return status;
}

/* All motions, as the threads see them. */
typedef struct motions_call {
  jn_batch *batch;
  size_t count, parts;
  const jn_motions *motions;
  double *q, *v;
  jn_status status[MOST_PARTS];
  size_t singular[MOST_PARTS];
} motions_call;

/* Motions [first, first + count) from start to end, by thread k; scratch memory of parts follows each other. */
static void move_block(motions_call *c, size_t k, size_t first, size_t count) {
  const jn_motions *m = c->motions;
  motions_part p = {.model = jn__batch_model(c->batch), .motions = *m, .count = count};
  size_t nq = (size_t)p.model->nq, nv = (size_t)p.model->nv, rows = (size_t)(m->steps / m->every) + 1;
  size_t stages = (size_t)jn__simulation_tableau(m->integrator).stages;
  p.work = jn__batch_part(c->batch, k, first, p.count);
  p.q = c->q + first * nq;
  p.v = c->v + first * nv;
  if (m->tau) p.motions.tau = m->tau + first * (size_t)m->tau_rows * nv;
  if (m->states) p.motions.states = m->states + first * rows * (nq + nv);
  double *scratch = m->room + first * (2 * stages * nv + 3 * nv + nq) + k * 2 * nv;
  p.scratch = place_scratch(p.model, p.count, stages, scratch);
  c->status[k] = run_part(&p);
  if (c->status[k] == JN_ERR_SINGULAR) c->singular[k] = first + p.work.lost;
}

/* Part k of the motions, block after block: a block and its stages stay in the cache, and ends soon if it has to. */
static void move_part(void *context, size_t k) {
  enum { BLOCK = 512 }; /* whole groups of lanes of any row */
  motions_call *c = context;
  size_t first, count = jn__batch_range(c->count, k, c->parts, &first);

  c->status[k] = JN_OK;
  c->singular[k] = JN_ALL_STATES;
  for (size_t at = 0; at < count && c->status[k] == JN_OK; at += BLOCK)
    move_block(c, k, first + at, count - at < BLOCK ? count - at : BLOCK);
}

static jn_status check_motions(const jn_motions *m) {
  if (m->size != sizeof *m) return JN_ERR_INIT;
  if (!has_tableau(m->integrator)) return JN_ERR_UNSUPPORTED;
  if (m->steps < 0 || !(m->step > 0) || !isfinite(m->step) || m->every < 1 || !(m->friction_speed > 0))
    return JN_ERR_SIZE;
  return m->tau && m->tau_rows != 1 && m->tau_rows != m->steps ? JN_ERR_SIZE : JN_OK;
}

jn_status jn_motions_run(jn_batch *b, size_t count, const jn_motions *m, double *q, double *v) {
  if (!b || !m) return JN_ERR_NULL;
  jn_status status = check_motions(m);
  if (status != JN_OK || count == 0) return status;
  if (!q || !v || !m->room) return JN_ERR_NULL;
  const jn_model *model = jn__batch_model(b);
  if (jn_motions_room(model, count, m->integrator) == 0) return JN_ERR_SIZE;
  motions_call c = {.batch = b, .count = count, .motions = m, .q = q, .v = v, .parts = (size_t)jn_batch_threads(b)};
  if (c.parts > MOST_PARTS) c.parts = MOST_PARTS;
  status = jn__batch_reserve(b, 2 * (size_t)model->nq + 8 * (size_t)model->nv + 20 * (size_t)model->nlink);
  if (status != JN_OK) return status;
  jn__batch_start(b);
  jn__batch_parallel(c.parts, move_part, &c);
  size_t singular = JN_ALL_STATES;
  for (size_t k = c.parts; k-- > 0;) {
    if (c.status[k] != JN_OK) status = c.status[k];
    if (c.singular[k] < singular) singular = c.singular[k];
  }
  jn__batch_set_singular(b, singular);
  return status;
}
