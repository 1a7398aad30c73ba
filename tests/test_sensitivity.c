/* SPDX-License-Identifier: BSD-2-Clause */
/* Derivatives with respect to any scalar (kim2012 Tables 5-7) and reverse products: against the closed forms of
 * derivatives.h, which are another algorithm, and against models built with the scalar changed. */
#include "models.h"

#include "jounce/sensitivity.h"

enum { MODELS = 40, V = 48, LINKS = 13, WIDE = 6 * LINKS };

/* A robot that can be built again with something changed. */
typedef struct robot {
  int count;
  jn_link link[LINKS];
  char name[LINKS][16], parent[LINKS][16];
  double gravity[3];
} robot;

static jn_joint_type type_of(uint64_t *s) { return (jn_joint_type)(int)(0.4999 * (1 + uniform(s)) * JN_JOINT_TYPES); }

static void normalize(double x[3]) {
  double n = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
  for (int k = 0; k < 3; k++) x[k] /= n;
}

static int turns_or_slides(const jn_joint *j) {
  return j->type == JN_REVOLUTE || j->type == JN_PRISMATIC || j->type == JN_HELICAL;
}

/* In every second robot, joints with one coordinate follow the first of them. */
static void couple(uint64_t *s, robot *r) {
  static const char *const names[LINKS] = {"link0", "link1", "link2", "link3",  "link4",  "link5", "link6",
                                           "link7", "link8", "link9", "link10", "link11", "link12"};
  int leader = -1, coupled = uniform(s) > 0;
  for (int i = 0; i < r->count && coupled; i++) {
    jn_joint *j = &r->link[i].joint;
    if (!turns_or_slides(j)) continue;
    if (leader >= 0) {
      j->mimic = names[leader];
      j->mimic_ratio = 1.5 * uniform(s);
      j->mimic_offset = uniform(s);
    } else {
      leader = i;
    }
  }
}

static void random_robot(uint64_t *s, int count, robot *r) {
  memset(r, 0, sizeof *r);
  r->count = count;
  fill(s, r->gravity, 3, 9);
  for (int i = 0; i < count; i++) {
    jn_link *l = &r->link[i];
    jn_link_init(l);
    snprintf(r->name[i], sizeof r->name[i], "link%d", i);
    snprintf(r->parent[i], sizeof r->parent[i], "link%d", (int)(0.4999 * (1 + uniform(s)) * i));
    random_placement(s, l->placement);
    random_inertia(s, l->inertia);
    random_joint(s, type_of(s), &l->joint);
    normalize(l->joint.axis);
    normalize(l->joint.axis2);
    normalize(l->joint.axis3);
    for (int k = 0; k < 6; k++) l->joint.dof[k].armature = 0.01 * (1 + uniform(s));
  }
  couple(s, r);
}

/* NULL when random screws are dependent by chance. */
static jn_model *build(robot *r) {
  jn_builder *b;
  jn_model *m = NULL;
  jn_options options;
  jn_options_init(&options);
  options.gravity = r->gravity;
  check_ok(jn_builder_create(&options, &b));
  for (int i = 0; i < r->count; i++) {
    r->link[i].name = r->name[i];
    r->link[i].parent = i ? r->parent[i] : NULL;
    check_ok(jn_builder_add_link(b, &r->link[i]));
  }
  jn_builder_freeze(b, &m, NULL);
  jn_builder_destroy(b);
  return m;
}

typedef struct state {
  robot r;
  jn_model *m;
  jn_work *w;
  int nv, nlink, wide;
  double q[80], v[V], a[V], tau[V], W[WIDE], y[V];
  unsigned char prescribed[V];
} state;

static void begin(state *x, uint64_t *s, int i) {
  do {
    random_robot(s, 2 + i % (LINKS - 2), &x->r);
    x->m = build(&x->r);
  } while (!x->m || jn_model_nv(x->m) == 0 || jn_model_nv(x->m) > V);
  x->nv = jn_model_nv(x->m);
  x->nlink = jn_link_count(x->m);
  x->wide = 6 * x->nlink;
  check_ok(jn_work_create(x->m, &x->w));
  check_ok(jn_random(x->m, s, x->q));
  fill(s, x->v, x->nv, 1);
  fill(s, x->a, x->nv, 1);
  fill(s, x->tau, x->nv, 5);
  fill(s, x->y, x->nv, 1);
  fill(s, x->W, x->wide, 2);
  for (int k = 0; k < x->nv; k++) x->prescribed[k] = uniform(s) > 0;
}

