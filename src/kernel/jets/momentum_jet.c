/* SPDX-License-Identifier: BSD-2-Clause */
/* Jets of momentum, centre of mass and energies. The momenta I V(t) are carried inwards to the world like wrenches; the
 * rest follows from the linear momentum p:  dc/dt = p / m,  dU/dt = -gravity . p. arg[0] = K. in: q, v jets [(K+2) x
 * nv]. out: momentum about the world's origin [(K+1) x 6], centre of mass [(K+1) x 3], kinetic and potential energy
 * [(K+1) x 2]. O(n K^2). */
#include "../base/variant.h"
#include "jets.h"

static inline real kinetic_order(const jets *J, int k) {
  const JN_S(tree) *t = J->t;
  int nb = t->nb, nv = t->nv;
  real sum = ZERO;
  for (int i = 0; i < nb; i++) {
    const JN_S(body) *b = &t->body[i];
    inertia I = i_constant(b->inertia);
    for (int j = 0; j <= k; j++) {
      sum += power(i_mul(I, J->V[j * nb + i]), J->V[(k - j) * nb + i]);
      for (int c = 0; c < b->nv; c++)
        sum += armature_of(t, b, c) * J->v[j * nv + b->iv + c] * J->v[(k - j) * nv + b->iv + c];
    }
  }
  return K(0.5) * sum;
}

/* Mass, and first moment in the world, of all that moves; T [nb] is scratch. */
static inline real first_moment(const jets *J, pose *T, vec3 *moment) {
  const JN_S(tree) *t = J->t;
  real mass = ZERO;
  *moment = v3_zero();
  for (int i = 0; i < t->nb; i++) {
    int p = t->body[i].parent;
    inertia I = i_constant(t->body[i].inertia);
    pose X = body_pose(t, &t->body[i], J->q, J->turn.c[i], J->turn.s[i]);
    T[i] = p < 0 ? X : se3_mul(T[p], X);
    mass += I.m;
    *moment = v3_add(*moment, v3_axpy(I.m, T[i].p, m3_mul(T[i].R, I.h)));
  }
  return mass;
}

void JN_(momentum_jet)(const jn_call *call) {
  const jn_momentum_jet_arguments *args = &call->momentum_jet;
  const JN_S(tree) *t = call->tree;
  int order = args->order;
  real *at = call->scratch, *h = args->h_jet, *com = args->com_jet, *energy = args->energy_jet;
  jets J = jets_place(t, order + 2, 0, args->q, &at);
  pose *T = TAKE(&at, t->nb, pose);
  if (counts(call, at)) return;
  vec3 moment, g = v3_constant(t->gravity);
  J.weightless = 1; /* the true twists */
  jet_to_taylor(args->v_jet, order + 2, t->nv, J.v);
  real mass = first_moment(&J, T, &moment);
  vec3 p = v3_zero(); /* linear momentum of the order before */
  for (int k = 0; k <= order; k++) {
    twists_order(&J, k);
    for (int i = 0; i < t->nb; i++) J.F[k * t->nb + i] = i_mul(i_constant(t->body[i].inertia), J.V[k * t->nb + i]);
    wrench momentum = inward_order(&J, k, NULL);
    vec3 first = k == 0 ? moment : v3_scale(reciprocal(k), p); /* m c */
    if (h) w_store(momentum, h + 6 * k);
    if (com) v3_store(v3_scale(K(1) / mass, first), com + 3 * k);
    if (energy) {
      energy[2 * k] = kinetic_order(&J, k);
      energy[2 * k + 1] = spring_energy_order(t, J.q, J.v, k) - dot(g, first);
    }
    p = momentum.f;
  }
  if (h) taylor_to_jet(h, order + 1, 6);
  if (com) taylor_to_jet(com, order + 1, 3);
  if (energy) taylor_to_jet(energy, order + 1, 2);
}
