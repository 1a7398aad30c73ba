/* SPDX-License-Identifier: BSD-2-Clause */
/* First derivatives of the Coriolis matrix. [garofalo2013 eqs. 24b, 24c]
 *
 * With K the sum of V x* I over a subtree, C_ij = S_i . (I Psi_j + K S_j) for i inward of j (terms/coriolis.h). For
 * coordinates a inward of b, that inward of c, by the rules of linearization.h,
 *
 *   D_a Psi_b = [psi_a, S_b],    D_a K = psi_a x* I,    dK = S_c x* K_c - K_c ad_{S_c} + psi_c x* I_c
 *
 * and with dI = S_c x* I_c - I_c ad_{S_c}, Z = I_c S_c, W = I_c Psi_c + K_c S_c, Y = K_c^T S_c, g_b = I_c [psi_b, S_c]:
 *
 *   dC_bc/dq_a = (S_c x* I_c S_b - S_b x* Z) . psi_a = -dC_cb/dq_a                             (24b)
 *   dC_ac/dq_b = S_a . (S_b x* W + psi_b x* Z + g_b)
 *   dC_ca/dq_b = (S_b x* Z) . Psi_a + S_a . (S_b x* Y - g_b)
 *   dC_ab/dq_c = S_a . (dI Psi_b + dK S_b)
 *   dC_ba/dq_c = (dI S_b) . Psi_a + (dK^T S_b) . S_a
 *
 *   dC_bc/dv_a = q - p = -dC_cb/dv_a    dC_ac/dv_b = p + r    dC_ca/dv_b = -r                  (24c)
 *   dC_ab/dv_c = q                      dC_ba/dv_c = r
 *   p = S_a . (S_b x* Z),   q = S_a . (S_c x* I_c S_b),   r = S_a . I_c [S_b, S_c] = dM_ab/dq_c - q
 *
 * These are the pairs and numbers of C; second_derivatives/inverse_dynamics_second_derivatives.c runs the sweep over
 * the branches and has the kernel. Frames and other symbols: second_derivatives/tensors.h. */
#ifndef JN_KERNEL_FIRST_DERIVATIVES_CORIOLIS_MATRIX_DERIVATIVES_H
#define JN_KERNEL_FIRST_DERIVATIVES_CORIOLIS_MATRIX_DERIVATIVES_H

#include "../second_derivatives/tensors.h"

/* Pairs of c with TILE coordinates b: S_b x* Z; dI S_b; S_c x* I S_b; and what is projected on S_a in dC_ac, dC_ca
 * by q_b and in dC_ab, dC_ba by q_c. */
typedef struct coriolis_pair {
  tile6 SZ, dIS, SI, ac, ca, ab, ba;
} coriolis_pair;
/* The numbers of a with (b, c): dC_ij by q or v of the third coordinate. */
enum { Q_AB, Q_BA, Q_AC, Q_CA, Q_BC, Q_CB, V_AB, V_BA, V_AC, V_CA, V_BC, V_CB };

/* Terms of c alone. */
typedef struct coriolis_outermost_terms {
  inertia I, dI;
  twist S, psi;
  crossed K;
  mat3 At, Zt; /* transposed blocks of K */
  wrench Z, W, Y;
} coriolis_outermost_terms;

/* The terms of coordinate d of body i. */
static inline coriolis_outermost_terms coriolis_outermost_of(const tensor_sweep *sweep, int i, int d) {
  const linearization *lin = &sweep->lin;
  inertia I = lin->I[i];
  twist S = lin->S[d];
  coriolis_outermost_terms c = {
      .I = I, .Z = i_mul(I, S), .dI = inertia_rate(S, I), .S = S, .psi = lin->psi[d], .K = sweep->K[i]};
  c.W = w_add(i_mul(I, lin->Psi[d]), crossed_mul(&c.K, 0, S));
  c.Y = crossed_tmul(&c.K, 0, S);
  c.At = m3_transpose(c.K.A);
  c.Zt = m3_transpose(c.K.Z);
  return c;
}

