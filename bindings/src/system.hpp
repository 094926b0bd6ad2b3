/// A mechanism under forces and constraints, as the functions of the module share it.
#pragma once

#include "chasles/simulation/scenario_system.hpp"
#include "common.hpp"

namespace chasles::python {

/// Of a model alone, or as in a run of a scenario.
class BoundSystem {
 public:
  explicit BoundSystem(const BoundModel& m)
      : model_(m.model), own_(std::make_unique<ConstrainedSystem>(m.model)) {}
  explicit BoundSystem(const Scenario& scenario)
      : model_(scenario.model), of_run_(std::make_unique<ScenarioSystem>(scenario)) {}

  const Model& model() const { return model_; }
  MechanicalSystem& system() { return own_ ? *own_ : of_run_->system(); }
  /// Null: a scenario without constraints.
  ConstrainedSystem* closed() { return own_ ? own_.get() : of_run_->closed(); }
  /// @throws Error for null
  ConstrainedSystem& closed(const std::string& what);
  /// Whether forces of a scenario act.
  bool of_scenario() const { return own_ == nullptr; }
  State start() const {
    return own_ ? State{0, own_->assembled(), Vector(model_.nv())} : of_run_->start();
  }
  /// Entries of v that stops and friction of a scenario hold at a state.
  std::vector<int> held(double t, ConstVectorRef q_, ConstVectorRef v_) {
    if (own_) return {};
    State at{t, q_, v_};
    return of_run_->hold(at);
  }

  Vector q(const ArrayLike& x, const std::string& what) const {
    return vector_of(x, what + ": q", model_.nq());
  }
  Vector v(const ArrayLike& x, const std::string& what, const char* name = "v") const {
    return vector_of(x, what + ": " + name, model_.nv());
  }
  void set(const ArrayLike& q_, const std::string& what, double t = 0) {
    system().set(t, q(q_, what), Vector(model_.nv()));
  }
  /// Entries of v of named joints.
  std::vector<int> entries(const std::vector<std::string>& joints) const {
    std::vector<int> list;
    for (const std::string& name : joints) {
      const ModelJoint& joint = *as<UnknownName>([&] { return &model_.joint(name); });
      for (int k = 0; k < joint.nv; ++k) list.push_back(joint.v_index + k);
    }
    return list;
  }

 private:
  Model model_;
  std::unique_ptr<ConstrainedSystem> own_;
  std::unique_ptr<ScenarioSystem> of_run_;
};

}  // namespace chasles::python
