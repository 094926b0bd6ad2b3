#include "dynamics/kernel_memory.hpp"

namespace chasles {

Workspace::Workspace(const Model& model)
    : model_(model), memory_(Hidden<Memory>::make(model)) {}
const double* Workspace::Memory::link_wrenches(const Model& model, ConstVectorRef at,
                                               AppliedWrenches applied) {
  if (!kin) {
    kin.emplace(model);
    W.resize(model.links().size());
  }
  positions(model, at, *kin);
  std::fill(W.begin(), W.end(), Wrench{});
  add_link_wrenches(model, *kin, applied, W);
  static_assert(sizeof(Wrench) == 6 * sizeof(double));
  return &W.data()->t.x;
}

void Workspace::Memory::throw_singular(const Model& model, int link, bool finite) {
  if (!finite) throw Error("q is not finite");
  const int v = model.links()[static_cast<std::size_t>(link)].v_index;
  throw SingularError("joint '" + model.joint_of_v(v).name +
                      "' moves no inertia, so no acceleration follows from forces; give the "
                      "bodies that it moves mass, or inertia about its axis");
}

}  // namespace chasles
