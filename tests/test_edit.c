/* SPDX-License-Identifier: BSD-2-Clause */
/* Locked joints, subtrees, merged links: the smaller robot is the larger one with the other coordinates at rest. Random
 * trees of every joint type, a third of them with coupled coordinates; loops and couplings; what is refused. */
#include "counting.h"
#include "linkage.h"
#include "models.h"

enum { MODELS = 60, TOP = 3, V = 64, Q = 80, LINKS = 20 };

/* A robot, a smaller one made from it, and a state of both. */
typedef struct pair {
  jn_model *full, *part;
  jn_work *w, *w_part;
  int nv, n;              /* coordinates of both */
  int v_of[V], q_of[Q];   /* place of the part's coordinates among those of the full one */
  unsigned char rests[V]; /* coordinates of the full one that the part does not have */
  double q[Q], v[(TOP + 2) * V], tau[(TOP + 1) * V], W[LINKS * 6];
  double q_part[Q], v_part[(TOP + 2) * V], tau_part[(TOP + 1) * V], W_part[LINKS * 6];
} pair;

static void map_coordinates(pair *p) {
  p->nv = jn_model_nv(p->full);
  p->n = jn_model_nv(p->part);
  memset(p->rests, 1, sizeof p->rests);
  for (int i = 0; i < jn_link_count(p->part); i++) {
    int j = jn_joint_index(p->full, jn_joint_name(p->part, i));
    for (int k = 0; k < jn_joint_nv(p->part, i); k++) {
      int at = jn_joint_v(p->full, j) + k;
      p->v_of[jn_joint_v(p->part, i) + k] = at;
      p->rests[at] = 0;
    }
    for (int k = 0; k < jn_joint_nq(p->part, i); k++) p->q_of[jn_joint_q(p->part, i) + k] = jn_joint_q(p->full, j) + k;
  }
}

/* A random motion of the coordinates that both have, and wrenches on the links that both have. p->q is where the others
 * rest. */
static void draw_motion(pair *p, uint64_t *s) {
  map_coordinates(p);
  check_ok(jn_work_create_order(p->full, TOP, &p->w));
  check_ok(jn_work_create_order(p->part, TOP, &p->w_part));
  for (int k = 0; k < TOP + 2; k++)
    for (int i = 0; i < p->nv; i++) {
      p->v[k * p->nv + i] = p->rests[i] ? 0 : uniform(s);
      if (k < TOP + 1) p->tau[k * p->nv + i] = 3 * uniform(s);
    }
  for (int i = 0; i < p->n; i++)
    for (int k = 0; k < TOP + 2; k++) {
      p->v_part[k * p->n + i] = p->v[k * p->nv + p->v_of[i]];
      if (k < TOP + 1) p->tau_part[k * p->n + i] = p->tau[k * p->nv + p->v_of[i]];
    }
  for (int i = 0; i < jn_model_nq(p->part); i++) p->q_part[i] = p->q[p->q_of[i]];
  memset(p->W, 0, sizeof p->W);
  for (int i = 0; i < jn_link_count(p->part); i++) {
    int full = jn_link_index(p->full, jn_link_name(p->part, i));
    fill(s, p->W_part + 6 * i, 6, 2);
    memcpy(p->W + 6 * full, p->W_part + 6 * i, 6 * sizeof(double));
  }
}

static void end(pair *p) {
  jn_work_destroy(p->w);
  jn_work_destroy(p->w_part);
  jn_model_destroy(p->full);
  jn_model_destroy(p->part);
}

/* Rows and columns of a matrix of the full robot that the part has. */
static void restrict_matrix(const pair *p, const double *A, double *out) {
  for (int i = 0; i < p->n; i++)
    for (int k = 0; k < p->n; k++) out[i * p->n + k] = A[p->v_of[i] * p->nv + p->v_of[k]];
}

static void restrict_rows(const pair *p, const double *a, int rows, double *out) {
  for (int r = 0; r < rows; r++)
    for (int i = 0; i < p->n; i++) out[r * p->n + i] = a[r * p->nv + p->v_of[i]];
}

