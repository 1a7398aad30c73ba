/* SPDX-License-Identifier: BSD-2-Clause */
/* Closed form of any order: jets of M, C, gravity forces, forces of external wrenches, and of a frame's twist and
 * Jacobian, from polynomials of the body Jacobians J_k(t) (kumar2021 sec. III, garofalo2013 sec. V, for trees with any
 * joints):
 *   M = sum J^T I J,   C = sum J^T ((I ad_V - ad_V^T I) J + I dJ/dt),   g = sum J^T I Ad_{T^-1} (0, -gravity)
 * Columns are carried along each body's path from the world, so memory is that of one body. O(n d^2 K^2). arg[0] = K,
 * arg[1] = frame or -1. in: q, v jets [(K+2) x nv], wrench jets [(K+1) x nlink x 6] or NULL. out: M, C [(K+1) x nv x
 * nv], g [(K+1) x nv], twist of the frame [(K+1) x 6], its Jacobian [(K+1) x 6 x nv], both in the frame's own axes, P
 * [(K+2) x nv x nv], forces of the wrenches [(K+1) x nv]. */
#include "columns.h"
#include "row.h"

/* Where the sums go; NULL: not wanted. */
typedef struct closed {
  int order;
  real *M, *C, *g, *P, *tau;
} closed;

/* (I ad_V - ad_V^T I) u */
static inline wrench gyration(inertia I, twist V, twist u) { return w_sub(i_mul(I, t_ad(V, u)), w_ad(V, i_mul(I, u))); }

/* Order r of what J^T is multiplied with for column a of C: the braces above. */
static inline wrench coriolis_column(const jets *J, int i, inertia I, const columns *c, int a, int r) {
  int nb = J->t->nb;
  wrench x = i_mul(I, t_scale(K(r + 1), c->u[(r + 1) * c->n + a]));
  for (int s = 0; s <= r; s++) x = w_add(x, gyration(I, J->V[s * nb + i], c->u[(r - s) * c->n + a]));
  return x;
}

/* Adds body i to orders 0 ... K of g and of the wrenches' forces. */
static inline void add_forces(const jets *J, int i, const columns *c, const closed *to) {
  inertia I = i_constant(J->t->body[i].inertia);
  int nv = J->t->nv, nb = J->t->nb, n = c->n;
  for (int r = 0; r <= to->order; r++) {
    wrench weight = i_mul(I, c->u[r * n + nv]);
    for (int a = 1; a < c->count; a++)
      for (int k = r; k <= to->order; k++) {
        int left = c->active[a];
        twist u = c->u[(k - r) * n + left];
        if (to->g) to->g[k * nv + left] += power(weight, u);
        if (to->tau) to->tau[k * nv + left] += power(J->W[r * nb + i], u);
      }
  }
}

/* Adds body i to orders 0 ... K of M, C and P. Row r of P gathers r M_{K+1-r} + C_{K-r}, to be scaled by K!/r!. */
static inline void add_matrices(const jets *J, int i, const columns *c, const closed *to) {
  inertia I = i_constant(J->t->body[i].inertia);
  int nv = J->t->nv, n = c->n, order = to->order;
  for (int b = 1; b < c->count; b++)
    for (int r = 0; r <= order; r++) {
      int right = c->active[b];
      wrench Iu = i_mul(I, c->u[r * n + right]), x = w_zero();
      if (to->C || to->P) x = coriolis_column(J, i, I, c, right, r);
      for (int a = 1; a < c->count; a++)
        for (int k = r; k <= order; k++) {
          int left = c->active[a], at = left * nv + right;
          twist u = c->u[(k - r) * n + left];
          if (to->M) to->M[k * nv * nv + at] += power(Iu, u);
          if (to->C) to->C[k * nv * nv + at] += power(x, u);
          if (!to->P) continue;
          to->P[(order + 1 - k) * nv * nv + at] += K(order + 1 - k) * power(Iu, u);
          to->P[(order - k) * nv * nv + at] += power(x, u);
        }
    }
}

