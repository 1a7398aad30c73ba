/* SPDX-License-Identifier: BSD-2-Clause */
/* Time derivatives of inverse dynamics against truths that share no code with the library: Newton and Euler with more
 * than 50 digits along analytic motions (truth.h), and a planar arm written out by hand. */
#include "truth.h"

/* Rows of float cannot meet what is required of double: they get the same number of roundings. */
static double in_this_row(double required) { return required * jn_variant_epsilon() / 0x1p-52; }

/* ---- Random trees, for the library and for the truth ---- */
static wave random_wave(uint64_t *s) {
  return (wave){0.7 + 0.3 * uniform(s), 1.1 + 0.6 * uniform(s), 3 * uniform(s), 0.5 * uniform(s), uniform(s)};
}

static void add_step(truth_link *l, uint64_t *s, int slides, const double axis[3], const double point[3]) {
  elementary *e = &l->step[l->steps++];
  *e = (elementary){.slides = slides, .factor = 1, .coordinate = l->steps - 1, .x = random_wave(s)};
  memcpy(e->axis, axis, sizeof e->axis);
  memcpy(e->point, point, sizeof e->point);
}

/* A slide that shares its coordinate with the turn before it: a helix that advances h for each radian. */
static void add_advance(truth_link *l, uint64_t *s, double h) {
  const elementary *turn = &l->step[l->steps - 1];
  add_step(l, s, 1, turn->axis, turn->point);
  l->step[l->steps - 1].coordinate = turn->coordinate;
  l->step[l->steps - 1].factor = h * turn->factor;
  l->step[l->steps - 1].x = turn->x;
}

/* x, y, angle: x and y are turned as z is turned to the axis, by Rodrigues' formula about z x axis, or, where the axis
 * points down, as z is to -axis, after half a turn about x. */
static void add_plane(truth_link *l, uint64_t *s) {
  const jn_joint *j = &l->link.joint;
  double length = sqrt(j->axis[0] * j->axis[0] + j->axis[1] * j->axis[1] + j->axis[2] * j->axis[2]);
  double down = j->axis[2] < -0.5 * length ? -1 : 1;
  double a[3] = {down * j->axis[0] / length, down * j->axis[1] / length, down * j->axis[2] / length};
  double across = hypot(a[0], a[1]), e[2] = {-a[1] / across, a[0] / across}; /* the axis of the turn is in the plane */
  for (int k = 0; k < 2; k++) {
    double u[3] = {k == 0, k ? down : 0, 0}, along = e[0] * u[0] + e[1] * u[1];
    double side = e[0] * u[1] - e[1] * u[0]; /* e x u is along z, and e x z across it */
    double turned[3];
    for (int i = 0; i < 2; i++) turned[i] = e[i] * along + a[2] * (u[i] - e[i] * along);
    turned[2] = across * side;
    add_step(l, s, 1, turned, j->point);
  }
  add_step(l, s, 0, j->axis, j->point);
}

/* exp(X x), X = (w, v): a turn by |w| x about the line through w x v / |w|^2, advancing w.v / |w|^2 for each radian; or
 * a slide by |v| x. */
static void add_screw(truth_link *l, uint64_t *s, int coordinate, const double X[6]) {
  const double *w = X, *v = X + 3;
  double square = w[0] * w[0] + w[1] * w[1] + w[2] * w[2], point[3] = {0};
  int slides = square == 0;
  for (int i = 0; i < 3 && !slides; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    point[i] = (w[j] * v[k] - w[k] * v[j]) / square;
  }
  add_step(l, s, slides, slides ? v : w, point);
  l->step[l->steps - 1].coordinate = coordinate;
  l->step[l->steps - 1].factor = sqrt(slides ? v[0] * v[0] + v[1] * v[1] + v[2] * v[2] : square);
  if (!slides) add_advance(l, s, (w[0] * v[0] + w[1] * v[1] + w[2] * v[2]) / square);
}

