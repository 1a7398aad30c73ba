/* SPDX-License-Identifier: BSD-2-Clause */
/* Poses, twists, accelerations, Jacobians in the three representations; centre of mass and momentum. */
#include "complex_variant.h"
#include "reference.h"

enum { MODELS = 200 };

typedef struct state {
  jn_model *m;
  jn_work *w;
  int nq, nv, nframe;
  double q[80], v[MOST_V], a[MOST_V];
} state;

/* A random tree with two named frames. */
static void begin(state *x, uint64_t *s, int i) {
  jn_model *tree = random_tree(s, 3 + i % 13);
  jn_builder *b;
  double T[16];
  check_ok(jn_model_thaw(tree, NULL, &b));
  random_placement(s, T);
  check_ok(jn_builder_add_frame(b, "tool", jn_link_name(tree, jn_link_count(tree) - 1), T));
  check_ok(jn_builder_add_frame(b, "station", "world", T));
  check_ok(jn_builder_freeze(b, &x->m, NULL));
  jn_builder_destroy(b);
  jn_model_destroy(tree);
  x->nq = jn_model_nq(x->m);
  x->nv = jn_model_nv(x->m);
  x->nframe = jn_frame_count(x->m);
  check_ok(jn_work_create(x->m, &x->w));
  check_ok(jn_random(x->m, s, x->q));
  fill(s, x->v, x->nv, 1);
  fill(s, x->a, x->nv, 2);
}

/* Output `out` of the kernel `frame`, differentiated along the motion. */
static void rate_of_frame(const state *x, int frame, int in, int out, double *rate, int n) {
  const double h = 1e-30;
  double _Complex q[80], v[MOST_V], y[6 * MOST_V];
  complex_motion(x->m, x->q, x->v, h, q);
  for (int k = 0; k < x->nv; k++) v[k] = CMPLX(x->v[k], h * x->a[k]);
  jn_call call = {.frame = {.q = q, .v = v, .frame = frame, .representation = in}};
  call.frame.outputs[out] = y;
  run_complex(x->m, -1, JN_KERNEL_frame, &call);
  for (int k = 0; k < n; k++) rate[k] = cimag(y[k]) / h;
}

static void poses_follow_the_joints(void **st) {
  (void)st;
  uint64_t s = seed("poses");
  for (int i = 0; i < MODELS; i++) {
    state x;
    static double all[MOST_LINKS * 16];
    double T[16], world[MOST_LINKS][16], P[16];
    begin(&x, &s, i);
    check_ok(jn_frame_poses(x.m, x.w, x.q, all));
    for (int f = 0; f < x.nframe; f++) {
      int link = jn_frame_link(x.m, f), parent = link == f ? jn_link_parent(x.m, f) : link;
      if (link == f)
        check_ok(jn_joint_pose(x.m, x.w, f, x.q, P));
      else
        check_ok(jn_frame_placement(x.m, f, P));
      if (parent < 0)
        memcpy(world[f], P, sizeof P);
      else
        mat_mul(world[parent], P, world[f], 4, 4, 4);
      check_ok(jn_frame_pose(x.m, x.w, f, x.q, T));
      check_close(T, world[f], 16, 1, 200, "pose of frame %d", f);
      check_close(all + 16 * f, T, 16, 1, 50, "all poses");
    }
    release(x.m, x.w);
  }
}

