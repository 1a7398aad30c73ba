/* SPDX-License-Identifier: BSD-2-Clause */
/* Inverse dynamics to any order of time (jets.c), all orders of a body before the next one, so that its constants are
 * loaded once. A body moves by the series of its angular velocity w and of the acceleration a of its origin, in its own
 * frame, and B(t) = [dw] + [w]^2 gives that of its other points (acceleration_tensor.h):
 *
 *   w_child = R^T w + z x',   a_child = R^T (a + B p),   f = m a + B h,   m = h x a + J dw + w x J w
 *
 * with products of series for products. Joints with one coordinate are about z of the body's frame, where turning
 * leaves z alone and a series has no axis to take out; the others go through the twists of jets.h. Seven joints in
 * lanes of four, orders 1 to 4: 131, 178, 240, 313 ns a state, where twists and I dV - ad* I V took 211, 276, 380, 464.
 */
#ifndef JN_KERNEL_JETS_INVERSE_DYNAMICS_JET_ANY_H
#define JN_KERNEL_JETS_INVERSE_DYNAMICS_JET_ANY_H

#include "../inverse_dynamics/acceleration_tensor.h"
#include "jets.h"

/* What is kept of all bodies, the body as the slow index. */
typedef struct jet_sweeps {
  const jets *J;
  twist *V;    /* [nb][orders] of joints that are not about z, and of their parents */
  wrench *F;   /* [nb][orders] */
  vec3 *kept;  /* [nb][2 orders] w and a of bodies with several children */
  real *c, *s; /* [nb][orders] cosine and sine of joints about z */
  real *tau;   /* [orders - 1][nv] */
} jet_sweeps;

/* ---- joints that are not about z ---- */

/* A free or spherical joint on the base: w and v are the coordinates' rates, and what the base falls by turns with the
 * body, (k+1) g_{k+1} = (g x w)_k. */
static inline void group_first(const jets *J, int i, int orders, twist *V) {
  const JN_S(tree) *t = J->t;
  const JN_S(body) *b = &t->body[i];
  vec3 fall = m3_tmul(m3_constant(b->R), base_acceleration(t).v);
  for (int k = 0; k < orders; k++) {
    const real *v = J->v + k * t->nv + b->iv;
    V[k] = (twist){v3_load(v), v3_zero()};
    if (k == 1) V[k].v = m3_tmul(joint_motion(t, b, J->q).R, fall);
    for (int j = 0; j < k - 1; j++) V[k].v = v3_add(V[k].v, cross(V[k - 1 - j].v, V[j].w));
    if (k > 2) V[k].v = v3_scale(reciprocal(k - 1), V[k].v);
  }
  for (int k = 0; k < orders && b->kind == JN_BODY_FREE; k++)
    V[k].v = v3_add(V[k].v, v3_load(J->v + k * t->nv + b->iv + 3));
}

static inline void general_outward(const jet_sweeps *S, int i, int orders) {
  const jets *J = S->J;
  const JN_S(tree) *t = J->t;
  const JN_S(body) *b = &t->body[i];
  int wide = t->nd + t->nb;
  pose placed = se3_constant(b->R, b->p);
  twist *V = S->V + i * orders;
  if (is_group(b) && b->parent < 0) {
    group_first(J, i, orders, V);
    return;
  }
  for (int k = 0; k < orders; k++) {
    motion_order(J, i, k);
    twist before = k == 1 ? base_acceleration(t) : t_zero();
    V[k] = t_Ad_inverse(placed, b->parent >= 0 ? S->V[b->parent * orders + k] : before);
    if (is_group(b)) V[k] = group_outward(J, i, V[k], J->v + k * t->nv + b->iv, J->U + t->nd + i, wide, k);
  }
  for (int part = 0; part < parts_of(b); part++) {
    elementary_motion m = joint_part(t, i, part);
    for (int k = 0; k < orders; k++) V[k] = part_outward(J, &m, V[k], J->v[k * t->nv + m.iv], J->U + m.place, wide, k);
  }
}

