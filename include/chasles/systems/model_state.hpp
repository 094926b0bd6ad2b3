/// A state (t, q, v) of a model with access to joints by name. It is a State and can be used as one.
///
///     ModelState x(model);                       // every joint at zero and at rest
///     x["elbow"].q = 0.3, x["elbow"].v = -1;
///     x["wrist"].q = {1, 0, 0, 0};               // a quaternion (w, x, y, z)
///     MechanismState state(model);
///     state.set(x);
#pragma once

#include "chasles/export.hpp"
#include "chasles/kinematics/joint_entries.hpp"
#include "chasles/systems/system.hpp"

namespace chasles CHASLES_API {

/// The entries of one joint: joint_entries.hpp.
template <class Number>
struct JointState {
  JointEntries<Number> q, v;
};

class ModelState : public State {
 public:
  explicit ModelState(const Model& model)
      : State{0, model.neutral(), Vector(model.nv())}, model_(model) {}
  /// @throws SizeError naming the argument and both sizes
  ModelState(const Model& model, State state) : State(std::move(state)), model_(model) {
    require_size("q", q, model.nq());
    require_size("v", v, model.nv());
  }

  const Model& model() const { return model_; }
  /// Lookup by name; a joint of `model().joints()` avoids the lookup.
  /// @throws Error with the nearest known name; SizeError after q or v was resized
  JointState<double> operator[](const ModelJoint& joint) {
    return {q_of(model_, q, joint), v_of(model_, v, joint)};
  }
  JointState<const double> operator[](const ModelJoint& joint) const {
    return {q_of(model_, q, joint), v_of(model_, v, joint)};
  }
  JointState<double> operator[](std::string_view joint) { return (*this)[model_.joint(joint)]; }
  JointState<const double> operator[](std::string_view joint) const {
    return (*this)[model_.joint(joint)];
  }

 private:
  Model model_;
};

}  // namespace CHASLES_API
