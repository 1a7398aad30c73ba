/* SPDX-License-Identifier: BSD-2-Clause */
/* M from inertias of subtrees (garofalo2013 eq. 6a), for every kernel that needs it. With AVX2 and one state a vector
 * of the space lies in one register, x, y, z and zero: a rotation of an inertia takes 18 instructions instead of 45.
 * Momenta of four coordinates go inward side by side (columns4.h) and stay in registers. M of 7 revolute joints takes
 * 180 ns, of 100 joints 6.2 us; world_mass_matrix(), the twin of all other rows, takes 394 ns. */
#include "crba.h"

#include "../base/columns4.h"
#include "../base/row.h"
#include "factor.h"

#if JN_REGISTERS

/* ---- outward ---- */

static const solid ground = {.x = {1, 0, 0, 0}, .y = {0, 1, 0, 0}, .z = {0, 0, 1, 0}};

/* A body whose joint is no simple turn; out of line, so that the loop over turns has the registers. */
static __attribute__((noinline)) void solid_outward_any(const JN_S(tree) * t, int i, const real *q, const real *v,
                                                        const angles *turn, solid *B, screw *S, screw *V, screw *Psi) {
  const JN_S(body) *b = &t->body[i];
  const solid *P = b->parent < 0 ? &ground : &B[b->parent];
  solid *o = &B[i];
  pose X = body_pose(t, b, q, turn->c[i], turn->s[i]);
  real R[9];
  m3_store_rows(X.R, R, 3);
  const real p[3] = {X.p.x, X.p.y, X.p.z};
  o->x = v4_sum(P->x, P->y, P->z, R, 3);
  o->y = v4_sum(P->x, P->y, P->z, R + 1, 3);
  o->z = v4_sum(P->x, P->y, P->z, R + 2, 3);
  o->d = v4_sum(P->x, P->y, P->z, p, 1);
  solid_joint(t, i, q, v, o, S, V, Psi);
}

/* The twist of a body that turns, and the rate of its screw. */
static inline void turn_twist(const JN_S(body) * b, int i, scalar rate, const solid *o, screw *V, screw *Psi) {
  screw X = {o->e * rate, r4_zero()};
  if (b->parent >= 0) {
    screw W = V[b->parent];
    X.w += W.w;
    X.v = W.v + v4_cross(W.w, o->d);
  }
  V[i] = X;
  if (Psi) Psi[b->id] = (screw){v4_cross(X.w, o->e), v4_cross(X.v, o->e)};
}

/* The rotation stays in registers from body to body, which saves the way through memory, a third of the time that the
 * next body has to wait. */
void JN_(solids_outward)(const JN_S(tree) * t, const real *q, const real *v, const angles *turn, int tensors, solid *B,
                         screw *S, screw *V, screw *Psi) {
  r4 x = ground.x, y = ground.y, z = ground.z;
  for (int i = 0; i < t->nb; i++) {
    const JN_S(body) *b = &t->body[i];
    solid *o = &B[i];
    o->id = b->id;
    o->end = b->end < t->nb ? t->body[b->end].id : t->nd;
    o->turn = is_turn(b);
    o->up = b->parent < 0 ? NULL : &B[b->parent];
    if (!is_turn(b)) {
      solid_outward_any(t, i, q, v, turn, B, S, V, Psi);
      x = o->x;
      y = o->y;
      z = o->z;
    } else {
      if (b->parent != i - 1) {
        const solid *P = b->parent < 0 ? &ground : &B[b->parent];
        x = P->x;
        y = P->y;
        z = P->z;
      }
      scalar c = turn->c[i], s = turn->s[i];
      r4 d = v4_sum(x, y, z, b->p, 1), X = v4_sum(x, y, z, b->R, 3), Y = v4_sum(x, y, z, b->R + 1, 3);
      o->z = z = v4_sum(x, y, z, b->R + 2, 3);
      o->x = x = c * X + s * Y;
      o->y = y = c * Y - s * X;
      o->d = d;
      o->e = z * b->ratio;
      S[b->id] = (screw){o->e, r4_zero()};
      if (v) turn_twist(b, i, v[b->iv], o, V, Psi);
    }
    solid_moment(b->inertia, o);
    if (tensors) solid_inertia(b->inertia, o);
  }
}

/* ---- inward: four coordinates at a time ----
 * Momenta Z = I S of four coordinates, component by component in registers, go inward together: an ancestor meets all
 * four at once. Coordinates of a subtree are side by side; groups of four begin at multiples of four. */

/* Rows of a body whose joint is no simple turn, those from the four on are below the diagonal; groups have three turns,
 * then three shifts. Moments and forces come in registers: as structs they would be copied in halves. */