/* 1 for large trees: mass matrices of random chains are ill-conditioned, and accelerations lose that many digits. */
static double condition(const state *x) {
  static double M[V * V], inverse[V * V];
  check_ok(jn_mass_matrix(x->m, x->w, x->q, M));
  check_ok(jn_mass_matrix_inverse(x->m, x->w, x->q, inverse));
  return norm_or_1(M, x->nv * x->nv) * norm_or_1(inverse, x->nv * x->nv);
}

/* Scalars of the state: the columns of the closed forms. */
static void scalars_of_the_state_are_columns(void **st) {
  (void)st;
  uint64_t s = seed("columns");
  static double D[4][V * WIDE], F[4][V * WIDE], H[8][V * WIDE], room[80 * LINKS], dtau[V], da[V], a[V], tau[V];
  const jn_scalar_kind kinds[4] = {JN_BY_POSITION, JN_BY_VELOCITY, JN_BY_ACCELERATION, JN_BY_WRENCH};
  for (int i = 0; i < MODELS; i++) {
    state x;
    begin(&x, &s, i);
    int n = x.nv;
    double lost = condition(&x);
    jn_hybrid_derivatives out = {a, tau, H[0], H[4], H[1], H[5], H[2], H[6], H[3], H[7]};
    check_ok(jn_inverse_dynamics_derivatives(x.m, x.w, x.q, x.v, x.a, x.W, JN_IN_BODY, D[0], D[1], D[2], D[3]));
    check_ok(jn_forward_dynamics_derivatives(x.m, x.w, x.q, x.v, x.tau, x.W, JN_IN_BODY, a, F[0], F[1], F[2], F[3]));
    check_ok(jn_hybrid_dynamics_derivatives(x.m, x.w, x.prescribed, x.q, x.v, x.a, x.tau, x.W, JN_IN_BODY, &out));
    for (int kind = 0; kind < 4; kind++)
      for (int k = 0; k < (kind == 3 ? x.wide : n); k++) {
        int columns = kind == 3 ? x.wide : n;
        jn_scalar scalar = {kinds[kind], kind == 3 ? k / 6 : k, k % 6}, force = {JN_BY_FORCE, k, 0};
        jn_perturbation p;
        check_ok(jn_perturbation_of(x.m, x.w, &scalar, x.q, x.v, room, &p));
        check_ok(jn_inverse_dynamics_sensitivity(x.m, x.w, x.q, x.v, x.a, x.W, 1, &p, dtau));
        for (int r = 0; r < n; r++)
          check_close(&dtau[r], &D[kind][r * columns + k], 1, norm_or_1(D[kind], n * columns), 2000, "kind %d of %d",
                      kind, k);
        if (kind == 2) check_ok(jn_perturbation_of(x.m, x.w, &force, x.q, x.v, room, &p));
        check_ok(jn_forward_dynamics_sensitivity(x.m, x.w, x.q, x.v, x.tau, x.W, 1, &p, a, da));
        for (int r = 0; r < n; r++)
          check_close(&da[r], &F[kind][r * columns + k], 1, norm_or_1(F[kind], n * columns), 2000 * lost, "forward %d",
                      kind);
        if (kind == 2 && x.prescribed[k]) check_ok(jn_perturbation_of(x.m, x.w, &scalar, x.q, x.v, room, &p));
        check_ok(
            jn_hybrid_dynamics_sensitivity(x.m, x.w, x.prescribed, x.q, x.v, x.a, x.tau, x.W, 1, &p, a, tau, da, dtau));
        double size = norm_or_1(H[kind], n * columns) + norm_or_1(H[4 + kind], n * columns);
        for (int r = 0; r < n; r++) {
          check_close(&da[r], &H[kind][r * columns + k], 1, size, 2000 * lost, "hybrid, a, kind %d", kind);
          check_close(&dtau[r], &H[4 + kind][r * columns + k], 1, size, 2000 * lost, "hybrid, tau, kind %d", kind);
        }
      }
    release(x.m, x.w);
  }
}

/* Link i of the model, depth first, as the robot has it. */
static int place(const jn_model *m, int i) { return atoi(jn_link_name(m, i) + 4); }

