/* SPDX-License-Identifier: BSD-2-Clause */
/* Inverse kinematics: forward kinematics of the answer is the target; limits hold; the nearest configuration to a
 * target out of reach is known; mechanisms agree with their inverse kinematics in closed form. */
#include "tasks_help.h"

/* ---- any task of any robot ---- */

static int any_joint(const jn_model *m, uint64_t *s) {
  for (;;) {
    int joint = (int)((uniform(s) + 1) / 2 * jn_link_count(m));
    if (joint < jn_link_count(m) && jn_joint_nv(m, joint) > 0) return joint;
  }
}

static jn_task any_task(const jn_model *m, uint64_t *s, int type) {
  jn_task t = task_of((jn_task_type)type, any_joint(m, s), uniform(s) > 0 ? JN_WORLD : any_joint(m, s));
  if (t.reference == t.frame || type == JN_TASK_CENTER_OF_MASS || type == JN_TASK_JOINT) t.reference = JN_WORLD;
  fill(s, t.axis, 3, 1);
  return t;
}

/* From nearby, targets that a configuration has are found again: each task alone, then three together. */
static void answers_have_the_targets(void **state) {
  (void)state;
  uint64_t s = seed("answers");
  int found = 0, all = 0;
  for (int i = 0; i < 60; i++) {
    jn_model *m = random_tree(&s, 3 + i % 8);
    jn_work *w;
    check_ok(jn_work_create(m, &w));
    jn_task task[3];
    int count = i % 3 == 2 ? 3 : 1;
    for (int k = 0; k < count; k++) task[k] = any_task(m, &s, (i + 3 * k) % JN_TASK_TYPES);
    jn_tasks *t = tasks_of(m, task, count, NULL);
    double q[NQ], v[NV], target[TARGETS], error[ROWS];
    jn_reach reach;
    check_ok(jn_random(m, &s, q));
    check_ok(jn_tasks_values(t, q, target));
    check_ok(jn_tasks_error(t, q, target, error));
    check(norm(error, jn_tasks_rows(t)) < 1e3 * jn_variant_epsilon(), "a value is its own target");
    fill(&s, v, jn_model_nv(m), 0.03);
    check_ok(jn_integrate(m, w, q, v, q));
    jn_status status = jn_tasks_solve(t, target, q, NULL, &reach);
    check(status == JN_OK || status == JN_ERR_REACH, "%s", jn_status_text(status));
    all++;
    if (status == JN_OK) {
      found++;
      double allowed = fmax(1e-12, 100 * jn_variant_epsilon());
      check_ok(jn_tasks_error(t, q, target, error));
      check(norm(error, jn_tasks_rows(t)) <= 2 * allowed, "model %d: %g is left", i, norm(error, jn_tasks_rows(t)));
      check(reach.outcome == JN_REACHED && reach.worst == JN_NONE && reach.iterations < 50, "what is reported");
    } else { /* what is nearest */
      check(reach.outcome != JN_REACHED && reach.worst >= 0, "what is reported");
    }
    jn_tasks_destroy(t);
    release(m, w);
  }
  check(found >= all - 2, "%d of %d", found, all);
}

/* ---- limits ---- */

static void check_limits(const jn_model *m, const double *q) {
  for (int v = 0; v < jn_model_nv(m); v++) {
    const jn_dof *d = jn_coordinate_dof(m, v);
    double x = q[jn_joint_q(m, jn_coordinate_joint(m, v, NULL))];
    check(x >= d->lower && x <= d->upper, "coordinate %d: %.17g is not in [%.17g, %.17g]", v, x, d->lower, d->upper);
  }
}