static void dynamics_agree(const pair *p) {
  double tau[V], a[V], forces[V], own[V], expected[V], energy[2], energy_part[2];
  const double *v = p->v, *acc = p->v + p->nv;
  check_ok(jn_inverse_dynamics(p->full, p->w, p->q, v, acc, p->W, tau));
  check_ok(jn_inverse_dynamics(p->part, p->w_part, p->q_part, p->v_part, p->v_part + p->n, p->W_part, own));
  restrict_rows(p, tau, 1, expected);
  check_close(own, expected, p->n, 20, 2000, "inverse dynamics are those of the held robot");
  check_ok(jn_hybrid_dynamics(p->full, p->w, p->rests, p->q, v, acc, p->tau, p->W, a, forces));
  check_ok(jn_forward_dynamics(p->part, p->w_part, p->q_part, p->v_part, p->tau_part, p->W_part, own));
  restrict_rows(p, a, 1, expected);
  check_close(own, expected, p->n, 10, 1e6, "forward dynamics are hybrid dynamics of the held robot");
  check_ok(jn_energy(p->full, p->w, p->q, v, energy));
  check_ok(jn_energy(p->part, p->w_part, p->q_part, p->v_part, energy_part));
  check_close(energy_part, energy, 1, 10, 2000, "kinetic energy");
}

static void derivatives_agree(const pair *p) {
  double full[3][V * V], part[3][V * V], expected[V * V];
  static const char *const by[3] = {"q", "v", "a"};
  check_ok(jn_inverse_dynamics_derivatives(p->full, p->w, p->q, p->v, p->v + p->nv, p->W, JN_IN_BODY, full[0], full[1],
                                           full[2], NULL));
  check_ok(jn_inverse_dynamics_derivatives(p->part, p->w_part, p->q_part, p->v_part, p->v_part + p->n, p->W_part,
                                           JN_IN_BODY, part[0], part[1], part[2], NULL));
  for (int k = 0; k < 3; k++) {
    restrict_matrix(p, full[k], expected);
    check_close(part[k], expected, p->n * p->n, 20, 3000, "dtau/d%s are those of the held robot", by[k]);
  }
}

/* Forward dynamics by q, v and tau are hybrid dynamics of the held robot by the same. */
static void forward_derivatives_agree(const pair *p) {
  static double a[V], tau[V], by_q[V * V], by_v[V * V], given[V * V], unused[3][V * V], part[3][V * V], own[V],
      e[V * V];
  const jn_hybrid_derivatives out = {.a = a,
                                     .tau = tau,
                                     .da_dq = by_q,
                                     .da_dv = by_v,
                                     .da_dgiven = given,
                                     .dtau_dq = unused[0],
                                     .dtau_dv = unused[1],
                                     .dtau_dgiven = unused[2]};
  static const char *const by[3] = {"q", "v", "tau"};
  const double *full[3] = {by_q, by_v, given};
  check_ok(jn_hybrid_dynamics_derivatives(p->full, p->w, p->rests, p->q, p->v, p->v + p->nv, p->tau, NULL, JN_IN_BODY,
                                          &out));
  check_ok(jn_forward_dynamics_derivatives(p->part, p->w_part, p->q_part, p->v_part, p->tau_part, NULL, JN_IN_BODY, own,
                                           part[0], part[1], part[2], NULL));
  for (int k = 0; k < 3; k++) {
    restrict_matrix(p, full[k], e);
    check_close(part[k], e, p->n * p->n, 10, 1e7, "derivatives of forward dynamics by %s", by[k]);
  }
}

static void jets_agree(const pair *p) {
  double full[(TOP + 2) * V], part[(TOP + 2) * V], expected[(TOP + 2) * V], forces[(TOP + 1) * V];
  check_ok(jn_inverse_dynamics_jet(p->full, p->w, TOP, p->q, p->v, NULL, full));
  check_ok(jn_inverse_dynamics_jet(p->part, p->w_part, TOP, p->q_part, p->v_part, NULL, part));
  restrict_rows(p, full, TOP + 1, expected);
  check_close(part, expected, (TOP + 1) * p->n, 50, 5000, "torque rates are those of the held robot");
  check_ok(jn_hybrid_dynamics_jet(p->full, p->w, TOP, p->rests, p->q, p->v, p->tau, NULL, full, forces));
  check_ok(jn_forward_dynamics_jet(p->part, p->w_part, TOP, p->q_part, p->v_part, p->tau_part, NULL, part));
  restrict_rows(p, full, TOP + 2, expected);
  for (int k = 0; k < TOP + 2; k++)
    check_close(part + k * p->n, expected + k * p->n, p->n, 1, 1e8, "motion of order %d under the same torques", k);
}

