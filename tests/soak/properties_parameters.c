/* SPDX-License-Identifier: BSD-2-Clause */
/* Properties of regressors, parameter derivatives, sensitivities, gradients, and of models with other parameters. */
#include <float.h>

#include "newton.h"

static void add_product(const double *Y, const double *pi, int rows, int columns, number *out) {
  for (int r = 0; r < rows; r++)
    for (int c = 0; c < columns; c++) out[r] += (number)Y[r * columns + c] * pi[c];
}

/* Y pi of this model is the quantity of the model whose parameters are pi: linear, so every column is tried. */
static double property_regressor(state *x, const property *l) {
  const jn_model *m = x->s->other;
  const int n = x->d->nv, all = jn_parameter_count(m), square = n * n;
  jn_work *w = twin_work_create(m, x->d->order, KIND_L);
  int rows = l->f == F_energy_regressor ? 2 : l->f == F_momentum_regressor || l->f == F_joint_wrench_regressor ? 6 : n;
  number *out = room_long((size_t)n + 6), *expected = room_long((size_t)(n + 6 + 6 * x->d->nlink)),
         *M = room_long((size_t)square);
  number *C = room_long((size_t)square), *g = room_long((size_t)n);
  add_product(x->out[l->f][0], x->s->pi, rows, all, out);
  if (l->f == F_regressor) {
    check_ok(jnl_inverse_dynamics(m, w, LIN(q), LIN(v), LIN(a), NULL, expected));
    for (int k = 0; k < n; k++) out[k] += armature_of(m, k) * LIN(a)[k];
    add_springs(m, LIN(q), NULL, 0, out);
  } else if (l->f == F_slotine_li_regressor || l->f == F_inertia_regressor) {
    check_ok(jnl_mass_matrix(m, w, LIN(q), M));
    check_ok(jnl_coriolis_matrix(m, w, LIN(q), LIN(v), C));
    if (l->f == F_slotine_li_regressor) check_ok(jnl_gravity_forces(m, w, LIN(q), expected));
    for (int k = 0; k < n; k++) {
      out[k] += armature_of(m, k) * LIN(a_r)[k];
      for (int c = 0; c < n; c++) expected[k] += M[k * n + c] * LIN(a_r)[c] + C[k * n + c] * LIN(v_r)[c];
    }
  } else if (l->f == F_gravity_regressor) {
    check_ok(jnl_gravity_forces(m, w, LIN(q), expected));
  } else if (l->f == F_energy_regressor) {
    check_ok(jnl_energy(m, w, LIN(q), LIN(v), expected));
    for (int k = 0; k < n; k++) out[0] += armature_of(m, k) * LIN(v)[k] * LIN(v)[k] / 2;
    out[1] += add_springs(m, LIN(q), NULL, 0, NULL);
  } else if (l->f == F_momentum_regressor) {
    check_ok(jnl_momentum(m, w, JN_ABOUT_ORIGIN, LIN(q), LIN(v), expected));
  } else {
    number *F = room_long(6 * (size_t)x->d->nlink);
    check_ok(jnl_joint_wrenches(m, w, LIN(q), LIN(v), LIN(a), NULL, F));
    memcpy(expected, F + 6 * x->d->link, 6 * sizeof *F);
    free(F);
  }
  double size = x->size[l->f][0] * 3 * x->d->nlink; /* parameters are of order 3 */
  double e = gap_long(x, out, expected, (size_t)rows, size);
  twin_work_destroy(w);
  free(out), free(expected), free(M), free(C), free(g);
  return e;
}

