// SPDX-License-Identifier: BSD-2-Clause
// Forward dynamics of Pinocchio traced through CasADi's symbols, as its CasADi support does: pinocchio_casadi MODEL OUT
// MODEL is what pinocchio.Model.saveToText() wrote, OUT what casadi.Function.load() reads. Built by script/bench
// --solvers, because the package pin of PyPI has the headers for this, but not the module pinocchio.casadi.
#include <pinocchio/autodiff/casadi.hpp>

#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/multibody.hpp>
#include <pinocchio/serialization.hpp>

int main(int argc, char **argv) {
  using SX = casadi::SX;
  if (argc != 3) return 2;
  pinocchio::Model numbers;
  numbers.loadFromText(argv[1]);
  pinocchio::ModelTpl<SX> model = numbers.cast<SX>();
  pinocchio::DataTpl<SX> data(model);
  SX q = SX::sym("q", model.nq), v = SX::sym("v", model.nv), tau = SX::sym("tau", model.nv), a(model.nv, 1);
  pinocchio::ModelTpl<SX>::ConfigVectorType Q(model.nq);
  pinocchio::ModelTpl<SX>::TangentVectorType V(model.nv), T(model.nv);
  pinocchio::casadi::copy(q, Q);
  pinocchio::casadi::copy(v, V);
  pinocchio::casadi::copy(tau, T);
  pinocchio::aba(model, data, Q, V, T);
  for (int i = 0; i < model.nv; i++) a(i) = data.ddq[i];
  casadi::Function("forward_dynamics", {q, v, tau}, {a}, {"q", "v", "tau"}, {"a"}).save(argv[2]);
  return 0;
}
