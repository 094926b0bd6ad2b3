#include "motion/mechanism_factors.hpp"

#include "dynamics/links.hpp"

namespace chasles {

using dynamics::for_links_inward;
using dynamics::parent_of;

MechanismState::Factors::Factors(const Model& of, const Constraints& constraints,
                                 const MobilityReport& mobility)
    : model(of),
      elimination(constraints, mobility.independent_rows),
      forward(of),
      inverse(of),
      mass(of),
      momenta(of),
      moving(of),
      F(of.links().size()),
      dx(of.nv()),
      plus(of.nv()),
      minus(of.nv()),
      equations(constraints.rows()),
      picked(mobility.independent_rows),
      some(static_cast<Eigen::Index>(picked.size())),
      some_lambda(static_cast<Eigen::Index>(picked.size())) {
  for (const ConstraintBlock& block : constraints.blocks()) {
    int rank = 0;
    for (const int row : picked) {
      if (row < block.first || row >= block.first + block.rows) continue;
      kept_U.resize(kept_U.size() + static_cast<std::size_t>(block.rows));
      kept_U[kept_U.size() - static_cast<std::size_t>(block.first + block.rows - row)] = 1;
      ++rank;
    }
    kept.push_back({block.first, block.rows, rank, nullptr});
  }
}
std::span<const KeptEquations> MechanismState::Factors::kept_equations() {
  const double* U = kept_U.data();
  for (KeptEquations& block : kept) block.U = std::exchange(U, U + block.rows * block.rank);
  return kept;
}

InverseDynamicsDerivatives& MechanismState::Factors::derivatives_of(const Model& of) {
  if (!derivatives) derivatives.emplace(of);
  return *derivatives;
}

void MechanismState::Factors::newton_euler(const AccelerationKinematics& kin,
                                           AppliedWrenches applied) {
  const Vec3 g = model.gravity();
  for (std::size_t i = 0; i < F.size(); ++i) {
    const Inertia& M = model.links()[i].inertia;
    const SE3& C = kin.C()[i];
    const Vec3 w = inverse_times(C.R, kin.V_h()[i].w), al = inverse_times(C.R, kin.A_h()[i].w),
               a = inverse_times(C.R, kin.A_h()[i].v - g);
    F[i] = {C.R * (M.I * al + cross(w, M.I * w) + cross(M.mc, a)),
            C.R * (M.m * a + cross(al, M.mc) + cross(w, cross(w, M.mc)))};
  }
  for (const AppliedWrench& on : applied) {
    require_place(on.place, model);
    if (on.place.link < 0) continue;
    const auto i = static_cast<std::size_t>(on.place.link);
    const SE3 C = kin.C()[i] * on.place.offset;
    const Wrench W = lie::convert(on.W, C, on.representation, Representation::hybrid);
    F[i] -= {W.t + cross(C.r - kin.C()[i].r, W.f), W.f};
  }
}

void MechanismState::Factors::project_on_joints(const PositionKinematics& kin, VectorRef out) {
  for_links_inward(model, [&](const Link& link, std::size_t i, std::size_t, std::size_t) {
    for (int c = 0; c < link.nv; ++c) out[link.v_index + c] = dot(F[i], world_screw(kin, i, c));
    if (link.parent < 0) return;
    const Vec3 d = kin.C()[i].r - kin.C()[parent_of(link)].r;
    F[parent_of(link)] += {F[i].t + cross(d, F[i].f), F[i].f};
  });
}

void MechanismState::Factors::independent_equations(Matrix& U) const {
  const auto rank = static_cast<Eigen::Index>(picked.size());
  U.setZero(equations, rank);
  for (Eigen::Index k = 0; k < rank; ++k) U(picked[static_cast<std::size_t>(k)], k) = 1;
}

void MechanismState::Factors::pick(ConstVectorRef all) const {
  for (std::size_t k = 0; k < picked.size(); ++k)
    some[static_cast<Eigen::Index>(k)] = all[picked[k]];
}
void MechanismState::Factors::spread(VectorRef all) const {
  all.setZero();
  for (std::size_t k = 0; k < picked.size(); ++k)
    all[picked[k]] = some_lambda[static_cast<Eigen::Index>(k)];
}

void MechanismState::Factors::solve(ConstVectorRef b, ConstVectorRef c, VectorRef x,
                                    VectorRef lambda) {
  pick(c);
  elimination.solve(b, some, x, some_lambda);
  spread(lambda);
}
void MechanismState::Factors::accelerate(const AccelerationKinematics& kin,
                                         const Constraints& constraints, bool factored,
                                         AppliedWrenches applied, ConstVectorRef tau,
                                         ConstVectorRef c, VectorRef x, VectorRef lambda) {
  pick(c);
  if (factored)
    elimination.accelerate(kin, applied, tau, some, x, some_lambda);
  else
    elimination.accelerate_anew(kin, constraints, applied, tau, some, x, some_lambda);
  spread(lambda);
}

}  // namespace chasles
