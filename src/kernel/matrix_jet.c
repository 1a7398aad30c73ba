/* SPDX-License-Identifier: BSD-2-Clause */
/* Closed form of any order: jets of M, C, gravity forces, and of a frame's twist and Jacobian, from polynomials of the
 * body Jacobians J_k(t) (kumar2021 sec. 4, garofalo2013 sec. V, for trees with any joints): M = sum J^T I J,   C = sum
 * J^T ((I ad_V - ad_V^T I) J + I dJ/dt),   g = sum J^T I Ad_{T^-1} (0, -gravity). Columns are carried along each body's
 * path from the world, so memory is that of one body. O(n d^2 K^2). arg[0] = K, arg[1] = frame or -1. in: q, v jets
 * [(K+2) x nv]. out: M, C [(K+1) x nv x nv], g [(K+1) x nv], twist of the frame [(K+1) x 6], its Jacobian [(K+1) x 6 x
 * nv], both in the frame's own axes. */
#include "jets.h"
#include "row.h"

typedef struct columns {
  int orders, n;   /* n = nv + 1: the last column is the base's acceleration (0, -gravity) */
  twist *u;        /* [orders][n] Taylor coefficients */
  int32_t *active; /* columns that are not zero */
  int count;
} columns;

/* u <- Ad_{J(t)^-1} u for an elementary motion; highest order first, so that lower ones are still there. */
static inline void part_transport(const jets *J, const motion *m, const columns *c, int column) {
  twist *u = c->u + column;
  int n = c->n, stride = 6 * n;
  for (int k = 0; k < c->orders; k++) u[k * n].v = v3_add(u[k * n].v, cross(u[k * n].w, m->y));
  for (int k = c->orders - 1; k >= 0 && m->slides; k--)
    u[k * n].v = v3_sub(u[k * n].v, slide_order(J, m, &u->w.x, stride, k));
  for (int k = c->orders - 1; k >= 0 && m->turns; k--)
    u[k * n] = (twist){turn_order(J, m, 1, &u->w.x, stride, k), turn_order(J, m, 1, &u->v.x, stride, k)};
  for (int k = 0; k < c->orders; k++) u[k * n].v = v3_sub(u[k * n].v, cross(u[k * n].w, m->y));
}

static inline void group_transport(const jets *J, int i, const columns *c, int column) {
  twist *u = c->u + column;
  int n = c->n, stride = 6 * n, slides = J->t->body[i].kind == JN_BODY_FREE;
  for (int k = c->orders - 1; k >= 0 && slides; k--)
    u[k * n].v = v3_sub(u[k * n].v, group_slide(J, i, &u->w.x, stride, k));
  for (int k = c->orders - 1; k >= 0; k--)
    u[k * n] = (twist){group_turn(J, i, 1, &u->w.x, stride, k), group_turn(J, i, 1, &u->v.x, stride, k)};
}

/* A constant screw is added to a column (coupled joints share columns). */
static inline void add_screw(columns *c, int column, twist S) {
  int known = 0;
  for (int k = 0; k < c->count; k++) known |= c->active[k] == column;
  if (!known) c->active[c->count++] = column;
  c->u[column] = t_add(c->u[column], S);
}

/* All columns one body further out. */
static inline void columns_outward(const jets *J, int i, columns *c) {
  const JN_S(body) *b = &J->t->body[i];
  pose placed = se3_constant(b->R, b->p);
  for (int a = 0; a < c->count; a++)
    for (int k = 0; k < c->orders; k++) {
      twist *u = &c->u[k * c->n + c->active[a]];
      *u = t_Ad_inverse(placed, *u);
    }
  if (is_group(b)) {
    twist S[6];
    for (int a = 0; a < c->count; a++) group_transport(J, i, c, c->active[a]);
    joint_screws(J->t, b, J->q, NULL, S, NULL);
    for (int k = 0; k < b->nv; k++) add_screw(c, b->iv + k, S[k]);
    return;
  }
  for (int part = 0; part < b->nv; part++) {
    motion m = joint_part(J->t, i, part);
    for (int a = 0; a < c->count; a++) part_transport(J, &m, c, c->active[a]);
    vec3 along = v3_scale(m.h, m.e);
    twist S = {m.turns ? m.e : v3_zero(), m.turns ? v3_sub(along, cross(m.e, m.y)) : along};
    add_screw(c, m.iv, t_scale(m.scale, S));
  }
}

/* Columns of body i, from the world outwards. path [nb] is scratch. */
static inline void columns_of(const jets *J, int i, columns *c, int32_t *path) {
  int depth = 0;
  for (int j = i; j >= 0; j = J->t->body[j].parent) path[depth++] = j;
  for (int k = 0; k < c->orders * c->n; k++) c->u[k] = t_zero();
  c->count = 1;
  c->active[0] = c->n - 1;
  c->u[c->n - 1] = base_acceleration(J->t);
  while (depth > 0) columns_outward(J, path[--depth], c);
}

