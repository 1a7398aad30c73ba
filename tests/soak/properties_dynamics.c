/* SPDX-License-Identifier: BSD-2-Clause */
/* Properties of dynamics: definitions, balances of forces and energy, and solutions put back into the equations. */
#include "newton.h"

static double property_inverse(state *x, const property *l) {
  newton w;
  number *tau = room_long((size_t)x->d->nv);
  (void)l;
  newton_create(x, &w);
  newton_forces(x, &w, tau);
  double e = gap(x, F_inverse_dynamics, 0, tau);
  newton_destroy(&w);
  free(tau);
  return e;
}

static double property_mass(state *x, const property *l) {
  newton w;
  int n = x->d->nv;
  number *M = room_long((size_t)(n * n)), *GJ = room_long(6 * (size_t)n), G[36];
  double P[10];
  (void)l;
  newton_create(x, &w);
  for (int k = 0; k < n; k++) M[k * n + k] = armature_of(x->s->m, k);
  for (int i = 0; i < w.links; i++) {
    if (jn_link_is_fixed(x->s->m, i)) continue;
    const number *J = w.J + 6 * n * i;
    check_ok(jn_link_inertia(x->s->m, i, P));
    inertia_of(P, G);
    times(G, J, GJ, 6, 6, n);
    for (int r = 0; r < 6; r++)
      for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++) M[a * n + b] += J[r * n + a] * GJ[r * n + b];
  }
  double e = gap(x, F_mass_matrix, 0, M);
  newton_destroy(&w);
  free(M), free(GJ);
  return e;
}

static double property_energy(state *x, const property *l) {
  newton w;
  double g[3], P[10];
  number E[2] = {0, 0};
  (void)l;
  newton_create(x, &w);
  jn_model_gravity(x->s->m, g);
  for (int k = 0; k < w.n; k++) E[0] += armature_of(x->s->m, k) * LIN(v)[k] * LIN(v)[k] / 2;
  for (int i = 0; i < w.links; i++) {
    if (jn_link_is_fixed(x->s->m, i)) continue;
    check_ok(jn_link_inertia(x->s->m, i, P));
    for (int r = 0; r < 6; r++) E[0] += w.V[6 * i + r] * w.h[6 * i + r] / 2;
    for (int r = 0; r < 3; r++) {
      number c = P[0] * w.T[16 * i + 4 * r + 3];
      for (int k = 0; k < 3; k++) c += w.T[16 * i + 4 * r + k] * P[1 + k];
      E[1] -= g[r] * c;
    }
  }
  E[1] += add_springs(x->s->m, LIN(q), NULL, 0, NULL);
  double e = gap(x, F_energy, 0, E);
  newton_destroy(&w);
  return e;
}

/* dE/dt of kinetic and potential energy along the motion is the power of forces and wrenches. */
static double property_power(state *x, const property *l) {
  newton w;
  double *by[INPUTS] = {NULL}, size = 0;
  number dE[2], power = 0;
  (void)l;
  by[IN_q] = x->x[KIND_D].in[IN_v];
  by[IN_v] = x->x[KIND_D].in[IN_a];
  along(x, F_energy, 0, by, dE);
  newton_create(x, &w);
  for (int k = 0; k < w.n; k++) {
    power += D(inverse_dynamics, 0)[k] * LIN(v)[k];
    size += SIZE(inverse_dynamics, 0) * fabs(IN(v)[k]);
  }
  for (int i = 0; i < w.links; i++)
    for (int r = 0; r < 6; r++) {
      number p = jn_link_is_fixed(x->s->m, i) ? 0 : w.V[6 * i + r] * LIN(wrench)[6 * i + r];
      power += p;
      size += fabs((double)p);
    }
  dE[0] += dE[1];
  newton_destroy(&w);
  return gap_long(x, dE, &power, 1, size);
}

