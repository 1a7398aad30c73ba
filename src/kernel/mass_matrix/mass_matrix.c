/* SPDX-License-Identifier: BSD-2-Clause */
/* CRBA: the mass matrix M from composite inertias, those of subtrees (garofalo2013 eq. 6a), for every kernel that needs
 * it. */
#include "mass_matrix.h"

#include "../base/direct.h"
#include "../base/variant.h"
#include "mass_matrix_any.h"
#include "mass_matrix_one.h"

void JN_(mass_matrix_of)(const JN_S(tree) * t, int elimination, solid *B, const screw *S, screw *Z, real *room,
                         real *M) {
  if (!t->nb) return;
  if (t->uncoupled) {
    coupling g = coupling_place(t, &room);
    real *apart = take(&room, coupled_size(t));
    JN_(mass_matrix_of)(t->uncoupled, 0, B, S, Z, NULL, apart);
    coupling_fill(&g, elimination);
    project(&g, 1, apart, M);
    return;
  }
#if JN_REGISTERS
  mass_matrix_one(t, elimination, B, S, Z, M);
#else
  mass_matrix_any(t, elimination, 0, B, S, (wrench *)(void *)Z, M);
#endif
}

/* In lanes, M of more coordinates than this does not stay in the caches: then only what is above its diagonal is made,
 * and goes to the caller from there (Talos, 50 coordinates: 1.0 us a state instead of 1.2; 25: 0.53 instead of 0.47).
 */
enum { MASS_DIRECT = 32 };

void JN_(mass_matrix_to)(const JN_S(tree) * t, solid *B, const screw *S, screw *Z, real *room, jn_direct *direct,
                         real *M) {
  (void)direct; /* without lanes */
#if JN_MANY
  if (direct_is_own(direct) && t->straight && t->nv > MASS_DIRECT) {
    int32_t *stop = (int32_t *)(void *)Z;
    mass_matrix_any(t, 0, 1, B, S, (wrench *)(void *)Z, M);
    for (int i = 0; i < t->nb; i++)
      for (int k = t->body[i].id; k < t->body[i].id + t->body[i].nv; k++) stop[k] = t->body[i].stop;
    direct_send_symmetric(direct, 0, M, t->nv, stop);
    direct->stored |= 1;
    return;
  }
#endif
  JN_(mass_matrix_of)(t, 0, B, S, Z, room, M);
}

typedef struct crba_room {
  solid *B;     /* [nb] */
  screw *S, *Z; /* [nd], [nd + 3] */
  real *apart;  /* of mass_matrix_of() */
} crba_room;

static inline crba_room crba_place(const JN_S(tree) * t, real **at) {
  crba_room r = {.B = TAKE_ALIGNED(at, t->nb, solid)};
  r.S = TAKE_ALIGNED(at, t->nd, screw);
  r.Z = TAKE(at, t->nd + 3, screw);
  r.apart = mass_matrix_room(t, at);
  return r;
}

real *JN_(mass_matrix_scratch)(const JN_S(tree) * t, real *at) {
  crba_place(t, &at);
  return at;
}

void JN_(mass_matrix_at)(const JN_S(tree) * t, const real *q, const angles *turn, int elimination, real *at, real *M) {
  crba_room r = crba_place(t, &at);
  JN_(bodies_outward)(t, q, NULL, turn, 1, r.B, r.S, NULL, NULL);
  JN_(mass_matrix_of)(t, elimination, r.B, r.S, r.Z, r.apart, M);
}

void JN_(mass_matrix_alone)(const JN_S(tree) * t, const real *q, const angles *turn, real *at, jn_direct *direct,
                            real *M) {
  crba_room r = crba_place(t, &at);
  JN_(bodies_outward)(t, q, NULL, turn, 1, r.B, r.S, NULL, NULL);
  JN_(mass_matrix_to)(t, r.B, r.S, r.Z, r.apart, direct, M);
}

void JN_(mass_matrix)(const jn_call *c) {
  const jn_mass_matrix_arguments *args = &c->mass_matrix;
  real *at = c->scratch;
  angles turn = angles_at(c->tree, args->q, &at);
  if (counts(c, JN_(mass_matrix_scratch)(c->tree, at))) return;
  JN_(mass_matrix_alone)(c->tree, args->q, &turn, at, c->direct, args->M);
}