/* [S, y], S x* F, I y, K y, K^T y */
static inline tile6 tile6_bracket(twist S, tile6 y) {
  return (tile6){tile3_across(S.w, y.a), tile3_add(tile3_across(S.w, y.b), tile3_across(S.v, y.a))};
}
static inline tile6 tile6_cross_wrench(twist S, tile6 F) {
  return (tile6){tile3_add(tile3_across(S.w, F.a), tile3_across(S.v, F.b)), tile3_across(S.w, F.b)};
}
static inline tile6 I_times(const inertia *I, tile6 y) {
  tile6 o = dI_times(I, y);
  return (tile6){o.a, tile3_add(o.b, (tile3){I->m * y.b.x, I->m * y.b.y, I->m * y.b.z})};
}
static inline tile6 K_times(const crossed *K, tile6 y) {
  tile3 m = tile3_add(tile3_matrix(K->A, y.a), tile3_matrix(K->Z, y.b));
  return (tile6){tile3_add_cross(m, K->u, y.b),
                 tile3_add(tile3_across(K->w, y.b), tile3_times(-1, tile3_matrix(K->Z, y.a)))};
}
static inline tile6 K_transposed_times(const coriolis_outermost_terms *c, tile6 y) {
  tile3 m = tile3_add(tile3_matrix(c->At, y.a), tile3_times(-1, tile3_matrix(c->Zt, y.b)));
  tile3 f = tile3_add(tile3_across(c->K.u, y.a), tile3_across(c->K.w, y.b));
  return (tile6){m, tile3_add(tile3_matrix(c->Zt, y.a), tile3_times(-1, f))};
}
static inline tile6 tile6_sub(tile6 a, tile6 b) {
  return (tile6){tile3_add(a.a, tile3_times(-1, b.a)), tile3_add(a.b, tile3_times(-1, b.b))};
}

/* Pairs of c with the TILE coordinates of one tile of its branch. */
static __attribute__((noinline)) void set_coriolis_pairs(const coriolis_outermost_terms *c,
                                                         const struct branch_twists *branch_b, coriolis_pair *pairs) {
  tile6 S = branch_b->S, psi = branch_b->psi, bracket = tile6_bracket(c->S, S),
        g = I_times(&c->I, tile6_bracket(c->S, psi));
  tile6 IS = I_times(&c->I, S);
  pairs->SZ = tile6_cross(S, c->Z);
  pairs->dIS = dI_times(&c->dI, S);
  pairs->SI = tile6_cross_wrench(c->S, IS);
  pairs->ac = tile6_sub(tile6_add(tile6_cross(S, c->W), tile6_cross(psi, c->Z)), g);
  pairs->ca = tile6_add(tile6_cross(S, c->Y), g);

  /* S_c x* (K S_b) - K [S_c, S_b] + psi_c x* I S_b + dI Psi_b, and the same transposed. */
  pairs->ab = tile6_sub(tile6_cross_wrench(c->S, K_times(&c->K, S)), K_times(&c->K, bracket));
  pairs->ab = tile6_add(tile6_add(pairs->ab, tile6_cross_wrench(c->psi, IS)), dI_times(&c->dI, branch_b->Pi));
  pairs->ba = tile6_sub(tile6_cross_wrench(c->S, K_transposed_times(c, S)), K_transposed_times(c, bracket));
  pairs->ba = tile6_sub(pairs->ba, I_times(&c->I, tile6_bracket(c->psi, S)));
}

/* The numbers of TILE coordinates a with the pair (b, c). */
FLAT void set_coriolis_values(const real *pair_of_b, const struct branch_twists *branch_a, values *numbers) {
  const real *SZ_b = pair_of_b, *dIS_b = pair_of_b + 6 * TILE, *SI_b = pair_of_b + 12 * TILE,
             *parts = pair_of_b + 18 * TILE;
  tile p = tile6_same(SZ_b, branch_a->S), q = tile6_same(SI_b, branch_a->S), r = tile6_same(dIS_b, branch_a->S) - q;

  /* By velocities. */
  numbers->x[V_AB] = q;
  numbers->x[V_BA] = r;
  numbers->x[V_AC] = p + r;
  numbers->x[V_CA] = -r;
  numbers->x[V_BC] = q - p;
  numbers->x[V_CB] = p - q;

  /* By positions. */
  numbers->x[Q_BC] = tile6_same(SI_b, branch_a->psi) - tile6_same(SZ_b, branch_a->psi);
  numbers->x[Q_CB] = -numbers->x[Q_BC];
  numbers->x[Q_AC] = tile6_same(parts, branch_a->S);
  numbers->x[Q_CA] = tile6_same(SZ_b, branch_a->Pi) + tile6_same(parts + 6 * TILE, branch_a->S);
  numbers->x[Q_AB] = tile6_same(parts + 12 * TILE, branch_a->S);
  numbers->x[Q_BA] = tile6_same(dIS_b, branch_a->Pi) + tile6_same(parts + 18 * TILE, branch_a->S);
}

#endif
