/* SPDX-License-Identifier: BSD-2-Clause */
/* Jets: time derivatives of any order, by the Newton-Euler recursion on polynomials in time. [kumar2021 eqs. 14-20]
 *
 * A quantity x(t) is held by its Taylor coefficients x_k = x^(k)(0) / k!. Every product of the recursion then becomes a
 * truncated convolution, (x y)_k = sum_{j=0..k} x_j y_{k-j}, so all orders up to K cost O(n K^2). For body i with
 * parent p, placement B_i and joint motion J_i(t), all in the body's own frame:
 *
 *   outwards   V_i,k = (Ad_{(B J)^-1} V_p + joint's own twist)_k
 *              F_i,k = I (k+1) V_{k+1} - sum_j ad*_{V_j} I V_{k-j} - W_k          (dV/dt has the coefficients (k+1)
 * V_{k+1}) inwards    F_p,k += (Ad*_{(B J)^-1} F_i)_k,   tau_k = S^T F_i,k
 *
 * Weight: the base accelerates upwards instead, V_0(t) = (0, -gravity) t. These twists stand in all formulas, in the
 * ad-terms too (equivalence principle), so gravity is right at every order.
 *
 * A joint of one or several screws is a sequence of *elementary motions*, each a rotation about or a translation along
 * a fixed axis; spherical and free joints have series of R and p instead.
 *
 *   symbol   meaning                                                       size, unit
 *   x, c, s  position of an elementary motion, its cosine and sine         [orders][nd]
 *   R, p     motion of a spherical or free joint                           [orders][nb]
 *   V, F     twist of a body, wrench through its joint                     [orders][nb]
 *   U, G, f  twists, wrenches and forces inside a joint, between its       [orders][nd + nb]
 *            elementary motions: order k needs their lower orders
 *
 * The order is the slow index: x[k * count + i]. The functions below add one order to all bodies, given the lower ones,
 * because forward dynamics must solve for each order before the next. Inverse dynamics alone goes body by body, with
 * all orders at once (inverse_dynamics_jet_any.h). */
#ifndef JN_KERNEL_JETS_JETS_H
#define JN_KERNEL_JETS_JETS_H

#include "../base/springs.h"
#include "../mass_matrix/mass_factor.h"

typedef struct jets {
  const JN_S(tree) * t;
  const real *q; /* [nq] */
  angles turn;
  real *v; /* [orders][nv] velocities */
  real *x; /* [orders][nd] positions of elementary motions, and their cosines and sines */
  real *c, *s;
  mat3 *R; /* [orders][nb] motion of spherical and free joints */
  vec3 *p;
  twist *U;       /* [orders][nd + nb] twists before a motion is applied: of elementary motions, then of whole joints */
  wrench *G;      /* [orders][nd + nb] wrenches likewise, on the way inwards, */
  vec3 *f;        /*                   and their forces after it */
  twist *V;       /* [orders][nb] */
  wrench *F;      /* [orders][nb] */
  wrench *W;      /* [orders][nb] external wrenches, or NULL */
  int weightless; /* the base does not fall */
} jets;

static inline jets jets_place(const JN_S(tree) * t, int orders, int external, const real *q, real **at) {
  jets J = {.t = t, .q = q};
  J.turn = angles_at(t, q, at);
  int wide = t->nd + t->nb;
  J.v = TAKE(at, orders * t->nv, real);
  J.x = TAKE(at, orders * t->nd, real);
  J.c = TAKE(at, orders * t->nd, real);
  J.s = TAKE(at, orders * t->nd, real);
  J.R = TAKE(at, orders * t->nb, mat3);
  J.p = TAKE(at, orders * t->nb, vec3);
  J.U = TAKE(at, orders * wide, twist);
  J.G = TAKE(at, orders * wide, wrench);
  J.f = TAKE(at, orders * wide, vec3);
  J.V = TAKE(at, orders * t->nb, twist);
  J.F = TAKE(at, orders * t->nb, wrench);
  if (external) J.W = TAKE(at, orders * t->nb, wrench);
  return J;
}

