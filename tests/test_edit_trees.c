/* SPDX-License-Identifier: BSD-2-Clause */
/* Attaching and re-rooting: two robots joined are the robot that one description of both gives; a robot that floats
 * does not know which of its links is called the base. */
#include "counting.h"
#include "linkage.h"
#include "models.h"

enum { MODELS = 60, V = 64, Q = 80, LINKS = 20 };

static void multiply(const double A[16], const double B[16], double out[16]) {
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 4; k++) {
      out[4 * i + k] = 0;
      for (int c = 0; c < 4; c++) out[4 * i + k] += A[4 * i + c] * B[4 * c + k];
    }
}

static void invert(const double T[16], double out[16]) {
  for (int i = 0; i < 3; i++) {
    out[4 * i + 3] = 0;
    for (int k = 0; k < 3; k++) {
      out[4 * i + k] = T[4 * k + i];
      out[4 * i + 3] -= T[4 * k + i] * T[4 * k + 3];
    }
    out[12 + i] = 0;
  }
  out[15] = 1;
}

/* ---- attaching ---- */

/* What a robot hangs on, and how its things are called. */
typedef struct place {
  const char *prefix, *parent; /* parent NULL: the world */
  const double *base;          /* [16] in the parent */
} place;

static const char *called(const place *at, const char *name, char out[64]) {
  snprintf(out, 64, "%s%s", at->prefix, name);
  return out;
}

/* A robot of five links with a mimic, a frame on a link and one on its world, a coupling and two loops. */
static void describe(jn_builder *b, uint64_t seed_of, const place *at) {
  static const jn_joint_type types[5] = {JN_PRISMATIC, JN_REVOLUTE, JN_SPHERICAL, JN_REVOLUTE, JN_UNIVERSAL};
  static const int parent[5] = {-1, 0, 1, 1, 3};
  char name[64], other[64], mimic[64];
  uint64_t s = seed_of;
  double T[16], moved[16];
  for (int i = 0; i < 5; i++) {
    jn_link l;
    char plain[16];
    jn_link_init(&l);
    snprintf(plain, sizeof plain, "l%d", i);
    l.name = called(at, plain, name);
    snprintf(plain, sizeof plain, "l%d", parent[i]);
    l.parent = parent[i] < 0 ? at->parent : called(at, plain, other);
    random_placement(&s, T);
    multiply(at->base, T, moved);
    memcpy(l.placement, parent[i] < 0 ? moved : T, sizeof T);
    random_inertia(&s, l.inertia);
    random_joint(&s, types[i], &l.joint);
    if (i == 3) l.joint.mimic = called(at, "l1", mimic), l.joint.mimic_ratio = -0.7;
    check_ok(jn_builder_add_link(b, &l));
  }
  const char *ground = at->parent ? at->parent : "world";
  random_placement(&s, T);
  check_ok(jn_builder_add_frame(b, called(at, "tip", name), called(at, "l4", other), T));
  random_placement(&s, T);
  multiply(at->base, T, moved);
  check_ok(jn_builder_add_frame(b, called(at, "mount", name), ground, moved));
  jn_loop l;
  jn_loop_init(&l);
  l.type = JN_LOOP_COUPLING;
  l.name = called(at, "sum", name);
  l.term_count = 2;
  l.term[0] = (jn_coupling){called(at, "l0", other), 0, 2};
  l.term[1] = (jn_coupling){called(at, "l4", mimic), 1, -1};
  l.offset = 0.1;
  check_ok(jn_builder_add_loop(b, &l));
  jn_loop_init(&l);
  l.type = JN_LOOP_POINT_ON_AXIS;
  l.name = called(at, "rail", name);
  l.link_a = ground;
  l.link_b = called(at, "l2", other);
  random_placement(&s, T);
  multiply(at->base, T, l.placement_a);
  random_placement(&s, l.placement_b);
  check_ok(jn_builder_add_loop(b, &l));
}

static jn_model *frozen(jn_builder *b) {
  jn_model *m;
  jn_error error;
  jn_status status = jn_builder_freeze(b, &m, &error);
  check(status == JN_OK, "%s", error.text);
  jn_builder_destroy(b);
  return m;
}