static inline void add_armature(const JN_S(tree) * t, const closed *to) {
  int n = t->nv;
  for (int i = 0; i < t->nb; i++)
    for (int k = 0; k < t->body[i].nv; k++) {
      int at = (t->body[i].iv + k) * (n + 1);
      if (to->M) to->M[at] += armature_of(t, &t->body[i], k);
      if (to->P) to->P[(to->order + 1) * n * n + at] += K(to->order + 1) * armature_of(t, &t->body[i], k);
    }
}

/* From Taylor coefficients to derivatives; K!/r! for row r of P. */
static inline void scale(const closed *to, int n) {
  int order = to->order;
  if (to->M) taylor_to_jet(to->M, order + 1, n * n);
  if (to->C) taylor_to_jet(to->C, order + 1, n * n);
  if (to->g) taylor_to_jet(to->g, order + 1, n);
  if (to->tau) taylor_to_jet(to->tau, order + 1, n);
  if (!to->P) return;
  scalar f = (scalar)1 / (scalar)(order + 1);
  for (int r = order + 1; r >= 0; f *= (scalar)r, r--)
    for (int k = 0; k < n * n; k++) to->P[r * n * n + k] *= splat(f);
}

static inline void clear(real *x, int count) {
  for (int k = 0; k < count && x; k++) x[k] = ZERO;
}

static inline void frame_jets(const jets *J, const columns *c, const JN_S(frame) * f, int order, real *twists,
                              real *Jac) {
  int nv = J->t->nv, nb = J->t->nb;
  pose local = se3_constant(f->R, f->p);
  for (int k = 0; k <= order; k++) {
    if (twists) t_store(f->body < 0 ? t_zero() : t_Ad_inverse(local, J->V[k * nb + f->body]), twists + 6 * k);
    if (Jac) store_columns(c, local, f->body, k, nv, Jac + k * 6 * nv);
  }
  if (twists) taylor_to_jet(twists, order + 1, 6);
  if (Jac) taylor_to_jet(Jac, order + 1, 6 * nv);
}

void JN_(matrix_jet)(const jn_call *call) {
  const JN_S(tree) *t = call->tree;
  int order = call->arg[0], n = t->nv;
  real *at = call->scratch, *Jac = call->out[4];
  closed to = {order, call->out[0], call->out[1], call->out[2], call->out[5], call->out[6]};
  jets J = jets_place(t, order + 2, call->in[2] != NULL, call->in[0], &at);
  columns c = columns_place(order + 2, n + 1, &at);
  int32_t *path = (int32_t *)(void *)take(&at, (size_t)t->nb);
  J.weightless = 1; /* the true twists: gravity has its own column */
  jet_to_taylor(call->in[1], order + 2, n, J.v);
  if (J.W) external_wrenches(&J, call->in[2], order + 1);
  for (int k = 0; k < order + 2; k++) twists_order(&J, k);
  clear(to.M, (order + 1) * n * n);
  clear(to.C, (order + 1) * n * n);
  clear(to.P, (order + 2) * n * n);
  clear(to.g, (order + 1) * n);
  clear(to.tau, (order + 1) * n);
  for (int i = 0; i < t->nb && (to.M || to.C || to.P || to.g || to.tau); i++) {
    columns_of(&J, i, &c, path);
    if (to.M || to.C || to.P) add_matrices(&J, i, &c, &to);
    if (to.g || to.tau) add_forces(&J, i, &c, &to);
  }
  add_armature(t, &to);
  scale(&to, n);
  if (!call->out[3] && !Jac) return;
  const JN_S(frame) *f = &t->frame[call->arg[1]];
  if (f->body >= 0 && Jac) columns_of(&J, f->body, &c, path);
  frame_jets(&J, &c, f, order, call->out[3], Jac);
}