static __attribute__((noinline)) void rows_any(const JN_S(body) * b, const screw *S, r4 mx, r4 my, r4 mz, r4 fx, r4 fy,
                                               r4 fz, r4_bits on, const matrix_strip *to) {
  const screw *own = S + b->id;
  int group = is_group(b), above = to->k + 4 - b->id, count = above < b->nv ? above : b->nv;
  for (int l = 0; l < count && !(group && l == 3); l++) {
    const scalar *w = (const scalar *)&own[l].w, *v = (const scalar *)&own[l].v;
    r4 x = w[0] * mx + (w[1] * my + w[2] * mz);
    if (!group) x += v[0] * fx + (v[1] * fy + v[2] * fz);
    strip_store(to, b->id + l, r4_only(x, on));
  }
  for (int l = 3; l < count && group; l++) {
    const scalar *v = (const scalar *)&own[l].v;
    strip_store(to, b->id + l, r4_only(v[0] * fx + (v[1] * fy + v[2] * fz), on));
  }
}

/* The four from coordinate k to `stop`, of bodies `low` to `high`, with their own bodies and all ancestors. Those
 * bodies, and ancestors up to where branches that meet in the four have joined, have only some of them in their
 * subtrees. */
static __attribute__((noinline)) void columns4_inward(const JN_S(tree) * t, const solid *B, const screw *S,
                                                      const screw *Z, const solid *low, const solid *high, int stop,
                                                      const matrix_strip *to) {
  r4 a[8] = {Z[0].w, Z[1].w, Z[2].w, Z[3].w, Z[0].v, Z[1].v, Z[2].v, Z[3].v};
  r4_transpose(&a[0], &a[1], &a[2], &a[3]);
  r4_transpose(&a[4], &a[5], &a[6], &a[7]);
  r4x3 m = {a[0], a[1], a[2]}, f = {a[4], a[5], a[6]};
  const solid *o = high;
  while (o && (o > low || o->end < stop)) {
    int from = o->id - to->k, end = o->end - to->k;
    r4_bits before = ~lanes_from(end < 4 ? end : 4), on = lanes_from(from > 0 ? from : 0) & before;
    const scalar *e = (const scalar *)&o->e;
    if (o->turn)
      strip_store(to, o->id, r4_only(e[0] * m.x + (e[1] * m.y + e[2] * m.z), before));
    else
      rows_any(&t->body[o - B], S, m.x, m.y, m.z, f.x, f.y, f.z, before, to);
    r4x3 by = r4x3_cross((const scalar *)&o->d, f);
    m = r4x3_add(m, (r4x3){r4_only(by.x, on), r4_only(by.y, on), r4_only(by.z, on)});
    o = o > low ? o - 1 : o->up;
  }
  for (; o; o = o->up) {
    const scalar *e = (const scalar *)&o->e;
    if (o->turn)
      strip_store(to, o->id, e[0] * m.x + (e[1] * m.y + e[2] * m.z));
    else
      rows_any(&t->body[o - B], S, m.x, m.y, m.z, f.x, f.y, f.z, lanes_from(0), to);
    m = r4x3_add(m, r4x3_cross((const scalar *)&o->d, f));
  }
}

/* Rows of the four left of the diagonal, from what is above it. */
static __attribute__((noinline)) void mirror(const matrix_strip *o, real *M) {
  int n = o->n, k = o->k, rows = n - k;
  real *d = M + k * (n + 1);
  rows_below(o->M, n, n, k, M);
  if (rows > 1) d[n] = d[1];
  if (rows > 2) {
    d[2 * n] = d[2];
    d[2 * n + 1] = d[n + 2];
  }
  if (rows > 3) {
    d[3 * n] = d[3];
    d[3 * n + 1] = d[n + 3];
    d[3 * n + 2] = d[2 * n + 3];
  }
}

/* ---- all of M ---- */

/* The inertia of a subtree. */
typedef struct subtree {
  r4 Jx, Jy, Jz, h;
  scalar m;
} subtree;

static inline subtree subtree_sum(const solid *o, subtree a) {
  return (subtree){o->Jx + a.Jx, o->Jy + a.Jy, o->Jz + a.Jz, o->h + a.h, o->m + a.m};
}

/* solid_add() */
static inline subtree subtree_moved(subtree I, r4 d) {
  r4 md = I.m * d, u = 2 * I.h + md, v = (scalar)-0.5 * u, e = (scalar)-0.5 * d, p = d * u;
  r4 s = p + (YZX(p) + ZXY(p));
  I.Jx += s * r4_set(1, 0, 0, 0) + (v * LANE(d, 0) + e * LANE(u, 0));
  I.Jy += s * r4_set(0, 1, 0, 0) + (v * LANE(d, 1) + e * LANE(u, 1));
  I.Jz += s * r4_set(0, 0, 1, 0) + (v * LANE(d, 2) + e * LANE(u, 2));
  I.h += md;
  return I;
}

