/* SPDX-License-Identifier: BSD-2-Clause */
/* Motions of tasks: their derivatives by the complex step; poses that leave rows free; limits along paths, which hold
 * while rows stay derivatives of each other; paths that cannot be followed end soon; operational space of closed
 * mechanisms. */
#include "complex_variant.h"
#include "tasks_paths.h"

typedef double _Complex complex_number;

/* ---- the complex step ---- */

enum { DIGITS_ORDER = 4, PANDA = 7 };

/* The rule of jn_tasks_motion_jet(), written once more for complex numbers: least sum W / w (v - u)^2 with C v = y. */
typedef struct complex_rule {
  const jn_model *m;
  int frame, first, rows; /* rows of the pose that count */
  double metric[PANDA], posture[PANDA], gain, margin[PANDA], lower[PANDA], upper[PANDA];
  complex_number q[PANDA], y[(DIGITS_ORDER + 1) * 6], v[(DIGITS_ORDER + 4) * PANDA];
  complex_number C[DIGITS_ORDER + 1][6][PANDA], G[DIGITS_ORDER + 1][6][PANDA], ease[DIGITS_ORDER + 1][PANDA],
      lambda[DIGITS_ORDER + 1][6];
} complex_rule;

static double out_of(int n, int k) {
  double b = 1;
  for (int i = 1; i <= k; i++) b = b * (n - k + i) / i;
  return b;
}

/* Gauss, with exchange of rows. */
static void solve_complex(int n, complex_number A[6][6], complex_number *b) {
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int r = k; r < n; r++) best = cabs(A[r][k]) > cabs(A[best][k]) ? r : best;
    for (int c = 0; c < n; c++) {
      complex_number x = A[k][c];
      A[k][c] = A[best][c], A[best][c] = x;
    }
    complex_number x = b[k];
    b[k] = b[best], b[best] = x;
    for (int r = k + 1; r < n; r++) {
      complex_number f = A[r][k] / A[k][k];
      for (int c = k; c < n; c++) A[r][c] -= f * A[k][c];
      b[r] -= f * b[k];
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    for (int c = k + 1; c < n; c++) b[k] -= A[k][c] * b[c];
    b[k] /= A[k][k];
  }
}

static void complex_jacobian(complex_rule *r, int k) {
  static complex_number jet[(DIGITS_ORDER + 1) * 6 * PANDA];
  jn_call call = {.frame_jet = {.q = r->q, .v_jet = r->v, .J_jet = jet, .order = k, .frame = r->frame}};
  run_complex(r->m, k, JN_KERNEL_frame_jet, &call);
  for (int j = 0; j <= k; j++)
    for (int row = 0; row < r->rows; row++)
      memcpy(r->C[j][row], jet + (j * 6 + r->first + row) * PANDA, sizeof r->C[j][row]);
}

/* w / W of order k; both exponentials by their differential equation. */
static void complex_ease(complex_rule *r, int k) {
  for (int i = 0; i < PANDA; i++) {
    complex_number low[DIGITS_ORDER + 1], high[DIGITS_ORDER + 1], sum = 0;
    low[0] = cexp(-(r->q[i] - r->lower[i]) / r->margin[i]);
    high[0] = cexp(-(r->upper[i] - r->q[i]) / r->margin[i]);
    for (int j = 0; j < k; j++) {
      low[j + 1] = high[j + 1] = 0;
      for (int e = 0; e <= j; e++) {
        complex_number v = out_of(j, e) * r->v[(j - e) * PANDA + i] / r->margin[i];
        low[j + 1] -= v * low[e];
        high[j + 1] += v * high[e];
      }
    }
    for (int j = 0; j <= k; j++) sum += out_of(k, j) * ((j == 0) - low[j]) * ((j == k) - high[k - j]);
    r->ease[k][i] = ((k == 0) * 1e-9 + (1 - 1e-9) * sum) / r->metric[i];
  }
}

