/* SPDX-License-Identifier: BSD-2-Clause */
/* Simulators: options, memory, state, and the step that users see. */
#include <math.h>
#include <string.h>

#include "../loops/constraints.h"
#include "../model/memory.h"
#include "../model/model.h"
#include "../model/stop.h"
#include "variation.h"

const char *jn_integrator_name(jn_integrator integrator) {
#define INTEGRATOR_NAME(code, name) name,
  static const char *const names[] = {JN_INTEGRATOR_LIST(INTEGRATOR_NAME)};
#undef INTEGRATOR_NAME
  return (int)integrator >= 0 && integrator < JN_INTEGRATORS ? names[integrator] : NULL;
}

void jn_simulation_options_init(jn_simulation_options *o) {
  if (!o) return;
  *o = (jn_simulation_options){.size = sizeof *o, .tolerance = 1e-10, .friction_speed = 1e-3, .rest_speed = 1e-4};
}

/* ---- options ---- */

enum { LEAST_ORDER = 2, MOST_ORDER = 60 };

int jn_taylor_order(double tolerance) {
  double order = ceil(1 - 0.6 * log(tolerance));
  return order >= LEAST_ORDER && order <= MOST_ORDER ? (int)order : LEAST_ORDER;
}

static int order_of(const jn_simulation_options *o) {
  switch (o->integrator) {
    case JN_TAYLOR:
      return o->order ? o->order : jn_taylor_order(o->tolerance);
    case JN_DORMAND_PRINCE:
      return 5;
    case JN_SEMI_IMPLICIT_EULER:
      return 1;
    default:
      return 4;
  }
}

static int is_share(double x) { return x >= 0 && x <= 1; }

static jn_status check(const jn_simulation_options *o, const jn_loops *loops) {
  int steps = o->integrator == JN_RUNGE_KUTTA_4 || o->integrator == JN_SEMI_IMPLICIT_EULER;
  if (o->size != sizeof *o) return JN_ERR_INIT;
  if ((int)o->integrator < 0 || o->integrator >= JN_INTEGRATORS) return JN_ERR_SIZE;
  if (!(o->tolerance >= 1e-16 && o->tolerance <= 0.1) || !(o->step >= 0) || !isfinite(o->step)) return JN_ERR_SIZE;
  if ((steps && o->step == 0) || !(o->largest_step >= 0) || !(o->friction_speed > 0)) return JN_ERR_SIZE;
  if (o->order && (o->order < LEAST_ORDER || o->order > MOST_ORDER)) return JN_ERR_SIZE;
  if (!is_share(o->restitution) || !(o->rest_speed >= 0) || o->watch_count < 0) return JN_ERR_SIZE;
  if ((int)o->limits < 0 || o->limits > JN_LIMITS_BOUNCE) return JN_ERR_SIZE;
  for (int i = 0; i < o->watch_count; i++)
    if (!o->watch || !o->watch[i].value) return JN_ERR_NULL;
  if (o->derivatives < 0 || o->derivatives > 3 || o->force_order < 0) return JN_ERR_SIZE;
  if (o->wrench_axes != JN_IN_BODY && o->wrench_axes != JN_IN_ALIGNED) return JN_ERR_SIZE;
  if (o->wrench && o->wrench_axes != JN_IN_BODY && o->derivatives) return JN_ERR_UNSUPPORTED;
  if (o->integrator != JN_TAYLOR) return JN_OK;
  if (o->force && o->force_order < order_of(o) - 1) return JN_ERR_CALLBACK;
  return loops && jn__loops_order(loops) < order_of(o) - 1 ? JN_ERR_WORK : JN_OK;
}

/* ---- memory ---- */

/* Takes `count` elements from *at, which is NULL while memory is counted; *used counts on. */
static void *take(char *base, size_t *used, size_t count, size_t bytes) {
  void *here = base ? base + *used : NULL;
  *used += (count * bytes + 63) / 64 * 64;
  return here;
}

typedef struct block_part {
  double **to;
  size_t count;
} block_part;

static void place_parts(char *base, size_t *used, const block_part *parts, size_t count) {
  for (size_t i = 0; i < count; i++) *parts[i].to = take(base, used, parts[i].count, sizeof(double));
}