/* The joint as turns and slides: its definition in docs/conventions.md. */
static void add_steps(truth_link *l, uint64_t *s) {
  const jn_joint *j = &l->link.joint;
  const double E[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  jn_joint_type type = j->type;
  if (type == JN_FIXED) return;
  if (type == JN_SPHERICAL || type == JN_FREE) { /* any analytic motion will do: turns about three random axes */
    for (int k = 0; k < 3 && type == JN_FREE; k++) add_step(l, s, 1, E + 3 * k, j->point);
    for (int k = 0; k < 3; k++) {
      double axis[3];
      fill(s, axis, 3, 1);
      add_step(l, s, 0, axis, j->point);
    }
    return;
  }
  if (type == JN_GENERAL) {
    for (int k = 0; k < j->screw_count; k++) add_screw(l, s, k, j->screws[k]);
    return;
  }
  if (type == JN_PLANAR) {
    add_plane(l, s);
    return;
  }
  add_step(l, s, type == JN_PRISMATIC, j->axis, j->point);
  if (type == JN_UNIVERSAL || type == JN_GIMBAL) add_step(l, s, 0, j->axis2, j->point);
  if (type == JN_GIMBAL) add_step(l, s, 0, j->axis3, j->point);
  if (type == JN_CYLINDRICAL) add_step(l, s, 1, j->axis, j->point);
  if (type == JN_HELICAL) add_advance(l, s, j->pitch);
}

/* A box, turned and somewhere in the link. */
static void random_body(truth_link *l, uint64_t *s) {
  double T[16], D[3], side[3];
  l->mass = 1.5 + uniform(s);
  fill(s, l->com, 3, 0.2);
  random_placement(s, T);
  for (int i = 0; i < 3; i++) side[i] = 0.2 + 0.1 * uniform(s);
  for (int i = 0; i < 3; i++)
    D[i] = l->mass / 12 * (side[(i + 1) % 3] * side[(i + 1) % 3] + side[(i + 2) % 3] * side[(i + 2) % 3]);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j <= i; j++) {
      double sum = 0;
      for (int k = 0; k < 3; k++) sum += T[4 * i + k] * D[k] * T[4 * j + k];
      l->tensor[3 * i + j] = l->tensor[3 * j + i] = sum;
    }
  const double *I = l->tensor, six[6] = {I[0], I[4], I[8], I[1], I[2], I[5]};
  jn_inertia_pack(l->mass, l->com, six, l->link.inertia);
}

/* Of more than three translations one depends on the others: such a joint is drawn again. */
static void random_truth_joint(uint64_t *s, jn_joint_type type, jn_joint *j) {
  int slides;
  do {
    random_joint(s, type, j);
    slides = 0;
    for (int k = 0; k < j->screw_count; k++) slides += j->screws[k][0] == 0;
  } while (type == JN_GENERAL && slides > 3);
}

/* Coupled to the joint before it of one coordinate, which may itself be. */
static void follow(truth_link *l, const truth_link *leader, uint64_t *s) {
  jn_joint *j = &l->link.joint;
  j->mimic = leader->name;
  j->mimic_ratio = 1.5 * uniform(s);
  j->mimic_offset = uniform(s);
  l->follows = 1;
  l->ratio = j->mimic_ratio * leader->ratio;
  l->offset = j->mimic_ratio * leader->offset + j->mimic_offset;
  for (int k = 0; k < l->steps; k++) {
    elementary *e = &l->step[k];
    e->x = leader->step[0].x;
    e->offset = e->factor * l->offset;
    e->factor *= l->ratio;
  }
}

static int has_one_coordinate(jn_joint_type type) {
  return type == JN_REVOLUTE || type == JN_CONTINUOUS || type == JN_PRISMATIC || type == JN_HELICAL;
}