/* At least 99.5 % of the poses that random configurations have are found from random starts, within the limits. */
static void random_poses_are_reached(void **state) {
  (void)state;
  uint64_t s = seed("random poses");
  static const char *const robots[][2] = {{"builtin:panda", "panda_flange"}, {"builtin:kuka_iiwa", "flange"}};
  for (int r = 0; r < 2; r++) {
    jn_model *m = built_in(robots[r][0]);
    jn_tasks_options o;
    jn_tasks_options_init(&o);
    o.starts = 60;
    jn_tasks *t = pose_tasks(m, robots[r][1], &o);
    int found = 0;
    for (int i = 0; i < 400; i++) {
      double q[NQ], T[16], X[16];
      jn_reach reach;
      signed char active[NV];
      check_ok(jn_random(m, &s, q));
      check_ok(jn_tasks_values(t, q, T));
      check_ok(jn_random(m, &s, q));
      found += jn_tasks_solve(t, T, q, active, &reach) == JN_OK;
      check_limits(m, q);
      int at = 0;
      for (int v = 0; v < 7; v++) at += active[v] != 0;
      check(at == reach.limits, "limits are counted");
      check_ok(jn_tasks_values(t, q, X));
      if (reach.outcome == JN_REACHED) check(distance(X, T, 16, 1) <= 1e-12 + 200 * jn_variant_epsilon(), "pose %d", i);
    }
    check(found >= 398, "%s: %d of 400", robots[r][0], found);
    jn_tasks_destroy(t);
    jn_model_destroy(m);
  }
}

/* A follower's limits bind its leader. */
static void limits_of_followers_hold(void **state) {
  (void)state;
  jn_builder *b;
  jn_model *m;
  check_ok(jn_builder_create(NULL, &b));
  for (int i = 0; i < 2; i++) {
    jn_link l;
    jn_link_init(&l);
    l.name = i ? "follower" : "leader";
    l.parent = i ? "leader" : NULL;
    l.placement[3] = 1;
    l.joint.type = JN_REVOLUTE;
    l.joint.dof[0].lower = -1;
    l.joint.dof[0].upper = 1;
    l.joint.mimic = i ? "leader" : NULL;
    l.joint.mimic_ratio = -4;
    l.joint.mimic_offset = 0.2;
    jn_inertia_pack(1, (const double[]){0.1, 0, 0}, (const double[]){0.1, 0.1, 0.1, 0, 0, 0}, l.inertia);
    check_ok(jn_builder_add_link(b, &l));
  }
  check_ok(jn_builder_freeze(b, &m, NULL));
  jn_task task = task_of(JN_TASK_JOINT, jn_joint_index(m, "leader"), JN_WORLD);
  jn_tasks *t = tasks_of(m, &task, 1, NULL);
  jn_reach reach;
  signed char active[1];
  double q = 0, target = 0.9;
  check_status(jn_tasks_solve(t, &target, &q, active, &reach), JN_ERR_REACH);
  check(fabs(q - 0.3) < 1e-12 + 10 * jn_variant_epsilon(), "0.2 - 4 q >= -1: q <= 0.3, not %g", q);
  check(active[0] == 1 && reach.outcome == JN_REACH_LIMITS && reach.limits == 1, "it says why");
  jn_tasks_destroy(t);
  jn_model_destroy(m);
  jn_builder_destroy(b);
}

/* ---- out of reach ---- */

/* A planar arm of two bars of 1 m: a point farther than 2 m is reached to the distance that is missing, the arm
 * straight; inner points are reached. */