/* Row 1 of the derivative of the energies by q, less the forces of springs. */
static double property_gravity(state *x, const property *l) {
  double *by[INPUTS] = {NULL}, *unit = calloc((size_t)x->d->nv, sizeof *unit);
  number E[2], *g = room_long((size_t)x->d->nv), *springs = room_long((size_t)x->d->nv);
  (void)l;
  add_springs(x->s->m, LIN(q), NULL, 0, springs);
  by[IN_q] = unit;
  for (int k = 0; k < x->d->nv; k++) {
    unit[k] = 1;
    along(x, F_energy, 0, by, E);
    g[k] = E[1] - springs[k];
    unit[k] = 0;
  }
  double size = SIZE(gravity_forces, 0) + largest(springs, (size_t)x->d->nv);
  double e = roundings(D(gravity_forces, 0), g, (size_t)x->d->nv, size, x->epsilon);
  free(unit), free(g), free(springs);
  return e;
}

static double property_passive(state *x, const property *l) {
  int n = x->d->nv;
  const double *C = x->out[l->f][0];
  number *sum = room_long((size_t)(n * n));
  for (int a = 0; a < n; a++)
    for (int b = 0; b < n; b++) sum[a * n + b] = (number)C[a * n + b] + C[b * n + a];
  double e = gap_long(x, sum, T(mass_matrix_rate, 0), (size_t)(n * n), x->size[l->f][0]);
  free(sum);
  return e;
}

static double property_bias(state *x, const property *l) {
  int n = x->d->nv;
  number *h = room_long((size_t)n);
  check_ok(jnl_inverse_dynamics(x->s->m, x->x[KIND_L].w, LIN(q), LIN(v), NULL, NULL, h));
  double e = gap(x, F_bias_forces, 0, h);
  if (l->f == F_coriolis_forces) {
    number *springs = room_long((size_t)n);
    add_springs(x->s->m, LIN(q), NULL, 0, springs);
    for (int k = 0; k < n; k++) h[k] -= T(gravity_forces, 0)[k] + springs[k];
    free(springs);
    e = roundings(D(coriolis_forces, 0), h, (size_t)n, SIZE(bias_forces, 0), x->epsilon);
  }
  free(h);
  return e;
}

/* r = equations at the solution; M^-1 r is how far the solution is from the right one. */
static double correction(state *x, const number *r, double size) {
  int n = x->d->nv;
  number *c = room_long((size_t)n), *zero = room_long((size_t)n);
  times(T(mass_matrix_inverse, 0), r, c, n, n, 1);
  double e = gap_long(x, c, zero, (size_t)n, size);
  free(c), free(zero);
  return e;
}

static double property_forward(state *x, const property *l) {
  int n = x->d->nv;
  number *r = room_long((size_t)n), *a = room_long((size_t)n);
  (void)l;
  for (int k = 0; k < n; k++) a[k] = D(forward_dynamics, 0)[k];
  check_ok(jnl_inverse_dynamics(x->s->m, x->x[KIND_L].w, LIN(q), LIN(v), a, LIN(wrench), r));
  for (int k = 0; k < n; k++) r[k] -= LIN(tau)[k];
  double e = correction(x, r, SIZE(forward_dynamics, 0));
  free(r), free(a);
  return e;
}

static double property_hybrid(state *x, const property *l) {
  int n = x->d->nv;
  number *r = room_long((size_t)n), *a = room_long((size_t)n);
  double given = 0, most = 0;
  (void)l;
  for (int k = 0; k < n; k++) a[k] = D(hybrid_dynamics, 0)[k];
  check_ok(jnl_inverse_dynamics(x->s->m, x->x[KIND_L].w, LIN(q), LIN(v), a, LIN(wrench), r));
  for (int k = 0; k < n; k++) {
    r[k] -= D(hybrid_dynamics, 1)[k];
    int held = x->d->prescribed[k];
    given = fmax(given, held ? fabs(D(hybrid_dynamics, 0)[k] - IN(a)[k]) / fmax(1e-300, fabs(IN(a)[k]))
                             : fabs(D(hybrid_dynamics, 1)[k] - IN(tau)[k]) / fmax(1e-300, fabs(IN(tau)[k])));
    most = fmax(most, fabs((double)r[k]));
  }
  double size = SIZE(hybrid_dynamics, 1) + largest(T(mass_matrix, 0), (size_t)(n * n)) * SIZE(hybrid_dynamics, 0);
  free(r), free(a);
  return fmax(given, most / size) / x->epsilon;
}