static const double identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};

static void same_dynamics(const jn_model *a, const jn_model *b, uint64_t *s) {
  jn_work *wa, *wb;
  double q[Q], v[V], acc[V], ta[V], tb[V], T[16], U[16];
  int n = jn_model_nv(a);
  check(n == jn_model_nv(b) && jn_link_count(a) == jn_link_count(b) && jn_frame_count(a) == jn_frame_count(b), "sizes");
  check_ok(jn_work_create(a, &wa));
  check_ok(jn_work_create(b, &wb));
  check_ok(jn_random(a, s, q));
  fill(s, v, n, 1);
  fill(s, acc, n, 1);
  check_ok(jn_inverse_dynamics(a, wa, q, v, acc, NULL, ta));
  check_ok(jn_inverse_dynamics(b, wb, q, v, acc, NULL, tb));
  check_close(ta, tb, n, 10, 1000, "inverse dynamics");
  for (int f = 0; f < jn_frame_count(a); f++) {
    check_ok(jn_frame_pose(a, wa, f, q, T));
    check_ok(jn_frame_pose(b, wb, jn_frame_index(b, jn_frame_name(a, f)), q, U));
    check_close(T, U, 16, 1, 500, "pose of '%s'", jn_frame_name(a, f));
  }
  jn_loops *la, *lb;
  double phi_a[64], phi_b[64];
  check_ok(jn_loops_create(a, NULL, &la));
  check_ok(jn_loops_create(b, NULL, &lb));
  check(jn_loops_rows(la) == jn_loops_rows(lb), "conditions");
  check_ok(jn_loops_constraint(la, q, NULL, phi_a, NULL, NULL));
  check_ok(jn_loops_constraint(lb, q, NULL, phi_b, NULL, NULL));
  check_close(phi_a, phi_b, jn_loops_rows(la), 1, 1000, "conditions of the loops");
  jn_loops_destroy(la);
  jn_loops_destroy(lb);
  jn_work_destroy(wa);
  jn_work_destroy(wb);
}

/* Attached to a link, to a frame and to the world of the first robot. */
static void joined_robots_are_those_of_one_description(void **st) {
  (void)st;
  uint64_t s = seed("attached");
  static const char *const frames[3] = {"l2", "tip", "world"};
  for (int i = 0; i < 12; i++) {
    uint64_t one = s + 1, two = s + 2;
    double T[16], base[16], in_link[16];
    const place here = {"", NULL, identity}, alone = {"", NULL, identity};
    jn_builder *b;
    jn_model *first, *second, *joined, *whole;
    const char *frame = frames[i % 3];
    random_placement(&s, T);
    check_ok(jn_builder_create(NULL, &b));
    describe(b, one, &here);
    first = frozen(b);
    check_ok(jn_builder_create(NULL, &b));
    describe(b, two, &alone);
    second = frozen(b);
    jn_error error;
    jn_status status = jn_model_attach(first, frame, second, "g_", T, NULL, &joined, &error);
    check(status == JN_OK, "%s", error.text);
    int f = jn_frame_index(first, frame);
    memcpy(in_link, identity, sizeof identity);
    if (f >= 0) check_ok(jn_frame_placement(first, f, in_link));
    multiply(in_link, T, base);
    const place there = {"g_", f == JN_WORLD ? NULL : jn_link_name(first, jn_frame_link(first, f)), base};
    static const char *const order[] = {"l0", "l1", "l2", "l4", "g_l0", "g_l1", "g_l2", "g_l4"};
    jn_options options;
    jn_options_init(&options);
    options.joint_order = order;
    options.joint_order_count = 8;
    check_ok(jn_builder_create(&options, &b));
    describe(b, one, &here);
    describe(b, two, &there);
    whole = frozen(b);
    same_dynamics(joined, whole, &s);
    check(strcmp(jn_model_name(joined), jn_model_name(first)) == 0, "name of the first");
    jn_model *all[] = {first, second, joined, whole};
    for (int k = 0; k < 4; k++) jn_model_destroy(all[k]);
  }
}