/* The state, and what every evaluation of forces needs. */
static void place_state(jn_simulator *s, char *base, size_t *used) {
  size_t nq = (size_t)s->nq, nv = (size_t)s->nv, links = 6 * (size_t)s->nlink;
  const block_part parts[] = {
      {&s->q, nq},
      {&s->v, nv},
      {&s->a, nv},
      {&s->q_low, nv},
      {&s->v_low, nv},
      {&s->q0, nq},
      {&s->v0, nv},
      {&s->a0, nv},
      {&s->damping, nv},
      {&s->friction, nv},
      {&s->tau, nv},
      {&s->loss, nv},
      {&s->reaction, nv},
      {&s->wrench, links},
      {&s->x, 2 * nv},
      {&s->y, 2 * nv},
      {&s->z, 2 * nv},
      {&s->qx, nq},
      {&s->vx, nv},
      {&s->qy, nq},
      {&s->vy, nv},
      {&s->watch_before, (size_t)s->options.watch_count},
      {&s->drive, nv},
      {&s->start, nq + nv},
      {&s->forces_of_a, 2 * nv + links},
  };
  place_parts(base, used, parts, sizeof parts / sizeof *parts);
}

/* Columns of derivatives of a step: q, v, tau, and the inertial parameters if these are wanted. */
static size_t inputs_of(const jn_simulator *s) {
  return 3 * (size_t)s->nv + (s->options.derivatives > 1 ? 10 * (size_t)s->nlink : 0);
}

/* Series; of the other methods jets of order 0 alone. */
static void place_series(jn_simulator *s, char *base, size_t *used) {
  size_t nv = (size_t)s->nv, links = 6 * (size_t)s->nlink, groups = (size_t)s->groups;
  size_t p = s->options.integrator == JN_TAYLOR ? (size_t)s->order : 1;
  size_t wanted = s->options.integrator == JN_TAYLOR && s->options.derivatives ? 1 : 0;
  const block_part parts[] = {
      {&s->v_given, (p + 1) * nv},
      {&s->v_jet, (p + 2) * nv},
      {&s->tau_jet, p * nv},
      {&s->loss_jet, p * nv},
      {&s->tau_out, p * nv},
      {&s->reaction_jet, p * nv},
      {&s->wrench_jet, p * links},
      {&s->wrench_given, s->options.wrench_axes == JN_IN_ALIGNED ? p * links : 0},
      {&s->series, (p + 1) * nv},
      {&s->square, p * nv},
      {&s->root, p * nv},
      {&s->gravity, p * nv},
      {&s->user, p * nv},
      {&s->turn, 4 * groups * (p + 2)},
      {&s->shift, 3 * groups * (p + 2)},
      {&s->quaternions, 8 * (p + 2)},
      {&s->jet_derivatives, wanted * p * (p + 2) * nv * nv},
      {&s->sensitivity, wanted * (p + 1) * inputs_of(s) * nv},
      {&s->slope, wanted * p * nv},
      {&s->factor, wanted * nv * nv},
  };
  place_parts(base, used, parts, sizeof parts / sizeof *parts);
}

/* Stages and continuous output of the other methods; matrices of rodas and of impacts. */
static void place_stages(jn_simulator *s, char *base, size_t *used) {
  size_t nv = (size_t)s->nv, few = s->options.integrator == JN_TAYLOR ? 0 : 1;
  size_t rows = s->loops ? (size_t)jn_loops_rows(s->loops) : 0;
  int matrices = s->options.integrator == JN_RODAS || s->options.limits == JN_LIMITS_BOUNCE || s->options.derivatives;
  size_t square = matrices ? nv * nv : 0;
  const block_part parts[] = {
      {&s->ku, few * RK_STAGES * nv},
      {&s->kv, few * RK_STAGES * nv},
      {&s->dense_u, few * DENSE_TERMS * nv},
      {&s->dense_v, few * DENSE_TERMS * nv},
      {&s->dq, square},
      {&s->dv, square},
      {&s->dtau, square},
      {&s->dforce, square},
      {&s->matrix, 4 * square},
      {&s->unused, 3 * square},
      {&s->rate_t, nv},
      {&s->column, 2 * nv},
      {&s->lambda, rows},
  };
  place_parts(base, used, parts, sizeof parts / sizeof *parts);
}

