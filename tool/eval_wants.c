/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of what `jounce eval` can compute. A new name is one row here, a function, and its name in eval.h. */
#include <stdlib.h>
#include <string.h>

#include "eval.h"
#include "print.h"

static const eval_want wants[] = {
    {"tau", "inverse dynamics: tau of q, v, a, wrench", false, false, want_tau},
    {"ddq", "forward dynamics: ddq of q, v, tau, wrench", true, false, want_ddq},
    {"hybrid", "both: prescribed joints by a, the others by tau", true, false, want_hybrid},
    {"M", "mass matrix", false, false, want_mass_matrix},
    {"Minv", "its inverse", true, false, want_mass_matrix_inverse},
    {"C", "Coriolis matrix, Mdot - 2 C is skew-symmetric", false, false, want_coriolis_matrix},
    {"Mdot", "dM/dt along v, C + C^T", false, false, want_mass_matrix_rate},
    {"g", "gravity forces", false, false, want_gravity},
    {"bias", "C v + g", false, false, want_bias},
    {"energy", "kinetic and potential energy", false, false, want_energy},
    {"momentum", "about the centre of mass and the world's origin", false, false, want_momentum},
    {"momentum_matrix", "A with momentum = A v, about both", false, false, want_momentum_matrix},
    {"momentum_matrix_rate", "dA/dt along v", false, false, want_momentum_matrix_rate},
    {"com", "centre of mass with velocity, acceleration, mass", false, false, want_com},
    {"Jcom", "Jacobian of the centre of mass", false, false, want_com_jacobian},
    {"pose", "4x4 pose of links and frames in the world", false, false, want_pose},
    {"twist", "their twists", false, false, want_twist},
    {"acceleration", "d/dt of the twists, without gravity", false, false, want_acceleration},
    {"J", "their Jacobians", false, false, want_jacobian},
    {"Jdot", "dJ/dt along v", false, false, want_jacobian_rate},
    {"joint_wrenches", "wrench of the parent on each link, by links", false, false, want_joint_wrenches},
    {"tau_jets", "tau and its derivatives 1 ... K, of v_jets", false, true, want_tau_jets},
    {"ddq_jets", "ddq and its derivatives 1 ... K, of tau_jets", true, true, want_ddq_jets},
    {"hybrid_jets", "both, prescribed joints by v_jets", true, true, want_hybrid_jets},
    {"M_jets", "M and its derivatives 1 ... K, of v_jets", false, true, want_mass_matrix_jets},
    {"C_jets", "C and its derivatives", false, true, want_coriolis_matrix_jets},
    {"g_jets", "g and its derivatives", false, true, want_gravity_jets},
    {"twist_jets", "twists of links, frames: derivatives, own axes", false, true, want_twist_jets},
    {"J_jets", "their Jacobians: derivatives, own axes", false, true, want_jacobian_jets},
};
enum { WANTS = sizeof wants / sizeof *wants };

int eval_want_count(void) { return WANTS; }

const eval_want *eval_want_at(int i) { return &wants[i]; }

const eval_want *eval_find_want(const char *name) {
  for (int i = 0; i < WANTS; i++) {
    if (strcmp(wants[i].name, name) == 0) return &wants[i];
  }
  return NULL;
}

double *eval_room(evaluation *e, size_t count) {
  if (count > e->room_count || !e->room) {
    free(e->room); /* its content is not kept */
    e->room = NULL;
    e->room = allocate(count * sizeof *e->room);
    e->room_count = count;
  }
  return e->room;
}