static void twists_are_jacobians_times_velocities(void **st) {
  (void)st;
  uint64_t s = seed("twists");
  for (int i = 0; i < MODELS; i++) {
    state x;
    begin(&x, &s, i);
    for (int f = 0; f < x.nframe; f += 2)
      for (int in = 0; in < 3; in++) {
        double J[6 * MOST_V], dJ[6 * MOST_V], V[6], A[6], Jv[6], sum[6], part[6], dT[16], T[16], rate[6 * MOST_V];
        jn_representation rep = (jn_representation)in;
        check_ok(jn_frame_jacobian(x.m, x.w, f, rep, x.q, J));
        check_ok(jn_frame_jacobian_rate(x.m, x.w, f, rep, x.q, x.v, dJ));
        check_ok(jn_frame_twist(x.m, x.w, f, rep, x.q, x.v, V));
        check_ok(jn_frame_acceleration(x.m, x.w, f, rep, x.q, x.v, x.a, A));
        mat_mul(J, x.v, Jv, 6, x.nv, 1);
        check_close(V, Jv, 6, 5, 500, "V = J v in %d", in);
        mat_mul(J, x.a, sum, 6, x.nv, 1);
        mat_mul(dJ, x.v, part, 6, x.nv, 1);
        for (int k = 0; k < 6; k++) sum[k] += part[k];
        check_close(A, sum, 6, 20, 1000, "A = J a + dJ v in %d", in);
        check_ok(jn_frame_acceleration(x.m, x.w, f, rep, x.q, x.v, NULL, sum));
        check_close(sum, part, 6, 20, 1000, "without a: dJ v");
        rate_of_frame(&x, f, in, 3, rate, 6 * x.nv);
        check_close(dJ, rate, 6 * x.nv, 5, 1000, "dJ/dt by complex step in %d", in);
        rate_of_frame(&x, f, in, 1, rate, 6);
        check_close(A, rate, 6, 20, 1000, "dV/dt by complex step in %d", in);
        /* the meaning of the six numbers, from dT/dt */
        rate_of_frame(&x, f, in, 0, dT, 16);
        check_ok(jn_frame_pose(x.m, x.w, f, x.q, T));
        if (in == JN_IN_ALIGNED) {
          double v[3] = {dT[3], dT[7], dT[11]};
          check_close(V + 3, v, 3, 5, 500, "aligned: velocity of the origin");
        }
        if (in != JN_IN_BODY) { /* [w] = dR R^T */
          double w[3] = {0, 0, 0};
          for (int k = 0; k < 3; k++) {
            w[0] += dT[8 + k] * T[4 + k];
            w[1] += dT[0 + k] * T[8 + k];
            w[2] += dT[4 + k] * T[0 + k];
          }
          check_close(V, w, 3, 5, 500, "angular velocity in world axes");
        }
        if (in == JN_IN_WORLD) { /* velocity of the point at the world's origin: v_origin - w x p */
          double p[3] = {T[3], T[7], T[11]};
          double v[3] = {dT[3] - (V[1] * p[2] - V[2] * p[1]), dT[7] - (V[2] * p[0] - V[0] * p[2]),
                         dT[11] - (V[0] * p[1] - V[1] * p[0])};
          check_close(V + 3, v, 3, 5, 500, "world: velocity at the world's origin");
        }
      }
    release(x.m, x.w);
  }
}

static void all_jacobians_are_those_of_single_frames(void **st) {
  (void)st;
  uint64_t s = seed("all Jacobians");
  static double J[MOST_LINKS * 6 * MOST_V], dJ[MOST_LINKS * 6 * MOST_V], one[6 * MOST_V];
  for (int i = 0; i < 40; i++) {
    state x;
    begin(&x, &s, i);
    for (int in = 0; in < 3; in++) {
      check_ok(jn_frame_jacobians(x.m, x.w, (jn_representation)in, x.q, J));
      check_ok(jn_frame_jacobian_rates(x.m, x.w, (jn_representation)in, x.q, x.v, dJ));
      for (int f = 0; f < x.nframe; f++) {
        check_ok(jn_frame_jacobian(x.m, x.w, f, (jn_representation)in, x.q, one));
        check_close(J + 6 * x.nv * f, one, 6 * x.nv, 1, 20, "J of frame %d", f);
        check_ok(jn_frame_jacobian_rate(x.m, x.w, f, (jn_representation)in, x.q, x.v, one));
        check_close(dJ + 6 * x.nv * f, one, 6 * x.nv, 1, 50, "dJ of frame %d", f);
      }
    }
    release(x.m, x.w);
  }
}

/* The columns of J [6 x nv] of the joints between frame f and the world. */
static void carried(const state *x, int f, const double *J, double *out) {
  memset(out, 0, 6 * (size_t)x->nv * sizeof *out);
  for (int l = jn_frame_link(x->m, f); l >= 0; l = jn_link_parent(x->m, l))
    for (int k = 0; k < jn_joint_nv(x->m, l); k++)
      for (int r = 0; r < 6; r++) out[r * x->nv + jn_joint_v(x->m, l) + k] = J[r * x->nv + jn_joint_v(x->m, l) + k];
}

/* Masked by the way from a frame to the world, the space Jacobian is that of the frame, and Ad_{T^-1} of that its body
 * Jacobian. */
