/// Springs, dampers, friction and motors in joints.
#include <cmath>

#include "simulation/force_parts.hpp"

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

/// What a force in a joint is to the whole.
Force in_joint(const std::string& what, const Model& model, const ModelJoint& joint, bool passive,
               ForceFunction add) {
  Force force{what, model, std::move(add)};
  force.internal = !model.on_ground(joint);
  force.passive = passive;
  return force;
}

/// Where a joint is from a place on its group: x = q - rest, or log(rest^-1 q) of a spherical one.
class Deviation {
 public:
  /// @throws Error if the joint has no such deviation
  Deviation(const std::string& what, const ModelJoint& joint)
      : q_index_(joint.q_index), size_(joint.nv), spherical_(joint.type == JointType::spherical) {
    if (joint.type == JointType::free)
      throw Error(what +
                  ": a free joint has no such force; use point_spring_damper or body_wrench");
  }
  int size() const { return size_; }

  /// @param rest  nq entries
  void operator()(const PositionKinematics& kin, const double* rest, double* x) const {
    const double* q = kin.q().data() + q_index_;
    if (spherical_) return of_rotation(q, rest, x);
    for (int k = 0; k < size_; ++k) x[k] = q[k] - rest[k];
  }

 private:
  /// The rotation vector of conj(r) q, whatever the lengths of the quaternions (w, x, y, z).
  static void of_rotation(const double* q, const double* r, double* x) {
    const Vec3 q_v{q[1], q[2], q[3]}, r_v{r[1], r[2], r[3]};
    const double w = r[0] * q[0] + dot(r_v, q_v);
    const Vec3 u = r[0] * q_v - q[0] * r_v - cross(r_v, q_v);
    const double s = norm(u), angle = 2 * std::atan2(w < 0 ? -s : s, std::abs(w));
    const double scale = s > 0 ? angle / s : 0;
    for (int k = 0; k < 3; ++k) x[k] = scale * u[k];
  }
  int q_index_, size_;
  bool spherical_;
};

std::vector<double> checked_rest(const std::string& what, const ModelJoint& joint,
                                 std::vector<double> rest) {
  if (rest.empty()) {
    rest.assign(static_cast<std::size_t>(joint.nq), 0);
    if (joint.type == JointType::spherical) rest[0] = 1;
  }
  if (rest.size() != static_cast<std::size_t>(joint.nq))
    throw SizeError(what + ": rest", rest.size(), static_cast<std::size_t>(joint.nq));
  for (const double value : rest) require_finite(what + ": rest", value);
  if (joint.type == JointType::spherical) {
    double square = 0;
    for (const double value : rest) square += value * value;
    if (std::abs(std::sqrt(square) - 1) > 1e-6)
      throw Error(what + ": rest " + tuple_text(rest) + " is not a unit quaternion");
  }
  return rest;
}