/* Taylor coefficients of rows of derivatives: x_k = x^(k)/k!. */
static inline void jet_to_taylor(const real *jet, int rows, int n, real *out) {
  scalar f = 1;
  for (int k = 0; k < rows; k++) {
    if (k > 1) f /= (scalar)k;
    for (int i = 0; i < n; i++) out[k * n + i] = splat(f) * jet[k * n + i];
  }
}

/* And back, in place. */
static inline void taylor_to_jet(real *jet, int rows, int n) {
  scalar f = 1;
  for (int k = 2; k < rows; k++) {
    f *= (scalar)k;
    for (int i = 0; i < n; i++) jet[k * n + i] = splat(f) * jet[k * n + i];
  }
}

/* Taylor coefficients of the external wrenches W [rows][nlink][6], summed up for each body. */
static inline void external_wrenches(const jets *J, const real *W, int rows) {
  scalar f = 1;
  for (int k = 0; k < rows; k++) {
    wrench *to = &J->W[k * J->t->nb];
    if (k > 1) f /= (scalar)k;
    body_wrenches(J->t, W + k * 6 * J->t->nlink, to);
    for (int i = 0; i < J->t->nb; i++) to[i] = (wrench){v3_scale(splat(f), to[i].m), v3_scale(splat(f), to[i].f)};
  }
}

/* One elementary motion of a joint: about (or along) the unit axis e through the point y, with pitch h. */
typedef struct elementary_motion {
  vec3 e, y;
  real h;      /* translation along e for each unit of x */
  int turns;   /* 0: pure translation */
  int slides;  /* it translates as well */
  int about_z; /* e = z: joints with one coordinate */
  int place;   /* its index among the nd coordinates */
  real scale;  /* x = scale * coordinate + offset */
  int iv;
} elementary_motion;

/* Elementary motion k of body i. Revolute, prismatic and helical joints have one; a general joint has one per screw. */
static inline elementary_motion joint_part(const JN_S(tree) * t, int i, int k) {
  const JN_S(body) *b = &t->body[i];
  elementary_motion m = {.place = b->id + k, .iv = b->iv + k, .y = v3_zero(), .h = ZERO, .turns = 1};
  m.e = v3(ZERO, ZERO, K(1));
  m.scale = splat(b->ratio);

  /* One coordinate: about and along z. */
  if (b->kind == JN_BODY_PRISMATIC) m.turns = 0;
  if (b->kind == JN_BODY_HELICAL) m.h = splat(b->pitch);
  if (b->kind != JN_BODY_GENERAL) {
    if (!m.turns) m.h = K(1);
    m.slides = b->kind != JN_BODY_REVOLUTE;
    m.about_z = 1;
    return m;
  }

  /* A screw (w, v): axis e = w through y = w x v with pitch h = w.v, or a translation along e = v. */
  const JN_S(screw) *s = &t->screw[b->screw + k];
  vec3 w = v3_constant(s->X), v = v3_constant(s->X + 3);
  m.scale = splat(s->scale);
  m.turns = !s->prismatic;
  m.e = s->prismatic ? v : w;
  m.y = s->prismatic ? v3_zero() : cross(w, v);
  m.h = s->prismatic ? K(1) : dot(w, v);
  m.slides = 1;
  return m;
}

/* Joints of one coordinate, which freezing turns about (or along) z. */
static inline int is_about_z(const JN_S(body) * b) {
  return b->kind == JN_BODY_REVOLUTE || b->kind == JN_BODY_PRISMATIC || b->kind == JN_BODY_HELICAL;
}

static inline int parts_of(const JN_S(body) * b) { return is_group(b) ? 0 : b->nv; }

/* Order k of the motions of body i's joint: position, cosine, sine; or R and p.
 *
 *   k c_k = -sum_j j x_j s_{k-j},        k s_k = sum_j j x_j c_{k-j}
 *   k R_k = sum_j R_j [w_{k-1-j}],       k p_k = sum_j R_j v_{k-1-j} */