static double property_mass_inverse(state *x, const property *l) {
  int n = x->d->nv;
  number *P = room_long((size_t)(n * n)), *one = room_long((size_t)(n * n)), *I = room_long((size_t)(n * n));
  (void)l;
  for (int k = 0; k < n * n; k++) I[k] = D(mass_matrix_inverse, 0)[k], one[k] = k % (n + 1) == 0;
  times(T(mass_matrix, 0), I, P, n, n, n);
  double e =
      gap_long(x, P, one, (size_t)(n * n), largest(T(mass_matrix, 0), (size_t)(n * n)) * SIZE(mass_matrix_inverse, 0));
  free(P), free(one), free(I);
  return e;
}

static double property_mass_solve(state *x, const property *l) {
  int n = x->d->nv;
  number *r = room_long((size_t)n), *s = room_long((size_t)n);
  (void)l;
  for (int k = 0; k < n; k++) s[k] = D(mass_solve, 0)[k];
  times(T(mass_matrix, 0), s, r, n, n, 1);
  for (int k = 0; k < n; k++) r[k] -= LIN(y)[k];
  double e = correction(x, r, SIZE(mass_solve, 0));
  free(r), free(s);
  return e;
}

/* Every link alone: wrench from the parent, wrenches on to the children and the external one move it. */
static double property_joint_wrenches(state *x, const property *l) {
  newton w;
  (void)l;
  newton_create(x, &w);
  number *F = room_long(6 * (size_t)w.links);
  for (int i = w.links - 1; i >= 0; i--) {
    int p = jn_link_parent(x->s->m, i);
    number inverse[16], T_pi[16], Ad[36], up[6];
    for (int r = 0; r < 6; r++) F[6 * i + r] += w.F[6 * i + r] - LIN(wrench)[6 * i + r];
    if (p < 0) continue;
    inverse_pose(w.T + 16 * p, inverse);
    times(inverse, w.T + 16 * i, T_pi, 4, 4, 4);
    inverse_pose(T_pi, inverse);
    adjoint_of(inverse, Ad);
    transposed_times(Ad, F + 6 * i, up, 6, 6, 1);
    for (int r = 0; r < 6; r++) F[6 * p + r] += up[r];
  }
  double e = gap(x, F_joint_wrenches, 0, F);
  newton_destroy(&w);
  free(F);
  return e;
}

static double property_losses(state *x, const property *l) {
  const jn_model *m = x->s->m;
  number *f = room_long((size_t)x->d->nv);
  (void)l;
  for (int j = 0; j < x->d->nlink; j++) {
    double ratio = 1;
    int coupled = jn_joint_mimic(m, j, NULL, &ratio, NULL), n = coupled ? 1 : jn_joint_nv(m, j);
    for (int k = 0; k < n; k++) {
      const jn_dof *dof = &jn_joint_description(m, j)->dof[k];
      number v = ratio * LIN(v)[jn_joint_v(m, j) + k];
      f[jn_joint_v(m, j) + k] += ratio * (dof->damping * v + dof->friction * ((v > 0) - (v < 0)));
    }
  }
  double e = gap(x, F_loss_forces, 0, f);
  free(f);
  return e;
}

static double property_springs(state *x, const property *l) {
  number *f = room_long((size_t)x->d->nv);
  (void)l;
  add_springs(x->s->m, LIN(q), NULL, 0, f);
  double e = gap(x, F_spring_forces, 0, f);
  free(f);
  return e;
}

/* ---- time derivatives ---- */

