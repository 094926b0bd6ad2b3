/// Dynamical systems for integrators: second-order systems on a Lie group G,
///
///     q' = q hat(v),     v' = f(t, q, v)           q in G, v in its algebra R^m              (1)
///
/// with v left-trivialized (body-fixed), as everywhere. For a mechanism G is the product of the groups of its joints;
/// for a single body SE(3) or SO(3) x R^3. Methods that need more than rates get it by `mechanical` or `mechanism`;
/// the list of methods says which do.
#pragma once

#include "chasles/export.hpp"
#include "chasles/systems/group.hpp"

namespace chasles CHASLES_API {

struct State {
  double t = 0;  // [s]
  Vector q;      // nq
  Vector v;      // nv
};

class MechanicalSystem;
class MechanismState;

/// @paper 004 (34)
/// @paper 001 (35), (36), (44), (45)
class DynamicalSystem {
 public:
  virtual ~DynamicalSystem() = default;
  virtual const Group& group() const = 0;
  int nq() const { return group().nq(); }
  int nv() const { return group().nv(); }

  /// Both rates in (1): the velocity in the Lie algebra, and v'. For most systems the velocity is v; a system may use
  /// another variable as v (momenta) and return the corresponding velocity.
  /// @throws Error naming the cause
  virtual void rates(double t, ConstVectorRef q, ConstVectorRef v, VectorRef velocity,
                     VectorRef v_dot) = 0;

  /// This system as a MechanicalSystem, or as a mechanism; null: not available.
  virtual MechanicalSystem* mechanical() { return nullptr; }
  virtual MechanismState* mechanism() { return nullptr; }
};

}  // namespace CHASLES_API