static double property_parameter_derivatives(state *x, const property *l) {
  const jn_model *m = x->s->other;
  const int n = x->d->nv, all = jn_parameter_count(m), square = n * n;
  jn_work *w = twin_work_create(m, x->d->order, KIND_L);
  number *sum = room_long((size_t)square), *M = room_long((size_t)square);
  double worst = 0, size = 3 * x->d->nlink;
  (void)l;
  for (int o = 0; o < 2; o++) {
    memset(sum, 0, (size_t)square * sizeof *sum);
    for (int j = 0; j < all; j++)
      for (int e = 0; e < square; e++) sum[e] += (number)D(parameter_derivatives, o)[j * square + e] * x->s->pi[j];
    for (int k = 0; k < n && o == 0; k++) sum[k * n + k] += armature_of(m, k);
    if (o == 0)
      check_ok(jnl_mass_matrix(m, w, LIN(q), M));
    else
      check_ok(jnl_coriolis_matrix(m, w, LIN(q), LIN(v), M));
    worst = fmax(worst, gap_long(x, sum, M, (size_t)square, size * SIZE(parameter_derivatives, o)));
  }
  memset(sum, 0, (size_t)square * sizeof *sum);
  add_product(D(parameter_derivatives, 2), x->s->pi, n, all, sum);
  check_ok(jnl_gravity_forces(m, w, LIN(q), M));
  worst = fmax(worst, gap_long(x, sum, M, (size_t)n, size * SIZE(parameter_derivatives, 2)));
  twin_work_destroy(w);
  free(sum), free(M);
  return worst;
}

/* M da/dpi + Y = dtau/dpi at the solution; what is given does not change. */
static double property_solved_parameters(state *x, const property *l) {
  const int n = x->d->nv, all = jn_parameter_count(x->s->m), hybrid = l->f == F_hybrid_dynamics_parameter_derivatives;
  number *Y = room_long((size_t)(n * all)), *a = room_long((size_t)n);
  const double *da = x->out[l->f][hybrid ? 2 : 1], *dtau = hybrid ? x->out[l->f][3] : NULL;
  double worst = 0, size = x->size[l->f][hybrid ? 2 : 1] * largest(T(mass_matrix, 0), (size_t)(n * n));
  if (hybrid) size += x->size[l->f][3];
  for (int k = 0; k < n; k++) a[k] = x->out[l->f][0][k];
  check_ok(jnl_regressor(x->s->m, x->x[KIND_L].w, LIN(q), LIN(v), a, Y));
  for (int r = 0; r < n; r++)
    for (int j = 0; j < all; j++) {
      number e = Y[r * all + j] - (dtau ? dtau[r * all + j] : 0);
      for (int c = 0; c < n; c++) e += T(mass_matrix, 0)[r * n + c] * da[c * all + j];
      worst = fmax(worst, (double)fabsl(e) / (size * x->epsilon));
      if (hybrid && (x->d->prescribed[r] ? da[r * all + j] : dtau[r * all + j]) != 0) worst = INFINITY;
    }
  free(Y), free(a);
  return worst;
}

static double property_joint_regressor(state *x, const property *l) {
  const size_t n = (size_t)x->d->nv;
  number *Y = room_long(4 * n * n);
  (void)l;
  for (size_t k = 0; k < n; k++) {
    number v = LIN(v)[k];
    const number of[4] = {LIN(a)[k], v, (v > 0) - (v < 0), 1};
    for (size_t b = 0; b < 4; b++) Y[k * 4 * n + b * n + k] = of[b];
  }
  double e = gap(x, F_joint_regressor, 0, Y);
  free(Y);
  return e;
}

/* ---- gradients ---- */

static void transposed(const number *A, const double *y, int rows, int columns, number *out) {
  for (int c = 0; c < columns; c++) {
    out[c] = 0;
    for (int r = 0; r < rows; r++) out[c] += A[r * columns + c] * y[r];
  }
}

/* Forces of gravity e_c: what the forces change by when gravity does. */
static void gravity_column(state *x, int c, number *out) {
  double g[3] = {c == 0, c == 1, c == 2};
  jn_model *m;
  check_ok(jn_model_with_gravity(x->s->m, g, &m));
  jn_work *w = twin_work_create(m, 0, KIND_L);
  check_ok(jnl_gravity_forces(m, w, LIN(q), out));
  twin_work_destroy(w);
  jn_model_destroy(m);
}

