/* SPDX-License-Identifier: BSD-2-Clause */
/* CRBA: the mass matrix M from composite inertias, those of subtrees (garofalo2013 eq. 6a), for every kernel that needs
 * it. */
#include "crba.h"

#include "../base/row.h"
#include "crba_any.h"
#include "crba_one.h"

void JN_(mass_matrix_of)(const JN_S(tree) * t, int elimination, solid *B, const screw *S, screw *Z, real *M) {
  if (!t->nb) return;
#if JN_REGISTERS
  mass_matrix_one(t, elimination, B, S, Z, M);
#else
  mass_matrix_any(t, elimination, B, S, (wrench *)(void *)Z, M);
#endif
}

void JN_(mass_matrix)(const JN_S(tree) * t, const real *q, const angles *turn, int elimination, real *at, real *M) {
  solid *B = TAKE_ALIGNED(&at, t->nb, solid);
  screw *S = TAKE_ALIGNED(&at, t->nd, screw), *Z = TAKE(&at, t->nd + 3, screw);
  JN_(bodies_outward)(t, q, NULL, turn, 1, B, S, NULL, NULL);
  JN_(mass_matrix_of)(t, elimination, B, S, Z, M);
}

void JN_(mass)(const jn_call *c) {
  real *at = c->scratch;
  angles turn = angles_at(c->tree, c->in[0], &at);
  JN_(mass_matrix)(c->tree, c->in[0], &turn, 0, at, c->out[0]);
}