static void check_carried(const state *x, const double *J, const double *dJ) {
  double part[6 * MOST_V], one[6 * MOST_V], T[16], inverse[16], Ad[36], turned[6 * MOST_V];
  for (int f = 0; f < x->nframe; f++) {
    carried(x, f, dJ, part);
    check_ok(jn_frame_jacobian_rate(x->m, x->w, f, JN_IN_WORLD, x->q, x->v, one));
    check_close(part, one, 6 * x->nv, 1, 50, "dJ of frame %d", f);
    carried(x, f, J, part);
    check_ok(jn_frame_jacobian(x->m, x->w, f, JN_IN_WORLD, x->q, one));
    check_close(part, one, 6 * x->nv, 1, 20, "J of frame %d", f);
    check_ok(jn_frame_pose(x->m, x->w, f, x->q, T));
    check_ok(jn_se3_inverse(T, inverse));
    check_ok(jn_adjoint_matrix(inverse, Ad));
    mat_mul(Ad, part, turned, 6, 6, x->nv);
    check_ok(jn_frame_jacobian(x->m, x->w, f, JN_IN_BODY, x->q, one));
    check_close(turned, one, 6 * x->nv, 1, 200, "J of frame %d in its own axes", f);
  }
}

/* Also with coupled joints: J v is the sum of the joints' own twists, V of a link less that of its parent, in the
 * world's frame; dJ is the rate of J, and without v zero. */
static void space_jacobian_holds_the_columns_of_all_frames(void **st) {
  (void)st;
  uint64_t s = seed("space Jacobian");
  const double h = 1e-30;
  for (int i = 0; i < 100; i++) {
    state x;
    double J[6 * MOST_V], dJ[6 * MOST_V], rate[6 * MOST_V], Jv[6], sum[6] = {0}, V[6];
    double _Complex q[80], y[6 * MOST_V];
    begin(&x, &s, i);
    check_ok(jn_space_jacobian(x.m, x.w, x.q, J));
    check_ok(jn_space_jacobian_rate(x.m, x.w, x.q, x.v, dJ));
    if (!jn_model_is_coupled(x.m)) check_carried(&x, J, dJ);
    for (int l = 0; l < jn_link_count(x.m); l++)
      for (int side = 0; side < 2; side++) {
        int of = side ? jn_link_parent(x.m, l) : l;
        if (of < 0) continue;
        check_ok(jn_frame_twist(x.m, x.w, of, JN_IN_WORLD, x.q, x.v, V));
        for (int k = 0; k < 6; k++) sum[k] += side ? -V[k] : V[k];
      }
    mat_mul(J, x.v, Jv, 6, x.nv, 1);
    check_close(Jv, sum, 6, 10, 500, "J v is the sum of the joints' twists");
    complex_motion(x.m, x.q, x.v, h, q);
    jn_call call = {.terms = {.q = q, .space_jacobian = y, .link = -1}};
    run_complex(x.m, -1, JN_KERNEL_terms, &call);
    for (int k = 0; k < 6 * x.nv; k++) rate[k] = cimag(y[k]) / h;
    check_close(dJ, rate, 6 * x.nv, 5, 1000, "dJ/dt by complex step");
    check_ok(jn_space_jacobian_rate(x.m, x.w, x.q, NULL, dJ));
    for (int k = 0; k < 6 * x.nv; k++) check(dJ[k] == 0, "at rest J stays");
    release(x.m, x.w);
  }
  check(jn_space_jacobian(NULL, NULL, NULL, NULL) == JN_ERR_NULL, "NULL is refused");
}

/* Centre of mass of a subtree from poses and inertias of its links. */
static double com_by_links(const state *x, int first, int last, double c[3]) {
  double mass = 0;
  c[0] = c[1] = c[2] = 0;
  for (int l = first; l < last; l++) {
    double T[16], P[10];
    if (jn_link_is_fixed(x->m, l)) continue;
    check_ok(jn_frame_pose(x->m, x->w, l, x->q, T));
    check_ok(jn_link_inertia(x->m, l, P));
    mass += P[0];
    for (int k = 0; k < 3; k++)
      c[k] += P[0] * T[4 * k + 3] + T[4 * k] * P[1] + T[4 * k + 1] * P[2] + T[4 * k + 2] * P[3];
  }
  for (int k = 0; k < 3; k++) c[k] /= mass;
  return mass;
}

