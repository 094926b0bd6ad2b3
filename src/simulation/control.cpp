/// Controllers as forces: motors, saturation, sampling.
#include "chasles/simulation/control.hpp"

#include <algorithm>
#include <cmath>

#include "simulation/sensing.hpp"
#include "simulation/tangent_parts.hpp"

namespace chasles {
namespace {

/// The motors of a controller: indices into v and effort limits.
struct Motors {
  struct Motor {
    int v;
    double most;
  };
  std::vector<Motor> list;
  bool internal = true;  // no motor acts against ground

  explicit Motors(const Controller& c) {
    const Model& model = c.model;
    std::vector<std::string> names = c.joints;
    if (names.empty())
      for (const ModelJoint& joint : model.joints()) names.push_back(joint.name);
    const std::string what = "controller '" + c.name + "'";
    if (!c.max_effort.empty() && c.max_effort.size() != names.size())
      throw Error(what + ": max_effort has " + std::to_string(c.max_effort.size()) +
                  " entries; give one for each of its " + std::to_string(names.size()) + " joints");
    std::vector<bool> seen(static_cast<std::size_t>(model.nv()), false);
    for (std::size_t i = 0; i < names.size(); ++i) {
      const ModelJoint& joint = model.joint(names[i]);
      const double most = c.max_effort.empty() ? Signal::never : c.max_effort[i];
      if (!(most >= 0))
        throw Error(what + ": max_effort " + to_text(most) + " of joint '" + joint.name +
                    "' is not a bound; give 0 or more");
      for (int k = joint.v_index; k < joint.v_index + joint.nv; ++k) {
        if (seen[static_cast<std::size_t>(k)])
          throw Error(what + ": joint '" + joint.name + "' is given twice");
        seen[static_cast<std::size_t>(k)] = true;
        list.push_back({k, most});
      }
      if (joint.nv > 0) internal = internal && !model.on_ground(joint);
    }
  }
  /// Adds the efforts for the command `wanted`, saturated, to `tau`.
  void add(const Vector& wanted, Vector& tau) const {
    for (const Motor& motor : list)
      tau[motor.v] += std::clamp(wanted[motor.v], -motor.most, motor.most);
  }
};

/// A control law in continuous time.
struct Continuous {
  ControlLaw law;
  Motors motors;
  Vector wanted;  // nv

  void operator()(double t, const VelocityKinematics& kin, JointForces& out) {
    wanted.setZero();
    law(t, kin, wanted);
    motors.add(wanted, out.tau);
  }
};

/// Its partial derivatives: the gains where the motors are not saturated.
struct ContinuousTangent {
  Continuous at;
  LinearGains gains;

  void operator()(double t, const VelocityKinematics& kin, ForceTangent& out) {
    at.wanted.setZero();
    at.law(t, kin, at.wanted);
    for (const auto& [v, most] : at.motors.list)
      if (std::abs(at.wanted[v]) <= most)
        forces::add_entry(out, v, gains.stiffness[v], gains.damping[v]);
  }
};

/// A sampled control law; its outputs are stored with the time from which they act.
class Sampled {
 public:
  Sampled(const Controller& c)
      : name_(c.name), law_(c.law), motors_(c), period_(c.period), delay_(c.delay) {
    held_.assign(static_cast<std::size_t>(delay_ / period_) + 4,
                 {-Signal::never, Vector(c.model.nv())});
    if (c.sensors) sensing_.emplace("controller '" + c.name + "'", c.model, *c.sensors, c.period);
  }

  /// Takes the sample that is due at t, if any. The first call always samples.
  void sample(double t, const VelocityKinematics& kin) {
    if (sensing_) sensing_->observe(t, kin);
    if (count_ > 0 && t < next_) return;
    Held& held = held_[count_ % held_.size()];
    held.tau.setZero();
    law_(t, sensing_ ? sensing_->measured(t) : kin, held.tau);
    held.from = (count_ > 0 ? next_ : t) + delay_;
    next_ = sample_after(t);
    ++count_;
  }
  void add(double t, JointForces& out) const {
    if (count_ == 0)
      throw Error(
          "controller '" + name_ +
          "' is sampled and has no sample yet; a Simulation takes samples; programs that step an "
          "integrator call Forces::sample at the start and at every break");
    for (std::size_t i = count_; i > 0 && i + held_.size() > count_; --i)
      if (const Held& held = held_[(i - 1) % held_.size()]; held.from <= t)
        return motors_.add(held.tau, out.tau);
  }
  /// The time of the next sample, or at which a delayed output begins to act.
  double next_break(double t) const {
    double first = sample_after(t);
    if (sensing_) first = std::min(first, sensing_->next_observation(t));
    for (const Held& held : held_)
      if (held.from > t) first = std::min(first, held.from);
    return first;
  }