static void complex_order(complex_rule *r, int k) {
  complex_number S[6][6], b[6], *v = r->v + k * PANDA;
  complex_jacobian(r, k);
  complex_ease(r, k);
  for (int row = 0; row < r->rows; row++)
    for (int i = 0; i < PANDA; i++) {
      r->G[k][row][i] = 0;
      for (int j = 0; j <= k; j++) r->G[k][row][i] += out_of(k, j) * r->C[k - j][row][i] * r->ease[j][i];
    }
  for (int i = 0; i < PANDA; i++) {
    v[i] = -r->gain * (k == 0 ? r->q[i] - r->posture[i] : r->v[(k - 1) * PANDA + i]);
    for (int j = 0; j < k; j++)
      for (int row = 0; row < r->rows; row++) v[i] += out_of(k, j) * r->G[k - j][row][i] * r->lambda[j][row];
  }
  for (int row = 0; row < r->rows; row++) {
    b[row] = r->y[k * r->rows + row];
    for (int j = 0; j <= k; j++)
      for (int i = 0; i < PANDA; i++) b[row] -= out_of(k, j) * r->C[k - j][row][i] * r->v[j * PANDA + i];
    for (int c = 0; c < r->rows; c++) {
      S[row][c] = 0;
      for (int i = 0; i < PANDA; i++) S[row][c] += r->C[0][row][i] * r->G[0][c][i];
    }
  }
  solve_complex(r->rows, S, b);
  for (int row = 0; row < r->rows; row++) r->lambda[k][row] = b[row];
  for (int i = 0; i < PANDA; i++)
    for (int row = 0; row < r->rows; row++) v[i] += r->G[0][row][i] * b[row];
}

/* Row k + 1 is the imaginary part of row k at t + i h, exactly: with a posture, weights, and a joint near its limit. */
static void jets_by_the_complex_step(void **state) {
  (void)state;
  uint64_t s = seed("complex step");
  const double h = 1e-30;
  if (jn_variant_epsilon() > 1e-10) return;
  jn_model *m = built_in("builtin:panda");
  for (int i = 0; i < 12; i++) {
    static complex_rule r;
    memset(&r, 0, sizeof r);
    r.m = m;
    r.frame = jn_link_index(m, "panda_link7");
    r.first = i % 3 == 0 ? 0 : i % 3 == 1 ? 3 : 2;
    r.rows = i % 3 == 0 ? 6 : i % 3 == 1 ? 3 : 4;
    r.gain = i % 2 ? 0.8 : 0;
    jn_task task = task_of(JN_TASK_POSE, r.frame, JN_WORLD);
    jn_tasks_options o;
    jn_tasks_options_init(&o);
    for (int k = 0; k < 6; k++) task.weight[k] = k >= r.first && k < r.first + r.rows;
    double q[PANDA], y[(DIGITS_ORDER + 1) * 6], rates[(DIGITS_ORDER + 1) * 6] = {0}, v[(DIGITS_ORDER + 1) * PANDA];
    check_ok(jn_random(m, &s, q));
    for (int k = 0; k < PANDA; k++) {
      const jn_dof *d = jn_coordinate_dof(m, k);
      r.lower[k] = d->lower, r.upper[k] = d->upper;
      r.margin[k] = fmin(o.margin, (d->upper - d->lower) / 20);
      r.metric[k] = 1 + 0.5 * uniform(&s);
      r.posture[k] = uniform(&s);
    }
    q[3] = i % 4 < 2 ? r.upper[3] - 0.03 : -1.5; /* in the margin, or not */
    fill(&s, y, (DIGITS_ORDER + 1) * r.rows, 0.3);
    for (int k = 0; k <= DIGITS_ORDER; k++)
      memcpy(rates + 6 * k + r.first, y + r.rows * k, sizeof(double) * (size_t)r.rows);
    o.order = DIGITS_ORDER;
    o.metric = r.metric;
    o.posture = r.posture;
    o.gain = r.gain;
    jn_tasks *t = tasks_of(m, &task, 1, &o);
    jn_reach reach;
    check_ok(jn_tasks_motion_jet(t, DIGITS_ORDER, q, NULL, NULL, rates, v, &reach));
    complex_motion(m, q, v, h, r.q);
    for (int k = 0; k < DIGITS_ORDER * r.rows; k++) r.y[k] = CMPLX(y[k], h * y[k + r.rows]);
    for (int k = 0; k < DIGITS_ORDER; k++) {
      double value[PANDA], slope[PANDA];
      complex_order(&r, k);
      for (int e = 0; e < PANDA; e++) value[e] = creal(r.v[k * PANDA + e]), slope[e] = cimag(r.v[k * PANDA + e]) / h;
      double allowed = 1e-13 / (reach.weakest * reach.weakest);
      check(distance(value, v + k * PANDA, PANDA, 1) < allowed, "motion %d, order %d: %g", i, k,
            distance(value, v + k * PANDA, PANDA, 1));
      check(distance(slope, v + (k + 1) * PANDA, PANDA, 1) < 10 * allowed, "motion %d: d/dt of order %d is off by %g",
            i, k, distance(slope, v + (k + 1) * PANDA, PANDA, 1));
    }
    jn_tasks_destroy(t);
  }
  jn_model_destroy(m);
}

