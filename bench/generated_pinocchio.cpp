// SPDX-License-Identifier: BSD-2-Clause
// Generated double code beside Pinocchio, one state at a time, in one process: `script/bench --generated --peers`.
//   generated_pinocchio URDF
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/parsers/urdf.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "robot.h"

// Nanoseconds of one call, the least of some rounds.
template <typename Call>
static double time_of(Call call) {
  double least = 1e300;
  for (int round = 0; round < 200; round++) {
    auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < 500; i++) call();
    auto end = std::chrono::steady_clock::now();
    least = std::min(least, std::chrono::duration<double, std::nano>(end - begin).count() / 500);
  }
  return least;
}

static void print(const char *name, double ours, double theirs) {
  std::printf("%-30s generated %8.1f ns, Pinocchio %8.1f ns, ratio %5.2f\n", name, ours, theirs, theirs / ours);
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  pinocchio::Model model;
  pinocchio::urdf::buildModel(argv[1], model);
  pinocchio::Data data(model);
  if (model.nv != ROBOT_NV) return 1;
  Eigen::VectorXd q = Eigen::VectorXd::Constant(model.nq, 0.3), v = q, a = q, tau(model.nv);
  Eigen::Matrix<double, -1, -1, Eigen::RowMajor> M(model.nv, model.nv), dq = M, dv = M, da = M;

  // They compute the same.
  pinocchio::rnea(model, data, q, v, a);
  robot_inverse_dynamics(q.data(), v.data(), a.data(), tau.data());
  if (!((tau - data.tau).norm() <= 1e-9 * tau.norm())) return std::puts("results differ"), 1;

  print("inverse_dynamics", time_of([&] { robot_inverse_dynamics(q.data(), v.data(), a.data(), tau.data()); }),
        time_of([&] { pinocchio::rnea(model, data, q, v, a); }));
  print("mass_matrix", time_of([&] { robot_mass_matrix(q.data(), M.data()); }),
        time_of([&] { pinocchio::crba(model, data, q); }));
  print("inverse_dynamics_derivatives", time_of([&] {
          robot_inverse_dynamics_derivatives(q.data(), v.data(), a.data(), dq.data(), dv.data(), da.data());
        }),
        time_of([&] { pinocchio::computeRNEADerivatives(model, data, q, v, a); }));
  return 0;
}