static double property_adjoint(state *x, const property *l) {
  const int n = x->d->nv, all = jn_parameter_count(x->s->m), wide = 6 * x->d->nlink,
            forward = l->f == F_forward_dynamics_adjoint;
  number *out = room_long((size_t)(all + wide + n)), *lambda = room_long((size_t)n);
  const int first = forward, f = l->f;
  double worst = 0;
  const struct {
    const number *A;
    int columns, o;
  } parts[] = {{forward ? T(forward_dynamics_derivatives, 1) : T(inverse_dynamics_derivatives, 0), n, first},
               {forward ? T(forward_dynamics_derivatives, 2) : T(inverse_dynamics_derivatives, 1), n, first + 1},
               {forward ? T(forward_dynamics_derivatives, 3) : T(inverse_dynamics_derivatives, 2), n, first + 2},
               {forward ? T(forward_dynamics_derivatives, 4) : T(inverse_dynamics_derivatives, 3), wide, first + 3},
               {forward ? T(forward_dynamics_parameter_derivatives, 1) : T(regressor, 0), all, first + 4}};
  for (int e = 0; e < 5; e++) {
    transposed(parts[e].A, IN(y), n, parts[e].columns, out);
    worst = fmax(worst, gap(x, f, parts[e].o, out));
  }
  for (int k = 0; k < n; k++) lambda[k] = LIN(y)[k];
  if (forward) times(T(mass_matrix_inverse, 0), LIN(y), lambda, n, n, 1);
  for (int c = 0; c < 3; c++) {
    number *g = room_long((size_t)n);
    gravity_column(x, c, g);
    out[c] = 0;
    for (int k = 0; k < n; k++) out[c] += (forward ? -1 : 1) * lambda[k] * g[k];
    free(g);
  }
  worst = fmax(worst, gap(x, f, first + 5, out));
  for (int k = 0; k < n; k++) out[k] = forward ? -lambda[k] * T(forward_dynamics, 0)[k] : lambda[k] * LIN(a)[k];
  worst = fmax(worst, gap(x, f, first + 6, out));
  free(out), free(lambda);
  return worst;
}

/* ---- sensitivities ---- */

typedef struct column {
  const number *of;
  int stride;
  number sign;
  double size;
} column;

#define NUMBER double
#define NAME(x) jn_##x
#define CHECK check_double
#define STATE KIND_D
#define EPSILON x->epsilon
#include "sensitivity_kind.h"
#undef NUMBER
#undef NAME
#undef CHECK
#undef STATE
#undef EPSILON
#define NUMBER float
#define NAME(x) jnf_##x
#define CHECK check_float
#define STATE KIND_F
#define EPSILON (4 * FLT_EPSILON) /* its state is rounded to float first */
#include "sensitivity_kind.h"

static column of(const state *x, int f, int o, int columns, int k) {
  return (column){x->true_[f][o] + k, columns, 1, x->size[f][o]};
}

/* Scalars of the state, of a wrench and of inertias: columns of the matrices of derivatives. */
static double property_sensitivity(state *x, const property *l) {
  enum { I = F_inverse_dynamics_derivatives, W = F_forward_dynamics_derivatives, H = F_hybrid_dynamics_derivatives };
  const int n = x->d->nv, wide = 6 * x->d->nlink, all = jn_parameter_count(x->s->m), which = l->by, single = l->layout;
  uint64_t s = (uint64_t)x->s->index * 31 + (uint64_t)x->k;
  double worst = 0;
  for (int kind = JN_BY_POSITION; kind <= JN_BY_WRENCH; kind++) {
    int k = (int)(0.4999 * (1 + uniform(&s)) * n), link = (int)(0.4999 * (1 + uniform(&s)) * x->d->nlink);
    int c = (int)(0.4999 * (1 + uniform(&s)) * (kind == JN_BY_INERTIA ? 10 : 6)), given = x->d->prescribed[k];
    jn_scalar scalar = {(jn_scalar_kind)kind, k, 0};
    column e[2] = {{0}, {0}};
    if (kind == JN_BY_INERTIA || kind == JN_BY_WRENCH) scalar.index = link, scalar.component = c;
    if (kind == JN_BY_ARMATURE || (kind == JN_BY_WRENCH && jn_link_is_fixed(x->s->m, link))) continue;
    if (kind == JN_BY_ACCELERATION && (which == 1 || (which == 2 && !given))) continue;
    if (kind == JN_BY_FORCE && (which == 0 || (which == 2 && given))) continue;
    const int o = kind == JN_BY_POSITION ? 0 : kind == JN_BY_VELOCITY ? 1 : kind == JN_BY_WRENCH ? 3 : 2;
    const int width = o == 3 ? wide : n, at = o == 3 ? 6 * link + c : k;
    if (which == 0) e[0] = kind == JN_BY_INERTIA ? of(x, F_regressor, 0, all, 10 * link + c) : of(x, I, o, width, at);
    if (which == 1)
      e[0] = kind == JN_BY_INERTIA ? of(x, F_forward_dynamics_parameter_derivatives, 1, all, 10 * link + c)
                                   : of(x, W, 1 + o, width, at);
    for (int r = 0; r < 2 && which == 2; r++)
      e[r] = kind == JN_BY_INERTIA ? of(x, F_hybrid_dynamics_parameter_derivatives, 2 + r, all, 10 * link + c)
                                   : of(x, H, 2 + 2 * o + r, width, at);
    worst = fmax(worst, single ? check_float(x, &scalar, which, e) : check_double(x, &scalar, which, e));
  }
  return worst;
}

