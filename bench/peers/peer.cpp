#include "peer.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>

#include "chasles/lie/quaternion.hpp"
#include "chasles/screws/eigen.hpp"
#include "chasles/screws/inertia.hpp"
#include "model/model_data.hpp"

using namespace chasles;

std::unique_ptr<Peer> make_bullet(const Model& model, std::string& why);
std::unique_ptr<Peer> make_dart(const Model& model, std::string& why);
std::unique_ptr<Peer> make_kdl(const Model& model, std::string& why);
std::unique_ptr<Peer> make_mujoco(const Model& model, std::string& why);
std::unique_ptr<Peer> make_simbody(const Model& model, std::string& why);

namespace {

/// Revolute joints, and perhaps one floating joint that carries all of them.
bool is_revolute_tree(const Model& model) {
  for (std::size_t i = 0; i < tree_links(model).size(); ++i) {
    const Link& link = tree_links(model)[i];
    if (link.motion == LinkMotion::revolute) continue;
    if (link.motion != LinkMotion::floating_se3 || i != 0 ||
        link.end != static_cast<int>(tree_links(model).size()))
      return false;
  }
  return !tree_links(model).empty();
}

}  // namespace

std::vector<PeerMaker> installed_peers() {
  std::vector<PeerMaker> peers{
#ifdef BENCH_MUJOCO
      {"MuJoCo", make_mujoco},
#endif
#ifdef BENCH_KDL
      {"KDL", make_kdl},
#endif
#ifdef BENCH_BULLET
      {"Bullet", make_bullet},
#endif
#ifdef BENCH_DART
      {"DART", make_dart},
#endif
#ifdef BENCH_SIMBODY
      {"Simbody", make_simbody},
#endif
  };
  for (PeerMaker& peer : peers)
    peer.make = [make = peer.make](const Model& model, std::string& why) -> std::unique_ptr<Peer> {
      if (is_revolute_tree(model)) return make(model, why);
      why = "only revolute joints on a fixed or free base are built for peers";
      return nullptr;
    };
  return peers;
}

Peer::Peer(const Model& model)
    : model_(model), free_base_(tree_links(model).front().motion == LinkMotion::floating_se3) {}

bool Peer::is_chain() const {
  for (std::size_t i = 0; i < tree_links(model_).size(); ++i)
    if (tree_links(model_)[i].parent != static_cast<int>(i) - 1) return false;
  return true;
}

void Peer::base(const SE3&, const Vector6&, Matrix6& T, Vector6& gamma) const {
  T.setIdentity();
  gamma.setZero();
}

void Peer::load(std::span<const State> states) {
  states_.clear();
  for (const State& s : states) {
    Converted c{{}, {}, s.q, s.v, s.a, s.tau, Matrix6::Identity(), Vector6::Zero()};
    if (free_base_) {
      const SO3 R = rotation(Quaternion{s.q[0], s.q[1], s.q[2], s.q[3]});
      c.C = tree_links(model_).front().P * SE3{R, {s.q[4], s.q[5], s.q[6]}};
      c.orientation = quaternion(c.C.R);
      c.q = s.q.tail(s.q.size() - 7);
      base(c.C, s.v.head<6>(), c.T, c.gamma);
      c.u.head<6>() = c.T * s.v.head<6>();
      c.ud.head<6>() = c.T * s.a.head<6>() + c.gamma;
      c.f.head<6>() = c.T.transpose().inverse() * s.tau.head<6>();
    }
    states_.push_back(std::move(c));
  }
}

Eigen::MatrixXd Peer::result(Work work, std::size_t i) const {
  Eigen::MatrixXd x = raw(work);
  if (!free_base_) return x;
  const Converted& c = states_[i];
  if (work == Work::forward_dynamics) {
    x.topRows<6>() = (c.T.inverse() * (x.topRows<6>() - c.gamma)).eval();
  } else if (work == Work::mass_matrix_inverse) {
    x.topRows<6>() = (c.T.inverse() * x.topRows<6>()).eval();
    x.leftCols<6>() = (x.leftCols<6>() * c.T.inverse().transpose()).eval();
  } else {
    x.topRows<6>() = (c.T.transpose() * x.topRows<6>()).eval();
    if (work == Work::mass_matrix) x.leftCols<6>() = (x.leftCols<6>() * c.T).eval();
  }
  return x;
}

Principal principal(const Inertia& inertia) {
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> eigen(to_eigen(central_inertia(inertia)));
  Eigen::Matrix3d Q = eigen.eigenvectors();
  if (Q.determinant() < 0) Q.col(0) *= -1;
  const auto& m = eigen.eigenvalues();
  return {inertia.m, {from_eigen<SO3>(Q), center_of_mass(inertia)}, {m[0], m[1], m[2]}};
}
