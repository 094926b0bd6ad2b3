/// Springs, dampers, friction and motors in joints.
#include <algorithm>
#include <cmath>

#include "chasles/simulation/element_forces.hpp"
#include "simulation/force_parts.hpp"
#include "simulation/series_parts.hpp"
#include "simulation/tangent_parts.hpp"

namespace chasles {
namespace {

std::string title(const char* kind, const ModelJoint& joint) {
  return std::string(kind) + " of joint '" + joint.name + "'";
}

using forces::next_break_of;
using forces::require_not_negative;

void require_finite(const std::string& what, double value) {
  if (!std::isfinite(value)) throw Error(what + ": " + to_text(value) + " is not a finite number");
}

/// A force in a joint: internal unless the joint connects to ground.
Force in_joint(const std::string& what, const Model& model, const ModelJoint& joint, bool actuator,
               ForceLaw law) {
  Force force{what, model, std::move(law)};
  force.internal = !model.on_ground(joint);
  force.actuator = actuator;
  return force;
}

/// Largest number of entries of q of a spring: four elementary motions, each at most a quaternion.
constexpr std::size_t most_entries = 16;

/// Joint displacement from its rest position, coordinate by coordinate: x = q - rest for an angle or a distance,
/// log(rest^-1 q) for a quaternion. Rest positions have nq entries.
class Deviation {
 public:
  /// @throws Error if the joint has no such deviation
  Deviation(const std::string& what, const ModelJoint& joint)
      : q_(joint.q_index), v_(joint.v_index), size_(joint.nv), coordinates_(joint.coordinates) {
    if (joint.has_position())
      throw Error(what +
                  ": a floating joint has no such force; use point_spring_damper or body_wrench");
  }
  /// |x|^2.
  double square(const PositionKinematics& kin, const double* rest) const {
    double x[most_entries], sum = 0;
    from(kin, rest, x);
    for (int k = 0; k < size_; ++k) sum += x[k] * x[k];
    return sum;
  }
  /// |v|^2 of the joint.
  double velocity_square(const VelocityKinematics& kin) const {
    return kin.v().segment(v_, size_).squaredNorm();
  }
  /// tau -= stiffness x + damping v.
  void pull(const VelocityKinematics& kin, const double* rest, double stiffness, double damping,
            Vector& tau) const {
    double x[most_entries];
    from(kin, rest, x);
    for (int k = 0; k < size_; ++k) tau[v_ + k] -= stiffness * x[k] + damping * kin.v()[v_ + k];
  }
  /// The partial derivatives of `pull`: along q exp(dq), dx = dexp_{-x}^-1 dq.
  void tangent(const PositionKinematics& kin, const double* rest, double stiffness, double damping,
               ForceTangent& out) const {
    double x[most_entries];
    from(kin, rest, x);
    for (const JointCoordinate& c : coordinates_)
      if (c.is_scalar())
        forces::add_entry(out, c.v_index, stiffness, damping);
      else
        add_rotation(x + c.v_index - v_, c.v_index, stiffness, damping, out);
  }