/* Inertias of subtrees, and the momenta Z of all coordinates and three more. What hangs on the next body inward stays
 * in registers: bodies are ordered depth first, so that mostly it is the parent. */
static void momenta(const JN_S(tree) * t, solid *B, const screw *S, screw *Z) {
  const subtree none = {r4_zero(), r4_zero(), r4_zero(), r4_zero(), 0};
  subtree I = none;
  for (int k = 0; k < 3; k++) Z[t->nd + k] = (screw){r4_zero(), r4_zero()};
  for (int i = t->nb - 1; i >= 0; i--) {
    const JN_S(body) *b = &t->body[i];
    I = subtree_sum(&B[i], I);
    for (int k = b->id; k < b->id + b->nv; k++) {
      r4 m = v4_sum(I.Jx, I.Jy, I.Jz, (const scalar *)&S[k].w, 1), f = v4_cross(S[k].w, I.h);
      Z[k] = is_turn(b) ? (screw){m, f} : (screw){m + v4_cross(I.h, S[k].v), f + I.m * S[k].v};
    }
    I = subtree_moved(I, B[i].d);
    if (b->parent == i - 1) continue;
    if (b->parent >= 0) {
      solid *p = &B[b->parent];
      p->Jx += I.Jx;
      p->Jy += I.Jy;
      p->Jz += I.Jz;
      p->h += I.h;
      p->m += I.m;
    }
    I = none;
  }
}

/* M whose rows are in the order of the coordinates. */
static void straight_rows(const JN_S(tree) * t, const solid *B, const screw *S, const screw *Z, real *M) {
  int n = t->nv;
  const solid *low = &B[t->nb - 1], *high = low;
  clear_rows(t, B, Z[n].w, M);
  for (int k = (n - 1) & ~3, stop = n; k >= 0; k -= 4) {
    matrix_strip to = strip_at(M, n, k);
    while (low->id > k) low--;
    columns4_inward(t, B, S, Z + k, low, high, stop, &to);
    mirror(&to, M);
    stop = k;
    high = low -= low->id == k;
  }
  for (int i = 0; i < t->nb; i++) {
    const JN_S(body) *b = &t->body[i];
    real *to = M + b->id * (n + 1);
    *to += armature_of(t, b, 0);
    for (int k = 1; k < b->nv; k++) to[k * (n + 1)] += t->armature[b->id + k];
  }
}

/* M of coupled coordinates: rows have entries of several bodies. */
static void summed_rows(const JN_S(tree) * t, const solid *B, const screw *S, const screw *Z, real *M) {
  int n = t->nv;
  for (int k = 0; k < n * n; k++) M[k] = 0;
  for (int i = 0; i < t->nb; i++)
    for (int k = 0; k < t->body[i].nv; k++) {
      const JN_S(body) *b = &t->body[i];
      screw F = Z[b->id + k];
      int row = b->iv + k;
      M[row * (n + 1)] += v4_dot(F.w, S[b->id + k].w) + v4_dot(F.v, S[b->id + k].v) + armature_of(t, b, k);
      for (int j = i; j >= 0; j = t->body[j].parent) {
        const JN_S(body) *c = &t->body[j];
        for (int l = 0; l < (j == i ? k : c->nv); l++) {
          scalar x = v4_dot(F.w, S[c->id + l].w) + v4_dot(F.v, S[c->id + l].v);
          int column = c->iv + l;
          M[row * n + column] += x;
          M[column * n + row] += x;
        }
        F.w += v4_cross(B[j].d, F.v);
      }
    }
}

void JN_(solids_inward)(const JN_S(tree) * t, int elimination, solid *B, const screw *S, screw *Z, real *M) {
  if (!t->nb) return;
  momenta(t, B, S, Z);
  if (t->coupled) {
    summed_rows(t, B, S, Z, M);
    return;
  }
  straight_rows(t, B, S, Z, M);
  if (!elimination) reorder(t, M, (int32_t *)(void *)Z);
}

void JN_(mass_matrix)(const JN_S(tree) * t, const real *q, const angles *turn, int elimination, real *at, real *M) {
  solid *B = TAKE_ALIGNED(&at, t->nb, solid);
  screw *S = TAKE(&at, t->nd, screw);
  JN_(solids_outward)(t, q, NULL, turn, 1, B, S, NULL, NULL);
  screw *Z = TAKE(&at, t->nd + 3, screw);
  JN_(solids_inward)(t, elimination, B, S, Z, M);
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

void JN_(mass)(const jn_call *c) {
  real *at = c->scratch;
  angles turn = angles_at(c->tree, c->in[0], &at);
  JN_(mass_matrix)(c->tree, c->in[0], &turn, 0, at, c->out[0]);
}