/* The robot with a scalar changed by e. */
static void change(const state *x, const jn_scalar *s, double e, robot *to) {
  *to = x->r;
  jn_link *l = &to->link[s->kind == JN_BY_GRAVITY ? 0 : place(x->m, s->index)];
  int part = s->kind == JN_BY_AXIS ? s->component / 3 : s->component, axis = s->component % 3;
  jn_joint *j = &l->joint;
  double twist[6] = {0}, E[16], T[16];
  switch (s->kind) {
    case JN_BY_INERTIA:
      l->inertia[s->component] += e;
      break;
    case JN_BY_GRAVITY:
      to->gravity[s->component] += e;
      break;
    case JN_BY_PLACEMENT:
      twist[s->component] = e;
      check_ok(jn_se3_exp(twist, E));
      check_ok(jn_se3_multiply(l->placement, E, T));
      memcpy(l->placement, T, sizeof T);
      break;
    case JN_BY_PITCH:
    case JN_BY_AXIS:
      if (j->type == JN_GENERAL) {
        double *X = j->screws[part], w[3], n = sqrt(X[0] * X[0] + X[1] * X[1] + X[2] * X[2]), m = 0, h, point[3];
        int turns = n > 0, at = turns ? 0 : 3;
        if (!turns) n = sqrt(X[3] * X[3] + X[4] * X[4] + X[5] * X[5]);
        for (int k = 0; k < 6; k++) X[k] /= n;
        for (int k = 0; k < 3; k++)
          point[k] = X[(k + 1) % 3] * X[3 + (k + 2) % 3] - X[(k + 2) % 3] * X[3 + (k + 1) % 3];
        h = X[0] * X[3] + X[1] * X[4] + X[2] * X[5] + (s->kind == JN_BY_PITCH ? e : 0);
        for (int k = 0; k < 3; k++) w[k] = X[at + k] + (s->kind == JN_BY_AXIS && k == axis ? e : 0), m += w[k] * w[k];
        for (int k = 0; k < 3; k++) X[at + k] = n * w[k] / sqrt(m);
        for (int k = 0; k < 3 && turns; k++)
          X[3 + k] = point[(k + 1) % 3] * X[(k + 2) % 3] - point[(k + 2) % 3] * X[(k + 1) % 3] + h * X[k];
      } else if (s->kind == JN_BY_PITCH) {
        if (j->type != JN_HELICAL) j->pitch = 0;
        j->type = JN_HELICAL;
        j->pitch += e;
      } else {
        (part == 0 ? j->axis : part == 1 ? j->axis2 : j->axis3)[axis] += e;
      }
      break;
    default:
      break;
  }
}

/* tau, or a of forward dynamics, of the changed robot. */
static int changed_result(const state *x, const jn_scalar *s, double e, int forward, double *out) {
  static robot r;
  jn_work *w;
  change(x, s, e, &r);
  jn_model *m = build(&r);
  if (!m) return 0;
  check_ok(jn_work_create(m, &w));
  if (forward)
    check_ok(jn_forward_dynamics(m, w, x->q, x->v, x->tau, x->W, out));
  else
    check_ok(jn_inverse_dynamics(m, w, x->q, x->v, x->a, x->W, out));
  jn_work_destroy(w);
  jn_model_destroy(m);
  return 1;
}

/* Whether the scalar exists, and can be had by change(). */
static int applies(const state *x, const jn_scalar *s) {
  const jn_joint *j = s->kind == JN_BY_GRAVITY ? NULL : &x->r.link[place(x->m, s->index)].joint;
  if (s->kind == JN_BY_AXIS && (j->type == JN_CYLINDRICAL || j->type == JN_PLANAR)) return 0; /* one axis for all */
  if (s->kind == JN_BY_PITCH && j->type != JN_GENERAL)
    return j->type == JN_HELICAL || j->type == JN_REVOLUTE || j->type == JN_CONTINUOUS;
  return 1;
}