static inline void general_inward(const jet_sweeps *S, int i, int orders) {
  const JN_S(tree) *t = S->J->t;
  const JN_S(body) *b = &t->body[i];
  int p = b->parent;
  for (int k = 0; k < orders - 1 && p < 0 && is_group(b); k++) {
    real six[6];
    w_store(S->F[i * orders + k], six);
    for (int c = 0; c < b->nv; c++) S->tau[k * t->nv + b->iv + c] += six[c];
  }
  for (int k = 0; k < orders - 1 && !(p < 0 && is_group(b)); k++) {
    wrench F = joint_inward(S->J, i, S->F[i * orders + k], k, S->tau + k * t->nv);
    if (p >= 0) S->F[p * orders + k] = w_add(S->F[p * orders + k], F);
  }
}

#if !JN_REGISTERS

/* ---- joints about z ---- */

/* The body at hand: w [orders], a [orders - 1], B [orders - 1]; and room for as many vectors [2 orders]. */
typedef struct body_series {
  vec3 *w, *a;
  mat3 *B;
  vec3 *u;
} body_series;

/* Translation along z for each unit of the joint's position. */
static inline real advance(const JN_S(body) * b) { return b->kind == JN_BODY_PRISMATIC ? K(1) : splat(b->pitch); }

/* Order k of that translation. */
static inline real slide(const jets *J, const JN_S(body) * b, int k) {
  if (k == 0) return advance(b) * joint_position(b, J->q);
  return reciprocal(k) * advance(b) * splat(b->ratio) * J->v[(k - 1) * J->t->nv + b->iv];
}

