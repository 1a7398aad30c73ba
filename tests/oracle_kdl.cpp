// SPDX-License-Identifier: BSD-2-Clause
// KDL as an oracle: random chains and trees of revolute, prismatic and fixed joints, made by the builder and, apart
// from it, of KDL's segments, must give the same answers.
//
// KDL's segment is joint.pose(q) * tip with axis and origin in the parent's frame: tip = B, axis = B a, origin = B y
// for jounce's B J(q). Twists and wrenches have the linear part first. External wrenches are in the segment's frame
// about its origin, with jounce's sign. Jacobians are in base axes, about the tip: JN_IN_ALIGNED. KDL adds the joint's
// inertia (armature) in inverse dynamics and in the mass matrix.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <kdl/chain.hpp>
#include <kdl/chaindynparam.hpp>
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>
#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainfksolvervel_recursive.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>
#include <kdl/chainjnttojacdotsolver.hpp>
#include <kdl/chainjnttojacsolver.hpp>
#include <kdl/tree.hpp>
#include <kdl/treefksolverpos_recursive.hpp>
#include <kdl/treeidsolver_recursive_newton_euler.hpp>
#include <kdl/treejnttojacsolver.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "jounce/jounce.h"

namespace {

constexpr int models = 100;  // of each kind
constexpr double tolerance = 1e-10;
using numbers = std::vector<double>;

// splitmix64 in [-1, 1)
uint64_t state;
double uniform() {
  uint64_t x = state += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return static_cast<double>((x ^ (x >> 31)) >> 11) * 0x1p-52 - 1;
}
double between(double low, double high) { return low + (high - low) * 0.5 * (1 + uniform()); }
numbers random_numbers(int n, double size) {
  numbers x(static_cast<size_t>(n));
  for (double &y : x) y = size * uniform();
  return x;
}
KDL::Vector random_vector(double size) {
  double x = size * uniform(), y = size * uniform(), z = size * uniform();
  return {x, y, z};
}

struct record {
  double worst = 0;
  int times = 0;
};
std::map<std::string, record> records;
int failures = 0;

// Relative to the largest number of the two arrays; answers below 0.01 count as 0.01.
void agree(const std::string &what, const numbers &ours, const numbers &theirs) {
  double size = 0.01, gap = ours.size() == theirs.size() ? 0 : INFINITY;
  for (size_t i = 0; i < std::min(ours.size(), theirs.size()); i++) {
    size = std::max({size, std::fabs(ours[i]), std::fabs(theirs[i])});
    double apart = std::fabs(ours[i] - theirs[i]);
    gap = std::isnan(apart) ? INFINITY : std::max(gap, apart);
  }
  record &r = records[what];
  r.worst = std::max(r.worst, gap / size);
  r.times++;
  if (gap / size <= tolerance || ++failures > 5) return;
  std::printf("%s apart by %.3g\n", what.c_str(), gap / size);
  for (size_t i = 0; i < std::min(ours.size(), theirs.size()); i++)
    std::printf("  [%zu] jounce %.15g KDL %.15g\n", i, ours[i], theirs[i]);
}

void ok(int status, const char *what) {
  if (status == 0) return;
  std::printf("%s gave %d\n", what, status);
  std::exit(1);
}
#define OK(call) ok(static_cast<int>(call), #call)

// ---- the same model twice ----

struct twin {
  struct release {
    void operator()(jn_model *m) const { jn_model_destroy(m); }
    void operator()(jn_work *w) const { jn_work_destroy(w); }
  };
  KDL::Chain chain;  // empty for a tree
  KDL::Tree tree{"world"};
  std::unique_ptr<jn_model, release> owner;
  std::unique_ptr<jn_work, release> scratch;
  jn_model *model = nullptr;
  jn_work *work = nullptr;
  KDL::Vector gravity;
  int links = 0, nv = 0;
  numbers q, v, a, tau, wrench;
};

// Link i under `parent` (-1: the world), told to both.
void add_link(twin &t, jn_builder *builder, int i, int parent) {
  std::string name = "link" + std::to_string(i), parent_name = parent < 0 ? "world" : "link" + std::to_string(parent);
  KDL::Vector turn = random_vector(1.7), axis = random_vector(1), point = random_vector(0.3);
  KDL::Frame B(KDL::Rotation::Rot(turn, turn.Norm()), random_vector(0.5));
  double x = between(0.1, 0.4), y = between(0.1, 0.4), z = between(0.1, 0.4), mass = between(0.5, 3);
  double inertia[6] = {mass * (y * y + z * z) / 12,
                       mass * (x * x + z * z) / 12,
                       mass * (x * x + y * y) / 12,
                       1e-4 * uniform(),
                       1e-4 * uniform(),
                       1e-4 * uniform()};
  double com[3] = {0.2 * uniform(), 0.2 * uniform(), 0.2 * uniform()}, armature = between(0, 0.1);
  int kind = i == t.links - 1 ? 0 : static_cast<int>(between(0, 5.999));

  jn_link l;
  jn_link_init(&l);
  l.name = name.c_str();
  l.parent = parent_name.c_str();
  for (int r = 0; r < 3; r++) {
    for (int c = 0; c < 3; c++) l.placement[4 * r + c] = B.M(r, c);
    l.placement[4 * r + 3] = B.p(r);
    l.joint.axis[r] = axis(r);
    l.joint.point[r] = point(r);
  }
  l.joint.type = kind < 3 ? JN_REVOLUTE : kind < 5 ? JN_PRISMATIC : JN_FIXED;
  l.joint.dof[0].armature = armature;
  jn_inertia_pack(mass, com, inertia, l.inertia);
  OK(jn_builder_add_link(builder, &l));

  KDL::Joint::JointType type = kind < 3 ? KDL::Joint::RotAxis : KDL::Joint::TransAxis;
  KDL::Joint joint(name, B * point, B.M * axis, type, 1, 0, armature);
  if (kind == 5) joint = KDL::Joint(name, KDL::Joint::Fixed);
  KDL::RotationalInertia Ic(inertia[0], inertia[1], inertia[2], inertia[3], inertia[4], inertia[5]);
  KDL::Segment segment(name, joint, B, KDL::RigidBodyInertia(mass, KDL::Vector(com[0], com[1], com[2]), Ic));
  t.chain.addSegment(segment);
  if (!t.tree.addSegment(segment, parent_name)) ok(1, "Tree::addSegment");
}

void make(twin &t, bool chain) {
  jn_builder *builder;
  jn_error error;
  t.links = 1 + static_cast<int>(between(0, 11.999));
  t.gravity = random_vector(10);
  OK(jn_builder_create(nullptr, &builder));
  OK(jn_builder_set_gravity(builder, t.gravity.data));
  for (int i = 0; i < t.links; i++) add_link(t, builder, i, chain ? i - 1 : static_cast<int>(between(0, i + 1)) - 1);
  // A copy of a tree numbers the joints anew, depth first, and some solvers copy: so let all see a copied tree.
  KDL::Tree copy(t.tree);
  t.tree = copy;
  if (jn_builder_freeze(builder, &t.model, &error) != JN_OK) {
    std::printf("%s\n", error.text);
    std::exit(1);
  }
  jn_builder_destroy(builder);
  t.owner.reset(t.model);
  OK(jn_work_create(t.model, &t.work));
  t.scratch.reset(t.work);
  t.nv = jn_model_nv(t.model);
  t.q = random_numbers(t.nv, 3);
  t.v = random_numbers(t.nv, 2);
  t.a = random_numbers(t.nv, 5);
  t.tau = random_numbers(t.nv, 5);
  t.wrench = random_numbers(6 * t.links, 5);
}

// ---- KDL's arrays in our order ----

int link_of(const twin &t, const std::string &name) { return jn_link_index(t.model, name.c_str()); }

// places[i]: where KDL's joint i stands in our vectors
using order = std::vector<size_t>;
order chain_order(const twin &t) {
  order places;
  for (const KDL::Segment &s : t.chain.segments)
    if (s.getJoint().getType() != KDL::Joint::Fixed)
      places.push_back(static_cast<size_t>(jn_joint_v(t.model, link_of(t, s.getName()))));
  return places;
}
order tree_order(const twin &t) {
  order places(t.tree.getNrOfJoints());
  for (const auto &s : t.tree.getSegments()) {
    if (s.first == "world" || GetTreeElementSegment(s.second).getJoint().getType() == KDL::Joint::Fixed) continue;
    places[GetTreeElementQNr(s.second)] = static_cast<size_t>(jn_joint_v(t.model, link_of(t, s.first)));
  }
  return places;
}
KDL::JntArray to_kdl(const numbers &x, const order &places) {
  KDL::JntArray out(static_cast<unsigned>(places.size()));
  for (unsigned i = 0; i < places.size(); i++) out(i) = x[places[i]];
  return out;
}
numbers from_kdl(const KDL::JntArray &x, const order &places) {
  numbers out(places.size());
  for (unsigned i = 0; i < places.size(); i++) out[places[i]] = x(i);
  return out;
}
// 6 x nv row-major, angular rows first
numbers from_kdl(const KDL::Jacobian &J, const order &places) {
  numbers out(6 * places.size());
  for (unsigned r = 0; r < 6; r++)
    for (unsigned i = 0; i < places.size(); i++) out[r * places.size() + places[i]] = J((r + 3) % 6, i);
  return out;
}
numbers from_kdl(const KDL::Frame &T) {
  numbers out(16);
  for (int r = 0; r < 3; r++) {
    for (int c = 0; c < 3; c++) out[static_cast<size_t>(4 * r + c)] = T.M(r, c);
    out[static_cast<size_t>(4 * r + 3)] = T.p(r);
  }
  out[15] = 1;
  return out;
}
numbers from_kdl(const KDL::Twist &V) { return {V.rot.x(), V.rot.y(), V.rot.z(), V.vel.x(), V.vel.y(), V.vel.z()}; }
KDL::Wrench wrench_of(const twin &t, const std::string &name) {
  const double *W = t.wrench.data() + 6 * link_of(t, name);
  return {KDL::Vector(W[3], W[4], W[5]), KDL::Vector(W[0], W[1], W[2])};
}

// ---- comparisons ----

numbers inverse_dynamics(const twin &t) {
  numbers tau(t.q.size());
  OK(jn_inverse_dynamics(t.model, t.work, t.q.data(), t.v.data(), t.a.data(), t.wrench.data(), tau.data()));
  return tau;
}
numbers pose(const twin &t, int link) {
  numbers T(16);
  OK(jn_frame_pose(t.model, t.work, link, t.q.data(), T.data()));
  return T;
}
numbers jacobian(const twin &t, int link) {
  numbers J(6 * t.q.size());
  OK(jn_frame_jacobian(t.model, t.work, link, JN_IN_ALIGNED, t.q.data(), J.data()));
  return J;
}

void compare_chain_kinematics(const twin &t, const order &places) {
  KDL::ChainFkSolverPos_recursive positions(t.chain);
  KDL::ChainFkSolverVel_recursive velocities(t.chain);
  KDL::ChainJntToJacSolver jacobians(t.chain);
  KDL::ChainJntToJacDotSolver rates(t.chain);
  rates.setHybridRepresentation();
  KDL::JntArray q = to_kdl(t.q, places);
  KDL::JntArrayVel qv(q, to_kdl(t.v, places));
  for (int i = 0; i < t.links; i++) {
    int link = link_of(t, t.chain.getSegment(static_cast<unsigned>(i)).getName());
    KDL::Frame T;
    KDL::FrameVel TV;
    KDL::Jacobian J(q.rows()), dJ(q.rows());
    numbers V(6), rate(6 * t.q.size());
    OK(positions.JntToCart(q, T, i + 1));
    OK(velocities.JntToCart(qv, TV, i + 1));
    OK(jacobians.JntToJac(q, J, i + 1));
    OK(rates.JntToJacDot(qv, dJ, i + 1));
    OK(jn_frame_twist(t.model, t.work, link, JN_IN_ALIGNED, t.q.data(), t.v.data(), V.data()));
    OK(jn_frame_jacobian_rate(t.model, t.work, link, JN_IN_ALIGNED, t.q.data(), t.v.data(), rate.data()));
    agree("chain: pose", pose(t, link), from_kdl(T));
    agree("chain: twist", V, from_kdl(TV.GetTwist()));
    agree("chain: Jacobian", jacobian(t, link), from_kdl(J, places));
    agree("chain: Jacobian rate", rate, from_kdl(dJ, places));
  }
}

void compare_chain_dynamics(const twin &t, const order &places) {
  KDL::ChainDynParam parameters(t.chain, t.gravity);
  KDL::ChainIdSolver_RNE inverse(t.chain, t.gravity);
  KDL::ChainFdSolver_RNE forward(t.chain, t.gravity);
  KDL::JntArray q = to_kdl(t.q, places), v = to_kdl(t.v, places), x(q.rows());
  KDL::JntSpaceInertiaMatrix H(q.rows());
  KDL::Wrenches f;
  for (const KDL::Segment &s : t.chain.segments) f.push_back(wrench_of(t, s.getName()));
  size_t n = t.q.size();
  numbers M(n * n), M1(n * n), y(n);

  OK(parameters.JntToMass(q, H));
  for (unsigned r = 0; r < n; r++)
    for (unsigned c = 0; c < n; c++) M1[places[r] * n + places[c]] = H(r, c);
  OK(jn_mass_matrix(t.model, t.work, t.q.data(), M.data()));
  agree("chain: mass matrix", M, M1);
  OK(parameters.JntToCoriolis(q, v, x));
  OK(jn_coriolis_forces(t.model, t.work, t.q.data(), t.v.data(), y.data()));
  agree("chain: Coriolis forces", y, from_kdl(x, places));
  OK(parameters.JntToGravity(q, x));
  OK(jn_gravity_forces(t.model, t.work, t.q.data(), y.data()));
  agree("chain: gravity forces", y, from_kdl(x, places));
  OK(inverse.CartToJnt(q, v, to_kdl(t.a, places), f, x));
  agree("chain: inverse dynamics", inverse_dynamics(t), from_kdl(x, places));
  OK(forward.CartToJnt(q, v, to_kdl(t.tau, places), f, x));
  OK(jn_forward_dynamics(t.model, t.work, t.q.data(), t.v.data(), t.tau.data(), t.wrench.data(), y.data()));
  agree("chain: forward dynamics", y, from_kdl(x, places));
}

void compare_tree(const twin &t) {
  order places = tree_order(t);
  KDL::TreeFkSolverPos_recursive positions(t.tree);
  KDL::TreeJntToJacSolver jacobians(t.tree);
  KDL::TreeIdSolver_RNE inverse(t.tree, t.gravity);
  KDL::JntArray q = to_kdl(t.q, places), x(q.rows());
  KDL::WrenchMap f;
  for (const auto &s : t.tree.getSegments()) {
    if (s.first == "world") continue;
    KDL::Frame T;
    KDL::Jacobian J(q.rows());
    f[s.first] = wrench_of(t, s.first);
    OK(positions.JntToCart(q, T, s.first));
    OK(jacobians.JntToJac(q, J, s.first));
    agree("tree: pose", pose(t, link_of(t, s.first)), from_kdl(T));
    agree("tree: Jacobian", jacobian(t, link_of(t, s.first)), from_kdl(J, places));
  }
  OK(inverse.CartToJnt(q, to_kdl(t.v, places), to_kdl(t.a, places), f, x));
  agree("tree: inverse dynamics", inverse_dynamics(t), from_kdl(x, places));
}

}  // namespace

int main() {
  const char *given = std::getenv("JOUNCE_SEED");
  state = given ? std::strtoull(given, nullptr, 10) : 20211101u;
  std::printf("# oracle_kdl: seed %llu\n", static_cast<unsigned long long>(state));
  for (int i = 0; i < 2 * models; i++) {
    twin t;
    make(t, i % 2 == 0);
    if (i % 2 == 0) {
      order places = chain_order(t);
      compare_chain_kinematics(t, places);
      compare_chain_dynamics(t, places);
    } else {
      compare_tree(t);
    }
  }
  std::printf("# KDL, %d chains and %d trees; worst relative errors:\n", models, models);
  for (const auto &r : records)
    std::printf("#   %-26s %9.2e  (%d times)\n", r.first.c_str(), r.second.worst, r.second.times);
  if (failures) std::printf("%d disagreements\n", failures);
  return failures ? 1 : 0;
}
