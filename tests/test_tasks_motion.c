/* SPDX-License-Identifier: BSD-2-Clause */
/* Motions from those of the tasks: rates are derivatives of values, row k + 1 is the derivative of row k along the
 * path, tasks are done, and operational space obeys the equations of motion. */
#include "tasks_paths.h"

/* A motion with known jets: coordinates are polynomials of time; with spherical and free joints, velocities are
 * constant. */
typedef struct known_motion {
  const jn_model *m;
  jn_work *w;
  jn_tasks *tasks;
  int order;
  double q[NQ], v_jet[ORDERS * NV];
} known_motion;

static void move_to(const known_motion *k, double t, double *q, double *v_jet) {
  int nv = jn_model_nv(k->m);
  double step[NV] = {0};
  for (int row = 0; row < k->order; row++)
    for (int i = 0; i < nv; i++) {
      double sum = 0, power = 1;
      for (int j = row; j < k->order; j++, power *= t / (j - row)) sum += k->v_jet[j * nv + i] * power;
      v_jet[row * nv + i] = sum;
    }
  double power = 1;
  for (int j = 0; j < k->order; j++) {
    power *= t / (j + 1);
    for (int i = 0; i < nv; i++) step[i] += power * k->v_jet[j * nv + i];
  }
  check_ok(jn_integrate(k->m, k->w, k->q, step, q));
}

static void rates_at(void *context, double t, double *x) {
  known_motion *k = context;
  double q[NQ], v_jet[ORDERS * NV];
  move_to(k, t, q, v_jet);
  check_ok(jn_tasks_rate_jet(k->tasks, k->order - 1, q, v_jet, x));
}

static void values_at(void *context, double t, double *x) {
  known_motion *k = context;
  double q[NQ], v_jet[ORDERS * NV];
  move_to(k, t, q, v_jet);
  check_ok(jn_tasks_values(k->tasks, q, x));
}

static void any_motion(known_motion *k, jn_model *m, uint64_t *s, int order, int groups) {
  *k = (known_motion){.m = m, .order = order};
  check_ok(jn_work_create(m, &k->w));
  check_ok(jn_random(m, s, k->q));
  fill(s, k->v_jet, (groups ? 1 : order) * jn_model_nv(m), 1);
}

static int has_groups(const jn_model *m) {
  for (int i = 0; i < jn_link_count(m); i++)
    if (jn_joint_nv(m, i) != jn_joint_nq(m, i)) return 1;
  return 0;
}

/* The rates of a task as derivatives of its value. */
static void rate_of_value(const jn_task *task, const double *value, const double *dvalue, double *rate) {
  double R[9], dR[9], W[9] = {0};
  int stride = task->type == JN_TASK_POSE ? 4 : 3;
  if (task->type != JN_TASK_POSE && task->type != JN_TASK_ORIENTATION) {
    memcpy(rate, dvalue, (task->type == JN_TASK_DISTANCE ? 1 : 3) * sizeof *rate);
    return;
  }
  for (int i = 0; i < 9; i++) R[i] = value[stride * (i / 3) + i % 3], dR[i] = dvalue[stride * (i / 3) + i % 3];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int c = 0; c < 3; c++) W[3 * i + j] += R[3 * c + i] * dR[3 * c + j]; /* R^T R' = [w] */
  rate[0] = W[7], rate[1] = W[2], rate[2] = W[3];
  for (int i = 0; i < 3 && task->type == JN_TASK_POSE; i++) {
    rate[3 + i] = 0;
    for (int c = 0; c < 3; c++) rate[3 + i] += R[3 * c + i] * dvalue[4 * c + 3];
  }
}

/* All types, absolute and relative, on random trees. */
static void rates_are_derivatives(void **state) {
  (void)state;
  uint64_t s = seed("rates");
  if (jn_variant_epsilon() > 1e-10) return;
  for (int i = 0; i < 42; i++) {
    jn_model *m = random_tree(&s, 3 + i % 7);
    int links = jn_link_count(m), n = jn_model_nv(m);
    jn_task task = task_of((jn_task_type)(i % JN_TASK_TYPES), links - 1, i % 2 ? JN_WORLD : links / 2 - 1);
    if (task.type == JN_TASK_CENTER_OF_MASS) task.reference = JN_WORLD, task.frame = i % 2 ? JN_WORLD : links / 3;
    if (task.type == JN_TASK_JOINT) {
      jn_model_destroy(m);
      continue;
    }
    fill(&s, task.axis, 3, 1);
    jn_tasks_options o;
    jn_tasks_options_init(&o);
    o.order = 4;
    known_motion k;
    any_motion(&k, m, &s, 4, has_groups(m));
    k.tasks = tasks_of(m, &task, 1, &o);
    int rows = jn_tasks_rows(k.tasks);
    double rate_jet[ORDERS * ROWS], slopes[ORDERS * ROWS], value[TARGETS], slope[TARGETS], rate[6];
    rates_at(&k, 0, rate_jet);
    differentiate(rates_at, &k, 4 * rows, 0.02, slopes);
    for (int row = 0; row < 3; row++) {
      double gap = distance(rate_jet + (row + 1) * rows, slopes + row * rows, rows, 1);
      check(gap < 1e-7, "%s, order %d: apart by %g", jn_task_type_name(task.type), row + 1, gap);
    }
    values_at(&k, 0, value);
    differentiate(values_at, &k, jn_tasks_targets(k.tasks), 0.02, slope);
    rate_of_value(&task, value, slope, rate);
    check(distance(rate, rate_jet, rows, 1) < 1e-8, "%s: rate and derivative of the value are apart by %g",
          jn_task_type_name(task.type), distance(rate, rate_jet, rows, 1));
    (void)n;
    jn_tasks_destroy(k.tasks);
    release(m, k.w);
  }
}

