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
  const JN_S(tree) * tree;
  const solid *B;
  const screw *S;
  int n;       /* nv */
  int by_body; /* in the order of elimination */
  int upper;   /* only above the diagonal, and no zeros between branches */
  real *M;
} mass_place;

FLAT int mass_column(const mass_place *to, int i) {
  const JN_S(body) *body = &to->tree->body[i];
  return to->by_body ? body->id : body->iv;
}

/* M_row,column and its mirror image. If only the upper half is wanted, row < column: coordinates are in the order of
 * the bodies then. */
FLAT void mass_put(const mass_place *to, int row, int column, real x) {
  to->M[row * to->n + column] = x;
  if (!to->upper) to->M[column * to->n + row] = x;
}

/* Body i's own coordinates: z = Ic S, and M among themselves. z is then moved to the origin of the parent. */
FLAT void mass_own(const mass_place *to, int i, wrench *Z) {
  const JN_S(body) *body = &to->tree->body[i];
  int first = mass_column(to, i);
  for (int k = 0; k < body->nv; k++) {
    twist S = to->S[body->id + k];
    wrench z = screw_momentum(body, to->B[i].I, S);
    to->M[(first + k) * (to->n + 1)] = screw_power(body, z, S) + armature_of(to->tree, body, k);
    for (int l = 0; l < k; l++) mass_put(to, first + l, first + k, power(z, to->S[body->id + l]));
    Z[body->id + k] = w_shift(z, to->B[i].at.d);
  }
}

/* Body i, with a revolute joint, and the outer coordinates of its subtree: M = S^T z, then z is moved to the origin of
 * the parent. The loop runs over the outer coordinates, whose z lie side by side and do not wait for each other. The
 * other way, from each coordinate inwards, takes the same time for 7 joints in lanes of four, 1.15 times as long for 25
 * and 1.5 times for 100. */
FLAT void mass_revolute(const mass_place *to, int i, wrench *Z) {
  const JN_S(tree) *tree = to->tree;
  const JN_S(body) *body = &tree->body[i];
  int n = to->n, end = body->end < tree->nb ? tree->body[body->end].id : tree->nd;
  vec3 e = to->S[body->id].w, d = to->B[i].at.d;
  real *across = to->M + body->id * n, *down = to->M + body->id + (body->id + 1) * n;
  for (int k = body->id + 1; k < end; k++, down += n) {
    real x = dot(Z[k].m, e);
    across[k] = x;
    if (!to->upper) *down = x;
    Z[k].m = v3_add(Z[k].m, cross(d, Z[k].f));
  }
}

/* The same for a free or spherical joint, whose screws are the columns of R. */
FLAT void mass_group(const mass_place *to, int i, wrench *Z) {
  const JN_S(body) *body = &to->tree->body[i], *end = to->tree->body + body->end;
  const mat3 R = axes_rotation(&to->B[i].at);
  int row = mass_column(to, i), free = body->kind == JN_BODY_FREE;
  for (const JN_S(body) *c = body + 1; c < end; c++)
    for (int k = 0; k < c->nv; k++) {
      int column = (to->by_body ? c->id : c->iv) + k;
      wrench *z = &Z[c->id + k];
      vec3 m = m3_tmul(R, z->m);
      mass_put(to, row, column, m.x);
      mass_put(to, row + 1, column, m.y);
      mass_put(to, row + 2, column, m.z);
      if (body->parent >= 0) *z = w_shift(*z, to->B[i].at.d);
      if (!free) continue;
      vec3 f = m3_tmul(R, z->f);
      mass_put(to, row + 3, column, f.x);
      mass_put(to, row + 4, column, f.y);
      mass_put(to, row + 5, column, f.z);
    }
}

/* The same for any other joint. */
FLAT void mass_outer(const mass_place *to, int i, wrench *Z) {
  const JN_S(tree) *tree = to->tree;
  const JN_S(body) *body = &tree->body[i];
  int row = mass_column(to, i);
  for (int j = i + 1; j < body->end; j++)
    for (int k = 0; k < tree->body[j].nv; k++) {
      int column = mass_column(to, j) + k;
      wrench *z = &Z[tree->body[j].id + k];
      for (int l = 0; l < body->nv; l++) mass_put(to, row + l, column, screw_power(body, *z, to->S[body->id + l]));
      *z = w_shift(*z, to->B[i].at.d);
    }
}

/* All bodies, inwards. B: inertias of the bodies alone on entry, composite ones afterwards. Z [nd] is scratch. */
FLAT void mass_matrix_any(const JN_S(tree) * tree, int elimination, int upper, solid *B, const screw *S, wrench *Z,
                          real *M) {
  const mass_place to = {tree, B, S, tree->nv, elimination, upper, M};
  int in_body_order = elimination || tree->in_body_order;

  /* Zeros between branches; a chain has none. */
  for (int k = 0; k < tree->nv * tree->nv && !tree->chain && !upper; k++) M[k] = ZERO;

  for (int i = tree->nb - 1; i >= 0; i--) {
    /* Outer coordinates first: their z are still about the origin of this body. */
    if (is_revolute(&tree->body[i]) && in_body_order)
      mass_revolute(&to, i, Z);
    else if (is_group(&tree->body[i]))
      mass_group(&to, i, Z);
    else
      mass_outer(&to, i, Z);

    /* Then the body's own, and its composite inertia added to the parent. */
    mass_own(&to, i, Z);
    add_inertia_to_parent(tree, B, i);
  }
}

#endif

#endif
