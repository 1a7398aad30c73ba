// SPDX-License-Identifier: BSD-2-Clause
// Pinocchio, header-only, on the same robot: its model is built from ours joint by joint. Free joints have the linear
// part of the velocity first there and the angular part first here, and matrices lie by columns: answer() rearranges
// them.
#include "peer_pinocchio.hpp"

#include <cstdlib>
#include <string>

pin::SE3 pinocchio_pose(const double T[16]) {
  pin::SE3 M;
  for (int r = 0; r < 3; r++) {
    for (int c = 0; c < 3; c++) M.rotation()(r, c) = T[4 * r + c];
    M.translation()(r) = T[4 * r + 3];
  }
  return M;
}

namespace {

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

bool add_link(pinocchio_robot &own, const jn_model *m, int i) {
  const jn_joint *j = jn_joint_description(m, i);
  const int parent = jn_link_parent(m, i);
  const pin::SE3 inner = parent < 0 ? pin::SE3::Identity() : own.at[static_cast<size_t>(parent)];
  double T[16], P[10];
  jn_link_placement(m, i, T);
  jn_link_inertia(m, i, P);
  pin::JointIndex carrier = parent < 0 ? 0 : static_cast<pin::JointIndex>(own.joint[static_cast<size_t>(parent)]);
  pin::SE3 placed = inner * pinocchio_pose(T), link = placed;  // in the joint that carries it
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
  own.at.push_back(link);
  if (P[0] > 0 && carrier > 0) own.model.appendBodyToJoint(carrier, inertia(P), link);
  return true;
}

}  // namespace

bool pinocchio_build(pinocchio_robot &own, const jn_model *m) {
  double g[3];
  own.place.resize(static_cast<size_t>(jn_model_nv(m)));
  for (int i = 0; i < jn_link_count(m); i++)
    if (!add_link(own, m, i)) return false;
  jn_model_gravity(m, g);
  own.model.gravity.linear() = Eigen::Vector3d(g[0], g[1], g[2]);
  own.data.reset(new pin::Data(own.model));
  return true;
}

void pinocchio_configurations(const pinocchio_robot &own, const jn_model *m, const double *q, int count,
                              std::vector<Eigen::VectorXd> &to) {
  const int nq = jn_model_nq(m);
  for (int s = 0; s < count; s++) {
    Eigen::VectorXd x(nq);
    for (int i = 0; i < jn_link_count(m); i++)
      for (int k = 0; k < jn_joint_nq(m, i); k++)
        x(own.model.idx_qs[static_cast<size_t>(own.joint[static_cast<size_t>(i)])] + k) =
            q[s * nq + jn_joint_q(m, i) + k];
    to.push_back(x);
  }
}

void pinocchio_velocities(const pinocchio_robot &own, const double *v, int count, int stride,
                          std::vector<Eigen::VectorXd> &to) {
  for (int s = 0; s < count; s++) {
    Eigen::VectorXd x(static_cast<Eigen::Index>(own.place.size()));
    for (size_t k = 0; k < own.place.size(); k++) x(own.place[k]) = v[static_cast<size_t>(s * stride) + k];
    to.push_back(x);
  }
}

