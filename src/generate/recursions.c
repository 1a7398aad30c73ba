/* SPDX-License-Identifier: BSD-2-Clause */
/* Inverse dynamics (recursive Newton-Euler) and the mass matrix (composite bodies), in the frames of the parts.
 *
 *   symbol   meaning
 *   w, wd    angular velocity and acceleration of a part
 *   acc      acceleration of its origin minus gravity; classical, not spatial, so no linear velocity is needed
 *   U        [wd] + [w]^2: a point at x accelerates by acc + U x      (khalil1987)
 *   F, N     force and moment about the origin that the parent exerts on the part and its subtree
 *   m, h, S  mass, first and second moments (jn_expr_moments) */
#include "recursions.h"

/* ---- inverse dynamics ---- */

static jn_expr at(const jn_expr *x, int i) { return x ? x[i] : JN_ZERO; }

static jn_expr3 at3(const jn_expr *x, int i) { return (jn_expr3){at(x, i), at(x, i + 1), at(x, i + 2)}; }

/* U = [wd] + [w][w] */
static jn_expr9 spin(jn_graph *g, jn_expr3 w, jn_expr3 wd) {
  jn_expr xx = jn__multiply(g, w.x, w.x), yy = jn__multiply(g, w.y, w.y), zz = jn__multiply(g, w.z, w.z);
  jn_expr xy = jn__multiply(g, w.x, w.y), xz = jn__multiply(g, w.x, w.z), yz = jn__multiply(g, w.y, w.z);
  return (jn_expr9){
      {jn__negate(jn__add(g, yy, zz)), jn__subtract(g, xy, wd.z), jn__add(g, xz, wd.y)},
      {jn__add(g, xy, wd.z), jn__negate(jn__add(g, xx, zz)), jn__subtract(g, yz, wd.x)},
      {jn__subtract(g, xz, wd.y), jn__add(g, yz, wd.x), jn__negate(jn__add(g, xx, yy))},
  };
}

/* Relative motion of a joint in the axes of its part: rates of rotation and of translation, and their derivatives. */
typedef struct joint_rates {
  jn_expr3 w, wd, v, vd;
} joint_rates;

/* Rotation about and translation along z of a joint with one coordinate, for v = 1. */
static double turn_rate(const jn_part *part) { return part->kind == JN_BODY_PRISMATIC ? 0 : part->ratio; }
static double slide_rate(const jn_part *part) {
  if (part->kind == JN_BODY_REVOLUTE) return 0;
  return part->kind == JN_BODY_PRISMATIC ? part->ratio : part->ratio * part->pitch;
}

static joint_rates rates_of(const jn_symbols *s, int i, const jn_expr *v, const jn_expr *a) {
  const jn_part *part = &s->m->part[i];
  joint_rates r = {0};
  if (part->nv > 1) {
    r.w = at3(v, part->iv);
    r.wd = at3(a, part->iv);
    if (part->kind == JN_BODY_FREE) {
      r.v = at3(v, part->iv + 3);
      r.vd = jn__add3(s->g, at3(a, part->iv + 3), jn__cross(s->g, r.w, r.v));
    }
    return r;
  }
  double turn = turn_rate(part), slide = slide_rate(part);
  r.w.z = jn__scale(s->g, turn, at(v, part->iv));
  r.wd.z = jn__scale(s->g, turn, at(a, part->iv));
  r.v.z = jn__scale(s->g, slide, at(v, part->iv));
  r.vd.z = jn__scale(s->g, slide, at(a, part->iv));
  return r;
}

/* Outwards: velocity and acceleration of a part from those of its parent. [kim2012 Table 2, with classical
 * accelerations] */
static void move_part(const jn_symbols *s, int i, const jn_expr *v, const jn_expr *a, int gravity, const jn_expr9 *U,
                      jn_part_motion *motion) {
  jn_graph *g = s->g;
  int parent = s->m->part[i].parent;
  jn_part_motion *to = &motion[i];
  joint_rates r = rates_of(s, i, v, a);
  jn_expr3 w = jn__zero3(), wd = jn__zero3(), acc = jn__zero3();

  /* What the parent gives: acc + U p, seen from the part. */
  if (parent >= 0) {
    w = jn__to_child(s, i, motion[parent].w);
    wd = jn__to_child(s, i, motion[parent].wd);
    acc = jn__add3(g, motion[parent].acc, jn__rotate(g, U[parent], s->joint[i].origin));
  } else if (gravity) {
    acc = (jn_expr3){jn__negate(s->gravity[0]), jn__negate(s->gravity[1]), jn__negate(s->gravity[2])};
  }
  acc = jn__to_child(s, i, acc);

  /* The joint adds its own: w x v twice (Coriolis), once for the rotating axes of a free joint (in vd). */
  to->w = jn__add3(g, w, r.w);
  to->wd = jn__add3(g, jn__add3(g, wd, jn__cross(g, w, r.w)), r.wd);
  jn_expr3 coriolis = jn__scale3(g, jn__constant(g, 2), jn__cross(g, w, r.v));
  to->acc = jn__add3(g, jn__add3(g, acc, coriolis), r.vd);
}