/* The motion that forward dynamics found, put into inverse dynamics, needs the forces again. */
static double property_forward_jet(state *x, const property *l) {
  int n = x->d->nv, K = x->d->order;
  size_t rows = (size_t)((K + 1) * n);
  number *v = room_long(rows + (size_t)n), *tau = room_long(rows);
  const number *expected = LIN(tau_jet);
  const double *out = l->f == F_forward_dynamics_jet ? D(forward_dynamics_jet, 0) : D(hybrid_dynamics_jet, 0);
  for (size_t k = 0; k < rows + (size_t)n; k++) v[k] = out[k];
  check_ok(jnl_inverse_dynamics_jet(x->s->m, x->x[KIND_L].w, K, LIN(q), v, LIN(wrench_jet), tau));
  double size = x->size[l->f][0] * largest(T(mass_matrix, 0), (size_t)(n * n)) + SIZE(inverse_dynamics_jet, 0), e = 0;
  if (l->f == F_forward_dynamics_jet) {
    e = gap_long(x, tau, expected, rows, size);
  } else {
    e = roundings(D(hybrid_dynamics_jet, 1), tau, rows, size + SIZE(hybrid_dynamics_jet, 1), x->epsilon);
    for (int r = 0; r < K + 1; r++)
      for (int k = 0; k < n; k++) {
        int at = r * n + k;
        double a =
            x->d->prescribed[k] ? out[at + n] - IN(v_jet)[at + n] : D(hybrid_dynamics_jet, 1)[at] - IN(tau_jet)[at];
        e = fmax(e, fabs(a) / (x->epsilon * size));
      }
  }
  free(v), free(tau);
  return e;
}

static number binomial(int n, int k) {
  if (k < 0 || k > n) return 0;
  number b = 1;
  for (int i = 1; i <= k; i++) b = b * (n - k + i) / i;
  return b;
}

static double property_rate_matrices(state *x, const property *l) {
  int n = x->d->nv, K = x->d->order, sq = n * n;
  number *P = room_long((size_t)((K + 2) * sq));
  (void)l;
  for (int r = 0; r <= K + 1; r++)
    for (int e = 0; e < sq; e++) {
      number m = r > 0 ? binomial(K, r - 1) * T(mass_matrix_jet, 0)[(K + 1 - r) * sq + e] : 0;
      P[r * sq + e] = m + (r <= K ? binomial(K, r) * T(coriolis_matrix_jet, 0)[(K - r) * sq + e] : 0);
    }
  double e = gap(x, F_rate_matrices, 0, P);
  free(P);
  return e;
}

/* sum_r P_r v^(r) + g^(K) and springs = tau^(K) without wrenches. */
static double property_rate_sum(state *x, const property *l) {
  int n = x->d->nv, K = x->d->order;
  number *tau = room_long((size_t)((K + 1) * n)), *sum = room_long((size_t)n);
  double size = SIZE(inverse_dynamics_jet, 0);
  (void)l;
  check_ok(jnl_inverse_dynamics_jet(x->s->m, x->x[KIND_L].w, K, LIN(q), LIN(v_jet), NULL, tau));
  for (int k = 0; k < n; k++) {
    sum[k] = D(gravity_forces_jet, 0)[K * n + k];
    for (int r = 0; r <= K + 1; r++)
      for (int c = 0; c < n; c++) {
        number part = (number)D(rate_matrices, 0)[(r * n + k) * n + c] * LIN(v_jet)[r * n + c];
        sum[k] += part;
        size = fmax(size, fabs((double)part));
      }
  }
  add_springs(x->s->m, LIN(q), LIN(v_jet), K, sum);
  double e = gap_long(x, sum, tau + K * n, (size_t)n, size);
  free(tau), free(sum);
  return e;
}