/* Centre of mass by the kernel `terms` in the complex variant, differentiated twice over: c and dc. */
static void com_rates(const state *x, int link, double dc[3], double ddc[3]) {
  const double h = 1e-30;
  double _Complex q[80], v[MOST_V], c[3], d[3];
  complex_motion(x->m, x->q, x->v, h, q);
  for (int k = 0; k < x->nv; k++) v[k] = CMPLX(x->v[k], h * x->a[k]);
  jn_call call = {.terms = {.q = q, .v = v, .com = c, .com_velocity = d, .link = link}};
  call.terms.link_end = link < 0 ? 0 : jn_link_subtree_end(x->m, link);
  run_complex(x->m, -1, JN_KERNEL_terms, &call);
  for (int k = 0; k < 3; k++) {
    dc[k] = cimag(c[k]) / h;
    ddc[k] = cimag(d[k]) / h;
  }
}

static void centre_of_mass_of_robot_and_subtrees(void **st) {
  (void)st;
  uint64_t s = seed("centre of mass");
  for (int i = 0; i < MODELS; i++) {
    state x;
    begin(&x, &s, i);
    int n = jn_link_count(x.m);
    for (int link = -1; link < n; link += 3) {
      double c[3], dc[3], ddc[3], expected[3], rate[3], second[3], J[3 * MOST_V], Jv[3];
      double mass = com_by_links(&x, link < 0 ? 0 : link, link < 0 ? n : jn_link_subtree_end(x.m, link), expected);
      if (mass == 0) continue;
      check_ok(jn_center_of_mass(x.m, x.w, link, x.q, x.v, x.a, c, dc, ddc));
      check_close(c, expected, 3, 1, 500, "centre of mass of %d", link);
      com_rates(&x, link, rate, second);
      check_close(dc, rate, 3, 5, 1000, "its velocity");
      check_close(ddc, second, 3, 20, 2000, "its acceleration");
      check_ok(jn_com_jacobian(x.m, x.w, link, x.q, J));
      mat_mul(J, x.v, Jv, 3, x.nv, 1);
      check_close(dc, Jv, 3, 5, 1000, "dc = J v");
    }
    release(x.m, x.w);
  }
}

/* m c of a subtree is that of its root link and those of its children's subtrees together. */
static void centres_of_mass_of_subtrees_add_up(void **st) {
  (void)st;
  uint64_t s = seed("additivity");
  for (int i = 0; i < MODELS; i++) {
    state x;
    begin(&x, &s, i);
    for (int link = 0; link < jn_link_count(x.m); link++) {
      double c[3], T[16], P[10], whole[3], sum[3], mass = jn_link_subtree_mass(x.m, link);
      if (jn_link_is_fixed(x.m, link) || mass == 0) continue;
      check_ok(jn_center_of_mass(x.m, x.w, link, x.q, NULL, NULL, c, NULL, NULL));
      check_ok(jn_frame_pose(x.m, x.w, link, x.q, T));
      check_ok(jn_link_inertia(x.m, link, P));
      for (int k = 0; k < 3; k++) {
        whole[k] = mass * c[k];
        sum[k] = P[0] * T[4 * k + 3] + T[4 * k] * P[1] + T[4 * k + 1] * P[2] + T[4 * k + 2] * P[3];
      }
      for (int child = link + 1; child < jn_link_subtree_end(x.m, link); child = jn_link_subtree_end(x.m, child)) {
        check_ok(jn_center_of_mass(x.m, x.w, child, x.q, NULL, NULL, c, NULL, NULL));
        for (int k = 0; k < 3; k++) sum[k] += jn_link_subtree_mass(x.m, child) * c[k];
      }
      check_close(whole, sum, 3, 1, 500, "m c of the subtree of link %d", link);
    }
    release(x.m, x.w);
  }
}

