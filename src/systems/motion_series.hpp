/// A motion as power series while it is being computed, for forces that follow from it order by order: coefficient k of a
/// force from coefficients 0 ... k of q and v, which are those of the motion up to v[k]. Poses of links in the world,
///
///     C' = C hat(V),     known up to coefficient k + 1 at order k                             (1)
///
/// are expanded if a force asks for them. A force F at a point p that moves with a link is the wrench
/// (p x R^T F; R^T F) in the axes of the link.
#pragma once

#include <array>

#include "chasles/systems/joint_forces.hpp"
#include "derivatives/tree_series.hpp"
#include "math/power_series.hpp"

namespace chasles {

namespace derivatives {
class MotionSeries;
}

/// A force that can be expanded along a motion. Const functions are thread-safe.
class SeriesForce {
 public:
  virtual ~SeriesForce() = default;
  /// Whether it needs poses of links.
  virtual bool needs_poses() const { return false; }
  /// Adds coefficient `motion.order()` of the joint forces to tau, and of wrenches to the loads of links.
  virtual void add(derivatives::MotionSeries& motion, VectorRef tau) const = 0;
};

namespace derivatives {

/// A vector that moves, in world axes.
struct VectorSeries {
  std::array<PowerSeries, 3> x;
  friend VectorSeries operator-(const VectorSeries& a, const VectorSeries& b) {
    return {{a.x[0] - b.x[0], a.x[1] - b.x[1], a.x[2] - b.x[2]}};
  }
  friend VectorSeries operator*(const PowerSeries& s, const VectorSeries& a) {
    return {{s * a.x[0], s * a.x[1], s * a.x[2]}};
  }
  friend PowerSeries dot(const VectorSeries& a, const VectorSeries& b) {
    return a.x[0] * b.x[0] + a.x[1] * b.x[1] + a.x[2] * b.x[2];
  }
  VectorSeries rate() const { return {{x[0].rate(), x[1].rate(), x[2].rate()}}; }
};

class MotionSeries {
 public:
  /// @param q  nq x (order + 2): coefficients of flat coordinates as far as they are known
  MotionSeries(TreeSeries& tree, const Matrix& q, std::size_t order);

  /// Order 0 at time t. @param kin  null: without poses
  void start(double t, const PositionKinematics* kin);
  /// Goes to order k: the tree knows v[0 ... k].
  void advance(std::size_t k);

  std::size_t order() const { return k_; }
  /// Coefficients 0 ... order of the time, of an entry of q (of a coordinate with q' = v) and of an entry of v.
  PowerSeries time() const;
  PowerSeries q(int entry) const;
  PowerSeries v(int entry) const;
  /// Coefficients 0 ... order + 1 of the position of the origin of a frame.
  VectorSeries position(const Frame& frame) const;
  /// A force in world axes on the link of a frame, at its origin: loads it with coefficient `order`. Ground feels
  /// nothing.
  void push(const Frame& frame, const VectorSeries& force);
  /// A torque in world axes likewise; and a wrench in the axes of the frame, coefficient `order` of it.
  void twist_by(const Frame& frame, const VectorSeries& torque);
  void load(const Frame& frame, const Wrench& coefficient);

 private:
  TreeSeries& tree_;
  Vec3 in_link(std::size_t link, const VectorSeries& x) const;  // coefficient `order` of R^T x
  const Matrix& q_;
  std::size_t k_ = 0;
  double t_ = 0;
  bool with_poses_ = false;
  std::vector<links::PoseSeries> poses_;
};

}  // namespace derivatives
}  // namespace chasles