/* ---- models ---- */

/* Copies with other parameters have these; masses are sums; packing and unpacking is parallel axes. */
static double property_model(state *x, const property *l) {
  const jn_model *m = x->s->m;
  const int links = x->d->nlink, link = x->d->link;
  double *pi = calloc(10 * (size_t)links, sizeof *pi), *got = calloc(10 * (size_t)links, sizeof *got), worst = 0,
         mass = 0, fixed = 0;
  const double *more = x->s->pi + 10 * link;
  jn_model *copy;
  (void)l;
  check_ok(jn_parameters(x->s->other, got));
  for (int k = 0; k < 10 * links; k++) worst = got[k] == x->s->pi[k] ? worst : INFINITY;
  check_ok(jn_parameters(m, pi));
  for (int pass = 0; pass < 2; pass++) {
    check_ok(pass ? jn_model_with_payload(m, link, more, &copy) : jn_model_with_inertia(m, link, more, &copy));
    check_ok(jn_parameters(copy, got));
    for (int k = 0; k < 10 * links; k++) {
      double e = k / 10 != link ? pi[k] : pass ? pi[k] + more[k % 10] : more[k % 10];
      worst = fmax(worst, fabs(got[k] - e) / DBL_EPSILON);
    }
    jn_model_destroy(copy);
  }
  for (int i = 0; i < links; i++) {
    double own = 0;
    for (int k = i; k < jn_link_subtree_end(m, i); k++) own += pi[10 * k];
    worst = fmax(worst, fabs(own - jn_link_subtree_mass(m, i)) / (own * DBL_EPSILON));
    *(jn_link_is_fixed(m, i) ? &fixed : &mass) += pi[10 * i];
  }
  worst = fmax(worst, fabs(mass - jn_model_mass(m)) / (mass * DBL_EPSILON));
  worst = fmax(worst, fabs(fixed - jn_model_fixed_mass(m)) / ((fixed + 1) * DBL_EPSILON));
  free(pi), free(got);
  return worst;
}

