/// What integrators integrate: a second-order system on a Lie group G,
///
///     q' = q hat(v),     v' = f(t, q, v)           q in G, v in its algebra R^m              (1)
///
/// with v left-trivialized (body-fixed), as everywhere. Of a mechanism G is the product of the
/// groups of its joints; of a single body SE(3) or SO(3) x R^3. Methods that need more than rates ask
/// for it by `mechanical` or `mechanism`; the list of methods says which do.
#pragma once

#include "chasles/export.hpp"
#include "chasles/motion/group.hpp"

namespace chasles CHASLES_API {

struct State {
  double t = 0;  // [s]
  Vector q;      // nq
  Vector v;      // nv
};

class MechanicalSystem;
class MechanismState;

class DynamicalSystem {
 public:
  virtual ~DynamicalSystem() = default;
  virtual const Group& group() const = 0;
  int nq() const { return group().nq(); }
  int nv() const { return group().nv(); }

  /// Both rates of (1): the velocity, in the algebra, and v'. Of most systems the velocity is v; a
  /// system may carry something else as v (momenta) and give the velocity that belongs to it.
  /// @throws Error naming what went wrong
  virtual void rates(double t, ConstVectorRef q, ConstVectorRef v, VectorRef velocity,
                     VectorRef v_dot) = 0;

  /// This system as one with masses, forces and constraints, or as a mechanism; null: it is not.
  virtual MechanicalSystem* mechanical() { return nullptr; }
  virtual MechanismState* mechanism() { return nullptr; }
};

}  // namespace CHASLES_API