/* Six-point central differences of models built anew: truncation far below the tolerance. */
static void scalars_of_the_model_by_building_it_again(void **st) {
  (void)st;
  uint64_t s = seed("design");
  if (jn_variant_epsilon() > 1e-10) return; /* a float variant has no digits for differences */
  static double room[80 * LINKS], dtau[V], da[V], a[V];
  const jn_scalar_kind kinds[5] = {JN_BY_INERTIA, JN_BY_PLACEMENT, JN_BY_AXIS, JN_BY_PITCH, JN_BY_GRAVITY};
  const int components[5] = {10, 6, 18, 6, 3};
  int tried[5] = {0};
  for (int i = 0; i < MODELS; i++) {
    state x;
    begin(&x, &s, i);
    double lost = condition(&x);
    for (int kind = 0; kind < 5; kind++)
      for (int l = 0; l < (kind == 4 ? 1 : x.nlink); l++)
        for (int c = 0; c < components[kind]; c++) {
          jn_scalar scalar = {kinds[kind], l, c};
          jn_perturbation p;
          if (!applies(&x, &scalar)) continue;
          jn_status status = jn_perturbation_of(x.m, x.w, &scalar, x.q, x.v, room, &p);
          if (status == JN_ERR_INDEX && (kind == 2 || kind == 3)) continue; /* no such axis */
          check_ok(status);
          for (int forward = 0; forward < 2 && (!forward || lost < 1e5); forward++) {
            const double h = forward ? 2e-5 : 1e-3, weight[3] = {45. / 60, -9. / 60, 1. / 60};
            double sum[V] = {0}, up[V], down[V], size = 1;
            int built = 1;
            for (int k = 1; k <= 3 && built; k++) {
              built =
                  changed_result(&x, &scalar, k * h, forward, up) && changed_result(&x, &scalar, -k * h, forward, down);
              for (int r = 0; r < x.nv; r++) sum[r] += weight[k - 1] * (up[r] - down[r]) / h;
            }
            if (!built) continue;
            if (forward)
              check_ok(jn_forward_dynamics_sensitivity(x.m, x.w, x.q, x.v, x.tau, x.W, 1, &p, a, da));
            else
              check_ok(jn_inverse_dynamics_sensitivity(x.m, x.w, x.q, x.v, x.a, x.W, 1, &p, dtau));
            const double *D = forward ? da : dtau;
            size = norm_or_1(up, x.nv) + norm_or_1(D, x.nv);
            for (int r = 0; r < x.nv; r++)
              check(fabs(sum[r] - D[r]) < (forward ? 1e-9 * lost : 1e-8) * size,
                    "kind %d, link %d, component %d, row %d: %g, by differences %g", kind, l, c, r, D[r], sum[r]);
            tried[kind]++;
          }
        }
    release(x.m, x.w);
  }
  for (int k = 0; k < 5; k++) check(tried[k] > 50, "kind %d was tried %d times", k, tried[k]);
}

/* Everything at once is the sum of each, many in one call as one by one; armature is a change of M's diagonal. */
static void perturbations_add_up(void **st) {
  (void)st;
  uint64_t s = seed("sum");
  static double dh[WIDE], dI[10 * LINKS], dW[WIDE], out[8 * V];
  for (int i = 0; i < MODELS; i++) {
    state x;
    double dq[V], dv[V], da[V], arm[V], g[3];
    begin(&x, &s, i);
    int n = x.nv;
    fill(&s, dq, n, 1);
    fill(&s, dv, n, 1);
    fill(&s, da, n, 1);
    fill(&s, arm, n, 1);
    fill(&s, g, 3, 1);
    fill(&s, dh, x.wide, 1);
    fill(&s, dW, x.wide, 1);
    fill(&s, dI, 10 * x.nlink, 1);
    jn_perturbation list[8] = {{.dq_dp = dq,
                                .dv_dp = dv,
                                .da_dp = da,
                                .dh_dp = dh,
                                .dinertia_dp = dI,
                                .dwrench_dp = dW,
                                .darmature_dp = arm,
                                .dgravity_dp = g},
                               {.dq_dp = dq},
                               {.dv_dp = dv},
                               {.da_dp = da, .darmature_dp = arm},
                               {.dh_dp = dh},
                               {.dinertia_dp = dI},
                               {.dwrench_dp = dW},
                               {.dgravity_dp = g}};
    check_ok(jn_inverse_dynamics_sensitivity(x.m, x.w, x.q, x.v, x.a, x.W, 8, list, out));
    double size = norm_or_1(out, 8 * n);
    for (int r = 0; r < n; r++) {
      double sum = 0;
      for (int k = 1; k < 8; k++) sum += out[k * n + r];
      check_close(&out[r], &sum, 1, size, 2000, "the sum of all");
    }
    jn_perturbation only = {.darmature_dp = arm};
    check_ok(jn_inverse_dynamics_sensitivity(x.m, x.w, x.q, x.v, x.a, x.W, 1, &only, out));
    for (int r = 0; r < n; r++) {
      double expected = arm[r] * x.a[r];
      check_close(&out[r], &expected, 1, 1, 10, "armature");
    }
    release(x.m, x.w);
  }
}

