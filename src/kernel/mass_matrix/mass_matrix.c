/* SPDX-License-Identifier: BSD-2-Clause */
/* The mass matrix M(q) by the composite-rigid-body algorithm (CRBA). [garofalo2013 eq. 6a]
 *
 *   Ic_i = I_i + sum over children of Ic_child          composite inertia: the subtree of body i as one rigid body
 *   M_kl = S_l^T Ic_i S_k                               k of body i, l of body i or of one of its ancestors
 *
 * This file has the function that all kernels call, so that all get the same M to the bit. The recursion itself is in
 * mass_matrix_any.h (every number type) and mass_matrix_one.h (one state in registers). With coupled coordinates M is
 * computed for the tree whose joints are all independent, and projected: M = G^T M_uncoupled G (base/coupling.h).
 *
 *   symbol  meaning                                                    size        frame, unit
 *   B       poses and inertias of the bodies (solid)                   nb          world's axes, about each origin
 *   S       joint screws                                               nd x 6      world's axes, about the body's
 * origin Z       Ic S: momentum of the subtree at unit rate                 nd x 6      the same M       mass matrix nv
 * x nv     kg m^2, kg m, kg
 *
 * Cost O(n depth). */
#include "mass_matrix.h"

#include "../base/direct.h"
#include "../base/variant.h"
#include "mass_matrix_any.h"
#include "mass_matrix_one.h"

void JN_(mass_matrix_of)(const JN_S(tree) * tree, int elimination, solid *B, const screw *S, screw *Z, real *scratch,
                         real *M) {
  if (!tree->nb) return;
  if (tree->uncoupled) {
    /* Coupled: M of the tree whose joints are independent, then G^T M G. */
    coupling G = coupling_place(tree, &scratch);
    real *independent = take(&scratch, coupled_size(tree));
    JN_(mass_matrix_of)(tree->uncoupled, 0, B, S, Z, NULL, independent);
    coupling_fill(&G, elimination);
    project(&G, 1, independent, M);
    return;
  }
#if JN_REGISTERS
  mass_matrix_one(tree, elimination, B, S, Z, M);
#else
  mass_matrix_any(tree, elimination, 0, B, S, (wrench *)(void *)Z, M);
#endif
}

/* In lanes, M of more coordinates than this does not stay in the caches. Then only its upper half is made, and sent to
 * the caller from there (Talos, 50 coordinates: 1.0 us a state instead of 1.2; 25: 0.53 instead of 0.47). */
enum { MASS_DIRECT = 32 };

void JN_(mass_matrix_to)(const JN_S(tree) * tree, solid *B, const screw *S, screw *Z, real *scratch, jn_direct *direct,
                         real *M) {
  (void)direct; /* without lanes */
#if JN_MANY
  if (direct_is_own(direct) && tree->in_body_order && tree->nv > MASS_DIRECT) {
    int32_t *stop = (int32_t *)(void *)Z;

    /* The upper half of M. */
    mass_matrix_any(tree, 0, 1, B, S, (wrench *)(void *)Z, M);

    /* Row k has entries up to stop[k]: the coordinates that k moves. Z is free again, and holds them. */
    for (int i = 0; i < tree->nb; i++)
      for (int k = tree->body[i].id; k < tree->body[i].id + tree->body[i].nv; k++) stop[k] = tree->body[i].stop;

    /* To the caller, mirrored on the way. */
    direct_send_symmetric(direct, 0, M, tree->nv, stop);
    direct->stored |= 1;
    return;
  }
#endif
  JN_(mass_matrix_of)(tree, 0, B, S, Z, scratch, M);
}

typedef struct crba_scratch {
  solid *B;          /* [nb] */
  screw *S, *Z;      /* [nd], [nd + 3] */
  real *independent; /* of mass_matrix_of() */
} crba_scratch;

static inline crba_scratch crba_place(const JN_S(tree) * tree, real **at) {
  crba_scratch r = {.B = TAKE_ALIGNED(at, tree->nb, solid)};
  r.S = TAKE_ALIGNED(at, tree->nd, screw);
  r.Z = TAKE(at, tree->nd + 3, screw);
  r.independent = mass_matrix_coupling_scratch(tree, at);
  return r;
}

real *JN_(mass_matrix_scratch)(const JN_S(tree) * tree, real *at) {
  crba_place(tree, &at);
  return at;
}

void JN_(mass_matrix_at)(const JN_S(tree) * tree, const real *q, const angles *angle, int elimination, real *at,
                         real *M) {
  crba_scratch r = crba_place(tree, &at);
  JN_(bodies_outward)(tree, q, NULL, angle, 1, r.B, r.S, NULL, NULL);
  JN_(mass_matrix_of)(tree, elimination, r.B, r.S, r.Z, r.independent, M);
}

void JN_(mass_matrix_alone)(const JN_S(tree) * tree, const real *q, const angles *angle, real *at, jn_direct *direct,
                            real *M) {
  crba_scratch r = crba_place(tree, &at);
  JN_(bodies_outward)(tree, q, NULL, angle, 1, r.B, r.S, NULL, NULL);
  JN_(mass_matrix_to)(tree, r.B, r.S, r.Z, r.independent, direct, M);
}

void JN_(mass_matrix)(const jn_call *call) {
  const jn_mass_matrix_arguments *args = &call->mass_matrix;
  real *at = call->scratch;
  angles angle = angles_at(call->tree, args->q, &at);
  if (counts(call, JN_(mass_matrix_scratch)(call->tree, at))) return;
  JN_(mass_matrix_alone)(call->tree, args->q, &angle, at, call->direct, args->M);
}
