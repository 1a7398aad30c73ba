/* SPDX-License-Identifier: BSD-2-Clause */
/* The built-in mechanisms against their solutions by hand: positions, velocities and accelerations in closed form, the
 * motors' forces by d'Alembert's principle in the independent coordinates,
 *   tau_k = sum over bodies  m (c'' - g) . dc/dq_k + moment of inertia forces . rotation/dq_k
 * and of the platforms by Newton and Euler. Masses and moments are read from the models, formulas are the test's own.
 * Then what holds of all: the equations of motion, and time derivatives along the exact motion. */
#include "linkage.h"

#include "jounce/io.h"

enum { V = 24, Q = 25, ROWS = 18, LINKS = 13 };

static const double G = 9.81;

typedef struct robot {
  jn_model *m;
  jn_loops *l;
  jn_work *w;
  int n, rows;
  unsigned char motors[V];
} robot;

static robot load(const char *name, int order) {
  robot x = {0};
  char source[64];
  jn_loops_options options;
  snprintf(source, sizeof source, "builtin:%s", name);
  check_ok(jn_load(source, NULL, &x.m, NULL));
  jn_loops_options_init(&options);
  options.order = order;
  check_ok(jn_loops_create(x.m, &options, &x.l));
  check_ok(jn_work_create(x.m, &x.w));
  x.n = jn_model_nv(x.m);
  x.rows = jn_loops_rows(x.l);
  for (int k = 0; k < x.n; k++) x.motors[k] = jn_coordinate_dof(x.m, k)->effort > 0;
  return x;
}

static void unload(robot *x) {
  jn_work_destroy(x->w);
  jn_loops_destroy(x->l);
  jn_model_destroy(x->m);
}