 private:
  static void add_rotation(const double* x, int v, double stiffness, double damping,
                           ForceTangent& out) {
    const auto dx = lie::dexp_inv(Vec3{-x[0], -x[1], -x[2]});
    ForceTangent::JointBlock& block = out.joints.emplace_back();
    block.v = v, block.size = 3;
    for (int j = 0; j < 3; ++j) {
      Vec3 unit;
      unit[j] = 1;
      const Vec3 column = dx(unit);
      for (int i = 0; i < 3; ++i) block.K[3 * i + j] = stiffness * column[i];
      block.D[4 * j] = damping;
    }
  }
  void from(const PositionKinematics& kin, const double* rest, double* x) const {
    for (const JointCoordinate& c : coordinates_) {
      const double *q = kin.q().data() + c.q_index, *r = rest + c.q_index - q_;
      double* out = x + c.v_index - v_;
      if (c.is_scalar())
        out[0] = q[0] - r[0];
      else
        of_rotation(q, r, out);
    }
  }
  /// The rotation vector of conj(r) q, for quaternions (w, x, y, z) of any length.
  static void of_rotation(const double* q, const double* r, double* x) {
    const Vec3 q_v{q[1], q[2], q[3]}, r_v{r[1], r[2], r[3]};
    const double w = r[0] * q[0] + dot(r_v, q_v);
    const Vec3 u = r[0] * q_v - q[0] * r_v - cross(r_v, q_v);
    const double s = norm(u), angle = 2 * std::atan2(w < 0 ? -s : s, std::abs(w));
    const double scale = s > 0 ? angle / s : 0;
    for (int k = 0; k < 3; ++k) x[k] = scale * u[k];
  }
  int q_, v_, size_;
  std::vector<JointCoordinate> coordinates_;
};

std::vector<double> checked_rest(const std::string& what, const ModelJoint& joint,
                                 std::vector<double> rest) {
  const auto quaternion = [&](const JointCoordinate& c) {
    return c.kind == CoordinateKind::quaternion ? rest.data() + c.q_index - joint.q_index : nullptr;
  };
  if (rest.empty()) {
    rest.assign(static_cast<std::size_t>(joint.nq), 0);
    for (const JointCoordinate& c : joint.coordinates)
      if (double* p = quaternion(c)) p[0] = 1;
  }
  if (rest.size() != static_cast<std::size_t>(joint.nq))
    throw SizeError(what + ": rest", rest.size(), static_cast<std::size_t>(joint.nq));
  for (const double value : rest) require_finite(what + ": rest", value);
  for (const JointCoordinate& c : joint.coordinates)
    if (const double* p = quaternion(c))
      if (const double length = std::hypot(std::hypot(p[0], p[1]), std::hypot(p[2], p[3]));
          !(std::abs(length - 1) <= 1e-6))
        throw Error(what + ": rest " + tuple_text(std::span(p, 4)) + " is not a unit quaternion");
  return rest;
}

/// -stiffness (q - rest) - damping v as an expansion.
ExpandFunction linear(int at, int n, double stiffness, double damping, std::vector<double> rest) {
  return [=, rest = std::move(rest)](ForceExpansion& out) {
    for (int k = 0; k < n; ++k) {
      // Several springs in one joint: combined about their common equilibrium.
      const double both = out.stiffness[at + k] + stiffness;
      if (stiffness > 0)
        out.rest[at + k] = (out.stiffness[at + k] * out.rest[at + k] +
                            stiffness * rest[static_cast<std::size_t>(k)]) /
                           both;
      out.stiffness[at + k] = both;
      out.damping[at + k] += damping;
    }
  };
}

struct JointSpring {
  Deviation deviation;
  double stiffness, damping;
  std::vector<double> rest;

  void operator()(double, const VelocityKinematics& kin, JointForces& out) const {
    deviation.pull(kin, rest.data(), stiffness, damping, out.tau);
  }
  void tangent(double, const VelocityKinematics& kin, ForceTangent& out) const {
    deviation.tangent(kin, rest.data(), stiffness, damping, out);
  }
  double potential(const PositionKinematics& kin) const {
    return stiffness * deviation.square(kin, rest.data()) / 2;
  }
  double power(double, const VelocityKinematics& kin) const {
    return -damping * deviation.velocity_square(kin);
  }
};

struct Hold {
  Deviation deviation;
  double stiffness, damping;
  std::vector<Signal> target;

  std::array<double, most_entries> goal(double t) const {
    std::array<double, most_entries> x{};
    for (std::size_t k = 0; k < target.size(); ++k) x[k] = target[k](t);
    return x;
  }
  void operator()(double t, const VelocityKinematics& kin, JointForces& out) const {
    deviation.pull(kin, goal(t).data(), stiffness, damping, out.tau);
  }
  void tangent(double t, const VelocityKinematics& kin, ForceTangent& out) const {
    deviation.tangent(kin, goal(t).data(), stiffness, damping, out);
  }
};

/// Hold in a joint with q' = v, and torques: along a motion, with signals that have expansions.
struct HoldSeries {
  int q, v;
  double stiffness, damping;
  std::vector<Signal> target;

  void add(forces::MotionSeries& motion, VectorRef tau) const {
    for (int k = 0; k < static_cast<int>(target.size()); ++k) {
      const PowerSeries goal = forces::signal_series(target[static_cast<std::size_t>(k)], motion);
      forces::add_to(tau, v + k, stiffness * (goal - motion.q(q + k)) - damping * motion.v(v + k),
                     motion);
    }
  }
};
struct TorqueSeries {
  int v;
  std::vector<Signal> value;

