#include "systems/mechanism_factors.hpp"

#include "dynamics/link_wrenches.hpp"
#include "model/model_data.hpp"
#include "systems/instruction_sets.hpp"

namespace chasles {

using dynamics::for_links_inward;

MechanismState::Factors::Factors(const Model& of, const Constraints& constraints,
                                 const MobilityReport& mobility)
    : model(of),
      whole(constraints, mobility.blocks),
      forward(of),
      inverse(of),
      mass(of),
      momenta(of),
      moving(of),
      F(tree_links(of).size()),
      dx(of.nv()),
      plus(of.nv()),
      minus(of.nv()) {
  if (constraints.constraint_count() > 0 && !whole.is_deficient()) {
    early.emplace(constraints, mobility.blocks, true);
    if (!early->is_early()) early.reset();
  }
  for (const ConstraintBlock& block : constraints.blocks())
    kept.push_back({block.first, block.rows, 0, nullptr});
}
std::span<const KeptEquations> MechanismState::Factors::kept_equations() {
  for (KeptEquations& block : kept) block.rank = 0, block.U = nullptr;
  for (const KktFactorization::Combinations& from : elimination().combinations())
    kept[from.number].rank = from.rank, kept[from.number].U = from.U.data();
  return kept;
}
double MechanismState::Factors::largest(ConstVectorRef c) const {
  if (!is_dense) return elimination().largest(c);
  const Eigen::VectorXd reduced = dense.U.transpose() * c;
  return reduced.size() > 0 ? reduced.cwiseAbs().maxCoeff() : 0;
}

InverseDynamicsDerivatives& MechanismState::Factors::derivatives_of(const Model& of) {
  if (!derivatives) derivatives.emplace(of);
  return *derivatives;
}

ForceTangentAssembly& MechanismState::Factors::force_tangents_of(const Model& of) {
  if (!force_tangents) force_tangents.emplace(of);
  return *force_tangents;
}

CHASLES_HOT void MechanismState::Factors::newton_euler(const AccelerationKinematics& kin,
                                                       AppliedWrenches applied) {
  const Vec3 g = model.gravity();
  for (std::size_t i = 0; i < F.size(); ++i) {
    const Link& link = tree_links(model)[i];
    F[i] = dynamics::link_wrench(link.inertia, kin.C()[i], kin.V_h()[i], kin.A_h()[i], g);
  }
  dynamics::subtract_applied(model, kin, applied, F.data());
}

void MechanismState::Factors::project_on_joints(const AccelerationKinematics& kin, VectorRef out) {
  for_links_inward(model, [&](const Link& link, std::size_t i, std::size_t, std::size_t) {
    for (int c = 0; c < link.nv; ++c)
      out[link.v_index + c] =
          dot(F[i], world_screw(kin, i, c)) + link.armature * kin.a()[link.v_index + c];
    dynamics::add_to_parent(link, i, kin, F.data());
  });
}

}  // namespace chasles
