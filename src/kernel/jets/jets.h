/* SPDX-License-Identifier: BSD-2-Clause */
/* Jets: time derivatives of any order, by the Newton-Euler recursion on polynomials in time. [kumar2021 eqs. 14-20]
 *
 * A quantity x(t) is represented by its Taylor coefficients x_k = x^(k)(0) / k!. Every product of the recursion then
 * becomes a truncated convolution, (x y)_k = sum_{j=0..k} x_j y_{k-j}, so all orders up to K cost O(n K^2). For body i
 * with parent p, constant placement B_i and joint motion J_i(t):
 *
 *   outwards   V_i,k = (Ad_{(B J)^-1} V_p + the joint's own twist)_k                           kumar2021 (14)-(18)
 *              F_i,k = I (k+1) V_{k+1} - sum_j ad*_{V_j} I V_{k-j} - W_k                       (19), (20)
 *              (dV/dt has the coefficients (k+1) V_{k+1})
 *   inwards    F_p,k += (Ad*_{(B J)^-1} F_i)_k,      tau_k = S^T F_i,k
 *
 * kumar2021 differentiates the recursion by the binomial rule; Taylor coefficients give the same numbers without
 * binomials. Weight is an upward acceleration of the base, V_0(t) = (0, -gravity) t. These twists stand in all
 * formulas, in the ad-terms too (equivalence principle), so gravity is right at every order.
 *
 * A joint of one or several screws is a sequence of *elementary motions*, each a rotation about or a translation along
 * a fixed axis e through a point y: T(x) = translation by h x e times rotation by x about e. Spherical and free joints
 * have series of R and p instead; functions for them begin with `group`.
 *
 *   symbol   meaning                                                  frame, unit                  size
 *   v        velocities of the coordinates                            rad/s, m/s                   [orders][nv]
 *   x, c, s  position of an elementary motion, its cosine and sine    rad or m, -, -               [orders][nd]
 *   R, p     motion of a spherical or free joint                      placement of the joint; -, m [orders][nb]
 *   V        twist of a body                                          body; rad/s, m/s             [orders][nb]
 *   F, W     wrench through its joint, external wrench on the body    body; N m, N                 [orders][nb]
 *   U        twist before an elementary motion or joint is applied    before it                    [orders][nd + nb]
 *   G, f     wrench behind one, and its force before it               behind it, before it         [orders][nd + nb]
 *            (U, G and f are kept because order k needs their lower orders)
 *   units    those above per s^k for order k
 *
 * The order is the slow index: x[k * count + i]. The functions below add one order to all bodies, given the lower ones,
 * because forward dynamics must solve for each order before the next. Inverse dynamics alone goes body by body, with
 * all orders at once (inverse_dynamics_jet_any.h). */
#ifndef JN_KERNEL_JETS_JETS_H
#define JN_KERNEL_JETS_JETS_H

#include "../base/springs.h"
#include "../mass_matrix/mass_factor.h"

typedef struct jets {
  const JN_S(tree) * tree;
  const real *q; /* [nq] */
  angles angle;  /* cosines and sines of the angles at time 0 */
  real *v;       /* [orders][nv] velocities */
  real *x;       /* positions of elementary motions; their cosines and sines */
  real *c, *s;
  mat3 *R; /* [orders][nb] rotation and translation of spherical and free joints */
  vec3 *p;
  twist *U;           /* [orders][nd + nb] twists before a motion: first of elementary motions, then of whole joints */
  wrench *G;          /* [orders][nd + nb] wrenches behind a motion, in the same order, */
  vec3 *f;            /* and their forces before it */
  twist *V;           /* [orders][nb] */
  wrench *F;          /* [orders][nb] */
  wrench *W;          /* [orders][nb] external wrenches, or NULL */
  int without_weight; /* the base does not accelerate: V are the true twists */
} jets;