/* The Panda, redundant: without a posture, and drawn to one. */
static void rows_are_derivatives_of_each_other(void **state) {
  (void)state;
  uint64_t s = seed("motions");
  if (jn_variant_epsilon() > 1e-10) return;
  jn_model *m = built_in("builtin:panda");
  const double posture[7] = {0.1, 0.2, 0, -1.5, 0, 1.6, 0.4}, metric[7] = {1, 2, 1, 0.5, 1, 3, 1};
  for (int i = 0; i < 4; i++) {
    jn_tasks_options o;
    jn_tasks_options_init(&o);
    o.order = 4;
    if (i % 2) o.posture = posture, o.gain = 0.7, o.metric = metric;
    jn_task task = task_of(i < 2 ? JN_TASK_POSE : JN_TASK_POSITION, jn_frame_index(m, "panda_flange"), JN_WORLD);
    jn_tasks *t = tasks_of(m, &task, 1, &o);
    followed f = {.q = {0.2, 0.4, -0.3, -1.7, 0.3, 1.9, 0.5}};
    begin_path(&f, m, t, &s, i < 2);
    jn_work *w;
    check_ok(jn_work_create(m, &w));
    check_ok(jn_frame_pose(m, w, task.frame, f.q, f.path.T0));
    check_motion(&f, i % 2 ? "with a posture" : "least velocities");
    jn_tasks_destroy(t);
    jn_work_destroy(w);
  }
  jn_model_destroy(m);
}

/* Mechanisms: the tip of the five-bar, whose loop has redundant rows; the Stewart platform. */
static void loops_move_with_their_tool(void **state) {
  (void)state;
  uint64_t s = seed("loops");
  if (jn_variant_epsilon() > 1e-10) return;
  static const char *const robots[][2] = {{"builtin:five_bar", "tip"}, {"builtin:stewart", "platform"}};
  for (int i = 0; i < 2; i++) {
    jn_model *m = built_in(robots[i][0]);
    jn_tasks_options o;
    jn_tasks_options_init(&o);
    o.order = 3;
    jn_task task = task_of(i ? JN_TASK_POSE : JN_TASK_POSITION, jn_frame_index(m, robots[i][1]), JN_WORLD);
    jn_tasks *t = tasks_of(m, &task, 1, &o);
    followed f = {0};
    check_ok(jn_neutral(m, f.q));
    begin_path(&f, m, t, &s, i);
    f.order = 2;
    for (int k = 0; k < 3; k++) f.path.size[k] *= 0.3;
    if (!i) f.path.size[2] = 0;
    f.path.turn *= 0.3;
    jn_work *w;
    check_ok(jn_work_create(m, &w));
    check_ok(jn_frame_pose(m, w, task.frame, f.q, f.path.T0));
    check_motion(&f, robots[i][0]);
    double x[ORDERS * NV + NQ], phi[100];
    jets_along(&f, 0.3, x);
    jn_loops *l;
    check_ok(jn_loops_create(m, NULL, &l));
    check_ok(jn_loops_gaps(l, x + 3 * f.nv, phi));
    check(norm(phi, jn_loop_count(m)) <= 1e-12, "loops stay closed");
    jn_loops_destroy(l);
    jn_tasks_destroy(t);
    release(m, w);
  }
}