static void composite_inertia_is_the_sum_of_the_links(void **st) {
  (void)st;
  uint64_t s = seed("composite inertia");
  for (int i = 0; i < MODELS; i++) {
    state x;
    begin(&x, &s, i);
    const jn_tree_d *t = x.m->tree[JN_KIND_D];
    double I[10], about_com[10], sum[10] = {0}, c[3], rate[3];

    /* The sum over all links that move, each moved from its frame into the world's. */
    for (int l = 0; l < jn_link_count(x.m); l++) {
      double T[16], own[10], moved[10];
      if (t->frame[l].body < 0) continue;
      check_ok(jn_frame_pose(x.m, x.w, l, x.q, T));
      jn_link_inertia(x.m, l, own);
      check_ok(jn_inertia_transform(T, own, moved));
      for (int k = 0; k < 10; k++) sum[k] += moved[k];
    }
    check_ok(jn_composite_inertia(x.m, x.w, JN_ABOUT_ORIGIN, x.q, I));
    check_close(I, sum, 10, 10, 1000, "the sum over the links");

    /* About the centre of mass: that of jn_center_of_mass(), and moved there by jn_inertia_transform(). */
    if (sum[0] > 0) {
      check_ok(jn_center_of_mass(x.m, x.w, JN_WORLD, x.q, x.v, NULL, c, rate, NULL));
      for (int k = 0; k < 3; k++) sum[k] = I[0] * c[k];
      check_close(I + 1, sum, 3, 10, 1000, "the first moment is m c");
      const double back[16] = {1, 0, 0, -c[0], 0, 1, 0, -c[1], 0, 0, 1, -c[2], 0, 0, 0, 1};
      check_ok(jn_inertia_transform(back, I, sum));
      check_ok(jn_composite_inertia(x.m, x.w, JN_ABOUT_COM, x.q, about_com));
      check_close(about_com, sum, 10, 100, 10000, "about the centre of mass");
    }

    /* A robot whose base alone moves is a rigid body: its momentum is I V. */
    if (t->nb > 0 && t->body[0].kind == JN_BODY_FREE && t->body[0].end == t->nb) {
      double v[MOST_V] = {0}, V[6], h[6], product[6];
      memcpy(v, x.v, 6 * sizeof *v);
      check_ok(jn_frame_twist(x.m, x.w, t->body[0].link, JN_IN_WORLD, x.q, v, V));
      check_ok(jn_momentum(x.m, x.w, JN_ABOUT_ORIGIN, x.q, v, h));
      check_ok(jn_inertia_multiply(I, V, product));
      check_close(product, h, 6, 10, 1000, "I V is the momentum");
    }
    check(jn_composite_inertia(x.m, x.w, (jn_about)2, x.q, I) == JN_ERR_INDEX, "about");
    release(x.m, x.w);
  }
}

static void momentum_is_its_matrix_times_velocity_and_obeys_newton(void **st) {
  (void)st;
  uint64_t s = seed("momentum");
  for (int i = 0; i < MODELS; i++) {
    state x;
    begin(&x, &s, i);
    double h[2][6], A[6 * MOST_V], dA[6 * MOST_V], sum[6], part[6], c[3], dc[3], ddc[3], mass = jn_model_mass(x.m);
    if (mass > 0) {
      for (int about = 0; about < 2; about++) {
        check_ok(jn_momentum(x.m, x.w, (jn_about)about, x.q, x.v, h[about]));
        check_ok(jn_momentum_matrix(x.m, x.w, (jn_about)about, x.q, A));
        mat_mul(A, x.v, sum, 6, x.nv, 1);
        check_close(h[about], sum, 6, 10, 1000, "h = A v about %d", about);
      }
      check_ok(jn_center_of_mass(x.m, x.w, JN_WORLD, x.q, x.v, x.a, c, dc, ddc));
      for (int k = 0; k < 3; k++) {
        sum[k] = h[0][k] - (c[(k + 1) % 3] * h[0][3 + (k + 2) % 3] - c[(k + 2) % 3] * h[0][3 + (k + 1) % 3]);
        sum[3 + k] = mass * dc[k];
      }
      check_close(h[1], sum, 6, 10, 1000, "about the centre: shifted by c x p, and p = m dc");
      check_ok(jn_momentum_matrix(x.m, x.w, JN_ABOUT_COM, x.q, A));
      check_ok(jn_momentum_matrix_rate(x.m, x.w, JN_ABOUT_COM, x.q, x.v, dA));
      mat_mul(A, x.a, sum, 6, x.nv, 1);
      mat_mul(dA, x.v, part, 6, x.nv, 1);
      for (int k = 0; k < 6; k++) sum[k] += part[k];
      for (int k = 0; k < 3; k++) part[k] = mass * ddc[k];
      check_close(sum + 3, part, 3, 20, 2000, "dp/dt = m ddc");
      /* rate of the angular part by differences of h along the motion: complex step of the kernel */
      const double step = 1e-30;
      double _Complex q[80], v[MOST_V], y[6];
      complex_motion(x.m, x.q, x.v, step, q);
      for (int k = 0; k < x.nv; k++) v[k] = CMPLX(x.v[k], step * x.a[k]);
      jn_call call = {.terms = {.q = q, .v = v, .momentum = y, .about = 1, .link = -1}};
      run_complex(x.m, -1, JN_KERNEL_terms, &call);
      for (int k = 0; k < 6; k++) part[k] = cimag(y[k]) / step;
      check_close(sum, part, 6, 20, 2000, "dh/dt = A a + dA v");
    }
    release(x.m, x.w);
  }
}