static double largest(const double *x, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

static void near(double found, double expected, double tolerance, const char *what) {
  check(fabs(found - expected) < tolerance * (1 + fabs(expected)), "%s: %.14g, by hand %.14g", what, found, expected);
}

/* ---- planar bodies ---- */

/* A link's mass, distance of its centre from its first pin, angle of that and of its second pin at q = 0, and moment.
 */
typedef struct body {
  double mass, arm, lean, moment;
} body;

static body planar_body(const jn_model *m, const char *name, double pin_x, double pin_y) {
  double inertia[10], mass, com[3], tensor[6];
  check_ok(jn_link_inertia(m, jn_link_index(m, name), inertia));
  jn_inertia_unpack(inertia, &mass, com, tensor);
  return (body){mass, hypot(com[0], com[1]), atan2(com[1], com[0]) - atan2(pin_y, pin_x), tensor[2]};
}

/* A point or an angle with rate, second rate, and partial derivatives by two independent coordinates. */
typedef struct moving {
  double x, y, dx, dy, ddx, ddy, px[2], py[2];
} moving;
typedef struct turning {
  double at, rate, second, by[2];
} turning;

/* The point at distance r of p along angle t + lean. */
static moving beyond(const moving *p, const turning *t, double r, double lean) {
  double c = r * cos(t->at + lean), s = r * sin(t->at + lean), w = t->rate, a = t->second;
  moving e = {p->x + c, p->y + s, p->dx - s * w, p->dy + c * w, p->ddx - s * a - c * w * w, p->ddy + c * a - s * w * w,
              {0},      {0}};
  for (int k = 0; k < 2; k++) e.px[k] = p->px[k] - s * t->by[k], e.py[k] = p->py[k] + c * t->by[k];
  return e;
}

/* What a body that turns by t about its first pin p asks of the motors. */
static void add_forces(const body *b, const moving *p, const turning *t, double tau[2]) {
  moving c = beyond(p, t, b->arm, b->lean);
  for (int k = 0; k < 2; k++)
    tau[k] += b->mass * (c.ddx * c.px[k] + (c.ddy + G) * c.py[k]) + b->moment * t->second * t->by[k];
}

/* Two bars of lengths l1, l2 from p1, p2 meet in a point, to the left of p1 -> p2: their angles. */
static void dyad(const moving *p1, const moving *p2, double l1, double l2, turning *t1, turning *t2) {
  double x = p2->x - p1->x, y = p2->y - p1->y, d = hypot(x, y), along = (d * d + l1 * l1 - l2 * l2) / (2 * d),
         high = sqrt(l1 * l1 - along * along), tip[2] = {along * x / d - high * y / d, along * y / d + high * x / d};
  t1->at = atan2(tip[1], tip[0]);
  t2->at = atan2(tip[1] - y, tip[0] - x);
  /* p1 + l1 u(t1) = p2 + l2 u(t2), differentiated: l1 n1 dt1 - l2 n2 dt2 = b */
  double n1[2] = {-l1 * sin(t1->at), l1 * cos(t1->at)}, n2[2] = {-l2 * sin(t2->at), l2 * cos(t2->at)};
  double det = -n1[0] * n2[1] + n1[1] * n2[0];
  for (int k = 0; k < 4; k++) {
    double b[2] = {0};
    if (k < 2) b[0] = p2->px[k] - p1->px[k], b[1] = p2->py[k] - p1->py[k];
    if (k == 2) b[0] = p2->dx - p1->dx, b[1] = p2->dy - p1->dy;
    if (k == 3) { /* u'' = n t'' - u t'^2, and u l = (n_y, -n_x) */
      double w1 = t1->rate * t1->rate, w2 = t2->rate * t2->rate;
      b[0] = p2->ddx - p1->ddx + n1[1] * w1 - n2[1] * w2;
      b[1] = p2->ddy - p1->ddy - n1[0] * w1 + n2[0] * w2;
    }
    double first = (-b[0] * n2[1] + b[1] * n2[0]) / det, second = (n1[0] * b[1] - n1[1] * b[0]) / det;
    *(k < 2 ? &t1->by[k] : k == 2 ? &t1->rate : &t1->second) = first;
    *(k < 2 ? &t2->by[k] : k == 2 ? &t2->rate : &t2->second) = second;
  }
}

/* Both dynamics at the state that the motors' q, v, a make; expected: angles of all joints, motors' forces. */
static void check_planar(robot *x, const double *motion, const double *expected, const double *tau) {
  int n = x->n, motor = 0;
  double q[4], v[8], forces[4], back[8], residual;
  for (int k = 0; k < n; k++) {
    q[k] = x->motors[k] ? motion[k] : expected[k] + 0.02; /* from a guess */
    v[k] = motion[n + k];
    v[n + k] = motion[2 * n + k];
  }
  check_ok(jn_loops_assemble(x->l, x->motors, 0, q, &residual));
  check_ok(jn_loops_complete_motion(x->l, 0, x->motors, q, v));
  check_ok(jn_loops_inverse_dynamics_jet(x->l, 0, x->motors, JN_LEAST_TORQUE, NULL, q, v, NULL, NULL, forces, NULL));
  check_ok(jn_loops_forward_dynamics_jet(x->l, 0, q, v, forces, NULL, back, NULL));
  for (int k = 0; k < n; k++) {
    near(q[k], expected[k], 1e-10, "position");
    near(v[k], expected[n + k], 1e-9, "velocity");
    near(v[n + k], expected[2 * n + k], 1e-9, "acceleration");
    near(back[n + k], expected[2 * n + k], 1e-8, "forward dynamics");
    if (x->motors[k]) near(forces[k], tau[motor++], 1e-9, "torque");
  }
}

/* Joint coordinates from absolute angles: of a link on its parent, less what they are at q = 0. */
static void joint_from(double *expected, int n, int k, const turning *t, const turning *parent, double zero) {
  double at = t->at - (parent ? parent->at : 0) - zero;
  expected[k] = remainder(at, 2 * M_PI);
  expected[n + k] = t->rate - (parent ? parent->rate : 0);
  expected[2 * n + k] = t->second - (parent ? parent->second : 0);
}

static void the_four_bar_by_hand(void **state) {
  (void)state;
  uint64_t s = seed("four bar");
  if (jn_variant_epsilon() > 1e-10) return;
  robot x = load("four_bar", 0);
  body crank = planar_body(x.m, "crank", 0, 0.2), coupler = planar_body(x.m, "coupler", 0.6, 0.25),
       rocker = planar_body(x.m, "rocker", 0, 0.45);
  for (int i = 0; i < 40; i++) {
    double q = 3 * uniform(&s), v = 4 * uniform(&s), a = 20 * uniform(&s), expected[9], tau[2] = {0};
    turning t = {q + M_PI / 2, v, a, {1, 0}}, rod = {0}, swing = {0};
    moving ground = {0}, far = {.x = 0.6}, pin = beyond(&ground, &t, 0.2, 0);
    dyad(&pin, &far, 0.65, 0.45, &rod, &swing);
    joint_from(expected, 3, 0, &t, NULL, M_PI / 2);
    joint_from(expected, 3, 1, &rod, &t, atan2(0.25, 0.6) - M_PI / 2);
    joint_from(expected, 3, 2, &swing, NULL, M_PI / 2);
    add_forces(&crank, &ground, &t, tau);
    add_forces(&coupler, &pin, &rod, tau);
    add_forces(&rocker, &far, &swing, tau);
    check_planar(&x, (const double[]){q, 0, 0, v, 0, 0, a, 0, 0}, expected, tau);
  }
  unload(&x);
}

static void the_five_bar_by_hand(void **state) {
  (void)state;
  uint64_t s = seed("five bar");
  if (jn_variant_epsilon() > 1e-10) return;
  robot x = load("five_bar", 0);
  body crank[2] = {planar_body(x.m, "left_crank", -0.12, 0.16), planar_body(x.m, "right_crank", 0.12, 0.16)},
       rod[2] = {planar_body(x.m, "left_rod", 0.21, 0.28), planar_body(x.m, "right_rod", -0.21, 0.28)};
  for (int i = 0; i < 40; i++) {
    double motion[12] = {0}, expected[12], tau[2] = {0};
    turning t[2], r[2] = {0};
    moving ground[2] = {{.x = -0.09}, {.x = 0.09}}, elbow[2];
    for (int k = 0; k < 2; k++) {
      motion[2 * k] = 0.4 * uniform(&s), motion[4 + 2 * k] = 4 * uniform(&s), motion[8 + 2 * k] = 20 * uniform(&s);
      t[k] = (turning){motion[2 * k] + atan2(0.16, k ? 0.12 : -0.12), motion[4 + 2 * k], motion[8 + 2 * k], {!k, k}};
      elbow[k] = beyond(&ground[k], &t[k], 0.2, 0);
    }
    dyad(&elbow[0], &elbow[1], 0.35, 0.35, &r[0], &r[1]);
    for (int k = 0; k < 2; k++) {
      double zero = atan2(0.16, k ? 0.12 : -0.12);
      joint_from(expected, 4, 2 * k, &t[k], NULL, zero);
      joint_from(expected, 4, 2 * k + 1, &r[k], &t[k], atan2(0.28, k ? -0.21 : 0.21) - zero);
      add_forces(&crank[k], &ground[k], &t[k], tau);
      add_forces(&rod[k], &elbow[k], &r[k], tau);
    }
    check_planar(&x, motion, expected, tau);
  }
  unload(&x);
}

/* x = r cos + sqrt(l^2 - r^2 sin^2); and the force in the wrist pin: along x it moves the slider, across it holds the
 * rod. */
static void the_slider_crank_by_hand(void **state) {
  (void)state;
  uint64_t s = seed("slider crank");
  if (jn_variant_epsilon() > 1e-10) return;
  robot x = load("slider_crank", 0);
  body crank = planar_body(x.m, "crank", 0.06, 0.08), rod = planar_body(x.m, "rod", 0.315, -0.08);
  const double r = 0.1, L = 0.325, slider = 0.8, zero = atan2(0.08, 0.06);
  for (int i = 0; i < 40; i++) {
    double q = 3 * uniform(&s), v = 4 * uniform(&s), a = 20 * uniform(&s), tau[2] = {0};
    turning t = {q + zero, v, a, {1, 0}}, lean = {.at = -asin(r * sin(q + zero) / L)};
    double S = r * sin(t.at), C = r * cos(t.at), c = L * cos(lean.at), d = L * sin(lean.at);
    /* L sin(lean) = -r sin(t), twice differentiated by t */
    double first = -C / c, second = (S + d * first * first) / c;
    lean.rate = first * v, lean.second = first * a + second * v * v, lean.by[0] = first;
    double by = -S - d * first, by2 = -C - c * first * first - d * second;
    double expected[9] = {0}, acceleration = by * a + by2 * v * v;
    moving ground = {0}, pin = beyond(&ground, &t, r, 0);
    joint_from(expected, 3, 0, &t, NULL, zero);
    joint_from(expected, 3, 1, &lean, &t, atan2(-0.08, 0.315) - zero);
    expected[2] = C + c - 0.375, expected[5] = by * v, expected[8] = acceleration;
    add_forces(&crank, &ground, &t, tau);
    add_forces(&rod, &pin, &lean, tau);
    tau[0] += slider * acceleration * by;
    check_planar(&x, (const double[]){q, 0, 0, v, 0, 0, a, 0, 0}, expected, tau);
    double lambda[5], forces[3], W[12];
    check_ok(jn_loops_inverse_dynamics_jet(x.l, 0, x.motors, JN_LEAST_TORQUE, NULL, expected, expected + 3, NULL, NULL,
                                           forces, lambda));
    check_ok(jn_loops_wrenches(x.l, expected, lambda, W));
    near(W[9], slider * acceleration, 1e-9, "force along the slide");
    /* about the crank pin: (P - B) x F = (c - B) x m (c'' - g) + I lean'' with F = -(W on the slider) */
    moving centre = beyond(&pin, &lean, rod.arm, rod.lean);
    double moment =
        rod.mass * ((centre.x - pin.x) * (centre.ddy + G) - (centre.y - pin.y) * centre.ddx) + rod.moment * lean.second;
    near(-c * W[10] + d * W[9], moment, 1e-9, "moment of the wrist pin about the crank pin");
  }
  unload(&x);
}

/* ---- platforms ---- */

static void cross(const double *a, const double *b, double *out) {
  for (int i = 0; i < 3; i++) out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}
static double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* Gauss with row exchange; b becomes x. */
static void gauss(int n, double *M, double *b) {
  for (int k = 0; k < n; k++) {
    int p = k;
    for (int i = k + 1; i < n; i++) p = fabs(M[i * n + k]) > fabs(M[p * n + k]) ? i : p;
    for (int j = 0; j < n; j++) {
      double t = M[k * n + j];
      M[k * n + j] = M[p * n + j], M[p * n + j] = t;
    }
    double t = b[k];
    b[k] = b[p], b[p] = t;
    for (int i = k + 1; i < n; i++) {
      double f = M[i * n + k] / M[k * n + k];
      for (int j = k; j < n; j++) M[i * n + j] -= f * M[k * n + j];
      b[i] -= f * b[k];
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    for (int j = k + 1; j < n; j++) b[k] -= M[k * n + j] * b[j];
    b[k] /= M[k * n + k];
  }
}

/* The robot with the links massless whose name begins with one of the prefixes. */
static void make_massless(robot *x, const char *prefix1, const char *prefix2) {
  double pi[10 * LINKS];
  jn_model *light;
  check_ok(jn_parameters(x->m, pi));
  for (int i = 0; i < jn_link_count(x->m); i++) {
    const char *name = jn_link_name(x->m, i);
    if (strncmp(name, prefix1, strlen(prefix1)) == 0 || strncmp(name, prefix2, strlen(prefix2)) == 0)
      memset(pi + 10 * i, 0, 10 * sizeof *pi);
  }
  check_ok(jn_model_with_parameters(x->m, pi, &light));
  unload(x);
  x->m = light;
  check_ok(jn_loops_create(x->m, NULL, &x->l));
  check_ok(jn_work_create(x->m, &x->w));
}

/* The platform moves freely: pose, body twist, its derivative; the rest is assembled and completed. motion [2 nv]. */
static void place_platform(robot *x, const double *position, const double *quaternion, const double *twist,
                           const double *rate, double *q, double *motion) {
  unsigned char held[V] = {0};
  int joint = jn_joint_index(x->m, "platform"), at = jn_joint_v(x->m, joint), first = jn_joint_q(x->m, joint);
  check_ok(jn_neutral(x->m, q));
  memcpy(q + first, position, 3 * sizeof *q);
  memcpy(q + first + 3, quaternion, 4 * sizeof *q);
  memset(motion, 0, 2 * V * sizeof *motion);
  for (int k = 0; k < 6; k++) {
    held[at + k] = 1;
    motion[at + k] = twist[k];
    motion[x->n + at + k] = rate[k];
  }
  check_ok(jn_loops_assemble(x->l, held, 0, q, NULL));
  check_ok(jn_loops_complete_motion(x->l, 0, held, q, motion));
}

/* Leg: length and rate; its column (u, R b x u) of M. Its force is returned. */
static double check_leg(const robot *x, int leg, const double *p, const double *R, const double *w, const double *q,
                        const double *motion, const double *tau, double *M) {
  static const double base[6] = {-10, 10, 110, 130, 230, 250}, ball[6] = {310, 50, 70, 170, 190, 290};
  double at = base[leg] * M_PI / 180, on = ball[leg] * M_PI / 180, arm[3], u[3], velocity[3], m[3], wB[3];
  const double A[3] = {0.6 * cos(at), 0.6 * sin(at), 0}, B[3] = {0.3 * cos(on), 0.3 * sin(on), 0};
  cross(w, B, wB);
  for (int k = 0; k < 3; k++) {
    arm[k] = velocity[k] = 0;
    for (int j = 0; j < 3; j++) {
      arm[k] += R[3 * k + j] * B[j];
      velocity[k] += R[3 * k + j] * (w[3 + j] + wB[j]);
    }
    u[k] = p[k] + (k == 2 ? 0.7 : 0) + arm[k] - A[k];
  }
  double length = sqrt(dot(u, u));
  for (int k = 0; k < 3; k++) u[k] /= length;
  char name[8];
  snprintf(name, sizeof name, "leg%d", (leg + 1) % 10);
  int joint = jn_joint_index(x->m, name);
  near(q[jn_joint_q(x->m, joint)], length - 0.8149993867955778, 1e-9, "length of a leg");
  near(motion[jn_joint_v(x->m, joint)], dot(u, velocity), 1e-9, "rate of a leg");
  cross(arm, u, m);
  for (int k = 0; k < 3; k++) M[6 * k + leg] = u[k], M[6 * (3 + k) + leg] = m[k];
  return tau[jn_joint_v(x->m, joint)];
}

/* Legs: l = |p + R b - a|; massless ones carry the platform by Newton and Euler: sum u f = m (p'' - g), sum (R b) x u f
 * = I w' + w x I w. */
static void the_stewart_platform_by_hand(void **state) {
  (void)state;
  uint64_t s = seed("Stewart platform");
  if (jn_variant_epsilon() > 1e-10) return;
  const double I[3] = {0.225333, 0.225333, 0.45}, mass = 10;
  robot x = load("stewart", 0);
  make_massless(&x, "cylinder", "rod");
  for (int i = 0; i < 10; i++) {
    double p[3], w[6], dw[6], turn[4], q[Q], motion[2 * V], tau[V], R[9], M[36], b[6], c[6];
    fill(&s, p, 3, 0.08);
    fill(&s, w, 6, 1);
    fill(&s, dw, 6, 3);
    fill(&s, turn, 3, 0.15);
    turn[3] = sqrt(1 - dot(turn, turn));
    place_platform(&x, p, turn, w, dw, q, motion);
    check_ok(jn_loops_inverse_dynamics_jet(x.l, 0, x.motors, JN_LEAST_TORQUE, NULL, q, motion, NULL, NULL, tau, NULL));
    /* body twist (w, v): p' = R v, p'' = R (v' + w x v) */
    double a = turn[0], e = turn[1], d = turn[2], o = turn[3];
    const double rotation[9] = {1 - 2 * (e * e + d * d), 2 * (a * e - d * o),     2 * (a * d + e * o),
                                2 * (a * e + d * o),     1 - 2 * (a * a + d * d), 2 * (e * d - a * o),
                                2 * (a * d - e * o),     2 * (e * d + a * o),     1 - 2 * (a * a + e * e)};
    memcpy(R, rotation, sizeof R);
    double spin[3], linear[3], Iw[3] = {I[0] * w[0], I[1] * w[1], I[2] * w[2]}, gyro[3];
    cross(w, w + 3, spin);
    cross(w, Iw, gyro);
    for (int k = 0; k < 3; k++) linear[k] = dw[3 + k] + spin[k];
    for (int k = 0; k < 3; k++) {
      b[k] = b[3 + k] = 0;
      for (int j = 0; j < 3; j++) {
        b[k] += mass * R[3 * k + j] * linear[j];
        b[3 + k] += R[3 * k + j] * (I[j] * dw[j] + gyro[j]);
      }
    }
    b[2] += mass * G;
    for (int leg = 0; leg < 6; leg++) c[leg] = check_leg(&x, leg, p, R, w, q, motion, tau, M);
    gauss(6, M, b);
    for (int leg = 0; leg < 6; leg++) near(c[leg], b[leg], 1e-8, "force of a leg");
  }
  unload(&x);
}

/* Arms at angles t, the platform at p without turning: |p + 0.06 e - 0.16 e - 0.2 (cos t e - sin t z)| = 0.5 for the
 * direction e of each arm. Rods are massless, so virtual work leaves arms and the platform. */
static void the_delta_robot_by_hand(void **state) {
  (void)state;
  uint64_t s = seed("delta robot");
  if (jn_variant_epsilon() > 1e-10) return;
  const double l = 0.2, rod = 0.5, mass = 0.5;
  robot x = load("delta", 0);
  make_massless(&x, "left_rod", "right_rod");
  double arm[10];
  check_ok(jn_link_inertia(x.m, jn_link_index(x.m, "arm1"), arm));
  for (int i = 0; i < 20; i++) {
    double p[3], w[6] = {0}, dw[6] = {0}, q[Q], motion[2 * V], tau[V], D[9], f[3], k[3], own[3], found[3];
    const double straight[4] = {0, 0, 0, 1};
    fill(&s, p, 3, 0.08);
    fill(&s, w + 3, 3, 1);
    fill(&s, dw + 3, 3, 10);
    place_platform(&x, p, straight, w, dw, q, motion);
    check_ok(jn_loops_inverse_dynamics_jet(x.l, 0, x.motors, JN_LEAST_TORQUE, NULL, q, motion, NULL, NULL, tau, NULL));
    for (int e = 0; e < 3; e++) {
      double at = 2 * M_PI * e / 3, c = cos(at), b = sin(at);
      /* in the arm's own axes: y is across */
      double y = -b * p[0] + c * p[1], X = c * p[0] + b * p[1] + 0.06 - 0.16, Z = p[2] - 0.4;
      /* X^2 + y^2 + Z^2 + l^2 - rod^2 = 2 l (X cos t - Z sin t); the elbow is the outer of two */
      double side = (X * X + y * y + Z * Z + l * l - rod * rod) / (2 * l), R = hypot(X, Z);
      double t = -atan2(Z, X) - acos(side / R);
      t = remainder(t, 2 * M_PI);
      const double d[3] = {X - l * cos(t), y, Z + l * sin(t)}, E[3] = {-l * sin(t), 0, -l * cos(t)};
      double v[3] = {c * w[3] + b * w[4], -b * w[3] + c * w[4], w[5]}, relative[3];
      double a[3] = {c * dw[3] + b * dw[4], -b * dw[3] + c * dw[4], dw[5]};
      k[e] = dot(d, E);
      double rate = dot(d, v) / k[e];
      for (int r = 0; r < 3; r++) relative[r] = v[r] - E[r] * rate;
      /* d . (p'' - E t'' - E_tt t'^2) + |d'|^2 = 0, E_tt = -(arm) */
      double second = (dot(d, a) + rate * rate * l * (d[0] * cos(t) - d[2] * sin(t)) + dot(relative, relative)) / k[e];
      D[e] = c * d[0] - b * d[1], D[3 + e] = b * d[0] + c * d[1], D[6 + e] = d[2];
      own[e] = arm[5] * second - arm[1] * G * cos(t); /* a positive angle lowers the arm */
      char name[8];
      snprintf(name, sizeof name, "motor%d", (e + 1) % 10);
      int joint = jn_joint_index(x.m, name);
      near(q[jn_joint_q(x.m, joint)], t, 1e-9, "angle of an arm");
      near(motion[jn_joint_v(x.m, joint)], rate, 1e-9, "rate of an arm");
      near(motion[x.n + jn_joint_v(x.m, joint)], second, 1e-8, "acceleration of an arm");
      f[e] = mass * (dw[3 + e] + (e == 2 ? G : 0));
      found[e] = tau[jn_joint_v(x.m, joint)];
    }
    gauss(3, D, f); /* sum mu d = m (p'' - g) */
    for (int e = 0; e < 3; e++) near(found[e], own[e] + k[e] * f[e], 1e-8, "torque of an arm");
  }
  unload(&x);
}

/* ---- of all ---- */

/* Five conditions, or the two that count, or these by name: the same motion, to third order. */
static void minimal_conditions_give_the_same_motion(void **state) {
  (void)state;
  uint64_t s = seed("minimal conditions");
  if (jn_variant_epsilon() > 1e-10) return;
  enum { N = 4, K = 3 };
  static const jn_loop_type types[3] = {JN_LOOP_REVOLUTE, JN_LOOP_POINT_ON_AXIS, JN_LOOP_COORDINATES};
  for (int i = 0; i < 10; i++) {
    double q[N], v[N], tau[(K + 1) * N], jet[3][(K + 2) * N], a[3][N * N];
    fill(&s, tau, (K + 1) * N, 3);
    fill(&s, v, N, 1);
    for (int t = 0; t < 3; t++) {
      jn_loop pin;
      jn_loops_options options;
      jn_loop_init(&pin);
      pin.type = types[t];
      pin.mask = 8 | 16;
      jn_model *m = held_linkage(N, (const double[]){0.5, 0.7, 0.7, 0.5}, 0.6, &pin);
      jn_loops *l;
      jn_loops_options_init(&options);
      options.order = K;
      check_ok(jn_loops_create(m, &options, &l));
      if (t == 0) {
        memcpy(q, (const double[]){2.0, -1.2, -1.4, -1.0}, sizeof q);
        check_ok(jn_loops_assemble(l, NULL, 0, q, NULL));
        check_ok(jn_loops_project(l, NULL, q, v));
      }
      double lambda[(K + 1) * 5];
      check_ok(jn_loops_forward_dynamics_jet(l, K, q, v, tau, NULL, jet[t], lambda));
      const jn_loops_derivatives d = {.da_dq = a[t]};
      check_ok(jn_loops_dynamics_derivatives(l, NULL, q, v, jet[t] + N, lambda, NULL, JN_IN_BODY, &d));
      jn_loops_destroy(l);
      jn_model_destroy(m);
      for (int e = 0; e < (K + 2) * N; e++)
        check(fabs(jet[t][e] - jet[0][e]) < 1e-9 * (1 + largest(jet[0] + e / N * N, N)), "%s, order %d: %g, %g",
              jn_loop_type_name(types[t]), e / N, jet[t][e], jet[0][e]);
      for (int e = 0; e < N * N; e++)
        check(fabs(a[t][e] - a[0][e]) < 1e-9 * (1 + largest(a[0], N * N)), "%s: da/dq", jn_loop_type_name(types[t]));
    }
  }
}

static const char *const mechanisms[] = {"four_bar", "five_bar", "slider_crank", "stewart", "delta"};
enum { MECHANISMS = sizeof mechanisms / sizeof *mechanisms };

/* A closed state: motors anywhere, moving anyhow. */
static void random_state(robot *x, uint64_t *s, double *q, double *motion) {
  check_ok(jn_neutral(x->m, q));
  fill(s, motion, 2 * x->n, 1);
  for (int k = 0; k < x->n; k++)
    if (x->motors[k]) q[jn_joint_q(x->m, jn_coordinate_joint(x->m, k, NULL))] += 0.08 * uniform(s);
  check_ok(jn_loops_assemble(x->l, x->motors, 1e-13, q, NULL));
  check_ok(jn_loops_complete_motion(x->l, 0, x->motors, q, motion));
}

/* M a + h = tau + J^T W + A^T lambda and A a + dA v = 0, to rounding, of all three. */
static void the_equations_of_motion_hold(void **state) {
  (void)state;
  uint64_t s = seed("equations of motion");
  if (jn_variant_epsilon() > 1e-10) return;
  for (int i = 0; i < 3 * MECHANISMS; i++) {
    robot x = load(mechanisms[i / 3], 0);
    double q[Q], motion[2 * V], out[2 * V], tau[V], forces[V], lambda[ROWS], W[6 * LINKS], r[V], phi[ROWS], size = 1;
    static double A[ROWS * V];
    random_state(&x, &s, q, motion);
    fill(&s, tau, x.n, 5);
    fill(&s, W, 6 * jn_link_count(x.m), 2);
    if (i % 3 == 0) check_ok(jn_loops_forward_dynamics_jet(x.l, 0, q, motion, tau, W, out, lambda));
    if (i % 3 == 1) {
      check_ok(jn_loops_hybrid_dynamics_jet(x.l, 0, x.motors, q, motion, tau, W, out, forces, lambda));
      memcpy(tau, forces, sizeof tau);
    }
    if (i % 3 == 2) {
      check_ok(
          jn_loops_inverse_dynamics_jet(x.l, 0, x.motors, JN_LEAST_LAMBDA, NULL, q, motion, tau, W, forces, lambda));
      memcpy(tau, forces, sizeof tau);
      memcpy(out, motion, sizeof out);
    }
    check_ok(jn_inverse_dynamics(x.m, x.w, q, out, out + x.n, W, r));
    check_ok(jn_loops_constraint(x.l, q, out, NULL, A, phi));
    for (int k = 0; k < x.n; k++) {
      size = fmax(size, fmax(fabs(r[k]), fabs(tau[k])));
      r[k] -= tau[k];
      for (int e = 0; e < x.rows; e++) r[k] -= A[e * x.n + k] * lambda[e], size = fmax(size, fabs(lambda[e]));
    }
    check(largest(r, x.n) < 1e-12 * size, "%s, %d: forces are left over by %g of %g", mechanisms[i / 3], i % 3,
          largest(r, x.n), size);
    double most = 1 + largest(phi, x.rows);
    for (int e = 0; e < x.rows; e++)
      for (int k = 0; k < x.n; k++) phi[e] += A[e * x.n + k] * out[x.n + k];
    check(largest(phi, x.rows) < 1e-12 * (most + largest(out, 2 * x.n)), "%s: A a + dA v = %g", mechanisms[i / 3],
          largest(phi, x.rows));
    unload(&x);
  }
}

/* Motors move as polynomials of time; all else is assembled and completed at each instant. Differences of torques and
 * multipliers are rows 1 and 2 of their jets, to second order. */
static void jets_are_derivatives_along_the_exact_motion(void **state) {
  (void)state;
  uint64_t s = seed("exact motion");
  if (jn_variant_epsilon() > 1e-10) return;
  enum { K = 2 };
  for (int i = 0; i < MECHANISMS; i++) {
    robot x = load(mechanisms[i], K);
    int n = x.n;
    double q[Q], motion[2 * V], jet[(K + 2) * V], given[(K + 2) * V], tau[(K + 1) * V], lambda[(K + 1) * ROWS],
        error[2][2] = {{0}}, size[2] = {1, 1};
    random_state(&x, &s, q, motion);
    fill(&s, given, (K + 2) * n, 0.5);
    memcpy(jet, given, sizeof jet);
    check_ok(jn_loops_complete_motion(x.l, K, x.motors, q, jet));
    check_ok(jn_loops_inverse_dynamics_jet(x.l, K, x.motors, JN_LEAST_TORQUE, NULL, q, jet, NULL, NULL, tau, lambda));
    for (int fine = 0; fine < 2; fine++) {
      double h = fine ? 5e-3 : 1e-2, at[3][V + ROWS];
      for (int step = 0; step < 3; step++) {
        double t = (step - 1) * h, q1[Q], v1[2 * V] = {0};
        memcpy(q1, q, sizeof q1);
        for (int k = 0; k < n; k++) {
          if (!x.motors[k]) continue;
          double f = t;
          for (int r = 0; r < K + 2; r++, f *= t / (r + 1))
            q1[jn_joint_q(x.m, jn_coordinate_joint(x.m, k, NULL))] += f * given[r * n + k];
          for (int row = 0; row < 2; row++) {
            double g = 1;
            for (int r = row; r < K + 2; r++) v1[row * n + k] += g * given[r * n + k], g *= t / (r - row + 1);
          }
        }
        check_ok(jn_loops_assemble(x.l, x.motors, 1e-14, q1, NULL));
        check_ok(jn_loops_complete_motion(x.l, 0, x.motors, q1, v1));
        check_ok(jn_loops_inverse_dynamics_jet(x.l, 0, x.motors, JN_LEAST_TORQUE, NULL, q1, v1, NULL, NULL, at[step],
                                               at[step] + n));
      }
      for (int e = 0; e < n + x.rows; e++) {
        const double *row = e < n ? tau + e : lambda + e - n;
        int wide = e < n ? n : x.rows;
        double first = (at[2][e] - at[0][e]) / (2 * h), second = (at[2][e] - 2 * at[1][e] + at[0][e]) / (h * h);
        error[fine][0] = fmax(error[fine][0], fabs(first - row[wide]));
        error[fine][1] = fmax(error[fine][1], fabs(second - row[2 * wide]));
        size[0] = fmax(size[0], fabs(row[wide])), size[1] = fmax(size[1], fabs(row[2 * wide]));
      }
    }
    for (int k = 0; k < 2; k++) {
      check(error[1][k] < 1e-2 * size[k], "%s, order %d: error %g of %g", mechanisms[i], k + 1, error[1][k], size[k]);
      check(error[1][k] < 1e-6 * size[k] || fabs(log2(error[0][k] / error[1][k]) - 2) < 0.1, "%s, order %d: %g, %g",
            mechanisms[i], k + 1, error[0][k], error[1][k]);
    }
    unload(&x);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_four_bar_by_hand),         cmocka_unit_test(the_five_bar_by_hand),
      cmocka_unit_test(the_slider_crank_by_hand),     cmocka_unit_test(the_stewart_platform_by_hand),
      cmocka_unit_test(the_delta_robot_by_hand),      cmocka_unit_test(minimal_conditions_give_the_same_motion),
      cmocka_unit_test(the_equations_of_motion_hold), cmocka_unit_test(jets_are_derivatives_along_the_exact_motion),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
