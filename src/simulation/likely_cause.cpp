#include "simulation/likely_cause.hpp"

#include <algorithm>
#include <cmath>

#include "chasles/dynamics/momentum.hpp"
#include "chasles/kinematics/kinematics.hpp"
#include "chasles/simulation/sampled_loop.hpp"
#include "math/decompositions.hpp"
#include "simulation/maximal_joints.hpp"

namespace chasles {
namespace {

/// "'controller 1, PD control' and 2 more": the names of sampled forces.
std::string sampled_names(const Forces& forces) {
  std::string first;
  int more = -1;
  for (const Force& force : forces.list()) {
    if (!force.memory || !force.memory->sample) continue;
    if (++more == 0) first = "'" + force.name + "'";
  }
  return more > 0 ? first + " and " + std::to_string(more) + " more" : first;
}

/// Analyzes the gains of sampled controllers at the start, where the motion is still small.
std::vector<std::string> unstable_at_start(const Scenario& s) {
  VelocityKinematics kin(s.model);
  forward_kinematics(s.model, s.start.q, s.start.v, kin);
  return unstable_gains(s.forces, s.start.t, kin);
}
std::string unstable_loop(const Scenario& s) {
  const std::vector<std::string> known = unstable_at_start(s);
  return known.empty() ? "the sampled loop of " + sampled_names(s.forces) +
                             " is unstable: its gains are too high for its period and the inertia "
                             "that the joints feel"
                       : known.front();
}

/// "'crank', 'cam'"; empty: there are none.
std::string driver_names(const Constraints& constraints) {
  std::string names;
  for (const ConstraintBlock& block : constraints.blocks())
    if (block.kind == "driver") names += (names.empty() ? "'" : ", '") + block.name + "'";
  return names;
}

}  // namespace

std::string undetermined_by_drivers(MechanismState& system, const State& state) {
  Matrix B;
  system.set(state);
  system.constraint_matrix(B);
  const int k = pivoted_qr(B).order[system.nv() - 1];
  return "drivers " + driver_names(system.constraints()) +
         " do not determine the motion of joint '" + system.model().joint_of_v(k).name + "'";
}

std::string near_singular(MechanismState& system, const State& state) try {
  constexpr double near = 1e-4;  // about the square of the distance [rad]
  Matrix U;
  system.set(state);
  system.independent_equations(U);  // factorizes
  const double independence = system.reciprocal_condition();
  if (!(independence < near)) return "";
  if (driver_names(system.constraints()).empty())
    return "; the constraints are near a singular configuration (independence " +
           to_short_text(independence) + ")";
  return "; dead center: " + undetermined_by_drivers(system, state) +
         " there; drive another joint, or keep the motion away from this configuration";
} catch (const Error&) {
  return "";
}

bool is_loop_unstable(const Scenario& scenario) { return !unstable_at_start(scenario).empty(); }

std::string likely_cause(const Symptoms& seen) {
  const Scenario& s = seen.scenario;
  const MethodInfo& method = method_info(s.integrator);
  const bool fixed = !method.adaptive || s.integrator.step;
  constexpr double singular = 1e-6;  // threshold on the reciprocal condition
  if (s.forces.sampled() && seen.loop_grows) return "; likely cause: " + unstable_loop(s);
  if (fixed && seen.energy_created)
    return "; likely cause: the step is too long for " + std::string(method.name) +
           ", which then creates energy; take a smaller step, or an adaptive method";
  if (seen.reciprocal_condition < singular)
    return "; likely cause: the constraints are near a singular configuration (independence " +
           to_short_text(seen.reciprocal_condition) + ")";
  if (seen.statistics.is_stiff())
    return "; likely cause: the forces are stiff: stability, not accuracy, holds the steps down";
  if (seen.energy_created)
    return "; likely cause: the motion or a force is not smooth enough for the tolerance";
  return "";
}

std::string stiffest_force(const Scenario& scenario, const State& state) try {
  const Model& model = scenario.model;
  constexpr double step = 1e-6;
  Vector dx(model.nv()), q(model.nq());
  for (Eigen::Index k = 0; k < dx.size(); ++k)  // of different lengths, so that none cancel
    dx[k] = step * (1 + static_cast<double>(k % 7) / 8);
  plus(model, state.q, dx, q);
  VelocityKinematics here(model), moved(model), faster(model);
  forward_kinematics(model, state.q, state.v, here);
  forward_kinematics(model, q, state.v, moved);
  forward_kinematics(model, state.q, state.v + dx, faster);

  MomentumDynamics work(model);
  JointForces out;
  const auto at = [&](const Force& force, const VelocityKinematics& kin) {
    out.tau.setZero(model.nv()), out.wrenches.clear();
    force.law.add(state.t, kin, out);
    Vector total(model.nv());
    generalized_force(model, kin, out.tau, total, work, out.wrenches);
    return total;
  };
  std::string name;
  double most = 0;
  for (const Force& force : scenario.forces.list()) {
    const Vector before = at(force, here);
    for (const VelocityKinematics* kin : {&moved, &faster}) {
      const double change = (at(force, *kin) - before).norm();
      if (std::isnan(change)) return force.name;
      if (change > most) most = change, name = force.name;
    }
  }
  return name;
} catch (const Error&) {
  return "";
}

std::string fastest_joint(const Scenario& scenario, const State& state) {
  const Model& model = scenario.absolute ? scenario.joints : scenario.model;
  Vector v = state.v;
  if (scenario.absolute) try {
      v = scenario.absolute->at(state).v;
    } catch (const ForceError&) {
      return "?";  // the poses of the bodies are not reachable by the joints
    }
  std::string name = "?";
  double fastest = -1;
  for (const ModelJoint& joint : model.joints()) {
    if (joint.nv == 0) continue;
    const double speed = v.segment(joint.v_index, joint.nv).norm();
    if (speed > fastest) fastest = speed, name = joint.name;
  }
  return name;
}

}  // namespace chasles
