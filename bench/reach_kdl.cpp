// SPDX-License-Identifier: BSD-2-Clause
// Inverse kinematics of KDL: Levenberg-Marquardt without limits, and Newton-Raphson with joint limits.
#include <cmath>
#include <kdl/chain.hpp>
#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainiksolverpos_lma.hpp>
#include <kdl/chainiksolverpos_nr_jl.hpp>
#include <kdl/chainiksolvervel_pinv.hpp>
#include <memory>
#include <vector>

#include "reach.h"

struct kdl_chain {
  KDL::Chain chain;
  std::unique_ptr<KDL::ChainFkSolverPos_recursive> forward;
  std::unique_ptr<KDL::ChainIkSolverVel_pinv> velocity;
  std::unique_ptr<KDL::ChainIkSolverPos_LMA> lma;
  std::unique_ptr<KDL::ChainIkSolverPos_NR_JL> newton;
  KDL::JntArray start, end;
};

namespace {

KDL::Frame frame_of(const double *T) {
  return KDL::Frame(KDL::Rotation(T[0], T[1], T[2], T[4], T[5], T[6], T[8], T[9], T[10]),
                    KDL::Vector(T[3], T[7], T[11]));
}

}  // namespace

kdl_chain *kdl_chain_create(const jn_model *model, int frame, int *coordinate, int *n) {
  std::vector<int> links;
  double T[16];
  for (int i = jn_frame_link(model, frame); i >= 0; i = jn_link_parent(model, i)) links.insert(links.begin(), i);
  auto own = std::make_unique<kdl_chain>();
  std::vector<double> low, high;
  *n = 0;
  for (int i : links) {
    const jn_joint *j = jn_joint_description(model, i);
    const jn_joint_type type = jn_joint_type_of(model, i);
    jn_link_placement(model, i, T);
    const KDL::Frame placement = frame_of(T);
    if (type == JN_FIXED) {
      own->chain.addSegment(KDL::Segment(KDL::Joint(KDL::Joint::None), placement));
      continue;
    }
    const bool turns = type == JN_REVOLUTE || type == JN_CONTINUOUS;
    if ((!turns && type != JN_PRISMATIC) || j->mimic || j->point[0] != 0 || j->point[1] != 0 || j->point[2] != 0)
      return nullptr;
    const KDL::Vector axis = placement.M * KDL::Vector(j->axis[0], j->axis[1], j->axis[2]);
    const KDL::Joint joint(placement.p, axis, turns ? KDL::Joint::RotAxis : KDL::Joint::TransAxis);
    own->chain.addSegment(KDL::Segment(joint, placement));
    coordinate[(*n)++] = jn_joint_v(model, i);
    low.push_back(std::isfinite(j->dof[0].lower) ? j->dof[0].lower : -1e9);
    high.push_back(std::isfinite(j->dof[0].upper) ? j->dof[0].upper : 1e9);
  }
  jn_frame_placement(model, frame, T);
  if (frame >= jn_link_count(model)) own->chain.addSegment(KDL::Segment(KDL::Joint(KDL::Joint::None), frame_of(T)));
  const auto size = static_cast<unsigned>(*n);
  KDL::JntArray lower(size), upper(size);
  for (unsigned i = 0; i < size; i++) lower(i) = low[i], upper(i) = high[i];
  own->start.resize(size);
  own->end.resize(size);
  own->forward = std::make_unique<KDL::ChainFkSolverPos_recursive>(own->chain);
  own->velocity = std::make_unique<KDL::ChainIkSolverVel_pinv>(own->chain);
  Eigen::Matrix<double, 6, 1> weight = Eigen::Matrix<double, 6, 1>::Ones();
  own->lma = std::make_unique<KDL::ChainIkSolverPos_LMA>(own->chain, weight, 1e-12, 500, 1e-15);
  own->newton = std::make_unique<KDL::ChainIkSolverPos_NR_JL>(own->chain, lower, upper, *own->forward, *own->velocity,
                                                              500, 1e-12);
  return own.release();
}

void kdl_chain_destroy(kdl_chain *chain) { delete chain; }

int kdl_chain_solve(kdl_chain *own, kdl_method method, const double *T, double *q) {
  const unsigned n = own->start.rows();
  for (unsigned i = 0; i < n; i++) own->start(i) = q[i];
  const KDL::Frame goal = frame_of(T);
  const int found = method == KDL_LMA ? own->lma->CartToJnt(own->start, goal, own->end)
                                      : own->newton->CartToJnt(own->start, goal, own->end);
  for (unsigned i = 0; i < n; i++) q[i] = own->end(i);
  return found >= 0;
}
