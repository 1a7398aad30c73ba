/* SPDX-License-Identifier: BSD-2-Clause */
/* Inverse dynamics to any order in time (jets.c), for every variant that has no version in registers.
 * [kumar2021 eqs. 14-20]
 *
 * All orders of a body are computed before the next body, so that its constants are loaded once. A body moves by the
 * series of its angular velocity w and of the acceleration a of its origin, both in its own axes. A point at r of the
 * body accelerates by a + B r, where B(t) = [dw] + [w]^2 (acceleration_tensor.h), so no linear velocity is needed. For
 * a joint of one coordinate, whose axis is z of the body, with R(t) the rotation of its placement and angle, x(t) its
 * translation along z, and p the origin of the placement in the parent:
 *
 *   outwards   w_i = R^T w_p + z angle'                                      angular velocity
 *              a_i = R^T (a_p + B_p p) + x'' z + 2 w_i x x' z + B_i x z      acceleration of the origin
 *              f_i = m a_i + B_i h,    n_i = h x a_i + J dw_i + w_i x J w_i  wrench that moves the body
 *   inwards    F_i = (n_i, f_i) - external wrenches + sum over children of Ad*(F_child)
 *              tau_i = S_i^T F_i + armature * v_i'
 *
 * where every product is a product of series, (x y)_k = sum_j x_j y_{k-j}. This is the recursion of kumar2021 without
 * linear velocities. Other joints go through the twists of jets.h, in the functions whose names begin with `general`
 * and `other`.
 *
 *   symbol   meaning                                             frame, unit                        size
 *   w        Taylor coefficients of the angular velocity         body axes, rad/s                   [orders]
 *   a        of the acceleration of the body's origin            body axes, m/s^2                   [orders - 1]
 *   B        of the acceleration tensor [dw] + [w]^2             body axes, 1/s^2                   [orders - 1]
 *   c, s     of the cosine and sine of the joint's angle         -                                  [nb][orders]
 *   F        of the wrench through the joint (n, f)              body axes, about its origin; N m, N [nb][orders]
 *   m, h, J  mass, first and second moments about the origin     body axes, kg, kg m, kg m^2
 *
 * Measured, seven joints in lanes of four, orders 1 to 4: 131, 178, 240, 313 ns a state; the recursion over twists,
 * I dV - ad* I V, took 211, 276, 380, 464. */
#ifndef JN_KERNEL_JETS_INVERSE_DYNAMICS_JET_ANY_H
#define JN_KERNEL_JETS_INVERSE_DYNAMICS_JET_ANY_H

#include "../inverse_dynamics/acceleration_tensor.h"
#include "jets.h"

/* What is kept of all bodies; the body is the slow index. */
typedef struct jet_sweep {
  const jets *J;
  twist *V;    /* [nb][orders] twists behind joints that are not about z, and of their parents */
  wrench *F;   /* [nb][orders] */
  vec3 *kept;  /* [nb][2 orders] w and a of bodies with several children */
  real *c, *s; /* [nb][orders] cosine and sine of joints about z */
  real *tau;   /* [orders - 1][nv] */
} jet_sweep;

/* ---- joints that are not about z ---- */

/* Twists of a spherical or free joint on the base: its own velocities, plus the acceleration of the base, which rotates
 * with the body: with g(t) the acceleration of the base in the body's axes, (k+1) g_{k+1} = (g x w)_k. */
static inline void group_on_base(const jets *J, int i, int orders, twist *V) {
  const JN_S(tree) *tree = J->tree;
  const JN_S(body) *body = &tree->body[i];
  vec3 fall = m3_tmul(m3_constant(body->R), base_acceleration(tree).v);

  /* (w_k, g_k), where the linear part is the integral of g: order 1 is g at time 0. */
  for (int k = 0; k < orders; k++) {
    const real *v = J->v + k * tree->nv + body->iv;
    V[k] = (twist){v3_load(v), v3_zero()};
    if (k == 1) V[k].v = m3_tmul(joint_motion(tree, body, J->q).R, fall);
    for (int j = 0; j < k - 1; j++) V[k].v = v3_add(V[k].v, cross(V[k - 1 - j].v, V[j].w));
    if (k > 2) V[k].v = v3_scale(reciprocal(k - 1), V[k].v);
  }

  /* A free joint adds its own linear velocity. */
  for (int k = 0; k < orders && body->kind == JN_BODY_FREE; k++)
    V[k].v = v3_add(V[k].v, v3_load(J->v + k * tree->nv + body->iv + 3));
}

