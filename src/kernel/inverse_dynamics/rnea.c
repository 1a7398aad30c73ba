/* SPDX-License-Identifier: BSD-2-Clause */
/* RNEA, inverse dynamics alone: the most called of all (kim2012 Table 2). in: q, v, a, wrenches (NULL: zero).
 * arg[0]: FORCES_... of rnea.h. out: tau [nv]. O(n). */
#include "rnea.h"

#include "../base/row.h"
#include "../base/springs.h"
#include "acceleration_tensor.h"

/* How a body moves, in its own frame: angular velocity and its rate, and the acceleration of its origin
 * (acceleration_tensor.h). */
typedef struct body_motion {
  vec3 w, dw, a;
} body_motion;

/* Rotations by a joint that turns about z after the constant rotation of its frame, into the body and back: no matrix
 * is kept. Row by row for all vectors, because each constant takes a register. */
static inline void turn_in(const JN_S(body) * b, real c, real s, int count, vec3 *const v[]) {
  real x[3], y[3], z[3], k0 = splat(b->R[0]), k1 = splat(b->R[3]), k2 = splat(b->R[6]);
  for (int i = 0; i < count; i++) x[i] = k0 * v[i]->x + k1 * v[i]->y + k2 * v[i]->z;
  k0 = splat(b->R[1]), k1 = splat(b->R[4]), k2 = splat(b->R[7]);
  for (int i = 0; i < count; i++) y[i] = k0 * v[i]->x + k1 * v[i]->y + k2 * v[i]->z;
  k0 = splat(b->R[2]), k1 = splat(b->R[5]), k2 = splat(b->R[8]);
  for (int i = 0; i < count; i++) z[i] = k0 * v[i]->x + k1 * v[i]->y + k2 * v[i]->z;
  for (int i = 0; i < count; i++) *v[i] = v3(c * x[i] + s * y[i], c * y[i] - s * x[i], z[i]);
}
/* to + the vector; what waits for the body further out comes last. */
static inline vec3 turn_out(const JN_S(body) * b, real c, real s, vec3 a, vec3 to) {
  mat3 R = m3_constant(b->R);
  real x = c * a.x - s * a.y, y = s * a.x + c * a.y;
  return v3_axpy(y, R.y, v3_axpy(x, R.x, v3_axpy(a.z, R.z, to)));
}

/* From the parent, which has m and B, to a body that turns about z: S = (z, 0). */
FLAT void turn_on(const JN_S(body) * b, const real *v, const real *a, int moving, real c, real s, const mat3 *B,
                  body_motion *m) {
  if (moving && b->parent >= 0) {
    m->a = v3_add(m->a, m3_mul(*B, v3_constant(b->p)));
    turn_in(b, c, s, 3, (vec3 *const[]){&m->w, &m->dw, &m->a});
  } else {
    turn_in(b, c, s, 1, (vec3 *const[]){&m->a});
  }
  real ratio = splat(b->ratio);
  if (moving && a) m->dw.z += ratio * a[b->iv];
  if (!moving || !v) return;
  real rate = ratio * v[b->iv];
  m->dw.x += rate * m->w.y;
  m->dw.y -= rate * m->w.x;
  m->w.z += rate;
}

/* S x of a joint whose screws are the axes of the body. */
static inline twist group_twist(const JN_S(body) * b, const real *x) {
  return (twist){v3_load(x), b->kind == JN_BODY_FREE ? v3_load(x + 3) : v3_zero()};
}

/* Adds the joint's own velocity (w, v), and its rate, both in the body's frame. */
static inline void add_joint(const JN_S(tree) * t, const JN_S(body) * b, const real *q, const real *v, const real *a,
                             body_motion *m) {
  twist S[6], rate[6], own = t_zero(), change = t_zero();
  int group = is_group(b);
  if (group && v) own = group_twist(b, v + b->iv);
  if (group && a) change = group_twist(b, a + b->iv);
  if (!group) joint_screws(t, b, q, v, S, v ? rate : NULL);
  for (int k = 0; k < b->nv && !group; k++) {
    if (v) own = t_axpy(v[b->iv + k], S[k], own);
    if (v) change = t_axpy(v[b->iv + k], rate[k], change);
    if (a) change = t_axpy(a[b->iv + k], S[k], change);
  }
  vec3 w = v3_add(m->w, own.w);
  m->dw = v3_add(m->dw, v3_add(cross(m->w, own.w), change.w));
  m->a = v3_add(m->a, v3_add(cross(v3_add(m->w, w), own.v), change.v)); /* 2 w_p x v + w x v + dv */
  m->w = w;
}

/* The same for any joint; out of line, so that the others keep their registers. */
static __attribute__((noinline)) void move_on(const JN_S(tree) * t, int i, const real *q, const real *v, const real *a,
                                              const angles *turn, const mat3 *B, pose *X, body_motion *m) {
  const JN_S(body) *b = &t->body[i];
  *X = body_pose(t, b, q, turn->c[i], turn->s[i]);
  if (b->parent >= 0) {
    m->w = m3_tmul(X->R, m->w);
    m->dw = m3_tmul(X->R, m->dw);
    m->a = v3_add(m->a, m3_mul(*B, X->p));
  }
  m->a = m3_tmul(X->R, m->a);
  if (v || a) add_joint(t, b, q, v, a, m);
}