 private:
  struct Held {
    double from;  // [s]
    Vector tau;   // nv
  };
  /// The first multiple of the period after t.
  double sample_after(double t) const {
    double k = std::floor(t / period_) - 1;
    while (k * period_ <= t && (k + 1) * period_ > k * period_) ++k;
    return k * period_;
  }

  std::string name_;
  ControlLaw law_;
  Motors motors_;
  double period_, delay_, next_ = 0;
  std::vector<Held> held_;  // ring buffer
  std::optional<Sensing> sensing_;
  std::size_t count_ = 0;  // number of samples so far
};

void check(const Controller& c) {
  const std::string what = "controller '" + c.name + "'";
  if (!c.law) throw Error(what + " has no law; give a function of (t, kin, tau)");
  if (!c.model) throw Error(what + " has no model; give the one it acts on");
  for (const auto& [name, value] : {std::pair{"period", c.period}, {"delay", c.delay}})
    if (!(value >= 0 && std::isfinite(value)))
      throw Error(what + ": " + name + " " + to_text(value) +
                  " is not a time; give 0 or more seconds");
  if (c.delay > 0 && c.period == 0) throw Error(what + ": a delay needs samples; give a period");
  if (c.sensors && c.period == 0)
    throw Error(what + ": sensors are read at samples; give a period");
  if (c.gains)
    for (const Vector* gains : {&c.gains->stiffness, &c.gains->damping})
      require_size(what + ": gains", *gains, c.model.nv());
  constexpr double most = 1e5;
  if (c.period > 0 && c.delay / c.period > most)
    throw Error(what + ": a delay of " + to_text(c.delay) + " s is more than 1e5 periods of " +
                to_text(c.period) + " s");
}

Force sampled(const Controller& c) {
  const auto memory = std::make_shared<Sampled>(c);
  Force force{c.name, c.model, [memory](double t, const VelocityKinematics&, JointForces& out) {
                memory->add(t, out);
              }};
  force.law.tangent = forces::no_derivatives;
  force.memory = {[c] { return control(c); },
                  [memory](double t, const VelocityKinematics& kin) { memory->sample(t, kin); }};
  force.next_break = [memory](double t) { return memory->next_break(t); };
  return force;
}

}  // namespace

Force control(const Controller& c) {
  check(c);
  const Motors motors(c);
  Force force{c.name, c.model, {}};
  if (c.period > 0) {
    force = sampled(c);
  } else {
    const Continuous act{c.law, motors, Vector(c.model.nv())};
    force.law = act;
    if (c.gains) force.law.tangent = ContinuousTangent{act, *c.gains};
    force.next_break = c.next_break;
  }
  force.internal = motors.internal;
  force.controller = std::make_shared<const Controller>(c);
  return force;
}

std::vector<std::string> vector_joints(const Model& model) {
  std::vector<std::string> names;
  for (const ModelJoint& joint : model.joints())
    if (joint.is_vector()) names.push_back(joint.name);
  return names;
}

std::vector<std::string> driven_joints(const Model& model) {
  std::vector<std::string> names;
  const auto is_rotor = [&](const ModelJoint& joint) {  // mechanism/rotor.hpp
    return std::ranges::any_of(model.couplings(), [&](const ModelCoupling& c) {
      return c.terms.size() == 2 && c.terms[0].v_index == joint.v_index &&
             joint.name.ends_with("_rotor") &&
             c.name == joint.name.substr(0, joint.name.size() - 6) + "_gear";
    });
  };
  for (const ModelJoint& joint : model.joints())
    if (joint.nv > 0 && !joint.has_position() && !joint.mimic && !is_rotor(joint))
      names.push_back(joint.name);
  return names;
}

std::vector<double> effort_limits(const Model& model, std::span<const std::string> joints) {
  std::vector<double> limits;
  for (const std::string& name : joints) {
    const ModelJoint& joint = model.joint(name);
    if (!joint.limits || !joint.limits->effort)
      throw Error("joint '" + name + "' has no limit of effort; give a number");
    limits.push_back(*joint.limits->effort);
  }
  return limits;
}

}  // namespace chasles