static void random_truth_link(truth_tree *tree, uint64_t *s, jn_joint_type type) {
  int i = tree->n++;
  truth_link *l = &tree->link[i];
  memset(l, 0, sizeof *l);
  jn_link_init(&l->link);
  l->parent = i - 1 - (int)(0.5 * (1 + uniform(s)) * fmin(i + 1, 3)); /* one of the last three, or the world */
  snprintf(l->name, sizeof l->name, "link%d", i);
  snprintf(l->parent_name, sizeof l->parent_name, "link%d", l->parent);
  l->link.name = l->name;
  l->link.parent = l->parent < 0 ? NULL : l->parent_name;
  random_placement(s, l->link.placement);
  random_truth_joint(s, type, &l->link.joint);
  l->ratio = 1;
  if (type == JN_FREE) memset(l->link.joint.point, 0, sizeof l->link.joint.point);
  for (int k = 0; k < 6; k++) l->link.joint.dof[k].armature = 0.01 * (1 + uniform(s));
  random_body(l, s);
  add_steps(l, s);
  for (int k = 0; k < 6; k++) l->wrench[k] = random_wave(s);
  if (!tree->coupled || !has_one_coordinate(type)) return;
  if (tree->leader >= 0) follow(l, &tree->link[tree->leader], s);
  tree->leader = i;
}

static jn_model *build(truth_tree *tree) {
  jn_builder *b;
  jn_model *m;
  jn_error error;
  check_ok(jn_builder_create(NULL, &b));
  check_ok(jn_builder_set_gravity(b, tree->gravity));
  for (int i = 0; i < tree->n; i++) check_ok(jn_builder_add_link(b, &tree->link[i].link));
  jn_status status = jn_builder_freeze(b, &m, &error);
  check(status == JN_OK, "%s", error.text);
  jn_builder_destroy(b);
  tree->nv = jn_model_nv(m);
  for (int i = 0; i < tree->n; i++) {
    truth_link *l = &tree->link[i];
    l->index = jn_link_index(m, l->name);
    l->v = jn_joint_v(m, l->index);
  }
  return m;
}

static jn_model *random_truth(truth_tree *tree, uint64_t *s, int links, const jn_joint_type *type, int types) {
  tree->n = 0;
  tree->leader = -1;
  fill(s, tree->gravity, 3, 9.81);
  for (int i = 0; i < links; i++) random_truth_link(tree, s, type[i % types]);
  return build(tree);
}

/* ---- Orders 0 ... 8 against more than 50 digits ---- */
static void compare(const char *what, int trees, const jn_joint_type *type, int types, int coupled) {
  uint64_t s = seed(what);
  static truth_tree tree;
  tree.coupled = coupled;
  static truth_jet truth;
  static double tau[(ORDER + 1) * WIDE];
  double most[ORDER + 1] = {0};
  for (int i = 0; i < trees; i++) {
    jn_model *m = random_truth(&tree, &s, types < 5 ? 3 + i % 8 : types, type, types);
    jn_work *w;
    int n = tree.nv;
    check_ok(jn_work_create_order(m, ORDER, &w));
    truth_at(&tree, m, 0.25, &truth);
    check_ok(jn_inverse_dynamics_jet(m, w, ORDER, truth.q, truth.v, truth.wrench, tau));
    for (int k = 0; k <= ORDER; k++) {
      double error = distance(tau + k * n, truth.tau + k * n, n, 0), allowed = in_this_row(k <= 4 ? 1e-12 : 1e-11);
      check(error <= allowed, "tree %d, order %d: off by %.3g, allowed %.3g", i, k, error, allowed);
      most[k] = fmax(most[k], error);
    }
    jn_work_destroy(w);
    jn_model_destroy(m);
  }
  clear_numbers();
  printf("# %s: largest relative error of orders 0 ... %d in row %s:", what, ORDER, jn_variant_name());
  for (int k = 0; k <= ORDER; k++) printf(" %.1e", most[k]);
  printf("\n");
}

/* The truth itself: differences of a sin(w t + f) against a w^k sin(w t + f + k pi / 2). */
static void differences_have_fifty_digits(void **st) {
  (void)st;
  uint64_t s = seed("differences");
  static mpfr_ptr f[POINTS][WIDE];
  wave x = random_wave(&s);
  mpfr_ptr y[3], pi = fresh();
  x.slope = x.start = 0;
  for (int j = 0; j < POINTS; j++) {
    mpfr_ptr at = number(j - REACH);
    mpfr_mul_2si(at, at, STEP, MPFR_RNDN);
    evaluate_wave(&x, at, y);
    f[j][0] = y[0];
  }
  mpfr_const_pi(pi, MPFR_RNDN);
  mpfr_ptr angle = number(x.phase), size = number(x.size);
  for (int k = 0; k <= ORDER + 1; k++) {
    mpfr_ptr gap = sub(derivative(f, 0, k), mul(size, sine(angle)));
    check(fabs(rounded(quotient(gap, size))) < 1e-50, "order %d: off by %.3g", k, rounded(quotient(gap, size)));
    angle = add(angle, mul(pi, number(0.5)));
    size = mul(size, number(x.rate));
  }
  clear_numbers();
}