static inline void motion_order(const jets *J, int i, int k) {
  const JN_S(tree) *t = J->t;
  const JN_S(body) *b = &t->body[i];
  int nd = t->nd, nb = t->nb, nv = t->nv;

  /* Spherical and free joints: R and p. */
  if (is_group(b)) {
    if (k == 0) {
      pose T = joint_motion(t, b, J->q);
      J->R[i] = T.R;
      J->p[i] = T.p;
      return;
    }
    mat3 R = m3_zero();
    vec3 p = v3_zero();
    for (int j = 0; j < k; j++) {
      const real *v = J->v + (k - 1 - j) * nv + b->iv;
      mat3 A = J->R[j * nb + i];
      R = m3_add(R, m3_prod(A, skew(v3_load(v))));
      if (b->kind == JN_BODY_FREE) p = v3_add(p, m3_mul(A, v3_load(v + 3)));
    }
    real f = reciprocal(k);
    J->R[k * nb + i] = m3_scale(f, R);
    J->p[k * nb + i] = v3_scale(f, p);
    return;
  }

  /* All others: position, cosine and sine of each elementary motion. Those at order 0 are known already. */
  for (int part = 0; part < b->nv; part++) {
    elementary_motion m = joint_part(t, i, part);
    int a = m.place;
    if (k == 0) {
      real x = b->kind == JN_BODY_GENERAL ? m.scale * J->q[b->iq + part] : joint_position(b, J->q);
      J->x[a] = x;
      J->c[a] = b->kind == JN_BODY_GENERAL ? r_cos(x) : J->turn.c[i];
      J->s[a] = b->kind == JN_BODY_GENERAL ? r_sin(x) : J->turn.s[i];
      continue;
    }

    real f = reciprocal(k), c = ZERO, s = ZERO;
    J->x[k * nd + a] = f * m.scale * J->v[(k - 1) * nv + m.iv];
    if (!m.turns) continue;
    for (int j = 1; j <= k; j++) {
      real jx = K(j) * J->x[j * nd + a];
      c -= jx * J->s[(k - j) * nd + a];
      s += jx * J->c[(k - j) * nd + a];
    }
    J->c[k * nd + a] = f * c;
    J->s[k * nd + a] = f * s;
  }
}