void jn__write_motion(const jn_symbols *s, const jn_expr *v, const jn_expr *a, int gravity, jn_expr9 *U,
                      jn_part_motion *motion) {
  for (int i = 0; i < s->m->count; i++) {
    move_part(s, i, v, a, gravity, U, motion);
    U[i] = spin(s->g, motion[i].w, motion[i].wd);
  }
}

/* The sum of a and b times c. */
static jn_expr add_product(jn_graph *g, jn_expr a, jn_expr b, jn_expr c) {
  return jn__add(g, a, jn__multiply(g, b, c));
}

static jn_expr subtract_product(jn_graph *g, jn_expr a, jn_expr b, jn_expr c) {
  return jn__subtract(g, a, jn__multiply(g, b, c));
}

/* What moves the part itself: F = m acc + U h, N = h x acc + integral of x cross U x. The last term is, for x,
 *   S_yy U_zy - S_zz U_yz + S_xy U_zx - S_xz U_yx + S_yz (U_zz - U_yy), and so on in turn. */
void jn__load_part(jn_graph *g, const jn_expr_moments *m, jn_expr3 w, jn_expr9 U, jn_expr3 acc, jn_part_motion *to) {
  jn_expr xx = jn__multiply(g, w.x, w.x), yy = jn__multiply(g, w.y, w.y), zz = jn__multiply(g, w.z, w.z);
  jn_expr3 n = jn__cross(g, m->first, acc);

  n.x = add_product(g, n.x, m->yy, U.z.y);
  n.x = subtract_product(g, n.x, m->zz, U.y.z);
  n.x = add_product(g, n.x, m->xy, U.z.x);
  n.x = subtract_product(g, n.x, m->xz, U.y.x);
  n.x = add_product(g, n.x, m->yz, jn__subtract(g, zz, yy));

  n.y = add_product(g, n.y, m->zz, U.x.z);
  n.y = subtract_product(g, n.y, m->xx, U.z.x);
  n.y = add_product(g, n.y, m->yz, U.x.y);
  n.y = subtract_product(g, n.y, m->xy, U.z.y);
  n.y = add_product(g, n.y, m->xz, jn__subtract(g, xx, zz));

  n.z = add_product(g, n.z, m->xx, U.y.x);
  n.z = subtract_product(g, n.z, m->yy, U.x.y);
  n.z = add_product(g, n.z, m->xz, U.y.z);
  n.z = subtract_product(g, n.z, m->yz, U.x.z);
  n.z = add_product(g, n.z, m->xy, jn__subtract(g, yy, xx));

  to->moment = n;
  to->force = jn__add3(g, jn__scale3(g, m->mass, acc), jn__rotate(g, U, m->first));
}

/* Forces at the coordinates of a part: S^T (N, F). */
void jn__project(const jn_symbols *s, int i, jn_expr3 moment, jn_expr3 force, jn_expr *out) {
  const jn_part *part = &s->m->part[i];
  if (part->nv > 1) {
    jn_expr all[6] = {moment.x, moment.y, moment.z, force.x, force.y, force.z};
    for (int k = 0; k < part->nv; k++) out[k] = all[k];
    return;
  }
  jn_expr turn = part->kind == JN_BODY_PRISMATIC ? JN_ZERO : moment.z;
  jn_expr slide = part->kind == JN_BODY_PRISMATIC ? force.z
                  : part->kind == JN_BODY_HELICAL ? jn__scale(s->g, part->pitch, force.z)
                                                  : JN_ZERO;
  out[0] = jn__scale(s->g, part->ratio, jn__add(s->g, turn, slide));
}

/* The force of the springs at coordinate k: stiffness (q - rest). */
jn_expr jn__spring_force(const jn_symbols *s, int k) {
  const jn_tree_d *t = s->m->tree;
  if (t->stiffness[k] == 0) return JN_ZERO;

  int i = 0;
  while (s->m->part[i].iv != k) i++;
  jn_expr q = jn__input(s->g, JN_ARRAY_Q, s->m->part[i].iq);
  return jn__scale(s->g, t->stiffness[k], jn__subtract(s->g, q, jn__constant(s->g, t->rest[k])));
}

