// SPDX-License-Identifier: BSD-2-Clause
// Functions of Pinocchio traced through CasADi's symbols, as its CasADi support does: pinocchio_casadi MODEL OUT
// [FUNCTION] MODEL is what pinocchio.Model.saveToText() wrote, OUT what casadi.Function.load() reads, FUNCTION is
// forward_dynamics (the default), inverse_dynamics or mass_matrix. Built by script/bench --solvers, because the
// package pin of PyPI has the headers for this, but not the module pinocchio.casadi.
#include <pinocchio/autodiff/casadi.hpp>

#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/multibody.hpp>
#include <pinocchio/serialization.hpp>

int main(int argc, char **argv) {
  using SX = casadi::SX;
  if (argc != 3 && argc != 4) return 2;
  const std::string name = argc == 4 ? argv[3] : "forward_dynamics";
  pinocchio::Model numbers;
  numbers.loadFromText(argv[1]);
  pinocchio::ModelTpl<SX> model = numbers.cast<SX>();
  pinocchio::DataTpl<SX> data(model);
  const int n = model.nv;

  // Arguments. x is tau or a.
  SX q = SX::sym("q", model.nq), v = SX::sym("v", n), x = SX::sym("x", n);
  pinocchio::ModelTpl<SX>::ConfigVectorType Q(model.nq);
  pinocchio::ModelTpl<SX>::TangentVectorType V(n), X(n);
  pinocchio::casadi::copy(q, Q);
  pinocchio::casadi::copy(v, V);
  pinocchio::casadi::copy(x, X);

  // Results.
  casadi::Function function;
  SX y(n, 1);
  if (name == "inverse_dynamics") {
    pinocchio::rnea(model, data, Q, V, X);
    for (int i = 0; i < n; i++) y(i) = data.tau[i];
    function = casadi::Function(name, {q, v, x}, {y}, {"q", "v", "a"}, {"tau"});
  } else if (name == "mass_matrix") {
    pinocchio::crba(model, data, Q);
    y = SX(n, n);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) y(i, j) = i <= j ? data.M(i, j) : data.M(j, i);
    function = casadi::Function(name, {q}, {y}, {"q"}, {"M"});
  } else {
    pinocchio::aba(model, data, Q, V, X);
    for (int i = 0; i < n; i++) y(i) = data.ddq[i];
    function = casadi::Function(name, {q, v, x}, {y}, {"q", "v", "tau"}, {"a"});
  }
  function.save(argv[2]);
  return 0;
}
