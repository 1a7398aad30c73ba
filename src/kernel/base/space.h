/* SPDX-License-Identifier: BSD-2-Clause */
/* Vectors of space for sweeps in which each body waits for the one before: with AVX2 and one state a vector is one
 * register (x, y, z and zero), otherwise three numbers. Screws and the axes of bodies are made of them. */
#ifndef JN_KERNEL_BASE_SPACE_H
#define JN_KERNEL_BASE_SPACE_H

#include "registers.h"
#include "world.h"

#if JN_REGISTERS

typedef r4 space;

static inline space sp_of(vec3 a) { return r4_set(a.x, a.y, a.z, 0); }
static inline vec3 sp_numbers(space a) { return v3(a[0], a[1], a[2]); }
static inline space sp_zero(void) { return r4_zero(); }
static inline space sp_load(const scalar *a) { return v4_load(a); }
static inline space sp_add(space a, space b) { return a + b; }
static inline space sp_sub(space a, space b) { return a - b; }
/* Component by component, and the sum of components. */
static inline space sp_times(space a, space b) { return a * b; }
static inline real sp_total(space a) { return a[0] + a[1] + a[2]; }
static inline space sp_scale(real s, space a) { return s * a; }
static inline space sp_axpy(real s, space b, space a) { return a + s * b; }
static inline space sp_cross(space a, space b) { return v4_cross(a, b); }
/* Columns, transposed, times a vector; columns times a vector. */
static inline space sp_tmul(space x, space y, space z, space a) { return v4_tmul(x, y, z, a); }
static inline space sp_mul(space x, space y, space z, space a) { return v4_mul(x, y, z, a); }
/* J a of the model's inertia I: m, h, Jxx, Jyy, Jzz, Jxy, Jxz, Jyz. */
static inline space sp_tensor(const scalar *I, space a) {
  return v4_mul(r4_set(I[4], I[7], I[8], 0), r4_set(I[7], I[5], I[9], 0), r4_set(I[8], I[9], I[6], 0), a);
}
/* A pose [4 x 4] by its columns. */
static inline void sp_store_pose(space x, space y, space z, space p, real *out) {
  r4_transpose(&x, &y, &z, &p);
  r4_store(x, out);
  r4_store(y, out + 4);
  r4_store(z, out + 8);
  r4_store(r4_set(0, 0, 0, 1), out + 12);
}

#else

typedef vec3 space;

static inline space sp_of(vec3 a) { return a; }
static inline vec3 sp_numbers(space a) { return a; }
static inline space sp_zero(void) { return v3_zero(); }
static inline space sp_load(const scalar *a) { return v3_constant(a); }
static inline space sp_add(space a, space b) { return v3_add(a, b); }
static inline space sp_sub(space a, space b) { return v3_sub(a, b); }
static inline space sp_times(space a, space b) { return v3(a.x * b.x, a.y * b.y, a.z * b.z); }
static inline real sp_total(space a) { return a.x + a.y + a.z; }
static inline space sp_scale(real s, space a) { return v3_scale(s, a); }
static inline space sp_axpy(real s, space b, space a) { return v3_axpy(s, b, a); }
static inline space sp_cross(space a, space b) { return cross(a, b); }
static inline space sp_tmul(space x, space y, space z, space a) { return v3(dot(x, a), dot(y, a), dot(z, a)); }
static inline space sp_mul(space x, space y, space z, space a) { return m3_mul((mat3){x, y, z}, a); }
static inline space sp_tensor(const scalar *I, space a) { return s3_mul(i_constant(I).J, a); }
static inline void sp_store_pose(space x, space y, space z, space p, real *out) {
  se3_store((pose){{x, y, z}, p}, out);
}

#endif

/* x a.x + y a.y + z a.z. The sum begins with z, which is known first when the columns are those of a body that rotates
 * about z; products are fused in the order of these lines. */
static inline space sp_rotate(space x, space y, space z, vec3 a) {
  space Y = sp_scale(a.y, y), Z = sp_scale(a.z, z);
  return sp_axpy(a.x, x, sp_add(Y, Z));
}
/* The same with constants of the model, `step` apart. */
static inline space sp_sum(space x, space y, space z, const scalar *a, int step) {
  return sp_rotate(x, y, z, v3(splat(a[0]), splat(a[step]), splat(a[2 * step])));
}

static inline real sp_dot(space a, space b) { return sp_total(sp_times(a, b)); }

