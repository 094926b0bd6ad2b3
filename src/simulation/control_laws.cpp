/// PD control, computed torque, gravity compensation.
#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "chasles/dynamics/mass_matrix.hpp"
#include "chasles/simulation/control.hpp"
#include "simulation/closed_actuation.hpp"

namespace chasles {
namespace {

/// The coordinates of some joints with their setpoints.
struct Followed {
  struct Coordinate {
    int q, v;           // indices into q and v of the model
    std::size_t joint;  // index in the list of joints
    Reference reference;
  };
  std::vector<Coordinate> list;

  Followed(const std::string& what, const Model& model, std::span<const std::string> joints,
           std::vector<Reference> reference) {
    for (std::size_t i = 0; i < joints.size(); ++i) {
      const ModelJoint& joint = model.joint(joints[i]);
      if (!joint.is_vector())
        throw Error(
            what + ": joint '" + joint.name +
            "' has quaternions, which no reference follows; pd_hold holds a spherical joint");
      for (const JointCoordinate& c : joint.coordinates)
        list.push_back({c.q_index, c.v_index, i, {}});
    }
    if (reference.size() != list.size())
      throw Error(what + ": reference has " + std::to_string(reference.size()) +
                  " entries; the joints have " + std::to_string(list.size()) + " coordinates");
    for (std::size_t i = 0; i < list.size(); ++i) list[i].reference = std::move(reference[i]);
  }
  Signal::Function next_break() const {
    return [list = list](double t) {
      double first = Signal::never;
      for (const Coordinate& c : list) first = std::min(first, c.reference.next_break(t));
      return first;
    };
  }
};

/// One gain for each joint.
std::vector<double> by_joint(const std::string& what, const char* name, std::vector<double> gains,
                             std::size_t joints) {
  if (gains.size() == 1) gains.resize(joints, gains[0]);
  if (gains.size() != joints)
    throw Error(what + ": " + name + " has " + std::to_string(gains.size()) +
                " entries; give one for all joints or one for each of " + std::to_string(joints));
  for (const double gain : gains)
    if (!(gain >= 0 && std::isfinite(gain)))
      throw Error(what + ": " + name + " " + to_text(gain) + " is not a gain; give 0 or more");
  return gains;
}

void require_joints(const std::string& what, std::span<const std::string> joints) {
  if (joints.empty()) throw Error(what + ": has no joints; name some (vector_joints has all)");
}

/// Indices into v of some joints.
std::vector<int> entries_of(const Model& model, std::span<const std::string> joints) {
  std::vector<int> entries;
  for (const std::string& name : joints) {
    const ModelJoint& joint = model.joint(name);
    for (int k = 0; k < joint.nv; ++k) entries.push_back(joint.v_index + k);
  }
  return entries;
}
/// Empty for a tree.
std::optional<ClosedActuation> actuation(const std::string& what, const Model& model,
                                         std::span<const std::string> joints,
                                         const Binding& binding) {
  if (!is_bound(model, binding.loops, binding.constraints)) return {};
  try {
    return ClosedActuation(model, binding, entries_of(model, joints));
  } catch (const Error& e) {
    throw Error(what + ": " + e.what());
  }
}

/// Gravity compensation: efforts that hold the mechanism still.
struct Gravity {
  std::optional<ClosedActuation> closed;
  InverseDynamics work;
  void operator()(double t, const VelocityKinematics& kin, VectorRef tau) {
    if (closed)
      closed->hold(t, kin, tau);
    else
      tau += gravity_forces(kin.model(), kin.q(), work);
  }
};

struct Pd {
  Followed followed;
  PdGains gains;
  std::optional<Gravity> gravity;

  void operator()(double t, const VelocityKinematics& kin, VectorRef tau) {
    for (const Followed::Coordinate& c : followed.list) {
      const Setpoint wanted = c.reference(t);
      const std::size_t i = c.joint;
      tau[c.v] = gains.stiffness[i] * (wanted.q - kin.q()[c.q]) +
                 gains.damping[i] * (wanted.v - kin.v()[c.v]) + gains.velocity[i] * wanted.v +
                 gains.acceleration[i] * wanted.a;
    }
    if (gravity) (*gravity)(t, kin, tau);
  }
};

/// (2) and (3) of control.hpp. Fully actuated, this is inverse dynamics.
struct ComputedTorque {
  Followed followed;
  std::optional<ClosedActuation> closed;
  std::vector<double> frequency, ratio;
  std::vector<int> free;  // indices into v not controlled by the law
  InverseDynamics inverse;
  MassMatrix mass;
  Vector a, force;       // nv; of the free entries
  Eigen::MatrixXd M_uu;  // of the free entries
  Eigen::LLT<Eigen::MatrixXd> factors;

