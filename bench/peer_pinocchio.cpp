// SPDX-License-Identifier: BSD-2-Clause
// Pinocchio, header-only, on the same robot: its model is built from ours joint by joint. Free joints have the linear
// part of the velocity first there and the angular part first here, and matrices lie by columns: answer() rearranges
// them.
#include <cstdlib>
#include <memory>
#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/center-of-mass.hpp>
#include <pinocchio/algorithm/compute-all-terms.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/regressor.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea-second-order-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/multibody.hpp>
#include <vector>

#include "peers.h"

namespace {

namespace pin = pinocchio;

struct pinocchio_robot {
  pin::Model model;
  std::unique_ptr<pin::Data> data;
  std::vector<Eigen::VectorXd> q, v, a, tau;
  std::vector<int> place;  // of each of our velocity coordinates
  std::vector<int> joint;  // that carries each of our links
  std::vector<pin::Data::Matrix6x> J;
  pin::Data::Tensor3x qq, vv, qv, qa;
};

pin::SE3 pose(const double T[16]) {
  pin::SE3 M;
  for (int r = 0; r < 3; r++) {
    for (int c = 0; c < 3; c++) M.rotation()(r, c) = T[4 * r + c];
    M.translation()(r) = T[4 * r + 3];
  }
  return M;
}

pin::Inertia inertia(const double P[10]) {
  double mass, com[3], t[6];
  jn_inertia_unpack(P, &mass, com, t);
  Eigen::Matrix3d I;
  I << t[0], t[3], t[4], t[3], t[1], t[5], t[4], t[5], t[2];
  return pin::Inertia(mass, Eigen::Vector3d(com[0], com[1], com[2]), I);
}

// The joint as Pinocchio's own reader of URDF would choose it: with its axis built in if that is x, y or z.
pin::JointModel joint_model(const jn_joint *j) {
  const bool turns = j->type != JN_PRISMATIC;
  const double *e = j->axis;
  if (e[0] == 1) return turns ? pin::JointModel(pin::JointModelRX()) : pin::JointModel(pin::JointModelPX());
  if (e[1] == 1) return turns ? pin::JointModel(pin::JointModelRY()) : pin::JointModel(pin::JointModelPY());
  if (e[2] == 1) return turns ? pin::JointModel(pin::JointModelRZ()) : pin::JointModel(pin::JointModelPZ());
  const Eigen::Vector3d axis(e[0], e[1], e[2]);
  if (turns) return pin::JointModel(pin::JointModelRevoluteUnaligned(axis));
  return pin::JointModel(pin::JointModelPrismaticUnaligned(axis));
}

bool add_link(pinocchio_robot &own, const jn_model *m, int i, std::vector<pin::SE3> &at) {
  const jn_joint *j = jn_joint_description(m, i);
  const int parent = jn_link_parent(m, i);
  const pin::SE3 inner = parent < 0 ? pin::SE3::Identity() : at[static_cast<size_t>(parent)];
  double T[16], P[10];
  jn_link_placement(m, i, T);
  jn_link_inertia(m, i, P);
  pin::JointIndex carrier = parent < 0 ? 0 : static_cast<pin::JointIndex>(own.joint[static_cast<size_t>(parent)]);
  pin::SE3 placed = inner * pose(T), link = placed;  // in the joint that carries it
  if (j->type != JN_FIXED) {
    const pin::SE3 centre(Eigen::Matrix3d::Identity(), Eigen::Vector3d(j->point[0], j->point[1], j->point[2]));
    const bool one = j->type == JN_REVOLUTE || j->type == JN_CONTINUOUS || j->type == JN_PRISMATIC;
    if ((!one && j->type != JN_FREE) || jn_joint_mimic(m, i, nullptr, nullptr, nullptr)) return false;
    carrier = own.model.addJoint(carrier, one ? joint_model(j) : pin::JointModel(pin::JointModelFreeFlyer()),
                                 placed * centre, jn_joint_name(m, i));
    link = centre.inverse();
    const int first = own.model.idx_vs[carrier];
    for (int k = 0; k < jn_joint_nv(m, i); k++) {
      const int to = first + (one ? k : (k + 3) % 6);
      own.place[static_cast<size_t>(jn_joint_v(m, i) + k)] = to;
      own.model.armature[to] = j->dof[k].armature;
    }
  }
  own.joint.push_back(static_cast<int>(carrier));
  at.push_back(link);
  if (P[0] > 0 && carrier > 0) own.model.appendBodyToJoint(carrier, inertia(P), link);
  return true;
}

bool build(pinocchio_robot &own, const robot *r) {
  std::vector<pin::SE3> at;
  double g[3];
  own.place.resize(static_cast<size_t>(r->nv));
  for (int i = 0; i < r->nlink; i++)
    if (!add_link(own, r->model, i, at)) return false;
  jn_model_gravity(r->model, g);
  own.model.gravity.linear() = Eigen::Vector3d(g[0], g[1], g[2]);
  own.data.reset(new pin::Data(own.model));
  return true;
}

void take_states(pinocchio_robot &own, const robot *r) {
  for (int s = 0; s < STATES; s++) {
    Eigen::VectorXd q(r->nq), x[3] = {Eigen::VectorXd(r->nv), Eigen::VectorXd(r->nv), Eigen::VectorXd(r->nv)};
    const double *const from[3] = {r->v, r->a, r->tau};
    for (int i = 0; i < r->nlink; i++) {
      const int count = jn_joint_nq(r->model, i);
      for (int k = 0; k < count; k++)
        q(own.model.idx_qs[static_cast<size_t>(own.joint[static_cast<size_t>(i)])] + k) =
            r->q[s * r->nq + jn_joint_q(r->model, i) + k];
    }
    for (int e = 0; e < 3; e++)
      for (int k = 0; k < r->nv; k++) x[e](own.place[static_cast<size_t>(k)]) = from[e][s * r->nv + k];
    own.q.push_back(q);
    own.v.push_back(x[0]);
    own.a.push_back(x[1]);
    own.tau.push_back(x[2]);
  }
}

void run(peer *p, peer_task task, int state) {
  pinocchio_robot &own = *static_cast<pinocchio_robot *>(p->own);
  const pin::Model &m = own.model;
  pin::Data &d = *own.data;
  const size_t s = static_cast<size_t>(state);
  const Eigen::VectorXd &q = own.q[s], &v = own.v[s], &a = own.a[s], &tau = own.tau[s];
  switch (task) {
    case PEER_INVERSE:
      pin::rnea(m, d, q, v, a);
      return;
    case PEER_BIAS:
      pin::nonLinearEffects(m, d, q, v);
      return;
    case PEER_GRAVITY:
      pin::computeGeneralizedGravity(m, d, q);
      return;
    case PEER_MASS:
      pin::crba(m, d, q, pin::Convention::WORLD);
      return;
    case PEER_MASS_LOCAL:
      pin::crba(m, d, q, pin::Convention::LOCAL);
      return;
    case PEER_FORWARD:
      pin::aba(m, d, q, v, tau, pin::Convention::WORLD);
      return;
    case PEER_FORWARD_LOCAL:
      pin::aba(m, d, q, v, tau, pin::Convention::LOCAL);
      return;
    case PEER_MASS_INVERSE:
      pin::computeMinverse(m, d, q);
      return;
    case PEER_CORIOLIS:
      pin::computeCoriolisMatrix(m, d, q, v);
      return;
    case PEER_JACOBIANS:
      pin::computeJointJacobians(m, d, q);
      for (size_t i = 1; i < static_cast<size_t>(m.njoints); i++) {
        own.J[i].setZero();
        pin::getJointJacobian(m, d, i, pin::WORLD, own.J[i]);
      }
      return;
    case PEER_JACOBIAN_RATES:
      pin::computeJointJacobiansTimeVariation(m, d, q, v);
      for (size_t i = 1; i < static_cast<size_t>(m.njoints); i++) {
        own.J[i].setZero();
        pin::getJointJacobianTimeVariation(m, d, i, pin::WORLD, own.J[i]);
      }
      return;
    case PEER_SPACE_JACOBIAN:
      pin::computeJointJacobians(m, d, q);
      return;
    case PEER_REGRESSOR:
      pin::computeJointTorqueRegressor(m, d, q, v, a);
      return;
    case PEER_COM_JACOBIAN:
      pin::jacobianCenterOfMass(m, d, q);
      return;
    case PEER_TERMS:
      pin::computeAllTerms(m, d, q, v);
      return;
    case PEER_D_INVERSE:
      pin::computeRNEADerivatives(m, d, q, v, a);
      return;
    case PEER_D_FORWARD:
      pin::computeABADerivatives(m, d, q, v, tau);
      return;
    case PEER_D2_INVERSE:
      pin::ComputeRNEASecondOrderDerivatives(m, d, q, v, a, own.qq, own.vv, own.qv, own.qa);
      return;
    default:
      return;
  }
}

// A [rows x nv] by columns to ours by rows; rows are coordinates (nv of them) or those of a twist (6: angular part
// first).
template <typename Matrix>
size_t put(const pinocchio_robot &own, const Matrix &A, int rows, double *out) {
  const int n = static_cast<int>(own.place.size());
  for (int r = 0; r < rows; r++)
    for (int c = 0; c < n; c++) {
      const int from = rows == n ? own.place[static_cast<size_t>(r)] : rows == 6 ? (r + 3) % 6 : r;
      out[r * n + c] = A(from, own.place[static_cast<size_t>(c)]);
    }
  return static_cast<size_t>(rows * n);
}

size_t put_vector(const pinocchio_robot &own, const Eigen::VectorXd &x, double *out) {
  for (size_t k = 0; k < own.place.size(); k++) out[k] = x(own.place[k]);
  return own.place.size();
}

// M and its inverse have their upper triangles only.
template <typename Matrix>
size_t put_symmetric(const pinocchio_robot &own, const Matrix &A, double *out) {
  Eigen::MatrixXd whole = A.template selfadjointView<Eigen::Upper>();
  return put(own, whole, static_cast<int>(own.place.size()), out);
}

void answer(peer *p, peer_task task, int state, size_t count[PEER_OUTPUTS]) {
  const pinocchio_robot &own = *static_cast<pinocchio_robot *>(p->own);
  const pin::Data &d = *own.data;
  const size_t s = static_cast<size_t>(state);
  const int n = p->r->nv;
  switch (task) {
    case PEER_INVERSE:
      count[0] = put_vector(own, d.tau, p->out[0]);
      return;
    case PEER_BIAS:
      count[0] = put_vector(own, d.nle, p->out[0]);
      return;
    case PEER_GRAVITY:
      count[0] = put_vector(own, d.g, p->out[0]);
      return;
    case PEER_MASS:
    case PEER_MASS_LOCAL:
    case PEER_TERMS:
      count[0] = put_symmetric(own, d.M, p->out[0]);
      return;
    case PEER_FORWARD:
    case PEER_FORWARD_LOCAL:
      count[0] = put_vector(own, d.ddq, p->out[0]);
      return;
    case PEER_MASS_INVERSE:
      count[0] = put_symmetric(own, d.Minv, p->out[0]);
      return;
    case PEER_CORIOLIS:  // the matrix itself is not unique
      count[0] = put_vector(own, d.C * own.v[s], p->out[0]);
      return;
    case PEER_JACOBIANS:
    case PEER_JACOBIAN_RATES:
      for (int f = 0; f < p->r->nframe; f++) {
        const int link = f < p->r->nlink ? f : jn_frame_link(p->r->model, f);
        const size_t joint = link < 0 ? 0 : static_cast<size_t>(own.joint[static_cast<size_t>(link)]);
        count[0] += put(own, own.J[joint], 6, p->out[0] + f * 6 * n);
      }
      return;
    case PEER_SPACE_JACOBIAN:
      count[0] = put(own, d.J, 6, p->out[0]);
      return;
    case PEER_REGRESSOR: {  // times the parameters
      Eigen::VectorXd pi(10 * (own.model.njoints - 1));
      for (int i = 1; i < own.model.njoints; i++)
        pi.segment<10>(10 * (i - 1)) = own.model.inertias[static_cast<size_t>(i)].toDynamicParameters();
      count[0] = put_vector(own, d.jointTorqueRegressor * pi, p->out[0]);
      return;
    }
    case PEER_COM_JACOBIAN:
      count[0] = put(own, d.Jcom, 3, p->out[0]);
      return;
    case PEER_D_INVERSE:
      count[0] = put(own, d.dtau_dq, n, p->out[0]);
      count[1] = put(own, d.dtau_dv, n, p->out[1]);
      count[2] = put_symmetric(own, d.M, p->out[2]);
      return;
    case PEER_D_FORWARD:
      count[0] = put_vector(own, d.ddq, p->out[0]);
      count[1] = put(own, d.ddq_dq, n, p->out[1]);
      count[2] = put(own, d.ddq_dv, n, p->out[2]);
      count[3] = put_symmetric(own, d.Minv, p->out[3]);
      return;
    default:
      return;
  }
}

void destroy(peer *p) {
  delete static_cast<pinocchio_robot *>(p->own);
  for (double *out : p->out) std::free(out);
  std::free(p);
}

}  // namespace

peer *peer_pinocchio(const robot *r) {
  std::unique_ptr<pinocchio_robot> own(new pinocchio_robot);
  if (!build(*own, r)) return nullptr;
  take_states(*own, r);
  own->J.assign(static_cast<size_t>(own->model.njoints), pin::Data::Matrix6x::Zero(6, r->nv));
  const bool small = r->nv < 60;
  if (small)
    for (pin::Data::Tensor3x *t : {&own->qq, &own->vv, &own->qv, &own->qa}) {
      t->resize(r->nv, r->nv, r->nv);
      t->setZero();
    }
  peer *p = static_cast<peer *>(bench_memory(sizeof *p));
  p->library = "Pinocchio";
  for (int k = 0; k <= PEER_D2_INVERSE; k++) p->has[k] = k != PEER_D2_INVERSE || small;
  p->run = run;
  p->answer = answer;
  const size_t room = static_cast<size_t>(r->nv * r->nv + 6 * r->nframe * r->nv);
  for (double *&out : p->out) out = static_cast<double *>(bench_memory(sizeof(double) * room));
  p->r = r;
  p->own = own.release();
  p->destroy = destroy;
  return p;
}