/* Columns of a link that both have are the same. */
static void regressors_agree(const pair *p) {
  int L = jn_link_count(p->full), l = jn_link_count(p->part);
  double *full = malloc((size_t)(p->nv * 10 * L + 1) * sizeof *full),
         *part = malloc((size_t)(p->n * 10 * l + 1) * sizeof *part);
  check_ok(jn_regressor(p->full, p->w, p->q, p->v, p->v + p->nv, full));
  check_ok(jn_regressor(p->part, p->w_part, p->q_part, p->v_part, p->v_part + p->n, part));
  for (int k = 0; k < l; k++) {
    int link = jn_link_index(p->full, jn_link_name(p->part, k));
    for (int i = 0; i < p->n; i++)
      check_close(part + i * 10 * l + 10 * k, full + p->v_of[i] * 10 * L + 10 * link, 10, 10, 2000,
                  "columns of link %d in the regressor", k);
  }
  free(full);
  free(part);
}

/* Every frame of the part is where the frame of that name is in the full robot. */
static void frames_agree(const pair *p) {
  for (int f = 0; f < jn_frame_count(p->part); f++) {
    double T[16], own[16];
    int full = jn_frame_index(p->full, jn_frame_name(p->part, f));
    if (full == JN_NONE) full = jn_joint_index(p->full, jn_frame_name(p->part, f)); /* merged links: names of joints */
    check_ok(jn_frame_pose(p->full, p->w, full, p->q, T));
    check_ok(jn_frame_pose(p->part, p->w_part, f, p->q_part, own));
    check_close(own, T, 16, 1, 500, "pose of frame '%s'", jn_frame_name(p->part, f));
  }
}

static void all_agree(pair *p) {
  dynamics_agree(p);
  derivatives_agree(p);
  forward_derivatives_agree(p);
  jets_agree(p);
  regressors_agree(p);
  frames_agree(p);
}

/* Locks about a third of the joints of p->full at p->q. */
static void lock_some(pair *p, uint64_t *s, const jn_options *options) {
  const char *names[LINKS];
  int count = 0;
  for (int i = 0; i < jn_link_count(p->full); i++)
    if (jn_joint_nv(p->full, i) > 0 && uniform(s) < -0.3) names[count++] = jn_joint_name(p->full, i);
  jn_error error;
  jn_status status = jn_model_lock(p->full, names, count, p->q, options, &p->part, &error);
  check(status == JN_OK, "%s", error.text);
}

static void locked_robot_is_the_held_one(void **st) {
  (void)st;
  uint64_t s = seed("locked");
  for (int i = 0; i < MODELS; i++) {
    pair p = {.full = random_tree(&s, 3 + i % 13)};
    check_ok(jn_random(p.full, &s, p.q));
    lock_some(&p, &s, NULL);
    check(jn_link_count(p.part) == jn_link_count(p.full), "links stay");
    draw_motion(&p, &s);
    all_agree(&p);
    end(&p);
  }
}

static void coordinates_keep_their_order(void **st) {
  (void)st;
  uint64_t s = seed("order");
  for (int i = 0; i < MODELS; i++) {
    pair p = {.full = random_tree(&s, 3 + i % 13)};
    check_ok(jn_random(p.full, &s, p.q));
    lock_some(&p, &s, NULL);
    draw_motion(&p, &s);
    for (int k = 1; k < p.n; k++) check(p.v_of[k - 1] < p.v_of[k], "coordinate %d comes before %d", k - 1, k);
    end(&p);
  }
}

/* Does a joint outside of the subtree follow one inside? It moves then in the full robot, and is gone in the part. */
static int drives_others(const jn_model *m, int link) {
  int end = jn_link_subtree_end(m, link);
  for (int i = 0; i < jn_link_count(m); i++) {
    int leader, inside = i >= link && i < end;
    if (!inside && jn_joint_mimic(m, i, &leader, NULL, NULL) && leader >= link && leader < end) return 1;
  }
  return 0;
}

static void subtree_is_the_robot_with_the_rest_held(void **st) {
  (void)st;
  uint64_t s = seed("subtree");
  for (int i = 0; i < MODELS; i++) {
    pair p = {.full = random_tree(&s, 3 + i % 13)};
    int links = jn_link_count(p.full), link = (int)(0.4999 * (1 + uniform(&s)) * links);
    while (drives_others(p.full, link)) link = jn_link_parent(p.full, link); /* the root has all inside */
    check_ok(jn_random(p.full, &s, p.q));
    check_ok(jn_model_subtree(p.full, jn_link_name(p.full, link), p.q, NULL, &p.part, NULL));
    check(jn_link_count(p.part) == jn_link_subtree_end(p.full, link) - link, "links of the subtree");
    draw_motion(&p, &s);
    all_agree(&p);
    end(&p);
  }
}

/* ---- merged links ---- */