int jn__write_inverse_dynamics(const jn_symbols *s, const jn_expr *v, const jn_expr *a, int springs, int gravity,
                               jn_expr *tau) {
  jn_graph *g = s->g;
  const jn_tree_d *t = s->m->tree;
  size_t count = (size_t)s->m->count + 1;
  jn_part_motion *motion = jn__allocate(&g->allocator, count * sizeof *motion);
  jn_expr9 *U = jn__allocate(&g->allocator, count * sizeof *U);
  int good = motion && U;

  /* Outwards. */
  if (good) jn__write_motion(s, v, a, gravity, U, motion);
  for (int i = 0; good && i < s->m->count; i++)
    jn__load_part(g, &s->moments[i], motion[i].w, U[i], motion[i].acc, &motion[i]);

  /* Inwards. */
  for (int k = 0; k < t->nv; k++) tau[k] = springs ? jn__spring_force(s, k) : JN_ZERO;
  for (int i = s->m->count - 1; good && i >= 0; i--) {
    const jn_part *part = &s->m->part[i];
    jn_expr own[6];
    jn__project(s, i, motion[i].moment, motion[i].force, own);
    for (int k = 0; k < part->nv; k++) {
      jn_expr rotor = jn__scale(g, part->armature[k], at(a, part->iv + k));
      tau[part->iv + k] = jn__add(g, tau[part->iv + k], jn__add(g, own[k], rotor));
    }
    if (part->parent < 0) continue;

    jn_expr3 force = jn__to_parent(s, i, motion[i].force), moment = jn__to_parent(s, i, motion[i].moment);
    jn_part_motion *to = &motion[part->parent];
    to->moment = jn__add3(g, to->moment, jn__add3(g, moment, jn__cross(g, s->joint[i].origin, force)));
    to->force = jn__add3(g, to->force, force);
  }

  jn__release(&g->allocator, motion);
  jn__release(&g->allocator, U);
  return good;
}

/* ---- mass matrix ---- */

/* The momentum (N, F) of moments that move with (w, v): N = trace(S) w - S w + h x v, F = m v + w x h. */
void jn__momentum_of(jn_graph *g, const jn_expr_moments *m, jn_expr3 w, jn_expr3 v, jn_expr3 *moment, jn_expr3 *force) {
  jn_expr9 J = {{jn__add(g, m->yy, m->zz), jn__negate(m->xy), jn__negate(m->xz)},
                {jn__negate(m->xy), jn__add(g, m->xx, m->zz), jn__negate(m->yz)},
                {jn__negate(m->xz), jn__negate(m->yz), jn__add(g, m->xx, m->yy)}};
  *moment = jn__add3(g, jn__rotate(g, J, w), jn__cross(g, m->first, v));
  *force = jn__add3(g, jn__scale3(g, m->mass, v), jn__cross(g, w, m->first));
}

/* Column k of a part's screws. */
void jn__screw_of(const jn_symbols *s, int i, int k, jn_expr3 *w, jn_expr3 *v) {
  jn_expr unit[6] = {0};
  unit[k] = JN_ONE;
  *w = (jn_expr3){unit[0], unit[1], unit[2]};
  *v = (jn_expr3){unit[3], unit[4], unit[5]};
  if (s->m->part[i].nv > 1) return;

  *w = (jn_expr3){JN_ZERO, JN_ZERO, jn__constant(s->g, turn_rate(&s->m->part[i]))};
  *v = (jn_expr3){JN_ZERO, JN_ZERO, jn__constant(s->g, slide_rate(&s->m->part[i]))};
}

/* One column of M: the momentum of the subtree of part i that moves with its screw, felt by i and all its ancestors. */
static void write_column(const jn_symbols *s, int i, int k, const jn_expr_moments *subtree, jn_expr *M) {
  jn_graph *g = s->g;
  int n = s->m->tree->nv, column = s->m->part[i].iv + k;
  jn_expr3 w, v, moment, force;
  jn__screw_of(s, i, k, &w, &v);
  jn__momentum_of(g, subtree, w, v, &moment, &force);

  for (int j = i; j >= 0; j = s->m->part[j].parent) {
    const jn_part *part = &s->m->part[j];
    jn_expr own[6];
    jn__project(s, j, moment, force, own);
    for (int l = 0; l < part->nv; l++) {
      int row = part->iv + l;
      if (j == i && l > k) continue; /* written by column l */
      /* Two joints that follow one coordinate count as (i, j) and as (j, i). */
      double times = row == column && (j != i || l != k) ? 2 : 1;
      jn_expr *to = &M[row * n + column];
      *to = jn__add(g, *to, jn__scale(g, times, own[l]));
      M[column * n + row] = *to;
    }
    if (part->parent < 0) break;
    force = jn__to_parent(s, j, force);
    moment = jn__add3(g, jn__to_parent(s, j, moment), jn__cross(g, s->joint[j].origin, force));
  }
}

