#include "simulation/limit_monitor.hpp"

#include <algorithm>
#include <cmath>

#include "simulation/maximal_joints.hpp"

namespace chasles {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr int points = 4;  // checked within a step

/// Tolerance: smaller violations are attributed to rounding or to the error of a step.
double slack(Violation::Kind kind, double bound) {
  return kind == Violation::mimic ? 1e-6 : 1e-9 * (1 + std::abs(bound));
}

std::string_view unit_of(const ModelJoint& joint, Violation::Kind kind) {
  const CoordinateKindInfo& info = coordinate_kind_info(joint.coordinates.at(0).kind);
  if (kind == Violation::velocity) return info.v_unit;
  if (kind == Violation::effort) return info.force_unit;
  return info.q_unit;
}

/// The range of the cubic with the values and rates of q at both ends of a step.
std::pair<double, double> range(double q_0, double v_0, double q_1, double v_1, double h) {
  const double m_0 = h * v_0, m_1 = h * v_1, D = q_1 - q_0;
  const double B = 3 * D - 2 * m_0 - m_1, C = m_0 + m_1 - 2 * D;
  double low = std::min(q_0, q_1), high = std::max(q_0, q_1);
  const double root = B * B - 3 * C * m_0;  // discriminant of m_0 + 2 B s + 3 C s^2 = 0
  const double sum = -(B + std::copysign(std::sqrt(std::max(root, 0.0)), B));
  for (const double s : {sum / (3 * C), m_0 / sum}) {
    if (!(root > 0 && s > 0 && s < 1)) continue;
    const double q = q_0 + s * (m_0 + s * (B + s * C));
    low = std::min(low, q), high = std::max(high, q);
  }
  return {low, high};
}

}  // namespace

std::string_view Violation::name() const {
  static constexpr std::string_view names[] = {"position", "velocity", "effort", "mimic",
                                               "force",    "control",  "length"};
  return names[kind];
}

std::string Violation::text() const {
  const bool saturates = kind == force_range || kind == control_range;
  std::string said = saturates ? "actuator '" : kind == length_range ? "tendon '" : "joint '";
  const auto say = [&](std::string_view text) { said.append(text); };
  const auto number = [&](double x) {
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, x, std::chars_format::general, 6).ptr;
    said.append(text, end);
  };
  say(joint), say("': "), say(kind == mimic ? "off its mimic relation by" : name()), say(" ");
  const auto measure = [&](double x) {
    number(x);
    if (!unit.empty()) say(" "), say(unit);
  };
  measure(worst), say(" at t = "), number(worst_time), say(" s");
  if (kind != mimic) say(saturates ? ", limited to " : ", beyond "), measure(bound);
  say("; "), say(count == 1 ? "once" : std::to_string(count) + " times");
  say(count == 1 ? ", at t = " : ", first at t = "), number(first), say(" s");
  if (saturates) say(", for "), number(duration), say(count == 1 ? " s" : " s in all");
  return said;
}

LimitMonitor::LimitMonitor(const Model& model, const Forces& forces, bool limits,
                           std::shared_ptr<MaximalJoints> absolute)
    : model_(model),
      forces_(&forces),
      kin_(model),
      places_(model),
      motors_{Vector(model.nv()), {}},
      absolute_(std::move(absolute)) {
  const bool motors = std::any_of(forces.list().begin(), forces.list().end(),
                                  [](const Force& force) { return force.actuator; });
  for (const ModelJoint& joint : model.joints()) {
    const auto add = [&](Violation::Kind kind, double lower, double upper) -> Watched& {
      Violation seen{.joint = joint.name, .kind = kind, .unit = unit_of(joint, kind)};
      return list_.emplace_back(
          Watched{std::move(seen), lower, upper, joint.q_index, joint.v_index, 0, 0, 0});
    };
    if (joint.limits && limits) {
      const JointLimits& l = *joint.limits;
      if (l.lower || l.upper)
        add(Violation::position, l.lower.value_or(-infinity), l.upper.value_or(infinity));
      if (l.velocity) add(Violation::velocity, -*l.velocity, *l.velocity);
      if (l.effort && motors) {
        add(Violation::effort, -*l.effort, *l.effort);
        efforts_ = true;
      }
    }
    if (joint.mimic) {
      Watched& w = add(Violation::mimic, 0, 0);
      w.other = model.joint(joint.mimic->joint).q_index;
      w.multiplier = joint.mimic->multiplier, w.offset = joint.mimic->offset;
    }
  }
  for (const Tendon& tendon : model.tendons()) {
    if (!tendon.range || !limits) continue;
    Violation seen{.joint = tendon.name,
                   .kind = Violation::length_range,
                   .unit = tendon.points.empty() ? "" : "m"};
    const auto [lower, upper] = *tendon.range;
    list_.emplace_back(Watched{std::move(seen), lower, upper, 0, 0, 0, 0, 0});
    list_.back().tendon.emplace(model, tendon, "tendon '" + tendon.name + "'");
  }
  for (const Force& force : forces.list())
    for (const Saturation& s : force.saturations) {
      Violation seen{.joint = s.actuator,
                     .kind = s.of_control ? Violation::control_range : Violation::force_range,
                     .unit = {}};
      list_.emplace_back(Watched{std::move(seen), s.lower, s.upper, 0, 0, 0, 0, 0});
      list_.back().demand = &s;
      efforts_ = true;
    }
}

const State& LimitMonitor::of_joints(const State& state) const {
  return absolute_ ? absolute_->at(state) : state;
}