static double property_inertia(state *x, const property *l) {
  uint64_t s = x->s->seed * 77 + (uint64_t)(x->s->index * 16 + x->k);
  double m = 0.1 + 5 * (1 + uniform(&s)), c[3], I[6], P[10], mass, com[3], tensor[6], y[10], worst = 0;
  (void)l;
  fill(&s, c, 3, 1);
  for (int k = 0; k < 3; k++) I[k] = m * (2 + 0.4 * uniform(&s)), I[3 + k] = 0.1 * m * uniform(&s);
  jn_inertia_pack(m, c, I, P);
  number cc = 0;
  for (int k = 0; k < 3; k++) cc += (number)c[k] * c[k];
  const number e[10] = {m,
                        m * (number)c[0],
                        m * (number)c[1],
                        m * (number)c[2],
                        I[0] + m * (cc - (number)c[0] * c[0]),
                        I[1] + m * (cc - (number)c[1] * c[1]),
                        I[2] + m * (cc - (number)c[2] * c[2]),
                        I[3] - m * (number)c[0] * c[1],
                        I[4] - m * (number)c[0] * c[2],
                        I[5] - m * (number)c[1] * c[2]};
  for (int k = 0; k < 10; k++) worst = fmax(worst, (double)fabsl(P[k] - e[k]) / (8 * m * DBL_EPSILON));
  jn_inertia_unpack(P, &mass, com, tensor);
  for (int k = 0; k < 6; k++) worst = fmax(worst, fabs(tensor[k] - I[k]) / (8 * m * DBL_EPSILON));
  for (int k = 0; k < 3; k++) worst = fmax(worst, fabs(com[k] - c[k]) / DBL_EPSILON);
  if (mass != m || !jn_inertia_is_physical(P)) worst = INFINITY;
  check_ok(jn_inertia_to_log_cholesky(P, y));
  check_ok(jn_inertia_from_log_cholesky(y, P));
  for (int k = 0; k < 10; k++) worst = fmax(worst, (double)fabsl(P[k] - e[k]) / (64 * m * DBL_EPSILON));
  P[4] = -P[4];
  return jn_inertia_is_physical(P) ? INFINITY : worst;
}

/* clang-format off */
#define PROPERTY(functions, text, measure) {functions, text, measure, 0, 0, 0, 0, 0, 0},
#define PROPERTY_OF(function, text, measure) {#function, text, measure, F_##function, 0, 0, 0, 0, 0},
#define SENSITIVITY(function, which, single) \
  {function, "columns of the matrices of derivatives", property_sensitivity, 0, 0, 0, 0, which, single},
#define LINEAR "times other inertial parameters it is the quantity of the model with these"
const property properties_parameters[] = {
    PROPERTY_OF(regressor, LINEAR, property_regressor)
    PROPERTY_OF(slotine_li_regressor, LINEAR, property_regressor)
    PROPERTY_OF(inertia_regressor, LINEAR, property_regressor)
    PROPERTY_OF(gravity_regressor, LINEAR, property_regressor)
    PROPERTY_OF(energy_regressor, LINEAR, property_regressor)
    PROPERTY_OF(momentum_regressor, LINEAR, property_regressor)
    PROPERTY_OF(joint_wrench_regressor, LINEAR, property_regressor)
    PROPERTY_OF(joint_regressor, "diagonal blocks of a, v, sign of v and one", property_joint_regressor)
    PROPERTY("parameter_derivatives", LINEAR, property_parameter_derivatives)
    PROPERTY_OF(forward_dynamics_parameter_derivatives, "M da/dpi + Y = 0 at the solution", property_solved_parameters)
    PROPERTY_OF(hybrid_dynamics_parameter_derivatives, "M da/dpi + Y = dtau/dpi at the solution", property_solved_parameters)
    PROPERTY_OF(inverse_dynamics_adjoint, "transposed matrices of derivatives times y", property_adjoint)
    PROPERTY_OF(forward_dynamics_adjoint, "transposed matrices of derivatives times y", property_adjoint)
    SENSITIVITY("inverse_dynamics_sensitivity perturbation_of perturbation_room", 0, 0)
    SENSITIVITY("forward_dynamics_sensitivity", 1, 0)
    SENSITIVITY("hybrid_dynamics_sensitivity", 2, 0)
    SENSITIVITY("jnf_inverse_dynamics_sensitivity jnf_perturbation_of", 0, 1)
    SENSITIVITY("jnf_forward_dynamics_sensitivity", 1, 1)
    SENSITIVITY("jnf_hybrid_dynamics_sensitivity", 2, 1)
    PROPERTY("parameters parameter_count model_with_parameters model_with_inertia model_with_payload model_with_gravity "
        "model_mass model_fixed_mass link_subtree_mass link_inertia", "parameters asked for are those given; masses are sums",
        property_model)
    PROPERTY("inertia_pack inertia_unpack inertia_is_physical inertia_to_log_cholesky inertia_from_log_cholesky",
        "parallel axes, and there and back", property_inertia)
};
/* clang-format on */
const int property_parameters_count = sizeof properties_parameters / sizeof *properties_parameters;
