#include "chasles/systems/constrained_system.hpp"

namespace chasles {

struct ConstrainedSystem::Assembly {
  Constraints constraints;
  Vector q;
  MobilityReport mobility;

  Assembly(const Model& model, const ConstraintOptions& options, const Vector& near,
           const std::vector<bool>& kept)
      : constraints(model, options),
        q(assemble(constraints, near.size() == 0 ? model.neutral() : near, kept)),
        mobility(analyze(constraints, q)) {}
};

ConstrainedSystem::ConstrainedSystem(const Model& model, const ConstraintOptions& options,
                                     const Vector& near, const std::vector<bool>& kept)
    : ConstrainedSystem(model, Assembly(model, options, near, kept)) {}
ConstrainedSystem::ConstrainedSystem(const Model& model, Assembly assembly)
    : MechanismState(model, std::move(assembly.constraints), std::move(assembly.mobility)),
      assembled_(std::move(assembly.q)) {
  if (constraint_count() > 0 && mobility().nearby.empty()) calibrate(assembled_);
}

double ConstrainedSystem::violation(ConstVectorRef q) {
  if (constraint_count() == 0) return 0;
  set(at().t, q, at().v.size() == nv() ? at().v : Vector(nv()));
  Vector Phi(constraint_count());
  constraint_error(Phi);
  return Phi.lpNorm<Eigen::Infinity>();
}
double ConstrainedSystem::velocity_violation(ConstVectorRef q, ConstVectorRef v) {
  if (constraint_count() == 0) return 0;
  set(at().t, q, v);
  Vector rate(constraint_count());
  constraint_rate(rate);
  return rate.lpNorm<Eigen::Infinity>();
}
const Vector& ConstrainedSystem::forward_dynamics(ConstVectorRef q, ConstVectorRef v,
                                                  ConstVectorRef tau, AppliedWrenches applied) {
  set(at().t, q, v);
  return MechanismState::forward_dynamics(tau, applied);
}

}  // namespace chasles
