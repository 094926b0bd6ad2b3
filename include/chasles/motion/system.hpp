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

/// How a method writes a neighbourhood of a point of the group: q exp(x), q cay(x), or q exp(x_1 e_1)
/// ... exp(x_m e_m).
enum class LocalCoordinates { exponential, cayley, second_kind };

class System {
 public:
  using Vector = Eigen::Ref<Eigen::VectorXd>;
  virtual ~System() = default;
  virtual int nq() const = 0;
  virtual int nv() const = 0;

  /// f of (1): the acceleration v'.
  /// @throws Error naming what went wrong
  virtual void acceleration(double t, ConstVectorRef q, ConstVectorRef v, Vector out) = 0;

  /// Both rates of (1). A system whose v is not the velocity itself (momentum_form.hpp) gives the
  /// velocity that belongs to its v; of others it is v.
  virtual void rates(double t, ConstVectorRef q, ConstVectorRef v, Vector velocity, Vector v_dot) {
    velocity = v;
    acceleration(t, q, v, v_dot);
  }

  /// q exp(x).
  virtual void plus(ConstVectorRef q, ConstVectorRef x, Vector out) const = 0;
  /// log(q0^-1 q1), the x with q1 = q0 exp(x).
  virtual void minus(ConstVectorRef q1, ConstVectorRef q0, Vector out) const = 0;
  /// The rate of x in q0 exp(x) that gives the velocity v: dexp_{-x}^-1 v; and back, dexp_{-x} u.
  virtual void dexp_inv(ConstVectorRef x, ConstVectorRef v, Vector out) const = 0;
  virtual void dexp(ConstVectorRef x, ConstVectorRef u, Vector out) const = 0;
  /// The largest angle of rotation in x [rad], beyond which coordinates in the algebra end at 2 pi.
  virtual double rotation(ConstVectorRef x) const = 0;

  /// plus and dexp_inv in other coordinates: the point at x from q, and the rate of x that gives the
  /// velocity v there.
  /// @throws Error unless overridden, but for exponential
  virtual void chart_plus(LocalCoordinates kind, ConstVectorRef q, ConstVectorRef x,
                          Vector out) const;
  virtual void chart_rate(LocalCoordinates kind, ConstVectorRef x, ConstVectorRef v,
                          Vector out) const;

  /// The rate of the coordinates q themselves at the velocity v: nq; and q brought back to where
  /// it belongs (unit quaternions). For methods that treat q as a vector.
  /// @throws Error unless overridden
  virtual void coordinate_rate(ConstVectorRef q, ConstVectorRef v, Vector out) const;
  virtual void normalize(Vector q) const;
};

}  // namespace chasles
