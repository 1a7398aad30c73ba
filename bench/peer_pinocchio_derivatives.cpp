// SPDX-License-Identifier: BSD-2-Clause
// Pinocchio's derivatives of inverse and forward dynamics.
#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea-second-order-derivatives.hpp>

#include "peer_pinocchio.hpp"

bool pinocchio_run_derivatives(pinocchio_robot &own, peer_task task, size_t s) {
  const pin::Model &m = own.model;
  pin::Data &d = *own.data;
  const Eigen::VectorXd &q = own.q[s], &v = own.v[s], &a = own.a[s], &tau = own.tau[s];
  switch (task) {
    case PEER_D_INVERSE:
      pin::computeRNEADerivatives(m, d, q, v, a);
      return true;
    case PEER_D_FORWARD:
      pin::computeABADerivatives(m, d, q, v, tau);
      return true;
    case PEER_D2_INVERSE:
      pin::ComputeRNEASecondOrderDerivatives(m, d, q, v, a, own.qq, own.vv, own.qv, own.qa);
      return true;
    default:
      return false;
  }
}
