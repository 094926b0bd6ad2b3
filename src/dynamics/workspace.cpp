#include "dynamics/kernel_memory.hpp"

namespace chasles {

Workspace::Workspace(const Model& model) : model_(model), memory_(Hidden<Memory>::make(model)) {}

void Workspace::Memory::throw_singular(const Model& model, int link, bool finite) {
  if (!finite) throw Error("q is not finite");
  const int v = model.links()[static_cast<std::size_t>(link)].v_index;
  throw SingularError("joint '" + model.joint_of_v(v).name +
                      "' moves no inertia, so no acceleration follows from forces; give the "
                      "bodies that it moves mass, or inertia about its axis");
}

}  // namespace chasles
