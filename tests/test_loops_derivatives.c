/* SPDX-License-Identifier: BSD-2-Clause */
/* Derivatives of dynamics with loops along the constraint manifold: the built-in mechanisms move on a curve s -> (q, v,
 * a, tau) that keeps their loops closed, and central differences of the results over s converge to what the derivatives
 * give by the chain rule, as h^2. Redundant conditions (planar linkages in space), redundant motors, passive forces,
 * wrenches and parameters. */
#include "testing.h"

#include "jounce/io.h"
#include "jounce/loops.h"

enum { V = 24, Q = 25, ROWS = 18, LINKS = 22 };

static const struct {
  const char *name;
  int extra; /* joints that get a motor beside those with an effort, for inverse dynamics */
} mechanisms[] = {{"four_bar", 0},     {"four_bar", 1}, {"five_bar", 0}, {"five_bar", 2},
                  {"slider_crank", 1}, {"stewart", 0},  {"stewart", 3},  {"delta", 2}};
enum { MECHANISMS = sizeof mechanisms / sizeof *mechanisms };

typedef struct mechanism {
  jn_model *m;
  jn_loops *l;
  jn_work *w;
  int n, rows, links;
  unsigned char motors[V], actuated[V];
  double q[Q], velocity[V], acceleration[V], force[V], weight[V], wrench[6 * LINKS]; /* at s = 0 */
  double by_q[V], by_v[V], by_a[V], by_force[V], by_wrench[6 * LINKS];               /* changes with s, of motors */
} mechanism;

static void begin(mechanism *x, uint64_t *s, int which) {
  char source[64];
  snprintf(source, sizeof source, "builtin:%s", mechanisms[which].name);
  check_ok(jn_load(source, NULL, &x->m, NULL));
  check_ok(jn_loops_create(x->m, NULL, &x->l));
  check_ok(jn_work_create(x->m, &x->w));
  x->n = jn_model_nv(x->m);
  x->rows = jn_loops_rows(x->l);
  x->links = jn_link_count(x->m);
  check_ok(jn_neutral(x->m, x->q));
  int extra = mechanisms[which].extra;
  for (int k = 0; k < x->n; k++) {
    x->motors[k] = x->actuated[k] = jn_coordinate_dof(x->m, k)->effort > 0;
    int hinge = jn_joint_nv(x->m, jn_coordinate_joint(x->m, k, NULL)) <= 2;
    if (!x->motors[k] && hinge && extra > 0) x->actuated[k] = 1, extra--;
    if (x->motors[k]) x->q[jn_joint_q(x->m, jn_coordinate_joint(x->m, k, NULL))] += 0.05 * uniform(s);
    x->weight[k] = 1.5 + uniform(s);
  }
  fill(s, x->velocity, x->n, 0.5);
  fill(s, x->acceleration, x->n, 1);
  fill(s, x->force, x->n, 3);
  fill(s, x->wrench, 6 * x->links, 1);
  fill(s, x->by_q, x->n, 0.3);
  fill(s, x->by_v, x->n, 1);
  fill(s, x->by_a, x->n, 1);
  fill(s, x->by_force, x->n, 1);
  fill(s, x->by_wrench, 6 * x->links, 1);
}

static void end(mechanism *x) {
  jn_work_destroy(x->w);
  jn_loops_destroy(x->l);
  jn_model_destroy(x->m);
}

/* The state at s: motors where they are told, the rest follows. q is the nearest to that of s = 0. */
static void state_at(mechanism *x, double s, double *q, double *motion, double *force, double *wrench) {
  memcpy(q, x->q, sizeof x->q);
  for (int k = 0; k < x->n; k++) {
    if (x->motors[k]) q[jn_joint_q(x->m, jn_coordinate_joint(x->m, k, NULL))] += s * x->by_q[k];
    motion[k] = x->velocity[k] + s * x->by_v[k];
    motion[x->n + k] = x->acceleration[k] + s * x->by_a[k];
    force[k] = x->force[k] + s * x->by_force[k];
  }
  for (int k = 0; k < 6 * x->links; k++) wrench[k] = x->wrench[k] + s * x->by_wrench[k];
  check_ok(jn_loops_assemble(x->l, x->motors, 1e-13, q, NULL));
  check_ok(jn_loops_complete_motion(x->l, 0, x->motors, q, motion));
}

