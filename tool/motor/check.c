/* SPDX-License-Identifier: BSD-2-Clause */
/* jounce motor --check and --modes.
 *
 * The check starts the elastic robot (links and motors as bodies of their own, springs between them) on the motion,
 * lets the computed motor torques act, and integrates forward for a while; then starts again, so that an unstable
 * posture does not hide what is checked. Torques between samples are those of the exact motion, or for damped springs,
 * whose state cannot go back in time, of cubics through values and rates. */
#include <jounce/simulation.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../command.h"
#include "../text/print.h"
#include "../text/progress.h"
#include "motor.h"

enum { PIECES = 20, GRID = 400, MOST_CALLS = 500000 };

typedef struct forward {
  drive *d;
  const jn_model *robot;
  double start, step;                     /* of the grid of one piece */
  double *grid;                           /* [GRID + 1][2 x nv] motor torque and rate; NULL: exact */
  double *torque;                         /* [nv] */
  double *q, *v;                          /* [nq], [nv] of the links, from the simulation */
  double *q_all, *v_all, *theta, *dtheta; /* of the robot; of the motors */
  double *off, *peak; /* [2 x nv] largest deviations of q and theta; largest speeds, angles of motors */
  long calls;         /* of force() in a piece: beyond MOST_CALLS the integration is given up */
} forward;

static jn_status torque_at(forward *f, double t) {
  size_t nv = (size_t)f->d->nv;
  if (!f->grid) {
    jn_status status = drive_at(f->d, t);
    memcpy(f->torque, f->d->motor, nv * sizeof(double));
    return status;
  }
  double x = (t - f->start) / f->step;
  int i = (int)fmin(fmax(floor(x), 0), GRID - 1);
  double u = x - i, *a = f->grid + (size_t)i * 2 * nv, *b = a + 2 * nv;
  for (size_t v = 0; v < nv; v++) {
    double rise = b[v] - a[v], m0 = f->step * a[nv + v], m1 = f->step * b[nv + v];
    f->torque[v] = a[v] + u * (m0 + u * (3 * rise - 2 * m0 - m1 + u * (m0 + m1 - 2 * rise)));
  }
  return JN_OK;
}

static jn_status force(void *context, double t, int order, const double *q, const double *v_jet, double *tau_jet) {
  forward *f = context;
  if (++f->calls > MOST_CALLS) return JN_ERR_STEP;
  jn_status status = torque_at(f, t);
  return status == JN_OK ? jn_elastic_forces(f->d->elastic, t, order, q, v_jet, f->torque, tau_jet) : status;
}

static jn_status fill_grid(forward *f) {
  size_t nv = (size_t)f->d->nv;
  for (int i = 0; i <= GRID && f->grid; i++) {
    jn_status status = drive_at(f->d, f->start + i * f->step);
    if (status != JN_OK) return status;
    memcpy(f->grid + (size_t)i * 2 * nv, f->d->motor, 2 * nv * sizeof(double));
  }
  return JN_OK;
}

/* Deviations at the end of a piece: of the simulator from the motion. */
static jn_status compare(forward *f, jn_simulator *simulator, double t) {
  drive *d = f->d;
  jn_status status = drive_at(d, t);
  if (status == JN_OK) status = jn_simulator_get(simulator, NULL, f->q_all, f->v_all);
  if (status == JN_OK) status = jn_elastic_split(d->elastic, f->q_all, f->v_all, f->q, f->v, f->theta, f->dtheta);
  for (int v = 0; v < d->nv && status == JN_OK; v++) {
    int place = place_in_q(d->m->model, v);
    if (place < 0) continue;
    f->off[v] = fmax(f->off[v], fabs(f->q[place] - d->m->q[place]));
    f->off[d->nv + v] = fmax(f->off[d->nv + v], fabs(f->theta[v] - d->theta[v]));
    f->peak[v] = fmax(f->peak[v], fabs(d->m->v_jet[v]));
    f->peak[d->nv + v] = fmax(f->peak[d->nv + v], fabs(d->theta[v]));
  }
  return status;
}