static void wrong_frames_and_representations_are_refused(void **st) {
  (void)st;
  uint64_t s = seed("misuse");
  state x;
  begin(&x, &s, 3);
  double out[6 * MOST_V];
  check_status(jn_frame_pose(x.m, x.w, x.nframe, x.q, out), JN_ERR_INDEX);
  check_status(jn_frame_pose(x.m, x.w, -1, x.q, out), JN_ERR_INDEX);
  check_status(jn_frame_jacobian(x.m, x.w, 0, (jn_representation)3, x.q, out), JN_ERR_INDEX);
  check_status(jn_momentum(x.m, x.w, (jn_about)2, x.q, x.v, out), JN_ERR_INDEX);
  check_status(jn_com_jacobian(x.m, x.w, 99, x.q, out), JN_ERR_INDEX);
  check_status(jn_frame_pose(x.m, x.w, 0, NULL, out), JN_ERR_NULL);
  check_status(jn_frame_pose(x.m, x.w, 0, x.q, NULL), JN_ERR_NULL);
  release(x.m, x.w);
}

/* One joint about z: its pose is the cosine and sine of q, which kernels compute by themselves (src/lie/trig.h). Angles
 * near multiples of pi/2, many turns away, and so many that the C library takes over; NaN stays NaN. */
static void sine_and_cosine_are_those_of_the_c_library(void **st) {
  (void)st;
  uint64_t s = seed("sines");
  jn_builder *b;
  jn_model *m;
  jn_work *w;
  jn_link l;
  double T[16];
  check_ok(jn_builder_create(NULL, &b));
  jn_link_init(&l);
  l.name = "hand";
  l.inertia[0] = l.inertia[4] = l.inertia[5] = l.inertia[6] = 1;
  l.joint.type = JN_REVOLUTE;
  check_ok(jn_builder_add_link(b, &l));
  check_ok(jn_builder_freeze(b, &m, NULL));
  check_ok(jn_work_create(m, &w));
  const double sizes[] = {1, 7, 300, 7e3, 7e5, 1e12}, quarter = 1.5707963267948966;
  int single = jn_variant_epsilon() > 1e-10;
  for (int i = 0; i < 60000; i++) {
    double x = sizes[i % 6] * uniform(&s);
    if (i % 7 == 0) x = quarter * round(x / quarter) + 1e-4 * uniform(&s);
    if (single) x = (float)x;
    check_ok(jn_frame_pose(m, w, 0, &x, T));
    const double is[2] = {T[0], T[4]}, expected[2] = {(double)cosl(x), (double)sinl(x)};
    for (int k = 0; k < 2; k++) /* each by itself, however small; float has no digits left beside its turns */
      check_close(&is[k], &expected[k], 1, single ? 1e-2 : 0, 1.5, "%s %.17g", k ? "sin" : "cos", x);
  }
  double nan = NAN;
  check_ok(jn_frame_pose(m, w, 0, &nan, T));
  check(isnan(T[0]) && isnan(T[4]), "NaN in gives NaN out");
  jn_work_destroy(w);
  jn_model_destroy(m);
  jn_builder_destroy(b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(poses_follow_the_joints),
      cmocka_unit_test(twists_are_jacobians_times_velocities),
      cmocka_unit_test(all_jacobians_are_those_of_single_frames),
      cmocka_unit_test(space_jacobian_holds_the_columns_of_all_frames),
      cmocka_unit_test(centre_of_mass_of_robot_and_subtrees),
      cmocka_unit_test(centres_of_mass_of_subtrees_add_up),
      cmocka_unit_test(composite_inertia_is_the_sum_of_the_links),
      cmocka_unit_test(momentum_is_its_matrix_times_velocity_and_obeys_newton),
      cmocka_unit_test(sine_and_cosine_are_those_of_the_c_library),
      cmocka_unit_test(wrong_frames_and_representations_are_refused),
  };
  return cmocka_run_group_tests_name("kinematics", tests, NULL, NULL);
}