static double property_wrench_forces(state *x, const property *l) {
  int n = x->d->nv, K = x->d->order;
  number *tau = room_long((size_t)((K + 1) * n));
  (void)l;
  check_ok(jnl_inverse_dynamics_jet(x->s->m, x->x[KIND_L].w, K, LIN(q), LIN(v_jet), NULL, tau));
  for (int k = 0; k < (K + 1) * n; k++) tau[k] -= T(inverse_dynamics_jet, 0)[k];
  double e = roundings(D(wrench_forces_jet, 0), tau, (size_t)((K + 1) * n),
                       SIZE(wrench_forces_jet, 0) + 1e-3 * SIZE(inverse_dynamics_jet, 0), x->epsilon);
  free(tau);
  return e;
}

/* First rows of the system matrices: adjoints of the poses between links, twists of joints and links, Jacobians. */
static double property_system(state *x, const property *l) {
  newton w;
  const jn_model *m = x->s->m;
  int n = x->d->nv, L = x->d->nlink, wide = 6 * L;
  double worst = 0;
  number S[36], twist[6];
  (void)l;
  newton_create(x, &w);
  for (int i = 0; i < L; i++) {
    worst = fmax(worst, roundings(D(system_jet, 2) + 6 * i, w.V + 6 * i, 6, SIZE(system_jet, 2), x->epsilon));
    worst = fmax(worst, roundings(D(system_jet, 3) + 6 * n * i, w.J + 6 * n * i, 6 * (size_t)n, SIZE(system_jet, 3),
                                  x->epsilon));
    int k = jn_joint_mimic(m, i, NULL, NULL, NULL) ? 1 : jn_joint_nv(m, i);
    memset(S, 0, sizeof S);
    check_ok(jnl_joint_jacobian(m, x->x[KIND_L].w, i, LIN(q), S));
    times(S, LIN(v) + (k ? jn_joint_v(m, i) : 0), twist, 6, k, 1);
    worst = fmax(worst, roundings(D(system_jet, 1) + 6 * i, twist, 6, SIZE(system_jet, 1), x->epsilon));
    for (int j = 0; j < L; j++) {
      number inverse[16], T_ij[16], Ad[36] = {0};
      inverse_pose(w.T + 16 * i, inverse);
      times(inverse, w.T + 16 * j, T_ij, 4, 4, 4);
      if (j <= i && i < jn_link_subtree_end(m, j)) adjoint_of(T_ij, Ad);
      for (int r = 0; r < 6; r++)
        worst = fmax(worst, roundings(D(system_jet, 0) + (6 * i + r) * wide + 6 * j, Ad + 6 * r, 6, SIZE(system_jet, 0),
                                      x->epsilon));
    }
  }
  newton_destroy(&w);
  return worst;
}

/* D[k][j]: by q and by every row of v_jet. */
static double property_jet_derivatives(state *x, const property *l) {
  int n = x->d->nv, K = x->d->order, all = (K + 2) * n;
  double *unit = calloc((size_t)all, sizeof *unit), worst = 0;
  number *out = room_long((size_t)((K + 1) * n));
  (void)l;
  for (int j = 0; j < K + 3; j++)
    for (int c = 0; c < n; c++) {
      double *by[INPUTS] = {NULL};
      int at = j == 0 ? c : (j - 1) * n + c;
      by[j == 0 ? IN_q : IN_v_jet] = unit;
      unit[at] = 1;
      along(x, F_inverse_dynamics_jet, 0, by, out);
      unit[at] = 0;
      for (int k = 0; k <= K; k++)
        for (int r = 0; r < n; r++)
          worst = fmax(worst, roundings(D(inverse_dynamics_jet_derivatives, 0) + ((k * (K + 3) + j) * n + r) * n + c,
                                        out + k * n + r, 1, SIZE(inverse_dynamics_jet_derivatives, 0), x->epsilon));
    }
  free(unit), free(out);
  return worst;
}