/* Takes the arrays of all orders from scratch memory. external: with external wrenches. */
static inline jets jets_place(const JN_S(tree) * tree, int orders, int external, const real *q, real **at) {
  jets J = {.tree = tree, .q = q};
  J.angle = angles_at(tree, q, at);
  int width = tree->nd + tree->nb;
  J.v = TAKE(at, orders * tree->nv, real);
  J.x = TAKE(at, orders * tree->nd, real);
  J.c = TAKE(at, orders * tree->nd, real);
  J.s = TAKE(at, orders * tree->nd, real);
  J.R = TAKE(at, orders * tree->nb, mat3);
  J.p = TAKE(at, orders * tree->nb, vec3);
  J.U = TAKE(at, orders * width, twist);
  J.G = TAKE(at, orders * width, wrench);
  J.f = TAKE(at, orders * width, vec3);
  J.V = TAKE(at, orders * tree->nb, twist);
  J.F = TAKE(at, orders * tree->nb, wrench);
  if (external) J.W = TAKE(at, orders * tree->nb, wrench);
  return J;
}

/* Taylor coefficients of rows of derivatives: x_k = x^(k) / k!. */
static inline void jet_to_taylor(const real *jet, int rows, int n, real *out) {
  scalar f = 1;
  for (int k = 0; k < rows; k++) {
    if (k > 1) f /= (scalar)k;
    for (int i = 0; i < n; i++) out[k * n + i] = splat(f) * jet[k * n + i];
  }
}

/* From Taylor coefficients back to derivatives, in place: x^(k) = k! x_k. */
static inline void taylor_to_jet(real *jet, int rows, int n) {
  scalar f = 1;
  for (int k = 2; k < rows; k++) {
    f *= (scalar)k;
    for (int i = 0; i < n; i++) jet[k * n + i] = splat(f) * jet[k * n + i];
  }
}

/* Taylor coefficients `from` to end - 1 of the external wrenches W [end][nlink][6], summed up for each body. */
static inline void load_external_wrenches(const jets *J, const real *W, int from, int end) {
  scalar f = 1;
  for (int k = 2; k < from; k++) f /= (scalar)k;
  for (int k = from; k < end; k++) {
    wrench *to = &J->W[k * J->tree->nb];
    if (k > 1) f /= (scalar)k;
    body_wrenches(J->tree, W + k * 6 * J->tree->nlink, to);
    for (int i = 0; i < J->tree->nb; i++) to[i] = (wrench){v3_scale(splat(f), to[i].m), v3_scale(splat(f), to[i].f)};
  }
}

/* One elementary motion of a joint, T(x): a rotation by x about the axis e through y, and a translation by h x along
 * it. */
typedef struct elementary_motion {
  vec3 axis;      /* e, a unit vector in the frame of the body */
  vec3 point;     /* y, a point on the axis [m] */
  real pitch;     /* h, translation along e for each unit of x */
  int rotates;    /* 0: pure translation */
  int translates; /* it translates, alone or while it rotates */
  int about_z;    /* e = z and y = 0: joints of one coordinate */
  int id;         /* its index among the nd elementary motions */
  real scale;     /* x = scale * coordinate + offset */
  int iv;
} elementary_motion;

/* Elementary motion k of body i. Revolute, prismatic and helical joints have one; a general joint has one per screw. */
static inline elementary_motion elementary_motion_of(const JN_S(tree) * tree, int i, int k) {
  const JN_S(body) *body = &tree->body[i];
  elementary_motion motion = {.id = body->id + k, .iv = body->iv + k, .point = v3_zero(), .pitch = ZERO, .rotates = 1};
  motion.axis = v3(ZERO, ZERO, K(1));
  motion.scale = splat(body->ratio);

  /* One coordinate: the axis is z of the body. */
  if (body->kind == JN_BODY_PRISMATIC) motion.rotates = 0;
  if (body->kind == JN_BODY_HELICAL) motion.pitch = splat(body->pitch);
  if (body->kind != JN_BODY_GENERAL) {
    if (!motion.rotates) motion.pitch = K(1);
    motion.translates = body->kind != JN_BODY_REVOLUTE;
    motion.about_z = 1;
    return motion;
  }

  /* General joint: a screw (w, v) has the axis e = w through y = w x v with pitch h = w.v; (0, v) translates along e
   * = v. */
  const JN_S(screw) *s = &tree->screw[body->screw + k];
  vec3 w = v3_constant(s->X), v = v3_constant(s->X + 3);
  motion.scale = splat(s->scale);
  motion.rotates = !s->prismatic;
  motion.axis = s->prismatic ? v : w;
  motion.point = s->prismatic ? v3_zero() : cross(w, v);
  motion.pitch = s->prismatic ? K(1) : dot(w, v);
  motion.translates = 1;
  return motion;
}