/* One stage of derivatives; of the end too. */
static void place_stage(jn_simulator *s, step_stage *at, char *base, size_t *used) {
  size_t nv = (size_t)s->nv, square = nv * nv, columns = nv * inputs_of(s), blocks = 36 * (size_t)s->groups;
  const block_part parts[] = {
      {&at->q, (size_t)s->nq}, {&at->u, nv},          {&at->v, nv},           {&at->a, nv},
      {&at->by_q, square},     {&at->by_v, square},   {&at->by_tau, square},  {&at->maps.R, blocks},
      {&at->maps.Ad, blocks},  {&at->maps.L, blocks}, {&at->maps.Lu, blocks}, {&at->cu, columns},
      {&at->cq, columns},      {&at->cv, columns},    {&at->cku, columns},    {&at->ckv, columns},
      {&at->alpha, 2 * nv},    {&at->beta, nv},       {&at->torque, 2 * nv},
  };
  place_parts(base, used, parts, sizeof parts / sizeof *parts);
}

/* What flow.c, rodas.c or the series keep while they differentiate a step. */
static size_t node_scratch_size(const jn_simulator *s) {
  size_t nv = (size_t)s->nv, pi = inputs_of(s) - 3 * nv, each = 2 * nv * inputs_of(s) + 3 * nv * nv + nv + nv * pi;
  if (s->options.integrator == JN_RODAS) return 3 * nv * nv + 2 * nv * pi;
  if (s->options.integrator != JN_TAYLOR) return 0;
  size_t series = (size_t)s->order * nv * pi, flow = jn__flow_nodes(s->order) * each;
  return series > flow ? series : flow;
}

static void place_variation(jn_simulator *s, char *base, size_t *used) {
  step_variation unplaced = {0}, *x = take(base, used, 1, sizeof *x);
  size_t nv = (size_t)s->nv, inputs = inputs_of(s), rows = s->loops ? (size_t)jn_loops_rows(s->loops) : 0;
  size_t pi = 10 * (size_t)s->nlink, second = s->options.derivatives > 2 ? 4 * nv * nv * nv : 0;
  int stages = s->options.integrator == JN_RODAS ? 6 : s->options.integrator == JN_TAYLOR ? 0 : 1;
  s->variation = x;
  if (!x) x = &unplaced;
  if (stages == 1) stages = jn__simulation_tableau(s->options.integrator).stages;
  for (int i = 0; i < stages; i++) place_stage(s, &x->stage[i], base, used);
  place_stage(s, &x->end, base, used);
  x->inputs = (int)inputs;
  x->parameters = (int)(inputs - 3 * nv);
  const block_part parts[] = {
      {&x->by_pi, nv * (inputs - 3 * nv)},
      {&x->X, 2 * nv * inputs},
      {&x->E, 4 * nv * nv},
      {&x->E2, 4 * nv * nv},
      {&x->A, rows * nv},
      {&x->inverse, rows * nv},
      {&x->mu, rows},
      {&x->change, nv * nv},
      {&x->rows, rows * nv},
      {&x->tensor, second},
      {&x->W, 9 * nv * nv},
      {&x->weigh, 6 * nv * inputs + 36 * nv + nv * pi},
      {&x->node, node_scratch_size(s)},
      {&x->second, second ? jn__second_scratch_size(s->nq, s->nv) : 0},
  };
  place_parts(base, used, parts, sizeof parts / sizeof *parts);
}