static jn_model *one_robot(const char *prefix) {
  const place here = {prefix, NULL, identity};
  jn_builder *b;
  check_ok(jn_builder_create(NULL, &b));
  describe(b, 77, &here);
  return frozen(b);
}

static void clashes_are_refused_by_name(void **st) {
  (void)st;
  jn_model *m = one_robot(""), *other = one_robot("x_"), *joined;
  jn_error error;
  check_status(jn_model_attach(m, "tip", m, NULL, NULL, NULL, &joined, &error), JN_ERR_MODEL);
  check(!joined && strstr(error.text, "link 'l0'") && strstr(error.text, "frame 'tip'") && strstr(error.text, "more") &&
            strstr(error.text, "prefix"),
        "%s", error.text);
  check_status(jn_model_attach(m, "tpi", other, NULL, NULL, NULL, &joined, &error), JN_ERR_NAME);
  check(strstr(error.text, "did you mean 'tip'?"), "%s", error.text);
  double sheared[16];
  memcpy(sheared, identity, sizeof sheared);
  sheared[1] = 0.5;
  check_status(jn_model_attach(m, "tip", other, NULL, sheared, NULL, &joined, &error), JN_ERR_MODEL);
  check(strstr(error.text, "orthonormal"), "%s", error.text);
  char prefix[300];
  memset(prefix, 'p', sizeof prefix - 1);
  prefix[sizeof prefix - 1] = 0;
  check_status(jn_model_attach(m, "tip", other, prefix, NULL, NULL, &joined, &error), JN_ERR_MODEL);
  check_status(jn_model_attach(m, "tip", NULL, NULL, NULL, NULL, &joined, &error), JN_ERR_NULL);
  check_status(jn_model_attach(m, NULL, other, NULL, NULL, NULL, &joined, &error), JN_ERR_NULL);
  jn_model_destroy(m);
  jn_model_destroy(other);
}

/* A link named "world" would take over what the first robot says about the world. */
static void a_link_named_world_takes_nothing_over(void **st) {
  (void)st;
  uint64_t s = 4;
  jn_builder *b;
  jn_model *m = one_robot(""), *other, *joined;
  check_ok(jn_builder_create(NULL, &b));
  add_random_link(b, &s, "world", NULL, JN_FIXED, NULL);
  add_random_link(b, &s, "stick", "world", JN_REVOLUTE, NULL);
  other = frozen(b);
  jn_error error;
  check_status(jn_model_attach(m, "tip", other, NULL, NULL, NULL, &joined, &error), JN_ERR_MODEL);
  check(strstr(error.text, "'world'"), "%s", error.text);
  check_ok(jn_model_attach(m, "tip", other, "b_", NULL, NULL, &joined, &error));
  jn_model_destroy(joined);
  check_ok(jn_model_attach(other, "world", m, NULL, NULL, NULL, &joined, &error)); /* the link of that name */
  check(jn_link_parent(joined, jn_link_index(joined, "l0")) == jn_link_index(joined, "world"), "hangs on the link");
  jn_model_destroy(joined);
  jn_model_destroy(m);
  jn_model_destroy(other);
}

/* ---- re-rooting ---- */

/* A floating robot of any joints, a third of them with coupled coordinates. The free joint of the base has no armature.
 * `groups`: with spherical joints, of one armature about all axes, and free ones. */