/* Ten parameters of a body given in a frame at T, in the frame that T is in: by mass, centre and tensor. */
static void moved(const double T[16], const double given[10], double out[10]) {
  double m, c[3], I[6], at[3];
  jn_inertia_unpack(given, &m, c, I);
  const double A[3][3] = {{I[0], I[3], I[4]}, {I[3], I[1], I[5]}, {I[4], I[5], I[2]}};
  double B[3][3] = {{0}};
  for (int i = 0; i < 3; i++) {
    at[i] = T[4 * i + 3];
    for (int k = 0; k < 3; k++) {
      at[i] += T[4 * i + k] * c[k];
      for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) B[i][k] += T[4 * i + a] * A[a][b] * T[4 * k + b];
    }
  }
  jn_inertia_pack(m, at, (const double[]){B[0][0], B[1][1], B[2][2], B[0][1], B[0][2], B[1][2]}, out);
}

/* Columns of a merged link are those of the link that it became part of, for the parameters of the same body there. */
static void merged_columns_agree(const pair *p, uint64_t *s) {
  int L = jn_link_count(p->full), l = jn_link_count(p->part);
  double *full = malloc((size_t)(p->nv * 10 * L + 1) * sizeof *full),
         *part = malloc((size_t)(p->n * 10 * l + 1) * sizeof *part);
  check_ok(jn_regressor(p->full, p->w, p->q, p->v, p->v + p->nv, full));
  check_ok(jn_regressor(p->part, p->w_part, p->q_part, p->v_part, p->v_part + p->n, part));
  for (int k = 0; k < L; k++) {
    double T[16], pi[10], there[10];
    int frame = jn_frame_index(p->part, jn_link_name(p->full, k)), into = jn_frame_link(p->part, frame);
    check_ok(jn_frame_placement(p->part, frame, T));
    random_inertia(s, pi);
    moved(T, pi, there);
    for (int i = 0; i < p->n; i++) {
      double own = 0, expected = 0;
      for (int c = 0; c < 10; c++) {
        own += part[i * 10 * l + 10 * into + c] * there[c];
        expected += full[p->v_of[i] * 10 * L + 10 * k + c] * pi[c];
      }
      check_close(&own, &expected, 1, 20, 3000, "a body in link %d acts as the same body in the link it is part of", k);
    }
  }
  free(full);
  free(part);
}

static void merged_links_move_as_before(void **st) {
  (void)st;
  uint64_t s = seed("merged");
  for (int i = 0; i < MODELS; i++) {
    pair p = {.full = random_tree(&s, 3 + i % 13)};
    check_ok(jn_random(p.full, &s, p.q));
    lock_some(&p, &s, NULL);
    jn_model *locked = p.part;
    check_ok(jn_model_lump(locked, NULL, &p.part, NULL));
    for (int k = 0; k < jn_link_count(p.part); k++)
      check(jn_joint_type_of(p.part, k) != JN_FIXED || jn_link_parent(p.part, k) == JN_WORLD,
            "nothing is fixed to a link");
    check(fabs(jn_model_mass(p.part) - jn_model_mass(locked)) < 1e-12, "mass");
    draw_motion(&p, &s);
    dynamics_agree(&p);
    jets_agree(&p);
    regressors_agree(&p);
    frames_agree(&p);
    for (int k = 0; k < jn_link_count(p.full); k++)
      check(jn_frame_index(p.part, jn_link_name(p.full, k)) >= 0, "name of link %d is that of a frame", k);
    merged_columns_agree(&p, &s);
    jn_model_destroy(locked);
    end(&p);
  }
}

/* ---- loops ---- */

