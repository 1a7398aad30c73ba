/* SPDX-License-Identifier: BSD-2-Clause */
/* The robot over expressions: see symbols.h. */
#include "symbols.h"

#include <math.h>

/* ---- vectors ---- */

jn_expr3 jn__add3(jn_graph *g, jn_expr3 a, jn_expr3 b) {
  return (jn_expr3){jn__add(g, a.x, b.x), jn__add(g, a.y, b.y), jn__add(g, a.z, b.z)};
}

jn_expr3 jn__subtract3(jn_graph *g, jn_expr3 a, jn_expr3 b) {
  return (jn_expr3){jn__subtract(g, a.x, b.x), jn__subtract(g, a.y, b.y), jn__subtract(g, a.z, b.z)};
}

jn_expr3 jn__scale3(jn_graph *g, jn_expr c, jn_expr3 a) {
  return (jn_expr3){jn__multiply(g, c, a.x), jn__multiply(g, c, a.y), jn__multiply(g, c, a.z)};
}

/* a d - b c */
static jn_expr determinant(jn_graph *g, jn_expr a, jn_expr b, jn_expr c, jn_expr d) {
  return jn__subtract(g, jn__multiply(g, a, d), jn__multiply(g, b, c));
}

jn_expr3 jn__cross(jn_graph *g, jn_expr3 a, jn_expr3 b) {
  return (jn_expr3){determinant(g, a.y, a.z, b.y, b.z), determinant(g, a.z, a.x, b.z, b.x),
                    determinant(g, a.x, a.y, b.x, b.y)};
}

jn_expr jn__dot3(jn_graph *g, jn_expr3 a, jn_expr3 b) {
  jn_expr sum = jn__add(g, jn__multiply(g, a.x, b.x), jn__multiply(g, a.y, b.y));
  return jn__add(g, sum, jn__multiply(g, a.z, b.z));
}

jn_expr3 jn__constant3(jn_graph *g, const double x[3]) {
  return (jn_expr3){jn__constant(g, x[0]), jn__constant(g, x[1]), jn__constant(g, x[2])};
}

jn_expr3 jn__rotate(jn_graph *g, jn_expr9 M, jn_expr3 x) {
  return (jn_expr3){jn__dot3(g, M.x, x), jn__dot3(g, M.y, x), jn__dot3(g, M.z, x)};
}

static jn_expr9 transposed(jn_expr9 M) {
  return (jn_expr9){{M.x.x, M.y.x, M.z.x}, {M.x.y, M.y.y, M.z.y}, {M.x.z, M.y.z, M.z.z}};
}

jn_expr3 jn__rotate_back(jn_graph *g, jn_expr9 M, jn_expr3 x) { return jn__rotate(g, transposed(M), x); }

/* ---- rotations in a plane ---- */

/* A rotation by a constant angle, as expressions. */
static void turn_symbols(jn_graph *g, jn_plane_turn t, jn_expr *c, jn_expr *s) {
  *c = jn__constant(g, t.c);
  *s = jn__constant(g, t.s);
}

/* (u, v) turned: (c u - s v, s u + c v) */
static void turn_pair(jn_graph *g, jn_expr c, jn_expr s, jn_expr *u, jn_expr *v) {
  jn_expr x = *u, y = *v;
  *u = determinant(g, c, s, y, x);
  *v = jn__add(g, jn__multiply(g, s, x), jn__multiply(g, c, y));
}

/* By the constant turns of a part's placement; forwards: to the axes of the parent. */
static jn_expr3 turn_by_placement(const jn_symbols *s, const jn_part *part, jn_expr3 x, int forwards) {
  for (int k = 0; k < 3; k++) {
    int at = forwards ? 2 - k : k;
    jn_expr c, sine;
    turn_symbols(s->g, part->turn[at], &c, &sine);
    if (!forwards) sine = jn__negate(sine);

    if (at == 1)
      turn_pair(s->g, c, sine, &x.y, &x.z);
    else
      turn_pair(s->g, c, sine, &x.x, &x.y);
  }
  return x;
}

jn_expr3 jn__to_parent(const jn_symbols *s, int i, jn_expr3 x) {
  const jn_joint_symbols *joint = &s->joint[i];
  if (s->m->part[i].nv > 1)
    x = jn__rotate(s->g, joint->rotation, x);
  else
    turn_pair(s->g, joint->cosine, joint->sine, &x.x, &x.y);
  return turn_by_placement(s, &s->m->part[i], x, 1);
}

jn_expr3 jn__to_child(const jn_symbols *s, int i, jn_expr3 x) {
  const jn_joint_symbols *joint = &s->joint[i];
  x = turn_by_placement(s, &s->m->part[i], x, 0);
  if (s->m->part[i].nv > 1)
    x = jn__rotate_back(s->g, joint->rotation, x);
  else
    turn_pair(s->g, joint->cosine, jn__negate(joint->sine), &x.x, &x.y);
  return x;
}