static void trees_of_simple_joints_agree_with_fifty_digits(void **st) {
  (void)st;
  const jn_joint_type type[] = {JN_REVOLUTE, JN_PRISMATIC, JN_REVOLUTE, JN_HELICAL};
  compare("simple joints", 12, type, 4, 0);
}

static void trees_of_many_joints_agree_with_fifty_digits(void **st) {
  (void)st;
  const jn_joint_type type[] = {JN_GIMBAL,    JN_FIXED,     JN_CYLINDRICAL, JN_REVOLUTE,  JN_SPHERICAL,
                                JN_PRISMATIC, JN_UNIVERSAL, JN_HELICAL,     JN_CONTINUOUS};
  compare("many joints", 6, type, 9, 0);
}

static void floating_trees_agree_with_fifty_digits(void **st) {
  (void)st;
  const jn_joint_type type[] = {JN_FREE, JN_REVOLUTE, JN_SPHERICAL, JN_HELICAL, JN_SPHERICAL, JN_PRISMATIC, JN_FREE};
  compare("floating base", 6, type, 7, 0);
}

static void planar_and_general_joints_agree_with_fifty_digits(void **st) {
  (void)st;
  const jn_joint_type type[] = {JN_PLANAR, JN_REVOLUTE, JN_GENERAL, JN_PRISMATIC, JN_GENERAL, JN_PLANAR};
  compare("planar and general joints", 12, type, 6, 0);
}

static void coupled_joints_agree_with_fifty_digits(void **st) {
  (void)st;
  const jn_joint_type type[] = {JN_REVOLUTE,  JN_PLANAR, JN_HELICAL,  JN_GENERAL,
                                JN_PRISMATIC, JN_FREE,   JN_REVOLUTE, JN_HELICAL};
  compare("coupled joints", 12, type, 8, 1);
}

/* ---- Central differences on the group ---- */
/* (tau_k(t + h) - tau_k(t - h)) / 2h - tau_(k+1)(t), relative; the motion comes exactly from the truth. */
static void difference_errors(const truth_tree *tree, const jn_model *m, jn_work *w, double h, double *error) {
  static truth_jet at;
  static double tau[3][(ORDER + 1) * WIDE];
  int n = tree->nv;
  for (int j = 0; j < 3; j++) {
    truth_at(tree, m, (j - 1) * h, &at);
    check_ok(jn_inverse_dynamics_jet(m, w, ORDER, at.q, at.v, at.wrench, tau[j]));
  }
  for (int k = 0; k < ORDER; k++) {
    double quotients[WIDE];
    for (int c = 0; c < n; c++) quotients[c] = (tau[2][k * n + c] - tau[0][k * n + c]) / (2 * h);
    error[k] = distance(quotients, tau[1] + (k + 1) * n, n, 0);
  }
}