  void add(forces::MotionSeries& motion, VectorRef tau) const {
    for (int k = 0; k < static_cast<int>(value.size()); ++k)
      forces::add_to(tau, v + k, forces::signal_series(value[static_cast<std::size_t>(k)], motion),
                     motion);
  }
};

/// -viscous v - coulomb tanh(v / velocity) in each of n entries.
struct SmoothFriction {
  int at, n;
  double viscous, coulomb, velocity;

  void operator()(double, const VelocityKinematics& kin, JointForces& out) const {
    for (int k = at; k < at + n; ++k)
      out.tau[k] -= viscous * kin.v()[k] + coulomb * std::tanh(kin.v()[k] / velocity);
  }
  void tangent(double, const VelocityKinematics& kin, ForceTangent& out) const {
    for (int k = at; k < at + n; ++k)
      forces::add_entry(out, k, 0, viscous + coulomb * tanh_rate(kin.v()[k] / velocity) / velocity);
  }
  void add(forces::MotionSeries& motion, VectorRef tau) const {
    for (int k = at; k < at + n; ++k) {
      const PowerSeries v = motion.v(k);
      forces::add_to(tau, k, -viscous * v - coulomb * tanh(1 / velocity * v), motion);
    }
  }
  /// sech^2(x), without overflow.
  static double tanh_rate(double x) {
    const double e = std::exp(-std::abs(x)), sech = 2 * e / (1 + e * e);
    return sech * sech;
  }
};

/// Coulomb friction whose sign is set by a Simulation; smooth without one.
struct StickingFriction {
  std::vector<Stiction> sticks;
  double viscous, coulomb, velocity;

