/// The same work in another library, on the same numbers.
///
/// Peers get the links of our compiled model, so their joints have our coordinates: trees of revolute
/// joints on a fixed or on a free base. Only the velocity of a free base differs between libraries,
///
///     u = T v,    ud = T a + gamma,    f = T^-T tau,    M_ours = T^T M_theirs T             (1)
///
/// with T and gamma of the peer at a state. States are converted before, results after timing.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "../state.hpp"
#include "chasles/lie/se3.hpp"

using bench::State;

enum class Work {
  poses,
  jacobian,
  inverse_dynamics,
  forward_dynamics,
  mass_matrix,
  mass_matrix_inverse
};

class Peer {
 public:
  using Vector6 = Eigen::Matrix<double, 6, 1>;
  using Matrix6 = Eigen::Matrix<double, 6, 6>;

  explicit Peer(const chasles::Model& model);
  virtual ~Peer() = default;
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  virtual std::string name() const = 0;
  virtual bool has(Work work) const = 0;
  /// The timed call: runs `work` at state i of those loaded last, starting from q.
  virtual void run(Work work, std::size_t i) = 0;
  /// The pose of the last link, from the last run of `poses`.
  virtual chasles::SE3 tip() const { return {}; }

  void load(std::span<const State> states);
  /// The result of the last run of `work`, at state i, in our coordinates.
  Eigen::MatrixXd result(Work work, std::size_t i) const;

 protected:
  /// A state in the coordinates of the peer.
  struct Converted {
    chasles::SE3 C;                   // a free base in the world
    chasles::Quaternion orientation;  // ... and its rotation
    Eigen::VectorXd q;                // angles of the revolute joints
    Eigen::VectorXd u, ud, f;         // nv
    Matrix6 T;
    Vector6 gamma;
  };
  /// T and gamma of (1), for a free base at C with our velocity v. Default: the same as ours.
  virtual void base(const chasles::SE3& C, const Vector6& v, Matrix6& T, Vector6& gamma) const;
  /// The result of the last run in the coordinates of the peer: nv x 1, or nv x nv.
  virtual Eigen::MatrixXd raw(Work work) const = 0;

  const chasles::Model& model() const { return model_; }
  bool free_base() const { return free_base_; }
  bool is_chain() const;
  const Converted& state(std::size_t i) const { return states_[i]; }

 private:
  const chasles::Model& model_;
  bool free_base_;
  std::vector<Converted> states_;
};

/// Mass, center of mass and principal axes of a link, in its frame: what some libraries ask for.
struct Principal {
  double mass;
  chasles::SE3 frame;  // at the center of mass, along the principal axes
  chasles::Vec3 moments;
};
Principal principal(const chasles::Inertia& inertia);

/// A peer that is installed: null if it cannot take this model, and then `why` says so.
struct PeerMaker {
  std::string name;
  std::function<std::unique_ptr<Peer>(const chasles::Model&, std::string& why)> make;
};
/// The peers found at build time.
std::vector<PeerMaker> installed_peers();