double LimitMonitor::value(const Watched& w, const State& state) const {
  switch (w.seen.kind) {
    case Violation::position:
      return state.q[w.q];
    case Violation::velocity:
      return state.v[w.v];
    case Violation::effort:
      return motors_.tau[w.v];
    case Violation::force_range:
    case Violation::control_range:
      return w.demand->demand(at_, kin_);
    case Violation::length_range:
      forward_kinematics(model_, state.q, places_);
      return w.tendon->value(places_);
    case Violation::mimic:
      break;
  }
  return state.q[w.q] - (w.multiplier * state.q[w.other] + w.offset);
}

void LimitMonitor::take_efforts(double t, const State& state) {
  at_ = t;
  forward_kinematics(model_, state.q, state.v, kin_);
  motors_.tau.setZero();
  motors_.wrenches.clear();
  forces_->apply_motors(t, kin_, motors_);
}

void LimitMonitor::start(const State& given) {
  between_ = given;
  if (list_.empty()) return;
  const State& state = of_joints(given);
  for (Watched& w : list_) {
    w.seen.count = 0;
    w.excess = 0;
    w.beyond = false;
    w.seen.duration = 0, w.looked = given.t;
  }
  if (efforts_) take_efforts(state.t, state);
  look_at(state, nullptr, efforts_);
}

/// Whether the bound may have been passed within a step, from the states at its ends: for q by the cubic between them,
/// with a margin of a tenth for its error.
bool LimitMonitor::may_pass(const Watched& w, const State& a, const State& b) const {
  const double h = b.t - a.t;
  const auto beyond = [&](double low, double high) {
    const double margin = 0.1 * (high - low);
    return low - margin < w.lower || high + margin > w.upper;
  };
  const double v_0 = a.v[w.v], v_1 = b.v[w.v];
  if (w.seen.kind == Violation::position) {
    const auto [low, high] = range(a.q[w.q], v_0, b.q[w.q], v_1, h);
    return beyond(low, high);
  }
  if (w.seen.kind == Violation::velocity) {
    const double middle = 1.5 * (b.q[w.q] - a.q[w.q]) / h - 0.25 * (v_0 + v_1);
    return beyond(std::min({v_0, middle, v_1}), std::max({v_0, middle, v_1}));
  }
  return w.seen.kind == Violation::length_range;  // it is not known how it changes in between
}

void LimitMonitor::watch(const Integrator& integrator) {
  if (list_.empty()) return;
  before_ = of_joints(integrator.before()), after_ = of_joints(integrator.state());
  const State &a = before_, &b = after_;
  bool near = efforts_;
  for (const Watched& w : list_) near = near || may_pass(w, a, b);
  if (efforts_) {  // right limit: a signal may have jumped
    take_efforts(a.t, a);
    for (Watched& w : list_)
      if (w.needs_forces()) look(w, a.t, value(w, a), nullptr);
  }
  for (int i = 1; near && i <= points; ++i) {
    integrator.interpolate(a.t + (b.t - a.t) * i / (points + 1), between_);
    inside_ = of_joints(between_);
    if (efforts_) take_efforts(inside_.t, inside_);
    look_at(inside_, &integrator, efforts_);
  }
  if (efforts_) take_efforts(std::nextafter(b.t, a.t), b);  // left limit
  look_at(b, &integrator, efforts_);
}

void LimitMonitor::sample(const State& given) {
  if (list_.empty()) return;
  const State& state = of_joints(given);
  for (Watched& w : list_) {
    if (w.needs_forces()) continue;  // checked by watch()
    const double x = value(w, state);
    if (!w.is_beyond(x)) continue;
    if (w.seen.count == 0) w.seen.count = 1, w.seen.first = state.t;
    take_worst(w, state.t, x);
  }
}

void LimitMonitor::look_at(const State& state, const Integrator* integrator, bool efforts) {
  for (Watched& w : list_)
    if (!w.needs_forces() || efforts) look(w, state.t, value(w, state), integrator);
}

double LimitMonitor::Watched::excess_of(double value) const {
  return std::max(value - upper, lower - value);
}
bool LimitMonitor::Watched::is_beyond(double value) const {
  return excess_of(value) > slack(seen.kind, value > upper ? upper : lower);
}

void LimitMonitor::look(Watched& w, double t, double value, const Integrator* integrator) {
  const bool beyond = w.is_beyond(value);
  w.seen.duration += (t - w.looked) * (beyond + w.beyond) / 2;
  if (beyond && !w.beyond && ++w.seen.count == 1)
    w.seen.first = integrator != nullptr ? passing(w, w.looked, t, *integrator) : t;
  w.beyond = beyond;
  w.looked = t;
  if (beyond) take_worst(w, t, value);
}

void LimitMonitor::take_worst(Watched& w, double t, double value) {
  const double excess = w.excess_of(value);
  if (excess <= w.excess) return;
  w.excess = excess;
  w.seen.worst = value, w.seen.worst_time = t;
  w.seen.bound = value > w.upper ? w.upper : w.lower;
}

/// The time at which the bound was passed, between two times of the last step, by bisection.
double LimitMonitor::passing(const Watched& w, double inside, double beyond,
                             const Integrator& integrator) {
  State there = integrator.state();
  const Vector efforts = motors_.tau;  // restored below
  const double at = at_;
  const State now = {at, kin_.q(), kin_.v()};
  for (int i = 0; i < 40; ++i) {
    const double middle = 0.5 * (inside + beyond);
    integrator.interpolate(middle, there);
    const State& state = of_joints(there);
    if (w.needs_forces()) take_efforts(middle, state);
    (w.is_beyond(value(w, state)) ? beyond : inside) = middle;
  }
  if (w.needs_forces()) take_efforts(at, now);
  motors_.tau = efforts;
  return beyond;
}

std::vector<Violation> LimitMonitor::violations() const {
  std::vector<Violation> list;
  for (const Watched& w : list_)
    if (w.seen.count > 0) list.push_back(w.seen);
  return list;
}

}  // namespace chasles