static void orders_are_limits_of_differences_on_the_group(void **st) {
  (void)st;
  uint64_t s = seed("differences on the group");
  if (jn_variant_epsilon() > 1e-10) {
    printf("# differences on the group: not in row %s, whose rounding would drown them\n", jn_variant_name());
    return;
  }
  const jn_joint_type type[] = {JN_FREE, JN_SPHERICAL, JN_REVOLUTE, JN_SPHERICAL, JN_PRISMATIC};
  static truth_tree tree;
  double slowest = INFINITY, fastest = 0, most = 0;
  for (int i = 0; i < 4; i++) {
    jn_model *m = random_truth(&tree, &s, 5, type + i % 2, 4);
    jn_work *w;
    double coarse[ORDER], fine[ORDER];
    check_ok(jn_work_create_order(m, ORDER, &w));
    difference_errors(&tree, m, w, 0x1p-8, coarse);
    difference_errors(&tree, m, w, 0x1p-9, fine);
    for (int k = 0; k < ORDER; k++) {
      double rate = log2(coarse[k] / fine[k]);
      check(rate > 1.7 && rate < 2.3, "tree %d, order %d: error falls as h^%.3g", i, k + 1, rate);
      check(fine[k] < 1e-3, "tree %d, order %d: off by %.3g", i, k + 1, fine[k]);
      slowest = fmin(slowest, rate), fastest = fmax(fastest, rate), most = fmax(most, fine[k]);
    }
    jn_work_destroy(w);
    jn_model_destroy(m);
  }
  clear_numbers();
  printf("# differences on the group: errors fall as h^%.4f ... h^%.4f, largest at h = 2^-9: %.1e\n", slowest, fastest,
         most);
}

/* ---- The planar 2R arm, by hand ---- */
typedef struct arm {
  double m1, m2, r1, r2, l1, I1, I2, gx, gy; /* masses, distances to their centres, length, moments about these */
} arm;

/* Lagrange's equations and their first two derivatives [mueller2021 sec. 6.1, there with points of mass at the ends].
 * With h = m2 l1 r2, u = 2 v1 v2 + v2^2, w = v1^2 and gravity (gx, gy):
 *   Q1 = M11 a1 + M12 a2 - h sin q2 u + G1      M11 = I1 + m1 r1^2 + M22 + m2 l1^2 + 2 h cos q2
 *   Q2 = M12 a1 + M22 a2 + h sin q2 w + G2      M12 = M22 + h cos q2,  M22 = I2 + m2 r2^2
 *   G2 = m2 r2 D(q1 + q2),  G1 = (m1 r1 + m2 l1) D(q1) + G2,  D(x) = gx sin x - gy cos x */
static void arm_by_hand(const arm *p, const double q[2], const double x[8], double Q[6]) {
  double v1 = x[0], v2 = x[1], a1 = x[2], a2 = x[3], j1 = x[4], j2 = x[5], s1 = x[6], s2 = x[7];
  double h = p->m2 * p->l1 * p->r2, s = sin(q[1]), c = cos(q[1]), ds = c * v2, dds = c * a2 - s * v2 * v2;
  double M22 = p->I2 + p->m2 * p->r2 * p->r2, M12 = M22 + h * c;
  double M11 = p->I1 + p->m1 * p->r1 * p->r1 + M22 + p->m2 * p->l1 * p->l1 + 2 * h * c;
  double dM12 = -h * s * v2, ddM12 = -h * (s * a2 + c * v2 * v2), dM11 = 2 * dM12, ddM11 = 2 * ddM12;
  double u = 2 * v1 * v2 + v2 * v2, du = 2 * (a1 * v2 + v1 * a2 + v2 * a2);
  double ddu = 2 * (j1 * v2 + 2 * a1 * a2 + v1 * j2 + a2 * a2 + v2 * j2);
  double w = v1 * v1, dw = 2 * v1 * a1, ddw = 2 * (a1 * a1 + v1 * j1);
  double A = p->m1 * p->r1 + p->m2 * p->l1, B = p->m2 * p->r2, y = q[0] + q[1], dy = v1 + v2, ddy = a1 + a2;
  double D1 = p->gx * sin(q[0]) - p->gy * cos(q[0]), E1 = p->gx * cos(q[0]) + p->gy * sin(q[0]);
  double D2 = p->gx * sin(y) - p->gy * cos(y), E2 = p->gx * cos(y) + p->gy * sin(y);
  double G2 = B * D2, dG2 = B * E2 * dy, ddG2 = B * (E2 * ddy - D2 * dy * dy);
  double G1 = A * D1 + G2, dG1 = A * E1 * v1 + dG2, ddG1 = A * (E1 * a1 - D1 * v1 * v1) + ddG2;
  Q[0] = M11 * a1 + M12 * a2 - h * s * u + G1;
  Q[1] = M12 * a1 + M22 * a2 + h * s * w + G2;
  Q[2] = dM11 * a1 + M11 * j1 + dM12 * a2 + M12 * j2 - h * (ds * u + s * du) + dG1;
  Q[3] = dM12 * a1 + M12 * j1 + M22 * j2 + h * (ds * w + s * dw) + dG2;
  Q[4] = ddM11 * a1 + 2 * dM11 * j1 + M11 * s1 + ddM12 * a2 + 2 * dM12 * j2 + M12 * s2 -
         h * (dds * u + 2 * ds * du + s * ddu) + ddG1;
  Q[5] = ddM12 * a1 + 2 * dM12 * j1 + M12 * s1 + M22 * s2 + h * (dds * w + 2 * ds * dw + s * ddw) + ddG2;
}