/* A twist, or a wrench: moment w, force v. */
#if JN_REGISTERS
typedef struct screw {
  space w, v;
} screw;
#else
typedef twist screw;
#endif

static inline screw screw_zero(void) { return (screw){sp_zero(), sp_zero()}; }
static inline screw screw_add(screw a, screw b) { return (screw){sp_add(a.w, b.w), sp_add(a.v, b.v)}; }
static inline screw screw_axpy(real s, screw b, screw a) { return (screw){sp_axpy(s, b.w, a.w), sp_axpy(s, b.v, a.v)}; }
/* The same twist about a point at d from the one before. */
static inline screw screw_shift(screw V, space d) { return (screw){V.w, sp_add(V.v, sp_cross(V.w, d))}; }
/* The same wrench about the point from which the one before is at d. */
static inline screw wrench_shift(screw F, space d) { return (screw){sp_add(F.w, sp_cross(d, F.v)), F.v}; }
static inline twist screw_numbers(screw S) { return (twist){sp_numbers(S.w), sp_numbers(S.v)}; }

/* Rotation x, y, z of a body, by columns, and its origin d from that of its parent, in the world's axes. */
typedef struct axes {
  space x, y, z, d;
} axes;

static inline axes axes_of_world(void) {
  return (axes){sp_of(v3(K(1), ZERO, ZERO)), sp_of(v3(ZERO, K(1), ZERO)), sp_of(v3(ZERO, ZERO, K(1))), sp_zero()};
}

/* Axes of a body that rotates about z by an angle with cosine c and sine s; x, y, z: axes of its parent. */
static inline axes axes_rotate_z(const JN_S(body) * body, real c, real s, space x, space y, space z) {
  space d = sp_sum(x, y, z, body->p, 1), X = sp_sum(x, y, z, body->R, 3), Y = sp_sum(x, y, z, body->R + 1, 3);
  space Z = sp_sum(x, y, z, body->R + 2, 3);
  return (axes){sp_axpy(c, X, sp_scale(s, Y)), sp_sub(sp_scale(c, Y), sp_scale(s, X)), Z, d};
}
/* Axes of body i, for any joint. P: axes of its parent. */
static inline axes axes_outward(const JN_S(tree) * tree, int i, const real *q, angles angle, const axes *P) {
  const JN_S(body) *body = &tree->body[i];
  if (body->kind <= JN_BODY_HELICAL) {
    axes o = axes_rotate_z(body, angle.c[i], angle.s[i], P->x, P->y, P->z);
    if (body->kind == JN_BODY_PRISMATIC) o.d = sp_axpy(joint_position(body, q), o.z, o.d);
    if (body->kind == JN_BODY_HELICAL) o.d = sp_axpy(splat(body->pitch) * joint_position(body, q), o.z, o.d);
    return o;
  }

  /* Several coordinates: the pose in the parent, turned into the world's axes. */
  pose X = body_pose(tree, body, q, angle.c[i], angle.s[i]);
  return (axes){sp_rotate(P->x, P->y, P->z, X.R.x), sp_rotate(P->x, P->y, P->z, X.R.y),
                sp_rotate(P->x, P->y, P->z, X.R.z), sp_rotate(P->x, P->y, P->z, X.p)};
}
/* A twist of the body's axes, in the world's. */
static inline screw axes_screw(const axes *R, twist V) {
  return (screw){sp_rotate(R->x, R->y, R->z, V.w), sp_rotate(R->x, R->y, R->z, V.v)};
}
static inline mat3 axes_rotation(const axes *R) { return (mat3){sp_numbers(R->x), sp_numbers(R->y), sp_numbers(R->z)}; }

/* Screws (w, v) of the coordinates of body i. */
static inline void axes_screws(const JN_S(tree) * tree, int i, const real *q, const axes *R, space *w, space *v) {
  const JN_S(body) *body = &tree->body[i];
  twist S[6];
  if (is_revolute(body)) {
    w[0] = sp_scale(splat(body->ratio), R->z);
    v[0] = sp_zero();
    return;
  }
  if (body->axis == JN_AXIS_TRANSLATION) {
    w[0] = sp_zero();
    v[0] = sp_scale(splat(body->ratio), R->z);
    return;
  }
  joint_screws(tree, body, q, NULL, S, NULL);
  for (int k = 0; k < body->nv; k++) {
    screw X = axes_screw(R, S[k]);
    w[k] = X.w;
    v[k] = X.v;
  }
}

#endif