/* A five-bar linkage with its first bar locked where the loop is closed: accelerations and their rates. */
static void locked_linkage_is_the_held_one(void **st) {
  (void)st;
  uint64_t s = seed("linkage");
  const double length[4] = {0.5, 0.8, 0.7, 0.6};
  jn_loops_options options;
  jn_loops_options_init(&options);
  options.order = 2;
  for (int i = 0; i < 10; i++) {
    jn_model *full = linkage(4, length, 0.9), *part;
    jn_loops *l, *l_part;
    double q[4] = {0.9 + 0.3 * uniform(&s), -0.6, -1.1, -0.9}, v[16] = {0}, tau[12], tau_part[9], gap;
    double motion[16], forces[12], own[12];
    const unsigned char first[4] = {1, 0, 0, 0};
    check_ok(jn_loops_create(full, &options, &l));
    check_ok(jn_loops_assemble(l, first, 0, q, NULL));
    check_ok(jn_model_lock(full, (const char *[]){"bar0"}, 1, q, NULL, &part, NULL));
    check(jn_loop_count(part) == 1, "the loop stays");
    check_ok(jn_loops_create(part, &options, &l_part));
    v[2] = uniform(&s);
    check_ok(jn_loops_project(l, first, q, v));
    fill(&s, tau, 12, 2);
    for (int k = 0; k < 3; k++) memcpy(tau_part + 3 * k, tau + 4 * k + 1, 3 * sizeof *tau);
    check_ok(jn_loops_gaps(l_part, q + 1, &gap));
    check(gap < 1e4 * jn_variant_epsilon(), "the loop of the locked linkage is closed: %g", gap);
    check_ok(jn_loops_hybrid_dynamics_jet(l, 2, first, q, v, tau, NULL, motion, forces, NULL));
    check_ok(jn_loops_forward_dynamics_jet(l_part, 2, q + 1, v + 1, tau_part, NULL, own, NULL));
    for (int k = 0; k < 4; k++)
      check_close(own + 3 * k, motion + 4 * k + 1, 3, 10, 1e7, "derivative %d of the velocity of the locked linkage",
                  k);
    jn_loops_destroy(l);
    jn_loops_destroy(l_part);
    jn_model_destroy(full);
    jn_model_destroy(part);
  }
}

static int has_rule(const jn_report *r, jn_severity severity, const char *rule, const char *subject) {
  for (int i = 0; i < jn_report_count(r); i++) {
    const jn_message *m = jn_report_message(r, i);
    if (m->severity == severity && strcmp(m->rule, rule) == 0 && strstr(m->subject, subject)) return 1;
  }
  return 0;
}

/* Three bars about parallel axes: locked where they close, the loop has nothing left to do; elsewhere it is refused. */
static void loops_that_no_longer_move(void **st) {
  (void)st;
  const double length[3] = {0.5, 0.8, 0.7};
  jn_model *full = linkage(3, length, 0.9), *part;
  jn_loops *l;
  double q[3] = {0.9, -0.6, -1.1};
  const char *names[3] = {"bar0", "bar1", "bar2"};
  jn_options options;
  jn_options_init(&options);
  options.report = jn_report_create(NULL);
  check_ok(jn_loops_create(full, NULL, &l));
  check_ok(jn_loops_assemble(l, NULL, 0, q, NULL));
  check_ok(jn_model_lock(full, names, 3, q, &options, &part, NULL));
  check(jn_model_nv(part) == 0 && jn_loop_count(part) == 0, "nothing moves");
  check(has_rule(options.report, JN_NOTE, "loop-held", "pin"), "a note says that the loop is left out");
  jn_model_destroy(part);
  /* without the first bar the loop holds the others to where that was */
  jn_loops *l_part;
  double gap;
  check_ok(jn_model_subtree(full, "bar1", q, &options, &part, NULL));
  check_ok(jn_loops_create(part, NULL, &l_part));
  check_ok(jn_loops_gaps(l_part, q + 1, &gap));
  check(gap < 1e4 * jn_variant_epsilon(), "the loop of the subtree is closed where that of the robot is: %g", gap);
  jn_loops_destroy(l_part);
  jn_model_destroy(part);
  jn_error error;
  q[1] += 0.1;
  check_status(jn_model_lock(full, names, 3, q, &options, &part, &error), JN_ERR_LOOP);
  check(part == NULL && strstr(error.text, "pin"), "%s", error.text);
  /* the ground goes: the last bar is held by the loop to where the ground was */
  check_ok(jn_model_subtree(full, "bar1", q, &options, &part, NULL));
  check(jn_loop_count(part) == 1 && jn_model_nv(part) == 2, "the loop to the world stays");
  jn_model_destroy(part);
  jn_report_destroy(options.report);
  jn_loops_destroy(l);
  jn_model_destroy(full);
}

/* ---- coupled coordinates ---- */

static jn_model *coupled_chain(void) {
  jn_builder *b;
  jn_model *m;
  uint64_t s = 3;
  check_ok(jn_builder_create(NULL, &b));
  static const char *const name[] = {"a", "b", "c", "d"};
  for (int i = 0; i < 4; i++) add_random_link(b, &s, name[i], i ? name[i - 1] : NULL, JN_REVOLUTE, NULL);
  jn_loop sum;
  jn_loop_init(&sum);
  sum.type = JN_LOOP_COUPLING;
  sum.name = "sum";
  sum.term_count = 3;
  sum.term[0] = (jn_coupling){"a", 0, 2};
  sum.term[1] = (jn_coupling){"b", 0, -1};
  sum.term[2] = (jn_coupling){"c", 0, 0.5};
  sum.offset = 0.25;
  check_ok(jn_builder_add_loop(b, &sum));
  check_ok(jn_builder_freeze(b, &m, NULL));
  jn_builder_destroy(b);
  return m;
}