/* y^T times the derivatives, in one sweep. */
static void reverse_products_are_transposed_products(void **st) {
  (void)st;
  uint64_t s = seed("adjoint");
  static double D[4][V * WIDE], dwrench[WIDE], dinertia[10 * LINKS], room[80 * LINKS];
  for (int i = 0; i < MODELS; i++)
    for (int hold = 0; hold < 3; hold++)
      for (int forward = 0; forward < 2; forward++) {
        state x;
        double dq[V], dv[V], last[V], arm[V], gravity[3], a[V], one[V];
        begin(&x, &s, i);
        int n = x.nv;
        jn_representation in = (jn_representation)hold;
        double lost = forward ? condition(&x) : 1;
        jn_gradient g = {dq, dv, forward ? NULL : last, forward ? last : NULL, dwrench, dinertia, gravity, arm};
        if (forward) {
          check_ok(jn_forward_dynamics_derivatives(x.m, x.w, x.q, x.v, x.tau, x.W, in, a, D[0], D[1], D[2], D[3]));
          check_ok(jn_forward_dynamics_adjoint(x.m, x.w, x.q, x.v, x.tau, x.W, in, x.y, a, &g));
        } else {
          check_ok(jn_inverse_dynamics_derivatives(x.m, x.w, x.q, x.v, x.a, x.W, in, D[0], D[1], D[2], D[3]));
          check_ok(jn_inverse_dynamics_adjoint(x.m, x.w, x.q, x.v, x.a, x.W, in, x.y, &g));
        }
        const double *found[4] = {dq, dv, last, dwrench};
        for (int k = 0; k < 4; k++) {
          int columns = k == 3 ? x.wide : n;
          for (int c = 0; c < columns; c++) {
            double expected = 0;
            for (int r = 0; r < n; r++) expected += x.y[r] * D[k][r * columns + c];
            check_close(&found[k][c], &expected, 1, norm_or_1(D[k], n * columns), 4000 * lost, "output %d, hold %d", k,
                        hold);
          }
        }
        for (int l = 0; l < x.nlink * 10 + 3 + n; l++) { /* inertias, gravity, armature: against the forward products */
          jn_scalar scalar = {JN_BY_INERTIA, l / 10, l % 10};
          if (l >= 10 * x.nlink) scalar = (jn_scalar){JN_BY_GRAVITY, 0, l - 10 * x.nlink};
          if (l >= 10 * x.nlink + 3) scalar = (jn_scalar){JN_BY_ARMATURE, l - 10 * x.nlink - 3, 0};
          jn_perturbation p;
          check_ok(jn_perturbation_of(x.m, x.w, &scalar, x.q, x.v, room, &p));
          if (forward)
            check_ok(jn_forward_dynamics_sensitivity(x.m, x.w, x.q, x.v, x.tau, x.W, 1, &p, a, one));
          else
            check_ok(jn_inverse_dynamics_sensitivity(x.m, x.w, x.q, x.v, x.a, x.W, 1, &p, one));
          double expected = 0, value = l < 10 * x.nlink       ? dinertia[l]
                                       : l < 10 * x.nlink + 3 ? gravity[l - 10 * x.nlink]
                                                              : arm[l - 10 * x.nlink - 3];
          for (int r = 0; r < n; r++) expected += x.y[r] * one[r];
          check_close(&value, &expected, 1, norm_or_1(one, n) * n, 2000 * lost, "scalar %d", l);
        }
        release(x.m, x.w);
      }
}

/* One array of a perturbation, if it is there, is in the room. */
static void check_inside(const double *array, int count, const double *room, size_t size, const char *what) {
  check(!array || (array >= room && array + count <= room + size), "%s reaches beyond the room", what);
}

/* jn_perturbation_room() is enough for every scalar: all arrays are inside, nothing is written behind it, and nothing
 * depends on what was there before. */
