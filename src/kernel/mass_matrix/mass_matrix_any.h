/* SPDX-License-Identifier: BSD-2-Clause */
/* The mass matrix by the composite-rigid-body algorithm (CRBA), for every number type. [garofalo2013 eq. 6a]
 *
 * One sweep inwards, in the world's axes, each body about its own origin:
 *
 *   Ic_i = I_i + sum over children                         composite inertia: the subtree as one rigid body
 *   z_k  = Ic_i S_k                                        momentum of the subtree at unit speed of coordinate k
 *   M_kl = S_l^T z_k + armature (k = l)                    for l of the same body
 *   M_kl = S_l^T z_k, z_k moved to the origin of l's body  for l of every ancestor
 *
 * The momentum of each outer coordinate is carried inward, body by body, and projected on the screws of each ancestor.
 * Entries between different branches are zero. O(n depth). */
#ifndef JN_KERNEL_MASS_MATRIX_MASS_MATRIX_ANY_H
#define JN_KERNEL_MASS_MATRIX_MASS_MATRIX_ANY_H

#include "../base/bodies.h"

#if !JN_REGISTERS

/* Where the entries go. Rows and columns are in the order of v, or in the order of elimination (tree.h), which is that
 * of the bodies. */
typedef struct mass_place {
  const JN_S(tree) * t;
  const solid *B;
  const screw *S;
  int n;       /* nv */
  int by_body; /* in the order of elimination */
  int upper;   /* only above the diagonal, and no zeros between branches */
  real *M;
} mass_place;

FLAT int mass_column(const mass_place *o, int i) {
  const JN_S(body) *b = &o->t->body[i];
  return o->by_body ? b->id : b->iv;
}

/* M_row,column and its mirror image. If only the upper half is wanted, row < column: coordinates are in the order of
 * the bodies then. */
FLAT void mass_put(const mass_place *o, int row, int column, real x) {
  o->M[row * o->n + column] = x;
  if (!o->upper) o->M[column * o->n + row] = x;
}

/* Body i's own coordinates: z = Ic S, and M among themselves. z is then moved to the origin of the parent. */
FLAT void mass_own(const mass_place *o, int i, wrench *Z) {
  const JN_S(body) *b = &o->t->body[i];
  int first = mass_column(o, i);
  for (int k = 0; k < b->nv; k++) {
    twist S = o->S[b->id + k];
    wrench z = screw_momentum(b, o->B[i].I, S);
    o->M[(first + k) * (o->n + 1)] = screw_power(b, z, S) + armature_of(o->t, b, k);
    for (int l = 0; l < k; l++) mass_put(o, first + l, first + k, power(z, o->S[b->id + l]));
    Z[b->id + k] = w_shift(z, o->B[i].at.d);
  }
}

/* Body i, with a revolute joint, and the outer coordinates of its subtree: M = S^T z, then z is moved to the origin of
 * the parent. The loop runs over the outer coordinates, whose z lie side by side and do not wait for each other. The
 * other way, from each coordinate inwards, takes the same time for 7 joints in lanes of four, 1.15 times as long for 25
 * and 1.5 times for 100. */
FLAT void mass_turn(const mass_place *o, int i, wrench *Z) {
  const JN_S(tree) *t = o->t;
  const JN_S(body) *b = &t->body[i];
  int n = o->n, end = b->end < t->nb ? t->body[b->end].id : t->nd;
  vec3 e = o->S[b->id].w, d = o->B[i].at.d;
  real *across = o->M + b->id * n, *down = o->M + b->id + (b->id + 1) * n;
  for (int k = b->id + 1; k < end; k++, down += n) {
    real x = dot(Z[k].m, e);
    across[k] = x;
    if (!o->upper) *down = x;
    Z[k].m = v3_add(Z[k].m, cross(d, Z[k].f));
  }
}

/* The same for a free or spherical joint, whose screws are the columns of R. */
FLAT void mass_group(const mass_place *o, int i, wrench *Z) {
  const JN_S(body) *b = &o->t->body[i], *end = o->t->body + b->end;
  const mat3 R = axes_rotation(&o->B[i].at);
  int row = mass_column(o, i), free = b->kind == JN_BODY_FREE;
  for (const JN_S(body) *c = b + 1; c < end; c++)
    for (int k = 0; k < c->nv; k++) {
      int column = (o->by_body ? c->id : c->iv) + k;
      wrench *z = &Z[c->id + k];
      vec3 m = m3_tmul(R, z->m);
      mass_put(o, row, column, m.x);
      mass_put(o, row + 1, column, m.y);
      mass_put(o, row + 2, column, m.z);
      if (b->parent >= 0) *z = w_shift(*z, o->B[i].at.d);
      if (!free) continue;
      vec3 f = m3_tmul(R, z->f);
      mass_put(o, row + 3, column, f.x);
      mass_put(o, row + 4, column, f.y);
      mass_put(o, row + 5, column, f.z);
    }
}

/* The same for any other joint. */
FLAT void mass_outer(const mass_place *o, int i, wrench *Z) {
  const JN_S(tree) *t = o->t;
  const JN_S(body) *b = &t->body[i];
  int row = mass_column(o, i);
  for (int j = i + 1; j < b->end; j++)
    for (int k = 0; k < t->body[j].nv; k++) {
      int column = mass_column(o, j) + k;
      wrench *z = &Z[t->body[j].id + k];
      for (int l = 0; l < b->nv; l++) mass_put(o, row + l, column, screw_power(b, *z, o->S[b->id + l]));
      *z = w_shift(*z, o->B[i].at.d);
    }
}

/* All bodies, inwards. B: inertias of the bodies alone on entry, composite ones afterwards. Z [nd] is scratch. */
FLAT void mass_matrix_any(const JN_S(tree) * t, int elimination, int upper, solid *B, const screw *S, wrench *Z,
                          real *M) {
  const mass_place o = {t, B, S, t->nv, elimination, upper, M};
  int straight = elimination || t->in_body_order;

  /* Zeros between branches; a chain has none. */
  for (int k = 0; k < t->nv * t->nv && !t->chain && !upper; k++) M[k] = ZERO;

  for (int i = t->nb - 1; i >= 0; i--) {
    /* Outer coordinates first: their z are still about the origin of this body. */
    if (is_revolute(&t->body[i]) && straight)
      mass_turn(&o, i, Z);
    else if (is_group(&t->body[i]))
      mass_group(&o, i, Z);
    else
      mass_outer(&o, i, Z);

    /* Then the body's own, and its composite inertia added to the parent. */
    mass_own(&o, i, Z);
    add_inertia_to_parent(t, B, i);
  }
}

#endif

#endif
