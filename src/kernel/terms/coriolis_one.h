/* SPDX-License-Identifier: BSD-2-Clause */
/* Entries of the Coriolis matrix C (coriolis.h) of one state in AVX2 registers.
 *
 * The wrenches Z, W and Y of a coordinate are carried inward together, in lanes 0 to 2, and projected on Psi, S and S
 * of each ancestor: 18 instructions give C_ij and C_ji. C of 7 revolute joints takes 450 ns, by coriolis_any.h 860. */
#ifndef JN_KERNEL_TERMS_CORIOLIS_ONE_H
#define JN_KERNEL_TERMS_CORIOLIS_ONE_H

#include "coriolis.h"

#if JN_REGISTERS

/* Psi, S, S of a coordinate, component by component: what Z, W and Y are projected on. */
typedef struct probe {
  r4x3 w, v;
} probe;

/* One component of them. */
#define PROBE(S, Psi, k) LANES(LANE(S, k), LANE(Psi, k), 4, 1, 2, 3)
static inline probe probe_of(screw S, screw Psi) {
  return (probe){{PROBE(S.w, Psi.w, 0), PROBE(S.w, Psi.w, 1), PROBE(S.w, Psi.w, 2)},
                 {PROBE(S.v, Psi.v, 0), PROBE(S.v, Psi.v, 1), PROBE(S.v, Psi.v, 2)}};
}

/* Three vectors, component by component. */
static inline r4x3 in_lanes(r4 a, r4 b, r4 c) {
  r4 d = r4_zero();
  r4_transpose(&a, &b, &c, &d);
  return (r4x3){a, b, c};
}

/* Psi . Z, S . W and S . Y. */
static inline r4 lanes_power(r4x3 m, r4x3 f, const probe *p) {
  return m.x * p->w.x + (m.y * p->w.y + m.z * p->w.z) + (f.x * p->v.x + (f.y * p->v.y + f.z * p->v.z));
}

/* Row and column of C for coordinate k of body i, whose wrenches x are projected on the screws of its own body and of
 * its ancestors. */
static inline void coriolis_entries(const JN_S(tree) * tree, const solid *B, const probe *P, const coriolis_wrenches *x,
                                    int i, int k, real *C) {
  const JN_S(body) *body = &tree->body[i];
  int n = tree->nv, row = body->iv + k;

  /* Moments and forces of Z, W, Y. */
  r4x3 m = in_lanes(x->Z.w, x->W.w, x->Y.w), f = in_lanes(x->Z.v, x->W.v, x->Y.v);

  /* The body itself. */
  for (int l = 0; l < body->nv; l++) {
    r4 r = lanes_power(m, f, &P[body->id + l]);
    C[row * n + body->iv + l] += r[0] + r[1];
  }

  /* The ancestors: m += d x f about the origin of the next one. */
  for (int j = i; tree->body[j].parent >= 0;) {
    m = r4x3_add(m, r4x3_cross((const scalar *)&B[j].at.d, f));
    j = tree->body[j].parent;
    const JN_S(body) *ancestor = &tree->body[j];
    for (int l = 0; l < ancestor->nv; l++) {
      r4 r = lanes_power(m, f, &P[ancestor->id + l]);
      int column = ancestor->iv + l;
      C[row * n + column] += r[0] + r[1];
      C[column * n + row] += r[2];
    }
  }
}

#endif

#endif
