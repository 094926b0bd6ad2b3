#include "chasles/simulation/forces.hpp"

#include <algorithm>
#include <cmath>

#include "model/model_data.hpp"

namespace chasles {
namespace {

std::string body_of(const Model& model, const Frame& frame) {
  for (const ModelBody& body : model.bodies())
    if (body.frame.link == frame.link) return body.name;
  return std::string(ground);
}
bool finite(const Wrench& W) { return is_finite(W.t) && is_finite(W.f); }
bool finite(const JointForces& acting) {
  double sum = acting.tau.sum();  // not finite if an entry is not, or if entries overflow the sum
  for (const AppliedWrench& w : acting.wrenches) sum += dot(w.W.t, w.W.t) + dot(w.W.f, w.W.f);
  return std::isfinite(sum);
}

/// Throws naming the force if `acting` has an entry that is not finite.
void name_culprit(const Model& model, const Force& force, double t, const JointForces& acting) {
  const auto fail = [&](const std::string& on, const std::string& value) {
    throw ForceError("force '" + force.name + "': gives " + value + " on " + on +
                     " at t = " + to_text(t));
  };
  for (Eigen::Index k = 0; k < acting.tau.size(); ++k)
    if (!std::isfinite(acting.tau[k]))
      fail("joint '" + model.joint_of_v(static_cast<int>(k)).name + "'", to_text(acting.tau[k]));
  for (const AppliedWrench& w : acting.wrenches)
    if (!finite(w.W))
      fail("body '" + body_of(model, w.frame) + "'", "the wrench " + tuple_text(coordinates(w.W)));
}

/// @throws Error if the force has changed the size of out.tau; the size is restored
void act(const Force& force, double t, const VelocityKinematics& kin, JointForces& out) {
  force.law.add(t, kin, out);
  const Eigen::Index n = kin.v().size(), size = out.tau.size();
  if (size == n) [[likely]]
    return;
  out.tau.setZero(n);
  throw Error("force '" + force.name + "': changes the size of tau from " + std::to_string(n) +
              " to " + std::to_string(size) + " at t = " + to_text(t) +
              "; add to the entries that are there");
}

/// Checks the terms of a tangent from the first new ones on.
/// @throws Error for indices that the model does not have
void check_terms(const Force& force, const Model& model, std::size_t joint, std::size_t cross,
                 std::size_t element, const ForceTangent& out) {
  const int n = static_cast<int>(tree_links(model).size());
  const auto fail = [&](const std::string& what) {
    throw Error("force '" + force.name + "': its tangent has " + what);
  };
  for (; joint < out.joints.size(); ++joint)
    if (const auto& block = out.joints[joint];
        !(block.size >= 1 && block.size <= 3 && block.v >= 0 && block.v <= model.nv() - block.size))
      fail("a block of " + std::to_string(block.size) + " entries from " + std::to_string(block.v) +
           " on; blocks have 1 to 3, and v has " + std::to_string(model.nv()));
  for (; cross < out.crosses.size(); ++cross)
    for (const int k : {out.crosses[cross].row, out.crosses[cross].column})
      if (k < 0 || k >= model.nv())
        fail("a term for entry " + std::to_string(k) + " of v, which has " +
             std::to_string(model.nv()));
  for (; element < out.elements.size(); ++element)
    for (const int link : {out.elements[element].a, out.elements[element].b})
      if (link < -1 || link >= n)
        fail("an element on link " + std::to_string(link) + "; there are " + std::to_string(n));
}

}  // namespace

void Forces::add(Force force) {
  if (!force.law.add) throw Error("force '" + force.name + "' has no function that adds it");
  if (!force.model) throw Error("force '" + force.name + "' has no model; give the one it acts on");
  list_.push_back(std::move(force));
}

double Forces::next_break(double t) const {
  double first = Signal::never;
  for (const Force& force : list_) {
    if (!force.next_break) continue;
    const double next = force.next_break(t);
    if (!(next > t))
      throw Error("force '" + force.name + "': its next break after t = " + to_text(t) +
                  " s is said to be at " + to_text(next) + " s, which is not after it");
    first = std::min(first, next);
  }
  return first;
}

void Forces::sample(double t, const VelocityKinematics& kin) const {
  for (const Force& force : list_)
    if (force.memory && force.memory->sample) force.memory->sample(t, kin);
}
bool Forces::sampled() const {
  return std::ranges::any_of(list_, [](const Force& f) { return f.memory && f.memory->sample; });
}
Forces Forces::fresh() const {
  Forces forces = *this;
  for (Force& force : forces.list_)
    if (force.memory && force.memory->fresh) force = std::function(force.memory->fresh)();
  return forces;
}

bool Forces::works() const {
  for (const Force& force : list_)
    if (force.law.power || !force.law.potential) return true;
  return false;
}

void Forces::apply(double t, const VelocityKinematics& kin, JointForces& out) const {
  const Model& model = kin.model();
  require_size("tau", out.tau, model.nv());
  for (const Force& force : list_) {
    if (!(force.model == model)) [[unlikely]]
      throw ForeignError("force '" + force.name + "'", force.model, model);
    act(force, t, kin, out);
  }
  if (finite(out)) [[likely]]
    return;
  JointForces alone{Vector(model.nv()), {}};
  for (const Force& force : list_) {
    act(force, t, kin, alone);
    name_culprit(model, force, t, alone);
  }
}

void Forces::apply_motors(double t, const VelocityKinematics& kin, JointForces& out) const {
  for (const Force& force : list_)
    if (force.actuator) act(force, t, kin, out);
}

ForceFunction Forces::function() const {
  if (empty()) return {};
  return [forces = *this](double t, const VelocityKinematics& kin, JointForces& out) {
    forces.apply(t, kin, out);
  };
}

ExpandFunction Forces::expansion() const {
  if (empty()) return {};
  return [list = list_](ForceExpansion& out) {
    for (const Force& force : list) {
      if (!force.law.expand)
        throw Error("force '" + force.name +
                    "' cannot be expanded in time; take a method that needs rates only, such as "
                    "dop853");
      force.law.expand(out);
    }
  };
}

bool Forces::has_tangent() const {
  return std::ranges::all_of(list_, [](const Force& f) { return bool(f.law.tangent); });
}

void Forces::tangent(double t, const VelocityKinematics& kin, ForceTangent& out) const {
  out.clear();
  for (const Force& force : list_) {
    if (!(force.model == kin.model())) [[unlikely]]
      throw ForeignError("force '" + force.name + "'", force.model, kin.model());
    if (!force.law.tangent) throw Error("force '" + force.name + "' has no tangent");
    const std::size_t joints = out.joints.size(), crosses = out.crosses.size(),
                      elements = out.elements.size();
    force.law.tangent(t, kin, out);
    check_terms(force, kin.model(), joints, crosses, elements, out);
  }
}

double Forces::potential(const PositionKinematics& kin) const {
  double sum = 0;
  for (const Force& force : list_)
    if (force.law.potential) sum += force.law.potential(kin);
  return sum;
}

double Forces::power(double t, const VelocityKinematics& kin, JointForces& scratch) const {
  double sum = 0;
  scratch.tau.setZero(kin.v().size());
  scratch.wrenches.clear();
  for (const Force& force : list_) {
    if (force.law.power) sum += force.law.power(t, kin);
    if (!force.law.power && !force.law.potential) act(force, t, kin, scratch);
  }
  return sum + scratch.power(kin);
}

}  // namespace chasles