/* (I ad_V - ad_V^T I) u */
static inline wrench gyration(inertia I, twist V, twist u) { return w_sub(i_mul(I, t_ad(V, u)), w_ad(V, i_mul(I, u))); }

/* Order r of what J^T is multiplied with for column a: I u for M and g, and for C the braces above. */
static inline wrench coriolis_column(const jets *J, int i, inertia I, const columns *c, int a, int r) {
  int nb = J->t->nb;
  wrench x = i_mul(I, t_scale(K(r + 1), c->u[(r + 1) * c->n + a]));
  for (int s = 0; s <= r; s++) x = w_add(x, gyration(I, J->V[s * nb + i], c->u[(r - s) * c->n + a]));
  return x;
}

/* Adds body i to orders 0 ... K of M, C and g. */
static inline void add_body(const jets *J, int i, const columns *c, int order, real *M, real *C, real *g) {
  inertia I = i_constant(J->t->body[i].inertia);
  int nv = J->t->nv, n = c->n;
  for (int b = 0; b < c->count; b++)
    for (int r = 0; r <= order; r++) {
      int right = c->active[b];
      wrench Iu = i_mul(I, c->u[r * n + right]), x = w_zero();
      if (C && right < nv) x = coriolis_column(J, i, I, c, right, r);
      for (int a = 1; a < c->count; a++)
        for (int k = r; k <= order; k++) {
          int left = c->active[a];
          twist u = c->u[(k - r) * n + left];
          if (right == nv) {
            if (g) g[k * nv + left] += power(Iu, u);
            continue;
          }
          if (M) M[(k * nv + left) * nv + right] += power(Iu, u);
          if (C) C[(k * nv + left) * nv + right] += power(x, u);
        }
    }
}

static inline void frame_jets(const jets *J, const columns *c, const JN_S(frame) * f, int order, real *twists,
                              real *Jac) {
  int nv = J->t->nv, nb = J->t->nb;
  pose local = se3_constant(f->R, f->p);
  scalar factorial = 1;
  for (int k = 0; k <= order; k++) {
    if (k > 1) factorial *= (scalar)k;
    if (twists) {
      twist V = f->body < 0 ? t_zero() : t_Ad_inverse(local, J->V[k * nb + f->body]);
      t_store(t_scale(splat(factorial), V), twists + 6 * k);
    }
    for (int a = 0; a < nv && Jac; a++) {
      real column[6];
      twist u = f->body < 0 ? t_zero() : t_Ad_inverse(local, c->u[k * c->n + a]);
      t_store(t_scale(splat(factorial), u), column);
      for (int r = 0; r < 6; r++) Jac[(k * 6 + r) * nv + a] = column[r];
    }
  }
}

void JN_(matrix_jet)(const jn_call *call) {
  const JN_S(tree) *t = call->tree;
  int order = call->arg[0], n = t->nv;
  real *at = call->scratch, *M = call->out[0], *C = call->out[1], *g = call->out[2], *Jac = call->out[4];
  jets J = jets_place(t, order + 2, 0, &at);
  columns c = {.orders = order + 2, .n = n + 1};
  c.u = TAKE(&at, c.orders * c.n, twist);
  c.active = (int32_t *)(void *)take(&at, (size_t)c.n);
  int32_t *path = (int32_t *)(void *)take(&at, (size_t)t->nb);
  J.q = call->in[0];
  J.weightless = 1; /* the true twists: gravity has its own column */
  jet_to_taylor(call->in[1], order + 2, n, J.v);
  for (int k = 0; k < order + 2; k++) twists_order(&J, k);
  for (int k = 0; k < (order + 1) * n * n; k++) {
    if (M) M[k] = ZERO;
    if (C) C[k] = ZERO;
  }
  for (int k = 0; k < (order + 1) * n && g; k++) g[k] = ZERO;
  for (int i = 0; i < t->nb && (M || C || g); i++) {
    columns_of(&J, i, &c, path);
    add_body(&J, i, &c, order, M, C, g);
  }
  for (int i = 0; i < t->nb && M; i++)
    for (int k = 0; k < t->body[i].nv; k++)
      M[(t->body[i].iv + k) * n + t->body[i].iv + k] += armature_of(t, &t->body[i], k);
  if (M) taylor_to_jet(M, order + 1, n * n);
  if (C) taylor_to_jet(C, order + 1, n * n);
  if (g) taylor_to_jet(g, order + 1, n);
  if (!call->out[3] && !Jac) return;
  const JN_S(frame) *f = &t->frame[call->arg[1]];
  if (f->body >= 0 && Jac) columns_of(&J, f->body, &c, path);
  frame_jets(&J, &c, f, order, call->out[3], Jac);
}
