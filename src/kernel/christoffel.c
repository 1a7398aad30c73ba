/* SPDX-License-Identifier: BSD-2-Clause */
/* C by Christoffel symbols, from the C of terms.c, which has B_k = V x* I of each body where that of Christoffel has
 *   (B_k + B_k^T + H_k) / 2,   H_k X = X x* (I V)
 * so that C_Christoffel = C + sum_k J_k^T (H_k - B_k + B_k^T) J_k / 2. What is added is skew-symmetric: dM/dt - 2 C
 * stays so; and it is zero on v, because H V = B V = V x* I V and B^T V = 0: C v stays too.
 *
 * Why this is Christoffel's: of one body, (B + B^T + H) / 2 in the world's axes is the connection of Levi-Civita of its
 * kinetic energy on SE(3), (I ad_V X - ad_V^T I X - ad_X^T I V) / 2 in the body's; a mechanism inherits that of its
 * bodies by J^T. In rates of coordinates its entries are Christoffel symbols times v. In the quasi-velocities of
 * spherical and free joints they are those of the connection too, which have a half of the structure constants of the
 * joint's group in them beside d(C v)/dv / 2. O(n d). */
#include "row.h"
#include "terms.h"
#include "world.h"

/* Half of H - B + B^T of what body i carries, on its screw S. */
static inline wrench skew_part(const crossed *B, wrench h, int turn, twist S) {
  wrench a = w_cross(S, h), b = crossed_mul(B, turn, S), c = crossed_tmul(B, turn, S);
  return (wrench){v3_scale(K(0.5), v3_add(v3_sub(a.m, b.m), c.m)), v3_scale(K(0.5), v3_add(v3_sub(a.f, b.f), c.f))};
}

/* Coordinate k of body i against the other coordinates of its body and those of its ancestors. */
static inline void add_skew(const world *w, int i, int k, const crossed *B, const wrench *h, real *C) {
  const JN_S(tree) *t = w->t;
  const JN_S(body) *b = &t->body[i];
  int n = t->nv, column = b->iv + k;
  wrench F = skew_part(&B[i], h[i], is_turn(b), w->S[b->id + k]);
  for (int l = 0; l < b->nv; l++) C[(b->iv + l) * n + column] += power(F, w->S[b->id + l]);
  for (int j = i; t->body[j].parent >= 0;) {
    F = w_shift(F, w->d[j]);
    j = t->body[j].parent;
    const JN_S(body) *c = &t->body[j];
    for (int l = 0; l < c->nv; l++) {
      real x = power(F, w->S[c->id + l]);
      C[(c->iv + l) * n + column] += x;
      C[column * n + c->iv + l] -= x;
    }
  }
}

/* in: q, v (NULL: zero). out: C [nv x nv]. */
void JN_(christoffel)(const jn_call *c) {
  const JN_S(tree) *t = c->tree;
  jn_call call = {.tree = t, .in = {c->in[0], c->in[1]}, .arg = {0, 0, -1, 0}, .scratch = c->scratch};
  call.out[JN_OUT_C] = c->out[0];
  JN_(terms)(&call);
  const real *v = c->in[1];
  if (!v) return;
  real *at = c->scratch;
  angles turn = angles_at(t, c->in[0], &at);
  world w = world_place(t, &at);
  crossed *B = TAKE(&at, t->nb, crossed);
  wrench *h = TAKE(&at, t->nb, wrench);
  for (int i = 0; i < t->nb; i++) {
    world_outward(&w, i, c->in[0], v, turn);
    inertia I = i_turn(w.R[i], t->body[i].inertia);
    B[i] = crossed_of(w.V[i], I);
    h[i] = i_mul(I, w.V[i]);
  }
  for (int i = t->nb - 1; i >= 0; i--) {
    int p = t->body[i].parent;
    if (p < 0) continue;
    crossed_add(&B[p], &B[i], w.d[i]);
    h[p] = w_add(h[p], w_shift(h[i], w.d[i]));
  }
  for (int i = 0; i < t->nb; i++)
    for (int k = 0; k < t->body[i].nv; k++) add_skew(&w, i, k, B, h, c->out[0]);
}
