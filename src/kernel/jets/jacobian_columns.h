/* SPDX-License-Identifier: BSD-2-Clause */
/* Columns of Jacobians as polynomials of time, carried outwards through the joints like twists (garofalo2013 eq. 28 to
 * any order): u <- Ad_{X(t)^-1} u, plus the screws of the joint. */
#ifndef JN_KERNEL_JETS_JACOBIAN_COLUMNS_H
#define JN_KERNEL_JETS_JACOBIAN_COLUMNS_H

#include "jets.h"

typedef struct columns {
  int orders, n;   /* n = nv + 1: the last column is the base's acceleration (0, -gravity) */
  int apart;       /* coupled joints do not share columns: n = nd + 1 */
  twist *u;        /* [orders][n] Taylor coefficients */
  int32_t *active; /* columns that are not zero */
  int count;
} columns;

static inline columns columns_place(int orders, int n, real **at) {
  columns c = {.orders = orders, .n = n};
  c.u = TAKE(at, orders * n, twist);
  c.active = TAKE_INTS(at, n);
  return c;
}

/* u <- Ad_{J(t)^-1} u for an elementary motion; highest order first, so that lower ones are still there. */
static inline void part_transport(const jets *J, const elementary_motion *m, const columns *c, int column) {
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

/* All columns one body further out; own: with the screws of that body's joint added. */
static inline void columns_outward(const jets *J, int i, columns *c, int own) {
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
    for (int k = 0; k < b->nv && own; k++) add_screw(c, (c->apart ? b->id : b->iv) + k, S[k]);
    return;
  }
  for (int part = 0; part < b->nv; part++) {
    elementary_motion m = joint_part(J->t, i, part);
    for (int a = 0; a < c->count; a++) part_transport(J, &m, c, c->active[a]);
    if (!own) continue;
    vec3 along = v3_scale(m.h, m.e);
    twist S = {m.turns ? m.e : v3_zero(), m.turns ? v3_sub(along, cross(m.e, m.y)) : along};
    add_screw(c, c->apart ? m.place : m.iv, t_scale(m.scale, S));
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
  while (depth > 0) columns_outward(J, path[--depth], c, 1);
}

/* Taylor coefficient k of the first n columns in a frame at `local` in its body, as a 6 x n matrix; body < 0: zeros. */
static inline void store_columns(const columns *c, pose local, int body, int k, int n, real *out) {
  for (int a = 0; a < n; a++) {
    real column[6];
    t_store(body < 0 ? t_zero() : t_Ad_inverse(local, c->u[k * c->n + a]), column);
    for (int r = 0; r < 6; r++) out[r * n + a] = column[r];
  }
}

#endif