/* 2 a - b + c / 2 = 0.25 with b = 0.4. */
static void couplings_get_what_is_locked_as_a_constant(void **st) {
  (void)st;
  jn_model *full = coupled_chain(), *part, *less;
  const double q[4] = {0.1, 0.4, 0.7, 0};
  check_ok(jn_model_lock(full, (const char *[]){"b"}, 1, q, NULL, &part, NULL));
  const jn_loop *l = jn_loop_description(part, 0);
  check(l->term_count == 2 && strcmp(l->term[0].joint, "a") == 0 && strcmp(l->term[1].joint, "c") == 0, "terms");
  check(fabs(l->offset - 0.65) < 1e-15, "offset %.17g", l->offset);
  /* a = 0.15 and c = 0.7 fulfil it; others do not */
  check_ok(jn_model_lock(part, (const char *[]){"a", "c"}, 2, (const double[]){0.15, 0.7, 0}, NULL, &less, NULL));
  check(jn_loop_count(less) == 0 && jn_model_nv(less) == 1, "the coupling is fulfilled and left out");
  jn_model_destroy(less);
  check_status(jn_model_lock(part, (const char *[]){"a", "c"}, 2, (const double[]){0.2, 0.7, 0}, NULL, &less, NULL),
               JN_ERR_LOOP);
  jn_model_destroy(part);
  jn_model_destroy(full);
}

/* A follower that is locked locks what it follows, and all that follow that. */
static void followers_are_locked_with_what_they_follow(void **st) {
  (void)st;
  uint64_t s = 11;
  jn_builder *b;
  jn_model *m, *part;
  jn_options options;
  jn_options_init(&options);
  options.report = jn_report_create(NULL);
  check_ok(jn_builder_create(NULL, &b));
  add_random_link(b, &s, "leader", NULL, JN_REVOLUTE, NULL);
  add_random_link(b, &s, "one", "leader", JN_PRISMATIC, "leader");
  add_random_link(b, &s, "two", "leader", JN_REVOLUTE, "leader");
  add_random_link(b, &s, "other", "two", JN_REVOLUTE, NULL);
  check_ok(jn_builder_freeze(b, &m, NULL));
  check_ok(jn_model_lock(m, (const char *[]){"one"}, 1, (const double[]){0.3, 9}, &options, &part, NULL));
  check(jn_model_nv(part) == 1 && jn_joint_nv(part, jn_joint_index(part, "other")) == 1, "only one joint moves");
  check(has_rule(options.report, JN_NOTE, "lock-coupled", "leader"), "a note on what is locked too");
  check(has_rule(options.report, JN_NOTE, "lock-coupled", "two"), "a note on what is locked too");
  jn_model_destroy(part);
  jn_report_destroy(options.report);
  jn_model_destroy(m);
  jn_builder_destroy(b);
}

/* ---- what is refused ---- */

static void faults_name_what_is_wrong(void **st) {
  (void)st;
  uint64_t s = 5;
  jn_builder *b;
  jn_model *m, *part;
  jn_error error;
  check_ok(jn_builder_create(NULL, &b));
  add_random_link(b, &s, "shoulder", NULL, JN_REVOLUTE, NULL);
  add_random_link(b, &s, "elbow", "shoulder", JN_SPHERICAL, NULL);
  check_ok(jn_builder_freeze(b, &m, NULL));
  const double q[5] = {0, 0, 0, 0, 0}, nan_q[5] = {NAN, 0, 0, 0, 1};
  check_status(jn_model_lock(m, (const char *[]){"sholder"}, 1, NULL, NULL, &part, &error), JN_ERR_NAME);
  check(strstr(error.text, "'sholder'") && strstr(error.text, "did you mean 'shoulder'?"), "%s", error.text);
  check_status(jn_model_subtree(m, "elbw", NULL, NULL, &part, &error), JN_ERR_NAME);
  check(strstr(error.text, "did you mean 'elbow'?"), "%s", error.text);
  check_status(jn_model_subtree(m, "world", NULL, NULL, &part, &error), JN_ERR_NAME);
  check_status(jn_model_lock(m, (const char *[]){"elbow"}, 1, q, NULL, &part, &error), JN_ERR_MODEL);
  check(strstr(error.text, "quaternion"), "%s", error.text);
  check_status(jn_model_lock(m, (const char *[]){"shoulder"}, 1, nan_q, NULL, &part, &error), JN_ERR_MODEL);
  check(strstr(error.text, "nan"), "%s", error.text);
  check_status(jn_model_lock(NULL, NULL, 0, NULL, NULL, &part, &error), JN_ERR_NULL);
  check_status(jn_model_lock(m, NULL, 1, NULL, NULL, &part, &error), JN_ERR_NULL);
  check_status(jn_model_lock(m, NULL, -1, NULL, NULL, &part, &error), JN_ERR_SIZE);
  check_status(jn_model_subtree(m, NULL, NULL, NULL, &part, &error), JN_ERR_NULL);
  check_status(jn_model_lump(m, NULL, NULL, &error), JN_ERR_NULL);
  jn_options unset = {.size = 0};
  check_status(jn_model_lump(m, &unset, &part, &error), JN_ERR_INIT);
  jn_model_destroy(m);
  jn_builder_destroy(b);
}

