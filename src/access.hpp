/// Members of public classes that only the library uses. The classes name detail::Access as their friend.
#pragma once

namespace chasles {
class Model;

namespace detail {

struct Access {
  /// What a model, a set of constraints or a linearization consists of.
  static const auto& contents(const auto& model) { return model.contents(); }
  static auto& parts(auto& owner) { return *owner.parts_; }
  /// The workspace of an object made for `model`.
  /// @throws ForeignError naming both models; Error if it was moved from
  static auto& memory(auto& workspace, const Model& model) { return workspace.memory(model); }
  static auto& series(auto& workspace, const Model& model) { return workspace.series(model); }
  /// Checks the model, resizes all members, and returns the workspace if there is one.
  static decltype(auto) fit(auto& result, const Model& model) { return result.fit(model); }
};

}  // namespace detail
}  // namespace chasles
