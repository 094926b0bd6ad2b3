/// A force as a value, made of its parts: what it does (ForceLaw), where it is not smooth, what it remembers
/// (ForceMemory), and what a run asks of contacts (Touch) and of friction that sticks (Stick).
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
#include "chasles/motion/force_tangent.hpp"
#include "chasles/motion/model_system.hpp"
#include "chasles/simulation/signal.hpp"

namespace chasles CHASLES_API {

/// What a force does. From any function object; members tangent, potential, power and expand of one that
/// has them serve as such. Each function below holds a copy of the object.
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
  /// Empty: the partial derivatives are not known.
  TangentFunction tangent{};
  /// The energy it stores [J]; empty: none.
  std::function<double(const PositionKinematics& kin)> potential{};
  /// P of forces.hpp (1) [W]. Empty: none if the force stores energy; otherwise the power of all that `add` adds.
  std::function<double(double t, const VelocityKinematics& kin)> power{};
  /// Adds it as an expansion in time (ForceExpansion), for `taylor`; empty: it has none.
  ExpandFunction expand{};

  ForceLaw() = default;
  template <std::convertible_to<ForceFunction> F>
  ForceLaw(F law);
};

struct Force;
struct Controller;

/// State that a force keeps besides (q, v). Copies of a force share it.
struct ForceMemory {
  /// The same force as it was before any sample: what a Simulation runs. Empty: the force itself.
  std::function<Force()> fresh;
  /// Of a sampled force (control.hpp): reads the state at the start and at every break of all forces.
  std::function<void(double t, const VelocityKinematics& kin)> sample{};
};

/// What a run asks a contact (contact.hpp) besides its force.
struct ContactQuery {
  std::string name;
  struct Gap {
    double distance;  // [m] signed, to the nearest point; negative: penetration
    double rate;      // [m/s]
    double speed;     // of both against each other there [m/s]
    double fastest;   // the same of any of its points, at most
  };
  std::function<Gap(const VelocityKinematics& kin)> gap;
  std::function<double(const VelocityKinematics& kin)> normal_force;  // of all its points [N]
  struct Push {
    Vec3 force;  // on what has the points, in the world [N]
    Vec3 point;  // mean of the points that push, by their normal forces; of none, the nearest [m]
  };
  std::function<Push(const VelocityKinematics& kin)> push;
  double span = 0;  // between centers that touch [m]; 0: a plane is touched
};

/// Dry friction that sticks in one coordinate: a run decides whether it slides, and which way.
struct Stiction {
  int v;                              // entry of v
  double breakaway;                   // holds it against that much [N m] or [N]
  std::shared_ptr<double> direction;  // of sliding, 1 or -1; 0: sticking; NaN: not managed by a run
};

/// A force as a value.
struct Force {
  std::string name;  // for messages: "spring of joint 'shoulder'"
  Model model;       // whose joints and bodies it acts on
  ForceLaw law;
  /// The first time after t at which it is not smooth (Signal::next_break); empty: there is none.
  Signal::Function next_break{};
  bool internal = false;  // acts between bodies of the model only: its wrenches sum up to zero
  bool passive = false;   // excluded from actuator effort limits
  std::optional<ForceMemory> memory{};
  /// Of a contact: a run ends steps where its gap passes zero, since it is not smooth there.
  std::optional<ContactQuery> touch{};
  /// Of friction that sticks: a Simulation sets their directions.
  std::vector<Stiction> sticks{};
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