/* Outwards through a joint that is not about z: all orders of the twist of body i. */
static inline void general_outward(const jet_sweep *sweep, int i, int orders) {
  const jets *J = sweep->J;
  const JN_S(tree) *tree = J->tree;
  const JN_S(body) *body = &tree->body[i];
  int width = tree->nd + tree->nb;
  pose placed = se3_constant(body->R, body->p);
  twist *V = sweep->V + i * orders;

  /* On the base the twists of spherical and free joints are the velocities themselves. */
  if (is_group(body) && body->parent < 0) {
    group_on_base(J, i, orders, V);
    return;
  }

  /* V_k = Ad_{B^-1} V_parent,k; a spherical or free joint in one step. */
  for (int k = 0; k < orders; k++) {
    extend_joint_motion(J, i, k);
    twist before = k == 1 ? base_acceleration(tree) : t_zero();
    V[k] = t_Ad_inverse(placed, body->parent >= 0 ? sweep->V[body->parent * orders + k] : before);
    if (is_group(body))
      V[k] = group_transform_twist(J, i, V[k], J->v + k * tree->nv + body->iv, J->U + tree->nd + i, width, k);
  }

  /* A joint of several screws: one elementary motion after the other. */
  for (int part = 0; part < elementary_motion_count(body); part++) {
    elementary_motion elementary = elementary_motion_of(tree, i, part);
    for (int k = 0; k < orders; k++)
      V[k] = transform_twist(J, &elementary, V[k], J->v[k * tree->nv + elementary.iv], J->U + elementary.id, width, k);
  }
}

/* Inwards through such a joint: tau_k += S^T F_k, and F_parent,k += Ad*(F_k). */
static inline void general_inward(const jet_sweep *sweep, int i, int orders) {
  const JN_S(tree) *tree = sweep->J->tree;
  const JN_S(body) *body = &tree->body[i];
  int parent = body->parent;

  /* On the base nothing is carried further: the forces are the components of F. */
  for (int k = 0; k < orders - 1 && parent < 0 && is_group(body); k++) {
    real six[6];
    w_store(sweep->F[i * orders + k], six);
    for (int c = 0; c < body->nv; c++) sweep->tau[k * tree->nv + body->iv + c] += six[c];
  }

  /* Elsewhere: through the joint to the parent. */
  for (int k = 0; k < orders - 1 && !(parent < 0 && is_group(body)); k++) {
    wrench F = wrench_before_joint(sweep->J, i, sweep->F[i * orders + k], k, sweep->tau + k * tree->nv);
    if (parent >= 0) sweep->F[parent * orders + k] = w_add(sweep->F[parent * orders + k], F);
  }
}

#if !JN_REGISTERS

/* ---- joints about z ---- */

/* The series of the body that the sweep has reached: w [orders], a and B [orders - 1]; u [2 orders] is scratch. */
typedef struct body_series {
  vec3 *w, *a;
  mat3 *B;
  vec3 *u;
} body_series;

/* Translation along z for each unit of the joint's position [m/rad or 1]. */
static inline real advance_per_unit(const JN_S(body) * body) {
  return body->kind == JN_BODY_PRISMATIC ? K(1) : splat(body->pitch);
}

/* Order k of x(t), the translation along z: x_k = advance * ratio * v_{k-1} / k. */
static inline real translation_order(const jets *J, const JN_S(body) * body, int k) {
  if (k == 0) return advance_per_unit(body) * joint_position(body, J->q);
  return reciprocal(k) * advance_per_unit(body) * splat(body->ratio) * J->v[(k - 1) * J->tree->nv + body->iv];
}

/* Series of cosine and sine of the joint's angle: k c_k = -sum_j j x_j s_{k-j}, k s_k = sum_j j x_j c_{k-j}, where j
 * x_j = ratio v_{j-1}. */