static jn_status run_piece(forward *f, jn_simulator *simulator, double start, double end) {
  drive *d = f->d;
  f->calls = 0;
  f->start = start;
  f->step = (end - start) / GRID;
  jn_status status = drive_at(d, start);
  if (status == JN_OK)
    status = jn_elastic_join(d->elastic, d->m->q, d->m->v_jet, d->theta, d->theta + d->nv, f->q_all, f->v_all);
  if (status == JN_OK) status = fill_grid(f);
  if (status == JN_OK) status = jn_simulator_set(simulator, start, f->q_all, f->v_all);
  if (status == JN_OK) status = jn_simulator_run(simulator, end);
  return status == JN_OK ? compare(f, simulator, end) : status;
}

static int print_check(const forward *f, double length) {
  static const table_column columns[] = {{"joint", ALIGN_LEFT},
                                         {"speed", ALIGN_POINT},
                                         {"links off by", ALIGN_LEFT},
                                         {"motors off by", ALIGN_LEFT},
                                         {"", ALIGN_LEFT}};
  const drive *d = f->d;
  table t;
  char name[JN_COORDINATE_NAME];
  int failed = 0;
  double fastest = 0;
  for (int v = 0; v < d->nv; v++) fastest = fmax(fastest, f->peak[v]);
  double allowed = (f->grid ? 1e-6 : 1e-7) * fmax(fastest * length, 1e-3);
  table_init(&t, columns, 5);
  for (int i = 0; i < d->count; i++) {
    int v = d->shown[i];
    double turned = 1e-12 * f->peak[d->nv + v]; /* what rounding leaves of a motor that winds up a weak spring */
    bool bad = !(f->off[v] <= allowed && f->off[d->nv + v] <= allowed + turned);
    jn_velocity_name(d->m->model, v, name, sizeof name);
    table_cell(&t, name);
    table_number(&t, f->peak[v]);
    table_cellf(&t, "%.1e", f->off[v]);
    table_cellf(&t, "%.1e", f->off[d->nv + v]);
    table_cell(&t, bad ? "TOO FAR OFF" : "fine");
    failed += bad;
  }
  printf(
      "\nCheck: the elastic robot under these motor torques, %d times for %.3g s from the motion (dopri5): largest "
      "deviation [rad, m]; allowed: %.1e, for motors 1e-12 of their angle in addition\n",
      PIECES, length, allowed);
  table_print(&t, stdout);
  return failed ? EXIT_BAD : OPTION_GO_ON;
}

static int has_rotors(const drive *d) {
  char name[JN_COORDINATE_NAME];
  for (int v = 0; v < d->nv; v++) {
    if (!jn_elastic_is_elastic(d->elastic, v) || jn_elastic_actuator(d->elastic, v)->rotor_inertia > 0) continue;
    jn_velocity_name(d->m->model, v, name, sizeof name);
    say(stderr, "jounce: joint '%s' has a spring but no rotor_inertia, without which its motor cannot be moved\n",
        name);
    return 0;
  }
  return 1;
}

static jn_status create(forward *f, jn_loops **loops, jn_simulator **simulator) {
  jn_simulation_options options;
  jn_simulation_options_init(&options);
  options.integrator = JN_DORMAND_PRINCE;
  options.tolerance = 1e-12;
  options.force = force;
  options.context = f;
  if (jn_loop_count(f->robot) == 0) return jn_simulator_create(f->robot, &options, simulator);
  jn_status status = jn_loops_create(f->robot, NULL, loops);
  return status == JN_OK ? jn_simulator_create_loops(*loops, &options, simulator) : status;
}

/* The fastest rate of the springs and their dampers at a time [1/s]: of a mode of frequency w, whose springs have the
 * damping D at the stiffness K, that is w or w^2 D/K. */
static jn_status find_fastest(drive *d, double t, double *rate) {
  int n = jn_model_nv(jn_elastic_model(d->elastic)), count = 0;
  double *omega = allocate((size_t)n * sizeof *omega), relaxation = 0;
  jn_status status = drive_at(d, t);
  if (status == JN_OK) status = jn_elastic_modes(d->elastic, t, d->m->q, d->deflection, &count, omega, NULL);
  for (int v = 0; v < d->nv; v++) {
    const jn_actuator *a = jn_elastic_actuator(d->elastic, v);
    if (isfinite(a->stiffness)) relaxation = fmax(relaxation, a->damping / a->stiffness);
  }
  *rate = 0;
  for (int i = 0; i < count && status == JN_OK; i++) {
    double one = fmax(omega[i], relaxation > 0 ? omega[i] * omega[i] * relaxation : 0);
    *rate = fmax(*rate, isnan(one) ? INFINITY : one);
  }
  free(omega);
  return status;
}