/* A value outside of limits is a warning, and an error for those who are strict; what was wrong before is not repeated.
 */
static void reports_say_what_is_new(void **st) {
  (void)st;
  jn_builder *b;
  jn_model *m, *part;
  jn_link l;
  jn_options options;
  jn_options_init(&options);
  options.report = jn_report_create(NULL);
  check_ok(jn_builder_create(&options, &b));
  for (int i = 0; i < 2; i++) {
    jn_link_init(&l);
    l.name = i ? "thin" : "arm";
    l.parent = i ? "arm" : NULL;
    jn_inertia_pack(1, (const double[]){0, 0, 0}, (const double[]){1e-2, 1e-2, i ? 3e-2 : 1e-2, 0, 0, 0}, l.inertia);
    l.joint.type = JN_REVOLUTE;
    l.joint.dof[0].lower = -1;
    l.joint.dof[0].upper = 1;
    check_ok(jn_builder_add_link(b, &l));
  }
  check_ok(jn_builder_freeze(b, &m, NULL));
  check(jn_report_count_of(options.report, JN_WARNING) == 1, "one inertia breaks a law");
  const double q[2] = {0, 2};
  check_ok(jn_model_lock(m, (const char *[]){"thin"}, 1, q, &options, &part, NULL));
  check(
      jn_report_count_of(options.report, JN_WARNING) == 2 && has_rule(options.report, JN_WARNING, "lock-limit", "thin"),
      "the warning of the limits is new, that of the inertia is not");
  jn_model_destroy(part);
  options.strict = 1;
  check_status(jn_model_lock(m, (const char *[]){"thin"}, 1, q, &options, &part, NULL), JN_ERR_MODEL);
  jn_report_destroy(options.report);
  jn_model_destroy(m);
  jn_builder_destroy(b);
}

/* A base that floats after the edit comes first among the coordinates. */
static void floating_base_comes_first(void **st) {
  (void)st;
  uint64_t s = 8;
  jn_builder *b;
  jn_model *m, *part;
  jn_options options;
  jn_options_init(&options);
  options.floating = 1;
  check_ok(jn_builder_create(NULL, &b));
  add_random_link(b, &s, "base_link", NULL, JN_FIXED, NULL);
  add_random_link(b, &s, "wrist", "base_link", JN_REVOLUTE, NULL);
  add_random_link(b, &s, "finger", "wrist", JN_PRISMATIC, NULL);
  check_ok(jn_builder_freeze(b, &m, NULL));
  jn_model *locked;
  check_ok(jn_model_lock(m, (const char *[]){"wrist"}, 1, NULL, NULL, &locked, NULL));
  check_ok(jn_model_subtree(locked, "wrist", NULL, &options, &part, NULL));
  jn_model_destroy(locked);
  check(jn_joint_v(part, jn_joint_index(part, "base")) == 0 && jn_joint_v(part, jn_joint_index(part, "finger")) == 6,
        "base, then finger");
  jn_model_destroy(part);
  jn_model_destroy(m);
  jn_builder_destroy(b);
}

/* q = (p, Q) of the joint that `floating` adds is the pose of the base in the world, wherever the base was fixed. */
static void check_base_pose(const jn_model *m, uint64_t *s, const char *what) {
  double q[32], T[16], R[9], pose[16] = {0};
  jn_work *w;
  const double *base = q + jn_joint_q(m, 0);
  check(jn_joint_type_of(m, 0) == JN_FREE, "%s: the base is free", what);
  check_ok(jn_work_create(m, &w));
  check_ok(jn_random(m, s, q));
  check_ok(jn_quaternion_to_rotation(base + 3, R));
  for (int i = 0; i < 3; i++) {
    memcpy(pose + 4 * i, R + 3 * i, 3 * sizeof *R);
    pose[4 * i + 3] = base[i];
  }
  pose[15] = 1;
  check_ok(jn_frame_pose(m, w, 0, q, T));
  check_close(T, pose, 16, 1, 100, "%s: pose of the base", what);
  jn_work_destroy(w);
}

