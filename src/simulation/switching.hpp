/// Rigid stops and dry friction in a run: impacts, and the set of held joints.
#pragma once

#include "chasles/simulation/scenario.hpp"
#include "simulation/holding.hpp"

namespace chasles {

class Switching {
 public:
  /// Whether the scenario has rigid stops or sticking friction.
  static bool needed(const Scenario& scenario);
  /// @throws Error naming a method that cannot hold joints, if some may be held
  static void check_method(const Scenario& scenario);
  /// @param scenario  must outlive this
  /// @throws Error naming the joint that starts beyond its stop, or a method that cannot hold joints
  Switching(const Scenario& scenario, std::shared_ptr<MechanicalSystem> inner);

  const std::shared_ptr<HeldSystem>& system() const { return system_; }
  /// Adds its events to the list, and sets the functions of the impact events of the scenario.
  void add_events(std::vector<IntegratorEvent>& list);
  /// Call when an event of the list occurred. @returns whether a joint reached its limit, which is logged
  bool happened(std::size_t number);
  bool pending() const { return pending_; }
  /// At the start, at breaks of forces and after events: resolves impacts at stops, then determines the held joints.
  /// Changes velocities.
  void resolve(State& state);
  /// Latest end of the next step: before a joint that bounced returns to its stop.
  double soon() const { return soon_; }
  /// @throws Error naming a joint that passed its stop, or slid back and forth within a step, without an event
  void check(const State& state) const;

 private:
  struct RigidStop {
    std::string joint, name;
    int q, v;
    double level, side, restitution;  // side: 1 upper, -1 lower
    std::size_t event;
  };
  /// A coordinate that may be held.
  struct Holdable {
    int q, v;
    double lower = 0, upper = 0;  // bounds of the holding force, while it is held
    std::size_t event = 0;
    bool released = false;
  };
  struct Sticking {
    std::string joint;
    Stiction stick;
    int q;
    std::size_t event;
  };
  void add_stop(const ModelJoint& joint, const JointCoordinate& c, double level, double side,
                double restitution, std::string name);
  Holdable& holdable(int q, int v);
  bool is_at(const RigidStop& stop, const State& state) const;
  void impacts(State& state);
  void release(const State& state);
  std::vector<Holdable*> candidates(State& state);
  void settle(State& state);
  void look_ahead(const State& state);
  double margin(const Holdable& h, const State& state);
  const Vector& accelerations_at(const State& state);

  double rest_velocity_;
  std::shared_ptr<HeldSystem> system_;
  std::vector<RigidStop> stops_;
  std::vector<Sticking> sticks_;
  std::vector<Holdable> holdable_;
  bool pending_ = false;
  double soon_ = Signal::never, resolved_at_ = -Signal::never;
  int repeats_ = 0;
  /// MechanicalSystem::serial and time of the rates from which margins are computed; -1: none.
  long known_serial_ = -1;
  double known_time_ = 0;
  Vector velocity_, a_;
};

}  // namespace chasles
