/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of what `jounce eval` can compute. A new name is one row here, a function, and its name in eval.h. */
#include <stdlib.h>
#include <string.h>

#include "../command.h"
#include "../text/print.h"
#include "eval.h"

static const eval_want wants[] = {
    {"tau", "inverse dynamics: tau of q, v, a, wrench", WANT_CLOSED, want_tau},
    {"ddq", "forward dynamics: ddq of q, v, tau, wrench", WANT_SOLVES | WANT_CLOSED, want_ddq},
    {"hybrid", "hybrid dynamics: a of some joints, tau of others", WANT_SOLVES | WANT_CLOSED, want_hybrid},
    {"M", "mass matrix", 0, want_mass_matrix},
    {"Minv", "its inverse", WANT_SOLVES, want_mass_matrix_inverse},
    {"C", "Coriolis matrix, Mdot - 2 C is skew-symmetric", 0, want_coriolis_matrix},
    {"C_christoffel", "C from Christoffel symbols", 0, want_coriolis_christoffel},
    {"Mdot", "dM/dt along v, C + C^T", 0, want_mass_matrix_rate},
    {"g", "gravity forces", 0, want_gravity},
    {"bias", "C v + g", 0, want_bias},
    {"energy", "kinetic and potential energy", 0, want_energy},
    {"momentum", "about the centre of mass and the world's origin", 0, want_momentum},
    {"momentum_matrix", "A with momentum = A v, about both", 0, want_momentum_matrix},
    {"momentum_matrix_rate", "dA/dt along v", 0, want_momentum_matrix_rate},
    {"com", "centre of mass with velocity, acceleration, mass", 0, want_com},
    {"Jcom", "Jacobian of the centre of mass", 0, want_com_jacobian},
    {"pose", "4x4 pose of links and frames in the world", 0, want_pose},
    {"twist", "their twists", 0, want_twist},
    {"acceleration", "d/dt of the twists, without gravity", 0, want_acceleration},
    {"J", "their Jacobians", 0, want_jacobian},
    {"Jdot", "dJ/dt along v", 0, want_jacobian_rate},
    {"space_jacobian", "screws of all joints, about the world's origin", 0, want_space_jacobian},
    {"space_jacobian_rate", "its d/dt along v", 0, want_space_jacobian_rate},
    {"joint_wrenches", "wrench of the parent on each link, by links", WANT_CLOSED, want_joint_wrenches},
    {"tau_jets", "tau and its derivatives 1 ... K, of v_jets", WANT_JET | WANT_CLOSED, want_tau_jets},
    {"ddq_jets", "ddq and its derivatives 1 ... K, of tau_jets", WANT_SOLVES | WANT_JET | WANT_CLOSED, want_ddq_jets},
    {"hybrid_jets", "hybrid and derivatives 1 ... K, of both jets", WANT_SOLVES | WANT_JET | WANT_CLOSED,
     want_hybrid_jets},
    {"M_jets", "M and its derivatives 1 ... K, of v_jets", WANT_JET, want_mass_matrix_jets},
    {"C_jets", "C and its derivatives", WANT_JET, want_coriolis_matrix_jets},
    {"g_jets", "g and its derivatives", WANT_JET, want_gravity_jets},
    {"P", "P_r of the rate K: tau^(K) = sum P_r v^(r) + g^(K)", WANT_JET, want_rate_matrices},
    {"twist_jets", "twists of links, frames: derivatives, own axes", WANT_JET, want_twist_jets},
    {"J_jets", "their Jacobians: derivatives, own axes", WANT_JET, want_jacobian_jets},
    {"joint_wrenches_jets", "joint_wrenches and their derivatives", WANT_JET | WANT_CLOSED, want_joint_wrenches_jets},
    {"momentum_jets", "momentum about the origin and its derivatives", WANT_JET, want_momentum_jets},
    {"com_jets", "centre of mass and its derivatives", WANT_JET, want_com_jets},
    {"energy_jets", "kinetic, potential energy and derivatives", WANT_JET, want_energy_jets},
    {"lambda", "loop multipliers, of the dynamics in --lambda", WANT_SOLVES | WANT_CLOSED, want_lambda},
    {"lambda_jets", "lambda and its derivatives 1 ... K", WANT_SOLVES | WANT_JET | WANT_CLOSED, want_lambda_jets},
    {"lambda_d", "derivatives of lambda by q, v, given tau or a", WANT_SOLVES | WANT_CLOSED, want_lambda_derivatives},
    {"loop_wrenches", "wrenches of lambda on both frames of each loop", WANT_SOLVES | WANT_CLOSED, want_loop_wrenches},
    {"constraint", "constraints phi(q) of loops", 0, want_constraint},
    {"A", "d phi / dq: A v = 0", 0, want_constraint_matrix},
    {"mobility", "rank of A, nv - rank, how near singular", 0, want_mobility},
    {"dtau_dq", "derivative of tau (inverse dynamics) by q", WANT_CLOSED, want_dtau_dq},
    {"dtau_dv", "d tau / dv", WANT_CLOSED, want_dtau_dv},
    {"dtau_da", "d tau / da, M without loops", WANT_CLOSED, want_dtau_da},
    {"dtau_dwrench", "d tau / d wrench, by links", WANT_CLOSED, want_dtau_dwrench},
    {"da_dq", "derivative of ddq (forward dynamics) by q", WANT_SOLVES | WANT_CLOSED, want_da_dq},
    {"da_dv", "d ddq / dv", WANT_SOLVES | WANT_CLOSED, want_da_dv},
    {"da_dtau", "d ddq / dtau, Minv without loops", WANT_SOLVES | WANT_CLOSED, want_da_dtau},
    {"da_dwrench", "d ddq / d wrench, by links", WANT_SOLVES | WANT_CLOSED, want_da_dwrench},
    {"hybrid_d", "derivatives of hybrid by q, v, given a, tau", WANT_SOLVES | WANT_CLOSED, want_hybrid_derivatives},
    {"dg_dq", "d g / dq", 0, want_gravity_dq},
    {"pi", "inertial parameters, ten per link", WANT_PARAMETERS, want_parameters},
    {"Y", "regressor: tau = Y pi", WANT_PARAMETERS | WANT_CLOSED, want_regressor},
    {"Y_slotine_li", "Y pi = M a_r + C v_r + g", WANT_PARAMETERS, want_slotine_li_regressor},
    {"Y_gravity", "g = Y pi", WANT_PARAMETERS, want_gravity_regressor},
    {"Y_energy", "kinetic, potential energy = Y pi", WANT_PARAMETERS, want_energy_regressor},
    {"Y_momentum", "momentum about the world's origin = Y pi", WANT_PARAMETERS, want_momentum_regressor},
    {"Y_jets", "Y and its derivatives 1 ... K, of v_jets", WANT_PARAMETERS | WANT_JET | WANT_CLOSED,
     want_regressor_jets},
    {"dg_dpi", "d g / dpi", WANT_PARAMETERS, want_gravity_dpi},
    {"da_dpi", "d ddq / dpi, -Minv Y without loops", WANT_PARAMETERS | WANT_SOLVES | WANT_CLOSED, want_da_dpi},
    {"dM_dq", "d M / dq, one matrix per direction", WANT_TENSOR, want_mass_matrix_dq},
    {"dMinv_dq", "d Minv / dq, likewise", WANT_SOLVES | WANT_TENSOR, want_mass_matrix_inverse_dq},
    {"dC_dq", "d C / dq", WANT_TENSOR, want_coriolis_matrix_dq},
    {"dC_dv", "d C / dv", WANT_TENSOR, want_coriolis_matrix_dv},
    {"dMdot_dq", "d Mdot / dq", WANT_TENSOR, want_mass_matrix_rate_dq},
    {"dMdot_dv", "d Mdot / dv", WANT_TENSOR, want_mass_matrix_rate_dv},
    {"d2tau", "second derivatives of tau; not with loops", WANT_TENSOR, want_second_tau},
    {"d2a", "second derivatives of ddq; not with loops", WANT_SOLVES | WANT_TENSOR, want_second_a},
    {"dtau_jets", "derivatives of tau_jets by q, v, v', ...; no loops", WANT_JET | WANT_TENSOR, want_dtau_jets},
    {"dM_dpi", "d M / dpi, one matrix per parameter", WANT_PARAMETERS | WANT_TENSOR, want_mass_matrix_dpi},
    {"dC_dpi", "d C / dpi, likewise", WANT_PARAMETERS | WANT_TENSOR, want_coriolis_matrix_dpi},
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

/* Ends the command, as a lack of memory does, before anything is written. */
static void check_limit(const evaluation *e, size_t count) {
  if (e->limit == 0 || count <= e->limit / sizeof(double)) return;
  say(stderr, "jounce: the results of one state have %zu numbers of 8 bytes, more than the limit of %zu bytes\n", count,
      e->limit);
  say(stderr, "    ask for fewer or smaller results, or raise the limit: --max-bytes\n");
  exit(EXIT_BAD);
}

double *eval_room(evaluation *e, size_t count) {
  check_limit(e, count);
  if (count > e->room_count || !e->room) {
    free(e->room); /* its content is not kept */
    e->room = NULL;
    e->room = allocate(count * sizeof *e->room);
    e->room_count = count;
  }
  return e->room;
}