/* ---- moments ---- */

/* Second moments turned about z. With t = s (xx - yy) + 2 c xy:
 *   xx' = xx - s t,   yy' = yy + s t,   xy' = c t - xy,   (xz, yz) turns as a vector. */
static void turn_moments_z(jn_graph *g, jn_expr c, jn_expr s, jn_expr_moments *m) {
  if (s == JN_ZERO && c == JN_ONE) return;
  jn_expr difference = jn__subtract(g, m->xx, m->yy);
  jn_expr t = jn__add(g, jn__multiply(g, s, difference), jn__multiply(g, c, jn__scale(g, 2, m->xy)));
  jn_expr st = jn__multiply(g, s, t);

  m->xx = jn__subtract(g, m->xx, st);
  m->yy = jn__add(g, m->yy, st);
  m->xy = jn__subtract(g, jn__multiply(g, c, t), m->xy);
  turn_pair(g, c, s, &m->xz, &m->yz);
  turn_pair(g, c, s, &m->first.x, &m->first.y);
}

/* The same about x: axes y, z, x play the part of x, y, z. */
static void turn_moments_x(jn_graph *g, jn_expr c, jn_expr s, jn_expr_moments *m) {
  jn_expr_moments n = {m->mass, {m->first.y, m->first.z, m->first.x}, m->yy, m->zz, m->xx, m->yz, m->xy, m->xz};
  turn_moments_z(g, c, s, &n);
  *m = (jn_expr_moments){n.mass, {n.first.z, n.first.x, n.first.y}, n.zz, n.xx, n.yy, n.xz, n.yz, n.xy};
}

/* R Sigma R^T by a matrix. */
static void turn_moments(jn_graph *g, jn_expr9 R, jn_expr_moments *m) {
  jn_expr9 S = {{m->xx, m->xy, m->xz}, {m->xy, m->yy, m->yz}, {m->xz, m->yz, m->zz}};
  jn_expr3 a = jn__rotate(g, S, R.x), b = jn__rotate(g, S, R.y), c = jn__rotate(g, S, R.z);
  m->xx = jn__dot3(g, R.x, a);
  m->xy = jn__dot3(g, R.y, a);
  m->xz = jn__dot3(g, R.z, a);
  m->yy = jn__dot3(g, R.y, b);
  m->yz = jn__dot3(g, R.z, b);
  m->zz = jn__dot3(g, R.z, c);
  m->first = jn__rotate(g, R, m->first);
}

/* About an origin from which the old one is at p: h' = h + m p, Sigma' = Sigma + h p^T + p h'^T. */
static void shift_moments(jn_graph *g, jn_expr3 p, jn_expr_moments *m) {
  jn_expr3 h = m->first, after = jn__add3(g, h, jn__scale3(g, m->mass, p)), sum = jn__add3(g, h, after);
  m->xx = jn__add(g, m->xx, jn__multiply(g, p.x, sum.x));
  m->yy = jn__add(g, m->yy, jn__multiply(g, p.y, sum.y));
  m->zz = jn__add(g, m->zz, jn__multiply(g, p.z, sum.z));
  m->xy = jn__add(g, m->xy, jn__add(g, jn__multiply(g, h.x, p.y), jn__multiply(g, p.x, after.y)));
  m->xz = jn__add(g, m->xz, jn__add(g, jn__multiply(g, h.x, p.z), jn__multiply(g, p.x, after.z)));
  m->yz = jn__add(g, m->yz, jn__add(g, jn__multiply(g, h.y, p.z), jn__multiply(g, p.y, after.z)));
  m->first = after;
}

jn_expr_moments jn__moments_to_parent(const jn_symbols *s, int i, const jn_expr_moments *m) {
  const jn_part *part = &s->m->part[i];
  const jn_joint_symbols *joint = &s->joint[i];
  jn_expr_moments to = *m;

  /* The joint's own rotation, then those of its placement. */
  if (part->nv > 1)
    turn_moments(s->g, joint->rotation, &to);
  else
    turn_moments_z(s->g, joint->cosine, joint->sine, &to);
  for (int k = 2; k >= 0; k--) {
    jn_expr c, sine;
    turn_symbols(s->g, part->turn[k], &c, &sine);
    if (k == 1)
      turn_moments_x(s->g, c, sine, &to);
    else
      turn_moments_z(s->g, c, sine, &to);
  }

  shift_moments(s->g, joint->origin, &to);
  return to;
}