/* How long the pieces are: short if springs are stiff, because the integrator follows every oscillation. 0 after
 * reporting that they are too stiff. */
static double piece_length(drive *d, double start, double end) {
  const double most = 2000, least = 1e-4;
  double rate, length = fmin((end - start) / PIECES, 0.1);
  jn_status status = find_fastest(d, start, &rate);
  if (status != JN_OK) {
    drive_tell(d, status);
    return 0;
  }
  if (rate * length <= most) return length;
  length = most / rate;
  if (length >= least) return length;
  char *size = isfinite(rate) ? format_text("of %.2g 1/s", rate) : copy_text("that overflow", 13);
  say(stderr,
      "jounce: --check: springs or dampers with rates %s are too stiff to integrate; leave the stiffness out "
      "of the actuator file to take such a joint for rigid\n",
      size);
  free(size);
  return 0;
}

/* No step was short enough, or there were too many: of the motors, the one with the largest angle is named if its
 * rounding errors are larger than the tolerance by far. */
static void tell_steps(const forward *f) {
  const drive *d = f->d;
  char name[JN_COORDINATE_NAME];
  int most = 0;
  for (int v = 1; v < d->nv; v++)
    if (fabs(d->theta[v]) > fabs(d->theta[most])) most = v;
  if (!(fabs(d->theta[most]) <= 1e8) && jn_velocity_name(d->m->model, most, name, sizeof name) == JN_OK)
    say(stderr,
        "jounce: --check: the spring of joint '%s' is so soft that its motor is at %.2g rad or m, where rounding "
        "hides the motion: this cannot be integrated; check the stiffness in the actuator file\n",
        name, d->theta[most]);
  else
    say(stderr,
        "jounce: --check: given up at t = %.15g s: the motion of these springs and rotors takes too many steps to "
        "integrate; check stiffness and rotor_inertia in the actuator file\n",
        d->m->t);
}

int motor_check(drive *d, double start, double end) {
  if (!(end > start)) {
    say(stderr, "jounce: --check: one sample is no motion; use a higher --rate or a longer --range\n");
    return EXIT_BAD;
  }
  if (!has_rotors(d)) return EXIT_BAD;
  const jn_model *robot = jn_elastic_model(d->elastic);
  size_t nv = (size_t)d->nv, nq = (size_t)d->m->nq, all = (size_t)(jn_model_nq(robot) + jn_model_nv(robot));
  double length = piece_length(d, start, end);
  if (length == 0) return EXIT_BAD;
  forward f = {.d = d, .robot = robot};
  double *room = allocate((all + nq + 9 * nv + 2 * nv * (GRID + 1)) * sizeof(double));
  memset(room, 0, (all + nq + 9 * nv) * sizeof(double));
  f.q_all = room;
  f.v_all = f.q_all + jn_model_nq(robot);
  f.q = room + all;
  f.v = f.q + nq;
  f.torque = f.v + nv;
  f.theta = f.torque + nv;
  f.dtheta = f.theta + nv;
  f.off = f.dtheta + nv;
  f.peak = f.off + 2 * nv;
  f.grid = d->damped ? room + all + nq + 9 * nv : NULL;
  jn_loops *loops = NULL;
  jn_simulator *simulator = NULL;
  jn_status status = create(&f, &loops, &simulator);
  progress_begin("integrating forward");
  for (int i = 0; i < PIECES && status == JN_OK; i++) {
    double from = start + (end - start - length) * i / (PIECES - 1);
    status = run_piece(&f, simulator, from, from + length);
    progress_show((i + 1.0) / PIECES);
  }
  progress_end();
  if (status == JN_ERR_STEP)
    tell_steps(&f);
  else if (status != JN_OK)
    drive_tell(d, status);
  int result = status == JN_OK ? print_check(&f, length) : EXIT_BAD;
  jn_simulator_destroy(simulator);
  jn_loops_destroy(loops);
  free(room);
  return result;
}

/* ---- Modes ---- */