FLAT void cosine_and_sine_series(const jet_sweep *sweep, int i, int orders) {
  const jets *J = sweep->J;
  const JN_S(body) *body = &J->tree->body[i];
  int nv = J->tree->nv;
  const real *v = J->v + body->iv;
  real ratio = splat(body->ratio), *c = sweep->c + i * orders, *s = sweep->s + i * orders;
  c[0] = J->angle.c[i];
  s[0] = J->angle.s[i];
  for (int k = 1; k < orders; k++) {
    real x = ZERO, y = ZERO, f = reciprocal(k) * ratio;
    for (int j = 1; j <= k; j++) {
      x -= v[(j - 1) * nv] * s[k - j];
      y += v[(j - 1) * nv] * c[k - j];
    }
    c[k] = f * x;
    s[k] = f * y;
  }
}

/* Order k of R_z^T u (sign 1) or R_z u (sign -1), for a rotation R_z about z. u_j is at u + j * stride. */
FLAT vec3 rotate_z_order(const real *c, const real *s, int sign, const vec3 *u, int stride, int k) {
  real x = ZERO, y = ZERO;
  for (int j = 0; j <= k; j++) {
    const vec3 *a = u + stride * (k - j);
    x += c[j] * a->x;
    y += c[j] * a->y;
    if (sign > 0) {
      x += s[j] * a->y;
      y -= s[j] * a->x;
    } else {
      x -= s[j] * a->y;
      y += s[j] * a->x;
    }
  }
  return v3(x, y, u[stride * k].z);
}

/* out = R^T v for `count` vectors. Row by row, because each constant of R takes a register. */
FLAT void rotate_into_placement(const scalar R[9], int count, const vec3 *v, vec3 *out) {
  real a = splat(R[0]), body = splat(R[3]), c = splat(R[6]);
  for (int i = 0; i < count; i++) out[i].x = a * v[i].x + body * v[i].y + c * v[i].z;
  a = splat(R[1]), body = splat(R[4]), c = splat(R[7]);
  for (int i = 0; i < count; i++) out[i].y = a * v[i].x + body * v[i].y + c * v[i].z;
  a = splat(R[2]), body = splat(R[5]), c = splat(R[8]);
  for (int i = 0; i < count; i++) out[i].z = a * v[i].x + body * v[i].y + c * v[i].z;
}

/* Order k of the products w w^T, whose sums make [w]^2. The diagonal is symmetric in j and k - j: half of the sum,
 * twice. */
FLAT sym3 products_order(const vec3 *w, int k) {
  sym3 s = {ZERO, ZERO, ZERO, ZERO, ZERO, ZERO};
  for (int j = 0; j <= k; j++) {
    vec3 a = w[j], body = w[k - j];
    s.xy += a.x * body.y;
    s.xz += a.x * body.z;
    s.yz += a.y * body.z;
    if (2 * j >= k) continue;
    s.xx += a.x * body.x;
    s.yy += a.y * body.y;
    s.zz += a.z * body.z;
  }
  s.xx += s.xx;
  s.yy += s.yy;
  s.zz += s.zz;
  if (k % 2) return s;
  vec3 a = w[k / 2];
  s.xx += a.x * a.x;
  s.yy += a.y * a.y;
  s.zz += a.z * a.z;
  return s;
}

/* Order k of B = [dw] + [w]^2. */
static inline acceleration_tensor acceleration_tensor_order(const vec3 *w, int k) {
  return acceleration_tensor_of(products_order(w, k), v3_scale(K(k + 1), w[k + 1]));
}

/* Adds to a what a translating joint contributes: x'' z + 2 w x x' z + B x z, all in the body's axes. */
FLAT void add_translation(const jet_sweep *sweep, const JN_S(body) * body, int orders, const body_series *motion) {
  const jets *J = sweep->J;

  /* x'' z. */
  for (int k = 0; k < orders - 1; k++) motion->a[k].z += K((k + 1) * (k + 2)) * translation_order(J, body, k + 2);

  /* 2 (w x x' z) + B z x: order i of w and B with order k - i of x. B of each order is computed once. */
  for (int i = 0; i < orders - 1; i++) {
    vec3 w = motion->w[i], z = acceleration_tensor_order(motion->w, i).B.z;
    for (int k = i; k < orders - 1; k++) {
      real rate = K(2 * (k - i + 1)) * translation_order(J, body, k - i + 1);
      motion->a[k].x += rate * w.y;
      motion->a[k].y -= rate * w.x;
      motion->a[k] = v3_axpy(translation_order(J, body, k - i), z, motion->a[k]);
    }
  }
}

