#include "chasles/simulation/stops.hpp"

#include <algorithm>
#include <cmath>

#include "chasles/dynamics/mass_matrix.hpp"
#include "chasles/simulation/run_event.hpp"
#include "simulation/force_parts.hpp"
#include "simulation/tangent_parts.hpp"
#include "simulation/tendon_length.hpp"

namespace chasles {
namespace {

bool has_limits(const ModelJoint& joint) {
  return joint.limits && (joint.limits->lower || joint.limits->upper);
}

/// The limits of a joint with one coordinate.
struct Range {
  int q, v;
  double lower, upper;

  explicit Range(const ModelJoint& joint)
      : q(joint.q_index),
        v(joint.v_index),
        lower(joint.limits->lower.value_or(-Signal::never)),
        upper(joint.limits->upper.value_or(Signal::never)) {}
  /// The penetration x, and the sign of the limit that is passed.
  std::pair<double, double> beyond(const PositionKinematics& kin) const {
    const double at = kin.q()[q];
    if (at > upper) return {at - upper, 1};
    if (at < lower) return {lower - at, -1};
    return {0, 0};
  }
};

/// (1), and its partial derivatives.
struct Push {
  double f, by_x, by_x_dot;

  Push(const Stop& stop, double x, double x_dot) {
    const double u = std::min(x / stop.depth, 1.0), s = u * u * (3 - 2 * u);
    const double e = stop.stiffness * x, b = stop.damping * u * u * (3 - 2 * u) * x_dot;
    const bool in = b >= 0;
    f = in ? e + b : e > 0 ? e * e / (e - b) : 0;
    // Partial derivatives by e and by b.
    const double part = in ? 1 : e > 0 ? e / (e - b) : 0;
    const double by_e = in ? 1 : part * (2 - part), by_b = part * part;
    by_x = by_e * stop.stiffness + by_b * stop.damping * 6 * u * (1 - u) / stop.depth * x_dot;
    by_x_dot = by_b * stop.damping * s;
  }
};

struct StopLaw {
  Range range;
  Stop stop;

  void operator()(double, const VelocityKinematics& kin, JointForces& out) const {
    const auto [x, sign] = range.beyond(kin);
    if (x > 0) out.tau[range.v] -= sign * Push(stop, x, sign * kin.v()[range.v]).f;
  }
  void tangent(double, const VelocityKinematics& kin, ForceTangent& out) const {
    const auto [x, sign] = range.beyond(kin);
    if (!(x > 0)) return;
    const Push push(stop, x, sign * kin.v()[range.v]);
    forces::add_entry(out, range.v, push.by_x, push.by_x_dot);
  }
  double potential(const PositionKinematics& kin) const {
    const double x = range.beyond(kin).first;
    return stop.stiffness * x * x / 2;
  }
  double power(double, const VelocityKinematics& kin) const {
    const auto [x, sign] = range.beyond(kin);
    const double x_dot = sign * kin.v()[range.v];
    return x > 0 ? (stop.stiffness * x - Push(stop, x, x_dot).f) * x_dot : 0.0;
  }
};

/// (1) along the length of a tendon.
struct TendonStopLaw {
  forces::TendonLength length;
  std::array<double, 2> range;
  Stop stop;