static jn_model *floating_tree(uint64_t *s, int links, int groups) {
  jn_builder *b;
  jn_model *m;
  check_ok(jn_builder_create(NULL, &b));
  int shift = (int)(50 * (1 + uniform(s))), coupled = uniform(s) > 0.33;
  char leader[32] = "";
  for (int i = 0; i < links; i++) {
    char name[32], parent[32];
    jn_joint_type type = i ? (jn_joint_type)((i + shift) % JN_JOINT_TYPES) : JN_FREE;
    if (i && !groups && (type == JN_SPHERICAL || type == JN_FREE)) type = JN_HELICAL;
    int one = type == JN_REVOLUTE || type == JN_CONTINUOUS || type == JN_PRISMATIC || type == JN_HELICAL;
    snprintf(name, sizeof name, "link%d", i);
    int chain = i > 2 && uniform(s) > 0; /* long paths */
    snprintf(parent, sizeof parent, "link%d", chain ? i - 1 : (int)(0.4999 * (1 + uniform(s)) * i));
    jn_link l;
    jn_link_init(&l);
    l.name = name;
    l.parent = i ? parent : NULL;
    random_placement(s, l.placement);
    random_inertia(s, l.inertia);
    random_joint(s, type, &l.joint);
    for (int k = 0; k < 6 && type != JN_FREE; k++) {
      l.joint.dof[k].armature = type == JN_SPHERICAL ? 0.02 : 0.01 * (k + 1);
      if (type == JN_SPHERICAL) continue;
      l.joint.dof[k].stiffness = 2 + k; /* a spring */
      l.joint.dof[k].rest = 0.1 * k;
    }
    if (one && coupled && *leader) l.joint.mimic = leader, l.joint.mimic_ratio = 0.8, l.joint.mimic_offset = 0.1;
    check_ok(jn_builder_add_link(b, &l));
    if (one && !*leader) snprintf(leader, sizeof leader, "%s", name);
  }
  jn_loop loop; /* between the base and the last link */
  char last[32];
  snprintf(last, sizeof last, "link%d", links - 1);
  jn_loop_init(&loop);
  loop.name = "loop";
  loop.link_a = "link0";
  loop.link_b = last;
  random_placement(s, loop.placement_a);
  random_placement(s, loop.placement_b);
  check_ok(jn_builder_add_loop(b, &loop));
  jn_status status = jn_builder_freeze(b, &m, NULL);
  jn_builder_destroy(b);
  return status == JN_OK ? m : floating_tree(s, links, groups); /* random screws may by chance be dependent */
}

static int is_reversed(const jn_model *m, int joint, int base) {
  return joint <= base && base < jn_link_subtree_end(m, joint);
}

/* Do the coordinates of a joint of the old robot come in the reverse order in the new one? */
static int flips(const jn_model *m, int joint, int base) {
  jn_joint_type type = jn_joint_type_of(m, joint);
  return is_reversed(m, joint, base) &&
         (type == JN_UNIVERSAL || type == JN_GIMBAL || type == JN_PLANAR || type == JN_GENERAL);
}

/* Pose of link b in link a. */
static void relative_pose(const jn_model *m, jn_work *w, const double *q, int a, int b, double out[16]) {
  double A[16], B[16], inverse[16];
  check_ok(jn_frame_pose(m, w, a, q, A));
  check_ok(jn_frame_pose(m, w, b, q, B));
  invert(A, inverse);
  multiply(inverse, B, out);
}

/* Coordinates of a spherical or free joint from the pose of its link in the parent. */
static void group_coordinates(const jn_model *m, int joint, const double pose[16], double *q) {
  double P[16], inverse[16], J[16], x[3], w;
  check_ok(jn_link_placement(m, joint, P));
  invert(P, inverse);
  multiply(inverse, pose, J);
  double trace = J[0] + J[5] + J[10];
  if (trace > 0) {
    w = sqrt(1 + trace) / 2;
    x[0] = (J[9] - J[6]) / (4 * w), x[1] = (J[2] - J[8]) / (4 * w), x[2] = (J[4] - J[1]) / (4 * w);
  } else {
    int i = J[0] > J[5] ? (J[0] > J[10] ? 0 : 2) : J[5] > J[10] ? 1 : 2, k = (i + 1) % 3, l = (i + 2) % 3;
    double r = sqrt(1 + J[5 * i] - J[5 * k] - J[5 * l]);
    x[i] = r / 2;
    x[k] = (J[4 * k + i] + J[4 * i + k]) / (2 * r);
    x[l] = (J[4 * l + i] + J[4 * i + l]) / (2 * r);
    w = (J[4 * l + k] - J[4 * k + l]) / (2 * r);
  }
  int is_free = jn_joint_type_of(m, joint) == JN_FREE;
  for (int k = 0; k < 3 && is_free; k++) q[k] = J[4 * k + 3];
  memcpy(q + 3 * is_free, x, sizeof x);
  q[3 * is_free + 3] = w;
}