void jn__add_moments(jn_graph *g, jn_expr_moments *to, const jn_expr_moments *m) {
  to->mass = jn__add(g, to->mass, m->mass);
  to->first = jn__add3(g, to->first, m->first);
  to->xx = jn__add(g, to->xx, m->xx);
  to->yy = jn__add(g, to->yy, m->yy);
  to->zz = jn__add(g, to->zz, m->zz);
  to->xy = jn__add(g, to->xy, m->xy);
  to->xz = jn__add(g, to->xz, m->xz);
  to->yz = jn__add(g, to->yz, m->yz);
}

static jn_expr_moments constant_moments(jn_graph *g, const jn_moments *m) {
  const double *S = m->second;
  return (jn_expr_moments){jn__constant(g, m->mass), jn__constant3(g, m->first), jn__constant(g, S[0]),
                           jn__constant(g, S[1]),    jn__constant(g, S[2]),      jn__constant(g, S[3]),
                           jn__constant(g, S[4]),    jn__constant(g, S[5])};
}

/* ---- joints ---- */

/* cos and sin of ratio q + offset; quarters of a turn in the offset only exchange and negate them. */
static void set_angle(jn_symbols *s, const jn_part *part, jn_joint_symbols *joint) {
  double quarters = part->offset / (M_PI / 2), rest = part->offset;
  int turns = 0;
  if (fabs(quarters - round(quarters)) < 1e-14 && fabs(quarters) < 1e6) {
    turns = ((int)round(quarters) % 4 + 4) % 4;
    rest = 0;
  }

  jn_expr c, sine;
  if (s->given_sines && rest == 0 && part->ratio == 1) {
    c = jn__input(s->g, JN_ARRAY_COSINE, part->iq);
    sine = jn__input(s->g, JN_ARRAY_SINE, part->iq);
  } else if (s->given_sines && part->ratio == 1) {
    jn_expr c0 = jn__input(s->g, JN_ARRAY_COSINE, part->iq), s0 = jn__input(s->g, JN_ARRAY_SINE, part->iq);
    c = c0, sine = s0;
    turn_pair(s->g, jn__constant(s->g, cos(rest)), jn__constant(s->g, sin(rest)), &c, &sine);
  } else {
    jn_expr q = jn__input(s->g, JN_ARRAY_Q, part->iq);
    jn_expr angle = jn__add(s->g, jn__constant(s->g, rest), jn__scale(s->g, part->ratio, q));
    c = jn__apply(s->g, JN_NODE_COSINE, angle);
    sine = jn__apply(s->g, JN_NODE_SINE, angle);
  }

  for (int k = 0; k < turns; k++) {
    jn_expr old = c;
    c = jn__negate(sine);
    sine = old;
  }
  joint->cosine = c;
  joint->sine = sine;
}

/* The rotation matrix of a quaternion x, y, z, w of any length: E + 2 / |q|^2 (...). Its entries are opaque, because
 * their derivatives are simpler than those of the quaternion. */
static jn_expr9 rotation_of_quaternion(jn_graph *g, int iq) {
  jn_expr q[4], n = JN_ZERO, product[4][4], R[9];
  for (int i = 0; i < 4; i++) {
    q[i] = jn__input(g, JN_ARRAY_Q, iq + i);
    n = jn__add(g, n, jn__multiply(g, q[i], q[i]));
  }
  jn_expr factor = jn__divide(g, jn__constant(g, 2), n);
  for (int i = 0; i < 3; i++) {
    jn_expr scaled = jn__multiply(g, factor, q[i]);
    for (int j = i; j < 4; j++) product[i][j] = product[j][i] = jn__multiply(g, scaled, q[j]);
  }

  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    R[4 * i] = jn__subtract(g, JN_ONE, jn__add(g, product[j][j], product[k][k]));
    R[3 * i + j] = jn__subtract(g, product[i][j], product[k][3]);
    R[3 * j + i] = jn__add(g, product[i][j], product[k][3]);
  }
  for (int i = 0; i < 9; i++) R[i] = jn__apply(g, JN_NODE_ALIAS, R[i]);
  return (jn_expr9){{R[0], R[1], R[2]}, {R[3], R[4], R[5]}, {R[6], R[7], R[8]}};
}

static void set_joint(jn_symbols *s, int i) {
  const jn_part *part = &s->m->part[i];
  jn_joint_symbols *joint = &s->joint[i];
  jn_graph *g = s->g;
  *joint = (jn_joint_symbols){.cosine = JN_ONE};

  if (part->kind == JN_BODY_REVOLUTE || part->kind == JN_BODY_HELICAL) set_angle(s, part, joint);
  if (part->kind == JN_BODY_PRISMATIC || part->kind == JN_BODY_HELICAL) {
    double factor = part->kind == JN_BODY_HELICAL ? part->pitch : 1;
    jn_expr x = jn__scale(g, part->ratio * factor, jn__input(g, JN_ARRAY_Q, part->iq));
    joint->advance = jn__add(g, jn__constant(g, part->slide * factor), x);
  }
  if (part->nv > 1) joint->rotation = rotation_of_quaternion(g, part->iq + (part->kind == JN_BODY_FREE ? 3 : 0));
  if (part->kind == JN_BODY_FREE)
    joint->position = (jn_expr3){jn__input(g, JN_ARRAY_Q, part->iq), jn__input(g, JN_ARRAY_Q, part->iq + 1),
                                 jn__input(g, JN_ARRAY_Q, part->iq + 2)};

  /* The origin in the parent: p + B (position + advance z). */
  jn_expr3 moved = joint->position;
  moved.z = jn__add(g, moved.z, joint->advance);
  joint->origin = jn__add3(g, jn__constant3(g, part->p), turn_by_placement(s, part, moved, 1));
}