/* Priorities that contradict each other: the flange moves along its path, the elbow would stay where it is. */
static void priorities_have_derivatives(void **state) {
  (void)state;
  uint64_t s = seed("priorities");
  if (jn_variant_epsilon() > 1e-10) return;
  jn_model *m = built_in("builtin:panda");
  jn_task task[2] = {task_of(JN_TASK_POSE, jn_frame_index(m, "panda_flange"), JN_WORLD),
                     task_of(JN_TASK_POSITION, jn_link_index(m, "panda_link4"), JN_WORLD)};
  task[1].priority = 1;
  jn_tasks_options o;
  jn_tasks_options_init(&o);
  o.order = 3;
  jn_tasks *t = tasks_of(m, task, 2, &o), *one = tasks_of(m, task, 1, &o);
  double q[7] = {0.2, 0.4, -0.3, -1.7, 0.3, 1.9, 0.5}, target[19], rate[4 * 9] = {0}, v[4 * 7], J[9 * 7], v_one[28];
  jn_reach reach;
  tool_path path = {.axis = {0.6, 0, 0.8}, .turn = 0.3, .size = {0.1, 0.05, -0.1}, .rate = {1, 1.2, 0.7}, .pose = 1};
  check_ok(jn_tasks_values(t, q, target));
  memcpy(path.T0, target, sizeof path.T0);
  double pose[16], rows[4 * 6];
  check_ok(path_at(&path, 0, 3, pose, rows));
  for (int k = 0; k < 4; k++) memcpy(rate + 9 * k, rows + 6 * k, 6 * sizeof *rate);
  check_ok(jn_tasks_motion_jet(t, 3, q, NULL, NULL, rate, v, &reach));
  check_ok(jn_tasks_jacobian_jet(t, 0, q, NULL, J));
  double y[9] = {0};
  for (int r = 0; r < 9; r++)
    for (int i = 0; i < 7; i++) y[r] += J[7 * r + i] * v[i];
  check(distance(y, rate, 6, 1) < 1e-10, "the first is done");
  /* of all velocities that do it, this moves the elbow least: v + a n, n the direction that is left */
  check_ok(jn_tasks_motion_jet(one, 0, q, NULL, NULL, rows, v_one, NULL));
  double n[7], along = 0, size = 0;
  for (int i = 0; i < 7; i++) n[i] = v[i] - v_one[i];
  check(norm(n, 7) > 1e-3, "there is a choice");
  for (int r = 6; r < 9; r++) {
    double x = 0;
    for (int i = 0; i < 7; i++) x += J[7 * r + i] * n[i];
    along += x * y[r];
    size += x * x;
  }
  check(fabs(along) < 1e-9 * size, "the elbow moves least");
  /* derivative of the rule along the motion, by differences of first order in a short step */
  double h = 1e-5, ahead[7], back[7], vp[7], vm[7], rp[9] = {0}, rm[9] = {0};
  jn_work *w;
  check_ok(jn_work_create(m, &w));
  for (int side = -1; side <= 1; side += 2) {
    double step[7], *to = side > 0 ? ahead : back, *r = side > 0 ? rp : rm;
    for (int i = 0; i < 7; i++) step[i] = side * h * (v[i] + side * h / 2 * v[7 + i]);
    check_ok(jn_integrate(m, w, q, step, to));
    check_ok(path_at(&path, side * h, 0, pose, r));
    check_ok(jn_tasks_motion_jet(t, 0, to, NULL, NULL, r, side > 0 ? vp : vm, NULL));
  }
  for (int i = 0; i < 7; i++) vp[i] = (vp[i] - vm[i]) / (2 * h);
  check(distance(vp, v + 7, 7, 1) < 1e-6, "row 1 is the derivative of row 0: %g", distance(vp, v + 7, 7, 1));
  (void)s;
  jn_work_destroy(w);
  jn_tasks_destroy(t);
  jn_tasks_destroy(one);
  jn_model_destroy(m);
}

/* ---- ends of paths ---- */

static void paths_end_where_they_must(void **state) {
  (void)state;
  if (jn_variant_epsilon() > 1e-10) return;
  jn_model *m = built_in("builtin:panda");
  jn_tasks_options o;
  jn_tasks_options_init(&o);
  o.order = 4;
  jn_task task = task_of(JN_TASK_POSITION, jn_frame_index(m, "panda_flange"), JN_WORLD);
  for (int limits = 0; limits < 2; limits++) {
    o.ignore_limits = !limits;
    jn_tasks *t = tasks_of(m, &task, 1, &o);
    double q[7] = {0, 0.4, 0, -1.7, 0, 1.9, 0.5}, time;
    signed char active[7];
    jn_reach reach;
    tool_path path = {.size = {2, 0, 0}, .rate = {0.5, 1, 1}}; /* out of the workspace, which ends within 1.2 m */
    jn_work *w;
    check_ok(jn_work_create(m, &w));
    check_ok(jn_frame_pose(m, w, task.frame, q, path.T0));
    const jn_tasks_path along = {.context = &path, .at = path_at};
    check_status(jn_tasks_follow(t, &along, 0, 2, 0, q, &time, active, &reach), JN_ERR_REACH);
    double T[16], target[3];
    check_ok(jn_frame_pose(m, w, task.frame, q, T));
    check_ok(path_at(&path, time, 0, target, NULL));
    check(time > 0.05 && time < 1.5, "it stops on the way, at %g", time);
    for (int i = 0; i < 3; i++) check(fabs(T[4 * i + 3] - target[i]) < 1e-11, "and is on the path until then");
    check(reach.outcome != JN_REACHED && reach.distance > 0.1, "%s: %g m are missing at the end",
          jn_reach_text(reach.outcome), reach.distance);
    if (!limits) check(reach.outcome == JN_REACH_SHORT, "%s", jn_reach_text(reach.outcome));
    jn_work_destroy(w);
    jn_tasks_destroy(t);
  }
  jn_model_destroy(m);
}