/* By what is given of each coordinate. */
static double property_given(state *x, const property *l) {
  int n = x->d->nv;
  double *unit = calloc((size_t)n, sizeof *unit), worst = 0;
  number *out = room_long((size_t)n);
  (void)l;
  for (int c = 0; c < n; c++) {
    double *by[INPUTS] = {NULL};
    by[x->d->prescribed[c] ? IN_a : IN_tau] = unit;
    unit[c] = 1;
    for (int o = 0; o < 2; o++) {
      along(x, F_hybrid_dynamics, o, by, out);
      for (int r = 0; r < n; r++)
        worst = fmax(worst, roundings(D(hybrid_dynamics_derivatives, 6 + o) + r * n + c, out + r, 1,
                                      SIZE(hybrid_dynamics_derivatives, 6 + o), x->epsilon));
    }
    unit[c] = 0;
  }
  free(unit), free(out);
  return worst;
}

/* clang-format off */
#define PROPERTY(functions, text, measure) {functions, text, measure, 0, 0, 0, 0, 0, 0},
#define PROPERTY_OF(function, text, measure) {#function, text, measure, F_##function, 0, 0, 0, 0, 0},
const property properties_dynamics[] = {
    PROPERTY("inverse_dynamics", "Newton and Euler for each link by itself, projected by its Jacobian", property_inverse)
    PROPERTY("inverse_dynamics energy", "power of forces and wrenches is the rate of kinetic and potential energy", property_power)
    PROPERTY("mass_matrix", "sum of J^T I J over the links, and armature", property_mass)
    PROPERTY("energy", "sum over the links of half V^T I V and of weight times height, and of springs", property_energy)
    PROPERTY("gravity_forces", "exact derivative of the potential energy by q, by the complex step, less springs", property_gravity)
    {"coriolis_matrix mass_matrix_rate", "C + C^T = dM/dt", property_passive, F_coriolis_matrix, 0, 0, 0, 0, 0},
    PROPERTY_OF(coriolis_matrix_christoffel, "C + C^T = dM/dt", property_passive)
    PROPERTY_OF(bias_forces, "inverse dynamics without acceleration", property_bias)
    PROPERTY_OF(coriolis_forces, "inverse dynamics without acceleration, less gravity and springs", property_bias)
    PROPERTY("forward_dynamics", "put into inverse dynamics it needs the same forces", property_forward)
    PROPERTY("hybrid_dynamics", "accelerations and forces obey inverse dynamics, what is given stays", property_hybrid)
    PROPERTY("mass_matrix_inverse", "M M^-1 = 1", property_mass_inverse)
    PROPERTY("mass_factor mass_solve", "M x = b", property_mass_solve)
    PROPERTY("joint_wrenches", "Newton and Euler for each link, from the leaves inwards", property_joint_wrenches)
    PROPERTY("loss_forces", "damping and friction joint by joint", property_losses)
    PROPERTY("spring_forces", "stiffness times stretch, joint by joint", property_springs)
    PROPERTY_OF(forward_dynamics_jet, "put into inverse dynamics it needs the same forces at every order", property_forward_jet)
    PROPERTY_OF(hybrid_dynamics_jet, "obeys inverse dynamics at every order, what is given stays", property_forward_jet)
    PROPERTY("rate_matrices", "binomial sums of the derivatives of M and C", property_rate_matrices)
    PROPERTY("rate_matrices gravity_forces_jet", "sum of P_r v^(r) and gravity is the derivative of the forces", property_rate_sum)
    PROPERTY("wrench_forces_jet", "what inverse dynamics loses when the wrenches are left out", property_wrench_forces)
    PROPERTY("inverse_dynamics_jet_derivatives", "exact derivatives of the jet by q and every row, by the complex step",
        property_jet_derivatives)
    PROPERTY("system_jet", "adjoints of the poses between links, twists and Jacobians of each by itself", property_system)
    PROPERTY("hybrid_dynamics_derivatives", "exact derivatives by what is given, by the complex step", property_given)
};
/* clang-format on */
const int property_dynamics_count = sizeof properties_dynamics / sizeof *properties_dynamics;