/* A robot and the same with another base. */
typedef struct rooted {
  jn_model *old, *now;
  jn_work *w, *w_now;
  int base; /* of the old one */
} rooted;

static void map_q(const rooted *r, const double *q, double *out) {
  for (int i = 0; i < jn_link_count(r->now); i++) {
    int old = jn_joint_index(r->old, jn_joint_name(r->now, i)), n = jn_joint_nq(r->now, i), at = jn_joint_q(r->now, i);
    jn_joint_type type = jn_joint_type_of(r->now, i);
    if (n == 0) continue;
    int turned = is_reversed(r->old, old, r->base), parent = jn_link_parent(r->now, i);
    double T[16];
    if (turned && (type == JN_FREE || type == JN_SPHERICAL)) {
      int link = jn_link_index(r->old, jn_link_name(r->now, i));
      if (parent < 0)
        check_ok(jn_frame_pose(r->old, r->w, link, q, T));
      else
        relative_pose(r->old, r->w, q, jn_link_index(r->old, jn_link_name(r->now, parent)), link, T);
      group_coordinates(r->now, i, T, out + at);
      continue;
    }
    int back = flips(r->old, old, r->base);
    for (int k = 0; k < n; k++) out[at + k] = q[jn_joint_q(r->old, old) + (back ? n - 1 - k : k)];
  }
}

/* Numbers of the velocity, without spherical joints on the path: the base is given. */
static void map_v(const rooted *r, const double *v, const double base[6], double *out) {
  for (int i = 0; i < jn_link_count(r->now); i++) {
    int old = jn_joint_index(r->old, jn_joint_name(r->now, i)), n = jn_joint_nv(r->now, i), at = jn_joint_v(r->now, i);
    if (n == 0) continue;
    int back = flips(r->old, old, r->base);
    for (int k = 0; k < n; k++)
      out[at + k] =
          jn_link_parent(r->now, i) == JN_WORLD ? base[k] : v[jn_joint_v(r->old, old) + (back ? n - 1 - k : k)];
  }
}

static rooted reroot(uint64_t *s, int links, int groups) {
  rooted r = {.old = floating_tree(s, links, groups)};
  r.base = (int)(0.4999 * (1 + uniform(s)) * links);
  jn_error error;
  jn_status status = jn_model_reroot(r.old, jn_link_name(r.old, r.base), NULL, NULL, &r.now, &error);
  check(status == JN_OK, "%s", error.text);
  check_ok(jn_work_create(r.old, &r.w));
  check_ok(jn_work_create(r.now, &r.w_now));
  return r;
}

static void end(rooted *r) {
  jn_work_destroy(r->w);
  jn_work_destroy(r->w_now);
  jn_model_destroy(r->old);
  jn_model_destroy(r->now);
}

static void poses_agree(const rooted *r, const double *q, const double *q_now) {
  for (int f = 0; f < jn_link_count(r->old); f++) {
    double T[16], U[16];
    check_ok(jn_frame_pose(r->old, r->w, f, q, T));
    check_ok(jn_frame_pose(r->now, r->w_now, jn_link_index(r->now, jn_link_name(r->old, f)), q_now, U));
    check_close(U, T, 16, 1, 2000, "pose of '%s' with '%s' as the base", jn_link_name(r->old, f),
                jn_link_name(r->old, r->base));
  }
}

static void loops_agree(const rooted *r, const double *q, const double *q_now) {
  jn_loops *a, *b;
  double phi[6], phi_now[6];
  check_ok(jn_loops_create(r->old, NULL, &a));
  check_ok(jn_loops_create(r->now, NULL, &b));
  check_ok(jn_loops_constraint(a, q, NULL, phi, NULL, NULL));
  check_ok(jn_loops_constraint(b, q_now, NULL, phi_now, NULL, NULL));
  check_close(phi_now, phi, 6, 1, 5000, "conditions of the loop");
  jn_loops_destroy(a);
  jn_loops_destroy(b);
}

