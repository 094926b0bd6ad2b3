/// What integrators integrate: a second-order system on a Lie group G,
///
///     q' = q hat(v),     v' = f(t, q, v)           q in G, v in its algebra R^m              (1)
///
/// with v left-trivialised (body-fixed), as everywhere. G is any product of groups: of a mechanism,
/// the product of the groups of its joints (R for turns, slides and coordinates, SO(3) for spherical,
/// SE(3) for free joints); of a single body SE(3) or SO(3) x R^3.
#pragma once

#include <Eigen/Core>

#include "chasles/kinematics/kinematics.hpp"

namespace chasles {

struct State {
  double t = 0;       // [s]
  Eigen::VectorXd q;  // nq
  Eigen::VectorXd v;  // nv
};

class System {
 public:
  using Vector = Eigen::Ref<Eigen::VectorXd>;
  virtual ~System() = default;
  virtual int nq() const = 0;
  virtual int nv() const = 0;

  /// f of (1): the acceleration v'.
  /// @throws Error naming what went wrong
  virtual void acceleration(double t, ConstVectorRef q, ConstVectorRef v, Vector out) = 0;

  /// q exp(x).
  virtual void plus(ConstVectorRef q, ConstVectorRef x, Vector out) const = 0;
  /// log(q0^-1 q1), the x with q1 = q0 exp(x).
  virtual void minus(ConstVectorRef q1, ConstVectorRef q0, Vector out) const = 0;
  /// The rate of x in q0 exp(x) that gives the velocity v: dexp_{-x}^-1 v; and back, dexp_{-x} u.
  virtual void dexp_inv(ConstVectorRef x, ConstVectorRef v, Vector out) const = 0;
  virtual void dexp(ConstVectorRef x, ConstVectorRef u, Vector out) const = 0;
  /// The largest angle of rotation in x [rad], beyond which coordinates in the algebra end at 2 pi.
  virtual double rotation(ConstVectorRef x) const = 0;
};

}  // namespace chasles
