// SPDX-License-Identifier: BSD-2-Clause
// Pinocchio's Jacobians, regressor and all terms at once.
#include <pinocchio/algorithm/center-of-mass.hpp>
#include <pinocchio/algorithm/compute-all-terms.hpp>
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/regressor.hpp>

#include "peer_pinocchio.hpp"

namespace {

// Of every frame, in full.
void jacobians(pinocchio_robot &own) {
  for (size_t f = 0; f < own.J.size(); f++) {
    own.J[f].setZero();
    if (own.carrier[f] > 0) pin::getJointJacobian(own.model, *own.data, own.carrier[f], pin::WORLD, own.J[f]);
  }
}

}  // namespace

bool pinocchio_run_matrices(pinocchio_robot &own, peer_task task, size_t s) {
  const pin::Model &m = own.model;
  pin::Data &d = *own.data;
  const Eigen::VectorXd &q = own.q[s], &v = own.v[s], &a = own.a[s];
  switch (task) {
    case PEER_JACOBIANS:
      pin::computeJointJacobians(m, d, q);
      jacobians(own);
      return true;
    case PEER_JACOBIAN_RATES:
      pin::computeJointJacobiansTimeVariation(m, d, q, v);
      for (size_t f = 0; f < own.J.size(); f++) {
        own.J[f].setZero();
        if (own.carrier[f] > 0) pin::getJointJacobianTimeVariation(m, d, own.carrier[f], pin::WORLD, own.J[f]);
      }
      return true;
    case PEER_SPACE_JACOBIAN:
      pin::computeJointJacobians(m, d, q);
      return true;
    case PEER_REGRESSOR:
      pin::computeJointTorqueRegressor(m, d, q, v, a);
      return true;
    case PEER_COM_JACOBIAN:
      pin::jacobianCenterOfMass(m, d, q);
      return true;
    case PEER_TERMS:
      pin::computeAllTerms(m, d, q, v);
      jacobians(own);
      return true;
    default:
      return false;
  }
}
