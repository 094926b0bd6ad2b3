/// A mechanism as a system: forward dynamics with forces. A tree, so it has no rows of constraints.
///
///     ModelSystem system(model);                                  // gravity only
///     system.set_forces([](double t, const VelocityKinematics& kin, JointForces& out) {
///       out.tau[0] -= 0.1 * kin.v()[0];
///     });
#pragma once

#include <functional>
#include <optional>

#include "chasles/derivatives/inverse_dynamics.hpp"
#include "chasles/dynamics/mass_matrix.hpp"
#include "chasles/motion/mechanical_system.hpp"
#include "chasles/textbook/hamiltonian.hpp"

namespace chasles {

/// What acts besides gravity at one moment. Zero and empty before every call.
struct JointForces {
  Vector tau;                           // nv
  std::vector<AppliedWrench> wrenches;  // keeps its capacity
  /// tau . v + sum W_k . V_k [W].
  double power(const VelocityKinematics& kin) const;
};
using ForceFunction =
    std::function<void(double t, const VelocityKinematics& kin, JointForces& out)>;

/// What acts besides gravity along a motion, where it is of a kind that can be expanded in time:
///
///     tau_i = constant_i - stiffness_i (q_i - rest_i) - damping_i v_i
///
/// and wrenches that are constant in their representations. Stiffness only where v is the rate of q.
struct ForceExpansion {
  Vector constant, stiffness, rest, damping;  // nv
  std::vector<AppliedWrench> wrenches;        // keeps its capacity
};
/// Adds to `out`.
/// @throws Error naming a force that cannot be expanded
using ExpandFunction = std::function<void(ForceExpansion& out)>;

/// One per thread; copies are independent of each other.
class ModelSystem : public MechanicalSystem {
 public:
  explicit ModelSystem(const Model& model);
  /// Poses and velocities are computed for the function only if there is one.
  /// @param expand  the same forces for methods that expand the motion in time (`taylor`); empty: they
  ///                cannot be expanded
  void set_forces(ForceFunction forces, ExpandFunction expand = {});
  const Model& model() const { return kin_.model(); }
  bool has_forces() const { return static_cast<bool>(forces_); }
  /// What acted besides gravity where rates were taken last.
  const JointForces& acting() const { return acting_; }
  /// What acts besides gravity, at the state of `kin`.
  const JointForces& forces(double t, const VelocityKinematics& kin);

  /// What acts besides gravity as an expansion: nothing if there are no forces.
  /// @throws Error if the forces, or one of them, cannot be expanded
  void expand_forces(ForceExpansion& out) const;

  const Group& group() const override { return group_; }
  /// v' by forward dynamics (ABA), O(n).
  void rates(double t, ConstVectorRef q, ConstVectorRef v, VectorRef velocity,
             VectorRef v_dot) override;
  void mass_times(ConstVectorRef q, ConstVectorRef x, VectorRef out) override;
  void mass_matrix(ConstVectorRef q, Matrix& M) override;
  /// Joint forces, applied wrenches and -h.
  void force(double t, ConstVectorRef q, ConstVectorRef v, VectorRef out) override;
  /// Inverse dynamics.
  void imbalance(double t, ConstVectorRef q, ConstVectorRef v, ConstVectorRef a,
                 VectorRef out) override;
  /// In momenta, O(n): textbook/hamiltonian.hpp.
  void momentum_rate(double t, ConstVectorRef q, ConstVectorRef v, VectorRef out) override;
  /// x = M^-1 b by the factorisation, O(n).
  void solve(ConstVectorRef q, ConstVectorRef b, ConstVectorRef c, VectorRef x,
             VectorRef lambda) override;
  /// Derivatives of inverse dynamics; those of the forces, whose formulas nobody knows, by central
  /// differences, good to about 1e-8 of the forces.
  void tangent(double t, ConstVectorRef q, ConstVectorRef v, ConstVectorRef a,
               Tangent& out) override;
  void prepare(Tangent& out) override;
  /// Unit quaternions.
  void project(State& state) override;
  ModelSystem* mechanism() override { return this; }

 private:
  void act(double t, ConstVectorRef q, ConstVectorRef v);
  void acting_force(double t, ConstVectorRef q, ConstVectorRef v, VectorRef out);
  void factorize_at(ConstVectorRef q);

  ModelGroup group_;
  ForceFunction forces_;
  ExpandFunction expand_;
  VelocityKinematics kin_;
  PositionKinematics at_;
  JointForces acting_;
  ForwardDynamics forward_;
  InverseDynamics inverse_;
  textbook::Factorization factorization_;
  std::optional<InverseDynamicsDerivatives> derivatives_;  // when they are first asked for
  std::optional<MassMatrix> mass_;
  std::optional<textbook::HamiltonianDynamics> momenta_;
  Vector v_, x_, still_;      // nv
  Vector dx_, plus_, minus_;  // nv, of tangent
  Vector there_;              // nq
};

}  // namespace chasles