/* The same calls count and place; returns the bytes. */
static size_t place(jn_simulator *s, char *base) {
  size_t used = (sizeof *s + 63) / 64 * 64, nv = (size_t)s->nv, works[2];
  int order = s->options.integrator == JN_TAYLOR ? s->order - 1 : 0;
  place_state(s, base, &used);
  place_series(s, base, &used);
  place_stages(s, base, &used);
  if (s->options.derivatives) place_variation(s, base, &used);
  double *tau = take(base, &used, s->options.tau ? nv : 0, sizeof(double));
  jn_watch *watch = take(base, &used, (size_t)s->options.watch_count, sizeof *watch);
  s->group = take(base, &used, (size_t)s->groups, sizeof *s->group);
  s->place = take(base, &used, nv, sizeof *s->place);
  s->pivot = take(base, &used, 2 * nv, sizeof *s->pivot);
  s->prescribed = take(base, &used, nv, 1);
  s->given = take(base, &used, nv, 1);
  s->held = take(base, &used, nv, 1);
  s->held0 = take(base, &used, nv, 1);
  works[0] = jn_work_size_order(s->model, order);
  works[1] = s->loops || s->options.integrator != JN_TAYLOR ? 0 : works[0];
  char *memory[2] = {take(base, &used, works[0], 1), take(base, &used, works[1], 1)};
  if (!base) return used;
  if (s->options.tau) memcpy(tau, s->options.tau, nv * sizeof *tau);
  if (s->options.watch_count) memcpy(watch, s->options.watch, (size_t)s->options.watch_count * sizeof *watch);
  if (s->options.prescribed) memcpy(s->prescribed, s->options.prescribed, nv);
  s->options.tau = s->options.tau ? tau : NULL;
  s->options.watch = watch;
  jn_work_init_order(s->model, order, memory[0], works[0], &s->work);
  if (works[1]) jn_work_init_order(s->model, order, memory[1], works[1], &s->jet_work);
  return used;
}

static void find_coordinates(jn_simulator *s) {
  int groups = 0;
  for (int i = 0; i < s->nv; i++) {
    int number, joint = jn_coordinate_joint(s->model, i, &number);
    jn_joint_type type = jn_joint_type_of(s->model, joint);
    int is_group = type == JN_FREE || type == JN_SPHERICAL;
    s->place[i] = is_group ? -1 : jn_joint_q(s->model, joint) + number;
    if (is_group && number == 0) s->group[groups++] = (group_joint){jn_joint_q(s->model, joint), i, type == JN_FREE};
  }
}

static int count_groups(const jn_model *m) {
  int count = 0;
  for (int i = 0; i < jn_link_count(m); i++) {
    jn_joint_type type = jn_joint_type_of(m, i);
    count += type == JN_FREE || type == JN_SPHERICAL;
  }
  return count;
}

static jn_status create(const jn_model *m, jn_loops *loops, const jn_simulation_options *o, jn_simulator **out) {
  jn_simulation_options defaults;
  jn_simulation_options_init(&defaults);
  if (!o) o = &defaults;
  jn_status status = check(o, loops);
  if (status != JN_OK) return status;
  if (!jn_variant_name()) return JN_ERR_VARIANT;
  jn_simulator sizes = {.model = m, .loops = loops, .options = *o, .allocator = m->allocator};
  sizes.nq = jn_model_nq(m);
  sizes.nv = jn_model_nv(m);
  sizes.nlink = jn_link_count(m);
  sizes.groups = count_groups(m);
  sizes.order = order_of(o);
  jn_simulator *s = jn__allocate(&sizes.allocator, place(&sizes, NULL));
  if (!s) return JN_ERR_MEMORY;
  *s = sizes;
  place(s, (char *)s);
  find_coordinates(s);
  if (o->losses) jn_loss_coefficients(m, s->damping, s->friction);
  jn__simulation_given(s);
  jn_neutral(m, s->q0);
  status = jn_simulator_set(s, 0, s->q0, NULL);
  if (status == JN_OK || status == JN_ERR_LOOP) /* not closed there; another start may be */
    *out = s;
  else
    jn_simulator_destroy(s);
  return status == JN_ERR_LOOP ? JN_OK : status;
}

jn_status jn_simulator_create(const jn_model *model, const jn_simulation_options *options, jn_simulator **simulator) {
  if (!model || !simulator) return JN_ERR_NULL;
  *simulator = NULL;
  return create(model, NULL, options, simulator);
}