/* turn_order() for e = z: only x and y change. */
static inline vec3 turn_order_z(const jets *J, const elementary_motion *m, int inverse, const real *u, int stride,
                                int k) {
  int nd = J->t->nd;
  const real *c = J->c + m->place, *s = J->s + m->place;
  vec3 across = v3_zero(), side = v3_zero();
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

/* Order k of R u, or of R^T u (inverse), for an elementary rotation R about e:
 *   e (e.u) + c (u - e (e.u)) +- s (e x u)
 * The sums run over u itself; the part along e is taken out once, at the end. u_j is at u + j * stride. */
static inline vec3 turn_order(const jets *J, const elementary_motion *m, int inverse, const real *u, int stride,
                              int k) {
  if (m->about_z) return turn_order_z(J, m, inverse, u, stride, k);
  int nd = J->t->nd;
  vec3 across = v3_zero(), side = v3_zero();
  for (int j = 0; j <= k; j++) {
    vec3 x = v3_load(u + (k - j) * stride);
    across = v3_axpy(J->c[j * nd + m->place], x, across);
    side = v3_axpy(J->s[j * nd + m->place], x, side);
  }
  across = v3_axpy(-dot(m->e, across), m->e, across);
  vec3 turned = cross(m->e, side), along = v3_scale(dot(m->e, v3_load(u + k * stride)), m->e);
  return v3_add(along, inverse ? v3_sub(across, turned) : v3_add(across, turned));
}

/* Order k of h x(t) (e x u(t)): what a translation by h x along e adds to a velocity or moment. */
static inline vec3 slide_order(const jets *J, const elementary_motion *m, const real *u, int stride, int k) {
  vec3 sum = v3_zero();
  for (int j = 0; j <= k; j++) sum = v3_axpy(J->x[j * J->t->nd + m->place], v3_load(u + (k - j) * stride), sum);
  return v3_scale(m->h, cross(m->e, sum));
}

/* Order k of p x u of a free joint i. */
static inline vec3 group_slide(const jets *J, int i, const real *u, int stride, int k) {
  vec3 sum = v3_zero();
  for (int j = 0; j <= k; j++) sum = v3_add(sum, cross(J->p[j * J->t->nb + i], v3_load(u + (k - j) * stride)));
  return sum;
}

/* Order k of R u, or of R^T u (inverse), of a spherical or free joint i. */
static inline vec3 group_turn(const jets *J, int i, int inverse, const real *u, int stride, int k) {
  vec3 sum = v3_zero();
  for (int j = 0; j <= k; j++) {
    mat3 R = J->R[j * J->t->nb + i];
    vec3 x = v3_load(u + (k - j) * stride);
    sum = v3_add(sum, inverse ? m3_tmul(R, x) : m3_mul(R, x));
  }
  return sum;
}

/* Order k of Ad_{J^-1} V + S * rate for one elementary motion J, where V is the twist before it. U [.][wide] keeps the
 * twists about the axis, translated but not yet rotated; its lower orders must be there. */
static inline twist part_outward(const jets *J, const elementary_motion *m, twist V, real rate, twist *U, int wide,
                                 int k) {
  int stride = 6 * wide;
  const real *w = &U->w.x, *z = &U->v.x;
  rate = m->scale * rate;

  /* About the axis, then back along the translation. */
  U[k * wide].w = V.w;
  U[k * wide].v = v3_add(V.v, cross(V.w, m->y));
  if (m->slides) U[k * wide].v = v3_sub(U[k * wide].v, slide_order(J, m, w, stride, k));

  /* Turned back, plus the motion's own twist (e, h e) * rate; then about the body's origin again. */
  twist out = U[k * wide];
  if (m->turns) {
    out.w = v3_axpy(rate, m->e, turn_order(J, m, 1, w, stride, k));
    out.v = turn_order(J, m, 1, z, stride, k);
  }
  out.v = v3_axpy(m->h * rate, m->e, out.v);
  out.v = v3_sub(out.v, cross(out.w, m->y));
  return out;
}

/* The same for a spherical or free joint: Ad_{J^-1} V + v. */
static inline twist group_outward(const jets *J, int i, twist V, const real *v, twist *U, int wide, int k) {
  const JN_S(body) *b = &J->t->body[i];
  int stride = 6 * wide;
  const real *w = &U->w.x, *z = &U->v.x;
  U[k * wide].w = V.w;
  U[k * wide].v = V.v;
  if (b->kind == JN_BODY_FREE) U[k * wide].v = v3_sub(V.v, group_slide(J, i, w, stride, k));

  twist out = {group_turn(J, i, 1, w, stride, k), group_turn(J, i, 1, z, stride, k)};
  out.w = v3_add(out.w, v3_load(v));
  if (b->kind == JN_BODY_FREE) out.v = v3_add(out.v, v3_load(v + 3));
  return out;
}

/* Order k of the twist of body i, from the twist V before its joint. motion_order() has been called for order k. */
static inline twist joint_outward(const jets *J, int i, twist V, int k) {
  const JN_S(tree) *t = J->t;
  const JN_S(body) *b = &t->body[i];
  const real *v = J->v + k * t->nv;
  int wide = t->nd + t->nb;
  if (is_group(b)) V = group_outward(J, i, V, v + b->iv, J->U + t->nd + i, wide, k);
  for (int part = 0; part < parts_of(b); part++) {
    elementary_motion m = joint_part(t, i, part);
    V = part_outward(J, &m, V, v[m.iv], J->U + m.place, wide, k);
  }
  return V;
}

/* Outwards: order k of the twists of all bodies. The base has V_0(t) = (0, -gravity) t. */
static inline void twists_order(const jets *J, int k) {
  const JN_S(tree) *t = J->t;
  twist base = k == 1 && !J->weightless ? base_acceleration(t) : t_zero();
  for (int i = 0; i < t->nb; i++) {
    const JN_S(body) *b = &t->body[i];
    motion_order(J, i, k);
    twist V = t_Ad_inverse(se3_constant(b->R, b->p), b->parent < 0 ? base : J->V[k * t->nb + b->parent]);
    J->V[k * t->nb + i] = joint_outward(J, i, V, k);
  }
}

/* Order k of a wrench through one elementary motion: returns Ad*_{J^-1} F, and in *force the coordinate's share S^T F.
 * G, f [.][wide] keep the wrenches before and the forces after the rotation; their lower orders must be there. */
static inline wrench part_inward(const jets *J, const elementary_motion *m, wrench F, wrench *G, vec3 *f, int wide,
                                 int k, real *force) {
  int stride = 6 * wide;
  wrench out;

  /* About the axis; S^T F = e.(m + h f). */
  G[k * wide] = (wrench){v3_sub(F.m, cross(m->y, F.f)), F.f};
  out = G[k * wide];
  *force = m->scale * ((m->turns ? dot(m->e, out.m) : ZERO) + m->h * dot(m->e, out.f));

  /* Turned, moved along the translation, about the body's origin again. */
  if (m->turns) {
    out.m = turn_order(J, m, 0, &G->m.x, stride, k);
    out.f = turn_order(J, m, 0, &G->f.x, stride, k);
  }
  f[k * wide] = out.f;
  if (m->slides) out.m = v3_add(out.m, slide_order(J, m, &f->x, 3 * wide, k));
  out.m = v3_add(out.m, cross(m->y, out.f));
  return out;
}

/* The same for a spherical or free joint. */
static inline wrench group_inward(const jets *J, int i, wrench F, wrench *G, vec3 *f, int wide, int k) {
  int stride = 6 * wide;
  wrench out;
  G[k * wide] = F;
  out.m = group_turn(J, i, 0, &G->m.x, stride, k);
  out.f = group_turn(J, i, 0, &G->f.x, stride, k);
  f[k * wide] = out.f;
  if (J->t->body[i].kind == JN_BODY_FREE) out.m = v3_add(out.m, group_slide(J, i, &f->x, 3 * wide, k));
  return out;
}

/* Order k of the wrench F through the joint of body i: from the body's frame to the parent body's, Ad*_{(B J)^-1} F.
 * S^T F is added to tau [nv] (may be NULL). */
static inline wrench joint_inward(const jets *J, int i, wrench F, int k, real *tau) {
  const JN_S(tree) *t = J->t;
  int wide = t->nd + t->nb;
  const JN_S(body) *b = &t->body[i];
  if (is_group(b)) {
    real six[6];
    w_store(F, six);
    for (int c = 0; c < b->nv && tau; c++) tau[b->iv + c] += six[c];
    F = group_inward(J, i, F, J->G + t->nd + i, J->f + t->nd + i, wide, k);
  }
  for (int part = parts_of(b) - 1; part >= 0; part--) {
    elementary_motion m = joint_part(t, i, part);
    real force;
    F = part_inward(J, &m, F, J->G + m.place, J->f + m.place, wide, k, &force);
    if (tau) tau[m.iv] += force;
  }
  return w_Ad_inverse(se3_constant(b->R, b->p), F);
}

/* Inwards: order k of the wrenches through all joints. F holds the bodies' own wrenches and gets those of their
 * children added; tau [nv] (may be NULL) becomes S^T F. Returns the wrench that reaches the world, in its frame. */
static inline wrench inward_order(const jets *J, int k, real *tau) {
  const JN_S(tree) *t = J->t;
  int nb = t->nb;
  wrench ground = w_zero();
  for (int r = 0; r < t->nv && tau; r++) tau[r] = ZERO;
  for (int i = nb - 1; i >= 0; i--) {
    int p = t->body[i].parent;
    wrench *to = p >= 0 ? &J->F[k * nb + p] : &ground;
    *to = w_add(*to, joint_inward(J, i, J->F[k * nb + i], k, tau));
  }
  return ground;
}

/* Order k of the wrench that accelerates a body, I (k+1) V_{k+1} - sum_j ad*_{V_j} I V_{k-j}; V [.][stride]. */
static inline wrench inertial_order(inertia I, const twist *V, int stride, int k) {
  wrench F = i_mul(I, t_scale(K(k + 1), V[(k + 1) * stride]));
  for (int j = 0; j <= k; j++) F = w_sub(F, w_ad(V[j * stride], i_mul(I, V[(k - j) * stride])));
  return F;
}

#endif