/* ---- operational space ---- */

static void operational_at(void *context, double t, double *x) {
  known_motion *k = context;
  double q[NQ], v_jet[ORDERS * NV];
  int r = jn_tasks_rows(k->tasks), n = jn_model_nv(k->m);
  move_to(k, t, q, v_jet);
  const jn_operational out = {.Lambda = x, .bias = x + 2 * r * r, .Jbar = x + 2 * r * r + 2 * r};
  check_ok(jn_tasks_operational_jet(k->tasks, 1, q, v_jet, &out));
  (void)n;
}

static void operational_space_obeys_the_equations_of_motion(void **state) {
  (void)state;
  uint64_t s = seed("operational space");
  if (jn_variant_epsilon() > 1e-10) return;
  jn_model *m = built_in("builtin:panda");
  jn_tasks_options o;
  jn_tasks_options_init(&o);
  o.order = 3;
  for (int i = 0; i < 10; i++) {
    enum { R = 6, N = 7 };
    known_motion k;
    any_motion(&k, m, &s, 4, 0);
    k.tasks = pose_tasks(m, "panda_flange", &o);
    double x[2 * R * R + 2 * R + 2 * N * R], slopes[2 * R * R + 2 * R + 2 * N * R], J[2 * R * N], F[R], ydd[R], tau[N];
    operational_at(&k, 0, x);
    const double *L = x, *bias = x + 2 * R * R, *Jbar = bias + 2 * R;
    check_ok(jn_tasks_jacobian_jet(k.tasks, 1, k.q, k.v_jet, J));
    for (int a = 0; a < R; a++)
      for (int b = 0; b < R; b++) {
        double sum = 0;
        for (int c = 0; c < N; c++) sum += J[a * N + c] * Jbar[c * R + b];
        check(fabs(sum - (a == b)) < 1e-9, "J Jbar = 1");
      }
    /* forces of the task make its acceleration; those of the null space make none */
    double a_q[N], null[N], found[R] = {0};
    fill(&s, ydd, R, 2);
    fill(&s, null, N, 5);
    for (int a = 0; a < R; a++) {
      F[a] = bias[a];
      for (int b = 0; b < R; b++) F[a] += L[a * R + b] * ydd[b];
    }
    for (int c = 0; c < N; c++) {
      tau[c] = null[c];
      for (int a = 0; a < R; a++) {
        tau[c] += J[a * N + c] * F[a];
        for (int b = 0; b < N; b++) tau[c] -= J[a * N + c] * Jbar[b * R + a] * null[b];
      }
    }
    check_ok(jn_forward_dynamics(m, k.w, k.q, k.v_jet, tau, NULL, a_q));
    for (int a = 0; a < R; a++)
      for (int c = 0; c < N; c++) found[a] += J[a * N + c] * a_q[c] + J[(R + a) * N + c] * k.v_jet[c];
    check(distance(found, ydd, R, 1) < 1e-8, "the task accelerates as asked: %g", distance(found, ydd, R, 1));
    differentiate(operational_at, &k, 2 * R * R + 2 * R + 2 * N * R, 0.01, slopes);
    check(distance(L + R * R, slopes, R * R, 1) < 1e-6, "Lambda' %g", distance(L + R * R, slopes, R * R, 1));
    check(distance(bias + R, slopes + 2 * R * R, R, 1) < 1e-6, "bias'");
    check(distance(Jbar + N * R, slopes + 2 * R * R + 2 * R, N * R, 1) < 1e-6, "Jbar'");
    jn_tasks_destroy(k.tasks);
    jn_work_destroy(k.w);
  }
  jn_model_destroy(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rates_are_derivatives),      cmocka_unit_test(rows_are_derivatives_of_each_other),
      cmocka_unit_test(loops_move_with_their_tool), cmocka_unit_test(priorities_have_derivatives),
      cmocka_unit_test(paths_end_where_they_must),  cmocka_unit_test(operational_space_obeys_the_equations_of_motion)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
