/* SPDX-License-Identifier: BSD-2-Clause */
/* Time derivatives of momentum, centre of mass and energies.
 *
 *   h = sum over bodies of Ad*(I V)        momentum about the world's origin: momenta are carried inwards like wrenches
 *   c' = p / m                             centre of mass, p the linear part of h
 *   T = 1/2 sum V . I V + armatures        kinetic energy
 *   U' = -gravity . p                      potential energy, plus that of the springs
 *
 * all as Taylor series in time: T_k = 1/2 sum_j V_j . I V_{k-j}, c_k = p_{k-1} / (m k).
 *
 *   symbol   meaning                          frame, unit                 size
 *   momenta  derivatives of (moment, force)   world; N m s, N s           [(K+1) x 6]
 *   com      of the centre of mass            world; m                    [(K+1) x 3]
 *   energy   of T and U                       J                           [(K+1) x 2]
 *
 * order = K. in: q, v jets [(K+2) x nv]. out: momenta, com, energy; NULL: not wanted. Cost O(n K^2). */
#include "../base/variant.h"
#include "jets.h"

/* Order k of the kinetic energy: 1/2 sum_j V_j . I V_{k-j}, and armature v_j v_{k-j}. */
static inline real kinetic_energy_order(const jets *J, int k) {
  const JN_S(tree) *tree = J->tree;
  int nb = tree->nb, nv = tree->nv;
  real sum = ZERO;
  for (int i = 0; i < nb; i++) {
    const JN_S(body) *body = &tree->body[i];
    inertia I = i_constant(body->inertia);
    for (int j = 0; j <= k; j++) {
      sum += power(i_mul(I, J->V[j * nb + i]), J->V[(k - j) * nb + i]);
      for (int c = 0; c < body->nv; c++)
        sum += armature_of(tree, body, c) * J->v[j * nv + body->iv + c] * J->v[(k - j) * nv + body->iv + c];
    }
  }
  return K(0.5) * sum;
}

/* Mass, and first moment m c about the world's origin, of all bodies; T [nb] is scratch for their poses. */
static inline real first_moment(const jets *J, pose *T, vec3 *moment) {
  const JN_S(tree) *tree = J->tree;
  real mass = ZERO;
  *moment = v3_zero();
  for (int i = 0; i < tree->nb; i++) {
    int parent = tree->body[i].parent;
    inertia I = i_constant(tree->body[i].inertia);
    pose X = body_pose(tree, &tree->body[i], J->q, J->angle.c[i], J->angle.s[i]);
    T[i] = parent < 0 ? X : se3_mul(T[parent], X);
    mass += I.m;
    *moment = v3_add(*moment, v3_axpy(I.m, T[i].p, m3_mul(T[i].R, I.h)));
  }
  return mass;
}

void JN_(momentum_jet)(const jn_call *call) {
  const jn_momentum_jet_arguments *args = &call->momentum_jet;
  const JN_S(tree) *tree = call->tree;
  int order = args->order;
  real *at = call->scratch, *momenta = args->h_jet, *com = args->com_jet, *energy = args->energy_jet;
  jets J = jets_place(tree, order + 2, 0, args->q, &at);
  pose *T = TAKE(&at, tree->nb, pose);
  if (counts(call, at)) return;

  vec3 moment, gravity = v3_constant(tree->gravity);

  /* True twists: the base does not accelerate. */
  J.without_weight = 1;
  jet_to_taylor(args->v_jet, order + 2, tree->nv, J.v);
  real mass = first_moment(&J, T, &moment);

  vec3 linear = v3_zero(); /* linear momentum of the order before */
  for (int k = 0; k <= order; k++) {
    /* h_k: momenta I V_k of the bodies, carried to the world. */
    extend_twists(&J, k);
    for (int i = 0; i < tree->nb; i++)
      J.F[k * tree->nb + i] = i_mul(i_constant(tree->body[i].inertia), J.V[k * tree->nb + i]);
    wrench momentum = extend_wrenches(&J, k, NULL);

    /* m c_k = p_{k-1} / k; at order 0 from the configuration. */
    vec3 first = k == 0 ? moment : v3_scale(reciprocal(k), linear);

    if (momenta) w_store(momentum, momenta + 6 * k);
    if (com) v3_store(v3_scale(K(1) / mass, first), com + 3 * k);
    if (energy) {
      energy[2 * k] = kinetic_energy_order(&J, k);
      energy[2 * k + 1] = spring_energy_order(tree, J.q, J.v, k) - dot(gravity, first);
    }
    linear = momentum.f;
  }

  /* From Taylor coefficients to derivatives. */
  if (momenta) taylor_to_jet(momenta, order + 1, 6);
  if (com) taylor_to_jet(com, order + 1, 3);
  if (energy) taylor_to_jet(energy, order + 1, 2);
}