/* Of all bodies; X of those that do not turn about z. moving: v or a is given. */
FLAT void inertial_wrenches(const JN_S(tree) * t, const real *q, const real *v, const real *a, int moving, vec3 base,
                            const angles *turn, pose *X, body_motion *kept, wrench *F) {
  body_motion m = {v3_zero(), v3_zero(), base};
  acceleration_tensor B = acceleration_tensor_of(products(m.w), m.dw);
  for (int i = 0; i < t->nb; i++) { /* m, B: of the body before, which is most often the parent */
    const JN_S(body) *b = &t->body[i];
    if (b->parent < 0) {
      m = (body_motion){v3_zero(), v3_zero(), base};
    } else if (b->parent != i - 1) {
      m = kept[b->parent];
      if (moving) B = acceleration_tensor_of(products(m.w), m.dw);
    }
    if (b->kind == JN_BODY_REVOLUTE) {
      turn_on(b, v, a, moving, turn->c[i], turn->s[i], &B.B, &m);
    } else {
      body_motion o = m; /* a copy, because what has an address stays in memory */
      mat3 tensor = B.B;
      move_on(t, i, q, v, a, turn, &tensor, &X[i], &o);
      m = o;
    }
    if (i + 1 < b->end && t->body[i + 1].end < b->end) kept[i] = m; /* it has another child */
    inertia I = i_constant(b->inertia);
    wrench own = {cross(I.h, m.a), v3_scale(I.m, m.a)};
    if (moving) {
      B = acceleration_tensor_of(products(m.w), m.dw);
      own = (wrench){v3_add(own.m, euler(I.J, m.dw, &B)), v3_add(own.f, m3_mul(B.B, I.h))};
    }
    F[i] = own;
  }
}

/* Adds S^T F of a body that does not turn about z. */
static __attribute__((noinline)) void add_forces(const JN_S(tree) * t, const JN_S(body) * b, const real *q, wrench F,
                                                 real *tau) {
  twist S[6];
  joint_screws(t, b, q, NULL, S, NULL);
  for (int k = 0; k < b->nv; k++) tau[b->iv + k] += power(F, S[k]);
}

/* to + the wrench F of body i in its parent. */
static inline wrench add_in_parent(const JN_S(body) * b, real c, real s, const pose *X, wrench F, wrench to) {
  if (b->kind != JN_BODY_REVOLUTE) return w_add(to, w_Ad_inverse(*X, F));
  vec3 f = turn_out(b, c, s, F.f, v3_zero());
  return (wrench){turn_out(b, c, s, F.m, v3_add(to.m, cross(v3_constant(b->p), f))), v3_add(to.f, f)};
}

/* tau += S^T F, and F of all bodies becomes what passes through their joints. The wrench on its way goes from body to
 * body in registers: this is the longest chain of instructions that wait for each other. */
static inline void inward(const JN_S(tree) * t, const real *q, const angles *turn, const pose *X, wrench *F,
                          real *tau) {
  wrench own = t->nb > 0 ? F[t->nb - 1] : w_zero();
  for (int i = t->nb - 1; i >= 0; i--) {
    const JN_S(body) *b = &t->body[i];
    int p = b->parent;
    if (b->kind == JN_BODY_REVOLUTE)
      tau[b->iv] += splat(b->ratio) * own.m.z;
    else
      add_forces(t, b, q, own, tau);
    if (p >= 0 && p == i - 1) {
      own = add_in_parent(b, turn->c[i], turn->s[i], &X[i], own, F[p]);
    } else if (i > 0) {
      if (p >= 0) F[p] = add_in_parent(b, turn->c[i], turn->s[i], &X[i], own, F[p]);
      own = F[i - 1];
    }
  }
}

typedef struct newton_room {
  pose *X;           /* [nb] */
  body_motion *kept; /* [nb] */
  wrench *F;         /* [nb] */
} newton_room;

static inline newton_room newton_place(const JN_S(tree) * t, real **at) {
  newton_room r = {TAKE(at, t->nb, pose), TAKE(at, t->nb, body_motion), TAKE(at, t->nb, wrench)};
  return r;
}

real *JN_(newton_scratch)(const JN_S(tree) * t, real *at) {
  newton_place(t, &at);
  return at;
}

static inline void newton_euler(const JN_S(tree) * t, const real *q, const real *v, const real *a, const real *wrenches,
                                vec3 base, const angles *turn, real *at, real *tau) {
  newton_room r = newton_place(t, &at);
  pose *X = r.X;
  body_motion *kept = r.kept;
  wrench *F = r.F;
  if (v || a)
    inertial_wrenches(t, q, v, a, 1, base, turn, X, kept, F);
  else
    inertial_wrenches(t, q, NULL, NULL, 0, base, turn, X, kept, F);
  for (int l = 0; l < t->nlink && wrenches; l++) {
    int i = t->frame[l].body;
    if (i >= 0) F[i] = w_sub(F[i], w_Ad_inverse(link_in_body(t, l), w_load(wrenches + 6 * l)));
  }
  for (int k = 0; k < t->nv; k++) tau[k] = ZERO;
  for (int i = 0; i < t->nb && a; i++)
    for (int k = 0; k < t->body[i].nv; k++)
      tau[t->body[i].iv + k] += armature_of(t, &t->body[i], k) * a[t->body[i].iv + k];
  inward(t, q, turn, X, F, tau);
}

void JN_(newton_forces)(const JN_S(tree) * t, const real *q, const real *v, const real *a, const real *wrenches,
                        int which, const angles *turn, real *at, real *tau) {
  twist base = which == FORCES_WEIGHTLESS ? t_zero() : base_acceleration(t);
  newton_euler(t, q, v, a, wrenches, base.v, turn, at, tau);
  if (which == FORCES_ALL) add_springs(t, q, K(1), tau);
}

void JN_(newton)(const jn_call *c) {
  const JN_S(tree) *t = c->tree;
  real *at = c->scratch;
  angles turn = angles_at(t, c->in[0], &at);
  if (counts(c, JN_(newton_scratch)(t, at))) return;
  JN_(newton_forces)(t, c->in[0], c->in[1], c->in[2], c->in[3], c->arg[0], &turn, at, c->out[0]);
}