/* Whether the joint has one coordinate: freezing the model rotates frames so that its axis is z of the body. */
static inline int is_about_z(const JN_S(body) * body) {
  return body->kind == JN_BODY_REVOLUTE || body->kind == JN_BODY_PRISMATIC || body->kind == JN_BODY_HELICAL;
}

/* Number of elementary motions: spherical and free joints have none. */
static inline int elementary_motion_count(const JN_S(body) * body) { return is_group(body) ? 0 : body->nv; }

/* Adds order k of the motion of body i's joint, given the lower ones: position, cosine and sine, or R and p.
 *
 *   k c_k = -sum_j j x_j s_{k-j},        k s_k = sum_j j x_j c_{k-j}
 *   k R_k = sum_j R_j [w_{k-1-j}],       k p_k = sum_j R_j v_{k-1-j} */
static inline void extend_joint_motion(const jets *J, int i, int k) {
  const JN_S(tree) *tree = J->tree;
  const JN_S(body) *body = &tree->body[i];
  int nd = tree->nd, nb = tree->nb, nv = tree->nv;

  /* Spherical and free joints: k R_k = sum_j R_j [w_{k-1-j}], k p_k = sum_j R_j v_{k-1-j}. */
  if (is_group(body)) {
    if (k == 0) {
      pose T = joint_motion(tree, body, J->q);
      J->R[i] = T.R;
      J->p[i] = T.p;
      return;
    }

    mat3 R = m3_zero();
    vec3 p = v3_zero();
    for (int j = 0; j < k; j++) {
      const real *v = J->v + (k - 1 - j) * nv + body->iv;
      mat3 A = J->R[j * nb + i];
      R = m3_add(R, m3_prod(A, skew(v3_load(v))));
      if (body->kind == JN_BODY_FREE) p = v3_add(p, m3_mul(A, v3_load(v + 3)));
    }
    real f = reciprocal(k);
    J->R[k * nb + i] = m3_scale(f, R);
    J->p[k * nb + i] = v3_scale(f, p);
    return;
  }

  /* All others: position, cosine and sine of each elementary motion. */
  for (int part = 0; part < body->nv; part++) {
    elementary_motion motion = elementary_motion_of(tree, i, part);
    int id = motion.id;

    /* Order 0: the configuration. */
    if (k == 0) {
      real x = body->kind == JN_BODY_GENERAL ? motion.scale * J->q[body->iq + part] : joint_position(body, J->q);
      J->x[id] = x;
      J->c[id] = body->kind == JN_BODY_GENERAL ? r_cos(x) : J->angle.c[i];
      J->s[id] = body->kind == JN_BODY_GENERAL ? r_sin(x) : J->angle.s[i];
      continue;
    }

    /* x_k = scale v_{k-1} / k; k c_k = -sum_j j x_j s_{k-j}, k s_k = sum_j j x_j c_{k-j}. */
    real f = reciprocal(k), c = ZERO, s = ZERO;
    J->x[k * nd + id] = f * motion.scale * J->v[(k - 1) * nv + motion.iv];
    if (!motion.rotates) continue;
    for (int j = 1; j <= k; j++) {
      real jx = K(j) * J->x[j * nd + id];
      c -= jx * J->s[(k - j) * nd + id];
      s += jx * J->c[(k - j) * nd + id];
    }
    J->c[k * nd + id] = f * c;
    J->s[k * nd + id] = f * s;
  }
}

