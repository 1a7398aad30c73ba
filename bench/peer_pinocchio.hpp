// SPDX-License-Identifier: BSD-2-Clause
// What the files of the peer Pinocchio share. Each is compiled by itself, because its templates take minutes.
#ifndef JN_BENCH_PEER_PINOCCHIO_HPP
#define JN_BENCH_PEER_PINOCCHIO_HPP

#include <memory>
#include <pinocchio/multibody.hpp>
#include <vector>

#include "peers.h"

namespace pin = pinocchio;

// Torques and their rates on Taylor numbers of one order.
struct torque_series {
  virtual ~torque_series() = default;
  virtual void run(size_t state) = 0;
  virtual double torque(int k, int row) const = 0;  // k-th derivative
};

// A robot of ours as a model of Pinocchio.
struct pinocchio_robot {
  pin::Model model;
  std::unique_ptr<pin::Data> data;
  std::vector<Eigen::VectorXd> q, v, a, tau;
  std::vector<int> place;                // of each of our velocity coordinates
  std::vector<int> joint;                // that carries each of our links
  std::vector<pin::SE3> at;              // the link in the frame of that joint
  std::vector<pin::JointIndex> carrier;  // the joint of each of our frames
  std::vector<pin::Data::Matrix6x> J;    // of each of them
  pin::Data::Tensor3x qq, vv, qv, qa;
  std::unique_ptr<torque_series> series[4];  // of orders 1 to 4
};

// false: it has a joint that the peer does not take.
bool pinocchio_build(pinocchio_robot &own, const jn_model *m);
pin::SE3 pinocchio_pose(const double T[16]);
// States in its order of coordinates, appended to `to`; width nq or nv.
void pinocchio_configurations(const pinocchio_robot &own, const jn_model *m, const double *q, int count,
                              std::vector<Eigen::VectorXd> &to);
void pinocchio_velocities(const pinocchio_robot &own, const double *v, int count, int stride,
                          std::vector<Eigen::VectorXd> &to);

// Each runs the tasks it knows and returns whether the task was one of them.
bool pinocchio_run_dynamics(pinocchio_robot &own, peer_task task, size_t state);
bool pinocchio_run_matrices(pinocchio_robot &own, peer_task task, size_t state);
bool pinocchio_run_derivatives(pinocchio_robot &own, peer_task task, size_t state);

std::unique_ptr<torque_series> pinocchio_series1(const pinocchio_robot &own, const robot *r);
std::unique_ptr<torque_series> pinocchio_series2(const pinocchio_robot &own, const robot *r);
std::unique_ptr<torque_series> pinocchio_series3(const pinocchio_robot &own, const robot *r);
std::unique_ptr<torque_series> pinocchio_series4(const pinocchio_robot &own, const robot *r);

// A [rows x nv] of Pinocchio to ours, by rows; rows are coordinates (nv of them) or those of a twist (6: angular part
// first).
template <typename Matrix>
size_t pinocchio_put(const pinocchio_robot &own, const Matrix &A, int rows, double *out) {
  const int n = static_cast<int>(own.place.size());
  for (int r = 0; r < rows; r++)
    for (int c = 0; c < n; c++) {
      const int from = rows == n ? own.place[static_cast<size_t>(r)] : rows == 6 ? (r + 3) % 6 : r;
      out[r * n + c] = A(from, own.place[static_cast<size_t>(c)]);
    }
  return static_cast<size_t>(rows * n);
}

inline size_t pinocchio_put_vector(const pinocchio_robot &own, const Eigen::VectorXd &x, double *out) {
  for (size_t k = 0; k < own.place.size(); k++) out[k] = x(own.place[k]);
  return own.place.size();
}

#endif