  ComputedTorque(const Model& model, Followed f, std::optional<ClosedActuation> bound,
                 std::vector<double> w, std::vector<double> z)
      : followed(std::move(f)),
        closed(std::move(bound)),
        frequency(std::move(w)),
        ratio(std::move(z)),
        inverse(model),
        mass(model),
        a(model.nv()) {
    std::vector<bool> is_free(static_cast<std::size_t>(model.nv()), true);
    for (const Followed::Coordinate& c : followed.list)
      is_free[static_cast<std::size_t>(c.v)] = false;
    for (int k = 0; k < model.nv(); ++k)
      if (is_free[static_cast<std::size_t>(k)]) free.push_back(k);
    const auto n = static_cast<Eigen::Index>(free.size());
    force = Vector(n);
    M_uu.resize(n, n);
    // Allocates the factors and makes them valid before a copy.
    factors.compute(Eigen::MatrixXd::Identity(n, n));
  }

  void operator()(double t, const VelocityKinematics& kin, VectorRef tau) {
    const Model& model = kin.model();
    a.setZero();
    for (const Followed::Coordinate& c : followed.list) {
      const Setpoint wanted = c.reference(t);
      const double w = frequency[c.joint], z = ratio[c.joint];
      a[c.v] = wanted.a + 2 * z * w * (wanted.v - kin.v()[c.v]) + w * w * (wanted.q - kin.q()[c.q]);
    }
    if (closed) return closed->accelerate(t, kin, a, tau);
    if (!free.empty()) free_accelerations(model, kin);
    tau = inverse_dynamics(model, kin.q(), kin.v(), a, inverse);
  }
  /// (3): inverse dynamics with a_u = 0 gives h_u + M_uc a_c.
  void free_accelerations(const Model& model, const VelocityKinematics& kin) {
    const Vector& without = inverse_dynamics(model, kin.q(), kin.v(), a, inverse);
    const Matrix& M = mass_matrix(model, kin.q(), mass);
    const auto n = static_cast<Eigen::Index>(free.size());
    const auto at = [&](Eigen::Index i) { return free[static_cast<std::size_t>(i)]; };
    for (Eigen::Index i = 0; i < n; ++i) {
      force[i] = -without[at(i)];
      for (Eigen::Index j = 0; j < n; ++j) M_uu(i, j) = M(at(i), at(j));
    }
    factors.compute(M_uu);
    factors.solveInPlace(force);
    for (Eigen::Index i = 0; i < n; ++i) a[at(i)] = force[i];
  }
};

}  // namespace

Controller pd_control(const Model& model, std::vector<std::string> joints,
                      std::vector<Reference> reference, PdGains gains, const Binding& binding) {
  const std::string what = "PD control";
  require_joints(what, joints);
  Followed followed(what, model, joints, std::move(reference));
  const std::pair<const char*, std::vector<double>*> all[] = {
      {"stiffness", &gains.stiffness},
      {"damping", &gains.damping},
      {"velocity", &gains.velocity},
      {"acceleration", &gains.acceleration}};
  for (const auto& [name, gain] : all)
    *gain = by_joint(what, name, std::move(*gain), joints.size());
  Signal::Function next_break = followed.next_break();
  LinearGains linear{Vector(model.nv()), Vector(model.nv())};
  for (const Followed::Coordinate& at : followed.list) {
    linear.stiffness[at.v] = gains.stiffness[at.joint];
    linear.damping[at.v] = gains.damping[at.joint];
  }
  std::optional<Gravity> gravity;
  if (gains.gravity)
    gravity = Gravity{actuation(what, model, joints, binding), InverseDynamics(model)};
  std::vector<std::string> notes;
  if (gravity && gravity->closed) notes = gravity->closed->remarks(true);
  Controller c{what, model, Pd{std::move(followed), std::move(gains), std::move(gravity)}};
  c.notes = std::move(notes);
  c.joints = std::move(joints);
  c.next_break = std::move(next_break);
  c.gains = std::move(linear);
  return c;
}

Controller computed_torque(const Model& model, std::vector<std::string> joints,
                           std::vector<Reference> reference, std::vector<double> frequency,
                           std::vector<double> ratio, const Binding& binding) {
  const std::string what = "computed torque";
  require_joints(what, joints);
  Followed followed(what, model, joints, std::move(reference));
  frequency = by_joint(what, "frequency", std::move(frequency), joints.size());
  ratio = by_joint(what, "ratio", std::move(ratio), joints.size());
  Signal::Function next_break = followed.next_break();
  std::optional<ClosedActuation> closed = actuation(what, model, joints, binding);
  std::vector<std::string> notes;
  if (closed) notes = closed->remarks(false);
  Controller c{what, model,
               ComputedTorque(model, std::move(followed), std::move(closed), std::move(frequency),
                              std::move(ratio))};
  c.notes = std::move(notes);
  c.joints = std::move(joints);
  c.next_break = std::move(next_break);
  return c;
}

Controller gravity_compensation(const Model& model, std::vector<std::string> joints,
                                const Binding& binding) {
  const std::string what = "gravity compensation";
  require_joints(what, joints);
  Gravity law{actuation(what, model, joints, binding), InverseDynamics(model)};
  std::vector<std::string> notes;
  if (law.closed) notes = law.closed->remarks(true);
  Controller c{what, model, std::move(law)};
  c.notes = std::move(notes);
  c.joints = std::move(joints);
  return c;
}

}  // namespace chasles