typedef struct mode_table {
  int n, count;
  double *start, *shapes;   /* [n], [n x n] at the start */
  double *low, *high, *now; /* [n] along the motion */
} mode_table;

/* "joint2 0.71, joint1 -0.32": what moves most in a mode, relative to the coordinate that moves most. */
static char *shape_text(const drive *d, const double *shape) {
  const jn_model *robot = jn_elastic_model(d->elastic);
  int n = jn_model_nv(robot), best[3] = {-1, -1, -1};
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < n; i++)
      if (i != best[0] && i != best[1] && (best[k] < 0 || fabs(shape[i]) > fabs(shape[best[k]]))) best[k] = i;
  char *text = copy_text("", 0);
  for (int k = 0; k < 3 && best[k] >= 0; k++) {
    char name[JN_COORDINATE_NAME];
    double size = shape[best[k]] / shape[best[0]];
    if (fabs(size) < 0.01) break;
    jn_velocity_name(robot, best[k], name, sizeof name);
    char *longer = format_text("%s%s%s %.2f", text, k ? ", " : "", name, size);
    free(text);
    text = longer;
  }
  return text;
}

static void print_modes(const drive *d, const mode_table *x) {
  static const table_column columns[] = {{"mode", ALIGN_RIGHT},
                                         {"Hz at the start", ALIGN_POINT},
                                         {"lowest", ALIGN_POINT},
                                         {"highest", ALIGN_POINT},
                                         {"what moves most, at the start", ALIGN_LEFT}};
  table t;
  int rigid = 0, springs = 0;
  for (int v = 0; v < d->nv; v++) springs += jn_elastic_is_elastic(d->elastic, v);
  int least =
      jn_loop_count(d->m->model) > 0 ? x->count : x->count - springs; /* each spring of a tree resists a motion */
  table_init(&t, columns, 5);
  for (int i = 0; i < x->count; i++) {
    if (i < least && x->start[i] <= 1e-4 * x->start[x->count - 1]) {
      rigid++;
      continue;
    }
    char *shape = shape_text(d, x->shapes + (size_t)i * (size_t)x->n);
    table_cellf(&t, "%d", i - rigid + 1);
    table_number(&t, x->start[i]);
    table_number(&t, x->low[i]);
    table_number(&t, x->high[i]);
    table_cell(&t, shape);
    free(shape);
  }
  printf("\nModes of the springs [Hz], without damping and weight; and %d motion%s without resistance (0 Hz)\n", rigid,
         rigid == 1 ? "" : "s");
  table_print(&t, stdout);
  if (rigid == x->count)
    say(stdout, "There are none: no joint has a spring, neither in the actuator file (stiffness) nor in the model\n");
}

int motor_modes(drive *d, double start, double end) {
  enum { TIMES = 50 };
  int n = jn_model_nv(jn_elastic_model(d->elastic));
  if (!has_rotors(d)) return EXIT_BAD;
  double *room = allocate((size_t)(n * n + 4 * n) * sizeof(double));
  mode_table x = {n, 0, room, room + 4 * n, room + n, room + 2 * n, room + 3 * n};
  jn_status status = JN_OK;
  bool finite = true;
  for (int k = 0; k <= TIMES && status == JN_OK && finite; k++) {
    double t = start + (end - start) * k / TIMES;
    status = drive_at(d, t);
    if (status == JN_OK)
      status = jn_elastic_modes(d->elastic, t, d->m->q, d->deflection, &x.count, x.now, k ? NULL : x.shapes);
    for (int i = 0; i < x.count && status == JN_OK; i++) {
      double hertz = x.now[i] / 6.283185307179586;
      finite &= isfinite(hertz) != 0;
      if (k == 0) x.start[i] = x.low[i] = x.high[i] = hertz;
      x.low[i] = fmin(x.low[i], hertz);
      x.high[i] = fmax(x.high[i], hertz);
    }
  }
  if (status != JN_OK)
    drive_tell(d, status);
  else if (finite)
    print_modes(d, &x);
  else
    say(stderr, "jounce: --modes: a frequency overflows: check stiffness and rotor_inertia in the actuator file\n");
  free(room);
  return status == JN_OK && finite ? OPTION_GO_ON : EXIT_BAD;
}
