/// A force as a value: its law (ForceLaw), its discontinuities, its internal state (ForceMemory), and the queries
/// of a run to contacts (ContactQuery) and to dry friction (Stiction).
///
///     Force wind{"wind", model, [](double t, const VelocityKinematics& kin, JointForces& out) {
///                  out.tau[0] += std::sin(t) - 0.1 * kin.v()[0];
///                }};
#pragma once

#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "chasles/export.hpp"
#include "chasles/simulation/signal.hpp"
#include "chasles/systems/force_tangent.hpp"
#include "chasles/systems/model_system.hpp"

namespace chasles CHASLES_API {

/// The law of a force. Made from any function object; its members tangent, potential, power and expand, if present,
/// are used as well. Each function below holds a copy of the object.
///
///     struct Drag {
///       void operator()(double, const VelocityKinematics& kin, JointForces& out) const {
///         out.tau[0] -= kin.v()[0] * std::abs(kin.v()[0]);
///       }
///       void tangent(double, const VelocityKinematics& kin, ForceTangent& out) const {
///         ForceTangent::JointBlock block{0, 1};
///         block.D[0] = 2 * std::abs(kin.v()[0]);
///         out.joints.push_back(block);
///       }
///     };
///     forces.add({"drag", model, Drag{}});
struct ForceLaw {
  /// Adds joint forces and wrenches at (t, q, v).
  ForceFunction add;
  /// Partial derivatives; empty: unknown.
  TangentFunction tangent{};
  /// Stored energy [J]; empty: none.
  std::function<double(const PositionKinematics& kin)> potential{};
  /// P in forces.hpp (1) [W]. Empty: zero if the force stores energy; otherwise the power of everything `add` adds.
  std::function<double(double t, const VelocityKinematics& kin)> power{};
  /// Adds its Taylor expansion in time (ForceExpansion), for the method `taylor`; empty: not available.
  ExpandFunction expand{};

  ForceLaw() = default;
  template <std::convertible_to<ForceFunction> F>
  ForceLaw(F law);
};

struct Force;
struct Controller;

/// Internal state of a force besides (q, v). Copies of a force share it.
struct ForceMemory {
  /// The force in its initial state, before any sample; a Simulation runs this one. Empty: the force itself.
  std::function<Force()> fresh;
  /// Sampled forces (control.hpp): reads the state at the start and at every break of all forces.
  std::function<void(double t, const VelocityKinematics& kin)> sample{};
};

/// Queries of a run to a contact (contact.hpp) besides its force.
struct ContactQuery {
  std::string name;
  struct Gap {
    double distance;  // [m] signed, to the nearest point; negative: penetration
    double rate;      // [m/s]
    double speed;     // relative speed of the two surfaces at that point [m/s]
    double fastest;   // upper bound of that speed over all contact points
  };
  std::function<Gap(const VelocityKinematics& kin)> gap;
  std::function<double(const VelocityKinematics& kin)> normal_force;  // summed over all points [N]
  struct Push {
    Vec3 force;  // on the body with the contact points, in world axes [N]
    Vec3
        point;  // mean of the loaded points weighted by normal force; if none is loaded, the nearest [m]
  };
  std::function<Push(const VelocityKinematics& kin)> push;
  double span = 0;  // distance between the centers at touching [m]; 0: contact with a plane
};

/// Dry friction with sticking in one coordinate: the run decides whether it slides and in which direction.
struct Stiction {
  int v;             // entry of v
  double breakaway;  // largest effort that it withstands while sticking [N m] or [N]
  std::shared_ptr<double>
      direction;  // sliding direction, 1 or -1; 0: sticking; NaN: not managed by a run
};

/// What is asked of a limited actuator; a run reports when and for how long that is beyond the limits.
struct Saturation {
  std::string actuator;
  bool of_control;  // of the control u; otherwise of the force
  double lower, upper;
  std::function<double(double t, const VelocityKinematics& kin)> demand;  // before it is limited
};

/// A force acting on a model.
struct Force {
  std::string name;  // for messages: "spring of joint 'shoulder'"
  Model model;       // whose joints and bodies it acts on
  ForceLaw law;
  /// The first time after t at which the force is not smooth (Signal::next_break); empty: smooth everywhere.
  Signal::Function next_break{};
  bool internal = false;  // acts between bodies of the model only: its wrenches sum up to zero
  bool actuator = true;   // counts toward the effort limits of joints
  std::optional<ForceMemory> memory{};
  /// Contacts only: a run ends steps where the gap passes zero, since the force is not smooth there.
  std::optional<ContactQuery> touch{};
  /// Dry friction only: a Simulation sets the directions.
  std::vector<Stiction> sticks{};
  /// Actuators with ranges only.
  std::vector<Saturation> saturations{};
  /// The controller that the force was made from; null: none.
  std::shared_ptr<const Controller> controller{};
};

template <std::convertible_to<ForceFunction> F>
ForceLaw::ForceLaw(F law) {
  using Kin = const VelocityKinematics&;
  constexpr bool tangents = requires(const F& f, Kin kin, ForceTangent& out) {
    f.tangent(0.0, kin, out);
  };
  constexpr bool stores = requires(const F& f, const PositionKinematics& kin) { f.potential(kin); };
  constexpr bool works = requires(const F& f, Kin kin) { f.power(0.0, kin); };
  constexpr bool expands = requires(const F& f, ForceExpansion& out) { f.expand(out); };
  if constexpr (tangents)
    tangent = [law](double t, Kin kin, ForceTangent& out) { law.tangent(t, kin, out); };
  if constexpr (stores)
    potential = [law](const PositionKinematics& kin) { return law.potential(kin); };
  if constexpr (works) power = [law](double t, Kin kin) { return law.power(t, kin); };
  if constexpr (expands) expand = [law](ForceExpansion& out) { law.expand(out); };
  add = std::move(law);
}

}  // namespace CHASLES_API
