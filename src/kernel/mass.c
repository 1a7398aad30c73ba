/* SPDX-License-Identifier: BSD-2-Clause */
/* M from inertias of subtrees (garofalo2013 eq. 6a), for every kernel that needs it. With AVX2 and one state a vector
 * of the space lies in one register, x, y, z and zero: a rotation of an inertia takes 18 instructions instead of 45,
 * and M of 7 revolute joints 245 ns; world_mass_matrix(), the twin of all other rows, takes 394. Of many coordinates,
 * four of a subtree lie in a register and go inward together: M of 100 joints takes 7.4 us, entry by entry 24. */
#include "mass.h"

#include "row.h"
#include "solid.h"

#if JN_QUAD

/* Row and column of M of coordinate k of body i, from the inertias of subtrees (world_mass_matrix()). */
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

/* Momenta I S of all coordinates, component by component, four coordinates in a register: coordinates of a subtree are
 * side by side, so that an ancestor meets four of them at a time. */
typedef struct bundle {
  scalar *m[3], *f[3]; /* [nd, rounded up to fours] moments and forces */
  scalar *row;         /* six times as much: entries of M of the body at hand */
} bundle;

static inline int up_to_fours(int n) { return (n + 3) & ~3; }

static inline bundle bundle_place(const JN_S(tree) * t, real **at) {
  bundle a;
  for (int k = 0; k < 3; k++) a.m[k] = TAKE_ALIGNED(at, up_to_fours(t->nd), scalar);
  for (int k = 0; k < 3; k++) a.f[k] = TAKE(at, up_to_fours(t->nd), scalar);
  a.row = TAKE(at, 6 * up_to_fours(t->nd), scalar);
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < t->nd; i += 4) {
      q4_store(q4_zero(), a.m[k] + i);
      q4_store(q4_zero(), a.f[k] + i);
    }
  return a;
}

/* Momentum of coordinate k, by whole registers: a number stored alone would have to reach the cache before its four can
 * be loaded, 40 ns for 7 joints. */
static inline void bundle_insert(const bundle *a, int k, quad m, quad f) {
  const quad_bits lane = {0, 1, 2, 3};
  quad_bits own = lane == (scalar_bits)(k & 3);
  quad from[6] = {LANE(m, 0), LANE(m, 1), LANE(m, 2), LANE(f, 0), LANE(f, 1), LANE(f, 2)};
  for (int r = 0; r < 6; r++) {
    scalar *to = (r < 3 ? a->m[r] : a->f[r - 3]) + (k & ~3);
    q4_store((quad)(((quad_bits)from[r] & own) | ((quad_bits)q4_load(to) & ~own)), to);
  }
}

/* Momenta of body i about its origin, with the inertia of its subtree. */
static inline void bundle_fill(const JN_S(body) * b, const solid *o, const screw *S, const bundle *a) {
  for (int k = b->id; k < b->id + b->nv; k++) {
    quad w = S[k].w, m = v4_mul(o->Jx, o->Jy, o->Jz, w), f = v4_cross(w, o->h);
    if (!is_turn(b)) m += v4_cross(o->h, S[k].v);
    if (!is_turn(b)) f += o->m * S[k].v;
    bundle_insert(a, k, m, f);
  }
}

/* Entries of M of all nv coordinates of body b, S its screws, with those of its subtree [id, end): rows `to`, `step`
 * apart, `wide` long, get them at their places, zeros behind the subtree, and anything before the diagonal. Then, with
 * d, moments are about the point from which their own is at d. Fours begin at multiples of four, so that what was
 * stored is loaded again in one piece. */
static inline __attribute__((always_inline)) void bundle_pass(const bundle *a, const JN_S(body) * b, int nv, int turn,
                                                              const screw *S, const solid *d, int end, int step,
                                                              int wide, scalar *to) {
  int k = b->id & ~3;
  quad index = (scalar)k + q4(0, 1, 2, 3);
  for (; k < end; k += 4, index += 4) {
    quad3 m = {q4_load(a->m[0] + k), q4_load(a->m[1] + k), q4_load(a->m[2] + k)};
    quad3 f = {q4_load(a->f[0] + k), q4_load(a->f[1] + k), q4_load(a->f[2] + k)};
    quad_bits before = index < (scalar)end, on = (index >= (scalar)b->id) & before;
    for (int l = 0; l < nv; l++) {
      const scalar *w = (const scalar *)&S[l].w, *v = (const scalar *)&S[l].v;
      scalar *row = to + l * step + k;
      quad x = w[0] * m.x + (w[1] * m.y + w[2] * m.z);
      if (!turn) x += v[0] * f.x + (v[1] * f.y + v[2] * f.z);
      x = (quad)((quad_bits)x & before);
      if (k + 4 <= wide) {
        q4_store(x, row);
        continue;
      }
      row[0] = x[0];
      if (k + 1 < wide) row[1] = x[1];
      if (k + 2 < wide) row[2] = x[2];
    }
    if (!d) continue;
    quad3 by = quad_cross((const scalar *)&d->d, f);
    q4_store(m.x + (quad)((quad_bits)by.x & on), a->m[0] + k);
    q4_store(m.y + (quad)((quad_bits)by.y & on), a->m[1] + k);
    q4_store(m.z + (quad)((quad_bits)by.z & on), a->m[2] + k);
  }
  for (int l = 0; l < nv; l++)
    for (int r = k; r < wide; r++) to[l * step + r] = 0;
}