int jn__write_mass_matrix(const jn_symbols *s, jn_expr *M) {
  jn_graph *g = s->g;
  int n = s->m->tree->nv;
  jn_expr_moments *subtree = jn__allocate(&g->allocator, ((size_t)s->m->count + 1) * sizeof *subtree);
  if (!subtree) return 0;

  for (int k = 0; k < n * n; k++) M[k] = JN_ZERO;
  for (int i = 0; i < s->m->count; i++) subtree[i] = s->moments[i];

  for (int i = s->m->count - 1; i >= 0; i--) {
    const jn_part *part = &s->m->part[i];
    for (int k = 0; k < part->nv; k++) {
      jn_expr *diagonal = &M[(part->iv + k) * (n + 1)];
      *diagonal = jn__add(g, *diagonal, jn__constant(g, part->armature[k]));
      write_column(s, i, k, &subtree[i], M);
    }
    if (part->parent < 0) continue;
    jn_expr_moments moved = jn__moments_to_parent(s, i, &subtree[i]);
    jn__add_moments(g, &subtree[part->parent], &moved);
  }
  jn__release(&g->allocator, subtree);
  return 1;
}

/* ---- M x = b ---- */

/* Coordinate number k in the order of elimination; -1 if it is prescribed. */
static int in_order(const jn_symbols *s, const unsigned char *prescribed, int k) {
  int i = s->m->tree->order[k];
  return prescribed && prescribed[i] ? -1 : i;
}

/* M = L^T D L, from the last coordinate to the first [featherstone2005]; zeros of M cost nothing. */
void jn__write_factors(const jn_symbols *s, const unsigned char *prescribed, jn_expr *M, jn_expr *inverse) {
  jn_graph *g = s->g;
  int n = s->m->tree->nv;
  for (int x = n - 1; x >= 0; x--) {
    int k = in_order(s, prescribed, x);
    if (k < 0) continue;
    inverse[k] = jn__divide(g, JN_ONE, M[k * (n + 1)]);

    for (int y = x - 1; y >= 0; y--) {
      int i = in_order(s, prescribed, y);
      if (i < 0 || M[k * n + i] == JN_ZERO) continue;
      jn_expr factor = jn__multiply(g, M[k * n + i], inverse[k]);

      /* Entries (k, j) with j before i are still those of M. */
      for (int z = y; z >= 0; z--) {
        int j = in_order(s, prescribed, z);
        if (j < 0) continue;
        jn_expr *to = &M[i * n + j];
        *to = subtract_product(g, *to, factor, M[k * n + j]);
        M[j * n + i] = *to;
      }
      M[k * n + i] = factor;
    }
  }
}

/* L^T y = b */
void jn__write_inward_solution(const jn_symbols *s, const unsigned char *prescribed, const jn_expr *L, jn_expr *b) {
  jn_graph *g = s->g;
  int n = s->m->tree->nv;
  for (int x = n - 1; x >= 0; x--) {
    int k = in_order(s, prescribed, x);
    for (int y = x - 1; k >= 0 && y >= 0; y--) {
      int i = in_order(s, prescribed, y);
      if (i >= 0) b[i] = subtract_product(g, b[i], L[k * n + i], b[k]);
    }
  }
}

/* L x = D^-1 y */
void jn__write_outward_solution(const jn_symbols *s, const unsigned char *prescribed, const jn_expr *L,
                                const jn_expr *inverse, jn_expr *b) {
  jn_graph *g = s->g;
  int n = s->m->tree->nv;
  for (int x = 0; x < n; x++) {
    int k = in_order(s, prescribed, x);
    if (k < 0) continue;
    b[k] = jn__multiply(g, b[k], inverse[k]);
    for (int y = 0; y < x; y++) {
      int i = in_order(s, prescribed, y);
      if (i >= 0) b[k] = subtract_product(g, b[k], L[k * n + i], b[i]);
    }
  }
}

void jn__write_solution(const jn_symbols *s, const unsigned char *prescribed, const jn_expr *L, const jn_expr *inverse,
                        jn_expr *b) {
  jn__write_inward_solution(s, prescribed, L, b);
  jn__write_outward_solution(s, prescribed, L, inverse, b);
}

int jn__write_solve(const jn_symbols *s, const unsigned char *prescribed, jn_expr *M, jn_expr *b) {
  jn_expr *inverse = jn__allocate(&s->g->allocator, (size_t)(s->m->tree->nv + 1) * sizeof *inverse);
  if (!inverse) return 0;

  jn__write_factors(s, prescribed, M, inverse);
  jn__write_solution(s, prescribed, M, inverse, b);
  jn__release(&s->g->allocator, inverse);
  return 1;
}