/// -stiffness (q - rest) - damping v as an expansion.
ExpandFunction linear(int at, int n, double stiffness, double damping, std::vector<double> rest) {
  return [=, rest = std::move(rest)](ForceExpansion& out) {
    for (int k = 0; k < n; ++k) {
      // Several springs in one joint: about the point where they pull nothing together.
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

/// Friction that sticks, each coordinate by itself.
Force sticking_friction(const std::string& what, const Model& model, const ModelJoint& joint,
                        const Friction& friction) {
  const double breakaway = friction.breakaway.value_or(friction.coulomb);
  require_not_negative(what, {{"viscous", friction.viscous}, {"coulomb", friction.coulomb}});
  if (!(breakaway >= friction.coulomb && std::isfinite(breakaway)))
    throw Error(what + ": breakaway " + to_text(breakaway) + " is less than coulomb, " +
                to_text(friction.coulomb) + "; give as much or more");
  if (joint.nq != joint.nv)
    throw Error(what +
                ": it cannot stick in a joint whose coordinates are no vector; leave stick out");
  std::vector<Stick> sticks;
  for (int k = joint.v_index; k < joint.v_index + joint.nv; ++k)
    sticks.push_back(
        {k, breakaway, std::make_shared<double>(std::numeric_limits<double>::quiet_NaN())});
  Force force = in_joint(
      what, model, joint, true, [=](double, const VelocityKinematics& kin, JointForces& out) {
        for (const Stick& s : sticks) {
          const double v = kin.v()[s.v];
          const double sense =
              std::isnan(*s.direction) ? std::tanh(v / friction.velocity) : *s.direction;
          out.tau[s.v] -= friction.viscous * v + friction.coulomb * sense;
        }
      });
  force.sticks = sticks;
  force.fresh = [=] { return joint_friction(model, joint.name, friction); };
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
  const int n = joint.nv, at = joint.v_index;
  Force force = in_joint(what, model, joint, true,
                         [=](double, const VelocityKinematics& kin, JointForces& out) {
                           double x[6];
                           deviation(kin, rest.data(), x);
                           for (int k = 0; k < n; ++k)
                             out.tau[at + k] -= stiffness * x[k] + damping * kin.v()[at + k];
                         });
  force.potential = [=](const PositionKinematics& kin) {
    double x[6], sum = 0;
    deviation(kin, rest.data(), x);
    for (int k = 0; k < n; ++k) sum += x[k] * x[k];
    return stiffness * sum / 2;
  };
  if (damping != 0)
    force.power = [=](double, const VelocityKinematics& kin) {
      return -damping * kin.v().segment(at, n).squaredNorm();
    };
  if (joint.nq == joint.nv) force.expand = linear(at, n, stiffness, damping, rest);
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
  const int n = joint.nv, at = joint.v_index;
  Force force = in_joint(
      what, model, joint, true, [=](double, const VelocityKinematics& kin, JointForces& out) {
        for (int k = at; k < at + n; ++k)
          out.tau[k] -= friction.viscous * kin.v()[k] +
                        friction.coulomb * std::tanh(kin.v()[k] / friction.velocity);
      });
  if (friction.coulomb == 0)
    force.expand = [=](ForceExpansion& out) {
      for (int k = at; k < at + n; ++k) out.damping[k] += friction.viscous;
    };
  return force;
}

std::vector<Force> joint_dynamics(const Model& model) {
  std::vector<Force> list;
  for (const ModelJoint& joint : model.joints())
    if (const JointDynamics& d = joint.dynamics; d.damping > 0 || d.friction > 0)
      list.push_back(
          joint_friction(model, joint.name, {.viscous = d.damping, .coulomb = d.friction}));
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
  if (joint.type == JointType::spherical)
    checked_rest(what, joint, {target[0](0), target[1](0), target[2](0), target[3](0)});
  Force force = in_joint(what, model, joint, false,
                         [=, n = joint.nv, at = joint.v_index](
                             double t, const VelocityKinematics& kin, JointForces& out) {
                           double x[6], goal[6];
                           for (std::size_t k = 0; k < target.size(); ++k) goal[k] = target[k](t);
                           deviation(kin, goal, x);
                           for (int k = 0; k < n; ++k)
                             out.tau[at + k] -= stiffness * x[k] + damping * kin.v()[at + k];
                         });
  force.next_break = next_break_of(target);
  if (joint.nq == joint.nv && forces::all_constant(target)) {
    std::vector<double> rest;
    rest.reserve(target.size());
    for (const Signal& signal : target) rest.push_back(signal(0));
    force.expand = linear(joint.v_index, joint.nv, stiffness, damping, std::move(rest));
  }
  return force;
}

Force joint_torque(const Model& model, std::string_view name, std::vector<Signal> value) {
  const ModelJoint& joint = model.joint(name);
  const std::string what = title("torque", joint);
  if (value.size() != static_cast<std::size_t>(joint.nv))
    throw SizeError(what + ": value", value.size(), static_cast<std::size_t>(joint.nv));
  Force force =
      in_joint(what, model, joint, false,
               [value, at = joint.v_index](double t, const VelocityKinematics&, JointForces& out) {
                 for (std::size_t k = 0; k < value.size(); ++k)
                   out.tau[at + static_cast<Eigen::Index>(k)] += value[k](t);
               });
  force.next_break = next_break_of(value);
  if (forces::all_constant(value))
    force.expand = [value, at = joint.v_index](ForceExpansion& out) {
      for (std::size_t k = 0; k < value.size(); ++k)
        out.constant[at + static_cast<Eigen::Index>(k)] += value[k](0);
    };
  return force;
}

}  // namespace chasles