static void every_scalar_fits_into_the_room(void **st) {
  (void)st;
  uint64_t s = seed("room");
  enum { KINDS = JN_BY_GRAVITY + 1, GUARD = 8 };
  static double spare[4 * 80 * LINKS], dtau[2][V];
  const int components[KINDS] = {1, 1, 1, 1, 1, 10, 6, 6, 18, 6, 3};
  int tried[KINDS] = {0};
  for (int i = 0; i < MODELS; i++) {
    state x;
    begin(&x, &s, i);
    int n = x.nv, L = x.nlink;
    size_t size = jn_perturbation_room(x.m);
    double *room = malloc((size + GUARD) * sizeof *room);
    assert_non_null(room);
    for (int kind = 0; kind < KINDS; kind++)
      for (int e = 0; e < (kind == JN_BY_GRAVITY ? 1 : kind < JN_BY_INERTIA ? n : L) * components[kind]; e++) {
        jn_scalar scalar = {(jn_scalar_kind)kind, e / components[kind], e % components[kind]};
        jn_perturbation p[2];
        for (size_t k = 0; k < size + GUARD; k++) room[k] = k < size ? NAN : 1e9;
        memset(spare, 0, sizeof spare);
        jn_status status = jn_perturbation_of(x.m, x.w, &scalar, x.q, x.v, room, &p[0]);
        check_status(jn_perturbation_of(x.m, x.w, &scalar, x.q, x.v, spare, &p[1]), status);
        for (size_t k = 0; k < GUARD; k++) check(room[size + k] == 1e9, "scalar %d writes behind the room", kind);
        if (status == JN_ERR_INDEX) continue; /* joints without this axis or pitch */
        check_ok(status);
        tried[kind]++;
        const double *const of_v[] = {p[0].dq_dp, p[0].dv_dp, p[0].da_dp, p[0].dtau_dp, p[0].darmature_dp};
        for (int k = 0; k < 5; k++) check_inside(of_v[k], n, room, size, "an array of nv");
        check_inside(p[0].dh_dp, 6 * L, room, size, "dh_dp");
        check_inside(p[0].dS_dp, 36 * L, room, size, "dS_dp");
        check_inside(p[0].dSdot_dp, 36 * L, room, size, "dSdot_dp");
        check_inside(p[0].dinertia_dp, 10 * L, room, size, "dinertia_dp");
        check_inside(p[0].dwrench_dp, 6 * L, room, size, "dwrench_dp");
        check_inside(p[0].dgravity_dp, 3, room, size, "dgravity_dp");
        for (int k = 0; k < 2; k++)
          check_ok(jn_inverse_dynamics_sensitivity(x.m, x.w, x.q, x.v, x.a, x.W, 1, &p[k], dtau[k]));
        assert_memory_equal(dtau[0], dtau[1], (size_t)n * sizeof(double));
      }
    free(room);
    release(x.m, x.w);
  }
  for (int kind = 0; kind < KINDS; kind++) assert_true(tried[kind] > 0);
  assert_true(jn_perturbation_room(NULL) == 0);
}

static void misuse_is_refused(void **st) {
  (void)st;
  uint64_t s = seed("misuse");
  state x;
  static double room[80 * LINKS], out[V];
  jn_perturbation p;
  begin(&x, &s, 3);
  const jn_scalar wrong[] = {{JN_BY_POSITION, x.nv, 0},   {JN_BY_POSITION, -1, 0},   {JN_BY_INERTIA, 0, 10},
                             {JN_BY_INERTIA, x.nlink, 0}, {JN_BY_WRENCH, 0, -1},     {JN_BY_GRAVITY, 0, 3},
                             {JN_BY_AXIS, 0, 18},         {(jn_scalar_kind)20, 0, 0}};
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
    check_status(jn_perturbation_of(x.m, x.w, &wrong[k], x.q, x.v, room, &p), JN_ERR_INDEX);
  jn_gradient none = {0};
  p = (jn_perturbation){0};
  check_status(jn_inverse_dynamics_sensitivity(x.m, x.w, x.q, NULL, NULL, NULL, -1, &p, out), JN_ERR_SIZE);
  check_status(jn_inverse_dynamics_sensitivity(x.m, x.w, x.q, NULL, NULL, NULL, 1, NULL, out), JN_ERR_NULL);
  check_ok(jn_inverse_dynamics_sensitivity(x.m, x.w, x.q, NULL, NULL, NULL, 0, NULL, NULL));
  check_ok(jn_inverse_dynamics_adjoint(x.m, x.w, x.q, NULL, NULL, NULL, JN_IN_BODY, x.y, &none));
  check_status(jn_forward_dynamics_adjoint(x.m, x.w, x.q, NULL, NULL, NULL, JN_IN_BODY, x.y, out, &none), JN_ERR_NULL);
  check_ok(jn_inverse_dynamics_sensitivity(x.m, x.w, x.q, NULL, NULL, NULL, 1, &p, out));
  for (int k = 0; k < x.nv; k++) assert_true(out[k] == 0);
  release(x.m, x.w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(scalars_of_the_state_are_columns),
      cmocka_unit_test(scalars_of_the_model_by_building_it_again),
      cmocka_unit_test(perturbations_add_up),
      cmocka_unit_test(reverse_products_are_transposed_products),
      cmocka_unit_test(every_scalar_fits_into_the_room),
      cmocka_unit_test(misuse_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