/* ---- poses that leave rows free ---- */

/* Rows that count stay zero along the path, and orders are derivatives of each other, whichever rows are free. */
static void free_rows_are_followed(void **state) {
  (void)state;
  static const char *const free_rows[] = {"z", "x",  "xy", "yz",  "xyz",
                                          "X", "XY", "zX", "xyY", "zXYZ"}; /* XYZ: shifts */
  uint64_t s = seed("free rows");
  if (jn_variant_epsilon() > 1e-10) return;
  jn_model *m = built_in("builtin:panda");
  jn_work *w;
  check_ok(jn_work_create(m, &w));
  for (int i = 0; i < (int)(sizeof free_rows / sizeof *free_rows); i++) {
    jn_task task = task_of(JN_TASK_POSE, jn_frame_index(m, "panda_flange"), JN_WORLD);
    for (const char *c = free_rows[i]; *c; c++) task.weight[*c >= 'x' ? *c - 'x' : 3 + *c - 'X'] = 0;
    jn_tasks_options o;
    jn_tasks_options_init(&o);
    o.order = 4;
    jn_tasks *t = tasks_of(m, &task, 1, &o);
    followed f = {.q = {0.2, 0.4, -0.3, -1.7, 0.3, 1.9, 0.5}};
    begin_path(&f, m, t, &s, 1);
    f.partial = 1;
    check_ok(jn_frame_pose(m, w, task.frame, f.q, f.path.T0));
    /* away from the target already, as far as rows are free */
    const jn_tasks_path path = {.context = &f.path, .at = path_at};
    double target[16], error[6], time;
    jn_reach reach;
    check_ok(jn_tasks_follow(t, &path, -0.8, 0, 1e-12, f.q, &time, NULL, &reach));
    check_motion(&f, free_rows[i]);
    for (int k = 1; k <= 5; k++) {
      double q[NQ];
      memcpy(q, f.q, sizeof q);
      check_ok(jn_tasks_follow(t, &path, 0, 0.3 * k, 0, q, &time, NULL, &reach));
      check_ok(path_at(&f.path, 0.3 * k, 0, target, NULL));
      check_ok(jn_tasks_error(t, q, target, error));
      for (int row = 0; row < 6; row++)
        check(task.weight[row] == 0 || fabs(error[row]) < 1e-11, "%s free: row %d is off by %g", free_rows[i], row,
              error[row]);
    }
    jn_tasks_destroy(t);
  }
  release(m, w);
}

/* ---- limits ---- */

/* A straight line of the flange, with its pose or not; every call counts. */
typedef struct line {
  tool_path path;
  int calls;
} line;

static jn_status line_at(void *context, double t, int order, double *target, double *rate_jet) {
  line *l = context;
  l->calls++;
  return path_at(&l->path, t, order, target, rate_jet);
}

/* Many paths, some of which come to limits: all q are within them, no path takes long, and one that ends names a joint
 * at its limit, or what is missing. */