jn_status jn_simulator_create_loops(jn_loops *loops, const jn_simulation_options *options, jn_simulator **simulator) {
  if (!loops || !simulator) return JN_ERR_NULL;
  *simulator = NULL;
  return create(jn__loops_model(loops), loops, options, simulator);
}

void jn_simulator_destroy(jn_simulator *s) {
  if (!s) return;
  jn_allocator a = s->allocator;
  jn__release(&a, s);
}

/* ---- state ---- */

jn_status jn__simulation_project(jn_simulator *s) {
  const unsigned char *given = s->has_given ? s->given : NULL;
  jn_status status = jn_loops_assemble(s->loops, given, 0, s->q, NULL);
  if (status == JN_OK) status = jn_loops_project(s->loops, given, s->q, s->v);
  memset(s->q_low, 0, (size_t)s->nv * sizeof(double));
  memset(s->v_low, 0, (size_t)s->nv * sizeof(double));
  s->has_a = 0;
  return status;
}

static jn_status energies(jn_simulator *s) {
  double energy[2] = {0};
  jn_status status = jn_energy(s->model, s->work, s->q, s->v, energy);
  s->report.kinetic = energy[0];
  s->report.potential = energy[1];
  return status;
}

static int all_finite(int n, const double *x) {
  for (int i = 0; i < n; i++)
    if (!isfinite(x[i])) return 0;
  return 1;
}

jn_status jn_simulator_set(jn_simulator *s, double t, const double *q, const double *v) {
  if (!s || !q) return JN_ERR_NULL;
  if (!isfinite(t) || !all_finite(s->nq, q) || (v && !all_finite(s->nv, v))) return JN_ERR_SIZE;
  size_t n = (size_t)s->nv * sizeof(double);
  s->report = (jn_simulation_report){.order = s->order, .joint = JN_NONE};
  s->t = s->t0 = t;
  s->t_low = s->step = s->error = 0;
  s->next = s->options.step;
  s->acting = s->options.tau;
  s->happened = s->cut = JN_NOTHING;
  memset(s->q_low, 0, n);
  memset(s->v_low, 0, n);
  memset(s->held, 0, (size_t)s->nv);
  memset(s->held0, 0, (size_t)s->nv);
  jn__simulation_given(s);
  s->has_a = 0;
  if (v)
    memmove(s->v, v, n);
  else
    memset(s->v, 0, n);
  jn_status status = jn_normalize(s->model, s->work, q, s->q);
  for (int i = 0; i < s->nv; i++)
    if (s->place[i] >= 0) s->q[s->place[i]] = q[s->place[i]];
  if (status == JN_OK && s->loops) status = jn__simulation_project(s);
  memcpy(s->q0, s->q, (size_t)s->nq * sizeof(double));
  memcpy(s->v0, s->v, n);
  if (status == JN_OK) status = energies(s);
  s->report.start = s->report.kinetic + s->report.potential;
  return status;
}

jn_status jn_simulator_get(const jn_simulator *s, double *t, double *q, double *v) {
  if (!s) return JN_ERR_NULL;
  if (t) *t = s->t;
  if (q) memcpy(q, s->q, (size_t)s->nq * sizeof *q);
  if (v) memcpy(v, s->v, (size_t)s->nv * sizeof *v);
  return JN_OK;
}

/* Exchanges what stops hold now and what they held during the last step, if t is in that. */
static void exchange_held(jn_simulator *s, double t) {
  if (!(t < s->t)) return;
  for (int i = 0; i < s->nv; i++) {
    signed char now = s->held[i];
    s->held[i] = s->held0[i];
    s->held0[i] = now;
  }
  jn__simulation_given(s);
}

/* The joint that makes a system singular, into the report. */
static void note_singular(jn_simulator *s) {
  const jn_work *work = s->jet_work && jn_singular_joint(s->jet_work) != JN_NONE ? s->jet_work : s->work;
  s->report.joint = s->loops ? JN_NONE : jn_singular_joint(work);
}