/* Adds the rows of body i to rows and columns of M that are not in the order of the bodies. */
static inline void bundle_add(const JN_S(tree) * t, const bundle *a, int i, int wide, real *M) {
  const JN_S(body) *own = &t->body[i];
  int n = t->nv;
  for (int l = 0; l < own->nv; l++)
    for (int j = i; j < own->end; j++)
      for (int k = j == i ? l : 0; k < t->body[j].nv; k++) {
        int row = own->iv + l, column = t->body[j].iv + k;
        scalar x = a->row[l * wide + t->body[j].id + k];
        M[row * n + column] += x;
        if (j != i || k != l) M[column * n + row] += x;
      }
}

/* The lower triangle from the upper one. */
static inline void mirror(int n, real *M) {
  int whole = n & ~3;
  for (int i = 0; i < whole; i += 4)
    for (int j = i + 4; j < whole; j += 4) {
      real *from = M + i * n + j, *to = M + j * n + i;
      quad a = q4_load(from), b = q4_load(from + n), c = q4_load(from + 2 * n), d = q4_load(from + 3 * n);
      q4_transpose(&a, &b, &c, &d);
      q4_store(a, to);
      q4_store(b, to + n);
      q4_store(c, to + 2 * n);
      q4_store(d, to + 3 * n);
    }
  for (int i = 0; i < n; i++)
    for (int j = i < whole ? i & ~3 : 0; j < i; j++) M[i * n + j] = M[j * n + i];
}

void JN_(solids_outward)(const JN_S(tree) * t, const real *q, const real *v, const angles *turn, int tensors, solid *B,
                         screw *S, screw *V, screw *Psi) {
  for (int i = 0; i < t->nb; i++) {
    solid_outward(t, i, q, v, turn, B, S, V, Psi);
    solid_moment(t->body[i].inertia, &B[i]);
    if (tensors) solid_inertia(t->body[i].inertia, &B[i]);
  }
}

/* Entry by entry: up to FEW coordinates that is faster, of 7 by 15 ns. */
enum { FEW = 10 };
static inline void entry_by_entry(const JN_S(tree) * t, int by_body, solid *B, const screw *S, real *M) {
  for (int k = 0; k < t->nv * t->nv; k++) M[k] = 0;
  for (int i = t->nb - 1; i >= 0; i--) {
    for (int k = 0; k < t->body[i].nv; k++) solid_entries(t, B, S, i, k, by_body, M);
    if (t->body[i].parent >= 0) solid_add(&B[t->body[i].parent], &B[i]);
  }
}

void JN_(solids_inward)(const JN_S(tree) * t, int elimination, solid *B, const screw *S, real *at, real *M) {
  int n = t->nv, fours = up_to_fours(t->nd), straight = !t->coupled;
  if (t->nd <= FEW) {
    entry_by_entry(t, elimination && straight, B, S, M);
    return;
  }
  bundle a = bundle_place(t, &at);
  for (int i = 0; i < t->nb && !elimination; i++) straight &= t->body[i].iv == t->body[i].id;
  for (int k = 0; k < n * n && !straight; k++) M[k] = 0;
  for (int i = t->nb - 1; i >= 0; i--) {
    const JN_S(body) *b = &t->body[i];
    const solid *d = b->parent >= 0 ? &B[i] : NULL;
    int end = b->end < t->nb ? t->body[b->end].id : t->nd, first = straight ? b->id : b->iv;
    bundle_fill(b, &B[i], S, &a);
    if (d) solid_add(&B[b->parent], d);
    if (straight && is_turn(b)) {
      bundle_pass(&a, b, 1, 1, S + b->id, d, end, n, n, M + first * n);
    } else if (straight) {
      bundle_pass(&a, b, b->nv, 0, S + b->id, d, end, n, n, M + first * n);
    } else {
      bundle_pass(&a, b, b->nv, is_turn(b), S + b->id, d, end, fours, fours, a.row);
      bundle_add(t, &a, i, fours, M);
    }
    for (int k = 0; k < b->nv; k++) M[(first + k) * (n + 1)] += armature_of(t, b, k);
  }
  if (straight) mirror(n, M);
}

void JN_(mass_matrix)(const JN_S(tree) * t, const real *q, const angles *turn, int elimination, real *at, real *M) {
  solid *B = TAKE_ALIGNED(&at, t->nb, solid);
  screw *S = TAKE(&at, t->nd, screw);
  JN_(solids_outward)(t, q, NULL, turn, 1, B, S, NULL, NULL);
  JN_(solids_inward)(t, elimination, B, S, at, M);
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
  world_mass_matrix(&w, I, elimination, TAKE(&at, t->nd, wrench), M);
}

#endif