/* rotate_order() for e = z, where the z component stays. */
static inline vec3 rotate_order_z(const jets *J, const elementary_motion *motion, int inverse, const real *u,
                                  int stride, int k) {
  int nd = J->tree->nd;
  const real *c = J->c + motion->id, *s = J->s + motion->id;
  vec3 across = v3_zero(), side = v3_zero();

  /* across = c u, side = s (z x u), as convolutions. */
  for (int j = 0; j <= k; j++) {
    const real *x = u + (k - j) * stride;
    across.x += c[j * nd] * x[0];
    across.y += c[j * nd] * x[1];
    side.x -= s[j * nd] * x[1];
    side.y += s[j * nd] * x[0];
  }

  vec3 out = inverse ? v3_sub(across, side) : v3_add(across, side);
  out.z = u[k * stride + 2];
  return out;
}

/* Order k of R u, or of R^T u (inverse), for the rotation R of an elementary motion about e (Rodrigues):
 *   R u = e (e.u) + c (u - e (e.u)) + s (e x u);     R^T: -s
 * The convolutions run over u itself; the part along e is taken out once, at the end. u_j is at u + j * stride. */
static inline vec3 rotate_order(const jets *J, const elementary_motion *motion, int inverse, const real *u, int stride,
                                int k) {
  if (motion->about_z) return rotate_order_z(J, motion, inverse, u, stride, k);
  int nd = J->tree->nd;
  vec3 across = v3_zero(), side = v3_zero();

  /* across = c u, side = s u. */
  for (int j = 0; j <= k; j++) {
    vec3 x = v3_load(u + (k - j) * stride);
    across = v3_axpy(J->c[j * nd + motion->id], x, across);
    side = v3_axpy(J->s[j * nd + motion->id], x, side);
  }

  /* (c (u - e (e.u)))_k, then (s (e x u))_k and e (e.u_k). */
  across = v3_axpy(-dot(motion->axis, across), motion->axis, across);
  vec3 around = cross(motion->axis, side), along = v3_scale(dot(motion->axis, v3_load(u + k * stride)), motion->axis);
  return v3_add(along, inverse ? v3_sub(across, around) : v3_add(across, around));
}

/* Order k of h x(t) (e x u(t)): what a translation by h x along e adds to a velocity or a moment. */
static inline vec3 translate_order(const jets *J, const elementary_motion *motion, const real *u, int stride, int k) {
  vec3 sum = v3_zero();
  for (int j = 0; j <= k; j++) sum = v3_axpy(J->x[j * J->tree->nd + motion->id], v3_load(u + (k - j) * stride), sum);
  return v3_scale(motion->pitch, cross(motion->axis, sum));
}

/* Order k of p(t) x u(t) for the free joint of body i. */
static inline vec3 group_translate_order(const jets *J, int i, const real *u, int stride, int k) {
  vec3 sum = v3_zero();
  for (int j = 0; j <= k; j++) sum = v3_add(sum, cross(J->p[j * J->tree->nb + i], v3_load(u + (k - j) * stride)));
  return sum;
}

/* Order k of R u, or of R^T u (inverse), for the spherical or free joint of body i. */
static inline vec3 group_rotate_order(const jets *J, int i, int inverse, const real *u, int stride, int k) {
  vec3 sum = v3_zero();
  for (int j = 0; j <= k; j++) {
    mat3 R = J->R[j * J->tree->nb + i];
    vec3 x = v3_load(u + (k - j) * stride);
    sum = v3_add(sum, inverse ? m3_tmul(R, x) : m3_mul(R, x));
  }
  return sum;
}

/* Order k of Ad_{J^-1} V + S * rate for one elementary motion J(t), where V is the twist before it and S its screw.
 * U [.][width] keeps the twists about the axis, translated but not yet rotated; its lower orders must be there. */
