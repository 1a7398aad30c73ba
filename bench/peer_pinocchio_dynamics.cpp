// SPDX-License-Identifier: BSD-2-Clause
// Pinocchio's recursions: inverse and forward dynamics, the mass matrix and its inverse.
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea.hpp>

#include "peer_pinocchio.hpp"

bool pinocchio_run_dynamics(pinocchio_robot &own, peer_task task, size_t s) {
  const pin::Model &m = own.model;
  pin::Data &d = *own.data;
  const Eigen::VectorXd &q = own.q[s], &v = own.v[s], &a = own.a[s], &tau = own.tau[s];
  switch (task) {
    case PEER_INVERSE:
      pin::rnea(m, d, q, v, a);
      return true;
    case PEER_BIAS:
      pin::nonLinearEffects(m, d, q, v);
      return true;
    case PEER_GRAVITY:
      pin::computeGeneralizedGravity(m, d, q);
      return true;
    case PEER_MASS:
      pin::crba(m, d, q, pin::Convention::WORLD);
      return true;
    case PEER_MASS_LOCAL:
      pin::crba(m, d, q, pin::Convention::LOCAL);
      return true;
    case PEER_FORWARD:
      pin::aba(m, d, q, v, tau, pin::Convention::WORLD);
      return true;
    case PEER_FORWARD_LOCAL:
      pin::aba(m, d, q, v, tau, pin::Convention::LOCAL);
      return true;
    case PEER_MASS_INVERSE:
      pin::computeMinverse(m, d, q);
      return true;
    case PEER_CORIOLIS:
      pin::computeCoriolisMatrix(m, d, q, v);
      return true;
    default:
      return false;
  }
}