static double largest(const double *x, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

/* out += D x */
static void add_product(const double *D, int rows, int columns, const double *x, double *out) {
  for (int i = 0; i < rows * columns; i++) out[i / columns] += D[i] * x[i % columns];
}

/* What is differentiated: nv + m numbers at a state. */
typedef enum kind { FORWARD, HYBRID, INVERSE_TORQUE, INVERSE_LAMBDA, INVERSE_WEIGHTED, KINDS } kind;
static const char *const kind_name[KINDS] = {"forward", "hybrid", "least torque", "least lambda", "weighted torque"};

static jn_loops_choice choice_of(kind k) { return k == INVERSE_LAMBDA ? JN_LEAST_LAMBDA : JN_LEAST_TORQUE; }
static const double *weight_of(const mechanism *x, kind k) { return k == INVERSE_WEIGHTED ? x->weight : NULL; }

/* Prescribed of hybrid dynamics: the first motor. */
static void prescribed_of(const mechanism *x, unsigned char *prescribed) {
  int found = 0;
  for (int k = 0; k < x->n; k++) {
    prescribed[k] = x->motors[k] && !found;
    found |= x->motors[k];
  }
}

/* first [nv]: a (forward), tau (inverse); second [nv]: tau of hybrid; lambda [m]. */
static void results_at(mechanism *x, kind k, double s, double *first, double *second, double *lambda) {
  double q[Q], motion[2 * V], force[V], wrench[6 * LINKS], out[2 * V];
  unsigned char prescribed[V];
  state_at(x, s, q, motion, force, wrench);
  memset(second, 0, V * sizeof *second);
  if (k >= INVERSE_TORQUE) {
    check_ok(jn_loops_inverse_dynamics_jet(x->l, 0, x->actuated, choice_of(k), weight_of(x, k), q, motion, force,
                                           wrench, first, lambda));
    return;
  }
  prescribed_of(x, prescribed);
  if (k == HYBRID)
    check_ok(jn_loops_hybrid_dynamics_jet(x->l, 0, prescribed, q, motion, force, wrench, out, second, lambda));
  else
    check_ok(jn_loops_forward_dynamics_jet(x->l, 0, q, motion, force, wrench, out, lambda));
  memcpy(first, out + x->n, (size_t)x->n * sizeof *first);
}

static double D[15][(V + ROWS) * 10 * LINKS];

/* By the chain rule from the derivatives at s = 0 and the changes of the state. */
static void chain_rule(mechanism *x, kind k, const double *dq, const double *dmotion, double *first, double *second,
                       double *lambda) {
  int n = x->n, m = x->rows, wide = 6 * x->links;
  double q[Q], motion[2 * V], force[V], wrench[6 * LINKS], out[2 * V], multipliers[ROWS], tau[V];
  unsigned char prescribed[V];
  state_at(x, 0, q, motion, force, wrench);
  memset(first, 0, V * sizeof *first);
  memset(second, 0, V * sizeof *second);
  memset(lambda, 0, ROWS * sizeof *lambda);
  double *const to[3] = {first, second, lambda};
  const double *change[5] = {dq, dmotion, NULL, NULL, x->by_wrench};
  double given[V];
  int columns[5] = {n, n, n, n, wide};
  if (k >= INVERSE_TORQUE) {
    const jn_loops_inverse_derivatives d = {D[0],  D[1],  D[2],  D[3],  D[4],  NULL,
                                            D[10], D[11], D[12], D[13], D[14], NULL};
    check_ok(jn_loops_inverse_dynamics_derivatives(x->l, x->actuated, choice_of(k), weight_of(x, k), q, motion,
                                                   motion + n, force, wrench, JN_IN_BODY, tau, multipliers, &d));
    change[2] = dmotion + n;
    change[3] = x->by_force;
  } else {
    prescribed_of(x, prescribed);
    for (int i = 0; i < n; i++) given[i] = k == HYBRID && prescribed[i] ? dmotion[n + i] : x->by_force[i];
    if (k == HYBRID)
      check_ok(jn_loops_hybrid_dynamics_jet(x->l, 0, prescribed, q, motion, force, wrench, out, tau, multipliers));
    else
      check_ok(jn_loops_forward_dynamics_jet(x->l, 0, q, motion, force, wrench, out, multipliers));
    const jn_loops_derivatives d = {D[0], D[1], D[2],  D[4],  NULL,  D[5],  D[6], D[7],
                                    D[9], NULL, D[10], D[11], D[12], D[14], NULL};
    check_ok(jn_loops_dynamics_derivatives(x->l, k == HYBRID ? prescribed : NULL, q, motion, out + n, multipliers,
                                           wrench, JN_IN_BODY, &d));
    change[2] = given;
  }
  for (int of = 0; of < 3; of++)
    for (int by = 0; by < 5; by++)
      if (change[by] && !(of == 1 && k != HYBRID))
        add_product(D[5 * of + by], of == 2 ? m : n, columns[by], change[by], to[of]);
}

/* Of q at s = 0: the motors' rates determine it. */
static void tangent(mechanism *x, double *dq) {
  double motion[2 * V] = {0};
  memcpy(motion, x->by_q, (size_t)x->n * sizeof *motion);
  double q[Q], own[2 * V], force[V], wrench[6 * LINKS];
  state_at(x, 0, q, own, force, wrench);
  check_ok(jn_loops_complete_motion(x->l, 0, x->motors, q, motion));
  memcpy(dq, motion, (size_t)x->n * sizeof *dq);
}

static void differences_converge_along_the_manifold(void **state) {
  (void)state;
  uint64_t s = seed("derivatives along the manifold");
  if (jn_variant_epsilon() > 1e-10) return;
  for (int i = 0; i < MECHANISMS; i++)
    for (int k = 0; k < KINDS; k++) {
      mechanism x;
      double dq[V], error[2] = {0}, size = 1;
      begin(&x, &s, i);
      tangent(&x, dq);
      for (int fine = 0; fine < 2; fine++) {
        double h = fine ? 1e-3 : 2e-3, motion[2][2 * V], result[2][3][V], found[3][V], q[Q], force[V],
               wrench[6 * LINKS], dmotion[2 * V];
        for (int side = 0; side < 2; side++) {
          state_at(&x, side ? h : -h, q, motion[side], force, wrench);
          results_at(&x, (kind)k, side ? h : -h, result[side][0], result[side][1], result[side][2]);
        }
        for (int e = 0; e < 2 * x.n; e++) dmotion[e] = (motion[1][e] - motion[0][e]) / (2 * h);
        chain_rule(&x, (kind)k, dq, dmotion, found[0], found[1], found[2]);
        for (int of = 0; of < 3; of++)
          for (int e = 0; e < (of == 2 ? x.rows : x.n); e++) {
            double difference = (result[1][of][e] - result[0][of][e]) / (2 * h);
            error[fine] = fmax(error[fine], fabs(difference - found[of][e]));
            size = fmax(size, fabs(difference));
          }
      }
      check(error[1] < 1e-4 * size, "%s (%d more motors), %s: error %g of %g", mechanisms[i].name, mechanisms[i].extra,
            kind_name[k], error[1], size);
      check(error[1] < 1e-8 * size || fabs(log2(error[0] / error[1]) - 2) < 0.2, "%s, %s: errors %g, %g",
            mechanisms[i].name, kind_name[k], error[0], error[1]);
      end(&x);
    }
}

/* Forces are linear in the parameters: tau = Y pi, at every order, for all choices; da/dpi by differences. */
static void parameters_enter_linearly(void **state) {
  (void)state;
  uint64_t s = seed("parameters of loops");
  if (jn_variant_epsilon() > 1e-10) return;
  enum { K = 2 };
  static double Y[(K + 1) * V * 10 * LINKS], pi[10 * LINKS], jet[(K + 2) * V], tau[(K + 1) * V], dpi[V * 10 * LINKS];
  for (int i = 0; i < MECHANISMS; i++) {
    mechanism x;
    begin(&x, &s, i);
    jn_loops *l;
    jn_loops_options options;
    jn_loops_options_init(&options);
    options.order = K;
    check_ok(jn_loops_create(x.m, &options, &l));
    double q[Q], motion[2 * V], force[V], wrench[6 * LINKS];
    state_at(&x, 0, q, motion, force, wrench);
    int wide = jn_parameter_count(x.m), n = x.n;
    check_ok(jn_parameters(x.m, pi));
    fill(&s, jet, (K + 2) * n, 0.5);
    check_ok(jn_loops_complete_motion(l, K, x.motors, q, jet));
    for (kind k = INVERSE_TORQUE; k < KINDS; k++) {
      check_ok(jn_loops_regressor_jet(l, K, x.actuated, choice_of(k), weight_of(&x, k), q, jet, Y));
      check_ok(jn_loops_inverse_dynamics_jet(l, K, x.actuated, choice_of(k), weight_of(&x, k), q, jet, NULL, NULL, tau,
                                             NULL));
      for (int e = 0; e < (K + 1) * n; e++) {
        double sum = 0;
        for (int c = 0; c < wide; c++) sum += Y[e * wide + c] * pi[c];
        check(fabs(sum - tau[e]) < 1e-9 * (1 + largest(tau, (K + 1) * n)), "%s, %s, order %d: Y pi %g, tau %g",
              mechanisms[i].name, kind_name[k], e / n, sum, tau[e]);
      }
    }
    const jn_loops_inverse_derivatives d = {.dtau_dpi = dpi};
    check_ok(jn_loops_inverse_dynamics_derivatives(l, x.actuated, JN_LEAST_TORQUE, NULL, q, jet, jet + n, NULL, NULL,
                                                   JN_IN_BODY, tau, NULL, &d));
    check_ok(jn_loops_regressor_jet(l, 0, x.actuated, JN_LEAST_TORQUE, NULL, q, jet, Y));
    check_close(dpi, Y, n * wide, 1 + largest(Y, n * wide), 1000, "dtau/dpi is the regressor");
    jn_loops_destroy(l);
    end(&x);
  }
}

/* da/dpi of forward dynamics: the mass of a link a little larger and smaller. */
static void heavier_links_accelerate_as_predicted(void **state) {
  (void)state;
  uint64_t s = seed("mass of loops");
  if (jn_variant_epsilon() > 1e-10) return;
  static double dpi[V * 10 * LINKS], dlambda[ROWS * 10 * LINKS], pi[10 * LINKS];
  for (int i = 0; i < MECHANISMS; i++) {
    mechanism x;
    begin(&x, &s, i);
    double q[Q], motion[2 * V], force[V], wrench[6 * LINKS], out[2 * V], lambda[ROWS], side[2][2 * V],
        multiplier[2][ROWS];
    state_at(&x, 0, q, motion, force, wrench);
    int wide = jn_parameter_count(x.m), n = x.n;
    check_ok(jn_loops_forward_dynamics_jet(x.l, 0, q, motion, force, wrench, out, lambda));
    const jn_loops_derivatives d = {.da_dpi = dpi, .dlambda_dpi = dlambda};
    check_ok(jn_loops_dynamics_derivatives(x.l, NULL, q, motion, out + n, lambda, wrench, JN_IN_BODY, &d));
    for (int c = 0; c < wide; c += 7) {
      const double h = 1e-6;
      for (int e = 0; e < 2; e++) {
        jn_model *other;
        jn_loops *l;
        check_ok(jn_parameters(x.m, pi));
        pi[c] += e ? h : -h;
        check_ok(jn_model_with_parameters(x.m, pi, &other));
        check_ok(jn_loops_create(other, NULL, &l));
        check_ok(jn_loops_forward_dynamics_jet(l, 0, q, motion, force, wrench, side[e], multiplier[e]));
        jn_loops_destroy(l);
        jn_model_destroy(other);
      }
      double size = 1 + largest(dpi, n * wide), force_size = 1 + largest(dlambda, x.rows * wide);
      for (int r = 0; r < n; r++) {
        double difference = (side[1][n + r] - side[0][n + r]) / (2 * h);
        check(fabs(difference - dpi[r * wide + c]) < 1e-6 * size, "%s, a_%d by pi_%d: %g, %g", mechanisms[i].name, r, c,
              dpi[r * wide + c], difference);
      }
      for (int r = 0; r < x.rows; r++) {
        double difference = (multiplier[1][r] - multiplier[0][r]) / (2 * h);
        check(fabs(difference - dlambda[r * wide + c]) < 1e-6 * force_size, "%s, lambda_%d by pi_%d: %g, %g",
              mechanisms[i].name, r, c, dlambda[r * wide + c], difference);
      }
    }
    end(&x);
  }
}

/* A weight hung on a link (its force fixed in the world) instead of a thruster: only dq changes, and as the trees' do.
 */
static void wrenches_are_held_as_said(void **state) {
  (void)state;
  uint64_t s = seed("hold");
  if (jn_variant_epsilon() > 1e-10) return;
  mechanism x;
  begin(&x, &s, 0);
  int n = x.n;
  double q[Q], motion[2 * V], force[V], wrench[6 * LINKS], out[2 * V], lambda[ROWS], dq[V], T[16];
  state_at(&x, 0, q, motion, force, wrench);
  tangent(&x, dq);
  check_ok(jn_loops_forward_dynamics_jet(x.l, 0, q, motion, force, wrench, out, lambda));
  const jn_loops_derivatives d = {.da_dq = D[0], .da_dv = D[1]};
  check_ok(jn_loops_dynamics_derivatives(x.l, NULL, q, motion, out + n, lambda, wrench, JN_IN_ALIGNED, &d));
  double side[2][2 * V], change[2][2 * V], found[V] = {0}, h = 1e-5;
  for (int e = 0; e < 2; e++) {
    double at = e ? h : -h, turned[6 * LINKS];
    mechanism still = x; /* only q changes */
    memset(still.by_force, 0, sizeof still.by_force);
    memset(still.by_wrench, 0, sizeof still.by_wrench);
    memset(still.by_v, 0, sizeof still.by_v);
    double q1[Q];
    state_at(&still, at, q1, change[e], force, wrench);
    for (int i = 0; i < x.links; i++) { /* the same in the world: R1^T R W */
      double R1[16];
      check_ok(jn_frame_pose(x.m, x.w, i, q, T));
      check_ok(jn_frame_pose(x.m, x.w, i, q1, R1));
      for (int part = 0; part < 6; part += 3)
        for (int r = 0; r < 3; r++) {
          turned[6 * i + part + r] = 0;
          for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++)
              turned[6 * i + part + r] += R1[4 * a + r] * T[4 * a + b] * wrench[6 * i + part + b];
        }
    }
    check_ok(jn_loops_forward_dynamics_jet(x.l, 0, q1, change[e], force, turned, side[e], NULL));
  }
  double dv[V];
  for (int r = 0; r < n; r++) dv[r] = (change[1][r] - change[0][r]) / (2 * h);
  add_product(D[0], n, n, dq, found);
  add_product(D[1], n, n, dv, found);
  for (int r = 0; r < n; r++) {
    double difference = (side[1][n + r] - side[0][n + r]) / (2 * h);
    check(fabs(difference - found[r]) < 1e-6 * (1 + fabs(found[r])), "a_%d: %g, %g", r, found[r], difference);
  }
  end(&x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(differences_converge_along_the_manifold),
      cmocka_unit_test(parameters_enter_linearly),
      cmocka_unit_test(heavier_links_accelerate_as_predicted),
      cmocka_unit_test(wrenches_are_held_as_said),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