/* A body on the base: w = z angle', and a is the base's acceleration (-gravity) in the axes of the body. */
FLAT void move_root_body(const jet_sweep *sweep, int i, int orders, const body_series *motion) {
  const JN_S(body) *body = &sweep->J->tree->body[i];
  const real *rate = sweep->J->v + body->iv, *c = sweep->c + i * orders, *s = sweep->s + i * orders;
  vec3 a = base_acceleration(sweep->J->tree).v, fall;
  rotate_into_placement(body->R, 1, &a, &fall);
  int rotates = body->kind != JN_BODY_PRISMATIC, nv = sweep->J->tree->nv;
  for (int k = 0; k < orders; k++) motion->w[k] = v3(ZERO, ZERO, rotates ? splat(body->ratio) * rate[k * nv] : ZERO);
  for (int k = 0; k < orders - 1; k++) {
    motion->a[k] = k ? v3_zero() : fall;
    if (rotates) motion->a[k] = v3(c[k] * fall.x + s[k] * fall.y, c[k] * fall.y - s[k] * fall.x, motion->a[k].z);
  }
}

/* From the motion of the parent to that of body i, whose joint is about z; a translation is added afterwards. */
FLAT void move_body(const jet_sweep *sweep, int i, int orders, const body_series *motion) {
  const JN_S(body) *body = &sweep->J->tree->body[i];
  const real *rate = sweep->J->v + body->iv, *c = sweep->c + i * orders, *s = sweep->s + i * orders;
  int nv = sweep->J->tree->nv, rotates = body->kind != JN_BODY_PRISMATIC, count = orders - 1;
  vec3 *u = motion->u, p = v3_constant(body->p);

  /* Acceleration of the placement's origin in the parent: a_p + B_p p. */
  for (int k = 0; k < count; k++) motion->a[k] = v3_add(motion->a[k], m3_mul(motion->B[k], p));

  /* R^T, first the constant placement, then the joint's angle. */
  rotate_into_placement(body->R, orders, motion->w, u);
  rotate_into_placement(body->R, count, motion->a, u + orders);
  for (int k = 0; k < orders; k++) motion->w[k] = rotates ? rotate_z_order(c, s, 1, u, 1, k) : u[k];
  for (int k = 0; k < count; k++) motion->a[k] = rotates ? rotate_z_order(c, s, 1, u + orders, 1, k) : u[orders + k];

  /* w += z angle'. */
  for (int k = 0; k < orders && rotates; k++) motion->w[k].z += splat(body->ratio) * rate[k * nv];
}

/* Outwards through a joint about z: w and a of body i. */
FLAT void z_joint_outward(const jet_sweep *sweep, int i, int orders, const body_series *motion) {
  const JN_S(body) *body = &sweep->J->tree->body[i];
  if (body->parent < 0)
    move_root_body(sweep, i, orders, motion);
  else
    move_body(sweep, i, orders, motion);
  if (body->kind != JN_BODY_REVOLUTE) add_translation(sweep, body, orders, motion);
}

/* B of body i, and the wrenches that move it less the external ones: f = m a + B h, n = h x a + J dw + w x J w. */
FLAT void own_wrenches(const jet_sweep *sweep, int i, int orders, const body_series *motion) {
  const jets *J = sweep->J;
  inertia I = i_constant(J->tree->body[i].inertia);
  for (int k = 0; k < orders - 1; k++) {
    vec3 dw = v3_scale(K(k + 1), motion->w[k + 1]);
    acceleration_tensor tensor = acceleration_tensor_of(products_order(motion->w, k), dw);
    motion->B[k] = tensor.B;
    wrench F = {v3_add(cross(I.h, motion->a[k]), euler(I.J, dw, &tensor)),
                v3_axpy(I.m, motion->a[k], m3_mul(tensor.B, I.h))};
    sweep->F[i * orders + k] = J->W ? w_sub(F, J->W[k * J->tree->nb + i]) : F;
  }
}

/* ---- other joints ---- */

/* Twists of the parent from its w and a, as if its origin were at rest at time 0: (k+1) v_{k+1} = a_k - (w x v)_k. */
static inline void twists_from_accelerations(const body_series *motion, int orders, twist *V) {
  for (int k = 0; k < orders; k++) {
    V[k] = (twist){motion->w[k], k ? motion->a[k - 1] : v3_zero()};
    for (int j = 0; j < k; j++) V[k].v = v3_sub(V[k].v, cross(motion->w[j], V[k - 1 - j].v));
    if (k > 1) V[k].v = v3_scale(reciprocal(k), V[k].v);
  }
}

