/* SPDX-License-Identifier: BSD-2-Clause */
/* Columns of Jacobians as polynomials of time, for any order. [garofalo2013 eq. 28; kumar2021 eq. 16]
 *
 * The column u_j of coordinate j is its screw, seen from the body that the sweep has reached. Outwards through a joint,
 * columns transform like twists, and the screws S of the joint itself are new columns:
 *
 *   u_j <- Ad_{X(t)^-1} u_j,   u_own = S          X = B J(t), constant placement times joint motion
 *
 *   symbol   meaning                                               frame, unit                  size
 *   u        Taylor coefficients of the columns                    body; rad/unit, m/unit       [orders][n]
 *   active   indices of the columns that are not zero              -                            [count] */
#ifndef JN_KERNEL_JETS_JACOBIAN_COLUMNS_H
#define JN_KERNEL_JETS_JACOBIAN_COLUMNS_H

#include "jets.h"

typedef struct columns {
  int orders, n;   /* n = nv + 1: the last column is the acceleration of the base, (0, -gravity) */
  int per_joint;   /* coupled joints have columns of their own: n = nd + 1 */
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

/* u <- Ad_{J(t)^-1} u for an elementary motion. The highest order comes first, so that lower ones are still there. */
static inline void transport_column(const jets *J, const elementary_motion *motion, const columns *c, int column) {
  twist *u = c->u + column;
  int n = c->n, stride = 6 * n;

  /* About a point of the axis. */
  for (int k = 0; k < c->orders; k++) u[k * n].v = v3_add(u[k * n].v, cross(u[k * n].w, motion->point));

  /* Back along the translation: v -= h x (e x w). */
  for (int k = c->orders - 1; k >= 0 && motion->translates; k--)
    u[k * n].v = v3_sub(u[k * n].v, translate_order(J, motion, &u->w.x, stride, k));

  /* Rotated back. */
  for (int k = c->orders - 1; k >= 0 && motion->rotates; k--)
    u[k * n] = (twist){rotate_order(J, motion, 1, &u->w.x, stride, k), rotate_order(J, motion, 1, &u->v.x, stride, k)};

  /* About the body's origin again. */
  for (int k = 0; k < c->orders; k++) u[k * n].v = v3_sub(u[k * n].v, cross(u[k * n].w, motion->point));
}

/* The same for a spherical or free joint: v - p x w, both rotated back. */
static inline void group_transport_column(const jets *J, int i, const columns *c, int column) {
  twist *u = c->u + column;
  int n = c->n, stride = 6 * n, slides = J->tree->body[i].kind == JN_BODY_FREE;
  for (int k = c->orders - 1; k >= 0 && slides; k--)
    u[k * n].v = v3_sub(u[k * n].v, group_translate_order(J, i, &u->w.x, stride, k));
  for (int k = c->orders - 1; k >= 0; k--)
    u[k * n] =
        (twist){group_rotate_order(J, i, 1, &u->w.x, stride, k), group_rotate_order(J, i, 1, &u->v.x, stride, k)};
}

/* Adds a constant screw to a column. Coupled joints may share one. */
static inline void add_screw(columns *c, int column, twist S) {
  int known = 0;
  for (int k = 0; k < c->count; k++) known |= c->active[k] == column;
  if (!known) c->active[c->count++] = column;
  c->u[column] = t_add(c->u[column], S);
}

/* Carries all columns through the joint of body i; own: and adds the screws of that joint. */
static inline void transport_columns_outward(const jets *J, int i, columns *c, int own) {
  const JN_S(body) *body = &J->tree->body[i];
  pose placed = se3_constant(body->R, body->p);

  /* Through the constant placement. */
  for (int active = 0; active < c->count; active++)
    for (int k = 0; k < c->orders; k++) {
      twist *u = &c->u[k * c->n + c->active[active]];
      *u = t_Ad_inverse(placed, *u);
    }

  /* A spherical or free joint. */
  if (is_group(body)) {
    twist S[6];
    for (int active = 0; active < c->count; active++) group_transport_column(J, i, c, c->active[active]);
    joint_screws(J->tree, body, J->q, NULL, S, NULL);
    for (int k = 0; k < body->nv && own; k++) add_screw(c, (c->per_joint ? body->id : body->iv) + k, S[k]);
    return;
  }

  /* All others: one elementary motion after the other. Its screw is (e, h e - e x y), or (0, h e) if it only
   * translates. */
  for (int part = 0; part < body->nv; part++) {
    elementary_motion motion = elementary_motion_of(J->tree, i, part);
    for (int active = 0; active < c->count; active++) transport_column(J, &motion, c, c->active[active]);
    if (!own) continue;
    vec3 along = v3_scale(motion.pitch, motion.axis);
    twist S = {motion.rotates ? motion.axis : v3_zero(),
               motion.rotates ? v3_sub(along, cross(motion.axis, motion.point)) : along};
    add_screw(c, c->per_joint ? motion.id : motion.iv, t_scale(motion.scale, S));
  }
}

/* All columns as seen from body i, carried from the world outwards. path [nb] is scratch. */
static inline void columns_of_body(const jets *J, int i, columns *c, int32_t *path) {
  int depth = 0;
  for (int j = i; j >= 0; j = J->tree->body[j].parent) path[depth++] = j;

  /* At the world: the acceleration of the base alone. */
  for (int k = 0; k < c->orders * c->n; k++) c->u[k] = t_zero();
  c->count = 1;
  c->active[0] = c->n - 1;
  c->u[c->n - 1] = base_acceleration(J->tree);

  /* Outwards along the path. */
  while (depth > 0) transport_columns_outward(J, path[--depth], c, 1);
}

/* Taylor coefficient k of the first n columns in a frame at `local` in its body, as a 6 x n matrix; body < 0: zeros. */
static inline void store_columns(const columns *c, pose local, int body, int k, int n, real *out) {
  for (int active = 0; active < n; active++) {
    real column[6];
    t_store(body < 0 ? t_zero() : t_Ad_inverse(local, c->u[k * c->n + active]), column);
    for (int r = 0; r < 6; r++) out[r * n + active] = column[r];
  }
}

#endif