  void operator()(double, const VelocityKinematics& kin, JointForces& out) const {
    for (const Stiction& s : sticks) {
      const double v = kin.v()[s.v];
      const double sense = std::isnan(*s.direction) ? std::tanh(v / velocity) : *s.direction;
      out.tau[s.v] -= viscous * v + coulomb * sense;
    }
  }
  void tangent(double, const VelocityKinematics& kin, ForceTangent& out) const {
    for (const Stiction& s : sticks) {
      const double smooth =
          std::isnan(*s.direction) ? SmoothFriction::tanh_rate(kin.v()[s.v] / velocity) : 0;
      forces::add_entry(out, s.v, 0, viscous + coulomb * smooth / velocity);
    }
  }
};

Force sticking_friction(const std::string& what, const Model& model, const ModelJoint& joint,
                        const Friction& friction) {
  const double breakaway = friction.breakaway.value_or(friction.coulomb);
  require_not_negative(what, {{"viscous", friction.viscous}, {"coulomb", friction.coulomb}});
  if (!(breakaway >= friction.coulomb && std::isfinite(breakaway)))
    throw Error(what + ": breakaway " + to_text(breakaway) + " is less than coulomb, " +
                to_text(friction.coulomb) + "; give as much or more");
  if (!joint.is_vector())
    throw Error(
        what +
        ": it cannot stick in a joint whose coordinates do not form a vector; leave stick out");
  std::vector<Stiction> sticks;
  for (int k = joint.v_index; k < joint.v_index + joint.nv; ++k)
    sticks.push_back(
        {k, breakaway, std::make_shared<double>(std::numeric_limits<double>::quiet_NaN())});
  Force force =
      in_joint(what, model, joint, false,
               StickingFriction{sticks, friction.viscous, friction.coulomb, friction.velocity});
  force.sticks = std::move(sticks);
  force.memory = {[=] { return joint_friction(model, joint.name, friction); }};
  return force;
}

}  // namespace

Force joint_spring_damper(const Model& model, std::string_view name, double stiffness,
                          double damping, std::vector<double> rest) {
  const ModelJoint& joint = model.joint(name);
  const std::string what = title("spring and damper", joint);
  require_not_negative(what, {{"stiffness", stiffness}, {"damping", damping}});
  const Deviation deviation(what, joint);
  rest = checked_rest(what, joint, std::move(rest));
  Force force =
      in_joint(what, model, joint, false, JointSpring{deviation, stiffness, damping, rest});
  if (damping == 0) force.law.power = {};
  if (joint.is_vector())
    force.law.expand = linear(joint.v_index, joint.nv, stiffness, damping, std::move(rest));
  return force;
}

Force joint_friction(const Model& model, std::string_view name, const Friction& friction) {
  const ModelJoint& joint = model.joint(name);
  const std::string what = title("friction", joint);
  if (friction.stick) return sticking_friction(what, model, joint, friction);
  if (friction.breakaway)
    throw Error(what + ": breakaway: only of friction that sticks; give stick, too");
  require_not_negative(what, {{"viscous", friction.viscous}, {"coulomb", friction.coulomb}});
  if (!(friction.velocity > 0 && std::isfinite(friction.velocity)))
    throw Error(what + ": velocity " + to_text(friction.velocity) +
                " is not positive; give the velocity below which dry friction is smooth");
  Force force = in_joint(what, model, joint, false,
                         SmoothFriction{joint.v_index, joint.nv, friction.viscous, friction.coulomb,
                                        friction.velocity});
  if (friction.coulomb == 0)
    force.law.expand = [at = joint.v_index, n = joint.nv, c = friction.viscous](auto& out) {
      out.damping.segment(at, n).array() += c;
    };
  else
    force.law.expand = forces::series_of(SmoothFriction{joint.v_index, joint.nv, friction.viscous,
                                                        friction.coulomb, friction.velocity},
                                         false);
  return force;
}

std::vector<Force> joint_dynamics(const Model& model) {
  std::vector<Force> list;
  for (const ModelJoint& joint : model.joints()) {
    const JointDynamics& d = joint.dynamics;
    if (d.damping > 0 || d.friction > 0)
      list.push_back(
          joint_friction(model, joint.name, {.viscous = d.damping, .coulomb = d.friction}));
    if (d.stiffness > 0)
      list.push_back(joint_spring_damper(model, joint.name, d.stiffness, 0, d.rest));
  }
  for (const ModelJoint& joint : model.joints())
    if (joint.dynamics.is_progressive()) list.push_back(joint_progressive(model, joint.name));
  for (const Tendon& tendon : model.tendons())
    if (tendon.acts()) list.push_back(tendon_force(model, tendon));
  return list;
}

Force pd_hold(const Model& model, std::string_view name, double stiffness, double damping,
              std::vector<Signal> target) {
  const ModelJoint& joint = model.joint(name);
  const std::string what = title("hold", joint);
  require_not_negative(what, {{"stiffness", stiffness}, {"damping", damping}});
  const Deviation deviation(what, joint);
  if (target.size() != static_cast<std::size_t>(joint.nq))
    throw SizeError(what + ": target", target.size(), static_cast<std::size_t>(joint.nq));
  std::vector<double> rest;
  rest.reserve(target.size());
  for (const Signal& signal : target) rest.push_back(signal(0));
  if (!joint.is_vector()) checked_rest(what, joint, rest);
  Force force = in_joint(what, model, joint, true, Hold{deviation, stiffness, damping, target});
  force.next_break = next_break_of(target);
  if (!joint.is_vector()) return force;
  if (forces::all_constant(target))
    force.law.expand = linear(joint.v_index, joint.nv, stiffness, damping, std::move(rest));
  else if (forces::all_expand(target))
    force.law.expand = forces::series_of(
        HoldSeries{joint.q_index, joint.v_index, stiffness, damping, target}, false);
  return force;
}

Force joint_torque(const Model& model, std::string_view name, std::vector<Signal> value) {
  const ModelJoint& joint = model.joint(name);
  const std::string what = title("torque", joint);
  if (value.size() != static_cast<std::size_t>(joint.nv))
    throw SizeError(what + ": value", value.size(), static_cast<std::size_t>(joint.nv));
  Force force =
      in_joint(what, model, joint, true,
               [value, at = joint.v_index](double t, const VelocityKinematics&, JointForces& out) {
                 for (std::size_t k = 0; k < value.size(); ++k)
                   out.tau[at + static_cast<Eigen::Index>(k)] += value[k](t);
               });
  force.law.tangent = forces::no_derivatives;
  force.next_break = next_break_of(value);
  if (forces::all_constant(value))
    force.law.expand = [value, at = joint.v_index](ForceExpansion& out) {
      for (std::size_t k = 0; k < value.size(); ++k)
        out.constant[at + static_cast<Eigen::Index>(k)] += value[k](0);
    };
  else if (forces::all_expand(value))
    force.law.expand = forces::series_of(TorqueSeries{joint.v_index, value}, false);
  return force;
}

}  // namespace chasles