static void limits_hold_along_paths(void **state) {
  (void)state;
  uint64_t s = seed("limits along paths");
  if (jn_variant_epsilon() > 1e-10) return;
  jn_model *m = built_in("builtin:panda");
  jn_work *w;
  check_ok(jn_work_create(m, &w));
  int ended = 0, close = 0;
  for (int i = 0; i < 60; i++) {
    jn_task task = task_of(i % 2 ? JN_TASK_POSE : JN_TASK_POSITION, jn_frame_index(m, "panda_flange"), JN_WORLD);
    jn_tasks_options o;
    jn_tasks_options_init(&o);
    o.order = 4;
    jn_tasks *t = tasks_of(m, &task, 1, &o);
    double q[PANDA], time = 0, nearest = 1;
    check_ok(jn_random(m, &s, q));
    line l = {.path = {.axis = {0, 0.6, 0.8}, .turn = 0.4 * (i % 2), .rate = {0.5, 0.5, 0.5}, .pose = i % 2}};
    fill(&s, l.path.size, 3, 0.5);
    check_ok(jn_frame_pose(m, w, task.frame, q, l.path.T0));
    const jn_tasks_path path = {.context = &l, .at = line_at};
    jn_reach reach;
    signed char active[PANDA];
    jn_status status = JN_OK;
    for (int k = 1; k <= 20 && status == JN_OK; k++) {
      status = jn_tasks_follow(t, &path, time, 0.1 * k, 0, q, &time, active, &reach);
      for (int v = 0; v < PANDA; v++) {
        const jn_dof *d = jn_coordinate_dof(m, v);
        check(q[v] >= d->lower && q[v] <= d->upper, "path %d, t = %g: joint %d at %.17g", i, time, v, q[v]);
        nearest = fmin(nearest, fmin(q[v] - d->lower, d->upper - q[v]));
      }
    }
    check(status == JN_OK || status == JN_ERR_REACH, "path %d: %s", i, jn_status_text(status));
    check(l.calls < 5000, "path %d: %d evaluations", i, l.calls);
    close += status == JN_OK && nearest < 0.02;
    ended += status == JN_ERR_REACH;
    if (status == JN_ERR_REACH) {
      int at = 0;
      for (int v = 0; v < PANDA; v++) at += active[v] != 0;
      check(reach.outcome != JN_REACHED, "it says why");
      check(at > 0 || reach.outcome != JN_REACH_LIMITS, "path %d: the joint is named", i);
    }
    jn_tasks_destroy(t);
  }
  check(ended > 3 && close > 3, "%d end, %d pass close to a limit: both happen", ended, close);
  release(m, w);
}

/* Close to a limit and moving to it, rows are derivatives of each other, and the task is done. */
static void rows_are_derivatives_next_to_limits(void **state) {
  (void)state;
  uint64_t s = seed("next to limits");
  if (jn_variant_epsilon() > 1e-10) return;
  jn_model *m = built_in("builtin:panda");
  jn_work *w;
  check_ok(jn_work_create(m, &w));
  for (int i = 0; i < 8; i++) {
    jn_task task = task_of(i % 2 ? JN_TASK_POSE : JN_TASK_POSITION, jn_frame_index(m, "panda_flange"), JN_WORLD);
    jn_tasks_options o;
    jn_tasks_options_init(&o);
    o.order = 4;
    jn_tasks *t = tasks_of(m, &task, 1, &o);
    followed f = {.q = {0.2, 0.4, -0.3, -1.7, 0.3, 1.9, 0.5}};
    int joint = i % 7;
    const jn_dof *d = jn_coordinate_dof(m, joint);
    if (joint != 3) f.q[joint] = i < 4 ? d->upper - 0.02 : d->lower + 0.01;
    begin_path(&f, m, t, &s, i % 2);
    f.step = 0.004; /* it slows down within a few hundredths of a second */
    check_ok(jn_frame_pose(m, w, task.frame, f.q, f.path.T0));
    check_motion(&f, "next to a limit");
    jn_tasks_destroy(t);
  }
  release(m, w);
}