static void floating_robot_does_not_know_its_base(void **st) {
  (void)st;
  uint64_t s = seed("re-rooted");
  for (int i = 0; i < MODELS; i++) {
    rooted r = reroot(&s, 3 + i % 13, 0);
    int n = jn_model_nv(r.old);
    double q[Q], v[V], tau[V], a[V], q_now[Q], v_now[V], a_now[V], tau_now[V], expected[V], twist[6], zero[6] = {0};
    double e[2], e_now[2], h[6], h_now[6];
    check(n == jn_model_nv(r.now), "coordinates");
    check_ok(jn_random(r.old, &s, q));
    fill(&s, v, n, 1);
    fill(&s, tau, n, 5);
    for (int k = 0; k < 6; k++) tau[jn_joint_v(r.old, 0) + k] = 0; /* nothing holds the base */
    check_ok(jn_forward_dynamics(r.old, r.w, q, v, tau, NULL, a));
    map_q(&r, q, q_now);
    poses_agree(&r, q, q_now);
    loops_agree(&r, q, q_now);
    check_ok(jn_frame_twist(r.old, r.w, r.base, JN_IN_BODY, q, v, twist));
    map_v(&r, v, twist, v_now);
    check_ok(jn_frame_acceleration(r.old, r.w, r.base, JN_IN_BODY, q, v, a, twist));
    map_v(&r, a, twist, a_now);
    check_ok(jn_energy(r.old, r.w, q, v, e));
    check_ok(jn_energy(r.now, r.w_now, q_now, v_now, e_now));
    check_close(e_now, e, 2, 10, 5000, "energies");
    check_ok(jn_momentum(r.old, r.w, JN_ABOUT_ORIGIN, q, v, h));
    check_ok(jn_momentum(r.now, r.w_now, JN_ABOUT_ORIGIN, q_now, v_now, h_now));
    check_close(h_now, h, 6, 10, 5000, "momentum");
    check_ok(jn_inverse_dynamics(r.now, r.w_now, q_now, v_now, a_now, NULL, tau_now));
    map_v(&r, tau, zero, expected);
    double size = 10;
    for (int k = 0; k < n; k++) size = fmax(size, 10 * fabs(a[k]));
    check_close(tau_now, expected, n, size, 1e4, "joint torques, and none at the base");
    end(&r);
  }
}

/* Spherical and free joints on the path have the inverse motion. */
static void reversed_groups_have_the_inverse_motion(void **st) {
  (void)st;
  uint64_t s = seed("groups");
  for (int i = 0; i < MODELS; i++) {
    rooted r = reroot(&s, 3 + i % 13, 1);
    double q[Q], q_now[Q], e[2], e_now[2];
    check_ok(jn_random(r.old, &s, q));
    map_q(&r, q, q_now);
    poses_agree(&r, q, q_now);
    check_ok(jn_energy(r.old, r.w, q, NULL, e));
    check_ok(jn_energy(r.now, r.w_now, q_now, NULL, e_now));
    check_close(e_now, e, 2, 10, 5000, "potential energy");
    end(&r);
  }
}

/* There and back again is the same robot. */
static void rerooting_twice_is_nothing(void **st) {
  (void)st;
  uint64_t s = seed("there and back");
  for (int i = 0; i < MODELS; i++) {
    rooted r = reroot(&s, 3 + i % 13, 1);
    jn_model *back;
    jn_work *w;
    int n = jn_model_nv(r.old);
    double q[Q], v[V], a[V], tau[V], again[V];
    check_ok(jn_model_reroot(r.now, jn_link_name(r.old, 0), NULL, NULL, &back, NULL));
    check_ok(jn_work_create(back, &w));
    check_ok(jn_random(r.old, &s, q));
    fill(&s, v, n, 1);
    fill(&s, a, n, 1);
    check_ok(jn_inverse_dynamics(r.old, r.w, q, v, a, NULL, tau));
    check_ok(jn_inverse_dynamics(back, w, q, v, a, NULL, again));
    check_close(again, tau, n, 10, 5000, "torques of the robot that was re-rooted twice");
    jn_work_destroy(w);
    jn_model_destroy(back);
    end(&r);
  }
}