static inline twist transform_twist(const jets *J, const elementary_motion *motion, twist V, real rate, twist *U,
                                    int width, int k) {
  int stride = 6 * width;
  const real *w = &U->w.x, *z = &U->v.x;
  rate = motion->scale * rate;

  /* The twist at a point of the axis, v + w x y, moved back along the translation: - h x (e x w). */
  U[k * width].w = V.w;
  U[k * width].v = v3_add(V.v, cross(V.w, motion->point));
  if (motion->translates) U[k * width].v = v3_sub(U[k * width].v, translate_order(J, motion, w, stride, k));

  /* Rotated back by R^T; plus the motion's own twist (e, h e) * rate; then about the body's origin again. */
  twist out = U[k * width];
  if (motion->rotates) {
    out.w = v3_axpy(rate, motion->axis, rotate_order(J, motion, 1, w, stride, k));
    out.v = rotate_order(J, motion, 1, z, stride, k);
  }
  out.v = v3_axpy(motion->pitch * rate, motion->axis, out.v);
  out.v = v3_sub(out.v, cross(out.w, motion->point));
  return out;
}

/* The same for a spherical or free joint with velocities v: Ad_{J^-1} V + v. */
static inline twist group_transform_twist(const jets *J, int i, twist V, const real *v, twist *U, int width, int k) {
  const JN_S(body) *body = &J->tree->body[i];
  int stride = 6 * width;
  const real *w = &U->w.x, *z = &U->v.x;

  /* Moved to the origin of the body: v - p x w. */
  U[k * width].w = V.w;
  U[k * width].v = V.v;
  if (body->kind == JN_BODY_FREE) U[k * width].v = v3_sub(V.v, group_translate_order(J, i, w, stride, k));

  /* Rotated back by R^T, plus the joint's own twist. */
  twist out = {group_rotate_order(J, i, 1, w, stride, k), group_rotate_order(J, i, 1, z, stride, k)};
  out.w = v3_add(out.w, v3_load(v));
  if (body->kind == JN_BODY_FREE) out.v = v3_add(out.v, v3_load(v + 3));
  return out;
}

/* Order k of the twist of body i, from the twist V before its joint. The joint's motion of order k must be there. */
static inline twist twist_behind_joint(const jets *J, int i, twist V, int k) {
  const JN_S(tree) *tree = J->tree;
  const JN_S(body) *body = &tree->body[i];
  const real *v = J->v + k * tree->nv;
  int width = tree->nd + tree->nb;
  if (is_group(body)) V = group_transform_twist(J, i, V, v + body->iv, J->U + tree->nd + i, width, k);
  for (int part = 0; part < elementary_motion_count(body); part++) {
    elementary_motion motion = elementary_motion_of(tree, i, part);
    V = transform_twist(J, &motion, V, v[motion.iv], J->U + motion.id, width, k);
  }
  return V;
}

/* Outwards: adds order k of the twists of all bodies. The base has V_0(t) = (0, -gravity) t. */
static inline void extend_twists(const jets *J, int k) {
  const JN_S(tree) *tree = J->tree;
  twist base = k == 1 && !J->without_weight ? base_acceleration(tree) : t_zero();
  for (int i = 0; i < tree->nb; i++) {
    const JN_S(body) *body = &tree->body[i];

    /* V_k = Ad_{B^-1} V_parent,k, then through the joint. */
    extend_joint_motion(J, i, k);
    twist V = t_Ad_inverse(se3_constant(body->R, body->p), body->parent < 0 ? base : J->V[k * tree->nb + body->parent]);
    J->V[k * tree->nb + i] = twist_behind_joint(J, i, V, k);
  }
}

/* Order k of a wrench through one elementary motion: returns Ad*_{J^-1} F, and in *force the coordinate's share S^T F.
 * G, f [.][width] keep the wrenches before and the forces after the rotation; their lower orders must be there. */