jn_status jn_simulator_forces(jn_simulator *s, double t, const double *q, const double *v, double *tau, double *a) {
  if (!s || !q || !v) return JN_ERR_NULL;
  const double *acting = s->acting;
  exchange_held(s, t);
  s->acting = s->options.tau;
  jn_status status = jn__simulation_acceleration(s, t, q, v, s->z);
  s->acting = acting;
  if (status == JN_ERR_SINGULAR) note_singular(s);
  for (int i = 0; i < s->nv; i++) {
    if (a) a[i] = s->z[i];
    if (tau) tau[i] = s->prescribed[i] ? s->reaction[i] + s->loss[i] : s->tau[i];
  }
  exchange_held(s, t);
  return status;
}

jn_happened jn_simulator_happened(const jn_simulator *s, int *index) {
  if (index) *index = JN_NONE;
  if (!s) return JN_NOTHING;
  if (index) *index = s->happened == JN_NOTHING ? JN_NONE : s->happened_index;
  return s->happened;
}

jn_status jn_simulator_report(jn_simulator *s, jn_simulation_report *report) {
  if (!s || !report) return JN_ERR_NULL;
  jn_status status = energies(s);
  jn_simulation_report *r = &s->report;
  r->drift = r->kinetic + r->potential - r->start - r->work - r->wrenches + r->losses + r->impacts;
  r->last_step = s->step;
  *report = *r;
  return status;
}

/* ---- steps ---- */

void jn__simulation_dense(jn_simulator *s, double theta, double *q, double *v) {
  int n = s->nv;
  if (s->options.integrator == JN_TAYLOR) {
    jn__simulation_series_at(s, theta, q, v, NULL, NULL);
    return;
  }
  double x = s->length > 0 ? theta / s->length : 0, y = 1 - x, *u = s->y;
  for (int i = 0; i < n; i++) {
    const double *r = s->dense_u + i, *w = s->dense_v + i;
    u[i] = r[0] + x * (r[n] + y * (r[2 * n] + x * (r[3 * n] + y * r[4 * n])));
    v[i] = w[0] + x * (w[n] + y * (w[2 * n] + x * (w[3 * n] + y * w[4 * n])));
  }
  jn_integrate(s->model, s->work, s->q0, u, q);
}

jn_status jn_simulator_dense(jn_simulator *s, double t, double *q, double *v) {
  if (!s) return JN_ERR_NULL;
  double theta = t - s->t0, rounding = 1e-14 * fmax(1, fabs(s->t));
  if (!(theta >= -rounding && theta <= s->step + rounding)) return JN_ERR_SIZE;
  if (t == s->t || theta >= s->step) return jn_simulator_get(s, NULL, q, v);
  if (theta <= 0) {
    memcpy(s->qx, s->q0, (size_t)s->nq * sizeof(double));
    memcpy(s->vx, s->v0, (size_t)s->nv * sizeof(double));
  } else
    jn__simulation_dense(s, theta, s->qx, s->vx);
  if (q) memcpy(q, s->qx, (size_t)s->nq * sizeof *q);
  if (v) memcpy(v, s->vx, (size_t)s->nv * sizeof *v);
  return JN_OK;
}

static jn_status one_step(jn_simulator *s, double longest) {
  switch (s->options.integrator) {
    case JN_DORMAND_PRINCE:
      return jn__simulation_dormand_prince(s, longest);
    case JN_RODAS:
      return jn__simulation_rodas(s, longest);
    case JN_RUNGE_KUTTA_4:
      return jn__simulation_rk4(s, longest);
    case JN_SEMI_IMPLICIT_EULER:
      return jn__simulation_euler(s, longest);
    default:
      return jn__simulation_taylor(s, longest);
  }
}

/* Where the step begins. */
static void begin(jn_simulator *s) {
  s->t0 = s->t;
  memcpy(s->q0, s->q, (size_t)s->nq * sizeof(double));
  memcpy(s->v0, s->v, (size_t)s->nv * sizeof(double));
  s->watch_is_nan = 0;
  for (int i = 0; i < s->options.watch_count; i++) s->watch_before[i] = jn__simulation_watch(s, i, s->t, s->q, s->v);
}

static int is_finite(const jn_simulator *s) {
  for (int i = 0; i < s->nv; i++)
    if (!isfinite(s->v[i])) return 0;
  for (int i = 0; i < s->nq; i++)
    if (!isfinite(s->q[i])) return 0;
  return 1;
}