/* A motion that begins where its posture is nearest: what is left of the pull is rounding, and not a singularity. */
static void a_pull_from_the_nearest_solution(void **state) {
  (void)state;
  if (jn_variant_epsilon() > 1e-10) return;
  jn_model *m = built_in("builtin:panda");
  const double posture[PANDA] = {0, 0, 0, -1.57, 0, 1.87, 0};
  for (int i = 1; i <= 40; i++) {
    jn_tasks_options o;
    jn_tasks_options_init(&o);
    o.order = 5;
    o.posture = posture;
    o.gain = 0.1 * i;
    jn_tasks *t = pose_tasks(m, "panda_flange", &o);
    double q[PANDA], rates[6 * 6] = {0}, v[6 * PANDA];
    jn_reach reach;
    memcpy(q, posture, sizeof q);
    check_ok(jn_tasks_motion_jet(t, 5, q, NULL, NULL, rates, v, &reach));
    q[1] += 0.1, q[3] -= 0.2, q[5] += 0.1; /* in the plane of the arm: the pull is across what is free */
    check_ok(jn_tasks_motion_jet(t, 5, q, NULL, NULL, rates, v, &reach));
    jn_tasks_destroy(t);
  }
  jn_model_destroy(m);
}

/* ---- what is reported ---- */

/* Two bars in a plane: the distance that is missing is a length, and manipulability that of what can move, a b |sin|.
 */
static void what_is_reported_of_planar_arms(void **state) {
  (void)state;
  if (jn_variant_epsilon() > 1e-10) return;
  jn_model *m = built_in("builtin:double_pendulum");
  jn_task task = task_of(JN_TASK_POSITION, jn_frame_index(m, "tip"), JN_WORLD);
  jn_tasks *t = tasks_of(m, &task, 1, NULL);
  jn_work *w;
  check_ok(jn_work_create(m, &w));
  double q[2] = {0.3, 0.9}, target[3], J[6], T[16], elbow[3], tip[3];
  jn_reach reach;
  check_ok(jn_tasks_values(t, q, target));
  check_ok(jn_tasks_solve(t, target, q, NULL, &reach));
  check_ok(jn_tasks_jacobian_jet(t, 0, q, NULL, J));
  double gram[3] = {0};
  for (int r = 0; r < 3; r++)
    gram[0] += J[2 * r] * J[2 * r], gram[1] += J[2 * r] * J[2 * r + 1], gram[2] += J[2 * r + 1] * J[2 * r + 1];
  double expected = sqrt(gram[0] * gram[2] - gram[1] * gram[1]);
  check(reach.rank == 2 && fabs(reach.manipulability - expected) < 1e-12 * expected, "%g, not %g", reach.manipulability,
        expected);
  q[1] = 0;
  check_ok(jn_tasks_values(t, q, target));
  check_ok(jn_tasks_solve(t, target, q, NULL, &reach));
  check(reach.rank == 1 && reach.manipulability == 0, "straight: rank %d, %g", reach.rank, reach.manipulability);
  check_ok(jn_frame_pose(m, w, jn_link_index(m, "lower"), q, T));
  for (int i = 0; i < 3; i++) elbow[i] = T[4 * i + 3], tip[i] = target[i];
  double direction[3], length = 0, beyond = 0.3;
  for (int i = 0; i < 3; i++) direction[i] = tip[i] - elbow[i], length += direction[i] * direction[i];
  for (int i = 0; i < 3; i++) target[i] = tip[i] + beyond * direction[i] / sqrt(length);
  q[1] = 0.2;
  check_status(jn_tasks_solve(t, target, q, NULL, &reach), JN_ERR_REACH);
  check(fabs(reach.distance - beyond) < 1e-6, "%g m are missing, not %g", reach.distance, beyond);
  jn_work_destroy(w);
  jn_tasks_destroy(t);
  jn_model_destroy(m);
}

/* ---- operational space of mechanisms ---- */

typedef struct closed_motion {
  followed f;
  int rows;
} closed_motion;

static void closed_operational_at(void *context, double t, double *x) {
  closed_motion *c = context;
  static double jets[ORDERS * NV + NQ];
  int r = c->rows;
  jets_along(&c->f, t, jets);
  const jn_operational out = {.Lambda = x, .bias = x + 2 * r * r, .Jbar = x + 2 * r * r + 2 * r};
  check_ok(jn_tasks_operational_jet(c->f.tasks, 1, jets + (c->f.order + 1) * c->f.nv, jets, &out));
}

/* Forces of the task accelerate it as asked, through all loops; those of the null space do not; orders are derivatives
 * of each other. */