namespace {

void run(peer *p, peer_task task, int state) {
  pinocchio_robot &own = *static_cast<pinocchio_robot *>(p->own);
  const size_t s = static_cast<size_t>(state);
  if (task >= PEER_JET1 && task <= PEER_JET4)
    own.series[task - PEER_JET1]->run(s);
  else
    pinocchio_run_dynamics(own, task, s) || pinocchio_run_matrices(own, task, s) ||
        pinocchio_run_derivatives(own, task, s);
}

// M and its inverse have their upper triangles only.
template <typename Matrix>
size_t put_symmetric(const pinocchio_robot &own, const Matrix &A, double *out) {
  Eigen::MatrixXd whole = A.template selfadjointView<Eigen::Upper>();
  return pinocchio_put(own, whole, static_cast<int>(own.place.size()), out);
}

// Those by q, q are the sums of both orders: in coordinates of a free joint the order of derivatives matters.
void put_second_derivatives(const pinocchio_robot &own, double *const out[PEER_OUTPUTS], size_t count[PEER_OUTPUTS]) {
  const size_t n = own.place.size();
  for (size_t h = 0; h < n; h++)
    for (size_t i = 0; i < n; i++)
      for (size_t k = 0; k < n; k++) {
        const int a = own.place[h], b = own.place[i], c = own.place[k];
        const size_t at = (h * n + i) * n + k;
        out[0][at] = own.qq(b, a, c) + own.qq(b, c, a);
        out[1][at] = own.qv(b, a, c);
        out[2][at] = own.vv(b, a, c);
        out[3][at] = own.qa(b, c, a);
      }
  for (int o = 0; o < PEER_OUTPUTS; o++) count[o] = n * n * n;
}

void answer(peer *p, peer_task task, int state, size_t count[PEER_OUTPUTS]) {
  const pinocchio_robot &own = *static_cast<pinocchio_robot *>(p->own);
  const pin::Data &d = *own.data;
  const size_t s = static_cast<size_t>(state);
  const int n = p->r->nv;
  switch (task) {
    case PEER_INVERSE:
      count[0] = pinocchio_put_vector(own, d.tau, p->out[0]);
      return;
    case PEER_BIAS:
      count[0] = pinocchio_put_vector(own, d.nle, p->out[0]);
      return;
    case PEER_GRAVITY:
      count[0] = pinocchio_put_vector(own, d.g, p->out[0]);
      return;
    case PEER_MASS:
    case PEER_MASS_LOCAL:
      count[0] = put_symmetric(own, d.M, p->out[0]);
      return;
    case PEER_TERMS:  // M, C v, g, Jacobians; the sum of C v and g is what it has
      count[0] = put_symmetric(own, d.M, p->out[0]);
      count[1] = pinocchio_put_vector(own, d.nle - d.g, p->out[1]);
      count[2] = pinocchio_put_vector(own, d.g, p->out[2]);
      return;
    case PEER_FORWARD:
    case PEER_FORWARD_LOCAL:
      count[0] = pinocchio_put_vector(own, d.ddq, p->out[0]);
      return;
    case PEER_MASS_INVERSE:
      count[0] = put_symmetric(own, d.Minv, p->out[0]);
      return;
    case PEER_CORIOLIS:  // the matrix itself is not unique
      count[0] = pinocchio_put_vector(own, d.C * own.v[s], p->out[0]);
      return;
    case PEER_JACOBIANS:
    case PEER_JACOBIAN_RATES:
      for (const pin::Data::Matrix6x &J : own.J) count[0] += pinocchio_put(own, J, 6, p->out[0] + count[0]);
      return;
    case PEER_SPACE_JACOBIAN:
      count[0] = pinocchio_put(own, d.J, 6, p->out[0]);
      return;
    case PEER_REGRESSOR: {  // times the parameters
      Eigen::VectorXd pi(10 * (own.model.njoints - 1));
      for (int i = 1; i < own.model.njoints; i++)
        pi.segment<10>(10 * (i - 1)) = own.model.inertias[static_cast<size_t>(i)].toDynamicParameters();
      count[0] = pinocchio_put_vector(own, d.jointTorqueRegressor * pi, p->out[0]);
      return;
    }
    case PEER_COM_JACOBIAN:
      count[0] = pinocchio_put(own, d.Jcom, 3, p->out[0]);
      return;
    case PEER_D_INVERSE:
      count[0] = pinocchio_put(own, d.dtau_dq, n, p->out[0]);
      count[1] = pinocchio_put(own, d.dtau_dv, n, p->out[1]);
      count[2] = put_symmetric(own, d.M, p->out[2]);
      return;
    case PEER_D_FORWARD:
      count[0] = pinocchio_put_vector(own, d.ddq, p->out[0]);
      count[1] = pinocchio_put(own, d.ddq_dq, n, p->out[1]);
      count[2] = pinocchio_put(own, d.ddq_dv, n, p->out[2]);
      count[3] = put_symmetric(own, d.Minv, p->out[3]);
      return;
    case PEER_D2_INVERSE:
      put_second_derivatives(own, p->out, count);
      return;
    default:  // PEER_JET1 to 4
      for (int k = 0; k <= task - PEER_JET1 + 1; k++)
        for (int i = 0; i < n; i++)
          p->out[0][count[0]++] = own.series[task - PEER_JET1]->torque(k, own.place[static_cast<size_t>(i)]);
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
  if (!pinocchio_build(*own, r->model)) return nullptr;
  pinocchio_configurations(*own, r->model, r->q, STATES, own->q);
  pinocchio_velocities(*own, r->v, STATES, r->nv, own->v);
  pinocchio_velocities(*own, r->a, STATES, r->nv, own->a);
  pinocchio_velocities(*own, r->tau, STATES, r->nv, own->tau);
  for (int f = 0; f < r->nframe; f++) {
    const int link = f < r->nlink ? f : jn_frame_link(r->model, f);
    own->carrier.push_back(link < 0 ? 0 : static_cast<pin::JointIndex>(own->joint[static_cast<size_t>(link)]));
  }
  own->J.assign(own->carrier.size(), pin::Data::Matrix6x::Zero(6, r->nv));
  own->series[0] = pinocchio_series1(*own, r);
  own->series[1] = pinocchio_series2(*own, r);
  own->series[2] = pinocchio_series3(*own, r);
  own->series[3] = pinocchio_series4(*own, r);
  const bool small = r->nv < 60;
  size_t room = static_cast<size_t>(r->nv * r->nv + 6 * r->nframe * r->nv + 8 * r->nv);
  if (small) {
    for (pin::Data::Tensor3x *t : {&own->qq, &own->vv, &own->qv, &own->qa}) {
      t->resize(r->nv, r->nv, r->nv);
      t->setZero();
    }
    room += static_cast<size_t>(r->nv * r->nv * r->nv);
  }
  peer *p = static_cast<peer *>(bench_memory(sizeof *p));
  static const std::string description = std::string("Pinocchio ") + PINOCCHIO_VERSION + " (" PEER_BUILD ")";
  p->library = "Pinocchio";
  p->description = description.c_str();
  for (int k = 0; k < PEER_TASKS; k++) p->has[k] = k != PEER_D2_INVERSE || small;
  p->run = run;
  p->answer = answer;
  for (double *&out : p->out) out = static_cast<double *>(bench_memory(sizeof(double) * room));
  p->r = r;
  p->own = own.release();
  p->destroy = destroy;
  return p;
}