/* Outwards through any other joint: twists of the parent, through the joint, and back to w and a. */
static __attribute__((noinline)) void other_outward(const jet_sweep *sweep, int i, int orders,
                                                    const body_series *motion) {
  int parent = sweep->J->tree->body[i].parent;
  const twist *V = sweep->V + i * orders;
  if (parent >= 0) twists_from_accelerations(motion, orders, sweep->V + parent * orders);
  general_outward(sweep, i, orders);

  /* a_k = (k+1) v_{k+1} + (w x v)_k. */
  for (int k = 0; k < orders; k++) motion->w[k] = V[k].w;
  for (int k = 0; k < orders - 1; k++) {
    motion->a[k] = v3_scale(K(k + 1), V[k + 1].v);
    for (int j = 0; j <= k; j++) motion->a[k] = v3_add(motion->a[k], cross(V[j].w, V[k - j].v));
  }
}

static __attribute__((noinline)) void other_inward(const jet_sweep *sweep, int i, int orders) {
  general_inward(sweep, i, orders);
}

/* ---- inwards ---- */

/* to += Ad*_{B^-1} G for `count` orders, B the constant placement of the joint: f' = R f, m' = R m + p x R f. */
FLAT void add_through_placement(const JN_S(body) * body, int count, const wrench *G, wrench *to) {
  mat3 R = m3_constant(body->R);
  vec3 p = v3_constant(body->p);
  for (int k = 0; k < count; k++) {
    vec3 f = m3_mul(R, G[k].f), motion = v3_add(to[k].m, cross(p, f));
    to[k].m = v3_axpy(G[k].m.x, R.x, v3_axpy(G[k].m.y, R.y, v3_axpy(G[k].m.z, R.z, motion)));
    to[k].f = v3_add(to[k].f, f);
  }
}

/* Inwards through a joint about z: tau_k += ratio (n.z + advance f.z), and F_parent,k += Ad*(F_k). */
FLAT void z_joint_inward(const jet_sweep *sweep, int i, int orders, const body_series *motion) {
  const jets *J = sweep->J;
  const JN_S(body) *body = &J->tree->body[i];
  int rotates = body->kind != JN_BODY_PRISMATIC, translates = body->kind != JN_BODY_REVOLUTE, count = orders - 1;
  const real *c = sweep->c + i * orders, *s = sweep->s + i * orders;
  wrench *F = sweep->F + i * orders, *G = (wrench *)(void *)motion->u;

  /* The coordinate's force, S^T F. */
  for (int k = 0; k < count; k++) {
    real force = rotates ? F[k].m.z : ZERO;
    if (translates) force += advance_per_unit(body) * F[k].f.z;
    sweep->tau[k * J->tree->nv + body->iv] += splat(body->ratio) * force;
  }
  if (body->parent < 0) return;

  /* Rotated by the joint's angle. */
  for (int k = 0; k < count; k++)
    G[k] = rotates ? (wrench){rotate_z_order(c, s, -1, &F->m, 2, k), rotate_z_order(c, s, -1, &F->f, 2, k)} : F[k];

  /* Moved along its translation: n += x(t) (z x f). */
  for (int k = 0; k < count && translates; k++)
    for (int j = 0; j <= k; j++) {
      real x = translation_order(J, body, j);
      G[k].m.x -= x * G[k - j].f.y;
      G[k].m.y += x * G[k - j].f.x;
    }

  /* Through the placement, to the parent. */
  add_through_placement(body, count, G, sweep->F + body->parent * orders);
}

/* Loads w, a and B of the parent of body i, unless the parent is the body before, whose series are still there. */
static inline void load_parent_motion(const jet_sweep *sweep, int i, int orders, const body_series *motion) {
  int parent = sweep->J->tree->body[i].parent;
  if (parent < 0 || parent == i - 1) return;
  const vec3 *kept = sweep->kept + 2 * parent * orders;
  for (int k = 0; k < orders; k++) motion->w[k] = kept[k];
  for (int k = 0; k < orders - 1; k++) {
    motion->a[k] = kept[orders + k];
    motion->B[k] = acceleration_tensor_order(motion->w, k).B;
  }
}

