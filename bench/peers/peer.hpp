/// The same work in another library: a serial chain of revolute joints, built from our model so that
/// every peer gets the same numbers.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <string>

#include "chasles/kinematics/kinematics.hpp"

struct Peer {
  virtual ~Peer() = default;
  virtual std::string name() const = 0;
  /// Poses of all bodies at q.
  virtual void positions(const Eigen::VectorXd& q) = 0;
  /// The pose of the last body, from the last call of `positions`.
  virtual chasles::SE3 tip() const = 0;
  /// Jacobian of the last body at q (poses included), or false if it has none.
  virtual bool jacobian(const Eigen::VectorXd& q) = 0;
};

/// Null if the library is not there, or cannot take the model.
std::unique_ptr<Peer> make_kdl(const chasles::Mechanism& mechanism, const chasles::Model& model);
std::unique_ptr<Peer> make_mujoco(const chasles::Mechanism& mechanism, const chasles::Model& model);
