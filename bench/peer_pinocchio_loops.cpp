// SPDX-License-Identifier: BSD-2-Clause
// Pinocchio's forward dynamics with constraints, and its derivatives.
#include <cstdlib>
#include <pinocchio/algorithm/constrained-dynamics-derivatives.hpp>
#include <pinocchio/algorithm/constrained-dynamics.hpp>

#include "peer_pinocchio.hpp"

namespace {

struct closed_robot : pinocchio_robot {
  std::vector<pin::RigidConstraintModel> conditions;
  std::vector<pin::RigidConstraintData> memory;
  // Without regularisation, redundant conditions, as of planar loops in space, give NaN.
  pin::ProximalSettings settings{1e-12, 0, 1};
};

// The link's joint and where the closing frame is in it; "world" is joint 0.
bool closing_frame(const closed_robot &own, const jn_model *m, const char *link, const double placement[16],
                   pin::JointIndex &joint, pin::SE3 &frame) {
  const int i = jn_link_index(m, link);
  joint = i < 0 ? 0 : static_cast<pin::JointIndex>(own.joint[static_cast<size_t>(i)]);
  frame = pinocchio_pose(placement);
  if (i >= 0) frame = own.at[static_cast<size_t>(i)] * frame;
  return true;
}

bool add_condition(closed_robot &own, const jn_model *m, const jn_loop *l) {
  const bool weld = l->type == JN_LOOP_WELD;
  const bool point = l->type == JN_LOOP_SPHERICAL || l->type == JN_LOOP_POINT_CONTACT || l->type == JN_LOOP_REVOLUTE;
  pin::JointIndex a, b;
  pin::SE3 in_a, in_b;
  if (!weld && !point) return false;
  closing_frame(own, m, l->link_a, l->placement_a, a, in_a);
  closing_frame(own, m, l->link_b, l->placement_b, b, in_b);
  if (l->type == JN_LOOP_REVOLUTE) own.settings.mu = 1e-10, own.settings.max_iter = 5;
  // the joint that moves comes first
  own.conditions.emplace_back(weld ? pin::CONTACT_6D : pin::CONTACT_3D, own.model, b, in_b, a, in_a, pin::LOCAL);
  return true;
}

void run(loop_peer *p, int derivatives, int point) {
  closed_robot &own = *static_cast<closed_robot *>(p->own);
  const size_t k = static_cast<size_t>(point);
  pin::constraintDynamics(own.model, *own.data, own.q[k], own.v[k], own.tau[k], own.conditions, own.memory,
                          own.settings);
  if (derivatives)
    pin::computeConstraintDynamicsDerivatives(own.model, *own.data, own.conditions, own.memory, own.settings);
}

void answer(loop_peer *p, int derivatives, int point, double *a, double *a_rate, double *da_dtau) {
  const closed_robot &own = *static_cast<closed_robot *>(p->own);
  const pin::Data &d = *own.data;
  pinocchio_put_vector(own, d.ddq, a);
  if (!derivatives) return;
  const Eigen::VectorXd rate = d.ddq_dq * own.v[static_cast<size_t>(point)] + d.ddq_dv * d.ddq;
  pinocchio_put_vector(own, rate, a_rate);
  pinocchio_put(own, d.ddq_dtau, static_cast<int>(own.place.size()), da_dtau);
}

void destroy(loop_peer *p) {
  delete static_cast<closed_robot *>(p->own);
  std::free(p);
}

}  // namespace

loop_peer *loop_peer_pinocchio(const jn_model *m, const loop_states *states) {
  std::unique_ptr<closed_robot> own(new closed_robot);
  if (!pinocchio_build(*own, m)) return nullptr;
  for (int i = 0; i < jn_loop_count(m); i++)
    if (!add_condition(*own, m, jn_loop_description(m, i))) return nullptr;
  for (const pin::RigidConstraintModel &condition : own->conditions) own->memory.push_back(condition.createData());
  const int nv = jn_model_nv(m);
  pinocchio_configurations(*own, m, states->q, states->count, own->q);
  pinocchio_velocities(*own, states->v, states->count, nv, own->v);
  pinocchio_velocities(*own, states->tau, states->count, states->stride, own->tau);
  pin::initConstraintDynamics(own->model, *own->data, own->conditions, own->memory);
  loop_peer *p = static_cast<loop_peer *>(bench_memory(sizeof *p));
  p->library = "Pinocchio";
  p->run = run;
  p->answer = answer;
  p->own = own.release();
  p->destroy = destroy;
  return p;
}