/* A fixed base moves to another link, where that is at q: the poses of links to each other stay. */
static void fixed_base_moves_to_where_the_link_is(void **st) {
  (void)st;
  uint64_t s = seed("fixed base");
  for (int i = 0; i < MODELS; i++) {
    jn_model *floating = floating_tree(&s, 3 + i % 13, 0), *old, *now;
    double q0[Q], q[Q], T[16], U[16];
    check_ok(jn_random(floating, &s, q0));
    check_ok(jn_model_lock(floating, (const char *[]){"link0"}, 1, q0, NULL, &old, NULL));
    int base = (int)(0.4999 * (1 + uniform(&s)) * jn_link_count(old));
    check_ok(jn_random(old, &s, q));
    check_ok(jn_model_reroot(old, jn_link_name(old, base), q, NULL, &now, NULL));
    rooted r = {.old = old, .now = now, .base = base};
    check_ok(jn_work_create(old, &r.w));
    check_ok(jn_work_create(now, &r.w_now));
    double q_now[Q];
    map_q(&r, q, q_now);
    poses_agree(&r, q, q_now);
    check_ok(jn_random(old, &s, q)); /* elsewhere the base stays where it was */
    map_q(&r, q, q_now);
    for (int f = 0; f < jn_link_count(old); f++) {
      relative_pose(old, r.w, q, base, f, T);
      relative_pose(now, r.w_now, q_now, jn_link_index(now, jn_link_name(old, base)),
                    jn_link_index(now, jn_link_name(old, f)), U);
      check_close(U, T, 16, 1, 2000, "pose of '%s' in the base", jn_link_name(old, f));
    }
    end(&r);
    jn_model_destroy(floating);
  }
}

/* Joints at the origin of their links move as before. */
static void split_joints_move_as_before(void **st) {
  (void)st;
  uint64_t s = seed("split");
  for (int i = 0; i < MODELS; i++) {
    jn_model *m = random_tree(&s, 3 + i % 13), *now;
    jn_work *w, *w_now;
    int n = jn_model_nv(m);
    double q[Q], v[V], a[V], tau[V], own[V], T[16], U[16];
    check_ok(jn_model_split(m, NULL, &now, NULL));
    check_ok(jn_work_create(m, &w));
    check_ok(jn_work_create(now, &w_now));
    check_ok(jn_random(m, &s, q));
    fill(&s, v, n, 1);
    fill(&s, a, n, 1);
    check_ok(jn_inverse_dynamics(m, w, q, v, a, NULL, tau));
    check_ok(jn_inverse_dynamics(now, w_now, q, v, a, NULL, own));
    check_close(own, tau, n, 10, 2000, "torques, in the same order");
    for (int k = 0; k < jn_link_count(now); k++) {
      const jn_joint *j = jn_joint_description(now, k);
      double off = jn_joint_type_of(now, k) == JN_REVOLUTE ? norm(j->point, 3) : 0;
      check(off == 0, "joint '%s' is at the origin of its link", jn_joint_name(now, k));
    }
    for (int k = 0; k < jn_link_count(m); k++) {
      check_ok(jn_frame_pose(m, w, k, q, T));
      check_ok(jn_frame_pose(now, w_now, jn_link_index(now, jn_link_name(m, k)), q, U));
      check_close(U, T, 16, 1, 500, "pose of link %d", k);
    }
    release(m, w);
    release(now, w_now);
  }
}

/* Couplings name coordinates of a joint, which come in the reverse order; limits go along. */
static void couplings_and_limits_follow_the_coordinates(void **st) {
  (void)st;
  uint64_t s = 21;
  jn_builder *b;
  jn_model *m, *now;
  jn_link l;
  check_ok(jn_builder_create(NULL, &b));
  add_random_link(b, &s, "base", NULL, JN_FIXED, NULL);
  jn_link_init(&l);
  l.name = "hand";
  l.parent = "base";
  random_placement(&s, l.placement);
  random_inertia(&s, l.inertia);
  random_joint(&s, JN_GIMBAL, &l.joint);
  for (int k = 0; k < 3; k++) l.joint.dof[k].upper = 1 + k;
  check_ok(jn_builder_add_link(b, &l));
  jn_loop sum;
  jn_loop_init(&sum);
  sum.type = JN_LOOP_COUPLING;
  sum.name = "sum";
  sum.term_count = 2;
  sum.term[0] = (jn_coupling){"hand", 0, 1};
  sum.term[1] = (jn_coupling){"hand", 1, 2};
  check_ok(jn_builder_add_loop(b, &sum));
  m = frozen(b);
  check_ok(jn_model_reroot(m, "hand", NULL, NULL, &now, NULL));
  const jn_loop *c = jn_loop_description(now, 0);
  check(c->term[0].coordinate == 2 && c->term[1].coordinate == 1, "coordinates of the coupling");
  int joint = jn_joint_index(now, "hand");
  check(strcmp(jn_link_name(now, joint), "base") == 0, "the joint keeps its name and carries the old base");
  for (int k = 0; k < 3; k++) check(jn_coordinate_dof(now, k)->upper == 3 - k, "limit of coordinate %d", k);
  jn_model_destroy(m);
  jn_model_destroy(now);
}