static void what_is_missing_is_known(void **state) {
  (void)state;
  uint64_t s = seed("missing");
  const double length[2] = {1, 1};
  jn_builder *b;
  jn_model *m;
  check_ok(jn_builder_create(NULL, &b));
  for (int i = 0; i < 2; i++) {
    jn_link l;
    jn_link_init(&l);
    l.name = i ? "b" : "a";
    l.parent = i ? "a" : NULL;
    l.placement[3] = i ? length[0] : 0;
    l.joint.type = JN_REVOLUTE;
    jn_inertia_pack(1, (const double[]){0.5, 0, 0}, (const double[]){0.1, 0.1, 0.1, 0, 0, 0}, l.inertia);
    check_ok(jn_builder_add_link(b, &l));
  }
  double tip[16] = {1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  check_ok(jn_builder_add_frame(b, "tip", "b", tip));
  check_ok(jn_builder_freeze(b, &m, NULL));
  jn_task task = task_of(JN_TASK_POSITION, jn_frame_index(m, "tip"), JN_WORLD);
  task.weight[2] = 0;
  jn_tasks_options o;
  jn_tasks_options_init(&o);
  o.starts = 5;
  jn_tasks *t = tasks_of(m, &task, 1, &o);
  for (int i = 0; i < 40; i++) {
    double angle = M_PI * uniform(&s), far = 1.5 + 1.4 * uniform(&s), q[2] = {uniform(&s), uniform(&s)};
    if (fabs(far - 2) < 1e-3 || far < 0.2) continue;
    const double target[3] = {far * cos(angle), far * sin(angle), 0};
    jn_reach reach;
    jn_status status = jn_tasks_solve(t, target, q, NULL, &reach);
    check_status(status, far < 2 ? JN_OK : JN_ERR_REACH);
    if (far < 2) continue;
    double x[2] = {cos(q[0]) + cos(q[0] + q[1]) - target[0], sin(q[0]) + sin(q[0] + q[1]) - target[1]};
    check(fabs(hypot(x[0], x[1]) - (far - 2)) < 1e-6, "%g is missing, not %g", far - 2, hypot(x[0], x[1]));
    check(reach.outcome == JN_REACH_SHORT && reach.worst == 0, "%s", jn_reach_text(reach.outcome));
    /* at a minimum, the arm is straight to the root of the rounding: too little in float to call it singular */
    check(reach.rank == 1 || jn_variant_epsilon() > 1e-10, "rank %d", reach.rank);
  }
  jn_tasks_destroy(t);
  jn_model_destroy(m);
  jn_builder_destroy(b);
}

static double weighted_cost(jn_tasks *t, const double *q, const double *target) {
  double e[ROWS], sum = 0;
  check_ok(jn_tasks_error(t, q, target, e));
  for (int i = 0; i < jn_tasks_rows(t); i++) sum += e[i] * e[i];
  return sum;
}

/* Of poses out of reach, the answer is a minimum of the error within the limits, found in few iterations: second
 * derivatives are right, or it would take hundreds. */
static void answers_out_of_reach_are_nearest(void **state) {
  (void)state;
  uint64_t s = seed("nearest");
  if (jn_variant_epsilon() > 1e-10) return;
  jn_model *m = built_in("builtin:panda");
  jn_tasks *t = pose_tasks(m, "panda_flange", NULL);
  int iterations = 0, count = 0;
  for (int i = 0; i < 100; i++) {
    double q[7], near[7], T[16];
    jn_reach reach;
    check_ok(jn_random(m, &s, q));
    check_ok(jn_tasks_values(t, q, T));
    for (int k = 0; k < 3; k++) T[4 * k + 3] *= 1.6;
    check_ok(jn_random(m, &s, q));
    jn_status status = jn_tasks_solve(t, T, q, NULL, &reach);
    if (status == JN_OK) continue;
    check_status(status, JN_ERR_REACH);
    check_limits(m, q);
    iterations += reach.iterations;
    count++;
    double best = weighted_cost(t, q, T);
    for (int k = 0; k < 40; k++) {
      for (int v = 0; v < 7; v++) {
        const jn_dof *d = jn_coordinate_dof(m, v);
        near[v] = fmin(fmax(q[v] + 1e-3 * uniform(&s), d->lower), d->upper);
      }
      double cost = weighted_cost(t, near, T);
      check(cost > best - 1e-9, "pose %d: %.15g is less than %.15g", i, cost, best);
    }
  }
  check(count > 50 && iterations < 25 * count, "%d iterations for %d poses", iterations, count);
  jn_tasks_destroy(t);
  jn_model_destroy(m);
}

/* ---- priorities ---- */

/* A second task that cannot be done together with the first does not disturb it, and is at its own best: no motion that
 * keeps the first makes it better. */
static void priorities_are_kept(void **state) {
  (void)state;
  uint64_t s = seed("priorities");
  if (jn_variant_epsilon() > 1e-10) return;
  jn_model *m = built_in("builtin:panda");
  jn_task task[2] = {task_of(JN_TASK_POSITION, jn_frame_index(m, "panda_flange"), JN_WORLD),
                     task_of(JN_TASK_POSITION, jn_link_index(m, "panda_link4"), JN_WORLD)};
  task[1].priority = 3;
  jn_tasks_options o;
  jn_tasks_options_init(&o);
  o.ignore_limits = 1;
  o.iterations = 3000;
  jn_tasks *t = tasks_of(m, task, 2, &o), *first = tasks_of(m, task, 1, &o), *second = tasks_of(m, task + 1, 1, &o);
  for (int i = 0; i < 20; i++) {
    double q[7], target[6], J[6 * 7], e[6], near[7], v[7];
    jn_reach reach;
    check_ok(jn_random(m, &s, q));
    check_ok(jn_tasks_values(t, q, target));
    fill(&s, target + 3, 3, 0.5); /* the elbow somewhere else */
    check_ok(jn_tasks_solve(t, target, q, NULL, &reach));
    check_ok(jn_tasks_error(t, q, target, e));
    check(norm(e, 3) <= 1e-12, "the first is kept to %g", norm(e, 3));
    check_ok(jn_tasks_jacobian_jet(t, 0, q, NULL, J));
    double best = e[3] * e[3] + e[4] * e[4] + e[5] * e[5];
    jn_work *w;
    check_ok(jn_work_create(m, &w));
    for (int k = 0; k < 50; k++) { /* small motions, with the first task restored */
      double x[3];
      fill(&s, v, 7, 0.02);
      check_ok(jn_integrate(m, w, q, v, near));
      if (jn_tasks_solve(first, target, near, NULL, NULL) != JN_OK) continue;
      check_ok(jn_tasks_error(second, near, target + 3, x));
      double cost = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
      check(cost >= best - 1e-7, "sample %d: %.9g is better than %.9g", i, cost, best);
    }
    jn_work_destroy(w);
  }
  jn_tasks_destroy(t);
  jn_tasks_destroy(first);
  jn_tasks_destroy(second);
  jn_model_destroy(m);
}

/* ---- invariance ---- */

/* The same target, given in the world or in another frame that does not move, gives the same answer. */
static void answers_do_not_depend_on_the_reference(void **state) {
  (void)state;
  uint64_t s = seed("invariance");
  jn_model *old = built_in("builtin:panda"), *m;
  jn_builder *b;
  check_ok(jn_model_thaw(old, NULL, &b));
  jn_link table;
  jn_link_init(&table);
  table.name = "table";
  random_placement(&s, table.placement);
  check_ok(jn_builder_add_link(b, &table));
  check_ok(jn_builder_freeze(b, &m, NULL));
  int frame = jn_frame_index(m, "panda_flange"), base = jn_link_index(m, "table");
  for (int i = 0; i < 20; i++) {
    jn_task here = task_of((jn_task_type)(i % 5), frame, JN_WORLD), there = task_of((jn_task_type)(i % 5), frame, base);
    if (i % 5 == JN_TASK_DISTANCE) there.reference = jn_link_index(m, "table"), here = there;
    jn_tasks *a = tasks_of(m, &here, 1, NULL), *c = tasks_of(m, &there, 1, NULL);
    double q[7], p[7], target[16], other[16];
    check_ok(jn_random(m, &s, q));
    check_ok(jn_tasks_values(a, q, target));
    check_ok(jn_tasks_values(c, q, other));
    for (int k = 0; k < 7; k++) p[k] = q[k] = 0.9 * q[k] - 0.02;
    jn_reach reach;
    jn_status one = jn_tasks_solve(a, target, q, NULL, &reach), two = jn_tasks_solve(c, other, p, NULL, NULL);
    check(one == two, "both or none");
    double allowed = fmax(1e-11, 1e3 * jn_variant_epsilon()) / reach.weakest; /* targets are met to 1e-12 */
    check(distance(q, p, 7, 1) < allowed, "%s: apart by %g", jn_task_type_name(here.type), distance(q, p, 7, 1));
    jn_tasks_destroy(a);
    jn_tasks_destroy(c);
  }
  jn_model_destroy(m);
  jn_model_destroy(old);
  jn_builder_destroy(b);
}

/* ---- mechanisms ---- */

/* A tip in the plane, and the angle at its foot of a crank of length a with a rod of length b to it. */
static double crank_angle(double x, double y, double a, double b, double side) {
  double d = hypot(x, y);
  return atan2(y, x) + side * acos((a * a + d * d - b * b) / (2 * a * d));
}

/* The five-bar: each crank by the property of cosines. */
static void the_five_bar_in_closed_form(void **state) {
  (void)state;
  uint64_t s = seed("five-bar");
  if (jn_variant_epsilon() > 1e-10) return;
  jn_model *m = built_in("builtin:five_bar");
  jn_task task = task_of(JN_TASK_POSITION, jn_frame_index(m, "tip"), JN_WORLD);
  task.weight[2] = 0; /* it moves in a plane */
  jn_tasks *t = tasks_of(m, &task, 1, NULL);
  double start[NQ], at[3], foot[2][2], T[16];
  jn_work *w;
  check_ok(jn_work_create(m, &w));
  check_ok(jn_neutral(m, start));
  check_ok(jn_tasks_values(t, start, at));
  const char *const cranks[2] = {"left_crank", "right_crank"}, *const rods[2] = {"left_rod", "right_rod"};
  double a[2], b[2], zero[2], side[2] = {1, -1};
  for (int k = 0; k < 2; k++) {
    check_ok(jn_frame_pose(m, w, jn_link_index(m, cranks[k]), start, T));
    foot[k][0] = T[3], foot[k][1] = T[7];
    check_ok(jn_frame_pose(m, w, jn_link_index(m, rods[k]), start, T));
    a[k] = hypot(T[3] - foot[k][0], T[7] - foot[k][1]);
    b[k] = hypot(at[0] - T[3], at[1] - T[7]);
    double now = atan2(T[7] - foot[k][1], T[3] - foot[k][0]);
    for (int try = 0; try < 2; try++, side[k] = -side[k]) {
      zero[k] = now - crank_angle(at[0] - foot[k][0], at[1] - foot[k][1], a[k], b[k], side[k]);
      if (fabs(zero[k]) < 1e-9) break;
    }
    check(fabs(zero[k]) < 1e-9, "crank %d", k);
    zero[k] = now; /* its angle at q = 0 */
  }
  for (int i = 0; i < 50; i++) {
    double q[NQ], target[3] = {at[0] + 0.05 * uniform(&s), at[1] + 0.05 * uniform(&s), at[2]};
    jn_reach reach;
    memcpy(q, start, sizeof q);
    check_ok(jn_tasks_solve(t, target, q, NULL, &reach));
    check(reach.gap <= 1e-12 && reach.rank == 2, "closed, and two directions");
    const char *const motors[2] = {"left_motor", "right_motor"};
    for (int k = 0; k < 2; k++) {
      double angle = crank_angle(target[0] - foot[k][0], target[1] - foot[k][1], a[k], b[k], side[k]);
      double found = q[jn_joint_q(m, jn_joint_index(m, motors[k]))];
      check(fabs(found - (angle - zero[k])) < 1e-10, "motor %d: %.15g and %.15g", k, found, angle - zero[k]);
    }
  }
  jn_work_destroy(w);
  jn_tasks_destroy(t);
  jn_model_destroy(m);
}

/* The Stewart platform: legs are |p + R b - a|, with balls and feet where they are at q = 0. */
static void the_stewart_platform_in_closed_form(void **state) {
  (void)state;
  uint64_t s = seed("Stewart platform");
  if (jn_variant_epsilon() > 1e-10) return;
  jn_model *m = built_in("builtin:stewart");
  jn_tasks *t = pose_tasks(m, "platform", NULL);
  jn_work *w;
  check_ok(jn_work_create(m, &w));
  double start[NQ], T0[16];
  check_ok(jn_neutral(m, start));
  check_ok(jn_tasks_values(t, start, T0));
  for (int i = 0; i < 20; i++) {
    double q[NQ], X[6], D[16], T[16];
    jn_reach reach;
    fill(&s, X, 3, 0.15);
    fill(&s, X + 3, 3, 0.06);
    check_ok(jn_se3_exp(X, D));
    check_ok(jn_se3_multiply(T0, D, T));
    memcpy(q, start, sizeof q);
    check_ok(jn_tasks_solve(t, T, q, NULL, &reach));
    check(reach.gap <= 1e-12 && reach.rank == 6 && reach.angle <= 1e-12 && reach.distance <= 1e-12, "all of it");
    for (int k = 0; k < jn_loop_count(m); k++) {
      const jn_loop *ball = jn_loop_description(m, k);
      double P[2][16], foot[16], point[2][3];
      char leg[8];
      int platform_is_a = strcmp(ball->link_a, "platform") == 0;
      const double *in_platform = platform_is_a ? ball->placement_a : ball->placement_b;
      snprintf(leg, sizeof leg, "leg%d", (k + 1) % 10);
      char cylinder[16];
      snprintf(cylinder, sizeof cylinder, "cylinder%d", (k + 1) % 10);
      check_ok(jn_frame_pose(m, w, jn_link_index(m, cylinder), start, foot));
      memcpy(P[0], T0, sizeof T0);
      memcpy(P[1], T, sizeof T);
      double length[2];
      for (int e = 0; e < 2; e++) {
        double sum = 0;
        for (int c = 0; c < 3; c++) {
          point[e][c] = P[e][4 * c + 3] - foot[4 * c + 3];
          for (int d = 0; d < 3; d++) point[e][c] += P[e][4 * c + d] * in_platform[4 * d + 3];
          sum += point[e][c] * point[e][c];
        }
        length[e] = sqrt(sum);
      }
      double found = q[jn_joint_q(m, jn_joint_index(m, leg))];
      check(fabs(found - (length[1] - length[0])) < 1e-11, "%s: %.15g and %.15g", leg, found, length[1] - length[0]);
    }
  }
  jn_work_destroy(w);
  jn_tasks_destroy(t);
  jn_model_destroy(m);
}

/* The delta robot: |p + 0.06 e - 0.16 e - 0.2 (cos t e - sin t z)| = 0.5 for the direction e of each arm. */
static void the_delta_robot_in_closed_form(void **state) {
  (void)state;
  uint64_t s = seed("delta robot");
  if (jn_variant_epsilon() > 1e-10) return;
  const double l = 0.2, rod = 0.5;
  jn_model *m = built_in("builtin:delta");
  jn_task task = task_of(JN_TASK_POSITION, jn_link_index(m, "platform"), JN_WORLD);
  jn_tasks *t = tasks_of(m, &task, 1, NULL);
  double start[NQ], at[3];
  check_ok(jn_neutral(m, start));
  check_ok(jn_tasks_values(t, start, at));
  for (int i = 0; i < 30; i++) {
    double q[NQ], p[3], target[3];
    jn_reach reach;
    fill(&s, p, 3, 0.06);
    for (int k = 0; k < 3; k++) target[k] = at[k] + p[k];
    memcpy(q, start, sizeof q);
    check_ok(jn_tasks_solve(t, target, q, NULL, &reach));
    check(reach.gap <= 1e-12 && reach.rank == 3, "closed, and three directions: %d", reach.rank);
    for (int e = 0; e < 3; e++) {
      double angle = 2 * M_PI * e / 3, c = cos(angle), b = sin(angle);
      double y = -b * p[0] + c * p[1], X = c * p[0] + b * p[1] + 0.06 - 0.16, Z = p[2] - 0.4;
      double side = (X * X + y * y + Z * Z + l * l - rod * rod) / (2 * l), R = hypot(X, Z);
      double expected = -atan2(Z, X) - acos(side / R);
      char motor[8];
      snprintf(motor, sizeof motor, "motor%d", (e + 1) % 10);
      double found = q[jn_joint_q(m, jn_joint_index(m, motor))];
      check(fabs(remainder(found - expected, 2 * M_PI)) < 1e-10, "%s: %.15g and %.15g", motor, found, expected);
    }
  }
  jn_tasks_destroy(t);
  jn_model_destroy(m);
}

/* ---- many ---- */

static void batches_are_their_parts(void **state) {
  (void)state;
  uint64_t s = seed("batches");
  enum { COUNT = 1300 }; /* more than two blocks of lanes */
  jn_model *m = built_in("builtin:panda");
  jn_tasks_options o;
  jn_tasks_options_init(&o);
  o.starts = 30;
  jn_tasks *one = pose_tasks(m, "panda_flange", &o);
  o.threads = 3;
  jn_tasks *more = pose_tasks(m, "panda_flange", &o);
  static double q[COUNT * 7], p[COUNT * 7], from[COUNT * 7], T[COUNT * 16];
  static jn_reach reach[COUNT], again[COUNT];
  for (int i = 0; i < COUNT; i++) {
    check_ok(jn_random(m, &s, q + 7 * i));
    check_ok(jn_tasks_values(one, q + 7 * i, T + 16 * i));
    check_ok(jn_random(m, &s, q + 7 * i));
  }
  memcpy(p, q, sizeof p);
  memcpy(from, q, sizeof p);
  jn_status a = jn_tasks_solve_batch(one, COUNT, T, q, NULL), b = jn_tasks_solve_batch(more, COUNT, T, p, reach);
  check(a == b && distance(q, p, COUNT * 7, 1) < fmax(1e-9, 1e4 * jn_variant_epsilon()),
        "what is asked for does not change results");
  memcpy(q, from, sizeof q);
  check(jn_tasks_solve_batch(one, COUNT, T, q, again) == b && memcmp(q, p, sizeof q) == 0, "nor do threads");
  int found = 0;
  for (int i = 0; i < COUNT; i++) {
    double error[6];
    check((reach[i].outcome == JN_REACHED) || b == JN_ERR_REACH, "what is not reached is said");
    check(reach[i].iterations == again[i].iterations && reach[i].starts == again[i].starts, "how it was found");
    check_limits(m, p + 7 * i);
    check_ok(jn_tasks_error(one, p + 7 * i, T + 16 * i, error));
    found += norm(error, 6) <= 2e-12 + 200 * jn_variant_epsilon();
  }
  check(found >= COUNT - 1, "%d of %d", found, COUNT);
  check_ok(jn_tasks_solve_batch(more, 0, NULL, NULL, NULL));
  jn_tasks_destroy(one);
  jn_tasks_destroy(more);
  jn_model_destroy(m);
}

/* ---- mistakes ---- */

static void mistakes_are_refused(void **state) {
  (void)state;
  jn_model *m = built_in("builtin:panda");
  jn_task task;
  jn_tasks_options o;
  jn_tasks *t;
  jn_task_init(&task);
  jn_tasks_options_init(&o);
  check_status(jn_tasks_create(NULL, &task, 1, &o, &t), JN_ERR_NULL);
  check_status(jn_tasks_create(m, &task, 0, &o, &t), JN_ERR_SIZE);
  task.frame = 1000;
  check_status(jn_tasks_create(m, &task, 1, &o, &t), JN_ERR_INDEX);
  task.frame = 1;
  task.reference = 1000;
  check_status(jn_tasks_create(m, &task, 1, &o, &t), JN_ERR_INDEX);
  task.reference = JN_WORLD;
  task.weight[2] = -1;
  check_status(jn_tasks_create(m, &task, 1, &o, &t), JN_ERR_SIZE);
  memset(task.weight, 0, sizeof task.weight);
  check_status(jn_tasks_create(m, &task, 1, &o, &t), JN_ERR_SIZE);
  jn_task_init(&task);
  task.type = JN_TASK_POSITION;
  task.weight[0] = task.weight[1] = task.weight[2] = 0;
  check_status(jn_tasks_create(m, &task, 1, &o, &t), JN_ERR_SIZE);
  task.size = 3;
  check_status(jn_tasks_create(m, &task, 1, &o, &t), JN_ERR_INIT);
  jn_task_init(&task);
  o.starts = 0;
  check_status(jn_tasks_create(m, &task, 1, &o, &t), JN_ERR_SIZE);
  jn_tasks_options_init(&o);
  o.gain = 1;
  check_status(jn_tasks_create(m, &task, 1, &o, &t), JN_ERR_SIZE);
  o.size = 0;
  check_status(jn_tasks_create(m, &task, 1, &o, &t), JN_ERR_INIT);
  task = task_of(JN_TASK_JOINT, jn_link_count(m), JN_WORLD);
  check_status(jn_tasks_create(m, &task, 1, NULL, &t), JN_ERR_INDEX);
  jn_task_init(&task);
  t = tasks_of(m, &task, 1, NULL);
  double q[7] = {0}, x[200] = {0};
  int count;
  check_status(jn_tasks_solve(t, NULL, q, NULL, NULL), JN_ERR_NULL);
  check_status(jn_tasks_jacobian_jet(t, 2, q, q, x), JN_ERR_WORK);
  check_status(jn_tasks_motion_jet(t, -1, q, NULL, NULL, x, x, NULL), JN_ERR_SIZE);
  check(jn_tasks_target(t, 0, &count) == 0 && count == 16 && jn_tasks_target(t, 1, NULL) == -1, "targets");
  check(jn_tasks_row(t, 0, &count) == 0 && count == 6 && jn_tasks_row(t, -1, NULL) == -1, "rows");
  check(!jn_task_type_name(JN_TASK_TYPES) && !jn_reach_text(JN_REACH_OUTCOMES), "names");
  x[0] = NAN;
  check_status(jn_tasks_solve(t, x, q, NULL, NULL), JN_ERR_REACH);
  jn_tasks_destroy(t);
  jn_tasks_destroy(NULL);
  jn_model_destroy(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(answers_have_the_targets),
                                     cmocka_unit_test(random_poses_are_reached),
                                     cmocka_unit_test(limits_of_followers_hold),
                                     cmocka_unit_test(what_is_missing_is_known),
                                     cmocka_unit_test(answers_out_of_reach_are_nearest),
                                     cmocka_unit_test(priorities_are_kept),
                                     cmocka_unit_test(answers_do_not_depend_on_the_reference),
                                     cmocka_unit_test(the_five_bar_in_closed_form),
                                     cmocka_unit_test(the_stewart_platform_in_closed_form),
                                     cmocka_unit_test(the_delta_robot_in_closed_form),
                                     cmocka_unit_test(batches_are_their_parts),
                                     cmocka_unit_test(mistakes_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
