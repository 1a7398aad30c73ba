/* SPDX-License-Identifier: BSD-2-Clause */
/* M from inertias of subtrees (garofalo2013 eq. 6a), for every kernel that needs it. With AVX2 and one state a vector
 * of the space lies in one register, x, y, z and zero: a rotation of an inertia takes 18 instructions instead of 45,
 * and M of 7 revolute joints 273 ns; world_mass_matrix(), the twin of all other rows, takes 394. */
#include "mass.h"

#include "quad.h"
#include "row.h"

#if JN_QUAD

typedef struct solid {
  quad x, y, z;       /* columns of the rotation */
  quad d, d_yz, d_zx; /* origin from that of the parent, and its components in turn */
  quad Jx, Jy, Jz, h; /* inertia of the subtree about the origin */
  scalar m, unused[3];
} solid;

typedef struct screw {
  quad w, v;
} screw;

#define LANE(a, k) LANES(a, a, k, k, k, k)
#define YZX(a) LANES(a, a, 1, 2, 0, 3)
#define ZXY(a) LANES(a, a, 2, 0, 1, 3)

static inline quad v4_cross(quad a, quad b) { return YZX(a) * ZXY(b) - ZXY(a) * YZX(b); }
static inline scalar v4_dot(quad a, quad b) {
  quad p = a * b;
  return p[0] + p[1] + p[2];
}
/* Columns times a vector of numbers in memory, `step` apart. */
static inline quad v4_sum(quad x, quad y, quad z, const scalar *a, int step) {
  return x * a[0] + (y * a[step] + z * a[2 * step]);
}

static inline void solid_pose(const JN_S(tree) * t, int i, const real *q, const angles *turn, solid *B, screw *S) {
  const JN_S(body) *b = &t->body[i];
  static const solid ground = {.x = {1, 0, 0, 0}, .y = {0, 1, 0, 0}, .z = {0, 0, 1, 0}};
  const solid *P = b->parent < 0 ? &ground : &B[b->parent];
  solid *o = &B[i];
  if (is_turn(b)) {
    quad x = v4_sum(P->x, P->y, P->z, b->R, 3), y = v4_sum(P->x, P->y, P->z, b->R + 1, 3);
    scalar c = turn->c[i], s = turn->s[i];
    o->z = v4_sum(P->x, P->y, P->z, b->R + 2, 3);
    o->x = c * x + s * y;
    o->y = c * y - s * x;
    o->d = v4_sum(P->x, P->y, P->z, b->p, 1);
    S[b->id].w = o->z * b->ratio;
  } else {
    pose X = body_pose(t, b, q, turn->c[i], turn->s[i]);
    twist own[6];
    real R[9];
    m3_store_rows(X.R, R, 3);
    const real p[3] = {X.p.x, X.p.y, X.p.z};
    o->x = v4_sum(P->x, P->y, P->z, R, 3);
    o->y = v4_sum(P->x, P->y, P->z, R + 1, 3);
    o->z = v4_sum(P->x, P->y, P->z, R + 2, 3);
    o->d = v4_sum(P->x, P->y, P->z, p, 1);
    joint_screws(t, b, q, NULL, own, NULL);
    for (int k = 0; k < b->nv; k++) {
      S[b->id + k].w = o->x * own[k].w.x + o->y * own[k].w.y + o->z * own[k].w.z;
      S[b->id + k].v = o->x * own[k].v.x + o->y * own[k].v.y + o->z * own[k].v.z;
    }
  }
  o->d_yz = YZX(o->d);
  o->d_zx = ZXY(o->d);
}

/* The body's own inertia in the world's axes: R J R^T. */
static inline void solid_inertia(const scalar *I, solid *o) {
  const scalar J[9] = {I[4], I[7], I[8], I[7], I[5], I[9], I[8], I[9], I[6]};
  quad x = o->x, y = o->y, z = o->z;
  quad X = v4_sum(x, y, z, J, 1), Y = v4_sum(x, y, z, J + 3, 1), Z = v4_sum(x, y, z, J + 6, 1);
  o->Jx = X * LANE(x, 0) + (Y * LANE(y, 0) + Z * LANE(z, 0));
  o->Jy = X * LANE(x, 1) + (Y * LANE(y, 1) + Z * LANE(z, 1));
  o->Jz = X * LANE(x, 2) + (Y * LANE(y, 2) + Z * LANE(z, 2));
  o->h = v4_sum(x, y, z, I + 1, 1);
  o->m = I[0];
}