/* The arm in the plane of x and y, its links along x. */
static jn_model *arm_model(const arm *p) {
  jn_builder *b;
  jn_model *m;
  jn_link l[2];
  const double gravity[3] = {p->gx, p->gy, 0}, com[2][3] = {{p->r1, 0, 0}, {p->r2, 0, 0}}, mass[2] = {p->m1, p->m2};
  const double moment[2] = {p->I1, p->I2};
  check_ok(jn_builder_create(NULL, &b));
  check_ok(jn_builder_set_gravity(b, gravity));
  for (int i = 0; i < 2; i++) {
    const double I[6] = {moment[i] / 2, moment[i] / 2, moment[i], 0, 0, 0};
    jn_link_init(&l[i]);
    l[i].name = i ? "forearm" : "arm";
    l[i].parent = i ? "arm" : NULL;
    l[i].placement[3] = i ? p->l1 : 0;
    l[i].joint.type = JN_REVOLUTE;
    jn_inertia_pack(mass[i], com[i], I, l[i].inertia);
    check_ok(jn_builder_add_link(b, &l[i]));
  }
  check_ok(jn_builder_freeze(b, &m, NULL));
  jn_builder_destroy(b);
  return m;
}

static void planar_arm_agrees_with_the_closed_form(void **st) {
  (void)st;
  uint64_t s = seed("planar arm");
  double most = 0;
  for (int i = 0; i < 200; i++) {
    double z[9], q[2], x[8], tau[6], Q[6];
    for (int k = 0; k < 9; k++) z[k] = 1 + 0.8 * uniform(&s);
    arm p = {z[0], z[1], z[2], z[3], z[4], z[5], z[6], 10 * (z[7] - 1), 10 * (z[8] - 1)};
    if (i % 2) p.r1 = p.l1, p.I1 = p.I2 = 0; /* the paper's arm: points of mass at the ends of the links */
    jn_model *m = arm_model(&p);
    jn_work *w;
    check_ok(jn_work_create_order(m, 2, &w));
    fill(&s, q, 2, 3);
    fill(&s, x, 8, 1.5);
    arm_by_hand(&p, q, x, Q);
    check_ok(jn_inverse_dynamics_jet(m, w, 2, q, x, NULL, tau));
    for (int k = 0; k < 3; k++) {
      check_close(tau + 2 * k, Q + 2 * k, 2, 10, 200, "arm %d, order %d", i, k);
      most = fmax(most, distance(tau + 2 * k, Q + 2 * k, 2, 10) / jn_variant_epsilon());
    }
    jn_work_destroy(w);
    jn_model_destroy(m);
  }
  printf("# planar arm: at most %.1f roundings apart\n", most);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(differences_have_fifty_digits),
      cmocka_unit_test(trees_of_simple_joints_agree_with_fifty_digits),
      cmocka_unit_test(trees_of_many_joints_agree_with_fifty_digits),
      cmocka_unit_test(floating_trees_agree_with_fifty_digits),
      cmocka_unit_test(planar_and_general_joints_agree_with_fifty_digits),
      cmocka_unit_test(coupled_joints_agree_with_fifty_digits),
      cmocka_unit_test(orders_are_limits_of_differences_on_the_group),
      cmocka_unit_test(planar_arm_agrees_with_the_closed_form),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