static void check_closed(closed_motion *c, const jn_model *m, const jn_task *task, uint64_t *s) {
  static double jets[ORDERS * NV + NQ], x[1200], slopes[1200], J[2 * 6 * NV];
  int r = c->rows, n = c->f.nv;
  jn_loops *loops;
  check_ok(jn_loops_create(m, NULL, &loops));
  jets_along(&c->f, 0, jets);
  const double *q = jets + (c->f.order + 1) * n;
  closed_operational_at(c, 0, x);
  const double *L = x, *bias = x + 2 * r * r, *Jbar = bias + 2 * r;
  check_ok(jn_tasks_jacobian_jet(c->f.tasks, 1, q, jets, J));
  double ydd[6], F[6], null[NV], tau[NV], v_out[2 * NV], found[6] = {0};
  fill(s, ydd, r, 2);
  fill(s, null, n, 5);
  for (int a = 0; a < r; a++) {
    F[a] = bias[a];
    for (int b = 0; b < r; b++) F[a] += L[a * r + b] * ydd[b];
  }
  for (int k = 0; k < n; k++) {
    tau[k] = null[k];
    for (int a = 0; a < r; a++) {
      tau[k] += J[a * n + k] * F[a];
      for (int b = 0; b < n; b++) tau[k] -= J[a * n + k] * Jbar[b * r + a] * null[b];
    }
  }
  check_ok(jn_loops_forward_dynamics_jet(loops, 0, q, jets, tau, NULL, v_out, NULL));
  for (int a = 0; a < r; a++) {
    for (int k = 0; k < n; k++) found[a] += J[a * n + k] * v_out[n + k] + J[(r + a) * n + k] * jets[k];
    if (task->weight[a] > 0) check(fabs(found[a] - ydd[a]) < 1e-8, "row %d: %.12g, not %.12g", a, found[a], ydd[a]);
  }
  differentiate(closed_operational_at, c, 2 * (r * r + r + n * r), 0.02, slopes);
  check(distance(L + r * r, slopes, r * r, 1) < 1e-6, "Lambda' %g", distance(L + r * r, slopes, r * r, 1));
  check(distance(bias + r, slopes + 2 * r * r, r, 1) < 1e-6, "bias'");
  check(distance(Jbar + n * r, slopes + 2 * r * r + 2 * r, n * r, 1) < 1e-6, "Jbar'");
  jn_loops_destroy(loops);
}

static void operational_space_of_mechanisms(void **state) {
  (void)state;
  uint64_t s = seed("mechanisms");
  if (jn_variant_epsilon() > 1e-10) return;
  static const char *const robots[][2] = {
      {"builtin:five_bar", "tip"}, {"builtin:stewart", "platform"}, {"builtin:delta", "platform"}};
  for (int i = 0; i < 3; i++) {
    jn_model *m = built_in(robots[i][0]);
    jn_tasks_options o;
    jn_tasks_options_init(&o);
    o.order = 3;
    int pose = i == 1;
    jn_task task = task_of(pose ? JN_TASK_POSE : JN_TASK_POSITION, jn_frame_index(m, robots[i][1]), JN_WORLD);
    if (i == 0) task.weight[2] = 0; /* it moves in a plane */
    jn_tasks *t = tasks_of(m, &task, 1, &o);
    closed_motion c = {.rows = pose ? 6 : 3};
    check_ok(jn_neutral(m, c.f.q));
    begin_path(&c.f, m, t, &s, pose);
    c.f.order = 2;
    for (int k = 0; k < 3; k++) c.f.path.size[k] *= 0.3;
    if (i == 0) c.f.path.size[2] = 0;
    c.f.path.turn *= 0.3;
    jn_work *w;
    check_ok(jn_work_create(m, &w));
    check_ok(jn_frame_pose(m, w, task.frame, c.f.q, c.f.path.T0));
    check_closed(&c, m, &task, &s);
    jn_tasks_destroy(t);
    release(m, w);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(jets_by_the_complex_step),         cmocka_unit_test(free_rows_are_followed),
      cmocka_unit_test(limits_hold_along_paths),          cmocka_unit_test(rows_are_derivatives_next_to_limits),
      cmocka_unit_test(a_pull_from_the_nearest_solution), cmocka_unit_test(what_is_reported_of_planar_arms),
      cmocka_unit_test(operational_space_of_mechanisms)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