static void faults_name_what_is_wrong(void **st) {
  (void)st;
  uint64_t s = 6;
  jn_builder *b;
  jn_model *m, *now;
  jn_error error;
  check_ok(jn_builder_create(NULL, &b));
  add_random_link(b, &s, "cart", NULL, JN_PRISMATIC, NULL);
  add_random_link(b, &s, "ball", "cart", JN_SPHERICAL, NULL);
  m = frozen(b);
  check_status(jn_model_reroot(m, "bal", NULL, NULL, &now, &error), JN_ERR_NAME);
  check(strstr(error.text, "did you mean 'ball'?"), "%s", error.text);
  check_status(jn_model_reroot(m, "ball", NULL, NULL, &now, &error), JN_ERR_MODEL);
  check(strstr(error.text, "'ball'") && strstr(error.text, "armature"), "%s", error.text);
  check_status(jn_model_reroot(m, "cart", NULL, NULL, &now, &error), JN_ERR_MODEL);
  check(strstr(error.text, "prismatic"), "%s", error.text);
  check_status(jn_model_reroot(m, NULL, NULL, NULL, &now, &error), JN_ERR_NULL);
  jn_model_destroy(m);
}

/* Every allocation fails once: an error, and nothing is left behind. */
static void memory_may_run_out(void **st) {
  (void)st;
  jn_model *m = one_robot(""), *other = one_robot("x_"), *now;
  uint64_t s = 9;
  jn_model *floating = floating_tree(&s, 6, 0);
  for (int edit = 0; edit < 3; edit++) {
    jn_status status = JN_ERR_MEMORY;
    for (int n = 1; status != JN_OK; n++) {
      counter c = {.fail_at = n};
      jn_allocator a = {count_allocate, count_release, &c};
      jn_options options;
      jn_options_init(&options);
      options.allocator = &a;
      status = edit == 0   ? jn_model_attach(m, "tip", other, "y_", NULL, &options, &now, NULL)
               : edit == 1 ? jn_model_reroot(floating, "link4", NULL, &options, &now, NULL)
                           : jn_model_split(floating, &options, &now, NULL);
      check(status == JN_OK || (status == JN_ERR_MEMORY && !now), "%s", jn_status_text(status));
      jn_model_destroy(now);
      check(c.live == 0, "edit %d, allocation %d: %d blocks are left", edit, n, c.live);
      check(n < 10000, "it never succeeds");
    }
  }
  jn_model_destroy(floating);
  jn_model_destroy(m);
  jn_model_destroy(other);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(joined_robots_are_those_of_one_description),
      cmocka_unit_test(clashes_are_refused_by_name),
      cmocka_unit_test(a_link_named_world_takes_nothing_over),
      cmocka_unit_test(floating_robot_does_not_know_its_base),
      cmocka_unit_test(reversed_groups_have_the_inverse_motion),
      cmocka_unit_test(rerooting_twice_is_nothing),
      cmocka_unit_test(fixed_base_moves_to_where_the_link_is),
      cmocka_unit_test(split_joints_move_as_before),
      cmocka_unit_test(couplings_and_limits_follow_the_coordinates),
      cmocka_unit_test(faults_name_what_is_wrong),
      cmocka_unit_test(memory_may_run_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
