#include "chasles/simulation/invariants.hpp"

#include <algorithm>
#include <cmath>

#include "chasles/dynamics/energy.hpp"
#include "model/groups.hpp"
#include "model/model_data.hpp"

namespace chasles {
namespace {

double quaternion_defect(const Model& model, const Vector& q) {
  double worst = 0;
  for_groups(model, [&](const JointGroup&, const Link& link) {
    worst = std::max(worst, std::abs(q.segment<4>(link.q_index).norm() - 1));
  });
  return worst;
}

}  // namespace

Invariants invariants(const Model& model, const Forces& forces, const VelocityKinematics& kin,
                      double work) {
  Invariants at;
  at.kinetic = kinetic_energy(model, kin);
  at.potential = potential_energy(model, kin) + forces.potential(kin);
  at.work = work;
  const Wrench h = spatial_momentum(model, kin);
  at.P = h.f, at.L = h.t;
  at.L_com = model.mass() > 0 ? centroidal_momentum(model, kin).t : h.t;
  at.orthogonality = quaternion_defect(model, kin.q());
  return at;
}

std::vector<std::string> momentum_causes(const Model& model, const Forces& forces, bool about_com) {
  std::vector<std::string> causes;
  if (!about_com && norm(model.gravity()) > 0) causes.emplace_back("gravity");
  if (!model.floats()) causes.emplace_back("joints on ground");
  for (const Force& force : forces.list())
    if (!force.internal) causes.push_back(force.name);
  return causes;
}

void InvariantMonitor::start(const Invariants& at) {
  start_ = at;
  worst_ = last_ = {};
  watch(at);
}

void InvariantMonitor::watch(const Invariants& at) {
  last_ = {std::abs(at.energy() - start_.energy()), norm(at.P - start_.P), norm(at.L - start_.L),
           norm(at.L_com - start_.L_com), at.orthogonality};
  // NaN propagates; std::max would drop it.
  const auto most = [](double worst, double x) {
    return x <= worst || std::isnan(worst) ? worst : x;
  };
  worst_ = {most(worst_.energy, last_.energy), most(worst_.linear_momentum, last_.linear_momentum),
            most(worst_.angular_momentum, last_.angular_momentum),
            most(worst_.angular_momentum_com, last_.angular_momentum_com),
            most(worst_.orthogonality, last_.orthogonality)};
}

}  // namespace chasles
