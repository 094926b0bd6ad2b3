#include "chasles/simulation/actuator_force.hpp"

#include <algorithm>

#include "simulation/force_parts.hpp"
#include "simulation/tangent_parts.hpp"

namespace chasles {
namespace {

double within(double x, const std::optional<Actuator::Range>& range) {
  return range ? std::clamp(x, (*range)[0], (*range)[1]) : x;
}

/// (1) and (2) of mechanism/actuator.hpp.
struct JointActuator {
  struct Entry {
    int q, v;
    double coefficient;
  };
  Actuator actuator;
  Signal control;
  std::vector<Entry> entries;

  double unlimited(double t, const VelocityKinematics& kin) const {
    double length = 0, rate = 0;
    for (const Entry& e : entries) {
      length += e.coefficient * kin.q()[e.q];
      rate += e.coefficient * kin.v()[e.v];
    }
    const auto &gain = actuator.gain, &bias = actuator.bias;
    const double u = within(control(t), actuator.control_range);
    return (gain[0] + gain[1] * length + gain[2] * rate) * u + bias[0] + bias[1] * length +
           bias[2] * rate;
  }
  void operator()(double t, const VelocityKinematics& kin, JointForces& out) const {
    const double f = within(unlimited(t, kin), actuator.force_range);
    for (const Entry& e : entries) out.tau[e.v] += e.coefficient * f;
  }
  /// Of one entry, unless the force is at a bound.
  void one_tangent(double t, const VelocityKinematics& kin, ForceTangent& out) const {
    const double f = unlimited(t, kin);
    if (f != within(f, actuator.force_range)) return;
    const double square = entries[0].coefficient * entries[0].coefficient,
                 u = within(control(t), actuator.control_range);
    forces::add_entry(out, entries[0].v, -(actuator.gain[1] * u + actuator.bias[1]) * square,
                      -(actuator.gain[2] * u + actuator.bias[2]) * square);
  }
};

}  // namespace

Force actuator_force(const Model& model, const Actuator& actuator, Signal control) {
  const std::string what = "actuator '" + actuator.name + "'";
  if (!actuator.frame.empty()) {
    std::array<Signal, 6> wrench;
    for (std::size_t k = 0; k < 6; ++k)
      wrench[k] = Signal(
          [actuator, control, k](double t) {
            const double u = within(control(t), actuator.control_range);
            return actuator.wrench[k] *
                   within(actuator.gain[0] * u + actuator.bias[0], actuator.force_range);
          },
          [control](double t) { return control.next_break(t); });
    Force force = body_wrench(model, {actuator.frame}, wrench, Representation::body);
    force.name = what;
    return force;
  }
  JointActuator law{actuator, control, {}};
  bool on_ground = false;
  for (const Actuator::Term& term : actuator.terms) {
    const ModelJoint& joint = model.joint(term.joint);
    if (!joint.is_vector() || term.coordinate < 0 || term.coordinate >= joint.nv)
      throw Error(what + ": joint '" + joint.name + "' has no coordinate " +
                  std::to_string(term.coordinate) + " that it could drive");
    law.entries.push_back(
        {joint.q_index + term.coordinate, joint.v_index + term.coordinate, term.coefficient});
    on_ground = on_ground || model.on_ground(joint);
  }
  if (law.entries.empty()) throw Error(what + ": drives nothing; give it joints or a frame");
  Force force{what, model, law};
  if (law.entries.size() == 1)
    force.law.tangent = [law](double t, const VelocityKinematics& kin, ForceTangent& out) {
      law.one_tangent(t, kin, out);
    };
  force.next_break = [control](double t) { return control.next_break(t); };
  force.internal = !on_ground;
  return force;
}

}  // namespace chasles