/* to += the inertia of o about to's origin: J + (d.u) E - (d u^T + u d^T)/2, u = 2 h + m d. */
static inline void solid_add(solid *to, const solid *o) {
  quad md = o->m * o->d, u = 2 * o->h + md, v = (scalar)-0.5 * u, e = (scalar)-0.5 * o->d;
  scalar s = v4_dot(o->d, u);
  to->Jx += o->Jx + s * q4(1, 0, 0, 0) + (v * LANE(o->d, 0) + e * LANE(u, 0));
  to->Jy += o->Jy + s * q4(0, 1, 0, 0) + (v * LANE(o->d, 1) + e * LANE(u, 1));
  to->Jz += o->Jz + s * q4(0, 0, 1, 0) + (v * LANE(o->d, 2) + e * LANE(u, 2));
  to->h += o->h + md;
  to->m += o->m;
}

/* Row and column of coordinate k of body i. */
static inline void solid_entries(const JN_S(tree) * t, const solid *B, const screw *S, int i, int k, int by_body,
                                 real *M) {
  const JN_S(body) *b = &t->body[i];
  const solid *o = &B[i];
  int n = t->nv, first = by_body ? b->id : b->iv, row = first + k;
  screw e = S[b->id + k];
  quad m = o->Jx * LANE(e.w, 0) + (o->Jy * LANE(e.w, 1) + o->Jz * LANE(e.w, 2)), f = v4_cross(e.w, o->h);
  if (is_turn(b)) {
    M[row * n + row] += v4_dot(m, e.w) + armature_of(t, b, k);
  } else {
    m += v4_cross(o->h, e.v);
    f += o->m * e.v;
    M[row * n + row] += v4_dot(m, e.w) + v4_dot(f, e.v) + armature_of(t, b, k);
  }
  for (int l = 0; l < k; l++) {
    scalar x = v4_dot(m, S[b->id + l].w) + v4_dot(f, S[b->id + l].v);
    M[row * n + first + l] += x;
    M[(first + l) * n + row] += x;
  }
  quad f_yz = YZX(f), f_zx = ZXY(f);
  for (int j = i; t->body[j].parent >= 0;) {
    m += B[j].d_yz * f_zx - B[j].d_zx * f_yz;
    j = t->body[j].parent;
    const JN_S(body) *c = &t->body[j];
    int column = by_body ? c->id : c->iv, turns = is_turn(c);
    for (int l = 0; l < c->nv; l++) {
      scalar x = v4_dot(m, S[c->id + l].w);
      if (!turns) x += v4_dot(f, S[c->id + l].v);
      M[row * n + column + l] += x;
      M[(column + l) * n + row] += x;
    }
  }
}

void JN_(mass_matrix)(const JN_S(tree) * t, const real *q, const angles *turn, int elimination, real *at, real *M) {
  solid *B = TAKE_ALIGNED(&at, t->nb, solid);
  screw *S = TAKE(&at, t->nd, screw);
  int by_body = elimination && !t->coupled;
  for (int i = 0; i < t->nb; i++) {
    solid_pose(t, i, q, turn, B, S);
    solid_inertia(t->body[i].inertia, &B[i]);
  }
  for (int k = 0; k < t->nv * t->nv; k++) M[k] = 0;
  for (int i = t->nb - 1; i >= 0; i--) {
    for (int k = 0; k < t->body[i].nv; k++) solid_entries(t, B, S, i, k, by_body, M);
    if (t->body[i].parent >= 0) solid_add(&B[t->body[i].parent], &B[i]);
  }
}

#else

/* world_outward() of a body that turns about z, for M alone: the constant rotation first, then the turn. */
FLAT void turn_pose(const world *w, int i, real c, real s) {
  const JN_S(body) *b = &w->t->body[i];
  mat3 A = m3_constant(b->R);
  vec3 d = v3_constant(b->p);
  if (b->parent >= 0) {
    mat3 P = w->R[b->parent];
    d = m3_mul(P, d);
    A = m3_prod(P, A);
  }
  w->d[i] = d;
  w->R[i] = (mat3){v3_axpy(s, A.y, v3_scale(c, A.x)), v3_axpy(-s, A.x, v3_scale(c, A.y)), A.z};
  w->S[b->id].w = v3_scale(splat(b->ratio), A.z);
}

void JN_(mass_matrix)(const JN_S(tree) * t, const real *q, const angles *turn, int elimination, real *at, real *M) {
  world w = world_place(t, &at);
  inertia *I = TAKE(&at, t->nb, inertia);
  for (int i = 0; i < t->nb; i++) {
    if (is_turn(&t->body[i]))
      turn_pose(&w, i, turn->c[i], turn->s[i]);
    else
      world_outward(&w, i, q, NULL, *turn);
    I[i] = i_turn(w.R[i], t->body[i].inertia);
  }
  world_mass_matrix(&w, I, elimination, M);
}

#endif