/* An error: back to where the step began. */
static jn_status give_up(jn_simulator *s, jn_status status) {
  memcpy(s->q, s->q0, (size_t)s->nq * sizeof(double));
  memcpy(s->v, s->v0, (size_t)s->nv * sizeof(double));
  s->t = s->t0;
  s->step = s->length = 0;
  s->has_a = 0;
  if (status == JN_ERR_SINGULAR) note_singular(s);
  return status;
}

/* The shortest step that was neither cut short by an event nor by the end. */
static void note_length(jn_simulator *s, double longest) {
  jn_simulation_report *r = &s->report;
  int chooses =
      s->options.integrator == JN_DORMAND_PRINCE || s->options.integrator == JN_RODAS || !(s->options.step > 0);
  if (!chooses || s->is_fixed || s->cut != JN_NOTHING || !(s->step < longest)) return;
  if (r->least_step > 0 && r->least_step <= s->step) return;
  r->least_step = s->step;
  r->least_step_time = s->t0;
}

/* The clock goes on by the step; `until` when the step was to end there. */
static void advance(jn_simulator *s, double longest, double until) {
  double low = s->t_low + s->step, next = s->t0 + low;
  s->t_low = low - (next - s->t0);
  s->t = next;
  if (s->step < longest) return;
  s->t = until;
  s->t_low = 0;
}

/* One step, in which the user's functions are those of the step before. */
static jn_status step_on(jn_simulator *s, double until) {
  double stop = s->options.next_break ? s->options.next_break(s->options.context, s->t) : INFINITY;
  if (isnan(stop)) return JN_ERR_STEP;
  if (stop > s->t && stop < until) until = stop;
  double longest = until - s->t - s->t_low;

  /* Where the step begins, and which coordinates stops hold. */
  s->happened = JN_NOTHING;
  s->report.joint = JN_NONE;
  s->acting = s->options.tau;
  begin(s);
  jn_status status = jn__simulation_check_held(s);
  memcpy(s->held0, s->held, (size_t)s->nv);

  /* One step of the method; an event may end it earlier. */
  if (status == JN_OK) status = one_step(s, longest);
  s->length = s->step;
  if (status == JN_OK && !is_finite(s)) status = JN_ERR_STEP;
  if (status == JN_OK) status = jn__simulation_events(s);

  /* With loops, the end is projected on the conditions, unless the method has done so. */
  int is_cut = s->cut != JN_NOTHING && s->step < longest;
  if (status == JN_OK && s->loops && (s->options.integrator == JN_TAYLOR || is_cut)) status = jn__simulation_project(s);
  if (s->options.integrator == JN_TAYLOR || is_cut) s->has_a = 0;

  /* Energies and the clock; after an error, back to the start of the step. */
  if (status == JN_OK) status = jn__simulation_balance(s);
  if (status != JN_OK) return give_up(s, status);
  note_length(s, longest);
  advance(s, longest, until);
  s->report.steps++;
  if (until == stop && s->step >= longest) s->has_a = 0; /* forces jump at a break */
  return jn__simulation_happen(s);
}

jn_status jn_simulator_step(jn_simulator *s, double until) {
  if (!s) return JN_ERR_NULL;
  if (!(until > s->t) || !isfinite(until)) return JN_ERR_SIZE;
  jn_status status = jn__simulation_ask_again(s);
  return status == JN_OK ? step_on(s, until) : status;
}

jn_status jn_simulator_run(jn_simulator *s, double until) {
  if (!s) return JN_ERR_NULL;
  if (!(until >= s->t)) return JN_ERR_SIZE;
  if (until > s->t && !isfinite(until)) return JN_ERR_SIZE;
  jn_status status = until > s->t ? jn__simulation_ask_again(s) : JN_OK;
  while (status == JN_OK && s->t < until) {
    status = jn__is_stopped() ? JN_ERR_STOPPED : step_on(s, until);
    if (s->happened == JN_WATCH) break;
    if (s->options.limits == JN_LIMITS_STOP && s->happened != JN_NOTHING) break;
  }
  return status;
}