  std::pair<double, double> beyond(const PositionKinematics& kin) const {
    const double l = length.value(kin);
    if (l > range[1]) return {l - range[1], 1};
    if (l < range[0]) return {range[0] - l, -1};
    return {0, 0};
  }
  void operator()(double, const VelocityKinematics& kin, JointForces& out) const {
    const auto [x, sign] = beyond(kin);
    if (x > 0) length.push(kin, -sign * Push(stop, x, sign * length.rate(kin)).f, out);
  }
  void tangent(double, const VelocityKinematics& kin, ForceTangent& out) const {
    const auto [x, sign] = beyond(kin);
    if (!(x > 0)) return;
    const Push push(stop, x, sign * length.rate(kin));
    length.tangent(kin, -sign * push.f, push.by_x, push.by_x_dot, out);
  }
  double potential(const PositionKinematics& kin) const {
    const double x = beyond(kin).first;
    return stop.stiffness * x * x / 2;
  }
  double power(double, const VelocityKinematics& kin) const {
    const auto [x, sign] = beyond(kin);
    const double x_dot = sign * length.rate(kin);
    return x > 0 ? (stop.stiffness * x - Push(stop, x, x_dot).f) * x_dot : 0.0;
  }
};

void check_stop(const std::string& what, const Stop& stop) {
  forces::require_not_negative(what, {{"stiffness", stop.stiffness}, {"damping", stop.damping}});
  if (!(stop.depth > 0 && std::isfinite(stop.depth)))
    throw Error(what + ": depth " + to_text(stop.depth) + " is not positive");
}

/// dl/dq: the rates of the length for unit velocities.
Eigen::VectorXd length_gradient(const Model& model, ConstVectorRef q, const Tendon& tendon) {
  const forces::TendonLength length(model, tendon, "tendon '" + tendon.name + "'");
  VelocityKinematics kin(model);
  Vector v(model.nv());
  Eigen::VectorXd g(model.nv());
  for (int k = 0; k < model.nv(); ++k) {
    v.setZero();
    v[k] = 1;
    forward_kinematics(model, q, v, kin);
    g[k] = length.rate(kin);
  }
  return g;
}

}  // namespace

Force tendon_stop(const Model& model, const Tendon& tendon, const Stop& stop) {
  const std::string what = "stop of tendon '" + tendon.name + "'";
  if (!tendon.range) throw Error(what + ": it has no range of lengths; give it one in the model");
  check_stop(what, stop);
  const forces::TendonLength length(model, tendon, what);
  Force force{what, model, TendonStopLaw{length, *tendon.range, stop}};
  force.internal = length.is_internal();
  force.actuator = false;
  if (!length.has_tangent()) force.law.tangent = {};
  return force;
}

Force joint_stop(const Model& model, std::string_view name, const Stop& stop) {
  const ModelJoint& joint = model.joint(name);
  const std::string what = "stop of joint '" + joint.name + "'";
  if (!has_limits(joint))
    throw Error(what + ": the joint has no limits of position; give it some in the model");
  check_stop(what, stop);
  Force force{what, model, StopLaw{Range(joint), stop}};
  force.internal = !model.on_ground(joint);
  force.actuator = false;
  return force;
}

void RigidStops::check() const {
  if (!(restitution >= 0 && restitution <= 1))
    throw Error("stops: restitution " + to_text(restitution) + " is out of range; give 0 to 1");
  if (!(rest_velocity > 0 && std::isfinite(rest_velocity)))
    throw Error("stops: rest_velocity " + to_text(rest_velocity) +
                " is not positive; bounces would never end");
}

std::vector<Force> soft_stops(const Model& model, ConstVectorRef q, const SoftStops& stops) {
  if (!(stops.time > 0 && std::isfinite(stops.time)))
    throw Error("stops: time " + to_text(stops.time) + " is not positive; give seconds");
  forces::require_not_negative("stops", {{"damping_ratio", stops.ratio}});
  std::vector<Force> list;
  std::optional<MassMatrixInverse> inverse;
  const auto M_inv = [&]() -> const auto& {
    if (!inverse) mass_matrix_inverse(model, q, inverse.emplace(model));
    return inverse->M_inv;
  };
  const bool needs_inertia = !stops.stiffness || !stops.damping;
  const auto stop_of = [&](double I) {
    const double k = stops.stiffness.value_or(I / (stops.time * stops.time));
    return Stop{k, stops.damping.value_or(2 * stops.ratio * std::sqrt(k * I)), stops.depth};
  };
  for (const ModelJoint& joint : model.joints())
    if (has_limits(joint))
      list.push_back(
          joint_stop(model, joint.name,
                     stop_of(needs_inertia ? 1 / M_inv()(joint.v_index, joint.v_index) : 0)));
  for (const Tendon& tendon : model.tendons()) {
    if (!tendon.range) continue;
    double I = 0;
    if (needs_inertia) {
      const Eigen::VectorXd g = length_gradient(model, q, tendon);
      const double compliance = g.dot(M_inv() * g);
      if (!(compliance > 0))
        throw Error("stop of tendon '" + tendon.name +
                    "': at the start no joint changes its length; give stiffness and damping");
      I = 1 / compliance;
    }
    list.push_back(tendon_stop(model, tendon, stop_of(I)));
  }
  return list;
}

RunEvent impact_event(const Model& model, std::string name, std::string_view joint_name,
                      double level, IntegratorEvent::Direction direction, double restitution,
                      int coordinate) {
  const ModelJoint& joint = model.joint(joint_name);
  const std::string what = "event '" + name + "'";
  if (coordinate < 0 || coordinate >= joint.nq)
    throw Error(what + ": coordinate " + std::to_string(coordinate) + " of joint '" + joint.name +
                "': there are " + std::to_string(joint.nq) + ", from 0");
  const JointCoordinate& c = joint.coordinate_of_q(joint.q_index + coordinate);
  if (!c.is_scalar())
    throw Error(what + ": coordinate " + std::to_string(coordinate) + " of joint '" + joint.name +
                "' is neither an angle nor a distance, so nothing bounces in it");
  if (!(restitution >= 0 && restitution <= 1))
    throw Error(what + ": impact " + to_text(restitution) +
                " is not a coefficient of restitution; give 0 to 1");
  require_known(direction);
  if (direction == IntegratorEvent::both)
    throw Error(what +
                ": an impact needs a direction; give up or down, where the joint comes from");
  if (!std::isfinite(level)) throw Error(what + ": level " + to_text(level) + " is not finite");
  const int q = c.q_index;
  RunEvent event{
      {std::move(name), [q, level](const State& s) { return s.q[q] - level; }, direction},
      RunEvent::impact};
  event.hit = {c.v_index, level, restitution, direction == IntegratorEvent::rising};
  return event;
}

}  // namespace chasles
