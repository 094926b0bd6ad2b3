#include "chasles/simulation/actuator_force.hpp"

#include <algorithm>

#include "chasles/suggest.hpp"
#include "simulation/tendon_length.hpp"

namespace chasles {
namespace {

double within(double x, const std::optional<Actuator::Range>& range) {
  return range ? std::clamp(x, (*range)[0], (*range)[1]) : x;
}

/// (1), (2) and (4) of mechanism/actuator.hpp.
struct LengthActuator {
  Actuator actuator;
  Signal control;
  forces::TendonLength length;

  double unlimited(double t, const VelocityKinematics& kin) const {
    const double l = length.value(kin), rate = length.rate(kin);
    const auto &gain = actuator.gain, &bias = actuator.bias;
    const double u = within(control(t), actuator.control_range);
    return (gain[0] + gain[1] * l + gain[2] * rate) * u + bias[0] + bias[1] * l + bias[2] * rate;
  }
  void operator()(double t, const VelocityKinematics& kin, JointForces& out) const {
    length.push(kin, within(unlimited(t, kin), actuator.force_range), out);
  }
  /// At a bound the force is constant.
  void tangent(double t, const VelocityKinematics& kin, ForceTangent& out) const {
    const double free = unlimited(t, kin), f = within(free, actuator.force_range);
    const double u = within(control(t), actuator.control_range);
    const auto rate_of = [&](std::size_t k) {
      return f == free ? -(actuator.gain[k] * u + actuator.bias[k]) : 0;
    };
    length.tangent(kin, f, rate_of(1), rate_of(2), out);
  }
};

/// A control that is constant is beyond its range from the start: the reader of the scenario says so.
void add_saturations(const Actuator& actuator, const Signal& control,
                     std::function<double(double, const VelocityKinematics&)> unlimited,
                     Force& force) {
  if (const auto& range = actuator.force_range)
    force.saturations.push_back(
        {actuator.name, false, (*range)[0], (*range)[1], std::move(unlimited)});
  if (const auto& range = actuator.control_range; range && !control.is_constant())
    force.saturations.push_back(
        {actuator.name, true, (*range)[0], (*range)[1],
         [control](double t, const VelocityKinematics&) { return control(t); }});
}

/// The length that the actuator acts on.
forces::TendonLength acting_length(const Model& model, const Actuator& actuator,
                                   const std::string& what) {
  if (actuator.tendon.empty())
    return {model, Tendon{.name = actuator.name, .terms = actuator.terms}, what};
  std::vector<std::string_view> known;
  for (const Tendon& tendon : model.tendons()) {
    if (tendon.name == actuator.tendon) return {model, tendon, what};
    known.push_back(tendon.name);
  }
  throw Error(what + ": there is no tendon '" + actuator.tendon + "'" +
              did_you_mean(actuator.tendon, known));
}

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
    add_saturations(
        actuator, control,
        [actuator, control](double t, const VelocityKinematics&) {
          return actuator.gain[0] * within(control(t), actuator.control_range) + actuator.bias[0];
        },
        force);
    return force;
  }
  if (actuator.terms.empty() && actuator.tendon.empty())
    throw Error(what + ": drives nothing; give it joints, a frame or a tendon");
  const LengthActuator law{actuator, control, acting_length(model, actuator, what)};
  Force force{what, model, law};
  if (!law.length.has_tangent()) force.law.tangent = {};
  force.next_break = [control](double t) { return control.next_break(t); };
  force.internal = law.length.is_internal();
  add_saturations(
      actuator, control,
      [law](double t, const VelocityKinematics& kin) { return law.unlimited(t, kin); }, force);
  return force;
}

}  // namespace chasles
