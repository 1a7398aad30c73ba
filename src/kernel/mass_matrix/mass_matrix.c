/* SPDX-License-Identifier: BSD-2-Clause */
/* CRBA: the mass matrix M from composite inertias, those of subtrees (garofalo2013 eq. 6a), for every kernel that needs
 * it. */
#include "mass_matrix.h"

#include "../base/direct.h"
#include "../base/variant.h"
#include "mass_matrix_any.h"
#include "mass_matrix_one.h"

void JN_(mass_matrix_of)(const JN_S(tree) * tree, int elimination, solid *B, const screw *S, screw *Z, real *room,
                         real *M) {
  if (!tree->nb) return;
  if (tree->uncoupled) {
    coupling g = coupling_place(tree, &room);
    real *apart = take(&room, coupled_size(tree));
    JN_(mass_matrix_of)(tree->uncoupled, 0, B, S, Z, NULL, apart);
    coupling_fill(&g, elimination);
    project(&g, 1, apart, M);
    return;
  }
#if JN_REGISTERS
  mass_matrix_one(tree, elimination, B, S, Z, M);
#else
  mass_matrix_any(tree, elimination, 0, B, S, (wrench *)(void *)Z, M);
#endif
}

/* In lanes, M of more coordinates than this does not stay in the caches: then only what is above its diagonal is made,
 * and goes to the caller from there (Talos, 50 coordinates: 1.0 us a state instead of 1.2; 25: 0.53 instead of 0.47).
 */
enum { MASS_DIRECT = 32 };

void JN_(mass_matrix_to)(const JN_S(tree) * tree, solid *B, const screw *S, screw *Z, real *room, const jn_call *call) {
  real *M = call->out[0];
#if JN_MANY
  if (direct_is_own(call->direct) && tree->in_body_order && tree->nv > MASS_DIRECT) {
    int32_t *stop = (int32_t *)(void *)Z;
    mass_matrix_any(tree, 0, 1, B, S, (wrench *)(void *)Z, M);
    for (int i = 0; i < tree->nb; i++)
      for (int k = tree->body[i].id; k < tree->body[i].id + tree->body[i].nv; k++) stop[k] = tree->body[i].stop;
    direct_send_symmetric(call->direct, 0, M, tree->nv, stop);
    call->direct->stored |= 1;
    return;
  }
#endif
  JN_(mass_matrix_of)(tree, 0, B, S, Z, room, M);
}

typedef struct crba_room {
  solid *B;     /* [nb] */
  screw *S, *Z; /* [nd], [nd + 3] */
  real *apart;  /* of mass_matrix_of() */
} crba_room;

static inline crba_room crba_place(const JN_S(tree) * tree, real **at) {
  crba_room r = {.B = TAKE_ALIGNED(at, tree->nb, solid)};
  r.S = TAKE_ALIGNED(at, tree->nd, screw);
  r.Z = TAKE(at, tree->nd + 3, screw);
  r.apart = mass_matrix_room(tree, at);
  return r;
}

real *JN_(mass_matrix_scratch)(const JN_S(tree) * tree, real *at) {
  crba_place(tree, &at);
  return at;
}

void JN_(mass_matrix_at)(const JN_S(tree) * tree, const real *q, const angles *angle, int elimination, real *at,
                         real *M) {
  crba_room r = crba_place(tree, &at);
  JN_(bodies_outward)(tree, q, NULL, angle, 1, r.B, r.S, NULL, NULL);
  JN_(mass_matrix_of)(tree, elimination, r.B, r.S, r.Z, r.apart, M);
}

void JN_(mass_matrix_alone)(const jn_call *call, const angles *angle, real *at) {
  crba_room r = crba_place(call->tree, &at);
  JN_(bodies_outward)(call->tree, call->in[0], NULL, angle, 1, r.B, r.S, NULL, NULL);
  JN_(mass_matrix_to)(call->tree, r.B, r.S, r.Z, r.apart, call);
}

void JN_(mass_matrix)(const jn_call *call) {
  real *at = call->scratch;
  angles angle = angles_at(call->tree, call->in[0], &at);
  if (!counts(call, JN_(mass_matrix_scratch)(call->tree, at))) JN_(mass_matrix_alone)(call, &angle, at);
}