/* Cosine and sine of the joint's position (see motion_order; j x_j = ratio v_{j-1}). */
FLAT void z_series(const jet_sweeps *S, int i, int orders) {
  const jets *J = S->J;
  const JN_S(body) *b = &J->t->body[i];
  int nv = J->t->nv;
  const real *v = J->v + b->iv;
  real ratio = splat(b->ratio), *c = S->c + i * orders, *s = S->s + i * orders;
  c[0] = J->turn.c[i];
  s[0] = J->turn.s[i];
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

/* Order k of R_z^T u, where u is every `stride`th vector; R_z u with the sign -1. */
FLAT vec3 z_turn(const real *c, const real *s, int sign, const vec3 *u, int stride, int k) {
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

/* out = R^T v of so many vectors: row by row, because each constant takes a register. */
FLAT void placed_in(const scalar R[9], int count, const vec3 *v, vec3 *out) {
  real a = splat(R[0]), b = splat(R[3]), c = splat(R[6]);
  for (int i = 0; i < count; i++) out[i].x = a * v[i].x + b * v[i].y + c * v[i].z;
  a = splat(R[1]), b = splat(R[4]), c = splat(R[7]);
  for (int i = 0; i < count; i++) out[i].y = a * v[i].x + b * v[i].y + c * v[i].z;
  a = splat(R[2]), b = splat(R[5]), c = splat(R[8]);
  for (int i = 0; i < count; i++) out[i].z = a * v[i].x + b * v[i].y + c * v[i].z;
}

/* Order k of the products of w with itself. */
FLAT sym3 products_order(const vec3 *w, int k) {
  sym3 s = {ZERO, ZERO, ZERO, ZERO, ZERO, ZERO};
  for (int j = 0; j <= k; j++) {
    vec3 a = w[j], b = w[k - j];
    s.xy += a.x * b.y;
    s.xz += a.x * b.z;
    s.yz += a.y * b.z;
    if (2 * j >= k) continue;
    s.xx += a.x * b.x;
    s.yy += a.y * b.y;
    s.zz += a.z * b.z;
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

static inline acceleration_tensor acceleration_tensor_order(const vec3 *w, int k) {
  return acceleration_tensor_of(products_order(w, k), v3_scale(K(k + 1), w[k + 1]));
}

/* Adds what a joint that slides moves the origin by: x'' z + 2 w x x' z + B x z, all in the body's frame. */
FLAT void slide_out(const jet_sweeps *S, const JN_S(body) * b, int orders, const body_series *m) {
  const jets *J = S->J;
  for (int k = 0; k < orders - 1; k++) m->a[k].z += K((k + 1) * (k + 2)) * slide(J, b, k + 2);
  for (int i = 0; i < orders - 1; i++) { /* B of every order once */
    vec3 w = m->w[i], z = acceleration_tensor_order(m->w, i).B.z;
    for (int k = i; k < orders - 1; k++) {
      real rate = K(2 * (k - i + 1)) * slide(J, b, k - i + 1);
      m->a[k].x += rate * w.y;
      m->a[k].y -= rate * w.x;
      m->a[k] = v3_axpy(slide(J, b, k - i), z, m->a[k]);
    }
  }
}

/* A body on the base: w = z x', and what the base falls by turned. */
FLAT void z_first(const jet_sweeps *S, int i, int orders, const body_series *m) {
  const JN_S(body) *b = &S->J->t->body[i];
  const real *rate = S->J->v + b->iv, *c = S->c + i * orders, *s = S->s + i * orders;
  vec3 a = base_acceleration(S->J->t).v, fall;
  placed_in(b->R, 1, &a, &fall);
  int turns = b->kind != JN_BODY_PRISMATIC, nv = S->J->t->nv;
  for (int k = 0; k < orders; k++) m->w[k] = v3(ZERO, ZERO, turns ? splat(b->ratio) * rate[k * nv] : ZERO);
  for (int k = 0; k < orders - 1; k++) {
    m->a[k] = k ? v3_zero() : fall;
    if (turns) m->a[k] = v3(c[k] * fall.x + s[k] * fall.y, c[k] * fall.y - s[k] * fall.x, m->a[k].z);
  }
}

/* From the parent to body i, which moves about z. */
FLAT void z_outward(const jet_sweeps *S, int i, int orders, const body_series *m) {
  const JN_S(body) *b = &S->J->t->body[i];
  const real *rate = S->J->v + b->iv, *c = S->c + i * orders, *s = S->s + i * orders;
  int nv = S->J->t->nv, turns = b->kind != JN_BODY_PRISMATIC, count = orders - 1;
  vec3 *u = m->u, p = v3_constant(b->p);
  for (int k = 0; k < count; k++) m->a[k] = v3_add(m->a[k], m3_mul(m->B[k], p));
  placed_in(b->R, orders, m->w, u);
  placed_in(b->R, count, m->a, u + orders);
  for (int k = 0; k < orders; k++) m->w[k] = turns ? z_turn(c, s, 1, u, 1, k) : u[k];
  for (int k = 0; k < count; k++) m->a[k] = turns ? z_turn(c, s, 1, u + orders, 1, k) : u[orders + k];
  for (int k = 0; k < orders && turns; k++) m->w[k].z += splat(b->ratio) * rate[k * nv];
}

FLAT void about_z_outward(const jet_sweeps *S, int i, int orders, const body_series *m) {
  const JN_S(body) *b = &S->J->t->body[i];
  if (b->parent < 0)
    z_first(S, i, orders, m);
  else
    z_outward(S, i, orders, m);
  if (b->kind != JN_BODY_REVOLUTE) slide_out(S, b, orders, m);
}

/* B of the body at hand, and the wrenches that accelerate it, less external ones. */
FLAT void own_wrenches(const jet_sweeps *S, int i, int orders, const body_series *m) {
  const jets *J = S->J;
  inertia I = i_constant(J->t->body[i].inertia);
  for (int k = 0; k < orders - 1; k++) {
    vec3 dw = v3_scale(K(k + 1), m->w[k + 1]);
    acceleration_tensor b = acceleration_tensor_of(products_order(m->w, k), dw);
    m->B[k] = b.B;
    wrench F = {v3_add(cross(I.h, m->a[k]), euler(I.J, dw, &b)), v3_axpy(I.m, m->a[k], m3_mul(b.B, I.h))};
    S->F[i * orders + k] = J->W ? w_sub(F, J->W[k * J->t->nb + i]) : F;
  }
}

/* ---- other joints ---- */

/* The parent's twists, seen from where its origin is at rest at this instant: (k+1) v_{k+1} = a_k - (w x v)_k. */
static inline void twists_of(const body_series *m, int orders, twist *V) {
  for (int k = 0; k < orders; k++) {
    V[k] = (twist){m->w[k], k ? m->a[k - 1] : v3_zero()};
    for (int j = 0; j < k; j++) V[k].v = v3_sub(V[k].v, cross(m->w[j], V[k - 1 - j].v));
    if (k > 1) V[k].v = v3_scale(reciprocal(k), V[k].v);
  }
}

static __attribute__((noinline)) void other_outward(const jet_sweeps *S, int i, int orders, const body_series *m) {
  int p = S->J->t->body[i].parent;
  const twist *V = S->V + i * orders;
  if (p >= 0) twists_of(m, orders, S->V + p * orders);
  general_outward(S, i, orders);
  for (int k = 0; k < orders; k++) m->w[k] = V[k].w;
  for (int k = 0; k < orders - 1; k++) {
    m->a[k] = v3_scale(K(k + 1), V[k + 1].v);
    for (int j = 0; j <= k; j++) m->a[k] = v3_add(m->a[k], cross(V[j].w, V[k - j].v));
  }
}

static __attribute__((noinline)) void other_inward(const jet_sweeps *S, int i, int orders) {
  general_inward(S, i, orders);
}

/* ---- the way back ---- */

/* to += Ad*_{X^-1} G of so many orders, X the constant place of the joint. */
FLAT void placed_out(const JN_S(body) * b, int count, const wrench *G, wrench *to) {
  mat3 R = m3_constant(b->R);
  vec3 p = v3_constant(b->p);
  for (int k = 0; k < count; k++) {
    vec3 f = m3_mul(R, G[k].f), m = v3_add(to[k].m, cross(p, f));
    to[k].m = v3_axpy(G[k].m.x, R.x, v3_axpy(G[k].m.y, R.y, v3_axpy(G[k].m.z, R.z, m)));
    to[k].f = v3_add(to[k].f, f);
  }
}

FLAT void z_inward(const jet_sweeps *S, int i, int orders, const body_series *m) {
  const jets *J = S->J;
  const JN_S(body) *b = &J->t->body[i];
  int turns = b->kind != JN_BODY_PRISMATIC, slides = b->kind != JN_BODY_REVOLUTE, count = orders - 1;
  const real *c = S->c + i * orders, *s = S->s + i * orders;
  wrench *F = S->F + i * orders, *G = (wrench *)(void *)m->u;
  for (int k = 0; k < count; k++) {
    real force = turns ? F[k].m.z : ZERO;
    if (slides) force += advance(b) * F[k].f.z;
    S->tau[k * J->t->nv + b->iv] += splat(b->ratio) * force;
  }
  if (b->parent < 0) return;
  for (int k = 0; k < count; k++)
    G[k] = turns ? (wrench){z_turn(c, s, -1, &F->m, 2, k), z_turn(c, s, -1, &F->f, 2, k)} : F[k];
  for (int k = 0; k < count && slides; k++) /* G.m += x(t) (z x G.f) */
    for (int j = 0; j <= k; j++) {
      real x = slide(J, b, j);
      G[k].m.x -= x * G[k - j].f.y;
      G[k].m.y += x * G[k - j].f.x;
    }
  placed_out(b, count, G, S->F + b->parent * orders);
}

/* w, a and B of the parent of body i, if that is not the body before. */
static inline void fetch_parent(const jet_sweeps *S, int i, int orders, const body_series *m) {
  int p = S->J->t->body[i].parent;
  if (p < 0 || p == i - 1) return;
  const vec3 *kept = S->kept + 2 * p * orders;
  for (int k = 0; k < orders; k++) m->w[k] = kept[k];
  for (int k = 0; k < orders - 1; k++) {
    m->a[k] = kept[orders + k];
    m->B[k] = acceleration_tensor_order(m->w, k).B;
  }
}

static inline void keep(const jet_sweeps *S, int i, int orders, const body_series *m) {
  const JN_S(body) *b = &S->J->t->body[i];
  if (i + 1 >= b->end || b[1].end >= b->end) return; /* none or one child */
  vec3 *kept = S->kept + 2 * i * orders;
  for (int k = 0; k < orders; k++) kept[k] = m->w[k];
  for (int k = 0; k < orders - 1; k++) kept[orders + k] = m->a[k];
}

/* What does not wait for another body: the series of all joints, and what their rotors take. */
FLAT void prepare_joints(const jet_sweeps *S, int orders) {
  const JN_S(tree) *t = S->J->t;
  for (int k = 0; k < (orders - 1) * t->nv; k++) S->tau[k] = ZERO;
  for (int i = 0; i < t->nb; i++) {
    const JN_S(body) *b = &t->body[i];
    if (is_about_z(b)) z_series(S, i, orders);
    for (int c = 0; c < b->nv; c++) {
      real armature = armature_of(t, b, c), *tau = S->tau + b->iv + c;
      const real *v = S->J->v + b->iv + c;
      for (int k = 0; k < orders - 1; k++) tau[k * t->nv] += armature * K(k + 1) * v[(k + 1) * t->nv];
    }
  }
}

FLAT void inverse_all(const jet_sweeps *S, int orders, const body_series *m) {
  const JN_S(tree) *t = S->J->t;
  prepare_joints(S, orders);
  for (int i = 0; i < t->nb; i++) {
    fetch_parent(S, i, orders, m);
    if (is_about_z(&t->body[i]))
      about_z_outward(S, i, orders, m);
    else
      other_outward(S, i, orders, m);
    keep(S, i, orders, m);
    own_wrenches(S, i, orders, m);
  }
  for (int i = t->nb - 1; i >= 0; i--) {
    if (is_about_z(&t->body[i]))
      z_inward(S, i, orders, m);
    else
      other_inward(S, i, orders);
  }
}

static inline body_series jet_sweeps_place(jet_sweeps *S, int orders, real **at) {
  int nb = S->J->t->nb;
  S->kept = TAKE(at, 2 * nb * orders, vec3);
  S->c = TAKE(at, nb * orders, real);
  S->s = TAKE(at, nb * orders, real);
  body_series m = {TAKE(at, orders, vec3), TAKE(at, orders, vec3), TAKE(at, orders, mat3), TAKE(at, 2 * orders, vec3)};
  return m;
}

/* Orders 1 to 4 have instances of their own, which take 0.87 to 0.9 of the time (seven joints, AVX2); that of
 * order 2 is the second-order algorithm of mueller2021, unrolled. Higher ones gain too little. */
static inline void inverse_of_order(const jet_sweeps *S, int orders, const body_series *any) {
#if JN_KIND == JN_KIND_D || JN_KIND == JN_KIND_F
  enum { MOST = 6 };
  vec3 w[MOST], a[MOST], u[2 * MOST];
  mat3 B[MOST];
  body_series m = {w, a, B, u};
  switch (orders) {
    case 3:
      inverse_all(S, 3, &m);
      return;
    case 4:
      inverse_all(S, 4, &m);
      return;
    case 5:
      inverse_all(S, 5, &m);
      return;
    case 6:
      inverse_all(S, 6, &m);
      return;
    default:
      break;
  }
#endif
  inverse_all(S, orders, any);
}

#endif

#endif