/* Keeps w and a of a body with several children: only the first child follows at once. */
static inline void keep_motion(const jet_sweep *sweep, int i, int orders, const body_series *motion) {
  const JN_S(body) *body = &sweep->J->tree->body[i];
  if (i + 1 >= body->end || body[1].end >= body->end) return; /* none or one child */
  vec3 *kept = sweep->kept + 2 * i * orders;
  for (int k = 0; k < orders; k++) kept[k] = motion->w[k];
  for (int k = 0; k < orders - 1; k++) kept[orders + k] = motion->a[k];
}

/* Computes what does not depend on other bodies: the series of all joints, and tau_k = armature (k+1) v_{k+1}. */
FLAT void prepare_joints(const jet_sweep *sweep, int orders) {
  const JN_S(tree) *tree = sweep->J->tree;
  for (int k = 0; k < (orders - 1) * tree->nv; k++) sweep->tau[k] = ZERO;
  for (int i = 0; i < tree->nb; i++) {
    const JN_S(body) *body = &tree->body[i];
    if (is_about_z(body)) cosine_and_sine_series(sweep, i, orders);
    for (int c = 0; c < body->nv; c++) {
      real armature = armature_of(tree, body, c), *tau = sweep->tau + body->iv + c;
      const real *v = sweep->J->v + body->iv + c;
      for (int k = 0; k < orders - 1; k++) tau[k * tree->nv] += armature * K(k + 1) * v[(k + 1) * tree->nv];
    }
  }
}

/* All bodies, all orders. */
FLAT void inverse_dynamics_of_all(const jet_sweep *sweep, int orders, const body_series *motion) {
  const JN_S(tree) *tree = sweep->J->tree;
  prepare_joints(sweep, orders);

  /* Outwards: motion of each body, then the wrench that moves it. */
  for (int i = 0; i < tree->nb; i++) {
    load_parent_motion(sweep, i, orders, motion);
    if (is_about_z(&tree->body[i]))
      z_joint_outward(sweep, i, orders, motion);
    else
      other_outward(sweep, i, orders, motion);
    keep_motion(sweep, i, orders, motion);
    own_wrenches(sweep, i, orders, motion);
  }

  /* Inwards: forces of the coordinates, wrenches to the parents. */
  for (int i = tree->nb - 1; i >= 0; i--) {
    if (is_about_z(&tree->body[i]))
      z_joint_inward(sweep, i, orders, motion);
    else
      other_inward(sweep, i, orders);
  }
}

static inline body_series jet_sweep_place(jet_sweep *sweep, int orders, real **at) {
  int nb = sweep->J->tree->nb;
  sweep->kept = TAKE(at, 2 * nb * orders, vec3);
  sweep->c = TAKE(at, nb * orders, real);
  sweep->s = TAKE(at, nb * orders, real);
  body_series motion = {TAKE(at, orders, vec3), TAKE(at, orders, vec3), TAKE(at, orders, mat3),
                        TAKE(at, 2 * orders, vec3)};
  return motion;
}

/* Instances of the recursion with a known number of orders, which the compiler unrolls: K = 1 to 4 (K + 2 orders of v).
 * They take 0.87 to 0.9 of the time (seven joints, AVX2). K = 2 is the second-order inverse dynamics of mueller2021
 * sec. 4: tau, dtau/dt and d2tau/dt2 from q and v, ..., d3v/dt3. Higher orders gain too little. */
static inline void inverse_dynamics_of_order(const jet_sweep *sweep, int orders, const body_series *any) {
#if JN_KIND == JN_KIND_D || JN_KIND == JN_KIND_F
  enum { MOST = 6 };
  vec3 w[MOST], a[MOST], u[2 * MOST];
  mat3 B[MOST];
  body_series motion = {w, a, B, u};
  switch (orders) {
    case 3: /* dtau/dt */
      inverse_dynamics_of_all(sweep, 3, &motion);
      return;
    case 4: /* d2tau/dt2: mueller2021 */
      inverse_dynamics_of_all(sweep, 4, &motion);
      return;
    case 5:
      inverse_dynamics_of_all(sweep, 5, &motion);
      return;
    case 6:
      inverse_dynamics_of_all(sweep, 6, &motion);
      return;
    default:
      break;
  }
#endif
  inverse_dynamics_of_all(sweep, orders, any);
}

#endif

#endif