static void coordinates_of_a_floating_base_are_its_pose(void **st) {
  (void)st;
  uint64_t s = seed("floating base");
  jn_builder *b;
  jn_model *fixed, *m;
  jn_options options;
  jn_options_init(&options);
  options.floating = 1;
  check_ok(jn_builder_create(NULL, &b));
  add_random_link(b, &s, "trunk", NULL, JN_FIXED, NULL);
  add_random_link(b, &s, "hip", "trunk", JN_REVOLUTE, NULL);
  add_random_link(b, &s, "shank", "hip", JN_FIXED, NULL);
  add_random_link(b, &s, "foot", "shank", JN_REVOLUTE, NULL);
  check_ok(jn_builder_freeze(b, &fixed, NULL));
  jn_builder_destroy(b);
  check_ok(jn_model_thaw(fixed, &options, &b));
  check_ok(jn_builder_freeze(b, &m, NULL));
  check_base_pose(m, &s, "as it was described");
  jn_model_destroy(m);
  check_ok(jn_model_lock(fixed, (const char *[]){"hip"}, 1, NULL, &options, &m, NULL));
  check_base_pose(m, &s, "locked");
  jn_model_destroy(m);
  check_ok(jn_model_reroot(fixed, "foot", NULL, &options, &m, NULL));
  check_base_pose(m, &s, "with another base");
  jn_model_destroy(m);
  options.report = jn_report_create(NULL);
  check_ok(jn_model_subtree(fixed, "shank", NULL, &options, &m, NULL));
  check_base_pose(m, &s, "subtree");
  check(has_rule(options.report, JN_NOTE, "floating-placement", "base"), "a note says that the placement is not used");
  jn_model_destroy(m);
  jn_report_destroy(options.report);
  jn_model_destroy(fixed);
  jn_builder_destroy(b);
}

/* Every allocation fails once: an error, and nothing is left behind. */
static void memory_may_run_out(void **st) {
  (void)st;
  const double length[4] = {0.5, 0.8, 0.7, 0.6};
  jn_model *m = linkage(4, length, 0.9), *part;
  for (int edit = 0; edit < 4; edit++) {
    jn_status status = JN_ERR_MEMORY;
    for (int n = 1; status != JN_OK; n++) {
      counter c = {.fail_at = n};
      jn_allocator a = {count_allocate, count_release, &c};
      jn_options options;
      jn_options_init(&options);
      options.allocator = &a;
      options.report = jn_report_create(&a);
      status = edit == 0   ? jn_model_lock(m, (const char *[]){"bar2"}, 1, NULL, &options, &part, NULL)
               : edit == 1 ? jn_model_subtree(m, "bar2", NULL, &options, &part, NULL)
               : edit == 2 ? jn_model_lump(m, &options, &part, NULL)
                           : jn_model_reroot(m, "bar0", NULL, &options, &part, NULL);
      if (edit == 3 && status == JN_ERR_MODEL) status = JN_OK; /* the base is no free one */
      check(status == JN_OK || (status == JN_ERR_MEMORY && !part), "%s", jn_status_text(status));
      jn_model_destroy(part);
      jn_report_destroy(options.report);
      check(c.live == 0, "edit %d, allocation %d: %d blocks are left", edit, n, c.live);
      check(n < 10000, "it never succeeds");
    }
  }
  jn_model_destroy(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(locked_robot_is_the_held_one),
      cmocka_unit_test(coordinates_keep_their_order),
      cmocka_unit_test(subtree_is_the_robot_with_the_rest_held),
      cmocka_unit_test(merged_links_move_as_before),
      cmocka_unit_test(locked_linkage_is_the_held_one),
      cmocka_unit_test(loops_that_no_longer_move),
      cmocka_unit_test(couplings_get_what_is_locked_as_a_constant),
      cmocka_unit_test(followers_are_locked_with_what_they_follow),
      cmocka_unit_test(faults_name_what_is_wrong),
      cmocka_unit_test(reports_say_what_is_new),
      cmocka_unit_test(floating_base_comes_first),
      cmocka_unit_test(coordinates_of_a_floating_base_are_its_pose),
      cmocka_unit_test(memory_may_run_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