/* ---- inertial parameters that are arguments ---- */

/* Ten numbers of an input array, in a frame of the tree, as moments in the frame of the part that carries it. */
static jn_expr_moments input_moments(jn_symbols *s, int array, int first, const jn_part *part,
                                     const jn_frame_d *frame) {
  jn_graph *g = s->g;
  jn_expr x[10], half[3];
  for (int k = 0; k < 10; k++) x[k] = jn__input(g, array, first + k);

  /* Sigma = trace(J) / 2 E - J */
  jn_expr trace = jn__scale(g, 0.5, jn__add(g, jn__add(g, x[4], x[5]), x[6]));
  for (int k = 0; k < 3; k++) half[k] = jn__subtract(g, trace, x[4 + k]);
  jn_expr_moments m = {x[0],    {x[1], x[2], x[3]}, half[0],          half[1],
                       half[2], jn__negate(x[7]),   jn__negate(x[8]), jn__negate(x[9])};

  /* Frame to body, body to part. */
  for (int k = 0; k < 2; k++) {
    const double *R = k ? part->frame_R : frame->R, *p = k ? part->frame_p : frame->p;
    turn_moments(g, (jn_expr9){jn__constant3(g, R), jn__constant3(g, R + 3), jn__constant3(g, R + 6)}, &m);
    shift_moments(g, jn__constant3(g, p), &m);
  }
  return m;
}

static void set_moments(jn_symbols *s, unsigned runtime, int payload_frame) {
  const jn_tree_d *t = s->m->tree;
  for (int i = 0; i < s->m->count; i++) {
    s->moments[i] = constant_moments(s->g, &s->m->part[i].moments);
    s->own[i] = constant_moments(s->g, &s->m->part[i].own);
  }

  if (runtime & JN_RUNTIME_PARAMETERS) {
    for (int i = 0; i < s->m->count; i++) s->moments[i] = (jn_expr_moments){0};
    for (int link = 0; link < t->nlink; link++) {
      int body = t->frame[link].body;
      if (body < 0) continue;
      int i = s->m->part_of_body[body];
      jn_expr_moments more = input_moments(s, JN_ARRAY_PARAMETERS, 10 * link, &s->m->part[i], &t->frame[link]);
      jn__add_moments(s->g, &s->moments[i], &more);
    }
    for (int i = 0; i < s->m->count; i++) s->own[i] = s->moments[i];
  }

  /* A payload comes on top, after regrouping. */
  int body = runtime & JN_RUNTIME_PAYLOAD ? t->frame[payload_frame].body : -1;
  if (body < 0) return;
  int i = s->m->part_of_body[body];
  jn_expr_moments more = input_moments(s, JN_ARRAY_PAYLOAD, 0, &s->m->part[i], &t->frame[payload_frame]);
  jn__add_moments(s->g, &s->moments[i], &more);
  jn__add_moments(s->g, &s->own[i], &more);
}

int jn__symbols_create(jn_symbols *s, jn_graph *g, const jn_mechanism *m, unsigned runtime, int payload_frame,
                       int given_sines) {
  *s = (jn_symbols){.g = g, .m = m, .given_sines = given_sines};
  size_t count = (size_t)m->count + 1;
  s->joint = jn__allocate(&g->allocator, count * sizeof *s->joint);
  s->moments = jn__allocate(&g->allocator, count * sizeof *s->moments);
  s->own = jn__allocate(&g->allocator, count * sizeof *s->own);
  if (!s->joint || !s->moments || !s->own) {
    jn__symbols_free(s);
    return 0;
  }

  for (int i = 0; i < m->count; i++) set_joint(s, i);
  set_moments(s, runtime, payload_frame);
  for (int k = 0; k < 3; k++)
    s->gravity[k] =
        runtime & JN_RUNTIME_GRAVITY ? jn__input(g, JN_ARRAY_GRAVITY, k) : jn__constant(g, m->tree->gravity[k]);
  return 1;
}

void jn__symbols_free(jn_symbols *s) {
  jn__release(&s->g->allocator, s->joint);
  jn__release(&s->g->allocator, s->moments);
  jn__release(&s->g->allocator, s->own);
}
