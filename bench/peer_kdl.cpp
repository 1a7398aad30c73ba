// SPDX-License-Identifier: BSD-2-Clause
// KDL: its recursive Newton-Euler solver and its mass matrix of chains.
#include <cstdlib>
#include <kdl/chain.hpp>
#include <kdl/chaindynparam.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>
#include <memory>

#include "peers.h"

namespace {

struct kdl {
  KDL::Chain chain;
  std::unique_ptr<KDL::ChainIdSolver_RNE> inverse;
  std::unique_ptr<KDL::ChainDynParam> matrices;
  KDL::JntArray q, v, a, tau;
  KDL::JntSpaceInertiaMatrix M;
  KDL::Wrenches none;
};

void run(peer *p, peer_task task, int state) {
  kdl &own = *static_cast<kdl *>(p->own);
  const int n = p->r->nv;
  for (int k = 0; k < n; k++) {
    own.q(k) = p->r->q[state * n + k];
    own.v(k) = p->r->v[state * n + k];
    own.a(k) = task == PEER_INVERSE ? p->r->a[state * n + k] : 0;
  }
  if (task == PEER_MASS) {
    own.matrices->JntToMass(own.q, own.M);
    for (int i = 0; i < n * n; i++) p->out[0][i] = own.M(i / n, i % n);
    return;
  }
  own.inverse->CartToJnt(own.q, own.v, own.a, own.none, own.tau);
  for (int k = 0; k < n; k++) p->out[0][k] = own.tau(k);
}

void answer(peer *p, peer_task task, int, size_t count[PEER_OUTPUTS]) {
  const size_t n = static_cast<size_t>(p->r->nv);
  count[0] = task == PEER_MASS ? n * n : n;  // run() has left it in out
}

void destroy(peer *p) {
  delete static_cast<kdl *>(p->own);
  std::free(p->out[0]);
  std::free(p);
}

bool add_segment(KDL::Chain &chain, const jn_model *m, int i) {
  const jn_joint *j = jn_joint_description(m, i);
  double T[16], I[10], com[3], t[6], mass;
  if (jn_link_parent(m, i) != i - 1 || jn_joint_type_of(m, i) != JN_REVOLUTE) return false;
  if (j->point[0] != 0 || j->point[1] != 0 || j->point[2] != 0 || j->dof[0].armature != 0) return false;
  jn_link_placement(m, i, T);
  jn_link_inertia(m, i, I);
  jn_inertia_unpack(I, &mass, com, t);
  const KDL::Rotation R(T[0], T[1], T[2], T[4], T[5], T[6], T[8], T[9], T[10]);
  const KDL::Vector p(T[3], T[7], T[11]), c(com[0], com[1], com[2]);
  // a segment turns about an axis given in the frame before it, and its tip is our link
  const KDL::Joint joint("", p, R * KDL::Vector(j->axis[0], j->axis[1], j->axis[2]), KDL::Joint::RotAxis);
  const KDL::RotationalInertia inertia(t[0], t[1], t[2], t[3], t[4], t[5]);
  chain.addSegment(KDL::Segment("", joint, KDL::Frame(R, p), KDL::RigidBodyInertia(mass, c, inertia)));
  return true;
}

}  // namespace

peer *peer_kdl(const robot *r) {
  std::unique_ptr<kdl> own(new kdl);
  for (int i = 0; i < r->nlink; i++)
    if (!add_segment(own->chain, r->model, i)) return nullptr;
  const unsigned n = static_cast<unsigned>(r->nv);
  double g[3];
  jn_model_gravity(r->model, g);
  const KDL::Vector gravity(g[0], g[1], g[2]);
  own->inverse.reset(new KDL::ChainIdSolver_RNE(own->chain, gravity));
  own->matrices.reset(new KDL::ChainDynParam(own->chain, gravity));
  own->q.resize(n);
  own->v.resize(n);
  own->a.resize(n);
  own->tau.resize(n);
  own->M.resize(n);
  own->none.resize(own->chain.getNrOfSegments());
  peer *p = static_cast<peer *>(bench_memory(sizeof *p));
  p->library = "KDL";
  p->description = "KDL " PEER_VERSION " (as Debian compiles it)";
  p->has[PEER_INVERSE] = p->has[PEER_BIAS] = p->has[PEER_MASS] = 1;
  p->run = run;
  p->answer = answer;
  p->out[0] = static_cast<double *>(bench_memory(sizeof(double) * n * n));
  p->r = r;
  p->own = own.release();
  p->destroy = destroy;
  return p;
}