static inline wrench transform_wrench(const jets *J, const elementary_motion *motion, wrench F, wrench *G, vec3 *f,
                                      int width, int k, real *force) {
  int stride = 6 * width;
  wrench out;

  /* The wrench about a point of the axis, m - y x f; S^T F = e.(m + h f). */
  G[k * width] = (wrench){v3_sub(F.m, cross(motion->point, F.f)), F.f};
  out = G[k * width];
  *force =
      motion->scale * ((motion->rotates ? dot(motion->axis, out.m) : ZERO) + motion->pitch * dot(motion->axis, out.f));

  /* Rotated by R; moved along the translation, m + h x (e x f); then about the body's origin again. */
  if (motion->rotates) {
    out.m = rotate_order(J, motion, 0, &G->m.x, stride, k);
    out.f = rotate_order(J, motion, 0, &G->f.x, stride, k);
  }
  f[k * width] = out.f;
  if (motion->translates) out.m = v3_add(out.m, translate_order(J, motion, &f->x, 3 * width, k));
  out.m = v3_add(out.m, cross(motion->point, out.f));
  return out;
}

/* The same for a spherical or free joint: R m + p x R f, R f. */
static inline wrench group_transform_wrench(const jets *J, int i, wrench F, wrench *G, vec3 *f, int width, int k) {
  int stride = 6 * width;
  wrench out;
  G[k * width] = F;
  out.m = group_rotate_order(J, i, 0, &G->m.x, stride, k);
  out.f = group_rotate_order(J, i, 0, &G->f.x, stride, k);
  f[k * width] = out.f;
  if (J->tree->body[i].kind == JN_BODY_FREE) out.m = v3_add(out.m, group_translate_order(J, i, &f->x, 3 * width, k));
  return out;
}

/* Order k of the wrench F through the joint of body i: from the body's frame to the parent body's, Ad*_{(B J)^-1} F.
 * S^T F is added to tau [nv] (may be NULL). */
static inline wrench wrench_before_joint(const jets *J, int i, wrench F, int k, real *tau) {
  const JN_S(tree) *tree = J->tree;
  int width = tree->nd + tree->nb;
  const JN_S(body) *body = &tree->body[i];

  /* Spherical and free joints: the screws are the axes of the body, so S^T F are components of F. */
  if (is_group(body)) {
    real six[6];
    w_store(F, six);
    for (int c = 0; c < body->nv && tau; c++) tau[body->iv + c] += six[c];
    F = group_transform_wrench(J, i, F, J->G + tree->nd + i, J->f + tree->nd + i, width, k);
  }

  /* All others: one elementary motion after the other, from the last to the first. */
  for (int part = elementary_motion_count(body) - 1; part >= 0; part--) {
    elementary_motion motion = elementary_motion_of(tree, i, part);
    real force;
    F = transform_wrench(J, &motion, F, J->G + motion.id, J->f + motion.id, width, k, &force);
    if (tau) tau[motion.iv] += force;
  }

  /* Through the constant placement. */
  return w_Ad_inverse(se3_constant(body->R, body->p), F);
}

/* Inwards: adds order k of the wrenches through all joints. F holds the bodies' own wrenches and gets those of their
 * children added; tau [nv] (may be NULL) becomes S^T F. Returns the wrench that reaches the world, in its frame. */
static inline wrench extend_wrenches(const jets *J, int k, real *tau) {
  const JN_S(tree) *tree = J->tree;
  int nb = tree->nb;
  wrench ground = w_zero();
  for (int row = 0; row < tree->nv && tau; row++) tau[row] = ZERO;

  for (int i = nb - 1; i >= 0; i--) {
    int parent = tree->body[i].parent;
    wrench *to = parent >= 0 ? &J->F[k * nb + parent] : &ground;
    *to = w_add(*to, wrench_before_joint(J, i, J->F[k * nb + i], k, tau));
  }
  return ground;
}

/* Order k of the wrench that accelerates a body, I (k+1) V_{k+1} - sum_j ad*_{V_j} I V_{k-j}; V_j at V[j * stride]. */
static inline wrench inertial_wrench_order(inertia I, const twist *V, int stride, int k) {
  wrench F = i_mul(I, t_scale(K(k + 1), V[(k + 1) * stride]));
  for (int j = 0; j <= k; j++) F = w_sub(F, w_ad(V[j * stride], i_mul(I, V[(k - j) * stride])));
  return F;
}

#endif
